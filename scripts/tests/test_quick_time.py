"""How long `scripts/run.sh --quick` takes, simulated from the programs' own case lists, and whether it measures what README's rules need.

A case takes what the sampler's rules make of its launches, beside what no row tells: set-up, kernels, checks. That is fitted for each
program, to the durations of the committed runs of all cases on H200s, and is the same in a coarse sweep. A program's first run verifies in
full: what it takes longer than the others is shared out by bytes.

The other card has a tenth of an H200's bandwidth, 8 GB, and a desktop's host. A launch takes there
    2 times as long where it has fewer than 65,536 elements: one latency after another, at another chip's latencies
    10 times as long, an element, where its data do not fit the L2 (32 MiB)
    5.5 times as long, an element, else: 24 SMs for 132
    4 times as long where the host times a transfer (PCIe 4.0 x8 for PCIe 5.0 x16), and as long where it times itself or a kernel has a set length
and the CPU's work twice as long, but full verification, by fewer cores over a slower bus, 4 times.
"""

from __future__ import annotations

import csv
import lzma
import math
import statistics
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path

import pytest

from benchlib.results import split_off

ROOT = Path(__file__).resolve().parents[2]
BOARDS = ROOT / "results/nvidia-h200/boards"
# By older code, which sampled longer and verified more.
OLDER = {"149980f6", "5beddb9d", "68f43601", "6b615381", "a8c22efc", "befedfe6", "c4cea259", "cf635d90", "d5d932af", "d94c7192", "fd89f754"}
LISTS = ROOT / "build/ci/tests"
PROGRAMS = 27
BAR_S = {"h200": 180, "tenth": 300}  # the build apart; fixed before the simulation was run
START_S = {"h200": 0.8, "tenth": 1.6}  # a program's start and end: runs of twelve programs took 5 to 10 s longer than their cases
PAGES_S = {"h200": 8, "tenth": 16}  # worklog.py, report.py and beside.py, of one run: timed
BANDWIDTH = {"h200": 4.4e12, "tenth": 0.44e12}  # bytes a second that a copy reaches
L2_BYTES = {"h200": 60 << 20, "tenth": 32 << 20}
CPU, VERIFY, BUS = ({"h200": 1.0, "tenth": factor} for factor in (2.0, 4.0, 4.0))
ABSENT = {"h200": {"exp06_peer"}, "tenth": {"exp06_peer", "exp06_cluster"}}  # all skipped: they want two GPUs, clusters
EFFORT = {"exp06_litmus": 0.5}  # of its observations, which are no samples: a coarse sweep's, of a full run's
RUN_BUDGET = 0.04 / 0.5  # of a full run's budget, which run.sh gives where there are several runs
SUBMIT_S = 5e-5  # between two samples
Row = dict[str, str]


@dataclass(frozen=True)
class Side:
    variant: str
    api: str
    params: frozenset[tuple[str, str]]
    elements: int
    cache: str
    footprint: int
    fixed_batch: int
    host_samples: int
    budget_s: float


