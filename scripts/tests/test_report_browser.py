"""The report in a real browser: what is seen at three widths in both schemes, and what the page does when it is used."""

from __future__ import annotations

import base64
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import report
import synthetic
from benchlib.pages import report_picture
from browser import Browser
from test_report import make_full
from test_worklog import EXP01, EXP03, EXP05, reference

REPOSITORY = Path(report.__file__).resolve().parent.parent
PROBE = (Path(__file__).resolve().parent / "report_probe.js").read_text(encoding="utf-8")
WIDTHS = (1440, 1024, 768, 390)
PAINTED = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
PAINT_S, LOAD_S = 0.5, 2.5
HAS_BROWSER = any(map(shutil.which, [os.environ.get("BENCH_BROWSER", ""), *report_picture.BROWSERS]))
pytestmark = [pytest.mark.thorough, pytest.mark.skipif(not HAS_BROWSER, reason="no Chromium here (package chromium)")]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    made = Browser(tmp_path_factory.mktemp("profile"))
    yield made
    made.close()


@pytest.fixture(scope="module")
def largest(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of the report of the largest set."""
    path = tmp_path_factory.mktemp("largest") / "report.html"
    assert report.main(["--out", str(path), str(REPOSITORY / "results/nvidia-h200")]) == 0
    return path.as_uri()


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a small report: figures, listings, counters, verdicts of each kind."""
    root = tmp_path_factory.mktemp("small")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("benchlib.stats.stats.MIN_RUNS", 1)
        make_full(synthetic.repository(root))
        (root / "docs").mkdir()
        rules = (REPOSITORY / "docs/summary.toml").read_text(encoding="utf-8")
        known = "|".join(name[3:5] for name in synthetic.EXPERIMENTS)  # of no other experiment there are claims
        rules = re.sub(rf'^claims = .*"(?!{known})\d.*\n', "", rules, flags=re.MULTILINE)
        (root / "docs/summary.toml").write_text(rules, encoding="utf-8")
        assert report.main(["--root", str(root)]) == 0
    return (reference(root) / "report.html").as_uri()


@pytest.fixture
def page(browser: Browser, small: str) -> Browser:
    """The small report, open at the greatest width. What it says to the console is looked at when the test is done."""
    browser.look(WIDTHS[0])
    opened(browser, small)
    return browser


def opened(browser: Browser, address: str) -> None:
    """Anew, until its listings are unpacked."""
    browser.open(address)
    browser.run("typeof ready === 'undefined' ? null : Promise.resolve(ready).then(() => null)")


def told(browser: Browser, function: str) -> list[str]:
    """What a function of report_probe.js finds wrong."""
    return browser.run(f"(() => {{ {PROBE}; return {function}(); }})()")


def texts(browser: Browser, selector: str) -> list[str]:
    """Of the elements that are shown."""
    return browser.run(f"all({selector!r}).filter((node) => node.checkVisibility()).map((node) => node.textContent)")


def type_into(browser: Browser, id_: str, text: str) -> None:
    browser.run(f"$({id_!r}).value = {text!r}; $({id_!r}).dispatchEvent(new Event('input', {{bubbles: true}}))")


def goto(browser: Browser, hash_: str) -> None:
    browser.run(f"location.hash = {hash_!r}; new Promise((done) => setTimeout(done, 60))")


def top(browser: Browser, selector: str) -> float:
    """Where it is in the window."""
    return browser.run(f"document.querySelector({selector!r}).getBoundingClientRect().top")


# ------------------------------------------------------------------------------------------------------------- what is seen


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_what_is_seen(browser: Browser, small: str, width: int, dark: bool) -> None:
    browser.look(width, dark=dark)
    opened(browser, small)
    assert browser.run("getComputedStyle(document.body).backgroundColor") == ("rgb(13, 17, 23)" if dark else "rgb(255, 255, 255)")
    goto(browser, f"sass:{EXP01}/add_f32")
    browser.run("for (const fold of all('main details')) fold.open = true; scrollTo(0, 0); new Promise((done) => setTimeout(done, 60))")
    assert browser.run("document.documentElement.scrollWidth") <= width
    assert told(browser, "outside") == []
    assert told(browser, "covered") == []
    assert told(browser, "drawings") == []
    assert told(browser, "unfit") == [] and browser.run("all('.fit').length") > 0
    assert told(browser, "faint") == []
    assert told(browser, "wideTables") == [] and (width < 1440 or browser.run("all('.cards').length") == 0)
    assert browser.messages() == [] and browser.requests() == [small]


# Styles that spoil the page, and what then finds something.
SPOILED = [
    ("outside", "h1{margin-left:-400px}"),
    ("outside", "h2{position:relative;left:1300px}"),
    ("covered", ".answer{margin-bottom:-40px}"),
    ("drawings", ".bp .small{font-size:9px!important}"),
    ("drawings", ".bp .head,.bp .title{font-size:40px!important}"),
    ("drawings", "svg :is(.grid,.axis){d:path('M0 0h1v1')}"),
    ("unfit", ".strip svg{min-width:1300px}"),
    ("unfit", ".strip.narrow{display:flex!important}"),
    ("faint", ".dim{color:#999!important}"),
    ("faint", "svg text{fill:#999!important}"),
    ("wideTables", ".data .scroll{width:40px}"),
]
DEAD = "document.body.append(make('a', {href: '#nowhere'}), make('a', {href: '#sass:no/kernel'}))"


def test_the_probe_sees_what_is_wrong(page: Browser) -> None:
    page.run("window.style = make('style'); document.head.append(style)")
    for function, style in SPOILED:
        page.run("style.textContent = ''")
        assert told(page, function) == []
        page.run(f"style.textContent = {style!r}")
        assert told(page, function) != [], style
    before = told(page, "deadLinks")
    page.run(DEAD)
    assert told(page, "deadLinks") == [*before, "#nowhere", "#sass:no/kernel"]


def test_the_largest_report(browser: Browser, largest: str) -> None:
    times = []
    browser.look(WIDTHS[0])
    for _ in range(3):  # the best of three, for whatever else this machine does
        opened(browser, largest)
        paint = browser.run("performance.getEntriesByName('first-contentful-paint').map((entry) => entry.startTime)[0] ?? 0")
        times.append((paint / 1000, browser.run("performance.getEntriesByType('navigation')[0].loadEventStart") / 1000))
        if times[-1][0] < PAINT_S and times[-1][1] < LOAD_S:
            break
    print("paint and load, s:", times)
    assert min(paint for paint, _ in times) < PAINT_S and min(load for _, load in times) < LOAD_S
    assert told(browser, "deadLinks") == []
    browser.run("for (const fold of all('main details')) fold.open = true")
    for width in WIDTHS:
        browser.look(width)
        assert browser.run("document.documentElement.scrollWidth") <= width
        browser.run(PAINTED)
        assert told(browser, "wideTables") == []
    assert told(browser, "drawings") == []  # at the least width
    assert told(browser, "outside") == []
    assert told(browser, "covered") == []
    assert browser.messages() == [] and browser.requests() == [largest]


# -------------------------------------------------------------------------------------------------------- claims and tables


def test_claims_are_filtered_by_verdict_experiment_and_words(page: Browser) -> None:
    everything = texts(page, ".claim")
    assert len(everything) > 25 and texts(page, "#claims-shown") == [f"{len(everything)} of {len(everything)} claims"]
    page.run("document.querySelector('button[data-verdict=REFUTED]').click()")
    refuted = texts(page, ".claim")
    assert 0 < len(refuted) < len(everything) and all("REFUTED" in each for each in refuted)
    assert texts(page, "#claims-shown") == [f"{len(refuted)} of {len(everything)} claims"]
    type_into(page, "claim-experiment", EXP01)
    both = texts(page, ".claim")
    assert 0 < len(both) < len(refuted) and texts(page, ".claims h3 a") == [EXP01]
    page.run("document.querySelector('button[data-verdict=REFUTED]').click()")
    type_into(page, "claim-experiment", "")
    type_into(page, "claim-search", "STRIDE  coalesced")
    found = texts(page, ".claim")
    assert 0 < len(found) < len(everything) and all("strid" in each.lower() and "coalesced" in each.lower() for each in found)
    type_into(page, "claim-search", "no such words")
    assert texts(page, ".claim") == [] and texts(page, "#claims-shown") == [f"0 of {len(everything)} claims"]
    goto(page, "claim-01.1a")  # a link shows what the filter hid
    assert len(texts(page, ".claim")) == len(everything) and page.messages() == []


def test_each_claim_leads_to_what_shows_it(page: Browser) -> None:
    assert [link for link in told(page, "deadLinks") if not link.startswith("#sass:")] == []  # a few of its kernels have one listing
    for start in ("Table: Size sweep", "Figure exp01-sizes", "Code: add_f32"):
        page.run(f"all('.links a').find((link) => link.textContent === {start!r}).click(); new Promise((done) => setTimeout(done, 60))")
        shown = {"T": f"[id='{EXP01}.size-sweep']", "F": "#figure-exp01-sizes", "C": "#sass"}[start[0]]
        assert -5 < top(page, shown) < 120, start


def test_tables_sort_and_filter(page: Browser) -> None:
    goto(page, f"{EXP05}.loads")
    page.run(f"window.table = document.querySelector('[id=\"{EXP05}.loads\"] table')")

    def column(name: str) -> list[str]:
        at = f"[...table.tHead.rows[0].cells].findIndex((cell) => cell.textContent === {name!r})"
        return page.run(f"[...table.tBodies[0].rows].filter((row) => !row.hidden).map((row) => row.cells[{at}].textContent)")

    before = column("CUDA µs")
    assert len(before) > 2 and len(set(before)) > 2
    page.run("window.head = [...table.tHead.rows[0].cells].find((cell) => cell.textContent === 'CUDA µs'); head.firstChild.focus()")
    for key, sorted_as, order in (("Enter", "ascending", False), ("Enter", "descending", True), ("Enter", None, None)):
        page.press(key, 13)
        shown = column("CUDA µs")
        assert page.run("head.ariaSort") == sorted_as
        assert shown == (before if order is None else sorted(before, key=float, reverse=order))
    rows = page.run("compare('64 Ki', '1 Mi') < 0 && compare('–', '0') > 0 && compare('–', 'word') > 0 && compare('3', 'word') < 0")
    assert rows is True and page.run("compare('10.5 [9, 11]', '9.5 [9, 11]') > 0 && compare('\u22122', '1') < 0")


# ------------------------------------------------------------------------------------------------------------- machine code


def test_kernels_are_found_by_words_and_by_opcodes(page: Browser) -> None:
    goto(page, "sass")
    every = texts(page, "#kernels option")
    assert every == ["add_f32", "read_soa_x"] and texts(page, "#kernels-shown") == ["2 of 2 kernels"]
    for wanted in ("exp03 soa", "soa exp03", "SOA_x exp03_memory"):
        type_into(page, "kernel-search", wanted)
        assert texts(page, "#kernels option") == ["read_soa_x"] and texts(page, "#sass-title")[0].startswith(f"{EXP03}/read_soa_x")
    type_into(page, "kernel-search", "block=1024")  # of a case that ran it
    assert texts(page, "#kernels option") == ["add_f32"]
    type_into(page, "kernel-search", "")
    type_into(page, "opcode-search", "ldg.e exit")
    assert 0 < len(texts(page, "#kernels option")) and page.run("all('.sass .hit').length") > 1
    type_into(page, "opcode-search", "NOSUCHOPCODE")
    assert texts(page, "#kernels option") == [] and texts(page, "#sass-title") == ["No kernel of that name"]
    assert page.messages() == []


def test_the_address_names_the_kernel_and_opens_it_again(page: Browser, small: str) -> None:
    goto(page, "sass")
    page.run("$('kernels').value = '1'; $('kernels').dispatchEvent(new Event('change'))")
    assert page.run("location.hash") == f"#sass:{EXP03}/read_soa_x"
    goto(page, f"sass:{EXP03}/no_such")
    assert texts(page, "#sass-title") == ["No kernel of that name"]
    opened(page, f"{small}#sass:{EXP03}/read_soa_x")
    assert texts(page, "#sass-title")[0].startswith(f"{EXP03}/read_soa_x") and -5 < top(page, "#sass") < 120
    type_into(page, "kernel-search", "add")
    assert page.run("location.hash") == f"#sass:{EXP01}/add_f32"


def test_a_kernels_times_and_both_listings(page: Browser) -> None:
    goto(page, f"sass:{EXP01}/add_f32")
    assert texts(page, "#sass-cases thead th")[:3] == ["case", "CUDA µs", "Vulkan µs"]
    assert len(texts(page, "#sass-cases tbody tr")) == 5 and "another workgroup size" in " ".join(texts(page, "#sass-cases p"))
    kinds = page.run("all('#sass-cases .verdict').map((each) => each.classList[1])")
    assert kinds and set(kinds) <= {"SAME", "FASTER", "SLOWER", "FIXED", "UNCLEAR"}
    lines = len(texts(page, "#sass-lines tr"))
    marked = page.run("all('#sass-lines tr.differs').length")
    assert lines >= 3 and texts(page, "#sass-lines td:first-child")[0].startswith("0000 ")
    page.run("$('only-different').click()")
    assert 0 < marked <= len(texts(page, "#sass-lines tr")) <= lines
    link = page.run(f"all('.data td a').find((link) => link.hash.startsWith('#sass:{EXP01}/add_f32')).textContent")
    assert link.startswith("add_f32")  # a table's row leads to its code


def test_the_whys_are_never_cut(page: Browser) -> None:
    goto(page, f"sass:{EXP01}/add_f32")
    assert "why" not in texts(page, "#sass-cases th")
    cut = "all('#sass-whys *').filter((node) => node.scrollWidth > node.clientWidth + 1 || node.closest('.scroll'))"
    accounted = page.run("unpacked($('twins').textContent).then((data) => data.twins[0].cases.filter((row) => row.at(-1)).length)")
    assert page.run("all('#sass-whys dd').length") == accounted
    assert page.run(f"{cut}.length") == 0


# ----------------------------------------------------------------------------------------------------------------- search


def test_the_search_lands_on_its_hits(page: Browser) -> None:
    page.run("window.box = $('find'); dispatchEvent(new KeyboardEvent('keydown', {key: '/'}))")
    assert page.run("document.activeElement.id") == "find"
    type_into(page, "find", "no such words anywhere")
    assert texts(page, "#found") == ["0 found"]
    last = page.run(f"[...document.querySelectorAll('[id=\"{EXP05}.stores\"] tbody tr')].at(-1).textContent")
    type_into(page, "find", last)
    assert int(texts(page, "#found")[0].split()[0]) >= 1
    seen = "[...document.querySelectorAll('.found')].map((node) => [node.checkVisibility(), node.getBoundingClientRect().top, node.textContent])"
    page.press("Enter", 13)
    ((shown, at, text),) = page.run(seen)
    assert shown and 0 < at < 900 and all(word in text for word in last.split())
    type_into(page, "claim-search", "no such claim")  # a filter hides nothing from the search
    type_into(page, "find", page.run("all('.claim .text')[3].textContent"))
    page.press("Enter", 13)
    ((shown, at, _),) = page.run(seen)
    assert shown and 0 < at < 900 and page.run("document.querySelector('.found').open") is True
    type_into(page, "find", f"{EXP03} read_soa_x sm_90a")
    assert page.messages() == []


def test_the_search_opens_a_kernels_code(page: Browser) -> None:
    type_into(page, "find", f"{EXP03}/read_soa_x")
    page.run("$('find').focus()")
    page.press("Enter", 13)
    assert texts(page, "#sass-title")[0].startswith(f"{EXP03}/read_soa_x") and -5 < top(page, "#sass") < 120
    assert page.run("location.hash") == f"#sass:{EXP03}/read_soa_x"


# ------------------------------------------------------------------------------------------------- addresses, keys, print


@pytest.mark.parametrize(
    ("hash_", "selector"),
    [
        (f"{EXP05}", f"#{EXP05}"),
        (f"{EXP05}.stores", f"[id='{EXP05}.stores']"),
        ("claim-05.1", "[id='claim-05.1']"),
        ("figure-exp05-loads", "#figure-exp05-loads"),
        ("environment", "#environment"),
    ],
)
@pytest.mark.parametrize("width", [1440, 390])
def test_addresses_land(browser: Browser, small: str, width: int, hash_: str, selector: str) -> None:
    browser.look(width)
    opened(browser, f"{small}#{hash_}")
    browser.run("new Promise((done) => setTimeout(done, 60))")
    room = browser.run("innerHeight - (document.documentElement.scrollHeight - scrollY - innerHeight)")  # the page's end needs less
    assert -5 < top(browser, selector) < max(120, room)
    assert browser.run(f"document.querySelector({selector!r}).matches('details:not([open])')") is False


def test_the_keyboard_reaches_every_control(page: Browser) -> None:
    goto(page, "sass")
    page.run("scrollTo(0, 0); document.activeElement.blur()")
    wanted = "all('a[href], button, input, select, summary, [tabindex=\"0\"]').filter((node) => node.checkVisibility())"
    page.run(f"window.wanted = new Set({wanted}); window.missed = new Set(wanted)")
    page.run("document.addEventListener('focusin', (event) => missed.delete(event.target))")
    for _ in range(page.run("wanted.size") + 2):
        page.press("Tab", 9)
    assert page.run("[...missed].map((node) => node.outerHTML.slice(0, 120))") == [] and page.run("wanted.size") > 100
    page.run("scrollTo(0, 0)")
    page.press("Tab", 9)
    assert page.run("getComputedStyle(document.activeElement).outlineStyle") == "solid"  # what has the focus is seen


PRINTED = "verdict rules figure-vulkan-over-cuda claims".split()
UNPRINTED = ".data, .viewer, nav, pre, figure:not(#figure-vulkan-over-cuda), .links"


def test_a_print_has_the_answers_and_a_line_a_claim(page: Browser) -> None:
    goto(page, "claim-01.1a")  # open
    page.look(718)  # A4 less its margins
    page.call("Emulation.setEmulatedMedia", media="print")
    try:
        assert page.run("document.documentElement.scrollWidth") <= 718
        assert page.run(f"{PRINTED}.filter((id) => !$(id).checkVisibility())") == []
        seen = f"all({UNPRINTED!r}).filter((node) => !node.closest('.headline') && node.checkVisibility())"
        assert page.run(f"{seen}.map((node) => node.outerHTML.slice(0, 99))") == []
        assert "What this print leaves out" in " ".join(texts(page, ".printed"))
        assert len(texts(page, ".answer")) == page.run("all('.answer').length") > 2
        lines = page.run("all('.claim').map((claim) => claim.getBoundingClientRect().height)")
        assert len(lines) > 25 and max(lines) < 30
    finally:
        page.call("Emulation.setEmulatedMedia", media="")


def test_the_largest_report_prints_in_30_pages(browser: Browser, largest: str) -> None:
    browser.look(WIDTHS[0])
    opened(browser, largest)
    pdf = base64.b64decode(browser.call("Page.printToPDF", preferCSSPageSize=True)["data"])
    assert 5 < len(re.findall(rb"/Type /Page\b", pdf)) <= 30  # an object a page; Source: ISO 32000-1, 7.7.3.3


def test_a_report_of_one_experiment_without_listings(browser: Browser, tmp_path: Path) -> None:
    synthetic.write(tmp_path / "results/two", EXP05, synthetic.exp05_rows())
    assert report.main(["--root", str(REPOSITORY), str(tmp_path / "results/two")]) == 0
    address = (tmp_path / "results/two/report.html").as_uri()
    browser.look(WIDTHS[0])
    opened(browser, f"{address}#sass:{EXP05}/none")
    assert EXP05 in texts(browser, ".claims h3 a") and texts(browser, ".viewer") == []
    assert browser.messages() == [] and browser.requests() == [address]


def test_without_scripts_all_is_there_but_the_viewer(browser: Browser, small: str) -> None:
    browser.look(WIDTHS[0])
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        opened(browser, small)
        shown = browser.run("[...document.querySelectorAll('.claim, noscript')].filter((node) => node.checkVisibility()).length")
        assert shown > 25
        assert browser.run("document.querySelector('.tools').checkVisibility() || document.querySelector('.viewer').checkVisibility()") is False
        assert "the same listings are beside this file" in browser.run("document.body.innerText")
    finally:
        browser.call("Emulation.setScriptExecutionDisabled", value=False)
