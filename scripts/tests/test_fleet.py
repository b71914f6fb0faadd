"""scripts/fleet.py: simulated fleets, with and without a slow board, and whatever a directory of boards may hold."""

from __future__ import annotations

import csv
import dataclasses
import math
import random
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import fleet as script
import pytest
import synthetic
from benchlib.fleet import fleet, fleet_gate
from benchlib.model.analysis import Analysis, Study
from benchlib.results import results
from benchlib.results.results import HOST, Case
from benchlib.fleet.fleet import Entry, Fleet, Key, Comparable, Time
from benchlib.stats import populations

# ---------------------------------------------------------------------------------------------------------- simulated times

# As six H200s show them: standard deviations from board to board and from run to run, and a time in ns.
CLASSES = {"cold": (0.001, 0.0005, 2e5), "warm": (0.002, 0.003, 5e4), "warm, under 20 us": (0.005, 0.035, 5e3)}
EXPERIMENTS = ("exp01_a", "exp02_b", "exp03_c")
CASES = 12  # of an experiment and class
BIMODAL = 0.05  # the share of cases that a process's state moves by 3 %


def simulated(chance: random.Random, boards: int, runs: int, slow: Mapping[tuple[int, str, str], float] | None = None) -> list[Entry]:
    """Cases differ in noise by factors, a board's cases have something in common, and so have a process's. `slow`: by how much a board is
    slower in an experiment's class.
    """
    entries = []
    folders = [[Path(f"{board}/{run}") for run in range(runs)] for board in range(boards)]
    for experiment in EXPERIMENTS:
        for name, (between, within, ns) in CLASSES.items():
            of_board = [chance.gauss(0, 0.3 * between) for _ in range(boards)]
            of_run = [[chance.gauss(0, 0.3 * within) for _ in range(runs)] for _ in range(boards)]
            for at in range(CASES):
                factor, bimodal = math.exp(chance.gauss(0, 0.8)), chance.random() < BIMODAL
                key = Key(experiment, (("cache", name), ("variant", f"v{at}")))
                entry = Entry(key, Comparable("H200", "580", "code"), Case((("variant", f"v{at}"), ("api", "cuda"), ("cache", name))))
                for board in range(boards):
                    log = math.log(ns) + of_board[board] + chance.gauss(0, between * factor)
                    log += math.log1p((slow or {}).get((board, experiment, name), 0.0))
                    for run in range(runs):
                        noise = of_run[board][run] + chance.gauss(0, within * factor) + 0.03 * (bimodal and chance.random() < 0.5)
                        entry.boards.setdefault(f"board{board}", {})[folders[board][run]] = Time(log + noise, 0.0)
                entries.append(entry)
    return entries


def standing_out(entries: list[Entry]) -> set[str]:
    return {finding.board for finding in fleet.judge(entries).findings if finding.stands_out}


@pytest.mark.parametrize(("boards", "runs", "fleets"), [(8, 1, 150), (8, 2, 100), (4, 2, 100)])
def test_no_board_stands_out_of_equal_ones(boards: int, runs: int, fleets: int) -> None:
    """One fleet in a hundred may; three in a hundred are two standard deviations more."""
    chance = random.Random(f"{boards} {runs}")
    alarms = sum(bool(fleet.judge(simulated(chance, boards, runs)).findings) for _ in range(fleets))
    assert alarms <= 3 * fleets / 100


@pytest.mark.parametrize("name", ["cold", "warm"])
def test_a_board_that_is_2_percent_slower_in_one_class_is_found_among_eight(name: str) -> None:
    chance = random.Random(name)
    found = [standing_out(simulated(chance, 8, 2, {(5, "exp02_b", name): 0.02})) for _ in range(25)]
    assert found.count({"board5"}) >= 24


def test_slow_boards_do_not_hide_each_other() -> None:
    chance = random.Random(3)
    slow = {(board, "exp02_b", "cold"): 0.02 for board in (1, 4)}
    found = [standing_out(simulated(chance, 8, 2, slow)) for _ in range(20)]
    assert found.count({"board1", "board4"}) >= 19


