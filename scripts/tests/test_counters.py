"""scripts/counters.py, with a stand-in for Nsight Compute that replays what it is told, and what worklog.py makes of the counts."""

import csv
import io
import json
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import synthetic

import counters
import hand_in
import worklog
from analyses import rendered, study
from benchlib.counters import ncu, pm_sampling
from benchlib.model import hardware_counts
from benchlib.tables.counts import counted_comparison
from benchlib.base.errors import InputError
from test_damaged_input import damaged

EXP01, EXP03 = "exp01_vector_add", "exp03_memory_coalescing"
METRICS = counters.NCU_METRICS
LOADS, LOAD_SECTORS, STORES, STORE_SECTORS = METRICS[:4]
HIT = counters.METRICS["l2_hit_pct"]

# Replays replay/<program>.json: {out, err, code, sleep, refuse: [metrics for which it refuses the whole run]}.
NCU = """#!{python}
import json, pathlib, sys, time
if sys.argv[1:] == ["--version"]:
    print("NVIDIA (R) Nsight Compute Command Line Profiler\\nCopyright (c) 2018-2025 NVIDIA Corporation")
    sys.exit(print("Version 2025.3.1.0 (build 36398880) (public-release)"))
at = sys.argv.index("--metrics") + 1
with open({log!r}, "a") as log:
    log.write(json.dumps(sys.argv[1:]) + "\\n")
program = pathlib.Path(sys.argv[at + 1]).name
replay = json.loads((pathlib.Path({replay!r}) / (program + ".json")).read_text())
refused = [metric for metric in sys.argv[at].split(",") if metric in replay["refuse"]]
if refused:
    sys.exit(print("==ERROR== Failed to find metric " + refused[0]) or 1)
time.sleep(replay["sleep"])
sys.stderr.write(replay["err"])
sys.stdout.write(replay["out"])
sys.exit(replay["code"])
"""
# Counts what count/<program>.csv holds, if it is there, says what count/<program>.err holds, and ends with count/<program>.code.
PROGRAM = """#!/bin/sh
[ "$1" = --print-slug ] && echo {slug} && exit
[ "$1" = --count ] || exit 0
echo "$@" >> {folder}/asked
if [ -e {folder}/$(basename "$0").csv ]; then cp {folder}/$(basename "$0").csv "$2"; fi
if [ -e {folder}/$(basename "$0").sleep ]; then echo $$ > {folder}/pid; sleep 1000 & echo $! >> {folder}/pid; wait; fi
cat {folder}/$(basename "$0").err >&2
exit $(cat {folder}/$(basename "$0").code)
"""
HEAD = [
    "ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size", "Device", "CC",
]  # fmt: skip
CASE = "exp03/read_offset/block:256/offset:8/n:268435456/cold"
VALUES = {
    LOADS: "8,388,608", LOAD_SECTORS: "41,943,040", STORES: "8,388,608", STORE_SECTORS: "33,554,432",
    counters.METRICS["load_efficiency_pct"]: "80", counters.METRICS["store_efficiency_pct"]: "100",
    counters.METRICS["l1_hit_pct"]: "11.11", HIT: "50.123456789",
    counters.METRICS["l2_bytes"]: "2,415,919,104", counters.METRICS["dram_read_bytes"]: "1,073,741,824",
    counters.METRICS["dram_write_bytes"]: "1,000,000,000.00", counters.THROUGHPUTS[0]: "91.5", counters.THROUGHPUTS[1]: "45",
    counters.METRICS["launch_grid"]: "1,048,576", counters.METRICS["launch_block"]: "256",
    counters.METRICS["shared_wavefronts"]: "0",
}  # fmt: skip


