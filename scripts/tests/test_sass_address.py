"""What an address multiplies its index with, in the code of nvcc 13.0 and of the Vulkan driver 580 (sm_90)."""

import pytest
from test_sass import fixture, instructions

from benchlib.sass import sass_address

# exp03_memory_coalescing, read_aos_x; read_soa_x has 0x4 in place of 0x10.
CUDA = """
S2R R7, SR_CTAID.X
ULDC UR4, c[0x0][0x0]
S2R R0, SR_TID.X
IMAD R7, R7, UR4, R0
ULDC UR4, c[0x0][0x220]
ISETP.GE.U32.AND P0, PT, R7, UR4, PT
@P0 EXIT
LDC.64 R2, c[0x0][0x210]
ULDC.64 UR4, c[0x0][0x208]
LDC.64 R4, c[0x0][0x218]
IMAD.WIDE.U32 R2, R7, 0x10, R2
LDG.E R3, desc[UR4][R2.64]
IMAD.WIDE.U32 R4, R7, 0x4, R4
STG.E desc[UR4][R4.64], R3
EXIT
"""
VULKAN_AOS = """
S2R R0, SR_CTAID.X
S2R R1, SR_TID.X
IMAD R0, R0, 0x100, R1
ISETP.GE.U32.AND P0, PT, R0, c[0x0][0x630], PT
@P0 EXIT
IMAD.SHL.U32 R1, R0, 0x4, RZ
IADD3 R2, P0, R1, 0x4, RZ
ISETP.LE.U32.AND P0, PT, R2, c[0x0][0x48], !P0
@!P0 EXIT
IMAD.SHL.U32 R0, R0, 0x10, RZ
ULDC.64 UR4, c[0x0][0x30]
ISETP.GE.U32.AND P0, PT, R0, c[0x0][0x38], PT
LDG.E.CONSTANT R0, [R0.U32+UR4], !P0
ULDC.64 UR4, c[0x0][0x40]
STG.E.STRONG.SM [R1.U32+UR4], R0
EXIT
"""
# exp04_bda inner_struct_address: the second field first, and a shift. The block index is added by LEA: that is no scale.
VULKAN_FIELDS = """
S2R R0, SR_CTAID.X
S2R R1, SR_TID.X
LEA R0, R0, R1, 0x8
SHF.L.U32 R0, R0, 0x3, RZ
ULDC.64 UR4, c[0x0][0x630]
IADD3 R2, R0, 0x4, RZ
LDG.E.CONSTANT R3, [R2.U32+UR4]
STG.E.STRONG.SM [R0.U32+UR4], R3
"""
# exp04_bda copy_f32_offset32, CUDA: a 32-bit offset, then the base added in halves.
CUDA_OFFSET = """
IMAD R0, R0, UR4, R3
IMAD.SHL.U32 R0, R0, 0x4, RZ
ULDC.64 UR6, c[0x0][0x218]
IADD3 R2, P0, R0, UR4, RZ
IADD3.X R3, RZ, UR5, RZ, P0, !PT
LDG.E R3, desc[UR4][R2.64]
IADD3 R4, P0, R0, UR6, RZ
IMAD.X R5, RZ, RZ, UR7, P0
STG.E desc[UR4][R4.64], R3
"""
# exp04_bda write_u32x4_address, Vulkan: nothing loaded.
VULKAN_STORE = """
IMAD R1, R1, 0x100, R0
IMAD R4, R1, 0x78dde6c4, RZ
LEA R0, P0, R1, c[0x0][0x630], 0x4
IADD3.X R1, RZ, c[0x0][0x634], RZ, P0, !PT
STG.E.128.STRONG.SM [R0], R4
"""
# read_aos_x for sm_86 and sm_80, which move the factors into registers first; the latter as halves, 0x10 and 0x4 times 2^-24.
CUDA_86 = """
S2R R4, SR_CTAID.X
S2R R3, SR_TID.X
IMAD R4, R4, c[0x0][0x0], R3
MOV R3, 0x10
ULDC.64 UR4, c[0x0][0x118]
IMAD.WIDE.U32 R2, R4, R3, c[0x0][0x160]
LDG.E R3, [R2.64]
MOV R5, 0x4
IMAD.WIDE.U32 R4, R4, R5, c[0x0][0x168]
STG.E [R4.64], R3
"""
CUDA_80 = CUDA_86.replace("MOV R3, 0x10", "HFMA2.MMA R3, -RZ, RZ, 0, 9.5367431640625e-07").replace("MOV R5, 0x4", "HFMA2.MMA R5, -RZ, RZ, 0, 2.384185791015625e-07")


