"""What every claim is tested by, fixed before the data: a hash of it in scripts/claims.lock.

A claim's words, its queries and their ranges cannot change without notice: a test fails until the claim's `changed` has one more dated
line that says what changed and why, and scripts/claims_lock.py has written the lock anew, which it does for such claims alone. Dated
lines stay: they are hashed, too. Notes, theory and queries that decide nothing may change freely.

A line of the lock: the claim's id, the number of its dated lines, the hash of its test, the hash of those lines.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchlib.results.results import InputError

LOCK = Path("scripts") / "claims.lock"
_FIXED = ("id", "kind", "source", "text", "claimed", "device", "unit", "needs", "since")
_DIGITS = 16  # of a hash: against oversight, not against forgery


@dataclass(frozen=True)
class Locked:
    """One claim's line."""

    lines: int
    test: str
    history: str


def _hash(value: object) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def locked(entry: Mapping[str, Any], lines: int | None = None) -> Locked:
    """What the lock says of a claim as it is; `lines`: of its history's first so many."""
    history = list(entry.get("changed", []))[:lines]
    deciding = [query for query in entry.get("query", []) if "reproduced" in query]
    return Locked(len(history), _hash([{key: entry.get(key) for key in _FIXED}, deciding]), _hash(history))


def read(path: Path) -> dict[str, Locked]:
    try:
        return parse(path.read_text(encoding="utf-8"), str(path))
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 at byte {error.start}") from error


def parse(text: str, path: str) -> dict[str, Locked]:
    """`path`: what it is called, for what is wrong with it."""
    found: dict[str, Locked] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        fields = line.split()
        if len(fields) != 4 or not re.fullmatch(r"[0-9]{1,4}", fields[1]) or fields[0] in found:
            raise InputError(f"{path}: line {number} is no id, number and two hashes")
        found[fields[0]] = Locked(int(fields[1]), fields[2], fields[3])
    return found


def text(entries: Iterable[Mapping[str, Any]]) -> str:
    lines = []
    for entry in sorted(entries, key=lambda entry: entry["id"]):
        one = locked(entry)
        lines.append(f"{entry['id']} {one.lines} {one.test} {one.history}\n")
    return "".join(lines)


def unexplained(found: Sequence[Mapping[str, Any]], lock: Mapping[str, Locked]) -> list[str]:
    """What may not be: one line a claim whose test changed without a dated line, that lost one, or that is gone."""
    wrong = []
    for entry in found:
        old = lock.get(entry["id"])
        if old is None:
            continue
        new = locked(entry)
        if locked(entry, old.lines).history != old.history or new.lines < old.lines:
            wrong.append(f"{entry['id']}: its dated lines are no longer what they were; add one, change none")
        elif new.test != old.test and new.lines == old.lines:
            wrong.append(f"{entry['id']}: its words, query or range changed; say what and why in a dated line of `changed`")
    gone = sorted(lock.keys() - {entry["id"] for entry in found})
    return wrong + [f"{id_}: is gone; a claim stays, or becomes parts with letters (then take its line out of {LOCK})" for id_ in gone]
