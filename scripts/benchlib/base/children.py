"""Programs that a script starts, and that end with it: each leads a group of its own, which is ended as a whole. Those of a worker (parallel.py), which is
itself ended without a word, stay in the script's group: Ctrl-C reaches them.
"""

import multiprocessing
import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchlib.base.errors import InputError


def run(command: Sequence[str | Path], timeout_s: float, see: str = "") -> tuple[int, str, str]:
    """The exit code, stdout and stderr. Raises InputError where it cannot be started, and after `timeout_s` seconds, which the option `see`
    sets. Whatever ends the wait (Ctrl-C, SIGTERM, the time) ends the program, and what that has started.
    """
    process = None
    try:
        with _signals_held():
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                start_new_session=multiprocessing.parent_process() is None,
            )  # fmt: skip
        out, err = process.communicate(timeout=timeout_s)
    except BaseException as error:
        if process:
            with process:
                _end(process)
        name = " ".join([Path(command[0]).name, *map(str, command[1:2])])
        if isinstance(error, subprocess.TimeoutExpired):
            raise InputError(f"{name}: not done after {timeout_s:g} s, so it was ended{f' (see {see})' if see else ''}") from error
        if isinstance(error, OSError):
            raise InputError(f"{command[0]}: {error.strerror}") from error
        raise
    return process.returncode, out, err


@contextmanager
def _signals_held() -> Iterator[None]:
    """A signal that unwinds does so at the end, for what runs already is not yet known to be ended. Only the main thread is sent signals."""
    came: list[int] = []
    main = threading.current_thread() is threading.main_thread()
    unwinding = [number for number in (signal.SIGINT, signal.SIGTERM) if main and callable(signal.getsignal(number))]
    before = [signal.signal(number, lambda number, frame: came.append(number)) for number in unwinding]
    try:
        yield
    finally:
        for number, handler in zip(unwinding, before):
            signal.signal(number, handler)
        for number in came:
            signal.raise_signal(number)


def _end(process: subprocess.Popen[str]) -> None:
    """With the whole group that it leads."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        process.kill()
