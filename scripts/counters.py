#!/usr/bin/env python3
"""Hardware counters for every case of the experiments, both APIs.

    scripts/counters.py                     counts with the programs in build/release/bin
    scripts/counters.py --only exp03        one experiment; the other experiments' rows stay
    scripts/counters.py -- --variant 'read_*'     options for the programs; the other cases' rows stay

Writes results/<gpu>/counters.csv: a row a case, API and instrument, its key as in the result files, then what was counted, of one
launch; a figure that was not counted is empty. There are two instruments.

pm_sampling: the programs' own --count (CUPTI's PM sampling), CUDA and Vulkan alike: sectors through the L1 and the L2, bytes from and
to memory, blocks. A warm case is the mean of many launches after one that is not counted.

ncu: Nsight Compute, CUDA alone, for what only it has, of the programs whose analysis.py says so: loads and stores apart, requests,
efficiencies, the L2's hit rate. CUDA checks no bounds, so a case without checks is not counted again. It empties the caches before each
of its passes, so hit rates and bytes from memory are those of a cold start for a warm case, too. memory_throughput_pct: the memory's or
the L2's share of its peak, whichever is more.

Of a program whose analysis.py says so only the cases about traffic are counted, or none: those ask about latency, order and time.
--only with a program's full name counts all of its cases, with both.

Without ncu (the CUDA toolkit's, or one named with --ncu or BENCH_NCU) there are the other instrument's rows. Exit codes: 0 done,
1 something failed, 2 usage, 77 nothing could be counted because there is no GPU or no permission, 130 interrupted.
"""

from benchlib.base import early  # noqa: F401  # first: see there

import argparse
import os
import re
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from benchlib.base import children, console, files, programs
from benchlib.counters import ncu, pm_sampling
from benchlib.model import analysis
from benchlib.results import counters_file, results
from benchlib.model.analysis import Analysis, Counting
from benchlib.results.counters_file import FIXED, INSTRUMENTS, NCU, PM_SAMPLING, CountRow, identity
from benchlib.counters.ncu import CountedLaunch, Ncu, NoPermission, Profile
from benchlib.base.errors import InputError
from benchlib.base.software import is_software

NAME = "counters.py"
fail = partial(console.fail, NAME)
ROOT = Path(__file__).resolve().parent.parent
METRICS = {  # column: metric
    "load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "store_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "load_efficiency_pct": "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct",
    "store_efficiency_pct": "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct",
    "l1_hit_pct": "l1tex__t_sector_hit_rate.pct",
    "l2_hit_pct": "lts__t_sector_hit_rate.pct",
    "l2_bytes": "lts__t_bytes.sum",
    "dram_read_bytes": "dram__bytes_read.sum",
    "dram_write_bytes": "dram__bytes_write.sum",
    "launch_grid": "launch__grid_size",
    "launch_block": "launch__block_size",
    "shared_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
}
# The larger of the two is memory_throughput_pct. ncu's own looks at every unit on the way, for which it needs a quarter more time.
THROUGHPUTS = ["dram__throughput.avg.pct_of_peak_sustained_elapsed", "lts__t_sectors.avg.pct_of_peak_sustained_elapsed"]
NCU_METRICS = [*METRICS.values(), *THROUGHPUTS]
# Options that choose cases: the user's replace the analysis's.
CHOOSING = ("--variant", "--benchmark_filter", "--size", "--cache")
# exp03/read_offset/block:256/offset:8/n:268435456/cold, wherever it stands in what ncu calls the kernel.
CASE_NAME = re.compile(
    r"\b(?P<experiment>exp\d\d\w*)/(?P<variant>[^/\s\"':]+)(?P<params>(?:/[^/\s\"':]+:[^/\s\"']*)*?)"
    r"/n:(?P<elements>\d+)/(?P<cache>cold|warm)\b"
)
SMALL_TIMEOUT_S = 60
MOST_TIMEOUT_S = 7 * 24 * 3600  # beyond a few decades a wait overflows
NAMED = 4  # names shown where there may be many


@dataclass
class Outcome:
    """One program's run with one instrument."""

    rows: list[CountRow] = field(default_factory=list)
    failed: bool = False

    @property
    def counted(self) -> int:
        return sum(not row.get("reason") for row in self.rows)


# ---------------------------------------------------------------------------------------------------------------- input


def counting(name: str, analyses: Mapping[str, Analysis]) -> Counting:
    """What the program's analysis.py says of it."""
    return analyses.get(name, Analysis()).counting


