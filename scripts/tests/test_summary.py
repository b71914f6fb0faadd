"""docs/summary.toml: the verdict, the picture and the rules of all experiments together."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import result_sets
import synthetic
import worklog
from analyses import committed

from benchlib.base import csv_file
from benchlib.base.programs import CONTROLS
from benchlib.document import markdown
from benchlib.model import analysis
from benchlib.model.analysis import Study
from benchlib.model.pairs import pair_ratio, pairs
from benchlib.claims import claims
from benchlib.pages import beside, front, pipeline, rules, summary
from benchlib.pages.ratio_strip import Measured
from benchlib.results import results
from benchlib.results.results import WITH_ALL_CHECKS, Case, InputError
from benchlib.stats.stats import Figure, side_of

EXP01 = "exp01_vector_add"
ROOT = Path(__file__).resolve().parents[2]
SUMMARY = """
[[headline]]
kind = "adds"
rules = ["Do it."]
example = "adding: {ratio}"
[[headline.figure]]
name = "ratio"
experiment = "exp01_vector_add"
combine = "ratio"
metric = "device_ns"
num = { variant = "add_f32", api = "vulkan", elements = "max_dram" }
den = { variant = "add_f32", api = "cuda", elements = "max_dram" }
say = "slower"
[[headline]]
kind = "copies"
[does]
stream = ["add_f32"]
copy = ["not_here"]
[[kind]]
id = "adds"
name = "additions"
of = { does = "stream", through = "sets" }
[[kind]]
id = "copies"
name = "copies"
of = { does = "copy" }
[[rule]]
title = "Do it."
text = "It takes {time}, **or** `{adds.range}`."
also = ["Not there: {none}.", "There: {adds.pairs}."]
claims = ["01.2a"]
[[rule.shown]]
experiment = "exp01_vector_add"
section = "Size sweep"
[[rule.figure]]
name = "time"
experiment = "exp01_vector_add"
combine = "ratio"
metric = "device_ns"
num = { variant = "add_f32", api = "vulkan", elements = "max_dram" }
den = { variant = "add_f32", api = "cuda", elements = "max_dram" }
unit = "times"
[[rule.figure]]
name = "none"
experiment = "exp01_vector_add"
combine = "value"
metric = "device_ns"
where = { variant = "add_f32", checks = "off" }
"""
MARKERS = "".join(f"<!-- worklog:{name} -->\n<!-- /worklog -->\n" for name in ("verdict", "picture", "kinds", "rules", "models"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / EXP01).mkdir()
    for file in ("claims.toml", "analysis.py"):
        (tmp_path / EXP01 / file).write_bytes((ROOT / EXP01 / file).read_bytes())
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/summary.toml").write_text(SUMMARY, encoding="utf-8")
    (tmp_path / "docs/PAGE.md").write_text(MARKERS, encoding="utf-8")
    synthetic.write(tmp_path / worklog.REFERENCE, EXP01, synthetic.exp01_rows())
    return tmp_path


def run(root: Path, *arguments: str) -> int:
    return worklog.main(["--readme", str(root), *arguments])


def sentences(root: Path) -> str:
    """The rules with all that is said of them, as the report has them."""
    judged = pipeline.load(root / worklog.REFERENCE, root)
    said = summary.load(root, judged.study)
    assert said
    claimed = {claim.id: group.experiment for group in judged.groups for claim in group.claims}
    return markdown.render(rules.blocks(said, judged.study, judged.titles, claimed), markdown.Place("", ""))


def picture(root: Path) -> Path:
    return root / worklog.REFERENCE / "plots/vulkan-over-cuda.svg"


def test_what_it_says(root: Path) -> None:
    assert run(root) == 0 and run(root, "--check") == 0
    text = (root / "docs/PAGE.md").read_text(encoding="utf-8")
    pairs = text.partition("worklog:kinds")[2].partition("\n| additions | ")[2].partition(" ")[0]
    assert int(pairs) > 2 and f"| additions | {pairs} |" in text
    assert "copies" not in text.partition("worklog:kinds")[0] and "| copies |" not in text and "Not there" not in text
    assert re.search(r"^\| additions \| 1\.00 \| SAME \| adding: .+ \| \[Do it\]\(\.\./docs/RULES\.md#do-it\) \|$", text, re.MULTILINE)
    assert "| [Do it](../docs/RULES.md#do-it) | [Size sweep](../results/nvidia-h200/worklog/exp01_vector_add.md#size-sweep) |" in text
    own = sentences(root)
    assert f"There: {pairs}." in own and "1. **Do it.** It takes " in own and " times, **or** `1.00" in own
    assert "([Size sweep](worklog/exp01_vector_add.md#size-sweep), [01.2a](worklog/exp01_vector_add.md#claims))" in own
    assert "](../results/nvidia-h200/plots/vulkan-over-cuda.svg)" in text


def test_limits_stand_behind_the_text(root: Path) -> None:
    """One whose figure has not been measured is left out."""
    limits = 'limits = ["Not where {time}.", "Not {none}."]\nalso'
    (root / "docs/summary.toml").write_text(SUMMARY.replace("also", limits, 1), encoding="utf-8")
    assert run(root) == 0
    own = sentences(root)
    assert "`. Not where " in own and "[How.](docs/RULES.md#do-it)" in own and "Not 1" not in own


def test_what_leaves_bounds_says_so() -> None:
    """A rule that lets a kernel leave its buffers' bounds says what that means, in its title, its limits and its section; one about barriers says what they do not order."""
    rules_ = {rule["title"]: " ".join(rule.get("limits", [])) for rule in rules.of(summary.load(ROOT, committed("nvidia-h200")))}
    page = (ROOT / rules.PAGE).read_text(encoding="utf-8")
    checks = [title for title in rules_ if "bounds checks" in title.lower()]
    barriers = [title for title in rules_ if "barrier()" in title]
    assert checks and all("no index leaves its buffer" in title and "undefined behaviour" in rules_[title] for title in checks)
    assert barriers and all("buffers" in title and "buffers `barrier()` orders nothing" in rules_[title] for title in barriers)
    for titles, warning in ((checks, "undefined"), (barriers, "**nothing in buffers**")):
        assert all(warning in page.partition(f"\n## {title.rstrip('.')}\n")[2].partition("\n## ")[0] for title in titles)


