"""exp09_subgroups' tables: what each operation becomes, its latency and its rate."""

import re
from collections.abc import Callable, Sequence

from benchlib.document.document import NONE, Blocks, Cell, fixed
from benchlib.model.analysis import Analysis, Counting, Study
from benchlib.model.pairs import figure_of, in_order
from benchlib.tables.twins import both_apis
from benchlib.results.results import Case, Table
from benchlib.sass import listings
from benchlib.tables.pivot import column, for_apis, keys, pivot, quotient, rounded, told

SHOWN = re.compile(r"^(?:SHFL|VOTEU?|REDUX|CREDUX|MATCH|WARPSYNC|BSSY)\b")
UNROLLED = 8  # operations of a turn


def _code(found: Study, table: Table, kernel: str, api: str) -> str:
    """The instructions of one operation: 5 SHFL.BFLY. Of a turn's they are an eighth."""
    opcodes = [instruction.opcode for instruction in listings.of(found, table, kernel, api) if SHOWN.match(instruction.opcode)]
    parts = []
    for opcode in dict.fromkeys(opcodes):
        times = opcodes.count(opcode) / UNROLLED
        parts.append(opcode if times <= 1 else f"{times:.3g} {opcode}")
    return "; ".join(parts) or NONE


def declared(table: Table) -> Blocks:
    """What modules take that declare where invocations meet again, beside those that do not; nothing where no run has any."""
    cases = table.select({"variant": ["chain_declared", "rate_declared"]})

    def bare(case: Case) -> str:
        return case["variant"].removesuffix("_declared")

    def cells(case: Case) -> list[Cell]:
        metric = "cycles" if bare(case) == "chain" else "device_ns"
        both = [figure_of(table, each, metric) for each in (case, case.replace(variant=bare(case), subgroups=""))]
        return [*(rounded(figure, 1) for figure in both), quotient(*both, digits=3)]

    shown = pivot(
        sorted(cases, key=lambda case: (case["variant"], case["operation"], case["subgroups"])),
        keys({"variant": bare, "operation": "operation", "declared": "subgroups"}),
        (["cycles, or ns:", "nothing declared:", "ratio:"], cells),
    )
    return told(shown, ["Vulkan, of all lanes: a chain's cycles of one operation, a full GPU's nanoseconds."]) if cases else []


def latency(found: Study, table: Table) -> Blocks:
    cases = table.select({"variant": "chain"})

    def cycles(operation: str, lanes: str, subgroups: str) -> Cell:
        chosen = [c for c in cases if (c["operation"], c["lanes"], c["subgroups"]) == (operation, lanes, subgroups)]
        return both_apis(table, chosen, "cycles")

    shown = pivot(
        in_order(cases, "operation"),
        column("operation", str),
        for_apis("CUDA's machine code", "Vulkan's", lambda operation, api: _code(found, table, f"chain_{operation}_all", api)),
        column("all lanes:", lambda operation: cycles(operation, "all", "")),
        column("even lanes, behind a branch:", lambda operation: cycles(operation, "even", "")),
        column("full subgroups asked for:", lambda operation: cycles(operation, "all", "full")),
    )
    text = (
        "One subgroup, each operation needs the one before: cycles by the SM's own clock, CUDA / Vulkan. Each includes an addition of the lane's number, which "
        "`none` has alone. rotate: a shuffle from the next lane. Machine code: of one operation of all lanes, of what lanes exchange by."
    )
    return [*told(shown, [text]), *(declared(table) if cases else [])]


def _per_clock(table: Table, case: Case, figure: Callable[[Table, Case, str], object]) -> float | None:
    """Lanes' operations that an SM does a clock."""
    time, clock, operations = figure(table, case, "device_ns"), figure(table, case, "sm_mhz"), table.text(case, "sm_operations")
    if not time or not clock or not operations:
        return None
    return float(operations) / (time.value * clock.value / 1000)  # type: ignore[attr-defined]


def rates(_: Study, table: Table) -> Blocks:
    cases = {(case["operation"], case["lanes"], case["api"]): case for case in reversed(table.select({"variant": "rate"}))}

    def rate(operation: str, lanes: str, api: str) -> Cell:
        case = cases.get((operation, lanes, api))
        return fixed(_per_clock(table, case, figure_of) or None if case else None, 2)

    shown = pivot(
        in_order(table.select({"variant": "rate"}), "operation"),
        column("operation", str),
        for_apis("all lanes, CUDA:", "Vulkan:", lambda operation, api: rate(operation, "all", api)),
        for_apis("even lanes, CUDA:", "Vulkan:", lambda operation, api: rate(operation, "even", api)),
    )
    text = "A full GPU, four chains a thread: threads' operations a clock and SM, from the time and the SMs' clock. A lane that takes no part counts, too."
    return told(shown, [text])


def _rate_of(operations: Sequence[str]) -> Callable[[Table], dict[Case, float]]:
    """Of a table with one run."""

    def of(table: Table) -> dict[Case, float]:
        found = {}
        for case in table.select({"variant": "rate", "operation": list(operations), "lanes": "all"}):
            value = _per_clock(table, case, lambda table, case, metric: table.figure(case, metric))
            if value is not None:
                found[case] = value
        return found

    return of


ANALYSIS = Analysis(
    inside_sm=["chain", "rate", "aa_control_a", "aa_control_b"],
    sections=[("One operation after another", latency), ("A full GPU", rates)],
    counting=Counting(by_default=False),
    figures={
        "shuffles_per_clock": _rate_of(["shuffle", "shuffle_xor", "shuffle_up", "rotate"]),
        "votes_per_clock": _rate_of(["all", "any", "ballot"]),
        "reductions_per_clock": _rate_of(["add", "min"]),
    },
)
