"""exp09_atomics and exp09_reduce_scan: what their CUDA kernels are meant to ask of memory, on sm_90a. No GPU. See test_sass_golden.py."""

import pytest
from test_sass_memory_model import compiled, kernel, opcodes  # noqa: F401

ATOMICS = "exp09_inside_a_workgroup/atomics"
SCAN = "exp09_inside_a_workgroup/reduce_scan"


def atomics(instructions):
    return {i.base for i in instructions if i.base in ("RED", "REDG", "ATOM", "ATOMG", "ATOMS")}


@pytest.mark.parametrize("type_", ["i32", "known_i32", "i64", "f32", "f64", "f16x2"])
def test_an_addition_that_nobody_asks_back_is_a_reduction(kernel, type_):  # noqa: F811
    assert atomics(kernel(ATOMICS, "atomic_global", f"global_add_{type_}")) <= {"RED", "REDG"}


@pytest.mark.parametrize("type_", ["i32", "known_i32", "i64", "f32", "f64", "f16x2"])
def test_an_addition_whose_result_is_used_is_an_atomic(kernel, type_):  # noqa: F811
    assert atomics(kernel(ATOMICS, "atomic_global", f"global_add_{type_}_used")) <= {"ATOM", "ATOMG"}


def test_a_warp_adds_once_where_the_source_shows_one_address(kernel):  # noqa: F811
    codes = [kernel(ATOMICS, "atomic_global", f"global_add_{name}") for name in ("known_i32", "known_i32_used", "i32")]
    assert [opcodes(code, "VOTE", "VOTEU") for code in codes] == [["VOTEU.ANY"], ["VOTEU.ANY"], []]


def test_floats_in_shared_memory_are_loops_of_compare_and_swaps(kernel):  # noqa: F811
    assert all(".CAS" not in opcode for opcode in opcodes(kernel(ATOMICS, "atomic_shared", "shared_add_i32"), "ATOMS"))
    assert any(".CAS" in opcode for opcode in opcodes(kernel(ATOMICS, "atomic_shared", "shared_add_f32"), "ATOMS"))


def test_two_halves_are_added_by_the_l2_and_in_shared_memory_by_a_loop(kernel):  # noqa: F811
    """09.47, 09.48. CUDA's own atomicAdd(__half2*) asks of each address which memory it is in, and has both."""
    assert opcodes(kernel(ATOMICS, "atomic_global", "global_add_f16x2"), "REDG") == ["REDG.E.ADD.F16x2.RN.STRONG.GPU"]
    assert opcodes(kernel(ATOMICS, "atomic_shared", "shared_add_f16x2"), "ATOMS") == ["ATOMS.CAST.SPIN"]
    generic = opcodes(kernel(ATOMICS, "atomic_global", "global_add_generic_f16x2"), "QSPC", "ATOM", "ATOMS", "RED", "REDG")
    assert sorted(generic) == ["ATOM.E.ADD.F16x2.RN.STRONG.GPU", "ATOMS.CAST.SPIN", "QSPC.E.S"]


def test_the_least_of_two_halves_is_an_instruction(kernel):  # noqa: F811
    assert opcodes(kernel(ATOMICS, "global_min_f16x2", "global_min_f16x2"), "REDG") == ["REDG.E.MIN.F16x2.RN.STRONG.GPU"]


def test_look_back_releases_and_acquires(kernel):  # noqa: F811
    code = kernel(SCAN, "scan", "scan_look_back")
    found = opcodes(code, "MEMBAR", "CCTL")
    assert found.count("MEMBAR.ALL.GPU") == 2, "one release for the tile's sum, one for its prefix"
    assert "CCTL.IVALL" in found


def test_one_word_needs_no_fence(kernel):  # noqa: F811
    code = kernel(SCAN, "scan", "scan_look_back_packed")
    assert opcodes(code, "MEMBAR", "CCTL") == []
    assert opcodes(code, "STG").count("STG.E.64.STRONG.GPU") == 2
    assert "LDG.E.64.STRONG.GPU" in opcodes(code, "LDG")
