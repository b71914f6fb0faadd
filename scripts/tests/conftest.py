"""Makes scripts/ importable, a small repository with results, and what copies of the scripts start with."""

import compileall
import gc
import shutil
import signal
import sys
from pathlib import Path

import pytest

from thorough import THOROUGH

SCRIPTS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(SCRIPTS))

from benchlib.stats.spreads import Atom, Spread  # noqa: E402  # only now it can be found

# Cases that repeat to the last digit, unless their runs differ; boards then differ as much as runs do.
DEVIATIONS = [2.0**at for at in range(-14, 1)]
QUIET = Spread([Atom(0.99, 1e-12, 1e-12), *(Atom(0.01 / len(DEVIATIONS), one**2, one**2) for one in DEVIATIONS)])
# Files whose tests share nothing: each test runs by itself. The long ones come first; the short ones last, so that all processes end
# together, and of these first what waits. The others' tests stay together, for what they share is made once in a process: those of the
# committed results in one group, those of the sets of test_any_gpu.py in one each. Of these, too, the long ones come first.
FIRST = ["test_new_experiment.py", "test_test_sh.py"]
LAST = ["test_hand_in.py", "test_run_sh.py", "test_fleet_sh.py", "test_setup_sh.py", "test_faults.py", "test_damaged_input.py"]
OF_COMMITTED = ["test_groups.py", "test_same_work.py", "test_effect.py", "test_claims_planted.py", "test_summary.py"]
LONG = ["test_sass_golden.py", "test_any_gpu.py", "test_report.py", "test_sass_same_work.py", "test_sass_memory_model.py", "test_sass_inside_a_workgroup.py",
        "test_fleet.py", "test_spirv_interface.py", "test_prose.py", "test_golden.py", "test_compare.py"]  # fmt: skip


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    left = [] if THOROUGH else [item for item in items if item.get_closest_marker("thorough")]
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if item not in left]
    places = {name: at for at, name in enumerate([*FIRST, *OF_COMMITTED, *LONG, "", *LAST])}
    items.sort(key=lambda item: places.get(item.path.name, places[""]))
    for item in items:
        if item.path.name not in (*FIRST, *LAST):
            of_set = item.callspec.params.get("found", "") if item.path.name == "test_any_gpu.py" and hasattr(item, "callspec") else ""
            item.add_marker(pytest.mark.xdist_group("committed" if item.path.name in OF_COMMITTED else f"{item.path.stem} {of_set}"))


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """What the tests of the committed results have shared goes with the last of them: it is half a gigabyte."""
    if item.path.name in OF_COMMITTED and (nextitem is None or nextitem.path.name not in OF_COMMITTED):
        import analyses

        analyses.forget()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-golden", action="store_true", help="test_golden.py: write what it finds instead of failing")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "real_forms: columns of origin have the forms that programs write")
    config.addinivalue_line("markers", "real_least_runs: as many runs are asked for a verdict as outside the tests")
    config.addinivalue_line("markers", "thorough: only in scripts/test.sh --all, for it takes long and hardly anything breaks it alone")
    config.addinivalue_line("markers", "xdist_group(name): tests that one process runs (pytest-xdist, where it is there)")


# What tests share is large and stays: to search it for cycles again and again took a fifth of the time.
gc.set_threshold(50_000, 10, 10)
# In the background of a shell that has no job control SIGINT is ignored, which every program from here on would inherit.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def one_run_decides(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Most tests' results are of one run, whose own interval then stands for that of several. Tests of what too few runs mean say so."""
    if "real_least_runs" not in request.keywords:
        monkeypatch.setattr("benchlib.stats.stats.MIN_RUNS", 1)
        monkeypatch.setattr("benchlib.stats.estimate.MIN_RUNS", 1)
        monkeypatch.setattr("benchlib.stats.spreads.committed", lambda of, name: QUIET)


# Codes, commits and GPUs have short names in most tests.
from benchlib.results import schema  # noqa: E402

FORMS, schema.FORMS = schema.FORMS, {}


@pytest.fixture(autouse=True)
def forms(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "real_forms" in request.keywords:
        monkeypatch.setattr(schema, "FORMS", FORMS)


@pytest.fixture(autouse=True)
def gpu_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that run side by side measure on GPUs of their own, all of one UUID."""
    monkeypatch.setenv("BENCH_LOCK_DIR", str(tmp_path))


@pytest.fixture(scope="session")
def runner_rooms(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A benchlib of the rooms that run.sh and fleet.sh need, compiled: to be copied."""
    made = tmp_path_factory.mktemp("rooms") / "benchlib"
    for room in ("base", "stats", "results", "runner"):
        shutil.copytree(SCRIPTS / "benchlib" / room, made / room, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(SCRIPTS / "benchlib/__init__.py", made)
    compileall.compile_dir(made, quiet=1)
    return made


@pytest.fixture(scope="session")
def empty_jinja2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for PYTHONPATH. The scripts look for jinja2 by importing it, which takes longer than the stand-ins that they start."""
    made = tmp_path_factory.mktemp("modules")
    (made / "jinja2.py").touch()
    return made


@pytest.fixture(scope="session")
def made_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `root` is a copy of."""
    import synthetic

    return synthetic.repository(tmp_path_factory.mktemp("root"))


@pytest.fixture
def root(tmp_path: Path, made_root: Path) -> Path:
    """A repository with this one's claims and analyses, and results of its experiments for the reference GPU."""
    return shutil.copytree(made_root, tmp_path, dirs_exist_ok=True)
