"""The time floor in tables: what breaks its rules, and why; every DRAM-size case's share."""

from benchlib.base.programs import CONTROLS
from benchlib.document import document
from benchlib.document.document import NONE, Block, Blocks, Cell, Strong, paragraph
from benchlib.model.analysis import Study
from benchlib.model.floor import MORE_MOVED, NEAR_FULL, NOISE, WIDE, Floor, FloorModel, figures_on, model_of, named, sources
from benchlib.model.pairs import Pair, figure_of, pairs
from benchlib.results.results import API_NAMES, Case, Table
from benchlib.tables.twins import micros

REACHED = 1.0 - NOISE

EXPLAINED_SHARE = 0.9  # of a streaming case's time


def explained_cell(floor: Floor | None) -> Cell:
    return document.fixed(100 * floor.explained, 1) if floor else NONE


def floor_cells(model: FloorModel, sides: tuple[Case | None, Case | None]) -> list[Cell]:
    """floor, then a share for each API; FLOOR_HEADER above them."""
    floors = [model.floor(side) for side in sides]
    # The two differ only where nothing says how much of a Vulkan kernel's sectors the L1 serves.
    numbers = dict.fromkeys(document.number(floor.ns / 1000) for floor in floors if floor)
    return [" / ".join(numbers) or NONE, *(explained_cell(floor) for floor in floors)]


FLOOR_HEADER = ["floor µs:", *(f"{name} explained %:" for name in API_NAMES.values())]


def section(found: Study, table: Table) -> Blocks:
    """The summary, what breaks the rules and why, and every DRAM-size case's floor."""
    model = model_of(found, table)
    found_pairs = [pair for pair in pairs(table, {}) if pair.case["variant"] not in CONTROLS]
    floors = [floor for pair in found_pairs for side in pair.sides if (floor := model.floor(side))]
    if not floors:
        needed = f"{named(found, 'streams')}'s ceilings of the same GPU, and the model's distinct bytes"
        return [paragraph(f"No floors: they need {needed}.")]
    return [*summary(found, model, floors), *details(model, found_pairs)]


def summary(found: Study, model: FloorModel, floors: list[Floor]) -> Blocks:
    above = [floor for floor in floors if floor.above]
    streaming = [floor for floor in floors if model.streams(floor.case)]
    short = [floor for floor in streaming if floor.explained < EXPLAINED_SHARE]
    empty = [f"{name}'s {facts.empty['variant']}" for name, facts in sources(found, "empty").items()]
    seen = ", ".join([*sources(found, "streams"), *(f"{name}'s counted windows" for name in sources(found, "l2_loads"))])
    seen = " and ".join([seen, *empty])
    parts: Blocks = [
        paragraph(
            "Floor: the largest of the distinct bytes over the memory's ceiling for that mix of reads and writes (footprints that "
            "stream from memory), the requested sectors, less those that the L1 was counted to serve, over the L2's ceiling, and the "
            f"blocks times what an empty one takes. The ceilings are the best that {seen} reached on this GPU. "
            f"{_about_loops(model)}Explained: floor over measured time."
        ),
        paragraph(
            Strong("Never above the measured time:"),
            f" of {len(floors)} cases, {len(above)} have a floor above it by more than {100 * NOISE:.0f} %{':' if above else '.'}",
        ),
    ]
    if above:
        parts.append(exceptions(model, above))
    shares = []
    for name, is_wide in ((f"{WIDE}-byte accesses", True), ("narrower ones", False)):
        group = [floor for floor in streaming if (model.access_bytes(floor.case) in (0, WIDE)) == is_wide]
        good = sum(floor.explained >= EXPLAINED_SHARE for floor in group)
        shares += [f"{good} of {len(group)} with {name}"] if group else []
    parts.append(
        paragraph(
            Strong(f"Streaming cases (from memory, every sector requested once) explained to {100 * EXPLAINED_SHARE:.0f} %:"),
            f" {', '.join(shares) or 'there are none'}" + (". The others:" if short else "."),
        )
    )
    if short:
        parts.append(exceptions(model, short))
    return parts


def exceptions(model: FloorModel, floors: list[Floor]) -> Block:
    rows = []
    for floor in floors:
        name, api = floor.case.name(without=["api"]), API_NAMES[floor.case["api"]]
        times = [document.number(floor.ns / 1000), micros(floor.measured), explained_cell(floor)]
        rows.append([name, api, *times, reason(model, floor)])
    return document.table(["case", "API", "floor µs:", "measured µs:", "explained %:", "reason, from the data"], rows)


