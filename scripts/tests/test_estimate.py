"""The one estimator: by hand, and on simulated boards, how often its intervals hold."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence

import pytest
from benchlib.stats import estimate, spreads
from benchlib.stats.estimate import DOES_NOT_HOLD, HOLDS, NOT_DECIDED, decide
from benchlib.stats.spreads import FIGURES, RATIOS, Atom, Spread
from benchlib.stats.stats import FASTER, MIN_RUNS, SLOWER, UNCLEAR, Figure, product, ratio

pytestmark = pytest.mark.real_least_runs
CERTAIN = Spread([Atom(1.0, 0.02**2, 0.01**2)])
WITHIN = 0.93, 0.98  # of a 95 % interval
# Boards' runs. The first are those that are hard: one board, few runs, one board with most of the runs.
SHAPES = [[1], [6, 1, 1], [6, 2], [4, 4], [13], [1, 1], [6, 6, 4, 3, 2, 2, 1, 1], [2, 2, 2], [3, 1], [3] * 16, [1] * 8, [6], [13, 6, 6, 6, 4, 4, 3, 2, 2, 2, 2, 2, 1, 1, 1, 1]]
FEW = SHAPES[:5]
SEEN = [6, 6, 6, 4, 4, 3, 2, 2, 2, 2, 2, 1]  # the boards of a case that a simulated class is fitted to
CASES = 250

Draw = Callable[[random.Random, float], float]  # a deviation of that standard deviation


def test_by_hand() -> None:
    # One atom: normal distributions of known variances. Means 0.01 and 0.04; 1/n is (1/2 + 1) / 2; v = (4e-4 + 0.75e-4) / 2.
    boards = {"a": [0.0, 0.02], "b": [0.04]}
    found = estimate.effect(boards, CERTAIN)
    assert (found.mean, found.hi - found.mean) == pytest.approx((0.025, 1.95996 * math.sqrt(2.375e-4)), rel=1e-5)
    low, high = estimate.further(boards, CERTAIN) or (0.0, 0.0)
    assert (low + high) / 2 == pytest.approx(0.025) and (high - low) / 2 == pytest.approx(1.95996 * math.sqrt(2.375e-4 + 5e-4), rel=1e-5)
    assert estimate.estimate(boards, CERTAIN).half_of(4) == pytest.approx(1.95996 * math.sqrt(2.375e-4 + 4.25e-4), rel=1e-5)


def test_bayes_rule_by_hand() -> None:
    """Two runs on one board, d apart, are as probable as exp(-d^2 / 4w) / sqrt(w), whatever boards differ by."""
    known = Spread([Atom(0.5, 1e-4, 1e-4), Atom(0.5, 1e-4, 16e-4)])
    found = estimate.estimate({"a": [0.0, 0.04]}, known)
    one, other = math.exp(-0.0016 / 4e-4) / 0.01, math.exp(-0.0016 / 64e-4) / 0.04
    assert found.shares == pytest.approx([one / (one + other), other / (one + other)])


def test_a_mixture_misses_one_of_twenty() -> None:
    mixture = [0.7, 0.29, 0.01], [1e-6, 1e-4, 1.0]
    half = estimate._half(*mixture)
    assert math.fsum(weight * math.erfc(half / math.sqrt(2 * variance)) for weight, variance in zip(*mixture)) == pytest.approx(0.05, rel=1e-6)


def test_a_runs_own_interval_widens() -> None:
    narrow, wide = (estimate.effect({"a": [0.1]}, CERTAIN, own) for own in (0.0, 0.05**2))
    assert wide.hi - wide.mean == pytest.approx(1.95996 * math.hypot(0.02, 0.05), rel=1e-5) and narrow.hi < wide.hi
    assert estimate.effect({"a": [0.1, 0.1]}, CERTAIN, own=1.0) == estimate.effect({"a": [0.1, 0.1]}, CERTAIN)  # two runs tell it themselves


def test_what_has_no_class_has_students_interval_of_boards() -> None:
    assert estimate.further({"a": [0.0, 1.0, 2.0]}, None) is None
    # Means 1 and 2, variance 1/2; t of one degree is 12.706.
    low, high = estimate.further({"a": [1.0], "b": [2.0]}, None) or (0.0, 0.0)
    assert (low, high) == pytest.approx((1.5 - 12.706 * math.sqrt(0.75), 1.5 + 12.706 * math.sqrt(0.75)), rel=1e-4)
    assert estimate.further({"a": [3.0], "b": [3.0]}, None) == (3.0, 3.0)


def test_a_count_of_nothing_has_its_own_interval() -> None:
    runs = {"a": [Figure(0.0, 0.0, upper) for upper in (3.0, 4.0, 3.5)]}
    assert estimate.bracket(runs, None, counted=True) == Figure(0.0, 0.0, 4.0, 3)
    assert not (estimate.bracket(runs, None) or Figure(0, 0, 0)).has_interval


def test_a_part_of_a_whole_stays_in_it() -> None:
    found = estimate.bracket({"a": [Figure(99.0)]}, CERTAIN, whole=100.0)
    half = math.exp(1.95996 * math.sqrt(1e-3))
    assert found and (found.value, found.lo, found.hi) == pytest.approx((99.0, 100 - half, 100 - 1 / half), rel=1e-5)  # 1 is left
    found = estimate.bracket({"a": [Figure(100.1)]}, CERTAIN, whole=100.0)  # measured apart: more than the whole
    assert found and found.hi and found.hi > 100.1


def test_equal_runs_on_one_board_are_no_proof_that_boards_are_equal() -> None:
    """A pair of stamps takes 1856 ns in each run of some boards and 640 to 2656 on others: the clock is coarse."""
    equal = [Figure(1856.0, 1856.0, 1856.0)] * 3
    found = estimate.bracket({"a": equal}, CERTAIN)
    assert found and found.lo and found.hi and found.lo < 1856 * 0.97 and found.hi > 1856 * 1.03
    assert estimate.bracket({"a": equal, "b": equal}, CERTAIN) == Figure(1856.0, 1856.0, 1856.0, 6)
    assert estimate.bracket({"a": equal}, None) == Figure(1856.0, 1856.0, 1856.0, 3)  # nothing else is known of it


def test_what_is_exact_has_all_runs_in_its_brackets() -> None:
    assert estimate.bracket({"a": [Figure(3, 3, 3), Figure(5, 5, 5), Figure(3, 3, 3)]}, CERTAIN, exact=True) == Figure(3, 3, 5, 3)
    assert estimate.bracket({"a": [Figure.exact(4)]}, CERTAIN) == Figure.exact(4)
    assert estimate.bracket({}, CERTAIN) is None


def test_one_board_with_most_of_the_runs_counts_once() -> None:
    """(6,1,1): pooled, the six runs of one board hid that boards differ."""
    runs = {"a": [Figure(100.0 + at / 10) for at in range(6)], "b": [Figure(110.0)], "c": [Figure(120.0)]}
    found = estimate.bracket(runs, spreads.committed(FIGURES, "cold"))
    assert found and found.lo and found.hi and found.value == pytest.approx((100.25 * 110 * 120) ** (1 / 3), rel=1e-4)
    assert found.lo < 95 and found.hi > 127


def test_a_product_has_the_interval_of_a_ratio() -> None:
    a, b = Figure(2.0, 1.9, 2.2, 3), Figure(4.0, 3.8, 4.1, 2)
    assert product([(a, 1), (b, -1)]) == pytest.approx(ratio(a, b))
    half = product([(a, 0.5)])
    assert half and (half.value, half.lo, half.hi, half.runs) == pytest.approx((2**0.5, 1.9**0.5, 2.2**0.5, 3))
    assert product([(a, 1), (Figure(0.0), 1)]) is None
    assert product([(a, 1), (Figure(3.0), 1)]) == Figure(pytest.approx(6.0), runs=1), "no interval where one has none"


@pytest.mark.parametrize(("lo", "hi", "found"), [(1.6, 2.0, HOLDS), (1.4, 2.0, NOT_DECIDED), (0.2, 1.4, DOES_NOT_HOLD), (None, None, NOT_DECIDED)])
def test_decide(lo: float | None, hi: float | None, found: str) -> None:
    assert decide(lo, hi, least=1.5) == found


def test_a_change_on_the_same_boards_is_what_runs_differ_by() -> None:
    found = estimate.change({"a": [0.0] * 3, "c": [9.0]}, {"a": [0.03] * 3, "b": [5.0]}, CERTAIN).effect
    assert (found.mean, found.hi - found.mean) == pytest.approx((0.03, 1.95996 * 0.01 * math.sqrt(2 / 3)), rel=1e-5)
    found = estimate.change({"a": [0.0]}, {"b": [0.03]}, CERTAIN).effect  # on two boards: what boards differ by, too
    assert found.hi - found.mean == pytest.approx(1.95996 * math.sqrt(2 * 5e-4), rel=1e-5)


def test_how_probable_a_change_is_by_chance() -> None:
    found = estimate.change({"a": [0.0] * 2}, {"a": [0.03] * 2}, CERTAIN)  # of a standard deviation of 1 %; 2 % of the change lie beyond 1.01
    assert found.chance(SLOWER) == pytest.approx(0.5 * math.erfc((0.03 - math.log(1.01)) / 0.01 / math.sqrt(2)), rel=1e-5)
    assert found.chance(SLOWER) < 0.03 and found.chance(FASTER) > 0.99
    back = estimate.change({"a": [0.0] * 2}, {"a": [math.log(0.99 * 0.99)] * 2}, CERTAIN)
    assert back.chance(FASTER) == pytest.approx(0.5 * math.erfc(-math.log(0.99) / 0.01 / math.sqrt(2)), rel=1e-5)


# ------------------------------------------------------------------------------------------------------------- simulated


def tailed(degrees: float) -> Draw:
    """Student's t of so many degrees of freedom, of the standard deviation wanted."""

    def draw(chance: random.Random, deviation: float) -> float:
        return chance.gauss(0, deviation) * math.sqrt((degrees - 2) / 2 / chance.gammavariate(degrees / 2, 1)) if deviation else 0.0

    return draw


