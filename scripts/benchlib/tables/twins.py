"""What the experiments' tables are made of: cells, twins beside each other, the noise floor."""

from collections.abc import Iterable, Mapping, Sequence

from benchlib.base.programs import CONTROLS
from benchlib.document import document
from benchlib.document.document import NO_RESULTS, NONE, Block, Blocks, Cell, Verdict, paragraph, whole
from benchlib.model import hardware_counts
from benchlib.model.analysis import Study
from benchlib.model.hardware_counts import Counts
from benchlib.model.pairs import Pair, exactly, figure_of, judged, pairs
from benchlib.results.results import API_NAMES, APIS, CLASSES, Case, Table
from benchlib.stats.formats import ratio_text
from benchlib.stats.stats import Figure
from benchlib.tables.counts import COUNTS_HEADER, count_cells, explained


def micros(figure: Figure | None) -> Cell:
    """From nanoseconds."""
    return document.number(figure.value / 1000) if figure else NONE


def plain(figure: Figure | None, digits: int = 4) -> Cell:
    """The value alone."""
    return document.number(figure.value, digits) if figure else NONE


def both_apis(table: Table, cases: Sequence[Case], metric: str) -> Cell:
    """CUDA's figure and Vulkan's; one that is not there is a dash, and two of them one."""
    cells = []
    for api in APIS:
        figures = [figure_of(table, case, metric) for case in cases if case["api"] == api]
        cells.append(plain(figures[0]) if figures else NONE)
    return NONE if set(cells) == {NONE} else document.joined(cells)


def varying_columns(cases: Sequence[Case]) -> list[str]:
    """The key columns worth a table column: the size, and those that differ between these cases."""
    columns = [column for column, _ in cases[0].cells if column not in ("variant", "api")]
    return [column for column in columns if column == "elements" or len({case[column] for case in cases}) > 1]


def key_cell(case: Case, column: str) -> Cell:
    return whole(case.elements) if column == "elements" else case[column] or NONE


def measured_cell(table: Table, case: Case | None, metric: str) -> Cell:
    """A figure, or the text that stands in its place."""
    figure = figure_of(table, case, metric)
    return document.interval(figure) if figure or case is None else table.text(case, metric) or NONE


def sectors_cell(table: Table, case: Case) -> str:
    cells = [table.text(case, f"{kind}_sectors") for kind in ("load", "store")]
    return " + ".join(cell or "?" for cell in cells)


def comparison(table: Table, pair: Pair) -> list[Cell]:
    """Vulkan/CUDA with the effect's interval and a further run's, and the verdict about Vulkan with the runs that agree."""
    found = judged(table, pair)
    if found is None:
        return [NONE, document.NO_TWIN]
    further = f"a run [{found.further.lo:.4f}, {found.further.hi:.4f}]"
    return [document.joined([document.ratio(found.effect), further], "; "), document.joined([Verdict(found.verdict), found.seen], ", ")]


def sectors_header(counts: Counts | None, name: str = "sectors per warp, load + store") -> list[str]:
    """The columns of the predicted sectors, and of the counted ones where there are any."""
    return [f"{name}, predicted:", *COUNTS_HEADER] if counts else [f"{name}:"]


def twin_table(
    table: Table,
    where: Mapping[str, object],
    *,
    sectors: bool = False,
    counts: Counts | None = None,
    metrics: Sequence[str] = (),
) -> Block:
    """Each CUDA row beside its Vulkan twin: time, bandwidth, ratio, verdict; with `sectors` the predicted ones and `counts`,
    and of `metrics`, columns that the experiment measured, those that any of these rows has.
    """
    found = sorted(pairs(table, where), key=lambda pair: (pair.case.elements, pair.case["block"].zfill(5)))
    if not found:
        return NO_RESULTS
    columns = varying_columns([pair.case for pair in found])
    header = ["variant", *(f"{column}:" for column in columns)]
    with_rates = any(figure_of(table, side, "gbps") for pair in found for side in pair.sides)
    header += ["CUDA µs:", "Vulkan µs:", *(["CUDA GB/s:", "Vulkan GB/s:"] if with_rates else [])]
    metrics = [metric for metric in metrics if any(side and table.text(side, metric) for pair in found for side in pair.sides)]
    header += [f"{API_NAMES[api]} {metric}:" for metric in metrics for api in APIS]
    header += sectors_header(counts) if sectors and table.model else []
    header += ["Vulkan/CUDA [95 %]:", "Vulkan is"]
    rows = []
    for pair in found:
        cells: list[Cell] = [pair.case["variant"], *(key_cell(pair.case, column) for column in columns)]
        cells += [micros(figure_of(table, side)) for side in pair.sides]
        cells += [plain(figure_of(table, side, "gbps")) for side in pair.sides if with_rates]
        cells += [measured_cell(table, side, metric) for metric in metrics for side in pair.sides]
        if sectors and table.model:
            cells += [sectors_cell(table, pair.case), *(count_cells(counts, pair.sides) if counts else [])]
        rows.append(cells + comparison(table, pair))
    return document.table(header, rows)


