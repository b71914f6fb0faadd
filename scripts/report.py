#!/usr/bin/env python3
"""Results to one page: verdicts, figures, tables, machine code.

    scripts/report.py [DIR]            writes DIR/report.html (default: results/nvidia-h200)
    scripts/report.py --picture [DIR]  writes DIR/report.png too, for the README: the page's top (report.png.sha256: what it shows); needs Chromium
    scripts/report.py --check [DIR]    writes nothing; exits 1 if the page is there and would change, or if there is a picture of another one

The page is one file: it asks nothing of a network or a server. The same input gives the same bytes. Exit codes: 0 done (or
nothing to change), 1 bad input or a page that would change, 2 usage, 130 interrupted.
"""

from benchlib.base import early  # noqa: F401  # first: see there

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchlib.base import console
from benchlib.pages.worklog_files import REFERENCE

try:
    from benchlib.pages import report_file
except ModuleNotFoundError as error:
    sys.exit(f"report.py: Python's module {error.name} is missing here (package python3-jinja2)")


def main(arguments: Sequence[str] | None = None) -> int:
    default_root = Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description="Result CSVs to report.html, one self-contained page.")
    parser.add_argument("directory", nargs="?", type=Path, help=f"default: {REFERENCE} of this repository")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the page, where it is, or its picture would change")
    parser.add_argument("--picture", action="store_true", help="write report.png as well, by a headless Chromium")
    parser.add_argument("--out", type=Path, metavar="FILE", help="default: report.html in the directory")
    parser.add_argument("--root", type=Path, default=default_root, help="the repository whose claims.toml are read")
    options = parser.parse_args(arguments)
    if options.check and options.picture:
        parser.error("--check writes nothing, --picture does")
    directory = options.directory or options.root / REFERENCE
    return console.run_cli(
        "report.py", lambda: report_file.write(directory, options.root, options.out, check=options.check, with_picture=options.picture)
    )


if __name__ == "__main__":
    sys.exit(main())
