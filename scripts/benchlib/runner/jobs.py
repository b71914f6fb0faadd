"""Commands that a signal can end at any moment, and that end with the script that started them.

What a job has started is known by a mark in its environment, which it keeps in groups and sessions of its own (ninja's compilers, ncu's
program, dpkg) and when its parent is gone.
"""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

from benchlib.base.console import INTERRUPTED

GRACE_S = 1.0  # from the first signal to SIGKILL: a program ends after the sample in hand
GIVE_UP_S = 1.9  # what waits for a driver inside the kernel cannot be killed
LOOK_S = 0.05
# All that end a program which does not catch them, but for those of a program's own faults: Slurm sends USR1, a limit of time XCPU.
SIGNALS = [
    signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGABRT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGPIPE, signal.SIGALRM,
    signal.SIGTERM, signal.SIGSTKFLT, signal.SIGXCPU, signal.SIGVTALRM, signal.SIGPROF, signal.SIGIO, signal.SIGPWR,
    *range(signal.SIGRTMIN, signal.SIGRTMAX + 1),
]  # fmt: skip


class Jobs:
    """While it is open, a signal is passed on to the job in hand as INT, a second one kills it, and no job is begun after one."""

    def __init__(self, program: str):
        self.program = program
        self.interrupts = 0
        self.by_sudo = False  # some of what a job starts belongs to root
        self.kept_open: list[int] = []  # files that what is started holds, too
        self._first_at = 0.0
        self._mark = f"BENCH_RUN={os.getpid()}.{time.time_ns()}"
        self._wake: queue.SimpleQueue[bool] = queue.SimpleQueue()

    def __enter__(self) -> Jobs:
        self._start_watchdog()
        for number in SIGNALS:
            signal.signal(number, self._on_signal)
        return self

    def __exit__(self, *_: object) -> None:
        os.write(self._pipe, b"done")
        os.close(self._pipe)
        os.waitpid(self._watchdog, 0)

    def _start_watchdog(self) -> None:
        """It reads a pipe whose other end this process alone holds, so the end of file says that the script has died without a word. Its
        group is its own: Ctrl-C, or a kill of the script's, is not for it.
        """
        reading, self._pipe = os.pipe()
        self._watchdog = os.fork()
        if self._watchdog:
            os.close(reading)
            return
        try:
            os.setpgid(0, 0)
            for number in SIGNALS:
                signal.signal(number, signal.SIG_IGN)
            os.close(self._pipe)
            nothing = os.open(os.devnull, os.O_RDWR)
            for stream in range(3):
                os.dup2(nothing, stream)
            if not os.read(reading, 1):
                self._note()
                self._end()
        finally:
            os._exit(0)

    def _note(self) -> None:
        self.interrupts += 1
        if self.interrupts == 1:
            self._first_at = time.monotonic()

    def _on_signal(self, number: int, frame: object) -> None:
        self._note()
        self._wake.put(False)

    def run(
        self, command: Sequence[str | Path], stdout: IO[str] | None = None, stderr: IO[str] | int | None = None,
        each: Callable[[], None] | None = None, every_s: float | None = None, no_input: bool = False,
    ) -> int:  # fmt: skip
        """Its exit code, 128 and the number if a signal ended it; 130 after a signal to the script, also one that came before it. `each`
        is called every so many seconds.
        """
        if self.interrupts:
            return INTERRUPTED
        name, _, value = self._mark.partition("=")
        try:
            # A process group of its own, so that Ctrl-C reaches it once, through this script.
            process = subprocess.Popen(
                [*map(str, command)], env={**os.environ, name: value}, stdin=subprocess.DEVNULL if no_input else None, stdout=stdout, stderr=stderr,
                process_group=0, pass_fds=self.kept_open,
            )  # fmt: skip
        except OSError as error:
            print(f"{self.program}: {error}", file=sys.stderr)
            return 127 if isinstance(error, FileNotFoundError) else 126
        self._wake = wake = queue.SimpleQueue()
        waiting = threading.Thread(target=lambda: (process.wait(), wake.put(True)), daemon=True)
        waiting.start()
        while not self.interrupts:
            try:
                if wake.get(timeout=every_s):
                    break
            except queue.Empty:
                if each:
                    each()
        if self.interrupts:
            self._end()
            return INTERRUPTED
        waiting.join()
        if process.returncode == INTERRUPTED or process.returncode == -signal.SIGINT:  # somebody has interrupted it without this script
            self._note()
            return INTERRUPTED
        return process.returncode if process.returncode >= 0 else 128 - process.returncode

    def _end(self) -> None:
        """After a signal: waits until all that jobs have started is gone, and kills what does not go by itself."""
        interrupted = False
        while found := self._processes():
            waited = time.monotonic() - self._first_at
            if waited > GIVE_UP_S:
                print(f"{self.program}: these processes are still there: {' '.join(map(str, found))}", file=sys.stderr)
                return
            if self.interrupts > 1 or waited > GRACE_S:
                self._signal(signal.SIGKILL, found)
            elif not interrupted:
                self._signal(signal.SIGINT, found)
                interrupted = True
            time.sleep(LOOK_S)

    def _processes(self) -> list[int]:
        """The ids of what jobs have started and is still there."""
        found = []
        for folder in os.listdir("/proc"):
            if folder.isdecimal():
                try:
                    environment = Path("/proc", folder, "environ").read_bytes()
                except OSError:
                    continue
                if self._mark.encode() in environment.split(b"\0"):
                    found.append(int(folder))
        if self.by_sudo:
            said = self._as_root(["sh", "-c", 'exec grep -lzFxs -e "$1" /proc/[0-9]*/environ', "sh", self._mark])
            found += [int(path.split("/")[2]) for path in said.split()]
        return sorted(set(found))

    def _signal(self, number: signal.Signals, processes: Sequence[int]) -> None:
        for process in processes:
            try:
                os.kill(process, number)
            except ProcessLookupError:
                pass
            except PermissionError:
                self._as_root(["kill", "-s", str(int(number)), str(process)])

    def _as_root(self, command: Sequence[str]) -> str:
        if not self.by_sudo:
            return ""
        return subprocess.run(["sudo", "-n", *command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
