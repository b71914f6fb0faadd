"""One written form of queries, in four files, and one filler of texts; a misspelt column is an error with its file and line."""

from __future__ import annotations

from pathlib import Path

import pytest
import synthetic
from benchlib.base.errors import InputError
from benchlib.claims import claim_check, claim_words, claims, query_form
from benchlib.model.analysis import Study
from benchlib.pages import prose, rules, summary, vulkan_alone
from benchlib.results import results

EXP01 = "exp01_vector_add"
WRONG = "num: exp01_vector_add has no column 'variamt' to choose by"
QUERY = 'num = "variamt=add_f32 api=vulkan block=64"\nden = "variant=add_f32 api=vulkan block=256"\n'


@pytest.mark.parametrize(
    ("written", "parsed"),
    [
        ({"where": "variant=a|b checks="}, {"combine": "value", "metric": "device_ns", "where": {"variant": ["a", "b"], "checks": ""}}),
        ({"where": {"variant": ["a", "b"], "checks": ""}, "own": 1}, {"combine": "value", "metric": "device_ns", "where": {"variant": ["a", "b"], "checks": ""}}),
        ({"twins": "variant=a", "metric": "submit_ns"}, {"combine": "twin_ratio", "metric": "submit_ns", "where": {"variant": "a"}}),
        ({"num": "variant=a", "den": "variant=b"}, {"combine": "ratio", "metric": "device_ns", "num": {"variant": "a"}, "den": {"variant": "b"}}),
        ({"combine": "analysis", "metric": "x"}, {"combine": "analysis", "metric": "x"}),
    ],
)
def test_forms(written: dict, parsed: dict) -> None:
    assert query_form.parsed("here", written, ["own"]) == parsed
    claim = {"query": [{"metric": "device_ns"} | {key: value for key, value in written.items() if key != "own"}]}
    claim_check.expand("here", claim)
    assert claim["query"] == [parsed]


@pytest.mark.parametrize("written", [{}, {"twins": "a"}, {"twins": "a=b", "num": "a=b"}, {"where": "a=b", "wher": "x"}, {"num": "a=b"}, {"where": 5}])
def test_what_is_no_query(written: dict) -> None:
    with pytest.raises(InputError, match="^here: "):
        query_form.parsed("here", written)


@pytest.fixture
def study(tmp_path: Path) -> Study:
    synthetic.write(tmp_path / "results/gpu", EXP01, synthetic.exp01_rows())
    (tmp_path / "docs").mkdir()
    (tmp_path / EXP01).mkdir()
    return Study.of(results.load(tmp_path / "results/gpu"), {})


def of_claims(root: Path, study: Study) -> object:
    text = 'question = "?"\n' + synthetic.claim("01.1", f'metric = "device_ns"\nreproduced = {{ lo = 1 }}\n{QUERY}')
    (root / EXP01 / "claims.toml").write_text(text)
    (group,) = claims.load(root)
    return claims.judge(group.claims[0], study)


def of_figures(root: Path, study: Study) -> object:
    (root / prose.FILE).write_text(f"\n[figure.{EXP01}]\nother = 1\nx = {{ {QUERY.strip().replace(chr(10), ', ')} }}\n")
    return prose.Prose(root, lambda _: prose.Model(lambda _: study, [], {})).words("x", "a.md: line 1")


def of_rules(root: Path, study: Study) -> object:
    text = f'\n[[rule]]\ntitle = "T"\ntext = "{{x}}"\n[[rule.shown]]\nexperiment = "{EXP01}"\nsection = "s"\n'
    (root / summary.FILE).write_text(f'{text}[[rule.figure]]\nname = "x"\nexperiment = "{EXP01}"\n{QUERY}')
    (root / EXP01 / "claims.toml").write_text('question = "?"\n')
    said = summary.load(root, study)
    assert said
    return rules.verdicts(study, said)


def of_vulkan(root: Path, study: Study) -> object:
    (root / vulkan_alone.FILE).write_text(f'\n[[say]]\nexperiment = "{EXP01}"\ntext = "{{x}}"\n[[say.figure]]\nname = "x"\n{QUERY}'.replace("variamt=add_f32", "api=vulkan variamt=x").replace("api=vulkan block=64", "block=64"))
    return vulkan_alone.sentences(root, study)


@pytest.mark.parametrize(("ask", "place"), [(of_claims, f"{EXP01}/claims.toml:2: "), (of_figures, "docs/figures.toml:4: x: "), (of_rules, "docs/summary.toml:2: "), (of_vulkan, "docs/vulkan.toml:2: ")])
def test_a_misspelt_column_is_an_error_with_file_and_line(tmp_path: Path, study: Study, ask, place: str) -> None:
    with pytest.raises(InputError) as caught:
        ask(tmp_path, study)
    assert f"{tmp_path}/{place}" in str(caught.value) and WRONG in str(caught.value)


def test_a_text_is_filled_with_what_each_name_shows() -> None:
    text = "{a}, {a.range} and {02.4b.gap.takes}; {no name}, {}"
    assert claim_words.placeholders(text) == [("a", ""), ("a", "range"), ("02.4b", "gap.takes")]
    assert claim_words.filled(text, lambda name, what: f"<{name}|{what}>") == "<a|>, <a|range> and <02.4b|gap.takes>; {no name}, {}"
    assert claim_words.filled(text, lambda name, what: None if what == "range" else "{b}") is None
    assert claim_words.filled("{a}", lambda *_: "{b}") == "{b}", "what is shown is not filled again"
