"""exp06_litmus's tables: what was seen of which outcome, how often, and what its control says."""

import statistics
from collections.abc import Mapping, Sequence

from benchlib.model import loop_body
from benchlib.model.analysis import Analysis, Counting, Study
from benchlib.document.document import NO_RESULTS, NONE, Block, Blocks, Cell, Code, bars, paragraph
from benchlib.pages.excerpts import NOT_THERE
from benchlib.stats.formats import sig
from benchlib.results.results import API_NAMES, APIS, Case, Table
from benchlib.tables.pivot import across, column, for_apis, pivot
from benchlib.tables.twins import plain

NAMES = {"two_plus_two_w": "2+2W", "corr": "CoRR", "coww": "CoWW", "cowr": "CoWR", "corw": "CoRW"}
ORDERED = ["mp", "lb", "s", "wrc", "sb", "r", "two_plus_two_w", "iriw"]
COHERENCE = ["corr", "coww", "cowr", "corw"]
PLACES = {"blocks": "blocks", "cluster": "cluster", "block": "one block"}
STRENGTHS = {
    "relaxed": "relaxed", "release_acquire": "release, acquire", "fence": "fence", "fence_sc": "fence.sc",
    "fence_block": "fence, block's", "fence_sc_block": "fence.sc, block's",
}  # fmt: skip
COHERENCE_STRENGTHS = {"relaxed": "relaxed", "relaxed_block": "relaxed, block's", "weak": "plain"}
READING = paragraph(
    "Weak outcomes in a million instances, CUDA / Vulkan. In brackets: the model forbids them. ",
    Code("?"),
    ": the control, the relaxed twin under the same stress, never went weak either, so that a zero says nothing. –: not tried, or "
    "the API cannot say it.",
)


def _name(variant: str) -> str:
    return NAMES.get(variant, variant.upper())


def is_live(table: Table, case: Case) -> bool:
    """Whether the case's control went weak in any run."""
    return any(control.value > 0 for control in table.run_figures(case, "control_rate") if control)


def _cell(table: Table, cases: Sequence[Case]) -> str:
    cells = []
    for api in APIS:
        case = next((case for case in cases if case["api"] == api), None)
        figure = table.figure(case, "weak_rate") if case else None
        if case is None or figure is None:
            cells.append(NONE)
            continue
        rate = sig(figure.value * 1e6, 3)
        text = f"[{rate}]" if case["outcome"] == "forbidden" else rate
        cells.append(text if is_live(table, case) else f"{text}?")
    return NONE if set(cells) == {NONE} else " / ".join(cells)


def _outcomes(table: Table, what: str, variants: Sequence[str], strengths: Mapping[str, str]) -> Block:
    """A row a test and placement, a column a strength."""
    found = {(variant, place): table.select({"variant": variant, "placement": place}) for variant in variants for place in PLACES}
    return pivot(
        [row for row, cases in found.items() if cases],
        ([what, "threads in"], lambda row: [_name(row[0]), PLACES[row[1]]]),
        across(list(strengths), strengths.__getitem__, lambda row, strength: _cell(table, [case for case in found[row] if case["strength"] == strength])),
        column("forbidden, seen:", lambda row: forbidden_seen(table, found[row])),
    )


def forbidden_seen(table: Table, cases: Sequence[Case]) -> str:
    """`0 of 4.0e9`: over the cases with a live control."""
    seen, instances = 0, 0
    for case in cases:
        if case["outcome"] != "forbidden":
            continue
        for row in table.rows(case):
            weak = int(row["weak"] or 0)
            if weak or float(row["control_rate"] or 0) > 0:
                seen, instances = seen + weak, instances + int(row["instances"] or 0)
    return f"{seen} of {instances / 1e9:.1f}e9" if instances else NONE


def outcomes(_: Study, table: Table) -> Blocks:
    return [
        READING,
        _outcomes(table, "test", ORDERED, STRENGTHS),
        paragraph("One word; its control here is MP. The control of claim 06.6 is a seeded fault."),
        _outcomes(table, "coherence", COHERENCE, COHERENCE_STRENGTHS),
        *_faults(table),
        paragraph(controls(table)),
    ]


def _faults(table: Table) -> Blocks:
    """How often the seeded fault was seen in the coherence tests whose outcome is forbidden; nothing without the column."""
    cases = table.select({"variant": list(COHERENCE), "outcome": "forbidden"})
    rates = [(case, figure.value * 1e6) for case in cases if (figure := table.figure(case, "fault_rate"))]
    if not rates:
        return []
    least = min(rates, key=lambda rate: rate[1])
    seen = sum(rate > 0 for _, rate in rates)
    return [
        paragraph(
            f"The seeded fault, the two accesses in the wrong order, was seen in {seen} of {len(rates)} cases that forbid something: "
            f"{sig(statistics.median(rate for _, rate in rates), 3)} times in a million instances in the median one, {sig(least[1], 3)} in the "
            f"one with the fewest ({least[0].name()})."
        )
    ]


