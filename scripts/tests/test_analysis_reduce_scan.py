"""exp09_reduce_scan's account of look-back, against hand-computed values."""

from __future__ import annotations

from pathlib import Path

import pytest
import synthetic
from analyses import module, rendered, study

EXP = "exp09_reduce_scan"
CODE = "experiment,kernel,api,arch,instructions,registers,barriers,fences,membars,isa_hash,note\n"


@pytest.fixture(autouse=True)
def columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(synthetic.PARAMS, EXP, ["block"])
    monkeypatch.setitem(synthetic.MEASURED, EXP, ["launches"])


def shown(directory: Path, vulkan_ns: float) -> str:
    rows = []
    for variant, times in (("scan_look_back", (1000, vulkan_ns)), ("scan_look_back_packed", (1000, 950))):
        for elements in (1 << 16, 1 << 20):
            rows += [
                synthetic.row(EXP, variant, api, ns if elements == 1 << 20 else 10 * ns, elements=elements, isa_hash=f"{variant}-{api}", launches=1)
                for api, ns in zip(("cuda", "vulkan"), times)
            ]
    synthetic.write(directory, EXP, rows)
    listed = [("scan_look_back", "cuda", 486, 6, 7, 2), ("scan_look_back", "vulkan", 533, 13, 13, 6), ("scan_look_back_packed", "cuda", 449, 6, 0, 0)]
    lines = [f"{EXP},{kernel},{api},sm_90,{count},40,{barriers},{fences},{membars},{kernel}-{api},\n" for kernel, api, count, barriers, fences, membars in listed]
    (directory / "sass.csv").write_text(CODE + "".join(lines))
    found = study(directory)
    return rendered(dict(module(EXP).ANALYSIS.sections)["Look-back, counted"](found, found.tables[EXP]))


def test_the_gap_stands_beside_what_the_listings_count(tmp_path: Path) -> None:
    text = shown(tmp_path, 1150)
    assert "Of 1,048,576 words." in text
    assert "| scan_look_back | 1.150 | 486 | 533 | 6 | 13 | 7 | 13 | 2 | 6 |" in text
    assert "| scan_look_back_packed | 0.950 | 449 | – | 6 | – | 0 | – | 0 | – |" in text
    assert "533 instructions against 486, 13 barriers against 6, 13 fences against 7, 6 MEMBAR against 2. That these cost the difference is an inference" in text


def test_without_a_gap_there_is_nothing_to_account_for(tmp_path: Path) -> None:
    assert "inference" not in shown(tmp_path, 940)
