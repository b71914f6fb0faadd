"""exp04's tables: CUDA, descriptors and addresses side by side, the causes of gaps one by one, and what qualifiers change."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from benchlib import document, listings
from benchlib.analysis import Analysis, FloorFacts, Study
from benchlib.document import NO_RESULTS, NONE, Blocks, Cell, Code, Whole, fixed, paragraph
from benchlib.excerpts import sass_excerpts, three_ways
from benchlib.results import API_NAMES, Case, Table
from benchlib.tables import Pair, comparison, figure_of, micros, pairs, with_noise_floor

THREE_WAYS = ["add_f32", "add_f32x4", "chase", "copy_f32", "loop_f32", "inner_struct"]
NOTHING = Pair(None, None)
CONTROLS = ("aa_control_a", "aa_control_b")


@dataclass(frozen=True)
class Change:
    """What a row of the experiment has that the plain twin has not."""

    side: str  # whose code, pages or queue it is
    text: str


FEATURES = {
    "vulkan_address": Change("Vulkan", "addresses in place of descriptors"),
    "vulkan_address_plain": Change("Vulkan", "addresses, neither readonly nor writeonly"),
    "vulkan_address_private": Change("Vulkan", "addresses, private (Vulkan memory model)"),
    "vulkan_private": Change("Vulkan", "private (Vulkan memory model)"),
    "vulkan_graphics_queue": Change("Vulkan", "the queue family with graphics"),
    "cuda_strong_store": Change("CUDA", "STRONG stores"),
    "cuda_constant_load": Change("CUDA", "CONSTANT loads"),
    "cuda_constant_strong": Change("CUDA", "CONSTANT loads, STRONG stores"),
    "cuda_bounds": Change("CUDA", "bounds checks"),
    "cuda_offset32": Change("CUDA", "32-bit offsets from one base"),
    "cuda_block_constant": Change("CUDA", "the block size as a constant"),
    "cuda_all": Change("CUDA", "all features of Vulkan's code at once"),
    "cuda_16_registers": Change("CUDA", "16 registers a thread"),
    "in_l2": Change("both", "16 MiB stored to over and over, which stay in the L2"),
    "one_slot": Change("both", "one block at a time on an SM, by its registers"),
    "cuda_one_slot": Change("CUDA", "one block at a time on an SM, by its shared memory"),
    "cuda_runs_vulkan_code": Change("CUDA", "Vulkan's machine code itself"),
    "cuda_runs_vulkan_address_code": Change("both", "Vulkan's machine code itself, with addresses"),
}
MEMORIES = {
    "from_vulkan": Change("CUDA", "Vulkan's pages, imported into CUDA"),
    "from_cuda": Change("Vulkan", "CUDA's pages, imported into Vulkan"),
}


@dataclass(frozen=True)
class Qualifier:
    """How the source says it, and the kernels' names: the variant's with these ends."""

    text: str
    cuda: str
    vulkan: str


QUALIFIERS = {
    "none": Qualifier("const / readonly, writeonly", "", ""),
    "no_qualifier": Qualifier("none", "_plain", "_plain"),
    "restrict": Qualifier("const, __restrict__ / restrict", "_restrict", "_restrict"),
    "coherent": Qualifier("relaxed, gpu scope / coherent", "_coherent", "_coherent"),
    "volatile": Qualifier("volatile", "_volatile", "_volatile"),
    "nonprivate": Qualifier("strong store / nonprivate", "_strong_store", "_nonprivate"),
    "vulkan_private": Qualifier("const / private (Vulkan memory model)", "", "_private"),
    "align16": Qualifier("16-byte type / address of alignment 16", "", "_address"),
    "align4": Qualifier("4-byte fields / address of alignment 4", "_align4", "_address_align4"),
}
# Qualifiers that are no experiment about a gap.
ONLY_QUALIFIERS = ("no_qualifier", "restrict", "coherent", "volatile", "nonprivate", "align16", "align4")


def key(case: Case) -> Case:
    """What the rows have in common that differ only in the experiment made."""
    return case.replace(api="", feature="", memory="")


def with_key(found: Iterable[Pair], wanted: Case) -> list[Pair]:
    return [pair for pair in found if key(pair.case) == wanted]


def ratio_to(table: Table, case: Case | None, base: Case | None) -> Cell:
    """The time over that of another row of the same API."""
    if case is None or base is None:
        return NONE
    return "1" if case == base else document.ratio(table.ratio(case, base))


def size_cells(case: Case) -> list[Cell]:
    return [case["variant"], case["block"], Whole(case.elements), case["cache"]]


SIZE_COLUMNS = ["kernel", "block:", "elements:", "cache"]


# ---------------------------------------------------------------------------------------------------------- three ways


def three(found: Study, table: Table) -> Blocks:
    """Each kernel as CUDA, through descriptors, and through addresses, each against the CUDA row it was measured with."""
    header = [*SIZE_COLUMNS, "CUDA µs:", "descriptors µs:", "addresses µs:", "descriptors/CUDA [95 %]:", "descriptors are"]
    header += ["addresses/CUDA [95 %]:", "addresses are", "addresses/descriptors [95 %]:"]
    rows = []
    for variant in THREE_WAYS:
        where: dict[str, object] = {"variant": variant, "memory": "own"}
        descriptors, addresses = (pairs(table, {**where, "feature": name}) for name in ("none", "vulkan_address"))
        keys = dict.fromkeys(key(pair.case) for pair in descriptors + addresses)
        for one in sorted(keys, key=lambda case: (case.elements, case["block"].zfill(5))):
            by_descriptor, by_address = (next(iter(with_key(group, one)), NOTHING) for group in (descriptors, addresses))
            cuda = by_descriptor.cuda or by_address.cuda
            cells = size_cells(one)
            cells += [micros(figure_of(table, side)) for side in (cuda, by_descriptor.vulkan, by_address.vulkan)]
            for pair in (by_descriptor, by_address):
                cells += comparison(table, pair) if pair != NOTHING else [NONE, NONE]
            rows.append([*cells, ratio_to(table, by_address.vulkan, by_descriptor.vulkan)])
    return with_noise_floor(found, table, document.table(header, rows)) if rows else [NO_RESULTS]


# -------------------------------------------------------------------------------------------------------------- causes


def change_of(case: Case) -> Change:
    """What this row changes, and on whose side."""
    feature, memory = case["feature"], case["memory"]
    changes = []
    if feature not in ("", "none"):
        prefix = {"cuda": "CUDA", "vulkan": "Vulkan"}.get(feature.partition("_")[0], "both")
        changes.append(FEATURES.get(feature) or Change(prefix, feature))
    if memory not in ("", "own"):
        changes.append(MEMORIES.get(memory) or Change("both", memory))
    sides = dict.fromkeys(change.side for change in changes)
    return Change(" and ".join(sides) or NONE, "; ".join(change.text for change in changes) or "nothing: the twins as they are")


def is_plain(case: Case) -> bool:
    return case["feature"] in ("", "none") and case["memory"] in ("", "own")


def causes(found: Study, table: Table) -> Blocks:
    """A block of rows for each kernel: the gap as it is, then with one thing changed, and how far that moved each side."""
    header = [*SIZE_COLUMNS, "changed", "whose", "CUDA µs:", "to plain:", "Vulkan µs:", "to plain:"]
    header += ["Vulkan/CUDA [95 %]:", "Vulkan is"]
    candidates = [pair for pair in pairs(table, {"elements": "max"}) if is_experiment(pair.case)]
    rows = []
    for one in dict.fromkeys(key(pair.case) for pair in candidates):
        group = sorted(with_key(candidates, one), key=lambda pair: not is_plain(pair.case))
        plain = group[0] if is_plain(group[0].case) else NOTHING
        for pair in group:
            change = change_of(pair.case)
            cells: list[Cell] = [*size_cells(one), change.text, change.side]
            for side, base in zip(pair.sides, plain.sides):
                cells += [micros(figure_of(table, side)), ratio_to(table, side, base)]
            rows.append(cells + comparison(table, pair))
    if not rows:
        return [NO_RESULTS]
    reading = paragraph(
        "To plain: the time over that of the same side's plain row. A change that brings Vulkan/CUDA to 1 names the cause only if "
        "it is the slower side that it moves, or if it moves the faster one by what the other side has too."
    )
    return with_noise_floor(found, table, document.table(header, rows), reading)


def is_experiment(case: Case) -> bool:
    return case["variant"] not in CONTROLS and case["feature"] not in ONLY_QUALIFIERS


# -------------------------------------------------------------------------------------------------------------- shares

SHARES = {"sm_blocks_min": "fewest", "sm_blocks_q1": "1st quartile", "sm_blocks_median": "median",
          "sm_blocks_q3": "3rd quartile", "sm_blocks_max": "most"}  # fmt: skip


def shares(found: Study, table: Table) -> Blocks:
    """How the SMs of either API shared a kernel's blocks: one that stores faster gets more of them."""
    rows = []
    for pair in pairs(table, {"variant": "write_share"}):
        for side in pair.sides:
            found_shares = [figure_of(table, side, metric) for metric in SHARES]
            if side and any(found_shares):
                cells = [change_of(side).text, API_NAMES[side["api"]], micros(figure_of(table, side))]
                rows.append([*cells, *(fixed(share.value, 0) if share else NONE for share in found_shares)])
    if not rows:
        return [NO_RESULTS]
    header = ["changed", "API", "µs:", *(f"{name}:" for name in SHARES.values())]
    text = (
        "Blocks of 4 KiB that an SM ran in one launch of ",
        Code("write_share"),
        ": the SMs sorted by that, at the ends and at every quarter.",
    )
    return with_noise_floor(found, table, document.table(header, rows), paragraph(*text))


