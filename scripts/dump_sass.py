#!/usr/bin/env python3
"""The machine code (SASS) of every kernel of both APIs, counted, and the two APIs' listings side by side.

    scripts/dump_sass.py                          asks every program in build/release/bin for its kernels' code (--dump-isa)
    scripts/dump_sass.py --kernel add_f32         one kernel: prints where its side-by-side page is, and what differs
    scripts/dump_sass.py --from DIR               reads what --dump-isa DIR wrote, e.g. on another machine
    scripts/dump_sass.py --pages --out DIR        writes every pair's page from the listings that DIR has, and counts anew; with --kernel one page
    scripts/dump_sass.py --page sum_2             one kernel as all compilers make it whose listings results/ has, side by side: an HTML page
    scripts/dump_sass.py --chip gfx1100           AMD's machine code of every Vulkan kernel, without the card (gfx1030, gfx1201, vega20;
                                                  NVIDIA's by Mesa's compiler: sm_89, sm_90)
    scripts/dump_sass.py --chip gfx1100 --own my.toml    the same of your own kernel, printed (own_kernel/README.md)
    scripts/dump_sass.py --chip gfx942 --hip      the same of CUDA's kernels, as LLVM compiles them (also gfx90a)

Writes, into results/<gpu>: sass/<experiment>.tar.xz with all listings (<kernel>.<api>.sass; `tar -xJf` unpacks them), the pairs' table and
legend sass/README.md, sass.csv (a row a kernel and API: instructions by kind; load_scale and store_scale are what the first
load's and store's address multiplies its index with) and sass_twins.csv (a row a pair). Side-by-side pages, sass/<experiment>/<kernel>.md, are
written where --kernel or --pages asks for them, and made anew where they are. Without a GPU: the CUDA kernels of the build, every
architecture, into build/results.

Of drivers that list code and give out no bytes (Mesa's), and of --chip: isa.csv and isa.w<subgroup>.tar.xz, with --chip into
results/<chip>-<compiler>-<version>, with --own into build/own_kernel/<FILE's name>/<chip>-<compiler>-<version>. They have no times. With --kernel
and --own the listings are printed, too.

nvdisasm is needed for the rest: the CUDA toolkit's, or one named with --nvdisasm or BENCH_NVDISASM, or what scripts/setup.sh --nvdisasm
fetched. Without one the bare code is written, or nothing with --listings-only. Exit codes: 0 done, 1 something failed, 2 usage,
77 nothing done for want of nvdisasm (--listings-only), 130 interrupted.
"""

from benchlib.base import early  # noqa: F401  # first: see there

import argparse
import csv
import io
import lzma
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from benchlib.base import archive, console, csv_file, files, parallel, programs
from benchlib.pages import compilers_page, sass_pages
from benchlib.sass import same_work, sass, sass_address
from benchlib.sass import chips, compilers, driver_listings, hip, kernel_sources, listings, sass_cubin, sass_diff, sass_dump, sass_tool
from benchlib.results.machine_code import CODES, FOLDER, PAST, TWINS, by_hashes
from benchlib.results.results import API_NAMES, InputError
from benchlib.sass.sass import Instruction
from benchlib.sass.sass_dump import Dump, Kernel
from benchlib.sass.sass_tool import Nvdisasm

NAME = "dump_sass.py"
fail = partial(console.fail, NAME)
ROOT = Path(__file__).resolve().parent.parent
COLUMNS = ["experiment", "kernel", "api", "arch", *sass.FIGURES, "isa_hash", "note"]
PAST_COLUMNS = ["experiment", "kernel", "cuda_kernel", "vulkan_kernel", "cuda_hash", "vulkan_hash", "work"]
TWIN_COLUMNS = ["experiment", "kernel", "arch", "cuda_kernel", "vulkan_kernel", *sass_diff.FIGURES, "work", "summary"]
DUMP_TIMEOUT_S = 600
DUMPS_AT_ONCE = 4  # each opens the GPU
NAMED_KERNELS = 4  # in the list of what is missing, for each reason


@dataclass
class Disassembled:
    """One kernel, as far as it could be read."""

    kernel: Kernel
    instructions: list[Instruction] | None = None
    note: str = ""  # what is wrong with it
    failed: bool = False
    counts: dict[str, int] = field(default_factory=dict)
    via: str = ""  # what nvdisasm read: see sass_tool.Listing
    recorded: dict[str, str] | None = None  # its row of sass.csv, if it was read from there

    @property
    def length(self) -> int | None:
        if self.instructions is not None:
            return len(self.instructions)
        code = self.kernel.code
        return len(sass_cubin.without_padding(code)) // sass_cubin.INSTRUCTION_BYTES if code else None


# ------------------------------------------------------------------------------------------------------------ gathering


