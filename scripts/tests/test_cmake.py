"""What the suite's own CMake functions choose and write: cmake/KernelInstances.cmake, Glslang.cmake, VulkanHeaders.cmake."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from kernel_instances import ROOT

FETCHED = "build/tools/vulkan/usr/include"


def written(tmp_path: Path, text: str) -> subprocess.CompletedProcess[str]:
    folder = tmp_path / "exp99_any"
    folder.mkdir()
    (folder / "CMakeLists.txt").write_text(f"add_experiment(NAME exp99_any {text})\n", encoding="utf-8")
    command = ["cmake", f"-DFOLDER={folder}", f"-DOUT={tmp_path / 'out'}", "-P", ROOT / "cmake/KernelInstances.cmake"]
    return subprocess.run(command, capture_output=True, text=True)


def test_a_line_becomes_a_kernel(tmp_path: Path) -> None:
    glsl = '"a_1 = a.glsl | memory_model | ADDRESS | READ=coherent readonly | WORD(i)=f(i, 2)"'
    cuda = '"b = b.cuh | #define ZERO(i) 0 | WRITE(b, ZERO)"'
    assert written(tmp_path, f"GLSL_INSTANCES {glsl} CUDA_INSTANCES {cuda}").returncode == 0
    assert (tmp_path / "out/a_1.comp").read_text() == (
        "#version 460\n#extension GL_GOOGLE_include_directive : require\n"
        "#extension GL_KHR_memory_scope_semantics : require\n#pragma use_vulkan_memory_model\n"
        '#define ADDRESS\n#define READ coherent readonly\n#define WORD(i) f(i, 2)\n#include "glsl/a.glsl"\n'
    )
    assert (tmp_path / "out/b.cu").read_text() == '#include "cuda/b.cuh"\n\n#define ZERO(i) 0\nWRITE(b, ZERO)\n'


@pytest.mark.parametrize("line", ['"no body"', '"a | b.glsl"', '"A = b.glsl"'])
def test_a_line_that_is_none_says_so(tmp_path: Path, line: str) -> None:
    done = written(tmp_path, f"GLSL_INSTANCES {line}")
    assert done.returncode != 0 and "no kernel's instance" in " ".join(done.stderr.split())


# -------------------------------------------------------------------------------------------------------------------- two compilers of GLSL


def compiler(path: Path, version: str) -> Path:
    path.write_text(f"#!/bin/sh\necho 'Glslang Version: 11:{version}'\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    "since, chosen",
    [("", "system: glslang 12.0.0"), ("11.9", "system: glslang 12.0.0"), ("13.0", "newer: glslang 15.4.0"), ("15.4", "newer: glslang 15.4.0"), ("16.0", ":")],
)
def test_a_kernel_is_told_by_the_compiler_that_makes_it(tmp_path: Path, since: str, chosen: str) -> None:
    system, newer = compiler(tmp_path / "system", "12.0.0"), compiler(tmp_path / "newer", "15.4.0")
    script = tmp_path / "ask.cmake"
    script.write_text(
        f"cmake_minimum_required(VERSION 3.25)\nset(BENCH_GLSLANG {system})\nset(BENCH_GLSLANG_NEWER {newer})\n"
        f'include({ROOT / "cmake/Glslang.cmake"})\nbench_glslang_since("{since}" program toolkit)\n'
        'cmake_path(GET program FILENAME name)\nmessage("${name}: ${toolkit}")\nmessage("${BENCH_GLSLANG_FOUND}")\n',
        encoding="utf-8",
    )
    done = subprocess.run(["cmake", "-P", script], capture_output=True, text=True, check=True)
    assert [line.strip() for line in done.stderr.splitlines()] == [chosen, "12.0.0 and 15.4.0"]


# ------------------------------------------------------------------------------------------------------------------------- Vulkan's headers


def headers(folder: Path, version: int, *, extension: str = "VK_EXT_shader_float8") -> Path:
    (folder / "vulkan").mkdir(parents=True)
    (folder / "vulkan/vulkan_raii.hpp").touch()
    (folder / "vulkan/vulkan_core.h").write_text(
        f"#define VK_HEADER_VERSION {version}\n#define VK_HEADER_VERSION_COMPLETE VK_MAKE_API_VERSION(0, 1, 4, VK_HEADER_VERSION)\n#define {extension} 1\n",
        encoding="utf-8",
    )
    return folder


def configure(root: Path, include: Path) -> subprocess.CompletedProcess:
    (root / "ask.cmake").write_text(
        f"cmake_minimum_required(VERSION 3.25)\nset(PROJECT_SOURCE_DIR {root})\nset(BENCH_VULKAN_INCLUDE {include})\n"
        "function(add_library)\nendfunction()\nfunction(target_include_directories)\nendfunction()\n"
        f'include({ROOT / "cmake/VulkanHeaders.cmake"})\nmessage("${{BENCH_VULKAN_FOUND}} in ${{BENCH_VULKAN_INCLUDE}}")\n',
        encoding="utf-8",
    )
    return subprocess.run(["cmake", "-P", "ask.cmake"], cwd=root, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("version", "extension", "chosen"), [(400, "VK_EXT_shader_float8", "1.4.400 in {}/system"), (309, "VK_KHR_shader_bfloat16", f"1.4.363 in {{}}/{FETCHED}")])
def test_the_systems_headers_come_first_where_they_will_do(tmp_path: Path, version: int, extension: str, chosen: str) -> None:
    system = headers(tmp_path / "system", version, extension=extension)
    headers(tmp_path / FETCHED, 363)
    done = configure(tmp_path, system)
    assert done.returncode == 0 and done.stderr.strip() == chosen.format(tmp_path), done.stderr


@pytest.mark.parametrize("old", [True, False])
def test_without_any_that_will_do_the_message_says_what_to_do(tmp_path: Path, old: bool) -> None:
    system = headers(tmp_path / "system", 309, extension="VK_KHR_shader_bfloat16") if old else tmp_path
    done = configure(tmp_path, system)
    assert done.returncode != 0
    said = " ".join(done.stderr.split())
    assert f"found {f'1.4.309 in {system}' if old else 'none'}." in said
    assert "scripts/setup.sh --headers fetches newer ones" in said


def test_set_up_and_the_build_ask_for_the_same() -> None:
    (wanted,) = re.findall(r"^set\(_vulkan_wanted (\w+)\)", (ROOT / "cmake/VulkanHeaders.cmake").read_text(encoding="utf-8"), re.M)
    assert re.findall(r"^readonly kVulkanWanted=(\w+)$", (ROOT / "scripts/setup.sh").read_text(encoding="utf-8"), re.M) == [wanted]
