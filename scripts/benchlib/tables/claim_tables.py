"""The claims as tables: one experiment's with their notes and evidence, the answers of all, claims.csv."""

import datetime
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from benchlib.base import csv_file
from benchlib.base.programs import CONTROLS
from benchlib.document import document, markdown
from benchlib.claims import claims
from benchlib.claims.claim_check import RESERVED_NAMES
from benchlib.claims.claim_query import IN, OUT
from benchlib.claims.claim_words import SAYINGS, figure_words, filled, plain, spread_words
from benchlib.claims.claims import OURS, REPRODUCED, VERDICTS, Claim, ClaimFile, moment
from benchlib.document.document import NONE, Block, Blocks, Bullets, Cell, FileLink, Inline, ResultLink, SectionLink, Strong, Verdict, paragraph
from benchlib.results.results import InputError, Results, Table
from benchlib.stats.stats import PAIR_VERDICTS, Figure
from benchlib.model.pairs import pair_verdict, pairs

CLAIM_COLUMNS = [
    "id", "verdict", "experiment", "source", "ours", "ours_lo", "ours_hi", "claimed", "unit", "note", "kind", "ours_words", "range",
    "range_lo", "range_hi", "cases", "cases_in", "cases_out", "worst", "worst_lo", "worst_hi", "case", "worst_case", "boards", "runs",
    "boards_differing", "since", "fixed_on", "newer_runs", "evidence",
]  # fmt: skip


def claims_table(group: ClaimFile, *, fold: bool = False) -> Blocks:
    """The claims with their verdicts, and a note for each. `fold`: those that were not measured are named, no more."""
    header = ["id", "claim", "claimed", "ours [95 %]", "reproduced if", "deciding cases in range:", "other parts hold:", "verdict"]
    rows: list[list[Cell]] = []
    notes: list[tuple[Inline, ...]] = []
    unmeasured = [claim.id for claim in group.claims if fold and claim.shown is None]
    for claim in (claim for claim in group.claims if claim.id not in unmeasured):
        words, range_ = claim.words or NONE, claim.range_words or NONE
        rows.append([claim.id, claim.text, claim.claimed, words, range_, *shares(claim), Verdict(claim.verdict)])
        notes.append((Strong(claim.id), *_note(claim), *evidence(claim, group.results), f" {dates(claim)}"))
    where = [paragraph(f"From {group.results}.")] if group.results else []
    shown: Blocks = [document.table(header, rows), Bullets(tuple(notes))] if rows else []
    return [*where, *shown, *([paragraph(unmeasured_words(unmeasured))] if unmeasured else [])]


def unmeasured_words(ids: Sequence[str]) -> str:
    needing = "1 claim needs" if len(ids) == 1 else f"{len(ids)} claims need"
    return f"{needing} what these results lack (CUDA, machine code or counters): {', '.join(ids)}."


def shares(claim: Claim) -> list[str]:
    """Of the part of the test that decided, how many cases lie in its range; of the other parts, how many hold."""
    if claim.shown is None:
        return [NONE, NONE]
    others = [each for each in claim.tested if each is not claim.shown]
    held = sum(each.verdict == REPRODUCED for each in others)
    return [f"{claim.shown.count(IN)} of {len(claim.shown.deciding)}", f"{held} of {len(others)}" if others else NONE]


def _note(claim: Claim) -> list[Inline]:
    """What kind of statement it is, whose, what theory says, and what was found."""
    whose = "Ours" if claim.source == OURS else claim.source
    device = f" (device: {claim.device})" if claim.device else ""
    source = FileLink(whose, claim.sources) if claim.sources else whose
    quote = f": {claim.entry['quote']}" if "quote" in claim.entry else ""
    return [f" {claim.kind.capitalize()}. Source: ", source, f"{device}{quote}{'' if quote.endswith('.') else '.'} Theory: {claim.theory} {claim.note}"]


def evidence(claim: Claim, results: str = "") -> list[Inline]:
    """Links to the row that decided, to the tables, figures and listings that show it; nothing of a claim that was not measured.

    `results`: the folder that has its results, if it is not the one that is shown.
    """
    if claim.shown is None:
        return []

    def link(text: str, path: str) -> Inline:
        return FileLink(text, f"{results}/{path}") if results else ResultLink(text, path)

    links: list[Inline] = [link("row", claim.row_file)] if claim.row_file else []
    for title in claim.entry.get("tables", []):
        in_file = results and FileLink(title, f"{results}/{markdown.section_path(claim.experiment, title)}")
        links.append(in_file or SectionLink(title, claim.experiment, title))
    links += [link(f"figure {name}", f"plots/{name}.svg") for name in claim.entry.get("figures", [])]
    links += [link(f"listings of {', '.join(claim.listed)}", claim.archive)] if claim.listed else []
    parts: list[Inline] = []
    for one in links:
        parts += [", " if parts else " Evidence: ", one]
    return [*parts, "."] if parts else []


