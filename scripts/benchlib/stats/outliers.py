"""Which of several boards stands out: a robust z of its deviation from the boards' median, moderated over many cases.

The scale of a case is the median absolute deviation (MAD) of its boards, which up to half of them cannot spoil. Of few boards a MAD is
uncertain, and one that is small by chance would make a board stand out that does not. So the cases of a class lend each other what they
know: the scales' squares are taken as scaled inverse chi-square draws about a common one,

    s~^2 = (d0 s0^2 + d s^2) / (d0 + d),    z = deviation / (s~ sqrt(1 + pi/2/n)),    z ~ Student's t with d0 + d degrees of freedom

d being what the MAD of n normal values is worth in degrees of freedom, and d0 and s0 fitted to the class's log s^2 by their mean and
variance. Where cases differ widely in noise d0 is small, and more is asked of a deviation. Source: G. K. Smyth, Linear models and
empirical Bayes methods for assessing differential expression in microarray experiments, Statistical Applications in Genetics and
Molecular Biology 3(1), 2004, with the MAD in place of the residual variance.

Values are logarithms: a deviation of 0.01 is 1 %.
"""

import math
import random
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchlib.base.kept import kept_last

MIN_BOARDS_OF_MAD = 4  # the MAD of three is worth less than one degree of freedom
_DRAWS = 4000  # for the MAD's distribution; of its degrees of freedom 2 % are uncertain
_MANY = 40  # boards from which on the MAD is as for infinitely many
_MOST_DEGREES = 1e6

Values = Mapping[str, Sequence[float]]  # a board's runs, by board


@dataclass(frozen=True)
class Scale:
    """What is known of the boards' spread in a case: their median, an estimate of the standard deviation's square, and what it is worth."""

    center: float
    mad: float  # as it is, without a factor
    square: float
    degrees: float
    boards: int
    within: float  # variance of a board's runs, 0 where none ran twice
    freedom: int  # degrees of freedom of `within`


@dataclass(frozen=True)
class Score:
    """A board's deviation, and how probable one at least as far out is if it is like the others."""

    deviation: float
    p: float


def deviation(values: Sequence[float], mean: float) -> float:
    """The sample's standard deviation. statistics.stdev() counts in fractions, which takes ten times as long."""
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))


def median_absolute(values: Sequence[float]) -> tuple[float, float]:
    """The median, and the median absolute deviation from it."""
    center = statistics.median(values)
    return center, statistics.median(abs(value - center) for value in values)


def scale(boards: Values) -> Scale:
    """Of a case's boards, MIN_BOARDS at least."""
    center, mad = median_absolute([statistics.median(runs) for runs in boards.values()])
    factor, degrees = _mad_of_normal(len(boards))
    repeated = [runs for runs in boards.values() if len(runs) > 1]
    freedom = sum(len(runs) - 1 for runs in repeated)
    within = sum((len(runs) - 1) * deviation(runs, statistics.fmean(runs)) ** 2 for runs in repeated) / freedom if freedom else 0.0
    return Scale(center, mad, mad**2 / factor, degrees, len(boards), within, freedom)


@kept_last(128)
def _mad_of_normal(boards: int) -> tuple[float, float]:
    """Of n standard normal values: f and d such that MAD^2 / f is distributed as chi-square with d degrees of freedom over d, as far as the
    mean and the variance of its logarithm say.
    """
    if boards >= _MANY:
        return 0.6745**2, 0.3675 * (boards - 1)  # the MAD's efficiency is 36.75 %
    chance = random.Random(boards)
    squares = [math.log(median_absolute([chance.gauss(0, 1) for _ in range(boards)])[1] ** 2) for _ in range(_DRAWS)]
    degrees = 2 * _inverse_trigamma(statistics.variance(squares))
    return math.exp(statistics.fmean(squares) - digamma(degrees / 2) + math.log(degrees / 2)), degrees


@dataclass(frozen=True)
class Prior:
    """What the cases of a class have in common."""

    square: float
    degrees: float