@pytest.mark.real_least_runs
def test_figures_of_few_runs_say_so(root: Path) -> None:
    folder = root / worklog.REFERENCE
    for file in folder.iterdir():
        file.unlink()
    for number, words in ((1, "exp01_vector_add has 1 run."), (2, "exp01_vector_add has 2 runs."), (3, "")):
        rows = [{**row, "gpu_uuid": "aaaa0000-"} for row in synthetic.exp01_rows()]
        synthetic.write(folder / f"boards/aaaa0000/run{number}", EXP01, rows)
        assert run(root) == 0
        text = sentences(root)
        assert "1. **Do it.**" in text and (words in text if words else "exp01_vector_add has " not in text)


def test_the_picture_follows_the_data(root: Path) -> None:
    assert run(root) == 0
    before = picture(root).read_text(encoding="utf-8")
    assert before.startswith("<svg") and "<style>" in before and ">additions</text>" in before and "copies" not in before
    picture(root).write_text(before.replace("additions", "others"), encoding="utf-8")
    assert run(root, "--check") == 1
    assert run(root) == 0 and picture(root).read_text(encoding="utf-8") == before


def test_a_pair_of_no_kind_is_among_the_others(root: Path) -> None:
    (root / "docs/summary.toml").write_text(SUMMARY.replace('does = "stream"', 'does = "copy"', 1).replace('does = "copy" }', 'does = "none" }'), encoding="utf-8")
    assert run(root) == 0
    text = (root / "docs/PAGE.md").read_text(encoding="utf-8")
    assert "| other kernels |" in text and "| additions |" not in text


