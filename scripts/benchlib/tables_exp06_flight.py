"""exp06's tables about filling the memory system: bandwidth by bytes in flight, blocks that an SM holds, latency by load."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchlib import markdown
from benchlib.markdown import NONE, escape, ratio_text, sig
from benchlib.results import API_NAMES, APIS, Case, Results, Table
from benchlib.tables import Experiment, all_pairs, figure_of, measured_cell, plain, with_floor

KNEE = 0.9  # of the best
KIB = 1024


@dataclass(frozen=True)
class Mechanism:
    """One way to bring bytes into flight: the rows that use it, and the kernel whose registers it costs."""

    name: str
    api: str
    where: tuple[tuple[str, object], ...]
    kernels: tuple[str, ...]  # with the least and the most in flight a thread

    def cases(self, table: Table) -> list[Case]:
        return table.select({"api": self.api, **dict(self.where)})

    def fastest(self, table: Table) -> dict[int, Case]:
        """The fastest shape for each number of bytes in flight an SM, in their order."""
        best: dict[int, tuple[float, Case]] = {}
        for case in self.cases(table):
            figure = table.figure(case, "gbps")
            size = case.whole("bytes_in_flight")
            if figure and size and (size not in best or figure.value > best[size][0]):
                best[size] = (figure.value, case)
        return {size: best[size][1] for size in sorted(best)}


def _mechanism(name: str, api: str, variant: str, kernels: Sequence[str], **where: object) -> Mechanism:
    return Mechanism(name, api, (("variant", variant), *where.items()), tuple(kernels))


PLAIN = ("read_plain_16_1", "read_plain_16_8")
MECHANISMS = [
    _mechanism("plain loads", "cuda", "read_plain", PLAIN, elem_bytes="16"),
    _mechanism("plain loads", "vulkan", "read_plain", PLAIN, elem_bytes="16"),
    _mechanism("staged", "cuda", "read_staged", ("read_staged_1", "read_staged_4")),
    _mechanism("staged", "vulkan", "read_staged", ("read_staged_1", "read_staged_4")),
    _mechanism("cp.async", "cuda", "read_cp_async", ("read_cp_async_1", "read_cp_async_8")),
    _mechanism("bulk", "cuda", "read_bulk", ("read_bulk",)),
    _mechanism("TMA 2-D", "cuda", "read_tma", ("read_tma",)),
]


def ceiling(table: Table, api: str) -> Case | None:
    """The fastest plain read with a block a tile."""
    cases = table.select({"variant": "read_tiles", "api": api})
    figures = [(figure.value, case) for case in cases if (figure := table.figure(case, "gbps"))]
    return max(figures, key=lambda found: found[0])[1] if figures else None


def knee_bytes(curve: Iterable[tuple[int, float]], wanted: float) -> float | None:
    """Where the curve first reaches `wanted`, between its points on a line; None if it never does."""
    before: tuple[int, float] | None = None
    for size, value in curve:
        if value >= wanted:
            if before is None:
                return size
            return before[0] + (size - before[0]) * (wanted - before[1]) / (value - before[1])
        before = (size, value)
    return None


def flight_curve(_: Results, table: Table) -> str:
    """A row a number of bytes, a column a mechanism."""
    present = [mechanism for mechanism in MECHANISMS if mechanism.cases(table)]
    if not present:
        return "No results."
    best = {mechanism: mechanism.fastest(table) for mechanism in present}
    sizes = sorted({size for found in best.values() for size in found})
    rows = []
    for size in sizes:
        cells = [markdown.count(size)]
        for mechanism in present:
            figure = figure_of(table, best[mechanism].get(size), "gbps")
            cells.append(sig(figure.value) if figure else NONE)
        rows.append(cells)
    header = ["bytes in flight an SM:", *(f"{API_NAMES[m.api]} {m.name}:" for m in present)]
    tops = [f"{API_NAMES[api]} {sig(figure.value)}" for api in APIS if (figure := figure_of(table, ceiling(table, api), "gbps"))]
    text = f"GB/s of the fastest shape with so many bytes in flight. A plain read, a block a tile, the ceiling: {', '.join(tops)}."
    return f"{text}\n\n{markdown.table(header, rows)}"


def flight_mechanisms(found: Results, table: Table) -> str:
    """What each mechanism needs to fill the memory, and what it costs the SM."""
    code = found.auxiliary("sass.csv", table.name)
    rows = []
    for mechanism in MECHANISMS:
        best, top = mechanism.fastest(table), ceiling(table, mechanism.api)
        if not best or top is None:
            continue
        most = figure_of(table, top, "gbps")
        assert most is not None
        curve = [(size, figure.value) for size, case in best.items() if (figure := table.figure(case, "gbps"))]
        knee = knee_bytes(curve, KNEE * most.value)
        fastest = best[max(curve, key=lambda point: point[1])[0]]
        registers = [_registers(code, kernel, mechanism.api) for kernel in mechanism.kernels]
        cells = [API_NAMES[mechanism.api], mechanism.name, NONE if knee is None else f"{knee / KIB:.1f}"]
        cells += [ratio_text(table.ratio(fastest, top, "gbps")), markdown.count(fastest.whole("bytes_in_flight"))]
        rows.append([*cells, " to ".join(dict.fromkeys(text for text in registers if text)) or NONE])
    if not rows:
        return "No results."
    header = ["API", "mechanism", "KiB an SM for 90 % of the ceiling:", "best, of the ceiling [95 %]:", "with bytes in flight:"]
    header.append("registers a thread, least to most in flight a thread:")
    text = (
        "The ceiling is the API's own fastest plain read with a block a tile. The first figure lies on a line between the two "
        "measured numbers of bytes around it. For comparison: a talk of NVIDIA's says 32 KiB for an H100 and 64 for an H200, CUB "
        "tunes for 48."
    )
    return with_floor(found, table, f"{markdown.table(header, rows)}\n\n{text}")


FULL_BLOCK, FULL_BLOCKS = "256", "8"  # an SM's thread slots are all taken, where it has 2048
LOOPS = {"read_plain": "reads", "copy_plain": "copies", "add_plain": "adds", "write_plain": "writes"}


def full_loops(_: Results, table: Table) -> str:
    """A row a kind of access, a column a variant and API."""
    where = {"variant": list(LOOPS), "block": FULL_BLOCK, "blocks_per_sm": FULL_BLOCKS}
    cases = {(case["variant"], case["api"], case.whole("elem_bytes"), case.whole("unroll")): case for case in table.select(where)}
    sides = [(variant, api) for variant in LOOPS for api in APIS if any(key[:2] == (variant, api) for key in cases)]
    rows = []
    for width, unroll in sorted({key[2:] for key in cases}, key=lambda asked: (asked[0] * asked[1], asked[0])):
        figures = [figure_of(table, cases.get((*side, width, unroll)), "gbps") for side in sides]
        name = f"{width} bytes" if unroll == 1 else f"{unroll} x {width} bytes"
        rows.append([name, *(sig(figure.value) if figure else NONE for figure in figures)])
    if not rows:
        return "No results."
    header = ["asked of each array at once, by a thread", *(f"{API_NAMES[api]} {LOOPS[variant]}:" for variant, api in sides)]
    text = (
        f"GB/s, read and written, of loops with {FULL_BLOCKS} blocks of {FULL_BLOCK} threads on every SM. Reads and copies have one "
        "array to read, adds two."
    )
    return f"{text}\n\n{markdown.table(header, rows)}"


def best_copies(found: Results, table: Table) -> str:
    """A row a shape with a block for every tile."""
    sides = [("copy_tiles", "cuda"), ("copy_evict_last", "cuda"), ("copy_tiles", "vulkan")]
    cases: dict[tuple[int, int], dict[tuple[str, str], Case]] = {}
    for case in table.select({"variant": ["copy_tiles", "copy_evict_last"]}):
        cases.setdefault((case.whole("block"), case.whole("unroll")), {})[case["variant"], case["api"]] = case
    rows = []
    for (block, unroll), of_shape in sorted(cases.items()):
        as_is, kept, vulkan = (of_shape.get(side) for side in sides)
        ratio = ratio_text(table.ratio(kept, as_is, "gbps")) if kept and as_is else NONE
        cells = [_rate_cells(table, case) for case in (as_is, kept, vulkan)]
        rows.append([str(block), str(unroll), *cells[0], *cells[1], ratio, *cells[2]])
    if not rows:
        return "No results."
    peak = "of peak (%):"
    header = ["threads a block:", "loads a thread:", "CUDA plain GB/s:", peak, "CUDA evict_last GB/s:", peak]
    header += ["evict_last/plain [95 %]:", "Vulkan plain GB/s:", peak]
    text = (
        "GB/s, read and written, of copies in 16-byte accesses with a block for every tile, and their share of the memory's "
        "theoretical peak. evict_last: the L2 is asked to keep what is loaded."
    )
    return with_floor(found, table, f"{text}\n\n{markdown.table(header, rows)}")


def _rate_cells(table: Table, case: Case | None) -> list[str]:
    peak = figure_of(table, case, "peak_pct")
    return [plain(figure_of(table, case, "gbps")), f"{peak.value:.1f}" if peak else NONE]


def resident_blocks(_: Results, table: Table) -> str:
    """A row a size of shared memory, a column an API."""
    metric = "resident_blocks"
    cases = {(case.whole("shared_bytes"), case["api"]): case for case in table.select({"variant": "resident"})}
    rows = []
    for size in sorted({size for size, _ in cases}):
        sides = [cases.get((size, api)) for api in APIS]
        counts = [figure_of(table, case, metric) for case in sides]
        used = [f"{count.value * size / KIB:.6g}" if count else NONE for count in counts]
        rows.append([str(size // KIB), *(measured_cell(table, case, metric) for case in sides), *used])
    if not rows:
        return "No results."
    header = ["KiB of shared memory a block:", *(f"{API_NAMES[api]} blocks an SM:" for api in APIS)]
    header += [f"{API_NAMES[api]} KiB in use:" for api in APIS]
    text = (
        "How many blocks of 64 threads an SM holds at once, counted by the blocks themselves, by the shared memory that each takes, "
        "and how much of it they take together."
    )
    return f"{text}\n\n{markdown.table(header, rows)}"


def _registers(code: Table | None, kernel: str, api: str) -> str:
    # Vulkan's kernels are one file with a constant for what CUDA has instances of.
    names = [kernel, kernel.rpartition("_")[0]] if code else []
    for name in names:
        for case in code.cases if code else []:
            if case["kernel"] == name and case["api"] == api:
                return code.text(case, "registers") if code else ""
    return ""


# ------------------------------------------------------------------------------------------------------------ loaded latency


@dataclass(frozen=True)
class Loaded:
    """One API's curve at one level: what a load takes at which load. GB/s, ns."""

    idle: float
    points: tuple[tuple[float, float], ...]


