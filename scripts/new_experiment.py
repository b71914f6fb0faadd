#!/usr/bin/env python3
"""A new experiment from scripts/template: a folder whose program builds, runs and verifies before anything in it is changed.

    scripts/new_experiment.py exp11_scale 'Does a scaled copy take as long through Vulkan as through CUDA?'

Writes exp11_scale/ and its line in CMakeLists.txt, nothing else: whatever shows the experiment finds it by its folder. What to edit
then: the table of variants, the CPU reference and the kernels, claims.toml, analysis.py, README.md and DESIGN.md; CONTRIBUTING.md, 'Adding an
experiment', goes on from there.
Exit codes: 0 done, 1 something there is not as expected, 2 usage, 130 interrupted. Nothing is written unless all of it can be.
"""

from benchlib.base import early  # noqa: F401  # first: see there

import argparse
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchlib.base import console, files
from benchlib.base.console import UsageError
from benchlib.base.errors import InputError

ROOT = Path(__file__).resolve().parent.parent
TEMPLATE = ROOT / "scripts/template"
TEMPLATE_QUESTION = "What is the question?"
NAME = re.compile(r"exp(?P<number>[0-9]{2})_(?P<title>[a-z0-9]+(_[a-z0-9]+)*)")
LONGEST_QUESTION = 100  # on one line of main.cpp
QUOTES = set("\"\\<>|`*_[]")  # what C++, TOML, Markdown or HTML would read as more than text


def checked(name: str, question: str) -> re.Match[str]:
    """The name's parts."""
    match = NAME.fullmatch(name)
    if not match:
        raise UsageError(f"{ascii(name)}: a name is exp, two digits, and words of a-z and 0-9, e.g. exp11_scale")
    if not question.endswith("?") or not question.isprintable() or QUOTES & set(question):
        raise UsageError(f"the question is one line of plain text without any of {' '.join(sorted(QUOTES))}, and ends with ?")
    if len(question) > LONGEST_QUESTION:
        raise UsageError(f"the question is {len(question)} characters long; at most {LONGEST_QUESTION}")
    taken = sorted(path.name for path in ROOT.glob(f"exp{match['number']}_*"))
    if taken:
        raise UsageError(f"exp{match['number']} is taken by {taken[0]}")
    return match


def filled_in(text: str, match: re.Match[str], question: str) -> str:
    number, title = match["number"], match["title"]
    text = text.replace("exp00_template", match[0]).replace("exp00: template", f"exp{number}: {title.replace('_', ' ')}")
    text = text.replace("exp00", f"exp{number}").replace("EXP00", f"EXP{number}").replace("00.1", f"{number}.1")
    return text.replace(TEMPLATE_QUESTION, question)


def after_last(path: Path, pattern: str, line: str) -> str:
    """The file's text with a line put behind the last one that matches."""
    lines = (files.read_text(path) or "").splitlines(keepends=True)
    places = [number for number, each in enumerate(lines, start=1) if re.match(pattern, each)]
    if not places:
        raise InputError(f"{path}: no line matches {pattern}")
    return "".join([*lines[: places[-1]], line + "\n", *lines[places[-1] :]])


def create(name: str, question: str) -> int:
    match = checked(name, question)
    listed = ROOT / "CMakeLists.txt"
    text = after_last(listed, r"add_subdirectory\(exp", f"add_subdirectory({name})")
    scratch = Path(tempfile.mkdtemp(dir=ROOT, prefix=f".{name}."))
    try:
        folder = scratch / name
        shutil.copytree(TEMPLATE, folder)
        for path in (path for path in folder.rglob("*") if path.is_file()):
            path.write_text(filled_in(path.read_text(encoding="utf-8"), match, question), encoding="utf-8")
        os.rename(folder, ROOT / name)
    finally:
        shutil.rmtree(scratch)
    files.write_atomic(listed, text)
    print(f"wrote {name}/, and its line in CMakeLists.txt; edit main.cpp, cuda/, glsl/, claims.toml, analysis.py, README.md, DESIGN.md")
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="A new experiment from scripts/template.")
    parser.add_argument("name", help="e.g. exp11_scale")
    parser.add_argument("question", help="one line that ends with ?")
    options = parser.parse_args(arguments)
    return console.run_cli("new_experiment.py", lambda: create(options.name, options.question), [UnicodeDecodeError])


if __name__ == "__main__":
    sys.exit(main())
