"""Machine code in the worklog: short listings beside each other, of what dump_sass.py wrote."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from benchlib import listings, sass
from benchlib.markdown import escape
from benchlib.results import Results, Table

MOST_LINES = 25
BEFORE_ACCESS = 12  # lines shown before the first access, where a listing is too long
NOT_THERE = "Not disassembled: scripts/dump_sass.py writes the listings."

_ACCESS = re.compile(r"\b(?:LDG|STG|LD|ST|ATOMG?|RED)\.")


@dataclass(frozen=True)
class Column:
    title: str
    kernel: str
    api: str


@dataclass(frozen=True)
class Excerpt:
    title: str
    columns: tuple[Column, ...]


def twin(kernel: str) -> Excerpt:
    return Excerpt(kernel, (Column("CUDA", kernel, "cuda"), Column("Vulkan", kernel, "vulkan")))


def three_ways(title: str, kernel: str, address: str) -> Excerpt:
    """CUDA, Vulkan through descriptors, Vulkan through addresses."""
    cuda, vulkan = twin(kernel).columns
    by_address = Column("Vulkan, addresses", address, "vulkan")
    return Excerpt(title, (cuda, Column("Vulkan, descriptors", vulkan.kernel, "vulkan"), by_address))


def listing(found: Results, table: Table, column: Column) -> list[str]:
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


def side_by_side(columns: Sequence[tuple[str, Sequence[str]]]) -> str:
    """A code block of columns, each a title and its lines."""
    widths = [max(len(line) for line in [title, *lines]) for title, lines in columns]
    rows = zip_longest(*([title, "", *lines] for title, lines in columns), fillvalue="")
    shown = ["   ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
    # A listing is text that something else wrote: it must not end the block.
    return "\n".join(["```text", *(line.replace("`", "'") for line in shown), "```"])


def sass_excerpts(found: Results, table: Table, chosen: Sequence[Excerpt]) -> str:
    """The chosen kernels: their listings, and for each pair what differs, with a link to the page that says where."""
    parts = []
    for excerpt in chosen:
        columns = [(column, listing(found, table, column)) for column in excerpt.columns]
        there = [(column.title, core(lines)) for column, lines in columns if lines]
        if there:
            pages = dict.fromkeys(column.kernel for column, _ in columns)
            lines = [line for kernel in pages if (line := difference(found, table, kernel))]
            parts += [f"**{escape(excerpt.title)}**", side_by_side(there), *(["\n".join(lines)] if lines else [])]
    return "\n\n".join(parts) or NOT_THERE


def difference(found: Results, table: Table, kernel: str) -> str:
    """What differs between the kernel's two listings, with a link that is relative to the results' directory."""
    page = f"sass/{table.name}/{kernel}.md"
    if not (found.directory / page).is_file():
        return ""
    twins = found.auxiliary("sass_twins.csv", table.name)
    cases = twins.select({"kernel": kernel}) if twins else []
    summary = twins.text(cases[0], "summary") if twins and cases else ""
    return f"- [{escape(kernel)}, line by line]({page}){': ' + escape(summary) + '.' if summary else ''}"


_LINK = re.compile(r"\]\((?=(?:sass|plots)/)")


def rebased(text: str, base: str) -> str:
    """The text with the links to listings and plots as they are from a file that sees the results' directory at `base`."""
    return _LINK.sub(f"]({base}/", text)
