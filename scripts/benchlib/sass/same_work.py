"""Whether the two listings of a twin do the same work, as far as listings tell: what each turn of a loop does with data, the fences, the atomics.

Judged is what has made ratios that say nothing about an API: see FAILURES. All else of a payload is shown. What the source asks for stands in
a comment in the experiment's folder, because both compilers can delete the same work:

    // Per turn of loop_literal, loop_literal_*: imul 64
    // Per turn of message_*: load32 16
    // Per turn of none_*: nothing

Why twins that differ stand beside each other all the same says differs.toml beside it, a table for each reason:

    [[differs]]
    kernels = ["*_acquire_*"]
    in = "another fence"          # of FAILURES
    because = "what an acquire costs in each API is the question"

Names are those of the kernels, with * and ?; the first line that fits counts. What a turn does are names of payload.py, and how many. The turn
is that of the innermost loop that does all of one of them. Accesses count by their bits, load32 4 is load128 1; atomic is any atomic.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import chain
from pathlib import Path

from benchlib.base.errors import InputError
from benchlib.base.kept import kept_last
from benchlib.sass import payload
from benchlib.sass.payload import LoopPayload, Payload
from benchlib.sass.sass import Instruction

DELETED = "deleted work"
POLLS = "merged polls"
FENCE = "another fence"
ATOMIC = "another atomic"
ONE = "a warp's atomics made one"
MATRIX = "another matrix shape"
GENERIC = "generic accesses"
UNROLL = "another unroll factor"
ORDER = "loads on the other side of a barrier"
FAILURES = {
    DELETED: "a compiler has made several turns' arithmetic or accesses one, or left them out",
    POLLS: "a compiler has made several looks at memory one",
    FENCE: "a fence is missing on one side, or has another scope",
    ATOMIC: "the atomics are of another operation, type, scope or memory",
    ONE: "on one side a warp's atomics are added up and made one",
    MATRIX: "the matrix instructions multiply other shapes",
    GENERIC: "one side's loads or stores may be of any memory, the other's are not",
    UNROLL: "a turn of the machine's loop has more loads under way on one side",
    ORDER: "one side's loads stand before what a turn does with shared memory, the other's behind it, where a barrier is waited for first",
}
SIDES = ("CUDA", "Vulkan")

_ACCESS = re.compile(r"(\w*(?:load|store))(\d+)")
_LOOK = re.compile(r"(?:generic_|shared_)?load\d+|(?:shared_)?atomic_\w+")
_WORK = re.compile(r"imul|idot|float|half|double|special|shuffle|barrier|(?:shared_|generic_|local_)?(?:load|store)\d+|(?:shared_)?atomic_\w+|[HIDQO]G?MMA\..*")
_SCOPES = ("fence_sys", "fence_gpu", "fence_cta")
_MOST_UNROLLED = 128  # a counter that advances by more counts bytes or threads, not turns
_MISSING = 0.6  # of a turn's work: less is deleted, more is another sequence for the same


@dataclass(frozen=True)
class Finding:
    failure: str
    text: str

    def __str__(self) -> str:
        return f"{self.failure}: {self.text}"


# ---------------------------------------------------------------------------------------------------- what is asked for

Ask = Mapping[str, int]
_ASK = re.compile(r"^\s*//\s*Per turn of ([^:]+):\s*(.+?)\.?\s*$", re.MULTILINE)
_PART = re.compile(r"([a-zA-Z][\w.]*) (\d+)")


@kept_last(None)
def asks(folder: Path) -> Sequence[tuple[str, Ask]]:
    """Every line's names, each with what it asks for; of the files of an experiment, in the order of their paths. Raises InputError."""
    found = []
    for path in sorted(chain(folder.glob("*.h"), folder.glob("cuda/*.cu*"), folder.glob("glsl/*"))):
        for names, work in _ASK.findall(path.read_text(encoding="utf-8")):
            parts = [] if work == "nothing" else [_PART.fullmatch(part.strip()) for part in work.split(",")]
            if not all(parts):
                raise InputError(f"{path}: 'Per turn of {names}: {work}' is not like 'Per turn of NAME: imul 64, load32 4'")
            asked = {part[1]: int(part[2]) for part in parts if part}
            found += [(name.strip(), asked) for name in names.split(",")]
    return found


def ask_of(found: Iterable[tuple[str, Ask]], kernel: str) -> Ask | None:
    return next((ask for name, ask in found if fnmatchcase(kernel.partition(".")[0], name)), None)


# --------------------------------------------------------------------------------------------------- what is said of it


@dataclass(frozen=True)
class Excuse:
    kernels: tuple[str, ...]
    failure: str
    because: str

    def fits(self, kernel: str, finding: Finding) -> bool:
        return finding.failure == self.failure and any(fnmatchcase(kernel.partition(".")[0], name) for name in self.kernels)


