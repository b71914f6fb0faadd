"""What the worklog, the READMEs and the report are made of, before it is Markdown (markdown.py) or HTML (report_page.py).

A document is a list of blocks: paragraphs, tables, lists, code, figures, and sections, which hold blocks. Texts are plain: whatever
stands in one is shown as it is, and every renderer escapes it in its own way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchlib.stats import formats
from benchlib.stats.formats import NONE

# ------------------------------------------------------------------------------------------------------------------ inline


@dataclass(frozen=True)
class Code:
    text: str


@dataclass(frozen=True)
class Strong:
    text: str


@dataclass(frozen=True)
class Emphasis:
    text: str


@dataclass(frozen=True)
class ListingLink:
    """To a kernel's two listings, where a page shows them."""

    text: str
    experiment: str
    kernel: str


@dataclass(frozen=True)
class FileLink:
    """To a file of the repository, by its path from the root."""

    text: str
    path: str


@dataclass(frozen=True)
class ResultLink:
    """To a file of the results that are shown, by its path from their folder."""

    text: str
    path: str


@dataclass(frozen=True)
class SectionLink:
    """To an experiment's page of the worklog, or to the section of that title there."""

    text: str
    experiment: str
    section: str = ""


@dataclass(frozen=True)
class Anchor:
    """A place within a page, to which links lead. It shows nothing."""

    name: str
    text = ""


Inline = str | Code | Strong | Emphasis | ListingLink | FileLink | ResultLink | SectionLink | Anchor

# ------------------------------------------------------------------------------------------------------------------- cells


@dataclass(frozen=True)
class Verdict:
    """SAME, FASTER, ... of a pair; REPRODUCED, REFUTED, ... of a claim."""

    text: str


@dataclass(frozen=True)
class Joined:
    """Several in one cell: `CUDA's / Vulkan's`."""

    cells: tuple[Cell, ...]
    between: str

    @property
    def text(self) -> str:
        return self.between.join(map(cell_text, self.cells))


Cell = str | Verdict | Joined | FileLink | SectionLink | ListingLink
# Of figures, of numbers of things or of bytes; a dash where there is none.
number, whole, ratio, interval = formats.sig, formats.count, formats.ratio_text, formats.figure_text


def cell_text(cell: Cell) -> str:
    return cell if isinstance(cell, str) else cell.text


def fixed(value: float | None, decimals: int, unit: str = "") -> Cell:
    return NONE if value is None else f"{value:.{decimals}f}{unit}"


def joined(cells: Iterable[Cell], between: str = " / ") -> Cell:
    return Joined(tuple(cells), between)


# ------------------------------------------------------------------------------------------------------------------ blocks


@dataclass(frozen=True)
class Paragraph:
    parts: tuple[Inline, ...]


@dataclass(frozen=True)
class Bullets:
    items: tuple[tuple[Inline, ...], ...]
    numbered: bool = False


@dataclass(frozen=True)
class Preformatted:
    """Lines of fixed width: a listing, bars."""

    text: str


@dataclass(frozen=True)
class TableColumn:
    name: str
    numbers: bool = False  # aligned right


@dataclass(frozen=True)
class TableBlock:
    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def of_columns(self, kept: Sequence[int]) -> TableBlock:
        """Some of its columns, by their places."""
        return TableBlock(tuple(self.columns[at] for at in kept), tuple(tuple(row[at] for at in kept) for row in self.rows))


@dataclass(frozen=True)
class Image:
    """A figure of the results' folder plots/, by its file's name without the end."""

    name: str
    title: str


@dataclass(frozen=True)
class Section:
    title: str
    blocks: tuple[Block, ...]


Block = Paragraph | Bullets | Preformatted | TableBlock | Image | Section
Blocks = list[Block]


def paragraph(*parts: Inline) -> Paragraph:
    return Paragraph(parts)


def heading(text: str) -> Paragraph:
    """Of a part that is no section."""
    return Paragraph((Strong(text),))


def section(title: str, blocks: Iterable[Block]) -> Section:
    return Section(title, tuple(blocks))


def table(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> TableBlock:
    """A name that ends in ":" is of a column of numbers."""
    columns = tuple(TableColumn(name.removesuffix(":"), name.endswith(":")) for name in header)
    return TableBlock(columns, tuple(tuple(row) for row in rows))


def bars(rows: Sequence[tuple[str, float, str]], width: int = 40) -> Preformatted:
    """Horizontal bars: (label, length, text after the bar)."""
    longest = max(length for _, length, _ in rows)
    labels = max(len(label) for label, _, _ in rows)
    lines = []
    for label, length, text in rows:
        filled = max(1, round(width * length / longest))
        lines.append(f"{label.ljust(labels)}  {'█' * filled}{'░' * (width - filled)}  {text}")
    return Preformatted("\n".join(lines))


NO_RESULTS = paragraph("No results.")


def is_empty(block: Block) -> bool:
    """A section without anything in it, or that says "No results" and shows nothing."""
    return isinstance(block, Section) and (not block.blocks or NO_RESULTS in block.blocks and not any(_shows(each) for each in block.blocks))


NO_TWIN = "no twin"  # in place of a pair's verdict


def without_empty_columns(blocks: Iterable[Block]) -> Blocks:
    """The same, their tables without the columns in which no cell has anything."""
    found: Blocks = []
    for block in blocks:
        if isinstance(block, Section):
            block = section(block.title, without_empty_columns(block.blocks))
        elif isinstance(block, TableBlock):
            kept = [at for at in range(len(block.columns)) if any(_tells(row[at]) for row in block.rows)]
            block = block.of_columns(kept) if kept else block
        found.append(block)
    return found


def _tells(cell: Cell) -> bool:
    return any(map(_tells, cell.cells)) if isinstance(cell, Joined) else cell_text(cell) not in ("", NONE, NO_TWIN)


def _shows(block: Block) -> bool:
    if isinstance(block, Section):
        return any(_shows(each) for each in block.blocks)
    return bool(block.rows) if isinstance(block, TableBlock) else not isinstance(block, Paragraph)
