"""What compare, why, fleet, beside and hand_in say of slices of results, to the letter. After a change that is meant:

    pytest scripts/tests/test_golden.py --write-golden      # and read the difference in git
"""

from __future__ import annotations

import hashlib
import itertools
import lzma
import re
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

import beside
import compare
import fleet
import hand_in
import pytest
import why

from benchlib.base import archive, csv_file, files
from benchlib.sass import listings

REPOSITORY = Path(__file__).resolve().parents[2]
RESULTS = REPOSITORY / "results"
H200 = RESULTS / "nvidia-h200"
GOLDEN = Path(__file__).resolve().parent / "golden"
EXPERIMENT = "exp02_descriptors"  # the smallest file of every board
ROWS = Path(__file__).resolve().parent / "fixtures/exp02"  # three runs of each of two H200s, two of an H100
BOARDS = ("214598a2", "b5796142")
NAMES = ("aaaaaaaa", "bbbbbbbb", "cccccccc", "dddddddd", "eeeeeeee", "ffffffff")  # six boards, one for each of the H200s' runs

pytestmark = [pytest.mark.real_least_runs, pytest.mark.real_forms]
Said = Callable[..., None]


def slice_of(target: Path, source: Path, board: str, runs: Iterable[int], name: str = BOARDS[0]) -> Path:
    """Some of a board's runs, numbered from 1, as those of the board that is called `name`."""
    for at, run in enumerate(runs, start=1):
        folder = target / "boards" / name / f"run{at}"
        folder.mkdir(parents=True)
        data = csv_file.opened(source / "boards" / board / f"run{run}{archive.SUFFIX}" / f"{EXPERIMENT}.csv").read()
        (folder / f"{EXPERIMENT}.csv").write_bytes(data.replace(f",{board}-".encode(), f",{name}-".encode()))
    return target


def slower(folder: Path) -> None:
    """Every time of its first run."""
    path = next(folder.rglob("exp*.csv"))
    header, rows = csv_file.read(path)
    for _, row in rows:
        for name in ("device_ns", "device_ns_lo", "device_ns_hi"):
            row[name] = row[name] and f"{float(row[name]) * 1.3:.6g}"
    path.write_text(csv_file.text(header, (row for _, row in rows)))


@pytest.fixture(scope="module")
def sets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("sets")
    shutil.copytree(ROWS / "schemas", made / "schemas")
    one, other = BOARDS
    slice_of(made / "before", ROWS / "h200", one, (1, 2, 3))
    slice_of(made / "after", ROWS / "h200", other, (1, 2, 3))
    for name, (board, run) in zip(NAMES, itertools.product(BOARDS, (1, 2, 3))):
        slice_of(made / "fleet", ROWS / "h200", board, (run,), name)
    slice_of(made / "h100", ROWS / "h100", "d1064a7a", (1, 2), "d1064a7a")
    slower(slice_of(made / "slower", ROWS / "h200", one, (3,)))
    slower(made / "fleet/boards" / NAMES[0])
    with_code = slice_of(made / "with-code", ROWS / "h200", one, (1, 2, 3))
    (with_code / "sass").mkdir()
    shutil.copy(listings.path(H200, EXPERIMENT), with_code / "sass")
    for name in ("sass.csv", "sass_twins.csv", "counters.csv"):
        header, rows = csv_file.read(H200 / f"{name}.xz")
        (with_code / name).write_text(csv_file.text(header, (row for _, row in rows if row["experiment"] == EXPERIMENT)))
    return made


@pytest.fixture
def same(request: pytest.FixtureRequest, sets: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Said:
    """Holds a text, without its folders, to the file of that name; or writes it there."""

    def check(name: str, text: str | None = None) -> None:
        found = capsys.readouterr().out if text is None else text
        for folder in (sets, tmp_path):
            found = found.replace(f"{folder}/", "")
        # How many claims there are is none of these scripts' doing.
        found = re.sub(r"Of \d+ claims|\d+ not measured", lambda match: re.sub(r"\d+", "N", match[0]), found)
        path = GOLDEN / name
        if request.config.getoption("--write-golden", False):
            path.write_text(found, encoding="utf-8")
        assert files.read_text(path) == found, files.short_diff(path, files.read_text(path), found, 60)

    return check


def test_compare(sets: Path, same: Said, tmp_path: Path) -> None:
    assert compare.main([str(sets / "before"), str(sets / "after"), "--markdown", str(tmp_path / "page"), "--csv", str(tmp_path / "rows")]) == 0
    same("compare.txt")
    same("compare.md", (tmp_path / "page").read_text())
    same("compare.csv", (tmp_path / "rows").read_text())


@pytest.mark.parametrize(
    ("name", "others"), [("compare_slower", ["slower"]), ("compare_fleet", ["fleet"]), ("compare_h100", ["h100"]), ("compare_several", ["after", "h100"])]
)  # fmt: skip
def test_compare_of_other_sets(sets: Path, same: Said, name: str, others: list[str]) -> None:
    assert compare.main([str(sets / each) for each in ("before", *others)]) == 0
    same(f"{name}.txt")


def test_why(sets: Path, same: Said) -> None:
    assert why.main(["--dir", str(sets / "with-code")]) == 0
    same("why.txt")
    assert why.main(["--dir", str(sets / "before"), "exp02", "idle"]) == 0
    same("why_pair.txt")


def test_fleet(sets: Path, same: Said, tmp_path: Path) -> None:
    assert fleet.main([str(sets / "fleet"), "--out", str(tmp_path)]) == 1
    same("fleet.txt")
    for name in ("fleet.csv", "fleet.md"):
        same(name, (tmp_path / name).read_text())
    assert fleet.main(["--gate", str(sets / "fleet"), str(sets / "slower")]) == 1
    same("fleet_gate.txt")


def test_beside(sets: Path, same: Said) -> None:
    assert beside.main([str(sets / "with-code")]) == 0
    same("beside.txt")


def test_hand_in(sets: Path, same: Said, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "this-host")
    monkeypatch.setattr("socket.getfqdn", lambda: "this-host")
    monkeypatch.setattr("getpass.getuser", lambda: "root")
    shutil.copytree(sets / "schemas", tmp_path / "schemas")
    folder = shutil.copytree(sets / "with-code", tmp_path / "handed-in")
    state = (ROWS / "h200/boards" / BOARDS[0] / "board.csv").read_text()
    (folder / "boards" / BOARDS[0] / "board.csv").write_text(state.replace(",vm,", ",node-of-somebody,"))
    assert hand_in.main([str(folder)]) == 0
    assert hand_in.main(["--write", "--hide-hosts", str(folder)]) == 0
    # Which pages there are, and how large they are, is not hand_in's.
    same("hand_in.txt", "".join(line for line in capsys.readouterr().out.splitlines(True) if not line.startswith(("wrote ", "commit "))))
    there = [path for path in sorted(folder.rglob("*")) if path.is_file() and "sass" not in path.parts and not _is_page(path)]
    same("hand_in_files.txt", "".join(f"{path.relative_to(folder)}  {_hash(path) if 'boards' in path.parts else ''}".rstrip() + "\n" for path in there))


def _is_page(path: Path) -> bool:
    return path.suffix in (".md", ".html", ".svg") or path.name == "claims.csv"


def _hash(path: Path) -> str:
    """Of a file, unpacked."""
    data = path.read_bytes()
    return hashlib.sha256(lzma.decompress(data) if path.suffix == ".xz" else data).hexdigest()[:12]
