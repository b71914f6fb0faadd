"""How a query is written, wherever one stands: in claims.toml, docs/figures.toml, docs/summary.toml (the rules' figures) and docs/vulkan.toml.

    { where = "variant=a|b cache=cold" }          the metric of every case that is chosen
    { twins = "variant=a cache=cold" }            the ratio of both APIs, of every pair that is chosen
    { num = "...", den = "..." }                  the ratio of two selects
    { combine = "analysis" | "over_control", ... }    what these keys alone do not tell; see claims.py, which describes all keys

A select is a text, column=value with a "|" between several values, or a table of the same. `metric` is device_ns unless an entry says otherwise;
a claim always says it. Each file has keys of its own beside these: they are the reader's.
"""

from collections.abc import Collection, Mapping
from typing import Any

from benchlib.claims import claim_check

METRIC = "device_ns"


def parsed(place: str, entry: Mapping[str, Any], own: Collection[str] = ()) -> dict[str, Any]:
    """The query of an entry, with `own` keys of its file, checked. Raises InputError, which begins with the place."""
    query = {"metric": METRIC, **claim_check.whole({key: value for key, value in entry.items() if key not in own})}
    for key in claim_check.SELECTS:
        if key in query:
            query[key] = claim_check.select(f"{place}: {key}", query[key])
    claim_check.check_query(place, query)
    return query
