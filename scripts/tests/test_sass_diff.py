"""Aligning two listings, and naming what differs."""

import random

import pytest
from test_sass import fixture, instructions

from benchlib.sass import sass, sass_diff
from benchlib.sass.sass_diff import ListingSide


def side(title, listing, descriptors=False):
    # The branch to itself at the end is padding.
    listing = [i for i in listing if i.opcode != "NOP" and i.text() != f"BRA {i.offset:#x}"]
    return ListingSide(title, sass.mark_roles(listing, descriptors=descriptors), descriptors)


def cuda():
    return side("CUDA", fixture("add_f32.cuda.sm_90a.txt")["add_f32"])


def vulkan(how="descriptors"):
    return side("Vulkan", fixture(f"add_f32.vulkan.{how}.txt")[""], descriptors=how == "descriptors")


def test_a_listing_answers_itself():
    found = sass_diff.compare(cuda(), cuda())
    assert [row.mark for row in found.rows] == [" "] * 20
    assert found.counts == {}
    assert sass_diff.summary(found) == "the same 20 instructions; same loads and stores (2 x 32-bit load, 1 x 32-bit store)"


def test_descriptors_against_cuda():
    found = sass_diff.compare(cuda(), vulkan())
    assert found.same_memory and not found.same_opcodes
    assert found.counts[sass_diff.BOUNDS_CHECK] == (0, 2)
    assert found.counts[sass_diff.LOAD_KIND] == (0, 2)
    assert found.counts[sass_diff.STORE_STRENGTH] == (0, 1)
    assert found.counts[sass_diff.GUARD] == (0, 2)
    assert found.counts[sass_diff.STACK] == (1, 0)
    assert found.counts[sass_diff.MEMORY_DESCRIPTOR] == (1, 0)
    assert found.counts[sass_diff.DESCRIPTOR_READ] == (0, 3)
    assert found.counts[sass_diff.PARAMETER_READ] == (3, 0)
    assert sass_diff.ADDRESS not in found.counts
    assert sass_diff.summary(found).startswith(
        "CUDA 20, Vulkan 19 instructions; same loads and stores (2 x 32-bit load, 1 x 32-bit store); Vulkan has 2 CONSTANT loads, "
        "1 STRONG store, 2 bounds checks, 3 descriptor reads and 2 predicated instructions more; CUDA has 3 pointer parameter reads, "
        "1 memory descriptor read"
    )


def test_loads_and_stores_stand_beside_each_other():
    for row in sass_diff.compare(cuda(), vulkan()).rows:
        for one, other in ((row.left, row.right), (row.right, row.left)):
            if one and sass.kind(one) in ("load", "store"):
                assert other and other.base == one.base


def test_both_sides_keep_their_order_and_lose_nothing():
    choose = random.Random(2)
    pool = vulkan().instructions
    for _ in range(50):
        left, right = (choose.sample(pool, choose.randrange(len(pool))) for _ in range(2))
        for rows in (sass_diff.align(left, right), sass_diff._align_by_blocks(left, right)):
            assert [row.left for row in rows if row.left] == left
            assert [row.right for row in rows if row.right] == right


def test_no_other_alignment_answers_better():
    """Against the recurrence as it is in the textbook, cell by cell."""
    choose = random.Random(3)
    pool = [*cuda().instructions, *vulkan().instructions]
    for _ in range(50):
        left, right = (choose.choices(pool, k=choose.randrange(25)) for _ in range(2))
        best = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
        for i, a in enumerate(left, start=1):
            for j, b in enumerate(right, start=1):
                score = sass_diff.likeness(sass_diff.traits(a), sass_diff.traits(b))
                best[i][j] = max(best[i - 1][j], best[i][j - 1], best[i - 1][j - 1] + score)
        answering = [(row.left, row.right) for row in sass_diff.align(left, right) if row.left and row.right]
        scores = [sass_diff.likeness(sass_diff.traits(a), sass_diff.traits(b)) for a, b in answering]
        assert sum(scores) == best[-1][-1] and all(scores)


def test_moved_instructions_are_no_difference():
    left = instructions("S2R R0, SR_TID.X", "FADD R1, R2, R3", "EXIT")
    right = instructions("FADD R1, R2, R3", "S2R R0, SR_TID.X", "EXIT")
    found = sass_diff.compare(ListingSide("CUDA", left), ListingSide("Vulkan", right))
    assert found.counts == {} and found.same_opcodes
    assert sum(row.moved for row in found.rows) == 2


