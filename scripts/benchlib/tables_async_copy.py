"""exp06_async_copy's tables: copies beside computing, copies alone, tiles without one of their fences."""

from __future__ import annotations

from collections.abc import Sequence

from benchlib import markdown
from benchlib.markdown import NONE, count, escape, sig
from benchlib.results import APIS, Case, Results, Table
from benchlib.tables import Experiment, figure_of

ALONE = "overlap_none"
AA = ("aa_control_a", "aa_control_b")


def _time(table: Table, cases: Sequence[Case], **where: str) -> float | None:
    figures = [figure_of(table, case) for case in cases if all(case[column] == value for column, value in where.items())]
    return figures[0].value if figures and figures[0] else None


def _overlapped(copy: float | None, compute: float | None, both: float | None) -> str:
    """How much of the shorter of the two was hidden behind the longer, in per cent."""
    if copy is None or compute is None or both is None:
        return NONE
    return f"{100 * (copy + compute - both) / min(copy, compute):.0f}"


def async_overlap(_: Results, table: Table) -> str:
    """A row a mechanism and API: the time of each chain, and the share of the overlap that was possible."""
    cases = [case for case in table.cases if case["steps"] and case["variant"] not in AA]
    steps = sorted({case["steps"] for case in cases}, key=int)
    times, shares = [], []
    for api in APIS:
        for variant, stages in dict.fromkeys((case["variant"], case["stages"]) for case in cases if case["api"] == api):
            name = [escape(variant), stages or NONE, api]
            own = {"variant": variant, "stages": stages, "api": api}
            found = {length: _time(table, cases, steps=length, **own) for length in steps}
            times.append([*name, *(sig(ns / 1000) if (ns := found[length]) is not None else NONE for length in steps)])
            if variant == ALONE:
                continue
            share = [
                _overlapped(found.get("0"), _time(table, cases, variant=ALONE, api=api, steps=length), found[length])
                for length in steps
                if length != "0"
            ]
            shares.append([*name, *share])
    header = ["", "stages:", "API"]
    text = "Microseconds a launch, by the steps of computing on each word. `overlap_none` computes and does not copy."
    tables = markdown.table([*header, *(f"{length}:" for length in steps)], times)
    more = (
        "How much of the shorter of the two, copying (the column 0) and computing (`overlap_none`), was hidden behind the longer; "
        "per cent. In turns is 0."
    )
    return f"{text}\n\n{tables}\n\n{more}\n\n{markdown.table([*header, *(f'{n}:' for n in steps if n != '0')], shares)}"


def async_copies(_: Results, table: Table) -> str:
    """The fastest first."""
    cases = [case for case in table.cases if case["variant"].startswith("copy_")]
    rated = [(figure.value, case) for case in cases if (figure := figure_of(table, case, "gbps"))]
    rows = []
    for gbps, case in sorted(rated, key=lambda one: -one[0]):
        peak = figure_of(table, case, "peak_pct")
        chunk = count(case.whole("chunk_bytes")) if case["chunk_bytes"] else NONE
        shape = [case["blocks_per_sm"] or NONE, case["stages"] or NONE, chunk, escape(case["hint"]) or NONE]
        rows.append([escape(case["variant"]), case["api"], *shape, sig(gbps), f"{peak.value:.1f}" if peak else NONE])
    header = ["", "API", "blocks an SM:", "stages:", "bytes a copy:", "hint", "GB/s:", "of peak (%):"]
    return markdown.table(header, rows)


def async_tiles(_: Results, table: Table) -> str:
    """A row a thing left out, a column a pressure."""
    cases = table.select({"variant": ["tile", "tile_without"]})
    pressures = sorted({case["pressure"] for case in cases}, key=int)
    rows = []
    for left_out in dict.fromkeys(case["left_out"] for case in cases):
        cells = []
        for pressure in pressures:
            chosen = [case for case in cases if (case["left_out"], case["pressure"]) == (left_out, pressure)]
            cells += [table.text(chosen[0], column) or NONE if chosen else NONE for column in ("wrong_tiles", "wrong_outside")]
        rows.append([escape(left_out) or "nothing", *cells])
    counted = {table.text(case, "tiles") for case in cases} - {""}
    header = [f"{what}, pressure {pressure}:" for pressure in pressures for what in ("wrong tiles", "words outside")]
    text = f"Of {' or '.join(count(int(tiles)) for tiles in sorted(counted, key=int)) or 'no'} tiles."
    return f"{text}\n\n{markdown.table(['left out', *header], rows)}"


EXPERIMENTS = [
    Experiment(
        "exp06_async_copy",
        sections=[
            ("Copies beside computing", async_overlap),
            ("Copies alone", async_copies),
            ("A tile without one of its fences", async_tiles),
        ],
        readme={
            "exp06-overlap": async_overlap,
            "exp06-copies": async_copies,
            "exp06-tiles": async_tiles,
        },
    )
]
