"""What was measured of the code on a page of sass/: which pairs ran it, their times and verdicts, and the claims that name it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchlib.base.programs import CONTROLS
from benchlib.document import document
from benchlib.model import listed_code
from benchlib.model.hardware_counts import load_any
from benchlib.results.counters_file import PM_SAMPLING
from benchlib.stats.formats import sig
from benchlib.model.analysis import Study
from benchlib.claims.claims import ClaimFile
from benchlib.document.document import NONE, Blocks, Cell, Code, Inline, ListingLink, SectionLink, paragraph
from benchlib.results.results import WITH_ALL_CHECKS, Case, Table
from benchlib.sass import listings
from benchlib.stats.stats import PAIR_VERDICTS
from benchlib.model.pairs import Pair, figure_of, pair_ratio, pair_verdict, pairs
from benchlib.tables import claim_tables
from benchlib.tables.pivot import by_api, column, figures, keys, pivot
from benchlib.tables.twins import comparison, micros, varying_columns

SECTION = "Every pair's machine code"
MOST_PAIRS = 6  # on a page
LIKE_IT = "another workgroup size"  # a constant in Vulkan's code, which CUDA's has not


@dataclass(frozen=True)
class Ran:
    """A pair that ran the code of a page."""

    pair: Pair
    exactly: bool  # else Vulkan's code was built for another workgroup size

    @property
    def case(self) -> Case:
        return self.pair.case

    @property
    def sides(self) -> tuple[Case | None, Case | None]:
        return self.pair.sides


def by_page(found: Study, table: Table) -> Mapping[str, Sequence[Ran]]:
    """The pairs of each page, by its kernel. A pair whose code of Vulkan's was not disassembled counts where one page alone fits: that of
    CUDA's code, with or without bounds checks as it ran.
    """
    code = listed_code.twins_by_code(found, table.name)
    ran: dict[str, list[Ran]] = {row["kernel"]: [] for rows in code.values() for row in rows}
    for pair in pairs(table, WITH_ALL_CHECKS):
        if pair.cuda and pair.vulkan and pair.case["variant"] not in CONTROLS:
            both = tuple(table.text(side, "isa_hash") for side in pair.sides)
            for row in code.get(both, ()):
                ran[row["kernel"]].append(Ran(pair, True))
            like = listed_code.code_like(code, both, pair.case) if both not in code else []
            if len(like) == 1:
                ran[like[0]["kernel"]].append(Ran(pair, False))
    return ran


def page(found: Study, table: Table, group: ClaimFile | None, kernel: str) -> Blocks:
    """What stands on the kernel's page."""
    ran = found.memoized(by_page, table).get(kernel, ())
    blocks: Blocks = []
    if ran:
        by_time = sorted(ran, key=lambda one: (not one.exactly, -_time(table, one.pair)))[:MOST_PAIRS]
        executed = ["CUDA instructions:", "Vulkan instructions:"], lambda one: _executed(found, table, one.pair)
        shown = pivot(
            by_time,
            keys({"variant": "variant", **varying_columns([one.case for one in ran])}),
            by_api(["{} µs:"], figures(table, micros, "device_ns")),
            *([(["Vulkan/CUDA [95 %]:", "Vulkan is"], lambda one: comparison(table, one.pair))] if table.compares_times else []),
            *([executed] if any(cell != NONE for one in by_time for cell in _executed(found, table, one.pair)) else []),
            column("Vulkan's code", lambda one: "this" if one.exactly else LIKE_IT),
        )
        blocks.append(shown)
    left = max(0, len(ran) - MOST_PAIRS)
    text: list[Inline] = [f"{left} more pairs ran it: " if left else "" if ran else "No pair of the results ran this code: "]
    text += [SectionLink(SECTION, table.name, SECTION), "."]
    named = [claim for claim in group.claims if kernel in claim.listed] if group else []
    for at, claim in enumerate(named):
        text += [", " if at else " Claims: ", SectionLink(claim.id, table.name, "Claims"), f" {claim.verdict}"]
    return [*blocks, paragraph(*text, *(["."] if named else []))]


def overview(found: Study, table: Table) -> Blocks:
    """Of all pages: how the pairs came out that ran the code, and what differs in it."""
    twins = found.auxiliary("sass_twins.csv", table.name)
    summaries = {row["kernel"]: row.get("summary", "") for case in twins.cases for row in twins.rows(case)} if twins else {}
    rows: list[list[Cell]] = []
    for kernel, ran in found.memoized(by_page, table).items():
        if not listings.are_twins(found, table.name, kernel):
            continue
        ratios = sorted((figure for one in ran if (figure := pair_ratio(table, one.pair))), key=lambda figure: figure.value)
        ends = [document.fixed(ratios[at].value, 3) if ratios else NONE for at in (0, -1)]
        verdicts = Counter(found_ for one in ran if (found_ := pair_verdict(table, one.pair)))
        counted = claim_tables.tally(verdicts, PAIR_VERDICTS)
        rows.append([ListingLink(kernel, table.name, kernel), str(len(ran)), *ends, counted, summaries.get(kernel, "")])
    if not rows:
        return []
    return [paragraph(*READING), document.table(["machine code of", "pairs:", "Vulkan/CUDA, least:", "most:", "Vulkan is", "what differs"], rows)]


READING = (
    Code("scripts/dump_sass.py --pages --kernel NAME --out DIR"),
    " writes a page with both listings side by side. Pairs: those that ran this code, or the same shader built for another workgroup size, which "
    "is a constant in Vulkan's code.",
)


def _executed(found: Study, table: Table, pair: Pair) -> list[Cell]:
    """Instructions that the warps of one launch executed, by the instrument that counts traffic: CUDA's, Vulkan's."""
    counts = load_any(found, table)
    values = [counts.by(PM_SAMPLING, side, "instructions") if counts and side else None for side in (pair.cuda, pair.vulkan)]
    return [NONE if value is None else sig(value, 4) for value in values]


def _time(table: Table, pair: Pair) -> float:
    figure = figure_of(table, pair.cuda)
    return figure.value if figure else 0
