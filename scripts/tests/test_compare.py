"""compare.py: what it calls slower, what it does not, and every way the input can be wrong."""

from __future__ import annotations

import csv
import itertools
import random
import re
import subprocess
import sys
import uuid
from collections.abc import Callable
from pathlib import Path

import compare
import pytest
import synthetic
from benchlib.fleet import comparison

EXP = "exp03_memory_coalescing"
CASES = 100  # of each API
TIMES = ("device_ns", "device_ns_lo", "device_ns_hi")


def case_rows(**change: object) -> list[dict]:
    """100 cases a side: offsets 0 to 99."""
    rows = []
    for offset in range(CASES):
        cells = {"offset": offset, "isa_hash": "a" * 12, **change}
        rows += synthetic.twins(EXP, "read_offset", 100000 + offset, 101000 + offset, **cells)
    return rows


def noisy(rows: list[dict], seed: int, factor: Callable[[dict], float] = lambda row: 1.0, mhz: float = 1980) -> list[dict]:
    """A run with 0.1 % of noise, and so much in each row's interval."""
    noise = random.Random(seed)
    found = []
    for row in rows:
        times = {name: row[name] * each for each in [factor(row) * noise.gauss(1, 0.001)] for name in TIMES} if row["device_ns"] != "" else {}
        found.append({**row, **times, "sm_mhz": mhz})
    return found


def write(folder: Path, seed: int = 1, rows: list[dict] | None = None, **options: object) -> Path:
    synthetic.write(folder, EXP, noisy(case_rows() if rows is None else rows, seed, **options))
    return folder


def write_again(folder: Path, seed: int, **options: object) -> None:
    """A further run of its board."""
    synthetic.write_again(folder, EXP, noisy(case_rows(), seed, **options))


def run(a: Path, b: Path, *arguments: str) -> int:
    return compare.main([str(a), str(b), *arguments])


