"""docs/ARCHITECTURES.md against the listings that are committed, and what these have in common whatever their text."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from benchlib.sass import amd_isa, chips, driver_listings, listings

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results"
PAGE = ROOT / "docs/ARCHITECTURES.md"
# The page's names: a folder, and the subgroup size or the API.
SIDES = {
    "RDNA2": ("gfx1030-radv-26.2.6", 32), "RDNA3": ("gfx1100-radv-26.2.6", 32), "RDNA4": ("gfx1201-radv-26.2.6", 32), "NVK": ("sm_90-nvk-26.2.6", 32),
    "HIP": ("gfx1100-hip-19.1.7", 32), "CDNA3": ("gfx942-hip-19.1.7", 64), "NVIDIA": ("nvidia-h200", "vulkan"), "CUDA": ("nvidia-h200", "cuda"),
}  # fmt: skip
_QUOTED = re.compile(r"<!-- listed: (\S+) -->\n```text\n(.*?)```", re.DOTALL)


def sets() -> list[Path]:
    """What drivers and compilers list of chips that were not there."""
    return sorted(path for path in RESULTS.iterdir() if path.name.partition("-")[0] in chips.CHIPS)


@cache
def texts(folder: str, wave: int) -> dict[str, str]:
    return driver_listings.read(driver_listings.archive_of(RESULTS / folder, wave))


@cache
def rows(folder: str, wave: int) -> dict[tuple[str, str], dict[str, str]]:
    return {(row["experiment"], row["kernel"]): row for row in driver_listings.rows(RESULTS / folder) if row["wave"] == str(wave)}


def plain(text: str) -> str:
    return " ".join(text.split())


def instructions(side: str, place: str) -> set[str]:
    folder, which = SIDES[side]
    if isinstance(which, int):
        return {plain(line) for line in texts(folder, which)[place].splitlines()}
    experiment, _, kernel = place.partition("/")
    return {plain(one.text()) for one in listings.read(listings.path(RESULTS / folder, experiment), kernel, which)}


def quoted() -> list[tuple[str, str, str]]:
    found = []
    for place, block in _QUOTED.findall(PAGE.read_text(encoding="utf-8")):
        found += [(place, *line.split(maxsplit=1)) for line in block.splitlines()]
    return found


@pytest.mark.parametrize(("place", "side", "text"), quoted())
def test_a_quoted_instruction_is_in_its_listing(place: str, side: str, text: str) -> None:
    assert plain(text) in instructions(side, place)


def test_every_rule_says_whether_amds_code_gives_a_reason() -> None:
    titles = {rule["title"].rstrip(".") for rule in tomllib.loads((ROOT / "docs/summary.toml").read_text(encoding="utf-8"))["rule"]}
    _, _, said = (ROOT / "docs/RULES.md").read_text(encoding="utf-8").partition("## What AMD's code says")
    reasons = dict(re.findall(r"^\| ([A-Z][^|]*) \| (for|against|none):", said, re.MULTILINE))
    assert set(reasons) == titles
    # In the code that they are about.
    found = rows("gfx1100-radv-26.2.6", 32)
    both, ordered = (found["exp09_barrier", f"{name}_exchange"] for name in ("barrier_buffer", "release_acquire"))
    assert both["isa_hash"] == found["exp09_barrier", "barrier_exchange"]["isa_hash"] and int(ordered["waits"]) > int(both["waits"])


@pytest.mark.parametrize("path", sets(), ids=lambda path: path.name)
def test_a_set_is_whole_and_has_no_times(path: Path) -> None:
    assert sorted(each.name for each in path.iterdir() if not each.name.endswith(".tar.xz")) == ["isa.csv.xz"]
    table = driver_listings.rows(path)
    assert {row["wave"] for row in table} == {each.name.split(".")[1].removeprefix("w") for each in path.glob("*.tar.xz")}
    for wave in {row["wave"] for row in table}:
        listed = {f"{row['experiment']}/{row['kernel']}": row for row in table if row["wave"] == wave and row["instructions"]}
        there = driver_listings.read(driver_listings.archive_of(path, int(wave)))
        assert set(there) == set(listed)
        if path.name.startswith("gfx") or path.name.startswith("vega"):
            for place, text in there.items():
                counts = amd_isa.count(amd_isa.parse(text))
                assert {name: str(number) for name, number in counts.items()} == {name: listed[place][name] for name in counts}, place
    assert all(bool(row["reason"]) != bool(row["isa_hash"]) for row in table), "a kernel is listed, or its row says why not"
    unknown = Counter(row["kernel"] for row in table if int(row["other"] or 0))
    assert not unknown, f"instructions that nothing here knows: {unknown}"
