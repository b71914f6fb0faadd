"""Reading a directory of results. Whatever is wrong with it raises InputError: one line, with the file and its line."""

from __future__ import annotations

import math
import os
import re
import statistics
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from copy import copy
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from benchlib.base import archive, csv_file, files, toml_file
from benchlib.results import counters_file, schema, split_off
from benchlib.base.errors import InputError
from benchlib.base.kept import Keeper, kept, kept_property
from benchlib.base.software import is_software
from benchlib.results.machine_code import TWINS, MachineCode
from benchlib.results.schema import APIS, Checker, Column
from benchlib.stats import estimate, spreads
from benchlib.stats.spreads import FIGURES, RATIOS, Spread
from benchlib.stats.stats import Figure, ratio

API_NAMES = {"cuda": "CUDA", "vulkan": "Vulkan"}
SECTOR_BYTES, WARP = 32, 32

# How a case is measured, and what it keeps busy, decide how well: cold is one launch a sample, warm a batch of them. docs/METHOD.md says what they are.
SHORT_NS = 20_000
CLASSES = COLD, WARM, SHORT, INSIDE, HOST = ("cold", "warm", "warm, under 20 us", "inside an SM", "host")
HOST_METRICS = ("submit_ns", "roundtrip_ns")
# In files without this column Vulkan's round trip holds a full barrier and the fence's reset: another figure, which is not read.
ROUND_TRIP_SINCE = "remade"
# Of what the host times, and no stamps on the GPU: host_ns, and its columns. In files without them these are device_ns's, and `stop` begins with
# HOST_STOP: read as the others.
HOST_TIME = ("host_ns", *(f"host_ns_{end}" for end in ("lo", "hi", "min", "p05", "p95")))
HOST_STOP = "host "

AA = ("aa_control_a", "aa_control_b")  # one kernel paired with itself

# The ways to send work that answer each other: sent anew every time, and prepared once.
TWIN_MODES = {"stream": "rerecorded", "graph": "prerecorded"}
# Parameters that were added to experiments with results: what their rows have by default, absent in older files. A row with
# another value counts where that is asked for, and nowhere else.
DEFAULTS: Mapping[str, list[str]] = {"checks": ["", "default"]}
# For select(): them all.
WITH_ALL_CHECKS: Mapping[str, object] = {"checks": ["", "default", "off"]}
# Figures that are reckoned from several columns of a row:
#   element_ns     device_ns over elements, comparable between different numbers
#   sector_gbps    the bytes of all predicted sectors over device_ns: as often as they are asked for
#   distinct_gbps  the bytes of the sectors that memory must move at least, each once, over device_ns
#   distinct_pct   the same, of the memory's peak; where the row has a percentage of the peak
DERIVED_METRICS = ("element_ns", "sector_gbps", "distinct_gbps", "distinct_pct")
# The units of what an experiment measures that follow from how long something takes.
TIMED_UNITS = {"ns", "s", "1/s", "s/s", "cycles", "bytes/cycle", "GB/s", "TFLOP/s", "MHz", "W", "%"}
# What they need of the experiment's access model.
NEEDED_OF_MODEL = {
    "sector_gbps": ("load_sectors", "store_sectors"),
    "distinct_gbps": ("min_read_bytes", "min_write_bytes"),
    "distinct_pct": ("min_read_bytes", "min_write_bytes"),
}
# The files beside the results: what they must have, and what is no number in them.
_NEEDED = {"sass.csv": ("kernel", "api"), "sass_twins.csv": ("kernel",), "counters.csv": ("instrument",)}
_TEXTS = {
    "sass.csv": {"experiment", "kernel", "api", "arch", "isa_hash", "note"},
    "sass_twins.csv": {"experiment", "kernel", "arch", "cuda_kernel", "vulkan_kernel", "work", "summary"},
}


LEFT_OUT = "left_out.toml"  # see left_out_by_name()
UNTOLD_DRAM_BYTES = 2 * (256 << 20)  # twice the largest cache of a GPU (capacity.h: kLargestCacheBytes)


class Case:
    """A row's key: what tells it from every other row of its experiment."""

    __slots__ = ("cells", "_hash", "_values")

    def __init__(self, cells: tuple[tuple[str, str], ...]):
        self.cells = cells
        self._values = dict(cells)
        self._hash = hash(cells)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Case) and self.cells == other.cells

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"Case({self.cells!r})"

    def __getitem__(self, column: str) -> str:
        return self._values.get(column, "")

    def replace(self, **changes: str) -> Case:
        return Case(tuple([(column, changes.get(column, value)) for column, value in self.cells]))

    @property
    def elements(self) -> int:
        return int(self["elements"] or 0)

    def whole(self, column: str) -> int:
        """A parameter that is a whole number; 0 where it does not apply."""
        text = self[column] or "0"
        if not schema.is_whole(text):
            raise InputError(f"{column} is {ascii(text)[:80]}, not a whole number")
        return int(text)

    def name(self, without: Iterable[str] = ()) -> str:
        """For people: `read_offset cuda offset=1 elements=536870912 cold`."""
        bare = ("variant", "kernel", "api", "arch", "cache")
        shown = [(column, value) for column, value in self.cells if value and column not in without]
        return " ".join(value if column in bare else f"{column}={value}" for column, value in shown)


Row = Mapping[str, str]
Found = TypeVar("Found")


@dataclass(frozen=True)
class LeftOut:
    """Rows of an experiment that do not count."""

    commit: str
    why: str
    rows: int


