"""exp10's tables: which SMs ran a kernel's blocks, which SMs are one GPC's, and each half of them against each home of the addresses."""

import statistics
from collections.abc import Mapping, Sequence

from benchlib.document import document
from benchlib.document.document import NONE, NO_RESULTS, Blocks, Cell, Code, paragraph
from benchlib.model.analysis import Analysis, Study
from benchlib.tables.slices import slices_table
from benchlib.model.pairs import figure_of, pairs
from benchlib.tables.twins import micros, noise_floor, versus
from benchlib.results.results import API_NAMES, Case, Row, Table
from benchlib.tables.pivot import api_name, by_api, column, decimals, figures, keys, pivot, rounded, told

HOMES = {"home_store": "stores", "home_load": "loads"}
CHANGES = {
    "in_l2": "16 MiB stored to over and over, which stay in the L2",
    "window_128_mib": "128 MiB stored to over and over",
    "window_256_mib": "256 MiB stored to over and over",
    "window_512_mib": "512 MiB stored to over and over",
    "spread_128_mib": "128 MiB stored to over and over, every eighth granule of 1 GiB",
    "from_vulkan": "Vulkan's pages, imported into CUDA",
    "from_cuda": "CUDA's pages, imported into Vulkan",
}


def changed(case: Case) -> str:
    """What this row has that the plain one has not."""
    parts = [CHANGES.get(name, name) for name in (case["feature"], case["memory"]) if name not in ("", "none", "own")]
    return "; ".join(parts) or "nothing: the twins as they are"


# -------------------------------------------------------------------------------------------------------------- shares

SHARES = {"sm_blocks_min": "fewest", "sm_blocks_q1": "1st quartile", "sm_blocks_median": "median",
          "sm_blocks_q3": "3rd quartile", "sm_blocks_max": "most"}  # fmt: skip


def shares(found: Study, table: Table) -> Blocks:
    """How the SMs of either API shared a kernel's blocks: one that stores faster gets more of them."""
    sides = [side for pair in pairs(table, {"variant": "write_share"}) for side in pair.sides if side]
    shown = pivot(
        [side for side in sides if any(figure_of(table, side, metric) for metric in SHARES)],
        keys({"changed": changed, "API": api_name}),
        (["µs:"], figures(table, micros, "device_ns")),
        decimals(table, {f"{name}:": (metric, 0) for metric, name in SHARES.items()}),
        column("by the SMs of half 0, %:", lambda side: _ranges_text(shares_of_half(table, side))),
    )
    text = paragraph(
        "Blocks of 4 KiB that an SM ran in one launch of ",
        Code("write_share"),
        ": the SMs sorted by that, at the ends and at every quarter. Half 0: the SMs of the half of the GPU that SM 0 is in; "
        "the least and the greatest share, apart for the runs in which it ran fewer than 49 %, about half, and more than 51 %; in brackets how "
        "many runs, of those that know the halves.",
    )
    return told(shown, after=[text, found.memoized(noise_floor, table)])


def shares_of_half(table: Table, side: Case) -> list[float]:
    """The percentage of write_share's blocks that the SMs of half 0 ran, of each run that knows the halves."""
    found = []
    for run in table.runs:
        blocks = numbers(run.get(side), "blocks_by_sm")
        halves = next((numbers(row, "half_by_sm") for row in run.values() if row.get("half_by_sm")), []) if blocks else []
        if blocks and len(blocks) == len(halves):
            found.append(100 * sum(count for count, half in zip(blocks, halves) if half == 0) / sum(blocks))
    return found


def _ranges_text(shares: Sequence[float]) -> Cell:
    """Of the runs in which a half ran fewer, as many, or more than the other: the ends, and how many runs."""
    groups = [[share for share in shares if lo <= share < hi] for lo, hi in ((0, 49), (49, 51), (51, 101))]
    return "; ".join(f"{min(group):.1f} to {max(group):.1f} ({len(group)})" for group in groups if group) or NONE


