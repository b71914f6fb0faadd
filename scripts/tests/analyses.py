"""What the experiments' analyses make of results, as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from benchlib.base import programs
from benchlib.document import markdown
from benchlib.model import analysis
from benchlib.results import results
from benchlib.model.analysis import Study
from benchlib.document.document import Block

REPOSITORY = Path(__file__).resolve().parents[2]


def module(experiment: str) -> ModuleType:
    """The experiment's analysis.py."""
    return analysis.module(experiment, programs.source_folders(REPOSITORY)[experiment] / analysis.FILE)


def study(directory: Path) -> Study:
    return Study.of(results.load(directory), analysis.load(REPOSITORY))


def rendered(blocks: Block | Sequence[Block]) -> str:
    return markdown.render(blocks if isinstance(blocks, Sequence) else [blocks])
