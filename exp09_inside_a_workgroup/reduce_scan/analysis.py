"""exp09_reduce_scan's tables and figure: how near sums and scans come to the memory's rate, and to CUB."""

from collections.abc import Sequence

from benchlib.document import document
from benchlib.document.document import NO_RESULTS, NONE, Blocks, Cell, Code, fixed, paragraph, whole
from benchlib.document.plots import CUDA, MORE, VULKAN, Chart, Panel, Series, line
from benchlib.model import loop_body
from benchlib.model.analysis import Analysis, Counting, Plot, Study
from benchlib.model.attribution import code_of
from benchlib.model.pairs import Pair, figure_of, in_order
from benchlib.tables.twins import plain
from benchlib.results.results import API_NAMES, APIS, Case, Table
from benchlib.sass import listings
from benchlib.tables.pivot import by_api, column, figures, keys, pivot, quotient, told

SUMS = ["sum_tree", "sum_subgroup", "sum_last_block", "cub_sum"]
SCANS = ["scan_tree", "scan_subgroup", "scan_look_back", "scan_look_back_packed", "cub_scan"]
LOOK_BACK = ["scan_look_back", "scan_look_back_packed"]
CUB_OF = {**dict.fromkeys(SUMS, "cub_sum"), **dict.fromkeys(SCANS, "cub_scan")}


def _side(table: Table, variant: str, elements: int, api: str) -> Case | None:
    return table.one({"variant": variant, "elements": str(elements), "api": api})


def _sizes(table: Table) -> list[int]:
    return sorted({case.elements for case in table.select({"variant": [*SUMS, *SCANS]})})


def rates(_: Study, table: Table) -> Blocks:
    """A row a size and way: launches, times, and the rate of the bytes that any way must move."""
    ways = in_order(table.select({"variant": [*SUMS, *SCANS]}), "variant")
    found = [Pair(*(_side(table, way, elements, api) for api in APIS)) for elements in _sizes(table) for way in ways]

    def quotients(pair: Pair) -> list[Cell]:
        cuda, vulkan = (figure_of(table, side) for side in pair.sides)
        cub = _side(table, CUB_OF[pair.case["variant"]], pair.case.elements, "cuda")
        return [quotient(vulkan, cuda, 3), quotient(cuda, figure_of(table, cub), 3)]

    shown = pivot(
        [pair for pair in found if any(pair.sides)],
        keys({"words:": lambda case: whole(case.elements), "way": "variant", "launches:": lambda case: table.text(case, "launches") or NONE}),
        by_api(["{} ns:"], figures(table, plain, "device_ns")),
        (["Vulkan/CUDA:", "CUDA/CUB:"], quotients),
        by_api(["{} GB/s:"], figures(table, plain, "gbps")),
    )
    text = (
        "GB/s counts what any way must move: each word read once and, of a scan, written once. Several launches stand between one pair of stamps, each behind the "
        "one before. CUB's kernels are instantiated in a cubin of this suite and launched by it as CUB does, with CUB's policy for the architecture."
    )
    return told(shown, [text])


def fences(found: Study, table: Table) -> Blocks:
    """What release and acquire, or one 64-bit word, become: the strong accesses and fences of the kernel."""
    listed = {(kernel, api): code for kernel in LOOK_BACK for api in APIS if (code := listings.of(found, table, kernel, api))}

    def strong(row: tuple[str, str]) -> Cell:
        opcodes = (i.opcode for i in listed[row] if "STRONG" in i.opcode and i.opcode.startswith(("LD", "ST", "ATOM", "RED")))
        return "; ".join(dict.fromkeys(opcodes)) or NONE

    return [
        pivot(
            listed,
            (["kernel", "API"], lambda row: [Code(row[0]), row[1]]),
            column("strong accesses", strong),
            column("fences", lambda row: loop_body.fence_cell(found, table, *row)),
        )
    ]


COUNTED = {"instructions": "instructions", "barriers": "barriers", "fences": "fences", "MEMBAR": "membars"}


