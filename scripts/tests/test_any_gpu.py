"""Pages of every kind of results are read: nothing on them is empty, about an API without rows, or against its own figure."""

from __future__ import annotations

import html
import re
import tomllib
from pathlib import Path

import pytest
import result_sets

from benchlib.base import files
from benchlib.document import document, markdown
from benchlib.pages import beside, closing, pipeline, report_page, rules, summary
from benchlib.pages.pipeline import Judged
from benchlib.stats.stats import Figure
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


HEADER = re.compile(r"^\| (.*) \|\n\| -", re.MULTILINE)


def test_without_cuda_nothing_stands_empty_for_it(found: tuple[str, Judged, str, str]) -> None:
    name, judged, text, report = found
    alone = name in ("vulkan-alone", "llvmpipe")
    assert ("CUDA against Vulkan compute on" in report) == ("<title>CUDA against Vulkan on" in report) == (not alone)
    assert ("FIXED COST stands for" in text) == ('id="sass"' in report) == ("scripts/dump_sass.py  " in report) == (not alone)
    if alone:
        columns = {column for header in HEADER.findall(text) for column in header.split(" | ")}
        assert not columns & {"CUDA GB/s", "Vulkan is", "Vulkan/CUDA [95 %]", "Vulkan against CUDA, pairs"}
        assert {"variant", *(["Vulkan µs"] if name == "vulkan-alone" else [])} <= columns
        assert document.NO_TWIN not in text and document.NO_TWIN not in report
        assert "## Machine code\n\nNot disassembled" not in text and "in sass/" not in report and "scripts/counters.py  " not in report
    if name == "vulkan-alone":
        for page in (text, report):
            assert f"{rules.NOT_SEEN} (5): Use few barriers, from compute to compute." in page and "scripts/hand_in.py results/vulkan-alone" in page
        assert "| [its tables](worklog/exp01_vector_add.md) |" in text


def test_claims_are_counted_alike(found: tuple[str, Judged, str, str]) -> None:
    """What did not run is said apart, on the screen as on the page: together they are all claims."""
    name, judged, text, _ = found
    every = sum(len(group.claims) for group in judged.groups)
    row = next((line for line in text.splitlines() if line.startswith("| all |")), "")
    if not row:
        return
    assert judged.not_run and f"(and {judged.not_run} of experiments that did not run)" in row
    screen = " ".join(" ".join(closing.lines(judged)).split())
    if name != "llvmpipe":
        said = screen.partition("claims ")[2].partition(" warnings")[0]
        assert f"{judged.not_run} of experiments that did not run" in said and sum(map(int, re.findall(r"(\d+) [A-Zno]", said))) == every


@pytest.mark.real_least_runs
def test_one_run_decides_no_rule_whose_figure_may_be_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(result_sets.SETS, "vulkan-alone", (1, result_sets.without_cuda))
    judged = pipeline.load(result_sets.make("vulkan-alone", tmp_path), ROOT)
    said = next(text for text in judged.vulkan if text.startswith("Through addresses a sum"))
    assert said.endswith(": undecided in 1 run.")
    held = rules.verdicts(judged.study, summary.load(ROOT, judged.study))
    assert held["Turn bounds checks off where no index leaves its buffer."] == rules.UNDECIDED
    assert held["Access 16 bytes per thread."] == rules.HOLDS


@pytest.mark.real_least_runs
@pytest.mark.parametrize(
    ("lo", "hi", "runs", "undecided"), [(0.97, 1.03, 1, True), (0.97, 1.03, 3, False), (0.995, 1.005, 1, False), (1.005, 1.03, 1, True), (1.02, 1.03, 1, False)]
)
def test_what_few_runs_leave_undecided(lo: float, hi: float, runs: int, undecided: bool) -> None:
    figure = Figure((lo + hi) / 2, lo, hi, runs)
    assert figure.undecided == undecided


def test_a_column_without_anything_is_left_out() -> None:
    table = document.table(["case", "CUDA:", "both", "Vulkan is"], [["a", document.NONE, document.joined([document.NONE, "1"]), document.NO_TWIN], ["b"] + 3 * [""]])
    (section,) = document.without_empty_columns([document.section("S", [table])])
    assert section == document.section("S", [document.table(["case", "both"], [["a", document.joined([document.NONE, "1"])], ["b", ""]])])
    empty = document.table(["x"], [[document.NONE]])
    assert document.without_empty_columns([empty]) == [empty]


def test_a_number_keeps_its_percent_sign() -> None:
    shown = report_page.environment().from_string("{{ text }}").render(text="2.6 % less <b>")
    assert shown == "2.6\u00a0% less &lt;b&gt;"


