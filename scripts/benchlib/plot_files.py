"""Which figures there are: results/<gpu>/plots/<name>.svg, and how a Markdown page shows them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from benchlib.plots import Figure
from benchlib.plots_exp05 import exp05_index_plot, exp05_loads_plot, exp05_stores_plot
from benchlib.plots_exp06 import exp06_fences_plot, exp06_reuse_plot
from benchlib.plots_exp06_flight import exp06_flight_plot, exp06_latency_plot
from benchlib.plots_general import exp01_sizes_plot, exp03_offsets_plot, exp03_structs_plot
from benchlib.results import Results, Table


@dataclass(frozen=True)
class Plot:
    experiment: str
    title: str
    figure: Callable[[Results, Table], Figure]
    variants: str  # of the program's --variant: what measures it again


PLOTS = {
    "exp01-sizes": Plot("exp01_vector_add", "Vector add: bandwidth against size", exp01_sizes_plot, "add_*"),
    "exp03-offsets": Plot(
        "exp03_memory_coalescing",
        "Misaligned access: sectors and time against the offset",
        exp03_offsets_plot,
        "read_offset,write_offset",
    ),
    "exp03-structs": Plot("exp03_memory_coalescing", "Struct sizes: useful bandwidth", exp03_structs_plot, "struct_read"),
    "exp05-loads": Plot(
        "exp05_strided",
        "Loads: sectors and bandwidth against the stride, predicted and measured",
        exp05_loads_plot,
        "read_once",
    ),
    "exp05-stores": Plot("exp05_strided", "Stores: the same", exp05_stores_plot, "write_once"),
    "exp05-index": Plot("exp05_strided", "The folded index against a permutation that visits once", exp05_index_plot, "read_*"),
    "exp06-bytes-in-flight": Plot("exp06_bytes_in_flight", "Bandwidth against bytes in flight", exp06_flight_plot, "read_*"),
    "exp06-fences": Plot("exp06_ordering", "Fences behind stores", exp06_fences_plot, "fence"),
    "exp06-reuse": Plot("exp06_cache_ops", "A reuse set beside a stream", exp06_reuse_plot, "reuse,reuse_ro"),
    "exp06-loaded-latency": Plot("exp06_loaded_latency", "Latency under load", exp06_latency_plot, "idle,loaded"),
}


def images(found: Results, table: Table) -> str:
    """The experiment's figures, as links relative to the results' directory."""
    del found
    shown = [f"![{plot.title}](plots/{name}.svg)" for name, plot in PLOTS.items() if plot.experiment == table.name]
    return "\n\n".join(shown)
