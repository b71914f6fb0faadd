"""Rows whose GPU time exceeds the round trip of the same work, which no GPU time can do where both time the same."""

from collections.abc import Iterable

from benchlib.document.document import Blocks, fixed
from benchlib.model.pairs import figure_of
from benchlib.results.results import Case, Table
from benchlib.tables.pivot import Columns, column, pivot, told

BEYOND = 1.02  # of the round trip: less is the clocks' and the samples' noise
TEXT = (
    "The GPU times of these rows are more than 1.02 times their round trips. A round trip has all of the same work in it, and more. So the two samples differ in "
    "something, and a comparison with these GPU times needs the round trips beside it."
)


def share(table: Table, case: Case) -> float:
    gpu, trip = (figure_of(table, case, metric) for metric in ("device_ns", "roundtrip_ns"))
    return gpu.value / trip.value if gpu and trip and trip.value else 0.0


def beyond_round_trip(table: Table, cases: Iterable[Case], named: Columns) -> Blocks:
    """Nothing where there is no such row."""
    found = [case for case in cases if share(table, case) > BEYOND]
    return told(pivot(found, named, column("GPU / round trip:", lambda case: fixed(share(table, case), 2))), [TEXT]) if found else []
