"""Columns that an experiment measures itself, and several programs in one folder."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import synthetic
import worklog
from benchlib.base import programs
from benchlib.claims import claims
from benchlib.results import results
from benchlib.stats.formats import figure_text
from benchlib.stats.stats import Figure, ratio
from test_worklog import claim_rows, reference, run

LITMUS, ORDERING = "exp06_litmus", "exp06_ordering"

CLAIM = """
question = "Which outcomes?"
answer = "Seen {{{id}}} times."
[[claim]]
id = "{id}"
kind = "mechanism"
since = 2026-11-21
source = "ours"
text = "t"
claimed = "0"
device = ""
theory = "0"
unit = "outcomes"
note = "all: {{q}}"
[[claim.query]]
name = "q"
role = "result"
combine = "{combine}"
metric = "{metric}"
{select}
reproduced = {{ {range} }}
"""
WHERE = 'where = { variant = "mp" }'
RATIO = 'num = { variant = "mp", sem = "acquire", api = "cuda" }\nden = { variant = "mp", sem = "relaxed", api = "cuda" }'


def claim_text(
    id_: str = "06.8", combine: str = "value", metric: str = "weak", select: str = WHERE, range_: str = "hi = 0"
) -> str:
    return CLAIM.format(id=id_, combine=combine, metric=metric, select=select, range=range_)


def litmus_rows(**weak: object) -> list[dict]:
    """mp with two semantics; `weak` by them."""
    rows = []
    for sem in ("relaxed", "acquire"):
        cells = {"sem": sem, "elements": 64, "instances": 1000, "weak": weak.get(sem, 0), "rate": ""}
        rows += synthetic.twins(LITMUS, "mp", 1000, 1002, **cells)
    return rows


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setitem(synthetic.PARAMS, LITMUS, ["block", "sem"])
    monkeypatch.setitem(synthetic.PARAMS, ORDERING, ["block"])
    monkeypatch.setitem(synthetic.MEASURED, LITMUS, ["instances", "weak", "rate", "rate_lo", "rate_hi"])
    for name, text in (("litmus", claim_text()), ("ordering", claim_text("06.1", metric="device_ns", range_="hi = 2000"))):
        folder = tmp_path / "exp06_memory_model" / name
        folder.mkdir(parents=True)
        (folder / "claims.toml").write_text(text, encoding="utf-8")
    synthetic.write(tmp_path / worklog.REFERENCE, LITMUS, litmus_rows(relaxed=40))
    synthetic.write(tmp_path / worklog.REFERENCE, ORDERING, synthetic.twins(ORDERING, "mp", 1000, 1002))
    return tmp_path


def put(root: Path, **change: str) -> None:
    (root / "exp06_memory_model/litmus/claims.toml").write_text(claim_text(**change), encoding="utf-8")


# ------------------------------------------------------------------------------------------------------------- programs


def test_programs_of_one_folder(root: Path) -> None:
    (root / "exp01_vector_add").mkdir()
    (root / "exp01_vector_add/claims.toml").write_text(claim_text("01.1"), encoding="utf-8")
    found = programs.source_folders(root)
    assert {name: path.relative_to(root).as_posix() for name, path in found.items()} == {
        "exp01_vector_add": "exp01_vector_add", LITMUS: "exp06_memory_model/litmus", ORDERING: "exp06_memory_model/ordering",
    }  # fmt: skip
    groups = claims.load(root)
    assert [(group.experiment, group.folder) for group in groups][1] == (LITMUS, "exp06_memory_model/litmus")
    assert groups[1].claims[0].experiment == LITMUS


@pytest.mark.parametrize(("name", "expected"), [("q", "Seen 0 to 40 times."), ("verdict", "Seen REFUTED times."), ("p", None)])
def test_an_answer_names_a_query(root: Path, capsys: pytest.CaptureFixture[str], name: str, expected: str | None) -> None:
    text = claim_text().replace("Seen {06.8}", f"Seen {{06.8.{name}}}")
    (root / "exp06_memory_model/litmus/claims.toml").write_text(text, encoding="utf-8")
    readme = root / "README.md"
    readme.write_text(f"<!-- worklog:answer-{LITMUS} -->\n<!-- /worklog -->\n", encoding="utf-8")
    assert run(root) == (0 if expected else 1)
    if expected:
        assert expected in readme.read_text(encoding="utf-8")
    else:
        assert "an answer names no query of claim 06.8: p" in capsys.readouterr().err


def test_an_id_is_there_once_in_all_programs(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(root, id_="06.1")
    assert run(root) == 1
    assert "claim 06.1: the id is there twice" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("where", "marker", "expected"),
    [
        ("exp06_memory_model/litmus", "claims-exp06_litmus", ["06.8"]),
        ("exp06_memory_model", "claims-exp06", [f"**{LITMUS}**", "06.8", f"**{ORDERING}**", "06.1"]),
        (".", "answers", [f"[{LITMUS}](exp06_memory_model/litmus/README.md)", f"[{ORDERING}](exp06_memory_model/ordering/"]),
    ],
)
def test_markers(root: Path, where: str, marker: str, expected: list[str]) -> None:
    readme = root / where / "README.md"
    readme.write_text(f"<!-- worklog:{marker} -->\n<!-- /worklog -->\n", encoding="utf-8")
    assert run(root) == 0 and run(root, "--check") == 0
    text = readme.read_text(encoding="utf-8")
    assert [text.index(part) for part in expected] == sorted(text.index(part) for part in expected)
    assert ("06.1" in text) == (where != "exp06_memory_model/litmus" and (marker != "answers" or "06.1" in text))


def test_a_row_of_the_folders_other_program(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = reference(root) / f"{LITMUS}.csv"
    path.write_text(path.read_text(encoding="utf-8").replace(LITMUS, ORDERING, 1), encoding="utf-8")
    assert run(root) == 1
    assert f"line 2: a row of experiment '{ORDERING}'" in capsys.readouterr().err


# ------------------------------------------------------------------------------------------------------ measured columns


def test_the_measured_columns(root: Path) -> None:
    table = results.load(reference(root)).tables[LITMUS]
    assert table.measured == ["instances", "weak", "rate"]  # an interval is its figure's
    assert table.params == ["block", "sem"]
    (case,) = table.select({"api": "cuda", "sem": "relaxed"})
    found = table.figure(case, "weak")
    assert found and (found.value, found.runs) == (40, 1) and (found.lo, found.hi) == pytest.approx((40, 40), rel=1e-4)  # by its class, on one board
    assert table.figure(case, "rate") is None  # empty: not there, not 0


def test_a_measured_interval(root: Path) -> None:
    rows = [row | {"rate": 5, "rate_lo": 4, "rate_hi": 7} for row in litmus_rows()]
    synthetic.write(reference(root), LITMUS, rows)
    table = results.load(reference(root)).tables[LITMUS]
    found = table.figure(table.cases[0], "rate")
    # One run's own interval, for the difference of two such runs: wider by the root of two.
    assert found is not None and (found.value, found.runs) == (5, 1) and 3.3 < found.lo < 3.4 and 7.4 < found.hi < 7.5


def test_a_claim_about_a_count(root: Path) -> None:
    assert run(root) == 0
    row = claim_rows(root)["06.8"]
    assert (row["verdict"], row["ours"], row["experiment"]) == ("REFUTED", "40", LITMUS)
    assert "all: 0 to 40" in row["note"] and "one run" in row["note"]
    synthetic.write(reference(root), LITMUS, litmus_rows())
    assert run(root) == 0
    assert claim_rows(root)["06.8"]["verdict"] == "REPRODUCED"


def test_two_runs_on_one_board_tell_no_bracket_of_a_count_that_was_zero(root: Path) -> None:
    synthetic.write_again(reference(root), LITMUS, litmus_rows(relaxed=0))
    table = results.load(reference(root)).tables[LITMUS]
    found = table.figure(table.cases[0], "weak")
    assert found == Figure(20, runs=2)


def test_ratios_of_counts(root: Path) -> None:
    synthetic.write(reference(root), LITMUS, litmus_rows(relaxed=40, acquire=10))
    put(root, combine="ratio", select=RATIO, range_="lo = 0.2, hi = 0.3")
    assert run(root) == 0
    assert (claim_rows(root)["06.8"]["verdict"], claim_rows(root)["06.8"]["ours"]) == ("REPRODUCED", "0.25")
    synthetic.write(reference(root), LITMUS, litmus_rows(relaxed=40))  # 0 of 40 is 0; 40 of 0 is no figure
    assert run(root) == 0
    assert (claim_rows(root)["06.8"]["verdict"], claim_rows(root)["06.8"]["ours"]) == ("REFUTED", "0")
    synthetic.write(reference(root), LITMUS, litmus_rows(acquire=40))
    assert run(root) == 0
    assert claim_rows(root)["06.8"]["verdict"] == "NOT MEASURED"


def test_ratio_with_a_zero_in_an_interval() -> None:
    assert ratio(Figure(0, 0, 2), Figure(10, 8, 12)) == Figure(0, 0, 0.25)
    assert ratio(Figure(5, 4, 6), Figure(1, 0, 2)) == Figure(5)
    assert figure_text(Figure(0, 0, 0, 1)) == "0"


def test_a_case_without_a_live_control_is_unclear_and_does_not_decide(root: Path) -> None:
    def write(*rates: str, **weak: object) -> dict[str, str]:
        by_sem = dict(zip(("relaxed", "acquire"), rates))
        rows = [row | {"rate": by_sem[row["sem"]]} for row in litmus_rows(**weak)]
        synthetic.write(reference(root), LITMUS, rows)
        assert run(root) == 0
        return claim_rows(root)["06.8"]

    put(root, select=WHERE + '\ncontrol = "rate"')
    row = write("0.5", "0.25")
    assert (row["verdict"], row["ours"]) == ("REPRODUCED", "0") and "live control" not in row["note"]
    row = write("0.5", "0")
    assert row["verdict"] == "REPRODUCED"
    assert "2 of 2 cases in the range;" in row["note"] and "2 more cases have no live control and decide nothing; one run" in row["note"]
    assert write("0.5", "0", acquire=3)["verdict"] == "REFUTED"  # what was seen was seen
    assert write("0", "")["verdict"] == "UNCLEAR"


def test_a_count_over_its_control(root: Path) -> None:
    select = 'control = "rate"\n' + WHERE
    put(root, combine="over_control", select=select, range_="lo = 1.9, hi = 2.1")
    rows = [row | {"rate": 5 if row["sem"] == "relaxed" else 0} for row in litmus_rows(relaxed=10, acquire=7)]
    synthetic.write(reference(root), LITMUS, rows)
    assert run(root) == 0
    row = claim_rows(root)["06.8"]
    assert (row["verdict"], row["ours"]) == ("REPRODUCED", "2") and "/ rate" in row["note"]
    put(root, combine="over_control")
    assert run(root) == 1  # it needs a control


def test_the_table_of_all_pairs_shows_them(root: Path) -> None:
    assert run(root) == 0
    text = synthetic.worklog_text(reference(root))
    assert "| CUDA instances | Vulkan instances | CUDA weak | Vulkan weak |" in text
    assert re.search(r"\| 1000 \[1000, 1000\] \| 1000 \[1000, 1000\] \| 40\.00 \[40\.00, 40\.00\] \| 40\.00 \[40\.00, 40\.00\] \|", text)
    assert "CUDA rate" not in text


def test_a_measured_text(root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(synthetic.MEASURED, LITMUS, ["weak", "verdict"])
    rows = [{k: v for k, v in row.items() if k in synthetic.columns(LITMUS)} | {"verdict": "un|clear"} for row in litmus_rows()]
    synthetic.write(reference(root), LITMUS, rows)
    table = results.load(reference(root)).tables[LITMUS]
    assert table.figure(table.cases[0], "verdict") is None and table.figure(table.cases[0], "weak") == Figure(0, 0, 0, 1)
    assert run(root) == 0
    text = synthetic.worklog_text(reference(root))
    assert "| CUDA weak | Vulkan weak | CUDA verdict | Vulkan verdict |" in text
    assert "| 0 | 0 | un\\|clear | un\\|clear |" in text
    put(root, metric="verdict")
    assert run(root) == 1
    assert "claim 06.8: query q: metric: exp06_litmus has no figure 'verdict'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (",1000,40,", ",1000,many,", "weak is 'many', not a number"),
        (",1000,40,", ",1000,nan,", "weak is 'nan', not a number"),
        ("instances,weak", "weak,weak", "two columns 'weak'"),
    ],
)
def test_bad_measured_columns(root: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, message: str) -> None:
    path = reference(root) / f"{LITMUS}.csv"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    assert run(root) == 1
    error = capsys.readouterr().err
    assert message in error and len(error.splitlines()) == 1


# ------------------------------------------------------------------------------------------------------------ element_ns


def test_time_per_element_compares_chains_of_different_lengths(root: Path) -> None:
    rows = synthetic.twins(ORDERING, "load", 4000, 4400, elements=40)
    rows += synthetic.twins(ORDERING, "fence", 9000, 9900, elements=3)
    synthetic.write(root / worklog.REFERENCE, ORDERING, rows)
    select = 'num = { variant = "fence", api = "cuda" }\nden = { variant = "load", api = "cuda" }'
    text = claim_text("06.1", combine="ratio", metric="element_ns", select=select, range_="lo = 29, hi = 31")
    (root / "exp06_memory_model/ordering/claims.toml").write_text(text, encoding="utf-8")
    table = results.load(root / worklog.REFERENCE).tables[ORDERING]
    (case,) = table.select({"variant": "load", "api": "cuda"})
    figure = table.figure(case, "element_ns")
    assert figure is not None and figure.value == 100 and figure.has_interval
    assert figure.lo < 100 < figure.hi
    (found,) = [claim for group in claims.load(root) for claim in group.claims if claim.id == "06.1"]
    claims.judge(found, results.load(root / worklog.REFERENCE))
    assert found.verdict == claims.REPRODUCED, found.note
    assert found.worst.figure.value == pytest.approx(30)
