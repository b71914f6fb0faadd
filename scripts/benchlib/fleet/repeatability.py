"""How far independent runs agree, by the kind of case: inside a run, from run to run, from board to board; and whether the intervals hold.

The last is tried on data that an interval has not seen: each board in turn is left out, and what the others give is compared with its runs, and with
their mean. So are the verdicts, and those that each run gives by itself are compared with the mean of them all.
"""

import math
import statistics
from collections.abc import Iterator
from dataclasses import dataclass, field

from benchlib.base.programs import CONTROLS
from benchlib.model.pairs import Pair, pair_estimate, pair_runs, pairs, run_ratios
from benchlib.results.results import CLASSES, HOST, HOST_METRICS, SHORT, Case, Results, Table
from benchlib.stats import estimate
from benchlib.stats.estimate import Effect, Estimate
from benchlib.stats.outliers import Values, deviation
from benchlib.stats.spreads import FIGURES, RATIOS, Spread
from benchlib.stats.stats import UNCLEAR, side_of

MIN_BOARDS = 2  # one of them is left out


@dataclass
class Trial:
    """What was tried, and what of it failed."""

    tried: int = 0
    failed: int = 0

    def add(self, *failed: bool) -> None:
        self.tried += len(failed)
        self.failed += sum(failed)


@dataclass
class CaseClass:
    """One class of cases, over all experiments."""

    ratios: int = 0
    inside: list[float] = field(default_factory=list)  # half width of a run's own interval, relative
    runs: list[float] = field(default_factory=list)  # variance of a board's runs, of the logarithm
    boards: list[float] = field(default_factory=list)  # variance of the boards' means, likewise
    further: Trial = field(default_factory=Trial)  # runs of a left-out board, outside of a further run's interval
    means: Trial = field(default_factory=Trial)  # left-out boards' means, outside of the interval for the mean of so many runs
    verdicts: Trial = field(default_factory=Trial)  # decided without a board, contradicted by its mean
    single: Trial = field(default_factory=Trial)  # decided by one run, contradicted by the mean of all
    single_runs: int = 0
    times: Trial = field(default_factory=Trial)  # either side's time on a left-out board, outside


def metrics(table: Table, case: Case) -> Iterator[tuple[str, str]]:
    """The times by which a case is compared, with the class: its time on the GPU, and the host's of short launches."""
    name = table.class_of(case)
    yield "device_ns", name
    if name == SHORT:
        yield from ((metric, HOST) for metric in HOST_METRICS)


def kinds(found: Results) -> dict[str, CaseClass]:
    """Of every pair of twins with two runs or more whose times are compared."""
    result = {name: CaseClass() for name in CLASSES}
    for table in found.tables.values():
        for pair in pairs(table, {}) if table.compares_times else []:
            if pair.case["variant"] in CONTROLS or not pair.cuda or not pair.vulkan:
                continue
            for metric, name in metrics(table, pair.case):
                estimated, spread = pair_estimate(table, pair, metric), table.spread(pair.case, metric, RATIOS)
                if estimated and spread and sum(map(len, pair_runs(table, pair, metric).values())) > 1:
                    _add(result[name], table, pair, metric, spread, estimated)
    return result


def _add(kind: CaseClass, table: Table, pair: Pair, metric: str, spread: Spread, estimated: Estimate) -> None:
    boards = pair_runs(table, pair, metric)
    kind.ratios += 1
    means = {board: statistics.fmean(values) for board, values in boards.items()}
    kind.runs += [deviation(values, means[board]) ** 2 for board, values in boards.items() if len(values) > 1]
    if len(boards) > 1:
        kind.boards.append(deviation(list(means.values()), statistics.fmean(means.values())) ** 2)
    kind.inside += [(one.hi - one.lo) / 2 / one.value for one in run_ratios(table, pair, metric) if one and one.hi and one.lo]
    half = spread.memoized(_half_of_one_run)
    for value in (value for values in boards.values() for value in values):
        kind.single_runs += 1
        _try_verdict(kind.single, Effect(value, value - half, value + half).verdict, estimated.mean)
    if len(boards) >= MIN_BOARDS:
        for left_out, values in boards.items():
            others = estimate.estimate({board: seen for board, seen in boards.items() if board != left_out}, spread)
            kind.means.add(*others.outside([means[left_out]], len(values)))
            kind.further.add(*others.outside(values))
            _try_verdict(kind.verdicts, others.verdict, means[left_out])
    for side in pair.sides:
        assert side
        figures = table.by_board(table.run_figures(side, metric))
        own = table.spread(side, metric, FIGURES)
        if own and len(figures) >= MIN_BOARDS:
            _try_times(kind.times, {board: [math.log(one.value) for one in of_board] for board, of_board in figures.items()}, own)


def _half_of_one_run(spread: Spread) -> float:
    return estimate.estimate({"": [0.0]}, spread).half


def _try_verdict(trial: Trial, verdict: str, mean: float) -> None:
    """Where it decides. `mean`: of what it has not seen, or of all."""
    if verdict != UNCLEAR:
        trial.add(side_of(math.exp(mean)) != verdict)


def _try_times(trial: Trial, boards: Values, spread: Spread) -> None:
    for left_out, values in boards.items():
        others = estimate.estimate({board: seen for board, seen in boards.items() if board != left_out}, spread)
        trial.add(*others.outside(values))
