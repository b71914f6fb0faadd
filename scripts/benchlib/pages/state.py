"""What state a directory's results are in, in one line each, and the command that leads on."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchlib.model.analysis import Study
from benchlib.base import csv_file
from benchlib.results import counters_file
from benchlib.results.results import API_NAMES, APIS
from benchlib.sass import driver_listings
from benchlib.stats.stats import MIN_RUNS

DEFAULT_RUNS = 6  # scripts/run.sh's
NUMBERS = {1: "one run", 2: "two runs"}


@dataclass(frozen=True)
class State:
    software: bool
    apis: Sequence[str]  # those with a result
    runs: Mapping[str, int]  # of each program that has a result
    to_count: Sequence[str]  # the programs that CUDA ran and scripts/counters.py counts unless told otherwise
    uncounted: Sequence[str]  # of them, those without a row in counters.csv
    listed: bool  # there is machine code
    quick: bool  # of coarse sweeps, which full runs cannot go on with
    reasons: Sequence[str]  # why the API that has no result has none, the commonest first
    left_out: str = ""  # how many rows do not count, and why

    @property
    def few(self) -> Mapping[int, Sequence[str]]:
        """The programs with fewer than MIN_RUNS runs, by how many they have."""
        return {number: found for number in range(1, MIN_RUNS) if (found := [name for name, runs in self.runs.items() if runs == number])}

    @property
    def sentences(self) -> list[str]:
        return [*self.caveats, *self.gaps]

    @property
    def caveats(self) -> list[str]:
        """What a reader must know before any figure."""
        said = []
        if self.software:
            said.append("A software device: outputs were checked, and times mean nothing. No GPU is described here.")
        elif not self.apis:
            said.append("No case has a result.")
        elif len(self.apis) == 1:
            missing = next(API_NAMES[api] for api in APIS if api not in self.apis)
            why = f" ({self.reasons[0].partition('; ')[0]})" if self.reasons else ""
            said.append(f"{API_NAMES[self.apis[0]]} alone: {missing} has no result here{why}, so nothing compares the two.")
        if self.few and not self.software:
            said.append(f"{self._seen}. There, how far a further run lies off is taken from what runs on H200s and H100s differ by.")
        return said

    @property
    def gaps(self) -> list[str]:
        """What is not in the results, and what in them does not count."""
        said = []
        missing = ["machine code"] if not self.listed else []
        if self.uncounted:
            missing.append("counters" if self.uncounted == self.to_count else f"counters of {self._named(self.uncounted)}")
        if missing and "cuda" in self.apis:
            said.append(f"Not here: {' and '.join(missing)}.")
        return [*said, self.left_out] if self.left_out else said

    @property
    def _seen(self) -> str:
        """Which programs in how many runs, those with few."""
        parts = [NUMBERS[number] + ("" if len(names) == len(self.runs) else f": {self._named(names)}") for number, names in self.few.items()]
        return f"Seen in {'; in '.join(parts)}"

    def _named(self, names: Sequence[str]) -> str:
        """exp08 in place of all of its programs that ran."""
        short = []
        for name in names:
            number = name.partition("_")[0]
            of_number = {each for each in self.runs if each.partition("_")[0] == number}
            short.append(number if of_number <= set(names) else name)
        return ", ".join(dict.fromkeys(short))

    @property
    def next_command(self) -> str:
        """Empty where nothing is missing."""
        if self.software:
            return "scripts/run.sh --quick    # on a machine with a GPU"
        if not self.apis:
            return "build/release/bin/exp01_vector_add --list-devices"
        if few := [name for names in self.few.values() for name in names]:
            only = "" if len(few) == len(self.runs) else "".join(f" --only {name}" for name in sorted(self._named(few).split(", ")))
            return f"scripts/run.sh{' --quick' if self.quick else ''} --runs {DEFAULT_RUNS} --resume{only}"
        if "cuda" in self.apis and not self.listed:
            return "scripts/dump_sass.py"
        return "scripts/counters.py" if "cuda" in self.apis and self.uncounted else ""


def of(study: Study) -> State:
    tables = study.tables.values()
    with_result = {case["api"] for table in tables for case in table.cases if table.rows(case)}
    rows = [row for table in tables for run in table.runs for row in run.values()]
    reasons = Counter(row["reason"] for row in rows if row["api"] not in with_result and row["reason"])
    by_cuda = [table.name for table in tables if any(case["api"] == "cuda" and table.rows(case) for case in table.cases)]
    to_count = [name for name in by_cuda if study.analysis_of(name).counting.by_default]
    return State(
        software=study.is_software,
        apis=[api for api in APIS if api in with_result],
        runs={table.name: len(table.runs) for table in tables if any(table.rows(case) for case in table.cases)},
        to_count=to_count,
        uncounted=[name for name in to_count if not ((counters := study.auxiliary(counters_file.NAME, name)) and counters.cases)],
        quick=any(row.get("run") == "quick" for row in rows),
        listed=any(csv_file.there(study.directory / name).is_file() for name in ("sass.csv", driver_listings.TABLE)),
        reasons=[reason for reason, _ in reasons.most_common()],
        left_out=study.said_of_left_out,
    )
