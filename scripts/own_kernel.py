#!/usr/bin/env python3
"""The verdict and the page of your own two kernels, from what own_kernel has written.

    scripts/own_kernel.py FOLDER [--command TEXT] [--fail-on slower]

FOLDER holds rows.csv, result.json, and, where they could be had, isa/ and counters.csv, as scripts/run.sh --kernel makes them. Writes
FOLDER/page.md and page.html and prints at most fifteen lines. The verdict is that of the worklogs, by the same estimator: SAME, FASTER, SLOWER, FIXED COST or
UNCLEAR, of the second side's time over the first's.

Exit codes: 0 done, 1 bad input, or slower with --fail-on slower, 2 usage, 77 nothing was timed, 130 interrupted.
"""

from benchlib.base import early  # noqa: F401  # first: see there

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchlib.base import console, files
from benchlib.document import markdown
from benchlib.document.document import Section
from benchlib.tables import own_kernel
from benchlib.sass import sass_tool
from benchlib.sass.sass_tool import Nvdisasm
from benchlib.stats.stats import SLOWER

NAME = "own_kernel.py"
TERMINAL_LINES = 15


def write_html(page: Section, out: Path) -> None:
    """With the report's templates; not without jinja2, as the report is not."""
    try:
        from benchlib.pages import report_page
    except ImportError:
        return
    template = report_page.environment().get_template("own_kernel.html.j2")
    files.write_atomic(out, template.render(title=page.title, found=page.blocks))


def run(options: argparse.Namespace) -> int:
    own = own_kernel.read(options.folder)
    path = sass_tool.find()
    [page] = own_kernel.page(own, Nvdisasm(path) if path else None, options.command)
    out = options.folder / "page.md"
    files.write_atomic(out, markdown.render([page]))
    write_html(page, options.folder / "page.html")
    lines = own_kernel.sentences(own)
    texts = [*own.result["faults"], *own.result["notes"]]
    lines += texts
    room = TERMINAL_LINES - 1
    if len(lines) > room:
        lines = [*lines[: room - 1], f"and {len(lines) - room + 1} more on the page"]
    print(*lines, f"page: {out}", sep="\n")
    if not any(row["status"] == "ok" for row in own.rows):
        return console.SKIPPED
    slower = not own.software and any(pair.verdict == SLOWER for pair in own.whole if not pair.checks)
    return 1 if options.fail_on == "slower" and slower else 0


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog=NAME, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--command", default="scripts/run.sh --kernel FILE.toml", help="what measured it, for the page")
    parser.add_argument("--fail-on", choices=["slower"], help="exit with 1 where the second side is SLOWER in some case")
    options = parser.parse_args(arguments)
    return console.run_cli(NAME, lambda: run(options))


if __name__ == "__main__":
    sys.exit(main())
