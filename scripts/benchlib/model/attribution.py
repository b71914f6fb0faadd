"""Why one API takes longer than the other: the gap between twins' times, taken apart.

Every cause has a rule that says what it adds to Vulkan's time less CUDA's, in ns, without a look at the gap; what the causes do not
add up to is left, and may be less than nothing. The rules themselves were chosen knowing results: of the fixed cost's, which of the two
launches stands for a warm row's.

fixed cost          a launch of one warp, Vulkan's less CUDA's: alone for a cold case, one of many back to back for a warm one
use of the L1       the counted sectors through it: how much longer they take, with CUDA's shares of hits
use of the L2       the sectors between the SMs and the L2, beyond that
use of DRAM         the bytes from and to it, beyond that
instructions        the issue slots of a code without loops, four each cycle and SM, beyond what the traffic takes
resident blocks     fewer threads at once on an SM: time in inverse proportion where CUDA's is more than a tenth above its bound
an experiment's own controls (analysis.Control): the difference of two rows that differ in the cause alone. What of the mechanisms
                    above differs between these two rows is a part of it, and taken off theirs

Traffic takes what the slowest of three takes: bytes to and from memory at the ceiling for their mix, sectors between the SMs and the
L2 at the L2's, sectors through the L1 at the best rate that any counted case reached. So more of what is not the slowest adds nothing.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from benchlib.base.programs import CONTROLS
from benchlib.model import hardware_counts
from benchlib.sass import listings
from benchlib.model.analysis import Control, Study
from benchlib.model.loop_body import has_loops
from benchlib.results.counters_file import PM_COUNTED, PM_SAMPLING
from benchlib.model.floor import Ceilings, FloorModel, ceilings, figures_on, model_of, sources
from benchlib.sass.occupancy import resident_blocks
from benchlib.results.results import SECTOR_BYTES, TWIN_MODES, WARP, Case, Row, Table, number
from benchlib.stats.stats import SAME, UNCLEAR, Figure, verdict
from benchlib.model.pairs import Pair, figure_of, pair_ratio, pairs

BEYOND = 0.02  # a gap of more of CUDA's time is accounted for in the worklog
LEFT = 0.01  # of the time: what an account may leave
WORTH_NAMING = 0.1  # of the gap
AT_BOUND = 1.1  # a time within this of its bound is the bound's
NO_WORK = "empty"  # the variant, wherever there is one
MANY = 1 << 20  # launches back to back in a warm sample: more than any such row has
LAUNCH, L1, L2, MEMORY = "fixed cost", "use of the L1", "use of the L2", "use of DRAM"
INSTRUCTIONS, RESIDENT = "instructions", "resident blocks"
ISSUED = 4  # instructions each cycle on an SM, one for each scheduler
WHILE_RESIDENT = "the time that warps are resident"
TRAFFIC = (L1, L2, MEMORY)


@dataclass(frozen=True)
class Cause:
    name: str
    ns: float | None  # that it adds to Vulkan's time over CUDA's
    rule: str  # or why nothing is known
    localizes_only: bool = False  # it says where the gap lies, not why


@dataclass(frozen=True)
class Side:
    """What is known of one API's case beside its time."""

    case: Case
    time: Figure
    counts: Mapping[str, float] = field(default_factory=dict)
    code: Row = field(default_factory=dict)  # sass.csv's
    resident: int | None = None


@dataclass(frozen=True)
class Account:
    """One pair's."""

    pair: Pair
    cuda: Side
    vulkan: Side
    ratio: Figure
    causes: tuple[Cause, ...]

    @property
    def gap(self) -> Figure:
        """Vulkan's time less CUDA's, ns."""
        time, ratio = self.cuda.time.value, self.ratio
        ends = [None if end is None else time * (end - 1) for end in (ratio.lo, ratio.hi)]
        return Figure(time * (ratio.value - 1), *ends, ratio.runs)

    @property
    def known(self) -> list[Cause]:
        """The greatest in the direction of the gap first."""
        sign = math.copysign(1, self.gap.value)
        known = (cause for cause in self.causes if not cause.localizes_only and cause.ns is not None)
        return sorted(known, key=lambda cause: -sign * (cause.ns or 0))

    @property
    def named(self) -> list[Cause]:
        """Those that account for a part of the gap worth naming."""
        gap = self.gap.value
        return [cause for cause in self.known if gap and (cause.ns or 0) / gap >= WORTH_NAMING]

    @property
    def left(self) -> float:
        """ns; against the gap's sign where the causes add up to more than the gap."""
        return self.gap.value - sum(cause.ns or 0 for cause in self.known)

    @property
    def left_share(self) -> float:
        """Of CUDA's time."""
        return self.left / self.cuda.time.value

    @property
    def nothing_to_explain(self) -> bool:
        """The times do not differ, or whether they do is not decided."""
        return verdict(self.ratio) in (SAME, UNCLEAR)

    @property
    def is_open(self) -> bool:
        return not self.nothing_to_explain and abs(self.left_share) > LEFT