@pytest.mark.parametrize("api", ["cuda", "vulkan"])
def test_of_one_api_alone_nothing_is_said(root: Path, api: str) -> None:
    (root / "docs/summary.toml").write_bytes((ROOT / "docs/summary.toml").read_bytes())
    rows = [row for row in synthetic.exp01_rows() if row["api"] == api]
    synthetic.write(root / worklog.REFERENCE, EXP01, rows)
    found = summary.load(root, study(root))
    assert found and not found.kinds and not front.verdict(found, study(root))
    judged = pipeline.load(root / worklog.REFERENCE, root)
    ids = {id_: "exp02_descriptors" for rule in found.document["rule"] for id_ in rule.get("claims", [])}
    shown = rules.blocks(found, judged.study, judged.titles, ids)
    assert "CUDA" not in markdown.render(shown, markdown.Place("", None))
    assert not any(summary.pictures(found).values())


def study(root: Path) -> Study:
    return Study.of(results.load(root / worklog.REFERENCE), analysis.load(ROOT))


def test_every_committed_pair_is_of_one_kind() -> None:
    """That none is of two, load() sees to. A pair of other work is of none."""
    found = summary.load(ROOT, h200 := committed("nvidia-h200"))
    assert found and summary.OTHERS not in found.kinds
    every = [table for table in h200.tables.values() if table.compares_times]
    number = sum(pair.case["variant"] not in CONTROLS and pair_ratio(table, pair) is not None for table in every for pair in pairs(table, WITH_ALL_CHECKS))
    by_metric = {entry["id"] for entry in found.document["kind"] if "metric" in entry}
    assert sum(len(kind.found) for id_, kind in found.kinds.items() if id_ not in by_metric) == number > 1000


def test_refuted_claims_are_listed() -> None:
    groups = [group for group in claims.load(ROOT) if group.experiment == EXP01]
    for claim in groups[0].claims:
        claims.judge(claim, committed("nvidia-h200"))
    text = markdown.render(front.refuted(groups), markdown.Place("", ""))
    assert "| claim | what was expected | by whom | reproduced if | what came |" in text and "| [01.4b](" in text and "| [01.5a](" not in text


def test_a_rule_of_few_pairs_holds_where_they_agree() -> None:
    """Of the sets that do not: test_any_gpu.py."""
    h100 = committed("nvidia-h100-80gb-hbm3")
    assert rules.verdicts(h100, summary.load(ROOT, h100))[result_sets.STORES_RULE] == rules.HOLDS


def test_words_follow_from_the_figures(root: Path) -> None:
    """Times of another GPU: Vulkan 20 % faster. And one run says that it is one."""
    rows_of, said = {}, {}
    for factor in (0.8, 1.0, 1.2):
        rows = [row if row["api"] == "cuda" else faster(row, factor) for row in synthetic.exp01_rows()]
        synthetic.write(root / worklog.REFERENCE, EXP01, rows)
        found = summary.load(root, here := study(root))
        assert found
        rows_of[factor] = markdown.render(front.verdict(found, here), markdown.Place("", None)).splitlines()[2]
        said[factor] = found.kinds["adds"].says
    assert "| FASTER |" in rows_of[0.8] and "adding: 20 % faster" in rows_of[0.8] and "SLOWER" not in rows_of[0.8]
    assert "| SLOWER |" in rows_of[1.2] and "adding: 20 % slower" in rows_of[1.2]
    assert all("seen in 1 run" in each for each in said.values())


