"""What the GPU's counters counted (counters.csv), beside the sectors that the access model predicts.

Both APIs by one instrument, CUPTI's PM sampling, which counts loads and stores together; CUDA also by Nsight Compute, which tells them
apart. A case that nothing counted shows nothing: no row borrows another's count.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from benchlib.document import document
from benchlib.model.analysis import Study
from benchlib.results.counters_file import NCU, PM_SAMPLING
from benchlib.document.document import NONE, Block, Blocks, Cell, paragraph
from benchlib.results.results import API_NAMES, APIS, SECTOR_BYTES, TWIN_MODES, WITH_ALL_CHECKS, Case, Row, Table, number

KINDS = ("load", "store")
SAME_WITHIN = 0.005  # of the prediction: sectors
BYTES_WITHIN = 0.02
TWINS_WITHIN = 0.02  # of the prediction, or of the other API's count: beyond, it is listed
EXACT = 1e-5  # counters.csv has six digits
NOT_COUNTED = "not counted"
EXPLANATION = paragraph(
    "Counted: by CUPTI's PM sampling, both APIs, loads and stores together. A sum (16 + 4) was counted by Nsight Compute, CUDA alone."
)


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

    def about(self, case: Case, column: str) -> str:
        """A row's text: instrument_version, reason."""
        return next((row[column] for name in (PM_SAMPLING, NCU) if (row := self._rows.get((_identity(case), name), {})).get(column)), "")

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

    def per_warp(self, case: Case, kind: str) -> float | None:
        """Sectors in loads or stores, for the elements that a warp handles, by Nsight Compute."""
        return self._of_a_warp(case, self.by(NCU, case, f"{kind}_sectors"))

    def _of_a_warp(self, case: Case, sectors: float | None) -> float | None:
        return sectors * self._table.warp_elements(case) / case.elements if sectors is not None and case.elements else None

    def per_request(self, case: Case, kind: str) -> float | None:
        """By Nsight Compute."""
        requests, sectors = (self.by(NCU, case, f"{kind}_{what}") for what in ("requests", "sectors"))
        return sectors / requests if requests and sectors is not None else None

    def cell(self, case: Case | None) -> Cell:
        """Of a warp: `20`, or `16 + 4` where only Nsight Compute counted."""
        if case is None:
            return NONE
        sampled = self._of_a_warp(case, self.sectors(case))
        if sampled is not None:
            return number_text(sampled)
        counts = [self.per_warp(case, kind) for kind in KINDS]
        return NOT_COUNTED if all(count is None for count in counts) else " + ".join(map(number_text, counts))

    def cells(self, sides: Sequence[Case | None]) -> list[Cell]:
        return [self.cell(side) for side in sides]


HEADER = [f"counted, {name}:" for name in API_NAMES.values()]


def load(found: Study, table: Table) -> Counts | None:
    """None without counters of this experiment, or where nothing is predicted."""
    return load_any(found, table) if {f"{kind}_sectors" for kind in KINDS} <= set(table.model) else None


def load_any(found: Study, table: Table) -> Counts | None:
    """The same for an experiment without predictions."""
    return found.once(_load, table)


def _load(found: Study, table: Table) -> Counts | None:
    counters = found.auxiliary("counters.csv", table.name)
    return Counts(table, counters) if counters and counters.cases else None


def explained(counts: Counts | None) -> Blocks:
    return [EXPLANATION] if counts else []


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


def comparison(found: Study, table: Table) -> Blocks:
    """How many predictions the counters bear out in either API, and every one that they do not; nothing where nothing was counted."""
    counts = load_any(found, table)
    if counts is None:
        return []
    sampled, predicted = counts.has(PM_SAMPLING), load(found, table) is not None
    parts = both_apis(found, table, counts) if sampled else []
    if predicted:
        parts += [] if sampled else [paragraph(f"Vulkan: {NOT_COUNTED}.")]
        parts += by_request(table, counts) if counts.has(NCU) else []
        parts += instruments(table, counts)
    return parts


def predicted_and_counted(found: Study, table: Table) -> Blocks:
    nothing = paragraph("Nothing was counted: scripts/counters.py does.")
    return found.once(comparison, table) or [nothing]


# The paths on which both APIs' sectors are counted.
PATHS = {"l1_sectors": "through the L1", "sm_l2_sectors": "from the SMs to the L2"}


