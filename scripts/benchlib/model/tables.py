"""What the experiments' tables are made of: cells, pairs of twins, the noise floor."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from benchlib.document import document
from benchlib.model import hardware_counts
from benchlib.model.analysis import Study
from benchlib.document.document import NO_RESULTS, NONE, Block, Blocks, Cell, Ratio, Verdict, Whole, paragraph
from benchlib.document.formats import ratio_text
from benchlib.model.hardware_counts import Counts
from benchlib.results.results import API_NAMES, APIS, CLASSES, Case, Table
from benchlib.stats import effect
from benchlib.stats.effect import Estimate
from benchlib.stats.stats import FIXED_COST, UNCLEAR, Figure, ratio, side_of, verdict_beyond_fixed_costs, verdict_of_effect


NORMAL975 = 1.96
CONTROLS = ("stamp_pair", "ruler", "ruler_full", "aa_control_a", "aa_control_b")  # about the measurement, not about the APIs


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


def micros(figure: Figure | None) -> Cell:
    """From nanoseconds."""
    return document.number(figure.value / 1000) if figure else NONE


def plain(figure: Figure | None, digits: int = 4) -> Cell:
    """The value alone."""
    return document.number(figure.value, digits) if figure else NONE


def figure_of(table: Table, case: Case | None, metric: str = "device_ns") -> Figure | None:
    return table.figure(case, metric) if case else None


def in_order(cases: Sequence[Case], column: str) -> list[str]:
    """The column's values, as they come in the file."""
    return list(dict.fromkeys(case[column] for case in cases))


def place_in(known: Sequence[str], value: str) -> int:
    """For sorting: its place among the known values; what is none of them comes last."""
    return known.index(value) if value in known else len(known)


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
    return Whole(case.elements) if column == "elements" else case[column] or NONE


def measured_cell(table: Table, case: Case | None, metric: str) -> Cell:
    """A figure, or the text that stands in its place."""
    figure = figure_of(table, case, metric)
    return document.interval(figure) if figure or case is None else table.text(case, metric) or NONE


def sectors_cell(table: Table, case: Case) -> str:
    cells = [table.text(case, f"{kind}_sectors") for kind in ("load", "store")]
    return " + ".join(cell or "?" for cell in cells)


@dataclass(frozen=True)
class Judged:
    """A pair's Vulkan/CUDA."""

    effect: Figure  # on this model of GPU: the mean over boards
    further: Figure  # the same with the interval of a further run on a further board
    verdict: str  # about Vulkan
    agree: int  # of the runs: those whose own ratio is on the verdict's side

    @property
    def runs(self) -> int:
        return self.effect.runs

    @property
    def seen(self) -> str:
        return f"in {self.agree} of {self.runs} runs"


_judged: WeakKeyDictionary[Table, dict[tuple[Pair, str], Judged | None]] = WeakKeyDictionary()


def judged(table: Table, pair: Pair, metric: str = "device_ns") -> Judged | None:
    """None where there is no twin on the GPU, or times are not compared. `metric`: a time."""
    known = _judged.setdefault(table, {})
    if not table.compares_times:
        return None
    if (pair, metric) not in known:
        known[pair, metric] = _judge(table, pair, metric)
    return known[pair, metric]


def _judge(table: Table, pair: Pair, metric: str) -> Judged | None:
    if not pair.cuda or not pair.vulkan or not table.same_gpu(pair.cuda, pair.vulkan):
        return None
    found = pair_estimate(table, pair, metric)
    if found is None:
        return None
    boards = pair_runs(table, pair, metric)
    runs = sum(map(len, boards.values()))
    effect_, further = found.figure(found.half, runs), found.figure(found.further_half, runs)
    times, fixed = ([figure_of(table, side, name) for side in pair.sides] for name in (metric, "fixed_ns"))
    fixed = fixed if metric == "device_ns" else [None, None]  # it is GPU time
    verdict = verdict_beyond_fixed_costs(effect_, times, fixed, verdict_of_effect)
    beside = side_of(effect_.value) if verdict in (UNCLEAR, FIXED_COST) else verdict
    agree = sum(side_of(math.exp(value)) == beside for values in boards.values() for value in values)
    return Judged(effect_, further, verdict, agree)


