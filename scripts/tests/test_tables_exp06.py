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
