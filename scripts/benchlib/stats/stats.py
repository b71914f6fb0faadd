"""Figures with intervals, their ratios, and the verdict about a ratio."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

# A ratio whose whole interval lies within 1 % of 1 counts as no difference.
SAME_LO, SAME_HI = 0.99, 1.01
VERDICTS = SAME, FASTER, SLOWER, FIXED_COST, UNCLEAR = ("SAME", "FASTER", "SLOWER", "FIXED COST", "UNCLEAR")
NOT_SAME_WORK = "NOT THE SAME WORK"  # in a verdict's place, where the two sides' machine code does not do the same
PAIR_VERDICTS = (*VERDICTS, NOT_SAME_WORK)
# Fewer may agree by chance, to the last digit of a clock: what they differ by is their class's.
MIN_RUNS = 3


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
        """Their own agreement says nothing."""
        return 0 < self.runs < MIN_RUNS

    @property
    def undecided(self) -> bool:
        """Of a ratio: its runs are so few that they do not tell which side of 1 it is on."""
        return self.too_few_runs and self.has_interval and verdict(self) == UNCLEAR

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


def verdict(effect: Figure) -> str:
    """About the numerator of a ratio of times, by the effect's interval (estimate.py): SAME, FASTER, SLOWER or UNCLEAR; see also
    verdict_beyond_fixed_costs.
    """
    if effect.lo is None or effect.hi is None:
        return UNCLEAR
    if SAME_LO <= effect.lo and effect.hi <= SAME_HI:
        return SAME
    if effect.hi < SAME_LO:
        return FASTER
    return SLOWER if effect.lo > SAME_HI else UNCLEAR


def side_of(value: float) -> str:
    """What a ratio would be if it were known for certain."""
    return FASTER if value < SAME_LO else SLOWER if value > SAME_HI else SAME


def verdict_beyond_fixed_costs(effect: Figure, times: Sequence[Figure | None], fixed: Sequence[Figure | None]) -> str:
    """The verdict, but FIXED COST instead of FASTER or SLOWER where the launch explains it: what an empty launch takes differs in the
    gap's direction, and without that difference the two would be the SAME. `times` and `fixed`: of the ratio's denominator, then of its
    numerator, ns; where a fixed cost is None, nobody knows it.
    """
    found = verdict(effect)
    den, costs = times[0], [figure.value for figure in fixed if figure]
    if found not in (FASTER, SLOWER) or not den or den.value <= 0 or len(costs) < 2:
        return found
    share = (costs[1] - costs[0]) / den.value
    if share * (effect.value - 1) <= 0:
        return found
    ends = [end - share if end is not None else None for end in (effect.lo, effect.hi)]
    return FIXED_COST if verdict(Figure(effect.value - share, *ends, effect.runs)) == SAME else found
