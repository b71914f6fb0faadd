"""exp06_ordering's tables and figure: what each order and scope costs."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence

from benchlib.document import document
from benchlib.model import hardware_counts, loop_body
from benchlib.model.analysis import Analysis, Counting, Plot, Study
from benchlib.document.document import NONE, Block, Blocks, Cell, Code, paragraph, whole
from benchlib.stats.formats import count
from benchlib.document.plots import CUDA, MORE, VULKAN, Chart, Panel, Series, line
from benchlib.results.results import APIS, Case, Table
from benchlib.model.pairs import Pair, figure_of, in_order, place_in
from benchlib.tables.pivot import by_api, figures, for_apis, grid, keys, pivot, told
from benchlib.tables.twins import both_apis, plain

SCOPES = ["", "cta", "cluster", "gpu", "sys", "subgroup", "queue_family"]
SCOPE_NAMES = {
    "": "no scope", "cta": "cta / Workgroup", "cluster": "cluster", "gpu": "gpu / Device", "sys": "sys", "subgroup": "Subgroup",
    "queue_family": "QueueFamily",
}  # fmt: skip
ORDERS = ["weak", "none", "relaxed", "acquire", "acquire_bare", "release", "release_bare", "acq_rel", "fence", "fence_one_way", "fence_sc", "seq_cst"]
README_SCOPES = ["", "cta", "gpu", "sys"]
README_ORDERS = ["weak", "relaxed", "acquire", "acquire_bare", "release", "release_bare", "acq_rel", "seq_cst"]
# The operations of the README, and the orders that it leaves out.
README_CHAINS = {"load_chain": ["acq_rel"], "store_chain": ["acq_rel"], "add_chain": ["acquire", "release"]}
KERNELS = {"load_chain": "load", "store_chain": "store", "add_chain": "add", "cas_chain": "cas"}
REPEATS_WITHIN = 2.0  # %
CHAINS = ["load_chain", "store_chain", "add_chain", "cas_chain"]
RATES = ["load_rate", "store_rate", "add_rate", "fence_rate"]
MESSAGES = ["message_flag", "message_payload"]


def _scope(case: Case) -> tuple[int, str]:
    """For the order of columns and rows."""
    return place_in(SCOPES, case["scope"]), case["scope"]


def _scope_name(scope: tuple[int, str]) -> str:
    return SCOPE_NAMES.get(scope[1], scope[1])


SCOPE: dict[str, Callable[[Case], Cell]] = {"scope": lambda case: _scope_name(_scope(case))}


def _operation(case: Case) -> Cell:
    return case["variant"] if case["via"] == "instruction" else f"{case['variant']}, {case['via']}"


def _by_scope(table: Table, variants: Sequence[str], metric: str, also: str = "") -> Block:
    """A row an operation and order (and value of the column `also`), a column a scope."""
    cases = table.select({"variant": list(variants)})
    found = in_order(cases, "variant")
    size: dict[str, Callable[[Case], Cell]] = {also: lambda case: whole(case.whole(also)) if case[also] else NONE} if also else {}
    return grid(
        sorted(cases, key=lambda case: found.index(case["variant"])),
        {"operation": _operation, **size, "order": "memory_order"},
        _scope,
        _scope_name,
        lambda chosen: both_apis(table, chosen, metric),
    )


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
        for order in (order for order in README_ORDERS if order not in left_out):
            for scope in README_SCOPES:
                rows.append(Pair(*(table.one({**where, "memory_order": order, "scope": scope, "api": api}) for api in APIS)))

    def code(side: Case | None) -> Cell:
        return loop_body.access_cell(found, table, _kernel(side["variant"], side), side["api"]) if side else NONE

    shown = pivot(
        [pair for pair in rows if any(pair.sides)],
        keys({"": lambda case: case["variant"].removesuffix("_chain"), "order": "memory_order", **SCOPE}),
        (["CUDA's machine code", "Vulkan's"], lambda pair: [code(side) for side in pair.sides]),
        by_api(["{} ns:"], figures(table, plain, "element_ns")),
        by_api(["{}, x relaxed:"], lambda side: [_over_relaxed(table, side) if side else NONE]),
    )
    text = paragraph(
        "One thread, each operation needs the one before. ",
        Code("load"),
        " walks through a table that the L1 holds; ",
        Code("store"),
        " is a store and the relaxed load that brings it back, the last access in its row. x relaxed: over the relaxed operation "
        "of the same scope. Every MEMBAR wider than a block has an ERRBAR and a CGAERRBAR behind it, left out here.",
    )
    return told(shown, [text], [repeats(table, CHAINS, "element_ns")])


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
    cases = table.select({"variant": "load_rate", "via": "instruction", "api": "cuda"}) if counts else []
    hits = {case: hit for case in cases if counts and (hit := counts.value(case, "l1_hit_pct")) is not None}
    shown = grid(
        sorted(hits, key=_order),
        {"order": "memory_order"},
        _scope,
        _scope_name,
        lambda chosen: document.fixed(hits[chosen[-1]], 1) if chosen else NONE,
    )
    text = "Of the sectors that load_rate asks of the L1 in CUDA, those that hit there, in percent (Nsight Compute)."
    return told(shown, [text]) if hits else []


def _order(case: Case) -> tuple[int, str]:
    return place_in(ORDERS, case["memory_order"]), case["memory_order"]


def fences(found: Study, table: Table) -> Blocks:
    """A row a fence, a column a number of bytes in flight."""

    def code(api: str) -> Callable[[Case], Cell]:
        return lambda case: found.memoized(loop_body.fence_cell, table, _kernel("fence", case), api)

    shown = grid(
        sorted(table.select({"variant": "fence"}), key=lambda case: (_scope(case), _order(case))),
        {"order": "memory_order", **SCOPE, "CUDA's machine code": code("cuda"), "Vulkan's": code("vulkan")},
        lambda case: case.whole("in_flight_bytes"),
        lambda size: f"{count(size)} B",
        lambda chosen: both_apis(table, chosen, "cycles"),
    )
    text = "One thread's fence behind so many bytes of its block's stores. Cycles of the SM, CUDA / Vulkan; row none is what reading the clock takes, without a fence."
    return told(shown, [text])


def messages(_: Study, table: Table) -> Blocks:
    """A row an order and scope: the flag alone, and with a payload."""

    def of(variant: str, metric: str) -> Callable[[Case, str], Cell]:
        def cell(case: Case, api: str) -> Cell:
            where = {"variant": variant, "scope": case["scope"], "memory_order": case["memory_order"], "api": api}
            return plain(figure_of(table, table.one(where), metric))

        return cell

    flag, payload = MESSAGES
    by_order = {(_scope(case), _order(case)): case for case in table.select({"variant": MESSAGES})}
    shown = pivot(
        [by_order[key] for key in sorted(by_order)],
        keys({**SCOPE, "order": "memory_order"}),
        for_apis("flag, CUDA ns:", "Vulkan ns:", of(flag, "element_ns")),
        for_apis("with payload, CUDA ns:", "Vulkan ns:", of(payload, "element_ns")),
        for_apis("stale payloads, CUDA:", "Vulkan:", of(payload, "stale")),
    )
    text = "From one block to another, one way; and how many payloads of the last launch were older than their flag."
    return told(shown, [text], [repeats(table, MESSAGES, "element_ns")])


# ---------------------------------------------------------------------------------------------------------------- figure

KIB = 1024


def _fences(table: Table, name: str, kind: str, **where: str) -> Series:
    cases = table.select({"variant": "fence", **where})
    return line(table, name, kind, cases, lambda case: case.whole("in_flight_bytes") / KIB, "cycles", intervals=False)


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
