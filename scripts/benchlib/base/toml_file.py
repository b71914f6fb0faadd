"""TOML texts, each of them parsed once in a process."""

import re
import tomllib
from typing import Any

from benchlib.base.kept import kept_last


@kept_last(64)
def parsed(text: str) -> dict[str, Any]:
    """Not to be changed: whoever asks for the same text gets the same. Raises ValueError for what is no TOML."""
    return tomllib.loads(text)


@kept_last(4096)
def line_of_key(text: str, key: str) -> int:
    """Of the first line that gives the key a value; 1 where none does."""
    found = re.search(rf"^[ \t]*{re.escape(key)}[ \t]*=", text, re.MULTILINE)
    return text.count("\n", 0, found.start()) + 1 if found else 1


@kept_last(4096)
def line_of_table(text: str, name: str, at: int) -> int:
    """Of the at-th (from 1 on) [[name]]; 1 where there are fewer."""
    starts = [match.start() for match in re.finditer(rf"^\[\[{re.escape(name)}\]\]", text, re.MULTILINE)]
    return text.count("\n", 0, starts[at - 1]) + 1 if at <= len(starts) else 1
