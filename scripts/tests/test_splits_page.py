"""What a split of the boards does is said: to stamps, to short cold samples, to verdicts."""

from __future__ import annotations

from pathlib import Path

import synthetic
from benchlib.document import markdown
from benchlib.model.analysis import Study
from benchlib.pages import splits_page
from benchlib.results import results
from benchlib.stats.populations import Populations

EXP = "exp01_vector_add"


def test_both_verdicts_are_said(tmp_path: Path) -> None:
    sides = {1.0: "abc", 1.05: "def"}
    for factor, boards in sides.items():
        for board in boards:
            rows = synthetic.twins(EXP, "copy_f32", 100_000, 100_000 * factor, gpu_uuid=board)
            rows += synthetic.twins(EXP, "add_f32", 100_000, 110_000, gpu_uuid=board)
            rows += synthetic.twins(EXP, "stamp_pair", 1300 * factor**10, 1900, gpu_uuid=board, elements=0, block="", useful_bytes="", gbps="")
            synthetic.write(tmp_path / f"boards/{board}/run1", EXP, rows)
    split = Populations(frozenset("abc"), frozenset("def"))
    text = markdown.render(splits_page.blocks(Study.of(results.load(tmp_path), {}), [split], []), markdown.Place("", None))
    assert "First: a, b, c. Second: d, e, f. An empty pair of stamps (`stamp_pair`) reads CUDA 1.30 against 2.12 µs, Vulkan 1.90 against 1.90 µs." in text
    assert "under 500 µs, is +2.50 % on the second (2 pairs, median)." in text and "1 of 2." in text
    row = next(line for line in text.splitlines() if line.startswith("| exp01_vector_add | copy_f32 "))
    assert "| UNCLEAR | 1.0000 [" in row and "| SAME | 1.0500 [" in row and row.endswith("| SLOWER |")
    assert "| add_f32 " not in text


def test_boards_of_neither_side_and_those_measured_at_once_are_said(tmp_path: Path) -> None:
    hosts = {"a": "h1", "b": "h1", "c": "h1", "d": "h2", "e": ""}
    hours = {"a": 1, "b": 1, "c": 2, "d": 1, "e": 1}
    for board, host in hosts.items():
        rows = synthetic.twins(EXP, "copy_f32", 100, 100, gpu_uuid=board, started_at=f"2026-11-21T0{hours[board]}:00:00Z")
        synthetic.write(tmp_path / f"boards/{board}/run1", EXP, rows)
        if host:
            (tmp_path / f"boards/{board}/board.csv").write_text(f"when,host,throttle_reasons\nbefore,{host},\n")
    study = Study.of(results.load(tmp_path), {})
    assert splits_page.at_once(study) == [["a", "b"]]
    split = Populations(frozenset("ab"), frozenset("cd"))
    text = markdown.render(splits_page.blocks(study, [split], [{"a": 0.0, "e": 0.0}, {"a": 0.0}]), markdown.Place("", None))
    assert "In neither, for want of cases that tell the two apart: e (of 1 cases)." in text
    assert "Measured at once, on one host: a and b." in text and splits_page.RULE in text


def test_nothing_without_a_split(tmp_path: Path) -> None:
    synthetic.write(tmp_path, EXP, synthetic.exp01_rows())
    assert splits_page.blocks(Study.of(results.load(tmp_path), {}), [], []) == []
