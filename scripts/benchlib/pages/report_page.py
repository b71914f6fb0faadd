"""The report: one HTML page of all that is shown of a directory's results, and the short one that its picture shows.

Texts become HTML in templates/ alone, where Jinja escapes them. What is marked safe is this package's own: style, script, drawings,
and JSON in which nothing can end its script element.
"""

import base64
import json
import re
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jinja2
from markupsafe import Markup

from benchlib.base import console
from benchlib.base.kept import kept_last
from benchlib.document import document, markdown, plots
from benchlib.fleet import fleet
from benchlib.pages import beside, fleet_page, front, pipeline, ratio_strip, report_sass, rules as rules_, run_tables, summary
from benchlib.model.analysis import Study
from benchlib.claims.claims import VERDICTS
from benchlib.document.document import NONE, Cell, cell_text
from benchlib.pages.pipeline import Judged
from benchlib.pages.summary import Summary
from benchlib.tables import claim_tables

TEMPLATES = Path(__file__).resolve().parent / "templates"
CLAIMS = "Claims"  # the worklog's section of them
CASES = ("pair", "case")  # columns that name a case with its parameters
NAMING = (*CASES, "variant", "kernel")  # columns that begin with what ran
_PACKED = re.compile(r'(?<=id="twins">)([A-Za-z0-9+/=]*)(?=</script>)')
PERCENT = re.compile(r"(?<=\d) %")
LEAST_ROWS = 2  # of a table that leaves out columns
CUDA_STEPS = (
    "scripts/dump_sass.py       # the machine code of both APIs",
    "scripts/counters.py        # the GPU's counters, both APIs",
)
MARKS = {"REPRODUCED": "✓", "PARTLY": "◐", "DIFFERS HERE": "≠", "REFUTED": "✗", "UNCLEAR": "?", "NOT MEASURED": "–"}
# What a block or a part of one is, as the templates ask: `block is paragraph`.
KINDS = {
    "code": document.Code, "strong": document.Strong, "emphasis": document.Emphasis, "listing_link": document.ListingLink,
    "file_link": document.FileLink, "result_link": document.ResultLink, "section_link": document.SectionLink, "anchor": document.Anchor,
    "paragraph": document.Paragraph, "bullets": document.Bullets, "preformatted": document.Preformatted,
    "table": document.TableBlock, "image": document.Image, "section": document.Section,
    "verdict": document.Verdict, "joined": document.Joined,
}  # fmt: skip


Page = Experiment = SimpleNamespace  # what the templates show, by the names that they know it by


def page(judged: Judged, root: Path) -> Page:
    """`root`: the repository's."""
    study = judged.study
    gpu_dir = f"results/{console.plain(study.directory.resolve().name)}"
    absent = {name for names in judged.not_run_here.values() for name in names}
    names = sorted({*study.tables, *(group.experiment for group in judged.groups if group.experiment not in absent)})
    totals = Counter(claim.verdict for group in judged.groups if group.experiment not in absent for claim in group.claims)
    steps = [
        "scripts/run.sh             # build, run every experiment six times, write the tables",
        *(() if judged.without_cuda else CUDA_STEPS),
        f"scripts/worklog.py {gpu_dir}",
        f"scripts/report.py {gpu_dir}",
    ]
    said = summary.load(root, study)
    twins = report_sass.data(study)
    experiments = [experiment(judged, name, names, gpu_dir, kernels(twins, name)) for name in names]
    return Page(
        judged=judged,
        gpu=values(judged, "gpu") or "no GPU",
        subtitle=subtitle(judged),
        beside=beside.blocks(root, study, said),
        verdict=front.verdict(said, study) if said else [],  # the headline's kinds of work
        picture=ratio_strip.strips(summary.PICTURE_TITLE, [(kind.name, kind.found) for _, kind in summary.headline(said)]) if said else (),
        every_pair=summary.drawings(said) if said else (),  # the same of all kinds
        kinds=summary.kinds(said) if said and said.kinds else None,
        rules=rules(said, judged, experiments) if said and not judged.state.software else [],
        totals=[(name, totals[name]) for name in VERDICTS if totals[name]],
        # Of the totals, claims of experiments that did not run.
        not_run=sum(len(group.claims) for group in judged.groups if group.experiment not in absent | study.tables.keys()),
        experiments=experiments,
        environment=environments(study),
        uuids=values(judged, "gpu_uuid"),
        commits=values(judged, "git_rev"),
        reproduce="\n".join(steps),
        twins=twins,
        boards=boards(study),
    )


def rules(said: Summary, judged: Judged, experiments: Sequence[Experiment]) -> Sequence[document.Block]:
    """With links to the page's own sections and claims."""
    titles = {one.name: [*(section.title for section in one.sections), CLAIMS] for one in experiments if one.measured}
    claims = {claim.id: group.experiment for group in judged.groups for claim in group.claims}
    return rules_.blocks(said, judged.study, titles, claims) + ([] if said.kinds else beside.other_rules(judged.study, said))


