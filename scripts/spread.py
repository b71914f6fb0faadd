#!/usr/bin/env python3
"""How much runs and boards differ in Vulkan/CUDA, by class of cases: what benchlib/stats/effect.py has in SPREADS.

    scripts/spread.py [DIR]        # default: the reference GPU's results
"""

from __future__ import annotations

from benchlib.base import early  # noqa: F401  # first: see there

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchlib.base import console
from benchlib.model import analysis
from benchlib.model.analysis import Study
from benchlib.model.tables import CONTROLS, judged, pair_runs, pairs
from benchlib.results import results
from benchlib.results.results import CLASSES
from benchlib.stats import effect
from benchlib.stats.effect import Spread
from worklog import REFERENCE

ROOT = Path(__file__).resolve().parent.parent


def spreads(study: Study) -> Mapping[str, Spread]:
    """Of each class that has a pair whose times are compared."""
    runs: dict[str, list[dict[str, list[float]]]] = {name: [] for name in CLASSES}
    for table in study.tables.values():
        for pair in pairs(table, {}):
            if pair.case["variant"] not in CONTROLS and judged(table, pair):
                runs[table.class_of(pair.case)].append(pair_runs(table, pair))
    return {name: effect.fit(found) for name, found in runs.items() if found}


def run(directory: Path) -> int:
    for name, spread in spreads(Study.of(results.load(directory), analysis.load(ROOT))).items():
        print(f"{name}: {spread}")
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="How much runs and boards differ in Vulkan/CUDA, by class of cases.")
    parser.add_argument("directory", nargs="?", type=Path, default=ROOT / REFERENCE, help=f"default: {REFERENCE} of this repository")
    options = parser.parse_args(arguments)
    return console.guarded("spread.py", lambda: run(options.directory))


if __name__ == "__main__":
    sys.exit(main())
