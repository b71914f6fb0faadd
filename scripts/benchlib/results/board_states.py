"""A board's state before and after its runs: boards/<board>/board.csv, as benchlib/runner/board_state.py writes it."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from benchlib.base import csv_file
from benchlib.results import schema
from benchlib.base.errors import InputError

FILE = "board.csv"
# NVML's bits (nvml.h, nvmlClocksEventReason...). Those that are no news: an idle GPU, and one that runs up to its power limit.
REASONS = {
    0x1: "idle", 0x2: "application clocks", 0x4: "power cap", 0x8: "hardware slowdown", 0x10: "sync boost", 0x20: "software thermal slowdown",
    0x40: "hardware thermal slowdown", 0x80: "hardware power brake", 0x100: "display clocks",
}  # fmt: skip
_COUNTERS = {"sw_thermal_us": REASONS[0x20], "hw_thermal_us": REASONS[0x40], "hw_power_brake_us": REASONS[0x80]}  # microseconds so far
_BAD_REASONS = 0x8 | 0x20 | 0x40 | 0x80

_BITS = re.compile(r"(?:0[xX])?[0-9a-fA-F]{0,16}")  # empty where the driver does not say

StateRow = Mapping[str, str]


def read(folder: Path) -> list[StateRow]:
    """Of a board's folder, oldest first; none without the file. Raises InputError."""
    path = folder / FILE
    return read_file(path)[1] if path.is_file() else []


def read_file(path: Path) -> tuple[list[str], list[StateRow]]:
    """The columns, and the states. Raises InputError."""
    header, rows = csv_file.read(path)
    if missing := [name for name in ("when", "host", "throttle_reasons") if name not in header]:
        raise InputError(f"{path}: no column {missing[0]}")
    for line, row in rows:
        if not _BITS.fullmatch(row["throttle_reasons"]):
            raise InputError(f"{path}: line {line}: throttle_reasons is {ascii(row['throttle_reasons'])[:80]}, not hexadecimal")
    return header, [row for _, row in rows]


def value(states: Iterable[StateRow], column: str) -> str:
    """The newest that there is."""
    return next((state[column] for state in reversed(list(states)) if state.get(column)), "")


def reasons(state: StateRow) -> int:
    return int(state.get("throttle_reasons") or "0", 16)


def reason_names(bits: int) -> str:
    return ", ".join(name for bit, name in REASONS.items() if bits & bit)


def problems(states: Iterable[StateRow]) -> list[str]:
    """What a board should not have: uncorrected ECC errors, and a clock that heat or a power supply holds down."""
    found = []
    started: StateRow = {}
    for state in states:
        if state["when"] == "before":
            started = state
        for column, name in _COUNTERS.items():
            ends = [schema.real(each.get(column, "")) for each in (started, state)]
            if ends[0] is not None and ends[1] is not None and ends[1] > ends[0]:
                found.append(f"{name} for {(ends[1] - ends[0]) / 1e6:.3g} s in the runs")
        errors = schema.real(state.get("ecc_uncorrected", ""))
        if errors:
            found.append(f"{errors:.0f} uncorrected ECC errors {state['when']} the runs")
        if bad := reasons(state) & _BAD_REASONS:
            found.append(f"{reason_names(bad)} {state['when']} the runs")
    return list(dict.fromkeys(found))
