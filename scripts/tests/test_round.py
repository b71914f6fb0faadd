"""docs/round.toml: sources that are said to measure the same differ only where it says. Their hashes (cmake/HashSources.cmake) are made again from the commits of their rows."""

import csv
import functools
import hashlib
import io
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from benchlib.base import archive
from benchlib.results import rounds

ROOT = Path(__file__).resolve().parents[2]
SAME = [
    (program, old, hashes[-1], each["files"], each.get("since", []))
    for each in tomllib.loads((ROOT / rounds.FILE).read_text(encoding="utf-8")).get("same", [])
    for program, hashes in each["sources"].items()
    for old in hashes[:-1]
]


def normal(text: str) -> str:
    return re.sub(r"[ \t\r\n]+", " ", re.sub(r"//[^\n]*", "", text)).strip(" ")


@functools.cache
def at(commit: str, name: str) -> str | None:
    done = subprocess.run(["git", "-C", ROOT, "show", f"{commit}:{name}"], capture_output=True, check=False)
    return normal(done.stdout.decode()) if done.returncode == 0 else None


def listed(program: str) -> tuple[Path, list[Path]]:
    """The build folder, and the files whose hash the program has there."""
    for build in (ROOT / "build/ci", ROOT / "build/release"):
        for path in build.glob(f"**/{program}_sources.txt"):
            paths = [Path(name) for name in path.read_text(encoding="utf-8").split(";")]
            if all(each.is_file() for each in paths):  # a build without CUDA makes none of its instances
                return build, paths
    pytest.skip("no build of both APIs")


@functools.cache
def commits() -> dict[str, str]:
    """Of each hash a commit that has it."""
    files = [text for path in ROOT.glob("results/nvidia-*/boards/*/run*.tar.xz") for text in archive.read(path).values()]
    first = [next(csv.DictReader(io.StringIO(text.decode()))) for text in files]
    return {row["sources"]: row["git_rev"] for row in first if row.get("sources")}


@pytest.mark.parametrize(("program", "old", "newest", "files", "since"), SAME)
def test_sources_that_measure_the_same(program: str, old: str, newest: str, files: list[str], since: list[str]) -> None:
    commit = commits().get(old)
    assert commit, f"no row has {old}"
    if at(commit, "CMakeLists.txt") is None:
        pytest.skip(f"no {commit} here")
    build, paths = listed(program)
    made = {path.relative_to(build).as_posix() for path in paths if path.is_relative_to(build)}  # instances of kernels: the hash says whether they were the same then
    present: dict[str, str] = {}
    for path in paths:
        name = path.relative_to(build if path.is_relative_to(build) else ROOT).as_posix()
        present[name] = normal(path.read_text(encoding="utf-8")).replace(f"{build}/", "").replace(f"{ROOT}/", "")
    if hashed(present) != newest:
        pytest.skip(f"{program}'s sources, or those that {build.name} was configured with, are not {newest}")
    texts = {name: now if name in made else at(commit, name) or "" for name, now in present.items()}
    assert {name for name in texts if texts[name] != present[name]} <= set(files)
    assert old in {hashed(texts), hashed({name: text for name, text in texts.items() if not name.endswith(tuple(since))})}


def hashed(texts: dict[str, str]) -> str:
    whole = "".join(f"{name} {hashlib.sha256(text.encode()).hexdigest()}\n" for name, text in texts.items())
    return hashlib.sha256(whole.encode()).hexdigest()[:12]
