"""Two GLSL compilers, and which of them a kernel is compiled by: cmake/Glslang.cmake."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


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
