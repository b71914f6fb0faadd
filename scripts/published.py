#!/usr/bin/env python3
"""What is published of each model in results/, small enough to travel with the package: docs/published.csv. And on which rows the figures of README.md and
docs/RULES.md rest: docs/older_rows.csv (benchlib/pages/older_rows.py).

    scripts/published.py            writes both
    scripts/published.py --check    writes nothing; exits 1 if it would change

Exit codes: 0 done (or nothing to change), 1 bad input or a file that would change, 2 usage, 130 interrupted.
"""

from benchlib.base import early  # noqa: F401  # first: see there

import argparse
import sys
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

from benchlib.base import console, csv_file, files
from benchlib.model import analysis
from benchlib.model.analysis import Study
from benchlib.pages import beside, older_rows, summary
from benchlib.pages.summary import Summary
from benchlib.pages.worklog_files import REFERENCE
from benchlib.results import results


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="The published figures of every model in results/.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the file would change")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent, help="the repository (default: this one)")
    options = parser.parse_args(arguments)
    return console.run_cli("published.py", lambda: run(options))


def texts(root: Path) -> dict[Path, str]:
    analyses = analysis.load(root)
    rows: dict[object, list[dict[str, object]]] = {}  # by model: of its first folder alone, for a further one has other hosts
    sets: dict[str, tuple[Study, Summary]] = {}
    for folder in sorted(path for path in (root / "results").iterdir() if (path / "boards").is_dir()):
        study = Study.of(results.load(folder), analyses)
        if said := summary.load(root, study):
            sets[folder.name] = study, said
            if found := beside.csv_rows(study, said):
                rows.setdefault(beside.model(study), found)
    made = {root / beside.FILE: csv_file.text(beside.COLUMNS, chain.from_iterable(rows.values()))}
    if REFERENCE.name in sets:
        of_figures = older_rows.csv_rows(root, {REFERENCE.name: sets[REFERENCE.name], **sets})
        print(older_rows.words(of_figures))
        made[root / older_rows.FILE] = csv_file.text(older_rows.COLUMNS, of_figures)
    return made


def run(options: argparse.Namespace) -> int:
    stale = {path: (before, made) for path, made in texts(options.root).items() if (before := files.read_text(path)) != made}
    for path, (before, made) in stale.items():
        if options.check:
            print(f"{path} differs from what results/ gives:\n{files.short_diff(path, before, made)}")
        else:
            files.write_atomic(path, made)
            print(f"wrote {path}")
    return 1 if stale and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
