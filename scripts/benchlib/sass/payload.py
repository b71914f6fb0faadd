"""What a kernel does with data: accesses, atomics, fences, matrix products and arithmetic, per turn of each loop and per thread outside of them.

Addresses, bounds checks, moves and loop control are no payload. Arithmetic is, where a stored value, or an operand of an atomic, a matrix or a
cross-lane instruction depends on it and no address does.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import ceil

from benchlib.sass import flow, sass, sass_address
from benchlib.sass.flow import Flow, Loop
from benchlib.sass.sass import Instruction

PayloadCounts = Counter[str]

_HEXADECIMAL = re.compile(r"-?0x[0-9a-f]+")
_TYPES = ("F32", "F64", "F16x2", "BF16x2", "S32", "S64", "64")
_OPERATIONS = ("ADD", "MIN", "MAX", "AND", "OR", "XOR", "EXCH", "CAS", "CAST", "INC", "DEC", "POPC")
_NAMES = {"LDG": "load", "STG": "store", "LD": "generic_load", "ST": "generic_store", "LDS": "shared_load", "STS": "shared_store", "LDSM": "shared_load",
          "STSM": "shared_store", "STAS": "shared_store", "LDL": "local_load", "STL": "local_store"}  # fmt: skip
_RETURNING = flow.LOADS | {"ATOM", "ATOMG", "ATOMS"}
_ARITHMETIC = {
    "FADD": "float", "FMUL": "float", "FFMA": "float", "FMNMX": "float", "FSWZADD": "float", "HADD2": "half", "HMUL2": "half", "HFMA2": "half",
    "HMNMX2": "half", "DADD": "double", "DMUL": "double", "DFMA": "double", "MUFU": "special", "IDP": "idot", "POPC": "bits", "FLO": "bits", "BREV": "bits",
    "IADD3": "int", "IADD": "int", "VIADD": "int", "LOP3": "int", "SHF": "int", "LEA": "int", "PRMT": "int", "SGXT": "int", "VIMNMX": "int", "IMNMX": "int",
    "VIADDMNMX": "int", "IABS": "int", "I2F": "convert", "F2I": "convert", "F2F": "convert", "F2FP": "convert", "I2FP": "convert", "FRND": "convert",
}  # fmt: skip
_MOST_STEPS, _MOST_TURNS = 200, 4096
FIRST, AMONG, LAST = "first", "among", "last"
_BIGGEST_FACTOR = 16  # of a counter: a greater one is the workgroup's size


def is_fence(name: str) -> bool:
    return name.startswith(("fence", "proxy", "invalidate"))


def always(instruction: Instruction) -> str:
    """The name of what is payload whatever becomes of its result; "" of the rest."""
    base, modifiers = instruction.base, instruction.modifiers
    if base in _NAMES:
        return f"{_NAMES[base]}{sass.width(instruction)}"
    if base in flow.ATOMICS:
        space = "shared_" if base in ("ATOMS", "REDAS") else ""
        return f"{space}atomic_{'_'.join(m for m in modifiers if m in _OPERATIONS + _TYPES).lower().replace('cast', 'cas')}"
    if base == "MEMBAR":
        return f"fence_{modifiers[-1].lower()}" if modifiers else "fence"
    if base == "FENCE":
        return "proxy_fence"
    if base == "CCTL" and "IVALL" in modifiers:
        return "invalidate"
    if base == "BAR" or base.startswith("UCGABAR"):
        return "barrier"
    if base in flow.MATRIX or sass.kind(instruction) == "tensor_product":
        return instruction.opcode
    if base in flow.CROSS_LANE:
        return {"SHFL": "shuffle", "VOTEU": "vote"}.get(base, base.lower())
    if base in flow.ASYNC:
        return base.lower()
    if base == "LDC" and re.search(r"\]\[R\d", instruction.operands):
        return "constant_load"  # of a bank that the lanes index
    return ""


def qualifier(instruction: Instruction) -> str:
    """What else the opcode says of an access or a fence: shown beside the name."""
    return ".".join(filter(None, [sass.strength(instruction), "CONSTANT" * sass.is_constant_kind(instruction), sass.cache_hints(instruction)]))


def arithmetic(instruction: Instruction) -> str:
    """The class of what calculates; "" of the rest."""
    base = instruction.base
    if flow.is_move(instruction):
        return ""
    bare = base[1:] if base[:1] == "U" and base[1:] in {*_ARITHMETIC, "IMAD"} else base
    if bare != "IMAD":
        return _ARITHMETIC.get(bare, "")
    if {"IADD", "SHL", "MOV", "X"} & {*instruction.modifiers}:
        return "int"
    factor = flow.sources(instruction)[1:2]
    return "int" if factor and _HEXADECIMAL.fullmatch(factor[0]) and abs(int(factor[0], 16)).bit_count() == 1 else "imul"


@dataclass(frozen=True)
class LoopPayload:
    """Of one natural loop, inner ones that end after a known number of turns included. `step`: by what its counter advances in a turn of the machine
    code, and so, where the source counts by one, how many of its turns that is; None where data end it, or nothing that is understood.
    """

    at: int
    counts: PayloadCounts
    shown: PayloadCounts  # by opcode, what is judged by nobody
    step: int | None
    constant: bool  # the step is one that the code names
    ends_by_data: bool
    depth: int  # of loops around it
    innermost: bool
    in_flight: PayloadCounts  # what returns something and does not wait for another of its kind, in one turn of the machine's loop
    merged: bool  # a warp's atomics made one
    loads_stand: str  # between a barrier and the next: FIRST, before what is done with shared memory, LAST, behind it, AMONG it; "" where there is no such thing

    @property
    def rate(self) -> dict[str, float]:
        return {name: count / (self.step or 1) for name, count in self.counts.items()}


@dataclass(frozen=True)
class Payload:
    straight: PayloadCounts  # outside of loops, and inside those of few known turns
    loops: list[LoopPayload]
    qualifiers: PayloadCounts = field(default_factory=Counter)
    shown: PayloadCounts = field(default_factory=Counter)

    @property
    def everything(self) -> PayloadCounts:
        return sum((loop.counts for loop in self.loops), Counter(self.straight))

    @property
    def merged(self) -> bool:
        return any(loop.merged for loop in self.loops)


class _Reader:
    def __init__(self, code: Sequence[Instruction]):
        self.code = code
        self.flow = Flow(code)
        self.names = [always(instruction) for instruction in code]
        self.classes = [arithmetic(instruction) for instruction in code]
        uses = self.flow.uses
        value_sinks = flow.STORES | flow.ATOMICS | flow.MATRIX | flow.CROSS_LANE
        address_sinks = flow.LOADS | flow.STORES | flow.ATOMICS | flow.ASYNC
        self.of_values = self.flow.slice((at, uses[at].values) for at, i in enumerate(code) if i.base in value_sinks)
        self.of_addresses = self.flow.slice(
            (at, uses[at].address + (uses[at].values if i.base in flow.ASYNC else ())) for at, i in enumerate(code) if i.base in address_sinks
        )
        # Division of integers by floating point: nobody's arithmetic but the compiler's.
        self.divides = any((i.base == "I2F" and "RP" in i.modifiers) or (i.base == "FMUL" and "RZ" in i.modifiers) for i in code)

    # ----------------------------------------------------------------------------------------------------- counting

    def count(self, blocks: Iterable[int], counters: set[int], calling: frozenset[int] = frozenset()) -> tuple[PayloadCounts, PayloadCounts]:
        counts, shown = Counter[str](), Counter[str]()
        for block in blocks:
            for at in range(*self.flow.blocks[block]):
                name = self.names[at] or self._on_data(at, counters)
                if name:
                    counts[name] += 1
                else:
                    shown[self.code[at].base] += 1
            entry = self.flow.callee.get(block)
            if entry in self.flow.functions and entry not in calling:
                body = self.flow.functions[entry]
                inner = {one for loop in self.flow.loops if loop.header in body for one in loop.blocks}
                for total, more in zip((counts, shown), self.count(body - inner, counters, calling | {entry})):
                    total += more
        return counts, shown

    def _on_data(self, at: int, counters: set[int]) -> str:
        sort = self.classes[at]
        if not sort or at in counters or at not in self.of_values or at in self.of_addresses:
            return ""
        modifiers = self.code[at].modifiers
        divides = sort in ("convert", "special") or (sort == "float" and "RZ" in modifiers)
        return "" if self.divides and divides else sort

    # ------------------------------------------------------------------------------------------------------ counters

    def counter(self, loop: Loop, inside: set[int]) -> tuple[int, int, str, bool] | None:
        """What the loop's end compares: by how much it advances in a turn, the compare, its register, and whether the step is a constant."""
        best = None
        for block in sorted(loop.blocks):
            end = self.flow.blocks[block][1] - 1
            last = self.code[end]
            leaves = last.base == "EXIT" or any(after not in loop.blocks for after in self.flow.next[block])
            if last.base not in flow.JUMPS | {"EXIT"} or not leaves:
                continue
            for at in sorted(flow.reached([end], lambda at: inside.intersection(self.flow.wrote(at, self.flow.uses[at].predicates)))):
                if self.code[at].base in ("ISETP", "UISETP"):
                    for name in self.flow.uses[at].values:
                        found = self._advance(at, name, inside)
                        if found and found[0] and (best is None or (found[1] and not best[3])):
                            best = found[0], at, name, found[1]
        return best

    def _advance(self, at: int, name: str, inside: set[int]) -> tuple[int, bool] | None:
        """What is added to the register until it meets itself again, and whether that is a constant."""
        total, constant, first, seen = 0, True, None, set[int]()
        for _ in range(_MOST_STEPS):
            writers = [w for w in self.flow.writers[at].get(name, ()) if w in inside]
            if len(writers) != 1:
                return None
            at = writers[0]
            if at == first:
                return abs(total), constant
            if at in seen:
                return None
            first = at if first is None else first
            seen.add(at)
            instruction, values = self.code[at], self.flow.uses[at].values
            varying = {v for v in values if any(w in inside for w in self.flow.writers[at].get(v, ()))}
            if len(varying) != 1:
                return None
            (name,) = varying
            if flow.is_move(instruction):
                continue
            step = self._added(instruction, name, values)
            if step is None:
                return None
            total += step[0]
            constant &= step[1]
        return None

    def _added(self, instruction: Instruction, name: str, values: Sequence[str]) -> tuple[int, bool] | None:
        rest = flow.sources(instruction)
        others = [v for v in values if v != name] or re.findall(r"c\[", instruction.operands)
        base = instruction.base.removeprefix("U")
        if base == "LEA" and len(rest) > 2 and name in rest[1]:
            return (1 << int(rest[2], 16) if _HEXADECIMAL.fullmatch(rest[2]) else 1), False
        if base == "IMAD" and len(rest) > 2 and rest[2].lstrip("-") == name and not rest[1].startswith(("0x1", "-0x1")):
            factor = int(rest[1], 16) if _HEXADECIMAL.fullmatch(rest[1]) else 1
            return (factor if 0 < factor <= _BIGGEST_FACTOR else 1), False
        if base not in ("IADD3", "IADD", "VIADD", "IMAD"):
            return None
        if others:
            return 1, False
        numbers = [int(one, 16) for one in (rest[2:] if base == "IMAD" else rest) if _HEXADECIMAL.fullmatch(one)]
        return sum(n - (1 << 32) if n > 0x7FFFFFFF else n for n in numbers), True

    def turns(self, found: tuple[int, int, str, bool] | None, inside: set[int]) -> int | None:
        """How many, where start, step and end are constants."""
        if not found or not found[3]:
            return None
        step, at, name, _ = found
        limits = [one for one in sass.split_operands(self.code[at].operands)[2:4] if _HEXADECIMAL.fullmatch(one) or one in ("RZ", "URZ")]
        if len(limits) != 1:
            return None
        values = {self._constant(start) for start in self._origins(at, name, inside.__contains__) - inside}
        if len(values) != 1 or None in values:
            return None
        limit = _signed(limits[0])
        number = ceil(abs(limit - (values.pop() or 0)) / step)
        return number if 0 < number <= _MOST_TURNS else None

    def _origins(self, at: int, name: str, goes_on: Callable[[int], bool]) -> set[int]:
        """What may have written the register that is read there, and what that depends on, back to where it does not go on."""
        return {*flow.reached(self.flow.wrote(at, [name]), lambda place: self.flow.wrote(place, self.flow.uses[place].values) if goes_on(place) else ())}

    def _constant(self, at: int) -> int | None:
        instruction = self.code[at]
        if not flow.is_move(instruction) or instruction.base in flow.CONSTANT_LOADS or self.flow.uses[at].values:
            return None
        if instruction.base == "CS2R" or sass.split_operands(instruction.operands)[-1] in ("RZ", "URZ"):
            return 0
        value = sass_address.constant_moved(instruction)
        return None if value is None else _signed(f"{value:#x}")

    # --------------------------------------------------------------------------------------------------------- loops

    def in_flight(self, places: Sequence[int]) -> PayloadCounts:
        """By kind of memory the loads of one turn that do not wait for one another: in a chain 1, whatever the unrolling."""
        kinds = {at: re.sub(r"(load|atomic).*", r"\1", self.names[at]) for at in places if self.code[at].base in _RETURNING}
        inside, found = set(places), Counter[str]()
        for kind in dict.fromkeys(kinds.values()):
            depth: dict[int, int] = {}
            for at in places:
                before = (writer for name in self.flow.uses[at].read for writer in self.flow.writers[at].get(name, ()))
                waits = max((depth[writer] for writer in before if writer in inside and writer < at), default=0)
                depth[at] = waits + (kinds.get(at) == kind)
            found[kind] = ceil(sum(one == kind for one in kinds.values()) / max(depth.values()))
        return found

    def loads_stand(self, places: Sequence[int]) -> str:
        """Where loads stand in a turn that has a barrier, whichever instruction the machine's loop begins with."""
        letters = {at: "B" if name == "barrier" else "S" if name.startswith("shared_") else "G" if re.fullmatch(r"load\d+", name) else "" for at in places if (name := self.names[at])}
        turn = "".join(letters.values())
        between = (turn[turn.find("B") :] + turn[: turn.find("B")]).split("B")[1:] if "B" in turn else []
        found = {FIRST if re.fullmatch("G+S+", part) else LAST if re.fullmatch("S+G+", part) else AMONG for part in between if {*part} == {"G", "S"}}
        return found.pop() if len(found) == 1 else AMONG if found else ""

    def merged(self, places: Iterable[int]) -> bool:
        """Whether an atomic's operand is what the lanes of a warp have together."""
        atomics = [(at, self.flow.uses[at].values) for at in places if self.code[at].base in flow.ATOMICS]
        if any("POPC" in self.code[at].modifiers for at, _ in atomics):
            return True
        return any(self.code[at].base in ("REDUX", "CREDUX", "POPC", "UPOPC") for at in self.flow.slice(atomics)) if atomics else False

    def read(self) -> Payload:
        loops = self.flow.loops
        inside = {id(loop): set(self.flow.places(loop.blocks)) for loop in loops}
        found = {id(loop): self.counter(loop, inside[id(loop)]) for loop in loops}
        turns = {id(loop): self.turns(found[id(loop)], inside[id(loop)]) for loop in loops}
        counters = {at for loop in loops for at in self._induction(found[id(loop)], inside[id(loop)])}
        counted: dict[int, tuple[PayloadCounts, PayloadCounts]] = {}
        for loop in loops:  # inner ones first
            own = self.count(loop.blocks - {block for inner in loop.inner for block in inner.blocks}, counters)
            for inner in loop.inner:
                for total, more in zip(own, counted[id(inner)]):
                    for name, number in more.items():
                        total[name] += number * (turns[id(inner)] or 0)
            counted[id(loop)] = own
        looped = {block for loop in loops for block in loop.blocks}
        straight, shown = self.count(self.flow.main - looped, counters)
        made = []
        for loop in loops:
            counts, other = counted[id(loop)]
            number = turns[id(loop)]
            if number and loop.parent is None and loop.header in self.flow.main:
                straight += Counter({name: count * number for name, count in counts.items()})
            counter = found[id(loop)]
            places = sorted(inside[id(loop)] - {at for inner in loop.inner for at in inside[id(inner)]})
            depth, around = 0, loop.parent
            while around:
                depth, around = depth + 1, around.parent
            if not number:
                at = self.code[self.flow.blocks[loop.header][0]].offset
                made.append(
                    LoopPayload(at, counts, other, counter[0] if counter else None, bool(counter and counter[3]), counter is None, depth, not loop.inner, self.in_flight(places), self.merged(places), self.loads_stand(places))
                )
        qualifiers = Counter(f"{self.names[at]} {said}" for at, i in enumerate(self.code) if self.names[at] and (said := qualifier(i)))
        return Payload(straight, sorted(made, key=lambda loop: loop.at), qualifiers, shown)

    def _induction(self, found: tuple[int, int, str, bool] | None, inside: set[int]) -> set[int]:
        """What moves the counter on."""

        def goes_on(place: int) -> bool:
            return place in inside and (self.classes[place] in ("int", "imul") or flow.is_move(self.code[place]))

        origins = self._origins(found[1], found[2], goes_on) if found and found[3] else set[int]()
        return {at for at in origins & inside if self.classes[at] == "int"}


def _signed(text: str) -> int:
    number = 0 if text in ("RZ", "URZ") else int(text, 16)
    return number - (1 << 32) if number > 0x7FFFFFFF else number


def of(code: Sequence[Instruction]) -> Payload:
    return _Reader(code).read() if code else Payload(Counter(), [])
