"""One kernel as every compiler here makes it: NVIDIA's two, and Mesa's and LLVM's for chips that were not there. Their listings side by side, each
instruction beside those that do the same in the others, in terms that all notations share.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from benchlib.base import console, csv_file
from benchlib.base.errors import InputError
from benchlib.results.machine_code import CODES, FOLDER, TWINS
from benchlib.sass import amd_isa, chips, driver_listings, listings, nak, sass, sass_diff

# What an instruction is for. The first ones are what a kernel is there for.
LOAD, STORE, SHARED_LOAD, SHARED_STORE, ATOMIC, MATRIX, CROSS_LANE, ARITHMETIC = (
    "load", "store", "shared load", "shared store", "atomic", "matrix", "cross-lane", "arithmetic"
)  # fmt: skip
CHECK, ADDRESS, CONSTANT, WAIT, FENCE, BARRIER, CONTROL, COMPARE, MOVE, SPECIAL, SPILL, HINT, OTHER = (
    "bounds check", "64-bit address", "scalar or constant load", "wait", "fence", "barrier", "control", "compare", "move", "special register",
    "spill", "hint", "other",
)  # fmt: skip
_ACCESSES = (LOAD, STORE, SHARED_LOAD, SHARED_STORE, ATOMIC, MATRIX, BARRIER)
# Colours of what the kernel is not there for, by the report's names for them; the rest of it is "other".
CAUSES: dict[str, tuple[str, ...]] = {
    "checks": (CHECK,), "qualifiers": (WAIT, FENCE), "addresses": (ADDRESS,), "constants": (CONSTANT,),
    "other": (COMPARE, CONTROL, MOVE, SPECIAL, SPILL, HINT, OTHER),
}  # fmt: skip
CAUSE_OF = {what: cause for cause, whats in CAUSES.items() for what in whats}

_OF_AMD = {
    "matrix": MATRIX, "dot": ARITHMETIC, "atomics": ATOMIC, "cross_lane_lds": CROSS_LANE, "lds_loads": SHARED_LOAD, "lds_stores": SHARED_STORE,
    "scratch": SPILL, "vector_loads": LOAD, "vector_stores": STORE, "scalar_loads": CONSTANT, "cache_control": FENCE, "barriers": BARRIER, "waits": WAIT,
    "clocks": SPECIAL, "branches": CONTROL, "exec_masks": CONTROL, "hints": HINT, "cross_lane": CROSS_LANE, "compares": COMPARE, "moves": MOVE,
    "address_64": ADDRESS, "scalar": ARITHMETIC, "vector": ARITHMETIC,
}  # fmt: skip
_OF_NAK = {
    "matrix": MATRIX, "dot": ARITHMETIC, "atomics": ATOMIC, "shared_loads": SHARED_LOAD, "shared_stores": SHARED_STORE, "local": SPILL, "loads": LOAD,
    "stores": STORE, "constant_loads": CONSTANT, "cache_control": FENCE, "fences": FENCE, "barriers": BARRIER, "special_registers": SPECIAL,
    "branches": CONTROL, "cross_lane": CROSS_LANE, "compares": COMPARE, "moves": MOVE, "hints": HINT, "address_64": ADDRESS, "arithmetic": ARITHMETIC,
}  # fmt: skip
_OF_SASS = {
    "load": LOAD, "store": STORE, "shared_load": SHARED_LOAD, "shared_store": SHARED_STORE, "local_load": SPILL, "local_store": SPILL,
    "generic_load": LOAD, "generic_store": STORE, "atomic": ATOMIC, "constant_load": CONSTANT, "compare": COMPARE, "branch": CONTROL,
    "barrier": BARRIER, "fence": FENCE, "special": SPECIAL, "move": MOVE, "address": ADDRESS, "tensor_product": MATRIX, "other": ARITHMETIC,
}  # fmt: skip
# Of SASS's "other" by the mnemonic.
_SASS_OTHER = {MATRIX: re.compile(r"[HIDQOB]G?MMA"), CROSS_LANE: re.compile(r"SHFL|VOTE|MATCH|C?REDUX"), HINT: re.compile(r"NOP|PREEXIT")}
# What an operation does, whatever it is called; the first that is found in the mnemonic.
_WORDS = {
    "multiply-add": r"fma|mac|mad", "convert": r"cvt|[fiu]2[fi]", "minimum": r"min|max|mnmx", "multiply": r"mul", "shift": r"sh[lrf]|lsh|ash|lea",
    "add": r"add|sub", "logic": r"and|or|xor|lop|not", "function": r"rcp|sqrt|rsq|exp|log|sin|cos|mufu", "end": r"endpgm|exit", "jump": r"bra",
}  # fmt: skip
_WORD = {name: re.compile(pattern) for name, pattern in _WORDS.items()}
_FLOAT = re.compile(r"[fdh](add|fma|mul|mnmx|set)|.*_f(16|32|64)")


class LineTraits(NamedTuple):
    """All of an instruction that decides which others answer it."""

    what: str
    width: int  # bits that a thread moves; 0: it moves none, or who knows
    word: str

    @property
    def family(self) -> tuple[str, str]:
        return self.what, self.word


@dataclass(frozen=True)
class Line:
    text: str
    traits: LineTraits

    @property
    def what(self) -> str:
        return self.traits.what


def _word(opcode: str) -> str:
    low = opcode.lower()
    word = next((name for name, pattern in _WORD.items() if pattern.search(low)), "")
    return f"{word} of floats" if word and _FLOAT.match(low.removeprefix("v_dual_").removeprefix("v_pk_")) else word


def _line(text: str, opcode: str, what: str, width: int = 0) -> Line:
    return Line(text, LineTraits(what, width, _word(opcode) if what in (ARITHMETIC, CONTROL) else ""))


def of_amd(text: str) -> list[Line]:
    widths = {name: re.compile(pattern) for name, pattern in amd_isa.PROPERTIES.items() if name.startswith(("loads_", "stores_"))}

    def width(one: amd_isa.AmdInstruction) -> int:
        return next((int(name.rpartition("_")[2]) for name, pattern in widths.items() if pattern.match(one.text)), 0)

    def what(one: amd_isa.AmdInstruction) -> str:
        return COMPARE if one.opcode.startswith("v_cmpx") else _OF_AMD.get(one.kind, OTHER)  # a compare that writes exec

    return [_line(one.text, one.opcode, what(one), width(one)) for one in amd_isa.parse(text)]


def of_driver(row: Mapping[str, str], text: str) -> list[Line]:
    """A listing of isa.w<subgroup>.tar.xz, with its row of isa.csv, whose figures are its notation's."""
    return (of_amd if row.get("vgprs") else of_nak)(text)