def choose_programs(folder: Path, wishes: Sequence[str], analyses: Mapping[str, Analysis]) -> list[Path]:
    found = {program.name: program for program in programs.experiments(folder)}
    chosen = console.chosen(list(found), wishes)
    return [found[name] for name in chosen if name in wishes or counting(name, analyses).by_default]


def default_out(program: Path, program_options: Sequence[str]) -> Path | None:
    """This GPU's folder, as the program calls it; None without a device."""
    code, out, err = children.run([program, "--print-slug", *program_options], SMALL_TIMEOUT_S)
    if code not in (0, console.SKIPPED):
        raise InputError(f"{program.name} --print-slug ended with {code}: {ncu.last_lines(err, 1)}")
    name = out.strip()
    if name == "none" or not re.fullmatch(r"[a-z0-9][a-z0-9-]*", name):
        return None
    return ROOT / ("build/results" if is_software(name) else "results") / name


def gpu_of_results(out: Path, experiment: str) -> tuple[str, str] | None:
    """The GPU's name and UUID in the experiment's result file that was written last, of all runs in `out`."""
    paths = results.files_of_runs(out, experiment) if out.is_dir() else []
    if not paths:
        return None
    path = max(paths, key=lambda path: path.stat().st_mtime)
    row = next((row for row in results.RunFile(path).read().rows if row["api"] == "cuda" and row["gpu"]), None)
    return (row["gpu"], row["gpu_uuid"]) if row else None


def gpu_of_driver() -> tuple[str, str]:
    """The only GPU that nvidia-smi lists; of several none is known to be the one."""
    try:
        code, out, _ = children.run(["nvidia-smi", "--query-gpu=name,uuid", "--format=csv,noheader"], SMALL_TIMEOUT_S)
    except InputError:
        return "", ""
    lines = out.splitlines() if code == 0 else []
    if len(lines) != 1 or "," not in lines[0]:
        return "", ""
    name, _, uuid = lines[0].rpartition(",")
    return name.strip(), uuid.strip().removeprefix("GPU-")


# ----------------------------------------------------------------------------------------------------------------- rows


def case_key(name: str, experiment: str) -> CountRow | None:
    """The case that a kernel's name, as ncu gives it, is one of; None if it is no case's."""
    match = CASE_NAME.search(name)
    if not match or not experiment.startswith(match["experiment"]):
        return None
    params = dict(part.split(":", 1) for part in match["params"].split("/")[1:])
    if params.keys() & set(FIXED):
        return None
    return {
        "experiment": experiment, "variant": match["variant"], "api": "cuda", **params, "elements": match["elements"],
        "cache": match["cache"],
    }  # fmt: skip


def figure(value: float | None) -> str:
    if value is None:
        return ""
    return str(int(value)) if value == int(value) else f"{value:.6g}"


def counted_cells(launch: CountedLaunch) -> CountRow:
    values = {column: launch.values.get(metric) for column, metric in METRICS.items()}
    for kind in ("load", "store"):
        requests, sectors = values[f"{kind}_requests"], values[f"{kind}_sectors"]
        values[f"{kind}_sectors_per_request"] = sectors / requests if requests and sectors is not None else None
    shares = [launch.values[metric] for metric in THROUGHPUTS if metric in launch.values]
    values["memory_throughput_pct"] = max(shares, default=None)
    return {column: figure(values[column]) for column in counters_file.NCU_COUNTED}


def rows_of(profile: Profile, experiment: str, origin: CountRow) -> tuple[list[CountRow], list[str]]:
    """A row a case, and remarks about launches that gave none."""
    rows: dict[frozenset[tuple[str, str]], CountRow] = {}
    strange: list[str] = []
    again: list[str] = []
    for launch in profile.launches:
        key = case_key(launch.name, experiment)
        if key is None:
            strange.append(launch.name)
        elif identity(key) in rows:
            again.append(launch.name)
        else:
            rows[identity(key)] = {**key, **counted_cells(launch), **origin}
    left_out = {"names that are no case's, left out": strange, "cases with more than one launch, the first was kept": again}
    return list(rows.values()), [f"{what}: {listed(names)}" for what, names in left_out.items() if names]


def listed(names: Sequence[str]) -> str:
    different = list(dict.fromkeys(names))
    more = f" and {len(different) - NAMED} more" if len(different) > NAMED else ""
    return ", ".join(ascii(name) for name in different[:NAMED]) + more


# ----------------------------------------------------------------------------------------------------------------- runs


