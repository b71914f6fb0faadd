"""The generated parts of the READMEs and of docs/, between `<!-- worklog:NAME -->` and `<!-- /worklog -->`, and the figures in their
sentences (prose.py).
"""

import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchlib.base import files
from benchlib.base.kept import kept_last, kept_property
from benchlib.document import markdown, plots
from benchlib.pages import beside, front, pipeline, summary
from benchlib.pages.prose import Model, Prose
from benchlib.results import results, schema
from benchlib.model.analysis import Study
from benchlib.claims.claims import ClaimFile
from benchlib.document.document import Blocks, paragraph
from benchlib.document.markdown import Place
from benchlib.pages.pipeline import Judged
from benchlib.results.results import InputError
from benchlib.pages.summary import Summary
from benchlib.tables import claim_tables

PAGES = ("README.md", "CHANGELOG.md", "docs/*.md", "exp*/README.md", "exp*/*/README.md")
MARKER = re.compile(r"<!-- worklog:(?P<name>.*?) -->|(?P<end><!-- /worklog -->)")


@dataclass(frozen=True)
class Shown:
    """What the READMEs show: the reference's results, and for programs that have none there those of other folders of the same model."""

    reference: Study
    other_sets: Mapping[str, Study]  # by experiment
    groups: Sequence[ClaimFile]  # judged by those
    root: Path
    summary: Summary | None
    titles: Mapping[str, Collection[str]]  # of the sections of the reference's worklog, by experiment
    neighbour: Callable[[str], Judged]  # another folder of results/, by its name; loaded once

    def of(self, experiment: str) -> Study:
        return self.other_sets.get(experiment, self.reference)

    @kept_property
    def models(self) -> Mapping[str, Judged]:
        """The folders beside the reference that have another model and compare both APIs on it, by the model's short name. Of several folders of one model the fullest."""
        found: dict[str, list[Judged]] = {}
        for folder in sorted(path for path in self.reference.directory.resolve().parent.iterdir() if path.is_dir() and path.name != schema.SHARED):
            if folder.name == self.reference.directory.resolve().name or not any(map(results.files_of, (run.path for run in results.run_folders(folder)))):
                continue
            judged = self.neighbour(folder.name)
            said = summary.load(self.root, judged.study)
            if said and said.kinds and beside.model(judged.study) != beside.model(self.reference):
                found.setdefault(beside.short(beside.model(judged.study)), []).append(judged)
        return {name: max(folders, key=_fullness) for name, folders in found.items()}

    @kept_property
    def others(self) -> Mapping[str, tuple[Study, Summary]]:
        """The same, with their kinds of work."""
        return {name: (judged.study, said) for name, judged in self.models.items() if (said := summary.load(self.root, judged.study))}

    @property
    def own(self) -> str:
        """The reference's model."""
        return beside.short(beside.model(self.reference))

    @property
    def tables(self) -> Study:
        """Of all programs. Only for what looks at nothing but tables."""
        others = {name: found.tables[name] for name, found in self.other_sets.items()}
        return replace(self.reference, tables=self.reference.tables | others)


def has_results(found: Study, experiment: str) -> bool:
    table = found.tables.get(experiment)
    return table is not None and any(table.rows(case) for case in table.cases)


def _fullness(judged: Judged, experiment: str = "") -> tuple[int, int, str]:
    """For choosing among folders of one model: their programs with results, runs and latest start, of one experiment or of all. No folder's name decides."""
    tables = [table for name, table in judged.study.tables.items() if experiment in ("", name) and has_results(judged.study, name)]
    starts = [row["started_at"] for table in tables for run in table.runs for row in run.values()]
    return len(tables), sum(len(table.runs) for table in tables), max(starts, default="")


def shown(judged: Judged, root: Path) -> Shown:
    """`judged`: the reference's. Its neighbours of the same model in results/ stand in where it has no result; another model's figures never do."""
    @kept_last(None)
    def neighbour(folder: str) -> Judged:
        return judged.neighbours.get(folder) or pipeline.load(judged.study.directory.resolve().parent / folder, root, judged.study.analyses)

    own = judged.study.directory.resolve()
    folders = sorted(path for path in own.parent.iterdir() if path.is_dir() and path.name != own.name)
    other_sets: dict[str, Judged] = {}
    for name in [group.experiment for group in judged.groups if not has_results(judged.study, group.experiment)]:
        there = [neighbour(folder.name) for folder in folders if results.files_of_runs(folder, name)]
        alike = [other for other in there if has_results(other.study, name) and beside.model(other.study) == beside.model(judged.study)]
        if alike:
            other_sets[name] = max(alike, key=lambda other: _fullness(other, name))
    groups = []
    for group in judged.groups:
        other = other_sets.get(group.experiment)
        fresh = other.group(group.experiment) if other else None
        if other and fresh:
            fresh.results = Path(os.path.relpath(other.study.directory, root.resolve())).as_posix()
        groups.append(fresh or group)
    studies = {name: other.study for name, other in other_sets.items()}
    return Shown(judged.study, studies, groups, root, summary.load(root, judged.study), judged.titles, neighbour)


