#!/usr/bin/env python3
"""The rows of an experiment's CSV by status: "ok failed skipped". Python's standard library alone.

    scripts/benchlib/runner/row_counts.py results/nvidia-h200/exp01_vector_add.csv        # 220 0 4

Exit codes: 0 the file is whole, 1 it is not (a line says how), 2 usage, 77 there is no such file.
"""

from __future__ import annotations

import collections
import csv
import io
import sys
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


def main() -> int:
    if len(sys.argv) != 2:
        print("row_counts.py: expected one CSV file", file=sys.stderr)
        return 2
    path = Path(sys.argv[1])
    try:
        print(*count(path).values())
    except FileNotFoundError:
        return 77
    except (Damaged, OSError, UnicodeDecodeError, csv.Error) as error:
        print(f"{path.name}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
