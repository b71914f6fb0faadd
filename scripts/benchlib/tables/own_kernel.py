"""The page of a user's own two kernels: verdict, times, kernels, account of the gap, machine code side by side. From what own_kernel has written into one folder."""

import json
import math
import re
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchlib.base import csv_file
from benchlib.base.errors import InputError
from benchlib.base.software import is_software
from benchlib.document import document
from benchlib.document.document import Block, Blocks, Preformatted, Section, paragraph, section, table
from benchlib.results.results import Case, Row, class_of
from benchlib.sass import occupancy, sass, sass_diff, sass_dump
from benchlib.sass.sass_dump import Kernel
from benchlib.sass.sass_tool import Nvdisasm
from benchlib.stats import estimate, spreads
from benchlib.stats.formats import NONE, ratio_text, sig
from benchlib.stats.stats import FASTER, SAME, SLOWER, UNCLEAR, Figure, ratio, verdict_beyond_fixed_costs

ROWS, RESULT, MACHINE_CODE, COUNTS = "rows.csv", "result.json", "isa", "counters.csv"  # own_kernel's files in the folder
COUNTED = ("instructions", "alu_instructions", "lsu_instructions", "sm_l2_sectors", "l1_sectors", "l1_hit_sectors", "l2_sectors", "dram_read_bytes", "dram_write_bytes", "sm_l2_requests", "blocks", "sm_active_cycles")
SCHEMA = 1  # of RESULT
KEYS = ("variant", "api", "status", "side", "sizes", "cache", "checks", "process")  # columns that are read of ROWS
NUMBERS = ("device_ns", "device_ns_lo", "device_ns_hi", "fixed_ns", "gbps")
MOST_ROWS = 400  # of a listing or a source on the page
MOST_SOURCE_BYTES = 1 << 20
TEXTS = (".toml", ".cu", ".ptx", ".comp")


@dataclass(frozen=True)
class TimedPair:
    """A case with both sides, over all processes that timed it."""

    variant: str
    sizes: str
    cache: str
    checks: str
    sides: tuple[Sequence[Row], Sequence[Row]]  # ok rows, of the first side and of the second, process by process

    @property
    def title(self) -> str:
        return ", ".join(filter(None, (self.sizes, self.cache, "checks off" if self.checks else "")))

    def median(self, side: int, column: str) -> float | None:
        values = [float(row[column]) for row in self.sides[side] if row[column]]
        return statistics.median(values) if values else None

    @property
    def ratios(self) -> list[Figure]:
        """The second side's time over the first's, of each process, with the interval of its samples."""
        return [ratio(_time_of(second), _time_of(first)) for first, second in zip(*self.sides)]

    @property
    def effect(self) -> Figure:
        """With the interval of the one estimator: what runs of such cases differ by is known of the committed ones."""
        ratios = self.ratios
        name = class_of(Case((("cache", self.cache),)), False, self.median(0, "device_ns"), ())
        own = estimate.own_variance([(each.lo, each.hi) for each in ratios if each.lo is not None and each.hi is not None])
        found = estimate.effect({"here": [math.log(each.value) for each in ratios]}, spreads.committed(spreads.RATIOS, name), own)
        return found.figure(len(ratios))

    @property
    def verdict(self) -> str:
        times = [Figure(value) if (value := self.median(side, "device_ns")) else None for side in (0, 1)]
        fixed = [Figure(value) if (value := self.median(side, "fixed_ns")) else None for side in (0, 1)]
        return verdict_beyond_fixed_costs(self.effect, times, fixed)


def _time_of(row: Row) -> Figure:
    """Of a process, with the interval of its samples."""
    return Figure(*(float(row[f"device_ns{end}"]) if row[f"device_ns{end}"] else None for end in ("", "_lo", "_hi")))