def test_one_slow_case_is_found() -> None:
    entries = simulated(random.Random(4), 8, 3)
    slow = next(entry for entry in entries if entry.case["cache"] == "cold" and max(entry.medians.values()) - min(entry.medians.values()) < 0.003)
    slow.boards["board2"] = {run: Time(time.log + 0.2, 0.0) for run, time in slow.boards["board2"].items()}
    (finding,) = (each for each in fleet.judge(entries).findings if each.stands_out)
    assert (finding.board, finding.case) == ("board2", f"{slow.name} cuda")


def test_what_differs_by_less_is_said_and_no_alarm() -> None:
    found = fleet.judge(simulated(random.Random(5), 8, 2, {(5, "exp02_b", "cold"): 0.008})).findings
    assert {finding.board for finding in found} == {"board5"} and not any(finding.stands_out for finding in found)


def as_fleet(entries: list[Entry], boards: Callable[[str], bool]) -> Fleet:
    made = Fleet([])
    for entry in entries:
        chosen = {name: runs for name, runs in entry.boards.items() if boards(name)}
        made.entries[entry.key, entry.kind] = Entry(entry.key, entry.kind, entry.case, boards=chosen)
        for name in chosen:
            made.boards.setdefault(name, fleet.Board(name)).experiments.add(entry.key.experiment)
    return made


@pytest.mark.parametrize("slower", [0.0, 0.02])
def test_the_gate_lets_an_equal_board_in_and_no_slow_one(slower: float) -> None:
    chance = random.Random(6)
    passed = 0
    for _ in range(40):
        entries = simulated(chance, 9, 1, {(8, "exp02_b", "cold"): slower})
        verdict = fleet_gate.check(as_fleet(entries, lambda name: name != "board8"), as_fleet(entries, "board8".__eq__), "board8")
        passed += verdict.passed
        assert verdict.passed or any("exp02_b" in text for text in verdict.failures) or not slower
    assert passed <= 1 if slower else passed >= 38


def of_sweep(entries: list[Entry], sweep: str) -> list[Entry]:
    return [dataclasses.replace(entry, kind=dataclasses.replace(entry.kind, sweep=sweep)) for entry in entries]


def test_quick_runs_and_full_ones_are_not_averaged() -> None:
    """Each of three boards by one sweep: nobody is judged."""
    quick, full = (as_fleet(simulated(random.Random(at), 3, 2), lambda _: True) for at in (1, 2))
    quick.entries |= {(entry.key, entry.kind): entry for entry in of_sweep(list(full.entries.values()), "quick")}
    assert quick.sweeps == {"full", "quick"} and not fleet.judge(quick.entries.values()).compared


def test_the_gate_takes_runs_of_the_same_sweep_first() -> None:
    chance = random.Random(8)
    slow_baseline = simulated(chance, 8, 2)
    for entry in slow_baseline:
        for runs in entry.boards.values():
            runs |= {run: Time(time.log + 0.1, 0.0) for run, time in runs.items()}
    entries = simulated(chance, 9, 1)
    node = as_fleet(of_sweep(entries, "quick"), "board8".__eq__)
    baseline = as_fleet(of_sweep(entries, "quick"), lambda name: name != "board8")
    baseline.entries |= as_fleet(slow_baseline, lambda _: True).entries
    verdict = fleet_gate.check(baseline, node, "board8")
    assert verdict.passed and not verdict.notes and verdict.compared == len(entries)
    # The full runs alone take 10 % longer.
    verdict = fleet_gate.check(as_fleet(slow_baseline, lambda _: True), node, "board8")
    assert verdict.passed and f"{len(entries)} cases of a quick run compared with full runs" in verdict.notes
    assert any("% faster" in note for note in verdict.notes)


# ------------------------------------------------------------------------------------------------------------- populations

OTHERS = (1, 4, 5, 7)
OF_ANOTHER_KIND = {"exp01_a": -0.03, "exp02_b": 0.08}  # cold cases


