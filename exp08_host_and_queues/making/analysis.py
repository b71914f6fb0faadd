"""exp08_making's tables: kernels from compilers and caches, constants, allocations, descriptor sets."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from benchlib.document import document
from benchlib.document.document import NO_RESULTS, NONE, Blocks, Cell, number, paragraph
from benchlib.model.analysis import Analysis, Counting, Study
from benchlib.model.pairs import figure_of, pairs
from benchlib.tables.twins import comparison, measured_cell, micros, with_noise_floor
from benchlib.results.results import API_NAMES, Case, Table

WAYS = {
    "compiler": "compiled: PTX, SPIR-V",
    "own_cache": "the build's cubin, the application's pipeline cache",
    "driver_cache": "compiled, found in the driver's cache on disk",
    "nvrtc": "NVRTC, then the cubin",
}
TOLD = {"macro": "a macro", "constant": "a template, a specialization constant", "push": "an argument, a push constant"}
ALLOCATIONS = {"dedicated": "cudaMalloc, dedicated", "from_block": "cudaMallocAsync, bound in a block"}
SETS = {"pool": "a pool, and its end", "at_once": "allocated by one call", "one_by_one": "allocated one by one", "written": "written, four buffers each"}
WORD_BYTES = 4


def _millis(table: Table, case: Case | None) -> Cell:
    figure = figure_of(table, case)
    return number(figure.value * 1e-6, 3) if figure else NONE


def kernels(_: Study, table: Table) -> Blocks:
    """From nothing to a kernel that is ready for its first launch."""
    rows: list[list[Cell]] = []
    for pair in pairs(table, {"variant": ["made_small", "made_large"]}):
        times = [_millis(table, side) for side in pair.sides]
        rows.append([str(pair.case.elements), WAYS.get(pair.case["how"], pair.case["how"]), *times, *comparison(table, pair)])
    if not rows:
        return [NO_RESULTS]
    text = (
        "The host's time until the code is on the GPU, or the pipeline there. What is compiled no cache has seen: each kernel has a number of its own "
        "in its code. The drivers' caches on disk are off, but for the rows about them, which are of child processes: the second to make the same kernels."
    )
    header = ["steps:", "from", "CUDA ms:", "Vulkan ms:", "Vulkan/CUDA [95 %]:", "Vulkan is"]
    return [document.table(header, rows), paragraph(text)]


def constants(found: Study, table: Table) -> Blocks:
    """What a number that is known at compilation is worth."""
    rows: list[list[Cell]] = []
    for pair in pairs(table, {"variant": "turns"}):
        cells: list[Cell] = [TOLD.get(pair.case["how"], pair.case["how"])]
        for side in pair.sides:
            same = figure_of(table, side, "same_code")
            cells += [micros(figure_of(table, side)), NONE if same is None else "yes" if same.value == 1 else "no", measured_cell(table, side, "code_bytes")]
        rows.append([*cells, *comparison(table, pair)])
    if not rows:
        return [NO_RESULTS]
    header = ["the number of turns is", "CUDA µs:", "the macro's code", "bytes of code:", "Vulkan µs:", "the macro's code", "bytes of code:"]
    return with_noise_floor(found, table, document.table([*header, "Vulkan/CUDA [95 %]:", "Vulkan is"], rows))


def allocations(_: Study, table: Table) -> Blocks:
    rows: list[list[Cell]] = []
    for pair in pairs(table, {"variant": "allocate"}):
        cells: list[Cell] = [ALLOCATIONS.get(pair.case["how"], pair.case["how"]), _binary(pair.case.elements * WORD_BYTES)]
        for side in pair.sides:
            took, both = figure_of(table, side, "submit_ns"), figure_of(table, side, "roundtrip_ns")
            cells += [micros(took), number((both.value - took.value) / 1000) if took and both else NONE]
        rows.append([*cells, *comparison(table, pair)])
    if not rows:
        return [NO_RESULTS]
    header = ["how", "size", "CUDA: allocated, µs:", "freed, µs:", "Vulkan: allocated, µs:", "freed, µs:", "Vulkan/CUDA, both [95 %]:", "Vulkan is"]
    return [document.table(header, rows)]


def sets(_: Study, table: Table) -> Blocks:
    rows: list[list[Cell]] = []
    for case in table.select({"variant": "descriptor_sets"}):
        figure = figure_of(table, case)
        each = number(figure.value / case.elements) if figure else NONE
        rows.append([SETS.get(case["how"], case["how"]), API_NAMES[case["api"]], micros(figure), each])
    text = "1000 sets of four storage buffers, from a fresh pool."
    return [document.table(["what", "API", "all, µs:", "each, ns:"], rows), paragraph(text)] if rows else [NO_RESULTS]


def _binary(count: int) -> str:
    for shift, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if count >= 1 << shift:
            return f"{count >> shift} {unit}"
    return f"{count} B"


def _scaled(metric: str, scale: float, where: Mapping[str, object]) -> Callable[[Table], Mapping[Case, float]]:
    """The figure in a unit of its own."""

    def of(table: Table) -> Mapping[Case, float]:
        return {case: figure.value * scale for case in table.select(where) if (figure := table.figure(case, metric))}

    return of


def _made(api: str, how: str, variant: str = "made_large") -> Callable[[Table], Mapping[Case, float]]:
    return _scaled("device_ns", 1e-6, {"variant": variant, "api": api, "how": how})


def _allocated(api: str, how: str) -> Callable[[Table], Mapping[Case, float]]:
    return _scaled("submit_ns", 1e-3, {"variant": "allocate", "api": api, "how": how, "elements": "262144"})


ANALYSIS = Analysis(
    exact=["same_code"],
    sections=[
        ("Making a kernel", kernels),
        ("Constants", constants),
        ("Allocations", allocations),
        ("Descriptor sets", sets),
    ],
    figures={
        "vulkan_compiled_ms": _made("vulkan", "compiler"),
        "vulkan_own_ms": _made("vulkan", "own_cache"),
        "vulkan_driver_ms": _made("vulkan", "driver_cache"),
        "vulkan_small_compiled_ms": _made("vulkan", "compiler", "made_small"),
        "vulkan_small_own_ms": _made("vulkan", "own_cache", "made_small"),
        "cuda_compiled_ms": _made("cuda", "compiler"),
        "cuda_own_ms": _made("cuda", "own_cache"),
        "cuda_nvrtc_ms": _made("cuda", "nvrtc"),
        "vulkan_block_us": _allocated("vulkan", "from_block"),
        "vulkan_dedicated_us": _allocated("vulkan", "dedicated"),
        "cuda_malloc_us": _allocated("cuda", "dedicated"),
        "cuda_async_us": _allocated("cuda", "from_block"),
    },
    counting=Counting(by_default=False),
)
