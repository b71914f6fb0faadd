#!/usr/bin/env python3
"""How much runs and boards differ, by class of cases: in Vulkan/CUDA what benchlib/stats/effect.py has in SPREADS, in a case's own time what
benchlib/stats/few_runs.py has in HALVES.

    scripts/spread.py [DIR]        # default: the reference GPU's results
"""

from benchlib.base import early  # noqa: F401  # first: see there

import argparse
import sys
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchlib.base import console
from benchlib.fleet.repeatability import metrics
from benchlib.model import analysis
from benchlib.model.analysis import Study
from benchlib.model.pairs import CONTROLS, judged, pair_runs, pairs
from benchlib.pages.worklog_files import REFERENCE
from benchlib.results import results
from benchlib.results.results import CLASSES
from benchlib.stats import effect, few_runs
from benchlib.stats.effect import Spread
from benchlib.stats.outliers import Values

ROOT = Path(__file__).resolve().parent.parent


def spreads(study: Study) -> Mapping[str, Spread]:
    """Of each class that has a pair whose times are compared."""
    runs: dict[str, list[Values]] = {name: [] for name in CLASSES}
    for table in study.tables.values():
        for pair in pairs(table, {}):
            if pair.case["variant"] not in CONTROLS:
                for metric, name in metrics(table, pair.case):
                    if judged(table, pair, metric):
                        runs[name].append(pair_runs(table, pair, metric))
    return {name: effect.fit(found, effect.MOST_DEGREES) for name, found in runs.items() if found}


def halves(study: Study) -> Mapping[str, float]:
    """Of each class that has a case on boards enough whose times are figures of merit."""
    runs: dict[str, list[Values]] = {name: [] for name in CLASSES}
    for table in study.tables.values():
        for case in table.select({}) if table.compares_times else ():
            if case["variant"] not in CONTROLS:
                for metric, name in metrics(table, case):
                    boards = table.by_board([one if one and one.value > 0 else None for one in table.run_figures(case, metric)])
                    runs[name].append({board: [math.log(one.value) for one in found] for board, found in boards.items()})
    found = {name: few_runs.fit(cases) for name, cases in runs.items()}
    return {name: half for name, half in found.items() if not math.isnan(half)}


def run(directory: Path) -> int:
    study = Study.of(results.load(directory), analysis.load(ROOT))
    for name, spread in spreads(study).items():
        print(f"{name}: {spread}")
    for name, half in halves(study).items():
        print(f"{name}: {half:.4f}")
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="How much runs and boards differ, by class of cases.")
    parser.add_argument("directory", nargs="?", type=Path, default=ROOT / REFERENCE, help=f"default: {REFERENCE} of this repository")
    options = parser.parse_args(arguments)
    return console.run_cli("spread.py", lambda: run(options.directory))


if __name__ == "__main__":
    sys.exit(main())
