"""Small result CSVs with chosen medians."""

from __future__ import annotations

import csv
import hashlib
import io
import itertools
import json
import lzma
import re
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

import worklog
from benchlib.base import archive
from benchlib.results import counters_file
from benchlib.sass import listings

HEAD = ["schema", "experiment", "variant", "api", "status", "reason"]
TIMES = [
    "elements", "useful_bytes", "cache", "batch", "samples", "device_ns", "device_ns_lo", "device_ns_hi",
    "device_ns_min", "device_ns_p05", "device_ns_p95", "roundtrip_ns", "submit_ns", "gbps", "peak_pct", "remade",
]  # fmt: skip
ORIGIN = [
    "sm_mhz", "stop", "order", "seed", "isa_hash", "gpu", "gpu_uuid", "driver", "toolkit", "sources", "git_rev", "started_at",
]  # fmt: skip

PARAMS = {
    "exp01_vector_add": ["block", "elem_bytes", "unroll", "chain", "mode", "checks"],
    "exp03_memory_coalescing": ["block", "offset", "struct_bytes", "fields", "checks"],
    "exp04_bda": ["block", "feature", "memory", "checks", "shared_bytes"],
    "exp10_l2_halves": ["block", "feature", "memory"],
    "exp05_strided": ["block", "grid", "elem_bytes", "stride", "l2_fetch_bytes", "checks"],
}
SECTORS = ["load_requests", "load_sectors", "store_requests", "store_sectors"]
MODEL = dict.fromkeys(("exp03_memory_coalescing", "exp05_strided"), [*SECTORS, "min_read_bytes", "min_write_bytes"])
OF_HOMES = ["half_sms", "home_share", "near_cycles", "far_cycles", "half_by_sm", "home_by_granule"]
MEASURED = {"exp10_l2_halves": [*(f"sm_blocks_{part}" for part in ("min", "q1", "median", "q3", "max")), "blocks_by_sm", "gpc_by_sm", *OF_HOMES]}
WHOLE = {
    "block", "grid", "buffers", "dispatches", "offset", "fields", "stride", "unroll", "chain", "stages", "blocks_per_sm", "cluster",
    "distance", "work", "sms", "streamers", "wait", "steps", "pressure",
}  # fmt: skip
PEAK_GBPS = 4800.0
DRAM_ELEMENTS = 1 << 26


def columns(experiment: str) -> list[str]:
    return HEAD + PARAMS[experiment] + MODEL.get(experiment, []) + TIMES + MEASURED.get(experiment, []) + ORIGIN


def row(experiment: str, variant: str, api: str, device_ns: float | None, half_width: float = 0.001, **cells: object) -> dict:
    """A row whose interval is device_ns, half_width (relative) either side. Its bandwidth follows bytes_per_element."""
    elements = int(cells.pop("elements", DRAM_ELEMENTS))
    bytes_per_element = int(cells.pop("bytes_per_element", 8))
    values: dict[str, object] = dict.fromkeys(columns(experiment), "")
    values |= {
        "schema": 2, "experiment": experiment, "variant": variant, "api": api, "status": "ok", "block": 256,
        "elements": elements, "useful_bytes": elements * bytes_per_element, "batch": 1, "samples": 20,
        "cache": "cold" if elements >= DRAM_ELEMENTS else "warm", "sm_mhz": 1980, "stop": "interval", "order": "ABBA",
        "seed": 1, "gpu": "NVIDIA H200", "gpu_uuid": "GPU-1", "driver": "580.159.04", "toolkit": "13.0",
        "git_rev": "abc1234", "started_at": "2026-01-01T00:00:00Z",
    }  # fmt: skip
    if device_ns is not None:
        gbps = elements * bytes_per_element / device_ns
        values |= {"device_ns": device_ns, "gbps": gbps, "roundtrip_ns": device_ns + 9000, "submit_ns": 2000}
        values |= {"device_ns_lo": device_ns * (1 - half_width), "device_ns_hi": device_ns * (1 + half_width)}
        if elements >= DRAM_ELEMENTS:
            values["peak_pct"] = 100 * gbps / PEAK_GBPS
    return values | cells


