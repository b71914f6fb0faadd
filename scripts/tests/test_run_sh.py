"""scripts/run.sh against stand-in programs: what it passes on, counts, reports, and how it fails."""

import json
import lzma
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import textwrap
import time

import pytest
import synthetic
from benchlib.results import schema

SCRIPTS = pathlib.Path(__file__).resolve().parents[1]

# A stand-in for an experiment: appends its arguments to calls.log, writes a result file, and exits as told.
PROGRAM = """\
#!/usr/bin/env bash
if [[ $1 == --print-slug ]]; then echo "{slug}"; exit; fi
if [[ $1 == --print-board ]]; then echo a8c22efc; exit; fi
echo "${{0##*/}} $*" >>"{log}"
while [[ $1 != --csv ]]; do shift; done
header={header}
row() {{ printf '2,%s,%s,vulkan,%s,%s,{empty}%s,a8c22efc-1111-2222-3333-444444444444,,,unknown,2026-01-01T00:00:00Z\\n' "${{0##*/}}" "$1" "$2" "${{3:-}}" "${{4:-}}"; }}
whole() {{ echo "$header" && row a ok && row b ok && row c skipped $'"no, not\\nhere"'; }}
echo {sidecar} >"${{2%.csv}}.schema.json"
whole >"$2"
if (({code} == 1)); then row d failed wrong >>"$2"; fi
{body}
exit {code}
"""

PARTS = ("dump_sass", "counters", "worklog", "report")  # in their order
# A stand-in for one of those: appends its arguments to parts.log, and does as PART_<name> says: an exit code, or "hang".
PART = """\
import os, pathlib, sys, time
script = pathlib.Path(sys.argv[0])
root = script.parent.parent
with open(root / "parts.log", "a") as log:
    print(script.stem, *sys.argv[1:], file=log)
wish = os.environ.get("PART_" + script.stem, "0")
if wish == "hang":
    try:
        (root / "started").touch()
        time.sleep(20)
    except KeyboardInterrupt:
        sys.exit(130)
if wish != "0":
    print(script.stem + ".py: what is wrong", file=sys.stderr)
sys.exit(int(wish))
"""
# And for what says what is undecided: it copies the lists that a test has made, or fails.
UNDECIDED = """\
import pathlib, shutil, sys
shutil.copytree(pathlib.Path(sys.argv[0]).parent.parent / "lists", sys.argv[-1], dirs_exist_ok=True)
"""


@pytest.fixture
def suite(tmp_path, monkeypatch, runner_rooms, empty_jinja2):
    """A copy of the scripts, so that their results land in tmp_path, with stand-ins for the Python ones: see PART; and a program, exp01_add."""
    scripts = tmp_path / "scripts"
    scripts.mkdir()
    for name in ("lib.sh", "run.sh"):
        shutil.copy(SCRIPTS / name, scripts)
    shutil.copytree(runner_rooms, scripts / "benchlib")
    monkeypatch.setenv("PYTHONPATH", str(empty_jinja2))
    for name in PARTS:
        (scripts / f"{name}.py").write_text(PART)
    (scripts / "beside.py").write_text("import sys\nprint('beside', *sys.argv[1:])\n")
    (scripts / "undecided.py").write_text(UNDECIDED)
    (tmp_path / "bin").mkdir()
    add_program(tmp_path, "exp01_add")
    return tmp_path


def add_program(suite, name, code=0, body="", slug="nvidia-h200"):
    path = suite / "bin" / name
    sidecar = json.dumps({"schema": schema.SCHEMA, "experiment": name, "columns": [vars(column) for column in schema.COMMON]})
    header = schema.header(schema.COMMON)
    empty = "," * (header.index("gpu") - header.index("elements"))
    path.write_text(
        PROGRAM.format(slug=slug, log=suite / "calls.log", code=code, body=textwrap.dedent(body), header=",".join(header), empty=empty, sidecar=shlex.quote(sidecar))
    )
    path.chmod(0o755)


BOARD = "boards/a8c22efc"  # of the stand-ins
RUN = f"{BOARD}/run1"


def run(suite, *args, runs="1", code=None, **env):
    """`code`: how it has to end."""
    command = [str(suite / "scripts/run.sh"), "--bin", str(suite / "bin"), *(["--runs", runs] if runs else []), *args]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env={**os.environ, **env})
    assert code in (None, done.returncode), done.stdout + done.stderr
    return done


def calls(suite):
    return (suite / "calls.log").read_text().splitlines()


def parts(suite):
    return (suite / "parts.log").read_text().splitlines()


def rows(stdout):
    """The table at the end: by part, seconds and all that follows them."""
    _, _, table = stdout.partition("\npart ")
    found = {}
    for line in table.splitlines()[1:]:
        if match := re.match(r"(.{28}) .{6} .{6} .{7} +(\d+)(?:  (.*))?$", line):
            found[match[1].strip()] = (int(match[2]), match[3] or "")
    return found


def call(name, out):
    """The program's first run, without the user's options."""
    return f"{name} --csv {out}/{RUN}/{name}.csv --seed 1 --shuffle --checksums {out}/{RUN}/{name}.checksums"


def test_results_of_a_gpu_go_to_results(suite):
    result = run(suite, code=0)
    out = suite / "results/nvidia-h200"
    assert calls(suite) == [call("exp01_add", out)]
    assert parts(suite) == [
        f"dump_sass --listings-only --bin {suite}/bin --out {out}",
        f"counters --bin {suite}/bin --out {out} --verified {out}/{RUN}",
        f"worklog {out}",
        f"report {out}",
    ]
    assert re.search(rf"^exp01_add +2      0       1       0  results/nvidia-h200/{BOARD}/run\*/exp01_add.csv$", result.stdout, re.MULTILINE)
    assert "\nRead next: results/nvidia-h200/worklog.md, or in a browser results/nvidia-h200/report.html\n" in result.stdout


def test_results_of_a_software_device_stay_in_build(suite):
    add_program(suite, "exp01_add", slug="llvmpipe")
    run(suite, code=0)
    assert (suite / f"build/results/llvmpipe/{RUN}/exp01_add.csv").exists()
    assert not (suite / "results/llvmpipe").exists()
    # It has neither machine code nor counters.
    assert [line.split()[0] for line in parts(suite)] == ["worklog", "report"]


