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

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchlib.stats import outliers, spreads
from benchlib.stats.spreads import Atom, Spread, Sums, Values
from benchlib.stats.stats import Figure, verdict_of_effect

MISSED = 0.05  # of a 95 % interval
LIGHT = 1e-5  # of the weightiest: an atom that is lighter does not count

HOLDS, DOES_NOT_HOLD, NOT_DECIDED = "holds", "does not hold", "not decided"


@dataclass(frozen=True)
class Effect:
    """Of logarithms of ratios: their mean over boards with its 95 % interval, and the verdict."""

    mean: float
    lo: float
    hi: float

    @property
    def verdict(self) -> str:
        return verdict_of_effect(Figure(*map(math.exp, (self.mean, self.lo, self.hi))))


@dataclass(frozen=True)
class Estimate:
    mean: float
    boards: int
    share: float  # the mean over boards of 1 / runs
    atoms: Sequence[Atom]  # what the variances may be, after the case's runs are known

    @property
    def half(self) -> float:
        """Half of the effect's interval."""
        return self._half(lambda atom: 0.0)

    @property
    def further_half(self) -> float:
        """Half of a further run's."""
        return self.half_of(1)

    def half_of(self, runs: int) -> float:
        """Half of the interval of the mean of so many runs on a further board."""
        return self._half(lambda atom: atom.boards + atom.runs / runs)

    def _half(self, more: Callable[[Atom], float]) -> float:
        return _half([(atom.share, (atom.boards + atom.runs * self.share) / self.boards + more(atom)) for atom in self.atoms])


def estimate(values: Values, spread: Spread, own: float = 0.0) -> Estimate:
    """`own`: the variance that the runs' own intervals tell, for want of a board with two runs: runs differ by that at least."""
    case = Sums.of(values)
    return Estimate(case.mean, case.boards, case.share, _posterior(case, spread, 0.0 if case.freedom else own))


def effect(values: Values, spread: Spread, own: float = 0.0) -> Effect:
    found = estimate(values, spread, own)
    return Effect(found.mean, found.mean - found.half, found.mean + found.half)


def further(values: Values, spread: Spread | None, own: float = 0.0) -> tuple[float, float] | None:
    """Where a further run on a further board lies, 19 times of 20. None where that cannot be told: of one board without a class."""
    if spread is None:
        return _by_boards_alone(values)
    found = estimate(values, spread, own)
    return found.mean - found.further_half, found.mean + found.further_half


def change(old: Values, new: Values, spread: Spread) -> Effect:
    """By how much a case changed from one set of runs to another. On boards that both have, a board's runs are compared with its own, and what boards
    differ by is none of it; the others are left out. Without such boards all are compared.
    """
    shared = old.keys() & new.keys()
    one, two = (Sums.of({board: runs for board, runs in each.items() if not shared or board in shared}) for each in (old, new))
    both = Sums(one.mean, one.boards, one.share, one.inside + two.inside, one.freedom + two.freedom, one.shape, one.sums)
    between = 0 if shared else 1
    half = _half([
        (atom.share, sum((between * atom.boards + atom.runs * each.share) / each.boards for each in (one, two))) for atom in _posterior(both, spread, 0.0)
    ])  # fmt: skip
    return Effect(two.mean - one.mean, two.mean - one.mean - half, two.mean - one.mean + half)


def decide(lo: float | None, hi: float | None, least: float = -math.inf, most: float = math.inf) -> str:
    """Whether a figure lies from `least` to `most`, by its interval: HOLDS where all of it does, DOES_NOT_HOLD where none of it does."""
    if lo is None or hi is None:
        return NOT_DECIDED
    if least <= lo and hi <= most:
        return HOLDS
    return DOES_NOT_HOLD if hi < least or lo > most else NOT_DECIDED


def _posterior(case: Sums, spread: Spread, own: float) -> list[Atom]:
    weights = [atom.share * each for atom, each in zip(spread.atoms, spreads.likelihoods(spread, case))]
    least = LIGHT * max(weights)
    kept = [(weight, atom) for weight, atom in zip(weights, spread.atoms) if weight > least]
    whole = math.fsum(weight for weight, _ in kept)
    return [Atom(weight / whole, atom.boards, max(atom.runs, own)) for weight, atom in kept]


def _half(mixture: Sequence[tuple[float, float]]) -> float:
    """Of normal distributions about 0, each with its weight and variance: how far from 0 one value of twenty is, at least. By Newton's method."""
    terms = [(weight, 1 / math.sqrt(2 * variance)) for weight, variance in mixture]
    low, high = 0.0, math.inf
    at = 1.96 * math.sqrt(math.fsum(weight * variance for weight, variance in mixture))
    for _ in range(100):
        missed = slope = 0.0
        for weight, scale in terms:
            missed += weight * math.erfc(at * scale)
            slope += weight * scale * math.exp(-((at * scale) ** 2))
        low, high = (at, high) if missed > MISSED else (low, at)
        step = (missed - MISSED) / slope * math.sqrt(math.pi) / 2 if slope else math.inf
        after = at + step if low < at + step < high else (low + high) / 2 if high < math.inf else 2 * at
        if abs(after - at) <= 1e-12 * at:
            break
        at = after
    return at


def _by_boards_alone(values: Values) -> tuple[float, float] | None:
    case = Sums.of(values)
    if case.boards < 2:
        return None
    square = math.fsum(squared for _, squared in case.sums) / (case.boards - 1)
    runs = case.inside / case.freedom if case.freedom else 0.0
    half = outliers.quantile(case.boards - 1) * math.sqrt(square / case.boards + max(square + runs * (1 - case.share), runs))
    return case.mean - half, case.mean + half
