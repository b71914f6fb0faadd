"""The page of one kernel as every compiler here makes it: figures, and all listings side by side."""

from collections.abc import Sequence

from benchlib.base.errors import InputError
from benchlib.document import document
from benchlib.sass import compilers
from benchlib.sass.compilers import Listing

TITLES = {
    "checks": "bounds checks", "qualifiers": "waits and fences", "addresses": "64-bit addresses", "constants": "scalar and constant loads",
    "other": "compares, control, moves, special registers, spills, hints",
}  # fmt: skip


def render(experiment: str, kernel: str, found: Sequence[Listing], command: str) -> str:
    """HTML, self-contained. Raises InputError without jinja2."""
    try:
        from benchlib.pages import report_page
    except ImportError as error:
        raise InputError("the page needs Python's module jinja2 (package python3-jinja2)") from error
    rows = [[(line.text, compilers.CAUSE_OF.get(line.what, "")) if (line := row.lines.get(at)) else ("", "") for at in range(len(found))] for row in compilers.aligned(found)]
    where = document.table(
        ["listing", "compiler", "folder", "kernel"], [[one.title, one.about, f"results/{one.folder}", one.kernel] for one in found]
    )
    return report_page.environment().get_template("compilers.html.j2").render(
        title=f"{experiment}: {kernel}", found=found, figures=compilers.figures(found), causes=list(TITLES.items()), rows=rows, where=[where], command=command
    )
