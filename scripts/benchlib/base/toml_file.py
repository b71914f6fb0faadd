"""TOML texts, each of them parsed once in a process."""

import tomllib
from functools import lru_cache
from typing import Any


@lru_cache(maxsize=64)
def parsed(text: str) -> dict[str, Any]:
    """Not to be changed: whoever asks for the same text gets the same. Raises ValueError for what is no TOML."""
    return tomllib.loads(text)
