"""exp06: what GLSL's memory qualifiers become in SPIR-V. A load that lost its operands on the way is a plain one, and says nothing.

glslang drops the qualifiers of a buffer reference's block, and keeps those of its members (its issue 3386).
"""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from kernel_instances import kernel_file

ROOT = Path(__file__).parents[2] / "exp06_memory_model"
GLSLANG = shutil.which("glslangValidator") or shutil.which("glslang")
if GLSLANG is None or shutil.which("spirv-dis") is None:
    pytest.skip("no glslang or no spirv-dis", allow_module_level=True)

# SPIR-V's numbers of the scopes: what a load makes visible, and a store available.
SCOPES = {"devicecoherent": 1, "workgroupcoherent": 2, "subgroupcoherent": 3, "queuefamilycoherent": 5}


def accesses(folder, name, tmp_path):
    """The loads and stores through buffer references, e.g. "OpLoad Aligned|NonPrivatePointer 4"; a scope's number comes last."""
    spirv, path = tmp_path / "kernel.spv", kernel_file(folder, f"glsl/{name}.comp", tmp_path)
    include = [f"-I{each}" for each in (folder, ROOT.parent, ROOT.parent / "common")]
    command = [GLSLANG, "--quiet", "--target-env", "vulkan1.3", *include, "-o", spirv, path]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout
    text = subprocess.run(["spirv-dis", spirv], capture_output=True, text=True, check=True).stdout
    text = re.sub(r"%u?int_(\d+)", r"\1", text)
    return re.findall(r"Op(?:Load|Store)\b.*?((?:\w+\|)*Aligned(?:\|\w+)* [\d ]+)$", text, re.MULTILINE), text


KERNELS = [(kernel, qualifier) for kernel in ("stream", "reuse_ro", "fill") for qualifier in (*SCOPES, "nonprivate", "private")]
KERNELS.remove(("fill", "subgroupcoherent"))


@pytest.mark.parametrize(("kernel", "qualifier"), KERNELS)
def test_a_qualifier_of_the_vulkan_memory_model_is_an_operand_of_the_access(tmp_path, kernel, qualifier):
    found, text = accesses(ROOT / "cache_ops", f"{kernel}_{qualifier}", tmp_path)
    assert "OpMemoryModel PhysicalStorageBuffer64 Vulkan" in text
    direction = "Available" if kernel == "fill" else "Visible"
    wanted = {
        "private": "Aligned 4",
        "nonprivate": "Aligned|NonPrivatePointer 4",
    }.get(qualifier, f"Aligned|MakePointer{direction}|NonPrivatePointer 4 {SCOPES.get(qualifier)}")
    assert found.count(wanted) == 1 or qualifier == "private"
    others = [access for access in found if access != wanted]
    assert set(others) <= {"Aligned 4"}


@pytest.mark.parametrize("qualifier", ["coherent", "volatile", "restrict"])
def test_a_qualifier_of_plain_glsl_is_a_decoration_of_the_member(tmp_path, qualifier):
    _, text = accesses(ROOT / "cache_ops", f"stream_{qualifier}", tmp_path)
    decoration = {"coherent": "Coherent", "volatile": "Volatile", "restrict": "Restrict"}[qualifier]
    assert f"OpMemberDecorate %Stream 0 {decoration}" in text
    assert "GLSL450" in text


@pytest.mark.parametrize(("kernel", "count"), [("message_payload", 2), ("fence", 1), ("fence_rate", 1)])
def test_what_fences_order_is_not_private(tmp_path, kernel, count):
    """A fence says nothing about private accesses: the payload's would be a race."""
    found, _ = accesses(ROOT / "ordering", kernel, tmp_path)
    assert sum("NonPrivatePointer" in access for access in found) == count
