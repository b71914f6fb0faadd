"""The columns of a result file: what each is for and of what type, from the sidecar that the program wrote, and the check that every
cell is what its column says.

<experiment>.schema.json lies beside <experiment>.csv:

    {"schema": 2, "experiment": "exp01_vector_add", "columns": [
      {"name": "block", "role": "param", "type": "integer", "unit": "threads", "key": true, "interval": false, "meaning": "..."},
      ...]}

in the CSV's order; a column with an interval stands for three, X, X_lo and X_hi. Committed runs share theirs, which are the same in
hundreds of runs, packed: results/schemas/<experiment>-<hash of the CSV's header>.json.xz. Files of schema 1, from before programs wrote sidecars,
have such a one, too.
"""

import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, fields
from operator import itemgetter
from pathlib import Path
from typing import NoReturn

from benchlib.base import csv_file, files
from benchlib.base.errors import InputError

SCHEMA = 2
READ = (1, SCHEMA)
SHARED = "schemas"  # the folder, beside or above a run's
ROLES = ("identity", "param", "model", "case", "time", "measured", "origin")
TYPES = ("integer", "real", "text")
APIS = ("cuda", "vulkan")
STATUSES = ("ok", "failed", "skipped")
MOST_SIDECAR_BYTES = 1 << 20
_MOST_FOLDERS = 5  # results/<gpu>/boards/<board>/run<k>
# No figure of a GPU lies beyond; their products and ratios stay within a float's range.
SMALLEST, GREATEST = 1e-30, 1e30
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_TIME = re.compile(r"20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-6][0-9]Z")
# How the programs write a row's origin. What a spreadsheet makes of it (3.66E+09) would be another code, or another GPU.
FORMS = {
    "isa_hash": (re.compile(r"(?:[0-9a-f]{12})?"), "12 hexadecimal digits"),
    "sources": (re.compile(r"(?:[0-9a-f]{12})?"), "12 hexadecimal digits"),
    "gpu_uuid": (re.compile(r"(?:(?:GPU-)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?"), "a UUID"),
    "git_rev": (re.compile(r"(?:unknown|[0-9a-f]{7,40}(?:-dirty)?)(?:\+[\w:.-]+)?"), "a commit"),
    "driver": (re.compile(r"(?:[^\W_][ -~]{0,198})?"), "a driver's version"),
}
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")
_NUMBERS = re.compile(rf"(?:{_NUMBER.pattern}(?:\n|\Z))++")


@dataclass(frozen=True)
class Column:
    name: str
    role: str  # see ROLES
    type: str  # see TYPES
    unit: str = ""
    key: bool = False  # with the other keys it tells a row from every other
    interval: bool = False  # stands for three columns: X, X_lo and X_hi
    meaning: str = field(default="", compare=False)

    @property
    def names(self) -> list[str]:
        """As the CSV's header has them."""
        return [self.name, f"{self.name}_lo", f"{self.name}_hi"] if self.interval else [self.name]


# What the scripts ask of every file, whatever its experiment: name, role, type, key, interval.
COMMON = [
    *(Column(name, "identity", "integer" if name == "schema" else "text", key=name in ("variant", "api"))
      for name in ("schema", "experiment", "variant", "api", "status", "reason")),
    Column("elements", "case", "integer", key=True), Column("useful_bytes", "case", "integer"),
    Column("cache", "case", "text", key=True), Column("device_ns", "time", "real", interval=True),
    *(Column(name, "time", "real") for name in ("roundtrip_ns", "submit_ns", "gbps", "peak_pct")),
    Column("seed", "origin", "integer"),
    *(Column(name, "origin", "text") for name in
      ("isa_hash", "gpu", "gpu_uuid", "driver", "toolkit", "git_rev", "started_at")),
]  # fmt: skip


def header(columns: Iterable[Column]) -> list[str]:
    return [name for column in columns for name in column.names]


# ------------------------------------------------------------------------------------------------------------- sidecar


def sidecar(path: Path, header: Sequence[str]) -> Path:
    """Of a result file, packed or not: the one beside it, else the one that files of this header share, nearest above it."""
    beside = own_sidecar(path)
    if not os.path.lexists(beside):
        name = shared_name(path, header)
        for folder in path.resolve().parents[:_MOST_FOLDERS]:
            if (folder / SHARED / name).is_file():
                return folder / SHARED / name
    return beside


