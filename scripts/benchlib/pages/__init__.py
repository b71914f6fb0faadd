"""The generated pages: results, READMEs, report, and what their tables are made of.

Nothing imports this room but the scripts and the experiments' analyses.
"""
