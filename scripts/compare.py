#!/usr/bin/env python3
"""Result sets, case by case: another driver, another GPU, another commit against what was there before.

    scripts/compare.py A B                        what changed from A to B, on the terminal
    scripts/compare.py A B --markdown FILE        the same as a page; --csv FILE: a row a case; "-" is standard output
    scripts/compare.py A B --fail-on slower       exit 1 if anything became slower
    scripts/compare.py A B C                      every other set's ratio to the first, in one table

The sets are directories as scripts/run.sh writes them. Cases are matched by their key. Runs on boards that both sets have are
compared on each board, and the interval of B/A allows for what runs differ by; without a board in common also for what boards differ by. Of few
runs both are those of the case's class in the committed sets. A case is SAME when the interval lies within 1 % of 1, FASTER or SLOWER when all of it lies beyond
(FIXED COST instead where the launch explains it: without what an empty launch takes more, the case would be SAME), else UNCLEAR;
ONLY IN A or ONLY IN B when the other has no time of it, NO TIME when neither has.

Exit codes: 0 compared, 1 bad input or what --fail-on names, 2 usage, 130 interrupted.
"""

from benchlib.base import early  # noqa: F401  # first: see there

import argparse
import math
import sys
import textwrap
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchlib.base import console, csv_file, files
from benchlib.document import markdown
from benchlib.fleet.comparison import ALONE, BAND, COMPARED, FIXED_COST, NO_TIME, ONLY_A, ONLY_B, UNCLEAR
from benchlib.fleet.comparison import AGREE, CONTRADICT, conclusions, means
from benchlib.fleet.comparison import Comparison, Row, compare, geometric_mean
from benchlib.model import analysis
from benchlib.model.analysis import Study
from benchlib.pages import beside, rules, state, summary
from benchlib.base.console import plain
from benchlib.stats.formats import NONE, ratio_text, sig
from benchlib.document.markdown import escape
from benchlib.results.results import API_NAMES, APIS, Results
from benchlib.stats.stats import FASTER, MIN_RUNS, SAME, SLOWER, Figure

CSV_COLUMNS = [
    "experiment", "case", "api", "set", "verdict", "ratio", "ratio_lo", "ratio_hi", "a_ns", "b_ns", "cycles_ratio", "cycles_lo",
    "cycles_hi", "cycles_verdict", "a_mhz", "b_mhz", "code_changed", "note",
]  # fmt: skip
FAILURES = {
    "slower": ("became slower", lambda found: found.of(SLOWER)),
    "unclear": ("are unclear", lambda found: found.of(UNCLEAR)),
    "missing": ("have no time in {} any more", lambda found: found.of(ONLY_A)),
    "code": ("run other code", lambda found: found.changed_code),
}
TITLES = {
    SLOWER: "Slower", FASTER: "Faster", FIXED_COST: "Of other fixed costs", UNCLEAR: "Unclear", ONLY_A: "Only in A", ONLY_B: "Only in B",
    NO_TIME: "Without a time in either", SAME: "The same",
}  # fmt: skip
SEVERAL_CELLS = {ONLY_A: "no time", ONLY_B: "no time in A", NO_TIME: "no time"}
NAME = "compare.py"
LISTED, LISTED_UNCLEAR, LISTED_REASONS = 40, 10, 5  # rows of one verdict on the terminal; reasons
BUILT_BY = ("driver", "toolkit")
ROOT = Path(__file__).resolve().parent.parent  # the repository whose claims are asked
WIDTH = 120  # columns of the terminal


def change(row: Row) -> float:
    """How far B/A is from 1: half as long is as far as twice."""
    return abs(math.log(row.ratio.value)) if row.ratio else 0


