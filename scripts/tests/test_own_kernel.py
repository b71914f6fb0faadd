"""The page of a user's own two kernels, from rows that are made here, and from two shaders that run where there is a Vulkan device."""

import csv
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from test_dump_sass import CODE, LOAD, entry, tool, words, write_dump  # noqa: F401  # a fixture: tool

from benchlib.base.errors import InputError
from benchlib.document import markdown
from benchlib.tables import own_kernel

REPO = Path(__file__).resolve().parents[2]
SCRIPT = REPO / "scripts/own_kernel.py"
HEADER = [
    "variant", "api", "status", "reason", "side", "sizes", "checks", "process", "cache",
    "device_ns", "device_ns_lo", "device_ns_hi", "fixed_ns", "gbps", "peak_pct",
]  # fmt: skip


def row(side: str, process: int, ns: float, *, checks: str = "", status: str = "ok", fixed: float = 1000, cache: str = "warm") -> dict[str, object]:
    return {
        "variant": "saxpy", "api": "cuda" if side == "CUDA" else "vulkan", "status": status, "reason": "", "side": side, "sizes": "n = 8", "checks": checks,
        "process": process, "cache": cache, "device_ns": ns, "device_ns_lo": ns * 0.9995, "device_ns_hi": ns * 1.0005, "fixed_ns": fixed, "gbps": 5, "peak_pct": "",
    }  # fmt: skip


