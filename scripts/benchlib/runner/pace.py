"""How long programs take that have not run yet: as long as on an H200, times what those that have run took more or less."""

import statistics
from collections.abc import Mapping

FIRST, LATER, UNDECIDED = range(3)  # a program's first run, which verifies in full; a later one; one of the cases that three leave undecided
# Of a later run, what a run of the undecided cases takes, as long as none has been seen: these are a quarter of the rows on two H200s.
UNDECIDED_PART = 0.33
# Seconds of the first run and of a later one, on two H200s of one host, 2026-11-28. Four first runs, which had longer samples there, are set by the share that verifies.
_SECONDS = {
    "exp01_vector_add": (16, 15), "exp02_descriptors": (11, 10), "exp03_memory_coalescing": (16, 10), "exp04_bda": (28, 26),
    "exp05_strided": (39, 34), "exp06_async_copy": (6, 5), "exp06_bytes_in_flight": (9, 8), "exp06_cache_ops": (7, 6),
    "exp06_cluster": (10, 10), "exp06_litmus": (17, 18), "exp06_loaded_latency": (9, 9), "exp06_ordering": (22, 20),
    "exp06_peer": (1, 1), "exp07_matrix_units": (33, 30), "exp08_dispatches": (17, 15), "exp08_generated": (6, 5),
    "exp08_making": (14, 13), "exp08_order": (3, 3), "exp08_queues": (7, 7), "exp08_transfers": (31, 26),
    "exp08_waiting": (4, 4), "exp09_arithmetic": (4, 3), "exp09_atomics": (18, 18), "exp09_barrier": (10, 9),
    "exp09_reduce_scan": (4, 3), "exp09_shared_memory": (10, 9), "exp09_subgroups": (8, 7), "exp10_l2_halves": (5, 5),
}  # fmt: skip
_OTHERS = tuple(statistics.mean(both) for both in zip(*_SECONDS.values()))

Times = Mapping[tuple[str, int], float]  # seconds by program and kind of run


def expected(name: str, kind: int, seen: Times) -> float:
    """Seconds. `seen`: whole runs, no part of one."""
    if (name, kind) in seen:
        return seen[name, kind]
    if own := [other for other in (FIRST, LATER, UNDECIDED) if (name, other) in seen]:
        return seen[name, own[-1]] * _typical(name, kind) / _typical(name, own[-1])
    pace = sum(seen.values()) / sum(_typical(*key) for key in seen) if seen else 1
    return pace * _typical(name, kind)


def _typical(name: str, kind: int) -> float:
    first, later = _SECONDS.get(name, _OTHERS)
    return float((first, later, UNDECIDED_PART * later)[kind])
