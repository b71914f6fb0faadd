"""The rows of an experiment's CSV by status. Python's standard library alone."""

import collections
import csv
import io
from pathlib import Path

STATUSES = ("ok", "failed", "skipped")


class Damaged(Exception):
    """The file is not what a program writes."""


def count(path: Path) -> dict[str, int]:
    """Rows by status. Raises Damaged for a file that is cut short or has something else in it."""
    text = path.read_text(encoding="utf-8")
    if not text.endswith("\n"):
        raise Damaged("its last line is cut short" if text else "it is empty")
    csv.field_size_limit(max(len(text), csv.field_size_limit()))
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    header = next(rows)
    if "status" not in header:
        raise Damaged("it has no column status")
    counts: collections.Counter[str] = collections.Counter()
    for row in rows:
        if len(row) != len(header):
            raise Damaged(f"line {rows.line_num}: a row of {len(row)} fields under a header of {len(header)}")
        counts[row[header.index("status")]] += 1
    if unknown := set(counts) - set(STATUSES):
        raise Damaged(f"it has rows of status {min(unknown)!r}")
    return {status: counts[status] for status in STATUSES}
