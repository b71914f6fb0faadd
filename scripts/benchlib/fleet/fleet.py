"""Many boards, case by case: how far they agree, and which of them stands out.

Boards are compared where they are alike: of one model and driver, and in a case that runs the same machine code on them (isa_hash, or
the commit where there is no hash), full runs with full ones and quick ones with quick ones. A board's value of a case is the median over
its runs. Deviations from the boards' median are tested twice (see outliers.py): case by case, and as the median of all cases of a class,
which finds what is small in each case and the same in many. Where the boards are two populations (populations.py), a case that separates
these compares each board with its own. The chance that a fleet of equal boards has any that differs is ALPHA, both
tests and all cases together (Bonferroni).
"""

import dataclasses
import math
import statistics
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchlib.base.kept import kept_property
from benchlib.results import board_states, schema
from benchlib.model.analysis import Analysis, Study
from benchlib.stats import estimate, outliers, populations
from benchlib.results.board_states import StateRow
from benchlib.stats.outliers import MIN_BOARDS_OF_MAD, Scale, Score
from benchlib.stats.populations import Populations
from benchlib.results.results import HOST_TIME, Case, InputError, Row, RunFile, RunFolder, class_of, files_of, is_of_software, run_folders, time_column

ALPHA = 0.01
MIN_DEVIATION = 0.01  # relative: a deviation that is certain, but smaller, is said, and no board stands out by it
LEAST_CASES = 3  # of a class
# Of a case's runs beside each board's first. A process has a state that moves some cases by percents: boards that ran once each may differ in
# it alone, and such a case counts in its class only, whose median no few cases move.
LEAST_REPEATED = 4

RunName = Path  # a run's folder


@dataclass
class Board:
    """What is known of a board besides its times."""

    name: str  # the first eight digits of its UUID
    gpus: set[str] = field(default_factory=set)
    drivers: set[str] = field(default_factory=set)
    revisions: set[str] = field(default_factory=set)
    runs: set[RunName] = field(default_factory=set)
    experiments: set[str] = field(default_factory=set)
    statuses: Counter[str] = field(default_factory=Counter)
    clocks: list[float] = field(default_factory=list)  # MHz, of the rows
    states: list[StateRow] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def hosts(self) -> list[str]:
        return sorted({state["host"] for state in self.states if state["host"]})

    @property
    def sm_mhz(self) -> float | None:
        return statistics.median(self.clocks) if self.clocks else None


@dataclass(frozen=True)
class Comparable:
    """Boards that may be compared in a case."""

    gpu: str
    driver: str
    code: str  # the machine code's hash, or "commit ..." where there is none
    sweep: str = "full"  # or "quick", whose sizes and budgets are smaller, or "smoke"


@dataclass(frozen=True)
class Key:
    experiment: str
    cells: tuple[tuple[str, str], ...]  # of the row's key, without empty ones, sorted


@dataclass
class Time:
    """A run's time of a case: its logarithm (of ns), and the variance that its own interval implies."""

    log: float
    variance: float


@dataclass
class Entry:
    """A case on boards that may be compared."""

    key: Key
    kind: Comparable
    case: Case
    hosted: bool = False  # the host times it
    inside_sm: Collection[str] = ()  # the variants whose timed work stays in an SM
    boards: dict[str, dict[RunName, Time]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.case.name(without=["api"])

    @property
    def api(self) -> str:
        return self.case["api"]

    @property
    def values(self) -> dict[str, list[float]]:
        return {board: [time.log for time in runs.values()] for board, runs in self.boards.items()}

    @property
    def medians(self) -> dict[str, float]:
        return {board: statistics.median(values) for board, values in self.values.items()}

    @property
    def ns(self) -> float:
        """The median over the boards."""
        return math.exp(statistics.median(self.medians.values()))

    @kept_property
    def class_name(self) -> str:
        """To be asked for when all runs are read."""
        return class_of(self.case, self.hosted, self.ns, self.inside_sm)


@dataclass
class Fleet:
    directories: list[Path]
    boards: dict[str, Board] = field(default_factory=dict)
    entries: dict[tuple[Key, Comparable], Entry] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)  # that are no board's

    @property
    def groups(self) -> dict[tuple[str, str], set[str]]:
        """The boards of each model and driver."""
        found: dict[tuple[str, str], set[str]] = {}
        for entry in self.entries.values():
            found.setdefault((entry.kind.gpu, entry.kind.driver), set()).update(entry.boards)
        return found

    @property
    def several_codes(self) -> Counter[str]:
        """Of each experiment the cases that run several machine codes on boards of one model and driver."""
        codes = Counter((key, kind.gpu, kind.driver, kind.sweep) for key, kind in self.entries)
        return Counter(key.experiment for (key, *_), number in codes.items() if number > 1)

    @property
    def sweeps(self) -> set[str]:
        return {kind.sweep for _, kind in self.entries}