def content(name: str, what: Shown) -> tuple[Blocks, Study] | None:
    """What is generated under that name (plots/exp07-ladder: that figure alone), and the results it is of; None for a name there is not."""
    if name == "answers":
        return [claim_tables.answers(what.tables, what.groups)], what.reference
    if name == "experiments":
        return [claim_tables.experiments(what.groups)], what.reference
    if name == "models":
        return front.models({what.own: what.groups} | {model: judged.groups for model, judged in what.models.items()}), what.reference
    if name == "refuted":
        return front.refuted(what.groups), what.reference
    if name in front.BLOCKS and what.summary:
        return front.block(name, what.summary, what.reference, what.titles, what.own, what.others), what.reference
    if name.startswith("answer-"):
        group = next((group for group in what.groups if group.experiment == name.removeprefix("answer-")), None)
        return group and ([paragraph(claim_tables.whole_answer(group) or "No results answer this yet.")], what.reference)
    if name.startswith("claims-"):
        table = claim_tables.claims_tables(name.removeprefix("claims-"), what.groups)
        return None if table is None else (table, what.reference)
    for experiment, one in what.reference.analyses.items():
        plot = name.removeprefix("plots/") if name.startswith("plots/") else ""
        if name in one.readme or name == one.plots_marker or plot in one.plots:
            found = what.of(experiment)
            if experiment not in found.tables:
                return [paragraph(f"No results of {experiment} yet.")], found
            if name == one.plots_marker or plot:
                table = found.tables[experiment]
                wanted = {plot: one.plots[plot]} if plot else one.plots
                drawn = {name: each for name, each in wanted.items() if plots.shown(each.chart(found, table))}
                return pipeline.images(drawn), found
            return found.memoized(one.readme[name], found.tables[experiment]), found
    return None


def filled(path: Path, text: str, what: Shown) -> str:
    """The README's text with each marker's table in it."""

    def generate(name: str) -> str | None:
        if (generated := content(name, what)) is None:
            return None
        blocks, found = generated
        return markdown.render(blocks, Place(prefix(found.directory, path.parent), prefix(what.root, path.parent)))

    return fill(path, text, generate)


def fill(path: Path, text: str, generate: Callable[[str], str | None]) -> str:
    """The text with what belongs between each pair of markers. `generate`: that of a name; None for a name there is not."""
    out, position, opened = [], 0, ""
    for marker in MARKER.finditer(text):
        line = text.count("\n", 0, marker.start()) + 1
        if bool(marker["end"]) != bool(opened):
            raise InputError(f"{path}: line {line}: {marker[0]} where the other kind of marker belongs")
        if opened:
            position, opened = marker.start(), ""
            continue
        generated = generate(marker["name"])
        if generated is None:
            raise InputError(f"{path}: line {line}: no table is named {ascii(marker['name'])}")
        out.append(f"{text[position : marker.end()]}\n\n{generated}\n\n")
        opened = marker["name"]
    if opened:
        raise InputError(f"{path}: <!-- worklog:{opened} --> is never closed")
    return "".join(out) + text[position:]


def prefix(target: Path, base: Path) -> str:
    """Of links from a file in `base` to what lies in `target`."""
    way = Path(os.path.relpath(target, base)).as_posix()
    return "" if way == "." else f"{way}/"


def prose_of(what: Shown) -> Prose:
    """The figures within sentences: the reference's, and other folders' of results/ that a marker names."""
    @kept_last(None)
    def model(folder: str) -> Model:
        if not folder:
            return Model(what.of, what.groups, what.summary.kinds if what.summary else {})
        judged = what.neighbour(folder)
        said = summary.load(what.root, judged.study)
        return Model(lambda _: judged.study, judged.groups, said.kinds if said else {})

    return Prose(what.root, model)


def outputs(judged: Judged, root: Path, problems: list[str]) -> dict[Path, str]:
    """Every README and page of docs/ that has a marker, as it should be, and the summary's pictures. `problems` gets a line for each
    sentence that no longer holds.
    """
    what = shown(judged, root)
    prose = prose_of(what)
    found: dict[Path, str] = {}
    for name, picture in (summary.pictures(what.summary) if what.summary else {}).items():
        if picture:
            found[judged.study.directory / "plots" / f"{name}.svg"] = f"{picture}\n"
    for path in [path for pattern in PAGES for path in sorted(root.glob(pattern))]:
        text = files.read_text(path)
        if text is not None and re.search("<!-- (worklog|q|holds):", text):
            found[path] = prose.filled(path, filled(path, text, what))
    problems += prose.problems
    return found
