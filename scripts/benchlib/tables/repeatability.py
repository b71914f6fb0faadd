"""Repeatability in tables: a row a class, and what was tried."""

import math
import statistics
from collections.abc import Callable, Mapping, Sequence

from benchlib.document import document
from benchlib.document.document import NONE, Block, Cell, fixed, paragraph
from benchlib.fleet.repeatability import CaseClass, Trial, kinds
from benchlib.results.results import Results

# What is tried on a board that was left out: how many there were, and what of them failed, in percent.
TRIALS: Mapping[tuple[str, str], Callable[[CaseClass], Trial]] = {
    ("left-out boards:", "of their means outside (%):"): lambda kind: kind.means,
    ("their runs:", "outside (%):"): lambda kind: kind.further,
    ("verdicts without a board:", "contradicted by it (%):"): lambda kind: kind.verdicts,
    ("times on left-out boards:", "outside (%):"): lambda kind: kind.times,
}  # fmt: skip


def blocks(found: Results) -> list[Block]:
    """A table with a row a class, and another with what was tried; without what nothing was tried on."""
    shown = {name: kind for name, kind in kinds(found).items() if kind.ratios}
    if not shown:
        return [paragraph("No pair ran twice.")]
    rows = [[name, str(kind.ratios), fixed(100 * statistics.median(kind.inside), 2) if kind.inside else NONE, _deviation(kind.runs), _deviation(kind.boards)]
            for name, kind in shown.items()]  # fmt: skip
    header = [
        "Vulkan/CUDA of", "pairs:", "inside a run, half width of its 95 % interval (%):", "from run to run on a board (%):",
        "from board to board (%):",
    ]  # fmt: skip
    trials = [names for names, trial in TRIALS.items() if any(trial(kind).tried for kind in shown.values())]
    tried_header = ["Vulkan/CUDA of", *(name for names in trials for name in names), "single runs that decide (%):", "contradicted by all (%):"]
    tried = []
    for name, kind in shown.items():
        decided = fixed(100 * kind.single.tried / kind.single_runs, 0)
        tried.append([name, *(cell for names in trials for cell in _cells(TRIALS[names](kind))), decided, _cells(kind.single)[1]])
    reading = READING + (LEFT_OUT if trials else "") + SINGLE
    return [paragraph(reading), document.table(header, rows), document.table(tried_header, tried)]


READING = "Medians over the pairs; from run to run and from board to board: standard deviations. The second table tries the intervals and the verdicts. "
LEFT_OUT = "Each board in turn is left out. 5 % of its means, of its runs, and of its times should lie outside of what the others give. "
SINGLE = "A verdict is contradicted if the mean of what it is tried on lies beyond the verdict's limit; a single run's is tried on the mean of all boards."


def _deviation(variances: Sequence[float]) -> Cell:
    return fixed(100 * math.sqrt(statistics.median(variances)), 2) if variances else NONE


def _cells(trial: Trial) -> list[Cell]:
    return [str(trial.tried), fixed(100 * trial.failed / trial.tried, 1) if trial.tried else NONE]
