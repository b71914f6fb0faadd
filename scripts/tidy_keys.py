"""For scripts/test.sh: the keys under which clang-tidy's passes are kept. A key is a hash of all that its answer depends on,
with paths from the repository's top: another checkout of the same files has the same keys.

tidy_keys.py BUILD COMPILE_COMMANDS FILE...: prints a line a file: its key, a tab, its path. The key is `none` where the build
does not know which headers the file reads, or no longer.
"""

import hashlib
import json
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path


@cache
def content(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def headers_read(build: Path) -> dict[Path, list[Path]]:
    """What each object was compiled from, where that is still so: Ninja's own record."""
    listing = subprocess.run(["ninja", "-C", str(build), "-t", "deps"], capture_output=True, text=True, check=False).stdout
    read = {}
    for record in listing.split("\n\n"):
        first, *lines = [line for line in record.splitlines() if not line.startswith("ninja: ")] or [""]
        target, _, state = first.partition(": #deps ")
        if state.endswith("(VALID)"):
            read[build / target] = [build / line.strip() for line in lines]
    return read


def main(build: Path, commands: Path, files: list[Path]) -> int:
    top = str(Path.cwd())
    common = [subprocess.run(["clang-tidy", "--version"], capture_output=True, text=True, check=True).stdout]
    common += [content(path) for path in sorted(Path().rglob(".clang-tidy")) if "build" not in path.parts]
    entries = {Path(entry["file"]): entry for entry in json.loads(commands.read_text(encoding="utf-8"))}
    read = headers_read(build)
    precompiled = {path for target, paths in read.items() if target.suffix == ".gch" for path in paths}
    for file in files:
        command = entries[file.absolute()]["command"]
        words = shlex.split(command)
        headers = read.get(build / words[words.index("-o") + 1]) if "-o" in words else None
        # GCC does not name what it had from a precompiled header. Such a header itself differs in every build, and clang reads none.
        reads = [path for path in {*(headers or []), *precompiled} if "cmake_pch" not in path.name]
        key = "none"
        if headers and all(path.is_file() for path in reads):
            parts = [*common, command.replace(top, "."), content(file.absolute())]
            parts += sorted(f"{str(path).replace(top, '.')} {content(path)}" for path in reads)
            key = hashlib.sha256("\0".join(parts).encode()).hexdigest()
        print(f"{key}\t{file}")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), [Path(name) for name in sys.argv[3:]]))
