"""The rules of docs/summary.toml: whether each holds on a GPU, as sentences, and as the table of docs/RULES.md."""

import math
import os
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from benchlib.base import toml_file
from benchlib.claims import claim_query, claim_words, query_form
from benchlib.document import document, markdown
from benchlib.document.document import NONE, Blocks, Bullets, Cell, Code, FileLink, Inline, SectionLink, Strong
from benchlib.model.analysis import Study
from benchlib.pages import summary
from benchlib.pages.summary import Summary, inlines
from benchlib.results.results import InputError
from benchlib.stats.estimate import NOT_DECIDED, HOLDS as HELD, decide
from benchlib.stats.formats import sig
from benchlib.stats.stats import Figure

TITLE = "Rules for Vulkan"
HOLDS, NOT_HERE, UNDECIDED, NOT_SEEN = "Hold here", "Do not hold here", "Not decided here", "Could not be seen here"
WORDS = {HOLDS: "holds", NOT_HERE: "does not hold", UNDECIDED: "not decided", NOT_SEEN: "not measured"}
BOUNDS = ("least", "most")
PAGE = "docs/RULES.md"  # has each rule's section

Titles = Mapping[str, Collection[str]]  # of the sections of each experiment's page
MedianCase = tuple[Mapping[str, Any], Figure]  # a query and its median case
Models = Mapping[str, tuple[Study, Summary]]  # by short names


def of(said: Summary) -> Sequence[Mapping[str, Any]]:
    return said.document.get("rule", [])


def verdicts(study: Study, said: Summary) -> dict[str, str]:
    """Which hold here, which do not, of which the pairs or the runs decide too little, which could not be seen: by their titles."""
    return {rule["title"]: _verdict(rule, study, said, _where(said, at)) for at, rule in enumerate(of(said))}


def _where(said: Summary, at: int) -> str:
    return f"{said.path}:{toml_file.line_of_table(said.text, 'rule', at + 1)}: rule no. {at + 1}"


def _verdict(rule: Mapping[str, Any], study: Study, said: Summary, where: str) -> str:
    figures, against, undecided = rule.get("figure", []), False, False
    needed = {name for name, _ in claim_words.placeholders(rule["text"])}
    for query in figures:
        found = _figure(where, query, study)
        if found is None and query["name"] not in needed and not set(BOUNDS) & query.keys():
            continue  # of a further sentence alone
        if found is None:
            return NOT_SEEN
        if set(BOUNDS) & query.keys():
            side = _side(query, found[1])
            against, undecided = against or side is False, undecided or side is None
    own = {query["name"] for query in figures}
    if any(name not in own and name not in said.kinds for name, _ in claim_words.placeholders(rule["text"])):
        return NOT_SEEN
    words = [(said.kinds[kind].word, word) for kind, word in rule.get("holds", {}).items() if kind in said.kinds]
    if against or any(found and found != word for found, word in words):
        return NOT_HERE
    return HOLDS if all(found for found, _ in words) and not undecided else UNDECIDED


def _side(query: Mapping[str, Any], figure: Figure) -> bool | None:
    """Whether the figure lies within the query's bounds: with all of its interval, with none of it (False), or not decided (None)."""
    decided = decide(figure.lo, figure.hi, query.get("least", -math.inf), query.get("most", math.inf))
    return None if decided == NOT_DECIDED else decided == HELD


def _figure(where: str, entry: Mapping[str, Any], study: Study) -> MedianCase | None:
    """None where it has not been measured. Raises InputError for what no results could have: a misspelt column."""
    experiment = entry.get("experiment", "")
    if experiment not in study.tables:
        return None
    place = f"{where}: figure {entry['name']}"
    query = query_form.parsed(place, entry, summary.OF_RULE)
    found = claim_query.run(query, experiment, study, place)
    if isinstance(found, str):
        return None
    return query, claim_query.PICKS[entry.get("pick", "median")]([one.figure for one in found])


# -------------------------------------------------------------------------------------------------------------- documents


def standing(study: Study, said: Summary) -> list[int]:
    """Which of the rules are said of these results, by their places: those that hold, in their order."""
    return [at for at, verdict in enumerate(verdicts(study, said).values()) if verdict == HOLDS]


def anchor(title: str) -> str:
    """Where docs/RULES.md has the rule of that title."""
    return markdown.slug(title.rstrip("."))


def blocks(said: Summary, study: Study, titles: Titles, claims: Mapping[str, str]) -> Blocks:
    """Those that hold, numbered, with all their sentences and links; nothing where none does. `claims`: each claim's experiment."""
    found: list[tuple[Inline, ...]] = []
    for at in standing(study, said):
        rule, where = of(said)[at], _where(said, at)
        words = _sentences(rule, said, study, where)
        how: list[Inline] = [" ", FileLink("How.", f"{PAGE}#{anchor(rule['title'])}")]
        found.append((Strong(rule["title"]), " ", *inlines(" ".join(words)), *how, *_few_runs(rule, said, study, where), *_links(rule, where, study, titles, claims)))
    return [Bullets(tuple(found), numbered=True)] if found else []


