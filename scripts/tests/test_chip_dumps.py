"""Every kernel compiles for every chip, or its row says what the chip lacks: the build's programs, on Mesa's compilers, without a GPU.

Mesa is that of scripts/setup.sh --mesa, whose listings are committed; or the system's, which has a null device of three chips until Mesa 25.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import dump_sass
import pytest
from benchlib.base import programs
from benchlib.base.errors import InputError
from benchlib.sass import chips, driver_listings

ROOT = Path(__file__).resolve().parents[2]
BIN = ROOT / "build/ci/bin"
TOOLS = ROOT / "build/tools"
PROGRAMS = 27
# Chip, subgroup size, and kernels that are listed at least by the null device of Mesa 22.3.
CHIPS = [("gfx1100", 32, 520), ("gfx1100", 64, 450), ("gfx1030", 32, 520), ("gfx1030", 64, 450), ("gfx1201", 32, 0), ("gfx1201", 64, 0), ("vega20", 64, 450), ("sm_90", 32, 0)]
# What a chip may lack, as a row says it: the golden list, without the kernels' and devices' names.
LACKS = re.compile(
    r"wants (VK_\w+\b.*|\d+ bytes of shared memory|a subgroup's matrices of [\w ]+|\d+ invocations a workgroup|shader\w+( and \w+)*|subgroup [a-z ]+"
    r"|vulkanMemoryModel\w*|runtimeDescriptorArray|full subgroups \(computeFullSubgroups\)|\d+ bytes of push constants|descriptor buffers.*|the binding .*)[;,]"
)

pytestmark = pytest.mark.skipif(len(programs.experiments(BIN)) < PROGRAMS, reason="the programs are not built: build/ci/bin/exp*")


@pytest.mark.parametrize(("name", "wave", "least"), CHIPS)
def test_every_kernel_compiles_or_says_what_the_chip_lacks(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, wave: int, least: int) -> None:
    chip = chips.CHIPS[name]
    try:
        fetched = bool(chips.launcher(chip, TOOLS).prefix)
    except InputError as error:
        pytest.skip(str(error))
    code = dump_sass.main(["--bin", str(BIN), "--chip", name, "--wave", str(wave), "--out", str(tmp_path)])
    said = capsys.readouterr()
    if code and "no null device any more" in said.err:
        pytest.skip(said.err.strip())
    assert code == 0, said.err
    found = {(row["experiment"], row["kernel"]): row for row in driver_listings.rows(tmp_path)}
    strange = {row["reason"] for row in found.values() if row["reason"] and not LACKS.search(row["reason"])}
    assert strange == set()
    if not fetched:
        assert sum(bool(row["isa_hash"]) for row in found.values()) >= least
        return
    (committed,) = (ROOT / "results").glob(f"{name}-{chip.driver}-*")
    before = {(row["experiment"], row["kernel"]): row for row in driver_listings.rows(committed) if row["wave"] == str(wave)}
    again = f"scripts/dump_sass.py --chip {name} --wave {wave} makes them anew"
    assert set(found) == set(before), again
    changed = [key for key, row in found.items() if (row["isa_hash"], row["reason"]) != (before[key]["isa_hash"], before[key]["reason"])]
    assert changed == [], again


def test_a_null_device_is_refused_in_one_line_where_kernels_would_run(tmp_path: Path) -> None:
    """And lists its code without a word about what would run."""
    try:
        null = chips.launcher(chips.CHIPS["gfx1100"], tmp_path)
    except InputError as error:
        pytest.skip(str(error))

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [BIN / "exp01_vector_add", "--api", "vulkan", *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=100, check=False, env={**os.environ, **null.environment})

    refused = run("--smoke")
    if chips.NULL_DEVICE not in refused.stderr:
        pytest.skip("this machine's Mesa has no null device")
    (line,) = [line for line in refused.stderr.splitlines() if chips.NULL_DEVICE in line]
    assert refused.returncode == 77 and line.endswith("memory (found none: a compiler without a GPU, good for --dump-isa alone)")
    listed = run("--dump-isa", str(tmp_path / "isa"), "--variant", "copy_f32")
    assert listed.returncode == 0 and (tmp_path / "isa/exp01_vector_add/copy_f32.vulkan.txt").is_file(), listed.stderr


def test_vegas_listings_assemble_again(tmp_path: Path) -> None:
    """By LLVM, which Mesa does not ask for its instructions: it reads each of them."""
    assembler = next((path for path in (shutil.which(f"llvm-mc{version}") for version in ("", "-19", "-18", "-17", "-16", "-15", "-14")) if path), None)
    if assembler is None:
        pytest.skip("no llvm-mc here")
    committed = next((ROOT / "results").glob("vega20-radv-*"))
    texts = driver_listings.read(driver_listings.archive_of(committed, 64))
    source = tmp_path / "all.s"
    # Labels are a listing's own.
    source.write_text("".join(re.sub(r"\bBB(\d+)", rf"K{at}_\1", text) for at, text in enumerate(texts.values())))
    run = subprocess.run([assembler, "-arch=amdgcn", "-mcpu=gfx906", "-filetype=obj", "-o", os.devnull, source], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[:2000]
