"""scripts/run.sh: sets up, builds, measures, and has the pages made."""

import itertools
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from benchlib.base import archive, console, csv_file, files, programs
from benchlib.base.console import INTERRUPTED, SKIPPED, plain
from benchlib.base.csv_file import MOST_BYTES, InputError
from benchlib.base.software import is_software
from benchlib.results import board_states, results
from benchlib.results.results import RunFile
from benchlib.stats.stats import MIN_RUNS
from benchlib.runner import command_line, pace, screen
from benchlib.runner.command_line import Ended
from benchlib.runner.jobs import Jobs
from benchlib.runner.lock import Lock, lock_gpu
from benchlib.runner.screen import clock, note

NAME = "run.sh"
ROOT = Path(__file__).resolve().parents[3]
USAGE = """\
Usage: scripts/run.sh [options] [-- program options]

Sets the machine up and builds (not in an unpacked package), runs every experiment several times, each time a fresh process, and writes
<out>/boards/<board>/run<k>/<experiment>.csv (one row per case and API) and <experiment>.samples.csv (every sample), <board> being the
first eight digits of the GPU's UUID. Each run has a random order of cases, drawn from the run's number. What an output must be is compared
in full once and its checksum noted in run1/<experiment>.checksums; all that must hold the same words are compared by that. All boards' runs
together then make <out>/worklog.md (the tables) and report.html (one page of all); beside them are sass/ (the machine code of both APIs)
and counters.csv (what the GPU's counters counted). <out> is results/<gpu>, or build/results/<device> if there is only a software device:
its figures say nothing about GPUs, and it has neither machine code nor counters. At the end: what each part took, then each kind of
work here and on the published models, and which rules hold here (scripts/beside.py shows this again).

  --runs N        so many runs (default: 6; with --quick, and on a software device, 1). What fewer than three say is as sure as runs
                  on two H200s are alike. From the fourth on, a run measures only the cases that the first three leave undecided
                  (scripts/undecided.py), and leaves out the programs without any
  --full          every run measures all cases
  --quick         a coarse sweep with short budgets, and neither machine code nor counters
  --only NAME     only this experiment, e.g. exp03 or exp03_memory_coalescing (repeatable)
  --out DIR       write the results to DIR
  --resume        keep the finished rows of an interrupted run and go on from there, failed rows are tried again; machine code and
                  counters are made anew. With --runs N: until there are N runs
  --replace       measure anew what has been measured: without this option, nothing that was measured is deleted. A program's run is
                  deleted when the new one has a result, runs beyond --runs N when all has been measured, and with them further runs of
                  programs that have nothing undecided
  --no-sass       leave the machine code out (scripts/dump_sass.py; it needs nvdisasm, else a line says so)
  --no-counters   leave the counters out (scripts/counters.py; it needs the driver's permission, else a line says so)
  --no-tables     leave worklog.md and report.html out: where several GPUs are measured into one <out> at once (scripts/fleet.sh)
  --no-build      use build/release as it is
  --bin DIR       use the programs in DIR, e.g. a build carried from another machine (also: BENCH_BIN=DIR)
  --kernel FILE   two kernels of your own instead of the experiments (own_kernel/README.md): verdict and page in <out>, which is
                  build/own_kernel/<FILE's name>; --runs N processes time them (default: 3). Words behind -- go to own_kernel.
                  Of the other options it takes --out, --bin, --no-build and --no-counters
  --chip NAME     with --kernel: measures nothing, and prints what this chip's compiler makes of the Vulkan sides, e.g. gfx1100, which
                  need not be here (scripts/dump_sass.py --chip); --wave 32 or 64: threads per subgroup, where FILE gives none
  --help          this text
  -- OPTIONS      for every program, e.g. -- --device 1 --api vulkan --benchmark_filter=add  (see <program> --help)

While another run.sh of this host measures on the same GPU, into whatever folder, it is refused (a lock in /tmp, or in the folder that
BENCH_LOCK_DIR names).

Ctrl-C or SIGTERM ends it after the sample in hand, a second one at once; nothing that it started is left after two seconds.

Exit code: 0 all ran (a skipped case is named, and no failure), 1 something failed (a program, a part, or a row of a result file),
2 usage, 130 interrupted.
"""
OWN_KERNEL = "own_kernel"
RUNS = 6
RUN_BUDGET = "0.04"  # seconds of sampling a case
DEVICE_LOST = 3  # a program's exit code
FIRST_YEAR, LAST_YEAR = 2000, 2100  # of what a row's started_at may be, from and below
NOT_WITH_KERNEL = ("quick", "full", "resume", "replace", "only", "sass", "tables")
# With one of these a program says something and measures nothing.
SAYING = ("-h", "--help", "--describe", "--list-devices", "--list-variants", "--benchmark_list_tests")
RUN_FOLDER = re.compile(r"run([1-9][0-9]{0,2})")
# A program's files in a run's folder.
ENDS = (".csv", ".csv.xz", ".samples.csv", ".samples.csv.xz", ".schema.json", ".checksums")
ASIDE = ".replaced"  # a folder in a run's: what is replaced, until the new run has a result
MOST_REASONS = 5  # shown of those for which cases were skipped or failed