OTHER_CODE = "the newest commit that has their cases runs other machine code"


class Table(Keeper):
    """One experiment's rows, a run each. Nothing in it changes: what was found once is kept.

    `boards`: whose run each is. `files`: where it was read from.
    """

    def __init__(
        self,
        name: str,
        columns: Sequence[Column],
        runs: Sequence[Mapping[Case, Row]],
        header: Sequence[str] = (),
        boards: Sequence[str] = (),
        files: Sequence[Path] = (),
        left_out: Sequence[LeftOut] = (),
    ):
        self.name = name
        self.left_out = list(left_out)  # of all of its runs
        self.columns = list(columns)  # none for the files beside the results
        self.header = list(header) or schema.header(columns)
        self.runs = list(runs)
        self.boards = list(boards) or [""] * len(self.runs)
        self.files = list(files)
        self.compares_times = True  # as the experiment's analysis says
        self.elements_requested: Mapping[str, Callable[[Table, Case], float]] = {}  # likewise
        self.inside_sm: Collection[str] = ()  # likewise: variants
        self.exact: Collection[str] = ()  # likewise: columns
        # Of a CUDA case and its Vulkan twin: what makes their work another; nothing is known of it without a Study.
        self.differing: Callable[[Case, Case], Sequence[str]] = lambda cuda, vulkan: ()
        self._has_brackets = True
        self._numbers: Sequence[int] = range(len(self.runs))  # of its runs, in the whole of which it is a part
        self._parts: WeakValueDictionary[tuple[int, ...], Table] = WeakValueDictionary()  # of the whole
        self._by_name = {column.name: column for column in columns}
        # What the experiment itself counts or reads back is measured: numbers, or texts. Without the ends of their intervals.
        self.params, self.model, self.measured = ([column.name for column in columns if column.role == role] for role in ("param", "model", "measured"))

    @kept_property
    def cases(self) -> list[Case]:
        return _in_order(self.runs)

    def of_board(self, board: str) -> Table:
        """Its runs on that board alone."""
        return self.of_runs([at for at, each in enumerate(self.boards) if each == board])

    def of_runs(self, chosen: Sequence[int]) -> Table:
        """Some of its runs, by their number."""
        return self._part(tuple(chosen))

    @kept
    def _part(self, chosen: tuple[int, ...]) -> Table:
        """A part of a part is one of the whole, too, and made once."""
        numbers = tuple([self._numbers[at] for at in chosen])
        part = self._parts.get(numbers)
        if part is None:
            part = self._parts[numbers] = self._made_of(chosen)
            part._numbers, part._parts = numbers, self._parts
        return part

    def _made_of(self, chosen: Sequence[int]) -> Table:
        runs, boards, files = ([of_runs[at] for at in chosen] if of_runs else [] for of_runs in (self.runs, self.boards, self.files))
        part = Table(self.name, self.columns, runs, self.header, boards, files)
        part.learn(self)
        part.differing = self.differing
        return part

    @kept
    def without_brackets(self) -> Table:
        """The same runs, for who asks for values alone: the intervals over several runs take long."""
        part = self._made_of(range(len(self.runs)))
        part._numbers, part._parts, part._has_brackets = self._numbers, self._parts, False
        return part

    def looked_at(self, find: Callable[[Table], Found]) -> tuple[Found, set[Case]]:
        """What `find` makes of its rows, and the cases whose rows it asked for."""
        part = self._made_of(range(len(self.runs)))
        return find(part), part.arguments_of(Table.of_all_runs)

    def learn(self, told: Any) -> None:
        """What an experiment's analysis says of its rows, or another table of the experiment."""
        self.compares_times, self.elements_requested = told.compares_times, told.elements_requested
        self.inside_sm, self.exact = told.inside_sm, told.exact

    def column(self, name: str) -> Column | None:
        return self._by_name.get(name)

    @kept
    def of_all_runs(self, case: Case) -> list[Row | None]:
        """The case's row in each run; None where the run has none."""
        return [run.get(case) for run in self.runs]

    @kept
    def rows(self, case: Case) -> list[Row]:
        """The case's rows that hold a result, one a run."""
        return [row for row in self.of_all_runs(case) if row and row.get("status", "ok") == "ok"]

    def text(self, case: Case, column: str) -> str:
        return next((row[column] for row in self.rows(case) if row.get(column)), "")

    @kept
    def distinct(self, column: str) -> Set[str]:
        """The column's texts in all runs, those of rows without a result too."""
        return {row[column] for run in self.runs for row in run.values()} - {""}

    @kept_property
    def statuses(self) -> Counter[str]:
        """How many rows have which, in all runs."""
        return Counter(row["status"] for run in self.runs for row in run.values())

    @kept_property
    def devices(self) -> Set[tuple[str, str]]:
        """The names and types of what its rows ran on."""
        return {(row["gpu"], row.get("device_type", "")) for run in self.runs for row in run.values() if row["gpu"]}

    def warp_elements(self, case: Case) -> float:
        """How many elements the predicted requests and sectors are for; fewer where a launch asks for its elements again and again."""
        requested = self.elements_requested.get(case["variant"])
        if requested and (each := requested(self, case)):
            return WARP * case.elements / each
        declared = schema.real(self.text(case, "warp_elements"))
        return declared if declared and declared > 0 else WARP

    def is_dram(self, case: Case) -> bool:
        """A percentage of the memory's peak is written only for footprints that stream from it (4 x L2 and more). Only CUDA tells the peak and the L2:
        where no row is CUDA's, a cold case of UNTOLD_DRAM_BYTES streams, as the programs assume there (common/core/device/capacity.cpp).
        """
        if self._told:
            return self.text(case, "peak_pct") != ""
        return case["cache"] == "cold" and (schema.real(self.text(case, "useful_bytes")) or 0) >= UNTOLD_DRAM_BYTES

    @kept_property
    def _told(self) -> bool:
        """Whether an API told the peak."""
        return any(row["status"] == "ok" and (row.get("api") == "cuda" or row.get("peak_pct")) for run in self.runs for row in run.values())

    @kept
    def figure(self, case: Case, metric: str) -> Figure | None:
        return self.over_runs(self.run_figures(case, metric), metric, case)

    def by_board(self, figures: Sequence[Figure | None]) -> dict[str, list[Figure]]:
        """What each run found; None for a run that found nothing."""
        boards: dict[str, list[Figure]] = {}
        for board, figure in zip(self.boards, figures):
            if figure:
                boards.setdefault(board, []).append(figure)
        return boards

    def over_runs(self, figures: Sequence[Figure | None], metric: str, case: Case, of: str = FIGURES) -> Figure | None:
        """One figure of what each run found. `metric`: what the figures are of; `case`: likewise, of a ratio the numerator. `of`: RATIOS where it is of a pair's
        two sides.
        """
        column = self._by_name.get(metric)
        measured = column is not None and column.role == "measured"
        whole = 100.0 if measured and column.unit == "%" and of == FIGURES else math.inf
        return estimate.bracket(
            self.by_board(figures),
            self.spread(case, metric, of) if self._has_brackets else None,
            exact=self.is_exact(metric),
            counted=measured and column.interval,
            whole=whole,
            value_alone=not self._has_brackets,
        )

    def is_exact(self, metric: str) -> bool:
        """Whether every run must find the same: what an experiment counts in whole numbers, and what its analysis names."""
        column = self._by_name.get(metric)
        return metric in self.exact or (column is not None and column.role == "measured" and column.type == "integer" and not column.interval)

    def is_timed(self, metric: str) -> bool:
        """Whether it follows from how long something takes. Of a software device's rows there is no such figure."""
        column = self._by_name.get(metric)
        measured = column is not None and column.role == "measured" and column.unit in TIMED_UNITS
        return measured or metric in DERIVED_METRICS or (column is not None and column.role == "time")

    def spread(self, case: Case, metric: str, of: str) -> Spread | None:
        """What the class of the case differs by: FIGURES, or RATIOS of pairs; None where nothing is known of other runs."""
        return spreads.committed(of, self.class_of(case, metric)) if self.compares_times else None

    def class_of(self, case: Case, metric: str = "device_ns") -> str:
        """Of a case with a time: see CLASSES."""
        return self._class_of(case, metric in HOST_METRICS)

    @kept
    def _class_of(self, case: Case, hosted: bool) -> str:
        times = [float(row["device_ns"]) for row in self.rows(case) if row.get("device_ns")]
        return class_of(case, hosted or bool(self.text(case, HOST_TIME[0])), statistics.median(times) if times else None, self.inside_sm)

    @kept
    def run_figures(self, case: Case, metric: str) -> list[Figure | None]:
        """One a run; None where the run has no such result."""
        return [self._row_figure(row, metric) if row else None for row in self.of_all_runs(case)]

    @kept
    def ratio(self, num: Case, den: Case, metric: str = "device_ns") -> Figure | None:
        """num / den, taken within each run, where the two were interleaved, and then over the runs."""
        first = self._first_of_pair(num, den)
        return self.over_runs(self.run_ratios(num, den, metric), metric, first or num, RATIOS if first else FIGURES)

    @kept
    def run_ratios(self, num: Case, den: Case, metric: str) -> list[Figure | None]:
        """num / den of each run; None where it has not both, on one GPU."""
        figures = zip(self.run_figures(num, metric), self.run_figures(den, metric), self._same_gpu(num, den))
        return [ratio(n, d) if same and n and d and d.value > 0 else None for n, d, same in figures]

    def _first_of_pair(self, one: Case, other: Case) -> Case | None:
        """Whose class the pair is of: CUDA's side of twins, the first of two controls. None of two whose samples were not taken alternately."""
        first, second = sorted((one, other), key=lambda case: (case["api"], case["variant"]))
        if first["api"] != second["api"]:
            return first if self.twin(first) == second else None
        return first if first.replace(variant=AA[1]) == second and first["variant"] == AA[0] else None

    @kept
    def twin(self, case: Case) -> Case | None:
        """The Vulkan case that answers a CUDA case on the same physical GPU."""
        other = case.replace(api="vulkan", mode=TWIN_MODES.get(case["mode"], case["mode"]))
        return other if self.rows(other) and self.same_gpu(case, other) else None

    def same_gpu(self, a: Case, b: Case) -> bool:
        """True if some run took both on one GPU."""
        return any(self._same_gpu(a, b))

    def _same_gpu(self, a: Case, b: Case) -> list[bool]:
        """Of each run: whether it took both, on one GPU."""
        pairs = zip(self.of_all_runs(a), self.of_all_runs(b))
        return [one is not None and other is not None and _is_same_gpu(one, other) for one, other in pairs]

    def select(self, where: Mapping[str, object]) -> list[Case]:
        """The cases with a result that match. A value is a text or a list of texts; elements, pick: see claims.py.

        What `where` does not name may have any value, DEFAULTS' columns aside.
        """
        wanted: dict[str, object] = {column: value for column, value in DEFAULTS.items() if column in self.params}
        wanted |= {column: value for column, value in where.items() if column not in ("elements", "pick")}
        chosen = [self._having(column, value) for column, value in wanted.items()]
        matching = [self.cases[at] for at in sorted(set.intersection(*sorted(chosen, key=len)))] if chosen else self.cases
        size = where.get("elements")
        if size in ("max", "max_dram"):
            # Over the rows that failed, too: the next smaller size must not stand in for the largest.
            largest: dict[Case, int] = {}
            groups = [case.replace(elements="", cache="") for case in matching]
            for case, group in zip(matching, groups):
                largest[group] = max(case.elements, largest.get(group, 0))
            matching = [case for case, group in zip(matching, groups) if case.elements == largest[group]]
        elif size is not None and size != "dram":
            matching = [case for case in matching if case["elements"] in texts(size)]
        if size in ("dram", "max_dram"):
            matching = [case for case in matching if self.is_dram(case)]
        matching = [case for case in matching if self.rows(case)]
        return self._fastest(matching) if where.get("pick") == "fastest" else matching

    def one(self, where: Mapping[str, object]) -> Case | None:
        """The first that matches; None where none does."""
        return next(iter(self.select(where)), None)

    @kept
    def _index(self, column: str) -> dict[str, set[int]]:
        """Which cases have which value in the column."""
        index: dict[str, set[int]] = {}
        for at, case in enumerate(self.cases):
            index.setdefault(case[column], set()).add(at)
        return index

    def _having(self, column: str, value: object) -> Set[int]:
        """Which cases have that value in the column, or one of those."""
        index = self._index(column)
        found = [index[text] for text in texts(value) if text in index]
        return found[0] if len(found) == 1 else set().union(*found)

    def _fastest(self, cases: Iterable[Case]) -> list[Case]:
        """Of each variant, API and size the case with the least time."""
        best: dict[tuple[str, ...], tuple[float, Case]] = {}
        for case in cases:
            figure = self.figure(case, "device_ns")
            group = (case["variant"], case["api"], case["elements"], case["cache"])
            if figure and (group not in best or figure.value < best[group][0]):
                best[group] = (figure.value, case)
        return [case for _, case in best.values()]

    def _row_figure(self, row: Row, metric: str) -> Figure | None:
        if row.get("status", "ok") != "ok" or (is_of_software(row) and self.is_timed(metric)):
            return None
        if metric == "sector_gbps":
            # Every predicted sector's 32 bytes, over the time.
            sectors = number(row, "load_sectors") + number(row, "store_sectors")
            moved = sectors * SECTOR_BYTES * number(row, "elements") / (number(row, "warp_elements") or WARP)
            return _scaled_by_time(row, moved / (number(row, time_column(row)) or math.inf))
        if metric in ("distinct_gbps", "distinct_pct"):
            return _distinct(row, metric == "distinct_pct")
        if metric == "element_ns":
            return _per_element(row)
        if metric == "device_ns" and row.get(HOST_TIME[0]):
            return Figure(*_time(row))
        column = self._by_name.get(metric)
        if row.get(metric, "") == "" or (column and column.type == "text"):
            return None
        value = number(row, metric)
        if column is None or column.role not in ("time", "measured"):
            return Figure.exact(value)
        if metric in ("gbps", "peak_pct"):
            return _scaled_by_time(row, value)
        if column.interval and row[f"{metric}_lo"]:
            return Figure(value, number(row, f"{metric}_lo"), number(row, f"{metric}_hi"))
        # A count or a reading without an interval is what this run found, no more and no less; other runs widen it.
        return Figure(value, value, value) if column.role == "measured" else Figure(value)


