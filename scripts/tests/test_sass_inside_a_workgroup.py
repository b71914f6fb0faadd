"""exp09: what the compiler makes of barriers, subgroup operations and shared memory, on sm_90a. No GPU. See test_sass_golden.py."""

import re

import pytest
from test_sass_golden import compiled  # noqa: F401

SHARED, BARRIER, SUBGROUPS = (f"exp09_inside_a_workgroup/{name}" for name in ("shared_memory", "barrier", "subgroups"))
BAR = "BAR.SYNC.DEFER_BLOCKING"
DEVICE_FENCE = ["MEMBAR.SC.GPU", "ERRBAR", "CGAERRBAR", "CCTL.IVALL"]


@pytest.fixture(scope="module")
def kernel(compiled):  # noqa: F811
    """kernel(BARRIER, "barrier", "none_alone"): its opcodes."""
    return lambda experiment, stem, name: [instruction.opcode for instruction in compiled(experiment, stem)[name]]


def only(opcodes, pattern):
    return [opcode for opcode in opcodes if re.match(rf"(?:{pattern})\b", opcode)]


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("none", []), ("barrier", [BAR]), ("named", [BAR]), ("named_count", [BAR]), ("unaligned", [BAR]),
        ("barrier_or", ["BAR.RED.OR.DEFER_BLOCKING"]), ("threadfence_block", ["MEMBAR.SC.CTA"]),
        ("threadfence_block_then_barrier", ["MEMBAR.SC.CTA", BAR]), ("fence_block", ["MEMBAR.ALL.CTA"]),
        ("fence_block_then_barrier", ["MEMBAR.ALL.CTA", BAR]), ("barrier_device", ["MEMBAR.ALL.GPU", *DEVICE_FENCE[1:], BAR]), ("subgroup", []),
    ],
)  # fmt: skip
def test_barriers(kernel, name, wanted):
    """09.9. Four waits a turn."""
    stem = "barrier_device" if name == "barrier_device" else "barrier"
    assert only(kernel(BARRIER, stem, f"{name}_alone"), "BAR|MEMBAR|ERRBAR|CGAERRBAR|CCTL") == wanted * 4


@pytest.mark.parametrize("name", ["mbarrier_exchange", "mbarrier_warp_exchange"])
def test_an_mbarrier_orders_without_a_fence(kernel, name):
    """An arrival and two looks a wait; the second is in the loop that ends in vain."""
    code = kernel(BARRIER, "mbarrier", name)
    assert only(code, "MEMBAR|ERRBAR|CGAERRBAR|CCTL") == []
    assert only(code, r"SYNCS\.(?:ARRIVE|PHASECHK)") == ["SYNCS.ARRIVE.TRANS64.A1T0", *["SYNCS.PHASECHK.TRANS64.TRYWAIT"] * 2] * 4
    assert "MEMBAR.ALL.CTA" in kernel(BARRIER, "release_acquire", "release_acquire_exchange")


@pytest.mark.parametrize(
    ("stem", "name", "wanted"),
    [
        ("basic", "none", []), ("basic", "broadcast", ["SHFL.IDX"]), ("basic", "ballot", ["VOTE.ANY"]), ("basic", "all", ["VOTE.ALL"]),
        ("basic", "any", ["VOTE.ANY"]), ("basic", "add", ["REDUX.SUM"]), ("basic", "min", ["REDUX.MIN"]), ("basic", "and", ["REDUX"]),
        ("basic", "add_float", ["SHFL.BFLY"] * 5), ("basic", "exclusive_add", ["SHFL.UP"] * 5), ("more", "shuffle", ["SHFL.IDX"]),
        ("more", "shuffle_xor", ["SHFL.BFLY"]), ("more", "shuffle_up", ["SHFL.UP"]), ("more", "rotate", ["SHFL.IDX"]),
        ("basic", "inclusive_add", ["SHFL.UP"] * 5), ("rotate", "subgroup_rotate", ["SHFL.IDX"]), ("groups", "tile_shuffle", ["SHFL.IDX"]),
        ("groups", "tile_ballot", ["VOTE.ANY"]), ("groups", "tile_add", ["REDUX.SUM"]), ("groups", "tile_add_float", ["SHFL.BFLY"] * 5),
        ("groups", "tile_inclusive_add", ["SHFL.UP"] * 5), ("groups", "tile_exclusive_add", ["SHFL.UP"] * 5), ("more", "add_shuffles", ["SHFL.BFLY"] * 5), ("more", "clustered_add", ["SHFL.BFLY"] * 3), ("more", "quad_swap", ["SHFL.BFLY"]),
    ],
)  # fmt: skip
def test_subgroup_operations(kernel, stem, name, wanted):
    """09.14, 09.15, 09.40. Eight operations a turn, and four chains of them."""
    assert only(kernel(SUBGROUPS, stem, f"chain_{name}_all"), "SHFL|VOTEU?|REDUX|CREDUX") == wanted * 8
    assert len(only(kernel(SUBGROUPS, stem, f"rate_{name}_all"), "SHFL|VOTEU?|REDUX|CREDUX")) == len(wanted) * 32


def test_coalesced_threads_are_asked_for(kernel):
    """09.42. Behind a branch each sum has a vote before it, and a way for lanes that do not come together."""
    found = kernel(SUBGROUPS, "groups", "chain_coalesced_add_even")
    assert len(only(found, "VOTE")) == 8 and len(only(found, "BRA.DIV")) == 8
    assert only(kernel(SUBGROUPS, "basic", "chain_add_even"), "VOTE") == []


def test_a_tile_of_eight_lanes_has_its_shuffles_guarded(kernel):
    """09.41."""
    assert "WARPSYNC.COLLECTIVE" in kernel(SUBGROUPS, "groups", "chain_tile_clustered_add_all")
    assert "WARPSYNC.COLLECTIVE" not in kernel(SUBGROUPS, "more", "chain_clustered_add_all")


@pytest.mark.parametrize(("stem", "name", "wanted"), [
    ("read_4", "read_4", "LDS"), ("read_8", "read_8", "LDS.64"), ("read_16", "read_16", "LDS.128"),
    ("structs_aos", "structs_aos_1", "LDS"), ("structs_aos", "structs_aos_4", "LDS.128"), ("structs_vec4", "structs_vec4_4", "LDS.128"),
])  # fmt: skip
def test_reads_of_shared_memory(kernel, stem, name, wanted):
    """09.1, 09.2, 09.7. Eight a turn: four words of one aligned structure are one read."""
    assert only(kernel(SHARED, stem, name), "LDS") == [wanted] * 8
