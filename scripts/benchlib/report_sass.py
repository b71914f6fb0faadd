"""The report's machine code: both twins' listings side by side, of what dump_sass.py wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchlib import listings, parallel, results, sass, sass_diff
from benchlib.results import API_NAMES, Results, Row
from benchlib.sass import Instruction

Line = list[str]  # mark, left, right, what differs


def data(found: Results) -> dict[str, object]:
    """What the viewer gets: each line once (one kernel's many builds differ in few), and twins() with indices in their place."""
    numbers: dict[tuple[str, ...], int] = {}
    pages = twins(found)
    for page in pages:
        page["lines"] = [numbers.setdefault(tuple(line), len(numbers)) for line in page["lines"]]
    return {"lines": list(numbers), "twins": pages}


def twins(found: Results) -> list[dict[str, Any]]:
    """Every row of sass_twins.csv whose two listings are there: experiment, kernel, summary, and the lines."""
    wanted: list[tuple[Path, Row, set[str]]] = []
    for experiment in found.tables:
        pairs, code = (found.auxiliary(name, experiment) for name in ("sass_twins.csv", "sass.csv"))
        if pairs is None or code is None:
            continue
        with_descriptors = {
            row["kernel"] for case in code.cases for row in code.rows(case)
            if row["api"] == "vulkan" and results.number(row, "descriptor_reads")
        }  # fmt: skip
        for case in pairs.cases:
            wanted += [(found.directory / "sass" / experiment, row, with_descriptors) for row in pairs.rows(case)]
    names = [{column: row.get(column, "") for column in ("experiment", "kernel", "arch", "summary")} for _, row, _ in wanted]
    pages = zip(names, parallel.map_all(side_by_side, wanted))
    return [{**name, "lines": lines} for name, lines in pages if lines]


def side_by_side(wanted: tuple[Path, Row, set[str]]) -> list[Line]:
    """The lines of a row of sass_twins.csv: the folder of its listings, the row, the Vulkan kernels that have descriptors."""
    folder, row, with_descriptors = wanted
    sides = []
    for api in ("cuda", "vulkan"):
        kernel = row.get(f"{api}_kernel", "")
        instructions = listings.read(folder, kernel, api, row.get("arch", ""))
        if not instructions:
            return []
        descriptors = api == "vulkan" and kernel in with_descriptors
        marked = sass.mark_roles(instructions, descriptors=descriptors)
        sides.append(sass_diff.Side(API_NAMES[api], marked, descriptors))
    difference = sass_diff.compare(*sides)
    return [
        [line.mark, shown(line.left), shown(line.right), ", ".join((["order"] if line.moved else []) + line.names)]
        for line in difference.rows
    ]


def shown(instruction: Instruction | None) -> str:
    if instruction is None:
        return ""
    return f"{instruction.offset:04x} {instruction.predicate:>5} {instruction.opcode} {instruction.operands}".rstrip()