@dataclass
class Results(Keeper):
    """All of a directory: its experiments by name, and the runs that they were read from."""

    directory: Path
    tables: dict[str, Table]
    runs: list[RunFolder]
    # As they were read: of an older run a table has what is of the same code only.
    files: list[tuple[RunFolder, RunFile]] = field(default_factory=list)
    _beside: dict[str, tuple[list[str], dict[str, dict[Case, Row]]]] = field(default_factory=dict)  # what was read, shared with replace()'s

    @kept_property
    def code(self) -> MachineCode:
        return MachineCode(self.directory)

    def distinct(self, column: str) -> list[str]:
        """The column's texts in all rows."""
        return sorted(set().union(*(table.distinct(column) for table in self.tables.values())))

    @kept_property
    def is_software(self) -> bool:
        """Whether no row is of a GPU, and some of a software device: then nothing is decided by them."""
        named = set().union(*(table.devices for table in self.tables.values()))
        return bool(named) and all(is_software(*device) for device in named)

    @property
    def said_of_left_out(self) -> str:
        """How many rows do not count, and why; empty where all do."""
        by_why: Counter[str] = Counter()
        for one in (one for table in self.tables.values() for one in table.left_out):
            by_why[OTHER_CODE if one.why == OTHER_CODE else f"{LEFT_OUT} names them"] += one.rows
        if not by_why:
            return ""
        every = by_why.total() + sum(table.statuses.total() for table in self.tables.values())
        return f"{by_why.total()} of {every} rows are left out: {'; '.join(f'{rows} because {why}' for why, rows in by_why.items())}."

    def beside(self, file_name: str) -> str:
        """The path of one of these files from the directory, lent or packed."""
        path = Path(self.code.path(file_name))
        return path.with_name(csv_file.there(self.directory / path).name).as_posix()

    @kept
    def auxiliary(self, file_name: str, experiment: str) -> Table | None:
        """sass.csv, sass_twins.csv or counters.csv, the rows of one experiment; None where the file is absent. What sass_twins.csv says
        follows from the listings, and is lent with them.
        """
        path = self.directory / self.beside(file_name)
        if not path.is_file():
            return None
        if file_name not in self._beside:
            self._beside[file_name] = _read_beside(path, self.tables)
        header, by_experiment = self._beside[file_name]
        rows = by_experiment.get(experiment, {})
        if file_name == TWINS:
            rows = {case: row for case, row in rows.items() if all(self.code.has(experiment, row.get(f"{api}_kernel", ""), api) for api in APIS)}
        return Table(experiment, [], [rows], header)


