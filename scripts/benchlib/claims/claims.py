"""Claims: what a source or this suite says, the query that yields our figure, and the range in which the claim holds.

expNN_name/claims.toml, or expNN_name/program/claims.toml where several programs share a folder (their experiments are
expNN_program):

    question = "..."                  the experiment's question, one line
    answer = ["... {03.3} ...", ]     optional: sentences; one is left out where a figure of it is missing. {id} becomes the claim's
                                      figure, {id.words} its figure in words, {id.worst} that of its worst case, {id.name} the figure
                                      of its query of that name, from the least to the greatest case; with one of
                                      claim_words.SAYINGS behind it, {id.slower} or {id.name.percent}, said like that.
                                      {id.takes}: a ratio of times in front of what it is against, "1.5 % longer [...] than".
                                      "[04.2 PARTLY, REFUTED] ..." stands only where the claim has one of these verdicts
    ids = "04"                        optional: the digits that its ids begin with, where the claims come from another experiment
    [[claim]]
    id = "05.2a"                      two digits of the experiment, a dot, a number; a letter for a part of what was claimed
    kind = "mechanism"                how something works; "figure": a number that the source measured on its own device;
                                      "advice": what one should do; "question": the source asks, and the statement is ours
    source, text, claimed, device, theory, unit       texts; unit and device may be empty
    since = 2026-11-21                from when the test stands as it is, its dated changes aside (a date, or a date and time)
    changed = [{ on = 2026-11-22, what = "...", why = "..." }]      optional: what of it changed since, and why (claim_lock.py)
    quote = "“...”"                   optional: the sentence of its source that it stands for (docs/sources.toml describes the source)
    note = "... {small} ..."          optional; {name} becomes the figure of the query of that name; a sentence is left out where none of
                                      its figures was measured
    why = "..."                       optional; likewise; added to the note when the verdict is PARTLY, REFUTED or DIFFERS HERE
    needs = "..."                     a claim no query here can decide: what is missing
    tables, figures = ["..."]         optional: the sections of the worklog and the plots that show it
    listings = ["..."]                optional: the kernels whose machine code shows it, beside those that its queries name
    each = { combine = "value", ... } optional: keys that all of its queries have unless they say otherwise
    rows = "api=cuda cache=cold"      optional: what all of its selects choose by unless they say otherwise
    query = [{ ... }, { ... }]        each a table with these keys, a line each where it fits
    name = "large"                    optional; for the note, and to say which part decided
    table = "results"                 or "counters" (counters.csv), "sass" (sass.csv: a row a kernel and API), "sass_twins"
                                      (sass_twins.csv: a row a pair of listings; the columns are dump_sass.py's)
    combine = "value"                 metric of every case that matches `where`
            | "ratio"                 metric(num) / metric(den), for every num and the one den that agrees with it in
                                      all columns that neither of the two names (an empty cell agrees with any)
            | "twin_ratio"            metric(Vulkan) / metric(CUDA), for every pair of twins that matches `where`; of counters too
            | "over_control"          metric / control, both of the same row, for every case that matches `where`
            | "analysis"              what the figure of that name in the experiment's analysis.py finds in each run
    metric = "device_ns"              a column, what the experiment measured itself among them (with the columns of its name and
                                      _lo, _hi as its interval, if there), or a figure of several: see results.DERIVED_METRICS
    where = "variant=a|b cache=cold"  column=text, or texts of which any will do; or a table, { variant = ["a", "b"] }, where a text has
                                      a space in it; for num and den likewise
    control = "control_rate"          optional, with value and over_control: the column that holds what the case's positive control
                                      showed, in the same row. Where that is 0 or empty the case says nothing, and it decides nothing
                                      where a case with a live control does
    unit = "times as long"            optional; else the claim's
    say = "slower"                    optional: how the figure is said (claim_words.py)
    reproduced = { lo = 0.9, hi = 1.1 }   one or both; without it the query only serves the note
    role = "mechanism"                optional; what the query's range is about. "figure": the source's number, the default for a claim
                                      of that kind. "mechanism", the default for the others: without it the claim is refuted.
                                      "result": each case must be right, one that is not refutes the claim, and so does wrong output
    optional = true                   optional: a part of the test only where there are such results (counts that were not always taken)
    headline = true                   optional; its figure is the one shown, unless another query's has a worse verdict

`elements` also takes "max" (each variant's largest size), "dram" (sizes that stream from DRAM) and "max_dram" (both).
`pick = "fastest"` leaves, of each variant, API and size, the case with the least time: the best shape of a kernel.
A column that only newer results have (claim_check.NEWER_COLUMNS) is empty in older ones: `checks = ["", "default"]` is of both.

A query over several cases is decided by their share: REPRODUCED if all lie in the range, REFUTED if more than half lie outside,
PARTLY if half or more lie in it, else UNCLEAR. The claim: see _verdict.
"""

