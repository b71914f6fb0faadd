"""The guard for twins: planted faults, each beside what it was planted in, and every committed pair."""

import csv
import random
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import analyses
import dump_sass
import pytest
import synthetic
import twins
from test_sass import instructions

from benchlib.base.errors import InputError
from benchlib.claims import claim_query
from benchlib.document import markdown
from benchlib.model import pairs, work
from benchlib.model.analysis import Study
from benchlib.pages import ratio_strip
from benchlib.results import results
from benchlib.results.machine_code import PAST
from benchlib.results.results import WITH_ALL_CHECKS
from benchlib.base import archive, csv_file, programs
from benchlib.sass import flow, listings, payload, same_work
from benchlib.sass.sass import Instruction
from benchlib.stats.stats import NOT_SAME_WORK
from benchlib.tables import claim_tables
from benchlib.tables import twins as twin_tables
from benchlib.sass.same_work import ATOMIC, DELETED, FENCE, GENERIC, MATRIX, ONE, ORDER, POLLS, UNROLL, Excuse, Excused, Finding, NotSame, Same

REPO = Path(__file__).resolve().parents[2]
REFERENCE = REPO / "results/nvidia-h200"
MISLED = Path(__file__).resolve().parent / "fixtures/misled"
KNOWN = Path(__file__).resolve().parent / "fixtures/not_the_same_work.csv"
MANY = 620  # pairs are committed, at least: a test over none cannot fail

END = ("STG.E [R30.64], R5", "EXIT")


def loop(*body: str, step: int = 1) -> list[str]:
    """That body, until a counter in R0, which `step` moves on, is R20."""
    start = ["MOV R0, RZ", "LDG.E R5, [R10.64]"]
    back = [f"IADD3 R0, R0, {step:#x}, RZ", "ISETP.NE.AND P0, PT, R0, R20, PT", f"@P0 BRA {16 * len(start):#x}"]
    return [*start, *body, *back, *END]


def polling(*body: str, peeled: Sequence[str] = ()) -> list[str]:
    """That body, until what it loads into R6 is not 0."""
    return [*peeled, *body, "ISETP.EQ.AND P0, PT, R6, RZ, PT", f"@P0 BRA {16 * len(peeled):#x}", *END]


def failures(cuda: Sequence[str], vulkan: Sequence[str], ask: same_work.Ask | None = None) -> list[str]:
    sides = (payload.of(instructions(*side)) for side in (cuda, vulkan))
    return [finding.failure for finding in same_work.compare(*sides, ask)]


STEP = "IMAD R5, R5, 0x19660d, R7"
LOAD = "LDG.E R6, [R10.64]"
USE = "FADD R5, R5, R6"
LOOK = "LDG.E.STRONG.GPU R6, [R10.64]"
BARRIER, TILE = "BAR.SYNC 0x0", "LDS R8, [R9]"
MMA = "HMMA.16816.F32 R4, R12, R16, R4"


@pytest.mark.parametrize(
    ("sound", "harmed", "ask", "failure"),
    [
        (loop(*[STEP] * 4, step=4), loop(STEP, step=4), None, DELETED),
        (loop(*[STEP] * 4, step=4), loop(STEP, step=4), {"imul": 1}, DELETED),
        (loop(*[STEP] * 64), loop(STEP), {"imul": 64}, DELETED),
        (polling(*["LDG.E.STRONG.GPU R8, [R10.64]"] * 15, LOOK), polling(LOOK), None, POLLS),
        (polling(*["LDG.E.STRONG.GPU R8, [R10.64]"] * 15, LOOK), polling(LOOK), {"load32": 16}, POLLS),
        (loop(STEP, "MEMBAR.SC.GPU"), loop(STEP), None, FENCE),
        (loop(STEP, "MEMBAR.SC.GPU"), loop(STEP, "MEMBAR.SC.SYS"), None, FENCE),
        (loop(STEP, "MEMBAR.SC.GPU"), loop(STEP, "MEMBAR.SC.GPU", "MEMBAR.SC.GPU"), None, FENCE),
        (loop(STEP, "MEMBAR.SC.GPU", "CCTL.IVALL"), loop(STEP, "MEMBAR.SC.GPU"), None, FENCE),
        (["MEMBAR.ALL.CTA", *END], [*END], None, FENCE),
        (loop("RED.E.ADD.STRONG.GPU [R10.64], R5"), loop("RED.E.MIN.STRONG.GPU [R10.64], R5"), None, ATOMIC),
        (loop("RED.E.ADD.STRONG.GPU [R10.64], R5"), loop("RED.E.ADD.STRONG.SYS [R10.64], R5"), None, ATOMIC),
        (loop("RED.E.ADD.STRONG.GPU [R10.64], R5"), loop("RED.E.ADD.F32.STRONG.GPU [R10.64], R5"), None, ATOMIC),
        (loop("RED.E.ADD.STRONG.GPU [R10.64], R5"), loop("ATOMS.ADD R8, [R10], R5"), None, ATOMIC),
        (loop("RED.E.ADD.STRONG.GPU [R10.64], R5"), loop("REDUX.SUM UR4, R5", "RED.E.ADD.STRONG.GPU [R10.64], R5", "MOV R5, UR4"), None, ONE),
        (loop(MMA), loop("HMMA.1688.F32 R4, R12, R16, R4", "HMMA.1688.F32 R4, R12, R16, R4"), None, MATRIX),
        (loop(LOAD, USE), loop("LD.E R6, [R10.64]", USE), None, GENERIC),
        (loop(LOAD, USE), loop(*[part for _ in range(4) for part in (LOAD, USE)], step=4), None, UNROLL),
        (loop(LOAD, USE), loop(*[part for _ in range(4) for part in (LOAD, USE)], step=4), {"load32": 1}, UNROLL),
        (loop(step=4), loop(step=16), {}, UNROLL),
        (loop(BARRIER, LOAD, TILE, USE), loop(LOAD, BARRIER, TILE, USE), None, ORDER),
    ],
)  # fmt: skip
def test_what_is_planted_is_found(sound: list[str], harmed: list[str], ask: same_work.Ask | None, failure: str) -> None:
    assert failures(sound, sound, ask) == [] and failure in failures(sound, harmed, ask) and failure in failures(harmed, sound, ask)


