"""One board's short measurement against a fleet's: whether the board may stay.

Its cases are compared where the fleet has them on the same model and driver, with the same machine code, on enough boards other than
itself. A board fails that is slower, for certain and by fleet.MIN_DEVIATION or more, in a class of cases or in one case; that runs on another
driver or is another model; that has no result of an experiment that the fleet has, or too few cases in common with it; whose rows failed,
or whose state is bad. What is faster is said. Where the fleet is two populations (populations.py), a board is compared with its own.
"""

import dataclasses
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from benchlib.fleet import fleet
from benchlib.fleet.fleet import Entry, Fleet, Key
from benchlib.stats.outliers import MIN_BOARDS_OF_MAD

MIN_COMPARED = 0.5  # of a board's cases: a PASS by fewer would say little

@dataclass
class BoardVerdict:
    board: str
    compared: int = 0  # cases
    measured: int = 0
    failures: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        return not self.failures


def check(baseline: Fleet, node: Fleet, board: str, wanted: Callable[[str], bool] = lambda name: True) -> BoardVerdict:
    """`wanted`: whether the board should have measured an experiment."""
    own = [entry for entry in node.entries.values() if board in entry.boards and wanted(entry.key.experiment)]
    verdict = BoardVerdict(board, measured=len(own), failures=list(node.boards[board].problems))
    _check_experiments(baseline, node, board, wanted, verdict)
    pairs = []
    for entry in own:
        if reference := _alike(baseline, entry):
            # A copy: its id() is that of this comparison.
            pairs.append((fleet.among(reference, reference.boards.keys() - {board}), entry))
    pairs = _with_its_own(baseline, pairs, board, verdict)
    references = {(entry.key, entry.kind): (reference, entry) for reference, entry in pairs if len(reference.boards) >= MIN_BOARDS_OF_MAD}
    verdict.compared = len(references)
    _explain_the_rest(baseline, [entry for entry in own if (entry.key, entry.kind) not in references], verdict)
    sweeps = Counter((entry.kind.sweep, reference.kind.sweep) for reference, entry in references.values())
    for (own_sweep, sweep), number in sorted(sweeps.items()):
        if own_sweep != sweep:
            verdict.notes.append(f"{number} cases of a {own_sweep} run compared with {sweep} runs")
    if not references:
        verdict.failures.append("nothing to compare with the baseline")
        return verdict
    if verdict.compared < MIN_COMPARED * verdict.measured:
        verdict.failures.append("too few cases in common with the baseline: measure it with the same options (--quick has smaller sizes)")
    tested = {id(reference): {board: entry.boards[board]} for reference, entry in references.values()}
    for finding in fleet.judge([reference for reference, _ in references.values()], tested).findings:
        (verdict.failures if finding.stands_out and finding.relative > 0 else verdict.notes).append(sentence(finding))
    return verdict


def _alike(baseline: Fleet, entry: Entry) -> Entry | None:
    """The same case there; of another sweep if there is none of this one."""
    for sweep in dict.fromkeys([entry.kind.sweep, *sorted(baseline.sweeps)]):
        if found := baseline.entries.get((entry.key, dataclasses.replace(entry.kind, sweep=sweep))):
            return found
    return None


def _with_its_own(baseline: Fleet, pairs: list[tuple[Entry, Entry]], board: str, verdict: BoardVerdict) -> list[tuple[Entry, Entry]]:
    """The pairs, each reference that separates two populations cut down to the board's own."""
    for gpu, two in fleet.find_populations(baseline.entries.values()).items():
        mine = two.nearest([(reference.medians, entry.medians[board]) for reference, entry in pairs if entry.kind.gpu == gpu])
        if not mine:
            continue
        separated = {id(reference) for reference, _ in pairs if reference.kind.gpu == gpu and two.separates(reference.medians)}
        pairs = [(fleet.among(reference, mine) if id(reference) in separated else reference, entry) for reference, entry in pairs]
        verdict.notes.append(f"of {gpu}'s two populations here it is of that of {', '.join(sorted(mine - {board}))}: {len(separated)} cases differ")
    return pairs


def sentence(finding: fleet.Deviation) -> str:
    where = f"{finding.experiment} {finding.class_name}"
    amount = f"{100 * abs(finding.relative):.2f} % {'slower' if finding.relative > 0 else 'faster'}"
    if finding.case:
        return f"{where}: {finding.case}: {amount}"
    return f"{where}: {amount} in the middle of {finding.cases} cases, {finding.beyond} of them by {100 * fleet.MIN_DEVIATION:g} % or more"


def _check_experiments(baseline: Fleet, node: Fleet, board: str, wanted: Callable[[str], bool], verdict: BoardVerdict) -> None:
    boards = Counter(name for each in baseline.boards.values() for name in each.experiments)
    needed = {name for name, number in boards.items() if number >= MIN_BOARDS_OF_MAD and wanted(name)}
    if missing := sorted(needed - node.boards[board].experiments):
        verdict.failures.append(f"no result of {', '.join(missing)}")


def _explain_the_rest(baseline: Fleet, entries: list[Entry], verdict: BoardVerdict) -> None:
    """Why a case was not compared."""
    known: dict[Key, list[Entry]] = {}
    for entry in baseline.entries.values():
        known.setdefault(entry.key, []).append(entry)
    reasons: Counter[str] = Counter()
    for entry in entries:
        alike = known.get(entry.key, [])
        for column, name in (("gpu", "model"), ("driver", "driver")):
            there = sorted({getattr(each.kind, column) for each in alike})
            if there and getattr(entry.kind, column) not in there:
                text = f"another {name}: {getattr(entry.kind, column)} here, {', '.join(there)} in the baseline"
                if text not in verdict.failures:
                    verdict.failures.append(text)
                reasons[f"another {name}"] += 1
                break
        else:
            codes = {each.kind.code for each in alike}
            if alike and entry.kind.code not in codes:
                reasons["other machine code there"] += 1
            else:
                reasons["on too few other boards there" if alike else "not in the baseline"] += 1
    verdict.notes += [f"{number} cases not compared: {reason}" for reason, number in reasons.items()]
