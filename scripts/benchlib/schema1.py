"""The columns of result files of schema 1, which have no sidecar: inferred from their header and cells, here and nowhere else."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from benchlib.csv_file import InputError
from benchlib.schema import Column, real

SCHEMA = 1
HEAD = ["schema", "experiment", "variant", "api", "status", "reason"]
TIMES = [
    "elements", "useful_bytes", "cache", "batch", "samples", "device_ns", "device_ns_lo", "device_ns_hi",
    "device_ns_min", "device_ns_p05", "device_ns_p95", "roundtrip_ns", "submit_ns", "gbps", "peak_pct",
]  # fmt: skip
# Between these two: what the experiment itself counts or reads back.
ORIGIN = [
    "sm_mhz", "stop", "order", "seed", "isa_hash", "gpu", "gpu_uuid", "driver", "toolkit", "git_rev", "started_at",
]  # fmt: skip
# Written by the access model; every other column between `reason` and `elements` is a parameter.
_MODEL = {f"{kind}_{what}" for kind in ("load", "store") for what in ("requests", "sectors", "lines")}
_MODEL |= {"min_read_bytes", "min_write_bytes", "warp_elements"}
# Parameters that are whole numbers, beside those that are named for their unit (..._bytes).
_WHOLE = {
    "block", "grid", "buffers", "dispatches", "offset", "fields", "stride", "unroll", "chain", "stages", "blocks_per_sm", "cluster",
    "distance", "work", "sms", "streamers", "wait", "steps", "pressure",
}  # fmt: skip


def check_header(path: Path, header: Sequence[str]) -> None:
    missing = [column for column in HEAD + TIMES + ORIGIN if column not in header]
    if missing:
        raise InputError(f"{path}: no column {', '.join(missing)}")
    end = header.index(TIMES[0])
    ordered = header[: len(HEAD)] == HEAD and header[end : end + len(TIMES)] == TIMES and header[-len(ORIGIN) :] == ORIGIN
    if not ordered:
        raise InputError(f"{path}: columns not in the order of schema {SCHEMA}")


def measured_names(header: Sequence[str]) -> list[str]:
    return list(header[header.index(TIMES[-1]) + 1 : -len(ORIGIN)])


def texts(header: Sequence[str], rows: Iterable[Sequence[str]]) -> set[str]:
    """The measured columns that hold texts: with something in them, and no number."""
    begin = header.index(TIMES[-1]) + 1
    cells: list[set[str]] = [set() for _ in measured_names(header)]
    for row in rows:
        for seen, cell in zip(cells, row[begin:]):
            seen.add(cell)
    named = zip(measured_names(header), cells)
    return {name for name, seen in named if any(seen) and not any(real(cell) is not None for cell in seen)}


def columns(header: Sequence[str], texts: Collection[str]) -> list[Column]:
    """`texts`: the measured columns that hold no numbers."""
    between = header[len(HEAD) : header.index(TIMES[0])]
    found = [Column(name, "identity", "integer" if name == "schema" else "text", key=name in ("variant", "api")) for name in HEAD]
    for name in between:
        whole = name in _MODEL | _WHOLE or name.endswith("_bytes")
        found.append(Column(name, "model" if name in _MODEL else "param", "integer" if whole else "text", key=name not in _MODEL))
    for name in TIMES[:5]:
        found.append(Column(name, "case", "text" if name == "cache" else "integer", key=name in ("elements", "cache")))
    found.append(Column("device_ns", "time", "real", interval=True))
    found += [Column(name, "time", "real") for name in TIMES[8:]]
    names = measured_names(header)
    while names:
        interval = names[0] not in texts and names[1:3] == [f"{names[0]}_lo", f"{names[0]}_hi"]
        found.append(Column(names[0], "measured", "text" if names[0] in texts else "real", interval=interval))
        names = names[3 if interval else 1 :]
    kinds = {"sm_mhz": "real", "seed": "integer"}
    return found + [Column(name, "origin", kinds.get(name, "text")) for name in ORIGIN]