def prior(scales: Iterable[tuple[float, float]]) -> Prior:
    """d0 and s0^2, of each case's square and degrees. Cases whose boards agree to the last digit (a coarse clock) say nothing of it."""
    known = [(math.log(square), degrees) for square, degrees in scales if square > 0]
    if not known:
        return Prior(0.0, 0.0)
    centered = [value - digamma(degrees / 2) + math.log(degrees / 2) for value, degrees in known]
    mean = statistics.fmean(centered)
    if len(known) < 2:
        return Prior(math.exp(mean), 0.0)
    most = sum(degrees for _, degrees in known)  # all that went into s0
    excess = statistics.variance(centered) - statistics.fmean(trigamma(degrees / 2) for _, degrees in known)
    degrees = min(2 * _inverse_trigamma(excess), most) if excess > 0 else most
    return Prior(math.exp(mean + digamma(degrees / 2) - math.log(degrees / 2)), degrees)


def score(runs: Sequence[float], case: Scale, common: Prior, own: float = 0.0) -> Score:
    """Of a board's runs. `own`: a further variance, of what was measured with less care than the case's boards."""
    deviation = statistics.median(runs) - case.center
    degrees = common.degrees + case.degrees
    square = (common.degrees * common.square + case.degrees * case.square) / degrees
    # What differs from run to run differs from board to board, too, even where few boards happen to agree.
    spread = math.sqrt(max(square * (1 + math.pi / 2 / case.boards), case.within / len(runs)) + own)
    if spread == 0:
        return Score(deviation, 0.0 if deviation else 1.0)
    return Score(deviation, two_sided(deviation / spread, degrees))


# --------------------------------------------------------------------------------------------------------------- functions


def digamma(x: float) -> float:
    """x > 0: recurrence up to 6, then the asymptotic series (Abramowitz and Stegun 6.3.18)."""
    result = 0.0
    while x < 6:
        result -= 1 / x
        x += 1
    y = 1 / (x * x)
    return result + math.log(x) - 0.5 / x - y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y / 240)))


def trigamma(x: float) -> float:
    """x > 0 (Abramowitz and Stegun 6.4.12)."""
    result = 0.0
    while x < 6:
        result += 1 / (x * x)
        x += 1
    y = 1 / (x * x)
    return result + 1 / x + y / 2 + y / x * (1 / 6 - y * (1 / 30 - y * (1 / 42 - y / 30)))


def _inverse_trigamma(value: float) -> float:
    """The x with trigamma(x) = value > 0: it falls from infinity to 0."""
    low, high = 1e-4, _MOST_DEGREES / 2
    for _ in range(100):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if trigamma(middle) > value else (low, middle)
    return middle


def two_sided(z: float, degrees: float) -> float:
    """The probability that Student's t with so many degrees of freedom lies as far out as z, on either side."""
    if degrees > 1e5:
        return math.erfc(abs(z) / math.sqrt(2))
    return _incomplete_beta(degrees / (degrees + z * z), degrees / 2, 0.5)


@kept_last(128)
def quantile(degrees: float) -> float:
    """Student's t, 97.5 %, of any degrees of freedom."""
    low, high = 1.0, 1e9
    for _ in range(100):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if two_sided(middle, degrees) > 0.05 else (low, middle)
    return high


def _incomplete_beta(x: float, a: float, b: float) -> float:
    """Regularized, by its continued fraction (Lentz; Abramowitz and Stegun 26.5.8)."""
    if x <= 0 or x >= 1:
        return min(max(x, 0.0), 1.0)
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(1 - x, b, a)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)) / a
    c, d = 1.0, 0.0
    fraction = 1.0
    for step in range(1000):
        half = step // 2
        if step == 0:
            term = 1.0
        elif step % 2 == 0:
            term = half * (b - half) * x / ((a + step - 1) * (a + step))
        else:
            term = -(a + half) * (a + b + half) * x / ((a + step - 1) * (a + step))
        d = 1 / _nonzero(1 + term * d)
        c = _nonzero(1 + term / c)
        fraction *= c * d
        if abs(1 - c * d) < 1e-12:
            break
    return front * (fraction - 1)


def _nonzero(value: float) -> float:
    return value if abs(value) > 1e-300 else 1e-300
