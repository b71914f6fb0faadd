"""For scripts/test.sh: clang-tidy over the sources that a unity build compiles, less those that are as they were when they passed.

Checks the FILEs, with the flags of BUILD/compile_commands.json. PASSED is the folder of what passed. Prints what is found, and writes JUNIT, in which
each FILE is a test: skipped if the build does not compile it.

The sources that the build compiles at once are checked at once, as one file: a unit. That file holds their texts: the analyzer does not look into a
source that is included. A source that several targets compile is checked once. Units are checked together where they can be read as one file, because
most of the time goes into the headers that all of them include (see Together). Where something is found, the units that it is found in are checked
by themselves, and what is found then counts. Where one of them finds it in a header, the others that read this header are not checked again.
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
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

# The build's precompiled headers are GCC's; clang reads the headers themselves. One of its warnings clang does not know, nor its parameters.
NOT_CLANGS = re.compile(r" -Winvalid-pch| -include \S*cmake_pch\S*| -Wno-error=maybe-uninitialized| --param=\S+")
INCLUDED = re.compile(r'^#include "(/[^"]*\.cpp)"$', re.MULTILINE)
INCLUDE = re.compile(r'^(\s*#\s*include\s*)(<[^>]+>|"[^"]+")', re.MULTILINE)
DEFINED = re.compile(r"^\s*#\s*define\s+(\w+)", re.MULTILINE)
# What means something else inside a namespace.
OF_THE_TOP = re.compile(r"^namespace bench\b|(?<![\w>:])::[a-z]", re.MULTILINE)
# At file scope: where a namespace begins or ends, and what is named in it. No member, for a class's scope is its own.
SCOPES = re.compile(r"^(?:namespace (?P<begin>[\w:]* ?)\{$|(?P<end>\})  // namespace|(?:enum class |enum |struct |class )(?P<type>\w+)"
                    r"|(?!using |template|namespace|static_assert|[A-Z_]+\(|#|//|[ {}])[^\n(=]*?(?<![:\w])(?P<name>\w+)\s*[({;=\[])", re.MULTILINE)  # fmt: skip
USING = re.compile(r"^using (?:\w+::)+(\w+);", re.MULTILINE)
# Bytes of sources that are checked together: a minute or two. More at once take less time altogether, and leave nothing to further processors.
TOGETHER = 2_000_000 // min(max(os.cpu_count() or 2, 2), 8)
# 120 of its functions take strings by value. For each of them performance-unnecessary-value-param would look through the whole file, half of the time;
# it does not where the type's name is from a macro.
BY_VALUE = "<CLI/CLI.hpp>"
FOUND = re.compile(r"^(/\S+?):(\d+):\d+: (?:error|warning): ", re.MULTILINE)
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
    reads: list[str] = field(default_factory=list)  # all files that the compiler reads for it

    def write(self) -> None:
        sources = [source.read_text(encoding="utf-8") for source in self.sources]
        texts = [including([BY_VALUE] if any(f"#include {BY_VALUE}\n" in text for text in sources) else [])]
        for text in sources:
            self.starts.append(sum(before.count("\n") for before in texts))
            texts.append(text)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text("".join(texts), encoding="utf-8")

    def pass_to(self, passed: Path) -> None:
        if self.key:
            (passed / self.key).touch()

    def named(self, said: str) -> str:
        """What clang-tidy says, with the sources' names and lines."""

        def of_source(match: re.Match[str]) -> str:
            at = bisect_right(self.starts, int(match[1]) - 1) - 1
            return f"{self.sources[at]}:{int(match[1]) - self.starts[at]}:"

        return re.sub(re.escape(str(self.path)) + r":(\d+):", of_source, said)