def normal(chance: random.Random, deviation: float) -> float:
    return chance.gauss(0, deviation)


def alike(ratio: float, degrees: float) -> Callable[[random.Random], tuple[float, float]]:
    """Cases whose variance between boards is `ratio` times that between runs, and that differ by an inverse chi-square of so many degrees; 0: not at all."""

    def case(chance: random.Random) -> tuple[float, float]:
        scale = 0.01 * (math.sqrt(degrees / 2 / chance.gammavariate(degrees / 2, 1)) if degrees else 1.0)
        return scale * math.sqrt(ratio), scale

    return case


def of_class(spread: Spread) -> Callable[[random.Random], tuple[float, float]]:
    shares = [atom.share for atom in spread.atoms]

    def case(chance: random.Random) -> tuple[float, float]:
        atom = chance.choices(spread.atoms, shares)[0]
        return math.sqrt(atom.boards), math.sqrt(atom.runs)

    return case


def boards_of(chance: random.Random, shape: Sequence[int], deviations: tuple[float, float], draw: Draw) -> dict[str, list[float]]:
    """A case whose effect is 0."""
    boards, runs = deviations
    means = [draw(chance, boards) for _ in shape]
    return {str(at): [mean + draw(chance, runs) for _ in range(number)] for at, (number, mean) in enumerate(zip(shape, means))}


