"""Two result sets, case by case: which became slower, by how much, and what changed beside them."""

import math
import statistics
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchlib.base import console
from benchlib.base.kept import kept_property
from benchlib.claims import claim_check, claims
from benchlib.fleet import groups
from benchlib.fleet.groups import Group
from benchlib.model import analysis
from benchlib.model.analysis import Study
from benchlib.results import results
from benchlib.results.results import Case, Results, Table
from benchlib.stats import estimate
from benchlib.stats.outliers import Values
from benchlib.stats.spreads import FIGURES
from benchlib.stats.stats import FIXED_COST, SAME_HI, SAME_LO, UNCLEAR, Figure, VERDICTS as COMPARED, verdict, verdict_beyond_fixed_costs

ONLY_A, ONLY_B, NO_TIME = ALONE = ("ONLY IN A", "ONLY IN B", "NO TIME")  # the last: neither set has one
OTHER_CLOCK = 0.005  # medians of the SM clock further apart than this: cycles are worth a look
ORIGINS = ("gpu", "gpu_uuid", "driver", "toolkit", "git_rev")
SOFTWARE = "a software device's times are not compared"
CODE_CHANGED = "the code changed"

Identity = frozenset[tuple[str, str]]  # an empty parameter is one that the case lacks: a column more changes nothing
IdentityKey = tuple[str, Identity]  # the experiment, and the case in it


def boards_of(table: Table) -> list[str]:
    """Each run's board, by its GPU's UUID where the folder does not name it."""
    return [board or next((row["gpu_uuid"] for row in run.values() if row["gpu_uuid"]), "").removeprefix("GPU-")[:8] for board, run in zip(table.boards, table.runs)]


@dataclass
class SetCase:
    """A case in one of the sets."""

    key: IdentityKey
    case: Case
    table: Table
    boards: Sequence[str]  # of the table's runs

    @property
    def reason(self) -> str:
        """Why it has no time: its row's status and reason."""
        rows = [run[self.case] for run in self.table.runs if self.case in run]
        return "; ".join(dict.fromkeys(SOFTWARE if row["status"] == "ok" else f"{row['status']}: {row['reason']}" for row in rows if row["status"] != "ok" or results.is_of_software(row)))

    @property
    def has_time(self) -> bool:
        return bool(self.times)

    @kept_property
    def times(self) -> Values:
        return self._by_board(lambda row: 1.0)

    @kept_property
    def cycles(self) -> Values:
        """Nothing unless every run tells its clock."""
        return self._by_board(lambda row: float(row["sm_mhz"]) / 1000) if all(row.get("sm_mhz") for row in self.table.rows(self.case)) else {}

    def _by_board(self, factor: Callable[[results.Row], float]) -> Values:
        found: dict[str, list[float]] = {}
        for board, time, row in zip(self.boards, self.table.run_figures(self.case, "device_ns"), self.table.of_all_runs(self.case)):
            if time and row and time.value > 0:
                found.setdefault(board, []).append(math.log(time.value * factor(row)))
        return found

    @kept_property
    def by_run(self) -> dict[int, float]:
        """Its times by the run's number, as logarithms."""
        times = self.table.run_figures(self.case, "device_ns")
        return {run: math.log(time.value) for run, time in enumerate(times) if time and time.value > 0}

    @property
    def own(self) -> float:
        """What its runs' own intervals say that runs differ by."""
        figures = self.table.run_figures(self.case, "device_ns")
        return estimate.own_variance([(one.lo, one.hi) for one in figures if one and one.lo is not None and one.hi is not None])

    @kept_property
    def sm_mhz(self) -> float | None:
        clocks = [float(row["sm_mhz"]) for row in self.table.rows(self.case) if row.get("sm_mhz")]
        return statistics.median(clocks) if clocks else None


@dataclass
class ComparedCase:
    """One case of both sets, or of one."""

    key: IdentityKey
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
    rows: list[ComparedCase]
    origins: list[tuple[str, str, str]]  # (what, in A, in B) that differ
    groups: list[Group]

    def changed(self, side: str) -> list[Group]:
        """The groups that became SLOWER, or FASTER, those that did the most first."""
        found = [group for group in self.groups if group.answers[side]]
        return sorted(found, key=lambda group: -abs(group.shown(side).change.mean))

    @property
    def unchanged(self) -> list[Group]:
        return [group for group in self.groups if not any(group.answers.values())]

    def count(self) -> Counter[str]:
        return Counter(row.verdict for row in self.rows)

    @property
    def compared(self) -> int:
        """How many cases have a time on both sides."""
        return sum(row.verdict in COMPARED for row in self.rows)

    def of(self, *verdicts: str) -> list[ComparedCase]:
        return [row for row in self.rows if row.verdict in verdicts]

    @property
    def changed_code(self) -> list[ComparedCase]:
        return [row for row in self.rows if row.code_changed]