def write(folder: Path, rows: Sequence[dict[str, object]], gpu: str = "NVIDIA H200") -> Path:
    with (folder / "rows.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, HEADER, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    sides = [{"side": side, "api": side.lower(), "files": [f"saxpy.{end}"], "compiled_by": ""} for side, end in (("CUDA", "cu"), ("Vulkan", "comp"))]
    result = {"schema": 1, "name": "saxpy", "file": "saxpy.toml", "gpu": gpu, "driver": "580.1", "faults": [], "notes": ["a note"], "sides": sides, "cases": []}
    (folder / "result.json").write_text(json.dumps(result))
    return folder


def both(ratios: Sequence[float], ns: float = 100_000, **more: object) -> list[dict[str, object]]:
    return [each for process, ratio in enumerate(ratios, 1) for each in (row("CUDA", process, ns, **more), row("Vulkan", process, ns * ratio, **more))]  # type: ignore[arg-type]


def test_the_verdict_is_the_worklogs(tmp_path: Path) -> None:
    """By the estimator, which knows what runs differ by: three equal processes decide, and three that differ about the limit do not."""
    for ratios, verdict in (((1.2, 1.2, 1.2), "SLOWER"), ((0.8, 0.8, 0.8), "FASTER"), ((1.0, 1.0, 1.0), "SAME"), ((0.99, 1.04, 1.01), "UNCLEAR")):
        [pair] = own_kernel.read(write(tmp_path, both(ratios))).pairs
        assert pair.verdict == verdict, ratios
        assert pair.effect.lo is not None and pair.effect.lo < ratios[0] < (pair.effect.hi or 0)


@pytest.mark.parametrize(
    ("key", "value"),
    [("schema", 2), ("name", None), ("gpu", None), ("driver", 5), ("file", []), ("faults", "abc"), ("sides", 5), ("sides", []), ("sides", [3]), ("files", 3), ("files", [3]), ("files", []), ("compiled_by", None)],
)
def test_a_damaged_result_is_one_line(tmp_path: Path, key: str, value: object) -> None:
    path = write(tmp_path, both((1.0,))) / "result.json"
    result = json.loads(path.read_text())
    table = result["sides"][0] if key in ("files", "compiled_by") else result
    table[key] = value
    path.write_text(json.dumps(result))
    with pytest.raises(InputError, match=key):
        own_kernel.read(tmp_path)


@pytest.mark.parametrize(("column", "value"), [("device_ns", "1e999"), ("device_ns", "abc"), ("device_ns", ""), ("device_ns", "-1"), ("process", "x"), ("gbps", "nan"), ("fixed_ns", "?")])
def test_a_damaged_row_is_one_line(tmp_path: Path, column: str, value: str) -> None:
    rows = both((1.0,))
    rows[1][column] = value
    with pytest.raises(InputError, match=column):
        own_kernel.read(write(tmp_path, rows))


def test_a_source_is_a_file_of_some_size(tmp_path: Path) -> None:
    """Another machine's result may name what never ends here."""
    (tmp_path / "saxpy.toml").symlink_to("/dev/zero")
    (tmp_path / "saxpy.cu").write_text("x" * (own_kernel.MOST_SOURCE_BYTES + 1))
    own = own_kernel.read(write(tmp_path, both((1.0,))))
    own.result["file"] = str(tmp_path / "saxpy.toml")  # type: ignore[index]
    own.result["sides"][0]["files"] = [str(tmp_path / "saxpy.cu")]  # type: ignore[index]
    assert not own_kernel._sources(own)


def test_a_step_is_called_by_the_files_of_both_sides(tmp_path: Path) -> None:
    own = own_kernel.read(write(tmp_path, both((1.0,))))
    for side, files in zip(own.result["sides"], (["a.cu", "b.cu"], ["a.comp", "c.comp", "d.comp"])):  # type: ignore[call-overload]
        side["files"] = files
    assert [own_kernel._name_of(own, step) for step in (1, 2, 3)] == ["step 1 (a)", "step 2 (b and c)", "step 3 (d)"]


def test_what_the_launch_explains_is_fixed_cost(tmp_path: Path) -> None:
    rows = both((1.2, 1.2, 1.2), ns=10_000)
    for each in rows:
        each["fixed_ns"] = 4000 if each["side"] == "Vulkan" else 2000
    [pair] = own_kernel.read(write(tmp_path, rows)).pairs
    assert pair.verdict == "FIXED COST"


def test_a_process_with_one_side_is_no_pair(tmp_path: Path) -> None:
    rows = [*both((1.5, 1.5)), row("CUDA", 3, 100_000), row("Vulkan", 3, 1, status="failed")]
    [pair] = own_kernel.read(write(tmp_path, rows)).pairs
    assert len(pair.ratios) == 2


def test_a_software_device_decides_nothing(tmp_path: Path) -> None:
    own = own_kernel.read(write(tmp_path, both((1.5, 1.5, 1.5)), gpu="llvmpipe (LLVM 15)"))
    assert own_kernel.sentence(own, own.pairs[0]) == "n = 8, warm: CUDA and Vulkan gave the same outputs on this software device, whose times say nothing about GPUs."
    text = markdown.render(own_kernel.page(own, None, ""))
    assert "SLOWER" not in text
    assert "1.5" not in text and "ratio [" not in text, "no ratio of times in any form"
    assert "Account of the gap" not in text


def test_the_end_is_short_and_slower_may_fail(tmp_path: Path) -> None:
    write(tmp_path, both((1.5, 1.5, 1.5)))
    for more, code in (([], 0), (["--fail-on", "slower"], 1)):
        done = subprocess.run([sys.executable, SCRIPT, tmp_path, *more], capture_output=True, text=True)
        assert done.returncode == code, done.stderr
        assert len(done.stdout.splitlines()) <= 15
    assert "Vulkan is 50.0 % slower than CUDA." in done.stdout
    assert (tmp_path / "page.md").is_file()
    html = (tmp_path / "page.html").read_text()
    assert "<h1>saxpy: CUDA and Vulkan</h1>" in html
    assert "Vulkan is 50.0" in html and "slower than CUDA.</li>" in html
    write(tmp_path, [row("CUDA", 1, 1, status="skipped")])
    assert subprocess.run([sys.executable, SCRIPT, tmp_path], capture_output=True).returncode == 77


def test_what_is_no_result_is_bad_input(tmp_path: Path) -> None:
    write(tmp_path, both((1,)))
    (tmp_path / "result.json").write_text("{}")
    with pytest.raises(InputError, match="no result of own_kernel"):
        own_kernel.read(tmp_path)


def test_two_shaders_from_the_file_to_the_page(tmp_path: Path) -> None:
    programs = [path for path in REPO.glob("build/*/bin/own_kernel") if path.is_file()]
    if not programs:
        pytest.skip("own_kernel is not built")
    newest = max(programs, key=lambda path: path.stat().st_mtime)
    example = tmp_path / "of-ada/scale_shaders.toml"
    shutil.copytree(REPO / "own_kernel/examples/two_glsl_versions", example.parent)
    out = tmp_path / "out"
    done = subprocess.run(
        [REPO / "scripts/run.sh", "--kernel", example, "--bin", newest.parent, "--out", out, "--runs", "1", "--", "--budget", "0.02"],
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    if done.returncode == 77:
        pytest.skip(done.stdout)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) <= 15
    page = (out / "page.md").read_text()
    assert page.startswith("# scale_shaders: one float and four floats\n")
    assert "| n = 65536, warm |" in page
    assert "scripts/run.sh --kernel scale_shaders.toml --runs 1 -- --budget 0.02\n" in page
    assert str(tmp_path) not in page + (out / "page.html").read_text()
    missing = subprocess.run([REPO / "scripts/run.sh", "--kernel", tmp_path / "nowhere.toml", "--no-build"], capture_output=True, text=True)
    assert missing.returncode == 2
    assert "there is no such file" in missing.stderr


def test_what_was_measured_before_stays_whatever_comes_of_the_new_measurement(tmp_path: Path) -> None:
    """A program that fails takes own_kernel's place."""
    program = tmp_path / "bin/own_kernel"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexit 2\n")
    program.chmod(0o755)
    (tmp_path / "saxpy.toml").write_text("")
    out = tmp_path / "out"
    out.mkdir()
    for content in ("first", "second"):
        (out / "rows.csv").write_text(content)
        (out / "isa").mkdir()
        command = [REPO / "scripts/run.sh", "--kernel", tmp_path / "saxpy.toml", "--bin", program.parent, "--no-build", "--out", out]
        assert subprocess.run(command, capture_output=True, check=False).returncode == 2
    assert [(out / f"earlier/{number}/rows.csv").read_text() for number in (1, 2)] == ["first", "second"]
    assert (out / "earlier/2/isa").is_dir() and not (out / "rows.csv").exists()


def test_two_kernels_are_not_measured_into_one_folder_at_once(tmp_path: Path) -> None:
    """Of two users of one checkout, or of two kernels of one name: the second is refused, and the first's rows stay where they are."""
    (tmp_path / "saxpy.toml").write_text("")
    program, out = tmp_path / "bin/own_kernel", tmp_path / "out"
    program.parent.mkdir()
    command = [REPO / "scripts/run.sh", "--kernel", tmp_path / "saxpy.toml", "--bin", program.parent, "--no-build", "--out", out]
    again = " ".join(f"'{word}'" for word in command)
    program.write_text(f"#!/bin/sh\n[ -e '{tmp_path}/began' ] && exit 1\ntouch '{tmp_path}/began'\necho mine >'{out}/rows.csv'\n{again} 2>'{tmp_path}/said'\nexit $?\n")
    program.chmod(0o755)
    assert subprocess.run(command, capture_output=True, check=False).returncode == 1
    assert "another run.sh" in (tmp_path / "said").read_text() and (out / "rows.csv").read_text() == "mine\n"
