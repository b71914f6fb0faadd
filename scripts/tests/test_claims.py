"""claims.toml: whatever is misspelt or of the wrong type is an error with the file, the claim and the key, and never a verdict."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path

import pytest
import synthetic
from benchlib.base import toml_file
from benchlib.claims import claim_check, claim_query, claims
from benchlib.model import analysis
from benchlib.model.analysis import Study
from benchlib.results import results
from benchlib.results.results import InputError
from benchlib.stats.stats import Figure
from benchlib.tables import claim_tables

ROOT = Path(__file__).resolve().parents[2]
EXP01, EXP03 = "exp01_vector_add", "exp03_memory_coalescing"
CLAIM = """
question = "?"
answer = "It is {03.1.a}."
[[claim]]
id = "03.1"
kind = "mechanism"
since = 2026-11-21
source = "ours"
text = "t"
claimed = "1"
device = ""
theory = "1"
unit = "x"
note = "{a}, {b}"
[[claim.query]]
name = "a"
combine = "twin_ratio"
metric = "device_ns"
where = { variant = "read_offset", offset = ["0", "8"], elements = "max_dram", pick = "fastest" }
reproduced = { lo = 0.5, hi = 2 }
[[claim.query]]
name = "b"
combine = "ratio"
metric = "element_ns"
num = { variant = "read_aos_x", elements = "67108864" }
den = { variant = "read_soa_x", elements = "67108864" }
headline = true
[[claim.query]]
name = "c"
table = "counters"
combine = "value"
metric = "load_sectors"
where = { variant = "read_offset", offset = "8" }
[[claim.query]]
name = "d"
table = "sass"
combine = "value"
metric = "ldg_32"
where = { kernel = "read_soa_x", api = "cuda" }
[[claim.query]]
name = "e"
table = "sass_twins"
combine = "value"
metric = "same_memory"
where = { kernel = "read_soa_x" }
[[claim.query]]
name = "f"
combine = "over_control"
metric = "gbps"
control = "submit_ns"
where = { variant = "read_soa_x", cache = "cold" }
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> results.Results:
    folder = tmp_path_factory.mktemp("results")
    synthetic.write(folder, EXP03, synthetic.exp03_rows())
    return results.load(folder)


def judged(root: Path, text: str | bytes, found: results.Results) -> claims.Claim:
    (root / EXP03).mkdir(exist_ok=True)
    (root / EXP03 / "claims.toml").write_bytes(text.encode() if isinstance(text, str) else text)
    (group,) = claims.load(root)
    claims.judge(group.claims[0], found)
    return group.claims[0]


def test_the_claim_is_sound(tmp_path: Path, found: results.Results) -> None:
    assert judged(tmp_path, CLAIM, found).verdict == "REPRODUCED"


def test_a_sentence_without_any_figure_is_left_out(tmp_path: Path, found: results.Results) -> None:
    """c asks for counters, and there are none."""
    note = judged(tmp_path, CLAIM.replace("{a}, {b}", "Counted: {c}. Beside {b}: {c}. Always so"), found).note
    assert "Counted" not in note and "–. Always so." in note and ". Beside " in note


def test_a_refuted_claim_shows_a_case_that_refutes_it(tmp_path: Path, found: results.Results) -> None:
    """Not the median case, where those outside lie on both sides of it."""
    def finding(value: float, side: str, margin: float) -> claim_query.JudgedCase:
        case = next(iter(found.tables[EXP03].cases))
        return claim_query.JudgedCase(side, claim_query.CaseFigure(Figure.exact(value), case, str(value)), margin)

    deciding = [finding(0.9, "out", -0.1), finding(1.0, "open", -0.01), finding(1.2, "out", -0.2)]
    tested = claims.Tested({"reproduced": {"lo": 0.99, "hi": 1.01}}, "mechanism", "times", deciding)
    assert tested.verdict == "REFUTED" and tested.middle.figure.value == 1.0 and tested.typical.figure.value == 1.2


