"""Columns that an experiment measures itself, and several programs in one folder."""

from __future__ import annotations

from pathlib import Path

import pytest
import synthetic
import worklog
from benchlib.claims import claims
from benchlib.results import results
from benchlib.stats.stats import Figure
from test_worklog import claim_rows, reference, run

LITMUS, ORDERING = "exp06_litmus", "exp06_ordering"

WHERE = 'where = { variant = "mp" }'
RATIO = 'num = { variant = "mp", sem = "acquire", api = "cuda" }\nden = { variant = "mp", sem = "relaxed", api = "cuda" }'


def claim_text(id_: str = "06.8", combine: str = "value", metric: str = "weak", select: str = WHERE, range_: str = "hi = 0") -> str:
    query = f'name = "q"\nrole = "result"\ncombine = "{combine}"\nmetric = "{metric}"\n{select}\nreproduced = {{ {range_} }}'
    return f'question = "?"\nanswer = "Seen {{{id_}}} times."\n' + synthetic.claim(id_, query, 'unit = "outcomes"\nnote = "all: {q}"')


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


# ------------------------------------------------------------------------------------------------------ measured columns


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
