"""exp06_async_copy's tables and claims, from a small made-up result."""

from pathlib import Path

import pytest
import synthetic
from analyses import module, rendered
from benchlib.results import results

NAME = "exp06_async_copy"
ANALYSIS = module(NAME)
PARAMS = ["steps", "block", "blocks_per_sm", "stages", "chunk_bytes", "hint", "left_out", "pressure"]
MEASURED = ["tiles", "wrong_tiles", "wrong_outside", "gave_up"]


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> results.Table:
    monkeypatch.setitem(synthetic.PARAMS, NAME, PARAMS)
    monkeypatch.setitem(synthetic.MEASURED, NAME, MEASURED)
    rows = []
    for steps, alone, plain, hidden in ((0, 20e3, 200e3, 100e3), (16, 150e3, 350e3, 155e3)):
        rows += synthetic.twins(NAME, "overlap_none", alone, alone, steps=steps)
        rows += synthetic.twins(NAME, "overlap_plain", plain, plain, steps=steps)
        rows.append(synthetic.row(NAME, "overlap_cp_async", "cuda", hidden, steps=steps, stages=4))
    for kib, ns in ((4, 1000e3), (16, 900e3)):
        rows.append(synthetic.row(NAME, "copy_bulk_once", "cuda", ns, elements=1 << 27, chunk_bytes=kib << 10, stages=1))
    for left_out, wrong in (("", 0), ("read_wait", 123)):
        variant = "tile_without" if left_out else "tile"
        counts = {"tiles": 65536, "wrong_tiles": wrong, "wrong_outside": 0, "gave_up": 0}
        rows.append(synthetic.row(NAME, variant, "cuda", 9e3, elements=8192, left_out=left_out, pressure=0, **counts))
    synthetic.write(tmp_path, NAME, rows)
    return results.load(tmp_path).tables[NAME]


def test_what_is_hidden_behind_the_longer(table: results.Table) -> None:
    lines = rendered(ANALYSIS.overlap(None, table)).splitlines()
    assert "| overlap_plain | – | cuda | 200.0 | 350.0 |" in lines
    assert lines[-3:] == [
        "| overlap_plain | – | cuda | 0 |",
        "| overlap_cp_async | 4 | cuda | 95 |",
        "| overlap_plain | – | vulkan | 0 |",
    ]
