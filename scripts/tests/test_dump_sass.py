"""scripts/dump_sass.py, from a dump's index to the files it writes, with a stand-in for nvdisasm that knows four opcodes."""

import csv
import json
import lzma
import stat
import struct
import sys

import pytest

import dump_sass
import hand_in
from benchlib.base import archive, programs
from benchlib.sass import listings, sass_cubin, sass_dump
from benchlib.sass.sass import Instruction

EXP01 = "exp01_vector_add"

# Reads what the real one reads: refuses cubins of CUDA 13 (ABI version 8), takes wrapped and bare code, drops what it does not
# know without a word, and gives up over all ones.
NVDISASM = """#!{python}
import struct, sys
if sys.argv[1:] == ["--version"]:
    sys.exit(print("Cuda compilation tools, release 11.8, V11.8.86"))
data = open(sys.argv[-1], "rb").read()
name = None
if data[:4] == b"\\x7fELF":
    if data[8] != 7:
        sys.exit("nvdisasm fatal   : Elf file does not contain Cuda architecture information")
    sections = struct.unpack_from("<Q", data, 40)[0]
    header = struct.unpack_from("<IIQQQQIIQQ", data, sections + 4 * 64)
    data = data[header[4]:header[4] + header[5]]
    print('\\t.section\\t.text.kernel,"ax",@progbits')
elif data[:4] == b"NVuc":
    data = data[16:]
elif "-b" not in sys.argv:
    sys.exit("nvdisasm fatal   : unknown file")
known = {{0x981: "LDG.E R0, [R2.64]", 0x986: "STG.E [R2.64], R0", 0x94d: "EXIT", 0x918: "NOP"}}
lines = []
for offset in range(0, len(data), 16):
    bits = struct.unpack_from("<Q", data, offset)[0] & 0xfff
    if bits == 0xfff:
        sys.exit(f"nvdisasm error   : Unrecognized operation for functional unit 'uC' at address 0x{{offset:08x}}")
    if bits in known:
        lines.append(f"        /*{{offset:04x}}*/   {{known[bits]}} ;   // | {{offset // 16 + 1}} |  |")
print("\\n".join(lines))
"""
SPIRV_DESCRIPTORS = struct.pack("<9I", 0x07230203, 0x10300, 0, 9, 0, 4 << 16 | 71, 5, 34, 0)
SPIRV_ADDRESSES = struct.pack("<9I", 0x07230203, 0x10300, 0, 9, 0, 4 << 16 | 71, 5, 6, 4)  # ArrayStride


def words(*opcodes):
    return b"".join(struct.pack("<QQ", 7 << 12 | opcode, 0) for opcode in opcodes)


LOAD, STORE, EXIT, NOP, STRANGE = 0x981, 0x986, 0x94D, 0x918, 0x123
CODE = words(LOAD, STORE, EXIT, NOP)


@pytest.fixture
def tool(tmp_path, monkeypatch):
    path = tmp_path / "nvdisasm"
    path.write_text(NVDISASM.format(python=sys.executable))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("BENCH_NVDISASM", str(path))
    return path


