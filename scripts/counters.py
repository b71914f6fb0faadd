#!/usr/bin/env python3
"""Nsight Compute's hardware counters for every CUDA case of the experiments.

    scripts/counters.py                           runs the programs in build/release/bin under ncu, each kernel once
    scripts/counters.py --only exp03        one experiment; the other experiments' rows stay
    scripts/counters.py -- --variant 'read_*'     options for the programs; the other cases' rows stay

Writes results/<gpu>/counters.csv: a row a case, its key as in the result files, then what was counted. load_requests, load_sectors,
store_requests, store_sectors are totals of one launch (the result files predict them for a warp); *_per_request and
*_efficiency_pct follow from them; a figure that was not counted is empty. ncu empties the caches before each of its passes, so
hit rates and bytes from memory are those of a cold start for a warm case, too. memory_throughput_pct: the memory's or the L2's
share of its peak, whichever is more.

Of a program whose analysis.py says so only the cases about traffic are counted, or none: those ask about latency, order and time.
--only with a program's full name counts all of its cases.

ncu is needed: the CUDA toolkit's, or one named with --ncu or BENCH_NCU. Exit codes: 0 done, 1 something failed, 2 usage,
77 nothing could be counted because there is no ncu, no GPU or no permission, 130 interrupted.
"""

from __future__ import annotations

import argparse
import csv
import io
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from benchlib import analysis, console, csv_file, files, ncu, programs  # noqa: E402
from benchlib.analysis import Analysis, Counting  # noqa: E402
from benchlib.ncu import COUNTED, Launch, Ncu, NcuError, NoPermission, Profile  # noqa: E402
from benchlib.csv_file import InputError  # noqa: E402

NAME = "counters.py"
ROOT = Path(__file__).resolve().parent.parent
KEY = ["experiment", "variant", "api"]
SIZE = ["elements", "cache"]
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
}
# The larger of the two is memory_throughput_pct. ncu's own looks at every unit on the way, for which it needs a quarter more time.
THROUGHPUTS = ["dram__throughput.avg.pct_of_peak_sustained_elapsed", "lts__t_sectors.avg.pct_of_peak_sustained_elapsed"]
ASKED = [*METRICS.values(), *THROUGHPUTS]
ORIGIN = ["gpu", "gpu_uuid", "ncu_version"]
FIXED = [*KEY, *SIZE, *COUNTED, *ORIGIN]
# exp03/read_offset/block:256/offset:8/n:268435456/cold, wherever it stands in what ncu calls the kernel.
CASE_NAME = re.compile(
    r"\b(?P<experiment>exp\d\d\w*)/(?P<variant>[^/\s\"':]+)(?P<params>(?:/[^/\s\"':]+:[^/\s\"']*)*?)"
    r"/n:(?P<elements>\d+)/(?P<cache>cold|warm)\b"
)
SOFTWARE_DEVICES = ("llvmpipe", "lavapipe", "swiftshader")
SMALL_TIMEOUT_S = 60
MOST_TIMEOUT_S = 7 * 24 * 3600  # beyond a few decades a wait overflows
NAMED = 4  # names shown where there may be many

Row = dict[str, str]


@dataclass
class Outcome:
    """One program's run."""

    rows: list[Row] = field(default_factory=list)
    failed: bool = False


def fail(message: str) -> None:
    console.fail(NAME, message)


# ---------------------------------------------------------------------------------------------------------------- input


def counting(name: str, analyses: Mapping[str, Analysis]) -> Counting:
    """What the program's analysis.py says of it."""
    return analyses.get(name, Analysis()).counting


def choose_programs(folder: Path, wishes: Sequence[str], analyses: Mapping[str, Analysis]) -> list[Path]:
    found = {program.name: program for program in programs.experiments(folder)}
    if not found:
        raise InputError(f"no experiment programs (exp??_*) in {folder}: build first, or give --bin")
    chosen = console.chosen(list(found), wishes)
    return [found[name] for name in chosen if name in wishes or counting(name, analyses).by_default]


def slug(program: Path, program_options: Sequence[str]) -> str:
    """What the program calls this GPU's folder; "" without a device."""
    command = [program, "--print-slug", *program_options]
    try:
        run = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=SMALL_TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"{program.name} --print-slug: {error}") from error
    if run.returncode not in (0, ncu.NOTHING_TO_RUN):
        raise InputError(f"{program.name} --print-slug ended with {run.returncode}: {ncu.last_lines(run.stderr, 1)}")
    name = run.stdout.strip()
    return "" if name == "none" or not re.fullmatch(r"[a-z0-9][a-z0-9-]*", name) else name


def default_out(program: Path, program_options: Sequence[str]) -> Path | None:
    name = slug(program, program_options)
    if not name:
        return None
    return ROOT / ("build/results" if name.startswith(SOFTWARE_DEVICES) else "results") / name