def compare(directories: Sequence[Path], only: Sequence[str] = (), untimed: Collection[str] = ()) -> list[Comparison]:
    """Every other set with the first. `untimed`: the programs whose times are no figures of merit; of them only cases that one set lacks are rows. Raises
    InputError for a directory that cannot be used, UsageError for a wish in vain.
    """
    sets = load(directories)
    names = console.chosen(sorted({name for found in sets for name in found.tables}), only)
    first, *others = (sides(found, names) for found in sets)
    return [Comparison(sets[0], found, compared_rows(first, other, untimed), origins(sets[0], found), judged(first, other, untimed)) for found, other in zip(sets[1:], others)]


def load(directories: Sequence[Path]) -> list[Results]:
    """A directory that is named twice is read once."""
    found = {path: results.load(each) for path, each in {each.resolve(): each for each in reversed(directories)}.items()}
    return [found[each.resolve()] for each in directories]


def sides(found: Results, names: Sequence[str]) -> dict[IdentityKey, SetCase]:
    sides_: dict[IdentityKey, SetCase] = {}
    for name in names:
        table = found.tables.get(name)
        if table is None:
            continue
        boards = boards_of(table)
        for case in table.cases:
            identity = frozenset((column, value) for column, value in case.cells if value)
            sides_[name, identity] = SetCase((name, identity), case, table, boards)
    return sides_


def other_clock(a: SetCase, b: SetCase) -> bool:
    """Whether the cycles get a verdict of their own."""
    clocks = a.sm_mhz, b.sm_mhz
    return bool(a.cycles and b.cycles and clocks[0] and clocks[1]) and abs(clocks[1] / clocks[0] - 1) > OTHER_CLOCK


def compared_rows(a: Mapping[IdentityKey, SetCase], b: Mapping[IdentityKey, SetCase], untimed: Collection[str]) -> list[ComparedCase]:
    told = {key for key, side in a.items() if key[0] in untimed and key in b and side.has_time and b[key].has_time}
    a, b = ({key: side for key, side in each.items() if key not in told} for each in (a, b))
    rows = [row_of(side, b.get(key), ONLY_A) if key not in b else both(side, b[key]) for key, side in a.items()]
    rows += [row_of(side, None, ONLY_B) for key, side in b.items() if key not in a]
    return sorted(rows, key=lambda row: row.experiment)


def judged(a: Mapping[IdentityKey, SetCase], b: Mapping[IdentityKey, SetCase], untimed: Collection[str]) -> list[Group]:
    """The groups of the cases that have a time in both sets, where times are figures of merit."""
    keys: dict[groups.Name, list[IdentityKey]] = {}
    for key, side in a.items():
        if key[0] not in untimed and side.table.compares_times and key in b and side.has_time and b[key].has_time:
            keys.setdefault(groups.Name(key[0], side.case["api"], side.table.class_of(side.case)), []).append(key)
    return groups.judge({name: (times_of(a, found), times_of(b, found), found) for name, found in keys.items()})


def times_of(sides_: Mapping[IdentityKey, SetCase], keys: Sequence[IdentityKey]) -> groups.Times:
    """All of one program."""
    one = sides_[keys[0]]
    runs = [str(file.parent) for file in one.table.files]
    return groups.Times(runs, one.boards, {key: sides_[key].by_run for key in keys})


def both(a: SetCase, b: SetCase) -> ComparedCase:
    if not a.has_time:
        return row_of(b, a, ONLY_B)
    return compared_row(a, b) if b.has_time else row_of(a, b, ONLY_A)


