"""Why the times of twins differ, as tables and sentences: one pair's account, and every pair's of an experiment."""

import math
from collections.abc import Sequence

from benchlib.document import document
from benchlib.model.analysis import Study
from benchlib.model.attribution import BEYOND, LEFT, Account, Side, beyond, resident_ns
from benchlib.document.document import NONE, Blocks, Bullets, Cell, paragraph
from benchlib.model.floor import model_of
from benchlib.stats.formats import ratio_text
from benchlib.model.hardware_counts import NOT_COUNTED, predicted_sectors
from benchlib.results.results import SECTOR_BYTES, Table
from benchlib.sass import sass
from benchlib.stats.stats import SAME, UNCLEAR, verdict

RULES = (
    "A cause adds to Vulkan's time over CUDA's what its own rule says; none is fitted to the gap that it explains. fixed cost: a "
    "launch of one warp, Vulkan's less CUDA's, alone or one of many as the row's are, which was chosen knowing one board's "
    "results. use of the L1, of the L2, of DRAM: what the counted traffic takes at the best rates seen, the "
    "slowest of the L1, the L2 and the memory. instructions: what issuing them takes beyond that. resident blocks: time in "
    "inverse proportion, where CUDA's is above what its traffic takes. The others: the difference of two rows that differ in "
    "the cause alone; what of the traffic differs between those is theirs. Left: the gap less all of them."
)
# sass.csv's figures that tell two machine codes apart.
CODE = {
    "instructions": "instructions", "bounds_checks": "bounds checks", "constant_loads": "constant-bank loads",
    "descriptor_reads": "descriptor reads", "ldg_constant": "CONSTANT loads", "stg_strong": "STRONG stores", "registers": "registers",
}  # fmt: skip
NOTHING = {SAME: "There is nothing to explain", UNCLEAR: "The runs do not decide whether there is anything to explain"}
UNEXPLAINED, UNEXPLAINED_SHARE = "UNEXPLAINED", 0.5  # of the gap
LOADS, STORES = ([f"{access}_{bits}" for bits in sass.WIDTHS] for access in ("ldg", "stg"))


def time_text(ns: float) -> str:
    """12.3 µs, 450 ns."""
    return f"{ns / 1000:.4g} µs" if abs(ns) >= 1000 else f"{ns:.0f} ns"


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


# -------------------------------------------------------------------------------------------------------------- sentences


def sentence(one: Account) -> str:
    """What accounts for how much of the gap, and how much is left."""
    if one.nothing_to_explain:
        return f"{NOTHING[verdict(one.ratio)]}: Vulkan/CUDA is {ratio_text(one.ratio)}."
    gap, time = one.gap.value, one.cuda.time.value
    more = "longer" if gap > 0 else "less"
    begin = f"Vulkan takes {time_text(abs(gap))} ({percent(abs(gap) / time)} of CUDA's time) {more} than CUDA"
    parts = [f"{time_text(abs(cause.ns or 0))} by {cause.name}" for cause in one.named]
    against = [cause for cause in one.known if (cause.ns or 0) / gap < 0 and abs(cause.ns or 0) > LEFT * time]
    parts += [f"{time_text(abs(cause.ns or 0))} the other way by {cause.name}" for cause in against]
    left = f"{time_text(one.left)} ({percent(one.left_share)}) is left"
    where = [f"{name} ({percent(share)})" for name, share in places(one).items() if one.left_share > LEFT and share > LEFT]
    known = ", ".join([*(parts or ["none of the causes that were looked for accounts for it"]), left])
    return f"{begin}: {known}.{' The gap shows in ' + '; '.join(where) + '.' if where else ''}"


def lost_time(accounts: Sequence[Account]) -> dict[str, float]:
    """Of the pairs in which Vulkan is slower for certain: what each cause adds, as a share of all that they lose, each pair's gap taken as
    a share of CUDA's time; and what is left. The greatest first; what is left may be less than nothing.
    """
    slower = [one for one in accounts if not one.nothing_to_explain and one.gap.value > 0]
    lost = sum(one.gap.value / one.cuda.time.value for one in slower)
    shares: dict[str, float] = {}
    for one in slower:
        for cause in one.known:
            shares[cause.name] = shares.get(cause.name, 0) + (cause.ns or 0) / one.cuda.time.value / lost
    found = dict(sorted(shares.items(), key=lambda item: -item[1]))
    return found | {UNEXPLAINED: 1 - sum(found.values())} if slower else {}


def explained_by(one: Account) -> str:
    """The causes worth naming, short."""
    if one.nothing_to_explain:
        return "nothing to explain" if verdict(one.ratio) == SAME else "not decided"
    return ", ".join(f"{cause.name} {time_text(cause.ns or 0)}" for cause in one.named) or "nothing that was looked for"