def run_programs(programs: Sequence[Path], folder: Path, wish: Sequence[str], on: chips.Launcher) -> list[str]:
    """Has every program dump its kernels into the folder, with these further arguments. Returns what went wrong, a line a program."""

    running: set[subprocess.Popen[str]] = set()
    stopping = threading.Event()

    def problem(program: Path) -> str:
        try:
            with subprocess.Popen(
                [*on.prefix, program, "--dump-isa", folder, *wish], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                env={**os.environ, **on.environment},
            ) as process:  # fmt: skip
                running.add(process)
                if stopping.is_set():
                    process.kill()
                try:
                    out, err = process.communicate(timeout=DUMP_TIMEOUT_S)
                finally:
                    process.kill()
                    running.discard(process)
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"{program.name}: {error}"
        if process.returncode in (0, console.SKIPPED):
            return ""
        last = (err.strip() or out.strip() or "it said nothing").splitlines()[-1]
        return f"{program.name} --dump-isa ended with {process.returncode}: {last}"

    with ThreadPoolExecutor(DUMPS_AT_ONCE) as pool:  # they compile and wait, and time nothing
        try:
            return list(filter(None, pool.map(problem, programs)))
        except BaseException:  # Ctrl-C, SIGTERM: the threads wait for their programs, however long these take
            stopping.set()
            for process in list(running):
                process.kill()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def chosen_programs(options: argparse.Namespace) -> list[Path]:
    found = {path.name: path for path in programs.experiments(options.bin, "build first, or give --bin or --from")}
    return [found[name] for name in console.chosen(list(found), options.only)]


def dumped(programs: Sequence[Path], wish: Sequence[str], on: chips.Launcher = chips.Launcher((), {})) -> tuple[Dump | None, list[str]]:
    """What these programs dump, with these further arguments; None where none of them does. And what went wrong."""
    with tempfile.TemporaryDirectory(prefix="dump_sass.") as name:
        folder = Path(name)
        problems = run_programs(programs, folder, wish, on)
        return sass_dump.read_dump(folder) if any(folder.glob("*/index.json")) else None, problems


def on_device(options: argparse.Namespace) -> list[str]:
    return ["--device", options.device] if options.device else []


def gather(options: argparse.Namespace) -> tuple[str, list[Kernel], list[str]]:
    """The GPU's name ("" without one), the kernels, and what went wrong on the way."""
    if options.source:
        dump, problems = sass_dump.read_dump(options.source), []
        console.chosen(sorted({kernel.experiment for kernel in dump.kernels}), options.only)
    else:
        found, problems = dumped(chosen_programs(options), on_device(options))
        dump = found or Dump("", "", [])
    for problem in problems:
        fail(problem)
    gpu, kernels = dump.gpu if any(kernel.code or kernel.text for kernel in dump.kernels) else "", dump.kernels
    if not options.source and not driver_listings.are_listed(kernels) and not any(kernel.api == "cuda" and kernel.code for kernel in kernels):
        kernels = [k for k in kernels if k.api != "cuda"] + [
            kernel for kernel in sass_dump.read_cubins(options.bin.parent) if console.matches(kernel.experiment, options.only)
        ]
    return gpu, kernels, problems


def without_binding(entry: str) -> str:
    """CUDA's names leave out `_address`: its pointers are nothing else."""
    return entry.replace("_address", "")


def counterpart(entry: str, others: Collection[str]) -> str | None:
    """Of the other API's entry points, the one that this kernel is compared with: that of its own name, or else the nearest that
    it is a variation of. copy_f32_address answers copy_f32, and so does copy_f32_bounds where the other API has none.
    """
    if entry in others:
        return entry
    bare = without_binding(entry)
    nearest = [name for name in others if bare == without_binding(name) or bare.startswith(f"{without_binding(name)}_")]
    return max(nearest, key=lambda name: (len(without_binding(name)), -len(name)), default=None)


def select(kernels: Sequence[Kernel], options: argparse.Namespace) -> list[Kernel]:
    """The kernels that were asked for, and what each is compared with."""
    candidates = [
        kernel
        for kernel in kernels
        if console.matches(kernel.experiment, options.only)
        # A Vulkan kernel whose architecture is not known may be of any.
        and (not options.arch or not kernel.arch or kernel.arch in options.arch)
    ]
    named = [k for k in candidates if not options.kernel or k.entry in options.kernel or k.name in options.kernel]
    answers = set()
    for kernel in named if options.kernel else []:
        others = {(k.api, k.entry) for k in candidates if k.experiment == kernel.experiment and k.api != kernel.api}
        answer = counterpart(kernel.entry, {entry for _, entry in others})
        answers |= {(kernel.experiment, *other) for other in others if other[1] == answer}
    chosen = [k for k in candidates if k in named or (k.experiment, k.api, k.entry) in answers]
    if not chosen:
        names = sorted({kernel.entry for kernel in kernels})
        raise InputError(f"no kernel is left to disassemble; there are: {', '.join(names) or 'none'}")
    return chosen


# -------------------------------------------------------------------------------------------------------- disassembling


