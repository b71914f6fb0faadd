"""What drivers list of their kernels' code, where they give out no bytes (Mesa's): counted into isa.csv, and kept in isa.w<subgroup>.tar.xz of a
folder. There are no times in it, and none belong there.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType, ModuleType

from benchlib.base import archive, csv_file
from benchlib.base.errors import InputError
from benchlib.sass import amd_isa, nak
from benchlib.sass.sass_dump import Kernel

TABLE = "isa.csv"
KEYS = ("experiment", "kernel", "wave")
SUFFIX = ".isa"
_PARTS = re.compile(r"^==== (.*)\n", re.MULTILINE)
_NOTATIONS: dict[str, ModuleType] = {"Assembly": amd_isa, "NAK assembly": nak}  # by what the drivers call the part


def assembly(text: str) -> tuple[str, str]:
    """The part of a driver's listing that is machine code, and its name; ("", "") for none. As core/code/listing.cpp has it."""
    parts = _PARTS.split(text)
    found = [(body, name) for name, body in zip(parts[1::2], parts[2::2]) if "assembly" in name.lower()]
    return found[-1] if found else ("", "")


@dataclass(frozen=True)
class Listed:
    """One kernel for one subgroup size: its row, and its listing ("": the row says why there is none)."""

    row: Mapping[str, object]
    text: str

    @property
    def place(self) -> str:
        return f"{self.row['experiment']}/{self.row['kernel']}"


def figures(names: Mapping[str, str], statistics: Mapping[str, float]) -> dict[str, int]:
    """What a driver says of a pipeline, by our names for it."""
    return {ours: int(statistics[theirs]) for theirs, ours in names.items() if theirs in statistics}


def wave_of(kernel: Kernel, usual: int) -> int:
    """The threads per subgroup that the driver says it compiled for."""
    return int(kernel.statistics.get("Subgroup Size") or usual)


def are_listed(kernels: Iterable[Kernel]) -> bool:
    """Whether their driver lists code, and gives out no bytes."""
    return any(not kernel.code and assembly(kernel.text)[0] for kernel in kernels)


def listed(kernel: Kernel, wave: int) -> Listed:
    """Raises InputError for a listing that nothing here reads."""
    row: dict[str, object] = {"experiment": kernel.experiment, "kernel": kernel.name, "wave": wave}
    text, name = assembly(kernel.text)
    if not text:
        return Listed({**row, "reason": kernel.reason or "the driver lists no machine code"}, "")
    if (notation := _NOTATIONS.get(name)) is None:
        raise InputError(f"{kernel.experiment} {kernel.name}: a listing called {name!r}, which nothing here reads")
    instructions = notation.parse(text)
    counted = {**figures(notation.STATISTICS, kernel.statistics), **notation.count(instructions)}
    return Listed({**row, "isa_hash": kernel.isa_hash, **counted}, notation.as_text(instructions))


def columns(rows: Iterable[Mapping[str, object]]) -> list[str]:
    """Of these notations' rows."""
    there = {column for row in rows for column in row}
    figures = [*amd_isa.FIGURES, "occupancy_pct", *nak.FIGURES, *amd_isa.COUNTS, *nak.COUNTS]
    return [*KEYS, "isa_hash", *(column for column in dict.fromkeys(figures) if column in there), "reason"]


def _with_occupancy(rows: Sequence[dict[str, object]], known: Mapping[int, int]) -> None:
    """The part of the most subgroups that a SIMD holds: of those `known`, or else of the most that any kernel here has."""
    most = {str(wave): subgroups for wave, subgroups in known.items()}
    for row in rows:
        if row.get("subgroups_per_simd"):
            most[str(row["wave"])] = max(most.get(str(row["wave"]), 0), int(str(row["subgroups_per_simd"])))
    for row in rows:
        if row.get("subgroups_per_simd"):
            row["occupancy_pct"] = round(100 * int(str(row["subgroups_per_simd"])) / most[str(row["wave"])])


_UNITS = {"bytes": "B", "pct": "%"}


def said(row: Mapping[str, object]) -> str:
    """A row's figures in one line, those that are not 0 and the registers: what a compiler says of a kernel, and how many instructions of each kind."""
    words = []
    for column in columns([row])[len(KEYS) + 1 : -1]:
        name, _, unit = column.rpartition("_")
        text = f"{name} {row[column]} {_UNITS[unit]}" if unit in _UNITS else f"{column} {row[column]}"
        words += [text.replace("_", " ")] * (column in _ALWAYS or row[column] not in (0, "0", ""))
    return ", ".join(words)


_ALWAYS = {"vgprs", "sgprs", "spilled_vgprs", "lds_bytes", "scratch_bytes", "registers", "spills"}  # also where they are 0


def archive_of(folder: Path, wave: int) -> Path:
    """In it a listing is <experiment>.<kernel>.isa."""
    return folder / f"isa.w{wave}{archive.SUFFIX}"


def read(path: Path) -> dict[str, str]:
    """An archive's listings by their places, "exp01_vector_add/add_f32"; empty where there is none. Raises InputError."""
    try:
        return {name.removesuffix(SUFFIX).replace(".", "/", 1): data.decode("ascii") for name, data in archive.read(path).items()}
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: a listing is ASCII, one here is not: {error}") from error


def rows(folder: Path) -> list[dict[str, str]]:
    return csv_file.rows(folder / TABLE)


def outputs(
    folder: Path, found: Sequence[Listed], waves: Collection[int], complete: Collection[str], most_subgroups: Mapping[int, int] = MappingProxyType({})
) -> dict[Path, str | bytes]:
    """The table and the archives with these in them. Others stay as they are, but for the `complete` experiments' of these subgroup sizes.
    `most_subgroups`: of a SIMD, by subgroup size, where that is known.
    """

    def kept(experiment: str, of_wave: str) -> bool:
        return int(of_wave) not in waves or experiment not in complete

    by_key: dict[tuple[str, ...], dict[str, object]] = {}
    for before in rows(folder):
        if kept(before["experiment"], before["wave"]):
            by_key[tuple(before[key] for key in KEYS)] = {column: value for column, value in before.items() if value != ""}
    by_key |= {tuple(str(one.row[key]) for key in KEYS): dict(one.row) for one in found}
    table = [by_key[key] for key in sorted(by_key)]
    _with_occupancy(table, most_subgroups)
    written: dict[Path, str | bytes] = {folder / TABLE: csv_file.text(columns(table), table)}
    for wave in sorted(waves):
        path = archive_of(folder, wave)
        texts = {place: text for place, text in read(path).items() if kept(place.partition("/")[0], str(wave))}
        texts |= {one.place: one.text for one in found if one.text and one.row["wave"] == wave}
        written[path] = archive.packed({f"{place.replace('/', '.', 1)}{SUFFIX}": text.encode("ascii") for place, text in texts.items()})
    return written
