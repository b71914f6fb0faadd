#!/usr/bin/env python3
"""Result sets, case by case: another driver, another GPU, another commit against what was there before.

    scripts/compare.py A B                        what changed from A to B, on the terminal
    scripts/compare.py A B --markdown FILE        the same as a page; --csv FILE: a row a case; "-" is standard output
    scripts/compare.py A B --fail-on slower       exit 1 if anything became slower
    scripts/compare.py A B C                      every other set's ratio to the first, in one table

The sets are directories as scripts/run.sh writes them. What became slower or faster is decided by groups: the cases of one program, API and class
(how they are measured), from all runs of A to all runs of B, and to each run of B. At most 5 % of what is called slower or faster is expected to be so by chance.
A single case cannot decide, because of thousands some always differ by chance; --markdown and --csv have all of them. On boards that both sets have, a board's runs
are compared with its own.

A case is SAME when the 95 % interval of B/A lies within 1 % of 1, FASTER or SLOWER when all of it lies beyond (FIXED COST instead where the launch explains it: without
what an empty launch takes more, the case would be SAME), else UNCLEAR; ONLY IN A or ONLY IN B when the other has no time of it, NO TIME when neither has.

Exit codes: 0 compared, 1 bad input or what --fail-on names, 2 usage, 130 interrupted.
"""

from benchlib.base import early  # noqa: F401  # first: see there

import argparse
import math
import statistics
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

from benchlib.base import console, csv_file, files
from benchlib.document import markdown
from benchlib.document.columns import WIDTH
from benchlib.fleet.comparison import BAND, COMPARED, FIXED_COST, NO_TIME, ONLY_A, ONLY_B, UNCLEAR
from benchlib.fleet.comparison import AGREE, CONTRADICT, conclusions
from benchlib.fleet.comparison import Comparison, ComparedCase, compare
from benchlib.fleet.groups import Group
from benchlib.model import analysis
from benchlib.model.analysis import Study
from benchlib.pages import beside, rules, summary
from benchlib.base.console import plain
from benchlib.stats.formats import NONE, ratio_text, sig
from benchlib.document.markdown import escape
from benchlib.results.results import API_NAMES, APIS, Results
from benchlib.stats.estimate import Effect
from benchlib.stats.stats import FASTER, MIN_RUNS, SAME, SLOWER, Figure

CSV_COLUMNS = [
    "experiment", "case", "api", "set", "verdict", "ratio", "ratio_lo", "ratio_hi", "a_ns", "b_ns", "cycles_ratio", "cycles_lo",
    "cycles_hi", "cycles_verdict", "a_mhz", "b_mhz", "code_changed", "note",
]  # fmt: skip
FAILURES = {
    "slower": ("group", "became slower", lambda found: found.changed(SLOWER)),
    "unclear": ("case", "with an unclear verdict", lambda found: found.of(UNCLEAR)),
    "missing": ("case", "without a time in {}", lambda found: found.of(ONLY_A)),
    "code": ("case", "with other code", lambda found: found.changed_code),
}
TITLES = {
    SLOWER: "Slower", FASTER: "Faster", FIXED_COST: "Other fixed costs", UNCLEAR: "Unclear", ONLY_A: "Only in A", ONLY_B: "Only in B",
    NO_TIME: "Without a time in either", SAME: "The same",
}  # fmt: skip
NOT_COMPARED = {ONLY_A: "only in A", ONLY_B: "only in B", NO_TIME: "in neither"}
SEVERAL_CELLS = {ONLY_A: "no time", ONLY_B: "no time in A", NO_TIME: "no time"}
NAME = "compare.py"
SCREEN = 20  # lines of the terminal
BUILT_BY = ("driver", "toolkit")
ROOT = Path(__file__).resolve().parent.parent  # the repository whose claims are asked


def change(row: ComparedCase) -> float:
    """How far B/A is from 1: half as long is as far as twice."""
    return abs(math.log(row.ratio.value)) if row.ratio else 0


def worst_first(rows: Sequence[ComparedCase]) -> list[ComparedCase]:
    return sorted(rows, key=lambda row: -change(row))


