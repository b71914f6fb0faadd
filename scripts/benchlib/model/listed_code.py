"""Which listings are of what two cases ran: sass.csv and sass_twins.csv by the hashes of the code.

Newer listings of a kernel take the place of older ones, and rows of the older code stay, in this set or in one beside it. What its twins did
not do alike is kept in PAST, by the hashes.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from benchlib.base import csv_file
from benchlib.results.machine_code import PAST
from benchlib.results.results import Case, Results, Row, Table


def code_of_twins(found: Results, table: Table, cuda: Case, vulkan: Case) -> Row | None:
    """sass_twins.csv's row of what two cases run; None where it was not disassembled."""
    both = tuple(table.text(side, "isa_hash") for side in (cuda, vulkan))
    return next(reversed(found.memoized(twins_by_code, table.name).get(both, [])), None)


def twins_by_code(found: Results, experiment: str) -> dict[tuple[str, ...], list[Row]]:
    """The rows of sass_twins.csv by the isa_hash of both: several names may stand for the same code."""
    code, twins = (found.auxiliary(name, experiment) for name in ("sass.csv", "sass_twins.csv"))
    hashes: dict[tuple[str, str], set[str]] = {}
    for row in _rows(code) if code else []:
        hashes.setdefault((row["api"], row["kernel"]), set()).add(row.get("isa_hash", ""))
    named: dict[tuple[str, ...], list[Row]] = {}
    for row in _rows(twins) if twins else []:
        for ours in hashes.get(("cuda", row.get("cuda_kernel", "")), ()):
            for theirs in hashes.get(("vulkan", row.get("vulkan_kernel", "")), ()):
                if ours and theirs:
                    named.setdefault((ours, theirs), []).append(row)
    for both, rows in past(found.directory, experiment).items():
        named.setdefault(both, rows)
    return named


def past(directory: Path, experiment: str) -> dict[tuple[str, ...], list[Row]]:
    """The rows of PAST by both hashes, of this set and of those beside it. Raises InputError where a file is damaged."""
    named: dict[tuple[str, ...], list[Row]] = {}
    for row in _past(tuple(sorted(directory.resolve().parent.glob(f"*/{PAST}*")))):
        if row["experiment"] == experiment:
            named.setdefault((row["cuda_hash"], row["vulkan_hash"]), []).append(row)
    return named


@lru_cache
def _past(paths: Sequence[Path]) -> list[Row]:
    return [row for path in paths for _, row in csv_file.read(path)[1]]


def code_like(code: Mapping[tuple[str, ...], Sequence[Row]], both: Sequence[str], case: Case) -> list[Row]:
    """The rows of CUDA's code, with or without bounds checks as the case ran: its shader was built for another workgroup size."""
    off = case["checks"] == "off"
    return [row for (cuda, _), rows in code.items() for row in rows if cuda == both[0] and row["vulkan_kernel"].endswith(".disabled") == off]


def _rows(table: Table) -> list[Row]:
    return [row for case in table.cases for row in table.rows(case)]
