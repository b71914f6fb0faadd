"""What all experiments say together, for who has a minute: docs/summary.toml, filled from the results.

    verdict = ["... {wide.says} ..."] sentences; one is left out as long as a figure of it has not been measured
    [does]                            what variants do, by verb: see model/kinds.py
    stream = ["add_f32"]
    [[kind]]                          a kind of work: pairs of twins, a line in the picture
    id = "wide"                       for the placeholders
    name = "..."                      for the picture and the table
    of = { does = "stream" }          the properties of its pairs (model/kinds.py); of two kinds no pair may be
    metric = "submit_ns"              optional: of pairs that are of another kind by their GPU time, another time
    [[rule]]                          what to do
    title, text = "..."
    also = ["..."]                    optional: sentences that are left out as long as a figure of theirs has not been measured
    claims = ["02.4b"]                optional: those that bear it out
    holds = { wide = "SLOWER" }       optional: the rule stands only where that is what the kind's pairs are
    [[rule.shown]]                    the sections of the worklog that show it
    experiment, section = "..."
    [[rule.figure]]                   a query as claims.py describes them, without a range, with its experiment and unit
    name = "slower"

    least, most = 1.01                optional: the rule stands only where the figure lies so

Placeholders: {kind} is the pairs' median Vulkan/CUDA in words, {kind.range} the least to the most, {kind.pairs} how many there are, {kind.same} how
many are SAME, {kind.says} what two thirds of them are, how many, and the range. In a rule {name} is that figure's median case with its
interval. A rule whose text lacks a figure is left out.
"""

from __future__ import annotations

import math
import re
import statistics
import tomllib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchlib.base import programs
from benchlib.claims import claim_check, claim_query, claim_words
from benchlib.document import document
from benchlib.pages import ratio_strip
from benchlib.model import kinds as model_kinds
from benchlib.model.analysis import Study
from benchlib.model.tables import CONTROLS, pair_runs, pairs
from benchlib.document.document import Block, Blocks, Bullets, Cell, Code, Inline, SectionLink, Strong, paragraph
from benchlib.pages.ratio_strip import Measured
from benchlib.results.results import WITH_ALL_CHECKS, InputError
from benchlib.stats.stats import FASTER, LEAST_RUNS, SAME, SLOWER, VERDICTS, Figure

FILE = Path("docs") / "summary.toml"
PICTURE = "vulkan-over-cuda"
PICTURE_TITLE = "Vulkan's time over CUDA's, by kind of work"
BLOCKS = ("verdict", "picture", "kinds", "rules")
KIND_KEYS = {"id", "name", "of", "metric"}
RULE_KEYS = {"title", "text", "also", "claims", "shown", "figure", "holds"}
PLACEHOLDER = re.compile(r"\{([a-z0-9_]+)(?:\.(range|says|pairs|same))?\}")
MISSING = "(not measured)"
BOUNDS = ("least", "most")
OTHERS = "others"
MOST = 2 / 3
HEADLINE = "Pairs by their verdict, then Vulkan's time over CUDA's from the least to the most:"
COLUMNS = {"block": "workgroup size", "elements": "size", "variant": "kernel", "elem_bytes": "bytes of an access", "memory_order": "memory order"}


@dataclass(frozen=True)
class Kind:
    name: str
    found: Sequence[Measured]
    boards: frozenset[str] = frozenset()  # that ran a pair of it

    @property
    def runs(self) -> int:
        """Of the pair that has the most."""
        return max(one.ratio.runs for one in self.found)

    @property
    def median(self) -> float:
        return statistics.median(one.ratio.value for one in self.found)

    @property
    def word(self) -> str:
        """SAME, FASTER or SLOWER, whichever MOST of its pairs are; empty where none has so many."""
        counted = Counter(one.verdict for one in self.found)
        return next((word for word in (SAME, FASTER, SLOWER) if counted[word] >= MOST * len(self.found)), "")

    @property
    def range(self) -> str:
        """From the least ratio to the most, and by which column they differ."""
        ends = [f"{end:.2f}" for end in (min(each.ratio.value for each in self.found), max(each.ratio.value for each in self.found))]
        return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}{self._by}"

    @property
    def _by(self) -> str:
        """The column whose values explain most of the ratios' variance, if that is more than half of it."""
        logarithms = [math.log(each.ratio.value) for each in self.found]
        whole = _squares(logarithms)
        best, share = "", 0.5
        for column in dict.fromkeys(column for each in self.found for column, _ in each.case.cells if column not in ("api", "cache")):
            groups: dict[str, list[float]] = {}
            for each, value in zip(self.found, logarithms):
                groups.setdefault(each.case[column], []).append(value)
            if 2 * len(groups) <= len(self.found) and whole and (explained := 1 - sum(map(_squares, groups.values())) / whole) > share:
                best, share = column, explained
        return f" by {COLUMNS.get(best, best)}" if best else ""

    @property
    def says(self) -> str:
        number = sum(one.verdict == self.word for one in self.found)
        seen = "" if self.runs >= LEAST_RUNS else f", seen in {self.runs} run{'s' * (self.runs > 1)}"
        middle = f", median {self.median:.2f}" if len(self.found) > 1 else ""
        ranged = f"{self.range}{middle}{seen}"
        if not self.word:
            counted = Counter(one.verdict for one in self.found)
            return f"{', '.join(f'{counted[each]} {each}' for each in VERDICTS if counted[each])}: {ranged}"
        return f"{self.word} in {number} of {len(self.found)}: {ranged}"

    def text(self, what: str | None) -> str:
        if what == "pairs":
            return str(len(self.found))
        if what == "same":
            return str(sum(one.verdict == SAME for one in self.found))
        if what in ("range", "says"):
            return self.range if what == "range" else self.says
        return claim_words.figure_words(Figure.exact(self.median), "slower", "")