def both_apis(found: Study, table: Table, counts: Counts) -> Blocks:
    """Predicted = counted, a row an API; and of all pairs each kernel whose count is another."""
    rows: list[list[Cell]] = []
    exceptions: list[list[Cell]] = []
    pairs = [(case, other) for case in table.select({**WITH_ALL_CHECKS, "api": "cuda"}) if (other := _twin(table, case))]
    twins = {side for pair in pairs for side in pair}
    for api in APIS:
        cases = [case for case in table.select({**WITH_ALL_CHECKS, "api": api}) if predicted_sectors(table, case)]
        compared = [(predicted_sectors(table, case), counts.sectors(case)) for case in cases]
        rows += [[f"{API_NAMES[api]}, to the prediction", *_tally(len(cases), compared)]] if cases else []
    for column, path in PATHS.items():
        of_pairs = [[counts.by(PM_SAMPLING, side, column) for side in pair] for pair in pairs]
        if pairs:
            name = "Vulkan, to CUDA" if column == "l1_sectors" else f"Vulkan, to CUDA, {path}"
            rows.append([name, *_tally(len(pairs), [(cuda, vulkan) for cuda, vulkan in of_pairs])])
        # A case that only one API has stands alone.
        for sides in [*pairs, *((case,) for case in table.cases if case not in twins and table.rows(case))]:
            # Fewer reach the L2 than are asked for: that is not predicted.
            wanted = predicted_sectors(table, sides[0]) if column == "l1_sectors" else None
            seen = {side["api"]: value for side in sides if (value := counts.by(PM_SAMPLING, side, column)) is not None}
            values = [value for value in (wanted, *seen.values()) if value is not None]
            if not seen or max(values) <= (1 + TWINS_WITHIN) * min(values):
                continue
            figures = [_whole(wanted), *(_whole(seen.get(api)) for api in APIS)]
            exceptions.append([sides[0].name(without=["api"]), path, *figures, counted_reason(found, table, sides, wanted, seen)])
    if not rows:
        return []
    header = ["sectors through the L1", "cases:", "counted:", f"within {100 * SAME_WITHIN:.1f} %:", f"within {100 * TWINS_WITHIN:.0f} %:"]
    header += ["beyond:", "most (%):"]
    parts: Blocks = [
        paragraph("Loads and stores of a launch, counted by CUPTI's PM sampling; predicted: the sectors of a warp times the warps."),
        document.table(header, rows),
    ]
    if exceptions:
        header = [f"beyond {100 * TWINS_WITHIN:.0f} %", "sectors", "predicted:", "counted, CUDA:", "counted, Vulkan:"]
        header.append("reason, from the data")
        return [*parts, document.table(header, exceptions)]
    return [*parts, paragraph(f"No kernel's count is beyond {100 * TWINS_WITHIN:.0f} % of its prediction or of its twin's.")]


def _tally(cases: int, compared: Sequence[tuple[float | None, float | None]]) -> list[Cell]:
    off = [abs(seen / wanted - 1) for wanted, seen in compared if wanted and seen is not None]
    within = [sum(each <= limit for each in off) for limit in (SAME_WITHIN, TWINS_WITHIN)]
    return [*map(str, (cases, len(off), *within, len(off) - within[-1])), document.fixed(100 * max(off), 2) if off else NONE]


def _whole(value: float | None) -> Cell:
    return NONE if value is None else f"{value:.0f}"


def counted_reason(found: Study, table: Table, sides: Sequence[Case], wanted: float | None, seen: dict[str, float]) -> str:
    """What the machine code says of a count that is another than it should be."""
    parts = []
    if wanted:
        off = {api: value / wanted - 1 for api, value in seen.items()}
        parts += [f"{API_NAMES[api]} {100 * share:+.1f} %" for api, share in off.items() if abs(share) > TWINS_WITHIN]
    if not parts and len(seen) == len(APIS) and seen["cuda"]:
        parts.append(f"Vulkan, to CUDA, {100 * (seen['vulkan'] / seen['cuda'] - 1):+.1f} %")
    row = code_of_twins(found, table, *sides) if len(sides) > 1 else None
    if row:
        same = row.get("same_memory") == "1"
        clauses = [clause.strip() for clause in row.get("summary", "").split("; ") if "loads and stores" in clause]
        parts.append("the same loads and stores in both machine codes" if same else f"machine code: {clauses[0] if clauses else 'different'}")
    return "; ".join(parts)


