"""Archives: packed, read back, and read where somebody damaged one or means harm."""

from __future__ import annotations

import io
import lzma
import subprocess
import tarfile
from pathlib import Path

import pytest
from benchlib.base import archive
from benchlib.base.errors import InputError

FILES = {f"{'product_' * 14}8192.cuda.sass": b"of a long name\n", "b.cuda.sass": b"0000 EXIT\n" * 200, "a.vulkan.sass": b""}


def tar_of(*entries: tarfile.TarInfo) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for entry in entries:
            tar.addfile(entry, io.BytesIO(bytes(entry.size)))
    return lzma.compress(buffer.getvalue())


def entry(name: str, kind: bytes = tarfile.REGTYPE, link: str = "", size: int = 0) -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    made.type, made.linkname, made.size = kind, link, size
    return made


def test_what_is_packed_is_read_and_tar_unpacks_it(tmp_path: Path) -> None:
    path = tmp_path / "exp01.tar.xz"
    path.write_bytes(archive.packed(FILES))
    assert archive.read(path) == FILES
    assert archive.packed(dict(reversed(FILES.items()))) == path.read_bytes()
    subprocess.run(["tar", "-xJf", path, "-C", tmp_path], check=True)
    assert {name: (tmp_path / name).read_bytes() for name in FILES} == FILES


@pytest.mark.parametrize(
    "bad",
    [entry("../up"), entry("/etc/passwd"), entry("a/b"), entry(".hidden"), entry("a b"), entry("a", tarfile.SYMTYPE, "/etc/passwd"),
     entry("a", tarfile.LNKTYPE, "b.cuda.sass"), entry("a", tarfile.FIFOTYPE), entry("a", tarfile.CHRTYPE), entry("a", tarfile.DIRTYPE),
     entry("add.cuda.sass", size=9)],
    ids=lambda each: f"{each.name} {each.type!r}",
)  # fmt: skip
def test_only_plain_files_are_in_one(tmp_path: Path, bad: tarfile.TarInfo) -> None:
    path = tmp_path / "exp01.tar.xz"
    path.write_bytes(tar_of(entry("add.cuda.sass", size=9), bad))
    with pytest.raises(InputError, match="exp01.tar.xz: .* in it is (no plain file|there twice)"):
        archive.read(path)


def test_a_sparse_file_unpacks_to_nothing(tmp_path: Path) -> None:
    """512 bytes whose header says that they stand for 1 GiB."""
    sparse = entry("a", tarfile.GNUTYPE_SPARSE, size=512)
    head = bytearray(sparse.tobuf(tarfile.GNU_FORMAT))
    head[386:410], head[483:495] = b"00000000000\0" + b"00000001000\0", b"10000000000\0"
    head[148:156] = b" " * 8
    head[148:156] = b"%06o\0 " % sum(head)
    path = tmp_path / "exp01.tar.xz"
    path.write_bytes(lzma.compress(bytes(head) + bytes(512) + bytes(1024)))
    with pytest.raises(InputError, match="'a' in it is no plain file"):
        archive.read(path)


def test_a_damaged_one_is_named(tmp_path: Path) -> None:
    path = tmp_path / "exp01.tar.xz"
    whole, tar = archive.packed(FILES), lzma.decompress(archive.packed(FILES))
    for data in (b"", b"no archive", whole[:-9], lzma.compress(tar[:1000]), lzma.compress(tar[:512] + b"x" + tar[513:]), lzma.compress(b"x" * 5000)):
        path.write_bytes(data)
        with pytest.raises(InputError, match="exp01.tar.xz: damaged"):
            archive.read(path)


def test_one_that_unpacks_without_end(tmp_path: Path) -> None:
    (tmp_path / "exp01.tar.xz").write_bytes(lzma.compress(bytes(archive.MOST_ARCHIVE_BYTES + 1), preset=0))
    with pytest.raises(InputError, match="more than 64 MiB are packed in it"):
        archive.read(tmp_path / "exp01.tar.xz")
