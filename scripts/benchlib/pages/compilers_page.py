"""The page of one kernel as every compiler here makes it: figures, and all listings side by side."""

from collections.abc import Sequence
from typing import NamedTuple

from benchlib.base.errors import InputError
from benchlib.document import document
from benchlib.sass import compilers
from benchlib.sass.compilers import Listing


class Cause(NamedTuple):
    """What instructions have one colour, as the report has it."""

    id: str
    title: str
    whats: Sequence[str]


CAUSES = (
    Cause("checks", "bounds checks", [compilers.CHECK]),
    Cause("qualifiers", "waits, fences, barriers", [compilers.WAIT, compilers.FENCE, compilers.BARRIER]),
    Cause("addresses", "64-bit addresses", [compilers.ADDRESS]),
    Cause("constants", "scalar and constant loads", [compilers.CONSTANT]),
    Cause("other", "compares, control, moves, special registers, spills, hints",
          [compilers.COMPARE, compilers.CONTROL, compilers.MOVE, compilers.SPECIAL, compilers.SPILL, compilers.HINT, compilers.OTHER]),
)  # fmt: skip
_COLOURS = {what: cause.id for cause in CAUSES for what in cause.whats}


def render(experiment: str, kernel: str, found: Sequence[Listing], command: str) -> str:
    """HTML, self-contained. Raises InputError without jinja2."""
    try:
        from benchlib.pages import report_page
    except ImportError as error:
        raise InputError("the page needs Python's module jinja2 (package python3-jinja2)") from error
    rows = [[(line.text, _COLOURS.get(line.what, "")) if (line := row.lines.get(at)) else ("", "") for at in range(len(found))] for row in compilers.aligned(found)]
    where = document.table(
        ["listing", "compiler", "folder", "kernel"], [[one.title, one.about, f"results/{one.folder}", one.kernel] for one in found]
    )
    return report_page.environment().get_template("compilers.html.j2").render(
        title=f"{experiment}: {kernel}", found=found, figures=compilers.figures(found), causes=CAUSES, rows=rows, where=[where], command=command
    )