def twins(experiment: str, variant: str, cuda_ns: float, vulkan_ns: float, **cells: object) -> list[dict]:
    return [row(experiment, variant, api, ns, **cells) for api, ns in (("cuda", cuda_ns), ("vulkan", vulkan_ns))]


def csv_text(experiment: str, rows: Iterable[dict]) -> str:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns(experiment), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def schema_text(experiment: str, rows: Iterable[dict], name: str = "") -> str:
    """The sidecar of such a file. `name`: the experiment's, if it goes by another."""
    params, model, measured = PARAMS[experiment], MODEL.get(experiment, []), MEASURED.get(experiment, [])
    parts = {"identity": HEAD, "param": params, "model": model, "case": TIMES[:5], "time": TIMES[5:], "measured": measured}
    roles = {column: role for role, names in {**parts, "origin": ORIGIN}.items() for column in names}
    cells = {column: {str(row.get(column, "")) for row in rows} - {""} for column in roles}
    whole = {"schema", "elements", "useful_bytes", "batch", "samples", "seed", *model}
    whole |= {column for column in params if column in WHOLE or column.endswith("_bytes")}
    texts = {column for column in measured if cells[column] and not any(cell[:1].isdigit() for cell in cells[column])}
    texts |= {column for column in measured if column.endswith(("_by_sm", "_by_granule"))}  # numbers, one after another
    real = {"sm_mhz", *TIMES[5:], *measured} - texts
    entries, names = [], columns(experiment)
    while names:
        column = names[0]
        interval = column in real and names[1:3] == [f"{column}_lo", f"{column}_hi"]
        kind = "integer" if column in whole else "real" if column in real else "text"
        is_key = column in ("variant", "api", "elements", "cache", *params)
        entry = {"name": column, "role": roles[column], "type": kind, "unit": "", "key": is_key}
        entries.append({**entry, "interval": interval, "meaning": "of a test"})
        names = names[3 if interval else 1 :]
    return json.dumps({"schema": 2, "experiment": name or experiment, "columns": entries})


_runs = itertools.count(1)  # each file is another run's


def write(directory: Path, experiment: str, rows: Iterable[dict]) -> Path:
    seed = next(_runs)
    rows = [{**row, "seed": seed} if row.get("seed") == 1 else row for row in rows]
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{experiment}.csv"
    path.write_text(csv_text(experiment, rows), encoding="utf-8", newline="")
    path.with_suffix(".schema.json").write_text(schema_text(experiment, rows), encoding="utf-8")
    return path


def write_again(directory: Path, experiment: str, rows: Iterable[dict]) -> Path:
    """A further run of the same board: what lies in the directory itself becomes its first one."""
    board = directory / "boards" / "1"  # of the UUID GPU-1
    for path in sorted(directory.glob("exp*.*")):
        (board / "run1").mkdir(parents=True, exist_ok=True)
        path.rename(board / "run1" / path.name)
    return write(board / f"run{1 + len(list(board.glob('run*')))}", experiment, rows)


def with_whole_uuid(root: Path) -> None:
    """The results under root name their GPU by a whole UUID, which a process of its own asks for."""
    for path in root.rglob("exp*.csv"):
        path.write_text(path.read_text().replace("GPU-1", "GPU-149980f6-bd56-2648-162e-3e29b62919c5"))


def pack(path: Path) -> Path:
    packed = path.with_name(f"{path.name}.xz")
    packed.write_bytes(lzma.compress(path.read_bytes()))
    path.unlink()
    return packed


def pack_run(folder: Path) -> Path:
    """As hand_in.py does: run<k>.tar.xz in its place. What declares the columns must lie elsewhere."""
    packed = folder.with_name(f"{folder.name}{archive.SUFFIX}")
    packed.write_bytes(archive.packed({path.name: path.read_bytes() for path in folder.glob("exp*.csv")}))
    shutil.rmtree(folder)
    return packed


