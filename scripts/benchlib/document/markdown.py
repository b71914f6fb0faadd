"""Markdown: what a document looks like in the worklog and the READMEs. Every text passes escape()."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchlib.document import document
from benchlib.document.document import Anchor, Block, Bullets, Cell, Code, Emphasis, FileLink, Image, Inline, Joined, ListingLink, Paragraph, Preformatted
from benchlib.document.document import ResultLink, Section, SectionLink, Strong, TableBlock


PAGES, PLOTS = "worklog/", "plots/"  # where they lie in the results' directory


def escape(text: str) -> str:
    """Text that renders as itself, on one line, inside a table cell: no markup, no HTML, no cell or line break."""
    one_line = text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)
    one_line = one_line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"[\\`*|]|\](?=\()", r"\\\g<0>", one_line)  # "](" is what makes a link or an image


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Cells must be escaped already. Columns whose name ends in ":" are aligned right."""
    names = [name.removesuffix(":") for name in header]
    rules = ["---:" if name.endswith(":") else "---" for name in header]
    lines = [names, rules, *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


@dataclass(frozen=True)
class Place:
    """Where a document is shown: the prefixes of links to the results' directory and to the repository's root (None: nobody knows where
    that lies), the page's own path in the results' directory, the prefix of links to generated pages and figures where these lie elsewhere,
    and the experiments that have some (None: all; of another one a link is its text).
    """

    to_results: str = ""
    to_root: str | None = ""
    page: str = ""
    to_pages: str | None = None
    kept: Collection[str] | None = None

    def link(self, text: str, path: str) -> str:
        """`path`: from the results' directory."""
        page, hash_, anchor = path.partition("#")
        if page.startswith(PAGES) and self.kept is not None and Path(page).stem not in self.kept:
            return escape(text)
        prefix = self.to_pages if is_generated(page) and self.to_pages is not None else self.to_results
        return f"[{escape(text)}]({hash_ + anchor if anchor and page == self.page else prefix + path})"


def render(blocks: Iterable[Block], place: Place = Place(), level: int = 1) -> str:
    """`level`: of the headings of the sections in it."""
    return "\n\n".join(_block(block, place, level) for block in blocks)


def _block(block: Block, place: Place, level: int) -> str:
    if isinstance(block, Paragraph):
        return _inlines(block.parts, place)
    if isinstance(block, Bullets):
        marks = (f"{number}." if block.numbered else "-" for number in range(1, len(block.items) + 1))
        return "\n".join(f"{mark} {_inlines(item, place)}" for mark, item in zip(marks, block.items))
    if isinstance(block, Preformatted):
        # A listing is text that something else wrote: it must not end the block.
        return f"```text\n{block.text.replace('`', chr(39))}\n```"
    if isinstance(block, Image):
        return f"![{escape(block.title)}]({place.to_results if place.to_pages is None else place.to_pages}{PLOTS}{block.name}.svg)"
    if isinstance(block, Section):
        title = f"{'#' * level} {escape(block.title)}"
        return "\n\n".join([title, render(block.blocks, place, level + 1)] if block.blocks else [title])
    assert isinstance(block, TableBlock)
    header = [escape(column.name) + ":" * column.numbers for column in block.columns]
    return table(header, ([_cell(cell, place) for cell in row] for row in block.rows))


def _cell(cell: Cell, place: Place) -> str:
    if isinstance(cell, Joined):
        return escape(cell.between).join(_cell(each, place) for each in cell.cells)
    return _inline(cell, place) if isinstance(cell, FileLink | SectionLink | ListingLink) else escape(document.cell_text(cell))


def _inlines(parts: Sequence[Inline], place: Place) -> str:
    return "".join(_inline(part, place) for part in parts)


def _inline(part: Inline, place: Place) -> str:
    if isinstance(part, str):
        return escape(part)
    if isinstance(part, Code):
        return f"`{part.text}`"
    if isinstance(part, Strong):
        return f"**{escape(part.text)}**"
    if isinstance(part, Emphasis):
        return f"*{escape(part.text)}*"
    if isinstance(part, Anchor):
        return f'<a id="{part.name}"></a>'
    if isinstance(part, ListingLink):  # its page is made on demand
        return escape(part.text)
    if isinstance(part, FileLink):
        return escape(part.text) if place.to_root is None else f"[{escape(part.text)}]({place.to_root}{part.path})"
    return place.link(part.text, result_path(part))


def is_generated(path: str) -> bool:
    """Whether it is a page or a figure, by its path from the results' directory."""
    return path.startswith((PAGES, PLOTS))


def result_path(part: Inline) -> str:
    """Of what a link leads to, in the results' directory; empty for what is none or leads elsewhere."""
    if isinstance(part, SectionLink):
        return section_path(part.experiment, part.section)
    return part.path if isinstance(part, ResultLink) else ""


# ---------------------------------------------------------------------------------------------------------------- anchors


def slug(heading: str) -> str:
    """The anchor that GitHub gives a heading the first time."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def section_path(experiment: str, section: str = "") -> str:
    """Of the experiment's page of the worklog, in the results' directory, with the anchor of its section of that title."""
    return f"{PAGES}{experiment}.md{'#' * bool(section)}{slug(section)}"