class Together:
    """Units that are read as one file.

    What they include from outside an experiment's folder stands first, once. An experiment's units follow in a namespace each, with copies of the
    folder's headers, for its programs have files and names in common; their macros end with them. Sources that add to the suite's namespaces follow as
    they are: a unit one of whose internal names another one has is not taken.
    """

    def __init__(self, build: Path, config: Path, name: str) -> None:
        self.path = build / "units" / config / f"{name}.cpp"
        self.build = build
        self.units: list[Unit] = []
        self.size = 0
        self.first: dict[str, None] = {}  # what is included
        self.texts: list[str] = []  # of each unit
        self.options: dict[tuple[str, ...], None] = {}
        self.values: dict[str, str] = {}  # of the macros among them
        self.contents: dict[bytes, Path] = {}  # of what is included, once: programs' generated headers
        self.internal: set[tuple[str, str]] = set()
        self.named: set[tuple[str, str]] = set()

    def takes(self, unit: Unit) -> bool:
        """Takes it, if it fits."""
        size = sum(source.stat().st_size for source in unit.sources)
        options = options_of(unit)
        values = dict(word[2:].partition("=")[::2] for (word, *_) in options if word.startswith("-D"))
        if self.units and (self.size + size > TOGETHER or any(self.values.get(name, value) != value for name, value in values.items())):
            return False
        first: dict[str, None] = {}
        copies: dict[Path, str] = {}
        texts = [self.read(Path.cwd() / source, unit, first, copies) for source in unit.sources]
        program = unit.sources[0].parts[0] != "common"
        top = [text for text in texts if not program or OF_THE_TOP.search(text)]
        if any(OF_THE_TOP.search(text) for text in copies.values()) or any(str(self.folder()) in text for text in top):
            top = texts
        if top:
            headers = set().union(*(named_by(name[1:-1]) for name in first if name.startswith('"')))
            if top == texts:
                headers = headers.union(*(names_of(text)[0] for text in copies.values()))
            names, internal = (set().union(*found) for found in zip(*map(names_of, top)))
            names |= headers
            if internal & self.internal or clash(internal - headers, self.named - headers) or clash(self.internal, names - self.named):
                return False
            self.internal |= internal
            self.named |= names
        if inside := [text for text in texts if text not in top]:
            inside = [f"namespace unit{len(self.units)} {{\n", *inside, "}\n"]
        for path, text in copies.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        macros = dict.fromkeys(name for text in (*copies.values(), *texts) for name in DEFINED.findall(text)) if program else ()
        self.units.append(unit)
        self.size += size
        self.first |= first
        self.texts.append("".join((*top, *inside, *(f"#undef {name}\n" for name in macros))))
        self.options |= dict.fromkeys(options)
        self.values |= values
        return True

    def folder(self) -> Path:
        """Of the copies of a further unit's headers."""
        return self.path.with_suffix("") / str(len(self.units))

    def read(self, path: Path, unit: Unit, first: dict[str, None], copies: dict[Path, str]) -> str:
        """Its text, which includes copies of headers beside it, and others by their paths; these are added to `first`."""
        top = Path.cwd()

        def included(match: re.Match[str]) -> str:
            if match[2].startswith("<"):
                first.setdefault(match[2])
                return match[0]
            found = next((at for there in (path.parent, *folders_of(unit)) if (at := Path(os.path.normpath(there / match[2][1:-1]))).is_file()), None)
            if not found:
                return match[0]
            if unit.sources[0].parts[0] == "common" or found.is_relative_to(top / "common") or found.is_relative_to(self.build) or is_of_bench(found):
                found = self.contents.setdefault(found.read_bytes(), found)
                first.setdefault(f'"{found}"')
                return f'{match[1]}"{found}"'
            copy = self.folder() / found.relative_to(top)
            if copy not in copies:
                copies[copy] = ""  # while it is read, for it may include itself
                copies[copy] = self.read(found, unit, first, copies)
            return f'{match[1]}"{copy}"'

        return INCLUDE.sub(included, path.read_text(encoding="utf-8") + "\n")

    def write(self) -> dict[str, object]:
        """Its entry in compile_commands.json."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(including(self.first) + "".join(self.texts), encoding="utf-8")
        words = [word for option in self.options for word in option]
        return {"directory": self.units[0].directory, "file": str(self.path), "arguments": [*words, "-c", str(self.path)]}

    def failing(self, build: Path, passed: Path) -> set[Path]:
        """The sources that clang-tidy finds something in; it is printed."""
        if len(self.units) == 1:
            return set(failing(self.units[0], build, passed))
        code, said = said_of(self.path, build)
        inside, readers = self.units_in(said) if code else ([], [])
        failed = set().union(*(failing(unit, build, passed) for unit in inside))
        unread: list[Unit] = []
        for at, unit in enumerate(readers):
            if found := failing(unit, build, passed):
                unread = readers[at + 1 :]
                failed = failed.union(found, *(other.sources for other in unread))
                break
        if unread:
            print(f"FAILED   {' '.join(str(source) for unit in unread for source in unit.sources)}\nwhich read a header of these:\n{said}", end="", flush=True)
        for unit in self.units:
            if unit not in (*inside, *readers):
                unit.pass_to(passed)
        if code and not failed:
            print(f"note: nothing is found in {' '.join(str(unit.sources[0]) for unit in (*inside, *readers))}, which took longer, because of what is found if "
                  f"{len(self.units)} units are read as one file:\n{said}", end="", flush=True)  # fmt: skip
        return failed

    def units_in(self, said: str) -> tuple[list[Unit], list[Unit]]:
        """Those that it was said in, and further ones that read a header that it was said in. All where the file cannot be compiled."""
        if "[clang-diagnostic-error" in said:
            return [*self.units], []
        line, ends = including(self.first).count("\n"), []
        for text in self.texts:
            ends.append(line := line + text.count("\n"))
        copies, inside, readers = re.escape(str(self.path.with_suffix(""))), set(), set()
        for path, at in FOUND.findall(said):
            if path == str(self.path) and int(at) > ends[0] - self.texts[0].count("\n"):
                inside.add(bisect_left(ends, int(at)))
            elif copy := re.match(copies + r"/(\d+)/", path):
                inside.add(int(copy[1]))
            else:
                readers.update(at for at, unit in enumerate(self.units) if path == str(self.path) or path in unit.reads or not unit.key)
        if not (inside or readers):
            return [*self.units], []
        return [self.units[at] for at in sorted(inside)], [self.units[at] for at in sorted(readers - inside)]


def including(names: Iterable[str]) -> str:
    """The lines that include these."""
    return "".join(f"#define std std\n#include {name}\n#undef std\n" if name == BY_VALUE else f"#include {name}\n" for name in names)


def options_of(unit: Unit) -> list[tuple[str, ...]]:
    """Its command's, an option with its value. The folders of its own headers are left out, which are included by their paths."""
    options, words = [], iter(unit.words)
    for word in words:
        option = (word, next(words)) if word in ("-isystem", "-iquote") else (word,)
        if word != "-iquote" and not word.startswith(f"-I{Path.cwd()}/exp"):
            options.append(option)
    return options


