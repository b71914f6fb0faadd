"""docs/SOURCES.md has every claim once: with its source's sentence, or among our own."""

from __future__ import annotations

import re
from pathlib import Path

from benchlib.claims import claims

REPOSITORY = Path(__file__).resolve().parents[2]


def test_every_claim_has_its_sentence() -> None:
    text = (REPOSITORY / "docs/SOURCES.md").read_text(encoding="utf-8")
    groups = claims.load(REPOSITORY)
    sources = {claim.id: claim.source for group in groups for claim in group.claims}
    kinds = {claim.id: claim.kind for group in groups for claim in group.claims}
    folders = {claim.id: group.folder for group in groups for claim in group.claims}
    sections = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    found: dict[str, str] = {}
    for section in sections:
        for id_, folder in re.findall(r"\[(\d\d\.\d+[a-z]?)\]\(\.\./(\S+)/README\.md\)", section):
            assert id_ not in found, f"{id_} is there twice"
            found[id_] = section
            assert folder == folders[id_]
    assert found.keys() == sources.keys()
    for id_, source in sources.items():
        if source == "ours":
            assert found[id_].startswith("Our own\n")
            continue
        called = re.search(r"\*\*Called in `claims\.toml`\*\*: (.*)", found[id_])
        assert called and source in called[1].split(" or ")
        row = re.search(rf"^\| (?:\[\S+, )*\[{re.escape(id_)}\]\S* (?:\S+ )*?\| ([\w, ]+) \| “(.+)”", found[id_], re.MULTILINE)
        assert row and kinds[id_] in row[1].split(", ") and len(row[2]) > 10


def test_every_claim_links_to_its_source() -> None:
    text = (REPOSITORY / "docs/SOURCES.md").read_text(encoding="utf-8")
    anchors = {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in re.findall(r"^## (.*)$", text, re.MULTILINE)}
    for claim in (claim for group in claims.load(REPOSITORY) for claim in group.claims):
        path, _, anchor = claim.sources.partition("#")
        assert path == "docs/SOURCES.md" and anchor in anchors, claim.id
