"""Figures in sentences: filled from the results, their conditions checked, and none that stands outside a marker."""

from __future__ import annotations

import fnmatch
import re
import tomllib
from functools import cache
from pathlib import Path

import pytest
import result_sets
import synthetic
from benchlib.base import csv_file, programs
from benchlib.base.errors import InputError
from benchlib.claims import claims
from benchlib.model.analysis import Study
from benchlib.pages import prose, readmes
from benchlib.pages.prose import Model, Prose
from benchlib.results import results
from benchlib.stats.estimate import DOES_NOT_HOLD, HOLDS, NOT_DECIDED
from benchlib.stats.stats import Figure
from unmarked_figures import unmarked

ROOT = Path(__file__).resolve().parents[2]
EXP = "exp03_memory_coalescing"
FIGURES = """
[models]
other = "b"
[figure.exp03_memory_coalescing]
gap = { twins = "variant=read_offset", as = "percent" }
ratio = { twins = "variant=read_offset" }
one = { where = "variant=read_offset api=cuda", scale = 0.001, pick = "most" }
said = { twins = "variant=read_offset offset=1", say = "slower" }
rate = { where = "variant=read_offset api=cuda", per = 3000, pick = "most" }
share = { num = "variant=read_offset api=cuda offset=0", den = "variant=read_offset api=cuda offset=1", as = "share" }
none = { where = "variant=nowhere" }
"""


@pytest.fixture
def found(tmp_path: Path) -> Prose:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/figures.toml").write_text(FIGURES)
    loaded = {}
    for folder, factor in (("a", 1.0), ("b", 2.0)):
        rows = [row for offset in range(3) for row in synthetic.twins(EXP, "read_offset", 1000 + offset, (1020 + 10 * offset) * factor, offset=offset)]
        synthetic.write(tmp_path / folder, EXP, rows)
        study = Study.of(results.load(tmp_path / folder), {})
        loaded[folder] = Model(lambda experiment, study=study: study, [], {})
    return Prose(tmp_path, lambda folder: loaded[folder or "a"])


def fill(found: Prose, query: str) -> str:
    before = f"It takes <!-- q: {query} -->?<!-- /q --> of it."
    after = found.filled(Path("a.md"), before)
    return after.removeprefix(f"It takes <!-- q: {query} -->").removesuffix("<!-- /q --> of it.")


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("gap", "2 to 3.8"), ("ratio", "1.02 to 1.04"), ("one", "1.00"), ("rate", "2.99"), ("said", "2.9 % slower"), ("share", "99.9"), ("ratio @other", "2.04 to 2.08"),
    ],
)  # fmt: skip
def test_a_marker_is_filled(found: Prose, query: str, text: str) -> None:
    assert fill(found, query) == text and found.problems == []


def test_filled_text_stays_as_it_is(found: Prose) -> None:
    once = found.filled(Path("a.md"), "A <!-- q: gap -->\n?<!-- /q --> % and `<!-- q: gap -->9<!-- /q -->`.\n```\n<!-- q: x -->1<!-- /q -->\n```\n")
    assert once == "A <!-- q: gap -->2 to 3.8<!-- /q --> % and `<!-- q: gap -->9<!-- /q -->`.\n```\n<!-- q: x -->1<!-- /q -->\n```\n"
    assert found.filled(Path("a.md"), once) == once


def test_what_is_not_measured_stays_and_is_said(found: Prose) -> None:
    assert fill(found, "none") == "?"
    (problem,) = found.problems
    assert problem.startswith("a.md: line 1: none: ")


def test_boards_are_counted(found: Prose, tmp_path: Path) -> None:
    assert fill(found, "boards") == "1" and fill(found, "boards exp0[13]* @other") == "1" and found.problems == []
    for board in ("11111111", "22222222"):
        rows = [row | {"gpu_uuid": board} for row in synthetic.twins(EXP, "read_offset", 1000, 1020, offset=0)]
        synthetic.write(tmp_path / "c/boards" / board / "run1", EXP, rows)
    study = Study.of(results.load(tmp_path / "c"), {})
    three = Prose(tmp_path, lambda _: Model(lambda _: study, [], {}))
    assert fill(three, "boards") == "2"
    assert fill(three, "boards exp09*") == "?" and three.problems == ["a.md: line 1: no results of exp09*"]


