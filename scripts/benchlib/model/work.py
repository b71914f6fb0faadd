"""Whether two cases did the same work, by the listings of what they ran (sass/same_work.py). Pairs that did not have no verdict."""

from collections.abc import Callable
from pathlib import Path

from benchlib.base import programs
from benchlib.model import listed_code
from benchlib.results import machine_code
from benchlib.results.results import Case, Results, Row, Table
from benchlib.sass import same_work
from benchlib.sass.same_work import Excuse, Excused, NotSame, Same

ROOT = Path(__file__).resolve().parents[3]


def of_pair(found: Results, table: Table, cuda: Case, vulkan: Case) -> Same | Excused | NotSame | None:
    """None where no listing is, or was, of what the two ran. Of a shader that was built for another workgroup size than its listing's
    the fences are not judged: a workgroup of one subgroup needs none.
    """
    both, code = listed_code.hashes_of(table, cuda, vulkan), found.memoized(_judged_code, table.name)
    if both in code:
        return _of(found, table.name, code[both][-1], lambda finding: True)
    like = listed_code.code_like(code, both, cuda)
    return _of(found, table.name, like[0], lambda finding: finding.failure != same_work.FENCE) if len(like) == 1 else None


def differing(found: Results, table: Table, cuda: Case, vulkan: Case) -> tuple[str, ...]:
    """What makes the two's work another; nothing where it is the same, or differs for a reason that the experiment gives, or is not known."""
    judged = of_pair(found, table, cuda, vulkan)
    return tuple(map(str, judged.differs)) if isinstance(judged, NotSame) else ()


def _judged_code(found: Results, experiment: str) -> listed_code.ByHashes:
    """The twins that are listed, and those that were and did not do the same."""
    return {**machine_code.past(found.directory, experiment), **listed_code.twins_by_code(found, experiment)}


def _excuses(found: Results, experiment: str) -> list[Excuse]:
    folder = programs.source_folders(ROOT).get(experiment)
    return same_work.excuses(folder) if folder else []


def _of(found: Results, experiment: str, row: Row, counts: Callable[[same_work.Finding], bool]) -> Same | Excused | NotSame:
    findings = [finding for finding in same_work.as_findings(row.get("work", "")) if counts(finding)]
    return same_work.judged(row["kernel"], findings, found.memoized(_excuses, experiment))
