"""Result files: schema 2 by its sidecar, schema 1 by inference, and every way that a file can be wrong."""

from __future__ import annotations

import csv
import gc
import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
import synthetic
from benchlib.base import archive, csv_file
from benchlib.pages import run_tables
from benchlib.results import results, schema
from benchlib.stats import estimate
from benchlib.stats.spreads import FIGURES, RATIOS, committed
from benchlib.results.results import InputError
from benchlib.stats.stats import Figure, ratio

EXP = "exp03_memory_coalescing"
KEY = ["variant", "api", "block", "offset", "struct_bytes", "fields", "checks", "elements", "cache"]
MEASURED = ["count", "rate", "rate_lo", "rate_hi", "verdict"]


@pytest.fixture(autouse=True)
def _measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(synthetic.MEASURED, EXP, MEASURED)


def rows(**cells: object) -> list[dict]:
    measured = {"count": 7, "rate": 2.5, "rate_lo": 2, "rate_hi": 3, "verdict": "seen", "load_sectors": 4, "store_sectors": 4}
    measured |= {"device_ns_lo": 990, "device_ns_hi": 1015}
    return [row | {"offset": 8, **measured, **cells} for row in synthetic.twins(EXP, "read_offset", 1000, 1010)]


def failure(folder: Path) -> str:
    with pytest.raises(InputError) as caught:
        results.load(folder)
    text = str(caught.value)
    assert text.isprintable() and str(folder) in text and len(text) < 400
    return text


@pytest.mark.parametrize("write", [synthetic.write, synthetic.write_shared])
def test_a_tables_columns(tmp_path: Path, write: Callable) -> None:
    write(tmp_path, EXP, rows())
    table = results.load(tmp_path).tables[EXP]
    assert table.params == synthetic.PARAMS[EXP] and table.model == synthetic.MODEL[EXP]
    assert table.measured == ["count", "rate", "verdict"]
    assert [column.name for column in table.columns if column.key] == KEY
    assert {c.name: c.type for c in table.columns if c.role in ("param", "model", "measured")} == {
        **dict.fromkeys([*synthetic.PARAMS[EXP], *synthetic.MODEL[EXP]], "integer"), "checks": "text", "count": "real", "rate": "real", "verdict": "text",
    }  # fmt: skip
    case = table.cases[0]
    for name, value, lo, hi in (("device_ns", 1000, 990, 1015), ("rate", 2.5, 2, 3)):  # a further run's are wider than the run's own
        found = table.figure(case, name)
        assert found and found.lo and found.hi and found.value == value and found.lo < lo and hi < found.hi < hi * 1.2
    assert (table.figure(case, "count") or Figure(0)).value == 7
    assert table.figure(case, "load_sectors") == Figure.exact(4)
    assert (table.figure(case, "submit_ns") or Figure(0)).value == 2000
    assert table.figure(case, "verdict") is None and table.figure(case, "nothing") is None


def test_vulkans_round_trips_of_older_files_are_another_figure(tmp_path: Path) -> None:
    """Without the column `remade` they hold a barrier and the fence's reset: read as if they were not there, CUDA's as they are."""
    path = synthetic.write(tmp_path, "exp01_vector_add", synthetic.twins("exp01_vector_add", "empty", 1000, 2000))
    read = {row["api"]: float(row["roundtrip_ns"]) for row in results.RunFile(path).read().rows}
    assert read == {"cuda": 10_000, "vulkan": 11_000}

    lines = list(csv.reader(path.read_text().splitlines()))
    at = lines[0].index("remade")
    path.write_text("".join(",".join(cells[:at] + cells[at + 1 :]) + "\n" for cells in lines))
    sidecar = path.with_suffix(".schema.json")
    content = json.loads(sidecar.read_text())
    content["columns"] = [column for column in content["columns"] if column["name"] != "remade"]
    sidecar.write_text(json.dumps(content))
    older = {row["api"]: row["roundtrip_ns"] for row in results.RunFile(path).read().rows}
    assert (float(older["cuda"]), older["vulkan"]) == (10_000, "")


