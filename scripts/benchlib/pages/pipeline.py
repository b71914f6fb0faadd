"""From a directory of results to documents: load and check, judge the claims, say what is shown of each experiment."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchlib.base import console
from benchlib.base.kept import kept_property
from benchlib.claims import claims
from benchlib.document import document, plots as drawing
from benchlib.fleet import fleet
from benchlib.model import analysis
from benchlib.pages import beside, excerpts, fleet_page, kernel_timings, rules, splits_page, state, summary, vulkan_alone, why_tables
from benchlib.results import results
from benchlib.model.analysis import Analysis, Plot, Study
from benchlib.claims.claims import ClaimFile
from benchlib.document.document import NONE, Block, Blocks, Bullets, Cell, Code, FileLink, Image, Inline, Section, SectionLink, Strong, paragraph, section
from benchlib.results.results import Table
from benchlib.pages.run_tables import environment, missing_rows, row_counts
from benchlib.results.schema import STATUSES
from benchlib.stats.stats import MIN_RUNS
from benchlib.model.pairs import figure_of, pair_ratio, pairs
from benchlib.tables import claim_tables, repeatability
from benchlib.tables.counts import counted_comparison
from benchlib.tables.twins import all_pairs


@dataclass(frozen=True)
class Judged:
    """A directory's results, and the repository's claims with the verdicts that they give."""

    study: Study
    groups: list[ClaimFile]
    root: Path = Path()  # the repository's
    neighbours: Mapping[str, "Judged"] = field(default_factory=dict)  # by name the folders beside this one that are read already

    @kept_property
    def state(self) -> state.State:
        return state.of(self.study)

    @property
    def without_cuda(self) -> bool:
        """Then most claims have nothing to be tested by, and are named in one line; and nothing is said of CUDA."""
        return "cuda" not in self.state.apis

    def shown(self, blocks: Iterable[Block]) -> Blocks:
        """Without CUDA what its figures would have stood in is left out."""
        return document.without_empty_columns(blocks) if self.without_cuda else list(blocks)

    @property
    def hand_in(self) -> str:
        """What makes the folder ready for others; empty for a software device, and for a published model, whose folder is here."""
        published = self.state.software or beside.model(self.study) in beside.published(self.root)
        return "" if published else f"scripts/hand_in.py results/{console.plain(self.study.directory.resolve().name)}"

    def answer(self, group: ClaimFile | None) -> str:
        """The experiment's; empty where nothing answers, and for a software device, whose times mean nothing."""
        return claim_tables.whole_answer(group) if group and not self.state.software else ""

    @kept_property
    def vulkan(self) -> list[str]:
        """What Vulkan's rows show by themselves."""
        return [] if self.state.software else vulkan_alone.sentences(self.root, self.study)

    @kept_property
    def rules(self) -> Blocks:
        """Of Vulkan alone those that its own rows decide; where there is CUDA they stand beside the published models."""
        said = None if self.state.software else summary.load(self.root, self.study)
        by_claim = {claim.id: group.experiment for group in self.groups for claim in group.claims}
        if said is None or said.kinds:
            return []
        return rules.blocks(said, self.study, self.titles, by_claim) + beside.other_rules(self.study, said)

    @property
    def not_run(self) -> int:
        """How many claims are of experiments that have no results here."""
        return sum(len(group.claims) for group in self.groups if group.experiment not in self.study.tables)

    @kept_property
    def not_run_here(self) -> Mapping[str, Sequence[str]]:
        """The experiments that have no results here, by the folders that have some."""
        found: dict[str, list[str]] = {}
        for group in self.groups:
            if group.claims and group.claims[0].other_result_sets:
                found.setdefault(group.claims[0].other_result_sets, []).append(group.experiment)
        return found

    @kept_property
    def pages(self) -> Mapping[str, Section]:
        """The worklog: the page of each experiment that has results."""
        return {name: experiment_page(self, name) for name in self.study.tables}

    @property
    def titles(self) -> Mapping[str, Collection[str]]:
        """Of the sections of each page."""
        return {name: [block.title for block in page.blocks if isinstance(block, Section)] for name, page in self.pages.items()}

    def group(self, experiment: str) -> ClaimFile | None:
        return next((group for group in self.groups if group.experiment == experiment), None)