def letters(number: int) -> list[str]:
    """The sets' names: A, B, C, ...; after Z by number."""
    return [chr(ord("A") + at) if at < 26 else f"S{at + 1}" for at in range(number)]


def others(found: Sequence[Comparison]) -> list[tuple[str, Comparison]]:
    """The sets after the first, by name."""
    return list(zip(letters(len(found) + 1)[1:], found))


def headline(found: Comparison) -> str:
    """How many groups changed, and what has no time in one of the sets."""
    parts = [f"{counted(len(found.changed(side)), 'group')} {side}" for side in (SLOWER, FASTER)]
    return f"{', '.join(parts)}, of {len(found.groups)} with {counted(found.compared, 'case')}. {not_compared(found)}"


def not_compared(found: Comparison) -> str:
    counts = found.count()
    parts = [f"{counts[name]} {said}" for name, said in NOT_COMPARED.items() if counts[name]]
    every = sum(counts[name] for name in NOT_COMPARED)
    return f"Not compared: {counted(every, 'case')} (with a time {', '.join(parts)})." if parts else "Every case has a time in both."


def code_line(found: Comparison) -> str:
    """What the compilers and drivers now emit, by API."""
    parts = []
    for api, whose in (("cuda", "nvcc's build or the driver's compiler"), ("vulkan", "the driver")):
        cases = [row for row in found.changed_code if row.api == api]
        kernels = {(row.experiment, row.name.partition(" ")[0]) for row in cases}
        if cases:
            parts.append(f"{API_NAMES[api]}: {whose} now emits other code for {len(kernels)} variants ({len(cases)} cases)")
    return "; ".join(parts)


# ------------------------------------------------------------------------------------------------------------- terminal


