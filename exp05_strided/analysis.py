"""exp05's tables and figures: the post's kernels, folded and whole indices, loads, stores, and what the L2 fetches."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from benchlib.document import document
from benchlib.model import hardware_counts
from benchlib.model.analysis import CHECKS, WITHOUT_COPIES, Analysis, Counting, FloorFacts, Plot, Study
from benchlib.document.document import NONE, NO_RESULTS, Block, Blocks, Cell, heading, joined, paragraph
from benchlib.pages.excerpts import sass_excerpts, twin
from benchlib.model.floor import distinct_bytes, model_of
from benchlib.stats.formats import count
from benchlib.document.plots import BANDWIDTH, CUDA, MODEL, MORE, VULKAN, Chart, Panel, Point, Series, line
from benchlib.results.results import API_NAMES, APIS, SECTOR_BYTES, Case, Table
from benchlib.model.pairs import Pair, figure_of, pairs
from benchlib.tables import floors
from benchlib.tables.counts import COUNTS_HEADER, count_cells, number_text
from benchlib.tables.floors import FLOOR_HEADER, floor_cells
from benchlib.tables.twins import key_cell, micros, noise_floor, plain, versus, with_noise_floor, without_checks
from benchlib.tables.pivot import Columns, across, by_api, column, figures, keys, pivot, told

SOURCE_VARIANTS = ["source_coalesced", "source_strided"]
SECTOR_COLUMNS = ["sectors per warp, predicted:", "in a request:", *COUNTS_HEADER]
NAMES = {"grid": "blocks:", "elem_bytes": "bytes:", "stride": "stride:", "elements": "elements:", "cache": "cache"}
READING = paragraph(
    "Sectors per warp: of one turn of the loop, predicted from the addresses, and counted: by Nsight Compute in one request for CUDA, "
    "and by CUPTI's PM sampling for both APIs, with a thread's one store of its sum. Distinct: the bytes that must move at least, in "
    "whole sectors; counted: what the memory read and wrote in one launch, CUDA / Vulkan."
)


def megabytes(value: float | None) -> Cell:
    return NONE if value is None else document.number(value / 1e6)


def sort_key(case: Case) -> tuple[int, ...]:
    return (case.elements * case.whole("elem_bytes"), *(case.whole(name) for name in ("elem_bytes", "grid", "stride")))


class Rows:
    """One table's rows: what is predicted, counted and measured of each pair."""

    def __init__(self, found: Study, table: Table):
        self.found = found
        self.table = table
        self.model = model_of(found, table)
        self.counts = hardware_counts.load(found, table)

    def table_of(self, found: Iterable[Pair], names: Sequence[str], kind: str = "load") -> Block:
        return pivot(
            sorted(found, key=lambda pair: sort_key(pair.case)),
            keys({"kernel": "variant", **{NAMES[name]: partial(key_cell, column=name) for name in names}}),
            (SECTOR_COLUMNS, lambda pair: self.sectors(pair, kind)),
            column("distinct MB:", self.distinct),
            column("memory read + written MB, counted:", self.memory),
            by_api(["{} µs:"], figures(self.table, micros, "device_ns")),
            by_api(["{} GB/s:"], figures(self.table, plain, "gbps")),
            versus(self.table),
            (FLOOR_HEADER, lambda pair: floor_cells(self.model, pair.sides)),
        )

    def distinct(self, pair: Pair) -> Cell:
        both = distinct_bytes(self.found, self.table, pair.case)
        return megabytes(sum(both) if both else None)

    def sectors(self, pair: Pair, kind: str) -> list[Cell]:
        seen = self.counts.per_request(pair.cuda, kind) if self.counts and pair.cuda else None
        cells: list[Cell] = [NONE if seen is None else number_text(seen)]
        cells += count_cells(self.counts, pair.sides) if self.counts else [NONE, NONE]
        return [self.table.text(pair.case, f"{kind}_sectors") or NONE, *cells]

    def memory(self, pair: Pair) -> Cell:
        """Of each side that was counted."""
        cells = []
        for side in pair.sides:
            parts = [self.counts.value(side, f"dram_{way}_bytes") if self.counts and side else None for way in ("read", "write")]
            cells += [] if None in parts else [joined(map(megabytes, parts), " + ")]
        return joined(cells) if cells else NONE


