"""What state a directory's results are in, in one line each, and the command that leads on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from benchlib.model.analysis import Study
from benchlib.results.results import API_NAMES, APIS
from benchlib.stats.stats import LEAST_RUNS

SOFTWARE = re.compile(r"llvmpipe|lavapipe|swiftshader|basic render driver", re.IGNORECASE)  # Vulkan devices that are no GPU
DEFAULT_RUNS = 6  # scripts/run.sh's


@dataclass(frozen=True)
class State:
    software: bool
    apis: Sequence[str]  # those with a result
    runs: int  # the most of an experiment
    counted: bool  # there are counters
    listed: bool  # there is machine code
    reasons: Sequence[str]  # why the API that has no result has none, the commonest first

    @property
    def vulkan_alone(self) -> bool:
        return list(self.apis) == ["vulkan"]

    @property
    def sentences(self) -> list[str]:
        """The first is what a reader must know before any other figure."""
        said = []
        if self.software:
            said.append("A software device: outputs were checked, and times mean nothing. No GPU is described here.")
        elif not self.apis:
            said.append("No case has a result.")
        elif len(self.apis) == 1:
            missing = next(API_NAMES[api] for api in APIS if api not in self.apis)
            why = f" ({self.reasons[0].partition('; ')[0]})" if self.reasons else ""
            said.append(f"{API_NAMES[self.apis[0]]} alone: {missing} has no result here{why}, so nothing compares the two.")
        if self.apis and self.runs < LEAST_RUNS and not self.software:
            runs = "one run" if self.runs == 1 else f"{self.runs} runs"
            said.append(f"Seen in {runs}: the intervals do not tell yet how much a further run would differ.")
        missing = [what for there, what in ((self.listed, "machine code"), (self.counted, "counters")) if not there]
        if missing and "cuda" in self.apis:
            said.append(f"Not here: {' and '.join(missing)}.")
        return said

    @property
    def next_command(self) -> str:
        """Empty where nothing is missing."""
        if self.software:
            return "scripts/run.sh --quick    # on a machine with a GPU"
        if not self.apis:
            return "build/release/bin/exp01_vector_add --list-devices"
        if self.runs < LEAST_RUNS:
            return f"scripts/run.sh --runs {DEFAULT_RUNS} --resume"
        if "cuda" in self.apis and not self.listed:
            return "scripts/dump_sass.py"
        return "scripts/counters.py" if "cuda" in self.apis and not self.counted else ""


def of(study: Study) -> State:
    tables = study.tables.values()
    with_result = {case["api"] for table in tables for case in table.cases if table.rows(case)}
    reasons: dict[str, int] = {}
    for table in tables:
        for run in table.runs:
            for row in run.values():
                if row["api"] not in with_result and row["reason"]:
                    reasons[row["reason"]] = reasons.get(row["reason"], 0) + 1
    gpus = [gpu for table in tables for gpu in table.distinct("gpu")]
    return State(
        software=bool(gpus) and all(SOFTWARE.search(gpu) for gpu in gpus),
        apis=[api for api in APIS if api in with_result],
        runs=max((len(table.runs) for table in tables), default=0),
        counted=(study.directory / "counters.csv").is_file(),
        listed=(study.directory / "sass.csv").is_file(),
        reasons=sorted(reasons, key=lambda reason: -reasons[reason]),
    )
