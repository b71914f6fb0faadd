"""What claims are tested by is fixed: nothing of it changes without a dated line, and no dated line changes."""

from __future__ import annotations

import dataclasses
import datetime
import shutil
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import claims_lock
import pytest
from benchlib.claims import claim_lock, claims

ROOT = Path(__file__).resolve().parents[2]
ENTRY: dict[str, Any] = {
    "id": "01.1", "kind": "figure", "source": "ours", "text": "t", "claimed": "1", "device": "", "theory": "1", "unit": "x",
    "since": datetime.date(2026, 11, 21),
    "changed": [{"on": datetime.date(2026, 11, 22), "what": "w", "why": "y"}],
    "query": [{"combine": "value", "metric": "m", "where": {"variant": "a"}, "reproduced": {"lo": 1}}, {"name": "n", "metric": "m"}],
}  # fmt: skip


def test_this_repositorys_lock() -> None:
    """Where this fails: scripts/claims_lock.py says what is to be done."""
    found = [claim for group in claims.load(ROOT) for claim in group.claims]
    entries, codes = [claim.entry for claim in found], {claim.id: claim.code.hash for claim in found}
    assert claim_lock.unexplained(entries, claim_lock.read(ROOT / claim_lock.LOCK), codes) == []
    assert (ROOT / claim_lock.LOCK).read_text(encoding="utf-8") == claim_lock.text(entries, codes), "scripts/claims_lock.py writes it anew"
    decided = [entry for entry in entries if any(query.get("combine") == "analysis" and "reproduced" in query for query in entry.get("query", []))]
    assert len(decided) == 9 and all(codes[entry["id"]] for entry in decided)


ANALYSIS_TEXT = '''
LIMIT = 3
def helper(x): return x + LIMIT
def fit(table):
    """Fits."""
    return helper(table)
def shown(table): return table
ANALYSIS = Analysis(figures={"m": fit, "n": shown}, sections=[("a", shown)])
'''


@pytest.mark.parametrize(
    ("old", "new", "counts"),
    [("x + LIMIT", "x - LIMIT", True), ("LIMIT = 3", "LIMIT = 4", True), ("return helper(table)", "return table", True), ('"m": fit', '"m": shown', True),
     ("def shown(table): return table", "def shown(table): return 1", False), ("Fits.", "It fits.", False), ("LIMIT = 3", "LIMIT = 3  # a limit", False)],
)  # fmt: skip
def test_the_analysis_that_decides_is_part_of_the_test(old: str, new: str, counts: bool) -> None:
    """What it uses of its file, too; neither its words nor what other figures use."""
    assert old in ANALYSIS_TEXT
    entry = {**ENTRY, "query": [{"combine": "analysis", "metric": "m", "reproduced": {"lo": 1}}]}
    before, after = (claim_lock.code_of(entry, text) for text in (ANALYSIS_TEXT, ANALYSIS_TEXT.replace(old, new)))
    lock = {"01.1": dataclasses.replace(claim_lock.locked(entry), code=before)}
    assert claim_lock.parse(claim_lock.text([entry], {"01.1": before}), "lock") == lock
    said = claim_lock.unexplained([entry], lock, {"01.1": after})
    assert [line for line in said if "the analysis that decides it changed" in line] == said and bool(said) == counts
    assert claim_lock.code_of(ENTRY, ANALYSIS_TEXT) == ""


def unexplained(changed: Mapping[str, Any]) -> list[str]:
    return claim_lock.unexplained([changed], {"01.1": claim_lock.locked(ENTRY)})


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("text",), "u"), (("claimed",), "2"), (("unit",), "y"), (("kind",), "mechanism"), (("source",), "a post"),
        (("device",), "H20"), (("since",), datetime.date(2026, 11, 20)), (("needs",), "a GPU"),
        (("query", 0, "reproduced", "lo"), 0.9), (("query", 0, "reproduced", "hi"), 2), (("query", 0, "where", "variant"), "b"),
        (("query", 0, "metric"), "n"), (("query", 0, "role"), "result"), (("query", 1, "reproduced"), {"hi": 1}),
    ],
)  # fmt: skip
def test_a_change_needs_a_dated_line(path: tuple[Any, ...], value: object) -> None:
    entry = deepcopy(ENTRY)
    at: Any = entry
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    (said,) = unexplained(entry)
    assert said.startswith("01.1: its words, query or range changed")
    entry["changed"].append({"on": datetime.date(2026, 11, 23), "what": "w", "why": "y"})
    assert unexplained(entry) == []


def test_dated_lines_stay() -> None:
    for lines in ([], [{**ENTRY["changed"][0], "why": "another"}], [{"on": ENTRY["since"], "what": "w", "why": "y"}, *ENTRY["changed"]]):
        (said,) = unexplained({**ENTRY, "changed": lines})
        assert "its dated lines are no longer what they were" in said
    assert unexplained({**ENTRY, "id": "01.2"}) == ["01.1: is gone; a claim stays, or becomes parts with letters " + LINE_OUT]


LINE_OUT = "(then take its line out of scripts/claims.lock)"


def test_what_decides_nothing_may_change() -> None:
    assert unexplained({**ENTRY, "theory": "2", "note": "n", "tables": ["T"], "query": ENTRY["query"][:1]}) == []
    assert unexplained(ENTRY) == []


def test_the_script(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "scripts").mkdir()
    shutil.copytree(ROOT / "exp02_descriptors", tmp_path / "exp02_descriptors", ignore=shutil.ignore_patterns("*.cu", "*.comp"))
    arguments = ["--root", str(tmp_path)]
    assert claims_lock.main([*arguments, "--check"]) == 1
    assert claims_lock.main([*arguments, "--new"]) == 0 and claims_lock.main([*arguments, "--check"]) == 0
    path = tmp_path / "exp02_descriptors/claims.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("hi = 1.01", "hi = 1.05"), encoding="utf-8")
    capsys.readouterr()
    before = (tmp_path / claim_lock.LOCK).read_bytes()
    assert claims_lock.main(arguments) == 1
    assert "02.2: its words, query or range changed; say what and why" in capsys.readouterr().out
    assert (tmp_path / claim_lock.LOCK).read_bytes() == before
    (tmp_path / claim_lock.LOCK).write_text("02.1 x\n", encoding="utf-8")
    assert claims_lock.main(arguments) == 1 and "line 1 is no id" in capsys.readouterr().err