def disassemble(kernel: Kernel, tool: Nvdisasm | None) -> Disassembled:
    if not kernel.code:
        return Disassembled(kernel, note=kernel.reason or "no code")
    if tool is None:
        return Disassembled(kernel, note="no nvdisasm")
    try:
        listing = tool.disassemble(kernel.code, kernel.arch, kernel.container or None, kernel.entry)
    except InputError as error:
        return Disassembled(kernel, note=str(error), failed=True)
    instructions = sass.mark_roles(listing.instructions, descriptors=kernel.descriptors)
    counts = sass.count(instructions, descriptors=kernel.descriptors)
    notes = []
    left_out = [i.opcode.partition(".")[2] for i in instructions if i.base == sass.UNKNOWN]
    if left_out:
        notes.append(f"nvdisasm {tool.version} left out {len(left_out)} instructions of unknown opcode ({', '.join(sorted(set(left_out)))})")
    if counts["recovered"] > len(left_out):
        number = counts["recovered"] - len(left_out)
        notes.append(f"nvdisasm {tool.version} left out {number} instructions, read from their bits")
    strange = Counter(name for i in instructions if i.base != sass.UNKNOWN and (name := sass.strangeness(i)))
    if strange:
        notes.append(f"{strange.total()} instructions that this program does not know ({', '.join(sorted(strange))})")
    return Disassembled(kernel, instructions, "; ".join(notes), counts=counts, via=listing.via)


def disassemble_all(kernels: Sequence[Kernel], tool: Nvdisasm | None) -> list[Disassembled]:
    """In their order; those of one container together, which nvdisasm then reads once."""
    groups: dict[bytes, list[Kernel]] = {}
    for kernel in kernels:
        group = groups.setdefault(kernel.container or kernel.code, [])
        group.append(replace(kernel, container=group[0].container) if group else kernel)  # one object: handed over once
    found = parallel.map_all(partial(disassemble_group, tool=tool), list(groups.values()))
    queues = {content: iter(items) for content, items in zip(groups, found)}
    return [next(queues[kernel.container or kernel.code]) for kernel in kernels]


def disassemble_group(kernels: Sequence[Kernel], tool: Nvdisasm | None) -> list[Disassembled]:
    return [disassemble(kernel, tool) for kernel in kernels]


def with_known_arch(kernels: Sequence[Kernel]) -> list[Kernel]:
    """Where all CUDA kernels are of one architecture, a Vulkan kernel that does not say its own is of that, too."""
    known = {kernel.arch for kernel in kernels if kernel.api == "cuda" and kernel.code}
    if len(known) != 1:
        return list(kernels)
    arch = known.pop()
    return [replace(kernel, arch=arch) if kernel.code and not kernel.arch else kernel for kernel in kernels]


# --------------------------------------------------------------------------------------------------------------- output


def csv_row(item: Disassembled) -> Mapping[str, object]:
    if item.recorded is not None:
        return {**item.recorded, **item.counts}
    kernel = item.kernel
    return {
        "experiment": kernel.experiment,
        "kernel": kernel.name,
        "api": kernel.api,
        "arch": kernel.arch,
        "instructions": item.length,
        "registers": kernel.registers,
        "live_registers": sass.live_registers(item.instructions) if item.instructions is not None else None,
        **item.counts,
        "load_scale": sass_address.load_scale(item.instructions or []),
        "store_scale": sass_address.store_scale(item.instructions or []),
        "code_bytes": len(kernel.code) or None,
        "isa_hash": kernel.isa_hash,
        "note": item.note,
        "unread": item.instructions is None and bool(kernel.code),
    }


def merged(
    path: Path, columns: Sequence[str], rows: Sequence[Mapping[str, object]], keys: Sequence[str], complete: frozenset[str]
) -> str:
    """The CSV with these rows; those of other kernels stay as they are, but for the `complete` experiments' own. A column that
    the file has not yet is empty in them. Rows of code that was not disassembled do not take an old one's place.
    """
    unread: dict[tuple[str, ...], Mapping[str, object]] = {}
    by_key: dict[tuple[str, ...], Mapping[str, object]] = {}
    for row in rows:
        (unread if row.get("unread") else by_key)[tuple(str(row[key] or "") for key in keys)] = row
    path = csv_file.there(path)
    if path.exists():
        header, records = csv_file.read(path)
        kept = [record for _, record in records if set(keys) <= set(header) and record["experiment"] not in complete]
        for record in kept:
            by_key.setdefault(tuple(record[key] for key in keys), {column: record.get(column, "") for column in columns})
    by_key = {**unread, **by_key}
    return csv_file.text(columns, [by_key[key] for key in sorted(by_key)])


def sass_text(item: Disassembled, tool: Nvdisasm) -> str:
    kernel, instructions = item.kernel, item.instructions or []
    facts = [f"{len(instructions)} instructions"]
    if kernel.registers is not None:
        facts.append(f"{kernel.registers} registers")
    live = sass.live_registers(instructions)
    if live is not None:
        facts.append(f"at most {live} live")
    facts.append(f"isa {kernel.isa_hash}")
    heads = [
        f"{kernel.experiment} {kernel.name}, {API_NAMES[kernel.api]}, {kernel.arch or 'architecture unknown'}",
        ", ".join(facts),
        f"disassembled by nvdisasm {tool.version} from the {item.via}",
        *([item.note] if item.note else []),
    ]
    return "".join(f"// {head}\n" for head in heads) + sass.text(instructions)


