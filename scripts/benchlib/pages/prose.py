"""Figures in prose that come from the results: markers in README.md, docs/ and the experiments' READMEs, filled by scripts/worklog.py.

    It takes <!-- q: bounds_checks -->2.8<!-- /q --> % longer.     the figure of that name in docs/figures.toml
    <!-- q: 01.2a.worst.takes -->3.9 % longer than<!-- /q -->      a claim's, as in an experiment's answer (claims.py)
    <!-- q: 01.2a.worst.takes.value -->3.9 % longer than<!-- /q -->    the same: intervals stand in tables
    <!-- q: kind stores.range -->1.04 to 1.11<!-- /q -->           a kind of work's (summary.py): says, range, pairs, same, median, least, most
    <!-- q: bounds_checks @h100 -->2.1<!-- /q -->                  of another model: docs/figures.toml says which folder of results/
    <!-- q: boards -->17<!-- /q -->                                boards with results; `boards exp0[1-6]*`: of a program whose name fits
    <!-- holds: bounds_checks > 1 -->                              what the sentence before it says stands only while this is so of every case,
    <!-- holds: 02.4b.gap > 1 -->                                  so of every case of a claim's query (of its typical case without a query's name),
    <!-- holds: 02.4b REFUTED -->                                  this is the claim's verdict (or one of several: PARTLY|REFUTED),
    <!-- holds: kind stores SLOWER -->                             this is what two thirds of the kind's pairs are

A comparison holds where all of each figure's interval lies on that side of the bound, does not where none of one's does, and is not decided elsewhere: then the sentence
has to go, too.

docs/figures.toml:

    [models]
    h100 = "nvidia-h100-80gb-hbm3"
    [figure.exp02_descriptors]                      by experiment; a name is there once in the file
    bounds_checks = { num = "...", den = "...", as = "percent" }

An entry is a query (claims/query_form.py). `as`: "number" (of several cases from the least to the greatest), "percent" (a ratio's
distance from 1), "share" (100 times), or "words" with `say` and `unit`. `scale`: by what a number is multiplied. `per`: what is
divided by the value, where a time is said as a rate (operations over ns). `digits`: significant ones, 3 unless said. `pick`: "least",
"median" or "most" of several cases.
"""

import fnmatch
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchlib.base import toml_file
from benchlib.claims import claim_query, claim_words, query_form
from benchlib.claims.claim_query import PICKS
from benchlib.claims.claims import ClaimFile
from benchlib.stats import estimate
from benchlib.stats.estimate import DOES_NOT_HOLD, HOLDS, NOT_DECIDED
from benchlib.model.analysis import Study
from benchlib.pages.summary import Kind
from benchlib.results.results import InputError
from benchlib.stats.stats import Figure
from benchlib.tables import claim_tables

FILE = Path("docs") / "figures.toml"
FENCE = r"^(?:```|~~~).*?^(?:```|~~~)\s*?$|`[^`\n]*`"
MARKER = re.compile(rf"{FENCE}|(?P<begin><!-- q: (?P<query>[^\n]*?) -->)(?P<text>.*?)(?P<end><!-- /q -->)|<!-- holds: (?P<holds>[^\n]*?) -->", re.M | re.S)
CLAIM = re.compile(r"(\d\d\.\d+[a-z]?)((?:\.[a-z0-9_]+)*?)(\.value)?")
COMPARES = ("<", ">", "<=", ">=")
FORMS = ("number", "percent", "share", "words")
PROBLEMS = {DOES_NOT_HOLD: "no longer so", NOT_DECIDED: "not decided, leave the sentence out"}
OWN_KEYS = ("as", "scale", "per", "digits", "pick")


class NotMeasured(Exception):
    """What the marker asks for is not in the results."""


@dataclass(frozen=True)
class Model:
    """One folder of results, as far as prose asks for it."""

    study_of: Callable[[str], Study]  # by experiment
    groups: Sequence[ClaimFile]
    kinds: Mapping[str, Kind]


