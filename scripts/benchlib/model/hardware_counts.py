"""What the GPU's counters counted (counters.csv), beside the sectors that the access model predicts.

Both APIs by one instrument, CUPTI's PM sampling, which counts loads and stores together; CUDA also by Nsight Compute, which tells them
apart. A case that nothing counted shows nothing: no row borrows another's count.
"""

from collections.abc import Callable
from dataclasses import dataclass

from benchlib.base.kept import kept_last
from benchlib.model.analysis import Study
from benchlib.results.counters_file import NCU, PM_SAMPLING
from benchlib.results.results import APIS, SECTOR_BYTES, TWIN_MODES, Case, Row, Table, number

KINDS = ("load", "store")
SAME_WITHIN = 0.005  # of the prediction: sectors
BYTES_WITHIN = 0.02
TWINS_WITHIN = 0.02  # of the prediction, or of the other API's count: beyond, it is listed
NOT_COUNTED = "not counted"


class Counts:
    """The counts of one experiment's cases."""

    def __init__(self, table: Table, counters: Table):
        self._table = table
        self._rows = {(_identity(case), case["instrument"]): row for case in counters.cases for row in counters.rows(case)}

    def by(self, instrument: str, case: Case, column: str) -> float | None:
        """What an instrument counted of a case; None where it did not."""
        row: Row = self._rows.get((_identity(case), instrument), {})
        return number(row, column) if row.get(column) else None

    def value(self, case: Case, column: str) -> float | None:
        """The same by PM sampling, or by Nsight Compute where that alone has it."""
        found = self.by(PM_SAMPLING, case, column)
        return self.by(NCU, case, column) if found is None else found

    def has(self, instrument: str) -> bool:
        return any(name == instrument for _, name in self._rows)

    def sectors(self, case: Case) -> float | None:
        """Through the L1 in one launch, loads and stores together."""
        return self.by(PM_SAMPLING, case, "l1_sectors")

    def blocks(self, case: Case) -> float | None:
        """Of one launch. Both APIs start as many."""
        for api in (case["api"], *APIS):
            for column in ("blocks", "launch_grid"):
                if found := self.value(case.replace(api=api), column):
                    return found
        return None

    def per_warp(self, case: Case) -> list[float | None]:
        """Sectors for the elements that a warp handles; loads and stores apart where only Nsight Compute counted."""
        sampled = self._of_a_warp(case, self.sectors(case))
        return [sampled] if sampled is not None else [self._of_a_warp(case, self.by(NCU, case, f"{kind}_sectors")) for kind in KINDS]

    def _of_a_warp(self, case: Case, sectors: float | None) -> float | None:
        return sectors * self._table.warp_elements(case) / case.elements if sectors is not None and case.elements else None

    def per_request(self, case: Case, kind: str) -> float | None:
        """By Nsight Compute."""
        requests, sectors = (self.by(NCU, case, f"{kind}_{what}") for what in ("requests", "sectors"))
        return sectors / requests if requests and sectors is not None else None


def load(found: Study, table: Table) -> Counts | None:
    """None without counters of this experiment, or where nothing is predicted."""
    return load_any(found, table) if {f"{kind}_sectors" for kind in KINDS} <= set(table.model) else None


def load_any(found: Study, table: Table) -> Counts | None:
    """The same for an experiment without predictions."""
    return found.memoized(_load, table)


def _load(found: Study, table: Table) -> Counts | None:
    counters = found.auxiliary("counters.csv", table.name)
    return Counts(table, counters) if counters and counters.cases else None


# ---------------------------------------------------------------------------------------------------------- predictions


def predicted_sectors(table: Table, case: Case) -> float | None:
    """Through the L1 in one launch; None where nothing is predicted.

    A kind without sectors per warp but with bytes that must move is what each thread does once beside its loop: coalesced.
    """
    total = 0.0
    for kind, way in zip(KINDS, ("read", "write")):
        sectors = table.text(case, f"{kind}_sectors")
        if not sectors:
            return None
        if float(sectors):
            total += float(sectors) * case.elements / table.warp_elements(case)
        else:
            total += float(table.text(case, f"min_{way}_bytes") or 0) / SECTOR_BYTES
    return total or None


