"""exp01's ruler: what the stamps add to a kernel of known length, against hand-computed values."""

from __future__ import annotations

from pathlib import Path

import pytest
import synthetic
from analyses import module, rendered, study
from benchlib.base.programs import CONTROLS
from benchlib.document import plots

EXP01 = "exp01_vector_add"
ANALYSIS = module(EXP01)
OF_RULER = ["own_ns", "outside_ns", "gap_ns", "clock_step_ns"]


@pytest.fixture
def ruled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A kernel of 1 µs takes 1.1 by its own clock; CUDA's stamps add 1.3 µs, Vulkan's 1.9; 0.8 and 0.9 between launches."""
    monkeypatch.setitem(synthetic.MEASURED, EXP01, OF_RULER)
    rows = synthetic.exp01_rows()
    for api, added, gap in (("cuda", 1300.0, 800.0), ("vulkan", 1900.0, 900.0)):
        cells = {"elements": 1000, "block": 32, "gbps": "", "useful_bytes": "", "own_ns": 1100, "clock_step_ns": 32}
        rows.append(synthetic.row(EXP01, "ruler", api, 1100 + added, **cells, chain=1, outside_ns=added))
        rows.append(synthetic.row(EXP01, "ruler", api, 1100 + gap, **cells, chain=16, outside_ns=added, gap_ns=gap))
        rows.append(synthetic.row(EXP01, "ruler_full", api, 1500 + added, **cells | {"own_ns": 1500}, chain=1, outside_ns=added))
    synthetic.write(tmp_path, EXP01, rows)
    return tmp_path


def test_the_table_has_what_the_stamps_add(ruled: Path) -> None:
    found = study(ruled)
    lines = rendered(ANALYSIS.ruler(found, found.tables[EXP01])).splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")][2:]
    assert rows == [
        ["1", "one", "1", "1.100", "–", "1.300", "1.100", "–", "1.900"],
        ["1", "one", "16", "1.100", "0.8000", "1.300", "1.100", "0.9000", "1.900"],
        ["1", "one for each SM", "1", "1.500", "–", "1.300", "1.500", "–", "1.900"],
    ]
    assert "The clock's least step: CUDA 32.00 ns, Vulkan 32.00 ns." in lines


def test_the_figure_has_both_shapes_and_apis(ruled: Path) -> None:
    found = study(ruled)
    panels = plots.shown(ANALYSIS.ruler_chart(found, found.tables[EXP01]))
    drawn = [(panel.title, [[(point.x, point.y) for point in series.points] for series in panel.series]) for panel in panels]
    assert drawn == [(title, [[(1.0, pytest.approx(1.3))], [(1.0, pytest.approx(1.9))]]) for title in ("one block", "a block for each SM")]


def test_without_rows_there_is_neither(tmp_path: Path) -> None:
    synthetic.write(tmp_path, EXP01, synthetic.exp01_rows())
    found = study(tmp_path)
    assert "1.3" not in rendered(ANALYSIS.ruler(found, found.tables[EXP01]))
    assert plots.shown(ANALYSIS.ruler_chart(found, found.tables[EXP01])) == []


def test_a_ruler_is_no_comparison_of_the_apis() -> None:
    assert {"ruler", "ruler_full"} <= set(CONTROLS)
