"""Output that Nsight Compute 2025.3 really gave on an H200, trimmed to some columns and launches: 1056 elements, 33 warps."""

from __future__ import annotations

from pathlib import Path

import pytest

import counters
from benchlib.counters import ncu

FIXTURES = Path(__file__).resolve().parent / "fixtures"
EXP03 = "exp03_memory_coalescing"
METRICS = list(counters.METRICS.values())
RECORDED = (FIXTURES / "ncu_2025_3_h200_exp03.out").read_text(encoding="utf-8")
UNKNOWN = (FIXTURES / "ncu_2025_3_h200_unknown_metric.out").read_text(encoding="utf-8")
ASKED_COLUMNS = ("load_requests", "load_sectors", "load_efficiency_pct", "dram_read_bytes", "l2_bytes")
ASKED = [counters.METRICS[name] for name in ASKED_COLUMNS]
ORIGIN = {"gpu": "NVIDIA H200", "gpu_uuid": "c4ce", "instrument_version": "2025.3.1.0"}


def rows(text: str) -> dict[tuple[str, str], dict[str, str]]:
    found, remarks = counters.rows_of(ncu.read(text, METRICS), EXP03, ORIGIN)
    assert not remarks
    return {(row["variant"], row.get("offset", "")): row for row in found}


def test_names_are_those_of_the_cases() -> None:
    assert list(rows(RECORDED)) == [
        ("read_aos_x", ""), ("read_soa_x", ""), ("read_same", ""),
        ("read_offset", "0"), ("read_offset", "1"), ("read_offset", "8"),
    ]  # fmt: skip
    row = rows(RECORDED)["read_offset", "8"]
    assert (row["block"], row["elements"], row["cache"]) == ("256", "1056", "warm")


@pytest.mark.parametrize(
    ("variant", "offset", "sectors", "efficiency"),
    # 33 warps. Offset 1: 32 warps of 5 sectors, and the last, a lane shorter, of 4. Offset 8: the last has 24 lanes, 3 sectors.
    [("read_aos_x", "", 33 * 16, "25"), ("read_soa_x", "", 33 * 4, "100"), ("read_same", "", 33, "12.5"),
     ("read_offset", "0", 33 * 4, "100"), ("read_offset", "1", 32 * 5 + 4, None), ("read_offset", "8", 32 * 4 + 3, "100")],
)  # fmt: skip
def test_counts(variant: str, offset: str, sectors: int, efficiency: str | None) -> None:
    row = rows(RECORDED)[variant, offset]
    assert (row["load_requests"], row["load_sectors"]) == ("33", str(sectors))
    assert float(row["load_sectors_per_request"]) == pytest.approx(sectors / 33, rel=1e-5)
    assert efficiency is None or row["load_efficiency_pct"] == efficiency
    assert (row["launch_grid"], row["launch_block"]) == ("5", "256")


def test_a_metric_that_ncu_leaves_out_is_missing() -> None:
    """ncu drops an unknown metric's column, says nothing, and ends with 0."""
    missing = counters.METRICS["load_efficiency_pct"]
    profile = ncu.read(UNKNOWN, ASKED)
    assert profile.missing == [missing] and len(profile.launches) == 3
    assert ncu.read(RECORDED, ASKED).missing == []
    assert rows(UNKNOWN)["read_offset", "1"]["load_efficiency_pct"] == ""
    assert rows(UNKNOWN)["read_offset", "1"]["load_sectors"] == "164"


def test_nothing_of_the_machine_is_in_the_recordings() -> None:
    for text in (RECORDED, UNKNOWN):
        assert "/opt/suite/bin/exp03_memory_coalescing" in text and "process 1234" in text
        assert text.count("/") > 3 and "/home" not in text and "/root" not in text and "/tmp" not in text
