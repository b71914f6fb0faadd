"""exp06's tables: what each order and scope costs, and what each cache operator leaves of a reuse set."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from benchlib import code_cells, counted, markdown
from benchlib.markdown import NONE, count, escape, sig
from benchlib.results import APIS, Case, Results, Table
from benchlib.tables import Experiment, figure_of

SCOPES = ["", "cta", "cluster", "gpu", "sys", "subgroup", "queue_family"]
SCOPE_NAMES = {
    "": "no scope", "cta": "cta / Workgroup", "cluster": "cluster", "gpu": "gpu / Device", "sys": "sys", "subgroup": "Subgroup",
    "queue_family": "QueueFamily",
}  # fmt: skip
ORDERS = ["weak", "none", "relaxed", "acquire", "release", "acq_rel", "fence", "fence_sc", "seq_cst"]
README_SCOPES = ["", "cta", "gpu", "sys"]
README_ORDERS = ["weak", "relaxed", "acquire", "release", "acq_rel", "seq_cst"]
# The operations of the README, and the orders that it leaves out.
README_CHAINS = {"load_chain": ["acq_rel"], "store_chain": ["acq_rel"], "add_chain": ["acquire", "release"]}
KERNELS = {"load_chain": "load", "store_chain": "store", "add_chain": "add", "cas_chain": "cas"}
REPEATS_WITHIN = 2.0  # %
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


def _kernel(variant: str, case: Case) -> str:
    """The entry's name: load_acquire_gpu, load_weak."""
    return "_".join(part for part in (KERNELS.get(variant, variant), case["memory_order"], case["scope"]) if part)


def _smallest(table: Table, variant: str) -> str:
    """Of what a chase walks through, the least: what the L1 holds."""
    sizes = {case["resident_bytes"] for case in table.select({"variant": variant, "via": "instruction"})}
    return min(sizes, key=lambda size: int(size or 0), default="")


def ordering_orders(found: Results, table: Table) -> str:
    """A row an operation, order and scope: what is said, what the compilers make of it, what it costs."""
    rows = []
    for variant, left_out in README_CHAINS.items():
        where = {"variant": variant, "via": "instruction", "resident_bytes": _smallest(table, variant)}
        cases = table.select(where)
        for order in (order for order in README_ORDERS if order not in left_out):
            for scope in README_SCOPES:
                both = [case for case in cases if (case["memory_order"], case["scope"]) == (order, scope)]
                sides = [next((case for case in both if case["api"] == api), None) for api in APIS]
                if both:
                    rows.append([variant.removesuffix("_chain"), order, SCOPE_NAMES[scope], *_order_cells(found, table, sides)])
    if not rows:
        return "No results."
    header = ["", "order", "scope", "CUDA's machine code", "Vulkan's", "CUDA ns:", "Vulkan ns:"]
    header += ["CUDA, x relaxed:", "Vulkan, x relaxed:"]
    text = (
        "One thread, each operation needs the one before. `load` walks through a table that the L1 holds; `store` is a store and "
        "the relaxed load that brings it back, the last access in its row. x relaxed: over the relaxed operation of the same scope. "
        "Every MEMBAR wider than a block has an ERRBAR and a CGAERRBAR behind it, left out here."
    )
    return "\n\n".join([text, markdown.table(header, rows), repeats(table, CHAINS, "element_ns")])


def _order_cells(found: Results, table: Table, sides: Sequence[Case | None]) -> list[str]:
    code, times, ratios = [], [], []
    for side in sides:
        figure = figure_of(table, side, "element_ns")
        times.append(sig(figure.value) if figure else NONE)
        kernel = _kernel(side["variant"], side) if side else ""
        code.append(code_cells.access_cell(found, table, kernel, side["api"]) if side else NONE)
        ratios.append(_over_relaxed(table, side) if side else NONE)
    return code + times + ratios


def _over_relaxed(table: Table, case: Case) -> str:
    if case["memory_order"] in ("weak", "relaxed"):
        return NONE
    same = {name: case[name] for name in ("variant", "api", "via", "scope", "resident_bytes", "in_flight_bytes")}
    relaxed = table.select({**same, "memory_order": "relaxed"})
    ratio = table.ratio(case, relaxed[0], "element_ns") if relaxed else None
    return sig(ratio.value, 3) if ratio else NONE


def repeats(table: Table, variants: Sequence[str], metric: str) -> str:
    """One line: how far a second run's figures lie from the first's."""
    found = []
    for case in table.select({"variant": list(variants)}):
        both = [figure for figure in table.run_figures(case, metric) if figure]
        if len(both) == 2:
            found.append((abs(both[1].value / both[0].value - 1) * 100, case.name()))
    if not found:
        return "Not measured a second time."
    within = sum(difference <= REPEATS_WITHIN for difference, _ in found)
    largest, name = max(found)
    middle = statistics.median(difference for difference, _ in found)
    return (
        f"Measured again: {within} of {len(found)} rows differ by {REPEATS_WITHIN:g} % or less between the two runs, the median "
        f"by {middle:.2f} %, the largest difference is {largest:.2f} % ({escape(name)})."
    )


