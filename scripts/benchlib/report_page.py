"""The report: one HTML page of all that is shown of a directory's results, and the short one that its picture shows.

Texts become HTML in templates/ alone, where Jinja escapes them. What is marked safe is this package's own: style, script, drawings,
and JSON in which nothing can end its script element.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2
from markupsafe import Markup

from benchlib import claim_tables, console, document, fleet, fleet_page, pipeline, plots, report_sass, run_tables
from benchlib.analysis import Study
from benchlib.claims import VERDICTS, Claim
from benchlib.document import NONE, Section
from benchlib.pipeline import Judged
from benchlib.plots import Chart
from benchlib.ratio_strip import ratio_strip

TEMPLATES = Path(__file__).resolve().parent / "templates"
MARKS = {"REPRODUCED": "✓", "PARTLY": "◐", "DIFFERS HERE": "≠", "REFUTED": "✗", "UNCLEAR": "?", "NOT MEASURED": "–"}
# What a block or a part of one is, as the templates ask: `block is paragraph`.
KINDS = {
    "code": document.Code, "strong": document.Strong, "emphasis": document.Emphasis, "listing_link": document.ListingLink,
    "file_link": document.FileLink, "result_link": document.ResultLink, "section_link": document.SectionLink,
    "paragraph": document.Paragraph, "bullets": document.Bullets, "preformatted": document.Preformatted, "table": document.Table, "image": document.Image, "section": document.Section,
    "verdict": document.Verdict,
}  # fmt: skip


@dataclass(frozen=True)
class Drawing:
    """A chart as it is in the page."""

    chart: Chart
    svgs: Sequence[str]
    command: str  # that measures it again


@dataclass(frozen=True)
class Experiment:
    name: str
    short: str
    measured: bool
    question: str
    answer: str
    claims: Sequence[Claim]
    pairs: Sequence[tuple[str, int]]
    figures: Sequence[Drawing]
    strip: str
    command: str
    sections: Sequence[Section]


@dataclass(frozen=True)
class Page:
    gpu: str
    subtitle: str
    absent: str  # experiments that were not run in this folder, and where there are results of them
    totals: Sequence[tuple[str, int]]
    experiments: Sequence[Experiment]
    environments: Sequence[tuple[str, document.Block]]
    reproduce: str
    twins: dict[str, object]
    boards: Sequence[document.Block]  # none where there is one board


def page(judged: Judged) -> Page:
    study = judged.study
    gpu_dir = f"results/{console.plain(study.directory.resolve().name)}"
    absent = {group.experiment: claim.elsewhere for group in judged.groups for claim in group.claims if claim.elsewhere}
    names = sorted({*study.tables, *(group.experiment for group in judged.groups if group.experiment not in absent)})
    totals = Counter(claim.verdict for group in judged.groups if group.experiment not in absent for claim in group.claims)
    steps = [
        "scripts/run.sh             # build, run every experiment six times, write the tables",
        "scripts/dump_sass.py       # the machine code of both APIs",
        "scripts/counters.py        # the GPU's counters, both APIs",
        f"scripts/worklog.py {gpu_dir}",
        f"scripts/report.py {gpu_dir}",
    ]
    return Page(
        gpu=values(judged, "gpu") or "no GPU",
        subtitle=subtitle(judged),
        absent=f"{', '.join(sorted(absent))}: in {', '.join(sorted(set(absent.values())))}" if absent else "",
        totals=[(name, totals[name]) for name in VERDICTS if totals[name]],
        experiments=[experiment(judged, name, names, gpu_dir) for name in names],
        environments=[(name, run_tables.environment([table])) for name, table in study.tables.items()],
        reproduce="\n".join(steps),
        twins=report_sass.data(study),
        boards=boards(study),
    )


def boards(study: Study) -> Sequence[document.Block]:
    """As scripts/fleet.py compares them."""
    if len({run.board for run in study.runs}) < 2:
        return []
    found = fleet.of(study, {name for name, each in study.analyses.items() if not each.compares_times})
    return fleet_page.blocks(found, fleet.judge(found.entries.values()))


def experiment(judged: Judged, name: str, names: Sequence[str], gpu_dir: str) -> Experiment:
    study, group, table = judged.study, judged.group(name), judged.study.tables.get(name)
    figures, sections, counts = [], [], Counter[str]()
    if table is not None:
        counts = claim_tables.pair_verdicts(table)
        for plot in pipeline.plots(study, table).values():
            chart = plot.chart(study, table)
            svgs = plots.panel_svgs(chart)
            figures += [Drawing(chart, svgs, command(name, plot.variants, gpu_dir))] if svgs else []
        missing = document.section("Failed and skipped", [run_tables.missing_rows(table)])
        sections = [*pipeline.sections(study, table), missing]
    return Experiment(
        name=name,
        short=short_name(name, names),
        measured=table is not None,
        question=group.question if group else "",
        answer=claim_tables.answer_text(group) if group and table is not None else "",
        claims=group.claims if group else [],
        pairs=[(each, counts[each]) for each in claim_tables.PAIR_VERDICTS if counts[each]],
        figures=figures,
        strip=ratio_strip(table) if table is not None and counts else "",
        command=command(name, "", gpu_dir),
        sections=sections,
    )


def short_name(name: str, names: Sequence[str]) -> str:
    """exp05; where several programs share a number, exp06 litmus."""
    number, _, rest = name.partition("_")
    alone = sum(other.partition("_")[0] == number for other in names) == 1
    return number if alone else f"{number} {rest.replace('_', ' ')}"


def command(experiment_name: str, variants: str, gpu_dir: str) -> str:
    """What measures, counts and shows it again."""
    if not variants:
        return f"scripts/run.sh --only {experiment_name}\nscripts/report.py {gpu_dir}"
    return (
        f"build/release/bin/{experiment_name} --variant '{variants}' --csv {experiment_name}.csv\n"
        f"scripts/counters.py --only {experiment_name} -- --variant '{variants}'\n"
        f"scripts/run.sh --only {experiment_name} && scripts/report.py {gpu_dir}"
    )


def values(judged: Judged, column: str) -> str:
    tables = judged.study.tables.values()
    return ", ".join(run_tables.distinct(tables, column))


def subtitle(judged: Judged) -> str:
    days = sorted({started[:10] for started in values(judged, "started_at").split(", ")})
    runs = pipeline.runs(judged.study)
    rows = sum(len(run) for table in judged.study.tables.values() for run in table.runs)
    facts = [f"driver {values(judged, 'driver')}", values(judged, "toolkit"), f"commit {values(judged, 'git_rev')}"]
    facts += [" to ".join(dict.fromkeys([days[0], days[-1]])), f"{rows} rows", {1: "one run", 2: "two runs"}.get(runs, f"{runs} runs")]
    return " · ".join(fact for fact in facts if fact)


# -------------------------------------------------------------------------------------------------------------- templates


def own(name: str) -> Markup:
    return Markup((TEMPLATES / name).read_text(encoding="utf-8"))


def classes(table: document.Table) -> list[Markup]:
    """Of each column: numbers are aligned right; a column of words keeps to the left, whatever its neighbours do."""
    found = []
    for column, cells in zip(table.columns, zip(*table.rows) if table.rows else [()] * len(table.columns)):
        texts = [document.cell_text(cell).lstrip("-+\u2212<>~( ") for cell in cells] if column.numbers else []
        words = any(text[:1].isalpha() for text in texts) and not any(text[:1].isdigit() for text in texts)
        found.append(Markup(' class="n"') if column.numbers and not words else Markup(""))
    return found


def kind(verdict: str) -> str:
    """The verdict's class: NOT of NOT MEASURED."""
    return verdict.partition(" ")[0]


def ours(claim: Claim) -> str:
    return claim.words or NONE


def evidence(claim: Claim) -> document.Block:
    return document.paragraph(*claim_tables.evidence(claim))


def script_json(value: object) -> Markup:
    """JSON that no cell can end the script with, or begin a comment in."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def environment() -> jinja2.Environment:
    loader = jinja2.FileSystemLoader(TEMPLATES)
    made = jinja2.Environment(
        loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, keep_trailing_newline=True
    )
    made.filters |= {
        "classes": classes, "kind": kind, "mark": MARKS.get, "ours": ours, "evidence": evidence, "dates": claim_tables.dates, "script_json": script_json, "svg": Markup,
        "titled": lambda table: any(column.name for column in table.columns),
    }  # fmt: skip
    made.tests |= {name: lambda value, wanted=wanted: isinstance(value, wanted) for name, wanted in KINDS.items()}
    made.globals |= {"own": own, "plot_style": Markup(plots.STYLE)}
    return made


def render(shown: Page) -> str:
    return environment().get_template("report.html.j2").render(page=shown)


def picture(shown: Page) -> str:
    """The page that becomes the picture: the verdicts in short and the first figure."""
    return environment().get_template("picture.html.j2").render(page=shown)
