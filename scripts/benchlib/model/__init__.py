"""What the results mean: pairs of twins, the time's floor, causes of a gap, predicted and counted traffic.

Nothing here knows a claim, or where a page lies.
"""
