#!/usr/bin/env python3
"""Results to worklog: tables, verdicts on the claims, and the READMEs' tables, all from the CSV files of one directory.

    scripts/worklog.py [DIR]            writes DIR/worklog.md, DIR/claims.csv and DIR/plots/*.svg, and for results/nvidia-h200
                                        the tables in the READMEs
    scripts/worklog.py --check [DIR]    writes nothing; exits 1 and names every file that would change

The same input gives the same bytes on any machine. Exit codes: 0 done (or nothing to change), 1 bad input or a file
that would change, 2 usage.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from benchlib import claims as claims_lib  # noqa: E402
from benchlib import counted as counted_lib  # noqa: E402
from benchlib import excerpts, files, markdown, plots, results  # noqa: E402
from benchlib.claim_tables import answers, claims_csv, claims_table, claims_tables, counted  # noqa: E402
from benchlib.claims import ClaimFile  # noqa: E402
from benchlib.floor import section as time_floor  # noqa: E402
from benchlib.markdown import NONE, escape  # noqa: E402
from benchlib.plot_files import PLOTS, images  # noqa: E402
from benchlib.results import API_NAMES, InputError, Results, Table  # noqa: E402
from benchlib.tables import twin_table, with_floor  # noqa: E402
from benchlib.tables_exp01 import exp01_blocks, exp01_ceilings, exp01_copies, exp01_launch, exp01_sizes  # noqa: E402
from benchlib.tables_exp02 import exp02_bandwidth, exp02_binding, exp02_robustness, exp02_ways  # noqa: E402
from benchlib.tables_exp03 import README_OFFSETS, exp03_fields, exp03_lanes, exp03_layout  # noqa: E402
from benchlib.tables_exp03 import exp03_offsets, exp03_structs  # noqa: E402
from benchlib.tables_exp04 import exp04_causes, exp04_qualifiers, exp04_three  # noqa: E402
from benchlib.tables_exp05 import README_STRIDES, exp05_fetch, exp05_folded, exp05_loads, exp05_source  # noqa: E402
from benchlib.tables_exp05 import exp05_stores  # noqa: E402
from benchlib.tables_exp06 import cache_ops_reuse, cache_ops_streams, ordering_chains, ordering_fences  # noqa: E402
from benchlib.tables_exp06 import ordering_messages, ordering_rates  # noqa: E402

REFERENCE = Path("results") / "nvidia-h200"  # the results that the READMEs show
LISTED_CASES = 4  # named in the list of failed and skipped cases, for each reason

# ---------------------------------------------------------------------------------------------------------- worklog.md


def distinct(table: Table, column: str) -> list[str]:
    return sorted({row[column] for run in table.runs for row in run.values() if row[column]})


def environment(table: Table) -> str:
    lines = []
    for column in ("gpu", "gpu_uuid", "driver", "toolkit", "git_rev", "seed"):
        lines.append([column, escape(", ".join(distinct(table, column)[:4])) or NONE])
    starts = distinct(table, "started_at")
    lines.append(["started_at", escape(" to ".join(dict.fromkeys([starts[0], starts[-1]]))) if starts else NONE])
    statuses = Counter(row["status"] for run in table.runs for row in run.values())
    lines.append(["runs", str(len(table.runs))])
    lines.append(["rows", counted(statuses, ("ok", "failed", "skipped"))])
    return markdown.table(["environment", ""], lines)


def missing_rows(table: Table) -> str:
    """Cases without a result, those with the same reason together."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for number, run in enumerate(table.runs, start=1):
        for case, row in run.items():
            if row["status"] != "ok":
                group = (str(number), row["api"], row["status"], row["reason"])
                groups.setdefault(group, []).append(case.name(without=["api"]))
    rows = []
    for (number, api, status, reason), names in groups.items():
        listed = ", ".join(names[:LISTED_CASES]) + (", ..." if len(names) > LISTED_CASES else "")
        rows.append([number, API_NAMES[api], status, escape(reason) or NONE, str(len(names)), escape(listed)])
    header = ["run", "API", "status", "reason", "cases:", "which"]
    return markdown.table(header, rows) if rows else "None: every case ran."