ID = "claims.toml:4: claim 03.1: "
A = f"{ID}query a: "


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        # In a claim
        ('question = "?"', "question = 5", "claims.toml: question is 5, not a text"),
        ("[[claim]]", "[claim]", "claims.toml: "),
        ('note = "{a}, {b}"', 'why = "{z}"', f"{ID}the why names no query: z"),
        ('note = "{a}, {b}"', 'nota = "{a}"', f"{ID}unknown key nota"),
        ("since = 2026-11-21", 'since = "2026-11-21"', f"{ID}since is '2026-11-21', not a date"),
        ("since = 2026-11-21", 'since = 2026-11-21\nchanged = [{ on = 2026-11-22, what = "w" }]', f"{ID}changed: why is None, not a text"),
        ("since = 2026-11-21", 'since = 2026-11-21\ntables = "T"', f"{ID}tables is 'T', not a list of texts"),
        ("reproduced = { lo = 0.5, hi = 2 }", "reproduced = { lo = 0.5, hi = 2 }\noptional = true", f"{ID}needs a query with a range that"),
        ('name = "a"', 'name = "worst"', f"{ID}query worst: name is 'worst'"),
        ('combine = "twin_ratio"', 'combine = "analysis"', f"{A}where does not go with combine analysis"),
        ('id = "03.1"', 'id = "03.\u0661"', "the id must be 03. and a number"),
        ('name = "b"', 'name = "a"', f"{ID}"),
        # In a query
        ('combine = "twin_ratio"', 'combine = "twinratio"', f"{A}combine is 'twinratio'"),
        ('metric = "device_ns"', "", f"{A}combine is 'twin_ratio': a query needs metric"),
        ('metric = "device_ns"', 'metric = "device_s"', f"{A}metric: exp03_memory_coalescing has no figure 'device_s'"),
        ('metric = "load_sectors"', 'metric = "load_sector"', "query c: metric: counters.csv has no figure 'load_sector'"),
        ('control = "submit_ns"', "", "query f: combine over_control needs control"),
        ("where = { variant = \"read_offset\", offset = [", "num = { variant = \"read_offset\", offset = [", f"{A}combine twin_ratio needs where"),
        ("headline = true", "where = {}", "query b: where does not go with combine ratio"),
        ("headline = true", 'table = "results.csv"', "query b: no such table: results.csv"),
        ('combine = "value"\nmetric = "ldg_32"', 'combine = "twin_ratio"\nmetric = "ldg_32"', "query d: combine twin_ratio is of results and counters, not of sass"),
        # In a range
        ("reproduced = { lo = 0.5, hi = 2 }", "reproduced = { lo = 0.5, high = 2 }", f"{A}reproduced: unknown key high"),
        ("reproduced = { lo = 0.5, hi = 2 }", f"reproduced = {{ hi = {'9' * 400} }}", f"{A}reproduced: hi is 999"),
        ("reproduced = { lo = 0.5, hi = 2 }", "reproduced = { lo = 2, hi = 0.5 }", f"{A}reproduced: lo is 2, above hi, 0.5"),
        ("reproduced = { lo = 0.5, hi = 2 }", "", f"{ID}needs a query with a range that is not optional, or `needs`"),
        # In what chooses the cases
        ('pick = "fastest"', 'pick = "slowest"', f"{A}where: pick is 'slowest', none of fastest"),
        ('pick = "fastest"', 'pic = "fastest"', f"{A}where: exp03_memory_coalescing has no column 'pic' to choose by; it has api, block"),
        ('pick = "fastest"', 'api = "metal"', f"{A}where: api is 'metal', none of cuda, vulkan"),
        ('pick = "fastest"', 'block = "many"', f"{A}where: block is 'many', not a whole number"),
        ('elements = "max_dram"', 'elements = "maxdram"', f"{A}where: elements is 'maxdram', not a whole number or one of max, dram"),
        ('num = { variant = "read_aos_x", elements = "67108864" }', 'num = "x"', "query b: num: 'x' is no column=value"),
        ('where = { kernel = "read_soa_x", api', 'where = { kernl = "read_soa_x", api', "query d: where: sass.csv has no column 'kernl'"),
        ('offset = "8" }', 'pick = "fastest" }', "query c: where: pick is one text, and of results"),
        ('offset = "8" }', 'elements = "dram" }', "query c: where: elements = dram is of results, not of counters"),
    ],
)
def test_malformed_claims(tmp_path: Path, found: results.Results, old: str, new: str, message: str) -> None:
    assert old in CLAIM
    with pytest.raises(InputError) as caught:
        judged(tmp_path, CLAIM.replace(old, new, 1), found)
    text = str(caught.value)
    assert message in text and f"{EXP03}/claims.toml" in text and text.isprintable()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"\xff", "can't decode"), (b"[" * 100000, ""), (b"x = " + b"[" * 100000, ""), (b"x = " + b"9" * 5000, ""),
        (b" " * (2 << 20), "longer than 1 MiB"), (b"claim = 5", "claim is no list of tables"), (b"claim = [5]", "claim is no list of tables"),
        (b"[[claim]]\nquery = 5", "no text for id"), (b"[[claim]]", "claim no. 1: no text for id, kind, source"),
        (CLAIM.partition("[[claim.query]]")[0].replace('note = "{a}, {b}"', "query = 5").encode(), "query is no list of tables"),
        (CLAIM.partition("[[claim.query]]")[0].replace('note = "{a}, {b}"', "query = [5]").encode(), "query is no list of tables"),
    ],
)  # fmt: skip
def test_files_that_are_none(tmp_path: Path, found: results.Results, text: bytes, message: str) -> None:
    with pytest.raises(InputError) as caught:
        judged(tmp_path, text, found)
    assert message in str(caught.value) and str(caught.value).isprintable()