def source(found: Study, table: Table) -> Blocks:
    """The post's two kernels with its grid and with one that fills the GPU, and what separates them."""
    rows = Rows(found, table)
    where = {"variant": SOURCE_VARIANTS}
    parts: Blocks = [rows.table_of(pairs(table, where), ["grid", "stride"])]

    def strided(grid: str, api: str) -> Cell:
        once, apart = (table.one({"variant": name, "grid": grid, "api": api}) for name in SOURCE_VARIANTS)
        return document.ratio(table.ratio(apart, once) if apart and once else None)

    grids = sorted({case["grid"] for case in table.select(where)}, key=int)
    ratios = across(list(API_NAMES), lambda api: f"{API_NAMES[api]} strided/coalesced time [95 %]", strided)
    parts += [pivot(grids, column("blocks:", str), ratios)] if grids else []
    return with_noise_floor(found, table, *parts, READING)


def folded(found: Study, table: Table) -> Blocks:
    """The post's index, which revisits a part of the elements, against a permutation that visits all of them once."""
    rows = Rows(found, table)
    once = {pair: Pair(*(once_of(table, side) for side in pair.sides)) for pair in pairs(table, {"variant": "read_folded"})}

    def against(at: int) -> Columns[Pair]:
        def cells(pair: Pair) -> list[Cell]:
            side, other = pair.sides[at], once[pair].sides[at]
            ratio = table.ratio(side, other) if side and other else None
            return [micros(figure_of(table, side)), micros(figure_of(table, other)), document.ratio(ratio)]

        return [f"{API_NAMES[APIS[at]]} folded µs:", "once µs:", "folded/once [95 %]:"], cells

    shown = pivot(
        sorted((pair for pair, other in once.items() if other.cuda or other.vulkan), key=lambda pair: sort_key(pair.case)),
        keys({"elements:": partial(key_cell, column="elements"), "blocks:": "grid", "stride:": "stride"}),
        column("sectors per warp:", lambda pair: rows.sectors(pair, "load")[0]),
        column("memory MB, folded:", rows.memory),
        column("once:", lambda pair: rows.memory(once[pair])),
        against(0),
        against(1),
    )
    reading = "Memory: read + written, as counted, CUDA / Vulkan. Both kernels ask for the same sectors per warp."
    return told(shown, after=[reading, found.memoized(noise_floor, table)])


def once_of(table: Table, folded: Case | None) -> Case | None:
    """The permutation's case; in another cache state where its larger footprint asks for that."""
    if folded is None:
        return None
    candidates = [folded.replace(variant="read_once", cache=cache) for cache in (folded["cache"], "cold", "warm")]
    return next((case for case in candidates if table.rows(case)), None)


def fetch(found: Study, table: Table) -> Blocks:
    """The loads with the L2 told how many bytes to fetch at a time, beside the driver's default."""
    rows = Rows(found, table)

    def default(case: Case) -> Case:
        return case.replace(variant="read_once", l2_fetch_bytes="")

    chosen = table.select({"variant": "read_once_fetch"})
    shown = pivot(
        sorted(dict.fromkeys([*map(default, chosen), *chosen]), key=lambda case: (sort_key(default(case)), case.whole("l2_fetch_bytes"))),
        keys({"stride:": "stride", "sectors per warp:": lambda case: rows.sectors(Pair(case, None), "load")[0]}),
        column("L2 fetches", lambda case: f"{case['l2_fetch_bytes']} bytes" if case["l2_fetch_bytes"] else "as the driver has it"),
        column("memory read + written MB, counted:", lambda case: rows.memory(Pair(case, None))),
        (["CUDA µs:"], figures(table, micros, "device_ns")),
        column("to the default [95 %]:", lambda case: "1" if case == default(case) else document.ratio(table.ratio(case, default(case)))),
    )
    return told(shown, after=[found.memoized(noise_floor, table)])


# Of the best rate of a stride's windows: what the cache still holds reaches that.
HELD = 0.9
WORDS_IN_SECTOR = 8


