"""Counted and predicted traffic in tables: how many predictions the counters bear out, and each that they do not, with its reason."""

from collections.abc import Sequence

from benchlib.document import document
from benchlib.document.document import NONE, Block, Blocks, Cell, paragraph
from benchlib.model.analysis import Study
from benchlib.model.hardware_counts import CHECKS, KINDS, NOT_COUNTED, SAME_WITHIN, TWINS_WITHIN, Counts, differs, load, load_any
from benchlib.model.listed_code import code_of_twins
from benchlib.model.hardware_counts import predicted_per_request, predicted_sectors, vulkan_twin
from benchlib.results.counters_file import NCU, PM_SAMPLING
from benchlib.results.results import API_NAMES, APIS, WITH_ALL_CHECKS, Case, Table

EXACT = 1e-5  # counters.csv has six digits

EXPLANATION = paragraph(
    "Counted: by CUPTI's PM sampling, both APIs, loads and stores together. A sum (16 + 4) was counted by Nsight Compute, CUDA alone."
)
COUNTS_HEADER = [f"counted, {name}:" for name in API_NAMES.values()]


def count_cell(counts: Counts, case: Case | None) -> Cell:
    """Of a warp: `20`, or `16 + 4` where only Nsight Compute counted."""
    seen = counts.per_warp(case) if case else []
    return NONE if not seen else NOT_COUNTED if all(one is None for one in seen) else " + ".join(map(number_text, seen))


def count_cells(counts: Counts, sides: Sequence[Case | None]) -> list[Cell]:
    return [count_cell(counts, side) for side in sides]


def explained(counts: Counts | None) -> Blocks:
    return [EXPLANATION] if counts else []


def counted_comparison(found: Study, table: Table) -> Blocks:
    """How many predictions the counters bear out in either API, and every one that they do not; nothing where nothing was counted."""
    counts = load_any(found, table)
    if counts is None:
        return []
    sampled, predicted = counts.has(PM_SAMPLING), load(found, table) is not None
    parts = _both_apis(found, table, counts) if sampled else []
    if predicted:
        parts += [] if sampled else [paragraph(f"Vulkan: {NOT_COUNTED}.")]
        parts += _by_request(table, counts) if counts.has(NCU) else []
        parts += instruments(table, counts)
    return parts


# The paths on which both APIs' sectors are counted.
PATHS = {"l1_sectors": "through the L1", "sm_l2_sectors": "from the SMs to the L2"}


def _both_apis(found: Study, table: Table, counts: Counts) -> Blocks:
    """Predicted = counted, a row an API; and of all pairs each kernel whose count is another."""
    rows: list[list[Cell]] = []
    exceptions: list[list[Cell]] = []
    pairs = [(case, other) for case in table.select({**WITH_ALL_CHECKS, "api": "cuda"}) if (other := vulkan_twin(table, case))]
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
    executed = [tuple(counts.by(PM_SAMPLING, side, "instructions") for side in pair) for pair in pairs]
    if any(None not in pair for pair in executed):
        rows.append(["Vulkan, to CUDA, instructions executed", *_tally(len(pairs), [(cuda, vulkan) for cuda, vulkan in executed])])
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


def _by_request(table: Table, counts: Counts) -> Blocks:
    """Sectors of one request: a grid's last warp, and the elements that an offset leaves out, drop out of it."""
    summary: list[list[Cell]] = []
    exceptions: list[list[Cell]] = []
    for kind in KINDS:
        cases = table.select({"api": "cuda"})  # without checks it is the same kernel
        predicted = [(case, per_request) for case in cases if (per_request := predicted_per_request(table, case, kind))]
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


def number_text(value: float | None) -> str:
    """Four significant digits and no zeros behind them: 4, 4.98, 1024."""
    return "?" if value is None else f"{value:.4g}" if abs(value) < 9999.5 else f"{value:.0f}"
