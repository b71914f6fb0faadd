"""Runs are newer than a claim's test if their commit contains it: asked of a repository made here."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import synthetic
from benchlib.claims import claim_lock, claims, provenance
from benchlib.results import results
from benchlib.tables import claim_tables

ROOT = Path(__file__).resolve().parents[2]
EXPERIMENT = "exp03_memory_coalescing"
OF_TWINS = 'combine = "twin_ratio"\nmetric = "device_ns"\nwhere = "variant=read_same"\nreproduced = { lo = 0.9, hi = 1.1 }'
CLAIM = synthetic.claim("03.1", OF_TWINS)
BOARDS = ("aaaaaaaa", "bbbbbbbb", "cccccccc")


def git(root: Path, *arguments: str) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    return subprocess.run(["git", *who, "-C", str(root), *arguments], check=True, capture_output=True, text=True).stdout.strip()


def commit(root: Path, text: str | None) -> str:
    """Of the claims and their lock, or of neither."""
    if text is not None:
        path = root / EXPERIMENT / "claims.toml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        (root / "scripts").mkdir(exist_ok=True)
        entries = [claim.entry for group in claims.load(root) for claim in group.claims]
        (root / claim_lock.LOCK).write_text(claim_lock.text(entries), encoding="utf-8")
    git(root, "add", "-A")
    git(root, "commit", "--quiet", "--allow-empty", "-m", "x")
    return git(root, "rev-parse", "HEAD")[:12]


@pytest.fixture
def revisions(tmp_path: Path) -> list[str]:
    """Before there was a lock, with another range, as it is, and with a remark that changes no test."""
    git(tmp_path, "init", "--quiet")
    texts = [None, CLAIM.replace("hi = 1.1", "hi = 1.2"), CLAIM, synthetic.claim("03.1", OF_TWINS, 'note = "n"')]
    return [commit(tmp_path, text) for text in texts]


def history(root: Path) -> provenance.History:
    return provenance.of.__wrapped__(root)


def test_the_commit_that_was_measured_decides(tmp_path: Path, revisions: list[str]) -> None:
    (claim,) = claims.load(tmp_path)[0].claims
    found = history(tmp_path)
    assert [found.contains(each, claim.entry) for each in revisions] == [False, False, True, True]
    assert found.contains(f"{revisions[2]}-dirty", claim.entry) is None  # nobody knows what its test was
    assert found.contains(f"{revisions[2]}-dirty+0123456789abcdef", claim.entry) is None


def test_an_archive_of_a_release_says_the_same_without_git(tmp_path: Path, revisions: list[str]) -> None:
    (claim,) = claims.load(tmp_path)[0].claims
    text = provenance.told_text(history(tmp_path), [*revisions, f"{revisions[0]}-dirty", "0123456789ab"], [(claim.entry, claim.code)])
    assert sorted(text.splitlines()) == sorted([*revisions[:2], *(f"{each} 03.1" for each in revisions[2:])])
    (tmp_path / ".git").rename(tmp_path / "git")
    assert not history(tmp_path).commits
    (tmp_path / provenance.TOLD).write_text(text)
    found = history(tmp_path)
    assert [found.contains(each, claim.entry) for each in [*revisions, "0123456789ab"]] == [False, False, True, True, None]
    assert found.has("0123456789ab") is False


def test_a_commit_that_is_not_there(tmp_path: Path, revisions: list[str]) -> None:
    found = history(tmp_path)
    assert found.has("c4ced37c6f53") is False and found.has(revisions[0]) is True
    assert found.contains("c4ced37c6f53", {"id": "03.1"}) is None
    for name in ("", "unknown", "--output=x", revisions[0][:6], revisions[0].upper() + "x"):
        assert found.has(name) is None, name


def test_a_branch_that_is_not_part_of_the_history_is_not_there(tmp_path: Path, revisions: list[str]) -> None:
    git(tmp_path, "checkout", "--quiet", "-b", "other", revisions[0])
    assert history(tmp_path).has(revisions[3]) is False


def test_without_git_nothing_is_known(tmp_path: Path, revisions: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "unpacked"  # an archive within some other repository
    folder.mkdir()
    assert history(folder).has(revisions[0]) is None
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{tmp_path}", str(shallow))
    assert history(shallow).has(revisions[0]) is None
    assert "git fetch --unshallow" in provenance.why_unknown(shallow) and provenance.why_unknown(tmp_path) == ""
    monkeypatch.setenv("PATH", "/nonexistent")
    assert history(tmp_path).has(revisions[0]) is None


def judged(root: Path, commits: list[str]) -> tuple[claims.ClaimFile, results.Results]:
    for board, revision in zip(BOARDS, commits):
        rows = synthetic.twins(EXPERIMENT, "read_same", 1000, 1001, gpu_uuid=f"GPU-{board}", git_rev=revision)
        synthetic.write(root / "results/gpu/boards" / board / "run1", EXPERIMENT, rows)
    provenance.of.cache_clear()
    group, found = claims.load(root)[0], results.load(root / "results/gpu")
    claims.judge(group.claims[0], found)
    return group, found


def test_what_is_said_of_a_claim_and_of_its_runs(tmp_path: Path, revisions: list[str]) -> None:
    group, found = judged(tmp_path, [revisions[0], revisions[2], "c4ced37c6f53"])
    (claim,) = group.claims
    assert (claim.runs, claim.newer_runs, claim.undated_runs, claim.lost_commits) == (3, 1, 1, ["c4ced37c6f53"])
    assert claim_tables.dates(claim) == (
        "Test of 2026-01-01; of its 3 runs, 1 is of commits that contain the test in its present form; "
        "of 1 that is not known (c4ced37c6f53: not in the repository)."
    )
    (said,) = claim_tables.lost_runs(found, group)
    assert "1 of 3 runs on board cccccccc are of commits that are not in the repository: c4ced37c6f53." in str(said)
    assert "the verdicts of 0 pairs and of 0 claims are others." in str(said)


def test_no_clone_converts_line_ends(tmp_path: Path) -> None:
    """Git for Windows does unless it is told: then no script starts in WSL, and no checksum fits."""
    (tmp_path / ".gitattributes").write_bytes((ROOT / ".gitattributes").read_bytes())
    (tmp_path / "run.sh").write_bytes(b"#!/bin/bash\n")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    (tmp_path / "run.sh").unlink()
    git(tmp_path, "-c", "core.autocrlf=true", "checkout", "--", "run.sh")
    assert (tmp_path / "run.sh").read_bytes() == b"#!/bin/bash\n"
