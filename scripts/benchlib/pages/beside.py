"""This GPU beside the published ones: each kind of work's Vulkan/CUDA here and there, of the pairs that both have, and which rules hold here.

docs/published.csv, which scripts/published.py writes from results/, has a row a model, kind and pair. It travels with the package.
"""

import re
import textwrap
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from benchlib.base import csv_file
from benchlib.base.kept import kept, kept_last
from benchlib.document import document
from benchlib.document.columns import WIDTH
from benchlib.document.document import NONE, Block, Blocks, Cell, paragraph
from benchlib.model.analysis import Study
from benchlib.pages import rules, summary
from benchlib.pages.ratio_strip import Measured
from benchlib.pages.summary import Kind, Summary
from benchlib.results.results import Case, InputError
from benchlib.stats.stats import MIN_RUNS, Figure

FILE = Path("docs") / "published.csv"
COLUMNS = ["model", "kind", "experiment", "pair", "ratio", "verdict", "runs"]
TITLE = "This GPU beside the published ones"
RULES, RULES_ALONE = "Rules for Vulkan beside CUDA (docs/RULES.md)", "Rules for Vulkan (docs/RULES.md)"
BETWEEN = "; "  # the cells of a pair
Kinds = Mapping[str, Kind]


@kept
def model(study: Study) -> str:
    """The GPU's name, as CUDA says it where it does; empty without one."""
    names = [run_row["gpu"] for table in study.tables.values() for run in table.runs for run_row in run.values() if run_row["gpu"]]
    return Counter(names).most_common(1)[0][0] if names else ""


def csv_rows(study: Study, said: Summary) -> list[dict[str, object]]:
    """What is published of a folder; nothing of one whose runs are too few."""
    if max((len(table.runs) for table in study.tables.values()), default=0) < MIN_RUNS:
        return []
    rows: list[dict[str, object]] = []
    for id_, kind in said.kinds.items():
        for one in kind.found:
            cells = BETWEEN.join(f"{column}={value}" for column, value in sorted(one.key[1]))
            figures = {"ratio": f"{one.ratio.value:.8f}", "verdict": one.verdict, "runs": one.ratio.runs}
            rows.append({"model": model(study), "kind": id_, "experiment": one.experiment, "pair": cells, **figures})
    return rows


def published(root: Path) -> dict[str, dict[str, Kind]]:
    """The kinds of work by model, which go by their ids here; nothing without the file."""
    path = root / FILE
    if not path.is_file():
        return {}
    stamp = path.stat()
    return _published(path, stamp.st_ino, stamp.st_mtime_ns, stamp.st_size)


@kept_last(1)
def _published(path: Path, *_: int) -> dict[str, dict[str, Kind]]:
    reader = csv_file.Reader(path)
    if reader.header != COLUMNS:
        raise InputError(f"{path}: its columns are not {', '.join(COLUMNS)}")
    found: dict[str, dict[str, list[Measured]]] = {}
    for line, cells in reader:
        row = dict(zip(COLUMNS, cells))
        try:
            figure = Figure(float(row["ratio"]), runs=int(row["runs"]))
            case = Case(tuple((column, value) for column, _, value in (cell.partition("=") for cell in row["pair"].split(BETWEEN))))
        except ValueError as error:
            raise InputError(f"{path}: line {line}: {ascii(str(error))[1:-1]}") from error
        found.setdefault(row["model"], {}).setdefault(row["kind"], []).append(Measured(case, figure, row["verdict"], row["experiment"]))
    return {name: {id_: Kind(id_, pairs) for id_, pairs in kinds.items()} for name, kinds in found.items()}


def table(root: Path, study: Study, said: Summary) -> Block | None:
    """A row a kind of work; None where nothing here is compared."""
    if not said.kinds:
        return None
    own = model(study)
    others = {name: kinds for name, kinds in published(root).items() if name != own}
    header = ["kind of work, Vulkan/CUDA", "pairs:", f"here: {own or 'this GPU'}", *others]
    rows: list[list[Cell]] = []
    for id_, whole in said.kinds.items():
        found = summary.shared([whole, *(kinds.get(id_) for kinds in others.values())])
        assert found[0]  # the first, which has a pair
        rows.append([whole.name, summary.of_pairs(found[0], whole), *(one.words if one else NONE for one in found)])
    return document.table(header, rows)


