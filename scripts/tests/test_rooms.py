"""The rooms of the library and of the scripts: each includes or imports only the ones before it."""

from __future__ import annotations

import ast
import re
import subprocess
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import rooms
from rooms import BENCHLIB, CPP, PARTS, REPO, imported, included

MOST_FILES = 25  # of a room


def _scripts_imported(source: Path) -> set[str]:
    """The scripts that one imports: a name that stands beside it."""
    names = set()
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
    return names & {path.stem for path in source.parent.glob("*.py")}


def _backward(folder: Path, order: Sequence[str], patterns: Sequence[str], named: Callable[[Path], set[str]]) -> list[str]:
    """What names a later room, or one that nobody knows: "run/x.cpp -> later"."""
    found = []
    for source in rooms.sources(folder, patterns):
        place = source.relative_to(folder)
        room = place.parts[0]
        earlier = order[: order.index(room) + 1] if room in order else [room]  # a new room names nothing until it has its place
        found += [f"{place} -> {room}" for room in sorted(named(source)) if room not in earlier]
    return found


@pytest.mark.parametrize(("folder", "order", "patterns", "named"), [part[:4] for part in PARTS], ids=[part[0] for part in PARTS])
def test_no_room_names_a_later_one(folder: str, order: Sequence[str], patterns: Sequence[str], named: Callable[[Path], set[str]]) -> None:
    assert _backward(REPO / folder, order, patterns, named) == []


def _libraries_included(folder: Path) -> set[str]:
    texts = (source.read_text() for source in rooms.sources(folder, CPP))
    return {name for text in texts for name in re.findall(r'^\s*#\s*include\s*"(core|cuda|vulkan)/', text, re.MULTILINE)} - {folder.name}


def test_the_libraries_include_only_downward() -> None:
    assert {name: _libraries_included(REPO / "common" / name) for name in ("core", "cuda", "vulkan")} == {"core": set(), "cuda": {"core"}, "vulkan": {"core"}}


def _files_of_rooms(repo: Path) -> dict[str, int]:
    """How many files each folder of the library and of the scripts holds itself, as git keeps them; tests apart."""
    command = ["git", "-C", str(repo), "ls-files", "--cached", "--others", "--exclude-standard", "common", "scripts"]
    kept = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return Counter(str(Path(name).parent) for name in kept if "tests" not in Path(name).parts and (repo / name).exists())


def test_no_room_is_crowded() -> None:
    assert {room: files for room, files in _files_of_rooms(REPO).items() if files > MOST_FILES} == {}


def test_a_crowded_room_is_found(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    for room, files in (("common/core/base", 26), ("common/tests", 40), ("scripts", 3)):
        (tmp_path / room).mkdir(parents=True)
        for at in range(files):
            (tmp_path / room / f"{at}.h").touch()
    assert _files_of_rooms(tmp_path) == {"common/core/base": 26, "scripts": 3}


# Markdown's tables, links, emphasis and fences, HTML's tags and comments.
_MARKUP = re.compile(r"^\| |\| ?---|\]\((?!\?)|\*\*\S|```|<!--|</?(a|b|code|details|div|em|li|p|pre|span|strong|summary|svg|table|td|tr|ul)\b")


def _markup(source: Path) -> list[str]:
    """What a file's texts hold of Markdown or HTML; its docstrings are no texts."""
    tree = ast.parse(source.read_text())
    told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told)
    return [text for text in texts if _MARKUP.search(text)]


def test_only_what_comes_after_the_models_writes_markdown_or_html() -> None:
    """A model computes, a page renders: document/ is the first room that knows how."""
    before = BENCHLIB[: BENCHLIB.index("document")]
    assert {"stats", "results", "model", "claims", "fleet"} <= set(before)
    sources = [source for room in before for source in (REPO / "scripts/benchlib" / room).glob("*.py")]
    assert {source.name: found for source in sources if (found := _markup(source))} == {}


def test_markup_in_a_model_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def f(x):\n    \"\"\"See [this](that).\"\"\"\n    return f'| {x} | 1 |', '<td class=a>', '[a](b)', 'a < b > c, a * b'")
    assert set(_markup(tmp_path / "a.py")) == {"| ", "<td class=a>", "[a](b)"}


def test_no_script_imports_another() -> None:
    """What two of them need is benchlib's."""
    assert {path.name: found for path in (REPO / "scripts").glob("*.py") if (found := _scripts_imported(path))} == {}


def test_a_script_that_imports_another_is_found(tmp_path: Path) -> None:
    for name, text in {"a.py": "import argparse, b", "b.py": "from benchlib.base import files", "c.py": "def f():\n    from a import f"}.items():
        (tmp_path / name).write_text(text)
    assert [_scripts_imported(tmp_path / name) for name in ("a.py", "b.py", "c.py")] == [{"b"}, set(), {"a"}]


def test_a_backward_arrow_is_found(tmp_path: Path) -> None:
    later = '#include "cuda/kernels/a.h"\n#include "vulkan/other/a.h"\n#include "cuda/run/b.h"'
    for name, text in {"base/a.h": later, "run/b.h": '# include "cuda/base/a.h"', "base/c.py": "def f():\n    from benchlib import run"}.items():
        (tmp_path / "cuda" / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / "cuda" / name).write_text(text)
    assert _backward(tmp_path / "cuda", ("base", "run"), ("*.h",), included) == ["base/a.h -> run"]
    assert _backward(tmp_path / "cuda", ("base", "run"), ("*.py",), imported) == ["base/c.py -> run"]


def test_the_picture_is_drawn_from_the_sources() -> None:
    assert rooms.PICTURE.read_text(encoding="utf-8") == rooms.picture(), "scripts/tests/rooms.py draws it anew"
    assert 'class="back"' not in rooms.picture() and rooms.picture().count('class="down"') > 40


def test_an_arrow_that_runs_back_is_drawn_as_one() -> None:
    drawn = rooms.part("x", ("base", "run"), {("run", "base"), ("base", "run")}, "includes", 0)
    assert [line.split("<title>")[1] for line in drawn if 'class="back"' in line] == ["base includes run</title></path>"]
    assert sum('class="down"' in line for line in drawn) == 1


def test_every_room_says_what_it_is_for() -> None:
    for folder, order, patterns, *_ in PARTS:
        if patterns == CPP:
            listed = re.findall(r"^ +# ([a-z]+)/: .+\.$", (REPO / folder / "CMakeLists.txt").read_text(), re.MULTILINE)
            assert tuple(listed) == order, folder
    for room in BENCHLIB:
        text = ast.get_docstring(ast.parse((REPO / "scripts/benchlib" / room / "__init__.py").read_text())) or ""
        assert 2 <= len(text.splitlines()) <= 10, room
    for folder, order, *_ in PARTS:
        assert {path.name for path in (REPO / folder).iterdir() if path.is_dir()} - {"__pycache__", "kernels"} == set(order)
