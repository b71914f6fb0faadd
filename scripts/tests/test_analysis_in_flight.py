"""exp06's curves: bandwidth by bytes in flight, its knee, and Kingman's formula through a loaded latency; blocks on an SM."""

from pathlib import Path

import pytest
import synthetic
from analyses import module, rendered, study
from benchlib.model.analysis import Study

FLIGHT, LATENCY = "exp06_bytes_in_flight", "exp06_loaded_latency"
IN_FLIGHT, LOADED = module(FLIGHT), module(LATENCY)
ELEMENTS = synthetic.DRAM_ELEMENTS


def shape(variant: str, gbps: float, in_flight: int, **cells: object) -> list[dict]:
    ns = 16 * ELEMENTS / gbps
    shaped = {"blocks_per_sm": 1, "elem_bytes": 16, "unroll": 1, "stages": "", "chunk_bytes": ""} | cells
    return synthetic.twins(FLIGHT, variant, ns, ns * 2, bytes_per_element=16, bytes_in_flight=in_flight or "", **shaped)


def load(gbps: float, latency: float, wait: int, level: str = "dram") -> list[dict]:
    cells = {"level": level, "unroll": 8, "streamers": 131, "wait": wait, "latency_ns": latency, "load_gbps": gbps}
    return synthetic.twins(LATENCY, "loaded", latency * 4096, latency * 4096, elements=4096, **cells)


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    columns = ["block", "blocks_per_sm", "elem_bytes", "unroll", "stages", "chunk_bytes", "bytes_in_flight"]
    monkeypatch.setitem(synthetic.PARAMS, FLIGHT, columns)
    monkeypatch.setitem(synthetic.PARAMS, LATENCY, ["block", "level", "unroll", "streamers", "wait"])
    monkeypatch.setitem(synthetic.MEASURED, LATENCY, ["latency_ns", "load_gbps"])
    rows = shape("read_tiles", 4000, 0, blocks_per_sm="")
    rows += shape("read_plain", 2000, 16384) + shape("read_plain", 1500, 16384, block=32, unroll=2)
    rows += shape("read_plain", 4000, 32768)
    # Loads of 4 bytes, copies and writes, all faster: rows of which no figure of the 16-byte reads may be made.
    rows += shape("read_plain", 4500, 16384, elem_bytes=4) + shape("copy_plain", 4600, 16384) + shape("write_plain", 4700, 0)
    synthetic.write(tmp_path, FLIGHT, rows)
    cells = {"level": "dram", "unroll": 8, "latency_ns": 300}
    idle = synthetic.twins(LATENCY, "idle", 300 * 4096, 300 * 4096, elements=4096, **cells)
    # 300 ns + 20 ns u / (1 - u), limit 5000.
    loaded = [row for gbps in (1000, 2500, 4000, 4500) for row in load(gbps, 300 + 20 * gbps / (5000 - gbps), gbps)]
    plainly = synthetic.twins(LATENCY, "pointer", 293 * 4096, 293 * 4096, elements=4096, **(cells | {"latency_ns": 293}))
    synthetic.write(tmp_path, LATENCY, idle + plainly + loaded)
    sass = "experiment,kernel,api,arch,instructions,registers\n"
    sass += f"{FLIGHT},read_plain_16_1,cuda,sm_90a,50,18\n{FLIGHT},read_plain_16_8,cuda,sm_90a,90,56\n"
    (tmp_path / "sass.csv").write_text(sass + f"{FLIGHT},read_plain_16,vulkan,,50,32\n")
    return study(tmp_path)


def test_the_fastest_shape_stands_for_its_bytes(found: Study) -> None:
    lines = rendered(IN_FLIGHT.curve(found, found.tables[FLIGHT])).splitlines()
    assert "CUDA 4000, Vulkan 2000" in lines[0]
    assert lines[4:] == ["| 16 Ki | 2000 | 1000 |", "| 32 Ki | 4000 | 2000 |"]


def resident(kib: int, **blocks: object) -> list[dict]:
    """A row an API that is named, with its blocks an SM."""
    cells = {"block": 64, "blocks_per_sm": 48, "shared_bytes": kib * 1024, "elements": 6336, "useful_bytes": "", "gbps": ""}
    return [synthetic.row(FLIGHT, "resident", api, 1e5, resident_blocks=count, **cells) for api, count in blocks.items()]


def test_the_knee_lies_between_its_neighbours(found: Study) -> None:
    assert IN_FLIGHT.knee_bytes([(16384, 2000.0), (32768, 4000.0)], 3600.0) == pytest.approx(16384 * 1.8)
    assert IN_FLIGHT.knee_bytes([(16384, 2000.0)], 3600.0) is None
    assert IN_FLIGHT.knee_bytes([(16384, 3700.0)], 3600.0) == 16384
    lines = rendered(IN_FLIGHT.mechanisms(found, found.tables[FLIGHT])).splitlines()
    assert lines[2].startswith("| CUDA | plain loads | 28.8 | 1.0000 [")
    assert lines[2].endswith("| 32 Ki | 18 to 56 |")
    assert lines[3].endswith("| 32 Ki | 32 |")


def test_kingmans_formula_is_found_again(found: Study) -> None:
    points = tuple((load, 300 + 20 * load / (5000 - load)) for load in (500.0, 2500.0, 4000.0, 4700.0))
    fit = LOADED.kingman(LOADED.Loaded(300.0, points))
    assert fit is not None
    assert fit.limit_gbps == pytest.approx(5000, rel=2e-3)
    assert fit.wait_ns == pytest.approx(20, rel=2e-2)
    assert fit.worst < 0.01
    text = rendered(LOADED.latency(found, found.tables[LATENCY]))
    assert "by a kernel that does nothing else: CUDA 293.0 ns, the idle figure above +2.4 %; Vulkan 293.0 ns" in text
    waits = [line.split("|")[2].strip() for line in text.splitlines() if line.startswith(("| –", "| 16 KiB", "| 32 KiB", "| 64 KiB"))]
    assert waits[0] == "–" and waits[1:] == sorted(waits[1:], key=int, reverse=True)
    assert "| 64 KiB | 4500 | 4500 | 480.0 | 1.60 | 4500 | 480.0 | 1.60 |" in text
    assert "CUDA 300 ns + 20" in text


def test_a_latency_that_does_not_grow_has_no_fit() -> None:
    assert LOADED.kingman(LOADED.Loaded(300.0, ((1000.0, 290.0), (4000.0, 280.0)))) is None
