"""exp09_atomics' tables and figure: rates by type, place and rivals, a crowd on one address, machine code."""

from __future__ import annotations

from benchlib.document import document
from benchlib.document.document import NO_RESULTS, NONE, Blocks, Cell, Code, fixed, paragraph, whole
from benchlib.document.plots import CUDA, MORE, VULKAN, Chart, Panel, Point, Series
from benchlib.model.analysis import Analysis, Counting, Plot, Study
from benchlib.model.pairs import figure_of, in_order
from benchlib.tables.twins import plain
from benchlib.results.results import APIS, Case, Table
from benchlib.sass import listings

OPERATIONS = ["add", "add_generic", "min", "exchange", "cas", "exchange_loop", "first"]
CROWD = ["add", "exchange_loop", "cas"]
TYPES = ["i32", "i64", "f32", "f64", "f16x2"]


def _most(table: Table, place: str) -> str:
    """Threads of a launch that asks for a rate: there are cases of each type."""
    found = {case["threads"] for case in table.select({"variant": "add", "type": "i32", "place": place})}
    return max(found, key=int, default="")


def _rate(table: Table, case: Case | None) -> Cell:
    """Operations a nanosecond."""
    figure = figure_of(table, case, "element_ns")
    return fixed(1 / figure.value, 3) if figure and figure.value else NONE


def rates(_: Study, table: Table) -> Blocks:
    """A row an operation, type and place, a column a number of addresses: operations a nanosecond, CUDA / Vulkan."""
    blocks: Blocks = []
    for place in ("global", "shared"):
        cases = table.select({"variant": OPERATIONS, "place": place, "threads": _most(table, place)})
        counts = sorted({case.whole("addresses") for case in cases})
        rows: list[list[Cell]] = []
        for operation in in_order(cases, "variant"):
            for result in ("unused", "used"):
                for kind in TYPES:
                    same = [case for case in cases if (case["variant"], case["result"], case["type"]) == (operation, result, kind)]
                    if not same:
                        continue
                    cells: list[Cell] = []
                    for addresses in counts:
                        there = {case["api"]: case for case in same if case.whole("addresses") == addresses}
                        cells.append(document.joined([_rate(table, there.get(api)) for api in APIS]) if there else NONE)
                    rows.append([operation, kind, result, *cells])
        if rows:
            where = "buffer" if place == "global" else "block's shared memory"
            blocks.append(paragraph(f"In a {where}: operations a nanosecond of the whole GPU, CUDA / Vulkan, by addresses{'' if place == 'global' else ' a block'}."))
            blocks.append(document.table(["operation", "type", "result", *(f"{addresses}:" for addresses in counts)], rows))
    return blocks or [NO_RESULTS]


def _crowd(table: Table) -> list[Case]:
    return table.select({"variant": CROWD, "type": "f32", "place": "global", "result": "unused"})


def crowd(_: Study, table: Table) -> Blocks:
    """A row a number of threads and addresses: one addition a thread, three ways."""
    cases = [case for case in _crowd(table) if case.elements == case.whole("threads")]
    rows: list[list[Cell]] = []
    for addresses, threads in sorted({(case.whole("addresses"), case.whole("threads")) for case in cases}):
        cells: list[Cell] = []
        for variant in CROWD:
            for api in APIS:
                found = [c for c in cases if (c["variant"], c["api"], c.whole("addresses"), c.whole("threads")) == (variant, api, addresses, threads)]
                cells.append(plain(figure_of(table, found[0], "device_ns")) if found else NONE)
                if variant != "add":
                    cells.append(plain(figure_of(table, found[0], "turns"), 2) if found else NONE)
        rows.append([whole(addresses), whole(threads), *cells])
    if not rows:
        return [NO_RESULTS]
    header = ["addresses:", "threads:", "add, CUDA ns:", "Vulkan ns:", "exchanges, CUDA ns:", "turns:", "Vulkan ns:", "turns:"]
    header += ["compare-and-swaps, CUDA ns:", "turns:", "Vulkan ns:", "turns:"]
    text = "Every thread adds 1 to a float, once. Turns: of a loop, for one addition. A loop that gives up after its bound of turns is a failed row."
    return [paragraph(text), document.table(header, rows)]


def machine_code(found: Study, table: Table) -> Blocks:
    """A row a kernel: its atomic instructions in both APIs."""
    cases = table.select({"variant": OPERATIONS})
    kernels = dict.fromkeys(f"{c['place']}_{c['variant']}_{c['type']}" + ("_used" if c["result"] == "used" else "") for c in cases)
    rows: list[list[Cell]] = []
    for kernel in kernels:
        cells: list[Cell] = []
        for api in APIS:
            code = listings.of(found, table, kernel, api)
            atomics = dict.fromkeys(i.opcode for i in code if i.opcode.startswith(("ATOM", "RED")))
            cells.append("; ".join(atomics) or NONE)
        if any(cell is not NONE for cell in cells):
            rows.append([Code(kernel), *cells])
    return [document.table(["kernel", "CUDA", "Vulkan"], rows)] if rows else [paragraph("The listings are not here: scripts/dump_sass.py makes them.")]


def _series(table: Table, variant: str, api: str, name: str, mark: str) -> Series:
    points = []
    for case in _crowd(table):
        figure = table.figure(case, "device_ns")
        if (case["variant"], case["api"], case["addresses"]) == (variant, api, "1") and case.elements == case.whole("threads") and figure:
            points.append(Point(float(case.whole("threads")), figure.value / 1000))
    return Series(name, mark, sorted(points, key=lambda point: point.x))


def crowd_chart(_: Study, table: Table) -> Chart:
    series = [
        _series(table, "cas", "cuda", "CUDA, compare-and-swaps", CUDA),
        _series(table, "cas", "vulkan", "Vulkan, compare-and-swaps", VULKAN),
        _series(table, "exchange_loop", "cuda", "CUDA, exchanges", MORE[0]),
        _series(table, "exchange_loop", "vulkan", "Vulkan, exchanges", MORE[1]),
    ]
    text = "Every thread adds 1 to one float, by a loop of compare-and-swaps or of exchanges."
    return Chart("A crowd on one address", "threads", [Panel("One addition a thread", "µs", series, y_log=True)], description=text)


ANALYSIS = Analysis(
    sections=[("Operations a nanosecond", rates), ("A crowd on one address", crowd), ("Machine code", machine_code)],
    plots={"exp09-crowd": Plot("A crowd on one address", crowd_chart, "cas")},
    plots_marker="exp09-atomics-plots",
    # About time, not about traffic.
    counting=Counting(by_default=False),
)
