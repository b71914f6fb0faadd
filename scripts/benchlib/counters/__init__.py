"""Hardware counters: Nsight Compute's output and the programs' own counting.

What they count for is decided in model/.
"""
