"""docs/summary.toml: the verdict, the picture and the rules of all experiments together."""

from __future__ import annotations

from pathlib import Path

import pytest
import synthetic
import worklog

from benchlib import plots, summary

EXP01 = "exp01_vector_add"
ROOT = Path(__file__).resolve().parents[2]
SUMMARY = """
verdict = ["Of {adds.pairs} pairs {adds.same} are the same; the median is {adds}.", "Left out: {copies}."]
[[kind]]
id = "adds"
name = "additions"
[[kind.of]]
experiment = "exp01_vector_add"
where = { variant = "add_f32" }
[[kind]]
id = "copies"
name = "copies"
[[kind.of]]
experiment = "exp09_not_here"
where = { variant = "copy" }
[[rule]]
title = "Do it."
text = "It takes {time.bare}, **or** `{time}`."
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
MARKERS = "".join(f"<!-- worklog:{name} -->\n<!-- /worklog -->\n" for name in ("verdict", "picture", "kinds", "rules"))


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


def test_what_it_says(root: Path) -> None:
    assert run(root) == 0 and run(root, "--check") == 0
    text = (root / "docs/PAGE.md").read_text(encoding="utf-8")
    pairs = text.partition("\nOf ")[2].split()[0]
    assert int(pairs) > 2 and f"| additions | {pairs} |" in text
    assert "Left out" not in text and "| copies |" not in text and "Not there" not in text
    assert f"There: {pairs}." in text
    assert "1. **Do it.** It takes " in text and " times, **or** `" in text
    assert "([Size sweep](../results/nvidia-h200/worklog/exp01_vector_add.md#size-sweep), [01.2a](../results/nvidia-h200/worklog/exp01_vector_add.md#claims))" in text
    assert "](../results/nvidia-h200/plots/vulkan-over-cuda.svg)" in text


def test_the_picture_follows_the_data(root: Path) -> None:
    assert run(root) == 0
    before = picture(root).read_text(encoding="utf-8")
    assert before.startswith("<svg") and "<style>" in before and ">additions</text>" in before and "copies" not in before
    picture(root).write_text(before.replace("additions", "others"), encoding="utf-8")
    assert run(root, "--check") == 1
    assert run(root) == 0 and picture(root).read_text(encoding="utf-8") == before


def test_without_pairs_there_is_no_picture(root: Path) -> None:
    text = SUMMARY.replace('variant = "add_f32" }\n[[kind]]', 'variant = "none" }\n[[kind]]').replace("{adds.pairs}", "some")
    (root / "docs/summary.toml").write_text(text, encoding="utf-8")
    assert run(root) == 0
    assert not picture(root).exists() and "No results." in (root / "docs/PAGE.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("verdict =", "verdicts =", "no such key: verdicts"),
        (SUMMARY, "kind = 5", "kind is no list of tables"),
        ('id = "adds"', 'if = "adds"', "kind no. 1: no id"),
        ('title = "Do it."', 'title = "Do it."\nwhy = "x"', "rule no. 1: no such key: why"),
        ("{time}", "{tine}", "rule no. 1: no figure or kind is tine"),
        ("{adds}", "{add}", "verdict: no figure or kind is add"),
        ('"01.2a"', '"01.99"', "rule no. 1: no claim is 01.99"),
        ('section = "Size sweep"', 'section = "Sizes"', "the worklog's exp01_vector_add has no section 'Sizes'"),
        ('where = { variant = "add_f32" }\n[[kind]]', 'where = { variants = "add_f32" }\n[[kind]]', "no column 'variants'"),
        ('combine = "value"', 'combine = "sum"', "rule no. 1: figure none: combine is 'sum'"),
        ("verdict =", "verdict", "summary.toml: "),
    ],
)
def test_what_it_refuses(root: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, message: str) -> None:
    assert old in SUMMARY
    (root / "docs/summary.toml").write_text(SUMMARY.replace(old, new, 1), encoding="utf-8")
    assert run(root) == 1
    said = capsys.readouterr().err
    assert message in said and len(said.splitlines()) == 1
    assert (root / "docs/PAGE.md").read_text(encoding="utf-8") == MARKERS and not picture(root).exists()


def test_a_repository_without_one(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "docs/summary.toml").unlink()
    assert run(root) == 1 and "no table is named 'verdict'" in capsys.readouterr().err
    (root / "docs/PAGE.md").unlink()
    assert run(root) == 0 and not picture(root).exists()


def test_an_experiments_answer(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = root / EXP01 / "README.md"
    page.write_text(f"<!-- worklog:answer-{EXP01} -->\n<!-- /worklog -->\n", encoding="utf-8")
    assert run(root) == 0 and run(root, "--check") == 0
    assert "\nFrom memory an addition takes about as long in both APIs: Vulkan's median case is " in page.read_text(encoding="utf-8")
    page.write_text("<!-- worklog:answer-exp01 -->\n<!-- /worklog -->\n", encoding="utf-8")
    assert run(root) == 1 and "no table is named 'answer-exp01'" in capsys.readouterr().err