def table(said: Summary, study: Study, titles: Titles, own: str = "", others: Models | None = None) -> Blocks:
    """A row for each rule that holds on the first model: what decides it, how large that is on each model, the bound, and the command that measures it."""
    models: Models = {own: (study, said), **(others or {})}
    held = {name: list(verdicts(*model).values()) for name, model in models.items()}
    rows: list[list[Cell]] = []
    for at in standing(study, said):
        rule, where = of(said)[at], _where(said, at)
        first = rule["shown"][0]
        cells: list[Cell] = [_deciding(rule, model, where) + ("" if held[name][at] == HOLDS else f" ({WORDS[held[name][at]]})") for name, model in models.items()]
        measured = _link(where, rule.get("measures", first["section"]).replace("`", ""), first["experiment"], first["section"], study, titles)
        rows.append([FileLink(rule["title"].rstrip("."), f"{PAGE}#{anchor(rule['title'])}"), measured, *cells, _bound(rule), Code(rule["run"]) if "run" in rule else NONE])
    return [document.table(["rule", "what decides it", *(f"{name}:" for name in models), "holds if", "scripts/run.sh"], rows)] if rows else []


def _deciding(rule: Mapping[str, Any], model: tuple[Study, Summary], where: str) -> str:
    """The figure with a bound, or the median of the kind of work."""
    study, said = model
    if query := _bounded(rule):
        found = _figure(where, query, study)
        return f"×{sig(found[1].value, 3)}" if found else NONE
    kinds = [said.kinds[kind] for kind in rule.get("holds", {}) if kind in said.kinds]
    return f"×{sig(kinds[0].median, 3)}" if kinds else NONE


def _bounded(rule: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The figure that has a bound: if several have one, the first that the text names."""
    found = [query for query in rule.get("figure", []) if set(BOUNDS) & query.keys()]
    named = {name for name, _ in claim_words.placeholders(rule["text"])}
    return next((query for query in found if query["name"] in named), found[0] if found else None)


def _bound(rule: Mapping[str, Any]) -> str:
    if query := _bounded(rule):
        return " and ".join(f"{words} {query[key]}" for key, words in (("most", "at most"), ("least", "at least")) if key in query)
    return " and ".join(f"two thirds are {word}" for word in rule.get("holds", {}).values())


def _sentences(rule: Mapping[str, Any], said: Summary, study: Study, where: str) -> list[str]:
    """Its text, its limits and its further sentences: those whose figures were measured."""
    figures = {query["name"]: _figure(where, query, study) for query in rule.get("figure", [])}
    known = {*figures, *(entry["id"] for entry in said.document.get("kind", []))}
    texts = [rule["text"], *rule.get("limits", []), *rule.get("also", [])]
    return [words for text in texts if (words := summary.filled(text, where, said.kinds, figures, known))]


def _links(rule: Mapping[str, Any], where: str, study: Study, titles: Titles, claims: Mapping[str, str]) -> list[Inline]:
    links: list[Inline] = []
    for shown in rule["shown"]:
        links += [", " if links else " (", _link(where, shown["section"], shown["experiment"], shown["section"], study, titles)]
    for id_ in rule.get("claims", []):
        if id_ not in claims:
            raise InputError(f"{where}: no claim is {id_}")
        links += [", ", _link(where, id_, claims[id_], "Claims", study, titles)]
    return [*links, ")"]


def _few_runs(rule: Mapping[str, Any], said: Summary, study: Study, where: str) -> list[Inline]:
    """How many runs the figures of an experiment are from, where they are too few to tell by themselves how far runs differ."""
    texts = [rule["text"], *rule.get("limits", []), *rule.get("also", [])]
    shown = {name for text in texts for name, _ in claim_words.placeholders(text)} - said.kinds.keys()
    few: dict[str, int] = {}
    for query in rule.get("figure", []):
        found = _figure(where, query, study) if query["name"] in shown else None
        if found and found[1].too_few_runs:
            name = query["experiment"]
            few[name] = min(found[1].runs, few.get(name, found[1].runs))
    return [f" {name} has {runs} run{'s' if runs > 1 else ''}." for name, runs in few.items()]


def example(entry: Mapping[str, Any], where: str, models: Models) -> str:
    """A headline's example with the first model's figures; the others' behind it, where they have them."""
    texts: dict[str, str] = {}
    for name, (study, said) in models.items():
        figures = {query["name"]: _figure(where, query, study) for query in entry.get("figure", [])}
        texts[name] = summary.filled(entry["example"], where, said.kinds, figures, figures.keys()) or ""
    first, *others = texts.items()
    lead = _common([text for _, text in texts.items() if text])
    return first[1] + "".join(f" ({name}: {text[lead:]})" for name, text in others if text and first[1] and text != first[1])


def _common(texts: Sequence[str]) -> int:
    """How many characters all of them begin with, up to the end of a phrase: what follows a colon differs."""
    same = os.path.commonprefix(list(texts))
    return same.rfind(": ") + 2 if ": " in same else 0


def _link(where: str, text: str, experiment: str, section: str, study: Study, titles: Titles) -> Inline:
    """To the worklog's section; the text alone where there are no results of the experiment."""
    if section in titles.get(experiment, ()):
        return SectionLink(text, experiment, section)
    if experiment in study.tables and section not in dict(study.analysis_of(experiment).sections):  # one without results is on no page
        raise InputError(f"{where}: the worklog's {experiment} has no section {ascii(section)}")
    return text
