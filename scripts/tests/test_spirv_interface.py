"""What a SPIR-V module takes, read by cmake/spirv_interface.cpp."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GLSLANG = shutil.which("glslangValidator") or shutil.which("glslang")
pytestmark = pytest.mark.skipif(not (GLSLANG and shutil.which("g++")), reason="no glslang or no g++ here")

HEAD = "#version 460\n#extension GL_EXT_buffer_reference : require\n#extension GL_EXT_nonuniform_qualifier : require\n"
PLAIN = """
layout(local_size_x_id = 0) in;
layout(constant_id = 2) const uint kUnroll = 4;
layout(set = 0, binding = 0, std430) readonly buffer A { uvec4 a[]; };
layout(set = 0, binding = 1, std430) writeonly buffer B { uvec4 b[]; };
layout(push_constant, std430) uniform Push { uint count; uint list[3]; };
void main() { uvec4 x = a[gl_GlobalInvocationID.x]; b[gl_GlobalInvocationID.x] = x * kUnroll * count * list[2]; }
"""
UNIFORM = """
layout(local_size_x = 32) in;
layout(set = 0, binding = 0, std140) uniform A { vec4 a[16]; };
layout(set = 0, binding = 1, std430) buffer B { vec4 b[]; };
void main() { b[gl_GlobalInvocationID.x] = a[gl_LocalInvocationID.x % 16]; }
"""
BINDLESS = """
layout(local_size_x = 32) in;
layout(set = 0, binding = 0, std430) buffer All { uint at[]; } all[];
layout(push_constant, std430) uniform Push { uint from; uint to; };
void main() { all[to].at[gl_GlobalInvocationID.x] = all[from].at[gl_GlobalInvocationID.x]; }
"""
ADDRESS = """
layout(local_size_x = 32) in;
struct Sizes { uint m; uint n; uint k; uint reserved; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint at[]; };
layout(push_constant, std430) uniform Push { Words a; Words b; Sizes sizes; };
void main() { b.at[gl_GlobalInvocationID.x] = a.at[gl_GlobalInvocationID.x] * sizes.k; }
"""


@pytest.fixture(scope="module", name="reader")
def compiled_reader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("reader") / "spirv_interface"
    sources = [ROOT / "cmake/spirv_interface.cpp", ROOT / "common/core/code/spirv_module.cpp"]
    subprocess.run(["g++", "-std=c++20", "-DFMT_HEADER_ONLY", f"-I{ROOT / 'common'}", *sources, "-o", program], check=True)
    return program


def module_of(folder: Path, text: str) -> Path:
    source, module = folder / "kernel.comp", folder / "kernel.spv"
    source.write_text(HEAD + text, encoding="utf-8")
    subprocess.run([str(GLSLANG), "--quiet", "--target-env", "vulkan1.3", "-o", module, source], check=True)
    return module


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (PLAIN, "{{{0, 0, false, false}, {0, 1, false, false}, }, 16, {0, 2}}\n"),
        (UNIFORM, "{{{0, 1, false, false}, {0, 0, true, false}, }, 0, {}}\n"),
        (BINDLESS, "{{{0, 0, false, true}, }, 8, {}}\n"),
        (ADDRESS, "{{}, 32, {}}\n"),
    ],
)
def test_what_a_module_takes(reader: Path, tmp_path: Path, text: str, wanted: str) -> None:
    out = tmp_path / "kernel.inc"
    subprocess.run([reader, module_of(tmp_path, text), out], check=True)
    assert out.read_text(encoding="utf-8") == wanted


def test_damaged_modules_are_errors(reader: Path, tmp_path: Path) -> None:
    whole = module_of(tmp_path, PLAIN).read_bytes()
    damaged = tmp_path / "damaged.spv"
    for content in (b"", whole[4:], whole[:-6], whole[:20] + bytes(len(whole) - 20)):
        damaged.write_bytes(content)
        result = subprocess.run([reader, damaged, tmp_path / "out.inc"], check=False, capture_output=True, text=True)
        assert result.returncode == 1 and "damaged.spv" in result.stderr
