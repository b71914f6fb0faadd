"""Line plots as SVG, written by hand: the same figures give the same bytes with every version of every library.

The text is text (a page's fonts, searchable), the colours follow the reader's light or dark scheme, and every mark has its
figures as a tooltip. CUDA and Vulkan differ in colour (Okabe and Ito's palette, which colour-blind people tell apart), in mark
and by label.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape

from benchlib.formats import count
from benchlib.results import API_NAMES, APIS, Case, Table

WIDTH, HEIGHT = 300, 190  # of one panel's area
LEFT, RIGHT, TOP, BOTTOM = 56, 98, 40, 44
HEAD = 30  # of the figure, above its panels
LABEL_APART = 13
BANDWIDTH = "useful GB/s, median and 95 % interval"

# Light and dark: a reader's scheme decides. Figures in one page share these classes.
STYLE = """
.bp{color:#24292f;font:12px system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
.bp text{fill:currentColor}.bp .small{font-size:11px}.bp .head{font-size:14px;font-weight:600}.bp .title{font-weight:600}
.bp .axis{stroke:currentColor;stroke-opacity:.6}.bp .grid{stroke:currentColor;stroke-opacity:.14}
.bp .line{fill:none;stroke-width:1.8}.bp .dash{stroke-dasharray:5 4}
.bp .cuda{stroke:#0072b2;color:#0072b2}.bp .vulkan{stroke:#d55e00;color:#d55e00}.bp .model{stroke:#6e7781;color:#6e7781}
.bp .other{stroke:#009e73;color:#009e73}
.bp .band{fill:currentColor;fill-opacity:.1}
.bp .mark{fill:currentColor;stroke:none}.bp .label.label{stroke:none;fill:currentColor;font-weight:600}
@media(prefers-color-scheme:dark){.bp{color:#d0d7de}.bp .cuda{stroke:#56b4e9;color:#56b4e9}
.bp .vulkan{stroke:#f0883e;color:#f0883e}.bp .model{stroke:#9198a1;color:#9198a1}.bp .other{stroke:#3fb68b;color:#3fb68b}}
"""


@dataclass(frozen=True)
class Point:
    x: float
    y: float
    lo: float | None = None
    hi: float | None = None


@dataclass(frozen=True)
class Series:
    """`kind`: cuda, vulkan, model or other, for the colour and the mark. A prediction is a dashed line, a count a mark alone."""

    name: str
    kind: str
    points: Sequence[Point]
    line: bool = True
    marks: bool = True
    dashed: bool = False


@dataclass(frozen=True)
class Panel:
    title: str
    y_label: str
    series: Sequence[Series]
    y_log: bool = False
    y_from_zero: bool = True


@dataclass(frozen=True)
class Chart:
    """One figure: panels side by side, with the same quantity across."""

    title: str
    x_label: str
    panels: Sequence[Panel]
    columns: int = 3
    description: str = ""
    x_log: bool = True


@dataclass(frozen=True)
class Axis:
    """From data to pixels, and where the ticks are."""

    low: float
    high: float
    begin: float
    end: float
    log: bool
    ticks: Sequence[float]

    def at(self, value: float) -> float:
        move: Callable[[float], float] = math.log2 if self.log else float
        share = (move(value) - move(self.low)) / (move(self.high) - move(self.low))
        return self.begin + share * (self.end - self.begin)


def log_axis(values: Sequence[float], begin: float, end: float, most: int) -> Axis:
    """Whole powers of two around the values, as many ticks as fit."""
    low, high = math.floor(math.log2(min(values))), math.ceil(math.log2(max(values)))
    high = max(high, low + 1)
    step = math.ceil((high - low) / most)
    return Axis(2.0**low, 2.0**high, begin, end, True, [2.0**power for power in range(low, high + 1, step)])


def linear_axis(values: Sequence[float], begin: float, end: float, from_zero: bool) -> Axis:
    low, high = (0.0 if from_zero else min(values)), max(values)
    span = (high - low) or abs(high) or 1.0
    power = 10.0 ** math.floor(math.log10(span / 4))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if span / (power * factor) <= 5)
    first, last = math.floor(low / step), math.ceil(high / step)
    ticks = [round(number * step, 10) for number in range(first, last + 1)]
    return Axis(ticks[0], ticks[-1], begin, end, False, ticks)


def whole(value: float) -> str:
    """Of a power of two: 512, 4 Ki."""
    return count(int(value)) if value >= 1 else number(value)


def number(value: float) -> str:
    return f"{value:.4g}" if abs(value) < 9999.5 else f"{value:.0f}"


def pixel(value: float) -> str:
    return f"{value:.1f}"


def measured(table: Table, cases: Sequence[Case], x: Callable[[Case], float], metric: str, scale: float = 1.0) -> list[Series]:
    """A line an API."""
    series = []
    for api in APIS:
        found = [(x(case), table.figure(case, metric)) for case in cases if case["api"] == api]
        points = [
            Point(at, f.value * scale, f.lo * scale if f.lo else None, f.hi * scale if f.hi else None) for at, f in found if f
        ]
        series.append(Series(API_NAMES[api], api, sorted(points, key=lambda point: point.x)))
    return series


def svg(chart: Chart) -> str:
    """The figure, or one that says that there is nothing to show."""
    panels = shown(chart)
    columns = max(1, min(chart.columns, len(panels)))
    rows = max(1, math.ceil(len(panels) / columns))
    parts = [
        opening(columns * (LEFT + WIDTH + RIGHT), HEAD + rows * (TOP + HEIGHT + BOTTOM)),
        f"<title>{escape(chart.title)}</title>",
        f"<desc>{escape(chart.description)}</desc>",
        f"<style>{STYLE}</style>",
        f'<text class="head" x="{LEFT}" y="20">{escape(chart.title)}</text>',
    ]
    if not panels:
        parts.append(f'<text x="{LEFT}" y="{HEAD + TOP}">No results.</text>')
    for index, panel in enumerate(panels):
        left = (index % columns) * (LEFT + WIDTH + RIGHT) + LEFT
        top = HEAD + (index // columns) * (TOP + HEIGHT + BOTTOM) + TOP
        parts += _panel(panel, chart, left, top)
    return "\n".join([*parts, "</svg>"]) + "\n"


def panel_svgs(chart: Chart) -> list[str]:
    """One SVG a panel, for a page that has STYLE already and places them by its own width."""
    return [
        "\n".join(
            [opening(LEFT + WIDTH + RIGHT, TOP + HEIGHT + BOTTOM), f"<title>{escape(f'{chart.title}: {panel.title}')}</title>"]
            + _panel(panel, chart, LEFT, TOP)
            + ["</svg>"]
        )
        for panel in shown(chart)
    ]


def shown(chart: Chart) -> list[Panel]:
    return [panel for panel in chart.panels if any(series.points for series in panel.series)]


def opening(width: float, height: float) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="bp" role="img" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}">'
    )


def _extent(panels: Iterable[Panel]) -> list[float]:
    """Every value, interval ends included: panels of the same quantity share one scale."""
    points = [point for panel in panels for series in panel.series for point in series.points]
    return [end for point in points for end in (point.y, point.lo, point.hi) if end is not None]


def _panel(panel: Panel, chart: Chart, left: float, top: float) -> list[str]:
    points = [point for series in panel.series for point in series.points]
    ends = _extent(other for other in shown(chart) if other.y_label == panel.y_label)
    right, bottom = left + WIDTH, top + HEIGHT
    across = [point.x for point in points]
    x = log_axis(across, left, right, 9) if chart.x_log else linear_axis(across, left, right, from_zero=False)
    y = log_axis(ends, bottom, top, 8) if panel.y_log else linear_axis(ends, bottom, top, panel.y_from_zero)
    parts = [f'<text class="title" x="{pixel(left)}" y="{pixel(top - 24)}">{escape(panel.title)}</text>']
    parts.append(f'<text class="small" x="{pixel(left)}" y="{pixel(top - 9)}">{escape(panel.y_label)}</text>')
    for tick in y.ticks:
        at = pixel(y.at(tick))
        parts.append(f'<path class="grid" d="M{pixel(left)} {at}H{pixel(right)}"/>')
        parts.append(f'<text class="small" text-anchor="end" x="{pixel(left - 6)}" y="{at}" dy=".35em">{number(tick)}</text>')
    for tick in x.ticks:
        at = pixel(x.at(tick))
        parts.append(f'<path class="axis" d="M{at} {pixel(bottom)}v4"/>')
        name = whole(tick) if chart.x_log else number(tick)
        parts.append(f'<text class="small" text-anchor="middle" x="{at}" y="{pixel(bottom + 16)}">{name}</text>')
    parts.append(f'<path class="axis" d="M{pixel(left)} {pixel(bottom)}H{pixel(right)}"/>')
    middle = pixel((left + right) / 2)
    at = f'x="{middle}" y="{pixel(bottom + 31)}"'
    parts.append(f'<text class="small" text-anchor="middle" {at}>{escape(chart.x_label)}</text>')
    for series in panel.series:
        parts += _series(series, x, y)
    return parts + _labels(panel.series, x, y)


def _series(series: Series, x: Axis, y: Axis) -> list[str]:
    if not series.points:
        return []
    points = sorted(series.points, key=lambda point: point.x)
    parts = [f'<g class="{series.kind}">']
    if series.line:
        path = "L".join(f"{pixel(x.at(point.x))} {pixel(y.at(point.y))}" for point in points)
        parts.append(f'<path class="line{" dash" if series.dashed else ""}" d="M{path}"/>')
    for point in points if series.marks else []:
        at_x, at_y = x.at(point.x), y.at(point.y)
        if point.lo is not None and point.hi is not None:
            parts.append(f'<path class="line" d="M{pixel(at_x)} {pixel(y.at(point.lo))}V{pixel(y.at(point.hi))}"/>')
        tip = f"<title>{escape(_tip(series, point))}</title>"
        parts.append(f'<path class="mark" d="{_mark(series.kind, at_x, at_y)}">{tip}</path>')
    return [*parts, "</g>"]


def _mark(kind: str, x: float, y: float) -> str:
    """Circle, diamond, cross or square, some 7 px wide."""
    start = f"M{pixel(x)} {pixel(y)}"
    if kind == "cuda":
        return f"{start}m-3.2 0a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0 -6.4 0z"
    if kind == "vulkan":
        return f"{start}m0 -4.2l4.2 4.2l-4.2 4.2l-4.2 -4.2z"
    if kind == "model":
        return f"{start}m-3.5 -.8h7v1.6h-7z"
    return f"{start}m-3 -3h6v6h-6z"


def _tip(series: Series, point: Point) -> str:
    interval = f" [{number(point.lo)}, {number(point.hi)}]" if point.lo is not None and point.hi is not None else ""
    return f"{series.name}, {number(point.x)}: {number(point.y)}{interval}"


def _labels(series: Sequence[Series], x: Axis, y: Axis) -> list[str]:
    """Each series' name beside its last point, moved apart where they would overlap."""
    ends = [(max(one.points, key=lambda point: point.x), one) for one in series if one.points and one.name]
    placed: list[tuple[float, Series]] = []
    at = -math.inf
    for point, one in sorted(ends, key=lambda item: (y.at(item[0].y), item[1].name)):
        at = max(at + LABEL_APART, y.at(point.y))
        placed.append((at, one))
    over = max(0.0, (placed[-1][0] if placed else 0) - max(y.begin, y.end))
    left = pixel(max(x.begin, x.end) + 8)
    return [
        f'<text class="small label {one.kind}" x="{left}" y="{pixel(at - over)}" dy=".35em">{escape(one.name)}</text>'
        for at, one in placed
    ]


# ---------------------------------------------------------------------------------------------------------- strip chart

STRIP_WIDTH, STRIP_ROW = 420, 22
STRIP_LETTER = 6.6  # of its 11 px names, at most on average


@dataclass(frozen=True)
class Dot:
    """One ratio; `name` says which case it is, `kind` is as a series'."""

    name: str
    value: float
    lo: float
    hi: float
    kind: str


def strip(title: str, x_label: str, rows: Sequence[tuple[str, Sequence[Dot]]], band: tuple[float, float]) -> str:
    """A line a group, a dot a ratio with its interval, on a logarithmic axis; the band is what counts as no difference."""
    dots = [dot for _, group in rows for dot in group]
    top = 26
    bottom = top + STRIP_ROW * len(rows)
    begin = round(max((len(name) for name, _ in rows), default=0) * STRIP_LETTER) + 24
    parts = [opening(begin + STRIP_WIDTH + 24, bottom + 40), f"<title>{escape(title)}</title>"]
    if not dots:
        return "\n".join([*parts, f'<text x="10" y="{top}">No pairs.</text>', "</svg>"])
    ticks, at = _ratio_axis([end for dot in dots for end in (dot.value, dot.lo, dot.hi)] + list(band), begin)
    left, right = at(band[0]), at(band[1])
    size = f'width="{pixel(max(1, right - left))}" height="{bottom - top + 8}"'
    parts.append(f'<rect class="band" x="{pixel(left)}" y="{top - 8}" {size}/>')
    for tick in ticks:
        x = pixel(at(tick))
        parts.append(f'<path class="grid" d="M{x} {top - 8}V{bottom}"/>')
        parts.append(f'<text class="small" text-anchor="middle" x="{x}" y="{bottom + 16}">{number(tick)}</text>')
    for index, (name, group) in enumerate(rows):
        y = top + STRIP_ROW * (index + 0.5)
        place = f'x="{begin - 10}" y="{pixel(y)}" dy=".35em"'
        parts.append(f'<text class="small" text-anchor="end" {place}>{escape(name)}</text>')
        for dot in group:
            tip = f"{dot.name}: {dot.value:.4f} [{dot.lo:.4f}, {dot.hi:.4f}]"
            line = f'<path class="line" d="M{pixel(at(dot.lo))} {pixel(y)}H{pixel(at(dot.hi))}"/>'
            mark = f'<path class="mark" d="{_mark("cuda", at(dot.value), y)}"><title>{escape(tip)}</title></path>'
            parts.append(f'<g class="{dot.kind}">{line}{mark}</g>')
    middle = begin + STRIP_WIDTH / 2
    parts.append(f'<text class="small" text-anchor="middle" x="{pixel(middle)}" y="{bottom + 32}">{escape(x_label)}</text>')
    return "\n".join([*parts, "</svg>"])


def _ratio_axis(values: Sequence[float], begin: float) -> tuple[list[float], Callable[[float], float]]:
    """Round ratios as ticks, and where a ratio is drawn."""
    low, high = min(values) / 1.02, max(values) * 1.02
    steps = [0.01, 0.02, 0.05, 0.1, 0.2, 0.33, 0.5, 0.7, 0.8, 0.9, 0.95, 1, 1.05, 1.1, 1.2, 1.5, 2, 3, 5, 10, 20, 50, 100]
    span = math.log(high / low)
    ticks: list[float] = []
    for tick in sorted((step for step in steps if low <= step <= high), key=lambda step: abs(math.log(step))):
        if all(abs(math.log(tick / other)) > span * 0.08 for other in ticks):
            ticks.append(tick)

    def at(value: float) -> float:
        return begin + STRIP_WIDTH * math.log(value / low) / span

    return sorted(ticks), at
