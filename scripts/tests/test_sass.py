"""Reading listings and cubins, and sorting instructions; without nvdisasm."""

import random
import struct
from pathlib import Path

import pytest

from benchlib.sass import sass, sass_cubin
from benchlib.sass.sass import Instruction

FIXTURES = Path(__file__).resolve().parent / "fixtures"
NOP = bytes.fromhex("18790000000000000000000000c00f00")
SELF_BRANCH_90 = struct.pack("<QQ", 0xFFFFFFFC00FC7947, 0x000FC0000383FFFF)  # ptxas 13.0, sm_90a
SELF_BRANCH_86 = struct.pack("<QQ", 0xFFFFFFF000007947, 0x000FC0000383FFFF)  # ptxas 13.0, sm_86
VIADD = struct.pack("<QQ", 0xFFFFFFFF14027836, 0x040FE20000000000)  # ptxas 13.0, sm_90a: R2 = R20 - 1


def word(opcode, guard=7):
    return struct.pack("<QQ", guard << 12 | opcode, 0)


def fixture(name):
    return sass.parse((FIXTURES / name).read_text(encoding="utf-8"))


def instructions(*lines):
    listing = "\n".join(f"        /*{16 * i:04x}*/    {line} ;" for i, line in enumerate(lines))
    return sass.parse(listing)[""]


def one(line):
    return instructions(line)[0]


# ------------------------------------------------------------------------------------------------------------- reading


def test_a_listing_with_live_registers_and_labels():
    found = fixture("add_f32.cuda.sm_90a.txt")
    assert list(found) == ["add_f32"]
    listing = found["add_f32"]
    assert [i.offset for i in listing] == list(range(0, 0x150, 16))
    assert listing[7] == Instruction(0x70, "@P0", "EXIT", "", 2)
    assert listing[13].text() == "LDG.E R3, [R2.64]"
    assert listing[-1].text() == "BRA 0x140"  # a label, there `(.L_x_0)
    assert sass.live_registers(listing) == 8


def test_a_listing_of_bare_code():
    listing = fixture("add_f32.vulkan.descriptors.txt")[""]
    assert listing[6].operands == "P0, PT, R0, c[0x0][0x38], PT"  # .reuse is gone
    assert listing[12].predicate == "@!P0"
    assert sass.live_registers(listing) is None


def test_data_and_comments_are_no_instructions():
    lines = ['\t.section\t.nv.info,"",@"SHT_CUDA_INFO"', "        /*0000*/ \t.byte\t0x04, 0x2f", "        /*0002*/ \t.short\t(.L_2)"]
    assert sass.parse("\n".join(lines)) == {}


def test_several_kernels_of_one_file():
    a = ['\t.section\t.text.a,"ax",@progbits', ".L_x_0:", "  /*0000*/ BRA `(.L_x_0) ;"]
    b = ['\t.section\t.text.b,"ax",@progbits', "  /*0000*/ EXIT ;"]
    found = sass.parse("\n".join(a + b))
    assert {name: [i.text() for i in listing] for name, listing in found.items()} == {"a": ["BRA 0x0"], "b": ["EXIT"]}


def test_what_nvdisasm_left_out_is_put_back():
    code = word(0x947) + VIADD + word(0x123, guard=0x9) + word(0x94D) + SELF_BRANCH_90 + NOP * 3
    printed = [Instruction(0, "", "BRA", "0x30"), Instruction(48, "", "EXIT", "")]
    found = sass.complete(printed, code)
    assert [i.text() for i in found] == ["BRA 0x30", "VIADD R2, R20, 0xffffffff", "@!P1 UNKNOWN.0x123", "EXIT"]
    assert [i.recovered for i in found] == [False, True, True, False]
    assert sass.kind(found[2]) == "unknown"
    assert sass.live_registers(found) is None


@pytest.mark.parametrize(("low", "text"), [
    (0xFFFFFFFF14027836, "VIADD R2, R20, 0xffffffff"),
    (0x0001990009097A36, "VIADD R9, R9, c[0x0][0x664]"),  # driver 580: a push constant
    (0x0000000301027848, "VIMNMX R2, R1, 0x3"),
    (0x0000000503047236, "VIADD R4, R3, R5"),
    (0x0000003F03040C36, "@P0 VIADD R4, R3, URZ"),
])  # fmt: skip
def test_what_nvdisasm_leaves_out_is_named(low: int, text: str) -> None:
    (found,) = sass.complete([], struct.pack("<QQ", low, 0))
    assert found.text() == text and found.recovered


