"""The pages of machine code that git keeps: those of their listings, with links to their sources."""

from __future__ import annotations

import lzma
import re
import subprocess
from pathlib import Path

import dump_sass
import pytest

from benchlib.sass import kernel_sources

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "results/nvidia-h200"


def tracked(path: Path) -> bool:
    """Whether git keeps it: others are made on demand."""
    return not subprocess.run(["git", "-C", ROOT, "ls-files", "--error-unmatch", path], capture_output=True, check=False).returncode


KEPT = sorted(path for path in REFERENCE.glob("sass/*/*.md") if tracked(path))


def test_the_pages_that_are_kept_are_those_of_the_listings(tmp_path: Path) -> None:
    """--pages makes the same bytes from the listings, sass.csv and sass_twins.csv that are committed, and counts anew."""
    experiments = tuple({path.parent.name for path in KEPT})
    (tmp_path / "sass").mkdir()
    for name in ("sass.csv", "sass_twins.csv"):
        lines = lzma.decompress((REFERENCE / f"{name}.xz").read_bytes()).decode().splitlines()
        (tmp_path / name).write_text("\n".join([lines[0], *(line for line in lines if line.startswith(experiments))]) + "\n", encoding="utf-8")
    for experiment in experiments:
        for name in (experiment, f"{experiment}.tar.xz"):
            (tmp_path / "sass" / name).symlink_to(REFERENCE / "sass" / name)
    twins, counts = ((tmp_path / name).read_text(encoding="utf-8") for name in ("sass_twins.csv", "sass.csv"))
    (tmp_path / "sass.csv").write_text(re.sub(r"^(.*,cuda,sm_90a,\d+,\d+,\d+,)\d+,", r"\g<1>77,", counts, flags=re.MULTILINE), encoding="utf-8")
    made = dump_sass.pages_again(tmp_path, [], [path.stem for path in KEPT])
    pages = {path: made.get(tmp_path / path.relative_to(REFERENCE)) for path in KEPT}  # another experiment may have a kernel of that name
    assert KEPT and pages == {path: path.read_text(encoding="utf-8") for path in KEPT}
    assert made[tmp_path / "sass_twins.csv"] == twins and made[tmp_path / "sass.csv"] == counts


def test_what_is_linked_to_is_kept() -> None:
    """In git: a page that was made on demand hides a link that leads nowhere."""
    texts = [path.read_text(encoding="utf-8") for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("exp*/**/*.md"))]
    linked = {match for text in texts for match in re.findall(r"\]\((?:\.\./)*(results/[^/)]+/sass/exp[^)#]+\.md)", text)}
    assert linked <= {path.relative_to(ROOT).as_posix() for path in KEPT}


@pytest.mark.parametrize(
    ("kernel", "api", "file"),
    [
        ("exp01_vector_add add_f32", "cuda", "exp01_vector_add/cuda/add_f32.cu"),
        ("exp01_vector_add add_f32.disabled", "vulkan", "exp01_vector_add/glsl/add_f32.comp"),  # a further build of it
        ("exp01_vector_add copy_tile_4", "cuda", "exp01_vector_add/cuda/copy_tile.cu"),  # one of a file's entry points
        ("exp04_bda copy_f32_address", "vulkan", "exp04_bda/glsl/copy_f32.glsl"),  # a line of CMakeLists.txt
        ("exp04_bda copy_f32_volatile", "cuda", "exp04_bda/cuda/copy_f32.cu"),
        ("exp06_litmus mp_relaxed", "cuda", "exp06_memory_model/litmus/cuda/mp.cu"),  # a macro makes the name
        ("exp09_atomics global_add_f32", "vulkan", "exp09_inside_a_workgroup/atomics/glsl/atomic.glsl"),  # a loop in CMakeLists.txt makes the line
        ("exp01_vector_add ../secret", "cuda", "exp01_vector_add/cuda"),
    ],
)
def test_where_a_kernel_is_written(kernel: str, api: str, file: str) -> None:
    experiment, name = kernel.split()
    assert kernel_sources.source(ROOT, experiment, name, api) == Path(file)
    assert kernel_sources.source(ROOT, "exp99_none", name, api) is None
