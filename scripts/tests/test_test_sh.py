"""scripts/test.sh: its command line, its counting, and that its checks can fail."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import pytest

SCRIPTS = pathlib.Path(__file__).resolve().parents[1]

CTEST = """<?xml version="1.0"?>
<testsuite name="Linux-g++" tests="4" failures="1" disabled="0" skipped="1">
<testcase name="Stats.Median" classname="Stats.Median" time="0.1" status="run"><system-out>ok</system-out></testcase>
<testcase name="Gpu.Copy" classname="Gpu.Copy" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/></testcase>
<testcase name="Csv.Quotes" classname="Csv.Quotes" status="fail"><failure message="Failed"/></testcase>
<testcase name="Missing.Program" classname="Missing.Program" status="notrun"/>
<testcase name="Cards/Lists.Fit/Card5  # GetParam() = 0x5644" classname="Cards/Lists.Fit/Card5  # GetParam() = 0x5644" status="notrun">
<skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/><system-out>[ RUN      ] Cards/Lists.Fit/Card5
a.cpp:1: Skipped
either will do

[  SKIPPED ]</system-out></testcase>
</testsuite>
"""

PYTEST = """<?xml version="1.0"?>
<testsuites><testsuite name="pytest">
<testcase classname="scripts.tests.test_a" name="test_one@test_a"/>
<testcase classname="scripts.tests.test_a" name="test_two"><skipped type="pytest.skip" message="no
GPU"/></testcase>
<testcase classname="" name="scripts.tests.test_b"><error message="collection failure"/></testcase>
</testsuite></testsuites>
"""


@pytest.fixture
def suite(tmp_path, monkeypatch):
    """A small repository with a copy of the scripts."""
    monkeypatch.delenv("BENCH_TIDY_CACHE", raising=False)
    (tmp_path / "scripts/tests").mkdir(parents=True)
    for name in ("lib.sh", "setup.sh", "test.sh", "junit_counts.py", "tidy.py"):
        shutil.copy(SCRIPTS / name, tmp_path / "scripts")
    return tmp_path


def run_steps(suite, *steps):
    return subprocess.run([suite / "scripts/test.sh", *steps], capture_output=True, text=True, timeout=120)


def junit_counts(tmp_path, text):
    path = tmp_path / "junit.xml"
    path.write_text(text)
    command = [sys.executable, str(SCRIPTS / "junit_counts.py"), str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def test_ctest_outcomes(tmp_path):
    assert junit_counts(tmp_path, CTEST) == [
        "passed\tStats.Median",
        "skipped\tGpu.Copy (SKIP_RETURN_CODE=77)",
        "failed\tCsv.Quotes",
        "failed\tMissing.Program",
        "skipped\tCards/Lists.Fit/Card5 (either will do)",
    ]


def test_pytest_outcomes(tmp_path):
    assert junit_counts(tmp_path, PYTEST) == ["passed\tscripts.tests.test_a.test_one", "skipped\tscripts.tests.test_a.test_two (no GPU)", "failed\tscripts.tests.test_b"]


def test_python_tests_are_counted_and_the_skipped_named(suite):
    (suite / "scripts/tests/test_three.py").write_text(
        "import pytest\ndef test_good(): pass\ndef test_bad(): assert False\n"
        "@pytest.mark.skip(reason='no GPU')\ndef test_idle(): pass\n")
    result = run_steps(suite, "python")
    assert result.returncode == 1
    assert "python: scripts.tests.test_three.test_idle (no GPU)" in result.stdout
    assert "python: scripts.tests.test_three.test_bad" in result.stdout
    assert result.stdout.splitlines()[-1] == "1 passed, 1 failed, 1 skipped"


@pytest.mark.parametrize(
    ("step", "tool", "path", "bad", "good"),
    [
        ("flake8", "flake8", "scripts/bad.py", "print(nothing)\n", "print(1)\n"),
        ("shell", "shellcheck", "scripts/bad.sh", "#!/bin/bash\nrm -rf $1/*\n", "#!/bin/bash\n"),
        ("format", "clang-format-14", "bad.cpp", "int  main( ) {return 0;}\n", "int main() { return 0; }\n"),
    ],
)
def test_a_linters_findings_fail(suite, step, tool, path, bad, good):
    if not shutil.which(tool):
        pytest.skip(f"no {tool}")
    for text, code in ((good, 0), (bad, 1)):
        (suite / path).write_text(text)
        assert run_steps(suite, step).returncode == code


def make_tidy_project(suite):
    """A source that reads headers, one of them by another. Returns what runs clang-tidy on it: how often it is called, and the count."""
    env = make_unit_and_tidy(suite, ctest="exit 0", clang_tidy=f"echo >>{suite}/calls; if grep -q bad {suite}/common/a.cpp; then exit 1; fi")
    (suite / "common/a.h").write_text("")
    (suite / "common/all.h").write_text('#pragma once\n#include "nested.h"\n')
    (suite / "common/nested.h").write_text("#pragma once\n")
    (suite / "common/a.cpp").write_text('#include "all.h"\n#include "a.h"\n')
    (suite / ".clang-tidy").write_text("Checks: '*'\n")

    def called():
        return (suite / "calls").read_text().count("\n") if (suite / "calls").exists() else 0

    def tidied(**more):
        before = called()
        result = subprocess.run([suite / "scripts/test.sh", "tidy"], capture_output=True, text=True, timeout=60, env=env | more, check=False)
        calls = called() - before
        assert result.stdout.startswith(f"\n== tidy\n{calls} of 1 files are new"), result.stdout + result.stderr
        return calls, result.stdout.splitlines()[-1].partition(",")[0]

    return tidied


COMPILER = pytest.mark.skipif(not shutil.which("g++"), reason="no g++")


@COMPILER
def test_tidy_keeps_what_passed_until_anything_changes(suite):
    tidied = make_tidy_project(suite)
    assert tidied() == (1, "1 passed") and tidied() == (0, "1 passed")
    for path, text in (
        ("common/a.h", "int a;\n"), ("common/nested.h", "#pragma once\nint b;\n"), ("common/a.h", "int a;  // NOLINT\n"), ("common/a.h", "#define A\nint a;\n"),
        ("common/a.cpp", '#include "a.h"\n\nint c;\n'), (".clang-tidy", "Checks: ''\n"),
    ):
        (suite / path).write_text(text)
        assert tidied() == (1, "1 passed") and tidied() == (0, "1 passed"), path
    for name, old, new in (("clang-tidy", "echo 14", "echo 15"), ("cmake", "-c ", "-DA -c ")):
        tool = suite / "tools" / name
        tool.write_text(tool.read_text().replace(old, new))
        assert tidied() == (1, "1 passed") and tidied() == (0, "1 passed"), name
    (suite / "common/a.cpp").write_text("int bad;\n")
    assert tidied() == (1, "0 passed") == tidied()


@COMPILER
def test_tidy_reads_programs_of_experiments_together_and_by_themselves_where_something_is_found(tmp_path):
    """Each program has names in common with the other: files, macros, functions."""
    tidy = f"for path; do :; done; basename $path >>{tmp_path}/calls; found=$(grep -Hrn bad $path ${{path%.cpp}} $PWD/common 2>/dev/null); if [[ $found ]]; then echo \"${{found%%:int*}}:1: error: bad\"; exit 1; fi; [[ $path != *together* ]] || exec g++ -std=c++20 -fsyntax-only $path"
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools/clang-tidy").write_text(f"#!/bin/bash\nif [[ $1 == --version ]]; then echo 14; exit; fi\n{tidy}\n")
    (tmp_path / "tools/clang-tidy").chmod(0o755)
    (tmp_path / ".clang-tidy").write_text("Checks: '*'\n")
    (tmp_path / "build").mkdir()
    commands = []
    for folder, number in (("exp01_x", 1), ("exp02_y", 2)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "params.h").write_text(f"#pragma once\n#include <string>\n#define SIZE {number}\nstruct Params {{\n  std::string text[SIZE];\n}};\n")
        (tmp_path / folder / "main.cpp").write_text('#include "params.h"\n#include <vector>\n\nnamespace {\n\nusing std::vector;\n\nvector<Params> all() { return {}; }\n'
                                                    f'static_assert(sizeof(Params) == {number} * sizeof(std::string));\n\n}}  // namespace\n\nint main() {{ return static_cast<int>(all().size()); }}\n')  # fmt: skip
        commands.append({"directory": str(tmp_path), "command": f"g++ -std=c++20 -I{tmp_path}/{folder} -c {tmp_path}/{folder}/main.cpp -o a.o", "file": f"{tmp_path}/{folder}/main.cpp"})
    (tmp_path / "build/compile_commands.json").write_text(json.dumps(commands))
    (tmp_path / "passed").mkdir()
    names = [f"{folder}/main.cpp" for folder in ("exp01_x", "exp02_y")]
    env = {**os.environ, "PATH": f"{tmp_path}/tools:{os.environ['PATH']}"}

    def tidied():
        (tmp_path / "calls").write_text("")
        command = [sys.executable, SCRIPTS / "tidy.py", "build", "passed", "junit.xml", *names]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, env=env, check=False)
        return done.returncode, (tmp_path / "calls").read_text().split(), done.stdout + done.stderr

    other, plain = tmp_path / names[1], (tmp_path / names[1]).read_text()
    assert tidied() == (0, ["together_0.cpp"], "2 of 2 files are new, or changed since they passed, or checked with such a file\n")
    assert tidied()[:2] == (0, [])
    for folder in ("exp01_x", "exp02_y"):  # both are new
        (tmp_path / folder / "params.h").write_text((tmp_path / folder / "params.h").read_text() + "\n")
    other.write_text(plain + "int bad;\n")
    code, calls, said = tidied()
    at = other.read_text().count("\n")
    assert code == 1 and calls == ["together_0.cpp", "main_1.cpp"] and said.partition("\n")[2] == f"FAILED   {names[1]}\n{names[1]}:{at}:1: error: bad\n"
    assert tidied()[:2] == (1, ["main_1.cpp"]), "the other one has passed"
    for folder, name in (("exp01_x", "main.cpp"), ("exp02_y", "params.h")):
        (tmp_path / folder / name).write_text((tmp_path / folder / name).read_text() + ("int bad;\n" if folder == "exp02_y" else "\n"))
    other.write_text(plain)
    assert tidied()[1] == ["together_0.cpp", "main_1.cpp"], "in a copy of its header"
    (tmp_path / "exp02_y/params.h").write_text((tmp_path / "exp02_y/params.h").read_text().replace("int bad;\n", ""))
    (tmp_path / "common").mkdir()
    (tmp_path / "common/h.h").write_text("int bad;\n")
    for name in names:
        (tmp_path / name).write_text('#include "../common/h.h"\n' + (tmp_path / name).read_text())
    for _ in range(2):
        code, calls, said = tidied()
        assert code == 1 and calls == ["together_0.cpp", "main_0.cpp"], "one finds it, and none passes"
        assert f"FAILED   {names[0]}\n{tmp_path}/common/h.h:1:1: error: bad\nFAILED   {names[1]}\nwhich read" in said
    shutil.rmtree(tmp_path / "common")
    for name in names:
        (tmp_path / name).write_text((tmp_path / name).read_text().partition("\n")[2])
    other.write_text(plain.replace("using std::vector;", "using std::vector;\nusing std::string;"))
    assert tidied()[0] == 0, "std::string is a use"
    other.write_text(plain.replace("using std::vector;", "using std::vector;\nusing std::wstring;"))
    for _ in range(2):
        assert (tidied()[0], tidied()[2].splitlines()[-1]) == (1, f"{names[1]}:7: error: using decl 'wstring' is unused")


def test_after_a_failed_build_what_needs_it_does_not_run(suite):
    (suite / "CMakePresets.json").write_text("{")
    result = run_steps(suite, "build", "unit", "smoke", "tidy", "format")
    assert result.returncode == 1
    assert "unit     not run" in result.stdout
    assert "smoke    not run" in result.stdout
    assert "format   pass" in result.stdout


ALL_CHANGED = "1 of 1 files are new, or changed since they passed, or checked with such a file\n"
WAIT = "for _ in {{1..200}}; do [[ -e {0}/{1} ]] && break; sleep 0.05; done; [[ -e {0}/{1} ]] || exit 9"


def make_unit_and_tidy(suite, *, ctest, clang_tidy):
    """What the steps unit and tidy need, with bodies of these two tools."""
    (suite / "build/ci").mkdir(parents=True)
    (suite / "common").mkdir()
    (suite / "common/a.cpp").write_text("")
    (suite / "tools").mkdir()
    (suite / "unit.xml").write_text(CTEST)
    command = json.dumps([{"directory": str(suite), "command": f"g++ -c {suite}/common/a.cpp -o a.o", "file": f"{suite}/common/a.cpp"}])
    configure = f"mkdir -p {suite}/build/tidy; echo '{command}' >{suite}/build/tidy/compile_commands.json"
    for name, body in (("ctest", ctest), ("clang-tidy", clang_tidy), ("cmake", configure)):
        (suite / "tools" / name).write_text(f"#!/bin/bash\nif [[ $1 == --version ]]; then echo 14; exit; fi\n{body}\n")
        (suite / "tools" / name).chmod(0o755)
    return {**os.environ, "PATH": f"{suite}/tools:{os.environ['PATH']}"}


NEAR = ["--preset ci", "--build --preset ci --target exp01_x/all exp01_x_cases_test"]


@pytest.mark.parametrize("steps, gpu, calls", [((), False, ["--preset ci -DBENCH_CUDA=OFF"]), ((), True, ["--preset ci -DBENCH_CUDA=ON"]),
                                               (("build",), False, ["--preset ci -DBENCH_CUDA=ON"]), (("exp01",), False, NEAR)])  # fmt: skip
def test_the_cuda_side_is_left_out_only_where_nothing_could_run_it_and_no_step_is_named(suite, steps, gpu, calls):
    """What comes after that is not waited for. An experiment is built alone, as the build was configured."""
    (suite / "tools").mkdir()
    (suite / "exp01_x").mkdir()
    (suite / "exp01_x/CMakeLists.txt").write_text("add_experiment(NAME exp01_x\n")
    for name, body in (("cmake", f'echo "$@" >>{suite}/configured; [ "$1" = --preset ]'), ("nvidia-smi", f"exit {0 if gpu else 9}")):
        (suite / "tools" / name).write_text(f"#!/bin/sh\n{body}\n")
        (suite / "tools" / name).chmod(0o755)
    (suite / "scripts/setup.sh").write_text("#!/bin/sh\n")
    env = {**os.environ, "PATH": f"{suite}/tools:{os.environ['PATH']}"}
    run = subprocess.Popen([suite / "scripts/test.sh", *steps], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env, start_new_session=True)
    assert seen(lambda: (suite / "configured").exists() and (suite / "configured").read_text().count("\n") >= len(calls))
    os.killpg(run.pid, signal.SIGTERM)
    run.wait(30)
    assert (suite / "configured").read_text().splitlines()[: len(calls)] == calls


@pytest.mark.parametrize("steps", [("unit", "tidy", "smoke"), ("tidy", "unit", "smoke")])
def test_unit_runs_beside_tidy_and_says_so_after_it(suite, steps):
    ctest = f"touch {suite}/u; {WAIT.format(suite, 't')}; echo said by unit; cp {suite}/unit.xml {suite}/build/ci/unit.xml; exit 8"
    tidy = f"touch {suite}/t; {WAIT.format(suite, 'u')}; sleep 0.3; echo said by tidy; exit 1"
    env = make_unit_and_tidy(suite, ctest=ctest, clang_tidy=tidy)
    result = subprocess.run([suite / "scripts/test.sh", *steps], capture_output=True, text=True, timeout=60, env=env)
    assert result.returncode == 1
    sections = dict(part.split("\n", 1) for part in result.stdout.split("\n== ")[1:])
    assert list(sections) == ["tidy", "unit", "smoke", "summary"] and result.stderr == ""
    assert sections["tidy"] == f"{ALL_CHANGED}FAILED   common/a.cpp\nsaid by tidy\n" and sections["unit"] == "said by unit\n"
    failed = sections["summary"].partition("failed:\n")[2]
    assert failed.startswith("  tidy: common/a.cpp\n  unit: Csv.Quotes\n  unit: Missing.Program\n")
    assert [line.split()[:2] for line in sections["summary"].splitlines()[:2]] == [["tidy", "FAIL"], ["unit", "FAIL"]]
    assert sections["summary"].splitlines()[-1] == "1 passed, 4 failed, 2 skipped"
    (suite / "unit.xml").write_text(CTEST.replace('<failure message="Failed"/>', "").replace("fail", "run").replace("notrun", "run"))
    for name in ("ctest", "clang-tidy"):
        path = suite / "tools" / name
        path.write_text(path.read_text().replace("exit 8", "exit 0").replace("exit 1", "exit 0"))
    result = subprocess.run([suite / "scripts/test.sh", "unit", "tidy"], capture_output=True, text=True, timeout=60, env=env)
    assert result.returncode == 0 and result.stdout.splitlines()[-1] == "4 passed, 0 failed, 2 skipped"


def test_a_step_beside_another_that_dies_is_a_failure(suite):
    env = make_unit_and_tidy(suite, ctest="kill -KILL $PPID", clang_tidy="exit 0")
    result = subprocess.run([suite / "scripts/test.sh", "unit", "tidy"], capture_output=True, text=True, timeout=60, env=env)
    assert result.returncode == 1
    assert "  unit: the step ended with 137\n" in result.stdout and result.stdout.splitlines()[-1] == "1 passed, 1 failed, 0 skipped"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_step_beside_another_ends_with_the_script(suite, number):
    env = make_unit_and_tidy(suite, ctest=f"echo $$ >{suite}/u; exec sleep 60", clang_tidy=f"{WAIT.format(suite, 'u')}; touch {suite}/t; sleep 2")
    run = subprocess.Popen([suite / "scripts/test.sh", "unit", "tidy"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env, start_new_session=True)
    assert seen(lambda: (suite / "t").exists())
    os.killpg(run.pid, number)
    assert run.wait(30) != 0
    process = pathlib.Path("/proc", (suite / "u").read_text().strip(), "stat")
    assert seen(lambda: not process.exists() or process.read_text().rpartition(")")[2].split()[0] == "Z")


def seen(what):
    """Whether it comes true within 20 s."""
    until = time.monotonic() + 20
    while not what() and time.monotonic() < until:
        time.sleep(0.05)
    return what()


def test_smoke_runs_every_program_and_names_the_skipped(suite):
    programs = suite / "build/ci/bin"
    programs.mkdir(parents=True)
    for name, code in (("exp01_good", 0), ("exp02_idle", 77), ("exp03_bad", 1)):
        (programs / name).write_text(f'#!/bin/bash\necho "{name} $*" >>{suite}/calls.log\nexit {code}\n')
        (programs / name).chmod(0o755)
    result = run_steps(suite, "smoke")
    assert result.returncode == 1
    assert "  smoke: exp02_idle\n" in result.stdout
    assert result.stdout.splitlines()[-1] == "1 passed, 1 failed, 1 skipped"
    assert sorted((suite / "calls.log").read_text().splitlines())[0] == f"exp01_good --smoke --validate --csv {suite}/build/ci/smoke/exp01_good.csv"
