"""exp06's clusters: figures in the cells of their sizes."""

from pathlib import Path

import pytest
import synthetic
from analyses import module, rendered, study
from benchlib.model.analysis import Study

CLUSTER = "exp06_cluster"
ANALYSIS = module(CLUSTER)
PARAMS = ["block", "op", "cluster", "distance", "work", "level", "chunk_bytes"]


@pytest.fixture
def clusters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    monkeypatch.setitem(synthetic.PARAMS, CLUSTER, PARAMS)
    measured = ["cycles", "bytes_per_cycle", "pairs", "pair_cycles", "pair_cycles_min", "pair_cycles_max", "tpc_cycles",
                "sms_used", "active_clusters"]  # fmt: skip
    monkeypatch.setitem(synthetic.MEASURED, CLUSTER, measured)

    def row(variant: str, ns: float, **cells: object) -> dict:
        blank = dict.fromkeys(["op", "distance", "work", "level", "chunk_bytes", *measured], "")
        return synthetic.row(CLUSTER, variant, "cuda", ns, **blank | {"elements": 100} | cells)

    pairs = {"pairs": 240, "pair_cycles": 190, "pair_cycles_min": 175, "pair_cycles_max": 213, "tpc_cycles": 176}
    rows = [
        row("rounds", 36500, op="standard", cluster=8, distance=1),
        row("rounds", 24100, op="poll", cluster=16, distance=8),
        row("latency", 1500, op="local", cluster=1, cycles=29),
        row("latency", 9500, op="load", cluster=16, distance=8, cycles=188.5, **pairs),
        row("exchange", 1000, op="read", cluster=2, distance=1, bytes_per_cycle=21.5),
        row("barrier", 1000, op="relaxed_between", cluster=8, work=64, cycles=600),
        row("multicast", 1000, op="own", cluster=8, level="l2", chunk_bytes=4096, bytes_per_element=8),
        row("multicast", 800, op="own", cluster=8, level="l2", chunk_bytes=32768, bytes_per_element=8),
        row("spread", 5000, cluster=16, work=2048, active_clusters=7, sms_used=112),
    ]
    synthetic.write(tmp_path, CLUSTER, rows)
    return study(tmp_path)


def test_a_clusters_figures_are_in_the_columns_of_its_size(clusters: Study) -> None:
    table = clusters.tables[CLUSTER]
    rounds = rendered(ANALYSIS.rounds(clusters, table)).splitlines()
    assert rounds[2] == "| op | 8, distance 1 | 16, distance 8 |"
    assert rounds[4:] == ["| poll | – | 241.0 |", "| standard | 365.0 | – |"]
    latency = rendered(ANALYSIS.latency(clusters, table)).splitlines()
    assert latency[4] == "| load | – | 188.5 |"
    assert latency[-1] == "| 16 | 240 | 175.0 | 190.0 | 213.0 | 176.0 |"
    assert rendered(ANALYSIS.exchange(clusters, table)).splitlines()[-1] == "| read | 21.50 |"
    assert rendered(ANALYSIS.barriers(clusters, table)).splitlines()[-1] == "| relaxed_between | 64 | 600.0 |"
    multicast = rendered(ANALYSIS.multicast(clusters, table)).splitlines()
    assert multicast[2] == "| level | op | chunk_bytes | 8 |"
    assert multicast[4:] == ["| l2 | own | 4096 | 0.8000 |", "| l2 | own | 32768 | 1.000 |"]
    assert rendered(ANALYSIS.spread(clusters, table)).splitlines()[-1] == "| 16 | 7 | 112 | 50.00 |"


def test_results_without_chunk_sizes_show_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(synthetic.PARAMS, CLUSTER, PARAMS[:-1])
    cells = {"op": "own", "cluster": 8, "distance": "", "work": "", "level": "l2", "elements": 100, "bytes_per_element": 8}
    synthetic.write(tmp_path, CLUSTER, [synthetic.row(CLUSTER, "multicast", "cuda", 1000, **cells)])
    found = study(tmp_path)
    multicast = rendered(ANALYSIS.multicast(found, found.tables[CLUSTER])).splitlines()
    assert multicast[2] == "| level | op | 8 |" and multicast[4:] == ["| l2 | own | 0.8000 |"]
