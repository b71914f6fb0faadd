"""Kernels that CMake writes from one line: cmake/KernelInstances.cmake."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from kernel_instances import ROOT


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


