"""Two listings of one kernel side by side: which instructions answer each other, and what the others are for."""

import re
from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from benchlib.sass import sass
from benchlib.sass.sass import Instruction

# The names of the differences, the telling ones first.
EXTRA_ACCESS = "memory access"
ACCESS_WIDTH = "access width"
LOAD_KIND = "load kind (CONSTANT)"
LOAD_STRENGTH = "load strength (STRONG)"
STORE_STRENGTH = "store strength (STRONG)"
CACHE_HINT = "cache hint"
BOUNDS_CHECK = "bounds check"
DESCRIPTOR_READ = "descriptor read"
PARAMETER_READ = "pointer parameter read"
ADDRESS = "64-bit address arithmetic"
MEMORY_DESCRIPTOR = "memory descriptor read"
CONSTANT_READ = "constant read"
COMPARE = "compare"
GUARD = "predicate"
CONTROL = "control flow"
BARRIER = "barrier"
FENCE = "fence"
STACK = "stack pointer set-up"
THREAD_INDEX = "thread index"
MOVE = "register move"
ARITHMETIC = "arithmetic"
FORM = "opcode form"
UNKNOWN = "unknown opcode"
NAMES = [
    EXTRA_ACCESS, ACCESS_WIDTH, LOAD_KIND, LOAD_STRENGTH, STORE_STRENGTH, CACHE_HINT, BOUNDS_CHECK, DESCRIPTOR_READ,
    PARAMETER_READ, ADDRESS, MEMORY_DESCRIPTOR, CONSTANT_READ, COMPARE, GUARD, CONTROL, BARRIER, FENCE, STACK,
    THREAD_INDEX, MOVE, ARITHMETIC, FORM, UNKNOWN,
]  # fmt: skip
COLUMNS = {name: re.sub(r"\W+", "_", name.lower()).strip("_") for name in NAMES}
# What sass_twins.csv has in figures, a row a pair.
FIGURES = ["cuda_instructions", "vulkan_instructions", "same_memory", "same_opcodes", *COLUMNS.values()]
_PLURALS = {
    EXTRA_ACCESS: "memory accesses", LOAD_KIND: "CONSTANT loads", LOAD_STRENGTH: "STRONG loads",
    STORE_STRENGTH: "STRONG stores", ADDRESS: "64-bit address instructions", ARITHMETIC: "arithmetic instructions",
    CONTROL: "control-flow instructions", STACK: "stack pointer set-ups", THREAD_INDEX: "thread index reads",
    GUARD: "predicated instructions", FORM: "other opcode forms",
}  # fmt: skip
_SINGULARS = {plural_of: plural.removesuffix("s") for plural_of, plural in _PLURALS.items()}
_SINGULARS[EXTRA_ACCESS] = "memory access"

# Where a difference is between two instructions that answer each other, and neither has more of anything.
BETWEEN_TWO = (ACCESS_WIDTH, FORM)

_MOST_CELLS = 4_000_000  # of the alignment's table: beyond, by runs, which takes seconds for 100,000 instructions and aligns less well


@dataclass(frozen=True)
class ListingSide:
    """One API's listing of the kernel; the instructions carry their roles."""

    title: str  # CUDA, Vulkan
    instructions: Sequence[Instruction]
    descriptors: bool = False  # buffers come from descriptors


@dataclass
class AlignedPair:
    left: Instruction | None
    right: Instruction | None
    names: list[str] = field(default_factory=list)  # of what differs
    moved: bool = False  # the other side has the same instruction elsewhere

    @property
    def mark(self) -> str:
        if self.left is None:
            return ">"
        if self.right is None:
            return "<"
        return "|" if self.names else " "


@dataclass
class Difference:
    sides: tuple[ListingSide, ListingSide]
    rows: list[AlignedPair]
    counts: dict[str, tuple[int, int]]  # by name: instructions with it on the left, on the right

    @property
    def same_memory(self) -> bool:
        """The same loads, stores and atomics: how many of each kind and width."""
        return _memory(self.sides[0]) == _memory(self.sides[1])

    @property
    def same_opcodes(self) -> bool:
        """The same opcodes, modifiers included, in whatever order."""
        left, right = (Counter(i.opcode for i in side.instructions) for side in self.sides)
        return left == right


