"""docs/sources.toml describes every source of a claim, and every claim of another's has its sentence."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from benchlib.base import toml_file
from benchlib.claims import claims

REPOSITORY = Path(__file__).resolve().parents[2]
TEXTS = ("name", "what", "author", "date", "device", "address")


def described() -> list[dict]:
    return toml_file.parsed((REPOSITORY / claims.SOURCES).read_text(encoding="utf-8"))["source"]


def every() -> list[claims.Claim]:
    return [claim for group in claims.load(REPOSITORY) for claim in group.claims]


def test_every_source_is_described_once_and_named_by_a_claim() -> None:
    names = Counter(name for source in described() for name in source["called"])
    assert {name for name, number in names.items() if number > 1} == set()
    assert {claim.source for claim in every()} - {claims.OURS} == names.keys()
    assert all(source.get(key) for source in described() for key in TEXTS)
    places = [f"{source.get('title', '')} {source['address']}" for source in described()]
    assert all("https://" in place or "no public address" in place for place in places)


