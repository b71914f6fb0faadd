"""Running measurements: what scripts/run.sh and scripts/fleet.sh do. Python's standard library and benchlib.base alone, for it starts
the other scripts and is there before what they need. Nothing here reads a figure's meaning.
"""