def test_a_listing_of_other_code_is_refused():
    with pytest.raises(sass.ListingError, match="0x20"):
        sass.complete([Instruction(0x20, "", "EXIT", "")], NOP * 2)
    with pytest.raises(sass.ListingError, match="multiple"):
        sass.complete([], b"12345")


def test_the_text_is_offset_predicate_opcode_operands():
    found = sass.complete([Instruction(0, "@P0", "LDG.E", "R3, [R2.64]")], word(0x981) + VIADD)
    assert sass.text(found).splitlines() == ["0000    @P0 LDG.E R3, [R2.64]", "0010        VIADD R2, R20, 0xffffffff  // left out by nvdisasm, read from its bits"]


# ------------------------------------------------------------------------------------------------------------- sorting


@pytest.mark.parametrize("line, kind", [
    ("LDG.E.128 R4, [R2.64]", "load"),
    ("LD.E R0, [R2.64]", "generic_load"),
    ("STG.E.STRONG.SM [R2.64], R5", "store"),
    ("LDC.64 R2, c[0x0][0x210]", "constant_load"),
    ("ULDC UR4, c[0x0][0x0]", "constant_load"),
    ("MOV R1, c[0x0][0x28]", "move"),
    ("IMAD.MOV.U32 R6, RZ, RZ, 0x4", "move"),
    ("CS2R R8, SRZ", "move"),
    ("CS2R R8, SR_CLOCKLO", "special"),
    ("IMAD R7, R7, UR4, R0", "other"),
    ("IMAD.WIDE.U32 R2, R7, 0x10, R2", "address"),
    ("LEA.HI.X R3, R0, c[0x0][0x164], RZ, 0x2, P0", "address"),
    ("IADD3 R2, P0, R2, c[0x0][0x160], RZ", "address"),
    ("IMAD.X R3, R5, 0x1, R7, P0", "address"),  # the upper half of an addition, by the unit that multiplies
    ("IADD3 R4, -R9, 0x3f, RZ", "other"),
    ("ISETP.GE.U32.AND P0, PT, R9, UR4, PT", "compare"),
    ("@P0 EXIT", "branch"),
    ("BAR.SYNC.DEFER_BLOCKING 0x0", "barrier"),
    ("MEMBAR.SC.GPU", "fence"),
    ("RED.E.ADD.STRONG.GPU [R2.64], R5", "atomic"),
    ("LDGSTS.E.BYPASS.128 [R1], [R2.64]", "async_copy"),
    ("S2R R0, SR_TID.X", "special"),
    ("ELECT P0, URZ, PT", "election"),
    ("UTCHMMA gdesc[UR4], gdesc[UR6], tmem[UR8], tmem[UR10], idesc[UR11], UPT", "tensor_product"),
    ("UTCQMMA.2CTA gdesc[UR4], gdesc[UR6], tmem[UR8], tmem[UR10], idesc[UR11], UPT", "tensor_product"),
    ("LDTM.x32 R4, tmem[UR4]", "tensor_memory"),
    ("UTCBAR.MULTICAST [UR4], URZ, UR6", "tensor_memory"),
    ("UTCATOMSWS.FIND_AND_SET.ALIGN UP0, UR4, UR4", "tensor_memory"),
    ("UGETNEXTWORKID.BROADCAST [UR4], [UR6]", "work_request"),
    ("FROBNICATE R0", "unknown"),
    ("LDGX R0, [R2.64]", "unknown"),
])  # fmt: skip
def test_kinds(line, kind):
    assert sass.kind(one(line)) == kind