def load(directory: Path, root: Path, analyses: Mapping[str, Analysis] | None = None) -> Judged:
    """`root`: the repository whose claims and analyses are used; `analyses`: where they are loaded already."""
    study = Study.of(results.load(directory), analysis.load(root) if analyses is None else analyses)
    groups = claims.load(root)
    for group in groups:
        others = "" if group.experiment in study.tables else other_result_sets(directory, group.experiment)
        for claim in group.claims:
            claims.judge(claim, study, others)
    return Judged(study, groups, root)


def other_result_sets(directory: Path, experiment: str) -> str:
    """The folders beside this one that have results of the experiment, in a repository's results/: results/nvidia-h200."""
    here = directory.resolve()
    if here.parent.name != "results":
        return ""
    beside = sorted(path for path in here.parent.iterdir() if path.is_dir() and path != here)
    return ", ".join(f"{here.parent.name}/{console.plain(path.name)}" for path in beside if results.files_of_runs(path, experiment))


def sections(judged: Judged, table: Table) -> list[Section]:
    """What the experiment's analysis shows, and what counters and predictions say of each other; without sections that show nothing, and where
    CUDA has no result without columns that do.
    """
    study = judged.study
    chosen = study.analysis_of(table.name).sections or [("All pairs", all_pairs)]
    shown = [section(title, study.memoized(make, table)) for title, make in chosen]
    difference = study.memoized(counted_comparison, table)
    shown += [section("Predicted against counted", difference)] if difference else []
    if study.analysis_of(table.name).controls is not None and not judged.without_cuda:
        shown.append(section("Why the times differ", study.memoized(why_tables.section, table)))
    shown = [each for each in shown if not document.is_empty(each) and not (judged.without_cuda and each.blocks == (excerpts.NOT_THERE,))]
    return [section(each.title, judged.shown(each.blocks)) for each in shown]


def plots(study: Study, table: Table) -> Mapping[str, Plot]:
    """The figures that have something to show."""
    return {name: plot for name, plot in study.analysis_of(table.name).plots.items() if drawing.shown(study.memoized(plot.chart, table))}


def images(plots_: Mapping[str, Plot]) -> Blocks:
    return [Image(name, plot.title) for name, plot in plots_.items()]


HOW = ("CONTRIBUTING.md", "docs/YOUR_CARD.md")
TABLES = "its tables"  # in place of an answer
READING = (
    "Generated by scripts/worklog.py from the CSV files in this directory. Times are GPU time per launch: a run's median, and the geometric mean over the boards. A "
    "further run, on a further GPU of this model, falls into a figure's brackets 19 times of 20; counts and machine code are exact. GB = 10^9 bytes, read + written. "
)
READING_PAIRS = (
    "Vulkan/CUDA is taken in each run: its brackets are the 95 % interval of the mean over boards, and decide. Behind them stands where a further "
    "run lies. Vulkan is SAME when the whole interval lies within 1 % of 1, FASTER or SLOWER when all of it lies beyond, else UNCLEAR. FIXED COST stands for FASTER and SLOWER "
    "where the launch explains it: without what an empty launch takes more, the pair would be SAME. NOT THE SAME WORK stands where the listings show that one compiler left out or joined work "
    "that the other does: such a pair has no verdict and belongs to no kind. "
)
ONE_RUN = "One run: no figure here has been repeated. Brackets are as wide as runs of cases of the same class differ on the H200s and H100s."
ONE_RUN_PAIRS = " A pair's verdict is marked as seen in 1 of 1 runs."

SEVERAL_RUNS = f"Brackets and verdicts of fewer than {MIN_RUNS} runs are as wide as runs of the same class differ on the H200s and H100s; each says in how many runs it was seen."