def account(found: Study, table: Table, pair: Pair) -> Account | None:
    """None where there are no two times to compare."""
    figure = pair_ratio(table, pair)
    if figure is None or pair.cuda is None or pair.vulkan is None:
        return None
    cuda, vulkan = (_side(found, table, case) for case in (pair.cuda, pair.vulkan))
    if cuda is None or vulkan is None:
        return None
    scales = Scales(found, table, table.text(pair.cuda, "gpu_uuid"))
    causes = _controls(scales, pair, [_launch(found, table, pair), *_mechanisms(scales, cuda, vulkan)])
    return Account(pair, cuda, vulkan, figure, (*causes, _while_resident(cuda, vulkan)))


@dataclass(frozen=True)
class Scales:
    """What the rules measure with: an experiment's results on one GPU."""

    found: Study
    table: Table
    uuid: str

    @property
    def limits(self) -> Ceilings:
        return self.found.memoized(ceilings, self.uuid)

    @property
    def l1(self) -> float | None:
        return self.found.memoized(l1_ns, self.uuid)


def _mechanisms(scales: Scales, less: Side, more: Side) -> list[Cause]:
    """What the hardware does more of in the one than in the other: part of what any cause of it takes."""
    return [*_traffic(scales, less, more), _instructions(scales, less, more), _resident(scales, less, more)]


def accounts(found: Study, table: Table) -> list[Account]:
    """Of every pair of the experiment. Left out: the measurement's own controls, launches with next to no work, what is no kernel of
    ours.
    """
    facts = found.analysis_of(table.name).floor
    left_out = {*CONTROLS, NO_WORK, *facts.foreign, facts.empty.get("variant"), facts.launch.get("variant")}
    made = (account(found, table, pair) for pair in pairs(table, {}) if pair.case["variant"] not in left_out)
    return [one for one in made if one]


def beyond(found: Study, table: Table) -> list[Account]:
    """Those whose times differ for certain, by more than BEYOND; the worst first."""
    chosen = [one for one in found.memoized(accounts, table) if not one.nothing_to_explain and abs(one.ratio.value - 1) > BEYOND]
    return sorted(chosen, key=worst_first)


def worst_first(one: Account) -> float:
    return -abs(math.log(one.ratio.value))


def accounted(found: Study) -> list[Table]:
    """The experiments whose gaps are accounted for."""
    return [table for name, table in found.tables.items() if found.analysis_of(name).controls is not None]


# ----------------------------------------------------------------------------------------------------------------- sides


def _side(found: Study, table: Table, case: Case) -> Side | None:
    time = figure_of(table, case)
    if time is None or time.value <= 0:
        return None
    counts = hardware_counts.load_any(found, table)
    values = {name: counts.by(PM_SAMPLING, case, name) if counts else None for name in (*PM_COUNTED, "sm_mhz")}
    code = code_of(found, table, case)
    resident = None
    if code and case["block"]:
        resident = resident_blocks(code.get("arch", ""), case.whole("block"), round(number(code, "registers")))
    return Side(case, time, {name: value for name, value in values.items() if value is not None}, code or {}, resident)


def code_of(found: Study, table: Table, case: Case) -> Row | None:
    """sass.csv's row of what the case runs, by its isa_hash; None where it was not disassembled."""
    return found.memoized(_codes, table.name).get((case["api"], table.text(case, "isa_hash")))


