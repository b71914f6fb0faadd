"""Pairs' ratios as one drawing: a row a variant, or a kind of work; a mark a pair.

Most ratios lie within some per cent of 1, some far away. So the axis is the inverse hyperbolic sine of the logarithm: evenly spaced near 1,
logarithmic far from it, and the same to both sides. In a row, marks that would cover each other are put in lanes. A wide drawing has a row's texts
beside its marks, and a tip on each mark; a narrow one, for small screens, has the texts above the marks.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from benchlib.base.programs import CONTROLS
from benchlib.document import plots
from benchlib.stats import formats
from benchlib.document.plots import pixel
from benchlib.results.results import Case, Table
from benchlib.stats.stats import FASTER, FIXED_COST, SAME, SAME_HI, SAME_LO, SLOWER, UNCLEAR, Figure, side_of
from benchlib.model.pairs import Pair, judged, pairs

AXIS = (
    "Vulkan's time over CUDA's: left of 1 Vulkan is faster,", "right of it slower. Logarithmic, stretched around 1;",
    "band: within 1 %, dotted: 10 %",
)  # fmt: skip
PAST_FARTHEST = 4  # how far past the farthest ratio an interval is drawn
EVEN_TO = math.log(1.02)  # to here the axis is about evenly spaced
TENTH = 0.9, 1.1
TICKS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 1, 1.01, 1.02, 1.05, 1.1, 1.2, 1.5, 2, 3, 5, 7, 10, 15, 20, 30, 50,
         100, 200, 500, 1000)  # fmt: skip
FIRST = (1, 0.99, 1.01, 0.9, 1.1, 0.5, 2)  # where there is no room for all
AREA, NARROW_AREA = 470, 308  # px
HEAD, FOOT = 30, 40
LETTER, WIDE_LETTER = 6.6, 7.2  # of its 11 px texts, at most on average; of those that are cut to so many letters
STRIP_TICK_DISTANCE = 26
MARK, LANE, LANES = 7, 5.5, 13  # px of a mark and of a lane; how many lanes there are at most
FARTHEST_LETTERS, NARROW_LETTERS = 36, 31
LINE = 13  # px from one line of text to the next
MARGIN = 19  # px beside a narrow drawing's axis, which half a tick's number needs
NAME_LETTERS = 26  # in one line
KINDS = {FASTER: plots.FASTER, SLOWER: plots.SLOWER}
COVERED = 2.8  # px to either side of its place that every mark covers
HOLLOW = "fill:none;stroke:currentColor;stroke-width:1.5"
# A verdict, a ratio at which it is shown, and what such a mark says.
LEGEND = (
    (FASTER, 0.9, "green triangle to the left: FASTER"), (SLOWER, 1.1, "purple triangle to the right: SLOWER"),
    (FIXED_COST, 1.1, "hollow triangle: FIXED COST, so much longer or shorter for certain, but by what an empty launch takes"),
    (SAME, 1.0, "grey disc: SAME, or UNCLEAR and near 1"), (UNCLEAR, 1.1, "grey triangle: UNCLEAR beyond 1 %, to the side on which the ratio lies"),
)  # fmt: skip


@dataclass(frozen=True)
class Measured:
    """A pair of twins and its Vulkan/CUDA."""

    case: Case
    ratio: Figure
    verdict: str
    experiment: str = ""

    @property
    def key(self) -> tuple[str, frozenset[tuple[str, str]]]:
        """What tells the pair from all others, in sets of other columns, too: without a column that says that nothing was chosen."""
        return self.experiment, frozenset(cell for cell in self.case.cells if cell[0] != "api" and cell[1] and cell != ("checks", "default"))

    @property
    def distance(self) -> float:
        return abs(math.log(self.ratio.value))


def measured_pair(table: Table, pair: Pair, metric: str = "device_ns") -> Measured | None:
    """None where there is no ratio, or the two do not do the same work."""
    found = judged(table, pair, metric)
    return Measured(pair.case, found.effect, found.verdict, table.name) if found and not found.differs else None


def measured(table: Table, where: Mapping[str, object]) -> list[Measured]:
    """Those of the table's pairs that are about the APIs."""
    found = (measured_pair(table, pair) for pair in pairs(table, where) if pair.case["variant"] not in CONTROLS)
    return [one for one in found if one]


def ratio_strip(table: Table) -> tuple[str, ...]:
    """Every pair of an experiment."""
    groups: dict[str, list[Measured]] = {}
    for one in measured(table, {}):
        groups.setdefault(one.case["variant"], []).append(one)
    return strips("Vulkan/CUDA time of every pair", list(groups.items()))