# ---------------------------------------------------------------------------------------------------------- qualifiers


def accesses(found: Study, table: Table, kernel: str, api: str) -> list[str]:
    """The kernel's global loads, and its stores, as the listing has them."""
    code = [instruction.opcode for instruction in listings.of(found, table, kernel, api)]
    cells = []
    for prefix in ("LDG", "STG"):
        opcodes = [opcode for opcode in code if opcode.startswith(prefix)]
        parts = [f"{opcodes.count(o)} x {o}" if opcodes.count(o) > 1 else o for o in dict.fromkeys(opcodes)]
        cells.append(", ".join(parts) or NONE)
    return cells


def qualifiers(found: Study, table: Table) -> Blocks:
    """What each qualifier makes of a copy's load and store, and of its time."""
    header = ["kernel", "qualifiers, CUDA / GLSL", "CUDA load", "CUDA store", "Vulkan load", "Vulkan store"]
    header += ["CUDA µs:", "to the first:", "Vulkan µs:", "to the first:", "Vulkan/CUDA [95 %]:", "Vulkan is"]
    rows = []
    for variant in ("copy_f32", "copy_f32x4"):
        candidates = pairs(table, {"variant": variant, "memory": "own", "elements": "max", "feature": list(QUALIFIERS)})
        # Of a block size that all were run with: the plain copy ran with others, too.
        special = [pair for pair in candidates if pair.case["feature"] != "none"]
        if not special:
            continue
        group = with_key(candidates, key(special[0].case))
        group.sort(key=lambda pair: list(QUALIFIERS).index(pair.case["feature"]))
        for pair in group:
            qualifier = QUALIFIERS[pair.case["feature"]]
            cells: list[Cell] = [variant, qualifier.text]
            cells += accesses(found, table, variant + qualifier.cuda, "cuda")
            cells += accesses(found, table, variant + qualifier.vulkan, "vulkan")
            for side, base in zip(pair.sides, group[0].sides):
                cells += [micros(figure_of(table, side)), ratio_to(table, side, base)]
            rows.append(cells + comparison(table, pair))
    return with_noise_floor(found, table, document.table(header, rows)) if rows else [NO_RESULTS]


# --------------------------------------------------------------------------------------------------- what is shown where

MACHINE_CODE = partial(
    sass_excerpts,
    chosen=[
        three_ways("copy_f32", "copy_f32", "copy_f32_address"),
        three_ways("inner_struct", "inner_struct", "inner_struct_address"),
    ],
)
ANALYSIS = Analysis(
    sections=[
        ("CUDA, descriptors, addresses", three),
        ("Causes of the gaps", causes),
        ("Blocks that the SMs ran", shares),
        ("Qualifiers", qualifiers),
        ("Machine code", MACHINE_CODE),
    ],
    readme={
        "exp04-three": three,
        "exp04-causes": causes,
        "exp04-shares": shares,
        "exp04-qualifiers": qualifiers,
        "exp04-sass": MACHINE_CODE,
    },
    floor=FloorFacts(
        empty={"variant": "empty"},
        one_slot={"one_slot": {"feature": "one_slot"}, "cuda_one_slot": {"feature": "cuda_one_slot", "api": "cuda"}},
    ),
)
