"""The report in a real browser: what the page does when it is used. A script at its end uses it, and leaves what it saw in the title."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

import pytest
import report
import synthetic
from benchlib.pages import report_picture
from test_report import CHROMIUM, REPOSITORY, make_full
from test_worklog import EXP01, EXP03, EXP05, reference

pytestmark = [pytest.mark.thorough, pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here (package chromium)")]
# Before all of the page: what goes wrong in it. That a ResizeObserver is told one frame later is no fault.
WATCHED = """<script>
window.wrong = [];
for (const kind of ['error', 'unhandledrejection', 'securitypolicyviolation']) {
  addEventListener(kind, (event) => /^ResizeObserver loop/.test(event.message) || wrong.push(`${kind}: ${event.message ?? event.reason}`));
}
</script>"""
USED = """<script>
const texts = (selector) => all(selector).filter((node) => node.checkVisibility()).map((node) => node.textContent);
const type = (id, text) => { $(id).value = text; $(id).dispatchEvent(new Event('input', {bubbles: true})); };
const goto = (hash) => new Promise((done) => {
  if (location.hash === `#${hash}`) return done();
  addEventListener('hashchange', () => setTimeout(done), {once: true});  // after the page's own listener, however busy the machine is
  location.hash = hash;
});
(async () => {
  let said;
  try {
    if (typeof ready !== 'undefined') await ready;
    said = await (async () => { %s })();
  } catch (error) { wrong.push(String(error)); }
  document.title = JSON.stringify([said, wrong, performance.getEntriesByType('resource').map((entry) => entry.name)]);
})();
</script>"""


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A small report: figures, listings, counters, verdicts of each kind."""
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
    return (reference(root) / "report.html").read_text(encoding="utf-8")


def used(folder: Path, page: str, script: str, width: int = 1440) -> Any:
    """What the script returns; the page has asked for nothing, and nothing has gone wrong in it."""
    path = folder / "page.html"
    path.write_text(page.replace("</title>", f"</title>{WATCHED}", 1).replace("</body>", USED % script + "</body>"), encoding="utf-8")
    shown = report_picture.run(["--dump-dom", f"--window-size={width},900"], path, folder / f"profile{width}")
    (title,) = re.findall(r"<title>(.*?)</title>", shown, re.DOTALL)[:1]
    said, wrong, requests = json.loads(html.unescape(title))
    assert (wrong, requests) == ([], [])
    return said


DEAD = "all('a[href^=\"#\"]').map((link) => link.hash).filter((hash) => !hash.startsWith('#sass:') && !$(decodeURIComponent(hash.slice(1))))"


@pytest.mark.parametrize(("name", "width"), [("small", 1440), ("small", 600), ("largest", 600)])
def test_nothing_is_cut_off_and_no_link_is_dead(small: str, tmp_path: Path, name: str, width: int) -> None:
    page = small
    if name == "largest":
        assert report.main(["--out", str(tmp_path / "report.html"), str(REPOSITORY / "results/nvidia-h200")]) == 0
        page = (tmp_path / "report.html").read_text(encoding="utf-8")
    open_all = "for (const fold of all('main details')) fold.open = true; "
    wide, dead = used(tmp_path, page, f"{open_all} return [document.documentElement.scrollWidth, {DEAD}];", width)
    assert wide <= width and dead == []


def test_claims_are_filtered_by_verdict_experiment_and_words(small: str, tmp_path: Path) -> None:
    everything, refuted, shown, both, experiments, found, none, linked = used(tmp_path, small, f"""
        const seen = [texts('.claim')];
        const refuted = document.querySelector('button[data-verdict=REFUTED]');
        refuted.click();
        seen.push(texts('.claim'), texts('#claims-shown')[0]);
        type('claim-experiment', '{EXP01}');
        seen.push(texts('.claim'), texts('.claims h3 a'));
        refuted.click();
        type('claim-experiment', '');
        type('claim-search', 'STRIDE  coalesced');
        seen.push(texts('.claim'));
        type('claim-search', 'no such words');
        seen.push(texts('.claim'));
        await goto('claim-01.1a');
        return [...seen, texts('.claim')];""")  # fmt: skip
    assert 25 < len(everything) == len(linked) and none == [], "a link shows what the filter hid"
    assert 0 < len(both) < len(refuted) < len(everything) and all("REFUTED" in each for each in refuted) and experiments == [EXP01]
    assert shown == f"{len(refuted)} of {len(everything)} claims"
    assert 0 < len(found) < len(everything) and all("strid" in each.lower() and "coalesced" in each.lower() for each in found)


def test_tables_sort(small: str, tmp_path: Path) -> None:
    before, *after, compared = used(tmp_path, small, f"""
        const table = document.querySelector('[id="{EXP05}.loads"] table');
        const head = [...table.tHead.rows[0].cells].find((cell) => cell.textContent === 'CUDA µs');
        const column = () => [...table.tBodies[0].rows].filter((row) => !row.hidden).map((row) => row.cells[head.cellIndex].textContent);
        const seen = [column()];
        for (let times = 0; times < 3; times += 1) {{ head.firstChild.click(); seen.push([head.ariaSort, column()]); }}
        const pairs = [['1 Mi', '64 Ki'], ['–', '0'], ['–', 'word'], ['word', '3'], ['10.5 [9, 11]', '9.5 [9, 11]'], ['1', '\u22122']];
        return [...seen, pairs.map(([more, less]) => compare(more, less) > 0)];""")  # fmt: skip
    assert len(set(before)) > 2 and all(compared)
    assert after == [["ascending", sorted(before, key=float)], ["descending", sorted(before, key=float, reverse=True)], [None, before]]


def test_kernels_are_found_by_words_and_by_opcodes_and_named_by_the_address(small: str, tmp_path: Path) -> None:
    every, by_words, by_case, by_opcode, hits, none, title, address = used(tmp_path, small, f"""
        await goto('sass');
        const seen = [texts('#kernels option')], found = [];
        for (const words of ['exp03 soa', 'soa exp03', 'SOA_x exp03_memory']) {{ type('kernel-search', words); found.push(...texts('#kernels option')); }}
        type('kernel-search', 'block=1024');
        seen.push(found, texts('#kernels option'));
        type('kernel-search', '');
        type('opcode-search', 'ldg.e exit');
        seen.push(texts('#kernels option'), all('.sass .hit').length);
        type('opcode-search', 'NOSUCHOPCODE');
        seen.push(texts('#kernels option'));
        type('opcode-search', '');
        await goto('sass:{EXP03}/read_soa_x');
        seen.push(texts('#sass-title')[0]);
        $('kernels').value = '0';
        $('kernels').dispatchEvent(new Event('change'));
        return [...seen, location.hash];""")  # fmt: skip
    assert every == ["add_f32", "read_soa_x"] and by_words == ["read_soa_x"] * 3 and by_case == ["add_f32"]
    assert by_opcode and hits > 1 and none == []
    assert title.startswith(f"{EXP03}/read_soa_x") and address == f"#sass:{EXP01}/add_f32"