def account(found: Study, table: Table) -> Blocks:
    """Both forms of look-back at the largest size: Vulkan's time over CUDA's beside what the listings count."""
    sizes = [case.elements for case in table.select({"variant": LOOK_BACK})]
    if not sizes:
        return [NO_RESULTS]
    rows: list[list[Cell]] = []
    ratios: dict[str, float] = {}
    counts: dict[str, list[dict[str, int] | None]] = {}
    for kernel in LOOK_BACK:
        sides = [_side(table, kernel, max(sizes), api) for api in APIS]
        ratio = table.ratio(sides[1], sides[0]) if sides[0] and sides[1] else None
        if ratio:
            ratios[kernel] = ratio.value
        codes = [code_of(found, table, side) if side else None for side in sides]
        counts[kernel] = [{name: int(code.get(column) or 0) for name, column in COUNTED.items()} if code else None for code in codes]
        cells = [whole(each[name]) if each else NONE for name in COUNTED for each in counts[kernel]]
        rows.append([Code(kernel), fixed(ratio.value, 3) if ratio else NONE, *cells])
    header = ["kernel", "Vulkan/CUDA:", *(f"{API_NAMES[api]} {name}:" for name in COUNTED for api in APIS)]
    blocks: Blocks = [paragraph(f"Of {max(sizes):,} words. A dash: that listing is not kept."), document.table(header, rows)]
    cuda, vulkan = counts[LOOK_BACK[0]]
    more = [name for name in COUNTED if cuda and vulkan and vulkan[name] > cuda[name]]
    if len(ratios) == len(LOOK_BACK) and ratios[LOOK_BACK[0]] > max(1.0, ratios[LOOK_BACK[1]]) and more and cuda and vulkan:
        told = ", ".join(f"{vulkan[name]} {name} against {cuda[name]}" for name in more)
        kinds = [loop_body.fence_cell(found, table, LOOK_BACK[0], api) for api in APIS]
        if NONE not in kinds:
            told += f" (fences of CUDA's code: {kinds[0]}; of Vulkan's: {kinds[1]})"
        blocks.append(
            paragraph(
                f"The two forms differ in what they publish alone. With release and acquire Vulkan takes {ratios[LOOK_BACK[0]]:.3f} times as long as CUDA, with one "
                f"64-bit word {ratios[LOOK_BACK[1]]:.3f} times, and its code with release and acquire has {told}. That these cost the difference is an inference "
                "from counts: no run leaves them out of one side alone."
            )
        )
    return blocks


def _series(table: Table, variant: str, api: str, name: str, mark: str) -> Series:
    return line(table, name, mark, table.select({"variant": variant, "api": api}), lambda case: case.elements, "gbps", intervals=False)


def _panel(table: Table, title: str, kinds: Sequence[tuple[str, str, str, str]]) -> Panel:
    return Panel(title, "GB/s", [_series(table, *kind) for kind in kinds])


def chart(_: Study, table: Table) -> Chart:
    """GB/s against words: a panel for sums, one for scans."""
    panels = [
        _panel(table, "Sums", [("sum_subgroup", "cuda", "CUDA", CUDA), ("sum_subgroup", "vulkan", "Vulkan", VULKAN), ("cub_sum", "cuda", "CUB", MORE[0])]),
        _panel(
            table,
            "Scans",
            [
                ("scan_look_back_packed", "cuda", "CUDA, look-back", CUDA),
                ("scan_look_back_packed", "vulkan", "Vulkan, look-back", VULKAN),
                ("scan_subgroup", "vulkan", "Vulkan, three passes", MORE[1]),
                ("cub_scan", "cuda", "CUB", MORE[0]),
            ],
        ),
    ]
    text = "Words of 4 bytes read once and, of a scan, written once, in a second."
    return Chart("Sums and scans", "words", panels, description=text)


ANALYSIS = Analysis(
    sections=[("Sums and scans", rates), ("What is published, in machine code", fences), ("Look-back, counted", account)],
    plots={"exp09-scans": Plot("Sums and scans", chart, "sum_tree")},
    plots_marker="exp09-scans-plots",
    counting=Counting(options=["--variant", ",".join([*SUMS, *SCANS])]),
)
