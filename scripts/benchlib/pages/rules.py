"""The rules of docs/summary.toml: whether each holds on a GPU, and how it is said, on one model or beside others."""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from benchlib.claims import claim_check, claim_query, claim_words
from benchlib.document.document import Anchor, Blocks, Bullets, FileLink, Inline, SectionLink, Strong, paragraph
from benchlib.model.analysis import Study
from benchlib.pages import summary
from benchlib.pages.summary import PLACEHOLDER, Summary, inlines
from benchlib.results.results import InputError
from benchlib.stats.estimate import HOLDS as HELD
from benchlib.stats.estimate import NOT_DECIDED, decide
from benchlib.stats.stats import Figure

TITLE = "Rules for Vulkan"
HOLDS, NOT_HERE, UNDECIDED, NOT_SEEN = "Hold here", "Do not hold here", "Not decided here", "Could not be seen here"
WORDS = {HOLDS: "holds on", NOT_HERE: "does not hold on", UNDECIDED: "not decided on", NOT_SEEN: "not measured on"}
BOUNDS = ("least", "most")
NOTABLY = 0.02  # two models' figures are said apart from here, where their intervals do not meet

Titles = Mapping[str, Collection[str]]  # of the sections of each experiment's page
Found = tuple[Mapping[str, Any], Figure]  # a query and its median case
Models = Mapping[str, tuple[Study, Summary]]  # by short names


def of(said: Summary) -> Sequence[Mapping[str, Any]]:
    return said.document.get("rule", [])


def verdicts(study: Study, said: Summary) -> dict[str, str]:
    """Which hold here, which do not, of which the pairs or the runs decide too little, which could not be seen: by their titles."""
    return {rule["title"]: _verdict(rule, study, said, _where(said, at)) for at, rule in enumerate(of(said))}


def _where(said: Summary, at: int) -> str:
    return f"{said.path}: rule no. {at + 1}"


def _verdict(rule: Mapping[str, Any], study: Study, said: Summary, where: str) -> str:
    figures, against, undecided = rule.get("figure", []), False, False
    needed = {name for name, _ in PLACEHOLDER.findall(rule["text"])}
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
    if any(name not in own and name not in said.kinds for name, _ in PLACEHOLDER.findall(rule["text"])):
        return NOT_SEEN
    words = [(said.kinds[kind].word, word) for kind, word in rule.get("holds", {}).items() if kind in said.kinds]
    if against or any(found and found != word for found, word in words):
        return NOT_HERE
    return HOLDS if all(found for found, _ in words) and not undecided else UNDECIDED


def _side(query: Mapping[str, Any], figure: Figure) -> bool | None:
    """Whether the figure lies within the query's bounds: with all of its interval, with none of it (False), or not decided (None)."""
    decided = decide(figure.lo, figure.hi, query.get("least", -math.inf), query.get("most", math.inf))
    return None if decided == NOT_DECIDED else decided == HELD


