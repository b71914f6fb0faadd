"""Machine code in a table's cell: the accesses and fences that a listing's loop repeats, one turn of it."""

import re
from collections.abc import Sequence

from benchlib.sass import listings
from benchlib.model.analysis import Study
from benchlib.stats.formats import NONE
from benchlib.results.results import Table
from benchlib.sass.sass import Instruction

# Every MEMBAR of more than a block brings an ERRBAR and a CGAERRBAR: they say nothing that the MEMBAR does not.
_ACCESS = re.compile(r"^(?:LDG|STG|LD|ST|ATOMG?|RED|CCTL|MEMBAR)\b")
_FENCE = re.compile(r"^(?:CCTL|MEMBAR)\b")
_TARGET = re.compile(r"0x([0-9a-f]+)")


def _loops(code: Sequence[Instruction]) -> list[tuple[int, int]]:
    """Where each loop begins and ends that holds no other: a branch goes back."""
    found = []
    for instruction in code:
        target = _TARGET.search(instruction.operands) if instruction.opcode.startswith("BRA") else None
        if target and int(target[1], 16) < instruction.offset:
            found.append((int(target[1], 16), instruction.offset))
    return [one for one in found if not any(other != one and one[0] <= other[0] and other[1] <= one[1] for other in found)]


def has_loops(code: Sequence[Instruction]) -> bool:
    """Padding's branch to itself, behind the last EXIT, is none."""
    return any(first < last for first, last in _loops(code))


def _period(opcodes: Sequence[str]) -> list[str]:
    """What a compiler that unrolled a loop repeats."""
    for length in range(1, len(opcodes) + 1):
        if len(opcodes) % length == 0 and list(opcodes[:length]) * (len(opcodes) // length) == list(opcodes):
            return list(opcodes[:length])
    return []


def repeated(code: Sequence[Instruction]) -> list[str]:
    """Of the loop with the most accesses, one turn: ["LDG.E.STRONG.GPU", "CCTL.IVALL"]."""
    accesses = [(instruction.offset, instruction.opcode) for instruction in code if _ACCESS.match(instruction.opcode)]
    turns = [[opcode for at, opcode in accesses if first <= at <= last] for first, last in _loops(code)]
    return _period(max(turns, key=len, default=[]))


def fences(code: Sequence[Instruction]) -> list[str]:
    """Every kind of fence and invalidation, in the order in which they come."""
    return list(dict.fromkeys(instruction.opcode for instruction in code if _FENCE.match(instruction.opcode)))


def access_cell(found: Study, table: Table, kernel: str, api: str) -> str:
    return _cell(repeated(listings.of(found, table, kernel, api)))


def fence_cell(found: Study, table: Table, kernel: str, api: str) -> str:
    return _cell(fences(listings.of(found, table, kernel, api)))


def _cell(opcodes: Sequence[str]) -> str:
    return "; ".join(opcodes) or NONE
