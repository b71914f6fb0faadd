"""A claim's figures in words."""

from __future__ import annotations

import pytest
from benchlib.claims.claim_words import bare, figure_words, plain
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
        (Figure(1.046, 1.042, 1.049), "takes", "", "4.6 % longer [+4.2, +4.9 %] than"),
        (Figure(1.005, 0.995, 1.008), "takes", "", "as long [−0.5, +0.8 %] as"),
        (Figure.exact(0), "whether", "the same opcodes", "no: the same opcodes"),
    ],
)
def test_figures(figure: Figure, saying: str, unit: str, expected: str) -> None:
    assert figure_words(figure, saying, unit) == expected


def test_sentences_have_no_intervals_and_three_digits() -> None:
    assert plain(figure_words(Figure(2.15, 2.11, 2.18), "slower", "")) == "2.15× slower"
    loose = figure_words(Figure(12481, 996, 218814), "", "ns")
    assert plain(loose) == loose and bare(loose) == "12,000 ns"
    assert plain("[a link](b) takes 5 [4, 6] ns") == "[a link](b) takes 5 ns"
    assert figure_words(Figure.exact(654068), "", "ulp") == "654,000 ulp" and figure_words(Figure.exact(1056), "", "blocks") == "1056 blocks"
    assert figure_words(Figure(1740.4, 1611, 1879), "", "ns") == "1,740 [1611, 1879] ns"
