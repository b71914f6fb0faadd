"""Twins: a case's two sides, the ratio of their times with its intervals, and the verdict about Vulkan."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchlib.results.results import Case, Table
from benchlib.stats import estimate
from benchlib.stats.estimate import Estimate
from benchlib.stats.spreads import RATIOS
from benchlib.stats.stats import FIXED_COST, NOT_SAME_WORK, UNCLEAR, Figure, side_of, verdict_beyond_fixed_costs


@dataclass(frozen=True)
class Pair:
    """A case's two sides; one is None where it has no result."""

    cuda: Case | None
    vulkan: Case | None

    @property
    def case(self) -> Case:
        case = self.cuda or self.vulkan
        assert case is not None
        return case

    @property
    def sides(self) -> tuple[Case | None, Case | None]:
        return self.cuda, self.vulkan


def figure_of(table: Table, case: Case | None, metric: str = "device_ns") -> Figure | None:
    return table.figure(case, metric) if case else None


def in_order(cases: Sequence[Case], column: str) -> list[str]:
    """The column's values, as they come in the file."""
    return list(dict.fromkeys(case[column] for case in cases))


def place_in(known: Sequence[str], value: str) -> int:
    """For sorting: its place among the known values; what is none of them comes last."""
    return known.index(value) if value in known else len(known)


@dataclass(frozen=True)
class JudgedPair:
    """A pair's Vulkan/CUDA."""

    effect: Figure  # on this model of GPU: the mean over boards
    further: Figure  # the same with the interval of a further run on a further board
    verdict: str  # about Vulkan
    agree: int  # of the runs: those whose own ratio is on the verdict's side
    differs: tuple[str, ...] = ()  # what makes the two sides' work another: then there is no verdict

    @property
    def runs(self) -> int:
        return self.effect.runs

    @property
    def seen(self) -> str:
        """What stands behind the verdict."""
        return "; ".join(self.differs) or f"in {self.agree} of {self.runs} runs"


def judged(table: Table, pair: Pair, metric: str = "device_ns") -> JudgedPair | None:
    """None where there is no twin on the GPU, or times are not compared. `metric`: a time."""
    return table.memoized(_judge, pair, metric) if table.compares_times else None


def _judge(table: Table, pair: Pair, metric: str) -> JudgedPair | None:
    if not pair.cuda or not pair.vulkan or not table.same_gpu(pair.cuda, pair.vulkan):
        return None
    found = pair_estimate(table, pair, metric)
    if found is None:
        return None
    boards = pair_runs(table, pair, metric)
    runs = sum(map(len, boards.values()))
    effect, further = (found.figure(half, runs) for half in (found.half, found.further_half))
    times, fixed = ([figure_of(table, side, name) for side in pair.sides] for name in (metric, "fixed_ns"))
    fixed = fixed if metric == "device_ns" else [None, None]  # it is GPU time
    verdict = verdict_beyond_fixed_costs(effect, times, fixed)
    differs = tuple(table.differing(pair.cuda, pair.vulkan))
    beside = side_of(effect.value) if verdict in (UNCLEAR, FIXED_COST) else verdict
    agree = sum(side_of(math.exp(value)) == beside for values in boards.values() for value in values)
    return JudgedPair(effect, further, NOT_SAME_WORK if differs else verdict, agree, differs)


def pair_runs(table: Table, pair: Pair, metric: str = "device_ns") -> dict[str, list[float]]:
    """The logarithm of Vulkan/CUDA in each run that has both, by board."""
    return {board: [math.log(one.value) for one in runs] for board, runs in table.by_board(run_ratios(table, pair, metric)).items()}


def run_ratios(table: Table, pair: Pair, metric: str = "device_ns") -> list[Figure | None]:
    """Vulkan/CUDA of each run; None where it has not both, on one GPU."""
    assert pair.cuda and pair.vulkan
    return [found if found and found.value > 0 else None for found in table.run_ratios(pair.vulkan, pair.cuda, metric)]


def pair_estimate(table: Table, pair: Pair, metric: str = "device_ns") -> Estimate | None:
    """None without a run that has both sides, or where such a run has no interval of its own: it may be a single sample."""
    found = [one for one in run_ratios(table, pair, metric) if one]
    if not found or metric == "device_ns" and not any(one.has_interval for one in found):
        return None
    spread = table.spread(pair.case, metric, RATIOS)
    own = estimate.own_variance([(one.lo, one.hi) for one in found if one.lo is not None and one.hi is not None])
    return estimate.estimate(pair_runs(table, pair, metric), spread, own) if spread else None


def pair_ratio(table: Table, pair: Pair) -> Figure | None:
    """Vulkan's time over CUDA's, with the effect's interval; None where there is no twin on the GPU, times are not compared, or the two do not
    do the same work.
    """
    found = judged(table, pair)
    return found.effect if found and not found.differs else None


def pair_verdict(table: Table, pair: Pair) -> str | None:
    """The verdict about Vulkan; None without a ratio."""
    found = judged(table, pair)
    return found.verdict if found else None


def pairs(table: Table, where: Mapping[str, object]) -> list[Pair]:
    """CUDA cases with their Vulkan twins in the order of the file, then the Vulkan cases without one."""
    found = [Pair(case, table.twin(case)) for case in table.select({**where, "api": "cuda"})]
    twins = {pair.vulkan for pair in found}
    return found + [Pair(None, case) for case in table.select({**where, "api": "vulkan"}) if case not in twins]


def exactly(case: Case) -> dict[str, object]:
    """The case's own columns, and either API."""
    return {column: value for column, value in case.cells if column != "api"}
