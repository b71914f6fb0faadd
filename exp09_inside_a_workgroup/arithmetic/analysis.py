"""exp09_arithmetic's tables: branches, loops, errors, sums."""

from collections.abc import Sequence

from benchlib.document import document
from benchlib.document.document import NO_RESULTS, NONE, Blocks, Cell, fixed, paragraph, whole
from benchlib.model.analysis import Analysis, Counting, Study
from benchlib.model.pairs import figure_of, in_order
from benchlib.tables.twins import plain, rows_or_none
from benchlib.results.results import APIS, Table
from benchlib.sass import listings
from benchlib.tables.pivot import told


def _cells(table: Table, metrics: Sequence[str], **where: str) -> list[Cell]:
    """Of each metric CUDA's and Vulkan's."""
    return [plain(figure_of(table, table.one({**where, "api": api}), metric)) for metric in metrics for api in APIS]


def branches(_: Study, table: Table) -> Blocks:
    cases = table.select({"variant": "branch"})
    rows: list[list[Cell]] = []
    for ways in sorted({case.whole("ways") for case in cases}):
        cells: list[Cell] = []
        for by in ("lane", "subgroup"):
            for api in APIS:
                case, one = (table.one({"variant": "branch", "by": by, "ways": number, "api": api}) for number in (str(ways), "1"))
                ratio = table.ratio(case, one) if case and one else None
                cells.append(fixed(ratio.value, 2) if ratio else NONE)
        rows.append([whole(ways), *cells])
    text = "Each step goes through so many paths, of which a thread takes one: time over that with one path."
    return told(rows_or_none(["paths:", "by lane, CUDA:", "Vulkan:", "by subgroup, CUDA:", "Vulkan:"], rows), [text])


def _instructions(found: Study, table: Table, kernel: str, api: str) -> Cell:
    code = listings.of(found, table, kernel, api)
    return whole(len(code)) if code else NONE


def loops(found: Study, table: Table) -> Blocks:
    rows: list[list[Cell]] = []
    for loop in in_order(table.select({"variant": "loop"}), "loop"):
        code = [_instructions(found, table, f"loop_{loop}", api) for api in APIS]
        rows.append([loop, *code, *_cells(table, ["element_ns"], variant="loop", loop=loop)])
    text = (
        "64 turns of a multiplication and an addition, a full GPU: nanoseconds a turn of all threads. literal: the bound stands in the source; specialized: in "
        "a specialization constant; uniform: in a push constant or kernel argument. guarded: each turn also counts 64 bits down, and ends the loop at 0."
    )
    header = ["loop", "CUDA, instructions:", "Vulkan:", "CUDA, ns:", "Vulkan, ns:"]
    return told(rows_or_none(header, rows), [text])


def precision(found: Study, table: Table) -> Blocks:
    rows: list[list[Cell]] = []
    for function in in_order(table.select({"variant": "precision"}), "function"):
        for mode in ("default", "precise", "fast"):
            where = {"variant": "precision", "function": function, "mode": mode}
            if table.select(where):
                code = [_instructions(found, table, f"precision_{function}_{mode}", api) for api in APIS]
                rows.append([function, mode, *_cells(table, ["max_ulp", "mean_ulp", "contracted_pct"], **where), *code])
    text = (
        "A million numbers of ±[0.5, 2). Errors in units of the last place (ulp), against double precision; 0.5 is a correctly rounded result. sin_large: of a "
        "thousand times the number. contract: x y - z, z being the rounded product: what is not 0 was made by a fused operation."
    )
    header = ["function", "mode", "greatest error, CUDA:", "Vulkan:", "mean, CUDA:", "Vulkan:", "fused, CUDA (%):", "Vulkan (%):"]
    return told(rows_or_none([*header, "CUDA, instructions:", "Vulkan:"], rows), [text])


def sums(_: Study, table: Table) -> Blocks:
    rows: list[list[Cell]] = []
    for mode in in_order(table.select({"variant": "sum"}), "mode"):
        rows.append([mode, *_cells(table, ["max_ulp", "as_written_pct", "element_ns"], variant="sum", mode=mode)])
    if not rows:
        return [NO_RESULTS]
    text = "1024 numbers of one sign a thread. As written: sums that are the CPU's, reckoned step by step, to the last bit."
    header = ["sum", "greatest error, CUDA (ulp):", "Vulkan:", "as written, CUDA (%):", "Vulkan (%):", "CUDA, ns a term:", "Vulkan:"]
    return [paragraph(text), document.table(header, rows)]


ANALYSIS = Analysis(
    inside_sm=["branch", "loop", "aa_control_a", "aa_control_b"],
    exact=["max_ulp", "mean_ulp", "contracted_pct", "as_written_pct"],
    sections=[("Branches", branches), ("Loops", loops), ("Precision", precision), ("A compensated sum", sums)],
    counting=Counting(by_default=False),
)
