"""exp07_matrix_units' tables and figures: rates from registers, the ladder of products, power."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchlib.document import document
from benchlib.document.document import NO_RESULTS, NONE, Blocks, Cell, Code, fixed, number, paragraph, whole
from benchlib.document.plots import CUDA, MORE, VULKAN, Chart, Panel, line
from benchlib.model import hardware_counts
from benchlib.model.analysis import Analysis, Counting, Plot, Study
from benchlib.model.attribution import code_of
from benchlib.model.pairs import figure_of
from benchlib.tables.pivot import Columns, column, decimals, keys, pivot, rounded, told
from benchlib.results.counters_file import PM_SAMPLING
from benchlib.results.results import API_NAMES, APIS, SECTOR_BYTES, Case, Row, Table
from benchlib.sass.occupancy import WARP, resident_blocks
from benchlib.stats.stats import Figure

PEAK = 4096  # operations per clock and SM of f16 matrices on Hopper
UNITS = 4  # matrix units of an SM, one a quarter; the counter adds up the cycles of all
RATES = ("rate_warp", "rate_group")
CHAINS = ("rate_fma", "rate_dot_add", "rate_dot_acc", "rate_dot_vec", "rate_dot_unsigned", "rate_dot_pair_add", "rate_dot_pair_acc")
SHALLOW = "product_shallow"  # its K is not its size


def _types(case: Case) -> Cell:
    return f"{case['in']}, {case['sums']}"


SHAPE = {"": "variant", "API": lambda case: API_NAMES[case["api"]], "size:": "size", "numbers, sums": _types, "tile": "tile", "warps": "warps"}


def _rates(table: Table, variants: Sequence[str], *of_peak: Columns[Case]) -> Blocks:
    shown = pivot(
        table.select({"variant": list(variants)}),
        keys({"": "variant", "API": "api", "numbers": "in", "sums": "sums"}),
        decimals(table, {"TFLOP/s or TOPS:": ("tops", 1), "per clock and SM:": ("ops_clk_sm", 0)}),
        *of_peak,
        decimals(table, {"MHz:": ("busy_mhz", 0), "W:": ("power_w", 0)}),
    )
    return [shown]


def rates(_: Study, table: Table) -> Blocks:
    """A row an instruction and API."""

    def of_peak(case: Case) -> Cell:
        rate = figure_of(table, case, "ops_clk_sm")
        return fixed(100 * rate.value / PEAK, 1) if rate else NONE

    return _rates(table, RATES, column("of f16's peak (%):", of_peak))


def chains(_: Study, table: Table) -> Blocks:
    """Likewise of the ordinary pipes."""
    return _rates(table, CHAINS)


def ladder(_: Study, table: Table) -> Blocks:
    """Of each size and types the fastest first."""
    cases = [case for case in table.cases if case["variant"].startswith("product_") and case["data"] == "normal" and case["variant"] != SHALLOW]
    times = {case: figure.value for case in cases if (figure := figure_of(table, case, "device_ns"))}
    shown = pivot(
        sorted(times, key=lambda case: (case.whole("size"), case["in"] != "f16", case["in"], case["sums"] != "f32", times[case])),
        keys({"size:": "size", "numbers, sums": _types, "": "variant", "API": "api", "tile": "tile", "warps": "warps"}),
        column("ns:", lambda case: number(times[case])),
        column("TFLOP/s or TOPS:", lambda case: fixed(2 * case.whole("size") ** 3 / times[case] / 1000, 1)),
        decimals(table, {"per clock and SM:": ("ops_clk_sm", 0), "W:": ("power_w", 0)}),
    )
    return told(shown, ["Matrices of the normal distribution. TFLOP/s by the sampled times; clock and power from 80 ms of launches on end."])


def power(_: Study, table: Table) -> Blocks:
    """Random numbers against zeros, a row a kernel that was tried on both."""
    zeros = [case for case in table.select({"data": "zeros"}) if table.rows(case.replace(data="normal"))]

    def faster(case: Case) -> Cell:
        times = [figure_of(table, each) for each in (case.replace(data="normal"), case)]
        return fixed(times[0].value / times[1].value, 3) if times[0] and times[1] else NONE

    both = [(f"{name}, {data}:", metric, data) for name, metric in (("W", "power_w"), ("MHz", "busy_mhz")) for data in ("normal", "zeros")]
    return [
        pivot(
            zeros,
            keys({"": "variant", "API": "api", "size:": "size", "times as fast on zeros:": faster}),
            *(column(name, lambda case, m=metric, d=data: rounded(figure_of(table, case.replace(data=d), m), 0)) for name, metric, data in both),
        )
    ]


PRODUCT = {"in": "f16", "sums": "f32", "data": "normal"}
MMA = {"variant": "product_mma", "api": "cuda", **PRODUCT}
WGMMA = {"variant": "product_wgmma", "api": "cuda", **PRODUCT}
CUBLAS = {"variant": "product_cublas", "api": "cuda", **PRODUCT}
LIBRARIES = ("product_cublas", "product_cublaslt")
REGISTERS = {"variant": "rate_warp", "api": "cuda", "in": "f16", "sums": "f32"}
TILE = {"variant": "product_tile", "pick": "fastest", **PRODUCT}
OFFSETS = {**TILE, "variant": "product_offsets"}
STAGED = {**TILE, "variant": "product_staged"}
WALK = {**TILE, "variant": "product_walk_rows_sized"}
WALK_MMA = {**TILE, "variant": "product_walk_mma_rows_sized", "api": "cuda"}
OF_A_TILE = [form["variant"] for form in (TILE, OFFSETS, STAGED)]
FOUND = ("product_workgroup_128", "product_workgroup_rows_128", "product_staged_rows", "product_workgroup_sized", "product_staged_rows_sized",
         "product_walk_sized", "product_walk_rows_sized", "product_walk_double_rows_sized")  # by the search, or by hand from what it found
FORMS = {**TILE, "variant": OF_A_TILE}
VULKAN_WAYS = (*OF_A_TILE, "product_double", "product_workgroup", "product_clamped", *FOUND)


SAMPLED = "operations a sampled nanosecond"


@dataclass(frozen=True)
class Target:
    """What a product was to reach: `num` over `den` in `metric` (a column, or SAMPLED), from `lo` to `hi`; without both none was set."""

    text: str
    num: Mapping[str, object]
    den: Mapping[str, object]
    metric: str = "device_ns"
    lo: float | None = None
    hi: float | None = None

    @property
    def words(self) -> str:
        return f"{self.lo} to {self.hi}" if self.lo and self.hi else f"at least {self.lo}" if self.lo else "none set"

    def outcome(self, value: float) -> str:
        if self.lo is None:
            return NONE
        return "met" if self.lo <= value <= (self.hi or value) else "missed"


# A share of another's rate is the other's time over the own.
TARGETS = (
    Target("mma.sync's pipelined product, of its rate from registers, by the clock while it ran", MMA, REGISTERS, "ops_clk_sm", lo=0.8),
    Target("the same, by the sampled times alone", MMA, REGISTERS, SAMPLED, lo=0.8),
    Target("wgmma with TMA, of cuBLAS's rate", CUBLAS, WGMMA, lo=0.85),
    Target("Vulkan's fastest tile (KHR), times as long as CUDA's (wmma)", {**TILE, "api": "vulkan"}, {**TILE, "api": "cuda"}, lo=0.95, hi=1.05),
    Target("the same, accesses by offsets", {**OFFSETS, "api": "vulkan"}, {**OFFSETS, "api": "cuda"}, lo=0.95, hi=1.05),
    Target("the same, sums by shared memory to C", {**STAGED, "api": "vulkan"}, {**STAGED, "api": "cuda"}, lo=0.95, hi=1.05),
    Target("the fastest of these three forms of each API", {**FORMS, "api": "vulkan"}, {**FORMS, "api": "cuda"}, lo=0.95, hi=1.05),
    Target("the size compiled in, addresses that advance, B by rows", {**WALK, "api": "vulkan"}, {**WALK, "api": "cuda"}, lo=0.95, hi=1.1),
    Target("Vulkan's fastest product, of mma.sync's rate", MMA, {"api": "vulkan", **PRODUCT}),
    Target("Vulkan's fastest product, of cuBLAS's rate", CUBLAS, {"api": "vulkan", **PRODUCT}),
)


def _fastest(table: Table, where: Mapping[str, object], size: str) -> Case | None:
    """Of this size; of rates, which have none, the only one."""
    variants = {} if "variant" in where else {"variant": list(VULKAN_WAYS)}
    cases = [case for case in table.select({**where, **variants}) if case["size"] in (size, "")]
    timed = [(figure.value, case) for case in cases if (figure := figure_of(table, case))]
    return min(timed, key=lambda one: one[0])[1] if timed else None


def _reached(table: Table, target: Target, num: Case, den: Case) -> Figure | None:
    if target.metric != SAMPLED:
        return table.ratio(num, den, target.metric)
    rates = []
    for case in (num, den):
        ns, operations = figure_of(table, case), figure_of(table, case, "operations")
        if not ns or not operations:
            return None
        rates.append(operations.value / ns.value)
    return Figure(rates[0] / rates[1])


def targets(_: Study, table: Table) -> Blocks:
    """What the products were to reach, and whether they did: a row a target and size."""
    sizes = sorted({case["size"] for case in table.select({"variant": "product_cublas", **PRODUCT})}, key=int)
    rows: list[tuple[Target, str, float]] = []
    for target in TARGETS:
        for size in sizes:
            num, den = (_fastest(table, where, size) for where in (target.num, target.den))
            if num and den and (found := _reached(table, target, num, den)):
                rows.append((target, size, found.value))
    runs = len(table.runs)
    text = (
        f"Products of f16 with sums of f32 on random numbers, each way at its fastest shape. Figures are quotients within a run, medians over {runs} "
        f"run{'s' if runs > 1 else ''}, without their intervals, which the claims have: met or missed says on which side of the target a figure lies. "
        "Of Vulkan's fastest product none was set: of a shader with cooperative matrices no figure was found published on Hopper. What was on other "
        "cards is in the experiment's README."
    )
    cells = ["", "size:", "target:", "reached:", ""], lambda row: [row[0].text, row[1], row[0].words, fixed(row[2], 3), row[0].outcome(row[2])]
    return told(pivot(rows, cells), [text])


@dataclass(frozen=True)
class Step:
    """From one kernel to another: what the step is, and what else differs between the two ("": nothing, so that the step is the cause)."""

    text: str
    before: Mapping[str, object]
    after: Mapping[str, object]
    besides: str = ""


COMMON_WALK = {**PRODUCT, "tile": "128x256x32", "warps": "2x4"}
COMMON_TILE = {**PRODUCT, "tile": "128x128x64", "warps": "2x4"}
STEPS = (
    Step("API: the same kernel in CUDA, by its compiler", {"variant": "product_tile", "api": "vulkan", **COMMON_TILE}, {"variant": "product_tile", "api": "cuda", **COMMON_TILE}),
    Step("stores of C through shared memory", {"variant": "product_tile", "api": "vulkan", **COMMON_TILE}, {"variant": "product_staged", "api": "vulkan", **COMMON_TILE}),
    Step("the same in CUDA", {"variant": "product_tile", "api": "cuda", **COMMON_TILE}, {"variant": "product_staged", "api": "cuda", **COMMON_TILE}),
    Step("copies: by the driver, for a workgroup's matrices", {**TILE, "api": "vulkan"}, {**TILE, "variant": "product_workgroup", "api": "vulkan"},
         "operands' layout in shared memory, order of instructions"),
    Step("workgroups of 128 invocations", {**PRODUCT, "variant": "product_workgroup", "api": "vulkan", "tile": "128x128x64"},
         {**PRODUCT, "variant": "product_workgroup_rows_128", "api": "vulkan", "tile": "128x128x64"}, "B by rows"),
    Step("copies: asynchronous, in a ring of four", {**TILE, "api": "cuda"}, MMA, "tile, loads by ldmatrix"),
    Step("the size compiled in, addresses that advance, in CUDA", {**TILE, "api": "cuda"}, {**WALK, "api": "cuda"}, "tile, B by rows, stores of C"),
    Step("API: that kernel in CUDA, by its compiler", {**WALK, "api": "vulkan", **COMMON_WALK}, {**WALK, "api": "cuda", **COMMON_WALK}),
    Step("loads and products by ldmatrix and mma.sync", {**WALK, "api": "cuda", **COMMON_WALK}, {**WALK_MMA, **COMMON_WALK}),
    Step("copies: asynchronous, against that, each at its fastest tile", WALK_MMA, MMA, "tile, B by columns, order of tiles, the size at run time"),
    Step("instruction: wgmma", MMA, {**WGMMA, "variant": "product_wgmma_alone"}, "TMA, tile, a warp group that only loads"),
    Step("scheduling: clusters of two blocks share B", {**WGMMA, "variant": "product_wgmma_alone"}, WGMMA),
    Step("scheduling: cuBLAS's", WGMMA, CUBLAS, "tile, stores of C; its source is not known"),
)  # fmt: skip


def steps(_: Study, table: Table) -> Blocks:
    """What each step of the ladder brings, from Vulkan's tile to cuBLAS: a row a step and size."""
    sizes = sorted({case["size"] for case in table.select({"variant": "product_tile", **PRODUCT})}, key=int)
    rows: list[list[Cell]] = []
    for step in STEPS:
        for size in sizes:
            before, after = (_fastest(table, where, size) for where in (step.before, step.after))
            found = table.ratio(before, after) if before and after else None
            if not before or not after or not found:
                continue
            names = [f"{API_NAMES[case['api']]} {case['variant']} {case['tile']}".rstrip() for case in (before, after)]
            rows.append([step.text, *names, size, fixed(found.value, 3), step.besides or "nothing"])
    text = (
        "Products of f16 with sums of f32 on random numbers. Times as fast: the time before the step over the time after it, a quotient within a run. Only where nothing else differs is "
        "the step the cause; elsewhere it comes with what the last column names, and no run takes the two apart."
    )
    return told(pivot(rows, (["step", "from", "to", "size:", "times as fast:", "what else differs"], list)), [text])


