"""exp07_matrix_units' tables and figures: rates from registers, the ladder of products, power."""

from __future__ import annotations

from collections.abc import Sequence

from benchlib.document import document
from benchlib.document.document import NONE, Blocks, Cell, Code, fixed, paragraph
from benchlib.document.plots import CUDA, MORE, VULKAN, Chart, Panel, line
from benchlib.model.analysis import Analysis, Counting, Plot, Study
from benchlib.model.tables import figure_of, plain
from benchlib.results.results import API_NAMES, Case, Table

PEAK = 4096  # operations per clock and SM of f16 matrices on Hopper
RATES = ("rate_warp", "rate_group")
CHAINS = ("rate_fma", "rate_dot_add", "rate_dot_acc")


def _cell(table: Table, case: Case, metric: str, digits: int) -> Cell:
    figure = figure_of(table, case, metric)
    return fixed(figure.value, digits) if figure else NONE


def _rates(table: Table, variants: Sequence[str], *, of_peak: bool) -> Blocks:
    rows = []
    for case in table.select({"variant": list(variants)}):
        rate = figure_of(table, case, "ops_clk_sm")
        row: list[Cell] = [case["variant"], case["api"], case["in"], case["sums"]]
        row += [_cell(table, case, metric, digits) for metric, digits in (("tops", 1), ("ops_clk_sm", 0))]
        if of_peak:
            row.append(fixed(100 * rate.value / PEAK, 1) if rate else NONE)
        rows.append([*row, _cell(table, case, "busy_mhz", 0), _cell(table, case, "power_w", 0)])
    header = ["", "API", "numbers", "sums", "TFLOP/s or TOPS:", "per clock and SM:"]
    if of_peak:
        header.append("of f16's peak (%):")
    return [document.table([*header, "MHz:", "W:"], rows)]


def rates(_: Study, table: Table) -> Blocks:
    """A row an instruction and API."""
    return _rates(table, RATES, of_peak=True)


def chains(_: Study, table: Table) -> Blocks:
    """Likewise of the ordinary pipes."""
    return _rates(table, CHAINS, of_peak=False)


def ladder(_: Study, table: Table) -> Blocks:
    """Of each size and types the fastest first."""
    cases = [case for case in table.cases if case["variant"].startswith("product_") and case["data"] == "normal"]
    rated = [(case, figure) for case in cases if (figure := figure_of(table, case, "device_ns"))]
    rows = []
    for case, ns in sorted(rated, key=lambda one: (one[0].whole("size"), one[0]["in"] != "f16", one[0]["in"], one[0]["sums"] != "f32", one[1].value)):
        operations = 2 * case.whole("size") ** 3
        shape: list[Cell] = [case["tile"] or NONE, case["warps"] or NONE]
        row: list[Cell] = [case["size"], f"{case['in']}, {case['sums']}", case["variant"], case["api"], *shape]
        rows.append([*row, plain(ns), fixed(operations / ns.value / 1000, 1), _cell(table, case, "ops_clk_sm", 0), _cell(table, case, "power_w", 0)])
    header = ["size:", "numbers, sums", "", "API", "tile", "warps", "ns:", "TFLOP/s or TOPS:", "per clock and SM:", "W:"]
    return [
        paragraph("Matrices of the normal distribution. TFLOP/s by the sampled times; clock and power from 80 ms of launches on end."),
        document.table(header, rows),
    ]


def power(_: Study, table: Table) -> Blocks:
    """Random numbers against zeros, a row a kernel that was tried on both."""
    rows = []
    for zeros in table.select({"data": "zeros"}):
        same = {column: zeros[column] for column in ("variant", "api", "in", "sums", "size", "tile", "warps")}
        for normal in table.select({**same, "data": "normal"}):
            times = [figure_of(table, case, "device_ns") for case in (normal, zeros)]
            ratio: Cell = fixed(times[0].value / times[1].value, 3) if times[0] and times[1] else NONE
            both = [_cell(table, case, metric, 0) for metric in ("power_w", "busy_mhz") for case in (normal, zeros)]
            rows.append([zeros["variant"], zeros["api"], zeros["size"], ratio, *both])
    header = ["", "API", "size:", "times as fast on zeros:", "W, normal:", "W, zeros:", "MHz, normal:", "MHz, zeros:"]
    return [document.table(header, rows)]


def code(study: Study, _: Table) -> Blocks:
    """Where the machine code is to be read."""
    del study
    return [
        paragraph(
            "Counts of ", Code("HMMA"), ", ", Code("HGMMA"), ", ", Code("LDSM"), ", ", Code("LDGSTS"), " and others are columns of ",
            Code("sass.csv"), "; the claims below name the kernels.",
        )
    ]  # fmt: skip


LADDER = {
    "cuda": [("product_tile", "wmma, one tile", MORE[0]), ("product_mma", "mma.sync, cp.async", MORE[1]), ("product_wgmma", "wgmma, TMA", CUDA),
             ("product_cublas", "cuBLAS", MORE[2])],
    "vulkan": [("product_tile", "KHR, one tile", MORE[0]), ("product_double", "KHR, two tiles", MORE[1]), ("product_workgroup", "NV, workgroup's", VULKAN)],
}  # fmt: skip


def ladder_chart(_: Study, table: Table) -> Chart:
    """The fastest shape of each kernel, at each size."""
    panels = []
    for api, shown in LADDER.items():
        series = []
        for variant, name, kind in shown:
            where = {"variant": variant, "api": api, "in": "f16", "sums": "f32", "data": "normal", "pick": "fastest"}
            series.append(line(table, name, kind, table.select(where), lambda case: case.whole("size"), "tops", 1))
        panels.append(Panel(API_NAMES[api], "TFLOP/s", series))
    text = "Products of f16 matrices with sums of f32: TFLOP/s of each kernel's fastest shape, by the matrices' size."
    return Chart("The ladder of products", "rows, columns and depth", panels, columns=2, description=text)


ANALYSIS = Analysis(
    sections=[
        ("Rates from registers", rates),
        ("Arithmetic pipes", chains),
        ("The ladder", ladder),
        ("Power and zeros", power),
        ("Machine code", code),
    ],
    plots={"exp07-ladder": Plot("The ladder", ladder_chart, "product_*")},
    plots_marker="exp07-ladder-plots",
    counting=Counting(by_default=False),
)
