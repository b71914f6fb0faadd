"""exp06's tables about clusters: rounds, latency, exchange, barriers, multicast, by blocks of a cluster."""

from __future__ import annotations

from collections.abc import Sequence

from benchlib import markdown
from benchlib.markdown import NONE, count, sig
from benchlib.results import Case, Results, Table
from benchlib.tables import Experiment, figure_of


def _by_cluster(table: Table, variant: str, metric: str, rows_by: Sequence[str] = ("op",)) -> str:
    """A row a value of `rows_by`, a column a cluster size and distance; a size that was refused has none."""
    cases = table.select({"variant": variant})
    if not cases:
        return "No results."
    columns = sorted(dict.fromkeys((case.whole("cluster"), case.whole("distance")) for case in cases))
    rows = []
    for key in dict.fromkeys(tuple(case[column] for column in rows_by) for case in cases):
        cells = []
        for column in columns:
            found = [
                figure_of(table, case, metric)
                for case in cases
                if tuple(case[c] for c in rows_by) == key and (case.whole("cluster"), case.whole("distance")) == column
            ]
            cells.append(sig(found[0].value) if found and found[0] else NONE)
        rows.append([*key, *cells])
    header = [f"{size}, distance {distance}:" if distance else f"{size}:" for size, distance in columns]
    return markdown.table([*rows_by, *header], rows)


def _whole(table: Table, case: Case, metric: str) -> str:
    figure = figure_of(table, case, metric)
    return count(int(figure.value)) if figure else NONE


def cluster_rounds(_: Results, table: Table) -> str:
    text = "Nanoseconds a round, by blocks of a cluster and the peer's distance in it."
    return f"{text}\n\n{_by_cluster(table, 'rounds', 'element_ns')}"


def cluster_latency(_: Results, table: Table) -> str:
    """The chase's figure, and under it those of all pairs."""
    names = {"pair_cycles_min": "least", "pair_cycles": "median", "pair_cycles_max": "greatest", "tpc_cycles": "one TPC"}
    cases = [case for case in table.select({"variant": "latency", "op": "load"}) if figure_of(table, case, "pairs")]
    rows = []
    for case in cases:
        figures = [figure_of(table, case, metric) for metric in names]
        rows.append([case["cluster"], _whole(table, case, "pairs"), *(sig(f.value) if f else NONE for f in figures)])
    pairs = markdown.table(["blocks of a cluster:", "pairs:", *(f"{name}:" for name in names.values())], rows)
    text = "Cycles a dependent load, by blocks of a cluster and the owner's distance."
    chases = _by_cluster(table, "latency", "cycles")
    return f"{text}\n\n{chases}\n\nThe same between every two blocks of as many clusters as run at once.\n\n{pairs}"


def cluster_exchange(_: Results, table: Table) -> str:
    text = "Bytes a cycle and SM, all SMs at once, by blocks of a cluster and the peer's distance."
    return f"{text}\n\n{_by_cluster(table, 'exchange', 'bytes_per_cycle')}"


def cluster_barriers(_: Results, table: Table) -> str:
    text = "Cycles a barrier, with the `work` beside it, by blocks of a cluster."
    return f"{text}\n\n{_by_cluster(table, 'barrier', 'cycles', ('op', 'work'))}"


def cluster_multicast(_: Results, table: Table) -> str:
    text = "GB/s of distinct bytes read; as many times that arrive at the SMs as a cluster has blocks."
    # Older results have rings of 4 KiB chunks alone, and no such column.
    rows_by = [column for column in ("level", "op", "chunk_bytes") if column in table.params]
    return f"{text}\n\n{_by_cluster(table, 'multicast', 'gbps', rows_by)}"


def cluster_spread(_: Results, table: Table) -> str:
    rows = []
    for case in table.select({"variant": "spread"}):
        time = figure_of(table, case, "element_ns")
        counts = [_whole(table, case, metric) for metric in ("active_clusters", "sms_used")]
        rows.append([case["cluster"], *counts, sig(time.value) if time else NONE])
    text = "Blocks that each want an SM. Sizes without a row are refused."
    header = ["blocks of a cluster:", "clusters at once:", "SMs that did work:", "ns a block:"]
    return f"{text}\n\n{markdown.table(header, rows)}"


EXPERIMENTS = [
    Experiment(
        "exp06_cluster",
        sections=[
            ("Rounds", cluster_rounds),
            ("Latency", cluster_latency),
            ("All SMs at once", cluster_exchange),
            ("Barriers", cluster_barriers),
            ("Multicast", cluster_multicast),
            ("Cluster sizes", cluster_spread),
        ],
        readme={
            "exp06-cluster-rounds": cluster_rounds,
            "exp06-cluster-latency": cluster_latency,
            "exp06-cluster-exchange": cluster_exchange,
            "exp06-cluster-barriers": cluster_barriers,
            "exp06-cluster-multicast": cluster_multicast,
            "exp06-cluster-spread": cluster_spread,
        },
    )
]