@pytest.mark.parametrize(
    "left, right, name, counts",
    [
        ("LDG.E R0, [R2.64]", "LDG.E.128 R0, [R2.64]", sass_diff.ACCESS_WIDTH, (1, 1)),
        ("LDG.E R0, [R2.64]", "LDG.E.STRONG.SM R0, [R2.64]", sass_diff.LOAD_STRENGTH, (0, 1)),
        ("STG.E.STRONG.GPU [R2.64], R0", "STG.E [R2.64], R0", sass_diff.STORE_STRENGTH, (1, 0)),
        ("LDG.E.EF R0, [R2.64]", "LDG.E R0, [R2.64]", sass_diff.CACHE_HINT, (1, 0)),
        ("IMAD.WIDE R2, R0, 0x4, R4", "LEA R2, P0, R0, R4, 0x2", sass_diff.FORM, (1, 1)),
        ("MOV R0, R1", "FADD R0, R1, R2", sass_diff.ARITHMETIC, (0, 1)),
        ("MOV R0, R1", "MEMBAR.SC.GPU", sass_diff.FENCE, (0, 1)),
        ("MOV R0, R1", "BAR.SYNC 0x0", sass_diff.BARRIER, (0, 1)),
        ("MOV R0, R1", "STG.E [R2.64], R0", sass_diff.EXTRA_ACCESS, (0, 1)),
        ("MOV R0, R1", "ISETP.GE.AND P0, PT, R0, R1, PT", sass_diff.COMPARE, (0, 1)),
    ],
)
def test_names(left, right, name, counts):
    found = sass_diff.compare(ListingSide("CUDA", instructions(left)), ListingSide("Vulkan", instructions(right)))
    assert found.counts[name] == counts


def test_a_missing_store_shows():
    less = ListingSide("Vulkan", [i for i in cuda().instructions if i.base != "STG"])
    found = sass_diff.compare(cuda(), less)
    assert not found.same_memory
    assert found.counts == {sass_diff.EXTRA_ACCESS: (1, 0)}
    assert "different loads and stores (CUDA: 2 x 32-bit load, 1 x 32-bit store; Vulkan: 2 x 32-bit load)" in sass_diff.summary(found)
    assert sass_diff.summary(found).endswith("CUDA has 1 memory access more")


def test_long_listings_are_aligned_in_blocks(monkeypatch):
    monkeypatch.setattr(sass_diff, "_MOST_CELLS", 1)
    found = sass_diff.compare(cuda(), vulkan())
    assert found.same_memory
    assert len([row for row in found.rows if row.left]) == 20


def test_the_work_for_long_listings_grows_with_their_length(monkeypatch: pytest.MonkeyPatch) -> None:
    """100,000 instructions a side: the cells of all tables that are filled, as no test here asserts a time. Without limit they are 10^10."""
    cells = []
    aligned = sass_diff._align
    monkeypatch.setattr(sass_diff, "_align", lambda left, right, by: cells.append(len(left) * len(right)) or aligned(left, right, by))
    pool = [*cuda().instructions, *vulkan().instructions]
    choose = random.Random(4)
    long = choose.choices(pool, k=100_000)
    for other in (long, [i for i in long if choose.random() > 0.02], choose.choices(pool, k=100_000)):
        cells.clear()
        found = sass_diff.compare(ListingSide("CUDA", long), ListingSide("Vulkan", other))
        assert sum(cells) <= 4 * sass_diff._MOST_CELLS
        assert [row.left for row in found.rows if row.left] == long and [row.right for row in found.rows if row.right] == other
        if other is not long:
            assert any(row.names for row in found.rows)
    assert sass_diff.compare(ListingSide("CUDA", long), ListingSide("Vulkan", long)).counts == {}


def test_what_is_missing_from_a_long_listing_shows() -> None:
    long = random.Random(5).choices([*cuda().instructions, *vulkan().instructions], k=3000)
    gone = [at for at, i in enumerate(long) if i.base == "STG"][7]
    found = sass_diff.compare(ListingSide("CUDA", long), ListingSide("Vulkan", long[:gone] + long[gone + 1 :]))
    assert found.counts == {sass_diff.EXTRA_ACCESS: (1, 0)} and [at for at, row in enumerate(found.rows) if row.mark != " "] == [gone]


def test_an_access_of_256_bits_is_none_of_32() -> None:
    wide, narrow = ListingSide("CUDA", instructions("LDG.E.ENL2.256 R8, R4, [R2.64]")), ListingSide("Vulkan", instructions("LDG.E R8, [R2.64]"))
    found = sass_diff.compare(wide, narrow)
    assert not found.same_memory and found.counts == {sass_diff.ACCESS_WIDTH: (1, 1)}
    strange = sass_diff.compare(ListingSide("CUDA", instructions("LDG.E.512 R8, [R2.64]")), narrow)
    assert not strange.same_memory and "1 x load of unknown width" in sass_diff.summary(strange)
