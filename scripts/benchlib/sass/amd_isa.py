"""AMD's machine code as text: RADV's listings (by ACO) and LLVM's, read, and their instructions sorted by what they are for.

Which mnemonic belongs to which kind: AMD's "RDNA3" and "RDNA4 Instruction Set Architecture", "Vega 7nm Instruction Set Architecture".
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchlib.base.kept import kept_last

OTHER = "other"  # the kind of what this module does not know
END = "s_code_end"  # fills what is behind the code


@dataclass(frozen=True)
class AmdInstruction:
    opcode: str  # with its form: v_add_f32_e32
    operands: str
    code: bytes = b""  # where the listing has it
    label: str = ""  # of the block that begins here; of several the names, with blanks between them

    @property
    def text(self) -> str:
        return f"{self.opcode} {self.operands}".strip()

    @property
    def kind(self) -> str:
        return _kind(self.opcode, self.operands)


# ------------------------------------------------------------------------------------------------------------- reading

_REPEATED = re.compile(r"\s*\(then repeated (\d{1,5}) times\)")
_LABEL = re.compile(r"\.?(\w+):")
_WORDS = re.compile(r"[0-9a-f]{8}( [0-9a-f]{8})*")
# LLVM before it knew the halves of RDNA3's registers: v133 is v5.h.
_HALF = re.compile(r"v(\d+)/\*Invalid register[^*]*\*/")


def parse(text: str) -> list[AmdInstruction]:
    """Of RADV's assembly (an instruction a line, its words behind a semicolon), or of one function that LLVM wrote by -S. An instruction that RADV
    lists once, with how often it is repeated, is there as often. What fills the end is left out."""
    found: list[AmdInstruction] = []
    label = ""
    for line in text.splitlines():
        if repeated := _REPEATED.match(line):
            found += found[-1:] * int(repeated[1])
        elif begin := _LABEL.match(line):
            label = f"{label} {begin[1]}".strip()
        elif line.startswith("\t") and not line.startswith("\t.") and (bare := line.strip()) and bare[0] != ";":
            bare, _, comment = bare.partition(";")
            opcode, _, operands = _HALF.sub(lambda half: f"v{int(half[1]) - 128}.h", bare.strip()).partition(" ")
            words = comment.strip()
            code = b"".join(int(word, 16).to_bytes(4, "little") for word in words.split()) if _WORDS.fullmatch(words) else b""
            found.append(AmdInstruction(opcode, operands.strip(), code, label))
            label = ""
    return [one for one in found if one.opcode != END]


def as_text(instructions: Iterable[AmdInstruction]) -> str:
    """What parse() reads again, but for the code's words."""
    lines = []
    for one in instructions:
        lines += [*(f"{label}:" for label in one.label.split()), f"\t{one.text}"]
    return "".join(f"{line}\n" for line in lines)


# --------------------------------------------------------------------------------------------------------------- kinds

