"""exp08_transfers' tables: what moves data between host and GPU, what the CPU reaches by itself, and what it costs the CPU."""

from __future__ import annotations

from collections.abc import Sequence

from benchlib.document import document
from benchlib.document.document import NO_RESULTS, NONE, Blocks, Cell, Code, paragraph
from benchlib.document.plots import CUDA, MORE, VULKAN, Chart, Panel, Series, line
from benchlib.model.analysis import Analysis, Counting, Plot, Study
from benchlib.model.pairs import figure_of, in_order, pairs
from benchlib.tables.twins import comparison, micros, plain
from benchlib.results.results import API_NAMES, Case, Table

WORD_BYTES = 4
ENGINES = {"copy_engine": "copy engine, transfer queue", "compute_queue": "compute queue", "kernel": "kernel"}


def size_of(case: Case) -> int:
    return case.elements * WORD_BYTES


def binary(count: int) -> str:
    for shift, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if count >= 1 << shift:
            return f"{count >> shift} {unit}"
    return f"{count} B"


def _by_size(table: Table, cases: Sequence[Case], metric: str, sizes: Sequence[int]) -> list[Cell]:
    of = {size_of(case): case for case in cases}
    return [plain(figure_of(table, of[size], metric), 3) if size in of else NONE for size in sizes]


def _sizes(cases: Sequence[Case], least: int = 0) -> list[int]:
    return sorted({size_of(case) for case in cases if size_of(case) >= least})


def _groups(table: Table, variant: str) -> list[tuple[str, str, str, str, str]]:
    """What tells a row of the tables: direction, engine, memory, staging buffers, API; in the order of the file."""
    keys = ("direction", "engine", "host_memory", "in_flight", "api")
    cases = table.select({"variant": variant})
    return list(dict.fromkeys(tuple(case[key] for key in keys) for case in cases))  # type: ignore[misc]


def transfers(_: Study, table: Table) -> Blocks:
    """Every engine and memory, by size."""
    cases = table.select({"variant": "transfer"})
    sizes = _sizes(cases, 1 << 16)
    rows = []
    for direction, engine, memory, flight, api in _groups(table, "transfer"):
        own = table.select({"variant": "transfer", "direction": direction, "engine": engine, "host_memory": memory, "api": api})
        least = min(own, key=size_of)
        small = micros(figure_of(table, least)) if size_of(least) == WORD_BYTES else NONE
        rows.append([direction, ENGINES.get(engine, engine), memory, API_NAMES[api], small, *_by_size(table, own, "gbps", sizes)])
    if not rows:
        return [NO_RESULTS]
    text = "Round trip of 4 B in µs, and GB/s of larger pieces, by the host's clock from the submission to the end of a polling wait."
    header = ["way", "engine", "host memory", "API", "4 B, µs:", *(f"{binary(size)}:" for size in sizes)]
    return [document.table(header, rows), paragraph(text)]


def twins(_: Study, table: Table) -> Blocks:
    """Where both APIs have the same way."""
    rows = []
    for pair in pairs(table, {"variant": ["transfer", "staged"]}):
        if pair.cuda and pair.vulkan:
            case = pair.case
            name = ENGINES.get(case["engine"], case["engine"]) + (f", {case['in_flight']} staging" if case["in_flight"] else "")
            times = [micros(figure_of(table, side)) for side in pair.sides]
            rows.append([case["direction"], name, case["host_memory"], binary(size_of(case)), *times, *comparison(table, pair)])
    header = ["way", "engine", "host memory", "size", "CUDA µs:", "Vulkan µs:", "Vulkan/CUDA [95 %]:", "Vulkan is"]
    return [document.table(header, rows)] if rows else [NO_RESULTS]


