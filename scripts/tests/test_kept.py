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


def test_a_method_is_asked_once_for_the_same_arguments() -> None:
    one, other = Sum(1), Sum(10)
    assert [one.of(2), one.of(2), one.of(2, 3), other.of(2)] == [3, 3, 6, 12]
    assert (one.made, other.made) == (2, 1)


def test_a_function_likewise() -> None:
    one, other, made = Sum(1), Sum(10), []

    def doubled(found: Sum, times: int) -> int:
        made.append(found)
        return 2 * times * found.first

    assert [one.memoized(doubled, 3), one.memoized(doubled, 3), other.memoized(doubled, 3)] == [6, 6, 60]
    assert made == [one, other]


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
