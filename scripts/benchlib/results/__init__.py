"""Result files: what their columns mean, and the tables, samples, counts and board states read from them.

Nothing here judges a figure or says it in words, and no experiment's name stands here, split_off.py aside.
"""
