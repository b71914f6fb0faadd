"""exp03's tables and figures: layouts, offsets, structs, lanes."""

from collections.abc import Sequence
from functools import partial

from benchlib.document import document
from benchlib.model import hardware_counts
from benchlib.model.analysis import CHECKS, WITHOUT_COPIES, Analysis, Counting, Plot, Study
from benchlib.document.document import NO_RESULTS, Block, Blocks, Cell, heading
from benchlib.pages.excerpts import sass_excerpts, twin
from benchlib.stats.formats import count, sig
from benchlib.model.hardware_counts import Counts
from benchlib.document.plots import BANDWIDTH, CUDA, MODEL, Chart, Panel, Point, Series, measured
from benchlib.results.results import API_NAMES, APIS, Case, Table
from benchlib.model.pairs import figure_of, pairs
from benchlib.tables import floors
from benchlib.tables.counts import count_cell, explained
from benchlib.tables.twins import micros, noise_floor, plain, sectors_columns, sectors_table, twin_table, versus, with_noise_floor, without_checks
from benchlib.tables.pivot import across, by_api, column, figures, keys, pivot, told

SOURCE_ELEMENTS = 1 << 22  # Worklog #05's N = 4M particles
LAYOUT_NAMES = {"read_soa_x": "SoA", "read_aos_x": "AoS", "read_aos_vec4": "AoS, whole struct"}


def layout(found: Study, table: Table) -> Blocks:
    """Worklog #05's table and picture, at its size and where the data streams from memory."""
    parts: Blocks = []
    counts = hardware_counts.load(found, table)
    for size, title in ((str(SOURCE_ELEMENTS), "the worklog's size"), ("max", "the largest size")):
        where: dict[str, object] = {"variant": list(LAYOUT_NAMES), "elements": size}
        cases = [case for name in LAYOUT_NAMES for case in table.select({**where, "variant": name})]
        if not cases or (size == "max" and cases[0].elements == SOURCE_ELEMENTS):
            continue
        memory = "streams from memory" if table.is_dram(cases[0]) else "at least partly in the L2 cache"
        parts.append(heading(f"N = {count(cases[0].elements)} ({title}; {memory})"))
        parts.append(layout_table(table, cases, counts))
        parts += layout_bars(table, cases)
        parts.append(twin_table(table, where, sectors=True, counts=counts))
    return with_noise_floor(found, table, *([*parts, *explained(counts)] if parts else [NO_RESULTS]))


def layout_bars(table: Table, cases: Sequence[Case]) -> Blocks:
    """The worklog's picture: a bar per layout and API; nothing where nothing was measured."""
    lengths = [(layout_label(case), figure) for case in cases if (figure := table.figure(case, "device_ns"))]
    return [document.bars([(label, f.value, f"{sig(f.value / 1e6)} ms") for label, f in lengths])] if lengths else []


def layout_label(case: Case) -> str:
    return f"{API_NAMES[case['api']]} {LAYOUT_NAMES[case['variant']]}"


def layout_table(table: Table, cases: Sequence[Case], counts: Counts | None) -> Block:
    units = [unit for unit in ("sectors", "lines") if f"load_{unit}" in table.model]
    names = {"sectors": "32-byte sectors per warp", "lines": "128-byte lines per warp"}

    def milliseconds(case: Case) -> Cell:
        time = table.figure(case, "device_ns")
        return document.number(time.value / 1e6 if time else None)

    def both(case: Case, unit: str) -> Cell:
        return f"{table.text(case, f'load_{unit}')} (load) + {table.text(case, f'store_{unit}')} (store)"

    return pivot(
        cases,
        keys({"variant": layout_label, "time (ms):": milliseconds}),
        (["effective bandwidth (GB/s):"], figures(table, plain, "gbps")),
        across(units, lambda unit: names[unit], both),
        *([column("sectors counted per warp:", partial(count_cell, counts))] if counts else []),
    )


def offsets(found: Study, table: Table) -> Blocks:
    """Time at every offset beside the predicted sectors and the time at offset 0."""
    counts = hardware_counts.load(found, table)

    def cells(side: Case | None) -> list[Cell]:
        aligned = side.replace(offset="0") if side else None
        relative = table.ratio(side, aligned) if side and aligned else None
        return [micros(figure_of(table, side)), "1" if side and side == aligned else document.ratio(relative)]

    parts: Blocks = []
    for variant in ("read_offset", "write_offset"):
        columns = keys({"offset:": lambda case: case["offset"]}), sectors_columns(table, counts), by_api(["{} µs:", "to offset 0:"], cells), versus(table)
        parts += [heading(variant), pivot(pairs(table, {"variant": variant, "elements": "max"}), *columns)]
    return with_noise_floor(found, table, *parts, *explained(counts))


