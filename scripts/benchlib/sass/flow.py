"""How data and control flow through a listing: blocks, natural loops, what each instruction reads and writes, and what a value depends on.

Loops as in Aho, Lam, Sethi, Ullman: Compilers (2006), 9.6; slices as in Weiser: Program Slicing (1981), over data alone.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import TypeVar

from benchlib.base.kept import kept_last, kept_property
from benchlib.sass import sass
from benchlib.sass.sass import Instruction

_REGISTER = re.compile(r"(?<![\w.])(U?R)(\d{1,3})(?![\d\w\[])(\.64)?")
_PREDICATE = re.compile(r"(?<![\w.])(U?P\d)(?!\w)")
_TARGET = re.compile(r"(?<![\w\[])0x([0-9a-f]+)")
_IS_PREDICATE = re.compile(r"U?P(?:\d|T)")
_IS_REGISTER = re.compile(r"U?R(?:\d+|Z)")

STORES = {"STG", "ST", "STS", "STL", "STAS", "STSM"}
LOADS = {"LDG", "LD", "LDS", "LDL", "LDSM"}
ATOMICS = {"ATOMG", "ATOM", "ATOMS", "RED", "REDG", "REDAS"}
CONSTANT_LOADS = {"LDC", "ULDC", "LDCU"}
MATRIX = {"HMMA", "IMMA", "DMMA", "QMMA", "OMMA", "HGMMA", "IGMMA", "QGMMA"}
CROSS_LANE = {"SHFL", "REDUX", "CREDUX", "VOTE", "VOTEU", "MATCH"}
ASYNC = {"LDGSTS", "UBLKCP", "UBLKRED", "UBLKPF", "UTMALDG", "UTMASTG", "UTMAREDG", "UTMAPF", "SYNCS", "ARRIVES"}
COMPARES = {"ISETP", "UISETP", "FSETP", "DSETP", "HSETP2", "PLOP3", "UPLOP3"}
JUMPS = {"BRA", "UBRA", "JMP"}
_NO_TARGET = (
    STORES | JUMPS
    | {"RED", "REDG", "REDAS", "EXIT", "RET", "BAR", "MEMBAR", "CCTL", "CCTLT", "CCTLL", "BSSY", "BSYNC", "NOP", "DEPBAR", "WARPSYNC", "ERRBAR"}
    | {"CGAERRBAR", "CALL", "YIELD", "FENCE", "BPT", "NANOSLEEP", "BREAK", "ENDCOLLECTIVE", "LDGSTS", "UBLKCP", "UTMALDG", "UTMASTG"}
)  # fmt: skip
_ENDS = JUMPS | {"CALL", "EXIT", "RET", "BRX", "JMX", "BPT"}
_DIVERGENCE = {"DIV", "CONV", "ANY"}  # BRA.DIV: where the warp is not whole


@dataclass(frozen=True)
class Use:
    """What one instruction writes and reads, by register and predicate."""

    written: tuple[str, ...]
    address: tuple[str, ...]
    values: tuple[str, ...]
    predicates: tuple[str, ...]

    @property
    def read(self) -> tuple[str, ...]:
        return self.address + self.values + self.predicates


def operands(instruction: Instruction) -> tuple[str, ...]:
    return sass.split_operands(instruction.operands)


def sources(instruction: Instruction) -> list[str]:
    """The operands after the first, without predicates."""
    return [operand for operand in operands(instruction)[1:] if not re.fullmatch(r"!?U?P\w", operand)]


def _registers(text: str, count: int = 1) -> list[str]:
    return [f"{kind}{int(number) + k}" for kind, number, wide in _REGISTER.findall(text) for k in range(max(count, 2 if wide else 1))]


def _count_written(instruction: Instruction) -> int:
    base, modifiers = instruction.base, instruction.modifiers
    if base in LOADS | ATOMICS | CONSTANT_LOADS:
        return max(1, min(sass.width(instruction), 128) // 32)
    if base in ("HGMMA", "IGMMA", "QGMMA"):
        return 128
    if base in MATRIX:
        return 2 if base == "HMMA" and "F16" in modifiers else 4
    if (base in ("IMAD", "UIMAD") and "WIDE" in modifiers) or (base == "CS2R" and "32" not in modifiers) or base in ("DADD", "DMUL", "DFMA"):
        return 2
    return 2 if base in ("I2F", "F2F", "UIADD3") and {"F64", "64"} & {*modifiers} else 1


def _count_read(instruction: Instruction, place: int) -> int:
    base = instruction.base
    if base in STORES | ATOMICS:
        return max(1, min(sass.width(instruction), 256) // 32)
    if base in MATRIX:
        return 4
    wide = base in ("DADD", "DMUL", "DFMA", "DSETP") or (base == "F2F" and "F64" in instruction.modifiers)
    return 2 if wide or (base in ("IMAD", "UIMAD") and "WIDE" in instruction.modifiers and place == 2) else 1


def use(instruction: Instruction) -> Use:
    return _use(instruction.predicate, instruction.opcode, instruction.operands)


@kept_last(1 << 16)
def _use(predicate: str, opcode: str, text: str) -> Use:
    instruction = Instruction(0, predicate, opcode, text)
    base, rest, written = instruction.base, list(sass.split_operands(text)), []
    if base in COMPARES:
        written = [name for operand in rest[:2] for name in _PREDICATE.findall(operand)]
        rest = rest[2:]
    elif base not in _NO_TARGET:
        found = False
        votes = base in ("VOTE", "VOTEU")
        while rest:
            if _IS_PREDICATE.fullmatch(rest[0]) and base not in ("SEL", "FSEL", "USEL") and not (votes and found):
                written += _PREDICATE.findall(rest[0])
            elif not found and _IS_REGISTER.fullmatch(rest[0]):
                written += _registers(rest[0], _count_written(instruction))
                found = True
            else:
                break
            rest = rest[1:]
        if base in LOADS and sass.width(instruction) == 256 and rest and _IS_REGISTER.fullmatch(rest[0]):
            written += _registers(rest.pop(0), 4)
    address, values, predicates = [], [], _PREDICATE.findall(predicate)
    memory = base in LOADS | STORES | ATOMICS | ASYNC
    for place, operand in enumerate(rest):
        predicates += _PREDICATE.findall(operand)
        if memory and "[" in operand:
            address += _registers(operand)
        else:
            values += _registers(operand, _count_read(instruction, place))
    return Use(tuple(written), tuple(address), tuple(values), tuple(predicates))


def is_move(instruction: Instruction) -> bool:
    """What gives on a value, or brings one from a constant bank."""
    base, modifiers = instruction.base, {*instruction.modifiers}
    if base in ("MOV", "UMOV", "R2UR") or base in CONSTANT_LOADS:
        return True
    if base == "CS2R":
        return instruction.operands.endswith("SRZ")
    if base in ("IMAD", "UIMAD") and not {"X", "WIDE"} & modifiers:
        return sources(instruction)[:2] in (["RZ", "RZ"], ["URZ", "URZ"])
    if base == "HFMA2":
        return sources(instruction)[:2] == ["-RZ", "RZ"]
    if base in ("IADD3", "UIADD3", "VIADD") and "X" not in modifiers:
        return sum(operand not in ("RZ", "URZ", "0x0") for operand in sources(instruction)) <= 1 and "-" not in instruction.operands
    return False


@dataclass
class Loop:
    header: int
    blocks: set[int]
    parent: "Loop | None" = None
    inner: "list[Loop]" = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        self.inner = []


_Node = TypeVar("_Node", bound=Hashable)


def reached(starts: Iterable[_Node], after: Callable[[_Node], Iterable[_Node]]) -> Iterable[_Node]:
    """All that paths from the starts come to, these included, each once."""
    seen: dict[_Node, None] = {}
    waiting = list(starts)
    while waiting:
        one = waiting.pop()
        if one not in seen:
            seen[one] = None
            waiting += after(one)
    return seen


class Flow:
    """Of one kernel. Blocks are numbers; instructions are their places in `code`."""

    def __init__(self, code: Sequence[Instruction]):
        self.code = code
        self.uses = [use(instruction) for instruction in code]
        self._at = {instruction.offset: place for place, instruction in enumerate(code)}
        self.blocks = self._find_blocks()
        self.block_of = [block for block, (first, last) in enumerate(self.blocks) for _ in range(first, last)]
        self.next: list[list[int]] = [[] for _ in self.blocks]  # without calls, and without the slow path of warps that are not whole
        self._every: list[list[int]] = [[] for _ in self.blocks]
        self.callee: dict[int, int] = {}  # of blocks that end in a call
        self._connect()
        self.main = self.reachable(0) if self.blocks else set()
        entries = reached(self._called(self.main), lambda entry: self._called(self.reachable(entry)))
        self.functions: dict[int, set[int]] = {entry: self.reachable(entry) for entry in entries}

    # ------------------------------------------------------------------------------------------------------- control

    def _jump(self, place: int) -> int | None:
        found = _TARGET.findall(self.code[place].operands)
        return self._at.get(int(found[-1], 16)) if found else None

    def _find_blocks(self) -> list[tuple[int, int]]:
        leaders = {0}
        for place, instruction in enumerate(self.code):
            if instruction.base in _ENDS:
                leaders.add(place + 1)
                if instruction.base in JUMPS or instruction.base == "CALL":
                    leaders.add(self._jump(place) or 0)
        first = sorted(place for place in leaders if place < len(self.code))
        return list(zip(first, [*first[1:], len(self.code)]))

    def _connect(self) -> None:
        of = {first: block for block, (first, _) in enumerate(self.blocks)}
        returning = []
        for block, (first, end) in enumerate(self.blocks):
            last = self.code[end - 1]
            after = block + 1 if block + 1 < len(self.blocks) else None
            jump = self._jump(end - 1) if last.base in JUMPS or last.base == "CALL" else None
            target = of.get(jump) if jump is not None else None
            conditional = bool(last.predicate or self.uses[end - 1].predicates or _DIVERGENCE & {*last.modifiers})
            usual, every = [], []
            if last.base in JUMPS:
                if target is not None:
                    every.append(target)
                    if "DIV" not in last.modifiers and (target != block or end - first > 1) and not self._leaves_whole_warps(end - 1):
                        usual.append(target)
                if after is not None and conditional:
                    every.append(after)
                    if "CONV" not in last.modifiers:
                        usual.append(after)
            elif last.base == "CALL" and target is not None:
                every.append(target)
                if self._returns(target, of):
                    self.callee[block] = target
                    usual += [after] if after is not None else []
                else:  # a branch by another name
                    usual += [target] + ([after] if last.predicate and after is not None else [])
                every += [after] if after is not None else []
            elif last.base in ("EXIT", "RET", "BRX", "JMX", "BPT"):
                if last.base == "RET":
                    returning.append(block)
                if last.predicate and after is not None:
                    usual.append(after)
                    every.append(after)
            elif after is not None:
                usual.append(after)
                every.append(after)
            self.next[block], self._every[block] = usual, every
        bodies = {entry: self.reachable(entry) for entry in {*self.callee.values()}}
        for block in returning:
            self._every[block] += [call + 1 for call, entry in self.callee.items() if block in bodies[entry] and call + 1 < len(self.blocks)]

    def _leaves_whole_warps(self, place: int) -> bool:
        """A branch for warps of which not all lanes take part, as a vote has found."""
        branch = self.code[place]
        guard = _PREDICATE.findall(branch.predicate)
        for at in range(place - 1, max(-1, place - 9), -1):
            if guard and guard[0] in self.uses[at].written:
                if self.code[at].base != "ISETP":
                    return False
                voted = {name for before in range(max(0, at - 6), at) if self.code[before].base == "VOTEU" for name in self.uses[before].written}
                differs = "NE" in self.code[at].modifiers
                return bool(voted & {*self.uses[at].values}) and branch.predicate.startswith("@!") != differs
        return False

    def _returns(self, start: int, of: Mapping[int, int]) -> bool:
        ends = [end - 1 for _, end in self.blocks]

        def after(block: int) -> list[int]:
            end, last = ends[block], self.code[ends[block]]
            if last.base == "EXIT" and not last.predicate:
                return []
            jumps = last.base in JUMPS
            goes_on = not jumps or last.predicate or self.uses[end].predicates or _DIVERGENCE & {*last.modifiers}
            target = of.get(self._jump(end)) if jumps else None
            return [one for one in (target, block + 1 if goes_on else None) if one is not None and one < len(self.blocks)]

        return any(self.code[ends[block]].base == "RET" for block in reached([start], after))

    def _called(self, blocks: Collection[int]) -> list[int]:
        return [entry for block, entry in self.callee.items() if block in blocks]

    def reachable(self, start: int) -> set[int]:
        return {*reached([start], lambda block: self.next[block])}

    def places(self, blocks: Iterable[int]) -> Iterable[int]:
        for block in sorted(blocks):
            yield from range(*self.blocks[block])

    @kept_property
    def loops(self) -> list[Loop]:
        """Natural loops of the kernel and of each function that it calls, each with what it lies in."""
        found: dict[int, Loop] = {}
        for root, inside in [(0, self.main), *self.functions.items()]:
            before: dict[int, list[int]] = defaultdict(list)
            for block in inside:
                for after in self.next[block]:
                    before[after].append(block)
            dominates = _dominators(root, self.next, before)
            for block in inside:
                for after in self.next[block]:
                    if dominates(after, block):
                        body = found.setdefault(after, Loop(after, {after})).blocks
                        body.update(reached([block], lambda one: () if one in body else before[one]))
        for loop in found.values():
            around = [other for other in found.values() if other is not loop and loop.blocks < other.blocks]
            loop.parent = min(around, key=lambda other: len(other.blocks), default=None)
            if loop.parent:
                loop.parent.inner.append(loop)
        return sorted(found.values(), key=lambda loop: len(loop.blocks))

    # ---------------------------------------------------------------------------------------------------------- data

    @kept_property
    def writers(self) -> list[dict[str, frozenset[int]]]:
        """Of each instruction's registers and predicates that it reads: the instructions that may have written them."""
        made: list[dict[str, tuple[frozenset[int], bool]]] = []
        for first, end in self.blocks:
            own: dict[str, tuple[frozenset[int], bool]] = {}
            for place in range(first, end):
                for name in self.uses[place].written:
                    if self.code[place].predicate:
                        old, surely = own.get(name, (frozenset(), False))
                        own[name] = old | {place}, surely
                    else:
                        own[name] = frozenset({place}), True
            made.append(own)
        before: list[list[int]] = [[] for _ in self.blocks]
        for block, after in enumerate(self._every):
            for one in after:
                before[one].append(block)
        at_start: list[dict[str, frozenset[int]]] = [{} for _ in self.blocks]
        at_end: list[dict[str, frozenset[int]] | None] = [None for _ in self.blocks]
        waiting = list(range(len(self.blocks)))  # a heap: what lies before first, as most of it comes from there
        queued = set(waiting)
        while waiting:
            block = heappop(waiting)
            queued.discard(block)
            known: dict[str, frozenset[int]] = {}
            for one in before[block]:
                if at_end[one] is not None and not known:
                    known = dict(at_end[one] or {})
                    continue
                for name, places in (at_end[one] or {}).items():
                    old = known.get(name)
                    known[name] = places if old is None or old is places else old | places
            at_start[block] = known
            left = dict(known)
            for name, (places, surely) in made[block].items():
                left[name] = places if surely else places | known.get(name, frozenset())
            if left != at_end[block]:
                at_end[block] = left
                for one in self._every[block]:
                    if one not in queued:
                        queued.add(one)
                        heappush(waiting, one)
        found: list[dict[str, frozenset[int]]] = []
        for block, (first, end) in enumerate(self.blocks):
            known = at_start[block]
            for place in range(first, end):
                found.append({name: known.get(name, frozenset()) for name in self.uses[place].read})
                for name in self.uses[place].written:
                    one = frozenset({place})
                    known[name] = known.get(name, frozenset()) | one if self.code[place].predicate else one
        return found

    def slice(self, starts: Iterable[tuple[int, Iterable[str]]]) -> set[int]:
        """The instructions that these reads (of an instruction, names) depend on, back to what loads, or comes from the machine."""

        def behind(place: int) -> list[int]:
            instruction, used = self.code[place], self.uses[place]
            if instruction.base in LOADS | ATOMICS | CONSTANT_LOADS | {"S2R", "S2UR"}:
                return []
            names: Collection[str] = used.values + used.address
            if instruction.base in COMPARES or "X" in instruction.modifiers:
                names = {*names, *used.predicates} - {*_PREDICATE.findall(instruction.predicate)}
            return self.wrote(place, names)

        return {*reached((writer for place, names in starts for writer in self.wrote(place, names)), behind)}

    def wrote(self, place: int, names: Iterable[str]) -> list[int]:
        """What may have written these of the registers and predicates that an instruction reads."""
        return [writer for name in names for writer in self.writers[place].get(name, ())]


def _dominators(root: int, after: Sequence[Sequence[int]], before: Mapping[int, Sequence[int]]):  # noqa: ANN202
    """Whether one block dominates another (Cooper, Harvey, Kennedy 2001)."""
    order, seen = [], {root}
    stack = [(root, iter(after[root]))]
    while stack:
        block, rest = stack[-1]
        for one in rest:
            if one not in seen:
                seen.add(one)
                stack.append((one, iter(after[one])))
                break
        else:
            order.append(stack.pop()[0])
    number = {block: n for n, block in enumerate(order)}  # postorder: the root has the greatest
    above = {root: root}
    changed = True
    while changed:
        changed = False
        for block in reversed(order[:-1]):
            new = None
            for one in before[block]:
                if one not in above:
                    continue
                if new is None:
                    new = one
                a, b = one, new
                while a != b:
                    while number[a] < number[b]:
                        a = above[a]
                    while number[b] < number[a]:
                        b = above[b]
                new = a
            if new is not None and above.get(block) != new:
                above[block], changed = new, True

    def dominates(one: int, block: int) -> bool:
        if block not in above or one not in above:
            return False
        while block != one and block != above[block]:
            block = above[block]
        return block == one

    return dominates
