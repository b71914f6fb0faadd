"""Figures in sentences: filled from the results, their conditions checked, and none that stands outside a marker."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
import synthetic
from benchlib.base.errors import InputError
from benchlib.claims import claims
from benchlib.model.analysis import Study
from benchlib.pages import prose, readmes, summary
from benchlib.pages.prose import Model, Prose
from benchlib.results import results

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
        ("gap", "2 to 3.8"), ("ratio", "1.02 to 1.04"), ("one", "1.00"), ("said", "2.9 % slower [+2.8, +3 %]"), ("share", "99.9"), ("ratio @other", "2.04 to 2.08"),
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


@pytest.mark.parametrize("query", ["nothing", "gap @nobody", "gap gap", "kind", "", "@other"])
def test_a_marker_that_names_nothing_is_an_error(found: Prose, query: str) -> None:
    if query == "kind":
        assert fill(found, query) == "?" and found.problems
    else:
        with pytest.raises(InputError, match="a.md: line 1"):
            fill(found, query)


@pytest.mark.parametrize(("condition", "holds"), [("gap > 1.01", True), ("gap > 1.03", False), ("ratio <= 1.04", True), ("ratio > 2 @other", True)])
def test_a_condition(found: Prose, condition: str, holds: bool) -> None:
    text = f"Slower.\n<!-- holds: {condition} -->"
    assert found.filled(Path("a.md"), text) == text
    assert found.problems == ([] if holds else [f"a.md: line 2: no longer so: {condition}"])


def test_a_condition_that_says_nothing_is_an_error(found: Prose) -> None:
    for condition in ("gap", "gap = 1", "gap > much", "99.1 REFUTED"):
        with pytest.raises(InputError):
            found.filled(Path("a.md"), f"<!-- holds: {condition} -->")


def test_figures_outside_markers_are_found() -> None:
    text = "It takes 3 to 6 % and 2.8 µs. `5 %` <!-- q: a -->7 %<!-- /q --> [x](a-9%25) 12 threads\n```\n8 %\n```\nthen 1,000 GB/s or 2.15 times.\n## Hypothesis\n9 %\n## Result\n7 %"
    assert prose.unmarked(text) == [(1, "3 to 6 %"), (1, "2.8 µs"), (5, "1,000 GB/s"), (5, "2.15 times"), (9, "7 %")]


def pages() -> list[str]:
    return [path.relative_to(ROOT).as_posix() for pattern in readmes.PAGES for path in sorted(ROOT.glob(pattern))]


def allowed() -> dict[str, dict]:
    return tomllib.loads((ROOT / prose.FILE).read_text(encoding="utf-8"))["unmarked"]


@pytest.mark.parametrize("name", pages())
def test_measured_figures_stand_in_markers(name: str) -> None:
    """Of the pages in docs/figures.toml's [unmarked] so many may stand outside, for the reason that stands there. The number only falls."""
    found = prose.unmarked((ROOT / name).read_text(encoding="utf-8"))
    entry = allowed().get(name, {"figures": 0})
    assert len(found) <= entry["figures"], f"{name}: {found}"


def test_every_exception_has_its_page_and_its_reason() -> None:
    assert set(allowed()) <= set(pages())
    assert all(entry["figures"] > 0 and len(entry["why"]) > 20 for entry in allowed().values())


def test_every_figure_is_used_and_every_condition_can_be_read() -> None:
    text = "\n".join((ROOT / name).read_text(encoding="utf-8") for name in pages())
    asked = {word for match in prose.MARKER.finditer(text) for word in (match["query"] or match["holds"] or "").split()}
    names = {name for entries in tomllib.loads((ROOT / prose.FILE).read_text(encoding="utf-8"))["figure"].values() for name in entries}
    assert names <= asked


def test_the_claims_forms_are_those_of_an_answer() -> None:
    assert prose.CLAIM.fullmatch("01.2a.worst.takes") and prose.CLAIM.fullmatch("06.17") and not prose.CLAIM.fullmatch("gap")
    assert summary.FILE.parent == prose.FILE.parent and claims.SOURCES.parent == prose.FILE.parent