@pytest.mark.parametrize(("factor", "words"), [(1.0, ""), (3.0, "(does not hold)")])
def test_a_rule_names_the_models_that_it_holds_on(root: Path, factor: float, words: str) -> None:
    bounds = SUMMARY.replace('unit = "times"', 'unit = "times"\nleast = 0.5\nmost = 2.0').replace(", **or** `{adds.range}`", "")
    (root / "docs/summary.toml").write_text(bounds, encoding="utf-8")
    rows = [row | {"gpu": "NVIDIA H200"} for row in synthetic.exp01_rows()]
    synthetic.write(root / worklog.REFERENCE, EXP01, rows)
    others = [faster(row, factor) if row["api"] == "vulkan" else row for row in rows]
    synthetic.write(root / "results/nvidia-h100-80gb-hbm3", EXP01, [row | {"gpu": "NVIDIA H100 80GB HBM3", "gpu_uuid": "GPU-other"} for row in others])
    assert run(root) == 0 and run(root, "--check") == 0
    text = (root / "docs/PAGE.md").read_text(encoding="utf-8")
    assert "| rule | what decides it | H200 | H100 | holds if | scripts/run.sh |" in text
    said = text.partition("\n| [Do it](../docs/RULES.md#do-it) |")[2].partition("\n")[0]
    assert words in said and ("hold" in said) == bool(words) and f"×{factor:.1f}" in said
    assert "| kind of work | H200 | H100 | Vulkan is | for example | what to do |" in text and "| H200, median | H200 is | H100, median | H100 is |" in text
    number = sum(len(group.claims) for group in claims.load(root))
    assert f" of {number} claims have the same verdict on H200 and H100, " in text


def test_a_kind_has_the_runs_that_ran_it(root: Path) -> None:
    """Copies ran on one board of two, once."""
    text = SUMMARY.replace('copy = ["not_here"]', 'copy = ["copy_f32"]')
    (root / "docs/summary.toml").write_text(text, encoding="utf-8")
    directory = root / "two"
    for board, number in (("aaaaaaaa", 1), ("aaaaaaaa", 2), ("bbbbbbbb", 1)):
        rows = synthetic.twins(EXP01, "add_f32", 100_000, 100_000, gpu_uuid=board, started_at=f"2026-11-2{number}T01:00:00Z")
        if (board, number) == ("bbbbbbbb", 1):
            rows += synthetic.twins(EXP01, "copy_f32", 100_000, 100_000 * 4 / 3, gpu_uuid=board, started_at="2026-11-21T01:00:00Z")
        synthetic.write(directory / f"boards/{board}/run{number}", EXP01, rows)
    found = Study.of(results.load(directory), {})
    said = summary.load(root, found)
    assert said
    (root / beside.FILE).write_text(csv_file.text(beside.COLUMNS, beside.csv_rows(found, said)), encoding="utf-8")
    ((_, kinds),) = beside.published(root).items()
    assert {id_: kind.runs for id_, kind in kinds.items()} == {"adds": 3, "copies": 1}
    assert kinds["copies"].median == pytest.approx(4 / 3, abs=1e-8) and kinds["copies"].words.endswith(", 1 run") and "run" not in kinds["adds"].words
    assert [one.key for one in kinds["adds"].found] == [one.key for one in said.kinds["adds"].found]


def test_sets_are_compared_over_the_pairs_that_all_of_them_have() -> None:
    """A set with other pairs of a kind has no other median for it; one without a pair in common has none at all."""

    def kind(**ratios: float) -> summary.Kind:
        pairs = [(value, Case((("api", "cuda"), ("variant", name), ("checks", checks)))) for name, value in ratios.items() for checks in [""]]
        return summary.Kind("k", [Measured(case, Figure(value, value, value, 6), side_of(value), "exp") for value, case in pairs])

    here, there = kind(a=1.0, b=1.2, c=1.4), kind(a=1.02, d=9.0, e=9.0)
    ours, theirs = summary.shared([here, there])
    assert ours and theirs and (ours.median, theirs.median) == (1.0, 1.02) and summary.of_pairs(ours, here) == "1 of 3"
    alone, none, still = summary.shared([here, kind(d=9.0), kind(b=1.3)])
    assert alone and none is None and still and (alone.median, still.median) == (1.2, 1.3)
    assert summary.shared([None, here, there])[0] is None and summary.shared([here])[0] == here
    newer = Measured(Case((("variant", "a"), ("checks", "default"), ("later", ""))), Figure(1.0), "SAME", "exp")
    assert newer.key == here.found[0].key != Measured(newer.case, Figure(1.0), "SAME", "exp2").key


