"""The samples of a run, and a median's interval from their order alone."""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from benchlib.base import csv_file
from benchlib.results import schema, split_off
from benchlib.base.errors import InputError
from benchlib.stats.stats import Figure

Identity = frozenset[tuple[str, str]]
SCHEMAS = ("1", "2")  # of the result file beside it; both have these columns
# The columns of a samples file that are no part of the case's key.
NOT_KEY = {"schema", "experiment", "batch", "position", "device_ns", "roundtrip_ns", "submit_ns", "sm_mhz"}


@dataclass
class Samples:
    """One case's, in the order in which they were taken."""

    device_ns: list[float] = field(default_factory=list)  # of a case that the host timed, and no stamps on the GPU: its round trips
    sm_mhz: list[float] = field(default_factory=list)  # empty where a sample had none

    @property
    def cycles(self) -> list[float]:
        """Of the SM's clock; empty without one clock a sample."""
        if len(self.sm_mhz) != len(self.device_ns):
            return []
        return [ns * mhz / 1000 for ns, mhz in zip(self.device_ns, self.sm_mhz)]


def identity(cells: Iterable[tuple[str, str]]) -> Identity:
    """What tells a case from the others. An empty parameter is one that the case lacks: a column more changes nothing."""
    return frozenset((column, value) for column, value in cells if value)


def load(directory: Path, experiment: str) -> dict[Identity, Samples]:
    """DIR/<experiment>.samples.csv, or .samples.csv.xz, by case; empty where there is neither."""
    stems = [name for name in (experiment, split_off.source_of(experiment)) if name]
    names = [f"{stem}.samples.csv{packed}" for stem in stems for packed in ("", ".xz")]
    path = next((directory / name for name in names if (directory / name).is_file()), None)
    if path is None:
        return {}
    reader = csv_file.Reader(path)
    header = reader.header
    missing = [column for column in ("schema", "variant", "api", "device_ns", "sm_mhz") if column not in header]
    if missing:
        raise InputError(f"{path}: no column {', '.join(missing)}")
    keys = [(at, column) for at, column in enumerate(header) if column not in NOT_KEY]
    first = keys[0][0]
    last = keys[-1][0] + 1
    version, device_ns, sm_mhz = (header.index(column) for column in ("schema", "device_ns", "sm_mhz"))
    roundtrip_ns = header.index("roundtrip_ns") if "roundtrip_ns" in header else None
    host: dict[int, tuple[Samples, list[tuple[int, str]]]] = {}  # round trips of each case, with their lines
    by_cells: dict[tuple[str, ...], Samples] = {}  # neighbours' cells, so that a row's identity is made once a case
    found: dict[Identity, Samples] = {}
    for line, record in reader:
        if record[version] not in SCHEMAS:
            known = " and ".join(SCHEMAS)
            raise InputError(f"{path}: line {line}: schema {ascii(record[version])[:80]}, this program reads {known}")
        if not record[device_ns] and (roundtrip_ns is None or not record[roundtrip_ns]):
            continue
        cells = tuple(record[first:last])
        one = by_cells.get(cells)
        if one is None:
            key = identity((column, record[at]) for at, column in keys)
            one = by_cells[cells] = found.setdefault(key, Samples())
        if not record[device_ns] and roundtrip_ns is not None:
            host.setdefault(id(one), (one, []))[1].append((line, record[roundtrip_ns]))
            continue
        one.device_ns.append(_positive(path, line, "device_ns", record[device_ns]))
        if record[sm_mhz]:
            one.sm_mhz.append(_positive(path, line, "sm_mhz", record[sm_mhz]))
    for one, texts in host.values():
        if not one.device_ns:
            one.device_ns = [_positive(path, line, "roundtrip_ns", text) for line, text in texts]
    return found


def _positive(path: Path, line: int, column: str, text: str) -> float:
    value = schema.real(text)
    if value is None or value <= 0:
        raise InputError(f"{path}: line {line}: {column} is {ascii(text)[:80]}, not a positive number")
    return value


def median(values: Sequence[float], alpha: float) -> Figure:
    """The median with its interval of confidence 1 - alpha by order statistics: no distribution is assumed. Without an interval
    where there are too few values for it.
    """
    ordered = sorted(values)
    value = statistics.median(ordered)
    rank = interval_rank(len(ordered), alpha)
    return Figure(value, ordered[rank - 1], ordered[-rank]) if rank else Figure(value)


@lru_cache(maxsize=4096)  # cases of one file have few different numbers of samples
def interval_rank(count: int, alpha: float) -> int:
    """The greatest k for which the k-th least and k-th greatest of `count` values enclose the median with confidence 1 - alpha,
    that is 2 P(B < k) <= alpha for B binomial(count, 1/2); 0 if there is none. Exact: in whole numbers, P times 2^count.
    """
    numerator, denominator = alpha.as_integer_ratio()
    limit = (numerator << count) // (2 * denominator)
    term, below, rank = 1, 0, 0  # term: count over rank
    while rank < count // 2 and below + term <= limit:
        below += term
        rank += 1
        term = term * (count - rank + 1) // rank
    return rank
