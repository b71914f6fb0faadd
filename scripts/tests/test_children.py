"""Programs that a script starts: benchlib/base/children.py."""

from __future__ import annotations

import os
import signal
import subprocess
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import pytest

from benchlib.base import children
from benchlib.base.errors import InputError


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_a_program_starts_ends_it(monkeypatch: pytest.MonkeyPatch, number: signal.Signals) -> None:
    """It runs already, and who started it does not know it yet."""
    started: list[subprocess.Popen[str]] = []

    class Interrupted(subprocess.Popen[str]):
        def __init__(self, *arguments: Any, **options: Any):
            super().__init__(*arguments, **options)
            started.append(self)
            signal.raise_signal(number)

    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    before = signal.signal(number, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            children.run(["sleep", "1000"], 60)
        assert signal.getsignal(number) is signal.default_int_handler
    finally:
        signal.signal(number, before)
        if started[0].poll() is None:
            started[0].kill()
    assert started[0].returncode == -signal.SIGKILL and started[0].stdout.closed


def test_a_signal_while_a_program_does_not_start_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*arguments: Any, **options: Any) -> None:
        signal.raise_signal(signal.SIGINT)
        raise FileNotFoundError

    monkeypatch.setattr(subprocess, "Popen", refused)
    with pytest.raises(KeyboardInterrupt):
        children.run(["nothing"], 60)


def test_what_ignores_a_signal_goes_on_ignoring_it() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert children.run(["sh", "-c", "kill -INT $PPID; echo done"], 60) == (0, "done\n", "")
    finally:
        signal.signal(signal.SIGINT, before)


GROUP = ["sh", "-c", "cut -d ' ' -f 5 /proc/$$/stat"]


def group_of_a_child() -> tuple[int, int]:
    return os.getpgrp(), int(children.run(GROUP, 60)[1])


def test_a_workers_program_stays_in_its_group_and_ends_in_time() -> None:
    """Ctrl-C goes to the group, and the worker is killed."""
    own, group = group_of_a_child()
    assert own != group
    with ProcessPoolExecutor(1) as pool:
        own, group = pool.submit(group_of_a_child).result()
        assert own == group
        with pytest.raises(InputError, match="sleep 1000: not done after 0.1 s, so it was ended"):
            pool.submit(children.run, ["sleep", "1000"], 0.1).result()
