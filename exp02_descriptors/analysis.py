"""exp02's tables: the ways to hand over buffers, and bounds checks."""

from collections.abc import Callable
from functools import partial

from benchlib.document import document
from benchlib.model.analysis import Analysis, Control, Counting, Plot, Study
from benchlib.document.document import NO_RESULTS, NONE, Blocks, Cell, paragraph, whole
from benchlib.pages.excerpts import sass_excerpts, three_ways
from benchlib.document.plots import CUDA, MORE, VULKAN, Chart, Panel, Series, line
from benchlib.results.results import Case, Table
from benchlib.model.pairs import Pair, pairs
from benchlib.tables.twins import micros, noise_floor, twin_table, versus, with_noise_floor
from benchlib.tables.pivot import by_api, column, figures, keys, pivot, told

MICROS = "µs per dispatch"


def bandwidth(found: Study, table: Table) -> Blocks:
    """Every way to hand over buffers, where the kernel streams from memory."""
    return with_noise_floor(found, table, twin_table(table, {"variant": "sum", "robustness": "default", "elements": "max"}))


def modes(pair: Pair) -> str:
    return " / ".join(side["mode"] for side in pair.sides if side)


def ways(found: Study, table: Table) -> Blocks:
    """What one of many dispatches costs, by the way in which it gets its buffers. Microseconds per dispatch."""
    sizes = {"buffers:": "buffers", "dispatches:": "dispatches"}
    parts = [
        pivot(
            sorted(of_variant, key=lambda pair: [pair.case.whole(column) for column in sizes.values()]),
            keys({"kernel": "variant", **sizes, "binding": "binding", "bound": lambda case: case["set_use"]}),
            *([column("submitted", modes)] if variant.startswith("chain") else []),
            by_api(["{} device:"], figures(table, micros, "device_ns")),
            versus(table, " device"),
            by_api(["{} submit:"], figures(table, micros, "submit_ns")),
            by_api(["{} round trip:"], figures(table, micros, "roundtrip_ns")),
        )
        for variant in ("idle", "idle_pushed", "sum_small", "chain", "chain_pushed", "chain_slices")
        if (of_variant := pairs(table, {"variant": variant}))
    ]
    return with_noise_floor(found, table, paragraph("Microseconds per dispatch."), *parts) if parts else [NO_RESULTS]


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
    sass = found.auxiliary("sass.csv", table.name)

    def code(case: Case) -> list[Cell]:
        kernel = "sum_2" if case["robustness"] == "default" else f"sum_2.{case['robustness']}"
        listed = sass.select({"kernel": kernel, "api": "vulkan"})[:1] if sass else []
        return [sass.text(listed[0], name) if sass and listed else NONE for name in ("instructions", "bounds_checks")]

    def to_unchecked(pair: Pair) -> Cell:
        unchecked = pair.vulkan.replace(robustness="disabled") if pair.vulkan else None
        if pair.vulkan and pair.vulkan == unchecked:
            return "1"
        return document.ratio(table.ratio(pair.vulkan, unchecked) if pair.vulkan and unchecked else None)

    shown = pivot(
        pairs(table, {"variant": "sum", "binding": "descriptors", "buffers": "2"}),
        keys({
            "the pipeline asks for": lambda case: NOTHING if case["robustness"] == "default" else case["robustness"],
            "elements:": lambda case: whole(case.elements),
            "cache": "cache",
        }),
        (["instructions:", "bounds checks:"], lambda pair: code(pair.case)),
        by_api(["{} µs:"], figures(table, micros, "device_ns")),
        column("to disabled [95 %]:", to_unchecked),
        versus(table),
    )  # fmt: skip
    return told(shown, [ABOUT], [found.memoized(noise_floor, table)])


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
BOUND = ["descriptors", "dynamic_offsets", "uniform", "push_descriptors", "descriptor_buffer"]
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
    counting=Counting(options=["--variant", "sum,sum_small,idle,idle_pushed,aa_*"]),  # no chains, which run many dispatches at a time
)
