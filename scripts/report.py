#!/usr/bin/env python3
"""Results to one page: verdicts, figures, tables, machine code.

    scripts/report.py [DIR]            writes DIR/report.html (default: results/nvidia-h200)
    scripts/report.py --picture [DIR]  writes DIR/report.png too, for the README: the page's top; needs Chromium
    scripts/report.py --check [DIR]    writes nothing; exits 1 if the page would change, or if there is a picture of another one

The page is one file: it asks nothing of a network or a server. The same input gives the same bytes. Exit codes: 0 done (or
nothing to change), 1 bad input or a page that would change, 2 usage, 130 interrupted.
"""

from __future__ import annotations

from benchlib.base import early  # noqa: F401  # first: see there

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import worklog
from benchlib.base import console, files
from benchlib.pages import pipeline
from benchlib.results.results import InputError

try:
    from benchlib.pages import report_page, report_picture
except ModuleNotFoundError as error:
    sys.exit(f"report.py: Python's module {error.name} is missing here (package python3-jinja2)")

MOST_BYTES = 7_000_000


def main(arguments: Sequence[str] | None = None) -> int:
    default_root = Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description="Result CSVs to report.html, one self-contained page.")
    parser.add_argument("directory", nargs="?", type=Path, help=f"default: {worklog.REFERENCE} of this repository")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the page would change")
    parser.add_argument("--picture", action="store_true", help="write report.png as well, by a headless Chromium")
    parser.add_argument("--out", type=Path, metavar="FILE", help="default: report.html in the directory")
    parser.add_argument("--root", type=Path, default=default_root, help="the repository whose claims.toml are read")
    options = parser.parse_args(arguments)
    if options.check and options.picture:
        parser.error("--check writes nothing, --picture does")
    return console.guarded("report.py", lambda: run(options))


def run(options: argparse.Namespace) -> int:
    directory = options.directory or options.root / worklog.REFERENCE
    path = options.out or directory / "report.html"
    image = directory / "report.png"
    page = report_page.page(pipeline.load(directory, options.root), options.root)
    text, shown = report_page.render(page), report_page.picture(page)
    if len(text.encode()) > MOST_BYTES:
        raise InputError(f"{directory}: the page would be larger than {MOST_BYTES // 1_000_000} MB")
    before = files.read_text(path)
    picture = report_picture.png(shown) if options.picture else None  # before anything is written
    if options.check and before != text:
        print(f"{path} differs from what the CSV files give:\n{files.short_diff(path, before, text, lines=6)[:2000]}")
        return 1
    if not options.check and before != text:
        files.write_atomic(path, text)
        print(f"wrote {path}")
    if image.exists() and picture is None and not report_picture.shows(image.read_bytes(), shown):
        print(f"{image} shows other results: scripts/report.py --picture makes it anew")
        return 1 if options.check else 0
    if picture is not None:
        files.write_atomic(image, picture)
        print(f"wrote {image}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
