"""The interval of a figure of one or two runs: too few to know what differs from run to run and from board to board.

It is what the class of the case shows on the reference GPU's boards: center * exp(+- half), with `half` the 95 % quantile of how far two runs on two
boards are apart. It holds the runs' own intervals, too. docs/METHOD.md, Figures of one or two runs, has the rule.
"""

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from benchlib.stats.outliers import MIN_BOARDS, Values
from benchlib.stats.stats import Figure

SHARE = 0.95
# By results.CLASSES, of logarithms: fitted by scripts/spread.py on results/nvidia-h200.
HALVES: Mapping[str, float] = {"cold": 0.0279, "warm": 0.1616, "warm, under 20 us": 0.1483, "inside an SM": 0.0101, "host": 0.6553}


def interval(values: Sequence[float], half: float, whole: float = math.inf) -> tuple[float, float] | None:
    """Where a further run's value lies, 19 times of 20. None where a value has no logarithm. `whole`: what the values are parts of; of parts beyond
    the half of it, what is left is as uncertain as a part is, and the values themselves are the less so.
    """
    if min(values) > whole / 2:
        left = interval([whole - value for value in values], half)
        return (whole - left[1], whole - left[0]) if left else None
    if min(values) <= 0:
        return None
    center = math.fsum(map(math.log, values)) / len(values)
    return math.exp(center - half), math.exp(center + half)


def figure(runs: Sequence[Figure], half: float | None, whole: float = math.inf) -> Figure:
    """`half`: the class's; 0 of what is exact; None where nothing is known of other runs, and the figure has no interval. `whole`: see interval()."""
    values = [run.value for run in runs]
    value = statistics.median(values)
    if all(run.runs == 0 for run in runs):  # a prediction
        return Figure(value, min(values), max(values), 0)
    known = sum(run.runs for run in runs)
    ends = [end for run in runs for end in (run.lo, run.value, run.hi) if end is not None]
    if half:
        wide = interval(values, half, whole)
        return Figure(value, min(*ends, *wide), max(*ends, *wide), known) if wide else Figure(value, runs=known)
    return Figure(value, runs=known) if half is None else Figure(value, min(ends), max(ends), known)


def fit(cases: Iterable[Values]) -> float:
    """The half width of a class, from the logarithms of its cases' runs on boards enough: each case weighs as much as every other."""
    weighted: list[tuple[float, float]] = []
    for boards in cases:
        distances = [abs(x - y) for one, other in combinations(boards.values(), 2) for x in one for y in other] if len(boards) >= MIN_BOARDS else []
        weighted += [(each, 1 / len(distances)) for each in distances]
    weighted.sort()
    left = SHARE * math.fsum(weight for _, weight in weighted)
    for distance, weight in weighted:
        left -= weight
        if left <= 0:
            return distance
    return math.nan
