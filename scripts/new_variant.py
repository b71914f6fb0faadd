#!/usr/bin/env python3
"""A new variant of an experiment, as a copy of one that it has: it builds, runs and verifies before anything in it is changed.

    scripts/new_variant.py exp03_memory_coalescing read_soa_y --like read_soa_x 'the same field from an array of its own: 8 bytes per element'

Copies the variant's two kernels, its name under TWINS in CMakeLists.txt, its rows in the table of variants, and its entry in the list of
what variants do, with the new sentence. What to edit then: the two kernels, the new rows, the CPU reference, DESIGN.md; CONTRIBUTING.md,
'Adding to an experiment', goes on from there.
Exit codes: 0 done, 1 the variant to copy is not as expected, 2 usage, 130 interrupted. Nothing is written unless all of it can be.
"""

from benchlib.base import early  # noqa: F401  # first: see there

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchlib.base import console, files
from benchlib.base.console import UsageError
from benchlib.base.errors import InputError

ROOT = Path(__file__).resolve().parent.parent
NAME = re.compile(r"[a-z][a-z0-9_]*")
QUOTES = set('"\\')  # what C++ would read as more than text
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


def create(experiment: str, name: str, like: str, does: str) -> int:
    folder = ROOT / experiment
    if not re.fullmatch(r"exp[0-9]{2}_[a-z0-9_]+", experiment) or not (folder / "CMakeLists.txt").is_file():
        raise UsageError(f"{ascii(experiment)}: no such experiment, e.g. exp03_memory_coalescing")
    for each in (name, like):
        if not NAME.fullmatch(each):
            raise UsageError(f"{ascii(each)}: a variant's name is of a-z, 0-9 and _")
    if not does or not does.isprintable() or QUOTES & set(does):
        raise UsageError('what it does is one line of plain text without " and \\')
    made = kernels(folder, like, name)
    taken = [path for path in made if path.exists()]
    if taken:
        raise UsageError(f"{taken[0].relative_to(ROOT)} is there")
    made |= {folder / "CMakeLists.txt": listed(folder / "CMakeLists.txt", like, name)} | rows(folder, like, name, does)
    for path, text in made.items():
        files.write_atomic(path, text)
        print(f"wrote {path.relative_to(ROOT)}")
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="A new variant of an experiment, as a copy of one that it has.")
    parser.add_argument("experiment", help="e.g. exp03_memory_coalescing")
    parser.add_argument("name", help="the new variant's, e.g. read_soa_y")
    parser.add_argument("--like", required=True, metavar="VARIANT", help="the one to copy, e.g. read_soa_x")
    parser.add_argument("does", help="what the new one does, on one line")
    options = parser.parse_args(arguments)
    return console.run_cli("new_variant.py", lambda: create(options.experiment, options.name, options.like, options.does), [UnicodeDecodeError])


if __name__ == "__main__":
    sys.exit(main())