def own_sidecar(path: Path) -> Path:
    """Where a result file's own lies, if it has one."""
    return path.with_name(f"{csv_file.stem(path)}.schema.json")


def shared_name(path: Path, header: Sequence[str]) -> str:
    """Of the sidecar that result files of this experiment and header share, in a folder SHARED above them."""
    return f"{csv_file.stem(path)}-{hashlib.sha256(','.join(header).encode()).hexdigest()[:12]}.json.xz"


def read_sidecar(path: Path, experiment: str) -> tuple[int, list[Column]]:
    """The schema's number, and the columns that a sidecar declares. Raises InputError, in one line, for whatever is wrong with it."""
    content = _json(path)
    if not isinstance(content, dict) or content.keys() != {"schema", "experiment", "columns"}:
        raise InputError(f"{path}: not an object of schema, experiment and columns")
    if type(content["schema"]) is not int or content["schema"] not in READ:
        raise InputError(f"{path}: schema {ascii(content['schema'])[:40]}, this program reads schema {SCHEMA}")
    if content["experiment"] != experiment:
        raise InputError(f"{path}: of experiment {ascii(content['experiment'])[:80]}")
    entries = content["columns"]
    if not isinstance(entries, list) or not entries:
        raise InputError(f"{path}: columns is no list of columns")
    columns = [_column(f"{path}: column {number}", entry) for number, entry in enumerate(entries, start=1)]
    twice = sorted(name for name, number in Counter(header(columns)).items() if number > 1)
    if twice:
        raise InputError(f"{path}: two columns {ascii(twice[0])}: a parameter needs a name that no file's own column has")
    found = {column.name: column for column in columns}
    for common in COMMON:
        column = found.get(common.name)
        if column is None:
            raise InputError(f"{path}: no column {common.name}")
        for key in ("role", "type", "key", "interval"):
            if getattr(column, key) != getattr(common, key):
                raise InputError(f"{path}: {column.name}: {key} is {getattr(column, key)}, not {getattr(common, key)}")
    return content["schema"], columns


