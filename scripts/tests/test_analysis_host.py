"""exp08's tables of queues, transfers and making, and what their claims find in planted results."""

from __future__ import annotations

from pathlib import Path

import pytest
import synthetic
import worklog
from analyses import module, rendered, study
from benchlib.model.analysis import Study

QUEUES, TRANSFERS, MAKING = "exp08_queues", "exp08_transfers", "exp08_making"
PARAMS = {
    QUEUES: ["beside", "blocks", "priority", "queues", "block"],
    TRANSFERS: ["direction", "engine", "host_memory", "in_flight"],
    MAKING: ["how"],
}
MEASURED = {
    QUEUES: ["overlap_pct", "left_pct", "alone_ns", "copy_ns", "host_cpu"],
    TRANSFERS: ["sleeping_ns", "cpu_ns", "memory_is", "host_cpu"],
    MAKING: ["same_code", "code_bytes", "host_cpu"],
}
ROOT = Path(worklog.__file__).resolve().parents[1]
LARGE = 1 << 26  # words: 256 MiB


def row(experiment: str, variant: str, api: str, ns: float, elements: int = 1, **cells: object) -> dict:
    sized = {"elements": elements, "bytes_per_element": 4, "cache": "warm", "peak_pct": "", "stop": "host ci", "host_cpu": "Some CPU"}
    made = synthetic.row(experiment, variant, api, ns, **sized, **cells)  # type: ignore[arg-type]
    return {column: value for column, value in made.items() if column in synthetic.columns(experiment)}


def twins(experiment: str, variant: str, cuda_ns: float, vulkan_ns: float, elements: int = 1, **cells: object) -> list[dict]:
    return [row(experiment, variant, api, ns, elements, **cells) for api, ns in (("cuda", cuda_ns), ("vulkan", vulkan_ns))]


def queues() -> list[dict]:
    two = {"beside": "two_queues", "blocks": 1, "block": ""}
    found = [row(QUEUES, "two_kernels", "cuda", 520e3, 500000, overlap_pct=97, alone_ns=510e3, **two)]
    found.append(row(QUEUES, "two_kernels", "vulkan", 1020e3, 500000, overlap_pct=0, alone_ns=510e3, **two))
    for priority, left in (("equal", 5), ("higher", 80)):
        found += twins(QUEUES, "foreground", 60e3, 700e3, 2000, left_pct=left, alone_ns=9000, **{**two, "priority": priority})
    both = {"beside": "transfer_queue", "blocks": 132, "block": "", "overlap_pct": 95, "alone_ns": 510e3, "copy_ns": 600e3}
    found += twins(QUEUES, "beside_copy", 620e3, 640e3, 1 << 23, **both)
    for variant, graphics in (("copy_words", 1.14), ("load_words", 1.08), ("store_words", 1.0), ("empty", 1.0)):
        for block in (64, 128, 256, 1024):
            slower = graphics if block < 1024 else 1.0
            found += twins(QUEUES, variant, 200e3, 200e3, 1 << 27, queues="compute", block=block)
            for name, factor in (("compute_beside_graphics", slower), ("graphics", slower)):
                found.append(row(QUEUES, variant, "vulkan", 200e3 * factor, 1 << 27, queues=name, block=block))
    return found


def transfers() -> list[dict]:
    found = []
    for direction in ("up", "down"):
        for elements in (1, 1 << 22, LARGE):
            ns = 8000 + elements * 4 / 50
            way = {"direction": direction, "host_memory": "cached", "block": None}
            found += twins(TRANSFERS, "transfer", ns, ns, elements, engine="copy_engine", **way)
            found += twins(TRANSFERS, "transfer", ns * 1.05, ns * 1.02, elements, engine="kernel", **way)
            pageable = {**way, "host_memory": "pageable"}
            found.append(row(TRANSFERS, "transfer", "cuda", 5 * ns, elements, engine="copy_engine", **pageable))
        for flight, factor in ((1, 6.5), (2, 5.5)):
            ns = factor * (8000 + LARGE * 4 / 50)
            found += twins(TRANSFERS, "staged", ns, ns, LARGE, direction=direction, engine="copy_engine", host_memory="cached", in_flight=flight)
    for memory, gbps in (("cached", 10), ("uncached", 0.2)):
        found += twins(TRANSFERS, "cpu_read", 65536 / gbps, 65536 / gbps, 1 << 14, host_memory=memory, memory_is="so")
    return found