def excuses(folder: Path) -> list[Excuse]:
    """Of an experiment's differs.toml; none without one. Raises InputError."""
    path = folder / "differs.toml"
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))["differs"] if path.is_file() else []
        found = [Excuse(tuple(table["kernels"]), table["in"], table["because"]) for table in tables]
    except (tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise InputError(f"{path}: {error}") from error
    strange = next((one.failure for one in found if one.failure not in FAILURES), None)
    if strange is not None:
        raise InputError(f"{path}: in = {strange!r} is none of {', '.join(FAILURES)}")
    return found


@dataclass(frozen=True)
class Same:
    """No listing shows that the two do different work."""


@dataclass(frozen=True)
class Excused:
    reasons: tuple[str, ...]  # each goes on after "differs because"


@dataclass(frozen=True)
class NotSame:
    differs: tuple[Finding, ...]


def judged(kernel: str, findings: Sequence[Finding], excused: Sequence[Excuse]) -> Same | Excused | NotSame:
    reasons = {finding: next((one.because for one in excused if one.fits(kernel, finding)), None) for finding in findings}
    left = tuple(finding for finding, because in reasons.items() if because is None)
    if left:
        return NotSame(left)
    return Excused(tuple(dict.fromkeys(because for because in reasons.values() if because))) if reasons else Same()


# ------------------------------------------------------------------------------------------------------------ comparing


def findings(folder: Path | None, kernel: str, cuda: Sequence[Instruction], vulkan: Sequence[Instruction]) -> list[Finding]:
    """Of two listings of the experiment in `folder`, whose asks count."""
    asked = asks(folder) if folder else ()
    return compare(payload.of(cuda), payload.of(vulkan), ask_of(asked, kernel))


def as_text(found: Iterable[Finding]) -> str:
    """For a table's cell; as_findings reads it again."""
    return "; ".join(map(str, found))


def as_findings(text: str) -> list[Finding]:
    return [Finding(*part.split(": ", 1)) for part in text.split("; ")] if text else []


def compare(cuda: Payload, vulkan: Payload, ask: Ask | None = None) -> list[Finding]:
    """What the two do not do alike, the worst first."""
    sides = (cuda, vulkan)
    found = _in_loops(sides, ask)
    every = [side.everything for side in sides]
    fences = _sets(FENCE, [_fences(counts) for counts in every])
    found = [*fences, *(one for one in found if one.failure != FENCE or not fences)]
    scoped = [side.qualifiers for side in sides]
    found += _sets(ATOMIC, [_chosen(counts, r"(shared_)?atomic_") for counts in every]) or _sets(ATOMIC, [_chosen(one, "atomic_") for one in scoped])
    found += _sets(MATRIX, [_chosen(counts, r"[HIDQO]G?MMA|UTC") for counts in every])
    generic = [sum(_chosen(counts, "generic_").values()) for counts in every]
    if bool(generic[0]) != bool(generic[1]):
        found.append(Finding(GENERIC, f"{generic[0]} in CUDA, {generic[1]} in Vulkan"))
    if cuda.merged != vulkan.merged:
        found.append(Finding(ONE, f"in {SIDES[vulkan.merged]}"))
    if any(one.failure in (DELETED, POLLS, ONE, MATRIX) for one in found):  # then other loads are no unrolling
        found = [one for one in found if one.failure != UNROLL]
    order = list(FAILURES)
    return sorted(dict.fromkeys(found), key=lambda one: order.index(one.failure))


def _sets(failure: str, counts: Sequence[Mapping[str, float]]) -> list[Finding]:
    """What stands on one side alone, how often it does set aside: how often loops are unrolled is another question."""
    left, right = ({name for name, count in side.items() if count} for side in counts)
    if left == right:
        return []
    return [Finding(failure, f"{', '.join(sorted(left)) or 'none'} in CUDA, {', '.join(sorted(right)) or 'none'} in Vulkan")]


def _chosen(counts: Mapping[str, float], pattern: str) -> dict[str, float]:
    return {name: count for name, count in counts.items() if re.match(pattern, name)}


def _fences(counts: Mapping[str, float]) -> dict[str, float]:
    """Of the fences of a scope that another one's covers, the widest; fence_vc, which Vulkan alone has, is none of them."""
    found = {name: count for name, count in counts.items() if payload.is_fence(name) and count}
    widest = next((scope for scope in _SCOPES if scope in found), None)
    return {name: count for name, count in found.items() if name not in _SCOPES or name == widest}


def _in_loops(sides: Sequence[Payload], ask: Ask | None) -> list[Finding]:
    if ask is None:
        return [finding for pair in _matched(*(side.loops for side in sides)) for finding in _loops(*pair)]
    if not ask:
        steps = [max((loop.step or 1 for loop in side.loops if not _work(loop)), default=0) for side in sides]
        return [Finding(UNROLL, f"of nothing: {steps[0]} turns in CUDA's loop, {steps[1]} in Vulkan's")] if all(steps) and steps[0] != steps[1] else []
    timed = [_timed(side, ask) for side in sides]
    found = []
    for title, side, loop in zip(SIDES, sides, timed):
        counts = side.straight if not loop else loop.rate if (loop.step or 1) <= _MOST_UNROLLED else loop.counts
        for name, wanted in ask.items():
            done = _done(counts, name)
            if done < wanted:
                found.append(Finding(POLLS if _LOOK.fullmatch(name) else DELETED, f"{name} {wanted} asked for, {title} does {done:.3g} per turn"))
    return found + (_fences_of(*timed) + _unrolled(*timed) + _order(*timed) if all(timed) else [])


def _done(counts: Mapping[str, float], name: str) -> float:
    """How often it is done; accesses by their bits, whatever their width."""
    access = _ACCESS.fullmatch(name)
    if not access:
        return sum(_chosen(counts, f"{name}_").values()) if name.endswith("atomic") else counts.get(name, 0)
    bits = sum(count * int(one[2]) for other, count in counts.items() if (one := _ACCESS.fullmatch(other)) and one[1] == access[1])
    return bits / int(access[2])


def _timed(side: Payload, ask: Ask) -> LoopPayload | None:
    """The loop that the line means: the innermost one, and of several the one that does most (the others are its remainders)."""
    within = [loop for loop in side.loops if any(_done(loop.counts, name) >= 1 for name in ask)]
    return max(within, key=lambda loop: (loop.depth, sum(_done(loop.counts, name) for name in ask)), default=None)


def _work(loop: LoopPayload) -> dict[str, int]:
    return {name: count for name, count in loop.counts.items() if count and (_WORK.fullmatch(name) or payload.is_fence(name))}


def _matched(left: Sequence[LoopPayload], right: Sequence[LoopPayload]) -> list[tuple[LoopPayload, LoopPayload]]:
    """Loops of both sides that do the same kinds of things; of the parts of one that was split, those that do most."""

    def families(loops: Sequence[LoopPayload]) -> dict[frozenset[str], LoopPayload]:
        best: dict[frozenset[str], LoopPayload] = {}
        for loop in loops:
            kinds = frozenset(re.sub(r"\d+", "", name) for name in _work(loop))
            if kinds and (kinds not in best or sum(loop.counts.values()) > sum(best[kinds].counts.values())):
                best[kinds] = loop
        return best

    mine, theirs = families(left), families(right)
    return [(mine[kinds], theirs[kinds]) for kinds in mine if kinds in theirs]


def _loops(left: LoopPayload, right: LoopPayload) -> list[Finding]:
    """Without an ask: what one side does less often per turn of the counter; where there is none, per turn of the machine's loop."""
    found = []
    counted = left.step and right.step and left.constant == right.constant
    rates = [loop.rate if counted else loop.counts for loop in (left, right)]
    for name in sorted(name for name in {*_work(left)} & {*_work(right)} if _WORK.fullmatch(name)):
        less, more = sorted(_done(rate, name) for rate in rates)
        if less < _MISSING * more and (counted or (left.ends_by_data and right.ends_by_data and _LOOK.fullmatch(name))):
            failure = POLLS if _LOOK.fullmatch(name) else DELETED
            found.append(Finding(failure, f"{name} {_done(rates[0], name):.3g} per turn in CUDA, {_done(rates[1], name):.3g} in Vulkan"))
    nested = not (left.innermost and right.innermost)  # what an inner loop loads is its own
    return (found or ([] if nested else _unrolled(left, right))) + _fences_of(left, right) + _order(left, right)


def _fences_of(left: LoopPayload, right: LoopPayload) -> list[Finding]:
    """Where both loops' turns are known: as many of each fence."""
    if not (left.step and right.step and left.constant == right.constant):
        return []
    mine, theirs = _fences(left.rate), _fences(right.rate)
    differing = [name for name in mine if name in theirs and mine[name] != theirs[name]]
    return [Finding(FENCE, f"{name} {mine[name]:.3g} per turn in CUDA, {theirs[name]:.3g} in Vulkan") for name in differing]


def _order(left: LoopPayload, right: LoopPayload) -> list[Finding]:
    stand = (left.loads_stand, right.loads_stand)
    return [Finding(ORDER, f"{stand[0]} in CUDA, {stand[1]} in Vulkan")] if {*stand} == {payload.FIRST, payload.LAST} else []


def _unrolled(left: LoopPayload, right: LoopPayload) -> list[Finding]:
    both = sorted(kind for kind in left.in_flight if right.in_flight[kind] and left.in_flight[kind] != right.in_flight[kind])
    return [Finding(UNROLL, f"{left.in_flight[kind]} {kind}s under way in CUDA, {right.in_flight[kind]} in Vulkan") for kind in both]
