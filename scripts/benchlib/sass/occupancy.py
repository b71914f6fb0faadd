"""How many blocks an SM holds at once, by its architecture's limits. Source: CUDA C++ Programming Guide, "Technical Specifications per
Compute Capability"."""

import re
from dataclasses import dataclass

WARP = 32
REGISTERS = 65536  # of an SM, since Maxwell
WARP_REGISTERS = 256  # handed out at once
WARPS_AT_ONCE = 4  # a block's registers are handed out for so many warps: one for each scheduler


@dataclass(frozen=True)
class Limits:
    warps: int
    blocks: int


LIMITS = {"80": Limits(64, 32), "86": Limits(48, 16), "87": Limits(48, 16), "89": Limits(48, 24), "90": Limits(64, 32),
          "100": Limits(64, 32), "103": Limits(64, 32), "120": Limits(48, 24)}  # fmt: skip


def resident_blocks(arch: str, block: int, registers: int) -> int | None:
    """Of `block` threads with so many registers each, on an SM of sm_90a, say; None for an architecture that is not known here."""
    match = re.fullmatch(r"sm_(\d+)[a-z]?", arch)
    limits = LIMITS.get(match[1]) if match else None
    if limits is None or block < 1 or registers < 1:
        return None
    warps = -(-block // WARP)
    each = -(-registers * WARP // WARP_REGISTERS) * WARP_REGISTERS
    by_registers = REGISTERS // each // WARPS_AT_ONCE * WARPS_AT_ONCE // warps
    return min(limits.blocks, limits.warps // warps, by_registers)