def two_kinds(chance: random.Random, boards: int, runs: int, factors: Mapping[str, float] = OF_ANOTHER_KIND) -> list[Entry]:
    return simulated(chance, boards, runs, {(at, name, "cold"): by for at in OTHERS for name, by in factors.items()})


def test_two_populations_are_found_and_no_board_of_either_stands_out() -> None:
    chance = random.Random(9)
    for _ in range(20):
        judged = fleet.judge(two_kinds(chance, 8, 3))
        (two,) = {each.populations for each in judged.separated}
        assert (two.first, two.second) == ({f"board{at}" for at in (0, 2, 3, 6)}, {f"board{at}" for at in OTHERS})
        assert len(judged.separated) >= 20 and judged.cases == len(EXPERIMENTS) * len(CLASSES) * CASES
        assert not [finding for finding in judged.findings if finding.stands_out and "cold" in finding.class_name]


def test_a_slow_board_of_a_population_stands_out() -> None:
    chance = random.Random(10)
    slow = {(at, name, "cold"): by for at in OTHERS for name, by in OF_ANOTHER_KIND.items()}
    slow[4, "exp02_b", "cold"] += 0.03
    found = [standing_out(simulated(chance, 8, 3, slow)) for _ in range(20)]
    assert found.count({"board4"}) >= 19


@pytest.mark.parametrize("factors", [{}, {"exp02_b": 0.08}, {"exp01_a": 0.03, "exp02_b": 0.08}])
def test_equal_boards_and_boards_that_are_only_slower_are_one_population(factors: dict[str, float]) -> None:
    """Half of the boards held back by the same power limit are a fault, be they many."""
    chance = random.Random(11)
    for _ in range(40):
        assert not fleet.find_populations(two_kinds(chance, 8, 2, factors))


def test_splits_that_cross_are_all_found() -> None:
    """By memory and by host, say: each shows in cases of its own."""
    chance = random.Random(13)
    factors = {(at, name, "cold"): by for at in OTHERS for name, by in OF_ANOTHER_KIND.items()}
    factors |= {(at, name, "warm"): by for at in (0, 1, 4) for name, by in OF_ANOTHER_KIND.items()}
    entries = simulated(chance, 8, 3, factors)
    (splits,) = fleet.find_splits(entries).values()
    assert {frozenset((split.first, split.second)) for split in splits} == {
        frozenset((frozenset({f"board{at}" for at in group}), frozenset({f"board{at}" for at in range(8) if at not in group})))
        for group in (OTHERS, (0, 1, 4))
    }
    assert fleet.find_populations(entries)["H200"] == splits[0]


def test_cases_of_few_boards_hide_no_split() -> None:
    """Another experiment on a single board, and boards that ran nothing else: neither could show a split, so neither speaks against one."""
    both = [{f"board{at}": 0.05 * sign * (at in OTHERS) for at in range(8)} for sign in (1, -1) for _ in range(4)]
    one_board = [{"board0": 0.0}] * 1000
    elsewhere = [{f"other{at}": 0.0, "board0": 0.0} for at in range(9)]
    found = list(populations.find_all([*both, *one_board, *elsewhere]))
    assert [sorted(map(sorted, (split.first, split.second))) for split in found] == [[["board0", "board2", "board3", "board6"], [f"board{at}" for at in OTHERS]]]
    alike = [{f"board{at}": 0.0 for at in range(8)}] * 1000
    assert not list(populations.find_all([*both, *alike]))


@pytest.mark.parametrize("slower", [0.0, 0.03])
def test_the_gate_compares_a_board_with_its_own_population(slower: float) -> None:
    chance = random.Random(12)
    factors = {(at, name, "cold"): by for at in (*OTHERS, 8) for name, by in OF_ANOTHER_KIND.items()}
    factors[8, "exp02_b", "cold"] += slower
    passed = 0
    for _ in range(20):
        entries = simulated(chance, 9, 3, factors)
        verdict = fleet_gate.check(as_fleet(entries, lambda name: name != "board8"), as_fleet(entries, "board8".__eq__), "board8")
        passed += verdict.passed
        assert verdict.notes[0].startswith("of H200's two populations here it is of that of board1, board4, board5, board7: ")
        assert verdict.passed or any("exp02_b" in text for text in verdict.failures) or not slower
    assert passed <= 1 if slower else passed >= 19


