"""The time floor against hand-computed values, and the axes of figures."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
import synthetic
from analyses import rendered, study
from benchlib.document import plots
from benchlib.model import floor
from benchlib.results import counters_file, results
from benchlib.model.analysis import Study
from benchlib.model.littles_law import Launch, Loops, concave
from benchlib.document.plots import Chart, Panel, Point, Series
from benchlib.tables import floors
from test_worklog import EXP01, EXP05, reference

N = synthetic.DRAM_ELEMENTS  # 64 Mi
MIB = 1 << 20


def load(root: Path) -> Study:
    return study(reference(root))


def write_counters(root: Path, **change: object) -> None:
    (reference(root) / "counters.csv").write_text(synthetic.counters_text(EXP05, **change), encoding="utf-8")


# ------------------------------------------------------------------------------------------------------------ ceilings


def test_ceilings_are_the_best_of_each_mix(root: Path) -> None:
    found = floor.ceilings(load(root), "GPU-1")
    # 64 Mi elements: writes 4 B in 58.5 us, copies 8 B in 125.4 us (Vulkan's), adds 12 B in 190 us, reads 4 B in 59 us.
    expected = [(0, 58500 / (4 * N)), (0.5, 125400 / (8 * N)), (2 / 3, 190000 / (12 * N)), (1, 59000 / (4 * N))]
    assert [share for share, _ in found.dram] == pytest.approx([share for share, _ in expected])
    assert [ns for _, ns in found.dram] == pytest.approx([ns for _, ns in expected], rel=1e-5)
    assert found.l2 == pytest.approx(58500 / (4 * N), rel=1e-5)  # the small sizes are slower than that
    fast = synthetic.twins(EXP01, "add_f32x4", 1000, 1100, elements=1 << 20, bytes_per_element=12, unroll=2)
    synthetic.write(reference(root), EXP01, synthetic.exp01_rows() + fast)
    assert floor.ceilings(load(root), "GPU-1").l2 == pytest.approx(1000 / (12 * MIB), rel=1e-5)
    window = {"elements": 3 << 20, "grid": 1056, "elem_bytes": 4, "stride": 8, "cache": "warm", "peak_pct": "", "bytes_per_element": 4}
    loads = synthetic.twins(EXP05, "read_window", 100, 200, **window)
    synthetic.write(reference(root), EXP05, synthetic.exp05_rows() + loads)
    assert floor.ceilings(load(root), "GPU-1").l2 == pytest.approx(1000 / (12 * MIB), rel=1e-5), "not counted"
    counted = {name: str(loads[0][name]) for name in ["experiment", "variant", "api", *synthetic.PARAMS[EXP05], "elements", "cache"]}
    rows = [counted | {"instrument": "pm_sampling", "sm_l2_sectors": str(MIB)}]
    (reference(root) / "counters.csv").write_text(counters_file.csv_text(rows), encoding="utf-8")
    assert floor.ceilings(load(root), "GPU-1").l2 == pytest.approx(100 / (32 * MIB), rel=1e-5)


def test_between_two_mixes_the_time_a_byte_is_interpolated() -> None:
    limits = floor.Ceilings(((0.0, 1.0), (0.5, 2.0), (1.0, 1.5)))
    assert limits.dram_ns(0, 10) == 10
    assert limits.dram_ns(5, 5) == 20
    assert limits.dram_ns(10, 0) == 15
    assert limits.dram_ns(2.5, 7.5) == 15
    assert limits.dram_ns(0, 0) is None and floor.Ceilings().dram_ns(1, 1) is None


def test_ceilings_of_another_gpu_are_none(root: Path) -> None:
    assert floor.ceilings(load(root), "GPU-2") == floor.Ceilings()
    (reference(root) / f"{EXP01}.csv").unlink()
    found = load(root)
    assert floor.ceilings(found, "GPU-1") == floor.Ceilings()
    assert rendered(floors.section(found, found.tables[EXP05])).startswith("No floors: they need exp01_vector_add's ceilings")


# --------------------------------------------------------------------------------------------------------------- floors


def case_of(table: results.Table, **where: str) -> results.Case:
    (case,) = table.select({"api": "cuda", **where})
    return case


def test_floor_of_distinct_bytes(root: Path) -> None:
    found = load(root)
    table = found.tables[EXP05]
    one = floor.FloorModel(found, table).floor(case_of(table, variant="read_once", elem_bytes="4", stride="1", elements=str(N)))
    assert one is not None and one.bytes == (4 * N, 0)
    assert one.ns == pytest.approx(59000, rel=1e-5)
    # 4 sectors a warp at 3 TB/s: 4 * 64 Mi / 3000 = 89478 ns.
    assert one.explained == pytest.approx(59000 / 89478.485, rel=1e-4) and not one.above


@pytest.mark.parametrize(("hit", "expected"), [("0", 32.0), ("50", 16.0), ("99", 4.0)])
def test_floor_of_sectors_less_those_of_the_l1(root: Path, hit: str, expected: float) -> None:
    write_counters(root, l1_hit_pct=hit)
    found = load(root)
    table = found.tables[EXP05]
    one = floor.FloorModel(found, table).floor(case_of(table, variant="read_once", stride="32", elements=str(1 << 24)))
    # 32 sectors a warp are 32 B an element; never fewer than the distinct 4 B. The L2's ceiling: 256 MiB in 58.5 us.
    assert one is not None and one.ns == pytest.approx(expected * (1 << 24) * 58500 / (4 * N), rel=1e-4)


def test_floor_of_blocks(root: Path) -> None:
    empty = synthetic.twins("exp04_bda", "empty", 630_000, 640_000, block=256, feature="none", memory="own", elements=1 << 28)
    empty += synthetic.twins("exp04_bda", "empty", 260_000, 250_000, block=1024, feature="none", memory="own", elements=1 << 28)
    synthetic.write(reference(root), "exp04_bda", empty)
    write_counters(root, launch_grid=1_000_000)
    found = load(root)
    table = found.tables[EXP05]
    assert floor.ceilings(found, "GPU-1").block == pytest.approx(630_000 * 256 / (1 << 28), rel=1e-5)
    assert floor.block_ns(found, "GPU-2") is None
    where = {"variant": "read_once", "elem_bytes": "4", "stride": "1", "elements": str(N)}
    cuda = case_of(table, **where)
    model = floor.FloorModel(found, table)
    for case in (cuda, cuda.replace(api="vulkan")):  # the grid is the same in both
        one = model.floor(case)
        assert one is not None and one.ns == pytest.approx(1_000_000 * 630_000 * 256 / (1 << 28), rel=1e-5)


MEMORY = ((0.0, 1.0), (0.5, 1.0), (1.0, 1.0))
READS = {1.0: ((512, 0.5), (1024, 0.8), (2048, 1.0))}


def test_curves_are_concave() -> None:
    assert concave({512: 1.0, 1024: 1.2, 2048: 2.0, 4096: 1.9}) == ((512, 1.0), (2048, 2.0), (4096, 2.0))
    assert concave({1024: 0.5, 512: 0.25}) == ((512, 0.25), (1024, 0.5))
    assert concave({}) == ()


def test_a_launch_cannot_outrun_loops_with_as_much_in_flight() -> None:
    loops = Loops({1: {0.5: ((512, 0.25), (1024, 0.5)), **READS}, 2: {0.666667: ((1024, 0.6),)}}, threads=256)
    # Two slots of 128 threads, each thread 4 bytes at once: 1024 bytes in flight.
    launch = Launch(blocks=10, block=128, at_once=4)
    assert loops.least_ns(100, 0, launch) == pytest.approx(100 / 0.8)
    assert loops.least_ns(50, 50, launch) == pytest.approx(100 / 0.5)
    assert loops.least_ns(75, 25, launch) == pytest.approx(100 * (1 / 0.5 + 1 / 0.8) / 2)
    assert loops.least_ns(100, 0, Launch(10, 128, 3)) == pytest.approx(100 / 0.65)  # 768 bytes: halfway
    assert loops.least_ns(10, 90, launch) is None and loops.least_ns(0, 100, launch) is None  # no loop writes so much
    assert loops.least_ns(50, 50, Launch(10, 128, 8)) is None  # more than any copy had in flight
    assert loops.least_ns(100, 0, Launch(10, 128, 1)) is None  # less than any read had
    assert loops.least_ns(100, 0, Launch(10, 512, 4)) is None and Loops().least_ns(100, 0, launch) is None
    # Two arrays read for one written are a pattern of their own.
    assert loops.least_ns(200 / 3, 100 / 3, Launch(10, 128, 4, arrays=2)) == pytest.approx(100 / 0.6)
    assert loops.least_ns(50, 50, Launch(10, 128, 4, arrays=2)) is None


def test_a_slot_between_two_blocks_has_nothing_in_flight() -> None:
    # Proportional to what is in flight: then the slots' idle times add to the time. 10 blocks * 8 ns / 2 slots.
    loops = Loops({1: {1.0: ((256, 0.2), (1024, 0.8))}}, {128: 8.0}, threads=256)
    assert loops.least_ns(100, 0, Launch(10, 128, 4)) == pytest.approx(100 / 0.8 + 10 * 8 / 2)
    # Level from 512 bytes on: half of them are enough, and a launch that idles less than half of its time loses nothing.
    level = Loops({1: {1.0: ((128, 0.2), (512, 0.8), (1024, 0.8))}}, {128: 8.0}, threads=256)
    assert level.least_ns(100, 0, Launch(10, 128, 4)) == pytest.approx(100 / 0.8)
    assert level.least_ns(100, 0, Launch(30, 128, 4)) == pytest.approx(100 * 512 / 0.8 / 1024 + 30 * 8 / 2)
    assert level.least_ns(100, 0, Launch(1000, 128, 4)) is None  # it idles until less is in flight than any loop had


def test_where_the_memory_is_nearly_full_loops_are_no_ceiling() -> None:
    loops = Loops({1: {0.5: ((1024, 0.85),), 1.0: ((1024, 0.95),)}}, threads=256)
    limits = floor.Ceilings(MEMORY, loops=loops)
    launch = Launch(10, 128, 4)
    assert limits.in_flight_ns(50, 50, launch) == pytest.approx(100 / 0.85)
    assert limits.in_flight_ns(100, 0, launch) is None and limits.in_flight_ns(0, 100, launch) is None
    assert floor.Ceilings(loops=loops).in_flight_ns(50, 50, launch) is None


# -------------------------------------------------------------------------------------------------------------- figures


def test_hostile_text_stays_text() -> None:
    hostile = '<script>alert("&")</script>'
    panel = Panel(hostile, hostile, [Series(hostile, "cuda", [Point(1, 2), Point(2, 3)])])
    text = plots.svg(Chart(hostile, hostile, [panel], description=hostile))
    ElementTree.fromstring(text)
    assert "<script" not in text and "&lt;script&gt;" in text


def test_a_figure_of_nothing_and_of_one_point() -> None:
    assert "No results." in plots.svg(Chart("t", "x", [Panel("p", "y", [])]))
    for y_log in (False, True):
        text = plots.svg(Chart("t", "x", [Panel("p", "y", [Series("s", "green", [Point(4, 7)])], y_log=y_log)]))
        ElementTree.fromstring(text)
        assert "nan" not in text and "inf" not in text


@pytest.mark.parametrize(("high", "last"), [(32, 40), (0.09, 0.1), (1, 1), (4587, 5000)])
def test_round_ticks(high: float, last: float) -> None:
    axis = plots.linear_axis([0, high], 100, 0, from_zero=True)
    assert axis.ticks[0] == 0 and axis.ticks[-1] == last and len(axis.ticks) <= 6
    assert axis.at(0) == 100 and axis.at(last) == 0


@pytest.mark.parametrize(("low", "high"), [(1, 65536), (1024, 536870912), (4.4, 5796), (3, 3), (0.1, 22.8), (1, 1.34)])
def test_ticks_of_a_logarithmic_axis_cover_the_data(low: float, high: float) -> None:
    axis = plots.log_axis([low, high], 0, 300, 8)
    assert axis.ticks[0] == axis.low <= low and high <= axis.high == axis.ticks[-1]
    assert 2 <= len(axis.ticks) <= 8 and axis.at(axis.ticks[-1]) == 300
    steps = {after / before for before, after in zip(axis.ticks, axis.ticks[1:])}
    assert len(steps) == 1
