"""exp05's tables: the post's kernels, its index against one that visits once, and the sweeps of strides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from benchlib import counted, floor, markdown
from benchlib.excerpts import sass_excerpts, twin
from benchlib.floor import FLOOR_HEADER, Model, distinct_bytes, floor_cells
from benchlib.markdown import NONE, count, escape, ratio_text, sig
from benchlib.results import Case, Results, Table
from benchlib.tables import Experiment, Pair, comparison, figure_of, micros, pairs, plain, with_floor

SOURCE_VARIANTS = ["source_coalesced", "source_strided"]
README_STRIDES = ["1", "2", "4", "8", "16", "32", "33", "64", "128", "4096", "65536"]
NAMES = {"grid": "blocks:", "elem_bytes": "bytes:", "stride": "stride:", "elements": "elements:", "cache": "cache"}
READING = (
    "Sectors per warp: predicted from the addresses, and counted by Nsight Compute in one request. Distinct: the bytes that "
    "must move at least, in whole sectors; counted: what the memory read and wrote, in one launch that began with empty caches. "
    "Both are the CUDA kernel's."
)


def megabytes(value: float | None) -> str:
    return NONE if value is None else sig(value / 1e6)


def sort_key(case: Case) -> tuple[int, ...]:
    return (case.elements * case.whole("elem_bytes"), *(case.whole(name) for name in ("elem_bytes", "grid", "stride")))


class Rows:
    """One table's rows: what is predicted, counted and measured of each pair."""

    def __init__(self, found: Results, table: Table):
        self.table = table
        self.model = Model(found, table)
        self.counts = counted.load(found, table)

    def table_of(self, found: Iterable[Pair], keys: Sequence[str], kind: str = "load") -> str:
        header = ["kernel", *(NAMES[key] for key in keys), "sectors per warp, predicted:", "counted:"]
        header += ["distinct MB:", "memory read + written MB, counted:", "CUDA µs:", "Vulkan µs:", "CUDA GB/s:", "Vulkan GB/s:"]
        header += ["Vulkan/CUDA [95 %]:", "Vulkan is", *FLOOR_HEADER]
        rows = []
        for pair in sorted(found, key=lambda pair: sort_key(pair.case)):
            cells = [escape(pair.case["variant"]), *(self._key(pair.case, key) for key in keys)]
            cells += self.sectors(pair, kind)
            both = distinct_bytes(self.table, pair.case)
            cells += [megabytes(sum(both) if both else None), self.memory(pair)]
            cells += [micros(figure_of(self.table, side)) for side in pair.sides]
            cells += [plain(figure_of(self.table, side, "gbps")) for side in pair.sides]
            rows.append([*cells, *comparison(self.table, pair), *floor_cells(self.model, pair.sides)])
        return markdown.table(header, rows) if rows else "No results."

    @staticmethod
    def _key(case: Case, key: str) -> str:
        return count(case.elements) if key == "elements" else escape(case[key]) or NONE

    def sectors(self, pair: Pair, kind: str) -> list[str]:
        seen = self.counts.per_request(pair.cuda, kind) if self.counts and pair.cuda else None
        return [self.table.text(pair.case, f"{kind}_sectors") or NONE, NONE if seen is None else counted.number_text(seen)]

    def memory(self, pair: Pair) -> str:
        if not self.counts or not pair.cuda:
            return NONE
        parts = [self.counts.value(pair.cuda, f"dram_{way}_bytes") for way in ("read", "write")]
        return NONE if None in parts else " + ".join(map(megabytes, parts))


def exp05_source(found: Results, table: Table) -> str:
    """The post's two kernels with its grid and with one that fills the GPU, and what separates them."""
    rows = Rows(found, table)
    where = {"variant": SOURCE_VARIANTS}
    parts = [rows.table_of(pairs(table, where), ["grid", "stride"])]
    ratios = []
    grids = sorted({case["grid"] for case in table.select(where)}, key=int)
    for grid in grids:
        cells = [escape(grid)]
        for api in ("cuda", "vulkan"):
            coalesced, strided = (table.select({"variant": name, "grid": grid, "api": api})[:1] for name in SOURCE_VARIANTS)
            cells.append(ratio_text(table.ratio(strided[0], coalesced[0]) if strided and coalesced else None))
        ratios.append(cells)
    if ratios:
        header = ["blocks:", "CUDA strided/coalesced time [95 %]:", "Vulkan strided/coalesced time [95 %]:"]
        parts.append(markdown.table(header, ratios))
    return with_floor(found, table, "\n\n".join([*parts, READING]))


