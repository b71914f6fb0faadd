#!/usr/bin/env python3
"""Results to worklog: tables, verdicts on the claims, and the READMEs' tables, all from the CSV files of one directory.

    scripts/worklog.py [DIR]            writes DIR/worklog.md and DIR/claims.csv, and for results/nvidia-h200 the
                                        tables in the READMEs
    scripts/worklog.py --check [DIR]    writes nothing; exits 1 and names every file that would change

The same input gives the same bytes on any machine. Exit codes: 0 done (or nothing to change), 1 bad input or a file
that would change, 2 usage.
"""

from __future__ import annotations

import argparse
import csv
import io
import os
import re
import statistics
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from benchlib import claims as claims_lib  # noqa: E402
from benchlib import counted as counted_lib  # noqa: E402
from benchlib import excerpts, files, markdown, results  # noqa: E402
from benchlib.claims import Claim, ClaimFile  # noqa: E402
from benchlib.markdown import NONE, count, escape, ratio_text, sig  # noqa: E402
from benchlib.results import API_NAMES, APIS, Case, InputError, Results, Table  # noqa: E402
from benchlib.stats import verdict  # noqa: E402
from benchlib.tables import Pair, comparison, figure_of, micros, pair_ratio, pairs, plain  # noqa: E402
from benchlib.tables import sectors_cell, sectors_header, twin_table, with_floor  # noqa: E402
from benchlib.tables_exp04 import exp04_causes, exp04_qualifiers, exp04_three  # noqa: E402

REFERENCE = Path("results") / "nvidia-h200"  # the results that the READMEs show
SOURCE_ELEMENTS = 1 << 22  # Worklog #05's N = 4M particles
CLAIM_COLUMNS = ["id", "verdict", "experiment", "source", "ours", "ours_lo", "ours_hi", "claimed", "unit", "note"]

ADD_VARIANTS = ["add_f32", "add_f32x4"]
COPY_VARIANTS = ["copy_f32", "copy_tile", "read_tile", "write_tile", "copy_api"]
API_COPIES = {"cuda": "cudaMemcpyAsync", "vulkan": "vkCmdCopyBuffer"}
LAYOUT_NAMES = {"read_soa_x": "SoA", "read_aos_x": "AoS", "read_aos_vec4": "AoS, whole struct"}
CONTROLS = ["stamp_pair", "aa_control_a", "aa_control_b"]  # about the measurement, not about the APIs
DEFAULT_BLOCK = "256"
LISTED_CASES = 4  # named in the list of failed and skipped cases, for each reason
README_OFFSETS = ["0", "1", "2", "4", "7", "8", "16", "24", "31", "32"]

# --------------------------------------------------------------------------------------------------------------- exp01


def exp01_sizes(found: Results, table: Table) -> str:
    parts = [twin_table(table, {"variant": variant, "block": DEFAULT_BLOCK}) for variant in ADD_VARIANTS]
    return with_floor(found, table, "\n\n".join(parts))


def exp01_blocks(found: Results, table: Table) -> str:
    parts = []
    for variant in ADD_VARIANTS:
        swept = [case for case in table.select({"variant": variant}) if case["block"] != DEFAULT_BLOCK]
        sizes = [str(size) for size in sorted({case.elements for case in swept})]
        parts.append(twin_table(table, {"variant": variant, "elements": sizes}))
    return with_floor(found, table, "\n\n".join(parts))


def exp01_ceilings(found: Results, table: Table) -> str:
    """The largest size, each kernel in its best shape: bandwidth, share of the memory's peak and of the API's copy."""
    header = ["variant", "cache"]
    for api in APIS:
        header += [f"{API_NAMES[api]} GB/s:", "block x unroll:", "% of peak:", f"% of {API_COPIES[api]}:"]
    rows = []
    # The additions' warm rows are of smaller sizes: only the others run at the largest in both states.
    shown = [("cold", variant) for variant in ADD_VARIANTS + COPY_VARIANTS] + [("warm", name) for name in COPY_VARIANTS]
    for cache, variant in shown:
        best: dict[str, object] = {"variant": variant, "elements": "max", "cache": cache, "pick": "fastest"}
        cuda, vulkan = (next(iter(table.select({**best, "api": api})), None) for api in APIS)
        if not (cuda or vulkan):
            continue
        cells = [escape(variant), cache]
        for api, side in zip(APIS, (cuda, vulkan)):
            cells += ceiling_cells(table, api, side)
        rows.append(cells + comparison(table, Pair(cuda, vulkan)))
    if not rows:
        return "No results."
    text = markdown.table([*header, "Vulkan/CUDA time, best against best [95 %]:", "Vulkan is"], rows)
    return with_floor(found, table, text)