def _json(path: Path) -> object:
    data = (files.unpacked if path.suffix == ".xz" else files.read_at_most)(path, MOST_SIDECAR_BYTES)
    try:
        return json.loads(data.decode("utf-8"), object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: {ascii(str(error))[1:-1]}") from error


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is there twice")
    return found


def _column(where: str, entry: object) -> Column:
    wanted = {each.name: each.type for each in fields(Column)}
    if not isinstance(entry, dict):
        raise InputError(f"{where}: not an object")
    if entry.keys() != wanted.keys():
        odd = sorted(entry.keys() ^ wanted.keys())[0]
        raise InputError(f"{where}: {'no' if odd in wanted else 'unknown'} key {ascii(odd)[:80]}")
    for key, kind in wanted.items():
        if type(entry[key]) is not kind:
            raise InputError(f"{where}: {key} is {ascii(entry[key])[:80]}, not a {kind.__name__}")
    column = Column(**entry)
    if not _NAME.fullmatch(column.name):
        raise InputError(f"{where}: name is {ascii(column.name)[:80]}, not a plain name")
    for key, known in (("role", ROLES), ("type", TYPES)):
        if getattr(column, key) not in known:
            raise InputError(f"{where}: {key} is {ascii(getattr(column, key))[:80]}, none of {', '.join(known)}")
    if column.interval and (column.type == "text" or column.key or column.role not in ("time", "measured")):
        raise InputError(f"{where}: only a figure that was measured has an interval")
    if column.role == "param" and not column.key:
        raise InputError(f"{where}: key is False, but a parameter is part of the key")
    return column


# --------------------------------------------------------------------------------------------------------------- cells


def real(text: str) -> float | None:
    """The number that a cell holds; None for what is none, and for what no measurement gives: nan, inf, 1e-308."""
    if not _NUMBER.fullmatch(text):
        return None
    value = float(text)
    return value if value == 0 or SMALLEST <= abs(value) <= GREATEST else None


def is_whole(text: str) -> bool:
    """0 to 2^64 - 1."""
    return len(text) <= 20 and text.isascii() and text.isdigit() and int(text) < 1 << 64


class Checker:
    """Checks a file's rows against its columns. Raises InputError with the file, the line and the column."""

    def __init__(self, path: Path, experiment: str, columns: Sequence[Column], schema: int):
        self._path = path
        self._columns = columns
        self._at = {name: index for index, name in enumerate(header(columns))}
        self._known = {"schema": (str(schema),), "experiment": (experiment,), "api": APIS, "status": STATUSES}
        self._identity = itemgetter(*(self._at[name] for name in self._known))
        self._right: set[tuple[str, ...]] = set()  # rows' identities repeat
        self._origin = itemgetter(self._at["status"], self._at["gpu_uuid"], self._at["started_at"])
        self._formed = [(name, self._at[name], form, wanted, set[str]()) for name, (form, wanted) in FORMS.items() if name in self._at]

    def identity(self, line: int, cells: Sequence[str]) -> None:
        """Whether a row is one of this file's."""
        texts = self._identity(cells)
        if texts not in self._right:
            for (name, known), text in zip(self._known.items(), texts):
                if text not in known:
                    self._fail(line, self._not_known(name, text))
            self._right.add(texts)
        for name, at, form, wanted, right in self._formed:
            if (text := cells[at]) not in right:
                if not form.fullmatch(text):
                    self._fail(line, f"{name} is {ascii(text)[:80]}, not {wanted}")
                right.add(text)
        status, uuid, started_at = self._origin(cells)
        if not _TIME.fullmatch(started_at):
            self._fail(line, f"started_at is {ascii(started_at)[:80]}, not a time such as 2026-11-21T09:30:00Z")
        if status == "ok" and not uuid:
            self._fail(line, "gpu_uuid is empty: which GPU is this a result of?")

    def numbers(self, records: Sequence[tuple[int, Sequence[str]]]) -> None:
        """Of all rows, column by column; each with the line it ends on."""
        lines = [line for line, _ in records]
        for column in self._columns:
            if column.type == "text" or column.name == "schema":
                continue
            texts = [[cells[self._at[name]] for _, cells in records] for name in column.names]
            for name, of_column in zip(column.names, texts):
                self._check_numbers(column, name, lines, of_column)
            if column.interval:
                self._check_intervals(column.name, lines, *texts)

    def _check_numbers(self, column: Column, name: str, lines: Sequence[int], texts: Sequence[str]) -> None:
        fit, wanted = _wanted(column, name)
        if not fit(set(texts) - {""}):  # texts repeat
            line, text = next((line, text) for line, text in zip(lines, texts) if text and not fit([text]))
            self._fail(line, f"{name} is {ascii(text)[:80]}, not {wanted}")

    def _check_intervals(self, name: str, lines: Sequence[int], values: Sequence[str], los: Sequence[str], his: Sequence[str]) -> None:
        for line, value, lo, hi in zip(lines, values, los, his):
            if (lo or hi) and not (value and lo and hi):
                self._fail(line, f"{name} and its interval's two ends belong together, and one is empty")
            if lo and not float(lo) <= float(value) <= float(hi):
                self._fail(line, f"{name} lies outside its interval")

    def _fail(self, line: int, what: str) -> NoReturn:
        raise InputError(f"{self._path}: line {line}: {what}")

    def _not_known(self, name: str, text: str) -> str:
        if name == "experiment":
            return f"a row of experiment {ascii(text)[:80]}"
        known = self._known[name]
        reason = f"none of {', '.join(known)}"
        if name == "schema":
            reason = f"but {sidecar(self._path, header(self._columns)).name} is of schema {known[0]}"
        return f"{name} {ascii(text)[:80]}, {reason}"


def _wanted(column: Column, name: str) -> tuple[Callable[[Collection[str]], bool], str]:
    """What a column's cells must be: the test of all of them, and its name. The ends of an interval are real numbers, whatever they enclose."""
    if column.type == "integer" and name == column.name:
        return lambda texts: all(map(is_whole, texts)), "a whole number"
    return (_are_positive, "a positive number") if column.role == "time" else (_are_real, "a number")


def _values(texts: Collection[str]) -> list[float] | None:
    """Of numbers; None where one is none. One search through all of them, which are millions in a set of results."""
    together = "\n".join(texts)
    if texts and (together.count("\n") >= len(texts) or not _NUMBERS.fullmatch(together)):
        return None
    return [float(text) for text in texts]


def _are_real(texts: Collection[str]) -> bool:
    values = _values(texts)
    return values is not None and all(value == 0 or SMALLEST <= abs(value) <= GREATEST for value in values)


def _are_positive(texts: Collection[str]) -> bool:
    values = _values(texts)
    return values is not None and all(SMALLEST <= value <= GREATEST for value in values)
