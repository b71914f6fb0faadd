"""Claims: their format, lock, queries, verdicts and words.

Nothing here makes a page; it may use all rooms before it.
"""