def repeatability(found: Results) -> str:
    """How far the DRAM-size medians of two independent runs lie apart."""
    header = ["experiment", "cases:", "median difference (%):", "largest (%):", "case"]
    rows = []
    for table in found.tables.values():
        differences = []
        for case in table.cases:
            times = [float(row["device_ns"]) for row in table.rows(case) if row["device_ns"]]
            if len(times) == 2 and table.is_dram(case):
                differences.append((abs(times[1] / times[0] - 1) * 100, case.name()))
        if not differences:
            continue
        worst = max(differences)
        middle = statistics.median(difference for difference, _ in differences)
        rows.append([escape(table.name), str(len(differences)), f"{middle:.2f}", f"{worst[0]:.2f}", escape(worst[1])])
    return markdown.table(header, rows) if rows else "No case of DRAM size was run twice."


def predicted_and_counted(found: Results, table: Table) -> str:
    return counted_lib.comparison(found, table) or "Nothing was counted: scripts/counters.py does, with Nsight Compute."


Section = Callable[[Results, Table], str]
SECTIONS: dict[str, list[tuple[str, Section]]] = {
    "exp01_vector_add": [
        ("Figures", images),
        ("Size sweep", exp01_sizes),
        ("Block sweep", exp01_blocks),
        ("Ceilings", exp01_ceilings),
        ("Copy, read and write in every shape", exp01_copies),
        ("What a launch costs", exp01_launch),
        ("Time floor", time_floor),
        ("Machine code", excerpts.sass_excerpts),
    ],
    "exp02_descriptors": [
        ("Ways to hand over buffers, streaming from memory", exp02_bandwidth),
        ("Ways to hand over buffers, many small dispatches", exp02_ways),
        ("Bounds checks", exp02_robustness),
        ("Machine code", excerpts.sass_excerpts),
    ],
    "exp03_memory_coalescing": [
        ("Figures", images),
        ("Array of structures against structure of arrays", exp03_layout),
        ("Misaligned access", exp03_offsets),
        ("Both fields of an 8-byte struct", exp03_fields),
        ("Struct sizes", exp03_structs),
        ("Permuted lanes, and all lanes at one address", exp03_lanes),
        ("Time floor", time_floor),
        ("Machine code", excerpts.sass_excerpts),
    ],
    "exp04_bda": [
        ("CUDA, descriptors, addresses", exp04_three),
        ("Causes of the gaps", exp04_causes),
        ("Qualifiers", exp04_qualifiers),
        ("Machine code", excerpts.sass_excerpts),
    ],
    "exp05_strided": [
        ("Figures", images),
        ("The post's two kernels", exp05_source),
        ("An index that folds back, and one that visits once", exp05_folded),
        ("Loads", exp05_loads),
        ("Stores", exp05_stores),
        ("Loads with the L2 told how much to fetch", exp05_fetch),
        ("Time floor", time_floor),
        ("Machine code", excerpts.sass_excerpts),
    ],
    "exp06_cache_ops": [
        ("A reuse set beside a stream", cache_ops_reuse),
        ("Streams alone", cache_ops_streams),
    ],
    "exp06_ordering": [
        ("One operation after another", ordering_chains),
        ("Messages", ordering_messages),
        ("Fences behind stores", ordering_fences),
        ("A full GPU", ordering_rates),
    ],
}
README_TABLES: dict[str, tuple[str, Section]] = {
    "exp01-sizes": ("exp01_vector_add", exp01_sizes),
    "exp01-ceilings": ("exp01_vector_add", exp01_ceilings),
    "exp01-launch": ("exp01_vector_add", exp01_launch),
    "exp02-binding": ("exp02_descriptors", exp02_binding),
    "exp02-robustness": ("exp02_descriptors", exp02_robustness),
    "exp03-layout": ("exp03_memory_coalescing", exp03_layout),
    "exp03-offsets": ("exp03_memory_coalescing", partial(exp03_offsets, offsets=README_OFFSETS)),
    "exp03-structs": ("exp03_memory_coalescing", exp03_structs),
    **{
        f"{name.partition('_')[0]}-floor": (name, partial(time_floor, whole=False))
        for name in ("exp01_vector_add", "exp03_memory_coalescing", "exp05_strided")
    },
    **{
        f"{name.partition('_')[0]}-counted": (name, predicted_and_counted)
        for name in ("exp03_memory_coalescing", "exp05_strided")
    },
    "exp04-three": ("exp04_bda", exp04_three),
    "exp04-causes": ("exp04_bda", exp04_causes),
    "exp04-qualifiers": ("exp04_bda", exp04_qualifiers),
    "exp01-plots": ("exp01_vector_add", images),
    "exp03-plots": ("exp03_memory_coalescing", images),
    "exp05-plots": ("exp05_strided", images),
    "exp05-source": ("exp05_strided", exp05_source),
    "exp05-folded": ("exp05_strided", exp05_folded),
    "exp05-loads": ("exp05_strided", partial(exp05_loads, strides=README_STRIDES)),
    "exp05-fetch": ("exp05_strided", exp05_fetch),
    "exp05-stores": ("exp05_strided", partial(exp05_stores, strides=README_STRIDES)),
    # exp05-sass; a program that shares its number with others goes by its whole name: exp06_litmus-sass.
    **{f"{name.partition('_')[0]}-sass": (name, excerpts.sass_excerpts) for name in excerpts.EXCERPTS},
    **{f"{name}-sass": (name, excerpts.sass_excerpts) for name in excerpts.EXCERPTS},
    "exp06-chains": ("exp06_ordering", ordering_chains),
    "exp06-fences": ("exp06_ordering", ordering_fences),
    "exp06-messages": ("exp06_ordering", ordering_messages),
    "exp06-rates": ("exp06_ordering", ordering_rates),
    "exp06-reuse": ("exp06_cache_ops", cache_ops_reuse),
    "exp06-streams": ("exp06_cache_ops", cache_ops_streams),
}


