"""scripts/undecided.py: what a board's first three runs leave undecided, on planted runs."""

from pathlib import Path

import synthetic
import undecided as script
from benchlib.claims import claims, undecided
from benchlib.model.analysis import Analysis, Study
from benchlib.results import results

EXP = "exp03_memory_coalescing"
RATIOS = {"100": [1.0, 1.0005, 0.9995], "200": [1.03, 0.97, 1.005], "300": [1.5, 1.501, 1.499]}  # Vulkan/CUDA of three runs, by `offset`: SAME, UNCLEAR, SLOWER


def planted(folder: Path, board: str, runs: int = 3) -> None:
    for number in range(runs):
        rows = [row for offset, ratios in RATIOS.items() for row in synthetic.twins(EXP, "read_offset", 1e5, 1e5 * ratios[number % 3], offset=offset, gpu_uuid=f"GPU-{board}")]
        synthetic.write(folder / "boards" / board / f"run{number + 1}", EXP, rows)


def chosen(folder: Path, claim: str = "", analysis: Analysis = Analysis()) -> list[str]:
    (path := folder / "claims.toml").write_text(f'question = "?"\n{claim}')
    study = Study.of(results.load(folder, lambda run: run.board == "a"), {EXP: analysis})
    return [f"{case['offset']} {case['api']}" for case in undecided.undecided(study, study.tables[EXP], [claims._read(path, EXP, set())])]


def test_pairs_and_the_cases_of_claims(tmp_path: Path) -> None:
    planted(tmp_path, "a")
    assert chosen(tmp_path) == ["200 cuda", "200 vulkan"]
    where = 'where = "variant=read_offset api=cuda offset=300"'
    for bound, more in (("lo = 1e5", ["300 cuda", "300 vulkan"]), ("lo = 1", [])):  # within its brackets, and far from them
        assert chosen(tmp_path, synthetic.claim("03.1", f'combine = "value"\nmetric = "device_ns"\n{where}\nreproduced = {{ {bound} }}')) == ["200 cuda", "200 vulkan", *more]


def test_what_is_reckoned_from_many_rows_is_measured_whole_or_not_at_all(tmp_path: Path) -> None:
    planted(tmp_path, "a")
    by_case, of_all = (lambda table: {case: table.figure(case, "device_ns").value for case in table.select({})}), (lambda table: {table.cases[0]: len(table.select({"api": "cuda"}))})
    assert [len(chosen(tmp_path, analysis=Analysis(figures={"figure": each}))) for each in (by_case, of_all)] == [2, 6]


def test_a_board_of_three_runs_is_asked_alone(tmp_path: Path, root: Path, capsys) -> None:
    for board, runs in {"a": 2, "b": 5, "c": 3}.items():
        planted(tmp_path / "out", board, runs)
    said = []
    for board in "abc":
        (lists := tmp_path / board).mkdir()
        assert script.main([str(tmp_path / "out"), board, "--write", str(lists), "--root", str(root)]) == 0
        said.append([path.read_text() for path in lists.iterdir()])
    assert said[0] == [] and said[1] == said[2] and said[1][0].startswith("variant,api,") and ",200," in said[1][0] and f"{EXP} " in capsys.readouterr().out
