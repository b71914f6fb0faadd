"""report.py: what is on the page, and that nothing on it can do anything. test_report_browser.py tries it in a browser."""

from __future__ import annotations

import base64
import html as html_lib
import json
import re
import shutil
import struct
import zlib
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import report
import synthetic
from benchlib.document import document
from benchlib.model import analysis
from benchlib.pages import report_page, report_picture, report_sass
from benchlib.results import results
from benchlib.results.schema import APIS
from benchlib.sass import listings
from benchlib.model.analysis import Study
from test_worklog import EXP01, EXP03, EXP05, reference, snapshot

REPOSITORY = Path(report.__file__).resolve().parent.parent
CHROMIUM = next((path for name in report_picture.BROWSERS if (path := shutil.which(name))), None)
TWINS = ["experiment,kernel,arch,cuda_kernel,vulkan_kernel,same_memory,summary"]
PAIRS = ((EXP01, "add_f32"), (EXP03, "read_soa_x"))
TWINS += [f"{name},{kernel},sm_90a,{kernel},{kernel},1,2 loads more" for name, kernel in PAIRS]
CODE = ["experiment,kernel,api,arch,descriptor_reads,isa_hash"]
CODE += [f"{EXP01},add_f32,cuda,sm_90a,0,cuda256", f"{EXP01},add_f32,vulkan,sm_90,6,vulkan256", f"{EXP03},read_soa_x,vulkan,sm_90,0,"]


@pytest.fixture
def full(root: Path) -> Path:
    return make_full(root)


def make_full(root: Path) -> Path:
    """Results with counters and listings."""
    folder = reference(root)
    rows = synthetic.exp01_rows()
    for row in rows:
        if row["variant"] == "add_f32":
            row["isa_hash"] = f"{row['api']}{row['block'] if row['api'] == 'vulkan' else 256}"  # Vulkan compiles each block size
    synthetic.write(folder, EXP01, rows)
    synthetic.write_listings(folder)
    (folder / "counters.csv").write_text(synthetic.counters_text(EXP03, EXP05), encoding="utf-8")
    (folder / "sass_twins.csv").write_text("\n".join(TWINS) + "\n", encoding="utf-8")
    (folder / "sass.csv").write_text("\n".join(CODE) + "\n", encoding="utf-8")
    return root


def run(root: Path, *arguments: str | Path) -> int:
    return report.main(["--root", str(root), *map(str, arguments)])


def page_of(root: Path) -> str:
    assert run(root) == 0
    return (reference(root) / "report.html").read_text(encoding="utf-8")


class Tags(HTMLParser):
    """Every start tag with its attributes, and whether all that are opened are closed."""

    VOID = {"meta", "input", "br", "link", "img", "path", "rect"}

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open and self.open.pop() == tag, tag


def twins_of(page: str) -> dict[str, Any]:
    """What its viewer shows."""
    (text,) = re.findall(r'<script [^>]*id="twins">([A-Za-z0-9+/=]*)</script>', page)
    return json.loads(zlib.decompress(base64.b64decode(text)))


def tags(text: str) -> list[tuple[str, dict[str, str | None]]]:
    parser = Tags()
    parser.feed(text)
    parser.close()
    assert not parser.open
    return parser.found


# ------------------------------------------------------------------------------------------------------------- the page


def test_what_is_on_it(full: Path) -> None:
    text = page_of(full)
    found = tags(text)
    ids = [attrs["id"] for _, attrs in found if "id" in attrs]
    assert len(ids) == len(set(ids))
    assert {"verdict", "claims", *synthetic.EXPERIMENTS, "sass", "environment", "reproduce"} <= set(ids)
    rows = [attrs for tag, attrs in found if tag == "details" and attrs.get("class") == "claim"]
    assert len(rows) == len([id_ for id_ in ids if re.match(r"claim-\d", id_)]) > 25
    assert all(attrs["data-verdict"] and attrs["data-experiment"] in synthetic.EXPERIMENTS for attrs in rows)
    for _, attrs in found:  # every link is to a place in the page, or to a file of the results
        if "href" in attrs:
            place = attrs["href"] or ""
            assert place.startswith("#sass:") or place[1:] in ids if place.startswith("#") else (reference(full) / place).is_file()


def test_it_asks_nothing_of_a_network(full: Path) -> None:
    text = page_of(full)
    assert "default-src 'none'" in text
    for tag, attrs in tags(text):
        assert tag not in ("link", "img", "iframe", "object", "embed", "base", "form")
        assert "src" not in attrs and not [name for name in attrs if name.startswith("on")]
    assert "@import" not in text and "url(" not in text
    assert set(re.findall(r"https?://[^\s\"'<]+", text)) <= {"http://www.w3.org/2000/svg"}


