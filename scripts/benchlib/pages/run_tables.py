"""Tables about the runs themselves: where they ran, what did not run."""

from collections import Counter
from collections.abc import Collection, Iterable

from benchlib.document import document
from benchlib.tables.claim_tables import tally
from benchlib.document.document import NONE, Block, Cell, paragraph
from benchlib.results.results import API_NAMES, Table
from benchlib.results.schema import STATUSES

LISTED_CASES = 4  # named in the list of failed and skipped cases, for each reason
LISTED_RUNS = 3  # likewise; of more it is said how many


def distinct(tables: Iterable[Table], column: str) -> list[str]:
    return sorted(set().union(*(table.distinct(column) for table in tables)))


def row_counts(tables: Iterable[Table]) -> Counter[str]:
    return sum((table.statuses for table in tables), Counter())


def environment(tables: Collection[Table]) -> Block:
    """Of one experiment, or of several together."""
    lines: list[list[Cell]] = []
    for column in ("gpu", "gpu_uuid", "driver", "toolkit", "git_rev", "seed"):
        found = distinct(tables, column)
        lines.append([column, ", ".join(rows_by_commit(tables, found) if column == "git_rev" and len(found) > 1 else found) or NONE])
    starts = distinct(tables, "started_at")
    lines.append(["started_at", " to ".join(dict.fromkeys([starts[0], starts[-1]])) if starts else NONE])
    boards = Counter(board for table in tables for board in table.boards if board)
    by_board = ": " + ", ".join(f"{number} of {board}" for board, number in boards.items()) if boards else ""
    lines.append(["runs of a program", f"{sum(len(table.runs) for table in tables)}{by_board}"])
    lines.append(["rows", tally(row_counts(tables), STATUSES)])
    if left_out := rows_left_out(tables):
        lines.append(["rows left out", left_out])
    return document.table(["environment", ""], lines)


def rows_by_commit(tables: Iterable[Table], commits: Iterable[str]) -> list[str]:
    counts = Counter(row["git_rev"] for table in tables for run in table.runs for row in run.values())
    return [f"{commit} ({counts[commit]} rows)" for commit in commits]


def rows_left_out(tables: Iterable[Table]) -> str:
    """Of which commits how many, and why; empty where all rows count."""
    found: dict[str, Counter[str]] = {}
    for one in (one for table in tables for one in table.left_out):
        found.setdefault(one.why, Counter())[one.commit] += one.rows
    return "; ".join(f"{', '.join(f'{rows} of {commit}' for commit, rows in of.items())}: {why}" for why, of in found.items())


def missing_rows(table: Table) -> Block:
    """Cases without a result, those with the same reason together."""
    groups: dict[tuple[str, ...], dict[str, set[int]]] = {}  # the cases, and in which runs
    for number, run in enumerate(table.runs, start=1):
        for case, row in run.items():
            if row["status"] != "ok":
                cases = groups.setdefault((row["api"], row["status"], row["reason"]), {})
                cases.setdefault(case.name(without=["api"]), set()).add(number)
    rows = []
    for (api, status, reason), cases in groups.items():
        listed = ", ".join(list(cases)[:LISTED_CASES]) + (", ..." if len(cases) > LISTED_CASES else "")
        numbers = sorted(set().union(*cases.values()))
        runs = ", ".join(map(str, numbers)) if len(numbers) <= LISTED_RUNS else f"{len(numbers)} of {len(table.runs)}"
        rows.append([runs, API_NAMES[api], status, reason or NONE, str(len(cases)), listed])
    header = ["run", "API", "status", "reason", "cases:", "which"]
    return document.table(header, rows) if rows else paragraph("None: every case ran.")
