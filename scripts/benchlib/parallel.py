"""The same work for many things, spread over the machine's processors."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

_FEW = 8  # for so few a process each costs more than it saves

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_all(function: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """function(item) of each, in their order; what it raises first is raised. Function, items and results must be picklable."""
    workers = min(os.cpu_count() or 1, len(items))
    if workers < 2 or len(items) <= _FEW:
        return [function(item) for item in items]
    # Ctrl-C is for this process, which then ends the others.
    pool = ProcessPoolExecutor(workers, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN))
    try:
        return list(pool.map(function, items))
    finally:
        pool.shutdown(cancel_futures=True)
