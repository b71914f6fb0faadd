"""Reading a directory of results. Whatever is wrong with it raises InputError: one line, with the file and its line."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchlib.stats import Figure, hull, ratio

SCHEMA = "1"
APIS = ("cuda", "vulkan")
API_NAMES = {"cuda": "CUDA", "vulkan": "Vulkan"}

HEAD = ["schema", "experiment", "variant", "api", "status", "reason"]
TIMES = [
    "elements", "useful_bytes", "cache", "batch", "samples", "device_ns", "device_ns_lo", "device_ns_hi",
    "device_ns_min", "device_ns_p05", "device_ns_p95", "roundtrip_ns", "submit_ns", "gbps", "peak_pct",
]  # fmt: skip
# Between these two: what the experiment itself counts or reads back.
ORIGIN = [
    "sm_mhz", "stop", "order", "seed", "isa_hash", "gpu", "gpu_uuid", "driver", "toolkit", "git_rev", "started_at",
]  # fmt: skip
# Written by the access model; every other column between `reason` and `elements` is a parameter.
MODEL_COLUMNS = {f"{kind}_{what}" for kind in ("load", "store") for what in ("requests", "sectors", "lines")}
MODEL_COLUMNS |= {"min_read_bytes", "min_write_bytes"}  # distinct bytes that one launch must read and write
MODEL_COLUMNS |= {"warp_elements"}  # that a warp handles with the predicted requests; without the column 32
SECTOR_BYTES, WARP = 32, 32
POSITIVE = ["device_ns", "device_ns_lo", "device_ns_hi", "roundtrip_ns", "submit_ns", "gbps", "peak_pct"]

# The ways to send work that answer each other: sent anew every time, and prepared once.
TWIN_MODES = {"stream": "rerecorded", "graph": "prerecorded"}

# Parameters that tables and figures reckon with, beside those that are named for their unit (..._bytes): whole numbers, or none.
WHOLE = {
    "block", "grid", "buffers", "dispatches", "offset", "fields", "stride", "unroll", "chain", "stages", "blocks_per_sm", "cluster",
    "distance", "work", "sms", "streamers", "wait", "steps", "pressure",
}  # fmt: skip


class InputError(Exception):
    """The input cannot be used; the message is one line for the user."""


@dataclass(frozen=True)
class Case:
    """A row's key: what tells it from every other row of its experiment."""

    cells: tuple[tuple[str, str], ...]

    def __getitem__(self, column: str) -> str:
        return dict(self.cells).get(column, "")

    def replace(self, **changes: str) -> Case:
        return Case(tuple((column, changes.get(column, value)) for column, value in self.cells))

    @property
    def elements(self) -> int:
        return int(self["elements"] or 0)

    def whole(self, column: str) -> int:
        """A parameter that is a whole number (see WHOLE); 0 where it does not apply."""
        return int(self[column] or 0)

    def name(self, without: Iterable[str] = ()) -> str:
        """For people: `read_offset cuda offset=1 elements=536870912 cold`."""
        bare = ("variant", "kernel", "api", "arch", "cache")
        shown = [(column, value) for column, value in self.cells if value and column not in without]
        return " ".join(value if column in bare else f"{column}={value}" for column, value in shown)


Row = Mapping[str, str]