def _threads(case: Case) -> int:
    """Of a block: a warp has 32, and a workgroup's matrices are of 256 (variants.cpp)."""
    down, _, across = case["warps"].partition("x")
    return WARP * int(down) * int(across) if across else 256


def _resident(case: Case, row: Row) -> Cell:
    found = resident_blocks(row.get("arch", ""), _threads(case), int(row.get("registers") or 0))
    return NONE if found is None else whole(found)


def _copies_sums(case: Case, cuda: Row, vulkan: Row) -> bool:
    """Whether Vulkan's listing has more moves beyond CUDA's than zeroing a thread's sums takes: one a sum, where CUDA zeroes two at once."""
    rows, columns, _ = (int(part) for part in case["tile"].split("x"))
    moves = [int(row.get("moves") or 0) for row in (cuda, vulkan)]
    return moves[1] - moves[0] > 0.75 * rows * columns / _threads(case)


def _count(row: Row | None, *columns: str) -> Cell:
    return whole(sum(int(row.get(column) or 0) for column in columns)) if row and row.get("instructions") else NONE


def tiles(study: Study, table: Table) -> Blocks:
    """The plain tile of both APIs: how far apart they are, and the registers, the blocks an SM holds and the loads of each."""
    rows: list[list[Cell]] = []
    alike: list[float] = []
    copying: list[float] = []
    fewer: list[float] = []
    unlike: list[str] = []
    unlisted: list[str] = []
    single: list[float] = []
    for cuda in table.select({"variant": ["product_tile", "product_offsets"], "api": "cuda", "data": "normal"}):
        vulkan = table.twin(cuda)
        found = table.ratio(vulkan, cuda) if vulkan else None
        if not vulkan or not found:
            continue
        codes = [code_of(study, table, side) for side in (cuda, vulkan)]
        held = [_resident(side, row) if row else NONE for side, row in zip((cuda, vulkan), codes)]
        name = f"{cuda['variant']} {cuda['tile']} {cuda['warps']} ({cuda['in']}, {cuda['sums']})"
        generic = [row is not None and int(row.get("generic") or 0) > 0 for row in codes]
        if codes[0] and codes[1]:
            if generic[0] != generic[1]:
                unlike.append(name)
            elif NONE not in held:
                (fewer if held[0] != held[1] else copying if _copies_sums(cuda, codes[0], codes[1]) else alike).append(found.value)
        else:
            unlisted.append(name)
            if held[0] == whole(1):
                single.append(found.value)
        row: list[Cell] = [cuda["size"], cuda["variant"], f"{cuda['in']}, {cuda['sums']}", cuda["tile"], cuda["warps"], fixed(found.value, 3)]
        row += [cell for at, code_ in enumerate(codes) for cell in (_count(code_, "registers"), held[at], _count(code_, "ldsm"), _count(code_, "generic"))]
        rows.append([*row, *(_count(code_, "moves") for code_ in codes)])
    if not rows:
        return [NO_RESULTS]
    header = ["size:", "", "numbers, sums", "tile", "warps", "Vulkan/CUDA:"]
    header += [f"{API_NAMES[api]} {what}:" for api in APIS for what in ("registers", "blocks an SM", "LDSM", "generic loads")]
    blocks: Blocks = [document.table([*header, *(f"{API_NAMES[api]} moves:" for api in APIS)], rows)]
    blocks.insert(0, paragraph("Blocks that an SM holds follow from the registers of a listing; a dash: no listing of this shape's code is kept."))
    if same := [*alike, *copying]:
        text = f"Where an SM holds as many blocks of either, Vulkan takes {_span(same)} times as long as CUDA"
        text += f"; where it does not, {_span(fewer)} times." if fewer else "."
        if fewer and max(same) < min(fewer):
            text += " The difference fits what fewer blocks leave unhidden while they wait."
        if copying and alike:
            text += " Of the former, those whose listing in Vulkan has moves enough to copy the sums in each step take "
            text += f"{_span(copying)} times, the others {_span(alike)}."
        blocks.append(paragraph(f"{text} No run takes registers or moves away from one side alone: what is their doing is an inference."))
    if unlike:
        blocks.append(paragraph(f"Not like for like: {'; '.join(dict.fromkeys(unlike))}. One side loads its operands by generic loads, without LDSM."))
    if unlisted:
        text = f"Without a listing of one side or both, so that no cause of the gap is named: {'; '.join(dict.fromkeys(unlisted))}."
        if single:
            text += f" Blocks are no cause of {_span(single)} times among them: an SM holds one of CUDA's there, and cannot hold fewer of Vulkan's."
        blocks.append(paragraph(text))
    return blocks


