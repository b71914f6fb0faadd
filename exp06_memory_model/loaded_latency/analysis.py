"""exp06_loaded_latency's table and figure: what a load takes at which load."""

import math
from dataclasses import dataclass
from functools import lru_cache

from benchlib.document import document
from benchlib.model.analysis import Analysis, Counting, Plot, Study
from benchlib.document.document import NO_RESULTS, NONE, Blocks, Cell, fixed, heading, paragraph
from benchlib.stats.formats import sig
from benchlib.document.plots import MODEL, Chart, Panel, Point, Series
from benchlib.results.results import API_NAMES, APIS, Case, Table
from benchlib.model.pairs import figure_of
from benchlib.tables.twins import plain, with_noise_floor

@dataclass(frozen=True)
class Loaded:
    """One API's curve at one level: what a load takes at which load. GB/s, ns."""

    idle: float
    points: tuple[tuple[float, float], ...]


def loaded_curve(table: Table, api: str, level: str) -> Loaded | None:
    idle = [table.figure(case, "latency_ns") for case in table.select({"variant": "idle", "api": api, "level": level})]
    points = []
    for case in table.select({"variant": "loaded", "api": api, "level": level}):
        load, latency = table.figure(case, "load_gbps"), table.figure(case, "latency_ns")
        if load and latency and load.value > 0 and latency.value > 0:
            points.append((load.value, latency.value))
    return Loaded(idle[0].value, tuple(sorted(points))) if idle and idle[0] and idle[0].value > 0 and points else None


@dataclass(frozen=True)
class Kingman:
    """latency = idle + wait_ns * u / (1 - u), u = load / limit_gbps; `worst` is its largest error, relative."""

    idle: float
    wait_ns: float
    limit_gbps: float
    worst: float

    @property
    def doubled(self) -> float:
        """The load, in GB/s, at which the latency is twice the idle one."""
        return self.limit_gbps * self.idle / (self.idle + self.wait_ns)

    def latency(self, gbps: float) -> float:
        return self.idle + self.wait_ns * gbps / (self.limit_gbps - gbps)


@lru_cache  # of one curve a table, a figure and several claims tell
def kingman(curve: Loaded) -> Kingman | None:
    """Least squares of the relative errors: the wait has a closed form for each limit, the limit is searched."""
    greatest = max(load for load, _ in curve.points)
    rest = [1 - curve.idle / latency for _, latency in curve.points]
    best: tuple[float, Kingman] | None = None
    for step in range(1, 1001):
        limit = greatest * (1 + 0.0005 * step)
        shape = [load / (limit - load) / latency for load, latency in curve.points]
        wait = sum(a * b for a, b in zip(shape, rest)) / sum(a * a for a in shape)
        errors = [wait * a - b for a, b in zip(shape, rest)]
        square = math.fsum(error * error for error in errors)
        if best is None or square < best[0]:
            best = (square, Kingman(curve.idle, wait, limit, max(map(abs, errors))))
    return best[1] if best and best[1].wait_ns > 0 else None


def _fits(table: Table) -> dict[Case, Kingman]:
    """Of the load from memory, by the idle case of each API."""
    found = {}
    for case in table.select({"variant": "idle", "level": "dram"}):
        curve = loaded_curve(table, case["api"], "dram")
        if curve and (fit := kingman(curve)):
            found[case] = fit
    return found


def kingman_worst_pct(table: Table) -> dict[Case, float]:
    """How far the formula is off at worst, over all loads and depths, in percent of the latency."""
    return {case: 100 * fit.worst for case, fit in _fits(table).items()}


def kingman_doubled_pct(table: Table) -> dict[Case, float]:
    """At which load, in percent of the limit, a load takes twice what it takes idle."""
    return {case: 100 * fit.doubled / fit.limit_gbps for case, fit in _fits(table).items()}


