"""exp06's tables: figures in the cells of their order and scope, operator and stream, test and placement; machine code beside."""

from pathlib import Path

from benchlib.sass import listings
from benchlib.results import counters_file
import pytest
import synthetic
from analyses import module, rendered, study
from benchlib.model import loop_body
from benchlib.model.analysis import Study

ORDERING, CACHE_OPS, LITMUS = PROGRAMS = "exp06_ordering", "exp06_cache_ops", "exp06_litmus"
ORDER, CACHE, TESTS = map(module, PROGRAMS)
RELAXED = {"memory_order": "relaxed", "scope": "gpu", "via": "instruction", "resident_bytes": "16384", "in_flight_bytes": ""}


def order_rows(scale: float = 1.0) -> list[dict]:
    rows = synthetic.twins(ORDERING, "load_chain", 14500 * scale, 15000, elements=100, cycles="", **RELAXED)
    acquire = RELAXED | {"memory_order": "acquire"}
    rows += synthetic.twins(ORDERING, "load_chain", 29000 * scale, 60000, elements=100, cycles="", **acquire)
    rows += synthetic.twins(ORDERING, "load_chain", 29000, 1, elements=100, cycles="", **RELAXED | {"scope": "sys"})[:1]
    for size, cycles in (("0", "700.25"), ("65536", "900.5")):
        fence = RELAXED | {"memory_order": "acq_rel", "resident_bytes": "", "in_flight_bytes": size}
        rows += synthetic.twins(ORDERING, "fence", 1000, 1000, elements=10, cycles=cycles, **fence)
    message = RELAXED | {"resident_bytes": ""}
    rows += synthetic.twins(ORDERING, "message_flag", 8000, 9000, elements=10, cycles="", **message)
    return rows + synthetic.twins(ORDERING, "message_payload", 8500, 9500, elements=10, cycles="", stale="3", **message)


def litmus_rows() -> list[dict]:
    rows = []

    def add(place: str, strength: str, outcome: str, weak: int, control: float) -> None:
        counted = {"weak": weak, "instances": 1000000000, "weak_rate": weak / 1e9, "control_rate": control, "unseen_rate": ""}
        cells = {"placement": place, "strength": strength, "outcome": outcome, "elements": 64, **counted}
        rows.extend(synthetic.twins(LITMUS, "mp", 1000, 1002, **cells))

    add("blocks", "relaxed", "allowed", 50000000, 0.05)
    add("blocks", "fence", "forbidden", 0, 0.05)
    add("block", "relaxed", "allowed", 0, 0)
    add("block", "fence", "forbidden", 0, 0)
    return rows


def write_code(directory: Path, experiment: str, kernel: str, api: str, lines: list[str]) -> None:
    numbered = [f"{16 * at:04x}        {line}" for at, line in enumerate(lines)]
    synthetic.write_listing(directory, experiment, kernel, api, "\n".join(numbered) + "\n")


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    columns = ["block", "memory_order", "scope", "via", "resident_bytes", "in_flight_bytes"]
    monkeypatch.setitem(synthetic.PARAMS, ORDERING, columns)
    monkeypatch.setitem(synthetic.PARAMS, CACHE_OPS, ["block", "op", "level", "reuse_bytes", "stream_bytes"])
    monkeypatch.setitem(synthetic.PARAMS, LITMUS, ["block", "placement", "strength", "outcome"])
    monkeypatch.setitem(synthetic.MEASURED, ORDERING, ["cycles", "stale"])
    monkeypatch.setitem(synthetic.MEASURED, CACHE_OPS, ["reuse_cycles", "reuse_bytes_per_cycle"])
    measured = ["weak", "instances", "weak_rate", "control_rate", "unseen_rate"]
    monkeypatch.setitem(synthetic.MEASURED, LITMUS, measured)
    synthetic.write(tmp_path, ORDERING, order_rows())
    beside = {"level": "l1", "reuse_bytes": "65536", "stream_bytes": "524288"}
    rows = []
    for op, cycles, rate in (("plain", 2000, "44.25"), ("cs", 1000, "88.5")):
        for variant in ("reuse", "reuse_ro"):
            sides = synthetic.twins(CACHE_OPS, variant, 1000, 1000, op=op, reuse_cycles=cycles, reuse_bytes_per_cycle=rate, **beside)
            rows += sides[:1] if variant == "reuse" else sides
        rows += synthetic.twins(CACHE_OPS, "stream", 1000, 1000, op=op, stream_bytes="536870912", elements=1 << 27)
    synthetic.write(tmp_path, CACHE_OPS, rows)
    synthetic.write(tmp_path, LITMUS, litmus_rows())
    loop = ["MEMBAR.ALL.GPU", "ERRBAR", "STG.E.STRONG.GPU [R2.64], R0", "BRA 0x0", "STG.E [R2.64], R0"]
    write_code(tmp_path, CACHE_OPS, "stream_cs", "cuda", ["LDG.E.EF R1, [R2.64]", "@!P0 BRA 0x0", "STG.E [R2.64], R1"])
    write_code(tmp_path, ORDERING, "load_acquire_gpu", "vulkan", ["LDG.E.STRONG.GPU R1, [R1]", *loop[:1]] * 4 + ["@P1 BRA 0x0"])
    write_code(tmp_path, ORDERING, "fence_acq_rel_gpu", "cuda", loop)
    write_code(tmp_path, LITMUS, "mp_fence", "vulkan", ["MEMBAR.ALL.CTA", "MEMBAR.SC.GPU", "MEMBAR.ALL.CTA", "EXIT"])
    return study(tmp_path)


