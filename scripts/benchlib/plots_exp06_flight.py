"""exp06's figures about filling the memory system."""

from __future__ import annotations

from benchlib.plots import Figure, Panel, Plot, Point, Series
from benchlib.results import API_NAMES, APIS, Results, Table
from benchlib.tables_exp06_flight import MECHANISMS, Mechanism, kingman, loaded_curve

BANDWIDTH = "GB/s of the fastest shape"


def _line(table: Table, mechanism: Mechanism, name: str, kind: str, dashed: bool = False) -> Series:
    points = []
    for size, case in mechanism.fastest(table).items():
        figure = table.figure(case, "gbps")
        if figure:
            points.append(Point(size / 1024, figure.value, figure.lo, figure.hi))
    return Series(name, kind, points, dashed=dashed)


def exp06_flight_plot(_: Results, table: Table) -> Figure:
    """Bandwidth against bytes in flight: the APIs' plain loads, and CUDA's mechanisms."""
    by_name = {(mechanism.name, mechanism.api): mechanism for mechanism in MECHANISMS}
    plain = [_line(table, by_name["plain loads", api], API_NAMES[api], api) for api in APIS]
    kinds = [("plain loads", "cuda", False), ("cp.async", "other", False), ("bulk", "vulkan", False), ("TMA 2-D", "model", True)]
    copies = [_line(table, by_name[name, "cuda"], name, kind, dashed) for name, kind, dashed in kinds]
    panels = [Panel("Plain loads of 16 bytes", BANDWIDTH, plain), Panel("CUDA's mechanisms", BANDWIDTH, copies)]
    text = "Bandwidth of a read of 2 GiB against the bytes that every SM has in flight, the fastest shape of each."
    return Figure("Bandwidth against bytes in flight", "KiB in flight an SM", panels, columns=2, description=text)


def exp06_latency_plot(_: Results, table: Table) -> Figure:
    """Latency against load, with Kingman's formula through CUDA's points."""
    panels = []
    for level, title in (("dram", "From memory"), ("l2", "From the L2")):
        series = []
        for api in APIS:
            curve = loaded_curve(table, api, level)
            if curve:
                points = [Point(0, curve.idle), *(Point(load, latency) for load, latency in curve.points)]
                series.append(Series(API_NAMES[api], api, points, line=level == "l2"))
            fit = kingman(curve) if curve and level == "dram" and api == "cuda" else None
            if curve and fit:
                top = max(load for load, _ in curve.points)
                steps = [top * step / 60 for step in range(61)]
                drawn = [Point(load, fit.latency(load)) for load in steps]
                series.append(Series("Kingman, fitted", "model", drawn, marks=False, dashed=True))
        panels.append(Panel(title, "ns a load", series))
    text = "What a dependent load takes on one SM while all others load as many GB/s as the axis says."
    return Figure("Latency under load", "GB/s that the other SMs load", panels, columns=2, description=text, x_log=False)


PLOTS = {
    "exp06-bytes-in-flight": Plot("exp06_bytes_in_flight", "Bandwidth against bytes in flight", exp06_flight_plot, "read_*"),
    "exp06-loaded-latency": Plot("exp06_loaded_latency", "Latency under load", exp06_latency_plot, "idle,loaded"),
}
