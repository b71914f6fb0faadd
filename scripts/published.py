#!/usr/bin/env python3
"""What is published of each model in results/, small enough to travel with the package: docs/published.csv. And on which rows the figures of README.md and
docs/RULES.md rest: docs/older_rows.csv (benchlib/pages/older_rows.py).

    scripts/published.py            writes both
    scripts/published.py --check    writes nothing; exits 1 if it would change
    scripts/published.py --check --pages
                                    does as well what `worklog.py --check` does for every model, and `report.py --check` for those with a picture: reads
                                    the results once, and uses two processors

Exit codes: 0 done (or nothing to change), 1 bad input or a file that would change, 2 usage, 130 interrupted.
"""

from benchlib.base import early  # noqa: F401  # first: see there

import argparse
import multiprocessing
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

from benchlib.base import console, csv_file, files
from benchlib.model import analysis
from benchlib.model.analysis import Study
from benchlib.pages import beside, older_rows, pipeline, summary, worklog_files
from benchlib.pages.pipeline import Judged
from benchlib.pages.summary import Summary
from benchlib.pages.worklog_files import REFERENCE
from benchlib.results import results


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="The published figures of every model in results/.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the file would change")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent, help="the repository (default: this one)")
    parser.add_argument("--pages", action="store_true", help="with --check: the pages of every model, too")
    options = parser.parse_args(arguments)
    if options.pages and not options.check:
        parser.error("--pages goes with --check")
    if options.pages:
        return console.run_cli("published.py", lambda: check_all(options.root))
    return console.run_cli("published.py", lambda: run(options.root, studies(options.root), check=options.check))


def folders(root: Path) -> list[Path]:
    return sorted(path for path in (root / "results").iterdir() if (path / "boards").is_dir())


def studies(root: Path) -> Iterable[Study]:
    analyses = analysis.load(root)
    return (Study.of(results.load(folder), analyses) for folder in folders(root))


def texts(root: Path, found: Iterable[Study]) -> dict[Path, str]:
    rows: dict[object, list[dict[str, object]]] = {}  # by model: of its first folder alone, for a further one has other hosts
    sets: dict[str, tuple[Study, Summary]] = {}
    for study in found:
        if said := summary.load(root, study):
            sets[study.directory.name] = study, said
            if found := beside.csv_rows(study, said):
                rows.setdefault(beside.model(study), found)
    made = {root / beside.FILE: csv_file.text(beside.COLUMNS, chain.from_iterable(rows.values()))}
    if REFERENCE.name in sets:
        of_figures = older_rows.csv_rows(root, {REFERENCE.name: sets[REFERENCE.name], **sets})
        print(older_rows.words(of_figures))
        made[root / older_rows.FILE] = csv_file.text(older_rows.COLUMNS, of_figures)
    return made


def check_all(root: Path) -> int:
    analyses = analysis.load(root)
    judged = {folder.name: pipeline.load(folder, root, analyses) for folder in folders(root)}
    reference = replace(judged.pop(REFERENCE.name), neighbours=judged)
    summary.load(root, reference.study)  # kept, for both processes
    context = multiprocessing.get_context("fork")  # the other process has what is read already
    other = context.Process(target=lambda: sys.exit(console.run_cli("published.py", lambda: check_pages(reference, root))))
    other.start()
    differ = [check_pages(each, root) for each in judged.values()]
    differ.append(run(root, [each.study for _, each in sorted({**judged, REFERENCE.name: reference}.items())], check=True))
    other.join()
    return 1 if any(differ) or other.exitcode else 0


def check_pages(judged: Judged, root: Path) -> int:
    from benchlib.pages import report_file  # it alone needs jinja2

    directory = judged.study.directory
    differ = worklog_files.write(directory, root, check=True, judged=judged)
    return report_file.write(directory, root, check=True, judged=judged) | differ if (directory / "report.png").exists() else differ


def run(root: Path, found: Iterable[Study], *, check: bool) -> int:
    stale = {path: (before, made) for path, made in texts(root, found).items() if (before := files.read_text(path)) != made}
    for path, (before, made) in stale.items():
        if check:
            print(f"{path} differs from what results/ gives:\n{files.short_diff(path, before, made)}")
        else:
            files.write_atomic(path, made)
            print(f"wrote {path}")
    return 1 if stale and check else 0


if __name__ == "__main__":
    sys.exit(main())
