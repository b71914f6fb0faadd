"""exp08_waiting's tables and figure: when the host learns of a kernel's end, and what it burns until then."""

from __future__ import annotations

from benchlib.document import document
from benchlib.document.document import NO_RESULTS, Blocks, Cell, fixed, paragraph
from benchlib.document.plots import CUDA, MORE, VULKAN, Chart, Panel, line
from benchlib.model.analysis import Analysis, Counting, Plot, Study
from benchlib.model.pairs import figure_of, pairs, place_in
from benchlib.tables.twins import comparison, micros, with_noise_floor
from benchlib.results.results import API_NAMES, APIS, Table

WAYS = ["poll", "sleep", "object", "poll_object", "flag", "spin", "yield"]
SHARES = ("cpu_user", "cpu_system", "cpu_share")


def latency(found: Study, table: Table) -> Blocks:
    chosen = sorted(pairs(table, {"variant": "wait"}), key=lambda pair: (pair.case.whole("length_ns"), place_in(WAYS, pair.case["way"])))
    if not chosen:
        return [NO_RESULTS]
    header = ["kernel, µs:", "way"]
    for api in APIS:
        header += [f"{API_NAMES[api]} round trip:", "submit:", "latency:"]
    rows = []
    for pair in chosen:
        cells: list[Cell] = [f"{pair.case.whole('length_ns') / 1000:g}", pair.case["way"]]
        for side in pair.sides:
            cells += [micros(figure_of(table, side, metric)) for metric in ("device_ns", "submit_ns", "latency_ns")]
        rows.append(cells + comparison(table, pair))
    header += ["Vulkan/CUDA round trip [95 %]:", "Vulkan is"]
    about = (
        "Microseconds by the host's clock. A figure is the median over the runs. Of a run, round trip and submit are medians over the samples. "
        "Latency: of a run the median over all round trips of the case, first ones and those that time the submission included, less the kernel's "
        "own length. Handing over and starting are in it. It is not the round trip beside it less that length."
    )
    return with_noise_floor(found, table, paragraph(about), document.table(header, rows))


def burnt(_: Study, table: Table) -> Blocks:
    chosen = sorted(pairs(table, {"variant": "wait"}), key=lambda pair: (pair.case.whole("length_ns"), place_in(WAYS, pair.case["way"])))
    if not chosen:
        return [NO_RESULTS]
    header = ["kernel, µs:", "way"]
    for api in APIS:
        header += [f"{API_NAMES[api]} user:", "system:", "both:"]
    rows = []
    for pair in chosen:
        cells: list[Cell] = [f"{pair.case.whole('length_ns') / 1000:g}", pair.case["way"]]
        for side in pair.sides:
            figures = [figure_of(table, side, metric) for metric in SHARES]
            cells += [fixed(figure.value if figure else None, 3) for figure in figures]
        rows.append(cells)
    return [paragraph("CPU seconds of the waiting thread, a second from submit to completed."), document.table(header, rows)]


def waiting_chart(_: Study, table: Table) -> Chart:
    shown = (
        ("CUDA, polling", CUDA, "cuda", "poll"),
        ("CUDA, blocking", MORE[0], "cuda", "sleep"),
        ("Vulkan, polling", VULKAN, "vulkan", "poll"),
        ("Vulkan, vkWaitForFences", MORE[1], "vulkan", "sleep"),
        ("Vulkan, a flag", MORE[2], "vulkan", "flag"),
    )
    panels = []
    for metric, scale, label in (("latency_ns", 1e-3, "µs beside the kernel's length"), ("cpu_share", 1.0, "CPU seconds a second")):
        series = []
        for name, kind, api, way in shown:
            cases = table.select({"variant": "wait", "api": api, "way": way})
            series.append(line(table, name, kind, cases, lambda case: case.whole("length_ns") / 1000, metric, scale))
        panels.append(Panel("latency" if scale != 1 else "CPU time burnt", label, series))
    return Chart("Waiting for a kernel", "µs that the kernel works", panels, description="Latency and CPU time of ways to wait, both APIs.")


ANALYSIS = Analysis(
    sections=[("Latency", latency), ("CPU time burnt", burnt)],
    plots={"exp08-waiting": Plot("Waiting for a kernel", waiting_chart, "wait")},
    plots_marker="exp08-waiting-plots",
    counting=Counting(by_default=False),
)