def strips(title: str, rows: Sequence[tuple[str, Sequence[Measured]]]) -> tuple[str, ...]:
    """The wide drawing and the narrow one; none without a ratio that has an interval."""
    return tuple(filter(None, (strip(title, rows), strip(title, rows, narrow=True))))


def strip(title: str, rows: Sequence[tuple[str, Sequence[Measured]]], *, narrow: bool = False, alone: bool = False) -> str:
    """The drawing; empty without a ratio that has an interval. `alone`: a file of its own, which brings plots.STYLE."""
    shown = [(name, placed) for name, group in rows if (placed := [one for one in group if (one.ratio.lo or 0) > 0 and one.ratio.hi])]
    if not shown:
        return ""
    found = [one for _, group in shown for one in group]
    longest = max(len(line) for name, _ in shown for line in _lines(name))
    axis = StripAxis.around(found, MARGIN, NARROW_AREA) if narrow else StripAxis.around(found, round(longest * LETTER) + 24, AREA)
    right = axis.begin + axis.area
    width = right + (MARGIN if narrow else 44 + FARTHEST_LETTERS * WIDE_LETTER)
    parts, marks, top = [], [], float(HEAD)
    for name, group in shown:
        lanes = _lanes(group, axis)
        high = LANE * (max(map(abs, lanes.values())) * 2 + 1) + 8
        texts = 2.0 * LINE + 4 if narrow else 0.0
        height = texts + (high if narrow else max(6.0 + LINE * len(_lines(name)), high))
        middle = top + texts + (height - texts) / 2
        parts += [f'<path class="grid" d="M{pixel(axis.begin)} {pixel(top)}h{axis.area}"/>'] if top > HEAD else []
        parts += _texts_above(name, group, axis, top) if narrow else _texts_beside(name, group, axis, middle)
        marks += [_mark(one, axis, middle + LANE * lane, tip=not narrow) for one, lane in lanes.items()]
        top += height
    head = [plots.opening(round(width), round(top + FOOT + LINE * (len(AXIS) - 1))), f"<title>{escape(title)}</title>"]
    head += [f"<style>{plots.STYLE}</style>"] if alone else []
    head += _ground(axis, top)
    head += [] if narrow else [_text(right + 36, HEAD - 14, "pairs", "end") + _text(right + 44, HEAD - 14, "farthest from 1")]
    parts += [_text(axis.begin + axis.area / 2, top + 32 + LINE * at, line, "middle") for at, line in enumerate(AXIS)]
    return "\n".join([*head, *parts, f'<g stroke-width="{plots.LINE}">', *marks, "</g>", "</svg>"])


@dataclass(frozen=True)
class StripAxis:
    begin: float
    area: int  # px
    low: float
    high: float

    @staticmethod
    def around(found: Sequence[Measured], begin: float, area: int) -> StripAxis:
        """Its ends are ticks. No interval reaches beyond them but those that reach BEYOND times the farthest ratio: they are cut off there."""
        values = [one.ratio.value for one in found]
        least, most = min(*values, TENTH[0]) / PAST_FARTHEST, max(*values, TENTH[1]) * PAST_FARTHEST
        ends = [min(max(end, least), most) for one in found for end in (one.ratio.lo, one.ratio.hi) if end]
        low = max((tick for tick in TICKS if tick <= min(*ends, TENTH[0])), default=min(ends))
        high = min((tick for tick in TICKS if tick >= max(*ends, TENTH[1])), default=max(ends))
        return StripAxis(begin, area, low, high)

    def at(self, value: float) -> float:
        low, high, here = (math.asinh(math.log(each) / EVEN_TO) for each in (self.low, self.high, value))
        return self.begin + self.area * (here - low) / (high - low)

    @property
    def ticks(self) -> list[float]:
        chosen: list[float] = []
        for tick in (self.low, self.high, *FIRST, *TICKS):
            if self.low <= tick <= self.high and all(abs(self.at(tick) - self.at(other)) >= STRIP_TICK_DISTANCE for other in chosen):
                chosen.append(tick)
        return sorted(chosen)


def _lines(name: str) -> list[str]:
    """Of a row's name one, or two where it is long and has a blank."""
    blanks = [at for at, letter in enumerate(name) if letter == " "] if len(name) > NAME_LETTERS else []
    if not blanks:
        return [name]
    at = min(blanks, key=lambda at: abs(at - len(name) / 2))
    return [name[:at], name[at + 1 :]]


