"""exp02's tables: the ways to hand over buffers, and bounds checks."""

from __future__ import annotations

from functools import partial

from benchlib import markdown
from benchlib.excerpts import sass_excerpts, three_ways
from benchlib.markdown import NONE, count, escape, ratio_text
from benchlib.results import Results, Table
from benchlib.tables import Experiment, comparison, figure_of, micros, pairs, twin_table, with_floor


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
        for pair in sorted(found_pairs, key=lambda pair: [pair.case.whole(column) for column in sizes]):
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


MACHINE_CODE = partial(sass_excerpts, chosen=[three_ways("sum_1, a plain copy", "sum_1", "sum_1.address")])
EXPERIMENTS = [
    Experiment(
        "exp02_descriptors",
        sections=[
            ("Ways to hand over buffers, streaming from memory", exp02_bandwidth),
            ("Ways to hand over buffers, many small dispatches", exp02_ways),
            ("Bounds checks", exp02_robustness),
            ("Machine code", MACHINE_CODE),
        ],
        readme={
            "exp02-binding": exp02_binding,
            "exp02-robustness": exp02_robustness,
            "exp02-sass": MACHINE_CODE,
        },
    )
]