@dataclass
class RunOptions:
    quick: bool = False
    full: bool = False
    resume: bool = False
    replace: bool = False
    build: bool = True
    sass: bool = True
    counters: bool = True
    tables: bool = True
    runs: int = 0
    only: list[str] = field(default_factory=list)
    out: str = ""
    bin: str = ""
    kernel: str = ""
    chip: str = ""
    wave: str = ""
    program: list[str] = field(default_factory=list)

    def of_program(self, name: str) -> str:
        """The value that the programs' options give an option (the last one counts); empty if they do not."""
        value = ""
        for at, word in enumerate(self.program):
            if word == name:
                value = self.program[at + 1] if at + 1 < len(self.program) else ""
            elif word.startswith(f"{name}="):
                value = word.partition("=")[2]
        return value


def parse(arguments: Sequence[str]) -> RunOptions:
    own, program = command_line.split(arguments)
    parser = command_line.Parser(NAME, USAGE)
    for name in ("quick", "full", "resume", "replace"):
        parser.add_argument(f"--{name}", action="store_true")
    for name in ("build", "sass", "counters", "tables"):
        parser.add_argument(f"--no-{name}", action="store_false", dest=name)
    for name in ("out", "bin", "kernel", "chip", "wave"):
        parser.add_argument(f"--{name}", type=command_line.word)
    parser.add_argument("--only", type=command_line.word, action="append")
    parser.add_argument("--runs", type=command_line.runs)
    options = parser.parse_args(own, RunOptions(bin=os.environ.get("BENCH_BIN", ""), program=program))
    if options.kernel and (other := [name for name in NOT_WITH_KERNEL if getattr(options, name) != getattr(RunOptions(), name)]):
        raise console.UsageError(f"--{'no-' if other[0] in ('sass', 'tables') else ''}{other[0]} does not go with --kernel (see --help)")
    if options.resume and options.replace:
        raise console.UsageError("--resume and --replace: one of them (see --help)")
    if (options.chip or options.wave) and not (options.chip and options.kernel):
        raise console.UsageError("--chip goes with --kernel, and --wave with --chip (see --help)")
    if options.quick:
        options.program.append("--quick")
        options.sass = options.counters = False
    return options


def die(message: str) -> NoReturn:
    raise InputError(message)


def shown(path: Path | str) -> str:
    """As a reader at the top of the repository would type it."""
    return str(path).removeprefix(f"{ROOT}/")


def require_writable(folder: Path) -> None:
    """Fails early: before minutes of measuring whose results have nowhere to go. Makes nothing."""
    there = next(each for each in (folder, *folder.parents) if each.exists())
    if not there.is_dir() or not os.access(there, os.W_OK):
        die(f"cannot write to {folder}: choose another folder with --out, or change its owner or permissions")


def require_clock() -> None:
    """Fails early: no tool reads rows that were measured in another century."""
    if not FIRST_YEAR <= (year := time.gmtime().tm_year) < LAST_YEAR:
        die(f"the clock of this machine is in the year {year}, and rows are dated by it: set it (timedatectl set-ntp true, or date -s)")


def shell(function: str) -> list[str]:
    """What a function of lib.sh prints, by lines."""
    command = ["bash", "-c", f'source "$1" && {function}', "bash", ROOT / "scripts/lib.sh"]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout.splitlines()


@dataclass
class Tally:
    """A program's, over its runs."""

    counts: Counter[str] | None = field(default_factory=Counter)  # None: of some run they are not known
    seconds: float = 0
    remarks: list[str] = field(default_factory=list)


@dataclass
class InFile:
    """What a result file holds."""

    counts: Counter[str] | None = None  # None: it is damaged
    missing: bool = False
    reasons: Counter[tuple[str, str]] = field(default_factory=Counter)  # by status and reason
    device: str = ""


def has_result(path: Path) -> bool:
    """Whether a result file, as it was written or packed, has a row that is ok. Of a damaged one that is not known: it may have."""
    try:
        return (archive.holds(path) or path.stat().st_size > 0) and any(row["status"] == "ok" for row in RunFile(path).read().rows)
    except InputError:
        return True


def packed_results(board: Path) -> list[Path]:
    """The result files in the archives of a board's runs."""
    return [path for each in sorted(board.glob(f"run*{archive.SUFFIX}")) for path in results.files_of(each).values()]


def gpu_named(path: Path) -> str:
    """The first name of a GPU in a result file; empty if there is none, or it is damaged, or it is of samples."""
    try:
        return next((row["gpu"] for row in RunFile(path).read().rows if row["gpu"]), "")
    except InputError:
        return ""


