"""The pages that people read: their links, their commands, and what the package has."""

from __future__ import annotations

import csv
import itertools
import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest

from benchlib.document import markdown

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^(```|~~~).*?^\1\s*?$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^)\s]+)\)")


def pages() -> list[Path]:
    """All of the repository, written or generated; not what is built."""
    found = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("exp*/**/*.md"), *ROOT.glob("results/**/*.md")]
    return sorted(path for path in found if "build" not in path.relative_to(ROOT).parts)


def is_listing(path: Path) -> bool:
    """One of the hundreds of pages with two listings."""
    return path.parent.parent.name == "sass"


def names(paths: list[Path]) -> list[str]:
    return [path.relative_to(ROOT).as_posix() for path in paths]


@cache
def prose(path: Path) -> str:
    """The page without its blocks of code."""
    return FENCE.sub("", path.read_text(encoding="utf-8"))


@cache
def anchors(path: Path) -> frozenset[str]:
    headings = re.findall(r"^#{1,6} (.*)$", prose(path), re.MULTILINE)
    named = re.findall(r'<a id="([\w-]+)"></a>', prose(path))
    return frozenset(named + anchors_of([re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*]|\\(?=\W)", r"\1", heading) for heading in headings]))


def anchors_of(headings: Iterable[str]) -> list[str]:
    """As GitHub makes them of one file's headings: the second of a name gets -1, the third -2."""
    seen: Counter[str] = Counter()
    found = []
    for base in map(markdown.slug, headings):
        found.append(f"{base}-{seen[base]}" if seen[base] else base)
        seen[base] += 1
    return found


def broken(path: Path, text: str) -> list[str]:
    """The links of the text, which stands in `path`, that lead nowhere in the repository."""
    wrong = []
    for target in LINK.findall(re.sub(r"`[^`\n]*`", "", text)):
        file, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        there = (path.parent / unquote(file)).resolve() if file else path
        if not there.exists() or anchor and there.suffix == ".md" and anchor not in anchors(there):
            wrong.append(target)
    return wrong


@pytest.mark.parametrize("name", names([path for path in pages() if not is_listing(path)]))
def test_links_lead_somewhere(name: str) -> None:
    assert not broken(ROOT / name, prose(ROOT / name))


@pytest.mark.parametrize("folder", sorted({path.parent for path in pages() if is_listing(path)}), ids=lambda path: path.name)
def test_links_of_listings_lead_somewhere(folder: Path) -> None:
    assert {path.name: wrong for path in folder.glob("*.md") if (wrong := broken(path, prose(path)))} == {}


def test_claims_name_files_that_are_there() -> None:
    missing = []
    for path in ROOT.glob("results/*/claims.csv"):
        for row in csv.DictReader(path.read_text(encoding="utf-8").splitlines()):
            links = "".join(f"[]({target})" for target in row["evidence"].split("; ") if target)
            missing += [(row["id"], target) for target in broken(path, links)]
    assert missing == []


def test_a_broken_link_is_found() -> None:
    page = ROOT / "README.md"
    text = "[a](nowhere.md) [b](docs/METHOD.md#nowhere) [c](#nowhere) [d](docs/METHOD.md#method) [e](LICENSE) [f](https://x.example/y)"
    assert broken(page, text) == ["nowhere.md", "docs/METHOD.md#nowhere", "#nowhere"]


COMMANDS = {name: f"scripts/benchlib/runner/{name.removesuffix('.sh')}_command.py" for name in ("run.sh", "fleet.sh")}  # what they start


def unknown_options(text: str) -> list[str]:
    """The options in commands that begin with scripts/ and that the script does not have. Behind `--` stand a program's."""
    wrong = []
    for name, rest in re.findall(r"\bscripts/(\w+\.(?:py|sh))((?: [^\s`#&|;]+)+)", text):
        options = itertools.takewhile(lambda word: word != "--", rest.split())
        source = (ROOT / COMMANDS.get(name, f"scripts/{name}")).read_text(encoding="utf-8")
        wrong += [f"{name} {word}" for word in options if word.startswith("--") and word.split("=")[0] not in source]
    return wrong


@pytest.mark.parametrize("name", names([path for path in pages() if not path.is_relative_to(ROOT / "results")]))
def test_commands_have_options_that_there_are(name: str) -> None:
    assert unknown_options((ROOT / name).read_text(encoding="utf-8")) == []


def test_an_unknown_option_is_found() -> None:
    assert unknown_options("scripts/worklog.py --check x\nscripts/run.sh --only a -- --nope `scripts/dump_sass.py --experiment x`") == ["dump_sass.py --experiment"]


def test_the_package_has_what_its_scripts_name() -> None:
    installed = {*re.findall(r"scripts/\w+\.(?:py|sh|sbatch)", (ROOT / "cmake/Package.cmake").read_text(encoding="utf-8"))}
    sources = [*(ROOT / name for name in installed), *(ROOT / "scripts/benchlib").rglob("*.py")]
    named = {name for source in sources for name in re.findall(r"scripts/\w+\.(?:py|sh)", source.read_text(encoding="utf-8")) if (ROOT / name).is_file()}
    of_a_checkout = {"scripts/claims_lock.py", "scripts/published.py", "scripts/release.py", "scripts/spread.py", "scripts/test.sh", "scripts/twins.py"}
    assert len(named) > 8 and sorted(named - installed - of_a_checkout) == []
