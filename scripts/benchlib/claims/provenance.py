"""Whether a run is newer than a claim's test: git decides. It is if the commit that was measured contains the test as it is now.

A test's hash stands in scripts/claims.lock, so the lock of the run's commit says which tests were there. Commits without a lock are
older than all tests. A folder that is no git repository (a package, an archive) or has no full history says nothing: None. A release's archive has the
answers in a file of its own instead (told_text()).
"""

import bisect
import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchlib.base.kept import kept_last
from benchlib.claims import claim_lock

COMMIT = re.compile("[0-9a-f]{7,40}")  # of its name: fewer digits are none
TOLD = Path("scripts") / "claims.history"


def _git(root: Path, *arguments: str) -> str | None:
    """What git says; None where there is no git, or it fails."""
    try:
        command = ["git", "--no-replace-objects", "-C", str(root), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


@dataclass(frozen=True)
class History:
    """The commits that a repository's present one has come from; none where that is not known."""

    root: Path
    commits: Sequence[str] = ()  # sorted
    told: Mapping[str, Set[str]] = field(default_factory=dict)  # by commit the claims whose test it contains, where git cannot say so

    def has(self, revision: str) -> bool | None:
        """Whether a row's git_rev is one of them; None where that cannot be known."""
        name = revision.partition("-dirty")[0]
        if not self.commits or not COMMIT.fullmatch(name):
            return None
        at = bisect.bisect_left(self.commits, name)
        return at < len(self.commits) and self.commits[at].startswith(name)

    def contains(self, revision: str, entry: Mapping[str, Any], code: claim_lock.DecidingCode = claim_lock.NO_CODE) -> bool | None:
        """Whether that commit has the claim's test, and the analysis that decides it, as they are now; None where that cannot be known: of a tree that
        differs from its commit nobody knows what its test was.
        """
        if not self.has(revision) or "-dirty" in revision:
            return None
        if self.told:
            return entry["id"] in self.told.get(revision, ())
        then = _lock_of(self.root, revision).get(entry["id"])
        if then is None or then.test != claim_lock.locked(entry).test:
            return False
        return not code.hash or claim_lock.code_of(entry, _text_of(self.root, revision, code.path)) == code.hash


@kept_last(None)
def of(root: Path) -> History:
    top = _git(root, "rev-parse", "--show-toplevel")
    if top is None or Path(top.rstrip("\n")) != root.resolve() or (_git(root, "rev-parse", "--is-shallow-repository") or "").strip() != "false":
        told = {} if (root / ".git").exists() else _read_told(root / TOLD)
        return History(root, tuple(sorted(told)), told)
    return History(root, tuple(sorted((_git(root, "rev-list", "HEAD") or "").split())))


def told_text(history: History, revisions: Iterable[str], tests: Sequence[tuple[Mapping[str, Any], claim_lock.DecidingCode]]) -> str:
    """What a release's archive says in place of git: a line for each commit of these that the repository has, with the claims whose test it contains."""
    known = sorted({revision.partition("-dirty")[0] for revision in revisions if history.has(revision)})
    return "".join(" ".join([commit, *(entry["id"] for entry, code in tests if history.contains(commit, entry, code))]) + "\n" for commit in known)


def _read_told(path: Path) -> dict[str, Set[str]]:
    lines = path.read_text(encoding="utf-8").split("\n") if path.is_file() else []
    return {commit: frozenset(ids) for commit, *ids in map(str.split, filter(None, lines))}


def why_unknown(root: Path) -> str:
    """Why a repository's history is not known, and what to do; empty where it is."""
    if of(root).commits:
        return ""
    if not (root / ".git").exists():
        return "this is an archive without git's history: clone the repository"
    if _git(root, "rev-parse", "--show-toplevel") is None:
        return f"git does not read this clone (is it another user's?): git config --global --add safe.directory {root.resolve()}"
    return "this is a shallow clone: git fetch --unshallow"


@kept_last(None)
def _text_of(root: Path, commit: str, path: str) -> str:
    """Of that commit's file; empty without one."""
    return _git(root, "show", f"{commit}:{path}") or ""


@kept_last(None)
def _lock_of(root: Path, commit: str) -> Mapping[str, claim_lock.Locked]:
    text = _text_of(root, commit, claim_lock.LOCK.as_posix())
    return claim_lock.parse(text, f"{commit}:{claim_lock.LOCK}") if text else {}