def compared_row(a: SetCase, b: SetCase) -> ComparedCase:
    row = row_of(a, b, UNCLEAR)
    old, new = (side.table.figure(side.case, "device_ns") for side in (a, b))
    assert old and new
    row.ratio = changed(a, b, a.times, b.times)
    row.verdict = verdict_beyond_fixed_costs(row.ratio, (old, new), [side.table.figure(side.case, "fixed_ns") for side in (a, b)])
    if row.verdict == FIXED_COST:
        row.notes.append("what an empty launch takes differs by more than 1 % of the time")
    row.a_ns, row.b_ns = old.value, new.value
    row.a_mhz, row.b_mhz = a.sm_mhz, b.sm_mhz
    if a.cycles and b.cycles:
        row.cycles = changed(a, b, a.cycles, b.cycles)
    if row.cycles and other_clock(a, b):
        row.cycles_verdict = verdict(row.cycles)
        row.notes.append(f"SM clock {row.a_mhz:g} -> {row.b_mhz:g} MHz")
    hashes = [side.table.text(side.case, "isa_hash") for side in (a, b)]
    row.code_changed = all(hashes) and hashes[0] != hashes[1]
    if row.code_changed:
        row.notes.append(CODE_CHANGED)
    return row


def changed(a: SetCase, b: SetCase, old: Values, new: Values) -> Figure:
    """B / A, of the fewer runs. Without a class (litmus tests) there is no interval."""
    spread = a.table.spread(a.case, "device_ns", FIGURES)
    runs = min(sum(map(len, each.values())) for each in (old, new))
    if spread is None:
        means = [statistics.fmean(statistics.fmean(found) for found in each.values()) for each in (old, new)]
        return Figure(math.exp(means[1] - means[0]), runs=runs)
    return estimate.change(old, new, spread, max(a.own, b.own)).effect.figure(runs)


def row_of(side: SetCase, other: SetCase | None, verdict_: str) -> ComparedCase:
    """A case's row before its times are compared. `verdict_`: of a case that has a time on that side alone."""
    row = ComparedCase(side.key, side.key[0], side.case.name(without=["api"]), side.case["api"], verdict_ if side.has_time else NO_TIME)
    if verdict_ in ALONE:
        row.notes = list(dict.fromkeys(each.reason for each in (side, other) if each and each.reason))
        figure = side.table.figure(side.case, "device_ns")
        row.a_ns, row.b_ns = (figure and figure.value if verdict_ == wanted else None for wanted in (ONLY_A, ONLY_B))
    return row


def origins(a: Results, b: Results) -> list[tuple[str, str, str]]:
    found = []
    for column in ORIGINS:
        texts = [", ".join(side.distinct(column)) for side in (a, b)]
        if texts[0] != texts[1]:
            found.append((column, texts[0], texts[1]))
    return found


AGREE, CONTRADICT, OPEN_IN_A, OPEN_IN_B, UNMEASURED = "agree", "contradict", "open in A alone", "open in B", "not measured"
CONCLUSIONS = (AGREE, CONTRADICT, OPEN_IN_B, OPEN_IN_A, UNMEASURED)


def conclusions(a: Results, b: Results, root: Path) -> dict[str, list[str]]:
    """The claims by what the two sets say of them; of those that contradict each other both verdicts."""
    analyses = analysis.load(root)
    studies = [Study.of(each, analyses) for each in (a, b)]
    found: dict[str, list[str]] = {each: [] for each in CONCLUSIONS}
    for claim in (claim for group in claims.load(root) for claim in group.claims):
        one, two = (_verdict_of(claim, study, other) for study, other in (studies, studies[::-1]))
        if claims.NOT_MEASURED in (one, two):
            found[UNMEASURED].append(claim.id)
        elif UNCLEAR in (one, two):
            found[OPEN_IN_B if two == UNCLEAR else OPEN_IN_A].append(claim.id)
        else:
            found[AGREE if one == two else CONTRADICT].append(claim.id if one == two else f"{claim.id} ({one}, {two})")
    return found


def _verdict_of(claim: claims.Claim, study: Study, other: Study) -> str:
    """Where the other set has a column that the claim asks for, and this one does not, this one is older and says nothing of it. A column that neither has is
    misspelt: InputError.
    """
    if claim.experiment not in study.tables or claim.experiment not in other.tables:
        return claims.NOT_MEASURED
    try:
        return claims.verdict_of(claim, study)
    except claim_check.NoColumn as missing:
        if claim_check.has(other.tables[claim.experiment], missing.column):
            return claims.NOT_MEASURED
        raise


BAND = f"{SAME_LO:g} to {SAME_HI:g}"
