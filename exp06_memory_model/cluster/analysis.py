"""exp06_cluster's tables: rounds, latency, exchange, barriers, multicast, by blocks of a cluster."""

from collections.abc import Sequence
from functools import partial

from benchlib.model.analysis import Analysis, Counting, Plot, Study
from benchlib.document.document import NONE, Block, Blocks, Cell, Code, paragraph, whole
from benchlib.document.plots import CUDA, MORE, Chart, Panel, Series, line
from benchlib.results.results import Case, Table
from benchlib.model.pairs import figure_of
from benchlib.tables.twins import plain
from benchlib.stats.stats import Figure
from benchlib.tables.pivot import figures, grid, keys, pivot, told


def _by_cluster(table: Table, variant: str, metric: str, rows_by: Sequence[str] = ("op",)) -> Block:
    """A row a value of `rows_by`, a column a cluster size and distance; a size that was refused has none."""

    def order(case: Case) -> list[str]:  # numbers by their size
        return [case[column].zfill(8) if case[column].isdecimal() else case[column] for column in rows_by]

    return grid(
        sorted(table.select({"variant": variant}), key=order),
        {column: partial(_as_written, column) for column in rows_by},
        lambda case: (case.whole("cluster"), case.whole("distance")),
        lambda place: f"{place[0]}, distance {place[1]}" if place[1] else f"{place[0]}",
        lambda cases: plain(figure_of(table, cases[0], metric)) if cases else NONE,
    )


def rounds(_: Study, table: Table) -> Blocks:
    text = "Nanoseconds per round, by blocks of a cluster and the peer's distance in it."
    return [paragraph(text), _by_cluster(table, "rounds", "element_ns")]


def _as_written(column: str, case: Case) -> Cell:
    return case[column]


def latency(_: Study, table: Table) -> Blocks:
    """The chase's figure, and under it those of all pairs."""
    cases = [case for case in table.select({"variant": "latency", "op": "load"}) if figure_of(table, case, "pairs")]
    between = pivot(
        sorted(cases, key=_blocks),
        keys({"blocks of a cluster:": "cluster"}),
        (["pairs:"], figures(table, _count, "pairs")),
        (["least:", "median:", "greatest:", "one TPC:"], figures(table, plain, "pair_cycles_min", "pair_cycles", "pair_cycles_max", "tpc_cycles")),
    )
    text = "Cycles per dependent load, by blocks of a cluster and the owner's distance."
    return [
        paragraph(text),
        _by_cluster(table, "latency", "cycles"),
        *told(between, ["The same between every two blocks of as many clusters as run at once."]),
    ]


def exchange(_: Study, table: Table) -> Blocks:
    text = "Bytes per cycle and SM, all SMs at once, by blocks of a cluster and the peer's distance."
    return [paragraph(text), _by_cluster(table, "exchange", "bytes_per_cycle")]


def barriers(_: Study, table: Table) -> Blocks:
    text = paragraph("Cycles per barrier, with the ", Code("work"), " beside it, by blocks of a cluster.")
    return [text, _by_cluster(table, "barrier", "cycles", ("op", "work"))]


def multicast(_: Study, table: Table) -> Blocks:
    text = "GB/s of distinct bytes read; as many times that arrive at the SMs as a cluster has blocks."
    # Older results have rings of 4 KiB chunks alone, and no such column.
    rows_by = [column for column in ("level", "op", "chunk_bytes") if column in table.params]
    return [paragraph(text), _by_cluster(table, "multicast", "gbps", rows_by)]


def spread(_: Study, table: Table) -> Blocks:
    shown = pivot(
        table.select({"variant": "spread"}),
        keys({"blocks of a cluster:": "cluster"}),
        (["clusters at once:", "SMs that did work:"], figures(table, _count, "active_clusters", "sms_used")),
        (["ns per block:"], figures(table, plain, "element_ns")),
    )
    return told(shown, ["Blocks that each want an SM. Sizes without a row are refused."])


SIZES = ["2", "4", "8", "16"]  # alone, a block reads its own


def _count(figure: Figure | None) -> Cell:
    return whole(int(figure.value)) if figure else NONE


def cluster_chart(_: Study, table: Table) -> Chart:
    """What a cluster buys and what it does not: latency, traffic, one copy for all of its blocks."""

    def lines(metric: str, variant: str, *shown: tuple[str, str, str], **where: object) -> list[Series]:
        found = []
        for op, name, kind in shown:
            cases = table.select({"variant": variant, "op": op, **where})
            farthest = [case for case in cases if case.whole("distance") in (0, case.whole("cluster") // 2)]
            found.append(line(table, name, kind, farthest, _blocks, metric))
        return found

    near = lines("cycles", "latency", ("load", "a block's shared memory", CUDA), ("l2", "the L2", MORE[0]))
    traffic = lines("bytes_per_cycle", "exchange", ("read", "from another block", CUDA), ("read_global", "from the L2", MORE[0]), cluster=SIZES)
    # Older results have no such column: their chunks are of 4 KiB.
    chunks = {"chunk_bytes": "4096"} if "chunk_bytes" in table.params else {}
    copies = lines("gbps", "multicast", ("own", "a copy for each block", MORE[0]), ("one", "one multicast", CUDA), level="l2", **chunks)
    copies += lines("gbps", "multicast", ("one_producer", "multicast by a copying warp", MORE[1]), level="l2")
    panels = [Panel("Latency", "cycles per load", near), Panel("All SMs at once", "bytes per cycle and SM", traffic)]
    panels.append(Panel("The same for all blocks", "distinct GB/s", copies, y_log=True))
    text = "By blocks of a cluster: a dependent load, what all SMs read at once, and what arrives where all blocks want the same."
    return Chart("Thread-block clusters", "blocks of a cluster", panels, description=text)


def _blocks(case: Case) -> float:
    return case.whole("cluster")


ANALYSIS = Analysis(
    sections=[
        ("Rounds", rounds),
        ("Latency", latency),
        ("All SMs at once", exchange),
        ("Barriers", barriers),
        ("Multicast", multicast),
        ("Cluster sizes", spread),
    ],
    plots={"exp06-cluster": Plot("Thread-block clusters", cluster_chart, "latency,exchange,multicast")},
    plots_marker="exp06-cluster-plots",
    # The rows about traffic: a multicast's at the L2 does not depend on where its data is, nor on what is released.
    counting=Counting(options=["--variant", "exchange,multicast"]),
)
