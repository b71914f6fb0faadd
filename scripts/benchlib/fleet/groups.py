"""Which groups of cases became slower or faster from one result set to another: what decides in compare.py.

A group is the cases of one program, API and class (results.CLASSES) that both sets have. Single cases cannot decide: of thousands some always differ by
chance, and a change of a few percent is less than one case's interval. A group's value in a run is the mean over its cases of log(time), each less the case's
mean in A. estimate.change() compares the values of A's runs with those of all runs of B, and with those of each run of B alone, so that a slowdown of a few
runs is found, too. Of all these questions at most 5 % of those that are answered *slower* or *faster* are expected to be wrong (Y. Benjamini and Y. Hochberg,
Journal of the Royal Statistical Society B 57, 1995). As everywhere, a change of less than 1 % is none.
"""

import statistics
from collections.abc import Hashable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

from benchlib.stats import estimate, spreads
from benchlib.stats.estimate import Change
from benchlib.stats.outliers import Values
from benchlib.stats.spreads import FIGURES
from benchlib.stats.stats import FASTER, SLOWER

FALSE = 0.05  # of the answers


@dataclass(frozen=True)
class Times:
    """What a program's runs took in one of the sets."""

    runs: Sequence[str]  # their names
    boards: Sequence[str]  # whose they are
    cases: Mapping[Hashable, Mapping[int, float]]  # logarithms of times by the run's number, by the case


class Name(NamedTuple):
    experiment: str
    api: str
    kind: str  # one of results.CLASSES


@dataclass(frozen=True)
class Question:
    """By how much a group changed from all runs of A to some of B's."""

    runs: Sequence[str]  # of B
    change: Change

    @property
    def side(self) -> str:
        """SLOWER or FASTER, if either."""
        return SLOWER if self.change.mean > 0 else FASTER

    @property
    def chance(self) -> float:
        """How probable so large a change is, either way, where there is none."""
        return min(1.0, 2 * self.change.chance(self.side))


@dataclass(frozen=True)
class Group:
    name: Name
    cases: int
    whole: Question  # of all runs of B
    single: Sequence[Question]  # of each run, where B has several
    answers: Mapping[str, Sequence[Question]]  # by side: those of the questions that are answered so

    def shown(self, side: str) -> Question:
        """What to say of it: the whole, or where only single runs are on that side the one that is the furthest."""
        found = self.answers[side]
        return self.whole if self.whole in found else max(found, key=lambda question: abs(question.change.mean))


def judge(asked: Mapping[Name, tuple[Times, Times, Sequence[Hashable]]]) -> list[Group]:
    """Of each group what it took in A and in B, and the cases that have a time in both."""
    found = {name: questions(name, *each) for name, each in asked.items()}
    chances = sorted(question.chance for each in found.values() for question in each)
    most = max((chance for at, chance in enumerate(chances, start=1) if chance <= FALSE * at / len(chances)), default=-1.0)
    return [
        Group(name, len(asked[name][2]), each[0], each[1:], {side: [one for one in each if one.side == side and one.chance <= most] for side in (SLOWER, FASTER)})
        for name, each in found.items()
    ]


def questions(name: Name, a: Times, b: Times, cases: Sequence[Hashable]) -> list[Question]:
    """The first is of all runs of B, the others of each."""
    means = {case: _mean(a, case, set(b.boards)) for case in cases}
    old, new = _values(a, means), _values(b, means)
    spread = spreads.committed(FIGURES, name.kind)
    return [
        Question([run for run, _, _ in some], estimate.change(_by_board(old), _by_board(some), spread))
        for some in [new, *([one] for one in new if len(new) > 1)]
    ]


def _mean(times: Times, case: Hashable, boards: Set[str]) -> float:
    """Over its runs on these boards; over all where it has none on them."""
    own = times.cases[case]
    return statistics.fmean([value for run, value in own.items() if times.boards[run] in boards] or own.values())


def _values(times: Times, means: Mapping[Hashable, float]) -> list[tuple[str, str, float]]:
    """Of each run that has one of the cases: its name, its board, its value."""
    found = []
    for at, (run, board) in enumerate(zip(times.runs, times.boards)):
        if own := [times.cases[case][at] - mean for case, mean in means.items() if at in times.cases[case]]:
            found.append((run, board, statistics.fmean(own)))
    return found


def _by_board(values: Sequence[tuple[str, str, float]]) -> Values:
    found: dict[str, list[float]] = {}
    for _, board, value in values:
        found.setdefault(board, []).append(value)
    return found
