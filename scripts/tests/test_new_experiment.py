"""new_experiment.py and new_variant.py: CONTRIBUTING.md's own commands, followed in a copy of the repository, give a program that runs and verifies."""

from __future__ import annotations

import csv
import re
import shutil
import subprocess
from pathlib import Path

import new_experiment
import new_variant
import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOLS = all(shutil.which(tool) for tool in ("cmake", "ninja", "g++")) and shutil.which("glslangValidator")
QUESTION = "Does a copy cost the same?"
# Seconds in place of minutes: one side of the program, unoptimised, without the tests of the suite, and a dozen sources at once, for reading
# headers takes most of the time. So no two sources of a library may give a name of their own to different things.
QUICKLY = "-DBENCH_CUDA=OFF -DBENCH_TESTS=OFF -DCMAKE_CXX_FLAGS_RELEASE=-O0 -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON"
QUICKLY += " -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=12"
FETCHED = ROOT / "build/tools/vulkan/usr/include"  # Vulkan's headers, which a copy lacks
if FETCHED.is_dir():
    QUICKLY += f" -DBENCH_VULKAN_INCLUDE={FETCHED}"
BUILT = ROOT / "build/ci"  # what scripts/test.sh builds before these tests


def is_built(*names: str) -> bool:
    """Whether files of BUILT are there, and newer than all that they are made of."""
    made = [BUILT / name for name in names]
    sources = [ROOT / "CMakeLists.txt", *(path for folder in ("cmake", "common", "exp06_memory_model") for path in (ROOT / folder).rglob("*"))]
    return all(path.is_file() for path in made) and min(path.stat().st_mtime for path in made) > max(path.stat().st_mtime for path in sources)


def quickly() -> str:
    """Options of CMake: QUICKLY, and the libraries of BUILT in place of the copy's, if those are up to date."""
    if not is_built(*(f"common/{room}/libbench_{room}.a" for room in ("core", "vulkan"))):
        return QUICKLY
    return f"{QUICKLY} -DCMAKE_PROJECT_INCLUDE={ROOT}/scripts/tests/built_libraries.cmake -DBENCH_BUILT={BUILT}"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The repository without what is built and without history, and of each board one run: its pages then show less, and take a third of the
    time. Samples stay out, which nothing here reads.
    """
    root = tmp_path / "suite"
    shutil.copytree(ROOT, root, ignore=shutil.ignore_patterns(".git", "build*", "__pycache__", "*.samples.csv", "*.samples.csv.xz", "*.sass.xz", "run[2-9]*", "run1[0-9]*"))
    return root


@pytest.fixture
def listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What new_experiment.py itself reads of the repository: the list, the template, the experiments' names."""
    root = tmp_path / "suite"
    shutil.copytree(ROOT / "scripts/template", root / "scripts/template", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "CMakeLists.txt", root)
    for folder in ROOT.glob("exp[0-9][0-9]_*"):
        (root / folder.name).mkdir()
    monkeypatch.setattr(new_experiment, "ROOT", root)
    monkeypatch.setattr(new_experiment, "TEMPLATE", root / "scripts/template")
    return root


def written(title: str) -> list[list[str]]:
    """The lines of each code block in a section of CONTRIBUTING.md."""
    section = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition(f"## {title}\n")[2].partition("\n## ")[0]
    return [block.replace("\n    ", "\n").strip().splitlines() for block in re.findall(r"\n\n((?:    .*\n)+)", section)]


