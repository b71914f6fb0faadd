"""scripts/tests/from_nothing.sh with stand-ins for debootstrap and for what runs in the bare systems."""

import os
import pathlib
import shutil
import subprocess

import pytest

SCRIPTS = pathlib.Path(__file__).resolve().parents[1]
pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="from_nothing.sh needs root")

# Notes the system and the command. scripts/run.sh compiles what is newer than its object.
UNSHARE = """\
if [[ $* == '--mount true' ]]; then exit; fi
while [[ $1 != _ ]]; do shift; done
root=$2
shift 2
if [[ $1 == env ]]; then shift 3; fi
echo "${{root##*/}}: $*" >>"{log}"
cd "$root/root/suite" 2>/dev/null || exit 0
if [[ $1 == scripts/run.sh ]]; then
  mkdir -p build/release build/results
  [[ build/release/a.o -nt a.cpp ]] || {{ echo "${{root##*/}} compiles" >>"{log}"; touch build/release/a.o; }}
fi
[[ $* != *=broken* ]]
"""


@pytest.fixture
def suite(tmp_path: pathlib.Path) -> pathlib.Path:
    """A repository of one commit."""
    made = tmp_path / "suite"
    (made / "scripts/tests").mkdir(parents=True)
    shutil.copy(SCRIPTS / "lib.sh", made / "scripts")
    text = (SCRIPTS / "tests/from_nothing.sh").read_text()
    assert text.count("PATH=/opt/second/bin:") == 1
    (made / "scripts/tests/from_nothing.sh").write_text(text.replace("PATH=/opt/second/bin:", f"PATH={tmp_path}/tools:"))
    (made / "scripts/tests/from_nothing.sh").chmod(0o755)
    (made / ".gitignore").write_text("/build/\n")
    for name in ("CMakeLists.txt", "a.cpp"):
        (made / name).touch()
    commit(made)
    (tmp_path / "tools").mkdir()
    for name, body in (("debootstrap", 'mkdir -p "${@: -1}"/{etc,root}'), ("unshare", UNSHARE.format(log=tmp_path / "log"))):
        (tmp_path / "tools" / name).write_text(f"#!/bin/bash\n{body}\n")
        (tmp_path / "tools" / name).chmod(0o755)
    return made


def commit(suite: pathlib.Path) -> None:
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.example", "-C", suite]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "A commit"], check=True)


def trial(suite: pathlib.Path, *systems: str) -> tuple[subprocess.CompletedProcess[str], list[str]]:
    """With what ran in the systems."""
    log = suite.parent / "log"
    log.unlink(missing_ok=True)
    env = os.environ | {"PATH": f"{suite.parent}/tools:{os.environ['PATH']}"}
    done = subprocess.run([suite / "scripts/tests/from_nothing.sh", *systems], capture_output=True, text=True, timeout=60, env=env, check=False)
    return done, log.read_text().splitlines() if log.exists() else []


BORROWED = "begins with the build folders of bookworm\n"


def test_what_a_debian_built_is_not_built_again_beside_another_python(suite: pathlib.Path) -> None:
    done, ran = trial(suite, "bookworm", "bookworm-bare", "bookworm-old")
    assert done.returncode == 0, done.stderr
    assert [line for line in ran if "apt-get" not in line] == [
        "bookworm: scripts/run.sh", "bookworm compiles", "bookworm: scripts/test.sh",
        *(f"bookworm-{kind}: scripts/{name}.sh" for kind in ("bare", "old") for name in ("run", "test")),
    ]  # fmt: skip
    assert f"bookworm-bare {BORROWED}" in done.stdout and f"bookworm-old {BORROWED}" in done.stdout
    work = suite / "build/from_nothing"
    assert not (work / "bookworm-bare/opt/second/lib/python3.11/site-packages/sitecustomize.py").exists()
    assert "(3, 9, 2" in (work / "bookworm-old/opt/second/lib/python3.11/site-packages/sitecustomize.py").read_text()


def test_another_commit_is_built_anew(suite: pathlib.Path) -> None:
    assert trial(suite, "bookworm")[0].returncode == 0
    commit(suite)
    done, ran = trial(suite, "bookworm-bare")
    assert done.returncode == 0 and "bookworm-bare compiles" in ran and BORROWED not in done.stdout


def test_only_what_a_build_is_made_of_is_taken(suite: pathlib.Path) -> None:
    trial(suite, "bookworm")
    other = suite / "build/from_nothing/bookworm/root/suite/build"
    assert sorted(path.name for path in other.iterdir()) == ["release", "results"]
    (suite.parent / "tools/unshare").write_text("#!/bin/bash\n")
    trial(suite, "bookworm-bare")
    assert [path.name for path in (suite / "build/from_nothing/bookworm-bare/root/suite/build").iterdir()] == ["release"]


@pytest.mark.parametrize(("system", "package", "compiler"), [("trixie-gcc13", "g++-13", "g++-13"), ("trixie-clang", "clang", "clang++")])
def test_a_compiler_builds_and_runs_the_unit_tests(suite: pathlib.Path, system: str, package: str, compiler: str) -> None:
    done, ran = trial(suite, system)
    assert done.returncode == 0, done.stderr
    setup, install, build, unit = (line.removeprefix(f"{system}: ") for line in ran)
    assert setup == "scripts/setup.sh --dev" and install.startswith("apt-get install ") and install.endswith(f" {package}")
    assert f"--preset release -DCMAKE_CXX_COMPILER={compiler} -DBENCH_WERROR=ON -DBENCH_TESTS=ON && cmake --build" in build
    assert unit.startswith("ctest --test-dir build/release ") and "--no-tests=error --label-exclude smoke" in unit


def test_a_command_that_fails_is_a_line_and_the_exit_code(suite: pathlib.Path) -> None:
    script = suite / "scripts/tests/from_nothing.sh"
    script.write_text(script.read_text().replace("clang++'", "broken'"))
    done, ran = trial(suite, "trixie-clang", "trixie")
    assert done.returncode == 1 and ran[-1] == "trixie: scripts/test.sh"
    table = [line.split()[:3] for line in done.stdout.partition("\n\n")[2].splitlines()]
    assert ["trixie-clang", "build", "1"] in table and ["trixie-clang", "unit", "0"] in table and ["trixie", "test.sh", "0"] in table


def test_no_such_system(suite: pathlib.Path) -> None:
    done, ran = trial(suite, "trixie-icc")
    assert done.returncode == 2 and not ran and "unknown system trixie-icc; there are: bookworm bookworm-jinja2" in done.stderr
