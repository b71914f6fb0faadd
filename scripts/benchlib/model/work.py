"""Whether two cases did the same work, by the listings of what they ran (sass/same_work.py). Pairs that did not have no verdict."""

from pathlib import Path

from benchlib.base import programs
from benchlib.model import hardware_counts
from benchlib.model.analysis import Study
from benchlib.model.pairs import Pair
from benchlib.results.results import Table
from benchlib.sass import same_work
from benchlib.sass.same_work import Excused, NotSame, Same

ROOT = Path(__file__).resolve().parents[3]


def of_pair(found: Study, table: Table, pair: Pair) -> Same | Excused | NotSame | None:
    """None where a side is missing, or no listing is of what the two ran."""
    if not pair.cuda or not pair.vulkan:
        return None
    row = hardware_counts.code_of_twins(found, table, pair.cuda, pair.vulkan)
    return None if row is None else of_kernel(table.name, row["kernel"], row.get("work", ""))


def of_kernel(experiment: str, kernel: str, work: str) -> Same | Excused | NotSame:
    """`work`: what sass_twins.csv says of it."""
    folder = programs.source_folders(ROOT).get(experiment)
    return same_work.judged(kernel, same_work.as_findings(work), same_work.excuses(folder) if folder else [])
