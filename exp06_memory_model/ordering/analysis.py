"""exp06_ordering's tables and figure: what each order and scope costs."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from benchlib.document import document
from benchlib.model import hardware_counts, loop_body
from benchlib.model.analysis import Analysis, Counting, Plot, Study
from benchlib.document.document import NO_RESULTS, NONE, Block, Blocks, Cell, Code, paragraph, whole
from benchlib.stats.formats import count
from benchlib.document.plots import CUDA, MORE, VULKAN, Chart, Panel, Point, Series
from benchlib.results.results import APIS, Case, Table
from benchlib.model.pairs import figure_of, in_order
from benchlib.tables.twins import both_apis, plain

SCOPES = ["", "cta", "cluster", "gpu", "sys", "subgroup", "queue_family"]
SCOPE_NAMES = {
    "": "no scope", "cta": "cta / Workgroup", "cluster": "cluster", "gpu": "gpu / Device", "sys": "sys", "subgroup": "Subgroup",
    "queue_family": "QueueFamily",
}  # fmt: skip
ORDERS = ["weak", "none", "relaxed", "acquire", "release", "acq_rel", "fence", "fence_one_way", "fence_sc", "seq_cst"]
README_SCOPES = ["", "cta", "gpu", "sys"]
README_ORDERS = ["weak", "relaxed", "acquire", "release", "acq_rel", "seq_cst"]
# The operations of the README, and the orders that it leaves out.
README_CHAINS = {"load_chain": ["acq_rel"], "store_chain": ["acq_rel"], "add_chain": ["acquire", "release"]}
KERNELS = {"load_chain": "load", "store_chain": "store", "add_chain": "add", "cas_chain": "cas"}
REPEATS_WITHIN = 2.0  # %
CHAINS = ["load_chain", "store_chain", "add_chain", "cas_chain"]
RATES = ["load_rate", "store_rate", "add_rate", "fence_rate"]
MESSAGES = ["message_flag", "message_payload"]


def _by_scope(table: Table, variants: Sequence[str], metric: str, also: str = "") -> Block:
    """A row an operation and order (and value of the column `also`), a column a scope."""
    cases = table.select({"variant": list(variants)})
    scopes = [scope for scope in SCOPES if any(case["scope"] == scope for case in cases)]
    rows = []
    for variant in in_order(cases, "variant"):
        of_variant = [case for case in cases if case["variant"] == variant]
        keys = dict.fromkeys((case["via"], case[also] if also else "", case["memory_order"]) for case in of_variant)
        for via, more, order in keys:
            chosen = [c for c in of_variant if (c["via"], c[also] if also else "", c["memory_order"]) == (via, more, order)]
            name = variant if via == "instruction" else f"{variant}, {via}"
            cells = [both_apis(table, [case for case in chosen if case["scope"] == scope], metric) for scope in scopes]
            size: list[Cell] = [whole(int(more)) if more else NONE] if also else []
            rows.append([name, *size, order, *cells])
    header = ["operation", *([also] if also else []), "order", *(f"{SCOPE_NAMES.get(scope, scope)}:" for scope in scopes)]
    return document.table(header, rows)


def _kernel(variant: str, case: Case) -> str:
    """The entry's name: load_acquire_gpu, load_weak."""
    return "_".join(part for part in (KERNELS.get(variant, variant), case["memory_order"], case["scope"]) if part)


def _smallest(table: Table, variant: str) -> str:
    """Of what a chase walks through, the least: what the L1 holds."""
    sizes = {case["resident_bytes"] for case in table.select({"variant": variant, "via": "instruction"})}
    return min(sizes, key=lambda size: int(size or 0), default="")


def orders(found: Study, table: Table) -> Blocks:
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
                    rows.append([variant.removesuffix("_chain"), order, SCOPE_NAMES.get(scope, scope), *_order_cells(found, table, sides)])
    if not rows:
        return [NO_RESULTS]
    header = ["", "order", "scope", "CUDA's machine code", "Vulkan's", "CUDA ns:", "Vulkan ns:"]
    header += ["CUDA, x relaxed:", "Vulkan, x relaxed:"]
    text = paragraph(
        "One thread, each operation needs the one before. ",
        Code("load"),
        " walks through a table that the L1 holds; ",
        Code("store"),
        " is a store and the relaxed load that brings it back, the last access in its row. x relaxed: over the relaxed operation "
        "of the same scope. Every MEMBAR wider than a block has an ERRBAR and a CGAERRBAR behind it, left out here.",
    )
    return [text, document.table(header, rows), repeats(table, CHAINS, "element_ns")]


