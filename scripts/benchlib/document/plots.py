"""Line plots as SVG, written by hand: the same figures give the same bytes with every version of every library.

The text is text (a page's fonts, searchable), the colours follow the reader's light or dark scheme, and every mark has its
figures as a tooltip. What a series is of, it says by colour (Okabe and Ito's palette, which colour-blind people tell apart, darker
where white needs it), by mark, and by a label with that mark. A dashed line is a prediction and nothing else. Where series lie on
each other, those below are the wider.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from html import escape

from benchlib.stats.formats import count
from benchlib.results.results import API_NAMES, APIS, Case, Table

PANEL = 356  # px of one panel, where its texts have room in it: what a telephone shows
LEAST_WIDTH, HEIGHT = 160, 170  # of its area
LEFT, TOP, BOTTOM = 52, 46, 44
LETTER, TITLE_LETTER = 6.1, 7.7  # of the 11 px texts and of the title, at most on average
TICK_DISTANCE = 42  # across
LABEL_LETTER = 7.4  # of a series' 11 px label, at most on average
EDGE = 4  # before and behind the texts
HEAD = 30  # of the figure, above its panels
LABEL_DISTANCE = 14
SWATCH = 14  # beside a label
LINE, LINE_WIDER, MARK_WIDER = 1.6, 1.3, 0.3  # a line's width; more of it, and of a mark, for each series above
TOUCHING = 6  # of two marks' middles
BANDWIDTH = "useful GB/s, median and 95 % interval"

# Light and dark: a reader's scheme decides. Figures in one page share these classes.
STYLE = """
.bp{color:#24292f;font:12px system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
.bp text{fill:currentColor}.bp .small{font-size:11px}.bp .head{font-size:14px;font-weight:600}.bp .title{font-weight:600}
.bp .axis{stroke:currentColor;stroke-opacity:.6}.bp .grid{stroke:currentColor;stroke-opacity:.14}
.bp .line{fill:none}.bp .dash{stroke-dasharray:5 4}
.bp .cuda{stroke:#0072b2;color:#0072b2}.bp .vulkan{stroke:#d55e00;color:#d55e00}.bp .model{stroke:#6e7781;color:#6e7781}
.bp .gold{stroke:#a87700;color:#a87700}.bp .cyan{stroke:#1590a8;color:#1590a8}.bp .plum{stroke:#6a3d9a;color:#6a3d9a}
.bp .green{stroke:#00875f;color:#00875f}.bp .purple{stroke:#b0407f;color:#b0407f}
.bp .band{fill:currentColor;fill-opacity:.1}.bp .tenth{stroke:currentColor;stroke-opacity:.5;stroke-dasharray:2 3}.bp .span{stroke-opacity:.45}
.bp .mark{fill:currentColor;stroke:none}.bp .label{font-weight:600}
@media(prefers-color-scheme:dark){.bp{color:#d0d7de}.bp .cuda{stroke:#56b4e9;color:#56b4e9}
.bp .vulkan{stroke:#f0883e;color:#f0883e}.bp .model{stroke:#9198a1;color:#9198a1}.bp .gold{stroke:#e6c229;color:#e6c229}
.bp .cyan{stroke:#4fd0e6;color:#4fd0e6}.bp .plum{stroke:#b197fc;color:#b197fc}
.bp .green{stroke:#3fb68b;color:#3fb68b}.bp .purple{stroke:#f08cc4;color:#f08cc4}}
"""


@dataclass(frozen=True)
class Point:
    x: float
    y: float
    lo: float | None = None
    hi: float | None = None


# What a series is of. CUDA and Vulkan have theirs in every figure; MORE is for what one API does in several ways, in this order.
CUDA, VULKAN, MODEL = "cuda", "vulkan", "model"
MORE = ("gold", "cyan", "plum")
FASTER, SLOWER = "green", "purple"  # a ratio's verdict about Vulkan; MODEL for the others


@dataclass(frozen=True)
class Series:
    """`kind`: CUDA, VULKAN, MODEL or one of MORE: the colour and the mark. A prediction is a dashed line, a count a mark alone."""

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
        length = move(self.high) - move(self.low)
        share = (move(value) - move(self.low)) / length if length else 0.5  # an axis of one value
        return self.begin + share * (self.end - self.begin)


def log_axis(values: Sequence[float], begin: float, end: float, most: int) -> Axis:
    """Whole powers of two around the values, `most` ticks or fewer; both ends are ticks, with little empty between the data and them."""
    low, high = math.floor(math.log2(min(values))), math.ceil(math.log2(max(values)))
    steps = max(high - low, 1)
    least = math.ceil(steps / (most - 1))
    step = min(range(least, least + 3), key=lambda step: (-steps % step, step))
    powers = [low + step * number for number in range(math.ceil(steps / step) + 1)]
    return Axis(2.0 ** powers[0], 2.0 ** powers[-1], begin, end, True, [2.0**power for power in powers])


def linear_axis(values: Sequence[float], begin: float, end: float, from_zero: bool, most: int = 5) -> Axis:
    """`most`: steps of round numbers between the data's ends."""
    low, high = min([*values, 0.0] if from_zero else values), max([*values, 0.0] if from_zero else values)
    span = (high - low) or abs(high) or 1.0
    power = 10.0 ** math.floor(math.log10(span / most))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if span / (power * factor) <= most)
    first, last = math.floor(low / step), math.ceil(high / step)
    ticks = [round(number * step, 10) for number in range(first, last + 1)]
    return Axis(ticks[0], ticks[-1], begin, end, False, ticks)


def whole(value: float) -> str:
    """Of a power of two: 512, 4 Ki."""
    return count(int(value)) if value >= 1 else number(value)


def number(value: float) -> str:
    return f"{value:.4g}" if abs(value) < 9999.5 else f"{value:.0f}"


def short(value: float) -> str:
    """Beside an axis, where six digits have room: 8 M for 8000000."""
    return f"{number(value / 1e6)} M" if abs(value) >= 1e6 else number(value)


def pixel(value: float) -> str:
    return f"{value:.1f}"


def scaled(label: str, log: bool) -> str:
    """The axis' name, and what its scale is."""
    return f"{label}, logarithmic" if log else label


def right_of(panels: Sequence[Panel]) -> int:
    """Beside each panel's area: what the longest label takes."""
    longest = max((len(series.name) for panel in panels for series in panel.series), default=0)
    return round(8 + SWATCH + 4 + longest * LABEL_LETTER + 6)


def panel_width(chart: Chart) -> int:
    """Of each panel: wide enough for its texts."""
    panels = shown(chart)
    texts = [len(scaled(chart.x_label, chart.x_log)) * LETTER]
    for panel in panels:
        texts += [len(scaled(panel.y_label, panel.y_log)) * LETTER, len(panel.title) * TITLE_LETTER]
    return round(max(PANEL, LEFT + LEAST_WIDTH + right_of(panels), max(texts) + 2 * EDGE))


def measured(table: Table, cases: Sequence[Case], x: Callable[[Case], float], metric: str, scale: float = 1.0) -> list[Series]:
    """A line an API."""
    return [line(table, API_NAMES[api], api, [case for case in cases if case["api"] == api], x, metric, scale) for api in APIS]


def line(
    table: Table, name: str, kind: str, cases: Iterable[Case], x: Callable[[Case], float], metric: str, scale: float = 1.0, intervals: bool = True
) -> Series:
    """Of the cases that have the figure."""
    found = [(x(case), figure) for case in cases if (figure := table.figure(case, metric))]
    points = [Point(at, f.value * scale, *(end * scale if end and intervals else None for end in (f.lo, f.hi))) for at, f in found]
    return Series(name, kind, sorted(points, key=lambda point: point.x))


def svg(chart: Chart) -> str:
    """The figure, or one that says that there is nothing to show."""
    panels = shown(chart)
    columns = max(1, min(chart.columns, len(panels)))
    rows = max(1, math.ceil(len(panels) / columns))
    across = panel_width(chart)
    parts = [
        opening(columns * across, HEAD + rows * (TOP + HEIGHT + BOTTOM)),
        f"<title>{escape(chart.title)}</title>",
        f"<desc>{escape(chart.description)}</desc>",
        f"<style>{STYLE}</style>",
        f'<text class="head" x="{EDGE}" y="20">{escape(chart.title)}</text>',
    ]
    if not panels:
        parts.append(f'<text x="{LEFT}" y="{HEAD + TOP}">No results.</text>')
    for index, panel in enumerate(panels):
        left = (index % columns) * across + LEFT
        top = HEAD + (index // columns) * (TOP + HEIGHT + BOTTOM) + TOP
        parts += _panel(panel, chart, left, top)
    return "\n".join([*parts, "</svg>"]) + "\n"


def panel_svgs(chart: Chart) -> list[str]:
    """One SVG a panel, for a page that has STYLE already and places them by its own width."""
    return [
        "\n".join(
            [opening(panel_width(chart), TOP + HEIGHT + BOTTOM), f"<title>{escape(f'{chart.title}: {panel.title}')}</title>"]
            + _panel(panel, chart, LEFT, TOP)
            + ["</svg>"]
        )
        for panel in shown(chart)
    ]


def shown(chart: Chart) -> list[Panel]:
    """The panels with something to show: a logarithmic axis has no place for 0 and below."""
    panels = [replace(panel, series=[_on_axes(series, chart.x_log, panel.y_log) for series in panel.series]) for panel in chart.panels]
    return [panel for panel in panels if any(series.points for series in panel.series)]


def _on_axes(series: Series, x_log: bool, y_log: bool) -> Series:
    points = [point for point in series.points if not (x_log and point.x <= 0) and not (y_log and point.y <= 0)]
    if y_log:
        points = [replace(point, lo=None, hi=None) if point.lo is not None and point.lo <= 0 else point for point in points]
    return series if points == series.points else replace(series, points=points)


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
    begin = left - LEFT
    right, bottom = begin + panel_width(chart) - right_of(shown(chart)), top + HEIGHT
    across = [point.x for point in points]
    most = int((right - left) / TICK_DISTANCE)
    x = log_axis(across, left, right, most) if chart.x_log else linear_axis(across, left, right, False, most)
    y = log_axis(ends, bottom, top, 9) if panel.y_log else linear_axis(ends, bottom, top, panel.y_from_zero)
    parts = [f'<text class="title" x="{pixel(begin + EDGE)}" y="{pixel(top - 29)}">{escape(panel.title)}</text>']
    parts.append(f'<text class="small" x="{pixel(begin + EDGE)}" y="{pixel(top - 14)}">{escape(scaled(panel.y_label, panel.y_log))}</text>')
    for tick in y.ticks:
        at = pixel(y.at(tick))
        parts.append(f'<path class="grid" d="M{pixel(left)} {at}H{pixel(right)}"/>')
        parts.append(f'<text class="small" text-anchor="end" x="{pixel(left - 6)}" y="{at}" dy=".35em">{short(tick)}</text>')
    for tick in x.ticks:
        at = pixel(x.at(tick))
        parts.append(f'<path class="axis" d="M{at} {pixel(bottom)}v4"/>')
        name = whole(tick) if chart.x_log else number(tick)
        parts.append(f'<text class="small" text-anchor="middle" x="{at}" y="{pixel(bottom + 16)}">{name}</text>')
    parts.append(f'<path class="axis" d="M{pixel(left)} {pixel(bottom)}H{pixel(right)}"/>')
    x_label = scaled(chart.x_label, chart.x_log)
    half = EDGE + len(x_label) * LETTER / 2
    middle = min(max((left + right) / 2, begin + half), begin + panel_width(chart) - half)  # below the axis, and within the panel
    at = f'x="{pixel(middle)}" y="{pixel(bottom + 31)}"'
    parts.append(f'<text class="small" text-anchor="middle" {at}>{escape(x_label)}</text>')
    for series, below in zip(panel.series, depths(panel.series, x, y)):
        parts += _series(series, x, y, below)
    return parts + _labels(panel.series, x, y)


def depths(series: Sequence[Series], x: Axis, y: Axis) -> list[int]:
    """How many series lie on each, one on the other: those that are drawn after it, and share a place with it."""
    places = [[(x.at(point.x), y.at(point.y)) for point in one.points] for one in series]
    found = [0] * len(series)
    for index in reversed(range(len(series))):
        above = [
            found[other] + 1
            for other in range(index + 1, len(series))
            if any(math.dist(a, b) < TOUCHING for a in places[index] for b in places[other])
        ]
        found[index] = max(above, default=0)
    return found


def _series(series: Series, x: Axis, y: Axis, below: int) -> list[str]:
    """`below`: how many series are drawn over this one; it is so much wider that those leave some of it to be seen."""
    if not series.points:
        return []
    points = sorted(series.points, key=lambda point: point.x)
    parts = [f'<g class="{series.kind}">']
    if series.line:
        path = "L".join(f"{pixel(x.at(point.x))} {pixel(y.at(point.y))}" for point in points)
        width = LINE + LINE_WIDER * below
        parts.append(f'<path class="line{" dash" if series.dashed else ""}" stroke-width="{width:g}" d="M{path}"/>')
    for point in points if series.marks else []:
        at_x, at_y = x.at(point.x), y.at(point.y)
        if point.lo is not None and point.hi is not None:
            span = f"M{pixel(at_x)} {pixel(y.at(point.lo))}V{pixel(y.at(point.hi))}"
            parts.append(f'<path class="line" stroke-width="{LINE}" d="{span}"/>')
        parts.append(_mark(series, at_x, at_y, 1 + MARK_WIDER * below, _tip(series, point)))
    return [*parts, "</g>"]


# Around (0, 0), some 7 px wide: circle, diamond, bar, square, triangles.
SHAPES = {
    CUDA: ("m{} 0a{} {} 0 1 0 {} 0a{} {} 0 1 0 {} 0z", (-3.2, 3.2, 3.2, 6.4, 3.2, 3.2, -6.4)),
    VULKAN: ("m0 {}l{} {}l{} {}l{} {}z", (-4.2, 4.2, 4.2, -4.2, 4.2, -4.2, -4.2)),
    MODEL: ("m{} {}h{}v{}h{}z", (-3.5, -0.8, 7, 1.6, -7)),
    "gold": ("m{} {}h{}v{}h{}z", (-3, -3, 6, 6, -6)),
    "cyan": ("m0 {}l{} {}h{}z", (-4.2, 4, 7, -8)),
    "plum": ("m0 {}l{} {}h{}z", (4.2, 4, -7, -8)),
    FASTER: ("m{} 0l{} {}v{}z", (-4.2, 7, 4, -8)),
    SLOWER: ("m{} 0l{} {}v{}z", (4.2, -7, 4, -8)),
}


def outline(kind: str, x: float, y: float, scale: float = 1) -> str:
    shape, sizes = SHAPES[kind]
    return f"M{pixel(x)} {pixel(y)}{shape.format(*(f'{size * scale:.3g}' for size in sizes))}"


def _mark(series: Series, x: float, y: float, scale: float, tip: str) -> str:
    return f'<path class="mark" d="{outline(series.kind, x, y, scale)}"><title>{escape(tip)}</title></path>'


def _tip(series: Series, point: Point) -> str:
    interval = f" [{number(point.lo)}, {number(point.hi)}]" if point.lo is not None and point.hi is not None else ""
    return f"{series.name}, {number(point.x)}: {number(point.y)}{interval}"


def _labels(series: Sequence[Series], x: Axis, y: Axis) -> list[str]:
    """Each series' name beside its last point, moved apart where they would overlap."""
    ends = [(max(one.points, key=lambda point: point.x), one) for one in series if one.points and one.name]
    placed: list[tuple[float, Series]] = []
    at = -math.inf
    for point, one in sorted(ends, key=lambda item: (y.at(item[0].y), item[1].name)):
        at = max(at + LABEL_DISTANCE, y.at(point.y))
        placed.append((at, one))
    over = max(0.0, (placed[-1][0] if placed else 0) - max(y.begin, y.end))
    left = max(x.begin, x.end) + 8
    labels = []
    for at, one in placed:
        swatch = _swatch(one, left, at - over)
        place = f'x="{pixel(left + SWATCH + 4)}" y="{pixel(at - over)}" dy=".35em"'
        labels.append(f'<g class="{one.kind}">{swatch}</g><text class="small label" {place}>{escape(one.name)}</text>')
    return labels


def _swatch(series: Series, left: float, y: float) -> str:
    """A bit of the series: its line, its mark."""
    middle = left + SWATCH / 2
    dash = " dash" if series.dashed else ""
    line = f'<path class="line{dash}" stroke-width="{LINE}" d="M{pixel(left)} {pixel(y)}h{SWATCH}"/>' if series.line else ""
    return line + (_mark(series, middle, y, 1, series.name) if series.marks else "")
