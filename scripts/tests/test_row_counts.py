"""benchlib/runner/row_counts.py: how many rows, and whether the file is whole. Its lines for damaged files: test_run_sh.py."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benchlib.runner import row_counts

SCRIPT = Path(row_counts.__file__)


def test_rows_by_status(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('variant,status,reason\na,ok,\nb,skipped,"no,\nnot ""here"""\nc,failed,\u2028wrong\x0b\nd,ok,\n')
    assert row_counts.count(path) == {"ok": 2, "failed": 1, "skipped": 1}
    path.write_text("status\n")
    assert row_counts.count(path) == {"ok": 0, "failed": 0, "skipped": 0}


def test_a_field_of_any_length(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"status,reason\nfailed,{'x' * 300_000}\n")
    assert row_counts.count(path)["failed"] == 1


@pytest.mark.parametrize("text", ["", "\n", "a,b\n1,2\n", "status,b\nok\n", 'status\n"ok\n', "status\nOK\n", "status\nok"])
def test_what_no_program_writes_is_damage(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(text)
    result = subprocess.run([sys.executable, SCRIPT, path], capture_output=True, text=True)
    assert result.returncode == 1 and result.stdout == ""
    assert result.stderr.startswith("a.csv: ") and result.stderr.count("\n") == 1


def test_bytes_that_are_no_text_and_a_file_that_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"status\n\xff\n")
    assert subprocess.run([sys.executable, SCRIPT, path], capture_output=True).returncode == 1
    assert subprocess.run([sys.executable, SCRIPT, tmp_path / "b.csv"], capture_output=True).returncode == 77
    assert subprocess.run([sys.executable, SCRIPT], capture_output=True).returncode == 2
