"""What a board's first runs leave undecided: its further runs measure these cases and no others.

A case is undecided if Vulkan's verdict about it is UNCLEAR, or if it is one of those that leave a claim UNCLEAR. Times of the host are not measured again: hosts
differ by more than a host's runs, so few of them would be decided, and more than one in twenty wrongly (docs/METHOD.md). The board's own runs alone are asked:
other boards of a set may be measured at the same moment, and whoever resumes a run must come to the same cases.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from benchlib.base import csv_file
from benchlib.claims import claims
from benchlib.claims.claims import ClaimFile
from benchlib.model import analysis, pairs
from benchlib.model.analysis import Study
from benchlib.results import results
from benchlib.results.results import API_NAMES, HOST, WITH_ALL_CHECKS, Case, Table
from benchlib.stats.stats import MIN_RUNS, UNCLEAR

Figures = Callable[[Table], Mapping[Case, float]]  # of a table with one run


def of_board(directory: Path, board: str, root: Path) -> dict[str, tuple[Table, list[Case]]]:
    """By program, what its first MIN_RUNS runs leave undecided. A program is missing that has fewer runs, and all are where the runs give no verdicts: of a software
    device, or of one API.
    """
    found = results.load(directory, lambda folder: folder.board == board and folder.number <= MIN_RUNS)
    study = Study.of(found, analysis.load(root))
    apis = {case["api"] for table in study.tables.values() for case in table.cases if table.rows(case)}
    if study.is_software or apis != API_NAMES.keys():
        return {}
    groups = claims.load(root)
    return {name: (table, undecided(study, table, groups)) for name, table in study.tables.items() if len(table.runs) == MIN_RUNS}


def undecided(study: Study, table: Table, groups: Iterable[ClaimFile]) -> list[Case]:
    """In the order of the table, both sides of a pair."""
    all_pairs = pairs.pairs(table, WITH_ALL_CHECKS)
    figures = study.analysis_of(table.name).figures
    chosen = {pair.case for pair in all_pairs if pairs.pair_verdict(table, pair) == UNCLEAR and table.class_of(pair.case) != HOST}
    for claim in (claim for group in groups if group.experiment == table.name for claim in group.claims):
        for query, cases in claims.undecided(claim, study):
            if query["combine"] == "analysis":
                chosen |= _rows_of(table, figures[query["metric"]]) if cases else set()
            elif query.get("table", "results") == "results":
                chosen |= {case for each in cases for case in (each.found.case, each.found.other) if case and table.class_of(case, query["metric"]) != HOST}
    before = -1
    while len(chosen) > before:
        before = len(chosen)
        chosen |= {side for pair in all_pairs if not chosen.isdisjoint(pair.sides) for side in pair.sides if side}
        chosen = chosen.union(*(_rows_of(table, figure) for figure in figures.values() if _differs(table, figure, chosen)))
    return [case for case in table.cases if case in chosen]


def _rows_of(table: Table, figure: Figures) -> set[Case]:
    """What the figure is reckoned from, in any run."""
    return set().union(*(table.of_runs([at]).looked_at(figure)[1] for at in range(len(table.runs))))


def _differs(table: Table, figure: Figures, chosen: set[Case]) -> bool:
    """Whether a run of the chosen cases alone would give another value than one of all: the figure is reckoned from rows that are not among them."""
    for at, run in enumerate(table.runs):
        part = Table(table.name, table.columns, [{case: row for case, row in run.items() if case in chosen}], table.header)
        part.learn(table)
        whole = figure(table.of_runs([at]))
        if any(whole.get(case) != value for case, value in figure(part).items()):
            return True
    return False


def write(folder: Path, found: Mapping[str, tuple[Table, Sequence[Case]]]) -> None:
    """A file per program, for its option --cases; of one that has nothing undecided the header alone."""
    for name, (table, cases) in found.items():
        key = [column.name for column in table.columns if column.key]
        (folder / f"{name}.csv").write_text(csv_file.text(key, ({column: case[column] for column in key} for case in cases)), encoding="utf-8")