def left_text(one: Account) -> str:
    """Of the gap, with a mark where more than half is left."""
    share = one.left / one.gap.value
    return f"{100 * share:.0f} %" + (f"  {UNEXPLAINED}" if share > UNEXPLAINED_SHARE else "")


def excluded(one: Account) -> list[str]:
    """What was looked at and found to be less than 1 % of the time."""
    known = [cause for cause in one.causes if not cause.localizes_only and cause.ns is not None]
    return [cause.name for cause in known if abs(cause.ns or 0) <= LEFT * one.cuda.time.value]


def unknown(one: Account) -> list[str]:
    return [cause.name for cause in one.causes if not cause.localizes_only and cause.ns is None]


def places(one: Account) -> dict[str, float]:
    """Where the gap lies, in shares of CUDA's time."""
    return {cause.name: cause.ns / one.cuda.time.value for cause in one.causes if cause.localizes_only and cause.ns is not None}


def span(shares: Sequence[float]) -> str:
    """3.1 %, or 3.1 % to 4.2 %."""
    ends = list(dict.fromkeys(percent(end) for end in (min(shares, key=math.fabs), max(shares, key=math.fabs))))
    return " to ".join(ends)


# ------------------------------------------------------------------------------------------------------------- one account


def full(found: Study, table: Table, one: Account) -> Blocks:
    """All that is known of a pair: the answer first."""
    return [paragraph(sentence(one)), *_causes(one), *_sides(found, table, one), paragraph(RULES)]


def _causes(one: Account) -> Blocks:
    time = one.cuda.time.value
    rows: list[list[Cell]] = [["the gap", document.fixed(one.gap.value / 1000, 3), _share(one.gap.value, time), "Vulkan's time less CUDA's"]]
    order = sorted(one.causes, key=lambda cause: (cause.ns is None and not cause.localizes_only, cause.localizes_only))
    order = [*one.known, *(cause for cause in order if cause.localizes_only or cause.ns is None)]
    for cause in order:
        name = f"(where it lies) {cause.name}" if cause.localizes_only else cause.name
        rows.append([name, document.fixed(None if cause.ns is None else cause.ns / 1000, 3), _share(cause.ns, time), cause.rule])
    rows.append(["left", document.fixed(one.left / 1000, 3), _share(one.left, time), "the gap less all causes"])
    return [document.table(["cause", "adds to Vulkan's time (µs):", "of CUDA's time (%):", "by"], rows)]


def _share(ns: float | None, time: float) -> Cell:
    return NONE if ns is None else document.fixed(100 * ns / time, 1)


def _sides(found: Study, table: Table, one: Account) -> Blocks:
    """Both APIs' figures side by side, with what was predicted of them."""
    sides = (one.cuda, one.vulkan)
    rows: list[list[Cell]] = [["time, µs", NONE, *(_time(side) for side in sides)]]
    case = one.pair.case
    predicted = predicted_sectors(table, case)
    distinct = [float(text) if (text := table.text(case, f"min_{way}_bytes")) else None for way in ("read", "write")]
    counted = [
        ("sectors through the L1", predicted, "l1_sectors"), ("sectors from the SMs to the L2", None, "sm_l2_sectors"),
        ("sectors through the L2, all sources", None, "l2_sectors"), ("MB from memory", distinct[0], "dram_read_bytes"),
        ("MB to memory", distinct[1], "dram_write_bytes"), ("blocks", None, "blocks"),
    ]  # fmt: skip
    for name, wanted, column in counted:
        scale = 1e6 if name.startswith("MB") else 1
        cells = [_count(side.counts.get(column), scale) for side in sides]
        rows.append([name, NONE if wanted is None else _count(wanted, scale), *cells])
    rows.append(["hits in the L1, %", NONE, *(_percent(_l1_hits(side)) for side in sides)])
    rows.append(["asked of the L2 and not read from memory, %", NONE, *(_percent(_l2_hits(side)) for side in sides)])
    rows.append(["a warp resident, µs (SM with the most)", NONE, *(_count(resident_ns(side), 1000) for side in sides)])
    rows.append(["fullest L2 slice over the emptiest", NONE, *(_count(_spread(side), 1) for side in sides)])
    rows.append(["blocks at once on an SM", NONE, *(NONE if side.resident is None else str(side.resident) for side in sides)])
    for name, columns in (("loads", LOADS), ("stores", STORES)):
        rows.append([f"{name} in the machine code", NONE, *(_widths(side, columns) for side in sides)])
    for column, name in CODE.items():
        rows.append([name, NONE, *(side.code.get(column) or NONE for side in sides)])
    model = model_of(found, table)
    floors = [model.floor(side.case) for side in sides]
    rows.append(["floor, µs", NONE, *(NONE if floor is None else document.number(floor.ns / 1000) for floor in floors)])
    shown = [row for row in rows if any(cell not in (NONE, NOT_COUNTED) for cell in row[1:])]
    missing = [] if one.cuda.counts or one.vulkan.counts else [paragraph(f"Traffic: {NOT_COUNTED}; scripts/counters.py does.")]
    return [document.table(["", "predicted:", "CUDA:", "Vulkan:"], shown), *missing]