def _order_cells(found: Study, table: Table, sides: Sequence[Case | None]) -> list[Cell]:
    code: list[Cell] = []
    times: list[Cell] = []
    ratios: list[Cell] = []
    for side in sides:
        times.append(plain(figure_of(table, side, "element_ns")))
        kernel = _kernel(side["variant"], side) if side else ""
        code.append(loop_body.access_cell(found, table, kernel, side["api"]) if side else NONE)
        ratios.append(_over_relaxed(table, side) if side else NONE)
    return code + times + ratios


def _over_relaxed(table: Table, case: Case) -> Cell:
    if case["memory_order"] in ("weak", "relaxed"):
        return NONE
    same = {name: case[name] for name in ("variant", "api", "via", "scope", "resident_bytes", "in_flight_bytes")}
    relaxed = table.select({**same, "memory_order": "relaxed"})
    return plain(table.ratio(case, relaxed[0], "element_ns") if relaxed else None, 3)


def repeats(table: Table, variants: Sequence[str], metric: str) -> Block:
    """One line: how far apart the runs' figures lie, at most, from the median of all."""
    found = []
    for case in table.select({"variant": list(variants)}):
        figures = [figure.value for figure in table.run_figures(case, metric) if figure]
        if len(figures) > 1:
            middle = statistics.median(figures)
            found.append((max(abs(value / middle - 1) for value in figures) * 100, case.name()))
    if not found:
        return paragraph("Not measured a second time.")
    within = sum(difference <= REPEATS_WITHIN for difference, _ in found)
    largest, name = max(found)
    typical = statistics.median(difference for difference, _ in found)
    return paragraph(
        f"Over all runs: of {len(found)} rows {within} stay within {REPEATS_WITHIN:g} % of their median in every run. The typical row's run "
        f"farthest off is {typical:.2f} % away, the largest distance is {largest:.2f} % ({name})."
    )


def chains(_: Study, table: Table) -> Blocks:
    text = "One thread, each operation needs the one before. Nanoseconds per operation, CUDA / Vulkan."
    return [paragraph(text), _by_scope(table, CHAINS, "element_ns", "resident_bytes"), repeats(table, CHAINS, "element_ns")]


def rates(found: Study, table: Table) -> Blocks:
    text = "Every thread of a full GPU, on words of its own. Nanoseconds per operation of all of them, CUDA / Vulkan."
    return [paragraph(text), _by_scope(table, RATES, "element_ns"), *_l1_hits(found, table)]


def _l1_hits(found: Study, table: Table) -> Blocks:
    """Which of CUDA's loads the L1 answers; nothing where they were not counted."""
    counts = hardware_counts.load_any(found, table)
    if counts is None:
        return []
    cases = table.select({"variant": "load_rate", "via": "instruction", "api": "cuda"})
    counted = {(case["memory_order"], case["scope"]): counts.value(case, "l1_hit_pct") for case in cases}
    hits = {key: document.fixed(hit, 1) for key, hit in counted.items() if hit is not None}
    if not hits:
        return []
    scopes = [scope for scope in SCOPES if any(scope == one for _, one in hits)]
    rows: list[list[Cell]] = [
        [order, *(hits.get((order, scope), NONE) for scope in scopes)] for order in ORDERS if any(order == one for one, _ in hits)
    ]
    header = ["order", *(f"{SCOPE_NAMES.get(scope, scope)}:" for scope in scopes)]
    text = "Of the sectors that load_rate asks of the L1 in CUDA, those that hit there, in percent (Nsight Compute)."
    return [paragraph(text), document.table(header, rows)]


def _fence_keys(cases: Sequence[Case]) -> list[tuple[str, str]]:
    """Scopes, and within each the orders."""
    keys = {(case["scope"], case["memory_order"]) for case in cases}
    return sorted(keys, key=lambda key: (_place(SCOPES, key[0]), _place(ORDERS, key[1])))


