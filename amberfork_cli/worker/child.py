"""One worker process, seen from outside: started, spoken to, listened to, killed.

Its death is seen by waiting on its pid, because a process that its tools left behind can hold its pipes open.
It leads a session and process group of its own: Ctrl-C in the terminal does not reach it, its tools find no
terminal to ask questions on, and killing the group takes along what its tools started.
"""

from __future__ import annotations

import codecs
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, TypeAlias

from amberfork_cli.errors import AmberforkError
from amberfork_cli.worker.protocol import Decoder, Leave, Message, ProtocolError, encode

_ENVIRONMENT = {
    "PYTHONHASHSEED": "0",  # sets come in the same order in every run
    "AMBERFORK_REPLAY": "1",  # a tool can know that a tape is being run again
}
_LAST_BREATH = 3.0  # seconds between the end of a dying process's pipes and its own, on a busy machine
_PIECE = 1 << 20  # bytes read at once; the deadlines are looked at between pieces


@dataclass(frozen=True, slots=True)
class Output:
    """Text on the worker's standard output or error, from whichever call."""

    text: str


@dataclass(frozen=True, slots=True)
class Died:
    """The process is no more, or can no longer be spoken to; `reason` says how, as in “the worker …”."""

    reason: str


Event: TypeAlias = Message | Output | Died


class Child:
    """A worker process. Raises AmberforkError where the system cannot have one."""

    def __init__(self) -> None:
        if sys.platform == "win32":
            raise AmberforkError("running tools needs Linux or macOS: Windows has no process groups to kill")
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-X", "faulthandler", "-m", "amberfork_cli.worker.process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
            env={**os.environ, **_ENVIRONMENT},
        )
        self._to_child, self._from_child, self._printed = map(_unblocked, _pipes(self._process))
        self._decoder, self._unsent = Decoder(), bytearray()
        self._text = codecs.getincrementaldecoder("utf-8")("backslashreplace")
        self._watcher, self._death = self._watch()
        self._selector = selectors.DefaultSelector()
        for source in (self._from_child, self._printed, self._death):
            self._selector.register(source, selectors.EVENT_READ)

    def send(self, message: Message) -> None:
        """Queue a message; it leaves while `listen` waits, so a deaf worker cannot block the caller."""
        if not self._unsent:
            self._selector.register(self._to_child, selectors.EVENT_WRITE)
        self._unsent += encode(message)

    def listen(self, seconds: float | None) -> list[Event]:
        """What happened, as soon as something did or when the seconds are over.

        Output stands before a message that was sent after it. Once `Died` was given there is nothing more.
        """
        ready = {key.fd for key, _ in self._selector.select(seconds)}
        if self._to_child in ready:
            self._write()
        if self._death in ready:
            return [*self._last_words(), Died(self._reason())]
        events = list(self._read_messages()) if self._from_child in ready else []
        return [*self._read_output(), *events]

    def kill(self) -> None:
        """End the process and its group now, and wait until it is gone. May be called again."""
        with suppress(ProcessLookupError, PermissionError):  # gone by itself; macOS says so in its own way
            os.killpg(self._process.pid, signal.SIGKILL)
        self._watcher.join()
        self._close()

    def leave(self, grace: float) -> Iterator[Event]:
        """Ask the process to end, so that it can close what it holds; what it says until it is gone.

        It has `grace` seconds, then it is killed.
        """
        try:
            self.send(Leave())
            end = time.monotonic() + grace
            while (left := end - time.monotonic()) > 0:
                events = self.listen(left)
                yield from events
                if any(isinstance(event, Died) for event in events):
                    return
        finally:
            self.kill()

    def _watch(self) -> tuple[threading.Thread, int]:
        """A thread that waits on the pid, and a descriptor that becomes readable when it is gone."""
        death, alive = os.pipe()

        def watch() -> None:
            self._process.wait()
            os.close(alive)

        thread = threading.Thread(target=watch, name="amberfork-worker-watch", daemon=True)
        thread.start()
        return thread, death

    def _write(self) -> None:
        try:
            del self._unsent[: os.write(self._to_child, memoryview(self._unsent)[:_PIECE])]
        except BrokenPipeError:
            self._unsent.clear()  # the death that follows is told by its own descriptor
        if not self._unsent:
            self._selector.unregister(self._to_child)

    def _read_messages(self) -> Iterator[Event]:
        piece = _read(self._from_child)
        try:
            if piece == b"":
                raise ProtocolError
            yield from self._decoder.feed(piece or b"")
        except ProtocolError:
            self._stop_reading(self._from_child)
            self._watcher.join(_LAST_BREATH)
            yield Died("closed its connection" if self._watcher.is_alive() else self._reason())

    def _read_output(self) -> Iterator[Event]:
        piece = _read(self._printed)
        if piece == b"":
            self._stop_reading(self._printed)
        if text := self._text.decode(piece or b""):
            yield Output(text)

    def _stop_reading(self, source: int) -> None:
        with suppress(KeyError):  # the end of a pipe can be read again and again
            self._selector.unregister(source)

    def _last_words(self) -> Iterator[Event]:
        """What was said before the death; read until the pipes are empty, not until they are closed."""
        messages: list[Event] = []
        with suppress(ProtocolError):
            while piece := _read(self._from_child):
                messages += self._decoder.feed(piece)
        yield from self._read_output()
        yield from messages

    def _reason(self) -> str:
        self._watcher.join()
        code = self._process.returncode
        if code >= 0:
            return f"exited with code {code}"
        name = signal.Signals(-code).name
        return f"was ended by {name} ({(signal.strsignal(-code) or name).lower()})"

    def _close(self) -> None:
        self._selector.close()
        for pipe in _streams(self._process):
            pipe.close()
        if self._death >= 0:
            os.close(self._death)
            self._death = -1


def _streams(process: subprocess.Popen[bytes]) -> list[IO[bytes]]:
    return [pipe for pipe in (process.stdin, process.stdout, process.stderr) if pipe]


def _pipes(process: subprocess.Popen[bytes]) -> list[int]:
    return [pipe.fileno() for pipe in _streams(process)]


def _unblocked(descriptor: int) -> int:
    os.set_blocking(descriptor, False)
    return descriptor


def _read(descriptor: int) -> bytes | None:
    """What is there now: None for nothing yet, empty at the end."""
    try:
        return os.read(descriptor, _PIECE)
    except BlockingIOError:
        return None
