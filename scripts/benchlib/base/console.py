"""What the scripts do alike on a terminal: output that any terminal takes, one line for what went wrong, exit codes."""

import contextlib
import gc
import os
import signal
import sys
from collections.abc import Callable, Sequence
from typing import TextIO

from benchlib.base.errors import InputError

FAILED, USAGE, SKIPPED, INTERRUPTED, TERMINATED = 1, 2, 77, 130, 143  # SKIPPED: what it needs is not there


class UsageError(Exception):
    """The command line asks for what there is not; the message is one line."""


class _Terminated(BaseException):
    """SIGTERM: like Ctrl-C it unwinds, so that what was begun is ended and no program that was started is left behind."""


def _terminate(number: int, frame: object) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # once is enough
    raise _Terminated


def run_cli(program: str, body: Callable[[], int], errors: Sequence[type[Exception]] = (), interrupted: str = "") -> int:
    """body()'s exit code, or one line to stderr and 1 for bad input and the `errors`, 2 for what the command line asks in vain,
    130 when interrupted. A name that is no UTF-8, or a terminal that is ASCII, is no reason to fail: what it cannot show is escaped.
    """
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")
    before = signal.signal(signal.SIGTERM, _terminate)
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:  # see early.py
        signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.disable()  # what is read and made is kept to the end, and hardly any of it in cycles: to search it for some took a fifth of the time
    try:
        code = body()
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # `... | head`: what it wanted it has; nothing is left to be flushed at the end
        lead_nowhere(sys.stdout)
        return FAILED
    except (InputError, OSError, *errors) as error:
        fail(program, reason(error))
        return FAILED
    except UsageError as error:
        fail(program, str(error))
        return USAGE
    except KeyboardInterrupt:
        fail(program, f"interrupted{interrupted}")
        return INTERRUPTED
    except _Terminated:
        fail(program, f"terminated{interrupted}")
        return TERMINATED
    finally:
        gc.enable()
        signal.signal(signal.SIGTERM, before)
        drop_unsaid()


def lead_nowhere(stream: TextIO) -> None:
    """What it could not write is lost: at the end Python would try again, and exit with 120."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def drop_unsaid() -> None:
    """Where stderr takes nothing, as a full disk's file."""
    try:
        sys.stderr.flush()
    except OSError:
        lead_nowhere(sys.stderr)


def reason(error: Exception) -> str:
    """One that names no file is of what is printed: those that are written are named (files.naming)."""
    return f"what is printed here cannot be written: {error.strerror}" if isinstance(error, OSError) and error.strerror and not error.filename else str(error)


def fail(program: str, message: str) -> None:
    """To stderr, or where nothing can be written there to stdout."""
    for stream in (sys.stderr, sys.stdout):
        with contextlib.suppress(OSError):
            print(f"{program}: {plain(message)}", file=stream, flush=True)
            return


def plain(text: str) -> str:
    """On one line, without control characters; of a message that quotes a damaged file at length, the beginning and the end."""
    text = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
    return text if len(text) <= 900 else f"{text[:600]} [{len(text) - 800} characters left out] {text[-200:]}"


def matches(name: str, wishes: Sequence[str]) -> bool:
    """Whether --only asks for an experiment: by name (exp03_memory_coalescing), by what it begins with (exp03), or not at all."""
    return not wishes or any(name == wish or name.startswith(f"{wish}_") for wish in wishes)


def chosen(names: Sequence[str], wishes: Sequence[str]) -> list[str]:
    """The experiments that --only asks for. Raises UsageError for a wish that none answers."""
    for wish in wishes:
        if not any(matches(name, [wish]) for name in names):
            raise UsageError(f"--only {wish}: no such experiment; there are: {', '.join(names) or 'none'}")
    return [name for name in names if matches(name, wishes)]
