"""docs/ARCHITECTURES.md against the listings that are committed, and what these have in common whatever their text."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from benchlib.sass import amd_isa, chips, driver_listings, listings

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results"
PAGE = ROOT / "docs/ARCHITECTURES.md"
MOST_WORDS = 900
# The page's names: a folder, and the subgroup size or the API.
SIDES = {
    "RDNA2": ("gfx1030-radv-26.2.6", 32), "RDNA3": ("gfx1100-radv-26.2.6", 32), "RDNA4": ("gfx1201-radv-26.2.6", 32), "NVK": ("sm_90-nvk-26.2.6", 32),
    "HIP": ("gfx1100-hip-19.1.7", 32), "CDNA3": ("gfx942-hip-19.1.7", 64), "NVIDIA": ("nvidia-h200", "vulkan"), "CUDA": ("nvidia-h200", "cuda"),
}  # fmt: skip
_QUOTED = re.compile(r"<!-- listed: (\S+) -->\n```text\n(.*?)```", re.DOTALL)
RADV = [(folder, wave) for folder, wave in (*SIDES.values(), ("vega20-radv-26.2.6", 64), ("gfx1100-radv-26.2.6", 64)) if "-radv-" in folder]


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


def test_the_page_has_twelve_findings_of_two_to_four_instructions() -> None:
    text = PAGE.read_text(encoding="utf-8")
    findings = re.split(r"^### ", text, flags=re.MULTILINE)[1:]
    assert len(findings) == 12
    assert [finding.partition("\n")[0] for finding in findings if not 2 <= sum(len(block.splitlines()) for _, block in _QUOTED.findall(finding)) <= 4] == []
    assert len(re.sub(r"<!--.*?-->", "", text).split()) <= MOST_WORDS


def same(folder: str, wave: int, one: tuple[str, str], other: tuple[str, str]) -> bool:
    found = rows(folder, wave)
    return found[one]["isa_hash"] == found[other]["isa_hash"] != ""


@pytest.mark.parametrize(("folder", "wave"), RADV)
def test_bindings_and_checks_share_their_code_on_amd(folder: str, wave: int) -> None:
    """Findings 1, 2 and 7."""
    exp = "exp02_descriptors"
    for build in ("push_descriptors", "descriptor_buffer", "uniform", "disabled", "robustBufferAccess", "robustness2"):
        assert same(folder, wave, (exp, "sum_2"), (exp, f"sum_2.{build}")), build
    for build in ("address", "bindless"):
        assert not same(folder, wave, (exp, "sum_2"), (exp, f"sum_2.{build}")), build
    assert same(folder, wave, ("exp06_ordering", "load_acquire_cta"), ("exp06_ordering", "load_acquire_gpu"))
    pairs = [(experiment, kernel) for experiment, kernel in rows(folder, wave) if (experiment, f"{kernel}.disabled") in rows(folder, wave)]
    other = [pair for pair in pairs if not same(folder, wave, pair, (pair[0], f"{pair[1]}.disabled"))]
    # Listed for another workgroup, the first that each is timed with.
    assert len(pairs) > 40 and set(other) <= {("exp01_vector_add", "add_f32"), ("exp01_vector_add", "add_f32x4")}


def test_the_numbers_that_the_page_says() -> None:
    """Findings 3, 4, 10 and 12."""
    found = rows("gfx1100-radv-26.2.6", 32)
    numbers = [found["exp02_descriptors", name]["instructions"] for name in ("sum_2", "sum_2.address")]
    assert numbers == ["16", "22"]
    merged = found["exp03_memory_coalescing", "struct_read_32_8"]
    assert (merged["loads_128"], merged["vector_loads"]) == ("2", "2")
    assert sum(text.startswith("LDG") for text in instructions("NVIDIA", "exp03_memory_coalescing/struct_read_32_8")) == 8
    assert found["exp09_arithmetic", "loop_literal_dont_unroll"]["instructions"] == "35"
    assert len(listings.read(listings.path(RESULTS / "nvidia-h200", "exp09_arithmetic"), "loop_literal_dont_unroll", "vulkan")) == 213
    rdna2 = rows("gfx1030-radv-26.2.6", 32)
    assert "shaderBufferFloat32AtomicAdd" in rdna2["exp09_atomics", "global_add_f32"]["reason"] and rdna2["exp09_atomics", "shared_add_f32"]["reason"] == ""


@pytest.mark.parametrize(("folder", "wave"), RADV)
def test_nothing_spills_in_the_first_five_experiments(folder: str, wave: int) -> None:
    listed = [row for (experiment, _), row in rows(folder, wave).items() if experiment < "exp06" and row["instructions"]]
    assert len(listed) > 150
    assert [row["kernel"] for row in listed if row["spilled_vgprs"] != "0" or row["scratch_bytes"] != "0"] == []


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


def test_every_chip_of_the_page_is_there() -> None:
    assert {folder for folder, _ in (*SIDES.values(), ("vega20-radv-26.2.6", 64)) if folder != "nvidia-h200"} == {path.name for path in sets()}
