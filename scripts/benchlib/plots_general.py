"""Figures of the other experiments: sizes, offsets and structs; and the strip of every pair's ratio."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from benchlib import counted, plots
from benchlib.plots import Dot, Figure, Panel, Plot, Point, Series
from benchlib.results import API_NAMES, APIS, Case, Results, Table
from benchlib.stats import SAME_HI, SAME_LO, verdict
from benchlib.tables import pair_ratio, pairs
from benchlib.tables_exp01 import ADD_VARIANTS, DEFAULT_BLOCK

CONTROLS = ("stamp_pair", "aa_control_a", "aa_control_b")
KINDS = {"SAME": "model", "FASTER": "other", "SLOWER": "vulkan", "UNCLEAR": "model"}
BANDWIDTH = "useful GB/s, median and 95 % interval"


def measured(table: Table, cases: Sequence[Case], x: Callable[[Case], float], metric: str, scale: float = 1.0) -> list[Series]:
    """A line an API."""
    series = []
    for api in APIS:
        found = [(x(case), table.figure(case, metric)) for case in cases if case["api"] == api]
        points = [
            Point(at, f.value * scale, f.lo * scale if f.lo else None, f.hi * scale if f.hi else None) for at, f in found if f
        ]
        series.append(Series(API_NAMES[api], api, sorted(points, key=lambda point: point.x)))
    return series


def exp01_sizes_plot(found: Results, table: Table) -> Figure:
    del found
    panels = []
    for variant in ADD_VARIANTS:
        cases = table.select({"variant": variant, "block": DEFAULT_BLOCK})
        # Of a size that ran in both states the one that streams from memory says more.
        panels.append(Panel(variant, BANDWIDTH, measured(table, cases, lambda case: case.elements, "gbps")))
    title = "Vector add: bandwidth against size"
    return Figure(title, "elements", panels, description="Measured bandwidth of both APIs, scalar and 16-byte elements.")


def exp03_offsets_plot(found: Results, table: Table) -> Figure:
    counts = counted.load(found, table)
    upper, lower = [], []
    for variant, kind in (("read_offset", "load"), ("write_offset", "store")):
        cases = table.select({"variant": variant, "elements": "max"})
        cuda = [case for case in cases if case["api"] == "cuda"]
        predicted = [Point(case.whole("offset"), float(table.text(case, f"{kind}_sectors") or 0)) for case in cuda]
        seen = [(case.whole("offset"), counts.per_request(case, kind)) for case in cuda] if counts else []
        counted_points = [Point(offset, value) for offset, value in seen if value is not None]
        series = [Series("predicted", "model", predicted, dashed=True, marks=False)]
        series.append(Series("counted", "cuda", counted_points, line=False))
        upper.append(Panel(variant, f"{kind} sectors a warp", series))
        timed = measured(table, cases, lambda case: case.whole("offset"), "device_ns", 1e-3)
        lower.append(Panel(variant, "µs, median and 95 % interval", timed, y_from_zero=False))
    title = "Misaligned access: sectors and time against the offset"
    text = "A warp's sectors, predicted and counted, and the time of both APIs, whose axis does not begin at 0."
    return Figure(title, "offset, elements of 4 bytes", upper + lower, columns=2, description=text, x_log=False)


def exp03_structs_plot(found: Results, table: Table) -> Figure:
    del found
    panels = []
    for title, keep in (("one field read", lambda case: case["fields"] == "1"), ("every field read", reads_all)):
        cases = [case for case in table.select({"variant": "struct_read", "elements": "max"}) if keep(case)]
        series = measured(table, cases, lambda case: case.whole("struct_bytes"), "gbps")
        panels.append(Panel(title, BANDWIDTH, series, y_log=True))
    text = "Measured bandwidth of the bytes that are asked for, both APIs."
    return Figure("Struct sizes: useful bandwidth", "bytes a struct", panels, columns=2, description=text)


def reads_all(case: Case) -> bool:
    return case.whole("fields") * 4 == case.whole("struct_bytes")


PLOTS = {
    "exp01-sizes": Plot("exp01_vector_add", "Vector add: bandwidth against size", exp01_sizes_plot, "add_*"),
    "exp03-offsets": Plot(
        "exp03_memory_coalescing",
        "Misaligned access: sectors and time against the offset",
        exp03_offsets_plot,
        "read_offset,write_offset",
    ),
    "exp03-structs": Plot("exp03_memory_coalescing", "Struct sizes: useful bandwidth", exp03_structs_plot, "struct_read"),
}


def ratio_strip(table: Table) -> str:
    """Vulkan/CUDA of every pair, a line a variant."""
    groups: dict[str, list[Dot]] = {}
    for pair in pairs(table, {}):
        figure = pair_ratio(table, pair)
        if figure is None or figure.lo is None or figure.hi is None or pair.case["variant"] in CONTROLS:
            continue
        name = pair.case.name(without=["api"])
        dot = Dot(name, figure.value, figure.lo, figure.hi, KINDS[verdict(figure)])
        groups.setdefault(pair.case["variant"], []).append(dot)
    return plots.strip("Vulkan/CUDA time of every pair", "Vulkan/CUDA time", list(groups.items()), (SAME_LO, SAME_HI))