def _codes(found: Study, experiment: str) -> dict[tuple[str, str], Row]:
    code = found.auxiliary("sass.csv", experiment)
    rows = [row for case in code.cases for row in code.rows(case)] if code else []
    return {(row["api"], row["isa_hash"]): row for row in rows if row.get("isa_hash")}


def resident_ns(side: Side) -> float | None:
    """With a warp on the SM that had one for longest, by its counted cycles."""
    cycles, mhz = side.counts.get("sm_active_cycles_max"), side.counts.get("sm_mhz")
    return 1000 * cycles / mhz if cycles and mhz else None


def _while_resident(cuda: Side, vulkan: Side) -> Cause:
    ours, theirs = resident_ns(cuda), resident_ns(vulkan)
    if ours is None or theirs is None:
        return Cause(WHILE_RESIDENT, None, hardware_counts.NOT_COUNTED, localizes_only=True)
    rule = f"cycles of the SM with the most: {theirs:.0f} ns in Vulkan, {ours:.0f} ns in CUDA, while counting"
    return Cause(WHILE_RESIDENT, theirs - ours, rule, localizes_only=True)


# ---------------------------------------------------------------------------------------------------------------- launch


def launch_ns(found: Study, table: Table, case: Case) -> float | None:
    """What a launch of one warp takes in a sample with as many launches, sent in the same way; None where that was not measured on
    that GPU.
    """
    launches = case.whole("chain") or case.whole("dispatches") or (1 if case["cache"] == "cold" else MANY)
    mode = case["mode"] or {"cuda": next(iter(TWIN_MODES)), "vulkan": next(iter(TWIN_MODES.values()))}[case["api"]]
    for source, facts in sources(found, "launch").items():
        where = {**facts.launch, "api": case["api"]}
        rows = [
            (row.whole("chain"), ns)
            for row, ns in figures_on(found, source, table.text(case, "gpu_uuid"), "device_ns", where)
            if row["mode"] in ("", mode)
        ]
        if rows:
            return max((each for each in rows if each[0] <= launches), default=min(rows))[1]
    return None


def _launch(found: Study, table: Table, pair: Pair) -> Cause:
    assert pair.cuda and pair.vulkan
    cuda, vulkan = (launch_ns(found, table, case) for case in (pair.cuda, pair.vulkan))
    if cuda is None or vulkan is None:
        return Cause(LAUNCH, None, "no launch of one warp was measured on this GPU")
    alone = "alone" if pair.cuda["cache"] == "cold" else "of many"
    return Cause(LAUNCH, vulkan - cuda, f"a launch of one warp, {alone}: {vulkan:.0f} ns in Vulkan, {cuda:.0f} ns in CUDA")


# --------------------------------------------------------------------------------------------------------------- traffic


@dataclass(frozen=True)
class Traffic:
    """Of one launch: sectors through the L1, between the SMs and the L2; bytes from and to memory."""

    l1: float
    l2: float
    read: float
    write: float


def traffic_of(side: Side) -> Traffic | None:
    counted = [side.counts.get(name) for name in ("l1_sectors", "sm_l2_sectors", "dram_read_bytes", "dram_write_bytes")]
    return None if None in counted else Traffic(*(value or 0 for value in counted))


def l1_ns(found: Study, gpu_uuid: str) -> float | None:
    """A sector's time through the L1s at the best rate of any counted case on that GPU."""
    best = None
    for table in found.tables.values():
        counts = hardware_counts.load_any(found, table)
        for case in table.cases if counts and counts.has(PM_SAMPLING) else ():
            sectors = counts.sectors(case) if counts else None
            time = figure_of(table, case) if sectors and table.text(case, "gpu_uuid") == gpu_uuid else None
            if sectors and time:
                best = min(time.value / sectors, best or math.inf)
    return best


def _bound(limits: Ceilings, l1: float | None, traffic: Traffic) -> float:
    """ns at least."""
    memory = limits.dram_ns(traffic.read, traffic.write) or _nearest_mix(limits, traffic)
    return max(memory, traffic.l2 * SECTOR_BYTES * (limits.l2 or 0), traffic.l1 * (l1 or 0))