def test_an_unrolled_loop_is_one_turn() -> None:
    lines = ["0000 LDG.E R0, [R2.64]", "0010 LDG.E.STRONG.GPU R1, [R2]", "0020 @!P0 CCTL.IVALL", "0030 LDG.E.STRONG.GPU R1, [R2]"]
    lines += ["0040 CCTL.IVALL", "0050 @P0 BRA 0x10", "0060 STG.E [R2.64], R1", "0070 BRA 0x70"]
    code = listings.parse("\n".join(lines))
    assert loop_body.repeated(code) == ["LDG.E.STRONG.GPU", "CCTL.IVALL"]
    assert loop_body.fences(code) == ["CCTL.IVALL"]
    assert loop_body.repeated(code[:2]) == []


def test_how_far_two_runs_lie_apart(found: Study, tmp_path: Path) -> None:
    synthetic.write_again(tmp_path, ORDERING, order_rows(scale=1.06))
    again = study(tmp_path)
    text = rendered(ORDER.repeats(again.tables[ORDERING], ORDER.CHAINS, "element_ns"))
    # 1 and 1.06 are 2.91 % away from 1.03.
    assert "of 5 rows 3 stay within 2 %" in text and "the largest distance is 2.91 % (load_chain cuda" in text


def test_litmus_outcomes_say_what_is_forbidden_and_what_says_nothing(found: Study) -> None:
    text = rendered(TESTS.outcomes(found, found.tables[LITMUS]))
    assert "| MP | blocks | 50000 / 50000 | – | [0] / [0] | – | – | – | 0 of 2.0e9 |" in text
    assert "| MP | one block | 0? / 0? | – | [0]? / [0]? | – | – | – | – |" in text
    assert "0 of 2.0e9 instances of the 2 cases (of 4) that have a live control. The other 2 (2 in one block) say nothing" in text


def test_what_the_level_still_held_of_the_set(found: Study, tmp_path: Path) -> None:
    table = found.tables[CACHE_OPS]
    assert rendered(CACHE.hits(found, table)) == ""
    rows = []
    for case in table.select({"variant": "reuse", "api": "cuda"}):
        key = {column: value for column, value in case.cells if value}
        rows.append({"experiment": CACHE_OPS, **key, "instrument": "ncu", "l1_hit_pct": "0" if case["op"] == "plain" else "11"})
    (tmp_path / "counters.csv").write_text(counters_file.csv_text(rows), encoding="utf-8")
    again = study(tmp_path)
    lines = rendered(CACHE.hits(again, again.tables[CACHE_OPS])).splitlines()
    assert lines[-2:] == ["| plain | plain | 0 |", "| cs | plain | 99.0 |"]  # 11 % of the stream's and the set's loads


def test_which_loads_the_l1_answers(found: Study, tmp_path: Path) -> None:
    before = rendered(ORDER.rates(found, found.tables[ORDERING]))
    rows = []
    for order, scope in (("weak", ""), ("acquire", "gpu")):
        cells = {"memory_order": order, "scope": scope, "via": "instruction", "elements": 1 << 20, "cycles": ""}
        rows += synthetic.twins(ORDERING, "load_rate", 1000, 1000, **cells)
    synthetic.write(tmp_path, ORDERING, order_rows() + rows)
    again = study(tmp_path)
    assert "hit there" not in rendered(ORDER.rates(again, again.tables[ORDERING])), "not counted"
    counted = []
    for case in again.tables[ORDERING].select({"variant": "load_rate", "api": "cuda"}):
        key = {column: value for column, value in case.cells if value}
        counted.append({"experiment": ORDERING, **key, "instrument": "ncu", "l1_hit_pct": "0" if case["scope"] else "90.57"})
    (tmp_path / "counters.csv").write_text(counters_file.csv_text(counted), encoding="utf-8")
    again = study(tmp_path)
    lines = rendered(ORDER.rates(again, again.tables[ORDERING])).splitlines()
    assert lines[-2:] == ["| weak | 90.6 | – |", "| acquire | – | 0.0 |"] and "hit there" not in before


def test_how_often_the_seeded_fault_was_seen(found: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "seeded fault, the" not in rendered(TESTS.outcomes(found, found.tables[LITMUS])), "results without the column"
    monkeypatch.setitem(synthetic.MEASURED, LITMUS, [*synthetic.MEASURED[LITMUS], "fault_rate"])
    cells = {"weak": 0, "instances": 1000, "weak_rate": 0, "control_rate": 0.1, "unseen_rate": "", "placement": "blocks", "elements": 64}
    rows = []
    for strength, outcome, fault in (("relaxed", "forbidden", 0.02), ("relaxed_block", "forbidden", 0), ("weak", "allowed", 0)):
        rows += synthetic.twins(LITMUS, "corr", 1000, 1002, strength=strength, outcome=outcome, fault_rate=fault, **cells)[:1]
    synthetic.write(tmp_path, LITMUS, [row | {"fault_rate": row.get("fault_rate", "")} for row in [*litmus_rows(), *rows]])
    again = study(tmp_path)
    text = rendered(TESTS.outcomes(again, again.tables[LITMUS]))
    assert "was seen in 1 of 2 cases that forbid something" in text and "0 in the one with the fewest (corr" in text
