"""The agent's process: its streams are ours, its signals are handed on, its exit code is the answer."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Event
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


def wait_for_the_end() -> None:
    """Wait for Ctrl-C, or for being asked to end."""
    ended = Event()
    numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.signal(number, lambda *_: ended.set()) for number in numbers}
    try:
        while not ended.wait(_A_WHILE_S):  # Windows hands a signal on only between two waits
            pass
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _Held:
    """Signals to this process, which go to the agent."""

    child: subprocess.Popen[bytes] | None = None

    def __call__(self, number: int, _: FrameType | None) -> None:
        if self.child is not None and not (number in _FROM_A_TERMINAL and _has_terminal()):
            self.child.send_signal(number)


_FROM_A_TERMINAL: Final = frozenset(
    getattr(signal, name) for name in ("SIGINT", "SIGQUIT", "SIGWINCH") if hasattr(signal, name)
)


@contextmanager
def _signals_held() -> Iterator[_Held]:
    held = _Held()
    numbers = [getattr(signal, name) for name in _HANDED_ON if hasattr(signal, name)]
    before = {number: signal.signal(number, held) for number in numbers}
    try:
        yield held
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _has_terminal() -> bool:
    """Whether a terminal has us in its foreground: then it has sent the agent the same signal itself."""
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)