@pytest.mark.parametrize("line, width, strength, constant, hints", [
    ("LDG.E R0, [R2.64]", 32, "", False, ""),
    ("LDG.E.U8 R0, [R2.64]", 8, "", False, ""),
    ("LDG.E.ENL2.256 R8, R4, [R2.64]", 256, "", False, ""),
    ("STG.E.EFL2.256.STRONG.GPU [R2.64], R4, R8", 256, "STRONG.GPU", False, "EFL2"),
    ("LDG.E.512 R0, [R2.64]", 0, "", False, ""),
    ("REDG.E.ADD.F64.RN.STRONG.GPU [R2.64], R4", 64, "STRONG.GPU", False, ""),
    ("REDG.E.ADD.F16x2.RN.STRONG.GPU [R2.64], R4", 32, "STRONG.GPU", False, ""),
    ("LDSM.16.M88.4 R4, [R2]", 128, "", False, ""),
    ("LDSM.16.M88 R4, [R2]", 32, "", False, ""),
    ("LDG.E.NA.LTC256B.128.CONSTANT R0, [R2.64]", 128, "", True, "NA.LTC256B"),
    ("LDG.E.LTC128B R0, [R2.64]", 32, "", False, "LTC128B"),
    ("LDG.E.MMIO.SYS R0, [R2.64]", 32, "MMIO.SYS", False, ""),
    ("STG.E.64.STRONG.GPU [R2.64], R4", 64, "STRONG.GPU", False, ""),
])  # fmt: skip
def test_accesses(line, width, strength, constant, hints):
    i = one(line)
    assert (sass.width(i), sass.strength(i)) == (width, strength)
    assert (sass.is_constant_kind(i), sass.cache_hints(i)) == (constant, hints)


@pytest.mark.parametrize("name", sorted(path.name for path in FIXTURES.glob("*.txt")))
def test_every_instruction_is_counted_once(name):
    (listing,) = fixture(name).values()
    counts = sass.count(sass.mark_roles(listing, descriptors=True), descriptors=True)
    assert sum(counts[column] for column in sass.EXCLUSIVE) == len(listing)


@pytest.mark.parametrize("line, columns", [
    ("LDG.E R0, [R2.64]", set()),
    ("LDG.E.STRONG.SM R0, [R2.64]", {"scope_cta"}),
    ("LD.E.STRONG.GPU R0, [R2.64]", {"scope_gpu"}),
    ("ATOMG.E.ADD.STRONG.SYS PT, R0, [R2.64], R5", {"scope_sys"}),
    ("LDG.E.MMIO.SYS R0, [R2.64]", {"scope_sys", "mmio"}),
    ("LDG.E.NA.LTC256B.CONSTANT R0, [R2.64]", {"no_allocate", "l2_prefetches"}),
    ("STG.E.EF [R2.64], R4", {"evict_first"}),
    ("MEMBAR.SC.CTA", {"scope_cta", "membars"}),
    ("MEMBAR.ALL.SYS", {"scope_sys", "membars"}),
    ("CCTL.IVALL", {"l1_invalidates"}),
    ("CCTL.E.PF2 [R2]", set()),
    ("IMAD.MOV.U32 R6, RZ, RZ, 0x4", set()),
])  # fmt: skip
def test_order_scope_and_place(line, columns):
    counts = sass.count(instructions(line), descriptors=False)
    wanted = {"membars", "l1_invalidates", *sass._MODIFIER_COLUMNS.values()}
    assert {column for column in wanted if counts[column]} == columns
    assert all(counts[column] == 1 for column in columns)


# --------------------------------------------------------------------------------------------------------------- roles


def roles(listing, descriptors):
    return {i.offset: set(i.roles) for i in sass.mark_roles(listing, descriptors=descriptors) if i.roles}


def test_roles_of_a_cuda_kernel():
    assert roles(fixture("add_f32.cuda.sm_90a.txt")["add_f32"], descriptors=False) == {
        0x00: {sass.STACK},
        0x60: {sass.CONSTANT_COMPARE},  # with the parameter count, through UR4
        0x80: {sass.POINTER},
        0x90: {sass.MEMORY_DESCRIPTOR},
        0xA0: {sass.POINTER},
        0xB0: {sass.POINTER},
    }


def test_roles_of_a_kernel_with_descriptors():
    assert roles(fixture("add_f32.vulkan.descriptors.txt")[""], descriptors=True) == {
        0x40: {sass.CONSTANT_COMPARE},  # the kernel's own: a push constant, behind no buffer's address
        0x60: {sass.CONSTANT_COMPARE, sass.LIMIT},
        0x70: {sass.POINTER},
        0x80: {sass.CONSTANT_COMPARE, sass.LIMIT},
        0x90: {sass.POINTER},
        0xD0: {sass.POINTER},
    }


