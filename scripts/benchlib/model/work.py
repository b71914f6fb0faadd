"""Whether two cases did the same work, by the listings of what they ran (sass/same_work.py). Pairs that did not have no verdict."""

from collections.abc import Callable
from pathlib import Path

from benchlib.base import programs
from benchlib.model import hardware_counts
from benchlib.model.analysis import Study
from benchlib.model.pairs import Pair
from benchlib.results.results import Row, Table
from benchlib.sass import same_work
from benchlib.sass.same_work import Excused, NotSame, Same

ROOT = Path(__file__).resolve().parents[3]


def of_pair(found: Study, table: Table, pair: Pair) -> Same | Excused | NotSame | None:
    """None where a side is missing, or no listing is of what the two ran. Of a shader that was built for another workgroup size than its listing's
    the fences are not judged: a workgroup of one subgroup needs none.
    """
    if not pair.cuda or not pair.vulkan:
        return None
    row = hardware_counts.code_of_twins(found, table, pair.cuda, pair.vulkan)
    if row is not None:
        return _of(table.name, row, lambda finding: True)
    both = [table.text(side, "isa_hash") for side in (pair.cuda, pair.vulkan)]
    like = hardware_counts.code_like(found.memoized(hardware_counts.twins_by_code, table.name), both, pair.case)
    return _of(table.name, like[0], lambda finding: finding.failure != same_work.FENCE) if len(like) == 1 else None


def _of(experiment: str, row: Row, counts: Callable[[same_work.Finding], bool]) -> Same | Excused | NotSame:
    folder = programs.source_folders(ROOT).get(experiment)
    findings = [finding for finding in same_work.as_findings(row.get("work", "")) if counts(finding)]
    return same_work.judged(row["kernel"], findings, same_work.excuses(folder) if folder else [])
