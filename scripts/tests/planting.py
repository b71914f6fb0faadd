"""Results in which a claim's query finds what a test wants it to find: the committed ones, of each case one row, with cells changed.

Where the committed results have no row that a claim asks for (a newer axis, a count that was not taken) a row is made from a like one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from benchlib.claims import claim_query, claims
from benchlib.model.analysis import Study
from benchlib.claims.claims import Claim
from benchlib.results.results import Case, Row, Table, time_column
from benchlib.results.schema import Column
from benchlib.stats.stats import MIN_RUNS

TIMES, RATES = ("device_ns", "element_ns"), ("sector_gbps", "distinct_gbps", "distinct_pct")
RUN = dict[Case, dict[str, str]]


def one_run(table: Table) -> RUN:
    """Of each case the first row that has a result, as if one GPU had run all."""
    found: RUN = {}
    for run in table.runs:
        for case, row in run.items():
            if case not in found or (found[case].get("status", "ok") != "ok" and row.get("status", "ok") == "ok"):
                found[case] = dict(row)
    uuid = next((row["gpu_uuid"] for row in found.values() if row.get("gpu_uuid")), "")
    for row in found.values():
        row |= {"gpu_uuid": uuid} if row.get("gpu_uuid") else {}
    return found


def timed(row: Mapping[str, str], time: str) -> dict[str, str]:
    """A row's time, by its own clock, without an interval."""
    return dict.fromkeys((f"{time_column(row)}{end}" for end in ("", "_lo", "_hi")), time)


@dataclass
class Field:
    """Where claims of one experiment are planted: its rows, and those beside them, by file."""

    experiment: str
    columns: list[Column]
    runs: dict[str, RUN]  # "results" or a file beside them
    study: Study
    planted: set[tuple[str, Case, str]]

    @staticmethod
    def of(study: Study, experiment: str) -> Field:
        table = study.tables[experiment]
        beside = {name: study.auxiliary(file, experiment) for name, (file, _) in claim_query.AUXILIARY.items()}
        runs = {"results": one_run(table), **{name: one_run(each) if each else {} for name, each in beside.items()}}
        for row in runs["results"].values():
            if time := row[time_column(row)]:  # without an interval, however the run sampled
                row |= timed(row, time)
        return Field(experiment, list(table.columns), runs, study, set())

    def copy(self) -> Field:
        """The same rows, in which nothing counts as planted."""
        runs = {source: {case: dict(row) for case, row in run.items()} for source, run in self.runs.items()}
        return Field(self.experiment, self.columns, runs, self.study, set())

    def table(self, source: str) -> Table:
        # A run on each of three boards, all alike: equal runs of one board say nothing about others.
        return Table(self.experiment, self.columns if source == "results" else [], [self.runs[source]] * MIN_RUNS, boards=[f"board{at}" for at in range(MIN_RUNS)])

    def judged(self, claim: Claim) -> Claim:
        """The claim anew, on these results."""
        field_ = self

        class Planted(Study):  # a part of it has the same files beside it
            def auxiliary(self, file_name: str, experiment: str) -> Table | None:
                source = next(name for name, (file, _) in claim_query.AUXILIARY.items() if file == file_name)
                return field_.table(source)

        study = Planted(self.study.directory, {self.experiment: self.table("results")}, [], self.study.files, analyses=self.study.analyses)
        fresh = replace(claim, figures={})
        claims.judge(fresh, study)
        return fresh

    # ------------------------------------------------------------------------------------------------------------- planting

    def plant(self, query: Mapping[str, Any], wanted: float) -> None:
        """Every case of the query then has that figure."""
        source = query.get("table", "results")
        table, metric = self.table(source), query["metric"]
        if query["combine"] == "value":
            for case in table.select(query["where"]):
                self.set(source, case, metric, wanted)
                if "control" in query:
                    self.set(source, case, query["control"], 1)
        elif query["combine"] == "over_control":
            for case in table.select(query["where"]):
                self.set(source, case, query["control"], 1)
                self.set(source, case, metric, wanted)
        elif query["combine"] == "twin_ratio":
            for case in table.select({**query["where"], "api": "cuda"}):
                if twin := table.twin(case):
                    self.relate(source, metric, twin, case, wanted)
        else:
            assert query["combine"] == "ratio"
            pairs = [(found.case, found.name) for found in claim_query._ratios(table, query)]
            dens = {den.name(): den for den in table.select(query["den"])}
            for num, name in pairs:
                den = dens[name.partition(" / ")[2]]
                if "pick" in query["num"] and metric in TIMES:
                    self.race(num, den, wanted)
                else:
                    self.relate(source, metric, num, den, wanted)

    def race(self, num: Case, den: Case, wanted: float) -> None:
        """num / den of two times that are each the least of several: one becomes less, and stays the least."""
        ours, theirs = (self.value("results", case, "device_ns") for case in (num, den))
        if ours / theirs < wanted:
            self.set("results", den, "device_ns", ours / wanted)
        else:
            self.set("results", num, "device_ns", theirs * wanted)

    def relate(self, source: str, metric: str, num: Case, den: Case, wanted: float) -> None:
        """num / den; what was planted before stays."""
        if (source, num, metric) in self.planted and (source, den, metric) not in self.planted:
            self.set(source, den, metric, self.value(source, num, metric) / wanted)
        else:
            self.set(source, num, metric, self.value(source, den, metric) * wanted)

    def value(self, source: str, case: Case, metric: str) -> float:
        figure = self.table(source).figure(case, metric)
        assert figure is not None, (case, metric)
        return figure.value

    def set(self, source: str, case: Case, metric: str, wanted: float) -> None:
        row = self.runs[source][case]
        if metric in TIMES + RATES:
            factor = wanted / self.value(source, case, metric)
            row |= timed(row, repr(float(row[time_column(row)]) * (factor if metric in TIMES else 1 / factor)))
        else:
            if metric in ("gbps", "peak_pct"):
                row |= timed(row, row[time_column(row)])
            row |= {name: repr(float(wanted)) for name in (metric, f"{metric}_lo", f"{metric}_hi") if name == metric or name in row}
        self.planted.add((source, case, metric))

    # ------------------------------------------------------------------------------------------------- what is not there yet

    def add_axis(self, name: str, values: Sequence[str]) -> None:
        """A parameter that newer results have: every row once with each value."""
        if any(column.name == name for column in self.columns):
            return
        self.columns.insert(0, replace(self.columns[[c.name for c in self.columns].index("variant")], name=name, role="param"))
        cells = [(((name, value), *case.cells), row) for case, row in self.runs["results"].items() for value in values]
        self.runs["results"] = {Case(key): row | dict([key[0]]) for key, row in cells}

    def add_like(self, source: str, column: str, value: str, like: str, **cells: str) -> None:
        """Rows with that value of a parameter, each made from the one with the value `like`; `cells`: what else is in them."""
        rows = self.runs[source]
        if not any(case[column] == value for case in rows):
            rows |= {case.replace(**{column: value}): {**row, column: value, **cells} for case, row in rows.items() if case[column] == like}

    def add_column(self, like: str, name: str) -> None:
        """A measured column that newer results have."""
        if not any(column.name == name for column in self.columns):
            self.columns.append(replace(next(column for column in self.columns if column.name == like), name=name, interval=False))

    def add_counts(self, metric: str, wanted: Callable[[Row], bool]) -> None:
        """Counts of the rows that are wanted, as if they had been taken."""
        for case, row in self.runs["results"].items():
            if wanted(row) and case["api"] == "cuda":
                self.runs["counters"].setdefault(case, {**row, metric: "50"})