def terminal(comparisons: Sequence[Comparison], root: Path = ROOT) -> str:
    """At most SCREEN lines: what the sets are, which groups became slower and faster, what could not be compared."""
    if len(comparisons) > 1:
        return terminal_of_several(comparisons)
    (found,) = comparisons
    before = [line for name, side in (("A", found.a), ("B", found.b)) for line in wrapped(name, side_line(side))] + wrapped("", same_line(found))
    after = [*wrapped("", unchanged_line(found)), *wrapped("", not_compared(found)), *wrapped("", single_line(found))]
    if found.changed_code:
        after += wrapped("", code_line(found) + ".")
    after += conclusion_lines(found, root)
    room = SCREEN - len(before) - len(after) - 2  # the titles
    slower, faster = (found.changed(side) for side in (SLOWER, FASTER))
    for_faster = min(len(faster), max(room // 2, room - len(slower)))
    return "\n".join([*before, *changed_lines(slower, SLOWER, room - for_faster), *changed_lines(faster, FASTER, for_faster), *after]) + "\n"


def changed_lines(changed: Sequence[Group], side: str, room: int) -> list[str]:
    """A title, and a line a group in so many lines."""
    if not changed:
        return [f"{side}: no group of cases"]
    shown = changed if len(changed) <= room else changed[: room - 1]
    texts = [(by_text(group.shown(side).change.effect), group_name(group), shown_runs(group, side)) for group in shown]
    rows = list(zip(*(padded(cells) for cells in zip(*texts)))) if texts else []
    more = [f"  and {len(changed) - len(shown)} more: see --markdown"] if len(shown) < len(changed) else []
    return [f"{side}: {counted(len(changed), 'group')} of cases", *(cut("  " + "  ".join(row).rstrip()) for row in rows), *more]


def by_text(effect: Effect) -> str:
    """By how much the times changed, with the 95 % interval: `+3.0 % [+2.8, +3.3]`."""
    value, lo, hi = (100 * math.expm1(each) for each in (effect.mean, effect.lo, effect.hi))
    return f"{value:+.1f} % [{lo:+.1f}, {hi:+.1f}]"


def group_name(group: Group) -> str:
    return f"{plain(group.name.experiment)}, {API_NAMES[group.name.api]}, {group.name.kind}: {counted(group.cases, 'case')}"


def shown_runs(group: Group, side: str) -> str:
    """Of which runs of B it is said, where not of all together."""
    shown = group.shown(side)
    if shown is group.whole:
        return ""
    those = [question for question in group.answers[side] if question is not group.whole]
    return f"in {len(those)} of {len(group.single)} runs" + (f": {short_run(shown.runs[0])}" if len(those) == 1 else "")


def short_run(folder: str) -> str:
    """Its board and number."""
    return plain("/".join(Path(folder).parts[-2:]))


def unchanged_line(found: Comparison) -> str:
    """In how many groups no change was found, and how large one could be."""
    widths = [group.whole.change.effect for group in found.unchanged]
    if not widths:
        return "No group without a change." if found.groups else "No group of cases has times in both."
    unseen = math.expm1(statistics.median(max(abs(effect.lo), abs(effect.hi)) for effect in widths))
    few = " More runs tell more: scripts/run.sh --runs 6." if min(len(side.runs) for side in (found.a, found.b)) < MIN_RUNS else ""
    return f"No change found in {counted(len(widths), 'group')}; half of them may have changed by {100 * unseen:.1f} %.{few}"


def single_line(found: Comparison) -> str:
    counts = found.count()
    parts = ", ".join(f"{counts[name]} {name}" for name in COMPARED if counts[name])
    return f"Single cases, of which some differ by chance: {parts or 'none'}; --markdown and --csv have all."


def cut(line: str) -> str:
    return line if len(line) <= WIDTH else line[: WIDTH - 4] + " ..."


def counted(number_: int, what: str) -> str:
    return f"{number_} {what}{'s' * (number_ != 1)}"


def side_line(side: Results) -> str:
    """What a set is, in one line: all of its boards and runs, and how many of these each program has."""
    boards = side.distinct("gpu_uuid")
    gpus, commits = side.distinct("gpu"), side.distinct("git_rev")
    named = commits[0] if len(commits) == 1 else counted(len(commits), "commit")
    of_program = sorted({len(table.runs) for table in side.tables.values()})
    each = f" ({of_program[0]} to {of_program[-1]} of a program)" if len(of_program) > 1 else ""
    text = f"{', '.join(gpus) or 'no GPU'}, {counted(len(boards), 'board')}, {counted(len(side.runs), 'run')}{each}, {named}  {side.directory}"
    return plain(f"{text}  {side.said_of_left_out}".rstrip())


def same_line(found: Comparison) -> str:
    """The driver and the toolkit: the same, or from what to what."""
    differing = {what: f"{what}: {plain(a) or NONE} -> {plain(b) or NONE}" for what, a, b in found.origins if what in BUILT_BY}
    same = [what for what in BUILT_BY if what not in differing]
    parts = [*differing.values(), *([f"{' and '.join(same)} the same"] if same else [])]
    return "; ".join(parts) + "."


def conclusion_lines(found: Comparison, root: Path) -> list[str]:
    """What the claims' verdicts and the rules say of both sets."""
    by_kind = conclusions(found.a, found.b, root)
    counts = ", ".join(f"{len(ids)} {kind}" for kind, ids in by_kind.items() if ids or kind in (AGREE, CONTRADICT))
    against = f" Contradict (A, B): {', '.join(by_kind[CONTRADICT])}." if by_kind[CONTRADICT] else ""
    lines = wrapped("", f"Of {sum(map(len, by_kind.values()))} claims: {counts}.{against}")
    held = [rules.verdicts(*side) for side in judged_sides(found, root).values()]
    if len(held) < 2:
        return lines
    differing = [f"{title} ({', '.join(each[title] for each in held)})" for title in held[0] if len({each[title] for each in held}) > 1]
    return lines + wrapped("", f"Rules (docs/RULES.md) that differ (A, B): {' '.join(differing)}" if differing else "Rules (docs/RULES.md): A and B agree on all.")


def judged_sides(found: Comparison, root: Path) -> dict[str, tuple[Study, summary.Summary]]:
    """The sets of which docs/ can say something, by their letter."""
    studies = {name: Study.of(side, analysis.load(root)) for name, side in (("A", found.a), ("B", found.b))}
    return {name: (study, said) for name, study in studies.items() if (said := summary.load(root, study))}


def means_table(found: Comparison) -> str:
    """A row a program: the geometric mean of its cases' B/A, and that of what Vulkan/CUDA changes by over its pairs."""
    by_program: dict[str, dict[str, dict[str, float]]] = {}  # case, API: B/A
    for row in found.rows:
        if row.ratio and row.ratio.value > 0:
            by_program.setdefault(row.experiment, {}).setdefault(row.name, {})[row.api] = row.ratio.value
    rows = []
    for name, cases in by_program.items():
        ratios = [[case[api] for case in cases.values() if api in case] for api in APIS]
        changes = [case["vulkan"] / case["cuda"] for case in cases.values() if len(case) == len(APIS)]
        change_ = f"{100 * (statistics.geometric_mean(changes) - 1):+.1f} %" if changes else NONE
        rows.append([escape(name), *(f"{statistics.geometric_mean(each):.3f}" if each else NONE for each in ratios), str(sum(map(len, ratios))), change_])
    return markdown.table(["program", *(f"B/A of {API_NAMES[api]}'s times:" for api in APIS), "cases:", "Vulkan/CUDA changes by:"], rows)


def padded(cells: Sequence[str]) -> list[str]:
    """All of one width, the figures at their beginnings with their ends in line: they have four decimals."""
    figures = [len(cell.partition(" ")[0]) if cell[:1].isdigit() else 0 for cell in cells]
    lined = [" " * (max(figures) - width) + cell if width else cell for width, cell in zip(figures, cells)]
    width = max(map(len, lined))
    return [cell.ljust(width) for cell in lined]


def wrapped(head: str, text: str) -> list[str]:
    """The text after the head, in two lines at most, the second below where it began."""
    start = f"{head}  " if head else ""
    indent = " " * (len(start) + 2)
    return textwrap.wrap(text, WIDTH, initial_indent=start, subsequent_indent=indent, break_on_hyphens=False, max_lines=2, placeholder=" ...")


# ----------------------------------------------------------------------------------------------------- several sets at once


def cases_of(comparisons: Sequence[Comparison]) -> list[list[ComparedCase | None]]:
    """A list a case: its row in each comparison. What changed most comes first."""
    by_key: dict[object, list[ComparedCase | None]] = {}
    for at, found in enumerate(comparisons):
        for row in found.rows:
            by_key.setdefault(row.key, [None] * len(comparisons))[at] = row
    return sorted(by_key.values(), key=lambda rows: -max(change(row) for row in rows if row))


def directories(comparisons: Sequence[Comparison]) -> list[tuple[str, Path]]:
    found = [comparisons[0].a, *(each.b for each in comparisons)]
    return [(name, each.directory) for name, each in zip(letters(len(found)), found)]


def short_cell(row: ComparedCase | None) -> str:
    if row is None:
        return NONE
    return SEVERAL_CELLS.get(row.verdict) or f"{row.ratio.value if row.ratio else 0:.4f} {row.verdict}"


def terminal_of_several(comparisons: Sequence[Comparison]) -> str:
    lines = [cut(f"{name}: {plain(str(directory))}") for name, directory in directories(comparisons)]
    for name, found in others(comparisons):
        lines += wrapped(name, headline(found))
    by_name = [{group.name: group for group in found.groups} for found in comparisons]
    names = list(dict.fromkeys(group.name for found in comparisons for side in (SLOWER, FASTER) for group in found.changed(side)))
    if names:
        room = max(SCREEN - len(lines) - 2, 3)
        shown = names if len(names) <= room else names[: room - 1]
        columns = [padded([f"{name}/A", *(group_cell(groups.get(one)) for one in shown)]) for groups, (name, _) in zip(by_name, others(comparisons))]
        titles = ["group", *(f"{plain(one.experiment)}, {API_NAMES[one.api]}, {one.kind}" for one in shown)]
        lines += ["", *(cut("  " + "  ".join(cells)) for cells in zip(*columns, titles))]
        lines += [f"  and {len(names) - len(shown)} more: see --markdown"] if len(shown) < len(names) else []
    return "\n".join(lines) + "\n"


def group_cell(group: Group | None) -> str:
    """What a set's column says of a group."""
    if group is None:
        return NONE
    side = next((side for side in (SLOWER, FASTER) if group.answers[side]), "")
    question = group.shown(side) if side else group.whole
    runs = f" {shown_runs(group, side).partition(':')[0]}" if side else ""
    return f"{math.exp(question.change.mean):.4f} {side}{runs}".rstrip()


def page_of_several(comparisons: Sequence[Comparison]) -> str:
    sets = [[name, escape(str(directory))] for name, directory in directories(comparisons)]
    parts = [f"# {len(sets)} result sets", "Generated by scripts/compare.py. " + METHOD]
    parts.append(markdown.table(["set", "directory"], sets))
    parts.append("\n".join(f"- {name}: {headline(found)}" for name, found in others(comparisons)))
    lines = []
    for rows in cases_of(comparisons):
        row = next(filter(None, rows))
        cells = [(ratio_text(each.ratio), each.verdict) if each and each.ratio else (NONE, short_cell(each)) for each in rows]
        lines.append([escape(row.experiment), escape(row.name), API_NAMES[row.api], *(text for pair in cells for text in pair)])
    heads = [head for name, _ in others(comparisons) for head in (f"{name}/A:", f"{name} is")]
    parts.append(markdown.table(["experiment", "case", "API", *heads], lines))
    return "\n\n".join(parts) + "\n"


# ------------------------------------------------------------------------------------------------------------- Markdown

METHOD = (
    "Ratios of the times, each with its 95 % interval: over the boards that both sets have it allows for what runs differ by, without such boards also for what "
    f"boards differ by. SAME: the interval lies within {BAND}; FASTER, SLOWER: beyond; FIXED COST: beyond, "
    "but without what an empty launch takes more it would be SAME; UNCLEAR: anything else."
)


def page(comparisons: Sequence[Comparison], root: Path = ROOT) -> str:
    if len(comparisons) > 1:
        return page_of_several(comparisons)
    (found,) = comparisons
    sides_table = kinds_table(found, root)
    a, b = (escape(found_.directory.name) for found_ in (found.a, found.b))
    parts = [f"# {a} against {b}", "Generated by scripts/compare.py. " + headline(found), METHOD]
    if found.origins:
        rows = [[what, escape(one) or NONE, escape(other) or NONE] for what, one, other in found.origins]
        parts.append(markdown.table(["what differs", f"A: {a}", f"B: {b}"], rows))
    if found.changed_code:
        parts.append(f"**Machine code.** {code_line(found)}.")
    parts += ["## Groups of cases", groups_table(found.groups), *[f"## {beside.TITLE}", sides_table] * bool(sides_table), "## Geometric means", means_table(found)]
    clocks = any(row.cycles_verdict for row in found.rows)
    for name in TITLES:
        rows = worst_first(found.of(name))
        if rows:
            parts += [f"## {TITLES[name]} ({len(rows)})", rows_table(rows, clocks)]
    return "\n\n".join(parts) + "\n"


def groups_table(found: Sequence[Group]) -> str:
    """All groups: by how much each changed, and what is decided of it."""
    rows = []
    for group in found:
        said = [f"{side}{' ' + runs if (runs := shown_runs(group, side)) else ''}" for side in (SLOWER, FASTER) if group.answers[side]]
        name = [escape(group.name.experiment), API_NAMES[group.name.api], group.name.kind]
        rows.append([*name, str(group.cases), ratio_text(group.whole.change.effect.figure(len(group.whole.runs))), escape(", ".join(said)) or NONE])
    return markdown.table(["program", "API", "class", "cases:", "B/A:", "B is"], rows)


def kinds_table(found: Comparison, root: Path) -> str:
    """Each kind of work in both sets and as published, over the pairs that all have; empty where nothing is compared."""
    rows = beside.columns_of(root, judged_sides(found, root))
    return markdown.table([rows[0][0], f"{rows[0][1]}:", *rows[0][2:]], [[escape(cell) for cell in row] for row in rows[1:]]) if rows else ""


def rows_table(rows: Sequence[ComparedCase], clocks: bool) -> str:
    header = ["experiment", "case", "API", "A µs:", "B µs:", "B/A:"]
    header += ["B/A in cycles:", "in cycles, B is"] if clocks else []
    lines = []
    for row in rows:
        times = [sig(ns / 1000) if ns else NONE for ns in (row.a_ns, row.b_ns)]
        cells = [escape(row.experiment), escape(row.name), API_NAMES[row.api], *times, ratio_text(row.ratio)]
        cells += [ratio_text(row.cycles), row.cycles_verdict or NONE] if clocks else []
        lines.append([*cells, escape("; ".join(row.notes)) or NONE])
    return markdown.table([*header, "note"], lines)


# ------------------------------------------------------------------------------------------------------------------ CSV


def csv_text(comparisons: Sequence[Comparison]) -> str:
    records = [CSV_COLUMNS]
    for letter, row in ((letter, row) for letter, found in others(comparisons) for row in found.rows):
        numbers = [*figure_cells(row.ratio), number(row.a_ns), number(row.b_ns), *figure_cells(row.cycles), row.cycles_verdict]
        texts = [harmless(text_) for text_ in (row.experiment, row.name)]
        clocks = [number(row.a_mhz), number(row.b_mhz), "1" if row.code_changed else "0"]
        records.append([*texts, row.api, letter, row.verdict, *numbers, *clocks, harmless("; ".join(row.notes))])
    return csv_file.text_of_lists(records)


def figure_cells(figure: Figure | None) -> list[str]:
    return [number(end) for end in (figure.value, figure.lo, figure.hi)] if figure else [""] * 3


def number(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"


def harmless(text: str) -> str:
    """No spreadsheet takes it for a formula."""
    return f"'{text}" if text[:1] in tuple("=+-@\t\r") and text else text


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    head, _, rest = (__doc__ or "").partition("\n")
    as_it_is = argparse.RawDescriptionHelpFormatter
    usage = "%(prog)s A B [C ...] [options]"
    parser = argparse.ArgumentParser(usage=usage, description=head, epilog=rest, formatter_class=as_it_is)
    add = parser.add_argument
    add("sets", nargs="+", type=Path, metavar="DIR", help="results as they were, then as they are")
    add("--only", action="append", default=[], metavar="NAME", help="only this experiment, e.g. exp03 (repeatable)")
    add("--markdown", metavar="FILE", help="write the page of all cases")
    add("--csv", metavar="FILE", help="write a row a case and set")
    add("--fail-on", action="append", default=[], choices=FAILURES, help="exit 1 if there is one (repeatable)")
    options = parser.parse_args(arguments)
    if len(options.sets) < 2:
        parser.error("it takes two sets at least")
    if options.markdown == options.csv == "-":
        parser.error("only one of --markdown and --csv can go to standard output")
    return options


def run(options: argparse.Namespace) -> int:
    found = compare(options.sets, options.only, analysis.untimed(analysis.load(ROOT)))
    # All texts first: a half that was written would look whole.
    outputs = [(name, text(found)) for name, text in ((options.markdown, page), (options.csv, csv_text)) if name]
    screen = "" if "-" in (options.markdown, options.csv) else terminal(found)
    for name, text in outputs:
        if name == "-":
            sys.stdout.reconfigure(encoding="utf-8")
            sys.stdout.write(text)
        else:
            files.write_atomic(Path(name), text)
    sys.stdout.write(screen)
    failed = False
    for name in dict.fromkeys(options.fail_on):
        what, said, choose = FAILURES[name]
        for letter, one in others(found):
            if those := choose(one):
                console.fail(NAME, f"{counted(len(those), what)} {said.format(letter)}")
                failed = True
    return console.FAILED if failed else 0


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse_arguments(arguments)
    return console.run_cli(NAME, lambda: run(options))


if __name__ == "__main__":
    sys.exit(main())