def details(model: FloorModel, found: list[Pair]) -> Blocks:
    rows = []
    for pair in found:
        if not model.table.is_dram(pair.case) or not any(model.floor(side) for side in pair.sides):
            continue
        cells = floor_cells(model, pair.sides)
        name = pair.case.name(without=["api"])
        rows.append([name, cells[0], *(micros(figure_of(model.table, side)) for side in pair.sides), *cells[1:]])
    if not rows:
        return [paragraph("No case of DRAM size.")]
    header = ["case", FLOOR_HEADER[0], "CUDA µs:", "Vulkan µs:", *FLOOR_HEADER[1:]]
    return [paragraph("Every case of DRAM size:"), document.table(header, rows)]


def _about_loops(model: FloorModel) -> str:
    if not any(limits.loops.curves for limits in model.ceilings.values()):
        return ""
    slots = ", ".join(f"{name}'s {next(iter(facts.one_slot))}" for name, facts in sources(model.found, "one_slot").items())
    return (
        f"Also what {named(model.found, 'loops')}'s narrow loops reach at best with as many bytes in flight on an SM, less those "
        f"of slots between two blocks ({slots}), where that is under {100 * NEAR_FULL:.0f} % of the memory's ceiling. "
    )


def reason(model: FloorModel, floor: Floor) -> str:
    """What else the case's rows and counters show where the floor explains little of its time."""
    case = floor.case
    parts = []
    parts_moved = model.moved_bytes(case)
    if sum(parts_moved) > MORE_MOVED * sum(floor.bytes):
        share = (model.ceilings[model.table.text(case, "gpu_uuid")].dram_ns(*parts_moved) or 0) / floor.measured.value
        text = f"memory moved {sum(parts_moved) / sum(floor.bytes):.1f} x the distinct bytes (counted)"
        parts.append(f"{text}, for which the ceiling allows {100 * share:.0f} % of the time" if share else text)
    if case["variant"] in model.facts.foreign:
        parts.append("not a kernel of ours")
    for column, what in (("grid", "blocks"), ("block", "threads a block")):
        other = _faster(model, case, column)
        if other:
            share = other[1] / floor.measured.value
            parts.append(f"{case[column]} {what}: with {other[0][column]} it takes {100 * share:.0f} % of the time")
    twin = _faster_twin(model, case, floor)
    if twin:
        parts.append(twin)
    width = model.access_bytes(case)
    if 0 < width < WIDE and not any("distinct bytes" in part for part in parts):
        parts.append(_loads(model, floor, width) if floor.bytes[0] else _stores(model, floor, width))
    return "; ".join(parts) or "unexplained"


def _faster(model: FloorModel, case: Case, column: str) -> tuple[Case, float] | None:
    """The same case with another value in that column, where that takes less than 95 % of the time."""
    if not case[column]:
        return None
    mine = figure_of(model.table, case)
    alike = [o for o in model.table.cases if o["variant"] == case["variant"] and o["api"] == case["api"]]
    others = [o for o in alike if o != case and o.replace(**{column: case[column]}) == case]
    timed = [(other, figure.value) for other in others if (figure := model.table.figure(other, "device_ns"))]
    best = min(timed, key=lambda item: item[1], default=None)
    return best if best and mine and best[1] < 0.95 * mine.value else None


def _faster_twin(model: FloorModel, case: Case, floor: Floor) -> str:
    if case["api"] != "vulkan":
        return ""
    cuda = figure_of(model.table, case.replace(api="cuda"))
    share = cuda.value / floor.measured.value if cuda else 1
    return f"CUDA takes {100 * share:.1f} % of the time" if share < REACHED else ""


def _loads(model: FloorModel, floor: Floor, width: int) -> str:
    blocks = model.blocks(floor.case)
    if not blocks:
        return f"{width}-byte accesses"
    return f"{width}-byte accesses, {model.launch(floor.case, floor.bytes[0], blocks).at_once:.0f} bytes in flight a thread"


def _stores(model: FloorModel, floor: Floor, width: int) -> str:
    uuid = model.table.text(floor.case, "gpu_uuid")
    text = f"{width}-byte stores"
    for source, facts in sources(model.found, "stores").items():
        where = {"variant": facts.stores, "elem_bytes": str(width), "api": floor.case["api"]}
        best = max((gbps for _, gbps in figures_on(model.found, source, uuid, "gbps", where)), default=0)
        if best:
            share = sum(floor.bytes) / best / floor.measured.value
            text += f", of which a loop ({source}'s {facts.stores}) takes {100 * share:.0f} % of the time"
    return text