def dates(claim: Claim) -> str:
    """From when the test stands, what changed since and why, and how many runs are of commits that contain it."""
    texts = [f"Test of {_day(claim.entry['since'])}"]
    texts += [f"changed {_day(change['on'])}: {change['what']} ({change['why']})" for change in claim.changes]
    if claim.runs and claim.undated_runs == claim.runs:
        texts.append(f"whether the commits of its {claim.runs} runs contain the test in its present form is not known here")
    elif claim.runs:
        newer = "none" if not claim.newer_runs else "all" if claim.newer_runs == claim.runs else str(claim.newer_runs)
        texts.append(f"of its {claim.runs} runs, {newer} {'is' if newer == '1' else 'are'} of commits that contain the test in its present form")
        lost = f" ({', '.join(claim.lost_commits)}: not in the repository)" if claim.lost_commits else ""
        texts += [f"of {claim.undated_runs} that is not known{lost}"] if claim.undated_runs else []
    return "; ".join(texts) + "."


def _day(date: datetime.date) -> str:
    return moment(date)[:10]


def claims_tables(name: str, groups: Sequence[ClaimFile]) -> Blocks | None:
    """The claims of one experiment (exp05 or exp06_litmus), or of all programs with its number (exp06); None for another name."""
    chosen = [group for group in groups if name in (group.experiment, group.experiment.partition("_")[0])]
    if len(chosen) < 2:
        return claims_table(chosen[0]) if chosen else None
    return [block for group in chosen for block in (document.heading(group.experiment), *claims_table(group))]


def lost_runs(found: Results, group: ClaimFile) -> Blocks:
    """The runs of commits that are not in the repository, and what they change; nothing where there are none, or it is not known."""
    table = found.tables[group.experiment]
    history = group.claims[0].history if group.claims else None
    lost = [commit for commit in sorted(table.distinct("git_rev")) if history and history.has(commit) is False]
    if not lost:
        return []
    runs = [at for at, run in enumerate(table.runs) if {row.get("git_rev", "") for row in run.values()} & set(lost)]
    boards = sorted({table.boards[at] for at in runs if table.boards[at]})
    where = f" on board{'s' * (len(boards) > 1)} {', '.join(boards)}" if boards else ""
    said = f"{len(runs)} of {len(table.runs)} runs{where} are of commits that are not in the repository: {', '.join(lost)}. "
    kept = [at for at in range(len(table.runs)) if at not in runs]
    if not kept:
        return [paragraph(said + "There are no others.")]
    fewer = table.of_runs(kept)
    changed = sum(pair_verdict(table, pair) != pair_verdict(fewer, pair) for pair in pairs(table, {}))
    others = [(claim, claims.verdict_without(claim, found, lost)) for claim in group.claims if claim.shown]
    moved = [f"{claim.id} {claim.verdict} to {other}" for claim, other in others if other != claim.verdict]
    change = f"Without them the verdicts of {changed} pairs and of {len(moved)} claims are others"
    return [paragraph(said + change + (f": {', '.join(moved)}." if moved else "."))]


def answers(found: Results, groups: Sequence[ClaimFile]) -> Block:
    """One row per experiment: its question, and how the pairs and the claims came out. Its README has the answer."""
    header = ["experiment", "question", "Vulkan against CUDA, pairs", "claims"]
    rows: list[list[Cell]] = []
    for group in groups:
        table = found.tables.get(group.experiment)
        counts = NONE if table is None else tally(pair_verdicts(table), PAIR_VERDICTS)
        claimed = tally(Counter(claim.verdict for claim in group.claims), VERDICTS)
        rows.append([readme_link(group), group.question, counts, claimed])
    return document.table(header, rows)


def experiments(groups: Sequence[ClaimFile]) -> Block:
    """One row an experiment, with what it asks."""
    return document.table(["experiment", "question"], ([readme_link(group), group.question] for group in groups))


def readme_link(group: ClaimFile) -> FileLink:
    return FileLink(group.experiment, readme(group))


def readme(group: ClaimFile) -> str:
    return f"{group.folder}/README.md"


class Missing(Exception):
    """A figure that a sentence names was not measured."""


CONDITION = re.compile(r"\[(\d\d\.\d+[a-z]?) ([A-Z ,]+)\] ")


