"""The time floor: what a case's bytes take at the bandwidth that this GPU itself was seen to reach, and how much of the
measured time that explains.

floor = max(distinct bytes / the memory's ceiling for that mix of reads and writes, sectors * 32 B / the L2's ceiling,
            blocks * the time that an empty one takes, what threads take that have few bytes in flight (in_flight.py))

The ceilings are the same GPU's, of the programs whose analysis declares them (FloorFacts): the fastest streaming kernel that only
writes, copies, adds (two reads a write) and only reads; between two mixes the time a byte is interpolated. The first term holds for footprints that stream from memory. The
second counts the sectors that passed between the SMs and the L2; where only Nsight Compute counted, every predicted sector,
less those that the L1 served; where nothing did, each distinct byte once. The third is for kernels of many short blocks: an
empty kernel, and the blocks that were counted. So is the fourth, for
threads that wait for what they read: it is a floor as long as they leave the memory room.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from benchlib.base.kept import Keeper, kept
from benchlib.model import hardware_counts
from benchlib.model.analysis import FloorFacts, Study
from benchlib.model.littles_law import SHARE_DIGITS, Launch, Loops, Points, concave, interpolated
from benchlib.results.results import SECTOR_BYTES, WARP, Case, Table
from benchlib.stats.stats import Figure
from benchlib.model.pairs import figure_of

WIDE = 16  # bytes of a thread's widest access
NOISE = 0.01  # a floor above the measured time by less is none
MORE_MOVED = 1.1  # counted bytes over distinct ones: worth naming
NEAR_FULL = 0.9  # of the memory's ceiling: beyond, a loop is no ceiling, for blocks in their order please the memory better


@dataclass(frozen=True)
class Ceilings:
    """Nanoseconds a byte at best; None and nothing where it was not measured on that GPU."""

    dram: Points = ()  # by read share of the bytes
    l2: float | None = None
    block: float | None = None  # ns from one block's start to the next one's, all SMs together
    loops: Loops = field(default_factory=Loops)

    def dram_ns(self, read: float, write: float) -> float | None:
        """None for mixes outside of what was measured."""
        total = read + write
        each = interpolated(self.dram, read / total) if total > 0 else None
        return None if each is None else total * each

    def in_flight_ns(self, read: float, write: float, launch: Launch) -> float | None:
        """None where no loop is like it, and where the memory would be nearly full."""
        least, memory = self.loops.least_ns(read, write, launch), self.dram_ns(read, write)
        return least if least is not None and memory is not None and memory <= NEAR_FULL * least else None


def sources(found: Study, fact: str) -> dict[str, FloorFacts]:
    """The programs whose analysis states such a fact."""
    return {name: each.floor for name, each in found.analyses.items() if getattr(each.floor, fact)}


def named(found: Study, fact: str) -> str:
    return " and ".join(sources(found, fact)) or "no program"


def figures_on(found: Study, source: str, gpu_uuid: str, metric: str, where: Mapping[str, object]) -> list[tuple[Case, float]]:
    """A program's cases on that GPU, each with its figure; those that have none are left out."""
    table = found.tables.get(source)
    cases = [case for case in table.select(where) if table.text(case, "gpu_uuid") == gpu_uuid] if table else []
    return [(case, figure.value) for case in cases if (figure := table.figure(case, metric))]


def ceilings(found: Study, gpu_uuid: str) -> Ceilings:
    best: dict[float, float] = {}
    resident: list[float] = []
    for source, facts in sources(found, "streams").items():

        def rates(where: Mapping[str, object], source: str = source) -> list[tuple[Case, float]]:
            return [(case, 1 / gbps) for case, gbps in figures_on(found, source, gpu_uuid, "gbps", where)]

        for case, ns in rates({"variant": list(facts.streams), "elements": "dram"}):
            share = facts.streams[case["variant"]].read_share
            best[share] = min(ns, best.get(share, ns))
        warm = rates({"variant": list(facts.resident), "cache": "warm"})
        resident += [ns for case, ns in warm if not found.tables[source].is_dram(case)]
    if not best:
        return Ceilings()
    # What streams from memory passes the L2, too: on a GPU whose L2-resident sizes are all short, memory shows more of it.
    l2 = min([*resident, *best.values(), *_l2_loads(found, gpu_uuid)], default=None)
    return Ceilings(tuple(sorted(best.items())), l2, block_ns(found, gpu_uuid), loops(found, gpu_uuid))