class Table:
    """One experiment's rows: its run, and its repetition where there is one."""

    def __init__(
        self,
        name: str,
        params: Sequence[str],
        model: Sequence[str],
        runs: Sequence[Mapping[Case, Row]],
        measured: Sequence[str] = (),
    ):
        self.name = name
        self.params = list(params)
        self.model = list(model)
        self.measured = list(measured)  # columns of what the experiment itself counts or reads back: numbers, or texts
        self.runs = list(runs)
        self.cases = list(dict.fromkeys(case for run in self.runs for case in run))

    def rows(self, case: Case) -> list[Row]:
        """The case's rows that hold a result, one a run."""
        return [run[case] for run in self.runs if case in run and run[case].get("status", "ok") == "ok"]

    def text(self, case: Case, column: str) -> str:
        return next((row[column] for row in self.rows(case) if row.get(column)), "")

    def warp_elements(self, case: Case) -> int:
        """How many elements the predicted requests and sectors are for."""
        return int(self.text(case, "warp_elements") or WARP)

    def is_dram(self, case: Case) -> bool:
        """A percentage of the memory's peak is written only for footprints that stream from it (4 x L2 and more)."""
        return self.text(case, "peak_pct") != ""

    def figure(self, case: Case, metric: str) -> Figure | None:
        return hull([figure for figure in self.run_figures(case, metric) if figure])

    def run_figures(self, case: Case, metric: str) -> list[Figure | None]:
        """One a run; None where the run has no such result."""
        return [self._row_figure(run[case], metric) if case in run else None for run in self.runs]

    def ratio(self, num: Case, den: Case, metric: str = "device_ns") -> Figure | None:
        """num / den, taken within each run, where the two were interleaved, and then over the runs."""
        ratios = []
        for run in self.runs:
            figures = [self._row_figure(run[case], metric) for case in (num, den) if case in run]
            if len(figures) == 2 and all(figures) and figures[1].value > 0:
                ratios.append(ratio(figures[0], figures[1]))
        return hull(ratios)

    def twin(self, case: Case) -> Case | None:
        """The Vulkan case that answers a CUDA case on the same physical GPU."""
        other = case.replace(api="vulkan", mode=TWIN_MODES.get(case["mode"], case["mode"]))
        return other if self.rows(other) and self.same_gpu(case, other) else None

    def same_gpu(self, a: Case, b: Case) -> bool:
        return self.text(a, "gpu_uuid") == self.text(b, "gpu_uuid")

    def select(self, where: Mapping[str, object]) -> list[Case]:
        """The cases with a result that match. A value is a text or a list of texts; elements, pick: see claims.py."""
        wanted = {column: value for column, value in where.items() if column not in ("elements", "pick")}
        matching = [case for case in self.cases if all(_is_one_of(case[c], value) for c, value in wanted.items())]
        size = where.get("elements")
        if size in ("max", "max_dram"):
            # Over the rows that failed, too: the next smaller size must not stand in for the largest.
            largest: dict[Case, int] = {}
            for case in matching:
                group = case.replace(elements="", cache="")
                largest[group] = max(case.elements, largest.get(group, 0))
            matching = [case for case in matching if case.elements == largest[case.replace(elements="", cache="")]]
        elif size is not None and size != "dram":
            matching = [case for case in matching if _is_one_of(case["elements"], size)]
        if size in ("dram", "max_dram"):
            matching = [case for case in matching if self.is_dram(case)]
        matching = [case for case in matching if self.rows(case)]
        return self._fastest(matching) if where.get("pick") == "fastest" else matching

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
        if row.get("status", "ok") != "ok":
            return None
        if metric == "sector_gbps":
            # Every predicted sector's 32 bytes, over the time.
            sectors = number(row, "load_sectors") + number(row, "store_sectors")
            moved = sectors * SECTOR_BYTES * number(row, "elements") / (number(row, "warp_elements") or WARP)
            return _scaled_by_time(row, moved / (number(row, "device_ns") or math.inf))
        if metric == "element_ns":
            return _per_element(row)
        if row.get(metric, "") == "" or (metric in self.measured and _as_number(row[metric]) is None):
            return None
        value = number(row, metric)
        if metric == "device_ns":
            lo, hi = row["device_ns_lo"], row["device_ns_hi"]
            return Figure(value, float(lo), float(hi)) if lo and hi else Figure(value)
        if metric in ("gbps", "peak_pct"):
            return _scaled_by_time(row, value)
        if metric in ("roundtrip_ns", "submit_ns"):
            return Figure(value)
        if metric in self.measured:
            # Without an interval of its own it is what this run found, no more and no less; other runs widen it.
            ends = [number(row, name) if row.get(name) else value for name in (f"{metric}_lo", f"{metric}_hi")]
            return Figure(value, *ends)
        return Figure.exact(value)


@dataclass
class Results:
    """All of a directory: its experiments by name, and whether there is a repetition."""

    directory: Path
    tables: dict[str, Table]
    has_rerun: bool

    def auxiliary(self, file_name: str, experiment: str) -> Table | None:
        """sass.csv, sass_twins.csv or counters.csv, the rows of one experiment; None where the file is absent."""
        path = self.directory / file_name
        if not path.is_file():
            return None
        header, records = read_csv(path)
        wanted = ["experiment", *{"sass.csv": ["kernel", "api"], "sass_twins.csv": ["kernel"]}.get(file_name, [])]
        missing = [column for column in wanted if column not in header]
        if missing:
            raise InputError(f"{path}: no column {', '.join(missing)}")
        code_keys = [column for column in ("kernel", "api", "arch") if column in header]
        keys = code_keys if "kernel" in header else self._key_columns(experiment, header)
        rows = [(line, row) for line, row in records if row["experiment"] == experiment]
        return Table(experiment, [], [], [keyed(path, keys, rows)])

    def _key_columns(self, experiment: str, header: Sequence[str]) -> list[str]:
        known = ["variant", "api", *self.tables[experiment].params, "elements", "cache"]
        return [column for column in known if column in header]


