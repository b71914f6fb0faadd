"""A claim's queries: which rows of a directory's results they choose, the figure of each, and on which side of the range it lies.

What a query may say: see claims.py.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchlib.claims import claim_check
from benchlib.model.analysis import Study
from benchlib.results.results import Case, InputError, Results, Table, texts
from benchlib.stats.estimate import DOES_NOT_HOLD, HOLDS, NOT_DECIDED, decide
from benchlib.stats.stats import Figure, ratio

_value = operator.attrgetter("value")
# Which of several cases' figures is said where only one is: an entry's `pick`.
PICKS: Mapping[str, Callable[[Sequence[Figure]], Figure]] = {
    "least": lambda figures: min(figures, key=_value), "median": lambda figures: sorted(figures, key=_value)[(len(figures) - 1) // 2], "most": lambda figures: max(figures, key=_value),
}  # fmt: skip

IN, OUT, OPEN = "in", "out", "open"  # of the range: all of the interval, none of it, a part
SIDES = {HOLDS: IN, DOES_NOT_HOLD: OUT, NOT_DECIDED: OPEN}
# What a row's reason begins with where its kernel's output was not the reference's (common/core/experiment/verify.h).
WRONG_OUTPUT = "wrong output"

AUXILIARY = {
    "sass": ("sass.csv", "the machine code (SASS)"),
    "sass_twins": ("sass_twins.csv", "the machine code (SASS) of both APIs, compared"),
    "counters": ("counters.csv", "hardware counters"),
}


@dataclass(frozen=True)
class CaseFigure:
    """One case's figure."""

    figure: Figure
    case: Case  # the row; of a ratio the numerator's
    name: str
    other: Case | None = None  # of a ratio: the denominator's
    live: bool = True  # its positive control showed something, or it needs none
    wrong: str = ""  # why there is no result: the output was wrong


@dataclass(frozen=True)
class JudgedCase:
    """One case's figure against a query's range."""

    side: str
    found: CaseFigure
    margin: float  # how far inside the range the figure lies, in units of the range's width (or of its one bound)

    @property
    def figure(self) -> Figure:
        return self.found.figure


def run(query: Mapping[str, Any], experiment: str, results: Results, where: str) -> list[CaseFigure] | str:
    """What the query finds, or the reason it finds nothing. `where`: it stands, for what is wrong with it."""
    table: Table | None = results.tables[experiment]
    claim_check.check_columns(where, query, results.tables[experiment])
    source = query.get("table", "results")
    if source != "results":
        file_name, what = AUXILIARY[source]
        table = results.auxiliary(file_name, experiment)
        if table is None:
            return f"needs {what}: no {file_name} in this folder"
    assert table is not None
    control = query.get("control")
    if control in claim_check.NEWER_METRICS and table.column(control) is None:
        return f"the results here have no {control}"
    if query["combine"] == "analysis":
        found = _of_analysis(table, query, results, where)
    else:
        found = _COMBINE[query["combine"]](table, query)
        if not found and (asked := [one for one in _pairs_of(table, query) if _differ(table, *one)]):
            return f"the two sides of {len(asked)} pair{'s'[: len(asked) != 1]} of {select_text(query)} do not do the same work"
    return found or f"{_place(query)} no {query['metric']} of {select_text(query)}"


def _place(query: Mapping[str, Any]) -> str:
    source = query.get("table", "results")
    return "the results here have" if source == "results" else f"{AUXILIARY[source][0]} has"


def assess(query: Mapping[str, Any], found: CaseFigure, *, by_value: bool = False) -> JudgedCase:
    """`by_value`: the figure decides and not its interval."""
    figure = found.figure
    bounds = query["reproduced"]
    low, high = bounds.get("lo", float("-inf")), bounds.get("hi", float("inf"))
    lo, hi = (figure.lo, figure.hi) if figure.has_interval and not by_value else (figure.value, figure.value)
    assert lo is not None and hi is not None
    width = (high - low if bounds.keys() >= {"lo", "hi"} else 0) or abs(next(iter(bounds.values()), 1)) or 1
    if found.wrong:
        side = OUT
    else:
        decided = decide(lo, hi, low, high) if by_value or figure.has_interval else NOT_DECIDED
        side = OPEN if decided == HOLDS and not found.live else SIDES[decided]
    return JudgedCase(side, found, min(lo - low, high - hi) / width)


# ------------------------------------------------------------------------------------------------------- ways to combine


def _values(table: Table, query: Mapping[str, Any]) -> list[CaseFigure]:
    found = []
    for case in table.select(query["where"]):
        if figure := table.figure(case, query["metric"]):
            live = "control" not in query or any(_is_live(control) for control in table.run_figures(case, query["control"]))
            found.append(CaseFigure(figure, case, case.name(), live=live))
    return found + (_wrong_results(table, query["where"]) if query.get("role") == "result" else [])


def _wrong_results(table: Table, where: Mapping[str, object]) -> list[CaseFigure]:
    """The cases of which some run's output was wrong: they have no figure, and are evidence."""
    wanted = {column: texts(value) for column, value in where.items() if column != "pick"}
    wrong = []
    for case in table.cases:
        if all(case[column] in values for column, values in wanted.items()):
            said = [run[case].get("reason", "") for run in table.runs if case in run and run[case].get("status") == "failed"]
            wrong += [CaseFigure(Figure.exact(0), case, case.name(), wrong=text) for text in said if text.startswith(WRONG_OUTPUT)][:1]
    return wrong


