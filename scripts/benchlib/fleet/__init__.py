"""Several boards and several sets of results: comparison, repeatability, the gate before measuring.

One set's tables belong to model/ and pages/.
"""
