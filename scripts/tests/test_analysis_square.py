"""exp04's square of code and launch, its shares by GPC, the axis of bounds checks, and exp05's windows."""

from pathlib import Path

import pytest
import synthetic
from analyses import module, rendered, study
from benchlib import counters_file, stats
from benchlib.analysis import Study
from benchlib.document import NO_RESULTS
from benchlib.stats import Figure

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
    assert cells[6].startswith(f"{CODE * CHECKS * LAUNCH * BOTH:.4f}"[:6]) and cells[7] == "SLOWER"
    assert cells[8].startswith(f"{CODE * LAUNCH * BOTH:.4f}"[:6])


def test_older_results_have_no_rows_without_checks(tmp_path, monkeypatch):
    monkeypatch.setitem(synthetic.PARAMS, EXP04, ["block", "feature", "memory"])
    rows = [{column: value for column, value in row.items() if column not in ("checks", "shared_bytes")} for row in square_rows()]
    rows = rows[:2] + rows[4:10] + rows[12:]
    (one,) = ANALYSIS.squares(written(tmp_path, rows).tables[EXP04])
    assert one.launch(ANALYSIS.CHECKED_CODE) and not one.launch(ANALYSIS.UNCHECKED_CODE), "not those of the driver's default in their place"
    assert ANALYSIS.checks(study(tmp_path), one.table) == [NO_RESULTS]


def test_shares_of_gpcs():
    assert ANALYSIS.shares_of_gpcs([90, 91, 110, 109], [0, 1, 1, 0]) == {0: [0.9, 1.09], 1: [0.91, 1.1]}
    assert ANALYSIS.shares_of_gpcs([90, 91], [0, 1, 1, 0]) == {}, "of other SMs"
    assert ANALYSIS.shares_of_gpcs([], []) == {}


def test_the_gpcs_table_joins_the_sms_with_their_sets(tmp_path):
    members = synthetic.row(EXP04, "gpc_members", "cuda", 20_000, feature="none", memory="own", elements=256, gpc_by_sm="0 0 1 1 2")
    share = synthetic.twins(EXP04, "write_share", 50_000, 55_000, feature="none", memory="own")
    for row, blocks in zip(share, ("100 100 100 100 100", "90 92 112 110 96")):
        row["blocks_by_sm"] = blocks
    text = rendered(ANALYSIS.gpcs(written(tmp_path, [members, *share]), study(tmp_path).tables[EXP04]))
    assert "| CUDA | – | 2 SMs 1.000 | 2 SMs 1.000 | 1 SMs 1.000 |" in text
    assert "| Vulkan | – | 2 SMs 0.910 | 2 SMs 1.110 | 1 SMs 0.960 |" in text


def test_the_shares_of_the_halves_are_each_runs_own(tmp_path):
    rows = synthetic.twins(EXP04, "write_share", 50_000, 55_000, feature="none", memory="own", sm_blocks_min=1)
    for row, blocks in zip(rows, ("100 100 100 100", "110 110 90 90")):
        row["blocks_by_sm"] = blocks
    found = written(tmp_path / "none", rows)
    assert rendered(ANALYSIS.shares(found, found.tables[EXP04])).count("| – |\n") == 2, "no run knows the halves"
    found = written(tmp_path / "halves", [*rows, *(row | {"half_by_sm": "0 0 1 1"} for row in home_rows())])
    text = rendered(ANALYSIS.shares(found, found.tables[EXP04]))
    assert "| 50.0 to 50.0 (1) |" in text and "| 55.0 to 55.0 (1) |" in text


def test_runs_that_favour_either_half_are_told_apart():
    assert ANALYSIS._ranges_text([54.0, 46.0, 46.8, 53.5, 50.0]) == "46.0 to 46.8 (2); 50.0 to 50.0 (1); 53.5 to 54.0 (2)"
    assert ANALYSIS._ranges_text([]) == "–"


def home_rows(**more: object) -> list[dict]:
    """Vulkan's stores from half 1 take 5 % longer, whichever the home; SM 3 is of another half there."""
    rows = []
    for half in ANALYSIS.SIDES:
        for home in ANALYSIS.SIDES:
            cells = {"feature": ANALYSIS.home_feature(half, home), "memory": "own", "elements": 1 << 26, "bytes_per_element": 4}
            cells |= {"half_sms": 4 if half == "both" else 2, "home_share": 1.0 if home == "both" else 0.5, "near_cycles": 212, "far_cycles": 301, **more}
            cuda, vulkan = synthetic.twins(EXP04, "home_store", 100_000, 105_000 if half == "1" else 100_000, **cells)
            rows += [cuda | {"half_by_sm": "0 1 0 1"}, vulkan | {"half_by_sm": "0 1 0 0"}]
    return rows


