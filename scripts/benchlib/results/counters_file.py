"""counters.csv: what the GPU's hardware counters counted, a row a case, API and instrument. All figures are of one launch.

Two instruments fill it. pm_sampling: the programs' own --count, both APIs alike. ncu: Nsight Compute, CUDA alone, with what only it
has: loads and stores apart, requests, efficiencies, the L2's hit rate. A figure that was not counted is empty; a row without any has
a reason.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from benchlib.base import csv_file
from benchlib.base.errors import InputError
from benchlib.results import split_off

NAME = "counters.csv"
PM_SAMPLING, NCU = "pm_sampling", "ncu"
INSTRUMENTS = {PM_SAMPLING: "CUPTI's PM sampling", NCU: "Nsight Compute"}
KEY = ["experiment", "variant", "api"]
SIZE = ["elements", "cache"]
# As the programs write them.
PM_COUNTED = [
    "l1_sectors", "l1_hit_sectors", "l1_miss_sectors", "sm_l2_sectors", "sm_l2_requests", "l2_sectors", "l2_slice_sectors_min",
    "l2_slice_sectors_max", "dram_read_bytes", "dram_write_bytes", "blocks", "sm_active_cycles", "sm_active_cycles_min",
    "sm_active_cycles_max", "shared_wavefronts", "shared_load_wavefronts", "shared_store_wavefronts", "lsu_wavefronts",
    "tensor_cycles", "tensor_of_cycles", "instructions", "alu_instructions", "lsu_instructions",
]  # fmt: skip
# As Nsight Compute's metrics give them (counters/ncu.py).
NCU_COUNTED = [
    "load_requests", "load_sectors", "store_requests", "store_sectors", "load_sectors_per_request", "store_sectors_per_request",
    "load_efficiency_pct", "store_efficiency_pct", "l1_hit_pct", "l2_hit_pct", "l2_bytes", "dram_read_bytes", "dram_write_bytes",
    "memory_throughput_pct", "launch_grid", "launch_block", "shared_wavefronts",
]  # fmt: skip
COUNTED = list(dict.fromkeys([*PM_COUNTED, *NCU_COUNTED]))
TEXTS = ["instrument", "reason", "gpu", "gpu_uuid", "driver", "instrument_version", "git_rev"]
ORIGIN = ["sm_mhz", *TEXTS[2:]]
FIXED = [*KEY, *SIZE, *TEXTS[:2], "launches", *COUNTED, *ORIGIN]

CountRow = dict[str, str]


def owned(row: CountRow) -> CountRow:
    """A row as one of the experiment that it counts for (see split_off.py)."""
    return {**row, "experiment": split_off.owner(row["experiment"], row.get("variant", ""))}


def read(path: Path) -> list[CountRow]:
    """The rows, of the file as it was written or packed; none where there is none. Raises InputError."""
    path = csv_file.there(path)
    if not path.exists():
        return []
    header, records = csv_file.read(path)
    missing = [column for column in [*KEY, *SIZE, TEXTS[0]] if column not in header]
    if missing:
        raise InputError(f"{path}: no column {', '.join(missing)}: not a file of counters; move it away")
    return [owned(row) for _, row in records]


def identity(row: Mapping[str, str]) -> frozenset[tuple[str, str]]:
    """What tells a case from the others. An empty parameter is one that the case lacks."""
    return frozenset((column, value) for column, value in row.items() if value and column not in FIXED[len(KEY) + len(SIZE) :])


def merged(old: Sequence[CountRow], new: Sequence[CountRow], experiment: str, instrument: str, complete: bool) -> list[CountRow]:
    """The rows with an experiment's new ones of one instrument: in place of all of its old ones, or, where it did not run to its end
    or only some cases were asked for, in place of the same cases' old ones.
    """
    replaced = {identity(row) for row in new}

    def stays(row: CountRow) -> bool:
        other = (row["experiment"], row["instrument"]) != (experiment, instrument)
        return other or not (complete or identity(row) in replaced)

    kept = [row for row in old if stays(row)]
    order = list(INSTRUMENTS)
    # Stable: cases in the order of the run.
    return sorted([*kept, *new], key=lambda row: (row["experiment"], order.index(row["instrument"]) if row["instrument"] in order else -1))


def csv_text(rows: Sequence[Mapping[str, str]]) -> str:
    params = dict.fromkeys(column for row in rows for column, value in row.items() if value and column not in FIXED)
    columns = [*KEY, *params, *SIZE, *TEXTS[:2], "launches", *COUNTED, *ORIGIN]
    return csv_file.text(columns, rows)