def making() -> list[dict]:
    found = []
    for how, cuda, vulkan in (("compiler", 40e6, 60e6), ("own_cache", 1e5, 3e5), ("driver_cache", 3e5, 5e5)):
        found += twins(MAKING, "made_large", cuda, vulkan, 1024, how=how)
    found.append(row(MAKING, "made_large", "cuda", 90e6, 1024, how="nvrtc"))
    for how, ns, same in (("macro", 1e5, 1), ("constant", 1e5, 1), ("push", 1.3e5, 0)):
        found += twins(MAKING, "turns", ns, ns, 1 << 24, how=how, same_code=same, code_bytes=2048)
    for how, ns in (("dedicated", 200e3), ("from_block", 1000)):
        found += twins(MAKING, "allocate", ns, ns, 1 << 18, how=how)
        found[-1] |= {"submit_ns": ns / 2, "roundtrip_ns": ns}
        found[-2] |= {"submit_ns": ns / 2, "roundtrip_ns": ns}
    for how, ns in (("at_once", 50e3), ("one_by_one", 150e3)):
        found.append(row(MAKING, "descriptor_sets", "vulkan", ns, 1000, how=how))
    return found


HOST_TIME = ["host_ns", "host_ns_lo", "host_ns_hi"]


def by_host(row: dict) -> dict:
    """A row as it is since host times have columns of their own."""
    if not str(row["stop"]).startswith("host "):
        return row
    times = {column: row[column.replace("host", "device")] for column in HOST_TIME}
    return row | times | {column.replace("host", "device"): "" for column in HOST_TIME} | {"stop": str(row["stop"]).removeprefix("host ")}


@pytest.fixture(params=["in device_ns", "in host_ns"])
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    own_columns = request.param == "in host_ns"
    if own_columns:
        monkeypatch.setattr(synthetic, "TIMES", [*synthetic.TIMES[:-5], *HOST_TIME, *synthetic.TIMES[-5:]])
    for name, columns in PARAMS.items():
        monkeypatch.setitem(synthetic.PARAMS, name, columns)
        monkeypatch.setitem(synthetic.MEASURED, name, MEASURED[name])
    monkeypatch.setattr(synthetic, "WHOLE", synthetic.WHOLE | {"blocks", "in_flight"})
    for name in ("queues", "transfers", "making"):
        there = tmp_path / "exp08_host_and_queues" / name
        there.mkdir(parents=True)
        for file in ("claims.toml", "analysis.py"):
            (there / file).write_bytes((ROOT / "exp08_host_and_queues" / name / file).read_bytes())
    results = tmp_path / "results" / "some-gpu"
    for experiment, rows in ((QUEUES, queues()), (TRANSFERS, transfers()), (MAKING, making())):
        synthetic.write(results, experiment, map(by_host, rows) if own_columns else rows)
    return results


@pytest.fixture
def found(folder: Path) -> Study:
    return study(folder)


def lines(found: Study, experiment: str, table: str) -> list[str]:
    return rendered(getattr(module(experiment), table)(found, found.tables[experiment])).splitlines()


def test_the_claims_are_decided(folder: Path) -> None:
    assert worklog.main(["--readme", str(folder.parents[1]), str(folder)]) == 0
    text = (folder / "claims.csv").read_text(encoding="utf-8").splitlines()[1:]
    verdicts = {line.split(",")[0]: line.split(",")[1] for line in text}
    assert verdicts["08.13a"] == "REPRODUCED" and verdicts["08.13b"] == "REPRODUCED" and verdicts["08.14"] == "REPRODUCED"
    assert {verdicts[f"08.16{part}"] for part in "abcd"} == {"REPRODUCED"}
    assert verdicts["08.17"] == "REPRODUCED" and verdicts["08.19b"] == "REPRODUCED" and verdicts["08.20"] == "REPRODUCED"
    assert verdicts["08.22"] == "REPRODUCED" and verdicts["08.23"] == "REPRODUCED"
    assert verdicts["08.24"] == "REFUTED", "the application's cache is faster than the driver's here"
    assert verdicts["08.26a"] == "REPRODUCED" and verdicts["08.28"] == "REPRODUCED"
    assert verdicts["08.27b"] == "REPRODUCED", "one run's time to submit has the interval of its class"


def test_host_times_are_no_gpu_times(found: Study) -> None:
    table = found.tables[TRANSFERS]
    for row in (row for run in table.runs for row in run.values()):
        assert row["device_ns"] == "" == row["device_ns_lo"] and float(row["host_ns"]) > 0 and row["stop"] == "ci"
    case = table.cases[0]
    time = table.figure(case, "device_ns")
    assert time and time.value == float(table.rows(case)[0]["host_ns"]) and table.class_of(case) == "host"
    assert table.figure(case, "element_ns")
