"""The pages of machine code: what they show, and what worklog.py writes onto them."""

from __future__ import annotations

import csv
import lzma
import re
import subprocess
from pathlib import Path
from types import SimpleNamespace

import dump_sass
import pytest
import synthetic
import worklog
from test_sass import instructions
from test_sass_diff import cuda, vulkan

from benchlib.document import markdown
from benchlib.model.analysis import Study
from benchlib.pages import kernel_timings, sass_pages
from benchlib.results import counters_file, results
from benchlib.sass import kernel_sources, sass, sass_diff
from benchlib.sass.sass_diff import Side

EXP01 = "exp01_vector_add"
ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "results/nvidia-h200"
NAMES = ["add_f32.cuda.sass", "add_f32.vulkan.sass"]


def tracked(path: Path) -> bool:
    """Whether git keeps it: others are made on demand."""
    return not subprocess.run(["git", "-C", ROOT, "ls-files", "--error-unmatch", path], capture_output=True, check=False).returncode


def fact_rows(**registers: str) -> list[dict[str, object]]:
    """Two rows of sass.csv with nothing else in them."""
    empty = dict.fromkeys(["kernel", "arch", "isa_hash", *sass.FIGURES], "") | {"experiment": EXP01}
    return [{**empty, "kernel": "add_f32", "registers": registers[api]} for api in ("cuda", "vulkan")]


def page(left: Side, right: Side, before: str | None = None) -> str:
    facts = fact_rows(cuda="12", vulkan="10")
    return sass_pages.page(f"{EXP01}: add_f32", sass_diff.compare(left, right), facts, NAMES, before)


def test_a_short_page_has_all_lines() -> None:
    lines = page(cuda(), vulkan()).splitlines()
    assert lines[0] == "# exp01_vector_add: add_f32"
    assert "| registers | 12 | 10 |" in lines
    assert "| bounds check | 0 | 2 |" in lines
    (store,) = [line for line in lines if "STG.E " in line]
    assert re.fullmatch(r"0120 +STG.E \[R6.64\], R9 +\| 0110 +STG.E.STRONG.SM \[R6.64\], R5 +store strength \(STRONG\)", store)
    assert not any(line.startswith("... ") for line in lines)


def test_what_only_moved_is_said_to() -> None:
    left = instructions("S2R R0, SR_TID.X", "FADD R1, R2, R3", "EXIT")
    right = instructions("FADD R1, R2, R3", "S2R R0, SR_TID.X", "EXIT")
    assert "order" in page(Side("CUDA", left), Side("Vulkan", right))


def test_a_long_page_has_the_accesses_and_says_how_much_is_left_out() -> None:
    filler = ["FADD R1, R2, R3"] * sass_pages.LONG
    listing = instructions("LDG.E R2, [R4.64]", *filler, "STG.E [R4.64], R1", "EXIT")
    text = page(Side("CUDA", listing), Side("Vulkan", listing))
    shown = text[text.index("```text") : text.rindex("```")].splitlines()
    assert [line.split()[0] for line in shown[2:]] == ["0000", "...", f"{16 * (sass_pages.LONG + 1):04x}"]
    assert shown[3] == f"... {sass_pages.LONG}" and f"2 of {sass_pages.LONG + 3} lines" in text


def test_what_was_measured_stays_when_the_page_is_made_anew() -> None:
    before = page(cuda(), vulkan()).replace("<!-- worklog:pairs -->\n\n", "<!-- worklog:pairs -->\n\nSLOWER\n\n")
    assert before.count("SLOWER") == 1 and page(cuda(), vulkan(), before) == before


def test_the_legend_explains_every_name() -> None:
    assert list(sass_pages.DIFFERENCES) == sass_diff.NAMES
    explained = {name for names in sass_pages.COLUMNS for name in names.split(", ")}
    columns = {re.sub(r"^(ldg|stg)_\d+$", r"\1_N", column) for column in (*sass.EXCLUSIVE, *sass.ATTRIBUTES)}
    assert explained == columns
    legend = sass_pages.index([])
    assert "| bounds check |" in legend and "`ldg_N`, `stg_N`" in legend


KEPT = sorted(path for path in REFERENCE.glob("sass/*/*.md") if tracked(path))