def shares_of_gpcs(blocks: Sequence[int], gpcs: Sequence[int]) -> dict[int, list[float]]:
    """By GPC: its SMs' shares of the blocks, in order, 1 being equal; nothing where `blocks` and `gpcs`, by SM, are not of the same SMs."""
    by_gpc: dict[int, list[float]] = {}
    if len(blocks) == len(gpcs) and any(blocks):
        equal = statistics.fmean(blocks)
        for count, gpc in zip(blocks, gpcs):
            by_gpc.setdefault(gpc, []).append(count / equal)
    return {gpc: sorted(found) for gpc, found in by_gpc.items()}


def numbers(row: Row | None, column: str) -> list[int]:
    return [int(word) for word in (row or {}).get(column, "").split()]


def sets_of(run: Mapping[Case, Row]) -> list[int]:
    """The set of each SM, as clusters joined them in that run."""
    return numbers(next((row for case, row in run.items() if case["variant"] == "gpc_members"), None), "gpc_by_sm")


def by_set(keys: Sequence[str], rows: Sequence[list[Cell]], *reading: str) -> Blocks:
    """A table with a column a set, after those of `keys`; not all boards have as many."""
    most = max(map(len, rows), default=0)
    header = [*keys, *(f"set {number}:" for number in range(most - len(keys)))]
    return [document.table(header, [cells + [NONE] * (most - len(cells)) for cells in rows]), paragraph(*reading)] if rows else [NO_RESULTS]


def gpcs(found: Study, table: Table) -> Blocks:
    """Are the SMs that store slowly those of whole GPCs? The first run on every board that tells."""
    rows: list[list[Cell]] = []
    for board in dict.fromkeys(table.boards):
        for pair in pairs(table, {"variant": "write_share", "feature": ["none", "in_l2"]}):
            rows += [cells for side in pair.sides if side and (cells := _gpc_cells(table, side, board))]
    reading = (
        "Each set's SMs, as clusters joined them, and the mean of their shares of the blocks, 1 being equal. A set of 16 or 18 SMs is a "
        "GPC; SMs that are in no cluster of more than two are sets of two."
    )
    return by_set(["changed", "API", "board"], rows, reading)


def _gpc_cells(table: Table, side: Case, board: str) -> list[Cell]:
    for run in table.of_board(board).runs:
        if found := shares_of_gpcs(numbers(run.get(side), "blocks_by_sm"), sets_of(run)):
            shown = [f"{len(found[gpc])} SMs {statistics.fmean(found[gpc]):.3f}" for gpc in sorted(found)]
            return [changed(side), API_NAMES[side["api"]], board or NONE, *shown]
    return []


# ---------------------------------------------------------------------------------------------------------------- homes

SIDES = ("0", "1", "both")
PLACES = {"": "memory", "_in_l2": "L2"}


def home_feature(half: str, home: str, place: str = "") -> str:
    return f"half_{half}_home_{home}{place}"


def homes(found: Study, table: Table) -> Blocks:
    """Each half of the SMs against each home of the addresses: a slow half and a slow way across look alike until then."""
    rows = [
        ((operation, name, half, home), pair)
        for variant, operation in HOMES.items()
        for place, name in PLACES.items()
        for half in SIDES
        for home in SIDES
        for pair in pairs(table, {"variant": variant, "feature": home_feature(half, home, place), "memory": "own"})
    ]

    def cells(side: Case | None) -> list[Cell]:
        cycles = document.joined(rounded(figure_of(table, side, metric), 0) for metric in ("near_cycles", "far_cycles"))
        counted = [rounded(figure_of(table, side, metric), digits) for metric, digits in (("half_sms", 0), ("home_share", 3))]
        return [*counted, document.interval(figure_of(table, side, "gbps")), cycles]

    parts = by_api(["{} SMs:", "{} share of addresses:", "{} GB/s [95 %]:", "{} near / far, cycles:"], cells), versus(table)
    shown = pivot(rows, (["what", "where", "SM half", "home"], lambda row: row[0]), *((names, lambda row, of=of: of(row[1])) for names, of in parts))
    reading = (
        "Half 0 is SM 0's; a half's own home is the one of its number, near it, the other is far. Cycles: of one atomic in the L2. Each side "
        "found its halves itself. Over and over 14 MiB stay in the L2."
    )
    return told(shown, after=[reading, found.memoized(noise_floor, table)])