def ceiling_cells(table: Table, api: str, case: Case | None) -> list[str]:
    rate = figure_of(table, case, "gbps")
    if case is None or rate is None:
        return [NONE] * 4
    shape = " x ".join(escape(case[column]) for column in ("block", "unroll") if case[column])
    peak = figure_of(table, case, "peak_pct")
    api_copies = table.select({"variant": "copy_api", "api": api, "elements": "max", "cache": case["cache"]})
    copy_rate = figure_of(table, api_copies[0], "gbps") if api_copies else None
    share = f"{100 * rate.value / copy_rate.value:.1f}" if copy_rate else NONE
    return [sig(rate.value), shape or NONE, f"{peak.value:.1f}" if peak else NONE, share]


def exp01_copies(found: Results, table: Table) -> str:
    return with_floor(found, table, twin_table(table, {"variant": COPY_VARIANTS}))


def exp01_launch(found: Results, table: Table) -> str:
    """What one launch costs: on the device, from submission to completion, and to submit. Microseconds per launch."""
    header = ["what", "launches:"]
    for api in APIS:
        header += [f"{API_NAMES[api]} device:", "round trip:", "submit:"]
    rows = []
    for pair in pairs(table, {"variant": "empty"}) + pairs(table, {"variant": "chain"}):
        modes = " / ".join(escape(side["mode"]) for side in pair.sides if side and side["mode"])
        cells = [f"{escape(pair.case['variant'])} {modes}".strip(), escape(pair.case["chain"]) or "1"]
        for side in pair.sides:
            cells += [micros(figure_of(table, side, metric)) for metric in ("device_ns", "roundtrip_ns", "submit_ns")]
        rows.append(cells + comparison(table, pair))
    text = markdown.table([*header, "Vulkan/CUDA device [95 %]:", "Vulkan is"], rows) if rows else "No results."
    stamps = [
        f"{API_NAMES[case['api']]} {micros(table.figure(case, 'device_ns'))} µs"
        for case in table.select({"variant": "stamp_pair"})
    ]
    empty_pair = ", ".join(stamps) or "not measured"
    return f"Microseconds per launch.\n\n{text}\n\nAn empty pair of stamps reads: {empty_pair}."


# --------------------------------------------------------------------------------------------------------------- exp02


def exp02_bandwidth(found: Results, table: Table) -> str:
    """Every way to hand over buffers, where the kernel streams from memory."""
    return with_floor(found, table, twin_table(table, {"variant": "sum", "robustness": "default", "elements": "max"}))


def exp02_ways(found: Results, table: Table) -> str:
    """What one of many dispatches costs, by the way in which it gets its buffers. Microseconds per dispatch."""
    header = ["kernel", "buffers:", "dispatches:", "binding", "bound"]
    header += ["CUDA device:", "Vulkan device:", "Vulkan/CUDA device [95 %]:", "Vulkan is"]
    header += ["CUDA submit:", "Vulkan submit:", "CUDA round trip:", "Vulkan round trip:"]
    parts = []
    for variant in ("idle", "sum_small"):
        rows = []
        found_pairs = pairs(table, {"variant": variant})
        sizes = ("buffers", "dispatches")
        for pair in sorted(found_pairs, key=lambda pair: [int(pair.case[column] or 0) for column in sizes]):
            cells = [escape(pair.case[column]) for column in ("variant", *sizes, "binding", "set_use")]
            cells += [micros(figure_of(table, side)) for side in pair.sides] + comparison(table, pair)
            for metric in ("submit_ns", "roundtrip_ns"):
                cells += [micros(figure_of(table, side, metric)) for side in pair.sides]
            rows.append(cells)
        parts += [markdown.table(header, rows)] if rows else []
    if not parts:
        return "No results."
    return with_floor(found, table, "\n\n".join(["Microseconds per dispatch.", *parts]))


def exp02_binding(found: Results, table: Table) -> str:
    return f"{exp02_bandwidth(found, table)}\n\n{exp02_ways(found, table)}"