@pytest.mark.parametrize("query", ["nothing", "gap @nobody", "gap gap", "kind", "", "@other"])
def test_a_marker_that_names_nothing_is_an_error(found: Prose, query: str) -> None:
    if query == "kind":
        assert fill(found, query) == "?" and found.problems
    else:
        with pytest.raises(InputError, match="a.md: line 1"):
            fill(found, query)


@pytest.mark.parametrize(("condition", "holds"), [("gap > 1.01", True), ("gap > 1.03", False), ("ratio <= 1.045", True), ("ratio > 2 @other", True), ("gap > 1.0201", False)])
def test_a_condition(found: Prose, condition: str, holds: bool) -> None:
    text = f"Slower.\n<!-- holds: {condition} -->"
    assert found.filled(Path("a.md"), text) == text
    assert len(found.problems) == (not holds)


@pytest.mark.parametrize(
    ("sign", "bound", "said"),
    [(">", 1.5, HOLDS), (">", 1.61, NOT_DECIDED), (">", 2.1, DOES_NOT_HOLD), ("<=", 2.0, HOLDS), ("<", 1.7, NOT_DECIDED), ("<", 1.5, DOES_NOT_HOLD), (">=", 1.6, HOLDS)],
)  # fmt: skip
def test_a_condition_is_decided_by_the_interval(sign: str, bound: float, said: str) -> None:
    figure = Figure(1.8, 1.6, 2.0, 3)
    assert prose.all_hold([figure], sign, bound) == said
    assert prose.all_hold([figure, Figure(9.0, 8.0, 10.0, 3)], ">", bound) == prose.all_hold([figure], ">", bound)  # the least sure decides
    assert prose.all_hold([Figure(1.8)], sign, bound) == NOT_DECIDED  # without an interval


@pytest.mark.parametrize("condition", ["gap", "gap = 1", "gap > much", "99.1 REFUTED"])
def test_a_condition_that_says_nothing_is_an_error(found: Prose, condition: str) -> None:
    with pytest.raises(InputError):
        found.filled(Path("a.md"), f"<!-- holds: {condition} -->")


def pages() -> list[str]:
    return [path.relative_to(ROOT).as_posix() for pattern in readmes.PAGES for path in sorted(ROOT.glob(pattern))]


STRICT = ("README.md", "CHANGELOG.md", *(f"docs/{name}.md" for name in "COURSE YOUR_CARD DRIVER RULES RESULTS CORRECTIONS GLOSSARY USING FLEET".split()))


def allowed() -> dict[str, dict]:
    return tomllib.loads((ROOT / prose.FILE).read_text(encoding="utf-8"))["unmarked"]


@pytest.mark.parametrize("name", pages())
def test_measured_figures_stand_in_markers(name: str) -> None:
    """Of the pages in docs/figures.toml's [unmarked] so many may stand outside, for the reason that stands there. The number only falls."""
    found = unmarked((ROOT / name).read_text(encoding="utf-8"), strict=name in STRICT)
    entry = allowed().get(name, {"figures": 0})
    assert len(found) <= entry["figures"], f"{name}: {found}"


def test_every_figure_is_used_and_every_condition_can_be_read() -> None:
    text = "\n".join((ROOT / name).read_text(encoding="utf-8") for name in pages())
    named = {word for match in prose.MARKER.finditer(text) for word in (match["query"] or match["holds"] or "").split()}
    names = {name for entries in tomllib.loads((ROOT / prose.FILE).read_text(encoding="utf-8"))["figure"].values() for name in entries}
    assert names <= named


CLAIMED = 'name = "gap"\nrole = "result"\ncombine = "twin_ratio"\nmetric = "device_ns"\nwhere = "variant=read_offset"\nsay = "takes"\nreproduced = { lo = 1 }'


