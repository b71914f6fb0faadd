#!/usr/bin/env python3
"""Results to worklog: tables, verdicts on the claims, and the READMEs' tables, all from the CSV files of one directory.

    scripts/worklog.py [DIR]            writes DIR/worklog.md, DIR/claims.csv and DIR/plots/*.svg, and for results/nvidia-h200
                                        the tables in the READMEs; of a program without a result there (one that needs two
                                        GPUs), these show the first other folder of results/ that has some
    scripts/worklog.py --check [DIR]    writes nothing; exits 1 and names every file that would change

The same input gives the same bytes on any machine. Exit codes: 0 done (or nothing to change), 1 bad input or a file
that would change, 2 usage.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from benchlib import claims as claims_lib  # noqa: E402
from benchlib import counted as counted_lib  # noqa: E402
from benchlib import excerpts, files, markdown, plots, results  # noqa: E402
from benchlib import tables_async_copy, tables_exp01, tables_exp02, tables_exp03, tables_exp04, tables_exp05  # noqa: E402
from benchlib import tables_exp06, tables_exp06_cluster, tables_exp06_flight, tables_exp06_litmus, tables_exp06_peer  # noqa: E402
from benchlib.claim_tables import answers, claims_csv, claims_table, claims_tables, counted  # noqa: E402
from benchlib.claims import ClaimFile  # noqa: E402
from benchlib.markdown import NONE, escape  # noqa: E402
from benchlib.plot_files import PLOTS, images  # noqa: E402
from benchlib.results import API_NAMES, InputError, Results, Table  # noqa: E402
from benchlib.tables import Section, all_pairs  # noqa: E402

REFERENCE = Path("results") / "nvidia-h200"  # the results that the READMEs show
LISTED_CASES = 4  # named in the list of failed and skipped cases, for each reason

# Each declares what is shown of its programs, in EXPERIMENTS. A program that none of them names gets the table of all pairs.
TABLES = (
    tables_exp01, tables_exp02, tables_exp03, tables_exp04, tables_exp05, tables_exp06, tables_async_copy, tables_exp06_cluster,
    tables_exp06_flight, tables_exp06_litmus, tables_exp06_peer,
)  # fmt: skip
EXPERIMENTS = [experiment for module in TABLES for experiment in module.EXPERIMENTS]
SECTIONS: dict[str, list[tuple[str, Section]]] = {
    each.name: [*([("Figures", images)] if each.figures else []), *each.sections] for each in EXPERIMENTS
}
README_TABLES: dict[str, tuple[str, Section]] = {
    **{marker: (each.name, section) for each in EXPERIMENTS for marker, section in each.readme.items()},
    **{each.figures: (each.name, images) for each in EXPERIMENTS if each.figures},
}

# ---------------------------------------------------------------------------------------------------------- worklog.md


def distinct(table: Table, column: str) -> list[str]:
    return sorted({row[column] for run in table.runs for row in run.values() if row[column]})


def environment(table: Table) -> str:
    lines = []
    for column in ("gpu", "gpu_uuid", "driver", "toolkit", "git_rev", "seed"):
        lines.append([column, escape(", ".join(distinct(table, column)[:4])) or NONE])
    starts = distinct(table, "started_at")
    lines.append(["started_at", escape(" to ".join(dict.fromkeys([starts[0], starts[-1]]))) if starts else NONE])
    statuses = Counter(row["status"] for run in table.runs for row in run.values())
    lines.append(["runs", str(len(table.runs))])
    lines.append(["rows", counted(statuses, ("ok", "failed", "skipped"))])
    return markdown.table(["environment", ""], lines)


def missing_rows(table: Table) -> str:
    """Cases without a result, those with the same reason together."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for number, run in enumerate(table.runs, start=1):
        for case, row in run.items():
            if row["status"] != "ok":
                group = (str(number), row["api"], row["status"], row["reason"])
                groups.setdefault(group, []).append(case.name(without=["api"]))
    rows = []
    for (number, api, status, reason), names in groups.items():
        listed = ", ".join(names[:LISTED_CASES]) + (", ..." if len(names) > LISTED_CASES else "")
        rows.append([number, API_NAMES[api], status, escape(reason) or NONE, str(len(names)), escape(listed)])
    header = ["run", "API", "status", "reason", "cases:", "which"]
    return markdown.table(header, rows) if rows else "None: every case ran."