@dataclass(frozen=True)
class Own:
    """All that a folder holds."""

    result: Mapping[str, Any]  # as _check_result has it
    sides: Sequence[str]
    rows: Sequence[Row]
    folder: Path

    @property
    def software(self) -> bool:
        return bool(self.result.get("software")) or is_software(self.result["gpu"])

    @property
    def pairs(self) -> list[TimedPair]:
        """Of whole launches as the driver compiles them first, of those without its checks then, of a pipeline's steps last."""
        found: dict[tuple[str, str, str, str], dict[str, dict[str, Row]]] = {}
        for row in self.rows:
            if row["status"] == "ok":
                key = (row["variant"], row["sizes"], row["cache"], row["checks"])
                found.setdefault(key, {}).setdefault(row["side"], {})[row["process"]] = row
        pairs = []
        for key, sides in found.items():
            if len(self.sides) == 2 and all(side in sides for side in self.sides):
                first, second = (sides[side] for side in self.sides)
                both = sorted(first.keys() & second.keys(), key=int)
                if both:
                    pairs.append(TimedPair(*key, ([first[each] for each in both], [second[each] for each in both])))
        return sorted(pairs, key=lambda pair: (step_of(pair.variant), bool(pair.checks)))

    @property
    def whole(self) -> list[TimedPair]:
        """Those of whole launches: no steps of a pipeline."""
        return [pair for pair in self.pairs if pair.variant == self.result["name"]]

    def steps(self, whole: TimedPair) -> list[TimedPair]:
        """A pipeline's launches, each timed alone, as the whole was; none unless all of a side's were."""
        like = (whole.sizes, whole.cache, whole.checks)
        found = [pair for pair in self.pairs if step_of(pair.variant) and (pair.sizes, pair.cache, pair.checks) == like]
        lengths = {len(side["files"]) for side in self.result["sides"]}
        return found if found and lengths == {len(found)} else []


def step_of(variant: str) -> int:
    """From 1; 0 of a whole launch."""
    found = re.search(r"\.step(\d+)$", variant)
    return int(found[1]) if found else 0


def read(folder: Path) -> Own:
    """Raises InputError for what own_kernel does not write."""
    path = folder / RESULT
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path}: no result of own_kernel ({error})") from None
    _check_result(path, result)
    columns, rows = csv_file.read(folder / ROWS)
    if missing := [column for column in (*KEYS, *NUMBERS) if column not in columns]:
        raise InputError(f"{folder / ROWS}: no column {missing[0]}")
    for line, row in rows:
        if row["status"] == "ok":
            _check_numbers(folder / ROWS, line, row, NUMBERS)
            if not row["process"].isdecimal() or float(row["device_ns"] or 0) <= 0:
                raise InputError(f"{folder / ROWS}:{line}: no time of a process: process {row['process']!r}, device_ns {row['device_ns']!r}")
    return Own(result, [side["side"] for side in result["sides"]], [row for _, row in rows], folder)


def _check_result(path: Path, result: object) -> None:
    def are_texts(value: object) -> bool:
        return isinstance(value, list) and all(isinstance(each, str) for each in value)

    def fits(key: str, value: object) -> bool:
        if key in ("faults", "notes", "files"):
            return are_texts(value) and (key != "files" or bool(value))
        if key == "sides":
            return isinstance(value, list) and len(value) in (1, 2) and all(isinstance(side, dict) for side in value)
        return value == SCHEMA if key == "schema" else isinstance(value, str)

    def check(table: Mapping[str, object], keys: Sequence[str]) -> None:
        for key in keys:
            if not fits(key, table.get(key)):
                raise InputError(f"{path}: no result of own_kernel: {key} is {str(table.get(key))[:80]}")

    if not isinstance(result, dict):
        raise InputError(f"{path}: no result of own_kernel: it is no object")
    check(result, ("schema", "name", "file", "gpu", "driver", "faults", "notes", "sides"))
    for side in result["sides"]:
        check(side, ("side", "compiled_by", "files"))


def _check_numbers(path: Path, line: int, row: Row, columns: Sequence[str]) -> None:
    for column in columns:
        try:
            is_number = not row[column] or math.isfinite(float(row[column]))
        except ValueError:
            is_number = False
        if not is_number:
            raise InputError(f"{path}:{line}: {column} is {row[column][:80]!r}; a number is wanted")


# ----------------------------------------------------------------------------------------------------------------- words


