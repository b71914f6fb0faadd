"""The report's machine code: both twins' listings side by side, of what dump_sass.py wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from benchlib import listings, parallel, results, sass, sass_diff
from benchlib.results import API_NAMES, Results, Row
from benchlib.sass import Instruction

Line = list[str]  # mark, left, right, what differs
INSTRUCTION_BYTES = 16  # on every GPU since compute capability 7.0


def data(found: Results) -> dict[str, object]:
    """What the viewer gets: each line once (kernels differ in few), and twins() with indices in their place.

    The viewer puts the offsets before the lines: with them few lines would be alike.
    """
    numbers: dict[tuple[str, ...], int] = {}
    pages = twins(found)
    for page in pages:
        page["lines"] = [numbers.setdefault(tuple(line), len(numbers)) for line in page["lines"]]
    return {"lines": list(numbers), "twins": pages}


def twins(found: Results) -> list[dict[str, Any]]:
    """Every row of sass_twins.csv whose two listings are there: experiment, kernel, summary, and the lines."""
    wanted: list[tuple[Row, Sides]] = []
    for experiment in found.tables:
        pairs, code = (found.auxiliary(name, experiment) for name in ("sass_twins.csv", "sass.csv"))
        if pairs is None or code is None:
            continue
        with_descriptors = {
            row["kernel"] for case in code.cases for row in code.rows(case)
            if row["api"] == "vulkan" and results.number(row, "descriptor_reads")
        }  # fmt: skip
        folder = found.directory / "sass" / experiment
        wanted += [(row, sides_of(folder, row, with_descriptors)) for case in pairs.cases for row in pairs.rows(case)]
    there = [(row, sides) for row, sides in wanted if sides.cuda and sides.vulkan]
    # Many kernels have the same code; each pair is aligned once.
    different = list(dict.fromkeys(sides for _, sides in there))
    pages = dict(zip(different, parallel.map_all(side_by_side, different)))
    columns = ("experiment", "kernel", "arch", "summary")
    return [{**{column: row.get(column, "") for column in columns}, "lines": pages[sides]} for row, sides in there]


class Sides(NamedTuple):
    """Both listings of a row of sass_twins.csv, without their comments, and whether Vulkan's kernel has descriptors."""

    cuda: str
    vulkan: str
    descriptors: bool


def sides_of(folder: Path, row: Row, with_descriptors: set[str]) -> Sides:
    texts = [listings.text(folder, row.get(f"{api}_kernel", ""), api, row.get("arch", "")) for api in ("cuda", "vulkan")]
    cuda, vulkan = ("\n".join(line for line in text.splitlines() if not line.startswith("//")) for text in texts)
    return Sides(cuda, vulkan, row.get("vulkan_kernel", "") in with_descriptors)


def side_by_side(sides: Sides) -> list[Line]:
    both = []
    for api, text, descriptors in (("cuda", sides.cuda, False), ("vulkan", sides.vulkan, sides.descriptors)):
        marked = sass.mark_roles(listings.parse(text), descriptors=descriptors)
        both.append(sass_diff.Side(API_NAMES[api], marked, descriptors))
    difference = sass_diff.compare(*both)
    left, right = Column(), Column()
    return [
        [line.mark, left.shown(line.left), right.shown(line.right), ", ".join((["order"] if line.moved else []) + line.names)]
        for line in difference.rows
    ]


class Column:
    """One side's instructions from the top down."""

    def __init__(self) -> None:
        self._instructions = 0

    def shown(self, instruction: Instruction | None) -> str:
        """The instruction behind a blank; behind its offset where that is not what its place in the column says."""
        if instruction is None:
            return ""
        text = f" {instruction.predicate:>5} {instruction.opcode} {instruction.operands}".rstrip()
        expected = self._instructions * INSTRUCTION_BYTES
        self._instructions += 1
        return text if instruction.offset == expected else f"{instruction.offset:04x}{text}"
