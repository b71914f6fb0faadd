"""Which figures there are: results/<gpu>/plots/<name>.svg, and how a Markdown page shows them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from benchlib.plots_exp05 import exp05_index_plot, exp05_loads_plot, exp05_stores_plot
from benchlib.results import Results, Table


@dataclass(frozen=True)
class Plot:
    experiment: str
    title: str
    draw: Callable[[Results, Table], str]


PLOTS = {
    "exp05-loads": Plot("exp05_strided", "Loads: sectors and bandwidth against the stride, predicted and measured", exp05_loads_plot),
    "exp05-stores": Plot("exp05_strided", "Stores: the same", exp05_stores_plot),
    "exp05-index": Plot("exp05_strided", "The folded index against a permutation that visits once", exp05_index_plot),
}


def images(found: Results, table: Table) -> str:
    """The experiment's figures, as links relative to the results' directory."""
    del found
    shown = [f"![{plot.title}](plots/{name}.svg)" for name, plot in PLOTS.items() if plot.experiment == table.name]
    return "\n\n".join(shown)
