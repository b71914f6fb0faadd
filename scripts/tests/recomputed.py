"""A pair's verdict from the raw rows of a set, by docs/METHOD.md alone: nothing of benchlib is used."""

from __future__ import annotations

import csv
import lzma
import math
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

Row = dict[str, str]


def read(directory: Path, experiment: str) -> list[tuple[str, list[Row]]]:
    """Each run's rows, with its board's name."""
    found = []
    for path in sorted(directory.glob(f"boards/*/run*/{experiment}.csv*")):
        opened = lzma.open(path, "rt", encoding="utf-8", newline="") if path.suffix == ".xz" else open(path, encoding="utf-8", newline="")
        with opened as file:
            found.append((path.parts[-3], list(csv.DictReader(file))))
    return found


def sides(runs: list[tuple[str, list[Row]]], cuda: Mapping[str, str], vulkan: Mapping[str, str]) -> list[tuple[str, Row, Row]]:
    """Board, CUDA's row and Vulkan's of each run that has both. Of an older commit's run rows of other machine code are left out."""
    newest = max((max(row["started_at"] for row in rows), rows[0]["git_rev"]) for _, rows in runs)[1]
    chosen: list[dict[str, list[tuple[str, Row]]]] = []
    for wanted in (cuda, vulkan):
        matching = defaultdict(list)
        for number, (board, rows) in enumerate(runs):
            for row in rows:
                if row["status"] == "ok" and all(row.get(name, "") == value for name, value in wanted.items()):
                    matching[number].append((board, row))
        codes = {row["isa_hash"] for found in matching.values() for _, row in found if row["git_rev"] == newest}
        old = {at: found for at, found in matching.items() if found[0][1]["git_rev"] != newest}
        for at, found in old.items():
            if found[0][1]["isa_hash"] and not codes <= {found[0][1]["isa_hash"]}:
                del matching[at]
        assert all(len(found) == 1 for found in matching.values())
        chosen.append(matching)
    one, other = chosen
    return [(one[at][0][0], one[at][0][1], other[at][0][1]) for at in sorted(one.keys() & other.keys())]


def t_quantile(degrees: float) -> float:
    """97.5 %, of Student's density, summed from 0 by Simpson's rule over x = tan(u)."""
    front = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(degrees * math.pi)

    def inside(end: float) -> float:
        steps, top = 2000, math.atan(end)
        total = 0.0
        for at in range(steps + 1):
            x = math.tan(top * at / steps)
            total += (1 if at in (0, steps) else 4 if at % 2 else 2) * front * (1 + x * x / degrees) ** (-(degrees + 1) / 2) * (1 + x * x)
        return total * top / steps / 3

    low, high = 1.0, 1e4
    while high / low > 1 + 1e-9:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if inside(middle) < 0.475 else (low, middle)
    return low


def verdict(found: list[tuple[str, Row, Row]], spread: tuple[float, float, float, float], t: Mapping[float, float]) -> tuple[float, float, str]:
    """The mean and the half width of the effect's interval, as logarithms, and the verdict. `spread`: of the class, from board to board and
    from run to run, each with its degrees of freedom. `t`: quantiles by degrees.
    """
    by_board = defaultdict(list)
    for board, cuda, vulkan in found:
        by_board[board].append(math.log(float(vulkan["device_ns"]) / float(cuda["device_ns"])))
    number = len(by_board)
    means = {board: sum(values) / len(values) for board, values in by_board.items()}
    mean = sum(means.values()) / number
    repeats = sum(len(values) for values in by_board.values()) - number
    assert repeats > 0 and number > 1
    inside = sum((value - means[board]) ** 2 for board, values in by_board.items() for value in values)
    boards, boards_degrees, runs, runs_degrees = spread
    within = (inside + runs_degrees * runs**2) / (repeats + runs_degrees)
    common = boards**2 + within * sum(1 / len(values) for values in by_board.values()) / number
    degrees = boards_degrees + number - 1
    between = (sum((each - mean) ** 2 for each in means.values()) + boards_degrees * common) / degrees
    half = t[degrees] * math.sqrt(between / number)
    low, high = math.exp(mean - half), math.exp(mean + half)
    found_ = word(low, high)
    costs = [[float(row["fixed_ns"]) for row in rows if row.get("fixed_ns")] for rows in ([one for _, one, _ in found], [two for _, _, two in found])]
    if found_ in ("FASTER", "SLOWER") and all(costs):
        cuda_ns = median([float(one["device_ns"]) for _, one, _ in found])
        launch = (median(costs[1]) - median(costs[0])) / cuda_ns
        if launch * mean > 0 and word(low - launch, high - launch) == "SAME":
            return mean, half, "FIXED COST"
    return mean, half, found_


def word(low: float, high: float) -> str:
    if low >= 0.99 and high <= 1.01:
        return "SAME"
    return "FASTER" if high < 0.99 else "SLOWER" if low > 1.01 else "UNCLEAR"


def median(values: list[float]) -> float:
    ordered = sorted(values)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
