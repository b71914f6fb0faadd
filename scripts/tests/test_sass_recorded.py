"""Machine code that an NVIDIA H200's two drivers ran (580.159.04; CUDA 13.0.88), as bytes: disassembled, counted, aligned.

The figures are those that nvdisasm 13.0 gave; an older one, which drops what it does not know, must come to the same.
"""

from functools import lru_cache
from pathlib import Path

import pytest

from benchlib.sass import sass, sass_address, sass_diff, sass_tool
from benchlib.sass.sass_diff import ListingSide

FIXTURES = Path(__file__).resolve().parent / "fixtures" / "h200"
NVDISASM = sass_tool.find()
if NVDISASM is None:
    pytest.skip(f"no nvdisasm: {sass_tool.HOW_TO_GET}", allow_module_level=True)
TOOL = sass_tool.Nvdisasm(NVDISASM)


@lru_cache
def disassembled(name):
    return TOOL.disassemble((FIXTURES / name).read_bytes(), "sm_90").instructions


def recorded(kernel, api, descriptors=None):
    descriptors = api == "vulkan" if descriptors is None else descriptors
    return ListingSide(api, sass.mark_roles(disassembled(f"{kernel}.{api}.bin"), descriptors=descriptors), descriptors)


def counts(side):
    return sass.count(side.instructions, descriptors=side.descriptors)


@pytest.mark.parametrize(
    "kernel, api, instructions, figures",
    [
        ("add_f32", "cuda", 20, {"ldg_32": 2, "stg_32": 1, "ldg_constant": 0, "stg_strong": 0, "bounds_checks": 0}),
        ("add_f32", "vulkan", 19, {"ldg_32": 2, "stg_32": 1, "ldg_constant": 2, "stg_strong": 1, "bounds_checks": 3}),
        ("read_aos_x", "vulkan", 16, {"ldg_32": 1, "stg_32": 1, "descriptor_reads": 4, "bounds_checks": 2}),
        ("read_soa_x", "vulkan", 15, {"ldg_32": 1, "stg_32": 1, "descriptor_reads": 4, "bounds_checks": 2}),
        ("inner_struct", "vulkan", 24, {"ldg_32": 2, "stg_32": 2, "descriptor_reads": 7, "bounds_checks": 4}),
    ],
)
def test_counts(kernel, api, instructions, figures):
    side = recorded(kernel, api)
    assert len(side.instructions) == instructions
    found = counts(side)
    assert {name: found[name] for name in figures} == figures


def test_nothing_is_unknown_or_dropped():
    for path in sorted(FIXTURES.glob("*.bin")):
        found = disassembled(path.name)
        assert [i.offset for i in found] == list(range(0, 16 * len(found), 16)), path.name
        assert not [i.opcode for i in found if i.base == sass.UNKNOWN], path.name


def test_addresses_need_no_descriptor():
    side = recorded("copy_f32_address", "vulkan", descriptors=False)
    found = counts(side)
    assert (len(side.instructions), found["descriptor_reads"], found["bounds_checks"]) == (11, 0, 0)


@pytest.mark.parametrize("api", ["cuda", "vulkan"])
def test_the_layouts_differ_in_the_factor_of_the_load(api):
    aos, soa = (recorded(kernel, api).instructions for kernel in ("read_aos_x", "read_soa_x"))
    assert (sass_address.load_scale(aos), sass_address.store_scale(aos)) == (16, 4)
    assert (sass_address.load_scale(soa), sass_address.store_scale(soa)) == (4, 4)


@pytest.mark.parametrize("kernel, checks", [("add_f32", 3), ("read_aos_x", 2), ("inner_struct", 4)])
def test_twins_are_aligned_and_their_differences_named(kernel, checks):
    found = sass_diff.compare(recorded(kernel, "cuda"), recorded(kernel, "vulkan"))
    assert found.same_memory and not found.same_opcodes
    assert found.counts[sass_diff.BOUNDS_CHECK] == (0, checks)
    assert found.counts[sass_diff.MEMORY_DESCRIPTOR] == (1, 0)
    loads = counts(recorded(kernel, "cuda"))["ldg_32"]
    assert found.counts[sass_diff.LOAD_KIND] == (0, loads)
