"""The rows of an experiment's CSV by status. Python's standard library alone."""

import collections
import csv
import io
from pathlib import Path

STATUSES = ("ok", "failed", "skipped")


class Damaged(Exception):
    """The file is not what a program writes."""


def read(path: Path) -> tuple[dict[str, int], list[dict[str, str]]]:
    """How many rows have which status, and the rows. Raises Damaged for a file that is cut short or has something else in it."""
    text = path.read_text(encoding="utf-8")
    if not text.endswith("\n"):
        raise Damaged("its last line is cut short" if text else "it is empty")
    usual = csv.field_size_limit()
    csv.field_size_limit(max(len(text), usual))
    try:
        rows = _rows(text)
    finally:
        csv.field_size_limit(usual)
    counts = collections.Counter(row["status"] for row in rows)
    if unknown := set(counts) - set(STATUSES):
        raise Damaged(f"it has rows of status {min(unknown)!r}")
    return {status: counts[status] for status in STATUSES}, rows


def _rows(text: str) -> list[dict[str, str]]:
    records = csv.reader(io.StringIO(text, newline=""), strict=True)
    header = next(records)
    if "status" not in header:
        raise Damaged("it has no column status")
    rows = []
    for cells in records:
        if len(cells) != len(header):
            raise Damaged(f"line {records.line_num}: a row of {len(cells)} fields under a header of {len(header)}")
        rows.append(dict(zip(header, cells)))
    return rows