def test_work_that_both_compilers_deleted_is_found_by_what_the_source_asks_for() -> None:
    composed = loop(STEP, step=64)
    assert failures(composed, composed) == []
    assert failures(composed, composed, {"imul": 1}) == [DELETED, DELETED]
    assert failures(loop(*[STEP] * 64, step=64), loop(*[STEP] * 4, step=4), {"imul": 1}) == []


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (loop(BARRIER, LOAD, TILE, USE), loop(TILE, USE, BARRIER, LOAD)),  # one turn, begun elsewhere
        (loop(STEP), loop(*[STEP] * 4, step=4)),  # unrolled, and nothing is loaded
        (loop("LDG.E R10, [R10.64]", step=1), loop(*["LDG.E R10, [R10.64]"] * 4, step=4)),  # a chain: one under way in both
        (polling(LOOK), polling(LOOK, peeled=[LOOK, "ISETP.NE.AND P1, PT, R6, RZ, PT", "@P1 BRA 0x60"])),
        (loop(LOAD, USE), loop("IMAD.WIDE R10, R0, 0x4, R12", "ISETP.GE.AND P1, PT, R0, R9, PT", f"@!P1 {LOAD}", USE)),  # addresses and checks
        (loop("RED.E.ADD.STRONG.GPU [R10.64], R5"), loop("ATOMG.E.ADD.STRONG.GPU PT, RZ, [R10.64], R5")),  # no result is used
        (["MEMBAR.SC.GPU", *END], ["MEMBAR.SC.CTA", "MEMBAR.SC.GPU", *END]),  # the wider one covers the other
    ],
)  # fmt: skip
def test_what_is_no_other_work(left: list[str], right: list[str]) -> None:
    assert failures(left, right) == [] and failures(right, left) == []


def test_a_nest_counts_as_one_turn_where_the_inner_turns_are_known() -> None:
    inner = ["MOV R1, RZ", STEP, "IADD3 R1, R1, 0x1, RZ", "ISETP.NE.AND P1, PT, R1, 0x8, PT", "@P1 BRA 0x30"]
    assert failures(loop(*inner), loop(*[STEP] * 8), {"imul": 8}) == []
    assert failures(loop(*inner), loop(*[STEP] * 8), {"imul": 9}) == [DELETED, DELETED]


def moved(code: Sequence[Instruction], base: int, rng: random.Random | None = None) -> list[Instruction]:
    """The same from that offset on; with `rng` each jump leads anywhere."""
    found = []
    for place, one in enumerate(code):
        target = f"{16 * rng.randrange(len(code)):#x}" if rng else re.sub(r"0x[0-9a-f]+$", lambda match: f"{int(match[0], 16) + base:#x}", one.operands)
        jumps = one.base in ("BRA", "CALL")
        found.append(replace(one, offset=16 * place + base, operands=target if jumps else one.operands))
    return found