def repeatability(found: Results) -> str:
    """How far the DRAM-size medians of two independent runs lie apart."""
    header = ["experiment", "cases:", "median difference (%):", "largest (%):", "case"]
    rows = []
    for table in found.tables.values():
        differences = []
        for case in table.cases:
            times = [float(row["device_ns"]) for row in table.rows(case) if row["device_ns"]]
            if len(times) == 2 and table.is_dram(case):
                differences.append((abs(times[1] / times[0] - 1) * 100, case.name()))
        if not differences:
            continue
        worst = max(differences)
        middle = statistics.median(difference for difference, _ in differences)
        rows.append([escape(table.name), str(len(differences)), f"{middle:.2f}", f"{worst[0]:.2f}", escape(worst[1])])
    return markdown.table(header, rows) if rows else "No case of DRAM size was run twice."


def worklog(found: Results, groups: Sequence[ClaimFile]) -> str:
    by_experiment = {group.experiment: group for group in groups}
    parts = [
        "# Worklog",
        "Generated by scripts/worklog.py from the CSV files in this directory. Times are medians of GPU time per "
        "launch; brackets are 95 % intervals. GB = 10^9 bytes, read + written. Vulkan is SAME when the whole interval "
        "of Vulkan/CUDA lies within 1 % of 1, FASTER or SLOWER when all of it lies beyond, else UNCLEAR. "
        + (
            "A case that ran in both runs shows the median of the two, and an interval that covers both intervals."
            if found.has_rerun
            else "One run: no figure here has been repeated."
        ),
    ]
    for name, table in found.tables.items():
        group = by_experiment.get(name)
        parts.append(f"## {escape(name)}")
        if group:
            parts.append(escape(group.question))
        parts.append(environment(table))
        for title, section in SECTIONS.get(name, [("All pairs", all_pairs)]):
            parts += [f"### {title}", section(found, table)]
        difference = counted_lib.comparison(found, table)
        parts += ["### Predicted against counted", difference] if difference else []
        if group:
            parts += ["### Claims", claims_table(group)]
        parts += ["### Failed and skipped", missing_rows(table)]
    if found.has_rerun:
        parts += ["## Repeatability", repeatability(found)]
    return "\n\n".join(parts) + "\n"


# ------------------------------------------------------------------------------------------------------------- READMEs


@dataclass(frozen=True)
class Shown:
    """What the READMEs show: the reference's results, and other folders' of the programs that have none there."""

    reference: Results
    elsewhere: Mapping[str, Results]  # by experiment
    groups: Sequence[ClaimFile]  # judged by those

    def of(self, experiment: str) -> Results:
        return self.elsewhere.get(experiment, self.reference)

    @property
    def tables(self) -> Results:
        """Of all programs. Only for what looks at nothing but tables."""
        others = {name: found.tables[name] for name, found in self.elsewhere.items()}
        return replace(self.reference, tables=self.reference.tables | others)


def has_results(found: Results, experiment: str) -> bool:
    table = found.tables.get(experiment)
    return table is not None and any(table.rows(case) for case in table.cases)


def shown(reference: Results, groups: Sequence[ClaimFile], root: Path) -> Shown:
    missing = [group.experiment for group in groups if not has_results(reference, group.experiment)]
    elsewhere: dict[str, Results] = {}
    for folder in sorted(path for path in (root / REFERENCE).parent.iterdir() if path.is_dir()):
        wanted = [name for name in missing if name not in elsewhere and (folder / f"{name}.csv").is_file()]
        if folder.name != REFERENCE.name and wanted:
            found = results.load(folder)
            elsewhere |= {name: found for name in wanted if has_results(found, name)}
    judged = []
    for group, fresh in zip(groups, claims_lib.load(root) if elsewhere else groups):
        if found := elsewhere.get(group.experiment):
            fresh.results = found.directory.relative_to(root).as_posix()
            for claim in fresh.claims:
                claims_lib.judge(claim, found)
        judged.append(fresh if group.experiment in elsewhere else group)
    return Shown(reference, elsewhere, judged)