def _read_beside(path: Path, tables: Mapping[str, Table]) -> tuple[list[str], dict[str, dict[Case, Row]]]:
    """The header, and the rows by experiment."""
    reader, name = csv_file.Reader(path), f"{csv_file.stem(path)}.csv"
    header = reader.header
    missing = [column for column in ("experiment", *_NEEDED[name]) if column not in header]
    if missing:
        raise InputError(f"{path}: no column {', '.join(missing)}")
    texts = _TEXTS.get(name) or _texts_of_counters(header, tables)
    figures = [(at, column) for at, column in enumerate(header) if column not in texts]
    found: dict[str, dict[Case, Row]] = {}
    keys: dict[str, list[str]] = {}
    lines: dict[tuple[str, Case], int] = {}
    numbers = {""}  # texts repeat
    for line, record in reader:
        for at, column in figures:
            if record[at] not in numbers:
                if schema.real(record[at]) is None:
                    named = column if column.isidentifier() else ascii(column)[:80]
                    raise InputError(f"{path}: line {line}: {named} is {ascii(record[at])[:80]}, not a number")
                numbers.add(record[at])
        row = dict(zip(header, record))
        if name == counters_file.NAME:
            row = counters_file.owned(row)
        experiment = row["experiment"]
        if experiment not in keys:
            keys[experiment] = _keys_beside(name, header, tables.get(experiment))
        case = Case(tuple((column, row[column]) for column in keys[experiment]))
        _only_once(path, lines, (experiment, case), line)
        found.setdefault(experiment, {})[case] = row
    return header, found


