"""Pairs' ratios as one drawing: a row a variant, or a kind of work; a mark a pair.

Most ratios lie within some per cent of 1, some far away. So the axis is the inverse hyperbolic sine of the logarithm: evenly spaced near 1,
logarithmic far from it, and the same to both sides. In a row, marks that would cover each other are put in lanes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from benchlib import formats, plots
from benchlib.plots import pixel
from benchlib.results import Case, Table
from benchlib.stats import SAME_HI, SAME_LO, Figure
from benchlib.tables import CONTROLS, pair_ratio, pair_verdict, pairs

AXIS = "Vulkan's time over CUDA's; the axis is logarithmic, and stretched around 1; grey: within 1 %, dotted: 10 %"
NEAR = math.log(1.02)  # to here the axis is about evenly spaced
TENTH = 0.9, 1.1
TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 1, 1.01, 1.02, 1.05, 1.1, 1.2, 1.5, 2, 3, 5, 7, 10, 15, 20, 30, 50,
         100)  # fmt: skip
FIRST = (1, 0.99, 1.01, 0.9, 1.1, 0.5, 2)  # where there is no room for all
AREA = 470  # px
HEAD, FOOT = 30, 40
LETTER, WIDE_LETTER = 6.6, 7.2  # of its 11 px texts, at most on average; of those that are cut to so many letters
TICK_APART = 26
MARK, LANE, LANES = 7, 5.5, 13  # px of a mark and of a lane; how many lanes there are at most
FARTHEST_LETTERS = 36
NAME_LETTERS = 26  # in one line
KINDS = {"FASTER": plots.FASTER, "SLOWER": plots.SLOWER}


@dataclass(frozen=True)
class Measured:
    """A pair of twins and its Vulkan/CUDA."""

    case: Case
    ratio: Figure
    verdict: str

    @property
    def distance(self) -> float:
        return abs(math.log(self.ratio.value))


def measured(table: Table, where: Mapping[str, object]) -> list[Measured]:
    """Those of the table's pairs that are about the APIs."""
    found = []
    for pair in pairs(table, where):
        ratio, judged = pair_ratio(table, pair), pair_verdict(table, pair)
        if ratio and judged and pair.case["variant"] not in CONTROLS:
            found.append(Measured(pair.case, ratio, judged))
    return found


def ratio_strip(table: Table) -> str:
    """Every pair of an experiment; empty without any."""
    groups: dict[str, list[Measured]] = {}
    for one in measured(table, {}):
        groups.setdefault(one.case["variant"], []).append(one)
    return strip("Vulkan/CUDA time of every pair", list(groups.items()))


def strip(title: str, rows: Sequence[tuple[str, Sequence[Measured]]], *, alone: bool = False) -> str:
    """The drawing; empty without a ratio that has an interval. `alone`: a file of its own, which brings plots.STYLE."""
    shown = [(name, placed) for name, group in rows if (placed := [one for one in group if (one.ratio.lo or 0) > 0 and one.ratio.hi])]
    if not shown:
        return ""
    longest = max(len(line) for name, _ in shown for line in _lines(name))
    axis = Axis.around([one for _, group in shown for one in group], round(longest * LETTER) + 24)
    lanes = [_lanes(group, axis) for _, group in shown]
    heights = [max(6 + 13.0 * len(_lines(name)), LANE * (max(map(abs, row.values())) * 2 + 1) + 8) for (name, _), row in zip(shown, lanes)]
    right, bottom = axis.begin + AREA, HEAD + sum(heights)
    width = right + 44 + FARTHEST_LETTERS * WIDE_LETTER
    parts = [plots.opening(round(width), round(bottom + FOOT)), f"<title>{escape(title)}</title>"]
    parts += [f"<style>{plots.STYLE}</style>"] if alone else []
    parts += _ground(axis, bottom)
    parts.append(_text(right + 36, HEAD - 14, "pairs", "end") + _text(right + 44, HEAD - 14, "farthest from 1"))
    top = float(HEAD)
    for (name, group), row, height in zip(shown, lanes, heights):
        middle = top + height / 2
        parts += [f'<path class="grid" d="M{pixel(axis.begin)} {pixel(top)}h{AREA}"/>'] if top > HEAD else []
        lines = _lines(name)
        parts += [_text(axis.begin - 10, middle + 13 * (at - (len(lines) - 1) / 2), line, "end") for at, line in enumerate(lines)]
        parts.append(_text(right + 36, middle, str(len(group)), "end"))
        parts.append(_text(right + 44, middle, _farthest(group)))
        parts += [_mark(one, axis, middle + LANE * lane) for one, lane in row.items()]
        top += height
    return "\n".join([*parts, _text(axis.begin + AREA / 2, bottom + 32, AXIS, "middle"), "</svg>"])


