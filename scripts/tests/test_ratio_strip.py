"""ratio_strip.py: pairs' ratios as a drawing whose axis shows what lies near 1, and what lies far from it."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from benchlib.document import plots
from benchlib.pages import ratio_strip
from benchlib.pages.ratio_strip import Axis, Measured
from benchlib.results.results import Case
from benchlib.stats.stats import Figure


def measured(value: float, width: float = 0.001, verdict: str = "SAME", **cells: object) -> Measured:
    named = {"variant": "v", "api": "cuda", **{name: str(cell) for name, cell in cells.items()}}
    return Measured(Case(tuple(named.items())), Figure(value, value * (1 - width), value * (1 + width)), verdict)


@pytest.mark.parametrize("area", [ratio_strip.AREA, ratio_strip.NARROW_AREA])
@pytest.mark.parametrize("values", [[0.7, 1, 12], [0.999, 1.001], [1.3, 1.35], [0.05, 0.06], [1, 250], [0.001, 1]])
def test_the_axis_reaches_from_tick_to_tick_around_all(values: list[float], area: int) -> None:
    found = [measured(value) for value in values]
    axis = Axis.around(found, 100, area)
    ends = [end for one in found for end in (one.ratio.lo, one.ratio.hi)]
    assert axis.at(axis.low) == 100 and axis.at(axis.high) == pytest.approx(100 + area)
    assert axis.low <= min(ends) and max(ends) <= axis.high and {axis.low, axis.high} <= set(axis.ticks)
    assert axis.low <= 0.9 and axis.high >= 1.1 and 1 in axis.ticks
    places = [axis.at(tick) for tick in axis.ticks]
    assert all(after - before >= ratio_strip.TICK_DISTANCE for before, after in zip(places, places[1:]))


def test_each_verdict_has_its_colour_and_the_farthest_is_named() -> None:
    group = [measured(0.8, verdict="FASTER", block=64, elements=2048), measured(1.5, verdict="SLOWER", block=128, elements=2048), measured(1)]
    svg = ratio_strip.strip("t", [("a row", group)])
    kinds = re.findall(r'<g class="(\w+)"><path class="(?:line span|mark)"', svg)
    assert sorted(kinds) == sorted([plots.FASTER, plots.SLOWER, plots.MODEL])
    assert ">1.5 block=128 elements=2 Ki<" in svg and ">3<" in svg and ">a row<" in svg
    assert "<title>v block=128 elements=2048: 1.5000 [1.4985, 1.5015] SLOWER</title>" in svg
    assert "left of 1 Vulkan is faster," in svg and "Logarithmic, stretched around 1;" in svg


def test_every_mark_shows_a_direction_or_that_there_is_none() -> None:
    """A fixed cost is for certain: it has its side's colour, and is hollow. What is unclear is grey, and points to its side, too."""
    beyond = [(0.8, "FIXED COST"), (1.5, "FIXED COST"), (1.2, "UNCLEAR"), (0.7, "UNCLEAR")]
    group = [*(measured(value, verdict=verdict) for value, verdict in beyond), measured(1.001)]
    svg = ratio_strip.strip("t", [("a row", group)])
    shown = re.findall(r'<g class="(\w+)">(?:<path class="line span".*?/>)?<path class="mark"( style="fill:none[^"]*")? d="M[\d.]+ [\d.]+(m\S+)', svg)
    begins = {kind: plots.outline(kind, 0, 0).partition(" 0")[2].removeprefix(".0").split(" ")[0] for kind in (plots.FASTER, plots.SLOWER, plots.CUDA)}
    faster, slower, disc = (begins[kind] for kind in (plots.FASTER, plots.SLOWER, plots.CUDA))
    assert sorted((colour, bool(hollow), shape) for colour, hollow, shape in shown) == sorted([
        (plots.FASTER, True, faster), (plots.SLOWER, True, slower), (plots.MODEL, False, slower), (plots.MODEL, False, faster), (plots.MODEL, False, disc),
    ])  # fmt: skip


def test_nothing_to_draw() -> None:
    assert ratio_strip.strip("t", []) == "" == ratio_strip.strip("t", [("a", [])]) and ratio_strip.strips("t", []) == ()
    bare = Measured(Case((("variant", "v"),)), Figure(1.0), "UNCLEAR")
    assert ratio_strip.strip("t", [("without an interval", [bare])]) == ""


def test_hostile_names_stay_text() -> None:
    hostile = '<script>alert("&")</script>'
    svg = ratio_strip.strip(hostile, [(hostile, [measured(1, block=hostile)])], alone=True)
    ElementTree.fromstring(svg)
    assert "<script" not in svg
