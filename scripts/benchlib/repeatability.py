"""How far independent runs agree, by the kind of case: inside a run, from run to run, from board to board; and whether the intervals hold.

The last is tried on data that an interval has not seen: each board in turn is left out, the interval made from the others' runs, and the
share of the left-out board's runs counted that lie outside: of Vulkan/CUDA, and of each API's time.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from benchlib import document, further_run
from benchlib.document import NONE, Block, Cell, fixed, paragraph
from benchlib.results import CLASSES, Results, Table
from benchlib.stats import Figure, ratio

LEAST_BOARDS = further_run.BOARDS_FOR_BOARDS + 1  # one of them is left out


@dataclass
class Trial:
    """Of boards left out in turn: their runs, and those that lie outside the interval that the others make."""

    runs: int = 0
    outside: int = 0

    def add(self, boards: Mapping[str, Sequence[float]]) -> None:
        if len(boards) < LEAST_BOARDS:
            return
        for left_out, values in boards.items():
            ends = further_run.interval({board: seen for board, seen in boards.items() if board != left_out})
            assert ends
            self.runs += len(values)
            self.outside += sum(not ends[0] <= value <= ends[1] for value in values)

    def cells(self) -> list[Cell]:
        return [str(self.runs), fixed(100 * self.outside / self.runs, 1) if self.runs else NONE]


@dataclass
class Kind:
    """One class of cases, over all experiments."""

    ratios: int = 0
    inside: list[float] = field(default_factory=list)  # half width of a run's own interval, relative
    runs: list[float] = field(default_factory=list)  # variance of a board's runs, of the logarithm
    boards: list[float] = field(default_factory=list)  # variance of the boards' means, likewise
    tried: Trial = field(default_factory=Trial)
    times: Trial = field(default_factory=Trial)  # the same of either side's time


def kinds(found: Results) -> dict[str, Kind]:
    """Of every pair of twins with two runs or more whose times are compared."""
    result = {name: Kind() for name in CLASSES}
    for table in found.tables.values():
        for case in table.select({"api": "cuda"}) if table.compares_times else []:
            twin = table.twin(case)
            time = table.figure(case, "device_ns")
            if twin is None or time is None:
                continue
            sides = [table.run_figures(side, "device_ns") for side in (twin, case)]
            figures = [ratio(vulkan, cuda) if vulkan and cuda else None for vulkan, cuda in zip(*sides)]
            kind = result[table.class_of(case)]
            _add(kind, _by_board(table, figures), figures)
            for side in sides:
                kind.times.add(_by_board(table, side))
    return result


def _by_board(table: Table, figures: Sequence[Figure | None]) -> dict[str, list[float]]:
    """The runs' values."""
    boards: dict[str, list[float]] = {}
    for board, figure in zip(table.boards, figures):
        if figure:
            boards.setdefault(board, []).append(figure.value)
    return boards


def _add(kind: Kind, boards: Mapping[str, Sequence[float]], figures: Sequence[Figure | None]) -> None:
    if sum(map(len, boards.values())) < 2:
        return
    kind.ratios += 1
    kind.inside += [(figure.hi - figure.lo) / 2 / figure.value for figure in figures if figure and figure.hi and figure.lo]
    logarithms = {board: [math.log(value) for value in values] for board, values in boards.items()}
    means = {board: statistics.fmean(values) for board, values in logarithms.items()}
    kind.runs += [further_run.deviation(values, means[board]) ** 2 for board, values in logarithms.items() if len(values) > 1]
    if len(boards) > 1:
        kind.boards.append(further_run.deviation(list(means.values()), statistics.fmean(means.values())) ** 2)
    kind.tried.add(boards)


def blocks(found: Results) -> list[Block]:
    """A table with a row a class."""
    rows: list[list[Cell]] = []
    for name, kind in kinds(found).items():
        if kind.ratios:
            inside = fixed(100 * statistics.median(kind.inside), 2) if kind.inside else NONE
            spread = [_deviation(kind.runs), _deviation(kind.boards)]
            rows.append([name, str(kind.ratios), inside, *spread, *kind.tried.cells(), *kind.times.cells()])
    if not rows:
        return [paragraph("No pair ran twice.")]
    header = [
        "Vulkan/CUDA of", "pairs:", "inside a run, half width of its 95 % interval (%):", "from run to run on a board (%):",
        "from board to board (%):", "runs on a left-out board:", "of them outside (%):", "their times, of either API:", "outside (%):",
    ]  # fmt: skip
    return [paragraph(READING), document.table(header, rows)]


READING = (
    "Medians over the pairs; from run to run and from board to board: standard deviations. The last columns try the intervals: each board in "
    "turn is left out, and the interval made from the others'. 5 % of the left-out board's runs should lie outside: ratios, and times."
)


def _deviation(variances: Sequence[float]) -> Cell:
    return fixed(100 * math.sqrt(statistics.median(variances)), 2) if variances else NONE
