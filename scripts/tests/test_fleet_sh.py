"""scripts/fleet.sh against stand-ins for the programs, run.sh, Slurm and nvidia-smi: what each GPU's task is, and what two tasks of one get."""

import csv
import os
import pathlib
import shutil
import signal
import subprocess
import textwrap
import time

import pytest

SCRIPTS = pathlib.Path(__file__).resolve().parents[1]
GPUS = {"11111111-aaaa-bbbb-cccc-000000000001": "NVIDIA H200", "22222222-aaaa-bbbb-cccc-000000000002": "NVIDIA H200",
        "33333333-aaaa-bbbb-cccc-000000000003": "NVIDIA H100"}  # fmt: skip
CPU = "6d657361-3232-2e33-2e36-000000000000"
FIRST, SECOND, THIRD = GPUS

# Lists what CUDA_VISIBLE_DEVICES leaves of the GPUs, as the programs do, and the CPU's Vulkan.
PROGRAM = """\
#!/usr/bin/env bash
if [[ $1 == --print-slug ]]; then
  case $3 in 3*) echo nvidia-h100 ;; 6*) echo llvmpipe ;; *) echo nvidia-h200 ;; esac
  exit
fi
echo "cuda    vulkan  uuid                                  name"
at=0
while IFS=, read -r uuid name; do
  if [[ -z ${CUDA_VISIBLE_DEVICES:-} || $CUDA_VISIBLE_DEVICES == "GPU-$uuid" ]]; then
    echo "$at       -       $uuid  $name"
    at=$((at + 1))
  fi
done <"$(dirname "$0")/../gpus"
echo "-       0       6d657361-3232-2e33-2e36-000000000000  llvmpipe (LLVM 15.0.6, 256 bits)"
"""

# Appends its arguments to runs.log; does as the file of the board's name says.
RUN = """\
#!/usr/bin/env bash
root=$(dirname "$0")/..
echo "${CUDA_VISIBLE_DEVICES:-all} $*" >>"$root/runs.log"
while [[ $1 != --device ]]; do shift; done
if [[ -x $root/do-${2:0:8} ]]; then exec "$root/do-${2:0:8}"; fi
"""
NVIDIA_SMI = """\
#!/usr/bin/env bash
echo "$*" >>"{root}/nvidia-smi.log"
known=$(<"{root}/smi")
if [[ $* == *--display=MEMORY* ]]; then
  printf '    FB Memory Usage\\n        Total                             : 143771 MiB\\n'
  printf '    BAR1 Memory Usage\\n        Total                             : 262144 MiB\\n        Used                              : 3 MiB\\n'
  exit 0
fi
if [[ $known < 590 && $* == *clocks_event_reasons_counters* || $known < 535 && $* == *clocks_event_reasons* ]]; then
  echo 'Field "clocks_event_reasons.active" is not a valid field to query.'
  exit 2
fi
if [[ $known < 550 && $* == *inforom* ]]; then
  echo 'Field "inforom.img" is not a valid field to query.'
  exit 2
fi
printf 'NVIDIA H200, %s, 1980, 1980, 3201, 100.5, 700.00, 31, [N/A], 0, 2, 0x0000000000000000' "$known"
if [[ $* == *inforom* ]]; then printf ', 96.00.99, G520.0200, 0x18BE10DE'; fi
if [[ $* == *counters* ]]; then printf ', 5, 6, 7'; fi
if [[ $* == *mig.mode* ]]; then printf ', [Requested functionality has been deprecated], Enabled, Disabled'; fi
echo
"""


@pytest.fixture
def suite(tmp_path, runner_rooms):
    scripts = tmp_path / "scripts"
    scripts.mkdir()
    for name in ("lib.sh", "fleet.sh", "fleet.sbatch"):
        shutil.copy(SCRIPTS / name, scripts)
    shutil.copytree(runner_rooms, scripts / "benchlib")
    (tmp_path / "gpus").write_text("".join(f"{uuid},{name}\n" for uuid, name in GPUS.items()))
    add(scripts / "run.sh", RUN)
    add(tmp_path / "bin/exp01_add", PROGRAM)
    (tmp_path / "smi").write_text("580.1")
    add(tmp_path / "tools/nvidia-smi", NVIDIA_SMI.format(root=tmp_path))
    return tmp_path


def add(path, text):
    path.parent.mkdir(exist_ok=True)
    path.write_text(textwrap.dedent(text))
    path.chmod(0o755)


def start(suite, *args, **env):
    command = [str(suite / "scripts/fleet.sh"), *args]
    path = f"{suite}/tools:{os.environ['PATH']}"
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("SLURM", "SBATCH", "CUDA_VISIBLE"))}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**environment, "PATH": path, **env}, cwd="/")


