"""Kernels that CMake writes from one line: cmake/KernelInstances.cmake."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from kernel_instances import ROOT, kernel_file

FOLDERS = sorted(path.parent for path in ROOT.glob("exp*/**/CMakeLists.txt") if "add_experiment(" in path.read_text(encoding="utf-8"))
MACROS_ONLY = re.compile(r"#(version|extension|pragma|define|include)\b(?! \"\w+\.cu\")")  # not: other kernels' files once more
INSTANCE = re.compile(r"[A-Z][A-Z0-9_]*\(.*\)")  # of a kernel that a macro of the body defines


def written(tmp_path: Path, text: str) -> subprocess.CompletedProcess[str]:
    folder = tmp_path / "exp99_any"
    folder.mkdir()
    (folder / "CMakeLists.txt").write_text(f"add_experiment(NAME exp99_any {text})\n", encoding="utf-8")
    command = ["cmake", f"-DFOLDER={folder}", f"-DOUT={tmp_path / 'out'}", "-P", ROOT / "cmake/KernelInstances.cmake"]
    return subprocess.run(command, capture_output=True, text=True)


def test_a_kernel_of_newer_gpus_is_of_the_list_of_that_name(tmp_path: Path) -> None:
    """As add_experiment hands them on; a twin's place is the list of twins that it stands in."""
    folder = tmp_path / "exp99_any"
    folder.mkdir()
    specs = '"a = a.cuh | F(a)" "b = a.cuh | SM80 | F(b)" "d = a.cuh | SM89 | F(d)" "c = a.cuh | SM90A | F(c)" "t = a.cuh | F(t)"'
    script = (
        "macro(add_executable)\nendmacro()\nmacro(add_dependencies)\nendmacro()\nmacro(target_link_libraries)\nendmacro()\nmacro(target_precompile_headers)\nendmacro()\n"
        "macro(target_include_directories)\nendmacro()\nmacro(install)\nendmacro()\n"
        "function(bench_embed_kernels)\n  string(REPLACE \";\" \" \" told \"${ARGN}\")\n  message(STATUS \"${told}\")\nendfunction()\n"
        f"include({ROOT}/cmake/KernelInstances.cmake)\ninclude({ROOT}/cmake/AddExperiment.cmake)\n"
        f"set(CMAKE_CURRENT_SOURCE_DIR {folder})\nset(CMAKE_CURRENT_BINARY_DIR {tmp_path})\nset(PROJECT_SOURCE_DIR {tmp_path})\n"
        f"add_experiment(NAME exp99_any TWINS_SM80 t TWINS_LINKED l CUDA_LINKED cuda/m.cu CUDA cuda/own.cu CUDA_INSTANCES {specs})\n"
    )
    (tmp_path / "try.cmake").write_text(script, encoding="utf-8")
    done = subprocess.run(["cmake", "-P", tmp_path / "try.cmake"], capture_output=True, text=True)
    told = done.stdout.replace(f"{tmp_path}/instances/", "")
    assert done.returncode == 0 and "CUDA cuda/own.cu a.cu CUDA_SM80 t.cu b.cu CUDA_SM89 d.cu CUDA_SM90 CUDA_SM90A c.cu CUDA_LINKED cuda/m.cu cuda/l.cu" in told, done.stdout + done.stderr
    assert (tmp_path / "instances/b.cu").read_text() == '#include "cuda/a.cuh"\n\nF(b)\n'


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


def test_no_file_only_sets_macros() -> None:
    """Such a kernel is a line of its experiment's CMakeLists.txt; a file that lists several is a table, which is worth opening."""
    kernels = [path for folder in FOLDERS for path in (*folder.glob("glsl/*.comp"), *folder.glob("cuda/*.cu"))]
    assert {path.suffix for path in kernels} == {".comp", ".cu"}
    assert [path for path in kernels if only_sets_macros(path.read_text(encoding="utf-8"))] == []


def only_sets_macros(text: str) -> bool:
    code = [line for line in text.splitlines() if line and not line.startswith("//")]
    instances = [line for line in code if INSTANCE.fullmatch(line)]
    return len(instances) <= 1 and all(MACROS_ONLY.match(line) for line in code if line not in instances)


@pytest.mark.parametrize(
    ("text", "only"),
    [
        ('#version 460\n#define A\n\n#include "glsl/a.glsl"\n', True), ('// c\n#include "a.cuh"\n\nADD(add, float)\n', True),
        ('#define ALL\n#include "a.cu"\n#include "b.cu"\n', False),
        ('#include "a.cuh"\n\nADD(a, float)\nADD(b, int)\n', False), ('#include "a.cuh"\nextern "C" __global__ void f(int* a) { *a = 1; }\n', False),
    ],
)  # fmt: skip
def test_what_only_sets_macros(text: str, only: bool) -> None:
    assert only_sets_macros(text) == only


@pytest.mark.parametrize("folder", [f for f in FOLDERS if "_INSTANCES\n" in (f / "CMakeLists.txt").read_text(encoding="utf-8")], ids=lambda folder: folder.name)
def test_each_experiments_lines_are_written_outside_a_build(folder: Path, tmp_path: Path) -> None:
    """For tests that compile them: whatever else its CMakeLists.txt calls, its parent's functions too."""
    call = re.search(r"add_experiment\([^\n]*(?:\n(?: [^\n]*)?)*", (folder / "CMakeLists.txt").read_text(encoding="utf-8"))
    assert call
    lines = re.findall(r'^    "([a-z0-9_]+) = [\w./]+\.(\w+)', call[0], re.MULTILINE)
    assert lines
    for stem, body in lines:
        name = f"glsl/{stem}.comp" if body == "glsl" else f"cuda/{stem}.cu"
        assert kernel_file(folder, name, tmp_path).is_file(), name


def test_each_line_names_a_body_that_is_there(tmp_path: Path) -> None:
    found = 0
    for folder in FOLDERS:
        lines = re.findall(r'^    "([a-z0-9_]+) = ([\w./]+)', (folder / "CMakeLists.txt").read_text(encoding="utf-8"), re.MULTILINE)
        for stem, body in lines:
            side, end = ("glsl", "comp") if body.endswith(".glsl") else ("cuda", "cu")
            assert (folder / side / body).is_file(), f"{folder.name}: {stem}"
            assert not (folder / side / f"{stem}.{end}").exists(), f"{folder.name}: {stem} is a file, too"
            found += 1
    assert found > 100
    folder = ROOT / "exp04_bda"
    assert "ADDRESS\n" in kernel_file(folder, "glsl/copy_f32_address.comp", tmp_path).read_text(encoding="utf-8")
