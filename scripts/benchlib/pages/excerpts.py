"""Machine code in the worklog: short listings beside each other, of what dump_sass.py wrote."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from benchlib.document import document
from benchlib.sass import listings, sass
from benchlib.model.analysis import Study
from benchlib.document.document import Blocks, Bullets, Inline, ListingLink, Preformatted, paragraph
from benchlib.results.results import Table

MOST_LINES = 25
BEFORE_ACCESS = 12  # lines shown before the first access, where a listing is too long
NOT_THERE = paragraph("Not disassembled: scripts/dump_sass.py writes the listings.")

_ACCESS = re.compile(r"\b(?:LDG|STG|LD|ST|ATOMG?|RED)\.")


@dataclass(frozen=True)
class ExcerptColumn:
    title: str
    kernel: str
    api: str


@dataclass(frozen=True)
class Excerpt:
    title: str
    columns: tuple[ExcerptColumn, ...]


def twin(kernel: str) -> Excerpt:
    return Excerpt(kernel, (ExcerptColumn("CUDA", kernel, "cuda"), ExcerptColumn("Vulkan", kernel, "vulkan")))


def three_ways(title: str, kernel: str, address: str) -> Excerpt:
    """CUDA, Vulkan through descriptors, Vulkan through addresses."""
    cuda, vulkan = twin(kernel).columns
    by_address = ExcerptColumn("Vulkan, addresses", address, "vulkan")
    return Excerpt(title, (cuda, ExcerptColumn("Vulkan, descriptors", vulkan.kernel, "vulkan"), by_address))


def listing(found: Study, table: Table, column: ExcerptColumn) -> list[str]:
    """`0010 @P0 EXIT`, a line an instruction; empty where there is no such listing."""
    code = listings.of(found, table, column.kernel, column.api)
    return [" ".join(line.split()) for line in sass.text(code).splitlines() if line]


def core(lines: Sequence[str], most: int = MOST_LINES) -> list[str]:
    """All of a short listing; of a long one the part around its first access, with dots where something was left out."""
    if len(lines) <= most:
        return list(lines)
    first = next((at for at, line in enumerate(lines) if _ACCESS.search(line)), 0)
    start = min(max(0, first - BEFORE_ACCESS), len(lines) - most)
    shown = list(lines[start : start + most])
    if start > 0:
        shown[0] = "..."
    if start + most < len(lines):
        shown[-1] = "..."
    return shown


def side_by_side(columns: Sequence[tuple[str, Sequence[str]]]) -> Preformatted:
    """Columns, each a title and its lines."""
    widths = [max(len(line) for line in [title, *lines]) for title, lines in columns]
    rows = zip_longest(*([title, "", *lines] for title, lines in columns), fillvalue="")
    return Preformatted("\n".join("   ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows))


def sass_excerpts(found: Study, table: Table, chosen: Sequence[Excerpt]) -> Blocks:
    """The chosen kernels: their listings, and for each pair what differs."""
    parts: Blocks = []
    for excerpt in chosen:
        columns = [(column, listing(found, table, column)) for column in excerpt.columns]
        there = [(column.title, core(lines)) for column, lines in columns if lines]
        if there:
            pages = dict.fromkeys(column.kernel for column, _ in columns)
            items = tuple(item for kernel in pages if (item := difference(found, table, kernel)))
            parts += [document.heading(excerpt.title), side_by_side(there), *([Bullets(items)] if items else [])]
    return parts or [NOT_THERE]


def difference(found: Study, table: Table, kernel: str) -> tuple[Inline, ...]:
    """What differs between the kernel's two listings, with a link; nothing where one of them is not there."""
    if not listings.are_twins(found, table.name, kernel):
        return ()
    twins = found.auxiliary("sass_twins.csv", table.name)
    cases = twins.select({"kernel": kernel}) if twins else []
    summary = twins.text(cases[0], "summary") if twins and cases else ""
    return (ListingLink(kernel, table.name, kernel), *([f": {summary}."] if summary else []))