def held(study: Study, said: Summary) -> dict[str, list[str]]:
    """The rules' titles, by what is said of them."""
    found: dict[str, list[str]] = {each: [] for each in rules.WORDS}
    for title, verdict in rules.verdicts(study, said).items():
        found[verdict].append(title)
    return found


def rule_words(study: Study, said: Summary) -> dict[str, str]:
    """Which hold, which do not and which are not known to, each with their number, by what is said of them."""
    why = {rules.NOT_SEEN: "" if said.kinds else " They need CUDA, or what was not run."}
    return {verdict: f"{verdict} ({len(titles)}): {' '.join(titles)}{why.get(verdict, '')}" for verdict, titles in held(study, said).items() if titles}


def other_rules(study: Study, said: Summary) -> Blocks:
    """Those that are not said to hold."""
    return [paragraph(text) for verdict, text in rule_words(study, said).items() if verdict != rules.HOLDS]


def blocks(root: Path, study: Study, said: Summary | None) -> Blocks:
    """The table and the rules; nothing where nothing here is compared."""
    if said is None or (shown := table(root, study, said)) is None:
        return []
    held_rules = [paragraph(f"{name} ({len(titles)} rules): {' '.join(titles)}") for name, titles in held(study, said).items() if titles]
    reading = paragraph("The median ratio of the pairs that all columns have, and the verdict that at least two thirds of them share. *2 of 3*: a third pair was measured here alone.")
    return [shown, reading, *held_rules]


# ------------------------------------------------------------------------------------------------------------- a terminal



def short(model_: str) -> str:
    """Without the maker and the memory's size: H100."""
    return re.sub(r" \d+ ?GB\b.*", "", model_.removeprefix("NVIDIA "))


def columns_of(root: Path, sides: Mapping[str, tuple[Study, Summary]]) -> list[list[str]]:
    """A header, and a row a kind of work of the headline: what each side has, by its name, then the published models that none of them is, of the pairs that all of these have.
    Nothing where no side compares anything.
    """
    columns: dict[str, Kinds] = {name: said.kinds for name, (_, said) in sides.items()}
    if not any(columns.values()):
        return []
    own = {model(study) for study, _ in sides.values()}
    columns |= {short(name): kinds for name, kinds in published(root).items() if name not in own}
    said = next(iter(sides.values()))[1]
    rows = [["Vulkan/CUDA, the median pair", "pairs", *columns]]
    names = {entry["id"]: entry["name"] for entry in said.document.get("kind", [])}
    for id_ in [entry["kind"] for entry in said.document.get("headline", [])]:
        sides_of = [kinds.get(id_) for kinds in columns.values()]
        found = summary.shared(sides_of)
        if first := next(((one, whole) for one, whole in zip(found, sides_of) if one and whole), None):
            rows.append([names[id_], summary.of_pairs(*first), *(one.words if one else NONE for one in found)])
    return rows


def screen_table(root: Path, sides: Mapping[str, tuple[Study, Summary]]) -> list[str]:
    """The same in lines of a terminal."""
    if not (found := columns_of(root, sides)):
        return []
    rows = [found[0], *([f"  {name}", *cells] for name, *cells in found[1:])]
    widths = [max(len(row[at]) for row in rows) + 2 for at in range(len(rows[0]))]
    return ["".join(f"{cell:<{width}}" for cell, width in zip(row, widths)).rstrip() for row in rows]


def screen_rules(study: Study, said: Summary) -> list[str]:
    """Which rules hold, which not, and which are not known to."""
    lines: list[str] = []
    for text in rule_words(study, said).values():
        lines += textwrap.wrap(text, WIDTH, initial_indent="  ", subsequent_indent="    ")
    return [RULES if said.kinds else RULES_ALONE, *lines] if lines else []