def seen(_: Study, table: Table) -> Blocks:
    """Between blocks, of a million instances: how many went weak where the model allows it, and where it does not."""
    rows: list[tuple[str, float, str]] = []
    for api in APIS:
        for variant in ORDERED:
            cases = table.select({"variant": variant, "placement": "blocks", "api": api})
            figures = [table.figure(case, "weak_rate") for case in cases if case["strength"] == "relaxed"]
            if figures and figures[0] and figures[0].value > 0:
                rate = figures[0].value * 1e6
                forbidden = forbidden_seen(table, cases)
                text = f"forbidden: {forbidden}" if forbidden != NONE else "nothing forbidden"
                rows.append((f"{API_NAMES[api]} {_name(variant)}", rate, f"{sig(rate, 2)}; {text}"))
    if not rows:
        return [NO_RESULTS]
    text = "Between blocks: weak outcomes in a million instances of each relaxed test; and how many were seen of those that the model forbids."
    return [paragraph(text), bars(rows)]


def controls(table: Table) -> str:
    """One line: of the cases in which the model forbids something, those that say something."""
    forbidden = table.select({"outcome": "forbidden"})
    live = [case for case in forbidden if is_live(table, case)]
    dead = [case for case in forbidden if case not in live]
    text = (
        f"Forbidden outcomes were seen in {forbidden_seen(table, live)} instances of the {len(live)} cases (of {len(forbidden)}) "
        "that have a live control."
    )
    if dead:
        places = ", ".join(
            f"{sum(case['placement'] == place for case in dead)} in {name}"
            for place, name in PLACES.items()
            if any(case["placement"] == place for case in dead)
        )
        text += f" The other {len(dead)} ({places}) say nothing and are UNCLEAR."
    return text


def posts(_: Study, table: Table) -> Blocks:
    """The post's three programs: how often the consumer is wrong, or never hears of it."""
    rows: list[list[Cell]] = []
    for metric, what in (("weak_rate", "stale payload"), ("unseen_rate", "flag not seen in 64 looks")):
        rows += _post_rows(table, "handoff", metric, what, ("relaxed", "release_acquire"))
    for metric, what in (
        ("unseen_rate", "flag not seen in 16,384 looks"),
        ("early_rate", "first look before the flag was set"),
        ("unseen_early_rate", "of these: flag not seen in 16,384 looks"),
    ):
        rows += _post_rows(table, "flag", metric, what, ("relaxed", "relaxed_block"))
    for case in table.select({"variant": "constant"}):
        figure = table.figure(case, "weak_rate")
        if figure:
            when = case["strength"].replace("_", " ")
            rows.append(["constant", "old value read", when, "one block", plain(figure, 3), NONE])
    header = ["program", "counted", "accesses", "threads in", *(f"{API_NAMES[api]}, of the instances:" for api in APIS)]
    return [pivot(rows, (header, list))]


def _post_rows(table: Table, variant: str, metric: str, what: str, strengths: Sequence[str]) -> list[list[Cell]]:
    rows: list[list[Cell]] = []
    for strength in strengths:
        for place, place_name in PLACES.items():
            cells: list[Cell] = []
            for api in APIS:
                cases = table.select({"variant": variant, "strength": strength, "placement": place, "api": api})
                figure = table.figure(cases[0], metric) if cases else None
                cells.append(plain(figure, 3))
            if set(cells) != {NONE}:
                rows.append([variant, what, strength.replace("_", " "), place_name, *cells])
    return rows


def fences(found: Study, table: Table) -> Blocks:
    """What the two compilers make of each strength in MP (SB where MP has it not): the fences."""

    def code(strength: str, api: str) -> Cell:
        codes = [loop_body.fence_cell(found, table, f"{test}_{strength}", api) for test in ("mp", "sb")]
        return next((code for code in codes if code != NONE), NONE)

    listed = [strength for strength in STRENGTHS if any(code(strength, api) != NONE for api in APIS)]
    return [pivot(listed, column("strength", STRENGTHS.__getitem__), for_apis("CUDA's fences", "Vulkan's fences", code)) if listed else NOT_THERE]


ANALYSIS = Analysis(
    sections=[
        ("Weak outcomes", outcomes),
        ("A post's programs", posts),
        ("What the fences become", fences),
    ],
    readme={"exp06-litmus-seen": seen},
    # About order, not about traffic.
    counting=Counting(by_default=False),
    # Pairs run under different stress, chosen to show weak outcomes: nothing is said about which is faster.
    compares_times=False,
)
