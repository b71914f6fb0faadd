"""exp06's figures about order and caches: what a fence waits for, and what a stream leaves of a reuse set."""

from __future__ import annotations

from benchlib.plots import Figure, Panel, Plot, Point, Series
from benchlib.results import API_NAMES, Results, Table

KIB = 1024


def _fences(table: Table, name: str, kind: str, dashed: bool = False, **where: str) -> Series:
    points = []
    for case in table.select({"variant": "fence", **where}):
        figure = table.figure(case, "cycles")
        if figure:
            points.append(Point(case.whole("in_flight_bytes") / KIB, figure.value))
    return Series(name, kind, sorted(points, key=lambda point: point.x), dashed=dashed)


def exp06_fences_plot(_: Results, table: Table) -> Figure:
    """A fence's cycles against the bytes that its block has just stored: a panel a scope."""
    panels = []
    for scope, title in (("cta", "Block's scope"), ("gpu", "GPU's scope"), ("sys", "System's scope")):
        acq_rel = {"memory_order": "acq_rel", "scope": scope}
        series = [
            _fences(table, "no fence", "model", dashed=True, memory_order="none", api="cuda"),
            _fences(table, "CUDA", "cuda", api="cuda", **acq_rel),
            _fences(table, "CUDA, sc", "other", memory_order="seq_cst", scope=scope, api="cuda"),
            _fences(table, "Vulkan", "vulkan", api="vulkan", **acq_rel),
        ]
        panels.append(Panel(title, "SM cycles of one fence", series))
    text = "Cycles of one thread's acquire-release fence, and of CUDA's sequentially consistent one, behind its block's stores."
    return Figure("Fences behind stores", "KiB stored before the fence", panels, description=text, x_log=False)


def _visits(table: Table, name: str, kind: str, level: str, **where: str) -> Series:
    scale = KIB if level == "l1" else KIB * KIB
    points = []
    # Without a stream there is no operator: that row is `plain`.
    rows = table.select({"level": level, **where}) + table.select({"level": level, **where, "op": "plain", "stream_bytes": "0"})
    for case in dict.fromkeys(rows):
        figure = table.figure(case, "reuse_bytes_per_cycle")
        if figure:
            points.append(Point(case.whole("stream_bytes") / scale, figure.value))
    return Series(name, kind, sorted(points, key=lambda point: point.x))


def exp06_reuse_plot(_: Results, table: Table) -> Figure:
    """How fast a reuse set is read again, against what streamed by: CUDA's operators, then both APIs."""
    panels = []
    for level, title in (("l1", "64 KiB a block, L1, beside KiB a block"), ("l2", "24 MiB, L2, beside MiB")):
        kinds = (("plain", "cuda"), ("cs", "other"), ("l1_no_allocate", "model"), ("cg", "vulkan"))
        series = [_visits(table, op, kind, level, variant="reuse", api="cuda", op=op) for op, kind in kinds]
        panels.append(Panel(f"CUDA: {title}", "bytes a cycle and SM", series))
    for level, title in (("l1", "L1, beside KiB a block"), ("l2", "L2, beside MiB")):
        series = [
            _visits(table, f"{API_NAMES[api]} {op}", api, level, variant="reuse_ro", api=api, op=op)
            for api in ("cuda", "vulkan")
            for op in ("plain", "volatile")
        ]
        panels.append(Panel(f"Both APIs, read-only set: {title}", "bytes a cycle and SM", series))
    text = "The rate at which one SM reads its part of a reuse set again, by what it or all blocks streamed between two visits."
    return Figure("A reuse set beside a stream", "streamed between two visits", panels, columns=2, description=text, x_log=False)


PLOTS = {
    "exp06-fences": Plot("exp06_ordering", "Fences behind stores", exp06_fences_plot, "fence"),
    "exp06-reuse": Plot("exp06_cache_ops", "A reuse set beside a stream", exp06_reuse_plot, "reuse,reuse_ro"),
}
