"""What the compiler makes of the kernels: the claims about machine code, asserted. No GPU.

Needs nvdisasm, and nvcc where the build's cubins are older than their sources. What a newer ptxas does differently fails here:
then the claim, or the table, wants another look.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from kernel_instances import kernel_file

from benchlib.sass import sass, sass_address, sass_cubin, sass_tool

ROOT = Path(__file__).resolve().parents[2]
ARCHS = ["sm_86", "sm_90a"]
MEMORY = ("load", "store")


def find_cuda(name):
    folders = [os.environ[key] for key in ("CUDA_HOME", "CUDA_PATH") if key in os.environ] + ["/usr/local/cuda"]
    return shutil.which(name) or next((path for f in folders if os.access(path := f"{f}/bin/{name}", os.X_OK)), None)


NVDISASM, NVCC, PTXAS = sass_tool.find(), find_cuda("nvcc"), find_cuda("ptxas")
if NVDISASM is None:
    pytest.skip(f"no nvdisasm: {sass_tool.HOW_TO_GET}", allow_module_level=True)
TOOL = sass_tool.Nvdisasm(NVDISASM)


def compile_kernel(folder, stem, arch, target):
    if NVCC is None:
        pytest.skip("no nvcc, and no build newer than the sources")
    includes = [f"-I{path}" for path in (folder, ROOT, ROOT / "common")]
    source = kernel_file(folder, f"cuda/{stem}.cu", target.parent / "instances" / folder.name)
    command = [NVCC, "-std=c++17", "-cubin", f"-arch={arch}", *includes, "-o", target, source]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        pytest.fail(run.stderr)
    return target.read_bytes()


def built_cubin(experiment, stem, arch):
    """The build's, unless a source is newer."""
    folder = ROOT / experiment
    cuda = folder / "cuda"
    source = cuda / f"{stem}.cu"
    sources = [folder / "params.h", source if source.exists() else folder / "CMakeLists.txt", *cuda.glob("*.cuh"), ROOT / "common/core/base/shader_types.h"]
    newest = max(path.stat().st_mtime for path in sources)
    for build in ("ci", "release"):
        for path in (ROOT / "build" / build / experiment).glob(f"*_kernels/{stem}.{arch}.cubin"):
            if path.stat().st_mtime >= newest:
                return path.read_bytes()
    return None


def listings(cubin, arch):
    """By kernel: its instructions. One run of nvdisasm for all; offsets and targets count from the first kernel's beginning."""
    functions = sass_cubin.functions(cubin)
    code = b"".join(function.code for function in functions.values())
    # Bare code of all kernels, one after another: one run, and no live registers, for which each would need its own.
    found = sass.complete(TOOL._around_stumbles(["-b", f"SM{sass_tool.sm_number(arch)}"], code, bytes), code)
    unknown = {i.opcode for i in found if i.base == sass.UNKNOWN}
    assert not unknown, f"nvdisasm {TOOL.version} does not know {unknown}"
    begin, result = 0, {}
    for name, function in functions.items():
        end = begin + len(function.code)
        result[name] = [i for i in found if begin <= i.offset < end]
        begin = end
    return result


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """compiled("exp01_vector_add", "add_f32"): by kernel, its instructions. `folder`: an edited copy of the experiment."""
    scratch = tmp_path_factory.mktemp("golden")
    files = {}

    def get(experiment, stem, arch="sm_90a", folder=None):
        file = (experiment, stem, arch, folder)
        if file not in files:
            ready = built_cubin(experiment, stem, arch) if folder is None else None
            cubin = ready or compile_kernel(folder or ROOT / experiment, stem, arch, scratch / f"{len(files)}.cubin")
            files[file] = listings(cubin, arch)
        return files[file]

    return get


@pytest.fixture(scope="module")
def kernel(compiled):
    """kernel("exp01_vector_add", "add_f32", "sm_86"): its instructions with their roles."""

    def get(experiment, name, arch, stem=None, folder=None):
        return sass.mark_roles(compiled(experiment, stem or name, arch, folder)[name], descriptors=False)

    return get


def accesses(instructions):
    return sorted(i.opcode for i in instructions if sass.kind(i) in MEMORY)


def index_scales(instructions):
    """What an index is multiplied with on its way to the load and to the store."""
    return sass_address.load_scale(instructions), sass_address.store_scale(instructions)


# --------------------------------------------------------------------------------------------------------- the claims


def assert_add(get, arch, folder=None):
    """01.1's CUDA half."""
    assert accesses(get("exp01_vector_add", "add_f32", arch, folder=folder)) == ["LDG.E", "LDG.E", "STG.E"]


