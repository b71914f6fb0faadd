"""The file that a kernel is written in: cuda/X.cu or glsl/X.comp of its experiment, or the body that a line of CMakeLists.txt instantiates.

No list says which file has an entry point: macros make many of their names. A file answers to its own name, to those of its instances, and to
the words of its code. It is the one that answers to the whole entry point, or to the most of its beginning: copy_tile_4 is in copy_tile.cu.
"""

import re
from pathlib import Path

from benchlib.base import programs
from benchlib.base.kept import kept_last

FOLDERS = {"cuda": "cuda", "vulkan": "glsl"}
KERNELS = (".cu", ".comp")  # before what they include
_INSTANCE = re.compile(r'"([a-z0-9_]+) = ([a-z0-9_./]+)')  # as cmake/KernelInstances.cmake reads it


def source(root: Path, experiment: str, kernel: str, api: str) -> Path | None:
    """From the root: the file; where none answers, the only one, or the folder of the API's kernels; None without the folder. `kernel`: sass.csv's name, an
    entry point with what tells its builds apart behind a dot.
    """
    folder = programs.source_folders(root).get(experiment)
    if folder is None or not (folder / FOLDERS[api]).is_dir():
        return None
    tokens = kernel.partition(".")[0].split("_")
    names, words = _answering(folder, FOLDERS[api])
    for length in range(len(tokens), 0, -1):
        begin = "_".join(tokens[:length])
        if found := names.get(begin) or next((path for path, of_file in words.items() if begin in of_file), None):
            return found.relative_to(root)
    files = set(names.values())
    return (files.pop() if len(files) == 1 else folder / FOLDERS[api]).relative_to(root)


@kept_last(None)
def _answering(folder: Path, part: str) -> tuple[dict[str, Path], dict[Path, frozenset[str]]]:
    """The files by their names and by their instances', and the words of each file's code."""
    files = sorted((path for path in (folder / part).iterdir() if path.is_file()), key=lambda path: (path.suffix not in KERNELS, path.name))
    lines = folder / "CMakeLists.txt"
    instances = _INSTANCE.findall(lines.read_text(encoding="utf-8")) if lines.is_file() else []
    names = {stem: folder / part / body for stem, body in instances if (folder / part / body).is_file()}
    names |= {path.stem: path for path in reversed(files)}
    code = {path: re.sub(r"//.*", "", path.read_text(encoding="utf-8")) for path in files}
    return names, {path: frozenset(re.findall(r"\w+", text)) for path, text in code.items()}
