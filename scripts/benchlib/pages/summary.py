"""What all experiments say together, for a reader who has a minute: docs/summary.toml, filled from the results.

    [[headline]]                      a row of the README's table, and of its picture
    kind = "narrow"                   the kind of work
    rules = ["Do it."]                optional: the rules that say what to do where Vulkan is not as fast
    example = "adding: {x}"           optional: one typical case
    [[headline.figure]]               its figures, as a rule's
    [does]                            what variants do, by verb: see model/kinds.py
    stream = ["add_f32"]
    [bytes]                           how wide variants' accesses are that have no column of it
    16 = ["write_ramp"]
    [[kind]]                          a kind of work, at most 14: pairs of twins, a line in the picture
    id = "wide"                       for the placeholders
    name = "..."                      for the picture and the table
    of = { does = "stream" }          the properties of its pairs (model/kinds.py); of two kinds no pair may be
    metric = "submit_ns"              optional: of pairs that are of another kind by their GPU time, another time
    [[control]]                       pairs that count in no kind
    of = { changed = "yes" }          as a kind's; a pair may be of both: then it is of the kind
    [[rule]]                          what to do
    title, text = "..."
    limits = ["..."]                  optional: when not, and what to mind: left out like those of `also`
    measures, run = "..."             optional: what the figure that decides it is, and the options of run.sh that measure it
    also = ["..."]                    optional: sentences that are left out as long as a figure of theirs has not been measured
    claims = ["02.4b"]                optional: those that bear it out
    holds = { wide = "SLOWER" }       optional: the rule stands only where that is what the kind's pairs are
    [[rule.shown]]                    the sections of the worklog that show it
    experiment, section = "..."
    [[rule.figure]]                   a query (claims/query_form.py) with its experiment and unit
    name = "slower"
    pick = "least"                    optional: of several cases the least, or "most"; the median case if not
    least, most = 1.01                optional: the rule holds where all of the figure's interval lies so, does not where none of it does, and is not decided elsewhere

Placeholders of a rule: {kind} is the pairs' median Vulkan/CUDA in words, {kind.range} the least to the most, {kind.pairs} how many there are,
{kind.same} how many are SAME, {kind.says} what two thirds of them are, how many, and the range; {name} is that figure's picked case, without its
interval: intervals stand in tables. pages/rules.py makes the rules, pages/front.py the table.
"""

import math
import re
import statistics
from collections import Counter
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchlib.base import programs, toml_file
from benchlib.base.kept import kept_last
from benchlib.base.programs import CONTROLS
from benchlib.claims import claim_words, query_form
from benchlib.claims.claim_query import PICKS
from benchlib.document import document
from benchlib.pages import ratio_strip
from benchlib.model import kinds as model_kinds
from benchlib.model.analysis import Study
from benchlib.model.pairs import pairs
from benchlib.document.document import NONE, Block, Cell, Code, Inline, Strong
from benchlib.pages.ratio_strip import Measured
from benchlib.results.results import WITH_ALL_CHECKS, InputError
from benchlib.stats.formats import sig
from benchlib.stats.stats import FASTER, MIN_RUNS, SAME, SLOWER, VERDICTS, Figure

FILE = Path("docs") / "summary.toml"
PICTURE = "vulkan-over-cuda"
PICTURE_TITLE = "Vulkan's time over CUDA's, by kind of work"
PICTURE_OF_ALL = "vulkan-over-cuda-all"
HEADLINE_KEYS = {"kind", "rules", "example", "figure"}
KIND_KEYS = {"id", "name", "of", "metric"}
RULE_KEYS = {"title", "text", "limits", "also", "claims", "shown", "figure", "holds", "measures", "run"}
OF_RULE = ("experiment", "least", "most", "pick")  # beside the query in a rule's figure
ASKED = ("", "range", "says", "pairs", "same")  # of a kind, in a text
OTHERS = "others"
CONTROL_PAIRS = "controls"
MOST = 2 / 3
DIFFER = "pairs differ"
COLUMNS = {
    "set_use": "use of the sets", "block": "workgroup size", "elements": "size", "variant": "kernel", "elem_bytes": "bytes of an access",
    "memory_order": "memory order",
}  # fmt: skip


