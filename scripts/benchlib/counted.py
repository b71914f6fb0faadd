"""What Nsight Compute counted (counters.csv), beside the sectors that the access model predicts. Both per warp: 32 elements."""

from __future__ import annotations

from collections.abc import Sequence

from benchlib import markdown
from benchlib.markdown import NONE, escape
from benchlib.results import API_NAMES, TWIN_MODES, Case, Results, Row, Table, number

KINDS = ("load", "store")
WARP = 32
# Of the prediction: a grid's last warp, and the elements that an offset leaves out, are in the count.
SAME_WITHIN = 0.01
EXPLANATION = (
    "Counted: by Nsight Compute, CUDA. *(twin)*: nothing counts Vulkan; the machine code has the same loads and stores as its "
    "CUDA twin's, so this is the twin's count."
)


class Counts:
    """The counted sectors of one experiment's cases."""

    def __init__(self, table: Table, counters: Table, same_code: set[tuple[str, str]]):
        self._table = table
        self._same_code = same_code  # machine code (isa_hash) of CUDA and Vulkan with the same loads and stores
        self._rows = {_identity(case): row for case in counters.cases for row in counters.rows(case)}

    def per_warp(self, case: Case, kind: str) -> float | None:
        """A CUDA case's sectors in loads or stores, for 32 elements."""
        row = self._rows.get(_identity(case), {})
        return number(row, f"{kind}_sectors") * WARP / case.elements if row.get(f"{kind}_sectors") and case.elements else None

    def cell(self, case: Case | None, kinds: Sequence[str] = KINDS) -> str:
        """`16 + 4`; a Vulkan case's is its twin's, and says so."""
        if case is None:
            return NONE
        source = case if case["api"] == "cuda" else self._cuda_twin(case)
        counts = [self.per_warp(source, kind) if source else None for kind in kinds]
        if all(count is None for count in counts):
            return NONE
        text = " + ".join(number_text(count) for count in counts)
        return text if source == case else f"{text} (twin)"

    def cells(self, sides: Sequence[Case | None], kinds: Sequence[str] = KINDS) -> list[str]:
        return [self.cell(side, kinds) for side in sides]

    def _cuda_twin(self, case: Case) -> Case | None:
        """The CUDA case that a Vulkan case answers, where their machine code accesses memory alike."""
        modes = {theirs: ours for ours, theirs in TWIN_MODES.items()}
        cuda = case.replace(api="cuda", mode=modes.get(case["mode"], case["mode"]))
        codes = (self._table.text(cuda, "isa_hash"), self._table.text(case, "isa_hash"))
        return cuda if codes in self._same_code and self._table.twin(cuda) == case else None


HEADER = [f"counted, {name}:" for name in API_NAMES.values()]


def load(found: Results, table: Table) -> Counts | None:
    """None without counters of this experiment, or where nothing is predicted."""
    if not {f"{kind}_sectors" for kind in KINDS} <= set(table.model):
        return None
    counters = found.auxiliary("counters.csv", table.name)
    return Counts(table, counters, _same_code(found, table.name)) if counters and counters.cases else None


def explained(counts: Counts | None, text: str) -> str:
    return f"{text}\n\n{EXPLANATION}" if counts else text


def comparison(found: Results, table: Table) -> str | None:
    """The cases whose counted sectors are not the predicted ones; None where nothing was counted."""
    counts = load(found, table)
    if counts is None:
        return None
    rows, counted, different = [], 0, 0
    cases = [case for case in table.select({"api": "cuda"}) if any(_predicted(table, case, kind) is not None for kind in KINDS)]
    for case in cases:
        pairs = [(_predicted(table, case, kind), counts.per_warp(case, kind)) for kind in KINDS]
        counted += any(count is not None for _, count in pairs)
        if any(differs(predicted, count) for predicted, count in pairs):
            different += 1
            rows.append([escape(case.name(without=["api"])), *(number_text(value) for pair in pairs for value in pair)])
    summary = f"Sectors per warp. {counted} of {len(cases)} CUDA cases were counted; "
    if not different:
        return f"{summary}none differs from its prediction by more than {SAME_WITHIN:.0%}."
    header = ["case", "loads, predicted:", "loads, counted:", "stores, predicted:", "stores, counted:"]
    return f"{summary}{different} differ from their prediction by more than {SAME_WITHIN:.0%}:\n\n{markdown.table(header, rows)}"


def differs(predicted: float | None, counted: float | None) -> bool:
    """A prediction of 0 leaves that kind out: a thread's one store of its sum, say."""
    if not predicted or counted is None:
        return False
    return abs(counted - predicted) > SAME_WITHIN * predicted


def number_text(value: float | None) -> str:
    """Four significant digits and no zeros behind them: 4, 4.98, 1024."""
    return "?" if value is None else f"{value:.4g}" if abs(value) < 9999.5 else f"{value:.0f}"


def _predicted(table: Table, case: Case, kind: str) -> float | None:
    text = table.text(case, f"{kind}_sectors")
    return float(text) if text else None


def _identity(case: Case) -> frozenset[tuple[str, str]]:
    """The parameters that the case has: counters.csv holds several experiments', and leaves out those that none uses."""
    return frozenset((column, value) for column, value in case.cells if value)


def _same_code(found: Results, experiment: str) -> set[tuple[str, str]]:
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