# ----------------------------------------------------------------------------------------------------------------- reading


def load(directories: Sequence[Path], analyses: Mapping[str, Analysis]) -> Fleet:
    """Every run of every board. What is wrong with a file is the fleet's problem, or a board's, and the rest is read. `analyses`: by experiment. Raises InputError for a directory that is none, or has no result.
    """
    fleet = Fleet(list(directories))
    for directory in dict.fromkeys(each.resolve() for each in directories):
        if not directory.is_dir():
            raise InputError(f"{directory}: no such directory")
        folders = run_folders(directory)
        if not _read_folders(fleet, folders, analyses):
            raise InputError(f"{directory}: no result CSV (exp*.csv or exp*.csv.xz) in it")
        _read_states(fleet, directory, {folder.board for folder in folders})
    return _with_problems(fleet)


def of(found: Study) -> Fleet:
    """The same of one directory whose results are loaded already."""
    fleet = Fleet([found.directory])
    by_folder: dict[RunFolder, list[RunFile]] = {folder: [] for folder in found.runs}
    for folder, file in found.files:
        by_folder[folder].append(file)
    for folder, files in by_folder.items():
        for file in files:
            _add_file(fleet, folder, file, found.analysis_of(file.experiment))
    _read_states(fleet, found.directory, {folder.board for folder in found.runs})
    return _with_problems(fleet)


def _with_problems(fleet: Fleet) -> Fleet:
    """And what rows and states tell of each board."""
    for board in fleet.boards.values():
        if failed := board.statuses["failed"]:
            board.problems.append(f"{failed} rows failed")
        board.problems += board_states.problems(board.states)
    return fleet


def _read_folders(fleet: Fleet, folders: Iterable[RunFolder], analyses: Mapping[str, Analysis]) -> int:
    """How many files there are."""
    files = 0
    for folder in folders:
        for path in files_of(folder.path).values():
            files += 1
            try:
                for part in RunFile(path).read().parts():
                    _add_file(fleet, folder, part, analyses.get(part.experiment, Analysis()))
            except InputError as error:
                board = folder.board
                (fleet.boards.setdefault(board, Board(board)).problems if board else fleet.problems).append(str(error))
    return files


def _read_states(fleet: Fleet, directory: Path, measured: Collection[str]) -> None:
    boards = directory / "boards"
    for path in sorted(path for path in boards.iterdir() if path.is_dir() and not path.name.startswith(".")) if boards.is_dir() else []:
        board = fleet.boards.setdefault(path.name, Board(path.name))
        if path.name not in measured:
            board.problems.append("no run")
        if (path / "lock").exists() and not (path / "complete").exists():
            board.problems.append("scripts/fleet.sh has not completed it: the same command goes on with it")
        try:
            board.states += board_states.read(path)
        except InputError as error:
            board.problems.append(str(error))


def _add_file(fleet: Fleet, folder: RunFolder, file: RunFile, analysis: Analysis) -> None:
    by_board: dict[str, list[Row]] = {}
    for row in file.rows:
        uuid = row["gpu_uuid"].removeprefix("GPU-")
        if folder.board and uuid and not uuid.startswith(folder.board):
            raise InputError(f"{file.path}: results of another GPU, {ascii(uuid)}")
        by_board.setdefault(folder.board or uuid[:8] or "unknown", []).append(row)
    for name, rows in by_board.items():
        board = fleet.boards.setdefault(name, Board(name))
        board.runs.add(folder.path)
        board.experiments.update(row["experiment"] for row in rows)
        board.statuses.update(row["status"] for row in rows)
        measured = [row for row in rows if row["status"] == "ok"]
        board.gpus.update(row["gpu"] for row in measured)
        board.drivers.update(row["driver"] for row in measured)
        board.revisions.update(row["git_rev"] for row in measured)
        board.clocks += [clock for row in measured if (clock := schema.real(row.get("sm_mhz", "")))]
        for row in measured:
            if analysis.compares_times and row[time_column(row)] and not is_of_software(row):
                _add_time(fleet, name, folder.path, file, row, analysis.inside_sm)