def page(*launches, columns=METRICS, units=None):
    """Nsight Compute's raw page: what it and the program say, the header, the units, a row a launch."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow([*HEAD, *columns])
    writer.writerow([""] * len(HEAD) + [(units or {}).get(column, "") for column in columns])
    for number, (name, values) in enumerate(launches):
        fixed = [number, 4242, "exp03", "127.0.0.1", name, 1, 7, "(256, 1, 1)", "(1048576, 1, 1)", 0, "9.0"]
        writer.writerow([*fixed, *(values.get(column, "n/a") for column in columns)])
    before = '==PROF== Connected to process 4242 (/x/exp03)\n==PROF== Profiling "read_offset": 0%....100% - 2 passes\n'
    return f"{before}read, and so on\n{buffer.getvalue()}==PROF== Disconnected from process 4242\n"


class Bench:
    """A folder with programs, an ncu on PATH, and results."""

    def __init__(self, folder):
        self.folder = folder
        self.bin, self.out, self.log = folder / "bin", folder / "out", folder / "log"
        for name in ("bin", "tools", "replay", "out", "count"):
            (folder / name).mkdir()
        self.script(folder / "tools/ncu", NCU.format(python=sys.executable, log=str(self.log), replay=str(folder / "replay")))

    def script(self, path, text):
        path.write_text(text)
        path.chmod(0o755)

    def program(self, name, out="", err="", code=0, sleep=0, refuse=(), slug="nvidia-h200"):
        self.script(self.bin / name, PROGRAM.format(slug=slug, folder=self.folder / "count"))
        self.count(name)
        told = {"out": out, "err": err, "code": code, "sleep": sleep, "refuse": list(refuse)}
        (self.folder / f"replay/{name}.json").write_text(json.dumps(told))

    def run(self, *arguments, instrument=("--instrument", "ncu")):
        """Nsight Compute alone; instrument=(): both."""
        return counters.main(["--bin", str(self.bin), "--out", str(self.out), *instrument, *arguments])

    def count(self, name, text=None, err="", code=0):
        """What the program's --count does."""
        folder = self.folder / "count"
        (folder / f"{name}.err").write_text(err)
        (folder / f"{name}.code").write_text(str(code))
        if text is not None:
            (folder / f"{name}.csv").write_text(text)

    def rows(self):
        with open(self.out / "counters.csv", newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def commands(self):
        return [json.loads(line) for line in self.log.read_text().splitlines()]


@pytest.fixture
def bench(tmp_path, monkeypatch):
    bench = Bench(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path / 'tools'}:/usr/bin:/bin")
    for name in ("BENCH_NCU", "BENCH_BIN", "CUDA_HOME", "CUDA_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(counters, "gpu_of_driver", lambda: ("NVIDIA H200", "c4ce"))
    return bench


# ------------------------------------------------------------------------------------------------------------ the counts


def test_a_case(bench, capsys):
    bench.program(EXP03, page((CASE, VALUES)), err="[1/1] read_offset\n")
    assert bench.run() == 0
    (row,) = bench.rows()
    assert {name: value for name, value in row.items() if value} == {
        "experiment": EXP03, "variant": "read_offset", "api": "cuda", "block": "256", "offset": "8", "elements": "268435456",
        "cache": "cold", "load_requests": "8388608", "load_sectors": "41943040", "store_requests": "8388608",
        "store_sectors": "33554432", "load_sectors_per_request": "5", "store_sectors_per_request": "4",
        "load_efficiency_pct": "80", "store_efficiency_pct": "100", "l1_hit_pct": "11.11", "l2_hit_pct": "50.1235",
        "l2_bytes": "2415919104", "dram_read_bytes": "1073741824", "dram_write_bytes": "1000000000",
        "memory_throughput_pct": "91.5", "launch_grid": "1048576", "launch_block": "256", "shared_wavefronts": "0", "gpu": "NVIDIA H200",
        "gpu_uuid": "c4ce", "instrument": "ncu", "instrument_version": "2025.3.1.0",
    }  # fmt: skip
    assert list(row)[:7] == ["experiment", "variant", "api", "block", "offset", "elements", "cache"]
    said = capsys.readouterr()
    assert "1 cases counted" in said.out and not said.err
    assert sorted(path.name for path in bench.out.iterdir()) == ["counters.csv"]


def test_the_command_and_the_programs_options(bench):
    bench.program(EXP03, page((CASE, VALUES)))
    assert bench.run("--", "--variant", "read_*", "--device", "1") == 0
    (command,) = bench.commands()
    expected = ["--profile-from-start", "off", "--nvtx", "--print-nvtx-rename", "kernel", "--csv", "--page", "raw", "--print-units"]
    expected += ["base", "--clock-control", "none", "--metrics", ",".join(METRICS), str(bench.bin / EXP03), "--profile", "--api"]
    assert command == [*expected, "cuda", "--variant", "read_*", "--device", "1"]


@pytest.mark.parametrize(("name", "variant", "params"), [
    (CASE, "read_offset", {"block": "256", "offset": "8"}),
    (f'"{CASE}"', "read_offset", {"block": "256", "offset": "8"}),
    (f"{CASE}/read_offset(const float *, float *)", "read_offset", {"block": "256", "offset": "8"}),
    (f"<default domain>:{CASE} [0]", "read_offset", {"block": "256", "offset": "8"}),
    ("exp03/empty/n:268435456/cold", "empty", {}),
    ("exp03_memory_coalescing/x/mode:a.b-c/n:268435456/cold", "x", {"mode": "a.b-c"}),
])  # fmt: skip
def test_names_of_cases(name, variant, params):
    key = counters.case_key(name, EXP03)
    size = {"elements": "268435456", "cache": "cold"}
    assert key == {"experiment": EXP03, "variant": variant, "api": "cuda", **params, **size}
    for other in ("", variant, CASE.replace("exp03", "exp04"), CASE.replace("/cold", ""), CASE.replace("n:268435456", "n:x"), "exp03/x/gpu:y/n:1/cold"):
        assert counters.case_key(other, EXP03) is None


def test_programs_that_share_a_number(bench):
    case = "exp06/mp/order:relaxed/n:64/warm"
    names = ("exp06_cache_ops", "exp06_cluster")
    for name in names:
        bench.program(name, page((case, VALUES)))
    assert bench.run(*(f"--only={name}" for name in names)) == 0
    assert [(row["experiment"], row["variant"], row["order"]) for row in bench.rows()] == [
        ("exp06_cache_ops", "mp", "relaxed"), ("exp06_cluster", "mp", "relaxed"),
    ]  # fmt: skip
    assert bench.run("--only", "exp06_cache_ops", "--", "--variant", "mp") == 0
    assert [row["experiment"] for row in bench.rows()] == ["exp06_cache_ops", "exp06_cluster"]
    assert counters.case_key("exp06_cluster/mp/n:64/warm", "exp06_cache_ops") is None


def test_strange_names_and_second_launches_are_said(bench, capsys):
    names = [CASE, "evict(float *)", CASE, *(f"k{i}" for i in range(5))]
    bench.program(EXP03, page(*((name, VALUES) for name in names)))
    assert bench.run() == 0
    assert len(bench.rows()) == 1
    err = capsys.readouterr().err.splitlines()
    assert len(err) == 2
    assert "no case's" in err[0] and "'evict(float *)', 'k0', 'k1', 'k2' and 2 more" in err[0]
    assert "more than one launch" in err[1] and CASE in err[1]


@pytest.mark.parametrize(
    ("cell", "unit", "expected"),
    [("1,234,567", "", 1234567), ("12.5", "%", 12.5), ("1e3", "", 1000), ("2", "Kbyte", 2000), ("n/a", "", None), ("", "", None),
     ("nan", "%", None), ("inf", "", None), ("(!) n/a", "", None), ("-", "", None)],
)  # fmt: skip
def test_numbers(cell, unit, expected):
    assert ncu.number(cell, unit) == expected


def test_a_kernel_without_loads_has_no_loads_per_request(bench, capsys):
    none = {**VALUES, LOADS: "0", LOAD_SECTORS: "0", counters.METRICS["load_efficiency_pct"]: "nan"}
    bench.program(EXP03, page((CASE, VALUES), (CASE.replace("read", "write"), none)))
    assert bench.run() == 0
    row = bench.rows()[1]
    assert (row["load_requests"], row["load_sectors"], row["load_sectors_per_request"]) == ("0", "0", "")
    assert row["load_efficiency_pct"] == "" and not capsys.readouterr().err


# -------------------------------------------------------------------------------------------------------------- the file


def other(name, variant="add_f32"):
    return f"{name.partition('_')[0]}/{variant}/block:256/unroll:2/n:1024/warm"


def test_rows_of_the_other_experiments_stay(bench):
    bench.program(EXP03, page((CASE, VALUES), (CASE.replace("offset:8", "offset:1"), VALUES)))
    bench.program(EXP01, page((other(EXP01), VALUES)))
    assert bench.run() == 0
    assert [row["experiment"] for row in bench.rows()] == [EXP01, EXP03, EXP03]
    assert list(bench.rows()[0])[3:8] == ["block", "unroll", "offset", "elements", "cache"]
    before = (bench.out / "counters.csv").read_bytes()
    hand_in.pack(bench.out / "counters.csv")
    assert bench.run("--only", "exp03") == 0
    assert (bench.out / "counters.csv").read_bytes() == before and not (bench.out / "counters.csv.xz").exists()
    # A case that is no more goes; with options for the program it was not asked for, and stays.
    bench.program(EXP03, page((CASE, {**VALUES, HIT: "1"})))
    assert bench.run("--only", "exp03", "--", "--variant", "x") == 0
    assert sorted(row["l2_hit_pct"] for row in bench.rows()) == ["1", "50.1235", "50.1235"]
    assert bench.run("--only", EXP03) == 0
    assert [(row["experiment"], row["offset"]) for row in bench.rows()] == [(EXP01, ""), (EXP03, "8")]


def test_programs_about_latency_are_counted_only_by_name(bench):
    bench.program(EXP03, page((CASE, VALUES)))
    bench.program("exp06_ordering", page((other("exp06_ordering", "load_chain"), VALUES)))
    assert bench.run() == 0
    assert [row["experiment"] for row in bench.rows()] == [EXP03]
    assert bench.run("--only", "exp06") == counters.console.SKIPPED
    assert [row["experiment"] for row in bench.rows()] == [EXP03]
    assert bench.run("--only", "exp06_ordering") == 0
    assert [row["experiment"] for row in bench.rows()] == [EXP03, "exp06_ordering"]


def test_of_a_program_about_more_only_the_cases_about_traffic(bench):
    name = "exp06_cache_ops"
    bench.program(name, page((other(name, "reuse"), VALUES)))
    assert bench.run() == 0
    assert bench.commands()[-1][-3:] == ["--variant", "reuse,keep", "--benchmark_filter=level:l2"]
    assert bench.run("--", "--seed", "2") == 0  # chooses nothing
    assert bench.commands()[-1][-5:] == ["--variant", "reuse,keep", "--benchmark_filter=level:l2", "--seed", "2"]
    bench.program(name, page(*((other(name, variant), VALUES) for variant in ("reuse", "stream"))))
    assert bench.run("--only", name) == 0 and "--variant" not in bench.commands()[-1]
    bench.program(name, page((other(name, "reuse"), VALUES)))
    assert bench.run() == 0 and sorted(row["variant"] for row in bench.rows()) == ["reuse", "stream"]  # the other stays
    assert bench.run("--", "--variant", "rounds") == 0 and bench.commands()[-1][-2:] == ["--variant", "rounds"]


def test_what_nsight_compute_has_nothing_to_add_to(bench):
    bench.program("exp06_cluster", page((other("exp06_cluster", "multicast"), VALUES)))
    assert bench.run() == 77 and not bench.log.exists()
    bench.program(EXP03, page((CASE, VALUES)))
    assert bench.run("--", "--api=vulkan") == 77 and not bench.log.exists()


def test_a_broken_old_file_is_left_alone(bench, capsys):
    bench.program(EXP03, page((CASE, VALUES)))
    (bench.out / "counters.csv").write_text("a,b\n1,2\n")
    assert bench.run() == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "counters.csv: no column experiment" in line
    assert (bench.out / "counters.csv").read_text() == "a,b\n1,2\n" and not bench.log.exists()


# -------------------------------------------------------------------------------------------------------------- bad luck


def one_line(capsys):
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("counters.py: ")
    return line


def test_without_ncu_there_are_the_other_rows(bench, monkeypatch, capsys):
    bench.program(EXP03)
    monkeypatch.setattr(counters.ncu, "find", lambda explicit: None)
    assert bench.run() == 77 and "--ncu PATH" in one_line(capsys)
    bench.count(EXP03, pm_page(pm_line()))
    assert bench.run(instrument=()) == 0
    assert "there is no ncu" in one_line(capsys) and len(bench.rows()) == 1


def test_a_named_ncu(bench, tmp_path, monkeypatch, capsys):
    bench.program(EXP03, page((CASE, VALUES)))
    for name, words in ((tmp_path / "none", "no such program"), ("/bin/true", "is no ncu")):
        assert bench.run("--ncu", str(name)) == 1 and words in one_line(capsys)
    shutil.move(tmp_path / "tools/ncu", tmp_path / "mine")
    monkeypatch.setenv("BENCH_NCU", str(tmp_path / "mine"))
    assert bench.run() == 0


def test_no_permission_is_said_once(bench, capsys):
    error = "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters\n"
    bench.program(EXP01, error, code=1)
    bench.program(EXP03, error, code=1)
    assert bench.run() == 77
    line = one_line(capsys)
    assert "root" in line and "NVreg_RestrictProfilingToAdminUsers=0" in line
    assert "https://developer.nvidia.com/ERR_NVGPUCTRPERM" in line
    assert len(bench.commands()) == 1


def test_a_metric_that_the_gpu_lacks(bench, capsys):
    lacking = {name: value for name, value in VALUES.items() if name != HIT}
    present = [name for name in METRICS if name != STORES]
    bench.program(EXP01, page((other(EXP01), lacking), columns=present))
    bench.program(EXP03, page((CASE, {**lacking, HIT: ""}), columns=present))
    assert bench.run() == 0
    for row in bench.rows():
        assert row["l2_hit_pct"] == row["store_requests"] == row["store_sectors_per_request"] == "" and row["load_sectors"]
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2 and STORES in lines[0] and HIT in lines[1]  # once, not for every program


def test_a_run_refused_for_one_metric_is_repeated_without_it(bench, capsys):
    present = [name for name in METRICS if name not in (HIT, STORES)]
    for name, case in ((EXP01, other(EXP01)), (EXP03, CASE)):
        bench.program(name, page((case, VALUES), columns=present), refuse=[HIT, STORES])
    assert bench.run() == 0
    assert [row["l2_hit_pct"] for row in bench.rows()] == ["", ""]
    assert len(bench.commands()) == 4  # three runs to find the two out, and one
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2 and STORES in lines[0] and HIT in lines[1]


@pytest.mark.parametrize(("told", "words"), [
    ({"out": '==PROF== x\n"ID","Process Name","Function"\n'}, "no column Kernel Name"),
    ({"out": '==PROF== x\n"Launch","Kernel Name"\n'}, "no column ID"),
    ({"out": '==PROF== x\n"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n'}, "none of the metrics' columns"),
    ({"out": "==WARNING== No kernels were profiled.\n"}, "ncu counted no kernel: ==WARNING== No kernels were profiled."),
    ({"out": page(("read_offset", VALUES))}, "no case's"),
    ({"sleep": 60}, f"{EXP01}: ncu --profile-from-start: not done after 8 s, so it was ended (see --timeout)"),
])  # fmt: skip
def test_one_program_that_cannot_be_counted_costs_the_others_nothing(bench, capsys, told, words):
    bench.program(EXP01, **told)
    bench.program(EXP03, page((CASE, VALUES)))
    assert bench.run("--timeout", "8" if "sleep" in told else "60") == 1  # the other program has its time on a busy machine, too
    assert words in capsys.readouterr().err
    assert [row["experiment"] for row in bench.rows()] == [EXP03]


def test_a_program_that_fails(bench, capsys):
    bench.program(EXP01, "==PROF== Connected\n==ERROR== The application returned an error code (3).\n", "a\nb\nno memory\n", 1)
    bench.program(EXP03, page((CASE, VALUES)), "one case failed\n", 1)
    assert bench.run() == 1
    assert [row["experiment"] for row in bench.rows()] == [EXP03]  # what was counted before the failure stays
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert f"{EXP01}: ended with 3 under ncu" in lines[0] and "no memory" in lines[0] and "error code (3)" in lines[0]
    assert f"{EXP03}: ended with 1 under ncu: one case failed" in lines[1]


def test_no_gpu(bench, capsys):
    bench.program(EXP03, "", "cuda: cudaErrorNoDevice\n", 77)
    assert bench.run() == 77
    assert "nothing can run: cuda: cudaErrorNoDevice" in one_line(capsys)
    bench.program(EXP03, "==WARNING== The application returned an error code (77).\n", "cuda: no device\n", 9)
    assert bench.run() == 77
    bench.program(EXP03, slug="none")
    capsys.readouterr()
    assert counters.main(["--bin", str(bench.bin)]) == 77
    assert "no device" in one_line(capsys)
    assert not (bench.out / "counters.csv").exists()


# ---------------------------------------------------------------------------------------------- the programs' own counts

PM = "CUPTI API 130001 PM sampling, GH100"
PM_HEAD = (
    "experiment,variant,api,block,offset,elements,cache,instrument,reason,launches,sm_l2_sectors,l1_sectors,l1_hit_sectors,l2_sectors,"
    "dram_read_bytes,sm_mhz,gpu,gpu_uuid,driver,git_rev"
)


def pm_line(variant="read_offset", api="cuda", l1="72", reason="", experiment=EXP03):
    counts = f"8,64,{l1},18,96,2048,1980" if not reason else ",,,,,,"
    return f"{experiment},{variant},{api},256,8,1024,warm,\"{PM}\",{reason},{counts},NVIDIA H200,c4ce,580.1,abc"


def pm_page(*lines):
    return "\n".join([PM_HEAD, *lines]) + "\n"


@pytest.mark.parametrize(("busy", "cycles", "is_count"), ((4.06e8, 5.25e7, False), (4.06e8, 1.03e8, True), (4.06e8, 0, True)))
def test_more_cycles_than_there_were_are_no_count(tmp_path, busy, cycles, is_count):
    """Seen once on an H200: one launch of many had half its samples."""
    (tmp_path / "count.csv").write_text(f"experiment,variant,api,elements,cache,instrument,reason,launches,tensor_cycles,sm_active_cycles\nexp07,rate,vulkan,64,warm,\"{PM}\",,45,{busy},{cycles}\n")
    (row,) = pm_sampling.rows_of(tmp_path / "count.csv", "exp07")
    assert ("tensor_cycles" in row, "missed samples" in row["reason"]) == (is_count, not is_count)


def test_the_scripts_read_what_the_programs_count():
    """What PM_COUNTED lacks is counted, and then dropped."""
    counted = re.findall(r'Metric(?: \w+)?\{"(\w+)"', (Path(__file__).resolve().parents[2] / "common/core/run/counting.cpp").read_text(encoding="utf-8"))
    assert sorted(counters.counters_file.PM_COUNTED) == sorted(counted)


def test_both_apis_by_one_instrument(bench, capsys):
    bench.program(EXP03, page((CASE, VALUES)))
    bench.count(EXP03, pm_page(pm_line(), pm_line(api="vulkan")), err="exp03: 2 kernels counted\n")
    assert bench.run(instrument=()) == 0
    cuda, vulkan, ncu_row = bench.rows()
    assert {name: value for name, value in vulkan.items() if value} == {
        "experiment": EXP03, "variant": "read_offset", "api": "vulkan", "block": "256", "offset": "8", "elements": "1024",
        "cache": "warm", "instrument": "pm_sampling", "launches": "8", "sm_l2_sectors": "64", "l1_sectors": "72",
        "l1_hit_sectors": "18", "l1_hit_pct": "25", "l2_sectors": "96", "l2_bytes": "3072", "dram_read_bytes": "2048", "sm_mhz": "1980",
        "gpu": "NVIDIA H200", "gpu_uuid": "c4ce", "driver": "580.1", "git_rev": "abc", "instrument_version": PM,
    }  # fmt: skip
    assert (cuda["instrument"], ncu_row["instrument"], ncu_row["load_requests"]) == ("pm_sampling", "ncu", "8388608")
    said = capsys.readouterr()
    assert "2 cases counted by CUPTI's PM sampling" in said.out and "3 cases:" in said.out and not said.err


def test_each_instrument_replaces_its_own_rows(bench):
    bench.program(EXP03, page((CASE, VALUES)))
    bench.count(EXP03, pm_page(pm_line(), pm_line("gone")))
    assert bench.run(instrument=()) == 0
    bench.count(EXP03, pm_page(pm_line(l1="73")))
    assert bench.run(instrument=("--instrument", "pm_sampling")) == 0
    assert [(row["instrument"], row["variant"], row["l1_sectors"]) for row in bench.rows()] == [
        ("pm_sampling", "read_offset", "73"), ("ncu", "read_offset", ""),
    ]  # fmt: skip


def test_what_a_run_has_verified_is_verified_by_its_checksums(bench, tmp_path):
    """By either instrument."""
    bench.program(EXP03, page((CASE, VALUES)))
    bench.count(EXP03, pm_page(pm_line()))
    assert bench.run("--verified", str(tmp_path), instrument=()) == 0
    (tmp_path / f"{EXP03}.checksums").touch()
    assert bench.run("--verified", str(tmp_path), instrument=()) == 0
    for without, asked in ((bench.folder / "count/asked").read_text().splitlines(), map(" ".join, bench.commands())):
        assert "--checksums" not in without and f" --checksums {tmp_path}/{EXP03}.checksums" in asked


@pytest.mark.parametrize("name", [EXP01, EXP03, "exp05_strided"])
def test_nsight_compute_does_not_count_a_kernel_twice(bench, name):
    """Without the driver's checks CUDA's kernel is the same. PM sampling counts both APIs, and so every case."""
    bench.program(name, page((other(name, "copy"), VALUES)))
    bench.count(name, pm_page(pm_line()).replace(EXP03, name))
    assert bench.run(instrument=()) == 0
    assert bench.commands()[-1][-1] == "--benchmark_filter=-checks:off"
    assert "--benchmark_filter" not in (bench.folder / "count/asked").read_text()


@pytest.mark.parametrize(("text", "err", "code", "words"), [
    (None, "nothing is counted: no libcupti\n", 77, "nothing is counted: no libcupti"),
    (None, "a\nb: unknown option --count\n", 2, "--count ended with 2: b: unknown option --count"),
    (None, "", 0, "--count ended with 0: it said nothing"),
    ("experiment", "", 0, "exp01_vector_add.csv: the last line is cut short"),
    ("a,b\n1,2\n", "", 0, "exp01_vector_add.csv: no column experiment"),
    (pm_page(pm_line(experiment=EXP01, l1="many")), "", 0, "line 2: l1_sectors is 'many', no count"),
    (pm_page(pm_line(experiment=EXP01, l1="-4")), "", 0, "line 2: l1_sectors is '-4', no count"),
    (pm_page(pm_line(experiment=EXP03)), "", 0, "line 2: a row of experiment 'exp03_memory_coalescing'"),
])  # fmt: skip
def test_a_program_that_cannot_count_is_one_line(bench, capsys, text, err, code, words):
    bench.program(EXP01)
    bench.count(EXP01, text, err, code)
    bench.program(EXP03)
    bench.count(EXP03, pm_page(pm_line()))
    assert bench.run(instrument=("--instrument", "pm_sampling")) == (1 if code not in (0, 77) or text else 0)
    assert words in one_line(capsys)
    assert [row["experiment"] for row in bench.rows()] == [EXP03]


def test_what_was_counted_before_a_failure_stays(bench, capsys):
    bench.program(EXP03)
    bench.count(EXP03, pm_page(pm_line(), pm_line("b")))
    assert bench.run(instrument=("--instrument", "pm_sampling")) == 0
    bench.count(EXP03, pm_page(pm_line(l1="73")), err="the device was lost\n", code=3)
    assert bench.run(instrument=("--instrument", "pm_sampling")) == 1
    assert [(row["variant"], row["l1_sectors"]) for row in bench.rows()] == [("b", "72"), ("read_offset", "73")]
    assert "--count ended with 3: the device was lost" in one_line(capsys)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_killed_count_leaves_no_child(bench, number):
    bench.program(EXP03)
    (bench.folder / f"count/{EXP03}.sleep").touch()
    command = [sys.executable, str(counters.ROOT / "scripts/counters.py"), "--bin", str(bench.bin), "--out", str(bench.out)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    path = bench.folder / "count/pid"
    deadline = time.monotonic() + 20
    while not (path.exists() and len(path.read_text().split()) == 2):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(number)
    _, err = process.communicate(timeout=20)
    assert process.returncode == {signal.SIGTERM: 143, signal.SIGINT: 130}[number] and len(err.splitlines()) == 1
    while any(Path("/proc", pid).exists() for pid in path.read_text().split()):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_damaged_counts_never_end_in_a_traceback(bench):
    chance = random.Random(1)
    whole = pm_page(*(pm_line(variant, api) for variant in "abc" for api in ("cuda", "vulkan")))
    path = bench.folder / f"{EXP03}.csv"
    for _ in range(300):
        path.write_bytes(damaged(whole, chance))
        try:
            rows = pm_sampling.rows_of(path, EXP03)
        except InputError as error:
            assert len(str(error)) < 1000
            continue
        written = counters.counters_file.csv_text(rows)
        (bench.out / "counters.csv").write_text(written)
        assert counters.counters_file.csv_text(counters.counters_file.read(bench.out / "counters.csv")) == written


# ------------------------------------------------------------------------------------------- predictions and counts compared


def compared(root, text):
    """What experiment 3's predictions and these counts say of each other."""
    folder = root / worklog.REFERENCE
    (folder / "counters.csv").write_text(text)
    found = study(folder)
    return rendered(counted_comparison(found, found.tables[EXP03]))


def cells(text, first):
    """The rows of tables that begin with that cell."""
    lines = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line] for line in lines if line[0].strip() == first]


def test_counts_of_both_apis_agree_with_the_prediction(root):
    found = compared(root, synthetic.sampled_text(EXP03))
    cases = len([row for row in synthetic.exp03_rows() if row["api"] == "cuda"])
    for first in ("CUDA, to the prediction", "Vulkan, to the prediction", "Vulkan, to CUDA"):
        assert cells(found, first) == [[first, *[str(cases)] * 4, "0", "0.00"]]


def test_a_kernel_that_asks_for_more_in_one_api_is_listed(root):
    def more(cells):
        if (cells["variant"], cells["api"]) == ("read_aos_x", "vulkan"):
            cells["l1_sectors"] *= 1.03
        if cells["variant"] == "read_same":
            cells["l1_sectors"] *= 0.9  # in both
        if (cells["variant"], cells["api"]) == ("read_permuted", "vulkan"):
            cells["l1_sectors"] *= 1.015

    found = compared(root, synthetic.sampled_text(EXP03, change=more))
    total, within, near, beyond = map(int, cells(found, "Vulkan, to the prediction")[0][2:6])
    assert (total - within, total - near, beyond) == (5, 3, 3), "read_permuted twice, with checks and without"
    listed = [line for line in found.splitlines() if line.startswith("| read_")]
    assert [line.split()[1] for line in listed] == ["read_aos_x", "read_aos_x", "read_same"]
    assert "Vulkan +3.0 %" in listed[0] and "CUDA -10.0 %; Vulkan -10.0 %" in listed[2]


def test_the_instrument_is_checked(root):
    def worse(cells):
        if cells["variant"] == "read_permuted":
            cells["l1_sectors"] *= 1.006

    texts = (synthetic.sampled_text(EXP03, change=worse), synthetic.counters_text(EXP03))
    found = compared(root, counters.counters_file.csv_text([row for text in texts for row in csv.DictReader(io.StringIO(text))]))
    for first in ("sectors, to Nsight Compute", "sectors, to the prediction"):
        (row,) = cells(found, first)
        assert row[2] == f"{int(row[1]) - 1} within 0.5 %" and row[3] == "0.600" and row[4].startswith("read_permuted")


def test_counts_of_another_experiment_say_nothing(root):
    bare = ",".join([*counters.counters_file.KEY, *counters.counters_file.SIZE, "instrument", *counters.counters_file.NCU_COUNTED])
    assert compared(root, f"{bare}\n{EXP01}" + "," * bare.count(",") + "\n") == ""


@pytest.mark.parametrize(("predicted", "count", "expected"), [(4, 4, False), (4, 4.016, False), (4, 4.03, True), (4, 3.9, True), (4, None, False), (None, 4, False), (0, 0.25, False)])
def test_what_counts_as_different(predicted, count, expected):
    assert hardware_counts.differs(predicted, count) == expected