def code_of_twins(found: Study, table: Table, cuda: Case, vulkan: Case) -> Row | None:
    """sass_twins.csv's row of what two cases run; None where it was not disassembled."""
    both = tuple(table.text(side, "isa_hash") for side in (cuda, vulkan))
    return next(reversed(found.once(twins_by_code, table.name).get(both, [])), None)


def twins_by_code(found: Study, experiment: str) -> dict[tuple[str, ...], list[Row]]:
    """The rows of sass_twins.csv by the isa_hash of both: several names may stand for the same code."""
    code, twins = (found.auxiliary(name, experiment) for name in ("sass.csv", "sass_twins.csv"))
    if code is None or twins is None:
        return {}
    hashes: dict[tuple[str, str], set[str]] = {}
    for row in _rows(code):
        hashes.setdefault((row["api"], row["kernel"]), set()).add(row.get("isa_hash", ""))
    named: dict[tuple[str, ...], list[Row]] = {}
    for row in _rows(twins):
        for ours in hashes.get(("cuda", row.get("cuda_kernel", "")), ()):
            for theirs in hashes.get(("vulkan", row.get("vulkan_kernel", "")), ()):
                if ours and theirs:
                    named.setdefault((ours, theirs), []).append(row)
    return named


def _rows(table: Table) -> list[Row]:
    return [row for case in table.cases for row in table.rows(case)]


# ------------------------------------------------------------------------------------------------- loads and stores apart


def by_request(table: Table, counts: Counts) -> Blocks:
    """Sectors of one request: a grid's last warp, and the elements that an offset leaves out, drop out of it."""
    summary: list[list[Cell]] = []
    exceptions: list[list[Cell]] = []
    for kind in KINDS:
        cases = table.select({"api": "cuda"})  # without checks it is the same kernel
        predicted = [(case, per_request) for case in cases if (per_request := _predicted(table, case, kind))]
        both = [(case, wanted, counts.per_request(case, kind)) for case, wanted in predicted]
        compared = [(case, wanted, seen) for case, wanted, seen in both if seen is not None]
        beyond = [(case, wanted, seen) for case, wanted, seen in compared if differs(wanted, seen)]
        exact = sum(abs(seen - wanted) < EXACT * wanted for _, wanted, seen in compared)
        within = len(compared) - len(beyond)
        numbers = (len(predicted), len(compared), exact, within, len(beyond))
        summary.append([f"{kind}s", *map(str, numbers)])
        for case, wanted, seen in beyond:
            name, reason = case.name(without=["api"]), _reason(table, counts, case, kind, wanted, seen)
            exceptions.append([name, f"{kind}s", number_text(wanted), number_text(seen), reason])
        uncounted = len(predicted) - len(compared)
        if uncounted:
            exceptions.append([f"{uncounted} cases", f"{kind}s", NONE, NONE, "not in counters.csv"])
    header = ["sectors per request", "predicted:", "counted:", "equal:", f"within {100 * SAME_WITHIN:.1f} %:", "beyond:"]
    parts: list[Block] = [
        paragraph("CUDA, by Nsight Compute. A store's count shows noise of a few tenths of a percent on an H200."),
        document.table(header, summary),
    ]
    if exceptions:
        parts.append(document.table(["exception", "kind", "predicted:", "counted:", "reason, from the data"], exceptions))
    else:
        parts.append(paragraph("No exceptions."))
    return parts


def _reason(table: Table, counts: Counts, case: Case, kind: str, wanted: float, seen: float) -> str:
    requests, sectors = counts.by(NCU, case, f"{kind}_requests"), counts.by(NCU, case, f"{kind}_sectors")
    model = float(table.text(case, f"{kind}_requests") or 0)
    warp = table.warp_elements(case)
    per_warp = requests * warp / case.elements if requests and case.elements else 0
    if model and abs(per_warp - model) > SAME_WITHIN * model:
        same = sectors is not None and not differs(wanted * model, sectors * warp / case.elements)
        text = f"{number_text(per_warp)} requests per warp, {number_text(model)} predicted"
        return f"{text}; as many sectors" if same else text
    return f"{100 * abs(seen / wanted - 1):.1f} % {'more' if seen > wanted else 'fewer'} sectors in as many requests"


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


def _bytes(way: str) -> Callable[[Table, Counts, Case], tuple[float | None, float | None]]:
    """Against Nsight Compute, where the case begins as cold for both and moves what the L2 does not hold."""

    def both(table: Table, counts: Counts, case: Case) -> tuple[float | None, float | None]:
        if case["cache"] != "cold" or not table.is_dram(case) or not _substantial(table, case, way):
            return None, None
        return counts.by(PM_SAMPLING, case, f"dram_{way}_bytes"), counts.by(NCU, case, f"dram_{way}_bytes")

    return both