@dataclass
class Wish:
    """What is to be counted, and with what."""

    programs: Sequence[Path]
    named: Sequence[str]  # the programs all of whose cases are asked for
    program_options: Sequence[str]
    instruments: Sequence[str]
    timeout_s: float
    verified: Path | None = None  # a run's folder: its notes say what a right output is

    def by_checksums(self, program: Path) -> list[str]:
        """The options that let the program verify by what a run has verified in full, where one has."""
        noted = self.verified and self.verified / f"{program.name}.checksums"
        return ["--checksums", str(noted)] if noted and noted.is_file() else []

    def options_of(self, program: Path, defaults: Sequence[str]) -> list[str]:
        """What chooses the program's cases, and what else the user tells it."""
        choosing = any(_is(option, CHOOSING) for option in self.program_options)
        return [*([] if choosing or program.name in self.named else defaults), *self.program_options]


def _is(option: str, names: Sequence[str]) -> bool:
    return option.partition("=")[0] in names


def chosen_api(program_options: Sequence[str]) -> str:
    """"" for both."""
    for at, option in enumerate(program_options):
        if _is(option, ["--api"]):
            return option.partition("=")[2] or "".join(program_options[at + 1 : at + 2])
    return ""


class Counter:
    """Both instruments over the programs, and what they must not say twice."""

    def __init__(self, wish: Wish, tool: Ncu | None, out: Path, analyses: Mapping[str, Analysis]):
        self._wish = wish
        self._tool = tool
        self._out = out
        self._analyses = analyses
        self._missing: set[str] = set()  # metrics already said to lack
        self._said: set[str] = set()
        self._driver_gpu: tuple[str, str] | None = None

    def pm_sampling(self, program: Path) -> Outcome | None:
        """The program's own count: its rows, and a line for all that went wrong. None where it is not asked for."""
        if PM_SAMPLING not in self._wish.instruments:
            return None
        name = program.name
        options = self._wish.options_of(program, counting(name, self._analyses).options)
        if any(option.startswith("--benchmark_") for option in options):
            self._once("", f"{pm_sampling.OPTION} takes no --benchmark_* options, so {INSTRUMENTS[PM_SAMPLING]} counts nothing")
            return Outcome()
        options += self._wish.by_checksums(program)
        try:
            counted = pm_sampling.count(program, options, self._wish.timeout_s)
        except InputError as error:
            fail(f"{name}: {error}")
            return Outcome(failed=True)
        counts = [row for row in counted.rows if not row["reason"]]
        if counted.code == console.SKIPPED:
            self._once(f"{name}: ", counted.said)
            return Outcome(counted.rows if counts else [])
        if counted.code or not counts:
            fail(f"{name}: {pm_sampling.OPTION} ended with {counted.code}: {counted.said}")
        for reason, rows in counted.without.items() if counts else ():
            self._once(f"{name}: {rows} rows without counts: ", reason)
        return Outcome(counted.rows, failed=bool(counted.code))

    def _once(self, before: str, text: str) -> None:
        """What many programs may say alike."""
        if text not in self._said:
            self._said.add(text)
            fail(f"{before}{text}")

    def ncu(self, program: Path) -> Outcome | None:
        """The same of one program under ncu. None where it is not asked for, or has nothing to add."""
        name = program.name
        defaults = counting(name, self._analyses).ncu
        api = chosen_api(self._wish.program_options)
        if NCU not in self._wish.instruments or self._tool is None or api == "vulkan":
            return None
        if defaults is None and name not in self._wish.named:
            return None
        # Nsight Compute does not see Vulkan. The programs take an option once.
        options = [*([] if api else ["--api", "cuda"]), *self._wish.options_of(program, defaults or ()), *self._wish.by_checksums(program)]
        try:
            profile = self._tool.profile([program, "--profile", *options], NCU_METRICS)
        except NoPermission as error:
            fail(str(error))
            self._tool = None  # no program will fare better
            return Outcome()
        except InputError as error:
            fail(f"{name}: {error}")
            return Outcome(failed=True)
        if profile.code == console.SKIPPED and not profile.launches:
            fail(f"{name}: nothing can run: {profile.said}")
            return Outcome()
        rows, remarks = rows_of(profile, name, self._origin(name))
        ended_badly = profile.code not in (0, console.SKIPPED)
        if ended_badly:
            remarks.append(f"ended with {profile.code} under ncu: {profile.said}")
        elif not profile.launches:
            remarks.append(f"ncu counted no kernel: {profile.said}")
        remarks += [f"no {metric} on this GPU; its cells stay empty" for metric in profile.missing if metric not in self._missing]
        self._missing.update(profile.missing)
        for remark in remarks:
            fail(f"{name}: {remark}")
        return Outcome(rows, failed=ended_badly or not rows)

    def _origin(self, experiment: str) -> CountRow:
        gpu = gpu_of_results(self._out, experiment)
        if gpu is None:
            gpu = self._driver_gpu = self._driver_gpu or gpu_of_driver()
        version = self._tool.version if self._tool else ""
        return {"instrument": NCU, "gpu": gpu[0], "gpu_uuid": gpu[1], "instrument_version": version}


