"""scripts/run.sh against stand-in programs: what it passes on, counts, reports, and how it fails."""

import os
import pathlib
import shutil
import signal
import subprocess
import textwrap
import time

import pytest

SCRIPTS = pathlib.Path(__file__).resolve().parents[1]

# A stand-in for an experiment: appends its arguments to calls.log, writes a result file, and exits as told.
PROGRAM = """\
#!/usr/bin/env bash
if [[ $1 == --print-slug ]]; then echo "{slug}"; exit; fi
echo "${{0##*/}} $*" >>"{log}"
while [[ $1 != --csv ]]; do shift; done
printf 'variant,status,reason\\na,ok,\\nb,ok,\\nc,skipped,"no, not\\nhere"\\nd,failed,wrong\\n' >"$2"
{body}
exit {code}
"""


@pytest.fixture
def suite(tmp_path):
    """A copy of the scripts, so that their results land in tmp_path, with a worklog.py and a report.py that only leave a trace."""
    scripts = tmp_path / "scripts"
    scripts.mkdir()
    for name in ("lib.sh", "run.sh"):
        shutil.copy(SCRIPTS / name, scripts)
    for maker, product in (("worklog", "worklog.md"), ("report", "report.html")):
        (scripts / f"{maker}.py").write_text(f"import sys\nopen(sys.argv[1] + '/{product}', 'w').close()\n")
    (tmp_path / "bin").mkdir()
    return tmp_path


def add_program(suite, name, code=0, body="", slug="nvidia-h200"):
    path = suite / "bin" / name
    path.write_text(PROGRAM.format(slug=slug, log=suite / "calls.log", code=code, body=textwrap.dedent(body)))
    path.chmod(0o755)


def run(suite, *args, **env):
    command = [str(suite / "scripts/run.sh"), "--bin", str(suite / "bin"), *args]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env={**os.environ, **env})


def calls(suite):
    return (suite / "calls.log").read_text().splitlines()


def test_results_of_a_gpu_go_to_results(suite):
    add_program(suite, "exp01_add")
    result = run(suite)
    assert result.returncode == 0, result.stderr
    assert calls(suite) == [f"exp01_add --csv {suite}/results/nvidia-h200/exp01_add.csv"]
    assert (suite / "results/nvidia-h200/worklog.md").exists()
    assert "exp01_add                         2      1       1  results/nvidia-h200/exp01_add.csv" in result.stdout
    assert (suite / "results/nvidia-h200/report.html").exists()
    assert "\nRead next: results/nvidia-h200/worklog.md, or in a browser results/nvidia-h200/report.html\n" in result.stdout


def test_results_of_a_software_device_stay_in_build(suite):
    add_program(suite, "exp01_add", slug="llvmpipe")
    assert run(suite).returncode == 0
    assert (suite / "build/results/llvmpipe/exp01_add.csv").exists()
    assert not (suite / "results/llvmpipe").exists()


def test_options_reach_every_program(suite):
    add_program(suite, "exp01_add")
    add_program(suite, "exp03_memory")
    out = suite / "elsewhere"
    result = run(suite, "--quick", "--out", str(out), "--", "--device", "1")
    assert result.returncode == 0, result.stderr
    assert calls(suite) == [f"{name} --csv {out}/{name}.csv --device 1 --quick" for name in ("exp01_add", "exp03_memory")]


def test_only_chooses_by_number_or_name(suite):
    for name in ("exp01_add", "exp03_memory", "exp06_litmus", "exp06_scopes"):
        add_program(suite, name)
    assert run(suite, "--only", "exp06", "--only", "exp01_add").returncode == 0
    assert [line.split()[0] for line in calls(suite)] == ["exp01_add", "exp06_litmus", "exp06_scopes"]


def test_only_an_unknown_experiment_is_a_usage_error(suite):
    add_program(suite, "exp01_add")
    result = run(suite, "--only", "exp0")
    assert result.returncode == 2
    assert result.stderr == "run.sh: no experiment exp0; there are: exp01_add (see --help)\n"


def test_a_failure_lets_the_others_run(suite):
    add_program(suite, "exp01_add", code=1)
    add_program(suite, "exp03_memory", code=77)
    result = run(suite)
    assert result.returncode == 1
    assert "exp01_add.csv  (exit 1)" in result.stdout
    assert "exp03_memory.csv  (all skipped)" in result.stdout


def test_all_skipped_is_no_failure(suite):
    add_program(suite, "exp01_add", code=77)
    assert run(suite).returncode == 0


def test_a_program_that_left_no_file_is_shown(suite):
    add_program(suite, "exp01_add", code=139, body='rm "$2"')
    result = run(suite)
    assert result.returncode == 1
    assert "-      -       -" in result.stdout


def test_repeat_comes_after_all_of_the_first(suite):
    add_program(suite, "exp01_add")
    add_program(suite, "exp03_memory")
    assert run(suite, "--repeat").returncode == 0
    folder = suite / "results/nvidia-h200"
    files = [line.split()[2] for line in calls(suite)]
    assert files == [f"{folder}{sub}/{name}.csv" for sub in ("", "/rerun") for name in ("exp01_add", "exp03_memory")]


def test_resume_is_passed_where_there_is_something_to_go_on_with(suite):
    add_program(suite, "exp01_add")
    run(suite, "--resume")
    run(suite, "--resume")
    assert [line.endswith("--resume") for line in calls(suite)] == [False, True]


def test_a_bench_bin_in_the_environment_is_used(suite):
    add_program(suite, "exp01_add")
    command = [str(suite / "scripts/run.sh")]
    env = {**os.environ, "BENCH_BIN": str(suite / "bin")}
    assert subprocess.run(command, capture_output=True, timeout=60, env=env).returncode == 0
    assert len(calls(suite)) == 1


def test_an_output_folder_that_cannot_be_written_stops_it_first(suite):
    add_program(suite, "exp01_add")
    (suite / "file").write_text("")
    result = run(suite, "--out", str(suite / "file/results"))
    assert result.returncode == 1
    assert result.stderr.startswith(f"run.sh: cannot write to {suite}/file/results:")
    assert result.stderr.count("\n") == 1
    assert not (suite / "calls.log").exists()


@pytest.mark.parametrize("args", [["--quik"], ["--out"], ["exp01"]])
def test_usage_errors_are_one_line(suite, args):
    result = run(suite, *args)
    assert result.returncode == 2
    assert result.stderr.startswith("run.sh: ") and result.stderr.count("\n") == 1


def test_no_programs(suite):
    result = run(suite)
    assert result.returncode == 1
    assert "no experiment programs" in result.stderr


@pytest.mark.parametrize("slug", ["", "none"])
def test_no_device(suite, slug):
    add_program(suite, "exp01_add", slug=slug)
    result = run(suite)
    assert result.returncode == 1
    assert "no device to run on" in result.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_reaches_the_program_once_and_ends_the_run(suite, number):
    wait = """\
        trap 'echo signalled >>"%s"; exit 130' INT
        touch "%s"
        for ((i = 0; i < 200; i++)); do sleep 0.05; done
        """
    add_program(suite, "exp01_add", body=wait % (suite / "calls.log", suite / "started"))
    add_program(suite, "exp03_memory")
    command = [str(suite / "scripts/run.sh"), "--bin", str(suite / "bin")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 30
    while not (suite / "started").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(number)
    stdout, stderr = process.communicate(timeout=30)
    assert process.returncode == 130
    assert calls(suite)[1:] == ["signalled"]
    assert "(interrupted)" in stdout
    assert "--resume" in stderr
