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