def environments(study: Study) -> document.Block:
    """One table of all programs: what differs between them is a column. The boards have short names in it."""
    found = {name: dict(run_tables.environment([table]).rows) for name, table in study.tables.items()}
    facts = [fact for fact in dict.fromkeys(fact for each in found.values() for fact in each) if fact != "gpu_uuid"]
    return document.table(["experiment", *facts], [[name, *(each.get(fact, NONE) for fact in facts)] for name, each in found.items()])


def kernels(twins: Mapping[str, Any], experiment_name: str) -> dict[str, str]:
    """By each variant that has machine code: the kernel of its name, else the first of those that it ran."""
    found: dict[str, str] = {}
    for twin in twins["twins"]:
        if twin["experiment"] == experiment_name:
            for variant in (twin["kernel"], *(case[0].partition(" ")[0] for case in twin["cases"])):
                found[variant] = twin["kernel"] if twin["kernel"] == variant else found.get(variant, twin["kernel"])
    return found


def boards(study: Study) -> Sequence[document.Block]:
    """As scripts/fleet.py compares them."""
    if len({run.board for run in study.runs}) < 2:
        return []
    found = fleet.of(study)
    return fleet_page.blocks(found, fleet.judge(found.entries.values()))


def experiment(judged: Judged, name: str, names: Sequence[str], gpu_dir: str, listed: Mapping[str, str]) -> Experiment:
    study, group, table = judged.study, judged.group(name), judged.study.tables.get(name)
    figures, sections, counts = [], [], Counter[str]()
    if table is not None:
        counts = claim_tables.pair_verdicts(table)
        for id_, plot in pipeline.plots(study, table).items():
            chart = plot.chart(study, table)
            svgs = plots.panel_svgs(chart)
            again = command(name, plot.variants, gpu_dir, counted=not judged.without_cuda)
            figures += [SimpleNamespace(name=id_, chart=chart, svgs=svgs, width=plots.panel_width(chart), command=again)] if svgs else []
        missing = document.section("Failed and skipped", [run_tables.missing_rows(table)])
        sections = [*pipeline.sections(judged, table), missing]
    titles, drawn = {each.title for each in sections}, {each.name for each in figures}
    rows = []
    unmeasured = [claim.id for claim in group.claims if judged.without_cuda and claim.shown is None] if group else []
    for claim in (claim for claim in group.claims if claim.id not in unmeasured) if group else []:
        shown_in = [[each for each in claim.entry.get(key, []) if each in there] for key, there in (("tables", titles), ("figures", drawn))]
        rows.append(SimpleNamespace(claim=claim, tables=shown_in[0], figures=shown_in[1]))
    return Experiment(
        name=name,
        short=short_name(name, names),
        measured=table is not None,
        question=group.question if group else "",
        answer=judged.answer(group) if table is not None else "",
        claims=rows,
        folded=claim_tables.unmeasured_words(unmeasured) if unmeasured else "",  # about the claims that are not among those
        pairs=[(each, counts[each]) for each in claim_tables.PAIR_VERDICTS if counts[each]],
        figures=figures,
        strip=ratio_strip.ratio_strip(table) if table is not None else (),  # wide and narrow
        command=command(name, "", gpu_dir),
        sections=sections,
        kernels=listed,  # by a variant, the name under which its machine code is shown
    )


def anchor(experiment_name: str, title: str) -> str:
    """Of an experiment's section in the page."""
    return f"{experiment_name}.{markdown.slug(title)}" if title else experiment_name


def section_anchor(link: document.SectionLink) -> str:
    """Where the page has what the link leads to: a claim, by its id, is a row of its own."""
    return f"claim-{link.text}" if link.section == CLAIMS else anchor(link.experiment, link.section)


def short_name(name: str, names: Sequence[str]) -> str:
    """exp05; where several programs share a number, exp06 litmus."""
    number, _, rest = name.partition("_")
    alone = sum(other.partition("_")[0] == number for other in names) == 1
    return number if alone else f"{number} {rest.replace('_', ' ')}"


def command(experiment_name: str, variants: str, gpu_dir: str, *, counted: bool = False) -> str:
    """What measures, counts and shows it again."""
    if not variants:
        return f"scripts/run.sh --only {experiment_name}\nscripts/report.py {gpu_dir}"
    counts = f"scripts/counters.py --only {experiment_name} -- --variant '{variants}'\n" if counted else ""
    return (
        f"build/release/bin/{experiment_name} --variant '{variants}' --csv {experiment_name}.csv\n{counts}"
        f"scripts/run.sh --only {experiment_name} && scripts/report.py {gpu_dir}"
    )


def values(judged: Judged, column: str) -> str:
    return ", ".join(judged.study.distinct(column))


