"""Sets of results as other owners of a GPU would have them, made from the published ones: other models, fewer runs, no CUDA, no GPU."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchlib.base import files
from benchlib.base.csv_file import Reader, read, stem
from benchlib.results import results, schema

REPOSITORY = Path(__file__).resolve().parents[2]
BOARDS = REPOSITORY / "results" / "nvidia-h200" / "boards"
BOARD = BOARDS / "149980f6"
UUID = "149980f6-bd56-2648-162e-3e29b62919c5"
LLVMPIPE = Path(__file__).resolve().parent / "fixtures" / "llvmpipe"
# exp04's files hold exp10's rows (results/split_off.py). exp07 to exp09 ran on other boards: their rows count as this board's here.
PROGRAMS = ("exp01_vector_add", "exp02_descriptors", "exp03_memory_coalescing", "exp04_bda", "exp05_strided", "exp06_litmus", "exp06_ordering")
ELSEWHERE = {
    "d343804b": ("exp07_matrix_units",),
    "d0f452a7": ("exp08_dispatches", "exp08_making", "exp08_order", "exp08_queues", "exp08_transfers", "exp08_waiting", "exp09_arithmetic", "exp09_atomics",
                 "exp09_barrier", "exp09_reduce_scan", "exp09_shared_memory", "exp09_subgroups"),
}  # fmt: skip
H200_GBPS, H200_SMS = 4814.3, 132  # gbps over peak_pct
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


@dataclass(frozen=True)
class Card:
    """What the H200's times are scaled by."""

    gpu: str
    gbps: float  # theoretical
    sms: int
    l2_bytes: int


RX_7900 = Card("AMD Radeon RX 7900 XTX (RADV NAVI31)", 960, 96, 96 << 20)  # of Infinity Cache


def on_card(row: Row, card: Card) -> None:
    """Streams by the bandwidth, those that no longer fit the L2 among them; work in the caches by the number of SMs; what moves nothing stays."""
    row["gpu"] = row["gpu"] and card.gpu
    moved = float(row.get("useful_bytes") or 0)
    streams = bool(row.get("peak_pct")) or row["cache"] == "cold" or moved > card.l2_bytes
    scaled(row, H200_GBPS / card.gbps if streams and moved else H200_SMS / card.sms if moved else 1)
    if row.get("gbps") and "peak_pct" in row:
        row["peak_pct"] = f"{100 * float(row['gbps']) / card.gbps:.6g}" if streams and moved >= 4 * card.l2_bytes else ""


def as_h100(row: Row, run: int, keys: set[str]) -> None:
    row["gpu"] = row["gpu"] and "NVIDIA H100 80GB HBM3"
    scaled(row, 1.3)


def without_cuda(row: Row, run: int, keys: set[str]) -> None:
    """Only CUDA tells the memory's peak."""
    on_card(row, RX_7900)
    if "peak_pct" in row:
        row["peak_pct"] = ""
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
    "h200": (3, unchanged), "h100": (3, as_h100), "vulkan-alone": (3, without_cuda),
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
        for board, programs in {BOARD.name: PROGRAMS, **ELSEWHERE}.items():
            for run in results.runs_in(BOARDS / board)[number : number + 1]:
                for program in results.files_of(run).keys() & programs:
                    _write(results.files_of(run)[program], target, number, change)
    return made


def _write(path: Path, target: Path, number: int, change: Change) -> None:
    sidecar = files.unpacked(schema.sidecar(path, Reader(path).header), schema.MOST_SIDECAR_BYTES)
    (target / f"{stem(path)}.schema.json").write_bytes(sidecar)
    keys = {column["name"] for column in json.loads(sidecar)["columns"] if column["key"]}
    header, records = read(path)
    rows = [row for _, row in records]
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, header, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        row["gpu_uuid"] = row["gpu_uuid"] and UUID
        change(row, number, keys)
        writer.writerow(row)
    (target / f"{stem(path)}.csv").write_text(text.getvalue(), encoding="utf-8")