def further(times: Mapping[str, Sequence[float]], of: str) -> tuple[float, ...]:
    """The mean over boards and the ends of a further run."""
    logs = {board: list(map(math.log, runs)) for board, runs in times.items()}
    ends = estimate.further(logs, committed(of, "cold"))
    assert ends
    return math.exp(sum(ends) / 2), *map(math.exp, ends)


@pytest.mark.parametrize("write", [synthetic.write, synthetic.write_shared])
@pytest.mark.parametrize(("cells", "message"), [
    ({"offset": "8.5"}, "offset is '8.5', not a whole number"),
    ({"rate": 3.5}, "rate lies outside its interval"),
    ({"rate": 2.5, "rate_lo": 2.5, "rate_hi": 2.4}, "rate lies outside its interval"),
    ({"rate_hi": "x"}, "rate_hi is 'x', not a number"),
    ({"rate_hi": ""}, "rate and its interval's two ends belong together"),
    ({"rate": "", "count": 3}, "rate and its interval's two ends belong together"),
    ({"count": "inf"}, "count is 'inf', not a number"),
    ({"device_ns": 5000}, "device_ns lies outside its interval"),
    ({"device_ns_lo": "1e-308"}, "device_ns_lo is '1e-308', not a positive number"),
    ({"device_ns_p05": "-1"}, "device_ns_p05 is '-1', not a positive number"),
    ({"gbps": "1_0"}, "gbps is '1_0', not a positive number"),
    ({"load_sectors": "9" * 400}, "load_sectors is '9999"),
    ({"block": "\u0665"}, "block is '\\u0665', not a whole number"),
    ({"seed": "-1"}, "seed is '-1', not a whole number"),
])  # fmt: skip
def test_bad_cells(tmp_path: Path, write: Callable, cells: dict, message: str) -> None:
    # A second row keeps schema 1's columns numeric.
    write(tmp_path, EXP, [*rows(**cells), *rows(block=64)])
    assert f"{EXP}.csv: line 2: {message}" in failure(tmp_path)


# -------------------------------------------------------------------------------------------------------------- sidecars


def change(of: str = "rate", /, **what: object) -> Callable[[dict], None]:
    def apply(content: dict) -> None:
        next(column for column in content["columns"] if column["name"] == of).update(what)

    return apply


@pytest.mark.parametrize(("damage", "message"), [
    (change(role="model "), "role is 'model ', none of identity, param"),
    (change(type="float"), "type is 'float', none of integer, real, text"),
    (change(interval=False), "its columns are not those that"),
    (change(name="rate,x"), "name is 'rate,x', not a plain name"),
    (change(name="count"), "two columns 'count'"),
    (change(unit=None), "unit is None, not a str"),
    (change(extra=1), "unknown key 'extra'"),
    (change(type="text"), "only a figure that was measured has an interval"),
    (change("block", key=False), "a parameter is part of the key"),
    (change("device_ns", role="measured"), "device_ns: role is measured, not time"),
    (change("gpu", type="integer"), "gpu: type is integer, not text"),
    (lambda content: content["columns"].pop(3), "no column api"),
    (lambda content: content["columns"][0].pop("meaning"), "column 1: no key 'meaning'"),
    (lambda content: content["columns"].append("x"), "not an object"),
    (lambda content: content.update(columns={"a": 1}), "columns is no list of columns"),
    (lambda content: content.update(schema=3), "schema 3, this program reads schema 2"),
    (lambda content: content.update(experiment="exp01_vector_add"), "of experiment 'exp01_vector_add'"),
    (lambda content: content.pop("schema"), "not an object of schema, experiment and columns"),
])  # fmt: skip
def test_bad_sidecars(tmp_path: Path, damage: Callable[[dict], None], message: str) -> None:
    path = synthetic.write(tmp_path, EXP, rows()).with_suffix(".schema.json")
    content = json.loads(path.read_text(encoding="utf-8"))
    damage(content)
    path.write_text(json.dumps(content), encoding="utf-8")
    assert message in failure(tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "Expecting value"), (b"{", "Expecting property name"), (b"[]", "not an object of"), (b"\xff", "can't decode"),
        (b'{"schema": 2, "schema": 2}', "a key is there twice"), (b"[" * 100000, "recursion"), (b'{"schema": ' + b"9" * 5000, "digit"),
        (b" " * (2 << 20), "longer than 1 MiB"),
    ],
)  # fmt: skip
def test_sidecars_that_are_none(tmp_path: Path, content: bytes, message: str) -> None:
    synthetic.write(tmp_path, EXP, rows()).with_suffix(".schema.json").write_bytes(content)
    assert message in failure(tmp_path)