def _figure(where: str, entry: Mapping[str, Any], study: Study) -> Found | None:
    """None where it has not been measured. Raises InputError for what no results could have: a misspelt column."""
    experiment = entry.get("experiment", "")
    if experiment not in study.tables:
        return None
    query, place = summary.bare(entry), f"{where}: figure {entry['name']}"
    claim_check.check_query(place, query)
    found = claim_query.run(query, experiment, study, place)
    if isinstance(found, str):
        return None
    ordered = sorted((one.figure for one in found), key=lambda figure: figure.value)
    return query, ordered[(len(ordered) - 1) // 2]


# -------------------------------------------------------------------------------------------------------------- documents


def standing(study: Study, said: Summary) -> list[int]:
    """Which of the rules are said of these results, by their places: those that hold, in their order."""
    return [at for at, verdict in enumerate(verdicts(study, said).values()) if verdict == HOLDS]


def anchor(number: int) -> str:
    """Where the README's rule of that number stands."""
    return f"rule-{number}"


def blocks(
    said: Summary, study: Study, titles: Titles, claims: Mapping[str, str], own: str = "", others: Models | None = None, *, brief: bool = False
) -> Blocks:
    """Those that hold, numbered; nothing where none does. `claims`: each claim's experiment. `own`: this model's name; `others`: on which of them a rule
    holds, too, and their figures: of the brief form where they differ notably. `brief`: without further sentences, each title linking to its first table.
    """
    models: Models = {own: (study, said), **(others or {})} if own else {}
    held = {name: list(verdicts(*model).values()) for name, model in models.items()}
    found = []
    for at in range(len(of(said))):
        if (one := _rule(at, said, study, titles, claims, brief)) is not None:
            title, words, limits, also, links = one
            few = _few_runs(of(said)[at], said, study, _where(said, at), brief)
            place = (Anchor(anchor(len(found) + 1)),) if brief else ()
            found.append((*place, title, " ", *words, *_on_models(at, models, held, brief), *limits, *also, *few, *links))
    if not found:
        return []
    return [*([paragraph(_tried(models, brief))] if models else []), Bullets(tuple(found), numbered=True)]


def _tried(models: Models, brief: bool) -> str:
    """On what, and whose the figures are."""
    own, *others = models
    drivers = {name: ", ".join(study.distinct("driver")) for name, (study, _) in models.items()}
    if len(set(drivers.values())) == 1:
        tried = f"{' and '.join(models)}, driver {next(iter(drivers.values()))}"
    else:
        tried = " and ".join(f"{name} (driver {driver})" for name, driver in drivers.items())
    if not others:
        return f"Tried on {tried}."
    theirs = " and ".join(f"{name}'s" for name in others)
    full = f"Figures are the {own}'s. Behind a rule's first sentence stand the {theirs}, without brackets."
    whose = f"Figures: {own}'s; {theirs} where the brackets do not meet." if brief else full
    return f"Tried on {tried}. A rule holds on each, unless it says otherwise. {whose}"


def _rule(
    at: int, said: Summary, study: Study, titles: Titles, claims: Mapping[str, str], brief: bool
) -> tuple[Inline, list[Inline], list[Inline], list[Inline], list[Inline]] | None:
    """Its title, its text, its limits with the link to what to do, its further sentences and its links; None where it does not hold."""
    rule, where = of(said)[at], _where(said, at)
    if _verdict(rule, study, said, where) != HOLDS:
        return None
    figures = {query["name"]: _figure(where, query, study) for query in rule.get("figure", [])}
    known = {*figures, *(entry["id"] for entry in said.document.get("kind", []))}
    text = inlines(summary.filled(rule["text"], where, said.kinds, figures, known) or "")
    limits, also = (
        [more for each in rule.get(key, []) if (more := summary.filled(each, where, said.kinds, figures, known))] for key in ("limits", "also")
    )
    within = inlines("".join(f" {each}" for each in limits)) + ([" ", FileLink("How.", rule["how"])] if "how" in rule else [])
    links: list[Inline] = []
    for shown in rule["shown"]:
        links += [", " if links else " (", _link(where, shown["section"], shown["experiment"], shown["section"], study, titles)]
    for id_ in rule.get("claims", []):
        if id_ not in claims:
            raise InputError(f"{where}: no claim is {id_}")
        links += [", ", _link(where, id_, claims[id_], "Claims", study, titles)]
    if not brief:
        return Strong(rule["title"]), text, within, inlines("".join(f" {each}" for each in also)), [*links, ")"]
    first = rule["shown"][0]
    link = _link(where, rule["title"], first["experiment"], first["section"], study, titles)
    return Strong(link) if isinstance(link, str) else link, text, within, [], []


def _few_runs(rule: Mapping[str, Any], said: Summary, study: Study, where: str, brief: bool) -> list[Inline]:
    """Of how many runs the figures of an experiment are, where they are too few to tell by themselves how far runs differ."""
    texts = [rule["text"], *rule.get("limits", []), *([] if brief else rule.get("also", []))]
    shown = {name for text in texts for name, _ in PLACEHOLDER.findall(text)} - said.kinds.keys()
    few: dict[str, int] = {}
    for query in rule.get("figure", []):
        found = _figure(where, query, study) if query["name"] in shown else None
        if found and found[1].too_few_runs:
            name = query["experiment"]
            few[name] = min(found[1].runs, few.get(name, found[1].runs))
    return [f" Of {name}: {runs} run{'s' if runs > 1 else ''}." for name, runs in few.items()]


def _on_models(at: int, models: Models, held: Mapping[str, Sequence[str]], brief: bool) -> list[Inline]:
    """On which models it holds, where that is not on all; and what it is on each but the first, of the brief form where that is notably another figure."""
    if not models:
        return []
    by_verdict = {verdict: [name for name in models if held[name][at] == verdict] for verdict in WORDS}
    parts = [f"{WORDS[verdict]} {' and '.join(names)}" for verdict, names in by_verdict.items() if names]
    parts = parts if len(parts) > 1 else []
    (_, own), *others = models.items()
    for name, other in others:
        if held[name][at] in (HOLDS, NOT_HERE) and (said := _other_figures(at, own, other, brief)):
            parts.append(f"{name}: {said}")
    text = "; ".join(parts)
    return [f" {text[:1].upper()}{text[1:]}."] if text else []


def _other_figures(at: int, own: tuple[Study, Summary], other: tuple[Study, Summary], notable: bool) -> str:
    """All figures of the rule's text on the other model, without their intervals; `notable`: if one of them is notably another."""
    rule = of(own[1])[at]
    queries = {query["name"]: query for query in rule.get("figure", [])}
    said, differs = [], False
    for name, what in PLACEHOLDER.findall(rule["text"]):
        if name not in queries:
            kinds = [model.kinds.get(name) for _, model in (own, other)]
            if not kinds[0] or not kinds[1]:
                return ""
            said.append(kinds[1].text(what))
            differs |= abs(math.log(kinds[1].median / kinds[0].median)) > NOTABLY
            continue
        pair = [_figure(_where(own[1], at), queries[name], study) for study, _ in (own, other)]
        if not pair[0] or not pair[1]:
            return ""
        query, there = pair[1]
        said.append(claim_words.figure_words(Figure.exact(there.value), query.get("say", ""), query.get("unit", "")))
        differs |= _differ_notably(pair[0][1], there)
    return ", ".join(re.sub(r" \(depends on [^)]*\)", "", text) for text in said) if differs or not notable else ""


def _differ_notably(one: Figure, other: Figure) -> bool:
    """Whether the intervals do not meet, and the values are NOTABLY apart; of ratios near 1 also, of what they differ from it by, a fifth."""
    ends = [(figure.lo if figure.lo is not None else figure.value, figure.hi if figure.hi is not None else figure.value) for figure in (one, other)]
    if ends[0][0] <= ends[1][1] and ends[1][0] <= ends[0][1]:
        return False
    near = max(abs(one.value - 1), abs(other.value - 1))
    return abs(one.value - other.value) > (NOTABLY * one.value if near > 0.5 else near / 5)


def _link(where: str, text: str, experiment: str, section: str, study: Study, titles: Titles) -> Inline:
    """To the worklog's section; the text alone where there are no results of the experiment."""
    if section in titles.get(experiment, ()):
        return SectionLink(text, experiment, section)
    if experiment in study.tables and section not in dict(study.analysis_of(experiment).sections):  # one without results is on no page
        raise InputError(f"{where}: the worklog's {experiment} has no section {ascii(section)}")
    return text