def _l2_loads(found: Study, gpu_uuid: str) -> list[float]:
    """Nanoseconds for a byte that the SMs asked of the L2, of the programs whose analysis names such variants."""
    times = []
    for source, facts in sources(found, "l2_loads").items():
        table = found.tables.get(source)
        counts = hardware_counts.load_any(found, table) if table else None
        for case, ns in figures_on(found, source, gpu_uuid, "device_ns", {"variant": list(facts.l2_loads)}) if counts else []:
            if requested := counts.value(case, "sm_l2_sectors"):
                times.append(ns / (requested * SECTOR_BYTES))
    return times


def _empty_blocks(found: Study, source: str, gpu_uuid: str, where: Mapping[str, object]) -> list[tuple[int, float]]:
    """(threads, ns a block) of a program's empty kernels on that GPU."""
    timed = figures_on(found, source, gpu_uuid, "device_ns", where)
    return [(case.whole("block"), ns * case.whole("block") / case.elements) for case, ns in timed]


def block_ns(found: Study, gpu_uuid: str) -> float | None:
    """The least time for a block of an empty kernel, whatever its size; None where none was measured on that GPU."""
    facts = sources(found, "empty").items()
    return min((ns for source, fact in facts for _, ns in _empty_blocks(found, source, gpu_uuid, fact.empty)), default=None)


def loops(found: Study, gpu_uuid: str) -> Loops:
    """The best of the persistent loops with narrow accesses by bytes in flight, and the threads of the fullest."""
    best: dict[int, dict[float, dict[float, float]]] = {}
    threads = 0
    for source, facts in sources(found, "loops").items():
        for case, gbps in figures_on(found, source, gpu_uuid, "gbps", {"variant": list(facts.loops)}):
            if case.whole("elem_bytes") >= WIDE:
                continue
            threads = max(threads, case.whole("block") * case.whole("blocks_per_sm"))
            loop = facts.loops[case["variant"]]
            points = best.setdefault(loop.arrays, {}).setdefault(round(loop.read_share, SHARE_DIGITS), {})
            in_flight = case.whole("bytes_in_flight")
            points[in_flight] = max(gbps, points.get(in_flight, 0))
    curves = {arrays: {share: concave(points) for share, points in mixes.items()} for arrays, mixes in best.items()}
    return Loops(curves, turnovers(found, gpu_uuid), threads)


def turnovers(found: Study, gpu_uuid: str) -> dict[int, float]:
    """By threads a block, the least time (ns, all SMs together) for an empty block of which an SM holds one at a time."""
    alone = [
        timed
        for source, facts in sources(found, "one_slot").items()
        for where in facts.one_slot.values()
        for timed in _empty_blocks(found, source, gpu_uuid, {**facts.empty, **where})
    ]
    return {block: min(ns for other, ns in alone if other == block) for block, _ in alone}


def distinct_bytes(found: Study, table: Table, case: Case) -> tuple[float, float] | None:
    """(read, written) at least by one launch; None where neither the model nor the analysis says."""
    if streams := found.analysis_of(table.name).floor.streams:
        stream, useful = streams.get(case["variant"]), float(table.text(case, "useful_bytes") or 0)
        return (stream.read_share * useful, (1 - stream.read_share) * useful) if stream and useful else None
    read, write = (table.text(case, f"min_{kind}_bytes") for kind in ("read", "write"))
    return (float(read), float(write)) if read and write else None


@dataclass(frozen=True)
class Floor:
    case: Case
    ns: float
    measured: Figure
    bytes: tuple[float, float]  # distinct, read and written

    @property
    def explained(self) -> float:
        return self.ns / self.measured.value

    @property
    def above(self) -> bool:
        """Above all of the measured interval by more than noise: then it is no floor."""
        highest = self.measured.value if self.measured.hi is None else self.measured.hi
        return self.ns > highest * (1 + NOISE)