def test_a_quick_run_has_neither_machine_code_nor_counters(suite):
    run(suite, "--quick", "--out", str(suite / "elsewhere"), code=0)
    assert calls(suite) == [f"{call('exp01_add', suite / 'elsewhere')} --quick"]
    assert [line.split()[0] for line in parts(suite)] == ["worklog", "report"]


@pytest.mark.parametrize(
    ("only", "targets"),
    [((), ""), (("exp06",), " --target exp06_litmus exp06_scopes"), (("exp06_scopes", "exp01"), " --target exp01_add exp06_scopes")],
)
def test_what_is_not_asked_for_is_not_built(suite, only, targets):
    for name in ("exp01_add", "exp06_litmus", "exp06_scopes"):
        add_program(suite, name)
        folder = suite / f"{name[:5]}_all" / name
        folder.mkdir(parents=True)
        (folder / "CMakeLists.txt").write_text(f"add_experiment(NAME {name})\n")
    (suite / "build/release").mkdir(parents=True)
    (suite / "build/release/bin").symlink_to(suite / "bin")
    (suite / "CMakeLists.txt").touch()
    (suite / "tools").mkdir()
    for path, text in ((suite / "scripts/setup.sh", ""), (suite / "tools/cmake", 'echo "$*" >>cmake.log\n')):
        path.write_text(f"#!/bin/bash\n{text}")
        path.chmod(0o755)
    command = [str(suite / "scripts/run.sh"), "--runs", "1", *(word for wish in only for word in ("--only", wish))]
    env = {**os.environ, "PATH": f"{suite}/tools:{os.environ['PATH']}"}
    subprocess.run(command, capture_output=True, text=True, timeout=60, check=True, env=env)
    assert (suite / "cmake.log").read_text() == f"--preset release\n--build --preset release{targets}\n"


FAILED_ROW = 'row d failed wrong >>"$2"'


@pytest.mark.parametrize(("code", "body", "args", "exit_code", "said"), [
    (1, 'echo "exp01_add: the disk is full" >&2', (), 1, "csv  (exit 1)"),
    (77, "", (), 0, "csv  (all skipped)"),
    (3, FAILED_ROW, (), 1, "csv  (the device was lost)"),
    (0, FAILED_ROW, ("--resume",), 1, "csv  (1 failed)"),  # one that is resumed may have nothing left to do, beside rows that failed
    (139, 'rm "$2"', (), 1, "csv  (ended by SIGSEGV)"),
])  # fmt: skip
def test_how_a_program_ends_is_told_and_the_others_run(suite, code, body, args, exit_code, said):
    add_program(suite, "exp01_add", code=code, body=body)
    add_program(suite, "exp03_memory")
    result = run(suite, *args, code=exit_code)
    (row,) = [line for line in result.stdout.splitlines() if line.startswith("exp01_add ") and "/" in line]
    assert row.endswith(said) and ("the disk is full\n" in result.stderr) == ("disk" in body)
    assert [line.split()[0] for line in calls(suite)] == ["exp01_add", "exp03_memory"]


def test_resuming_after_failures_reports_what_is_there_now(suite):
    add_program(suite, "exp01_add", code=1)
    run(suite, code=1)
    add_program(suite, "exp01_add")
    result = run(suite, "--resume")
    assert result.returncode == 0 and calls(suite)[1].endswith("--resume")
    assert re.search(r"^exp01_add +2      0       1 .*exp01_add.csv$", result.stdout, re.MULTILINE)


@pytest.mark.parametrize(("damage", "words"), [
    ("""printf '2,e' >>"$2" """, "the last line is cut short (no line end)"),
    ("""printf 'e,ok\n' >>"$2" """, "line 6: 2 fields, the header has 24"),
    ("""row e fine >>"$2" """, "line 6: status 'fine', none of ok, failed, skipped"),
    ("""row e ok | sed 's/,,,,/,,"1,5",,/' >>"$2" """, "line 6: elements is '1,5', not a whole number"),
    ("""row a ok >>"$2" """, "lines 2 and 6 are the same case"),
    (""": >"$2" """, "empty"),
])  # fmt: skip
def test_a_damaged_result_file_is_a_failure(suite, damage, words):
    add_program(suite, "exp01_add", body=damage)
    result = run(suite, PART_worklog="1", code=1)
    assert f"exp01_add.csv: {words}\n" in result.stderr
    assert "      -      -       -" in result.stdout and "(its file is damaged: see above)" in result.stdout
    assert "complete" not in result.stderr


def test_a_run_comes_after_all_of_the_one_before(suite):
    add_program(suite, "exp03_memory")
    result = run(suite, runs="2", code=0)
    folder = suite / "results/nvidia-h200" / BOARD
    assert calls(suite) == [
        f"{name} --csv {folder}/run{number}/{name}.csv --budget 0.04 --seed {number} --shuffle --checksums {folder}/run1/{name}.checksums"
        for number in (1, 2)
        for name in ("exp01_add", "exp03_memory")
    ]
    assert f"counters --bin {suite}/bin --out {suite}/results/nvidia-h200 --verified {folder}/run1" in parts(suite)
    # Two rows are ok in each run, and one is skipped.
    assert re.search(r"^exp01_add +4      0       2 ", result.stdout, re.MULTILINE)


@pytest.mark.parametrize(("args", "slug", "number"), [([], "nvidia-h200", 6), (["--quick"], "nvidia-h200", 1), ([], "llvmpipe", 1)])
def test_how_many_runs_there_are(suite, args, slug, number):
    add_program(suite, "exp01_add", slug=slug)
    run(suite, *args, runs="", code=0)
    assert len(calls(suite)) == number


def with_lists(suite):
    """Of three programs one that has an undecided case, one without any, and one of which nothing is known."""
    (suite / "lists").mkdir()
    for name, text in {"exp01_add": "variant\nb\n", "exp02_sets": "variant\n", "exp03_memory": ""}.items():
        add_program(suite, name, body=MEASURED)
        if text:
            (suite / f"lists/{name}.csv").write_text(text)


def again(suite):
    """What ran after the third run: the number, the program, whether some cases alone, whether as a part of an interrupted run."""
    found = [re.search(r"^(\w+) .*/run([4-9])/.*?( --cases /\S+/\1\.csv)?( --resume)?$", line) for line in calls(suite)]
    return [(match[2], match[1], bool(match[3]), bool(match[4])) for match in found if match]


