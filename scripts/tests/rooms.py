#!/usr/bin/env python3
"""Who includes whom: the rooms of the library and of benchlib, read from their includes and imports, and drawn.

    scripts/tests/rooms.py        writes docs/rooms.svg, which test_rooms.py compares
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
PICTURE = REPO / "docs/rooms.svg"
# Each includes or imports only those before it.
CORE = ("base", "device", "code", "timing", "results", "experiment", "run")
CUDA = ("api", "memory", "launch", "measure", "counters", "device")
VULKAN = ("api", "memory", "launch", "measure", "device")
BENCHLIB = ("base", "stats", "results", "runner", "sass", "counters", "model", "claims", "fleet", "document", "tables", "pages")
CPP = ("*.h", "*.cpp", "*.cuh")
_INCLUDE = re.compile(r'^\s*#\s*include\s*"([a-z_]+)/([a-z_]+)/', re.MULTILINE)

Arrow = tuple[str, str]  # a room, and one that a file of it names


def included(source: Path) -> set[str]:
    """Rooms of the library that the file is in: core, cuda or vulkan. What kernels/ holds is every room's."""
    library = source.parts[-3]
    return {room for name, room in _INCLUDE.findall(source.read_text()) if name == library} - {"kernels"}


def imported(source: Path) -> set[str]:
    names = []
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names += [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
    return {name.split(".")[1] for name in names if name.startswith("benchlib.")}


def sources(folder: Path, patterns: Sequence[str]) -> list[Path]:
    """The files in rooms."""
    found = sorted(path for pattern in patterns for path in folder.rglob(pattern))
    return [path for path in found if len(path.relative_to(folder).parts) > 1 and path.parent.name != "kernels"]


def arrows(folder: Path, patterns: Sequence[str], named: Callable[[Path], set[str]]) -> set[Arrow]:
    places = ((source, source.relative_to(folder).parts[0]) for source in sources(folder, patterns))
    return {(room, other) for source, room in places for other in named(source) - {room}}


PARTS = (
    ("common/core", CORE, CPP, included, "includes"),
    ("common/cuda", CUDA, CPP, included, "includes"),
    ("common/vulkan", VULKAN, CPP, included, "includes"),
    ("scripts/benchlib", BENCHLIB, ("*.py",), imported, "imports"),
)

# ---------------------------------------------------------------------------------------------------------------- the drawing

STEP, BOX, BOX_HEIGHT, LEFT, TOP = 44, 118, 26, 64, 56  # px
COLUMN = 300  # of one part, across
BULGE = 17  # of an arrow, for each room that it passes
STYLE = (
    "svg{font:13px system-ui,sans-serif;color:#24292f}text{fill:currentColor}.room{fill:none;stroke:currentColor}"
    ".down{fill:none;stroke:#0072b2;stroke-width:1.5;stroke-opacity:.75}.back{fill:none;stroke:#d1242f;stroke-width:3}.head{fill:#0072b2}.title{font-weight:600}"
    "@media(prefers-color-scheme:dark){svg{color:#d0d7de}.down{stroke:#56b4e9}.head{fill:#56b4e9}}"
)


def part(title: str, rooms: Sequence[str], found: Iterable[Arrow], verb: str, left: int) -> list[str]:
    """The rooms from the last, at the top, to the first. An arrow runs down on the right; one that runs back would be red, on the left."""
    places = {room: TOP + STEP * at for at, room in enumerate(reversed(rooms))}
    drawn = [f'<text class="title" x="{left}" y="28">{title}</text>']
    for room, other in sorted(found, key=lambda arrow: [places[room] for room in arrow]):
        start, end = places[room] + BOX_HEIGHT * 2 // 3, places[other] + BOX_HEIGHT // 3
        back = end < start
        x = left if back else left + BOX
        bulge = BULGE * (abs(end - start) / STEP + 1) * (-1 if back else 1)
        curve = f"M{x} {start}C{x + bulge:.0f} {start} {x + bulge:.0f} {end} {x + (-5 if back else 5)} {end}"
        told = f"<title>{room} {verb} {other}</title>"
        drawn.append(f'<path class="{"back" if back else "down"}" marker-end="url(#head)" d="{curve}">{told}</path>')
    for room, y in places.items():
        drawn.append(f'<rect class="room" x="{left}" y="{y}" width="{BOX}" height="{BOX_HEIGHT}" rx="4"/>')
        drawn.append(f'<text x="{left + BOX // 2}" y="{y + 18}" text-anchor="middle">{room}</text>')
    return drawn


def picture() -> str:
    height = TOP + STEP * max(len(rooms) for _, rooms, *_ in PARTS)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {len(PARTS) * COLUMN + LEFT} {height}" width="{len(PARTS) * COLUMN + LEFT}" height="{height}">',
        "<title>The rooms of the library and of benchlib: each includes or imports only rooms below it</title>",
        f"<style>{STYLE}</style>",
        '<marker id="head" orient="auto" refX="5" refY="3" markerWidth="6" markerHeight="6" markerUnits="userSpaceOnUse">'
        '<path class="head" d="M0 0L6 3L0 6z"/></marker>',
    ]
    for at, (name, rooms, patterns, named, verb) in enumerate(PARTS):
        lines += part(name, rooms, arrows(REPO / name, patterns, named), verb, LEFT + at * COLUMN)
    return "\n".join([*lines, "</svg>"]) + "\n"


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
