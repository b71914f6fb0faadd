"""The report's picture: a page, seen by a headless Chromium, as a PNG that says which page it shows."""

import hashlib
import os
import re
import shutil
import struct
import subprocess
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from benchlib.results.results import InputError

WIDTH = 1280
MOST_HEIGHT = 4000
MOST_BYTES = 500_000
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
TIMEOUT_S = 120
SIGNATURE = b"\x89PNG\r\n\x1a\n"
KEYWORD = b"page\0"  # of the tEXt chunk with the page's hash
HEIGHT = "<script>document.title = document.documentElement.scrollHeight</script>"


class NoBrowser(InputError):
    pass


def browser() -> Path:
    """Chromium, or what BENCH_BROWSER names."""
    named = os.environ.get("BENCH_BROWSER")
    path = next((path for name in ([named] if named else BROWSERS) if (path := shutil.which(name))), None)
    if path is None:
        raise NoBrowser(f"no {named or 'Chromium'} to make the picture with (package chromium; BENCH_BROWSER names another)")
    return Path(path)


def run(arguments: list[str], page: Path, profile: Path) -> str:
    """What the browser writes to standard output."""
    options = ["--headless=new", "--disable-gpu", "--hide-scrollbars", "--force-device-scale-factor=1"]
    options += [f"--user-data-dir={profile}", "--blink-settings=preferredColorScheme=1", "--host-resolver-rules=MAP * ~NOTFOUND"]
    options += ["--virtual-time-budget=2000"]
    options += ["--no-sandbox"] if os.geteuid() == 0 else []
    try:
        command = [browser(), *options, *arguments, page.as_uri()]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"the browser: {error}") from error
    if done.returncode:
        last = (done.stderr.strip() or "it said nothing").splitlines()[-1]
        raise InputError(f"the browser ended with {done.returncode}: {ascii(last)}")
    return done.stdout


def png(page: str) -> bytes:
    """The whole page in light colours, as wide as WIDTH."""
    with tempfile.TemporaryDirectory(prefix="report.") as name:
        folder = Path(name)
        path, image, profile = folder / "page.html", folder / "page.png", folder / "profile"
        path.write_text(page.replace("</body>", HEIGHT + "</body>"), encoding="utf-8")
        title = re.search(r"<title>(\d+)</title>", run(["--dump-dom", f"--window-size={WIDTH},600"], path, profile))
        if not title:
            raise InputError("the browser did not lay the picture's page out")
        height = min(int(title[1]), MOST_HEIGHT)
        path.write_text(page, encoding="utf-8")
        run([f"--screenshot={image}", f"--window-size={WIDTH},{height}"], path, profile)
        if not image.exists():
            raise InputError("the browser made no picture")
        return tagged(image.read_bytes(), page)


def chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """A PNG's chunks: type and content. Source: PNG specification (W3C), 5.3."""
    at = len(SIGNATURE)
    while data.startswith(SIGNATURE) and at + 12 <= len(data):
        length = struct.unpack_from(">I", data, at)[0]
        yield data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        at += 12 + length


def digest(page: str) -> bytes:
    return hashlib.sha256(page.encode()).hexdigest()[:16].encode()


def tagged(data: bytes, page: str) -> bytes:
    """The picture again, smaller if zlib can, with the page's hash in it and nothing else that is no picture."""
    kept = [(kind, content) for kind, content in chunks(data) if kind in (b"IHDR", b"PLTE", b"IDAT", b"IEND")]
    if not kept or kept[0][0] != b"IHDR":
        raise InputError("what the browser wrote is no PNG")
    pixels = zlib.compress(zlib.decompress(b"".join(content for kind, content in kept if kind == b"IDAT")), 9)
    head = [(kind, content) for kind, content in kept if kind in (b"IHDR", b"PLTE")]
    out = [*head, (b"tEXt", KEYWORD + digest(page)), (b"IDAT", pixels), (b"IEND", b"")]
    body = b"".join(
        struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content)) for kind, content in out
    )
    if len(body) > MOST_BYTES:
        raise InputError(f"the picture would be larger than {MOST_BYTES // 1000} kB")
    return SIGNATURE + body


def shows(data: bytes, page: str) -> bool:
    """Whether the PNG is of this very page."""
    return any(kind == b"tEXt" and content == KEYWORD + digest(page) for kind, content in chunks(data))
