"""The report's machine code: both twins' listings side by side, or what a driver listed of Vulkan's kernels, of what dump_sass.py wrote."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchlib.base import parallel
from benchlib.pages import compilers_page, report_kernels
from benchlib.results import results
from benchlib.sass import compilers, driver_listings, listings, sass, sass_diff
from benchlib.model.analysis import Study
from benchlib.results.results import API_NAMES, Row
from benchlib.sass.sass import INSTRUCTION_BYTES, Instruction

ShownLine = list[str]  # mark, left, right, what differs


class LineCause(NamedTuple):
    """What lines of a listing are for that differ from the other's."""

    id: str  # of its colour
    title: str
    names: Sequence[str]  # of sass_diff's
    accounts: Sequence[str]  # the accounts' causes (model/attribution.py) that say what it takes


# A line with names of several has the first one's colour; what is in none of them is "other".
CAUSES = (
    LineCause("checks", "bounds checks", [sass_diff.BOUNDS_CHECK], ["bounds checks"]),
    LineCause("qualifiers", "cache and scope qualifiers",
          [sass_diff.LOAD_KIND, sass_diff.LOAD_STRENGTH, sass_diff.STORE_STRENGTH, sass_diff.CACHE_HINT, sass_diff.FENCE], []),
    LineCause("addresses", "addresses and descriptor loads",
          [sass_diff.DESCRIPTOR_READ, sass_diff.PARAMETER_READ, sass_diff.ADDRESS, sass_diff.MEMORY_DESCRIPTOR],
          ["descriptors in place of addresses", "buffers that are bound, not addressed"]),
    LineCause("constants", "launch constants", [sass_diff.CONSTANT_READ, sass_diff.STACK], []),
    LineCause("other", "other", [], ["the rest of Vulkan's machine code"]),
)  # fmt: skip
MARKS = " |<>"


def data(found: Study) -> dict[str, object]:
    """What the viewer gets: twins() with each text, each line and each listing once, as kernels differ in few.

    texts     of lines and of what differs; the first is empty
    causes    of lines that differ: id, title, the names beside the lines, title where a driver's listing stands alone
    rows      a line's mark (a place in MARKS), left, right and what differs (places in texts), one after the other
    listings  of each its lines: places in rows
    The viewer puts the offsets before the lines: with them few lines would be alike.
    """
    pages = [*twins(found), *alone(found)]
    lines = Counter(tuple(line) for page in pages for line in page["lines"])
    texts = Counter({"": sum(lines.values())})
    for (_, *of_line), count in lines.items():
        texts.update(dict.fromkeys(of_line, count))
    # What is frequent gets a short number.
    text_at = {text: at for at, (text, _) in enumerate(sorted(texts.items(), key=lambda item: (item[0] != "", -item[1], item[0])))}
    line_at = {line: at for at, (line, _) in enumerate(sorted(lines.items(), key=lambda item: (-item[1], item[0])))}
    listings_at: dict[tuple[int, ...], int] = {}
    for page in pages:
        found_lines = tuple(line_at[tuple(line)] for line in page.pop("lines"))
        page["listing"] = listings_at.setdefault(found_lines, len(listings_at))
    return {
        "texts": list(text_at),
        "rows": [part for mark, *of_line in line_at for part in (MARKS.index(mark), *(text_at[text] for text in of_line))],
        "listings": list(listings_at),
        "header": report_kernels.HEADER,
        "causes": [[cause.id, cause.title, [*cause.names, *compilers.CAUSES[cause.id]], compilers_page.TITLES[cause.id]] for cause in CAUSES],
        "twins": pages,
    }


