"""exp06_async_copy's tables: copies beside computing, copies alone, tiles without one of their fences."""

from collections.abc import Sequence

from benchlib.document import document
from benchlib.model.analysis import Analysis, Counting, Plot, Study
from benchlib.document.document import NONE, Blocks, Cell, Code, fixed, paragraph, whole
from benchlib.stats.formats import count
from benchlib.document.plots import CUDA, MORE, VULKAN, Chart, Panel, line
from benchlib.results.results import AA, API_NAMES, Case, Table
from benchlib.model.pairs import figure_of, in_order
from benchlib.tables.pivot import across, column, decimals, grid, keys, pivot, told

ALONE = "overlap_none"


def _overlapped(copy: float | None, compute: float | None, both: float | None) -> Cell:
    """How much of the shorter of the two was hidden behind the longer, in per cent."""
    if copy is None or compute is None or both is None:
        return NONE
    return fixed(100 * (copy + compute - both) / min(copy, compute), 0)


def overlap(_: Study, table: Table) -> Blocks:
    """A row a mechanism and API: the time of each chain, and the share of the overlap that was possible."""
    cases = [case for case in table.cases if case["steps"] and case["variant"] not in AA]
    cases.sort(key=lambda case: case["api"])

    alone = {(case["api"], case["steps"]): case for case in cases if case["variant"] == ALONE}

    def time(case: Case | None) -> float | None:
        figure = figure_of(table, case)
        return figure.value if figure else None

    def micros_of(of_length: Sequence[Case]) -> Cell:
        ns = time(of_length[0]) if of_length else None
        return NONE if ns is None else document.number(ns / 1000)

    def share(of_length: Sequence[Case]) -> Cell:
        both = of_length[0] if of_length else None
        return _overlapped(*(time(each) for each in (both.replace(steps="0"), alone.get((both["api"], both["steps"])), both))) if both else NONE

    names = {"": "variant", "stages:": "stages", "API": lambda case: case["api"]}
    beside = [case for case in cases if case["variant"] != ALONE and case["steps"] != "0"]
    return [
        paragraph(
            "Microseconds per launch, by the steps of computing on each word. ", Code(ALONE), " computes and does not copy."
        ),
        grid(cases, names, lambda case: case.whole("steps"), str, micros_of),
        paragraph(
            "How much of the shorter of the two, copying (the column 0) and computing (",
            Code(ALONE),
            "), was hidden behind the longer; per cent. In turns is 0.",
        ),
        grid(beside, names, lambda case: case.whole("steps"), str, share),
    ]


def copies(_: Study, table: Table) -> Blocks:
    """The fastest first."""
    rates = {case: figure.value for case in table.cases if case["variant"].startswith("copy_") and (figure := figure_of(table, case, "gbps"))}
    shown = pivot(
        sorted(rates, key=lambda case: -rates[case]),
        keys({"": "variant", "API": "api", "blocks per SM:": "blocks_per_sm", "stages:": "stages", "bytes per copy:": _chunk, "hint": "hint"}),
        column("GB/s:", lambda case: document.number(rates[case])),
        decimals(table, {"of peak (%):": ("peak_pct", 1)}),
    )
    return [shown]


def _chunk(case: Case) -> Cell:
    return whole(case.whole("chunk_bytes")) if case["chunk_bytes"] else NONE


def tiles(_: Study, table: Table) -> Blocks:
    """A row a thing left out, a column a pressure."""
    cases = table.select({"variant": ["tile", "tile_without"]})
    wrong = {(case["left_out"], case["pressure"]): case for case in reversed(cases)}

    def words(left_out: str, what: tuple[str, str, str]) -> Cell:
        case = wrong.get((left_out, what[1]))
        return table.text(case, what[2]) or NONE if case else NONE

    counted = (("wrong tiles", "wrong_tiles"), ("words outside", "wrong_outside"))
    columns = [(name, pressure, metric) for pressure in sorted({case["pressure"] for case in cases}, key=int) for name, metric in counted]
    sizes = {table.text(case, "tiles") for case in cases} - {""}
    text = f"Of {' or '.join(count(int(tiles)) for tiles in sorted(sizes, key=int)) or 'no'} tiles."
    name = column("left out", lambda left_out: left_out or "nothing")
    return told(pivot(in_order(cases, "left_out"), name, across(columns, lambda what: f"{what[0]}, pressure {what[1]}", words)), [text])


MOST_STEPS = 64  # in the figure: beyond, computing alone is all there is to see
SHOWN = {
    "cuda": [(ALONE, "", "computing alone", CUDA), ("overlap_staged", "", "staged", MORE[0]), ("overlap_full", "", "full SM, plain", MORE[1]),
             ("overlap_cp_async", "4", "cp.async, 4 stages", MORE[2])],
    "vulkan": [(ALONE, "", "computing alone", VULKAN), ("overlap_staged", "", "staged", MORE[0]), ("overlap_full", "", "full SM, plain", MORE[1])],
}  # fmt: skip


def overlap_chart(_: Study, table: Table) -> Chart:
    """A launch's time against how much is computed beside the copy: what overlaps stays flat until computing alone takes longer."""
    panels = []
    for api, shown in SHOWN.items():
        series = []
        for variant, stages, name, kind in shown:
            cases = [case for case in table.select({"variant": variant, "api": api, "stages": stages}) if case.whole("steps") <= MOST_STEPS]
            series.append(line(table, name, kind, cases, lambda case: case.whole("steps"), "device_ns", 1e-3))
        panels.append(Panel(API_NAMES[api], "µs per launch", series))
    text = "The time of a copy with so many steps of computing per word beside it, and of the computing alone."
    return Chart("Copies beside computing", "steps of computing per word", panels, columns=2, description=text, x_log=False)


ANALYSIS = Analysis(
    sections=[
        ("Copies beside computing", overlap),
        ("Copies alone", copies),
        ("A tile without one of its fences", tiles),
    ],
    plots={"exp06-overlap": Plot("Copies beside computing", overlap_chart, "overlap_*")},
    plots_marker="exp06-overlap-plots",
    # What it moves is known, and the same in all of its rows; they would take ncu minutes.
    counting=Counting(by_default=False),
)