OF_TWINS = 'combine = "twin_ratio"\nmetric = "device_ns"\nwhere = { variant = "read_same" }\nreproduced = { lo = 0.99, hi = 1.01 }'
BOARDS = 'question = "?"\n' + synthetic.claim("03.4", OF_TWINS, 'since = 2025-12-31\nchanged = [{ on = 2026-01-01T00:00:00Z, what = "w", why = "y" }]')


def test_boards_that_come_out_otherwise_are_named(tmp_path: Path) -> None:
    for board, vulkan_ns, day in (("aaaaaaaa", 1000, "01"), ("bbbbbbbb", 1001, "02"), ("cccccccc", 1020, "03")):
        rows = synthetic.twins(EXP03, "read_same", 1000, vulkan_ns, gpu_uuid=f"GPU-{board}", started_at=f"2026-01-{day}T00:00:00Z")
        synthetic.write(tmp_path / "results/gpu/boards" / board / "run1", EXP03, rows)
    claim = judged(tmp_path, BOARDS, results.load(tmp_path / "results/gpu"))
    assert (claim.boards, claim.runs, claim.newer_runs, claim.undated_runs) == (["aaaaaaaa", "bbbbbbbb", "cccccccc"], 3, 0, 3)
    assert claim.verdict == "UNCLEAR" and claim.differing == {"cccccccc": "REFUTED"}
    assert "With one board's figures alone: REFUTED on board cccccccc." in claim.note
    assert claim.row_file == f"boards/aaaaaaaa/run1/{EXP03}.csv"
    synthetic.share_sidecar(tmp_path / f"results/gpu/boards/aaaaaaaa/run1/{EXP03}.csv", tmp_path / "results")
    for board, evidence in (("aaaaaaaa", "bbbbbbbb/run1/{}.csv"), ("bbbbbbbb", "cccccccc/run1/{}.csv"), ("cccccccc", "aaaaaaaa/run1.tar.xz")):
        synthetic.pack_run(tmp_path / "results/gpu/boards" / board / "run1")
        packed = judged(tmp_path, BOARDS, results.load(tmp_path / "results/gpu"))
        assert packed.row_file == f"boards/{evidence.format(EXP03)}"  # what a browser shows, as long as there is any
        assert (packed.verdict, packed.note) == (claim.verdict, claim.note)
    said = claim_tables.dates(claim)
    assert said == ("Test of 2025-12-31; changed 2026-01-01: w (y); " "whether the commits of its 3 runs contain the test in its present form is not known here.")


