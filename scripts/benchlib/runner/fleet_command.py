"""scripts/fleet.sh: measures many GPUs, each by a run.sh of its own."""

import fcntl
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchlib.base import programs
from benchlib.base.console import INTERRUPTED, UsageError
from benchlib.base.software import is_software
from benchlib.runner import command_line
from benchlib.runner.command_line import Ended
from benchlib.runner.jobs import Jobs
from benchlib.runner.run_command import ROOT, die
from benchlib.runner.screen import note

NAME = "fleet.sh"
USAGE = """\
Usage: scripts/fleet.sh --nodes LIST | --local | --task [options] [-- program options]

Measures many GPUs: scripts/run.sh once a GPU, into <out>/<gpu>/boards/<first 8 of the UUID>/run<k>/. Beside the runs, board.csv has the
GPU's clock, power, temperature, ECC errors and throttle reasons, before and after. scripts/fleet.py <out>/<gpu> compares the GPUs.

  --nodes LIST    submit to Slurm: for each of these nodes (e.g. gpu[01-16]) a job array with one task per GPU
  --local         all GPUs of this host at once, without Slurm
  --task          the one GPU that this process sees: what scripts/fleet.sbatch runs

  --out DIR       results are DIR/<gpu>/... (default: results). For --nodes it must be on a file system that the nodes share
  --bin DIR       the programs (default: the package's, or build/release/bin)
  --quick, --full \\
  --runs N         } as run.sh has them
  --only NAME     /
  --software      measure Vulkan on the CPU where there is no GPU, for tests: no figure says anything about GPUs
  --sbatch OPTION for --nodes: an option of sbatch, e.g. --sbatch --partition=gpu (repeatable)
  -- OPTIONS      for every program

What is unfinished is gone on with: after a failure run the same command again. A GPU that is complete, or that another task is
measuring, is named and left as it is.

Exit code: 0 done (--nodes: submitted), 1 something failed, or two tasks were given one GPU, 2 usage, 130 interrupted.
"""
NO_SLURM = "there is no Slurm here (no sbatch): --local measures all GPUs of this host without it"
UUID = re.compile(r"[0-9a-f]+(-[0-9a-f]+){4}")
# What xargs starts for a GPU: it sees no other, and says how it ended.
EACH = """
visible=() status=0
if [[ $1 == gpu ]]; then visible=(CUDA_VISIBLE_DEVICES="GPU-$2"); fi
env --default-signal=INT,QUIT "${visible[@]}" "${@:3}" || status=$?
if ((status)); then echo "$2: exit $status"; else echo "$2: complete"; fi
exit "$((status != 0))"
"""


@dataclass
class FleetOptions:
    mode: str = ""
    nodes: str = ""
    uuid: str = ""
    out: Path = ROOT / "results"
    bin: Path = ROOT / ("build/release/bin" if (ROOT / "CMakeLists.txt").is_file() else "bin")
    software: bool = False
    log: bool = False
    sbatch: list[str] = field(default_factory=list)
    run: list[str] = field(default_factory=list)  # for run.sh
    program: list[str] = field(default_factory=list)  # for the programs

    @property
    def passed_on(self) -> list[str]:
        """What the tasks of --nodes and --local get."""
        more = ["--", *self.program] if self.program else []
        return [*["--software"] * self.software, "--out", str(self.out), "--bin", str(self.bin), *self.run, *more]


def parse(arguments: Sequence[str]) -> FleetOptions:
    own, program = command_line.split(arguments)
    words = iter(own)  # --sbatch's value is an option itself, which argparse takes only behind =
    own = [f"--sbatch={next(words, '')}" if word == "--sbatch" else word for word in words]
    parser = command_line.Parser(NAME, USAGE)
    modes = parser.add_mutually_exclusive_group()
    modes.add_argument("--nodes", type=command_line.word)
    for name in ("--local", "--task"):
        modes.add_argument(name, action="store_const", dest="mode", const=name)
    for name in ("--out", "--bin"):
        parser.add_argument(name, type=lambda value: Path(os.path.realpath(command_line.word(value))))
    for name in ("--quick", "--full"):
        parser.add_argument(name, action="append_const", dest="run", const=name)
    parser.add_argument("--runs", type=lambda value: ["--runs", str(command_line.runs(value))], action="extend", dest="run")
    parser.add_argument("--only", type=lambda value: ["--only", command_line.word(value)], action="extend", dest="run")
    parser.add_argument("--sbatch", type=command_line.word, action="append")
    parser.add_argument("--uuid", type=command_line.word)
    for name in ("--software", "--log"):
        parser.add_argument(name, action="store_true")
    options = parser.parse_args(own, FleetOptions(program=program))
    if options.nodes:
        options.mode = "--nodes"
    if any(word.partition("=")[0] == "--device" for word in options.program):
        raise UsageError("--device: each task has its own GPU (see --help)")
    if not options.mode and not shutil.which("sbatch"):
        die(NO_SLURM)
    if not options.mode:
        raise UsageError("one of --nodes LIST, --local and --task (see --help)")
    return options


