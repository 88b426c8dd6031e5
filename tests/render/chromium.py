"""A headless Chromium to look at pages with, spoken to over the web socket that its tools use.

One process, one page at a time, everything in a folder that goes away. What the page asked the network for,
and what it wrote to the console, is kept.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
QUIET = (
    *("--headless", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--hide-scrollbars", "--remote-debugging-port=0"),
)
PATIENCE_S = (
    60  # a loaded machine may take this long for one answer; a browser that hangs must not hang the tests
)


def program() -> str | None:
    """The browser's program: `AMBERFORK_CHROMIUM`, or the first on the path; `None` where there is none."""
    return os.environ.get("AMBERFORK_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


_DRAWN = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))"


class Browser:
    """A running browser with one page, the commands it takes and the events it tells."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket, self._number, self._events = socket, 0, list[dict[str, Any]]()
        self._scripted = True
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        self._session: str | None = self._ask("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Network", "Log", "Accessibility"):
            self.ask(f"{domain}.enable")
        self.ask("Page.setLifecycleEventsEnabled", enabled=True)

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The answer to a command of the DevTools protocol, given to the page."""
        return self._ask(method, session=self._session, **parameters)

    def open(
        self, url: str, *, width: int = 1280, height: int = 800, dark: bool = False, script: bool = True
    ) -> None:
        """Load a page in a window of that size, for one who likes it dark or not; forget what was told."""
        self.resize(width, height)
        self.prefer("dark" if dark else "light")
        self.ask("Emulation.setScriptExecutionDisabled", value=not script)
        self._scripted = script
        self._load("about:blank")
        self._events.clear()
        self._load(url)
        self._draw()

    def resize(self, width: int, height: int) -> None:
        """Give the window that size."""
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def prefer(self, scheme: str) -> None:
        """Be a reader who likes pages `light` or `dark`."""
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.ask("Emulation.setEmulatedMedia", features=[feature])

    def run(self, expression: str) -> Any:
        """What a JavaScript expression gives; a promise is waited for. An exception there is one here."""
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise AssertionError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def press(self, key: str, *, shift: bool = False, text: str = "") -> None:
        """Press and release a key, as a keyboard does."""
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "ArrowRight": 39, "ArrowLeft": 37}
        code = codes.get(key, ord(key.upper()[0]))
        typed = {"text": text or {"Enter": "\r"}.get(key, key if len(key) == 1 else "")}
        common = {"key": key, "code": key, "windowsVirtualKeyCode": code, "modifiers": 8 if shift else 0}
        self.ask("Input.dispatchKeyEvent", type="keyDown", **common, **{k: v for k, v in typed.items() if v})
        self.ask("Input.dispatchKeyEvent", type="keyUp", **common)

    def click(self, selector: str) -> None:
        """Click into the middle of an element."""
        self._draw()  # what is drawn for the first time may push other things aside
        box = self.run(f"document.querySelector({json.dumps(selector)}).getBoundingClientRect().toJSON()")
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        for kind in ("mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def screenshot(self, file: Path, *, whole: bool = False) -> None:
        """Write a PNG of the window, or of the whole page."""
        data = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        file.write_bytes(base64.b64decode(data))

    def told(self, method: str) -> list[dict[str, Any]]:
        """The events of one kind since the page was opened."""
        self._draw()
        return [event["params"] for event in self._events if event["method"] == method]

    @property
    def complaints(self) -> list[str]:
        """What stands in the console, exceptions and violations of the page's policy among it."""
        logged = [entry["entry"]["text"] for entry in self.told("Log.entryAdded")]
        written = [str(call["args"]) for call in self.told("Runtime.consoleAPICalled")]
        raised = [str(thrown["exceptionDetails"]) for thrown in self.told("Runtime.exceptionThrown")]
        return logged + written + raised

    @property
    def requests(self) -> list[str]:
        """Every address that was asked for."""
        return [sent["request"]["url"] for sent in self.told("Network.requestWillBeSent")]

    def _ask(self, method: str, *, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        self._socket.send(json.dumps(message | ({"sessionId": session} if session else {})))
        while (answer := self._receive()).get("id") != self._number:
            self._events.append(answer)
        if "error" in answer:
            raise AssertionError(f"{method}: {answer['error']}")
        result: dict[str, Any] = answer["result"]
        return result

    def _draw(self) -> None:
        """Wait until two frames have been drawn; a page without script cannot tell."""
        if self._scripted:
            self.run(_DRAWN)
        else:
            time.sleep(0.1)

    def _load(self, url: str) -> None:
        loader = self.ask("Page.navigate", url=url)["loaderId"]
        while not any(_is_loaded(event, loader) for event in self._events):
            self._events.append(self._receive())

    def _receive(self) -> dict[str, Any]:
        received: dict[str, Any] = json.loads(self._socket.recv(timeout=PATIENCE_S))
        return received


def _is_loaded(event: dict[str, Any], loader: str) -> bool:
    told = event.get("params", {})
    return event.get("method") == "Page.lifecycleEvent" and (told["name"], told["loaderId"]) == (
        "load",
        loader,
    )


@contextmanager
def running(folder: Path) -> Iterator[Browser]:
    """A browser whose profile is in that folder, until the end of the block."""
    profile = folder / "profile"
    profile.mkdir()
    command = [program() or "chromium", *QUIET, f"--user-data-dir={profile}"]
    command += ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with (folder / "chromium.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        with connect(_address(process, profile, folder), max_size=None) as socket:
            yield Browser(socket)
            socket.send(json.dumps({"id": 0, "method": "Browser.close"}))
    finally:
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _address(process: subprocess.Popen[bytes], profile: Path, folder: Path) -> str:
    """Where the browser listens, which it writes to a file as soon as it does."""
    file = profile / "DevToolsActivePort"
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline and process.poll() is None:
        lines = file.read_text().split("\n") if file.exists() else []
        if len(lines) > 1 and lines[1]:
            return f"ws://127.0.0.1:{lines[0]}{lines[1]}"
        time.sleep(0.05)
    process.kill()
    raise AssertionError(
        f"the browser does not listen: {(folder / 'chromium.log').read_text(errors='replace')}"
    )
