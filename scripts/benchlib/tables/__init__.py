"""What models and claims found, as blocks: the tables of the experiments' sections, of the floors, the counts, the claims.

Nothing here reckons a figure that a verdict rests on; a page that puts blocks together is for pages/.
"""
