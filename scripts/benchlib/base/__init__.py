"""The ground of every script: errors, the console, files, CSV records, child processes, the suite's programs.

Nothing here knows a result, a kernel or a GPU, and it imports no other room.
"""
