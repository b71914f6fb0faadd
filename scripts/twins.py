#!/usr/bin/env python3
"""Twins whose machine code does not do the same work.

    scripts/twins.py                              a line for each pair that fails, and how many are alike, and how many differ for a reason
    scripts/twins.py --only exp09 --excused       the same of one experiment, with the pairs that differ for a reason
    scripts/twins.py --show exp08_order link      what both listings do with data, per turn of each loop and outside of loops

From the committed listings (--dir for another folder) and the sources' lines "Per turn of": no GPU is needed. What is judged:
scripts/benchlib/sass/same_work.py. Exit codes: 0 no pair fails, 1 some do, 2 usage, 130 interrupted.
"""

from benchlib.base import early  # noqa: F401  # first: see there

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchlib.base import console, csv_file, parallel, programs
from benchlib.base.console import UsageError
from benchlib.results.machine_code import TWINS
from benchlib.results.schema import APIS
from benchlib.sass import listings, payload, same_work
from benchlib.sass.payload import LoopPayload, Payload
from benchlib.sass.same_work import Excused, NotSame, Same
from benchlib.sass.sass import Instruction

NAME = "twins.py"
ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Twin:
    experiment: str
    kernel: str
    arch: str
    kernels: tuple[str, str]  # of the two listings
    packed: Path  # the listings
    sources: Path | None

    @property
    def code(self) -> tuple[list[Instruction], ...]:
        return tuple(listings.read(self.packed, kernel, api, self.arch) for kernel, api in zip(self.kernels, APIS))


def twins(directory: Path) -> list[Twin]:
    """Every row of sass_twins.csv."""
    sources = programs.source_folders(ROOT)
    rows = [row for _, row in csv_file.read(csv_file.there(directory / TWINS))[1]]
    return [
        Twin(row["experiment"], row["kernel"], row["arch"], (row["cuda_kernel"], row["vulkan_kernel"]), listings.path(directory, row["experiment"]),
             sources.get(row["experiment"]))
        for row in rows
    ]  # fmt: skip


def judged(twin: Twin) -> Same | Excused | NotSame:
    excused = same_work.excuses(twin.sources) if twin.sources else []
    return same_work.judged(twin.kernel, same_work.findings(twin.sources, twin.kernel, *twin.code), excused)


# --------------------------------------------------------------------------------------------------------------- showing


def described(side: Payload) -> Iterator[str]:
    yield f"outside of loops: {listed(side.straight)}"
    for loop in side.loops:
        yield f"loop at {loop.at:#x}, {turns(loop)}: {listed(loop.counts)}"
    yield f"qualifiers: {listed(side.qualifiers)}"
    yield f"not judged: {listed(sum((loop.shown for loop in side.loops), Counter(side.shown)))}"


def turns(loop: LoopPayload) -> str:
    depth = f", in {loop.depth}" if loop.depth else ""
    under_way = "".join(f", {number} {kind} under way" for kind, number in loop.in_flight.items())
    return (f"counts by {loop.step}" if loop.step else "no counter") + depth + under_way


def listed(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {number}" for name, number in sorted(counts.items()) if number) or "nothing"


def show(twin: Twin) -> None:
    sides = [payload.of(code) for code in twin.code]
    for title, side in zip(same_work.SIDES, sides):
        print(f"{title} {twin.kernels[same_work.SIDES.index(title)]}")
        for line in described(side):
            print(f"    {line}")
    print(line_of(twin, judged(twin)))


def line_of(twin: Twin, found: Same | Excused | NotSame) -> str:
    said = {Same: "same work", Excused: "differs because ", NotSame: "not the same work: "}[type(found)]
    said += "; ".join(found.reasons) if isinstance(found, Excused) else same_work.as_text(found.differs) if isinstance(found, NotSame) else ""
    return f"{twin.experiment} {twin.kernel}: {said}"


def run(options: argparse.Namespace) -> int:
    every = twins(options.dir)
    if options.show:
        chosen = [twin for twin in every if [twin.experiment, twin.kernel] == options.show]
        if not chosen:
            raise UsageError(f"there is no pair {' '.join(options.show)} in {options.dir}")
        for twin in chosen:
            show(twin)
        return 0
    console.chosen(sorted({twin.experiment for twin in every}), options.only)
    every = [twin for twin in every if console.matches(twin.experiment, options.only)]
    found = list(zip(every, parallel.map_all(judged, every)))
    for twin, one in found:
        if isinstance(one, NotSame) or (options.excused and isinstance(one, Excused)):
            print(line_of(twin, one))
    numbers = Counter(type(one) for _, one in found)
    print(f"{len(found)} {'pair' if len(found) == 1 else 'pairs'}: {numbers[Same]} do the same work, {numbers[Excused]} differ for a reason, {numbers[NotSame]} do not do the same work")
    return int(bool(numbers[NotSame]))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Twins whose machine code does not do the same work.")
    add = parser.add_argument
    add("--dir", type=Path, default=ROOT / "results/nvidia-h200", metavar="DIR", help="the results (default: results/nvidia-h200)")
    add("--only", action="append", default=[], metavar="NAME", help="only this experiment, e.g. exp09 (repeatable)")
    add("--excused", action="store_true", help="also the pairs that differ for a reason")
    add("--show", nargs=2, metavar=("EXPERIMENT", "KERNEL"), help="what both listings of a pair do")
    options = parser.parse_args(arguments)
    return console.run_cli(NAME, lambda: run(options))


if __name__ == "__main__":
    sys.exit(main())