def without_checks(found: Study, table: Table, where: Mapping[str, object]) -> Blocks:
    """Vulkan as the driver has it and without its bounds checks, each against the CUDA side that it was measured with."""
    off = pairs(table, {**where, "checks": "off"})
    if not off:
        return [NO_RESULTS]
    columns = [column for column in varying_columns([pair.case for pair in off]) if column != "checks"]
    header = ["variant", *(f"{column}:" for column in columns), "CUDA µs:", "Vulkan µs:", "without checks µs:"]
    header += ["Vulkan/CUDA [95 %]:", "Vulkan is", "without checks/CUDA [95 %]:", "without checks it is"]
    header += ["with checks/without [95 %]:"]
    rows = []
    for pair in sorted(off, key=lambda pair: (pair.case["variant"], pair.case.elements, pair.case["block"].zfill(5))):
        own = next(iter(pairs(table, exactly(pair.case.replace(checks="")))), Pair(None, None))
        cells: list[Cell] = [pair.case["variant"], *(key_cell(pair.case, column) for column in columns)]
        cells += [micros(figure_of(table, side)) for side in (own.cuda or pair.cuda, own.vulkan, pair.vulkan)]
        cells += comparison(table, own) + comparison(table, pair)
        both = own.vulkan and pair.vulkan
        rows.append([*cells, document.ratio(table.ratio(own.vulkan, pair.vulkan)) if both else NONE])
    reading = paragraph(
        "Without checks: VK_EXT_pipeline_robustness, and storage buffers whose accesses are not checked. With the driver's default no "
        "robustness feature is enabled either."
    )
    return with_noise_floor(found, table, document.table(header, rows), reading)


def noise_floor(found: Study, table: Table) -> Block:
    """What a kernel paired with itself shows, for each class of cases that the table's experiment has: differences below it mean nothing."""
    kinds = {table.class_of(case) for case in table.select({}) if case["variant"] not in CONTROLS}
    floors = {kind: _floor_of(found, table, kind) for kind in CLASSES if kind in kinds}
    if not any(floors.values()):
        return paragraph("Noise floor: no A/A control in these results.")
    parts = [floor or f"{kind}: no A/A control" for kind, floor in floors.items()]
    return paragraph(f"Noise floor (A/A: one kernel paired with itself): {'; '.join(parts)}.")


def _floor_of(found: Study, table: Table, kind: str) -> str:
    """The table's own controls of this class, else the first other experiment's; "" if there are none."""
    for source in [table, *(other for other in found.tables.values() if other is not table)]:
        parts = []
        for api in APIS:
            for case in source.select({"variant": "aa_control_a", "api": api}):
                figure = source.ratio(case.replace(variant="aa_control_b"), case)
                if figure and source.class_of(case) == kind:
                    parts.append(f"{API_NAMES[api]} {ratio_text(figure)}")
        if parts:
            where = "" if source is table else f" (measured by {source.name})"
            return f"{kind}{where}: {', '.join(parts)}"
    return ""


def with_noise_floor(found: Study, table: Table, *blocks: Block) -> Blocks:
    return [*blocks, found.memoized(noise_floor, table)]


def rows_or_none(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Block:
    """A table, or that there are no results."""
    shown = list(rows)
    return document.table(header, shown) if shown else NO_RESULTS


def sectors_table(found: Study, table: Table, where: Mapping[str, object], metrics: Sequence[str] = ()) -> Blocks:
    """Twins with their sectors, predicted and, where they were, counted."""
    counts = hardware_counts.load(found, table)
    shown = twin_table(table, where, sectors=True, counts=counts, metrics=metrics)
    return with_noise_floor(found, table, shown, *explained(counts))


def all_pairs(found: Study, table: Table) -> Blocks:
    """What an experiment gets that declares nothing."""
    return sectors_table(found, table, {}, table.measured)
