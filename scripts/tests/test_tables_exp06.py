"""exp06's tables: figures in the cells of their order and scope, or operator and stream."""

from pathlib import Path

import pytest
import synthetic
from benchlib import results, tables_exp06

ORDERING, CACHE_OPS = "exp06_ordering", "exp06_cache_ops"


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> results.Results:
    columns = ["block", "memory_order", "scope", "via", "resident_bytes", "in_flight_bytes"]
    monkeypatch.setitem(synthetic.PARAMS, ORDERING, columns)
    monkeypatch.setitem(synthetic.PARAMS, CACHE_OPS, ["block", "op", "level", "reuse_bytes", "stream_bytes"])
    monkeypatch.setitem(synthetic.MEASURED, ORDERING, ["cycles"])
    monkeypatch.setitem(synthetic.MEASURED, CACHE_OPS, ["reuse_bytes_per_cycle"])
    one = {"memory_order": "relaxed", "scope": "gpu", "via": "instruction", "resident_bytes": "16384", "in_flight_bytes": ""}
    chain = synthetic.twins(ORDERING, "load_chain", 14500, 15000, elements=100, cycles="", **one)
    alone = synthetic.twins(ORDERING, "load_chain", 29000, 1, elements=100, cycles="", **one | {"scope": "sys"})[:1]
    fence = one | {"memory_order": "acq_rel", "resident_bytes": "", "in_flight_bytes": "65536"}
    fences = synthetic.twins(ORDERING, "fence", 1000, 1000, elements=10, cycles="700.25", **fence)
    synthetic.write(tmp_path, ORDERING, chain + alone + fences)
    beside = {"op": "cs", "level": "l1", "reuse_bytes": "65536", "stream_bytes": "524288"}
    reuse = synthetic.twins(CACHE_OPS, "reuse", 1000, 1000, reuse_bytes_per_cycle="88.5", **beside)
    synthetic.write(tmp_path, CACHE_OPS, reuse)
    return results.load(tmp_path)


def test_a_chains_time_is_in_the_cell_of_its_order_and_scope(found: results.Results) -> None:
    lines = tables_exp06.ordering_chains(found, found.tables[ORDERING]).splitlines()
    assert lines[2] == "| operation | resident_bytes | order | gpu / Device | sys |"
    assert lines[4] == "| load_chain | 16 Ki | relaxed | 145.0 / 150.0 | 290.0 / – |"


def test_a_fences_cycles(found: results.Results) -> None:
    lines = tables_exp06.ordering_fences(found, found.tables[ORDERING]).splitlines()
    assert lines[-1] == "| fence | 64 Ki | acq_rel | 700.2 / 700.2 |"


def test_a_reuse_sets_rate(found: results.Results) -> None:
    lines = tables_exp06.cache_ops_reuse(found, found.tables[CACHE_OPS]).splitlines()
    assert lines[2] == "|  | op | l1, 512 Ki B |"
    assert lines[-1] == "| reuse | cs | 88.50 / 88.50 |"


CLUSTER = "exp06_cluster"


@pytest.fixture
def clusters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> results.Results:
    monkeypatch.setitem(synthetic.PARAMS, CLUSTER, ["block", "op", "cluster", "distance", "work", "level"])
    measured = ["cycles", "bytes_per_cycle", "pairs", "pair_cycles", "pair_cycles_min", "pair_cycles_max", "tpc_cycles",
                "sms_used", "active_clusters"]  # fmt: skip
    monkeypatch.setitem(synthetic.MEASURED, CLUSTER, measured)

    def row(variant: str, ns: float, **cells: object) -> dict:
        blank = dict.fromkeys(["op", "distance", "work", "level", *measured], "")
        return synthetic.row(CLUSTER, variant, "cuda", ns, **blank | {"elements": 100} | cells)

    pairs = {"pairs": 240, "pair_cycles": 190, "pair_cycles_min": 175, "pair_cycles_max": 213, "tpc_cycles": 176}
    rows = [
        row("rounds", 36500, op="standard", cluster=8, distance=1),
        row("rounds", 24100, op="poll", cluster=16, distance=8),
        row("latency", 1500, op="local", cluster=1, cycles=29),
        row("latency", 9500, op="load", cluster=16, distance=8, cycles=188.5, **pairs),
        row("exchange", 1000, op="read", cluster=2, distance=1, bytes_per_cycle=21.5),
        row("barrier", 1000, op="relaxed_between", cluster=8, work=64, cycles=600),
        row("multicast", 1000, op="own", cluster=8, level="l2", bytes_per_element=8),
        row("spread", 5000, cluster=16, work=2048, active_clusters=7, sms_used=112),
    ]
    synthetic.write(tmp_path, CLUSTER, rows)
    return results.load(tmp_path)


def test_a_clusters_figures_are_in_the_columns_of_its_size(clusters: results.Results) -> None:
    table = clusters.tables[CLUSTER]
    rounds = tables_exp06.cluster_rounds(clusters, table).splitlines()
    assert rounds[2] == "| op | 8, distance 1 | 16, distance 8 |"
    assert rounds[4:] == ["| standard | 365.0 | – |", "| poll | – | 241.0 |"]
    latency = tables_exp06.cluster_latency(clusters, table).splitlines()
    assert latency[5] == "| load | – | 188.5 |"
    assert latency[-1] == "| 16 | 240 | 175.0 | 190.0 | 213.0 | 176.0 |"
    assert tables_exp06.cluster_exchange(clusters, table).splitlines()[-1] == "| read | 21.50 |"
    assert tables_exp06.cluster_barriers(clusters, table).splitlines()[-1] == "| relaxed_between | 64 | 600.0 |"
    assert tables_exp06.cluster_multicast(clusters, table).splitlines()[-1] == "| l2 | own | 0.8000 |"
    assert tables_exp06.cluster_spread(clusters, table).splitlines()[-1] == "| 16 | 7 | 112 | 50.00 |"