@dataclass
class Prose:
    root: Path
    model: Callable[[str], Model]  # by the folder's name below results/; "" is the reference
    problems: list[str] = field(default_factory=list)  # a line each: a sentence that no longer holds, a figure that is not measured

    def __post_init__(self) -> None:
        path = self.root / FILE
        document = toml_file.parsed(path.read_text(encoding="utf-8")) if path.is_file() else {}
        self.models: Mapping[str, str] = document.get("models", {})
        self.figures: dict[str, tuple[str, Mapping[str, Any]]] = {}
        for experiment, entries in document.get("figure", {}).items():
            for name, entry in entries.items():
                if name in self.figures:
                    raise InputError(f"{path}: the name {name} is there twice")
                self.figures[name] = experiment, entry

    def filled(self, path: Path, text: str) -> str:
        """The page with the figures in it; what no longer holds, or is not measured, becomes a problem and stays as it is."""

        def replace(match: re.Match[str]) -> str:
            where = f"{path}: line {text.count(chr(10), 0, match.start()) + 1}"
            try:
                if match["holds"] is not None and (said := self.holds(match["holds"], where)) != HOLDS:
                    self.problems.append(f"{where}: {PROBLEMS[said]}: {match['holds']}")
                if match["query"] is not None:
                    return f"{match['begin']}{self.words(match['query'], where)}{match['end']}"
            except NotMeasured as error:
                self.problems.append(f"{where}: {error}")
            return match[0]

        return MARKER.sub(replace, text)

    def words(self, query: str, where: str) -> str:
        words, model = self._split(query, where)
        if words[0] == "kind":
            return self._kind_words(words[1] if len(words) == 2 else "", model, where)
        if words[0] == "boards":
            return self._boards(words[1:], model)
        if len(words) != 1:
            raise InputError(f"{where}: {ascii(query)}: one name, or `kind` and a name")
        if match := CLAIM.fullmatch(words[0]):
            by_id = {claim.id: claim for group in model.groups for claim in group.claims}
            try:
                said = claim_tables.claim_text(by_id, match[1], match[2].removeprefix("."))
            except claim_tables.Missing:
                raise NotMeasured(f"{query}: not measured") from None
            return claim_words.bare(said)
        return self._figure_words(words[0], model, where)

    def holds(self, condition: str, where: str) -> str:
        """HOLDS, DOES_NOT_HOLD, or NOT_DECIDED where the interval of a figure reaches beyond the bound that its value keeps."""
        words, model = self._split(condition, where)
        if len(words) == 3 and words[0] == "kind":
            return _said(self._kind(words[1], model).word == words[2])
        compared = len(words) == 3 and words[1] in COMPARES and re.fullmatch(r"-?\d+(\.\d+)?", words[2])
        match = CLAIM.fullmatch(words[0])
        if compared and match:
            return all_hold(self._claim_figures(match, model, where), words[1], float(words[2]))
        if len(words) >= 2 and match:
            verdicts = [claim.verdict for group in model.groups for claim in group.claims if claim.id == words[0]]
            if not verdicts:
                raise InputError(f"{where}: no claim is {words[0]}")
            return _said(verdicts[0] in " ".join(words[1:]).split("|"))
        if compared:
            return all_hold(self._picked(words[0], self._found(words[0], model, where)), words[1], float(words[2]))
        raise InputError(f"{where}: {ascii(condition)} is no condition: NAME < 1.5, CLAIM VERDICT, or kind NAME VERDICT")

    def _split(self, query: str, where: str) -> tuple[list[str], Model]:
        words = query.split()
        folder = ""
        if words and words[-1].startswith("@"):
            name = words.pop()[1:]
            if name not in self.models:
                raise InputError(f"{where}: {FILE} has no model {ascii(name)}")
            folder = self.models[name]
        if not words:
            raise InputError(f"{where}: a marker without a name")
        return words, self.model(folder)

    def _boards(self, patterns: Sequence[str], model: Model) -> str:
        """How many boards ran a program whose name fits one of the patterns; without a pattern, any."""
        tables = model.study_of("").tables
        names = {name for name in tables for pattern in patterns or ("*",) if fnmatch.fnmatchcase(name, pattern)}
        if not names:
            raise NotMeasured(f"no results of {' or '.join(patterns) or 'any program'}")
        return str(len({board for name in names for board in tables[name].boards}))

    def _claim_figures(self, match: re.Match[str], model: Model, where: str) -> Sequence[Figure]:
        claim = next((claim for group in model.groups for claim in group.claims if claim.id == match[1]), None)
        name = match[2].removeprefix(".")
        if claim is None or (name and name not in [query.get("name") for query in claim.entry.get("query", [])]):
            raise InputError(f"{where}: no claim, or no query of it, is {match[0]}")
        figures = claim.figures.get(name, []) if name else [claim.shown.typical.figure] if claim.shown else []
        if not figures:
            raise NotMeasured(f"{match[0]}: not measured")
        return figures

    # -------------------------------------------------------------------------------------------------------------- kinds

    def _kind(self, name: str, model: Model) -> Kind:
        if name not in model.kinds:
            raise NotMeasured(f"no pair of the kind {ascii(name)}")
        return model.kinds[name]

    def _kind_words(self, said: str, model: Model, where: str) -> str:
        name, _, what = said.partition(".")
        kind = self._kind(name, model)
        ratios = [one.ratio.value for one in kind.found]
        ends = {"median": kind.median, "least": min(ratios), "most": max(ratios)}
        if what not in (*ends, "says", "range", "pairs", "same"):
            raise InputError(f"{where}: {ascii(said)}: a kind has says, range, pairs, same, median, least and most")
        return f"{ends[what]:.2f}" if what in ends else kind.text(what)

    # ------------------------------------------------------------------------------------------------------------ figures

    def _figure_words(self, name: str, model: Model, where: str) -> str:
        figures = self._found(name, model, where)
        entry = self.figures[name][1]
        form = entry.get("as", "words" if "say" in entry else "number")
        if form not in FORMS or entry.get("pick", "median") not in PICKS:
            raise InputError(f"{self.root / FILE}: {name}: as is one of {', '.join(FORMS)}, pick one of {', '.join(PICKS)}")
        if form == "words":
            said = claim_words.spread_words(figures, entry.get("say", ""))
            return claim_words.bare(f"{said} {entry.get('unit', '')}".rstrip())
        values = [figure.value for figure in self._picked(name, figures)]
        return numbers([entry["per"] / value for value in values] if "per" in entry else values, form, entry.get("scale", 1), entry.get("digits", 3))

    def _picked(self, name: str, figures: Sequence[Figure]) -> Sequence[Figure]:
        """All of them, or the one that the entry picks."""
        pick = self.figures[name][1].get("pick")
        return [PICKS[pick](figures)] if pick else figures

    def _found(self, name: str, model: Model, where: str) -> list[Figure]:
        if name not in self.figures:
            raise InputError(f"{where}: {FILE} has no figure {ascii(name)}")
        experiment, entry = self.figures[name]
        study = model.study_of(experiment)
        if experiment not in study.tables:
            raise NotMeasured(f"{name}: no results of {experiment}")
        path = self.root / FILE
        place = f"{path}:{toml_file.line_of_key(path.read_text(encoding='utf-8'), name)}: {name}"
        found = claim_query.run(query_form.parsed(place, entry, OWN_KEYS), experiment, study, place)
        if isinstance(found, str):
            raise NotMeasured(f"{name}: {found}")
        return [one.figure for one in found]


def _said(so: bool) -> str:
    return HOLDS if so else DOES_NOT_HOLD


def all_hold(figures: Sequence[Figure], sign: str, bound: float) -> str:
    """Whether each lies on that side of the bound, by its interval."""
    least, most = (bound, math.inf) if sign in (">", ">=") else (-math.inf, bound)
    found = {estimate.decide(figure.lo, figure.hi, least, most) for figure in figures}
    return next((each for each in (DOES_NOT_HOLD, NOT_DECIDED) if each in found), HOLDS)


def numbers(values: Sequence[float], form: str, scale: float, digits: int) -> str:
    """From the least to the greatest."""
    if form == "percent":
        texts = [claim_words.percent(value - 1) for value in sorted(values, key=lambda value: abs(value - 1))]
    else:
        factor = scale * (100 if form == "share" else 1)
        texts = [_number(factor * value, digits) for value in sorted(values)]
    return texts[0] if texts[0] == texts[-1] else f"{texts[0]} to {texts[-1]}"


def _number(value: float, digits: int) -> str:
    return str(round(value)) if value == round(value) and abs(value) < claim_words.GROUPED else claim_words.three_digits(value, digits)
