"""Work on all of the machine's processors."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

_FEW = 8  # for so few a process each costs more than it saves

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_all(function: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """function(item) of each, in their order; what it raises first is raised. Function, items and results must be picklable.
    Where a process cannot be started (memory is short, say), this one does the work.
    """
    workers = min(os.cpu_count() or 1, len(items))
    if workers < 2 or len(items) <= _FEW:
        return [function(item) for item in items]
    with ProcessPoolExecutor(workers, initializer=_be_worker) as pool:
        try:
            try:
                results = pool.map(function, items)  # starts the processes; what function raises comes when the results are asked for
            except OSError:
                results = None
            if results is not None:
                return list(results)
            _end(pool)
        except BaseException:
            _end(pool)
            raise
    return [function(item) for item in items]


def _end(pool: ProcessPoolExecutor) -> None:
    """What is under way is of no use any more."""
    for process in multiprocessing.active_children():
        process.terminate()
    pool.shutdown(cancel_futures=True)


def _be_worker() -> None:
    # Ctrl-C is for the parent, which then ends this process; it has handlers of its own for what else ends it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """However the parent ends, this process ends, too: it would wait for work for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