def _texts_of_counters(header: Sequence[str], tables: Mapping[str, Table]) -> set[str]:
    """All of the key; the parameters stand before the size."""
    params = {name for table in tables.values() for name in table.params}
    before = header[: header.index("cache") + 1] if "cache" in header else params
    return {"experiment", "variant", "api", *before, *counters_file.TEXTS}


def _keys_beside(name: str, header: Sequence[str], table: Table | None) -> list[str]:
    if name in _TEXTS:
        return [column for column in ("kernel", "api", "arch") if column in header]
    if "cache" in header:  # all parameters: these counts may be of programs with more of them than the results have
        return [*(column for column in header[: header.index("cache") + 1] if column not in ("experiment", "instrument")), "instrument"]
    params = table.params if table else []
    return [*(column for column in ("variant", "api", *params, "elements") if column in header), "instrument"]


def _only_once(path: Path, lines: dict[Any, int], key: object, line: int) -> None:
    if lines.setdefault(key, line) != line:
        raise InputError(f"{path}: lines {lines[key]} and {line} are the same case")


# ---------------------------------------------------------------------------------------------------------- the results


@dataclass(frozen=True)
class RunFolder:
    """One run's CSV files: every program once, each a process of its own. As they were written, or all in one archive."""

    path: Path
    board: str  # the first eight digits of its GPU's UUID; "" where the folder does not tell

    @property
    def number(self) -> int:
        """k of run<k>; 0 of a folder that is called otherwise."""
        match = RUN_NAME.fullmatch(self.path.name)
        return int(match[1]) if match else 0


RUN_NAME = re.compile(rf"run([1-9][0-9]{{0,5}})({re.escape(archive.SUFFIX)})?")


def runs_in(board: Path) -> list[Path]:
    """A board's runs by number: its folders run<k>/, and the archives run<k>.tar.xz that take their place in the repository."""
    found: dict[int, Path] = {}
    for name in sorted(os.listdir(board)):
        path = board / name
        if not name.startswith("run") or not (path.is_dir() or name.endswith(archive.SUFFIX)):
            continue
        if not (match := RUN_NAME.fullmatch(name)):
            raise InputError(f"{board}: {ascii(name)} is no run's name: they are run1, run2, ...")
        if (other := found.get(number := int(match[1]))) and files_of(other):  # samples may lie beside the archive
            raise InputError(f"{other}: {name} lies beside it, the same run packed: keep one of the two")
        found[number] = path
    return [path for _, path in sorted(found.items())]


def run_folders(directory: Path) -> list[RunFolder]:
    """DIR/boards/<board>/run<k>/ or run<k>.tar.xz, in this order; without boards/ DIR itself."""
    boards = directory / "boards"
    if not os.path.lexists(boards):
        return [RunFolder(directory, "")]
    if stray := next(iter(files_of(directory).values()), None):
        raise InputError(f"{stray}: results beside {boards}, which has those of every board")
    found = []
    for board in sorted(name for name in os.listdir(boards) if (boards / name).is_dir() and not name.startswith(".")):
        found += [RunFolder(path, board) for path in runs_in(boards / board)]
    return found