def _squares(values: Sequence[float]) -> float:
    mean = statistics.fmean(values)
    return math.fsum((value - mean) ** 2 for value in values)


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
    if unknown := sorted(found.keys() - {"verdict", "does", "kind", "rule"}):
        raise InputError(f"{path}: no such key: {unknown[0]}")
    for key in ("kind", "rule"):
        if not isinstance(found.get(key, []), list) or not all(isinstance(entry, dict) for entry in found.get(key, [])):
            raise InputError(f"{path}: {key} is no list of tables: begin each with [[{key}]]")
    does = found.get("does", {})
    experiments = programs.source_folders(root).keys() | programs.source_folders(Path(__file__).resolve().parents[3]).keys()
    if not isinstance(does, dict) or not all(isinstance(names, list) for names in does.values()):
        raise InputError(f"{path}: does is no table of lists of variants")
    kinds = _kinds(path, found, study)
    for at, entry in enumerate(found.get("rule", []), start=1):
        _need(f"{path}: rule no. {at}", entry, RULE_KEYS, {"title", "text", "shown"})
        for query in entry.get("figure", []):
            claim_check.check_query(f"{path}: rule no. {at}: figure {query.get('name')}", _bare(query))
        for named in (*entry["shown"], *entry.get("figure", [])):
            if named.get("experiment") not in experiments:
                raise InputError(f"{path}: rule no. {at}: no experiment is {ascii(named.get('experiment'))[:80]}")
    return Summary(found, path, kinds)


def _need(where: str, entry: Mapping[str, Any], allowed: set[str], needed: set[str]) -> None:
    for key in sorted(needed - entry.keys()):
        raise InputError(f"{where}: no {key}")
    for key in sorted(entry.keys() - allowed):
        raise InputError(f"{where}: no such key: {key}")


def _kinds(path: Path, found: Mapping[str, Any], study: Study) -> Mapping[str, Kind]:
    """Those with a pair. Each pair is of one: what no kind has is of OTHERS."""
    entries = found.get("kind", [])
    for at, entry in enumerate(entries, start=1):
        where = f"{path}: kind no. {at}"
        _need(where, entry, KIND_KEYS, KIND_KEYS - {"metric"})
        if not isinstance(entry["of"], dict) or (unknown := sorted(entry["of"].keys() - set(model_kinds.PROPERTIES))):
            raise InputError(f"{where}: of is no table of {', '.join(model_kinds.PROPERTIES)}" + (f": {unknown[0]}" if isinstance(entry["of"], dict) else ""))
    members: dict[str, list[Measured]] = {entry["id"]: [] for entry in [*entries, {"id": OTHERS}]}
    boards: dict[str, set[str]] = {id_: set() for id_ in members}
    for table in study.tables.values():
        if not table.compares_times:
            continue
        for pair in pairs(table, WITH_ALL_CHECKS):
            if pair.case["variant"] in CONTROLS or not pair.cuda or not pair.vulkan:
                continue
            of_pair = model_kinds.properties(table, pair, found.get("does", {}))
            chosen = [entry for entry in entries if model_kinds.matches(of_pair, entry["of"])]
            by_gpu = [entry["id"] for entry in chosen if "metric" not in entry]
            if len(by_gpu) > 1:
                raise InputError(f"{path}: {table.name}'s {ascii(pair.case.name(without=['api']))} is of two kinds: {' and '.join(by_gpu)}")
            for entry in chosen if by_gpu else [*chosen, {"id": OTHERS}]:
                metric = entry.get("metric", "device_ns")
                if one := ratio_strip.measured_pair(table, pair, metric):
                    members[entry["id"]].append(one)
                    boards[entry["id"]].update(board for board, runs in pair_runs(table, pair, metric).items() if board and runs)
    names = {**{entry["id"]: entry["name"] for entry in entries}, OTHERS: "other kernels"}
    return {id_: Kind(names[id_], members[id_], frozenset(boards[id_])) for id_ in members if members[id_]}


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
        found = [_rule(at, summary, study, titles, claims) for at in range(len(summary.document.get("rule", [])))]
        return [Bullets(tuple(rule for rule in found if rule), numbered=True)] if any(found) else [document.NO_RESULTS]
    head, *found = verdict_lines(summary) or [MISSING]
    return [paragraph(head), *([Bullets(tuple(tuple(inlines(each)) for each in found))] if found else [])]


