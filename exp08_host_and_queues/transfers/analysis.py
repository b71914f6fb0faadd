"""exp08_transfers' tables: what moves data between host and GPU, what the CPU reaches by itself, and what it costs the CPU."""

from collections.abc import Callable, Mapping, Sequence

from benchlib.document.document import NONE, Block, Blocks, Cell, Code, paragraph
from benchlib.document.plots import CUDA, MORE, VULKAN, Chart, Panel, Series, line
from benchlib.model.analysis import Analysis, Counting, Plot, Study
from benchlib.model.pairs import figure_of, in_order, pairs
from benchlib.tables.twins import micros, plain, versus
from benchlib.results.results import Case, Table
from benchlib.stats.formats import binary
from benchlib.tables.pivot import across, api_name, by_api, figures, keys, named, pivot, told

WORD_BYTES = 4
ENGINES = {"copy_engine": "copy engine, transfer queue", "compute_queue": "compute queue", "kernel": "kernel"}


def size_of(case: Case) -> int:
    return case.elements * WORD_BYTES


ENGINE = {"engine": named(ENGINES, "engine")}


def engine(case: Case) -> Cell:
    return ENGINES.get(case["engine"], case["engine"]) + (f", {case['in_flight']} staging" if case["in_flight"] else "")


def _row(case: Case) -> tuple[str, ...]:
    """What tells a row of the tables by size."""
    return tuple(case[key] for key in ("variant", "direction", "engine", "host_memory", "in_flight", "api"))


def by_size(table: Table, cases: Sequence[Case], names: Mapping[str, str | Callable[[Case], Cell]], least: int = 0, unit: str = "") -> Block:
    """GB/s, a column a size and number of threads."""
    found = {(_row(case), size_of(case), case["threads"]): case for case in cases}
    columns = sorted({(size, threads) for _, size, threads in found if size >= least}, key=lambda one: (one[0], one[1].zfill(4)))
    first: dict[tuple[str, ...], Case] = {}
    for case in cases:
        first.setdefault(_row(case), case)

    def rate(case: Case, column: tuple[int, str]) -> Cell:
        return plain(figure_of(table, found.get((_row(case), *column)), "gbps"), 3)

    return pivot(first.values(), keys(names), across(columns, lambda one: binary(one[0]) + (f", threads {one[1]}" if one[1] else "") + unit, rate))


def transfers(_: Study, table: Table) -> Blocks:
    """Every engine and memory, by size."""
    least = {_row(case): case for case in reversed(sorted(table.select({"variant": "transfer"}), key=size_of))}

    def small(case: Case) -> Cell:
        return micros(figure_of(table, least[_row(case)])) if size_of(least[_row(case)]) == WORD_BYTES else NONE

    shown = by_size(table, table.select({"variant": "transfer"}), {"way": "direction", **ENGINE, "host memory": "host_memory", "API": api_name, "4 B, µs:": small}, 1 << 16)
    return told(shown, after=["Round trip of 4 B in µs, and GB/s of larger pieces, by the host's clock from the submission to the end of a polling wait."])


def twins(_: Study, table: Table) -> Blocks:
    """Where both APIs have the same way."""
    shown = pivot(
        [pair for pair in pairs(table, {"variant": ["transfer", "staged"]}) if pair.cuda and pair.vulkan],
        keys({"way": "direction", "engine": engine, "host memory": "host_memory", "size": lambda case: binary(size_of(case))}),
        by_api(["{} µs:"], figures(table, micros, "device_ns")),
        versus(table),
    )
    return [shown]


def staged(_: Study, table: Table) -> Blocks:
    """The application's own memory, by way of staging buffers."""
    shown = by_size(table, table.select({"variant": "staged"}), {"way": "direction", **ENGINE, "staging memory": "host_memory", "buffers": "in_flight", "API": api_name})
    return told(shown, after=["GB/s between the application's memory and the GPU's. A staging buffer holds 4 MiB; one thread copies."])


def generated(_: Study, table: Table) -> Blocks:
    """Data that the host's threads make, where the copy reads them or in the GPU's memory."""
    text = "GB/s from the beginning of making the data to their arrival in the GPU's memory. Without an engine the threads write into that memory themselves."
    return told(by_size(table, table.select({"variant": "generated"}), {**ENGINE, "memory": "host_memory", "buffers": "in_flight", "API": api_name}), after=[text])


def cpu(_: Study, table: Table) -> Blocks:
    """memcpy into mapped memory, and out of it."""
    cases = table.select({"variant": ["cpu_write", "cpu_read"]})
    memories = in_order(cases, "host_memory")
    ordered = sorted(cases, key=lambda case: (case["variant"] != "cpu_write", memories.index(case["host_memory"])))
    what = named({"cpu_write": "writes", "cpu_read": "reads"}, "variant")
    names = {"the CPU": what, "memory": "host_memory", "API": api_name, "what it is": lambda case: table.text(case, "memory_is")}
    return told(by_size(table, ordered, names, unit=", GB/s"), after=[paragraph("One thread's ", Code("memcpy"), " between that memory and the application's.")])


def cpu_time(_: Study, table: Table) -> Blocks:
    """What a transfer takes of the CPU when the wait sleeps."""
    cases = table.select({"variant": ["transfer", "staged"]})
    shown = pivot(
        [case for case in cases if all(figure_of(table, case, metric) for metric in ("cpu_ns", "sleeping_ns"))],
        keys({"way": "direction", "engine": engine, "host memory": "host_memory", "API": api_name, "size": lambda case: binary(size_of(case))}),
        (["polling, µs:", "sleeping, µs:", "CPU time, µs:"], figures(table, micros, "device_ns", "sleeping_ns", "cpu_ns")),
    )
    return told(shown, after=["Round trips with a wait that polls and with one that sleeps; the thread's CPU time, user and system, with the latter."])


def chart(_: Study, table: Table) -> Chart:
    """Rates by size, a panel a direction."""
    panels = []
    chosen = (
        ("pinned, CUDA", CUDA, {"engine": "copy_engine", "host_memory": "cached", "api": "cuda"}),
        ("cached, Vulkan", VULKAN, {"engine": "copy_engine", "host_memory": "cached", "api": "vulkan"}),
        ("pageable, CUDA", MORE[0], {"engine": "copy_engine", "host_memory": "pageable", "api": "cuda"}),
        ("kernel, CUDA", MORE[1], {"engine": "kernel", "host_memory": "cached", "api": "cuda"}),
        ("kernel, Vulkan", MORE[2], {"engine": "kernel", "host_memory": "cached", "api": "vulkan"}),
    )
    for direction in ("up", "down"):
        series: list[Series] = []
        for name, kind, where in chosen:
            cases = [case for case in table.select({"variant": "transfer", "direction": direction, **where}) if size_of(case) > WORD_BYTES]
            series.append(line(table, name, kind, cases, size_of, "gbps"))
        panels.append(Panel(f"{direction.capitalize()}loads", "GB/s, round trip", series))
    text = "Data between host and GPU: GB/s by size, by what moves them and the host's memory."
    return Chart("Uploads and downloads", "bytes", panels, columns=2, description=text)


ANALYSIS = Analysis(
    sections=[
        ("Copies and kernels", transfers),
        ("The same way in both APIs", twins),
        ("Through staging buffers", staged),
        ("Data that threads make", generated),
        ("What the CPU itself reaches", cpu),
        ("CPU time", cpu_time),
    ],
    plots={"exp08-transfers": Plot("Uploads and downloads", chart, "transfer")},
    plots_marker="exp08-transfers-plots",
    # Its bytes cross the bus, which is not counted.
    counting=Counting(by_default=False),
)
