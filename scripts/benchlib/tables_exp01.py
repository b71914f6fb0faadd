"""exp01's tables: sizes, blocks, ceilings, and what a launch costs."""

from __future__ import annotations

from functools import partial

from benchlib import floor, markdown
from benchlib.excerpts import sass_excerpts, twin
from benchlib.markdown import NONE, escape, sig
from benchlib.results import API_NAMES, APIS, Case, Results, Table
from benchlib.tables import Experiment, Pair, comparison, figure_of, micros, pairs, twin_table, with_floor

ADD_VARIANTS = ["add_f32", "add_f32x4"]
COPY_VARIANTS = ["copy_f32", "copy_tile", "read_tile", "write_tile", "copy_api"]
API_COPIES = {"cuda": "cudaMemcpyAsync", "vulkan": "vkCmdCopyBuffer"}
DEFAULT_BLOCK = "256"


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


MACHINE_CODE = partial(sass_excerpts, chosen=[twin("add_f32")])
EXPERIMENTS = [
    Experiment(
        "exp01_vector_add",
        sections=[
            ("Size sweep", exp01_sizes),
            ("Block sweep", exp01_blocks),
            ("Ceilings", exp01_ceilings),
            ("Copy, read and write in every shape", exp01_copies),
            ("What a launch costs", exp01_launch),
            ("Time floor", floor.section),
            ("Machine code", MACHINE_CODE),
        ],
        readme={
            "exp01-sizes": exp01_sizes,
            "exp01-ceilings": exp01_ceilings,
            "exp01-launch": exp01_launch,
            "exp01-floor": partial(floor.section, whole=False),
            "exp01-sass": MACHINE_CODE,
        },
        figures="exp01-plots",
    )
]
