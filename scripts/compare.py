#!/usr/bin/env python3
"""Two result sets, case by case: another driver, another GPU, another commit against what was there before.

    scripts/compare.py A B                        what changed from A to B, on the terminal
    scripts/compare.py A B --markdown FILE        the same as a page; --csv FILE: a row a case; "-" is standard output
    scripts/compare.py A B --fail-on slower       exit 1 if anything became slower

A and B are directories as scripts/run.sh writes them. Cases are matched by their key. Each time's interval comes from the order
of its samples, at a confidence that allows for the number of comparisons: with 95 % in all, no interval of the whole table is
wrong (Bonferroni). A case is SAME when the interval of B/A lies within 1 % of 1, FASTER or SLOWER when all of it lies beyond,
else UNCLEAR. What two runs on one machine differ by is in those intervals only where a set has a rerun/.

Exit codes: 0 compared, 1 bad input or what --fail-on names, 2 usage.
"""

from __future__ import annotations

import argparse
import csv
import io
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from benchlib import files, markdown  # noqa: E402
from benchlib.comparison import BAND, FASTER, ONLY_A, ONLY_B, SAME, SLOWER, UNCLEAR, VERDICTS  # noqa: E402
from benchlib.comparison import Comparison, Row, compare, geometric_mean  # noqa: E402
from benchlib.markdown import NONE, escape, ratio_text, sig  # noqa: E402
from benchlib.results import API_NAMES, InputError  # noqa: E402
from benchlib.stats import Figure  # noqa: E402

CSV_COLUMNS = [
    "experiment", "case", "api", "verdict", "ratio", "ratio_lo", "ratio_hi", "a_ns", "b_ns", "cycles_ratio", "cycles_lo",
    "cycles_hi", "cycles_verdict", "a_mhz", "b_mhz", "code_changed", "note",
]  # fmt: skip
FAILURES = {
    "slower": ("became slower", lambda found: found.of(SLOWER)),
    "unclear": ("are unclear", lambda found: found.of(UNCLEAR)),
    "missing": ("have no time in B any more", lambda found: found.of(ONLY_A)),
    "code": ("run other code", lambda found: found.changed_code),
}
TITLES = {
    SLOWER: "Slower", FASTER: "Faster", UNCLEAR: "Unclear", ONLY_A: "Only in A", ONLY_B: "Only in B", SAME: "The same",
}  # fmt: skip
LISTED = 40  # rows of one verdict on the terminal