import datetime
import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from benchlib.base import archive, files, programs, toml_file
from benchlib.base.kept import kept_last, kept_property
from benchlib.claims import claim_check, claim_lock, claim_query, claim_words, provenance
from benchlib.claims.claim_check import CLAIM_TEXTS
from benchlib.claims.claim_query import IN, OPEN, OUT, JudgedCase
from benchlib.claims.provenance import History
from benchlib.model.analysis import FILE as ANALYSIS_FILE
from benchlib.results.results import InputError, Results, Table
from benchlib.sass import listings
from benchlib.stats.stats import Figure

REPRODUCED, PARTLY, DIFFERS = "REPRODUCED", "PARTLY", "DIFFERS HERE"
REFUTED, UNCLEAR, NOT_MEASURED = "REFUTED", "UNCLEAR", "NOT MEASURED"
VERDICTS = (REPRODUCED, PARTLY, DIFFERS, REFUTED, UNCLEAR, NOT_MEASURED)
EXPLAINED = (PARTLY, DIFFERS, REFUTED)  # of a claim: `why`
MOST_CLAIMS_BYTES = 1 << 20  # of a claims.toml
SOURCES = Path("docs") / "sources.toml"
OURS = "ours"  # what the source of a claim of our own is called


@dataclass
class Tested:
    """What one query with a range found. `deciding`: without the cases that say nothing for want of a live control."""

    query: Mapping[str, Any]
    role: str
    unit: str
    deciding: Sequence[JudgedCase]
    dead: int = 0

    @property
    def verdict(self) -> str:
        inside, outside = self.count(IN), self.count(OUT)
        if outside and (self.role == "result" or 2 * outside > len(self.deciding)):
            return REFUTED
        if inside == len(self.deciding):
            return REPRODUCED
        return PARTLY if 2 * inside >= len(self.deciding) else UNCLEAR

    def count(self, side: str) -> int:
        return sum(finding.side == side for finding in self.deciding)

    @property
    def worst(self) -> JudgedCase:
        return min(self.deciding, key=lambda finding: (finding.side != OUT, finding.margin))

    @property
    def middle(self) -> JudgedCase:
        """The median case; of two in the middle the one that is less far inside."""
        ordered = sorted(self.deciding, key=lambda finding: finding.figure.value)
        return min(ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2], key=lambda finding: finding.margin)

    @property
    def typical(self) -> JudgedCase:
        """What stands for the test: the median case, and where the test is refuted and that case does not refute it, the worst."""
        return self.worst if self.verdict == REFUTED and self.middle.side != OUT else self.middle

    def words(self, figure: Figure) -> str:
        return claim_words.figure_words(figure, self.query.get("say", ""), self.unit)

    @property
    def range_words(self) -> str:
        return claim_words.range_words(self.query, self.unit)


