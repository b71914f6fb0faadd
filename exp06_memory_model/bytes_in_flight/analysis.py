"""exp06_bytes_in_flight's tables and figure: bandwidth by bytes in flight, and the blocks that an SM holds."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchlib.document import document
from benchlib.model.analysis import Analysis, Counting, FloorFacts, Plot, Stream, Study
from benchlib.document.document import NO_RESULTS, NONE, Blocks, Cell, fixed, paragraph, whole
from benchlib.stats.formats import sig
from benchlib.document.plots import CUDA, MORE, Chart, Panel, Series, line
from benchlib.results.results import API_NAMES, APIS, Case, Table
from benchlib.model.pairs import figure_of, pairs
from benchlib.tables.twins import all_pairs, measured_cell, noise_floor, plain, with_noise_floor
from benchlib.tables.pivot import across, by_api, column, grid, keys, pivot, rounded, told

KNEE = 0.9  # of the best
KIB = 1024


@dataclass(frozen=True)
class Mechanism:
    """One way to bring bytes into flight: the rows that use it, and the kernel whose registers it costs."""

    name: str
    api: str
    where: tuple[tuple[str, object], ...]
    kernels: tuple[str, ...]  # with the least and the most in flight per thread

    def cases(self, table: Table) -> list[Case]:
        return table.select({"api": self.api, **dict(self.where)})

    def fastest(self, table: Table) -> dict[int, Case]:
        """The fastest shape for each number of bytes in flight an SM, in their order."""
        best: dict[int, tuple[float, Case]] = {}
        for case in self.cases(table):
            figure = table.figure(case, "gbps")
            size = case.whole("bytes_in_flight")
            if figure and size and (size not in best or figure.value > best[size][0]):
                best[size] = (figure.value, case)
        return {size: best[size][1] for size in sorted(best)}


def _mechanism(name: str, api: str, variant: str, kernels: Sequence[str], **where: object) -> Mechanism:
    return Mechanism(name, api, (("variant", variant), *where.items()), tuple(kernels))


PLAIN = ("read_plain_16_1", "read_plain_16_8")
MECHANISMS = [
    _mechanism("plain loads", "cuda", "read_plain", PLAIN, elem_bytes="16"),
    _mechanism("plain loads", "vulkan", "read_plain", PLAIN, elem_bytes="16"),
    _mechanism("staged", "cuda", "read_staged", ("read_staged_1", "read_staged_4")),
    _mechanism("staged", "vulkan", "read_staged", ("read_staged_1", "read_staged_4")),
    _mechanism("cp.async", "cuda", "read_cp_async", ("read_cp_async_1", "read_cp_async_8")),
    _mechanism("bulk", "cuda", "read_bulk", ("read_bulk",)),
    _mechanism("TMA 2-D", "cuda", "read_tma", ("read_tma",)),
]


def ceiling(table: Table, api: str) -> Case | None:
    """The fastest plain read with a block a tile."""
    cases = table.select({"variant": "read_tiles", "api": api})
    figures = [(figure.value, case) for case in cases if (figure := table.figure(case, "gbps"))]
    return max(figures, key=lambda found: found[0])[1] if figures else None


def knee_bytes(curve: Iterable[tuple[int, float]], wanted: float) -> float | None:
    """Where the curve first reaches `wanted`, between its points on a line; None if it never does."""
    before: tuple[int, float] | None = None
    for size, value in curve:
        if value >= wanted:
            if before is None:
                return size
            return before[0] + (size - before[0]) * (wanted - before[1]) / (value - before[1])
        before = (size, value)
    return None


def curve(_: Study, table: Table) -> Blocks:
    """A row a number of bytes, a column a mechanism."""
    best = {mechanism: mechanism.fastest(table) for mechanism in MECHANISMS if mechanism.cases(table)}

    def rate(size: int, mechanism: Mechanism) -> Cell:
        return plain(figure_of(table, best[mechanism].get(size), "gbps"))

    sizes = sorted({size for found in best.values() for size in found})
    shown = pivot(sizes, column("bytes in flight an SM:", whole), across(list(best), lambda m: f"{API_NAMES[m.api]} {m.name}", rate))
    tops = [f"{API_NAMES[api]} {sig(figure.value)}" for api in APIS if (figure := figure_of(table, ceiling(table, api), "gbps"))]
    text = f"GB/s of the fastest shape with so many bytes in flight, in accesses of 16 bytes. A plain read, a block a tile, the ceiling: {', '.join(tops)}."
    return told(shown, [text])


def mechanisms(found: Study, table: Table) -> Blocks:
    """What each mechanism needs to fill the memory, and what it costs the SM."""
    code = found.auxiliary("sass.csv", table.name)
    rows = []
    for mechanism in MECHANISMS:
        best, top = mechanism.fastest(table), ceiling(table, mechanism.api)
        if not best or top is None:
            continue
        most = figure_of(table, top, "gbps")
        assert most is not None
        points = [(size, figure.value) for size, case in best.items() if (figure := table.figure(case, "gbps"))]
        knee = knee_bytes(points, KNEE * most.value)
        fastest = best[max(points, key=lambda point: point[1])[0]]
        registers = [_registers(code, kernel, mechanism.api) for kernel in mechanism.kernels]
        cells: list[Cell] = [API_NAMES[mechanism.api], mechanism.name, NONE if knee is None else fixed(knee / KIB, 1)]
        cells += [document.ratio(table.ratio(fastest, top, "gbps")), whole(fastest.whole("bytes_in_flight"))]
        rows.append([*cells, " to ".join(dict.fromkeys(text for text in registers if text)) or NONE])
    if not rows:
        return [NO_RESULTS]
    header = ["API", "mechanism", "KiB per SM for 90 % of the ceiling:", "best, of the ceiling [95 %]:", "with bytes in flight:"]
    header.append("registers per thread, least to most in flight per thread:")
    text = (
        "The ceiling is the API's own fastest plain read with a block a tile. The first figure lies on a line between the two "
        "measured numbers of bytes around it. For comparison: a talk of NVIDIA's says 32 KiB for an H100 and 64 for an H200, CUB "
        "tunes for 48."
    )
    return with_noise_floor(found, table, document.table(header, rows), paragraph(text))


FULL_BLOCK, FULL_BLOCKS = "256", "8"  # an SM's thread slots are all taken, where it has 2048
KINDS = {"read_plain": "reads", "copy_plain": "copies", "add_plain": "adds", "write_plain": "writes"}


def full_loops(_: Study, table: Table) -> Blocks:
    """A row a kind of access, a column a variant and API."""
    cases = table.select({"variant": list(KINDS), "block": FULL_BLOCK, "blocks_per_sm": FULL_BLOCKS})

    def size(case: Case) -> tuple[int, int]:
        return case.whole("elem_bytes") * case.whole("unroll"), case.whole("elem_bytes")

    shown = grid(
        sorted(cases, key=size),
        {"asked of each array at once, by a thread": lambda case: f"{case['elem_bytes']} bytes" if case["unroll"] == "1" else f"{case['unroll']} x {case['elem_bytes']} bytes"},
        lambda case: (list(KINDS).index(case["variant"]), case["api"]),
        lambda side: f"{API_NAMES[side[1]]} {list(KINDS.values())[side[0]]}",
        lambda found: plain(figure_of(table, found[0], "gbps")) if found else NONE,
    )
    text = (
        f"GB/s, read and written, of loops with {FULL_BLOCKS} blocks of {FULL_BLOCK} threads on every SM. Reads and copies have one "
        "array to read, adds two."
    )
    return told(shown, [text])


def best_copies(found: Study, table: Table) -> Blocks:
    """A row a shape with a block for every tile."""
    cases = {(case.whole("block"), case.whole("unroll"), case["variant"], case["api"]): case for case in table.select({"variant": ["copy_tiles", "copy_evict_last"]})}

    def cells(shape: tuple[int, int]) -> list[Cell]:
        as_is, kept, vulkan = (cases.get((*shape, *side)) for side in (("copy_tiles", "cuda"), ("copy_evict_last", "cuda"), ("copy_tiles", "vulkan")))
        rates = [[plain(figure_of(table, case, "gbps")), rounded(figure_of(table, case, "peak_pct"), 1)] for case in (as_is, kept, vulkan)]
        return [*rates[0], *rates[1], document.ratio(table.ratio(kept, as_is, "gbps") if kept and as_is else None), *rates[2]]

    peak = "of peak (%):"
    shown = pivot(
        sorted({key[:2] for key in cases}),
        (["threads a block:", "loads a thread:"], lambda shape: [*map(str, shape)]),
        (["CUDA plain GB/s:", peak, "CUDA evict_last GB/s:", peak, "evict_last/plain [95 %]:", "Vulkan plain GB/s:", peak], cells),
    )
    text = (
        "GB/s, read and written, of copies in 16-byte accesses with a block for every tile, and their share of the memory's "
        "theoretical peak. evict_last: the L2 is asked to keep what is loaded."
    )
    return told(shown, [text], [found.memoized(noise_floor, table)])


def resident_blocks(_: Study, table: Table) -> Blocks:
    """A row a size of shared memory, a column an API."""
    metric = "resident_blocks"

    def used(side: Case | None) -> Cell:
        held = figure_of(table, side, metric)
        return f"{held.value * side.whole('shared_bytes') / KIB:.6g}" if held and side else NONE

    shown = pivot(
        sorted(pairs(table, {"variant": "resident"}), key=lambda pair: pair.case.whole("shared_bytes")),
        keys({"KiB of shared memory a block:": lambda case: str(case.whole("shared_bytes") // KIB)}),
        by_api(["{} blocks per SM:"], lambda side: [measured_cell(table, side, metric)]),
        by_api(["{} KiB in use:"], lambda side: [used(side)]),
    )
    text = (
        "How many blocks of 64 threads an SM holds at once, counted by the blocks themselves, by the shared memory that each takes, "
        "and how much of it they take together."
    )
    return told(shown, [text])


def _registers(code: Table | None, kernel: str, api: str) -> str:
    # Vulkan's kernels are one file with a constant for what CUDA has instances of.
    names = [kernel, kernel.rpartition("_")[0]] if code else []
    for name in names:
        for case in code.cases if code else []:
            if case["kernel"] == name and case["api"] == api:
                return code.text(case, "registers") if code else ""
    return ""


# ---------------------------------------------------------------------------------------------------------------- figure

BANDWIDTH = "GB/s of the fastest shape"


def _line(table: Table, mechanism: Mechanism, name: str, kind: str) -> Series:
    return line(table, name, kind, mechanism.fastest(table).values(), lambda case: case.whole("bytes_in_flight") / KIB, "gbps")


def flight_chart(_: Study, table: Table) -> Chart:
    """Bandwidth against bytes in flight: the APIs' plain loads, and CUDA's mechanisms."""
    by_name = {(mechanism.name, mechanism.api): mechanism for mechanism in MECHANISMS}
    plain = [_line(table, by_name["plain loads", api], API_NAMES[api], api) for api in APIS]
    kinds = zip(("plain loads", "cp.async", "bulk", "TMA 2-D"), (CUDA, *MORE))
    copies = [_line(table, by_name[name, "cuda"], name, kind) for name, kind in kinds]
    panels = [Panel("Plain loads of 16 bytes", BANDWIDTH, plain), Panel("CUDA's mechanisms", BANDWIDTH, copies)]
    text = "Bandwidth of a read of 2 GiB against the bytes that every SM has in flight, the fastest shape of each."
    return Chart("Bandwidth against bytes in flight", "KiB in flight an SM", panels, columns=2, description=text)


ANALYSIS = Analysis(
    inside_sm=["resident"],
    exact=["resident_blocks"],
    sections=[
        ("Bandwidth against bytes in flight", curve),
        ("What each mechanism needs and costs", mechanisms),
        ("Loops on a full SM", full_loops),
        ("Copies with a block a tile", best_copies),
        ("Blocks that an SM holds", resident_blocks),
        ("All pairs", all_pairs),
    ],
    plots={"exp06-bytes-in-flight": Plot("Bandwidth against bytes in flight", flight_chart, "read_*")},
    plots_marker="exp06-flight-plots",
    # What it moves is known, and the same in all of its rows; they would take ncu minutes.
    counting=Counting(by_default=False),
    # Who only writes waits for nothing: its loop is no ceiling, but names what stores take.
    floor=FloorFacts(
        loops={"copy_plain": Stream(0.5), "add_plain": Stream(2 / 3, arrays=2), "read_plain": Stream(1.0)}, stores="write_plain"
    ),
)
