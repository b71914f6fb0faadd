"""What scripts/test.sh --all tests beyond scripts/test.sh (BENCH_THOROUGH=1): the tests marked `thorough`, and more trials of the random ones."""

import os

THOROUGH = os.environ.get("BENCH_THOROUGH") == "1"


def trials(count: int) -> int:
    """How many of the `count` random trials to run."""
    return count if THOROUGH else count // 8