def read(path: Path) -> list[Row]:
    opened = lzma.open if path.suffix == ".xz" else open
    with opened(path, "rt", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def programs() -> list[str]:
    return sorted(path.name.removesuffix("_cases_test") for path in LISTS.glob("exp*_cases_test"))


@cache
def cases(program: str, card: str, run: str) -> list[list[Side]]:
    said = subprocess.run([LISTS / f"{program}_cases_test", "--list", card, run], stdout=subprocess.PIPE, text=True, check=True).stdout
    found: dict[str, list[Side]] = defaultdict(list)
    for row in csv.DictReader(said.splitlines()):
        params = frozenset((name, value) for name, _, value in (word.partition("=") for word in row["params"].split(";")) if name)
        numbers = (int(row[name]) for name in ("footprint_bytes", "fixed_batch", "host_samples"))
        found[row["case"]].append(
            Side(row["variant"], row["api"], params, int(row["elements"]), row["cache"], *numbers, float(row["budget_s"]))
        )
    return list(found.values())


def of_split(program: str) -> list[str]:
    """The programs whose rows stand in this one's older files."""
    return [program, *(name for name in split_off.SPLIT_OFF if split_off.source_of(name) == program)]


@dataclass
class Measured:
    """A program's committed runs, those with the most rows: the newest."""

    run_s: float | None  # the median of all but the first
    first_s: float  # longer than those, the first
    rows: list[Row]  # of one
    of_variants: dict[tuple[str, str], list[Row]]  # those that are ok, by the program that they count for, and variant


@cache
def measured(program: str) -> Measured:
    runs = [(path, read(path)) for path in BOARDS.glob(f"*/run*/{program}.csv*") if path.parent.parent.name not in OLDER]
    rows = max((one for _, one in runs), key=len, default=[])
    of_variants: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        if row["status"] == "ok" and row["device_ns"]:
            of_variants[split_off.owner(program, row["variant"]), row["variant"]].append(row)
    times: dict[str, dict[str, float]] = defaultdict(dict)
    for path, one in runs:
        if len(one) == len(rows):
            began = sorted(datetime.fromisoformat(row["started_at"].replace("Z", "+00:00")) for row in one if row["started_at"])
            times[path.parent.parent.name][path.parent.name] = (began[-1] - began[0]).total_seconds()
    later = {board: statistics.median(rest) for board, of in times.items() if (rest := [s for run, s in of.items() if run != "run1"])}
    first = [times[board]["run1"] - s for board, s in later.items() if "run1" in times[board]]
    longer = max(0.0, statistics.median(first)) if first else 0.0
    return Measured(statistics.median(later.values()) if later else None, longer, rows, of_variants)


@cache
def launch(program: str, side: Side) -> Row | None:
    """The committed row that is most like it."""
    found = measured(split_off.source_of(program) or program).of_variants.get((program, side.variant), [])

    def likeness(row: Row) -> tuple[object, ...]:
        same = sum(row.get(name, "") == value for name, value in side.params)
        return same, row["cache"] == side.cache, row["api"] == side.api, -abs(math.log(max(int(row["elements"]), 1) / max(side.elements, 1)))

    return max(found, key=likeness, default=None)


def launch_s(program: str, side: Side, card: str) -> tuple[float, bool]:
    """Seconds of a launch, and whether the host times it."""
    row = launch(program, side)
    if row is None:
        return 0.0, False
    seconds, by_host = float(row["device_ns"]) * 1e-9, row["stop"].startswith("host")
    factor = max(side.elements, 1) / max(int(row["elements"]), 1)
    if {"work_ns", "length_ns"} & {name for name, value in side.params if value}:
        factor = 1
    elif card == "tenth" and by_host:
        factor *= BUS[card] if program == "exp08_transfers" else 1
    elif card == "tenth":
        factor *= 2 if side.elements < 1 << 16 else 10 if side.footprint >= L2_BYTES[card] else 5.5
    return seconds * factor, by_host


def case_s(program: str, sides: Sequence[Side], card: str, budget: float) -> float:
    """By common/core/timing/sampler.cpp: until the budget is spent and each side has six samples; then host times; launches, fills and
    checksums before and after.
    """
    one = sides[0]
    times = [launch_s(program, side, card) for side in sides]
    seconds, by_host, budget_s = sum(time for time, _ in times) / len(times), times[0][1], one.budget_s * budget
    batch, lead_in, sweep = one.fixed_batch or 1, 0 if by_host else 2, 0.0
    if one.cache == "cold":
        lead_in, sweep = 0, 2 * L2_BYTES[card] / BANDWIDTH[card]
    elif not one.fixed_batch and not by_host:
        batch = min(512, max(1, math.ceil(1e-3 / max(seconds, 1e-9))))
    sample = (batch + lead_in) * seconds + sweep + SUBMIT_S
    looks = 4 if one.cache == "warm" and not one.fixed_batch and not by_host else 0
    sampling = max(budget_s, len(sides) * (max(sample, min(0.02, 0.1 * budget_s)) + (looks + 6) * sample))
    round_trip = 2 * len(sides) * (batch * seconds + SUBMIT_S)
    host = 0 if by_host else max(2 * round_trip, min(0.2 * budget_s, one.host_samples * round_trip))
    return sampling + host + len(sides) * (6 * one.footprint / BANDWIDTH[card] + 2 * seconds)


def model_s(program: str, card: str, run: str, budget: float) -> float:
    return sum(case_s(program, sides, card, budget) for sides in cases(program, card, run))


def footprint(program: str, card: str, run: str) -> int:
    return sum(side.footprint for sides in cases(program, card, run) for side in sides)


@cache
def beside_s(source: str) -> float:
    """Of a case, beside the model: by all cases' runs."""
    run_s = measured(source).run_s
    own = of_split(source)
    listed = sum(len(cases(program, "h200", "full")) for program in own)
    return 0.03 if run_s is None else max(0.0, run_s - sum(model_s(program, "h200", "full", RUN_BUDGET) for program in own)) / listed


def program_s(program: str, card: str) -> float:
    if program in ABSENT[card]:
        return START_S[card]
    source = split_off.source_of(program) or program
    part = footprint(program, card, "quick") / max(1, sum(footprint(one, "h200", "full") for one in of_split(source)))
    beside = CPU[card] * EFFORT.get(program, 1) * beside_s(source) * len(cases(program, card, "quick"))
    return START_S[card] + model_s(program, card, "quick", 1) + beside + VERIFY[card] * part * measured(source).first_s


pytestmark = pytest.mark.skipif(len(programs()) < PROGRAMS, reason="the case lists are not built: build/ci/tests/exp*_cases_test")


@pytest.mark.parametrize("card", BAR_S)
def test_a_coarse_sweep_stays_below_the_bar(card: str) -> None:
    times = {program: program_s(program, card) for program in programs()}
    said = ", ".join(f"{program} {seconds:.1f}" for program, seconds in sorted(times.items(), key=lambda one: -one[1]))
    seconds = sum(times.values()) + PAGES_S[card]
    assert BAR_S[card] / 3 < seconds <= BAR_S[card], f"{seconds:.0f} s: {said}"


def test_what_the_model_tells_is_at_most_what_the_committed_runs_took() -> None:
    for program in programs():
        run_s = measured(program).run_s
        if run_s is not None and run_s >= 5:  # started_at counts in seconds
            assert run_s / 6 <= sum(model_s(one, "h200", "full", RUN_BUDGET) for one in of_split(program)) <= 1.35 * run_s, program


def test_a_coarse_sweep_s_cases_are_some_of_a_full_run_s() -> None:
    def keys(program: str, run: str) -> set[tuple[object, ...]]:
        sides = (side for sides in cases(program, "h200", run) for side in sides if not side.variant.startswith("aa_control"))
        return {(side.variant, side.api, side.params, side.elements, side.cache) for side in sides}

    assert {program: added for program in programs() if (added := keys(program, "quick") - keys(program, "full"))} == {}


def test_a_coarse_sweep_measures_what_the_rules_of_the_readme_need(tmp_path: Path) -> None:
    """Of the committed rows those that it has."""
    folder = tmp_path / "results/nvidia-h200/boards/00000000/run1"
    folder.mkdir(parents=True)
    (tmp_path / "results/schemas").symlink_to(ROOT / "results/schemas")
    for source in programs():
        wanted = {
            (program, side.variant, side.elements, side.cache, side.params)
            for program in of_split(source) for sides in cases(program, "h200", "quick") for side in sides
        }  # fmt: skip
        columns = {key[0]: [name for name, _ in key[4]] for key in wanted}
        kept = []
        for row in measured(source).rows:
            program = split_off.owner(source, row["variant"])
            params = frozenset((name, row.get(name, "")) for name in columns.get(program, []))
            if (program, row["variant"], int(row["elements"]), row["cache"], params) in wanted:
                kept.append(row | {"gpu_uuid": "00000000-0000-0000-0000-000000000000" if row["gpu_uuid"] else ""})
        if kept:
            with open(folder / f"{source}.csv", "w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, list(kept[0]))
                writer.writeheader()
                writer.writerows(kept)
    said = subprocess.run([sys.executable, ROOT / "scripts/beside.py", tmp_path / "results/nvidia-h200"], stdout=subprocess.PIPE, text=True)
    assert "Rules for Vulkan beside CUDA" in said.stdout and "Could not be seen" not in said.stdout, said.stdout
