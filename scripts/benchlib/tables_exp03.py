"""exp03's tables: layouts, offsets, structs, lanes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from benchlib import counted, floor, markdown
from benchlib.excerpts import sass_excerpts, twin
from benchlib.markdown import NONE, count, escape, ratio_text, sig
from benchlib.results import API_NAMES, Case, Results, Table
from benchlib.tables import Experiment, comparison, figure_of, micros, pairs, plain, sectors_cell, sectors_header
from benchlib.tables import sectors_table, twin_table, with_floor

SOURCE_ELEMENTS = 1 << 22  # Worklog #05's N = 4M particles
LAYOUT_NAMES = {"read_soa_x": "SoA", "read_aos_x": "AoS", "read_aos_vec4": "AoS, whole struct"}
README_OFFSETS = ["0", "1", "2", "4", "7", "8", "16", "24", "31", "32"]


def exp03_layout(found: Results, table: Table) -> str:
    """Worklog #05's table and picture, at its size and where the data streams from memory."""
    parts = []
    counts = counted.load(found, table)
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
    return with_floor(found, table, counted.explained(counts, "\n\n".join(parts)) if parts else "No results.")


def layout_bars(table: Table, cases: Sequence[Case]) -> list[str]:
    """The worklog's picture: a bar per layout and API; nothing where nothing was measured."""
    lengths = [(layout_label(case), figure) for case in cases if (figure := table.figure(case, "device_ns"))]
    return [markdown.bars([(label, f.value, f"{sig(f.value / 1e6)} ms") for label, f in lengths])] if lengths else []


def layout_label(case: Case) -> str:
    return f"{API_NAMES[case['api']]} {LAYOUT_NAMES[case['variant']]}"


def layout_table(table: Table, cases: Sequence[Case], counts: counted.Counts | None) -> str:
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
    counts = counted.load(found, table)
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
    return with_floor(found, table, counted.explained(counts, "\n\n".join(parts)))


def exp03_structs(found: Results, table: Table) -> str:
    """Struct size and fields read: does time follow the sectors?"""
    counts = counted.load(found, table)
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
    text = counted.explained(counts, markdown.table(header, rows))
    return with_floor(found, table, f"{text}\n\n{reading}")


def exp03_fields(found: Results, table: Table) -> str:
    return sectors_table(found, table, {"variant": ["inner_struct", "inner_array"]})


def exp03_lanes(found: Results, table: Table) -> str:
    return sectors_table(found, table, {"variant": ["read_permuted", "read_same"]})


MACHINE_CODE = partial(sass_excerpts, chosen=[twin("read_soa_x"), twin("read_aos_x")])
EXPERIMENTS = [
    Experiment(
        "exp03_memory_coalescing",
        sections=[
            ("Array of structures against structure of arrays", exp03_layout),
            ("Misaligned access", exp03_offsets),
            ("Both fields of an 8-byte struct", exp03_fields),
            ("Struct sizes", exp03_structs),
            ("Permuted lanes, and all lanes at one address", exp03_lanes),
            ("Time floor", floor.section),
            ("Machine code", MACHINE_CODE),
        ],
        readme={
            "exp03-layout": exp03_layout,
            "exp03-offsets": partial(exp03_offsets, offsets=README_OFFSETS),
            "exp03-structs": exp03_structs,
            "exp03-floor": partial(floor.section, whole=False),
            "exp03-counted": counted.predicted_and_counted,
            "exp03-sass": MACHINE_CODE,
        },
        figures="exp03-plots",
    )
]