def test_any_code_is_read_and_does_the_work_that_it_does() -> None:
    rng = random.Random(7)
    every = [one for twin in rng.sample(twins.twins(REFERENCE), 60) for code in twin.code for one in code]
    for _ in range(300):
        side = payload.of(moved(rng.choices(every, k=rng.randrange(1, 120)), 0, rng))
        assert same_work.compare(side, side) == []


def test_a_function_returns_to_where_it_was_called_from() -> None:
    """Else all that any call leaves in a register comes to all others, and long code takes minutes."""
    calls = ["CALL.REL.NOINC 0x50", "STG.E [R30.64], R5", "CALL.REL.NOINC 0x70", "STG.E [R30.64], R5", "EXIT"]
    functions = ["MOV R5, 0x1", "RET.REL.NODEC R2 0x0", "MOV R5, 0x2", "RET.REL.NODEC R2 0x0"]
    writers = flow.Flow(instructions(*calls, *functions)).writers
    assert (writers[1]["R5"], writers[3]["R5"]) == ({5}, {5, 7})


def test_the_lines_of_a_source(tmp_path: Path) -> None:
    (tmp_path / "cuda").mkdir()
    (tmp_path / "params.h").write_text("// Per turn of none_*: nothing\n#define X  // Per turn is no line\n// Per turn of a, b_*: imul 64, load32 4\n")
    (tmp_path / "cuda/k.cu").write_text("// Reads.\n// Per turn of k: HMMA.16816.F32 16.\n")
    found = same_work.asks(tmp_path)
    asked = {name: same_work.ask_of(found, name) for name in ("none_alone", "a", "a.disabled", "b_1", "k", "ab")}
    both = {"imul": 64, "load32": 4}
    assert asked == {"none_alone": {}, "a": both, "a.disabled": both, "b_1": both, "k": {"HMMA.16816.F32": 16}, "ab": None}
    (tmp_path / "other").mkdir()
    (tmp_path / "other/params.h").write_text("// Per turn of a: 64 imul\n")
    with pytest.raises(InputError, match="params.h: 'Per turn of a: 64 imul' is not like"):
        same_work.asks(tmp_path / "other")


def test_a_reason_excuses_what_it_names_and_nothing_else(tmp_path: Path) -> None:
    assert same_work.excuses(tmp_path) == []
    path = tmp_path / "differs.toml"
    path.write_text('[[differs]]\nkernels = ["a_*"]\nin = "another fence"\nbecause = "that is the question"\n')
    excused = same_work.excuses(tmp_path)
    assert excused == [Excuse(("a_*",), FENCE, "that is the question")]
    fence, atomic = Finding(FENCE, "none in CUDA, fence_cta in Vulkan"), Finding(ATOMIC, "x")
    assert same_work.judged("a_1", [], excused) == Same()
    assert same_work.judged("a_1.disabled", [fence], excused) == Excused(("that is the question",))
    assert same_work.judged("b", [fence], excused) == NotSame((fence,))
    assert same_work.judged("a_1", [fence, atomic], excused) == NotSame((atomic,))
    assert same_work.as_findings(same_work.as_text([fence, atomic])) == [fence, atomic] and same_work.as_findings("") == []
    for text, message in (("in = 3", "differs.toml"), ('[[differs]]\nkernels = []\nin = "fences"\nbecause = ""', "'fences' is none of")):
        path.write_text(text)
        with pytest.raises(InputError, match=message):
            same_work.excuses(tmp_path)


# ------------------------------------------------------------------------------------------------------ committed twins


@pytest.fixture(scope="module")
def committed() -> dict[tuple[str, str], tuple[twins.Twin, list[Finding]]]:
    """What is found of each pair, from its listings."""
    every = twins.twins(REFERENCE)
    assert len(every) >= MANY
    return {(twin.experiment, twin.kernel): (twin, same_work.findings(twin.sources, twin.kernel, *twin.code)) for twin in every}


def test_the_pairs_that_fail_are_known_and_can_only_become_fewer(committed) -> None:
    """A pair that fails anew is mended, or excused by its experiment's differs.toml. One that fails no more leaves the list."""
    with KNOWN.open(newline="", encoding="utf-8") as file:
        known = {(row["experiment"], row["kernel"]): row for row in csv.DictReader(file)}
    failing = {}
    for key, (twin, found) in committed.items():
        one = same_work.judged(twin.kernel, found, same_work.excuses(twin.sources))
        if isinstance(one, NotSame):
            failing[key] = ", ".join(dict.fromkeys(finding.failure for finding in one.differs))
    assert failing == {key: row["failure"] for key, row in known.items()}
    assert all(row["to_mend"] for row in known.values())


