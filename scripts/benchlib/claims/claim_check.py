"""claims.toml checked as strictly as code: a typo in a claim must never become a verdict. Raises InputError with the file, the claim's
id and the key. What a claim may hold: see claims.py.
"""

import datetime
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from benchlib.results import counters_file, schema
from benchlib.sass import sass, sass_diff
from benchlib.claims.claim_words import SAYINGS, placeholders
from benchlib.base.errors import InputError
from benchlib.results.results import APIS, DERIVED_METRICS, NEEDED_OF_MODEL, Table

CLAIM_TEXTS = ("id", "kind", "source", "text", "claimed", "device", "theory", "unit")
OPTIONAL_TEXTS = ("note", "quote", "why", "needs")
CLAIM_LISTS = ("tables", "figures", "listings")
KINDS = ("mechanism", "figure", "advice", "question")
CHANGE_TEXTS = ("what", "why")
QUERY_TEXTS = ("name", "table", "combine", "metric", "control", "unit", "role", "say")
ROLES = ("figure", "mechanism", "result")
RESERVED_NAMES = ("verdict", "worst", "words")  # what an answer may ask of a claim beside its queries
# What chooses rows, and is measured, in newer results only: a query for it finds nothing in older ones, and is no mistake.
NEWER_COLUMNS = ("checks", "instrument")
NEWER_METRICS = ("fault_rate", "early_rate", "unseen_early_rate")
SELECTS = ("where", "num", "den")
TWINS = "twins"  # `where`, of the ratio of both APIs
QUERY_FLAGS = ("headline", "optional")
QUERY_KEYS = {*QUERY_TEXTS, *SELECTS, *QUERY_FLAGS, "reproduced"}
# What each way to combine needs, and what it may have beside that.
COMBINES = {
    "value": ({"where"}, {"control"}), "ratio": ({"num", "den"}, set()), "twin_ratio": ({"where"}, set()),
    "over_control": ({"where", "control"}, set()), "analysis": (set(), set()),
}  # fmt: skip
# Of the files beside the results: what chooses their rows (of counters.csv the experiment's parameters, too), and their figures.
AUXILIARY_COLUMNS = {
    "counters": ({"variant", "api", "elements", "cache", "instrument"}, {*counters_file.COUNTED}),
    "sass": ({"kernel", "api", "arch"}, {*sass.FIGURES}),
    "sass_twins": ({"kernel", "arch"}, {*sass_diff.FIGURES}),
}
SIZES = ("max", "dram", "max_dram")
_KNOWN_VALUES = {"api": APIS, "cache": ("cold", "warm"), "pick": ("fastest",), "instrument": tuple(counters_file.INSTRUMENTS)}
_NAME = re.compile(r"[a-z0-9_]+")


def fail(where: str, what: str) -> None:
    raise InputError(f"{where}: {what}")


def check_document(where: str, document: Mapping[str, Any]) -> None:
    _only(where, document, {"question", "answer", "ids", "claim"})
    if not re.fullmatch(r"[0-9]{2}", str(document.get("ids", "00")), re.ASCII) or not isinstance(document.get("ids", ""), str):
        fail(where, f"ids is {_shown(document['ids'])}, not a text of two digits")
    if not isinstance(document.get("question", ""), str):
        fail(where, f"question is {_shown(document['question'])}, not a text")
    answer = document.get("answer", [])
    if not isinstance(answer, (str, list)) or not all(isinstance(sentence, str) for sentence in answer):
        fail(where, f"answer is {_shown(answer)}, not a list of sentences")
    claims = document.get("claim", [])
    if not isinstance(claims, list) or not all(isinstance(claim, dict) for claim in claims):
        fail(where, "claim is no list of tables: begin each with [[claim]]")


