"""What the experiments' tables are made of: cells, twins beside each other, the noise floor."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial

from benchlib.base.programs import CONTROLS
from benchlib.document import document
from benchlib.document.document import NONE, Block, Blocks, Cell, Verdict, paragraph, whole
from benchlib.model import hardware_counts
from benchlib.model.analysis import Study
from benchlib.model.hardware_counts import Counts
from benchlib.model.pairs import Pair, exactly, figure_of, judged, pairs
from benchlib.results.results import API_NAMES, APIS, CLASSES, Case, Table
from benchlib.stats.formats import ratio_text
from benchlib.stats.stats import Figure
from benchlib.tables.counts import COUNTS_HEADER, count_cells, explained
from benchlib.tables.pivot import Columns, by_api, column, figures, keys, pivot, told


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


def varying_columns(cases: Sequence[Case], without: Collection[str] = ()) -> dict[str, Callable[[Case], Cell]]:
    """For keys(): the key columns worth a table column, the size and those that differ between these cases."""
    columns = [column for column, _ in cases[0].cells if column not in ("variant", "api", *without)] if cases else []
    varying = [column for column in columns if column == "elements" or len({case[column] for case in cases}) > 1]
    return {f"{column}:": partial(key_cell, column=column) for column in varying}


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


def versus(table: Table, what: str = "", of: str = "Vulkan") -> Columns[Pair]:
    """Vulkan/CUDA, and the verdict."""
    return [f"Vulkan/CUDA{what} [95 %]:", f"{of} is"], lambda pair: comparison(table, pair)


def sectors_columns(table: Table, counts: Counts | None, name: str = "sectors per warp, load + store") -> Columns[Pair]:
    """The predicted sectors, and the counted ones where there are any."""
    if not counts:
        return column(f"{name}:", lambda pair: sectors_cell(table, pair.case))
    return [f"{name}, predicted:", *COUNTS_HEADER], lambda pair: [sectors_cell(table, pair.case), *count_cells(counts, pair.sides)]


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
    sides = [side for pair in found for side in pair.sides if side]
    return pivot(
        found,
        keys({"variant": "variant", **varying_columns([pair.case for pair in found])}),
        by_api(["{} µs:"], figures(table, micros, "device_ns")),
        *([by_api(["{} GB/s:"], figures(table, plain, "gbps"))] if any(figure_of(table, side, "gbps") for side in sides) else []),
        *(by_api([f"{{}} {metric}:"], measured_cells(table, metric)) for metric in metrics if any(table.text(side, metric) for side in sides)),
        *([sectors_columns(table, counts)] if sectors and table.model else []),
        versus(table),
    )


def measured_cells(table: Table, metric: str) -> Callable[[Case | None], list[Cell]]:
    return lambda side: [measured_cell(table, side, metric)]


def without_checks(found: Study, table: Table, where: Mapping[str, object]) -> Blocks:
    """Vulkan as the driver has it and without its bounds checks, each against the CUDA side that it was measured with."""
    off = sorted(pairs(table, {**where, "checks": "off"}), key=lambda pair: (pair.case["variant"], pair.case.elements, pair.case["block"].zfill(5)))
    own = {pair: next(iter(pairs(table, exactly(pair.case.replace(checks="")))), Pair(None, None)) for pair in off}

    def times(pair: Pair) -> list[Cell]:
        return [micros(figure_of(table, side)) for side in (own[pair].cuda or pair.cuda, own[pair].vulkan, pair.vulkan)]

    def checks(pair: Pair) -> Cell:
        with_checks = own[pair].vulkan
        return document.ratio(table.ratio(with_checks, pair.vulkan)) if with_checks and pair.vulkan else NONE

    shown = pivot(
        off,
        keys({"variant": "variant", **varying_columns([pair.case for pair in off], without=["checks"])}),
        (["CUDA µs:", "Vulkan µs:", "without checks µs:"], times),
        (["Vulkan/CUDA [95 %]:", "Vulkan is"], lambda pair: comparison(table, own[pair])),
        (["without checks/CUDA [95 %]:", "without checks it is"], lambda pair: comparison(table, pair)),
        column("with checks/without [95 %]:", checks),
    )
    reading = (
        "Without checks: VK_EXT_pipeline_robustness, and storage buffers whose accesses are not checked. With the driver's default no "
        "robustness feature is enabled either."
    )
    return told(shown, after=[reading, found.memoized(noise_floor, table)])


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


def sectors_table(found: Study, table: Table, where: Mapping[str, object], metrics: Sequence[str] = ()) -> Blocks:
    """Twins with their sectors, predicted and, where they were, counted."""
    counts = hardware_counts.load(found, table)
    shown = twin_table(table, where, sectors=True, counts=counts, metrics=metrics)
    return with_noise_floor(found, table, shown, *explained(counts))


def all_pairs(found: Study, table: Table) -> Blocks:
    """What an experiment gets that declares nothing."""
    return sectors_table(found, table, {}, table.measured)
