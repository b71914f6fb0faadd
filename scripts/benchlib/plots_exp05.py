"""exp05's figures: sectors and bandwidth against the stride, predicted, counted and measured."""

from __future__ import annotations

from collections.abc import Callable

from benchlib import counted
from benchlib.floor import Model
from benchlib.markdown import count
from benchlib.plots import Figure, Panel, Plot, Point, Series
from benchlib.results import API_NAMES, APIS, Case, Results, Table
from benchlib.tables_exp05 import is_full

SECTORS = "32-byte sectors a warp"
BANDWIDTH = "useful GB/s, median and 95 % interval"
X_LABEL = "stride between neighbouring threads, elements"


def points(cases: list[Case], value: Callable[[Case], float | None]) -> list[Point]:
    """One a stride; nothing where there is no figure above 0."""
    found = [(case.whole("stride"), value(case)) for case in cases]
    return [Point(stride, y) for stride, y in sorted(found, key=lambda item: item[0]) if y]


class Sweep:
    """The cases of one kernel, size and width."""

    def __init__(self, found: Results, table: Table, where: dict[str, object], kind: str):
        self.table, self.kind = table, kind
        self.model = Model(found, table)
        self.counts = counted.load(found, table)
        self.cases = {api: [c for c in table.select({**where, "api": api}) if is_full(table, c)] for api in APIS}

    def sectors(self, title: str) -> Panel:
        either = self.cases["cuda"] or self.cases["vulkan"]
        predicted = points(either, lambda case: float(self.table.text(case, f"{self.kind}_sectors") or 0))
        seen = points(self.cases["cuda"], lambda case: self.counts.per_request(case, self.kind) if self.counts else None)
        expected = Series("predicted", "model", predicted, dashed=True, marks=False)
        return Panel(title, SECTORS, [expected, Series("counted", "cuda", seen, line=False)])

    def bandwidth(self, title: str) -> Panel:
        series = [Series("predicted", "model", points(self.cases["cuda"], self.predicted_gbps), dashed=True, marks=False)]
        for api in APIS:
            figures = [(case.whole("stride"), self.table.figure(case, "gbps")) for case in self.cases[api]]
            measured = [Point(stride, f.value, f.lo, f.hi) for stride, f in sorted(figures, key=lambda item: item[0]) if f]
            series.append(Series(API_NAMES[api], api, measured))
        return Panel(title, BANDWIDTH, series, y_log=True)

    def predicted_gbps(self, case: Case) -> float | None:
        """If every predicted sector came from where the data is, at the ceiling."""
        useful = float(self.table.text(case, "useful_bytes") or 0)
        ns = self.model.sector_ns(case)
        return useful / ns if ns and useful else None


def widths(found: Results, table: Table, variant: str, kind: str, title: str) -> Figure:
    """A column for each element width, from memory."""
    where = {"variant": variant, "elements": "max_dram"}
    sizes = sorted({case.whole("elem_bytes") for case in table.select(where)})
    sweeps = [Sweep(found, table, {**where, "elem_bytes": str(size)}, kind) for size in sizes]
    panels = [sweep.sectors(f"{size} bytes an element") for size, sweep in zip(sizes, sweeps)]
    panels += [sweep.bandwidth(f"{size} bytes an element") for size, sweep in zip(sizes, sweeps)]
    return Figure(title, X_LABEL, panels, columns=max(1, len(sizes)), description=DESCRIPTION)


DESCRIPTION = (
    "Sectors that a warp's access needs, predicted from the addresses and counted by Nsight Compute; and the measured bandwidth "
    "of both APIs, with what it would be if every predicted sector were fetched once at the GPU's own best rate."
)


def exp05_loads_plot(found: Results, table: Table) -> Figure:
    return widths(found, table, "read_once", "load", "Loads from memory, every element once")


def exp05_stores_plot(found: Results, table: Table) -> Figure:
    return widths(found, table, "write_once", "store", "Stores to memory, every element once")


def exp05_index_plot(found: Results, table: Table) -> Figure:
    """The post's index against one that visits all, by size."""
    panels = []
    sizes = sorted({case.elements for case in table.select({"variant": ["read_once", "read_folded"], "elem_bytes": "4"})})
    for elements in sizes:
        series = []
        for variant, name, dashed in (("read_once", "once", False), ("read_folded", "folded", True)):
            sweep = Sweep(found, table, {"variant": variant, "elements": str(elements), "elem_bytes": "4"}, "load")
            for one in sweep.bandwidth("").series[1:]:
                short = "CUDA" if one.kind == "cuda" else "Vulkan"
                series.append(Series(f"{short} {name}", one.kind, one.points, dashed=dashed))
        panels.append(Panel(f"{count(elements)} elements of 4 bytes", BANDWIDTH, series, y_log=True))
    title = "The post's index, which folds back, against a permutation that visits every element once"
    return Figure(title, X_LABEL, panels, description="Measured bandwidth of loads, as asked for, by stride and size.")


PLOTS = {
    "exp05-loads": Plot(
        "exp05_strided",
        "Loads: sectors and bandwidth against the stride, predicted and measured",
        exp05_loads_plot,
        "read_once",
    ),
    "exp05-stores": Plot("exp05_strided", "Stores: the same", exp05_stores_plot, "write_once"),
    "exp05-index": Plot("exp05_strided", "The folded index against a permutation that visits once", exp05_index_plot, "read_*"),
}
