"""exp08_queues' tables: what runs at once, who goes first, and what a queue with graphics costs."""

from benchlib.document import document
from benchlib.document.document import NO_RESULTS, NONE, Blocks, Cell, paragraph
from benchlib.model.analysis import Analysis, Counting, Study
from benchlib.model.pairs import Pair, figure_of, pairs
from benchlib.tables.twins import micros, noise_floor, plain, versus
from benchlib.results.results import Case, Table
from benchlib.tables.pivot import Columns, api_name, by_api, column, figures, keys, named, pivot, told

BESIDE = {
    "same_queue": "one stream, one queue",
    "two_queues": "two streams, two compute queues",
    "graphics_queue": "a compute queue and one with graphics",
    "transfer_queue": "another stream, the transfer queue",
}
KERNELS = {"load_words": "loads", "store_words": "stores", "copy_words": "copies", "empty": "nothing"}


def kernels(_: Study, table: Table) -> Blocks:
    """Do two kernels run at once?"""

    def over(case: Case) -> Cell:
        alone, both = figure_of(table, case, "alone_ns"), figure_of(table, case)
        return document.number(both.value / alone.value, 3) if alone and both else NONE

    shown = pivot(
        table.select({"variant": "two_kernels"}),
        keys({"handed to": named(BESIDE, "beside"), "blocks of each:": "blocks", "API": api_name}),
        (["one alone, µs:", "both, µs:"], figures(table, micros, "alone_ns", "device_ns")),
        column("both / one:", over),
        column("at once, %:", lambda case: plain(figure_of(table, case, "overlap_pct"), 3)),
    )
    text = (
        "Two kernels that need nothing of each other, whose blocks of 256 threads stay a set time; round trips by the host's clock. At once: "
        "of the shorter kernel the share in which the other ran, too, by the GPU's clock; median of 9. In a CUDA stream kernels are ordered; in "
        "Vulkan's one queue no barrier stands between the two. Of two kernels that together have more blocks than the GPU has room for, the spans may "
        "overlap while blocks of one wait for those of the other: there both / one tells what was gained. Where that is near 1 all the same, the "
        "blocks were not there at once: they stay by a clock that runs on while a queue's work is switched out, so such queues' share tells nothing."
    )
    return told(shown, after=[text])


def copies(_: Study, table: Table) -> Blocks:
    """Does a copy run beside a kernel?"""
    shown = pivot(
        table.select({"variant": "beside_copy"}),
        keys({"copy handed to": named(BESIDE, "beside"), "API": api_name}),
        (["kernel alone, µs:", "copy alone, µs:", "both, µs:"], figures(table, micros, "alone_ns", "copy_ns", "device_ns")),
        column("hidden, %:", lambda case: plain(figure_of(table, case, "overlap_pct"), 3)),
    )
    return told(shown, after=["A kernel with one block an SM and an upload of pinned memory. Hidden: what both take less than their sum, of the shorter one."])


def priorities(_: Study, table: Table) -> Blocks:
    """Does a foreground overtake a background?"""
    shown = pivot(
        table.select({"variant": "foreground"}),
        keys({"the foreground's priority": "priority", "API": api_name}),
        (["alone, µs:", "over the background, µs:"], figures(table, micros, "alone_ns", "device_ns")),
        column("background left, %:", lambda case: plain(figure_of(table, case, "left_pct"), 3)),
    )
    text = "A kernel of one block, handed to a second queue or stream while blocks for 16 times the GPU's slots wait in the first: its round trip."
    return told(shown, after=[text])


def graphics(found: Study, table: Table) -> Blocks:
    """Each kernel with each length of workgroups, by the queues that the device has and the one that runs it."""

    def on(queues: str, name: str) -> Columns[Pair]:
        def cells(pair: Pair) -> list[Cell]:
            other = table.one({"variant": pair.case["variant"], "block": pair.case["block"], "queues": queues, "api": "vulkan"})
            return [micros(figure_of(table, other)), document.interval(table.ratio(other, pair.vulkan) if other and pair.vulkan else None)]

        return [name, "over without [95 %]:"], cells

    shown = pivot(
        pairs(table, {"variant": list(KERNELS), "queues": "compute"}),
        keys({"kernel": named(KERNELS, "variant"), "threads:": "block"}),
        by_api(["{} µs:"], figures(table, micros, "device_ns")),
        on("compute_beside_graphics", "graphics in the device, µs:"),
        on("graphics", "on the graphics queue, µs:"),
        versus(table, of="Vulkan without graphics"),
    )
    return told(shown, after=[found.memoized(noise_floor, table)])


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
