"""Generated files: compare with what is there, or replace it whole."""

import contextlib
import difflib
import lzma
import os
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from benchlib.base.errors import InputError


def read_text(path: Path) -> str | None:
    """The file as it is, line ends included; None if there is none."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return None


def read_at_most(path: Path, most: int) -> bytes:
    """Raises InputError for a file of more bytes."""
    with open(path, "rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise InputError(f"{path}: longer than {most >> 20} MiB")
    return data


def unpacked(path: Path, most: int) -> bytes:
    """What an .xz file holds. Raises InputError where it is damaged, or holds more bytes: a few packed ones may be any number."""
    try:
        with lzma.open(path) as file:
            data = file.read(most + 1)
    except (lzma.LZMAError, EOFError) as error:
        raise InputError(f"{path}: damaged: {error}") from error
    if len(data) > most:
        raise InputError(f"{path}: more than {most >> 20} MiB are packed in it")
    return data


def shown(path: Path, root: Path) -> str:
    """Of a file below `root` the path from there."""
    resolved = path.resolve()
    return str(resolved.relative_to(root)) if resolved.is_relative_to(root) else str(path)


@contextlib.contextmanager
def naming(path: Path | str) -> Iterator[None]:
    """Of what cannot be written (a full disk) inside the file is said, which write() and close() do not tell."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def write_atomic(path: Path, content: str | bytes) -> None:
    """Writes beside the file and renames: a reader, or a crash, sees the old file or the new one. Through a link the file that it
    leads to; what is no regular file (/dev/null, a pipe) is written to as it is.
    """
    data = content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape")
    path = Path(os.path.realpath(path))
    if path.exists() and not path.is_file():
        with open(path, "wb", buffering=0) as device:
            device.write(data)
        return
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with naming(path), open(handle, "wb") as file:
            file.write(data)
        os.chmod(temporary, mode)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _umask() -> int:
    mask = os.umask(0o077)  # there is no way to read it but to set it
    os.umask(mask)
    return mask


def short_diff(path: Path, old: str | None, new: str, lines: int = 12) -> str:
    """The first lines of the difference between the file and what it should hold."""
    # Escaped, because a control character may be all that differs.
    shown = [[ascii(line)[1:-1] for line in (text or "").splitlines(keepends=True)] for text in (old, new)]
    diff = difflib.unified_diff(*shown, f"{path} (as it is)", f"{path} (from the CSV)", n=0, lineterm="")
    return "\n".join(islice(diff, lines))