def exp02_robustness(found: Results, table: Table) -> str:
    """Bounds checks: in the code, where it was disassembled, and in time, beside the code without them."""
    header = ["robustness", "elements:", "cache", "instructions:", "bounds checks:", "CUDA µs:", "Vulkan µs:"]
    header += ["to disabled [95 %]:", "Vulkan/CUDA [95 %]:", "Vulkan is"]
    sass = found.auxiliary("sass.csv", table.name)
    rows = []
    for pair in pairs(table, {"variant": "sum", "binding": "descriptors", "buffers": "2"}):
        robustness = pair.case["robustness"]
        kernel = "sum_2" if robustness == "default" else f"sum_2.{robustness}"
        code = sass.select({"kernel": kernel, "api": "vulkan"})[:1] if sass else []
        cells = [escape(robustness), count(pair.case.elements), escape(pair.case["cache"])]
        for column in ("instructions", "bounds_checks"):
            cells.append(escape(sass.text(code[0], column)) if sass and code else NONE)
        cells += [micros(figure_of(table, side)) for side in pair.sides]
        unchecked = pair.vulkan.replace(robustness="disabled") if pair.vulkan else None
        relative = table.ratio(pair.vulkan, unchecked) if pair.vulkan and unchecked else None
        cells.append("1" if pair.vulkan == unchecked and pair.vulkan else ratio_text(relative))
        rows.append(cells + comparison(table, pair))
    return with_floor(found, table, markdown.table(header, rows)) if rows else "No results."


# --------------------------------------------------------------------------------------------------------------- exp03


def exp03_layout(found: Results, table: Table) -> str:
    """Worklog #05's table and picture, at its size and where the data streams from memory."""
    parts = []
    counts = counted_lib.load(found, table)
    for size, title in ((str(SOURCE_ELEMENTS), "the worklog's size"), ("max", "the largest size")):
        where: dict[str, object] = {"variant": list(LAYOUT_NAMES), "elements": size}
        cases = [case for name in LAYOUT_NAMES for case in table.select({**where, "variant": name})]
        if not cases or (size == "max" and cases[0].elements == SOURCE_ELEMENTS):
            continue
        memory = "streams from memory" if table.is_dram(cases[0]) else "at least partly in the L2 cache"
        parts.append(f"**N = {count(cases[0].elements)} ({title}; {memory})**")
        parts.append(layout_table(table, cases, counts))
        parts += layout_bars(table, cases)
        parts.append(twin_table(table, where, sectors=True, counts=counts))
    return with_floor(found, table, counted_lib.explained(counts, "\n\n".join(parts)) if parts else "No results.")


def layout_bars(table: Table, cases: Sequence[Case]) -> list[str]:
    """The worklog's picture: a bar per layout and API; nothing where nothing was measured."""
    lengths = [(layout_label(case), figure) for case in cases if (figure := table.figure(case, "device_ns"))]
    return [markdown.bars([(label, f.value, f"{sig(f.value / 1e6)} ms") for label, f in lengths])] if lengths else []


def exp03_bars(found: Results, table: Table) -> str:
    """That picture alone, where the data streams from memory."""
    del found
    where = {"elements": "max", "cache": "cold"}
    cases = [case for name in LAYOUT_NAMES for case in table.select({**where, "variant": name})]
    title = "Reading one field of 16-byte particles from memory, array of structures against structure of arrays:"
    return "\n\n".join([title, *layout_bars(table, cases)]) if cases else "No results."


def layout_label(case: Case) -> str:
    return f"{API_NAMES[case['api']]} {LAYOUT_NAMES[case['variant']]}"


def layout_table(table: Table, cases: Sequence[Case], counts: counted_lib.Counts | None) -> str:
    units = [unit for unit in ("sectors", "lines") if f"load_{unit}" in table.model]
    names = {"sectors": "32-byte sectors per warp", "lines": "128-byte lines per warp"}
    header = ["variant", "time (ms):", "effective bandwidth (GB/s):", *(f"{names[unit]}:" for unit in units)]
    header += ["sectors counted, load + store:"] if counts else []
    rows = []
    for case in cases:
        time = table.figure(case, "device_ns")
        cells = [layout_label(case), sig(time.value / 1e6) if time else NONE, plain(table.figure(case, "gbps"))]
        for unit in units:
            load, store = table.text(case, f"load_{unit}"), table.text(case, f"store_{unit}")
            cells.append(f"{load} (load) + {store} (store)")
        rows.append([*cells, counts.cell(case)] if counts else cells)
    return markdown.table(header, rows)


