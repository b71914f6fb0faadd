"""What the experiments' analyses make of results, as Markdown, and of the committed ones."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from benchlib.document import markdown
from benchlib.model import analysis
from benchlib.results import results
from benchlib.model.analysis import Study
from benchlib.results.results import Results, Table
from benchlib.document.document import Block

REPOSITORY = Path(__file__).resolve().parents[2]


def study(directory: Path) -> Study:
    return Study.of(results.load(directory), analysis.load(REPOSITORY))


_read = lru_cache(maxsize=4)(results.load)


def load(directory: Path) -> Results:
    """results.load, which reads the same directory once. Its tables are new: no test finds there what another has asked of them."""
    found = _read(directory)
    tables = {table.name: Table(table.name, table.columns, table.runs, table.header, table.boards, table.files) for table in found.tables.values()}
    return Results(found.directory, tables, found.runs, found.files)


def committed(name: str) -> Study:
    """Of a set in results/."""
    return Study.of(load(REPOSITORY / "results" / name), analysis.load(REPOSITORY))


def forget() -> None:
    """The results that were read; with their tests they go from memory."""
    _read.cache_clear()
    gc.collect()


def rendered(blocks: Block | Sequence[Block]) -> str:
    return markdown.render(blocks if isinstance(blocks, Sequence) else [blocks])