@cache
def is_of_bench(header: Path) -> bool:
    """Whether a program's header adds to the namespace bench, and includes none that does not."""
    text = header.read_text(encoding="utf-8")
    beside = [at for _, name in INCLUDE.findall(text) if (at := header.parent / name[1:-1]).is_file()]
    return bool(re.search(r"^namespace bench\b", text, re.MULTILINE)) and all(map(is_of_bench, beside))


def names_of(text: str) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """What it names at file scope, for others and internally, each with its namespace. There is one main()."""
    within: list[str] = []
    found: tuple[set[tuple[str, str]], set[tuple[str, str]]] = (set(), set())
    for match in SCOPES.finditer(text):
        if match["begin"] is not None:
            within.append(match["begin"].strip())
        elif match["end"]:
            del within[-1:]
        elif name := match["type"] or match["name"]:
            found["" in within or name == "main"].add(("::".join(filter(None, within)), name))
    return found


def clash(internal: set[tuple[str, str]], named: set[tuple[str, str]]) -> bool:
    """Whether one of these internal names is, or hides, one that is named elsewhere."""
    scopes: dict[str, list[str]] = {}
    for scope, name in named:
        scopes.setdefault(name, []).append(scope)
    return any(f"{scope}::".startswith(f"{other}::" if other else "") for scope, name in internal for other in scopes.get(name, ()))