def write_shared(directory: Path, experiment: str, rows: Iterable[dict]) -> Path:
    """With the sidecar that runs share."""
    path = write(directory, experiment, rows)
    share_sidecar(path, directory)
    return path


def share_sidecar(path: Path, above: Path) -> None:
    """What declares the file's columns goes to the folder that runs share."""
    head = path.read_text(encoding="utf-8").partition("\n")[0]
    shared = above / "schemas" / f"{path.stem}-{hashlib.sha256(head.encode()).hexdigest()[:12]}.json.xz"
    shared.parent.mkdir(exist_ok=True)
    own = path.with_suffix(".schema.json")
    shared.write_bytes(lzma.compress(own.read_bytes()))
    own.unlink()


def exp01_rows(scale: float = 1.0) -> list[dict]:
    """A small experiment 1: every variant, three sizes, both APIs; Vulkan within 0.2 % except in launches."""
    name = "exp01_vector_add"
    rows: list[dict] = []
    for variant, elem_bytes in (("add_f32", 4), ("add_f32x4", 16)):
        for elements, ns in ((1 << 10, 2000.0), (1 << 20, 5000.0), (1 << 26, 190000.0)):
            sized = {"elements": elements, "elem_bytes": elem_bytes, "bytes_per_element": 12}
            rows += twins(name, variant, ns * scale, ns * scale * 1.002, **sized)
        for block in (64, 1024):
            sized = {"elements": 1 << 26, "elem_bytes": elem_bytes, "bytes_per_element": 12, "block": block}
            rows += twins(name, variant, 191000.0 * scale, 191100.0 * scale, **sized)
    rows += twins(name, "copy_api", 126500 * scale, 126400 * scale, block="")
    rows += twins(name, "copy_f32", 130000 * scale, 129900 * scale, unroll=1)
    rows += twins(name, "copy_f32", 130000 * scale, 129000 * scale, unroll=1, checks="off")
    rows += twins(name, "copy_tile", 126000 * scale, 125400 * scale, unroll=1)
    rows += twins(name, "copy_tile", 125500 * scale, 125900 * scale, unroll=2, block=512)
    for variant, ns in (("read_tile", 59000), ("write_tile", 58500)):
        rows += twins(name, variant, ns * scale, ns * scale, bytes_per_element=4, unroll=4)
    rows += twins(name, "empty", 1500, 1400, elements=1)
    for mode, twin, ns in (("stream", "rerecorded", 1600), ("graph", "prerecorded", 1200)):
        for chain in (1, 10, 100, 1000):
            rows.append(row(name, "chain", "cuda", ns, elements=1, chain=chain, mode=mode))
            rows.append(row(name, "chain", "vulkan", ns * 1.5, elements=1, chain=chain, mode=twin))
    rows += twins(name, "stamp_pair", 1280, 670, elements=1)
    for variant in ("aa_control_a", "aa_control_b"):
        rows += twins(name, variant, 190000 * scale, 190100 * scale, bytes_per_element=12)
    return rows