# ------------------------------------------------------------------------------------------------------------------- Slurm


def said(*command: str | Path, wrong: str) -> str:
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)  # a task finds the package where it was submitted
    if done.returncode:
        die(wrong)
    return done.stdout.strip()


def gpus_of(node: str) -> int:
    """How many Slurm knows of there: gpu:h200:8(S:0-1) and the like."""
    lines = said("sinfo", "--noheader", "--Node", f"--nodes={node}", "--format=%G", wrong=f"node {node}: sinfo failed").splitlines()
    counts = re.findall(r"(?:^|,)gpu(?::[^:,]*[^:,0-9][^:,]*)?:([0-9]+)(?=,|$)", re.sub(r"\([^)]*\)", "", lines[0].strip())) if lines else []
    return sum(map(int, counts))


def submit(options: FleetOptions) -> int:
    if not shutil.which("sbatch"):
        die(NO_SLURM)
    nodes = said("scontrol", "show", "hostnames", options.nodes, wrong=f"--nodes {options.nodes}: no list of nodes").split()
    options.out.mkdir(parents=True, exist_ok=True)
    for node in nodes:
        count = gpus_of(node)
        if not count:
            die(f"node {node}: Slurm knows of no GPU there (GresTypes=gpu, and Gres=gpu:N in slurm.conf)")
        # Its own array, so that a task which is requeued comes back to the node whose GPU it has begun.
        job = said(
            "sbatch", "--parsable", f"--nodelist={node}", f"--array=1-{count}", f"--output={options.out}/fleet-%A_%a.log", *options.sbatch,
            ROOT / "scripts/fleet.sbatch", *options.passed_on, wrong=f"node {node}: sbatch refused",
        ).partition(";")[0]  # fmt: skip
        print(f"{node}: job {job}, {count} tasks, {options.out}/fleet-{job}_*.log", flush=True)
    return 0


# ----------------------------------------------------------------------------------------------------------------- one GPU


def host() -> str:
    return os.environ.get("SLURMD_NODENAME") or socket.gethostname()


def task_name() -> str:
    """As a reader knows this task."""
    array = os.environ.get("SLURM_ARRAY_JOB_ID")
    return f"{f'''task {array}_{os.environ.get('SLURM_ARRAY_TASK_ID', '')}''' if array else f'process {os.getpid()}'} on {host()}"


