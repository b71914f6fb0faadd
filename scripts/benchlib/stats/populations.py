"""Whether a model's boards are two populations.

A group of boards that is slower than the others is throttled, or broken. A group that is slower than all others in some cases, and faster
than all others in other cases, is neither: it is another kind (its memory is another maker's, say), and is to be compared with its own.

A case is the boards' medians, as logarithms of times. It separates two groups where all of one lie beyond all of the other by MIN_GAP. It could separate
them if MIN_MEMBERS of either ran it. The rule is METHOD's ("Several populations").
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchlib.stats.outliers import MIN_BOARDS_OF_MAD

MIN_GAP = 0.01  # between the slowest board of one group and the fastest of the other
MIN_MEMBERS = MIN_BOARDS_OF_MAD - 1  # of either group: two boards may be odd alike by chance
MIN_EACH_WAY = 3  # cases in which a group is slower, and as many in which it is faster
MIN_SHARE = 0.02  # of the cases that could separate the groups: so many must
MOST_CANDIDATES = 20  # splits that are tried on all cases, those that the most cases show
SURE = 0.9  # of the votes: then a board belongs to a group

Medians = Mapping[str, float]  # by board


@dataclass(frozen=True)
class Populations:
    first: frozenset[str]  # of both, the one with the first name
    second: frozenset[str]

    def gap(self, case: Medians) -> float:
        """By how much the second population is slower than the first (negative: faster), at least. 0 where they overlap, or one is absent."""
        groups = [[case[board] for board in group if board in case] for group in (self.first, self.second)]
        if not all(groups):
            return 0.0
        first, second = groups
        slower, faster = min(second) - max(first), min(first) - max(second)
        return slower if slower >= MIN_GAP else -faster if faster >= MIN_GAP else 0.0

    def separates(self, case: Medians, members: int = 2) -> bool:
        """Whether the case does, and so many boards of either ran it, at least."""
        return self.could_separate(case, members) and self.gap(case) != 0

    def could_separate(self, case: Medians, members: int = MIN_MEMBERS) -> bool:
        """Whether so many boards of either ran the case."""
        return all(len(group & case.keys()) >= members for group in (self.first, self.second))

    def nearest(self, cases: Sequence[tuple[Medians, float]]) -> frozenset[str]:
        """The population that a further board is of, by its own value in each of the cases; empty if that is not clear."""
        votes: Counter[bool] = Counter()
        for case, own in cases:
            if not self.separates(case):
                continue
            middles = [_middle([case[board] for board in group if board in case]) for group in (self.first, self.second)]
            votes[abs(own - middles[0]) < abs(own - middles[1])] += 1
        if not votes:
            return frozenset()
        is_first, number = votes.most_common(1)[0]
        return (self.first if is_first else self.second) if number >= SURE * votes.total() else frozenset()


def _middle(values: Sequence[float]) -> float:
    return (min(values) + max(values)) / 2


def find(cases: Sequence[Medians]) -> Populations | None:
    """The two populations that the most cases separate; None if the boards are one."""
    return next(find_all(cases), None)


def find_all(cases: Sequence[Medians]) -> Iterator[Populations]:
    """Every split of the boards, the one that the most cases show first. Each further one is sought among the cases that no split before it
    separates, until none is left that passes. A split that shows on half or fewer of the boards that could show one is none: they are too
    few to speak for all.
    """
    boards = {board for case in cases if len(case) >= 2 * MIN_MEMBERS for board in case}
    rest = list(cases)
    while split := _best(rest, cases, len(boards) / 2):
        yield _with_the_rest(split, cases)
        rest = [case for case in rest if not split.separates(case)]


def _best(rest: Sequence[Medians], cases: Sequence[Medians], more_than: float) -> Populations | None:
    """Among `rest`, of all `cases`. The groups are of more boards than `more_than`."""
    widest = (_widest(case) for case in rest)
    candidates = Counter(split for split in widest if split and len(split.first | split.second) > more_than)
    best, support = None, 0
    for candidate, _ in candidates.most_common(MOST_CANDIDATES):
        gaps = [candidate.gap(case) for case in rest if candidate.separates(case, MIN_MEMBERS)]
        ways = [sum(gap > 0 for gap in gaps), sum(gap < 0 for gap in gaps)]
        needed = MIN_SHARE * sum(map(candidate.could_separate, cases))
        if min(ways) >= MIN_EACH_WAY and sum(ways) >= needed and sum(ways) > support:
            best, support = candidate, sum(ways)
    return best


def _widest(case: Medians) -> Populations | None:
    """The case's boards on either side of the widest gap, if that is wider than either side is."""
    ordered = sorted(case, key=lambda board: case[board])
    cuts = range(MIN_MEMBERS, len(ordered) - MIN_MEMBERS + 1)
    if not cuts:
        return None
    cut = max(cuts, key=lambda at: case[ordered[at]] - case[ordered[at - 1]])
    gap = case[ordered[cut]] - case[ordered[cut - 1]]
    widest_side = max(case[ordered[cut - 1]] - case[ordered[0]], case[ordered[-1]] - case[ordered[cut]])
    return _ordered(ordered[:cut], ordered[cut:]) if gap >= max(MIN_GAP, widest_side) else None


def _ordered(one: Sequence[str], other: Sequence[str]) -> Populations:
    first, second = sorted((frozenset(one), frozenset(other)), key=min)
    return Populations(first, second)


def _with_the_rest(found: Populations, cases: Sequence[Medians]) -> Populations:
    """And the boards that did not run the case that showed the two."""
    groups = {found.first: set(found.first), found.second: set(found.second)}
    for board in sorted({board for case in cases for board in case} - found.first - found.second):
        others = [({name: value for name, value in case.items() if name != board}, case[board]) for case in cases if board in case]
        if population := found.nearest(others):
            groups[population].add(board)
    return _ordered(*(sorted(group) for group in groups.values()))
