"""What the README and docs/ANSWERS.md show of all experiments together: the table of the headline's kinds of work, pictures, rules, claims by model."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from benchlib.claims.claims import NOT_MEASURED, OURS, REFUTED, UNCLEAR, VERDICTS, ClaimFile
from benchlib.document import document
from benchlib.document.document import NONE, Blocks, Cell, FileLink, Image, SectionLink, paragraph
from benchlib.document.document import Verdict as VerdictCell
from benchlib.model.analysis import Study
from benchlib.pages import rules, summary
from benchlib.pages.rules import Models, Titles
from benchlib.pages.summary import PICTURE, PICTURE_OF_ALL, PICTURE_TITLE, Kind, Summary
from benchlib.stats.stats import FASTER, SAME
from benchlib.stats.stats import PAIR_VERDICTS
from benchlib.tables import claim_tables

BLOCKS = ("verdict", "picture", "picture-of-all", "kinds", "rules", "rules-in-full", "models", "refuted")
READING = "Vulkan's time over CUDA's: the middle pair's (least–greatest)."
WAYS = " Arrows: pairs measured both ways."
CHOSEN = ": plain accesses, and what rules are about where two thirds of the pairs agree: only then is there a verdict. "
ALL_KINDS = "docs/ANSWERS.md#by-kind-of-work"
NOTHING_TO_DO = "nothing"
RULES = "README.md#"  # on each page: the numbers are its


def block(name: str, said: Summary, study: Study, titles: Titles, claims: Mapping[str, str], own: str = "", others: Models | None = None) -> Blocks:
    """One of BLOCKS but "models" and "refuted". `titles`: of the sections of each experiment's page. `claims`: each claim's experiment. `own`: this model's name; `others`:
    the models beside it.
    """
    beside = others or {}
    if name in ("picture", "picture-of-all"):
        file = PICTURE if name == "picture" else PICTURE_OF_ALL
        return [Image(file, PICTURE_TITLE)] if summary.pictures(said)[file] else [document.NO_RESULTS]
    if name == "kinds":
        return [summary.kinds(said, {each: model for each, (_, model) in beside.items()}, own)]
    if name in ("rules", "rules-in-full"):
        return rules.blocks(said, study, titles, claims, own, beside, brief=name == "rules") or [document.NO_RESULTS]
    return verdict(said, study, titles, own, beside) or [document.NO_RESULTS]


def verdict(said: Summary, study: Study, titles: Titles, own: str = "", others: Models | None = None) -> Blocks:
    """A row a kind of work: what it is on each model, what Vulkan is, and what to do; nothing where nothing is compared."""
    shown = summary.headline(said)
    if not shown:
        return []
    numbers = {rules.of(said)[place]["title"]: at for at, place in enumerate(rules.standing(study, said), start=1)}
    beside = {name: model.kinds for name, (_, model) in (others or {}).items()}
    rows: list[list[Cell]] = []
    for entry, whole in shown:
        kind, *there = summary.shared([whole, *(kinds.get(entry["kind"]) for kinds in beside.values())])
        assert kind  # the first, which has a pair
        middles: list[Cell] = [document.fixed(each and each.median, 2) for each in there]
        rows.append([kind.name, _ratio(kind), *middles, _verdicts(kind, dict(zip(beside, there))),
                     _to_do(entry, whole, said, numbers, titles)])  # fmt: skip
    header = ["kind of work", own or "Vulkan/CUDA", *beside, "Vulkan is", "what to do"]
    all_kinds = FileLink(f"{len(said.kinds)} kinds", ALL_KINDS)
    both = any(entry.get("instead") for entry, _ in shown)
    return [document.table(header, rows), paragraph(f"{len(shown)} of ", all_kinds, CHOSEN, READING, WAYS * both)]


def _ratio(kind: Kind) -> Cell:
    """The median, and the range where it is another."""
    middle, ends = f"{kind.median:.2f}", kind.range.partition(" (")[0]  # what it depends on stands in the table of all kinds
    return middle if middle == ends else f"{middle} ({ends.replace(' to ', '–')})"


def _verdicts(kind: Kind, others: Mapping[str, Kind | None]) -> Cell:
    """This model's, and another's where that is another."""
    differing = [f"{name}: {other.verdict}" for name, other in others.items() if other and other.verdict != kind.verdict]
    counted = Counter(one.verdict for one in kind.found)
    if kind.verdict == summary.DIFFER:
        own: list[Cell] = [", ".join(f"{counted[each]} {each}" for each in PAIR_VERDICTS if counted[each])]
    else:
        number, every = counted[kind.verdict], len(kind.found)
        own = [VerdictCell(kind.verdict), f"{number} of {every}" if number < every else f"all {every}{_kernels(kind)}"]
    return document.joined([*own, *differing], ", ")


def _kernels(kind: Kind) -> str:
    """Of how many kernels the pairs are, where some are of one kernel: sizes of one kernel are no evidence that is independent."""
    number = len({(one.experiment, one.case["variant"]) for one in kind.found})
    return f" of {number} kernel{'s' * (number > 1)}" if number < len(kind.found) else ""


def _to_do(entry: Mapping[str, Any], kind: Kind, said: Summary, numbers: Mapping[str, int], titles: Titles) -> Cell:
    if kind.word in (SAME, FASTER):
        return NOTHING_TO_DO
    found = sorted(numbers[title] for title in entry.get("rules", []) if title in numbers)
    links = [FileLink(str(number), f"{RULES}{rules.anchor(number)}") for number in found]
    parts: list[Cell] = [document.joined([f"rule{'s' * (len(found) > 1)}", document.joined(links, ", ")], " ")] if found else []
    parts += [f"{name}: {_instead(kind, said.kinds[each])}" for name, each in entry.get("instead", {}).items() if each in said.kinds]
    if (see := entry.get("see", "")) in titles:
        parts.append(document.joined(["see", SectionLink(see, see)], " "))
    return document.joined(parts, "; ") if parts else NONE


def _instead(kind: Kind, other: Kind) -> str:
    """What the same work takes in another way."""
    both = summary.alike(kind, other)
    return f"{both[0]:.2f} → {both[1]:.2f}" if both else f"{other.median:.2f}"


def refuted(groups: Sequence[ClaimFile]) -> Blocks:
    """A row a refuted claim: what was said, and by whom, in which range it would have counted, and what came."""
    found = [(group, claim) for group in groups for claim in group.claims if claim.verdict == REFUTED]
    ours = sum(claim.source == OURS for _, claim in found)
    rows: list[list[Cell]] = []
    for group, claim in found:
        source: Cell = FileLink(claim.source, claim.sources) if claim.sources and claim.source != OURS else claim.source
        rows.append([FileLink(claim.id, claim_tables.readme(group)), claim.text, source, claim.range_words or NONE, claim.words or NONE])
    text = f"Of {sum(len(group.claims) for group in groups)} claims {len(found)} are REFUTED; {ours} of them are our own."
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
    text = f"Of {len(first)} claims {same} have the same verdict on {' and '.join(found)}, {len(rows)} have another{open_}."
    table: Blocks = [document.table(["claim", "", *found], rows)] if rows else []
    return [paragraph(text), *table, document.table(["all claims", *(f"{each}:" for each in VERDICTS)], counts)]
