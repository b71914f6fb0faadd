"""How far runs agree, by class; and that intervals are tried on boards that they have not seen."""

from __future__ import annotations

from pathlib import Path

import pytest
import synthetic
from benchlib.document import markdown
from benchlib.fleet import repeatability
from benchlib.results import results
from benchlib.model.analysis import Analysis, Study
from benchlib.tables.claim_tables import pair_verdicts
from benchlib.tables.repeatability import blocks

EXP = "exp03_memory_coalescing"
CUDA_NS = 100_000.0


def board(folder: Path, name: str, ratios: list[float], ns: float = CUDA_NS) -> None:
    for number, ratio in enumerate(ratios, start=1):
        rows = synthetic.twins(EXP, "read_offset", ns, ns * ratio, gpu_uuid=name, half_width=0.002)
        synthetic.write(folder / "boards" / name / f"run{number}", EXP, rows)


def cold(folder: Path) -> repeatability.CaseClass:
    return repeatability.kinds(results.load(folder))["cold"]


def test_boards_alike(tmp_path: Path) -> None:
    for name, ratios in {"a": [1.00, 1.01], "b": [1.01, 1.00], "c": [1.00, 1.01], "d": [1.01, 1.00]}.items():
        board(tmp_path, name, ratios)
    kind = cold(tmp_path)
    assert (kind.ratios, kind.further.tried, kind.further.failed, kind.means.failed) == (1, 8, 0, 0)
    # MOVER of two half widths of 0.2 %.
    assert kind.inside == pytest.approx([0.00283] * 8, rel=0.02)
    # Of two values a distance d apart the variance is d^2 / 2; the boards' means are equal.
    assert kind.runs == pytest.approx([0.00995**2 / 2] * 4, rel=0.01) and kind.boards == pytest.approx([0], abs=1e-9)


def test_one_board_stands_out(tmp_path: Path) -> None:
    for name, ratios in {"a": [1.000, 1.001], "b": [1.001, 1.000], "c": [1.000, 1.001], "d": [1.050, 1.051]}.items():
        board(tmp_path, name, ratios)
    kind = cold(tmp_path)
    # d's two runs lie outside of what the others give; with d among the others, the interval is wide enough for any.
    assert (kind.further.tried, kind.further.failed) == (8, 2) and (kind.means.tried, kind.means.failed) == (4, 1)
    # Without d the pair is the SAME, which d contradicts.
    assert (kind.verdicts.tried, kind.verdicts.failed) == (1, 1)
    # CUDA's times are alike on all boards.
    assert (kind.times.tried, kind.times.failed) == (16, 2)
    assert "| cold | 1 | 0.28 | 0.07 | 2." in markdown.render(blocks(results.load(tmp_path)))


def test_a_board_whose_two_sides_are_slower_alike(tmp_path: Path) -> None:
    """No ratio shows it; its times do."""
    for name, ns in {"a": CUDA_NS, "b": CUDA_NS * 1.001, "c": CUDA_NS, "d": CUDA_NS * 1.1}.items():
        board(tmp_path, name, [1.000, 1.001], ns)
    kind = cold(tmp_path)
    assert (kind.further.failed, kind.times.failed) == (0, 4)


def test_times_that_are_no_figure_of_merit_get_no_verdict(tmp_path: Path) -> None:
    for name in "ab":
        board(tmp_path, name, [1.5, 1.5])
    counted = {}
    for compares in (True, False):
        study = Study.of(results.load(tmp_path), {EXP: Analysis(compares_times=compares)})
        counted[compares] = sum(kind.ratios for kind in repeatability.kinds(study).values()), pair_verdicts(study.tables[EXP])
    assert counted == {True: (1, {"SLOWER": 1}), False: (0, {})}
