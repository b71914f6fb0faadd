"""exp01's tables and figure: sizes, blocks, ceilings, and what a launch costs."""

from functools import partial

from benchlib.document import document
from benchlib.model.analysis import CHECKS, WITHOUT_COPIES, Analysis, Counting, FloorFacts, Plot, Stream, Study
from benchlib.document.document import NONE, Blocks, Cell, fixed, paragraph
from benchlib.pages.excerpts import sass_excerpts, twin
from benchlib.document.plots import BANDWIDTH, Chart, Panel, measured
from benchlib.results.results import APIS, API_NAMES, Table
from benchlib.model.pairs import Pair, figure_of, pairs
from benchlib.tables import floors
from benchlib.tables.twins import micros, noise_floor, plain, twin_table, versus, with_noise_floor, without_checks
from benchlib.tables.pivot import Columns, by_api, column, figures, keys, named, pivot, rounded, thousandth, told

ADD_VARIANTS = ["add_f32", "add_f32x4"]
COPY_VARIANTS = ["copy_f32", "copy_tile", "read_tile", "write_tile", "copy_api"]
API_COPIES = {"cuda": "cudaMemcpyAsync", "vulkan": "vkCmdCopyBuffer"}
DEFAULT_BLOCK = "256"


def sizes(found: Study, table: Table) -> Blocks:
    shown = [twin_table(table, {"variant": variant, "block": DEFAULT_BLOCK}) for variant in ADD_VARIANTS]
    return with_noise_floor(found, table, *shown)


def blocks(found: Study, table: Table) -> Blocks:
    parts = []
    for variant in ADD_VARIANTS:
        swept = [case for case in table.select({"variant": variant}) if case["block"] != DEFAULT_BLOCK]
        elements = [str(size) for size in sorted({case.elements for case in swept})]
        parts.append(twin_table(table, {"variant": variant, "elements": elements}))
    return with_noise_floor(found, table, *parts)


def ceilings(found: Study, table: Table) -> Blocks:
    """The largest size, each kernel in its best shape: bandwidth, share of the memory's peak and of the API's copy."""

    def best(variant: str, cache: str) -> Pair:
        where = {"variant": variant, "elements": "max", "cache": cache, "pick": "fastest"}
        return Pair(*(table.one({**where, "api": api}) for api in APIS))

    # The additions' warm rows are of smaller sizes: only the others run at the largest in both states.
    shown = [best(variant, "cold") for variant in ADD_VARIANTS + COPY_VARIANTS] + [best(variant, "warm") for variant in COPY_VARIANTS]
    chosen = [pair for pair in shown if pair.cuda or pair.vulkan]
    rates = [ceiling(table, at, api) for at, api in enumerate(APIS)]
    block = pivot(chosen, keys({"variant": "variant", "cache": "cache"}), *rates, versus(table, " time, best against best"))
    return told(block, after=[found.memoized(noise_floor, table)])


def ceiling(table: Table, at: int, api: str) -> Columns[Pair]:
    def cells(pair: Pair) -> list[Cell]:
        case = pair.sides[at]
        rate = figure_of(table, case, "gbps")
        if case is None or rate is None:
            return [NONE] * 4
        shape = " x ".join(case[column] for column in ("block", "unroll") if case[column])
        api_copies = table.select({"variant": "copy_api", "api": api, "elements": "max", "cache": case["cache"]})
        copy_rate = figure_of(table, api_copies[0], "gbps") if api_copies else None
        share = fixed(100 * rate.value / copy_rate.value, 1) if copy_rate else NONE
        return [plain(rate), shape or NONE, rounded(figure_of(table, case, "peak_pct"), 1), share]

    return [f"{API_NAMES[api]} GB/s:", "block x unroll:", "% of peak:", f"% of {API_COPIES[api]}:"], cells


def copies(found: Study, table: Table) -> Blocks:
    return with_noise_floor(found, table, twin_table(table, {"variant": COPY_VARIANTS}))


def launch(found: Study, table: Table) -> Blocks:
    """What one launch costs: on the device, from submission to completion, and to submit. Microseconds per launch."""

    def what(pair: Pair) -> Cell:
        modes = " / ".join(side["mode"] for side in pair.sides if side and side["mode"])
        return f"{pair.case['variant']} {modes}".strip()

    shown = pivot(
        pairs(table, {"variant": "empty"}) + pairs(table, {"variant": "chain"}),
        column("what", what),
        keys({"launches:": lambda case: case["chain"] or "1"}),
        by_api(["{} device:", "round trip:", "submit:"], figures(table, micros, "device_ns", "roundtrip_ns", "submit_ns")),
        versus(table, " device"),
    )
    stamps = [
        f"{API_NAMES[case['api']]} {document.cell_text(micros(table.figure(case, 'device_ns')))} µs"
        for case in table.select({"variant": "stamp_pair"})
    ]
    return [paragraph("Microseconds per launch."), shown, paragraph(f"An empty pair of stamps reads: {', '.join(stamps) or 'not measured'}.")]


