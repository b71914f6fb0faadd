"""What the L2's slices had to do for a kernel's traffic, counted: a table that several experiments have."""

from collections.abc import Callable, Iterable

from benchlib.document import document
from benchlib.document.document import NO_RESULTS, NONE, Blocks, Cell, Code, fixed, paragraph
from benchlib.model import hardware_counts
from benchlib.model.analysis import Study
from benchlib.model.pairs import Pair
from benchlib.results.results import API_NAMES, Case, Table


def slices_table(found: Study, table: Table, pairs: Iterable[Pair], changed: Callable[[Case], str]) -> Blocks:
    """All of the slices' sectors and how evenly they fell, while either API's kernel ran. `changed`: what a case has that the plain one lacks."""
    counts = hardware_counts.load_any(found, table)
    if counts is None:
        return [NO_RESULTS]
    rows: list[list[Cell]] = []
    for pair in pairs:
        cells = [cell for side in pair.sides for cell in _slice_cells(counts, side)]
        if any(cell != NONE for cell in cells):
            case = pair.case
            rows.append([Code(case["variant"]), changed(case), case["checks"] or NONE, *cells])
    if not rows:
        return [NO_RESULTS]
    header = ["kernel", "changed", "checks"]
    for api in API_NAMES.values():
        header += [f"{api}, through the L2:", "fullest / emptiest slice:"]
    reading = paragraph(
        "Through the L2: sectors that its slices took from all sources, over those that the SMs asked for; what an SM asks of the L2's "
        "other half passes two slices, 1.5 where half of it does. The slices' sectors are of one launch."
    )
    return [document.table(header, rows), reading]


def _slice_cells(counts: hardware_counts.Counts, side: Case | None) -> list[Cell]:
    requested, taken, least, most = (
        counts.value(side, column) if side else None
        for column in ("sm_l2_sectors", "l2_sectors", "l2_slice_sectors_min", "l2_slice_sectors_max")
    )
    return [fixed(taken / requested, 3) if requested and taken else NONE, fixed(most / least, 3) if least and most else NONE]
