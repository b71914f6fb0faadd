#!/usr/bin/env python3
"""Fixes what the claims are tested by: scripts/claims.lock (see benchlib/claims/claim_lock.py).

    scripts/claims_lock.py            writes the lock; refuses where a test changed without a dated line that says what and why
    scripts/claims_lock.py --new      begins a lock where there is none
    scripts/claims_lock.py --check    writes nothing; exits 1 where the lock is not what the claims are

Exit codes: 0 done (or nothing to change), 1 an unexplained change or a lock that would change, 2 usage, 130 interrupted.
"""

from benchlib.base import early  # noqa: F401  # first: see there

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchlib.base import console, files
from benchlib.base.errors import InputError
from benchlib.claims import claim_lock, claims


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Fixes what the claims are tested by.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the lock would change")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent, help="the repository (default: this one)")
    parser.add_argument("--new", action="store_true", help="begin a lock where there is none")
    options = parser.parse_args(arguments)
    if options.new and (options.root / claim_lock.LOCK).exists():
        parser.error(f"--new: {options.root / claim_lock.LOCK} is there")
    return console.run_cli("claims_lock.py", lambda: run(options))


def run(options: argparse.Namespace) -> int:
    path = options.root / claim_lock.LOCK
    found = [claim for group in claims.load(options.root) for claim in group.claims]
    entries, codes = [claim.entry for claim in found], {claim.id: claim.code.hash for claim in found}
    if not path.is_file() and not options.new:
        raise InputError(f"{path} is not there: take it back from git; --new begins one for claims that have none yet")
    wrong = claim_lock.unexplained(entries, {} if options.new else claim_lock.read(path), codes)
    for line in wrong:
        print(line)
    if wrong:
        print(f"A claim that no commit has yet needs no such line: git checkout {claim_lock.LOCK}, and start this again")
    text = claim_lock.text(entries, codes)
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
