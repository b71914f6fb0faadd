"""How large an effect is on a model of GPU, and what a further run will read: two intervals of runs on boards.

The board is the unit: its runs are averaged, and the boards' means are. With m the mean over B boards, s^2 the variance of their means, w^2 that of a
board's runs and 1/n the mean of one over a board's number of runs,

    effect       m +- t sqrt(s^2 / B)
    further run  m +- t sqrt(s^2 (1 + 1/B) + w^2 (1 - 1/n))        on a further board

Few boards tell little of s, and a clock's coarse ticks may make it zero. So both variances are moderated by what their class of cases has in
common (Spread), as outliers.py does with boards' deviations: each is averaged with the class's, weighted by degrees of freedom, and t has the sum of them.
One board, or one run, then has intervals, too; the run's own interval widens them where it is the wider. Source: G. K. Smyth, Statistical Applications in
Genetics and Molecular Biology 3(1), 2004.

Values are logarithms of ratios.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchlib.stats import outliers
from benchlib.stats.outliers import MIN_BOARDS, Values
from benchlib.stats.prediction_interval import deviation
from benchlib.stats.stats import Figure

ROUNDING = 1e-12  # a deviation under it is none: logarithms have 16 digits

# What a class counts for at most: cases that happen to be alike say little of how a case of two populations of boards differs.
MOST_DEGREES = 2.0


@dataclass(frozen=True)
class Spread:
    """What the cases of a class differ by, as standard deviations of a ratio's logarithm, and what each is worth in degrees of freedom."""

    boards: float  # from board to board, beside what their runs differ by
    boards_degrees: float
    runs: float  # from run to run on a board
    runs_degrees: float


# By results.CLASSES: fitted by scripts/spread.py on results/nvidia-h200.
SPREADS: Mapping[str, Spread] = {
    "cold": Spread(boards=0.00076, boards_degrees=1.30, runs=0.00072, runs_degrees=1.20),
    "warm": Spread(boards=0.00155, boards_degrees=0.64, runs=0.00133, runs_degrees=0.57),
    "warm, under 20 us": Spread(boards=0.0057, boards_degrees=1.36, runs=0.0184, runs_degrees=1.48),
    "inside an SM": Spread(boards=0.00089, boards_degrees=1.73, runs=0.00119, runs_degrees=0.99),
    "host": Spread(boards=0.0442, boards_degrees=2.0, runs=0.163, runs_degrees=2.0),
}


@dataclass(frozen=True)
class Estimate:
    """Of a case's runs: their mean over boards, and what it is uncertain by."""

    mean: float
    boards: int
    square: float  # s^2
    within: float  # w^2
    share: float  # 1/n
    t: float

    @property
    def half(self) -> float:
        """Of the effect's interval."""
        return self.t * math.sqrt(self.square / self.boards)

    @property
    def further_half(self) -> float:
        """Of a further run's."""
        return self.half_of(1)

    def half_of(self, runs: int) -> float:
        """Of the interval for the mean of so many runs on a further board."""
        one = max(self.square + self.within * (1 / runs - self.share), self.within / runs)
        return self.t * math.sqrt(self.square / self.boards + one)

    def figure(self, half: float, runs: int) -> Figure:
        return Figure(math.exp(self.mean), math.exp(self.mean - half), math.exp(self.mean + half), runs)


def estimate(boards: Values, spread: Spread, own: float = 0.0) -> Estimate:
    """`own`: the variance that the runs' own intervals say, for want of a board with two runs."""
    found = _Variances.of(boards)
    if found.freedom:
        within = _moderated(found.within, found.freedom, spread.runs**2, spread.runs_degrees)
    else:
        within = max(spread.runs**2, own)
    common = spread.boards**2 + within * found.share
    number = len(boards)
    square = _moderated(found.between, number - 1, common, spread.boards_degrees)
    return Estimate(found.mean, number, square, within, found.share, outliers.quantile(spread.boards_degrees + number - 1))


def _moderated(square: float, degrees: float, common: float, common_degrees: float) -> float:
    return (common_degrees * common + degrees * square) / (common_degrees + degrees)


@dataclass(frozen=True)
class _Variances:
    mean: float
    between: float  # of the boards' means
    within: float
    freedom: int  # degrees of freedom of `within`
    share: float

    @staticmethod
    def of(boards: Values) -> _Variances:
        means = [statistics.fmean(runs) for runs in boards.values()]
        mean = statistics.fmean(means)
        between = deviation(means, mean) ** 2 if len(means) > 1 else 0.0
        freedom = sum(len(runs) - 1 for runs in boards.values())
        inside = math.fsum((value - own) ** 2 for own, runs in zip(means, boards.values()) for value in runs)
        share = statistics.fmean(1 / len(runs) for runs in boards.values())
        return _Variances(mean, between, inside / freedom if freedom else 0.0, freedom, share)


def fit(cases: Sequence[Values], most_degrees: float = math.inf) -> Spread:
    """What cases of a class have in common: those of boards enough. A case whose runs are all alike (a coarse clock) says nothing of it."""
    enough = [boards for boards in cases if len(boards) >= MIN_BOARDS]
    found = [_Variances.of(boards) for boards in enough]
    runs = _prior((each.within, each.freedom) for each in found)
    boards = _prior((each.between, len(of) - 1) for each, of in zip(found, enough))
    share = statistics.fmean(each.share for each in found) if found else 0.0
    degrees = [min(each.degrees, most_degrees) for each in (boards, runs)]
    return Spread(math.sqrt(max(boards.square - runs.square * share, 0.0)), degrees[0], math.sqrt(runs.square), degrees[1])


def _prior(squares: Iterable[tuple[float, int]]) -> outliers.Prior:
    return outliers.prior((square, degrees) for square, degrees in squares if degrees and square > ROUNDING**2)
