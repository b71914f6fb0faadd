"""A claim's figures and ranges in words."""

from __future__ import annotations

import pytest
from benchlib.claims.claim_words import bare, figure_words, plain, range_words, spread_words
from benchlib.stats.stats import Figure


@pytest.mark.parametrize(
    ("figure", "saying", "unit", "expected"),
    [
        (Figure(1.0457, 1.0424, 1.0487), "slower", "Vulkan against CUDA", "4.6 % slower [+4.2, +4.9 %]"),
        (Figure(0.98, 0.97, 1.004), "slower", "", "2 % faster [−3, +0.4 %]"),
        (Figure(1.0001, 0.9999, 1.0002), "slower", "", "the same time [0, 0 %]"),
        (Figure(2.15, 2.11, 2.18), "slower", "", "2.15× slower [2.11, 2.18]"),
        (Figure(0.969, 0.968, 0.9701), "percent", "of the aligned throughput", "96.9 [96.8, 97.0] % of the aligned throughput"),
        (Figure(12481, 996, 218814), "", "ns", "12,000 (within a factor of 18) ns"),  # an interval that says little
        (Figure(3, -1, 40), "", "ns", "3 [-1, 40] ns"),
        (Figure(5), "", "ns", "5 ns"),  # without an interval
        (Figure.exact(0), "whether", "the same opcodes", "no: the same opcodes"),
    ],
)
def test_figures(figure: Figure, saying: str, unit: str, expected: str) -> None:
    assert figure_words(figure, saying, unit) == expected


@pytest.mark.parametrize(
    ("bounds", "saying", "expected"),
    [
        ({"lo": 0.99, "hi": 1.01}, "slower", "within 1 %"),
        ({"hi": 1.1}, "slower", "at most 10 % slower"),
        ({"lo": 0.99}, "slower", "at most 1 % faster"),
        ({"lo": 1e-9, "hi": 1}, "percent", "above 0, at most 100 % u"),
        ({"lo": 1, "hi": 1}, "whether", "yes: u"),
    ],
)
def test_ranges(bounds: dict[str, float], saying: str, expected: str) -> None:
    assert range_words({"reproduced": bounds, "say": saying}, "u") == expected
    assert range_words({}, "u") == ""


@pytest.mark.parametrize(
    ("figures", "saying", "expected"),
    [
        ([], "", "–"),
        ([Figure(1.404, 0.7, 2.5), Figure(1.173, 0.8, 1.7)], "", "1.17 to 1.40"),
        ([Figure(1.0, 0.99, 1.01), Figure(0.938, 0.937, 0.939)], "slower", "6.2 % faster to no slower"),
        # of one case the figure and its interval, of several the least and the greatest case
        ([Figure(1.046, 1.042, 1.049)], "takes", "4.6 % longer [+4.2, +4.9 %] than"),
        ([Figure(1.005, 0.995, 1.008)], "takes", "as long [−0.5, +0.8 %] as"),
        ([Figure(0.328, 0.323, 0.334)], "takes", "32.8 [32.3, 33.4] % of the time of"),
        ([Figure(0.961, 0.7, 1.4), Figure(0.912, 0.8, 1.1)], "takes", "between 8.8 % and 3.9 % less time than"),
        ([Figure(0.95, 0.94, 0.96), Figure(1.15, 1.13, 1.17)], "takes", "between 5 % less and 15 % more time than"),
        ([Figure(0.995, 0.9, 1.1), Figure(1.004, 0.9, 1.1)], "takes", "as long as"),
    ],
)
def test_spreads(figures: list[Figure], saying: str, expected: str) -> None:
    assert spread_words(figures, saying) == expected


def test_sentences_have_no_intervals_and_three_digits() -> None:
    assert plain(figure_words(Figure(2.15, 2.11, 2.18), "slower", "")) == "2.15× slower"
    loose = figure_words(Figure(12481, 996, 218814), "", "ns")
    assert plain(loose) == loose and bare(loose) == "12,000 ns"
    assert plain("[a link](b) takes 5 [4, 6] ns") == "[a link](b) takes 5 ns"
    assert figure_words(Figure.exact(654068), "", "ulp") == "654,000 ulp" and figure_words(Figure.exact(1056), "", "blocks") == "1056 blocks"
    assert figure_words(Figure(1740.4, 1611, 1879), "", "ns") == "1,740 [1611, 1879] ns"