def assert_add_x4(get, arch, folder=None):
    assert accesses(get("exp01_vector_add", "add_f32x4", arch, folder=folder)) == ["LDG.E.128", "LDG.E.128", "STG.E.128"]


def assert_aos_and_soa(get, arch, folder=None):
    """03.1: the same loads, and only the multiplier of the address tells the layouts apart. 03.2: the same length."""
    aos, soa = (get("exp03_memory_coalescing", name, arch, folder=folder) for name in ("read_aos_x", "read_soa_x"))
    assert accesses(aos) == accesses(soa) == ["LDG.E", "STG.E"]
    assert index_scales(aos) == (0x10, 0x4)
    assert index_scales(soa) == (0x4, 0x4)
    assert abs(len(aos) - len(soa)) <= 1
    assert sorted(i.base for i in aos if sass.kind(i) != "move") == sorted(i.base for i in soa if sass.kind(i) != "move")


def assert_whole_struct(get, arch, folder=None):
    """03.7: one 16-byte load."""
    assert accesses(get("exp03_memory_coalescing", "read_aos_vec4", arch, folder=folder)) == ["LDG.E.128", "STG.E"]


CLAIMS = [assert_add, assert_add_x4, assert_aos_and_soa, assert_whole_struct]


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("claim", CLAIMS)
def test_claim(kernel, claim, arch):
    claim(kernel, arch)


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("unroll", [1, 2, 4, 8])
def test_tiles_have_their_loads_and_stores(kernel, unroll, arch):
    def of(kind, opcode, name):
        found = kernel("exp01_vector_add", f"{name}_{unroll}", arch, stem=name)
        return [i.opcode for i in found if sass.kind(i) == kind] == [opcode] * unroll

    assert of("load", "LDG.E.128", "copy_tile") and of("store", "STG.E.128", "copy_tile")
    assert of("load", "LDG.E.128", "read_tile")
    assert of("store", "STG.E.128", "write_tile")
    assert not of("load", "LDG.E.128", "write_tile")


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("unroll", [2, 4, 8])
def test_a_tiles_loads_are_all_before_what_needs_the_last(kernel, unroll, arch):
    """read_tile: all of a thread's loads are in flight before the first value is used."""
    found = kernel("exp01_vector_add", f"read_tile_{unroll}", arch, stem="read_tile")
    last = max(at for at, i in enumerate(found) if sass.kind(i) == "load")
    assert not any(i.base in ("REDUX", "STS", "BAR") for i in found[:last])


@pytest.mark.parametrize("arch", ARCHS)
def test_inner_struct_is_read_in_4_byte_accesses(kernel, arch):
    for name in ("inner_struct", "inner_array"):
        assert accesses(kernel("exp03_memory_coalescing", name, arch)) == ["LDG.E", "LDG.E", "STG.E", "STG.E"]


@pytest.mark.parametrize("arch", ARCHS)
def test_offset_permuted_and_same_are_one_load_and_one_store(kernel, arch):
    for name in ("read_offset", "write_offset", "read_permuted", "read_same"):
        assert accesses(kernel("exp03_memory_coalescing", name, arch)) == ["LDG.E", "STG.E"]


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("size, fields", [(16, 4), (64, 8), (128, 32)])
def test_struct_read_has_one_load_a_field(kernel, size, fields, arch):
    found = kernel("exp03_memory_coalescing", f"struct_read_{size}_{fields}", arch, stem="struct_read")
    assert accesses(found) == ["LDG.E"] * fields + ["STG.E"]


# --------------------------------------------------------------------------------------------------- matrix units: loops

MATRIX = "exp07_matrix_units"
# What makes a loop slower than what it is to measure: memory that is no operand's way, and registers that ran out.
NOT_IN_A_LOOP = {"LDL", "STL", "LDG", "STG", "LD", "ST"}


def inner_loop(instructions, mnemonic):
    """The smallest loop with the most of a mnemonic: from the target of a branch back to that branch."""
    at = {i.offset: number for number, i in enumerate(instructions)}
    loops = []
    for number, i in enumerate(instructions):
        if i.base == "BRA" and re.fullmatch("0x[0-9a-f]+", i.operands) and int(i.operands, 16) <= i.offset:
            loops.append(instructions[at[int(i.operands, 16)] : number + 1])
    return min(loops, key=lambda loop: (-sum(i.base == mnemonic for i in loop), len(loop)))