def ordering_chains(_: Results, table: Table) -> str:
    text = "One thread, each operation needs the one before. Nanoseconds an operation, CUDA / Vulkan."
    return "\n\n".join([text, _by_scope(table, CHAINS, "element_ns", "resident_bytes"), repeats(table, CHAINS, "element_ns")])


def ordering_rates(_: Results, table: Table) -> str:
    text = "Every thread of a full GPU, on words of its own. Nanoseconds an operation of all of them, CUDA / Vulkan."
    return f"{text}\n\n{_by_scope(table, RATES, 'element_ns')}"


def _fence_keys(cases: Sequence[Case]) -> list[tuple[str, str]]:
    """Scopes, and within each the orders."""
    keys = {(case["scope"], case["memory_order"]) for case in cases}
    return sorted(keys, key=lambda key: (SCOPES.index(key[0]), ORDERS.index(key[1])))


def ordering_fences(found: Results, table: Table) -> str:
    """A row a fence, a column a number of bytes in flight."""
    cases = table.select({"variant": "fence"})
    sizes = sorted({case.whole("in_flight_bytes") for case in cases})
    rows = []
    for scope, order in _fence_keys(cases):
        of_fence = [case for case in cases if (case["scope"], case["memory_order"]) == (scope, order)]
        cells = [_both(table, [c for c in of_fence if c.whole("in_flight_bytes") == size], "cycles") for size in sizes]
        code = [code_cells.fence_cell(found, table, _kernel("fence", of_fence[0]), api) for api in APIS]
        rows.append([order, SCOPE_NAMES[scope], *code, *cells])
    header = ["order", "scope", "CUDA's machine code", "Vulkan's", *(f"{count(size)} B:" for size in sizes)]
    text = "One thread's fence behind so many bytes of its block's stores. Cycles of the SM for the fence alone, CUDA / Vulkan."
    return f"{text}\n\n{markdown.table(header, rows)}"


def ordering_messages(_: Results, table: Table) -> str:
    """A row an order and scope: the flag alone, and with a payload."""
    cases = table.select({"variant": MESSAGES})
    rows = []
    for scope, order in _fence_keys(cases):
        cells = []
        for variant, metric in ((MESSAGES[0], "element_ns"), (MESSAGES[1], "element_ns"), (MESSAGES[1], "stale")):
            where = {"variant": variant, "scope": scope, "memory_order": order}
            for api in APIS:
                figures = [figure_of(table, case, metric) for case in table.select({**where, "api": api})]
                cells.append(sig(figures[0].value) if figures and figures[0] else NONE)
        rows.append([SCOPE_NAMES[scope], order, *cells])
    header = ["scope", "order", "flag, CUDA ns:", "Vulkan ns:", "with payload, CUDA ns:", "Vulkan ns:"]
    header += ["stale payloads, CUDA:", "Vulkan:"]
    text = "From one block to another, one way; and how many payloads of the last launch were older than their flag."
    return "\n\n".join([text, markdown.table(header, rows), repeats(table, MESSAGES, "element_ns")])


# --------------------------------------------------------------------------------------------------------- cache operators

BESIDE = ["reuse", "reuse_ro", "keep"]
LOADED_WITH = ["stream's loads", "set's loads"]
README_BESIDE = [("l1", 65536), ("l1", 196608), ("l1", 524288), ("l2", 67108864)]


def _loaded_with(variant: str, op: str) -> list[str]:
    return ["plain", escape(op)] if variant == "keep" else [escape(op), "read-only" if variant == "reuse_ro" else "plain"]


def cache_ops_operators(found: Results, table: Table) -> str:
    """A row an operator: what it becomes, what a stream alone and stores do with it, and what it leaves of a reuse set."""
    ops = _in_order(table.select({"variant": ["stream", "fill"]}), "op")
    rows = []
    for op in ops:
        cells = []
        for kind in ("stream", "fill"):
            kernel = f"{kind}_{op}"
            cells.append(_sides([code_cells.access_cell(found, table, kernel, api) for api in APIS]))
        cells += [_both(table, table.select({"variant": kind, "op": op}), "gbps") for kind in ("stream", "fill")]
        cells += [_visits(table, op, level, size) for level, size in README_BESIDE]
        rows.append([escape(op), *cells])
    header = ["operator", "load", "store", "stream, GB/s:", "fill, GB/s:"]
    header += [f"visit, {level}, {count(size)} B:" for level, size in README_BESIDE]
    text = (
        "CUDA / Vulkan; one of them where only one has the operator. Machine code: of the loads of `stream`, of the stores of "
        "`fill`. A visit: the time to read a reuse set again after so much of a stream that was read with the operator, over the "
        "time after a plain stream: below 1 the operator spares the set. CUDA's set is read with plain loads, Vulkan's is "
        "`restrict readonly`."
    )
    return f"{text}\n\n{markdown.table(header, rows)}" if rows else "No results."


