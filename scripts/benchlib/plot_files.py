"""Which figures there are: results/<gpu>/plots/<name>.svg, and how a Markdown page shows them."""

from __future__ import annotations

from benchlib import plots_exp05, plots_exp06, plots_exp06_flight, plots_general
from benchlib.results import Results, Table

PLOTS = plots_general.PLOTS | plots_exp05.PLOTS | plots_exp06.PLOTS | plots_exp06_flight.PLOTS


def images(found: Results, table: Table) -> str:
    """The experiment's figures, as links relative to the results' directory."""
    del found
    shown = [f"![{plot.title}](plots/{name}.svg)" for name, plot in PLOTS.items() if plot.experiment == table.name]
    return "\n\n".join(shown)
