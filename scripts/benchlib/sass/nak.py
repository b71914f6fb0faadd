"""NVK's listings: NVIDIA's machine code as Mesa's compiler (NAK) writes it, which is a notation of its own and no SASS.

    p0    = isetp.lt.u32 r0 c[0x0][0x700]              // delay=13
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

OTHER = "other"


@dataclass(frozen=True)
class NakInstruction:
    predicate: str  # "@!p0", or ""
    results: str  # "r2 p0"; "" of what has none
    opcode: str  # with its modifiers: ld.global.a64.constant.b32
    operands: str
    label: str = ""  # of the block that begins here

    @property
    def text(self) -> str:
        left = f"{self.results} = " if self.results else ""
        return " ".join(filter(None, [self.predicate, f"{left}{self.opcode}", self.operands]))

    @property
    def kind(self) -> str:
        return next((name for name, pattern in _KINDS.items() if pattern.match(self.opcode)), OTHER)


_LINE = re.compile(r"\s*(?:(?P<predicate>@!?u?p\w+)\s+)?(?:(?P<results>[a-zA-Z_][\w.\[\] ]*?)\s*=\s+)?(?P<opcode>[a-z]\w*(?:\.\w+(?:\[\w+\])?)*)(?:\s+(?P<operands>.*))?")
_BLOCK = re.compile(r"block(?:\.u)?\s+(\d+)\b.*\{")


def parse(text: str) -> list[NakInstruction]:
    found: list[NakInstruction] = []
    label = ""
    for line in text.splitlines():
        code = line.partition("//")[0].rstrip()
        if block := _BLOCK.match(code):
            label = f"block {block[1]}"
        elif code and not code.startswith("}") and (match := _LINE.fullmatch(code)):
            results = " ".join((match["results"] or "").split())
            found.append(NakInstruction(match["predicate"] or "", results, match["opcode"], (match["operands"] or "").strip(), label))
            label = ""
    return found


def as_text(instructions: Iterable[NakInstruction]) -> str:
    """What parse() reads again, but for the delays."""
    lines = []
    for one in instructions:
        lines += [f"{one.label} {{"] * bool(one.label) + [f"  {one.text}"]
    return "".join(f"{line}\n" for line in lines)


KINDS = {
    "matrix": r"hmma|imma|dmma|bmma",
    "dot": r"idp",
    "atomics": r"atom|red|suatom",
    "shared_loads": r"ld\.shared|ldsm",
    "shared_stores": r"st\.shared",
    "local": r"(ld|st)\.local",
    "loads": r"ld\.global|ldg|suld",
    "stores": r"st\.global|stg|sust",
    "constant_loads": r"ldc|ldcu",
    "cache_control": r"cctl|ccctl",
    "fences": r"membar",
    "barriers": r"bar\b",
    "special_registers": r"cs2r|s2ur|s2r",
    "branches": r"bra|brx|exit|call|ret|kill|bpt|bssy|bsync|break|bclear|bmov|warpsync",
    "cross_lane": r"shfl|vote|match|redux|r2ur|r2p|ldtram",
    "compares": r"[a-z]+setp|[a-z]+set\b|plop3",
    "moves": r"mov|sel|prmt",
    "hints": r"nop|depbar",
    "address_64": r"i(add|add2|add3|mad)\.(x|wide)|lea\.hi\.x|lea64",
    "arithmetic": r"[dfh](?:add|mul|fma|mnmx|swz|add2|mul2|fma2)|i(add|mad|abs|mnmx|mul)|lea|lop|shf|shl|shr|mufu|popc|flo|brev|bmsk|sgxt|[fi]2[fi]|frnd|rro",
}  # fmt: skip
_KINDS = {name: re.compile(pattern) for name, pattern in KINDS.items()}
# What an instruction is beside its kind: accesses by width.
PROPERTIES = {
    f"{name}_{bits}": rf"{opcode}\.(global|shared)\.(.*\.)?b{bits}" for name, opcode in (("loads", "ld"), ("stores", "st")) for bits in (128, 64, 32)
}
_PROPERTIES = {name: re.compile(pattern) for name, pattern in PROPERTIES.items()}
COUNTS = ("instructions", *KINDS, OTHER, *PROPERTIES)


def count(listing: Sequence[NakInstruction]) -> dict[str, int]:
    """By kind, which together are all; and by property."""
    counts = dict.fromkeys(COUNTS, 0)
    counts["instructions"] = len(listing)
    for one in listing:
        counts[one.kind] += 1
        for name, pattern in _PROPERTIES.items():
            counts[name] += bool(pattern.fullmatch(one.opcode))
    return counts


STATISTICS = {
    "Number of GPRs": "registers",
    "Spills to memory": "spills",
    "SLM size": "local_bytes",
    "Max warps/SM": "warps_per_sm",
    "Static cycle count": "static_cycles",
    "Code size": "code_bytes",
}
FIGURES = tuple(STATISTICS.values())
