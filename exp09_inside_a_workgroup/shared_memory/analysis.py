"""exp09_shared_memory's tables and figure: rates by width and stride, wavefronts predicted and counted, capacity."""

from collections.abc import Callable, Sequence

from benchlib.document import document
from benchlib.document.document import NONE, Blocks, Cell, Code, fixed, paragraph, whole
from benchlib.document.plots import CUDA, MODEL, VULKAN, Chart, Panel, Point, Series
from benchlib.model import hardware_counts
from benchlib.model.analysis import Analysis, Counting, Plot, Study
from benchlib.model.hardware_counts import SAME_WITHIN, Counts
from benchlib.model.pairs import figure_of, pairs
from benchlib.tables.twins import plain
from benchlib.results.counters_file import NCU, PM_SAMPLING
from benchlib.results.results import API_NAMES, APIS, Case, Table
from benchlib.tables.pivot import Columns, column, for_apis, keys, pivot, quotient, told

LANES = 32
RATES = ["read", "write", "structs"]
KINDS = [("read", "4", "0"), ("read", "4", "1"), ("read", "8", "0"), ("read", "16", "0"), ("write", "4", "0"), ("write", "8", "0"), ("write", "16", "0")]
COUNTED = ["shared_wavefronts", "lsu_wavefronts"]  # the first that was counted


def cycles(table: Table) -> dict[Case, float]:
    """An SM's cycles for one access of a warp, from the time and the SMs' clock: of a table with one run."""
    found = {}
    for case in table.select({"variant": RATES}):
        time, clock = table.figure(case, "device_ns"), table.figure(case, "sm_mhz")
        accesses = table.text(case, "sm_accesses")
        if time and clock and accesses:
            found[case] = time.value * clock.value / 1000 / float(accesses)
    return found


def _over_model(variant: str, widths: Sequence[str], pads: Sequence[str]) -> Callable[[Table], dict[Case, float]]:
    """The same over the wavefronts that the bank model predicts, of some of the cases."""

    def of(table: Table) -> dict[Case, float]:
        chosen = table.select({"variant": variant, "elem_bytes": list(widths), "pad": list(pads)})
        return {case: value / float(table.text(case, "wavefronts")) for case, value in cycles(table).items() if case in chosen}

    return of


def _cycles(table: Table, case: Case) -> float | None:
    """Over all runs."""
    time, clock, accesses = figure_of(table, case, "device_ns"), figure_of(table, case, "sm_mhz"), table.text(case, "sm_accesses")
    return time.value * clock.value / 1000 / float(accesses) if time and clock and accesses else None


def _name(kind: tuple[str, str, str]) -> str:
    variant, width, pad = kind
    return f"{variant} {width} B" + (", padded" if pad == "1" else "")


def _case(table: Table, kind: tuple[str, str, str], stride: str, api: str) -> Case | None:
    variant, width, pad = kind
    return table.one({"variant": variant, "elem_bytes": width, "pad": pad, "stride": stride, "api": api})


def _strides(table: Table) -> list[str]:
    return sorted({case["stride"] for case in table.select({"variant": ["read", "write"]})}, key=int)


def rates(_: Study, table: Table) -> Blocks:
    """A row a stride, a column a kind of access: cycles of an SM, CUDA / Vulkan, behind the prediction."""

    def of(kind: tuple[str, str, str]) -> Columns[str]:
        def cells(stride: str) -> list[Cell]:
            cases = [_case(table, kind, stride, api) for api in APIS]
            there = next((case for case in cases if case), None)
            times = [fixed((_cycles(table, case) or None) if case else None, 2) for case in cases]
            return [whole(int(table.text(there, "wavefronts"))), document.joined(times)] if there else [NONE, NONE]

        return [f"{_name(kind)}, predicted:", "cycles:"], cells

    text = (
        "A full GPU; elements of this width, so many apart from lane to lane; padded: an element is left out behind every 32. Predicted: wavefronts of one "
        "access of a warp. Cycles: of one SM for it, from the time and the SMs' clock, CUDA / Vulkan."
    )
    return told(pivot(_strides(table), column("stride:", lambda stride: whole(int(stride))), *map(of, KINDS)), [text])


