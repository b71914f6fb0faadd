"""The claims of this repository: all of them, each once, none besides; and where a reader finds them."""

from __future__ import annotations

from pathlib import Path
from string import ascii_lowercase

import pytest
from benchlib.claims import claims

ROOT = Path(__file__).resolve().parents[2]
# An experiment's claims, the sources' and those that were added to them, are numbered from 1; this is the last number. Those that moved keep theirs. Whoever
# adds a claim raises it; none is given twice, and none is taken back.
LAST = {"01": 7, "02": 5, "03": 13, "04": 5, "05": 5, "06": 24, "07": 20, "08": 32, "09": 49, "10": 0}


def ids_of(number: str) -> list[int]:
    """The claims' numbers, a claim of several parts once. Its parts have letters from a on, and there is none without."""
    found = [claim.id.partition(".") for group in claims.load(ROOT) for claim in group.claims]
    letters: dict[int, list[str]] = {}
    for rest in (rest for experiment, _, rest in found if experiment == number):
        letters.setdefault(int(rest.rstrip(ascii_lowercase)), []).append(rest.lstrip("0123456789"))
    for of in letters.values():
        assert sorted(of) == ([""] if of == [""] else list(ascii_lowercase[: len(of)]))
    return sorted(letters)


@pytest.mark.parametrize("number", LAST)
def test_every_claim_is_tested_once(number: str) -> None:
    found = ids_of(number)
    wanted = list(range(1, LAST[number] + 1))
    missing, invented = sorted(set(wanted) - set(found)), sorted(set(found) - set(wanted))
    assert not missing and not invented, f"{number}: missing {missing}, not in the list {invented}"
    assert found == wanted  # each once


def test_every_experiment_is_in_the_list() -> None:
    numbers = {path.name[3:5] for path in ROOT.glob("exp[0-9][0-9]_*") if path.is_dir()}
    assert numbers == set(LAST)


