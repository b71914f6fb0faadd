"""What is asked of an object again and again, and made once: it is kept with the object, in which nothing may change then."""

import functools
from collections.abc import Callable, Hashable
from types import MethodType
from typing import Any, TypeVar

Made = TypeVar("Made")


class kept:
    """A method whose answers are kept, by its arguments."""

    def __init__(self, method: Callable[..., Any]):
        self._method = method

    def __get__(self, one: Any, owner: type) -> Callable[..., Any]:
        """The first time: from then on the object has it itself."""
        one.__dict__[self._method.__name__] = found = functools.cache(MethodType(self._method, one))
        return found


class Keeper:
    def memoized(self, make: Callable[..., Made], *arguments: Hashable) -> Made:
        """make(self, *arguments)."""
        known = self.__dict__.setdefault("_made", {})
        key = (make, *arguments)
        if key not in known:
            known[key] = make(self, *arguments)
        return known[key]
