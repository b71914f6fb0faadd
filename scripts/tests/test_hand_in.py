"""scripts/hand_in.py: what is shown, refused, packed and told."""

from __future__ import annotations

import lzma
import zipfile
from pathlib import Path

import hand_in
import pytest
import result_sets
import synthetic

from benchlib.base import archive
from benchlib.results import counters_file, results
from benchlib.runner import lock

ROOT = Path(__file__).resolve().parents[2]
BOARD = "when,time,host,uuid,throttle_reasons\nbefore,2026-01-01T00:00:00Z,secret-node-7,149980f6-bd56,\n"
LISTED = "sass/exp06_litmus.tar.xz"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three runs of one small program, the third as run10."""
    made = result_sets.make("h200", tmp_path, "exp06_litmus")
    board = made / "boards" / "149980f6"
    (board / "run3").rename(board / "run10")
    (board / "board.csv").write_text(BOARD)
    (board / "run10" / "exp06_litmus.samples.csv").write_text("a,b\n1,2\n")
    (board / "run1" / "exp06_litmus.samples.csv").write_text("a,b\n1,2\n")
    return made


def tree(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_without_write_nothing_changes_and_hosts_are_shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = tree(folder)
    assert hand_in.main([str(folder)]) == 0
    said = capsys.readouterr().out
    assert "private? secret-node-7: boards/149980f6/board.csv" in said
    assert "3 runs and files to pack; nothing was written" in said and "Not here: machine code." in said
    assert tree(folder) == before and "--write --hide-hosts" in said and "ids: 1/h200/149980f6/run1 1/" in said
    assert hand_in.main(["--attach", str(folder.parent / "a.zip"), str(folder)]) == 0 and "a.zip (" in (said := capsys.readouterr().out) and "a new issue" in said
    with zipfile.ZipFile(folder.parent / "a.zip") as packed:
        found = {name: packed.read(name) for name in packed.namelist()}
    assert {"h200/worklog.md", "h200/boards/149980f6/run2.tar.xz", "h200/boards/149980f6/run1/exp06_litmus.samples.csv.xz"} <= found.keys()
    assert tree(folder) == before and any(name.startswith("schemas/") for name in found) and b"secret" not in b"".join(found.values())


def test_runs_are_packed_and_read_the_same(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = tree(folder)
    assert hand_in.main(["--write", "--hide-hosts", str(folder)]) == 0
    after, board = tree(folder), "boards/149980f6/"
    for run in ("run1", "run2", "run10"):
        assert archive.read(folder / board / f"{run}.tar.xz") == {"exp06_litmus.csv": before[f"{board}{run}/exp06_litmus.csv"]}
    samples = "run10/exp06_litmus.samples.csv"
    assert lzma.decompress(after[f"{board}{samples}.xz"]) == before[board + samples] and not (folder / board / "run2").exists()
    assert b"secret" not in b"".join(after.values()) and b"host-1" in after[f"{board}board.csv"]
    assert {"worklog.md", "report.html", "claims.csv"} <= after.keys() and len(results.load(folder).tables["exp06_litmus"].runs) == 3
    assert "git add" in capsys.readouterr().out
    assert not list(folder.rglob("*.schema.json")) and len(list((folder.parent / "schemas").iterdir())) == 1  # three runs of the same columns
    assert hand_in.main(["--write", str(folder)]) == 0 and tree(folder) == after  # again changes nothing


def test_counters_are_packed_and_read_the_same(folder: Path) -> None:
    text = f"experiment,variant,api,elements,cache,instrument\nexp06_litmus,mp_relaxed,cuda,1,,{counters_file.NCU}\n"
    (folder / counters_file.NAME).write_text(text)
    before = counters_file.read(folder / counters_file.NAME)
    assert hand_in.main(["--write", "--hide-hosts", str(folder)]) == 0
    assert not (folder / counters_file.NAME).exists() and lzma.decompress((folder / "counters.csv.xz").read_bytes()).decode() == text
    found = results.load(folder)
    table = found.auxiliary("counters.csv", "exp06_litmus")
    assert before == counters_file.read(folder / counters_file.NAME) and found.beside("counters.csv") == "counters.csv.xz"
    assert table is not None and [row["variant"] for case in table.cases for row in table.rows(case)] == ["mp_relaxed"]


def test_a_dirty_tree_must_not_be_handed_in(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (commit,) = results.load(folder).distinct("git_rev")
    for path in folder.rglob("exp06_litmus.csv"):
        path.write_text(path.read_text().replace(f",{commit},", f",{commit}-dirty,"))
    assert hand_in.main(["--write", str(folder)]) == 1
    assert f"wrong: measured from a changed working tree: {commit}-dirty" in capsys.readouterr().out and not list(folder.rglob("*.xz"))


def test_a_failed_row_must_not_be_handed_in(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = synthetic.exp01_rows()
    board = tmp_path / "boards" / rows[0]["gpu_uuid"].removeprefix("GPU-")[:8] / "run1"
    rows[0] |= {name: "" for name in synthetic.TIMES} | {"status": "failed", "reason": "wrong output: 1 of 2"}
    synthetic.write(board, "exp01_vector_add", rows)
    assert hand_in.main(["--write", str(tmp_path)]) == 1
    assert "wrong: exp01_vector_add: 1 rows failed" in capsys.readouterr().out


# ------------------------------------------------------------------------------------------------------------- private names


@pytest.fixture(autouse=True)
def named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "login-4.cluster.example")
    monkeypatch.setattr("socket.getfqdn", lambda: "login-4.cluster.example")
    monkeypatch.setattr("getpass.getuser", lambda: "ada")


def refused(folder: Path, capsys: pytest.CaptureFixture[str], *options: str) -> str:
    """What both ways say; and nothing is changed."""
    before = tree(folder.parent)
    assert hand_in.main([*options, str(folder)]) == 1
    capsys.readouterr()
    assert hand_in.main([*options, "--write", "--hide-hosts", str(folder)]) == 1
    said = capsys.readouterr()
    assert tree(folder.parent) == before
    return said.out + said.err


def test_two_hosts_stay_two(folder: Path) -> None:
    """A board that is added later, on a host that sorts before those that are hidden already."""
    board = folder / "boards" / "149980f6" / "board.csv"
    assert hand_in.main(["--write", "--hide-hosts", str(folder)]) == 0
    other = folder / "boards" / "0aaaaaaa" / "board.csv"
    other.parent.mkdir()
    other.write_text(BOARD.replace("secret-node-7", "another-node"))
    assert hand_in.main(["--write", "--hide-hosts", str(folder)]) == 0
    assert ",host-1," in board.read_text() and ",host-2," in other.read_text()


def test_the_fleets_files_name_no_host(folder: Path) -> None:
    board = folder / "boards" / "149980f6"
    for name in ("lock", "complete"):
        (board / name).write_text("process 7 on secret-node-7\n")
    assert hand_in.main(["--write", "--hide-hosts", str(folder)]) == 0
    assert (board / "complete").exists() and b"secret" not in b"".join(tree(folder).values())
    assert not {board / "lock", board / "complete"} & set(hand_in.contents(folder))


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("boards/149980f6/board.csv", BOARD.replace(",", ";").encode(), "no column when"),
        ("boards/149980f6/notes.log", b"measured on secret-node-7", "notes.log is no file of a set of results"),
        ("plots/a.svg", "<svg>secret-node-7</svg>".encode("utf-16"), "plots/a.svg is no text in UTF-8"),
        ("plots/secret-node-7.svg", b"<svg/>", "secret-node-7 stands in plots/secret-node-7.svg"),
        ("worklog/exp00_x.md", b"on Secret-Node-7.", "secret-node-7 stands in worklog/exp00_x.md"),
        (LISTED, archive.packed({"mp.cuda.sass": b"// by ada\n"}), f"ada stands in {LISTED}"),
        (LISTED, archive.packed({"ada.cuda.sass": b"0000 EXIT\n"}), f"ada stands in {LISTED}"),
        (LISTED, archive.packed({"mp.cuda.sass": b"// /scratch/someone/x\n"}), "/scratch/someone/x stands in"),
        (LISTED, archive.packed({"mp.cuda.sass": b"0000 EXIT\n"})[:60], f"{LISTED}: damaged"),
        (LISTED, lzma.compress(bytes(archive.MOST_ARCHIVE_BYTES + 1), preset=0), "more than 64 MiB are packed in it"),
        ("sass/exp06_litmus.bin.xz", lzma.compress(b""), "is no file of a set of results"),
        ("sass.csv", "\ufeffexperiment,kernel,api\n".encode(), "a byte order mark"),
    ],
)
def test_what_is_not_handed_in(folder: Path, capsys: pytest.CaptureFixture[str], name: str, data: bytes, said: str) -> None:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_bytes(data)
    assert said in refused(folder, capsys)


def test_hosts_that_are_not_hidden_are_not_handed_in(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = tree(folder)
    assert hand_in.main(["--write", str(folder)]) == 1
    assert "wrong: hosts are named in board.csv: --hide-hosts hides them" in capsys.readouterr().out and tree(folder) == before


def test_what_fails_on_the_way_leaves_nothing(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hand_in.report_file.write", lambda *_: 1 / 0)
    before = tree(folder.parent)
    with pytest.raises(ZeroDivisionError):
        hand_in.main(["--write", "--hide-hosts", str(folder)])
    assert tree(folder.parent) == before
    monkeypatch.setattr("hand_in.report_file.write", lambda *_: 1)
    assert "the pages were not written" in refused(folder, capsys)


def test_after_a_kill_the_folder_as_it_was_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder.parent / ".before-h200" / "h200").mkdir(parents=True)
    assert hand_in.main(["--write", "--hide-hosts", str(folder)]) == 1
    assert "as it was when a hand_in.py was killed" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["nvidia-h100-80gb-hbm3", "nvidia-h200", "nvidia-h200-x2"])
def test_every_file_of_a_committed_set_is_known(name: str) -> None:
    """What another tool adds to a set is handed in with it."""
    folder = ROOT / "results" / name
    files = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
    strangers = [each for each in files if not hand_in.KNOWN.fullmatch(each) and not hand_in.IGNORED.fullmatch(each)]
    assert len(files) > 5 and strangers == []


@pytest.mark.parametrize("shared", [False, True])
def test_what_is_being_written_is_not_packed(folder: Path, capsys: pytest.CaptureFixture[str], shared: bool) -> None:
    """By a run.sh, whose further rows would go with the file that was packed; or by another hand_in.py."""
    held = lock.Lock(folder, shared)
    before = tree(folder)
    assert hand_in.main(["--write", "--hide-hosts", str(folder)]) == 1 and "is writing into" in capsys.readouterr().err
    assert tree(folder) == before
    held.let_go()
    assert hand_in.main(["--write", "--hide-hosts", str(folder)]) == 0 and not (folder / lock.FILE).exists()


@pytest.mark.parametrize("name", ["boards/149980f6", "boards/149980f6/run1", "boards/149980f6/run1/exp06_litmus.csv", "plots/a.svg"])
def test_a_link_is_not_handed_in(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    """Git takes the link itself: where it leads is a path, and what lies there is not looked through."""
    (folder / "plots").mkdir(exist_ok=True)
    (folder / "plots/a.svg").write_text("<svg/>")
    elsewhere = tmp_path / "of-ada"
    (folder / name).rename(elsewhere)
    (folder / name).symlink_to(elsewhere)
    assert f"{name} is a link" in refused(folder, capsys)