def _gaps(table: Table, cuda: Case) -> list[float | None]:
    """In each run: the microseconds that Vulkan's side of the case takes more than CUDA's; None where a side has no time."""
    vulkan = table.twin(cuda)
    if vulkan is None:
        return []
    sides = zip(table.run_figures(vulkan, "device_ns"), table.run_figures(cuda, "device_ns"))
    return [(v.value - c.value) / 1000 if v and c else None for v, c in sides]


def account(_: Study, table: Table) -> Blocks:
    """Where the gap of the fastest plain tiles lies: with K, or with the blocks of C; and what of it is left by other stores of C."""
    rows: list[list[Cell]] = []
    for shallow in table.select({"variant": SHALLOW, "api": "cuda", **PRODUCT}):
        same = {**PRODUCT, "api": "cuda", "size": shallow["size"], "tile": shallow["tile"], "warps": shallow["warps"]}
        cases = [case for variant in ("product_tile", "product_staged") for case in table.select({**same, "variant": variant})]
        depths = [figure.value for case in (*cases[:1], shallow) if (figure := figure_of(table, case, "operations"))]
        if len(cases) != 2 or len(depths) != 2:
            continue
        runs = [gaps for gaps in zip(*(_gaps(table, case) for case in (cases[0], shallow, cases[1]))) if None not in gaps]
        if not runs:
            continue
        part = 1 - depths[1] / depths[0]  # of K, that the shallow product lacks
        plain, _less, staged = ([gap for gap in column if gap is not None] for column in zip(*runs))
        growing = [(run[0] - run[1]) / part for run in runs]
        shares = [100 * (1 - left / gap) for gap, left in zip(plain, staged)]
        cells = [_span(values, 1) for values in (plain, growing, [gap - steps for gap, steps in zip(plain, growing)], staged)]
        rows.append([shallow["size"], shallow["tile"], whole(len(runs)), *cells, _span(shares, 0)])
    text = (
        "Vulkan's time less CUDA's, in microseconds, the least and the greatest of the runs. What grows with K is the steps' own: the gap less the gap of a product a quarter as "
        "deep, over the part of K that this one lacks. What does not grow with K is each block's: its first loads and its stores of C. product_staged changes the latter alone, in both "
        "APIs: the sums go through shared memory and by stores of 16 bytes to C, in place of the APIs' own stores of a matrix."
    )
    header = ["size:", "tile", "runs:", "the gap (us):", "of it with K (us):", "of it per block (us):", "the gap of product_staged (us):", "gone with the stores (%):"]
    return told(pivot(rows, (header, list)), [text])


