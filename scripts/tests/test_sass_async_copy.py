"""exp06_async_copy: the instructions that copy, and the fences that are there or left out, on sm_90a. No GPU."""

import pytest
from test_sass_golden import compiled  # noqa: F401

FOLDER = "exp06_memory_model/async_copy"
SHOWN = ("UTMALDG", "UTMASTG", "UBLKCP", "LDGSTS", "LDG", "STG", "FENCE", "MEMBAR", "DEPBAR", "BAR")


@pytest.fixture(scope="module")
def kernel(compiled):  # noqa: F811
    """kernel("tma_tile", "tma_tile_read_wait"): the opcodes of SHOWN in it."""
    return lambda stem, name: [i.opcode for i in compiled(FOLDER, stem)[name] if i.base in SHOWN]


def test_mechanisms(kernel):
    """06.14: what brings a tile into shared memory, and that nothing else does."""
    loads = {
        "overlap_plain": (["LDG.E.128.CONSTANT"], 4),
        "overlap_staged": (["LDG.E.128.CONSTANT"], 4),
        "overlap_prefetched": (["LDG.E.128.CONSTANT"], 8),
        "overlap_cp_async": (["LDGSTS.E.BYPASS.128"], 8),
        "overlap_tma": (["UTMALDG.2D"], 2),
        "overlap_producer": (["UBLKCP.S.G"], 1),
    }
    for stem, (opcodes, least) in loads.items():
        found = [o for o in kernel(stem, f"{stem}_4" if stem == "overlap_cp_async" else stem)]
        copies = [o for o in found if o.startswith(("LDG", "UTMALDG", "UBLKCP"))]
        assert set(copies) == set(opcodes) and len(copies) >= least, stem


def test_prefetched_loads_are_issued_before_the_tile_is_computed_on(kernel):
    found = [o for o in kernel("overlap_prefetched", "overlap_prefetched") if o.startswith(("LDG", "BAR"))]
    # The loads only read, so the compiler may move them across the barrier in front of the computing: never behind the one after it.
    assert sorted(found[4:10]) == sorted(["BAR.SYNC.DEFER_BLOCKING", *["LDG.E.128.CONSTANT"] * 4, "BAR.SYNC.DEFER_BLOCKING"]) and found[9].startswith("BAR")


FENCE = ["MEMBAR.ALL.CTA", "FENCE.VIEW.ASYNC.S"]


@pytest.mark.parametrize(
    ("left_out", "fences", "waits"),
    [
        ("", 3, 2),
        ("_load_wait", 3, 2),
        ("_store_barrier", 3, 2),
        ("_others_fence", 3, 2),
        ("_store_fence", 2, 2),
        ("_load_fence", 2, 2),
        ("_init_fence", 2, 2),
        ("_read_wait", 3, 1),
    ],
)
def test_fences_of_the_tile(kernel, left_out, fences, waits):
    """06.15: a proxy fence is a fence of the block's scope and one of views; ptxas adds a view's before mbarrier.init."""
    found = kernel("tma_tile", f"tma_tile{left_out}")
    assert found.count("MEMBAR.ALL.CTA") == fences
    assert found.count("FENCE.VIEW.ASYNC.S") == fences + 1
    assert found.count("DEPBAR.LE") == waits
    assert found.count("UTMALDG.2D") == found.count("UTMASTG.2D") == 1


def test_nothing_fences_between_store_and_copy_where_the_fence_is_left_out(kernel):
    def between(name, first, last):
        found = kernel("tma_tile", name)
        end = found.index(last)
        begin = max(i for i, o in enumerate(found[:end]) if o.startswith(first))
        return found[begin:end]

    assert between("tma_tile", "BAR.RED", "UTMASTG.2D")[1:] == [*FENCE, "BAR.SYNC.DEFER_BLOCKING"]
    assert between("tma_tile_store_fence", "BAR.RED", "UTMASTG.2D")[1:] == ["BAR.SYNC.DEFER_BLOCKING"]
    assert between("tma_tile_others_fence", "BAR.RED", "UTMASTG.2D")[1:] == ["BAR.SYNC.DEFER_BLOCKING", *FENCE]
    assert between("tma_tile_store_barrier", "BAR.RED", "UTMASTG.2D")[1:] == FENCE
    assert between("tma_tile_init_fence", "BAR.SYNC", "UTMALDG.2D")[1:] == ["FENCE.VIEW.ASYNC.S"]
    # The last fence before the block's barrier is the one of the barrier's initialisation.
    assert between("tma_tile_load_fence", "FENCE", "UTMALDG.2D")[1:] == ["BAR.SYNC.DEFER_BLOCKING"]


@pytest.mark.parametrize("name", ["copy_bulk_interleaved_4", "copy_bulk_taken_4_both_first"])
def test_bulk_copies_go_by_no_register(kernel, name):
    found = kernel("copy_bulk", name)
    assert {o for o in found if o.startswith(("UBLKCP", "LDG", "STG"))} == {"UBLKCP.S.G", "UBLKCP.G.S"}