# ------------------------------------------------------------------------------------------------------------- directories

NAMES = [f"{at}{at}{at}{at}{at}{at}{at}{at}" for at in "12345678"]
EXP = "exp03_memory_coalescing"


def rows(chance: random.Random, factor: float = 1.0, **change: object) -> list[dict]:
    """Of experiment 3, with 0.05 % of noise; `factor`: of the cold ones."""
    made = []
    for row in synthetic.exp03_rows():
        by = math.exp(chance.gauss(0, 0.0005)) * (factor if row["cache"] == "cold" else 1)
        times = {name: row[name] * by for name in ("device_ns", "device_ns_lo", "device_ns_hi")}
        made.append(row | {"isa_hash": "abc"} | times | change)
    return made


def add_board(folder: Path, name: str, factor: float = 1.0, runs: int = 2, first: int = 1, seed: int = 0, **change: object) -> None:
    chance = random.Random(f"{name} {factor} {seed}")
    for number in range(first, first + runs):
        uuid = f"{name}-0000-0000-0000-000000000000"
        synthetic.write(folder / f"boards/{name}/run{number}", EXP, rows(chance, factor, **{"gpu_uuid": uuid, **change}))


@pytest.fixture
def eight(tmp_path: Path) -> Path:
    for name in NAMES:
        add_board(tmp_path / "fleet", name)
    return tmp_path / "fleet"


def run(capsys: pytest.CaptureFixture, *arguments: object) -> tuple[int, str]:
    code = script.main([str(each) for each in arguments])
    captured = capsys.readouterr()
    return code, captured.out + captured.err