def _span(values: Sequence[float], digits: int = 3) -> str:
    ends = [f"{end:.{digits}f}" for end in (min(values), max(values))]
    return " to ".join(dict.fromkeys(ends))


def busy(study: Study, table: Table) -> Blocks:
    """Of the cycles with a warp resident those in which the matrix units worked, of each case that was counted."""
    counts = hardware_counts.load_any(study, table)
    shares: dict[Case, float] = {}
    for case in table.cases if counts else []:
        active, of = (counts.by(PM_SAMPLING, case, name) if counts else None for name in ("tensor_cycles", "tensor_of_cycles"))
        if active is not None and of:
            shares[case] = 100 * active / (UNITS * of)
    if not shares:
        again = Code("scripts/counters.py --only exp07")
        return [paragraph("Not counted yet: ", again, " counts the cycles in which an SM's matrix units work, in both APIs.")]
    text = (
        f"Of the cycles of an SM's {UNITS} matrix units with a warp resident, by CUPTI's PM sampling (sm__pipe_tensor_cycles_active, which adds the units up: "
        "chains of matrix instructions from registers show which value is all of them), both APIs by one instrument. The counter takes fused multiply-adds of two f16 for "
        "theirs, too."
    )
    return told(pivot(shares, keys(SHAPE), column("matrix units at work (%):", lambda case: fixed(shares[case], 1))), [text])