def worst_first(rows: Sequence[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: -change(row))


def letters(number: int) -> list[str]:
    """The sets' names: A, B, C, ...; after Z by number."""
    return [chr(ord("A") + at) if at < 26 else f"S{at + 1}" for at in range(number)]


def others(found: Sequence[Comparison]) -> list[tuple[str, Comparison]]:
    """The sets after the first, by name."""
    return list(zip(letters(len(found) + 1)[1:], found))


def headline(found: Comparison, letter: str = "B") -> str:
    counts = found.count()
    parts, alone = ([f"{counts[name]} {name}" for name in names if counts[name]] for names in (COMPARED, ALONE))
    mean = geometric_mean(found.rows)
    text = f"{found.compared} cases compared: {', '.join(parts) or 'none'}" + (f"; beside them {', '.join(alone)}" if alone else "")
    return text + (f". {letter}/A over all of them, geometric mean: {mean:.4f}." if mean else ".")


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
    if len(comparisons) > 1:
        return terminal_of_several(comparisons)
    (found,) = comparisons
    lines = [line for name, side in (("A", found.a), ("B", found.b)) for line in wrapped(name, side_line(side))]
    lines += wrapped("", same_line(found))
    lines += too_few_lines(found, root)
    lines += [*conclusion_lines(found, root), *means_lines(found), *beside_lines(found, root), "", *wrapped("", headline(found))]
    if found.changed_code:
        lines += wrapped("", code_line(found) + ".")
    for name in (SLOWER, FASTER, FIXED_COST, UNCLEAR, ONLY_A, ONLY_B):
        rows = worst_first(found.of(name))
        if rows:
            shared = [note for note in rows[0].notes if all(note in row.notes for row in rows)]
            head = f"{name} ({len(rows)})" + (f", all: {plain('; '.join(shared))}" if shared else "")
            most = LISTED_UNCLEAR if name == UNCLEAR else LISTED
            lines += ["", *wrapped("", head), *listed(rows[:most], shared)]
            if len(rows) > most:
                lines.append(f"  and {len(rows) - most} more: --markdown and --csv have all")
    if reasons := Counter("; ".join(row.notes) for row in found.of(NO_TIME)):
        lines += ["", f"{NO_TIME} ({reasons.total()}), by reason"]
        lines += [line for reason, count in reasons.most_common(LISTED_REASONS) for line in wrapped(f"  {count:4}", plain(reason) or NONE)]
        if len(reasons) > LISTED_REASONS:
            lines.append(f"  and {len(reasons) - LISTED_REASONS} more reasons: --markdown and --csv have all")
    return "\n".join(lines) + "\n"


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


def too_few_lines(found: Comparison, root: Path) -> list[str]:
    """What is missing, once."""
    lines = []
    for name, side in (("A", found.a), ("B", found.b)):
        its_state = state.of(Study.of(side, analysis.load(root)))
        if its_state.few and not its_state.software:
            few = sum(map(len, its_state.few.values()))
            which = "of each program" if few == len(its_state.runs) else f"of {counted(few, 'program')}"
            lines += wrapped(name, f"Fewer than {MIN_RUNS} runs, {which}; what runs differ by is taken from the committed sets: {its_state.next_command}")
    return lines


def beside_lines(found: Comparison, root: Path) -> list[str]:
    """Each kind of work in both sets and as published, and the rules on which the two sets differ."""
    studies = {name: Study.of(side, analysis.load(root)) for name, side in (("A", found.a), ("B", found.b))}
    loaded = {name: (study, said) for name, study in studies.items() if (said := summary.load(root, study))}
    if not (table := beside.screen_table(root, loaded)):
        return []
    held = [rules.verdicts(*side) for side in loaded.values()]
    differing = [f"{title} ({', '.join(each[title] for each in held)})" for title in held[0] if len({each[title] for each in held}) > 1]
    text = f"other in A and in B: {' '.join(differing)}" if differing else "A and B agree on all"
    return ["", *table, *wrapped("", f"Rules (README.md): {text}")]


def conclusion_lines(found: Comparison, root: Path) -> list[str]:
    """What the claims' verdicts say of both sets."""
    by_kind = conclusions(found.a, found.b, root)
    counts = ", ".join(f"{len(ids)} {kind}" for kind, ids in by_kind.items() if ids or kind in (AGREE, CONTRADICT))
    against = f" Contradict (A, B): {', '.join(by_kind[CONTRADICT])}." if by_kind[CONTRADICT] else ""
    return wrapped("", f"Conclusions, of {sum(map(len, by_kind.values()))} claims: {counts}.{against}")


MEANS_NAME = 34  # columns of the experiment


def means_lines(found: Comparison) -> list[str]:
    """A line an experiment, whose programs are taken together."""
    programs: dict[str, set[str]] = {}  # by the experiment's number
    for row in found.rows:
        programs.setdefault(row.experiment.partition("_")[0], set()).add(row.experiment)

    def name_of(program: str) -> str:
        number = program.partition("_")[0]
        return program if len(programs[number]) == 1 else number

    lines = [f"{'B/A of the times, geometric mean':<{MEANS_NAME}}{'CUDA':>8}{'Vulkan':>8}{'cases':>7}   Vulkan/CUDA changes by"]
    for mean in means(found.rows, name_of):
        cells = [f"{mean.by_api[api]:8.3f}" if api in mean.by_api else f"{NONE:>8}" for api in APIS]
        name = mean.name if mean.programs == 1 else f"{mean.name}, {mean.programs} programs"
        lines.append(f"  {plain(name):<{MEANS_NAME - 2}}{''.join(cells)}{mean.cases:7}   {change_text(mean.change)}")
    return lines


def change_text(factor: float | None) -> str:
    return NONE if factor is None else f"{100 * (factor - 1):+.1f} %"


def means_table(found: Comparison) -> str:
    """A row a program."""
    rows = [
        [escape(mean.name), *(f"{mean.by_api[api]:.3f}" if api in mean.by_api else NONE for api in APIS), str(mean.cases), change_text(mean.change)]
        for mean in means(found.rows)
    ]
    return markdown.table(["program", *(f"B/A of {API_NAMES[api]}'s times:" for api in APIS), "cases:", "Vulkan/CUDA changes by:"], rows)


def listed(rows: Sequence[Row], shared: Sequence[str]) -> list[str]:
    """The figures in columns, then the case, and what is to be said of it that is not so of all."""
    ratios = [ratio_text(row.ratio) if row.ratio else "" for row in rows]
    cycles = [f"in cycles {ratio_text(row.cycles)} {row.cycles_verdict}" if row.cycles_verdict else "" for row in rows]
    lines = []
    for row, *figures in zip(rows, padded(ratios), padded(cycles)):
        notes = [note for note in row.notes if note not in shared]
        text = f"{row.experiment} {row.name}" + (f" ({'; '.join(notes)})" if notes else "")
        lines += wrapped("".join(f"  {cell}" for cell in [*figures, f"{API_NAMES[row.api]:<6}"] if cell), plain(text))
    return lines


def padded(cells: Sequence[str]) -> list[str]:
    """All of one width, the figures at their beginnings with their ends in line: they have four decimals."""
    figures = [len(cell.partition(" ")[0]) if cell[:1].isdigit() else 0 for cell in cells]
    lined = [" " * (max(figures) - width) + cell if width else cell for width, cell in zip(figures, cells)]
    width = max(map(len, lined))
    return [cell.ljust(width) for cell in lined]


def wrapped(head: str, text: str) -> list[str]:
    """The text after the head, its further lines below where it began."""
    start = f"{head}  " if head else ""
    return textwrap.wrap(text, WIDTH, initial_indent=start, subsequent_indent=" " * (len(start) + 2), break_on_hyphens=False)


# ----------------------------------------------------------------------------------------------------- several sets at once


def cases_of(comparisons: Sequence[Comparison]) -> list[list[Row | None]]:
    """A list a case: its row in each comparison. What changed most comes first."""
    by_key: dict[object, list[Row | None]] = {}
    for at, found in enumerate(comparisons):
        for row in found.rows:
            by_key.setdefault(row.key, [None] * len(comparisons))[at] = row
    return sorted(by_key.values(), key=lambda rows: -max(change(row) for row in rows if row))


def directories(comparisons: Sequence[Comparison]) -> list[tuple[str, Path]]:
    found = [comparisons[0].a, *(each.b for each in comparisons)]
    return [(name, each.directory) for name, each in zip(letters(len(found)), found)]


def short_cell(row: Row | None) -> str:
    if row is None:
        return NONE
    return SEVERAL_CELLS.get(row.verdict) or f"{row.ratio.value if row.ratio else 0:.4f} {row.verdict}"


def terminal_of_several(comparisons: Sequence[Comparison]) -> str:
    lines = [f"{name}: {plain(str(directory))}" for name, directory in directories(comparisons)]
    lines.append("")
    for name, found in others(comparisons):
        lines += wrapped("", f"{name}: {headline(found, name)}")
    cases = [rows for rows in cases_of(comparisons) if any(row and row.verdict not in (SAME, NO_TIME) for row in rows)]
    if cases:
        columns = [
            padded([f"{name}/A", *(short_cell(rows[at]) for rows in cases[:LISTED])])
            for at, (name, _) in enumerate(others(comparisons))
        ]
        lines += ["", "".join(f"  {column[0]}" for column in columns) + "  API     case"]
        for at, rows in enumerate(cases[:LISTED], start=1):
            row = next(filter(None, rows))
            head = "".join(f"  {column[at]}" for column in columns) + f"  {API_NAMES[row.api]:<6}"
            lines += wrapped(head, plain(f"{row.experiment} {row.name}"))
        if len(cases) > LISTED:
            lines.append(f"  and {len(cases) - LISTED} more: --markdown and --csv have all")
    return "\n".join(lines) + "\n"


def page_of_several(comparisons: Sequence[Comparison]) -> str:
    sets = [[name, escape(str(directory))] for name, directory in directories(comparisons)]
    parts = [f"# {len(sets)} result sets", "Generated by scripts/compare.py. " + METHOD]
    parts.append(markdown.table(["set", "directory"], sets))
    parts.append("\n".join(f"- {name}: {headline(found, name)}" for name, found in others(comparisons)))
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


def page(comparisons: Sequence[Comparison]) -> str:
    if len(comparisons) > 1:
        return page_of_several(comparisons)
    (found,) = comparisons
    a, b = (escape(found_.directory.name) for found_ in (found.a, found.b))
    parts = [f"# {a} against {b}", "Generated by scripts/compare.py. " + headline(found), METHOD]
    if found.origins:
        rows = [[what, escape(one) or NONE, escape(other) or NONE] for what, one, other in found.origins]
        parts.append(markdown.table(["what differs", f"A: {a}", f"B: {b}"], rows))
    if found.changed_code:
        parts.append(f"**Machine code.** {code_line(found)}.")
    parts += ["## Geometric means", means_table(found)]
    clocks = any(row.cycles_verdict for row in found.rows)
    for name in TITLES:
        rows = worst_first(found.of(name))
        if rows:
            parts += [f"## {TITLES[name]} ({len(rows)})", rows_table(rows, clocks)]
    return "\n\n".join(parts) + "\n"


def rows_table(rows: Sequence[Row], clocks: bool) -> str:
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
        what, choose = FAILURES[name]
        for letter, one in others(found):
            rows = choose(one)
            if rows:
                console.fail(NAME, f"{len(rows)} cases {what.format(letter)}")
                failed = True
    return console.FAILED if failed else 0


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse_arguments(arguments)
    return console.run_cli(NAME, lambda: run(options))


if __name__ == "__main__":
    sys.exit(main())