@dataclass
class Claim:
    experiment: str
    entry: Mapping[str, Any]
    where: str = ""  # its file and id, for what is wrong with it
    verdict: str = NOT_MEASURED
    tested: Sequence[Tested] = ()
    shown: Tested | None = None  # the query that decided
    results: Results | None = None  # that decided
    unjudged: str = ""  # why none did
    figures: dict[str, list[Figure]] = field(default_factory=dict)  # a query's name, and what it found; empty: not measured
    boards: Sequence[str] = ()  # whose runs decided; none for machine code
    runs: int = 0
    newer_runs: int = 0  # of these, of commits that contain the test as it is now
    undated_runs: int = 0  # of these, of commits of which it is not known whether they do
    lost_commits: Sequence[str] = ()  # of these runs, commits that are not in the repository
    history: History | None = None  # of the repository; None: not known
    code: claim_lock.DecidingCode = claim_lock.NO_CODE  # of the analysis that decides it
    other_result_sets: str = ""  # the folders that have results of its experiment, where this one has none
    sources: str = ""  # where its source is described, from the repository's root
    row_file: str = ""  # that holds the typical case's row, from the results' folder
    listed: Sequence[str] = ()  # the kernels whose listings are there
    archive: str = ""  # of the listings, from the results' folder

    def __getattr__(self, name: str) -> str:
        if name in CLAIM_TEXTS:
            return self.entry[name]
        raise AttributeError(name)

    @kept_property
    def differing(self) -> Mapping[str, str]:
        """The boards whose own verdict is another, and that."""
        return _differing(self, self.results) if self.results else {}

    @kept_property
    def note(self) -> str:
        if not self.results:
            return self.unjudged
        why = _filled(self, "why") if self.verdict in EXPLAINED else ""
        ours = "The source asks this, and claims nothing: the statement is ours" if self.kind == "question" else ""
        return _sentences(ours, _cases_text(self), _boards_text(self), why, _filled(self, "note"))

    @property
    def worst(self) -> JudgedCase | None:
        return self.shown and self.shown.worst

    @property
    def words(self) -> str:
        return self.shown.words(self.shown.typical.figure) if self.shown else ""

    @property
    def range_words(self) -> str:
        """Of the query that decided; of a claim without a figure its headline's."""
        if self.shown:
            return self.shown.range_words
        queries = [query for query in self.entry.get("query", []) if "reproduced" in query]
        chosen = next((query for query in queries if query.get("headline")), queries[0] if queries else {})
        return claim_words.range_words(chosen, chosen.get("unit", self.unit))

    @property
    def cases(self) -> int:
        return sum(len(each.deciding) for each in self.tested)

    def count(self, side: str) -> int:
        return sum(each.count(side) for each in self.tested)

    @property
    def changes(self) -> Sequence[Mapping[str, Any]]:
        return self.entry.get("changed", [])

    @property
    def fixed_on(self) -> datetime.date:
        """When the test became what it is."""
        dates = [self.entry["since"], *(change["on"] for change in self.changes)]
        return max(dates, key=moment)

    @property
    def listings(self) -> list[str]:
        """The kernels whose machine code it is about, in the order of its queries."""
        found = list(self.entry.get("listings", []))
        for query in self.entry.get("query", []):
            if query.get("table") in ("sass", "sass_twins"):
                for select in (query.get(key, {}) for key in ("where", "num", "den")):
                    kernels = select.get("kernel", [])
                    found += kernels if isinstance(kernels, list) else [kernels]
        return list(dict.fromkeys(found))


def moment(date: datetime.date) -> str:
    """Of a date or a time in UTC, comparable with a row's started_at. A day ends before what is said of it stands."""
    if isinstance(date, datetime.datetime):
        return date.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return f"{date.isoformat()}T23:59:59Z"


@dataclass
class ClaimFile:
    experiment: str
    question: str
    answer: Sequence[str]  # sentences
    folder: str = ""  # from the repository's root
    results: str = ""  # where its figures come from, if not from the folder that the others' do
    claims: list[Claim] = field(default_factory=list)


def load(root: Path) -> list[ClaimFile]:
    """Every experiment's claims.toml under the repository root, checked."""
    groups = []
    seen: set[str] = set()
    described, history = source_places(root), provenance.of(root.resolve())
    for experiment, folder in programs.source_folders(root).items():
        group = _read(folder / "claims.toml", experiment, seen)
        group.folder = folder.relative_to(root).as_posix()
        for claim in group.claims:
            claim.sources, claim.history = described.get(claim.source, ""), history
            claim.code = claim_lock.DecidingCode(f"{group.folder}/{ANALYSIS_FILE}", claim_lock.code_of(claim.entry, files.read_text(folder / ANALYSIS_FILE) or ""))
        groups.append(group)
    return groups


