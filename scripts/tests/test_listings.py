"""Listings read back as they were written."""

from __future__ import annotations

from pathlib import Path

from benchlib.base import archive
from benchlib.model import loop_body
from benchlib.sass import listings, sass
from benchlib.sass.sass import Instruction

CODE = [
    Instruction(0x0, "", "S2R", "R0, SR_CTAID.X"),
    Instruction(0x10, "@!UP1", "LDG.E.128.CONSTANT", "R4, desc[UR4][R2.64+-0x10]"),
    Instruction(0x20, "", "VIADD", "R2, R20, 0xffffffff", recovered=True),
    Instruction(0x30, "", "UNKNOWN.0x123", "", recovered=True),
    Instruction(0x40, "@P0", "EXIT", ""),
    Instruction(0x12340, "", "BRA", "0x12340"),
]
TOP = "// exp01_vector_add add_f32, CUDA, sm_90a\n// 19 instructions, 16 registers, isa e5666a619920\n"


def test_a_listing_is_read_as_it_was_written() -> None:
    assert listings.parse(TOP + sass.text(CODE)) == CODE
    assert listings.parse(TOP) == listings.parse("") == []


def test_the_architectures_own_listing_comes_first(tmp_path: Path) -> None:
    path = tmp_path / "exp01.tar.xz"
    path.write_bytes(archive.packed({"add.cuda.sass": sass.text(CODE[:1]).encode(), "add.cuda.sm_86.sass": sass.text(CODE[:2]).encode()}))
    assert listings.read(path, "add", "cuda", "sm_86") == CODE[:2]
    assert listings.read(path, "add", "cuda", "sm_90a") == listings.read(path, "add", "cuda") == CODE[:1]
    assert listings.read(path, "add", "vulkan") == listings.read(tmp_path / "none.tar.xz", "add", "cuda") == []


def test_an_unrolled_loop_is_one_turn() -> None:
    lines = ["0000 LDG.E R0, [R2.64]", "0010 LDG.E.STRONG.GPU R1, [R2]", "0020 @!P0 CCTL.IVALL", "0030 LDG.E.STRONG.GPU R1, [R2]"]
    lines += ["0040 CCTL.IVALL", "0050 @P0 BRA 0x10", "0060 STG.E [R2.64], R1", "0070 BRA 0x70"]
    code = listings.parse("\n".join(lines))
    assert loop_body.repeated(code) == ["LDG.E.STRONG.GPU", "CCTL.IVALL"]
    assert loop_body.fences(code) == ["CCTL.IVALL"]
    assert loop_body.repeated(code[:2]) == []