@dataclass(frozen=True)
class Kind:
    name: str
    found: Sequence[Measured]

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
    def verdict(self) -> str:
        """What MOST of its pairs are, be it UNCLEAR; else that they differ."""
        verdict, number = Counter(one.verdict for one in self.found).most_common(1)[0]
        return verdict if number >= MOST * len(self.found) else DIFFER

    @property
    def words(self) -> str:
        """The median, the verdict, and of how few runs they are."""
        few = f", {self.runs} run{'s' * (self.runs > 1)}" if self.runs < MIN_RUNS else ""
        return f"{self.median:.3f} {self.verdict}{few}"

    @property
    def range(self) -> str:
        """From the least ratio to the most, and on which column it depends."""
        ends = [f"{end:.2f}" if end < 10 else sig(end, 3) for end in (min(each.ratio.value for each in self.found), max(each.ratio.value for each in self.found))]
        return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}{self._by}"

    @property
    def _by(self) -> str:
        """The column whose values explain most of the ratios' variance, if that is more than half of it. Where sizes do, but kernels as well, the
        kernels: each has its own size.
        """
        logarithms = [math.log(each.ratio.value) for each in self.found]
        whole = _squares(logarithms)
        shares: dict[str, tuple[int, float]] = {}  # by column: of its values, and of the variance
        for column in dict.fromkeys(column for each in self.found for column, _ in each.case.cells if column not in ("api", "cache")):
            groups: dict[str, list[float]] = {}
            for each, value in zip(self.found, logarithms):
                groups.setdefault(each.case[column], []).append(value)
            shares[column] = len(groups), (1 - sum(map(_squares, groups.values())) / whole if whole else 0.0)
        few = {column: share for column, (number, share) in shares.items() if 2 * number <= len(self.found)}
        best = max(few, key=lambda column: few[column], default="")
        if not best or few[best] <= 0.5:
            return ""
        number, share = shares["variant"]
        best = "variant" if best == "elements" and share >= few[best] and number < len(self.found) else best
        return f" (depends on {COLUMNS.get(best, best)})"

    @property
    def says(self) -> str:
        number = sum(one.verdict == self.word for one in self.found)
        seen = "" if self.runs >= MIN_RUNS else f", seen in {self.runs} run{'s' * (self.runs > 1)}"
        middle = f", median {self.median:.2f}" if len(self.found) > 1 else ""
        ranged = f"{self.range}{middle}{seen}"
        if not self.word:
            counted = Counter(one.verdict for one in self.found)
            return f"{', '.join(f'{counted[each]} {each}' for each in VERDICTS if counted[each])}: {ranged}"
        return f"{self.word} in {number} of {len(self.found)}: {ranged}"

    def text(self, what: str) -> str:
        if what == "pairs":
            return str(len(self.found))
        if what == "same":
            return str(sum(one.verdict == SAME for one in self.found))
        if what in ("range", "says"):
            return self.range if what == "range" else self.says
        return claim_words.figure_words(Figure.exact(self.median), "slower", "")


def shared(sides: Sequence[Kind | None]) -> list[Kind | None]:
    """The same kind of work in several sets, the first of which counts most: of each the pairs that all of them have. None where a set has no pair of the kind, or none
    that those before it have, too.
    """
    keys: set[object] = set()
    chosen = list(sides)
    for at, kind in enumerate(sides):
        own = {one.key for one in kind.found} if kind else set()
        if both := keys & own if keys else own:
            keys = both
        else:
            chosen[at] = None
    return [kind and Kind(kind.name, [one for one in kind.found if one.key in keys]) for kind in chosen]


def _squares(values: Sequence[float]) -> float:
    mean = statistics.fmean(values)
    return math.fsum((value - mean) ** 2 for value in values)


@dataclass(frozen=True)
class Summary:
    document: Mapping[str, Any]
    path: Path
    text: str  # of the file
    kinds: Mapping[str, Kind] = field(default_factory=dict)  # those with a pair


def load(root: Path, study: Study) -> Summary | None:
    """None where the repository has none. Raises InputError for what it must not say."""
    return study.memoized(_load, root)


def _load(study: Study, root: Path) -> Summary | None:
    path = root / FILE
    if not path.is_file():
        return None
    text = path.read_text(encoding="utf-8")
    try:
        found = toml_file.parsed(text)
    except ValueError as error:
        raise InputError(f"{path}: {ascii(str(error))[1:-1]}") from error
    if unknown := sorted(found.keys() - {"headline", "does", "bytes", "kind", "control", "rule"}):
        raise InputError(f"{path}: no such key: {unknown[0]}")
    for key in ("headline", "kind", "rule"):
        if not isinstance(found.get(key, []), list) or not all(isinstance(entry, dict) for entry in found.get(key, [])):
            raise InputError(f"{path}: {key} is no list of tables: begin each with [[{key}]]")
    experiments = programs.source_folders(root).keys() | programs.source_folders(Path(__file__).resolve().parents[3]).keys()
    for key in ("does", "bytes"):
        if not isinstance(named := found.get(key, {}), dict) or not all(isinstance(names, list) for names in named.values()):
            raise InputError(f"{path}: {key} is no table of lists of variants")
    kinds = _kinds(path, found, study)
    _check_rules(path, text, frozenset(experiments))
    return Summary(found, path, text, kinds)