def source_places(root: Path) -> dict[str, str]:
    """Which file describes each source, by what claims.toml calls it; empty without docs/sources.toml."""
    path = root / SOURCES
    if not path.is_file():
        return {}
    found = toml_file.parsed(path.read_text(encoding="utf-8")).get("source", [])
    return {name: SOURCES.as_posix() for source in found for name in source["called"]}


def _read(path: Path, experiment: str, seen: set[str]) -> ClaimFile:
    """`seen`: the ids of the files before; the programs of one folder share a number."""
    data = files.read_at_most(path, MOST_CLAIMS_BYTES)
    try:
        question, answer, found = _checked(experiment, data)
    except InputError as error:
        raise InputError(f"{path}{error}") from error
    entries = [(f"{path}{place}", entry) for place, entry in found]
    for where, entry in entries:
        if entry["id"] in seen:
            raise InputError(f"{where}: the id is there twice")
        seen.add(entry["id"])
    return ClaimFile(experiment, question, answer, claims=[Claim(experiment, entry, where) for where, entry in entries])


@kept_last(256)  # a process may read the same file again and again; nothing of it is changed
def _checked(experiment: str, data: bytes) -> tuple[str, Sequence[str], list[tuple[str, dict[str, Any]]]]:
    """The question, the answer's sentences, and each claim with its place in the file. What is raised is to stand behind the file's path."""
    try:
        text = data.decode("utf-8")
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # among them what is no TOML and no UTF-8
        raise InputError(f": {ascii(str(error))[1:-1]}") from error
    claim_check.check_document("", document)
    answer = document.get("answer", [])
    found = []
    for at, entry in enumerate(document.get("claim", []), start=1):
        id_ = entry.get("id", f"no. {at}")
        where = f":{toml_file.line_of_table(text, 'claim', at)}: claim {id_ if isinstance(id_, str) and id_.isprintable() else ascii(id_)[:40]}"
        claim_check.expand(where, entry)
        claim_check.check_claim(where, document.get("ids", experiment[3:5]), entry)
        found.append((where, entry))
    return document.get("question", ""), [answer] if isinstance(answer, str) else answer, found


# --------------------------------------------------------------------------------------------------------------- verdicts


def judge(claim: Claim, results: Results, other_result_sets: str = "") -> None:
    """Fills in the claim's verdict and the query that decided, or why none did. `other_result_sets`: the folders that have what this one lacks."""
    table = results.tables.get(claim.experiment)
    if table is None:
        claim.other_result_sets = other_result_sets
        claim.unjudged = "Not run in this folder" + (f"; see {other_result_sets}." if other_result_sets else ", nor in another beside it.")
        return
    if results.is_software:
        claim.unjudged = "A software device decides no claim."
        return
    tested, reasons = _tested(claim, results)
    if reasons:
        claim.unjudged = _sentences(*(f"Missing: {reason}" for reason in reasons), _filled(claim, "note"))
        return
    claim.tested, claim.results = tested, results
    claim.verdict, claim.shown = _verdict(claim.kind, tested)
    _add_runs(claim, table)
    _add_evidence(claim, results, table)


def _filled(claim: Claim, key: str) -> str:
    """The claim's text of that key with its figures in it, without the sentences of which no figure was measured."""
    kept = []
    for sentence in re.split(r"(?<=\.) ", claim.entry.get(key, "")):
        names = [name for name, _ in claim_words.placeholders(sentence)]
        if not names or any(claim.figures.get(name) for name in names):
            kept.append(claim_words.filled(sentence, lambda name, _: claim_words.spread_words(claim.figures.get(name, []))) or "")
    return " ".join(kept)


def _sentences(*texts: str) -> str:
    return " ".join(f"{text.rstrip('.')}." for text in dict.fromkeys(texts) if text)