def test_a_page_begins_with_its_state(found: tuple[str, Judged, str, str]) -> None:
    name, judged, text, report = found
    said = {
        "h200-one-run": "Seen in one run. ", "vulkan-alone": "Vulkan alone: CUDA has no result here (cudaErrorNoDevice", "llvmpipe": "A software device",
    }.get(name, "Seen in one run: exp09_atomics; in two runs: exp08, exp09_arithmetic,")  # fmt: skip
    assert judged.state.sentences[0].startswith(said)
    assert text.index(said) < text.index("Generated by") and said in report
    assert ("Not here: machine code and counters." in judged.state.sentences) == (name not in ("vulkan-alone", "llvmpipe"))
    command = judged.state.next_command
    assert command.startswith("scripts/run.sh ") and ("--only exp08 --only exp09" in command) == (name not in ("h200-one-run", "llvmpipe"))


def test_vulkan_has_answers_of_its_own(found: tuple[str, Judged, str, str]) -> None:
    name, judged, _, report = found
    if name == "llvmpipe":
        assert judged.vulkan == [] and set(answers(judged).values()) == {""}
        return
    said = " ".join(judged.vulkan)
    for word in ("GB/s", "threads", "bounds checks", "addresses", "array of structures", "aligned", "stride", "release store", "Litmus", "dispatch"):
        assert word in said, word
    assert html.escape(judged.vulkan[0], quote=True).replace("&#x27;", "&#39;") in report


def test_the_closing_screen(found: tuple[str, Judged, str, str]) -> None:
    name, judged, _, _ = found
    lines = closing.lines(judged)
    text = "\n".join(lines)
    assert lines[0] and max(map(len, lines)) <= beside.WIDTH and "warnings     none" in text and not contradictions(text)
    if name == "llvmpipe":
        assert len(lines) == 3 and lines[0].startswith("A software device") and "Rules" not in text
        return
    assert re.search(r"^claims       \d+ (REPRODUCED|need more runs)", text, re.MULTILINE)
    if name == "vulkan-alone":
        assert "A dependent dispatch of a recorded chain" in text and "Vulkan/CUDA" not in text and beside.RULES not in text
        assert "That copy reaches 88" in text and "960.0 GB/s, is the maker's figure" in text  # no API tells the peak
        assert beside.RULES_ALONE in text and f"{rules.HOLDS} (8): Access 16 bytes per thread. Request" in text
        assert f"{rules.NOT_SEEN} (5): Use few barriers, from compute to compute." in text and "They need CUDA, or what was not run." in text
        return
    head = next(line for line in lines if line.startswith("Vulkan/CUDA, the median pair"))
    own = {"h100": "H100", "rtx-4070": "GeForce RTX 4070"}.get(name, "H200")
    assert f"here: {own} " in head and head.count(own) == 1 and len(lines) <= 42
    assert beside.RULES in text and f"{rules.NOT_SEEN} (1): Plan for 48 KiB of shared memory per workgroup." in text


def test_a_rule_that_too_few_pairs_decide_is_not_denied(found: tuple[str, Judged, str, str]) -> None:
    """On the published H100s it holds: test_summary.py."""
    name, judged, _, _ = found
    if name in ("unclear", "faster"):
        held = rules.verdicts(judged.study, summary.load(ROOT, judged.study))
        assert held[result_sets.STORES_RULE] == {"unclear": rules.UNDECIDED, "faster": rules.NOT_HERE}[name]


def test_every_rule_has_a_bound() -> None:
    found = tomllib.loads((ROOT / summary.FILE).read_text())["rule"]
    assert not [rule["title"] for rule in found if not rule.get("holds") and not any({"least", "most"} & each.keys() for each in rule["figure"])]


def test_the_first_answer_is_that_of_the_times(found: tuple[str, Judged, str, str]) -> None:
    """A faster Vulkan is called so; where each run tells another tale it says how far apart they are."""
    name, judged, _, _ = found
    first = answers(judged).get("exp01_vector_add", "")
    if name == "faster":
        assert "20 % less time" in first and "longer" not in first and "slower" not in first
    if name == "unclear":
        assert "within a factor of" in first  # of 1.00


def test_another_model_stands_beside_the_published(found: tuple[str, Judged, str, str]) -> None:
    name, _, text, _ = found
    if name not in ("h100", "h200"):
        return
    header = next(line for line in text.splitlines() if line.startswith("| kind of work, Vulkan/CUDA"))
    if name == "h100":
        assert header.startswith("| kind of work, Vulkan/CUDA | pairs | here: NVIDIA H100 80GB HBM3 |") and "| NVIDIA H200 |" in header
        assert rules.HOLDS in text and rules.NOT_SEEN in text  # exp06_bytes_in_flight has no rows here
    else:
        assert "| here: NVIDIA H200 |" in header and header.count("NVIDIA H200") == 1


def test_published_figures_are_the_results(capsys: pytest.CaptureFixture[str]) -> None:
    rows = beside.published(ROOT)
    assert rows and files.read_text(ROOT / beside.FILE)
    assert all(one.found and one.median > 0 for kinds in rows.values() for one in kinds.values())