def bases(instructions, *names):
    return [sum(i.base == name for i in instructions) for name in names]


RATES = [
    ("rate_f16_f32", "HMMA.16816.F32", 16), ("rate_f16_f16", "HMMA.16816.F16", 16), ("rate_bf16_f32", "HMMA.16816.F32.BF16", 16),
    ("rate_tf32_f32", "HMMA.1688.F32.TF32", 16), ("rate_s8_s32", "IMMA.16832.S8.S8", 16), ("rate_fma_f32", "FFMA", 64),
    ("rate_fma_f64", "DFMA", 64), ("rate_fma_half2", "HFMA2", 64), ("rate_dot_s8", "IDP.4A.S8.S8", 64),
    ("rate_dot_u8", "IDP.4A.U8.U8", 64), ("rate_dot_pair_s8", "IDP.4A.S8.S8", 64),
]  # fmt: skip


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("name, opcode, count", RATES)
def test_a_rates_loop_is_its_instructions(kernel, name, opcode, count, arch):
    """All of a turn's, beside a counter, its test and the branch."""
    loop = inner_loop(kernel(MATRIX, name, arch), opcode.split(".")[0])
    found = [i for i in loop if i.opcode.removesuffix(".MMA") == opcode]
    assert len(found) == count, [i.opcode for i in loop]
    assert len(loop) <= count + 5, [i.opcode for i in loop]
    # Every one adds to what an earlier one left.
    assert {i.operands.split(",")[0] for i in found} == {i.operands.split(",")[-1].strip() for i in found} or "FMA" in opcode


GROUP_RATES = [
    ("f16_f32", "HGMMA.64x256x16.F32"), ("f16_f16", "HGMMA.64x256x16.F16"), ("bf16_f32", "HGMMA.64x256x16.F32.BF16"),
    ("tf32_f32", "HGMMA.64x256x8.F32.TF32"), ("s8_s32", "IGMMA.64x256x32.S8.S8"), ("e4m3_f32", "QGMMA"),
]  # fmt: skip


@pytest.mark.parametrize("numbers, opcode", GROUP_RATES)
def test_a_warp_groups_loop_waits_for_the_turn_before(kernel, numbers, opcode):
    found = kernel(MATRIX, f"rate_wgmma_{numbers}", "sm_90a", stem="rate_wgmma")
    loop = inner_loop(found, opcode.split(".")[0])
    assert [i.opcode.startswith(opcode) for i in loop if "GMMA" in i.base] == [True, True]
    assert [i.operands for i in loop if i.opcode == "WARPGROUP.DEPBAR.LE"] == ["gsb0, 0x1"]
    assert not NOT_IN_A_LOOP & {i.base for i in loop}


def assert_product_tile(get, arch, folder=None):
    loop = inner_loop(get(MATRIX, "product_tile_f16_f32_128_128_32_2_4", arch, "product_tile_f16_f32", folder), "HMMA")
    # A warp's 64 x 32 x 32: 4 x 2 matrices of two instructions each, twice; a thread's 4 of 1024 pieces of 16 bytes.
    assert bases(loop, "HMMA", "LDSM", "LDS", "LDG", "STS") == [32, 12, 0, 4, 4]
    assert {i.opcode for i in loop if i.base in ("LDG", "STS")} == {"LDG.E.128", "STS.128"}
    assert bases(loop, "LDL", "STL") == [0, 0]


def assert_product_walk(get, arch, folder=None):
    found = get(MATRIX, "product_walk_rows_sized_f16_f32_128_256_32_2_4_8192", arch, "product_walk_rows_sized_f16_f32", folder)
    loop = inner_loop(found, "HMMA")
    # A warp's 64 x 64 x 32: 4 x 4 matrices of two instructions each, twice; a thread's 2 + 4 of 1536 pieces of 16 bytes.
    assert bases(loop, "HMMA", "LDSM", "LDG", "STS", "BAR") == [64, 16, 6, 6, 2]
    # The loads are under no condition.
    assert {(i.opcode, i.predicate) for i in loop if i.base == "LDG"} == {("LDG.E.128", "")}
    assert bases(found, "LDL", "STL") == [0, 0]