def of_nak(text: str) -> list[Line]:
    def width(opcode: str) -> int:
        found = re.search(r"\.b(\d+)$", opcode)
        return int(found[1]) if found and opcode.startswith(("ld.", "st.")) else 0

    return [_line(one.text, one.opcode, _OF_NAK.get(one.kind, OTHER), width(one.opcode)) for one in nak.parse(text)]


def of_sass(text: str, descriptors: bool) -> list[Line]:
    found = []
    for one in sass.mark_roles(listings.parse(text), descriptors=descriptors):
        kind = sass.kind(one)
        what = CHECK if sass.LIMIT in one.roles else _OF_SASS.get(kind, OTHER)
        if kind == "other":
            what = next((name for name, pattern in _SASS_OTHER.items() if pattern.match(one.base)), what)
        found.append(_line(one.text(), one.opcode, what, sass.width(one) if kind in sass.MEMORY else 0))
    return found


# ----------------------------------------------------------------------------------------------------------- gathering


@dataclass(frozen=True)
class Listing:
    """What one compiler made."""

    title: str  # "RDNA3, ACO"
    about: str  # chip and compiler, for people
    folder: str  # in results/
    kernel: str  # as it is called there
    api: str  # that its source is of: cuda, vulkan
    lines: Sequence[Line]
    facts: Mapping[str, str]  # what the compiler says: registers, ...
    first: bool  # shown at once