# ----------------------------------------------------------------------------------------------------------- alignment

# The same operation in two forms: on the uniform datapath or not, by the adder or by the multiplier.
_FAMILIES = {
    "ULDC": "LDC", "LDCU": "LDC", "S2UR": "S2R", "CS2R": "S2R", "VIADD": "IADD3", "IADD": "IADD3", "UBRA": "BRA",
    "UIADD3": "IADD3", "UIMAD": "IMAD", "ULEA": "LEA", "UISETP": "ISETP", "ULOP3": "LOP3", "USHF": "SHF", "USEL": "SEL",
    "UPRMT": "PRMT", "UPLOP3": "PLOP3",
}  # fmt: skip
_INTERCHANGEABLE = {"address", "move", "constant_load", "special"}


class Traits(NamedTuple):
    """All of an instruction that decides which others answer it."""

    kind: str
    opcode: str
    roles: frozenset[str]

    @property
    def family(self) -> str:
        base, *modifiers = self.opcode.split(".")
        if self.kind == "move":
            return "MOV"
        if base == "IMAD" and "IADD" in modifiers:
            return "IADD3"
        if base == "IMAD" and "SHL" in modifiers:
            return "SHF"
        return _FAMILIES.get(base, base)


def traits(instruction: Instruction) -> Traits:
    return Traits(sass.kind(instruction), instruction.opcode, instruction.roles)


def likeness(a: Traits, b: Traits) -> int:
    """How well two instructions answer each other; 0: not at all. Loads and stores are what the rest is there for."""
    if a.kind != b.kind or (sass.LIMIT in a.roles) != (sass.LIMIT in b.roles):
        return 0
    same_role = a.roles - {sass.CONSTANT_COMPARE} == b.roles - {sass.CONSTANT_COMPARE}
    weight = 10 if a.kind in sass.MEMORY else 0
    if a.opcode == b.opcode:
        return weight + (6 if same_role else 3)
    if a.family == b.family:
        return weight + (4 if same_role else 2)
    return 1 if a.kind in _INTERCHANGEABLE else 0


class Matching(NamedTuple):
    """What decides which instructions answer each other."""

    traits: Callable[[Any], Any]  # of an instruction; they have a `family`
    likeness: Callable[[Any, Any], int]  # of two traits; 0: they do not answer each other


_SASS = Matching(traits, likeness)


def _scores(left: Sequence[Any], right: Sequence[Any], by: Matching) -> list[dict[int, int]]:
    """For each left[i] the right[j] that answer it, and how well. Instructions outnumber their traits by far: each pair of those once."""
    places: dict[Any, list[int]] = {}
    for j, instruction in enumerate(right):
        places.setdefault(by.traits(instruction), []).append(j)
    lefts = [by.traits(a) for a in left]
    rows = {a: {j: score for b, at in places.items() if (score := by.likeness(a, b)) for j in at} for a in set(lefts)}
    return [rows[a] for a in lefts]


def align(left: Sequence[Any], right: Sequence[Any], by: Matching = _SASS) -> list[AlignedPair]:
    """Both listings in their order, the best-matching instructions beside each other (Needleman and Wunsch 1970, gaps free)."""
    return (_align if len(left) * len(right) <= _MOST_CELLS else _align_by_blocks)(left, right, by)


