"""Which listings are of what two cases ran: sass.csv and sass_twins.csv by the hashes of the code."""

from collections.abc import Mapping, Sequence

from benchlib.results.results import Case, Results, Row, Table


def code_of_twins(found: Results, table: Table, cuda: Case, vulkan: Case) -> Row | None:
    """sass_twins.csv's row of what two cases run; None where it was not disassembled."""
    both = tuple(table.text(side, "isa_hash") for side in (cuda, vulkan))
    return next(reversed(found.memoized(twins_by_code, table.name).get(both, [])), None)


def twins_by_code(found: Results, experiment: str) -> dict[tuple[str, ...], list[Row]]:
    """The rows of sass_twins.csv by the isa_hash of both: several names may stand for the same code."""
    code, twins = (found.auxiliary(name, experiment) for name in ("sass.csv", "sass_twins.csv"))
    if code is None or twins is None:
        return {}
    hashes: dict[tuple[str, str], set[str]] = {}
    for row in _rows(code):
        hashes.setdefault((row["api"], row["kernel"]), set()).add(row.get("isa_hash", ""))
    named: dict[tuple[str, ...], list[Row]] = {}
    for row in _rows(twins):
        for ours in hashes.get(("cuda", row.get("cuda_kernel", "")), ()):
            for theirs in hashes.get(("vulkan", row.get("vulkan_kernel", "")), ()):
                if ours and theirs:
                    named.setdefault((ours, theirs), []).append(row)
    return named


def code_like(code: Mapping[tuple[str, ...], Sequence[Row]], both: Sequence[str], case: Case) -> list[Row]:
    """The rows of CUDA's code, with or without bounds checks as the case ran: its shader was built for another workgroup size."""
    off = case["checks"] == "off"
    return [row for (cuda, _), rows in code.items() for row in rows if cuda == both[0] and row["vulkan_kernel"].endswith(".disabled") == off]


def _rows(table: Table) -> list[Row]:
    return [row for case in table.cases for row in table.rows(case)]
