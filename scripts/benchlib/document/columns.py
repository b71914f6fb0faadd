"""Documents as a terminal shows them: tables in columns, text in lines of the terminal's width. Markdown is for files and pipes."""

import textwrap
from collections.abc import Iterable, Sequence

from benchlib.document import document
from benchlib.document.document import Block, Bullets, Image, Inline, Paragraph, Preformatted, Section, TableBlock

WIDTH = 120  # of a terminal
BETWEEN = "  "


def render(blocks: Iterable[Block], width: int = WIDTH) -> str:
    return "\n\n".join(_block(block, width) for block in blocks)


def _block(block: Block, width: int) -> str:
    if isinstance(block, Section):
        return "\n\n".join([f"{block.title}\n{'-' * min(len(block.title), width)}", *(_block(each, width) for each in block.blocks)])
    if isinstance(block, TableBlock):
        return _table(block, width)
    if isinstance(block, Bullets):
        return "\n".join(_wrapped(_text(item), width, "- ") for item in block.items)
    if isinstance(block, Preformatted):
        return block.text
    if isinstance(block, Image):
        return block.title
    assert isinstance(block, Paragraph)
    return _wrapped(_text(block.parts), width)


def _text(parts: Sequence[Inline]) -> str:
    return "".join(part if isinstance(part, str) else part.text for part in parts)


def _wrapped(text: str, width: int, mark: str = "") -> str:
    return textwrap.fill(text, width, initial_indent=mark, subsequent_indent=" " * len(mark), break_on_hyphens=False)


def _table(table: TableBlock, width: int) -> str:
    """Each column as wide as its widest cell; the last is wrapped where the line would be too long."""
    header = [column.name for column in table.columns]
    rows = [[document.cell_text(cell) for cell in row] for row in table.rows]
    widths = [max(len(row[at]) for row in [header, *rows]) for at in range(len(header))]
    start = sum(widths[:-1]) + len(BETWEEN) * (len(widths) - 1)
    lines = []
    for row in [header, *rows]:
        cells = [cell.rjust(wide) if column.numbers else cell.ljust(wide) for cell, wide, column in zip(row, widths, table.columns)]
        last = textwrap.wrap(row[-1], width - start, break_on_hyphens=False) if width - start >= 20 and len(row[-1]) > width - start else None
        lines.append(BETWEEN.join([*cells[:-1], last[0] if last else cells[-1]]).rstrip())
        lines += [" " * start + part for part in (last or [])[1:]]
    return "\n".join(lines)
