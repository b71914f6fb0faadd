#!/usr/bin/env python3
"""Many GPUs of one kind: which of them stands out, and whether a node may join.

    scripts/fleet.py DIR...                     every case over all boards of the result sets (results/<gpu>, as scripts/fleet.sh and run.sh
                                                write them); writes fleet.csv and fleet.md into the first DIR, or into --out
    scripts/fleet.py --gate BASELINE DIR...     PASS or FAIL of each board in DIR (a run of --quick, say) against the result set BASELINE

Boards are compared case by case where they are of one model and driver and run the same machine code; others are grouped, said, and
never averaged. A group that is slower than all others in some cases and faster in others is a second population of that model: its boards
are compared with each other. Four boards are needed to say which one is odd. What differs for certain (1 fleet of equal boards in 100 has
any such case) by 1 % or more stands out; less is listed. --gate fails a board that is slower, and names what is faster.

Exit codes: 0 no board stands out (--gate: all pass), 1 one does or fails, or something is wrong, 2 usage, 130 interrupted.
"""

from benchlib.base import early  # noqa: F401  # first: see there

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchlib.base import console, csv_file, files
from benchlib.document import document, markdown
from benchlib.fleet import fleet, fleet_gate
from benchlib.model import analysis
from benchlib.pages import fleet_page
from benchlib.base.console import plain
from benchlib.fleet.fleet import Fleet, FleetFindings

NAME = "fleet.py"
TERMINAL_LISTED = 20  # findings of a board on the terminal
ROOT = Path(__file__).resolve().parent.parent


def load(directories: Sequence[Path]) -> Fleet:
    return fleet.load(directories, analysis.load(ROOT))


# ----------------------------------------------------------------------------------------------------------------- compare


def terminal(found: Fleet, judged: FleetFindings) -> list[str]:
    runs = sum(len(board.runs) for board in found.boards.values())
    lines = [f"{fleet_page.number(found.boards)}, {runs} runs, {len(found.entries)} cases, {judged.cases} of them compared"]
    lines += [text for text, _ in fleet_page.populations_said(judged.separated, judged.cases)]
    for board, verdict in fleet_page.verdicts(found, judged).items():
        lines.append(f"{board}  {verdict}")
        findings = sorted(judged.of(board), key=lambda each: (not each.stands_out, bool(each.case), -abs(each.score.deviation)))
        lines += [f"  {'' if each.stands_out else '(below 1 %) '}{fleet_gate.sentence(each)}" for each in findings[:TERMINAL_LISTED]]
        if len(findings) > TERMINAL_LISTED:
            lines.append(f"  and {len(findings) - TERMINAL_LISTED} more: fleet.csv has all")
        lines += [f"  {text}" for text in found.boards[board].problems]
    for block in fleet_page.comparability(found):
        assert isinstance(block, document.Bullets)
        lines += ["".join(part for part in item if isinstance(part, str)) for item in block.items]
    return [plain(line) for line in [*lines, *found.problems]]


def compare(options: argparse.Namespace) -> int:
    found = load(options.directories)
    judged = fleet.judge(found.entries.values())
    print("\n".join(terminal(found, judged)))
    out = options.out or options.directories[0]
    out.mkdir(parents=True, exist_ok=True)
    page = markdown.render([document.section("Boards", fleet_page.blocks(found, judged))])
    table = csv_file.text_of_lists([fleet_page.CSV_COLUMNS, *fleet_page.csv_rows(found, judged)])
    for path, text in ((out / "fleet.csv", table), (out / "fleet.md", page + "\n")):
        files.write_atomic(path, text)
        print(f"wrote {path}")
    bad = {fleet_page.STANDS_OUT, fleet_page.WRONG} & set(fleet_page.verdicts(found, judged).values())
    return 1 if bad or found.problems else 0


# -------------------------------------------------------------------------------------------------------------------- gate


def gate(options: argparse.Namespace) -> int:
    baseline, node = load([options.gate]), load(options.directories)
    passed = not node.problems
    for text in node.problems:
        print(plain(text))
    experiments = sorted({name for each in baseline.boards.values() for name in each.experiments})
    wanted = set(console.chosen(experiments, options.only))
    for board in sorted(node.boards):
        verdict = fleet_gate.check(baseline, node, board, lambda name: name in wanted)
        passed &= verdict.passed
        print(f"{'PASS' if verdict.passed else 'FAIL'} {plain(board)}: {verdict.compared} of {verdict.measured} cases compared")
        for text in verdict.failures:
            print(f"  {plain(text)}")
        for text in verdict.notes:
            print(f"  (no failure) {plain(text)}")
    return 0 if passed else 1


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Which of many GPUs stands out, and whether a node may join.")
    parser.add_argument("directories", nargs="+", type=Path, metavar="DIR", help="a result set: results/<gpu>")
    parser.add_argument("--gate", type=Path, metavar="BASELINE", help="the result set that each board in DIR must be like")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="--gate: only this experiment, e.g. exp03 (repeatable)")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where fleet.csv and fleet.md go (default: the first DIR)")
    options = parser.parse_args(arguments)
    if options.gate and options.out:
        parser.error("--gate writes nothing: --out is of no use")
    if options.only and not options.gate:
        parser.error("--only is for --gate")
    return console.run_cli(NAME, lambda: gate(options) if options.gate else compare(options))


if __name__ == "__main__":
    sys.exit(main())