def predicted_bytes(table: Table, case: Case) -> tuple[float, float] | None:
    """That memory reads and writes, where the case streams from it and asks for each sector once: elsewhere caches decide."""
    read, write = (float(table.text(case, f"min_{way}_bytes") or 0) for way in ("read", "write"))
    sectors = predicted_sectors(table, case)
    streams = table.is_dram(case) and sectors is not None and abs(sectors * SECTOR_BYTES - (read + write)) <= SAME_WITHIN * (read + write)
    return (read, write) if streams else None


# ------------------------------------------------------------------------------------------------ the instrument's check


@dataclass(frozen=True)
class Check:
    """PM sampling against what should be the same."""

    name: str
    within: float
    both: Callable[[Table, Counts, Case], tuple[float | None, float | None]]  # counted, and what it should be


def _ncu_sectors(counts: Counts, case: Case) -> float | None:
    both = [counts.by(NCU, case, f"{kind}_sectors") for kind in KINDS]
    return None if None in both else sum(value or 0 for value in both)


def _bytes(way: str, to_prediction: bool = False) -> Callable[[Table, Counts, Case], tuple[float | None, float | None]]:
    """Against Nsight Compute, where the case begins as cold for both and moves what the L2 does not hold; or against the prediction."""

    def both(table: Table, counts: Counts, case: Case) -> tuple[float | None, float | None]:
        predicted = predicted_bytes(table, case)
        if case["cache"] != "cold" or not _substantial(table, case, way) or not (predicted if to_prediction else table.is_dram(case)):
            return None, None
        column = f"dram_{way}_bytes"
        return counts.by(PM_SAMPLING, case, column), predicted[way == "write"] if to_prediction and predicted else counts.by(NCU, case, column)

    return both


def _substantial(table: Table, case: Case, way: str) -> bool:
    """A percent of a few bytes says nothing: those of more than a tenth of the case's."""
    all_ways = [float(table.text(case, f"min_{each}_bytes") or 0) for each in ("read", "write")]
    return all_ways[way == "write"] > sum(all_ways) / 10


CHECKS = (
    Check("sectors, to Nsight Compute", SAME_WITHIN, lambda _, counts, case: (counts.sectors(case), _ncu_sectors(counts, case))),
    Check("sectors, to the prediction", SAME_WITHIN, lambda table, counts, case: (counts.sectors(case), predicted_sectors(table, case))),
    Check("bytes from memory, to Nsight Compute", BYTES_WITHIN, _bytes("read")),
    Check("bytes from memory, to the prediction", BYTES_WITHIN, _bytes("read", to_prediction=True)),
    Check("bytes to memory, to Nsight Compute", BYTES_WITHIN, _bytes("write")),
    Check("bytes to memory, to the prediction", BYTES_WITHIN, _bytes("write", to_prediction=True)),
)


def differs(predicted: float | None, counted: float | None) -> bool:
    """A prediction of 0 leaves that kind out: a thread's one store of its sum, say."""
    if not predicted or counted is None:
        return False
    return abs(counted - predicted) > SAME_WITHIN * predicted


def predicted_per_request(table: Table, case: Case, kind: str) -> float | None:
    """Sectors of one request."""
    sectors, requests = (table.text(case, f"{kind}_{what}") for what in ("sectors", "requests"))
    return float(sectors) / float(requests) if sectors and float(requests or 0) else None


@kept_last(1 << 14)  # of a case many counts are asked
def _identity(case: Case) -> frozenset[tuple[str, str]]:
    """The parameters that the case has: counters.csv holds several experiments', and leaves out those that none uses."""
    return frozenset((column, value) for column, value in case.cells if value and column != "instrument")


def vulkan_twin(table: Table, case: Case) -> Case | None:
    """The Vulkan case that answers a CUDA case."""
    other = case.replace(api="vulkan", mode=TWIN_MODES.get(case["mode"], case["mode"]))
    return other if table.rows(other) else None