def halves_of_gpcs(found: Study, table: Table) -> Blocks:
    """Which half are the SMs of each GPC? The first run on every board that tells."""
    rows: list[list[Cell]] = []
    for board in dict.fromkeys(table.boards):
        for pair in pairs(table, {"variant": "home_store", "feature": home_feature("both", "both"), "memory": "own"}):
            rows += [[API_NAMES[side["api"]], board or NONE, *cells] for side in pair.sides if side and (cells := _half_cells(table, side, board))]
    parts = ["The sets are those of the table of blocks by GPC; of each, how many SMs are of half 0 and of half 1."]
    parts += [f" On pages that both APIs have, both name {100 * share:.0f} % of the homes alike." for share in homes_alike(table).values()]
    return by_set(["API", "board"], rows, *parts)


def _half_cells(table: Table, side: Case, board: str) -> list[Cell]:
    for run in table.of_board(board).runs:
        halves, sets = numbers(run.get(side), "half_by_sm"), sets_of(run)
        if halves and len(halves) == len(sets):
            members = [[half for half, its in zip(halves, sets) if its == each] for each in sorted(set(sets))]
            return [f"{half.count(0)} + {half.count(1)}" for half in members]
    return []


def home_case(table: Table, api: str, half: str, home: str, memory: str = "own") -> Case | None:
    """Of stores through memory."""
    where = {"variant": "home_store", "api": api, "feature": home_feature(half, home), "memory": memory}
    return next(iter(table.select(where)), None)


def home_share(table: Table) -> dict[Case, float]:
    """Of the addresses: home 0's, as either API found it."""
    cases = [home_case(table, api, "both", "0") for api in API_NAMES]
    return {case: float(text) for case in cases if case and (text := table.text(case, "home_share"))}


def halves_alike(table: Table) -> dict[Case, float]:
    """The share of the SMs that both APIs found to be of the same half."""
    return _alike(table, [home_case(table, api, "both", "both") for api in API_NAMES], "half_by_sm")


def homes_alike(table: Table) -> dict[Case, float]:
    """On pages that both APIs have: the share of the granules whose home both name alike."""
    return _alike(table, [home_case(table, api, "both", "both", "from_cuda") for api in API_NAMES], "home_by_granule")


def _alike(table: Table, twins: Sequence[Case | None], column: str) -> dict[Case, float]:
    """Of the column's numbers the share that both APIs have alike, by CUDA's case; nothing where they are not of as many things."""
    cuda, vulkan = (table.text(case, column).split() if case else [] for case in twins)
    alike = [one == other for one, other in zip(cuda, vulkan)]
    return {case: statistics.fmean(alike) for case in twins[:1] if case and alike and len(cuda) == len(vulkan)}


def slow_half(table: Table) -> dict[Case, float]:
    """By home: how long Vulkan's stores take from the half that takes longer in all, over the other."""
    cases = {(half, home): home_case(table, "vulkan", half, home) for half in "01" for home in "01"}
    times = {key: figure.value for key, case in cases.items() if (figure := figure_of(table, case))}
    if len(times) < len(cases):
        return {}
    slow, fast = ("0", "1") if times["0", "0"] + times["0", "1"] > times["1", "0"] + times["1", "1"] else ("1", "0")
    return {case: times[slow, home] / times[fast, home] for (half, home), case in cases.items() if half == "0" and case}


def slices(found: Study, table: Table) -> Blocks:
    """The stores into a buffer, and into a part that stays in the L2."""
    chosen = pairs(table, {"variant": "write_share", "feature": ["none", "in_l2"]})
    return slices_table(found, table, sorted(chosen, key=lambda pair: (pair.case["feature"] != "none", pair.case["memory"])), changed)


ANALYSIS = Analysis(
    sections=[
        ("Blocks that the SMs ran", shares),
        ("Blocks that the GPCs ran", gpcs),
        ("Half of the SMs against half of the addresses", homes),
        ("The halves of the GPCs", halves_of_gpcs),
        ("What the L2's slices took", slices),
    ],
    figures={"home_share": home_share, "halves_alike": halves_alike, "homes_alike": homes_alike, "slow_half": slow_half},
)
