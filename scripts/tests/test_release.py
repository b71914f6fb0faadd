"""scripts/release.py: both archives, the samples from the disk and out of a commit, ids, and what stops a release."""

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
    for name, text in (("CMakeLists.txt", "project(cuda_vulkan_bench VERSION 1.2.0 L)"), ("CHANGELOG.md", "#\n## 1.2.0, soon\n"), (".zenodo.json", '"version": "1.2.0"')):
        (made / name).write_text(text)
    (made / "CITATION.cff").write_text("a\nversion: 1.2.0\n")
    (made / "docs").mkdir(exist_ok=True)
    (made / "results/schemas").mkdir(exist_ok=True)
    (made / f"results/schemas/{EXP01}-0.json.xz").write_bytes(lzma.compress((board / "run1" / f"{EXP01}.schema.json").read_bytes()))
    (made / "docs/round.toml").write_text("number = 7\ndate = 2026-01-01\n")
    (made / ".gitignore").write_text("*.samples.csv\n")
    for arguments in (["init", "-q"], ["add", "-A"], ["add", "-f", board / "run1"], ["commit", "-qm", "a"], ["rm", "-q", board / f"run1/{EXP01}.samples.csv"], ["commit", "-qm", "b"]):
        subprocess.run(["git", "-C", made, "-c", "user.name=a", "-c", "user.email=a@b", *arguments], check=True)
    return made


def names(path: Path) -> dict[str, bytes]:
    with tarfile.open(fileobj=io.BytesIO(lzma.decompress(path.read_bytes()))) as tar:
        return {entry.name: tar.extractfile(entry).read() for entry in tar if entry.isreg()}


def test_archives_and_sums(root: Path, tmp_path: Path) -> None:
    out, folder = tmp_path / "out", "cuda-vulkan-bench-1.2.0"
    place = f"{folder}/results/gpu/boards/a8c22efc/{{}}/exp01_vector_add.samples.csv".format
    assert release.main(["--root", str(root), "--out", str(out)]) == 0
    found = names(out / f"{folder}-results.tar.xz")
    assert found[place("run2")] == b"a\nrun2\n" and place("run1") not in found
    assert {f"{folder}/results/gpu/{name}" for name in ("report.html", "boards/a8c22efc/run1/exp01_vector_add.csv")} < found.keys()
    said = found[f"{folder}/results/README.md"].decode()
    assert "| 7/gpu/a8c22efc/run1 | 1 |" in said and "## Columns of all programs" in said and "| `device_ns`" in said
    source = names(out / f"{folder}-source.tar.xz")
    assert f"{folder}/CMakeLists.txt" in source and all(found[name] == data for name, data in source.items() if name in found)
    assert release.main(["--root", str(root), "--out", str(out), "--samples", "HEAD~1"]) == 0
    assert {place("run1"), place("run2")} < names(out / f"{folder}-results.tar.xz").keys()
    sums = dict(reversed(line.split("  ")) for line in (out / "SHA256SUMS").read_text().splitlines())
    assert sums.keys() == {path.name for path in out.iterdir()} - {"SHA256SUMS"} and len(sums) == 3
    assert all(hashlib.sha256((out / name).read_bytes()).hexdigest() == sum_ for name, sum_ in sums.items())


OLDER = "page,figure,model,experiment,rows,older,boards,boards_of_round\nREADME.md,a,GPU,exp01_vector_add,4,{},1,1\n"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [("docs/older_rows.csv", OLDER.format(2), "1 of 1 figures of README.md and docs/RULES.md rest on rows that are older"), ("docs/older_rows.csv", OLDER.format(0), ""),
     ("note", "a", "1 files are not as the last commit has them, note for one"), ("CITATION.cff", "\nversion: 1.2.1\n", "versions differ: CMakeLists.txt has 1.2.0, CITATION.cff has 1.2.1"),
     ("build/exp01_vector_add/exp01_vector_add_sources.cpp", '"0123456789ab"', "gpu: the newest rows of 1 of 1 programs are of other sources than the package's: exp01_vector_add")],
)  # fmt: skip
def test_what_stops_a_release(root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, text: str, said: str) -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text)
    if name.startswith("docs/"):
        subprocess.run(["git", "-C", root, "add", "-A"], check=True)
        subprocess.run(["git", "-C", root, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "c"], check=True)
    assert release.main(["--root", str(root), "--out", str(tmp_path / "out"), "--build", str(root / "build")]) == bool(said)
    assert said in "".join(capsys.readouterr())


def test_the_repository_has_one_version() -> None:
    assert release.version_of(release.ROOT).count(".") == 2
