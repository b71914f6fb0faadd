"""The listings that dump_sass.py writes, read back: sass/<experiment>/<kernel>.<api>.sass.xz of a results directory, or of the one that lends
them to it (see machine_code.py).
"""

import lzma
import re
from pathlib import Path

from benchlib.base import files
from benchlib.base.errors import InputError
from benchlib.results.machine_code import FOLDER, TWINS
from benchlib.results.results import Results, Table
from benchlib.sass.sass import Instruction

_LINE = re.compile(r"(?P<offset>[0-9a-f]{4,8})\s+(?:(?P<predicate>@!?U?P\w+)\s+)?(?P<opcode>[A-Z][\w.]*)(?P<operands>.*)")
PACKED = ".sass.xz"
MOST_BYTES = 32 << 20  # the largest committed one has 0.2 MB
_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*")  # kernels' names come from CSV files: nothing in one may lead elsewhere


def of(found: Results, table: Table, kernel: str, api: str) -> list[Instruction]:
    return read(folder(found, table.name), kernel, api) if found.code.has(table.name, kernel, api) else []


def folder(found: Results, experiment: str) -> Path:
    """Where its listings lie, if there are some."""
    return found.code.lender / FOLDER / experiment


def has_page(found: Results, experiment: str, kernel: str) -> bool:
    """Whether there is a page of the kernel's two listings that shows what both APIs ran here."""
    if not _PLAIN.fullmatch(kernel) or not (folder(found, experiment) / f"{kernel}.md").is_file():
        return False
    twins = found.auxiliary(TWINS, experiment) if found.code.is_lent else None
    return twins is None or bool(twins.select({"kernel": kernel}))


def read(folder: Path, kernel: str, api: str, arch: str = "") -> list[Instruction]:
    """The listing of that architecture, or the only one; empty where there is none. Raises InputError where it is not ASCII."""
    return parse(text(folder, kernel, api, arch))


def text(folder: Path, kernel: str, api: str, arch: str = "") -> str:
    """The same as it is written."""
    names = [f"{kernel}.{end}{PACKED}" for end in (f"{api}.{arch}", api)]
    texts = (_text(folder / name) for name in names if _PLAIN.fullmatch(name))
    return next((text for text in texts if text), "")


def packed(text: str) -> bytes:
    """A listing's file, whose name ends in PACKED."""
    return lzma.compress(text.encode("ascii"), preset=9)


def parse(text: str) -> list[Instruction]:
    """The inverse of sass.text, but for the live registers, which are not written. The comments at the top are left out."""
    found = []
    for line in text.splitlines():
        code, comment, _ = line.partition("//")
        if match := _LINE.match(code):
            offset, predicate, operands = int(match["offset"], 16), match["predicate"] or "", match["operands"].strip()
            found.append(Instruction(offset, predicate, match["opcode"], operands, recovered=bool(comment)))
    return found


def _text(path: Path) -> str:
    try:
        return files.unpacked(path, MOST_BYTES).decode("ascii")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: a listing is ASCII, this is not at byte {error.start}") from error
