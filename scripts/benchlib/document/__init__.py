"""Blocks of a page (tables, paragraphs, plots) and how they become Markdown and HTML.

Nothing here knows an experiment; what is shown is decided by those who make the blocks.
"""
