"""The pages of machine code in sass/: one a pair of listings, and their table with the legend.

dump_sass.py writes them. Between the markers worklog.py writes what was measured of the pair (listing_times.py).
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from benchlib.base import archive
from benchlib.document import markdown
from benchlib.sass import same_work, sass, sass_diff
from benchlib.stats.formats import NONE
from benchlib.sass.sass import Instruction
from benchlib.sass.sass_diff import Difference, AlignedPair

UP = "../../../../"  # to the root, from results/<set>/sass/<experiment>/
PAIRS = "pairs"  # the marker's name
_OPEN, _CLOSE = f"<!-- worklog:{PAIRS} -->", "<!-- /worklog -->"
LONG = 120  # lines, from which on only those around which the others stand are shown
_SHOWN = {"load", "store", "generic_load", "generic_store", "shared_load", "shared_store", "atomic", "async_copy", "fence", "barrier"}

DIFFERENCES = {
    sass_diff.EXTRA_ACCESS: "a load, store, atomic or asynchronous copy that the other side has none for",
    sass_diff.ACCESS_WIDTH: "the same access with another number of bits",
    sass_diff.LOAD_KIND: "a load marked CONSTANT, which may come by the read-only path: the compiler knows that nobody writes there",
    sass_diff.LOAD_STRENGTH: "a load marked STRONG with a scope: it must see what others in that scope have written",
    sass_diff.STORE_STRENGTH: "a store marked STRONG with a scope",
    sass_diff.CACHE_HINT: "a hint to the caches: EF evict first, EL last, EU unchanged, LU last use, NA no allocation, LTC the L2 fetches ahead",
    sass_diff.BOUNDS_CHECK: "a compare with a buffer's size; in a kernel with descriptors also a further one with another value in the constant bank",
    sass_diff.DESCRIPTOR_READ: "an instruction that takes a buffer's address out of its descriptor, in the constant bank",
    sass_diff.PARAMETER_READ: "an instruction that takes a buffer's address out of the kernel's parameters or push constants",
    sass_diff.ADDRESS: "integer arithmetic that makes a 64-bit address, or whose carry a bounds check looks at",
    sass_diff.MEMORY_DESCRIPTOR: "the load of desc[...], which CUDA's accesses name",
    sass_diff.CONSTANT_READ: "any other load from the constant bank",
    sass_diff.COMPARE: "any other compare",
    sass_diff.GUARD: "an instruction that runs under a predicate (@P0) on one side only",
    sass_diff.CONTROL: "a branch, call or exit",
    sass_diff.BARRIER: "a barrier of the block",
    sass_diff.FENCE: "a memory fence, or a cache emptied",
    sass_diff.STACK: "the stack pointer's set-up, which CUDA's ABI asks for",
    sass_diff.THREAD_INDEX: "the read of a special register: block, thread, lane",
    sass_diff.MOVE: "a copy between registers",
    sass_diff.ARITHMETIC: "any other arithmetic",
    sass_diff.FORM: "the same operation by another opcode or modifier: FADD.FTZ for FADD",
    sass_diff.UNKNOWN: "an instruction that nvdisasm or this program does not know",
}
COLUMNS = {
    "ldg_N, stg_N": "loads from and stores to global memory, N bits per thread",
    "lds, sts": "loads from and stores to shared memory",
    "ldl, stl": "loads from and stores to local memory: spilled registers",
    "generic": "loads and stores by an address that may be of any of these",
    "atomics, async_copies, barriers, fences": "what their names say",
    "constant_loads": "loads from the constant bank: parameters, descriptors, push constants",
    "address": "integer arithmetic that makes a 64-bit address",
    "compares, branches, special, moves": "compares; branches, calls, exits; reads of special registers; copies between registers",
    "elections": "of one lane of the warp",
    "tensor_memory, tensor_products": "tcgen05: loads, stores, copies and barriers of tensor memory; matrix products in it",
    "work_requests": "for the work of another block that has not started",
    "other": "what is in none of these",
    "unknown": "instructions that nvdisasm or this program does not know, and global loads and stores of unknown width",
    "ldg_constant, ldg_strong, stg_strong": "loads marked CONSTANT; loads and stores marked STRONG",
    "ldg_hinted, stg_hinted": "loads and stores with a hint to the caches",
    "constant_reads": "instructions with an operand in the constant bank: constant_loads, and others that read one themselves",
    "pointer_reads": "instructions that take a buffer's address from the constant bank",
    "descriptor_reads": "instructions that take a buffer's address or size from its descriptor: pointer_reads and bounds_checks",
    "constant_compares": "compares with a value in the constant bank",
    "bounds_checks": "those that compare with a buffer's size",
    "predicated": "instructions under a predicate",
    "recovered": "instructions that nvdisasm left out, read from their bits",
    "membars, l1_invalidates": "memory barriers; instructions that empty the L1",
    "scope_cta, scope_gpu, scope_sys, mmio": "accesses and fences of that scope",
    "evict_first, evict_last, evict_unchanged, last_use, no_allocate, l2_prefetches": "accesses with that hint",
    "reductions": "of the atomics those that return nothing",
    "hmma, imma, dmma, qmma": "multiplications of a warp's matrices: of f16, bf16 or tf32; of integers; of f64; of fp8",
    "hgmma, igmma, qgmma, warpgroup": "multiplications of a warp group's matrices, and the fences and waits around them",
    "idp": "dot products of four bytes",
    "ldsm, ldgsts, utmaldg": "loads of matrices from shared memory; asynchronous copies into it, by threads and through tensor maps",
}  # fmt: skip


def page(
    title: str,
    difference: Difference,
    facts: Sequence[Mapping[str, object]],
    listings: Sequence[str],
    before: str | None,
    sources: Sequence[Path | None] = (None, None),
    work: same_work.Same | same_work.Excused | same_work.NotSame = same_work.Same(),
) -> str:
    """A pair's. `facts`: both sides' rows of sass.csv. `listings`: their names in the archive. `before`: the page that is there. `sources`: the kernels',
    from the repository's root. `work`: whether it is the same.
    """
    names = [side.title for side in difference.sides]
    packed = f"{facts[0]['experiment']}{archive.SUFFIX}"
    whole = " and ".join(f"`{name}`" for name in listings)
    written = ", ".join(f"[{path.as_posix()}]({UP}{path.as_posix()})" for path in sources if path)
    line = sass_diff.summary(difference)
    parts = [
        f"# {markdown.escape(title)}",
        f"Machine code (SASS), by scripts/dump_sass.py. The whole listings: {whole} in [{packed}](../{packed}). [How to read this page](../README.md#how-to-read-a-page).",
        *([f"Sources: {written}."] if written else []),
        _measured(before),
        *_work(work),
        f"{line[0].upper()}{line[1:]}.",
        "## Side by side",
        *_side_by_side(difference),
    ]
    if difference.counts:
        named = [(markdown.escape(name), str(a), str(b)) for name, (a, b) in difference.counts.items()]
        parts += ["## Differences, by the name beside the line", markdown.table(["what", *(f"{name}:" for name in names)], named)]
    return "\n\n".join([*parts, "## Counts of each listing", _facts(facts, names)]) + "\n"


def _work(work: same_work.Same | same_work.Excused | same_work.NotSame) -> list[str]:
    if isinstance(work, same_work.NotSame):
        return [f"**Not the same work**: {markdown.escape(same_work.as_text(work.differs))}."]
    return [f"The work differs because {markdown.escape(reason)}." for reason in work.reasons] if isinstance(work, same_work.Excused) else []


def _measured(before: str | None) -> str:
    """The markers, with what worklog.py has written between them."""
    text = before or ""
    start, end = text.find(_OPEN), text.find(_CLOSE)
    return text[start : end + len(_CLOSE)] if 0 <= start < end else f"{_OPEN}\n\n{_CLOSE}"


def _facts(facts: Sequence[Mapping[str, object]], names: Sequence[str]) -> str:
    """What sass.csv has of either; of the counts those that are not 0 on both sides."""
    columns = ["instructions", "registers", "live_registers", "arch", "isa_hash"]
    if len({row["kernel"] for row in facts}) > 1:
        columns.insert(0, "kernel")
    columns += [column for column in sass.EXCLUSIVE + sass.ATTRIBUTES if any(str(row.get(column) or "0") != "0" for row in facts)]
    rows = [[column, *(NONE if row[column] in (None, "") else markdown.escape(str(row[column])) for row in facts)] for column in columns]
    return markdown.table(["in sass.csv", *(f"{name}:" for name in names)], rows)


def _side_by_side(difference: Difference) -> list[str]:
    """All lines; of many those with a memory access, a fence, a barrier or a bounds check, and how many stand between them."""
    left, right = difference.sides
    rows = difference.rows
    shown = [at for at, row in enumerate(rows) if len(rows) <= LONG or _tells(row)]
    cells = [(_line(rows[at].left), rows[at].mark, _line(rows[at].right), rows[at]) for at in shown]
    width = max([len(left.title), *(len(a) for a, _, _, _ in cells)])
    right_width = max([len(right.title), *(len(b) for _, _, b, _ in cells)])
    lines = [f"{left.title:<{width}}   {right.title}"]
    for at, last, (a, mark, b, row) in zip(shown, [-1, *shown], cells):
        lines += [f"... {at - last - 1}"] * (at > last + 1)
        names = (["order"] if row.moved else []) + row.names
        lines.append(f"{a:<{width}} {mark} {b:<{right_width}}  {', '.join(names)}".rstrip())
    listing = "\n".join(["```text", *lines, "```"])
    if len(shown) == len(rows):
        return [listing]
    return [f"{len(shown)} of {len(rows)} lines: the accesses, fences, barriers and bounds checks.", listing]


def _tells(row: AlignedPair) -> bool:
    sides = [side for side in (row.left, row.right) if side]
    return sass_diff.BOUNDS_CHECK in row.names or any(sass.kind(side) in _SHOWN for side in sides)


def _line(instruction: Instruction | None) -> str:
    if instruction is None:
        return ""
    return f"{instruction.offset:04x} {instruction.predicate:>5} {instruction.opcode} {instruction.operands}".rstrip()


# --------------------------------------------------------------------------------------------------------------- the table


def index(twin_rows: Sequence[Mapping[str, object]]) -> str:
    """Of all pairs, by experiment, with the legend. `twin_rows`: of sass_twins.csv."""
    parts = [
        "# Machine code, CUDA and Vulkan side by side",
        "Generated by scripts/dump_sass.py. The figures are in `sass.csv` and `sass_twins.csv`, packed or as they were written, beside this folder.",
        "A pair's page shows both listings side by side. Pages are made on demand: `scripts/dump_sass.py --pages --kernel NAME --out DIR` writes that "
        "pair's page into its experiment's folder here, and without `--kernel` every page. DIR is the folder above this one. No GPU is needed.",
        *_legend(),
    ]
    for experiment in dict.fromkeys(str(row["experiment"]) for row in twin_rows):
        rows = [
            [markdown.escape(str(row["kernel"])), markdown.escape(str(row["summary"]))]
            for row in twin_rows
            if row["experiment"] == experiment
        ]
        packed = f"{experiment}{archive.SUFFIX}"
        parts += [f"## {markdown.escape(experiment)}", f"Listings: [{packed}]({packed}).", markdown.table(["pair", "what differs"], rows)]
    return "\n\n".join(parts) + "\n"


def _legend() -> list[str]:
    return [
        "## How to read a page",
        "CUDA stands on the left, Vulkan on the right, each instruction with its offset in bytes, beside the one that answers it. "
        "`|`: the two differ. `<`, `>`: only this side has it. Right of them stands what differs; `order`: the other side has the same "
        f"instruction elsewhere. If there are more than {LONG} lines, a page shows the accesses, fences, barriers and bounds checks; `... 12` stands for "
        "12 lines left out. The whole listings are in the experiment's archive (`tar -xJf exp01_vector_add.tar.xz`).",
        "A page counts twice. Its last table has what sass.csv has: all instructions of a listing, each under one of its kind "
        "and under every property that it has. The table of differences counts only lines with that name beside them. "
        "So `descriptor_reads` can be 7 where 3 lines say *descriptor read*: the other 4 say *bounds check*, and take a size from the descriptor. "
        "And 43 lines can say *bounds check* where `bounds_checks` is 35: the other 8 compare with a value of which it is not known that it is a size.",
        markdown.table(["name beside a line", "what it is"], ([markdown.escape(text) for text in pair] for pair in DIFFERENCES.items())),
        markdown.table(["column of sass.csv", "instructions"], ([_codes(names), markdown.escape(meaning)] for names, meaning in COLUMNS.items())),
    ]


def _codes(names: str) -> str:
    return ", ".join(f"`{name}`" for name in names.split(", "))