def held(chance: random.Random, case: Callable[[random.Random], tuple[float, float]], spread: Spread, shape: Sequence[int], trials: int, draw: Draw) -> tuple[float, float]:
    """How often the effect lies in its interval, and a further run in its."""
    effects = runs = 0
    for trial in range(trials):
        deviations = case(chance)
        found = estimate.estimate(boards_of(chance, shape, deviations, draw), spread)
        further = boards_of(chance, [1], deviations, draw)["0"][0] - found.mean
        holds = estimate._reaches(found.shares, found._variances(), abs(found.mean)), found.outside([found.mean + further]) == [False]
        if trial % 16 == 0:  # to look for the intervals' ends takes half of the time
            assert holds == (abs(found.mean) <= found.half, abs(further) <= found.further_half)
            assert found.verdict == found.effect.verdict
        effects += holds[0]
        runs += holds[1]
    return effects / trials, runs / trials


def fitted(chance: random.Random, case: Callable[[random.Random], tuple[float, float]]) -> Spread:
    return spreads.fit([boards_of(chance, SEEN, case(chance), normal) for _ in range(CASES)])


def table(chance: random.Random, case: Callable[[random.Random], tuple[float, float]], spread: Spread, shapes: Sequence[Sequence[int]], trials: int, draw: Draw = normal) -> None:
    """`trials` of each shape. Chance is allowed for: three of its standard deviations."""
    found = {str(shape): held(chance, case, spread, shape, trials, draw) for shape in shapes}
    print(*(f"{shape}: effect {100 * effects:.1f} %, further run {100 * runs:.1f} %" for shape, (effects, runs) in found.items()), sep="\n")
    slack = 3 * math.sqrt(WITHIN[1] * (1 - WITHIN[1]) / trials), 3 * math.sqrt(WITHIN[0] * (1 - WITHIN[0]) / trials)
    runs = [each for _, each in found.values()]
    assert all(WITHIN[0] - slack[1] <= each <= WITHIN[1] + slack[0] for each in runs), found
    assert WITHIN[0] <= sum(runs) / len(runs) <= WITHIN[1]
    # Of one or two boards with many runs alone the mean is less well known than its model's: boards may differ where those of the class do not.
    assert all(WITHIN[0] - slack[1] <= each for each, _ in found.values()), found