class FloorModel(Keeper):
    """The floors of one experiment's cases."""

    def __init__(self, found: Study, table: Table):
        self.found = found
        self.table = table
        self.facts = found.analysis_of(table.name).floor
        self.counts = hardware_counts.load_any(found, table)
        uuids = {table.text(case, "gpu_uuid") for case in table.cases}
        self.ceilings = {uuid: found.memoized(ceilings, uuid) for uuid in uuids if uuid}

    @kept
    def floor(self, case: Case | None) -> Floor | None:
        measured = figure_of(self.table, case)
        both = distinct_bytes(self.found, self.table, case) if case and measured else None
        limits = self.ceilings.get(self.table.text(case, "gpu_uuid")) if case else None
        if case is None or measured is None or both is None or limits is None:
            return None
        terms = [limits.dram_ns(*both) if self.table.is_dram(case) else None]
        terms.append(self._l2_bytes(case, sum(both)) * limits.l2 if limits.l2 else None)
        blocks = self.blocks(case)
        terms.append(blocks * limits.block if blocks and limits.block else None)
        if self.table.is_dram(case) and blocks and self.access_bytes(case) < WIDE:
            terms.append(limits.in_flight_ns(*both, self.launch(case, both[0], blocks)))
        known = [term for term in terms if term is not None]
        return Floor(case, max(known), measured, both) if known else None

    def blocks(self, case: Case) -> float | None:
        return self.counts.blocks(case) if self.counts and case["block"] else None

    def _l2_bytes(self, case: Case, distinct: float) -> float:
        passed = self.counts.value(case, "sm_l2_sectors") if self.counts else None
        if passed is not None:
            return max(distinct, passed * SECTOR_BYTES)
        sectors = self.requested_bytes(case)
        hit = self.counts.value(case, "l1_hit_pct") if self.counts else None
        return max(distinct, sectors * (1 - hit / 100)) if sectors and hit is not None else distinct

    def requested_bytes(self, case: Case) -> float:
        """Of all predicted sectors; 0 where nothing is predicted."""
        sectors = sum(float(self.table.text(case, f"{kind}_sectors") or 0) for kind in hardware_counts.KINDS)
        return sectors * SECTOR_BYTES * case.elements / self.table.warp_elements(case)

    def sector_ns(self, case: Case) -> float | None:
        """If every predicted sector came once from where the data is: no reuse, no waste."""
        limits = self.ceilings.get(self.table.text(case, "gpu_uuid"))
        read, write = (self.table.text(case, f"{kind}_sectors") for kind in hardware_counts.KINDS)
        if limits is None or not (read or write):
            return None
        warps = case.elements / self.table.warp_elements(case)
        both = [float(text or 0) * SECTOR_BYTES * warps for text in (read, write)]
        if self.table.is_dram(case):
            return limits.dram_ns(both[0], both[1])
        return sum(both) * limits.l2 if limits.l2 else None

    def moved_bytes(self, case: Case) -> tuple[float, float]:
        """What the memory was counted to read and to write; 0 where nothing was counted."""
        read, write = (self.counts.value(case, f"dram_{kind}_bytes") if self.counts else None for kind in ("read", "write"))
        return read or 0, write or 0

    def streams(self, case: Case) -> bool:
        """From memory, and every sector once: what the ceilings are about."""
        both = distinct_bytes(self.found, self.table, case)
        if both is None or not self.table.is_dram(case):
            return False
        requested = self.requested_bytes(case)
        return requested <= sum(both) * MORE_MOVED if requested else bool(self.facts.streams)

    def access_bytes(self, case: Case) -> int:
        """A lane's widest access: of a streaming request, its sectors' bytes over its lanes."""
        if case["elem_bytes"]:
            return case.whole("elem_bytes")
        widths = []
        for kind in hardware_counts.KINDS:
            sectors, requests = (self.table.text(case, f"{kind}_{what}") for what in ("sectors", "requests"))
            if sectors and requests and int(requests):
                widths.append(int(sectors) / int(requests) * SECTOR_BYTES / WARP)
        return round(max(widths, default=0))

    def launch(self, case: Case, read: float, blocks: float) -> Launch:
        block = case.whole("block")
        at_once = case.whole("elem_bytes") if case["variant"] in self.facts.one_by_one else read / (blocks * block)
        stream = self.facts.streams.get(case["variant"])
        return Launch(blocks, block, at_once, arrays=stream.arrays if stream else 1)


def model_of(found: Study, table: Table) -> FloorModel:
    return found.memoized(FloorModel, table)