def _nearest_mix(limits: Ceilings, traffic: Traffic) -> float:
    total = traffic.read + traffic.write
    if not limits.dram or total <= 0:
        return 0
    share = traffic.read / total
    return total * min(limits.dram, key=lambda point: abs(point[0] - share))[1]


def _traffic(scales: Scales, cuda: Side, vulkan: Side) -> list[Cause]:
    ours, theirs = traffic_of(cuda), traffic_of(vulkan)
    if ours is None or theirs is None:
        return [Cause(name, None, hardware_counts.NOT_COUNTED) for name in TRAFFIC]
    limits = scales.limits
    if not limits.dram or not limits.l2:
        return [Cause(name, None, "no rates were measured on this GPU") for name in TRAFFIC]
    more = theirs.l1 / ours.l1 if ours.l1 else 1
    passed = theirs.l2 / (ours.l2 * more) if ours.l2 * more else 1
    steps = [
        ours,
        Traffic(theirs.l1, ours.l2 * more, ours.read * more, ours.write * more),
        Traffic(theirs.l1, theirs.l2, ours.read * more * passed, ours.write * more * passed),
        theirs,
    ]
    times = [_bound(limits, scales.l1, step) for step in steps]
    rules = (
        f"sectors through the L1: {theirs.l1:.0f} in Vulkan, {ours.l1:.0f} in CUDA",
        f"sectors from the SMs to the L2: {theirs.l2:.0f} in Vulkan, {ours.l2:.0f} in CUDA",
        f"bytes from and to memory: {theirs.read + theirs.write:.0f} in Vulkan, {ours.read + ours.write:.0f} in CUDA",
    )
    return [Cause(name, after - before, rule) for name, before, after, rule in zip(TRAFFIC, times, times[1:], rules)]


# ---------------------------------------------------------------------------------------------------------- instructions


def sms(found: Study) -> int | None:
    """That the GPU has: as many as it takes to have warps resident for so many cycles together. None where nothing was counted."""
    most = 0.0
    for table in found.tables.values():
        counts = hardware_counts.load_any(found, table)
        for case in table.cases if counts else ():
            all_, one = (counts.by(PM_SAMPLING, case, f"sm_active_cycles{end}") for end in ("", "_max")) if counts else (None, None)
            most = max(most, all_ / one if all_ and one else 0)
    return math.ceil(most) or None


