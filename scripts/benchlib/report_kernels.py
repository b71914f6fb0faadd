"""What is known of each kernel's times, for the report's machine code: a row a pair of twins that ran it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from benchlib import document, formats, why_tables
from benchlib.analysis import Analysis, Study
from benchlib.attribution import Account, Side, account, accounts
from benchlib.formats import NONE, ratio_text, sig
from benchlib.results import Case, Row, Table
from benchlib.tables import Pair, micros, pair_verdict, pairs

HEADER = (
    "case", "CUDA µs", "Vulkan µs", "Vulkan/CUDA [95 %]", "Vulkan is", "L1 sectors, 10^6, CUDA / Vulkan", "memory, MB, CUDA / Vulkan", "why",
)  # fmt: skip
NO_BREAK = "\u00a0"
OTHER = "†"  # after a case that ran another specialization of the kernel than the one whose listing is there


def cases(found: Study, table: Table, twins: Sequence[Row]) -> Mapping[str, list[list[str]]]:
    """The rows of HEADER by the kernel's name in `twins`, the experiment's rows of sass_twins.csv."""
    explained = found.analyses.get(table.name, Analysis()).controls is not None
    names = found.once(_names, table.name)
    result: dict[str, list[list[str]]] = {}
    # Rows without bounds checks are asked for by name; there the machine code is another.
    unchecked = (account(found, table, pair) for pair in pairs(table, {"checks": "off"}))
    for one in [*found.once(accounts, table), *filter(None, unchecked)]:
        kernels, same = _listed(one.pair, table, names, twins)
        why = why_tables.sentence(one) if explained and not one.nothing_to_explain else ""
        case = short_name(one.pair.case)
        cells = [case if same else f"{case} {OTHER}", *(document.cell_text(micros(side.time)) for side in (one.cuda, one.vulkan))]
        cells += [ratio_text(one.ratio), pair_verdict(table, one.pair) or NONE]
        cells += [_both(one, ["l1_sectors"]), _both(one, ["dram_read_bytes", "dram_write_bytes"])]
        for kernel in kernels:
            result.setdefault(kernel, []).append([*cells, why])
    return result


def short_name(case: Case) -> str:
    """The case's, with its size as tables have it; without a blank in it, as blanks part the rest."""
    named = case.replace(elements=formats.count(case.elements).replace(" ", NO_BREAK)) if case["elements"] else case
    return named.name(without=["api"])


def _names(found: Study, experiment: str) -> Mapping[tuple[str, str], set[str]]:
    """The kernels of sass.csv by API and isa_hash: several may have one code."""
    code = found.auxiliary("sass.csv", experiment)
    names: dict[tuple[str, str], set[str]] = {}
    for row in (row for case in code.cases for row in code.rows(case)) if code else []:
        if row.get("isa_hash"):
            names.setdefault((row["api"], row["isa_hash"]), set()).add(row["kernel"])
    return names


def _listed(
    pair: Pair, table: Table, names: Mapping[tuple[str, str], Collection[str]], twins: Sequence[Row]
) -> tuple[list[str], bool]:
    """The twins whose listings are of what the pair ran; else that of CUDA's code whose Vulkan kernel has the same name, and False."""
    cuda, vulkan = (names.get((case["api"], table.text(case, "isa_hash")), ()) if case else () for case in pair.sides)
    candidates = [row for row in twins if row.get("cuda_kernel") in cuda]
    exact = [row["kernel"] for row in candidates if row.get("vulkan_kernel") in vulkan]
    if exact:
        return exact, True
    end = ".disabled" if pair.case["checks"] == "off" or pair.case["robustness"] == "disabled" else ""
    return [row["kernel"] for row in candidates if row["kernel"] == f"{row.get('cuda_kernel')}{end}"][:1], False


def _both(one: Account, columns: Sequence[str]) -> str:
    """CUDA's counts and Vulkan's, in millions."""
    return " / ".join(_millions(side, columns) for side in (one.cuda, one.vulkan)) if one.cuda.counts or one.vulkan.counts else ""


def _millions(side: Side, columns: Sequence[str]) -> str:
    counts = [side.counts.get(column) for column in columns]
    return NONE if None in counts else sig(sum(count or 0 for count in counts) / 1e6, 3)