def _counted(counts: Counts, table: Table, case: Case, instrument: str) -> float | None:
    """Wavefronts of shared memory in one launch."""
    for name in COUNTED:
        if (found := counts.by(instrument, case, name)) is not None:
            return found
    return None


def wavefronts(found: Study, table: Table) -> Blocks:
    """How many cases' counts are what the bank model predicts, and those that are not; nothing where nothing was counted."""
    counts = hardware_counts.load_any(found, table)
    if counts is None:
        return [paragraph("Not counted.")]
    summary: list[list[Cell]] = []
    off: list[list[Cell]] = []
    for instrument, api in ((PM_SAMPLING, "cuda"), (PM_SAMPLING, "vulkan"), (NCU, "cuda")):
        for variant in RATES:
            pairs = [(case, _counted(counts, table, case, instrument)) for case in table.select({"variant": variant, "api": api})]
            seen = [(case, value, float(table.text(case, "launch_wavefronts"))) for case, value in pairs if value is not None]
            if not seen:
                continue
            wrong = [(case, value, wanted) for case, value, wanted in seen if abs(value - wanted) > SAME_WITHIN * wanted]
            name = "Nsight Compute" if instrument == NCU else "PM sampling"
            summary.append([name, API_NAMES[api], variant, whole(len(seen)), whole(len(seen) - len(wrong))])
            for case, value, wanted in wrong:
                off.append([name, API_NAMES[api], case.name(without=["api"]), whole(int(wanted)), whole(round(value)), fixed(value / wanted, 3)])
    if not summary:
        return [paragraph("Not counted.")]
    blocks: Blocks = [
        paragraph("Wavefronts of shared memory in a launch, those that fill the table with them; cases whose count lies within 0.5 % of the model's."),
        document.table(["counted by", "API", "kernel", "cases:", "as predicted:"], summary),
    ]
    if off:
        blocks += [paragraph("The others:"), document.table(["counted by", "API", "case", "predicted:", "counted:", "counted/predicted:"], off)]
    return blocks


def structs(found: Study, table: Table) -> Blocks:
    """A row a layout: cycles for a structure's words, and what was counted of them."""
    counts = hardware_counts.load_any(found, table)

    def predicted(case: Case) -> Cell:
        wavefronts = table.text(case, "wavefronts")
        return whole(int(wavefronts) * _accesses_of_struct(case)) if wavefronts else NONE

    def cycles(side: Case) -> Cell:
        value = _cycles(table, side) if table.rows(side) else None
        return fixed(value * _accesses_of_struct(side), 2) if value else NONE

    def counted(side: Case) -> Cell:
        value = _counted(counts, table, side, PM_SAMPLING) if counts else None
        return fixed(value * LANES * _accesses_of_struct(side) / side.elements, 2) if value else NONE

    shown = pivot(
        table.select({"variant": "structs", "api": "cuda"}) or table.select({"variant": "structs"}),
        keys({"layout": "layout", "fields read": "fields", "predicted:": predicted}),
        for_apis("counted, CUDA:", "Vulkan:", lambda case, api: counted(case.replace(api=api))),
        for_apis("cycles, CUDA:", "Vulkan:", lambda case, api: cycles(case.replace(api=api))),
    )
    text = (
        "32 lanes read neighbouring structures of four words. Predicted: wavefronts, if the compiler leaves the accesses as they are written. "
        "soa: four arrays; aos: structures; vec4: vectors; padded: structures with a fifth word that nothing reads."
    )
    return told(shown, [text])


def _accesses_of_struct(case: Case) -> int:
    return 4 if case["fields"] == "4" and case["layout"] != "vec4" else 1