def test_the_closing_table_has_the_published_medians_of_its_own_pairs(root: Path) -> None:
    """A quick run has one pair of the kind, of which the published set has more."""
    for _ in range(2):
        synthetic.write_again(root / worklog.REFERENCE, EXP01, synthetic.exp01_rows())
    said = summary.load(root, study(root))
    assert said
    rows = [row for row in beside.csv_rows(study(root), said) if row["kind"] == "adds"]
    assert len(rows) > 3
    published = [row | {"model": "NVIDIA B", "ratio": "1.5" if "elements=1024;" in str(row["pair"]) else "4.0", "verdict": "SLOWER"} for row in rows]
    (root / beside.FILE).write_text(csv_file.text(beside.COLUMNS, published), encoding="utf-8")
    sized = {"elements": 1 << 10, "elem_bytes": 4, "bytes_per_element": 12, "checks": "default"}
    synthetic.write(root / "quick", EXP01, synthetic.twins(EXP01, "add_f32", 2000.0, 2004.0, **sized))
    quick = Study.of(results.load(root / "quick"), {})
    quick_said = summary.load(root, quick)
    assert quick_said
    line = beside.screen_table(root, {"here": (quick, quick_said)})[1]
    assert re.search(r"^  additions +1 +1\.002 .* 1\.500 SLOWER$", line), line


def faster(row: dict, factor: float) -> dict:
    names = ("device_ns", "device_ns_lo", "device_ns_hi")
    return row | {name: row[name] * factor for name in names if row[name] != ""}