def _check_figure(where: str, query: Mapping[str, Any], kinds: Set[str]) -> None:
    name = query.get("name")
    query_form.parsed(f"{where}: figure {name}", query, OF_RULE)
    if query.get("pick", "median") not in PICKS:
        raise InputError(f"{where}: figure {name}: pick is one of {', '.join(PICKS)}")
    if name in kinds:
        raise InputError(f"{where}: a kind is called {name}, too: its words would stand for the figure's")


@kept_last(16)  # a process may read the same file again and again
def _check_rules(path: Path, text: str, experiments: Set[str]) -> None:
    """And the headline."""
    found = toml_file.parsed(text)
    ids, titles = {entry["id"] for entry in found.get("kind", [])}, Counter(entry.get("title") for entry in found.get("rule", []))
    for title in (title for title, number in titles.items() if number > 1):
        raise InputError(f"{path}: two rules have the title {ascii(title)[:80]}")
    for at, entry in enumerate(found.get("headline", []), start=1):
        _need(f"{path}: headline no. {at}", entry, HEADLINE_KEYS, {"kind"})
        wanted: list[tuple[str, str, Collection[str]]] = [("kind", entry["kind"], ids), *(("rule", each, titles) for each in entry.get("rules", []))]
        for query in entry.get("figure", []):
            _check_figure(f"{path}: headline no. {at}", query, ids)
            wanted.append(("experiment", query.get("experiment", ""), experiments))
        wanted += [("figure", name, {query["name"] for query in entry.get("figure", [])}) for name, _ in claim_words.placeholders(entry.get("example", ""))]
        for what, name, known in wanted:
            if name not in known:
                raise InputError(f"{path}: headline no. {at}: no {what} is {ascii(name)[:80]}")
    for at, entry in enumerate(found.get("rule", []), start=1):
        _need(f"{path}: rule no. {at}", entry, RULE_KEYS, {"title", "text", "shown"})
        for query in entry.get("figure", []):
            _check_figure(f"{path}: rule no. {at}", query, ids)
        names = {*ids, *(query.get("name") for query in entry.get("figure", []))}
        for name in (name for text in (entry["text"], *entry.get("limits", []), *entry.get("also", [])) for name, _ in claim_words.placeholders(text)):
            if name not in names:
                raise InputError(f"{path}: rule no. {at}: no figure or kind is {name}")
        for named in (*entry["shown"], *entry.get("figure", [])):
            if named.get("experiment") not in experiments:
                raise InputError(f"{path}: rule no. {at}: no experiment is {ascii(named.get('experiment'))[:80]}")


def _need(where: str, entry: Mapping[str, Any], allowed: set[str], needed: set[str]) -> None:
    for key in sorted(needed - entry.keys()):
        raise InputError(f"{where}: no {key}")
    for key in sorted(entry.keys() - allowed):
        raise InputError(f"{where}: no such key: {key}")


def _kinds(path: Path, found: Mapping[str, Any], study: Study) -> Mapping[str, Kind]:
    """Those with a pair. Each pair is of one: what no kind has is of CONTROL_PAIRS, or else of OTHERS."""
    entries, controls = found.get("kind", []), found.get("control", [])
    named = [(f"kind no. {at}", entry, KIND_KEYS) for at, entry in enumerate(entries, start=1)]
    for where, entry, keys in [*named, *((f"control no. {at}", entry, {"of"}) for at, entry in enumerate(controls, start=1))]:
        where = f"{path}: {where}"
        _need(where, entry, keys, keys - {"metric"})
        if not isinstance(entry["of"], dict) or (unknown := sorted(entry["of"].keys() - set(model_kinds.PROPERTIES))):
            raise InputError(f"{where}: of is no table of {', '.join(model_kinds.PROPERTIES)}" + (f": {unknown[0]}" if isinstance(entry["of"], dict) else ""))
    members: dict[str, list[Measured]] = {entry["id"]: [] for entry in [*entries, {"id": CONTROL_PAIRS}, {"id": OTHERS}]}
    for table in study.tables.values():
        if not table.compares_times:
            continue
        for pair in pairs(table, WITH_ALL_CHECKS):
            if pair.case["variant"] in CONTROLS or not pair.cuda or not pair.vulkan:
                continue
            of_pair = model_kinds.properties(table, pair, found.get("does", {}), found.get("bytes", {}))
            chosen = [entry for entry in entries if model_kinds.matches(of_pair, entry["of"])]
            by_gpu = [entry["id"] for entry in chosen if "metric" not in entry]
            if len(by_gpu) > 1:
                raise InputError(f"{path}: {table.name}'s {ascii(pair.case.name(without=['api']))} is of two kinds: {' and '.join(by_gpu)}")
            is_control = any(model_kinds.matches(of_pair, entry["of"]) for entry in controls)
            for entry in chosen if by_gpu else [*chosen, {"id": CONTROL_PAIRS if is_control else OTHERS}]:
                metric = entry.get("metric", "device_ns")
                if one := ratio_strip.measured_pair(table, pair, metric):
                    members[entry["id"]].append(one)
    names = {**{entry["id"]: entry["name"] for entry in entries}, CONTROL_PAIRS: "controls, of no kind", OTHERS: "other kernels"}
    return {id_: Kind(names[id_], members[id_]) for id_ in members if members[id_]}