def traffic(study: Study, table: Table) -> Blocks:
    """The sectors that a product's blocks ask for, predicted and counted: a row a product that was counted."""
    counts = hardware_counts.load_any(study, table)
    predicted: dict[Case, float] = {}
    for case in table.select({"data": "normal"}) if counts else []:
        model = [figure_of(table, case, name) for name in ("l2_read_bytes", "min_write_bytes")]
        if counts and model[0] and model[1] and counts.by(PM_SAMPLING, case, "l1_sectors") is not None:
            predicted[case] = (model[0].value + model[1].value) / SECTOR_BYTES

    def over_predicted(case: Case, name: str) -> Cell:
        found = counts.by(PM_SAMPLING, case, name) if counts else None
        return NONE if found is None else fixed(found / predicted[case], 3)

    shown = pivot(
        predicted,
        keys(SHAPE),
        column("predicted (million sectors):", lambda case: fixed(predicted[case] / 1e6, 2)),
        column("through the L1 / predicted:", lambda case: over_predicted(case, "l1_sectors")),
        column("from the SMs to the L2 / predicted:", lambda case: over_predicted(case, "sm_l2_sectors")),
    )
    text = (
        "Predicted: each tile of C reads its rows of A and its columns of B once a step, and is stored once, in whole sectors. Stores that fill half of a sector at a time count twice. "
        "From the SMs to the L2 fewer go where blocks of an SM share lines in its L1. What TMA brings does not pass the L1."
    )
    return told(shown, [text])