def loaded_curve(table: Table, api: str, level: str) -> Loaded | None:
    idle = [table.figure(case, "latency_ns") for case in table.select({"variant": "idle", "api": api, "level": level})]
    points = []
    for case in table.select({"variant": "loaded", "api": api, "level": level}):
        load, latency = table.figure(case, "load_gbps"), table.figure(case, "latency_ns")
        if load and latency:
            points.append((load.value, latency.value))
    return Loaded(idle[0].value, tuple(sorted(points))) if idle and idle[0] and points else None


@dataclass(frozen=True)
class Kingman:
    """latency = idle + wait_ns * u / (1 - u), u = load / limit_gbps; `worst` is its largest error, relative."""

    idle: float
    wait_ns: float
    limit_gbps: float
    worst: float

    def latency(self, gbps: float) -> float:
        return self.idle + self.wait_ns * gbps / (self.limit_gbps - gbps)


def kingman(curve: Loaded) -> Kingman | None:
    """Least squares of the relative errors: the wait has a closed form for each limit, the limit is searched."""
    greatest = max(load for load, _ in curve.points)
    best: tuple[float, Kingman] | None = None
    for step in range(1, 1001):
        limit = greatest * (1 + 0.0005 * step)
        shape = [load / (limit - load) / latency for load, latency in curve.points]
        rest = [1 - curve.idle / latency for _, latency in curve.points]
        wait = sum(a * b for a, b in zip(shape, rest)) / sum(a * a for a in shape)
        errors = [wait * a - b for a, b in zip(shape, rest)]
        square = math.fsum(error * error for error in errors)
        if best is None or square < best[0]:
            best = (square, Kingman(curve.idle, wait, limit, max(map(abs, errors))))
    return best[1] if best and best[1].wait_ns > 0 else None


