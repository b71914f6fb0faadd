"""A pair's verdict and a figure's brackets from the raw rows of a set, by docs/METHOD.md alone: nothing of benchlib is used."""

from __future__ import annotations

import csv
import lzma
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

Row = dict[str, str]
Boards = Mapping[str, Sequence[float]]
Atoms = Sequence[tuple[float, float, float]]  # share, variance between boards, between runs


def read(directory: Path, experiment: str) -> list[tuple[str, list[Row]]]:
    """Each run's rows, with its board's name. A row's time is the host's where the GPU took no stamps."""
    found = []
    for path in sorted(directory.glob(f"boards/*/run*/{experiment}.csv*")):
        opened = lzma.open(path, "rt", encoding="utf-8", newline="") if path.suffix == ".xz" else open(path, encoding="utf-8", newline="")
        with opened as file:
            found.append((path.parts[-3], [with_its_time(row) for row in csv.DictReader(file)]))
    return found


def with_its_time(row: Row) -> Row:
    """Older files of the same cases have the host's times as device_ns."""
    return row | {f"device_ns{end}": row[f"host_ns{end}"] for end in ("", "_lo", "_hi")} if row.get("host_ns") else row


def classes(path: Path) -> dict[tuple[str, str], list[tuple[float, float, float]]]:
    """spreads.csv, whose columns are deviations between runs: by what it is of, and class."""
    found = defaultdict(list)
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            of, name, boards = (row.pop(column) for column in ("of", "class", "boards"))
            found[of, name] += [(float(share), float(boards) ** 2, float(runs) ** 2) for runs, share in row.items() if share]
    return found


def rows_of(runs: Sequence[tuple[str, list[Row]]], wanted: Mapping[str, str]) -> dict[int, tuple[str, Row]]:
    """A case's row with a result in each run, by the run's number, with its board: those of the newest sources that have the case, or of their machine code."""
    found = {}
    for number, (board, rows) in enumerate(runs):
        matching = [row for row in rows if all(row.get(name, "") == value for name, value in wanted.items())]
        assert len(matching) < 2
        if matching:
            found[number] = board, matching[0]
    origin = {number: row.get("sources") or row["git_rev"] for number, (_, row) in found.items()}
    newest = max((row["started_at"], origin[number]) for number, (_, row) in found.items())[1]
    results = {number: (board, row) for number, (board, row) in found.items() if row["status"] == "ok"}
    codes = {row["isa_hash"] for number, (_, row) in results.items() if origin[number] == newest}
    return {
        number: (board, row) for number, (board, row) in results.items() if origin[number] == newest or not row["isa_hash"] or codes <= {row["isa_hash"]}
    }


def by_board(values: Sequence[tuple[str, float]]) -> dict[str, list[float]]:
    found = defaultdict(list)
    for board, value in values:
        found[board].append(value)
    return found


def weighed(boards: Boards, atoms: Atoms, own: float) -> list[tuple[float, float, float]]:
    """The atoms with the weights that the runs give them: the density of the runs about a mean of which nothing is known, the product over boards of that of
    their runs about their means.
    """
    logs = []
    for share, between, within in atoms:
        variances = {board: between + within / len(runs) for board, runs in boards.items()}
        means = {board: sum(runs) / len(runs) for board, runs in boards.items()}
        precision = sum(1 / each for each in variances.values())
        middle = sum(means[board] / variances[board] for board in boards) / precision
        log = math.log(share) - math.log(precision) / 2
        for board, runs in boards.items():
            log -= math.log(variances[board]) / 2 + (means[board] - middle) ** 2 / variances[board] / 2
            log -= (len(runs) - 1) * math.log(within) / 2 + sum((value - means[board]) ** 2 for value in runs) / within / 2
        logs.append(log)
    most = max(logs)
    weights = [math.exp(each - most) for each in logs]
    whole = sum(weights)
    least = 0.0 if any(len(runs) > 1 for runs in boards.values()) else own
    return [(weight / whole, between, max(within, least)) for weight, (_, between, within) in zip(weights, atoms)]


