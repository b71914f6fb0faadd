#!/usr/bin/env python3
"""Results to worklog: tables, verdicts on the claims, and the READMEs' tables, all from the CSV files of one directory.

    scripts/worklog.py [DIR]            writes DIR/worklog.md, a page DIR/worklog/<experiment>.md for each, DIR/claims.csv and
                                        DIR/plots/*.svg, and for results/nvidia-h200 the tables in the READMEs; of a program
                                        without a result there (one that needs two GPUs), these show the first other folder
                                        of results/ that has some. Removes the pages of experiments without results, and
                                        figures that show nothing.
                                        Writes the times onto the pages of machine code in DIR/sass. Fills the figures into
                                        the READMEs' and docs' sentences (benchlib/pages/prose.py), and names every sentence
                                        whose condition no longer holds
    scripts/worklog.py --out TO [DIR]   writes worklog.md, every page and every figure into TO, and nothing into DIR or a README: of a
                                        directory that keeps some of its pages (DIR/pages.toml names them), all
    scripts/worklog.py --check [DIR]    writes nothing; exits 1 and names every file that would change, and those sentences

The same input gives the same bytes on any machine. Exit codes: 0 done (or nothing to change), 1 bad input or a file
that would change, 2 usage, 130 interrupted.
"""

from benchlib.base import early  # noqa: F401  # first: see there

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchlib.base import console
from benchlib.pages import worklog_files
from benchlib.pages.worklog_files import REFERENCE


def main(arguments: Sequence[str] | None = None) -> int:
    default_root = Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description="Result CSVs to worklog.md, claims.csv and the READMEs' tables.")
    parser.add_argument("directory", nargs="?", type=Path, help=f"default: {REFERENCE} of this repository")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a file would change")
    parser.add_argument(
        "--readme",
        type=Path,
        default=default_root,
        metavar="ROOT",
        help="the repository whose claims.toml files are read and whose READMEs are filled (default: this one)",
    )
    parser.add_argument("--out", type=Path, metavar="TO", help="write every page there, and nothing elsewhere")
    options = parser.parse_args(arguments)
    if options.out and options.check:
        parser.error("--check writes nothing, --out does")
    directory = options.directory or options.readme / REFERENCE
    return console.run_cli("worklog.py", lambda: worklog_files.write(directory, options.readme, check=options.check, out=options.out))


if __name__ == "__main__":
    sys.exit(main())
