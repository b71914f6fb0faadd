#!/usr/bin/env python3
"""Results to worklog: tables, verdicts on the claims, and the READMEs' tables, all from the CSV files of one directory.

    scripts/worklog.py [DIR]            writes DIR/worklog.md, DIR/claims.csv and DIR/plots/*.svg, and for results/nvidia-h200
                                        the tables in the READMEs; of a program without a result there (one that needs two
                                        GPUs), these show the first other folder of results/ that has some
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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
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
from benchlib.tables_async_copy import async_copies, async_overlap, async_tiles  # noqa: E402
from benchlib.tables_exp01 import exp01_blocks, exp01_ceilings, exp01_copies, exp01_launch, exp01_sizes  # noqa: E402
from benchlib.tables_exp02 import exp02_bandwidth, exp02_binding, exp02_robustness, exp02_ways  # noqa: E402
from benchlib.tables_exp03 import README_OFFSETS, exp03_fields, exp03_lanes, exp03_layout  # noqa: E402
from benchlib.tables_exp03 import exp03_offsets, exp03_structs  # noqa: E402
from benchlib.tables_exp04 import exp04_causes, exp04_qualifiers, exp04_three  # noqa: E402
from benchlib.tables_exp05 import README_STRIDES, exp05_fetch, exp05_folded, exp05_loads, exp05_source  # noqa: E402
from benchlib.tables_exp05 import exp05_stores  # noqa: E402
from benchlib.tables_exp06 import cache_ops_operators, cache_ops_reuse, cache_ops_streams, ordering_chains  # noqa: E402
from benchlib.tables_exp06 import ordering_fences, ordering_messages, ordering_orders, ordering_rates  # noqa: E402
from benchlib.tables_exp06_flight import flight_curve, flight_mechanisms, loaded_latency  # noqa: E402
from benchlib.tables_exp06_peer import peer_latency, peer_sizes, peer_sms, peer_watch  # noqa: E402
from benchlib.tables_exp06_litmus import litmus_fences, litmus_outcomes, litmus_posts  # noqa: E402
from benchlib.tables_exp06_cluster import cluster_barriers, cluster_exchange, cluster_latency  # noqa: E402
from benchlib.tables_exp06_cluster import cluster_multicast, cluster_rounds, cluster_spread  # noqa: E402

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


def all_pairs(found: Results, table: Table) -> str:
    counts = counted_lib.load(found, table)
    ends = {f"{metric}_{end}" for metric in table.measured for end in ("lo", "hi")}  # shown as their figure's interval
    metrics = [metric for metric in table.measured if metric not in ends]
    text = twin_table(table, {}, sectors=True, counts=counts, metrics=metrics)
    return with_floor(found, table, counted_lib.explained(counts, text))


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
    "exp06_async_copy": [
        ("Copies beside computing", async_overlap),
        ("Copies alone", async_copies),
        ("A tile without one of its fences", async_tiles),
    ],
    "exp06_bytes_in_flight": [
        ("Figures", images),
        ("Bandwidth against bytes in flight", flight_curve),
        ("What each mechanism needs and costs", flight_mechanisms),
        ("All pairs", all_pairs),
    ],
    "exp06_loaded_latency": [
        ("Figures", images),
        ("Latency under load", loaded_latency),
    ],
    "exp06_cache_ops": [
        ("Figures", images),
        ("Operators: machine code, streams, and a reuse set beside them", cache_ops_operators),
        ("A reuse set beside a stream", cache_ops_reuse),
        ("Streams alone", cache_ops_streams),
    ],
    "exp06_litmus": [
        ("Weak outcomes", litmus_outcomes),
        ("A post's programs", litmus_posts),
        ("What the fences become", litmus_fences),
        ("All pairs", all_pairs),
    ],
    "exp06_cluster": [
        ("Rounds", cluster_rounds),
        ("Latency", cluster_latency),
        ("All SMs at once", cluster_exchange),
        ("Barriers", cluster_barriers),
        ("Multicast", cluster_multicast),
        ("Cluster sizes", cluster_spread),
    ],
    "exp06_ordering": [
        ("Figures", images),
        ("What is said, what it becomes, what it costs", ordering_orders),
        ("One operation after another", ordering_chains),
        ("Messages", ordering_messages),
        ("Fences behind stores", ordering_fences),
        ("A full GPU", ordering_rates),
    ],
    "exp06_peer": [
        ("Bandwidth by message size", peer_sizes),
        ("Bandwidth by SMs", peer_sms),
        ("Latency", peer_latency),
        ("What a poll sees", peer_watch),
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
    "exp06-flight-plots": ("exp06_bytes_in_flight", images),
    "exp06-flight": ("exp06_bytes_in_flight", flight_curve),
    "exp06-mechanisms": ("exp06_bytes_in_flight", flight_mechanisms),
    "exp06-latency-plots": ("exp06_loaded_latency", images),
    "exp06-latency": ("exp06_loaded_latency", loaded_latency),
    "exp06-overlap": ("exp06_async_copy", async_overlap),
    "exp06-copies": ("exp06_async_copy", async_copies),
    "exp06-tiles": ("exp06_async_copy", async_tiles),
    "exp06-litmus": ("exp06_litmus", litmus_outcomes),
    "exp06-litmus-posts": ("exp06_litmus", litmus_posts),
    "exp06-litmus-fences": ("exp06_litmus", litmus_fences),
    "exp06-ordering-plots": ("exp06_ordering", images),
    "exp06-cache-plots": ("exp06_cache_ops", images),
    "exp06-orders": ("exp06_ordering", ordering_orders),
    "exp06-cluster-barriers": ("exp06_cluster", cluster_barriers),
    "exp06-cluster-exchange": ("exp06_cluster", cluster_exchange),
    "exp06-cluster-latency": ("exp06_cluster", cluster_latency),
    "exp06-cluster-multicast": ("exp06_cluster", cluster_multicast),
    "exp06-cluster-rounds": ("exp06_cluster", cluster_rounds),
    "exp06-cluster-spread": ("exp06_cluster", cluster_spread),
    "exp06-chains": ("exp06_ordering", ordering_chains),
    "exp06-fences": ("exp06_ordering", ordering_fences),
    "exp06-messages": ("exp06_ordering", ordering_messages),
    "exp06-rates": ("exp06_ordering", ordering_rates),
    "exp06-operators": ("exp06_cache_ops", cache_ops_operators),
    "exp06-reuse": ("exp06_cache_ops", cache_ops_reuse),
    "exp06-streams": ("exp06_cache_ops", cache_ops_streams),
    "exp06-peer-sizes": ("exp06_peer", peer_sizes),
    "exp06-peer-sms": ("exp06_peer", peer_sms),
    "exp06-peer-latency": ("exp06_peer", peer_latency),
    "exp06-peer-watch": ("exp06_peer", peer_watch),
}


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


@dataclass(frozen=True)
class Shown:
    """What the READMEs show: the reference's results, and other folders' of the programs that have none there."""

    reference: Results
    elsewhere: Mapping[str, Results]  # by experiment
    groups: Sequence[ClaimFile]  # judged by those

    def of(self, experiment: str) -> Results:
        return self.elsewhere.get(experiment, self.reference)

    @property
    def tables(self) -> Results:
        """Of all programs. Only for what looks at nothing but tables."""
        others = {name: found.tables[name] for name, found in self.elsewhere.items()}
        return replace(self.reference, tables=self.reference.tables | others)


def has_results(found: Results, experiment: str) -> bool:
    table = found.tables.get(experiment)
    return table is not None and any(table.rows(case) for case in table.cases)


def shown(reference: Results, groups: Sequence[ClaimFile], root: Path) -> Shown:
    missing = [group.experiment for group in groups if not has_results(reference, group.experiment)]
    elsewhere: dict[str, Results] = {}
    for folder in sorted(path for path in (root / REFERENCE).parent.iterdir() if path.is_dir()):
        wanted = [name for name in missing if name not in elsewhere and (folder / f"{name}.csv").is_file()]
        if folder.name != REFERENCE.name and wanted:
            found = results.load(folder)
            elsewhere |= {name: found for name in wanted if has_results(found, name)}
    judged = []
    for group, fresh in zip(groups, claims_lib.load(root) if elsewhere else groups):
        if found := elsewhere.get(group.experiment):
            fresh.results = found.directory.relative_to(root).as_posix()
            for claim in fresh.claims:
                claims_lib.judge(claim, found)
        judged.append(fresh if group.experiment in elsewhere else group)
    return Shown(reference, elsewhere, judged)


def readme_table(name: str, what: Shown) -> tuple[str, Results] | None:
    """The generated table of that name, and the results it is of; None for a name there is not."""
    if name == "answers":
        return answers(what.tables, what.groups), what.reference
    if name.startswith("claims-"):
        table = claims_tables(name.removeprefix("claims-"), what.groups)
        return None if table is None else (table, what.reference)
    if name not in README_TABLES:
        return None
    experiment, section = README_TABLES[name]
    found = what.of(experiment)
    if experiment not in found.tables:
        return f"No results of {experiment} yet.", found
    return section(found, found.tables[experiment]), found


MARKER = re.compile(r"<!-- worklog:(?P<name>.*?) -->|(?P<end><!-- /worklog -->)")


def fill_markers(path: Path, text: str, what: Shown) -> str:
    """The text with each `<!-- worklog:NAME -->` ... `<!-- /worklog -->` holding table NAME."""
    out, position, opened = [], 0, ""
    for marker in MARKER.finditer(text):
        line = text.count("\n", 0, marker.start()) + 1
        if bool(marker["end"]) != bool(opened):
            raise InputError(f"{path}: line {line}: {marker[0]} where the other kind of marker belongs")
        if opened:
            position, opened = marker.start(), ""
            continue
        table = readme_table(marker["name"], what)
        if table is None:
            raise InputError(f"{path}: line {line}: no table is named {ascii(marker['name'])}")
        generated, found = table
        base = Path(os.path.relpath(found.directory, path.parent)).as_posix()
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
        what = shown(found, groups, root)
        for path in [root / "README.md", *sorted(root.glob("exp*/README.md")), *sorted(root.glob("exp*/*/README.md"))]:
            text = files.read_text(path)
            if text is not None and "<!-- worklog:" in text:
                outputs[path] = fill_markers(path, text, what)
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
