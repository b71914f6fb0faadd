"""What once was a traceback, a process left behind, or minutes of work for one bad line."""

from __future__ import annotations

import errno
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import synthetic
from benchlib.base import files, parallel
from benchlib.counters import ncu
from benchlib.sass import listings, sass, sass_address, sass_dump
from benchlib.results.results import InputError

SCRIPTS = Path(__file__).resolve().parents[1]
MAPS_FOR_EVER = """
import sys, time
sys.path.insert(0, {scripts!r})
from benchlib.base import console, parallel

def forever(item):
    open({folder!r} + f"/{{__import__('os').getpid()}}", "w").close()
    while True:
        time.sleep(0.05)

sys.exit(console.run_cli("x", lambda: len(parallel.map_all(forever, list(range(64))))))
"""


def alive(number: int) -> bool:
    try:
        state = Path(f"/proc/{number}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.mark.parametrize(("how", "code"), [(signal.SIGTERM, 143), (signal.SIGKILL, -9), (signal.SIGINT, 130)])
def test_no_worker_outlives_its_parent(tmp_path: Path, how: signal.Signals, code: int) -> None:
    text = MAPS_FOR_EVER.format(scripts=str(SCRIPTS), folder=str(tmp_path))
    if (os.cpu_count() or 1) < 2:
        pytest.skip("one processor: no workers")
    with subprocess.Popen([sys.executable, "-B", "-c", text], stderr=subprocess.PIPE) as parent:
        end = time.monotonic() + 30
        while len(list(tmp_path.iterdir())) < 2 and time.monotonic() < end:
            time.sleep(0.05)
        workers = [int(path.name) for path in tmp_path.iterdir()]
        parent.send_signal(how)
        assert len(workers) >= 2 and parent.wait(timeout=20) == code
        end = time.monotonic() + 10
        while any(map(alive, workers)) and time.monotonic() < end:
            time.sleep(0.05)
        assert not any(map(alive, workers))


def square(number: int) -> tuple[int, int]:
    return number * number, os.getpid()


def not_found(number: int) -> None:
    raise FileNotFoundError(number)


@pytest.mark.parametrize("most", [0, 1])
def test_work_is_done_where_no_process_can_be_started(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Or one of three."""
    begun: list[multiprocessing.process.BaseProcess] = []
    start = multiprocessing.process.BaseProcess.start

    def start_few(process: multiprocessing.process.BaseProcess) -> None:
        if len(begun) == most:
            raise OSError(errno.ENOMEM, "Cannot allocate memory")
        begun.append(process)
        start(process)

    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    monkeypatch.setattr(multiprocessing.process.BaseProcess, "start", start_few)
    assert parallel.map_all(square, range(64)) == [(number * number, os.getpid()) for number in range(64)]
    for process in begun:
        process.join(10)
    assert len(begun) == most and not any(process.is_alive() for process in begun)


def test_what_the_work_raises_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    with pytest.raises(FileNotFoundError, match="^0$"):
        parallel.map_all(not_found, range(64))
    assert len({pid for _, pid in parallel.map_all(square, range(64))} - {os.getpid()}) >= 1


@pytest.mark.parametrize(
    "lines",
    [
        ["LDC.64"], ["LDC.64 R2"], ["MOV"], ["HFMA2 R1, -RZ, RZ"], ["IMAD.WIDE"], ["LEA R2, R1, R3, 0xffffffffffff"], ["LDG.E"],
        ["STG"], ["S2R R0, SR_TID.X", "SHF.L.U32 R2, R0, 0x7fffffff, RZ", "LDG.E R4, [R2.64]"], ["ISETP"], ["ULDC.64 UR4"],
        ["LDG.E R" + "9" * 5000 + ", [R" + "9" * 5000 + ".64]"], ["BRA 0x" + "f" * 5000], ["IADD3"], ["IADD3 R1"], ["CS2R"],
        ["LDC R1, c[0x0][0x" + "f" * 5000 + "]"], ["MOV R2, 0x" + "f" * 5000, "LDG.E R4, [R2.64]"],
    ],
)  # fmt: skip
def test_listings_cut_short(lines: list[str]) -> None:
    code = listings.parse("".join(f"{16 * at:04x} {line}\n" for at, line in enumerate([*lines, "LDG.E R0, [R2.64]", "EXIT"])))
    marked = sass.mark_roles(code, descriptors=True)
    assert sum(sass.count(marked, descriptors=True)[column] for column in sass.EXCLUSIVE) == len(code)
    for at, _ in enumerate(marked):
        sass_address.access_scale(marked, at)


INDEX = (
    '{"schema": 1, "experiment": "exp01_x", "gpu": "NVIDIA H200", "driver": "580", "kernels": [{"kernel": "k", "stem": "s", '
    '"api": "cuda", "arch": "sm_90a", "constants": [], "code": null, "isa_hash": "", "statistics": {"numRegs": 8}, "reason": "r"}]}'
)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"schema": 1', '"schema": 2', "schema 2"),
        ('"exp01_x"', '"../../etc"', "not a plain name"),
        ('"api": "cuda"', '"api": "metal"', "neither cuda nor vulkan"),
        ('"code": null', '"code": "../../../etc/passwd"', "not a plain name"),
        ('"constants": []', '"constants": ["a"]', "constants is ['a'], not a list of whole numbers"),
        ('"constants": []', '"constants": [true]', "constants is [True]"),
        ('"constants": []', '"constants": {"a": 1}', "constants is {'a': 1}"),
        ('"numRegs": 8', '"numRegs": Infinity', "Infinity is no number"),
        ('"numRegs": 8', '"numRegs": 1e999', "numRegs is inf, not a number of registers"),
        ('"numRegs": 8', '"numRegs": ' + "9" * 5000, "digits"),
        ('"NVIDIA H200"', '["x"]', "gpu is ['x'], not a text"),
        ('"isa_hash": ""', '"isa_hash": "../x"', "isa_hash is '../x'"),
        ('"code": null', '"code": "pipe"', "code: there is no file pipe"),
        ('"kernel": "k"', '"kernel": "../k"', "kernel is '../k', not a plain name"),
        ('"sm_90a"', '"sm_\u0669\u0660"', "not like sm_90a"),
        (INDEX, "[" * 200000, "recursion"),
        (INDEX, '{"a":' * 200000, "recursion"),
        (INDEX, " " * (9 << 20), "longer than 8 MiB"),
    ],
)
def test_bad_indexes(tmp_path: Path, old: str, new: str, message: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "index.json").write_text(INDEX, encoding="utf-8")
    assert sass_dump.read_dump(tmp_path).kernels[0].registers == 8
    assert old in INDEX
    (tmp_path / "index.json").write_text(INDEX.replace(old, new), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        sass_dump.read_dump(tmp_path)
    assert message in str(caught.value) and str(caught.value).isprintable()


def test_a_long_field_of_ncus() -> None:
    page = '"ID","Kernel Name","m"\n"","","byte"\n"0","k","5"\n"1","{}","6"\n"2","l","7"\n'
    for long in ("x" * (200 << 10), "x" * (1 << 22)):
        assert [launch.name for launch in ncu.read(page.format(long), ["m"]).launches] == ["k", "l"]


def test_a_folder_whose_name_is_no_text(tmp_path: Path) -> None:
    folder = tmp_path / "r\udcff"
    synthetic.write(folder, "exp01_vector_add", synthetic.exp01_rows())
    synthetic.with_whole_uuid(folder)
    environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
    for program in ("worklog.py", "report.py"):
        command = [sys.executable, "-B", str(SCRIPTS / program), os.fsencode(folder)]
        ended = subprocess.run(command, capture_output=True, env=environment, timeout=120, check=False)
        assert (ended.returncode, ended.stderr) == (0, b"") and b"r\\udcff" in ended.stdout, program
        (folder / "exp01_vector_add.csv").write_text("\n", encoding="utf-8")
        ended = subprocess.run(command, capture_output=True, env=environment, timeout=120, check=False)
        assert ended.returncode == 1 and ended.stderr.count(b"\n") == 1 and b"names no columns" in ended.stderr
        synthetic.write(folder, "exp01_vector_add", synthetic.exp01_rows())
        synthetic.with_whole_uuid(folder)


@pytest.mark.parametrize("kind", ["one line of commas", "rows of commas", "one long cell"])
def test_memory_is_bounded_by_the_input(tmp_path: Path, kind: str) -> None:
    # 100 MB of commas took 4.4 GB.
    header = synthetic.csv_text("exp01_vector_add", [])
    rows = ("," * header.count(",") + "\n") * (1 << 20)
    text = {"one line of commas": "," * (64 << 20) + "\n", "rows of commas": header + rows, "one long cell": "x" * (64 << 20)}[kind]
    (tmp_path / "exp01_vector_add.csv").write_text(text, encoding="utf-8")
    program = (
        f"import resource, sys; sys.path.insert(0, {str(SCRIPTS)!r})\n"
        "resource.setrlimit(resource.RLIMIT_AS, (256 << 20,) * 2)\n"
        f"import pathlib; from benchlib.results import results\n"
        f"try: results.load(pathlib.Path({str(tmp_path)!r}))\n"
        "except results.InputError as error: sys.exit(3)\n"
    )
    assert subprocess.run([sys.executable, "-B", "-c", program], timeout=120, check=False).returncode == 3


def test_every_script_says_what_it_is_for() -> None:
    asked = {path.name: subprocess.Popen([sys.executable, "-B", path, "--help"], stdout=subprocess.PIPE, text=True) for path in SCRIPTS.glob("*.py")}
    said = {name: (process.communicate(timeout=60)[0], process.returncode) for name, process in asked.items()}
    assert len(said) > 15 and [name for name, (text, code) in said.items() if code or "usage: " not in text] == []


@pytest.mark.parametrize("streams", [{"stdout": "/dev/full"}, {"stdout": "/dev/full", "stderr": "/dev/full"}, {"stderr": "/dev/full"}])
def test_of_what_cannot_be_written_the_name_is_said(tmp_path: Path, streams: dict[str, str]) -> None:
    """A full disk under the file, or behind what is printed: never an error of no file, and nothing half written."""
    program = (
        f"import resource, signal, sys; sys.path.insert(0, {str(SCRIPTS)!r})\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (4, 4))\n"
        "from pathlib import Path; from benchlib.base import console, files\n"
        f"sys.exit(console.run_cli('x', lambda: print('words') or files.write_atomic(Path({str(tmp_path / 'page.md')!r}), 'x' * 99) or 0))\n"
    )
    given = {name: open(streams[name], "w") if name in streams else subprocess.PIPE for name in ("stdout", "stderr")}
    done = subprocess.run([sys.executable, "-B", "-c", program], text=True, timeout=60, check=False, **given)
    said = (done.stdout or "") + (done.stderr or "")
    assert done.returncode in (1, 120) and "Traceback" not in said and list(tmp_path.iterdir()) == []
    assert "page.md" in said or ("what is printed" in said and "stdout" in streams) or len(streams) == 2


def test_what_is_written_to(tmp_path: Path) -> None:
    real, link, pipe = tmp_path / "real", tmp_path / "link", tmp_path / "pipe"
    real.write_text("before", encoding="utf-8")
    real.chmod(0o640)
    link.symlink_to(real)
    files.write_atomic(link, "after")
    assert link.is_symlink() and real.read_text(encoding="utf-8") == "after" and real.stat().st_mode & 0o777 == 0o640
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
        files.write_atomic(pipe, "through")
        assert reader.communicate(timeout=20)[0] == b"through" and pipe.is_fifo()
    mask = os.umask(0o077)
    try:
        files.write_atomic(tmp_path / "new", b"x")
    finally:
        os.umask(mask)
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "new", "pipe", "real"]
