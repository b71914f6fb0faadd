"""worklog.py: figures against hand-computed values, and every way the input can be wrong."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import subprocess
import sys
from pathlib import Path

import pytest
import synthetic
import worklog
from benchlib.pages import pipeline, worklog_files
from benchlib.results import results
from benchlib.tables.claim_tables import claims_csv
from benchlib.document.markdown import escape
from benchlib.stats.stats import Figure, ratio, verdict, verdict_beyond_fixed_costs
from benchlib.model.pairs import pair_verdict, pairs

SCRIPTS = Path(worklog.__file__).resolve().parent
EXP01, EXP03, EXP04, EXP05 = ALL = tuple(synthetic.EXPERIMENTS)


def run(root: Path, *arguments: str | Path) -> int:
    return worklog.main(["--readme", str(root), *map(str, arguments)])


def reference(root: Path) -> Path:
    return root / worklog.REFERENCE


def claim_rows(root: Path) -> dict[str, dict[str, str]]:
    with open(reference(root) / "claims.csv", encoding="utf-8", newline="") as file:
        return {row["id"]: row for row in csv.DictReader(file)}


def judged(root: Path) -> dict[str, dict[str, str]]:
    """The same without the pages."""
    text = claims_csv(pipeline.load(reference(root), root).groups)
    return {row["id"]: row for row in csv.DictReader(io.StringIO(text, newline=""))}


def snapshot(root: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


# ------------------------------------------------------------------------------------------------- ratios and verdicts


def test_ratio_interval_is_movers() -> None:
    # ln 2 = 0.693147; num's interval is e^-0.03 .. e^+0.04 around it, den's e^-0.01 .. e^+0.02:
    # lo = exp(ln 2 - hypot(0.03, 0.02)), hi = exp(ln 2 + hypot(0.04, 0.01)).
    num = Figure(200, 200 * math.exp(-0.03), 200 * math.exp(0.04))
    den = Figure(100, 100 * math.exp(-0.01), 100 * math.exp(0.02))
    found = ratio(num, den)
    assert found.value == 2
    assert found.lo == pytest.approx(2 * math.exp(-0.0360555), rel=1e-6)
    assert found.hi == pytest.approx(2 * math.exp(0.0412311), rel=1e-6)


@pytest.mark.parametrize(
    ("lo", "hi", "expected"),
    [(0.99, 1.01, "SAME"), (0.995, 1.0101, "UNCLEAR"), (0.98, 0.9899, "FASTER"), (0.98, 0.99, "UNCLEAR"), (1.0101, 1.2, "SLOWER"), (0.9, 1.1, "UNCLEAR"),
     (None, None, "UNCLEAR")],
)  # fmt: skip
def test_verdict(lo: float | None, hi: float | None, expected: str) -> None:
    assert verdict(Figure(1.0, lo, hi)) == expected


@pytest.mark.parametrize(("ends", "times", "fixed", "expected"), [
    ((1.02, 1.03), (90_000, 92_500), (1300, 1900), "SLOWER"),  # 600 ns of 90 us: within the band
    ((1.02, 1.03), (50_000, 51_250), (1300, 1900), "SLOWER"),  # 600 ns are not all of it
    ((1.02, 1.03), (24_000, 24_600), (1300, 1900), "FIXED COST"),  # 600 ns of 24 us are 2.5 %
    ((1.02, 1.03), (24_000, 24_600), (1900, 1300), "SLOWER"),  # against the gap: it hides a part
    ((0.97, 0.98), (24_000, 23_400), (1900, 1300), "FIXED COST"),
    ((0.97, 0.98), (24_000, 23_400), (1300, 1900), "FASTER"),
    ((0.97, 0.98), (50_000, 51_250), (None, 1900), "FASTER"),  # unknown
    ((0.99, 1.01), (50_000, 50_000), (1300, 1900), "SAME"),
    ((0.9, 1.1), (50_000, 50_000), (1300, 1900), "UNCLEAR"),
])  # fmt: skip
def test_verdict_beyond_fixed_costs(ends: tuple[float, float], times: tuple[float, float], fixed: tuple[float | None, float], expected: str) -> None:
    figures = [Figure(each) for each in times], [each and Figure(each) for each in fixed]
    assert verdict_beyond_fixed_costs(Figure(sum(ends) / 2, *ends, runs=6), *figures) == expected


def with_fixed_costs(path: Path, costs: dict[str, float]) -> None:
    """The file with a column fixed_ns, by API."""
    lines = list(csv.reader(path.read_text().splitlines()))
    at, api = lines[0].index("roundtrip_ns"), lines[0].index("api")
    for number, cells in enumerate(lines):
        cells.insert(at, str(costs[cells[api]]) if number else "fixed_ns")
    path.write_text("".join(",".join(cells) + "\n" for cells in lines))
    sidecar = path.with_suffix(".schema.json")
    content = json.loads(sidecar.read_text())
    names = [column["name"] for column in content["columns"]]
    like = content["columns"][names.index("roundtrip_ns")]
    content["columns"].insert(names.index("roundtrip_ns"), {**like, "name": "fixed_ns"})
    sidecar.write_text(json.dumps(content))


def test_what_the_launch_explains_is_no_difference_of_the_kernels(tmp_path: Path) -> None:
    for run in range(1, 4):
        rows = synthetic.twins(EXP01, "add_f32", 30_000, 30_600)
        rows += synthetic.twins(EXP01, "add_f32x4", 30_600, 30_000)
        rows += synthetic.twins(EXP01, "copy_f32", 150_000, 154_500)
        path = synthetic.write(tmp_path / f"boards/a8c22efc/run{run}", EXP01, [{**row, "gpu_uuid": "a8c22efc-1"} for row in rows])
        if run > 1:  # an older program did not measure it
            with_fixed_costs(path, {"cuda": 1300, "vulkan": 1900})
    table = results.load(tmp_path).tables[EXP01]
    found = {pair.case["variant"]: pair_verdict(table, pair) for pair in pairs(table, {})}
    assert found == {"add_f32": "FIXED COST", "add_f32x4": "FASTER", "copy_f32": "SLOWER"}


def test_ratio_is_taken_within_each_run(tmp_path: Path) -> None:
    # The second run is 10 % slower on both sides. Ratio 1.02 in the first, 1.03 in the second; never 1.1.
    for cuda, vulkan in ((100, 102), (110, 113.3)):
        synthetic.write_again(tmp_path, EXP01, synthetic.twins(EXP01, "add_f32", cuda, vulkan, half_width=1e-9))
    table = results.load(tmp_path).tables[EXP01]
    cuda, vulkan = table.cases
    found = table.ratio(vulkan, cuda)
    assert found is not None and found.runs == 2
    assert found.lo and found.hi and found.value == pytest.approx(math.sqrt(1.02 * 1.03)) and found.lo < 1.02 and 1.03 < found.hi


def test_largest_size_that_failed_is_not_replaced_by_a_smaller_one(tmp_path: Path) -> None:
    rows = [
        synthetic.row(EXP01, "add_f32", "cuda", 100.0, elements=1 << 26),
        synthetic.row(EXP01, "add_f32", "cuda", None, elements=1 << 27, status="failed", reason="out of memory"),
    ]
    synthetic.write(tmp_path, EXP01, rows)
    table = results.load(tmp_path).tables[EXP01]
    assert table.select({"variant": "add_f32", "elements": "max"}) == []
    assert len(table.select({"variant": "add_f32", "elements": "dram"})) == 1


# -------------------------------------------------------------------------------------------------------------- output


@pytest.mark.real_least_runs  # a program of its own runs, too
def test_same_bytes_whatever_the_environment(root: Path) -> None:
    synthetic.with_whole_uuid(root)
    assert run(root) == 0
    first = snapshot(root)
    for path in (reference(root) / "worklog.md", reference(root) / "claims.csv"):
        path.unlink()
    environment = {"PYTHONHASHSEED": "7", "LC_ALL": "C", "TZ": "Asia/Tokyo", "PATH": "/usr/bin:/bin", "PYTHONUTF8": "0"}
    command = [sys.executable, str(SCRIPTS / "worklog.py"), "--readme", str(root)]
    subprocess.run(command, env=environment, cwd="/", check=True, capture_output=True)
    assert snapshot(root) == first


def test_escape() -> None:
    assert escape("a|b\r\n<b>&`c`*d* \\") == "a\\|b  &lt;b&gt;&amp;\\`c\\`\\*d\\* \\\\"
    assert escape("![x](http://y)") == "![x\\](http://y)"
    assert escape("\x1b[31m\u202eread_aos_x") == " [31m read_aos_x"


# --------------------------------------------------------------------------------------------------------------- check


def test_check_finds_a_one_byte_edit(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(root) == 0
    assert run(root, "--check") == 0
    path = reference(root) / f"worklog/{EXP01}.md"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("4238", "4239", 1), encoding="utf-8")
    before = snapshot(root)
    capsys.readouterr()
    assert run(root, "--check") == 1
    out = capsys.readouterr().out
    assert str(path) in out and "4239" in out and "claims.csv" not in out
    assert len(out.splitlines()) < 20
    assert snapshot(root) == before


def links_of(path: Path) -> set[str]:
    return {link.partition("#")[0] for link in re.findall(r"\]\(([^)#][^)]*)\)", path.read_text(encoding="utf-8"))}


def test_of_pages_that_are_not_kept_there_is_neither_file_nor_link(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, out = reference(root), root / "elsewhere/pages"
    (folder / worklog_files.KEPT).write_text(f'kept = ["{EXP05}"]\n')
    assert run(root) == 0 and run(root, "--check") == 0
    assert [path.stem for path in folder.glob("worklog/*.md")] == [EXP05]
    assert folder.glob("plots/*.svg") and all(path.name.startswith("exp05") for path in folder.glob("plots/exp*.svg"))
    links = {link for link in links_of(folder / "worklog.md") if not link.startswith("../")}
    assert f"worklog/{EXP05}.md" in links and all((folder / link).exists() for link in links)
    assert "scripts/worklog.py --out build/pages results/nvidia-h200" in (folder / "worklog.md").read_text(encoding="utf-8")
    (folder / "worklog" / f"{EXP01}.md").write_text("an old one\n")
    assert run(root, "--check") == 1 and f"{EXP01}.md: a page of an experiment without results" in capsys.readouterr().out
    assert run(root) == 0
    before = snapshot(folder)
    assert run(root, "--out", out) == 0 and snapshot(folder) == before
    pages = [out / "worklog.md", *out.glob("worklog/*.md")]
    assert {path.stem for path in pages} == {"worklog", *ALL} and not (out / "claims.csv").exists()
    found = [page.parent / link for page in pages for link in links_of(page) if not re.search(r"docs/|README|CONTRIBUTING|toml$", link)]
    assert any(path.is_relative_to(folder) for path in map(Path.resolve, found)) and all(path.exists() for path in found)


@pytest.mark.parametrize("text", ["kept = 3", "kept = [3]", "keep = []", "kept", "\xff"])
def test_bad_lists_of_kept_pages(root: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    (reference(root) / worklog_files.KEPT).write_bytes(text.encode("latin-1"))
    assert run(root) == 1 and "pages.toml: kept is no list of experiments" in capsys.readouterr().err


# ------------------------------------------------------------------------------------------------------------- READMEs


def test_markers_are_filled_and_the_rest_kept(root: Path) -> None:
    readme = root / "README.md"
    readme.write_text(
        "top\n<!-- worklog:answers -->\nold\n<!-- /worklog -->\nmiddle\n"
        "<!-- worklog:exp01-plots --><!-- /worklog -->\nend without line end",
        encoding="utf-8",
    )
    assert run(root) == 0
    text = readme.read_text(encoding="utf-8")
    assert text.startswith("top\n<!-- worklog:answers -->\n\n| experiment |") and "\nold\n" not in text
    assert "<!-- /worklog -->\nmiddle\n<!-- worklog:exp01-plots -->\n\n![" in text
    assert text.endswith("<!-- /worklog -->\nend without line end")
    assert run(root, "--check") == 0


@pytest.mark.parametrize(("text", "message"), [
    ("x\n<!-- worklog:exp01-size -->\n<!-- /worklog -->\n", "line 2: no table is named 'exp01-size'"),
    ("<!-- worklog:answers -->\n", "never closed"),
    ("<!-- worklog:answers -->\n<!-- worklog:answers -->\n<!-- /worklog -->\n", "line 2"),
    ("<!-- /worklog -->\n<!-- worklog:answers -->\n<!-- /worklog -->\n", "line 1"),
])  # fmt: skip
def test_bad_markers(root: Path, capsys: pytest.CaptureFixture[str], text: str, message: str) -> None:
    (root / "README.md").write_text(text, encoding="utf-8")
    before = snapshot(root)
    assert run(root) == 1
    assert message in capsys.readouterr().err
    assert snapshot(root) == before


# -------------------------------------------------------------------------------------------------------------- claims


def judge(root: Path, variant: str = '"add_f32"', metric: str = "device_ns", extra: str = "") -> dict[str, str]:
    query = f'name = "q"\ncombine = "twin_ratio"\nmetric = "{metric}"\nwhere = {{ variant = {variant} }}\nreproduced = {{ lo = 0.99, hi = 1.01 }}'
    text = 'question = "?"\n' + synthetic.claim("01.1", query, extra)
    (root / EXP01 / "claims.toml").write_text(text, encoding="utf-8")
    return judged(root)["01.1"]


@pytest.mark.parametrize(
    ("vulkan_ns", "half_width", "expected"),
    [(1005, 0.001, "REPRODUCED"), (1050, 0.001, "REFUTED"), (1009, 0.002, "UNCLEAR"), (1000, 0.02, "UNCLEAR")],
)
def test_claim_verdicts(root: Path, vulkan_ns: float, half_width: float, expected: str) -> None:
    synthetic.write(reference(root), EXP01, synthetic.twins(EXP01, "add_f32", 1000, vulkan_ns, half_width=half_width))
    assert judge(root)["verdict"] == expected


def test_claim_is_decided_by_the_share_of_its_cases(root: Path) -> None:
    def found(*others: float) -> dict[str, str]:
        rows = synthetic.twins(EXP01, "add_f32", 1000, 1002)
        for at, ns in enumerate(others, start=1):
            rows += synthetic.twins(EXP01, "add_f32", 1000, ns, block=64 * at)
        synthetic.write(reference(root), EXP01, rows)
        return judge(root, extra='why = "Because."\nnote = "Spread {q}"')

    assert found(1001)["verdict"] == "REPRODUCED" and "Because" not in found(1001)["note"]
    assert found(940)["verdict"] == "PARTLY"  # one of two
    row = found(1001, 940)
    assert (row["verdict"], row["cases"], row["cases_in"], row["cases_out"]) == ("PARTLY", "3", "2", "1")
    assert float(row["ours"]) == pytest.approx(1.001) and float(row["worst"]) == pytest.approx(0.94)
    assert row["worst_case"].startswith("add_f32 block=128")
    assert "2 of 3 cases in the range, 1 outside; the median case: add_f32 block=64" in row["note"]
    assert "the worst: add_f32 block=128" in row["note"] and "Because. Spread 0.940 to 1.00." in row["note"]
    row = found(1030, 940)
    assert row["verdict"] == "REFUTED" and float(row["ours"]) == pytest.approx(0.94) and float(row["worst"]) == pytest.approx(0.94)


@pytest.mark.real_least_runs
def test_claim_without_an_interval_is_unclear(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results.Table, "spread", lambda *_: None)  # of one board, of whose class nothing is known
    row = judge(root, metric="submit_ns")
    assert row["verdict"] == "UNCLEAR" and "no interval" in row["note"] and row["ours_lo"] == ""


def test_hull_decides_a_claim(root: Path) -> None:
    # Either run alone is within 1 %; the second one's interval reaches 1.0114.
    synthetic.write(reference(root), EXP01, synthetic.twins(EXP01, "add_f32", 1000, 1002))
    synthetic.write_again(reference(root), EXP01, synthetic.twins(EXP01, "add_f32", 1000, 1010))
    row = judge(root)
    assert row["verdict"] == "UNCLEAR" and "one run" not in row["note"]
    assert float(row["ours"]) == pytest.approx(math.sqrt(1.002 * 1.01), rel=1e-5)


# ----------------------------------------------------------------------------------------------------------- bad input


def edited(old: str, new: str, times: int = 1):
    def edit(text: str) -> str:
        assert old in text
        return text.replace(old, new, times)

    return edit


def set_cell(column: str, value: str, line: int = 1):
    def edit(text: str) -> str:
        rows = text.splitlines()
        cells = rows[line].split(",")
        cells[rows[0].split(",").index(column)] = value
        rows[line] = ",".join(cells)
        return "\n".join(rows) + "\n"

    return edit


@pytest.mark.parametrize(("edit", "message"), [
    (lambda text: "", "empty"),
    (lambda text: text[:-40], "cut short"),
    (set_cell("schema", "1"), "line 2: schema '1', but exp01_vector_add.schema.json is of schema 2"),
    (edited("device_ns_lo,", "device_low,"), "its columns are not those that exp01_vector_add.schema.json declares"),
    (edited("schema,", "skema,"), "not a result file"),
    (set_cell("gpu_uuid", "GPU-2"), "two GPUs, 'GPU-2' and 'GPU-1'"),
    (set_cell("device_ns", "nan"), "line 2: device_ns is 'nan'"),
    (set_cell("block", "=1+1"), "line 2: block is '=1+1', not a whole number"),
    (set_cell("api", "\x1b[31m"), r"line 2: api '\x1b[31m'"),
    (set_cell("experiment", "exp02_x"), "line 2: a row of experiment 'exp02_x'"),
    (lambda text: text + text.splitlines()[3] + "\n", "lines 4 and"),
    (lambda text: text + "\udcff\n", "not UTF-8"),
])  # fmt: skip
def test_bad_results(root: Path, capsys: pytest.CaptureFixture[str], edit, message: str) -> None:
    path = reference(root) / f"{EXP01}.csv"
    damaged = edit(path.read_text(encoding="utf-8"))
    path.write_text(damaged, encoding="utf-8", errors="surrogateescape")
    before = snapshot(root)
    capsys.readouterr()
    assert run(root) == 1
    captured = capsys.readouterr()
    assert message in captured.err and str(path.parent) in captured.err
    assert len(captured.err.splitlines()) == 1 and captured.out == ""
    assert snapshot(root) == before


@pytest.mark.parametrize("options", [[], ["--check"]])
def test_without_gits_history_no_page_loses_what_it_tells(root: Path, capsys: pytest.CaptureFixture[str], options: list[str]) -> None:
    """An archive of the repository, whose pages were made with it."""
    assert run(root) == 0
    page = next((reference(root) / "worklog").glob("*.md"))
    page.write_text(page.read_text() + "of its 3 runs, all are of commits that contain the test in its present form\n")
    before = snapshot(root)
    capsys.readouterr()
    assert run(root, *options) == 1
    assert "needs git's history, and nothing is changed: this is an archive without git's history" in capsys.readouterr().err
    assert snapshot(root) == before


def test_hostile_cells(root: Path) -> None:
    hostile = 'x|y\n<!-- /worklog --> <img src=x> "q", `r`'
    rows = synthetic.exp01_rows()
    for row in rows:
        row["driver"] = hostile
    rows += synthetic.twins(EXP01, hostile, 100, 100)
    synthetic.write(reference(root), EXP01, rows)
    readme = root / "README.md"
    readme.write_text("<!-- worklog:answers -->\n<!-- /worklog -->\n", encoding="utf-8")
    assert run(root) == 0 and run(root, "--check") == 0
    text = synthetic.worklog_text(reference(root))
    assert "<img" not in text and "<!--" not in text
    assert "x\\|y &lt;!-- /worklog --&gt;" in text
