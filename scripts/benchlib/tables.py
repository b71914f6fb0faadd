"""What the worklog's tables are made of: cells, pairs of twins, the noise floor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from benchlib import counted, markdown
from benchlib.markdown import NONE, count, escape, ratio_text, sig
from benchlib.results import API_NAMES, APIS, Case, Results, Table
from benchlib.stats import Figure, verdict


Section = Callable[[Results, Table], str]


@dataclass(frozen=True)
class Experiment:
    """What the worklog and the READMEs show of a program's results; its module declares it, worklog.py collects."""

    name: str
    sections: Sequence[tuple[str, Section]]  # of the worklog, with their titles
    readme: Mapping[str, Section]  # by the name in a README's marker: <!-- worklog:NAME -->
    figures: str = ""  # that name for the program's figures, which are the worklog's first section; "" where it has none


@dataclass(frozen=True)
class Pair:
    """A case's two sides; one is None where it has no result."""

    cuda: Case | None
    vulkan: Case | None

    @property
    def case(self) -> Case:
        case = self.cuda or self.vulkan
        assert case is not None
        return case

    @property
    def sides(self) -> tuple[Case | None, Case | None]:
        return self.cuda, self.vulkan


def micros(figure: Figure | None) -> str:
    return sig(figure.value / 1000) if figure else NONE


def plain(figure: Figure | None) -> str:
    return sig(figure.value) if figure else NONE


def figure_of(table: Table, case: Case | None, metric: str = "device_ns") -> Figure | None:
    return table.figure(case, metric) if case else None


def varying_columns(cases: Sequence[Case]) -> list[str]:
    """The key columns worth a table column: the size, and those that differ between these cases."""
    columns = [column for column, _ in cases[0].cells if column not in ("variant", "api")]
    return [column for column in columns if column == "elements" or len({case[column] for case in cases}) > 1]


def key_cell(case: Case, column: str) -> str:
    return count(case.elements) if column == "elements" else escape(case[column]) or NONE


def measured_cell(table: Table, case: Case | None, metric: str) -> str:
    """A figure, or the text that stands in its place."""
    figure = figure_of(table, case, metric)
    return markdown.figure_text(figure) if figure or case is None else escape(table.text(case, metric)) or NONE


def sectors_cell(table: Table, case: Case) -> str:
    cells = [table.text(case, f"{kind}_sectors") for kind in ("load", "store")]
    return " + ".join(cell or "?" for cell in cells)


def pair_ratio(table: Table, pair: Pair) -> Figure | None:
    if not pair.cuda or not pair.vulkan or not table.same_gpu(pair.cuda, pair.vulkan):
        return None
    return table.ratio(pair.vulkan, pair.cuda)


def comparison(table: Table, pair: Pair) -> list[str]:
    """Vulkan/CUDA with its interval, and the verdict about Vulkan."""
    figure = pair_ratio(table, pair)
    if figure is None:
        return [NONE, "no twin"]
    return [ratio_text(figure), verdict(figure)]


def pairs(table: Table, where: dict[str, object]) -> list[Pair]:
    """CUDA cases with their Vulkan twins in the order of the file, then the Vulkan cases without one."""
    vulkan = table.select({**where, "api": "vulkan"})
    found = []
    for case in table.select({**where, "api": "cuda"}):
        twin = table.twin(case)
        found.append(Pair(case, twin))
        vulkan = [other for other in vulkan if other != twin]
    return found + [Pair(None, other) for other in vulkan]


def sectors_header(counts: counted.Counts | None, name: str = "sectors per warp, load + store") -> list[str]:
    """The columns of the predicted sectors, and of the counted ones where there are any."""
    return [f"{name}, predicted:", *counted.HEADER] if counts else [f"{name}:"]


def twin_table(
    table: Table,
    where: dict[str, object],
    *,
    sectors: bool = False,
    counts: counted.Counts | None = None,
    metrics: Sequence[str] = (),
) -> str:
    """Each CUDA row beside its Vulkan twin: time, bandwidth, ratio, verdict; with `sectors` the predicted ones and `counts`,
    and of `metrics`, columns that the experiment measured, those that any of these rows has.
    """
    found = sorted(pairs(table, where), key=lambda pair: (pair.case.elements, pair.case["block"].zfill(5)))
    if not found:
        return "No results."
    columns = varying_columns([pair.case for pair in found])
    header = ["variant", *(f"{column}:" for column in columns)]
    with_rates = any(figure_of(table, side, "gbps") for pair in found for side in pair.sides)
    header += ["CUDA µs:", "Vulkan µs:", *(["CUDA GB/s:", "Vulkan GB/s:"] if with_rates else [])]
    metrics = [metric for metric in metrics if any(side and table.text(side, metric) for pair in found for side in pair.sides)]
    header += [f"{API_NAMES[api]} {escape(metric)}:" for metric in metrics for api in APIS]
    header += sectors_header(counts) if sectors and table.model else []
    header += ["Vulkan/CUDA [95 %]:", "Vulkan is"]
    rows = []
    for pair in found:
        cells = [escape(pair.case["variant"]), *(key_cell(pair.case, column) for column in columns)]
        cells += [micros(figure_of(table, side)) for side in pair.sides]
        cells += [plain(figure_of(table, side, "gbps")) for side in pair.sides if with_rates]
        cells += [measured_cell(table, side, metric) for metric in metrics for side in pair.sides]
        if sectors and table.model:
            cells += [sectors_cell(table, pair.case), *(counts.cells(pair.sides) if counts else [])]
        rows.append(cells + comparison(table, pair))
    return markdown.table(header, rows)


def noise_floor(found: Results, table: Table) -> str:
    """What a kernel paired with itself shows: differences below it mean nothing."""
    for source in [table, *(other for other in found.tables.values() if other is not table)]:
        parts = []
        for api in APIS:
            for case in source.select({"variant": "aa_control_a", "api": api}):
                figure = source.ratio(case.replace(variant="aa_control_b"), case)
                if figure:
                    parts.append(f"{API_NAMES[api]} {ratio_text(figure)}")
        if parts:
            where = "" if source is table else f", measured by {escape(source.name)}"
            return f"Noise floor (A/A: one kernel paired with itself{where}): {', '.join(parts)}."
    return "Noise floor: no A/A control in these results."


def with_floor(found: Results, table: Table, text: str) -> str:
    return f"{text}\n\n{noise_floor(found, table)}"


def sectors_table(found: Results, table: Table, where: dict[str, object]) -> str:
    """Twins with their sectors, predicted and, where they were, counted."""
    counts = counted.load(found, table)
    return with_floor(found, table, counted.explained(counts, twin_table(table, where, sectors=True, counts=counts)))


def all_pairs(found: Results, table: Table) -> str:
    """What an experiment gets that declares nothing."""
    counts = counted.load(found, table)
    ends = {f"{metric}_{end}" for metric in table.measured for end in ("lo", "hi")}  # shown as their figure's interval
    metrics = [metric for metric in table.measured if metric not in ends]
    text = twin_table(table, {}, sectors=True, counts=counts, metrics=metrics)
    return with_floor(found, table, counted.explained(counts, text))
