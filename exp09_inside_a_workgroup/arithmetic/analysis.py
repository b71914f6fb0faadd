"""exp09_arithmetic's tables: branches, loops, errors, sums."""

from collections.abc import Callable

from benchlib.document.document import NONE, Blocks, Cell, whole
from benchlib.model.analysis import Analysis, Counting, Study
from benchlib.model.pairs import figure_of, in_order
from benchlib.tables.pivot import column, for_apis, pivot, rounded, told
from benchlib.tables.twins import plain
from benchlib.results.results import Table
from benchlib.sass import listings


def _figure(table: Table, metric: str, **where: str) -> Cell:
    return plain(figure_of(table, table.one(where), metric))


def branches(_: Study, table: Table) -> Blocks:
    def over_one(by: str) -> Callable[[str, str], Cell]:
        def cell(ways: str, api: str) -> Cell:
            case, one = (table.one({"variant": "branch", "by": by, "ways": number, "api": api}) for number in (ways, "1"))
            return rounded(table.ratio(case, one) if case and one else None, 2)

        return cell

    shown = pivot(
        sorted(in_order(table.select({"variant": "branch"}), "ways"), key=int),
        column("paths:", lambda ways: whole(int(ways))),
        for_apis("by lane, CUDA:", "Vulkan:", over_one("lane")),
        for_apis("by subgroup, CUDA:", "Vulkan:", over_one("subgroup")),
    )
    return told(shown, ["Each step goes through so many paths, of which a thread takes one: time over that with one path."])


def _instructions(found: Study, table: Table, kernel: str, api: str) -> Cell:
    code = listings.of(found, table, kernel, api)
    return whole(len(code)) if code else NONE


def loops(found: Study, table: Table) -> Blocks:
    shown = pivot(
        in_order(table.select({"variant": "loop"}), "loop"),
        column("loop", str),
        for_apis("CUDA, instructions:", "Vulkan:", lambda loop, api: _instructions(found, table, f"loop_{loop}", api)),
        for_apis("CUDA, ns:", "Vulkan, ns:", lambda loop, api: _figure(table, "element_ns", variant="loop", loop=loop, api=api)),
    )
    text = (
        "64 turns of a multiplication and an addition, a full GPU: nanoseconds a turn of all threads. literal: the bound stands in the source; specialized: in "
        "a specialization constant; uniform: in a push constant or kernel argument. guarded: each turn also counts 64 bits down, and ends the loop at 0."
    )
    return told(shown, [text])


def precision(found: Study, table: Table) -> Blocks:
    cases = table.select({"variant": "precision"})
    there = {(case["function"], case["mode"]) for case in cases}

    def of(metric: str) -> Callable[[tuple[str, str], str], Cell]:
        return lambda row, api: _figure(table, metric, variant="precision", function=row[0], mode=row[1], api=api)

    shown = pivot(
        [row for function in in_order(cases, "function") for mode in ("default", "precise", "fast") if (row := (function, mode)) in there],
        (["function", "mode"], list),
        for_apis("greatest error, CUDA:", "Vulkan:", of("max_ulp")),
        for_apis("mean, CUDA:", "Vulkan:", of("mean_ulp")),
        for_apis("fused, CUDA (%):", "Vulkan (%):", of("contracted_pct")),
        for_apis("CUDA, instructions:", "Vulkan:", lambda row, api: _instructions(found, table, f"precision_{row[0]}_{row[1]}", api)),
    )
    text = (
        "A million numbers of ±[0.5, 2). Errors in units of the last place (ulp), against double precision; 0.5 is a correctly rounded result. sin_large: of a "
        "thousand times the number. contract: x y - z, z being the rounded product: what is not 0 was made by a fused operation."
    )
    return told(shown, [text])


def sums(_: Study, table: Table) -> Blocks:
    def of(metric: str) -> Callable[[str, str], Cell]:
        return lambda mode, api: _figure(table, metric, variant="sum", mode=mode, api=api)

    shown = pivot(
        in_order(table.select({"variant": "sum"}), "mode"),
        column("sum", str),
        for_apis("greatest error, CUDA (ulp):", "Vulkan:", of("max_ulp")),
        for_apis("as written, CUDA (%):", "Vulkan (%):", of("as_written_pct")),
        for_apis("CUDA, ns a term:", "Vulkan:", of("element_ns")),
    )
    return told(shown, ["1024 numbers of one sign a thread. As written: sums that are the CPU's, reckoned step by step, to the last bit."])


ANALYSIS = Analysis(
    inside_sm=["branch", "loop", "aa_control_a", "aa_control_b"],
    exact=["max_ulp", "mean_ulp", "contracted_pct", "as_written_pct"],
    sections=[("Branches", branches), ("Loops", loops), ("Precision", precision), ("A compensated sum", sums)],
    counting=Counting(by_default=False),
)