def test_the_worklog_has_what_claims_name() -> None:
    """Sections and figures that show a claim, and listings of the reference."""
    analyses = analysis.load(ROOT)
    for group in claims.load(ROOT):
        shown = analyses[group.experiment]
        titles = {title for title, _ in shown.sections} | {"Predicted against counted"}
        for claim in group.claims:
            assert set(claim.entry.get("tables", [])) <= titles, claim.id
            assert set(claim.entry.get("figures", [])) <= set(shown.plots), claim.id
            assert claim.entry.get("tables") or claim.listings or claim.id in ("06.20", "06.21a"), claim.id


def test_every_source_is_described_once_and_named_by_a_claim() -> None:
    described = toml_file.parsed((ROOT / claims.SOURCES).read_text(encoding="utf-8"))["source"]
    names = Counter(name for source in described for name in source["called"])
    assert {name for name, number in names.items() if number > 1} == set()
    assert {claim.source for group in claims.load(ROOT) for claim in group.claims} - {claims.OURS} == names.keys()
    assert all(source.get(key) for source in described for key in ("name", "what", "author", "date", "device", "address"))
    assert all("https://" in (place := f"{source.get('title', '')} {source['address']}") or "no public address" in place for source in described)


def entry(queries: str) -> dict:
    found = tomllib.loads(queries)
    claim_check.expand("here", found)
    return found


def test_what_queries_share_is_said_once() -> None:
    shared = """
    each = { combine = "ratio", metric = "element_ns" }
    rows = "api=cuda offset=0|8"
    query = [
      { num = "variant=a", den = "variant=b offset=1" },
      { combine = "value", metric = "gbps", reproduced = { lo = 1 } },
      { combine = "value", where = { variant = "c d" } },
    ]"""
    api, both = {"api": "cuda"}, ["0", "8"]
    assert entry(shared) == {
        "query": [
            {"combine": "ratio", "metric": "element_ns", "num": {**api, "offset": both, "variant": "a"}, "den": {**api, "offset": "1", "variant": "b"}},
            {"combine": "value", "metric": "gbps", "where": {**api, "offset": both}, "reproduced": {"lo": 1}},
            {"combine": "value", "metric": "element_ns", "where": {**api, "offset": both, "variant": "c d"}},
        ]
    }


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ('each = "value"', "each is 'value', not a table of keys"),
        ('each = { name = "a" }', "here: each: unknown key name"),
        ('each = { where = "a=b" }', "here: each: unknown key where"),
        ("rows = 5", "rows is 5, not a select"),
        ('rows = "api"', "rows: 'api' is no column=value, or there twice"),
        ('rows = "=cuda"', "rows: '=cuda' is no column=value"),
        ('query = [{ name = "x", where = "api=cuda api=vulkan" }]', "here: query x: where: 'api=vulkan' is no column=value, or there twice"),
    ],
)
def test_what_is_shared_is_checked(written: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        entry(written)
    assert message in str(caught.value)


def test_an_analysis_may_name_a_case_of_its_own(tmp_path: Path, found: results.Results) -> None:
    """That no run has: the runs' rows decided it all the same, and no row of them is shown."""
    table = found.tables[EXP03]
    case = next(iter(table.cases)).replace(variant="all of them")
    study = Study.of(found, {EXP03: analysis.Analysis(figures={"fit": lambda _: {case: 1.0}})})
    text = CLAIM.partition("[[claim.query]]")[0].replace('note = "{a}, {b}"', "") + '[[claim.query]]\nname = "a"\ncombine = "analysis"\nmetric = "fit"\nreproduced = { lo = 0.5, hi = 2 }\n'
    (tmp_path / EXP03).mkdir(exist_ok=True)
    (tmp_path / EXP03 / "claims.toml").write_text(text)
    (group,) = claims.load(tmp_path)
    claims.judge(group.claims[0], study)
    assert group.claims[0].verdict == "REPRODUCED" and group.claims[0].runs == len(table.runs) and group.claims[0].row_file == ""