@cache
def named_by(header: str) -> set[tuple[str, str]]:
    """What it and those of the repository's headers that it includes name at file scope."""
    text = Path(header).read_text(encoding="utf-8")
    inside = [at for _, name in INCLUDE.findall(text) for folder in (Path(header).parent, Path.cwd() / "common") if (at := folder / name[1:-1]).is_file()]
    return names_of(text)[0].union(*(named_by(os.path.normpath(at)) for at in inside))


def folders_of(unit: Unit) -> list[Path]:
    quoted = [Path(word) for before, word in zip(unit.words, unit.words[1:]) if before == "-iquote"]
    return [*quoted, *(Path(word[2:]) for word in unit.words if word.startswith("-I"))]


def together(build: Path, units: list[Unit], configurations: list[Path]) -> list[Together]:
    """The units, those together that have the same configuration and options, but for macros and headers' folders."""
    found: dict[tuple[object, ...], list[Together]] = {}
    made = []
    for unit in units:
        config = next(folder for folder in unit.sources[0].parents if folder / ".clang-tidy" in configurations or folder == Path())
        kind = tuple(option for option in options_of(unit) if option[0] != "-isystem" and not option[0].startswith(("-D", "-I")))
        those = found.setdefault((config, unit.sources[0].parts[0] == "common", kind), [])
        if not any(one.takes(unit) for one in those):
            made.append(Together(build, config, f"together_{len(made)}"))
            if made[-1].takes(unit):
                those.append(made[-1])
            else:
                made[-1].units.append(unit)
    return made


def unused_names(source: Path) -> list[str]:
    """What clang-tidy does not find among sources one of which uses the name: a line that declares a name for a file that does not use it."""
    text = source.read_text(encoding="utf-8")
    unused = [match for match in USING.finditer(text) if len(re.findall(rf"\b{match[1]}\b", text)) == 1]
    return [f"{source}:{text.count(chr(10), 0, match.start()) + 1}: error: using decl '{match[1]}' is unused\n" for match in unused]


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
    unit.reads = [os.path.normpath(Path(unit.directory) / file) for file in files]
    parts = [*common, *(word.replace(top, ".").encode() for word in (*unit.words, *files)), *map(hash_of, files)]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def said_of(path: Path, build: Path) -> tuple[int, str]:
    """clang-tidy's exit code and output."""
    # The tests beside it are to have the processor when they want it: some of them measure time.
    command = ["nice", "clang-tidy", "--quiet", "-p", str(build / "units"), str(path)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    return done.returncode, COUNTS.sub("", done.stdout)


def failing(unit: Unit, build: Path, passed: Path) -> list[Path]:
    """The sources that clang-tidy finds something in; it is printed."""
    code, said = said_of(unit.path, build)
    if code == 0:
        unit.pass_to(passed)
        return []
    said = unit.named(said)
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

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for unit, key in zip(units, pool.map(lambda unit: key_of(unit, common), units)):
            unit.key = key
        changed = [unit for unit in units if not (unit.key and (passed / unit.key).exists())]
        print(f"{sum(len(unit.sources) for unit in changed)} of {sum(len(unit.sources) for unit in units)} files are new, or changed since they passed, "
              "or checked with such a file", flush=True)  # fmt: skip
        runs = together(build, changed, configurations)
        commands: list[dict[str, object]] = [{"directory": unit.directory, "file": str(unit.path), "arguments": [*unit.words, "-c", str(unit.path)]} for unit in units]
        commands += [run.write() for run in runs]
        (build / "units/compile_commands.json").write_text(json.dumps(commands), encoding="utf-8")
        runs.sort(key=lambda run: -sum(unit.path.stat().st_size for unit in run.units))
        failed = set().union(*pool.map(lambda run: run.failing(build, passed), runs))
    for unit in changed:
        for source in unit.sources:
            if said := unused_names(source):
                print(f"FAILED   {source}\n{''.join(said)}", end="", flush=True)
                failed.add(source)
                if unit.key:
                    (passed / unit.key).unlink(missing_ok=True)

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