def _add_time(fleet: Fleet, board: str, run: RunName, file: RunFile, row: Row, inside_sm: Collection[str]) -> None:
    cells = tuple((name, row[name]) for name in file.key if row[name])
    key = Key(row["experiment"], tuple(sorted(cells)))
    kind = Comparable(row["gpu"], row["driver"], row["isa_hash"] or f"commit {row['git_rev']}", row.get("run") or "full")
    entry = fleet.entries.get((key, kind))
    if entry is None:
        entry = fleet.entries[key, kind] = Entry(key, kind, Case(cells), bool(row.get(HOST_TIME[0])), inside_sm)
    value, lo, hi = (row[time_column(row) + end] for end in ("", "_lo", "_hi"))
    own = estimate.own_variance([(float(lo), float(hi))] if lo and hi else [])
    entry.boards.setdefault(board, {})[run] = Time(math.log(float(value)), own)


# ----------------------------------------------------------------------------------------------------------------- judging


@dataclass(frozen=True)
class Deviation:
    """A board that differs from the others, certainly: in a case, or in a class of cases."""

    board: str
    experiment: str
    class_name: str
    case: str  # with its API; empty for the class
    score: Score
    cases: int = 1  # of the class
    beyond: int = 0  # of them, those that deviate by MIN_DEVIATION and more to this side
    largest: tuple[str, ...] = ()  # those, the largest deviation first

    @property
    def relative(self) -> float:
        """0.02: the boards' median and 2 % more time."""
        return math.expm1(self.score.deviation)

    @property
    def stands_out(self) -> bool:
        return abs(self.relative) >= MIN_DEVIATION


@dataclass(frozen=True)
class Separated:
    """A case that separates a model's two populations."""

    entry: Entry
    populations: Populations

    @property
    def relative(self) -> float:
        """By how much the second's median is slower than the first's."""
        medians, groups = self.entry.medians, (self.populations.first, self.populations.second)
        first, second = (statistics.median(medians[board] for board in group if board in medians) for group in groups)
        return math.expm1(second - first)


@dataclass
class FleetFindings:
    """What the tests found."""

    compared: list[Entry]  # those on enough boards
    scales: dict[int, Scale]  # by the entry's id()
    findings: list[Deviation]
    tests: int
    separated: list[Separated] = field(default_factory=list)

    @property
    def cases(self) -> int:
        """Those compared; one that separates two populations counts once."""
        return len(_cases(self.compared))

    def of(self, board: str) -> list[Deviation]:
        return [finding for finding in self.findings if finding.board == board]


@dataclass
class _Test:
    entries: list[Entry]
    board: str
    class_name: str
    score: Score


def judge(reference: Iterable[Entry], tested: Mapping[int, Mapping[str, Mapping[RunName, Time]]] | None = None) -> FleetFindings:
    """`tested`: by an entry's id() the runs to be judged by board; without it, the reference's own."""
    separated: list[Separated] = []
    if tested is None:
        reference, separated = split_by_population(list(reference))
    entries = [each for each in compared(reference) if tested is None or id(each) in tested]
    runs = {id(each): (each.boards if tested is None else tested[id(each)]) for each in entries}
    scales = {id(each): outliers.scale(each.values) for each in entries}
    cases = _case_tests(entries, runs, scales, careful=tested is None)
    classes = _class_tests(entries, runs, scales, own=tested is None)
    certain = [test for tests in (cases, classes) for test in tests if test.score.p < ALPHA / 2 / len(tests)]
    deviations = {
        (id(each), board): statistics.median(time.log for time in times.values()) - scales[id(each)].center
        for each in entries
        for board, times in runs[id(each)].items()
    }
    return FleetFindings(entries, scales, _findings(certain, deviations), len(cases) + len(classes), separated)


def find_populations(entries: Iterable[Entry]) -> dict[str, Populations]:
    """By model, where its boards are two: those that the most cases separate."""
    found = {gpu: populations.find(cases) for gpu, cases in _by_model(entries).items()}
    return {gpu: two for gpu, two in found.items() if two}


def find_splits(entries: Iterable[Entry]) -> dict[str, list[Populations]]:
    """By model, every split of its boards, where there is one."""
    found = {gpu: list(populations.find_all(cases)) for gpu, cases in _by_model(entries).items()}
    return {gpu: splits for gpu, splits in found.items() if splits}


def _by_model(entries: Iterable[Entry]) -> dict[str, list[dict[str, float]]]:
    """The cases' medians."""
    found: dict[str, list[dict[str, float]]] = {}
    for each in entries:
        found.setdefault(each.kind.gpu, []).append(each.medians)
    return found


def split_by_population(entries: Sequence[Entry]) -> tuple[list[Entry], list[Separated]]:
    """The entries, two in place of one that separates its model's populations; boards of neither are then in none."""
    two = find_populations(entries)
    parts, separated = [], []
    for each in entries:
        groups = two.get(each.kind.gpu)
        if groups is None or not groups.separates(each.medians):
            parts.append(each)
            continue
        separated.append(Separated(each, groups))
        parts += [among(each, group) for group in (groups.first, groups.second)]
    return parts, separated