def all_pairs(found: Results, table: Table) -> str:
    counts = counted_lib.load(found, table)
    ends = {f"{metric}_{end}" for metric in table.measured for end in ("lo", "hi")}  # shown as their figure's interval
    metrics = [metric for metric in table.measured if metric not in ends]
    text = twin_table(table, {}, sectors=True, counts=counts, metrics=metrics)
    return with_floor(found, table, counted_lib.explained(counts, text))


def worklog(found: Results, groups: Sequence[ClaimFile]) -> str:
    by_experiment = {group.experiment: group for group in groups}
    parts = [
        "# Worklog",
        "Generated by scripts/worklog.py from the CSV files in this directory. Times are medians of GPU time per "
        "launch; brackets are 95 % intervals. GB = 10^9 bytes, read + written. Vulkan is SAME when the whole interval "
        "of Vulkan/CUDA lies within 1 % of 1, FASTER or SLOWER when all of it lies beyond, else UNCLEAR. "
        + (
            "A case that ran in both runs shows the median of the two, and an interval that covers both intervals."
            if found.has_rerun
            else "One run: no figure here has been repeated."
        ),
    ]
    for name, table in found.tables.items():
        group = by_experiment.get(name)
        parts.append(f"## {escape(name)}")
        if group:
            parts.append(escape(group.question))
        parts.append(environment(table))
        for title, section in SECTIONS.get(name, [("All pairs", all_pairs)]):
            parts += [f"### {title}", section(found, table)]
        difference = counted_lib.comparison(found, table)
        parts += ["### Predicted against counted", difference] if difference else []
        if group:
            parts += ["### Claims", claims_table(group)]
        parts += ["### Failed and skipped", missing_rows(table)]
    if found.has_rerun:
        parts += ["## Repeatability", repeatability(found)]
    return "\n\n".join(parts) + "\n"


# ------------------------------------------------------------------------------------------------------------- READMEs


