"""The report's picture: a page, seen by a headless Chromium, as a PNG, and a file of checksums that says which page it shows."""

import hashlib
import os
import re
import shutil
import tempfile
from pathlib import Path

from benchlib.base import children
from benchlib.base.errors import InputError

PICTURE_WIDTH = 1280
MOST_HEIGHT = 4000
MOST_PICTURE_BYTES = 500_000
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
TIMEOUT_S = 120
SIGNATURE = b"\x89PNG\r\n\x1a\n"
HEIGHT = "<script>document.title = document.documentElement.scrollHeight</script>"


def browser() -> Path:
    """Chromium, or what BENCH_BROWSER names."""
    named = os.environ.get("BENCH_BROWSER")
    path = next((path for name in ([named] if named else BROWSERS) if (path := shutil.which(name))), None)
    if path is None:
        raise InputError(f"no {named or 'Chromium'} to make the picture with (package chromium; BENCH_BROWSER names another)")
    return Path(path)


def run(arguments: list[str], page: Path, profile: Path) -> str:
    """What the browser writes to standard output."""
    options = ["--headless=new", "--disable-gpu", "--hide-scrollbars", "--force-device-scale-factor=1"]
    options += [f"--user-data-dir={profile}", "--blink-settings=preferredColorScheme=1", "--host-resolver-rules=MAP * ~NOTFOUND"]
    options += ["--virtual-time-budget=2000"]
    options += ["--no-sandbox"] if os.geteuid() == 0 else []
    code, out, err = children.run([browser(), *options, *arguments, page.as_uri()], TIMEOUT_S)
    if code:
        last = (err.strip() or "it said nothing").splitlines()[-1]
        raise InputError(f"the browser ended with {code}: {ascii(last)}")
    return out


def png(page: str) -> bytes:
    """The whole page in light colours, as wide as PICTURE_WIDTH."""
    with tempfile.TemporaryDirectory(prefix="report.") as name:
        folder = Path(name)
        path, image, profile = folder / "page.html", folder / "page.png", folder / "profile"
        path.write_text(page.replace("</body>", HEIGHT + "</body>"), encoding="utf-8")
        title = re.search(r"<title>(\d+)</title>", run(["--dump-dom", f"--window-size={PICTURE_WIDTH},600"], path, profile))
        if not title:
            raise InputError("the browser did not lay the picture's page out")
        height = min(int(title[1]), MOST_HEIGHT)
        path.write_text(page, encoding="utf-8")
        run([f"--screenshot={image}", f"--window-size={PICTURE_WIDTH},{height}"], path, profile)
        if not image.exists():
            raise InputError("the browser made no picture")
        data = image.read_bytes()
    if not data.startswith(SIGNATURE):
        raise InputError("what the browser wrote is no PNG")
    if len(data) > MOST_PICTURE_BYTES:
        raise InputError(f"the picture would be larger than {MOST_PICTURE_BYTES // 1000} kB")
    return data


def checksums(data: bytes, page: str) -> str:
    """The text of the file beside a PNG: it is of this very page."""
    return f"{hashlib.sha256(data).hexdigest()}  report.png\n{hashlib.sha256(page.encode()).hexdigest()}  the page that it shows\n"