def expand(where: str, claim: dict[str, Any]) -> None:
    """Writes out what a claim says once for all of its queries, and its selects that are texts."""
    each, rows = claim.pop("each", {}), select(f"{where}: rows", claim.pop("rows", {}))
    if not isinstance(each, dict):
        fail(where, f"each is {_shown(each)}, not a table of keys")
    _only(f"{where}: each", each, QUERY_KEYS - {*SELECTS, "name", "headline"})
    if not isinstance(rows, dict):
        fail(where, f"rows is {_shown(rows)}, not a select")
    queries = claim.get("query", [])
    for at, query in enumerate(queries if isinstance(queries, list) else [], start=1):
        if not isinstance(query, dict):
            continue
        written = whole({**each, **query})
        query.clear()
        query.update(written)
        needed = COMBINES.get(str(query.get("combine")), (set(), set()))[0] if rows else set()
        for key in [key for key in SELECTS if key in query or key in needed]:
            chosen = select(f"{query_name(where, at, query)}: {key}", query.get(key, {}))
            query[key] = {**rows, **chosen} if isinstance(chosen, dict) else chosen


def whole(query: Mapping[str, Any]) -> dict[str, Any]:
    """With the way to combine that its keys tell, where it does not say one."""
    told = {**query} if "combine" in query else {"combine": "twin_ratio" if TWINS in query else "ratio" if "num" in query else "value", **query}
    return {"where" if key == TWINS else key: value for key, value in told.items()}


def select(where: str, written: object) -> object:
    """Of a text the columns and what each may be."""
    if not isinstance(written, str):
        return written
    found: dict[str, object] = {}
    for word in written.split():
        column, equals, value = word.partition("=")
        if not equals or not column or column in found:
            fail(where, f"{_shown(word)} is no column=value, or there twice")
        found[column] = value.split("|") if "|" in value else value
    return found


def check_claim(where: str, number: str, claim: Mapping[str, Any]) -> None:
    """`number`: of the experiment, with which its claims' ids begin."""
    _only(where, claim, {*CLAIM_TEXTS, *OPTIONAL_TEXTS, *CLAIM_LISTS, "query", "since", "changed"})
    missing = [key for key in CLAIM_TEXTS if key not in claim]
    if missing:
        fail(where, f"no text for {', '.join(missing)}")
    for key in (*CLAIM_TEXTS, *OPTIONAL_TEXTS):
        if not isinstance(claim.get(key, ""), str):
            fail(where, f"{key} is {_shown(claim[key])}, not a text")
    if not re.fullmatch(rf"{number}\.[1-9][0-9]*[a-z]?", claim["id"], re.ASCII):
        fail(where, f"the id must be {number}. and a number, and may have a letter")
    if claim["kind"] not in KINDS:
        fail(where, f"kind is {_shown(claim['kind'])}, none of {', '.join(KINDS)}")
    for key in CLAIM_LISTS:
        texts = claim.get(key, [])
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            fail(where, f"{key} is {_shown(texts)}, not a list of texts")
    _check_dates(where, claim)
    queries = claim.get("query", [])
    if not isinstance(queries, list) or not all(isinstance(query, dict) for query in queries):
        fail(where, "query is no list of tables: begin each with [[claim.query]]")
    for at, query in enumerate(queries, start=1):
        check_query(query_name(where, at, query), query)
    names = [query["name"] for query in queries if "name" in query]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        fail(where, f"two queries are named {twice[0]}")
    for key in ("note", "why"):
        for name, what in placeholders(claim.get(key, "")):
            if name not in names or what:
                fail(where, f"the {key} names no query: {name}{what and '.'}{what}")
    if not claim.get("needs") and not any("reproduced" in query and not query.get("optional") for query in queries):
        fail(where, "needs a query with a range that is not optional, or `needs`")


