"""exp09_barrier's table and figure: cycles of every barrier and fence, and what it becomes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from benchlib.document import document
from benchlib.document.document import NO_RESULTS, NONE, Blocks, Cell, paragraph
from benchlib.document.plots import CUDA, MORE, VULKAN, Chart, Panel, line
from benchlib.model.analysis import Analysis, Counting, Plot, Study
from benchlib.model.pairs import in_order
from benchlib.tables.twins import both_apis
from benchlib.results.results import APIS, Case, Table
from benchlib.sass import listings

BETWEEN = {"nothing": "alone", "exchange": "exchange"}  # the kernels' names end so
SHOWN = re.compile(r"^(?:BAR|MEMBAR|CCTL|ERRBAR|CGAERRBAR|WARPSYNC|NANOSLEEP|ATOMS|RED)\b")


def _code(found: Study, table: Table, variant: str, api: str) -> str:
    """Every kind of barrier and fence of the kernel that does nothing else, in the order in which they come."""
    code = listings.of(found, table, f"{variant}_alone", api)
    return "; ".join(dict.fromkeys(instruction.opcode for instruction in code if SHOWN.match(instruction.opcode))) or NONE


def barriers(found: Study, table: Table) -> Blocks:
    """A row a kind and what is between two of them, a column a number of threads."""
    cases = table.select({"variant": in_order(table.select({}), "variant")})
    cases = [case for case in cases if not case["variant"].startswith("aa_")]
    sizes = sorted({case.whole("block") for case in cases})
    rows: list[list[Cell]] = []
    for variant in dict.fromkeys(case["variant"] for case in cases):
        for between in BETWEEN:
            chosen = [case for case in cases if (case["variant"], case["between"]) == (variant, between)]
            if not chosen:
                continue
            cells = [both_apis(table, [case for case in chosen if case.whole("block") == size], "cycles") for size in sizes]
            code = [_code(found, table, variant, api) if any(case["api"] == api for case in chosen) else NONE for api in APIS]
            rows.append([variant, between, *code, *cells])
    if not rows:
        return [NO_RESULTS]
    text = (
        "One block alone on an SM: cycles of a step by the SM's own clock, CUDA / Vulkan, by its threads. A step is the wait and a quarter of a loop's turn; "
        "with an exchange also a store and a load of shared memory."
    )
    header = ["wait", "between two", "CUDA's machine code", "Vulkan's", *(f"{size} threads:" for size in sizes)]
    return [paragraph(text), document.table(header, rows)]


def chart(_: Study, table: Table) -> Chart:
    """Cycles against threads."""
    panels = []
    for between, title in (("nothing", "Nothing between two"), ("exchange", "Words exchanged")):
        series = []
        for variant, api, kind in (
            ("barrier", "cuda", CUDA), ("barrier", "vulkan", VULKAN), ("release_acquire", "cuda", MORE[0]), ("release_acquire", "vulkan", MORE[1]),
        ):  # fmt: skip
            cases: Sequence[Case] = table.select({"variant": variant, "api": api, "between": between})
            series.append(line(table, f"{variant}, {api}", kind, cases, lambda case: case.whole("block"), "cycles"))
        panels.append(Panel(title, "cycles a step", series, y_log=True))
    return Chart("Barriers", "threads of the block", panels, columns=2, description="Cycles of a barrier, and of one made of a counter.")


ANALYSIS = Analysis(
    # All but those whose fence reaches the device's or a buffer's memory.
    inside_sm=["none", "barrier", "control", "named", "named_count", "unaligned", "barrier_or", "memory_shared", "memory_then_barrier",
               "threadfence_block", "threadfence_block_then_barrier", "group_then_barrier", "subgroup", "release_acquire", "aa_control_a", "aa_control_b"],
    sections=[("Barriers and fences", barriers)],
    plots={"exp09-barriers": Plot("Barriers", chart, "barrier,release_acquire")},
    plots_marker="exp09-barrier-plots",
    counting=Counting(by_default=False),
)