def windows(found: Study, table: Table) -> Blocks:
    """Places in a window, read over and over past the L1: until where does the L2 hold them?"""
    found_pairs = sorted(pairs(table, {"variant": "read_window"}), key=lambda pair: (pair.case.whole("stride"), pair.case.elements))
    if not found_pairs:
        return [NO_RESULTS]
    counts = hardware_counts.load_any(found, table)

    def rate(side: Case | None) -> list[Cell]:
        figure = figure_of(table, side, "gbps")
        return [document.number(figure.value * WORDS_IN_SECTOR) if figure else NONE]

    shown = pivot(
        found_pairs,
        keys({
            "bytes apart:": lambda case: str(_apart(case)),
            "window MiB:": lambda case: document.number(_mib(case)),
            "sectors MiB:": lambda case: document.number(_mib(case) * SECTOR_BYTES / _apart(case)),
        }),
        by_api(["{} GB/s of sectors:"], rate),
        versus(table),
        *([by_api(["{}, from memory:"], lambda side: [_from_memory(counts, side)])] if counts else []),
    )  # fmt: skip
    held: dict[tuple[int, str], list[tuple[float, float]]] = {}  # (window MiB, rate) of each stride and API
    for side in (side for pair in found_pairs for side in pair.sides if side):
        if figure := figure_of(table, side, "gbps"):
            held.setdefault((_apart(side), side["api"]), []).append((_mib(side), figure.value))
    most = []
    for (stride, api), rates in held.items():
        best = max(rate for _, rate in rates)
        short = [window for window, rate in rates if rate < HELD * best]
        full = [window for window, rate in rates if rate >= HELD * best and window < min(short, default=float("inf"))]
        most.append(f"{API_NAMES[api]} {stride} bytes apart {max(full, default=0):g} MiB")
    text = f"A word of 4 bytes is read at each place: GB/s of sectors count 32 for it. At {100 * HELD:.0f} % of the best rate and more: "
    text += ", ".join(most) + "."
    if counts:
        text += " From memory: bytes counted there over those that the SMs asked of the L2; 2 where each missed sector brings its neighbour."
    return with_noise_floor(found, table, shown, paragraph(text))


def _apart(case: Case) -> int:
    """Bytes from one word that is read to the next."""
    return case.whole("stride") * 4


def _mib(case: Case) -> float:
    return case.elements * 4 / (1 << 20)


def _visits(table: Table, case: Case) -> float:
    """Words that a launch of read_window loads: its useful bytes, less the sum that each thread stores."""
    return float(table.text(case, "useful_bytes")) / 4 - case.whole("grid") * case.whole("block")


def _from_memory(counts: hardware_counts.Counts, side: Case | None) -> Cell:
    requested, read = (counts.value(side, column) if side else None for column in ("sm_l2_sectors", "dram_read_bytes"))
    return document.fixed(read / (requested * SECTOR_BYTES), 3) if requested and read is not None else NONE


def loads(found: Study, table: Table) -> Blocks:
    return sweeps(found, table, "read_once", "load")


def stores(found: Study, table: Table) -> Blocks:
    return sweeps(found, table, "write_once", "store")


def sweeps(found: Study, table: Table, variant: str, kind: str) -> Blocks:
    """A table for each size: where the data streams from memory, then where the L2 holds all of it or some."""
    rows = Rows(found, table)
    most = most_blocks(table, variant)
    full = [pair for pair in pairs(table, {"variant": variant}) if pair.case.whole("grid") == most]
    from_memory = [pair for pair in full if table.is_dram(pair.case)]
    parts: Blocks = []
    for width in sorted({pair.case.whole("elem_bytes") for pair in from_memory}):
        group = [pair for pair in from_memory if pair.case["elem_bytes"] == str(width)]
        parts.append(heading(f"{kind.capitalize()}s of {width} bytes, from memory"))
        parts.append(rows.table_of(group, ["stride", "elements", "cache"], kind))
    others = [pair for pair in full if not table.is_dram(pair.case)]
    if others:
        parts.append(heading(f"{kind.capitalize()}s of arrays that the L2 holds, all or in part"))
        parts.append(rows.table_of(others, ["stride", "elements", "cache"], kind))
    return with_noise_floor(found, table, *parts, READING) if parts else [NO_RESULTS]


def most_blocks(table: Table, variant: str) -> int:
    """That the variant ran with."""
    return max((case.whole("grid") for case in table.cases if case["variant"] == variant and case["grid"]), default=0)


# ---------------------------------------------------------------------------------------------------------------- figures

SECTORS = "32-byte sectors per warp"
X_LABEL = "stride between neighbouring threads, elements"


def points(cases: list[Case], value: Callable[[Case], float | None]) -> list[Point]:
    """One a stride; nothing where there is no figure above 0."""
    found = [(case.whole("stride"), value(case)) for case in cases]
    return [Point(stride, y) for stride, y in sorted(found, key=lambda item: item[0]) if y]


