"""In what state results are: program by program, for a folder in which some were measured less than others."""

from __future__ import annotations

import json
from pathlib import Path

import synthetic
from benchlib.model.analysis import Analysis, Counting, Study
from benchlib.pages import state
from benchlib.results import results
from benchlib.results.results import APIS

EXP01, EXP03 = "exp01_vector_add", "exp03_memory_coalescing"


def of(runs: dict[str, int], to_count: list[str], uncounted: list[str]) -> state.State:
    return state.State(False, APIS, runs, to_count, uncounted, True, False, [])


def test_each_program_is_measured_by_its_own_runs() -> None:
    found = of({"exp01_a": 43, "exp08_b": 2, "exp08_c": 2, "exp09_d": 1, "exp09_e": 3}, ["exp01_a", "exp08_b"], ["exp08_b"])
    (runs, counters) = found.sentences
    assert runs.startswith("Seen in one run: exp09_d; in two runs: exp08. ")
    assert counters == "Not here: counters of exp08_b."
    assert found.next_command == "scripts/run.sh --runs 6 --resume --only exp08 --only exp09_d"


def test_a_whole_folder_is_said_short() -> None:
    assert of({"exp01_a": 1, "exp02_b": 1}, [], []).sentences[0].startswith("Seen in one run. ")
    assert of({"exp01_a": 1, "exp02_b": 1}, ["exp01_a"], ["exp01_a"]).sentences[1] == "Not here: counters."
    whole = of({"exp01_a": 3, "exp02_b": 5}, ["exp01_a"], [])
    assert (whole.sentences, whole.next_command) == ([], "")


def test_a_coarse_sweep_is_gone_on_with_as_one(tmp_path: Path) -> None:
    """A full run refuses its rows."""
    for sweep, command in (("quick", "scripts/run.sh --quick --runs 6 --resume"), ("full", "scripts/run.sh --runs 6 --resume")):
        rows = [row | {"gpu_uuid": "aaaaaaaa"} for row in synthetic.exp03_rows()]
        path = synthetic.write(tmp_path / sweep / "boards/aaaaaaaa/run1", EXP03, rows)
        head, *lines = path.read_text().splitlines()
        path.write_text("\n".join([f"{head},run", *(f"{line},{sweep}" for line in lines), ""]))
        schema = path.with_suffix(".schema.json")
        described = json.loads(schema.read_text())
        described["columns"].append(described["columns"][-1] | {"name": "run"})
        schema.write_text(json.dumps(described))
        assert state.of(Study.of(results.load(tmp_path / sweep), {EXP03: Analysis()})).next_command == command


def test_it_is_read_from_the_files(tmp_path: Path) -> None:
    for number in (1, 2, 3):
        synthetic.write(tmp_path / f"boards/aaaaaaaa/run{number}", EXP01, synthetic.twins(EXP01, "add_f32", 1000, 1000 + number, gpu_uuid="aaaaaaaa"))
    synthetic.write(tmp_path / "boards/aaaaaaaa/run1", EXP03, [row | {"gpu_uuid": "aaaaaaaa"} for row in synthetic.exp03_rows()])
    (tmp_path / "counters.csv").write_text(f"experiment,variant,api,elements,cache,instrument\n{EXP01},add_f32,cuda,1,cold,ncu\n")
    (tmp_path / "sass.csv").write_text("experiment,kernel,api\n")
    study = Study.of(results.load(tmp_path), {EXP01: Analysis(), EXP03: Analysis()})
    assert state.of(study).sentences[0].startswith(f"Seen in one run: {EXP03.partition('_')[0]}. ")
    assert state.of(study).sentences[1] == "Not here: counters of exp03."
    by_wish = Study.of(results.load(tmp_path), {EXP03: Analysis(counting=Counting(by_default=False))})
    assert len(state.of(by_wish).sentences) == 1
