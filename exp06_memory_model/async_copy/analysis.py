"""exp06_async_copy's tables: copies beside computing, copies alone, tiles without one of their fences."""

from __future__ import annotations

from collections.abc import Sequence

from benchlib.document import document
from benchlib.model.analysis import Analysis, Counting, Plot, Study
from benchlib.document.document import NONE, Blocks, Cell, Code, fixed, paragraph, whole
from benchlib.stats.formats import count
from benchlib.document.plots import CUDA, MORE, VULKAN, Chart, Panel, line
from benchlib.results.results import API_NAMES, APIS, Case, Table
from benchlib.model.pairs import figure_of
from benchlib.tables.twins import plain

ALONE = "overlap_none"
AA = ("aa_control_a", "aa_control_b")


def _time(table: Table, cases: Sequence[Case], **where: str) -> float | None:
    figures = [figure_of(table, case) for case in cases if all(case[column] == value for column, value in where.items())]
    return figures[0].value if figures and figures[0] else None


def _overlapped(copy: float | None, compute: float | None, both: float | None) -> Cell:
    """How much of the shorter of the two was hidden behind the longer, in per cent."""
    if copy is None or compute is None or both is None:
        return NONE
    return fixed(100 * (copy + compute - both) / min(copy, compute), 0)


def overlap(_: Study, table: Table) -> Blocks:
    """A row a mechanism and API: the time of each chain, and the share of the overlap that was possible."""
    cases = [case for case in table.cases if case["steps"] and case["variant"] not in AA]
    steps = sorted({case["steps"] for case in cases}, key=int)
    times, shares = [], []
    for api in APIS:
        for variant, stages in dict.fromkeys((case["variant"], case["stages"]) for case in cases if case["api"] == api):
            name: list[Cell] = [variant, stages or NONE, api]
            own = {"variant": variant, "stages": stages, "api": api}
            found = {length: _time(table, cases, steps=length, **own) for length in steps}
            times.append([*name, *(document.number(ns / 1000) if (ns := found[length]) is not None else NONE for length in steps)])
            if variant == ALONE:
                continue
            share = [
                _overlapped(found.get("0"), _time(table, cases, variant=ALONE, api=api, steps=length), found[length])
                for length in steps
                if length != "0"
            ]
            shares.append([*name, *share])
    header = ["", "stages:", "API"]
    return [
        paragraph(
            "Microseconds per launch, by the steps of computing on each word. ", Code(ALONE), " computes and does not copy."
        ),
        document.table([*header, *(f"{length}:" for length in steps)], times),
        paragraph(
            "How much of the shorter of the two, copying (the column 0) and computing (",
            Code(ALONE),
            "), was hidden behind the longer; per cent. In turns is 0.",
        ),
        document.table([*header, *(f"{length}:" for length in steps if length != "0")], shares),
    ]


def copies(_: Study, table: Table) -> Blocks:
    """The fastest first."""
    cases = [case for case in table.cases if case["variant"].startswith("copy_")]
    rated = [(figure, case) for case in cases if (figure := figure_of(table, case, "gbps"))]
    rows = []
    for gbps, case in sorted(rated, key=lambda one: -one[0].value):
        peak = figure_of(table, case, "peak_pct")
        chunk: Cell = whole(case.whole("chunk_bytes")) if case["chunk_bytes"] else NONE
        shape: list[Cell] = [case["blocks_per_sm"] or NONE, case["stages"] or NONE, chunk, case["hint"] or NONE]
        rows.append([case["variant"], case["api"], *shape, plain(gbps), fixed(peak.value, 1) if peak else NONE])
    header = ["", "API", "blocks per SM:", "stages:", "bytes per copy:", "hint", "GB/s:", "of peak (%):"]
    return [document.table(header, rows)]


def tiles(_: Study, table: Table) -> Blocks:
    """A row a thing left out, a column a pressure."""
    cases = table.select({"variant": ["tile", "tile_without"]})
    pressures = sorted({case["pressure"] for case in cases}, key=int)
    rows = []
    for left_out in dict.fromkeys(case["left_out"] for case in cases):
        cells = []
        for pressure in pressures:
            chosen = [case for case in cases if (case["left_out"], case["pressure"]) == (left_out, pressure)]
            cells += [table.text(chosen[0], column) or NONE if chosen else NONE for column in ("wrong_tiles", "wrong_outside")]
        rows.append([left_out or "nothing", *cells])
    sizes = {table.text(case, "tiles") for case in cases} - {""}
    header = [f"{what}, pressure {pressure}:" for pressure in pressures for what in ("wrong tiles", "words outside")]
    text = f"Of {' or '.join(count(int(tiles)) for tiles in sorted(sizes, key=int)) or 'no'} tiles."
    return [paragraph(text), document.table(["left out", *header], rows)]


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
