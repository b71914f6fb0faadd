"""Pages of every kind of results are read: nothing on them is empty, about an API without rows, or against its own figure."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import result_sets

from benchlib.document import document, markdown
from benchlib.pages import pipeline, report_page, rules, summary
from benchlib.pages.pipeline import Judged
from benchlib.tables import claim_tables

ROOT = result_sets.REPOSITORY
BANNED = ("(not tested)", "(not measured)", "yes**: 0 of", "yes: 0 of", "No answer yet", "No results.")
NUMBER = r"[+−]?[\d.]+"
SIGNED = re.compile(rf"(?P<value>[\d.]+ % )?(?P<word>longer|slower|faster|less time|as long) \[(?P<lo>{NUMBER}), (?P<hi>{NUMBER}) %\]")
BRACKET = re.compile(rf"\[({NUMBER}), ({NUMBER})(?: %)?\]")
SAVES = re.compile(r"\bsaves?\b[^.|]*\b(?:slower|longer)\b")
SAME_PERCENT = 1.0
MOST_APART = 1000  # an interval's ends: beyond, it says nothing


@pytest.fixture(scope="module", params=list(result_sets.SETS))
def found(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Judged, str, str]:
    """The set's name, the results, all pages of the worklog as one text, the report. pytest keeps one set at a time: all tests of a set run
    before the next one is made.
    """
    judged = pipeline.load(result_sets.make(request.param, tmp_path_factory.mktemp("sets")), ROOT)
    pages = [pipeline.worklog(judged), *judged.pages.values()]
    text = "\n".join(markdown.render([page], markdown.Place("", None, "page.md")) for page in pages)
    return request.param, judged, text, report_page.render(report_page.page(judged, ROOT)).replace("\u00a0", " ")


def contradictions(text: str) -> list[str]:
    """Words whose interval says otherwise."""
    wrong = []
    for match in SIGNED.finditer(text):
        lo, hi = ends(match)
        bad = {
            "longer": lo < 0, "less time": hi > 0, "as long": max(abs(lo), abs(hi)) > SAME_PERCENT, "slower": hi < 0, "faster": lo > 0,
        }[match["word"]]  # fmt: skip
        wrong += [match[0]] if bad else []
    return wrong


def ends(match: re.Match[str]) -> tuple[float, float]:
    return float(match["lo"].replace("−", "-")), float(match["hi"].replace("−", "-"))


def undecided_words(sentence: str) -> list[str]:
    """What a sentence must not say: a direction that its interval leaves open, what saves being slower, an interval without ends worth the name."""
    wrong = [match[0] for match in SAVES.finditer(sentence)]
    for match in SIGNED.finditer(sentence):
        lo, hi = ends(match)
        if match["word"] != "as long" and lo < 0 < hi and max(-lo, hi) > SAME_PERCENT:
            wrong.append(match[0])
    for match in BRACKET.finditer(sentence):
        lo, hi = (float(end.replace("−", "-")) for end in match.groups())
        if lo > 0 and hi / lo > MOST_APART:
            wrong.append(match[0])
    return wrong


@pytest.mark.parametrize(
    "text",
    ["2 % longer [−3, +1 %] than", "2 % less time [+1, +3 %] than", "as long [−4, +1 %] as", "3 % slower [−4, −2 %]", "3 % faster [+2, +4 %]"],
)
def test_a_contradiction_is_found(text: str) -> None:
    assert contradictions(text)
    assert not contradictions("2 % longer [+1, +3 %] than, as long [−0.5, +1 %] as, 2 % slower [−1, +5 %]")


@pytest.mark.parametrize(
    "text", ["17 % faster [−45, +26 %]", "0.1 % slower [−15, +18 %]", "A sum first saves: without, 3 % slower [+2, +4 %]", "takes 3.1 [0.002, 40]"]
)
def test_a_sentence_says_no_more_than_its_interval(text: str) -> None:
    assert undecided_words(text)
    assert not undecided_words("saves time. 0.4 % slower [−0.1, +0.9 %], 3 % faster [−4, −2 %], 0.83 [0.55, 1.26] times as long, 3.1 [2.9, 40]")


def test_pages_say_nothing_empty(found: tuple[str, Judged, str, str]) -> None:
    _, judged, text, report = found
    for banned in BANNED:
        assert banned not in text and banned not in report, banned
    for page in judged.pages.values():
        assert not [block.title for block in page.blocks if document.is_empty(block)]
        assert all(block.blocks for block in page.blocks if isinstance(block, document.Section))


def test_words_follow_from_their_figures(found: tuple[str, Judged, str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """By the intervals, which sentences are written from and do not print."""
    name, judged, text, report = found
    monkeypatch.setattr(claim_tables, "plain", lambda words: words)
    assert not contradictions(text) and not contradictions(report)
    rules_ = markdown.render(list(judged.rules), markdown.Place("", None))
    # Three runs that tell three tales have ends far apart, and say so.
    for sentence in [*answers(judged).values(), *judged.vulkan, rules_] if name != "unclear" else []:
        assert not undecided_words(sentence), sentence


def answers(judged: Judged) -> dict[str, str]:
    return {group.experiment: judged.answer(group) for group in judged.groups if group.experiment in judged.study.tables}


def test_no_sentence_is_about_cuda_where_it_has_no_rows(found: tuple[str, Judged, str, str]) -> None:
    name, judged, text, report = found
    if name not in ("vulkan-alone", "llvmpipe"):
        assert "CUDA" in answers(judged)["exp01_vector_add"]
        return
    assert not [text for text in answers(judged).values() if "CUDA" in text]
    assert not [text for text in judged.vulkan if "CUDA" in text]
    assert "this GPU beside" not in text.lower() and 'id="beside"' not in report
    assert "claims need what these results lack" in text and "claims need what these results lack" in report
    assert "NOT MEASURED |" not in "\n".join(line for line in text.splitlines() if re.match(r"\| \d\d\.\d", line))


@pytest.mark.real_least_runs
def test_one_run_decides_no_rule_whose_figure_may_be_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(result_sets.SETS, "vulkan-alone", (1, result_sets.without_cuda))
    judged = pipeline.load(result_sets.make("vulkan-alone", tmp_path), ROOT)
    said = next(text for text in judged.vulkan if text.startswith("Through addresses a sum"))
    assert said.endswith(": undecided in 1 run.")
    held = rules.verdicts(judged.study, summary.load(ROOT, judged.study))
    assert held["Turn bounds checks off where no index leaves its buffer."] == rules.UNDECIDED
    assert held["Access 16 bytes per thread."] == rules.HOLDS