def staged(_: Study, table: Table) -> Blocks:
    """The application's own memory, by way of staging buffers."""
    cases = table.select({"variant": "staged"})
    sizes = _sizes(cases)
    rows = []
    for direction, engine, memory, flight, api in _groups(table, "staged"):
        where = {"variant": "staged", "direction": direction, "engine": engine, "host_memory": memory, "in_flight": flight, "api": api}
        rows.append([direction, ENGINES.get(engine, engine), memory, flight, API_NAMES[api], *_by_size(table, table.select(where), "gbps", sizes)])
    if not rows:
        return [NO_RESULTS]
    header = ["way", "engine", "staging memory", "buffers", "API", *(f"{binary(size)}:" for size in sizes)]
    return [document.table(header, rows), paragraph("GB/s between the application's memory and the GPU's. A staging buffer holds 4 MiB; one thread copies.")]


def generated(_: Study, table: Table) -> Blocks:
    """Data that the host's threads make, where the copy reads them or in the GPU's memory."""
    cases = table.select({"variant": "generated"})
    shapes = sorted({(size_of(case), case.whole("threads")) for case in cases})
    rows = []
    for direction, engine, memory, flight, api in _groups(table, "generated"):
        where = {"variant": "generated", "direction": direction, "engine": engine, "host_memory": memory, "in_flight": flight, "api": api}
        of = {(size_of(case), case.whole("threads")): case for case in table.select(where)}
        rates = [plain(figure_of(table, of[shape], "gbps"), 3) if shape in of else NONE for shape in shapes]
        rows.append([ENGINES.get(engine, engine) or NONE, memory, flight or NONE, API_NAMES[api], *rates])
    if not rows:
        return [NO_RESULTS]
    text = "GB/s from the beginning of making the data to their arrival in the GPU's memory. Without an engine the threads write into that memory themselves."
    header = ["engine", "memory", "buffers", "API", *(f"{binary(size)}, threads {threads}:" for size, threads in shapes)]
    return [document.table(header, rows), paragraph(text)]


def cpu(_: Study, table: Table) -> Blocks:
    """memcpy into mapped memory, and out of it."""
    rows: list[list[Cell]] = []
    for variant, name in (("cpu_write", "writes"), ("cpu_read", "reads")):
        cases = table.select({"variant": variant})
        for memory in in_order(cases, "host_memory"):
            for api in in_order([case for case in cases if case["host_memory"] == memory], "api"):
                own = [case for case in cases if case["host_memory"] == memory and case["api"] == api]
                by_size = _by_size(table, own, "gbps", _sizes(table.select({"variant": ["cpu_write", "cpu_read"]})))
                rows.append([name, memory, API_NAMES[api], table.text(own[0], "memory_is"), *by_size])
    if not rows:
        return [NO_RESULTS]
    sizes = _sizes(table.select({"variant": ["cpu_write", "cpu_read"]}))
    header = ["the CPU", "memory", "API", "what it is", *(f"{binary(size)}, GB/s:" for size in sizes)]
    return [document.table(header, rows), paragraph("One thread's ", Code("memcpy"), " between that memory and the application's.")]


def cpu_time(_: Study, table: Table) -> Blocks:
    """What a transfer takes of the CPU when the wait sleeps."""
    rows = []
    for case in table.select({"variant": ["transfer", "staged"]}):
        used, wall = figure_of(table, case, "cpu_ns"), figure_of(table, case, "sleeping_ns")
        if used and wall:
            name = ENGINES.get(case["engine"], case["engine"]) + (f", {case['in_flight']} staging" if case["in_flight"] else "")
            polled = micros(figure_of(table, case))
            rows.append([case["direction"], name, case["host_memory"], API_NAMES[case["api"]], binary(size_of(case)), polled, micros(wall), micros(used)])
    if not rows:
        return [NO_RESULTS]
    header = ["way", "engine", "host memory", "API", "size", "polling, µs:", "sleeping, µs:", "CPU time, µs:"]
    return [document.table(header, rows), paragraph("Round trips with a wait that polls and with one that sleeps; the thread's CPU time, user and system, with the latter.")]


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