RULERS = ["ruler", "ruler_full"]


def ruler(found: Study, table: Table) -> Blocks:
    """What either API's stamps read beyond the length that a kernel itself measures. Microseconds."""
    blocks_of = named({"ruler": "one", "ruler_full": "one for each SM"}, "variant")
    shown = pivot(
        sorted(pairs(table, {"variant": RULERS}), key=lambda pair: (pair.case["variant"], pair.case.whole("chain"), pair.case.elements)),
        keys({"kernel waits:": thousandth("elements"), "blocks": blocks_of, "launches:": "chain"}),
        by_api(["{} its own length:", "between launches:", "stamps add:"], figures(table, micros, "own_ns", "gap_ns", "outside_ns")),
    )
    steps = []
    for api in APIS:
        seen = [figure for case in table.select({"variant": "ruler", "api": api}) if (figure := table.figure(case, "clock_step_ns"))]
        if seen:
            steps.append(f"{API_NAMES[api]} {document.cell_text(document.number(min(figure.value for figure in seen)))} ns")
    about = (
        "A kernel waits by the GPU's clock and stores when it began and ended. What the stamps around it read beyond that is what "
        "they add to any kernel. Microseconds."
    )
    return [paragraph(about), shown, *([paragraph(f"The clock's least step: {', '.join(steps)}.")] if steps else [])]


def ruler_chart(_: Study, table: Table) -> Chart:
    panels = []
    for variant, title in zip(RULERS, ("one block", "a block for each SM")):
        cases = table.select({"variant": variant, "chain": "1"})
        series = measured(table, cases, lambda case: case.elements / 1000, "outside_ns", 1e-3)
        panels.append(Panel(title, "µs that the stamps add, median and 95 % interval", series))
    title = "What a pair of stamps adds to a kernel of known length"
    return Chart(title, "µs that the kernel waits", panels, description="Stamps' reading less the kernel's own, both APIs.")


def sizes_chart(_: Study, table: Table) -> Chart:
    panels = []
    for variant in ADD_VARIANTS:
        cases = table.select({"variant": variant, "block": DEFAULT_BLOCK})
        # Of a size that ran in both states the one that streams from memory says more.
        panels.append(Panel(variant, BANDWIDTH, measured(table, cases, lambda case: case.elements, "gbps"), y_log=True))
    title = "Vector add: bandwidth against size"
    return Chart(title, "elements", panels, description="Measured bandwidth of both APIs, scalar and 16-byte elements.")


MACHINE_CODE = partial(sass_excerpts, chosen=[twin("add_f32")])
WRITES, COPIES, READS = Stream(0.0, arrays=0), Stream(0.5), Stream(1.0)
ADDS = Stream(2 / 3, arrays=2)
ANALYSIS = Analysis(
    sections=[
        ("Size sweep", sizes),
        ("Block sweep", blocks),
        ("Ceilings", ceilings),
        ("Copy, read and write in every shape", copies),
        ("With and without bounds checks", partial(without_checks, where={})),
        ("What a launch costs", launch),
        ("What the stamps add", ruler),
        ("Time floor", floors.section),
        ("Machine code", MACHINE_CODE),
    ],
    plots={
        "exp01-sizes": Plot("Vector add: bandwidth against size", sizes_chart, "add_*"),
        "exp01-ruler": Plot("What a pair of stamps adds to a kernel of known length", ruler_chart, "ruler*"),
    },
    plots_marker="exp01-plots",
    counting=Counting(ncu=["--variant", "aa_*,add_*,copy_f32,copy_tile,read_tile,write_tile", WITHOUT_COPIES]),  # no launch chains
    floor=FloorFacts(
        streams={
            "write_tile": WRITES, "copy_f32": COPIES, "copy_tile": COPIES, "copy_api": COPIES, "add_f32": ADDS, "add_f32x4": ADDS,
            "read_tile": READS,
        },
        resident=ADD_VARIANTS,
        foreign=["copy_api"],
        launch={"variant": "chain"},
    ),
    controls=[CHECKS],
)  # fmt: skip