def read_results(path: Path) -> InFile:
    try:
        rows = RunFile(path).read().rows
    except FileNotFoundError:
        return InFile(missing=True)
    except (InputError, OSError) as error:
        note(plain(str(error)))
        return InFile()
    reasons = Counter((row["status"], row["reason"] or "no reason given") for row in rows if row["status"] != "ok")
    device = ""
    if rows and (row := rows[-1])["gpu"]:
        versions = ", ".join(dict.fromkeys(each["driver"] for each in rows if each["driver"]))
        device = f"{row['gpu']} ({row['gpu_uuid'][:8]}), {versions or 'no driver named'}, {row['git_rev']}"
    return InFile(Counter(row["status"] for row in rows), reasons=reasons, device=device)


def put_aside(out: Path) -> None:
    """What --kernel has measured there before is no part of the new page, and stays: in earlier/1, earlier/2, ..."""
    names = ("rows.csv", "rows.samples.csv", "rows.schema.json", "result.json", "counters.csv", "page.md", "page.html", "isa", "own_kernel.log")
    there = [out / name for name in names if (out / name).exists()]
    if there:
        kept = next(folder for number in itertools.count(1) if not (folder := out / "earlier" / str(number)).exists())
        kept.mkdir(parents=True)
        for path in there:
            path.rename(kept / path.name)


