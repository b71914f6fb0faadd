"""The outlier test's functions against published values and simulated draws."""

from __future__ import annotations

import math
import random
import statistics

import pytest
from benchlib.stats import outliers
from benchlib.stats.outliers import Prior, digamma, trigamma, two_sided

EULER = 0.5772156649015329


def test_digamma_and_trigamma() -> None:
    assert digamma(1) == pytest.approx(-EULER)
    assert digamma(0.5) == pytest.approx(-EULER - 2 * math.log(2))
    assert trigamma(1) == pytest.approx(math.pi**2 / 6)
    assert trigamma(0.5) == pytest.approx(math.pi**2 / 2)
    for x in (0.3, 2.0, 40.0):
        assert outliers._inverse_trigamma(trigamma(x)) == pytest.approx(x)


@pytest.mark.parametrize(("degrees", "z"), [(1, 12.706), (4, 2.776), (10, 2.228), (30, 2.042), (1e6, 1.960)])
def test_students_t(degrees: float, z: float) -> None:
    """NIST/SEMATECH e-Handbook, section 1.3.6.7.2: 97.5 % quantiles."""
    assert two_sided(z, degrees) == pytest.approx(0.05, rel=2e-3) == two_sided(-z, degrees)


def test_students_t_far_out() -> None:
    # Two degrees of freedom have a closed form: 1 - z / sqrt(2 + z^2).
    for z in (0.0, 0.5, 30.0, 3000.0):
        assert two_sided(z, 2) == pytest.approx(1 - z / math.sqrt(2 + z * z), rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("boards", [4, 7, 60])
def test_a_mad_says_what_it_is_worth(boards: int) -> None:
    chance = random.Random(1)
    drawn = [outliers.scale({str(at): [chance.gauss(0, 2)] for at in range(boards)}).square for _ in range(3000)]
    _, degrees = outliers._mad_of_normal(boards)
    logarithms = [math.log(each / 4) for each in drawn]
    assert statistics.fmean(logarithms) == pytest.approx(digamma(degrees / 2) - math.log(degrees / 2), abs=0.1)
    assert statistics.variance(logarithms) == pytest.approx(trigamma(degrees / 2), rel=0.15)


@pytest.mark.parametrize("degrees", [4.0, 1e9])
def test_the_prior_is_found_again(degrees: float) -> None:
    chance = random.Random(2)
    scales = []
    for _ in range(2000):
        spread = 0.01 / math.sqrt(chance.gammavariate(degrees / 2, 2 / degrees))
        scales.append(outliers.scale({str(at): [chance.gauss(0, spread)] for at in range(8)}))
    found = outliers.prior((each.square, each.degrees) for each in scales)
    assert math.sqrt(found.square) == pytest.approx(0.01, rel=0.1)
    assert 2.5 < found.degrees < 6.5 if degrees == 4 else found.degrees > 30


def test_boards_that_agree_to_the_last_digit() -> None:
    case = outliers.scale({str(at): [1.0] for at in range(6)})
    assert outliers.score([1.0], case, outliers.prior([(case.square, case.degrees)])).p == 1
    assert outliers.score([1.1], case, outliers.prior([(case.square, case.degrees)])).p == 0
    assert 0 < outliers.score([1.1], case, Prior(0.01, 4)).p < 1


def test_runs_that_differ_make_boards_that_differ_no_news() -> None:
    """Four boards agree by chance, but each one's runs lie 3 % apart."""
    case = outliers.scale({str(at): [0.0, 0.03, 0.015] for at in range(4)})
    assert outliers.score([0.03], case, Prior(1e-10, 100)).p > 0.02
    assert outliers.score([0.3], case, Prior(1e-10, 100)).p < 1e-6
