"""exp08_generated's tables and figure: jobs whose number and size the GPU decides, by each way to run them."""

from benchlib.document.document import NO_RESULTS, Blocks, Cell, fixed
from benchlib.document.plots import CUDA, MORE, VULKAN, Chart, Panel, line
from benchlib.model.analysis import Analysis, Counting, Plot, Study
from benchlib.model.pairs import figure_of, pairs, place_in
from benchlib.results.results import Case, Table
from benchlib.tables.beyond import beyond_round_trip, share
from benchlib.tables.pivot import api_name, by_api, column, figures, keys, pivot, thousandth, told
from benchlib.tables.twins import micros, noise_floor, versus

WAYS = [
    "known", "known_8", "known_32", "one_grid", "indirect", "generated", "preprocessed", "executed", "nodes", "nodes_8", "nodes_32", "nodes_constant",
    "nodes_applied", "nodes_in_one_call", "conditional", "switched", "graphs", "graphs_by_threads", "children",
]  # fmt: skip
TIMES = ("device_ns", "roundtrip_ns", "submit_ns")


def order_of(case: Case) -> tuple[int, int, int, str, int]:
    return case.whole("work_ns"), case.whole("jobs"), case.whole("runs"), case["api"], place_in(WAYS, case["way"])


KEYS = {"work, µs:": thousandth("work_ns"), "jobs:": "jobs", "run:": "runs"}


def by_way(table: Table, variant: str) -> Blocks:
    """A row for each case and API: GPU time, round trip and submission of all jobs together, and how the GPU time compares with that of `known`."""

    def over_known(case: Case) -> Cell:
        one, known = figure_of(table, case), figure_of(table, case.replace(way="known"))
        return fixed(one.value / known.value if one and known else None, 2)

    shown = pivot(
        sorted(table.select({"variant": variant}), key=order_of),
        keys({**KEYS, "API": api_name, "way": "way"}),
        (["GPU, µs:", "round trip:", "submit:"], figures(table, micros, *TIMES)),
        column("over known:", over_known),
    )
    return told(shown, ["Microseconds of all jobs of a submission together."])


def planned(_: Study, table: Table) -> Blocks:
    return by_way(table, "planned")


def culled(_: Study, table: Table) -> Blocks:
    """The first jobs run; then, where a run has them, jobs here and there."""
    here_and_there = by_way(table, "scattered") if table.select({"variant": "scattered"}) else []
    return by_way(table, "culled") + here_and_there


def gate(_: Study, table: Table) -> Blocks:
    """What the gate ahead of a sample does to CUDA's graphs: rows that cannot be, and the controls."""
    named = keys({"variant": "variant", **KEYS, "API": api_name, "way": "way"})
    cases = sorted(table.select({"variant": ["planned", "culled", "scattered", "led_in", "not_held"]}), key=order_of)
    controls = [case for case in cases if case["variant"] in ("led_in", "not_held") or case["variant"] == "planned" and case["api"] == "cuda"]
    shown = pivot(
        controls if any(case["variant"] != "planned" for case in controls) else [],
        named,
        (["GPU, µs:", "round trip:"], figures(table, micros, "device_ns", "roundtrip_ns")),
        column("GPU / round trip:", lambda case: fixed(share(table, case), 2)),
    )
    text = "The same work behind the gate (planned), behind the gate and two untimed submissions (led_in), and without a gate (not_held)."
    return beyond_round_trip(table, cases, named) + (told(shown, [text]) if shown != NO_RESULTS else [])


def in_both(found: Study, table: Table) -> Blocks:
    """The ways that both APIs have."""
    chosen = pairs(table, {"variant": ["planned", "culled", "scattered"], "way": ["known", "one_grid"]})
    shown = pivot(
        sorted(chosen, key=lambda pair: order_of(pair.case)),
        keys({**KEYS, "way": "way"}),
        by_api(["{} GPU, µs:", "round trip:", "submit:"], figures(table, micros, *TIMES)),
        versus(table, " GPU"),
    )
    return told(shown, [], [found.memoized(noise_floor, table)])


def planned_chart(_: Study, table: Table) -> Chart:
    panels = []
    for work in ("0", "10000"):
        series = []
        for name, kind, api, way in (
            ("CUDA, nodes that a kernel sets", CUDA, "cuda", "nodes"),
            ("CUDA, kernels that a kernel launches", MORE[0], "cuda", "children"),
            ("Vulkan, generated commands", VULKAN, "vulkan", "generated"),
            ("Vulkan, indirect dispatches", MORE[1], "vulkan", "indirect"),
            ("Vulkan, one grid", MORE[2], "vulkan", "one_grid"),
        ):
            cases = table.select({"variant": "planned", "api": api, "way": way, "work_ns": work})
            series.append(line(table, name, kind, cases, lambda case: case.whole("jobs"), "device_ns", 1e-3))
        title = "blocks that only store" if work == "0" else "blocks that work for 10 µs"
        panels.append(Panel(title, "µs of all jobs, median and 95 % interval", series, y_log=True))
    return Chart("Jobs that the GPU plans", "jobs of a submission", panels, description="GPU time of jobs whose size a kernel decides, by way of running them.")


ANALYSIS = Analysis(
    sections=[("Jobs that the GPU plans", planned), ("Jobs that the GPU culls", culled), ("Ways that both APIs have", in_both), ("What the gate does", gate)],
    plots={"exp08-generated": Plot("Jobs that the GPU plans", planned_chart, "planned")},
    plots_marker="exp08-generated-plots",
    counting=Counting(by_default=False),
)
