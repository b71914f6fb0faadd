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


def _by_cluster(table: Table, variant: str, metric: str, rows_by: Sequence[str] = ("op",)) -> str:
    """A row a value of `rows_by`, a column a cluster size and distance; a size that was refused has none."""
    cases = table.select({"variant": variant})
    columns = sorted(dict.fromkeys((int(case["cluster"]), int(case["distance"] or 0)) for case in cases))
    rows = []
    for key in dict.fromkeys(tuple(case[column] for column in rows_by) for case in cases):
        cells = []
        for column in columns:
            found = [
                figure_of(table, case, metric)
                for case in cases
                if tuple(case[c] for c in rows_by) == key and (int(case["cluster"]), int(case["distance"] or 0)) == column
            ]
            cells.append(sig(found[0].value) if found and found[0] else NONE)
        rows.append([*key, *cells])
    header = [f"{size}, distance {distance}:" if distance else f"{size}:" for size, distance in columns]
    return markdown.table([*rows_by, *header], rows)


def _whole(table: Table, case: Case, metric: str) -> str:
    figure = figure_of(table, case, metric)
    return count(int(figure.value)) if figure else NONE


def cluster_rounds(_: Results, table: Table) -> str:
    text = "Nanoseconds a round, by blocks of a cluster and the peer's distance in it."
    return f"{text}\n\n{_by_cluster(table, 'rounds', 'element_ns')}"


def cluster_latency(_: Results, table: Table) -> str:
    """The chase's figure, and under it those of all pairs."""
    names = {"pair_cycles_min": "least", "pair_cycles": "median", "pair_cycles_max": "greatest", "tpc_cycles": "one TPC"}
    cases = [case for case in table.select({"variant": "latency", "op": "load"}) if figure_of(table, case, "pairs")]
    rows = []
    for case in cases:
        figures = [figure_of(table, case, metric) for metric in names]
        rows.append([case["cluster"], _whole(table, case, "pairs"), *(sig(f.value) if f else NONE for f in figures)])
    pairs = markdown.table(["blocks of a cluster:", "pairs:", *(f"{name}:" for name in names.values())], rows)
    text = "Cycles a dependent load, by blocks of a cluster and the owner's distance."
    chases = _by_cluster(table, "latency", "cycles")
    return f"{text}\n\n{chases}\n\nThe same between every two blocks of as many clusters as run at once.\n\n{pairs}"


def cluster_exchange(_: Results, table: Table) -> str:
    text = "Bytes a cycle and SM, all SMs at once, by blocks of a cluster and the peer's distance."
    return f"{text}\n\n{_by_cluster(table, 'exchange', 'bytes_per_cycle')}"


def cluster_barriers(_: Results, table: Table) -> str:
    text = "Cycles a barrier, with the `work` beside it, by blocks of a cluster."
    return f"{text}\n\n{_by_cluster(table, 'barrier', 'cycles', ('op', 'work'))}"


def cluster_multicast(_: Results, table: Table) -> str:
    text = "GB/s of distinct bytes read; as many times that arrive at the SMs as a cluster has blocks."
    return f"{text}\n\n{_by_cluster(table, 'multicast', 'gbps', ('level', 'op'))}"


def cluster_spread(_: Results, table: Table) -> str:
    rows = []
    for case in table.select({"variant": "spread"}):
        time = figure_of(table, case, "element_ns")
        counts = [_whole(table, case, metric) for metric in ("active_clusters", "sms_used")]
        rows.append([case["cluster"], *counts, sig(time.value) if time else NONE])
    text = "Blocks that each want an SM. Sizes without a row are refused."
    header = ["blocks of a cluster:", "clusters at once:", "SMs that did work:", "ns a block:"]
    return f"{text}\n\n{markdown.table(header, rows)}"