class Tasks:
    def __init__(self, options: FleetOptions, jobs: Jobs):
        self.options, self.jobs = options, jobs
        self.program = programs.experiments(options.bin)[0]  # whatever it is: all of them see the same devices
        self.kind = "gpu"
        self.gpus = self.find_gpus()

    def find_gpus(self) -> list[str]:
        """Those that CUDA sees, else those that Vulkan sees; without any, with --software, the CPU's."""
        done = subprocess.run([self.program, "--list-devices"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace")
        if done.returncode:
            die(f"{self.program} --list-devices failed")
        by: dict[str, list[str]] = {"cuda": [], "vulkan": [], "cpu": []}
        for line in done.stdout.splitlines():
            cuda, vulkan, uuid, name = [*line.split(maxsplit=3), "", "", "", ""][:4]
            if not UUID.fullmatch(uuid):
                continue
            if is_software(name):
                by["cpu"].append(uuid)
            elif cuda != "-" or vulkan != "-":
                by["cuda" if cuda != "-" else "vulkan"].append(uuid)
        gpus = by["cuda"] or by["vulkan"]
        if not gpus and self.options.software:
            gpus, self.kind = by["cpu"], "cpu"
        return gpus or die(f"no GPU on {socket.gethostname()}: {self.program} --list-devices says why")

    def find_folder(self) -> None:
        """Sets `results` and `folder`, the GPU's."""
        slug = said(self.program, "--print-slug", "--device", self.uuid, wrong=f"{self.program} --print-slug failed")
        if slug in ("", "none"):
            die(f"no device {self.uuid}")
        self.results = self.options.out / slug
        if is_software(slug):  # the CPU stands for as many GPUs as there are tasks
            self.results /= f"{host()}-{os.environ.get('CUDA_VISIBLE_DEVICES', '0')}"
        self.folder = self.results / "boards" / self.uuid[:8]
        self.folder.mkdir(parents=True, exist_ok=True)

    def lock_folder(self) -> None:
        """No other task gets the GPU's folder as long as this one, or anything that it started, lives. Slurm gives no GPU to two tasks at
        once; what starts tasks by hand may.
        """
        path, complete = self.folder / "lock", self.folder / "complete"
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            other = path.read_text(errors="replace").strip() or "another one"
            die(f"two tasks were given GPU {self.uuid}: {task_name()}, and {other}, which is measuring it; nothing is changed")
        except OSError as error:
            die(f"{path} cannot be locked ({error.strerror}): choose another file system with --out")
        if complete.exists():
            by = complete.read_text(errors="replace").strip()
            die(f"GPU {self.uuid} has been measured, by {by}: {self.folder} is left as it is; choose another --out to measure it again")
        self.jobs.kept_open.append(handle)
        os.ftruncate(handle, 0)
        os.write(handle, f"{task_name()}\n".encode())

    def note_state(self, when: str) -> None:
        state = ROOT / "scripts/benchlib/runner/board_state.py"
        self.jobs.run([sys.executable, state, "--uuid", self.uuid, "--when", when, self.folder / "board.csv"])

    def measure(self) -> int:
        options = self.options
        if not options.uuid and len(self.gpus) != 1:
            die(f"this task sees {len(self.gpus)} GPUs: it takes one (sbatch --gres=gpu:1), or start with --local")
        self.uuid = options.uuid or self.gpus[0]
        self.find_folder()
        self.lock_folder()
        if options.log:
            log = os.open(self.folder / "fleet.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
            for stream in (1, 2):
                os.dup2(log, stream)
        note(f"{task_name()}: GPU {self.uuid} -> {self.folder}")
        self.note_state("before")
        os.environ["BENCH_FLEET_TASK"] = "1"  # the state is kept here
        status = self.jobs.run([
            ROOT / "scripts/run.sh", "--bin", options.bin, "--out", self.results, "--resume", "--no-sass", "--no-counters", "--no-tables",
            *options.run, "--", "--device", self.uuid, *options.program,
        ])  # fmt: skip
        end_if_interrupted(status)
        self.note_state("after")
        if status:
            die(f"GPU {self.uuid}: run.sh failed (exit {status}); the same command goes on from here")
        part = self.folder / "complete.part"
        part.write_text(f"{task_name()}\n")
        os.replace(part, self.folder / "complete")
        note(f"{task_name()}: GPU {self.uuid} is complete")
        return 0

    def measure_all(self) -> int:
        """Every GPU of this host, each by a process of its own that sees no other."""
        note(f"{len(self.gpus)} on {socket.gethostname()}, logs: {self.options.out}/*/boards/*/fleet.log")
        status = self.jobs.run([
            "bash", "-c", 'xargs -P "$1" -I @GPU@ bash -c "$2" _ "$3" @GPU@ "${@:5}" <<<"$4"', "_", str(len(self.gpus)), EACH, self.kind,
            "\n".join(self.gpus), ROOT / "scripts/fleet.sh", "--task", "--log", "--uuid", "@GPU@", *self.options.passed_on,
        ])  # fmt: skip
        end_if_interrupted(status)
        return 1 if status else 0


def end_if_interrupted(status: int) -> None:
    if status == INTERRUPTED:
        note("interrupted; the same command goes on from here")
        raise Ended(INTERRUPTED)


def main(arguments: Sequence[str]) -> int:
    options = parse(arguments)
    if options.mode == "--nodes":
        return submit(options)
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"  # as Slurm counts
    with Jobs(NAME) as jobs:
        tasks = Tasks(options, jobs)
        return tasks.measure() if options.mode == "--task" else tasks.measure_all()