class Run:
    def __init__(self, options: RunOptions, jobs: Jobs):
        self.options, self.jobs = options, jobs
        self.failures = 0
        self.complete = True  # every program has gone through all of its cases, and its result file is whole
        self.made: list[str] = []  # parts that are done
        self.table: list[str] = []  # a line a part, for the end
        self.seconds = 0  # of all parts
        self.tallies: dict[str, Tally] = {}
        self.times: dict[tuple[str, int], float] = {}  # of each program and kind of run, the newest
        self.chosen: dict[str, Path | None] = {}  # of each program whose first runs were looked at: its undecided cases, None where all are decided
        self.reasons: Counter[tuple[str, str]] = Counter()
        self.locks: list[Lock] = []
        self.gpu_lock: int | None = None
        self.device = ""
        self.began_at = ""  # as rows and states are dated
        self.python = sys.executable
        in_repository = (ROOT / "CMakeLists.txt").is_file()
        self.build = options.build and in_repository and not options.bin
        self.bin = Path(options.bin or (ROOT / "build/release/bin" if in_repository else ROOT / "bin"))
        self.out = Path(os.path.realpath(options.out)) if options.out else None

    # -------------------------------------------------------------------------------------------------- before measuring

    def go(self) -> int:
        require_clock()
        for folder in [self.out] if self.out else [ROOT / "results", ROOT / "build/results"]:
            require_writable(folder)
        if self.build:
            console.chosen(experiments := shell("bench_experiments"), self.options.only)  # before minutes of building
            self.set_up_and_build(experiments)
        self.find_programs()
        slug, self.board = self.find_device()
        self.software = is_software(slug)
        if not self.out:
            self.out = ROOT / ("build/results" if self.software else "results") / slug
            require_writable(self.out)
        self.folder = self.out / "boards" / self.board
        note(f"device: {slug}; results: {shown(self.out)}")
        self.runs = self.options.runs or (1 if self.options.quick or self.software else RUNS)
        self.whole_runs = self.runs if self.options.full or self.software or self.is_saying else min(self.runs, MIN_RUNS)
        try:
            self.lock()
            self.check_gpu(slug)
            self.check_measured()
            return self.measure_and_tell()
        finally:
            for lock in self.locks:
                lock.let_go()
            if self.gpu_lock is not None:
                os.close(self.gpu_lock)

    def go_with_kernel(self) -> int:
        """A user's own two kernels: measured by own_kernel, told by scripts/own_kernel.py."""
        file = Path(os.path.realpath(self.options.kernel))
        if not file.is_file():
            raise console.UsageError(f"--kernel {self.options.kernel}: there is no such file (see --help)")
        out = self.out or ROOT / "build/own_kernel" / file.stem
        require_writable(out)
        if self.build:
            self.set_up_and_build([OWN_KERNEL], [OWN_KERNEL])
        program = self.bin / OWN_KERNEL
        if not os.access(program, os.X_OK):
            die(f"no {OWN_KERNEL} in {self.bin}: build first (without --no-build), or give --bin")
        if self.options.chip:
            wanted = ["--bin", self.bin, "--own", file, "--chip", self.options.chip]
            wanted += [word for option in ("wave", "out") if (value := getattr(self.options, option)) for word in (f"--{option}", value)]
            status = self.jobs.run([self.python, ROOT / "scripts/dump_sass.py", *wanted])
            self.end_if_interrupted()
            return status
        out.mkdir(parents=True, exist_ok=True)
        lock = Lock(out)
        self.jobs.kept_open = [lock.handle]
        try:
            return self.measure_kernel(file, program, out)
        finally:
            lock.let_go()

    def measure_kernel(self, file: Path, program: Path, out: Path) -> int:
        put_aside(out)
        wanted = ["--csv", out / "rows.csv", "--json", out / "result.json", "--dump-isa", out / "isa"]
        wanted += ["--count", out / "counters.csv"] if self.options.counters else []
        wanted += ["--processes", str(self.options.runs)] if self.options.runs else []
        # What is slower is decided by the estimator, not by a count of processes.
        fail_on = self.options.of_program("--fail-on")
        words = [word for at, word in enumerate(self.options.program) if not word.startswith("--fail-on") and self.options.program[at - 1 : at] != ["--fail-on"]]
        with (out / "own_kernel.log").open("w", encoding="utf-8") as log:
            status = self.jobs.run([program, file, *wanted, *words], stdout=log)
        self.end_if_interrupted()
        if status == console.USAGE or not (out / "result.json").is_file():
            return status
        # The page is shown to others: of a file elsewhere it has the name alone.
        again = ["scripts/run.sh", "--kernel", shown(file) if file.is_relative_to(ROOT) else file.name, *(["--runs", str(self.options.runs)] if self.options.runs else [])]
        again += [] if self.options.counters else ["--no-counters"]
        command = shlex.join([*again, *(["--", *self.options.program] if self.options.program else [])])
        told = self.jobs.run([self.python, ROOT / "scripts/own_kernel.py", out, "--command", command, *(["--fail-on", fail_on] if fail_on else [])])
        self.end_if_interrupted()
        return status or told

    def set_up_and_build(self, experiments: Sequence[str], only: Sequence[str] = ()) -> None:
        begun = time.monotonic()
        set_up = ROOT / "scripts/setup.sh"
        # sudo can ask for its password in the foreground only, where jobs are not.
        if os.geteuid() and sys.stdin.isatty() and shutil.which("sudo"):
            if subprocess.run([set_up, "--check"], stderr=subprocess.DEVNULL).returncode:
                subprocess.run(["sudo", "-v"])
        self.jobs.by_sudo = os.geteuid() != 0
        status = self.jobs.run([set_up], no_input=True)
        self.end_if_interrupted()
        if status:
            raise Ended(status)
        self.jobs.by_sudo = False
        targets = only or (console.chosen(experiments, self.options.only) if self.options.only else [])
        script = 'trap "exit 130" INT; source "$1" && bench_build release "$2" "" "${@:3}"'
        log = ROOT / "build/release.log"
        status = self.jobs.run(["bash", "-c", script, "bash", ROOT / "scripts/lib.sh", log, *targets])
        self.end_if_interrupted()
        if status:
            raise Ended(1)
        self.python = (shell("{ bench_python jinja2 || bench_python; }") or [sys.executable])[0]
        self.add_row("set-up and build", None, time.monotonic() - begun, "build/release", "")

    def find_programs(self) -> None:
        found = {path.name: path for path in programs.experiments(self.bin, "build first (without --no-build), or give --bin")}
        self.programs = [found[name] for name in console.chosen(list(found), self.options.only)]

    def ask(self, option: str) -> str:
        """What the first program prints for an option."""
        with tempfile.TemporaryFile("w+", errors="replace") as file:
            status = self.jobs.run([self.programs[0], option, *self.options.program], stdout=file)
            file.seek(0)
            answer = file.read().rstrip("\n")
        self.end_if_interrupted()
        if status == console.USAGE:  # an option that the program does not know: it has said so
            raise Ended(console.USAGE)
        if status:
            die(f"{shown(self.programs[0])} {option} failed (exit {status})")
        return answer

    def find_device(self) -> tuple[str, str]:
        """The device as results/ spells it, and its folder there."""
        slug = self.ask("--print-slug")
        if slug in ("", "none"):
            die(f"there is no device to run on; {shown(self.programs[0])} --list-devices says why")
        board = self.ask("--print-board")
        for option, answer, pattern in (("slug", slug, r"[\w.+-]*\w[\w.+-]*"), ("board", board, "[0-9a-z]+")):
            if not re.fullmatch(pattern, answer):
                die(f"{shown(self.programs[0])} --print-{option} says '{plain(answer)}'")
        return slug, board

    def lock(self) -> None:
        """Before anything is changed: boards of one result set may be measured at once, each once, and its pages are made by one."""
        self.folder.mkdir(parents=True, exist_ok=True)
        parts = self.options.tables or (not self.software and (self.options.sass or self.options.counters))
        for folder, shared in ((self.folder, False), (self.out, not parts)):
            self.locks.append(Lock(folder, shared))
        if not self.software:  # whose times nobody reads
            self.gpu_lock = lock_gpu(self.board)
            os.environ["BENCH_GPU_LOCK"] = self.board  # for the programs, which would ask for it themselves
        self.jobs.kept_open = [*(lock.handle for lock in self.locks), *([] if self.gpu_lock is None else [self.gpu_lock])]

    def check_gpu(self, slug: str) -> None:
        """A result set is of one GPU: its pages would be refused after all has been measured. Raises InputError."""
        if self.is_saying:
            return
        for folder in sorted(self.out.glob("boards/*")):
            name = next(filter(None, map(gpu_named, [*sorted(folder.glob("run*/exp*.csv*")), *packed_results(folder)])), "")
            there = programs.slug(name)
            both_software = self.software and is_software(name)  # of any version
            if name and slug != there and not slug.startswith(f"{there}-") and not both_software:
                die(f"{shown(self.out)} has results of {name}, and this GPU is {slug}: nothing is changed; choose another folder with --out")

    def check_measured(self) -> None:
        """Nothing that was measured is deleted unasked. Raises InputError before anything is changed."""
        for _, folder in self.earlier_runs():
            self.settle(folder)
        if self.is_saying:
            return
        found = {}
        if not self.options.resume and not self.options.replace:
            packed = {csv_file.stem(path): path.parent.name for path in packed_results(self.folder) if has_result(path)}
            found = {path.name: folder.name for _, folder in sorted(self.earlier_runs()) for path in self.programs if self.is_measured(folder, path.name)}
            found |= {path.name: packed[path.name] for path in self.programs if path.name in packed}
        if found:
            first, *others = found
            more = f" and {len(others)} more" if others else ""
            die(
                f"{shown(self.folder)} has results of {first}{more}, and nothing is changed. --resume goes on with them (until there are --runs N); --replace "
                "measures anew and deletes them; --out DIR leaves them as they are"
            )
        self.unpack_runs()

    def unpack_runs(self) -> None:
        """What was packed for the repository is files of run<k>/ again, which runs are added to. Raises InputError where another file lies there."""
        for path in sorted(self.folder.glob(f"run*{archive.SUFFIX}")):
            folder = path.with_name(path.name.removesuffix(archive.SUFFIX))
            folder.mkdir(exist_ok=True)
            for name, data in archive.read(path).items():
                if not (folder / name).exists():  # else an interrupted unpacking left it
                    files.write_atomic(folder / name, data)
                elif (folder / name).read_bytes() != data:
                    die(f"{folder / name} and {path.name} are of different runs: remove one of them")
            path.unlink()

    def is_measured(self, folder: Path, name: str) -> bool:
        return any(has_result(path) for path in (folder / f"{name}.csv", folder / f"{name}.csv.xz") if path.is_file())

    @property
    def is_saying(self) -> bool:
        return any(word in SAYING for word in self.options.program)

    def check_folders(self) -> None:
        for lock in self.locks:
            lock.check()

    # ---------------------------------------------------------------------------------------------------------- measuring

    def measure_and_tell(self) -> int:
        begun = time.monotonic()
        self.log_path = self.folder / "run.log"
        self.began_at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        with open(self.log_path, "a" if self.options.resume else "w", encoding="utf-8", errors="backslashreplace") as self.log:
            note(f"every case: {shown(self.log_path)}")
            self.note_state("before")
            with tempfile.TemporaryDirectory(prefix="undecided-") as lists:
                for number in range(1, self.runs + 1):
                    if number == self.whole_runs + 1:
                        self.look_for_undecided(Path(lists))
                    self.run_all(number)
            self.note_state("after")
            self.drop_surplus()
            self.pack_samples()
            for name, tally in self.tallies.items():
                where = f"{shown(self.out)}/boards/{self.board}/run*/{name}.csv"
                self.add_row(name, tally.counts, tally.seconds, where, "; ".join(tally.remarks), counted=True)
            if not self.software:
                self.inspect()
            if self.options.tables:
                self.make_pages()
            if not self.jobs.interrupts:
                self.check_folders()
        self.print_table()
        self.end_if_interrupted("finished rows are kept; go on with --resume")
        self.print_summary(time.monotonic() - begun)
        return 1 if self.failures else 0

    def log_heading(self, text: str) -> None:
        with files.naming(self.log_path):
            self.log.write(f"\n== {text}\n")
            self.log.flush()

    def note_state(self, when: str) -> None:
        """Not of a software device, of which nobody knows one. A fleet's task has it done for all runs together."""
        if self.software or os.environ.get("BENCH_FLEET_TASK"):
            return
        device = self.options.of_program("--device").removeprefix("GPU-")
        uuid = device if device.startswith(self.board) and len(device) == 36 else self.board
        script = ROOT / "scripts/benchlib/runner/board_state.py"
        self.jobs.run([self.python, script, "--uuid", uuid, "--when", when, self.folder / board_states.FILE])

    def look_for_undecided(self, lists: Path) -> None:
        """Once, by the first runs alone: whoever resumes comes to the same cases. The GPU waits meanwhile."""
        if self.jobs.interrupts:
            return
        self.log_heading("what is undecided")
        status = self.jobs.run([self.python, ROOT / "scripts/undecided.py", self.out, self.board, "--write", lists], stdout=self.log)
        if self.jobs.interrupts:
            return
        if status:
            note(f"run.sh: what is undecided is not known (exit {status}): all is measured again")
            return
        counted = {name: file.read_bytes().count(b"\n") - 1 for program in self.programs if (file := lists / f"{(name := program.name)}.csv").is_file()}
        self.chosen = {name: lists / f"{name}.csv" if rows else None for name, rows in counted.items()}
        if counted:
            left_out = list(self.chosen.values()).count(None)
            note(f"further runs measure what {MIN_RUNS} leave undecided: {sum(counted.values())} rows; {left_out} of {len(self.programs)} programs have none")

    def is_left_out(self, number: int, name: str) -> bool:
        return number > self.whole_runs and name in self.chosen and self.chosen[name] is None

    def run_all(self, number: int) -> None:
        """Every chosen experiment once, into the board's folder run<number>; in further runs only those that have something undecided."""
        folder = self.folder / f"run{number}"
        if not self.jobs.interrupts:
            note(f"run {number} of {self.runs:<17}     rows  failed skipped    time")
        for program in self.programs:
            if self.jobs.interrupts:
                return
            if not self.is_left_out(number, program.name):
                self.run_one(number, folder, program)

    def run_one(self, number: int, folder: Path, program: Path) -> None:
        self.check_folders()
        folder.mkdir(exist_ok=True)
        held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            self.run_in(number, folder, held, program)
        finally:
            os.close(held)

    def run_in(self, number: int, folder: Path, held: int, program: Path) -> None:
        options, name = self.options, program.name
        file = folder / f"{name}.csv"
        arguments = ["--csv", file]
        # What a long run would sample away, several short ones show.
        if self.runs > 1 and not options.quick and not options.of_program("--budget"):
            arguments += ["--budget", RUN_BUDGET]
        if not options.of_program("--seed"):
            arguments += ["--seed", str(number)]
        arguments.append("--shuffle")
        # What one case, or the first run, has verified in full, the others verify by checksums.
        if not options.of_program("--checksums"):
            arguments += ["--checksums", self.folder / "run1" / f"{name}.checksums"]
        if number > self.whole_runs and (cases := self.chosen.get(name)):
            arguments += ["--cases", cases]
        arguments += options.program
        if options.resume:
            for each in (file, folder / f"{name}.samples.csv"):
                unpack(each)
        elif not self.is_saying:
            self.set_aside(folder, name)
        # There is nothing to go on with where the interrupted run had not begun.
        if options.resume and file.is_file() and file.stat().st_size:
            arguments.append("--resume")
        self.log_heading(f"run {number} of {self.runs}: {name}")
        logged_from = self.log_path.stat().st_size
        goes_on = "--resume" in arguments
        progress = screen.Progress(f"{name} ({number}/{self.runs})", self.log_path, lambda own: self.time_after(number, program, None if goes_on else own))
        first: os.stat_result | None = None

        def look() -> None:
            nonlocal first
            progress.look()
            if progress.case and not first and file.exists():  # its cases have begun: from here on it is one file
                first = file.stat()

        begun = time.monotonic()
        try:
            streams = {} if self.is_saying else {"stdout": self.log, "stderr": self.log}
            status = self.jobs.run([program, *arguments], each=look, every_s=screen.SCREEN_LOOK_S, **streams)
        finally:
            progress.close()
        took = time.monotonic() - begun
        if not self.jobs.interrupts:
            self.check_folders()
            if not folder.is_dir() or not os.path.samestat(folder.stat(), os.fstat(held)):
                die(f"{folder} was removed or replaced while {name} wrote into it")
            if first and not (file.is_file() and os.path.samestat(first, file.stat())):
                die(f"{file} was removed or replaced while {name} wrote it")
        found = read_results(file)
        self.settle(folder)
        if status == 0 and found.missing and not self.is_saying:
            die(f"{file} is not there, though {name} ended well: something removed it, or its folder")
        remark = self.judge(status, found)
        if status not in (0, SKIPPED, INTERRUPTED):
            self.quote(name, logged_from)
        if status == DEVICE_LOST:
            note(f"run.sh: {name} lost the device; what it had measured is kept, and --resume tries the rest")
        if not goes_on:  # else it was a part of a run
            self.times[name, self.kind_of(number)] = took
        self.tell(name, found, took, remark)

    def kind_of(self, number: int) -> int:
        return pace.FIRST if number == 1 else pace.LATER if number <= self.whole_runs else pace.UNDECIDED

    def time_after(self, number: int, program: Path, own: float | None) -> float:
        """Seconds that the programs after this one take in this run and the further ones. `own`: what this one takes, if it is a whole run."""
        seen = self.times | ({} if own is None else {(program.name, self.kind_of(number)): own})
        rest = self.programs[self.programs.index(program) + 1 :]
        further = [(self.programs, later) for later in range(number + 1, self.runs + 1)]
        return sum(
            pace.expected(one.name, self.kind_of(run), seen) for some, run in [(rest, number), *further] for one in some if not self.is_left_out(run, one.name)
        )

    def tell(self, name: str, found: InFile, took: float, remark: str) -> None:
        tally = self.tallies.setdefault(name, Tally())
        if found.counts is None:
            tally.counts = None
        elif tally.counts is not None:
            tally.counts += found.counts
        tally.seconds += took
        if remark and remark not in tally.remarks:
            tally.remarks.append(remark)
        self.reasons += found.reasons
        self.device = found.device or self.device
        counts = found.counts
        cells = [f"{counts[each]:7}" for each in ("ok", "failed", "skipped")] if counts is not None else ["      -"] * 3
        note(plain(f"  {name:<26}  {cells[0]} {cells[1]} {cells[2]} {clock(took):>7}{f'   ({remark})' if remark else ''}"))

    def quote(self, name: str, start: int) -> None:
        """What a program that failed said of itself; the cases are in the log."""
        with open(self.log_path, "rb") as log:
            log.seek(start)
            lines = [line for line in log.read().decode(errors="replace").splitlines() if line.startswith(f"{name}: ")]
        note(*map(plain, lines[-MOST_REASONS:]) if lines else [f"{name} failed: see {shown(self.log_path)}"])

    def judge(self, status: int, found: InFile) -> str:
        """What a program's exit code and its result file say, in a few words; counts failures."""
        if self.jobs.interrupts:
            return "interrupted"
        if status not in (0, SKIPPED):
            self.failures += 1
            self.complete = False
            names = {128 + each: f"ended by {each.name}" for each in signal.Signals}
            return "the device was lost" if status == DEVICE_LOST else names.get(status, f"exit {status}")
        remark = "all skipped" if status == SKIPPED else ""
        if found.missing:
            self.complete = False  # there was nothing to measure: no device, or -- --describe
        elif found.counts is None:
            self.failures += 1
            self.complete = False
            return "its file is damaged: see above"
        elif found.counts["failed"]:
            self.failures += 1
            return f"{found.counts['failed']} failed"
        return remark

    def earlier_runs(self) -> Iterator[tuple[int, Path]]:
        for path in self.folder.iterdir():
            match = RUN_FOLDER.fullmatch(path.name)
            if match and path.is_dir() and not path.is_symlink():
                yield int(match[1]), path

    def set_aside(self, folder: Path, name: str) -> None:
        """Out of the way of a new run, which may fail before it has a result."""
        aside = folder / ASIDE
        for file in self.files_of(folder, name):
            aside.mkdir(exist_ok=True)
            file.rename(aside / file.name)

    def settle(self, folder: Path) -> None:
        """What was set aside goes where the new run has a result, and comes back where it has none."""
        aside = folder / ASIDE
        if aside.is_symlink() or not aside.is_dir():
            return
        for name in {file.name.partition(".")[0] for file in aside.iterdir()}:
            kept = self.files_of(aside, name)
            if self.is_measured(folder, name):
                for file in kept:
                    file.unlink()
                continue
            for file in self.files_of(folder, name):
                file.unlink()
            for file in kept:
                file.rename(folder / file.name)
        aside.rmdir()

    def files_of(self, folder: Path, name: str) -> list[Path]:
        return [path for end in ENDS if (path := folder / f"{name}{end}").is_file()]

    def drop_surplus(self) -> None:
        """With --replace, and all measured: the programs' further runs, which are older, and the board's states before these runs."""
        if not self.options.replace or self.failures or self.jobs.interrupts or self.is_saying:
            return
        if not self.options.only and (states := self.folder / board_states.FILE).is_file():
            header, found = board_states.read_file(states)
            files.write_atomic(states, csv_file.text(header, (state for state in found if state.get("time", self.began_at) >= self.began_at)))
        for number, folder in sorted(self.earlier_runs()):
            names = [program.name for program in self.programs if number > self.runs or self.is_left_out(number, program.name)]
            if old := [file for name in names for file in self.files_of(folder, name)]:
                for file in old:
                    file.unlink()
                note(f"--replace: {shown(folder)} had an older run, which is deleted")
                if not any(folder.iterdir()):
                    folder.rmdir()

    def pack_samples(self) -> None:
        """A run's samples are a tenth of their size when packed; compare.py reads them as they are."""
        if self.failures or not shutil.which("xz"):
            return
        for _, folder in sorted(self.earlier_runs()):
            for file in sorted(folder.glob("*.samples.csv")):
                if self.jobs.run(["xz", "--force", "--threads", "0", "--", file]) and not self.jobs.interrupts:
                    note(f"run.sh: {shown(file)} could not be packed")

    # -------------------------------------------------------------------------------------------------------- afterwards

    def part(self, name: str, where: Path, script: str, *arguments: str | Path) -> None:
        """What comes after measuring. It may fail without taking the rest along: exit code 77 is something missing, which it has named."""
        if self.jobs.interrupts:
            return
        self.check_folders()
        note(f"{name} -> {shown(where)}")
        self.log_heading(name)
        begun = time.monotonic()
        status = self.jobs.run([self.python, ROOT / "scripts" / script, *arguments], stdout=self.log)
        remark = ""
        if self.jobs.interrupts:
            remark = "interrupted"
        elif status == SKIPPED:
            remark = "not done: see above"
        elif status:
            note(f"run.sh: {name} failed (exit {status}){'; the CSV files are complete' if self.complete else ''}")
            remark = f"exit {status}"
            self.failures += 1
        else:
            self.made.append(name)
        self.add_row(name, None, time.monotonic() - begun, shown(where), remark)

    def inspect(self) -> None:
        """Machine code and counters, of the programs that ran and of the device that they ran on."""
        options, named = self.options, [word for wish in self.options.only for word in ("--only", wish)]
        common = ["--bin", self.bin, "--out", self.out]
        if options.sass:
            device = options.of_program("--device")
            self.part("machine code", self.out / "sass", "dump_sass.py", "--listings-only", *common, *named,
                      *(["--device", device] if device else []))  # fmt: skip
        if options.counters:
            self.part("counters", self.out / "counters.csv", "counters.py", *common, "--verified", self.folder / "run1", *named,
                      *(["--", *options.program] if options.program else []))  # fmt: skip

    def make_pages(self) -> None:
        """Of all boards' runs."""
        self.part("worklog", self.out / "worklog.md", "worklog.py", self.out)
        if subprocess.run([self.python, "-c", "import jinja2"], stderr=subprocess.DEVNULL).returncode == 0:
            self.part("report", self.out / "report.html", "report.py", self.out)
        elif not self.jobs.interrupts:
            note("no report.html: Python's module jinja2 is missing here (package python3-jinja2); scripts/report.py makes it anywhere")

    def add_row(self, part: str, counts: Counter[str] | None, took: float, where: str, remark: str, counted: bool = False) -> None:
        cells = [str(counts[each]) if counts is not None else "-" if counted else "" for each in ("ok", "failed", "skipped")]
        self.seconds += round(took)
        ending = f"  ({remark})" if remark else ""
        self.table.append(f"{part:<28} {cells[0]:>6} {cells[1]:>6} {cells[2]:>7} {round(took):>7}  {where}{ending}")

    def print_table(self) -> None:
        print(f"\n{'part':<28} {'ok':>6} {'failed':>6} {'skipped':>7} {'seconds':>7}  result")
        print(*map(plain, self.table), sep="\n")
        print(f"{'in all':<28} {'':>6} {'':>6} {'':>7} {self.seconds:>7}", flush=True)

    def print_summary(self, took: float) -> None:
        lines = [("device", self.device)] if self.device else []
        for status in ("failed", "skipped"):
            reasons = Counter({reason: count for (each, reason), count in self.reasons.items() if each == status})
            for reason, count in reasons.most_common(MOST_REASONS):
                lines.append((status, f"{count} rows: {textwrap.shorten(reason, 160, placeholder=' ...')}"))
            if len(reasons) > MOST_REASONS:
                rest = sum(reasons.values()) - sum(count for _, count in reasons.most_common(MOST_REASONS))
                lines.append((status, f"{rest} rows for {len(reasons) - MOST_REASONS} more reasons: see the log"))
        lines.append(("took", clock(took)))
        if self.runs < MIN_RUNS and not self.software and not self.options.quick:
            lines.append(("more runs", f"{MIN_RUNS} or more tell how far runs differ here: scripts/run.sh --runs {RUNS} --resume"))
        lines.append(("every case", shown(self.log_path)))
        print()
        for name, text in lines:
            print(plain(f"{name:<12} {text}"), flush=True)
        if "worklog" in self.made:
            print(flush=True)
            self.jobs.run([self.python, ROOT / "scripts/beside.py", self.out])
        pages = [shown(self.out / "worklog.md")] if "worklog" in self.made else []
        if "report" in self.made:
            pages.append(f"in a browser {shown(self.out / 'report.html')}")
        if pages:
            print(f"\nRead next: {', or '.join(pages)}")

    def end_if_interrupted(self, words: str = "") -> None:
        if self.jobs.interrupts:
            note(f"interrupted{f': {words}' if words else ''}")
            raise Ended(INTERRUPTED)


def unpack(path: Path) -> None:
    """path.xz into path. Where both are there, one is what an interrupted packing or unpacking left: the longer one, which begins with
    the other. Raises InputError where neither does.
    """
    packed = path.with_name(f"{path.name}.xz")
    if not packed.is_file():
        return
    there = path.read_bytes() if path.is_file() else None
    try:
        content = files.unpacked(packed, MOST_BYTES)
    except InputError:
        if there is None:
            raise
        content = b""
    if there is None or (content.startswith(there) and len(content) > len(there)):
        temporary = path.with_name(f".{path.name}.unpacked")
        with files.naming(temporary):
            temporary.write_bytes(content)
        shutil.copystat(packed, temporary)
        os.replace(temporary, path)
    elif not there.startswith(content):
        die(f"{path} and {packed.name} are of different runs: remove one of them")
    packed.unlink()


def main(arguments: Sequence[str]) -> int:
    options = parse(arguments)
    with Jobs(NAME) as jobs:
        run = Run(options, jobs)
        return run.go_with_kernel() if options.kernel else run.go()
