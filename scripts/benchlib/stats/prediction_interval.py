"""What a further run will read: the interval over independent runs, of one GPU or of several.

A run is a fresh process. What differs from process to process, and from board to board, no number of samples inside one process shows; so
one run is one value here, whatever its own interval. The interval is Student's prediction interval: a further run falls into it 19 times of
20. It is taken on logarithms, for times, rates and ratios vary by a factor.

    center +- t(0.975, d) * s * sqrt(1 + 1/(d + 1))

with s the standard deviation of all runs' logarithms. Runs of one board resemble each other, so they count as one where the statement is about
boards: from three boards on d is the number of boards less one, and the further run is one on a further board. With one or two boards d is the
number of runs less one, and the further run is one on the same boards. Source: G. J. Hahn and
W. Q. Meeker, Statistical Intervals, 1991, chapter 4.

An interval of the *median* (order statistics: the least and the greatest of six runs are a 96.9 % one) answers another question: it says
where the middle of all runs lies, and leaves out most of what a reader will see who runs once.
"""

import math
import statistics
from collections.abc import Mapping, Sequence

BOARDS_FOR_BOARDS = 3  # from here on the interval is about boards, not about runs on these boards

# Student's t, 97.5 % quantile, by degrees of freedom from 1 to 30. Source: NIST/SEMATECH e-Handbook, section 1.3.6.7.2.
_T975 = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip


def t975(degrees: int) -> float:
    """Student's t, 97.5 % quantile. Beyond 30 degrees of freedom it is that of 30, which is 4 % too wide at most."""
    if degrees < 1:
        raise ValueError(f"{degrees} degrees of freedom")
    return _T975[min(degrees, len(_T975)) - 1]


def degrees_of_freedom(boards: Mapping[str, Sequence[float]]) -> int:
    """Of the runs' values by board: see above. 0 where there is one run: it has no interval."""
    if len(boards) >= BOARDS_FOR_BOARDS:
        return len(boards) - 1
    return sum(map(len, boards.values())) - 1


def deviation(values: Sequence[float], mean: float) -> float:
    """The sample's standard deviation. statistics.stdev() counts in fractions, which takes ten times as long."""
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))


def interval(boards: Mapping[str, Sequence[float]]) -> tuple[float, float] | None:
    """Where a further run's value lies, 19 times of 20. `boards`: every board's runs, at least one each.

    None for one run. Values of zero or less (counts, differences) have no logarithm: their interval is taken as they are, and where none
    of them is negative it does not go below zero.
    """
    values = [value for runs in boards.values() for value in runs]
    degrees = degrees_of_freedom(boards)
    if degrees < 1:
        return None
    logarithms = min(values) > 0
    scaled = [math.log(value) for value in values] if logarithms else values
    center = statistics.fmean(scaled)
    half = t975(degrees) * deviation(scaled, center) * math.sqrt(1 + 1 / (degrees + 1))
    if logarithms:
        # Equal values give themselves, not what exp(log(x)) makes of them.
        return (math.exp(center - half), math.exp(center + half)) if half > 0 else (values[0], values[0])
    low = center - half
    return (max(low, 0.0) if min(values) >= 0 else low), center + half
