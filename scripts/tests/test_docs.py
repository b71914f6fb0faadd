"""The pages that people read: their links, how long the README is, and that every badge has a glossary entry."""

from __future__ import annotations

import csv
import html
import itertools
import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest
import report

from benchlib.base import programs
from benchlib.claims import claim_check, claims
from benchlib.document import markdown
from benchlib.fleet import comparison
from benchlib.stats import stats

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


def test_anchors_are_those_of_github() -> None:
    headings = ["Claims", "What is said, what it becomes, what it costs", "Claims", "exp06_peer", "Claims", "CUDA and Vulkan: a-b"]
    assert anchors_of(headings) == [
        "claims", "what-is-said-what-it-becomes-what-it-costs", "claims-1", "exp06_peer", "claims-2", "cuda-and-vulkan-a-b",
    ]  # fmt: skip


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
    assert unknown_options("scripts/worklog.py --check x\nscripts/run.sh --only a -- --nope `scripts/dump_sass.py --experiment x`") == [
        "dump_sass.py --experiment"
    ]


def words(text: str) -> int:
    """Of what is read: prose, lists, generated tables. Code blocks, comments, the addresses of links and a table's rules are none."""
    text = re.sub(r"<!--.*?-->|<a id=[^>]*></a>", "", FENCE.sub("", text), flags=re.DOTALL)
    text = "\n".join(line for line in text.splitlines() if not line.startswith("    "))
    text = re.sub(r"\]\([^)]*\)", "]", text)
    return len(re.findall(r"\S*\w\S*", text))


def test_words_are_counted() -> None:
    page = "# One two\n<!-- not this -->\n| a | b |\n| --- | ---: |\n[three four](five/six.md) 2.9 % [+1, −2]\n"
    assert words(page + "\n    code here\n```\nno\n```\n") == 9


MOST_ROWS = 8


def table_rows(text: str) -> list[int]:
    """Of each table in the text."""
    return [table.count("\n") + 1 for table in re.findall(r"(?<=^)\|[ :|-]*-[ :|-]*\|\n((?:\|.*(?:\n(?=\|)|$))+)", text, re.MULTILINE)]


def test_rows_of_tables_are_counted() -> None:
    assert table_rows("| a | b |\n| --- | ---: |\n| 1 | 2 |\n| 3 | 4 |\n\ntext\n\n| a |\n|---|\n| 1 |\n") == [2, 1]


@pytest.mark.parametrize("folder", sorted(programs.source_folders(ROOT).values()), ids=lambda path: path.name)
def test_a_readme_asks_its_question_and_shows_one_table(folder: Path) -> None:
    """The question in bold before the first section, advice that links to what shows it, and open, not folded, one table of eight rows at most."""
    text = prose(folder / "README.md")
    assert re.search(r"^\*\*.*\?\*\*$", text.partition("\n## ")[0], re.MULTILINE)
    advice = text.partition("## In practice\n")[2].partition("\n## ")[0]
    assert [item for item in re.split(r"^- ", advice, flags=re.MULTILINE)[1:] if "](" not in item] == []
    rows = table_rows(re.sub(r"<details>.*?</details>", "", text, flags=re.DOTALL))
    assert len(rows) <= 1 and sum(rows) <= MOST_ROWS


