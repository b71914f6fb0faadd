"""CUDA's kernels as LLVM compiles them for AMD's GPUs, read as HIP. What has inline PTX, or what HIP lacks, does not compile, and its row says so."""

import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchlib.base import children, parallel, programs
from benchlib.base.errors import InputError
from benchlib.sass import amd_isa, sass_cubin
from benchlib.sass.driver_listings import Listed

FETCH = "scripts/setup.sh --hip"
VERSION = "hip.root/version"  # below build/tools
_HEADER = Path(__file__).with_name("hip.h")
_INCLUDE = Path(__file__).with_name("hip_include")  # headers that have other names in CUDA
_MOST_S = 300  # of one file
_KERNEL = re.compile(r"^\t\.amdhsa_kernel (\w+)$", re.MULTILINE)
_FIGURES = {
    "vgprs": r"; NumVgprs: (\d+)", "sgprs": r"; NumSgprs: (\d+)", "scratch_bytes": r"; ScratchSize: (\d+)", "lds_bytes": r"; LDSByteSize: (\d+)",
    "code_bytes": r"; codeLenInByte = (\d+)", "subgroups_per_simd": r"; Occupancy: (\d+)",
}  # fmt: skip
PTX = "has inline PTX, which is no code of AMD's"
_INLINE = re.compile(r";;#ASMSTART\n(.*?);;#ASMEND", re.DOTALL)
_ERROR = re.compile(r"error: (.*)")


def version(tools: Path) -> str:
    """Of the compiler. Raises InputError where there is none."""
    try:
        return (tools / VERSION).read_text(encoding="ascii").strip()
    except OSError as error:
        raise InputError(f"there is no compiler of HIP here; {FETCH} fetches one") from error


@dataclass(frozen=True)
class Source:
    """A file of CUDA's kernels."""

    experiment: str
    folder: Path  # the experiment's
    path: Path  # in it, or as CMakeLists.txt instantiates a body


def sources(root: Path, experiments: Sequence[str], made: Path) -> list[Source]:
    """`made`: a folder for what is instantiated. Raises InputError."""
    folders = programs.source_folders(root)
    found = []
    for experiment in experiments:
        folder = folders[experiment]
        paths = [*sorted((folder / "cuda").glob("*.cu")), *instances(root, folder, made / experiment)]
        found += [Source(experiment, folder, path) for path in paths]
    return found


def instances(root: Path, folder: Path, made: Path) -> list[Path]:
    cmake = folder / "CMakeLists.txt"
    if not cmake.exists() or "CUDA_INSTANCES" not in cmake.read_text(encoding="utf-8"):
        return []
    made.mkdir()
    command = ["cmake", f"-DFOLDER={folder}", f"-DOUT={made}", "-P", root / "cmake/KernelInstances.cmake"]
    code, _, said = children.run(command, _MOST_S)
    if code:
        raise InputError(f"cmake writes the kernels of {cmake}: {said.strip()}")
    return sorted(made.glob("*.cu"))


def functions(text: str) -> dict[str, str]:
    """The kernels of what the compiler wrote: each from its label to the figures behind it."""
    names = _KERNEL.findall(text)
    begins = {name: found.start() for name in names if (found := re.search(rf"^{name}:", text, re.MULTILINE))}
    ends = [*sorted(begins.values()), len(text)]
    return {name: text[begin : ends[ends.index(begin) + 1]] for name, begin in begins.items()}


def listed(experiment: str, name: str, text: str, wave: int) -> Listed:
    """Inline PTX goes through the compiler as it is: what it stands in is no code."""
    if any(inline.strip() for inline in _INLINE.findall(text)):
        return Listed({"experiment": experiment, "kernel": name, "wave": wave, "reason": PTX}, "")
    instructions = amd_isa.parse(text[: text.index("\n\t.section")])
    as_text = amd_isa.as_text(instructions)
    figures = {figure: int(found[1]) for figure, pattern in _FIGURES.items() if (found := re.search(pattern, text))}
    isa_hash = sass_cubin.isa_hash(as_text.encode("ascii"))  # of the text: the compiler writes no encodings
    row = {"experiment": experiment, "kernel": name, "wave": wave, "isa_hash": isa_hash, **figures, **amd_isa.count(instructions)}
    return Listed(row, as_text)


def compile_one(one: Source, root: Path, tools: Path, chip: str, wave: int) -> list[Listed]:
    experiment, path = one.experiment, one.path
    with tempfile.TemporaryDirectory(prefix="hip.") as folder:
        out = Path(folder, "out.s")
        includes = [f"-I{each}" for each in (root, root / "common", one.folder, _INCLUDE)]
        command = [tools / "hip", chip, path, out, *includes, "-include", _HEADER]
        try:
            code, _, said = children.run(command, _MOST_S)
        except InputError as error:
            raise InputError(f"{path}: {error}") from error
        if code == 0:
            return [listed(experiment, name, text, wave) for name, text in functions(out.read_text(encoding="utf-8")).items()]
    found = _ERROR.search(said)
    reason = f"does not compile as HIP: {found[1] if found else f'the compiler ended with {code}'}"
    return [Listed({"experiment": experiment, "kernel": f"{path.stem}.cu", "wave": wave, "reason": reason}, "")]


def compile_all(root: Path, tools: Path, experiments: Sequence[str], chip: str, wave: int) -> list[Listed]:
    """A kernel that two files have is the first's."""
    one = partial(compile_one, root=root, tools=tools, chip=chip, wave=wave)
    found: dict[str, Listed] = {}
    with tempfile.TemporaryDirectory(prefix="hip.") as made:
        for each in parallel.map_all(one, sources(root, experiments, Path(made))):
            for kernel in each:
                found.setdefault(kernel.place, kernel)
    return list(found.values())