def pair_runs(table: Table, pair: Pair, metric: str = "device_ns") -> dict[str, list[float]]:
    """The logarithm of Vulkan/CUDA in each run that has both, by board."""
    return {board: [math.log(one.value) for one in runs] for board, runs in table.by_board(run_ratios(table, pair, metric)).items()}


def run_ratios(table: Table, pair: Pair, metric: str = "device_ns") -> list[Figure | None]:
    """Vulkan/CUDA of each run; None where it has not both."""
    assert pair.cuda and pair.vulkan
    sides = zip(table.run_figures(pair.vulkan, metric), table.run_figures(pair.cuda, metric))
    return [ratio(vulkan, cuda) if vulkan and cuda and min(vulkan.value, cuda.value) > 0 else None for vulkan, cuda in sides]


def pair_estimate(table: Table, pair: Pair, metric: str = "device_ns") -> Estimate | None:
    """None without a run that has both sides, or where such a run has no interval of its own: it may be a single sample."""
    found = [one for one in run_ratios(table, pair, metric) if one]
    if not found or metric == "device_ns" and not any(one.has_interval for one in found):
        return None
    own = [(math.log(one.hi / one.lo) / 2 / NORMAL975) ** 2 for one in found if one.lo and one.hi]
    return effect.estimate(pair_runs(table, pair, metric), effect.SPREADS[table.class_of(pair.case, metric)], statistics.fmean(own) if own else 0.0)


def pair_ratio(table: Table, pair: Pair) -> Figure | None:
    """Vulkan's time over CUDA's, with the effect's interval; None where there is no twin on the GPU, or times are not compared."""
    found = judged(table, pair)
    return found.effect if found else None


def pair_verdict(table: Table, pair: Pair) -> str | None:
    """The verdict about Vulkan; None without a ratio."""
    found = judged(table, pair)
    return found.verdict if found else None


def comparison(table: Table, pair: Pair) -> list[Cell]:
    """Vulkan/CUDA with the effect's interval and a further run's, and the verdict about Vulkan with the runs that agree."""
    found = judged(table, pair)
    if found is None:
        return [NONE, "no twin"]
    further = f"a run [{found.further.lo:.4f}, {found.further.hi:.4f}]"
    return [document.joined([Ratio(found.effect), further], "; "), document.joined([Verdict(found.verdict), found.seen], ", ")]


def pairs(table: Table, where: Mapping[str, object]) -> list[Pair]:
    """CUDA cases with their Vulkan twins in the order of the file, then the Vulkan cases without one."""
    found = [Pair(case, table.twin(case)) for case in table.select({**where, "api": "cuda"})]
    twins = {pair.vulkan for pair in found}
    return found + [Pair(None, case) for case in table.select({**where, "api": "vulkan"}) if case not in twins]


def sectors_header(counts: Counts | None, name: str = "sectors per warp, load + store") -> list[str]:
    """The columns of the predicted sectors, and of the counted ones where there are any."""
    return [f"{name}, predicted:", *hardware_counts.HEADER] if counts else [f"{name}:"]


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
            cells += [sectors_cell(table, pair.case), *(counts.cells(pair.sides) if counts else [])]
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


def exactly(case: Case) -> dict[str, object]:
    """The case's own columns, and either API."""
    return {column: value for column, value in case.cells if column != "api"}


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
    return [*blocks, found.once(noise_floor, table)]


def rows_or_none(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Block:
    """A table, or that there are no results."""
    shown = list(rows)
    return document.table(header, shown) if shown else NO_RESULTS


def sectors_table(found: Study, table: Table, where: Mapping[str, object]) -> Blocks:
    """Twins with their sectors, predicted and, where they were, counted."""
    counts = hardware_counts.load(found, table)
    shown = twin_table(table, where, sectors=True, counts=counts)
    return with_noise_floor(found, table, shown, *hardware_counts.explained(counts))


def all_pairs(found: Study, table: Table) -> Blocks:
    """What an experiment gets that declares nothing."""
    counts = hardware_counts.load(found, table)
    shown = twin_table(table, {}, sectors=True, counts=counts, metrics=table.measured)
    return with_noise_floor(found, table, shown, *hardware_counts.explained(counts))
