"""exp04's square of code and launch, the axis of bounds checks, and exp05's windows."""

from pathlib import Path

import pytest
import synthetic
from analyses import module, rendered, study
from benchlib.results import counters_file
from benchlib.stats import stats
from benchlib.model.analysis import Study
from benchlib.document.document import NO_RESULTS
from benchlib.stats.stats import Figure

EXP04, EXP05 = "exp04_bda", "exp05_strided"
ANALYSIS = module(EXP04)
# Microseconds of a launch by CUDA, by Vulkan: the code takes 4 % more, its checks 10 %, Vulkan's launch 5 %, and 2 % more of its own code.
CODE, CHECKS, LAUNCH, BOTH = 1.04, 1.1, 1.05, 1.02
BASE = 100_000.0


def square_rows() -> list[dict]:
    rows: list[dict] = []

    def add(feature: str, cuda: float, vulkan: float, drift: float = 1.0, **cells: object) -> None:
        cells = {"feature": feature, "memory": "own", **cells}
        rows.extend(synthetic.twins(EXP04, "copy_f32", BASE * cuda * drift, BASE * vulkan * drift, **cells))

    own_launch = LAUNCH * BOTH
    add("none", 1, CODE * CHECKS * own_launch)
    add("none", 1, CODE * own_launch, 1.01, checks="off")
    add("vulkan_address", 1, CODE * own_launch, 0.99)
    add("vulkan_runs_cuda_code", 1, LAUNCH, 1.02)
    add("cuda_runs_vulkan_code", CODE * CHECKS, CODE * CHECKS * own_launch, 0.98)
    add("cuda_runs_vulkan_code", CODE, CODE * own_launch, 1.03, checks="off")
    add("cuda_runs_vulkan_address_code", CODE, CODE * own_launch)
    return rows


def written(folder: Path, rows: list[dict], experiment: str = EXP04) -> Study:
    synthetic.write(folder, experiment, rows)
    return study(folder)


def test_the_gap_is_the_product_of_code_checks_and_launch(tmp_path):
    table = written(tmp_path, square_rows()).tables[EXP04]
    (one,) = ANALYSIS.squares(table)
    launch = one.launch(ANALYSIS.CHECKED_CODE)
    assert launch.value == pytest.approx(LAUNCH * BOTH)
    assert one.launch(ANALYSIS.NVCC_CODE).value == pytest.approx(LAUNCH)
    # The part of the launch that only the code's own launch shows is shared between code and launch.
    assert one.code(ANALYSIS.UNCHECKED_CODE).value == pytest.approx(CODE * BOTH**0.5)
    text = rendered(ANALYSIS.split(study(tmp_path), table))
    row = next(line for line in text.splitlines() if line.startswith("| copy_f32"))
    shown = [float(cell.split("[")[0]) for cell in row.split("|")[5:-1]]
    gap, code, checks, by_launch, both = shown[:5]
    assert (code, checks, by_launch, both) == pytest.approx((CODE * BOTH**0.5, CHECKS, LAUNCH * BOTH**0.5, BOTH), abs=2e-4)
    assert code * checks * by_launch == pytest.approx(gap, abs=3e-4), "whatever the clock did between two cases"
    assert shown[5] == pytest.approx(shown[6] * shown[7], abs=2e-4)


def test_the_slices_show_whose_stores_are_uneven(tmp_path):
    rows = [
        *synthetic.twins(EXP04, "write_u32x4", BASE, BASE, feature="none", memory="own", block=256),
        *synthetic.twins(EXP04, "load_f32", BASE, BASE, feature="none", memory="own", block=256),
    ]
    counted = [synthetic.slice_counts(row, 100 if row["api"] == "cuda" else 110) for row in rows if row["variant"] == "write_u32x4"]
    synthetic.write(tmp_path, EXP04, rows)
    (tmp_path / "counters.csv").write_text(counters_file.csv_text(counted), encoding="utf-8")
    found = study(tmp_path)
    lines = rendered(ANALYSIS.slices(found, found.tables[EXP04])).splitlines()
    assert lines[2] == "| write_u32x4 | nothing: the twins as they are | – | 1.500 | 1.000 | 1.500 | 1.100 |"
    assert not any("load_f32" in line for line in lines), "what was not counted has no row"
    (tmp_path / "counters.csv").unlink()
    again = study(tmp_path)
    assert ANALYSIS.slices(again, again.tables[EXP04]) == [NO_RESULTS]


