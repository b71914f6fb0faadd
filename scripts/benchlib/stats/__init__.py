"""Statistics of plain numbers: ratios, intervals, outliers, populations.

Nothing here reads a file or knows an experiment.
"""
