#!/usr/bin/env python3
"""A new experiment from scripts/template: a folder whose program builds, runs and verifies before anything in it is changed.

    scripts/new_experiment.py exp11_scale 'Does a scaled copy take as long through Vulkan as through CUDA?'
    scripts/new_experiment.py exp09_inside_a_workgroup/vote 'Does a vote cost the same?'     one more program of an experiment that has several

Writes the folder, its line in CMakeLists.txt and, of one more program, its row in the README.md above: whatever else shows it finds it by its
folder. What to edit then: the table of variants, the CPU reference and the kernels, claims.toml, analysis.py, README.md and DESIGN.md;
CONTRIBUTING.md, 'Adding an experiment', goes on from there.
Exit codes: 0 done, 1 something there is not as expected, 2 usage, 130 interrupted. Nothing is written unless all of it can be.
"""

from benchlib.base import early  # noqa: F401  # first: see there

import argparse
import datetime
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchlib.base import console, files, programs
from benchlib.base.console import UsageError
from benchlib.base.errors import InputError

ROOT = Path(__file__).resolve().parent.parent
TEMPLATE = ROOT / "scripts/template"
TEMPLATE_QUESTION = "What is the question?"
TEMPLATE_DATE = "2026-11-21"
WORDS = "[a-z0-9]+(?:_[a-z0-9]+)*"
NAME = re.compile(rf"exp(?P<number>[0-9]{{2}})_(?P<title>{WORDS})(?:/(?P<program>{WORDS}))?")
LONGEST_QUESTION = 100  # on one line of main.cpp
QUOTES = set("\"\\<>|`*_[]")  # what C++, TOML, Markdown or HTML would read as more than text


@dataclass(frozen=True)
class New:
    """What is to be made."""

    folder: Path
    number: str  # the experiment's
    claim: str  # the first one's id
    in_folder: bool  # one more program of an experiment that has several

    @property
    def program(self) -> str:
        return programs.name_in_folder(self.folder) if self.in_folder else self.folder.name

    @property
    def prefix(self) -> str:
        """Of names that are to be its own."""
        return self.program if self.in_folder else f"exp{self.number}"

    @property
    def heading(self) -> str:
        return f"{self.prefix}: {(self.folder.name if self.in_folder else self.folder.name[6:]).replace('_', ' ')}"

    def filled_in(self, text: str, question: str) -> str:
        text = text.replace("exp00_template", self.program).replace("exp00: template", self.heading)
        text = re.sub(r"exp00(?=_kernels)|(?<=kernels::)exp00", f"exp{self.number}", text)  # one set of an experiment's programs
        text = text.replace("exp00-", f"{self.prefix.replace('_', '-')}-").replace("exp00", self.prefix).replace("EXP00", self.prefix.upper())
        text = text.replace("00.1", self.claim).replace(TEMPLATE_DATE, datetime.date.today().isoformat()).replace(TEMPLATE_QUESTION, question)
        return text.replace("](../docs", "](../../docs") if self.in_folder else text


def checked(name: str, question: str) -> New:
    match = NAME.fullmatch(name)
    if not match:
        raise UsageError(
            f"{ascii(name)}: a name is exp, two digits, and words of a-z and 0-9, e.g. exp11_scale; one more program of an experiment that has "
            "several is its folder, / and words, e.g. exp09_inside_a_workgroup/vote"
        )
    if not question.endswith("?") or not question.isprintable() or QUOTES & set(question):
        raise UsageError(f"the question is one line of plain text without any of {' '.join(sorted(QUOTES))}, and ends with ?")
    if len(question) > LONGEST_QUESTION:
        raise UsageError(f"the question is {len(question)} characters long; at most {LONGEST_QUESTION}")
    number, folder = match["number"], ROOT / name
    if not match["program"]:
        taken = sorted(path.name for path in ROOT.glob(f"exp{number}_*"))
        if taken:
            raise UsageError(f"exp{number} is taken by {taken[0]}; one more program of it would be {taken[0]}/{match['title']}")
        return New(folder, number, f"{number}.1", in_folder=False)
    siblings = sorted(folder.parent.glob("*/claims.toml"))
    if not siblings:
        raise UsageError(f"{folder.parent.name}: no experiment of several programs; there are {', '.join(several())}")
    if folder.exists():
        raise UsageError(f"{name} is there")
    used = [int(each) for path in siblings for each in re.findall(rf'(?m)^id = "{number}\.([0-9]+)', files.read_text(path) or "")]
    return New(folder, number, f"{number}.{max(used, default=0) + 1}", in_folder=True)


def several() -> list[str]:
    return sorted({path.parts[-3] for path in ROOT.glob("exp[0-9][0-9]_*/*/claims.toml")})


def after_last(path: Path, pattern: str, line: str) -> str:
    """The file's text with a line put behind the last one that matches."""
    lines = (files.read_text(path) or "").splitlines(keepends=True)
    places = [number for number, each in enumerate(lines, start=1) if re.match(pattern, each)]
    if not places:
        raise InputError(f"{path}: no line matches {pattern}")
    return "".join([*lines[: places[-1]], line + "\n", *lines[places[-1] :]])


def with_program(path: Path, name: str) -> str:
    """CMakeLists.txt of an experiment of several programs with one more."""
    text, places = re.subn(r"(?m)^(foreach\(program .*)\)$", rf"\1 {name})", files.read_text(path) or "")
    return text if places == 1 else after_last(path, r"add_subdirectory\(", f"add_subdirectory({name})")


def create(name: str, question: str) -> int:
    new = checked(name, question)
    if new.in_folder:
        listed, page = new.folder.parent / "CMakeLists.txt", new.folder.parent / "README.md"
        row = f"| [{new.folder.name}]({new.folder.name}/README.md) | {question[0].lower()}{question[1:]} | not measured |"
        changed = {listed: with_program(listed, new.folder.name), page: after_last(page, r"\| \[\w+\]\(", row)}
    else:
        listed = ROOT / "CMakeLists.txt"
        changed = {listed: after_last(listed, r"add_subdirectory\(exp", f"add_subdirectory({name})")}
    scratch = Path(tempfile.mkdtemp(dir=ROOT, prefix=f".{new.program}."))
    try:
        folder = scratch / new.program
        shutil.copytree(TEMPLATE, folder, ignore=shutil.ignore_patterns("__pycache__"))
        for path in (path for path in folder.rglob("*") if path.is_file()):
            path.write_text(new.filled_in(path.read_text(encoding="utf-8"), question), encoding="utf-8")
        os.rename(folder, new.folder)
    finally:
        shutil.rmtree(scratch)
    for path, text in changed.items():
        files.write_atomic(path, text)
    where = " and ".join(str(path.relative_to(ROOT)) for path in changed)
    print(f"wrote {name}/, and its line in {where}; edit main.cpp, cuda/, glsl/, claims.toml, analysis.py, README.md, DESIGN.md; then scripts/test.sh {new.program}")
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="A new experiment from scripts/template.")
    parser.add_argument("name", help="e.g. exp11_scale, or exp09_inside_a_workgroup/vote")
    parser.add_argument("question", help="one line that ends with ?")
    options = parser.parse_args(arguments)
    return console.run_cli("new_experiment.py", lambda: create(options.name, options.question), [UnicodeDecodeError])


if __name__ == "__main__":
    sys.exit(main())