def table(tmp_path: Path, a: Path, b: Path) -> list[dict[str, str]]:
    assert run(a, b, "--csv", str(tmp_path / "out.csv")) == 0
    with open(tmp_path / "out.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def verdicts(rows: list[dict[str, str]]) -> dict[str, int]:
    return {name: len(list(group)) for name, group in itertools.groupby(sorted(row["verdict"] for row in rows))}


# ------------------------------------------------------------------------------------------------------------- verdicts


def test_three_planted_slowdowns_in_200_cases(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    planted = {("cuda", 7), ("cuda", 50), ("vulkan", 99)}
    a = write(tmp_path / "a", 1)
    b = write(tmp_path / "b", 2, factor=lambda row: 1.02 if (row["api"], row["offset"]) in planted else 1.0)
    rows = table(tmp_path, a, b)
    slower = [row for row in rows if row["verdict"] == "SLOWER"]
    found = {(row["api"], int(match[1])) for row in slower if (match := re.search(r"offset=(\d+)", row["case"]))}
    assert found == planted and verdicts(rows) == {"SAME": 197, "SLOWER": 3}
    assert all(float(row["ratio"]) == pytest.approx(1.02, abs=0.003) for row in slower)
    assert verdicts(table(tmp_path, b, a)) == {"FASTER": 3, "SAME": 197}
    # Single cases do not decide.
    capsys.readouterr()
    assert run(a, b, "--fail-on", "slower") == 0
    assert "197 SAME, 3 SLOWER; --markdown and --csv have all." in capsys.readouterr().out


def test_a_slowdown_of_all_cases_of_an_api_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a, b = write(tmp_path / "a", 1), write(tmp_path / "b", 2, factor=lambda row: 1.03 if row["api"] == "vulkan" else 1.0)
    assert run(a, b, "--fail-on", "slower") == 1
    said = capsys.readouterr()
    assert said.err == "compare.py: 1 group became slower\n"
    assert re.search(rf"SLOWER: 1 group of cases\n  \+3\.0 % \[[^]]*\]  {EXP}, Vulkan, cold: 100 cases\nFASTER: no group", said.out)
    assert run(b, a, "--fail-on", "slower") == 0


def test_runs_that_only_one_set_has_count(tmp_path: Path) -> None:
    """Three runs against the same three and three more that take 30 % longer."""
    a, b = write(tmp_path / "a", 1), write(tmp_path / "b", 1)
    for seed in (2, 3):
        write_again(a, seed)
        write_again(b, seed)
    assert run(a, b, "--fail-on", "slower") == 0
    for seed in (4, 5, 6):
        write_again(b, seed, factor=lambda row: 1.3)
    assert run(a, b, "--fail-on", "slower") == 1 and run(b, a, "--fail-on", "slower") == 0


# ------------------------------------------------------------------------------------- what is there on one side only


def test_missing_cases(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a = write(tmp_path / "a")
    rows = [row for row in case_rows() if row["offset"] != 3]
    for row in rows:
        if row["offset"] == 4 and row["api"] == "vulkan":
            row.update(dict.fromkeys(["device_ns", "device_ns_lo", "device_ns_hi", "gbps", "peak_pct"], ""))
            row.update(status="failed", reason="device lost")
    rows += synthetic.twins(EXP, "read_same", 1000, 1000)
    b = write(tmp_path / "b", rows=rows)
    found = table(tmp_path, a, b)
    assert verdicts(found) == {"ONLY IN A": 3, "ONLY IN B": 2, "SAME": 2 * CASES - 3}
    failed = [row for row in found if row["note"]]
    assert len(failed) == 1 and failed[0]["note"] == "failed: device lost" and failed[0]["b_ns"] == ""
    capsys.readouterr()
    assert run(a, b, "--fail-on", "missing") == 1
    said = capsys.readouterr()
    assert "3 cases without a time in B" in said.err and "Not compared: 5 cases (with a time 3 only in A, 2 only in B)." in said.out


# -------------------------------------------------------------------------------------------------- what else changed


def test_cycles_where_the_clocks_differ(tmp_path: Path) -> None:
    # A tenth less clock, a tenth more time: as many cycles.
    rows = table(tmp_path, write(tmp_path / "a", 1), write(tmp_path / "b", 2, factor=lambda row: 1.1, mhz=1800))
    assert verdicts(rows) == {"SLOWER": 2 * CASES}
    assert {row["cycles_verdict"] for row in rows} == {"SAME"} and rows[0]["note"] == "SM clock 1980 -> 1800 MHz"
    assert {row["cycles_verdict"] for row in table(tmp_path, tmp_path / "a", tmp_path / "a")} == {""}
    assert run(tmp_path / "a", tmp_path / "b", "--markdown", str(tmp_path / "page.md")) == 0
    assert "B/A in cycles | in cycles, B is |" in (tmp_path / "page.md").read_text(encoding="utf-8")


def test_other_code_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a = write(tmp_path / "a")
    rows = case_rows()
    for row in rows:
        if row["api"] == "vulkan" and row["offset"] < 5:
            row["isa_hash"] = "b" * 12
        if row["offset"] == 9:
            row["isa_hash"] = ""  # not known is not changed
    b = write(tmp_path / "b", rows=rows)
    found = table(tmp_path, a, b)
    assert sum(row["code_changed"] == "1" for row in found) == 5
    assert verdicts(found) == {"SAME": 2 * CASES}
    capsys.readouterr()
    assert run(a, b, "--fail-on", "code") == 1
    assert "Vulkan: the driver now emits other code for 1 variants (5 cases)." in capsys.readouterr().out


# ------------------------------------------------------------------------------------------------------- bad input, output


def test_hostile_cells(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hostile = '=HYPERLINK("http://x")|<img src=x>\x1b[31m'
    rows = case_rows()[:4] + synthetic.twins(EXP, hostile, 1000, 1100)
    for row in rows:
        row["driver"] = "<script>"
    a, b = write(tmp_path / "a", rows=case_rows()[:4]), write(tmp_path / "b", rows=[])
    text = synthetic.csv_text(EXP, rows)
    (b / f"{EXP}.csv").write_text(text, encoding="utf-8")
    assert run(a, b, "--markdown", str(tmp_path / "page.md")) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    page = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert "<img" not in page and "<script" not in page and "\\|" in page
    found = table(tmp_path, a, b)
    assert [row["case"][:2] for row in found if "HYPERLINK" in row["case"]] == ["'=", "'="]


# ------------------------------------------------------------------------------------------------- which set is which


def without_time(row: dict, **cells: object) -> dict:
    empty = dict.fromkeys(["device_ns", "device_ns_lo", "device_ns_hi", "gbps", "peak_pct", "roundtrip_ns", "submit_ns"], "")
    return {**row, **empty, "status": "skipped", "reason": "one GPU", **cells}


def test_cases_without_a_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    skipped = [without_time(row) if row["offset"] < 10 else row for row in case_rows()]
    a = write(tmp_path / "a", rows=skipped)
    b = write(tmp_path / "b", rows=[row for row in skipped if row["offset"] >= 5])
    found = table(tmp_path, a, b)
    # Ten of them are not in B at all; none of them was measured, so none is missing.
    assert verdicts(found) == {"NO TIME": 20, "SAME": 2 * CASES - 20}
    assert {row["note"] for row in found if row["verdict"] == "NO TIME"} == {"skipped: one GPU"}
    assert run(a, b, "--fail-on", "missing", "--fail-on", "unclear") == 0
    capsys.readouterr()
    assert run(a, a) == 0
    out = capsys.readouterr().out
    assert "Not compared: 20 cases (with a time 20 in neither)." in out and "180 SAME;" in out
    measured = write(tmp_path / "c")
    assert verdicts(table(tmp_path, a, measured)) == {"ONLY IN B": 20, "SAME": 2 * CASES - 20}
    assert verdicts(table(tmp_path, measured, a)) == {"ONLY IN A": 20, "SAME": 2 * CASES - 20}


# ------------------------------------------------------------------------------------------------------------ the terminal


def claim_of(number: int, rows: str) -> str:
    query = f'combine = "twin_ratio"\nmetric = "device_ns"\nwhere = "{rows}"\nreproduced = {{ lo = 0.95, hi = 1.05 }}'
    return synthetic.claim(f"03.{number}", query)


def test_a_column_that_one_set_has_is_newer_and_one_that_neither_has_is_misspelt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / EXP).mkdir()
    (tmp_path / EXP / "claims.toml").write_text(claim_of(1, "variant=read_same hint=2"))
    rows = synthetic.twins(EXP, "read_same", 1000, 1001)
    synthetic.write(tmp_path / "a", EXP, rows)
    monkeypatch.setitem(synthetic.PARAMS, EXP, [*synthetic.PARAMS[EXP], "hint"])
    synthetic.write(tmp_path / "b", EXP, [row | {"hint": 2} for row in rows])
    a, b = comparison.load([tmp_path / "a", tmp_path / "b"])
    assert comparison.conclusions(a, b, tmp_path)[comparison.UNMEASURED] == ["03.1"]
    with pytest.raises(comparison.results.InputError, match="no column 'hint' to choose by"):
        comparison.conclusions(a, a, tmp_path)


def test_conclusions_by_what_both_sets_say_of_a_claim(tmp_path: Path) -> None:
    variants = ["read_same", "read_permuted", "read_offset", "read_soa_x"]
    (tmp_path / EXP).mkdir()
    (tmp_path / EXP / "claims.toml").write_text("".join(claim_of(at, f"variant={name}") for at, name in enumerate(variants, start=1)))

    def results_of(name: str, vulkan_ns: dict[str, float]) -> comparison.Results:
        for at, board in enumerate(letter * 8 for letter in "abcdef"):
            rows = [row for each, ns in vulkan_ns.items() for row in synthetic.twins(EXP, each, 1000, ns + at / 10, gpu_uuid=f"GPU-{board}")]
            synthetic.write(tmp_path / name / "boards" / board / "run1", EXP, rows)
        return comparison.load([tmp_path / name])[0]

    a = results_of("a", {"read_same": 1000, "read_permuted": 1000, "read_offset": 1000})
    b = results_of("b", {"read_same": 1001, "read_permuted": 1300, "read_offset": 1050, "read_soa_x": 1000})
    found = comparison.conclusions(a, b, tmp_path)
    assert found[comparison.AGREE] == ["03.1"] and found[comparison.UNMEASURED] == ["03.4"]
    assert found[comparison.CONTRADICT] == ["03.2 (REPRODUCED, REFUTED)"] and found[comparison.OPEN_IN_B] == ["03.3"]


# ------------------------------------------------------------------------------------------------------------- processes


# Columns of origin in the form that programs write: conftest.py spares only its own process the check.
FORMED = {"gpu_uuid": f"GPU-{uuid.UUID(int=1)}", "driver": "580.159.04", "git_rev": "0" * 12}


def process(*arguments: object, **options: object) -> subprocess.Popen:
    command = [sys.executable, "-B", str(Path(compare.__file__)), *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


def test_a_reader_that_goes_away(tmp_path: Path) -> None:
    a, b = write(tmp_path / "a", 1, case_rows(**FORMED)), write(tmp_path / "b", 2, case_rows(**FORMED), factor=lambda row: 2.0)
    started = process(a, b, "--markdown", "-")
    started.stdout.close()
    assert started.wait(timeout=60) == 1 and started.stderr.read() == b""
    started.stderr.close()


# -------------------------------------------------------------------------------------------------------- sets of several runs


def board_runs(folder: Path, factor: float = 1.0, runs: int = 3, mhz: float = 1980, boards: str = "ab") -> Path:
    """So many runs of each board; `factor` of the times of offset 7. A board's are 5 % slower than those of the one before."""
    for board in (letter * 8 for letter in boards):
        for number in range(1, runs + 1):
            rows = [
                row
                for offset in (7, 8)
                for row in synthetic.twins(
                    EXP, "read_offset", *(ns * (1 + number / 10_000) * 1.05 ** ord(board[0]) * (factor if offset == 7 else 1) for ns in (1000, 1010)),
                    offset=offset, gpu_uuid=board, sm_mhz=mhz,
                )  # fmt: skip
            ]
            synthetic.write(folder / "boards" / board / f"run{number}", EXP, rows)
    return folder


@pytest.mark.real_least_runs
def test_boards_of_both_sets_are_compared_with_themselves(tmp_path: Path) -> None:
    a, b = board_runs(tmp_path / "a"), board_runs(tmp_path / "b", 1.05)
    rows = table(tmp_path, a, b)
    # The boards differ by 5 %, and each is compared with itself.
    assert verdicts(rows) == {"SAME": 2, "SLOWER": 2}
    slower = [[float(row[name]) for name in ("ratio_lo", "ratio", "ratio_hi")] for row in rows if row["verdict"] == "SLOWER"]
    assert slower[0] == [pytest.approx(each, abs=1e-4) for each in (1.0499, 1.05, 1.0501)]
    for row in table(tmp_path, a, board_runs(tmp_path / "c", boards="ef")):
        assert float(row["ratio"]) == pytest.approx(1.2155, abs=1e-4) and float(row["ratio_lo"]) < 1.15 and float(row["ratio_hi"]) > 1.28
    cycles = [float(row["cycles_ratio"]) for row in table(tmp_path, a, board_runs(tmp_path / "slow", 1.05, mhz=1000)) if row["cycles_ratio"]]
    assert max(cycles) == pytest.approx(0.5303, abs=1e-4)


@pytest.mark.real_least_runs
def test_single_runs_decide_what_a_class_does_not_differ_by(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a = write(tmp_path / "a", 1)
    assert compare.main([str(a), str(write(tmp_path / "b", 2, factor=lambda _: 1.3))]) == 0
    assert "SLOWER: 2 groups of cases" in (out := capsys.readouterr().out) and "200 SLOWER;" in out
    assert not {"SLOWER", "FASTER"} & verdicts(table(tmp_path, a, write(tmp_path / "c", 3))).keys()