def plain(text: str) -> str:
    """Text from a file, for a terminal: no control characters."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def worst_first(rows: Sequence[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: -abs(row.ratio.value - 1) if row.ratio else 0)


def headline(found: Comparison) -> str:
    counts = found.count()
    parts = [f"{counts[name]} {name}" for name in VERDICTS if counts[name]]
    mean = geometric_mean(found.rows)
    text = f"{found.compared} cases compared: {', '.join(parts) or 'none'}"
    return text + (f". B/A over all of them, geometric mean: {mean:.4f}." if mean else ".")


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


def terminal(found: Comparison) -> str:
    lines = [f"A: {plain(str(found.a.directory))}", f"B: {plain(str(found.b.directory))}"]
    lines += [f"{what}: {plain(a) or NONE} -> {plain(b) or NONE}" for what, a, b in found.origins]
    lines += ["", headline(found)]
    if found.changed_code:
        lines.append(code_line(found) + ".")
    for name in (SLOWER, FASTER, UNCLEAR, ONLY_A, ONLY_B):
        rows = worst_first(found.of(name))
        if rows:
            lines += ["", f"{name} ({len(rows)})"]
            lines += [f"  {one_line(row)}" for row in rows[:LISTED]]
            if len(rows) > LISTED:
                lines.append(f"  and {len(rows) - LISTED} more: --markdown and --csv have all")
    return "\n".join(lines) + "\n"


def one_line(row: Row) -> str:
    name = f"{row.experiment} {row.name}"
    parts = [f"{API_NAMES[row.api]:<6} {plain(name)}"]
    if row.ratio:
        parts.append(f"B/A {ratio_text(row.ratio)}")
    if row.cycles_verdict:
        parts.append(f"in cycles {ratio_text(row.cycles)} {row.cycles_verdict}")
    return "  ".join([*parts, *([f"({plain('; '.join(row.notes))})"] if row.notes else [])])


# ------------------------------------------------------------------------------------------------------------- Markdown


def page(found: Comparison) -> str:
    a, b = (escape(found_.directory.name) for found_ in (found.a, found.b))
    parts = [f"# {a} against {b}", "Generated by scripts/compare.py. " + headline(found)]
    parts.append(
        "B/A of the times, with an interval from the samples' order whose confidence allows for the number of comparisons: 95 % "
        f"for all of them together. SAME: the interval lies within {BAND}; FASTER, SLOWER: beyond; UNCLEAR: anything else."
    )
    if found.origins:
        rows = [[what, escape(one) or NONE, escape(other) or NONE] for what, one, other in found.origins]
        parts.append(markdown.table(["what differs", f"A: {a}", f"B: {b}"], rows))
    if found.changed_code:
        parts.append(f"**Machine code.** {code_line(found)}.")
    clocks = any(row.cycles_verdict for row in found.rows)
    for name in (SLOWER, FASTER, UNCLEAR, ONLY_A, ONLY_B, SAME):
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


def csv_text(found: Comparison) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for row in found.rows:
        numbers = [*figure_cells(row.ratio), number(row.a_ns), number(row.b_ns), *figure_cells(row.cycles), row.cycles_verdict]
        texts = [harmless(text_) for text_ in (row.experiment, row.name)]
        clocks = [number(row.a_mhz), number(row.b_mhz), "1" if row.code_changed else "0"]
        writer.writerow([*texts, row.api, row.verdict, *numbers, *clocks, harmless("; ".join(row.notes))])
    return text.getvalue()


def figure_cells(figure: Figure | None) -> list[str]:
    return [number(end) for end in (figure.value, figure.lo, figure.hi)] if figure else [""] * 3


def number(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"


def harmless(text: str) -> str:
    """No spreadsheet takes it for a formula."""
    return f"'{text}" if text[:1] in tuple("=+-@\t\r") and text else text


# ----------------------------------------------------------------------------------------------------------------- main


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compares two directories of results, case by case.")
    parser.add_argument("a", type=Path, metavar="A", help="results as they were")
    parser.add_argument("b", type=Path, metavar="B", help="results as they are")
    parser.add_argument("--only", action="append", default=[], metavar="EXP", help="only this one, e.g. exp03 (repeatable)")
    parser.add_argument("--markdown", metavar="FILE", help="write the page of all cases")
    parser.add_argument("--csv", metavar="FILE", help="write a row a case")
    parser.add_argument("--fail-on", action="append", default=[], choices=FAILURES, help="exit 1 if there is one (repeatable)")
    options = parser.parse_args(arguments)
    if options.markdown == options.csv == "-":
        parser.error("only one of --markdown and --csv can go to standard output")
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse_arguments(arguments)
    try:
        found = compare(options.a, options.b, options.only)
        if not found.rows:
            raise InputError(f"neither {options.a} nor {options.b} has results of {', '.join(options.only)}")
        # Both texts first: a half that was written would look whole.
        outputs = [(name, text(found)) for name, text in ((options.markdown, page), (options.csv, csv_text)) if name]
        for name, text in outputs:
            if name == "-":
                sys.stdout.write(text)
            else:
                files.write_atomic(Path(name), text)
        if "-" not in (options.markdown, options.csv):
            sys.stdout.write(terminal(found))
    except (InputError, OSError) as error:
        print(f"compare.py: {error}", file=sys.stderr)
        return 1
    failed = False
    for name in dict.fromkeys(options.fail_on):
        what, choose = FAILURES[name]
        rows = choose(found)
        if rows:
            print(f"compare.py: {len(rows)} cases {what}", file=sys.stderr)
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
