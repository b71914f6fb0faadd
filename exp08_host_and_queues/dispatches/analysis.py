"""exp08_dispatches' tables and figure: many dispatches that need nothing of each other, and how many run at once."""

from __future__ import annotations

from benchlib.document import document
from benchlib.document.document import NO_RESULTS, Blocks, Cell, fixed, paragraph
from benchlib.document.plots import CUDA, MORE, VULKAN, Chart, Panel, line
from benchlib.model.analysis import Analysis, Counting, Plot, Study
from benchlib.model.pairs import figure_of, pairs, place_in
from benchlib.tables.twins import comparison, micros, plain, with_noise_floor
from benchlib.results.results import API_NAMES, APIS, Case, Table

WAYS = ["ordered", "ordered_replayed", "independent", "independent_replayed", "buffers", "submissions"]


def order_of(case: Case) -> tuple[int, int, int, int]:
    return case.whole("blocks"), case.whole("work_ns"), case.whole("dispatches"), place_in(WAYS, case["way"])


def timed(found: Study, table: Table, variant: str) -> Blocks:
    """GPU time, round trip and submission, of all dispatches together."""
    chosen = sorted(pairs(table, {"variant": variant}), key=lambda pair: order_of(pair.case))
    if not chosen:
        return [NO_RESULTS]
    header = ["blocks:", "work, µs:", "dispatches:", "way"]
    for api in APIS:
        header += [f"{API_NAMES[api]} GPU, µs:", "round trip:", "submit:"]
    rows = []
    for pair in chosen:
        case = pair.case
        cells: list[Cell] = [case["blocks"], f"{case.whole('work_ns') / 1000:g}", case["dispatches"], case["way"]]
        for side in pair.sides:
            cells += [micros(figure_of(table, side, metric)) for metric in ("device_ns", "roundtrip_ns", "submit_ns")]
        rows.append(cells + comparison(table, pair))
    header += ["Vulkan/CUDA GPU [95 %]:", "Vulkan is"]
    return with_noise_floor(found, table, paragraph("Microseconds of all dispatches of a submission together."), document.table(header, rows))


def independent(found: Study, table: Table) -> Blocks:
    return timed(found, table, "dispatches") + spread(table)


SPREADS = ["streams", "graph", "command_buffers", "submissions", "queues"]


def spread(table: Table) -> Blocks:
    """Either API's curve over what it has for independent work; nothing where no run has any."""
    cases = table.select({"variant": "spread"})
    rows: list[list[Cell]] = []
    for case in sorted(cases, key=lambda case: (case.whole("work_ns"), case["api"], place_in(SPREADS, case["way"]), case.whole("lanes"))):
        names: list[Cell] = [f"{case.whole('work_ns') / 1000:g}", API_NAMES[case["api"]], case["way"], case["lanes"]]
        times = [micros(figure_of(table, case, metric)) for metric in ("device_ns", "roundtrip_ns", "submit_ns")]
        rows.append([*names, *times, plain(figure_of(table, case, "at_once"))])
    header = ["work, µs:", "API", "way", "lanes:", "GPU, µs:", "round trip:", "submit:", "at once:"]
    text = "1,000 dispatches of one block, over so many streams, chains of a graph, command buffers, submissions or queues. A graph of 1,000 chains has no edge."
    return [paragraph(text), document.table(header, rows)] if rows else []


def loop(found: Study, table: Table) -> Blocks:
    return timed(found, table, "iterate")


def at_once(found: Study, table: Table) -> Blocks:
    """What the kernels' own readings of the GPU's clock and of their SM say."""
    chosen = [pair for pair in pairs(table, {"variant": "dispatches"}) if pair.case.whole("work_ns") > 0 and pair.case.whole("dispatches") > 1]
    if not chosen:
        return [NO_RESULTS]
    header = ["blocks:", "dispatches:", "way"]
    for api in APIS:
        header += [f"{API_NAMES[api]} at once:", "SMs:", "first begin to last end, µs:"]
    rows = []
    for pair in sorted(chosen, key=lambda pair: order_of(pair.case)):
        cells: list[Cell] = [pair.case["blocks"], pair.case["dispatches"], pair.case["way"]]
        for side in pair.sides:
            cells += [plain(figure_of(table, side, "at_once")), plain(figure_of(table, side, "sms")), micros(figure_of(table, side, "span_ns"))]
        rows.append(cells)
    return [document.table(header, rows)]


def direct_of(case: Case) -> Case:
    return case.replace(variant="dispatches", way="independent_replayed")


def indirect_extra_us(table: Table) -> dict[Case, float]:
    """By Vulkan's indirect case of one block and many dispatches: what each of them takes longer than a direct one."""
    found = {}
    for case in table.select({"variant": "indirect", "way": "indirect", "api": "vulkan", "blocks": "1", "dispatches": ["100", "1000"]}):
        more, less = table.figure(case, "device_ns"), table.figure(direct_of(case), "device_ns")
        if more and less:
            found[case] = (more.value - less.value) / case.whole("dispatches") / 1000
    return found