def test_half_of_the_sms_against_half_of_the_addresses(tmp_path):
    found = written(tmp_path, home_rows())
    text = rendered(ANALYSIS.homes(found, found.tables[EXP04]))
    assert "| stores | memory | 0 | 0 | 2 | 0.500 | 2684 [2682, 2687] | 212 / 301 | 2 | 0.500 | 2684 [2682, 2687] | 212 / 301 | 1.0000 [" in text
    assert "| stores | memory | 1 | 0 | 2 | 0.500 | 2684 [2682, 2687] | 212 / 301 | 2 | 0.500 | 2557 [2554, 2559] | 212 / 301 | 1.0500 [" in text
    assert "| stores | memory | both | both | 4 | 1.000 |" in text
    assert rendered(ANALYSIS.causes(found, found.tables[EXP04])).startswith("No results"), "of the launch, no cause of a gap"


def test_the_halves_of_the_gpcs(tmp_path):
    members = synthetic.row(EXP04, "gpc_members", "cuda", 20_000, feature="none", memory="own", elements=256, gpc_by_sm="0 1 0 1")
    text = rendered(ANALYSIS.halves_of_gpcs(written(tmp_path, [members, *home_rows()]), study(tmp_path).tables[EXP04]))
    assert "| CUDA | – | 2 + 0 | 0 + 2 |" in text and "| Vulkan | – | 2 + 0 | 1 + 1 |" in text


def test_what_claims_ask_of_the_halves(tmp_path):
    table = written(tmp_path, home_rows()).tables[EXP04]
    assert list(ANALYSIS.home_share(table).values()) == [0.5, 0.5]
    assert list(ANALYSIS.halves_alike(table).values()) == [0.75]
    assert {case["feature"]: ratio for case, ratio in ANALYSIS.slow_half(table).items()} == {
        "half_0_home_0": pytest.approx(1.05), "half_0_home_1": pytest.approx(1.05),
    }  # fmt: skip
    shared = [row | {"memory": "from_cuda"} for row in home_rows(home_by_granule="0 1 1 0")[-2:]]
    shared[1]["home_by_granule"] = "1 1 0 0"
    both = written(tmp_path / "shared", [*home_rows(), *shared]).tables[EXP04]
    assert list(ANALYSIS.homes_alike(both).values()) == [0.5] and ANALYSIS.homes_alike(table) == {}
    some = written(tmp_path / "some", home_rows()[:4]).tables[EXP04]
    assert ANALYSIS.slow_half(some) == {} and ANALYSIS.halves_alike(some) == {}, "not all there"


def test_shared_memory_that_a_launch_cannot_have_says_why(tmp_path):
    rows = synthetic.twins(EXP04, "shared_u32", 40_000, 41_000, feature="vulkan_runs_cuda_code", memory="own", shared_bytes=101376)
    more = synthetic.twins(EXP04, "shared_u32", 50_000, None, feature="none", memory="own", shared_bytes=232448)
    more[1] |= {"status": "skipped", "reason": "wants 232448 bytes"}
    text = rendered(ANALYSIS.shared_memory(written(tmp_path, rows + more), study(tmp_path).tables[EXP04]))
    assert "| CUDA's machine code itself | 99 | 40.00 | 41.00 |" in text
    assert "| 227 | 50.00 | skipped: wants 232448 bytes |" in text


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
    asked = 100 * 256 * 16  # words: 100 blocks of 256 threads, 16 turns
    cells = {"grid": 100, "elem_bytes": 4, "stride": 8, "elements": 1 << 16, "block": 256, "load_sectors": 32, "cache": "warm", "peak_pct": ""}
    rows = [row | {"useful_bytes": 4 * (asked + 100 * 256)} for row in synthetic.twins(EXP05, "read_window", 1e5, 1e5, **cells)]
    found = written(tmp_path, rows, EXP05)
    table = found.tables[EXP05]
    (case, *_) = table.select({"variant": "read_window", "api": "cuda"})
    assert case.elements / table.warp_elements(case) == pytest.approx(asked / 32), "warps' loads in a launch"


def test_a_product_has_the_interval_of_a_ratio():
    a, b = Figure(2.0, 1.9, 2.2, 3), Figure(4.0, 3.8, 4.1, 2)
    assert stats.product([(a, 1), (b, -1)]) == pytest.approx(stats.ratio(a, b))
    half = stats.product([(a, 0.5)])
    assert (half.value, half.lo, half.hi, half.runs) == pytest.approx((2**0.5, 1.9**0.5, 2.2**0.5, 3))
    assert stats.product([(a, 1), (Figure(0.0), 1)]) is None
    assert stats.product([(a, 1), (Figure(3.0), 1)]) == Figure(pytest.approx(6.0), runs=1), "no interval where one has none"
