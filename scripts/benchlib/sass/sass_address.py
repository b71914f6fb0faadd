"""What an access's address multiplies its index with: the stride from one index to the next, as the machine code has it."""

import re
import struct
from collections.abc import Sequence

from benchlib.sass import sass
from benchlib.sass.sass import Instruction

_GENERAL = re.compile(r"R\d+")
_OFFSET = re.compile(r"\[R(\d+)(?:\.\w+)*[+\]]")  # [R2.64], [R0.U32+UR4], [R2.64+0x4]
_IMMEDIATE = re.compile(r"0x[0-9a-f]{1,16}")
_TARGET = re.compile(r"\b0x[0-9a-f]+$")
_PREDICATE = re.compile(r"!?U?P(?:\d|T)")


def load_scale(instructions: Sequence[Instruction]) -> int | None:
    """Of the first global load; None without one, and where the listing does not tell."""
    return _first(instructions, "load")


def store_scale(instructions: Sequence[Instruction]) -> int | None:
    """Of the first global store."""
    return _first(instructions, "store")


def _first(instructions: Sequence[Instruction], sort: str) -> int | None:
    at = next((at for at, i in enumerate(instructions) if sass.kind(i) == sort), None)
    return None if at is None else access_scale(instructions, at)


def access_scale(instructions: Sequence[Instruction], index: int) -> int | None:
    """Of the access at `index`, in bytes. The address register is followed back through moves, sums with what is the same for all
    threads, shifts and multiplications by constants, whose factors multiply up, as far as the code runs straight.
    """
    match = _OFFSET.search(instructions[index].operands)
    register, at, scale = f"R{match[1]}" if match else None, index, 1
    while register:
        at = _writer_before(instructions, at, register)
        step = _step(instructions, at) if at is not None else None
        if at is None or step is None:
            break
        factor, register = step
        scale *= factor
    # Nothing multiplied: an index in bytes, or one that was scaled where this does not reach.
    return scale if scale > 1 else None


def _writer_before(instructions: Sequence[Instruction], index: int, register: str) -> int | None:
    """The instruction that wrote the register, if no branch leads in between: then another may have."""
    targets = _branch_targets(instructions)
    for at in range(index - 1, -1, -1):
        if instructions[at + 1].offset in targets:
            return None
        if register in sass.written(instructions[at]):
            return at
    return None


def _branch_targets(instructions: Sequence[Instruction]) -> set[int]:
    matches = [_TARGET.search(i.operands) for i in instructions if sass.kind(i) == "branch"]
    return {int(match[0], 16) for match in matches if match}


def _step(instructions: Sequence[Instruction], at: int) -> tuple[int, str] | None:
    """What the instruction multiplies, and the register with which the index goes on; None where it does something else."""
    instruction = instructions[at]
    base, modifiers = instruction.base, instruction.modifiers
    operands = [o for o in sass.split_operands(instruction.operands)[1:] if not _PREDICATE.fullmatch(o)]
    if instruction.predicate or "X" in modifiers or "HI" in modifiers or not operands:
        return None  # may not have happened, or the upper half of something
    if sass.kind(instruction) == "move":
        return _going_on(1, operands[-1])
    if base in ("IADD3", "IADD", "VIADD"):
        varying = [operand for operand in operands if not _is_shared(instructions, at, operand)]
        return _going_on(1, varying[0]) if len(varying) == 1 else None
    if base == "IMAD" and len(operands) == 3 and _is_shared(instructions, at, operands[2]):
        factor = _constant(instructions, at, operands[1])
        return _going_on(factor, operands[0]) if factor else None
    if base == "LEA" and len(operands) == 3 and _is_shared(instructions, at, operands[1]):
        return _shifted(operands[0], operands[2])
    if base == "SHF" and "L" in modifiers and len(operands) == 3 and operands[2] == "RZ":
        return _shifted(operands[0], operands[1])
    return None


def _going_on(factor: int, register: str) -> tuple[int, str] | None:
    return (factor, register) if _GENERAL.fullmatch(register) else None


def _shifted(register: str, amount: str) -> tuple[int, str] | None:
    bits = int(amount, 16) if _IMMEDIATE.fullmatch(amount) else 32
    return _going_on(1 << bits, register) if bits < 32 else None


def _is_shared(instructions: Sequence[Instruction], at: int, operand: str) -> bool:
    """The same for all threads: a constant, a uniform register, or a register that a constant was read into."""
    if not _GENERAL.fullmatch(operand.lstrip("-~|")):
        return True
    writer = _nearest_writer(instructions, at, operand.lstrip("-~|"))
    if writer is None:
        return False
    moved = sass.kind(writer) == "move" and bool(sass.constants(writer) or constant_moved(writer))
    return sass.kind(writer) == "constant_load" or moved


def _constant(instructions: Sequence[Instruction], at: int, operand: str) -> int | None:
    """The factor's value: before compute capability 9.0 it is moved into a register first."""
    if _IMMEDIATE.fullmatch(operand):
        return int(operand, 16)
    writer = _nearest_writer(instructions, at, operand)
    return constant_moved(writer) if writer else None


def constant_moved(writer: Instruction) -> int | None:
    """The number that the instruction puts into a register; None where it does something else."""
    *others, value = sass.split_operands(writer.operands) or ("",)
    if (sass.kind(writer) == "move" or writer.base == "UMOV") and _IMMEDIATE.fullmatch(value):
        return int(value, 16)
    if writer.base == "HFMA2" and others[1:3] == ["-RZ", "RZ"] and len(others) > 3:
        return _halves(others[3], value)
    return None


def _halves(high: str, low: str) -> int | None:
    """0 * 0 plus two immediate halves, which together are the constant: how compute capability 8.0 moves one."""
    try:
        return int.from_bytes(struct.pack("<ee", float(low), float(high)), "little")
    except (ValueError, OverflowError):
        return None


def _nearest_writer(instructions: Sequence[Instruction], at: int, register: str) -> Instruction | None:
    return next((i for i in reversed(instructions[:at]) if register in sass.written(i)), None)