def latency(found: Study, table: Table) -> Blocks:
    parts: Blocks = []
    for level, name in (("dram", "From memory"), ("l2", "From the L2")):
        curves = {api: loaded_curve(table, api, level) for api in APIS}
        if not any(curves.values()):
            continue
        rows = []
        wanted = {"variant": ["idle", "loaded"], "level": level}
        cases = table.select({**wanted, "api": "cuda"}) or table.select({**wanted, "api": "vulkan"})
        for case in sorted(cases, key=_load_rank):
            cells: list[Cell] = [f"{case.whole('unroll') * 8} KiB" if case["streamers"] else NONE, case["wait"] or NONE]
            for api in APIS:
                side = case.replace(api=api)
                wait, curve = figure_of(table, side, "latency_ns"), curves[api]
                times = fixed(wait.value / curve.idle, 2) if wait and curve else NONE
                cells += [plain(figure_of(table, side, "load_gbps")), plain(wait), times]
            rows.append(cells)
        header = ["in flight an SM, at most", "wait:"]
        for api in APIS:
            header += [f"{API_NAMES[api]} load, GB/s:", "latency, ns:", "of idle:"]
        parts += [heading(name), document.table(header, rows)]
        fits = [f"{API_NAMES[api]} {_fit_text(fit)}" for api in APIS if (curve := curves[api]) and (fit := kingman(curve))]
        if level == "dram" and fits:
            parts.append(paragraph("Kingman's formula, fitted: " + "; ".join(fits) + "."))
        if text := _alone_text(table, level):
            parts.append(paragraph(text))
    return with_noise_floor(found, table, *parts) if parts else [NO_RESULTS]


def _load_rank(case: Case) -> tuple[int, int, int]:
    """From an idle GPU to the greatest load: first what is in flight, then how seldom it is asked for."""
    return (case.whole("streamers") if case["streamers"] else 0, case.whole("unroll"), -case.whole("wait") if case["wait"] else 0)


def _alone_text(table: Table, level: str) -> str:
    """The chase by a kernel that does nothing else, and what the idle one above differs by."""
    parts = []
    for api in APIS:
        idle, alone = (table.select({"variant": variant, "api": api, "level": level}) for variant in ("idle", "pointer"))
        found, check = (figure_of(table, cases[0], "latency_ns") if cases else None for cases in (idle, alone))
        if found and check:
            parts.append(f"{API_NAMES[api]} {sig(check.value)} ns, the idle figure above {100 * (found.value / check.value - 1):+.1f} %")
    return f"The same chase by a kernel that does nothing else: {'; '.join(parts)}." if parts else ""


def _fit_text(fit: Kingman) -> str:
    return (
        f"{fit.idle:.0f} ns + {fit.wait_ns:.1f} ns x u / (1 - u) with u = load / {fit.limit_gbps:.0f} GB/s, at worst "
        f"{100 * fit.worst:.0f} % off; half the limit costs {fit.wait_ns:.0f} ns, nine tenths {9 * fit.wait_ns:.0f} ns, and at "
        f"{100 * fit.doubled / fit.limit_gbps:.0f} % ({fit.doubled:.0f} GB/s) a load takes twice what it takes idle"
    )


# ---------------------------------------------------------------------------------------------------------------- figure


def latency_chart(_: Study, table: Table) -> Chart:
    """Latency against load, with Kingman's formula through CUDA's points."""
    panels = []
    for level, title in (("dram", "From memory"), ("l2", "From the L2")):
        series = []
        for api in APIS:
            curve = loaded_curve(table, api, level)
            if curve:
                points = [Point(0, curve.idle), *(Point(load, latency) for load, latency in curve.points)]
                series.append(Series(API_NAMES[api], api, points, line=level == "l2"))
            fit = kingman(curve) if curve and level == "dram" and api == "cuda" else None
            if curve and fit:
                top = max(load for load, _ in curve.points)
                steps = [top * step / 60 for step in range(61)]
                drawn = [Point(load, fit.latency(load)) for load in steps]
                series.append(Series("Kingman, fitted", MODEL, drawn, marks=False, dashed=True))
        panels.append(Panel(title, "ns per load", series))
    text = "What a dependent load takes on one SM while all others load as many GB/s as the axis says."
    return Chart("Latency under load", "GB/s that the other SMs load", panels, columns=2, description=text, x_log=False)


ANALYSIS = Analysis(
    sections=[("Latency under load", latency)],
    plots={"exp06-loaded-latency": Plot("Latency under load", latency_chart, "idle,loaded")},
    plots_marker="exp06-latency-plots",
    figures={"kingman_worst_pct": kingman_worst_pct, "kingman_doubled_pct": kingman_doubled_pct},
    # About latency, not about traffic.
    counting=Counting(by_default=False),
)
