"""Every pair's ratio in one drawing, a line a variant."""

from __future__ import annotations

from benchlib import plots
from benchlib.plots import Dot
from benchlib.results import Table
from benchlib.stats import SAME_HI, SAME_LO, verdict
from benchlib.tables import CONTROLS, pair_ratio, pairs

FASTER, SLOWER = "green", "purple"  # neither of the colours of the APIs
KINDS = {"SAME": plots.MODEL, "FASTER": FASTER, "SLOWER": SLOWER, "UNCLEAR": plots.MODEL}


def ratio_strip(table: Table) -> str:
    groups: dict[str, list[Dot]] = {}
    for pair in pairs(table, {}):
        figure = pair_ratio(table, pair)
        if figure is None or figure.lo is None or figure.hi is None or pair.case["variant"] in CONTROLS:
            continue
        name = pair.case.name(without=["api"])
        dot = Dot(name, figure.value, figure.lo, figure.hi, KINDS[verdict(figure)])
        groups.setdefault(pair.case["variant"], []).append(dot)
    return plots.strip("Vulkan/CUDA time of every pair", "Vulkan/CUDA time", list(groups.items()), (SAME_LO, SAME_HI))
