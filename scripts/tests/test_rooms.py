"""The rooms of the library and of the scripts: each includes or imports only the ones before it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import rooms
from rooms import CPP, PARTS, REPO, imported, included


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
