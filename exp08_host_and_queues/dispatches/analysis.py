"""exp08_dispatches' tables and figure: many dispatches that need nothing of each other, and how many run at once."""

from benchlib.document.document import Blocks, Cell, fixed
from benchlib.document.plots import CUDA, MORE, VULKAN, Chart, Panel, line
from benchlib.model.analysis import Analysis, Counting, Plot, Study
from benchlib.model.pairs import figure_of, pairs, place_in
from benchlib.tables.twins import micros, noise_floor, plain, versus
from benchlib.results.results import Case, Table
from benchlib.tables.beyond import beyond_round_trip, share
from benchlib.tables.pivot import api_name, by_api, column, figures, keys, pivot, thousandth, told

WAYS = ["ordered", "ordered_replayed", "independent", "independent_replayed", "programmatic", "programmatic_replayed", "buffers", "submissions"]
TIMES = ("device_ns", "roundtrip_ns", "submit_ns")
WORK = {"work, µs:": thousandth("work_ns")}


def order_of(case: Case) -> tuple[int, int, int, int]:
    return case.whole("blocks"), case.whole("work_ns"), case.whole("dispatches"), place_in(WAYS, case["way"])


def timed(found: Study, table: Table, variant: str) -> Blocks:
    """GPU time, round trip and submission, of all dispatches together."""
    shown = pivot(
        sorted(pairs(table, {"variant": variant}), key=lambda pair: order_of(pair.case)),
        keys({"blocks:": "blocks", **WORK, "dispatches:": "dispatches", "way": "way"}),
        by_api(["{} GPU, µs:", "round trip:", "submit:"], figures(table, micros, *TIMES)),
        versus(table, " GPU"),
    )
    return told(shown, ["Microseconds of all dispatches of a submission together."], [found.memoized(noise_floor, table)])


def independent(found: Study, table: Table) -> Blocks:
    return timed(found, table, "dispatches") + spread(table) + gate(table)


def gate(table: Table) -> Blocks:
    """What the gate ahead of a sample does to CUDA's graphs of many branches: rows that cannot be, and the controls."""
    named = keys({"variant": "variant", "blocks:": "blocks", **WORK, "dispatches:": "dispatches", "API": api_name, "way": "way", "lanes:": "lanes"})
    cases = sorted(table.select({"variant": ["dispatches", "spread", "led_in", "not_held", "guarded", "repeated", "iterate"]}), key=order_of)
    lanes = {case["lanes"] for case in cases if case["variant"] in ("led_in", "not_held")}
    controls = [case for case in cases if case["way"] == "graph" and case["lanes"] in lanes]
    text = "The same graphs behind the gate (spread), behind the gate and two untimed launches (led_in), and without a gate (not_held)."
    times = (["GPU, µs:", "round trip:"], figures(table, micros, "device_ns", "roundtrip_ns"))
    shown = told(pivot(controls, named, times, column("GPU / round trip:", lambda case: fixed(share(table, case), 2))), [text]) if controls else []
    return beyond_round_trip(table, cases, named) + shown


SPREADS = ["streams", "graph", "command_buffers", "submissions", "queues"]


def spread(table: Table) -> Blocks:
    """Either API's curve over what it has for independent work; nothing where no run has any."""
    cases = table.select({"variant": "spread"})
    text = "1,000 dispatches of one block, over so many streams, chains of a graph, command buffers, submissions or queues. A graph of 1,000 chains has no edge."
    shown = pivot(
        sorted(cases, key=lambda case: (case.whole("work_ns"), case["api"], place_in(SPREADS, case["way"]), case.whole("lanes"))),
        keys({**WORK, "API": api_name, "way": "way", "lanes:": "lanes"}),
        (["GPU, µs:", "round trip:", "submit:"], figures(table, micros, *TIMES)),
        (["at once:"], figures(table, plain, "at_once")),
    )
    return told(shown, [text]) if cases else []


def loop(found: Study, table: Table) -> Blocks:
    return timed(found, table, "iterate")


def at_once(found: Study, table: Table) -> Blocks:
    """What the kernels' own readings of the GPU's clock and of their SM say."""
    chosen = [pair for pair in pairs(table, {"variant": "dispatches"}) if pair.case.whole("work_ns") > 0 and pair.case.whole("dispatches") > 1]

    def cells(side: Case | None) -> list[Cell]:
        return [*figures(table, plain, "at_once", "sms")(side), micros(figure_of(table, side, "span_ns"))]

    return [
        pivot(
            sorted(chosen, key=lambda pair: order_of(pair.case)),
            keys({"blocks:": "blocks", "dispatches:": "dispatches", "way": "way"}),
            by_api(["{} at once:", "SMs:", "first begin to last end, µs:"], cells),
        )
    ]


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
    def extra(case: Case) -> Cell:
        more, less = figure_of(table, case), figure_of(table, direct_of(case))
        return fixed((more.value - less.value) / case.whole("dispatches") / 1000 if more and less else None, 3)

    return [
        pivot(
            sorted(table.select({"variant": "indirect", "api": "vulkan"}), key=order_of),
            keys({"blocks:": "blocks", **WORK, "dispatches:": "dispatches", "arguments": lambda case: "in place" if case["way"] == "in_place" else "copied"}),
            column("direct, µs:", lambda case: micros(figure_of(table, direct_of(case)))),
            (["indirect, µs:"], figures(table, micros, "device_ns")),
            column("more a dispatch, µs:", extra),
        )
    ]


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
    order = ["known", "taken", "not_taken", "while", "predicated", "tail", "from_device"]
    cases = table.select({"variant": ["guarded", "repeated", "launched"]})
    shown = pivot(
        sorted(cases, key=lambda case: (case["variant"], *order_of(case)[:3], place_in(order, case["way"]), case["api"])),
        keys({"what": "variant", "blocks:": "blocks", **WORK, "times or steps:": "dispatches", "way": "way", "API": api_name}),
        (["GPU, µs:", "round trip:", "submit:"], figures(table, micros, *TIMES)),
        column("more than known, each, µs:", lambda case: fixed(extra_us(table, case), 3)),
    )
    text = "GPU time and round trip are medians of samples of their own: one may lie above the other. Vulkan's loop is always recorded with the most steps tried, of which so many run."
    return told(shown, [text])


def dispatches_chart(_: Study, table: Table) -> Chart:
    panels = []
    for work in ("0", "10000"):
        where = {"variant": "dispatches", "blocks": "1", "work_ns": work}
        series = []
        for name, kind, api, way in (
            ("CUDA, a stream", CUDA, "cuda", "ordered"),
            ("CUDA, a graph of 32 branches", MORE[0], "cuda", "independent_replayed"),
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