def amount(ratio: float) -> str:
    """How much slower or faster than 1: percent below a factor of 2."""
    size = max(ratio, 1 / ratio)
    return f"{size:.2f}×" if size >= 2 else f"{100 * (size - 1):.1f} %"


def sentence(own: Own, pair: TimedPair) -> str:
    """The pair's verdict in words."""
    first, second = own.sides
    where = f"{pair.title}: " if pair.title else ""
    if own.software:
        return f"{where}{first} and {second} gave the same outputs on this software device, whose times say nothing about GPUs."
    figure, found = pair.effect, pair.verdict
    if found == SAME:
        return f"{where}{first} and {second} take the same time within 1 %."
    if found == UNCLEAR:
        return f"{where}not decided: {second} takes {ratio_text(figure)} of {first}'s time."
    word = "slower" if figure.value > 1 else "faster"
    end = "" if found in (SLOWER, FASTER) else ", and what an empty launch takes explains it"
    return f"{where}{second} is {amount(figure.value)} {word} than {first}{end}."


def sentences(own: Own) -> list[str]:
    """What the whole launches say, a case each. Where no case has both sides: who was timed, which is no verdict."""
    found = [sentence(own, pair) for pair in own.whole if not pair.checks]
    timed = sorted({row["side"] for row in own.rows if row["status"] == "ok"}, key=own.sides.index)
    if found or not own.sides[1:]:
        return found
    if not timed:
        return ["No verdict: nothing was timed."]
    return [f"No verdict: {timed[0]} alone was timed." if len(timed) == 1 else "No verdict: no case was timed on both sides."]


# ------------------------------------------------------------------------------------------------------------------ page


def page(own: Own, tool: Nvdisasm | None, command: str) -> list[Section]:
    """`command`: what measured it all."""
    result = own.result
    driver = f", driver {result['driver']}" if result["driver"] else ""
    blocks: Blocks = [paragraph(f"{result['gpu'] or 'No device'}{driver}.")]
    found = sentences(own)
    blocks += [document.Bullets(tuple((text,) for text in found))] if found else []
    for key, title in (("faults", "What failed"), ("notes", "Notes")):
        if texts := result[key]:
            blocks.append(section(title, [document.Bullets(tuple((text,) for text in texts))]))
    blocks.append(section("Times", _times(own)))
    kernels = _kernels(own.folder)
    blocks.append(section("Kernels", _about(own, kernels, tool)))
    if account := _account(own):
        blocks.append(section("Account of the gap", account))
    blocks.append(section("Machine code", _machine_code(own, kernels, tool)))
    blocks.append(section("Measure it again", [Preformatted(command)]))
    if sources := _sources(own):
        blocks.append(section("Sources", sources))
    return [section(f"{result['name']}: {' and '.join(own.sides)}", blocks)]


def _times(own: Own) -> Blocks:
    pairs = own.pairs
    if not pairs:
        singles = [row for row in own.rows if row["status"] == "ok"]
        if not singles:
            return [paragraph("Nothing was timed.")]
        header = ["side", "sizes", "cache", "checks", "process", "time:", "GB/s:"]
        return [table(header, [[row["side"], row["sizes"], row["cache"], row["checks"] or ("on" if row["api"] == "vulkan" else NONE), row["process"], _time(float(row["device_ns"])), sig(float(row["gbps"]), 3) if row["gbps"] else NONE] for row in singles])]
    header = ["case", *(f"{side}:" for side in own.sides), *(f"{side} GB/s:" for side in own.sides), *([] if own.software else ["ratio [95 %]:"]), "processes:"]
    header += [] if own.software else ["verdict"]
    rows = []
    for pair in pairs:
        name = _name_of(own, step) + ", " if (step := step_of(pair.variant)) else ""
        row = [name + pair.title, *(_time(pair.median(side, "device_ns")) for side in (0, 1)), *(sig(pair.median(side, "gbps"), 3) for side in (0, 1))]
        rows.append(row + ([str(len(pair.ratios))] if own.software else [ratio_text(pair.effect), str(len(pair.ratios)), pair.verdict]))
    for whole in own.whole:
        if steps := own.steps(whole):
            sums = [sum(pair.median(side, "device_ns") or 0 for pair in steps) for side in (0, 1)]
            rows.append([f"sum of the {len(steps)} steps, {whole.title}", *map(_time, sums), *[NONE] * (len(header) - 3)])
    ratio = f"The ratio is {own.sides[1]}'s time over {own.sides[0]}'s. Its interval holds the mean of further processes on this GPU model. The spread between runs is estimated from this project's own cases."
    restored = "A cold launch finds its inout buffers restored and the L2 evicted. A warm batch lets the values of inout buffers drift, unless the file says restore = \"each\"."
    return [table(header, rows), paragraph("A software device decides nothing: there is no ratio and no verdict." if own.software else ratio), paragraph(restored)]


