"""What each split of the boards does: to an empty pair of stamps, to Vulkan/CUDA of short cold samples, and to the verdicts."""

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence

from benchlib.base.programs import CONTROLS
from benchlib.document import document
from benchlib.document.document import Blocks, Cell, Code, Inline, Verdict, paragraph
from benchlib.model.analysis import Study
from benchlib.model.pairs import Pair, figure_of, judged, pair_ratio, pair_runs, pairs
from benchlib.results import board_states
from benchlib.results.results import API_NAMES, Table
from benchlib.stats import estimate
from benchlib.stats.populations import Medians, Populations
from benchlib.stats.spreads import RATIOS
from benchlib.stats.stats import UNCLEAR, Figure, verdict

STAMPS_NS = 500_000  # of a cold sample: what a pair of stamps adds is a part of it
STAMPS = "stamp_pair"
MIN_BOARDS_OF_SIDE = 2  # of either side, for a verdict of its own
RULE = (
    "A split counts if it shows in 2 % of the cases that could show it and on more than half of the boards that ran such cases (docs/METHOD.md, Several "
    "populations). docs/DESIGN.md says what was known when this rule was made."
)
Runs = Mapping[str, Sequence[float]]


def blocks(study: Study, splits: Sequence[Populations], cases: Sequence[Medians]) -> Blocks:
    """Nothing without a split."""
    parts: Blocks = []
    for number, split in enumerate(splits, start=1):
        separated = sum(split.separates(case) for case in cases)
        parts.append(paragraph(f"Split {number} of {len(splits)}, which {separated} cases show. ", *_boards(study, split, cases), *_stamps(study, split), *_cold(study, split)))
        rows = list(_verdicts(study, split))
        if rows:
            parts.append(paragraph(f"Pairs that have another verdict on either side: {len(rows)} of {sum(1 for _ in _pairs(study))}."))
            parts.append(document.table(["experiment", "pair", "all boards", "first:", "", "second:", ""], rows))
    if splits and (together := at_once(study)):
        parts.append(paragraph(f"Measured at once, on one host: {'; '.join(' and '.join(boards) for boards in together)}."))
    return parts + ([paragraph(RULE)] if splits else [])


def _boards(study: Study, split: Populations, cases: Sequence[Medians]) -> list[Inline]:
    first, second = (", ".join(sorted(group)) for group in (split.first, split.second))
    rest = {board for table in study.tables.values() for board in table.boards if board} - split.first - split.second
    counts = [f"{board} (of {sum(board in case for case in cases)} cases)" for board in sorted(rest)]
    neither = f" In neither, for want of cases that tell the two apart: {', '.join(counts)}." if rest else ""
    return [f"First: {first}. Second: {second}.{neither}"]


def at_once(study: Study) -> list[list[str]]:
    """The boards of one host whose runs overlap in time, as board.csv names the hosts; of boards without that file nothing is known."""
    spans: dict[str, dict[str, list[tuple[str, str]]]] = {}  # by host and board
    for table in study.tables.values():
        for board, run in zip(table.boards, table.runs):
            host = board_states.value(board_states.read(study.directory / "boards" / board), "host") if board else ""
            times = sorted(row["started_at"] for row in run.values() if row.get("started_at"))
            if host and times:
                spans.setdefault(host, {}).setdefault(board, []).append((times[0], times[-1]))
    groups: list[list[str]] = []
    for boards in spans.values():
        for board in sorted(boards):
            met = [group for group in groups if any(each in boards and _overlap(boards[each], boards[board]) for each in group)]
            groups = [group for group in groups if group not in met] + [sorted([board, *(each for group in met for each in group)])]
    return sorted(group for group in groups if len(group) > 1)


def _overlap(one: Sequence[tuple[str, str]], other: Sequence[tuple[str, str]]) -> bool:
    return any(a[0] <= b[1] and b[0] <= a[1] for a in one for b in other)


def _pairs(study: Study) -> Iterator[tuple[Table, Pair]]:
    for table in study.tables.values():
        for pair in pairs(table, {}):
            if pair.case["variant"] not in CONTROLS and pair_ratio(table, pair):
                yield table, pair


def _stamps(study: Study, split: Populations) -> list[Inline]:
    """What an empty pair of stamps reads, by API, on either side."""
    said = []
    for table in study.tables.values():
        for case in table.select({"variant": STAMPS}):
            by_board = table.by_board(table.run_figures(case, "device_ns"))
            sides = [[one.value for board in group for one in by_board.get(board, ())] for group in (split.first, split.second)]
            if all(sides):
                said.append(f"{API_NAMES[case['api']]} {' against '.join(f'{statistics.median(side) / 1000:.2f}' for side in sides)} µs")
        if said:
            break
    return [" An empty pair of stamps (", Code(STAMPS), f") reads {', '.join(dict.fromkeys(said))}."] if said else []


def _cold(study: Study, split: Populations) -> list[Inline]:
    """By how much Vulkan/CUDA of short cold samples, of one launch each, differs."""
    shifts = []
    for table, pair in _pairs(study):
        time = figure_of(table, pair.cuda)
        sides = _sides(pair_runs(table, pair), split)
        if pair.case["cache"] == "cold" and time and time.value < STAMPS_NS and all(sides):
            means = [statistics.fmean(statistics.fmean(runs) for runs in side.values()) for side in sides]
            shifts.append(math.expm1(means[1] - means[0]))
    if not shifts:
        return []
    shift = f"{100 * statistics.median(shifts):+.2f} % on the second ({len(shifts)} pairs, median)"
    return [f" Vulkan/CUDA of cold samples of one launch, under {STAMPS_NS // 1000} µs, is {shift}."]


def _sides(runs: Runs, split: Populations) -> list[dict[str, Sequence[float]]]:
    return [{board: runs[board] for board in sorted(group) if board in runs} for group in (split.first, split.second)]


def _verdicts(study: Study, split: Populations) -> Iterator[list[Cell]]:
    """The pairs on which either side decides, and otherwise."""
    for table, pair in _pairs(study):
        sides = _sides(pair_runs(table, pair), split)
        if any(len(side) < MIN_BOARDS_OF_SIDE for side in sides):
            continue
        spread = table.spread(pair.case, "device_ns", RATIOS)
        if spread is None:
            continue
        found: list[Figure] = []
        for side in sides:
            estimated = estimate.estimate(side, spread)
            found.append(estimated.figure(estimated.half, sum(map(len, side.values()))))
        words = [verdict(figure) for figure in found]
        whole = judged(table, pair)
        if UNCLEAR not in words and words[0] != words[1] and whole:
            cells: list[Cell] = [cell for figure, word in zip(found, words) for cell in (document.ratio(figure), Verdict(word))]
            yield [table.name, pair.case.name(without=["api"]), Verdict(whole.verdict), *cells]