_CHIP_TITLES = {"gfx1030": "RDNA2", "gfx1100": "RDNA3", "gfx1201": "RDNA4", "vega20": "Vega", "gfx90a": "CDNA2", "gfx942": "CDNA3"}
_COMPILERS = {"nvk": "NAK", "radv": "ACO", "hip": "LLVM"}  # in their order on a page
_SHOWN_FIRST = {"gfx1100", "sm_90"}  # of the chips that were not there
_FACTS = {
    "registers": ("registers", "vgprs"), "scalar registers": ("sgprs",), "spilled registers": ("spilled_vgprs", "spills"),
    "scratch or local bytes": ("scratch_bytes", "local_bytes"), "shared bytes (LDS)": ("lds_bytes",), "occupancy, %": ("occupancy_pct",),
    "code bytes": ("code_bytes",), "isa_hash": ("isa_hash",),
}  # fmt: skip
_MOST_WARPS = 64  # of an SM of compute capability 9.0


def _facts(row: Mapping[str, str]) -> dict[str, str]:
    found = {name: next((row[column] for column in columns if row.get(column)), "") for name, columns in _FACTS.items()}
    if not found["occupancy, %"] and row.get("warps_per_sm"):
        found["occupancy, %"] = str(round(100 * int(row["warps_per_sm"]) / _MOST_WARPS))
    return found


def _of_nvidia(folder: Path, kernel: str, only: Sequence[str]) -> list[tuple[str, Listing]]:
    codes = {(row["experiment"], row["kernel"], row["api"], row["arch"]): row for row in csv_file.rows(folder / CODES)}
    found = []
    for twin in csv_file.rows(folder / TWINS):
        if twin["kernel"] != kernel or not console.matches(twin["experiment"], only):
            continue
        for api, title, compiler in (("cuda", "CUDA", "nvcc"), ("vulkan", "Vulkan", "NVIDIA's Vulkan driver")):
            name = twin[f"{api}_kernel"]
            row = next((row for key, row in codes.items() if key[:3] == (twin["experiment"], name, api)), {})
            if text := listings.text(listings.path(folder, twin["experiment"]), name, api, twin["arch"]):
                lines = of_sass(text, bool(int(row.get("descriptor_reads") or 0)))
                about = f"{compiler}, {row.get('arch') or twin['arch']}"
                found.append((twin["experiment"], Listing(title, about, folder.name, name, api, lines, _facts(row), True)))
    return found


def _of_chip(folder: Path, names: Sequence[str], only: Sequence[str]) -> list[tuple[str, Listing]]:
    """The first of the names that is there, for each subgroup size."""
    chip, compiler, version = folder.name.split("-", 2)
    rows = [row for row in driver_listings.rows(folder) if row["kernel"] in names and row["isa_hash"] and console.matches(row["experiment"], only)]
    name = min((row["kernel"] for row in rows), key=names.index, default="")
    waves = chips.CHIPS[chip].waves
    found = []
    for row in rows:
        if row["kernel"] != name:
            continue
        wave = int(row["wave"])
        text = driver_listings.read(driver_listings.archive_of(folder, wave)).get(f"{row['experiment']}/{name}", "")
        title = " ".join([_CHIP_TITLES.get(chip, chip), _COMPILERS[compiler], *([f"wave{wave}"] if len(waves) > 1 and compiler == "radv" else [])])
        about = f"{chips.CHIPS[chip].model}, {compiler} {version}, subgroups of {wave}"
        lines = of_driver(row, text)
        shown = chip in _SHOWN_FIRST and wave == waves[0]
        found.append((row["experiment"], Listing(title, about, folder.name, name, "cuda" if compiler == "hip" else "vulkan", lines, _facts(row), shown)))
    return found


