#!/usr/bin/env python3
"""Why one API takes longer than the other.

    scripts/why.py                                        the pairs in which Vulkan is slower by the most, the accounts of the first three, and those
                                                          in which it is faster
    scripts/why.py exp04 inner_struct elements=256Mi      one pair: experiment, variant, and what else tells it from the others
    scripts/why.py exp04 inner_struct cold --dir results/nvidia-h200

Both times with their intervals, the counted traffic beside the prediction, what differs in the machine code, resident blocks, the
floor; what each known cause adds, by a rule of its own, and what is left: UNEXPLAINED where that is more than half of the gap. First what
the causes add over all decided pairs. In columns on a terminal, else in Markdown. All from the CSV files of one directory. Where several
pairs match, the plain one is meant; of several plain ones the account is the worst one's, and the others are listed.

Exit codes: 0 done, 1 bad input, 2 usage (no such pair), 77 there are no two times to compare, 130 interrupted.
"""

from benchlib.base import early  # noqa: F401  # first: see there

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from benchlib.base import console
from benchlib.document import columns, document, markdown
from benchlib.document.document import NONE
from benchlib.model import analysis, attribution
from benchlib.pages import why_tables
from benchlib.pages.worklog_files import REFERENCE
from benchlib.results import results
from benchlib.model.analysis import Study
from benchlib.model.attribution import Account, worst_first
from benchlib.base.console import UsageError
from benchlib.results.results import Table
from benchlib.model.pairs import Pair, pairs