def read_csv(path: Path) -> tuple[list[str], list[tuple[int, dict[str, str]]]]:
    """The header, and every record with the line it ends on."""
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 at byte {error.start}") from error
    if not text:
        raise InputError(f"{path}: empty")
    if not text.endswith("\n"):
        raise InputError(f"{path}: the last line is cut short (no line end)")
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = next(reader)
        records = [(reader.line_num, record) for record in reader]
    except csv.Error as error:
        raise InputError(f"{path}: line {reader.line_num}: {error}") from error
    for line, record in records:
        if len(record) != len(header):
            raise InputError(f"{path}: line {line}: {len(record)} fields, the header has {len(header)}")
    return header, [(line, dict(zip(header, record))) for line, record in records]


def keyed(path: Path, columns: Sequence[str], rows: Iterable[tuple[int, dict[str, str]]]) -> dict[Case, Row]:
    by_case: dict[Case, Row] = {}
    lines: dict[Case, int] = {}
    for line, row in rows:
        case = Case(tuple((column, row[column]) for column in columns))
        if case in by_case:
            raise InputError(f"{path}: lines {lines[case]} and {line} are the same case")
        by_case[case], lines[case] = row, line
    return by_case


def load(directory: Path) -> Results:
    """Everything in `directory`, and in its folder rerun/ where there is one."""
    if not directory.is_dir():
        raise InputError(f"{directory}: no such directory")
    first = _read_run(directory)
    if not first:
        raise InputError(f"{directory}: no result CSV (exp*.csv) in it")
    second = _read_run(directory / "rerun") if (directory / "rerun").is_dir() else {}
    strangers = sorted(set(second) - set(first))
    if strangers:
        raise InputError(f"{directory}/rerun: {strangers[0]}.csv repeats nothing in {directory}")
    tables = {}
    for name, run in sorted(first.items()):
        runs = [run]
        if name in second:
            if second[name].header != run.header:
                raise InputError(f"{directory}/rerun/{name}.csv: its columns differ from {directory}/{name}.csv")
            runs.append(second[name])
        tables[name] = Table(name, run.params, run.model, [run.rows for run in runs], run.measured)
    _check_one_gpu(directory, tables.values())
    return Results(directory, tables, bool(second))


@dataclass
class _Run:
    """One experiment's file."""

    header: list[str]
    rows: dict[Case, Row]

    @property
    def _between(self) -> list[str]:
        return self.header[len(HEAD) : self.header.index(TIMES[0])]

    @property
    def params(self) -> list[str]:
        return [column for column in self._between if column not in MODEL_COLUMNS]

    @property
    def model(self) -> list[str]:
        return [column for column in self._between if column in MODEL_COLUMNS]

    @property
    def measured(self) -> list[str]:
        return self.header[self.header.index(TIMES[-1]) + 1 : -len(ORIGIN)]


def _read_run(directory: Path) -> dict[str, _Run]:
    paths = [path for path in sorted(directory.glob("exp*.csv")) if not path.name.endswith(".samples.csv")]
    return {path.stem: _read_results(path) for path in paths}


def _read_results(path: Path) -> _Run:
    header, records = read_csv(path)
    if header[0] != "schema":
        raise InputError(f"{path}: not a result file (the first column is not schema)")
    schemas = {row["schema"] for _, row in records}
    if schemas - {SCHEMA}:
        raise InputError(f"{path}: schema {ascii(min(schemas - {SCHEMA}))}, this program reads schema {SCHEMA}")
    missing = [column for column in HEAD + TIMES + ORIGIN if column not in header]
    if missing:
        raise InputError(f"{path}: no column {', '.join(missing)}")
    twice = sorted({column for column in header if header.count(column) > 1})
    if twice:
        names = ", ".join(map(ascii, twice))
        raise InputError(f"{path}: two columns {names}: a parameter needs a name that no file's own column has")
    begin, end = len(HEAD), header.index(TIMES[0])
    measured, origin = end + len(TIMES), len(header) - len(ORIGIN)
    if header[:begin] != HEAD or header[end:measured] != TIMES or header[origin:] != ORIGIN:
        raise InputError(f"{path}: columns not in the order of schema {SCHEMA}")
    run = _Run(header, {})
    numeric = [column for column in run.measured if any(_as_number(row[column]) is not None for _, row in records)]
    for line, row in records:
        _check_row(path, line, row, numeric)
    run.rows = keyed(path, ["variant", "api", *run.params, "elements", "cache"], records)
    return run


