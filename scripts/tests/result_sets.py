"""Sets of results as other owners of a GPU would have them, made from the published ones: other models, fewer runs, no CUDA, no GPU."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from benchlib.base import files
from benchlib.base.csv_file import Reader, read, stem, text
from benchlib.results import results, rounds, schema
from benchlib.results.results import RunFolder

REPOSITORY = Path(__file__).resolve().parents[2]
REFERENCE = REPOSITORY / "results" / "nvidia-h200"
UUID = "149980f6-bd56-2648-162e-3e29b62919c5"  # of none of its boards
LLVMPIPE = Path(__file__).resolve().parent / "fixtures" / "llvmpipe"
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


@lru_cache
def newest(program: str, folder: Path = REFERENCE) -> list[tuple[RunFolder, Path]]:
    """The runs of a committed set by the program's newest sources, or by those that measure the same, each with its file, by board and number."""
    found, alike = [], rounds.newest_alike(REPOSITORY)
    for run in results.run_folders(folder):
        if path := results.files_of(run.path).get(program):
            reader = Reader(path)
            row = dict(zip(reader.header, next(iter(reader))[1]))
            found.append((row["started_at"], alike.get(results.origin(row), results.origin(row)), run, path))
    last = max(found, default=("", ""), key=lambda each: each[0])[1]
    return [(run, path) for _, origin, run, path in found if origin == last]


def of_a_board(program: str, folder: Path = REFERENCE) -> list[Path]:
    """The newest sources' files of the board that has most of them, by the run's number."""
    by_board: dict[str, list[Path]] = {}
    for run, path in newest(program, folder):
        by_board.setdefault(run.board, []).append(path)
    return max(by_board.values(), key=len, default=[])


def make(name: str, folder: Path, only: str = "") -> Path:
    """The set of that name, in a folder of its own there. Its rows are the reference's, of whatever board ran the newest sources of a program; they count as one board's here. `only`: one program."""
    runs, change = SETS[name]
    made = folder / name
    if not runs:
        shutil.copytree(LLVMPIPE, made)
        return made
    targets = [made / "boards" / UUID[:8] / f"run{number + 1}" for number in range(runs)]
    for target in targets:
        target.mkdir(parents=True)
    for program in [only] if only else sorted({program for run in results.run_folders(REFERENCE) for program in results.files_of(run.path)}):
        for number, (target, path) in enumerate(zip(targets, of_a_board(program))):
            _write(path, target, number, change)
    return made


def _write(path: Path, target: Path, number: int, change: Change) -> None:
    sidecar = files.unpacked(schema.sidecar(path, Reader(path).header), schema.MOST_SIDECAR_BYTES)
    (target / f"{stem(path)}.schema.json").write_bytes(sidecar)
    keys = {column["name"] for column in json.loads(sidecar)["columns"] if column["key"]}
    header, records = read(path)
    rows = [row for _, row in records]
    for row in rows:
        row["gpu_uuid"] = row["gpu_uuid"] and UUID
        change(row, number, keys)
    (target / f"{stem(path)}.csv").write_text(text(header, rows), encoding="utf-8")
