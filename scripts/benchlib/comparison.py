"""Two result sets, case by case: which became slower, by how much, and what changed beside them."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import NormalDist

from benchlib import results, samples
from benchlib.results import Case, Results, Table
from benchlib.samples import Identity, Samples
from benchlib.stats import SAME_HI, SAME_LO, Figure, hull, ratio, verdict

SAME, FASTER, SLOWER, UNCLEAR, ONLY_A, ONLY_B = VERDICTS = ("SAME", "FASTER", "SLOWER", "UNCLEAR", "ONLY IN A", "ONLY IN B")
ALPHA = 0.05  # of all comparisons together
OTHER_CLOCK = 0.005  # medians of the SM clock further apart than this: cycles are worth a look
ORIGINS = ("gpu", "gpu_uuid", "driver", "toolkit", "git_rev")
CODE_CHANGED = "the code changed"


@dataclass
class Side:
    """A case in one of the sets."""

    experiment: str
    case: Case
    table: Table
    runs: list[Samples | None]  # one a run

    @property
    def reason(self) -> str:
        """Why it has no time: its row's status and reason."""
        rows = [run[self.case] for run in self.table.runs if self.case in run]
        return "; ".join(dict.fromkeys(f"{row['status']}: {row['reason']}" for row in rows if row["status"] != "ok"))

    @property
    def has_time(self) -> bool:
        return bool(self.measured)

    @property
    def measured(self) -> list[tuple[Figure, Samples | None]]:
        """Of each run with a time: the row's figure, and its samples where there are any."""
        figures = self.table.run_figures(self.case, "device_ns")
        return [(figure, run if run and run.device_ns else None) for figure, run in zip(figures, self.runs) if figure]

    @property
    def has_samples(self) -> bool:
        return all(run for _, run in self.measured)

    def time(self, alpha: float) -> Figure | None:
        """From each run's samples; without them, from its row's 95 % interval, widened as a normal distribution's would be."""
        return hull([samples.median(run.device_ns, alpha) if run else widened(figure, alpha) for figure, run in self.measured])

    def cycles(self, alpha: float) -> Figure | None:
        runs = [run.cycles if run else [] for _, run in self.measured]
        return hull([samples.median(cycles, alpha) for cycles in runs]) if all(runs) else None

    @property
    def sm_mhz(self) -> float | None:
        clocks = [clock for run in self.runs if run for clock in run.sm_mhz]
        return statistics.median(clocks) if clocks else None


def widened(figure: Figure, alpha: float) -> Figure:
    if figure.lo is None or figure.hi is None:
        return figure
    factor = NormalDist().inv_cdf(1 - alpha / 2) / NormalDist().inv_cdf(0.975)
    lo, hi = (figure.value * (end / figure.value) ** factor for end in (figure.lo, figure.hi))
    return Figure(figure.value, lo, hi, figure.runs)


@dataclass
class Row:
    """One case of both sets, or of one."""

    experiment: str
    name: str
    api: str
    verdict: str
    ratio: Figure | None = None  # B / A of the times
    cycles: Figure | None = None  # B / A of the SM's cycles
    cycles_verdict: str = ""  # only where the clocks differ
    a_ns: float | None = None
    b_ns: float | None = None
    a_mhz: float | None = None
    b_mhz: float | None = None
    code_changed: bool = False
    notes: list[str] = field(default_factory=list)


@dataclass
class Comparison:
    a: Results
    b: Results
    rows: list[Row]
    compared: int  # how many cases have a time on both sides: the number that the intervals are corrected for
    origins: list[tuple[str, str, str]]  # (what, in A, in B) that differ

    def count(self) -> Counter[str]:
        return Counter(row.verdict for row in self.rows)

    def of(self, *verdicts: str) -> list[Row]:
        return [row for row in self.rows if row.verdict in verdicts]

    @property
    def changed_code(self) -> list[Row]:
        return [row for row in self.rows if row.code_changed]