def exp03_offsets(found: Results, table: Table, offsets: Sequence[str] = ()) -> str:
    """Time at every offset, or some, beside the predicted sectors and the time at offset 0."""
    parts = []
    counts = counted_lib.load(found, table)
    for variant, kind in (("read_offset", "load"), ("write_offset", "store")):
        rows = []
        where: dict[str, object] = {"variant": variant, "elements": "max"}
        where |= {"offset": list(offsets)} if offsets else {}
        for pair in pairs(table, where):
            cells = [escape(pair.case["offset"]), table.text(pair.case, f"{kind}_sectors") or NONE]
            cells += counts.cells(pair.sides, [kind]) if counts else []
            for side in pair.sides:
                relative = table.ratio(side, side.replace(offset="0")) if side else None
                cells += [micros(figure_of(table, side)), "1" if pair.case["offset"] == "0" else ratio_text(relative)]
            rows.append(cells + comparison(table, pair))
        header = ["offset:", *sectors_header(counts, f"{kind} sectors per warp")]
        header += ["CUDA µs:", "to offset 0:", "Vulkan µs:", "to offset 0:"]
        text = markdown.table([*header, "Vulkan/CUDA [95 %]:", "Vulkan is"], rows) if rows else "No results."
        parts.append(f"**{variant}**\n\n{text}")
    return with_floor(found, table, counted_lib.explained(counts, "\n\n".join(parts)))


def exp03_structs(found: Results, table: Table) -> str:
    """Struct size and fields read: does time follow the sectors?"""
    counts = counted_lib.load(found, table)
    header = ["struct bytes:", "fields read:", *sectors_header(counts), "CUDA µs:", "Vulkan µs:"]
    header += ["CUDA sector GB/s:", "Vulkan sector GB/s:", "Vulkan/CUDA [95 %]:", "Vulkan is"]
    rows = []
    for pair in pairs(table, {"variant": "struct_read", "elements": "max"}):
        cells = [escape(pair.case[column]) for column in ("struct_bytes", "fields")]
        cells += [sectors_cell(table, pair.case), *(counts.cells(pair.sides) if counts else [])]
        cells += [micros(figure_of(table, side)) for side in pair.sides]
        cells += [plain(figure_of(table, side, "sector_gbps")) for side in pair.sides]
        rows.append(cells + comparison(table, pair))
    if not rows:
        return "No results."
    reading = (
        "Sector GB/s: 32 bytes for every sector the model predicts, over the time. Level: time follows the sectors. "
        "Higher: sectors are served more than once from a cache. Lower: something else than sectors is the limit."
    )
    text = counted_lib.explained(counts, markdown.table(header, rows))
    return with_floor(found, table, f"{text}\n\n{reading}")


def exp03_fields(found: Results, table: Table) -> str:
    return sectors_table(found, table, {"variant": ["inner_struct", "inner_array"]})


def exp03_lanes(found: Results, table: Table) -> str:
    return sectors_table(found, table, {"variant": ["read_permuted", "read_same"]})


def sectors_table(found: Results, table: Table, where: dict[str, object]) -> str:
    """Twins with their sectors, predicted and, where they were, counted."""
    counts = counted_lib.load(found, table)
    return with_floor(found, table, counted_lib.explained(counts, twin_table(table, where, sectors=True, counts=counts)))


# -------------------------------------------------------------------------------------------------------------- claims


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
    return f"{markdown.table(header, rows)}\n\n" + "\n".join(notes)


def answers(found: Results, groups: Sequence[ClaimFile]) -> str:
    """One row an experiment: its question, its answer in figures, and how the pairs and the claims came out."""
    header = ["experiment", "question", "answer", "Vulkan against CUDA, pairs", "claims"]
    rows = []
    for group in groups:
        by_id = {claim.id: claim for claim in group.claims}
        answer = re.sub(r"\{(\d\d\.\d+)(\.verdict)?\}", lambda match: claim_text(by_id, match), group.answer)
        table = found.tables.get(group.experiment)
        link = f"[{group.experiment}]({group.folder}/README.md)"
        rows.append([link, escape(group.question), escape(answer), pair_counts(table), claim_counts(group)])
    return markdown.table(header, rows)


