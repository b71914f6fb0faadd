#!/usr/bin/env python3
"""Fixes what the claims are tested by: scripts/claims.lock (see benchlib/claim_lock.py).

    scripts/claims_lock.py            writes the lock; refuses where a test changed without a dated line that says what and why
    scripts/claims_lock.py --check    writes nothing; exits 1 where the lock is not what the claims are

Exit codes: 0 done (or nothing to change), 1 an unexplained change or a lock that would change, 2 usage, 130 interrupted.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from benchlib import claim_lock, console, files  # noqa: E402


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Fixes what the claims are tested by.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the lock would change")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent, help="the repository (default: this one)")
    options = parser.parse_args(arguments)
    return console.guarded("claims_lock.py", lambda: run(options))


def run(options: argparse.Namespace) -> int:
    path = options.root / claim_lock.LOCK
    entries = claim_lock.entries(options.root)
    wrong = claim_lock.unexplained(entries, claim_lock.read(path) if path.is_file() else {})
    for line in wrong:
        print(line)
    text = claim_lock.text(entries)
    stale = files.read_text(path) != text
    if wrong or (options.check and stale):
        print(f"{path} is not what the claims are" if stale else "", end="\n" if stale else "")
        return 1
    if stale:
        files.write_atomic(path, text)
        print(f"wrote {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