def half(mixture: Sequence[tuple[float, float]]) -> float:
    """How far from 0 one value of twenty lies, of normal distributions of these weights and variances: by halving."""
    low, high = 0.0, 100 * math.sqrt(max(variance for _, variance in mixture))
    for _ in range(200):
        middle = (low + high) / 2
        beyond = sum(weight * math.erfc(middle / math.sqrt(2 * variance)) for weight, variance in mixture)
        low, high = (middle, high) if beyond > 0.05 else (low, middle)
    return high


def intervals(boards: Boards, atoms: Atoms, own: float) -> tuple[float, float, float]:
    """Of logarithms: the mean over boards, half of the effect's interval, half of a further run's."""
    number = len(boards)
    mean = sum(sum(runs) / len(runs) for runs in boards.values()) / number
    one_over = sum(1 / len(runs) for runs in boards.values()) / number
    known = [(weight, (between + within * one_over) / number, between + within) for weight, between, within in weighed(boards, atoms, own)]
    return mean, half([(weight, of_mean) for weight, of_mean, _ in known]), half([(weight, of_mean + more) for weight, of_mean, more in known])


def own_of(ends: Sequence[tuple[float, float]]) -> float:
    """The variance that the runs' own 95 % intervals say."""
    return sum((math.log(hi / lo) / 2 / 1.96) ** 2 for lo, hi in ends) / len(ends) if ends else 0.0


def ratio_ends(vulkan: Row, cuda: Row) -> tuple[float, float] | None:
    """A run's own interval of Vulkan/CUDA: the distances of both times' ends, on logarithms, at right angles."""
    cells = [[row["device_ns"], row["device_ns_lo"], row["device_ns_hi"]] for row in (vulkan, cuda)]
    if not all(all(each) for each in cells):
        return None
    (v, v_lo, v_hi), (c, c_lo, c_hi) = ([math.log(float(each)) for each in row] for row in cells)
    return math.exp(v - c - math.hypot(v - v_lo, c_hi - c)), math.exp(v - c + math.hypot(v_hi - v, c - c_lo))


def verdict(sides: Sequence[tuple[str, Row, Row]], atoms: Atoms) -> tuple[float, float, float, str]:
    """Of board, CUDA's row and Vulkan's of each run: the mean, half of the effect's interval and of a further run's, and the verdict."""
    boards = by_board([(board, math.log(float(vulkan["device_ns"]) / float(cuda["device_ns"]))) for board, cuda, vulkan in sides])
    own = own_of([ends for _, cuda, vulkan in sides if (ends := ratio_ends(vulkan, cuda))])
    mean, of_effect, of_run = intervals(boards, atoms, own)
    low, high = math.exp(mean - of_effect), math.exp(mean + of_effect)
    found = word(low, high)
    costs = [[(board, float(row["fixed_ns"])) for board, row in rows if row.get("fixed_ns")] for rows in ([(b, c) for b, c, _ in sides], [(b, v) for b, _, v in sides])]
    if found in ("FASTER", "SLOWER") and all(costs):
        cuda_ns = geometric_mean(by_board([(board, float(cuda["device_ns"])) for board, cuda, _ in sides]))
        launch = (geometric_mean(by_board(costs[1])) - geometric_mean(by_board(costs[0]))) / cuda_ns
        if launch * mean > 0 and word(low - launch, high - launch) == "SAME":
            found = "FIXED COST"
    return mean, of_effect, of_run, found


def geometric_mean(boards: Boards) -> float:
    """Over boards."""
    return math.exp(sum(sum(map(math.log, runs)) / len(runs) for runs in boards.values()) / len(boards))


def word(low: float, high: float) -> str:
    if low >= 0.99 and high <= 1.01:
        return "SAME"
    return "FASTER" if high < 0.99 else "SLOWER" if low > 1.01 else "UNCLEAR"


def brackets(rows: Sequence[tuple[str, Row]], atoms: Atoms) -> tuple[float, float, float]:
    """A time's value and its brackets."""
    boards = by_board([(board, math.log(float(row["device_ns"]))) for board, row in rows])
    ends = [(float(row["device_ns_lo"]), float(row["device_ns_hi"])) for _, row in rows if row["device_ns_lo"] and row["device_ns_hi"]]
    mean, _, of_run = intervals(boards, atoms, own_of(ends))
    return math.exp(mean), math.exp(mean - of_run), math.exp(mean + of_run)
