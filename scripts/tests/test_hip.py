"""What LLVM writes of CUDA's kernels for AMD's GPUs: taken apart into kernels; and what does not compile."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import dump_sass
import pytest
from benchlib.base.errors import InputError
from benchlib.sass import driver_listings, hip

KERNEL = """\t.globl\t{name}
{name}:                                ; @{name}
; %bb.0:
\ts_load_b32 s2, s[0:1], 0x2c
\tv_add_f32_e32 v0, v1, v2
\ts_endpgm
\t.section\t.rodata,"a",@progbits
\t.amdhsa_kernel {name}
\t\t.amdhsa_next_free_vgpr 8
\t.end_amdhsa_kernel
; codeLenInByte = 140
; NumSgprs: 14
; NumVgprs: {vgprs}
; ScratchSize: 0
; LDSByteSize: 512 bytes/workgroup (compile time only)
; Occupancy: 8
"""
TEXT = "\t.text\nhelper:\n\ts_setpc_b64 s[30:31]\n\t.section\t.text\n" + KERNEL.format(name="add", vgprs=8) + KERNEL.format(name="add_more", vgprs=9)


def test_each_kernel_has_its_own_part() -> None:
    parts = hip.functions(TEXT)
    assert list(parts) == ["add", "add_more"], "a function that is no kernel is none"
    assert [name for name in parts if "NumVgprs: 8" in parts[name]] == ["add"]
    found = hip.listed("exp01_x", "add", parts["add"], 64)
    row = {"kernel": "add", "wave": 64, "instructions": 3, "vgprs": 8, "sgprs": 14, "lds_bytes": 512, "code_bytes": 140, "subgroups_per_simd": 8, "vector": 1}
    assert {name: found.row[name] for name in row} == row
    assert found.text == "add:\n\ts_load_b32 s2, s[0:1], 0x2c\n\tv_add_f32_e32 v0, v1, v2\n\ts_endpgm\n"
    assert found.row["isa_hash"] != hip.listed("exp01_x", "add_more", parts["add_more"], 64).row["isa_hash"], "the name is the first block's"


def test_inline_ptx_is_no_code() -> None:
    """LLVM writes it as it is; an empty asm statement, a fence for the compiler, is none."""
    for inline, reason in (("mov.u32 s0, %globaltimer_lo;", hip.PTX), ("", "")):
        text = TEXT.replace("\tv_add_f32_e32", f"\t;;#ASMSTART\n\t{inline}\n\t;;#ASMEND\n\tv_add_f32_e32")
        found = hip.listed("exp01_x", "add", hip.functions(text)["add"], 64)
        assert found.row.get("reason", "") == reason and bool(found.text) == (not reason)


COMPILER = f"""#!{sys.executable}
import pathlib, sys
chip, source, out = sys.argv[1:4]
if "asm" in pathlib.Path(source).read_text():
    sys.exit("x.cu:3:1: error: invalid output constraint '=l' in asm")
assert "-include" in sys.argv and any(option.endswith("/common") for option in sys.argv)
pathlib.Path(out).write_text({TEXT!r})
"""


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(dump_sass, "ROOT", tmp_path)
    folder = tmp_path / "exp01_x"
    (folder / "cuda").mkdir(parents=True)
    (folder / "claims.toml").touch()
    (folder / "cuda/add.cu").write_text("")
    (folder / "cuda/chase.cu").write_text('asm("x")')
    (tmp_path / "build/tools/hip.root").mkdir(parents=True)
    (tmp_path / "build/tools/hip").write_text(COMPILER)
    (tmp_path / "build/tools/hip").chmod(0o755)
    return tmp_path


def test_what_does_not_compile_says_why(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert dump_sass.main(["--chip", "gfx942", "--hip"]) == 1
    assert "there is no compiler of HIP here; scripts/setup.sh --hip fetches one" in capsys.readouterr().err
    (suite / "build/tools" / hip.VERSION).write_text("19.1.7\n")
    assert dump_sass.main(["--chip", "gfx942", "--hip"]) == 0
    rows = {row["kernel"]: row for row in driver_listings.rows(suite / "results/gfx942-hip-19.1.7")}
    assert (rows["add"]["wave"], rows["add"]["instructions"], rows["add_more"]["vgprs"]) == ("64", "3", "9")
    assert rows["chase.cu"]["reason"] == "does not compile as HIP: invalid output constraint '=l' in asm"
    assert "2 of 3 kernels listed, for subgroups of 64" in capsys.readouterr().out


def test_what_cmake_writes_from_a_body_is_compiled_too(suite: Path, tmp_path: Path) -> None:
    if not shutil.which("cmake"):
        pytest.skip("no cmake here")
    real = Path(__file__).resolve().parents[2]
    made = tmp_path / "made"
    made.mkdir()
    found = hip.sources(real, ["exp05_strided"], made)
    stems = {one.path.stem for one in found}
    assert {"read_once_4", "write_once_16"} <= stems and {one.folder for one in found} == {real / "exp05_strided"}
    (suite / "exp01_x/CMakeLists.txt").write_text("add_nothing(CUDA_INSTANCES)\n")
    with pytest.raises(InputError, match="cmake writes the kernels of .*exp01_x"):
        hip.sources(suite, ["exp01_x"], made)