def scales(text):
    listing = instructions(*text.strip().splitlines())
    return sass_address.load_scale(listing), sass_address.store_scale(listing)


@pytest.mark.parametrize(
    "listing, load, store",
    [
        (CUDA, 16, 4),
        (CUDA.replace("0x10, R2", "0x4, R2"), 4, 4),
        (VULKAN_AOS, 16, 4),
        (VULKAN_FIELDS, 8, 8),
        (CUDA_OFFSET, 4, 4),
        (VULKAN_STORE, None, 16),
        (CUDA_86, 16, 4),
        (CUDA_80, 16, 4),
    ],
)
def test_compiled_kernels(listing, load, store):
    assert scales(listing) == (load, store)


@pytest.mark.parametrize("name", ["cuda.sm_90a", "vulkan.descriptors", "vulkan.addresses"])
def test_whole_listings(name):
    (listing,) = fixture(f"add_f32.{name}.txt").values()
    assert (sass_address.load_scale(listing), sass_address.store_scale(listing)) == (4, 4)


@pytest.mark.parametrize(
    "lines, expected",
    [
        (["SHF.L.U32 R1, R0, 0x3, RZ", "IMAD.WIDE R2, R1, 0x4, c[0x0][0x160]"], 32),  # factors multiply up
        (["SHF.L.U32 R1, R0, 0x3, RZ", "VIADD R1, R1, 0x4", "MOV R2, R1"], 8),
        (["IMAD R2, R0, 0x10, RZ"], 16),
        (["IMAD R2, R0, 0x10, R1"], None),  # the index itself: block and thread
        (["LDC R1, c[0x0][0x4]", "IMAD R2, R0, R1, RZ"], None),  # by a value unknown here
        (["HFMA2.MMA R1, -RZ, RZ, inf, x", "IMAD R2, R0, R1, RZ"], None),
        (["SHF.R.U32.HI R2, RZ, 0x2, R0"], None),
        (["SHF.L.U32 R2, R0, R1, RZ"], None),
        (["SHF.L.U32 R1, R0, 0x2, RZ", "LOP3.LUT R2, R1, 0x7c, RZ, 0xc0, !PT"], None),
        (["LOP3.LUT R1, R0, 0x1f, RZ, 0xc0, !PT", "SHF.L.U32 R2, R1, 0x2, RZ"], 4),
        (["SHF.L.U32 R2, R0, 0x2, RZ", "@P0 MOV R2, R1"], None),  # one or the other
        (["SHF.L.U32 R2, R0, 0x2, RZ", "IADD3 R2, R2, R1, RZ"], None),  # which of the two is the index?
        (["LDC.64 R8, c[0x0][0x210]", "SHF.L.U32 R2, R0, 0x2, RZ", "IADD3 R2, P0, R8, R2, RZ"], 4),
        (["SHF.L.U32 R2, R0, 0x2, RZ", "NOP"], 4),
        (["LDG.E.64 R2, [R4.64]"], None),  # from a table of addresses
        ([], None),
    ],
)
def test_forms(lines, expected):
    listing = instructions(*lines, "STG.E [R2.64], R9")
    assert sass_address.store_scale(listing) == expected


def test_nothing_is_followed_across_a_join():
    """The first instruction is the loop's second way in: R2 is then what the end of the loop made it."""
    straight = ["SHF.L.U32 R2, R0, 0x2, RZ", "STG.E [R2.64], R9", "VIADD R2, R2, 0x80"]
    assert sass_address.store_scale(instructions(*straight, "BRA 0x0")) == 4
    assert sass_address.store_scale(instructions(*straight, "@P0 BRA 0x10")) is None


def test_an_access_without_a_register_of_the_threads_own():
    assert sass_address.load_scale(instructions("SHF.L.U32 R2, R0, 0x2, RZ", "LDG.E R1, desc[UR4][UR6.64]")) is None
    assert sass_address.load_scale([]) is None