@pytest.mark.parametrize(("experiment", "kernel", "failure"), [
    ("exp08_order", "link", DELETED),
    ("exp09_arithmetic", "loop_literal", DELETED),
    ("exp09_arithmetic", "loop_literal_unroll", DELETED),  # on both sides
    ("exp09_arithmetic", "loop_uniform", DELETED),
    ("exp06_ordering", "message_flag_relaxed_gpu", POLLS),
    ("exp06_ordering", "message_payload_fence_gpu", POLLS),
    ("exp06_ordering", "load_rate_weak", UNROLL),
    ("exp06_cache_ops", "reuse_ro_plain", UNROLL),
    ("exp09_arithmetic", "sum_plain", UNROLL),
    ("exp05_strided", "read_window", UNROLL),
    ("exp09_barrier", "none_alone", UNROLL),
    ("exp06_bytes_in_flight", "read_staged_1", ORDER),
    ("exp09_barrier", "memory_shared_alone", FENCE),
    ("exp08_waiting", "task", FENCE),
    ("exp09_atomics", "global_add_i32", ONE),
    ("exp07_matrix_units", "product_tile_s8_s32_128_128_32_2_4", MATRIX),
    ("exp07_matrix_units", "product_tile_bf16_f32_128_128_32_2_4", GENERIC),
])  # fmt: skip
def test_pairs_that_misled_are_found(experiment: str, kernel: str, failure: str) -> None:
    """By their listings as they were published, before they were mended."""
    both = [listings.read(MISLED / f"{experiment}{archive.SUFFIX}", kernel, api) for api in twins.APIS]
    found = same_work.findings(programs.source_folders(REPO)[experiment], kernel, *both)
    assert failure in [finding.failure for finding in found]


def test_every_line_of_the_sources_fits_a_kernel_and_every_reason_excuses_one(committed) -> None:
    idle = []
    for experiment, folder in programs.source_folders(REPO).items():
        here = [(twin.kernel, found) for (name, _), (twin, found) in committed.items() if name == experiment]
        asked = same_work.asks(folder)
        used = [next((name for name, _ in asked if same_work.ask_of([(name, {})], kernel) is not None), None) for kernel, _ in here]
        idle += [f"{experiment}: Per turn of {name}" for name, _ in asked if name not in used]
        for one in same_work.excuses(folder):
            idle += [f"{experiment}: {name} in {one.failure}" for name in one.kernels
                     if not any(Excuse((name,), one.failure, "").fits(kernel, f) for kernel, found in here for f in found)]  # fmt: skip
    assert idle == []


@pytest.fixture(scope="module")
def found() -> Study:
    return analyses.committed("nvidia-h200")


def test_a_case_is_judged_by_the_listings_of_what_it_ran(found: Study) -> None:
    """Keyed as the result rows are: by the hashes of the code that both sides ran."""
    judged = {
        name: [work.of_pair(found, found.tables[name], pair.cuda, pair.vulkan) for pair in pairs.pairs(found.tables[name], WITH_ALL_CHECKS) if pair.cuda and pair.vulkan]
        for name in ("exp01_vector_add", "exp06_cache_ops", "exp06_litmus", "exp08_order", "exp09_barrier")
    }
    assert {type(one) for one in judged["exp01_vector_add"]} == {Same, Excused, type(None)}
    assert {type(one) for one in judged["exp06_litmus"]} == {Excused}
    for name in ("exp06_cache_ops", "exp08_order"):  # shaders built for other workgroup sizes than the listings', too
        assert {type(one) for one in judged[name]} <= {Same, Excused, type(None)} and Same in {type(one) for one in judged[name]}
    assert sum(isinstance(one, NotSame) for one in judged["exp09_barrier"]) <= 2, "rows of older code, which nothing has replaced"


# ------------------------------------------------------------------------------------------------------- no verdict


def test_no_pair_that_is_not_the_same_work_has_a_verdict(found: Study) -> None:
    """Of the committed results: neither a verdict, nor a ratio, nor a place in a kind."""
    seen = 0
    for table in found.tables.values():
        placed = {one.case for one in ratio_strip.measured(table, {})}
        for pair in pairs.pairs(table, {}):
            if not pair.cuda or not pair.vulkan or pairs.judged(table, pair) is None:
                continue
            differs = isinstance(work.of_pair(found, table, pair.cuda, pair.vulkan), NotSame)
            seen += 1
            assert (pairs.pair_verdict(table, pair) == NOT_SAME_WORK) == differs
            assert (pairs.pair_ratio(table, pair) is None) == differs
            assert not differs or pair.case not in placed
    assert seen > 1000


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    """Three sizes of one kernel; of the middle one a compiler left out a half."""
    rows = [row for elements in (1 << 26, 1 << 27, 1 << 28) for row in synthetic.twins("exp01_vector_add", "add_f32", 100, 50, elements=elements)]
    synthetic.write(tmp_path, "exp01_vector_add", rows)
    said = Finding(DELETED, "imul 4 asked for, Vulkan does 2 per turn")
    monkeypatch.setattr(work, "of_pair", lambda found, table, cuda, vulkan: NotSame((said,)) if cuda.elements == 1 << 27 else Same())
    return Study.of(results.load(tmp_path), {})


