"""AMD's and NVK's listings as Mesa writes them: read, counted, written again."""

from __future__ import annotations

from collections import Counter

import pytest
from benchlib.sass import amd_isa, nak

# exp01_vector_add's add_f32 by RADV 26.2.6 for gfx1100.
RDNA3 = """BB0:
\tv_lshl_add_u32 v0, s2, 6, v0                                ; d6460000 04010c02
\ts_delay_alu instid0(VALU_DEP_1)                             ; bf870001
\tv_cmpx_gt_u32_e32 s1, v0                                    ; 7d980001
\ts_cbranch_execz BB6                                         ; bfa50010
BB1:
\ts_clause 0x1                                                ; bf850001
\ts_load_b256 s[8:15], s[0:1], null                           ; f40c0200 f8000000
\ts_waitcnt lgkmcnt(0)                                        ; bf89fc07
\tbuffer_load_b32 v1, v0, s[8:11], 0 offen                    ; e0500000 80420100
\ts_waitcnt vmcnt(0)                                          ; bf8903f7
\tv_add_f32_e32 v1, v1, v2                                    ; 06020501
\tbuffer_store_b32 v1, v0, s[0:3], 0 offen                    ; e0680000 80400100
BB6:
\ts_endpgm                                                    ; bfb00000
\ts_code_end                                                  ; bf9f0000
(then repeated 15 times)
"""
# The same by LLVM (clang -S), for another chip.
LLVM = """add_f32:                                ; @add_f32
; %bb.0:
\ts_load_dwordx2 s[0:1], s[4:5], 0x0
\t.loc\t1 2 3
\tv_lshlrev_b64 v[0:1], 2, v[0:1]
\tv_add_co_u32 v2, vcc, s0, v0
\tglobal_load_dwordx4 v[4:7], v[2:3], off glc
.LBB0_2:
\ts_endpgm
\t.section\t.rodata
"""


def test_an_instruction_has_its_words_and_its_label() -> None:
    listing = amd_isa.parse(RDNA3)
    assert len(listing) == 12, "what fills the end is no code"
    assert listing[0] == amd_isa.AmdInstruction("v_lshl_add_u32", "v0, s2, 6, v0", bytes.fromhex("000046d6020c0104"), "BB0")
    assert [one.label for one in listing if one.label] == ["BB0", "BB1", "BB6"]
    assert listing[-1] == amd_isa.AmdInstruction("s_endpgm", "", bytes.fromhex("0000b0bf"), "BB6")


def test_the_kinds_of_a_listing_are_all_of_it() -> None:
    counts = amd_isa.count(amd_isa.parse(RDNA3))
    expected = {
        "instructions": 12, "vector_loads": 1, "vector_stores": 1, "scalar_loads": 1, "waits": 2, "branches": 2, "exec_masks": 1, "hints": 2, "vector": 2,
        "loads_32": 1, "stores_32": 1, "by_descriptor": 2,
    }  # fmt: skip
    assert {name: number for name, number in counts.items() if number} == expected
    assert sum(counts[name] for name in (*amd_isa.KINDS, amd_isa.OTHER)) == counts["instructions"]


def test_llvms_text_is_read_likewise() -> None:
    counts = amd_isa.count(amd_isa.parse(LLVM))
    assert {name: number for name, number in counts.items() if number} == {
        "instructions": 5, "scalar_loads": 1, "address_64": 2, "vector_loads": 1, "branches": 1, "loads_128": 1, "by_address": 1, "past_l0": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]", "matrix"), ("v_dot4_i32_iu8 v0, v1, v2, v0", "dot"),
        ("ds_bpermute_b32 v0, v1, v2", "cross_lane_lds"), ("ds_add_u32 v0, v1", "atomics"), ("ds_load_b128 v[0:3], v4", "lds_loads"),
        ("ds_write_b64 v4, v[0:1]", "lds_stores"), ("global_atomic_add_u32 v0, v1, s[0:1]", "atomics"), ("buffer_gl0_inv", "cache_control"),
        ("global_inv scope:SCOPE_DEV", "cache_control"), ("v_add_f32_dpp v1, v0, v0 row_xmask:1 row_mask:0xf bank_mask:0xf", "cross_lane"),
        ("v_mov_b32_dpp v1, v0 quad_perm:[1,0,3,2]", "cross_lane"), ("v_permlanex16_b32 v1, v0, s0, s1", "cross_lane"), ("s_barrier", "barriers"),
        ("s_barrier_signal -1", "barriers"), ("s_wait_loadcnt 0x0", "waits"), ("s_getreg_b32 s0, hwreg(HW_REG_SHADER_CYCLES, 0, 20)", "clocks"),
        ("s_getreg_b32 s0, hwreg(HW_REG_HW_ID1)", "scalar"), ("s_and_saveexec_b32 s0, vcc_lo", "exec_masks"), ("s_mov_b32 exec_lo, s0", "exec_masks"),
        ("s_mov_b32 s0, exec_lo", "moves"), ("v_dual_mov_b32 v0, 0 :: v_dual_add_f32 v1, v2, v3", "moves"), ("v_cmp_gt_u32_e32 vcc_lo, s1, v0", "compares"),
        ("v_add_co_ci_u32_e64 v1, null, s1, v1, s2", "address_64"), ("scratch_load_b32 v0, off, s0", "scratch"), ("x_strange v0", amd_isa.OTHER),
    ],
)  # fmt: skip
def test_an_instruction_is_of_one_kind(text: str, kind: str) -> None:
    assert amd_isa.parse(f"\t{text}\n")[0].kind == kind


def test_a_listing_is_written_and_read_again() -> None:
    listing = amd_isa.parse(RDNA3)
    again = amd_isa.parse(amd_isa.as_text(listing))
    assert [(one.text, one.label) for one in again] == [(one.text, one.label) for one in listing]
    assert amd_isa.count(again) == amd_isa.count(listing)


NAK = """block.u 0 L1 [] -> {
      ur0   = s2r sr[0x25]                               // delay=1 wr:0
      p0    = isetp.lt.u32 r0 c[0x0][0x700]              // delay=13
@!p0          exit                                       // delay=1
} -> [1]
block 1 L3 [0] -> {
      r2 p0 = iadd3 r0 c[0x1][0x0] rZ                    // delay=13
      r3    = iadd3.x rZ c[0x1][0x4] rZ p0 pF            // delay=13
      r1    = ld.global.a64.constant.b32 [r2..4+rZ], pT  // delay=4 rd:0 wr:1
      r1    = lop3.LUT[0x96] r1 r2 r15                   // delay=5
              st.global.a64.strong.gpu.b32 [r2..4+rZ] r1 // delay=2 rd:0
              exit                                       // delay=1 wt=000001
} -> []
"""


def test_nvks_notation_is_read_counted_and_written() -> None:
    listing = nak.parse(NAK)
    assert listing[2] == nak.NakInstruction("@!p0", "", "exit", "")
    assert listing[3] == nak.NakInstruction("", "r2 p0", "iadd3", "r0 c[0x1][0x0] rZ", "block 1")
    assert listing[7].opcode == "st.global.a64.strong.gpu.b32"
    kinds = {"special_registers": 1, "compares": 1, "branches": 2, "address_64": 1, "arithmetic": 2, "loads": 1, "stores": 1}
    assert Counter(one.kind for one in listing) == kinds
    assert {name: number for name, number in nak.count(listing).items() if number} == {"instructions": 9, **kinds, "loads_32": 1, "stores_32": 1}
    again = nak.parse(nak.as_text(listing))
    assert again == listing
