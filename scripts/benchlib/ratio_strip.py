"""Every pair's ratio in one drawing: a line a variant, or a kind of work."""

from __future__ import annotations

from benchlib import plots
from benchlib.plots import Dot
from benchlib.results import Case, Table
from benchlib.stats import SAME_HI, SAME_LO, Figure, verdict
from benchlib.tables import CONTROLS, pair_ratio, pair_verdict, pairs

FASTER, SLOWER = "green", "purple"  # neither of the colours of the APIs
KINDS = {"FASTER": FASTER, "SLOWER": SLOWER}
BAND = SAME_LO, SAME_HI


def dot(case: Case, ratio: Figure, judged: str = "") -> Dot | None:
    """None of a ratio without an interval. `judged`: the verdict, where it is not the interval's alone."""
    if ratio.lo is None or ratio.hi is None:
        return None
    return Dot(case.name(without=["api"]), ratio.value, ratio.lo, ratio.hi, KINDS.get(judged or verdict(ratio), plots.MODEL))


def ratio_strip(table: Table) -> str:
    groups: dict[str, list[Dot]] = {}
    for pair in pairs(table, {}):
        figure = pair_ratio(table, pair)
        mark = dot(pair.case, figure, pair_verdict(table, pair) or "") if figure and pair.case["variant"] not in CONTROLS else None
        if mark:
            groups.setdefault(pair.case["variant"], []).append(mark)
    return plots.strip("Vulkan/CUDA time of every pair", "Vulkan/CUDA time", list(groups.items()), BAND)