@dataclass(frozen=True)
class CodeTwin:
    name: str
    cuda: Disassembled
    vulkan: Disassembled
    difference: sass_diff.Difference
    findings: Sequence[same_work.Finding]

    @property
    def key(self) -> tuple[str, str, str]:
        return self.cuda.kernel.experiment, self.name, self.cuda.kernel.arch


def find_twins(items: Sequence[Disassembled]) -> list[CodeTwin]:
    """Every Vulkan kernel beside its CUDA counterpart of the same architecture, then the CUDA kernels that answered none. A kernel whose
    twin of its own name has no listing is beside none: not beside one that it is a variation of.
    """
    unlisted = {(item.kernel.experiment, item.kernel.api, item.kernel.entry) for item in items if item.instructions is None}
    groups: dict[tuple[str, int | None], list[Disassembled]] = {}
    for item in items:
        if item.instructions is not None:
            groups.setdefault((item.kernel.experiment, sass_tool.sm_number(item.kernel.arch)), []).append(item)
    found: list[tuple[str, Disassembled, Disassembled]] = []
    for group in groups.values():
        cudas, vulkans = ([item for item in group if item.kernel.api == api] for api in ("cuda", "vulkan"))
        answered = [(vulkan.kernel.name, cuda, vulkan) for vulkan in vulkans for cuda in answering(vulkan, cudas, unlisted)]
        paired = {id(cuda) for _, cuda, _ in answered}
        found += answered
        for cuda in cudas:
            if id(cuda) not in paired:
                # One build of the shader will do.
                found += [(cuda.kernel.name, cuda, vulkan) for vulkan in answering(cuda, vulkans, unlisted)[:1]]
    return compared(found)


def compared(found: Sequence[tuple[str, Disassembled, Disassembled]]) -> list[CodeTwin]:
    folders = programs.source_folders(ROOT)
    asked = [(name, folders.get(cuda.kernel.experiment), sides(cuda, vulkan)) for name, cuda, vulkan in found]
    return [CodeTwin(*names_and_code, *answer) for names_and_code, answer in zip(found, parallel.map_all(compared_one, asked))]


def compared_one(
    one: tuple[str, Path | None, tuple[sass_diff.ListingSide, sass_diff.ListingSide]]
) -> tuple[sass_diff.Difference, list[same_work.Finding]]:
    name, folder, both = one
    return sass_diff.compare(*both), same_work.findings(folder, name, *(side.instructions for side in both))


def answering(item: Disassembled, others: Sequence[Disassembled], unlisted: Collection[tuple[str, str, str]]) -> list[Disassembled]:
    """`unlisted`: the experiments, APIs and entry points that there are no instructions of."""
    entry = counterpart(item.kernel.entry, {other.kernel.entry for other in others})
    own = any((item.kernel.experiment, other.kernel.api, item.kernel.entry) in unlisted for other in others)
    if own and entry != item.kernel.entry:
        return []
    return [other for other in others if other.kernel.entry == entry]


def sides(cuda: Disassembled, vulkan: Disassembled) -> tuple[sass_diff.ListingSide, sass_diff.ListingSide]:
    return (
        sass_diff.ListingSide("CUDA", cuda.instructions or []),
        sass_diff.ListingSide("Vulkan", vulkan.instructions or [], vulkan.kernel.descriptors),
    )


def twin_row(twin: CodeTwin) -> dict[str, object]:
    """Differences as how many more (or fewer, negative) the Vulkan side has; access_width and opcode_form: how many pairs of
    instructions differ in it. same_*: 1 or 0. work: what the two do not do alike (same_work.py); empty: nothing.
    """
    experiment, name, arch = twin.key
    row: dict[str, object] = {
        "experiment": experiment,
        "kernel": name,
        "arch": arch,
        "cuda_kernel": twin.cuda.kernel.name,
        "vulkan_kernel": twin.vulkan.kernel.name,
        "cuda_instructions": twin.cuda.length,
        "vulkan_instructions": twin.vulkan.length,
        "same_memory": int(twin.difference.same_memory),
        "same_opcodes": int(twin.difference.same_opcodes),
        "work": same_work.as_text(twin.findings),
        "summary": sass_diff.summary(twin.difference),
    }
    for difference, column in sass_diff.COLUMNS.items():
        left, right = twin.difference.counts.get(difference, (0, 0))
        row[column] = right if difference in sass_diff.BETWEEN_TWO else right - left
    return row


def file_stem(item: Disassembled, archs: Collection[str]) -> str:
    """`archs`: of the set's CUDA kernels. In a set of several the names of their files say which."""
    kernel = item.kernel
    return f"{kernel.file_stem}.{kernel.arch}" if kernel.api == "cuda" and len(archs) > 1 else kernel.file_stem


