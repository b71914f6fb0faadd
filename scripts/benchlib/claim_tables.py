"""The claims as tables: one experiment's with their notes, the answers of all, claims.csv."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from benchlib import document
from benchlib.claims import VERDICTS, Claim, ClaimFile
from benchlib.document import NONE, Block, Blocks, Bullets, Cell, FileLink, Inline, Strong, Verdict, paragraph
from benchlib.formats import figure_text
from benchlib.results import InputError, Results, Table
from benchlib.stats import verdict
from benchlib.tables import CONTROLS, pair_ratio, pairs

PAIR_VERDICTS = ("SAME", "FASTER", "SLOWER", "UNCLEAR")
CLAIM_COLUMNS = ["id", "verdict", "experiment", "source", "ours", "ours_lo", "ours_hi", "claimed", "unit", "note"]


def claims_table(group: ClaimFile) -> Blocks:
    """The claims with their verdicts, and a note for each."""
    header = ["id", "claim", "claimed", "ours [95 %]:", "unit", "verdict"]
    rows: list[list[Cell]] = []
    notes: list[tuple[Inline, ...]] = []
    for claim in group.claims:
        ours = document.interval(claim.worst.figure if claim.worst else None)
        unit = claim.worst.unit if claim.worst else claim.unit
        rows.append([claim.id, claim.text, claim.claimed, ours, unit, Verdict(claim.verdict)])
        device = f" (device: {claim.device})" if claim.device else ""
        notes.append((Strong(claim.id), f" Source: {claim.source}{device}. Theory: {claim.theory} {claim.note}"))
    where = [paragraph(f"From {group.results}.")] if group.results else []
    return [*where, document.table(header, rows), Bullets(tuple(notes))]


def claims_tables(name: str, groups: Sequence[ClaimFile]) -> Blocks | None:
    """The claims of one experiment (exp05 or exp06_litmus), or of all programs with its number (exp06); None for another name."""
    chosen = [group for group in groups if name in (group.experiment, group.experiment.partition("_")[0])]
    if len(chosen) < 2:
        return claims_table(chosen[0]) if chosen else None
    return [block for group in chosen for block in (document.heading(group.experiment), *claims_table(group))]


def answers(found: Results, groups: Sequence[ClaimFile]) -> Block:
    """One row an experiment: its question, its answer in figures, and how the pairs and the claims came out."""
    header = ["experiment", "question", "answer", "Vulkan against CUDA, pairs", "claims"]
    rows: list[list[Cell]] = []
    for group in groups:
        table = found.tables.get(group.experiment)
        answer = answer_text(group) + (f" From {group.results}." if group.results else "")
        rows.append([readme_link(group), group.question, answer, pair_counts(table), claim_counts(group)])
    return document.table(header, rows)


def experiments(groups: Sequence[ClaimFile]) -> Block:
    """One row an experiment, with what it asks."""
    return document.table(["experiment", "question"], ([readme_link(group), group.question] for group in groups))


def readme_link(group: ClaimFile) -> FileLink:
    return FileLink(group.experiment, f"{group.folder}/README.md")


def answer_text(group: ClaimFile) -> str:
    """The experiment's answer with its figures filled in."""
    by_id = {claim.id: claim for claim in group.claims}
    return re.sub(r"\{(\d\d\.\d+)(?:\.([a-z0-9_]+))?\}", lambda match: claim_text(by_id, match), group.answer)


def claim_text(by_id: dict[str, Claim], match: re.Match[str]) -> str:
    claim = by_id.get(match[1])
    if claim is None:
        raise InputError(f"an answer names no claim: {match[1]}")
    if match[2] == "verdict":
        return claim.verdict
    if match[2]:
        if match[2] not in [query.get("name") for query in claim.entry.get("query", [])]:
            raise InputError(f"an answer names no query of claim {claim.id}: {match[2]}")
        return claim.figures.get(match[2], "(not tested)")
    return figure_text(claim.worst.figure) if claim.worst else "(not tested)"


def pair_verdicts(table: Table) -> Counter[str]:
    """How often each verdict was given about a pair; the measurement's own controls do not count."""
    figures = [pair_ratio(table, pair) for pair in pairs(table, {}) if pair.case["variant"] not in CONTROLS]
    return Counter(verdict(figure) for figure in figures if figure)


def pair_counts(table: Table | None) -> str:
    return NONE if table is None else tally(pair_verdicts(table), PAIR_VERDICTS)


def claim_counts(group: ClaimFile) -> str:
    return tally(Counter(claim.verdict for claim in group.claims), VERDICTS)


def tally(counter: Counter[str], order: Iterable[str]) -> str:
    """3 SAME, 1 UNCLEAR"""
    return ", ".join(f"{counter[name]} {name}" for name in order if counter[name]) or NONE


def claims_csv(groups: Iterable[ClaimFile]) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(CLAIM_COLUMNS)
    for claim in (claim for group in groups for claim in group.claims):
        ours, unit = ["", "", ""], claim.unit
        if claim.worst:
            figure, unit = claim.worst.figure, claim.worst.unit
            ours = ["" if value is None else f"{value:.6g}" for value in (figure.value, figure.lo, figure.hi)]
        row = [claim.id, claim.verdict, claim.experiment, claim.source, *ours, claim.claimed, unit, claim.note]
        writer.writerow(row)
    return text.getvalue()