def channels(_: Study, table: Table) -> Blocks:
    def cells(case: Case) -> list[Cell]:
        sides = [figure_of(table, side, "device_ns") if table.rows(side) else None for side in (case.replace(api=api) for api in APIS)]
        return [*map(plain, sides), quotient(sides[1], sides[0], 3)]

    cases = table.select({"variant": "channels", "api": "cuda"}) or table.select({"variant": "channels"})
    text = "rows: lanes read weights 512 bytes apart. columns: neighbouring lanes read neighbouring weights. shared: all lanes read one weight of shared memory."
    return told(pivot(cases, keys({"weights": "weights"}), (["CUDA ns:", "Vulkan ns:", "Vulkan/CUDA:"], cells)), [text])


def capacity(_: Study, table: Table) -> Blocks:
    def held(side: Case | None) -> Cell:
        figure = figure_of(table, side, "resident_blocks")
        return plain(figure) if figure else "refused" if side and table.text(side, "status") == "skipped" else NONE

    shown = pivot(
        sorted(pairs(table, {"variant": "capacity"}), key=lambda pair: pair.case.whole("asked_bytes")),
        keys({"bytes a block asks for:": lambda case: whole(case.whole("asked_bytes"))}),
        (["CUDA, blocks:", "Vulkan, workgroups:"], lambda pair: [held(side) for side in pair.sides]),
    )
    text = paragraph("Blocks of 64 threads that an SM held at once. Refused: the API grants a block less (", Code("reason"), " in the CSV has the limit).")
    return told(shown, [text])


# ---------------------------------------------------------------------------------------------------------------- figure


def _series(table: Table, kind: tuple[str, str, str], name: str, mark: str, api: str, value: str) -> Series:
    points = []
    for stride in _strides(table):
        case = _case(table, kind, stride, api)
        found = None
        if case:
            found = float(table.text(case, "wavefronts") or 0) if value == "model" else _cycles(table, case)
        if found:
            points.append(Point(float(stride), found))
    return Series(name, mark, points, dashed=value == "model", marks=value != "model")


def conflicts_chart(_: Study, table: Table) -> Chart:
    """Cycles of an access against the stride, on the bank model's wavefronts: a panel a width."""
    panels = []
    for kind in KINDS[:4]:
        there = "vulkan" if not any(_case(table, kind, stride, "cuda") for stride in _strides(table)) else "cuda"
        series = [
            _series(table, kind, "bank model", MODEL, there, "model"),
            _series(table, kind, "CUDA", CUDA, "cuda", "cycles"),
            _series(table, kind, "Vulkan", VULKAN, "vulkan", "cycles"),
        ]
        panels.append(Panel(_name(kind), "cycles of an SM for a warp's access", series, y_log=True))
    text = "What one access of a warp takes of an SM, by the elements between its lanes, and the wavefronts that a model of 32 banks predicts."
    return Chart("Bank conflicts", "elements from lane to lane", panels, columns=2, description=text, x_log=False)


ANALYSIS = Analysis(
    inside_sm=["read", "write", "structs", "aa_control_a", "aa_control_b"],
    exact=["resident_blocks"],
    sections=[
        ("Cycles by width and stride", rates),
        ("Wavefronts, predicted and counted", wavefronts),
        ("Structures", structs),
        ("A forum's convolution", channels),
        ("Capacity", capacity),
    ],
    plots={"exp09-conflicts": Plot("Bank conflicts", conflicts_chart, "read")},
    plots_marker="exp09-shared-plots",
    # Nsight Compute: words at every stride.
    counting=Counting(options=["--variant", "read,write,structs"], ncu=["--variant", "read", "--benchmark_filter=elem_bytes:4/"]),
    figures={
        "words_over_model": _over_model("read", ["4"], ["0"]),
        "padded_over_model": _over_model("read", ["4"], ["1"]),
        "wide_over_model": _over_model("read", ["8", "16"], ["0"]),
        "stores_over_model": _over_model("write", ["4", "8", "16"], ["0"]),
    },
)
