"""docs/summary.toml: the verdict, the picture and the rules of all experiments together."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import synthetic
import worklog
from analyses import committed

from benchlib.base import csv_file
from benchlib.base.programs import CONTROLS
from benchlib.model import analysis
from benchlib.model.analysis import Study
from benchlib.model.pairs import pair_ratio, pairs
from benchlib.pages import beside, rules, summary
from benchlib.pages.ratio_strip import Measured
from benchlib.results import results
from benchlib.results.results import WITH_ALL_CHECKS, Case
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


def picture(root: Path) -> Path:
    return root / worklog.REFERENCE / "plots/vulkan-over-cuda.svg"


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


@pytest.mark.parametrize(
    ("lo", "hi", "bounds", "holds"),
    [(1.6, 9.0, {"least": 1.5}, True), (0.33, 21.4, {"least": 1.5}, None), (0.9, 1.4, {"least": 1.5}, False), (0.9, 0.98, {"most": 0.99}, True),
     (0.9, 1.0, {"most": 0.99}, None), (1.0, 1.1, {"most": 0.99}, False), (1.5, 1.5, {"least": 1.5}, True), (None, None, {"least": 1.5}, None)],
)  # fmt: skip
def test_a_rule_is_decided_by_the_whole_interval(lo: float | None, hi: float | None, bounds: dict[str, float], holds: bool | None) -> None:
    """However many the runs; the median lies within the bound wherever it could."""
    assert rules._side(bounds, Figure(3.13 if hi == 21.4 else (lo or 2.0), lo, hi, 6)) is holds


def test_a_figure_of_several_cases_is_the_one_that_is_picked(root: Path) -> None:
    entry = {"name": "x", "experiment": EXP01, "metric": "device_ns", "where": "api=cuda"}
    least, middle, median, most = (rules._figure("a rule", entry | pick, study(root))[1].value for pick in ({"pick": "least"}, {}, {"pick": "median"}, {"pick": "most"}))
    assert least < middle == median < most


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
        ('name = "ratio"', 'name = "copies"', "headline no. 1: a kind is called copies, too"),
        (SUMMARY, "kind = 5", "kind is no list of tables"),
        ('id = "adds"', 'if = "adds"', "kind no. 1: no id"),
        ('title = "Do it."', 'title = "Do it."\nwhy = "x"', "rule no. 1: no such key: why"),
        ("{time}", "{tine}", "rule no. 1: no figure or kind is tine"),
        ('section = "Size sweep"', 'section = "Sizes"', "the worklog's exp01_vector_add has no section 'Sizes'"),
        ('of = { does = "stream"', 'of = { dose = "stream"', "kind no. 1: of is no table of does, bytes, place, through, recorded, order, scope, changed: dose"),
        ('of = { does = "copy" }', 'of = { place = "memory" }', "is of two kinds: adds and copies"),
        ('combine = "value"', 'combine = "sum"', "rule no. 1: figure none: combine is 'sum'"),
        ('unit = "times"', 'unit = "times"\npick = "first"', "rule no. 1: figure time: pick is one of least, median, most"),
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