def _sides(cells: Sequence[str]) -> str:
    """Both APIs' cells; one where the other has none."""
    there = [cell for cell in cells if cell != NONE]
    return " / ".join(there) or NONE


def _visits(table: Table, op: str, level: str, size: int) -> str:
    cells = []
    for variant, api in (("reuse", "cuda"), ("reuse_ro", "vulkan")):
        where = {"variant": variant, "api": api, "level": level, "stream_bytes": str(size)}
        visited, plain = (table.select({**where, "op": name}) for name in (op, "plain"))
        ratio = table.ratio(visited[0], plain[0], "reuse_cycles") if visited and plain else None
        cells.append(f"{ratio.value:.2f}" if ratio else NONE)
    return _sides(cells)


def cache_ops_reuse(found: Results, table: Table) -> str:
    """A row an operator, a column a level and size of the stream."""
    cases = table.select({"variant": BESIDE})
    columns = sorted(dict.fromkeys((case["level"], case.whole("stream_bytes")) for case in cases))
    rows = []
    for variant, op in dict.fromkeys((case["variant"], case["op"]) for case in cases):
        chosen = [case for case in cases if (case["variant"], case["op"]) == (variant, op)]
        cells = [
            _both(table, [c for c in chosen if (c["level"], c.whole("stream_bytes")) == column], "reuse_bytes_per_cycle")
            for column in columns
        ]
        rows.append([*_loaded_with(variant, op), *cells])
    header = [*LOADED_WITH, *(f"{level}, {count(size)} B:" for level, size in columns)]
    text = "Bytes a cycle at which one SM reads its part of the set again, by the stream between two visits; CUDA / Vulkan."
    return "\n\n".join([text, markdown.table(header, rows), cache_ops_hits(found, table)]).rstrip()


def cache_ops_hits(found: Results, table: Table) -> str:
    """How much of the reuse set its level still held, by Nsight Compute's hit rates; nothing where nothing was counted."""
    counts = counted.load_any(found, table)
    beside = table.select({"variant": BESIDE, "api": "cuda"})
    cases = [case for case in beside if counts and _set_hits(counts, case) is not None]
    columns = sorted(dict.fromkeys((case["level"], case.whole("stream_bytes")) for case in cases))
    rows = []
    for variant, op in dict.fromkeys((case["variant"], case["op"]) for case in cases):
        cells = []
        for level, size in columns:
            where = {"variant": variant, "op": op, "level": level, "stream_bytes": str(size), "api": "cuda"}
            hits = [_set_hits(counts, case) for case in table.select(where)] if counts else []
            cells.append(sig(hits[0], 3) if hits and hits[0] is not None else NONE)
        rows.append([*_loaded_with(variant, op), *cells])
    if not rows:
        return ""
    header = [*LOADED_WITH, *(f"{level}, {count(size)} B:" for level, size in columns)]
    text = (
        "Of the set's loads, those that the level answered (%), if none of the stream's was: from the hit rate that Nsight "
        "Compute counted, CUDA. The first round, in which nothing can hit, is in it."
    )
    return f"{text}\n\n{markdown.table(header, rows)}"


def _set_hits(counts: counted.Counts, case: Case) -> float | None:
    hits = counts.value(case, f"{case['level']}_hit_pct")
    stream, reuse = case.whole("stream_bytes"), case.whole("reuse_bytes")
    return None if hits is None else min(100.0, hits * (stream + reuse) / reuse)


def cache_ops_streams(_: Results, table: Table) -> str:
    text = "A stream alone. GB/s, CUDA / Vulkan."
    cases = table.select({"variant": ["stream", "fill"]})
    rows = []
    for op in _in_order(cases, "op"):
        kinds = [[c for c in cases if (c["variant"], c["op"]) == (variant, op)] for variant in ("stream", "fill")]
        rows.append([op, *(_both(table, chosen, "gbps") for chosen in kinds)])
    return f"{text}\n\n{markdown.table(['op', 'loads:', 'stores:'], rows)}"


EXPERIMENTS = [
    Experiment(
        "exp06_cache_ops",
        sections=[
            ("Operators: machine code, streams, and a reuse set beside them", cache_ops_operators),
            ("A reuse set beside a stream", cache_ops_reuse),
            ("Streams alone", cache_ops_streams),
        ],
        readme={
            "exp06-operators": cache_ops_operators,
            "exp06-reuse": cache_ops_reuse,
            "exp06-streams": cache_ops_streams,
        },
        figures="exp06-cache-plots",
    ),
    Experiment(
        "exp06_ordering",
        sections=[
            ("What is said, what it becomes, what it costs", ordering_orders),
            ("One operation after another", ordering_chains),
            ("Messages", ordering_messages),
            ("Fences behind stores", ordering_fences),
            ("A full GPU", ordering_rates),
        ],
        readme={
            "exp06-orders": ordering_orders,
            "exp06-chains": ordering_chains,
            "exp06-messages": ordering_messages,
            "exp06-fences": ordering_fences,
            "exp06-rates": ordering_rates,
        },
        figures="exp06-ordering-plots",
    ),
]
