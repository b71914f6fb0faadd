"""What the cases of a class differ by, from board to board and from run to run: what is known of a case before it is measured.

A class is a list of atoms: so large a share of its cases has this variance between boards and that one between the runs of a board. Cases differ by
orders of magnitude, and the two variances go together: one that repeats well on a board hardly differs between boards. A single typical variance
with degrees of freedom (G. K. Smyth, Statistical Applications in Genetics and Molecular Biology 3(1), 2004) shows neither. So the class is the distribution
that makes the committed cases the most probable, on a grid: empirical Bayes as in M. Lu and M. Stephens, Variance adaptive shrinkage (vash),
Bioinformatics 32(22), 2016, and J. Gu and R. Koenker, Journal of Business & Economic Statistics 35(1), 2017, found by EM
(N. Laird, Journal of the American Statistical Association 73, 1978).

Values are logarithms of times or of ratios.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from operator import mul
from pathlib import Path

from benchlib.base.kept import Keeper, kept, kept_last, kept_property
from benchlib.stats.outliers import Values

FILE = Path(__file__).with_name("spreads.csv")
HEADER = ("of", "class", "boards")  # then the deviations between runs
RATIOS, FIGURES = "ratio", "figure"  # Vulkan/CUDA within a run, and anything else

# Standard deviations, 1.4 times apart, from 0.01 % to a factor of e.
STEPS = 27
GRID = [2.0 ** ((at - STEPS + 1) / 2) for at in range(STEPS)]
COARSE = 4  # every fourth: what any case may be
ANY = 0.01  # the share of cases that may be anything: another GPU's, another driver's
LEAST = 1e-3  # a smaller share is none
ITERATIONS = 100


@dataclass(frozen=True)
class Atom:
    share: float
    boards: float  # variances
    runs: float


# Of each atom: what is added, what the squares inside boards weigh, of each number of runs what its boards weigh, and what all boards do.
Constants = tuple[Sequence[float], Sequence[float], Sequence[Sequence[float]], Sequence[float]]


@dataclass(frozen=True, eq=False)
class Spread(Keeper):
    """A class."""

    atoms: Sequence[Atom]

    @kept_property
    def columns(self) -> tuple[Sequence[float], Sequence[float], Sequence[float]]:
        """The atoms' shares, and their variances between boards and between runs."""
        return [atom.share for atom in self.atoms], [atom.boards for atom in self.atoms], [atom.runs for atom in self.atoms]

    @kept
    def at(self, shape: tuple[tuple[int, int], ...], freedom: int) -> Constants:
        """What the atoms' likelihoods need and the values do not change: see logarithms()."""
        shares, between, within = self.columns
        inverses = [[1 / (board + run / runs) for board, run in zip(between, within)] for runs, _ in shape]
        totals = [sum(boards * each for (_, boards), each in zip(shape, of_atom)) for of_atom in zip(*inverses)]
        logs = [sum(boards * math.log(each) for (_, boards), each in zip(shape, of_atom)) for of_atom in zip(*inverses)]
        plain = [(log - math.log(total) - freedom * math.log(run)) / 2 for log, total, run in zip(logs, totals, within)]
        plain = [each + math.log(share) if share else each for each, share in zip(plain, shares)]
        return plain, [0.5 / run for run in within], inverses, totals


@dataclass(frozen=True)
class Sums:
    """What the likelihood of a case's variances depends on."""

    mean: float  # over boards
    boards: int
    share: float  # the mean over boards of 1 / runs
    inside: float  # the runs' squared deviations from their boards' means
    freedom: int  # their degrees of freedom
    shape: tuple[tuple[int, int], ...]  # how many runs, and how many boards have so many; of these:
    sums: Sequence[tuple[float, float]]  # of the boards' means, less `mean`, and of their squares

    @staticmethod
    def of(values: Values) -> Sums:
        means = [math.fsum(runs) / len(runs) for runs in values.values()]
        mean = math.fsum(means) / len(means)
        groups: dict[int, list[float]] = {}
        inside = 0.0
        for runs, own in zip(values.values(), means):
            groups.setdefault(len(runs), []).append(own - mean)
            inside += sum((value - own) ** 2 for value in runs)
        ordered = sorted(groups.items())
        return Sums(
            mean, len(means), sum(len(found) / runs for runs, found in ordered) / len(means), inside, sum(map(len, values.values())) - len(means),
            tuple((runs, len(found)) for runs, found in ordered), [(sum(found), sum(each * each for each in found)) for _, found in ordered],
        )  # fmt: skip