def test_the_pages_that_are_kept_are_those_of_the_listings(tmp_path: Path) -> None:
    """--pages makes the same bytes from the listings, sass.csv and sass_twins.csv that are committed, and counts anew."""
    experiments = tuple({path.parent.name for path in KEPT})
    (tmp_path / "sass").mkdir()
    for name in ("sass.csv", "sass_twins.csv"):
        lines = lzma.decompress((REFERENCE / f"{name}.xz").read_bytes()).decode().splitlines()
        (tmp_path / name).write_text("\n".join([lines[0], *(line for line in lines if line.startswith(experiments))]) + "\n", encoding="utf-8")
    for experiment in experiments:
        for name in (experiment, f"{experiment}.tar.xz"):
            (tmp_path / "sass" / name).symlink_to(REFERENCE / "sass" / name)
    twins, counts = ((tmp_path / name).read_text(encoding="utf-8") for name in ("sass_twins.csv", "sass.csv"))
    (tmp_path / "sass.csv").write_text(re.sub(r"^(.*,cuda,sm_90a,\d+,\d+,\d+,)\d+,", r"\g<1>77,", counts, flags=re.MULTILINE), encoding="utf-8")
    made = dump_sass.pages_again(tmp_path, [], [path.stem for path in KEPT])
    pages = {path.relative_to(tmp_path): text for path, text in made.items() if path.parent.parent.name == "sass"}
    assert KEPT and pages == {path.relative_to(REFERENCE): path.read_text(encoding="utf-8") for path in KEPT}
    assert made[tmp_path / "sass_twins.csv"] == twins and made[tmp_path / "sass.csv"] == counts


def test_what_is_linked_to_is_kept() -> None:
    """In git: a page that was made on demand hides a link that leads nowhere."""
    texts = [path.read_text(encoding="utf-8") for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("exp*/**/*.md"))]
    linked = {match for text in texts for match in re.findall(r"\]\((?:\.\./)*(results/[^/)]+/sass/exp[^)#]+\.md)", text)}
    assert linked <= {path.relative_to(ROOT).as_posix() for path in KEPT}


@pytest.mark.parametrize(
    ("kernel", "api", "file"),
    [
        ("exp01_vector_add add_f32", "cuda", "exp01_vector_add/cuda/add_f32.cu"),
        ("exp01_vector_add add_f32.disabled", "vulkan", "exp01_vector_add/glsl/add_f32.comp"),  # a further build of it
        ("exp01_vector_add copy_tile_4", "cuda", "exp01_vector_add/cuda/copy_tile.cu"),  # one of a file's entry points
        ("exp04_bda copy_f32_address", "vulkan", "exp04_bda/glsl/copy_f32.glsl"),  # a line of CMakeLists.txt
        ("exp04_bda copy_f32_volatile", "cuda", "exp04_bda/cuda/copy_f32.cu"),
        ("exp06_litmus mp_relaxed", "cuda", "exp06_memory_model/litmus/cuda/mp.cu"),  # a macro makes the name
        ("exp09_atomics global_add_f32", "vulkan", "exp09_inside_a_workgroup/atomics/glsl/atomic.glsl"),  # a loop in CMakeLists.txt makes the line
        ("exp01_vector_add ../secret", "cuda", "exp01_vector_add/cuda"),
    ],
)
def test_where_a_kernel_is_written(kernel: str, api: str, file: str) -> None:
    experiment, name = kernel.split()
    assert kernel_sources.source(ROOT, experiment, name, api) == Path(file)
    assert kernel_sources.source(ROOT, "exp99_none", name, api) is None


AGAIN = "sources have moved: scripts/dump_sass.py --pages --out results/nvidia-h200"


def test_each_page_links_both_sources() -> None:
    for path in KEPT:
        (line,) = re.findall(r"^Sources: (.*)\.$", path.read_text(encoding="utf-8"), re.MULTILINE)
        cuda_, glsl = re.findall(r"\]\(([^)]+)\)", line)
        assert all((path.parent / link).exists() for link in (cuda_, glsl)) and "/cuda" in cuda_ and "/glsl" in glsl, f"{path}: {AGAIN}"


