#!/usr/bin/env python3
"""How much runs and boards differ, by class of cases, in Vulkan/CUDA and in a case's own time: what benchlib/stats/spreads.csv has of the committed sets.

    scripts/spread.py [DIR...]      # default: each model's first folder in results/; takes minutes
    scripts/spread.py --write       # and writes spreads.csv
"""

from benchlib.base import early  # noqa: F401  # first: see there

import argparse
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchlib.base import console
from benchlib.base.programs import CONTROLS
from benchlib.fleet.repeatability import metrics
from benchlib.model import analysis
from benchlib.model.analysis import Study
from benchlib.model.pairs import judged, pair_runs, pairs
from benchlib.pages import beside
from benchlib.results import results
from benchlib.results.results import CLASSES
from benchlib.stats import estimate, spreads
from benchlib.stats.outliers import Values
from benchlib.stats.spreads import FIGURES, RATIOS, Spread

ROOT = Path(__file__).resolve().parent.parent
Cases = dict[tuple[str, str], list[Values]]  # by what they are of, and class


def cases(studies: Sequence[Study]) -> Cases:
    """The logarithms of every pair's ratios and of every case's times, where times are figures of merit."""
    found: Cases = {(of, name): [] for of in (RATIOS, FIGURES) for name in CLASSES}
    for table in (table for study in studies for table in study.tables.values() if table.compares_times):
        for pair in pairs(table, {}):
            if pair.case["variant"] not in CONTROLS:
                for metric, name in metrics(table, pair.case):
                    if judged(table, pair, metric):
                        found[RATIOS, name].append(pair_runs(table, pair, metric))
        for case in table.select({}):
            if case["variant"] not in CONTROLS:
                for metric, name in metrics(table, case):
                    boards = table.by_board([one if one and one.value > 0 else None for one in table.run_figures(case, metric)])
                    found[FIGURES, name].append({board: [math.log(one.value) for one in runs] for board, runs in boards.items()})
    return found


def fitted(found: Cases) -> Mapping[tuple[str, str], Spread]:
    return {key: spreads.fit(of_class) for key, of_class in found.items() if of_class}


def single(spread: Spread) -> tuple[float, float]:
    """How far off the effect and a further run may be, by one run: half of the intervals, of logarithms."""
    found = estimate.estimate({"": [0.0]}, spread)
    return found.half, found.further_half


def of_models() -> list[Study]:
    """Each model's first folder in results/: a further one has the same boards, or several at once on one host, which says little of how boards differ."""
    studies: dict[str, Study] = {}
    for path in sorted((ROOT / "results").glob("*/boards")):
        study = Study.of(results.load(path.parent), analysis.load(ROOT))
        studies.setdefault(beside.model(study), study)
    return list(studies.values())


def run(directories: Sequence[Path], write: bool) -> int:
    classes = fitted(cases([Study.of(results.load(each), analysis.load(ROOT)) for each in directories] or of_models()))
    for (of, name), spread in classes.items():
        effect, further = single(spread)
        print(f"{of}, {name}: {len(spread.atoms)} atoms; by one run the effect is known to within {math.expm1(effect):.2%}, a further run to within {math.expm1(further):.2%}")
    if write:
        spreads.FILE.write_text(spreads.written(classes), encoding="utf-8")
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="How much runs and boards differ, by class of cases.")
    parser.add_argument("directories", nargs="*", type=Path, metavar="DIR", help="default: each model's first folder in results/")
    parser.add_argument("--write", action="store_true", help=f"writes {spreads.FILE.name}, from which all intervals follow")
    options = parser.parse_args(arguments)
    return console.run_cli("spread.py", lambda: run(options.directories, options.write))


if __name__ == "__main__":
    sys.exit(main())
