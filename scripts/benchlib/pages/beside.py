"""This GPU beside the published ones: each kind of work's Vulkan/CUDA here and there, and which rules hold here.

docs/published.csv, which scripts/published.py writes from results/, has a row a model and kind: the kind's pairs on that model, on how many boards any of them
ran, and in how many runs the one with the most. It travels with the package.
"""

import re
import statistics
import textwrap
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchlib.base import csv_file
from benchlib.document import document
from benchlib.document.document import NONE, Block, Blocks, Cell, paragraph
from benchlib.model.analysis import Study
from benchlib.pages import rules
from benchlib.pages.summary import Summary
from benchlib.results.results import InputError
from benchlib.stats.stats import MIN_RUNS

FILE = Path("docs") / "published.csv"
COLUMNS = ["model", "kind", "name", "pairs", "median", "least", "most", "verdict", "boards", "runs"]
TITLE = "This GPU beside the published ones"
RULES, RULES_ALONE = "Rules for Vulkan beside CUDA (README.md)", "Rules for Vulkan (README.md)"


@dataclass(frozen=True)
class KindFigures:
    """One kind of work on one model."""

    kind: str
    name: str
    pairs: int
    median: float
    least: float
    most: float
    verdict: str  # summary.Kind's
    boards: int = 0  # 0 where the folder does not tell
    runs: int = MIN_RUNS

    @property
    def words(self) -> str:
        few = f", {self.runs} run{'s' * (self.runs > 1)}" if self.runs < MIN_RUNS else ""
        return f"{self.median:.3f} {self.verdict}".rstrip() + few


def kinds(summary: Summary) -> list[KindFigures]:
    found = []
    for id_, kind in summary.kinds.items():
        ratios = [one.ratio.value for one in kind.found]
        figures = [statistics.median(ratios), min(ratios), max(ratios)]
        found.append(KindFigures(id_, kind.name, len(ratios), *figures, kind.verdict, len(kind.boards), kind.runs))
    return found


def model(study: Study) -> str:
    """The GPU's name, as CUDA says it where it does; empty without one."""
    names = [run_row["gpu"] for table in study.tables.values() for run in table.runs for run_row in run.values() if run_row["gpu"]]
    return Counter(names).most_common(1)[0][0] if names else ""


def csv_rows(study: Study, summary: Summary) -> list[dict[str, object]]:
    """What is published of a folder; nothing of one whose runs are too few."""
    if max((len(table.runs) for table in study.tables.values()), default=0) < MIN_RUNS:
        return []
    own, ratios = model(study), ("median", "least", "most")
    return [{"model": own, **vars(one), **{name: f"{getattr(one, name):.8f}" for name in ratios}} for one in kinds(summary)]


def published(root: Path) -> dict[str, list[KindFigures]]:
    """By model; nothing without the file."""
    path = root / FILE
    if not path.is_file():
        return {}
    reader = csv_file.Reader(path)
    if reader.header != COLUMNS:
        raise InputError(f"{path}: its columns are not {', '.join(COLUMNS)}")
    found: dict[str, list[KindFigures]] = {}
    for line, cells in reader:
        row = dict(zip(COLUMNS, cells))
        try:
            figures = [float(row[name]) for name in ("median", "least", "most")]
            one = KindFigures(row["kind"], row["name"], int(row["pairs"]), *figures, row["verdict"], int(row["boards"]), int(row["runs"]))
        except ValueError as error:
            raise InputError(f"{path}: line {line}: {ascii(str(error))[1:-1]}") from error
        found.setdefault(row["model"], []).append(one)
    return found


def table(root: Path, study: Study, summary: Summary) -> Block | None:
    """A row a kind of work; None where nothing here is compared."""
    here = {one.kind: one for one in kinds(summary)}
    if not here:
        return None
    own = model(study)
    others = {name: {one.kind: one for one in rows} for name, rows in published(root).items() if name != own}
    header = ["kind of work, Vulkan/CUDA", f"here: {own or 'this GPU'}", *others]
    rows: list[list[Cell]] = []
    for id_, one in here.items():
        rows.append([f"{one.name} ({one.pairs})", one.words, *(rest[id_].words if id_ in rest else NONE for rest in others.values())])
    return document.table(header, rows)


def held(study: Study, summary: Summary) -> dict[str, list[str]]:
    """The rules' titles, by what is said of them."""
    found: dict[str, list[str]] = {each: [] for each in rules.WORDS}
    for title, said in rules.verdicts(study, summary).items():
        found[said].append(title)
    return found


def rule_words(study: Study, summary: Summary) -> dict[str, str]:
    """Which hold, which do not and which are not known to, each with their number, by what is said of them."""
    why = {rules.NOT_SEEN: "" if summary.kinds else " They need CUDA, or what was not run."}
    return {said: f"{said} ({len(titles)}): {' '.join(titles)}{why.get(said, '')}" for said, titles in held(study, summary).items() if titles}


def other_rules(study: Study, summary: Summary) -> Blocks:
    """Those that are not said to hold."""
    return [paragraph(text) for said, text in rule_words(study, summary).items() if said != rules.HOLDS]


def blocks(root: Path, study: Study, summary: Summary | None) -> Blocks:
    """The table and the rules; nothing where nothing here is compared."""
    if summary is None or (shown := table(root, study, summary)) is None:
        return []
    said = [paragraph(f"{name} ({len(titles)} rules): {' '.join(titles)}") for name, titles in held(study, summary).items() if titles]
    reading = paragraph("The median pair's ratio, and the verdict that two thirds of the pairs or more have; in brackets how many pairs.")
    return [shown, reading, *said]


# ------------------------------------------------------------------------------------------------------------- a terminal

WIDTH = 120  # columns of the terminal


def short(model_: str) -> str:
    """Without the maker and the memory's size: H100."""
    return re.sub(r" \d+ ?GB\b.*", "", model_.removeprefix("NVIDIA "))


def screen_table(root: Path, sides: Mapping[str, tuple[Study, Summary]]) -> list[str]:
    """A line a kind of work of the headline: what each side has, by its name, then the published models that none of them is. Nothing
    where no side compares anything.
    """
    columns = {name: {one.kind: one for one in kinds(summary)} for name, (_, summary) in sides.items()}
    if not any(columns.values()):
        return []
    own = {model(study) for study, _ in sides.values()}
    columns |= {short(name): {one.kind: one for one in rows} for name, rows in published(root).items() if name not in own}
    summary = next(iter(sides.values()))[1]
    rows = [["Vulkan/CUDA, the median pair", *columns]]
    for id_ in [entry["kind"] for entry in summary.document.get("headline", [])]:
        cells = [column.get(id_) for column in columns.values()]
        if name := next((one.name for one in cells if one), ""):
            rows.append([f"  {name}", *(one.words if one else NONE for one in cells)])
    widths = [max(len(row[at]) for row in rows) + 2 for at in range(len(rows[0]))]
    return ["".join(f"{cell:<{width}}" for cell, width in zip(row, widths)).rstrip() for row in rows]


def screen_rules(study: Study, summary: Summary) -> list[str]:
    """Which rules hold, which not, and which are not known to."""
    lines: list[str] = []
    for text in rule_words(study, summary).values():
        lines += textwrap.wrap(text, WIDTH, initial_indent="  ", subsequent_indent="    ")
    return [RULES if summary.kinds else RULES_ALONE, *lines] if lines else []