def loaded_latency(found: Results, table: Table) -> str:
    parts = []
    for level, name in (("dram", "From memory"), ("l2", "From the L2")):
        curves = {api: loaded_curve(table, api, level) for api in APIS}
        if not any(curves.values()):
            continue
        rows = []
        for case in table.select({"variant": ["idle", "loaded"], "api": "cuda", "level": level}) or table.select(
            {"variant": ["idle", "loaded"], "api": "vulkan", "level": level}
        ):
            cells = [f"{case.whole('unroll') * 8} KiB" if case["streamers"] else NONE, escape(case["wait"]) or NONE]
            for api in APIS:
                side = case.replace(api=api)
                load, latency = figure_of(table, side, "load_gbps"), figure_of(table, side, "latency_ns")
                curve = curves[api]
                times = f"{latency.value / curve.idle:.2f}" if latency and curve else NONE
                cells += [sig(load.value) if load else NONE, sig(latency.value) if latency else NONE, times]
            rows.append(cells)
        header = ["in flight an SM, at most", "wait:"]
        for api in APIS:
            header += [f"{API_NAMES[api]} load, GB/s:", "latency, ns:", "of idle:"]
        parts += [f"**{name}**", markdown.table(header, rows)]
        fits = [f"{API_NAMES[api]} {_fit_text(fit)}" for api in APIS if (curve := curves[api]) and (fit := kingman(curve))]
        if level == "dram" and fits:
            parts.append("Kingman's formula, fitted: " + "; ".join(fits) + ".")
    return with_floor(found, table, "\n\n".join(parts)) if parts else "No results."