def compared(entries: Iterable[Entry]) -> list[Entry]:
    """Those on enough boards."""
    return [each for each in entries if len(each.boards) >= MIN_BOARDS_OF_MAD]


def _cases(entries: Iterable[Entry]) -> set[tuple[Key, Comparable]]:
    return {(each.key, each.kind) for each in entries}


def among(entry: Entry, boards: Collection[str]) -> Entry:
    """The same case on some of its boards alone."""
    return dataclasses.replace(entry, boards={name: runs for name, runs in entry.boards.items() if name in boards})


def _priors(scales: Iterable[tuple[str, Scale]]) -> dict[str, outliers.Prior]:
    """By the class's name."""
    by_class: dict[str, list[tuple[float, float]]] = {}
    for name, scale in scales:
        by_class.setdefault(name, []).append((scale.square, scale.degrees))
    return {name: outliers.prior(found) for name, found in by_class.items()}


def _case_tests(entries: Sequence[Entry], runs: Mapping, scales: Mapping[int, Scale], careful: bool) -> list[_Test]:
    priors = _priors((each.class_name, scales[id(each)]) for each in entries)
    tests = []
    for each in entries:
        if scales[id(each)].freedom < LEAST_REPEATED:
            continue
        name = each.class_name
        for board, times in runs[id(each)].items():
            own = 0.0 if careful else statistics.fmean(time.variance for time in times.values())
            score = outliers.score([time.log for time in times.values()], scales[id(each)], priors[name], own)
            tests.append(_Test([each], board, name, score))
    return tests


def _class_tests(entries: Sequence[Entry], runs: Mapping, scales: Mapping[int, Scale], own: bool) -> list[_Test]:
    """A board's run counts with the median deviation over all cases of the class, of which it must have the half."""
    classes: dict[tuple[str, ...], list[Entry]] = {}
    for each in entries:
        alike = each.kind.gpu, each.kind.driver, each.kind.sweep, each.key.experiment
        classes.setdefault((*alike, each.class_name), []).append(each)
    found = []
    for (*_, name), members in classes.items():
        boards = _run_medians(members, {id(each): each.boards for each in members}, scales)
        if len(members) >= LEAST_CASES and len(boards) >= MIN_BOARDS_OF_MAD:
            found.append((name, members, outliers.scale(boards), boards if own else _run_medians(members, runs, scales)))
    priors = _priors((name, scale) for name, _, scale, _ in found)
    return [
        _Test(members, board, name, outliers.score(values, scale, priors[name]))
        for name, members, scale, tested in found
        for board, values in tested.items()
    ]


def _run_medians(members: Sequence[Entry], runs: Mapping, scales: Mapping[int, Scale]) -> dict[str, list[float]]:
    cases = len(_cases(members))
    deviations: dict[str, dict[RunName, list[float]]] = {}
    for each in members:
        for board, times in runs[id(each)].items():
            for run, time in times.items():
                deviations.setdefault(board, {}).setdefault(run, []).append(time.log - scales[id(each)].center)
    medians = {
        board: [statistics.median(values) for values in by_run.values() if 2 * len(values) >= cases]
        for board, by_run in deviations.items()
    }
    return {board: values for board, values in medians.items() if values}


def _findings(certain: Sequence[_Test], deviations: Mapping[tuple[int, str], float]) -> list[Deviation]:
    """A case is no finding of its own where its class is one, to the same side."""
    found, covered = [], set()
    for test in certain:
        if len(test.entries) == 1:
            continue
        sign = math.copysign(1, test.score.deviation)
        beyond = []
        for each in test.entries:
            deviation = deviations.get((id(each), test.board), 0.0)
            if deviation * sign > 0:
                covered.add((id(each), test.board))
            if abs(math.expm1(deviation)) >= MIN_DEVIATION and deviation * sign > 0:
                beyond.append((abs(deviation), f"{each.name} {each.api}"))
        largest = tuple(name for _, name in sorted(beyond, reverse=True))
        first = test.entries[0]
        found.append(
            Deviation(test.board, first.key.experiment, test.class_name, "", test.score, len(test.entries), len(beyond), largest)
        )
    for test in certain:
        if len(test.entries) == 1 and (id(test.entries[0]), test.board) not in covered:
            (entry,) = test.entries
            case = f"{entry.name} {entry.api}"
            found.append(Deviation(test.board, entry.key.experiment, test.class_name, case, test.score, 1, 1, (case,)))
    return sorted(found, key=lambda each: (each.board, each.experiment, each.class_name, bool(each.case), -abs(each.score.deviation)))
