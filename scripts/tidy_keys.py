"""For scripts/test.sh: the keys under which clang-tidy's passes are kept. A key is a hash of all that its answer depends on,
with paths from the repository's top: another checkout of the same files has the same keys.

tidy_keys.py COMPILE_COMMANDS FILE...: prints a line a file: its key, a tab, its path. The key is `absent` for a file that the commands
do not compile, and `none` for one that does not get through the preprocessor.
"""

import hashlib
import json
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def preprocessed(entry: dict[str, str]) -> bytes | None:
    """All that the compiler reads of it, comments and macros included: they may be findings, or forbid them."""
    words = shlex.split(entry["command"])
    if "-o" in words:
        at = words.index("-o")
        del words[at : at + 2]
    done = subprocess.run([*words, "-E", "-C", "-dD"], cwd=entry["directory"], capture_output=True, check=False)
    return done.stdout if done.returncode == 0 else None


def main(commands: Path, files: list[Path]) -> int:
    top = os.fsencode(Path.cwd())
    common = [subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True).stdout]
    common += [path.read_bytes() for path in sorted(Path().rglob(".clang-tidy")) if "build" not in path.parts]
    entries = {Path(entry["file"]): entry for entry in json.loads(commands.read_text(encoding="utf-8"))}

    def key(file: Path) -> str:
        entry = entries.get(file.absolute())
        if entry is None:
            return "absent"
        text = preprocessed(entry)
        if text is None:
            return "none"
        return hashlib.sha256(b"\0".join([*common, entry["command"].encode().replace(top, b"."), text.replace(top, b".")])).hexdigest()

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for file, found in zip(files, pool.map(key, files)):
            print(f"{found}\t{file}")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]]))