@pytest.fixture
def claimed(found: Prose, tmp_path: Path) -> Prose:
    """With a claim about folder a."""
    (tmp_path / EXP).mkdir()
    (tmp_path / EXP / "claims.toml").write_text('question = "How long?"\nanswer = "{03.1}"\n' + synthetic.claim("03.1", CLAIMED))
    (group,) = claims.load(tmp_path)
    study = found.model("a").study_of(EXP)
    claims.judge(group.claims[0], study, "")
    return Prose(tmp_path, lambda _: Model(lambda experiment: study, [group], {}))


def test_a_claims_figure_is_said_without_its_interval(claimed: Prose) -> None:
    assert fill(claimed, "03.1.takes") == fill(claimed, "03.1.takes.value") == "2.9 % longer than"
    assert fill(claimed, "03.1.gap.value") == fill(claimed, "03.1.gap") == "1.02 to 1.04"
    assert fill(claimed, "03.1.gap.takes.value") == "between 2 % and 3.8 % more time than"


@pytest.mark.parametrize(
    ("condition", "said"),
    [("03.1.gap > 1.01", HOLDS), ("03.1.gap > 1.03", DOES_NOT_HOLD), ("03.1 > 1.025", HOLDS), ("03.1.nothing > 1", None), ("03.2 > 1", None), ("03.1.gap > much", None)],
)
def test_a_condition_on_a_claims_figures(claimed: Prose, condition: str, said: str | None) -> None:
    if said:
        assert claimed.holds(condition, "a.md: line 1") == said
    else:
        with pytest.raises(InputError, match="a.md: line 1"):
            claimed.holds(condition, "a.md: line 1")


# -------------------------------------------------------------------------------------------------------- commands of the pages

SETS = ("nvidia-h200", "nvidia-h100-80gb-hbm3", "nvidia-h200-x2")
AGAIN = re.compile(r"(?<![\w/])(?:build/release/bin/)?(exp\d\d_\w+)((?: --(?:variant|benchmark_filter|csv)[ =][^ `]+)+)")


def rows_of(folder: str, program: str) -> list[dict[str, str]]:
    """One run's, by the newest sources."""
    runs = [csv_file.read(path)[1] for _, path in result_sets.newest(program, ROOT / "results" / folder)]
    return [row for _, row in max(runs, key=len, default=[])]


@cache
def variants_of(folder: str, program: str) -> frozenset[str]:
    return frozenset(row["variant"] for row in rows_of(folder, program))


@cache
def case_names(folder: str, program: str) -> frozenset[str]:
    """As the program lists them (case_list.cpp): exp01/add_f32/block:256/n:1024/cold/cuda."""
    return frozenset(
        f"{program[:5]}/{row['variant']}/" + "/".join(f"{column}:{value}" for column, value in row.items() if value) + f"/n:{row['elements']}"
        for row in rows_of(folder, program)
    )


@pytest.mark.parametrize("name", pages())
def test_commands_choose_what_there_is(name: str) -> None:
    """Programs, their variants, and filters of cases, by the rows of the published results."""
    text = re.sub(r"\s+", " ", (ROOT / name).read_text(encoding="utf-8")).replace("\\|", "|")
    for program, options in AGAIN.findall(text):
        if program.startswith("exp11"):
            continue  # CONTRIBUTING's example
        assert program in programs.source_folders(ROOT)
        folder = next((folder for folder in SETS if variants_of(folder, program)), None)
        if folder is None:  # no published run has the program: it awaits a GPU
            continue
        for wanted in re.findall(r"--variant '?([^' ]+)'?", options):
            for one in wanted.split(","):
                assert fnmatch.filter(variants_of(folder, program), one), f"{program} --variant {one}"
        for pattern in re.findall(r"--benchmark_filter='?([^' ]+)'?", options):
            assert any(re.search(pattern, case) for case in case_names(folder, program)), f"{program}: {pattern}"
