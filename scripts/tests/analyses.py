"""What the experiments' analyses make of results, as Markdown, and of the committed ones."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from types import ModuleType

from benchlib.base import programs
from benchlib.document import markdown
from benchlib.model import analysis
from benchlib.results import results
from benchlib.model.analysis import Study
from benchlib.results.results import Results, Table
from benchlib.document.document import Block

REPOSITORY = Path(__file__).resolve().parents[2]


def module(experiment: str) -> ModuleType:
    """The experiment's analysis.py."""
    return analysis.module(experiment, programs.source_folders(REPOSITORY)[experiment] / analysis.FILE)


def study(directory: Path) -> Study:
    return Study.of(results.load(directory), analysis.load(REPOSITORY))


@lru_cache
def _committed(name: str) -> Results:
    return results.load(REPOSITORY / "results" / name)


def committed(name: str) -> Study:
    """Of a set in results/, which is read once in a process. Its tables are new: no test finds there what another has asked of them."""
    found = _committed(name)
    tables = {table.name: Table(table.name, table.columns, table.runs, table.header, table.boards, table.files) for table in found.tables.values()}
    return Study.of(Results(found.directory, tables, found.runs, found.files), analysis.load(REPOSITORY))


def rendered(blocks: Block | Sequence[Block]) -> str:
    return markdown.render(blocks if isinstance(blocks, Sequence) else [blocks])