def run(suite, *args, **env):
    process = start(suite, *args, **env)
    stdout, stderr = process.communicate(timeout=60)
    return process.returncode, stdout, stderr


def runs(suite):
    path = suite / "runs.log"
    return sorted(path.read_text().splitlines()) if path.exists() else []


def board(suite, uuid):
    gpu = "nvidia-h100" if uuid == THIRD else "nvidia-h200"
    return suite / "results" / gpu / "boards" / uuid[:8]


def states(suite, uuid):
    with open(board(suite, uuid) / "board.csv", newline="") as file:
        return list(csv.DictReader(file))


def test_every_gpu_of_a_host_is_measured_by_a_process_that_sees_no_other(suite):
    code, stdout, stderr = run(suite, "--local", "--quick", "--only", "exp01", "--", "--api", "cuda")
    assert code == 0, stderr
    common = "--resume --no-sass --no-counters --no-tables --quick --only exp01"
    assert runs(suite) == [f"GPU-{uuid} --bin {suite}/bin --out {board(suite, uuid).parents[1]} {common} -- --device {uuid} --api cuda" for uuid in GPUS]
    assert sorted(stdout.splitlines()) == [f"{uuid}: complete" for uuid in GPUS]


@pytest.mark.parametrize(("driver", "thermal_us", "vbios"), [("530.1", "", ""), ("540.1", "", ""), ("580.1", "", "96.00.99"), ("595.1", "6", "96.00.99")])
def test_a_boards_state_is_kept_before_and_after(suite, driver, thermal_us, vbios):
    (suite / "smi").write_text(driver)
    assert run(suite, "--local")[0] == 0
    before, after = states(suite, FIRST)
    assert (before["when"], after["when"]) == ("before", "after")
    assert after["host"] == os.uname().nodename and after["uuid"] == FIRST and after["vbios"] == vbios
    # What the driver does not know is empty. One from before 535 names throttling otherwise.
    assert (after["power_w"], after["memory_temperature_c"], after["ecc_uncorrected"], after["driver"]) == ("100.5", "", "2", driver)
    assert (after["throttle_reasons"], after["hw_thermal_us"]) == ("0x0000000000000000", thermal_us)
    # How the machine is set up. A driver that refuses another of the fields may still say it.
    settings = ("", "Enabled", "Disabled") if vbios else ("", "", "")
    assert (after["display"], after["ecc"], after["mig"], after["bar1_mib"]) == (*settings, "262144")
    assert f"--id=GPU-{FIRST} " in (suite / "nvidia-smi.log").read_text()


def test_a_task_takes_one_gpu(suite):
    code, _, stderr = run(suite, "--task")
    assert code == 1 and stderr.endswith("this task sees 3 GPUs: it takes one (sbatch --gres=gpu:1), or start with --local\n")
    assert runs(suite) == []


def test_two_tasks_of_one_gpu_at_once(suite):
    add(suite / f"do-{FIRST[:8]}", f"#!/bin/bash\ntouch '{suite}/started'; while [[ ! -e '{suite}/go' ]]; do sleep 0.05; done\n")
    one = {"CUDA_VISIBLE_DEVICES": f"GPU-{FIRST}", "SLURM_ARRAY_JOB_ID": "12", "SLURM_ARRAY_TASK_ID": "3", "SLURMD_NODENAME": "n7"}
    first = start(suite, "--task", **one)
    wait_for(suite / "started")
    code, _, stderr = run(suite, "--task", **one | {"SLURM_ARRAY_TASK_ID": "4"})
    (suite / "go").touch()
    assert first.communicate(timeout=30) and first.returncode == 0
    assert code == 1 and f"two tasks were given GPU {FIRST}: task 12_4 on n7, and task 12_3 on n7, which is measuring it" in stderr
    assert len(runs(suite)) == 1 and len(states(suite, FIRST)) == 2
    # One after the other.
    before = snapshot(board(suite, FIRST))
    code, _, stderr = run(suite, "--task", **one)
    assert code == 1 and f"GPU {FIRST} has been measured, by task 12_3 on n7: " in stderr
    assert len(runs(suite)) == 1 and snapshot(board(suite, FIRST)) == before