def test_pages_need_a_folder(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        dump_sass.main(["--pages"])
    assert stopped.value.code == 2 and "--pages needs --out" in capsys.readouterr().err


# ---------------------------------------------------------------------------------------------------- what was measured


@pytest.fixture
def measured(tmp_path: Path) -> Path:
    """Results of two sizes and three blocks of which one was disassembled, and a page."""
    rows = [row for block in (256, 64, 128) for row in synthetic.twins(EXP01, "add_f32", 100, 103, block=block)]
    rows += synthetic.twins(EXP01, "add_f32", 100, 100, checks="off")
    hashes = {("cuda", ""): "c0", ("vulkan", ""): "b0", ("vulkan", "off"): "d0", ("cuda", "off"): "c0"}
    for row in rows:
        row["isa_hash"] = hashes[row["api"], row["checks"]] if row["block"] == 256 or row["api"] == "cuda" else f"b{row['block']}"
    for run in ("run1", "run2", "run3"):
        synthetic.write(tmp_path / "boards/a8c22efc" / run, EXP01, [{**row, "gpu_uuid": "a8c22efc-1"} for row in rows])
    code = [("add_f32", "cuda", "c0"), ("add_f32", "vulkan", "b0"), ("add_f32.disabled", "vulkan", "d0")]
    with open(tmp_path / "sass.csv", "w", encoding="utf-8") as file:
        csv.writer(file).writerows([["experiment", "kernel", "api", "isa_hash"], *([EXP01, *each] for each in code)])
    with open(tmp_path / "sass_twins.csv", "w", encoding="utf-8") as file:
        names = ("add_f32", "add_f32.disabled")
        header = ["experiment", "kernel", "arch", "cuda_kernel", "vulkan_kernel", "summary"]
        csv.writer(file).writerows([header, *([EXP01, name, "sm_90a", "add_f32", name, "3 more"] for name in names)])
    (tmp_path / "sass" / EXP01).mkdir(parents=True)
    for name in names:
        (tmp_path / "sass" / EXP01 / f"{name}.md").write_text(page(cuda(), vulkan()), encoding="utf-8")
        synthetic.write_listing(tmp_path, EXP01, name, "vulkan", "0000        EXIT\n")
    synthetic.write_listing(tmp_path, EXP01, "add_f32", "cuda", "0000        EXIT\n")
    return tmp_path


def test_times_and_verdicts_on_the_page(measured: Path) -> None:
    assert worklog.main([str(measured)]) == 0 and worklog.main(["--check", str(measured)]) == 0
    text = (measured / "sass" / EXP01 / "add_f32.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| add_f32 |")]
    assert [row.split(" | ")[1] for row in rows] == ["256", "64", "128"]
    assert [row.split(" | ")[-1] for row in rows] == ["this |", "another workgroup size |", "another workgroup size |"]
    assert all("| 0.1000 | 0.1030 | 1.0300 [1.0300, 1.0300]; a run" in row and "| SLOWER, in 3 of 3 runs |" in row for row in rows), rows
    assert f"](../../worklog/{EXP01}.md#every-pairs-machine-code)" in text
    off = (measured / "sass" / EXP01 / "add_f32.disabled.md").read_text(encoding="utf-8")
    assert [line.split(" | ")[-2] for line in off.splitlines() if line.startswith("| add_f32 |")] == ["SAME, in 3 of 3 runs"]


def test_executed_instructions_stand_beside_the_pair(measured: Path) -> None:
    counted = []
    for row in (row for block in (256, 64) for row in synthetic.twins(EXP01, "add_f32", 100, 103, block=block)):
        cells = {name: str(row[name]) for name in ["experiment", "variant", "api", *synthetic.PARAMS[EXP01], "elements", "cache"]}
        executed = {"cuda": "81920", "vulkan": "90112"}[row["api"]] if row["block"] == 256 else ""
        counted.append(cells | {"instrument": "pm_sampling", "instructions": executed, "l1_sectors": "1"})
    (measured / "counters.csv").write_text(counters_file.csv_text(counted), encoding="utf-8")
    study = Study.of(results.load(measured), {})
    text = markdown.render(kernel_timings.page(study, study.tables[EXP01], None, "add_f32"), markdown.Place("../../", None))
    assert "| CUDA instructions | Vulkan instructions | Vulkan's code |" in text
    ends = [row.split(" | ")[-3:] for row in text.splitlines() if row.startswith("| add_f32 |")]
    assert ends[0] == ["81920", "90112", "this |"]
    assert ends[1][:2] == ["–", "–"], "counted without them"


def test_claims_on_the_page(measured: Path) -> None:
    study = Study.of(results.load(measured), {})
    claims = [SimpleNamespace(id=name, verdict="REFUTED", listed=listed) for name, listed in (("01.1a", ["add_f32"]), ("01.1b", ["copy_f32"]))]
    blocks = kernel_timings.page(study, study.tables[EXP01], SimpleNamespace(claims=claims), "add_f32")
    text = markdown.render(blocks, markdown.Place("../../", None))
    assert text.endswith(f" Claims: [01.1a](../../worklog/{EXP01}.md#claims) REFUTED.")


def test_the_worklog_names_the_pairs_and_how_to_make_their_pages(measured: Path) -> None:
    assert worklog.main([str(measured)]) == 0
    text = (measured / f"worklog/{EXP01}.md").read_text(encoding="utf-8")
    assert "| add_f32 | 3 | 1.030 | 1.030 | 3 SLOWER | 3 more |" in text
    assert "| add_f32.disabled | 1 | 1.000 | 1.000 | 1 SAME | 3 more |" in text
    assert "scripts/dump_sass.py --pages --kernel NAME --out DIR" in text


def test_a_page_whose_times_are_old_is_found(measured: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert worklog.main([str(measured)]) == 0
    path = measured / "sass" / EXP01 / "add_f32.md"
    path.write_text(path.read_text(encoding="utf-8").replace("0.1030", "0.1040"), encoding="utf-8")
    capsys.readouterr()
    assert worklog.main(["--check", str(measured)]) == 1
    assert str(path) in capsys.readouterr().out
