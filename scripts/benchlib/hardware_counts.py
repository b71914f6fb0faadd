"""What Nsight Compute counted (counters.csv), beside the sectors that the access model predicts. Both per warp."""

from __future__ import annotations

from collections.abc import Sequence

from benchlib import document
from benchlib.analysis import Study
from benchlib.document import NONE, Block, Blocks, Cell, Emphasis, paragraph
from benchlib.results import API_NAMES, TWIN_MODES, Case, Row, Table, number

KINDS = ("load", "store")
SAME_WITHIN = 0.005  # of the prediction
EXACT = 1e-5  # counters.csv has six digits
EXPLANATION = paragraph(
    "Counted: by Nsight Compute, CUDA. ",
    Emphasis("(twin)"),
    ": nothing counts Vulkan; the machine code has the same loads and stores as its CUDA twin's, so this is the twin's count.",
)


class Counts:
    """The counted sectors of one experiment's cases."""

    def __init__(self, table: Table, counters: Table, same_code: set[tuple[str, str]]):
        self._table = table
        self._same_code = same_code  # machine code (isa_hash) of CUDA and Vulkan with the same loads and stores
        self._rows = {_identity(case): row for case in counters.cases for row in counters.rows(case)}

    def per_warp(self, case: Case, kind: str) -> float | None:
        """A CUDA case's sectors in loads or stores, for the elements that a warp handles."""
        row = self._rows.get(_identity(case), {})
        if not row.get(f"{kind}_sectors") or not case.elements:
            return None
        return number(row, f"{kind}_sectors") * self._table.warp_elements(case) / case.elements

    def value(self, case: Case, column: str) -> float | None:
        """What was counted of a case, or of its twin where nothing counts it; None where neither was."""
        source = case if case["api"] == "cuda" else self._cuda_twin(case)
        row = self._rows.get(_identity(source), {}) if source else {}
        return number(row, column) if row.get(column) else None

    def per_request(self, case: Case, kind: str) -> float | None:
        requests, sectors = (self.value(case, f"{kind}_{what}") for what in ("requests", "sectors"))
        return sectors / requests if requests and sectors is not None else None

    def cell(self, case: Case | None, kinds: Sequence[str] = KINDS) -> Cell:
        """`16 + 4`; a Vulkan case's is its twin's, and says so."""
        if case is None:
            return NONE
        source = case if case["api"] == "cuda" else self._cuda_twin(case)
        counts = [self.per_warp(source, kind) if source else None for kind in kinds]
        if all(count is None for count in counts):
            return NONE
        text = " + ".join(number_text(count) for count in counts)
        return text if source == case else f"{text} (twin)"

    def cells(self, sides: Sequence[Case | None], kinds: Sequence[str] = KINDS) -> list[Cell]:
        return [self.cell(side, kinds) for side in sides]

    def _cuda_twin(self, case: Case) -> Case | None:
        """The CUDA case that a Vulkan case answers, where their machine code accesses memory alike."""
        modes = {theirs: ours for ours, theirs in TWIN_MODES.items()}
        cuda = case.replace(api="cuda", mode=modes.get(case["mode"], case["mode"]))
        codes = (self._table.text(cuda, "isa_hash"), self._table.text(case, "isa_hash"))
        return cuda if codes in self._same_code and self._table.twin(cuda) == case else None


HEADER = [f"counted, {name}:" for name in API_NAMES.values()]


def load(found: Study, table: Table) -> Counts | None:
    """None without counters of this experiment, or where nothing is predicted."""
    return load_any(found, table) if {f"{kind}_sectors" for kind in KINDS} <= set(table.model) else None


def load_any(found: Study, table: Table) -> Counts | None:
    """The same for an experiment without predictions."""
    return found.once(_load, table)


def _load(found: Study, table: Table) -> Counts | None:
    counters = found.auxiliary("counters.csv", table.name)
    return Counts(table, counters, _same_code(found, table.name)) if counters and counters.cases else None


def explained(counts: Counts | None) -> Blocks:
    return [EXPLANATION] if counts else []


def comparison(found: Study, table: Table) -> Blocks:
    """How many predictions the counters bear out, and every one that they do not; nothing where nothing was counted.

    Sectors of one request: a grid's last warp, and the elements that an offset leaves out, drop out of it.
    """
    counts = load(found, table)
    if counts is None:
        return []
    summary: list[list[Cell]] = []
    exceptions: list[list[Cell]] = []
    for kind in KINDS:
        cases = table.select({"api": "cuda"})
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
        paragraph("CUDA cases. A store's count shows noise of a few tenths of a percent on an H200."),
        document.table(header, summary),
    ]
    if exceptions:
        parts.append(document.table(["exception", "kind", "predicted:", "counted:", "reason, from the data"], exceptions))
    else:
        parts.append(paragraph("No exceptions."))
    return parts


def predicted_and_counted(found: Study, table: Table) -> Blocks:
    nothing = paragraph("Nothing was counted: scripts/counters.py does, with Nsight Compute.")
    return found.once(comparison, table) or [nothing]


def _reason(table: Table, counts: Counts, case: Case, kind: str, wanted: float, seen: float) -> str:
    requests, sectors = counts.value(case, f"{kind}_requests"), counts.value(case, f"{kind}_sectors")
    model = float(table.text(case, f"{kind}_requests") or 0)
    warp = table.warp_elements(case)
    per_warp = requests * warp / case.elements if requests and case.elements else 0
    if model and abs(per_warp - model) > SAME_WITHIN * model:
        same = sectors is not None and not differs(wanted * model, sectors * warp / case.elements)
        text = f"{number_text(per_warp)} requests a warp, {number_text(model)} predicted"
        return f"{text}; as many sectors" if same else text
    return f"{100 * abs(seen / wanted - 1):.1f} % {'more' if seen > wanted else 'fewer'} sectors in as many requests"


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


def _identity(case: Case) -> frozenset[tuple[str, str]]:
    """The parameters that the case has: counters.csv holds several experiments', and leaves out those that none uses."""
    return frozenset((column, value) for column, value in case.cells if value)


def _same_code(found: Study, experiment: str) -> set[tuple[str, str]]:
    """The pairs of isa_hash whose listings have the same loads and stores."""
    code, twins = (found.auxiliary(name, experiment) for name in ("sass.csv", "sass_twins.csv"))
    if code is None or twins is None:
        return set()
    hashes: dict[tuple[str, str], set[str]] = {}
    for row in _rows(code):
        hashes.setdefault((row["api"], row["kernel"]), set()).add(row.get("isa_hash", ""))
    same = [row for row in _rows(twins) if row.get("same_memory") == "1"]
    return {
        (ours, theirs)
        for row in same
        for ours in hashes.get(("cuda", row.get("cuda_kernel", "")), ())
        for theirs in hashes.get(("vulkan", row.get("vulkan_kernel", "")), ())
        if ours and theirs
    }


def _rows(table: Table) -> list[Row]:
    return [row for case in table.cases for row in table.rows(case)]