def snapshot(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def wait_for(path):
    deadline = time.monotonic() + 30
    while not path.exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_what_failed_is_named_and_gone_on_with(suite):
    add(suite / f"do-{SECOND[:8]}", "#!/bin/bash\nexit 1\n")
    code, stdout, _ = run(suite, "--local")
    assert code == 1 and f"{SECOND}: exit 1\n" in stdout and f"{FIRST}: complete\n" in stdout
    assert "run.sh failed (exit 1)" in (board(suite, SECOND) / "fleet.log").read_text()
    (suite / f"do-{SECOND[:8]}").unlink()
    (suite / "runs.log").unlink()
    code, stdout, stderr = run(suite, "--local")
    assert code == 1 and f"{SECOND}: complete\n" in stdout and stderr.count("has been measured") == 2
    assert [line.split()[0] for line in runs(suite)] == [f"GPU-{SECOND}"]


@pytest.mark.parametrize(("mode", "number"), [("--task", signal.SIGTERM), ("--task", signal.SIGUSR1), ("--task", signal.SIGXCPU), ("--local", signal.SIGTERM)])
def test_a_task_that_is_ended_is_not_complete_and_leaves_nothing_behind(suite, mode, number):
    hang = f"#!/bin/bash\ntrap 'exit 130' INT\necho $$ >>'{suite}/pid'\ntouch '{suite}/started'\nwhile :; do sleep 0.05; done\n"
    add(suite / f"do-{FIRST[:8]}", hang)
    process = start(suite, mode, **({"CUDA_VISIBLE_DEVICES": f"GPU-{FIRST}"} if mode == "--task" else {}))
    wait_for(suite / "started")
    process.send_signal(number)
    process.communicate(timeout=30)
    assert process.returncode == 130
    assert not (board(suite, FIRST) / "complete").exists()
    assert not pathlib.Path("/proc", (suite / "pid").read_text().split()[0]).exists()
    (suite / f"do-{FIRST[:8]}").unlink()
    assert run(suite, "--task", CUDA_VISIBLE_DEVICES=f"GPU-{FIRST}")[0] == 0


def test_a_node_without_a_driver_does_not_measure_its_cpu_instead(suite):
    (suite / "gpus").write_text("")
    code, _, stderr = run(suite, "--task")
    assert code == 1 and "no GPU on " in stderr and runs(suite) == []
    task = {"SLURMD_NODENAME": "n1", "CUDA_VISIBLE_DEVICES": "2"}
    assert run(suite, "--task", "--software", **task)[0] == 0
    assert (suite / f"results/llvmpipe/n1-2/boards/{CPU[:8]}/complete").exists()


def test_an_array_a_node_with_a_task_a_gpu(suite):
    add(suite / "tools/scontrol", "#!/bin/bash\nprintf '%s\\n' gpu01 gpu02\n")
    gres = {"gpu01": "gpu:h200:8(S:0-1),shard:4", "gpu02": "gpu:2"}
    for node, text in gres.items():
        (suite / node).write_text(text + "\n")
    add(suite / "tools/sinfo", f"#!/bin/bash\nfor word; do case $word in --nodes=*) cat '{suite}'/${{word#--nodes=}} ;; esac; done\n")
    add(suite / "tools/sbatch", f"#!/bin/bash\necho \"$PWD $*\" >>'{suite}/sbatch.log'\necho 77\n")
    code, stdout, stderr = run(suite, "--nodes", "gpu[01-02]", "--quick", "--sbatch", "--partition=x", "--", "--api", "cuda")
    assert code == 0, stderr
    assert stdout.startswith(f"gpu01: job 77, 8 tasks, {suite}/results/fleet-77_*.log\ngpu02: job 77, 2 tasks, ")
    first, second = (suite / "sbatch.log").read_text().splitlines()
    task = f"--partition=x {suite}/scripts/fleet.sbatch --out {suite}/results --bin {suite}/bin --quick -- --api cuda"
    where = f"--output={suite}/results/fleet-%A_%a.log"
    assert first == f"{suite} --parsable --nodelist=gpu01 --array=1-8 {where} {task}"
    assert "--nodelist=gpu02 --array=1-2 " in second
    (suite / "gpu02").write_text("(null)\n")
    code, _, stderr = run(suite, "--nodes", "gpu[01-02]")
    assert code == 1 and "node gpu02: Slurm knows of no GPU there" in stderr


def test_sbatch_runs_a_copy_of_the_task_from_elsewhere(suite):
    spool = suite / "spool"
    spool.mkdir()
    shutil.copy(suite / "scripts/fleet.sbatch", spool / "slurm_script")
    environment = {**os.environ, "SLURM_SUBMIT_DIR": str(suite), "PATH": f"{suite}/tools:{os.environ['PATH']}"}
    done = subprocess.run([spool / "slurm_script", "--uuid", FIRST], cwd=spool, env=environment, capture_output=True, text=True, timeout=30)
    assert done.returncode == 0, done.stderr
    assert (board(suite, FIRST) / "complete").exists()


@pytest.mark.parametrize("arguments", [["--local", "--task"], ["--local", "--runs", "a[$(touch x)]"], ["--task", "--", "--device=1"]])
def test_usage(suite, arguments):
    assert run(suite, *arguments)[0] == 2