def test_a_slow_board(eight: Path, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    add_board(eight, NAMES[4], 1.02)
    code, text = run(capsys, eight, "--out", tmp_path / "out")
    assert code == 1
    assert "\n55555555  stands out\n  exp03_memory_coalescing cold: 2.0" in text and text.count("stands out") == 1
    assert "55555555:+" in (tmp_path / "out/fleet.csv").read_text() and not (eight / "fleet.csv").exists()


@pytest.mark.parametrize("change", [{"gpu": "NVIDIA H100"}, {"driver": "570.1"}, {"isa_hash": "other"}])
def test_boards_that_are_not_alike_are_never_averaged(change: dict, eight: Path, capsys: pytest.CaptureFixture) -> None:
    """Three of them are half as fast as the eight, and as each other."""
    for name in ("aaaaaaaa", "bbbbbbbb", "cccccccc"):
        add_board(eight, name, 2.0, **change)
    code, text = run(capsys, eight)
    assert code == 0, text
    assert text.count("like the others") == 8 and text.count("not compared") >= 3
    (group,) = [line for line in text.splitlines() if "3 boards (aaaaaaaa" in line or "compared apart" in line]
    assert next(iter(change.values())) in group or "are compared apart: 1" in group or "of exp03" in group
    with open(eight / "fleet.csv", newline="") as file:
        counts = [row["boards"] for row in csv.DictReader(file)]
    assert set(counts) == {"8", "3"}


def cut_short(fleet_: Path) -> None:
    path = fleet_ / f"boards/33333333/run2/{EXP}.csv"
    path.write_text(path.read_text()[:-5])


def of_another_gpu(fleet_: Path) -> None:
    shutil.copytree(fleet_ / "boards/44444444/run1", fleet_ / "boards/33333333/run3")


def with_a_failed_row(fleet_: Path) -> None:
    made = rows(random.Random(1), gpu_uuid="33333333")
    made[3] |= {"status": "failed", "reason": "wrong at 7", **dict.fromkeys(("device_ns", "device_ns_lo", "device_ns_hi"), "")}
    synthetic.write(fleet_ / "boards/33333333/run3", EXP, made)


def killed(fleet_: Path) -> None:
    (fleet_ / "boards/33333333/lock").write_text("task 12_3 on n7\n")


def without_runs(fleet_: Path) -> None:
    shutil.rmtree(fleet_ / "boards/33333333/run1")
    shutil.rmtree(fleet_ / "boards/33333333/run2")


def with_a_state_that_is_none(fleet_: Path) -> None:
    (fleet_ / "boards/33333333/board.csv").write_text("when,host,throttle_reasons\nbefore,n1,0x0\nafter,n1,some heat\n")  # not: no reason


@pytest.mark.parametrize(
    ("damage", "words"),
    [(cut_short, "cut short"), (of_another_gpu, "results of another GPU, '44444444-"), (with_a_failed_row, "1 rows failed"), (killed, "has not completed it"),
     (without_runs, "no run"), (with_a_state_that_is_none, "throttle_reasons is 'some heat', not hexadecimal")],
)  # fmt: skip
def test_what_is_wrong_with_a_board_is_named_and_the_rest_is_judged(eight: Path, capsys: pytest.CaptureFixture, damage: Callable[[Path], None], words: str) -> None:
    damage(eight)
    code, text = run(capsys, eight)
    assert code == 1 and "\n33333333  wrong\n" in text and words in text and text.count("like the others") == 7


def test_of_loaded_results_it_is_the_same(eight: Path) -> None:
    (eight / "boards/33333333/board.csv").write_text(STATE)
    (eight / "boards/44444444/lock").write_text("task 12_3 on n7\n")
    untimed = {EXP: Analysis(compares_times=False)}
    read, loaded = fleet.load([eight], untimed), fleet.of(Study.of(results.load(eight), untimed))
    assert (loaded.boards, loaded.entries, loaded.problems) == (read.boards, read.entries, read.problems) and not read.entries
    assert fleet.of(Study.of(results.load(eight), {})).entries == fleet.load([eight], {}).entries != {}


def test_classes_are_those_of_the_worklog(eight: Path) -> None:
    """What stays inside an SM is a class of its own, and so is what the host times."""
    inside = {EXP: Analysis(inside_sm=["read_same"])}
    found, study = fleet.load([eight], inside), Study.of(results.load(eight), inside)
    table = study.tables[EXP]
    by_key = {frozenset(entry.key.cells): entry.class_name for entry in found.entries.values()}
    assert by_key and by_key == {frozenset((name, value) for name, value in case.cells if value): table.class_of(case) for case in table.cases}
    entry = next(iter(found.entries.values()))
    assert dataclasses.replace(entry, hosted=True).class_name == HOST


def test_a_task_that_was_killed(eight: Path, capsys: pytest.CaptureFixture) -> None:
    (eight / "boards/33333333/lock").write_text("task 12_3 on n7\n")
    assert "33333333  wrong\n  scripts/fleet.sh has not completed it" in run(capsys, eight)[1]
    (eight / "boards/33333333/complete").write_text("task 12_3 on n7\n")
    assert run(capsys, eight)[0] == 0


STATE = "when,time,host,uuid,name,driver,sm_mhz,power_w,temperature_c,ecc_corrected,ecc_uncorrected,throttle_reasons,hw_thermal_us\n"


@pytest.mark.parametrize(
    ("before", "after", "wrong"),
    [
        ("0,0,0x0000000000000001,7", "3,0,0x0000000000000004,7", ""),  # idle, power cap
        ("0,0,0x0000000000000001,", "0,2,0x0000000000000000,", "2 uncorrected ECC errors after the runs"),
        ("0,0,0x0000000000000048,", ",,,", "hardware slowdown, hardware thermal slowdown before the runs"),
        ("0,0,0x0000000000000001,7", "0,0,0x0000000000000000,1500007", "hardware thermal slowdown for 1.5 s in the runs"),
    ],
)
def test_a_boards_state(before: str, after: str, wrong: str, eight: Path, capsys: pytest.CaptureFixture) -> None:
    lines = [f"{when},t,node7,{NAMES[2]},NVIDIA H200,580,1980,{watts},60,{rest}\n" for when, watts, rest in
             (("before", "80", before), ("after", "650", after))]  # fmt: skip
    (eight / "boards/33333333/board.csv").write_text(STATE + "".join(lines))
    code, text = run(capsys, eight)
    assert code == bool(wrong) and wrong in text
    page = (eight / "fleet.md").read_text()
    assert "| node7 |" in page and "| 80 to 650 | 60 |" in page
    assert "by nvidia-smi: 11111111, 22222222, 44444444," in page


# -------------------------------------------------------------------------------------------------------------------- gate


@pytest.fixture
def node(tmp_path: Path) -> Path:
    """One short run on a further board."""
    add_board(tmp_path / "node", "99999999", runs=1)
    return tmp_path / "node"


def test_a_node_like_the_fleet_passes(eight: Path, node: Path, capsys: pytest.CaptureFixture) -> None:
    before = sorted(eight.rglob("*"))
    code, text = run(capsys, "--gate", eight, node)
    assert code == 0 and text.startswith("PASS 99999999: ") and sorted(eight.rglob("*")) == before


def test_a_pass_by_few_cases_would_say_little(eight: Path, node: Path, capsys: pytest.CaptureFixture) -> None:
    """The node has run other sizes."""
    made = rows(random.Random(7), gpu_uuid="99999999")
    synthetic.write(node / "boards/99999999/run1", EXP, [row | {"elements": row["elements"] * (3 if at % 3 else 1)} for at, row in enumerate(made)])
    code, text = run(capsys, "--gate", eight, node)
    assert code == 1 and "too few cases in common" in text and "cases not compared: not in the baseline" in text


def test_a_slow_node_fails_and_a_fast_one_is_said(eight: Path, node: Path, capsys: pytest.CaptureFixture) -> None:
    add_board(node, "99999999", 1.02, runs=1)
    code, text = run(capsys, "--gate", eight, node)
    assert code == 1 and text.startswith("FAIL 99999999: ") and "cold: 2.0" in text and "% slower in the middle of" in text
    add_board(node, "99999999", 0.98, runs=1)
    code, text = run(capsys, "--gate", eight, node)
    assert code == 0 and "(no failure) exp03_memory_coalescing cold: 2.0" in text and "% faster" in text


def test_a_board_of_the_fleet_is_not_compared_with_itself(eight: Path, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """It has been slow all along."""
    add_board(eight, NAMES[4], 1.02)
    add_board(tmp_path / "again", NAMES[4], 1.02, runs=1, seed=1)
    assert run(capsys, "--gate", eight, tmp_path / "again")[0] == 1
    for name in NAMES[5:]:
        add_board(tmp_path / "few", name)
    add_board(tmp_path / "few", NAMES[4])
    code, text = run(capsys, "--gate", tmp_path / "few", tmp_path / "again")
    assert code == 1 and "nothing to compare" in text and "on too few other boards there" in text


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"driver": "570.1"}, "another driver: 570.1 here, 580.159.04 in the baseline"),
        ({"gpu": "NVIDIA H100"}, "another model: NVIDIA H100 here, NVIDIA H200 in the baseline"),
        ({"isa_hash": "other"}, "nothing to compare with the baseline"),
    ],
)
def test_a_node_that_cannot_be_compared_fails(change: dict, words: str, eight: Path, node: Path, capsys: pytest.CaptureFixture) -> None:
    add_board(node, "99999999", runs=1, **change)
    code, text = run(capsys, "--gate", eight, node)
    assert code == 1 and words in text and "cases not compared: " in text


def test_a_node_without_a_result_of_an_experiment_fails(eight: Path, node: Path, capsys: pytest.CaptureFixture) -> None:
    for name in NAMES:
        cells = {"gpu_uuid": f"{name}-0", "isa_hash": "abc"}
        synthetic.write(eight / f"boards/{name}/run1", "exp01_vector_add", [row | cells for row in synthetic.exp01_rows()])
    code, text = run(capsys, "--gate", eight, node)
    assert code == 1 and "no result of exp01_vector_add" in text
    assert run(capsys, "--gate", eight, node, "--only", "exp03")[0] == 0
    assert run(capsys, "--gate", eight, node, "--only", "exp99")[0] == 2