INSTRUCTIONS = {"HMMA, IMMA": ("hmma", "imma"), "HGMMA, IGMMA": ("hgmma", "igmma"), "LDSM": ("ldsm",), "LDGSTS": ("ldgsts",), "UTMALDG": ("utmaldg",)}


def code(study: Study, table: Table) -> Blocks:
    """What multiplies in each product's machine code, and what brings its operands: a row a listing."""
    rows: list[list[Cell]] = []
    shown: set[tuple[str, str]] = set()
    missing: list[str] = []
    totals = dict.fromkeys(INSTRUCTIONS, 0)
    for case in table.cases:
        if not case["variant"].startswith("product_") or case["variant"] in LIBRARIES or not table.rows(case):
            continue
        row = code_of(study, table, case)
        if row is None:
            missing.append(f"{API_NAMES[case['api']]}'s {case['variant']} {case['tile']} {case['warps']}".rstrip())
            continue
        if (row["kernel"], case["api"]) in shown:
            continue
        shown.add((row["kernel"], case["api"]))
        counts = {name: sum(int(row.get(column) or 0) for column in columns) for name, columns in INSTRUCTIONS.items()}
        if case["api"] == "vulkan":
            totals = {name: totals[name] + count for name, count in counts.items()}
        cells: list[Cell] = [Code(row["kernel"]), API_NAMES[case["api"]], _count(row, "instructions"), _count(row, "registers")]
        rows.append([*cells, *map(whole, counts.values())])
    if not rows:
        return [NO_RESULTS]
    blocks: Blocks = [document.table(["kernel", "API", "instructions:", "registers:", *(f"{name}:" for name in INSTRUCTIONS)], rows)]
    if any(api == "vulkan" for _, api in shown):
        none = [name for name, count in totals.items() if not count]
        text = "Vulkan's listed products multiply by HMMA and IMMA" if totals["HMMA, IMMA"] else "Vulkan's listed products have no instruction on matrices"
        blocks.append(paragraph(f"{text}; of {', '.join(none)} there is none in any of them." if none else f"{text}."))
    if missing:
        blocks.append(paragraph(f"Timed, and without a listing: {'; '.join(dict.fromkeys(missing))}."))
    return blocks