def _time(side: Side) -> Cell:
    time = side.time
    return document.interval(type(time)(*(None if v is None else v / 1000 for v in (time.value, time.lo, time.hi)), time.runs))


def _count(value: float | None, scale: float) -> Cell:
    return NONE if value is None else document.number(value / scale) if scale > 1 or value != round(value) else f"{value:.0f}"


def _percent(share: float | None) -> Cell:
    return document.fixed(None if share is None else 100 * share, 1)


def _l1_hits(side: Side) -> float | None:
    hits, all_ = side.counts.get("l1_hit_sectors"), side.counts.get("l1_sectors")
    return hits / all_ if hits is not None and all_ else None


def _l2_hits(side: Side) -> float | None:
    read, requested = side.counts.get("dram_read_bytes"), side.counts.get("sm_l2_sectors")
    return max(0.0, 1 - read / (requested * SECTOR_BYTES)) if read is not None and requested else None


def _spread(side: Side) -> float | None:
    least, most = side.counts.get("l2_slice_sectors_min"), side.counts.get("l2_slice_sectors_max")
    return most / least if least and most else None


def _widths(side: Side, columns: Sequence[str]) -> Cell:
    """2 x 32-bit"""
    parts = [f"{side.code[column]} x {column.partition('_')[2]}-bit" for column in columns if side.code.get(column, "0") not in ("", "0")]
    return ", ".join(parts) or (NONE if not side.code else "0")


# ------------------------------------------------------------------------------------------------------- an experiment's


def section(found: Study, table: Table) -> Blocks:
    """Every pair beyond 2 % with its account, and the questions that stay open."""
    shown = found.memoized(beyond, table)
    if not shown:
        return [paragraph(f"No pair's times differ for certain by more than {100 * BEYOND:.0f} %.")]
    closed = sum(not one.is_open for one in shown)
    begin = (
        f"{len(shown)} pairs differ for certain by more than {100 * BEYOND:.0f} %; of {closed} the account leaves at most "
        f"{100 * LEFT:.0f} % of the time. Microseconds that each cause adds to Vulkan's time over CUDA's. "
    )
    return [paragraph(begin + RULES), summary(shown), *open_questions(shown)]


def summary(shown: Sequence[Account]) -> document.TableBlock:
    """A row a pair; a column for every cause that is known of any."""
    names = list(dict.fromkeys(cause.name for one in shown for cause in one.known))
    rows: list[list[Cell]] = []
    for one in shown:
        known = {cause.name: cause.ns or 0 for cause in one.known}
        cells = [NONE if name not in known else document.fixed(known[name] / 1000, 2) for name in names]
        left = [document.fixed(one.left / 1000, 2), document.fixed(100 * one.left_share, 1)]
        gap = document.fixed(one.gap.value / 1000, 2)
        rows.append([one.pair.case.name(without=["api"]), document.ratio(one.ratio), gap, *cells, *left])
    header = ["pair", "Vulkan/CUDA [95 %]:", "gap µs:", *(f"{name}:" for name in names), "left µs:", "left, % of the time:"]
    return document.table(header, rows)


def open_questions(shown: Sequence[Account]) -> Blocks:
    """The pairs whose account leaves more than 1 %, a line a kernel, from memory and from the caches apart: what is excluded for all of
    them, what is not known for some, and where all of their gaps lie.
    """
    groups: dict[tuple[str, str], list[Account]] = {}
    for one in shown:
        if one.is_open:
            groups.setdefault((one.pair.case["variant"], one.pair.case["cache"]), []).append(one)
    if not groups:
        return [paragraph("No open questions.")]
    items = []
    worst = sorted(groups.items(), key=lambda item: -max(abs(one.left_share) for one in item[1]))
    for (variant, cache), group in worst:
        which = group[0].pair.case.name(without=["api", "variant"]) if len(group) == 1 else f"{len(group)} pairs, {cache}"
        little = set.intersection(*(set(excluded(one)) for one in group))
        not_known = set.union(*(set(unknown(one)) for one in group))
        everywhere = [name for name in places(group[0]) if all(name in places(one) for one in group)]
        lies = [f"{name} {span([places(one)[name] for one in group])}" for name in everywhere]
        known = {"excluded": ", ".join(sorted(little)), "where it lies": ", ".join(lies), "not known": ", ".join(sorted(not_known))}
        about = [f"{title}: {text}" for title, text in known.items() if text]
        left = f" ({which}): {span([one.left_share for one in group])} of the time left; {'; '.join(about)}."
        items.append((document.Strong(variant), left))
    return [document.heading("Open questions"), Bullets(tuple(items))]
