"""All that scripts/report.py writes of a directory of results: the report, and a picture of its top."""

from pathlib import Path

from benchlib.base import files
from benchlib.base.errors import InputError
from benchlib.pages import pipeline, report_page, report_picture, worklog_files

MOST_REPORT_BYTES = 7_000_000


def write(directory: Path, root: Path, out: Path | None = None, *, check: bool = False, with_picture: bool = False, judged: pipeline.Judged | None = None) -> int:
    """Writes what differs, and says so; with `check` only names it. Returns the exit code: 1 if something would change. `judged`: the directory's results, where
    they are read already.
    """
    path = out or directory / "report.html"
    image, sums = directory / "report.png", directory / "report.png.sha256"
    page = report_page.page(judged or pipeline.load(directory, root), root)
    text, shown = report_page.render(page), report_page.picture(page)
    if len(text.encode()) > MOST_REPORT_BYTES:
        raise InputError(f"{directory}: the page would be larger than {MOST_REPORT_BYTES // 1_000_000} MB")
    before = files.read_text(path)
    worklog_files.check_history(path, root, report_page.unpacked(before or ""), report_page.unpacked(text))
    stale = before is None or report_page.unpacked(before) != report_page.unpacked(text)
    picture = report_picture.png(shown) if with_picture else None  # before anything is written
    if check and stale and before is not None:
        print(f"{path} differs from what the CSV files give:\n{files.short_diff(path, before, text, lines=6)[:2000]}")
        return 1
    if stale and not check:
        files.write_atomic(path, text)
        print(f"wrote {path}")
    if image.exists() and picture is None and files.read_text(sums) != report_picture.checksums(image.read_bytes(), shown):
        print(f"{image} shows other results: scripts/report.py --picture makes it anew")
        return 1 if check else 0
    if picture is not None:
        files.write_atomic(image, picture)
        files.write_atomic(sums, report_picture.checksums(picture, shown))
        print(f"wrote {image}")
    return 0