def logarithms(spread: Spread, case: Sums) -> list[float]:
    """Of each atom the logarithm of the restricted likelihood (REML) of the case, and of the atom's share if it has one; less what is the same for all."""
    constants, halves, (first, *others), totals = spread.at(case.shape, case.freedom)
    (plain, squared), *other_sums = case.sums
    inside = case.inside
    if not others:  # boards of equally many runs: the deviations of their means add up to 0
        return [constant - inside * half - squared * each / 2 for constant, half, each in zip(constants, halves, first)]
    means, squares = [plain * each for each in first], [squared * each for each in first]
    for inverse, (plain, squared) in zip(others, other_sums):
        means = [so_far + plain * each for so_far, each in zip(means, inverse)]
        squares = [so_far + squared * each for so_far, each in zip(squares, inverse)]
    return [
        constant - inside * half - (square - mean * mean / total) / 2
        for constant, half, square, mean, total in zip(constants, halves, squares, means, totals)
    ]


def _likelihoods(grid: Spread, case: Sums) -> list[float]:
    """Over the greatest of all."""
    logs = logarithms(grid, case)
    greatest = max(logs)
    return [math.exp(each - greatest) for each in logs]


def fit(cases: Iterable[Values]) -> Spread:
    """The class of these cases, each of the same weight."""
    grid = Spread([Atom(0.0, boards**2, runs**2) for boards in GRID for runs in GRID])
    found = [_likelihoods(grid, Sums.of(case)) for case in cases if sum(map(len, case.values())) > 1]
    rows: Sequence[Sequence[float]] = [[each if each > 1e-9 else 0.0 for each in case] for case in found]
    columns = list(zip(*rows))
    live, shares = list(range(len(grid.atoms))), [1 / len(grid.atoms)] * len(grid.atoms)
    for _ in range(ITERATIONS if rows else 0):
        wholes = [sum(map(mul, shares, row)) for row in rows]
        weights = [1 / whole if whole else 0.0 for whole in wholes]
        shares = [share * sum(map(mul, weights, column)) / len(rows) for share, column in zip(shares, columns)]
        keep = [share > LEAST / 100 for share in shares]
        if not all(keep):
            live, shares, columns = (list(compress(each, keep)) for each in (live, shares, columns))
            rows = list(zip(*columns))
    share_of = dict(zip(live, shares))
    shares = [share_of.get(at, 0.0) for at in range(len(grid.atoms))]
    coarse = {GRID[at] ** 2 for at in range(0, STEPS, COARSE)}
    number = len(coarse) ** 2
    kept = math.fsum(share for share in shares if share > LEAST) or 1.0
    mixed = [
        Atom((1 - ANY) * (share / kept if share > LEAST else 0) + (ANY / number if {atom.boards, atom.runs} <= coarse else 0), atom.boards, atom.runs)
        for share, atom in zip(shares, grid.atoms)
    ]
    return Spread([atom for atom in mixed if atom.share])


def written(classes: Mapping[tuple[str, str], Spread]) -> str:
    """As FILE has them: a row a deviation between boards, a column one between runs, and in it the share of the class's cases."""
    runs = [f"{math.sqrt(each):.4g}" for each in sorted({atom.runs for spread in classes.values() for atom in spread.atoms})]
    lines = [",".join([*HEADER, *runs])]
    for (of, name), spread in classes.items():
        quoted = f'"{name}"' if "," in name else name
        found: dict[str, dict[str, str]] = {}
        for atom in spread.atoms:
            found.setdefault(f"{math.sqrt(atom.boards):.4g}", {})[f"{math.sqrt(atom.runs):.4g}"] = f"{atom.share:.3g}"
        lines += [",".join([of, quoted, boards, *(shares.get(each, "") for each in runs)]) for boards, shares in found.items()]
    return "\n".join(lines) + "\n"


def read(text: str) -> dict[tuple[str, str], Spread]:
    """By what it is of, and class."""
    header, *rows = csv.reader(text.splitlines())
    runs = [float(each) ** 2 for each in header[len(HEADER) :]]
    atoms: dict[tuple[str, str], list[Atom]] = {}
    for of, name, boards, *shares in rows:
        found = [Atom(float(share), float(boards) ** 2, each) for share, each in zip(shares, runs) if share]
        atoms.setdefault((of, name), []).extend(found)
    return {key: Spread(found) for key, found in atoms.items()}


@kept_last(1)
def _committed() -> dict[tuple[str, str], Spread]:
    return read(FILE.read_text(encoding="utf-8"))


def committed(of: str, name: str) -> Spread:
    """Of RATIOS or FIGURES the class of that name (results.CLASSES), as scripts/spread.py fitted it to the committed sets."""
    return _committed()[of, name]
