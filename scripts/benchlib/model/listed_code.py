"""Which listings are of what two cases ran: sass.csv and sass_twins.csv by the hashes of the code."""

from collections.abc import Mapping, Sequence

from benchlib.results import machine_code
from benchlib.results.results import Case, Results, Row, Table

ByHashes = Mapping[tuple[str, str], Sequence[Row]]  # CUDA's hash and Vulkan's


def code_of_twins(found: Results, table: Table, cuda: Case, vulkan: Case) -> Row | None:
    """sass_twins.csv's row of what two cases run; None where it was not disassembled."""
    return next(reversed(found.memoized(twins_by_code, table.name).get(hashes_of(table, cuda, vulkan), [])), None)


def hashes_of(table: Table, cuda: Case, vulkan: Case) -> tuple[str, str]:
    return table.text(cuda, "isa_hash"), table.text(vulkan, "isa_hash")


def twins_by_code(found: Results, experiment: str) -> ByHashes:
    """The rows of sass_twins.csv by the isa_hash of both: several names may stand for the same code."""
    code, twins = (found.auxiliary(name, experiment) for name in (machine_code.CODES, machine_code.TWINS))
    return machine_code.by_hashes(_rows(code), _rows(twins)) if code and twins else {}


def code_like(code: ByHashes, both: Sequence[str], case: Case) -> list[Row]:
    """The rows of CUDA's code, with or without bounds checks as the case ran: its shader was built for another workgroup size."""
    off = case["checks"] == "off"
    return [row for (cuda, _), rows in code.items() for row in rows if cuda == both[0] and row["vulkan_kernel"].endswith(".disabled") == off]


def _rows(table: Table) -> list[Row]:
    return [row for case in table.cases for row in table.rows(case)]
