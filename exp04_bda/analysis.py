"""exp04's tables: CUDA, descriptors and addresses side by side, the square of code and launch, the causes of gaps one by one, what
qualifiers change, and what a launch of either API has to itself: what the L2's slices take of it, and how much shared memory.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial

from benchlib.document import document
from benchlib.sass import listings
from benchlib.model.analysis import Analysis, Control, FloorFacts, Study
from benchlib.model.attribution import LAUNCH
from benchlib.document.document import NONE, Blocks, Cell, whole
from benchlib.pages.excerpts import sass_excerpts, three_ways
from benchlib.results.results import Case, Table
from benchlib.stats.spreads import RATIOS
from benchlib.stats.stats import Figure, product
from benchlib.tables.slices import slices_table
from benchlib.model.pairs import Pair, figure_of, pairs
from benchlib.tables.twins import comparison, micros, noise_floor, versus, without_checks
from benchlib.tables.pivot import Columns, across, by_api, column, for_apis, keys, pivot, told

THREE_WAYS = ["add_f32", "add_f32x4", "chase", "copy_f32", "loop_f32", "inner_struct"]
NOTHING = Pair(None, None)
CONTROLS = ("aa_control_a", "aa_control_b")
# Of the launch, not of a kernel's gap.
OF_LAUNCH = ("shared_u32",)


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
    "vulkan_low_priority": Change("Vulkan", "a queue of low priority among all processes'"),
    "vulkan_high_priority": Change("Vulkan", "a queue of high priority among all processes'"),
    "vulkan_second_device": Change("Vulkan", "a second Vulkan device of the GPU, open and idle"),
    "cuda_strong_store": Change("CUDA", "STRONG stores"),
    "cuda_constant_load": Change("CUDA", "CONSTANT loads"),
    "cuda_constant_strong": Change("CUDA", "CONSTANT loads, STRONG stores"),
    "cuda_bounds": Change("CUDA", "bounds checks"),
    "cuda_offset32": Change("CUDA", "32-bit offsets from one base"),
    "cuda_block_constant": Change("CUDA", "the block size as a constant"),
    "cuda_all": Change("CUDA", "all features of Vulkan's code at once"),
    "cuda_16_registers": Change("CUDA", "16 registers per thread"),
    "one_slot": Change("both", "one block at a time on an SM, by its registers"),
    "cuda_one_slot": Change("CUDA", "one block at a time on an SM, by its shared memory"),
    "cuda_runs_vulkan_code": Change("CUDA", "Vulkan's machine code itself"),
    "cuda_runs_vulkan_address_code": Change("both", "Vulkan's machine code itself, with addresses"),
    "vulkan_runs_cuda_code": Change("Vulkan", "CUDA's machine code itself"),
}
MEMORIES = {
    "from_vulkan": Change("CUDA", "Vulkan's pages, imported into CUDA"),
    "from_cuda": Change("Vulkan", "CUDA's pages, imported into Vulkan"),
    "vulkan_sparse": Change("Vulkan", "pages bound by the queue"),
    "vulkan_scattered": Change("Vulkan", "pages bound by the queue, in scattered blocks of the least size"),
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
    return case.replace(api="", feature="", memory="", checks="")


def with_key(found: Iterable[Pair], wanted: Case) -> list[Pair]:
    return [pair for pair in found if key(pair.case) == wanted]


def ratio_to(table: Table, case: Case | None, base: Case | None) -> Cell:
    """The time over that of another row of the same API."""
    if case is None or base is None:
        return NONE
    return "1" if case == base else document.ratio(table.ratio(case, base))


SIZE = keys({"kernel": "variant", "block:": "block", "elements:": lambda case: whole(case.elements), "cache": "cache"})


# ---------------------------------------------------------------------------------------------------------- three ways


def three(found: Study, table: Table) -> Blocks:
    """Each kernel as CUDA, through descriptors, and through addresses, each against the CUDA row it was measured with."""
    rows: dict[Case, tuple[Pair, Pair]] = {}
    for variant in THREE_WAYS:
        where: dict[str, object] = {"variant": variant, "memory": "own"}
        bound, addressed = ({key(pair.case): pair for pair in pairs(table, {**where, "feature": name})} for name in ("none", "vulkan_address"))
        for one in sorted({**bound, **addressed}, key=lambda case: (case.elements, case["block"].zfill(5))):
            rows[one] = bound.get(one, NOTHING), addressed.get(one, NOTHING)

    def times(one: Case) -> list[Cell]:
        bound, addressed = rows[one]
        return [micros(figure_of(table, side)) for side in (bound.cuda or addressed.cuda, bound.vulkan, addressed.vulkan)]

    def against_cuda(at: int) -> Callable[[Case], list[Cell]]:
        return lambda one: [NONE, NONE] if rows[one][at] == NOTHING else comparison(table, rows[one][at])

    shown = pivot(
        rows,
        SIZE,
        (["CUDA µs:", "descriptors µs:", "addresses µs:"], times),
        (["descriptors/CUDA [95 %]:", "descriptors are"], against_cuda(0)),
        (["addresses/CUDA [95 %]:", "addresses are"], against_cuda(1)),
        column("addresses/descriptors [95 %]:", lambda one: ratio_to(table, rows[one][1].vulkan, rows[one][0].vulkan)),
    )
    return told(shown, after=[found.memoized(noise_floor, table)])


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
    if case["checks"] == "off":
        changes.append(Change("Vulkan", "no bounds checks"))
    sides = dict.fromkeys(change.side for change in changes)
    return Change(" and ".join(sides) or NONE, "; ".join(change.text for change in changes) or "nothing: the twins as they are")


def is_plain(case: Case) -> bool:
    return case["feature"] in ("", "none") and case["memory"] in ("", "own") and case["checks"] != "off"


def causes(found: Study, table: Table) -> Blocks:
    """A block of rows for each kernel: the gap as it is, then with one thing changed, and how far that moved each side."""
    candidates = pairs(table, {"elements": "max"}) + pairs(table, {"elements": "max", "checks": "off"})
    candidates = [pair for pair in candidates if is_experiment(pair.case)]
    rows: list[Pair] = []
    plain: dict[Case | None, Case | None] = {}
    for one in dict.fromkeys(key(pair.case) for pair in candidates):
        group = sorted(with_key(candidates, one), key=lambda pair: not is_plain(pair.case))
        rows += group
        for pair in group:
            plain |= zip(pair.sides, (group[0] if is_plain(group[0].case) else NOTHING).sides)
    shown = pivot(
        rows,
        SIZE,
        keys({"changed": lambda case: change_of(case).text, "whose": lambda case: change_of(case).side}),
        by_api(["{} µs:", "to plain:"], lambda side: [micros(figure_of(table, side)), ratio_to(table, side, plain[side])]),
        versus(table),
    )
    reading = (
        "To plain: the time over that of the same side's plain row. A change that brings Vulkan/CUDA to 1 names the cause only if "
        "it is the slower side that it moves, or if it moves the faster one by what the other side has too."
    )
    return told(shown, after=[reading, found.memoized(noise_floor, table)])


def is_experiment(case: Case) -> bool:
    return case["variant"] not in (*CONTROLS, *OF_LAUNCH) and case["feature"] not in ONLY_QUALIFIERS


# -------------------------------------------------------------------------------------------------------------- square


@dataclass(frozen=True)
class MachineCode:
    """One of the square's machine codes: the row of its own API's launch, and the row where the other API launches it."""

    text: str
    own: Mapping[str, str]
    foreign: Mapping[str, str]


NVCC_CODE = MachineCode("CUDA's code", {"feature": "none"}, {"feature": "vulkan_runs_cuda_code"})
CHECKED_CODE = MachineCode("Vulkan's code", {"feature": "none"}, {"feature": "cuda_runs_vulkan_code"})
UNCHECKED_CODE = MachineCode("without checks", {"feature": "none", "checks": "off"}, {"feature": "cuda_runs_vulkan_code", "checks": "off"})
ADDRESS_CODE = MachineCode("with addresses", {"feature": "vulkan_address"}, {"feature": "cuda_runs_vulkan_address_code"})
CODES = (NVCC_CODE, CHECKED_CODE, UNCHECKED_CODE, ADDRESS_CODE)


class Square:
    """{CUDA's code, Vulkan's with the driver's checks, without, with addresses} x {launched by CUDA, by Vulkan}, of one kernel.

    All ratios are products of ratios of pairs, each of two sides that were sampled in turn: a GPU that changes between two cases
    moves both sides of either.
    """

    def __init__(self, table: Table, one: Case):
        self.table, self.one = table, one

    def pair(self, row: Mapping[str, str]) -> Pair:
        cuda, vulkan = (self.one.replace(memory="own", api=api, **row) for api in ("cuda", "vulkan"))
        return Pair(cuda if self.has(cuda, row) else None, vulkan if self.has(vulkan, row) else None)

    def has(self, case: Case, row: Mapping[str, str]) -> bool:
        """Results, and the columns that tell: older ones have no `checks`, and all of them the driver's."""
        return all(case[column] == value for column, value in row.items()) and bool(self.table.rows(case))

    def times(self, code: MachineCode) -> list[Cell]:
        """Launched by CUDA, by Vulkan."""
        if code is NVCC_CODE:
            sides = self.pair(code.own).cuda, self.pair(code.foreign).vulkan
        else:
            sides = self.pair(code.foreign).cuda, self.pair(code.own).vulkan
        return [micros(figure_of(self.table, side)) for side in sides]

    def launch(self, code: MachineCode) -> Figure | None:
        """What Vulkan's launch of the code takes over CUDA's."""
        return self.figure((code.foreign, 1))

    def code(self, code: MachineCode) -> Figure | None:
        """What the code takes over CUDA's: in CUDA's launch and in Vulkan's, their geometric mean."""
        return self.figure((code.own, 1), (code.foreign, -0.5), (NVCC_CODE.foreign, -0.5))

    def figure(self, *terms: tuple[Mapping[str, str], float]) -> Figure | None:
        """The product of pairs' ratios, Vulkan over CUDA, each to its power; taken in every run, and then over the runs."""
        pairs_ = [(self.pair(row), power) for row, power in terms]
        by_run = []
        for at in range(len(self.table.runs)):
            parts = [(self.ratio(pair, at), power) for pair, power in pairs_]
            known = [(figure, power) for figure, power in parts if figure]
            by_run.append(product(known) if len(known) == len(parts) else None)
        first = pairs_[0][0]
        return self.table.over_runs(by_run, "device_ns", first.case, RATIOS) if first.cuda or first.vulkan else None

    def ratio(self, pair: Pair, at: int) -> Figure | None:
        if not pair.cuda or not pair.vulkan:
            return None
        cuda, vulkan = (self.table.run_figures(side, "device_ns")[at] for side in (pair.cuda, pair.vulkan))
        return product([(vulkan, 1), (cuda, -1)]) if cuda and vulkan else None


def squares(table: Table) -> dict[Case, Square]:
    """By the case without what was changed: of every kernel and size of which CUDA's code was launched by Vulkan, or Vulkan's by CUDA."""
    where: dict[str, object] = {"memory": "own", "feature": [code.foreign["feature"] for code in CODES]}
    found = [case for case in table.select(where) if case["variant"] not in OF_LAUNCH]
    keys = dict.fromkeys(key(case) for case in found)
    return {one: Square(table, one) for one in sorted(keys, key=lambda one: (one["variant"], -one.elements, one["block"].zfill(5)))}


def square(found: Study, table: Table) -> Blocks:
    """The eight times, and what Vulkan's launch takes of each code over CUDA's."""
    rows = squares(table)

    def of(code: MachineCode) -> Columns[Case]:
        names = [f"{code.text}: launched by CUDA, µs:", "by Vulkan, µs:", "Vulkan/CUDA [95 %]:"]
        return names, lambda one: [*rows[one].times(code), document.ratio(rows[one].launch(code))]

    return told(pivot(rows, SIZE, *map(of, CODES)), after=[found.memoized(noise_floor, table)])


def split(found: Study, table: Table) -> Blocks:
    """Vulkan's gap as a product of what the code, the driver's checks and the launch make of it."""
    rows = squares(table)
    # Of both launches: with checks over without, CUDA's side taken out of each.
    checks = (CHECKED_CODE.own, 1), (UNCHECKED_CODE.own, -1), (CHECKED_CODE.foreign, -0.5), (UNCHECKED_CODE.foreign, 0.5)
    parts: list[tuple[str, Callable[[Square], Figure | None]]] = [
        ("Vulkan/CUDA", lambda each: each.figure((CHECKED_CODE.own, 1))),
        ("code", lambda each: each.code(UNCHECKED_CODE)),
        ("checks", lambda each: each.figure(*checks)),
        ("launch", lambda each: each.figure((CHECKED_CODE.foreign, 0.5), (NVCC_CODE.foreign, 0.5))),
        ("code x launch", lambda each: each.figure((CHECKED_CODE.foreign, 1), (NVCC_CODE.foreign, -1))),
        ("with addresses: Vulkan/CUDA", lambda each: each.figure((ADDRESS_CODE.own, 1))),
        ("code", lambda each: each.code(ADDRESS_CODE)),
        ("launch", lambda each: each.figure((ADDRESS_CODE.foreign, 0.5), (NVCC_CODE.foreign, 0.5))),
        ("code x launch", lambda each: each.figure((ADDRESS_CODE.foreign, 1), (NVCC_CODE.foreign, -1))),
    ]
    shown = pivot(rows, SIZE, across(parts, lambda part: f"{part[0]} [95 %]", lambda one, part: document.ratio(part[1](rows[one]))))
    reading = (
        "Code, checks and launch multiply to the gap: each is the geometric mean of what a change of it makes of the time under the other "
        "launch and under this one (code: CUDA's against Vulkan's without checks). Code x launch: what Vulkan's launch makes of Vulkan's "
        "code over what it makes of CUDA's; 1 where the two have nothing to do with each other."
    )
    return told(shown, after=[reading, found.memoized(noise_floor, table)])


# Loads alone, stores alone, both; 4 bytes a thread, and 16.
COUNTED = ("load_f32", "store_u32", "copy_f32", "write_u32x4")
COUNTED_CHANGES = ("none", "vulkan_address", "vulkan_graphics_queue", "vulkan_runs_cuda_code", "cuda_runs_vulkan_code")


def slices(found: Study, table: Table) -> Blocks:
    """Kernels of one traffic, at their largest size."""
    wanted = pairs(table, {"variant": list(COUNTED), "feature": list(COUNTED_CHANGES), "block": "256"})
    largest = max((pair.case.elements for pair in wanted), default=0)
    rank = {name: at for at, name in enumerate((*COUNTED, *COUNTED_CHANGES))}
    chosen = [pair for pair in wanted if pair.case.elements == largest]
    chosen.sort(key=lambda pair: (rank[pair.case["variant"]], rank[pair.case["feature"]], pair.case["memory"]))
    return slices_table(found, table, chosen, lambda case: change_of(case).text)


def shared_memory(found: Study, table: Table) -> Blocks:
    """How much shared memory a block can have: in CUDA's launch, of a pipeline, and of CUDA's code that Vulkan launches."""

    def time(case: Case, api: str) -> Cell:
        figure = figure_of(table, case.replace(api=api))
        return micros(figure) if figure else why_not(table, case.replace(api=api))

    cases = {case.replace(api="") for run in table.runs for case in run if case["variant"] == "shared_u32"}
    return [
        pivot(
            sorted(cases, key=lambda case: (case["feature"], case.whole("shared_bytes"))),
            keys({"changed": lambda case: change_of(case).text, "KiB per block:": lambda case: document.fixed(case.whole("shared_bytes") / 1024, 0)}),
            for_apis("CUDA µs:", "Vulkan µs:", time),
        )
    ]


def why_not(table: Table, case: Case) -> str:
    return next((f"{run[case]['status']}: {run[case]['reason']}" for run in table.runs if case in run), NONE)


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
    rows: list[Pair] = []
    first: dict[Case | None, Case | None] = {}
    for variant in ("copy_f32", "copy_f32x4"):
        candidates = pairs(table, {"variant": variant, "memory": "own", "elements": "max", "feature": list(QUALIFIERS)})
        # Of a block size that all were run with: the plain copy ran with others, too.
        if special := [pair for pair in candidates if pair.case["feature"] != "none"]:
            group = with_key(candidates, key(special[0].case))
            group.sort(key=lambda pair: list(QUALIFIERS).index(pair.case["feature"]))
            rows += group
            for pair in group:
                first |= zip(pair.sides, group[0].sides)

    def code(pair: Pair) -> list[Cell]:
        variant, qualifier = pair.case["variant"], QUALIFIERS[pair.case["feature"]]
        cuda, vulkan = (accesses(found, table, f"{variant}{end}", api) for end, api in ((qualifier.cuda, "cuda"), (qualifier.vulkan, "vulkan")))
        return [*cuda, *vulkan]

    shown = pivot(
        rows,
        keys({"kernel": "variant", "qualifiers, CUDA / GLSL": lambda case: QUALIFIERS[case["feature"]].text}),
        (["CUDA load", "CUDA store", "Vulkan load", "Vulkan store"], code),
        by_api(["{} µs:", "to the first:"], lambda side: [micros(figure_of(table, side)), ratio_to(table, side, first[side])]),
        versus(table),
    )
    return told(shown, after=[found.memoized(noise_floor, table)])


def checks(found: Study, table: Table) -> Blocks:
    return without_checks(found, table, {"feature": "none"})


# --------------------------------------------------------------------------------------------------- what is shown where

MACHINE_CODE = partial(
    sass_excerpts,
    chosen=[
        three_ways("copy_f32", "copy_f32", "copy_f32_address"),
        three_ways("inner_struct", "inner_struct", "inner_struct_address"),
    ],
)
# Rows whose Vulkan side is the plain one: what is known of that holds for them, too.
PLAIN_VULKAN = ("none", *(feature for feature, change in FEATURES.items() if change.side == "CUDA" and "runs" not in feature))
PLAIN = {"feature": [*PLAIN_VULKAN, "vulkan_graphics_queue"], "memory": ["own", "from_vulkan"], "checks": ["", "default"]}
NO_CHANGE = {"feature": "none", "memory": "own"}
ADDRESSES, CUDA_CODE = {"feature": "vulkan_address", "memory": "own"}, {"feature": "vulkan_runs_cuda_code", "memory": "own"}
DESCRIPTORS, CODE = "descriptors in place of addresses", "the rest of Vulkan's machine code"
GAPS = [
    Control("what the row changes in CUDA", ("cuda", NO_CHANGE), ("cuda", {}), {"feature": PLAIN_VULKAN[1:]}),
    Control("Vulkan's pages in CUDA", ("cuda", NO_CHANGE), ("cuda", {}), {"memory": ["from_vulkan"], "feature": ["none"]}),
    Control("CUDA's pages in Vulkan", ("vulkan", {}), ("vulkan", NO_CHANGE), {"memory": ["from_cuda"], "feature": ["none"]}),
    Control("a queue with graphics", ("vulkan", {}), ("vulkan", NO_CHANGE), {"feature": ["vulkan_graphics_queue"]}),
    Control("bounds checks", ("vulkan", NO_CHANGE), ("vulkan", {**NO_CHANGE, "checks": "off"}), PLAIN),
    Control(DESCRIPTORS, ("vulkan", NO_CHANGE), ("vulkan", ADDRESSES), PLAIN, ["bounds checks"]),
    Control(CODE, ("vulkan", ADDRESSES), ("vulkan", CUDA_CODE), {**PLAIN, "feature": [*PLAIN_VULKAN, "vulkan_address"]}),
    # These say where the rest lies, not what it is.
    Control(
        "the same machine code, run by either", ("vulkan", {}), ("cuda", {}),
        {"feature": ["cuda_runs_vulkan_code", "cuda_runs_vulkan_address_code", "vulkan_runs_cuda_code"]}, [LAUNCH], localizes_only=True,
    ),
    Control(
        "CUDA's machine code, run by Vulkan", ("vulkan", CUDA_CODE), ("cuda", NO_CHANGE),
        {**PLAIN, "feature": [*PLAIN_VULKAN, "vulkan_address"]}, [LAUNCH], localizes_only=True,
    ),
]  # fmt: skip
ANALYSIS = Analysis(
    inside_sm=["spin_u32", "shared_u32"],
    controls=GAPS,
    sections=[
        ("CUDA, descriptors, addresses", three),
        ("The square: code and launch", square),
        ("Vulkan's gap, split", split),
        ("With and without bounds checks", checks),
        ("Causes of the gaps", causes),
        ("What the L2's slices took", slices),
        ("Shared memory of a block", shared_memory),
        ("Qualifiers", qualifiers),
        ("Machine code", MACHINE_CODE),
    ],
    floor=FloorFacts(
        empty={"variant": "empty"},
        one_slot={"one_slot": {"feature": "one_slot"}, "cuda_one_slot": {"feature": "cuda_one_slot", "api": "cuda"}},
    ),
)
