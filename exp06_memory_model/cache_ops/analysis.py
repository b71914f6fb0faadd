"""exp06_cache_ops's tables and figure: what each cache operator leaves of a reuse set."""

from collections.abc import Callable, Iterable, Sequence

from benchlib.document import document
from benchlib.model import hardware_counts, loop_body
from benchlib.model.analysis import Analysis, Counting, Plot, Study
from benchlib.document.document import NONE, Block, Blocks, Cell, Code, joined, paragraph
from benchlib.stats.formats import count
from benchlib.model.hardware_counts import Counts
from benchlib.document.plots import CUDA, MORE, VULKAN, Chart, Panel, Series, line
from benchlib.results.results import API_NAMES, APIS, Case, Table
from benchlib.model.pairs import in_order
from benchlib.tables.twins import both_apis
from benchlib.tables.pivot import across, column, grid, pivot, rounded, told

BESIDE = ["reuse", "reuse_ro", "keep"]
README_BESIDE = [("l1", 65536), ("l1", 196608), ("l1", 524288), ("l2", 67108864)]


def operators(found: Study, table: Table) -> Blocks:
    """A row an operator: what it becomes, what a stream alone and stores do with it, and what it leaves of a reuse set."""
    kinds = ("stream", "fill")

    def code(op: str) -> list[Cell]:
        return [_sides([loop_body.access_cell(found, table, f"{kind}_{op}", api) for api in APIS]) for kind in kinds]

    shown = pivot(
        in_order(table.select({"variant": list(kinds)}), "op"),
        column("operator", str),
        (["load", "store"], code),
        across(kinds, lambda kind: f"{kind}, GB/s", lambda op, kind: both_apis(table, table.select({"variant": kind, "op": op}), "gbps")),
        across(README_BESIDE, lambda place: f"visit, {place[0]}, {count(place[1])} B", lambda op, place: _visits(table, op, *place)),
    )
    text = paragraph(
        "CUDA / Vulkan; one of them where only one has the operator. Machine code: of the loads of ",
        Code("stream"),
        ", of the stores of ",
        Code("fill"),
        ". A visit: the time to read a reuse set again after so much of a stream that was read with the operator, over the time "
        "after a plain stream: below 1 the operator spares the set. CUDA's set is read with plain loads, Vulkan's is ",
        Code("restrict readonly"),
        ".",
    )
    return told(shown, [text])


def _sides(cells: Sequence[Cell]) -> Cell:
    """Both APIs' cells; one where the other has none."""
    there = [cell for cell in cells if cell != NONE]
    return joined(there) if there else NONE


def _visits(table: Table, op: str, level: str, size: int) -> Cell:
    cells = []
    for variant, api in (("reuse", "cuda"), ("reuse_ro", "vulkan")):
        where = {"variant": variant, "api": api, "level": level, "stream_bytes": str(size)}
        visited, plain = (table.select({**where, "op": name}) for name in (op, "plain"))
        ratio = table.ratio(visited[0], plain[0], "reuse_cycles") if visited and plain else None
        cells.append(rounded(ratio, 2))
    return _sides(cells)


def reuse(found: Study, table: Table) -> Blocks:
    """A row an operator, a column a level and size of the stream."""
    text = "Bytes per cycle at which one SM reads its part of the set again, by the stream between two visits; CUDA / Vulkan."
    shown = _beside(table.select({"variant": BESIDE}), lambda cases: both_apis(table, cases, "reuse_bytes_per_cycle"))
    return [paragraph(text), shown, *hits(found, table)]


def _beside(cases: Iterable[Case], cell: Callable[[Sequence[Case]], Cell]) -> Block:
    """A row an operator that the stream or the set was loaded with, a column a level and size of the stream."""
    return grid(
        cases,
        {"stream's loads": lambda case: "plain" if case["variant"] == "keep" else case["op"],
         "set's loads": lambda case: {"keep": case["op"], "reuse_ro": "read-only"}.get(case["variant"], "plain")},
        lambda case: (case["level"], case.whole("stream_bytes")),
        lambda column: f"{column[0]}, {count(column[1])} B",
        cell,
    )  # fmt: skip