def _name_of(own: Own, step: int) -> str:
    """"step 2 (product)", by its file; "step 2 (scan and root)", where the sides' files have other names."""
    files = [side["files"][step - 1] for side in own.result["sides"] if step <= len(side["files"])]
    return f"step {step} ({' and '.join(dict.fromkeys(Path(file).stem for file in files))})"


def _time(ns: float | None) -> str:
    if ns is None:
        return NONE
    return f"{sig(ns / 1e6, 3)} ms" if ns >= 1e6 else f"{sig(ns / 1e3, 3)} us"


# --------------------------------------------------------------------------------------------------------------- kernels


def _kernels(folder: Path) -> Sequence[Kernel]:
    """What --dump-isa wrote."""
    index = folder / MACHINE_CODE / "own_kernel" / "index.json"
    return sass_dump.read_dump(folder / MACHINE_CODE).kernels if index.is_file() else []


def stem_of(own: Own, side: int, step: int = 0, steps: int = 1) -> str:
    """As own_kernel calls a step's code."""
    stem = f"{own.result['name']}_" + re.sub(r"[^a-z0-9]", "_", own.sides[side].lower())
    return stem if steps == 1 else f"{stem}_{step + 1}"


def _about(own: Own, kernels: Sequence[Kernel], tool: Nvdisasm | None) -> Blocks:
    rows = []
    for number, side in enumerate(own.result["sides"]):
        files = side["files"]
        for step, file in enumerate(files):
            stem = stem_of(own, number, step, len(files))
            known = next((each for each in kernels if each.stem == stem), None)
            registers = known.registers if known else None
            blocks = occupancy.resident_blocks(known.arch, known.block, registers) if known and registers else None
            spills = known.statistics.get("localSizeBytes") if known else None
            length = len(listing(known, tool)) if known else 0
            rows.append([side["side"], Path(file).name, side["compiled_by"] or "as it came", str(registers or NONE), str(blocks or NONE), sig(spills, 1) if spills is not None else NONE, str(length or NONE)])
    return [table(["side", "file", "compiled by", "registers:", "resident blocks per SM:", "local memory, bytes:", "instructions:"], rows)]


def listing(kernel: Kernel, tool: Nvdisasm | None) -> Sequence[sass.Instruction]:
    if not kernel.code or tool is None:
        return []
    try:
        found = tool.disassemble(kernel.code, kernel.arch, kernel.container or None, kernel.entry)
    except InputError:
        return []
    return sass.mark_roles(found.instructions, descriptors=kernel.descriptors)


def _machine_code(own: Own, kernels: Sequence[Kernel], tool: Nvdisasm | None) -> Blocks:
    if len(own.sides) != 2:
        return [paragraph("There is one side: nothing to compare.")]
    sides = []
    for number in (0, 1):
        known = next((each for each in kernels if each.stem == stem_of(own, number)), None)
        if known is None:
            return [paragraph(f"There is no machine code of {own.sides[number]}.")]
        instructions = listing(known, tool)
        if not instructions:
            return [paragraph(f"{own.sides[number]}: {known.reason or 'its code was not disassembled: nvdisasm was not found, or does not read it'}.")]
        sides.append(sass_diff.ListingSide(own.sides[number], instructions, known.descriptors))
    difference = sass_diff.compare(sides[0], sides[1])
    width = max([len(row.left.text()) for row in difference.rows if row.left] + [20])
    lines = [f"{row.left.text() if row.left else '':{width}}  {row.mark}  {row.right.text() if row.right else ''}".rstrip() for row in difference.rows[:MOST_ROWS]]
    if len(difference.rows) > MOST_ROWS:
        lines.append(f"... {len(difference.rows) - MOST_ROWS} more")
    return [paragraph(sass_diff.summary(difference)), Preformatted("\n".join([f"{sides[0].title:{width}}     {sides[1].title}", *lines]))]