@pytest.mark.parametrize(("args", "more"), [((), [("exp01_add", True), ("exp03_memory", False)]), (("--full",), [(name, False) for name in ("exp01_add", "exp02_sets", "exp03_memory")])])
def test_further_runs_measure_what_three_leave_undecided(suite, args, more):
    with_lists(suite)
    result = run(suite, "--full", runs="4", code=0)
    (suite / "calls.log").unlink()
    result = run(suite, "--replace", *args, runs="5", code=0)
    assert again(suite) == [(number, name, some, False) for number in "45" for name, some in more] and len(calls(suite)) == 9 + 2 * len(more)
    assert ("further runs measure what 3 leave undecided: 1 rows; 1 of 3 programs have none\n" in result.stderr) == (not args)
    assert ("run4/exp02_sets.csv" in tree(suite)) == bool(args)  # nothing is left of the older set


def test_a_run_of_some_cases_is_resumed_as_one(suite):
    with_lists(suite)
    add_program(suite, "exp01_add", body=f'[[ $2 != */run4/* || -e {suite}/no ]] || {{ touch {suite}/no {suite}/started; trap "exit 130" INT; for i in {{1..200}}; do sleep 0.05; done; }}')
    assert interrupt(suite, signal.SIGINT, "--runs", "4")[0] == 130 and again(suite) == [("4", "exp01_add", True, False)]
    run(suite, "--resume", runs="4", code=0)
    assert again(suite)[1:] == [("4", "exp01_add", True, True), ("4", "exp03_memory", False, False)]


CHECKSUMS = """\
    sums=${3:-} k=0
    for word in "$@"; do if [[ $word == --checksums ]]; then k=1; elif ((k == 1)); then sums=$word k=2; fi; done
    if ((k == 2)); then
      echo "${0##*/} $([[ -e $sums ]] && cat "$sums" || echo none)" >>"$(dirname "$0")/../sums.log"
      [[ -e $sums ]] || echo noted >"$sums"
    fi
"""


def test_the_first_run_verifies_in_full_and_the_others_by_its_checksums(suite):
    add_program(suite, "exp01_add", body=CHECKSUMS)
    for replace in ([], ["--replace"]):  # a new set begins with a run that is verified in full
        run(suite, *replace, runs="3", code=0)
        assert (suite / "sums.log").read_text().split("\n")[:-1] == ["exp01_add none", "exp01_add noted", "exp01_add noted"]
        (suite / "sums.log").unlink()
    run(suite, "--resume", runs="3", code=0)
    assert (suite / "sums.log").read_text() == "exp01_add noted\n" * 3
    (suite / "sums.log").unlink()
    run(suite, "--replace", runs="1", code=0)
    assert (suite / "sums.log").read_text() == "exp01_add none\n"


def test_ones_own_budget_and_seed(suite):
    run(suite, "--", "--budget=2", "--seed", "7", runs="2", code=0)
    assert all(re.search(r"\.csv --shuffle --checksums \S+/run1/exp01_add\.checksums --budget=2 --seed 7$", line) for line in calls(suite))


def test_fewer_runs_leave_none_of_an_earlier_measurement(suite):
    add_program(suite, "exp03_memory")
    run(suite, runs="3")
    run(suite, "--replace", "--only", "exp01", runs="2", code=0)
    folder = suite / "results/nvidia-h200" / BOARD
    found = sorted(path.relative_to(folder).as_posix() for path in folder.glob("run*/*.csv"))
    assert found == [f"run{number}/{name}.csv" for number in (1, 2, 3) for name in ("exp01_add", "exp03_memory")][:-2] + ["run3/exp03_memory.csv"]


MEASURED = """\
    if [[ " $* " == *typo* ]]; then rm -f "$2"; echo "no variant typo" >&2; exit 1; fi
    echo sample >"${2%.csv}.samples.csv"
"""


def tree(suite):
    folder = suite / "results/nvidia-h200" / BOARD
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("exp*.csv*") if path.is_file()}


@pytest.mark.parametrize(
    "again", [[], ["--quick"], ["--quick", "--runs", "1"], ["--", "--variant", "typo"], ["--replace", "--", "--variant", "typo"], ["--only", "exp01"]]
)
def test_nothing_measured_is_deleted_unasked(suite, again):
    """By a run more, a typo in a program's options, a coarse run after a full one."""
    add_program(suite, "exp01_add", body=MEASURED)
    run(suite, runs="3", code=0)
    before = tree(suite)
    assert len(before) == 6
    result = run(suite, *again, runs="")
    assert result.returncode == 1 and tree(suite) == before, result.stderr
    if "--replace" not in again:
        assert "boards/a8c22efc has results of exp01_add, and nothing is changed" in result.stderr
        assert all(f"{word} " in result.stderr for word in ("--resume", "--replace", "--out DIR"))


def test_a_program_that_measured_nothing_is_no_obstacle(suite):
    """A start that failed, of one program of two."""
    add_program(suite, "exp01_add", code=1, body='echo "$header" >"$2"; exit 1')
    run(suite, code=1)
    add_program(suite, "exp01_add")
    assert run(suite).returncode == 0 and "exp01_add.csv" in "".join(tree(suite))


def test_runs_are_added_by_resume(suite):
    add_program(suite, "exp01_add", body=MEASURED)
    run(suite, runs="1", code=0)
    before = tree(suite)
    run(suite, "--resume", runs="3", code=0)
    assert len([name for name in tree(suite) if name.endswith("add.csv")]) == 3 and tree(suite)["run1/exp01_add.csv"] == before["run1/exp01_add.csv"]


def test_runs_that_were_packed_for_the_repository_are_gone_on_with(suite):
    add_program(suite, "exp01_add", body=MEASURED)
    run(suite, code=0)
    before, folder = tree(suite), suite / "results/nvidia-h200" / RUN
    packed = synthetic.pack_run(folder)
    for again in ([], ["--quick"]):
        assert "has results of exp01_add, and nothing is changed" in run(suite, *again, code=1).stderr and packed.is_file()
    run(suite, "--resume", runs="2", code=0)
    assert not packed.exists() and tree(suite)["run1/exp01_add.csv"] == before["run1/exp01_add.csv"] and "run2/exp01_add.csv" in tree(suite)
    synthetic.pack_run(folder)
    folder.mkdir()
    (folder / "exp01_add.csv").write_text("of another run\n")
    assert "of different runs: remove one of them" in run(suite, "--resume", code=1).stderr and packed.is_file()
    shutil.rmtree(folder)
    run(suite, "--replace", code=0)
    assert not packed.exists() and "run1/exp01_add.csv" in tree(suite) and "run2" not in str(tree(suite).keys())


