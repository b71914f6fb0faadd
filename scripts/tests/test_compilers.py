"""One kernel as every compiler makes it: the listings that are committed, side by side in terms that all notations share."""

from __future__ import annotations

from pathlib import Path

import dump_sass
import pytest
from benchlib.base.errors import InputError
from benchlib.sass import compilers
from benchlib.sass.compilers import Listing

RESULTS = Path(__file__).resolve().parents[2] / "results"


@pytest.fixture(scope="module")
def sum_2() -> list[Listing]:
    experiment, found = compilers.gather(RESULTS, "sum_2", [])
    assert experiment == "exp02_descriptors"
    return found


def test_every_compiler_has_its_column(sum_2: list[Listing]) -> None:
    titles = [one.title for one in sum_2]
    assert titles[:3] == ["CUDA", "Vulkan", "sm_90 NAK"] and {"RDNA3 ACO wave32", "RDNA3 ACO wave64", "Vega ACO", "RDNA3 LLVM"} <= set(titles)
    assert {one.api for one in sum_2 if "LLVM" in one.title} == {"cuda"}
    assert [one.title for one in sum_2 if one.first] == ["CUDA", "Vulkan", "sm_90 NAK", "RDNA3 ACO wave32", "RDNA3 LLVM"]


def test_a_row_holds_what_does_the_same_and_no_line_is_lost(sum_2: list[Listing]) -> None:
    rows = compilers.aligned(sum_2)
    for at, listing in enumerate(sum_2):
        assert [row.lines[at] for row in rows if at in row.lines] == list(listing.lines)
    for what, number in ((compilers.LOAD, 2), (compilers.STORE, 1)):
        of_it = [row for row in rows if any(line.what == what for line in row.lines.values())]
        assert len(of_it) == number and all(len(row.lines) == len(sum_2) for row in of_it), what
    assert all(len({line.what for line in row.lines.values()}) == 1 for row in rows)


def test_the_figures_are_those_of_the_tables(sum_2: list[Listing]) -> None:
    figures = dict(compilers.figures(sum_2))
    rdna3 = next(at for at, one in enumerate(sum_2) if one.title == "RDNA3 ACO wave32")
    wanted = {"instructions": "16", "registers": "24", "loads of 32 bits": "2", "stores of 32 bits": "1", "waits": "2", "scalar or constant loads": "2"}
    assert {name: figures[name][rdna3] for name in wanted} == wanted
    assert "spills" not in figures, "nothing spills"


def test_nvidias_bounds_checks_are_told_from_other_compares() -> None:
    _, found = compilers.gather(RESULTS, "struct_read_32_8", ["exp03"])
    checks = {one.title: number for one, number in zip(found, dict(compilers.figures(found))["bounds checks"])}
    assert int(checks["Vulkan"]) > 0 and checks["CUDA"] == checks["RDNA3 ACO wave32"] == "0"


def test_a_kernel_that_nobody_lists_is_said() -> None:
    with pytest.raises(InputError, match="no compiler's listing of a kernel nowhere"):
        compilers.gather(RESULTS, "nowhere", [])


def test_the_page_has_every_instruction(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("jinja2")
    assert dump_sass.main(["--page", "sum_2", "--only", "exp02", "--out", str(tmp_path)]) == 0
    page = (tmp_path / "exp02_descriptors/sum_2.html").read_text()
    assert "buffer_load_b32 v1, v0, s[8:11], 0 offen" in page and "LDG.E.CONSTANT R1, [R0.U32+UR4]" in page and "global_load_b32" in page
    assert str(tmp_path / "exp02_descriptors/sum_2.html") in capsys.readouterr().out
    with pytest.raises(SystemExit):
        dump_sass.main(["--page", "sum_2", "--chip", "gfx1100"])
