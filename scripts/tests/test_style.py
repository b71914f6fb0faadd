"""Plain English: patterns that made pages hard to read, and figures per sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from benchlib.base import programs

ROOT = Path(__file__).resolve().parents[2]

MOST_MARKERS = 2

UNITS = "thread|lane|warp|subgroup|block|workgroup|SM|launch|dispatch|submission|operation|access|load|store|element|sector|line|row|case|pair|run|board|GPU|host|sample|step|second|program|kernel|model|file|page|clock|cycle"
COUNTED = "one|two|three|four|five|six|seven|eight|ten|each|\\d+|bytes|cycles|ns|us|µs|ms|words|sectors|lines|rows|times|operations|stamps"
PATTERNS = {
    "opens with Of, By or Into": re.compile(r"^(?:Of|By|Into) (?!course\b|default\b)"),
    "a for per": re.compile(rf"\b(?:{COUNTED})(?: (?!is\b|if\b|takes?\b|in\b|of\b|as\b|for\b|on\b|with\b|and\b|to\b|by\b|than\b|from\b|at\b)\w+)? an? (?:{UNITS})\b(?!'| \w+s\b)"),
    "a word of nobody's": re.compile(r"\b(?:reckon\w*|likewise|dearer|dearest|whosever|made anew|handed over|way across)\b", re.IGNORECASE),
}
Q = "\N{BLACK SQUARE}"  # stands for a marker


def sentences(text: str) -> Iterator[str]:
    """Of Markdown without code, tables and headings; each figure's marker is one sign."""
    text = re.sub(r"^(?:```|~~~).*?^(?:```|~~~)\s*?$|^    .*$", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"<!-- q: [^\n]*? -->(.*?)<!-- /q -->", rf"{Q}\1", text, flags=re.DOTALL)
    text = re.sub(r"<!--.*?-->|</?\w+[^>\n]*>", "", text, flags=re.DOTALL)
    text = re.sub(r"!?\[((?:[^\[\]]|\[[^\]]*\])*)\]\([^)\s]*\)", r"\1", text)
    text = re.sub(r"`[^`\n]*`", "`code`", text)
    for block in re.split(r"\n\s*\n|^(?=\s*(?:[-*]|\d+\.) )|^#+ .*$|^\|.*$", text, flags=re.MULTILINE):
        plain = " ".join(re.sub(r"^\s*(?:[-*>]|\d+\.) ", "", block).replace("**", "").split())
        yield from (one for one in re.split(r"(?<=[.!?])\s+(?=[A-Z`\d(%s])" % Q, plain) if one)


def faults(text: str) -> list[str]:
    """Of one page: a pattern's name and the sentence."""
    found = []
    for one in sentences(text):
        found += [f"{name}: {one}" for name, pattern in PATTERNS.items() if pattern.search(one.replace(Q, ""))]
        if one.count(Q) > MOST_MARKERS:
            found.append(f"{one.count(Q)} figures in one sentence: {one}")
    cells = [cell.strip() for line in re.findall(r"^\|.*$", text, re.MULTILINE) for cell in line.split("|")]
    return found + [f"{name}: {cell}" for cell in cells for name, pattern in PATTERNS.items() if name != "opens with Of, By or Into" and pattern.search(cell)]


def markdown() -> list[Path]:
    """What people read: not DESIGN.md, which argues (the experiments' have a test of their own), nor the listings' hundreds of pages."""
    found = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("own_kernel/*.md"), *ROOT.glob("exp*/**/README.md"), ROOT / "scripts/template/README.md"]
    return sorted(path for path in found if path.name not in ("CHANGELOG.md", "DESIGN.md"))


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", [name(path) for path in markdown()])
def test_a_page_is_plain(page: str) -> None:
    assert faults((ROOT / page).read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("folder", [*programs.source_folders(ROOT).values(), ROOT / "scripts/template"], ids=lambda path: path.name)
def test_an_experiment_has_its_design_in_plain_english(folder: Path) -> None:
    """Hypothesis, variants and proofs: DESIGN.md, to which the README leads."""
    assert faults((folder / "DESIGN.md").read_text(encoding="utf-8")) == []
    assert "](DESIGN.md)" in (folder / "README.md").read_text(encoding="utf-8")


def cut_paragraphs(text: str) -> list[str]:
    """Lines that begin with a figure's marker. Markdown takes a comment at the start of a line, or of a list's item, for a block of HTML: it ends the paragraph, and links and code on its line stay raw."""
    return [line for line in re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL).splitlines() if re.match(r"(?:\s|[-*>] |\d+\. )*<!-- /?q\b", line)]


@pytest.mark.parametrize("page", [name(path) for path in [*markdown(), *ROOT.glob("docs/DESIGN.md"), *ROOT.glob("exp*/**/DESIGN.md"), *ROOT.glob("results/*/*.md"), *ROOT.glob("results/*/worklog/*.md")]])
def test_no_line_begins_with_a_marker(page: str) -> None:
    assert cut_paragraphs((ROOT / page).read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("line", ["<!-- q: a -->1<!-- /q --> ns", "  <!-- q: a -->1<!-- /q -->", "7. <!-- q: a -->1<!-- /q --> times", "- <!-- q: a -->1<!-- /q -->"])
def test_a_cut_paragraph_is_found(line: str) -> None:
    assert cut_paragraphs(f"It takes\n{line}\n") == [line]
    assert cut_paragraphs("It takes <!-- q: a -->1<!-- /q -->\n<!-- holds: a > 1 -->\n| <!-- q: a -->1<!-- /q --> |\n") == []


# ---------------------------------------------------------------------------------------------------------------- the check itself


@pytest.mark.parametrize(
    "text",
    [
        "Of 256 threads a barrier takes 30 cycles.", "It ends. By that instruction CUDA is faster.", "- Into the L2 both run.", "It prints one line a program.", "four bytes a thread",
        "A launch is dearer.", "| takes two loads a lane |", "**Of a kind** is said what its pairs are.", "It takes 31 cycles an operation.",
        "A <!-- q: a -->1<!-- /q -->, <!-- q: b -->2<!-- /q --> and\n<!-- q: c -->3<!-- /q -->.",
    ],
)  # fmt: skip
def test_a_fault_is_found(text: str) -> None:
    assert len(faults(text)) == 1
