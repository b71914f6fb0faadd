"""What drivers list, kept and counted; and how programs are started for chips that are not here."""

from __future__ import annotations

import sys
from pathlib import Path

import dump_sass
import pytest
import test_amd_isa
from benchlib.base.errors import InputError
from benchlib.sass import chips, driver_listings, sass_dump

EXP = "exp01_vector_add"
TEXT = f"==== NIR Shader(s)\nimpl\n==== ACO IR\nBB0\n==== Assembly\n{test_amd_isa.RDNA3}"


def kernel(name: str = "add_f32", text: str = TEXT, experiment: str = EXP, **statistics: float) -> sass_dump.Kernel:
    reason = "" if text else "wants what this lacks"
    return sass_dump.Kernel(experiment, name, "vulkan", "", name, name, isa_hash="ab" * 6 if text else "", text=text, reason=reason, statistics=statistics)


def kept(folder: Path, found: list[driver_listings.Listed], wave: int = 32, complete: frozenset[str] = frozenset()) -> list[dict[str, str]]:
    folder.mkdir(exist_ok=True)
    for path, content in driver_listings.outputs(folder, found, [wave], complete).items():
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return driver_listings.rows(folder)


def test_the_assembly_is_the_last_part_of_that_name() -> None:
    assert driver_listings.assembly(TEXT) == (test_amd_isa.RDNA3, "Assembly")
    assert driver_listings.assembly("==== NAK assembly\nexit\n==== Notes\nnone\n") == ("exit\n", "NAK assembly")
    assert driver_listings.assembly("v_add_f32") == ("", "") == driver_listings.assembly("==== NIR\nimpl\n")


def test_a_kernel_is_a_row_and_a_listing(tmp_path: Path) -> None:
    found = [driver_listings.listed(each, 32) for each in (kernel(VGPRs=24, **{"Subgroups per SIMD": 8}), kernel("big", **{"Subgroups per SIMD": 16}), kernel("none", ""))]
    rows = {row["kernel"]: row for row in kept(tmp_path / "a", found)}
    one = rows["add_f32"]
    assert (one["wave"], one["isa_hash"], one["instructions"], one["vgprs"], one["vector_loads"]) == ("32", "ab" * 6, "12", "24", "1")
    assert (one["occupancy_pct"], rows["big"]["occupancy_pct"]) == ("50", "100")
    assert (rows["none"]["instructions"], rows["none"]["reason"]) == ("", "wants what this lacks")
    texts = driver_listings.read(driver_listings.archive_of(tmp_path / "a", 32))
    assert set(texts) == {f"{EXP}/add_f32", f"{EXP}/big"}
    assert texts[f"{EXP}/add_f32"].startswith("BB0:\n\tv_lshl_add_u32 v0, s2, 6, v0\n")


# --------------------------------------------------------------------------------------------------- without the card


def test_what_was_fetched_goes_before_the_systems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chips, "MANIFESTS", (tmp_path,))
    for name in (name for name, chip in chips.CHIPS.items() if chip.driver):
        with pytest.raises(InputError, match="scripts/setup.sh --mesa"):
            chips.launcher(chips.CHIPS[name], tmp_path)
    (tmp_path / "radeon_icd.x86_64.json").touch()
    found = chips.launcher(chips.CHIPS["gfx1100"], tmp_path)
    assert found.prefix == () and found.environment["RADV_FORCE_FAMILY"] == "gfx1100"
    assert found.environment["VK_DRIVER_FILES"] == str(tmp_path / "radeon_icd.x86_64.json")
    with pytest.raises(InputError, match="gfx1201: the system's Mesa has no null device of it"):
        chips.launcher(chips.CHIPS["gfx1201"], tmp_path)
    (tmp_path / "mesa").write_text("#!/bin/sh\n")
    (tmp_path / "mesa").chmod(0o755)
    assert chips.launcher(chips.CHIPS["sm_90"], tmp_path) == chips.Launcher((str(tmp_path / "mesa"), "nouveau", "180"), {})


def test_a_gpu_that_is_here_is_not_taken_for_the_chip() -> None:
    null = chips.Launcher((), {"RADV_FORCE_FAMILY": "gfx1100"})
    chips.check(chips.CHIPS["gfx1100"], null, "Null hardware (RADV GFX1100)")
    for gpu in ("AMD Radeon RX 7900 XTX (RADV NAVI31)", ""):
        with pytest.raises(InputError, match="no null device any more"):
            chips.check(chips.CHIPS["gfx1100"], null, gpu)
    chips.check(chips.CHIPS["gfx1100"], chips.Launcher(("mesa",), {}), "AMD Radeon Graphics (RADV NAVI31)")


