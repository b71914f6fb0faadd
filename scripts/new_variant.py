#!/usr/bin/env python3
"""A new variant of an experiment, as a copy of one that it has: it builds, runs and verifies before anything in it is changed.

    scripts/new_variant.py exp03_memory_coalescing read_soa_y --like read_soa_x 'the same field from an array of its own: 8 bytes per element'

Copies the variant's two kernels, its name under TWINS in CMakeLists.txt, its rows in the table of variants, and its entry in the list of
what variants do, with the new sentence; also its row in DESIGN.md, its name in the lists of analysis.py and its verb in docs/summary.toml,
where it has those: what it does not find it says. What to edit then: the two kernels, the new rows, the CPU reference; CONTRIBUTING.md,
'Adding to an experiment', goes on from there.
Exit codes: 0 done, 1 the variant to copy is not as expected, 2 usage, 130 interrupted. Nothing is written unless all of it can be.
"""

from benchlib.base import early  # noqa: F401  # first: see there

import argparse
import ast
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchlib.base import console, files, programs
from benchlib.base.console import UsageError
from benchlib.base.errors import InputError

ROOT = Path(__file__).resolve().parent.parent
NAME = re.compile(r"[a-z][a-z0-9_]*")
SUMMARY = Path("docs/summary.toml")
WITHOUT = {"DESIGN.md": "row of its own", "analysis.py": "place in a list, so write a table or add it to one", SUMMARY.name: "verb"}
QUOTES = set('"\\|')  # what C++ or Markdown would read as more than text
BRACES = re.compile(r'"(?:[^"\\]|\\.)*"|[{}]')
SENTENCE = re.compile(r'\{"[^"]*",\s*"[^{}]*"\}')  # a name and what it does: an entry of .variants, and no row of the table


def kernels(folder: Path, like: str, name: str) -> dict[Path, str]:
    made = {}
    for path in (folder / f"cuda/{like}.cu", folder / f"glsl/{like}.comp"):
        text = files.read_text(path)
        if text is None:
            raise InputError(f"no {path.relative_to(ROOT)}: {like} has no two kernels of its own (CMakeLists.txt says what it is made of)")
        made[path.with_stem(name)] = re.sub(rf"\b{like}(?=\()", name, text) if path.suffix == ".cu" else text
    return made


def listed(path: Path, like: str, name: str) -> str:
    """CMakeLists.txt with the new name below the other."""
    text, places = re.subn(rf"(?m)^( +){like}(\)?)$", rf"\1{like}\n\1{name}\2", files.read_text(path) or "")
    if places != 1:
        raise InputError(f"{path.relative_to(ROOT)}: {places} lines are {like}; expected one, under TWINS")
    return text


def items(text: str, like: str) -> Iterator[tuple[int, int]]:
    """Where each {"<like>", ...} of a list starts and ends, its comma included."""
    for start in (match.start() for match in re.finditer(rf'\{{"{like}",', text)):
        depth = 0
        for token in BRACES.finditer(text, start):
            depth += {"{": 1, "}": -1}.get(token[0], 0)
            if depth == 0:
                break
        if text[token.end() : token.end() + 1] != ",":
            raise InputError(f"line {text.count(chr(10), 0, start) + 1}: {like} is no item of a list, but made by code")
        yield start, token.end() + 1


def rows(folder: Path, like: str, name: str, does: str) -> dict[Path, str]:
    """The sources with a copy of each of the variant's rows below it."""
    made, found = {}, {"row in a table of variants": 0, "entry in .variants": 0}
    for path in sorted(path for path in folder.glob("*.cpp") if not path.stem.endswith("_test")):
        text = files.read_text(path) or ""
        try:
            places = list(items(text, like))
        except InputError as error:
            raise InputError(f"{path.relative_to(ROOT)}, {error}") from error
        for start, end in reversed(places):
            item, indent = text[start:end], " " * (start - text.rfind("\n", 0, start) - 1)
            is_sentence = SENTENCE.fullmatch(item[:-1]) is not None
            found["entry in .variants" if is_sentence else "row in a table of variants"] += 1
            new = f'{{"{name}", "{does}"}},' if is_sentence else item.replace(like, name, 1)
            text = f"{text[:end]}\n{indent}{new}{text[end:]}"
        if places:
            made[path] = text
    for what, count in found.items():
        if not count:
            raise InputError(f"{folder.name}: no {what} is of {like}")
    return made


