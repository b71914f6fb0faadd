#!/usr/bin/env python3
"""A GPU's state, by nvidia-smi, as a row of a file beside the GPU's runs. Python's standard library alone.

    scripts/benchlib/runner/board_state.py --uuid UUID --when before boards/5beddb9d/board.csv

Without nvidia-smi, and for what it does not know, the fields are empty; a line says so. Exit codes: 0 done, 1 the file cannot be
written, 2 usage.
"""

import argparse
import csv
import datetime
import io
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

# The file's columns and nvidia-smi's names for them. A driver that does not know one of them refuses all.
FIELDS = {
    "name": "name", "driver": "driver_version", "sm_mhz": "clocks.sm", "sm_max_mhz": "clocks.max.sm", "memory_mhz": "clocks.mem",
    "power_w": "power.draw", "power_limit_w": "power.limit", "temperature_c": "temperature.gpu",
    "memory_temperature_c": "temperature.memory", "ecc_corrected": "ecc.errors.corrected.volatile.total",
    "ecc_uncorrected": "ecc.errors.uncorrected.volatile.total", "throttle_reasons": "clocks_event_reasons.active",
}  # fmt: skip
# What may tell boards of one name apart.
IDENTITY = {"vbios": "vbios_version", "inforom": "inforom.img", "subsystem": "pci.sub_device_id"}
# Since the driver was loaded; drivers from about 590 on.
COUNTERS = {
    f"{reason}_us": f"clocks_event_reasons_counters.{reason}_slowdown" for reason in ("sw_thermal", "hw_thermal", "hw_power_brake")
}
# How the machine is set up; it voids nothing. A display shares the GPU, and the size of BAR1 tells whether the host can map all memory.
SETTINGS = {"display": "display_active", "ecc": "ecc.mode.current", "mig": "mig.mode.current"}
BAR1 = "bar1_mib"  # not one of --query-gpu's fields
BEFORE_535 = {"clocks_event_reasons.active": "clocks_throttle_reasons.active"}
COLUMNS = ["when", "time", "host", "uuid", *FIELDS, *COUNTERS, *IDENTITY, *SETTINGS, BAR1]
NOT_KNOWN = ("N/A", "[")  # [N/A], [Not Supported], [Unknown Error], [GPU requires reset], [Requested functionality has been deprecated]
WHOLE = 36  # characters of a UUID
SECONDS = 30  # nvidia-smi answers in one or two; one that hangs is itself a finding


def ask(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["nvidia-smi", *arguments], capture_output=True, text=True, timeout=SECONDS)


def whole(uuid: str) -> str:
    """The UUID that begins so."""
    if len(uuid) == WHOLE:
        return uuid
    listed = [each.strip().removeprefix("GPU-") for each in ask(["--query-gpu=uuid", "--format=csv,noheader"]).stdout.splitlines()]
    return next((each for each in listed if each.startswith(uuid)), uuid)


def query(uuid: str) -> dict[str, str]:
    """By column. Raises OSError, ValueError or subprocess.SubprocessError, whose text says why there is nothing."""
    failure = ""
    known = {**FIELDS, **IDENTITY}
    for fields in ({**known, **COUNTERS, **SETTINGS}, {**known, **COUNTERS}, {**known, **SETTINGS}, known, FIELDS, {column: BEFORE_535.get(name, name) for column, name in FIELDS.items()}):
        names = ",".join(fields.values())
        found = ask([f"--id=GPU-{uuid}", f"--query-gpu={names}", "--format=csv,noheader,nounits"])
        cells = [cell.strip() for cell in found.stdout.strip().split(",")]
        if found.returncode == 0 and len(cells) == len(fields):
            return {column: "" if cell.startswith(NOT_KNOWN) else cell for column, cell in zip(fields, cells)}
        failure = " ".join((found.stdout + found.stderr).split())[:200] or f"exit {found.returncode}"
    raise ValueError(f"nvidia-smi: {failure}")


def bar1_mib(uuid: str) -> str:
    """The size of the GPU's BAR1; "" where nvidia-smi does not say."""
    found = re.search(r"BAR1 Memory Usage\n\s*Total\s*: (\d+) MiB", ask([f"--id=GPU-{uuid}", "--query", "--display=MEMORY"]).stdout)
    return found[1] if found else ""


def line(cells: list[str]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue()


def append(path: Path, row: dict[str, str]) -> None:
    """In one write: whoever dies leaves a whole row or none. A file has the columns that it began with."""
    handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o666)
    try:
        first = os.read(handle, 1 << 16).decode(errors="replace").partition("\n")[0]
        columns = first.rstrip("\r").split(",") if first else COLUMNS
        os.write(handle, ("" if first else line(columns)).encode() + line([row.get(column, "") for column in columns]).encode())
    finally:
        os.close(handle)


def main() -> int:
    parser = argparse.ArgumentParser(description="A GPU's state, as a row of a file beside the GPU's runs.")
    parser.add_argument("--uuid", required=True, help="the GPU's, or how it begins")
    parser.add_argument("--when", required=True, choices=["before", "after"], help="of the measurement")
    parser.add_argument("file", type=Path)
    options = parser.parse_args()
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    row = {"when": options.when, "time": now, "host": socket.gethostname(), "uuid": options.uuid}
    try:
        row["uuid"] = whole(options.uuid.removeprefix("GPU-"))
        row |= query(row["uuid"])
        row[BAR1] = bar1_mib(row["uuid"])  # where this question hangs, the answers before stay
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        why = "no nvidia-smi" if isinstance(error, FileNotFoundError) else " ".join(str(error).split())
        print(f"board_state.py: {why}: clock, power, temperature, ECC errors and throttle reasons stay empty", file=sys.stderr)
    try:
        append(options.file, row)
    except OSError as error:
        print(f"board_state.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
