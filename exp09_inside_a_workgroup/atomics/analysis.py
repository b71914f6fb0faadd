"""exp09_atomics' tables and figure: rates by type, place and rivals, a crowd on one address, machine code."""

from collections.abc import Callable, Sequence

from benchlib.document import document
from benchlib.document.document import NO_RESULTS, NONE, Blocks, Cell, Code, fixed, paragraph, whole
from benchlib.document.plots import CUDA, MORE, VULKAN, Chart, Panel, Series, line
from benchlib.model.analysis import Analysis, Counting, Plot, Study
from benchlib.model.pairs import figure_of, in_order
from benchlib.tables.twins import plain
from benchlib.results.results import APIS, Case, Table
from benchlib.sass import listings
from benchlib.tables.pivot import Columns, column, for_apis, grid, pivot, told

OPERATIONS = ["add", "add_known", "add_generic", "min", "exchange", "cas", "exchange_loop", "first"]
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

    def cell(cases: Sequence[Case]) -> Cell:
        there = {case["api"]: case for case in cases}
        return document.joined([_rate(table, there.get(api)) for api in APIS]) if there else NONE

    blocks: Blocks = []
    for place, where, each in (("global", "buffer", ""), ("shared", "block's shared memory", " a block")):
        cases = table.select({"variant": OPERATIONS, "place": place, "threads": _most(table, place)})
        operations = in_order(cases, "variant")
        cases.sort(key=lambda case: (operations.index(case["variant"]), case["result"] != "unused", TYPES.index(case["type"])))
        shown = grid(cases, {"operation": "variant", "type": "type", "result": "result"}, lambda case: case.whole("addresses"), str, cell)
        text = f"In a {where}: operations a nanosecond of the whole GPU, CUDA / Vulkan, by addresses{each}."
        blocks += [paragraph(text), shown] if cases else []
    return blocks or [NO_RESULTS]


def _crowd(table: Table) -> list[Case]:
    return table.select({"variant": CROWD, "type": "f32", "place": "global", "result": "unused"})


def crowd(_: Study, table: Table) -> Blocks:
    """A row a number of threads and addresses: one addition a thread, three ways."""
    cases = {_crowded(case): case for case in _crowd(table) if case.elements == case.whole("threads")}

    def of(way: str, api: str, metric: str, digits: int = 4) -> Callable[[tuple[int, int]], Cell]:
        return lambda row: plain(figure_of(table, cases.get((way, api, *row)), metric), digits)

    columns: list[Columns[tuple[int, int]]] = []
    for way, name in zip(CROWD, ("add", "exchanges", "compare-and-swaps")):
        for api, title in (("cuda", f"{name}, CUDA ns:"), ("vulkan", "Vulkan ns:")):
            columns.append(column(title, of(way, api, "device_ns")))
            columns += [column("turns:", of(way, api, "turns", 2))] if way != "add" else []
    text = "Every thread adds 1 to a float, once. Turns: of a loop, for one addition. A loop that gives up after its bound of turns is a failed row."
    return told(pivot(sorted({key[2:] for key in cases}), (["addresses:", "threads:"], lambda row: [*map(whole, row)]), *columns), [text])


def _crowded(case: Case) -> tuple[str, str, int, int]:
    return case["variant"], case["api"], case.whole("addresses"), case.whole("threads")


def machine_code(found: Study, table: Table) -> Blocks:
    """A row a kernel: its atomic instructions in both APIs."""
    cases = table.select({"variant": OPERATIONS})
    kernels = dict.fromkeys(f"{c['place']}_{c['variant']}_{c['type']}" + ("_used" if c["result"] == "used" else "") for c in cases)

    def atomics(kernel: str, api: str) -> Cell:
        opcodes = [instruction.opcode for instruction in listings.of(found, table, kernel, api)]
        return "; ".join(dict.fromkeys(opcode for opcode in opcodes if opcode.startswith(("ATOM", "RED")))) or NONE

    listed = [kernel for kernel in kernels if any(atomics(kernel, api) != NONE for api in APIS)]
    shown = pivot(listed, column("kernel", Code), for_apis("CUDA", "Vulkan", atomics))
    return [shown if listed else paragraph("The listings are not here: scripts/dump_sass.py makes them.")]


def _series(table: Table, variant: str, api: str, name: str, mark: str) -> Series:
    on_one = [case for case in _crowd(table) if case["addresses"] == "1" and case.elements == case.whole("threads")]
    cases = [case for case in on_one if (case["variant"], case["api"]) == (variant, api)]
    return line(table, name, mark, cases, lambda case: case.whole("threads"), "device_ns", 1e-3, intervals=False)


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