def _align(left: Sequence[Any], right: Sequence[Any], by: Matching = _SASS) -> list[AlignedPair]:
    n = len(right)
    scores = _scores(left, right, by)
    # best[i][k]: of left[i:] with the last k of the right. It never falls with k.
    best = [[0] * (n + 1)] * (len(left) + 1)
    for i in range(len(left) - 1, -1, -1):
        below = best[i + 1]
        row = best[i] = below.copy()
        for j, score in scores[i].items():  # the other cells are the greater one of their neighbours
            value = below[n - j - 1] + score
            if value > row[n - j]:
                end = bisect_left(row, value, n - j)
                row[n - j : end] = [value] * (end - n + j)
    rows, i, j = [], 0, 0
    while i < len(left) and j < n:
        score = scores[i].get(j, 0)
        if score and best[i][n - j] == best[i + 1][n - j - 1] + score:
            rows.append(AlignedPair(left[i], right[j]))
            i, j = i + 1, j + 1
        elif best[i][n - j] == best[i + 1][n - j]:
            rows.append(AlignedPair(left[i], None))
            i += 1
        else:
            rows.append(AlignedPair(None, right[j]))
            j += 1
    return rows + [AlignedPair(a, None) for a in left[i:]] + [AlignedPair(None, b) for b in right[j:]]