def test_a_kind_in_words() -> None:
    def kind(*ratios: float) -> summary.Kind:
        pairs = [(value, Case((("variant", "v"), ("block", str(64 << at // 2)), ("api", "cuda")))) for at, value in enumerate(ratios)]
        return summary.Kind("k", [Measured(case, Figure(value, value, value, 6), side_of(value)) for value, case in pairs])

    assert kind(1.0, 1.0, 1.04, 1.04).range == "1.00 to 1.04 (depends on workgroup size)"
    assert kind(1.02, 1.04, 1.0, 1.1).median == pytest.approx(1.03)  # the middle of the two in the middle
    assert (kind(1.02, 1.03, 1.0).word, kind(1.02, 1.03, 1.0, 1.0).word, kind(0.8).word) == ("SLOWER", "", "FASTER")
    assert kind(0.8, 1.2).says.startswith("1 FASTER, 1 SLOWER: 0.80 to 1.20")


@pytest.mark.parametrize(
    ("lo", "hi", "bounds", "holds"),
    [(1.6, 9.0, {"least": 1.5}, True), (0.33, 21.4, {"least": 1.5}, None), (0.9, 1.4, {"least": 1.5}, False), (0.9, 0.98, {"most": 0.99}, True),
     (0.9, 1.0, {"most": 0.99}, None), (1.0, 1.1, {"most": 0.99}, False), (1.5, 1.5, {"least": 1.5}, True), (None, None, {"least": 1.5}, None)],
)  # fmt: skip
def test_a_rule_is_decided_by_the_whole_interval(lo: float | None, hi: float | None, bounds: dict[str, float], holds: bool | None) -> None:
    """However many the runs; the median lies within the bound wherever it could."""
    assert rules._side(bounds, Figure(3.13 if hi == 21.4 else (lo or 2.0), lo, hi, 6)) is holds


@pytest.mark.parametrize("bound", ["least = 2.0", "most = 0.5"])
def test_a_rule_stands_only_where_its_figure_says_so(root: Path, bound: str) -> None:
    (root / "docs/summary.toml").write_text(SUMMARY.replace('unit = "times"', f'unit = "times"\n{bound}'), encoding="utf-8")
    assert run(root) == 0 and "RULES.md#do-it)" not in (root / "docs/PAGE.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[does]", "[do]", "no such key: do"),
        ('kind = "adds"', 'kind = "add"', "headline no. 1: no kind is 'add'"),
        ('rules = ["Do it."]', 'rules = ["Do."]', "headline no. 1: no rule is 'Do.'"),
        ('"adding: {ratio}"', '"adding: {ration}"', "headline no. 1: no figure is 'ration'"),
        ('name = "ratio"', 'name = "copies"', "headline no. 1: a kind is called copies, too"),
        (SUMMARY, "kind = 5", "kind is no list of tables"),
        ('id = "adds"', 'if = "adds"', "kind no. 1: no id"),
        ('title = "Do it."', 'title = "Do it."\nwhy = "x"', "rule no. 1: no such key: why"),
        ("{time}", "{tine}", "rule no. 1: no figure or kind is tine"),
        ("{adds.pairs}", "{add.pairs}", "rule no. 1: no figure or kind is add"),
        ('section = "Size sweep"', 'section = "Sizes"', "the worklog's exp01_vector_add has no section 'Sizes'"),
        ('of = { does = "stream"', 'of = { dose = "stream"', "kind no. 1: of is no table of does, bytes, place, through, recorded, order, scope, changed: dose"),
        ('of = { does = "copy" }', 'of = { place = "memory" }', "is of two kinds: adds and copies"),
        ('name = "none"', 'name = "adds"', "rule no. 1: a kind is called adds, too"),
        ('combine = "value"', 'combine = "sum"', "rule no. 1: figure none: combine is 'sum'"),
        ("[[rule]]", '[[rule]]\ntitle = "Do it."\ntext = "x"\nshown = []\n[[rule]]', "two rules have the title 'Do it.'"),
        ('num = { variant = "add_f32"', 'num = { variamt = "add_f32"', "headline no. 1: figure ratio: num: exp01_vector_add has no column 'variamt' to choose by"),
        ("[does]", "does]", "summary.toml: "),
    ],
)
def test_what_it_refuses(root: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, message: str) -> None:
    assert old in SUMMARY
    (root / "docs/summary.toml").write_text(SUMMARY.replace(old, new, 1), encoding="utf-8")
    assert run(root) == 1
    said = capsys.readouterr().err
    assert message in said and len(said.splitlines()) == 1
    assert (root / "docs/PAGE.md").read_text(encoding="utf-8") == MARKERS and not picture(root).exists()


def test_a_rule_of_a_claim_that_there_is_not(root: Path) -> None:
    (root / "docs/summary.toml").write_text(SUMMARY.replace('"01.2a"', '"01.99"'), encoding="utf-8")
    with pytest.raises(InputError, match="rule no. 1: no claim is 01.99"):
        sentences(root)


def test_a_repository_without_one(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "docs/summary.toml").unlink()
    assert run(root) == 1 and "no table is named 'verdict'" in capsys.readouterr().err
    (root / "docs/PAGE.md").unlink()
    assert run(root) == 0 and not picture(root).exists()


def test_an_experiments_answer(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = root / EXP01 / "README.md"
    page.write_text(f"<!-- worklog:answer-{EXP01} -->\n<!-- /worklog -->\n", encoding="utf-8")
    assert run(root) == 0 and run(root, "--check") == 0
    assert "\nFrom memory a Vulkan addition takes " in page.read_text(encoding="utf-8")
    page.write_text("<!-- worklog:answer-exp01 -->\n<!-- /worklog -->\n", encoding="utf-8")
    assert run(root) == 1 and "no table is named 'answer-exp01'" in capsys.readouterr().err
