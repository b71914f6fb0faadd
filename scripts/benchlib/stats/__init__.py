"""Statistics of plain numbers: ratios, intervals, outliers, populations, and how a number is written.

Nothing here reads a file or knows an experiment.
"""