def _sources(own: Own) -> Blocks:
    """The TOML file and the kernels' text, for a reader who does not have them; what is binary, or is gone, is left out."""
    steps = [file for side in own.result["sides"] for file in side["files"]]
    blocks: Blocks = []
    for path in dict.fromkeys(Path(file) for file in (own.result["file"], *steps)):
        try:
            is_text = path.suffix in TEXTS and path.is_file() and path.stat().st_size <= MOST_SOURCE_BYTES
            lines = path.read_text(encoding="utf-8").rstrip().splitlines() if is_text else []
        except (OSError, UnicodeDecodeError):
            continue
        if lines:
            more = [f"... {len(lines) - MOST_ROWS} more lines"] if len(lines) > MOST_ROWS else []
            blocks += [paragraph(f"{path.name}:"), Preformatted("\n".join([*lines[:MOST_ROWS], *more]))]
    return blocks


# --------------------------------------------------------------------------------------------------------------- account


def _account(own: Own) -> list[Block]:
    """Of each pair: percent of the first side's time, and only of what a control removed. The rest has no cause here. None of a software device."""
    if own.software:
        return []
    rows = []
    unchecked = {(pair.sizes, pair.cache): pair for pair in own.whole if pair.checks}
    for pair in own.whole:
        first = pair.median(0, "device_ns")
        if pair.checks or not first:
            continue
        gap = pair.effect.value - 1
        without = unchecked.get((pair.sizes, pair.cache))
        checks = pair.effect.value - without.effect.value if without else None
        fixed = [pair.median(side, "fixed_ns") for side in (0, 1)]
        launch = (fixed[1] - fixed[0]) / first if fixed[0] is not None and fixed[1] is not None else None
        rest = gap - (checks or 0) - (launch or 0)
        rows.append([pair.title, *(f"{100 * part:+.1f} %" if part is not None else "not measured" for part in (gap, checks, launch)), f"{100 * rest:+.1f} %"])
    if not rows:
        return []
    header = ["case", "gap:", "bounds checks:", "launch:", "not explained:"]
    words = f"Percent of {own.sides[0]}'s time; + where {own.sides[1]} takes longer. Bounds checks: what turning the driver's checks off removed. Launch: what an empty kernel takes in such a sample on either side."
    return [table(header, rows), paragraph(words), *_counted(own)]


def _counted(own: Own) -> list[Block]:
    """Counts of the GPU's counters, where the driver permits them: differences, and no percent of the gap."""
    path = own.folder / COUNTS
    if not path.is_file():
        return [paragraph("Nothing was counted: the GPU's counters were not available.")]
    columns, records = csv_file.read(path)
    if missing := [column for column in ("variant", "side", "sizes", "cache") if column not in columns]:
        raise InputError(f"{path}: no column {missing[0]}")
    metrics = [name for name in columns if name in COUNTED]
    for line, row in records:
        _check_numbers(path, line, row, metrics)
    rows = [row for _, row in records if not row.get("reason") and not row.get("checks")]
    shown = []
    for sizes, cache in dict.fromkeys((row["sizes"], row["cache"]) for row in rows):
        of = {row["side"]: row for row in rows if (row["sizes"], row["cache"], row["variant"]) == (sizes, cache, own.result["name"])}
        if len(own.sides) == 2 and all(side in of for side in own.sides):
            for metric in metrics:
                values = [of[side][metric] for side in own.sides]
                if all(values):
                    shown.append([f"{sizes}, {cache}" if sizes else cache, metric, *(sig(float(value)) for value in values), sig(float(values[1]) - float(values[0]))])
    return [table(["case", "counted per launch", *(f"{side}:" for side in own.sides), "difference:"], shown)] if shown else []