class Sweep:
    """The cases of one kernel, size and width."""

    def __init__(self, found: Study, table: Table, where: dict[str, object], kind: str):
        self.table, self.kind = table, kind
        self.model = model_of(found, table)
        self.counts = hardware_counts.load(found, table)
        most = most_blocks(table, str(where["variant"]))
        self.cases = {api: [case for case in table.select({**where, "api": api}) if case.whole("grid") == most] for api in APIS}

    def sectors(self, title: str) -> Panel:
        either = self.cases["cuda"] or self.cases["vulkan"]
        predicted = points(either, lambda case: float(self.table.text(case, f"{self.kind}_sectors") or 0))
        seen = points(self.cases["cuda"], lambda case: self.counts.per_request(case, self.kind) if self.counts else None)
        expected = Series("predicted", MODEL, predicted, dashed=True, marks=False)
        return Panel(title, SECTORS, [expected, Series("counted", CUDA, seen, line=False)])

    def bandwidth(self, title: str) -> Panel:
        series = [Series("predicted", MODEL, points(self.cases["cuda"], self.predicted_gbps), dashed=True, marks=False)]
        for api in APIS:
            series.append(line(self.table, API_NAMES[api], api, self.cases[api], lambda case: case.whole("stride"), "gbps"))
        return Panel(title, BANDWIDTH, series, y_log=True)

    def predicted_gbps(self, case: Case) -> float | None:
        """If every predicted sector came from where the data is, at the ceiling."""
        useful = float(self.table.text(case, "useful_bytes") or 0)
        ns = self.model.sector_ns(case)
        return useful / ns if ns and useful else None


def widths(found: Study, table: Table, variant: str, kind: str, title: str) -> Chart:
    """A column for each element width, from memory."""
    where = {"variant": variant, "elements": "max_dram"}
    sizes = sorted({case.whole("elem_bytes") for case in table.select(where)})
    sweeps = [Sweep(found, table, {**where, "elem_bytes": str(size)}, kind) for size in sizes]
    panels = [sweep.sectors(f"{size} bytes per element") for size, sweep in zip(sizes, sweeps)]
    panels += [sweep.bandwidth(f"{size} bytes per element") for size, sweep in zip(sizes, sweeps)]
    return Chart(title, X_LABEL, panels, columns=max(1, len(sizes)), description=DESCRIPTION)


DESCRIPTION = (
    "Sectors that a warp's access needs, predicted from the addresses and counted by Nsight Compute; and the measured bandwidth "
    "of both APIs, with what it would be if every predicted sector were fetched once at the GPU's own best rate."
)


def loads_chart(found: Study, table: Table) -> Chart:
    return widths(found, table, "read_once", "load", "Loads from memory, every element once")


def stores_chart(found: Study, table: Table) -> Chart:
    return widths(found, table, "write_once", "store", "Stores to memory, every element once")


def index_chart(found: Study, table: Table) -> Chart:
    """The post's index against one that visits all, by size."""
    panels = []
    sizes = sorted({case.elements for case in table.select({"variant": ["read_once", "read_folded"], "elem_bytes": "4"})})
    for elements in sizes:
        series = []
        for variant, name, kinds in (("read_once", "once", (CUDA, VULKAN)), ("read_folded", "folded", MORE)):
            sweep = Sweep(found, table, {"variant": variant, "elements": str(elements), "elem_bytes": "4"}, "load")
            for one, kind in zip(sweep.bandwidth("").series[1:], kinds):
                series.append(Series(f"{one.name} {name}", kind, one.points))
        panels.append(Panel(f"{count(elements)} elements of 4 bytes", BANDWIDTH, series, y_log=True))
    title = "The post's index, which folds back, against a permutation that visits every element once"
    return Chart(title, X_LABEL, panels, description="Measured bandwidth of loads, as asked for, by stride and size.")


MACHINE_CODE = partial(sass_excerpts, chosen=[twin("read_once_4"), twin("write_once_4")])
ANALYSIS = Analysis(
    sections=[
        ("The post's two kernels", source),
        ("An index that folds back, and one that visits once", folded),
        ("Loads", loads),
        ("Stores", stores),
        ("Loads with the L2 told how much to fetch", fetch),
        ("Windows of the L2", windows),
        ("With and without bounds checks", partial(without_checks, where={})),
        ("Time floor", floors.section),
        ("Machine code", MACHINE_CODE),
    ],
    plots={
        "exp05-loads": Plot("Loads: sectors and bandwidth against the stride, predicted and measured", loads_chart, "read_once"),
        "exp05-stores": Plot("Stores: the same", stores_chart, "write_once"),
        "exp05-index": Plot("The folded index against a permutation that visits once", index_chart, "read_*"),
    },
    plots_marker="exp05-plots",
    # Loads of read_window are those of read_once; that they stay in the L2, PM sampling counts.
    counting=Counting(ncu=["--variant", "read_once*,write_once*,read_folded,source_*,aa_*", WITHOUT_COPIES]),
    controls=[CHECKS],
    elements_requested={"read_window": _visits},
    floor=FloorFacts(one_by_one=["read_folded", "read_once", "read_once_fetch", "write_once"], l2_loads=["read_window"]),
)
