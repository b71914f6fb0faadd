"""Claims: what a source or this suite says, the query that yields our figure, and the range in which the claim holds.

expNN_name/claims.toml, or expNN_name/program/claims.toml where several programs share a folder (their experiments are
expNN_program):

    question = "..."                  the experiment's question, one line
    answer = "... {03.3} ..."         optional; {id} becomes the claim's figure, {id.verdict} its verdict,
                                      {id.name} the figure of its query of that name, from the least to the greatest case
    [[claim]]
    id = "03.3"                       two digits of the experiment, a dot, a number
    source, text, claimed, device, theory, unit       texts; unit and device may be empty
    note = "... {small} ..."          optional; {name} becomes the figure of the query of that name
    why_refuted = "..."               optional; added to the note when the verdict is REFUTED
    needs = "..."                     a claim no query here can decide: the reason it is not testable
    [[claim.query]]
    name = "large"                    optional; for the note, and to say which part decided
    table = "results"                 or "counters" (counters.csv), "sass" (sass.csv: a row a kernel and API), "sass_twins"
                                      (sass_twins.csv: a row a pair of listings; the columns are dump_sass.py's)
    combine = "value"                 metric of every case that matches `where`
            | "ratio"                 metric(num) / metric(den), for every num and the one den that agrees with it in
                                      all columns that neither of the two names (an empty cell agrees with any)
            | "twin_ratio"            metric(Vulkan) / metric(CUDA), for every pair of twins that matches `where`
            | "over_control"          metric / control, both of the same row, for every case that matches `where`
    metric = "device_ns"              a column, what the experiment measured itself among them (with the columns of its name and
                                      _lo, _hi as its interval, if there), or sector_gbps: the predicted sectors' bytes over
                                      device_ns, or element_ns: device_ns over elements, comparable between different numbers
    where = { variant = "add_f32" }   column = text, or a list of texts (any of them); for num and den likewise
    control = "control_rate"          optional, with value and over_control: the column that holds what the case's positive control
                                      showed, in the same row. Where that is 0 or empty the case says nothing: UNCLEAR in place of
                                      REPRODUCED, counted in the note, and it decides nothing where a case with a live control does
    unit = "x"                        optional; else the claim's
    reproduced = { lo = 0.9, hi = 1.1 }   one or both; without it the query only serves the note
    headline = true                   optional; its figure is the one shown, unless another query's has a worse verdict

`elements` also takes "max" (each variant's largest size), "dram" (sizes that stream from DRAM) and "max_dram" (both).
`pick = "fastest"` leaves, of each variant, API and size, the case with the least time: the best shape of a kernel.
Where several cases match, the verdict is that of the worst: all must lie in the range for the claim to be reproduced.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchlib import claim_check, programs
from benchlib.claim_check import CLAIM_TEXTS, PLACEHOLDER
from benchlib.formats import figure_text
from benchlib.results import Case, InputError, Results, Table
from benchlib.stats import Figure, ratio

REPRODUCED, REFUTED, UNCLEAR, NOT_TESTABLE = "REPRODUCED", "REFUTED", "UNCLEAR", "NOT TESTABLE HERE"
VERDICTS = (REPRODUCED, REFUTED, UNCLEAR, NOT_TESTABLE)
MOST_BYTES = 1 << 20  # of a claims.toml

AUXILIARY = {
    "sass": ("sass.csv", "the machine code (SASS)"),
    "sass_twins": ("sass_twins.csv", "the machine code (SASS) of both APIs, compared"),
    "counters": ("counters.csv", "hardware counters"),
}


@dataclass(frozen=True)
class Finding:
    """One case's figure against a query's range."""

    verdict: str
    figure: Figure
    case: str
    unit: str
    margin: float  # how far inside the range the figure lies, in units of the range's width (or of its one bound)
    headline: bool
    live: bool  # its positive control showed something, or it needs none


@dataclass
class Claim:
    experiment: str
    entry: Mapping[str, Any]
    where: str = ""  # its file and id, for what is wrong with it
    verdict: str = NOT_TESTABLE
    worst: Finding | None = None
    note: str = ""
    figures: dict[str, str] = field(default_factory=dict)  # a query's name, and what it found, from the least to the greatest

    def __getattr__(self, name: str) -> str:
        if name in CLAIM_TEXTS:
            return self.entry[name]
        raise AttributeError(name)


@dataclass
class ClaimFile:
    experiment: str
    question: str
    answer: str
    folder: str = ""  # from the repository's root
    results: str = ""  # where its figures come from, if not from the folder that the others' do
    claims: list[Claim] = field(default_factory=list)


def load(root: Path) -> list[ClaimFile]:
    """Every experiment's claims.toml under the repository root, checked."""
    groups = []
    seen: set[str] = set()
    for experiment, folder in programs.source_folders(root).items():
        group = _read(folder / "claims.toml", experiment, seen)
        group.folder = folder.relative_to(root).as_posix()
        groups.append(group)
    return groups


