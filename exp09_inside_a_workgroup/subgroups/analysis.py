"""exp09_subgroups' tables: what each operation becomes, its latency and its rate."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from benchlib.document import document
from benchlib.document.document import NO_RESULTS, NONE, Blocks, Cell, fixed, paragraph
from benchlib.model.analysis import Analysis, Counting, Study
from benchlib.model.pairs import figure_of, in_order
from benchlib.tables.twins import both_apis
from benchlib.results.results import APIS, Case, Table
from benchlib.sass import listings

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
    rows: list[list[Cell]] = []
    for case in sorted(cases, key=lambda case: (case["variant"], case["operation"], case["subgroups"])):
        is_chain = case["variant"] == "chain_declared"
        metric, plain = ("cycles", case.replace(variant="chain", subgroups="")) if is_chain else ("device_ns", case.replace(variant="rate", subgroups=""))
        values = [figure.value if (figure := figure_of(table, each, metric)) else None for each in (case, plain)]
        ratio = values[0] / values[1] if values[0] and values[1] else None
        rows.append([case["variant"].removesuffix("_declared"), case["operation"], case["subgroups"], *(fixed(value, 1) for value in values), fixed(ratio, 3)])
    header = ["variant", "operation", "declared", "cycles, or ns:", "nothing declared:", "ratio:"]
    return [paragraph("Vulkan, of all lanes: a chain's cycles of one operation, a full GPU's nanoseconds."), document.table(header, rows)] if rows else []


def latency(found: Study, table: Table) -> Blocks:
    cases = table.select({"variant": "chain"})
    rows: list[list[Cell]] = []
    for operation in in_order(cases, "operation"):
        cells: list[Cell] = [_code(found, table, f"chain_{operation}_all", api) for api in APIS]
        for lanes, subgroups in (("all", ""), ("even", ""), ("all", "full")):
            chosen = [c for c in cases if (c["operation"], c["lanes"], c["subgroups"]) == (operation, lanes, subgroups)]
            cells.append(both_apis(table, chosen, "cycles") if chosen else NONE)
        rows.append([operation, *cells])
    if not rows:
        return [NO_RESULTS]
    text = (
        "One subgroup, each operation needs the one before: cycles by the SM's own clock, CUDA / Vulkan. Each includes an addition of the lane's number, which "
        "`none` has alone. rotate: a shuffle from the next lane. Machine code: of one operation of all lanes, of what lanes exchange by."
    )
    header = ["operation", "CUDA's machine code", "Vulkan's", "all lanes:", "even lanes, behind a branch:", "full subgroups asked for:"]
    return [paragraph(text), document.table(header, rows), *declared(table)]


def _per_clock(table: Table, case: Case, figure: Callable[[Table, Case, str], object]) -> float | None:
    """Lanes' operations that an SM does a clock."""
    time, clock, operations = figure(table, case, "device_ns"), figure(table, case, "sm_mhz"), table.text(case, "sm_operations")
    if not time or not clock or not operations:
        return None
    return float(operations) / (time.value * clock.value / 1000)  # type: ignore[attr-defined]


def rates(_: Study, table: Table) -> Blocks:
    cases = table.select({"variant": "rate"})
    rows: list[list[Cell]] = []
    for operation in in_order(cases, "operation"):
        cells: list[Cell] = []
        for lanes in ("all", "even"):
            for api in APIS:
                chosen = [c for c in cases if (c["operation"], c["lanes"], c["api"]) == (operation, lanes, api)]
                value = _per_clock(table, chosen[0], figure_of) if chosen else None
                cells.append(fixed(value, 2) if value else NONE)
        rows.append([operation, *cells])
    if not rows:
        return [NO_RESULTS]
    text = "A full GPU, four chains a thread: threads' operations a clock and SM, from the time and the SMs' clock. A lane that takes no part counts, too."
    header = ["operation", "all lanes, CUDA:", "Vulkan:", "even lanes, CUDA:", "Vulkan:"]
    return [paragraph(text), document.table(header, rows)]


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