@pytest.mark.parametrize(("layout", "stride"), [("AoS", 16), ("SoA", 4)])
def test_the_drawing_of_a_layout_has_the_sectors_of_its_table(layout: str, stride: int) -> None:
    """32 lanes that read 4 bytes each, so many bytes apart."""
    text = (ROOT / "exp03_memory_coalescing/README.md").read_text(encoding="utf-8")
    tables = (ROOT / "results/nvidia-h200/worklog/exp03_memory_coalescing.md").read_text(encoding="utf-8")
    drawing = text.partition(f"\n{layout}: ")[2].partition("\n\n")[0]
    sectors = len({lane * stride // 32 for lane in range(32)})
    assert f" {sectors} sectors, {sectors * 32} bytes, 128 of them asked for" in drawing
    assert re.search(rf"^sector .* {sectors - 1}$", drawing, re.MULTILINE)
    boxes = re.findall(r"(?<=\| )[X. ]+(?= \|)", drawing)
    assert {box.replace(" ", "") for box in boxes} == {("X" + "." * (stride // 4 - 1)) * (32 // stride)} and len(boxes) in (4, sectors)
    assert re.search(rf"^\| CUDA {layout} \|.* {sectors} \(load\) ", tables, re.MULTILINE)


def test_the_readme_begins_with_question_table_and_commands() -> None:
    """The question, the table, the command for own kernels and the command for this GPU, in this order."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    wanted = ["?\n", "<!-- worklog:verdict -->", "    scripts/run.sh --kernel saxpy.toml\n", "    scripts/run.sh --quick ", "<!-- worklog:screen -->"]
    places = [text.find(each) for each in wanted]
    assert -1 < places[0] and places == sorted(places)
    assert "(own_kernel/README.md)" in text[: places[3]]


# --------------------------------------------------------------------------------------------------------------- glossary

CAPITALS = re.compile(r"(?<![\w./])[A-Z]{4,}(?![\w/])")
VERDICTS = (*claims.VERDICTS, *stats.PAIR_VERDICTS, *comparison.ALONE)
NO_TERMS = {"SMEM", "CUDA", "NVIDIA", "GLSL", "ASPLOS", "IREE", "WGSL", "NVRTC", "SPIR", "README"}  # names, and a source's word for shared memory


@cache
def glossary() -> str:
    return (ROOT / "docs/GLOSSARY.md").read_text(encoding="utf-8")


def explained(term: str) -> bool:
    """Whether the glossary has it in bold: there it stands before what it means."""
    return any(term == part.strip() for bold in re.findall(r"\*\*([^*]+)\*\*", glossary()) for part in bold.split(","))


@pytest.mark.parametrize(
    "term",
    sorted({*VERDICTS, *claim_check.KINDS, "no twin", "unpaired", "not counted"}),
)
def test_every_verdict_is_explained(term: str) -> None:
    assert explained(term)


@pytest.mark.parametrize("name", names([path for path in pages() if path.name in ("worklog.md", "RESULTS.md") or path.parent.name == "worklog"]))
def test_every_word_in_capitals_is_explained(name: str) -> None:
    text = re.sub(r"`[^`\n]*`|\]\([^)]*\)|“[^”\n]*”", "", prose(ROOT / name))  # a source's sentence has the source's words
    text = re.sub("|".join(VERDICTS), "", text)
    assert sorted(word for word in {*CAPITALS.findall(text)} - NO_TERMS if not explained(word)) == []


def test_every_badge_of_a_report_is_explained(tmp_path: Path) -> None:
    assert report.main(["--out", str(tmp_path / "report.html"), str(ROOT / "results/nvidia-h200-x2")]) == 0
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    shown = re.findall(r'class="verdict [^"]*">([^<]+)<', page)
    badges = {re.sub(r"^\d+ ", "", html.unescape(badge).strip()) for badge in shown} - {"<", ">", "|"}  # between two listings
    assert badges and sorted(badge for badge in badges if not explained(badge)) == []


def test_no_other_word_is_explained() -> None:
    assert not explained("FASTISH") and not explained("sector, GPC")


def test_the_package_has_what_its_scripts_name() -> None:
    install = (ROOT / "cmake/Package.cmake").read_text(encoding="utf-8")
    installed = {name for name in re.findall(r"scripts/\w+\.(?:py|sh|sbatch)", install)}
    sources = [*(ROOT / name for name in installed), *(ROOT / "scripts/benchlib").rglob("*.py")]
    named = {name for source in sources for name in re.findall(r"scripts/\w+\.(?:py|sh)", source.read_text(encoding="utf-8")) if (ROOT / name).is_file()}
    of_a_checkout = {"scripts/claims_lock.py", "scripts/published.py", "scripts/release.py", "scripts/spread.py", "scripts/test.sh", "scripts/twins.py"}
    assert len(named) > 8 and sorted(named - installed - of_a_checkout) == []