def _read(path: Path, experiment: str, seen: set[str]) -> ClaimFile:
    """`seen`: the ids of the files before; the programs of one folder share a number."""
    document = _parse(path)
    claim_check.check_document(str(path), document)
    result = ClaimFile(experiment, document.get("question", ""), document.get("answer", ""))
    for at, entry in enumerate(document.get("claim", []), start=1):
        id_ = entry.get("id", f"no. {at}")
        where = f"{path}: claim {id_ if isinstance(id_, str) and id_.isprintable() else ascii(id_)[:40]}"
        claim_check.check_claim(where, experiment[3:5], entry)
        if entry["id"] in seen:
            raise InputError(f"{where}: the id is there twice")
        seen.add(entry["id"])
        result.claims.append(Claim(experiment, entry, where))
    return result


def _parse(path: Path) -> dict[str, Any]:
    with open(path, "rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise InputError(f"{path}: longer than {MOST_BYTES >> 20} MiB")
    try:
        return tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:  # among them what is no TOML and no UTF-8
        raise InputError(f"{path}: {ascii(str(error))[1:-1]}") from error


def judge(claim: Claim, results: Results) -> None:
    """Fills in the claim's verdict, its worst case and its note."""
    if claim.experiment not in results.tables:
        claim.note = f"{claim.experiment} has no results in this directory"
        return
    figures = claim.figures
    findings: list[Finding] = []
    reasons: list[str] = []
    for at, query in enumerate(claim.entry.get("query", []), start=1):
        found = _run_query(query, claim, results, claim_check.query_name(claim.where, at, query))
        if isinstance(found, str):
            figures[query.get("name", "")] = "(not measured)"
            reasons += [found] if "reproduced" in query else []
            continue
        figures[query.get("name", "")] = _spread([finding.figure for finding in found])
        findings += found if "reproduced" in query else []
    if "needs" in claim.entry:
        reasons.append(claim.entry["needs"])
    notes = list(dict.fromkeys(reasons))
    if not reasons:
        deciding = [finding for finding in findings if finding.live or finding.verdict == REFUTED] or findings
        claim.worst = min(deciding, key=lambda finding: (_RANK[finding.verdict], not finding.headline, finding.margin))
        claim.verdict = claim.worst.verdict
        notes.append(_worst_text(claim.worst, deciding))
        if len(deciding) < len(findings):
            notes.append(f"UNCLEAR for want of a live control: {len(findings) - len(deciding)} more cases")
    note = PLACEHOLDER.sub(lambda match: figures[match[1]], claim.entry.get("note", ""))
    why = claim.entry.get("why_refuted", "") if claim.verdict == REFUTED else ""
    claim.note = ". ".join(text.rstrip(".") for text in [*notes, why, note] if text) + "."


_RANK = {REFUTED: 0, UNCLEAR: 1, REPRODUCED: 2}


def _run_query(query: Mapping[str, Any], claim: Claim, results: Results, where: str) -> list[Finding] | str:
    """What the query finds, or the reason it finds nothing. `where`: it stands, for what is wrong with it."""
    table: Table | None = results.tables[claim.experiment]
    claim_check.check_columns(where, query, results.tables[claim.experiment])
    source = query.get("table", "results")
    if source != "results":
        file_name, what = AUXILIARY[source]
        table = results.auxiliary(file_name, claim.experiment)
        if table is None:
            return f"Needs {what}: no {file_name} in this directory"
    assert table is not None
    figures = _COMBINE[query["combine"]](table, query)
    if not figures:
        return f"No result for {_select_text(query)} ({query['metric']})"
    return [_assess(query, claim, *one) for one in figures]


Found = list[tuple[Figure, str, bool]]  # a figure, its case's name, whether its control is live


def _values(table: Table, query: Mapping[str, Any]) -> Found:
    found = []
    for case in table.select(query["where"]):
        if figure := table.figure(case, query["metric"]):
            live = "control" not in query or any(_is_live(control) for control in table.run_figures(case, query["control"]))
            found.append((figure, case.name(), live))
    return found


def _is_live(control: Figure | None) -> bool:
    return control is not None and control.value > 0


def _over_control(table: Table, query: Mapping[str, Any]) -> Found:
    found = []
    for case in table.select(query["where"]):
        runs = zip(table.run_figures(case, query["metric"]), table.run_figures(case, query["control"]))
        ratios = [ratio(value, control) if value and control and _is_live(control) else None for value, control in runs]
        if figure := table.over_runs(ratios, query["metric"]):
            found.append((figure, f"{case.name()} / {query['control']}", True))
    return found


def _twin_ratios(table: Table, query: Mapping[str, Any]) -> Found:
    found = []
    for case in table.select({**query["where"], "api": "cuda"}):
        twin = table.twin(case)
        if twin and (figure := table.ratio(twin, case, query["metric"])):
            found.append((figure, case.name(without=["api"]), True))
    return found


def _ratios(table: Table, query: Mapping[str, Any]) -> Found:
    pinned = {*query["num"], *query["den"]}
    if query["metric"] == "element_ns":
        pinned.add("elements")
    if "elements" in pinned:
        pinned.add("cache")  # a size decides its cache state unless the query names one
    dens = table.select(query["den"])
    found = []
    for num in table.select(query["num"]):
        partners = [den for den in dens if den != num and _agree(num, den, pinned)]
        if len(partners) > 1:
            raise InputError(f"a claim's query is ambiguous: {num.name()} has {len(partners)} denominators")
        if partners and (figure := table.ratio(num, partners[0], query["metric"])):
            found.append((figure, f"{num.name()} / {partners[0].name()}", True))
    return found


_COMBINE = {"value": _values, "ratio": _ratios, "twin_ratio": _twin_ratios, "over_control": _over_control}


def _agree(a: Case, b: Case, pinned: set[str]) -> bool:
    """Equal in every column not pinned. An empty cell is a parameter that does not apply (an API copy's block). sm_90a is
    sm_90 with instructions of its own: one GPU's code, as CUDA and as Vulkan name it.
    """
    pairs = [(column, value, b[column]) for column, value in a.cells if column not in pinned]
    return all(x == y or not x or not y or (column == "arch" and x.rstrip("a") == y.rstrip("a")) for column, x, y in pairs)


def _assess(query: Mapping[str, Any], claim: Claim, figure: Figure, case: str, live: bool) -> Finding:
    bounds = query.get("reproduced", {})
    low, high = bounds.get("lo", float("-inf")), bounds.get("hi", float("inf"))
    lo, hi = (figure.lo, figure.hi) if figure.has_interval else (figure.value, figure.value)
    width = (high - low if bounds.keys() >= {"lo", "hi"} else 0) or abs(next(iter(bounds.values()), 1)) or 1
    margin = min(lo - low, high - hi) / width
    if not figure.has_interval or figure.too_few_runs:
        verdict = UNCLEAR
    elif low <= lo and hi <= high:
        verdict = REPRODUCED if live else UNCLEAR
    elif hi < low or lo > high:
        verdict = REFUTED
    else:
        verdict = UNCLEAR
    unit = query.get("unit", claim.entry["unit"])
    return Finding(verdict, figure, case, unit, margin, query.get("headline", False), live)


def _worst_text(worst: Finding, findings: list[Finding]) -> str:
    counts = [(verdict, sum(finding.verdict == verdict for finding in findings)) for verdict in _RANK]
    parts = [f"Worst of {len(findings)} cases: " if len(findings) > 1 else "Case: ", worst.case]
    if len(findings) > 1:
        parts.append("; by verdict: " + ", ".join(f"{number} {verdict}" for verdict, number in counts if number))
    fewest = min((finding.figure for finding in findings if finding.figure.runs), key=lambda figure: figure.runs, default=worst.figure)
    if fewest.runs == 1 or fewest.too_few_runs:
        parts.append("; one run" if fewest.runs == 1 else f"; {fewest.runs} runs")
        parts.append(", too few to decide" if fewest.too_few_runs else "")
    if not worst.figure.has_interval:
        parts.append("; no interval")
    return "".join(parts)


def _spread(figures: list[Figure]) -> str:
    ordered = sorted(figures, key=lambda figure: figure.value)
    least, greatest = figure_text(ordered[0]), figure_text(ordered[-1])
    return least if least == greatest else f"{least} to {greatest}"


def _select_text(query: Mapping[str, Any]) -> str:
    selects = [query[key] for key in ("where", "num", "den") if key in query]
    texts = [" ".join(f"{column}={_any_of(value)}" for column, value in select.items()) for select in selects]
    return " over ".join(texts)


def _any_of(value: object) -> str:
    return "|".join(map(str, value)) if isinstance(value, list) else str(value)
