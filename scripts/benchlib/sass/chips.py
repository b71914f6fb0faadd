"""GPUs whose machine code Mesa's compilers make without them: how a program is started so that it finds such a chip.

Either Mesa out of build/tools (scripts/setup.sh --mesa), on a kernel driver that only pretends; or the system's, where RADV still has a null device.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchlib.base.errors import InputError

FETCH = "scripts/setup.sh --mesa"
MANIFESTS = tuple(Path(folder, "vulkan/icd.d") for folder in ("/usr/share", "/usr/local/share", "/etc"))
NULL_DEVICE = "Null hardware"  # RADV's name begins so


@dataclass(frozen=True)
class Chip:
    name: str  # as compilers have it
    driver: str  # Mesa's: radv, nvk; "": it has none, and HIP alone compiles for the chip
    model: str  # for people
    kernel_driver: str  # that pretends: amdgpu, nouveau
    pretended: str  # what it calls the chip
    null_device: str  # what RADV's null device calls it; "": it has none
    waves: tuple[int, ...] = (32,)  # subgroup sizes to compile for, the usual one first
    waves_per_simd: int = 0  # that a SIMD holds at most, of the usual size; 0: it has no such SIMDs

    def most_subgroups(self, wave: int) -> int:
        """What compilers count of them: a wave64 of RDNA as two."""
        return self.waves_per_simd * wave // self.waves[0]


_ALL = (
    Chip("vega20", "radv", "Radeon VII (Vega)", "amdgpu", "vega20", "vega20", (64,), 10),
    Chip("gfx1030", "radv", "Radeon RX 6800 to 6950 (RDNA2)", "amdgpu", "navi21", "navi21", (32, 64), 16),
    Chip("gfx1100", "radv", "Radeon RX 7900 (RDNA3)", "amdgpu", "navi31", "gfx1100", (32, 64), 16),
    Chip("gfx1201", "radv", "Radeon RX 9070 (RDNA4)", "amdgpu", "gfx1201", "", (32, 64), 16),
    Chip("gfx90a", "", "Instinct MI200 (CDNA2)", "", "", "", (64,), 8),
    Chip("gfx942", "", "Instinct MI300 (CDNA3)", "", "", "", (64,), 8),
    Chip("sm_89", "nvk", "GeForce RTX 4090 (Ada)", "nouveau", "192", ""),
    Chip("sm_90", "nvk", "H100, H200 (Hopper)", "nouveau", "180", ""),
)
CHIPS = {chip.name: chip for chip in _ALL}


@dataclass(frozen=True)
class Launcher:
    prefix: Sequence[str]  # of a program's command
    environment: Mapping[str, str]  # beside the usual


def launcher(chip: Chip, tools: Path) -> Launcher:
    """`tools`: build/tools. Raises InputError with what to do where this machine cannot."""
    if not chip.driver:
        raise InputError(f"{chip.name}: no Vulkan driver compiles for it; --hip compiles CUDA's kernels")
    if os.access(tools / "mesa", os.X_OK):
        return Launcher((str(tools / "mesa"), chip.kernel_driver, chip.pretended), {})
    if not chip.null_device:
        raise InputError(f"{chip.name}: the system's Mesa has no null device of it; {FETCH} fetches one that compiles for it")
    manifest = next((path for folder in MANIFESTS for path in sorted(folder.glob("radeon_icd*.json"))), None)
    if manifest is None:
        raise InputError(f"{chip.name}: there is no RADV here (package mesa-vulkan-drivers); {FETCH} fetches one")
    names = {name: str(manifest) for name in ("VK_DRIVER_FILES", "VK_ICD_FILENAMES")}
    return Launcher((), {"RADV_FORCE_FAMILY": chip.null_device, "MESA_SHADER_CACHE_DISABLE": "true", **names})


def check(chip: Chip, launched: Launcher, gpu: str) -> None:
    """That what was found is no GPU of this machine's: Mesa 26 has no null device, and does not look at what asks for one."""
    if not launched.prefix and not gpu.startswith(NULL_DEVICE):
        raise InputError(f"{chip.name}: this machine's Mesa has no null device any more (found {gpu or 'no device'}); {FETCH} fetches one that compiles for it")