LADDER = {
    "cuda": [("product_tile", "wmma, one tile", MORE[0]), ("product_mma", "mma.sync, cp.async", MORE[1]), ("product_wgmma", "wgmma, TMA", CUDA),
             ("product_cublas", "cuBLAS", MORE[2])],
    "vulkan": [("product_tile", "KHR, one tile", MORE[0]), ("product_double", "KHR, two tiles", MORE[1]), ("product_workgroup", "NV, workgroup's", VULKAN),
               ("product_workgroup_sized", "NV, its size compiled in", MORE[2])],
}  # fmt: skip


def ladder_chart(_: Study, table: Table) -> Chart:
    """The fastest shape of each kernel, at each size."""
    panels = []
    for api, shown in LADDER.items():
        series = []
        for variant, name, kind in shown:
            where = {"variant": variant, "api": api, "in": "f16", "sums": "f32", "data": "normal", "pick": "fastest"}
            series.append(line(table, name, kind, table.select(where), lambda case: case.whole("size"), "tops", 1))
        panels.append(Panel(API_NAMES[api], "TFLOP/s", series))
    text = "Products of f16 matrices with sums of f32: TFLOP/s of each kernel's fastest shape, by the matrices' size."
    return Chart("The ladder of products", "rows, columns and depth", panels, columns=2, description=text)


ANALYSIS = Analysis(
    sections=[
        ("Rates from registers", rates),
        ("Arithmetic pipes", chains),
        ("The ladder", ladder),
        ("What each step brings", steps),
        ("Targets", targets),
        ("The tiles of both APIs", tiles),
        ("Where the tiles' gap lies", account),
        ("Matrix units at work, counted", busy),
        ("Traffic, predicted and counted", traffic),
        ("Power and zeros", power),
        ("Machine code", code),
    ],
    plots={"exp07-ladder": Plot("The ladder", ladder_chart, "product_*")},
    plots_marker="exp07-ladder-plots",
    counting=Counting(),  # all: the cycles of the matrix units, and each product's traffic
)