def count_all(wish: Wish, tool: Ncu | None, out: Path, analyses: Mapping[str, Analysis]) -> int:
    path = out / counters_file.NAME
    rows = counters_file.read(path)
    counter = Counter(wish, tool, out, analyses)
    outcomes = []
    for number, program in enumerate(wish.programs, start=1):
        for instrument, count in ((PM_SAMPLING, counter.pm_sampling), (NCU, counter.ncu)):
            started = time.monotonic()
            outcome = count(program)
            if outcome is None:
                continue
            outcomes.append(outcome)
            seconds, how_many = time.monotonic() - started, f"{outcome.counted} cases counted by {INSTRUMENTS[instrument]}"
            print(f"{program.name} ({number} of {len(wish.programs)}): {how_many}, {seconds:.0f} s", flush=True)
            if outcome.rows:
                all_cases = program.name in wish.named and not wish.program_options
                whole = counting(program.name, analyses)
                all_cases |= not (wish.program_options or (whole.options if instrument == PM_SAMPLING else whole.ncu))
                rows = counters_file.merged(rows, outcome.rows, program.name, instrument, all_cases and not outcome.failed)
                out.mkdir(parents=True, exist_ok=True)
                files.write_atomic(path, counters_file.csv_text(rows))
                path.with_name(f"{path.name}.xz").unlink(missing_ok=True)  # what was read
    counted = sum(outcome.counted for outcome in outcomes)
    if counted:
        print(f"{counted} cases: {files.shown(path, ROOT)}; scripts/worklog.py puts them beside the predictions")
    if any(outcome.failed for outcome in outcomes):
        return 1
    return 0 if counted else console.SKIPPED


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    given = list(sys.argv[1:] if arguments is None else arguments)
    at = given.index("--") if "--" in given else len(given)
    own, program_options = given[:at], given[at + 1 :]
    parser = argparse.ArgumentParser(
        description="Hardware counters for every case of the experiments, both APIs.",
        usage="%(prog)s [options] [-- program options]",
    )
    default_bin = Path(os.environ.get("BENCH_BIN") or ROOT / "build/release/bin")
    add = parser.add_argument
    add("--bin", type=Path, default=default_bin, metavar="DIR", help="the programs (default: BENCH_BIN or build/release/bin)")
    add("--out", type=Path, metavar="DIR", help="default: results/<gpu>")
    add("--only", action="append", default=[], metavar="NAME", help="only this one, e.g. exp03 (repeatable)")
    add("--instrument", choices=list(INSTRUMENTS), help="count with this one alone (default: both)")
    add("--ncu", metavar="PATH", help="the ncu to use")
    add("--verified", type=Path, metavar="DIR", help="a run's folder: what its <experiment>.checksums note is not verified in full again")
    add("--timeout", type=float, default=1800, metavar="S", help="seconds for one program (default: 1800)")
    options = parser.parse_args(own)
    if not 0 < options.timeout <= MOST_TIMEOUT_S:
        parser.error(f"--timeout must be positive, and {MOST_TIMEOUT_S} s at most")
    options.program_options = program_options
    options.bin = options.bin.resolve()  # a bare name would be looked for on PATH
    return options


def run(options: argparse.Namespace) -> int:
    analyses = analysis.load(ROOT)
    chosen = choose_programs(options.bin, options.only, analyses)
    wanted = [options.instrument] if options.instrument else list(INSTRUMENTS)
    out = options.out or default_out(chosen[0], options.program_options)
    if out is None:
        fail(f"there is no device to count on; {files.shown(chosen[0], ROOT)} --list-devices says why")
        return console.SKIPPED
    wish = Wish(chosen, options.only, options.program_options, wanted, options.timeout, options.verified and options.verified.resolve())
    return count_all(wish, ncu_tool(options) if NCU in wanted else None, out, analyses)


def ncu_tool(options: argparse.Namespace) -> Ncu | None:
    """None, with a line, where there is none."""
    path = ncu.find(options.ncu)
    if path is None:
        fail(f"there is no ncu; {ncu.HOW_TO_GET}")
        return None
    tool = Ncu(path, options.timeout)
    _ = tool.version  # before anything is run: that it is an ncu at all
    return tool


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse_arguments(arguments)
    kept = "; the rows of the experiments that were done are kept"
    return console.run_cli(NAME, lambda: run(options), interrupted=kept)


if __name__ == "__main__":
    sys.exit(main())