def compare(a: Path, b: Path, only: Sequence[str] = ()) -> Comparison:
    """Raises InputError for a directory that cannot be used."""
    both = results.load(a), results.load(b)
    left, right = (sides(found, only) for found in both)
    shared = [key for key in left if key in right]
    compared = sum(left[key].has_time and right[key].has_time for key in shared)
    alpha = ALPHA / max(1, compared)
    rows = [compared_row(left[key], right[key], alpha) if key in right else lone_row(left[key], ONLY_A) for key in left]
    rows += [lone_row(side, ONLY_B) for key, side in right.items() if key not in left]
    rows.sort(key=lambda row: row.experiment)
    return Comparison(*both, rows, compared, origins(*both))


def sides(found: Results, only: Sequence[str]) -> dict[tuple[str, Identity], Side]:
    sides_: dict[tuple[str, Identity], Side] = {}
    for name, table in found.tables.items():
        if only and not any(name == wish or name.startswith(f"{wish}_") for wish in only):
            continue
        folders = [found.directory, found.directory / "rerun"][: len(table.runs)]
        by_run = [samples.load(folder, name) for folder in folders]
        for case in table.cases:
            key = samples.identity(case.cells)
            sides_[name, key] = Side(name, case, table, [run.get(key) for run in by_run])
    return sides_


def compared_row(a: Side, b: Side, alpha: float) -> Row:
    if not (a.has_time and b.has_time):
        if not (a.has_time or b.has_time):
            return row_of(a, UNCLEAR, notes=[f"no time in either: {a.reason or 'no reason given'}"])
        return lone_row(a, ONLY_A, b) if a.has_time else lone_row(b, ONLY_B, a)
    row = row_of(a, UNCLEAR)
    old, new = a.time(alpha), b.time(alpha)
    assert old and new
    row.ratio = ratio(new, old)
    row.verdict = verdict(row.ratio)
    row.a_ns, row.b_ns = old.value, new.value
    if not row.ratio.has_interval:
        row.notes.append("too few samples for an interval that allows for the number of comparisons")
    elif not (a.has_samples and b.has_samples):
        row.notes.append("without samples of every run: the rows' intervals, widened")
    row.a_mhz, row.b_mhz = a.sm_mhz, b.sm_mhz
    old, new = a.cycles(alpha), b.cycles(alpha)
    if old and new:
        row.cycles = ratio(new, old)
        if row.a_mhz and row.b_mhz and abs(row.b_mhz / row.a_mhz - 1) > OTHER_CLOCK:
            row.cycles_verdict = verdict(row.cycles)
            row.notes.append(f"SM clock {row.a_mhz:g} MHz in A, {row.b_mhz:g} in B")
    hashes = [side.table.text(side.case, "isa_hash") for side in (a, b)]
    row.code_changed = all(hashes) and hashes[0] != hashes[1]
    if row.code_changed:
        row.notes.append(CODE_CHANGED)
    return row


def lone_row(side: Side, verdict_: str, other: Side | None = None) -> Row:
    notes = [other.reason] if other and other.reason else []
    figure = side.table.figure(side.case, "device_ns")
    row = row_of(side, verdict_, notes=notes if figure else [*notes, side.reason])
    if figure:
        row.a_ns, row.b_ns = (figure.value, None) if verdict_ == ONLY_A else (None, figure.value)
    return row


def row_of(side: Side, verdict_: str, notes: Iterable[str] = ()) -> Row:
    return Row(side.experiment, side.case.name(without=["api"]), side.case["api"], verdict_, notes=[n for n in notes if n])


def origins(a: Results, b: Results) -> list[tuple[str, str, str]]:
    found = []
    for column in ORIGINS:
        texts = [", ".join(values(side, column)) for side in (a, b)]
        if texts[0] != texts[1]:
            found.append((column, texts[0], texts[1]))
    return found


def values(found: Results, column: str) -> list[str]:
    rows = [row for table in found.tables.values() for run in table.runs for row in run.values()]
    return sorted({row[column] for row in rows if row[column]})


def geometric_mean(rows: Iterable[Row]) -> float | None:
    logs = [math.log(row.ratio.value) for row in rows if row.ratio]
    return math.exp(sum(logs) / len(logs)) if logs else None


BAND = f"{SAME_LO:g} to {SAME_HI:g}"
