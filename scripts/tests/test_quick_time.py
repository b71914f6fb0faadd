"""What `scripts/run.sh --quick` measures, by the programs' own case lists: some of a full run's cases, and all that README's rules need."""

from __future__ import annotations

import csv
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
import result_sets

from benchlib.base import csv_file

ROOT = Path(__file__).resolve().parents[2]
LISTS = ROOT / "build/ci/tests"
PROGRAMS = 28
Row = dict[str, str]
Side = tuple[str, str, frozenset[tuple[str, str]], int, str]  # variant, API, parameters, elements, cache


def read(path: Path) -> list[Row]:
    return [row for _, row in csv_file.read(path)[1]]


def programs() -> list[str]:
    return sorted(path.name.removesuffix("_cases_test") for path in LISTS.glob("exp*_cases_test"))


pytestmark = pytest.mark.skipif(len(programs()) < PROGRAMS, reason="the case lists are not built: build/ci/tests/exp*_cases_test")


@cache
def cases(program: str, run: str) -> set[Side]:
    said = subprocess.run([LISTS / f"{program}_cases_test", "--list", "h200", run], stdout=subprocess.PIPE, text=True, check=True).stdout
    found = set()
    for row in csv.DictReader(said.splitlines()):
        params = frozenset((name, value) for name, _, value in (word.partition("=") for word in row["params"].split(";")) if name)
        found.add((row["variant"], row["api"], params, int(row["elements"]), row["cache"]))
    return found


def test_a_coarse_sweeps_cases_are_some_of_a_full_runs() -> None:
    def added(program: str) -> set[Side]:
        return {side for side in cases(program, "quick") - cases(program, "full") if not side[0].startswith("aa_control")}

    assert {program: found for program in programs() if (found := added(program))} == {}


def test_a_coarse_sweep_measures_what_the_rules_of_the_readme_need(tmp_path: Path) -> None:
    """Of the committed rows those that it has."""
    folder = tmp_path / "results/nvidia-h200/boards/00000000/run1"
    folder.mkdir(parents=True)
    (tmp_path / "results/schemas").symlink_to(ROOT / "results/schemas")
    for program in programs():
        wanted = cases(program, "quick")
        columns = [name for side in list(wanted)[:1] for name, _ in side[2]]
        rows = max((read(path) for _, path in result_sets.newest(program)), key=len, default=[])
        kept = []
        for row in rows:
            params = frozenset((name, row.get(name, "")) for name in columns)
            if (row["variant"], row["api"], params, int(row["elements"]), row["cache"]) in wanted:
                kept.append(row | {"gpu_uuid": "00000000-0000-0000-0000-000000000000" if row["gpu_uuid"] else ""})
        if kept:
            with open(folder / f"{program}.csv", "w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, list(kept[0]))
                writer.writeheader()
                writer.writerows(kept)
    said = subprocess.run([sys.executable, ROOT / "scripts/beside.py", tmp_path / "results/nvidia-h200"], stdout=subprocess.PIPE, text=True)
    assert "Rules for Vulkan beside CUDA" in said.stdout and "Could not be seen" not in said.stdout, said.stdout
