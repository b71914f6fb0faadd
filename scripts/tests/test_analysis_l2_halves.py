"""exp10's shares by GPC, and each half of the SMs against each home of the addresses."""

from pathlib import Path

import pytest
import synthetic
from analyses import module, rendered, study
from benchlib.model.analysis import Study

EXP10 = "exp10_l2_halves"
ANALYSIS = module(EXP10)


def written(folder: Path, rows: list[dict]) -> Study:
    synthetic.write(folder, EXP10, rows)
    return study(folder)


def test_shares_of_gpcs():
    assert ANALYSIS.shares_of_gpcs([90, 91, 110, 109], [0, 1, 1, 0]) == {0: [0.9, 1.09], 1: [0.91, 1.1]}
    assert ANALYSIS.shares_of_gpcs([90, 91], [0, 1, 1, 0]) == {}, "of other SMs"
    assert ANALYSIS.shares_of_gpcs([], []) == {}


def test_the_shares_of_the_halves_are_each_runs_own(tmp_path):
    rows = synthetic.twins(EXP10, "write_share", 50_000, 55_000, feature="none", memory="own", sm_blocks_min=1)
    for row, blocks in zip(rows, ("100 100 100 100", "110 110 90 90")):
        row["blocks_by_sm"] = blocks
    found = written(tmp_path / "none", rows)
    assert rendered(ANALYSIS.shares(found, found.tables[EXP10])).count("| – |\n") == 2, "no run knows the halves"
    found = written(tmp_path / "halves", [*rows, *(row | {"half_by_sm": "0 0 1 1"} for row in home_rows())])
    text = rendered(ANALYSIS.shares(found, found.tables[EXP10]))
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
            cuda, vulkan = synthetic.twins(EXP10, "home_store", 100_000, 105_000 if half == "1" else 100_000, **cells)
            rows += [cuda | {"half_by_sm": "0 1 0 1"}, vulkan | {"half_by_sm": "0 1 0 0"}]
    return rows


def test_what_claims_ask_of_the_halves(tmp_path):
    table = written(tmp_path, home_rows()).tables[EXP10]
    assert list(ANALYSIS.home_share(table).values()) == [0.5, 0.5]
    assert list(ANALYSIS.halves_alike(table).values()) == [0.75]
    assert {case["feature"]: ratio for case, ratio in ANALYSIS.slow_half(table).items()} == {
        "half_0_home_0": pytest.approx(1.05), "half_0_home_1": pytest.approx(1.05),
    }  # fmt: skip
    shared = [row | {"memory": "from_cuda"} for row in home_rows(home_by_granule="0 1 1 0")[-2:]]
    shared[1]["home_by_granule"] = "1 1 0 0"
    both = written(tmp_path / "shared", [*home_rows(), *shared]).tables[EXP10]
    assert list(ANALYSIS.homes_alike(both).values()) == [0.5] and ANALYSIS.homes_alike(table) == {}
    some = written(tmp_path / "some", home_rows()[:4]).tables[EXP10]
    assert ANALYSIS.slow_half(some) == {} and ANALYSIS.halves_alike(some) == {}, "not all there"
