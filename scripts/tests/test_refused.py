"""What the scripts refuse, in one line: results and configuration that no program wrote, and a person who is in a hurry."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import claims_lock
import pytest
import synthetic
from benchlib.claims import claim_lock
from benchlib.fleet import fleet
from benchlib.results import results
from benchlib.results.results import InputError
from result_sets import REPOSITORY

EXP = "exp03_memory_coalescing"
SCRIPTS = REPOSITORY / "scripts"


def case(**cells: object) -> dict:
    return synthetic.row(EXP, "read_offset", "cuda", cells.pop("ns", 1000.0), **{"offset": 1, **cells})


def a_set(folder: Path, runs: int = 2) -> Path:
    for number in range(runs):
        path = folder / "boards" / "aaaaaaaa" / f"run{number + 1}"
        path.mkdir(parents=True)
        synthetic.write(path, EXP, [case(started_at=f"2026-11-21T09:30:0{number}Z", gpu_uuid="aaaaaaaa-0000", ns=1000.0 + number)])
    return folder


def refusal(folder: Path) -> str:
    with pytest.raises(InputError) as caught:
        results.load(folder)
    return str(caught.value)


# ------------------------------------------------------------------------------------------------------------- interrupted


@pytest.mark.parametrize("script", sorted(path.name for path in SCRIPTS.glob("*.py") if "console.run_cli" in path.read_text()))
def test_a_script_that_is_interrupted_while_it_starts_is_quiet(tmp_path: Path, script: str) -> None:
    """At the first module that it imports after early.py."""
    (tmp_path / "argparse.py").write_text("import time\nprint('importing', flush=True)\ntime.sleep(60)\n")
    command = [sys.executable, SCRIPTS / script]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ | {"PYTHONPATH": str(tmp_path)}) as started:
        assert started.stdout.readline() == b"importing\n"
        started.send_signal(signal.SIGINT)
        assert started.communicate(timeout=30) == (b"", b"")
    assert started.returncode == -signal.SIGINT


def test_ignored_interrupts_stay_ignored() -> None:
    code = "import signal, sys; sys.path.insert(0, sys.argv[1]); sys.modules['__main__'].__file__ = sys.argv[1] + '/worklog.py'\n"
    code += "signal.signal(signal.SIGINT, getattr(signal, sys.argv[2])); from benchlib.base import early; print(signal.getsignal(signal.SIGINT).name)"
    for before, after in (("SIG_IGN", "SIG_IGN"), ("default_int_handler", "SIG_DFL")):
        done = subprocess.run([sys.executable, "-c", code, SCRIPTS, before], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == after


# ------------------------------------------------------------------------------------------------------------------- runs


@pytest.mark.parametrize("text", ["", "yesterday", "2026-11-21", "2026-13-21T09:30:00Z", "2026-11-21T25:30:00Z", "2026-11-21T09:30:00", "2026-11-21T09:30:00Z "])
def test_a_row_was_measured_at_some_time(tmp_path: Path, text: str) -> None:
    synthetic.write(tmp_path, EXP, [case(started_at=text)])
    assert f"line 2: started_at is {ascii(text)}, not a time such as" in refusal(tmp_path)


def test_a_result_is_of_some_gpu(tmp_path: Path) -> None:
    synthetic.write(tmp_path, EXP, [case(gpu_uuid="")])
    assert refusal(tmp_path).endswith("line 2: gpu_uuid is empty: which GPU is this a result of?")


@pytest.mark.parametrize("link", [False, True])
def test_a_copy_of_a_run_is_none(tmp_path: Path, link: bool) -> None:
    board = a_set(tmp_path) / "boards" / "aaaaaaaa"
    assert len(results.load(tmp_path).runs) == 2
    if link:
        (board / "run3").symlink_to("run1")
    else:
        shutil.copytree(board / "run1", board / "run3")
    assert refusal(tmp_path) == f"{board}/run3/{EXP}.csv is a copy of {board}/run1/{EXP}.csv: keep one of the two"


@pytest.mark.parametrize("name", ["run-1", "run01", "run0", "run1.old", "runs"])
def test_a_folder_that_is_nearly_a_runs_is_named(tmp_path: Path, name: str) -> None:
    board = a_set(tmp_path) / "boards" / "aaaaaaaa"
    (board / "run2").rename(board / name)
    assert refusal(tmp_path) == f"{board}: '{name}' is no run's name: they are run1, run2, ..."


# ---------------------------------------------------------------------------------------------------------------- figures


def retyped(path: Path, column: str, kind: str) -> None:
    sidecar = path.with_suffix(".schema.json")
    content = json.loads(sidecar.read_text())
    for each in content["columns"]:
        if each["name"] == column:
            each["type"] = kind
    sidecar.write_text(json.dumps(content))


@pytest.mark.parametrize("column", ["sm_mhz", "load_sectors"])
def test_a_sidecar_that_types_a_number_as_text(tmp_path: Path, column: str) -> None:
    a_set(tmp_path)
    for path in tmp_path.rglob("exp*.csv"):
        retyped(path, column, "text")
        header, row = path.read_text().splitlines()
        cells = row.split(",")
        cells[header.split(",").index(column)] = "many"
        path.write_text(f"{header}\n{','.join(cells)}\n")
    assert fleet.load([tmp_path], {}).boards["aaaaaaaa"].clocks == ([] if column == "sm_mhz" else [1980, 1980])
    table = results.load(tmp_path).tables[EXP]
    assert table.warp_elements(table.cases[0]) > 0


# ---------------------------------------------------------------------------------------------------------- configuration


@pytest.mark.parametrize("content", [b"\xff\n", b"01.1 99999999999999999999999 a b\n", b"01.1 1 a\n", b"01.1 \xd9\xa1 a b\n"])
def test_a_lock_that_is_damaged(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "lock").write_bytes(content)
    with pytest.raises(InputError, match="lock"):
        claim_lock.read(tmp_path / "lock")


def test_a_lock_that_is_gone_is_not_begun_in_silence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / EXP
    folder.mkdir()
    (folder / "claims.toml").write_text('question = "Is it?"\n')
    (tmp_path / "scripts").mkdir()
    assert claims_lock.main(["--root", str(tmp_path)]) == 1
    assert "is not there: take it back from git" in capsys.readouterr().err
    assert claims_lock.main(["--root", str(tmp_path), "--new"]) == 0 and (tmp_path / claim_lock.LOCK).exists()
    assert claims_lock.main(["--root", str(tmp_path)]) == 0