# -------------------------------------------------------------------------------------------------------------- documents


def pictures(summary: Summary) -> Mapping[str, str]:
    """SVGs, files of their own, by their names: of the headline's kinds, and of all; empty ones without a pair."""
    rows = [(kind.name, kind.found) for _, kind in headline(summary)]
    return {name: ratio_strip.strip(PICTURE_TITLE, each, alone=True) for name, each in ((PICTURE, rows), (PICTURE_OF_ALL, _rows(summary)))}


def headline(summary: Summary) -> list[tuple[Mapping[str, Any], Kind]]:
    """The entries whose kinds have a pair."""
    return [(entry, summary.kinds[entry["kind"]]) for entry in summary.document.get("headline", []) if entry["kind"] in summary.kinds]


def drawings(summary: Summary) -> tuple[str, ...]:
    """The picture within a page: wide and narrow; none without a pair."""
    return ratio_strip.strips(PICTURE_TITLE, _rows(summary))


def _rows(summary: Summary) -> list[tuple[str, Sequence[Measured]]]:
    return [(kind.name, kind.found) for kind in summary.kinds.values()]


def kinds(summary: Summary, others: Mapping[str, Summary] | None = None, name: str = "") -> Block:
    """A row a kind of work, of the pairs that all models have. `others`: the same of other models, by their names; `name`: this one's."""
    others = others or {}
    prefix = f"{name}, " if others and name else ""
    header = ["kind of work", "pairs:", *(f"{each}:" for each in VERDICTS), f"{prefix}median:" if prefix else "Vulkan/CUDA, median:"]
    header += [f"{name} is" if prefix else "Vulkan is"]
    header += [column for other in others for column in (f"{other}, median:", f"{other} is")]
    header += ["least:", "most:", "the most is"]
    rows: list[list[Cell]] = []
    for id_, whole in summary.kinds.items():
        kind, *there = shared([whole, *(other.kinds.get(id_) for other in others.values())])
        assert kind  # the first, which has a pair
        ordered = sorted(kind.found, key=lambda one: one.ratio.value)
        ends = [document.fixed(one.ratio.value, 3) for one in (ordered[0], ordered[-1])]
        counted = Counter(one.verdict for one in kind.found)
        beside = [cell for other in there for cell in (document.fixed(other and other.median, 3), other.verdict if other else NONE)]
        worst = ordered[-1].case.name(without=["api"])
        rows.append([kind.name, of_pairs(kind, whole), *(str(counted[each]) for each in VERDICTS), document.fixed(kind.median, 3), kind.verdict, *beside, *ends, worst])
    return document.table(header, rows)


def of_pairs(kind: Kind, whole: Kind) -> str:
    """How many pairs, and of how many where not all are shared."""
    return str(len(kind.found)) if len(kind.found) == len(whole.found) else f"{len(kind.found)} of {len(whole.found)}"


def filled(
    text: str,
    where: str,
    kinds_: Mapping[str, Kind],
    figures: Mapping[str, tuple[Mapping[str, Any], Figure] | None],
    known: Collection[str],
) -> str | None:
    """The text with its figures; None if one of them has not been measured."""

    def shown(name: str, what: str) -> str | None:
        if name not in known and name not in kinds_:
            raise InputError(f"{where}: no figure or kind is {name}")
        if what not in (ASKED if name in kinds_ else ASKED[:1]):
            raise InputError(f"{where}: {name} has no {what}")
        if name in kinds_:
            return kinds_[name].text(what)
        found = figures.get(name)
        return claim_words.plain(claim_words.figure_words(found[1], found[0].get("say", ""), found[0].get("unit", ""))) if found else None

    return claim_words.filled(text, shown)


def inlines(text: str) -> list[Inline]:
    """What stands between backticks is code, between two asterisks strong."""
    found: list[Inline] = []
    for part in re.split(r"(`[^`]*`|\*\*[^*]*\*\*)", text):
        found += [Code(part[1:-1])] if part.startswith("`") else [Strong(part[2:-2])] if part.startswith("**") else [part] if part else []
    return found