def cuda_archs(items: Sequence[Disassembled]) -> set[str]:
    return {item.kernel.arch for item in items if item.kernel.api == "cuda" and item.kernel.code}


def page_of(twin: CodeTwin, archs: Collection[str], out: Path) -> Path:
    experiment, name, arch = twin.key
    if not all(map(archive.PLAIN.fullmatch, twin.key)):  # out of a CSV file
        raise InputError(f"{ascii(twin.key)[:80]} are no names of a file")
    return out / FOLDER / experiment / (f"{name}.{arch}.md" if len(archs) > 1 else f"{name}.md")


def outputs(items: Sequence[Disassembled], tool: Nvdisasm | None, out: Path, complete: frozenset[str]) -> dict[Path, str | bytes]:
    """Every file to write, and what goes into it."""
    written: dict[Path, str | bytes] = {}
    archs = cuda_archs(items)
    texts: dict[str, dict[str, str]] = {}
    for item in items:
        kernel = item.kernel
        stem = file_stem(item, archs)
        folder = out / FOLDER / kernel.experiment
        if item.instructions is not None and tool is not None:
            texts.setdefault(kernel.experiment, {})[f"{stem}{listings.SUFFIX}"] = sass_text(item, tool)
        elif kernel.code:
            written[folder / f"{stem}.bin"] = kernel.code
        if kernel.text:
            written[folder / f"{stem}.isa.txt"] = kernel.text
    for experiment, new in texts.items():
        path = listings.path(out, experiment)
        old = {} if experiment in complete else listings.texts(path)
        written[path] = archive.packed({name: text.encode("ascii") for name, text in {**old, **new}.items()})
    keys = ["experiment", "kernel", "api", "arch"]
    written[out / "sass.csv"] = merged(out / "sass.csv", COLUMNS, [csv_row(item) for item in items], keys, complete)
    return written


def pages(twins: Sequence[CodeTwin], archs: Collection[str], out: Path, complete: frozenset[str], *, asked: bool) -> dict[Path, str | bytes]:
    """What shows the twins: their rows of sass_twins.csv, the table of all, and a page each where it is asked for, or there already."""
    written: dict[Path, str | bytes] = {}
    folders = programs.source_folders(ROOT)
    for twin in twins:
        both = (twin.cuda, twin.vulkan)
        path = page_of(twin, archs, out)
        if not asked and not path.exists():
            continue
        facts, names = [csv_row(item) for item in both], [f"{file_stem(item, archs)}{listings.SUFFIX}" for item in both]
        sources = [kernel_sources.source(ROOT, twin.key[0], item.kernel.name, item.kernel.api) for item in both]
        folder = folders.get(twin.key[0])
        work = same_work.judged(twin.name, twin.findings, same_work.excuses(folder) if folder else [])
        written[path] = sass_pages.page(f"{twin.key[0]}: {twin.name}", twin.difference, facts, names, files.read_text(path), sources, work)
    path, keys = out / "sass_twins.csv", ["experiment", "kernel", "arch"]
    if twins or csv_file.there(path).exists():
        written[path] = merged(path, TWIN_COLUMNS, [twin_row(twin) for twin in twins], keys, complete)
        rows = list(csv.DictReader(io.StringIO(str(written[path]))))
        written[out / FOLDER / "README.md"] = sass_pages.index(rows)
    return written


def past(out: Path) -> list[dict[str, str]]:
    """The rows of PAST: those that it has, and what the listings that are there now do not do alike. Newer ones may take their place."""
    found, codes, twins = (csv_file.rows(out / name) for name in (PAST, CODES, TWINS))
    for experiment in dict.fromkeys(row["experiment"] for row in twins):
        of_experiment = ([row for row in rows if row["experiment"] == experiment] for rows in (codes, twins))
        for (cuda, vulkan), rows in by_hashes(*of_experiment).items():
            hashes = {"cuda_hash": cuda, "vulkan_hash": vulkan}
            found += [{column: row.get(column, "") for column in PAST_COLUMNS} | hashes for row in rows if row.get("work")]
    unique = {tuple(row[column] for column in PAST_COLUMNS): row for row in found}
    return [unique[key] for key in sorted(unique)]


