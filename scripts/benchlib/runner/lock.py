"""Who may write into a folder. A lock is a file there that a process, or what it has started, holds; its text says who."""

import fcntl
import os
import socket
from pathlib import Path

from benchlib.base.csv_file import InputError
from benchlib.base.files import naming

FILE = "run.lock"
SHARED_FOLDER = "/tmp"  # what all users and all checkouts of a host see; BENCH_LOCK_DIR names another


class Lock:
    """Of a folder, until it is let go. Raises InputError, and has changed nothing, where somebody else holds it."""

    def __init__(self, folder: Path, shared: bool = False):
        self.folder = folder
        self._path = folder / FILE
        while not self._take(shared):
            pass
        if not shared:
            with naming(self._path):
                os.ftruncate(self.handle, 0)
                os.pwrite(self.handle, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)

    def _take(self, shared: bool) -> bool:
        """False: another file took its place meanwhile."""
        self.handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
        try:
            fcntl.flock(self.handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.pread(self.handle, 200, 0).decode(errors="replace").strip()
            os.close(self.handle)
            if not isinstance(error, BlockingIOError):
                raise InputError(f"{self._path} cannot be locked ({error.strerror}): choose another file system with --out") from None
            raise InputError(
                f"another run.sh{f' ({holder})' if holder else ''} or hand_in.py is writing into {self.folder}: nothing is changed; wait for its end, "
                "or choose another folder"
            ) from None
        if self.is_there():
            return True
        os.close(self.handle)
        return False

    def is_there(self) -> bool:
        """False: the file, or a folder above it, has been removed or replaced."""
        try:
            there = os.stat(self._path, follow_symlinks=False)
        except OSError:
            return False
        return os.path.samestat(there, os.fstat(self.handle))

    def check(self) -> None:
        if not self.is_there():
            raise InputError(f"{self.folder} was removed or replaced while it was written: what was measured since may be lost")

    def let_go(self) -> None:
        """The file goes with the last who holds it."""
        try:
            fcntl.flock(self.handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if self.is_there():
                os.unlink(self._path)
        except OSError:
            pass
        fcntl.flock(self.handle, fcntl.LOCK_UN)
        os.close(self.handle)


def lock_gpu(board: str) -> int:
    """A file's descriptor that keeps others of this host from measuring on the GPU, whatever folder they write into, until it is closed here
    and in all that has inherited it. `board`: the first digits of its UUID. Raises InputError where somebody else measures on it.
    """
    path = Path(os.environ.get("BENCH_LOCK_DIR") or SHARED_FOLDER) / f"cuda_vulkan_bench.{board}.lock"
    try:
        # Another user's file in a sticky folder may be opened, and not by O_CREAT (fs.protected_regular). It stays: who removed it, would
        # let two of them lock two files.
        try:
            handle = os.open(path, os.O_RDONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
        except FileExistsError:
            handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError as error:
        raise InputError(f"{path} cannot be opened ({error.strerror}): remove it, or name another folder by BENCH_LOCK_DIR") from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise InputError(f"another run.sh measures on GPU {board} ({path} is locked): both would disturb each other; wait for its end") from None
    return handle
