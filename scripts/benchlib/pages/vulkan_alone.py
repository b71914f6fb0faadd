"""What Vulkan's own rows say of a GPU, with CUDA or without: docs/vulkan.toml, filled from the results.

    [[say]]
    text = "... {a.takes} ..."     a sentence; left out where a figure of it has not been measured
    experiment = "exp01_vector_add"
    [[say.figure]]                 a query as claims.py describes them, without a range; `name` is for the text
    name = "a"

A figure is said as in an experiment's answer: from the least to the greatest case, or as one of claim_words.SAYINGS.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchlib.claims import claim_check, claim_query, claim_words
from benchlib.model.analysis import Study
from benchlib.results.results import InputError, Table

FILE = Path("docs") / "vulkan.toml"
TITLE = "What Vulkan shows on this GPU"
PLACEHOLDER = re.compile(r"\{([a-z0-9_]+)(?:\.([a-z]+))?\}")
ONE_API = ("where", "num", "den")


def sentences(root: Path, study: Study) -> list[str]:
    """Those whose figures there are."""
    path = root / FILE
    if not path.is_file():
        return []
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8")).get("say", [])
    except ValueError as error:
        raise InputError(f"{path}: {ascii(str(error))[1:-1]}") from error
    said = [_sentence(f"{path}: sentence no. {at}", entry, study) for at, entry in enumerate(entries, start=1)]
    return [text for text in said if text]


def _sentence(where: str, entry: Mapping[str, Any], study: Study) -> str:
    for key in ("text", "experiment", "figure"):
        if key not in entry:
            raise InputError(f"{where}: no {key}")
    queries = {query["name"]: query for query in entry["figure"]}
    table = study.tables.get(entry["experiment"])
    words = []
    for name, saying in PLACEHOLDER.findall(entry["text"]):
        if name not in queries:
            raise InputError(f"{where}: no figure is {name}")
        query = queries[name]
        claim_check.check_query(f"{where}: figure {name}", query)
        if any(query[key].get("api") != "vulkan" for key in ONE_API if key in query):
            raise InputError(f"{where}: figure {name} is not of Vulkan alone")
        found = claim_query.run(query, table.name, study, where) if table and _has_columns(table, query) else ""
        if isinstance(found, str):
            return ""
        words.append(claim_words.spread_words([one.figure for one in found], saying))
    filled = iter(words)
    return PLACEHOLDER.sub(lambda _: next(filled), entry["text"])


def _has_columns(table: Table, query: Mapping[str, Any]) -> bool:
    """Of results older than a parameter."""
    known = {"pick", *claim_check.NEWER_COLUMNS, *(column.name for column in table.columns)}
    return all(column in known for key in ONE_API for column in query.get(key, {}))
