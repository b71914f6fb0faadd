"""exp08_waiting's tables and figure: when the host learns of a kernel's end, and what it burns until then."""

from functools import partial

from benchlib.document.document import Block, Blocks
from benchlib.document.plots import CUDA, MORE, VULKAN, Chart, Panel, line
from benchlib.model.analysis import Analysis, Counting, Plot, Study
from benchlib.model.pairs import Pair, pairs, place_in
from benchlib.tables.twins import micros, noise_floor, versus
from benchlib.results.results import Table
from benchlib.tables.pivot import Columns, by_api, figures, keys, pivot, rounded, thousandth, told

WAYS = ["poll", "sleep", "object", "poll_object", "flag", "spin", "yield"]
SHARES = ("cpu_user", "cpu_system", "cpu_share")


def waited(table: Table, *columns: Columns[Pair]) -> Block:
    """A row a kernel's length and way."""
    chosen = sorted(pairs(table, {"variant": "wait"}), key=lambda pair: (pair.case.whole("length_ns"), place_in(WAYS, pair.case["way"])))
    return pivot(chosen, keys({"kernel, µs:": thousandth("length_ns"), "way": "way"}), *columns)


def latency(found: Study, table: Table) -> Blocks:
    times = figures(table, micros, "device_ns", "submit_ns", "latency_ns")
    about = (
        "Microseconds by the host's clock. A figure is the median over the runs. Of a run, round trip and submit are medians over the samples. "
        "Latency: of a run the median over all round trips of the case, first ones and those that time the submission included, less the kernel's "
        "own length. Handing over and starting are in it. It is not the round trip beside it less that length."
    )
    shown = waited(table, by_api(["{} round trip:", "submit:", "latency:"], times), versus(table, " round trip"))
    return told(shown, [about], [found.memoized(noise_floor, table)])


def burnt(_: Study, table: Table) -> Blocks:
    shares = figures(table, partial(rounded, digits=3), *SHARES)
    return told(waited(table, by_api(["{} user:", "system:", "both:"], shares)), ["CPU seconds of the waiting thread, a second from submit to completed."])


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
