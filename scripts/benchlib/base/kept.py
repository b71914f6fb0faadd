"""What is asked for again and again, and made once. What is kept must not change, nor what it was made from.

    @kept             a Keeper's method: its answers go with the object; keeper.memoized(make, ...) keeps what others make of it
    @kept_property    a property of any object
    @kept_last(64)    a function: its last so many answers, as long as the process runs; None: all
"""

import functools
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

Made = TypeVar("Made")

kept_property = functools.cached_property
kept_last = functools.lru_cache


class Keeper:
    def memoized(self, make: Callable[..., Made], *arguments: Hashable) -> Made:
        """make(self, *arguments)."""
        known = self.__dict__.setdefault("_made", {})
        key = (make, *arguments)
        if key not in known:
            known[key] = make(self, *arguments)
        return known[key]

    def arguments_of(self, method: Callable[..., Any]) -> set[Any]:
        """What a @kept method with one argument has been asked about."""
        return {key[1] for key in self.__dict__.get("_made", {}) if key[0] is method.__wrapped__}  # type: ignore[attr-defined]


def kept(method: Callable[..., Any]) -> Callable[..., Any]:
    """The Keeper goes with its last user: what it keeps does not name it."""

    @functools.wraps(method)
    def found(one: Keeper, *arguments: Hashable) -> Any:
        return one.memoized(method, *arguments)

    return found
