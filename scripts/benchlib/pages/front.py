"""What the README, docs/RESULTS.md and docs/RULES.md show of all experiments together: the table of the headline's kinds of work, pictures, rules, claims by model."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from benchlib.claims.claims import NOT_MEASURED, OURS, REFUTED, UNCLEAR, VERDICTS, ClaimFile
from benchlib.document import document
from benchlib.document.document import NONE, Blocks, Cell, FileLink, Image, Verdict as VerdictCell, paragraph
from benchlib.model.analysis import Study
from benchlib.pages import beside, rules, summary
from benchlib.pages.rules import Models, Titles
from benchlib.pages.summary import PICTURE, PICTURE_OF_ALL, PICTURE_TITLE, Kind, Summary
from benchlib.tables import claim_tables

BLOCKS = ("verdict", "picture", "picture-of-all", "kinds", "rules", "screen", "models", "refuted")


def block(name: str, said: Summary, study: Study, titles: Titles, own: str = "", others: Models | None = None) -> Blocks:
    """One of BLOCKS but "models" and "refuted". `titles`: of the sections of each experiment's page. `own`: this model's name; `others`: the models beside it."""
    there = others or {}
    if name in ("picture", "picture-of-all"):
        file = PICTURE if name == "picture" else PICTURE_OF_ALL
        return [Image(file, PICTURE_TITLE)] if summary.pictures(said)[file] else [document.NO_RESULTS]
    if name == "kinds":
        return [summary.kinds(said, {each: model for each, (_, model) in there.items()}, own)]
    if name == "rules":
        return rules.table(said, study, titles, own, there) or [document.NO_RESULTS]
    if name == "screen":
        return screen(said, study, own, there)
    return verdict(said, study, own, there) or [document.NO_RESULTS]


def screen(said: Summary, study: Study, own: str = "", others: Models | None = None) -> Blocks:
    """The table that run.sh ends with on the last of the models, beside the published ones."""
    name, model = list({own: (study, said), **(others or {})}.items())[-1]
    lines = beside.screen_table(said.path.parent.parent, {f"here: {name}".removesuffix(": "): model})
    return [document.Preformatted("\n".join(lines))] if lines else [document.NO_RESULTS]


def verdict(said: Summary, study: Study, own: str = "", others: Models | None = None) -> Blocks:
    """A row per kind of work: its range on this model, the median on others, the verdict, an example, and the rule that helps; nothing where nothing is compared."""
    shown = summary.headline(said)
    if not shown:
        return []
    standing = {rules.of(said)[place]["title"] for place in rules.standing(study, said)}
    models: Models = {own: (study, said), **(others or {})}
    rows: list[list[Cell]] = []
    for at, (entry, whole) in enumerate(shown, start=1):
        kind, *there = summary.shared([whole, *(model.kinds.get(entry["kind"]) for _, model in (others or {}).values())])
        assert kind  # the first, which has a pair
        middles: list[Cell] = [document.fixed(each and each.median, 2) for each in there]
        example = rules.example(entry, f"{said.path}: headline no. {at}", models) if "example" in entry else NONE
        rows.append([kind.name, _ratio(kind), *middles, _verdicts(kind, dict(zip(others or {}, there))), example, _to_do(entry, standing)])
    return [document.table(["kind of work", own or "Vulkan/CUDA", *(others or {}), "Vulkan is", "for example", "what to do"], rows)]


def _ratio(kind: Kind) -> Cell:
    """The median, and the range where it is another."""
    middle, ends = f"{kind.median:.2f}", kind.range.partition(" (")[0]  # what it depends on stands in the table of all kinds
    return middle if middle == ends else f"{middle} ({ends.replace(' to ', '–')})"


def _verdicts(kind: Kind, others: Mapping[str, Kind | None]) -> Cell:
    """This model's, and another's where that is another."""
    differing = [f"{name}: {other.verdict}" for name, other in others.items() if other and other.verdict != kind.verdict]
    own: Cell = kind.verdict if kind.verdict == summary.DIFFER else VerdictCell(kind.verdict)
    return document.joined([own, *differing], ", ")


def _to_do(entry: Mapping[str, Any], standing: Collection[str]) -> Cell:
    """Links to the entry's rules that hold here."""
    links: list[Cell] = [FileLink(title.rstrip("."), f"{rules.PAGE}#{rules.anchor(title)}") for title in entry.get("rules", []) if title in standing]
    return document.joined(links, "; ") if links else NONE


def refuted(groups: Sequence[ClaimFile]) -> Blocks:
    """A row a refuted claim: what was said, and by whom, in which range it would have counted, and what came."""
    found = [(group, claim) for group in groups for claim in group.claims if claim.verdict == REFUTED]
    ours = sum(claim.source == OURS for _, claim in found)
    rows: list[list[Cell]] = []
    for group, claim in found:
        source: Cell = FileLink(claim.source, claim.sources) if claim.sources and claim.source != OURS else claim.source
        rows.append([FileLink(claim.id, claim_tables.readme(group)), claim.text, source, claim.range_words or NONE, claim.words or NONE])
    text = f"{len(found)} of {sum(len(group.claims) for group in groups)} claims are REFUTED. {ours} of these are our own."
    return [paragraph(text), document.table(["claim", "what was expected", "by whom", "reproduced if", "what came"], rows)] if found else [paragraph(text)]


def models(by_model: Mapping[str, Sequence[ClaimFile]]) -> Blocks:
    """Each claim's verdict on each model: those that differ in a table, all of them counted."""
    found = {name: {claim.id: claim for group in groups for claim in group.claims} for name, groups in by_model.items()}
    first, *others = found.values()
    if not others:
        return []
    counts = [[name, *(str(Counter(claim.verdict for claim in claims.values())[each]) for each in VERDICTS)] for name, claims in found.items()]
    rows: list[list[Cell]] = []
    same, partly = 0, Counter[str]()
    for id_, claim in first.items():
        mine = [claims[id_] for claims in found.values()]
        decided = [each for each in mine if each.verdict not in (UNCLEAR, NOT_MEASURED)]
        if len(decided) < len(mine):
            partly[" and ".join(sorted({each.verdict for each in mine if each not in decided}))] += 1
        elif len({each.verdict for each in mine}) == 1:
            same += 1
        else:
            rows.append([id_, claim.text, *(document.joined([VerdictCell(each.verdict), each.words or NONE], ": ") for each in mine)])
    open_ = "".join(f", {number} are {what} on one or more" for what, number in sorted(partly.items()))
    text = f"{same} of {len(first)} claims have the same verdict on {' and '.join(found)}, {len(rows)} have another{open_}."
    table: Blocks = [document.table(["claim", "", *found], rows)] if rows else []
    return [paragraph(text), *table, document.table(["all claims", *(f"{each}:" for each in VERDICTS)], counts)]
