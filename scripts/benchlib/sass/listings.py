"""The listings that dump_sass.py writes, read back: sass/<experiment>.tar.xz of a results directory, or of the one that lends them to it (see
machine_code.py), in which a listing is <kernel>.<api>.sass.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from benchlib.base import archive
from benchlib.base.errors import InputError
from benchlib.results.machine_code import FOLDER, TWINS
from benchlib.results.results import APIS, Results, Table
from benchlib.sass.sass import Instruction

_LINE = re.compile(r"(?P<offset>[0-9a-f]{4,8})\s+(?:(?P<predicate>@!?U?P\w+)\s+)?(?P<opcode>[A-Z][\w.]*)(?P<operands>.*)")
SUFFIX = ".sass"


def of(found: Results, table: Table, kernel: str, api: str) -> list[Instruction]:
    return read(archive_of(found, table.name), kernel, api) if found.code.has(table.name, kernel, api) else []


def archive_of(found: Results, experiment: str) -> Path:
    """Where its listings lie, if there are some."""
    return path(found.code.lender, experiment)


def archive_beside(found: Results, experiment: str) -> str:
    """Its path from the directory."""
    return f"{found.code.path()}/{experiment}{archive.SUFFIX}"


def path(directory: Path, experiment: str) -> Path:
    """The same in a results directory of its own."""
    return directory / FOLDER / f"{experiment}{archive.SUFFIX}"


def are_twins(found: Results, experiment: str, kernel: str) -> bool:
    """Whether there are the listings of both sides of a row of TWINS, of what both APIs ran here."""
    twins = found.auxiliary(TWINS, experiment)
    rows = [row for case in twins.select({"kernel": kernel}) for row in twins.rows(case)] if twins else []
    packed = archive_of(found, experiment)
    return any(all(text(packed, row.get(f"{api}_kernel", ""), api, row.get("arch", "")) for api in APIS) for row in rows)


def read(packed: Path, kernel: str, api: str, arch: str = "") -> list[Instruction]:
    """The listing of that architecture, or the only one; empty where there is none. Raises InputError where it is not ASCII."""
    return parse(text(packed, kernel, api, arch))


def text(packed: Path, kernel: str, api: str, arch: str = "") -> str:
    """The same as it is written."""
    there = archive.read(packed)
    name = next((name for end in (f"{api}.{arch}", api) if (name := f"{kernel}.{end}{SUFFIX}") in there), None)
    return _ascii(packed, name, there[name]) if name else ""


def texts(packed: Path) -> Mapping[str, str]:
    """All of an archive's, by their names there."""
    return {name: _ascii(packed, name, data) for name, data in archive.read(packed).items()}


def _ascii(packed: Path, name: str, data: bytes) -> str:
    try:
        return data.decode("ascii")
    except UnicodeDecodeError as error:
        raise InputError(f"{packed}: {name}: a listing is ASCII, this is not at byte {error.start}") from error


def parse(text: str) -> list[Instruction]:
    """The inverse of sass.text, but for the live registers, which are not written. The comments at the top are left out."""
    found = []
    for line in text.splitlines():
        code, comment, _ = line.partition("//")
        if match := _LINE.match(code):
            offset, predicate, operands = int(match["offset"], 16), match["predicate"] or "", match["operands"].strip()
            found.append(Instruction(offset, predicate, match["opcode"], operands, recovered=bool(comment)))
    return found