def claim_text(by_id: dict[str, Claim], match: re.Match[str]) -> str:
    claim = by_id.get(match[1])
    if claim is None:
        raise InputError(f"an answer names no claim: {match[1]}")
    if match[2]:
        return claim.verdict
    return markdown.figure_text(claim.worst.figure) if claim.worst else "(not tested)"


def pair_counts(table: Table | None) -> str:
    if table is None:
        return NONE
    figures = [pair_ratio(table, pair) for pair in pairs(table, {}) if pair.case["variant"] not in CONTROLS]
    verdicts = Counter(verdict(figure) for figure in figures if figure)
    return counted(verdicts, ("SAME", "FASTER", "SLOWER", "UNCLEAR"))


def claim_counts(group: ClaimFile) -> str:
    return counted(Counter(claim.verdict for claim in group.claims), claims_lib.VERDICTS)


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


Section = Callable[[Results, Table], str]
SECTIONS: dict[str, list[tuple[str, Section]]] = {
    "exp01_vector_add": [
        ("Size sweep", exp01_sizes),
        ("Block sweep", exp01_blocks),
        ("Ceilings", exp01_ceilings),
        ("Copy, read and write in every shape", exp01_copies),
        ("What a launch costs", exp01_launch),
        ("Machine code", excerpts.sass_excerpts),
    ],
    "exp02_descriptors": [
        ("Ways to hand over buffers, streaming from memory", exp02_bandwidth),
        ("Ways to hand over buffers, many small dispatches", exp02_ways),
        ("Bounds checks", exp02_robustness),
        ("Machine code", excerpts.sass_excerpts),
    ],
    "exp03_memory_coalescing": [
        ("Array of structures against structure of arrays", exp03_layout),
        ("Misaligned access", exp03_offsets),
        ("Both fields of an 8-byte struct", exp03_fields),
        ("Struct sizes", exp03_structs),
        ("Permuted lanes, and all lanes at one address", exp03_lanes),
        ("Machine code", excerpts.sass_excerpts),
    ],
    "exp04_bda": [
        ("CUDA, descriptors, addresses", exp04_three),
        ("Causes of the gaps", exp04_causes),
        ("Qualifiers", exp04_qualifiers),
        ("Machine code", excerpts.sass_excerpts),
    ],
}
README_TABLES: dict[str, tuple[str, Section]] = {
    "exp01-sizes": ("exp01_vector_add", exp01_sizes),
    "exp01-ceilings": ("exp01_vector_add", exp01_ceilings),
    "exp01-launch": ("exp01_vector_add", exp01_launch),
    "exp02-binding": ("exp02_descriptors", exp02_binding),
    "exp02-robustness": ("exp02_descriptors", exp02_robustness),
    "exp03-bars": ("exp03_memory_coalescing", exp03_bars),
    "exp03-layout": ("exp03_memory_coalescing", exp03_layout),
    "exp03-offsets": ("exp03_memory_coalescing", partial(exp03_offsets, offsets=README_OFFSETS)),
    "exp03-structs": ("exp03_memory_coalescing", exp03_structs),
    "exp04-three": ("exp04_bda", exp04_three),
    "exp04-causes": ("exp04_bda", exp04_causes),
    "exp04-qualifiers": ("exp04_bda", exp04_qualifiers),
    # exp05-sass; a program that shares its number with others goes by its whole name: exp06_litmus-sass.
    **{f"{name.partition('_')[0]}-sass": (name, excerpts.sass_excerpts) for name in excerpts.EXCERPTS},
    **{f"{name}-sass": (name, excerpts.sass_excerpts) for name in excerpts.EXCERPTS},
}


def all_pairs(found: Results, table: Table) -> str:
    counts = counted_lib.load(found, table)
    text = twin_table(table, {}, sectors=True, counts=counts, metrics=table.measured)
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


def claims_tables(name: str, groups: Sequence[ClaimFile]) -> str | None:
    """The claims of one experiment (exp05 or exp06_litmus), or of all programs with its number (exp06)."""
    chosen = [group for group in groups if name in (group.experiment, group.experiment.partition("_")[0])]
    if len(chosen) < 2:
        return claims_table(chosen[0]) if chosen else None
    return "\n\n".join(f"**{escape(group.experiment)}**\n\n{claims_table(group)}" for group in chosen)


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
            files.write_atomic(path, text)
            print(f"wrote {path}")
    except (InputError, OSError) as error:
        print(f"worklog.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