@dataclass(frozen=True)
class Axis:
    begin: float
    low: float
    high: float

    @staticmethod
    def around(found: Sequence[Measured], begin: float) -> Axis:
        """Its ends are ticks, and no interval reaches beyond them."""
        ends = [end for one in found for end in (one.ratio.lo, one.ratio.hi) if end]
        low = max((tick for tick in TICKS if tick <= min(*ends, TENTH[0])), default=min(ends))
        high = min((tick for tick in TICKS if tick >= max(*ends, TENTH[1])), default=max(ends))
        return Axis(begin, low, high)

    def at(self, value: float) -> float:
        low, high, here = (math.asinh(math.log(each) / NEAR) for each in (self.low, self.high, value))
        return self.begin + AREA * (here - low) / (high - low)

    @property
    def ticks(self) -> list[float]:
        chosen: list[float] = []
        for tick in (self.low, self.high, *FIRST, *TICKS):
            if self.low <= tick <= self.high and all(abs(self.at(tick) - self.at(other)) >= TICK_APART for other in chosen):
                chosen.append(tick)
        return sorted(chosen)


def _lines(name: str) -> list[str]:
    """Of a row's name one, or two where it is long and has a blank."""
    blanks = [at for at, letter in enumerate(name) if letter == " "] if len(name) > NAME_LETTERS else []
    if not blanks:
        return [name]
    at = min(blanks, key=lambda at: abs(at - len(name) / 2))
    return [name[:at], name[at + 1 :]]


def _lanes(group: Sequence[Measured], axis: Axis) -> dict[Measured, int]:
    """Each mark's lane: 0 in the middle, then by turns below and above. Where all are taken, the one that has been free for longest."""
    ends = [-math.inf] * LANES
    found = {}
    for one in sorted(group, key=lambda one: one.ratio.value):
        at = axis.at(one.ratio.value)
        lane = next((lane for lane in range(LANES) if ends[lane] + MARK <= at), ends.index(min(ends)))
        ends[lane] = at
        found[one] = -(lane // 2) if lane % 2 == 0 else lane // 2 + 1
    return found


def _ground(axis: Axis, bottom: float) -> list[str]:
    """What is behind the marks: the band of no difference, the grid, the axis' texts."""
    left, right = axis.at(SAME_LO), axis.at(SAME_HI)
    height = pixel(bottom - HEAD + 8)
    parts = [f'<rect class="band" x="{pixel(left)}" y="{HEAD - 8}" width="{pixel(right - left)}" height="{height}"/>']
    for tick in axis.ticks:
        x = axis.at(tick)
        parts.append(f'<path class="grid" d="M{pixel(x)} {HEAD - 8}v{height}"/>{_text(x, bottom + 16, plots.number(tick), "middle")}')
        if tick < axis.high:  # beside it stands a heading
            parts.append(_text(x, HEAD - 16, plots.number(tick), "middle"))
    parts += [f'<path class="tenth" d="M{pixel(axis.at(tenth))} {HEAD - 8}v{height}"/>' for tenth in TENTH]
    return parts


def _mark(one: Measured, axis: Axis, y: float) -> str:
    lo, hi = one.ratio.lo or one.ratio.value, one.ratio.hi or one.ratio.value
    tip = escape(f"{one.case.name(without=['api'])}: {formats.ratio_text(one.ratio)} {one.verdict}")
    kind = KINDS.get(one.verdict, plots.MODEL)
    line = f'<path class="line span" stroke-width="{plots.LINE}" d="M{pixel(axis.at(lo))} {pixel(y)}H{pixel(axis.at(hi))}"/>'
    # MODEL's bar would be lost in the interval.
    shape = plots.outline(plots.CUDA if kind == plots.MODEL else kind, axis.at(one.ratio.value), y)
    return f'<g class="{kind}">{line}<path class="mark" d="{shape}"><title>{tip}</title></path></g>'


def _farthest(group: Sequence[Measured]) -> str:
    """The ratio and what tells its case from the row's others, as much as there is room for."""
    far = max(group, key=lambda one: one.distance)
    same = [column for column, value in far.case.cells if all(one.case[column] == value for one in group)]
    named = far.case.replace(elements=formats.count(far.case.elements)) if far.case["elements"] else far.case
    text = f"{plots.number(round(far.ratio.value, 3))} {named.name(without=['api', *same])}".rstrip()
    return text if len(text) <= FARTHEST_LETTERS else f"{text[: FARTHEST_LETTERS - 1].rstrip()}…"


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    end = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text class="small"{end} x="{pixel(x)}" y="{pixel(y)}" dy=".35em">{escape(text)}</text>'