NAME = "why.py"
SHOWN = 10  # pairs of the list
ACCOUNTS = 3  # of these, in full
SLOWER, FASTER = "Where Vulkan is slower by the most", "Where Vulkan is faster by the most"
SHOWN_SHARE = 0.005  # of the time lost
# What a parameter has in the plain row of a kernel.
PLAIN = ("", "none", "own", "default", "once")
SUFFIXES = {"": 1, "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30}


def conditions(words: Sequence[str]) -> dict[str, str]:
    """variant, column=value, cold or warm."""
    found: dict[str, str] = {}
    for word in words:
        column, equals, value = word.partition("=")
        if not equals:
            column, value = ("cache", word) if word in ("cold", "warm") else ("variant", word)
        if column in found:
            raise UsageError(f"{column} is there twice: {found[column]} and {value}")
        match = re.fullmatch(r"(\d{1,18})(Ki|Mi|Gi)", value)
        found[column] = str(int(match[1]) * SUFFIXES[match[2]]) if match else value
    return found


def matching(table: Table, wanted: dict[str, str]) -> list[Pair]:
    """Raises UsageError where there is none, with what there is."""
    columns = [column for column, _ in table.cases[0].cells] if table.cases else []
    for column in wanted:
        if column not in columns:
            raise UsageError(f"{table.name} has no column {column}; it has {', '.join(columns)}")
    where = {"checks": wanted["checks"]} if "checks" in wanted else {}
    found = [pair for pair in pairs(table, where) if all(pair.case[column] == value for column, value in wanted.items())]
    if not found:
        said = " ".join(f"{column}={value}" for column, value in wanted.items())
        there = {column: list(dict.fromkeys(case[column] for case in table.cases if _agrees(case, wanted, column))) for column in wanted}
        hint = next((f"{column} can be {', '.join(values[:12])}" for column, values in there.items() if values), "")
        raise UsageError(f"{table.name} has no pair with {said}" + (f"; {hint}" if hint else ""))
    return found


def _agrees(case: results.Case, wanted: dict[str, str], without: str) -> bool:
    return all(case[column] == value for column, value in wanted.items() if column != without)


def plainest(found: Sequence[Pair], wanted: dict[str, str]) -> list[Pair]:
    """Those with the most plain parameters among those that were not named."""

    def plain(pair: Pair) -> int:
        return sum(value in PLAIN for column, value in pair.case.cells if column not in wanted)

    most = max(map(plain, found))
    return [pair for pair in found if plain(pair) == most]


def listed(shown: Sequence[tuple[Table, Account]]) -> document.TableBlock:
    rows = [
        [
            table.name.partition("_")[0], document.ratio(one.ratio), why_tables.time_text(one.gap.value),
            why_tables.left_text(one) if not one.nothing_to_explain else NONE,
            why_tables.explained_by(one),
            one.pair.case.name(without=["api"]),
        ]
        for table, one in shown
    ]  # fmt: skip
    return document.table(["experiment", "Vulkan/CUDA [95 %]:", "gap:", "left", "explained by", "pair"], rows)


def shares(accounts: Sequence[Account]) -> document.Paragraph:
    """What makes Vulkan slower, over all decided pairs."""
    found = why_tables.lost_time(accounts)
    slower = sum(not one.nothing_to_explain and one.gap.value > 0 for one in accounts)
    if not found:
        return document.paragraph("In no pair is Vulkan slower for certain.")
    parts = ", ".join(f"{name} {100 * share:.0f} %" for name, share in found.items() if abs(share) >= SHOWN_SHARE or name == why_tables.UNEXPLAINED)
    return document.paragraph(f"What makes Vulkan slower, of the time lost in {slower} pairs (each gap as a share of CUDA's time): {parts}.")


def one_pair(study: Study, experiment: str, words: Sequence[str]) -> list[document.Block]:
    """Empty where no pair that matches has two times."""
    names = console.chosen(list(study.tables), [experiment])
    if len(names) > 1:
        raise UsageError(f"{experiment} is {', '.join(names)}: name one")
    table = study.tables[names[0]]
    wanted = conditions(words)
    chosen = plainest(matching(table, wanted), wanted)
    made = [one for pair in chosen if (one := attribution.account(study, table, pair))]
    if not made:
        return []
    worst, *others = sorted(made, key=worst_first)
    title = f"{table.name}: {worst.pair.case.name(without=['api'])}"
    blocks: list[document.Block] = [document.section(title, why_tables.full(study, table, worst))]
    if others:
        blocks.append(document.section("Others that match", [listed([(table, one) for one in others[:SHOWN]])]))
    return blocks


def worst_pairs(study: Study) -> list[document.Block]:
    every = [(table, one) for table in attribution.accounted(study) for one in study.memoized(attribution.accounts, table)]
    sure = sorted(((table, one) for table, one in every if not one.nothing_to_explain), key=lambda item: worst_first(item[1]))
    if not every:
        return []
    if not sure:
        return [document.paragraph("There is nothing to explain: no pair's times differ for certain.")]
    blocks: list[document.Block] = [shares([one for _, one in every])]
    slower = [(table, one) for table, one in sure if one.gap.value > 0]
    faster = [(table, one) for table, one in sure if one.gap.value < 0]
    for title, found in ((SLOWER, slower), (FASTER, faster)):
        if found:
            blocks.append(document.section(title, [listed(found[:SHOWN])]))
    for table, one in (slower or faster)[:ACCOUNTS]:
        title = f"{table.name}: {one.pair.case.name(without=['api'])}"
        blocks.append(document.section(title, why_tables.full(study, table, one)))
    return blocks


def source(study: Study, directory: Path) -> document.Paragraph:
    """Whose results these are."""
    gpus = study.distinct("gpu")
    return document.paragraph(f"{', '.join(gpus) or 'No GPU'}, {directory} (--dir for another folder). {study.said_of_left_out}".rstrip(". "))


def main(arguments: Sequence[str] | None = None) -> int:
    default_root = Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description="Why one API takes longer than the other: one pair, or the worst ones.")
    parser.add_argument("experiment", nargs="?", help="e.g. exp04; without any: where Vulkan is slower, and faster, by the most")
    parser.add_argument("words", nargs="*", metavar="VARIANT|COLUMN=VALUE", help="e.g. inner_struct elements=256Mi cold")
    parser.add_argument("--dir", type=Path, metavar="DIR", help=f"the results (default: {REFERENCE})")
    parser.add_argument("--root", type=Path, default=default_root, help="the repository whose analyses are used")
    options = parser.parse_args(arguments)
    return console.run_cli(NAME, lambda: run(options))


def run(options: argparse.Namespace) -> int:
    directory = options.dir or options.root / REFERENCE
    study = Study.of(results.load(directory), analysis.load(options.root))
    blocks = one_pair(study, options.experiment, options.words) if options.experiment else worst_pairs(study)
    if not blocks:
        console.fail(NAME, f"{directory}: no two times to compare")
        return console.SKIPPED
    print(columns.render([source(study, directory), *blocks]) if sys.stdout.isatty() else markdown.render([source(study, directory), *blocks]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
