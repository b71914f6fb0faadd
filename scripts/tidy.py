"""For scripts/test.sh: clang-tidy over the sources that a unity build compiles, less those that are as they were when they passed.

Checks the FILEs, with the flags of BUILD/compile_commands.json. PASSED is the folder of what passed. Prints what is found, and writes JUNIT, in which
each FILE is a test: skipped if the build does not compile it.

The sources that the build compiles at once are checked at once, as one file, which takes a third of the time. That file holds their texts: the
analyzer does not look into a source that is included. A source that several targets compile is checked once.
"""

import argparse
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from bisect import bisect_right
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

# The build's precompiled headers are GCC's; clang reads the headers themselves. One of its warnings clang does not know, nor its parameters.
NOT_CLANGS = re.compile(r" -Winvalid-pch| -include \S*cmake_pch\S*| -Wno-error=maybe-uninitialized| --param=\S+")
INCLUDED = re.compile(r'^#include "(/[^"]*\.cpp)"$', re.MULTILINE)
COUNTS = re.compile(r"^\d+ warnings? (generated|treated as error).*\n", re.MULTILINE)  # of those in the system's headers


@dataclass
class Unit:
    """Sources that are checked at once."""

    path: Path
    directory: str
    words: list[str]  # the compiler's command, without its output and its source
    sources: list[Path]  # from the repository's top
    starts: list[int] = field(default_factory=list)  # the line before each source's first one
    key: str | None = None

    def write(self) -> None:
        lines = 0
        texts = []
        for source in self.sources:
            texts.append(source.read_text(encoding="utf-8"))
            self.starts.append(lines)
            lines += texts[-1].count("\n")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text("".join(texts), encoding="utf-8")

    def named(self, said: str) -> str:
        """What clang-tidy says, with the sources' names and lines."""

        def of_source(match: re.Match[str]) -> str:
            at = bisect_right(self.starts, int(match[1]) - 1) - 1
            return f"{self.sources[at]}:{int(match[1]) - self.starts[at]}:"

        return re.sub(re.escape(str(self.path)) + r":(\d+):", of_source, said)


def units_of(build: Path, files: list[Path]) -> list[Unit]:
    """Of the build's commands, each file once. In the folder units/, which has the repository's folders and their .clang-tidy."""
    top, left, found = Path.cwd(), set(files), []
    for at, entry in enumerate(json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))):
        compiled = Path(entry["file"])
        inside = INCLUDED.findall(compiled.read_text(encoding="utf-8")) if compiled.suffix == ".cxx" else [str(compiled)]
        sources = [source for name in inside if (source := Path(os.path.relpath(name, top))) in left]
        if not sources:
            continue
        left -= set(sources)
        words = [word for word in shlex.split(NOT_CLANGS.sub("", entry["command"])) if word not in ("-c", entry["file"])]
        if "-o" in words:
            at_output = words.index("-o")
            del words[at_output : at_output + 2]
        for folder in dict.fromkeys(source.parent for source in sources):  # for #include "beside.h"
            words += ["-iquote", str(top / folder)]
        found.append(Unit(build / "units" / sources[0].parent / f"{sources[0].stem}_{at}.cpp", entry["directory"], words, sources))
    return found


@cache
def hash_of(path: str) -> bytes:
    return hashlib.sha256(Path(path).read_bytes()).digest()


def key_of(unit: Unit, common: list[bytes]) -> str | None:
    """A hash of all that clang-tidy's answer depends on: the command, and the texts of all files that the compiler reads for it. Paths are from
    the repository's top: another checkout of the same files has the same key. None: some file is missing.
    """
    done = subprocess.run([*unit.words, "-M", str(unit.path)], cwd=unit.directory, capture_output=True, text=True, check=False)
    if done.returncode:
        return None
    top = str(Path.cwd())
    files = shlex.split(done.stdout.partition(":")[2].replace("\\\n", " "))
    parts = [*common, *(word.replace(top, ".").encode() for word in (*unit.words, *files)), *map(hash_of, files)]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def failing(unit: Unit, build: Path, passed: Path) -> list[Path]:
    """The sources that clang-tidy finds something in; it is printed."""
    # The tests beside it are to have the processor when they want it: some of them measure time.
    command = ["nice", "clang-tidy", "--quiet", "-p", str(build / "units"), str(unit.path)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    if done.returncode == 0:
        if unit.key:
            (passed / unit.key).touch()
        return []
    said = COUNTS.sub("", unit.named(done.stdout))
    found = [source for source in unit.sources if f"{source}:" in said] or unit.sources  # in a header: of all
    print(f"FAILED   {' '.join(map(str, found))}\n{said}", end="", flush=True)
    return found


def main(build: Path, passed: Path, junit: Path, files: list[Path]) -> bool:
    build = build.absolute()
    configurations = [path for path in sorted(Path().rglob(".clang-tidy")) if "build" not in path.parts]
    common = [subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True).stdout, *(path.read_bytes() for path in configurations)]
    units = units_of(build, files)
    for configuration in configurations:
        copy = build / "units" / configuration
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(configuration.read_bytes())
    for unit in units:
        unit.write()
    commands = [{"directory": unit.directory, "file": str(unit.path), "arguments": [*unit.words, "-c", str(unit.path)]} for unit in units]
    (build / "units/compile_commands.json").write_text(json.dumps(commands), encoding="utf-8")

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for unit, key in zip(units, pool.map(lambda unit: key_of(unit, common), units)):
            unit.key = key
        changed = [unit for unit in units if not (unit.key and (passed / unit.key).exists())]
        print(f"{sum(len(unit.sources) for unit in changed)} of {sum(len(unit.sources) for unit in units)} files are new, or changed since they passed, "
              "or checked with such a file", flush=True)  # fmt: skip
        changed.sort(key=lambda unit: -unit.path.stat().st_size)
        failed = set().union(*pool.map(lambda unit: failing(unit, build, passed), changed))

    suite = ElementTree.Element("testsuite")
    checked = {source for unit in units for source in unit.sources}
    for file in files:
        case = ElementTree.SubElement(suite, "testcase", name=str(file))
        if file not in checked:
            ElementTree.SubElement(case, "skipped", message="not in this build")
        elif file in failed:
            ElementTree.SubElement(case, "failure")
    ElementTree.ElementTree(suite).write(junit)
    return bool(failed)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for word in ("build", "passed", "junit"):
        parser.add_argument(word, type=Path, metavar=word.upper())
    parser.add_argument("files", type=Path, metavar="FILE", nargs="+")
    sys.exit(main(**vars(parser.parse_args())))