@pytest.mark.parametrize(("again", "left"), [(["--", "--variant", "typo"], 1), (["--", "--describe"], 1), (["--only", "exp01"], 1), ([], 0)])
def test_the_boards_states_go_with_the_runs_that_are_replaced(suite, again, left):
    add_program(suite, "exp01_add", body=MEASURED)
    assert run(suite).returncode == 0
    old = "when,time,host,throttle_reasons\nbefore,2020-01-01T00:00:00Z,a,0\n"
    states = suite / "results/nvidia-h200" / BOARD / "board.csv"
    states.write_text(old)
    run(suite, "--replace", *again)
    assert states.read_text().count("2020-01-01") == left and states.read_text().count("\n") > 2


def test_what_is_replaced_stays_until_there_is_a_result(suite):
    """A program that is killed before its first result; and run.sh with it."""
    add_program(suite, "exp01_add", body=MEASURED)
    run(suite, runs="2", code=0)
    before = tree(suite)
    add_program(suite, "exp01_add", body='rm -f "$2"; kill -9 $PPID')  # and ends: what it holds is free for the next run
    assert run(suite, "--replace", runs="2").returncode != 0
    add_program(suite, "exp01_add", code=1, body=MEASURED)
    run(suite, "--", "--variant", "typo", code=1)
    assert tree(suite) == before
    add_program(suite, "exp01_add")
    run(suite, "--replace", runs="1", code=0)
    assert list(tree(suite)) == ["run1/exp01_add.csv"]


SAMPLES = 'echo sample >"${2%.csv}.samples.csv"'


def test_samples_are_packed_and_resume_unpacks_them(suite):
    add_program(suite, "exp01_add", body=SAMPLES)
    run(suite, code=0)
    folder = suite / "results/nvidia-h200" / RUN
    assert sorted(path.name for path in folder.glob("*.csv*")) == ["exp01_add.csv", "exp01_add.samples.csv.xz"]
    add_program(suite, "exp01_add", body='[[ $(<"${2%.csv}.samples.csv") == sample ]] || exit 9')
    run(suite, "--resume", code=0)
    run(suite, "--resume", code=0)
    add_program(suite, "exp01_add")
    assert run(suite, "--replace").returncode == 0  # afresh: nothing of the old ones
    assert [path.name for path in folder.glob("*.csv*")] == ["exp01_add.csv"]


def test_of_a_failed_run_nothing_is_packed(suite):
    add_program(suite, "exp01_add", code=1, body=SAMPLES)
    run(suite)
    assert (suite / "results/nvidia-h200" / RUN / "exp01_add.samples.csv").exists()


@pytest.mark.parametrize("named", [True, False])
def test_programs_are_those_of_bench_bin_or_of_an_unpacked_package(suite, named):
    """A package has no CMakeLists.txt; there is nothing to set up and to build."""
    if named:
        (suite / "bin").rename(suite / "mine")
    env = os.environ | ({"BENCH_BIN": str(suite / "mine")} if named else {})
    result = subprocess.run([suite / "scripts/run.sh", "--runs", "1"], capture_output=True, text=True, timeout=60, env=env)
    assert result.returncode == 0, result.stderr
    assert len(calls(suite)) == 1 and "set-up and build" not in result.stdout


def test_a_checkout_that_cannot_be_built_in_is_one_line(suite):
    """Read-only, or somebody else's: neither a line of bash's, nor an older build's log. Root may write everywhere, but into no folder that is a file."""
    (suite / "scripts/setup.sh").write_text("#!/bin/bash\n")
    (suite / "scripts/setup.sh").chmod(0o755)
    (suite / "CMakeLists.txt").touch()
    (suite / "exp01_add").mkdir()
    (suite / "exp01_add/CMakeLists.txt").write_text("add_experiment(NAME exp01_add)\n")
    (suite / "build").mkdir()
    (suite / "build/release").touch()
    (suite / "build/release.log").write_text("error: of an older build\n")
    result = subprocess.run([suite / "scripts/run.sh"], capture_output=True, text=True, timeout=60, env={**os.environ, "BENCH_BIN": ""})
    assert result.returncode == 1 and result.stderr.count("\n") == 1 and f"cannot write to {suite}/build" in result.stderr


def test_an_output_folder_that_cannot_be_written_stops_it_first(suite):
    (suite / "file").write_text("")
    result = run(suite, "--out", str(suite / "file/results"), code=1)
    assert result.stderr.startswith(f"run.sh: cannot write to {suite}/file/results:")
    assert result.stderr.count("\n") == 1
    assert not (suite / "calls.log").exists()


@pytest.mark.parametrize("args", [["--quik"], ["--out"], ["--out", "--no-build"], ["exp01"], ["--kernel", "x.toml", "--resume"]])
def test_usage_errors_are_one_line(suite, args):
    result = run(suite, *args, code=2)
    assert result.stderr.startswith("run.sh: ") and result.stderr.count("\n") == 1


@pytest.mark.parametrize(("program", "code", "words"), [
    (None, 1, "no experiment programs"),
    ("echo 'exp01_add: --foo: no such option' >&2; exit 2", 2, "exp01_add: --foo: no such option\n"),
    ("echo 'exp01_add: what is wrong' >&2; exit 1", 1, "exp01_add: what is wrong\nrun.sh: bin/exp01_add --print-slug failed (exit 1)\n"),
    ("echo ''", 1, "no device to run on"),
    ("echo none", 1, "no device to run on"),
])  # fmt: skip
def test_without_programs_or_a_device_nothing_is_written(suite, program, code, words):
    if program:
        (suite / "bin/exp01_add").write_text(f"#!/bin/bash\n{program}\n")
    else:
        (suite / "bin/exp01_add").unlink()
    result = run(suite, "--", "--foo")
    assert result.returncode == code and words in result.stderr
    assert [path.name for path in suite.iterdir() if path.is_dir()] == ["scripts", "bin"]