def answer_text(group: ClaimFile) -> str:
    """The experiment's answer: the sentences whose figures there are, with these, and whose condition holds."""
    by_id = {claim.id: claim for claim in group.claims}
    return " ".join(text for sentence in group.answer if (text := _sentence(by_id, sentence)))


def _sentence(by_id: Mapping[str, Claim], sentence: str) -> str:
    condition = CONDITION.match(sentence)
    if condition:
        wanted = condition[2].split(", ")
        if condition[1] not in by_id or not set(wanted) <= set(VERDICTS):
            raise InputError(f"an answer's condition names no claim or no verdict: {condition[0]}")
        if by_id[condition[1]].verdict not in wanted:
            return ""
    try:
        return filled(sentence[condition.end() if condition else 0 :], lambda id_, what: plain(claim_text(by_id, id_, what))) or ""
    except Missing:
        return ""


def whole_answer(group: ClaimFile) -> str:
    """With the folder that its figures are from, if it is not the one that is shown; empty where nothing answers."""
    text = answer_text(group)
    return text + (f" From {group.results}." if text and group.results else "")


def claim_text(by_id: Mapping[str, Claim], id_: str, what: str) -> str:
    """`what` is asked of the claim. Raises Missing where the figure was not measured."""
    claim, names = by_id.get(id_), what.split(".") if what else []
    if claim is None:
        raise InputError(f"an answer names no claim: {id_}")
    queries = [query.get("name", "") for query in claim.entry.get("query", [])]
    saying = names.pop() if names and names[-1] in SAYINGS and names not in ([each] for each in queries) else ""
    name = names.pop() if names else ""
    if names or name not in ("", *RESERVED_NAMES, *queries):
        raise InputError(f"an answer names no query of claim {claim.id}: {what}")
    if name == "verdict":
        return claim.verdict
    if name not in ("", *RESERVED_NAMES):
        if not (figures := claim.figures.get(name)):
            raise Missing
        return spread_words(figures, saying)
    if claim.shown is None:
        raise Missing
    shown = claim.shown.worst if name == "worst" else claim.shown.typical
    return figure_words(shown.figure, saying, "") if saying or not name else claim.shown.words(shown.figure)


def pair_verdicts(table: Table) -> Counter[str]:
    """How often each verdict was given about a pair; the measurement's own controls do not count."""
    found = [pair_verdict(table, pair) for pair in pairs(table, {}) if pair.case["variant"] not in CONTROLS]
    return Counter(each for each in found if each)


def tally(counter: Counter[str], order: Iterable[str]) -> str:
    """3 SAME, 1 UNCLEAR"""
    return ", ".join(f"{counter[name]} {name}" for name in order if counter[name]) or NONE


def claims_csv(groups: Iterable[ClaimFile], kept: Collection[str] | None = None) -> str:
    """`kept`: the experiments whose pages and figures are kept; None: all."""
    return csv_file.text(CLAIM_COLUMNS, (_record(claim, kept is None or claim.experiment in kept) for group in groups for claim in group.claims))


def _record(claim: Claim, has_page: bool) -> dict[str, object]:
    texts = ("id", "verdict", "experiment", "source", "claimed", "unit", "note", "kind")
    record: dict[str, object] = {name: getattr(claim, name) for name in texts}
    record |= {"range": claim.range_words, "since": _day(claim.entry["since"]), "fixed_on": moment(claim.fixed_on)}
    shown = claim.shown
    if shown is None:
        return record
    bounds = shown.query["reproduced"]
    record |= _ends("ours", shown.typical.figure) | _ends("worst", shown.worst.figure)
    return record | {
        "unit": shown.unit, "ours_words": claim.words, "range_lo": _cell(bounds.get("lo")), "range_hi": _cell(bounds.get("hi")),
        "cases": claim.cases, "cases_in": claim.count(IN), "cases_out": claim.count(OUT),
        "case": shown.typical.found.name, "worst_case": shown.worst.found.name,
        "boards": " ".join(claim.boards), "runs": claim.runs or "",
        "boards_differing": "; ".join(f"{board}: {other}" for board, other in claim.differing.items()),
        "newer_runs": "" if not claim.runs else "unknown" if claim.undated_runs == claim.runs else claim.newer_runs,
        "evidence": "; ".join(path for part in evidence(claim) if (path := markdown.result_path(part)) and (has_page or not markdown.is_generated(path))),
    }  # fmt: skip


def _ends(name: str, figure: Figure) -> dict[str, object]:
    return {name: _cell(figure.value), f"{name}_lo": _cell(figure.lo), f"{name}_hi": _cell(figure.hi)}


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"
