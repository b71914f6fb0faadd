"""Figures with intervals, their ratios, and the verdict about a ratio."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchlib import further_run

# A ratio whose whole interval lies within 1 % of 1 counts as no difference.
SAME_LO, SAME_HI = 0.99, 1.01
VERDICTS = SAME, FASTER, SLOWER, FIXED_COST, UNCLEAR = ("SAME", "FASTER", "SLOWER", "FIXED COST", "UNCLEAR")
# From fewer runs nothing is decided: they may agree by chance, to the last digit of a clock.
LEAST_RUNS = 3


@dataclass(frozen=True)
class Figure:
    """A measured figure, its 95 % interval where there is one, and how many independent runs are behind it.

    runs is 0 for a figure that is exact (a count, a prediction): its interval is the figure itself.
    """

    value: float
    lo: float | None = None
    hi: float | None = None
    runs: int = 1

    @staticmethod
    def exact(value: float) -> Figure:
        return Figure(value, value, value, 0)

    @property
    def too_few_runs(self) -> bool:
        """Nothing may be decided by it."""
        return 0 < self.runs < LEAST_RUNS

    @property
    def has_interval(self) -> bool:
        return self.lo is not None and self.hi is not None


def ratio(num: Figure, den: Figure) -> Figure:
    """num / den, den positive.

    The interval is MOVER's on logarithms (method of variance estimates recovery; Zou and Donner 2008), which needs only
    the two intervals and allows them to be asymmetric, as order-statistic intervals of medians are.
    """
    value = num.value / den.value
    runs = min((figure.runs for figure in (num, den) if figure.runs), default=0)  # what is exact needs no runs
    if num.lo is None or num.hi is None or den.lo is None or den.hi is None:
        return Figure(value, runs=runs)
    if den.lo <= 0:
        return Figure(value, runs=runs)
    if num.lo <= 0:  # counts and differences: no logarithm; the widest that the two intervals allow
        lo, hi = num.lo / den.lo, num.hi / (den.lo if num.hi > 0 else den.hi)
        return Figure(value, lo, hi, runs)
    a, a_lo, a_hi = math.log(num.value), math.log(num.lo), math.log(num.hi)
    b, b_lo, b_hi = math.log(den.value), math.log(den.lo), math.log(den.hi)
    lo = math.exp(a - b - math.hypot(a - a_lo, b_hi - b))
    hi = math.exp(a - b + math.hypot(a_hi - a, b - b_lo))
    return Figure(value, lo, hi, runs)


def product(terms: Sequence[tuple[Figure, float]]) -> Figure | None:
    """The product of independent figures, each to its power; None where one is not positive. The interval is ratio()'s."""
    if any(figure.value <= 0 for figure, _ in terms):
        return None
    value = math.fsum(power * math.log(figure.value) for figure, power in terms)
    runs = min((figure.runs for figure, _ in terms if figure.runs), default=0)
    below, above = [], []
    for figure, power in terms:
        if figure.lo is None or figure.hi is None or figure.lo <= 0:
            return Figure(math.exp(value), runs=runs)
        ends = [power * math.log(end / figure.value) for end in (figure.lo, figure.hi)]
        below.append(min(ends))
        above.append(max(ends))
    return Figure(math.exp(value), math.exp(value - math.hypot(*below)), math.exp(value + math.hypot(*above)), runs)


def hull(figures: Sequence[Figure]) -> Figure | None:
    """One figure from independent runs: the median of their values, and an interval that covers all their intervals."""
    if not figures:
        return None
    value = statistics.median(figure.value for figure in figures)
    runs = sum(figure.runs for figure in figures)
    los = [figure.lo for figure in figures if figure.lo is not None]
    his = [figure.hi for figure in figures if figure.hi is not None]
    if len(los) < len(figures) or len(his) < len(figures):
        return Figure(value, runs=runs)
    return Figure(value, min(los), max(his), runs)


def over_runs(boards: Mapping[str, Sequence[Figure]], counted: bool = False) -> Figure | None:
    """One figure from every board's independent runs: the median of all, and where a further run lies (see further_run.py).

    Of one run it is that run's own. `counted`: the runs' own intervals are those of counts, which are uncertain however alike the runs
    are; the result's covers them, too.
    """
    figures = [figure for runs in boards.values() for figure in runs]
    if len(figures) < 2 or all(figure.runs == 0 for figure in figures):
        return hull(figures)
    ends = further_run.interval({board: [figure.value for figure in runs] for board, runs in boards.items() if runs})
    assert ends  # two runs or more
    if counted:
        own = [(figure.lo, figure.hi) for figure in figures if figure.lo is not None and figure.hi is not None]
        ends = min(lo for lo, _ in [*own, ends]), max(hi for _, hi in [*own, ends])
    return Figure(statistics.median(figure.value for figure in figures), *ends, sum(figure.runs for figure in figures))


def verdict(time_ratio: Figure) -> str:
    """The verdict about the numerator of a ratio of times: SAME, FASTER, SLOWER or UNCLEAR; see also verdict_beyond_fixed_costs."""
    if time_ratio.lo is None or time_ratio.hi is None or time_ratio.too_few_runs:
        return UNCLEAR
    if SAME_LO <= time_ratio.lo and time_ratio.hi <= SAME_HI:
        return SAME
    if time_ratio.hi < SAME_LO:
        return FASTER
    if time_ratio.lo > SAME_HI:
        return SLOWER
    return UNCLEAR


def verdict_beyond_fixed_costs(time_ratio: Figure, times: Sequence[Figure | None], fixed: Sequence[Figure | None]) -> str:
    """verdict(), but FIXED COST instead of FASTER or SLOWER where what an empty launch takes of either time differs by more than the band
    of SAME is wide: such a difference is no difference of the kernels. `times` and `fixed`: of the two sides, ns; where a fixed cost is
    None, nobody knows it.
    """
    found = verdict(time_ratio)
    shortest = min((time.value for time in times if time), default=0.0)
    if found not in (FASTER, SLOWER) or not shortest or not all(fixed):
        return found
    costs = [figure.value for figure in fixed if figure]
    return FIXED_COST if max(costs) - min(costs) > (SAME_HI - 1) * shortest else found
