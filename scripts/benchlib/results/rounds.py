"""A run's permanent id: the round that it is of, its model, board and number, as 1/nvidia-h200/149980f6/run3. And which sources measure the same."""

from pathlib import Path
from typing import Any

from benchlib.base import files, toml_file
from benchlib.base.errors import InputError
from benchlib.results.results import RunFolder

FILE = Path("docs") / "round.toml"


def number(root: Path) -> int:
    found = contents(root).get("number")
    if not isinstance(found, int):
        raise InputError(f"{root / FILE}: no number of a round")
    return found


def id_of(root: Path, model: str, run: RunFolder) -> str:
    """`model`: the name of its folder below results/."""
    return "/".join([str(number(root)), model, run.board or "board", f"run{run.number}" if run.number else run.path.name])


def newest_alike(root: Path) -> dict[str, str]:
    """By the hash of a program's sources, the newest ones that are declared to measure the same."""
    return {old: hashes[-1] for each in contents(root).get("same", []) for hashes in each["sources"].values() for old in hashes}


def contents(root: Path) -> dict[str, Any]:
    """Of the file; nothing without it."""
    return toml_file.parsed(files.read_text(root / FILE) or "")
