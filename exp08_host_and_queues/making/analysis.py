"""exp08_making's tables: kernels from compilers and caches, constants, allocations, descriptor sets."""

from collections.abc import Callable, Mapping

from benchlib.document.document import NONE, Blocks, Cell, number
from benchlib.model.analysis import Analysis, Counting, Study
from benchlib.model.pairs import figure_of, pairs
from benchlib.tables.twins import measured_cell, micros, noise_floor, versus
from benchlib.results.results import Case, Table
from benchlib.stats.formats import binary
from benchlib.tables.pivot import api_name, by_api, column, figures, keys, named, pivot, told

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


def kernels(_: Study, table: Table) -> Blocks:
    """From nothing to a kernel that is ready for its first launch."""
    shown = pivot(
        pairs(table, {"variant": ["made_small", "made_large"]}),
        keys({"steps:": lambda case: str(case.elements), "from": named(WAYS, "how")}),
        by_api(["{} ms:"], figures(table, lambda figure: number(figure.value * 1e-6, 3) if figure else NONE, "device_ns")),
        versus(table),
    )
    text = (
        "The host's time until the code is on the GPU, or the pipeline there. What is compiled no cache has seen: each kernel has a number of its own "
        "in its code. The drivers' caches on disk are off, but for the rows about them, which are of child processes: the second to make the same kernels."
    )
    return told(shown, after=[text])


def constants(found: Study, table: Table) -> Blocks:
    """What a number that is known at compilation is worth."""

    def cells(side: Case | None) -> list[Cell]:
        same = figure_of(table, side, "same_code")
        return [micros(figure_of(table, side)), NONE if same is None else "yes" if same.value == 1 else "no", measured_cell(table, side, "code_bytes")]

    how = keys({"the number of turns is": named(TOLD, "how")})
    shown = pivot(pairs(table, {"variant": "turns"}), how, by_api(["{} µs:", "the macro's code", "bytes of code:"], cells), versus(table))
    return told(shown, after=[found.memoized(noise_floor, table)])


def allocations(_: Study, table: Table) -> Blocks:
    def cells(side: Case | None) -> list[Cell]:
        took, both = figure_of(table, side, "submit_ns"), figure_of(table, side, "roundtrip_ns")
        return [micros(took), number((both.value - took.value) / 1000) if took and both else NONE]

    how = keys({"how": named(ALLOCATIONS, "how"), "size": lambda case: binary(case.elements * WORD_BYTES)})
    return [pivot(pairs(table, {"variant": "allocate"}), how, by_api(["{}: allocated, µs:", "freed, µs:"], cells), versus(table, ", both"))]


def sets(_: Study, table: Table) -> Blocks:
    def each(case: Case) -> Cell:
        figure = figure_of(table, case)
        return number(figure.value / case.elements) if figure else NONE

    shown = pivot(
        table.select({"variant": "descriptor_sets"}),
        keys({"what": named(SETS, "how"), "API": api_name}),
        (["all, µs:"], figures(table, micros, "device_ns")),
        column("each, ns:", each),
    )
    return told(shown, after=["1000 sets of four storage buffers, from a fresh pool."])


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
