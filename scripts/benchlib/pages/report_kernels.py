"""What was measured of each kernel's code, for the report's viewer: a row a pair of twins that ran it."""

from collections.abc import Mapping, Sequence

from benchlib.stats import formats
from benchlib.pages import why_tables
from benchlib.model.analysis import Study
from benchlib.model.attribution import Account, Side, account, accounts
from benchlib.document.document import NONE, cell_text
from benchlib.stats.formats import sig
from benchlib.pages.kernel_timings import Ran, by_page
from benchlib.results.results import Case, Table
from benchlib.model.pairs import Pair, figure_of, pairs
from benchlib.tables.twins import comparison, micros

HEADER = (
    "case", "CUDA µs", "Vulkan µs", "Vulkan/CUDA [95 %]", "Vulkan is", "L1 sectors, 10^6, CUDA / Vulkan", "memory, MB, CUDA / Vulkan", "why",
)  # fmt: skip
NO_BREAK = "\u00a0"
OTHER_SIZE = "†"  # after a case whose Vulkan code was built for another workgroup size


def cases(found: Study, table: Table) -> Mapping[str, list[list[str]]]:
    """The rows of HEADER, by the kernel's name in sass_twins.csv."""
    return {kernel: [_row(found, table, one) for one in ran] for kernel, ran in found.memoized(by_page, table).items()}


def costs(found: Study, table: Table, ids: Mapping[str, str]) -> Mapping[str, Mapping[str, str]]:
    """By the kernel's name in sass_twins.csv, what the accounts' causes add to its pairs' times in Vulkan, from the least to the most, by
    `ids` of the causes' names.
    """
    shown: dict[str, Mapping[str, str]] = {}
    for kernel, ran in found.memoized(by_page, table).items():
        known: dict[str, list[tuple[float, float]]] = {}
        for one in ran:
            account_ = found.memoized(_accounts, table).get(one.pair)
            for cause in account_.known if account_ else []:
                if account_ and cause.name in ids:
                    known.setdefault(ids[cause.name], []).append((cause.ns or 0, account_.cuda.time.value))
        shown[kernel] = {id_: _span(each) for id_, each in known.items()}
    return shown


def _span(each: Sequence[tuple[float, float]]) -> str:
    """Of times that are added to others, ns: the least and the most, and these as shares."""
    least, most = min(each), max(each)
    ends = dict.fromkeys(f"{why_tables.time_text(ns)} ({why_tables.percent(ns / of)} of CUDA's time)" for ns, of in (least, most))
    return f"{' to '.join(ends)}" + (f", in {len(each)} pairs" if len(each) > 1 else "")


def _row(found: Study, table: Table, ran: Ran) -> list[str]:
    cells = [short_name(ran.pair.case) + ("" if ran.exactly else f" {OTHER_SIZE}")]
    cells += [cell_text(micros(figure_of(table, side))) for side in ran.pair.sides]
    cells += map(cell_text, comparison(table, ran.pair)) if table.compares_times else ["", ""]
    one = found.memoized(_accounts, table).get(ran.pair)
    if one is None:
        return [*cells, "", "", ""]
    explained = found.analysis_of(table.name).controls is not None and not one.nothing_to_explain
    counted = [_both(one, columns) for columns in (["l1_sectors"], ["dram_read_bytes", "dram_write_bytes"])]
    return [*cells, *counted, why_tables.sentence(one) if explained else ""]


def _accounts(found: Study, table: Table) -> Mapping[Pair, Account]:
    """Of the pairs that the worklog accounts for, and of their like without bounds checks."""
    unchecked = (account(found, table, pair) for pair in pairs(table, {"checks": "off"}))
    return {one.pair: one for one in [*found.memoized(accounts, table), *unchecked] if one}


def short_name(case: Case) -> str:
    """The case's, with its size as tables have it; without a blank in it, as blanks part the rest."""
    named = case.replace(elements=formats.count(case.elements).replace(" ", NO_BREAK)) if case["elements"] else case
    return named.name(without=["api"])


def _both(one: Account, columns: Sequence[str]) -> str:
    """CUDA's counts and Vulkan's, in millions."""
    return " / ".join(_millions(side, columns) for side in (one.cuda, one.vulkan)) if one.cuda.counts or one.vulkan.counts else ""


def _millions(side: Side, columns: Sequence[str]) -> str:
    counts = [side.counts.get(column) for column in columns]
    return NONE if None in counts else sig(sum(count or 0 for count in counts) / 1e6, 3)