def readme_table(name: str, found: Results, groups: Sequence[ClaimFile]) -> str | None:
    """The generated table of that name; None for a name there is not."""
    if name == "answers":
        return answers(found, groups)
    if name.startswith("claims-"):
        return claims_tables(name.removeprefix("claims-"), groups)
    if name not in README_TABLES:
        return None
    experiment, section = README_TABLES[name]
    if experiment not in found.tables:
        return f"No results of {experiment} yet."
    return section(found, found.tables[experiment])


MARKER = re.compile(r"<!-- worklog:(?P<name>.*?) -->|(?P<end><!-- /worklog -->)")


def fill_markers(path: Path, text: str, found: Results, groups: Sequence[ClaimFile], base: str) -> str:
    """The text with each `<!-- worklog:NAME -->` ... `<!-- /worklog -->` holding table NAME. `base`: the results, seen from there."""
    out, position, opened = [], 0, ""
    for marker in MARKER.finditer(text):
        line = text.count("\n", 0, marker.start()) + 1
        if bool(marker["end"]) != bool(opened):
            raise InputError(f"{path}: line {line}: {marker[0]} where the other kind of marker belongs")
        if opened:
            position, opened = marker.start(), ""
            continue
        generated = readme_table(marker["name"], found, groups)
        if generated is None:
            raise InputError(f"{path}: line {line}: no table is named {ascii(marker['name'])}")
        out.append(f"{text[position : marker.end()]}\n\n{excerpts.rebased(generated, base)}\n\n")
        opened = marker["name"]
    if opened:
        raise InputError(f"{path}: <!-- worklog:{opened} --> is never closed")
    return "".join(out) + text[position:]


# ---------------------------------------------------------------------------------------------------------------- main


def generate(directory: Path, root: Path) -> dict[Path, str]:
    """Every file this program owns, as it should be. Nothing is written before all of it is known."""
    found = results.load(directory)
    groups = claims_lib.load(root)
    for group in groups:
        for claim in group.claims:
            claims_lib.judge(claim, found)
    outputs = {directory / "worklog.md": worklog(found, groups), directory / "claims.csv": claims_csv(groups)}
    for name, plot in PLOTS.items():
        if plot.experiment in found.tables:
            outputs[directory / "plots" / f"{name}.svg"] = plots.svg(plot.figure(found, found.tables[plot.experiment]))
    if directory.resolve() == (root / REFERENCE).resolve():
        for path in [root / "README.md", *sorted(root.glob("exp*/README.md")), *sorted(root.glob("exp*/*/README.md"))]:
            text = files.read_text(path)
            if text is not None and "<!-- worklog:" in text:
                base = Path(os.path.relpath(root / REFERENCE, path.parent)).as_posix()
                outputs[path] = fill_markers(path, text, found, groups, base)
    return outputs


def main(arguments: Sequence[str] | None = None) -> int:
    default_root = Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description="Result CSVs to worklog.md, claims.csv and the READMEs' tables.")
    parser.add_argument("directory", nargs="?", type=Path, help=f"default: {REFERENCE} of this repository")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a file would change")
    parser.add_argument(
        "--readme",
        type=Path,
        default=default_root,
        metavar="ROOT",
        help="the repository whose claims.toml files are read and whose READMEs are filled (default: this one)",
    )
    options = parser.parse_args(arguments)
    directory = options.directory or options.readme / REFERENCE
    try:
        outputs = generate(directory, options.readme)
        stale = {path: text for path, text in outputs.items() if files.read_text(path) != text}
        if options.check:
            for path, text in stale.items():
                diff = files.short_diff(path, files.read_text(path), text)
                print(f"{path} differs from what the CSV files give:\n{diff}")
            return 1 if stale else 0
        for path, text in stale.items():
            path.parent.mkdir(exist_ok=True)
            files.write_atomic(path, text)
            print(f"wrote {path}")
    except (InputError, OSError) as error:
        print(f"worklog.py: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("worklog.py: interrupted", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
