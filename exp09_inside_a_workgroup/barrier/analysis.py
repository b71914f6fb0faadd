"""exp09_barrier's table and figure: cycles of every barrier and fence, and what it becomes."""

import re
from collections.abc import Callable, Sequence

from benchlib.document.document import NONE, Blocks, Cell
from benchlib.document.plots import CUDA, MORE, VULKAN, Chart, Panel, line
from benchlib.model.analysis import Analysis, Counting, Plot, Study
from benchlib.model.pairs import in_order, place_in
from benchlib.tables.twins import both_apis
from benchlib.results.results import Case, Table
from benchlib.sass import listings
from benchlib.tables.pivot import grid, told

BETWEEN = ["nothing", "exchange"]
SHOWN = re.compile(r"^(?:BAR|MEMBAR|CCTL|ERRBAR|CGAERRBAR|WARPSYNC|NANOSLEEP|ATOMS|RED|SYNCS)\b")


def _code(found: Study, table: Table, variant: str, api: str) -> str:
    """Every kind of barrier and fence of the kernel that does nothing else, in the order in which they come."""
    code = listings.of(found, table, f"{variant}_alone", api)
    return "; ".join(dict.fromkeys(instruction.opcode for instruction in code if SHOWN.match(instruction.opcode))) or NONE


def barriers(found: Study, table: Table) -> Blocks:
    """A row a kind and what is between two of them, a column a number of threads."""
    cases = [case for case in table.select({}) if not case["variant"].startswith("aa_")]
    kinds = in_order(cases, "variant")
    timed = {(case["variant"], case["between"], case["api"]) for case in cases}

    def code(api: str) -> Callable[[Case], Cell]:
        return lambda case: _code(found, table, case["variant"], api) if (case["variant"], case["between"], api) in timed else NONE

    shown = grid(
        sorted(cases, key=lambda case: (kinds.index(case["variant"]), place_in(BETWEEN, case["between"]))),
        {"wait": "variant", "between two": "between", "CUDA's machine code": code("cuda"), "Vulkan's": code("vulkan")},
        lambda case: case.whole("block"),
        lambda size: f"{size} threads",
        lambda chosen: both_apis(table, chosen, "cycles"),
    )
    text = (
        "One block alone on an SM: cycles of a step by the SM's own clock, CUDA / Vulkan, by its threads. A step is the wait and a quarter of a loop's turn; "
        "with an exchange also a store and a load of shared memory."
    )
    return told(shown, [text])


def chart(_: Study, table: Table) -> Chart:
    """Cycles against threads."""
    panels = []
    for between, title in (("nothing", "Nothing between two"), ("exchange", "Words exchanged")):
        series = []
        for variant, api, kind in (
            ("barrier", "cuda", CUDA), ("barrier", "vulkan", VULKAN), ("release_acquire", "cuda", MORE[0]), ("release_acquire", "vulkan", MORE[1]), ("mbarrier_warp", "cuda", MORE[2]),
        ):  # fmt: skip
            cases: Sequence[Case] = table.select({"variant": variant, "api": api, "between": between})
            series.append(line(table, f"{variant}, {api}", kind, cases, lambda case: case.whole("block"), "cycles"))
        panels.append(Panel(title, "cycles a step", series, y_log=True))
    return Chart("Barriers", "threads of the block", panels, columns=2, description="Cycles of a barrier, and of one made of a counter.")


ANALYSIS = Analysis(
    # All but those whose fence reaches the device's or a buffer's memory.
    inside_sm=["none", "barrier", "control", "named", "named_count", "unaligned", "barrier_or", "memory_shared", "memory_then_barrier",
               "threadfence_block", "threadfence_block_then_barrier", "group_then_barrier", "subgroup", "release_acquire", "mbarrier", "mbarrier_warp", "aa_control_a", "aa_control_b"],
    sections=[("Barriers and fences", barriers)],
    plots={"exp09-barriers": Plot("Barriers", chart, "barrier,release_acquire,mbarrier_warp")},
    plots_marker="exp09-barrier-plots",
    counting=Counting(by_default=False),
)
