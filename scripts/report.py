#!/usr/bin/env python3
"""Results to one page: verdicts, figures, tables, machine code.

    scripts/report.py [DIR]            writes DIR/report.html (default: results/nvidia-h200)
    scripts/report.py --picture [DIR]  writes DIR/report.png too, for the README: the verdicts and the first figure; needs Chromium
    scripts/report.py --check [DIR]    writes nothing; exits 1 if the page would change, or if there is a picture of another one

The page is one file: it asks nothing of a network or a server. The same input gives the same bytes. Exit codes: 0 done (or
nothing to change), 1 bad input or a page that would change, 2 usage, 130 interrupted.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import worklog  # noqa: E402
from benchlib import claims as claims_lib  # noqa: E402
from benchlib import counted, files, html, plots, report_page, report_picture, report_sass, results  # noqa: E402
from benchlib.claim_tables import CONTROLS, answer_text  # noqa: E402
from benchlib.claims import VERDICTS, Claim, ClaimFile  # noqa: E402
from benchlib.markdown import NONE, figure_text  # noqa: E402
from benchlib.plot_files import PLOTS, images  # noqa: E402
from benchlib.plots_general import ratio_strip  # noqa: E402
from benchlib.results import InputError, Results, Table  # noqa: E402
from benchlib.stats import verdict  # noqa: E402
from benchlib.tables import pair_ratio, pairs  # noqa: E402

MARKS = {"REPRODUCED": "✓", "REFUTED": "✗", "UNCLEAR": "?", "NOT TESTABLE HERE": "–"}
MOST_BYTES = 5_000_000


def link(url: str) -> str:
    """A listing's page becomes a place in the viewer; anything else that is no place in this page is left out."""
    if url.startswith("sass/") and url.endswith(".md"):
        return f"#sass:{url.removeprefix('sass/').removesuffix('.md')}"
    return url if url.startswith("#") else ""


def claim_data(claim: Claim) -> dict[str, str]:
    data = {name: getattr(claim, name) for name in claims_lib.CLAIM_TEXTS}
    return data | {
        "verdict": claim.verdict, "kind": claim.verdict.partition(" ")[0], "mark": MARKS[claim.verdict], "note": claim.note,
        "ours": figure_text(claim.worst.figure) if claim.worst else NONE,
        "unit": claim.worst.unit if claim.worst else claim.unit,
    }  # fmt: skip


def experiment_data(found: Results, name: str, group: ClaimFile | None, gpu_dir: str) -> dict[str, object]:
    table = found.tables.get(name)
    data: dict[str, object] = {
        "name": name, "measured": table is not None, "question": group.question if group else "", "answer": "",
        "claims": [claim_data(claim) for claim in group.claims] if group else [], "pairs": [], "figures": [], "sections": [],
        "strip": "",
    }  # fmt: skip
    if table is None:
        return data
    figures = [pair_ratio(table, pair) for pair in pairs(table, {}) if pair.case["variant"] not in CONTROLS]
    counts = Counter(verdict(figure) for figure in figures if figure)
    data["pairs"] = [(each, counts[each]) for each in ("SAME", "FASTER", "SLOWER", "UNCLEAR") if counts[each]]
    data["answer"] = answer_text(group) if group else ""
    data["strip"] = ratio_strip(table) if counts else ""
    data["command"] = command(name, "", gpu_dir)
    for plot in (plot for plot in PLOTS.values() if plot.experiment == name):
        figure = plot.figure(found, table)
        svgs = plots.panel_svgs(figure)
        if svgs:
            again = command(name, plot.variants, gpu_dir)
            texts = {"title": figure.title, "description": figure.description, "command": again}
            data["figures"].append({**texts, "svgs": svgs, "columns": figure.columns})
    data["sections"] = [(title, html.blocks(text, link)) for title, text in sections(found, name, table)]
    return data


