"""exp02's tables: the ways to hand over buffers, and bounds checks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from benchlib.document import document
from benchlib.model.analysis import Analysis, Control, Plot, Study
from benchlib.document.document import NO_RESULTS, NONE, Blocks, Cell, paragraph, whole
from benchlib.pages.excerpts import sass_excerpts, three_ways
from benchlib.document.plots import CUDA, MORE, VULKAN, Chart, Panel, Series, line
from benchlib.results.results import Case, Table
from benchlib.model.pairs import figure_of, pairs
from benchlib.tables.twins import comparison, micros, twin_table, with_noise_floor

MICROS = "µs per dispatch"


def bandwidth(found: Study, table: Table) -> Blocks:
    """Every way to hand over buffers, where the kernel streams from memory."""
    return with_noise_floor(found, table, twin_table(table, {"variant": "sum", "robustness": "default", "elements": "max"}))


def ways(found: Study, table: Table) -> Blocks:
    """What one of many dispatches costs, by the way in which it gets its buffers. Microseconds per dispatch."""
    header = ["kernel", "buffers:", "dispatches:", "binding", "bound"]
    header += ["CUDA device:", "Vulkan device:", "Vulkan/CUDA device [95 %]:", "Vulkan is"]
    header += ["CUDA submit:", "Vulkan submit:", "CUDA round trip:", "Vulkan round trip:"]
    parts = []
    for variant in ("idle", "sum_small"):
        rows = []
        found_pairs = pairs(table, {"variant": variant})
        sizes = ("buffers", "dispatches")
        for pair in sorted(found_pairs, key=lambda pair: [pair.case.whole(column) for column in sizes]):
            cells: list[Cell] = [pair.case[column] for column in ("variant", *sizes, "binding", "set_use")]
            cells += [micros(figure_of(table, side)) for side in pair.sides] + comparison(table, pair)
            for metric in ("submit_ns", "roundtrip_ns"):
                cells += [micros(figure_of(table, side, metric)) for side in pair.sides]
            rows.append(cells)
        parts += [document.table(header, rows)] if rows else []
    if not parts:
        return [NO_RESULTS]
    return with_noise_floor(found, table, paragraph("Microseconds per dispatch."), *parts)


def binding(found: Study, table: Table) -> Blocks:
    return [*bandwidth(found, table), *ways(found, table)]


NOTHING = "nothing (default)"
ABOUT = (
    f"The device of all rows has the feature pipelineRobustness (VK_EXT_pipeline_robustness) enabled. Row {NOTHING}: the pipeline has no "
    "VkPipelineRobustnessCreateInfoEXT; the CSV's name for it is default. A device that does not enable the feature has no row here: exp01's table "
    "of the times with and without bounds checks compares it with one that does."
)


def robustness(found: Study, table: Table) -> Blocks:
    """Bounds checks: in the code, where it was disassembled, and in time, beside the code without them."""
    header = ["the pipeline asks for", "elements:", "cache", "instructions:", "bounds checks:", "CUDA µs:", "Vulkan µs:"]
    header += ["to disabled [95 %]:", "Vulkan/CUDA [95 %]:", "Vulkan is"]
    sass = found.auxiliary("sass.csv", table.name)
    rows = []
    for pair in pairs(table, {"variant": "sum", "binding": "descriptors", "buffers": "2"}):
        checks = pair.case["robustness"]
        kernel = "sum_2" if checks == "default" else f"sum_2.{checks}"
        code = sass.select({"kernel": kernel, "api": "vulkan"})[:1] if sass else []
        cells: list[Cell] = [NOTHING if checks == "default" else checks, whole(pair.case.elements), pair.case["cache"]]
        for column in ("instructions", "bounds_checks"):
            cells.append(sass.text(code[0], column) if sass and code else NONE)
        cells += [micros(figure_of(table, side)) for side in pair.sides]
        unchecked = pair.vulkan.replace(robustness="disabled") if pair.vulkan else None
        relative = table.ratio(pair.vulkan, unchecked) if pair.vulkan and unchecked else None
        cells.append("1" if pair.vulkan == unchecked and pair.vulkan else document.ratio(relative))
        rows.append(cells + comparison(table, pair))
    return with_noise_floor(found, table, paragraph(ABOUT), document.table(header, rows)) if rows else [NO_RESULTS]


BINDINGS = {
    "descriptors": ("a set", VULKAN), "push_descriptors": ("pushed", MORE[0]), "descriptor_buffer": ("descriptor buffer", MORE[1]),
    "address": ("addresses", MORE[2]),
}  # fmt: skip


def ways_chart(_: Study, table: Table) -> Chart:
    """What a dispatch takes by what it is handed: from memory, and small."""

    def lines(x: Callable[[Case], float], metric: str, scale: float, **where: object) -> list[Series]:
        cuda = table.select({**where, "api": "cuda", "binding": "descriptors"})
        found = [line(table, "CUDA", CUDA, cuda, x, metric, scale)]
        for binding, (name, kind) in BINDINGS.items():
            found.append(line(table, name, kind, table.select({**where, "api": "vulkan", "binding": binding}), x, metric, scale))
        return found

    def buffers(case: Case) -> float:
        return case.whole("buffers")

    small = {"set_use": "per_dispatch", "robustness": "default"}
    streams = lines(buffers, "gbps", 1.0, variant="sum", set_use="once", robustness="default", elements="max")
    idle, sums = (lines(buffers, "device_ns", 1e-3, variant=name, dispatches="100", **small) for name in ("idle", "sum_small"))
    panels = [Panel("From memory", "useful GB/s", streams), Panel("Nothing loaded", MICROS, idle), Panel("Small sums", MICROS, sums)]
    text = "The ways to hand buffers over: bandwidth from memory, and the GPU's time of one of 100 ordered dispatches that do little."
    return Chart("Ways to hand over buffers", "input buffers", panels, description=text)


MACHINE_CODE = partial(sass_excerpts, chosen=[three_ways("sum_1, a plain copy", "sum_1", "sum_1.address")])
UNCHECKED = Control("bounds checks", ("vulkan", {}), ("vulkan", {"robustness": "disabled"}), {"robustness": ["default"]})
BOUND = ["descriptors", "uniform", "push_descriptors", "descriptor_buffer"]
WAY = Control(
    "buffers that are bound, not addressed", ("vulkan", {}), ("vulkan", {"binding": "address"}), {"binding": BOUND}, ["bounds checks"]
)
ANALYSIS = Analysis(
    controls=[UNCHECKED, WAY],
    sections=[
        ("Ways to hand over buffers, streaming from memory", bandwidth),
        ("Ways to hand over buffers, many small dispatches", ways),
        ("Bounds checks", robustness),
        ("Machine code", MACHINE_CODE),
    ],
    plots={"exp02-ways": Plot("Ways to hand over buffers", ways_chart, "sum,sum_small,idle")},
    plots_marker="exp02-plots",
)
