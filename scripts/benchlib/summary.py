"""What all experiments say together, for who has a minute: docs/summary.toml, filled from the results.

    verdict = ["... {wide} ..."]      sentences; one is left out as long as a figure of it has not been measured
    [[kind]]                          a kind of work: pairs of twins, a line in the picture
    id = "wide"                       for the placeholders
    name = "..."                      for the picture and the table
    [[kind.of]]                       some of its pairs: an experiment's, chosen as by a claim's query
    experiment = "exp01_vector_add"
    where = { variant = "add_f32x4" }
    [[rule]]                          what to do
    title, text = "..."
    also = ["..."]                    optional: sentences that are left out as long as a figure of theirs has not been measured
    claims = ["02.4b"]                optional: those that bear it out
    [[rule.shown]]                    the sections of the worklog that show it
    experiment, section = "..."
    [[rule.figure]]                   a query as claims.py describes them, without a range, with its experiment and unit
    name = "slower"

Placeholders: {kind} is the median pair's Vulkan/CUDA in words, {kind.pairs} how many there are, {kind.same} how many are SAME. In a
rule {name} is that figure's median case with its interval, {name.bare} the same without.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchlib import claim_check, claim_query, claim_words, document, ratio_strip
from benchlib.analysis import Study
from benchlib.document import Block, Blocks, Bullets, Cell, Code, Inline, Ratio, SectionLink, Strong, paragraph
from benchlib.ratio_strip import Measured
from benchlib.results import InputError
from benchlib.stats import SAME, Figure

FILE = Path("docs") / "summary.toml"
PICTURE = "vulkan-over-cuda"
PICTURE_TITLE = "Vulkan's time over CUDA's, by kind of work"
BLOCKS = ("verdict", "picture", "kinds", "rules")
KIND_KEYS = {"id", "name", "of"}
RULE_KEYS = {"title", "text", "also", "claims", "shown", "figure"}
PLACEHOLDER = re.compile(r"\{([a-z0-9_]+)(?:\.(bare|pairs|same))?\}")
MISSING = "(not measured)"


@dataclass(frozen=True)
class Kind:
    name: str
    found: Sequence[Measured]

    @property
    def median(self) -> Figure:
        """Of two in the middle the one that is farther from 1."""
        ordered = sorted((one.ratio for one in self.found), key=lambda ratio: ratio.value)
        return max(ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2], key=lambda ratio: abs(ratio.value - 1))

    def text(self, what: str | None) -> str:
        if what == "pairs":
            return str(len(self.found))
        if what == "same":
            return str(sum(one.verdict == SAME for one in self.found))
        return claim_words.figure_words(self.median, "slower", "")


@dataclass(frozen=True)
class Summary:
    document: Mapping[str, Any]
    path: Path
    kinds: Mapping[str, Kind] = field(default_factory=dict)  # those with a pair


def load(root: Path, study: Study) -> Summary | None:
    """None where the repository has none. Raises InputError for what it must not say."""
    path = root / FILE
    if not path.is_file():
        return None
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(f"{path}: {ascii(str(error))[1:-1]}") from error
    if unknown := sorted(found.keys() - {"verdict", "kind", "rule"}):
        raise InputError(f"{path}: no such key: {unknown[0]}")
    for key in ("kind", "rule"):
        if not isinstance(found.get(key, []), list) or not all(isinstance(entry, dict) for entry in found.get(key, [])):
            raise InputError(f"{path}: {key} is no list of tables: begin each with [[{key}]]")
    kinds = {}
    for at, entry in enumerate(found.get("kind", []), start=1):
        where = f"{path}: kind no. {at}"
        _need(where, entry, KIND_KEYS, KIND_KEYS)
        pairs_ = [one for each in entry["of"] for one in _pairs(where, each, study)]
        if pairs_:
            kinds[entry["id"]] = Kind(entry["name"], pairs_)
    for at, entry in enumerate(found.get("rule", []), start=1):
        _need(f"{path}: rule no. {at}", entry, RULE_KEYS, {"title", "text", "shown"})
    return Summary(found, path, kinds)


def _need(where: str, entry: Mapping[str, Any], allowed: set[str], needed: set[str]) -> None:
    for key in sorted(needed - entry.keys()):
        raise InputError(f"{where}: no {key}")
    for key in sorted(entry.keys() - allowed):
        raise InputError(f"{where}: no such key: {key}")


def _pairs(where: str, chosen: Mapping[str, Any], study: Study) -> list[Measured]:
    _need(where, chosen, {"experiment", "where"}, {"experiment", "where"})
    table = study.tables.get(chosen["experiment"])
    query = {"combine": "twin_ratio", "metric": "device_ns", "where": chosen["where"]}
    claim_check.check_query(where, query)
    if table is None:
        return []
    claim_check.check_columns(where, query, table)
    return ratio_strip.measured(table, chosen["where"])


# -------------------------------------------------------------------------------------------------------------- documents


def picture(summary: Summary) -> str:
    """The SVG, a file of its own; empty without a pair."""
    return ratio_strip.strip(PICTURE_TITLE, _rows(summary), alone=True)


def drawings(summary: Summary) -> tuple[str, ...]:
    """The picture within a page: wide and narrow; none without a pair."""
    return ratio_strip.strips(PICTURE_TITLE, _rows(summary))


def _rows(summary: Summary) -> list[tuple[str, Sequence[Measured]]]:
    return [(kind.name, kind.found) for kind in summary.kinds.values()]


def block(name: str, summary: Summary, study: Study, titles: Mapping[str, Collection[str]], claims: Mapping[str, str]) -> Blocks:
    """One of BLOCKS. `titles`: of the sections of each experiment's page. `claims`: each claim's experiment."""
    if name == "picture":
        return [document.Image(PICTURE, PICTURE_TITLE)] if picture(summary) else [document.NO_RESULTS]
    if name == "kinds":
        return [kinds(summary)]
    if name == "rules":
        return [Bullets(tuple(_rule(at, summary, study, titles, claims) for at in range(len(summary.document["rule"]))), numbered=True)]
    return [paragraph(*inlines(" ".join(sentences(summary)) or MISSING))]


def sentences(summary: Summary) -> list[str]:
    """The verdict's, with their figures; without those that lack one."""
    known = {entry["id"] for entry in summary.document.get("kind", [])}
    texts = [_filled(each, f"{summary.path}: verdict", summary.kinds, {}, known) for each in summary.document.get("verdict", [])]
    return [text for text in texts if text]