def follow(command: str, root: Path) -> None:
    done = subprocess.run(["bash", "-ec", command], cwd=root, capture_output=True, text=True, timeout=1800, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"


@pytest.mark.skipif(not TOOLS, reason="no cmake, ninja, g++ or glslangValidator here")
@pytest.mark.thorough
def test_the_commands_as_written(copy: Path) -> None:
    commands = written("Adding an experiment")[0]
    (name,) = re.findall(r"new_experiment\.py (\w+)", commands[0])
    follow("git init -q; git add -A; git -c user.name=x -c user.email=x@x commit -qm before", copy)
    for command in commands[:-1]:
        follow(f"{command} {quickly()}" if command.startswith("cmake --preset") else command, copy)
        # Nothing else of the repository knows of it; what is generated from all experiments comes last.
        assert set(subprocess.check_output(["git", "status", "--porcelain"], cwd=copy, text=True).splitlines()) == {" M CMakeLists.txt", f"?? {name}/"}, command
    follow("git diff --numstat CMakeLists.txt | grep -q '^1\t0\t'", copy)
    follow(commands[-1], copy)
    (result,) = copy.glob(f"build/results/*/{name}.csv")
    with open(result, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    ran = [row for row in rows if row["status"] == "ok"]
    assert not [row["reason"] for row in rows if row["status"] == "failed"]
    assert {row["variant"] for row in rows} == {"scale", "aa_control_a", "aa_control_b"}
    assert {row["api"] for row in rows} == {"cuda", "vulkan"}
    if "vulkan" not in {row["api"] for row in ran}:
        pytest.skip(f"no Vulkan device here: {rows[-1]['reason']}")
    assert all(float(row["device_ns"]) > 0 for row in ran)
    worklog = (result.parent / f"worklog/{name}.md").read_text(encoding="utf-8")
    assert f"# {name}\n" in worklog and "## Sizes\n\n| variant | block | elements |" in worklog
    number = name[3:5]
    if ran[0]["device_type"] != "cpu":  # whose times are drawn nowhere
        assert f"](../plots/exp{number}-sizes.svg)" in worklog
        assert "<svg" in (result.parent / f"plots/exp{number}-sizes.svg").read_text(encoding="utf-8")
        report = (result.parent / "report.html").read_text(encoding="utf-8")
        assert "<summary>Sizes</summary>" in report and "<figcaption>Bandwidth against size</figcaption>" in report
    assert f"\n{number}.1," in (copy / "results/nvidia-h200/claims.csv").read_text(encoding="utf-8")
    assert f"[{name}](../{name}/README.md)" in (copy / "docs/RESULTS.md").read_text(encoding="utf-8")
    assert "NOT MEASURED" in (copy / name / "README.md").read_text(encoding="utf-8")
    variant, (table,), claim, pages = written("Adding to an experiment")
    follow("\n".join(variant), copy)
    with open(result, newline="", encoding="utf-8") as file:
        assert {row["variant"] for row in csv.DictReader(file) if row["status"] == "ok"} >= {"scale", "scale_again"}
    analysis = copy / name / "analysis.py"
    analysis.write_text(analysis.read_text(encoding="utf-8").replace("sections=[", f"sections=[{table} ", 1), encoding="utf-8")
    with open(copy / name / "claims.toml", "a", encoding="utf-8") as file:
        file.write("\n".join(["", *claim, ""]))
    follow("\n".join(pages), copy)
    assert "## Again\n\n| " in (result.parent / f"worklog/{name}.md").read_text(encoding="utf-8")
    assert f"\n{number}.2," in (result.parent / "claims.csv").read_text(encoding="utf-8")
    assert f"\n{number}.2 0 " in (copy / "scripts/claims.lock").read_text(encoding="utf-8")
    if tool := shutil.which("clang-format-14"):
        sources = [path for path in (copy / name).rglob("*") if path.suffix in (".cpp", ".h", ".cu")]
        assert len(sources) == 4
        subprocess.run([tool, "--dry-run", "-Werror", *sources], cwd=copy, check=True)


def test_nothing_of_the_template_is_left(listed: Path) -> None:
    assert new_experiment.main(["exp11_two_words", QUESTION]) == 0
    texts = [path.read_text(encoding="utf-8") for path in sorted((listed / "exp11_two_words").rglob("*")) if path.is_file()]
    assert len(texts) == 9
    assert not [text for text in texts if re.search(r"exp00|EXP00|\b00\.1|template|the question\?", text)]
    assert sum(QUESTION in text for text in texts) == 3 and sum("exp11: two words" in text for text in texts) == 1
    lines = (listed / "CMakeLists.txt").read_text(encoding="utf-8").splitlines()
    assert lines[lines.index("add_subdirectory(exp11_two_words)") - 1] == "add_subdirectory(exp10_l2_halves)"
    assert not list(listed.glob(".exp11*"))


def test_one_more_program_of_an_experiment(listed: Path) -> None:
    folder = shutil.copytree(ROOT / "exp09_inside_a_workgroup", listed / "exp09_inside_a_workgroup", dirs_exist_ok=True)
    lists = {name: (folder / name).read_text(encoding="utf-8").splitlines() for name in ("CMakeLists.txt", "README.md")}
    assert new_experiment.main([f"{folder.name}/two_votes", QUESTION]) == 0
    texts = {path.name: path.read_text(encoding="utf-8") for path in sorted((folder / "two_votes").rglob("*")) if path.is_file()}
    assert "NAME exp09_two_votes" in texts["CMakeLists.txt"] and "EXP09_TWO_VOTES_PARAMS_H" in texts["params.h"] and '"exp09_kernels.h"' in texts["main.cpp"]
    assert f'id = "09.{1 + max(int(each) for each in re.findall(r"^09[.]([0-9]+)", (ROOT / "scripts/claims.lock").read_text(), re.MULTILINE))}"' in texts["claims.toml"]
    new = {name: [line for line in (folder / name).read_text(encoding="utf-8").splitlines() if line not in lines] for name, lines in lists.items()}
    assert new["README.md"] == ["| [two_votes](two_votes/README.md) | does a copy cost the same? | not measured |"] and new["CMakeLists.txt"][0].endswith(" two_votes)")


@pytest.mark.parametrize(
    ("name", "question", "message"),
    [
        ("exp7_x", QUESTION, "a name is exp, two digits"),
        ("exp11_X", QUESTION, "a name is exp, two digits"),
        ("exp11_../x", QUESTION, "a name is exp, two digits"),
        ("exp05_other", QUESTION, "exp05 is taken by exp05_strided"),
        ("exp05_strided/other", QUESTION, "exp05_strided: no experiment of several programs"),
        ("exp11_x", "No question", "ends with ?"),
        ("exp11_x", 'Is it "quoted"?', "plain text"),
        ("exp11_x", "Two\nlines?", "plain text"),
        ("exp11_x", "x" * 100 + "?", "101 characters"),
    ],
)
def test_what_it_refuses(listed: Path, capsys: pytest.CaptureFixture[str], name: str, question: str, message: str) -> None:
    before = {path: path.read_bytes() for path in listed.iterdir() if path.is_file()}
    folders = set(listed.iterdir())
    assert new_experiment.main([name, question]) == 2
    said = capsys.readouterr().err
    assert message in said and said.count("\n") == 1
    assert set(listed.iterdir()) == folders and {path: path.read_bytes() for path in before} == before


@pytest.mark.parametrize(
    ("arguments", "code", "more"),
    [
        (["read_soa_y", "--like", "read_soa_x", "the same"], 0, []),  # which a dictionary of analysis.py shows
        (["inner_vec4", "--like", "inner_vec2", "shown beside it"], 0, ["analysis.py"]),
        (["read_soa_y", "--like", "read_offset", "made by a loop"], 1, []),
        (["read_soa_y", "--like", "read_nothing", "not there"], 1, []),
        (["read_soa_x", "--like", "read_aos_x", "taken"], 2, []),
        (["read_soa_y", "--like", "read_soa_x", 'a "quoted" word'], 2, []),
    ],
)
def test_a_variant_of_exp03(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], code: int, more: list[str]) -> None:
    monkeypatch.setattr(new_variant, "ROOT", tmp_path)
    folder = shutil.copytree(ROOT / "exp03_memory_coalescing", tmp_path / "exp03_memory_coalescing")
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert new_variant.main([folder.name, *arguments]) == code
    after = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    changed = {path.name for path in after if after[path] != before.get(path)}
    assert changed == (set() if code else {f"{arguments[0]}.cu", f"{arguments[0]}.comp", "CMakeLists.txt", "main.cpp", "DESIGN.md", "summary.toml", *more})