def _is_live(control: Figure | None) -> bool:
    return control is not None and control.value > 0


def _over_control(table: Table, query: Mapping[str, Any]) -> list[CaseFigure]:
    found = []
    for case in table.select(query["where"]):
        runs = zip(table.run_figures(case, query["metric"]), table.run_figures(case, query["control"]))
        ratios = [ratio(value, control) if value and control and _is_live(control) else None for value, control in runs]
        if figure := table.over_runs(ratios, query["metric"], case):
            found.append(CaseFigure(figure, case, f"{case.name()} / {query['control']}"))
    return found


def _twin_ratios(table: Table, query: Mapping[str, Any]) -> list[CaseFigure]:
    found = []
    for twin, case in _twins(table, query):
        if not _differ(table, twin, case) and (figure := table.ratio(twin, case, query["metric"])):
            found.append(CaseFigure(figure, twin, case.name(without=["api"])))
    return found


def _twins(table: Table, query: Mapping[str, Any]) -> list[tuple[Case, Case]]:
    return [(twin, case) for case in table.select({**query["where"], "api": "cuda"}) if (twin := table.twin(case))]


def _ratios(table: Table, query: Mapping[str, Any]) -> list[CaseFigure]:
    found = []
    for num, den in _quotients(table, query):
        if not _differ(table, num, den) and (figure := table.ratio(num, den, query["metric"])):
            found.append(CaseFigure(figure, num, f"{num.name()} / {den.name()}", den))
    return found


def _quotients(table: Table, query: Mapping[str, Any]) -> list[tuple[Case, Case]]:
    """Numerators with their denominators."""
    pinned = {*query["num"], *query["den"]}
    if query["metric"] in ("element_ns", "distinct_gbps"):
        pinned.add("elements")
    if "elements" in pinned:
        pinned.add("cache")  # a size decides its cache state unless the query names one
    dens = table.select(query["den"])
    found = []
    for num in table.select(query["num"]):
        partners = [den for den in dens if den != num and _agree(num, den, pinned)]
        if len(partners) > 1:  # an empty cell agrees with any; of several the one that is equal
            partners = [den for den in partners if _agree(num, den, pinned, exactly=True)] or partners
        if len(partners) > 1:
            raise InputError(f"a claim's query is ambiguous: {num.name()} has {len(partners)} denominators")
        if partners:
            found.append((num, partners[0]))
    return found


def _pairs_of(table: Table, query: Mapping[str, Any]) -> list[tuple[Case, Case]]:
    """What the query divides by each other."""
    ways = {"twin_ratio": _twins, "ratio": _quotients}
    return ways[query["combine"]](table, query) if query["combine"] in ways else []


def cases(query: Mapping[str, Any], table: Table) -> list[Case]:
    """Whose rows it reads; of a ratio both sides'."""
    both = [case for pair in _pairs_of(table, query) for case in pair]
    return list(dict.fromkeys(both or (table.select(query["where"]) if "where" in query else [])))


def _differ(table: Table, one: Case, other: Case) -> bool:
    """Whether the two are twins, and do not do the same work: no ratio of theirs says anything about an API."""
    cuda, vulkan = (one, other) if one["api"] == "cuda" else (other, one)
    return table.twin(cuda) == vulkan and bool(table.differing(cuda, vulkan))


def _of_analysis(table: Table, query: Mapping[str, Any], results: Results, where: str) -> list[CaseFigure]:
    """What the experiment's own analysis finds, in each run by itself."""
    figures = results.analysis_of(table.name).figures if isinstance(results, Study) else {}
    if query["metric"] not in figures:
        claim_check.fail(where, f"metric: {table.name}'s analysis has no figure {ascii(query['metric'])}")
    runs = [table.of_runs([at]).memoized(figures[query["metric"]]) for at in range(len(table.runs))]
    found = []
    for case in dict.fromkeys(case for run in runs for case in run):
        values = [Figure(run[case], run[case], run[case]) if case in run else None for run in runs]
        if figure := table.over_runs(values, query["metric"], case):
            found.append(CaseFigure(figure, case, case.name()))
    return found


_COMBINE = {"value": _values, "ratio": _ratios, "twin_ratio": _twin_ratios, "over_control": _over_control}


def _agree(a: Case, b: Case, pinned: set[str], *, exactly: bool = False) -> bool:
    """Equal in every column not pinned. An empty cell is a parameter that does not apply (an API copy's block), and agrees with any
    unless `exactly`. sm_90a is sm_90 with instructions of its own: one GPU's code, as CUDA and as Vulkan name it.
    """
    for column, x in a.cells:
        y = b[column]
        if x != y and column not in pinned and (exactly or (x and y)) and not (column == "arch" and x.rstrip("a") == y.rstrip("a")):
            return False
    return True


def select_text(query: Mapping[str, Any]) -> str:
    selects = [query[key] for key in ("where", "num", "den") if key in query]
    said = [" ".join(f"{column}={'|'.join(texts(value))}" for column, value in select.items()) for select in selects]
    return " over ".join(said) or "any row"