def files_of_runs(directory: Path, experiment: str) -> list[Path]:
    """The experiment's result file in each run in `directory` that has one."""
    found = []
    for run in run_folders(directory):
        files = files_of(run.path)
        if experiment in files:
            found.append(files[experiment])
        elif (older := files.get(split_off.source_of(experiment))) and any(part.experiment == experiment for part in RunFile(older).read().parts()):
            found.append(older)
    return found


def read_run(files: Mapping[str, Path]) -> dict[str, RunFile]:
    """A run's files, by the experiment that the rows belong to (see split_off.py)."""
    found: dict[str, RunFile] = {}
    for path in files.values():
        for part in RunFile(path).read().parts():
            if part.experiment == csv_file.stem(path) or part.experiment not in files:
                found[part.experiment] = part
    return found


def load(directory: Path, only: Callable[[RunFolder], bool] | None = None) -> Results:
    """Every run in `directory` (see run_folders); `only`: those of which it is true, newly measured: left_out.toml is not of them."""
    if not directory.is_dir():
        raise InputError(f"{directory}: no such directory")
    folders = [folder for folder in run_folders(directory) if only is None or only(folder)]
    files = {folder: files_of(folder.path) for folder in folders}
    if not any(files.values()):
        raise InputError(f"{directory}: no result CSV (exp*.csv or exp*.csv.xz) in it")
    tables: dict[str, Table] = {}
    read: list[tuple[RunFolder, RunFile]] = []
    by_run = {folder: read_run(files[folder]) for folder in folders}
    named = left_out_by_name(directory) if only is None else {}
    for name in sorted({name for found in by_run.values() for name in found}):
        of_all_runs = [(folder, by_run[folder][name]) for folder in folders if name in by_run[folder]]
        tables[name] = _table(name, of_all_runs, named.pop(name, []))
        read += of_all_runs
    if named:
        raise InputError(f"{directory / LEFT_OUT}: no results of {ascii(min(named))} here")
    _check_gpus(directory, tables.values())
    return Results(directory, tables, folders, read)


def files_of(folder: Path) -> dict[str, Path]:
    """A run's result files by experiment, each as it was written or packed; of an archive ARCHIVE/<file>. Raises OSError where the folder cannot be read."""
    found: dict[str, Path] = {}
    for name in sorted(archive.names(folder) if folder.name.endswith(archive.SUFFIX) else os.listdir(folder)):
        experiment = csv_file.stem(path := folder / name)
        if not name.startswith("exp") or not name.endswith(csv_file.SUFFIXES) or experiment.endswith(".samples"):
            continue
        if not name.isprintable():
            raise InputError(f"{folder}: the name {ascii(name)} is no experiment's")
        if found.setdefault(experiment, path) != path:
            raise InputError(f"{found[experiment]}: {name} lies beside it, the same file packed: keep one of the two")
    return found


@dataclass(frozen=True)
class Named:
    """The rows of some commits of the cases that no other commit has."""

    path: Path  # that says so
    commits: Set[str]
    why: str


def left_out_by_name(directory: Path) -> dict[str, list[Named]]:
    """What DIR/left_out.toml says, by experiment: rows that stay in their files and do not count.

        [[rows]]
        experiment = "exp06_cluster"
        commits = ["388babeab7c1"]      # of these the rows of cases that no other commit has
        why = "..."
    """
    path = directory / LEFT_OUT
    found: dict[str, list[Named]] = {}
    if not path.is_file():
        return found
    try:
        entries = toml_file.parsed(files.read_at_most(path, schema.MOST_SIDECAR_BYTES).decode())["rows"]
        for entry in entries:
            experiment, commits, why = (entry[key] for key in ("experiment", "commits", "why"))
            found.setdefault(str(experiment), []).append(Named(path, frozenset(map(str, commits)), str(why)))
    except (ValueError, TypeError, KeyError) as error:
        raise InputError(f"{path}: no list of rows, each with experiment, commits and why: {ascii(str(error))[:200]}") from error
    return found


def _table(name: str, files: Sequence[tuple[RunFolder, RunFile]], named: Sequence[Named] = ()) -> Table:
    """An experiment's runs: one file each. The newest says which columns there are, and every case is there that any run has.

    Of a case those rows count together that run one machine code: that of the newest commit that has the case. A parameter that an older
    run did not have yet is empty there, what it measured besides is left out.
    """
    runs = [run for _, run in files]
    newest = max(runs, key=lambda run: run.started_at)
    for run in runs:
        if unknown := [name for name in run.key if name not in newest.key]:
            raise InputError(f"{run.path}: its columns differ from {newest.path}: {', '.join(map(ascii, unknown))}")
        types = {column.name: column.type for column in newest.columns if column.role == "measured"}
        for column in run.columns:
            # Whole numbers are real ones, too: as such they stand in files of schema 1.
            both = {column.type, types.get(column.name, column.type)}
            if len(both) > 1 and "text" in both and any(row[column.name] for row in run.rows):
                raise InputError(f"{run.path}: {column.name} is {column.type}, {types[column.name]} in {newest.path}")
    _check_copies(runs)
    known: dict[tuple[str, ...], Case] = {}  # all runs share a case's object, so that finding one compares no texts
    tables = [{_case(known, newest.key, row): row for row in run.rows} for run in runs]
    counted, left_out = _counted(name, tables, named)
    return Table(name, newest.columns, counted, boards=[folder.board for folder, _ in files], files=[run.path for run in runs], left_out=left_out)