def test_runs_with_other_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synthetic.write(tmp_path, EXP, rows(started_at="2026-01-02T00:00:00Z"))
    monkeypatch.setitem(synthetic.PARAMS, EXP, [*synthetic.PARAMS[EXP], "depth"])
    synthetic.write_again(tmp_path, EXP, rows(depth="3"))
    assert failure(tmp_path).endswith("its columns differ from " + str(tmp_path / f"boards/1/run1/{EXP}.csv") + ": 'depth'")


# --------------------------------------------------------------------------------------------------------------- boards

OLD, NEW = {"git_rev": "01d0000", "started_at": "2026-01-01T00:00:00Z"}, {"git_rev": "4e30000", "started_at": "2026-01-02T00:00:00Z"}


def board_run(folder: Path, board: str, number: int, ns: float, **cells: object) -> Path:
    made = synthetic.twins(EXP, "read_offset", ns, ns * 1.1, **{"gpu_uuid": f"{board}-1234", "isa_hash": "c0de", **cells})
    return synthetic.write(folder / "boards" / board / f"run{number}", EXP, made)


def boards(times: dict[str, list[float]], folder: Path) -> None:
    for board, runs in times.items():
        for number, ns in enumerate(runs, start=1):
            board_run(folder, board, number, ns)


@pytest.mark.real_least_runs
def test_runs_of_several_boards(tmp_path: Path) -> None:
    times = {"aaaaaaaa": [1000.0, 1010.0], "bbbbbbbb": [1005.0], "cccccccc": [990.0, 1000.0]}
    boards(times, tmp_path)
    found = results.load(tmp_path)
    table = found.tables[EXP]
    assert [run.path.relative_to(tmp_path).as_posix() for run in found.runs] == [
        "boards/aaaaaaaa/run1", "boards/aaaaaaaa/run2", "boards/bbbbbbbb/run1", "boards/cccccccc/run1", "boards/cccccccc/run2",
    ]  # fmt: skip
    assert table.boards == ["aaaaaaaa", "aaaaaaaa", "bbbbbbbb", "cccccccc", "cccccccc"]
    case = table.cases[0]
    found_ = table.figure(case, "device_ns")
    assert found_ and (found_.value, found_.lo, found_.hi) == pytest.approx(further(times, FIGURES)) and found_.runs == 5
    ratio = table.ratio(table.twin(case), case)
    alike = {board: [1.1] * len(runs) for board, runs in times.items()}
    assert ratio is not None and (ratio.value, ratio.lo, ratio.hi) == pytest.approx(further(alike, RATIOS)) and ratio.runs == 5


def test_runs_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    boards({"aaaaaaaa": [float(ns) for ns in range(1000, 1011)]}, tmp_path)
    table = results.load(tmp_path).tables[EXP]
    assert [figure.value for figure in table.run_figures(table.cases[0], "device_ns") if figure] == list(range(1000, 1011))


