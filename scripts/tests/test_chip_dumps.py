"""Every kernel compiles for every chip, or its row says what the chip lacks: the build's programs, on Mesa's compilers, without a GPU.

Mesa is that of scripts/setup.sh --mesa, whose listings are committed; or the system's, which has a null device of three chips until Mesa 25.
"""

from __future__ import annotations

import re
from pathlib import Path

import dump_sass
import pytest
from benchlib.base.errors import InputError
from benchlib.sass import chips, driver_listings

ROOT = Path(__file__).resolve().parents[2]
BIN = ROOT / "build/ci/bin"
TOOLS = ROOT / "build/tools"
PROGRAMS = 28
# Chip, subgroup size, and kernels that are listed at least by the null device of Mesa 22.3.
CHIPS = [("gfx1100", 32, 520), ("gfx1100", 64, 450), ("gfx1030", 32, 520), ("gfx1030", 64, 450), ("gfx1201", 32, 0), ("gfx1201", 64, 0), ("vega20", 64, 450), ("sm_90", 32, 0)]
# What a chip may lack, as a row says it: the golden list, without the kernels' and devices' names.
LACKS = re.compile(
    r"wants (VK_\w+\b.*|\d+ bytes of shared memory|a subgroup's matrices of [\w ]+|\d+ invocations a workgroup|shader\w+( and \w+)*|subgroup [a-z ]+"
    r"|vulkanMemoryModel\w*|runtimeDescriptorArray|full subgroups \(computeFullSubgroups\)|\d+ bytes of push constants|descriptor buffers.*|the binding .*)[;,]"
)

pytestmark = pytest.mark.skipif(len(list(BIN.glob("exp*"))) < PROGRAMS, reason="the programs are not built: build/ci/bin/exp*")


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
