"""What a person sees of a run while it goes on: a line a program, with a bar on a terminal; all else is in the log."""

import contextlib
import os
import re
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

from benchlib.base.console import plain

SCREEN_LOOK_S = 1.0
QUIET_S = 30.0  # between two lines where there is no terminal
_BAR = 10
_CASE = re.compile(r"^\[(\d+)/(\d+)\] (\S.*?)(?:  .*?)?(?:  (\d+:\d\d(?::\d\d)?) left)?$")


def clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def note(*lines: str) -> None:
    """On stderr. Who no longer reads it is no reason to stop here: the signal that comes with it is. Neither is a full disk behind it."""
    with contextlib.suppress(OSError):
        print(*lines, sep="\n", file=sys.stderr, flush=True)


class Progress:
    """Of a program that appends a line a case, "[7/68] <case> ... 0:04 left", to the log from here on. `after`: how long all that comes
    after a program takes, which takes so many seconds itself.
    """

    def __init__(self, name: str, log: Path, after: Callable[[float], float] = lambda own: 0):
        self.name = name
        self._after, self._begun = after, time.monotonic()
        self.case = ""
        self._log = log
        self._at = log.stat().st_size
        self._rest = b""
        self._shown_at = time.monotonic()
        self._terminal = sys.stderr.isatty()
        self._drawn = False

    def look(self) -> None:
        """Shows the newest line: at once on a terminal, else every half a minute."""
        with open(self._log, "rb") as file:
            file.seek(self._at)
            new = file.read()
        self._at += len(new)
        *lines, self._rest = (self._rest + new).split(b"\n")
        for line in reversed(lines):
            if match := _CASE.match(line.decode(errors="replace")):
                done, cases, case, left = match.groups()
                self.case = self._text(int(done), int(cases), case, left)
                break
        if not self.case:
            return
        if self._terminal:
            width = shutil.get_terminal_size().columns - 1
            sys.stderr.write(f"\r\033[K{self.case[:width]}")
            sys.stderr.flush()
            self._drawn = True
        elif time.monotonic() - self._shown_at >= float(os.environ.get("BENCH_QUIET_S", QUIET_S)):
            note(self.case)
            self._shown_at = time.monotonic()

    def _text(self, done: int, cases: int, case: str, left: str | None) -> str:
        full = _BAR * min(done, cases) // max(cases, 1)
        bar = f"[{'#' * full}{'-' * (_BAR - full)}]"
        # A case's name may be longer than the screen is wide.
        return plain(f"  {self.name:<26} {bar} {done} of {cases}{f'  {self._in_all(left)} left' if left else ''}  {case}")

    def _in_all(self, left: str) -> str:
        """Of all programs and runs, this one's rest with them."""
        seconds = 0
        for part in left.split(":"):
            seconds = 60 * seconds + int(part)
        return clock(seconds + self._after(time.monotonic() - self._begun + seconds))

    def close(self) -> None:
        if self._drawn:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
