"""How large an effect is on a model of GPU, and what a further run will read: the one estimator of all pages, and the two intervals that it gives.

The board is the unit: its runs are averaged, and the boards' means are. A case's boards differ by a variance b, the runs of a board by w. What both may be
is known of the class (spreads.py), and becomes surer by the case's own runs: each atom of the class gets the weight that Bayes' rule gives it, with the
likelihood that does not depend on the mean (REML; H. D. Patterson and R. Thompson, Biometrika 58, 1971). With m the mean over B boards and 1/n the mean of
one over a board's number of runs, at each atom

    effect         m is normal about the model's mean, of variance v = (b + w/n) / B
    further run    one on a further board is normal about m, of variance v + b + w

and the interval is the 95 % one of the mixture of these normal distributions (G. E. P. Box and G. C. Tiao, Bayesian Inference in Statistical
Analysis, 1973, chapter 5). It is wide where few runs and few boards tell little, and narrows as they tell more: no number of runs or boards is a
special case, one run neither.

Values are logarithms of ratios or times. What has no class (counts that may be 0, differences) has Student's intervals of the boards' means, from
two boards on.
"""

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from operator import mul

from benchlib.stats import outliers, spreads
from benchlib.stats.outliers import Values
from benchlib.stats.spreads import Spread, Sums
from benchlib.stats.stats import FASTER, MIN_RUNS, SAME, SAME_HI, SAME_LO, SLOWER, UNCLEAR, Figure, verdict

NORMAL975 = 1.96
MISSED = 0.05  # of a 95 % interval
LIGHT = 1e-5  # of the weightiest: an atom that is lighter does not count

NEAR = 1e-4  # of an interval's half: Newton's next step is then its square

HOLDS, DOES_NOT_HOLD, NOT_DECIDED = "holds", "does not hold", "not decided"


@dataclass(frozen=True)
class Effect:
    """Of logarithms of ratios: their mean over boards with its 95 % interval, and the verdict."""

    mean: float
    lo: float
    hi: float

    @property
    def verdict(self) -> str:
        return verdict(self.figure(1))

    def figure(self, runs: int) -> Figure:
        """The ratio itself, of so many runs."""
        return Figure(*map(math.exp, (self.mean, self.lo, self.hi)), runs)


@dataclass(frozen=True)
class Estimate:
    mean: float
    boards: int
    share: float  # the mean over boards of 1 / runs
    # What the variances may be, after the case's runs are known: how probable each pair is, between boards, and between a board's runs.
    shares: Sequence[float]
    between: Sequence[float]
    within: Sequence[float]

    @property
    def half(self) -> float:
        """Half of the effect's interval."""
        return _half(self.shares, self._variances())

    @property
    def further_half(self) -> float:
        """Half of a further run's."""
        return self.half_of(1)

    def half_of(self, runs: int) -> float:
        """Half of the interval of the mean of so many runs on a further board."""
        return _half(self.shares, self._variances_of(runs))

    def outside(self, means: Sequence[float], runs: int = 1) -> list[bool]:
        """Which of these means, each of so many runs on a further board, lie outside of that interval: which takes less than to find its ends."""
        variances = self._variances_of(runs)
        return [not _reaches(self.shares, variances, abs(mean - self.mean)) for mean in means]

    @property
    def verdict(self) -> str:
        """The effect's, likewise."""
        above, below = self.mean - math.log(SAME_LO), math.log(SAME_HI) - self.mean
        variances = self._variances()
        if min(above, below) >= 0:
            return UNCLEAR if _reaches(self.shares, variances, min(above, below)) else SAME
        return UNCLEAR if _reaches(self.shares, variances, -min(above, below)) else FASTER if above < 0 else SLOWER

    @property
    def effect(self) -> Effect:
        half = self.half
        return Effect(self.mean, self.mean - half, self.mean + half)

    def figure(self, half: float, runs: int) -> Figure:
        """The ratio itself, of so many runs."""
        return Figure(*map(math.exp, (self.mean, self.mean - half, self.mean + half)), runs)

    def _variances(self) -> list[float]:
        return [(board + run * self.share) / self.boards for board, run in zip(self.between, self.within)]

    def _variances_of(self, runs: int) -> list[float]:
        return [(board + run * self.share) / self.boards + (board + run / runs) for board, run in zip(self.between, self.within)]


