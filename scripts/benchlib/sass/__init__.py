"""Machine code: from images and caches to listings, their counts, differences and pages.

Nothing here knows a time or a claim.
"""