def described(path: Path, like: str, name: str, does: str) -> str | None:
    """DESIGN.md with a copy of the variant's row, with the new sentence in its second column."""
    text = files.read_text(path) or ""
    row = re.search(rf"(?m)^\| `{like}` \|[^|\n]*(\|.*)$", text)
    return f"{text[: row.end()]}\n| `{name}` | {does} {row[1]}{text[row.end() :]}" if row else None


def shown(path: Path, like: str, name: str) -> str | None:
    """analysis.py with the new name behind the other in each list that has it: what is shown, or counted, together."""
    lines = (files.read_text(path) or "").encode().splitlines(keepends=True)
    lists = [node.elts for node in ast.walk(ast.parse(b"".join(lines))) if isinstance(node, ast.List)]
    ends = {(each.end_lineno or 0, each.end_col_offset or 0) for one in lists for each in one if isinstance(each, ast.Constant) and each.value == like}
    for line, column in sorted(ends, reverse=True):
        lines[line - 1] = lines[line - 1][:column] + f', "{name}"'.encode() + lines[line - 1][column:]
    return b"".join(lines).decode() if ends else None


def among_kinds(path: Path, program: str, like: str, name: str) -> str | None:
    """summary.toml with the new name behind the other, under its verb in [does]."""
    before, head, rest = (files.read_text(path) or "").partition("\n[does]\n")
    verbs, end, after = rest.partition("\n[")
    verbs, places = re.subn(rf'"((?:{program}:)?){like}((?: [^"]*)?)"', rf'"\1{like}\2", "\1{name}\2"', verbs)
    return f"{before}{head}{verbs}{end}{after}" if places else None


def folder_of(experiment: str) -> tuple[str, Path]:
    """A program and its folder, by either's name."""
    found = programs.source_folders(ROOT)
    for program, folder in found.items():
        if experiment.rstrip("/") in (program, str(folder.relative_to(ROOT))):
            return program, folder
    raise UsageError(f"{ascii(experiment)}: no such experiment; there are {', '.join(found)}")


def create(experiment: str, name: str, like: str, does: str) -> int:
    program, folder = folder_of(experiment)
    for each in (name, like):
        if not NAME.fullmatch(each):
            raise UsageError(f"{ascii(each)}: a variant's name is of a-z, 0-9 and _")
    if not does or not does.isprintable() or QUOTES & set(does):
        raise UsageError('what it does is one line of plain text without ", \\ and |')
    made: dict[Path, str | None] = {**kernels(folder, like, name)}
    taken = [path for path in made if path.exists()]
    if taken:
        raise UsageError(f"{taken[0].relative_to(ROOT)} is there")
    made |= {folder / "CMakeLists.txt": listed(folder / "CMakeLists.txt", like, name)} | rows(folder, like, name, does)
    made |= {folder / "DESIGN.md": described(folder / "DESIGN.md", like, name, does), folder / "analysis.py": shown(folder / "analysis.py", like, name)}
    made[SUMMARY] = among_kinds(ROOT / SUMMARY, program, like, name)
    for path, text in made.items():
        if text is None:
            print(f"left {files.shown(ROOT / path, ROOT)} as it is: {like} has no {WITHOUT[path.name]} there")
        else:
            files.write_atomic(ROOT / path, text)
            print(f"wrote {files.shown(ROOT / path, ROOT)}")
    print(f"edit what they say of {name}; then scripts/test.sh {program}")
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="A new variant of an experiment, as a copy of one that it has.")
    parser.add_argument("experiment", help="e.g. exp03_memory_coalescing, or exp06_peer")
    parser.add_argument("name", help="the new variant's, e.g. read_soa_y")
    parser.add_argument("--like", required=True, metavar="VARIANT", help="the one to copy, e.g. read_soa_x")
    parser.add_argument("does", help="what the new one does, on one line")
    options = parser.parse_args(arguments)
    return console.run_cli("new_variant.py", lambda: create(options.experiment, options.name, options.like, options.does), [UnicodeDecodeError])


if __name__ == "__main__":
    sys.exit(main())