def _place(names: Sequence[str], name: str) -> tuple[int, str]:
    """Names that are not known come last."""
    return names.index(name) if name in names else len(names), name


def fences(found: Study, table: Table) -> Blocks:
    """A row a fence, a column a number of bytes in flight."""
    cases = table.select({"variant": "fence"})
    sizes = sorted({case.whole("in_flight_bytes") for case in cases})
    rows = []
    for scope, order in _fence_keys(cases):
        of_fence = [case for case in cases if (case["scope"], case["memory_order"]) == (scope, order)]
        cells = [both_apis(table, [c for c in of_fence if c.whole("in_flight_bytes") == size], "cycles") for size in sizes]
        code = [loop_body.fence_cell(found, table, _kernel("fence", of_fence[0]), api) for api in APIS]
        rows.append([order, SCOPE_NAMES.get(scope, scope), *code, *cells])
    header = ["order", "scope", "CUDA's machine code", "Vulkan's", *(f"{count(size)} B:" for size in sizes)]
    text = "One thread's fence behind so many bytes of its block's stores. Cycles of the SM, CUDA / Vulkan; row none is what reading the clock takes, without a fence."
    return [paragraph(text), document.table(header, rows)]


def messages(_: Study, table: Table) -> Blocks:
    """A row an order and scope: the flag alone, and with a payload."""
    cases = table.select({"variant": MESSAGES})
    rows = []
    for scope, order in _fence_keys(cases):
        cells: list[Cell] = []
        for variant, metric in ((MESSAGES[0], "element_ns"), (MESSAGES[1], "element_ns"), (MESSAGES[1], "stale")):
            where = {"variant": variant, "scope": scope, "memory_order": order}
            for api in APIS:
                figures = [figure_of(table, case, metric) for case in table.select({**where, "api": api})]
                cells.append(plain(figures[0]) if figures else NONE)
        rows.append([SCOPE_NAMES.get(scope, scope), order, *cells])
    header = ["scope", "order", "flag, CUDA ns:", "Vulkan ns:", "with payload, CUDA ns:", "Vulkan ns:"]
    header += ["stale payloads, CUDA:", "Vulkan:"]
    text = "From one block to another, one way; and how many payloads of the last launch were older than their flag."
    return [paragraph(text), document.table(header, rows), repeats(table, MESSAGES, "element_ns")]


# ---------------------------------------------------------------------------------------------------------------- figure

KIB = 1024


def _fences(table: Table, name: str, kind: str, **where: str) -> Series:
    points = []
    for case in table.select({"variant": "fence", **where}):
        figure = table.figure(case, "cycles")
        if figure:
            points.append(Point(case.whole("in_flight_bytes") / KIB, figure.value))
    return Series(name, kind, sorted(points, key=lambda point: point.x))


def fences_chart(_: Study, table: Table) -> Chart:
    """A fence's cycles against the bytes that its block has just stored: a panel a scope."""
    panels = []
    for scope, title in (("cta", "Block's scope"), ("gpu", "GPU's scope"), ("sys", "System's scope")):
        acq_rel = {"memory_order": "acq_rel", "scope": scope}
        series = [
            _fences(table, "CUDA, no fence", MORE[1], memory_order="none", api="cuda"),
            _fences(table, "CUDA", CUDA, api="cuda", **acq_rel),
            _fences(table, "CUDA, sc", MORE[0], memory_order="seq_cst", scope=scope, api="cuda"),
            _fences(table, "Vulkan", VULKAN, api="vulkan", **acq_rel),
        ]
        panels.append(Panel(title, "SM cycles of one fence", series))
    text = "Cycles of one thread's acquire-release fence, and of CUDA's sequentially consistent one, behind its block's stores."
    return Chart("Fences behind stores", "KiB stored before the fence", panels, description=text, x_log=False)


ANALYSIS = Analysis(
    sections=[
        ("What is said, what it becomes, what it costs", orders),
        ("One operation after another", chains),
        ("Messages", messages),
        ("Fences behind stores", fences),
        ("A full GPU", rates),
    ],
    plots={"exp06-fences": Plot("Fences behind stores", fences_chart, "fence")},
    plots_marker="exp06-ordering-plots",
    # About latency, not about traffic.
    counting=Counting(by_default=False),
)