def _tested(claim: Claim, results: Results, *, by_value: bool = False) -> tuple[list[Tested], list[str]]:
    """What its queries found, and what is missing. Fills in claim.figures."""
    tested: list[Tested] = []
    reasons: list[str] = [claim.entry["needs"]] if "needs" in claim.entry else []
    for at, query in enumerate(claim.entry.get("query", []), start=1):
        deciding = "reproduced" in query
        if by_value and not deciding:
            continue
        found = claim_query.run(query, claim.experiment, results, claim_check.query_name(claim.where, at, query))
        if isinstance(found, str):
            claim.figures[query.get("name", "")] = []
            reasons += [found] if deciding and not query.get("optional") else []
            continue
        claim.figures[query.get("name", "")] = [one.figure for one in found]
        if deciding:
            findings = [claim_query.assess(query, one, by_value=by_value) for one in found]
            live = [finding for finding in findings if finding.found.live or finding.side == OUT] or findings
            role = query.get("role", "figure" if claim.kind == "figure" else "mechanism")
            tested.append(Tested(query, role, query.get("unit", claim.unit), live, len(findings) - len(live)))
    return tested, list(dict.fromkeys(reasons))


_RANK = (REFUTED, UNCLEAR, PARTLY, REPRODUCED)


def _verdict(kind: str, tested: Sequence[Tested]) -> tuple[str, Tested]:
    """The claim's verdict, and the query to show for it.

    REFUTED where a result is wrong, or where what the claim names as mechanism is not there, by more than half of its cases. Another
    GPU's figure that this one does not share DIFFERS HERE as long as every query about its mechanism holds; without such a query it is
    REFUTED. Else the worst of the queries' verdicts.
    """
    worst = min(tested, key=lambda each: (_RANK.index(each.verdict), not each.query.get("headline", False), each.worst.margin))
    refuted = [each for each in tested if each.verdict == REFUTED]
    if absent := [each for each in refuted if each.role != "figure"]:
        return REFUTED, min(absent, key=lambda each: not each.query.get("headline", False))
    mechanisms = [each for each in tested if each.role == "mechanism"]
    if refuted and kind == "figure" and mechanisms:
        unsettled = [each for each in mechanisms if each.verdict == UNCLEAR]
        return (UNCLEAR, unsettled[0]) if unsettled else (DIFFERS, refuted[0])
    return worst.verdict, worst


def _add_runs(claim: Claim, table: Table) -> None:
    """Whose runs the deciding cases are of, and how many of them are of commits that contain the test."""
    measured: dict[int, set[str]] = {}  # the commits of each run
    cases = {finding.found.case for each in claim.tested if each.query.get("table", "results") == "results" for finding in each.deciding}
    own = bool(cases) and not any(case in run for case in cases for run in table.runs)
    for at, run in enumerate(table.runs):
        rows = list(run.values()) if own else [run[case] for case in cases if case in run]  # what an analysis finds under a case of its own is of the run's rows
        if rows:
            measured[at] = {row.get("git_rev", "") for row in rows}
    claim.boards = sorted({table.boards[at] for at in measured})
    claim.runs = len(measured)
    history = claim.history or History(Path())
    contain = [[history.contains(revision, claim.entry, claim.code) for revision in revisions] for revisions in measured.values()]
    claim.newer_runs = sum(all(each) for each in contain)
    claim.undated_runs = sum(None in each and False not in each for each in contain)
    claim.lost_commits = sorted({each for revisions in measured.values() for each in revisions if history.has(each) is False})


def _add_evidence(claim: Claim, results: Results, table: Table) -> None:
    """Where the typical case's row lies, and which listings there are."""
    assert claim.shown
    source, case = claim.shown.query.get("table", "results"), claim.shown.typical.found.case
    if source != "results":
        claim.row_file = results.beside(claim_query.AUXILIARY[source][0])
    elif table.files:
        paths = [path for path, run in zip(table.files, table.runs) if case in run]
        readable = next((path for path in paths if path.suffix == ".csv" and not archive.holds(path)), paths[0] if paths else None)  # in a browser, which unpacks none
        claim.row_file = archive.file_of(readable).relative_to(results.directory).as_posix() if readable else ""  # an analysis may name a case of its own
    claim.archive = listings.archive_beside(results, claim.experiment)
    claim.listed = [kernel for kernel in claim.listings if listings.are_twins(results, claim.experiment, kernel)]


def verdict_of(claim: Claim, results: Results, *, by_value: bool = False) -> str:
    """The claim's verdict by these results and nothing else of it: the claim stays as it is. `by_value`: by the figures without their intervals."""
    if claim.experiment not in results.tables or results.is_software:
        return NOT_MEASURED
    tested, missing = _tested(replace(claim, figures={}), results, by_value=by_value)
    return NOT_MEASURED if missing or not tested else _verdict(claim.kind, tested)[0]


