"""The agent's process: its streams are ours, its signals are handed on, its exit code is the answer."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from types import FrameType
from typing import Final

from amberfork_cli.errors import OptionError
from amberfork_cli.files.naming import reason

_STDERR: Final = 2
_SIGNALLED: Final = 128  # what a shell adds to the number of the signal that ended a program
_A_WHILE_S: Final = 0.5
_HANDED_ON: Final = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGWINCH", "SIGBREAK")


def run_agent(command: Sequence[str], environment: Mapping[str, str], *, quiet: bool = False) -> int:
    """Run a command to its end; gives back its exit code, or 128 and the number of the signal that ended it.

    With `quiet`, what it writes to stdout goes to stderr. Raises OptionError where it cannot be run.
    """
    with _signals_held() as held:
        try:
            stdout = _STDERR if quiet else None
            child = subprocess.Popen(command, env=dict(environment), stdout=stdout)  # noqa: S603 - the user's
        except (OSError, ValueError) as error:
            raise OptionError(f"cannot run {command[0]}: {reason(error)}") from error
        held.child = child
        code = child.wait()
    return code if code >= 0 else _SIGNALLED - code


@contextmanager
def awaiting_the_end() -> Iterator[Callable[[], None]]:
    """Take note of Ctrl-C, and of being asked to end, from now on; gives what waits for it."""
    ends: SimpleQueue[int] = SimpleQueue()  # an Event would lock out a signal that comes as it is waited for

    def wait() -> None:
        while True:
            with suppress(Empty):  # Windows hands a signal on only between two waits
                ends.get(timeout=_A_WHILE_S)
                return

    asked_to = _numbers("SIGINT", "SIGTERM", "SIGHUP")
    before = {number: signal.signal(number, lambda number, _: ends.put(number)) for number in asked_to}
    try:
        yield wait
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _Held:
    """Signals to this process, which go to the agent, unless it has them from the terminal as we have."""

    child: subprocess.Popen[bytes] | None = None

    def __init__(self) -> None:
        self._had_terminal = _in_foreground() is not None

    def __call__(self, number: int, _: FrameType | None) -> None:
        if self.child is not None and not self._is_from_terminal(number):
            self.child.send_signal(number)

    def _is_from_terminal(self, number: int) -> bool:
        """Whether a terminal has sent it, to all that run in its foreground: a key, or its own end.

        A key that another program sends to us alone meanwhile cannot be told from the terminal's.
        """
        if number in _AT_ITS_END:
            return self._had_terminal and _in_foreground() is None
        return number in _AT_A_KEY and _in_foreground() == os.getpgrp()


def _numbers(*names: str) -> frozenset[int]:
    return frozenset(getattr(signal, name) for name in names if hasattr(signal, name))


_AT_A_KEY: Final = _numbers("SIGINT", "SIGQUIT", "SIGWINCH")
_AT_ITS_END: Final = _numbers("SIGHUP")


@contextmanager
def _signals_held() -> Iterator[_Held]:
    held = _Held()
    before = {number: signal.signal(number, held) for number in _numbers(*_HANDED_ON)}
    try:
        yield held
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _in_foreground() -> int | None:
    """The group of processes that is in the foreground of our terminal, `None` where we have none."""
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY)
    except OSError:
        return None
    try:
        return os.tcgetpgrp(terminal)
    except OSError:
        return None
    finally:
        os.close(terminal)