def estimate(values: Values, spread: Spread, own: float = 0.0) -> Estimate:
    """`own`: the variance that the runs' own intervals tell, for want of a board with two runs: runs differ by that at least."""
    case = Sums.of(values)
    return Estimate(case.mean, case.boards, case.share, *_posterior(case, spread, 0.0 if case.freedom else own))


def effect(values: Values, spread: Spread, own: float = 0.0) -> Effect:
    return estimate(values, spread, own).effect


def further(values: Values, spread: Spread | None, own: float = 0.0) -> tuple[float, float] | None:
    """Where a further run on a further board lies, 19 times of 20. None where that cannot be told: of one board without a class."""
    if spread is None:
        return _by_boards_alone(values)
    found = estimate(values, spread, own)
    half = found.further_half
    return found.mean - half, found.mean + half


def bracket(
    boards: Mapping[str, Sequence[Figure]], spread: Spread | None, *, exact: bool = False, counted: bool = False, whole: float = math.inf, value_alone: bool = False
) -> Figure | None:
    """One figure from every board's runs: their mean over boards, and where a further run lies; of times, rates and ratios the geometric mean. `spread`:
    their class, None where nothing is known of other runs. `exact`: every run must find the same; of what it is not, the brackets hold all. `counted`: the runs' own intervals are those of
    counts, which are uncertain however alike the runs are; the brackets hold them, too. `whole`: what the values are parts of; of parts beyond the half of
    it, what is left is as uncertain as a part is. `value_alone`: the brackets, which take long, are not asked for.
    """
    figures = [figure for found in boards.values() for figure in found]
    if not figures:
        return None
    values, runs = [figure.value for figure in figures], sum(figure.runs for figure in figures)
    own = [(figure.lo, figure.hi) for figure in figures if figure.lo is not None and figure.hi is not None]
    if exact or not runs:  # not: predictions
        return Figure(statistics.median(values), min([*values, *(lo for lo, _ in own)]), max([*values, *(hi for _, hi in own)]), runs)
    scale, back = _logarithmic(values, whole)
    if scale is None:
        scale, spread = float, None
    # On one board equal runs may be those of a coarse clock: what boards differ by is their class's.
    if (spread is None or len(boards) > 1) and len(values) >= MIN_RUNS and min(values) == max(values) and all(lo == hi for lo, hi in own):
        return Figure(values[0], values[0], values[0], runs)
    scaled = {board: [scale(figure.value) for figure in found] for board, found in boards.items() if found}
    value = values[0] if min(values) == max(values) else back(Sums.of(scaled).mean)
    if value_alone:
        return Figure(value, runs=runs)
    ends = further(scaled, spread, own_variance(own, scale, whole) if spread else 0.0)
    if ends is None and not (counted and len(values) >= MIN_RUNS):
        return Figure(value, runs=runs)
    lo, hi = sorted(map(back, ends)) if ends else (min(values), max(values))
    if min(values) >= 0 and spread is None:
        lo = max(lo, 0.0)
    if counted:
        lo, hi = min([lo, *(low for low, _ in own)]), max([hi, *(high for _, high in own)])
    return Figure(value, lo, hi, runs)


ScaleOf = Callable[[float], float]


def _logarithmic(values: Sequence[float], whole: float) -> tuple[ScaleOf | None, ScaleOf]:
    """To the scale on which boards and runs differ alike, and back: the logarithm, of a part beyond the half of its whole that of what is left. None where a value has none."""
    if min(values) > whole / 2 and max(values) < whole:
        return lambda value: math.log(whole - value), lambda scaled: whole - math.exp(scaled)
    return (math.log, math.exp) if min(values) > 0 else (None, float)


def own_variance(ends: Sequence[tuple[float, float]], scale: ScaleOf = math.log, whole: float = math.inf) -> float:
    """What the runs' own 95 % intervals say that runs differ by, at least: on the scale given."""
    found = [(abs(scale(hi) - scale(lo)) / 2 / NORMAL975) ** 2 for lo, hi in ends if lo > 0 and hi < whole]
    return statistics.fmean(found) if found else 0.0


