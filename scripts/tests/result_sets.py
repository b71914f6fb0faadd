"""Sets of results as other owners of a GPU would have them, made from the published ones: other models, fewer runs, no CUDA, no GPU."""

from __future__ import annotations

import csv
import io
import json
import lzma
import shutil
from collections.abc import Callable
from pathlib import Path

from benchlib.base.csv_file import Reader, stem
from benchlib.results import schema

REPOSITORY = Path(__file__).resolve().parents[2]
BOARD = REPOSITORY / "results" / "nvidia-h200" / "boards" / "149980f6"
LLVMPIPE = Path(__file__).resolve().parent / "fixtures" / "llvmpipe"
PROGRAMS = ("exp01_vector_add", "exp02_descriptors", "exp03_memory_coalescing", "exp05_strided", "exp06_litmus", "exp06_ordering")
NO_CUDA = "cudaErrorNoDevice (100): no CUDA-capable device is detected; this GPU is not NVIDIA's"
TIMES = ("device_ns", "device_ns_lo", "device_ns_hi", "device_ns_min", "device_ns_p05", "device_ns_p95", "roundtrip_ns")
RATES = ("gbps", "peak_pct")
IDENTITY = ("schema", "experiment", "variant", "api", "status", "reason")
KEPT = ("run", "seed", "input_seed", "case_order", "git_rev", "started_at", "toolkit", "device_losses", "order")

Row = dict[str, str]
Change = Callable[[Row, int, set[str]], None]  # a row, the run's number from 0, the names of the case's columns


def scaled(row: Row, factor: float) -> None:
    """Its times, and the rates that follow from them."""
    for name in TIMES:
        if row.get(name):
            row[name] = f"{float(row[name]) * factor:.6g}"
    for name in RATES:
        if row.get(name):
            row[name] = f"{float(row[name]) / factor:.6g}"


def as_h100(row: Row, run: int, keys: set[str]) -> None:
    row["gpu"] = row["gpu"] and "NVIDIA H100 80GB HBM3"
    scaled(row, 1.3)


def without_cuda(row: Row, run: int, keys: set[str]) -> None:
    row["gpu"] = row["gpu"] and "AMD Radeon RX 7900 XTX"
    if row["api"] == "cuda":
        for name in row.keys() - keys - {*IDENTITY, *KEPT, "gpu"}:
            row[name] = ""
        row |= {"status": "skipped", "reason": NO_CUDA, "gpu": ""}


def with_faster_vulkan(row: Row, run: int, keys: set[str]) -> None:
    if row["api"] == "vulkan":
        scaled(row, 0.8)


def undecided(row: Row, run: int, keys: set[str]) -> None:
    """Each run tells another tale."""
    if row["api"] == "vulkan":
        scaled(row, (0.5, 1.9, 1.0)[run % 3])


def unchanged(row: Row, run: int, keys: set[str]) -> None:
    pass


SETS: dict[str, tuple[int, Change]] = {
    "h200": (3, unchanged), "h200-one-run": (1, unchanged), "h100": (3, as_h100), "vulkan-alone": (3, without_cuda),
    "faster": (3, with_faster_vulkan), "unclear": (3, undecided), "llvmpipe": (0, unchanged),
}  # fmt: skip


def make(name: str, folder: Path) -> Path:
    """The set of that name, in a folder of its own there."""
    runs, change = SETS[name]
    made = folder / name
    if not runs:
        shutil.copytree(LLVMPIPE, made)
        return made
    for number in range(runs):
        target = made / "boards" / BOARD.name / f"run{number + 1}"
        target.mkdir(parents=True)
        for path in sorted((BOARD / f"run{number + 1}").glob("exp*.csv*")):
            if stem(path) in PROGRAMS:
                _write(path, target, number, change)
    return made


def _write(path: Path, target: Path, number: int, change: Change) -> None:
    sidecar = schema.sidecar(path, Reader(path).header)
    shutil.copy(sidecar, target / f"{stem(path)}.schema.json")
    keys = {column["name"] for column in json.loads(sidecar.read_text())["columns"] if column["key"]}
    with lzma.open(path, "rt") if path.suffix == ".xz" else open(path, encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        rows = list(reader)
        header = reader.fieldnames or []
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, header, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        change(row, number, keys)
        writer.writerow(row)
    (target / f"{stem(path)}.csv").write_text(text.getvalue(), encoding="utf-8")
