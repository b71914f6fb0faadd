"""Figures of one or two runs: their brackets are their class's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import pytest
import synthetic
from benchlib.model.analysis import Analysis, Study
from benchlib.results import results
from benchlib.results.results import COLD, HOST, INSIDE, SHORT, WARM, Table
from benchlib.stats import few_runs
from benchlib.stats.few_runs import HALVES
from benchlib.stats.stats import Figure

EXP = "exp03_memory_coalescing"
pytestmark = pytest.mark.real_least_runs


def written(folder: Path, times: Sequence[float], own: Analysis = Analysis(), **cells: object) -> Table:
    """A run for each time."""
    for at, ns in enumerate(times, start=1):
        rows = synthetic.twins(EXP, "read_offset", ns, 1.1 * ns, **cells)
        synthetic.write(folder / "boards" / "aaaaaaaa" / f"run{at}", EXP, [{**row, "gpu_uuid": "aaaaaaaa-1"} for row in rows])
    return Study.of(results.load(folder), {EXP: own}).tables[EXP]


def around(value: float, kind: str) -> tuple[float, float]:
    return value * math.exp(-HALVES[kind]), value * math.exp(HALVES[kind])


def test_the_class_decides_how_wide(tmp_path: Path) -> None:
    cells = {"cold": {"cache": "cold"}, "long": {"cache": "warm"}, "host": {"cache": "warm", "stop": "host ci"}}
    tables = {name: written(tmp_path / name, [1e6], **each) for name, each in cells.items()}
    tables["short"] = written(tmp_path / "short", [5000], cache="warm")
    tables["inside"] = written(tmp_path / "inside", [1e6], Analysis(inside_sm=["read_offset"]), cache="warm")
    kinds = {"cold": COLD, "long": WARM, "host": HOST, "short": SHORT, "inside": INSIDE}
    assert {name: table.class_of(table.cases[0]) for name, table in tables.items()} == kinds
    for name, table in tables.items():
        found = table.figure(table.cases[0], "device_ns")
        assert found and found.runs == 1 and (found.lo, found.hi) == pytest.approx(around(found.value, kinds[name])), name
    assert tables["long"].class_of(tables["long"].cases[0], "submit_ns") == HOST


def test_a_ratio_and_two_runs(tmp_path: Path) -> None:
    table = written(tmp_path, [1e6, 1.5e6], cache="cold")
    cuda = table.cases[0]
    twin = table.twin(cuda)
    assert twin
    found = table.ratio(twin, cuda)
    assert found and found.runs == 2 and (found.lo, found.hi) == pytest.approx(around(1.1, COLD), rel=1e-3)
    time = table.figure(cuda, "device_ns")  # two runs that are farther apart than the class: the brackets hold both
    assert time and time.lo and time.hi and time.lo <= 1e6 and time.hi >= 1.5e6


def test_three_runs_speak_for_themselves(tmp_path: Path) -> None:
    table = written(tmp_path, [1e6, 1.0001e6, 1.0002e6], cache="cold")
    found = table.figure(table.cases[0], "device_ns")
    assert found and found.hi and found.hi / found.value < math.exp(HALVES[COLD]) / 1.01


def test_what_is_exact_needs_one_run() -> None:
    assert few_runs.figure([Figure(3, 3, 3)], 0.0) == Figure(3, 3, 3, 1)
    assert few_runs.figure([Figure(3, 3, 3), Figure(5, 5, 5)], 0.0) == Figure(4, 3, 5, 2)
    assert few_runs.figure([Figure(0, 0, 0)], 0.0).has_interval


def test_a_part_of_a_whole_stays_in_it() -> None:
    found = few_runs.figure([Figure(99.0, 99.0, 99.0)], math.log(2), 100.0)
    assert (found.lo, found.hi) == pytest.approx((98.0, 99.5))  # 1 is left: 0.5 to 2
    found = few_runs.figure([Figure(10.0, 10.0, 10.0)], math.log(2), 100.0)
    assert (found.lo, found.hi) == pytest.approx((5.0, 20.0))
    assert not few_runs.figure([Figure(100.1, 100.1, 100.1)], 0.1, 100.0).has_interval  # measured apart: more than the whole


def test_what_has_no_interval() -> None:
    assert not few_runs.figure([Figure(0.0, 0.0, 0.0)], 0.1).has_interval  # no logarithm
    assert not few_runs.figure([Figure(3.0, 2.9, 3.1)], None).has_interval  # nothing is known of other runs


def test_exact_columns(tmp_path: Path) -> None:
    table = written(tmp_path, [1e6], Analysis(exact=["gbps"]))
    assert table.is_exact("gbps") and not table.is_exact("device_ns")
    assert table.of_runs([0]).is_exact("gbps")


def test_fit_by_hand() -> None:
    """Of 20 pairs of runs on four boards the farthest but one; a case of more runs weighs no more than another."""
    boards = {name: [0.0] for name in "abc"} | {"d": [0.04]}  # of six pairs three are 0.04 apart
    assert few_runs.fit([boards]) == pytest.approx(0.04)
    alike = {name: [0.0] * 9 for name in "abcd"}
    assert few_runs.fit([boards] + [alike] * 11) == pytest.approx(0.0)  # half of one case in twelve: under 5 %
    assert few_runs.fit([boards] + [alike] * 8) == pytest.approx(0.04)
    assert math.isnan(few_runs.fit([{"a": [0.0], "b": [1.0]}]))  # two boards
