"""Small files packed into one, NAME.tar.xz, as `tar -xJf` unpacks it. The same files give the same bytes."""

import io
import lzma
import os
import re
import tarfile
from collections.abc import Mapping
from pathlib import Path

from benchlib.base import files
from benchlib.base.errors import InputError
from benchlib.base.kept import kept_last

SUFFIX = ".tar.xz"
MOST_ARCHIVE_BYTES = 64 << 20  # of all that is in one: the largest committed one has 4 MB
PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*")  # no name in one leads out of the folder that it is unpacked into


def packed(members: Mapping[str, bytes]) -> bytes:
    """Of files by their names, in the order of these; nothing of who packed them, or when."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:  # of a name of up to 100 bytes the same as ustar's
        for name, data in sorted(members.items()):
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    return lzma.compress(buffer.getvalue(), preset=9)


def holds(path: Path) -> bool:
    """Whether it is in an archive: NAME.tar.xz/<file>."""
    return path.parent.name.endswith(SUFFIX)


def file_of(path: Path) -> Path:
    """The file on disk: the archive of what is in one."""
    return path.parent if holds(path) else path


def names(path: Path) -> tuple[str, ...]:
    """Of the files in it; see read()."""
    state = os.stat(path)
    return _names(path, state.st_mtime_ns, state.st_size, state.st_ino)


@kept_last(None)
def _names(path: Path, *_state: int) -> tuple[str, ...]:
    return tuple(read(path))


def read(path: Path) -> Mapping[str, bytes]:
    """The files by their names; none where there is no archive. Raises InputError, with the archive's path, where it is damaged, where more
    than MOST_BYTES are packed in it, or where something in it is no plain file with a name of its own.
    """
    try:
        state = os.stat(path)
    except FileNotFoundError:
        return {}
    return _read(path, state.st_mtime_ns, state.st_size, state.st_ino)


@kept_last(64)
def _read(path: Path, *_state: int) -> Mapping[str, bytes]:
    data = files.unpacked(path, MOST_ARCHIVE_BYTES)
    found: dict[str, bytes] = {}
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as tar:
            for entry in tar:
                # A sparse file's size is what its header says: a few bytes may stand for any number.
                plain = entry.isreg() and not entry.issparse() and PLAIN.fullmatch(entry.name)
                content = tar.extractfile(entry) if plain else None
                if content is None or entry.name in found:
                    raise InputError(f"{path}: {ascii(entry.name)[:80]} in it is {'there twice' if content else 'no plain file'}")
                found[entry.name] = content.read()
            if not data[tar.offset :] or data[tar.offset :].strip(b"\0"):  # tarfile ends at a bad header without a word
                raise InputError(f"{path}: damaged: it does not end as an archive does")
    except (tarfile.TarError, OSError, ValueError) as error:
        raise InputError(f"{path}: damaged: {error}") from error
    return found
