"""exp08_order's tables: what each way of ordering kernels adds to a chain of them."""

from functools import partial

from benchlib.document import document
from benchlib.document.document import NO_RESULTS, NONE, Blocks, Cell, fixed, paragraph
from benchlib.model.analysis import Analysis, Counting, Study
from benchlib.model.pairs import figure_of, pairs, place_in
from benchlib.tables.twins import comparison, with_noise_floor
from benchlib.results.results import API_NAMES, APIS, Case, Table

WAYS = ["nothing", "execution", "barrier", "graph", "programmatic", "graph_programmatic", "buffer", "to_all", "all_to_all", "to_host", "event", "device_event", "submission", "queues"]


def added_us(table: Table, api: str, way: str) -> dict[Case, float]:
    """What a link takes longer than one behind a plain barrier, or in one stream."""
    found = {}
    for case in table.select({"variant": "chain", "api": api, "way": way}):
        more, less = table.figure(case, "device_ns"), table.figure(case.replace(way="barrier"), "device_ns")
        if more and less:
            found[case] = (more.value - less.value) / (case.whole("links") - 1) / 1000
    return found


def a_link(table: Table, case: Case | None) -> list[Cell]:
    """GPU time, round trip and host's time to submit of one link, µs; and what it adds to a link behind a barrier."""
    if case is None:
        return [NONE] * 4
    cells: list[Cell] = []
    for metric in ("device_ns", "roundtrip_ns", "submit_ns"):
        figure = figure_of(table, case, metric)
        cells.append(fixed(figure.value / case.whole("links") / 1000 if figure else None, 3))
    more, less = figure_of(table, case), figure_of(table, case.replace(way="barrier"))
    return [*cells, fixed((more.value - less.value) / (case.whole("links") - 1) / 1000 if more and less else None, 3)]


def links(found: Study, table: Table, variant: str) -> Blocks:
    chosen = sorted(pairs(table, {"variant": variant}), key=lambda pair: place_in(WAYS, pair.case["way"]))
    if not chosen:
        return [NO_RESULTS]
    header = ["way"]
    for api in APIS:
        header += [f"{API_NAMES[api]} GPU:", "round trip:", "submit:", "added:"]
    rows = [[pair.case["way"], *(cell for side in pair.sides for cell in a_link(table, side)), *comparison(table, pair)] for pair in chosen]
    header += ["Vulkan/CUDA GPU [95 %]:", "Vulkan is"]
    about = "Microseconds of one link. Added: to a link behind a plain barrier, or in one stream."
    return with_noise_floor(found, table, paragraph(about), document.table(header, rows))


def chain(found: Study, table: Table) -> Blocks:
    blocks = links(found, table, "chain")
    if not table.select({"variant": "overwritten"}):
        return blocks
    return [*blocks, paragraph("Where each link overwrites what the one before has read, and reads nothing that another wrote:"), *links(found, table, "overwritten")]


def filled(found: Study, table: Table) -> Blocks:
    return links(found, table, "filled")


ANALYSIS = Analysis(
    exact=["wrong_rows"],
    sections=[("What a link costs", chain), ("A chain with work beside it", filled)],
    counting=Counting(by_default=False),
    figures={f"added_{way}_{api}_us": partial(added_us, api=api, way=way) for way in ("event", "queues") for api in APIS},
)
