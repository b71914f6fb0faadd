"""What the results mean: pairs of twins, the time's floor, causes of a gap, predicted and counted traffic.

Nothing here knows a claim, or how a table looks: a model computes, tables/ and pages/ render.
"""