def test_without_descriptors_nothing_is_a_limit():
    listing = fixture("add_f32.vulkan.addresses.txt")[""]
    found = roles(listing, descriptors=False)
    assert found == {0x30: {sass.CONSTANT_COMPARE}, 0x50: {sass.POINTER}, 0x60: {sass.POINTER}, 0xA0: {sass.POINTER}}
    assert sass.count(sass.mark_roles(listing, descriptors=False), descriptors=False)["descriptor_reads"] == 0
    assert sass.count(sass.mark_roles(listing, descriptors=False), descriptors=False)["pointer_reads"] == 3


def test_a_pointer_moved_in_halves():
    listing = instructions("MOV R2, c[0x0][0x168]", "MOV R3, c[0x0][0x16c]", "LDG.E R0, [R2.64]")
    assert roles(listing, descriptors=False) == {0: {sass.POINTER}, 16: {sass.POINTER}}


def test_a_memory_descriptor_where_the_listing_prints_it():
    listing = instructions("ULDC.64 UR4, c[0x0][0x208]", "LDG.E R0, desc[UR4][R2.64]", "ULDC.64 UR4, c[0x0][0x210]",
                           "LDG.E R1, [UR4]")  # fmt: skip
    assert roles(listing, descriptors=False) == {0: {sass.MEMORY_DESCRIPTOR}, 32: {sass.POINTER}}


# --------------------------------------------------------------------------------------------------------------- bytes


@pytest.mark.parametrize("branch", [SELF_BRANCH_86, SELF_BRANCH_90])
def test_padding(branch):
    code = word(0x918) + word(0x94D)  # a NOP that something follows is no padding
    assert sass_cubin.without_padding(code + branch + NOP * 5) == code
    assert sass_cubin.without_padding(code) == code
    assert sass_cubin.without_padding(code + word(0x947)) == code + word(0x947)  # a branch elsewhere
    assert sass_cubin.without_padding(b"123") == b"123"


def test_hash():
    assert sass_cubin.isa_hash(b"a") == "af63dc4c8601"  # the published 64-bit FNV-1a of "a": af63dc4c8601ec8c
    assert sass_cubin.isa_hash(b"") == ""
    assert sass_cubin.isa_hash(word(0x94D) + SELF_BRANCH_90 + NOP) == sass_cubin.isa_hash(word(0x94D))


def test_what_is_wrapped_can_be_taken_out():
    code = word(0x981) + word(0x94D)
    found = sass_cubin.functions(sass_cubin.wrap(code, 90, "add_f32"))
    assert found == {"add_f32": sass_cubin.Function("add_f32", code, None)}


def test_a_damaged_cubin_is_an_error_and_nothing_worse():
    good = sass_cubin.wrap(word(0x981) * 4, 90)
    choose = random.Random(1)
    for length in range(0, len(good), 7):
        with pytest.raises(sass_cubin.CubinError):
            sass_cubin.functions(good[:length])
    for _ in range(2000):
        bad = bytearray(good)
        for _ in range(choose.randrange(1, 8)):
            bad[choose.randrange(len(bad))] = choose.randrange(256)
        try:
            sass_cubin.functions(bytes(bad))
        except sass_cubin.CubinError:
            pass


def test_what_is_not_known_is_told() -> None:
    listing = instructions("LDG.E.512 R0, [R2.64]", "LDG.E.ENL2.256 R8, R4, [R2.64]", "FROBNICATE.X R0", "LDS.512 R0, [R2]", "STG.E [R2.64], R0")
    counts = sass.count(listing, descriptors=False)
    assert (counts["ldg_256"], counts["ldg_32"], counts["stg_32"], counts["unknown"], counts["lds"]) == (1, 0, 1, 2, 1)
    assert [sass.strangeness(i) for i in listing] == ["LDG.E.512", "", "FROBNICATE", "LDS.512", ""]


def test_a_load_of_256_bits_writes_two_runs_of_registers() -> None:
    assert sass.written(one("LDG.E.ENL2.256 R16, R4, [R2.64]")) == ("R16", "R17", "R18", "R19", "R4", "R5", "R6", "R7")


def test_two_sections_of_one_name_are_refused() -> None:
    one_section = sass_cubin.wrap(NOP, 90, "k")
    renamed = one_section.replace(b".strtab\0.symtab", b".text.k\0.symtab")
    assert list(sass_cubin.functions(one_section)) == ["k"]
    with pytest.raises(sass_cubin.CubinError, match="more than one section .text.k"):
        sass_cubin.functions(renamed)