def _check_dates(where: str, claim: Mapping[str, Any]) -> None:
    """since, and the dated lines of changes."""
    _check_date(where, "since", claim.get("since"))
    changes = claim.get("changed", [])
    if not isinstance(changes, list) or not all(isinstance(change, dict) for change in changes):
        fail(where, "changed is no list of tables: { on = a date, what = a text, why = a text }")
    for change in changes:
        _only(f"{where}: changed", change, {"on", *CHANGE_TEXTS})
        _check_date(where, "changed: on", change.get("on"))
        for key in CHANGE_TEXTS:
            if not isinstance(change.get(key), str) or not change[key]:
                fail(where, f"changed: {key} is {_shown(change.get(key))}, not a text")


def _check_date(where: str, key: str, value: object) -> None:
    if not isinstance(value, datetime.date) or (isinstance(value, datetime.datetime) and value.tzinfo is None):
        fail(where, f"{key} is {_shown(value)}, not a date such as 2026-11-21, or a time such as 2026-11-21T09:30:00Z")
    if not 2000 <= value.year < 2100:  # beyond, a time in UTC may be in no year at all
        fail(where, f"{key} is {_shown(value)}, of another century")


def query_name(where: str, at: int, query: Mapping[str, Any]) -> str:
    return f"{where}: query {ascii(query['name'])[1:-1]}" if isinstance(query.get("name"), str) else f"{where}: query {at}"


def check_query(where: str, query: Mapping[str, Any]) -> None:
    _only(where, query, QUERY_KEYS)
    for key in QUERY_TEXTS:
        if not isinstance(query.get(key, ""), str):
            fail(where, f"{key} is {_shown(query[key])}, not a text")
    if not _NAME.fullmatch(query.get("name", "q")) or query.get("name") in RESERVED_NAMES:
        fail(where, f"name is {_shown(query['name'])}: small letters, digits and _, and not {', '.join(RESERVED_NAMES)}")
    for key, known in (("role", ROLES), ("say", SAYINGS)):
        if key in query and query[key] not in known:
            fail(where, f"{key} is {_shown(query[key])}, none of {', '.join(known)}")
    for key in QUERY_FLAGS:
        if type(query.get(key, True)) is not bool:
            fail(where, f"{key} is {_shown(query[key])}, not true or false")
    combine, table = query.get("combine"), query.get("table", "results")
    if combine not in COMBINES or not query.get("metric"):
        fail(where, f"combine is {_shown(combine)}: a query needs metric, and combine with its selects: {', '.join(COMBINES)}")
    needed, allowed = COMBINES[str(combine)]
    for key in sorted(needed - query.keys()):
        fail(where, f"combine {combine} needs {key}")
    for key in sorted(({*SELECTS, "control"} - needed - allowed) & query.keys()):
        fail(where, f"{key} does not go with combine {combine}")
    if table != "results" and table not in AUXILIARY_COLUMNS:
        fail(where, f"no such table: {table}")
    if table in AUXILIARY_COLUMNS:
        keys, figures = AUXILIARY_COLUMNS[table]
        for key in ("metric", "control"):
            if query.get(key, query["metric"]) not in figures:
                fail(where, f"{key}: {table}.csv has no figure {_shown(query[key])}")
        for key, column in ((key, column) for key in SELECTS for column in query.get(key, ())):
            if table != "counters" and column not in keys:
                fail(where, f"{key}: {table}.csv has no column {_shown(column)} to choose by; it has {', '.join(sorted(keys))}")
    only = {"twin_ratio": ("results", "counters"), "analysis": ("results",)}.get(str(combine))
    if only and table not in only:
        fail(where, f"combine {combine} is of {' and '.join(only)}, not of {table}")
    if "reproduced" in query:
        _check_range(where, query["reproduced"])
    for key in SELECTS:
        if key in query:
            _check_select(f"{where}: {key}", query[key], table)