def test_same_bytes_and_check(full: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = page_of(full)
    assert run(full, "--check") == 0
    path = reference(full) / "report.html"
    path.write_text(first.replace("SLOWER", "FASTER", 1), encoding="utf-8")
    assert run(full, "--check") == 1
    assert "report.html differs" in capsys.readouterr().out
    path.unlink()
    assert run(full, "--check") == 0 and not path.exists()
    assert page_of(full) == first
    out = full / "elsewhere.html"
    assert run(full, "--out", out) == 0 and out.read_text(encoding="utf-8") == first


HOSTILE = ['<img src=x onerror="alert(1)">', "</script><script>alert(1)</script>", '"><svg onload=alert(1)>', "=1+1|`x`**b**"]


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_cells_stay_text(full: Path, hostile: str) -> None:
    folder = reference(full)
    rows = synthetic.exp05_rows()
    for row in rows:
        row.update(driver=hostile, gpu=hostile, git_rev=hostile)
    cells = {"grid": 4096, "elem_bytes": 4, "stride": 1, **dict.fromkeys(synthetic.MODEL[EXP05], 1)}
    rows += synthetic.twins(EXP05, hostile, 1000, 1010, **cells)
    synthetic.write(folder, EXP05, rows)
    code = (folder / "sass_twins.csv").read_text(encoding="utf-8")
    quoted = hostile.replace('"', '""')
    (folder / "sass_twins.csv").write_text(code.replace("2 loads more", f'"{quoted}"'), encoding="utf-8")
    listing = listings.text(listings.path(folder, EXP01), "add_f32", "vulkan") + f"0050        BRA {hostile}\n"
    synthetic.write_listing(folder, EXP01, "add_f32", "vulkan", listing)
    text = page_of(full)
    for tag, attrs in tags(text):
        assert tag != "img" and "onload" not in attrs and "onerror" not in attrs
    assert len(re.findall(r"<script\b", text)) == 3
    assert twins_of(text)["twins"][0]["summary"] == hostile
    assert html_lib.escape(hostile) in text or html_lib.escape(hostile, quote=True) in text


def test_a_line_of_many_listings_is_in_the_page_once(full: Path) -> None:
    data = twins_of(page_of(full))
    lines = [data["rows"][at : at + 4] for at in range(0, len(data["rows"]), 4)]
    assert len({tuple(line) for line in lines}) == len(lines) and len(set(data["texts"])) == len(data["texts"])
    assert data["texts"][0] == "" and len({tuple(listing) for listing in data["listings"]}) == len(data["listings"])
    shown = [
        [[report_sass.MARKS[mark], *(data["texts"][at] for at in texts)] for mark, *texts in (lines[at] for at in data["listings"][twin["listing"]])]
        for twin in data["twins"]
    ]
    study = Study.of(results.load(reference(full)), analysis.load(full))
    assert shown == [twin["lines"] for twin in report_sass.twins(study)]


def test_what_a_driver_lists_is_shown_without_a_side_of_cudas(full: Path) -> None:
    committed = REPOSITORY / "results/gfx1100-radv-26.2.6"
    for name in ("isa.csv.xz", "isa.w32.tar.xz", "isa.w64.tar.xz"):
        shutil.copy(committed / name, reference(full) / name)
    study = Study.of(results.load(reference(full)), analysis.load(full))
    alone = report_sass.alone(study)
    (one,) = [page for page in alone if page["kernel"] == "sum_2" and page["arch"] == "subgroups of 32"]
    assert (one["cuda_kernel"], one["experiment"]) == ("", "exp02_descriptors") and one["summary"].startswith("vgprs 24, ")
    named = {right: name for _, left, right, name in one["lines"] if not left}
    assert named["s_waitcnt vmcnt(0)"] == "wait" and named["buffer_load_b32 v1, v0, s[8:11], 0 offen"] == ""
    data = twins_of(page_of(full))
    colours = {name: id_ for id_, _, names, _ in data["causes"] for name in names}
    assert {name for name in named.values() if name} <= set(colours) and colours["wait"] == "qualifiers"
    assert len([twin for twin in data["twins"] if not twin["cuda_kernel"]]) == len(alone) > 900


def test_listings_are_only_read_from_their_folder(full: Path) -> None:
    for api in APIS:
        synthetic.write_listing(reference(full), "secret", "secret", api, "0000        EXIT\n")
    path = reference(full) / "sass_twins.csv"
    path.write_text(f"{TWINS[0]}\n{EXP01},../secret,sm_90a,../secret,../secret,1,x\n../secret,secret,sm_90a,secret,secret,1,x\n", encoding="utf-8")
    text = page_of(full)
    assert twins_of(text)["twins"] == [] and 'class="viewer"' not in text and "No kernel has a listing of both APIs here." in text


def damaged(name: str, old: str, new: str):
    """An edit of a file beside the given one."""

    def damage(path: Path) -> None:
        text = (path.parent / name).read_text(encoding="utf-8")
        assert old in text
        (path.parent / name).write_text(text.replace(old, new, 1), encoding="utf-8")

    return damage


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda path: path.write_text(path.read_text()[:-30]), "cut short"),
        (lambda path: (path.parent / "counters.csv").write_text("experiment"), "counters.csv: the last line is cut short"),
        (damaged("sass.csv", "sm_90,6", "sm_90,six"), "descriptor_reads is 'six', not a number"),
        (damaged("sass_twins.csv", "kernel", "\x1b"), "sass_twins.csv: no column kernel"),
        (lambda path: synthetic.write_listing(path.parent, EXP01, "add_f32", "vulkan", b"0000  \xc9XIT"), "add_f32.vulkan.sass: a listing is ASCII"),
        (lambda path: path.write_text(path.read_text().replace("GPU-1", "GPU-2", 1)), "two GPUs"),
        (lambda path: [file.unlink() for file in path.parent.glob("exp*.csv")], "no result CSV"),
    ],
)
def test_bad_input_changes_nothing(full: Path, capsys: pytest.CaptureFixture[str], damage, message: str) -> None:
    assert run(full) == 0
    damage(reference(full) / f"{EXP01}.csv")
    before = snapshot(full)
    capsys.readouterr()
    assert run(full) == 1
    said = capsys.readouterr()
    assert message in said.err and len(said.err.splitlines()) == 1 and said.out == ""
    assert snapshot(full) == before