def _counted(name: str, tables: Sequence[Mapping[Case, Row]], named: Sequence[Named]) -> tuple[list[dict[Case, Row]], list[LeftOut]]:
    """The rows that count, and how many do not: those of the newest row's sources, and those that ran the same machine code. A row
    without a hash of its code counts."""
    commits: dict[Case, set[str]] = {}
    newest: dict[Case, tuple[str, str]] = {}
    for case, row in (item for table in tables for item in table.items()):
        commits.setdefault(case, set()).add(row["git_rev"])
        newest[case] = max(newest.get(case, ("", "")), (row["started_at"], origin(row)))
    codes: dict[Case, set[str]] = {}  # of the results of the newest sources; none where they have no result
    for case, row in (item for table in tables for item in table.items()):
        if row["status"] == "ok" and origin(row) == newest[case][1]:
            codes.setdefault(case, set()).add(row["isa_hash"])
    whys = {case: next((each.why for each in named if of_case <= each.commits), "") for case, of_case in commits.items()}
    if named and (idle := [each.why for each in named if each.why not in whys.values()]):
        raise InputError(f"{named[0].path}: {name} has no rows of which this is true: {ascii(idle[0])[:200]}")
    counted: list[dict[Case, Row]] = [{} for _ in tables]
    out: Counter[tuple[str, str]] = Counter()
    for of_run, table in zip(counted, tables):
        for case, row in table.items():
            same = not row["isa_hash"] or origin(row) == newest[case][1] or codes.get(case, set()) <= {row["isa_hash"]}
            if why := whys[case] or ("" if same else OTHER_CODE):
                out[row["git_rev"], why] += 1
            else:
                of_run[case] = row
    return counted, [LeftOut(commit, why, rows) for (commit, why), rows in sorted(out.items())]


def origin(row: Row) -> str:
    """What a row was measured by: the hash of its sources, else (rows older than that column) its commit."""
    return row.get("sources") or row["git_rev"]


def _check_copies(runs: Sequence[RunFile]) -> None:
    """No run counts twice: two have no figure in common to the last digit that was measured in the same second."""
    seen: dict[tuple[tuple[str, ...], ...], RunFile] = {}
    for run in runs:
        figures = tuple((row["started_at"], row["seed"], time) for row in run.rows if (time := row[time_column(row)]))
        if figures and seen.setdefault(figures, run) is not run:
            raise InputError(f"{run.path} is a copy of {seen[figures].path}: keep one of the two")


def _in_order(runs: Sequence[Mapping[Case, Row]]) -> list[Case]:
    """As the program lists them, where a run had them in that order; the others after them, by their keys."""
    listed = [run for run in runs if next(iter(run.values()), {}).get("case_order") != "random"]
    cases = dict.fromkeys(case for run in listed for case in run)
    others = {case for run in runs for case in run} - cases.keys()
    return [*cases, *sorted(others, key=_natural_key)]


def _natural_key(case: Case) -> list[tuple[bool, float, str]]:
    """Numbers by their size."""
    return [(not value.isdecimal(), float(value) if value.isdecimal() else 0, value) for _, value in case.cells]


def _case(known: dict[tuple[str, ...], Case], key: Sequence[str], row: Row) -> Case:
    values = tuple([row.get(name, "") for name in key])
    case = known.get(values)
    if case is None:
        case = known[values] = Case(tuple(zip(key, values)))
    return case


class RunFile:
    """One run's file of one experiment, read with the columns that its sidecar declares."""

    def __init__(self, path: Path):
        self.path = path
        self.experiment = csv_file.stem(path)
        self._reader = csv_file.Reader(path)
        self.header = self._reader.header
        if self.header[0] != "schema":
            raise InputError(f"{path}: not a result file (the first column is not schema)")
        beside = schema.sidecar(path, self.header)
        if not os.path.lexists(beside):
            raise InputError(f"{path}: no {beside.name} beside it, and none in a folder {schema.SHARED} above: what are its columns?")
        self.schema, self.columns = schema.read_sidecar(beside, self.experiment)
        if schema.header(self.columns) != self.header:
            raise InputError(f"{path}: its columns are not those that {beside.name} declares")

    def read(self) -> RunFile:
        """The rows, each checked and there once."""
        check = Checker(self.path, self.experiment, self.columns, self.schema)
        self.key = [column.name for column in self.columns if column.key]  # variant, api, the parameters, elements, cache
        key_of = itemgetter(*map(self.header.index, self.key))
        lines: dict[tuple[str, ...], int] = {}
        records = []
        once = dict[str, str]().setdefault  # texts repeat: each is kept once
        for line, cells in self._reader:
            check.identity(line, cells)
            _only_once(self.path, lines, key_of(cells), line)
            records.append((line, list(map(once, cells, cells))))
        check.numbers(records)
        self.rows = [dict(zip(self.header, cells)) for _, cells in records]
        if "roundtrip_ns" in self.header and ROUND_TRIP_SINCE not in self.header:
            for row in self.rows:
                if row["api"] == "vulkan":
                    row["roundtrip_ns"] = ""
        for row in self.rows:
            if row.get("stop", "").startswith(HOST_STOP):
                row["stop"] = row["stop"].removeprefix(HOST_STOP)
                for column in HOST_TIME:
                    old = column.replace("host", "device", 1)
                    row[column], row[old] = row.get(old, ""), ""
        self._date()
        return self

    def _date(self) -> None:
        newest = max(self.rows, key=lambda row: row["started_at"], default={})
        self.started_at, self.git_rev = newest.get("started_at", ""), newest.get("git_rev", "")

    def parts(self) -> list[RunFile]:
        """Itself, once read, without the rows of the experiments that were split off it; and these, those that it has rows of."""
        found = [self]
        for name, split in split_off.SPLIT_OFF.items():
            gone = [row for row in self.rows if row["variant"] in split.variants] if self.experiment == split.source else []
            if not gone:
                continue
            dropped = {column.name for column in self.columns if column.role == "param" and column.name not in split.params}
            part = copy(self)
            part.experiment = name
            part.columns = [column for column in self.columns if column.name not in dropped]
            part.rows = [{**row, "experiment": name} for row in gone]
            self.rows = [row for row in self.rows if row["variant"] not in split.variants]
            self.columns = [column for column in self.columns if column.name not in split.measured]
            for each in (self, part):
                each.key = [column.name for column in each.columns if column.key]
                each._date()
            found.append(part)
        return found if self.rows else found[1:] or found