# An instruction is of the first kind that it matches, and of no other. Those of the first part are what a kernel is there for; the order is from
# the particular to the general. `exec` in an operand counts where a scalar instruction writes it.
KINDS = {
    "matrix": r"v_wmma|v_swmmac|v_mfma",
    "dot": r"v_dot\d",
    "atomics": r"(buffer|global|flat)_atomic|ds_(add|sub|min|max|and|or|xor|inc|dec|cmpst|cmpstore|wrxchg|storexchg|rsub|condxchg|pk_add|append|consume)",
    "cross_lane_lds": r"ds_(bpermute|permute|swizzle)",
    "lds_loads": r"ds_(load|read)",
    "lds_stores": r"ds_(store|write)",
    "scratch": r"scratch_",
    "vector_loads": r"(buffer|global|flat)_load",
    "vector_stores": r"(buffer|global|flat)_store",
    "scalar_loads": r"s_(buffer_)?load",
    "cache_control": r"(buffer|global)_(gl0_inv|gl1_inv|wbinvl1|inv|wb|wbl2|invl2)|s_(dcache|gl1)",
    "barriers": r"s_barrier",
    "waits": r"s_wait",
    "clocks": r"s_memtime|s_memrealtime|s_sendmsg_rtn|s_getreg\w* .*SHADER_CYCLES",
    "branches": r"s_c?branch|s_endpgm|s_setpc|s_swappc|s_call",
    "exec_masks": r"s_\w*(saveexec|wrexec)|v_cmpx|s_\w+ exec",
    "hints": r"s_delay_alu|s_clause|s_nop|s_(set_)?inst_prefetch|s_sendmsg|s_sethalt|s_setprio|s_round_mode|s_denorm_mode|s_ttracedata",
    "cross_lane": r"v_\w*_dpp|v_\w+ .*(quad_perm|row_|dpp8)|v_permlane|v_readlane|v_writelane|v_readfirstlane|v_mbcnt",
    "compares": r"v_cmp|s_cmp|s_bitcmp",
    "moves": r"[vs]_c?mov|v_dual_mov|v_accvgpr|v_swap",
    "address_64": r"v_add_co|v_add_nc_u64|v_addc|v_lshlrev_b64|v_mad_[iu]64|v_mad_co_[iu]64|v_lshl_add_u64|s_add_nc_u64|s_addc",
    "scalar": r"s_",
    "vector": r"v_",
}  # fmt: skip
# What an instruction is beside its kind.
PROPERTIES = {
    "loads_128": r"(buffer|global|flat|ds)_(load|read)_?(b128|dwordx4)",
    "loads_96": r"(buffer|global|flat|ds)_(load|read)_?(b96|dwordx3)",
    "loads_64": r"(buffer|global|flat|ds)_(load|read)2?_?(b64|dwordx2)",
    "loads_32": r"(buffer|global|flat|ds)_(load|read)_?(b32|dword)\b",
    "stores_128": r"(buffer|global|flat|ds)_(store|write)_?(b128|dwordx4)",
    "stores_64": r"(buffer|global|flat|ds)_(store|write)2?_?(b64|dwordx2)",
    "stores_32": r"(buffer|global|flat|ds)_(store|write)_?(b32|dword)\b",
    "by_descriptor": r"buffer_(load|store|atomic)",
    "by_address": r"(global|flat)_(load|store|atomic)",
    "past_l0": r".*\b(glc|sc0|scope:SCOPE_(SE|DEV|SYS)|th:\w+_RETURN)\b",
    "hinted": r".*\b(slc|nt|dlc|th:TH_\w+)\b",
    "dual": r"v_dual",
}  # fmt: skip
_KINDS = {name: re.compile(pattern) for name, pattern in KINDS.items()}
_PROPERTIES = {name: re.compile(pattern) for name, pattern in PROPERTIES.items()}
COUNTS = ("instructions", *KINDS, OTHER, *PROPERTIES)
# Before these the operands belong to what is matched: a scalar instruction that writes exec, a register that is the clock.
_WITH_OPERANDS = re.compile(r"s_|v_\w+$")


@kept_last(1 << 16)
def _kind(opcode: str, operands: str) -> str:
    head = f"{opcode} {operands}" if _WITH_OPERANDS.match(opcode) else opcode
    return next((name for name, pattern in _KINDS.items() if pattern.match(head)), OTHER)


def count(listing: Sequence[AmdInstruction]) -> dict[str, int]:
    """By kind, which together are all; and by property."""
    counts = dict.fromkeys(COUNTS, 0)
    counts["instructions"] = len(listing)
    for one in listing:
        counts[one.kind] += 1
        for name, pattern in _PROPERTIES.items():
            counts[name] += bool(pattern.match(one.text))
    return counts


# ---------------------------------------------------------------------------------------------------------- statistics

# RADV's names for what it says of a pipeline, and ours.
STATISTICS = {
    "VGPRs": "vgprs",
    "SGPRs": "sgprs",
    "Spilled VGPRs": "spilled_vgprs",
    "Spilled SGPRs": "spilled_sgprs",
    "LDS size": "lds_bytes",
    "Scratch size": "scratch_bytes",
    "Subgroups per SIMD": "subgroups_per_simd",
    "Code size": "code_bytes",
}
FIGURES = tuple(STATISTICS.values())
