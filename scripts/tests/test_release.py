"""scripts/release.py: the samples of a set, from the disk and out of a commit, and its report."""

from __future__ import annotations

import hashlib
import io
import lzma
import subprocess
import tarfile
from pathlib import Path

import pytest
import release
import synthetic

EXP01 = "exp01_vector_add"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository whose only commit has a sample that is on the disk no more."""
    made = tmp_path / "repository"
    made.mkdir()
    synthetic.repository(made)
    board = made / "results/gpu/boards/a8c22efc"
    for run in ("run1", "run2"):
        synthetic.write(board / run, EXP01, [{**row, "gpu_uuid": "a8c22efc-1"} for row in synthetic.exp01_rows()])
        (board / run / f"{EXP01}.samples.csv").write_text(f"a\n{run}\n")
    git = ("git", "-C", made, "-c", "user.name=a", "-c", "user.email=a@b")
    for arguments in (["init", "-q"], ["add", "results/gpu/boards/a8c22efc/run1"], ["commit", "-qm", "a"]):
        subprocess.run([*git, *arguments], check=True)
    (board / "run1" / f"{EXP01}.samples.csv").unlink()
    return made


def names(path: Path) -> dict[str, bytes]:
    with tarfile.open(fileobj=io.BytesIO(lzma.decompress(path.read_bytes()))) as tar:
        return {entry.name: tar.extractfile(entry).read() for entry in tar}


def test_samples_report_and_sums(root: Path, tmp_path: Path) -> None:
    out, place = tmp_path / "out", "results/gpu/boards/a8c22efc/{}/exp01_vector_add.samples.csv".format
    assert release.main(["--root", str(root), "--out", str(out)]) == 0
    assert names(out / "samples-gpu.tar.xz") == {place("run2"): b"a\nrun2\n"}
    assert release.main(["--root", str(root), "--out", str(out), "--commit", "HEAD"]) == 0
    assert names(out / "samples-gpu.tar.xz") == {place("run1"): b"a\nrun1\n", place("run2"): b"a\nrun2\n"}
    sums = dict(reversed(line.split("  ")) for line in (out / "SHA256SUMS").read_text().splitlines())
    assert {"samples-gpu.tar.xz", "report-gpu.html"} <= sums.keys() == {path.name for path in out.iterdir()} - {"SHA256SUMS"}
    assert all(hashlib.sha256((out / name).read_bytes()).hexdigest() == sum_ for name, sum_ in sums.items())
