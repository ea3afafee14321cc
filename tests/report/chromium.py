"""A real, headless Chromium without a network, driven by the DevTools protocol over a pipe: no driver, no package.

The browser reads commands from descriptor 3 and answers on 4 (--remote-debugging-pipe), each one JSON and a null byte.
https://chromedevtools.github.io/devtools-protocol/
"""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-component-update",
    "--disable-background-networking", "--disable-sync", "--hide-scrollbars", "--remote-debugging-pipe",
    "--force-color-profile=srgb", "--host-resolver-rules=MAP * ~NOTFOUND",
)  # fmt: skip
PATIENCE = 60  # seconds for one answer

FOUND = next(filter(None, map(shutil.which, NAMES)), None)
needs_chromium = pytest.mark.skipif(
    FOUND is None,
    reason="no Chromium is installed, so no page is opened (apt-get install chromium)",
)


class Browser:
    """One tab. `messages` are what a console would show, `requests` the addresses that were asked for."""

    def __init__(self, scratch: Path) -> None:
        self.downloads = scratch / "downloads"
        self.messages = []
        self.requests = []
        self._number, self._rest, self._events = 0, b"", []
        self._read, child_writes = os.pipe()
        child_reads, self._write = os.pipe()

        def descriptors():  # of the child: 3 to read from, 4 to write to
            spare = os.dup(child_reads), os.dup(child_writes)
            os.dup2(spare[0], 3)
            os.dup2(spare[1], 4)

        assert FOUND is not None
        self._process = subprocess.Popen(
            [FOUND, *FLAGS, f"--user-data-dir={scratch / 'profile'}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=descriptors, close_fds=False, start_new_session=True,
        )  # fmt: skip
        os.close(child_reads)
        os.close(child_writes)
        self._session = ""
        targets = self.ask("Target.getTargets")["targetInfos"]
        tab = next(target["targetId"] for target in targets if target["type"] == "page")
        attached = self.ask("Target.attachToTarget", targetId=tab, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")
        nowhere = {"latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
        self.ask("Network.emulateNetworkConditions", offline=True, **nowhere)

    def close(self):
        os.close(self._write)
        os.close(self._read)
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def open(self, page, width=1280, dark=False, scripts=True):
        """Show the page anew; seconds until it is loaded."""
        self.messages, self.requests = [], []
        self.ask("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.size(width)
        self.media("", dark)
        self._events.clear()  # of a page that nobody waited for
        begun = time.perf_counter()
        self.ask("Page.navigate", url=page.resolve().as_uri())
        self._wait_for("Page.loadEventFired")
        if scripts:
            self.run(
                "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
            )
        return time.perf_counter() - begun

    def size(self, width, height=900):
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.ask("Emulation.setDeviceMetricsOverride", **size)

    def media(self, kind, dark=False):
        """'print' or ''; and the reader's preference."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", media=kind, features=[scheme])

    def run(self, script):
        """The value of an expression; of a promise, what it comes to."""
        asked = {"expression": script, "returnByValue": True, "awaitPromise": True}
        reported = self.ask("Runtime.evaluate", **asked)
        if "exceptionDetails" in reported:
            raise AssertionError(f"{script}: {reported['exceptionDetails']}")
        return reported["result"].get("value")

    def press(self, key):
        text = {"text": "\r"} if key == "Enter" else {}
        code = {"Enter": 13, "Tab": 9, " ": 32, "Escape": 27}.get(key, 0)
        about = {"key": key, "code": "Space" if key == " " else key, "windowsVirtualKeyCode": code}
        for kind in ("keyDown", "keyUp"):
            self.ask(
                "Input.dispatchKeyEvent", type=kind, **about, **(text if kind == "keyDown" else {})
            )

    def downloaded(self, click):
        """The file that a script makes the browser save."""
        shutil.rmtree(self.downloads, ignore_errors=True)
        self.ask("Page.setDownloadBehavior", behavior="allow", downloadPath=str(self.downloads))
        self.run(click)
        for _ in range(PATIENCE * 20):
            done = [*self.downloads.glob("*")] if self.downloads.exists() else []
            if done and done[0].suffix != ".crdownload" and done[0].stat().st_size:
                return done[0]
            self.run("new Promise(done => setTimeout(done, 50))")
        raise AssertionError(f"{click} downloaded nothing")

    def ask(self, method, **parameters):
        self._number += 1
        asked = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            asked["sessionId"] = self._session
        os.write(self._write, json.dumps(asked).encode() + b"\0")
        while True:
            reported = self._next()
            if reported.get("id") == self._number:
                assert "error" not in reported, (method, reported["error"])
                return reported["result"]

    def _wait_for(self, event):
        while event not in self._events:
            self._next()
        self._events.clear()

    def _next(self):
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._read], [], [], PATIENCE)
            assert ready, "Chromium does not answer"
            self._rest += os.read(self._read, 1 << 20)
        line, _, self._rest = self._rest.partition(b"\0")
        reported = json.loads(line)
        self._look(reported.get("method", ""), reported.get("params", {}))
        return reported

    def _look(self, event, about):
        if event == "Page.loadEventFired":
            self._events.append(event)
        elif event == "Network.requestWillBeSent":
            self.requests.append(about["request"]["url"])
        elif event in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            self.messages.append(json.dumps(about))
        elif event == "Page.javascriptDialogOpening":
            self.messages.append(f"dialog: {about['message']}")


@contextmanager
def browser(scratch):
    scratch.mkdir(parents=True, exist_ok=True)
    opened = Browser(scratch)
    try:
        yield opened
    finally:
        opened.close()
