"""scripts/why.py and the accounts of gaps between twins: planted gaps, one cause each, are named first; where there is none, none is."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
import why
import worklog
from analyses import REPOSITORY, study
from benchlib.model import analysis, attribution
from benchlib.pages import why_tables
from benchlib.sass import occupancy
from benchlib.model.analysis import Study
from benchlib.model.attribution import LAUNCH, RESIDENT, Account
from benchlib.results.results import Case, Table
from benchlib.results.schema import Column
from benchlib.stats.stats import Figure

EXP01, EXP04 = "exp01_vector_add", "exp04_bda"
ELEMENTS = 1 << 26
RUNS, SEEDS, LEAST_NAMED = 6, 20, 0.9
# A made-up GPU: ns a byte, ns.
MEMORY, L2, LAUNCH_NS = 1 / 4000, 1 / 8000, {"cuda": 1600.0, "vulkan": 1800.0}
PROCESS_NOISE, COUNT_NOISE = 0.003, 0.0005
ANALYSES = analysis.load(REPOSITORY)


# ----------------------------------------------------------------------------------------------------------- simulation


@dataclass
class Kernel:
    """What a planted kernel does: sectors asked for, the shares that hit, what else it takes."""

    sectors: float = 25e6
    l1_hits: float = 0.3
    l2_hits: float = 0.0
    instructions_ns: float = 0.0  # of checks
    queue: float = 1.0  # its factor
    registers: int = 32
    latency_bound: bool = False
    launch_ns: float = 0.0

    def counts(self) -> dict[str, float]:
        passed = self.sectors * (1 - self.l1_hits)
        read = 32 * passed * (1 - self.l2_hits) * 2 / 3
        return {"l1_sectors": self.sectors, "l1_hit_sectors": self.sectors * self.l1_hits, "sm_l2_sectors": passed,
                "dram_read_bytes": read, "dram_write_bytes": read / 2, "blocks": ELEMENTS / 256}  # fmt: skip

    def time(self, api: str) -> float:
        counts = self.counts()
        memory = (counts["dram_read_bytes"] + counts["dram_write_bytes"]) * MEMORY
        busy = max(memory, counts["sm_l2_sectors"] * 32 * L2)
        if self.latency_bound:
            blocks = occupancy.resident_blocks("sm_90", 256, self.registers) or 1
            busy = max(busy, 3 * busy * 8 / blocks)
        return (busy * 1.03 + self.instructions_ns) * self.queue + self.launch_ns + LAUNCH_NS[api]


@dataclass
class Planted:
    cause: str
    change: Callable[[Kernel], None]  # of one side's
    both: Callable[[Kernel], None] = lambda kernel: None
    feature: str = "none"
    others: dict[tuple[tuple[str, str], ...], Callable[[Kernel], None]] = field(default_factory=dict)  # rows that lack the cause
    launch: float = 0.0  # added to the launches without work of the changed side
    apis: tuple[str, ...] = ("vulkan", "cuda")


def set_to(**values: float) -> Callable[[Kernel], None]:
    def change(kernel: Kernel) -> None:
        for name, value in values.items():
            setattr(kernel, name, value)

    return change


PLANTED = {
    "twice the loads": Planted(attribution.L1, set_to(sectors=50e6)),
    "loads that miss where the twin's hit": Planted(attribution.L2, set_to(l1_hits=0.0)),
    "bounds checks": Planted("bounds checks", set_to(instructions_ns=9000), others={(("checks", "off"),): set_to()}, apis=("vulkan",)),
    "bounds checks in CUDA": Planted(
        "what the row changes in CUDA", set_to(instructions_ns=9000), feature="cuda_bounds",
        others={(("feature", "none"),): set_to()}, apis=("cuda",),
    ),
    "half the resident blocks": Planted(RESIDENT, set_to(registers=64), both=set_to(latency_bound=True)),
    "the queue with graphics": Planted(
        "a queue with graphics", set_to(queue=1.1), feature="vulkan_graphics_queue",
        others={(("feature", "none"),): set_to()}, apis=("vulkan",),
    ),
    "a longer launch": Planted(LAUNCH, set_to(launch_ns=4000), both=set_to(sectors=1e6), launch=4000),
}  # fmt: skip
KEY = ["variant", "api", "block", "elem_bytes", "chain", "mode", "feature", "memory", "checks", "elements", "cache"]
COLUMNS = [
    *(Column(name, "case" if name in ("elements", "cache") else "identity" if name in ("variant", "api") else "param",
             "integer" if name == "elements" else "text", key=True) for name in KEY),
    Column("status", "identity", "text"), Column("device_ns", "time", "real", interval=True), Column("gbps", "time", "real"),
    Column("peak_pct", "time", "real"), *(Column(name, "origin", "text") for name in ("gpu_uuid", "isa_hash")),
]  # fmt: skip


class Bench:
    """Results of a made-up GPU, in memory."""

    def __init__(self, chance: random.Random):
        self.chance = chance
        self.rows: dict[str, list[dict[Case, dict]]] = {name: [{} for _ in range(RUNS)] for name in (EXP01, EXP04)}
        self.counts: dict[str, list[dict]] = {EXP01: [], EXP04: []}
        self.code: list[dict] = []
        for api in ("cuda", "vulkan"):
            # The ceilings, and one kernel that stays in the L2.
            for variant in ("read_tile", "copy_tile", "add_f32", "write_tile"):
                self.add(EXP01, variant, api, (1 << 30) * MEMORY, elem_bytes="16", gbps=1 / MEMORY, peak_pct=80)
            # Another that shows what the L1 serves.
            self.kernel(api, Kernel(sectors=100e6, l1_hits=0.95), "load_f32")
            self.add(EXP01, "add_f32", api, 1 << 20, elem_bytes="4", elements="1048576", cache="warm", gbps=1 / L2)

    def launches(self, extra: dict[str, float]) -> None:
        for api, mode in (("cuda", "stream"), ("vulkan", "rerecorded")):
            for chain in ("1", "1000"):
                ns = LAUNCH_NS[api] + extra.get(api, 0)
                self.add(EXP01, "chain", api, ns, chain=chain, mode=mode, elements="32", cache="warm")

    def add(self, experiment: str, variant: str, api: str, ns: float, gbps: float = 0, peak_pct: float = 0, isa: str = "", **key: str) -> None:
        key = {"block": "256", "elements": str(ELEMENTS), "cache": "cold", **key}
        case = Case(tuple((name, {"variant": variant, "api": api, **key}.get(name, "")) for name in KEY))
        for run in self.rows[experiment]:
            seen = ns * self.chance.gauss(1, PROCESS_NOISE)
            cells = {**dict(case.cells), "status": "ok", "device_ns": repr(seen), "device_ns_lo": repr(seen), "device_ns_hi": repr(seen)}
            rates = {"gbps": str(gbps or ""), "peak_pct": str(peak_pct or ""), "gpu_uuid": "GPU-1", "isa_hash": isa}
            run[case] = {**cells, **rates}

    def kernel(self, api: str, kernel: Kernel, variant: str = "copy_f32", **key: str) -> None:
        isa = f"{api}-{kernel.registers}"
        self.add(EXP04, variant, api, kernel.time(api), isa=isa, memory="own", peak_pct=50, **key)
        noisy = {name: value * self.chance.gauss(1, COUNT_NOISE) for name, value in kernel.counts().items()}
        case = list(self.rows[EXP04][0])[-1]
        self.counts[EXP04].append({**dict(case.cells), "instrument": "pm_sampling", **{k: repr(v) for k, v in noisy.items()}})
        code = {"kernel": isa, "api": api, "arch": "sm_90", "isa_hash": isa, "registers": str(kernel.registers)}
        if code not in self.code:
            self.code.append(code)

    def study(self) -> Study:
        tables = {name: Table(name, COLUMNS, runs) for name, runs in self.rows.items()}
        return InMemory(Path(), tables, [], analyses=ANALYSES, files=(self.counts, self.code))


@dataclass
class InMemory(Study):
    files: tuple[dict[str, list[dict]], list[dict]] = ({}, [])

    def auxiliary(self, file_name: str, experiment: str) -> Table | None:
        keys = {"counters.csv": [*KEY, "instrument"], "sass.csv": ["kernel", "api", "arch"]}.get(file_name)
        rows = self.files[0].get(experiment, []) if file_name == "counters.csv" else self.files[1]
        if not keys or not rows:
            return None
        return Table(experiment, [], [{Case(tuple((name, row.get(name, "")) for name in keys)): row for row in rows}], list(rows[0]))


def simulated(planted: Planted, side: str, seed: int) -> Account:
    bench = Bench(random.Random(seed))
    bench.launches({side: planted.launch})
    for api in ("cuda", "vulkan"):
        kernel = Kernel()
        planted.both(kernel)
        plain = Kernel(**vars(kernel))
        if api == side:
            planted.change(kernel)
        bench.kernel(api, kernel, feature=planted.feature)
        for cells in planted.others if api == side else ():
            bench.kernel(api, plain, **{"feature": planted.feature, **dict(cells)})
    found = bench.study()
    (one,) = [
        one for one in copies(found) if one.pair.case["feature"] == planted.feature and not one.pair.case["checks"]
    ]  # fmt: skip
    return one


def copies(found: Study) -> list[Account]:
    return [one for one in attribution.accounts(found, found.tables[EXP04]) if one.pair.case["variant"] == "copy_f32"]


CASES = [(name, api) for name, planted in PLANTED.items() for api in planted.apis]


@pytest.mark.parametrize(("name", "api"), CASES)
def test_a_planted_gap_is_named_first(name: str, api: str) -> None:
    planted = PLANTED[name]
    found = [simulated(planted, api, seed) for seed in range(SEEDS)]
    first = [one.named[0].name if one.named and not one.nothing_to_explain else None for one in found]
    assert first.count(planted.cause) >= LEAST_NAMED * SEEDS, first
    for one in found:
        assert (one.gap.value > 0) == (api == "vulkan")
    # What the cause's rule says is about right, and so is what it leaves.
    shares = [(next(cause.ns for cause in one.causes if cause.name == planted.cause) or 0) / one.gap.value for one in found]
    assert 0.8 < sorted(shares)[SEEDS // 2] < 1.25, shares
    assert "by " + planted.cause in why_tables.sentence(found[0])


def test_without_a_gap_there_is_nothing_to_explain() -> None:
    quiet = 0
    for seed in range(SEEDS):
        bench = Bench(random.Random(seed))
        bench.launches({})
        for api in ("cuda", "vulkan"):
            bench.kernel(api, Kernel(), feature="none")
        found = bench.study()
        (one,) = copies(found)
        quiet += one.nothing_to_explain
        assert not one.is_open or not one.nothing_to_explain
    assert quiet >= LEAST_NAMED * SEEDS


def test_a_gap_of_a_cause_that_is_not_known_is_left() -> None:
    unknown = Planted("none", set_to(instructions_ns=9000))
    one = simulated(unknown, "vulkan", 1)
    assert one.is_open and not one.named and abs(one.left / one.gap.value - 1) < 0.1
    text = why_tables.sentence(one)
    assert "none of the causes that were looked for accounts for it" in text and "is left" in text
    assert {LAUNCH, attribution.L1, attribution.L2} <= set(why_tables.excluded(one)) and "bounds checks" in why_tables.unknown(one)


# ---------------------------------------------------------------------------------------------------------------- rules


@pytest.mark.parametrize(
    ("arch", "block", "registers", "expected"),
    [("sm_90a", 256, 16, 8), ("sm_90", 256, 32, 8), ("sm_90", 256, 33, 6), ("sm_90", 256, 64, 4), ("sm_90", 1024, 64, 1), ("sm_90", 32, 16, 32),
     ("sm_86", 256, 16, 6), ("sm_90", 1024, 255, 0), ("sm_10", 256, 16, None), ("", 256, 16, None), ("sm_90", 0, 16, None)],
)  # fmt: skip
def test_resident_blocks(arch: str, block: int, registers: int, expected: int | None) -> None:
    assert occupancy.resident_blocks(arch, block, registers) == expected


def test_a_cause_that_includes_another_counts_it_once() -> None:
    bench = Bench(random.Random(3))
    bench.launches({})
    for feature, checks, ns in (("none", "", 9000.0), ("none", "off", 4000.0), ("vulkan_address", "", 1000.0)):
        bench.kernel("vulkan", Kernel(instructions_ns=ns), feature=feature, checks=checks)
    bench.kernel("cuda", Kernel(), feature="none")
    found = bench.study()
    (one,) = [one for one in copies(found) if one.pair.cuda]
    ns = {cause.name: cause.ns or 0 for cause in one.causes}
    assert ns["bounds checks"] == pytest.approx(5000, rel=0.3)
    assert ns["bounds checks"] + ns["descriptors in place of addresses"] == pytest.approx(8000, rel=0.3)


def test_what_a_control_brings_is_its_own() -> None:
    """Checks that make a kernel ask the L2 for more: the time is theirs, and counted once."""
    bench = Bench(random.Random(4))
    bench.launches({})
    bench.kernel("vulkan", Kernel(l1_hits=0.0), feature="none")
    bench.kernel("vulkan", Kernel(l1_hits=0.3), feature="none", checks="off")
    bench.kernel("cuda", Kernel(l1_hits=0.3), feature="none")
    (one,) = [one for one in copies(bench.study()) if one.pair.cuda]
    ns = {cause.name: cause.ns or 0 for cause in one.causes}
    assert one.named[0].name == "bounds checks" and ns["bounds checks"] == pytest.approx(one.gap.value, rel=0.1)
    assert abs(ns[attribution.L2]) < 0.02 * one.gap.value and abs(one.left_share) < 0.02


def test_a_row_that_is_not_there_is_no_cause() -> None:
    one = simulated(PLANTED["twice the loads"], "vulkan", 1)
    checks = next(cause for cause in one.causes if cause.name == "bounds checks")
    assert checks.ns is None and "not measured" in checks.rule


def test_the_verdict_decides_whether_there_is_anything_to_explain() -> None:
    """Also where the interval lies on one side of 1 and does not decide, and where there is none."""
    one = simulated(PLANTED["twice the loads"], "vulkan", 1)
    decided = {why_tables.sentence(replace(one, ratio=Figure(1.0, 0.995, 1.005))).partition(":")[0]}
    for ratio, nothing in ((Figure(1.2, 1.1, 1.3), False), (Figure(1.05, 1.005, 1.1), True), (Figure(1.0, 0.5, 2.0), True), (Figure(1.005), True), (Figure(1.2), True)):
        changed = replace(one, ratio=ratio)
        assert changed.nothing_to_explain == nothing and why_tables.explained_by(changed)
        assert why_tables.sentence(changed).partition(":")[0] not in decided


# -------------------------------------------------------------------------------------------------------------- the script


def ask(root: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = why.main(["--root", str(root), *arguments])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_causes_are_summed_over_the_decided_pairs(root: Path) -> None:
    found = study(root / worklog.REFERENCE)
    accounts = [one for table in attribution.accounted(found) for one in found.memoized(attribution.accounts, table)]
    shares = why_tables.lost_time(accounts)
    slower = [one for one in accounts if not one.nothing_to_explain and one.gap.value > 0]
    assert slower and sum(shares.values()) == pytest.approx(1)
    lost = sum(one.ratio.value - 1 for one in slower)
    assert shares[why_tables.UNEXPLAINED] == pytest.approx(sum(one.left_share for one in slower) / lost)
    for one in slower:
        assert (why_tables.UNEXPLAINED in why_tables.left_text(one)) == (one.left > one.gap.value / 2)
    assert why_tables.lost_time([]) == {}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["exp09"], "--only exp09: no such experiment"),
        (["exp04", "inner"], "exp04_bda has no pair with variant=inner; variant can be add_f32, add_f32x4"),
        (["exp04", "inner_struct", "colour=red"], "exp04_bda has no column colour; it has variant"),
        (["exp04", "inner_struct", "elements=3"], "elements can be 67108864"),
        (["exp04", "inner_struct", "copy_f32"], "variant is there twice: inner_struct and copy_f32"),
    ],
)
def test_what_there_is_not_is_one_line(root: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str) -> None:
    code, out, err = ask(root, capsys, *arguments)
    assert code == 2 and not out and len(err.splitlines()) == 1 and words in err