def runs(study: Study) -> int:
    """How many there are, at most, of an experiment."""
    return max((len(table.runs) for table in study.tables.values()), default=0)


def reading(judged: Judged) -> str:
    """Of pairs only where there may be any."""
    several = runs(judged.study) > 1
    if judged.without_cuda:
        return READING + (SEVERAL_RUNS if several else ONE_RUN)
    return READING + READING_PAIRS + (SEVERAL_RUNS if several else ONE_RUN + ONE_RUN_PAIRS) + unknown_fixed_costs(judged.study)


def unknown_fixed_costs(study: Study) -> str:
    """A sentence about the pairs whose fixed costs nobody knows, if there are any."""
    known = [
        all(figure_of(table, side, "fixed_ns") for side in pair.sides)
        for table in study.tables.values()
        for pair in pairs(table, {})
        if pair_ratio(table, pair)
    ]
    if all(known):
        return ""
    return f" Of {known.count(False)} of {len(known)} pairs it is not known what an empty launch takes: no run of theirs has measured it."


def experiment_page(judged: Judged, name: str) -> Section:
    """All that is shown of an experiment: what it asks, what came out, then the tables."""
    study, group = judged.study, judged.group(name)
    table = study.tables[name]
    shown: list[Section] = []
    if figures := images(plots(study, table)):
        shown.append(section("Figures", figures))
    shown += sections(judged, table)
    if group:
        shown.append(section("Claims", judged.shown(claim_tables.claims_table(group, fold=judged.without_cuda))))
    if code := kernel_timings.overview(study, table):
        shown.append(section(kernel_timings.SECTION, code))
    lost = claim_tables.lost_runs(study, group) if group else []
    shown += [section("Failed and skipped", [missing_rows(table)]), section("What it ran on", [environment([table]), *lost])]
    head: list[Block] = []
    if group:
        head.append(paragraph(group.question))
        if answer := judged.answer(group):
            head.append(paragraph(Strong("Answer."), f" {answer}"))
    about = ["About the experiment: ", FileLink(claim_tables.readme(group), claim_tables.readme(group)), ". "] if group else []
    head.append(paragraph(*about, "Words and verdicts: ", FileLink("docs/GLOSSARY.md", "docs/GLOSSARY.md"), "."))
    contents = [part for at, each in enumerate(shown) for part in (" · " * bool(at), SectionLink(each.title, name, each.title))]
    return section(name, [*head, paragraph(*contents), *shown])


def worklog(judged: Judged) -> Section:
    """The index: how to read it, what came out, on what it ran, how far runs agree."""
    study = judged.study
    parts: Blocks = [paragraph(Strong(" ".join(said)))] if (said := judged.state.caveats) else []
    if beside_ := beside.blocks(judged.root, study, summary.load(judged.root, study)):
        parts.append(section(beside.TITLE, beside_))
    parts.append(paragraph(reading(judged)))
    parts.append(section("Experiments", experiments_table(judged)))
    if judged.vulkan:
        parts.append(section(vulkan_alone.TITLE, [Bullets(tuple((text,) for text in judged.vulkan))]))
    if judged.rules:
        parts.append(section(rules.TITLE, list(judged.rules)))
    parts.append(section("Verdicts", [verdicts_table(judged), *counted_pairs(judged)]))
    if missing := state_blocks(judged):
        parts.append(section("What is missing", missing))
    if study.tables:
        parts.append(section("What it ran on", [environment(study.tables.values())]))
    if runs(study) > 1:
        parts.append(section("Repeatability", repeatability.blocks(study)))
        if two := populations(study):
            parts.append(section(fleet_page.TWO_POPULATIONS, two))
    return section("Worklog", judged.shown(parts))


