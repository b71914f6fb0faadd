"""What is shown of a fleet: its boards, those that stand out, what could not be compared."""

import math
from collections.abc import Collection, Sequence

from benchlib.base import console
from benchlib.document import document
from benchlib.fleet import fleet
from benchlib.results import board_states
from benchlib.results.board_states import StateRow
from benchlib.document.document import NONE, Block, Blocks, Cell, fixed, paragraph
from benchlib.fleet.fleet import Board, Deviation, Fleet, FleetFindings, Separated
from benchlib.stats.formats import sig
from benchlib.stats.outliers import MIN_BOARDS_OF_MAD
from benchlib.stats.populations import MIN_GAP

STANDS_OUT, DIFFERS, LIKE_THE_OTHERS, WRONG, NOT_COMPARED = "stands out", "differs", "like the others", "wrong", "not compared"
TWO_POPULATIONS = "Two populations of boards"
LISTED = 12  # single cases of a board
CSV_COLUMNS = [
    "experiment", "case", "api", "class", "gpu", "driver", "code", "run", "boards", "runs", "median_ns", "mad_pct", "slowest", "slowest_pct",
    "fastest", "fastest_pct", "differs",
]  # fmt: skip


def verdict(judged: FleetFindings, board: Board) -> str:
    if board.problems:
        return WRONG
    findings = judged.of(board.name)
    if any(finding.stands_out for finding in findings):
        return STANDS_OUT
    if findings:
        return DIFFERS
    compared = any(board.name in entry.boards for entry in judged.compared)
    return LIKE_THE_OTHERS if compared else NOT_COMPARED


def verdicts(found: Fleet, judged: FleetFindings) -> dict[str, str]:
    return {name: verdict(judged, board) for name, board in sorted(found.boards.items())}


def percent(relative: float) -> str:
    return f"{100 * relative:+.2f} %"


def blocks(found: Fleet, judged: FleetFindings) -> Blocks:
    parts: Blocks = [paragraph(reading(judged)), board_table(found, judged), *comparability(found)]
    if judged.separated:
        parts += [document.heading(TWO_POPULATIONS), *populations_blocks(judged.separated, judged.cases)]
    parts += [document.heading("What stands out, and what differs"), findings_table(judged)]
    problems = [*found.problems, *(f"{board.name}: {text}" for board in found.boards.values() for text in board.problems)]
    if problems:
        parts += [document.heading("What is wrong"), document.Bullets(tuple((console.plain(text),) for text in problems))]
    return parts


def reading(judged: FleetFindings) -> str:
    return (
        f"A board's value of a case is the median over its runs. {judged.cases} cases ran on {MIN_BOARDS_OF_MAD} boards or more of one "
        f"model, driver and machine code. In {100 * fleet.ALPHA:g} of 100 fleets of equal boards one would differ. A board stands out "
        f"where it differs by {100 * fleet.MIN_DEVIATION:g} % or more, be it slower or faster."
    )


# ------------------------------------------------------------------------------------------------------------------ boards


def board_table(found: Fleet, judged: FleetFindings) -> Block:
    header = [
        "board", "verdict", "host", "model", "driver", "commit", "runs:", "cases:", "clock in the runs (MHz):", "clock before and after (MHz):",
        "power (W):", "temperature (C):", "ECC errors, corrected / uncorrected:", "throttle reasons",
    ]  # fmt: skip
    names = verdicts(found, judged)
    return document.table(header, [board_row(board, names[board.name]) for _, board in sorted(found.boards.items())])


def board_row(board: Board, name: str) -> list[Cell]:
    facts = [", ".join(sorted(values)) or NONE for values in (board.hosts, board.gpus, board.drivers, board.revisions)]
    cells: list[Cell] = [board.name, name, *facts, str(len(board.runs)), str(board.statuses["ok"]), fixed(board.sm_mhz, 0)]
    cells += [before_after(board.states, column) for column in ("sm_mhz", "power_w", "temperature_c")]
    ecc = [board_states.value(board.states, column) for column in ("ecc_corrected", "ecc_uncorrected")]
    cells.append(" / ".join(text or "?" for text in ecc) if any(ecc) else NONE)
    bits = 0
    for state in board.states:
        bits |= board_states.reasons(state)
    known = any(state.get("throttle_reasons") for state in board.states)
    cells.append((board_states.reason_names(bits) or "none") if known else NONE)
    return cells


def before_after(states: list[StateRow], column: str) -> str:
    """First and last."""
    texts = [state[column] for state in states if state.get(column)]
    return " to ".join(dict.fromkeys([texts[0], texts[-1]])) if texts else NONE


# ------------------------------------------------------------------------------------------------------------- populations


def populations_blocks(separated: Sequence[Separated], compared: int) -> Blocks:
    """Of `compared` cases those that separate two populations; nothing where each model's boards are one."""
    parts: Blocks = []
    for text, mine in populations_said(separated, compared):
        rows = [population_row(each) for each in _by_experiment(mine)]
        header = ["experiment", "the second is", "cases:", "in the median case:", "at most:", "case"]
        parts += [paragraph(text), document.table(header, rows)]
    return parts


def populations_said(separated: Sequence[Separated], compared: int) -> list[tuple[str, list[Separated]]]:
    """For each model with two populations a sentence or two, and its cases."""
    said = []
    for gpu in sorted({each.entry.kind.gpu for each in separated}):
        mine = [each for each in separated if each.entry.kind.gpu == gpu]
        two = mine[0].populations
        first, second = (", ".join(sorted(group)) for group in (two.first, two.second))
        text = (
            f"{console.plain(gpu)}: the boards are two populations. First: {first}. Second: {second}. In {len(mine)} of {compared} cases every board "
            f"of one is slower than every board of the other by {100 * MIN_GAP:g} % or more: in some the first, in some the second. In these cases a "
            "board is compared with its own population."
        )
        said.append((text, mine))
    return said


