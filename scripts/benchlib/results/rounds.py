"""A run's permanent id: the round that it is of, its model, board and number, as 1/nvidia-h200/149980f6/run3."""

from pathlib import Path

from benchlib.base import files, toml_file
from benchlib.base.errors import InputError
from benchlib.results.results import RunFolder

FILE = Path("docs") / "round.toml"


def number(root: Path) -> int:
    text = files.read_text(root / FILE)
    found = toml_file.parsed(text or "").get("number")
    if not isinstance(found, int):
        raise InputError(f"{root / FILE}: no number of a round")
    return found


def id_of(root: Path, model: str, run: RunFolder) -> str:
    """`model`: the name of its folder below results/."""
    return "/".join([str(number(root)), model, run.board or "board", f"run{run.number}" if run.number else run.path.name])
