"""Finding programs: the experiments of a build, and NVIDIA's tools."""

import os
import re
import shutil
from collections.abc import Iterable
from pathlib import Path

from benchlib.base.errors import InputError

CONTROLS = ("stamp_pair", "ruler", "ruler_full", "aa_control_a", "aa_control_b")  # variants about the measurement, not about the APIs


def experiments(folder: Path, otherwise: str = "build first, or give --bin") -> list[Path]:
    """The experiment programs in a build's bin folder, in their order. Raises InputError where there are none, which says what to do `otherwise`."""
    found = sorted(path for path in folder.glob("exp[0-9][0-9]_*") if path.is_file() and os.access(path, os.X_OK))
    if not found:
        raise InputError(f"no experiment programs (exp??_*) in {folder}: {otherwise}")
    return found


def source_folders(root: Path) -> dict[str, Path]:
    """Where each experiment's claims.toml and README.md are, by its program's name: exp05_strided's in exp05_strided/, and
    where several programs share a folder, exp06_litmus's in exp06_memory_model/litmus/.
    """
    single = {path.parent.name: path.parent for path in root.glob("exp[0-9][0-9]_*/claims.toml")}
    nested = {name_in_folder(path.parent): path.parent for path in root.glob("exp[0-9][0-9]_*/*/claims.toml")}
    return dict(sorted((single | nested).items()))


def name_in_folder(folder: Path) -> str:
    """The program of a folder in a folder of several programs."""
    return f"{folder.parent.name.partition('_')[0]}_{folder.name}"


def find_tool(name: str, variable: str, explicit: str | None, others: Iterable[Path]) -> Path | None:
    """The program named (by `explicit`, or in the environment by `variable`; InputError if there is none of that name), else
    the first of: the one on PATH, a CUDA toolkit's, `others`."""
    named = explicit or os.environ.get(variable)
    if named:
        path = shutil.which(named)
        if not path:
            raise InputError(f"{named}: no such program")
        return Path(path).absolute()  # subprocess looks for ./ncu, once it is a Path, on PATH
    on_path = shutil.which(name)
    folders = [os.environ.get(home) for home in ("CUDA_HOME", "CUDA_PATH")] + ["/usr/local/cuda"]
    candidates = [Path(on_path)] if on_path else []
    candidates += [Path(folder, "bin", name) for folder in folders if folder]
    candidates += others
    return next((path.absolute() for path in candidates if os.access(path, os.X_OK)), None)


def slug(gpu: str) -> str:
    """The results' folder of a GPU, as the programs' --print-slug says it: nvidia-h200 for "NVIDIA H200"."""
    bare = re.sub(r"\((R|TM|C)\)", " ", gpu)
    return re.sub(r"[^a-z0-9]+", "-", bare.lower()).strip("-") or "unknown"