def sections(found: Results, name: str, table: Table) -> list[tuple[str, str]]:
    """The worklog's, without the figures."""
    chosen = worklog.SECTIONS.get(name, [("All pairs", worklog.all_pairs)])
    texts = [(title, section(found, table)) for title, section in chosen if section is not images]
    difference = counted.comparison(found, table)
    texts += [("Predicted against counted", difference)] if difference else []
    return [*texts, ("Failed and skipped", worklog.missing_rows(table))]


def short_name(name: str, names: Sequence[str]) -> str:
    """exp05; where several programs share a number, exp06 litmus."""
    number, _, rest = name.partition("_")
    alone = sum(other.partition("_")[0] == number for other in names) == 1
    return number if alone else f"{number} {rest.replace('_', ' ')}"


def command(experiment: str, variants: str, gpu_dir: str) -> str:
    """What measures, counts and shows it again."""
    if not variants:
        return f"scripts/run.sh --only {experiment}\nscripts/report.py {gpu_dir}"
    return (
        f"build/release/bin/{experiment} --variant '{variants}' --csv {experiment}.csv\n"
        f"scripts/counters.py --only {experiment} -- --variant '{variants}'\n"
        f"scripts/run.sh --only {experiment} && scripts/report.py {gpu_dir}"
    )


def environment(found: Results) -> str:
    """One table where all experiments agree, else one each."""
    texts = {name: worklog.environment(table) for name, table in found.tables.items()}
    return "\n".join(f"<h3>{html.text(name)}</h3>{html.blocks(text)}" for name, text in texts.items())


def values(found: Results, column: str) -> str:
    return ", ".join(sorted({value for table in found.tables.values() for value in worklog.distinct(table, column)}))


def subtitle(found: Results) -> str:
    days = sorted({started[:10] for started in values(found, "started_at").split(", ")})
    rows = sum(len(run) for table in found.tables.values() for run in table.runs)
    facts = [f"driver {values(found, 'driver')}", values(found, "toolkit"), f"commit {values(found, 'git_rev')}"]
    facts += [" to ".join(dict.fromkeys([days[0], days[-1]])), f"{rows} rows", "two runs" if found.has_rerun else "one run"]
    return " · ".join(fact for fact in facts if fact)


def page_data(directory: Path, root: Path) -> dict[str, object]:
    """What report_page makes the page and the picture of."""
    found = results.load(directory)
    groups = {group.experiment: group for group in claims_lib.load(root)}
    for group in groups.values():
        for claim in group.claims:
            claims_lib.judge(claim, found)
    gpu_dir = f"results/{directory.resolve().name}"
    names = sorted({*found.tables, *groups})
    experiments = [
        experiment_data(found, name, groups.get(name), gpu_dir) | {"short": short_name(name, names)} for name in names
    ]
    verdicts = Counter(claim.verdict for group in groups.values() for claim in group.claims)
    steps = [
        "scripts/run.sh --repeat    # build, run every experiment twice, write the tables",
        "scripts/dump_sass.py       # the machine code of both APIs",
        "scripts/counters.py        # Nsight Compute's counters",
        f"scripts/worklog.py {gpu_dir}",
        f"scripts/report.py {gpu_dir}",
    ]
    return {
        "gpu": values(found, "gpu") or "no GPU", "subtitle": subtitle(found), "experiments": experiments,
        "totals": [(name, verdicts[name]) for name in VERDICTS if verdicts[name]], "environment": environment(found),
        "reproduce": "\n".join(steps), "twins": script_json(report_sass.data(found)),
    }  # fmt: skip


def script_json(value: object) -> str:
    """JSON that no cell can end the script with, or begin a comment in."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


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
    directory = options.directory or options.root / worklog.REFERENCE
    path = options.out or directory / "report.html"
    image = directory / "report.png"
    try:
        data = page_data(directory, options.root)
        text, shown = report_page.render(data), report_page.picture(data)
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
    except (InputError, OSError) as error:
        print(f"report.py: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("report.py: interrupted", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