def assert_product_mma(get, arch, folder=None):
    loop = inner_loop(get(MATRIX, "product_mma_f16_f32_256_128_32_4_2_4", arch, "product_mma_f16_f32", folder), "HMMA")
    # A warp's 64 x 64 x 32: 4 x 8 instructions, twice, whose operands come by 8 loads of four matrices each, twice; a thread's 6 of 1536 pieces.
    assert bases(loop, "HMMA", "LDSM", "LDGSTS", "BAR") == [64, 16, 6, 1]
    # ptxas puts loads that are never executed, @!PT, in front of the copies.
    assert not (NOT_IN_A_LOOP | {"LDS", "STS"}) & {i.base for i in loop if i.predicate != "@!PT"}
    # Loads are issued among the instructions, not in front of all: the next step's operands come beside this one's work.
    at = [number for number, i in enumerate(loop) if i.base == "LDSM"]
    assert any(i.base == "HMMA" for i in loop[at[0] : at[-1]])


def assert_product_wgmma(get, arch, folder=None):
    found = get(MATRIX, "product_wgmma_f16_f32", arch, "product_wgmma", folder)
    loop = inner_loop(found, "HGMMA")
    assert [i.opcode for i in loop if i.base == "HGMMA"] == ["HGMMA.64x256x16.F32"] * 4
    # One wait a turn, for the turn before: the unit always has work.
    assert [i.opcode for i in loop if i.base == "WARPGROUP"] == ["WARPGROUP.ARRIVE", "WARPGROUP.DEPBAR.LE"]
    assert [i.operands for i in loop if i.opcode == "WARPGROUP.DEPBAR.LE"] == ["gsb0, 0x1"]
    assert [i.opcode for i in found if i.base == "UTMALDG"] == ["UTMALDG.2D", "UTMALDG.2D.MULTICAST"]
    assert sum(i.base == "USETMAXREG" for i in found) == 2
    assert bases(found, "LDL", "STL", "LDSM", "LDGSTS", "STS") == [0] * 5
    # Waits have an end.
    assert "BPT.TRAP" in {i.opcode for i in found}


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("claim", [assert_product_tile, assert_product_walk, assert_product_mma])
def test_a_products_loop(kernel, claim, arch):
    claim(kernel, arch)


def test_the_warp_groups_products_loop(kernel):
    assert_product_wgmma(kernel, "sm_90a")


# ------------------------------------------------------------------------- an edit that breaks a claim fails its test


EDITS = [
    (assert_product_tile, MATRIX, "cuda/product_tile.cuh", "fetch((k + BK) / kOf16Bytes);", "__syncthreads();"),
    (assert_product_walk, MATRIX, "cuda/product_walk.cuh", "      load();\n      advance(step + 2", "      if (step + 1 < kSteps) load();\n      advance(step + 2"),
    (assert_product_mma, MATRIX, "cuda/product_mma.cuh", "cp.async.cg.shared.global.L2::128B [%0], [%1], 16;", "st.shared.u64 [%0], %1;"),
    (assert_product_wgmma, MATRIX, "cuda/product_wgmma.cuh", "group_wait<1>();", "group_wait<0>();"),
    (assert_add, "exp01_vector_add", "cuda/add_f32.cu", "c[i] = a[i] + b[i]", "c[i] = a[i] + a[i]"),
    (assert_add, "exp01_vector_add", "cuda/add_f32.cu", "const float* a, const float* b", "const float* __restrict__ a, const float* b"),
    (assert_add_x4, "exp01_vector_add", "cuda/add_f32x4.cu", "y = b[i]", "y = a[i]"),
    (assert_aos_and_soa, "exp03_memory_coalescing", "params.h", ("float x, y, z, w;", "(Particle, 16)"),
     ("float x, y, z, w, more[4];", "(Particle, 32)")),
    (assert_aos_and_soa, "exp03_memory_coalescing", "cuda/read_soa_x.cu", "= x[i]", "= *(volatile const float*)&x[i]"),
    (assert_whole_struct, "exp03_memory_coalescing", "cuda/read_aos_vec4.cu", "((p.y ^ p.z ^ p.w) & params.zero)", "(p.y & params.zero)"),
]  # fmt: skip


@pytest.mark.skipif(NVCC is None, reason="no nvcc")
@pytest.mark.parametrize("claim, experiment, file, old, new", EDITS)
def test_an_edit_that_breaks_the_claim_is_caught(kernel, tmp_path, claim, experiment, file, old, new):
    folder = tmp_path / experiment
    shutil.copytree(ROOT / experiment, folder)
    text = (folder / file).read_text(encoding="utf-8")
    for before, after in zip(*((old, new) if isinstance(old, tuple) else ((old,), (new,)))):
        assert before in text
        text = text.replace(before, after)
    (folder / file).write_text(text, encoding="utf-8")
    with pytest.raises(AssertionError):
        claim(kernel, "sm_90a", folder)