def exp05_folded(found: Results, table: Table) -> str:
    """The post's index, which revisits a part of the elements, against a permutation that visits all of them once."""
    rows = Rows(found, table)
    header = ["elements:", "blocks:", "stride:", "sectors per warp:", "memory MB, folded:", "once:"]
    for name in ("CUDA", "Vulkan"):
        header += [f"{name} folded µs:", "once µs:", "folded/once [95 %]:"]
    lines = []
    for pair in sorted(pairs(table, {"variant": "read_folded"}), key=lambda pair: sort_key(pair.case)):
        once = Pair(*(once_of(table, side) for side in pair.sides))
        if once.cuda is None and once.vulkan is None:
            continue
        cells = [count(pair.case.elements), escape(pair.case["grid"]), escape(pair.case["stride"])]
        cells += [rows.sectors(pair, "load")[0], rows.memory(pair), rows.memory(once)]
        for side, other in zip(pair.sides, once.sides):
            ratio = table.ratio(side, other) if side and other else None
            cells += [micros(figure_of(table, side)), micros(figure_of(table, other)), ratio_text(ratio)]
        lines.append(cells)
    if not lines:
        return "No results."
    reading = "Memory: read + written, as counted for the CUDA kernel. Both kernels ask for the same sectors a warp."
    return with_floor(found, table, f"{markdown.table(header, lines)}\n\n{reading}")


def once_of(table: Table, folded: Case | None) -> Case | None:
    """The permutation's case; in another cache state where its larger footprint asks for that."""
    if folded is None:
        return None
    candidates = [folded.replace(variant="read_once", cache=cache) for cache in (folded["cache"], "cold", "warm")]
    return next((case for case in candidates if table.rows(case)), None)


def exp05_fetch(found: Results, table: Table) -> str:
    """The loads with the L2 told how many bytes to fetch at a time, beside the driver's default."""
    rows = Rows(found, table)
    header = ["stride:", "sectors per warp:", "L2 fetches", "memory read + written MB, counted:", "CUDA µs:"]
    header.append("to the default [95 %]:")
    told = table.select({"variant": "read_once_fetch"})
    defaults = dict.fromkeys(case.replace(variant="read_once", l2_fetch_bytes="") for case in told)
    lines = []
    for default in sorted(defaults, key=sort_key):
        group = [case for case in told if case.replace(variant="read_once", l2_fetch_bytes="") == default]
        for case in [default, *sorted(group, key=lambda case: case.whole("l2_fetch_bytes"))]:
            size = f"{escape(case['l2_fetch_bytes'])} bytes" if case["l2_fetch_bytes"] else "as the driver has it"
            pair = Pair(case, None)
            cells = [escape(case["stride"]), rows.sectors(pair, "load")[0], size, rows.memory(pair)]
            cells.append(micros(figure_of(table, case)))
            lines.append([*cells, "1" if case == default else ratio_text(table.ratio(case, default))])
    return with_floor(found, table, markdown.table(header, lines)) if lines else "No results."


def exp05_loads(found: Results, table: Table, strides: Sequence[str] = ()) -> str:
    return sweeps(found, table, "read_once", "load", strides)


def exp05_stores(found: Results, table: Table, strides: Sequence[str] = ()) -> str:
    return sweeps(found, table, "write_once", "store", strides)


def sweeps(found: Results, table: Table, variant: str, kind: str, strides: Sequence[str]) -> str:
    """A table for each size: where the data streams from memory, then where the L2 holds all of it or some."""
    rows = Rows(found, table)
    where: dict[str, object] = {"variant": variant} | ({"stride": list(strides)} if strides else {})
    full = [pair for pair in pairs(table, where) if is_full(table, pair.case)]
    from_memory = [pair for pair in full if table.is_dram(pair.case)]
    parts = []
    for width in sorted({pair.case.whole("elem_bytes") for pair in from_memory}):
        group = [pair for pair in from_memory if pair.case["elem_bytes"] == str(width)]
        title = f"**{kind.capitalize()}s of {width} bytes, from memory**"
        parts += [title, rows.table_of(group, ["stride", "elements", "cache"], kind)]
    others = [pair for pair in full if not table.is_dram(pair.case)]
    if others:
        title = f"**{kind.capitalize()}s of arrays that the L2 holds, all or in part**"
        parts += [title, rows.table_of(others, ["stride", "elements", "cache"], kind)]
    return with_floor(found, table, "\n\n".join([*parts, READING])) if parts else "No results."


def is_full(table: Table, case: Case) -> bool:
    """With the most blocks that the variant ran with."""
    grids = [other.whole("grid") for other in table.cases if other["variant"] == case["variant"] and other["grid"]]
    return case.whole("grid") == max(grids, default=0)


MACHINE_CODE = partial(sass_excerpts, chosen=[twin("read_once_4"), twin("write_once_4")])
EXPERIMENTS = [
    Experiment(
        "exp05_strided",
        sections=[
            ("The post's two kernels", exp05_source),
            ("An index that folds back, and one that visits once", exp05_folded),
            ("Loads", exp05_loads),
            ("Stores", exp05_stores),
            ("Loads with the L2 told how much to fetch", exp05_fetch),
            ("Time floor", floor.section),
            ("Machine code", MACHINE_CODE),
        ],
        readme={
            "exp05-source": exp05_source,
            "exp05-folded": exp05_folded,
            "exp05-loads": partial(exp05_loads, strides=README_STRIDES),
            "exp05-stores": partial(exp05_stores, strides=README_STRIDES),
            "exp05-fetch": exp05_fetch,
            "exp05-floor": partial(floor.section, whole=False),
            "exp05-counted": counted.predicted_and_counted,
            "exp05-sass": MACHINE_CODE,
        },
        figures="exp05-plots",
    )
]