def _issue_ns(found: Study, table: Table, side: Side) -> float | None:
    """What issuing all instructions takes at least; None for a code with loops, and where it or the blocks were not counted."""
    blocks, mhz, units = side.counts.get("blocks"), side.counts.get("sm_mhz"), found.memoized(sms)
    if not (blocks and mhz and units and side.code and side.case["block"]):
        return None
    if not found.memoized(_straight, table, side.code.get("kernel", ""), side.case["api"]):
        return None
    warps = blocks * -(-side.case.whole("block") // WARP)
    return 1000 * warps * number(side.code, "instructions") / (ISSUED * units * mhz)


def _straight(found: Study, table: Table, kernel: str, api: str) -> bool:
    """Whether there is a listing, and no loop in it."""
    code = listings.of(found, table, kernel, api)
    return bool(code) and not has_loops(code)


def _instructions(scales: Scales, cuda: Side, vulkan: Side) -> Cause:
    ours, theirs = (_issue_ns(scales.found, scales.table, side) for side in (cuda, vulkan))
    bounds = [_least_ns(scales, side) for side in (cuda, vulkan)]
    if ours is None or theirs is None or None in bounds:
        return Cause(INSTRUCTIONS, None, "not known for a code with loops, or without counts and listings")
    beyond_traffic = [max(issue - (bound or 0), 0) for issue, bound in zip((ours, theirs), bounds)]
    return Cause(INSTRUCTIONS, beyond_traffic[1] - beyond_traffic[0], f"to issue them: {theirs:.0f} ns in Vulkan, {ours:.0f} ns in CUDA")


# ------------------------------------------------------------------------------------------------------- resident blocks


def _resident(scales: Scales, cuda: Side, vulkan: Side) -> Cause:
    if cuda.resident is None or vulkan.resident is None:
        return Cause(RESIDENT, None, "the registers are not known: scripts/dump_sass.py reads them")
    rule = f"blocks at once on an SM: {vulkan.resident} in Vulkan, {cuda.resident} in CUDA"
    if not cuda.resident or not vulkan.resident or cuda.resident == vulkan.resident:
        return Cause(RESIDENT, 0.0, rule)
    bound = _least_ns(scales, cuda)
    if bound is None:
        return Cause(RESIDENT, None, f"{rule}; what the traffic takes at least is not known")
    time = cuda.time.value
    if time <= AT_BOUND * bound:
        return Cause(RESIDENT, 0.0, f"{rule}; CUDA's time is its traffic's")
    fewer = max(bound, time * cuda.resident / vulkan.resident)
    return Cause(RESIDENT, fewer - time, rule)


def _least_ns(scales: Scales, side: Side) -> float | None:
    """By its counted traffic, or by its floor where nothing was counted."""
    traffic = traffic_of(side)
    if traffic is not None and scales.limits.dram:
        return _bound(scales.limits, scales.l1, traffic)
    model: FloorModel = model_of(scales.found, scales.table)
    floor = model.floor(side.case)
    return floor.ns if floor else None


# -------------------------------------------------------------------------------------------------------------- controls


def _controls(scales: Scales, pair: Pair, causes: list[Cause]) -> list[Cause]:
    """All causes: the given ones, less what the experiment's own controls bring of them; and these, each less the others that it
    includes.
    """
    known = {cause.name: cause for cause in causes}
    brought: dict[str, dict[str, float]] = {}  # by control, then by mechanism
    for control in scales.found.analysis_of(scales.table.name).controls or ():
        if not all(pair.case[column] in values for column, values in control.where.items()):
            continue
        ns, rule = _difference(scales.table, pair, control)
        if ns is None:
            # A cause may have several ways to be measured.
            known.setdefault(control.cause, Cause(control.cause, None, rule, control.localizes_only))
            continue
        inner = [known[name] for name in control.includes if name in known and known[name].ns is not None]
        less = f"; less {', '.join(one.name for one in inner)}" if inner else ""
        known[control.cause] = Cause(control.cause, ns - sum(one.ns or 0 for one in inner), f"{rule}{less}", control.localizes_only)
        if not control.localizes_only:
            parts = _parts(scales, pair, control)
            for name in control.includes:
                parts = {mechanism: part - brought.get(name, {}).get(mechanism, 0) for mechanism, part in parts.items()}
            brought[control.cause] = parts
    for control_name, parts in brought.items():
        for name, part in parts.items():
            before = known[name]
            if before.ns is not None and part:
                rule = f"{before.rule}; less what {control_name} brings: {part:.0f} ns"
                known[name] = Cause(name, before.ns - part, rule)
    return list(known.values())


def _parts(scales: Scales, pair: Pair, control: Control) -> dict[str, float]:
    """Of what a control adds, what is known of how: the mechanisms between its two rows."""
    rows = [_row(pair, *side) for side in (control.less, control.more)]
    less, more = (_side(scales.found, scales.table, row) if row else None for row in rows)
    if less is None or more is None:
        return {}
    return {cause.name: cause.ns for cause in _mechanisms(scales, less, more) if cause.ns is not None}


def _difference(table: Table, pair: Pair, control: Control) -> tuple[float | None, str]:
    more, less = (_row(pair, *side) for side in (control.more, control.less))
    names = [_row_name(*side) for side in (control.more, control.less)]
    # The one is the other where these results do not have the column.
    if more is None or less is None or more == less:
        return None, f"not measured: there is no row of {names[1]}"
    ratio, base = table.ratio(more, less), figure_of(table, less)
    if ratio is None or base is None:
        return None, f"not measured: {names[0]} beside {names[1]}"
    return base.value * (ratio.value - 1), f"{names[0]}, less {names[1]}"


def _row(pair: Pair, api: str, changes: Mapping[str, str]) -> Case | None:
    side = pair.cuda if api == "cuda" else pair.vulkan
    return side.replace(**changes) if side else None


def _row_name(api: str, changes: Mapping[str, str]) -> str:
    name = {"cuda": "CUDA", "vulkan": "Vulkan"}[api]
    return f"{name} with {', '.join(f'{column}={value}' for column, value in changes.items())}" if changes else name