# ------------------------------------------------------------------------------------- machine code, counters, the pages


def test_only_what_ran_is_inspected(suite):
    for name in ("exp01_add", "exp03_memory"):
        add_program(suite, name)
    run(suite, "--only", "exp03", "--only", "exp01_add", "--", "--seed", "2", "--device=H200", code=0)
    out = suite / "results/nvidia-h200"
    assert parts(suite)[:2] == [
        f"dump_sass --listings-only --bin {suite}/bin --out {out} --only exp03 --only exp01_add --device H200",
        f"counters --bin {suite}/bin --out {out} --verified {out}/{RUN} --only exp03 --only exp01_add -- --seed 2 --device=H200",
    ]


@pytest.mark.parametrize(("code", "exit_code", "shown"), [("1", 1, "(exit 1)"), ("77", 0, "(not done: see above)")])
@pytest.mark.parametrize(("part", "name"), zip(PARTS, ["machine code", "counters", "worklog", "report"], strict=True), ids=PARTS)
def test_a_part_that_fails_or_lacks_a_tool_is_not_the_end(suite, part, name, code, exit_code, shown):
    result = run(suite, **{f"PART_{part}": code})
    assert result.returncode == exit_code and f"{part}.py: what is wrong\n" in result.stderr
    assert rows(result.stdout)[name][1].endswith(shown)
    assert [line.split()[0] for line in parts(suite)] == list(PARTS)
    recommended = result.stdout.partition("\nRead next: ")[2]
    assert ("worklog.md" in recommended) == (part != "worklog") and ("report.html" in recommended) == (part != "report")


def start(suite, *args, **env):
    """Starts run.sh, and returns its process as soon as somebody has touched `started`."""
    command = [str(suite / "scripts/run.sh"), "--runs", "1", *args]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **env})
    deadline = time.monotonic() + 30
    while not (suite / "started").exists():
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.02)
    (suite / "started").unlink()
    return process


def interrupt(suite, number, *args, **env):
    """Starts run.sh, sends it the signal as soon as somebody has touched `started`, and returns its exit code and output."""
    process = start(suite, "--bin", str(suite / "bin"), *args, **env)
    process.send_signal(number)
    stdout, stderr = process.communicate(timeout=30)
    return process.returncode, stdout, stderr


@pytest.mark.parametrize("part", PARTS)
def test_interrupted_after_measuring(suite, part):
    code, stdout, stderr = interrupt(suite, signal.SIGINT, **{f"PART_{part}": "hang"})
    assert code == 130 and "(interrupted)" in stdout and "--resume" in stderr and "Traceback" not in stderr
    assert [line.split()[0] for line in parts(suite)] == list(PARTS[: PARTS.index(part) + 1])
    (suite / "parts.log").unlink()
    run(suite, "--resume", code=0)
    assert [line.split()[0] for line in parts(suite)] == list(PARTS)
    assert [line.endswith("--resume") for line in calls(suite)] == [False, True]


# A stand-in that measures three cases, one after the other, and with --resume those that its file lacks.
CASES = """\
[[ " $* " == *" --resume "* ]] || echo "$header" >"$2"
trap 'exit 130' INT
for case in a b c; do
  if ! grep -q ",$case,vulkan," "$2"; then
    if [[ $case == {stop} && ! -e {root}/stopped ]]; then
      touch {root}/stopped {root}/started
      for ((i = 0; i < 200; i++)); do sleep 0.05; done
    fi
    echo "${{0##*/}} $case" >>{root}/measured.log
    row $case ok >>"$2"
  fi
done
"""


