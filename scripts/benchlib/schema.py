"""The columns of a result file: what each is for and of what type, from the sidecar that the program wrote, and the check that every
cell is what its column says.

<experiment>.schema.json lies beside <experiment>.csv:

    {"schema": 2, "experiment": "exp01_vector_add", "columns": [
      {"name": "block", "role": "param", "type": "integer", "unit": "threads", "key": true, "interval": false, "meaning": "..."},
      ...]}

in the CSV's order; a column with an interval stands for three, X, X_lo and X_hi. Files of schema 1 have no sidecar: see schema1.py.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache
from pathlib import Path
from typing import NoReturn

from benchlib.csv_file import InputError

SCHEMA = 2
ROLES = ("identity", "param", "model", "case", "time", "measured", "origin")
TYPES = ("integer", "real", "text")
APIS = ("cuda", "vulkan")
STATUSES = ("ok", "failed", "skipped")
MOST_SIDECAR_BYTES = 1 << 20
# No figure of a GPU lies beyond; their products and ratios stay within a float's range.
LEAST, GREATEST = 1e-30, 1e30
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")


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


def sidecar(path: Path) -> Path:
    """Of a result file."""
    return path.with_name(f"{path.stem}.schema.json")


def read_sidecar(path: Path, experiment: str) -> list[Column]:
    """The columns that a sidecar declares. Raises InputError, in one line, for whatever is wrong with it."""
    content = _json(path)
    if not isinstance(content, dict) or content.keys() != {"schema", "experiment", "columns"}:
        raise InputError(f"{path}: not an object of schema, experiment and columns")
    if type(content["schema"]) is not int or content["schema"] != SCHEMA:
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
    return columns


def _json(path: Path) -> object:
    with open(path, "rb") as file:
        data = file.read(MOST_SIDECAR_BYTES + 1)
    if len(data) > MOST_SIDECAR_BYTES:
        raise InputError(f"{path}: longer than {MOST_SIDECAR_BYTES >> 20} MiB")
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
    wanted = {each.name: str(each.type) for each in fields(Column)}
    if not isinstance(entry, dict):
        raise InputError(f"{where}: not an object")
    if entry.keys() != wanted.keys():
        odd = sorted(entry.keys() ^ wanted.keys())[0]
        raise InputError(f"{where}: {'no' if odd in wanted else 'unknown'} key {ascii(odd)[:80]}")
    for key, kind in wanted.items():
        if type(entry[key]).__name__ != kind:
            raise InputError(f"{where}: {key} is {ascii(entry[key])[:80]}, not a {kind}")
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


@lru_cache(maxsize=1 << 16)  # a file's cells repeat
def real(text: str) -> float | None:
    """The number that a cell holds; None for what is none, and for what no measurement gives: nan, inf, 1e-308."""
    if not _NUMBER.fullmatch(text):
        return None
    value = float(text)
    return value if value == 0 or LEAST <= abs(value) <= GREATEST else None


def is_whole(text: str) -> bool:
    """0 to 2^64 - 1."""
    return len(text) <= 20 and text.isascii() and text.isdigit() and int(text) < 1 << 64


class Checker:
    """Checks the rows of one file against its columns. Raises InputError with the file, the line and the column. `roles`: of the columns
    whose numbers are checked.
    """

    def __init__(self, path: Path, experiment: str, columns: Sequence[Column], schema: int, roles: Collection[str] = ROLES):
        self._path = path
        at = {name: index for index, name in enumerate(header(columns))}
        beside = sidecar(path).name
        reason = f"but {beside} is of schema {SCHEMA}" if schema == SCHEMA else f"and no {beside} beside it: not schema {schema}"
        self._fixed = [(at["schema"], (str(schema),), reason), *(
            (at[name], known, f"none of {', '.join(known)}")
            for name, known in (("experiment", (experiment,)), ("api", APIS), ("status", STATUSES))
        )]  # fmt: skip
        self._names = list(at)
        # The last: the texts that are known to be right. A column's repeat from row to row.
        self._columns = [
            (at[column.name], column.type == "integer", column.role == "time", column.interval, {""})
            for column in columns if column.type != "text" and column.name != "schema" and column.role in roles
        ]  # fmt: skip

    def __call__(self, line: int, cells: Sequence[str]) -> None:
        for index, known, reason in self._fixed:
            if cells[index] not in known:
                self._fail_fixed(line, index, cells[index], reason)
        for index, integer, positive, interval, right in self._columns:
            text = cells[index]
            if text not in right:
                if integer:
                    if not is_whole(text):
                        self._fail(line, index, text, "a whole number")
                else:
                    self._number(line, index, text, positive)
                right.add(text)
            if interval and (cells[index + 1] or cells[index + 2]):
                self._check_interval(line, index, cells, positive)

    def _number(self, line: int, index: int, text: str, positive: bool) -> float:
        value = real(text)
        if value is None or (positive and value <= 0):
            self._fail(line, index, text, "a positive number" if positive else "a number")
        return value

    def _check_interval(self, line: int, index: int, cells: Sequence[str], positive: bool) -> None:
        texts = cells[index : index + 3]
        where, name = f"{self._path}: line {line}", self._names[index]
        if not all(texts):
            raise InputError(f"{where}: {name} and its interval's two ends belong together, and one is empty")
        value, lo, hi = (self._number(line, index + at, text, positive) for at, text in enumerate(texts))
        if not lo <= value <= hi:
            raise InputError(f"{where}: {name} lies outside its interval")

    def _fail(self, line: int, index: int, text: str, wanted: str) -> NoReturn:
        raise InputError(f"{self._path}: line {line}: {self._names[index]} is {ascii(text)[:80]}, not {wanted}")

    def _fail_fixed(self, line: int, index: int, text: str, reason: str) -> None:
        name = self._names[index]
        what = f"a row of experiment {ascii(text)[:80]}" if name == "experiment" else f"{name} {ascii(text)[:80]}"
        raise InputError(f"{self._path}: line {line}: {what}" + ("" if name == "experiment" else f", {reason}"))