@pytest.fixture
def no_tool(tmp_path, monkeypatch):
    for name in ("BENCH_NVDISASM", "CUDA_HOME", "CUDA_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(dump_sass.sass_tool, "find", lambda explicit: None)


def entry(api="cuda", kernel="add_f32", code=CODE, **more):
    container = "cubin" if api == "cuda" else "nvuc"
    return {
        "kernel": kernel, "stem": "add_f32", "api": api, "arch": "sm_90a", "block_x": 256, "constants": [], "code": code,
        "container": f"{kernel}.{api}.{container}", "source": None, "isa_hash": "", "statistics": {}, "text": None, "reason": "",
        **more,
    }  # fmt: skip


def cubin_of_cuda_13(code):
    data = bytearray(sass_cubin.wrap(code, 90, "add_f32"))
    data[8] = 8
    return bytes(data)


def write_dump(folder, *entries, program="exp01_vector_add", **more):
    target = folder / program
    target.mkdir(parents=True)
    written = []
    for number, item in enumerate(entries):
        item = dict(item)
        if isinstance(item["code"], bytes):
            data, item["code"] = item["code"], f"{number}.bin"
            (target / item["code"]).write_bytes(data)
            if item["container"]:
                container = cubin_of_cuda_13(data) if item["api"] == "cuda" else b"NVuc".ljust(16, b"\0") + data
                (target / item["container"]).write_bytes(container)
        else:
            item["container"] = None
        if isinstance(item["source"], bytes):
            data, item["source"] = item["source"], f"{number}.spv"
            (target / item["source"]).write_bytes(data)
        if item["text"]:
            (target / "text").write_text(item["text"])
            item["text"] = "text"
        written.append(item)
    index = {"schema": 1, "experiment": program, "gpu": "NVIDIA H200", "driver": "580", "git_rev": "x", "kernels": written}
    (target / "index.json").write_text(json.dumps({**index, **more}))
    return folder


def run(dump, out, *arguments):
    return dump_sass.main(["--from", str(dump), "--out", str(out), *arguments])


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def listed(out, experiment=EXP01):
    """What is in the experiment's archive."""
    return sorted(archive.read(listings.path(out, experiment)))


def test_a_twin(tmp_path, tool, capsys):
    dump = write_dump(tmp_path / "dump", entry(statistics={"numRegs": 12}),
                      entry("vulkan", source=SPIRV_DESCRIPTORS, statistics={"Register Count": 10.0, "Binary Size": 64}))  # fmt: skip
    assert run(dump, tmp_path / "out") == 0
    cuda, vulkan = rows(tmp_path / "out/sass.csv")
    assert list(cuda)[:6] == ["experiment", "kernel", "api", "arch", "instructions", "registers"]
    assert [cuda["api"], vulkan["api"]] == ["cuda", "vulkan"]
    assert [cuda["registers"], vulkan["registers"]] == ["12", "10"]
    for row in (cuda, vulkan):
        assert (row["instructions"], row["ldg_32"], row["stg_32"], row["branches"], row["unknown"]) == ("3", "1", "1", "1", "0")
        assert row["live_registers"] == "3"
        assert row["isa_hash"] == sass_cubin.isa_hash(CODE)
        assert row["note"] == ""
        assert row["load_scale"] == row["store_scale"] == ""
    assert sorted(path.name for path in (tmp_path / "out/sass").iterdir()) == ["README.md", f"{EXP01}.tar.xz"]
    assert listed(tmp_path / "out") == ["add_f32.cuda.sass", "add_f32.vulkan.sass"]
    listing = listings.text(listings.path(tmp_path / "out", EXP01), "add_f32", "cuda").splitlines()
    assert listing[0] == "// exp01_vector_add add_f32, CUDA, sm_90a"
    assert listing[-3:] == ["0000        LDG.E R0, [R2.64]", "0010        STG.E [R2.64], R0", "0020        EXIT"]
    (twin,) = rows(tmp_path / "out/sass_twins.csv")
    assert (twin["same_memory"], twin["same_opcodes"], twin["bounds_check"]) == ("1", "1", "0")
    assert "| add_f32 | the same" in (tmp_path / "out/sass/README.md").read_text()
    assert "2 of 2 kernels disassembled, 1 twins compared" in capsys.readouterr().out


def test_dropped_and_unreadable_instructions_are_counted(tmp_path, tool, capsys):
    code = words(LOAD, STRANGE, 0xFFF, STORE, EXIT)
    assert run(write_dump(tmp_path / "dump", entry(code=code)), tmp_path / "out") == 0
    (row,) = rows(tmp_path / "out/sass.csv")
    assert (row["instructions"], row["unknown"], row["live_registers"]) == ("5", "2", "")
    assert "left out 2 instructions of unknown opcode (0x123, 0xfff)" in row["note"]
    assert row["note"] in capsys.readouterr().out
    assert "UNKNOWN.0x123" in listings.text(listings.path(tmp_path / "out", EXP01), "add_f32", "cuda")


def test_without_nvdisasm_the_code_is_still_written(tmp_path, no_tool, capsys):
    assert run(write_dump(tmp_path / "dump", entry()), tmp_path / "out") == 1
    assert (tmp_path / "out/sass/exp01_vector_add/add_f32.cuda.bin").read_bytes() == CODE
    (row,) = rows(tmp_path / "out/sass.csv")
    assert (row["instructions"], row["ldg_32"], row["note"]) == ("3", "", "no nvdisasm")
    (line,) = capsys.readouterr().err.splitlines()
    assert "scripts/setup.sh --nvdisasm" in line


def test_without_nvdisasm_the_listings_that_are_there_stay(tmp_path, no_tool, capsys):
    dump = write_dump(tmp_path / "dump", entry())
    assert dump_sass.main(["--from", str(dump), "--out", str(tmp_path / "out"), "--listings-only"]) == 77
    assert not (tmp_path / "out").exists()
    (line,) = capsys.readouterr().err.splitlines()
    assert "no nvdisasm" in line and "scripts/setup.sh --nvdisasm" in line


def test_no_code_says_why_and_a_drivers_own_text_is_kept(tmp_path, tool):
    dump = write_dump(tmp_path / "dump", entry(), entry("vulkan", code=None, reason="lavapipe has no machine code"),
                      entry("vulkan", kernel="copy_f32", code=None, text="v_add_f32", reason="see the text"))  # fmt: skip
    assert run(dump, tmp_path / "out") == 0
    found = {(row["kernel"], row["api"]): row for row in rows(tmp_path / "out/sass.csv")}
    assert found["add_f32", "vulkan"]["note"] == "lavapipe has no machine code"
    assert found["add_f32", "vulkan"]["instructions"] == ""
    assert (tmp_path / "out/sass/exp01_vector_add/copy_f32.vulkan.isa.txt").read_text() == "v_add_f32"


def test_one_kernel_leaves_the_others_rows_and_shows_its_page(tmp_path, tool, capsys):
    dump = write_dump(tmp_path / "dump", entry(), entry("vulkan"), entry(kernel="copy_f32"), entry("vulkan", kernel="copy_f32"))
    out = tmp_path / "out"
    assert run(dump, out) == 0
    shared = [out / "sass.csv", out / "sass_twins.csv", out / "sass/README.md"]
    before = [path.read_bytes() for path in shared]
    capsys.readouterr()
    assert run(dump, out, "--kernel", "copy_f32") == 0
    assert "copy_f32: the same 3 instructions" in (text := capsys.readouterr().out) and "copy_f32.md" in text
    assert before == [path.read_bytes() for path in shared]


def test_a_kernel_that_is_no_more_goes(tmp_path, tool):
    out = tmp_path / "out"
    run(write_dump(tmp_path / "old", entry(kernel="gone"), entry()), out)
    (out / "sass" / EXP01).mkdir()
    for name in ("notes", "gone.md"):
        (out / "sass" / EXP01 / name).write_text("mine")
    run(write_dump(tmp_path / "new", entry()), out)
    assert listed(out) == ["add_f32.cuda.sass"] and [path.name for path in (out / "sass" / EXP01).iterdir()] == ["notes"]


def test_other_experiments_stay(tmp_path, tool):
    out = tmp_path / "out"
    run(write_dump(tmp_path / "first", entry(), entry("vulkan")), out)
    run(write_dump(tmp_path / "second", entry(kernel="chain"), program="exp06_ordering"), out)
    assert [(row["experiment"], row["kernel"]) for row in rows(out / "sass.csv")] == [
        ("exp01_vector_add", "add_f32"), ("exp01_vector_add", "add_f32"), ("exp06_ordering", "chain"),
    ]  # fmt: skip
    assert [row["experiment"] for row in rows(out / "sass_twins.csv")] == ["exp01_vector_add"]
    assert listed(out) == ["add_f32.cuda.sass", "add_f32.vulkan.sass"] and listed(out, "exp06_ordering") == ["chain.cuda.sass"]


@pytest.mark.parametrize(("further", "names"), [
    ([entry("vulkan", constants=[2], container="a"), entry("vulkan", constants=[4], container="b")], ["add_f32", "add_f32.c2", "add_f32.c4"]),
    ([entry("vulkan", container="a"), entry("vulkan", variant="push_descriptors", container="b")], ["add_f32", "add_f32", "add_f32.push_descriptors"]),
    ([entry(stem="add_other", container=None)], ["add_f32.add_f32", "add_f32.add_other"]),  # one entry point of two files
])  # fmt: skip
def test_several_builds_of_one_kernel_get_names_of_their_own(tmp_path, tool, further, names):
    assert run(write_dump(tmp_path / "dump", entry(), *further), tmp_path / "out") == 0
    assert [row["kernel"] for row in rows(tmp_path / "out/sass.csv")] == names


def test_a_builds_kernels_are_ours_alone(tmp_path):
    """What a linker adds of CUDA's device runtime has names that begin with _ and are longer than a file's may be."""
    folder = tmp_path / EXP01 / "exp01_kernels"
    folder.mkdir(parents=True)
    for stem, name in (("add", "add_f32"), ("linked", "__cudaCDP2LaunchDeviceV2")):
        (folder / f"{stem}.sm_90a.cubin").write_bytes(sass_cubin.wrap(bytes(32), 90, name))
    assert [(kernel.name, kernel.arch, kernel.stem) for kernel in sass_dump.read_cubins(tmp_path)] == [("add_f32", "sm_90a", "add")]


def test_how_much_two_kernels_differ(tmp_path):
    """More or fewer of something; of what has another width or form, how many."""

    def item(api, *lines):
        listing = [Instruction(16 * at, "", *line.split(" ", 1)) for at, line in enumerate(lines)]
        return dump_sass.Disassembled(sass_dump.Kernel("exp01_x", "k", api, "sm_90", "k", "k"), listing)

    cuda = item("cuda", "LDG.E R1, [R2.64]", "FADD R1, R1, R1", "MOV R9, R8", "STG.E [R4.64], R1")
    vulkan = item("vulkan", "LDG.E.64 R1, [R2.64]", "FADD.FTZ R1, R1, R1", "STG.E.STRONG.SM [R4.64], R1")
    (twin,) = dump_sass.find_twins([cuda, vulkan])
    row = dump_sass.twin_row(twin)
    columns = ("same_memory", "access_width", "opcode_form", "store_strength_strong", "register_move", "bounds_check")
    assert [row[column] for column in columns] == [0, 1, 1, 1, -1, 0]


def test_a_kernel_whose_own_twin_has_no_listing_is_beside_none():
    def item(entry_, api, listed=True):
        kernel = sass_dump.Kernel("exp09_x", entry_, api, "sm_90", entry_, entry_)
        return dump_sass.Disassembled(kernel, [Instruction(0, "", "EXIT", "")] if listed else None)

    scan, packed = item("scan", "cuda"), item("scan_packed", "cuda")
    found = dump_sass.find_twins([scan, packed, item("scan", "vulkan"), item("scan_packed", "vulkan", listed=False)])
    assert [(twin.cuda.kernel.entry, twin.vulkan.kernel.entry) for twin in found] == [("scan", "scan")]
    found = dump_sass.find_twins([scan, item("scan_packed", "cuda", listed=False), item("scan", "vulkan"), item("scan_packed", "vulkan")])
    assert [(twin.cuda.kernel.entry, twin.vulkan.kernel.entry) for twin in found] == [("scan", "scan")]


def test_variations_are_compared_with_what_they_vary(tmp_path, tool, capsys):
    dump = write_dump(tmp_path / "dump", entry(), entry("vulkan"), entry("vulkan", kernel="add_f32_address"),
                      entry(kernel="add_f32_bounds"), entry(kernel="sum"))  # fmt: skip
    out = tmp_path / "out"
    assert run(dump, out) == 0
    found = [(row["kernel"], row["cuda_kernel"], row["vulkan_kernel"]) for row in rows(out / "sass_twins.csv")]
    assert found == [("add_f32", "add_f32", "add_f32"), ("add_f32_address", "add_f32", "add_f32_address"),
                     ("add_f32_bounds", "add_f32_bounds", "add_f32")]  # fmt: skip
    assert dump_sass.main(["--pages", "--out", str(out)]) == 0
    assert "| kernel | add_f32 | add_f32_address |" in (out / "sass/exp01_vector_add/add_f32_address.md").read_text()
    assert "| kernel |" not in (out / "sass/exp01_vector_add/add_f32.md").read_text()
    capsys.readouterr()
    assert run(dump, out, "--kernel", "add_f32_address") == 0
    text = capsys.readouterr().out
    assert "2 of 2 kernels disassembled, 1 twins compared" in text and "add_f32_address.md" in text


@pytest.mark.parametrize("entry_, others, expected", [
    ("copy", {"copy", "copy_x"}, "copy"),
    ("copy_x_address", {"copy", "copy_x"}, "copy_x"),
    ("copy_address_y", {"copy", "copy_x"}, "copy"),
    ("copy_x", {"copy_address", "copy"}, "copy"),
    ("copy_x", {"copy_x_address", "copy"}, "copy_x_address"),
    ("copy_10", {"copy_1"}, None),
    ("copy", {"copy_x"}, None),
    ("copy", set(), None),
])  # fmt: skip
def test_counterparts(entry_, others, expected):
    assert dump_sass.counterpart(entry_, others) == expected


def test_a_vulkan_kernel_takes_the_only_architecture_there_is(tmp_path, tool):
    run(write_dump(tmp_path / "dump", entry(), entry("vulkan", arch="", container=None)), tmp_path / "out")
    assert [row["arch"] for row in rows(tmp_path / "out/sass.csv")] == ["sm_90a", "sm_90a"]


@pytest.mark.parametrize(
    "data, expected",
    [(SPIRV_DESCRIPTORS, True), (SPIRV_ADDRESSES, False), (b"", True), (b"\0" * 40, True),
     (SPIRV_ADDRESSES[:20] + b"\0" * 8, False)],
)
def test_descriptors_are_seen_in_the_spirv(tmp_path, data, expected):
    (tmp_path / "x.spv").write_bytes(data)
    assert sass_dump.uses_descriptors(tmp_path / "x.spv") == expected
    assert sass_dump.uses_descriptors(None)


def add_program(folder, body):
    program = folder / "release/bin/exp01_vector_add"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\n{body}\n")
    program.chmod(0o755)
    return program.parent


LITMUS = "exp06_litmus"  # a program in a folder of several


def test_the_programs_are_asked_about_the_device(tmp_path, tool):
    dump = write_dump(tmp_path / "dump", entry())
    programs = add_program(tmp_path, f'[ "$1 $3 $4" = "--dump-isa --device 1" ] && cp -r {dump}/. "$2"')
    assert dump_sass.main(["--bin", str(programs), "--out", str(tmp_path / "out"), "--device", "1"]) == 0
    assert [row["kernel"] for row in rows(tmp_path / "out/sass.csv")] == ["add_f32"]


def test_without_a_gpu_the_builds_cubins_are_read(tmp_path, tool, capsys):
    dump = write_dump(tmp_path / "dump", entry("vulkan", code=None, reason="lavapipe has no machine code"))
    programs = add_program(tmp_path, f'cp -r {dump}/. "$2"')
    cubins = tmp_path / "release/exp01_vector_add/exp01_kernels"
    nested = tmp_path / "release/exp06_memory_model/litmus/exp06_kernels"
    for folder, archs in ((cubins, ("sm_86", "sm_90a")), (nested, ("sm_86",))):
        folder.mkdir(parents=True)
        for arch in archs:
            (folder / f"add_f32.{arch}.cubin").write_bytes(cubin_of_cuda_13(CODE))
    assert dump_sass.main(["--bin", str(programs), "--out", str(tmp_path / "out")]) == 0
    table = [row for row in rows(tmp_path / "out/sass.csv") if row["experiment"] != LITMUS]
    found = [(row["api"], row["arch"], row["instructions"]) for row in table]
    assert found == [("cuda", "sm_86", "3"), ("cuda", "sm_90a", "3"), ("vulkan", "sm_90a", "")]
    assert listed(tmp_path / "out", LITMUS) == ["add_f32.cuda.sm_86.sass"]
    assert listed(tmp_path / "out") == ["add_f32.cuda.sm_86.sass", "add_f32.cuda.sm_90a.sass"]


def test_code_that_cannot_be_read_costs_no_listing(tmp_path, tool, capsys):
    out = tmp_path / "out"
    assert run(write_dump(tmp_path / "first", entry(), entry("vulkan"), entry(kernel="copy_f32")), out) == 0
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    broken = words(LOAD, 0xFFF) + b"odd"
    assert run(write_dump(tmp_path / "second", entry(code=broken, container=None), entry("vulkan", code=broken, container=None)), out) == 1
    kept = {path: path.read_bytes() for path in before if path.exists()}
    assert kept == before and "cannot read it" in capsys.readouterr().out
    # With one kernel read, its listing is new; the other's stays.
    assert run(write_dump(tmp_path / "third", entry(code=words(LOAD, EXIT)), entry("vulkan", code=broken, container=None)), out) == 1
    assert listed(out) == ["add_f32.cuda.sass", "add_f32.vulkan.sass", "copy_f32.cuda.sass"]
    table = {(row["kernel"], row["api"]): row["instructions"] for row in rows(out / "sass.csv")}
    assert table == {("add_f32", "cuda"): "2", ("add_f32", "vulkan"): "3", ("copy_f32", "cuda"): "3"}
    assert [row["kernel"] for row in rows(out / "sass_twins.csv")] == ["add_f32"]


def test_a_listing_of_other_code_is_no_missing_kernel(tool):
    disassembler = dump_sass.Nvdisasm(tool)
    longer = b"NVuc" + bytes(12) + CODE + words(EXIT)
    with pytest.raises(dump_sass.InputError, match="the listing has an instruction at 0x40") as error:
        disassembler.disassemble(CODE, "", longer, "add_f32")
    assert "no kernel" not in str(error.value)


def test_a_mnemonic_that_is_not_known_is_told(tmp_path, tool):
    tool.write_text(tool.read_text().replace('"LDG.E R0, [R2.64]"', '"LDG.E.512 R0, [R2.64]"').replace('0x94d: "EXIT"', '0x94d: "EXIT", 0x123: "FROBNICATE R0"'))
    write_dump(tmp_path / "dump", entry(code=words(LOAD, STRANGE, EXIT)))
    assert run(tmp_path / "dump", tmp_path / "out") == 0
    (row,) = rows(tmp_path / "out" / "sass.csv")
    assert (row["unknown"], row["ldg_32"], row["recovered"]) == ("2", "0", "0")
    assert row["note"] == "2 instructions that this program does not know (FROBNICATE, LDG.E.512)"


@pytest.mark.parametrize(
    "gpu, slug",
    [("NVIDIA H200", "nvidia-h200"), ("AMD Radeon RX 7900 XTX (RADV NAVI31) ", "amd-radeon-rx-7900-xtx-radv-navi31"),
     ("Intel(R) Arc(TM) A770", "intel-arc-a770"), ("../../etc", "etc"), ("(unnamed)", "unnamed"), ("(R)", "unknown")],
)  # fmt: skip
def test_the_folder_is_named_as_the_programs_name_it(gpu, slug):
    assert programs.slug(gpu) == slug


def test_tables_that_are_packed_stay_so(tmp_path, tool):
    """They are read, merged with what is new, and give the same as those that are not packed."""
    first, more = (write_dump(tmp_path / name, *entries) for name, entries in (("a", [entry(), entry("vulkan")]), ("b", [entry(kernel="copy_f32")])))
    outs = [tmp_path / "plain", tmp_path / "packed"]
    for out in outs:
        assert run(first, out) == 0
    for name in ("sass.csv", "sass_twins.csv"):
        hand_in.pack(outs[1] / name)
    for out in outs:
        assert run(more, out, "--kernel", "copy_f32") == 0
    for name in ("sass.csv", "sass_twins.csv"):
        assert not (outs[1] / name).exists() and lzma.decompress((outs[1] / f"{name}.xz").read_bytes()) == (outs[0] / name).read_bytes()
    plain, packed = (dump_sass.pages_again(out, []) for out in outs)
    assert list(plain.values()) == list(packed.values()) and len(plain) > 2
