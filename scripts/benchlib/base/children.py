"""Programs that a script starts, and that end with it: each leads a group of its own, which is ended as a whole."""

import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path


def run(command: Sequence[str | Path], timeout_s: float) -> tuple[int, str, str]:
    """The exit code, stdout and stderr. Raises OSError where it cannot be started, and subprocess.TimeoutExpired after `timeout_s`
    seconds. Whatever ends the wait (Ctrl-C, SIGTERM, the time) ends the program, and what that has started.
    """
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
        start_new_session=True,
    )  # fmt: skip
    with process:
        try:
            out, err = process.communicate(timeout=timeout_s)
        except BaseException:
            _end(process)
            raise
    return process.returncode, out, err


def _end(process: subprocess.Popen[str]) -> None:
    """The whole group of a program that was started as a session's leader."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