def _check_range(where: str, bounds: object) -> None:
    if not isinstance(bounds, dict) or not bounds:
        fail(where, "reproduced needs lo or hi")
    assert isinstance(bounds, dict)
    _only(f"{where}: reproduced", bounds, {"lo", "hi"})
    for key, value in bounds.items():
        if type(value) not in (int, float) or not -schema.GREATEST <= value <= schema.GREATEST:
            fail(where, f"reproduced: {key} is {_shown(value)}, not a number")
    if bounds.get("lo", -schema.GREATEST) > bounds.get("hi", schema.GREATEST):
        fail(where, f"reproduced: lo is {bounds['lo']}, above hi, {bounds['hi']}")


def _check_select(where: str, select: object, table: str) -> None:
    if not isinstance(select, dict):
        fail(where, f"{_shown(select)} is not a table of columns")
    assert isinstance(select, dict)
    for column, value in select.items():
        texts = value if isinstance(value, list) else [value]
        if not texts or not all(isinstance(text, str) for text in texts):
            fail(where, f"{column} is {_shown(value)}, not a text or a list of texts")
        strangers = [text for text in texts if text not in _KNOWN_VALUES.get(column, texts)]
        if strangers:
            fail(where, f"{column} is {_shown(strangers[0])}, none of {', '.join(_KNOWN_VALUES[column])}")
        if column == "pick" and (isinstance(value, list) or table != "results"):
            fail(where, "pick is one text, and of results")
        if column == "elements" and value in SIZES and table != "results":
            fail(where, f"elements = {value} is of results, not of {table}")
        if column == "elements" and value not in SIZES:
            _check_whole(where, column, texts, SIZES)


def _check_whole(where: str, column: str, texts: Sequence[str], beside: Collection[str] = ()) -> None:
    for text in texts:
        if text and not schema.is_whole(text):
            fail(where, f"{column} is {_shown(text)}, not a whole number" + (f" or one of {', '.join(beside)}" if beside else ""))


class NoColumn(InputError):
    """The results lack a column that a query names: it is misspelt, or newer than they are."""

    def __init__(self, text: str, column: str):
        super().__init__(text)
        self.column = column


def has(table: Table, column: str) -> bool:
    """Whether a query of these results may name it: to choose by, or as a figure."""
    declared = table.column(column)
    return (declared is not None and declared.key) or _is_figure(table, column)


def check_columns(where: str, query: Mapping[str, Any], table: Table) -> None:
    """That the experiment has what the query asks for: else it would match nothing, or everything, whatever was measured. `table`:
    the experiment's results, whose parameters counters.csv has, too.
    """
    source = query.get("table", "results")
    if source not in ("results", "counters"):
        return
    keys = {column.name for column in table.columns if column.key}
    for key in SELECTS:
        for column, value in query.get(key, {}).items():
            if column not in {*keys, "pick", *NEWER_COLUMNS}:
                raise NoColumn(f"{where}: {key}: {table.name} has no column {_shown(column)} to choose by; it has {', '.join(sorted(keys))}", column)
            declared = table.column(column)
            if declared and declared.type == "integer" and value not in SIZES:
                _check_whole(f"{where}: {key}", column, value if isinstance(value, list) else [value])
    for key in ("metric", "control"):
        if source == "results" and query["combine"] != "analysis" and key in query and not _is_figure(table, query[key]):
            raise NoColumn(f"{where}: {key}: {table.name} has no figure {_shown(query[key])}", query[key])


def _is_figure(table: Table, name: str) -> bool:
    if name in NEEDED_OF_MODEL:
        return set(NEEDED_OF_MODEL[name]) <= set(table.model)
    declared = table.column(name)
    return name in (*DERIVED_METRICS, *NEWER_METRICS) or (declared is not None and declared.type != "text")


def _only(where: str, entry: Mapping[str, Any], known: Collection[str]) -> None:
    unknown = sorted(entry.keys() - known)
    if unknown:
        fail(where, f"unknown key {', '.join(ascii(key)[1:-1][:60] for key in unknown)}")


def _shown(value: object) -> str:
    return ascii(value)[:80]
