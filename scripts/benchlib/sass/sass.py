"""NVIDIA machine code (SASS) as text: reading nvdisasm's listings, and sorting instructions by what they are for.

Which mnemonic belongs to which kind: CUDA Binary Utilities, "Instruction Set Reference" (Ampere, Ada, Hopper, Blackwell).
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import TypeVar

from benchlib.base.kept import kept_last
from benchlib.sass import sass_cubin
from benchlib.sass.sass_cubin import INSTRUCTION_BYTES

UNKNOWN = "UNKNOWN"  # UNKNOWN.0x123: an instruction that the disassembler left out, by bits 11:0


@dataclass(frozen=True)
class Instruction:
    offset: int
    predicate: str  # "@P0", "@!UP1", or ""
    opcode: str  # with its modifiers: LDG.E.128
    operands: str  # no .reuse (a scheduling hint); branch targets as offsets
    live: int | None = None  # live general registers, where the listing says
    recovered: bool = False  # nvdisasm left it out; named here from its bits
    roles: frozenset[str] = field(default=frozenset(), compare=False)  # see mark_roles

    @property
    def base(self) -> str:
        return self.opcode.partition(".")[0]

    @property
    def modifiers(self) -> list[str]:
        return self.opcode.split(".")[1:]

    def text(self) -> str:
        return f"{self.predicate} {self.opcode} {self.operands}".strip()


class ListingError(Exception):
    """A listing that cannot be of this code; the message is one line."""


# ------------------------------------------------------------------------------------------------------------- reading

_INSTRUCTION = re.compile(
    r"^\s*/\*(?P<offset>[0-9a-f]{4,8})\*/\s+(?:(?P<predicate>@!?U?P\w+)\s+)?(?P<opcode>[A-Z][\w.]*)(?P<operands>[^;]*);"
    r"(?:\s*//\s*\|\s*(?P<live>\d{1,4})?)?"
)
_SECTION = re.compile(r'^\s*\.section\s+\.text\.([^,\s]+)')
_LABEL = re.compile(r"^\s*(\.L_\w+):")
_LABEL_USE = re.compile(r"`\((\.L_\w+)\)")


def parse(listing: str) -> dict[str, list[Instruction]]:
    """The instructions by kernel (section .text.<kernel>; "" for bare code), as nvdisasm printed them."""
    found: dict[str, list[Instruction]] = {}
    labels: dict[str, dict[str, int]] = {}
    section, waiting = "", []
    for line in listing.splitlines():
        if match := _SECTION.match(line):
            section, waiting = match[1], []
        elif match := _LABEL.match(line):
            waiting.append(match[1])
        elif match := _INSTRUCTION.match(line):
            offset = int(match["offset"], 16)
            for label in waiting:
                labels.setdefault(section, {})[label] = offset
            waiting = []
            operands = " ".join(match["operands"].replace(".reuse", "").split()).replace(" ,", ",")
            live = int(match["live"]) if match["live"] else None
            found.setdefault(section, []).append(
                Instruction(offset, match["predicate"] or "", match["opcode"], operands, live)
            )
    for name, instructions in found.items():
        targets = labels.get(name, {})

        def resolve(match: re.Match[str], targets: dict[str, int] = targets) -> str:
            return f"{targets[match[1]]:#x}" if match[1] in targets else match[1]

        found[name] = [replace(i, operands=_LABEL_USE.sub(resolve, i.operands)) for i in instructions]
    return found


def complete(instructions: Sequence[Instruction], code: bytes) -> list[Instruction]:
    """Every instruction of the code, in order, its padding left out. nvdisasm drops an opcode that it does not know without a
    word: what it left out is put back from the bytes, named if the opcode is known here, else UNKNOWN. Raises ListingError when
    the listing is of other code.
    """
    if len(code) % INSTRUCTION_BYTES:
        raise ListingError(f"{len(code)} bytes of code are no multiple of {INSTRUCTION_BYTES}")
    printed = {instruction.offset: instruction for instruction in instructions}
    strangers = [offset for offset in printed if offset % INSTRUCTION_BYTES or offset >= len(code)]
    if strangers:
        raise ListingError(f"the listing has an instruction at {strangers[0]:#x}, the code is {len(code):#x} bytes long")
    end = len(sass_cubin.without_padding(code))
    return [printed.get(offset) or _recover(code, offset) for offset in range(0, end, INSTRUCTION_BYTES)]


# Opcodes of compute capability 9.0 that CUDA 13's ptxas and driver 580 emit and nvdisasm 11.8 leaves out.
_LEFT_OUT = {0x36: "VIADD", 0x48: "VIMNMX"}
_QGMMA = 0x1F3  # the same, beside HGMMA 0x1F0 and IGMMA 0x1F1, which it knows
_THIRD = {0x200: "register", 0x800: "immediate", 0xA00: "constant", 0xC00: "uniform"}


def _recover(code: bytes, offset: int) -> Instruction:
    low, _ = sass_cubin.words(code, offset)
    bits = low & 0xFFF
    guard = low >> 12 & 0xF  # bits 14:12: the predicate, 7 is none; bit 15: not
    predicate = "" if guard == 7 else f"@{'!' if guard & 8 else ''}P{'T' if guard & 7 == 7 else guard & 7}"
    if bits == 0x918:
        return Instruction(offset, predicate, "NOP", "")
    opcode, kind = _LEFT_OUT.get(bits & 0x1FF), _THIRD.get(bits & 0xE00)
    if opcode and kind:
        target, source, third = low >> 16 & 0xFF, low >> 24 & 0xFF, low >> 32
        if kind == "immediate":
            last = f"{third:#x}"
        elif kind == "constant":
            last = f"c[{third >> 22 & 0x1F:#x}][{(third >> 8 & 0x3FFF) * 4:#x}]"
        else:
            last = _register("UR" if kind == "uniform" else "R", third & 0xFF)
        operands = f"{_register('R', target)}, {_register('R', source)}, {last}"
        return Instruction(offset, predicate, opcode, operands, recovered=True)
    if bits & 0x1FF == _QGMMA:
        operands = f"{_register('R', low >> 16 & 0xFF)}, gdesc[{_register('UR', low >> 24 & 0x3F)}]"
        return Instruction(offset, predicate, "QGMMA", operands, recovered=True)
    return Instruction(offset, predicate, f"{UNKNOWN}.{bits:#x}", "", recovered=True)


def _register(kind: str, number: int) -> str:
    zero = {"R": 255, "UR": 63}[kind]
    return f"{kind}Z" if number == zero else f"{kind}{number}"


# ------------------------------------------------------------------------------------------------------------- sorting

_KINDS = {
    "load": "LDG",
    "store": "STG",
    "shared_load": "LDS LDSM",
    "shared_store": "STS STSM",
    "local_load": "LDL",
    "local_store": "STL",
    "generic_load": "LD",
    "generic_store": "ST",
    "atomic": "ATOM ATOMG ATOMS RED REDG REDAS",
    "async_copy": "LDGSTS LDGDEPBAR ARRIVES SYNCS STAS UBLKCP UBLKRED UBLKPF UTMALDG UTMASTG UTMAREDG UTMAPF UTMACMDFLUSH "
    "UTMACCTL LDGMC",
    "constant_load": "LDC ULDC LDCU",
    "compare": "ISETP UISETP FSETP UFSETP DSETP HSETP2 FSET UFSET FCHK",
    "branch": "BRA UBRA BRX BRXU JMP JMX JMXU EXIT RET CALL BSSY BSYNC BREAK BMOV KILL YIELD RPCMOV",
    "election": "ELECT",  # one lane of the warp
    "tensor_memory": "LDT LDTM STT STTM UTCCP UTCSHIFT UTCATOMSWS UTCBAR",  # tcgen05, from compute capability 10.0
    "tensor_product": "UTCHMMA UTCIMMA UTCQMMA UTCOMMA UTCMXQMMA",
    "work_request": "UGETNEXTWORKID",  # clusterlaunchcontrol.try_cancel
    "barrier": "BAR WARPSYNC DEPBAR UCGABAR_ARV UCGABAR_WAIT ACQBULK",
    "fence": "MEMBAR ERRBAR CGAERRBAR CCTL CCTLL FENCE",
    "special": "S2R S2UR CS2R",
    "move": "MOV UMOV R2UR",
    "other": "FADD FADD2 FADD32I FFMA FFMA2 FFMA32I FHADD FHFMA FMNMX FMNMX3 FMUL FMUL2 FMUL32I FSEL FSWZADD MUFU HADD2 HADD2_32I HFMA2 HFMA2_32I "
    "HMNMX2 HMUL2 HMUL2_32I HSET2 DADD DFMA DMUL BMSK BREV FLO IABS IADD IADD3 IADD32I IDP IDP4A IMAD IMNMX IMUL IMUL32I ISCADD ISCADD32I LEA LOP LOP3 "
    "LOP32I POPC SHF SHL SHR VABSDIFF VABSDIFF4 VHMNMX VIADD VIADDMNMX VIMNMX VIMNMX3 F2F F2I F2FP F2IP I2F I2I I2FP I2IP FRND MOVM PRMT SEL SGXT SHFL "
    "PLOP3 PSETP P2R R2P MATCH QSPC REDUX CREDUX VOTE VOTEU UBMSK UBREV UCLEA UFLO UIADD3 UIMAD UIMNMX UIABS ULEA ULEPC ULOP ULOP3 ULOP32I UP2UR UPLOP3 "
    "UPOPC UPRMT UPSETP UR2UP USEL USGXT USHF USHL USHR UVIADD UVIMNMX UVIRTCOUNT UMEMSETS USETMAXREG UREDGR USTGR UFADD UFFMA UFMUL UFMNMX UFSEL UFRND "
    "UF2F UF2FP UF2I UF2IP UI2F UI2FP UI2I UI2IP HMMA IMMA DMMA QMMA OMMA BMMA HGMMA IGMMA QGMMA BGMMA WARPGROUP WARPGROUPSET SPMETADATA B2R R2B BPT "
    "CCTLT CS2UR CSMTEST ENDCOLLECTIVE GETLMEMBASE SETLMEMBASE SETCTAID LEPC NANOSLEEP NOP PMTRIG PREEXIT ACQSHMINIT "
    "TEX TLD TLD4 TMML TXD TXQ SUATOM SULD SURED SUST SUQUERY",
}
_KIND_OF = {mnemonic: kind for kind, mnemonics in _KINDS.items() for mnemonic in mnemonics.split()}
MEMORY = (
    "load", "store", "shared_load", "shared_store", "local_load", "local_store", "generic_load", "generic_store", "atomic",
)  # fmt: skip

_PREDICATE_OPERAND = re.compile(r"^U?P\d$")
Answer = TypeVar("Answer")


def _once_a_text(function: Callable[[Instruction], Answer]) -> Callable[[Instruction], Answer]:
    """What follows from an instruction's text alone is found once: it is asked for again and again, and a program's kernels share most of theirs."""
    of_text = kept_last(1 << 16)(lambda opcode, operands: function(Instruction(0, "", opcode, operands)))
    return wraps(function)(lambda instruction: of_text(instruction.opcode, instruction.operands))


@_once_a_text
def kind(instruction: Instruction) -> str:
    """What the instruction is for: exactly one kind each. A mnemonic that stands in no list here is unknown, whatever it resembles."""
    if instruction.base == UNKNOWN:
        return "unknown"
    if _is_move(instruction):
        return "move"
    if _is_wide_add(instruction):
        return "address"
    return _KIND_OF.get(instruction.base, "unknown")


def _is_move(instruction: Instruction) -> bool:
    """MOV, and what else moves: IMAD.MOV.U32 Rd, RZ, RZ, x; IMAD.U32 Rd, RZ, RZ, URx; CS2R Rd, SRZ."""
    if instruction.base == "CS2R":
        return instruction.operands.endswith("SRZ")
    if instruction.base == "IMAD" and not {"WIDE", "X"} & {*instruction.modifiers}:
        return ", RZ, RZ, " in instruction.operands
    return False


def _is_wide_add(instruction: Instruction) -> bool:
    """64-bit address arithmetic: one instruction (IMAD.WIDE, LEA), or half of a pair that hands a carry over."""
    if instruction.base in ("LEA", "ULEA"):
        return True
    if instruction.base in ("IMAD", "UIMAD"):
        return bool({"WIDE", "X"} & {*instruction.modifiers})  # IMAD.X Rd, Ra, 0x1, Rb, P0 adds, with the carry P0
    if instruction.base in ("IADD", "IADD3", "UIADD3"):
        operands = split_operands(instruction.operands)
        carry_out = len(operands) > 1 and _PREDICATE_OPERAND.match(operands[1]) is not None
        return carry_out or "X" in instruction.modifiers or "64" in instruction.modifiers
    return False


@kept_last(1 << 16)
def split_operands(operands: str) -> tuple[str, ...]:
    return tuple([operand.strip() for operand in operands.split(",")]) if operands else ()


# By modifiers.
_WIDTHS = {
    "256": 256, "128": 128, "64": 64, "U64": 64, "S64": 64, "F64": 64, "32": 32, "U32": 32, "S32": 32, "F32": 32, "U16": 16, "S16": 16, "U8": 8, "S8": 8,
}  # fmt: skip
_WIDE_LIKE = re.compile(r"[USF]?\d+")
_UNKNOWN_WIDTH = 0
_MATRIX_WIDTHS = {"": 32, "2": 64, "4": 128}  # LDSM, STSM: one, two or four matrices of 8 x 8 halves, over 32 threads


@_once_a_text
def width(instruction: Instruction) -> int:
    """Bits that one thread moves; 0 where a modifier speaks of a width that is not known here."""
    if instruction.base in ("LDSM", "STSM"):
        return _MATRIX_WIDTHS.get(next((m for m in instruction.modifiers if m.isdigit() and m != "16"), ""), _UNKNOWN_WIDTH)
    said = [_WIDTHS.get(modifier, _UNKNOWN_WIDTH) for modifier in instruction.modifiers if _WIDE_LIKE.fullmatch(modifier)]
    return said[0] if said else 32


def strangeness(instruction: Instruction) -> str:
    """What is not known of it here, as it is written: the mnemonic, or the opcode of a memory access of unknown width; "" where nothing is."""
    sort = kind(instruction)
    if sort == "unknown":
        return instruction.opcode if instruction.base == UNKNOWN else instruction.base
    return instruction.opcode if sort in MEMORY and not width(instruction) else ""


def strength(instruction: Instruction) -> str:
    """STRONG.SM, STRONG.GPU, MMIO.SYS, ...; "" for a weak access."""
    match = re.search(r"\.((?:STRONG|MMIO)\.[A-Z]+)", instruction.opcode)
    return match[1] if match else ""


def is_constant_kind(instruction: Instruction) -> bool:
    """A load through the read-only path."""
    return "CONSTANT" in instruction.modifiers


def cache_hints(instruction: Instruction) -> str:
    """Eviction priority and L2 prefetch size, e.g. "NA.LTC256B"."""
    return ".".join(m for m in instruction.modifiers if m in ("EF", "EL", "EU", "LU", "NA", "EFL2", "ELL2") or m.startswith("LTC"))


# --------------------------------------------------------------------------------------------------------------- roles

# What a read of a constant bank, or a compare, is for, as far as the registers tell.
POINTER = "pointer"  # reads a buffer's 64-bit address
LIMIT = "limit"  # compares an index with the size in a buffer's descriptor
CONSTANT_COMPARE = "constant compare"  # compares with any value from a constant bank
MEMORY_DESCRIPTOR = "memory descriptor"  # CUDA's 64-bit word for every global access; the access names it in its encoding
STACK = "stack pointer"

_CONSTANT = re.compile(r"\bcx?\[(?P<bank>[^\]]+)\]\[(?P<at>[^\]]+)\]")
_DESCRIPTOR_USE = re.compile(r"\bdesc\[U?R\d+\](?=\[)")
REGISTER = re.compile(r"\b(U?R)(\d{1,3})\b")
_SIZE_AT = 8  # a buffer descriptor is {64-bit address, 32-bit size, ...}

ConstantPlace = tuple[str, int]  # bank, offset


@_once_a_text
def constants(instruction: Instruction) -> tuple[ConstantPlace, ...]:
    """Bank and offset of every constant-bank operand; an indexed one has offset -1."""
    places = []
    for match in _CONSTANT.finditer(instruction.operands):
        at = "0x0" if match["at"] == "RZ" else match["at"]
        places.append((match["bank"], int(at, 16) if re.fullmatch(r"0x[0-9a-f]+", at) else -1))
    return tuple(places)


def mark_roles(instructions: Sequence[Instruction], *, descriptors: bool) -> list[Instruction]:
    """The instructions with their roles. `descriptors`: the kernel gets its buffers from descriptors that hold a size, so
    that a compare with what follows a buffer's address is the driver's bounds check.
    """
    roles: list[set[str]] = [set() for _ in instructions]
    writers: dict[str, int] = {}  # register: the instruction that wrote it last
    pointers: set[ConstantPlace] = set()
    compares: list[tuple[int, ConstantPlace]] = []
    for index, instruction in enumerate(instructions):
        operands = split_operands(instruction.operands)
        places = constants(instruction)
        sort = kind(instruction)
        if places == (("0x0", 0x28),) and operands and operands[0] == "R1":
            roles[index].add(STACK)
        elif sort == "constant_load" and width(instruction) >= 64 and operands:
            used = _used_before_rewritten(instructions, index, operands[0])
            roles[index].add(POINTER if used else MEMORY_DESCRIPTOR)
            if used:
                pointers.update((bank, at + 8 * i) for bank, at in places for i in range(width(instruction) // 64))
        elif sort == "address" and places and _CONSTANT.search(_addend(instruction, operands)):
            roles[index].add(POINTER)
            pointers.update((bank, at - at % 8) for bank, at in places)
        elif sort == "compare":
            for place in [*places, *(p for r in _registers(operands[2:]) for p in _read_by(instructions, writers.get(r)))]:
                roles[index].add(CONSTANT_COMPARE)
                compares.append((index, place))
        elif sort in ("load", "store", "atomic"):
            pair = [writers.get(r) for r in _address_pair(instruction)]
            halves = [_read_by(instructions, writer) for writer in pair]
            if len(halves) == 2 and all(len(half) == 1 for half in halves) and _is_pair(halves[0][0], halves[1][0]):
                pointers.add(halves[0][0])
                for writer in pair:
                    if writer is not None and width(instructions[writer]) == 32:
                        roles[writer].add(POINTER)
        for register in written(instruction):
            writers[register] = index
    if descriptors:
        for index, (bank, at) in compares:
            if (bank, at - _SIZE_AT) in pointers and (bank, at) not in pointers:
                roles[index].add(LIMIT)
    return [i if i.roles == r else replace(i, roles=frozenset(r)) for i, r in zip(instructions, roles)]


def _is_pair(low: ConstantPlace, high: ConstantPlace) -> bool:
    return low[0] == high[0] and low[1] % 8 == 0 and high[1] == low[1] + 4


def _registers(operands: Iterable[str]) -> list[str]:
    return [f"{kind}{number}" for operand in operands for kind, number in REGISTER.findall(operand)]


def _read_by(instructions: Sequence[Instruction], writer: int | None) -> tuple[ConstantPlace, ...]:
    """The constants that the writer copied into a register unchanged."""
    if writer is None or kind(instructions[writer]) not in ("constant_load", "move"):
        return ()
    return constants(instructions[writer])


@_once_a_text
def written(instruction: Instruction) -> tuple[str, ...]:
    """The registers an instruction writes: its first operand, unless it stores, branches or compares."""
    sort, target = kind(instruction), REGISTER.fullmatch(instruction.operands.partition(",")[0].strip())
    if not target or sort.endswith("store") or sort in ("compare", "branch", "barrier", "fence"):
        return ()
    wide = sort == "address" and "WIDE" in instruction.modifiers
    count = max(1, width(instruction) // 32) if not wide else 2
    if count > 4:  # LDG.E.ENL2.256 R8, R4, [R2.64] names where each half begins
        halves = [REGISTER.fullmatch(operand) for operand in split_operands(instruction.operands)[:2]]
        return tuple(f"{half[1]}{int(half[2]) + i}" for half in halves if half for i in range(count // 2))
    return tuple([f"{target[1]}{int(target[2]) + i}" for i in range(count)])


@_once_a_text
def _read(instruction: Instruction) -> frozenset[str]:
    """The registers that the operands name as sources. A memory descriptor does not count: older listings leave it out, newer ones print
    it as desc[UR4].
    """
    sources = split_operands(_DESCRIPTOR_USE.sub("", instruction.operands))
    return frozenset(_registers(sources[1:] if written(instruction) else sources))


def _used_before_rewritten(instructions: Sequence[Instruction], index: int, register: str) -> bool:
    """Whether an operand that the listing shows reads the register (or its upper half) before it is written again."""
    match = REGISTER.fullmatch(register)
    if not match:
        return True
    if match[1] == "R":
        return True  # memory descriptors live in uniform registers
    names = {register, f"UR{int(match[2]) + 1}"}
    for instruction in instructions[index + 1 :]:
        if names & _read(instruction):
            return True
        if register in written(instruction):
            return False
    return False


def _addend(instruction: Instruction, operands: Sequence[str]) -> str:
    """The operands that may hold a base address: not the two factors of a multiplication."""
    if "WIDE" in instruction.modifiers:
        return operands[-1]
    return ",".join(operands[1:])


def _address_pair(instruction: Instruction) -> list[str]:
    """The two registers of a 64-bit address: [R2.64] or [R2.64+0x10]."""
    match = re.search(r"\[R(\d{1,3})(?:\.U?\d+)?[+\]]", _DESCRIPTOR_USE.sub("", instruction.operands))
    return [f"R{match[1]}", f"R{int(match[1]) + 1}"] if match else []


# ------------------------------------------------------------------------------------------------------------ counting

# What a memory access or a fence says of its order, scope and place in the caches, by column: PTX's .cta is SM on an access and
# CTA on a fence.
_MODIFIER_COLUMNS = {
    "SM": "scope_cta", "CTA": "scope_cta", "GPU": "scope_gpu", "SYS": "scope_sys", "MMIO": "mmio", "EF": "evict_first",
    "EL": "evict_last", "EU": "evict_unchanged", "LU": "last_use", "NA": "no_allocate", "LTC64B": "l2_prefetches",
    "LTC128B": "l2_prefetches", "LTC256B": "l2_prefetches",
}  # fmt: skip
# What multiplies matrices or dot products, how operands come into shared memory and out of it, and atomics that return nothing,
# by their mnemonics.
_MNEMONIC_COLUMNS = {
    "HMMA": "hmma", "IMMA": "imma", "DMMA": "dmma", "QMMA": "qmma", "HGMMA": "hgmma", "IGMMA": "igmma", "QGMMA": "qgmma",
    "WARPGROUP": "warpgroup", "IDP": "idp", "LDSM": "ldsm", "LDGSTS": "ldgsts", "UTMALDG": "utmaldg",
    "RED": "reductions", "REDG": "reductions", "REDAS": "reductions",
}  # fmt: skip
_WITH_SCOPE = ("load", "store", "generic_load", "generic_store", "atomic", "fence")

WIDTHS = (8, 16, 32, 64, 128, 256)
# Each instruction is in exactly one of these.
EXCLUSIVE = [
    *(f"ldg_{bits}" for bits in WIDTHS), *(f"stg_{bits}" for bits in WIDTHS),
    "lds", "sts", "ldl", "stl", "generic", "atomics", "async_copies", "constant_loads", "address", "compares",
    "branches", "barriers", "fences", "special", "moves", "elections", "tensor_memory", "tensor_products", "work_requests", "other", "unknown",
]  # fmt: skip
# These say more about some of them.
ATTRIBUTES = [
    "ldg_constant", "ldg_strong", "stg_strong", "ldg_hinted", "stg_hinted", "constant_reads", "pointer_reads",
    "descriptor_reads", "constant_compares", "bounds_checks", "predicated", "recovered", "membars", "l1_invalidates",
    *dict.fromkeys(_MODIFIER_COLUMNS.values()), *dict.fromkeys(_MNEMONIC_COLUMNS.values()),
]  # fmt: skip
# What sass.csv has in figures, a row a kernel and API.
FIGURES = [
    "instructions", "registers", "live_registers", *EXCLUSIVE, *ATTRIBUTES, "load_scale", "store_scale", "code_bytes",
]  # fmt: skip
_COLUMN_OF = {
    "shared_load": "lds", "shared_store": "sts", "local_load": "ldl", "local_store": "stl", "generic_load": "generic",
    "generic_store": "generic", "atomic": "atomics", "async_copy": "async_copies", "constant_load": "constant_loads",
    "address": "address", "compare": "compares", "branch": "branches", "barrier": "barriers", "fence": "fences",
    "special": "special", "move": "moves", "election": "elections",
    "tensor_memory": "tensor_memory", "tensor_product": "tensor_products", "work_request": "work_requests", "other": "other", "unknown": "unknown",
}  # fmt: skip


def count(instructions: Iterable[Instruction], *, descriptors: bool) -> dict[str, int]:
    """Instructions by column of sass.csv. `instructions` carry their roles."""
    totals: Counter[str] = Counter()
    for instruction in instructions:
        sort = kind(instruction)
        if sort in ("load", "store"):
            prefix = "ldg" if sort == "load" else "stg"
            totals[f"{prefix}_{width(instruction)}" if width(instruction) else "unknown"] += 1
            totals[f"{prefix}_strong"] += bool(strength(instruction))
            totals[f"{prefix}_hinted"] += bool(cache_hints(instruction))
            totals["ldg_constant"] += sort == "load" and is_constant_kind(instruction)
        else:
            totals[_COLUMN_OF[sort]] += 1
        if instruction.base in _MNEMONIC_COLUMNS:
            totals[_MNEMONIC_COLUMNS[instruction.base]] += 1
        totals["membars"] += instruction.base == "MEMBAR"
        totals["l1_invalidates"] += instruction.base == "CCTL" and "IVALL" in instruction.modifiers
        if sort in _WITH_SCOPE:
            totals.update({_MODIFIER_COLUMNS[m] for m in instruction.modifiers if m in _MODIFIER_COLUMNS})
        totals["constant_reads"] += bool(constants(instruction))
        totals["pointer_reads"] += POINTER in instruction.roles
        totals["descriptor_reads"] += descriptors and bool({POINTER, LIMIT} & instruction.roles)  # of a buffer's address or size
        totals["constant_compares"] += CONSTANT_COMPARE in instruction.roles
        totals["bounds_checks"] += LIMIT in instruction.roles
        totals["predicated"] += bool(instruction.predicate)
        totals["recovered"] += instruction.recovered
    return {column: totals[column] for column in EXCLUSIVE + ATTRIBUTES}


def live_registers(instructions: Sequence[Instruction]) -> int | None:
    """The most general registers live at once; None where the listing does not say, or misses instructions that the data
    flows through.
    """
    if any(instruction.recovered for instruction in instructions):
        return None
    return max((i.live for i in instructions if i.live is not None), default=None)


def text(instructions: Iterable[Instruction]) -> str:
    """The normalised listing: offset, predicate, opcode, operands."""
    lines = []
    for i in instructions:
        line = f"{i.offset:04x}  {i.predicate:>5} {i.opcode} {i.operands}".rstrip()
        lines.append(f"{line}  // left out by nvdisasm, read from its bits" if i.recovered else line)
    return "\n".join(lines) + "\n"