def test_a_planted_pair_loses_its_verdict_and_says_why(planted: Study) -> None:
    table = planted.tables["exp01_vector_add"]
    found = pairs.pairs(table, {})
    assert [pairs.pair_verdict(table, pair) for pair in found] == ["FASTER", NOT_SAME_WORK, "FASTER"]
    assert [pairs.pair_ratio(table, pair) is not None for pair in found] == [True, False, True]
    assert [one.case.elements for one in ratio_strip.measured(table, {})] == [1 << 26, 1 << 28]
    text = markdown.render([twin_tables.twin_table(table, {})], markdown.Place("", None))
    assert "NOT THE SAME WORK, deleted work: imul 4 asked for, Vulkan does 2 per turn" in text
    assert claim_tables.pair_verdicts(table) == {"FASTER": 2, NOT_SAME_WORK: 1}
    part = table.of_runs([0])
    assert pairs.pair_verdict(part, found[1]) == NOT_SAME_WORK


@pytest.mark.parametrize(
    "query", [{"combine": "twin_ratio", "where": {"variant": ["add_f32"]}}, {"combine": "ratio", "num": {"api": ["vulkan"]}, "den": {"api": ["cuda"]}}]
)
def test_a_claim_does_not_rest_on_it(planted: Study, query: dict) -> None:
    query = {**query, "metric": "device_ns"}
    found = claim_query.run(query, "exp01_vector_add", planted, "here")
    assert [one.case.elements for one in found] == [1 << 26, 1 << 28]
    for place in set(query) & {"where", "num", "den"}:
        query[place] = {**query[place], "elements": [str(1 << 27)]}
    assert "the two sides of 1 pair of " in claim_query.run(query, "exp01_vector_add", planted, "here")


def test_older_rows_are_judged_by_what_was_found_of_their_code(tmp_path: Path) -> None:
    """Newer listings have taken the place of theirs, here or in a set beside it."""
    rows = [{**row, "isa_hash": f"{row['api']}-old"} for row in synthetic.twins("exp01_vector_add", "add_f32", 100, 50)]
    synthetic.write(tmp_path / "one", "exp01_vector_add", rows)
    (tmp_path / "other").mkdir()
    found = f"exp01_vector_add,add_f32,add_f32,add_f32,cuda-old,vulkan-old,{DELETED}: imul 4 asked for"
    (tmp_path / "other" / PAST).write_text(",".join(dump_sass.PAST_COLUMNS) + "\n" + found + "\n")
    table = Study.of(results.load(tmp_path / "one"), {}).tables["exp01_vector_add"]
    assert [pairs.pair_verdict(table, pair) for pair in pairs.pairs(table, {})] == [NOT_SAME_WORK]


def test_what_listings_do_not_do_alike_is_kept(tmp_path: Path) -> None:
    code = "experiment,kernel,api,arch,isa_hash\n"
    (tmp_path / "sass.csv").write_text(code + "e,k,cuda,sm_90a,c1\ne,k,vulkan,sm_90,v1\ne,same,cuda,sm_90a,c2\ne,same,vulkan,sm_90,v2\n")
    twin = "experiment,kernel,arch,cuda_kernel,vulkan_kernel,work\n"
    (tmp_path / "sass_twins.csv").write_text(twin + f"e,k,sm_90a,k,k,{DELETED}: x\ne,same,sm_90a,same,same,\n")
    first = dump_sass.past(tmp_path)
    assert [(row["cuda_hash"], row["vulkan_hash"], row["work"]) for row in first] == [("c1", "v1", f"{DELETED}: x")]
    (tmp_path / PAST).write_text(csv_file.text(dump_sass.PAST_COLUMNS, first))
    (tmp_path / "sass.csv").write_text(code + "e,k,cuda,sm_90a,c3\ne,k,vulkan,sm_90,v1\n")
    (tmp_path / "sass_twins.csv").write_text(twin + f"e,k,sm_90a,k,k,{POLLS}: y\n")
    assert [row["cuda_hash"] for row in dump_sass.past(tmp_path)] == ["c1", "c3"]
