"""What every claim is tested by, fixed before the data: a hash of it in scripts/claims.lock.

A claim's words, its queries and their ranges cannot change without notice: a test fails until the claim's `changed` has one more dated
line that says what changed and why, and scripts/claims_lock.py has written the lock anew, which it does for such claims alone. Dated
lines stay: they are hashed, too. Notes, theory and queries that decide nothing may change freely. Where an experiment's analysis.py finds a deciding figure, the
code that finds it is hashed: the function under that name, and what it uses of the file.

A line of the lock: the claim's id, the number of its dated lines, the hash of its test, the hash of those lines, and that of the code where there is one.
"""

import ast
import hashlib
import json
import re
import sys
import types
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchlib.base.kept import kept_last
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
    code: str = ""


@dataclass(frozen=True)
class DecidingCode:
    """The file of an experiment's analysis, from the repository's root, and the hash of what in it decides a claim; empty: nothing."""

    path: str
    hash: str


NO_CODE = DecidingCode("", "")


def _hash(value: object) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def locked(entry: Mapping[str, Any], lines: int | None = None) -> Locked:
    """What the lock says of a claim as it is; `lines`: of its history's first so many."""
    history = list(entry.get("changed", []))[:lines]
    deciding = [query for query in entry.get("query", []) if "reproduced" in query]
    return Locked(len(history), _hash([{key: entry.get(key) for key in _FIXED}, deciding]), _hash(history))


def code_of(entry: Mapping[str, Any], analysis: str) -> str:
    """The hash of the code that finds the claim's deciding figures; empty where no analysis does. `analysis`: that file's text."""
    metrics = {query["metric"] for query in entry.get("query", []) if "reproduced" in query and query.get("combine") == "analysis"}
    return _code_hash(tuple(sorted(metrics)), analysis) if metrics else ""


@kept_last(1024)
def _code_hash(metrics: Sequence[str], analysis: str) -> str:
    module = ast.parse(analysis)
    named: dict[str, list[ast.stmt]] = {}
    for statement in module.body:
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            named.setdefault(statement.name, []).append(statement)
        for target in ast.walk(statement) if isinstance(statement, (ast.Assign, ast.AnnAssign)) else ():
            if isinstance(target, ast.Name) and isinstance(target.ctx, ast.Store):
                named.setdefault(target.id, []).append(statement)
    wanted = [figure for metric in metrics for figure in _figure(module, metric)]
    found, seen = [_without_words(node) for node in wanted], set[str]()
    while wanted:
        for name in sorted({node.id for node in ast.walk(wanted.pop(0)) if isinstance(node, ast.Name)} & named.keys() - seen - {"ANALYSIS"}):
            seen.add(name)
            wanted += named[name]
            found += [f"{name}: {_without_words(statement)}" for statement in named[name]]
    return _hash(found)


def _figure(module: ast.Module, metric: str) -> list[ast.expr]:
    """The value under that name in Analysis(figures={...}); all of `figures` where its keys are reckoned."""
    for call in ast.walk(module):
        for keyword in call.keywords if isinstance(call, ast.Call) else ():
            if keyword.arg == "figures" and isinstance(keyword.value, ast.Dict):
                for key, value in zip(keyword.value.keys, keyword.value.values):
                    if isinstance(key, ast.Constant) and key.value == metric:
                        return [value]
            if keyword.arg == "figures":
                return [keyword.value]
    return []


def _without_words(node: ast.AST) -> str:
    """The code, without comments and docstrings."""
    copied = ast.parse(ast.unparse(node))
    for each in ast.walk(copied):
        if isinstance(each, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(each) is not None:
            each.body = each.body[1:] or [ast.Pass()]
        if hasattr(each, "type_params"):  # since Python 3.12
            del each.type_params
    # Since 3.13 empty lists are left out unless asked for: the hashes in the lock are of older Pythons, too.
    return ast.dump(copied, **({"show_empty": True} if sys.version_info >= (3, 13) else {}))


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
        if len(fields) not in (4, 5) or not re.fullmatch(r"[0-9]{1,4}", fields[1]) or fields[0] in found:
            raise InputError(f"{path}: line {number} is no id, number and two hashes or three")
        found[fields[0]] = Locked(int(fields[1]), *fields[2:])
    return found


def text(entries: Iterable[Mapping[str, Any]], codes: Mapping[str, str] = types.MappingProxyType({})) -> str:
    """`codes`: the hash of the code that decides a claim, by its id, where there is one."""
    lines = []
    for entry in sorted(entries, key=lambda entry: entry["id"]):
        one = locked(entry)
        lines.append(f"{entry['id']} {one.lines} {one.test} {one.history} {codes.get(entry['id'], '')}".rstrip() + "\n")
    return "".join(lines)


def unexplained(found: Sequence[Mapping[str, Any]], lock: Mapping[str, Locked], codes: Mapping[str, str] = types.MappingProxyType({})) -> list[str]:
    """What may not be: one line a claim whose test or whose code changed without a dated line, that lost one, or that is gone. `codes`: see text()."""
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
        elif old.code and codes.get(entry["id"], "") != old.code and new.lines == old.lines:
            wrong.append(f"{entry['id']}: the analysis that decides it changed; say what and why in a dated line of `changed`")
    gone = sorted(lock.keys() - {entry["id"] for entry in found})
    return wrong + [f"{id_}: is gone; a claim stays, or becomes parts with letters (then take its line out of {LOCK})" for id_ in gone]
