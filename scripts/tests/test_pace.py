"""What run.sh says is left of a run."""

import random
from itertools import pairwise

import pytest
from benchlib.runner import pace

FIRST, LATER, UNDECIDED = pace.FIRST, pace.LATER, pace.UNDECIDED


@pytest.mark.parametrize("slower", (0.5, 1, 4))
def test_the_time_left_is_nearly_right_once_three_programs_have_run(slower):
    """On a GPU on which all takes so much longer, and each program up to a fifth more or less than that."""
    names = list(pace._SECONDS)
    for seed in range(20):
        chance = random.Random(seed)
        takes = {name: [chance.uniform(0.8, 1.2) * slower * seconds for seconds in pace._SECONDS[name]] for name in names}
        for done in range(3, len(names)):
            seen = {(name, FIRST): takes[name][FIRST] for name in names[:done]}
            to_come = [(name, FIRST) for name in names[done:]] + 2 * [(name, LATER) for name in names]
            assert sum(pace.expected(name, kind, seen) for name, kind in to_come) == pytest.approx(sum(takes[name][kind] for name, kind in to_come), rel=0.2)


def test_what_has_run_is_expected_to_take_as_long_again():
    seen = {("exp05_strided", FIRST): 80.0, ("exp05_strided", LATER): 60.0, ("exp01_vector_add", FIRST): 16.0}
    assert pace.expected("exp05_strided", LATER, seen) == 60
    assert pace.expected("exp05_strided", UNDECIDED, seen) == pytest.approx(60 * pace.UNDECIDED_PART)
    assert pace.expected("exp01_vector_add", LATER, seen) == pytest.approx(15)  # as on an H200
    paces = [pace.expected("exp99_of_ones_own", kind, seen) for kind in (FIRST, LATER, UNDECIDED)]
    assert all(one > other > 0 for one, other in pairwise(paces))
