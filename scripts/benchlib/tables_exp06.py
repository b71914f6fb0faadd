"""exp06's tables: what each order and scope costs, and what each cache operator leaves of a reuse set."""

from __future__ import annotations

from collections.abc import Sequence

from benchlib import markdown
from benchlib.markdown import NONE, count, sig
from benchlib.results import Case, Results, Table
from benchlib.tables import figure_of

SCOPES = ["", "cta", "cluster", "gpu", "sys", "subgroup", "queue_family"]
SCOPE_NAMES = {
    "": "no scope", "cta": "cta / Workgroup", "cluster": "cluster", "gpu": "gpu / Device", "sys": "sys", "subgroup": "Subgroup",
    "queue_family": "QueueFamily",
}  # fmt: skip
CHAINS = ["load_chain", "store_chain", "add_chain", "cas_chain"]
RATES = ["load_rate", "store_rate", "add_rate", "fence_rate"]
MESSAGES = ["message_flag", "message_payload"]


def _in_order(cases: Sequence[Case], column: str) -> list[str]:
    """The column's values, as they come in the file."""
    return list(dict.fromkeys(case[column] for case in cases))


def _both(table: Table, cases: Sequence[Case], metric: str) -> str:
    """CUDA's figure and Vulkan's; one that is not there is a dash, and two of them one."""
    cells = []
    for api in ("cuda", "vulkan"):
        figures = [figure_of(table, case, metric) for case in cases if case["api"] == api]
        cells.append(sig(figures[0].value) if figures and figures[0] else NONE)
    return NONE if set(cells) == {NONE} else " / ".join(cells)


def _by_scope(table: Table, variants: Sequence[str], metric: str, also: str = "") -> str:
    """A row an operation and order (and value of the column `also`), a column a scope."""
    cases = table.select({"variant": list(variants)})
    scopes = [scope for scope in SCOPES if any(case["scope"] == scope for case in cases)]
    rows = []
    for variant in _in_order(cases, "variant"):
        of_variant = [case for case in cases if case["variant"] == variant]
        keys = dict.fromkeys((case["via"], case[also] if also else "", case["memory_order"]) for case in of_variant)
        for via, more, order in keys:
            chosen = [c for c in of_variant if (c["via"], c[also] if also else "", c["memory_order"]) == (via, more, order)]
            name = variant if via == "instruction" else f"{variant}, {via}"
            cells = [_both(table, [case for case in chosen if case["scope"] == scope], metric) for scope in scopes]
            rows.append([name, *([count(int(more)) if more else NONE] if also else []), order, *cells])
    header = ["operation", *([also] if also else []), "order", *(f"{SCOPE_NAMES[scope]}:" for scope in scopes)]
    return markdown.table(header, rows)


def ordering_chains(_: Results, table: Table) -> str:
    text = "One thread, each operation needs the one before. Nanoseconds an operation, CUDA / Vulkan."
    return f"{text}\n\n{_by_scope(table, CHAINS, 'element_ns', 'resident_bytes')}"


def ordering_rates(_: Results, table: Table) -> str:
    text = "Every thread of a full GPU, on words of its own. Nanoseconds an operation of all of them, CUDA / Vulkan."
    return f"{text}\n\n{_by_scope(table, RATES, 'element_ns')}"


def ordering_fences(_: Results, table: Table) -> str:
    text = "A fence behind so many bytes of the block's stores. Cycles of the SM, CUDA / Vulkan."
    return f"{text}\n\n{_by_scope(table, ['fence'], 'cycles', 'in_flight_bytes')}"


def ordering_messages(_: Results, table: Table) -> str:
    text = "From one block to another. Nanoseconds one way, CUDA / Vulkan."
    return f"{text}\n\n{_by_scope(table, MESSAGES, 'element_ns')}"


def cache_ops_reuse(_: Results, table: Table) -> str:
    """A row an operator, a column a level and size of the stream."""
    cases = table.select({"variant": ["reuse", "keep"]})
    columns = list(dict.fromkeys((case["level"], case["stream_bytes"]) for case in cases))
    rows = []
    for variant, op in dict.fromkeys((case["variant"], case["op"]) for case in cases):
        chosen = [case for case in cases if (case["variant"], case["op"]) == (variant, op)]
        cells = [
            _both(table, [c for c in chosen if (c["level"], c["stream_bytes"]) == column], "reuse_bytes_per_cycle")
            for column in columns
        ]
        rows.append([variant, op, *cells])
    header = ["", "op", *(f"{level}, {count(int(size))} B:" for level, size in columns)]
    text = "Bytes a cycle at which one SM reads its part of the set again, by the stream between two visits; CUDA / Vulkan."
    return f"{text}\n\n{markdown.table(header, rows)}"


def cache_ops_streams(_: Results, table: Table) -> str:
    text = "A stream alone. GB/s, CUDA / Vulkan."
    cases = table.select({"variant": ["stream", "fill"]})
    rows = []
    for op in _in_order(cases, "op"):
        kinds = [[c for c in cases if (c["variant"], c["op"]) == (variant, op)] for variant in ("stream", "fill")]
        rows.append([op, *(_both(table, chosen, "gbps") for chosen in kinds)])
    return f"{text}\n\n{markdown.table(['op', 'loads:', 'stores:'], rows)}"