def _fit_text(fit: Kingman) -> str:
    doubled = fit.limit_gbps * fit.idle / (fit.idle + fit.wait_ns)
    return (
        f"{fit.idle:.0f} ns + {fit.wait_ns:.1f} ns x u / (1 - u) with u = load / {fit.limit_gbps:.0f} GB/s, at worst "
        f"{100 * fit.worst:.0f} % off; half the limit costs {fit.wait_ns:.0f} ns, nine tenths {9 * fit.wait_ns:.0f} ns, and at "
        f"{100 * doubled / fit.limit_gbps:.0f} % ({doubled:.0f} GB/s) a load takes twice what it takes idle"
    )


EXPERIMENTS = [
    Experiment(
        "exp06_bytes_in_flight",
        sections=[
            ("Bandwidth against bytes in flight", flight_curve),
            ("What each mechanism needs and costs", flight_mechanisms),
            ("Loops on a full SM", full_loops),
            ("Copies with a block a tile", best_copies),
            ("Blocks that an SM holds", resident_blocks),
            ("All pairs", all_pairs),
        ],
        readme={
            "exp06-flight": flight_curve,
            "exp06-mechanisms": flight_mechanisms,
            "exp06-full-loops": full_loops,
            "exp06-flight-copies": best_copies,
            "exp06-resident": resident_blocks,
        },
        figures="exp06-flight-plots",
    ),
    Experiment(
        "exp06_loaded_latency",
        sections=[("Latency under load", loaded_latency)],
        readme={"exp06-latency": loaded_latency},
        figures="exp06-latency-plots",
    ),
]