def _lanes(group: Sequence[Measured], axis: StripAxis) -> dict[Measured, int]:
    """Each mark's lane: 0 in the middle, then by turns below and above. Where all are taken, the one that has been free for longest."""
    ends = [-math.inf] * LANES
    found = {}
    for one in sorted(group, key=lambda one: one.ratio.value):
        at = axis.at(one.ratio.value)
        lane = next((lane for lane in range(LANES) if ends[lane] + MARK <= at), ends.index(min(ends)))
        ends[lane] = at
        found[one] = -(lane // 2) if lane % 2 == 0 else lane // 2 + 1
    return found


def _ground(axis: StripAxis, bottom: float) -> list[str]:
    """What is behind the marks: the band of no difference, the grid, the axis' texts."""
    left, right = axis.at(SAME_LO), axis.at(SAME_HI)
    height = pixel(bottom - HEAD + 8)
    parts = [f'<rect class="band" x="{pixel(left)}" y="{HEAD - 8}" width="{pixel(right - left)}" height="{height}"/>']
    for tick in axis.ticks:
        x = axis.at(tick)
        parts.append(f'<path class="grid" d="M{pixel(x)} {HEAD - 8}v{height}"/>{_text(x, bottom + 16, plots.number(tick), "middle")}')
        if tick < axis.high:  # beside it may stand a heading
            parts.append(_text(x, HEAD - 16, plots.number(tick), "middle"))
    parts += [f'<path class="tenth" d="M{pixel(axis.at(tenth))} {HEAD - 8}v{height}"/>' for tenth in TENTH]
    return parts


def _mark(one: Measured, axis: StripAxis, y: float, *, tip: bool) -> str:
    lo, hi = one.ratio.lo or one.ratio.value, one.ratio.hi or one.ratio.value
    said = escape(f"{one.case.name(without=['api'])}: {formats.ratio_text(one.ratio)} {one.verdict}")
    title = f"<title>{said}</title>" if tip else ""
    begin, middle, end = (axis.at(min(max(value, axis.low), axis.high)) for value in (lo, one.ratio.value, hi))
    is_seen = one.verdict == FIXED_COST or max(middle - begin, end - middle) > COVERED
    line = f'<path class="line span" d="M{pixel(begin)} {pixel(y)}H{pixel(end)}"/>' if is_seen else ""
    return f'<g class="{_colour(one.verdict, one.ratio.value)}">{line}{_shape(one.verdict, one.ratio.value, axis.at(one.ratio.value), y, title)}</g>'


def key(verdict: str, ratio: float) -> str:
    """A mark alone, for a legend."""
    mark = f'<g class="{_colour(verdict, ratio)}">{_shape(verdict, ratio, 7, 6, "")}</g>'
    return f'<svg class="bp" width="14" height="12" viewBox="0 0 14 12" aria-hidden="true">{mark}</svg>'


def _colour(verdict: str, ratio: float) -> str:
    """A fixed cost's is that of its side: it, too, is for certain."""
    return KINDS.get(side_of(ratio) if verdict == FIXED_COST else verdict, plots.MODEL)


def _shape(verdict: str, ratio: float, x: float, y: float, title: str) -> str:
    """Whatever its colour, it points to where the ratio lies. MODEL's bar would be lost in the interval."""
    hollow = f' style="{HOLLOW}"' if verdict == FIXED_COST else ""
    return f'<path class="mark"{hollow} d="{plots.outline(KINDS.get(side_of(ratio), plots.CUDA), x, y)}">{title}</path>'


def _texts_beside(name: str, group: Sequence[Measured], axis: StripAxis, middle: float) -> list[str]:
    lines, right = _lines(name), axis.begin + axis.area
    parts = [_text(axis.begin - 10, middle + LINE * (at - (len(lines) - 1) / 2), line, "end") for at, line in enumerate(lines)]
    return [*parts, _text(right + 36, middle, str(len(group)), "end"), _text(right + 44, middle, _farthest(group, FARTHEST_LETTERS))]


def _texts_above(name: str, group: Sequence[Measured], axis: StripAxis, top: float) -> list[str]:
    first, second = top + 10, top + 10 + LINE
    number = f"{len(group)} pair{'s' if len(group) > 1 else ''}"
    parts = [_text(axis.begin, first, name), _text(axis.begin + axis.area, first, number, "end")]
    return [*parts, _text(axis.begin, second, f"farthest from 1: {_farthest(group, NARROW_LETTERS)}")]


def _farthest(group: Sequence[Measured], letters: int) -> str:
    """The ratio and what tells its case from the row's others, as much as there is room for."""
    far = max(group, key=lambda one: one.distance)
    same = [column for column, value in far.case.cells if all(one.case[column] == value for one in group)]
    named = far.case.replace(elements=formats.count(far.case.elements)) if far.case["elements"] else far.case
    text = f"{plots.number(round(far.ratio.value, 3))} {named.name(without=['api', *same])}".rstrip()
    return text if len(text) <= letters else f"{text[: letters - 1].rstrip()}…"


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    end = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text class="small"{end} x="{pixel(x)}" y="{pixel(y)}" dy=".35em">{escape(text)}</text>'