def newest_run(out: Path, experiment: str) -> Path:
    """The experiment's result file that was written last: of the boards' runs, or the one in `out` itself."""
    runs = sorted(out.glob(f"boards/*/run*/{experiment}.csv"), key=lambda path: path.stat().st_mtime)
    return runs[-1] if runs else out / f"{experiment}.csv"


def gpu_of_results(path: Path) -> tuple[str, str] | None:
    """The GPU's name and UUID in an experiment's result file."""
    if not path.is_file():
        return None
    _, records = csv_file.read(path)
    rows = [row for _, row in records if row.get("api") == "cuda" and row.get("gpu")]
    return (rows[0]["gpu"], rows[0].get("gpu_uuid", "")) if rows else None


def gpu_of_driver() -> tuple[str, str]:
    """The only GPU that nvidia-smi lists; of several none is known to be the one."""
    try:
        run = subprocess.run(
            ["nvidia-smi", "--query-gpu=name,uuid", "--format=csv,noheader"],
            capture_output=True, text=True, errors="replace", timeout=SMALL_TIMEOUT_S, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return "", ""
    lines = run.stdout.splitlines() if run.returncode == 0 else []
    if len(lines) != 1 or "," not in lines[0]:
        return "", ""
    name, _, uuid = lines[0].rpartition(",")
    return name.strip(), uuid.strip().removeprefix("GPU-")


# ----------------------------------------------------------------------------------------------------------------- rows


def case_key(name: str, experiment: str) -> Row | None:
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


def identity(row: Row) -> frozenset[tuple[str, str]]:
    """What tells a case from the others. An empty parameter is one that the case lacks."""
    return frozenset((column, value) for column, value in row.items() if value and column not in COUNTED + ORIGIN)


def figure(value: float | None) -> str:
    if value is None:
        return ""
    return str(int(value)) if value == int(value) else f"{value:.6g}"


def counted_cells(launch: Launch) -> Row:
    values = {column: launch.values.get(metric) for column, metric in METRICS.items()}
    for kind in ("load", "store"):
        requests, sectors = values[f"{kind}_requests"], values[f"{kind}_sectors"]
        values[f"{kind}_sectors_per_request"] = sectors / requests if requests and sectors is not None else None
    shares = [launch.values[metric] for metric in THROUGHPUTS if metric in launch.values]
    values["memory_throughput_pct"] = max(shares, default=None)
    return {column: figure(values[column]) for column in COUNTED}


def rows_of(profile: Profile, experiment: str, origin: Row) -> tuple[list[Row], list[str]]:
    """A row a case, and remarks about launches that gave none."""
    rows: dict[frozenset[tuple[str, str]], Row] = {}
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
    remarks = []
    if strange:
        remarks.append(f"names that are no case's, left out: {listed(strange)}")
    if again:
        remarks.append(f"cases with more than one launch, the first was kept: {listed(again)}")
    return list(rows.values()), remarks


def listed(names: Sequence[str]) -> str:
    different = list(dict.fromkeys(names))
    more = f" and {len(different) - NAMED} more" if len(different) > NAMED else ""
    return ", ".join(ascii(name) for name in different[:NAMED]) + more


# ------------------------------------------------------------------------------------------------------------- the file


def read_old(path: Path) -> list[Row]:
    if not path.exists():
        return []
    header, records = csv_file.read(path)
    missing = [column for column in KEY + SIZE if column not in header]
    if missing:
        raise InputError(f"{path}: no column {', '.join(missing)}: not a file of counters; move it away")
    return [row for _, row in records]


def merged(old: Sequence[Row], new: Sequence[Row], experiment: str, complete: bool) -> list[Row]:
    """The rows with an experiment's new ones: in place of all of its old ones, or, where it did not run to its end or only
    some cases were asked for, in place of the same cases' old ones.
    """
    replaced = {identity(row) for row in new}
    kept = [row for row in old if row["experiment"] != experiment or not (complete or identity(row) in replaced)]
    return sorted([*kept, *new], key=lambda row: row["experiment"])  # stable: cases in the order of the run


def csv_text(rows: Sequence[Row]) -> str:
    params = dict.fromkeys(column for row in rows for column, value in row.items() if value and column not in FIXED)
    buffer = io.StringIO(newline="")
    columns = [*KEY, *params, *SIZE, *COUNTED, *ORIGIN]
    writer = csv.DictWriter(buffer, columns, restval="", extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue()


# ----------------------------------------------------------------------------------------------------------------- runs


def count(
    program: Path, tool: Ncu, program_options: Sequence[str], origin: Callable[[str], Row], missing: set[str]
) -> Outcome:
    """One program under ncu: its rows, and a line for all that went wrong. `missing`: the metrics already said to lack."""
    name = program.name
    # Nothing counts Vulkan. The programs take an option once.
    api = [] if any(option.partition("=")[0] == "--api" for option in program_options) else ["--api", "cuda"]
    try:
        profile = tool.profile([program, "--profile", *api, *program_options], ASKED)
    except NoPermission:
        raise
    except NcuError as error:
        fail(f"{name}: {error}")
        return Outcome(failed=True)
    if profile.code == ncu.NOTHING_TO_RUN and not profile.launches:
        fail(f"{name}: nothing can run: {profile.said}")
        return Outcome()
    rows, remarks = rows_of(profile, name, origin(name))
    failed = profile.code not in (0, ncu.NOTHING_TO_RUN)
    if failed:
        remarks.append(f"ended with {profile.code} under ncu: {profile.said}")
    elif not profile.launches:
        failed = True
        remarks.append(f"ncu counted no kernel: {profile.said}")
    elif not rows:
        failed = True
    remarks += [f"no {metric} on this GPU; its cells stay empty" for metric in profile.missing if metric not in missing]
    missing.update(profile.missing)
    for remark in remarks:
        fail(f"{name}: {remark}")
    return Outcome(rows, failed)


def count_all(
    programs: Sequence[Path],
    tool: Ncu,
    out: Path,
    program_options: Sequence[str],
    named: Sequence[str],
    analyses: Mapping[str, Analysis],
) -> int:
    """`named`: the programs all of whose cases are asked for."""
    path = out / "counters.csv"
    rows = read_old(path)
    driver_gpu = None
    missing: set[str] = set()

    def origin(experiment: str) -> Row:
        nonlocal driver_gpu
        gpu = gpu_of_results(newest_run(out, experiment))
        if gpu is None:
            gpu = driver_gpu = driver_gpu or gpu_of_driver()
        return {"gpu": gpu[0], "gpu_uuid": gpu[1], "ncu_version": tool.version}

    outcomes = []
    for number, program in enumerate(programs, start=1):
        started = time.monotonic()
        # Empty: all of its cases.
        chosen = program_options or ([] if program.name in named else list(counting(program.name, analyses).options))
        outcome = count(program, tool, chosen, origin, missing)
        outcomes.append(outcome)
        seconds = time.monotonic() - started
        print(f"{program.name} ({number} of {len(programs)}): {len(outcome.rows)} cases counted, {seconds:.0f} s", flush=True)
        if outcome.rows:
            rows = merged(rows, outcome.rows, program.name, complete=not (outcome.failed or chosen))
            out.mkdir(parents=True, exist_ok=True)
            files.write_atomic(path, csv_text(rows))
    counted = sum(len(outcome.rows) for outcome in outcomes)
    if counted:
        print(f"{counted} cases: {shown(path)}; scripts/worklog.py puts them beside the predictions")
    if any(outcome.failed for outcome in outcomes):
        return 1
    return 0 if counted else ncu.NOTHING_TO_RUN


def shown(path: Path) -> str:
    resolved = path.resolve()
    return str(resolved.relative_to(ROOT)) if resolved.is_relative_to(ROOT) else str(path)


# ----------------------------------------------------------------------------------------------------------------- main


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    given = list(sys.argv[1:] if arguments is None else arguments)
    at = given.index("--") if "--" in given else len(given)
    own, program_options = given[:at], given[at + 1 :]
    parser = argparse.ArgumentParser(
        description="Nsight Compute's hardware counters for every CUDA case of the experiments.",
        usage="%(prog)s [options] [-- program options]",
    )
    default_bin = Path(os.environ.get("BENCH_BIN") or ROOT / "build/release/bin")
    add = parser.add_argument
    add("--bin", type=Path, default=default_bin, metavar="DIR", help="the programs (default: BENCH_BIN or build/release/bin)")
    add("--out", type=Path, metavar="DIR", help="default: results/<gpu>")
    add("--only", action="append", default=[], metavar="NAME", help="only this one, e.g. exp03 (repeatable)")
    add("--ncu", metavar="PATH", help="the ncu to use")
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
    path = ncu.find(options.ncu)
    if path is None:
        fail(f"there is no ncu; {ncu.HOW_TO_GET}")
        return ncu.NOTHING_TO_RUN
    tool = Ncu(path, options.timeout)
    _ = tool.version  # before anything is run: that it is an ncu at all
    out = options.out or default_out(chosen[0], options.program_options)
    if out is None:
        fail(f"there is no device to count on; {shown(chosen[0])} --list-devices says why")
        return ncu.NOTHING_TO_RUN
    try:
        return count_all(chosen, tool, out, options.program_options, options.only, analyses)
    except NoPermission as error:
        fail(str(error))
        return ncu.NOTHING_TO_RUN


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse_arguments(arguments)
    kept = "; the rows of the experiments that were done are kept"
    return console.guarded(NAME, lambda: run(options), [NcuError], interrupted=kept)


if __name__ == "__main__":
    sys.exit(main())
