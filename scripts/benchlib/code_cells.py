"""Machine code in a table's cell: the accesses and fences that a listing's loop repeats, one turn of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from benchlib import excerpts
from benchlib.markdown import NONE, escape

# Every MEMBAR of more than a block brings an ERRBAR and a CGAERRBAR: they say nothing that the MEMBAR does not.
_LINE = re.compile(r"^(?P<at>[0-9a-f]+) (?:@!?U?P\w+ )?(?P<opcode>[A-Z]\w*(?:\.\w+)*)(?P<operands>.*)$")
_ACCESS = re.compile(r"^(?:LDG|STG|LD|ST|ATOMG?|RED|CCTL|MEMBAR)\b")
_FENCE = re.compile(r"^(?:CCTL|MEMBAR)\b")
_TARGET = re.compile(r"0x([0-9a-f]+)")

Line = tuple[int, str, str]  # where, opcode, operands


def _parsed(lines: Sequence[str]) -> list[Line]:
    matches = [_LINE.match(line) for line in lines]
    return [(int(match["at"], 16), match["opcode"], match["operands"]) for match in matches if match]


def _loops(code: Sequence[Line]) -> list[tuple[int, int]]:
    """Where each loop begins and ends that holds no other: a branch goes back."""
    found = []
    for at, opcode, operands in code:
        target = _TARGET.search(operands) if opcode.startswith("BRA") else None
        if target and int(target[1], 16) < at:
            found.append((int(target[1], 16), at))
    return [one for one in found if not any(other != one and one[0] <= other[0] and other[1] <= one[1] for other in found)]


def _period(opcodes: Sequence[str]) -> list[str]:
    """What a compiler that unrolled a loop repeats."""
    for length in range(1, len(opcodes) + 1):
        if len(opcodes) % length == 0 and list(opcodes[:length]) * (len(opcodes) // length) == list(opcodes):
            return list(opcodes[:length])
    return []


def repeated(lines: Sequence[str]) -> list[str]:
    """Of the loop with the most accesses, one turn: ["LDG.E.STRONG.GPU", "CCTL.IVALL"]."""
    code = _parsed(lines)
    turns = [[opcode for at, opcode, _ in code if first <= at <= last and _ACCESS.match(opcode)] for first, last in _loops(code)]
    return _period(max(turns, key=len, default=[]))


def fences(lines: Sequence[str]) -> list[str]:
    """Every kind of fence and invalidation, in the order in which they come."""
    return list(dict.fromkeys(opcode for _, opcode, _ in _parsed(lines) if _FENCE.match(opcode)))


def access_cell(directory: Path, experiment: str, kernel: str, api: str) -> str:
    return _cell(repeated(excerpts.listing(directory, experiment, kernel, api)))


def fence_cell(directory: Path, experiment: str, kernel: str, api: str) -> str:
    return _cell(fences(excerpts.listing(directory, experiment, kernel, api)))


def _cell(opcodes: Sequence[str]) -> str:
    return "; ".join(escape(opcode) for opcode in opcodes) or NONE