def test_a_cell_that_was_not_measured_is_a_dash(tmp_path):
    rows = [row for row in square_rows() if row["feature"] != "vulkan_runs_cuda_code"]
    table = written(tmp_path, rows).tables[EXP04]
    line = next(line for line in rendered(ANALYSIS.square(study(tmp_path), table)).splitlines() if line.startswith("| copy_f32"))
    cells = [cell.strip() for cell in line.split("|")[5:-1]]
    assert cells[1:3] == ["–", "–"], "CUDA's code, launched by Vulkan, and its ratio"
    assert "–" not in cells[3:]
    split = next(line for line in rendered(ANALYSIS.split(study(tmp_path), table)).splitlines() if line.startswith("| copy_f32"))
    assert split.split("|")[6].strip() == "–", "the code's part wants Vulkan's launch of CUDA's code, too"


def test_rows_without_checks_stand_in_their_own_tables_alone(tmp_path):
    found = written(tmp_path, square_rows())
    table = found.tables[EXP04]
    assert {case["checks"] for case in table.select({"feature": "none"})} == {""}
    assert {case["checks"] for case in table.select({"feature": "none", "checks": "off"})} == {"off"}
    assert len(table.select({"feature": "none", "checks": ["", "off"]})) == 4
    line = next(line for line in rendered(ANALYSIS.checks(found, table)).splitlines() if line.startswith("| copy_f32"))
    cells = [cell.strip() for cell in line.split("|")]
    assert cells[6].startswith(f"{CODE * CHECKS * LAUNCH * BOTH:.4f}"[:6]) and cells[7] == "SLOWER, in 1 of 1 runs"
    assert cells[8].startswith(f"{CODE * LAUNCH * BOTH:.4f}"[:6])


def test_older_results_have_no_rows_without_checks(tmp_path, monkeypatch):
    monkeypatch.setitem(synthetic.PARAMS, EXP04, ["block", "feature", "memory"])
    rows = [{column: value for column, value in row.items() if column not in ("checks", "shared_bytes")} for row in square_rows()]
    rows = rows[:2] + rows[4:10] + rows[12:]
    (one,) = ANALYSIS.squares(written(tmp_path, rows).tables[EXP04])
    assert one.launch(ANALYSIS.CHECKED_CODE) and not one.launch(ANALYSIS.UNCHECKED_CODE), "not those of the driver's default in their place"
    assert ANALYSIS.checks(study(tmp_path), one.table) == [NO_RESULTS]


def test_windows_end_where_the_rate_falls(tmp_path):
    rows = []
    for mib, gbps in ((4, 600), (24, 590), (48, 300)):
        sized = {"grid": 1056, "elem_bytes": 4, "stride": 8, "elements": mib << 18, "cache": "warm", "peak_pct": ""}
        for row in synthetic.twins(EXP05, "read_window", 100_000, 100_000, **sized):
            vulkan_more = row["api"] == "vulkan" and mib == 48
            rows.append(row | {"gbps": 595 if vulkan_more else gbps})
    found = written(tmp_path, rows, EXP05)
    text = rendered(module(EXP05).windows(found, found.tables[EXP05]))
    assert "CUDA 32 bytes apart 24 MiB, Vulkan 32 bytes apart 48 MiB" in text
    assert "| 32 | 24.00 | 24.00 | 4720 | 4720 |" in text


def test_a_window_is_asked_for_again_and_again(tmp_path):
    requested = 100 * 256 * 16  # words: 100 blocks of 256 threads, 16 turns
    cells = {"grid": 100, "elem_bytes": 4, "stride": 8, "elements": 1 << 16, "block": 256, "load_sectors": 32, "cache": "warm", "peak_pct": ""}
    rows = [row | {"useful_bytes": 4 * (requested + 100 * 256)} for row in synthetic.twins(EXP05, "read_window", 1e5, 1e5, **cells)]
    found = written(tmp_path, rows, EXP05)
    table = found.tables[EXP05]
    (case, *_) = table.select({"variant": "read_window", "api": "cuda"})
    assert case.elements / table.warp_elements(case) == pytest.approx(requested / 32), "warps' loads in a launch"


def test_a_product_has_the_interval_of_a_ratio():
    a, b = Figure(2.0, 1.9, 2.2, 3), Figure(4.0, 3.8, 4.1, 2)
    assert stats.product([(a, 1), (b, -1)]) == pytest.approx(stats.ratio(a, b))
    half = stats.product([(a, 0.5)])
    assert (half.value, half.lo, half.hi, half.runs) == pytest.approx((2**0.5, 1.9**0.5, 2.2**0.5, 3))
    assert stats.product([(a, 1), (Figure(0.0), 1)]) is None
    assert stats.product([(a, 1), (Figure(3.0), 1)]) == Figure(pytest.approx(6.0), runs=1), "no interval where one has none"