def sentences(summary: Summary) -> list[str]:
    """The verdict's, with their figures; without those that lack one."""
    known = {entry["id"] for entry in summary.document.get("kind", [])}
    texts = [_filled(each, f"{summary.path}: verdict", summary.kinds, {}, known) for each in summary.document.get("verdict", [])]
    return [text for text in texts if text]


def verdict_lines(summary: Summary) -> list[str]:
    """The sentences below the line that says how to read them; nothing where there are none."""
    found = sentences(summary)
    return [HEADLINE, *found] if found else []


def kinds(summary: Summary) -> Block:
    header = ["kind of work", "pairs:", *(f"{name}:" for name in VERDICTS), "Vulkan/CUDA, median:", "least:", "most:", "the most is"]
    rows: list[list[Cell]] = []
    for kind in summary.kinds.values():
        ordered = sorted(kind.found, key=lambda one: one.ratio.value)
        figures = [document.fixed(value, 3) for value in (kind.median, ordered[0].ratio.value, ordered[-1].ratio.value)]
        counted = Counter(one.verdict for one in kind.found)
        worst = ordered[-1].case.name(without=["api"])
        rows.append([kind.name, kind.text("pairs"), *(str(counted[name]) for name in VERDICTS), *figures, worst])
    return document.table(header, rows)


def _rule(
    at: int, summary: Summary, study: Study, titles: Mapping[str, Collection[str]], claims: Mapping[str, str]
) -> tuple[Inline, ...] | None:
    """None as long as a figure of its text has not been measured, or where one says otherwise."""
    rule = summary.document["rule"][at]
    where = f"{summary.path}: rule no. {at + 1}"
    figures, against = {}, any(kind not in summary.kinds or summary.kinds[kind].word != word for kind, word in rule.get("holds", {}).items())
    for query in rule.get("figure", []):
        figures[query["name"]] = _figure(where, query, study)
        if (found := figures[query["name"]]) and not query.get("least", -math.inf) <= found[1].value <= query.get("most", math.inf):
            against = True
    known = {*figures, *(entry["id"] for entry in summary.document.get("kind", []))}
    texts = [_filled(rule["text"], where, summary.kinds, figures, known) or ""]
    texts += [text for each in rule.get("also", []) if (text := _filled(each, where, summary.kinds, figures, known))]
    links: list[Inline] = []
    for shown in rule["shown"]:
        links += [", " if links else "", _link(where, shown["section"], shown["experiment"], shown["section"], study, titles)]
    for id_ in rule.get("claims", []):
        if id_ not in claims:
            raise InputError(f"{where}: no claim is {id_}")
        links += [", ", _link(where, id_, claims[id_], "Claims", study, titles)]
    if against or not texts[0]:
        return None
    return (Strong(rule["title"]), " ", *inlines(" ".join(texts)), " (", *links, ")")


def _link(
    where: str, text: str, experiment: str, section: str, study: Study, titles: Mapping[str, Collection[str]]
) -> Inline:
    """To the worklog's section; the text alone where there are no results of the experiment."""
    if section in titles.get(experiment, ()):
        return SectionLink(text, experiment, section)
    if experiment in study.tables and section not in _declared(study, experiment):
        raise InputError(f"{where}: the worklog's {experiment} has no section {ascii(section)}")
    return text


def _declared(study: Study, experiment: str) -> Collection[str]:
    """The sections that the experiment's analysis has; one without results is on no page."""
    return [title for title, _ in study.analyses[experiment].sections] if experiment in study.analyses else []


def _bare(entry: Mapping[str, Any]) -> dict[str, Any]:
    """As a claim's query is."""
    return {key: value for key, value in entry.items() if key not in ("experiment", *BOUNDS)}


def _figure(where: str, entry: Mapping[str, Any], study: Study) -> tuple[Mapping[str, Any], Figure] | None:
    """The query and its median case; None where there is none."""
    query = _bare(entry)
    if entry.get("experiment") not in study.tables:
        return None
    found = claim_query.run(query, entry["experiment"], study, f"{where}: figure {entry['name']}")
    if isinstance(found, str):
        return None
    ordered = sorted((one.figure for one in found), key=lambda figure: figure.value)
    return query, ordered[(len(ordered) - 1) // 2]


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
        if name in kinds_:
            shown = kinds_[name].text(what)
        elif found := figures.get(name):
            query, figure = found
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
