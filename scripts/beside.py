#!/usr/bin/env python3
"""A directory of results on one screen: each kind of work here and on the published models, which rules hold here, what is decided.

    scripts/beside.py [DIR]     DIR: results/<gpu>, as scripts/run.sh writes it, which ends with this (default: results/nvidia-h200)

Exit codes: 0 done, 1 bad input, 2 usage, 130 interrupted.
"""

from benchlib.base import early  # noqa: F401  # first: see there

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchlib.base import console
from benchlib.pages import closing, pipeline

ROOT = Path(__file__).resolve().parent.parent


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="A directory of results on one screen, beside the published models.")
    parser.add_argument("directory", nargs="?", type=Path, default=ROOT / "results" / "nvidia-h200", help="default: results/nvidia-h200")
    parser.add_argument("--root", type=Path, default=ROOT, help="the repository, or the unpacked package (default: this one)")
    options = parser.parse_args(arguments)
    return console.run_cli("beside.py", lambda: run(options))


def run(options: argparse.Namespace) -> int:
    print(*map(console.plain, closing.lines(pipeline.load(options.directory, options.root))), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
