"""The time floor, exp05's tables and its figures, against hand-computed values."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
import synthetic
from analyses import module, rendered, study
from benchlib.document import plots
from benchlib.model import floor
from benchlib.results import counters_file, results
from benchlib.model.analysis import Study
from benchlib.model.littles_law import Launch, Loops, concave
from benchlib.document.plots import Chart, Panel, Point, Series
from benchlib.tables import floors
from benchlib.tables.floors import reason
from test_worklog import EXP01, EXP03, EXP05, reference, run

ANALYSIS = module(EXP05)
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
    one = floor.Model(found, table).floor(case_of(table, variant="read_once", elem_bytes="4", stride="1", elements=str(N)))
    assert one is not None and one.bytes == (4 * N, 0)
    assert one.ns == pytest.approx(59000, rel=1e-5)
    # 4 sectors a warp at 3 TB/s: 4 * 64 Mi / 3000 = 89478 ns.
    assert one.explained == pytest.approx(59000 / 89478.485, rel=1e-4) and not one.above


@pytest.mark.parametrize(("hit", "expected"), [("0", 32.0), ("50", 16.0), ("99", 4.0)])
def test_floor_of_sectors_less_those_of_the_l1(root: Path, hit: str, expected: float) -> None:
    write_counters(root, l1_hit_pct=hit)
    found = load(root)
    table = found.tables[EXP05]
    one = floor.Model(found, table).floor(case_of(table, variant="read_once", stride="32", elements=str(1 << 24)))
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
    model = floor.Model(found, table)
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


def write_loops(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """exp06's loops, exp04's blocks that are alone on their SM, and a count of blocks."""
    loops = "exp06_bytes_in_flight"
    monkeypatch.setitem(synthetic.PARAMS, loops, ["block", "blocks_per_sm", "elem_bytes", "bytes_in_flight"])
    rows = []
    for variant, width, per_sm, in_flight, time in (
        ("read_plain", 4, 8, 8192, 1000), ("read_plain", 8, 4, 8192, 900), ("read_plain", 4, 4, 4096, 1700),
        ("copy_plain", 4, 8, 8192, 2000), ("add_plain", 4, 8, 16384, 1600), ("write_plain", 4, 8, "", 800),
        ("read_tiles", 4, "", "", 100), ("read_plain", 16, 8, 32768, 500),
    ):  # fmt: skip
        cells = {"block": 256, "blocks_per_sm": per_sm, "elem_bytes": width, "bytes_in_flight": in_flight}
        rows += synthetic.twins(loops, variant, time, time + 1, elements=N, bytes_per_element=4, **cells)
    synthetic.write(reference(root), loops, rows)
    empty = {"memory": "own", "elements": 1 << 20}
    slots = synthetic.twins("exp04_bda", "empty", 90_000, 10, block=256, feature="cuda_one_slot", **empty)
    slots += synthetic.twins("exp04_bda", "empty", 95_000, 80_000, block=256, feature="one_slot", **empty)
    slots += synthetic.twins("exp04_bda", "empty", 70_000, 10, block=512, feature="cuda_one_slot", **empty)
    synthetic.write(reference(root), "exp04_bda", slots)
    write_counters(root, launch_grid=4096)


def test_loops_and_turnovers_are_read(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_loops(root, monkeypatch)
    found = load(root)
    limits = floor.ceilings(found, "GPU-1").loops
    assert limits.threads == 2048
    # What Vulkan does beside a change of CUDA's side is no block alone.
    assert limits.turnover == {256: pytest.approx(80_000 * 256 / (1 << 20)), 512: pytest.approx(70_000 * 512 / (1 << 20))}
    expected = {1: {0.5: [(8192, 2000)], 1.0: [(4096, 1700), (8192, 900)]}, 2: {0.666667: [(16384, 1600)]}}
    assert limits.curves == {
        arrays: {
            share: tuple((in_flight, pytest.approx(4 * N / time, rel=1e-4)) for in_flight, time in points)
            for share, points in mixes.items()
        }
        for arrays, mixes in expected.items()
    }
    assert floor.loops(found, "GPU-2") == Loops()


def test_loops_count_where_threads_wait(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_loops(root, monkeypatch)
    found = load(root)
    table = found.tables[EXP05]
    model = floor.Model(found, table)
    one = case_of(table, variant="read_once", elem_bytes="4", stride="1", elements=str(N))
    # A loop an element at a time: 8 slots of 256 threads with 4 bytes each.
    assert model.launch(one, 4.0 * N, 4096) == Launch(4096, 256, 4)
    folded = one.replace(variant="source_coalesced")
    assert model.launch(folded, 4.0 * N, 4096) == Launch(4096, 256, 4.0 * N / 4096 / 256)
    of_one = model.floor(one)
    assert of_one is not None and "4-byte accesses, 4 bytes in flight a thread" in reason(model, of_one)


def test_without_the_model_there_is_no_floor(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{name: cell for name, cell in row.items() if not name.startswith("min_")} for row in synthetic.exp03_rows()]
    monkeypatch.setitem(synthetic.MODEL, EXP03, synthetic.SECTORS)
    synthetic.write(reference(root), EXP03, rows)
    found = load(root)
    table = found.tables[EXP03]
    assert floor.Model(found, table).floor(table.cases[0]) is None
    assert rendered(floors.section(found, table)).startswith("No floors")


def test_the_summary_lists_what_breaks_the_rules(root: Path) -> None:
    write_counters(root)
    rows = synthetic.exp05_rows()
    for row in rows:  # faster than the ceilings allow
        if row["variant"] == "write_once" and row["stride"] == 1 and row["elem_bytes"] == 16:
            for column in ("device_ns", "device_ns_lo", "device_ns_hi"):
                row[column] /= 4
    synthetic.write(reference(root), EXP05, rows)
    found = load(root)
    text = rendered(floors.section(found, found.tables[EXP05]))
    assert re.search(r"of \d+ cases, 2 have a floor above it by more than 1 %:", text)
    above = text.partition("**Streaming")[0]
    assert above.count("| write_once block=256 grid=4096 elem_bytes=16 stride=1") == 2
    short = text.partition("**Streaming")[2].partition("Every case")[0]
    assert "| 4-byte accesses |" in short and "4-byte stores |" in short
    assert "stride=2" not in short  # asks for a sector twice: no stream


def test_reasons_come_from_the_data(root: Path) -> None:
    write_counters(root)
    found = load(root)
    table = found.tables[EXP05]
    model = floor.Model(found, table)
    strided = model.floor(case_of(table, variant="read_once", elem_bytes="4", stride="32", elements=str(N)))
    # 32 sectors for 4 distinct; the ceiling reads 8 * 59 us of 32 * 64 Mi / 3000 = 715.8 us.
    expected = "memory moved 8.0 x the distinct bytes (counted), for which the ceiling allows 66 % of the time"
    assert strided is not None and reason(model, strided) == expected
    stores = model.floor(case_of(table, variant="write_once", elem_bytes="4", stride="1", elements=str(N)))
    assert stores is not None and reason(model, stores).endswith("4-byte stores")
    small = model.floor(case_of(table, variant="source_coalesced", grid="256"))
    assert small is not None and "256 blocks: with 4096 it takes 25 % of the time" in reason(model, small)


# --------------------------------------------------------------------------------------------------------------- tables


def lines_of(text: str, first: str) -> list[list[str]]:
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]
    return [row for row in rows if row[0] == first]


def test_the_posts_kernels(root: Path) -> None:
    write_counters(root)
    found = load(root)
    text = rendered(ANALYSIS.source(found, found.tables[EXP05]))
    row = lines_of(text, "source_strided")[0]
    assert row[:5] == ["source_strided", "256", "32", "32", "32"]
    assert row[5:7] == ["32 + 0", "not counted"]  # Nsight Compute's; it does not see Vulkan
    assert row[7:9] == ["16.78", "536.9 + 0"]  # a 32nd of 64 MiB in whole sectors; 16 Mi / 32 warps of 32 sectors of 32 B
    # 32 sectors against 4, at the same rate.
    assert [cells[1][:6] for cells in lines_of(text, "256") + lines_of(text, "4096")] == ["8.0000", "8.0000"]


def test_folded_against_once(root: Path) -> None:
    found = load(root)
    text = rendered(ANALYSIS.folded(found, found.tables[EXP05]))
    ratios = {(row[0], row[2]): row[8] for row in lines_of(text, "16 Mi") + lines_of(text, "64 Mi")}
    assert ratios["64 Mi", "1"].startswith("1.0000 [") and ratios["64 Mi", "32"].startswith("0.8000 [")
    assert len(ratios) == 10


def test_loads_with_the_l2_told_how_much_to_fetch(root: Path) -> None:
    write_counters(root)
    found = load(root)
    rows = lines_of(rendered(ANALYSIS.fetch(found, found.tables[EXP05])), "32")
    assert [row[2] for row in rows] == ["as the driver has it", "32 bytes", "64 bytes"]
    assert [row[5][:6] for row in rows] == ["1", "0.9000", "1.0000"] and rows[1][3] == "2147 + 0"


# -------------------------------------------------------------------------------------------------------------- figures


def svg_of(root: Path, name: str = "exp05-loads") -> str:
    return (reference(root) / "plots" / f"{name}.svg").read_text(encoding="utf-8")


def test_figures_are_written_and_checked(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_counters(root)
    assert run(root) == 0
    path = reference(root) / "plots/exp05-loads.svg"
    first = path.read_bytes()
    assert run(root, "--check") == 0
    path.write_bytes(first.replace(b"CUDA, 32:", b"CUDA, 33:", 1))
    capsys.readouterr()
    assert run(root, "--check") == 1
    assert "exp05-loads.svg differs" in capsys.readouterr().out
    path.unlink()
    assert run(root) == 0 and path.read_bytes() == first


def test_a_figure_holds_what_was_measured(root: Path) -> None:
    write_counters(root)
    assert run(root) == 0
    text = svg_of(root)
    ElementTree.fromstring(text)
    tips = re.findall(r"<title>(CUDA|Vulkan|counted), ([\d.]+): ([^<]*)</title>", text)
    # Three widths, five strides; stride 32 of 4-byte elements: 4 B each in 32 B / 3 TB/s is 375 GB/s, within 0.1 %.
    assert len([tip for tip in tips if tip[0] == "Vulkan"]) == 15
    (tip,) = {said for side, stride, said in tips if (side, stride) == ("CUDA", "32") and said.startswith("375 [374.")}
    assert tip.endswith(", 375.5]") or tip.endswith(", 375.6]"), tip
    assert ("counted", "3", "12") in tips
    assert text.count('class="line dash"') == 2 * 6  # each once more beside its label


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
