"""No loop of a kernel goes on for ever, whatever --size says: of every loop, what it counts to and by how much fits its counter together.

--size is refused beyond 2^32 - 2^22 words of a buffer (`kLongestStride` of common/core/experiment/experiment.cpp): so a counter of 32 bits
takes the last turn's step, too, if that step is 2^22 at most.
"""
import re
from pathlib import Path

import pytest

from result_sets import REPOSITORY as ROOT


WORDS = 2 ** 32 - 2 ** 22  # that a size can have
BLOCK = 1024  # threads of a block at most, in either API
TILE_BYTES = 512  # at least, of what a block or a warp takes at a time
FOLDERS = ("exp*", "common/cuda/kernels", "common/vulkan/kernels")
STEP = re.compile(r"(\w+) \+= (.+?)(?:, .*)?$")

# A step that is the grid's threads: where its greatest number of blocks stands, and that times the block's threads.
GRIDS = {
    # What a GPU of at most 1024 multiprocessors holds at once, 2048 threads each, up to the next power of two.
    "exp04_bda/cuda/loop_f32.cu": ("exp04_bda/main.cpp", "std::bit_ceil(plan.resident_blocks(kLoopBlock))", 2 ** 21),
    "exp04_bda/glsl/loop_f32.glsl": ("exp04_bda/main.cpp", "std::bit_ceil(plan.resident_blocks(kLoopBlock))", 2 ** 21),
    "exp05_strided/cuda/stride.cuh": ("exp05_strided/variants.h", "kFullGrid = 4096;", 4096 * 256),
    "exp05_strided/glsl/read.glsl": ("exp05_strided/variants.h", "kFullGrid = 4096;", 4096 * 256),
    "exp05_strided/glsl/write.glsl": ("exp05_strided/variants.h", "kFullGrid = 4096;", 4096 * 256),
    # A launch has a thread for each of `instances` at most, which observe.cpp's Shape counts in 32 bits.
    "exp06_memory_model/litmus/cuda/tally.cu": ("exp06_memory_model/litmus/main.cpp", ".rounds = 8,", 2 ** 22),
    "exp06_memory_model/litmus/glsl/tally.comp": ("exp06_memory_model/litmus/main.cpp", ".rounds = 8,", 2 ** 22),
    "common/cuda/kernels/random_words.cu": ("common/core/device/data_kernels.cpp", "kMostBlocks = 2048;", 2048 * 256),
    "common/vulkan/kernels/random_words.comp": ("common/core/device/data_kernels.cpp", "kMostBlocks = 2048;", 2048 * 256),
    "common/cuda/kernels/checksum.cu": ("common/core/device/data_kernels.cpp", "kMostBlocks = 2048;", 2048 * 256),
    "common/vulkan/kernels/checksum.comp": ("common/core/device/data_kernels.cpp", "kMostBlocks = 2048;", 2048 * 256),
}
# A step that only the launch knows, so that no compiler unrolls the loop: where it stands, never 0, and the most that it can be.
ADVANCES = {
    "exp04_bda": ("variant.cpp", ["BdaParams{block, 0, 0, words}"], BLOCK),
    "exp05_strided": ("window.cpp", ["{places, stride, turns, 1}"], 1),
    "exp06_memory_model/cache_ops": ("variants.cpp", [".advance = EXP06_UNROLL}", "EXP06_UNROLL * config.block}"], 4 * BLOCK),
    "exp06_memory_model/ordering": ("variants.h", ["Shape::kRate ? EXP06_UNROLL : 1"], 4),
    "exp09_inside_a_workgroup/arithmetic": ("main.cpp", ["SumParams{config.terms(), 1}"], 1),
    "exp09_inside_a_workgroup/atomics": ("main.cpp", ["AtomicParams{config.addresses - 1, config.steps, config.turns(), 1}"], 1),
    "exp09_inside_a_workgroup/barrier": ("main.cpp", ["kSpins, EXP09_UNROLL}"], 4),
    "exp09_inside_a_workgroup/shared_memory": ("main.cpp", ["config.pad, EXP09_UNROLL}", "config.asked_bytes / 4, config.block()}"], BLOCK),
    "exp09_inside_a_workgroup/subgroups": ("main.cpp", ["kSeed, EXP09_UNROLL}"], 8),
}
# What else a loop counts to and by how much, with the reason.
OTHERS = {
    # `int`: the post's 16 Mi floats, whatever --size says, by 4096 blocks of 256 threads.
    "n by blockDim.x * gridDim.x": (2 ** 24, 4096 * 256, 2 ** 31),
    "n by int(gl_WorkGroupSize.x * gl_NumWorkGroups.x)": (2 ** 24, 4096 * 256, 2 ** 31),
    # The sweep reads a buffer of at most 16 GiB in vectors of 16 bytes; a grid has no more threads than it reads vectors, or CUDA's
    # 2048 on each of at most 1024 multiprocessors.
    "params.vec4_count by stride": (2 ** 30, 2 ** 30, 2 ** 32),
    # No more blocks than there are tiles of so many vectors.
    "params.vectors by gridDim.x * EXP09_TILE_VECTORS": (WORDS // 4, WORDS // 4 + 2 ** 10, 2 ** 32),
    "params.vectors by gl_NumWorkGroups.x * EXP09_TILE_VECTORS": (WORDS // 4, WORDS // 4 + 2 ** 10, 2 ** 32),
    # Tiles of a product of at most 2^15 rows and columns, 2^6 of each a tile at least; a block or two on each SM.
    "rows * columns by step": (2 ** 18, 2 ** 16, 2 ** 32),
}
# What is left from within, and why that comes to pass.
LEFT_FROM_WITHIN = {
    # Each turn goes 32 tiles back, and what stands before tile 0 is published; a wait for a tile ends after `spins` polls.
    "exp09_inside_a_workgroup/reduce_scan/cuda/scan.cuh", "exp09_inside_a_workgroup/reduce_scan/glsl/scan.glsl",
}
# Ends of a `while`: a clock, a counter that another line of the loop moves, or a number that goes down to 0.
ENDS = (r"timer_ns\(\) - \w+ < [\w.]+$", r"now - begin < [\w.]+$", r"turn < params\.turns\b", r"left != 0\b", r"Load_acquire::load\(told\) == 0$")


def kernels():
    for folder in FOLDERS:
        for top in sorted(ROOT.glob(folder)):
            yield from (path for path in sorted(top.rglob("*")) if path.suffix in (".cu", ".cuh", ".comp", ".glsl"))


def loops():
    for path in kernels():
        lines = path.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, 1):
            code = line.split("//")[0].rstrip(" \\")
            if "for (" in code and code.count("(") > code.count(")") and number < len(lines):  # it goes on
                code += " " + lines[number].split("//")[0].strip(" \\")
            if re.search(r"\b(for|while) *\(", code):
                yield pytest.param(str(path.relative_to(ROOT)), code.strip(), id=f"{path.relative_to(ROOT)}:{number}")


def counts_to(name, bound, step):
    """The greatest bound and step, and what its counter takes; None where no rule is known."""
    if re.fullmatch(r"[0-9]+|[A-Z][A-Z0-9_]+|(\w+::)?k[A-Z]\w+", step):
        return WORDS, 2 ** 12, 2 ** 32
    if re.fullmatch(r"(blockDim\.x|gl_WorkGroupSize\.x)( \* [A-Z0-9_]+)?", step):
        return WORDS, BLOCK * 2 ** 6, 2 ** 32
    if re.fullmatch(r"\(?(params\.)?(tiles|chunks)\)?( && ok)?", bound) and step in ("gridDim.x", "gl_NumWorkGroups.x", "blocks", "step"):
        return 4 * WORDS // TILE_BYTES, 4 * WORDS // TILE_BYTES * 32, 2 ** 32  # no more warps than there are chunks, but for a block of them
    if name in GRIDS and step in ("stride", "step"):
        return WORDS, GRIDS[name][2], 2 ** 32
    folder = next((folder for folder in ADVANCES if name.startswith(f"{folder}/")), None)
    if folder and step in ("params.advance", "advance", "params.one" if folder.endswith("atomics") else "", "params.count" if name.endswith(("shared_u32.cu", "shared_u32.comp")) else ""):
        return WORDS, ADVANCES[folder][2], 2 ** 32
    return OTHERS.get(f"{bound} by {step}")


@pytest.mark.parametrize("name, line", loops())
def test_loop_ends(name, line):
    if "while" in line:
        condition = line[line.index("while"):].strip(" {;")[len("while ("):].removesuffix(")")
        assert any(re.search(end, condition) for end in ENDS), f"{name}: what ends it? {line}"
        return
    head = re.search(r"for \((.*)", line).group(1)
    _, condition, step = head.split(";", 2)
    if not condition.strip():
        assert name in LEFT_FROM_WITHIN, f"{name}: what ends it? {line}"
        return
    if re.match(r" \w+ (/= 2|\*= 2|>>= 1|<<= 1)\)", step):  # down to 0, or up to a constant that is no more than 2^31
        assert re.fullmatch(r" \w+ (> 0|< ([A-Z0-9_]+|\w+Size\.x|blockDim\.x))", condition), line
        return
    if step.strip().startswith(("++", "--")):
        assert "<=" not in condition or re.search(r"(turn|i) <= params\.(count|steps|turns)", condition), line  # an experiment's own number of turns
        return
    depth, end = 0, len(step)
    for place, char in enumerate(step):
        depth += {"(": 1, ")": -1}.get(char, 0)
        if depth < 0:
            end = place
            break
    moved = STEP.match(step[:end].strip())
    assert moved, line
    bound = re.search(r"<=? *(.+)$", condition.strip()).group(1)
    most = counts_to(name, bound, moved.group(2).strip())
    assert most, f"{name}: what is the most that {bound} and {moved.group(2)} can be? Say so in {Path(__file__).name}: ADVANCES has steps of a launch, GRIDS grids, OTHERS the rest"
    assert most[0] - 1 + most[1] < most[2], line


def test_the_limits_are_those_of_the_sources():
    assert "constexpr std::uint64_t kLongestStride = 1ULL << 22;" in (ROOT / "common/core/experiment/experiment.cpp").read_text(encoding="utf-8")
    for name, (source, literal, _) in GRIDS.items():
        assert (ROOT / name).exists() and literal in (ROOT / source).read_text(encoding="utf-8"), name
    for folder, (source, literals, _) in ADVANCES.items():
        text = (ROOT / folder / source).read_text(encoding="utf-8")
        assert [literal for literal in literals if literal not in text] == [], folder
    assert "kSourceLog2 = 24;" in (ROOT / "exp05_strided/variants.h").read_text(encoding="utf-8")


@pytest.mark.parametrize("line", [
    "for (uint i = 0; i < params.count; i += everything) {",
    "while (!done) {",
    "for (uint word = 0; word <= params.words; ++word) {",
    "for (;;) {",
    "for (uint width = 1; width < params.count; width *= 2) {",
    "for (uint i = first; i < params.count; i += stride) b[i] = a[i];",  # in a kernel whose grid is not known
    "for (uint i = 0; i < params.steps; i += params.count) {",  # shared_u32's alone
])
def test_a_loop_without_a_proof_is_refused(line):
    with pytest.raises(AssertionError):
        test_loop_ends("exp04_bda/cuda/another.cu", line)