@pytest.mark.parametrize("ratio", [0, 0.3, 1, 3, 10])
def test_simulated_boards(ratio: float) -> None:
    chance = random.Random(f"{ratio}")
    case = alike(ratio, 8)
    table(chance, case, fitted(chance, case), FEW, 300)


@pytest.mark.parametrize(("of", "name"), [(RATIOS, "cold"), (RATIOS, "warm"), (FIGURES, "host")])
def test_simulated_boards_of_a_committed_class(of: str, name: str) -> None:
    spread = spreads.committed(of, name)
    table(random.Random(f"{of} {name}"), of_class(spread), spread, FEW, 300)


@pytest.mark.thorough
@pytest.mark.parametrize("degrees", [0, 3, 8])
@pytest.mark.parametrize("ratio", [0, 0.3, 1, 3, 10])
def test_simulated_boards_of_every_shape(ratio: float, degrees: float) -> None:
    chance = random.Random(f"{ratio} {degrees}")
    case = alike(ratio, degrees)
    table(chance, case, fitted(chance, case), SHAPES, 1500)


@pytest.mark.thorough
@pytest.mark.parametrize("tails", [4, 0], ids=["t of 4 degrees", "normal"])
@pytest.mark.parametrize(("of", "name"), [(of, name) for of in (RATIOS, FIGURES) for name in ("cold", "warm", "warm, under 20 us", "inside an SM", "host")])
def test_simulated_boards_of_every_committed_class(of: str, name: str, tails: float) -> None:
    """Heavier tails than the estimator assumes, too."""
    spread = spreads.committed(of, name)
    table(random.Random(f"{of} {name} {tails}"), of_class(spread), spread, SHAPES, 1000, tailed(tails) if tails else normal)


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["cold", "warm", "warm, under 20 us", "inside an SM"])
def test_runs_that_are_added_where_three_do_not_decide_make_few_verdicts_wrong(name: str) -> None:
    """Equal kernels on one board: SLOWER and FASTER are wrong. docs/DESIGN.md has what 2,500 trials gave."""
    chance, spread, wrong = random.Random(name), spreads.committed(RATIOS, name), 0
    for _ in range(1000):
        runs = boards_of(chance, [6], of_class(spread)(chance), normal)["0"]
        looks = [estimate.effect({"0": runs[:number]}, spread).verdict for number in (MIN_RUNS, 6)]
        wrong += (looks[0] if looks[0] != UNCLEAR else looks[1]) in (FASTER, SLOWER)
    assert wrong <= 1000 * 0.05 + 3 * math.sqrt(1000 * 0.05 * 0.95), wrong


def test_fit_finds_what_was_put_in() -> None:
    chance = random.Random(3)
    found = fitted(chance, alike(4, 0))  # 0.02 and 0.01
    for key, wanted in (("boards", 0.02), ("runs", 0.01)):
        assert math.sqrt(math.fsum(atom.share * getattr(atom, key) for atom in found.atoms if getattr(atom, key) < 0.01)) == pytest.approx(wanted, rel=0.1)


def test_the_file_is_read_as_it_was_written() -> None:
    found = {(RATIOS, "warm, under 20 us"): Spread([Atom(0.25, 4e-4, 1e-4), Atom(0.75, 1e-6, 9e-6)])}
    read = spreads.read(spreads.written(found))
    assert read.keys() == found.keys()
    (one,), (other,) = read.values(), found.values()
    for a, b in zip(one.atoms, other.atoms):
        assert (a.share, a.boards, a.runs) == pytest.approx((b.share, b.boards, b.runs))