def kinds(summary: Summary) -> Block:
    header = ["kind of work", "pairs:", "SAME:", "median pair, Vulkan/CUDA [95 %]:", "least:", "most:", "the most is"]
    rows: list[list[Cell]] = []
    for kind in summary.kinds.values():
        ordered = sorted(kind.found, key=lambda one: one.ratio.value)
        ends = [document.fixed(one.ratio.value, 2) for one in (ordered[0], ordered[-1])]
        worst = ordered[-1].case.name(without=["api"])
        rows.append([kind.name, kind.text("pairs"), kind.text("same"), Ratio(kind.median), *ends, worst])
    return document.table(header, rows)


def _rule(
    at: int, summary: Summary, study: Study, titles: Mapping[str, Collection[str]], claims: Mapping[str, str]
) -> tuple[Inline, ...]:
    rule = summary.document["rule"][at]
    where = f"{summary.path}: rule no. {at + 1}"
    figures = {}
    for query in rule.get("figure", []):
        figures[query["name"]] = _figure(where, query, study)
    known = {*figures, *(entry["id"] for entry in summary.document.get("kind", []))}
    texts = [_filled(rule["text"], where, summary.kinds, figures, known) or MISSING]
    texts += [text for each in rule.get("also", []) if (text := _filled(each, where, summary.kinds, figures, known))]
    links: list[Inline] = []
    for shown in rule["shown"]:
        links += [", " if links else "", _link(where, shown["section"], shown["experiment"], shown["section"], study, titles)]
    for id_ in rule.get("claims", []):
        if id_ not in claims:
            raise InputError(f"{where}: no claim is {id_}")
        links += [", ", _link(where, id_, claims[id_], "Claims", study, titles)]
    return (Strong(rule["title"]), " ", *inlines(" ".join(texts)), " (", *links, ")")


def _link(
    where: str, text: str, experiment: str, section: str, study: Study, titles: Mapping[str, Collection[str]]
) -> Inline:
    """To the worklog's section; the text alone where there are no results of the experiment."""
    if section in titles.get(experiment, ()):
        return SectionLink(text, experiment, section)
    if experiment in study.tables:
        raise InputError(f"{where}: the worklog's {experiment} has no section {ascii(section)}")
    return text


def _figure(where: str, entry: Mapping[str, Any], study: Study) -> tuple[Mapping[str, Any], Figure] | None:
    """The query and its median case; None where there is none."""
    query = {key: value for key, value in entry.items() if key != "experiment"}
    claim_check.check_query(f"{where}: figure {entry.get('name')}", query)
    if entry.get("experiment") not in study.tables:
        return None
    found = claim_query.run(query, entry["experiment"], study, f"{where}: figure {entry['name']}")
    if isinstance(found, str):
        return None
    ordered = sorted((one.figure for one in found), key=lambda figure: figure.value)
    return query, ordered[len(ordered) // 2]


def _filled(
    text: str,
    where: str,
    kinds_: Mapping[str, Kind],
    figures: Mapping[str, tuple[Mapping[str, Any], Figure] | None],
    known: Collection[str],
) -> str | None:
    """The text with its figures; None if one of them has not been measured."""
    parts, at = [], 0
    for match in PLACEHOLDER.finditer(text):
        name, what = match[1], match[2]
        if name not in known and name not in kinds_:
            raise InputError(f"{where}: no figure or kind is {name}")
        if name in kinds_ and what != "bare":
            shown = kinds_[name].text(what)
        elif found := figures.get(name):
            query, figure = found
            figure = Figure.exact(figure.value) if what == "bare" else figure
            shown = claim_words.figure_words(figure, query.get("say", ""), query.get("unit", ""))
        else:
            return None
        parts += [text[at : match.start()], shown]
        at = match.end()
    return "".join([*parts, text[at:]])


def inlines(text: str) -> list[Inline]:
    """What stands between backticks is code, between two asterisks strong."""
    found: list[Inline] = []
    for part in re.split(r"(`[^`]*`|\*\*[^*]*\*\*)", text):
        found += [Code(part[1:-1])] if part.startswith("`") else [Strong(part[2:-2])] if part.startswith("**") else [part] if part else []
    return found