def exp03_rows(scale: float = 1.0) -> list[dict]:
    """A small experiment 3: layouts at 4M and DRAM size, offsets, structs; times follow DRAM bytes."""
    name = "exp03_memory_coalescing"
    rows: list[dict] = []

    def model(load: int, store: int) -> dict:
        return {"load_requests": 1, "load_sectors": load, "store_requests": 1, "store_sectors": store}

    for variant, ns, load in (("read_soa_x", 125000, 4), ("read_aos_x", 312500, 16), ("read_aos_vec4", 313000, 16)):
        for elements, factor in ((1 << 22, 0.05), (1 << 26, 1.0)):
            time = ns * factor * scale
            rows += twins(name, variant, time, time * 1.001, elements=elements, **model(load, 4))
    for offset in range(33):
        sectors = 4 if offset % 8 == 0 else 5
        ns = 125000 if offset % 8 == 0 else 126000
        rows += twins(name, "read_offset", ns * scale, ns * scale, offset=offset, **model(sectors, 4))
        rows += twins(name, "write_offset", ns * scale, ns * scale, offset=offset, **model(4, sectors))
    for variant, sectors in (("inner_struct", 16), ("inner_array", 8)):
        rows += twins(name, variant, 250000 * scale, 250000 * scale, bytes_per_element=16, **model(sectors, sectors))
    rows += twins(name, "read_permuted", 125000 * scale, 125000 * scale, **model(4, 4))
    rows += twins(name, "read_permuted", 125000 * scale, 124900 * scale, **model(4, 4), checks="off")
    rows += twins(name, "read_same", 63000 * scale, 63000 * scale, **model(1, 4))
    for struct_bytes in (4, 8, 16, 32, 64, 128):
        for fields in sorted({1, max(1, struct_bytes // 8), struct_bytes // 4}):
            load = min(32, struct_bytes) * fields
            ns = 15625.0 * (min(32, struct_bytes) + 4)
            cells = {"struct_bytes": struct_bytes, "fields": fields, **model(load, 4)}
            rows += twins(name, "struct_read", ns * scale, ns * scale, **cells)
    for each in rows:  # a sector a warp is a byte an element
        distinct = min(32, each["struct_bytes"]) if each["struct_bytes"] else min(each["load_sectors"], 16)
        each |= {"min_read_bytes": distinct * each["elements"], "min_write_bytes": each["store_sectors"] * each["elements"]}
    return rows


def exp04_rows(scale: float = 1.0) -> list[dict]:
    """A small experiment 4: bounds checks make inner_struct 30 % slower, imported pages make CUDA's writes 10 % slower."""
    name = "exp04_bda"
    rows: list[dict] = []

    def add(variant: str, feature: str, cuda: float, vulkan: float, memory: str = "own", **cells: object) -> None:
        cells = {"feature": feature, "memory": memory, **cells}
        rows.extend(twins(name, variant, cuda * scale, vulkan * scale, **cells))

    for variant in ("add_f32", "add_f32x4", "copy_f32"):
        for elements, factor in ((1 << 20, 0.02), (1 << 26, 1.0)):
            add(variant, "none", 100000 * factor, 100100 * factor, elements=elements)
            add(variant, "vulkan_address", 100050 * factor, 100000 * factor, elements=elements)
    for feature in ("coherent", "cuda_runs_vulkan_code"):
        add("copy_f32", feature, 100000, 100100)
    add("copy_f32", "none", 100000, 100050, checks="off")
    add("copy_f32x4", "align4", 61000, 90000)
    for feature, cuda, vulkan in (("none", 100000, 130000), ("cuda_bounds", 129000, 130000), ("vulkan_address", 100000, 99900)):
        add("inner_struct", feature, cuda, vulkan)
    add("write_u32x4", "none", 50000, 55000)
    add("write_u32x4", "none", 55000, 55000, memory="from_vulkan")
    for variant in ("aa_control_a", "aa_control_b"):
        add(variant, "none", 100000, 100000)
    return rows


def exp05_rows(scale: float = 1.0) -> list[dict]:
    """A small experiment 5: time follows the sectors at 3 TB/s, less than experiment 1 reached; stores take twice as long."""
    name = "exp05_strided"
    rows: list[dict] = []

    def add(variant: str, grid: int, elem_bytes: int, stride: int, elements: int, factor: float = 1.0, **more: object) -> None:
        sectors = min(32, elem_bytes * stride)
        stores = variant == "write_once"
        once = elements * elem_bytes
        visited = once // (stride if variant in ("read_folded", "source_strided") else 1) * min(8, stride)
        cells = {f"{kind}_{what}": 0 for kind in ("load", "store") for what in ("requests", "sectors")}
        kind = "store" if stores else "load"
        cells |= {f"{kind}_requests": 1, f"{kind}_sectors": sectors}
        cells |= {"min_read_bytes": 0 if stores else min(once, visited), "min_write_bytes": once if stores else 0}
        ns = sectors * elements / 3000 * (2 if stores else 1) * factor
        cells |= {"grid": grid, "elem_bytes": elem_bytes, "stride": stride, "elements": elements, **more}
        rows.extend(twins(name, variant, ns * scale, ns * scale * 1.02, bytes_per_element=elem_bytes, **cells))

    for grid, factor in ((256, 4.0), (4096, 1.0)):
        add("source_coalesced", grid, 4, 1, 1 << 24, factor)
        add("source_strided", grid, 4, 32, 1 << 24, factor)
    for stride in (1, 2, 3, 32, 128):
        for elements in (1 << 24, DRAM_ELEMENTS):
            add("read_folded", 4096, 4, stride, elements, 0.8 if stride > 8 else 1.0)
            add("read_once", 4096, 4, stride, elements)
        for width in (8, 16):
            add("read_once", 4096, width, stride, DRAM_ELEMENTS)
        for width in (4, 8, 16):
            add("write_once", 4096, width, stride, DRAM_ELEMENTS)
        add("read_once", 4096, 4, stride, DRAM_ELEMENTS, checks="off")
    add("read_window", 1056, 4, 8, 1 << 20)
    for fetch in (32, 64):
        add("read_once_fetch", 4096, 4, 32, DRAM_ELEMENTS, 0.9 if fetch == 32 else 1.0)
        rows[-2]["l2_fetch_bytes"] = fetch
        del rows[-1]  # CUDA's alone
    add("aa_control_a", 4096, 16, 128, DRAM_ELEMENTS)
    add("aa_control_b", 4096, 16, 128, DRAM_ELEMENTS)
    return rows


EXPERIMENTS: dict[str, Callable[[], list[dict]]] = {
    "exp01_vector_add": exp01_rows, "exp03_memory_coalescing": exp03_rows, "exp04_bda": exp04_rows, "exp05_strided": exp05_rows,
}  # fmt: skip
CUDA_LISTING = ["LDG.E R0, desc[UR4][R2.64]", "@P0 STG.E desc[UR4][R4.64], R0", "EXIT"]
VULKAN_LISTING = ["LDG.E.CONSTANT R0, [R0.U32+UR4]", "STG.E.STRONG.SM [R0.U32+UR4], R0", "EXIT"]
LISTINGS = {
    ("exp04_bda", "copy_f32_coherent", "cuda"): ["LDG.E.STRONG.GPU R3, desc[UR4][R2.64]", "STG.E.STRONG.GPU desc[UR4][R4.64], R3"],
    ("exp04_bda", "copy_f32x4_align4", "cuda"): [CUDA_LISTING[0], *CUDA_LISTING],
}
for _experiment, _kernel in (
    ("exp01_vector_add", "add_f32"),
    ("exp03_memory_coalescing", "read_soa_x"),
    ("exp04_bda", "copy_f32"),
    ("exp05_strided", "read_once_4"),
):
    LISTINGS[_experiment, _kernel, "cuda"] = CUDA_LISTING
    LISTINGS[_experiment, _kernel, "vulkan"] = VULKAN_LISTING


def counters_text(*experiments: str, **change: object) -> str:
    """What ncu would count if every prediction held; memory moves the requested sectors."""
    rows = []
    for row in (row for name in experiments for row in EXPERIMENTS[name]() if row["api"] == "cuda"):
        if row["load_sectors"] == "":
            continue
        warps = row["elements"] // 32
        columns_ = ["experiment", "variant", "api", *PARAMS[row["experiment"]], "elements", "cache"]
        cells = {name: str(row[name]) for name in columns_}
        for kind in ("load", "store"):
            cells |= {f"{kind}_{what}": str(row[f"{kind}_{what}"] * warps) for what in ("requests", "sectors")}
        moved = (row["load_sectors"] * warps * 32, row["store_sectors"] * warps * 32)
        cells |= {"instrument": counters_file.NCU, "dram_read_bytes": str(moved[0]), "dram_write_bytes": str(moved[1]), "l1_hit_pct": "0"}
        rows.append(cells | {name: str(value) for name, value in change.items()})
    return counters_file.csv_text(rows)


def sampled_text(*experiments: str, change: Callable[[dict], None] = lambda cells: None) -> str:
    """What PM sampling would count of both APIs if every prediction held and no L1 hit. `change`: of a row's counts."""
    rows = []
    for row in (row for name in experiments for row in EXPERIMENTS[name]()):
        if row["load_sectors"] == "":
            continue
        cells: dict = {name: row[name] for name in ["experiment", "variant", "api", *PARAMS[row["experiment"]], "elements", "cache"]}
        loads, stores = (row[f"{kind}_sectors"] * row["elements"] / 32 for kind in ("load", "store"))
        if row["experiment"] == "exp05_strided" and not stores:
            stores = row["min_write_bytes"] / 32
        cells |= {"l1_sectors": loads + stores, "l1_hit_sectors": 0, "sm_l2_sectors": loads + stores, "blocks": row["elements"] / 256}
        cells |= {"dram_read_bytes": 32 * loads, "dram_write_bytes": 32 * stores, "instrument": "pm_sampling"}
        change(cells)
        rows.append({name: str(value) for name, value in cells.items()})
    return counters_file.csv_text(rows)


def repository(root: Path) -> Path:
    """Makes a folder one with this repository's claims and analyses, and results of its experiments for the reference GPU."""
    here = Path(worklog.__file__).resolve().parent.parent
    for name, rows in EXPERIMENTS.items():
        (root / name).mkdir()
        for file in ("claims.toml", "analysis.py"):
            (root / name / file).write_bytes((here / name / file).read_bytes())
        write(root / worklog.REFERENCE, name, rows())
    return root


def claim(id_: str, query: str, more: str = "") -> str:
    """A claim of a claims.toml, with the keys of one query. `more`: further keys, or others in place of these."""
    keys = {"kind": '"mechanism"', "since": "2026-01-01", "source": '"ours"', "text": '"t"', "claimed": '"1"', "device": '""', "theory": '"1"', "unit": '"x"'}
    kept = [f"{name} = {value}" for name, value in keys.items() if not re.search(rf"^{name} = ", more, re.MULTILINE)]
    return "\n".join(["[[claim]]", f'id = "{id_}"', *kept, more, "[[claim.query]]", query]) + "\n"


def write_listing(directory: Path, experiment: str, kernel: str, api: str, text: str | bytes) -> Path:
    """Into the experiment's archive, as dump_sass.py does. Returns it."""
    path = listings.path(directory, experiment)
    path.parent.mkdir(parents=True, exist_ok=True)
    data = text if isinstance(text, bytes) else text.encode("ascii")
    path.write_bytes(archive.packed({**archive.read(path), f"{kernel}.{api}{listings.SUFFIX}": data}))
    return path


def write_listings(directory: Path) -> None:
    """A few listings, and a page of each Vulkan one."""
    for (experiment, kernel, api), lines in LISTINGS.items():
        numbered = [f"{16 * at:04x}        {line}" for at, line in enumerate(lines)]
        text = [f"// {experiment} {kernel}", "// 3 instructions, 16 registers", *numbered]
        write_listing(directory, experiment, kernel, api, "\n".join(text) + "\n")
        if api == "vulkan":
            page = directory / "sass" / experiment / f"{kernel}.md"
            page.parent.mkdir(exist_ok=True)
            page.write_text(f"# {kernel}\n", encoding="utf-8")


def worklog_text(folder: Path) -> str:
    """The worklog's index and its pages, one after another."""
    return "\n".join(path.read_text(encoding="utf-8") for path in [folder / "worklog.md", *sorted((folder / "worklog").glob("*.md"))])
