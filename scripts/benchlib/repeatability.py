"""How far independent runs agree, by the kind of case: inside a run, from run to run, from board to board; and whether the intervals hold.

The last is tried on data that an interval has not seen: each board in turn is left out, the interval of Vulkan/CUDA made from the others' runs,
and the share of the left-out board's runs counted that lie outside.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from benchlib import document, further_run
from benchlib.document import NONE, Block, Cell, fixed, paragraph
from benchlib.results import CLASSES, Results, Table
from benchlib.stats import Figure, ratio

LEAST_BOARDS = further_run.BOARDS_FOR_BOARDS + 1  # one of them is left out


@dataclass
class Kind:
    """One class of cases, over all experiments."""

    ratios: int = 0
    inside: list[float] = field(default_factory=list)  # half width of a run's own interval, relative
    runs: list[float] = field(default_factory=list)  # variance of a board's runs, of the logarithm
    boards: list[float] = field(default_factory=list)  # variance of the boards' means, likewise
    tried: int = 0
    outside: int = 0


def kinds(found: Results) -> dict[str, Kind]:
    """Of every pair of twins with two runs or more whose times are compared."""
    result = {name: Kind() for name in CLASSES}
    for table in found.tables.values():
        for case in table.select({"api": "cuda"}) if table.compares_times else []:
            twin = table.twin(case)
            time = table.figure(case, "device_ns")
            if twin is None or time is None:
                continue
            sides = zip(table.run_figures(twin, "device_ns"), table.run_figures(case, "device_ns"))
            figures = [ratio(vulkan, cuda) if vulkan and cuda else None for vulkan, cuda in sides]
            _add(result[table.class_of(case)], table, figures)
    return result


def _add(kind: Kind, table: Table, figures: Sequence[Figure | None]) -> None:
    boards: dict[str, list[float]] = {}
    for board, figure in zip(table.boards, figures):
        if figure:
            boards.setdefault(board, []).append(figure.value)
    if sum(map(len, boards.values())) < 2:
        return
    kind.ratios += 1
    kind.inside += [(figure.hi - figure.lo) / 2 / figure.value for figure in figures if figure and figure.hi and figure.lo]
    logarithms = {board: [math.log(value) for value in values] for board, values in boards.items()}
    means = {board: statistics.fmean(values) for board, values in logarithms.items()}
    kind.runs += [further_run.deviation(values, means[board]) ** 2 for board, values in logarithms.items() if len(values) > 1]
    if len(boards) > 1:
        kind.boards.append(further_run.deviation(list(means.values()), statistics.fmean(means.values())) ** 2)
    if len(boards) >= LEAST_BOARDS:
        for left_out, values in boards.items():
            ends = further_run.interval({board: seen for board, seen in boards.items() if board != left_out})
            assert ends
            kind.tried += len(values)
            kind.outside += sum(not ends[0] <= value <= ends[1] for value in values)


def blocks(found: Results) -> list[Block]:
    """A table with a row a class."""
    rows: list[list[Cell]] = []
    for name, kind in kinds(found).items():
        if kind.ratios:
            inside = fixed(100 * statistics.median(kind.inside), 2) if kind.inside else NONE
            share = fixed(100 * kind.outside / kind.tried, 1) if kind.tried else NONE
            rows.append([name, str(kind.ratios), inside, _deviation(kind.runs), _deviation(kind.boards), str(kind.tried), share])
    if not rows:
        return [paragraph("No pair ran twice.")]
    header = [
        "Vulkan/CUDA of", "pairs:", "inside a run, half width of its 95 % interval (%):", "from run to run on a board (%):",
        "from board to board (%):", "runs on a left-out board:", "of them outside (%):",
    ]  # fmt: skip
    return [paragraph(READING), document.table(header, rows)]


READING = (
    "Medians over the pairs; from run to run and from board to board: standard deviations. The last two columns try the intervals: each board "
    "in turn is left out, and the interval made from the others'. 5 % of the left-out board's runs should lie outside."
)


def _deviation(variances: Sequence[float]) -> Cell:
    return fixed(100 * math.sqrt(statistics.median(variances)), 2) if variances else NONE
