"""exp08's tables, figures and claims' figures of dispatches, order and waiting, against hand-computed values."""

from __future__ import annotations

from pathlib import Path

import pytest
import synthetic
from analyses import module, rendered, study
from benchlib.document import plots

DISPATCHES, ORDER, WAITING = "exp08_dispatches", "exp08_order", "exp08_waiting"
PARAMS = {DISPATCHES: ["way", "dispatches", "blocks", "work_ns", "lanes"], ORDER: ["way", "links"], WAITING: ["way", "length_ns"]}
MEASURED = {DISPATCHES: ["at_once", "sms", "span_ns"], ORDER: ["wrong_rows"], WAITING: ["own_ns", "latency_ns", "cpu_user", "cpu_system", "cpu_share"]}


@pytest.fixture(autouse=True)
def columns(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, params in PARAMS.items():
        monkeypatch.setitem(synthetic.PARAMS, name, params)
        monkeypatch.setitem(synthetic.MEASURED, name, MEASURED[name])
    monkeypatch.setattr(synthetic, "WHOLE", [*synthetic.WHOLE, "dispatches", "blocks", "work_ns", "lanes", "links", "length_ns"])


def row(experiment: str, variant: str, api: str, ns: float, **cells: object) -> dict:
    found = synthetic.row(experiment, variant, api, ns, **{"elements": 1, "gbps": "", "useful_bytes": "", **cells})
    del found["block"]  # no parameter of these
    return found


def rows_of(text: str) -> list[list[str]]:
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]
    return lines[2:]


@pytest.fixture
def dispatched(tmp_path: Path) -> Path:
    """100 dispatches of one block and 10 µs: 1.1 ms one by one, 100 µs without barriers, 12 at once; indirect ones 2 µs more each."""
    shape = {"dispatches": 100, "blocks": 1, "work_ns": 10000}
    rows = [
        row(DISPATCHES, "dispatches", "cuda", 1.1e6, way="ordered", at_once=1, sms=1, span_ns=1.09e6, **shape),
        row(DISPATCHES, "dispatches", "vulkan", 1.1e6, way="ordered", at_once=1, sms=1, span_ns=1.09e6, **shape),
        row(DISPATCHES, "dispatches", "vulkan", 1e5, way="independent_replayed", at_once=12, sms=100, span_ns=0.98e5, **shape),
        row(DISPATCHES, "indirect", "vulkan", 3e5, way="indirect", at_once=5, sms=100, span_ns=2.9e5, **shape),
        row(DISPATCHES, "indirect", "vulkan", 1.5e5, way="in_place", at_once=5, sms=100, span_ns=1.4e5, **shape),
        row(DISPATCHES, "spread", "cuda", 4e4, way="graph", at_once=90, lanes=100, **shape),
        row(DISPATCHES, "spread", "cuda", 9e4, way="streams", at_once=30, lanes=32, **shape),
        row(DISPATCHES, "spread", "vulkan", 5e4, way="queues", at_once=60, lanes=4, **shape),
    ]
    synthetic.write(tmp_path, DISPATCHES, rows)
    return tmp_path


def test_dispatches(dispatched: Path) -> None:
    analysis, found = module(DISPATCHES), study(dispatched)
    table = found.tables[DISPATCHES]
    timed = rows_of(rendered(analysis.timed(found, table, "dispatches")))
    assert [line[:5] for line in timed] == [["1", "10", "100", "ordered", "1100"], ["1", "10", "100", "independent_replayed", "–"]]
    assert [line[2:] for line in rows_of(rendered(analysis.at_once(found, table)))] == [
        ["ordered", "1.000", "1.000", "1090", "1.000", "1.000", "1090"],
        ["independent_replayed", "–", "–", "–", "12.00", "100.0", "98.00"],
    ]
    assert list(analysis.indirect_extra_us(table).values()) == [pytest.approx(2)]
    assert rows_of(rendered(analysis.indirect(found, table))) == [
        ["1", "10", "100", "copied", "100.0", "300.0", "2.000"],
        ["1", "10", "100", "in place", "100.0", "150.0", "0.500"],
    ]
    assert [[*line[:5], line[7]] for line in rows_of(rendered(analysis.spread(table)))] == [
        ["10", "CUDA", "streams", "32", "90.00", "30.00"],
        ["10", "CUDA", "graph", "100", "40.00", "90.00"],
        ["10", "Vulkan", "queues", "4", "50.00", "60.00"],
    ]
    drawn = plots.shown(analysis.dispatches_chart(found, table))
    assert [panel.title for panel in drawn] == ["one block that works for 10 µs"]


def test_order(tmp_path: Path) -> None:
    """A chain of 201 links: 1 µs each by barriers; 4 by queues, 3.5 by streams."""
    rows = [
        row(ORDER, "chain", "cuda", 201e3, way="barrier", links=201),
        row(ORDER, "chain", "vulkan", 201e3, way="barrier", links=201),
        row(ORDER, "chain", "cuda", 201e3 + 200 * 2500, way="queues", links=201),
        row(ORDER, "chain", "vulkan", 201e3 + 200 * 3000, way="queues", links=201),
    ]
    synthetic.write(tmp_path, ORDER, rows)
    analysis, found = module(ORDER), study(tmp_path)
    table = found.tables[ORDER]
    figures = analysis.ANALYSIS.figures
    assert list(figures["added_queues_cuda_us"](table).values()) == [pytest.approx(2.5)]
    assert list(figures["added_queues_vulkan_us"](table).values()) == [pytest.approx(3)]
    assert figures["added_event_cuda_us"](table) == {}
    lines = rows_of(rendered(analysis.chain(found, table)))
    assert [[line[0], line[1], line[4], line[5], line[8]] for line in lines] == [
        ["barrier", "1.000", "0.000", "1.000", "0.000"],
        ["queues", "3.488", "2.500", "3.985", "3.000"],
    ]


def test_waiting(tmp_path: Path) -> None:
    """A kernel of 10 µs: polled for it takes 15 µs and a whole CPU; asleep 40 µs and a tenth."""
    rows = [
        row(WAITING, "wait", api, ns, way=way, length_ns=10000, own_ns=10000, latency_ns=ns - 10000, cpu_user=cpu, cpu_system=0, cpu_share=cpu)
        for api in ("cuda", "vulkan")
        for way, ns, cpu in (("sleep", 40000, 0.1), ("poll", 15000, 1))
    ]
    synthetic.write(tmp_path, WAITING, rows)
    analysis, found = module(WAITING), study(tmp_path)
    table = found.tables[WAITING]
    assert [line[:8] for line in rows_of(rendered(analysis.latency(found, table)))] == [
        ["10", "poll", "15.00", "2.000", "5.000", "15.00", "2.000", "5.000"],
        ["10", "sleep", "40.00", "2.000", "30.00", "40.00", "2.000", "30.00"],
    ]
    assert [line[1:5] for line in rows_of(rendered(analysis.burnt(found, table)))] == [["poll", "1.000", "0.000", "1.000"], ["sleep", "0.100", "0.000", "0.100"]]
    panels = plots.shown(analysis.waiting_chart(found, table))
    assert [(panel.title, len([series for series in panel.series if series.points])) for panel in panels] == [("latency", 4), ("CPU time burnt", 4)]