def undecided(claim: Claim, results: Results) -> list[tuple[Mapping[str, Any], list[JudgedCase]]]:
    """Of an UNCLEAR claim the queries that make it so, each with the cases that lie neither in its range nor outside. None of another."""
    if claim.experiment not in results.tables or results.is_software:
        return []
    tested, missing = _tested(replace(claim, figures={}), results)
    if missing or not tested or _verdict(claim.kind, tested)[0] != UNCLEAR:
        return []
    return [(each.query, [case for case in each.deciding if case.side == OPEN]) for each in tested if each.verdict == UNCLEAR]


def verdict_without(claim: Claim, results: Results, left_out: Collection[str]) -> str:
    """What the claim's verdict would be without the runs of some commits."""
    table = results.tables[claim.experiment]
    kept = [at for at, run in enumerate(table.runs) if not {row.get("git_rev", "") for row in run.values()} & set(left_out)]
    return verdict_of(claim, replace(results, tables={**results.tables, claim.experiment: table.of_runs(kept)})) if kept else NOT_MEASURED


def _differing(claim: Claim, results: Results) -> dict[str, str]:
    """The boards on which the claim comes out otherwise than on all together, by the figures without their intervals: one board has too few runs for more."""
    if len(claim.boards) < 2:
        return {}
    found = {}
    table, wanted = results.tables[claim.experiment], verdict_of(claim, results, by_value=True)
    for board in claim.boards:
        alone = replace(results, tables={**results.tables, claim.experiment: table.of_board(board).without_brackets()})
        verdict = verdict_of(claim, alone, by_value=True)
        if verdict not in (NOT_MEASURED, wanted):
            found[board] = verdict
    return found


# ------------------------------------------------------------------------------------------------------------------ words


def _cases_text(claim: Claim) -> str:
    """How many cases lie where, the typical one, the worst."""
    shown = claim.shown
    assert shown
    total = len(shown.deciding)
    if total == 1:
        parts = [f"Case: {_case_text(shown, shown.typical)}"]
    else:
        sides = [f"{shown.count(side)} {name}" for side, name in ((OUT, "outside"), (OPEN, "undecided")) if shown.count(side)]
        parts = [f"{shown.count(IN)} of {total} cases in the range" + "".join(f", {text}" for text in sides)]
        parts.append(f"the median case: {_case_text(shown, shown.middle)}")
        if shown.worst.found.wrong or shown.words(shown.worst.figure) != shown.words(shown.middle.figure):
            parts.append(f"the worst: {_case_text(shown, shown.worst)}")
    others = [each for each in claim.tested if each is not shown]
    if others:
        held = sum(each.verdict == REPRODUCED for each in others)
        all_hold = "the test's other part holds" if len(others) == 1 else f"the test's {len(others)} other parts hold"
        parts.append(f"of {len(others)} further parts of the test {held} hold" if held < len(others) else all_hold)
    if shown.dead:
        parts.append(f"{shown.dead} more {'case has' if shown.dead == 1 else 'cases have'} no live control and decide nothing")
    fewest = min((each.figure for each in shown.deciding if each.figure.runs), key=lambda figure: figure.runs, default=None)
    if fewest and (fewest.runs == 1 or fewest.too_few_runs):
        parts.append("one run" if fewest.runs == 1 else f"{fewest.runs} runs")
    if any(not each.figure.has_interval for each in shown.deciding):
        parts.append("no interval")
    return "; ".join(parts)


def _case_text(shown: Tested, finding: JudgedCase) -> str:
    return f"{finding.found.name}: {finding.found.wrong or shown.words(finding.figure)}"


def _boards_text(claim: Claim) -> str:
    """The boards whose figures alone give another verdict, by that."""
    named = {verdict: [board for board, other in claim.differing.items() if other == verdict] for verdict in claim.differing.values()}
    texts = [f"{verdict} on board{'s' * (len(boards) > 1)} {', '.join(boards)}" for verdict, boards in named.items()]
    return f"With one board's figures alone: {'; '.join(texts)}" if texts else ""
