"""Rows of an experiment that was split off another one, measured before that."""

from __future__ import annotations

from pathlib import Path

import pytest
import synthetic
from benchlib.results import results

OLD, NEW = "exp04_bda", "exp10_l2_halves"
CELLS = {"feature": "none", "memory": "own", "elements": 1 << 26}


@pytest.fixture
def as_measured_before(monkeypatch: pytest.MonkeyPatch) -> list[dict]:
    """The new experiment's rows in the old one's file, with the old one's columns."""
    monkeypatch.setitem(synthetic.MEASURED, OLD, synthetic.MEASURED[NEW])
    return [*synthetic.twins(OLD, "copy_f32", 100, 100, **CELLS), *synthetic.twins(OLD, "write_share", 200, 300, **CELLS, sm_blocks_min=7)]


def test_older_rows_are_read_as_the_new_experiments(tmp_path: Path, as_measured_before: list[dict]) -> None:
    synthetic.write(tmp_path, OLD, as_measured_before)
    found = results.load(tmp_path)
    old, new = found.tables[OLD], found.tables[NEW]
    assert [case["variant"] for case in old.cases] == ["copy_f32"] * 2
    assert [case["variant"] for case in new.cases] == ["write_share"] * 2
    assert new.params == ["block", "feature", "memory"] and "sm_blocks_min" not in old.measured
    case = new.select({"variant": "write_share", "api": "vulkan"})[0]
    assert new.figure(case, "device_ns").value == 300 and new.text(case, "sm_blocks_min") == "7"
    assert new.text(case, "experiment") == NEW
    assert results.files_of_runs(tmp_path, NEW) == results.files_of_runs(tmp_path, OLD) != []


def test_a_file_of_its_own_counts_alone(tmp_path: Path, as_measured_before: list[dict]) -> None:
    synthetic.write(tmp_path, OLD, as_measured_before)
    synthetic.write(tmp_path, NEW, synthetic.twins(NEW, "write_share", 200, 400, **CELLS))
    table = results.load(tmp_path).tables[NEW]
    assert [table.figure(case, "device_ns").value for case in table.cases] == [200, 400]


def test_old_and_new_files_are_runs_of_one_experiment(tmp_path: Path, as_measured_before: list[dict]) -> None:
    board = tmp_path / "boards" / "1"  # of GPU-1
    synthetic.write(board / "run1", OLD, as_measured_before)
    synthetic.write(board / "run2", NEW, synthetic.twins(NEW, "write_share", 200, 400, **CELLS))
    table = results.load(tmp_path).tables[NEW]
    assert [[run[case]["device_ns"] for case in table.cases] for run in table.runs] == [["200", "300"], ["200", "400"]]


def test_a_file_without_such_rows_is_the_old_experiments_alone(tmp_path: Path, as_measured_before: list[dict]) -> None:
    synthetic.write(tmp_path, OLD, as_measured_before[:2])
    assert list(results.load(tmp_path).tables) == [OLD]
    assert results.files_of_runs(tmp_path, NEW) == []
