"""The claims as tables: one experiment's with their notes, the answers of all, claims.csv."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from benchlib import markdown
from benchlib.claims import VERDICTS, Claim, ClaimFile
from benchlib.markdown import NONE, escape
from benchlib.results import InputError, Results, Table
from benchlib.stats import verdict
from benchlib.tables import pair_ratio, pairs

CLAIM_COLUMNS = ["id", "verdict", "experiment", "source", "ours", "ours_lo", "ours_hi", "claimed", "unit", "note"]
CONTROLS = ["stamp_pair", "aa_control_a", "aa_control_b"]  # about the measurement, not about the APIs


def claims_table(group: ClaimFile) -> str:
    """The claims with their verdicts, and a note for each."""
    header = ["id", "claim", "claimed", "ours [95 %]:", "unit", "verdict"]
    rows = []
    for claim in group.claims:
        ours = markdown.figure_text(claim.worst.figure) if claim.worst else NONE
        unit = claim.worst.unit if claim.worst else claim.unit
        rows.append([claim.id, escape(claim.text), escape(claim.claimed), ours, escape(unit), claim.verdict])
    notes = []
    for claim in group.claims:
        device = f" (device: {claim.device})" if claim.device else ""
        source = f"Source: {claim.source}{device}. Theory: {claim.theory}"
        notes.append(f"- **{claim.id}** {escape(source)} {escape(claim.note)}")
    where = f"From {group.results}.\n\n" if group.results else ""
    return f"{where}{markdown.table(header, rows)}\n\n" + "\n".join(notes)


def claims_tables(name: str, groups: Sequence[ClaimFile]) -> str | None:
    """The claims of one experiment (exp05 or exp06_litmus), or of all programs with its number (exp06)."""
    chosen = [group for group in groups if name in (group.experiment, group.experiment.partition("_")[0])]
    if len(chosen) < 2:
        return claims_table(chosen[0]) if chosen else None
    return "\n\n".join(f"**{escape(group.experiment)}**\n\n{claims_table(group)}" for group in chosen)


def answers(found: Results, groups: Sequence[ClaimFile]) -> str:
    """One row an experiment: its question, its answer in figures, and how the pairs and the claims came out."""
    header = ["experiment", "question", "answer", "Vulkan against CUDA, pairs", "claims"]
    rows = []
    for group in groups:
        table = found.tables.get(group.experiment)
        link = f"[{group.experiment}]({group.folder}/README.md)"
        answer = answer_text(group) + (f" From {group.results}." if group.results else "")
        rows.append([link, escape(group.question), escape(answer), pair_counts(table), claim_counts(group)])
    return markdown.table(header, rows)


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
    return markdown.figure_text(claim.worst.figure) if claim.worst else "(not tested)"


def pair_counts(table: Table | None) -> str:
    if table is None:
        return NONE
    figures = [pair_ratio(table, pair) for pair in pairs(table, {}) if pair.case["variant"] not in CONTROLS]
    verdicts = Counter(verdict(figure) for figure in figures if figure)
    return counted(verdicts, ("SAME", "FASTER", "SLOWER", "UNCLEAR"))


def claim_counts(group: ClaimFile) -> str:
    return counted(Counter(claim.verdict for claim in group.claims), VERDICTS)


def counted(counter: Counter[str], order: Iterable[str]) -> str:
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
