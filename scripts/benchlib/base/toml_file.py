"""TOML texts, each of them parsed once in a process."""

import re
import tomllib
from functools import lru_cache
from typing import Any


@lru_cache(maxsize=64)
def parsed(text: str) -> dict[str, Any]:
    """Not to be changed: whoever asks for the same text gets the same. Raises ValueError for what is no TOML."""
    return tomllib.loads(text)


@lru_cache(maxsize=4096)
def line_of_key(text: str, key: str) -> int:
    """Of the first line that gives the key a value; 1 where none does."""
    found = re.search(rf"^[ \t]*{re.escape(key)}[ \t]*=", text, re.MULTILINE)
    return text.count("\n", 0, found.start()) + 1 if found else 1


@lru_cache(maxsize=4096)
def line_of_table(text: str, name: str, at: int) -> int:
    """Of the at-th (from 1 on) [[name]]; 1 where there are fewer."""
    starts = [match.start() for match in re.finditer(rf"^\[\[{re.escape(name)}\]\]", text, re.MULTILINE)]
    return text.count("\n", 0, starts[at - 1]) + 1 if at <= len(starts) else 1