def pages_again(out: Path, only: Sequence[str], kernels: Sequence[str] = ()) -> dict[Path, str | bytes]:
    """Of the listings that are there, from sass.csv and sass_twins.csv (CUDA's alone have none); and the counts in these. `kernels`: all,
    or those pages alone.
    """
    tables = [csv_file.rows(out / name) for name in (CODES, TWINS)]
    if not tables[0]:
        raise InputError(f"{out}: no {CODES} with listings in it")
    console.chosen(sorted({record["experiment"] for record in tables[0]}), only)
    archs = {record["arch"] for record in tables[0] if record["api"] == "cuda" and record["instructions"]}
    if kernels:
        tables[1] = [record for record in tables[1] if record["kernel"] in kernels]
        if not tables[1]:
            raise InputError(f"{out}: no pair of listings is called {' or '.join(kernels)}")
    items: dict[tuple[str, str, str], list[Disassembled]] = {}
    for record in tables[0]:
        experiment, name, api, arch = (record[column] for column in ("experiment", "kernel", "api", "arch"))
        if console.matches(experiment, only) and (code := listings.read(listings.path(out, experiment), name, api, arch)):
            kernel = Kernel(experiment, name, api, arch, name, name, descriptors=bool(int(record["descriptor_reads"] or 0)))
            instructions = sass.mark_roles(code, descriptors=kernel.descriptors)
            counts = sass.count(instructions, descriptors=kernel.descriptors)
            items.setdefault((experiment, api, name), []).append(Disassembled(kernel, instructions, counts=counts, recorded=record))
    found = []
    for record in tables[1]:
        sides_ = [items.get((record["experiment"], api, record[f"{api}_kernel"]), []) for api in ("cuda", "vulkan")]
        found += [
            (record["kernel"], cuda, vulkan) for cuda in sides_[0] for vulkan in sides_[1]
            if cuda.kernel.arch == record["arch"] and sass_tool.sm_number(cuda.kernel.arch) == sass_tool.sm_number(vulkan.kernel.arch)
        ]  # fmt: skip
    rows = [csv_row(item) for each in items.values() for item in each]
    counted = merged(out / "sass.csv", COLUMNS, rows, ["experiment", "kernel", "api", "arch"], frozenset())
    return {out / "sass.csv": counted} | pages(compared(found), archs, out, frozenset(), asked=True)


_OWN_FILES = re.compile(r".*\.(sass(\.xz)?|bin|md|isa\.txt|ptx|spvasm)")  # also an older program's


def remove_stale(out: Path, written: dict[Path, str | bytes], complete: frozenset[str]) -> None:
    """The files of kernels that are no more, in the complete experiments' folders."""
    for path in (out / FOLDER).glob("exp[0-9][0-9]_*/*"):
        if path.parent.name in complete and path not in written and _OWN_FILES.fullmatch(path.name):
            path.unlink()


def write(path: Path, content: str | bytes) -> None:
    """What is there packed stays so."""
    path.parent.mkdir(parents=True, exist_ok=True)
    there = csv_file.there(path)
    if there != path and isinstance(content, str):
        if files.unpacked(there, csv_file.MOST_BYTES).decode() != content:
            files.write_atomic(there, lzma.compress(content.encode(), preset=9))
    elif isinstance(content, bytes) or files.read_text(path) != content:
        files.write_atomic(path, content)


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="The machine code of every kernel of both APIs, counted, and the two listings side by side."
    )
    add = parser.add_argument
    add("--bin", type=Path, default=ROOT / "build/release/bin", metavar="DIR", help="the programs (default: build/release/bin)")
    add("--from", dest="source", type=Path, metavar="DIR", help="read what <program> --dump-isa DIR wrote")
    add("--out", type=Path, metavar="DIR", help="default: results/<gpu>; without a GPU build/results")
    add("--only", action="append", default=[], metavar="NAME", help="only this one, e.g. exp03 (repeatable)")
    add("--kernel", action="append", default=[], metavar="NAME", help="only this kernel (repeatable)")
    add("--arch", action="append", default=[], metavar="ARCH", help="only this architecture, e.g. sm_90a (repeatable)")
    add("--nvdisasm", metavar="PATH", help="the disassembler to use")
    add("--chip", choices=sorted(chips.CHIPS), help="compile for this one, which need not be here; Vulkan's kernels alone")
    add("--own", type=Path, metavar="FILE", help="with --chip: the Vulkan sides of a file of own_kernel's, printed")
    add("--hip", action="store_true", help="with --chip: CUDA's kernels, by LLVM")
    add("--wave", type=int, choices=(32, 64), help="with --chip: threads per subgroup (default 32 where the chip has both; of --own the driver's choice)")
    add("--device", default="", metavar="WHICH", help="the programs' --device: an index, a UUID or part of a name")
    add("--listings-only", action="store_true", help="without nvdisasm write nothing, and exit with 77")
    add("--pages", action="store_true", help="disassemble nothing: write the pages and counts of the listings in --out")
    add("--page", metavar="KERNEL", help="disassemble nothing: write build/listings/EXPERIMENT/KERNEL.html of what every compiler in results/ made of it")
    options = parser.parse_args(arguments)
    options.bin = options.bin.resolve()  # a bare name would be looked for on PATH
    if options.page and (options.chip or options.pages or options.source or options.kernel or options.arch or options.device):
        parser.error("--page goes with --only and --out alone")
    if options.pages and not options.out:
        parser.error("--pages needs --out, the folder that has the listings")
    if (options.wave or options.hip or options.own) and not options.chip:
        parser.error("--wave, --hip and --own go with --chip")
    if options.own and (options.hip or options.only):
        parser.error("--own goes without --hip and --only")
    if options.hip and (not options.chip.startswith("gfx") or options.wave == 64 != chips.CHIPS[options.chip].waves[0]):
        parser.error("--hip compiles for AMD's GPUs, for the subgroups that are usual there")
    if options.chip and options.wave not in (None, *chips.CHIPS[options.chip].waves):
        parser.error(f"{options.chip} has subgroups of {' and '.join(map(str, chips.CHIPS[options.chip].waves))}, not of {options.wave}")
    if options.chip and (options.source or options.device or options.arch or options.pages):
        parser.error("--chip goes with --bin, --only, --kernel, --wave and --out alone")
    options.arch = [arch if arch.startswith("sm_") else f"sm_{arch}" for arch in options.arch]
    return options


