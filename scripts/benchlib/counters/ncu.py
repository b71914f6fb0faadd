"""Running Nsight Compute (ncu) over an experiment program, and reading the CSV it prints (--page raw)."""

import csv
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchlib.base import children, programs
from benchlib.base.errors import InputError
from benchlib.base.kept import kept_property

HOW_TO_GET = "install Nsight Compute (package nsight-compute of the CUDA toolkit), or name an ncu with --ncu PATH or BENCH_NCU"
HOW_TO_ALLOW = (
    "the driver keeps the GPU's counters from this user (ERR_NVGPUCTRPERM): run as root, or load the kernel module with "
    "NVreg_RestrictProfilingToAdminUsers=0; see https://developer.nvidia.com/ERR_NVGPUCTRPERM"
)
OPTIONS = [
    "--profile-from-start", "off", "--nvtx", "--print-nvtx-rename", "kernel", "--csv", "--page", "raw", "--print-units", "base",
    "--clock-control", "none",
]  # fmt: skip
# What counters.csv has in figures, a row a case.
KERNEL_NAME = "Kernel Name"
_VERSION_TIMEOUT_S = 60
_SCALES = {"Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9}  # --print-units base should leave none
_NUMBER = re.compile(r"[+-]?(\d[\d,]*)(\.\d+)?([eE][+-]?\d+)?")
_APPLICATION_CODE = re.compile(r"application returned an error code \((\d+)\)", re.IGNORECASE)
_LAST_LINES = 3
_MOST_LINE = 1 << 17  # a row of figures is a few KiB; longer is what some program said


class NoPermission(InputError):
    """The driver does not let this user read the counters: no program will fare better."""


@dataclass
class CountedLaunch:
    """One kernel launch that ncu counted. A metric without a number is not there."""

    name: str
    values: dict[str, float] = field(default_factory=dict)


@dataclass
class Profile:
    """What one run under ncu gave."""

    launches: list[CountedLaunch] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)  # metrics without a number in any launch
    code: int = 0  # the program's exit code
    said: str = ""  # ncu's and the program's last lines


def find(explicit: str | None = None) -> Path | None:
    """An ncu: the one named, else the one on PATH, else the CUDA toolkit's, else the newest stand-alone one."""
    others = sorted(Path("/opt/nvidia/nsight-compute").glob("*/ncu"), reverse=True)
    return programs.find_tool("ncu", "BENCH_NCU", explicit, others)


class Ncu:
    def __init__(self, path: Path, timeout_s: float):
        self.path = path
        self.timeout_s = timeout_s
        self.refused: list[str] = []  # metrics that this ncu or GPU does not know: found out once, for all programs

    @kept_property
    def version(self) -> str:
        _, out, err = children.run([self.path, "--version"], _VERSION_TIMEOUT_S)
        match = re.search(r"^Version (\d\S*)", out, re.MULTILINE)
        if "Nsight Compute" not in out or not match:
            raise InputError(f"{self.path} is no ncu: its --version says {ascii(last_lines(out + err, 1))}")
        return match[1]

    def profile(self, command: Sequence[str | Path], metrics: Sequence[str]) -> Profile:
        """Runs the program under ncu; again without a metric for which ncu refused the whole run."""
        while True:
            wanted = [metric for metric in metrics if metric not in self.refused]
            if not wanted:
                raise InputError(f"{self.path} knows none of the metrics")
            code, out, err = children.run([self.path, *OPTIONS, "--metrics", ",".join(wanted), *command], self.timeout_s, "--timeout")
            if "ERR_NVGPUCTRPERM" in out + err:
                raise NoPermission(HOW_TO_ALLOW)
            said = _APPLICATION_CODE.search(out + err)
            profile = read(out, wanted)
            profile.code = int(said[1]) if said else code
            profile.said = end_of(out, err)
            profile.missing = [metric for metric in metrics if metric in self.refused or metric in profile.missing]
            unknown = [] if profile.launches else refused_metrics(out + err, wanted)
            if not unknown:
                return profile
            self.refused += unknown


def refused_metrics(text: str, metrics: Sequence[str]) -> list[str]:
    """The metrics named in a complaint: ==ERROR== Failed to find metric x.sum."""
    complaints = [line for line in text.splitlines() if re.search(r"==(ERROR|WARNING)==|failed to find", line, re.IGNORECASE)]
    complaints = [line for line in complaints if "metric" in line.lower()]
    words = {word.strip(".,;:'\"^$()") for line in complaints for word in re.split(r"[\s,]+", line.replace("\\", ""))}
    return [metric for metric in metrics if words & {metric, metric.partition(".")[0]}]


def read(text: str, metrics: Sequence[str]) -> Profile:
    """The launches in ncu's output: a header with the columns' names, a row of units, a row a launch; before, between and after
    them what ncu and the program say. No header at all: nothing was counted.
    """
    rows = _records(text)
    header = next((row for row in rows if row[0] == "ID" or KERNEL_NAME in row), None)
    if header is None:
        return Profile()
    for column in ("ID", KERNEL_NAME):
        if column not in header:
            raise InputError(f"ncu's output has no column {column}; it has {_some(header)}")
    present = [metric for metric in metrics if metric in header]
    if not present:
        raise InputError(f"ncu's output has none of the metrics' columns; it has {_some(header)}")
    units: dict[str, str] = {}
    profile = Profile()
    for row in rows:
        if len(row) != len(header):
            continue
        cells = dict(zip(header, row))
        if not cells["ID"]:
            units = units or cells
        elif cells["ID"].isdigit():
            numbers = {metric: number(cells[metric], units.get(metric, "")) for metric in present}
            values = {metric: value for metric, value in numbers.items() if value is not None}
            profile.launches.append(CountedLaunch(cells[KERNEL_NAME], values))
    if profile.launches:
        profile.missing = [m for m in metrics if not any(m in launch.values for launch in profile.launches)]
    return profile


def _records(text: str) -> Iterator[list[str]]:
    for line in text.splitlines():
        if "," in line and len(line) <= _MOST_LINE:
            try:
                yield next(csv.reader([line]), None) or [""]
            except csv.Error:  # prose: of the program, or of ncu
                continue


def _some(names: Sequence[str]) -> str:
    return ", ".join(ascii(name)[1:-1] for name in names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


def number(cell: str, unit: str = "") -> float | None:
    """1,234,567 as Nsight Compute writes it; None for n/a, nan and an empty cell."""
    text = cell.strip()
    if not _NUMBER.fullmatch(text):
        return None
    value = float(text.replace(",", "")) * _SCALES.get(unit.strip(), 1)
    return value if math.isfinite(value) else None


def end_of(out: str, err: str) -> str:
    """How a run ended: the program's last lines (its prose is on stderr) and ncu's last complaint, wherever it stands."""
    theirs = [line for line in (err if err.strip() else out).splitlines() if not re.match(r'==\w+==|"', line)]
    complaints = [line for line in (out + "\n" + err).splitlines() if re.match(r"==(ERROR|WARNING)==", line)]
    return last_lines("\n".join(theirs[-_LAST_LINES:] + complaints[-1:]), _LAST_LINES + 1)


def last_lines(text: str, count: int) -> str:
    """The last lines, on one."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return "; ".join(lines[-count:]) or "it said nothing"
