"""A headless Chromium, driven by the DevTools protocol over a pipe: JSON messages that end in NUL, no library and no port.

Source: chromedevtools.github.io/devtools-protocol; the pipe is --remote-debugging-pipe, which reads descriptor 3 and writes 4.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import time
from pathlib import Path
from typing import Any

from benchlib.pages import report_picture

TIMEOUT_S = 60


class Browser:
    """One page of one browser; end it by close()."""

    def __init__(self, profile: Path):
        theirs_in, self._out = os.pipe()
        self._in, theirs_out = os.pipe()
        options = ["--headless=new", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe", "--host-resolver-rules=MAP * ~NOTFOUND"]
        options += [f"--user-data-dir={profile}", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
        # bash: sh need not know descriptors above 9.
        command = ["bash", "-c", f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}', "bash", str(report_picture.browser()), *options]
        self._process = subprocess.Popen(
            command, pass_fds=(theirs_in, theirs_out), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._buffer = b""
        self._last = 0
        self._session = ""
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def close(self) -> None:
        os.close(self._out)  # which ends it
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._in)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The command's result."""
        self._last += 1
        message = {"id": self._last, "method": method, "params": parameters} | ({"sessionId": self._session} if self._session else {})
        os.write(self._out, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + TIMEOUT_S
        while (answer := self._message(until)).get("id") != self._last:
            self.events.append(answer)
        assert "error" not in answer, f"{method}: {answer['error']}"
        return answer["result"]

    def _message(self, until: float) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            assert select.select([self._in], [], [], max(0, until - time.monotonic()))[0], "the browser does not answer"
            read = os.read(self._in, 1 << 20)
            assert read, "the browser has ended"
            self._buffer += read
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def wait(self, event: str) -> None:
        """For an event that has not been seen since open() was called."""
        until = time.monotonic() + TIMEOUT_S
        while all(each.get("method") != event for each in self.events):
            self.events.append(self._message(until))

    def look(self, width: int, *, dark: bool = False, height: int = 900) -> None:
        """The window's size and the reader's scheme, of this page and those to come."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media="", features=[scheme])

    def open(self, address: str) -> None:
        """Anew, until it is loaded; `events` are then of this page alone."""
        for each in ("about:blank", address):  # from a page to another place in it nothing would be loaded
            self.events.clear()
            self.call("Page.navigate", url=each)
            self.wait("Page.loadEventFired")

    def run(self, script: str) -> Any:
        """What the expression gives, of a promise what it comes to."""
        found = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def press(self, key: str, code: int, *, shift: bool = False) -> None:
        """A key, by its name and its Windows code: Tab is 9, Enter 13."""
        text = {"Enter": "\r", "Space": " "}.get(key, "")
        for kind in ("keyDown", "keyUp"):
            shown = {"text": text} if text and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, modifiers=8 * shift, **shown)

    def messages(self) -> list[str]:
        """What the console shows of this page."""
        texts = []
        for each in self.events:
            kind, found = each.get("method"), each.get("params", {})
            if kind == "Runtime.exceptionThrown":
                texts.append(found["exceptionDetails"].get("exception", {}).get("description") or found["exceptionDetails"]["text"])
            elif kind == "Runtime.consoleAPICalled":
                texts.append(" ".join(str(each.get("value", each)) for each in found["args"]))
            elif kind == "Log.entryAdded":
                texts.append(found["entry"]["text"])
        return texts

    def requests(self) -> list[str]:
        """What this page asked for."""
        return [each["params"]["request"]["url"] for each in self.events if each.get("method") == "Network.requestWillBeSent"]