@dataclass(frozen=True)
class Change:
    """Of logarithms: by how much something changed, and of what variance that is, a mixture."""

    mean: float
    weights: Sequence[float]
    variances: Sequence[float]

    @property
    def effect(self) -> Effect:
        half = _half(self.weights, self.variances)
        return Effect(self.mean, self.mean - half, self.mean + half)

    def chance(self, side: str) -> float:
        """How probable so large a change is, or a larger one, where there is none on that side of SAME: FASTER or SLOWER."""
        beyond = self.mean - math.log(SAME_HI) if side == SLOWER else math.log(SAME_LO) - self.mean
        return math.fsum(weight * math.erfc(beyond / math.sqrt(2 * variance)) / 2 for weight, variance in zip(self.weights, self.variances))


def change(old: Values, new: Values, spread: Spread, own: float = 0.0) -> Change:
    """By how much a case changed from one set of runs to another. On boards that both have, a board's runs are compared with its own, and what boards
    differ by is none of it; the others are left out. Without such boards all are compared.
    """
    shared = old.keys() & new.keys()
    one, two = (Sums.of({board: runs for board, runs in each.items() if not shared or board in shared}) for each in (old, new))
    both = Sums(one.mean, one.boards, one.share, one.inside + two.inside, one.freedom + two.freedom, one.shape, one.sums)
    between = 0 if shared else 1
    weights, boards, runs = _posterior(both, spread, 0.0 if both.freedom else own)
    variances = [sum((between * board + run * each.share) / each.boards for each in (one, two)) for board, run in zip(boards, runs)]
    return Change(two.mean - one.mean, weights, variances)


def decide(lo: float | None, hi: float | None, least: float = -math.inf, most: float = math.inf) -> str:
    """Whether a figure lies from `least` to `most`, by its interval: HOLDS where all of it does, DOES_NOT_HOLD where none of it does."""
    if lo is None or hi is None:
        return NOT_DECIDED
    if least <= lo and hi <= most:
        return HOLDS
    return DOES_NOT_HOLD if hi < least or lo > most else NOT_DECIDED


def _posterior(case: Sums, spread: Spread, own: float) -> tuple[Sequence[float], Sequence[float], Sequence[float]]:
    """How probable each atom is, and its variances; of those that count."""
    logs = spreads.logarithms(spread, case)
    greatest = max(logs)
    least = greatest + math.log(LIGHT)
    counts = [log > least for log in logs]
    weights = [math.exp(log - greatest) for log in compress(logs, counts)]
    whole = math.fsum(weights)
    between, within = (list(compress(each, counts)) for each in spread.columns[1:])
    return [weight / whole for weight in weights], between, [max(each, own) for each in within]


def _reaches(weights: Sequence[float], variances: Sequence[float], distance: float) -> bool:
    """Whether one value of twenty, or more, is that far from 0."""
    return sum(map(mul, weights, map(math.erfc, [distance / math.sqrt(2 * each) for each in variances]))) >= MISSED


def _half(weights: Sequence[float], variances: Sequence[float]) -> float:
    """Of normal distributions about 0, each with its weight and variance: how far from 0 one value of twenty is, at least. By Newton's method."""
    scales = [1 / math.sqrt(2 * each) for each in variances]
    slopes = list(map(mul, weights, scales))
    low, high = 0.0, math.inf
    at = NORMAL975 * math.sqrt(math.fsum(map(mul, weights, variances)))
    for _ in range(100):
        scaled = [at * scale for scale in scales]
        missed = sum(map(mul, weights, map(math.erfc, scaled)))
        slope = sum(map(mul, slopes, map(math.exp, [-each * each for each in scaled])))
        low, high = (at, high) if missed > MISSED else (low, at)
        step = (missed - MISSED) / slope * math.sqrt(math.pi) / 2 if slope else math.inf
        after = at + step if low < at + step < high else (low + high) / 2 if high < math.inf else 2 * at
        close, at = abs(after - at) <= NEAR * at, after
        if close:
            break
    return at


def _by_boards_alone(values: Values) -> tuple[float, float] | None:
    case = Sums.of(values)
    if case.boards < 2:
        return None
    square = math.fsum(squared for _, squared in case.sums) / (case.boards - 1)
    runs = case.inside / case.freedom if case.freedom else 0.0
    half = outliers.quantile(case.boards - 1) * math.sqrt(square / case.boards + max(square + runs * (1 - case.share), runs))
    return case.mean - half, case.mean + half
