"""What the kernels' lines `Per turn of` ask for, and how much is under way, in CUDA's machine code of today's sources. No GPU.

The listings in results/ are those of what was measured; these are of what will be. Vulkan's side has no compiler without its driver. See
test_sass_golden.py.
"""

from functools import cache

import pytest
from benchlib.sass import payload, same_work
from test_sass_golden import ROOT, compiled  # noqa: F401

MEMORY, INSIDE = "exp06_memory_model", "exp09_inside_a_workgroup"


@pytest.fixture(scope="module")
def work(compiled):  # noqa: F811
    """work(experiment, stem): what each kernel of it does, by name."""
    return cache(lambda experiment, stem: {name: payload.of(code) for name, code in compiled(experiment, stem).items()})


@pytest.mark.parametrize(
    ("experiment", "stem", "least"),
    [
        ("exp08_host_and_queues/order", "link", 1), ("exp08_host_and_queues/transfers", "move_words", 1), ("exp05_strided", "read_window", 1),
        (f"{INSIDE}/arithmetic", "loop", 7), (f"{INSIDE}/arithmetic", "sum", 3), (f"{INSIDE}/atomics", "atomic_global", 20),
        (f"{INSIDE}/barrier", "barrier", 10), (f"{INSIDE}/shared_memory", "read_16", 1), (f"{INSIDE}/shared_memory", "structs_aos", 2),
        (f"{INSIDE}/subgroups", "basic", 20), (f"{MEMORY}/ordering", "message", 20), (f"{MEMORY}/ordering", "load", 10),
        (f"{MEMORY}/ordering", "store", 8), (f"{MEMORY}/cache_ops", "stream", 10), (f"{MEMORY}/cache_ops", "reuse", 6),
    ],
)  # fmt: skip
def test_what_a_turn_is_asked_for_is_done(work, experiment, stem, least):
    asked = same_work.asks(ROOT / experiment)
    kernels = {name: side for name, side in work(experiment, stem).items() if same_work.ask_of(asked, name) is not None}
    assert len(kernels) >= least
    assert {name: found for name, side in kernels.items() if (found := same_work.compare(side, side, same_work.ask_of(asked, name)))} == {}


@pytest.mark.parametrize(
    ("experiment", "stem", "kernel", "kind", "number"),
    [
        ("exp04_bda", "shared_u32", "shared_u32", "shared_load", 1), ("exp05_strided", "read_window", "read_window", "load", 1),
        ("exp08_host_and_queues/transfers", "move_words", "move_words", "load", 1), (f"{INSIDE}/arithmetic", "sum", "sum_plain", "load", 1),
        (f"{INSIDE}/atomics", "atomic_global", "global_exchange_i32_used", "atomic", 1), (f"{INSIDE}/barrier", "barrier", "none_exchange", "shared_load", 4),
        (f"{INSIDE}/shared_memory", "read_4", "read_4", "shared_load", 8), (f"{INSIDE}/shared_memory", "capacity", "capacity", "shared_load", 1),
        (f"{MEMORY}/ordering", "load", "load_rate_weak", "load", 4), (f"{MEMORY}/ordering", "message", "message_flag_relaxed_gpu", "load", 1),
        (f"{MEMORY}/cache_ops", "stream", "stream_plain", "load", 4), (f"{MEMORY}/cache_ops", "reuse", "reuse_ro_plain", "load", 4),
        ("exp07_matrix_units", "product_tile_bf16_f32", "product_tile_bf16_f32_128_128_32_2_4", "shared_load", 12),
        ("exp07_matrix_units", "product_tile_s8_s32", "product_tile_s8_s32_128_128_32_2_4", "shared_load", 6),
    ],
)  # fmt: skip
def test_what_is_written_out_is_under_way(work, experiment, stem, kernel, kind, number):
    """As Vulkan's compiler has it where a loop's step is no constant; a loop of one turn of the source, whatever the compiler makes of it."""
    loops = [loop for loop in work(experiment, stem)[kernel].loops if loop.innermost and loop.in_flight[kind]]
    assert {loop.in_flight[kind] for loop in loops} == {number}
    assert {loop.constant for loop in loops} == ({True} if stem in ("move_words", "message") or stem.startswith("product") else {False})


@pytest.mark.parametrize(("numbers", "instruction", "number"), [("bf16_f32", "HMMA.16816.F32.BF16", 32), ("s8_s32", "IMMA.16832.S8.S8", 16)])
def test_tiles_multiply_what_vulkans_multiply(work, numbers, instruction, number):
    side = work("exp07_matrix_units", f"product_tile_{numbers}")[f"product_tile_{numbers}_128_128_32_2_4"]
    (loop,) = side.loops
    assert loop.counts[instruction] == number and not any(name.startswith("generic") for name in side.everything)


def test_a_task_that_tells_nobody_has_no_fence(work):
    kernels = work("exp08_host_and_queues/waiting", "task")
    fences = {name: {one for one in side.everything if payload.is_fence(one)} for name, side in kernels.items()}
    assert fences == {"task": set(), "task_tells": {"fence_sys", "invalidate"}}