def twins(found: Study) -> list[dict[str, Any]]:
    """Every row of sass_twins.csv whose two listings are there: experiment, kernel, summary, what its pairs took, what the causes of lines
    add to that, and the lines.
    """
    wanted: list[tuple[Row, Sides]] = []
    cases: dict[str, Mapping[str, list[list[str]]]] = {}
    costs: dict[tuple[str, str], Mapping[str, str]] = {}
    accounted = {name: cause.id for cause in CAUSES for name in cause.accounts}
    for experiment in found.tables:
        pairs, code = (found.auxiliary(name, experiment) for name in ("sass_twins.csv", "sass.csv"))
        if pairs is None or code is None:
            continue
        with_descriptors = {
            row["kernel"] for case in code.cases for row in code.rows(case)
            if row["api"] == "vulkan" and results.number(row, "descriptor_reads")
        }  # fmt: skip
        packed = listings.archive_of(found, experiment)
        wanted += [(row, sides_of(packed, row, with_descriptors)) for case in pairs.cases for row in pairs.rows(case)]
        cases[experiment] = report_kernels.cases(found, found.tables[experiment])
        costs |= {(experiment, kernel): known for kernel, known in report_kernels.costs(found, found.tables[experiment], accounted).items()}
    there = [(row, sides) for row, sides in wanted if sides.cuda and sides.vulkan]
    # Many kernels have the same code; each pair is aligned once.
    different = list(dict.fromkeys(sides for _, sides in there))
    pages = dict(zip(different, parallel.map_all(side_by_side, different)))
    columns = ("experiment", "kernel", "arch", "summary", "cuda_kernel", "vulkan_kernel")
    return [
        {**{column: row.get(column, "") for column in columns},
         "cases": cases[row["experiment"]].get(row["kernel"], []), "costs": costs.get((row["experiment"], row["kernel"]), {}), "lines": pages[sides]}
        for row, sides in there
    ]  # fmt: skip


def alone(found: Study) -> list[dict[str, Any]]:
    """Every kernel of isa.csv that a driver listed: as twins() has them, without CUDA's side, each line with what it is for."""
    texts: dict[str, Mapping[str, str]] = {}
    pages = []
    for row in driver_listings.rows(found.directory):
        if not row["isa_hash"]:
            continue
        wave = row["wave"]
        if wave not in texts:
            texts[wave] = driver_listings.read(driver_listings.archive_of(found.directory, int(wave)))
        lines = compilers.of_driver(row, texts[wave].get(f"{row['experiment']}/{row['kernel']}", ""))
        pages.append(
            {"experiment": row["experiment"], "kernel": row["kernel"], "arch": f"subgroups of {wave}", "summary": driver_listings.said(row), "cuda_kernel": "",
             "vulkan_kernel": row["kernel"], "cases": [], "costs": {},
             "lines": [[" ", "", line.text, line.what if line.what in compilers.CAUSE_OF else ""] for line in lines]}
        )  # fmt: skip
    return pages


class Sides(NamedTuple):
    """Both listings of a row of sass_twins.csv, without their comments, and whether Vulkan's kernel has descriptors."""

    cuda: str
    vulkan: str
    descriptors: bool


def sides_of(packed: Path, row: Row, with_descriptors: set[str]) -> Sides:
    texts = [listings.text(packed, row.get(f"{api}_kernel", ""), api, row.get("arch", "")) for api in ("cuda", "vulkan")]
    cuda, vulkan = ("\n".join(line for line in text.splitlines() if not line.startswith("//")) for text in texts)
    return Sides(cuda, vulkan, row.get("vulkan_kernel", "") in with_descriptors)


def side_by_side(sides: Sides) -> list[ShownLine]:
    both = []
    for api, text, descriptors in (("cuda", sides.cuda, False), ("vulkan", sides.vulkan, sides.descriptors)):
        marked = sass.mark_roles(listings.parse(text), descriptors=descriptors)
        both.append(sass_diff.ListingSide(API_NAMES[api], marked, descriptors))
    difference = sass_diff.compare(*both)
    left, right = SideColumn(), SideColumn()
    return [
        [line.mark, left.shown(line.left), right.shown(line.right), ", ".join((["order"] if line.moved else []) + line.names)]
        for line in difference.rows
    ]


class SideColumn:
    """One side's instructions from the top down."""

    def __init__(self) -> None:
        self._instructions = 0

    def shown(self, instruction: Instruction | None) -> str:
        """The instruction; behind its offset where that is not what its place in the column says."""
        if instruction is None:
            return ""
        expected = self._instructions * INSTRUCTION_BYTES
        self._instructions += 1
        return instruction.text() if instruction.offset == expected else f"{instruction.offset:04x} {instruction.text()}"