def test_a_run_in_an_archive_reads_as_its_files_do(tmp_path: Path) -> None:
    boards({"aaaaaaaa": [1000, 1010], "bbbbbbbb": [1020]}, tmp_path)
    before, board = results.load(tmp_path).tables[EXP], tmp_path / "boards/aaaaaaaa"
    synthetic.share_sidecar(board / f"run1/{EXP}.csv", tmp_path)
    for number in (1, 2):
        synthetic.pack_run(board / f"run{number}")
    (board / "run1").mkdir()
    (board / f"run1/{EXP}.samples.csv").write_text("a,b\n")  # no result lies beside the archive
    found = results.load(tmp_path)
    assert found.tables[EXP].runs == before.runs and [run.number for run in found.runs] == [1, 2, 1]
    assert found.tables[EXP].files[0] == board / f"run1.tar.xz/{EXP}.csv" and results.files_of_runs(tmp_path, EXP) == found.tables[EXP].files
    (board / "run1.tar.xz").write_bytes(archive.packed({f"{EXP}.csv": csv_file.opened(board / f"run2.tar.xz/{EXP}.csv").read() + b"cut short"}))
    assert f"run1.tar.xz/{EXP}.csv: the last line is cut short" in failure(tmp_path)
    (board / f"run1/{EXP}.csv").write_text("")
    assert "run1: run1.tar.xz lies beside it, the same run packed: keep one of the two" in failure(tmp_path)


def test_a_board_without_one_of_the_experiments(tmp_path: Path) -> None:
    boards({"aaaaaaaa": [1000], "bbbbbbbb": [1000]}, tmp_path)
    for path in (tmp_path / "boards/aaaaaaaa/run1").iterdir():
        path.unlink()
    table = results.load(tmp_path).tables[EXP]
    assert table.boards == ["bbbbbbbb"] and table.rows(table.cases[0])


def test_of_older_commits_only_what_ran_the_same_machine_code(tmp_path: Path) -> None:
    board_run(tmp_path, "aaaaaaaa", 1, 1000, **OLD)
    board_run(tmp_path, "bbbbbbbb", 1, 2000, **OLD | {"isa_hash": "01d"})
    board_run(tmp_path, "cccccccc", 1, 1001, **NEW)
    table = results.load(tmp_path).tables[EXP]
    assert [figure and figure.value for figure in table.run_figures(table.cases[0], "device_ns")] == [1000, None, 1001]


def test_a_run_of_another_commit_deletes_no_case(tmp_path: Path) -> None:
    """A part of the sweep, measured again on a further board: the older commit's other cases stay, and so does the same case's older row."""
    for board in ("aaaaaaaa", "bbbbbbbb"):
        made = [row for offset in (1, 8) for row in synthetic.twins(EXP, "read_offset", 1000, 1100, offset=offset, gpu_uuid=board, isa_hash="c0de", **OLD)]
        synthetic.write(tmp_path / "boards" / board / "run1", EXP, made)
    board_run(tmp_path, "cccccccc", 1, 1001, offset=8, **NEW)
    found = results.load(tmp_path)
    table = found.tables[EXP]
    assert {case["offset"]: len(table.rows(case)) for case in table.cases} == {"1": 2, "8": 3}
    assert table.left_out == [] and found.said_of_left_out == ""


def test_rows_that_are_left_out_are_counted(tmp_path: Path) -> None:
    """By case: the newest commit that has it says which machine code counts, be that commit the newest of all or not."""
    board_run(tmp_path, "aaaaaaaa", 1, 1000, offset=1, **OLD | {"isa_hash": "01d"})
    board_run(tmp_path, "bbbbbbbb", 1, 1000, offset=1, git_rev="2d1d1e0", started_at="2026-01-01T12:00:00Z")
    board_run(tmp_path, "cccccccc", 1, 1000, offset=8, **NEW)
    found = results.load(tmp_path)
    assert found.tables[EXP].left_out == [results.LeftOut("01d0000", results.OTHER_CODE, 2)]
    assert found.said_of_left_out == f"2 of 6 rows are left out: 2 because {results.OTHER_CODE}."
    assert dict(run_tables.environment(found.tables.values()).rows)["rows left out"] == f"2 of 01d0000: {results.OTHER_CODE}"


