"""Where kernels' machine code comes from: what a program's --dump-isa wrote, or the cubins of a build."""

import json
import re
import struct
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchlib.base import files, programs
from benchlib.sass import sass_cubin
from benchlib.results.results import InputError

DUMP_SCHEMA = 1
_MOST_BYTES = 64 << 20  # of one file: kernels are kilobytes
_MOST_INDEX_BYTES = 8 << 20
_MOST_REGISTERS = 1 << 16


@dataclass(frozen=True)
class Kernel:
    experiment: str
    name: str  # the entry point, the same for both twins; with ".<variant>" or ".c<constants>" where one API has several builds of it
    api: str  # cuda, vulkan
    arch: str  # sm_90a; "" where not known
    entry: str
    stem: str
    code: bytes = b""
    container: bytes = b""  # the cubin or driver object around the code
    isa_hash: str = ""
    registers: int | None = None
    descriptors: bool = False  # its buffers come from descriptors
    text: str = ""  # the driver's own listing, where it gives one
    reason: str = ""  # why there is no code
    statistics: Mapping[str, float] = field(default_factory=dict, compare=False)  # every number that the API gives
    block: int = 0  # threads; 0: not known

    @property
    def key(self) -> tuple[str, str, str]:
        return self.name, self.api, self.arch

    @property
    def file_stem(self) -> str:
        return f"{self.name}.{self.api}"


@dataclass(frozen=True)
class Dump:
    gpu: str
    driver: str
    kernels: list[Kernel]


# -------------------------------------------------------------------------------------------------- a program's dump


def read_dump(folder: Path) -> Dump:
    """All of DIR/<experiment>/index.json below `folder`, or `folder` itself where that is one experiment's."""
    indexes = sorted(folder.glob("*/index.json")) or sorted(folder.glob("index.json"))
    if not indexes:
        raise InputError(f"{folder}: no index.json in it or below: not what --dump-isa writes")
    kernels: list[Kernel] = []
    gpus, drivers = set(), set()
    for index in indexes:
        content = _json_object(index)
        if content.get("schema") != DUMP_SCHEMA:
            raise InputError(f"{index}: schema {content.get('schema')!r}, this program reads schema {DUMP_SCHEMA}")
        gpus.add(_text(index, content, "gpu"))
        drivers.add(_text(index, content, "driver"))
        entries = content.get("kernels")
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise InputError(f"{index}: kernels is no list of objects")
        experiment = _plain_name(index, content, "experiment")
        constants = [_constants(index, entry) for entry in entries]
        kernels += _with_distinct_names([_read_kernel(index, experiment, entry) for entry in entries], entries, constants)
    if len(gpus) > 1:
        raise InputError(f"{folder}: dumps of {len(gpus)} GPUs ({', '.join(map(repr, sorted(gpus)))}); keep one a folder")
    return Dump(gpus.pop(), ", ".join(sorted(filter(None, drivers))), kernels)


def _json_object(path: Path) -> dict[str, object]:
    try:
        content = json.loads(files.read_at_most(path, _MOST_INDEX_BYTES).decode("utf-8"), parse_constant=_no_number)
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path}: {error}") from error
    if not isinstance(content, dict):
        raise InputError(f"{path}: not a JSON object")
    return content


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number")


def _text(index: Path, entry: dict[str, object], key: str) -> str:
    """For people, on one line; "" where there is none."""
    value = entry.get(key)
    if value is not None and not isinstance(value, str):
        raise InputError(f"{index}: {key} is {ascii(value)[:80]}, not a text")
    return "".join(c if c.isprintable() else " " for c in value or "")


def _plain_name(index: Path, entry: dict[str, object], key: str) -> str:
    """A text that becomes part of a file name: nothing in it may lead elsewhere."""
    value = entry.get(key)
    if not isinstance(value, str) or not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*", value):
        raise InputError(f"{index}: {key} is {ascii(value)[:80]}, not a plain name")
    return value


def _read_file(index: Path, entry: dict[str, object], key: str) -> bytes:
    if entry.get(key) is None:
        return b""
    path = index.parent / _plain_name(index, entry, key)
    if not path.is_file():  # a pipe, say
        raise InputError(f"{index}: {key}: there is no file {path.name}")
    try:
        return files.read_at_most(path, _MOST_BYTES)
    except OSError as error:
        raise InputError(f"{index}: {key}: {error}") from error


def _read_kernel(index: Path, experiment: str, entry: dict[str, object]) -> Kernel:
    api = entry.get("api")
    if api not in ("cuda", "vulkan"):
        raise InputError(f"{index}: api is {ascii(api)[:80]}, neither cuda nor vulkan")
    name, code = _plain_name(index, entry, "kernel"), _read_file(index, entry, "code")
    arch, isa_hash = (_text(index, entry, key) for key in ("arch", "isa_hash"))
    if arch and not re.fullmatch(r"sm_[0-9]{2,3}[a-z]?", arch):
        raise InputError(f"{index}: arch is {ascii(arch)[:80]}, not like sm_90a")
    if not re.fullmatch(r"[0-9a-f]{0,16}", isa_hash):
        raise InputError(f"{index}: isa_hash is {ascii(isa_hash)[:80]}, not at most 16 hexadecimal digits")
    statistics = entry.get("statistics")
    statistics = statistics if isinstance(statistics, dict) else {}
    source = index.parent / _plain_name(index, entry, "source") if entry.get("source") else None
    return Kernel(
        experiment=experiment,
        name=name,
        api=str(api),
        arch=arch,
        entry=name,
        stem=_plain_name(index, entry, "stem"),
        code=code,
        container=_read_file(index, entry, "container"),
        isa_hash=isa_hash or sass_cubin.isa_hash(code),
        registers=_registers(index, statistics),
        descriptors=api == "vulkan" and uses_descriptors(source),
        text=_read_file(index, entry, "text").decode("utf-8", "replace"),
        reason=_text(index, entry, "reason"),
        statistics={name: value for name, value in statistics.items() if isinstance(value, (int, float))},
        block=_whole(index, entry, "block_x"),
    )


