"""The worker's end of the pipes: where messages go out, and where everything that is printed goes instead.

What tools print must never land between the messages. So the pipes move to other descriptors before anything
of the user's is imported, standard input becomes the null device, and standard output becomes standard error,
which the command reads. That holds for `os.write`, child processes and C libraries too.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
from collections.abc import Iterable
from contextvars import ContextVar
from io import TextIOWrapper
from typing import Any, TextIO, cast

from amberfork_cli.worker.printing import MOST_PRINTED
from amberfork_cli.worker.protocol import Decoder, Message, Printed, encode

_PIECE = 1 << 16

CURRENT_CALL: ContextVar[int] = ContextVar("amberfork_call")
"""The number of the call that this thread or task works for."""


class Channel:
    """Messages to and from the command. Any thread may send."""

    def __init__(self, incoming: int, outgoing: int) -> None:
        self.incoming, self._outgoing = incoming, outgoing
        self._lock, self._owner, self._decoder = threading.Lock(), os.getpid(), Decoder()

    @property
    def is_ours(self) -> bool:
        """Whether this is the worker itself, and not a copy of it that a tool forked."""
        return os.getpid() == self._owner

    def send(self, message: Message) -> None:
        """Write the message. A forked copy of the worker that comes here ends: it has nothing to report."""
        self._end_if_forked()
        rest = memoryview(encode(message))
        with self._lock:
            while rest:
                rest = rest[os.write(self._outgoing, rest) :]

    def _end_if_forked(self) -> None:
        if not self.is_ours:
            os._exit(1)

    def receive(self) -> list[Message]:
        """The messages that are complete after one more read; raises EOFError when the command is gone.

        A forked copy of the worker ends here: it shares the pipe, and would take away what is the worker's.
        """
        self._end_if_forked()
        piece = os.read(self.incoming, _PIECE)
        if not piece:
            raise EOFError
        return list(self._decoder.feed(piece))


def take_descriptors() -> Channel:
    """Move the pipes out of the tools' way; from here on nothing printed can reach the command's answers."""
    channel = Channel(os.dup(0), os.dup(1))
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    for stream in (sys.stdout, sys.stderr):
        cast("TextIOWrapper", stream).reconfigure(
            encoding="utf-8", errors="backslashreplace", write_through=True
        )
    return channel


def leave_guard(lifeline: int) -> None:
    """Leave a process behind that kills the whole group once the command no longer holds the other end.

    The worker cannot do that itself: a C call that never gives Python back would keep it alive, and the
    processes that its tools started would outlive it in any case.
    """
    if first := os.fork():
        os.waitpid(first, 0)
        return
    try:
        if os.fork() == 0:  # a grandchild, so that no tool that waits for any child ever meets it
            _wait_and_kill(lifeline)
    finally:
        os._exit(0)


def _wait_and_kill(lifeline: int) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    os.closerange(0, lifeline)
    os.closerange(lifeline + 1, lifeline + 64)  # nothing else is open this early
    hung_up = select.poll()
    hung_up.register(lifeline, 0)  # no event but the end of the other side
    hung_up.poll()
    os.killpg(0, signal.SIGKILL)


class SentPrints:
    """What each call prints, on its way to the command: at once, since a crash may follow.

    Of a call that prints without end the beginning is sent, and the rest counted: a tool that prints much
    shall not be slow for that.
    """

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._room: dict[int, int] = {}
        self._unsent: dict[int, int] = {}

    @property
    def are_ours(self) -> bool:
        """Whether this is the worker itself, and not a copy of it that a tool forked."""
        return self._channel.is_ours

    def send(self, number: int, text: str) -> None:
        """Take what a call printed."""
        room = self._room.get(number, MOST_PRINTED)
        if room > 0:
            self._room[number] = room - len(text)
            self._channel.send(Printed(number, text[:room], max(len(text) - room, 0)))
        else:
            self._unsent[number] = self._unsent.get(number, 0) + len(text)

    def end(self, number: int) -> None:
        """A call has ended: tell how much more there was."""
        self._room.pop(number, None)
        if more := self._unsent.pop(number, 0):
            self._channel.send(Printed(number, "", more))


class RoutedStream:
    """Standard output or error for calls that run at once: what a call prints is sent as that call's.

    A thread that a tool starts by hand, a forked copy, and whatever uses the descriptor print on the real
    one.
    """

    def __init__(self, real: TextIO, prints: SentPrints) -> None:
        self._real, self._prints = real, prints

    def write(self, text: str) -> int:
        """Take the text; its length."""
        number = CURRENT_CALL.get(None)
        if number is None or not self._prints.are_ours:
            return self._real.write(text)
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self._prints.send(number, text)
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Take every line."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


def route_streams(channel: Channel) -> SentPrints:
    """Let each call's prints be told apart, from now on."""
    prints = SentPrints(channel)
    sys.stdout = cast("TextIO", RoutedStream(sys.stdout, prints))
    sys.stderr = cast("TextIO", RoutedStream(sys.stderr, prints))
    return prints