# ---------------------------------------------------------------------------------------------------------------- blocks


def shown(*blocks: document.Block) -> str:
    return report_page.environment().from_string('{% from "document.html.j2" import blocks %}{{ blocks(found) }}').render(found=blocks)


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ("a **b** `c` <d>", "a **b** `c` &lt;d&gt;"),  # a text is no Markdown
        ("&lt;img&gt; &amp;", "&amp;lt;img&amp;gt; &amp;amp;"),
        (document.Code("<x>"), "<code>&lt;x&gt;</code>"),
        (document.Strong("x & y"), "<strong>x &amp; y</strong>"),
        (document.Emphasis("<i>"), "<em>&lt;i&gt;</em>"),
        (document.ListingLink("<k>", "exp01", 'k"><script>'), '<a href="#sass:exp01/k&#34;&gt;&lt;script&gt;">&lt;k&gt;</a>'),
        (document.FileLink("exp01", "javascript:x"), "exp01"),
    ],
)
def test_inline(part: document.Inline, expected: str) -> None:
    assert shown(document.paragraph(part)).strip() == f"<p>{expected}</p>"


def test_a_page_that_another_machine_packed_is_the_same(full: Path) -> None:
    """Other bytes of the same listings are no difference; other listings are one."""
    assert run(full) == 0
    path = reference(full) / "report.html"
    text = path.read_text(encoding="utf-8")
    whole = twins_of(text)
    for change, code in ({}, 0), ({"header": ["x"]}, 1):
        other = base64.b64encode(zlib.compress(json.dumps(whole | change, separators=(",", ":")).encode(), 1)).decode()
        path.write_text(re.sub(r'(id="twins">)[^<]*', rf"\g<1>{other}", text), encoding="utf-8")
        assert path.read_text(encoding="utf-8") != text and run(full, "--check") == code


# --------------------------------------------------------------------------------------------------------------- browser


@pytest.mark.thorough
@pytest.mark.skipif(CHROMIUM is None, reason="no chromium here")
def test_the_picture(full: Path) -> None:
    image = reference(full) / "report.png"
    assert run(full) == 0 and not image.exists()
    assert run(full, "--check") == 0  # a page without a picture is fine
    assert run(full, "--picture") == 0
    data = image.read_bytes()
    width, height = struct.unpack(">II", data[16:24])  # of its first chunk
    assert width == report_picture.PICTURE_WIDTH and 300 < height < report_picture.MOST_HEIGHT
    assert 20_000 < len(data) <= report_picture.MOST_PICTURE_BYTES
    assert run(full, "--check") == 0
    image.write_bytes(data + b"x")  # another picture than the checksums are of
    assert run(full, "--check") == 1
    image.write_bytes(data)
    # Other results: the page alone does not do.
    synthetic.write(reference(full), EXP05, synthetic.exp05_rows()[:-2])
    assert run(full) == 0 and image.read_bytes() == data
    assert run(full, "--check") == 1
    assert run(full, "--picture") == 0 and run(full, "--check") == 0


NO_PICTURE = 'case $* in *--dump-dom*) echo "<title>700</title>" ;; esac'


@pytest.mark.parametrize("body", ["exit 3", "echo nothing", "sleep 5", NO_PICTURE])
def test_a_browser_that_fails(full: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    browser = full / "browser"
    browser.write_text(f"#!/bin/sh\n{body}\n")
    browser.chmod(0o755)
    monkeypatch.setenv("BENCH_BROWSER", str(browser))
    monkeypatch.setattr(report_picture, "TIMEOUT_S", 1)
    before = snapshot(full)
    assert run(full, "--picture") == 1
    said = capsys.readouterr().err
    assert "browser" in said and len(said.splitlines()) == 1 and snapshot(full) == before