def _registers(index: Path, statistics: dict[str, object]) -> int | None:
    """CUDA says numRegs, NVIDIA's Vulkan driver Register Count."""
    for name, value in statistics.items():
        if re.fullmatch(r"(?i)numregs|registers|register count", name):
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= _MOST_REGISTERS:
                raise InputError(f"{index}: {name} is {ascii(value)[:80]}, not a number of registers")
            return int(value)
    return None


def _whole(index: Path, entry: dict[str, object], key: str) -> int:
    value = entry.get(key) or 0
    if type(value) is not int or not 0 <= value < 1 << 32:
        raise InputError(f"{index}: {key} is {ascii(value)[:80]}, not a whole number")
    return value


def _constants(index: Path, entry: dict[str, object]) -> list[int]:
    values = entry.get("constants") or []
    if not isinstance(values, list) or not all(type(value) is int and 0 <= value < 1 << 64 for value in values):
        raise InputError(f"{index}: constants is {ascii(values)[:80]}, not a list of whole numbers")
    return values


def _with_distinct_names(
    kernels: list[Kernel], entries: Iterable[dict[str, object]], constants: Sequence[Sequence[int]]
) -> list[Kernel]:
    """Builds of one entry point that differ in how they get at their buffers, in their specialization constants, or in the
    file they come from, get names of their own.
    """

    def shared(candidates: Sequence[Kernel]) -> set[tuple[str, str, str]]:
        seen = Counter(kernel.key for kernel in candidates)
        return {key for key, number in seen.items() if number > 1}

    def renamed(candidates: list[Kernel], suffixes: Sequence[str]) -> list[Kernel]:
        taken = shared(candidates)
        return [
            replace(kernel, name=f"{kernel.name}.{suffix}" if suffix and kernel.key in taken else kernel.name)
            for kernel, suffix in zip(candidates, suffixes)
        ]

    variants = [str(entry.get("variant") or "") for entry in entries]
    kernels = renamed(kernels, [v if re.fullmatch(r"[\w.-]*", v, re.ASCII) else "other" for v in variants])
    named = renamed(kernels, ["c" + "-".join(map(str, values)) if values else "" for values in constants])
    named = renamed(named, [kernel.stem for kernel in named])
    for key in sorted(shared(named)):
        raise InputError(f"{named[0].experiment}: more than one kernel is {' '.join(filter(None, key))}")
    return named


# SPIR-V specification, 2.3 "Physical Layout", 3.3.8 OpDecorate, 3.20 Decoration.
_SPIRV_MAGIC, _OP_DECORATE, _DESCRIPTOR_SET = 0x07230203, 71, 34


def uses_descriptors(spirv: Path | None) -> bool:
    """Whether the shader has a descriptor binding. True where it cannot be read: descriptors are what shaders commonly use."""
    try:
        data = spirv.read_bytes() if spirv and spirv.is_file() and spirv.stat().st_size <= _MOST_BYTES else b""
    except OSError:
        data = b""
    words = struct.unpack(f"<{len(data) // 4}I", data[: len(data) // 4 * 4])
    if len(words) < 5 or words[0] != _SPIRV_MAGIC:
        return True
    at = 5
    while at < len(words):
        length, opcode = words[at] >> 16, words[at] & 0xFFFF
        if length == 0:
            break
        if opcode == _OP_DECORATE and length >= 3 and at + 2 < len(words) and words[at + 2] == _DESCRIPTOR_SET:
            return True
        at += length
    return False


# -------------------------------------------------------------------------------------------------- a build's cubins


def read_cubins(build: Path) -> list[Kernel]:
    """Every kernel of ours of every architecture in BUILD/<the experiment's folder>/<set>_kernels/<stem>.<arch>.cubin."""
    kernels = []
    single, nested = (sorted(build.glob(f"exp[0-9][0-9]_*/{below}*_kernels/*.sm_*.cubin")) for below in ("", "*/"))
    for path in single + nested:
        folder = path.parent.parent
        stem, arch = path.name.removesuffix(".cubin").rsplit(".", 1)
        container = files.read_at_most(path, _MOST_BYTES)
        try:
            functions = sass_cubin.functions(container)
        except sass_cubin.CubinError as error:
            raise InputError(f"{path}: {error}") from error
        for function in functions.values():
            if function.name.startswith("_"):
                continue  # of CUDA's device runtime, which is linked in; ours have the names that their sources give them
            kernels.append(
                Kernel(
                    experiment=folder.name if folder.parent == build else programs.name_in_folder(folder),
                    name=function.name,
                    api="cuda",
                    arch=arch,
                    entry=function.name,
                    stem=stem,
                    code=function.code,
                    container=container,
                    isa_hash=sass_cubin.isa_hash(function.code),
                    registers=function.registers,
                )
            )
    return kernels