def gather(results: Path, kernel: str, only: Sequence[str]) -> tuple[str, list[Listing]]:
    """The kernel's experiment and its listings: NVIDIA's, then those for chips that were not there, which may be called as either of NVIDIA's is.
    Raises InputError where there is none, or the name is several experiments'.
    """
    folders = sorted(path for path in results.iterdir() if path.is_dir())
    found = [one for folder in folders if (folder / FOLDER).is_dir() for one in _of_nvidia(folder, kernel, only)]
    names = {api: list(dict.fromkeys([*(one.kernel for _, one in found if one.api == api), kernel])) for api in ("cuda", "vulkan")}
    for compiler in _COMPILERS:
        for folder in folders:
            if re.fullmatch(rf"\w+-{compiler}-[\w.]+", folder.name) and folder.name.partition("-")[0] in chips.CHIPS:
                found += _of_chip(folder, names["cuda" if compiler == "hip" else "vulkan"], only)
    experiments = sorted({experiment for experiment, _ in found})
    if not experiments:
        raise InputError(f"{results}: no compiler's listing of a kernel {kernel}")
    if len(experiments) > 1:
        raise InputError(f"{kernel} is a kernel of {' and '.join(experiments)}: name one with --only")
    return experiments[0], [one for _, one in found]


# ------------------------------------------------------------------------------------------------------------ aligning


@dataclass
class AlignedLines:
    """Instructions that answer one another, by their listing's place."""

    lines: dict[int, Line] = field(default_factory=dict)

    @property
    def family(self) -> tuple[str, str]:
        return next(iter(self.lines.values())).traits.family


class _Profile(NamedTuple):
    traits: frozenset[LineTraits]
    family: tuple[str, str]


def likeness(a: LineTraits, b: LineTraits) -> int:
    """How well two instructions answer each other; 0: not at all. Accesses are what the rest is there for."""
    if a.what != b.what or (a.what == CONTROL and a.word != b.word):
        return 0
    return (10 if a.what in _ACCESSES else 1) + (3 if a.width == b.width else 0) + (2 if a.word == b.word else 0)


def _of_row_or_line(one: AlignedLines | Line) -> _Profile | LineTraits:
    return _Profile(frozenset(line.traits for line in one.lines.values()), one.family) if isinstance(one, AlignedLines) else one.traits


def _row_likeness(a: _Profile, b: LineTraits) -> int:
    return max(likeness(each, b) for each in a.traits)


_MATCHING = sass_diff.Matching(_of_row_or_line, _row_likeness)


def aligned(found: Sequence[Listing]) -> list[AlignedLines]:
    """All in their order: each listing beside those before it."""
    rows: list[AlignedLines] = []
    for at, listing in enumerate(found):
        joined = []
        for pair in sass_diff.align(rows, listing.lines, _MATCHING):
            row: AlignedLines = pair.left or AlignedLines()
            if pair.right:
                row.lines[at] = pair.right
            joined.append(row)
        rows = joined
    return rows


# ------------------------------------------------------------------------------------------------------------ counting

_WIDE = {f"{what}s of {width} bits": (what, width) for what in (LOAD, STORE) for width in (128, 64, 32)}
_COUNTED = (
    SHARED_LOAD, SHARED_STORE, ATOMIC, CONSTANT, ADDRESS, CHECK, COMPARE, WAIT, FENCE, BARRIER, CROSS_LANE, MATRIX, CONTROL, MOVE, SPILL, ARITHMETIC, OTHER
)  # fmt: skip


def figures(found: Sequence[Listing]) -> list[tuple[str, list[str]]]:
    """What the compilers say and what their listings hold, a name and a text per listing. Rows of nothing are left out."""
    counted = [Counter(line.what for line in one.lines) for one in found]
    wide = [Counter((line.what, line.traits.width) for line in one.lines) for one in found]
    rows = [("instructions", [str(len(one.lines)) for one in found])]
    rows += [(name, [one.facts[name] for one in found]) for name in _FACTS]
    rows += [(name, [str(each[key]) for each in wide]) for name, key in _WIDE.items()]
    rows += [(_plural(what), [str(each[what]) for each in counted]) for what in _COUNTED]
    return [(name, texts) for name, texts in rows if any(text not in ("", "0") for text in texts)]


def _plural(what: str) -> str:
    return {ADDRESS: "64-bit address arithmetic", ARITHMETIC: "arithmetic", MATRIX: "matrix", CROSS_LANE: "cross-lane", CONTROL: "control", OTHER: "other"}.get(
        what, f"{what}s"
    )