def subtitle(judged: Judged) -> str:
    days = sorted({started[:10] for started in values(judged, "started_at").split(", ")})
    runs = pipeline.runs(judged.study)
    rows = sum(len(run) for table in judged.study.tables.values() for run in table.runs)
    boards = len({run.board for run in judged.study.runs if run.board})
    facts = [f"{boards} boards" if boards > 1 else "", {1: "one run", 2: "two runs"}.get(runs, f"{runs} runs"), f"{rows} rows"]
    facts += [f"driver {values(judged, 'driver')}", values(judged, "toolkit"), " to ".join(dict.fromkeys([days[0], days[-1]]))]
    return " · ".join(fact for fact in facts if fact)


# -------------------------------------------------------------------------------------------------------------- templates


def own(name: str) -> Markup:
    return Markup((TEMPLATES / name).read_text(encoding="utf-8"))


def classes(table: document.TableBlock) -> list[Markup]:
    """Of each column: numbers are aligned right; a column of words keeps to the left, whatever its neighbours do; one of cases needs room."""
    found = []
    for column, cells in zip(table.columns, zip(*table.rows) if table.rows else [()] * len(table.columns)):
        texts = [document.cell_text(cell).lstrip("-+\u2212<>~( ") for cell in cells] if column.numbers else []
        words = any(text[:1].isalpha() for text in texts) and not any(text[:1].isdigit() for text in texts)
        name = "n" if column.numbers and not words else "c" if column.name in CASES else ""
        found.append(Markup(f' class="{name}"') if name else Markup(""))
    return found


def marks() -> list[tuple[Markup, str]]:
    """The legend of ratio_strip's drawings: each mark, and what it says."""
    return [(Markup(ratio_strip.key(verdict, ratio)), meaning) for verdict, ratio, meaning in ratio_strip.LEGEND]


@dataclass(frozen=True)
class Trimmed:
    """A table without the columns that say the same in every row, and what these say."""

    table: document.TableBlock
    same: Sequence[tuple[str, Cell]]
    empty: Sequence[str]


def trimmed(table: document.TableBlock) -> Trimmed:
    kept, same, empty = [], [], []
    for at, column in enumerate(table.columns):
        texts = {cell_text(row[at]) for row in table.rows}
        if len(texts) != 1 or len(table.rows) < LEAST_ROWS or not column.name:
            kept.append(at)
        elif texts == {NONE}:
            empty.append(column.name)
        else:
            same.append((column.name, table.rows[0][at]))
    return Trimmed(table.of_columns(kept), same, empty) if kept else Trimmed(table, [], [])


def unbroken(value: object) -> object:
    """A number stays on the line of its percent sign."""
    return value if isinstance(value, Markup) or not isinstance(value, str) else PERCENT.sub("\u00a0%", value)


def kernel(row: Sequence[Cell], table: document.TableBlock, of: Experiment | None) -> str:
    """Whose machine code a row is about; empty where its first cell names none."""
    return of.kernels.get(cell_text(row[0]).partition(" ")[0], "") if of and table.columns[0].name in NAMING else ""


def packed_json(value: object) -> Markup:
    """A script's text that no cell can end: four times as short as the JSON that is in it."""
    return Markup(base64.b64encode(zlib.compress(json.dumps(value, separators=(",", ":")).encode(), 9)).decode())


def unpacked(page: str) -> str:
    """The page with that JSON as it is: not every machine packs it into the same bytes. One that cannot be unpacked stays."""
    try:
        return _PACKED.sub(lambda match: zlib.decompress(base64.b64decode(match[1])).decode(), page, count=1)
    except (ValueError, zlib.error):
        return page


@kept_last(None)  # to compile the templates takes as long as to fill them in
def environment() -> jinja2.Environment:
    loader = jinja2.FileSystemLoader(TEMPLATES)
    made = jinja2.Environment(
        loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, keep_trailing_newline=True, finalize=unbroken
    )
    made.filters |= {
        "classes": classes, "kind": lambda verdict: verdict.partition(" ")[0],  # its class: NOT of NOT MEASURED
        "mark": MARKS.get, "ours": lambda claim: claim.words or NONE, "share": lambda claim: claim_tables.shares(claim)[0], "dates": claim_tables.dates, "packed_json": packed_json,
        "svg": Markup, "trimmed": trimmed, "kernel": kernel,
        "titled": lambda table: any(column.name for column in table.columns),
    }  # fmt: skip
    made.tests |= {name: lambda value, wanted=wanted: isinstance(value, wanted) for name, wanted in KINDS.items()}
    made.globals |= {"own": own, "marks": marks, "anchor": anchor, "section_anchor": section_anchor, "how": ", ".join(pipeline.HOW), "plot_style": Markup(plots.STYLE)}
    return made


def render(shown: Page) -> str:
    return environment().get_template("report.html.j2").render(page=shown)


def picture(shown: Page) -> str:
    """The page that becomes the picture: the report's top."""
    return environment().get_template("picture.html.j2").render(page=shown)