def structs(found: Study, table: Table) -> Blocks:
    """Struct size and fields read: does time follow the sectors?"""
    counts = hardware_counts.load(found, table)
    shown = pivot(
        pairs(table, {"variant": "struct_read", "elements": "max"}),
        keys({"struct bytes:": "struct_bytes", "fields read:": "fields"}),
        sectors_columns(table, counts),
        by_api(["{} µs:"], figures(table, micros, "device_ns")),
        by_api(["{} sector GB/s:"], figures(table, plain, "sector_gbps")),
        versus(table),
    )
    reading = (
        "Sector GB/s: 32 bytes for every sector the model predicts, over the time. Level: time follows the sectors. "
        "Higher: sectors are served more than once from a cache. Lower: something else than sectors is the limit."
    )
    return told(shown, after=[*explained(counts), reading, found.memoized(noise_floor, table)])


def fields(found: Study, table: Table) -> Blocks:
    return sectors_table(found, table, {"variant": ["inner_struct", "inner_vec2", "inner_array"]})


def lanes(found: Study, table: Table) -> Blocks:
    return sectors_table(found, table, {"variant": ["read_permuted", "read_same"]})


# ---------------------------------------------------------------------------------------------------------------- figures


def offsets_chart(found: Study, table: Table) -> Chart:
    counts = hardware_counts.load(found, table)
    upper, lower = [], []
    for variant, kind in (("read_offset", "load"), ("write_offset", "store")):
        cases = table.select({"variant": variant, "elements": "max"})
        cuda = [case for case in cases if case["api"] == "cuda"]
        predicted = [Point(case.whole("offset"), float(table.text(case, f"{kind}_sectors") or 0)) for case in cuda]
        seen = [(case.whole("offset"), counts.per_request(case, kind)) for case in cuda] if counts else []
        counted = [Point(offset, value) for offset, value in seen if value is not None]
        series = [Series("predicted", MODEL, predicted, dashed=True, marks=False)]
        series.append(Series("counted", CUDA, counted, line=False))
        upper.append(Panel(variant, f"{kind} sectors per warp", series))
        lower.append(Panel(variant, "time over that at offset 0, and 95 % interval", times_over_aligned(table, cases), y_from_zero=False))
    title = "Misaligned access: sectors and time against the offset"
    text = "A warp's sectors, predicted and counted, and each API's time over its own at offset 0, on an axis that does not begin at 0."
    return Chart(title, "offset, elements of 4 bytes", upper + lower, columns=2, description=text, x_log=False)


def times_over_aligned(table: Table, cases: Sequence[Case]) -> list[Series]:
    """Taken in each run, so that what one run or board adds to all offsets is not in the intervals."""
    found = []
    for api in APIS:
        of_api = [case for case in cases if case["api"] == api]
        aligned = [case for case in of_api if case.whole("offset") == 0]
        ratios = [(case.whole("offset"), table.ratio(case, base)) for base in aligned for case in of_api]
        points = [Point(offset, ratio.value, ratio.lo, ratio.hi) for offset, ratio in ratios if ratio]
        found.append(Series(API_NAMES[api], api, sorted(points, key=lambda point: point.x)))
    return found


def structs_chart(_: Study, table: Table) -> Chart:
    panels = []
    for title, keep in (("one field read", lambda case: case["fields"] == "1"), ("every field read", reads_all)):
        cases = [case for case in table.select({"variant": "struct_read", "elements": "max"}) if keep(case)]
        series = measured(table, cases, lambda case: case.whole("struct_bytes"), "gbps")
        panels.append(Panel(title, BANDWIDTH, series, y_log=True))
    text = "Measured bandwidth of the bytes that are asked for, both APIs."
    return Chart("Struct sizes: useful bandwidth", "bytes per struct", panels, columns=2, description=text)


def reads_all(case: Case) -> bool:
    return case.whole("fields") * 4 == case.whole("struct_bytes")


MACHINE_CODE = partial(sass_excerpts, chosen=[twin("read_soa_x"), twin("read_aos_x")])
ANALYSIS = Analysis(
    sections=[
        ("Array of structures against structure of arrays", layout),
        ("Misaligned access", offsets),
        ("Both fields of an 8-byte struct", fields),
        ("Struct sizes", structs),
        ("Permuted lanes, and all lanes at one address", lanes),
        ("With and without bounds checks", partial(without_checks, where={})),
        ("Time floor", floors.section),
        ("Machine code", MACHINE_CODE),
    ],
    plots={
        "exp03-offsets": Plot(
            "Misaligned access: sectors and time against the offset", offsets_chart, "read_offset,write_offset"
        ),
        "exp03-structs": Plot("Struct sizes: useful bandwidth", structs_chart, "struct_read"),
    },
    plots_marker="exp03-plots",
    counting=Counting(ncu=[WITHOUT_COPIES]),
    controls=[CHECKS],
)
