"""benchlib/runner/row_counts.py: how many rows, and whether the file is whole. Its lines for damaged files: test_run_sh.py."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from benchlib.runner import row_counts


def test_rows_by_status(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('variant,status,reason\na,ok,\nb,skipped,"no,\nnot ""here"""\nc,failed,\u2028wrong\x0b\nd,ok,\n')
    assert row_counts.read(path)[0] == {"ok": 2, "failed": 1, "skipped": 1}
    path.write_text("status\n")
    assert row_counts.read(path)[0] == {"ok": 0, "failed": 0, "skipped": 0}


def test_a_field_of_any_length(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"status,reason\nfailed,{'x' * 300_000}\n")
    assert row_counts.read(path)[0]["failed"] == 1


@pytest.mark.parametrize("text", ["", "\n", "a,b\n1,2\n", "status,b\nok\n", 'status\n"ok\n', "status\nOK\n", "status\nok"])
def test_what_no_program_writes_is_damage(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(text)
    with pytest.raises((row_counts.Damaged, csv.Error)):
        row_counts.read(path)