def report(items: Sequence[Disassembled], twins: Sequence[CodeTwin], out: Path, selected: bool) -> None:
    read = [item for item in items if item.instructions is not None]
    print(f"{len(read)} of {len(items)} kernels disassembled, {len(twins)} twins compared: {files.shown(out / FOLDER, ROOT)}")
    by_note: dict[str, list[str]] = {}
    for item in items:
        if item.note:
            kernel = item.kernel
            by_note.setdefault(item.note, []).append(" ".join(filter(None, [kernel.name, kernel.api, kernel.arch])))
    for note, names in by_note.items():
        more = f" and {len(names) - NAMED_KERNELS} more" if len(names) > NAMED_KERNELS else ""
        print(f"  {console.plain(note)}: {', '.join(names[:NAMED_KERNELS])}{more}")
    if selected:
        for twin in twins:
            page = page_of(twin, cuda_archs(items), out)
            print(f"{twin.name}: {sass_diff.summary(twin.difference)}\n  {files.shown(page, ROOT)}")


# ------------------------------------------------------------------------------------------------- what drivers list


def version_of(driver: str) -> str:
    """26.2.6 of "Mesa 26.2.6-1"."""
    found = re.search(r"\d+(\.\d+)+", driver)
    return found[0] if found else "unknown"


def dump_chip(options: argparse.Namespace) -> int:
    """Every Vulkan kernel, as Mesa compiles it for a chip that is not here."""
    chip = chips.CHIPS[options.chip]
    wave = options.wave or chip.waves[0]
    if options.hip:
        return dump_hip(options, chip, wave)
    on = chips.launcher(chip, ROOT / "build/tools")
    if options.own:
        chosen, wish = [options.bin / "own_kernel"], [str(options.own), "--compile-only", *(["--wave", str(options.wave)] if options.wave else [])]
    else:
        chosen, wish = chosen_programs(options), ["--api", "vulkan", "--compile-only", "--subgroup-size", str(wave)]
    dump, problems = dumped(chosen, wish, on)
    for problem in problems:
        fail(problem)
    if dump is None:
        chips.check(chip, on, "")
        if options.own:
            raise InputError(f"{chip.name}: {options.own} has no Vulkan side that compiles for it")
        raise InputError(f"{chip.name}: no program could open such a device: {' '.join(on.prefix)} PROGRAM --dump-isa DIR says why")
    chips.check(chip, on, dump.gpu)
    kernels = select([kernel for kernel in dump.kernels if kernel.api == "vulkan"], options)
    of_own = f"build/own_kernel/{options.own.stem}" if options.own else "results"
    out = options.out or ROOT / of_own / f"{chip.name}-{chip.driver}-{version_of(dump.driver)}"
    # A user's kernel has the driver's choice where neither the file nor --wave says which.
    found = [driver_listings.listed(kernel, driver_listings.wave_of(kernel, wave) if options.own else wave) for kernel in kernels]
    complete = frozenset() if options.kernel or problems else frozenset(kernel.experiment for kernel in kernels)
    write_listed(found, out, complete, bool(options.kernel or options.own), chip)
    return int(bool(problems))


def dump_hip(options: argparse.Namespace, chip: chips.Chip, wave: int) -> int:
    """CUDA's kernels, as LLVM compiles them for a chip that is not here."""
    tools = ROOT / "build/tools"
    out = options.out or ROOT / "results" / f"{chip.name}-hip-{hip.version(tools)}"
    experiments = [name for name, folder in programs.source_folders(ROOT).items() if (folder / "cuda").is_dir()]
    found = hip.compile_all(ROOT, tools, console.chosen(experiments, options.only), chip.name, wave)
    if options.kernel:
        found = [one for one in found if one.row["kernel"] in options.kernel]
    complete = frozenset() if options.kernel else frozenset(str(one.row["experiment"]) for one in found)
    write_listed(found, out, complete, bool(options.kernel), chip)
    return 0


def lists_code(options: argparse.Namespace) -> bool:
    """Whether the device's driver lists code and gives out no bytes, as far as one program's kernels tell."""
    dump = sass_dump.read_dump(options.source) if options.source else dumped(chosen_programs(options)[:1], on_device(options))[0]
    return dump is not None and driver_listings.are_listed(dump.kernels)


