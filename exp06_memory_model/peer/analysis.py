"""exp06_peer's tables: bandwidth to another GPU's memory, latency, and what polls see."""

from collections.abc import Callable

from benchlib.model.analysis import Analysis, Counting, Plot, Study
from benchlib.document.document import NONE, Block, Blocks, Cell, Code, fixed, joined, paragraph
from benchlib.document.plots import CUDA, MORE, Chart, Panel, line
from benchlib.results.results import Case, Table
from benchlib.model.pairs import figure_of
from benchlib.tables.twins import plain
from benchlib.stats.formats import binary
from benchlib.tables.pivot import column, figures, grid, keys, pivot, told

ALL_SIZES = ["load_plain", "load_bulk", "load_tma", "copy_in", "store_plain", "store_bulk", "store_tma", "copy_out"]
BOTH = ["both_plain", "both_bulk"]
WORD_BYTES = 4


def _rate(table: Table, case: Case) -> Cell:
    """GB/s, and the part of the links' rate where it is known."""
    rate, part = figure_of(table, case, "gbps"), figure_of(table, case, "link_pct")
    return joined([plain(rate), fixed(part.value, 0, " %)")], " (") if part else plain(rate)


def _rates(table: Table, cases: list[Case], value: Callable[[Case], int], title: Callable[[int], str]) -> Block:
    """A row a variant, a column a value of `value`."""
    order = (*ALL_SIZES, *BOTH)
    return grid(
        sorted(cases, key=lambda case: order.index(case["variant"])),
        {"": "variant"},
        value,
        title,
        lambda found: _rate(table, found[-1]) if found else NONE,
    )


def _size(case: Case) -> int:
    return case.elements * WORD_BYTES


def _sms(case: Case) -> int:
    return case.whole("sms")


def sizes(_: Study, table: Table) -> Blocks:
    """For each variant and size the row with the most SMs."""
    most: dict[tuple[str, int], Case] = {}
    for case in table.select({"variant": [*ALL_SIZES, *BOTH], "api": "cuda"}):
        key = (case["variant"], case.elements)
        if key not in most or _sms(case) > _sms(most[key]):
            most[key] = case
    text = "GB/s across the links (of their rate in these directions), by the message's size one way."
    return [paragraph(text), _rates(table, list(most.values()), _size, binary)]


def _by_sms(table: Table) -> list[Case]:
    """Those of the largest size that say how many SMs were at work."""
    cases = [case for case in table.select({"variant": [*ALL_SIZES, *BOTH], "api": "cuda"}) if case["sms"]]
    largest = max((case.elements for case in cases), default=0)
    return [case for case in cases if case.elements == largest]


def sms(_: Study, table: Table) -> Blocks:
    cases = _by_sms(table)
    size = binary(_size(cases[0])) if cases else NONE
    text = f"GB/s across the links (of their rate in these directions), {size} one way, by SMs at work."
    return [paragraph(text), _rates(table, cases, _sms, str)]


def latency(_: Study, table: Table) -> Blocks:
    metrics = {"flag": "latency_ns", "chase": "element_ns"}
    shown = pivot(
        table.select({"variant": list(metrics), "api": "cuda"}),
        keys({"": "variant", "order": lambda case: case["memory_order"], "held by": "held_by"}),
        column("table:", lambda case: binary(case.whole("table_bytes")) if case["table_bytes"] else NONE),
        column("ns:", lambda case: plain(figure_of(table, case, metrics[case["variant"]]))),
    )
    return told(shown, [paragraph("Nanoseconds per load (", Code("chase"), "), or one way (", Code("flag"), ").")])


def watch(_: Study, table: Table) -> Blocks:
    def seen(case: Case) -> Cell:
        share = figure_of(table, case, "seen")
        return fixed(100 * share.value, 0, " %") if share else NONE

    shown = pivot(
        table.select({"variant": "watch", "api": "cuda"}),
        keys({"loads": "memory_order", "held by": "held_by", "changed by": "changed_by", "seen:": seen}),
        (["polls:", "ns until seen:"], figures(table, plain, "polls", "seen_ns")),
    )
    return told(shown, ["A word that changes while one thread polls it, 50 ms at most. Time from the first look, the changer's delay in it."])


def links_chart(_: Study, table: Table) -> Chart:
    """What so many SMs reach across the links, at the largest size."""
    panels = []
    for what in ("load", "store"):
        series = []
        for way, kind in zip(("plain", "bulk", "tma"), (CUDA, *MORE)):
            cases = [case for case in _by_sms(table) if case["variant"] == f"{what}_{way}"]
            series.append(line(table, way, kind, cases, _sms, "gbps"))
        panels.append(Panel(f"{what.capitalize()}s", "GB/s across the links", series))
    text = "Bandwidth to another GPU's memory, one way, by the SMs at work and the kind of access."
    return Chart("Bandwidth across NVLink", "SMs at work", panels, columns=2, description=text)


ANALYSIS = Analysis(
    sections=[
        ("Bandwidth by message size", sizes),
        ("Bandwidth by SMs", sms),
        ("Latency", latency),
        ("What a poll sees", watch),
    ],
    plots={"exp06-links": Plot("Bandwidth across NVLink", links_chart, "load_*,store_*")},
    plots_marker="exp06-peer-plots",
    # Its traffic goes over the links, which are not counted.
    counting=Counting(by_default=False),
)
