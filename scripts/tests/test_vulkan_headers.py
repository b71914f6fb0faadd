"""Which Vulkan headers the suite is built with: cmake/VulkanHeaders.cmake."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FETCHED = "build/tools/vulkan/usr/include"


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
