"""The interval over runs: by hand, and that it holds for simulated runs with what differs from run to run and from board to board."""

from __future__ import annotations

import math
import random

import pytest
from benchlib.stats import prediction_interval
from benchlib.stats.stats import SAME_HI, SAME_LO

TRIALS = 4000


def test_by_hand() -> None:
    # Logarithms 0 and 2 ln 2, center ln 2, deviation sqrt(2) ln 2; t(1) = 12.706; sqrt(1 + 1/2).
    half = 12.706 * math.sqrt(2) * math.log(2) * math.sqrt(1.5)
    assert prediction_interval.interval({"a": [1.0, 4.0]}) == pytest.approx((2 * math.exp(-half), 2 * math.exp(half)))


def test_degrees_of_freedom() -> None:
    assert prediction_interval.degrees_of_freedom({"a": [1.0] * 6}) == 5
    assert prediction_interval.degrees_of_freedom({"a": [1.0] * 3, "b": [1.0] * 3}) == 5
    assert prediction_interval.degrees_of_freedom({"a": [1.0] * 6, "b": [1.0], "c": [1.0] * 2}) == 2


def test_one_run_has_none() -> None:
    assert prediction_interval.interval({"a": [3.0]}) is None


def test_equal_runs_have_no_width() -> None:
    assert prediction_interval.interval({"a": [0.1, 0.1, 0.1]}) == (0.1, 0.1)


def test_counts_do_not_go_below_zero() -> None:
    low, high = prediction_interval.interval({"a": [0.0, 1.0, 0.0, 2.0]}) or (math.nan, math.nan)
    assert low == 0 and high > 2


def test_differences_do() -> None:
    low, high = prediction_interval.interval({"a": [-1.0, 1.0]}) or (math.nan, math.nan)
    assert low < -1 and high > 1


def test_beyond_the_table() -> None:
    assert prediction_interval.t975(500) == prediction_interval.t975(30) == 2.042
    with pytest.raises(ValueError):
        prediction_interval.t975(0)


# What was seen on six H200s: standard deviations of a ratio's logarithm, between boards and between runs of one board.
CLASSES = {"cold": (0.001, 0.0005), "warm": (0.002, 0.003), "under 20 us": (0.005, 0.035), "boards only": (0.01, 0.0001)}


def simulated(chance: random.Random, boards: int, runs: int, between: float, within: float) -> dict[str, list[float]]:
    drawn = {}
    for board in range(boards):
        offset = chance.gauss(0, between)
        drawn[str(board)] = [math.exp(offset + chance.gauss(0, within)) for _ in range(runs)]
    return drawn


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize(("boards", "runs"), [(6, 1), (6, 2), (3, 6)])
def test_a_run_on_a_further_board_lies_inside(kind: str, boards: int, runs: int) -> None:
    chance = random.Random(f"{kind} {boards} {runs}")
    between, within = CLASSES[kind]
    inside = 0
    for _ in range(TRIALS):
        low, high = prediction_interval.interval(simulated(chance, boards, runs, between, within)) or (1.0, 1.0)
        inside += low <= math.exp(chance.gauss(0, math.hypot(between, within))) <= high
    assert inside / TRIALS >= 0.93


@pytest.mark.parametrize("kind", CLASSES)
def test_a_further_run_on_the_same_board_lies_inside(kind: str) -> None:
    chance = random.Random(kind)
    _, within = CLASSES[kind]
    inside = 0
    for _ in range(TRIALS):
        *seen, further = simulated(chance, 1, 7, 0, within)["0"]
        low, high = prediction_interval.interval({"0": seen}) or (1.0, 1.0)
        inside += low <= further <= high
    assert inside / TRIALS >= 0.93


@pytest.mark.parametrize("kind", CLASSES)
def test_equal_sides_are_not_called_faster_or_slower(kind: str) -> None:
    chance = random.Random(f"equal {kind}")
    between, within = CLASSES[kind]
    called = 0
    for _ in range(TRIALS):
        low, high = prediction_interval.interval(simulated(chance, 6, 2, between, within)) or (1.0, 1.0)
        called += high < SAME_LO or low > SAME_HI
    assert called / TRIALS <= 0.01


def test_an_interval_of_the_median_would_not_hold() -> None:
    """The control: least and greatest of six runs, of which a further run misses two of seven."""
    chance = random.Random(1)
    inside = 0
    for _ in range(TRIALS):
        *seen, further = simulated(chance, 1, 7, 0, 0.01)["0"]
        inside += min(seen) <= further <= max(seen)
    assert inside / TRIALS < 0.8