def test_rows_of_one_hash_of_sources_belong_together(tmp_path: Path) -> None:
    """A later commit that changed nothing that measures parts no rows, whatever machine code a driver made; one that did, does."""
    path_of_commit = {"aaaaaaaa": "c0ffee0", "bbbbbbbb": "c0ffee1", "cccccccc": "c0ffee2"}
    for number, (board, commit) in enumerate(path_of_commit.items()):
        made = synthetic.twins(EXP, "read_offset", 1000, 1100, offset=1, gpu_uuid=board, git_rev=commit, started_at=f"2026-01-0{number + 1}T12:00:00Z",
                               isa_hash=str(number) * 12, sources="0123456789ab" if number else "ba9876543210")  # fmt: skip
        synthetic.write(tmp_path / "boards" / board / "run1", EXP, made)
    table = results.load(tmp_path).tables[EXP]
    assert [len(table.rows(case)) for case in table.cases] == [2, 2]
    assert table.left_out == [results.LeftOut("c0ffee0", results.OTHER_CODE, 2)]


def test_rows_that_are_left_out_by_name(tmp_path: Path) -> None:
    board_run(tmp_path, "aaaaaaaa", 1, 1000, offset=1, **OLD)
    board_run(tmp_path, "bbbbbbbb", 1, 1000, offset=8, **NEW)
    path = tmp_path / results.LEFT_OUT
    path.write_text(f'[[rows]]\nexperiment = "{EXP}"\ncommits = ["01d0000"]\nwhy = "a trial"\n')
    found = results.load(tmp_path)
    assert {case["offset"] for case in found.tables[EXP].cases} == {"8"}
    assert found.said_of_left_out == "2 of 4 rows are left out: 2 because left_out.toml names them."
    board_run(tmp_path, "cccccccc", 1, 1000, offset=1, **NEW)  # now another commit has the case
    assert f"{EXP} has no rows of which this is true: 'a trial'" in failure(tmp_path)
    path.write_text(path.read_text().replace(EXP, "exp99_other"))
    assert "no results of 'exp99_other' here" in failure(tmp_path)
    path.write_text("rows = 3\n")
    assert "no list of rows" in failure(tmp_path)