def _check_row(path: Path, line: int, row: Row, numeric: Sequence[str]) -> None:
    """`numeric`: the measured columns that hold numbers; the others hold texts."""
    where = f"{path}: line {line}"
    if row["experiment"] != path.stem:
        raise InputError(f"{where}: a row of experiment {ascii(row['experiment'])}")
    if row["api"] not in APIS:
        raise InputError(f"{where}: api {ascii(row['api'])} is none of {', '.join(APIS)}")
    if row["status"] not in ("ok", "failed", "skipped"):
        raise InputError(f"{where}: status {ascii(row['status'])} is none of ok, failed, skipped")
    params = list(row)[len(HEAD) : list(row).index(TIMES[0])]
    whole = [name for name in params if name in MODEL_COLUMNS | WHOLE or name.endswith("_bytes")]
    for column in ["elements", "useful_bytes", *whole]:
        if row[column] and not (row[column].isascii() and row[column].isdigit()):
            raise InputError(f"{where}: {column} is {ascii(row[column])}, not a whole number")
    for column in POSITIVE:
        if row[column] and not _is_positive(row[column]):
            raise InputError(f"{where}: {column} is {ascii(row[column])}, not a positive number")
    for column in numeric:
        value = _as_number(row[column])
        if row[column] and (value is None or not math.isfinite(value)):
            raise InputError(f"{where}: {column} is {ascii(row[column])}, not a number")
    lo, hi = row["device_ns_lo"], row["device_ns_hi"]
    if lo and hi and not float(lo) <= float(row["device_ns"] or 0) <= float(hi):
        raise InputError(f"{where}: device_ns lies outside its interval")


def _check_one_gpu(directory: Path, tables: Iterable[Table]) -> None:
    """One GPU for each API. Each API may have its own (no Vulkan driver in a container): nothing is paired then."""
    seen: dict[str, str] = {}
    for table in tables:
        for run in table.runs:
            for row in run.values():
                uuid = row["gpu_uuid"]
                if uuid and seen.setdefault(row["api"], uuid) != uuid:
                    api = API_NAMES[row["api"]]
                    raise InputError(
                        f"{directory}: {api} results of two GPUs, {ascii(seen[row['api']])} and {ascii(uuid)}; "
                        "keep one GPU a directory"
                    )


def _is_positive(text: str) -> bool:
    try:
        return 0 < float(text) < math.inf
    except ValueError:
        return False


def _as_number(text: str) -> float | None:
    """None for a text that is none; nan and inf are numbers that nobody measured."""
    try:
        return float(text)
    except ValueError:
        return None


def _is_one_of(cell: str, wanted: object) -> bool:
    return cell in [str(value) for value in (wanted if isinstance(wanted, list) else [wanted])]


def number(row: Row, column: str) -> float:
    text = row.get(column, "")
    value = _as_number(text or "0")
    if value is None or not math.isfinite(value):
        raise InputError(f"{column} is {ascii(text)}, not a number")
    return value


def _per_element(row: Row) -> Figure | None:
    """device_ns over the elements, its interval likewise."""
    elements = number(row, "elements")
    if not row["device_ns"] or not elements:
        return None
    ends = [float(row[name]) / elements if row[name] else None for name in ("device_ns_lo", "device_ns_hi")]
    return Figure(float(row["device_ns"]) / elements, *ends)


def _scaled_by_time(row: Row, value: float) -> Figure | None:
    """A rate (bytes over device_ns) with the interval that device_ns's implies."""
    if not value:
        return None
    lo, hi = row["device_ns_lo"], row["device_ns_hi"]
    if not (lo and hi):
        return Figure(value)
    time = float(row["device_ns"])
    return Figure(value, value * time / float(hi), value * time / float(lo))