def _align_by_blocks(left: Sequence[Any], right: Sequence[Any], by: Matching = _SASS, cells: int | None = None) -> list[AlignedPair]:
    """The same in time that grows with the lengths: where the sides' runs of instructions answer one another they are laid beside each other,
    longest runs first, and what lies between two of them is aligned as above, cut where it is too long for the `cells` that are left.
    """
    families = [[by.traits(i).family for i in side] for side in (left, right)]
    rows: list[AlignedPair] = []
    at = [0, 0]
    gaps: list[tuple[int, int, int, int]] = []
    runs = [*_runs(families[0], families[1]), (len(left), len(right), 0)]
    for i, j, length in runs:
        gaps.append((at[0], i, at[1], j))
        at = [i + length, j + length]
    most = cells or _MOST_CELLS
    wanted = sum((i2 - i1) * (j2 - j1) for i1, i2, j1, j2 in gaps)
    for (i1, i2, j1, j2), (i, j, length) in zip(gaps, runs):
        pieces = -(-wanted // most) if (i2 - i1) * (j2 - j1) > most // len(gaps) else 1
        pieces = min(pieces, max(i2 - i1, j2 - j1, 1))
        cuts = [(i1 + (i2 - i1) * n // pieces, j1 + (j2 - j1) * n // pieces) for n in range(pieces + 1)]
        for (a, b), (c, d) in zip(cuts, cuts[1:]):
            rows += _align(left[a:c], right[b:d], by)
        rows += [AlignedPair(a, b) for a, b in zip(left[i : i + length], right[j : j + length])]
    return rows


_RUNS = (64, 16, 4)  # instructions that must agree, one after the other


def _runs(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int, int]]:
    """Equal stretches in the order of both: where each begins on the left and on the right, and its length. A stretch is found by what stands in it
    as often on the left as on the right, beginning with the longest; the n-th is the n-th's (as in patience diff, where each is there once).
    """
    found: list[tuple[int, int, int]] = []
    todo = [(0, len(left), 0, len(right), 0)]
    while todo:
        i1, i2, j1, j2, depth = todo.pop()
        start = 0
        while i1 + start < i2 and j1 + start < j2 and left[i1 + start] == right[j1 + start]:
            start += 1
        end = 0
        while i1 + start < i2 - end and j1 + start < j2 - end and left[i2 - end - 1] == right[j2 - end - 1]:
            end += 1
        found += [(i, j, length) for i, j, length in ((i1, j1, start), (i2 - end, j2 - end, end)) if length]
        i1, i2, j1, j2 = i1 + start, i2 - end, j1 + start, j2 - end
        if depth == len(_RUNS) or i1 == i2 or j1 == j2:
            continue
        anchors = _anchors(left[i1:i2], right[j1:j2], _RUNS[depth])
        edges = [(i1, j1), *((i1 + i, j1 + j) for i, j in anchors), (i2, j2)]
        todo += [(a, c, b, d, depth + (not anchors)) for (a, b), (c, d) in zip(edges, edges[1:])]
    return sorted(found)


def _anchors(left: Sequence[str], right: Sequence[str], length: int) -> list[tuple[int, int]]:
    """Where the same `length` instructions begin on both sides, rising on both."""
    places: tuple[dict[tuple[str, ...], list[int]], ...] = ({}, {})
    for of_side, side in zip(places, (left, right)):
        for at in range(len(side) - length + 1):
            of_side.setdefault(tuple(side[at : at + length]), []).append(at)
    pairs = sorted(
        pair for run, at in places[0].items() if len(at) == len(there := places[1].get(run, ())) for pair in zip(at, there)
    )
    # The longest rising subsequence of the right's places (Schensted 1961).
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for index, (_, j) in enumerate(pairs):
        at = bisect_left(ends, j)
        before.append(last[at - 1] if at else -1)
        ends[at : at + 1], last[at : at + 1] = [j], [index]
    rising, index = [], last[-1] if last else -1
    while index >= 0:
        rising.append(pairs[index])
        index = before[index]
    return rising[::-1]


# -------------------------------------------------------------------------------------------------------------- naming


def compare(left: ListingSide, right: ListingSide) -> Difference:
    rows = align(left.instructions, right.instructions)
    counts: dict[str, list[int]] = {}

    def note(row: AlignedPair, name: str, on_left: int, on_right: int) -> None:
        if name not in row.names:
            row.names.append(name)
        total = counts.setdefault(name, [0, 0])
        total[0] += on_left
        total[1] += on_right

    for row in rows:
        if row.left and row.right:
            for name, on_left, on_right in _pair_names(row.left, row.right, (left, right)):
                note(row, name, on_left, on_right)
    lefts = [row for row in rows if row.right is None]
    rights = [row for row in rows if row.left is None]
    # First what is the same but for its place, then what differs in its modifiers too.
    for same in (lambda a, b: a.opcode == b.opcode, lambda a, b: a.family == b.family):
        for row, other in _moved_pairs(lefts, rights, same):
            row.moved = other.moved = True
            for name, on_left, on_right in _pair_names(row.left, other.right, (left, right)):
                note(row, name, on_left, on_right)
                other.names.append(name)
    for row in [*lefts, *rights]:
        for name in [] if row.moved else _single_names(row.left, left) if row.left else _single_names(row.right, right):
            note(row, name, int(row.right is None), int(row.left is None))
    ordered = {name: (counts[name][0], counts[name][1]) for name in NAMES if name in counts}
    return Difference((left, right), rows, ordered)


def _moved_pairs(
    lefts: Sequence[AlignedPair], rights: Sequence[AlignedPair], same: Callable[[Traits, Traits], bool]
) -> Iterator[tuple[AlignedPair, AlignedPair]]:
    """Each row of the left with the first of the right that answers it and is not taken yet."""
    waiting: dict[Traits, deque[int]] = {}
    for index, row in enumerate(rights):
        if row.right and not row.moved:
            waiting.setdefault(traits(row.right), deque()).append(index)
    answers: dict[Traits, list[deque[int]]] = {}
    for row in lefts:
        if row.moved or not row.left:
            continue
        wanted = traits(row.left)
        if wanted not in answers:
            answers[wanted] = [queue for other, queue in waiting.items() if _answers(wanted, other) and same(wanted, other)]
        queues = [queue for queue in answers[wanted] if queue]
        if queues:
            yield row, rights[min(queues, key=lambda queue: queue[0]).popleft()]


def _answers(a: Traits, b: Traits) -> bool:
    # An add may read the address itself or find it in a register; a load of something else is another load.
    ignored = {sass.POINTER} if a.kind == "address" else set()
    return likeness(a, b) > 0 and a.roles - ignored == b.roles - ignored


def _pair_names(a: Instruction, b: Instruction, sides: tuple[ListingSide, ListingSide]) -> list[tuple[str, int, int]]:
    """What differs between two instructions that answer each other: name, on the left, on the right."""
    found: list[tuple[str, int, int]] = []
    origins = [_pointer_name(side) if sass.POINTER in i.roles else "" for i, side in zip((a, b), sides)]
    if origins[0] != origins[1]:
        found += [(name, int(not index), index) for index, name in enumerate(origins) if name]
    sort = sass.kind(a)
    if sort in sass.MEMORY:
        if sass.width(a) != sass.width(b):
            found.append((ACCESS_WIDTH, 1, 1))
        strength = STORE_STRENGTH if sort.endswith("store") else LOAD_STRENGTH
        for name, of in ((LOAD_KIND, sass.is_constant_kind), (strength, sass.strength), (CACHE_HINT, sass.cache_hints)):
            if of(a) != of(b):
                found.append((name, int(bool(of(a))), int(bool(of(b)))))
    if not found and a.opcode != b.opcode:
        found.append((FORM, 1, 1))
    if bool(a.predicate) != bool(b.predicate):
        found.append((GUARD, int(bool(a.predicate)), int(bool(b.predicate))))
    return found


def _pointer_name(side: ListingSide) -> str:
    return DESCRIPTOR_READ if side.descriptors else PARAMETER_READ


_NAME_OF_KIND = {
    "constant_load": CONSTANT_READ, "address": ADDRESS, "compare": COMPARE, "branch": CONTROL, "barrier": BARRIER,
    "fence": FENCE, "special": THREAD_INDEX, "move": MOVE, "unknown": UNKNOWN,
}  # fmt: skip


def _single_names(instruction: Instruction, side: ListingSide) -> list[str]:
    """What an instruction that nothing answers is for."""
    sort, roles = sass.kind(instruction), instruction.roles
    if sort in sass.MEMORY or sort == "async_copy":
        return [EXTRA_ACCESS]
    if sort == "compare":
        # The twins run the same algorithm: a further compare with a value from the driver's constant bank is the driver's.
        return [BOUNDS_CHECK if sass.LIMIT in roles or (side.descriptors and sass.CONSTANT_COMPARE in roles) else COMPARE]
    if sass.STACK in roles:
        return [STACK]
    if sass.MEMORY_DESCRIPTOR in roles:
        return [MEMORY_DESCRIPTOR]
    names = [ADDRESS] if sort == "address" else []
    if sass.POINTER in roles:
        return [_pointer_name(side), *names]
    return names or [_NAME_OF_KIND.get(sort, ARITHMETIC)]


# ------------------------------------------------------------------------------------------------------------- reports


def _memory(side: ListingSide) -> Counter[tuple[str, int]]:
    return Counter((sass.kind(i), sass.width(i)) for i in side.instructions if sass.kind(i) in sass.MEMORY)


def _memory_text(side: ListingSide) -> str:
    found = sorted(_memory(side).items(), key=lambda item: (sass.MEMORY.index(item[0][0]), item[0][1]))
    parts = [f"{number} x {f'{bits}-bit ' if bits else ''}{sort.replace('_', ' ')}{'' if bits else ' of unknown width'}" for (sort, bits), number in found]
    return ", ".join(parts) or "none"


def _quantity(name: str, number: int) -> str:
    singular = _SINGULARS.get(name, name)
    return f"{number} {singular if number == 1 else _PLURALS.get(name, name + 's')}"


def summary(difference: Difference) -> str:
    """One line: the lengths, the loads and stores, what either side has more of, and what is the same in another form."""
    left, right = difference.sides
    if difference.same_opcodes and not difference.counts:
        return f"the same {len(left.instructions)} instructions; same loads and stores ({_memory_text(left)})"
    lengths = f"{left.title} {len(left.instructions)}, {right.title} {len(right.instructions)} instructions"
    if difference.same_memory:
        memory = f"same loads and stores ({_memory_text(left)})"
    else:
        memory = f"different loads and stores ({left.title}: {_memory_text(left)}; {right.title}: {_memory_text(right)})"
    parts = [lengths, memory]
    for side, sign in ((right, 1), (left, -1)):
        more = [(name, sign * (b - a)) for name, (a, b) in difference.counts.items() if sign * (b - a) > 0]
        if more:
            items = [_quantity(name, number) for name, number in more]
            listed = items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"
            parts.append(f"{side.title} has {listed} more")
    forms, _ = difference.counts.get(FORM, (0, 0))
    if forms:
        parts.append(f"{forms} {'instruction has' if forms == 1 else 'instructions have'} another form")
    return "; ".join(parts)