@pytest.mark.parametrize("where", range(3))
def test_an_interrupted_run_is_gone_on_with_where_it_stopped(suite, where):
    names = ("exp01_add", "exp02_sets", "exp03_memory")
    for place, name in enumerate(names):
        add_program(suite, name, body=CASES.format(stop="b" if place == where else "-", root=suite))
        program = suite / "bin" / name
        program.write_text("".join(line for line in program.open() if not line.startswith("whole >")))
    code, _, _ = interrupt(suite, signal.SIGINT)
    assert code == 130
    run(suite, "--resume", code=0)
    measured = (suite / "measured.log").read_text().splitlines()
    assert measured == [f"{name} {case}" for name in names for case in "abc"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_reaches_the_program_once_and_ends_the_run(suite, number):
    wait = """\
        trap 'echo signalled >>"%s"; exit 130' INT
        touch "%s"
        for ((i = 0; i < 200; i++)); do sleep 0.05; done
        """
    add_program(suite, "exp01_add", body=wait % (suite / "calls.log", suite / "started"))
    add_program(suite, "exp03_memory")
    code, stdout, stderr = interrupt(suite, number)
    assert code == 130
    assert calls(suite)[1:] == ["signalled"]
    assert "(interrupted)" in stdout
    assert "--resume" in stderr


# ------------------------------------------------------------------------------------------------ signals at any moment

# Hangs and ignores all signals that can be ignored, as does a process that it starts, in a session of its own.
STUBBORN = """\
#!/usr/bin/env bash
trap '' INT TERM HUP
setsid sleep 60 &
echo $$ $! >>"{root}/pids"
touch "{root}/started"
while :; do sleep 0.1; done
"""
MOMENTS = ["setup.sh", "cmake", "exp01_add --print-slug", "exp01_add --csv", *(f"{name}.py" for name in PARTS)]


def add_stubborn(suite, moment):
    """A suite that is set up, built, run and described by programs that do nothing, but for one, which is STUBBORN.
    Returns what run.sh's environment must have.
    """
    name, _, option = moment.partition(" ")
    (suite / "scripts/setup.sh").write_text("#!/bin/bash\n")
    (suite / "tools").mkdir()
    (suite / "tools/cmake").write_text("#!/bin/bash\n")
    (suite / "CMakeLists.txt").touch()
    (suite / "build/release").mkdir(parents=True)
    (suite / "build/release/bin").symlink_to(suite / "bin")
    stubborn = STUBBORN.format(root=suite)
    if option:
        program = suite / "bin" / name
        first, _, rest = program.read_text().partition("\n")
        body = stubborn.partition("\n")[2]
        program.write_text(f"{first}\nif [[ $1 == {option} ]]; then\n{body}fi\n{rest}")
    elif name.endswith(".py"):
        script = suite / "stubborn.sh"
        script.write_text(stubborn)
        (suite / "scripts" / name).write_text(f"import os\nos.execv('/bin/bash', ['bash', '{script}'])\n")
    else:
        (suite / ("tools" if name == "cmake" else "scripts") / name).write_text(stubborn)
    for path in (suite / "scripts/setup.sh", suite / "tools/cmake"):
        path.chmod(0o755)
    return {"PATH": f"{suite}/tools:{os.environ['PATH']}"}


def within(seconds):
    """A limit for a machine that has nothing else to do; on a busy one as much more."""
    return seconds * max(1, os.getloadavg()[0] / os.cpu_count())


def still_there(suite):
    return [pid for pid in (suite / "pids").read_text().split() if is_running(pid)]


def gone(suite):
    """Within two seconds."""
    deadline = time.monotonic() + within(2)
    while (left := still_there(suite)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not left


def is_running(pid):
    try:
        return pathlib.Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize(("moment", "number"), [(moment, signal.SIGTERM) for moment in MOMENTS] + [("exp01_add --csv", signal.SIGINT)])
def test_everything_is_gone_two_seconds_after_a_signal(suite, moment, number):
    process = start(suite, **add_stubborn(suite, moment))
    before = time.monotonic()
    process.send_signal(number)
    stdout, stderr = process.communicate(timeout=30)
    assert time.monotonic() - before < within(2)
    assert process.returncode == 130 and not still_there(suite)
    assert "interrupted" in stderr.splitlines()[-1]
    assert "failed" not in (stdout + stderr).replace(" failed skipped ", "")


@pytest.mark.parametrize("moment", ["setup.sh", "cmake", "exp01_add --csv", "report.py"])
def test_the_second_signal_ends_it_at_once(suite, moment):
    process = start(suite, **add_stubborn(suite, moment))
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    assert len(still_there(suite)) == 2
    before = time.monotonic()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert time.monotonic() - before < within(0.7)
    assert process.returncode == 130 and not still_there(suite)


@pytest.mark.parametrize(("moment", "closed"), [("cmake", ""), ("exp01_add --csv", ""), ("exp01_add --csv", "<&-"), ("counters.py", "")])
def test_nothing_outlives_a_run_sh_that_was_killed(suite, moment, closed):
    env = add_stubborn(suite, moment)
    script = suite / "scripts/run.sh"
    script.rename(suite / "scripts/the_run.sh")
    script.write_text(f'#!/bin/bash\nexec "${{0%/*}}/the_run.sh" "$@" {closed}\n')
    script.chmod(0o755)
    process = start(suite, **env)
    process.kill()
    process.communicate(timeout=30)
    assert gone(suite)


def test_what_a_part_leaves_behind_stays_after_an_ordinary_end(suite):
    """A compiler cache's server, say, is no business of run.sh."""
    add_program(suite, "exp01_add", body=f'setsid sleep 60 >/dev/null 2>&1 & echo $! >>"{suite}/pids"')
    run(suite, code=0)
    time.sleep(0.3)
    (pid,) = still_there(suite)
    os.kill(int(pid), signal.SIGKILL)


def test_a_program_that_is_resumed_with_a_packed_file_beside_the_unpacked_one(suite):
    """What an interrupted packing or unpacking leaves: one begins with the other, and the longer one is whole."""
    add_program(suite, "exp01_add", body=SAMPLES)
    run(suite, code=0)
    file = suite / "results/nvidia-h200" / RUN / "exp01_add.csv"
    whole = file.read_bytes()
    for there, packed in ((whole[:20], whole), (whole, whole[:20]), (whole, None)):
        file.write_bytes(there)
        data = lzma.compress(packed) if packed else b"cut short"
        file.with_name("exp01_add.csv.xz").write_bytes(data)
        add_program(suite, "exp01_add", body="")
        program = suite / "bin/exp01_add"
        program.write_text(program.read_text().replace("\nwhole >", f"\ncp \"$2\" '{suite}/seen'; whole >"))
        run(suite, "--resume", code=0)
        assert (suite / "seen").read_bytes() == whole
        assert not file.with_name("exp01_add.csv.xz").exists()
    other = lzma.compress(b"variant,status,reason\nz,ok,\n")
    file.with_name("exp01_add.csv.xz").write_bytes(other)
    before = file.read_bytes()
    result = run(suite, "--resume")
    assert result.returncode == 1 and "are of different runs: remove one of them" in result.stderr.splitlines()[-1]
    assert file.read_bytes() == before and file.with_name("exp01_add.csv.xz").read_bytes() == other


# ---------------------------------------------------------------------------------------------------------- hostile names

HOSTILE = [
    "$(touch PWNED)", "`touch PWNED`", "a[$(touch PWNED)]", "runruns[$(touch PWNED)]", "run$(touch PWNED)", "run7[$(touch PWNED)]",
    "runx[`touch PWNED`]", "; touch PWNED", "| touch PWNED", "&& touch PWNED", "run9 -o -exec touch PWNED", "--help", "-rf", "*",
    "run*", "run 8", "run08", "run\n9", "run\t9", "'\"; touch PWNED #", "${IFS}touch${IFS}PWNED", "%n%s", "\\x24(touch PWNED)",
    "run9;touch PWNED", "\udcff\udcfe",
]  # fmt: skip


def nothing_was_executed(suite):
    return not [path for path in suite.rglob("PWNED")] and not pathlib.Path("PWNED").exists()


def test_a_name_is_never_executed_nor_removed(suite):
    """Folders and files of those names beside the boards, the runs and the results, which arrive from others."""
    add_program(suite, "exp01_add", body=SAMPLES)
    run(suite, runs="2", code=0)
    out = suite / "results/nvidia-h200"
    kept = []
    for name in HOSTILE:
        for folder in (out / "boards", out / BOARD, out / RUN):
            (folder / name).mkdir()
            kept.append(folder / name / "exp01_add.csv")
        kept += [out / BOARD / f"f{name}", out / RUN / f"{name}.csv", out / RUN / f"{name}.samples.csv.xz"]
    for path in kept:
        path.write_text("kept")
    for arguments in (["--replace"], ["--resume"]):
        result = run(suite, *arguments)
        assert result.returncode == 0, result.stderr
        assert [path for path in kept if path.read_text() != "kept"] == []
    assert nothing_was_executed(suite)


@pytest.mark.parametrize("name", ["$(touch PWNED)", "a[$(touch PWNED)]", "; touch PWNED", "-rf", "run*", "run\n9", "'\"; touch PWNED #", "\udcff\udcfe"], ids=ascii)
def test_an_out_folder_of_any_name(suite, name):
    out = suite / "o" / name
    run(suite, "--out", str(out), "--no-tables", "--no-sass", "--no-counters", code=0)
    assert (out / RUN / "exp01_add.csv").is_file() and nothing_was_executed(suite)


@pytest.mark.parametrize("name", ["exp01_a[$(touch PWNED)]", "exp01_; touch PWNED", "exp01_*"])
def test_a_program_of_any_name(suite, name):
    add_program(suite, name)
    run(suite, code=0)
    assert (suite / "results/nvidia-h200" / RUN / f"{name}.csv").is_file() and nothing_was_executed(suite)


def test_what_another_python_was_told_changes_nothing(suite):
    add_program(suite, "exp01_add")
    (suite / "scripts/worklog.py").write_text("from benchlib.base import early\n")
    result = run(suite, PYTHONHOME="/nonexistent", PYTHONSAFEPATH="1")
    assert result.returncode == 0, result.stderr


def test_every_script_starts_through_a_link(suite, tmp_path):
    for real in (suite / "scripts/run.sh", *(SCRIPTS / name for name in ("setup.sh", "fleet.sh", "test.sh"))):
        (tmp_path / f"to_{real.name}").symlink_to(real)
        for command in ([f"./to_{real.name}", "--help"], ["sh", f"to_{real.name}", "--help"]):
            done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
            assert done.returncode == 0 and "Usage: scripts/" in done.stdout, done.stderr
        sourced = subprocess.run(["bash", "-c", f". ./to_{real.name}; false; echo a shell that goes on"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert sourced.stdout == "a shell that goes on\n" and sourced.stderr.count("\n") == 1


def test_a_run_folder_that_is_a_link_is_not_cleared(suite):
    run(suite, code=0)
    (suite / "elsewhere").mkdir()
    (suite / "elsewhere/exp01_add.csv").write_text("kept")
    (suite / "results/nvidia-h200" / BOARD / "run5").symlink_to(suite / "elsewhere")
    run(suite, "--replace", code=0)
    assert (suite / "elsewhere/exp01_add.csv").read_text() == "kept"


@pytest.mark.parametrize(("option", "word"), [("--print-slug", "a[$(touch PWNED)]"), ("--print-slug", "../../x"), ("--print-board", "x/y"), ("--print-board", "")])
def test_what_a_program_says_of_its_device_is_matched(suite, option, word):
    program = suite / "bin/exp01_add"
    program.write_text(f"#!/bin/bash\nif [[ $1 == {option} ]]; then printf '%s\\n' '{word}'; exit; fi\n" + program.read_text())
    result = run(suite)
    assert result.returncode == 1 and result.stderr.count("\n") == 1
    assert not (suite / "results").exists() and nothing_was_executed(suite)


# --------------------------------------------------------------------------------------------------- two runs, lost folders

ALONE = ("--no-tables", "--no-sass", "--no-counters")
WAITING = 'touch "{root}/started"; while [[ ! -e "{root}/go" ]]; do sleep 0.02; done'


@pytest.mark.parametrize(
    ("first", "second"),
    [(["--replace", "--runs", "2"], ["--resume"]), (["--replace", "--runs", "2"], ["--replace", "--only", "exp01"]), (["--replace", *ALONE], ["--resume", *ALONE])],
)
def test_a_second_run_on_the_same_results_is_refused_and_changes_nothing(suite, first, second):
    add_program(suite, "exp01_add", body=SAMPLES)
    run(suite, runs="3", code=0)
    add_program(suite, "exp01_add", body=WAITING.format(root=suite))
    process = start(suite, "--bin", str(suite / "bin"), *first)
    out = suite / "results/nvidia-h200"
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    result = run(suite, *second, runs="")
    after = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    (suite / "go").touch()
    _, stderr = process.communicate(timeout=30)
    assert process.returncode == 0, stderr
    assert result.returncode == 1 and f"another run.sh (process {process.pid} on " in result.stderr.splitlines()[-1]
    assert "nothing is changed" in result.stderr and after == before
    assert not list(out.rglob("run.lock"))
    run(suite, *second, runs="", code=0)


def test_boards_of_one_result_set_are_measured_at_once(suite):
    """Each without the pages, as a fleet's tasks."""
    alone = ["--no-tables", "--no-sass", "--no-counters"]
    add_program(suite, "exp01_add", body=WAITING.format(root=suite))
    process = start(suite, "--bin", str(suite / "bin"), *alone)
    program = suite / "bin/exp01_add"
    program.write_text(program.read_text().replace("a8c22efc", "b9d33f0d"))
    (suite / "go").touch()
    run(suite, *alone, code=0)
    process.communicate(timeout=30)
    assert process.returncode == 0
    assert sorted(path.name for path in (suite / "results/nvidia-h200/boards").iterdir()) == ["a8c22efc", "b9d33f0d"]


def test_the_lock_of_a_run_that_was_killed_is_free(suite):
    add_program(suite, "exp01_add", body=WAITING.format(root=suite))
    process = start(suite, "--bin", str(suite / "bin"))
    process.kill()
    process.communicate(timeout=30)
    add_program(suite, "exp01_add")
    deadline = time.monotonic() + within(3)
    while (result := run(suite, "--replace")).returncode and time.monotonic() < deadline:
        assert "another run.sh" in result.stderr
    assert result.returncode == 0


def test_another_gpus_folder_is_refused_before_measuring(suite):
    """Of one name but for what stands in brackets; also where --out names the folder."""
    slugs = ["amd-radeon-graphics-radv-rembrandt", "amd-radeon-graphics-radv-phoenix"]
    row = '{ echo "$header"; row a ok "" "AMD Radeon Graphics (RADV REMBRANDT)"; } >"$2"'
    add_program(suite, "exp01_add", slug=slugs[0], body=row)
    out = suite / "results" / slugs[0]
    assert run(suite).returncode == 0 and out.is_dir()
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    add_program(suite, "exp01_add", slug=slugs[1], body=row.replace("REMBRANDT", "PHOENIX"))
    program = suite / "bin/exp01_add"
    program.write_text(program.read_text().replace("a8c22efc", "b9d33f0d"))
    (suite / "calls.log").unlink()
    result = run(suite, "--resume", "--out", str(out))
    assert result.returncode == 1 and "has results of AMD Radeon Graphics (RADV REMBRANDT), and this GPU is amd-radeon-graphics-radv-phoenix" in result.stderr
    assert not (suite / "calls.log").exists() and before == {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    assert run(suite).returncode == 0 and (suite / "results" / slugs[1]).is_dir()
    add_program(suite, "exp01_add", slug="software-llvmpipe", body=row)
    result = run(suite, "--out", str(out))
    assert result.returncode == 1 and "and this GPU is software-llvmpipe" in result.stderr
    assert before == {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    add_program(suite, "exp01_add", slug=f"{slugs[0]}-x2", body=row)
    assert run(suite, "--resume", "--out", str(out)).returncode == 0, "two GPUs of this model"


def test_two_checkouts_do_not_measure_on_one_gpu_at_once(suite):
    """Into different folders, which no lock of a folder sees. A software device may: nobody reads its times."""
    add_program(suite, "exp01_add", body=WAITING.format(root=suite))
    process = start(suite, "--bin", str(suite / "bin"), "--out", str(suite / "one"))
    second = run(suite, "--out", str(suite / "two"))
    (suite / "cpu").mkdir()
    program = suite / "cpu/exp01_add"
    program.write_text((suite / "bin/exp01_add").read_text().replace("nvidia-h200", "software-llvmpipe"))
    program.chmod(0o755)
    (suite / "go").touch()
    software = run(suite, "--bin", str(suite / "cpu"), "--out", str(suite / "three"))
    process.communicate(timeout=30)
    assert process.returncode == 0 and software.returncode == 0, software.stderr
    assert second.returncode == 1 and "another run.sh measures on GPU a8c22efc" in second.stderr.splitlines()[-1]
    assert not list((suite / "two").rglob("*.csv"))
    run(suite, "--out", str(suite / "two"), code=0)


@pytest.mark.parametrize("closed", ["<&-", ">&-", "<&- >&- 2>&-", "2>/dev/full"])
def test_a_closed_stream_changes_nothing(suite, closed):
    """The watchdog's pipe took the number of the one that was closed."""
    command = f'"$@" {closed}'
    result = subprocess.run(
        ["bash", "-c", command, "bash", str(suite / "scripts/run.sh"), "--bin", str(suite / "bin"), "--runs", "1"], capture_output=True, text=True, timeout=60
    )
    assert result.returncode == 0 and "Traceback" not in result.stderr, result.stderr
    assert (suite / "results/nvidia-h200" / RUN / "exp01_add.csv").read_text().startswith("schema,experiment,variant,")
    assert ("Read next" in result.stdout) == (">&-" not in closed.replace("2>&-", ""))


@pytest.mark.parametrize("year", [1970, 2106])
def test_a_clock_in_another_century_is_refused_before_measuring(suite, monkeypatch, year):
    (suite / "clock").mkdir()
    (suite / "clock/sitecustomize.py").write_text(f"import time\nseconds = ({year} - 1970) * 31557000\nfirst = time.gmtime\ntime.gmtime = lambda *_: first(seconds)\n")
    monkeypatch.setenv("PYTHONPATH", f"{suite}/clock:{os.environ['PYTHONPATH']}")
    result = run(suite)
    assert result.returncode == 1 and f"the clock of this machine is in the year {year}" in result.stderr and result.stderr.count("\n") == 1
    assert not (suite / "results").exists() and not (suite / "calls.log").exists()


@pytest.mark.parametrize(
    "damage",
    ["rm -r {out}", "rm -r {board}/run1", "mv {board} {board}x", "mv {board} {board}x; cp -r {board}x {board}",
     "mv {board}/run1 {board}/run8; mkdir {board}/run1; cp {board}/run8/* {board}/run1", "rm {board}/run.lock",
     "rm {board}/run1/exp01_add.csv"],
)  # fmt: skip
def test_results_that_are_removed_or_replaced_during_a_run_end_it_with_one_line(suite, damage):
    out = suite / "results/nvidia-h200"
    add_program(suite, "exp01_add", body=damage.format(out=out, board=out / BOARD))
    add_program(suite, "exp03_memory")
    result = run(suite, code=1)
    said = [line for line in result.stderr.splitlines() if line.startswith("run.sh: ")]
    assert len(said) == 1 and ("was removed or replaced" in said[0] or "something removed it" in said[0])
    assert said[0] == result.stderr.splitlines()[-1] and "Traceback" not in result.stderr
    assert len(calls(suite)) == 1 and not (suite / "parts.log").exists()


# Of each sort: from a terminal, a fault, a pipe, a timer, a batch system, a user, the machine, real time.
SIGNALS = (signal.SIGHUP, signal.SIGQUIT, signal.SIGSEGV, signal.SIGKILL, signal.SIGPIPE, signal.SIGALRM, signal.SIGXCPU, signal.SIGUSR1, signal.SIGPWR, signal.SIGRTMAX)


@pytest.mark.parametrize("number", SIGNALS)
def test_no_signal_leaves_a_program_measuring(suite, number):
    body = f'echo $$ >"{suite}/pids"; touch "{suite}/started"; trap "exit 130" INT; for ((i = 0; i < 600; i++)); do sleep 0.05; done'
    add_program(suite, "exp01_add", body=body)
    process = start(suite, "--bin", str(suite / "bin"))
    process.send_signal(number)
    process.communicate(timeout=30)
    assert process.returncode != 0 and gone(suite)


# ----------------------------------------------------------------------------------------------- the board's state, the console


def test_who_no_longer_reads_the_output_ends_the_run(suite):
    add_program(suite, "exp01_add", body="sleep 0.5")
    command = f"{suite}/scripts/run.sh --bin {suite}/bin --runs 40 2>&1 | head -n 6 >/dev/null; exit ${{PIPESTATUS[0]}}"
    result = subprocess.run(["bash", "-c", command], timeout=30)
    assert result.returncode in (130, 141) and len(calls(suite)) < 10  # 141: the shell in front was still writing
