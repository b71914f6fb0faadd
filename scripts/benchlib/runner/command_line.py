"""How run.sh and fleet.sh read their options: argparse, with a help text of their own, and one line for what is wrong."""

import argparse
import re
from collections.abc import Sequence
from typing import NoReturn

from benchlib.base.console import UsageError


class Ended(Exception):
    """Nothing more is done; whoever raised it has said why."""

    def __init__(self, code: int):
        super().__init__()
        self.code = code


class Parser(argparse.ArgumentParser):
    """Raises Ended after --help, and UsageError for what is no option, or lacks its value."""

    def __init__(self, name: str, usage: str):
        super().__init__(name, allow_abbrev=False)
        self._help = usage

    def print_help(self, file: object = None) -> None:
        print(self._help, end="")  # where it cannot be written, argparse's own says nothing

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        raise Ended(status)

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (see --help)")


def split(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words before the first --, and those behind it."""
    words = list(arguments)
    at = words.index("--") if "--" in words else len(words)
    return words[:at], words[at + 1 :]


def word(value: str) -> str:
    if not value:
        raise argparse.ArgumentTypeError("needs a value")
    return value


def runs(value: str) -> int:
    if not re.fullmatch("[1-9][0-9]{0,2}", value):
        raise argparse.ArgumentTypeError(f"{value}: how many, from 1 to 999")
    return int(value)