def test_a_parameter_that_an_older_commit_did_not_have(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    board_run(tmp_path, "aaaaaaaa", 1, 1000, **OLD)
    monkeypatch.setitem(synthetic.PARAMS, EXP, [*synthetic.PARAMS[EXP], "depth"])
    new = [synthetic.row(EXP, "read_offset", "cuda", 1002, depth=depth, gpu_uuid="bbbbbbbb", isa_hash="c0de", **NEW) for depth in ("", "3")]
    synthetic.write(tmp_path / "boards/bbbbbbbb/run1", EXP, new)
    table = results.load(tmp_path).tables[EXP]
    runs = {case["depth"]: table.run_figures(case, "device_ns") for case in table.cases if case["api"] == "cuda"}
    assert [figure and figure.value for figure in runs[""]] == [1000, 1002]
    assert [figure and figure.value for figure in runs["3"]] == [None, 1002]


@pytest.mark.parametrize(("change", "message"), [
    ({"gpu_uuid": "dddddddd"}, "/boards/aaaaaaaa: results of another GPU, 'dddddddd'"),
    ({"gpu": "NVIDIA H100"}, "results of two gpus, 'NVIDIA H100' and 'NVIDIA H200'; keep one gpu a directory"),
    ({"driver": "1.2"}, "results of two drivers, '1.2' and '580.159.04'; keep one driver a directory"),
])  # fmt: skip
def test_boards_that_do_not_belong_together(tmp_path: Path, change: dict, message: str) -> None:
    board_run(tmp_path, "aaaaaaaa", 1, 1000, **change)
    board_run(tmp_path, "bbbbbbbb", 1, 1000)
    assert message in failure(tmp_path)


def test_results_beside_the_boards(tmp_path: Path) -> None:
    boards({"aaaaaaaa": [1000]}, tmp_path)
    synthetic.write(tmp_path, EXP, rows())
    assert "results beside" in failure(tmp_path)


@pytest.mark.parametrize("write", [synthetic.write, synthetic.write_shared])
def test_a_packed_file(tmp_path: Path, write: Callable) -> None:
    path = write(tmp_path, EXP, rows())
    written = results.load(tmp_path).tables[EXP]
    packed = synthetic.pack(path)
    assert results.files_of(tmp_path) == {EXP: packed} and results.files_of_runs(tmp_path, EXP) == [packed]
    table = results.load(tmp_path).tables[EXP]
    assert (table.runs, table.header, table.files) == (written.runs, written.header, [packed])
    write(tmp_path, EXP, rows())
    assert failure(tmp_path) == f"{path}: {packed.name} lies beside it, the same file packed: keep one of the two"
    write(tmp_path, EXP, rows(device_ns="x"))
    packed.unlink()
    synthetic.pack(path)
    assert f"{packed}: line 2: device_ns is 'x'" in failure(tmp_path)


@pytest.mark.parametrize("damage", [lambda data: data[:-9], lambda data: data[:99] + b"x" + data[100:], lambda _: b"schema\n"])
def test_a_damaged_packed_file(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    packed = synthetic.pack(synthetic.write(tmp_path, EXP, rows()))
    packed.write_bytes(damage(packed.read_bytes()))
    assert failure(tmp_path).startswith(f"{packed}: damaged: ")


def test_of_a_header_alone_no_file_stays_open(tmp_path: Path) -> None:
    """Nor its decoder, which holds 64 MiB: the rest of the file is not read, and no search for cycles may be due for long."""
    packed = synthetic.pack(synthetic.write(tmp_path, EXP, rows()))
    gc.disable()
    try:
        assert csv_file.Reader(packed).header[0] == results.RunFile(packed).header[0] == "schema"
        assert str(packed) not in [os.readlink(each) for each in Path("/proc/self/fd").iterdir() if each.is_symlink()]
    finally:
        gc.enable()


# -------------------------------------------------------------------------------------------------------- shared sidecars


def test_a_file_without_a_sidecar_says_so(tmp_path: Path) -> None:
    synthetic.write(tmp_path, EXP, rows()).with_suffix(".schema.json").unlink()
    assert f"no {EXP}.schema.json beside it, and none in a folder schemas above" in failure(tmp_path)


def test_a_shared_sidecar_is_of_one_header(tmp_path: Path) -> None:
    path = synthetic.write_shared(tmp_path, EXP, rows())
    assert results.load(tmp_path).tables[EXP].cases
    path.write_text(path.read_text(encoding="utf-8").replace("device_ns_lo,", "device_low,", 1), encoding="utf-8")
    assert "beside it, and none in a folder schemas" in failure(tmp_path)


def test_committed_runs_share_their_sidecars() -> None:
    root = Path(__file__).resolve().parents[2] / "results"
    shared = {path.name for path in root.glob("schemas/*.json.xz")}
    assert shared and not list(root.rglob("*.schema.json"))
    runs = [run for folder in root.glob("*/boards") for run in results.run_folders(folder.parent)]
    files = [path for run in runs for path in results.files_of(run.path).values()]
    assert {schema.sidecar(path, csv_file.Reader(path).header).name for path in files} == shared  # none is missing, none is left over


# -------------------------------------------------------------------------------------------------------------- the CSV


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty"), (b"\n", "the first line names no columns"), (b",,,\n", "the first line names no columns"),
        (b"," * (3 << 20) + b"\n", "line 1 is longer than 1 MiB"), (b"a,b\n" + b"x" * (200 << 10) + b",y\n", "longer than 128 KiB"),
        (b"a,b\n1\n", "line 2: 1 fields, the header has 2"), (b"a,b\n\n", "line 2: 0 fields"), (b"a,b\n1,2", "cut short"),
        (b"a,a\n1,2\n", "two columns 'a'"), (b"a,b\n1\r2,3\n", "CR"), (b"a,b\n1,\xff\n", "not UTF-8 at byte 6"),
        (b'a,b\n"1,2\n', "line 2"), (b"\xef\xbb\xbfa,b\n1,2\n", "a byte order mark"), (b"a,b\r1,2\r", "its lines end with CR alone"),
    ],
)  # fmt: skip
def test_bad_csv(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        csv_file.read(path)
    assert message in str(caught.value) and str(path) in str(caught.value)


@pytest.mark.parametrize("text", ["1\n2", "1\n", "\n", "", " 1", "1_0", "1e-308", "1e400", "nan", "-1", "0", ".5", "5.", ".", "1e", "1.5e-3", "\u0661"])
def test_numbers_are_checked_together_as_one_by_one(text: str) -> None:
    value = schema.real(text)
    for texts in ([text], ["2", text, "3"]):
        assert schema._are_real(texts) == (value is not None)
        assert schema._are_positive(texts) == (value is not None and value > 0)
    # In a time that grows with their number.
    assert not schema._are_real(["111111"] * 100_000 + ["x"])


def test_the_first_bad_row_ends_the_reading(tmp_path: Path) -> None:
    # A hundred MB of such lines would be gigabytes of rows.
    path = synthetic.write(tmp_path, EXP, rows())
    width = path.read_text(encoding="utf-8").splitlines()[0].count(",")
    with open(path, "a", encoding="utf-8") as file:
        file.write(("," * width + "\n") * 3)
        file.write("\udcff".encode("utf-8", "surrogateescape").decode("latin-1"))
    assert "line 4: schema ''" in failure(tmp_path)


@pytest.mark.parametrize("make", [lambda path: path.write_text(""), lambda path: path.symlink_to(path)])
def test_boards_that_cannot_be_read(tmp_path: Path, make: Callable[[Path], object]) -> None:
    make(tmp_path / "boards")
    with pytest.raises(OSError):
        results.load(tmp_path)


def test_a_name_that_is_no_text(tmp_path: Path) -> None:
    synthetic.write(tmp_path, EXP, rows())
    (tmp_path / "exp\udcff.csv").write_text("x\n", encoding="utf-8")
    with pytest.raises(InputError, match="is no experiment's"):
        results.load(tmp_path)


# ---------------------------------------------------------------------------------------------------------- statistics


@pytest.mark.parametrize(("num", "expected"), [
    (Figure(-10, -12, -8), (-5, -12, -2)),  # from -12 / 1 to -8 / 4
    (Figure(-1, -3, 2), (-0.5, -3, 2)),
    (Figure(0, 0, 6), (0, 0, 6)),
    (Figure(0, 0, 0), (0, 0, 0)),
    (Figure(3, -2, 8), (1.5, -2, 8)),
])  # fmt: skip
def test_a_ratio_below_zero(num: Figure, expected: tuple[float, float, float]) -> None:
    found = ratio(num, Figure(2, 1, 4))
    assert (found.value, found.lo, found.hi) == expected
    assert ratio(num, Figure(2, 0, 4)) == Figure(num.value / 2)


def test_shuffled_runs_are_shown_in_the_order_of_the_listed_one() -> None:
    def case(name: str) -> results.Case:
        return results.Case((("variant", name), ("block", "256" if name == "late" else "1024")))

    listed = {case(name): {"case_order": "listed"} for name in ("second", "first")}
    shuffled = {case(name): {"case_order": "random"} for name in ("late", "first", "a", "second")}
    assert [each["variant"] for each in results.Table(EXP, [], [shuffled, listed]).cases] == ["second", "first", "a", "late"]


def test_two_devices_are_no_pair(tmp_path: Path) -> None:
    """Each row says what its own API ran on; older files have CUDA's UUID in both, and say in Vulkan's reason that there were two."""
    skipped = {"status": "skipped", "gpu": "llvmpipe", "gpu_uuid": "2222", "device_ns": "", "device_ns_lo": "", "device_ns_hi": ""}
    for at, other in enumerate(({"gpu_uuid": "2222"}, {"reason": "unpaired: CUDA runs on NVIDIA H200"}, skipped, {})):
        made = [row | (other if row["api"] == "vulkan" else {}) for row in rows(gpu_uuid=f"GPU-{at}aa")]
        synthetic.write(tmp_path / f"alone{at}", EXP, made)
        alone = results.load(tmp_path / f"alone{at}").tables[EXP]
        cuda, vulkan = alone.cases
        assert (alone.twin(cuda), alone.ratio(vulkan, cuda) is None) == ((None, True) if other else (vulkan, False))
        if other.get("gpu_uuid") != "2222" or other is skipped:
            synthetic.write(tmp_path / f"all/boards/{at}aa/run1", EXP, made)
    table = results.load(tmp_path / "all").tables[EXP]
    found = table.ratio(table.cases[1], table.cases[0])
    assert found is not None and found.value == pytest.approx(1.01), "the runs on two devices do not count"


def test_a_column_of_whatever_name_is_said_in_short(tmp_path: Path) -> None:
    synthetic.write(tmp_path, "exp01_vector_add", [synthetic.row("exp01_vector_add", "add_f32", "cuda", 10)])
    strange = '"' + "x" * 3000
    (tmp_path / "sass_twins.csv").write_text(f'experiment,kernel,arch,summary,"{strange.replace(chr(34), chr(34) * 2)}"\nexp01_vector_add,add_f32,sm_90,,many\n')
    with pytest.raises(InputError, match="is 'many', not a number") as caught:
        results.load(tmp_path).auxiliary("sass_twins.csv", "exp01_vector_add")
    assert len(str(caught.value)) < 500


def formed_row() -> dict:
    return synthetic.row(EXP, "read_offset", "cuda", 1000, gpu_uuid="149980f6-bd56-2648-162e-3e29b62919c5", isa_hash="3658715558e0")


@pytest.mark.real_forms
def test_cells_are_what_the_programs_take_for_cells(tmp_path: Path) -> None:
    """The same file is common/tests/schema_test.cpp's: what is a cell does not depend on the language."""
    cells = csv_file.read(Path(__file__).parent / "fixtures/cells.csv")[1]
    for at, (_, cell) in enumerate(cells):
        path = synthetic.write(tmp_path / str(at), EXP, [formed_row() | {"device_ns_min": 999} | {cell["column"]: cell["text"]}])
        if cell["right"] == "1":
            results.RunFile(path).read()
        else:
            with pytest.raises(InputError, match=f"{cell['column']} |not a time"):
                results.RunFile(path).read()


@pytest.mark.real_forms
@pytest.mark.parametrize(("column", "text"), [("isa_hash", "3.66E+09"), ("git_rev", "main"), ("gpu_uuid", "14995.6E3"), ("driver", "580\n1"), ("git_rev", "")])
def test_a_damaged_origin_is_not_believed(tmp_path: Path, column: str, text: str) -> None:
    path = synthetic.write(tmp_path, EXP, [formed_row()])
    results.RunFile(path).read()
    path = synthetic.write(tmp_path, EXP, [formed_row() | {column: text}])
    with pytest.raises(InputError, match=f"line [23]: {column} is "):
        results.RunFile(path).read()
