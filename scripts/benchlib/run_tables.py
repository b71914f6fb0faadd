"""Tables about the runs themselves: where they ran, what did not run, how far they lie apart."""

from __future__ import annotations

import statistics
from collections import Counter

from benchlib import document
from benchlib.claim_tables import tally
from benchlib.document import NONE, Block, Cell, fixed, paragraph
from benchlib.results import API_NAMES, Results, Table

LISTED_CASES = 4  # named in the list of failed and skipped cases, for each reason


def distinct(table: Table, column: str) -> list[str]:
    return sorted({row[column] for run in table.runs for row in run.values() if row[column]})


def environment(table: Table) -> Block:
    lines: list[list[Cell]] = []
    for column in ("gpu", "gpu_uuid", "driver", "toolkit", "git_rev", "seed"):
        lines.append([column, ", ".join(distinct(table, column)[:4]) or NONE])
    starts = distinct(table, "started_at")
    lines.append(["started_at", " to ".join(dict.fromkeys([starts[0], starts[-1]])) if starts else NONE])
    statuses = Counter(row["status"] for run in table.runs for row in run.values())
    lines.append(["runs", str(len(table.runs))])
    lines.append(["rows", tally(statuses, ("ok", "failed", "skipped"))])
    return document.table(["environment", ""], lines)


def missing_rows(table: Table) -> Block:
    """Cases without a result, those with the same reason together."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for number, run in enumerate(table.runs, start=1):
        for case, row in run.items():
            if row["status"] != "ok":
                group = (str(number), row["api"], row["status"], row["reason"])
                groups.setdefault(group, []).append(case.name(without=["api"]))
    rows = []
    for (run_number, api, status, reason), names in groups.items():
        listed = ", ".join(names[:LISTED_CASES]) + (", ..." if len(names) > LISTED_CASES else "")
        rows.append([run_number, API_NAMES[api], status, reason or NONE, str(len(names)), listed])
    header = ["run", "API", "status", "reason", "cases:", "which"]
    return document.table(header, rows) if rows else paragraph("None: every case ran.")


def repeatability(found: Results) -> Block:
    """How far the DRAM-size medians of independent runs lie from the first run's."""
    header = ["experiment", "cases:", "median difference (%):", "largest (%):", "case"]
    rows: list[list[Cell]] = []
    for table in found.tables.values():
        differences = []
        for case in table.cases:
            times = [float(row["device_ns"]) for row in table.rows(case) if row["device_ns"]]
            if len(times) > 1 and table.is_dram(case):
                differences.append((max(abs(time / times[0] - 1) for time in times[1:]) * 100, case.name()))
        if not differences:
            continue
        worst = max(differences)
        middle = statistics.median(difference for difference, _ in differences)
        rows.append([table.name, str(len(differences)), fixed(middle, 2), fixed(worst[0], 2), worst[1]])
    return document.table(header, rows) if rows else paragraph("No case of DRAM size was run twice.")
