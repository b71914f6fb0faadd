"""The rooms of the library and of the scripts: each includes or imports only the ones before it."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import rooms
from rooms import BENCHLIB, CORE, REPO, included, imported


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


def test_no_room_of_the_library_includes_a_later_one() -> None:
    assert _backward(REPO / "common/core", CORE, ("*.h", "*.cpp", "*.cuh"), included) == []


def test_no_room_of_the_scripts_imports_a_later_one() -> None:
    assert _backward(REPO / "scripts/benchlib", BENCHLIB, ("*.py",), imported) == []


def test_no_script_imports_another() -> None:
    """What two of them need is benchlib's."""
    assert {path.name: found for path in (REPO / "scripts").glob("*.py") if (found := _scripts_imported(path))} == {}


def test_a_script_that_imports_another_is_found(tmp_path: Path) -> None:
    for name, text in {"a.py": "import argparse, b", "b.py": "from benchlib.base import files", "c.py": "def f():\n    from a import f"}.items():
        (tmp_path / name).write_text(text)
    assert [_scripts_imported(tmp_path / name) for name in ("a.py", "b.py", "c.py")] == [{"b"}, set(), {"a"}]


def test_a_backward_arrow_is_found(tmp_path: Path) -> None:
    for name, text in {"base/a.h": '#include "core/run/b.h"', "run/b.h": '# include "core/base/a.h"', "base/c.py": "def f():\n    from benchlib import run"}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert _backward(tmp_path, ("base", "run"), ("*.h",), included) == ["base/a.h -> run"]
    assert _backward(tmp_path, ("base", "run"), ("*.py",), imported) == ["base/c.py -> run"]


def test_the_picture_is_drawn_from_the_sources() -> None:
    assert rooms.PICTURE.read_text(encoding="utf-8") == rooms.picture(), "scripts/tests/rooms.py draws it anew"
    assert 'class="back"' not in rooms.picture() and rooms.picture().count('class="down"') > 40


def test_an_arrow_that_runs_back_is_drawn_as_one() -> None:
    drawn = rooms.part("x", ("base", "run"), {("run", "base"), ("base", "run")}, "includes", 0)
    assert [line.split("<title>")[1] for line in drawn if 'class="back"' in line] == ["base includes run</title></path>"]
    assert sum('class="down"' in line for line in drawn) == 1


def test_every_room_says_what_it_is_for() -> None:
    listed = re.findall(r"^  # ([a-z]+)/: .+\.$", (REPO / "common/core/CMakeLists.txt").read_text(), re.MULTILINE)
    assert tuple(listed) == CORE
    for room in BENCHLIB:
        text = ast.get_docstring(ast.parse((REPO / "scripts/benchlib" / room / "__init__.py").read_text())) or ""
        assert 2 <= len(text.splitlines()) <= 10, room
    for folder, order in (("common/core", CORE), ("scripts/benchlib", BENCHLIB)):
        assert {path.name for path in (REPO / folder).iterdir() if path.is_dir() and path.name != "__pycache__"} == set(order)
