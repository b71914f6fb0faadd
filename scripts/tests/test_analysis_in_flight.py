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


def test_full_loops_have_a_row_for_what_a_thread_asks_for(found: Study, tmp_path: Path) -> None:
    assert rendered(IN_FLIGHT.full_loops(found, found.tables[FLIGHT])) == "No results."
    full = {"block": 256, "blocks_per_sm": 8}
    rows = shape("read_plain", 4000, 32768, **full) + shape("read_plain", 2000, 8192, elem_bytes=4, **full)
    rows += shape("read_plain", 2400, 16384, elem_bytes=4, unroll=2, **full) + shape("add_plain", 3000, 16384, elem_bytes=4, **full)
    rows += shape("read_plain", 1, 7168, elem_bytes=4, block=256, blocks_per_sm=7)
    synthetic.write(tmp_path, FLIGHT, rows)
    again = study(tmp_path)
    lines = rendered(IN_FLIGHT.full_loops(again, again.tables[FLIGHT])).splitlines()
    assert lines[2] == "| asked of each array at once, by a thread | CUDA reads | Vulkan reads | CUDA adds | Vulkan adds |"
    assert lines[4:] == [
        "| 4 bytes | 2000 | 1000 | 3000 | 1500 |",
        "| 2 x 4 bytes | 2400 | 1200 | – | – |",
        "| 16 bytes | 4000 | 2000 | – | – |",
    ]


def test_copies_have_a_row_for_a_shape_with_a_block_a_tile(found: Study, tmp_path: Path) -> None:
    assert rendered(IN_FLIGHT.best_copies(found, found.tables[FLIGHT])) == "No results."
    rows = shape("copy_tiles", 4200, 0, blocks_per_sm="") + shape("copy_tiles", 4000, 0, blocks_per_sm="", unroll=2)
    rows += shape("copy_evict_last", 4320, 0, blocks_per_sm="")[:1]  # CUDA's alone
    rows += shape("copy_evict_last", 4320, 0, blocks_per_sm="", block=128)[:1] + shape("copy_plain", 4600, 16384)
    synthetic.write(tmp_path, FLIGHT, rows)
    again = study(tmp_path)
    lines = rendered(IN_FLIGHT.best_copies(again, again.tables[FLIGHT])).splitlines()
    assert lines[4] == "| 128 | 1 | – | – | 4320 | 90.0 | – | – | – |"
    assert lines[5].startswith("| 256 | 1 | 4200 | 87.5 | 4320 | 90.0 | 1.0286 [")
    assert lines[5].endswith("] | 2100 | 43.8 |")
    assert lines[6] == "| 256 | 2 | 4000 | 83.3 | – | – | – | 2000 | 41.7 |"


def resident(kib: int, **blocks: object) -> list[dict]:
    """A row an API that is named, with its blocks an SM."""
    cells = {"block": 64, "blocks_per_sm": 48, "shared_bytes": kib * 1024, "elements": 6336, "useful_bytes": "", "gbps": ""}
    return [synthetic.row(FLIGHT, "resident", api, 1e5, resident_blocks=count, **cells) for api, count in blocks.items()]


def test_blocks_that_an_sm_holds_have_a_row_for_a_size(
    found: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = rendered(IN_FLIGHT.curve(found, found.tables[FLIGHT]))
    assert rendered(IN_FLIGHT.resident_blocks(found, found.tables[FLIGHT])) == "No results."  # a file of before, without the columns
    monkeypatch.setitem(synthetic.PARAMS, FLIGHT, [*synthetic.PARAMS[FLIGHT], "shared_bytes"])
    monkeypatch.setitem(synthetic.MEASURED, FLIGHT, ["resident_blocks"])
    rows = shape("read_tiles", 4000, 0, blocks_per_sm="") + shape("read_plain", 2000, 16384) + shape("read_plain", 4000, 32768)
    rows += resident(227, cuda=1) + resident(8, cuda=25, vulkan=11.5)
    synthetic.write(tmp_path, FLIGHT, rows)
    again = study(tmp_path)
    lines = rendered(IN_FLIGHT.resident_blocks(again, again.tables[FLIGHT])).splitlines()
    assert "blocks of 64 threads" in lines[0]
    assert lines[4:] == ["| 8 | 25 | 11.5 | 200 | 92 |", "| 227 | 1 | – | 227 | – |"]
    assert rendered(IN_FLIGHT.curve(again, again.tables[FLIGHT])) == before


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


def test_the_figures_have_their_lines(found: Study) -> None:
    panels = IN_FLIGHT.flight_chart(found, found.tables[FLIGHT]).panels
    assert [len(series.points) for series in panels[0].series] == [2, 2]
    names = [series.name for series in LOADED.latency_chart(found, found.tables[LATENCY]).panels[0].series]
    assert names == ["CUDA", "Kingman, fitted", "Vulkan"]
