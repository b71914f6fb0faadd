"""exp08_queues' tables: what runs at once, who goes first, and what a queue with graphics costs."""

from __future__ import annotations

from benchlib.document import document
from benchlib.document.document import NO_RESULTS, NONE, Blocks, Cell, paragraph
from benchlib.model.analysis import Analysis, Counting, Study
from benchlib.model.pairs import figure_of, pairs
from benchlib.tables.twins import comparison, micros, plain, with_noise_floor
from benchlib.results.results import API_NAMES, Case, Table

BESIDE = {
    "same_queue": "one stream, one queue",
    "two_queues": "two streams, two compute queues",
    "graphics_queue": "a compute queue and one with graphics",
    "transfer_queue": "another stream, the transfer queue",
}
KERNELS = {"load_words": "loads", "store_words": "stores", "copy_words": "copies", "empty": "nothing"}


def kernels(_: Study, table: Table) -> Blocks:
    """Do two kernels run at once?"""
    rows: list[list[Cell]] = []
    for case in table.select({"variant": "two_kernels"}):
        alone, both = figure_of(table, case, "alone_ns"), figure_of(table, case)
        times = plain(table.figure(case, "overlap_pct"), 3)
        over = document.number(both.value / alone.value, 3) if alone and both else NONE
        rows.append([BESIDE.get(case["beside"], case["beside"]), case["blocks"], API_NAMES[case["api"]], micros(alone), micros(both), over, times])
    if not rows:
        return [NO_RESULTS]
    header = ["handed to", "blocks of each:", "API", "one alone, µs:", "both, µs:", "both / one:", "at once, %:"]
    text = (
        "Two kernels that need nothing of each other, whose blocks of 256 threads stay a set time; round trips by the host's clock. At once: "
        "of the shorter kernel the share in which the other ran, too, by the GPU's clock; median of 9. In a CUDA stream kernels are ordered; in "
        "Vulkan's one queue no barrier stands between the two. Of two kernels that together have more blocks than the GPU has room for, the spans may "
        "overlap while blocks of one wait for those of the other: there both / one tells what was gained. Where that is near 1 all the same, the "
        "blocks were not there at once: they stay by a clock that runs on while a queue's work is switched out, so such queues' share tells nothing."
    )
    return [document.table(header, rows), paragraph(text)]


def copies(_: Study, table: Table) -> Blocks:
    """Does a copy run beside a kernel?"""
    rows: list[list[Cell]] = []
    for case in table.select({"variant": "beside_copy"}):
        times = [micros(figure_of(table, case, metric)) for metric in ("alone_ns", "copy_ns", "device_ns")]
        rows.append([BESIDE.get(case["beside"], case["beside"]), API_NAMES[case["api"]], *times, plain(figure_of(table, case, "overlap_pct"), 3)])
    if not rows:
        return [NO_RESULTS]
    header = ["copy handed to", "API", "kernel alone, µs:", "copy alone, µs:", "both, µs:", "hidden, %:"]
    text = "A kernel with one block an SM and an upload of pinned memory. Hidden: what both take less than their sum, of the shorter one."
    return [document.table(header, rows), paragraph(text)]


def priorities(_: Study, table: Table) -> Blocks:
    """Does a foreground overtake a background?"""
    rows: list[list[Cell]] = []
    for case in table.select({"variant": "foreground"}):
        times = [micros(figure_of(table, case, metric)) for metric in ("alone_ns", "device_ns")]
        rows.append([case["priority"], API_NAMES[case["api"]], *times, plain(figure_of(table, case, "left_pct"), 3)])
    if not rows:
        return [NO_RESULTS]
    header = ["the foreground's priority", "API", "alone, µs:", "over the background, µs:", "background left, %:"]
    text = "A kernel of one block, handed to a second queue or stream while blocks for 16 times the GPU's slots wait in the first: its round trip."
    return [document.table(header, rows), paragraph(text)]


def _of_queue(table: Table, variant: str, block: str, queues: str) -> Case | None:
    where = {"variant": variant, "block": block, "queues": queues, "api": "vulkan"}
    return next(iter(table.select(where)), None)


def graphics(found: Study, table: Table) -> Blocks:
    """Each kernel with each length of workgroups, by the queues that the device has and the one that runs it."""
    rows: list[list[Cell]] = []
    for pair in pairs(table, {"variant": list(KERNELS), "queues": "compute"}):
        case = pair.case
        without = pair.vulkan
        row: list[Cell] = [KERNELS.get(case["variant"], case["variant"]), case["block"], micros(figure_of(table, pair.cuda)), micros(figure_of(table, without))]
        for queues in ("compute_beside_graphics", "graphics"):
            other = _of_queue(table, case["variant"], case["block"], queues)
            ratio = table.ratio(other, without) if other and without else None
            row += [micros(figure_of(table, other)), document.interval(ratio)]
        rows.append([*row, *comparison(table, pair)])
    if not rows:
        return [NO_RESULTS]
    header = ["kernel", "threads:", "CUDA µs:", "Vulkan µs:", "graphics in the device, µs:", "over without [95 %]:"]
    header += ["on the graphics queue, µs:", "over without [95 %]:", "Vulkan/CUDA [95 %]:", "Vulkan without graphics is"]
    return with_noise_floor(found, table, document.table(header, rows))


def hosts(_: Study, table: Table) -> Blocks:
    """Which hosts the times by the host's clock are of."""
    names = sorted(table.distinct("host_cpu"))
    return [paragraph(f"Hosts: {', '.join(names)}.")] if names else [NO_RESULTS]


ANALYSIS = Analysis(
    sections=[
        ("Two kernels", kernels),
        ("A copy beside a kernel", copies),
        ("Who goes first", priorities),
        ("Queues with graphics", graphics),
        ("Hosts", hosts),
    ],
    counting=Counting(options=["--variant", "load_words,store_words,copy_words"]),
)
