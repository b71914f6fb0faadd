"""base/kept.py: what is asked again is made once, and each object has its own."""

from __future__ import annotations

import gc
import weakref

from benchlib.base.kept import Keeper, kept


class Sum(Keeper):
    def __init__(self, first: int):
        self.first = first
        self.made = 0

    @kept
    def of(self, *others: int) -> int:
        self.made += 1
        return self.first + sum(others)


def doubled(found: Sum, other: int) -> int:
    return 2 * found.of(other)


def test_what_is_asked_for_again_is_made_once() -> None:
    one, other = Sum(1), Sum(10)
    assert [one.of(2), one.of(2), one.of(2, 3), other.of(2)] == [3, 3, 6, 12]
    assert (one.made, other.made) == (2, 1)
    assert [one.memoized(doubled, 3), one.memoized(doubled, 3), other.memoized(doubled, 3)] == [8, 8, 26] and (one.made, other.made) == (3, 2)


def test_an_object_goes_with_its_last_user() -> None:
    """Without a search for cycles, which the scripts do not make: results are large."""
    one = Sum(1)
    assert one.of(2) == 3
    gone = weakref.ref(one)
    gc.disable()
    try:
        del one
        assert gone() is None
    finally:
        gc.enable()
