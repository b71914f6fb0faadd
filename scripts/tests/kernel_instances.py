"""A kernel's file, for tests that compile it: as it lies in the repository, or as CMake writes it from its line in CMakeLists.txt."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def kernel_file(folder: Path, name: str, out: Path) -> Path:
    """`name`: glsl/X.comp or cuda/X.cu. `out`: where CMake may write. What is written includes bodies relative to `folder`."""
    if (folder / name).is_file():
        return folder / name
    script = ROOT / "cmake/KernelInstances.cmake"
    subprocess.run(["cmake", f"-DFOLDER={folder}", f"-DOUT={out}", "-P", script], check=True, capture_output=True)
    return out / Path(name).name