PROGRAM = f"""#!{sys.executable}
import json, os, pathlib, sys
folder = pathlib.Path(sys.argv[sys.argv.index("--dump-isa") + 1]) / "exp01_vector_add"
folder.mkdir(parents=True)
(folder / "add_f32.txt").write_text({TEXT!r})
entry = dict(kernel="add_f32", stem="add_f32", api="vulkan", arch="", text="add_f32.txt", isa_hash="abababababab", statistics={{"VGPRs": 8}}, constants=[], variant="")
json.dump(dict(schema=1, experiment="exp01_vector_add", gpu="Null hardware (RADV %s)" % os.environ["RADV_FORCE_FAMILY"], driver="Mesa 22.3.6", kernels=[entry]),
          open(folder / "index.json", "w"))
print(sys.argv[sys.argv.index("--subgroup-size") + 1], file=open(os.environ["SAID"], "w"))
"""


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Programs in bin/ and a RADV, and no Mesa that was fetched."""
    monkeypatch.setattr(dump_sass, "ROOT", tmp_path)
    monkeypatch.setattr(chips, "MANIFESTS", (tmp_path,))
    monkeypatch.setenv("SAID", str(tmp_path / "said"))
    (tmp_path / "radeon_icd.x86_64.json").touch()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / EXP).write_text(PROGRAM)
    (tmp_path / "bin" / EXP).chmod(0o755)
    return tmp_path


def test_one_command_lists_a_chip_that_is_not_here(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert dump_sass.main(["--bin", str(machine / "bin"), "--chip", "gfx1100", "--wave", "64"]) == 0
    assert (machine / "said").read_text() == "64\n"
    (row,) = driver_listings.rows(machine / "results/gfx1100-radv-22.3.6")
    assert (row["kernel"], row["wave"], row["vgprs"]) == ("add_f32", "64", "8")
    assert "1 of 1 kernels listed, for subgroups of 64: results/gfx1100-radv-22.3.6/isa.csv" in capsys.readouterr().out
    assert dump_sass.main(["--bin", str(machine / "bin"), "--chip", "vega20", "--kernel", "add_f32"]) == 0
    assert (machine / "said").read_text() == "64\n", "the only one that Vega has"
    assert "buffer_load_b32 v1, v0, s[8:11], 0 offen" in capsys.readouterr().out


def test_a_driver_that_is_here_and_lists_needs_no_disassembler(machine: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """As scripts/run.sh asks on an AMD card: the rows are of the subgroups that the driver compiled for."""
    monkeypatch.setattr(dump_sass.sass_tool, "find", lambda *_: None)
    program = machine / "bin" / EXP
    program.write_text(PROGRAM.replace("Null hardware (RADV %s)", "AMD Radeon RX 7900 XTX (RADV %s)").replace('{"VGPRs": 8}', '{"VGPRs": 8, "Subgroup Size": 64}')
                       .replace('"--subgroup-size"', '"--dump-isa"'))  # fmt: skip
    monkeypatch.setenv("RADV_FORCE_FAMILY", "NAVI31")
    assert dump_sass.main(["--bin", str(machine / "bin"), "--listings-only"]) == 0
    folder = machine / "results/amd-radeon-rx-7900-xtx-radv-navi31"
    (row,) = driver_listings.rows(folder)
    assert (row["kernel"], row["wave"], row["isa_hash"]) == ("add_f32", "64", "abababababab")
    assert driver_listings.archive_of(folder, 64).exists() and not (folder / "sass.csv").exists()
    program.write_text(program.read_text().replace(repr(TEXT), "''"))
    assert dump_sass.main(["--bin", str(machine / "bin"), "--listings-only"]) == 77, "nothing is listed, and nothing disassembles"
    assert "there is no nvdisasm" in capsys.readouterr().err


@pytest.mark.parametrize("own", [False, True])
def test_occupancy_is_of_what_the_chip_holds(tmp_path: Path, own: bool) -> None:
    """Also where no kernel has all of it; a wave64 of RDNA counts as two."""
    most = {wave: chips.CHIPS["gfx1100"].most_subgroups(wave) for wave in (32, 64)}
    assert most == {32: 16, 64: 32}
    found = [driver_listings.listed(kernel(**{"Subgroups per SIMD": 8}), wave) for wave in (32, 64)]
    (tmp_path / "a").mkdir()
    for path, content in driver_listings.outputs(tmp_path / "a", found, [32, 64], frozenset(), most if own else {}).items():
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    occupancy = {row["wave"]: row["occupancy_pct"] for row in driver_listings.rows(tmp_path / "a")}
    assert occupancy == ({"32": "50", "64": "25"} if own else {"32": "100", "64": "100"})