def _to_prediction(way: str) -> Callable[[Table, Counts, Case], tuple[float | None, float | None]]:
    def both(table: Table, counts: Counts, case: Case) -> tuple[float | None, float | None]:
        wanted = predicted_bytes(table, case)
        if wanted is None or case["cache"] != "cold" or not _substantial(table, case, way):
            return None, None
        return counts.by(PM_SAMPLING, case, f"dram_{way}_bytes"), wanted[way == "write"]

    return both


def _substantial(table: Table, case: Case, way: str) -> bool:
    """A percent of a few bytes says nothing: those of more than a tenth of the case's."""
    all_ways = [float(table.text(case, f"min_{each}_bytes") or 0) for each in ("read", "write")]
    return all_ways[way == "write"] > sum(all_ways) / 10


CHECKS = (
    Check("sectors, to Nsight Compute", SAME_WITHIN, lambda _, counts, case: (counts.sectors(case), _ncu_sectors(counts, case))),
    Check("sectors, to the prediction", SAME_WITHIN, lambda table, counts, case: (counts.sectors(case), predicted_sectors(table, case))),
    Check("bytes from memory, to Nsight Compute", BYTES_WITHIN, _bytes("read")),
    Check("bytes from memory, to the prediction", BYTES_WITHIN, _to_prediction("read")),
    Check("bytes to memory, to Nsight Compute", BYTES_WITHIN, _bytes("write")),
    Check("bytes to memory, to the prediction", BYTES_WITHIN, _to_prediction("write")),
)


def instruments(table: Table, counts: Counts) -> Blocks:
    """PM sampling held against Nsight Compute and the prediction, over the CUDA cases; nothing without its counts."""
    rows: list[list[Cell]] = []
    cases = table.select({"api": "cuda"}) if counts.has(PM_SAMPLING) else []
    for check in CHECKS:
        both = [(case, *check.both(table, counts, case)) for case in cases]
        off = [(seen / wanted - 1, case) for case, seen, wanted in both if seen is not None and wanted]
        if not off:
            continue
        worst = max(off, key=lambda one: abs(one[0]))
        good = sum(abs(each) <= check.within for each, _ in off)
        limit = f"{100 * check.within:.1f}".rstrip("0").rstrip(".")
        cells: list[Cell] = [check.name, str(len(off)), f"{good} within {limit} %", document.fixed(100 * worst[0], 3)]
        rows.append([*cells, worst[1].name(without=["api"])])
    if not rows:
        return []
    header = ["CUDA, PM sampling", "cases:", "agree:", "worst (%):", "case"]
    text = (
        "Bytes: of cold cases that stream from memory. Nsight Compute counts until the kernel ends: what then lies written in the L2 has "
        "not reached memory. PM sampling's count goes on until it is written back."
    )
    return [paragraph("The instrument, checked:"), document.table(header, rows), paragraph(text)]


# --------------------------------------------------------------------------------------------------------------- helpers


def differs(predicted: float | None, counted: float | None) -> bool:
    """A prediction of 0 leaves that kind out: a thread's one store of its sum, say."""
    if not predicted or counted is None:
        return False
    return abs(counted - predicted) > SAME_WITHIN * predicted


def number_text(value: float | None) -> str:
    """Four significant digits and no zeros behind them: 4, 4.98, 1024."""
    return "?" if value is None else f"{value:.4g}" if abs(value) < 9999.5 else f"{value:.0f}"


def _predicted(table: Table, case: Case, kind: str) -> float | None:
    """Sectors of one request."""
    sectors, requests = (table.text(case, f"{kind}_{what}") for what in ("sectors", "requests"))
    return float(sectors) / float(requests) if sectors and float(requests or 0) else None


@lru_cache(maxsize=1 << 14)  # of a case many counts are asked
def _identity(case: Case) -> frozenset[tuple[str, str]]:
    """The parameters that the case has: counters.csv holds several experiments', and leaves out those that none uses."""
    return frozenset((column, value) for column, value in case.cells if value and column != "instrument")


def _twin(table: Table, case: Case) -> Case | None:
    """The Vulkan case that answers a CUDA case."""
    other = case.replace(api="vulkan", mode=TWIN_MODES.get(case["mode"], case["mode"]))
    return other if table.rows(other) else None
