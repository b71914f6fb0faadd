#!/usr/bin/env python3
"""Which cases a board's first three runs leave undecided. scripts/run.sh asks it, and measures these cases alone in further runs.

    scripts/undecided.py results/<gpu> BOARD              says how many, by program
    scripts/undecided.py results/<gpu> BOARD --write DIR  and writes DIR/<program>.csv, for the program's option --cases

Exit codes: 0 done, 1 bad input, 2 usage, 130 interrupted.
"""

from benchlib.base import early  # noqa: F401  # first: see there

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchlib.base import console
from benchlib.claims import undecided

ROOT = Path(__file__).resolve().parent.parent


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Which cases a board's first three runs leave undecided.")
    parser.add_argument("directory", type=Path, help="results/<gpu>, as scripts/run.sh writes it")
    parser.add_argument("board", help="a folder of its boards/")
    parser.add_argument("--write", type=Path, metavar="DIR", help="where the lists of cases go, a file per program")
    parser.add_argument("--root", type=Path, default=ROOT, help="the repository, or the unpacked package (default: this one)")
    options = parser.parse_args(arguments)
    return console.run_cli("undecided.py", lambda: run(options))


def run(options: argparse.Namespace) -> int:
    found = undecided.of_board(options.directory, options.board, options.root)
    for name, (table, cases) in found.items():
        print(console.plain(f"{name:<26} {len(cases):5} of {len(table.cases)} rows"))
    if options.write:
        undecided.write(options.write, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
