#!/usr/bin/env python3
"""Results to worklog: tables, verdicts on the claims, and the READMEs' tables, all from the CSV files of one directory.

    scripts/worklog.py [DIR]            writes DIR/worklog.md, a page DIR/worklog/<experiment>.md for each, DIR/claims.csv and
                                        DIR/plots/*.svg, and for results/nvidia-h200 the tables in the READMEs; of a program
                                        without a result there (one that needs two GPUs), these show the first other folder
                                        of results/ that has some. Removes the pages of experiments without results.
                                        Writes the times onto the pages of machine code in DIR/sass. Fills the figures into
                                        the READMEs' and docs' sentences (benchlib/pages/prose.py), and names every sentence
                                        whose condition no longer holds
    scripts/worklog.py --check [DIR]    writes nothing; exits 1 and names every file that would change, and those sentences

The same input gives the same bytes on any machine. Exit codes: 0 done (or nothing to change), 1 bad input or a file
that would change, 2 usage, 130 interrupted.
"""

from __future__ import annotations

from benchlib.base import early  # noqa: F401  # first: see there

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchlib.base import console, files
from benchlib.document import markdown, plots
from benchlib.pages import kernel_timings, pipeline, readmes
from benchlib.sass import sass_pages
from benchlib.claims.claim_tables import claims_csv

PAGES = markdown.section_path("exp[0-9][0-9]_*")
REFERENCE = Path("results") / "nvidia-h200"  # the results that the READMEs show


def generate(directory: Path, root: Path, problems: list[str] | None = None) -> dict[Path, str]:
    """Every file this program owns, as it should be. Nothing is written before all of it is known. `problems` gets a line for each
    sentence of the READMEs and of docs/ that no longer holds.
    """
    judged = pipeline.load(directory, root)
    study = judged.study
    inside = directory.resolve().is_relative_to(root.resolve())  # elsewhere nobody knows where the repository lies
    outputs = {directory / "claims.csv": claims_csv(judged.groups)}
    pages = {markdown.section_path(name): page for name, page in judged.pages.items()}
    for name, page in {"worklog.md": pipeline.worklog(judged), **pages}.items():
        path = directory / name
        to_root = readmes.prefix(root.resolve(), path.parent.resolve()) if inside else None
        place = markdown.Place(readmes.prefix(directory, path.parent), to_root, name)
        outputs[path] = markdown.render([page], place) + "\n"
    outputs |= listings(judged, directory)
    for table in study.tables.values():
        for name, plot in pipeline.plots(study, table).items():
            outputs[directory / "plots" / f"{name}.svg"] = plots.svg(plot.chart(study, table))
    if directory.resolve() == (root / REFERENCE).resolve():
        outputs |= readmes.outputs(judged, root, problems)
    return outputs


def listings(judged: pipeline.Judged, directory: Path) -> dict[Path, str]:
    """The pages of machine code that dump_sass.py wrote, with what was measured of them."""
    found: dict[Path, str] = {}
    for name, table in judged.study.tables.items():
        for path in sorted((directory / "sass" / name).glob("*.md")):
            blocks = kernel_timings.page(judged.study, table, judged.group(name), path.stem)
            measured = markdown.render(blocks, markdown.Place("../../", None))
            found[path] = readmes.fill(path, files.read_text(path) or "", {sass_pages.PAIRS: measured}.get)
    return found


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
    options = parser.parse_args(arguments)
    return console.guarded("worklog.py", lambda: run(options))


def run(options: argparse.Namespace) -> int:
    directory = options.directory or options.readme / REFERENCE
    problems: list[str] = []
    outputs = generate(directory, options.readme, problems)
    stale = {path: text for path, text in outputs.items() if files.read_text(path) != text}
    left = [path for path in sorted(directory.glob(PAGES)) if path not in outputs]
    if options.check:
        for path in left:
            print(f"{path}: a page of an experiment without results")
        for path, text in stale.items():
            diff = files.short_diff(path, files.read_text(path), text)
            print(f"{path} differs from what the CSV files give:\n{diff}")
        print(*problems, sep="\n", end="\n" * bool(problems))
        return 1 if stale or left or problems else 0
    for path, text in stale.items():
        path.parent.mkdir(exist_ok=True)
        files.write_atomic(path, text)
        print(f"wrote {path}")
    for path in left:
        path.unlink()
        print(f"removed {path}")
    print(*problems, sep="\n", end="\n" * bool(problems))
    return 0


if __name__ == "__main__":
    sys.exit(main())