def hits(found: Study, table: Table) -> Blocks:
    """How much of the reuse set its level still held, by the counted hit rates; nothing where nothing was counted."""
    counts = hardware_counts.load_any(found, table)
    shares = {case: share for case in table.select({"variant": BESIDE}) if counts and (share := _set_hits(counts, case)) is not None}
    text = (
        "Of the set's loads, those that the level answered (%), if none of the stream's was: from the hit rate that was "
        "counted, CUDA / Vulkan. The first round, in which nothing can hit, is in it."
    )
    shown = _beside(shares, lambda cases: joined(document.number(shares[case], 3) for case in cases) if cases else NONE)
    return told(shown, [text]) if shares else []


def _set_hits(counts: Counts, case: Case) -> float | None:
    hits = counts.value(case, f"{case['level']}_hit_pct")
    stream, reuse = case.whole("stream_bytes"), case.whole("reuse_bytes")
    return None if hits is None else min(100.0, hits * (stream + reuse) / reuse)


def streams(_: Study, table: Table) -> Blocks:
    shown = grid(
        table.select({"variant": ["stream", "fill"]}),
        {"op": "op"},
        lambda case: case["variant"] == "fill",
        lambda stores: "stores" if stores else "loads",
        lambda cases: both_apis(table, cases, "gbps"),
    )
    return told(shown, ["A stream alone. GB/s, CUDA / Vulkan."])


# ---------------------------------------------------------------------------------------------------------------- figure

KIB = 1024


def _rates(table: Table, name: str, kind: str, level: str, **where: str) -> Series:
    scale = KIB if level == "l1" else KIB * KIB
    # Without a stream there is no operator: that row is `plain`.
    rows = table.select({"level": level, **where}) + table.select({"level": level, **where, "op": "plain", "stream_bytes": "0"})
    return line(table, name, kind, dict.fromkeys(rows), lambda case: case.whole("stream_bytes") / scale, "reuse_bytes_per_cycle", intervals=False)


def reuse_chart(_: Study, table: Table) -> Chart:
    """How fast a reuse set is read again, against what streamed by: CUDA's operators, then both APIs."""
    panels = []
    for level, title in (("l1", "64 KiB per block, L1, beside KiB per block"), ("l2", "24 MiB, L2, beside MiB")):
        kinds = zip(("plain", "cs", "l1_no_allocate", "cg"), (CUDA, *MORE))
        series = [_rates(table, op, kind, level, variant="reuse", api="cuda", op=op) for op, kind in kinds]
        panels.append(Panel(f"CUDA: {title}", "bytes per cycle and SM", series))
    for level, title in (("l1", "L1, beside KiB per block"), ("l2", "L2, beside MiB")):
        series = [
            _rates(table, f"{API_NAMES[api]} {op}", kind, level, variant="reuse_ro", api=api, op=op)
            for api, kinds in ((CUDA, (CUDA, MORE[0])), (VULKAN, (VULKAN, MORE[1])))
            for op, kind in zip(("plain", "volatile"), kinds)
        ]
        panels.append(Panel(f"Both APIs, read-only set: {title}", "bytes per cycle and SM", series))
    text = "The rate at which one SM reads its part of a reuse set again, by what it or all blocks streamed between two visits."
    return Chart("A reuse set beside a stream", "streamed between two visits", panels, columns=2, description=text, x_log=False)


ANALYSIS = Analysis(
    sections=[
        ("Operators: machine code, streams, and a reuse set beside them", operators),
        ("A reuse set beside a stream", reuse),
        ("Streams alone", streams),
    ],
    plots={"exp06-reuse": Plot("A reuse set beside a stream", reuse_chart, "reuse,reuse_ro")},
    plots_marker="exp06-cache-plots",
    # The rows about traffic. The L2's hit rate is Nsight Compute's alone.
    counting=Counting(
        options=["--variant", "reuse,keep,reuse_ro"], ncu=["--variant", "reuse,keep", "--benchmark_filter=level:l2"]
    ),
)