def state_blocks(judged: Judged) -> Blocks:
    """What is not here, and what to do next; nothing where nothing is missing."""
    said, command = judged.state.gaps, judged.state.next_command
    blocks: Blocks = [paragraph(" ".join(said))] if said else []
    if not command:
        return blocks
    pages = [part for name in HOW for part in (FileLink(name, name), ", ")][:-1]
    hand_in = [". Hand in: ", Code(judged.hand_in), ". How: ", *pages, "."] if judged.hand_in else []
    return [*blocks, paragraph("Next: ", Code(command), *hand_in)]


def populations(study: Study) -> Blocks:
    """Nothing where the boards are one."""
    entries = list(fleet.of(study).entries.values())
    first = fleet_page.populations_blocks(fleet.split_by_population(entries)[1], len(fleet.compared(entries)))
    splits = [split for of_model in fleet.find_splits(entries).values() for split in of_model]
    return first + splits_page.blocks(study, splits, [each.medians for each in entries])


def experiments_table(judged: Judged) -> Blocks:
    """A row an experiment that has results here, and where others have theirs."""
    rows: list[list[Cell]] = []
    for name in judged.study.tables:
        group = judged.group(name)
        rows.append([SectionLink(name, name), group.question if group else NONE, judged.answer(group) or SectionLink(TABLES, name)])
    others = [
        paragraph("Elsewhere: ", ", ".join(names), ", in ", *_folder_links(folders.split(", ")), ".") for folders, names in judged.not_run_here.items()
    ]
    return [document.table(["experiment", "question", "answer"], rows) if rows else document.NO_RESULTS, *others]


def _folder_links(folders: Sequence[str]) -> list[Inline]:
    return [part for at, folder in enumerate(folders) for part in (", " * bool(at), FileLink(folder, f"{folder}/worklog.md"))]


def verdicts_table(judged: Judged) -> Block:
    """How many rows, pairs and claims of each experiment came out how, and of all."""
    rows: list[list[Cell]] = []
    totals: list[Counter[str]] = [Counter(), Counter(), Counter()]
    for name, table in judged.study.tables.items():
        group = judged.group(name)
        claimed = Counter(claim.verdict for claim in group.claims) if group else Counter[str]()
        counts = [row_counts([table]), claim_tables.pair_verdicts(table), claimed]
        for total, each in zip(totals, counts):
            total.update(each)
        rows.append([SectionLink(name, name), str(len(table.runs)), *_tallies(counts)])
    if len(rows) > 1:
        *counted, claims_ = _tallies(totals)
        rows.append(["all", NONE, *counted, f"{claims_} (and {judged.not_run} of experiments that did not run)" if judged.not_run else claims_])
    return document.table(["experiment", "runs:", "rows", "Vulkan against CUDA, pairs", "claims"], rows)


def counted_pairs(judged: Judged) -> Blocks:
    """Why tables count other numbers of pairs; nothing where there are none."""
    said = summary.load(judged.root, judged.study)
    here = sum(claim_tables.pair_verdicts(table).total() for table in judged.study.tables.values())
    if said is None or not here:
        return []
    metrics = {entry["id"]: entry.get("metric", "device_ns") for entry in said.document.get("kind", [])} | {summary.CONTROL_PAIRS: "device_ns", summary.OTHERS: "device_ns"}
    on_gpu = sum(len(kind.found) for id_, kind in said.kinds.items() if metrics[id_] == "device_ns")
    by_host = sum(len(kind.found) for id_, kind in said.kinds.items() if metrics[id_] != "device_ns")
    text = (
        f"{here} pairs are counted here: of a kernel that was measured with the driver's bounds checks and without, the one with them. Tables by kind of "
        f"work count the {on_gpu - here} others, too, {on_gpu} in all, and {by_host} times of the host. Repeatability counts the pairs of this table with two runs or "
        "more, and of short launches each of the host's times."
    )
    return [paragraph(text)]


def _tallies(counts: Iterable[Counter[str]]) -> list[Cell]:
    orders = (STATUSES, claim_tables.PAIR_VERDICTS, claims.VERDICTS)
    return [claim_tables.tally(counter, order) for counter, order in zip(counts, orders)]