def dump_listed(kernels: Sequence[Kernel], out: Path, *, shown: bool, whole: bool) -> None:
    """What a driver that is here lists, and gives out no bytes of."""
    usual = Counter(driver_listings.wave_of(kernel, 0) for kernel in kernels if kernel.text).most_common(1)[0][0] or 32
    found = [driver_listings.listed(kernel, driver_listings.wave_of(kernel, usual)) for kernel in kernels]
    write_listed(found, out, frozenset(kernel.experiment for kernel in kernels) if whole else frozenset(), shown)


def write_listed(
    found: Sequence[driver_listings.Listed], out: Path, complete: frozenset[str], shown: bool, chip: chips.Chip | None = None
) -> None:
    waves = sorted({int(str(one.row["wave"])) for one in found})
    most = {wave: chip.most_subgroups(wave) for wave in waves} if chip and chip.waves_per_simd else {}
    written = driver_listings.outputs(out, found, waves, complete, most)
    for file, content in written.items():
        write(file, content)
    there = [one for one in found if one.text]
    sizes = " and ".join(map(str, waves))
    print(f"{len(there)} of {len(found)} kernels listed, for subgroups of {sizes}: {files.shown(out / driver_listings.TABLE, ROOT)}")
    by_reason = Counter(console.plain(str(one.row["reason"])) for one in found if not one.text)
    for reason, number in by_reason.most_common():
        print(f"  {number}: {reason}")
    if shown:
        table = {tuple(row[key] for key in driver_listings.KEYS): row for row in driver_listings.rows(out)}
        for one in there:
            row = table[tuple(str(one.row[key]) for key in driver_listings.KEYS)]
            print(f"\n{one.place}, subgroups of {row['wave']}, isa {row['isa_hash']}\n{driver_listings.said(row)}\n{one.text}", end="")


def write_page(options: argparse.Namespace) -> None:
    """Of every compiler's listings of one kernel."""
    experiment, found = compilers.gather(ROOT / "results", options.page, options.only)
    if not archive.PLAIN.fullmatch(options.page):
        raise InputError(f"{ascii(options.page)[:80]} is no name of a file")
    path = (options.out or ROOT / "build/listings") / experiment / f"{options.page}.html"
    named = " ".join(["scripts/dump_sass.py --page", options.page, *(f"--only {name}" for name in options.only)])
    write(path, compilers_page.render(experiment, options.page, found, named))
    print(f"{len(found)} listings of {experiment} {options.page}: {files.shown(path, ROOT)}")


def run(options: argparse.Namespace) -> int:
    if options.page:
        write_page(options)
        return 0
    if options.pages:
        for file, content in pages_again(options.out, options.only, options.kernel).items():
            write(file, content)
        return 0
    return dump_chip(options) if options.chip else dump_all(options)


def dump_all(options: argparse.Namespace) -> int:
    """The kernels of the device that is here, or of the build."""
    path = sass_tool.find(options.nvdisasm)
    if path is None and options.listings_only and not lists_code(options):
        fail(f"there is no nvdisasm; {sass_tool.HOW_TO_GET}")
        return console.SKIPPED
    tool = Nvdisasm(path) if path else None
    if tool:
        _ = tool.version  # before anything is run: that it is an nvdisasm at all
    gpu, kernels, problems = gather(options)
    out = options.out or (ROOT / "results" / programs.slug(gpu) if gpu else ROOT / "build" / "results")
    if driver_listings.are_listed(kernels):
        of_driver = select([kernel for kernel in kernels if kernel.api == "vulkan"], options)
        dump_listed(of_driver, out, shown=bool(options.kernel), whole=not options.kernel and not problems)
        return int(bool(problems))
    items = disassemble_all(with_known_arch(select(kernels, options)), tool)
    twins = find_twins(items)
    complete = frozenset() if options.kernel or options.arch or problems else all_read(items)
    written = outputs(items, tool, out, complete)
    if rows_of_past := past(out):
        write(out / PAST, csv_file.text(PAST_COLUMNS, rows_of_past))
    written |= pages(twins, cuda_archs(items), out, complete, asked=bool(options.kernel))
    for file, content in written.items():
        write(file, content)
    remove_stale(out, written, complete)
    if tool is None:
        fail(f"no nvdisasm, so only the bare code was written; {sass_tool.HOW_TO_GET}")
    report(items, twins, out, bool(options.kernel))
    return 1 if problems or tool is None or any(item.failed for item in items) else 0


def all_read(items: Sequence[Disassembled]) -> frozenset[str]:
    """The experiments of which every kernel that has code was disassembled: what else lies in their folders is of kernels that are
    no more. Where one was not, its old listing is the best there is.
    """
    read = {item.kernel.experiment for item in items if item.instructions is not None}
    return frozenset(read - {item.kernel.experiment for item in items if item.instructions is None and item.kernel.code})


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse_arguments(arguments)
    return console.run_cli(NAME, lambda: run(options))


if __name__ == "__main__":
    sys.exit(main())