def _check_gpus(directory: Path, tables: Iterable[Table]) -> None:
    """One GPU a board for each API (each may have its own, in older files of a container without a Vulkan driver: nothing is paired
    then); one model and one driver for all boards. What was skipped ran on none.
    """
    boards: dict[tuple[str, str], str] = {}
    same: dict[tuple[str, str], str] = {}
    for table in tables:
        for board, run in zip(table.boards, table.runs):
            origins = dict.fromkeys((row["api"], row["gpu_uuid"], row["gpu"], row["driver"]) for row in run.values()
                                    if row["gpu_uuid"] and row["status"] != "skipped")  # fmt: skip
            for api, uuid, gpu, driver in origins:
                if boards.setdefault((board, api), uuid) != uuid:
                    both = f"{ascii(boards[board, api])} and {ascii(uuid)}"
                    raise InputError(f"{directory}: {API_NAMES[api]} results of two GPUs, {both}; keep one GPU a directory")
                if board and not uuid.removeprefix("GPU-").startswith(board):
                    raise InputError(f"{directory}/boards/{board}: results of another GPU, {ascii(uuid)}")
                for column, text in (("gpu", gpu), ("driver", driver)) if board else ():
                    if text and same.setdefault((column, api), text) != text:
                        both = f"{ascii(same[column, api])} and {ascii(text)}"
                        raise InputError(f"{directory}: {API_NAMES[api]} results of two {column}s, {both}; keep one {column} a directory")


def texts(wanted: object) -> list[str]:
    """A select's value: a text, or several."""
    return [str(value) for value in (wanted if isinstance(wanted, list) else [wanted])]


def number(row: Row, column: str) -> float:
    """The cell's number, 0 for an empty or missing one."""
    text = row.get(column, "")
    value = schema.real(text) if text else 0.0
    if value is None:
        raise InputError(f"{column} is {ascii(text)[:80]}, not a number")
    return value


def class_of(case: Case, hosted: bool, ns: float | None, inside_sm: Collection[str]) -> str:
    """A case's of CLASSES. `hosted`: the host times it; `ns`: what it takes, None where that is not known; `inside_sm`: the variants whose timed work stays in an SM."""
    if hosted:
        return HOST
    if case["cache"] == COLD:
        return COLD
    if ns is not None and ns < SHORT_NS:
        return SHORT
    return INSIDE if case["variant"] in inside_sm else WARM


def is_of_software(row: Row) -> bool:
    """Whether its device is no GPU."""
    return is_software(row.get("gpu", ""), row.get("device_type", ""))


def time_column(row: Row) -> str:
    """Which column a row's time is in: the GPU's, or the host's of what the GPU takes no stamps of. What asks a Table for a case's device_ns, as
    claims do that were fixed before there was host_ns, gets this one; class_of() tells which it is.
    """
    return HOST_TIME[0] if row.get(HOST_TIME[0]) else "device_ns"


def _time(row: Row) -> tuple[float, float | None, float | None]:
    """A row's time, which it has, and the ends of its interval."""
    value, lo, hi = (row[time_column(row) + end] for end in ("", "_lo", "_hi"))
    return float(value), float(lo) if lo else None, float(hi) if hi else None


def _is_same_gpu(one: Row, other: Row) -> bool:
    """Whether two rows of a run are of one device. Older files have CUDA's UUID in both, and say in the reason that there were two."""
    unpaired = any(row.get("reason", "").startswith("unpaired") for row in (one, other))
    return one.get("gpu_uuid") == other.get("gpu_uuid") and (one.get("api") == other.get("api") or not unpaired)


def _distinct(row: Row, of_peak: bool) -> Figure | None:
    """The bytes that must be moved at least, over device_ns, in GB/s or in percent of the peak that the row's own peak_pct is of."""
    rate = (number(row, "min_read_bytes") + number(row, "min_write_bytes")) / (number(row, time_column(row)) or math.inf)
    useful, percent = number(row, "gbps"), number(row, "peak_pct")
    if of_peak:
        rate *= percent / useful if useful else 0
    return _scaled_by_time(row, rate)


def _per_element(row: Row) -> Figure | None:
    """device_ns over the elements, its interval likewise."""
    elements = number(row, "elements")
    if not row[time_column(row)] or not elements:
        return None
    return Figure(*(end / elements if end is not None else None for end in _time(row)))


def _scaled_by_time(row: Row, value: float) -> Figure | None:
    """A rate (bytes over device_ns) with the interval that device_ns's implies."""
    if not value:
        return None
    time, lo, hi = _time(row)
    return Figure(value, value * time / hi, value * time / lo) if lo and hi else Figure(value)
