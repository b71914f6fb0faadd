"""The programs' own counting (`<program> --count FILE`): CUPTI's PM sampling, both APIs by one instrument."""

import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchlib.base import children, csv_file
from benchlib.counters import ncu
from benchlib.results import counters_file, schema
from benchlib.results.counters_file import KEY, ORIGIN, PM_COUNTED, PM_SAMPLING, SIZE, CountRow
from benchlib.base.errors import InputError
from benchlib.results.results import SECTOR_BYTES

OPTION = "--count"
_MATRIX_UNITS = 4  # of an SM, since Volta
_SLACK = 1.02  # the two counters are of different launches


@dataclass
class Counted:
    """What one run gave."""

    rows: list[CountRow] = field(default_factory=list)
    code: int = 0
    said: str = ""  # the program's last line
    without: Counter[str] = field(default_factory=Counter)  # reasons of rows without counts, and how many rows have each


def count(program: Path, options: Sequence[str], timeout_s: float) -> Counted:
    """Runs the program and reads what it counted; of one that fails half way what it had counted by then. Raises InputError."""
    with tempfile.TemporaryDirectory(prefix="bench-counters-") as folder:
        path = Path(folder) / f"{program.name}.csv"
        code, out, err = children.run([program, OPTION, path, *options], timeout_s, "--timeout")
        found = Counted(code=code, said=ncu.last_lines(err or out, 1))
        if path.exists():
            try:
                found.rows = rows_of(path, program.name)
            except InputError as error:
                # The folder says nothing to anybody: it is gone by then.
                raise InputError(f"{OPTION}: {str(error).replace(f'{folder}/', '')}") from error
        found.without.update(row["reason"] for row in found.rows if row["reason"])
        return found


def rows_of(path: Path, experiment: str) -> list[CountRow]:
    """A row a case and API, as counters.csv has them. Raises InputError for a file that no program wrote."""
    header, records = csv_file.read(path)
    missing = [column for column in [*KEY, *SIZE, "instrument", "reason"] if column not in header]
    if missing:
        raise InputError(f"{path}: no column {', '.join(missing)}")
    params = [column for column in header[: header.index("elements")] if column not in KEY]
    figures = [column for column in ("launches", *PM_COUNTED, "sm_mhz") if column in header]
    rows: dict[frozenset[tuple[str, str]], CountRow] = {}
    for line, record in records:
        if record["experiment"] != experiment:
            raise InputError(f"{path}: line {line}: a row of experiment {ascii(record['experiment'])[:80]}")
        for column in figures:
            value = schema.real(record[column]) if record[column] else 0.0
            if value is None or value < 0:
                raise InputError(f"{path}: line {line}: {column} is {ascii(record[column])[:80]}, no count")
        kept = [*KEY, *params, *SIZE, "reason", *figures, *ORIGIN]
        row = {column: record[column] for column in kept if column in record}
        row |= {"instrument": PM_SAMPLING, "instrument_version": record["instrument"], **_derived(record)}
        if wrong := impossible(row):
            row = {column: value for column, value in row.items() if column not in counters_file.COUNTED} | {"reason": wrong}
        rows.setdefault(counters_file.identity(row), row)
    return list(rows.values())


def impossible(row: CountRow) -> str:
    """What no GPU can have counted, "" if nothing: the cycles of the matrix units and of the SMs come from different launches, of which one can have missed half its samples."""
    busy, cycles = (schema.real(row.get(name) or "0") or 0.0 for name in ("tensor_cycles", "sm_active_cycles"))
    if not cycles or busy <= _SLACK * _MATRIX_UNITS * cycles:
        return ""
    return f"the {_MATRIX_UNITS} matrix units of an SM were busy for {busy:.3g} cycles of {cycles:.3g}: a count that missed samples"


def _derived(record: CountRow) -> CountRow:
    """What Nsight Compute has a column for, and follows from these counts."""
    cells = {}
    l1, hit, l2 = (schema.real(record[name]) if record.get(name) else None for name in ("l1_sectors", "l1_hit_sectors", "l2_sectors"))
    if l1 and hit is not None:
        cells["l1_hit_pct"] = f"{100 * hit / l1:.6g}"
    if l2 is not None:
        cells["l2_bytes"] = f"{SECTOR_BYTES * l2:.10g}"
    return cells