def readme_table(name: str, what: Shown) -> tuple[str, Results] | None:
    """The generated table of that name, and the results it is of; None for a name there is not."""
    if name == "answers":
        return answers(what.tables, what.groups), what.reference
    if name.startswith("claims-"):
        table = claims_tables(name.removeprefix("claims-"), what.groups)
        return None if table is None else (table, what.reference)
    if name not in README_TABLES:
        return None
    experiment, section = README_TABLES[name]
    found = what.of(experiment)
    if experiment not in found.tables:
        return f"No results of {experiment} yet.", found
    return section(found, found.tables[experiment]), found


MARKER = re.compile(r"<!-- worklog:(?P<name>.*?) -->|(?P<end><!-- /worklog -->)")


def fill_markers(path: Path, text: str, what: Shown) -> str:
    """The text with each `<!-- worklog:NAME -->` ... `<!-- /worklog -->` holding table NAME."""
    out, position, opened = [], 0, ""
    for marker in MARKER.finditer(text):
        line = text.count("\n", 0, marker.start()) + 1
        if bool(marker["end"]) != bool(opened):
            raise InputError(f"{path}: line {line}: {marker[0]} where the other kind of marker belongs")
        if opened:
            position, opened = marker.start(), ""
            continue
        table = readme_table(marker["name"], what)
        if table is None:
            raise InputError(f"{path}: line {line}: no table is named {ascii(marker['name'])}")
        generated, found = table
        base = Path(os.path.relpath(found.directory, path.parent)).as_posix()
        out.append(f"{text[position : marker.end()]}\n\n{excerpts.rebased(generated, base)}\n\n")
        opened = marker["name"]
    if opened:
        raise InputError(f"{path}: <!-- worklog:{opened} --> is never closed")
    return "".join(out) + text[position:]


# ---------------------------------------------------------------------------------------------------------------- main


def generate(directory: Path, root: Path) -> dict[Path, str]:
    """Every file this program owns, as it should be. Nothing is written before all of it is known."""
    found = results.load(directory)
    groups = claims_lib.load(root)
    for group in groups:
        for claim in group.claims:
            claims_lib.judge(claim, found)
    outputs = {directory / "worklog.md": worklog(found, groups), directory / "claims.csv": claims_csv(groups)}
    for name, plot in PLOTS.items():
        if plot.experiment in found.tables:
            outputs[directory / "plots" / f"{name}.svg"] = plots.svg(plot.figure(found, found.tables[plot.experiment]))
    if directory.resolve() == (root / REFERENCE).resolve():
        what = shown(found, groups, root)
        for path in [root / "README.md", *sorted(root.glob("exp*/README.md")), *sorted(root.glob("exp*/*/README.md"))]:
            text = files.read_text(path)
            if text is not None and "<!-- worklog:" in text:
                outputs[path] = fill_markers(path, text, what)
    return outputs


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
    directory = options.directory or options.readme / REFERENCE
    try:
        outputs = generate(directory, options.readme)
        stale = {path: text for path, text in outputs.items() if files.read_text(path) != text}
        if options.check:
            for path, text in stale.items():
                diff = files.short_diff(path, files.read_text(path), text)
                print(f"{path} differs from what the CSV files give:\n{diff}")
            return 1 if stale else 0
        for path, text in stale.items():
            path.parent.mkdir(exist_ok=True)
            files.write_atomic(path, text)
            print(f"wrote {path}")
    except (InputError, OSError) as error:
        print(f"worklog.py: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("worklog.py: interrupted", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
