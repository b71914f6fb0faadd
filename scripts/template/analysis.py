"""exp00's table and figure: every size and block, and bandwidth against size."""

from benchlib.model.analysis import Analysis, Plot, Study
from benchlib.document.document import Blocks
from benchlib.document.plots import BANDWIDTH, Chart, Panel, measured
from benchlib.results.results import Table
from benchlib.tables import floors
from benchlib.tables.twins import twin_table, with_noise_floor


def sizes(found: Study, table: Table) -> Blocks:
    return with_noise_floor(found, table, twin_table(table, {"variant": "scale"}))


def sizes_chart(_: Study, table: Table) -> Chart:
    panels = []
    for block in sorted({case["block"] for case in table.select({"variant": "scale"})}, key=int):
        cases = table.select({"variant": "scale", "block": block})
        panels.append(Panel(f"{block} threads per block", BANDWIDTH, measured(table, cases, lambda case: case.elements, "gbps")))
    return Chart("Bandwidth against size", "elements", panels, description="Measured bandwidth of both APIs.")


ANALYSIS = Analysis(
    sections=[("Sizes", sizes), ("Time floor", floors.section)],
    readme={"exp00-sizes": sizes},
    plots={"exp00-sizes": Plot("Bandwidth against size", sizes_chart, "scale")},
    plots_marker="exp00-plots",
)
