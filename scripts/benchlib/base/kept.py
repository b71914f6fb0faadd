"""What is asked of an object again and again, and made once: it is kept with the object, in which nothing may change then."""

import functools
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

Made = TypeVar("Made")


class Keeper:
    def memoized(self, make: Callable[..., Made], *arguments: Hashable) -> Made:
        """make(self, *arguments)."""
        known = self.__dict__.setdefault("_made", {})
        key = (make, *arguments)
        if key not in known:
            known[key] = make(self, *arguments)
        return known[key]


def kept(method: Callable[..., Any]) -> Callable[..., Any]:
    """A Keeper's method whose answers are kept. The Keeper goes with its last user: what it keeps does not name it."""

    @functools.wraps(method)
    def found(one: Keeper, *arguments: Hashable) -> Any:
        return one.memoized(method, *arguments)

    return found