def indirect(_: Study, table: Table) -> Blocks:
    cases = table.select({"variant": "indirect", "api": "vulkan"})
    if not cases:
        return [NO_RESULTS]
    rows: list[list[Cell]] = []
    for case in sorted(cases, key=order_of):
        more, less = figure_of(table, case), figure_of(table, direct_of(case))
        extra = (more.value - less.value) / case.whole("dispatches") / 1000 if more and less else None
        made = "in place" if case["way"] == "in_place" else "copied"
        rows.append([case["blocks"], f"{case.whole('work_ns') / 1000:g}", case["dispatches"], made, micros(less), micros(more), fixed(extra, 3)])
    header = ["blocks:", "work, µs:", "dispatches:", "arguments", "direct, µs:", "indirect, µs:", "more a dispatch, µs:"]
    return [document.table(header, rows)]


def known_of(case: Case) -> Case:
    """The same work where the host decides."""
    return case.replace(way="known")


def extra_us(table: Table, case: Case) -> float | None:
    """What each of a case's decisions takes longer, the kernel that makes it not counted; None of what nothing decides about, and of Vulkan's loop:
    it hands over all of its recorded steps, however few run.
    """
    if case["way"] in ("known", "predicated") or (case["way"], case["api"]) == ("while", "vulkan"):
        return None
    more, less = table.figure(case, "device_ns"), table.figure(known_of(case), "device_ns")
    return (more.value - less.value) / case.whole("dispatches") / 1000 if more and less else None


def guarded_extra_us(table: Table, api: str) -> dict[Case, float]:
    chosen = {case: extra_us(table, case) for case in table.select({"variant": "guarded", "api": api, "way": "taken"})}
    return {case: extra for case, extra in chosen.items() if extra is not None}


def guarded_extra_cuda_us(table: Table) -> dict[Case, float]:
    return guarded_extra_us(table, "cuda")


def guarded_extra_vulkan_us(table: Table) -> dict[Case, float]:
    return guarded_extra_us(table, "vulkan")


def decided(_: Study, table: Table) -> Blocks:
    cases = table.select({"variant": ["guarded", "repeated", "launched"]})
    if not cases:
        return [NO_RESULTS]
    order = ["known", "taken", "not_taken", "while", "predicated", "tail", "from_device"]
    rows: list[list[Cell]] = []
    for case in sorted(cases, key=lambda case: (case["variant"], *order_of(case)[:3], place_in(order, case["way"]), case["api"])):
        names: list[Cell] = [case["variant"], case["blocks"], f"{case.whole('work_ns') / 1000:g}", case["dispatches"], case["way"], API_NAMES[case["api"]]]
        times = [micros(figure_of(table, case, metric)) for metric in ("device_ns", "roundtrip_ns", "submit_ns")]
        rows.append([*names, *times, fixed(extra_us(table, case), 3)])
    header = ["what", "blocks:", "work, µs:", "times or steps:", "way", "API", "GPU, µs:", "round trip:", "submit:", "more than known, each, µs:"]
    text = "GPU time and round trip are medians of samples of their own: one may lie above the other. Vulkan's loop is always recorded with the most steps tried, of which so many run."
    return [paragraph(text), document.table(header, rows)]


def dispatches_chart(_: Study, table: Table) -> Chart:
    panels = []
    for work in ("0", "10000"):
        where = {"variant": "dispatches", "blocks": "1", "work_ns": work}
        series = []
        for name, kind, api, way in (
            ("CUDA, a stream", CUDA, "cuda", "ordered"),
            ("CUDA, a graph's branches", MORE[0], "cuda", "independent_replayed"),
            ("Vulkan, with barriers", VULKAN, "vulkan", "ordered_replayed"),
            ("Vulkan, without", MORE[1], "vulkan", "independent_replayed"),
            ("Vulkan, a submission each", MORE[2], "vulkan", "submissions"),
        ):
            cases = table.select({**where, "api": api, "way": way})
            series.append(line(table, name, kind, cases, lambda case: case.whole("dispatches"), "device_ns", 1e-3))
        title = "one block that only stores" if work == "0" else "one block that works for 10 µs"
        panels.append(Panel(title, "µs of all dispatches, median and 95 % interval", series, y_log=True))
    return Chart("Independent dispatches", "dispatches of a submission", panels, description="GPU time of many small dispatches, by way of handing them over.")


ANALYSIS = Analysis(
    sections=[
        ("Independent dispatches", independent),
        ("How many run at once", at_once),
        ("Indirect dispatches", indirect),
        ("What the device decides", decided),
        ("A loop of dependent steps", loop),
    ],
    plots={"exp08-dispatches": Plot("Independent dispatches", dispatches_chart, "dispatches")},
    plots_marker="exp08-dispatches-plots",
    counting=Counting(by_default=False),
    figures={
        "indirect_extra_us": indirect_extra_us,
        "guarded_extra_cuda_us": guarded_extra_cuda_us,
        "guarded_extra_vulkan_us": guarded_extra_vulkan_us,
    },
)