def _by_experiment(separated: Sequence[Separated]) -> list[list[Separated]]:
    """By experiment, those in which the second is slower, then the others; the largest first."""
    groups: dict[tuple[str, bool], list[Separated]] = {}
    for each in sorted(separated, key=lambda each: -abs(each.relative)):
        groups.setdefault((each.entry.key.experiment, each.relative < 0), []).append(each)
    return [groups[key] for key in sorted(groups)]


def population_row(cases: Sequence[Separated]) -> list[Cell]:
    most, middle = cases[0], cases[len(cases) // 2]
    word = "slower" if most.relative > 0 else "faster"
    figures = [percent(each.relative) for each in (middle, most)]
    return [most.entry.key.experiment, word, str(len(cases)), *figures, f"{most.entry.name} {most.entry.api}"]


# ---------------------------------------------------------------------------------------------------------------- findings


def findings_table(judged: FleetFindings) -> Block:
    rows: list[list[Cell]] = []
    for board in sorted({finding.board for finding in judged.findings}):
        mine = judged.of(board)
        classes = [finding for finding in mine if not finding.case]
        cases = sorted((finding for finding in mine if finding.case), key=lambda each: -abs(each.score.deviation))
        rows += [finding_row(finding) for finding in [*classes, *cases[:LISTED]]]
        if len(cases) > LISTED:
            rows.append([board, "", f"and {len(cases) - LISTED} more cases", "", "", "", "see fleet.csv"])
    header = ["board", "", "experiment, class", "against the boards' median:", "cases:", "of them beyond 1 %:", "case, or the largest of them"]
    return document.table(header, rows) if rows else paragraph("Nothing.")


def finding_row(finding: Deviation) -> list[Cell]:
    where = f"{finding.experiment}, {finding.class_name}"
    which = finding.case or (finding.largest[0] if finding.largest else NONE)
    mark = STANDS_OUT if finding.stands_out else DIFFERS
    return [finding.board, mark, where, percent(finding.relative), str(finding.cases), str(finding.beyond), which]


def number(boards: Collection[str]) -> str:
    return f"{len(boards)} board{'s' * (len(boards) != 1)}"


def comparability(found: Fleet) -> Blocks:
    """What was not compared, and why."""
    items = []
    groups = found.groups
    for (gpu, driver), boards in sorted(groups.items()):
        few = f", fewer than {MIN_BOARDS_OF_MAD}: which one is odd cannot be told, none is judged" if len(boards) < MIN_BOARDS_OF_MAD else ""
        if len(groups) > 1 or few:
            items.append(f"{gpu}, driver {driver}: {number(boards)} ({', '.join(sorted(boards))}){few}.")
    if len(groups) > 1:
        items.append("Boards of different models or drivers are not compared.")
    if len(found.sweeps) > 1:
        items.append(f"Runs of different sweeps are compared apart: {', '.join(sorted(found.sweeps))}.")
    if codes := found.several_codes:
        listed = ", ".join(f"{number} of {name}" for name, number in sorted(codes.items()))
        items.append(f"Cases with other machine code, or without a hash on another commit, are compared apart: {listed}.")
    once = [board.name for board in found.boards.values() if len(board.runs) == 1]
    if once:
        items.append(
            f"One run: {', '.join(sorted(once))}. What moves from run to run cannot be told from what the board is, but in the middle of "
            "many cases."
        )
    stateless = sorted(board.name for board in found.boards.values() if not any(state.get("name") for state in board.states))
    if stateless:
        items.append(f"No state (clock, power, temperature, ECC errors, throttle reasons) was written by nvidia-smi: {', '.join(stateless)}.")
    return [document.Bullets(tuple((console.plain(item),) for item in items))] if items else []


# --------------------------------------------------------------------------------------------------------------------- CSV


def csv_rows(found: Fleet, judged: FleetFindings) -> list[list[str]]:
    """A row a case and kind of boards, on however few."""
    by_case: dict[tuple[str, str], list[Deviation]] = {}
    for finding in judged.findings:
        for case in finding.largest:
            by_case.setdefault((finding.experiment, case), []).append(finding)
    rows = []
    for entry in sorted(found.entries.values(), key=lambda each: (each.key.experiment, each.name, each.api)):
        medians = entry.medians
        scale = judged.scales.get(id(entry))
        ordered = sorted(medians, key=lambda board: medians[board])
        center = math.log(entry.ns)
        ends = [cell for board in (ordered[-1], ordered[0]) for cell in (board, f"{100 * math.expm1(medians[board] - center):+.3f}")]
        findings = [each for each in by_case.get((entry.key.experiment, f"{entry.name} {entry.api}"), []) if each.board in medians]
        differs = " ".join(dict.fromkeys(f"{each.board}:{100 * math.expm1(medians[each.board] - center):+.2f}%" for each in findings))
        rows.append([
            entry.key.experiment, entry.name, entry.api, entry.class_name, entry.kind.gpu, entry.kind.driver, entry.kind.code,
            entry.kind.sweep, str(len(medians)), str(sum(map(len, entry.boards.values()))), sig(entry.ns, 6),
            f"{100 * scale.mad:.4f}" if scale else "", *ends, differs,
        ])  # fmt: skip
    return rows
