"""The rooms of the library and of the scripts: each includes or imports only the ones before it."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import rooms
from rooms import BENCHLIB, CPP, PARTS, REPO, imported, included



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
