"""The tape as it is recorded: one whole line an exchange, in the file before the agent has all of the answer.

Each line is one write of the operating system. A recorder that is killed leaves all lines before and at most
one torn line, the last. Where a line cannot be written whole, what stands of it is cut off again, and nothing
more is recorded: a tape with a hole in it would look like one without.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from stat import S_ISREG
from threading import Lock
from typing import Final

from amberfork_cli.core import jsontext
from amberfork_cli.core.redaction.redact import CREDENTIALS, REDACTED, taken_out
from amberfork_cli.core.tape import Exchange, JsonValue
from amberfork_cli.errors import JsonError, OptionError, OutputError
from amberfork_cli.files.naming import printable, reason
from amberfork_cli.tapes import exchange_line, header_line

_MOST_BACK: Final = 1 << 20  # bytes read at a time, from the end, to find where the last line begins


class Existing(StrEnum):
    """What to do with a file that is there already."""

    REFUSE = "refuse"
    FORCE = "force"
    APPEND = "append"


class TapeFile:
    """A tape that is being recorded; `count` is how many exchanges were written to it.

    Opening it raises OutputError, and OptionError for an existing file that is not to be touched. `torn` is
    how many bytes of a torn last line were cut off to append.
    """

    def __init__(
        self, path: Path, *, existing: Existing = Existing.REFUSE, header: Mapping[str, JsonValue]
    ) -> None:
        self.path, self.count, self.torn = path, 0, 0
        self._failure: OutputError | None = None
        self._new = self._regular = False
        self._lock = Lock()
        try:
            self._descriptor = self._open(existing)
        except OSError as error:
            raise self._trouble(error) from error
        try:
            self._begin(existing, header)
        except OSError as error:
            self.close()
            raise self._trouble(error) from error
        except BaseException:
            self.close()
            raise

    def append(self, exchange: Exchange) -> None:
        """Write an exchange; raises OutputError, and again at every later call."""
        line = exchange_line(exchange, finite=True)  # as all that was read from the wire, or from a tape
        with self._lock:
            self._write(line)
            self.count += 1

    @property
    def failure(self) -> OutputError | None:
        """Why nothing more is recorded, if that is so."""
        return self._failure

    def close(self) -> None:
        """Close the file; what was written is in it already. A new one without an exchange goes again."""
        os.close(self._descriptor)
        if self._new and self._regular and not self.count:
            self.path.unlink(missing_ok=True)

    def _claim(self) -> None:
        """Refuse a tape that another recorder writes to: each would cut off what it takes for its own."""
        with suppress(ImportError):  # Windows has no such locks
            import fcntl

            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise OptionError(f"{printable(self.path)}: another recording goes on there") from None

    def _open(self, existing: Existing) -> int:
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
        try:
            return os.open(self.path, flags | (os.O_EXCL if existing is Existing.REFUSE else 0), 0o666)
        except FileExistsError:
            name = printable(self.path)
            raise OptionError(f"{name} exists: --append goes on with it, --force records over it") from None

    def _begin(self, existing: Existing, header: Mapping[str, JsonValue]) -> None:
        """Make the file ready for the first exchange."""
        self._claim()
        self._regular = S_ISREG(os.fstat(self._descriptor).st_mode)
        if existing is Existing.FORCE and self._regular:
            os.ftruncate(self._descriptor, 0)
        self._size = os.fstat(self._descriptor).st_size
        self._new = not self._size
        if self._new:
            self._write(header_line(header))
        else:
            self._prepare_to_append(header)

    def _prepare_to_append(self, header: Mapping[str, JsonValue]) -> None:
        """See that the file is a tape, as redacted as what is to come, and that it ends with a whole line."""
        start = self._start_of_last_line()
        last = os.pread(self._descriptor, self._size - start, start)
        beginning = os.pread(self._descriptor, _MOST_BACK, 0) if start else last
        first, ended, _ = beginning.partition(b"\n")
        if (ended or not start) and not _is_tape_line(first):
            raise OptionError(f"{printable(self.path)}: this is no tape that can be gone on with")
        self._see_that_all_is_redacted(taken_out(header), first)
        if last and _is_tape_line(last):
            self._write(b"\n")
        elif last:
            os.ftruncate(self._descriptor, start)
            self.torn, self._size = len(last), start

    def _see_that_all_is_redacted(self, coming: tuple[str, ...], first: bytes) -> None:
        """Refuse to put credentials on a tape that says it has none, and to say so of one that may have some.

        A first line that is too long for this is no header.
        """
        with suppress(JsonError):
            value = jsontext.loads(first)
            there = taken_out(value) if isinstance(value, dict) and "request" not in value else ()
            if there and not coming:
                raise OptionError(f"{printable(self.path)} is redacted: go on with it with --redact")
            if coming and not there:
                name = printable(self.path)
                raise OptionError(
                    f"{name} is not redacted, and --redact would say it is: see amberfork redact"
                )

    def _start_of_last_line(self) -> int:
        """The offset behind the last line feed."""
        end = self._size
        while end > 0:
            start = max(0, end - _MOST_BACK)
            found = os.pread(self._descriptor, end - start, start).rfind(b"\n")
            if found >= 0:
                return start + found + 1
            end = start
        return 0

    def _write(self, line: bytes) -> None:
        if self._failure is not None:
            raise self._failure
        rest = memoryview(line)
        try:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except OSError as error:
            with suppress(OSError):
                if self._regular:
                    os.ftruncate(self._descriptor, self._size)
            self._failure = self._trouble(error)
            raise self._failure from error
        self._size += len(line)

    def _trouble(self, error: OSError) -> OutputError:
        return OutputError(reason(error), target=printable(self.path))


def recorder(*, redacted: bool = False) -> dict[str, JsonValue]:
    """What a tape says of itself in its first line."""
    from amberfork_cli import __version__

    says: dict[str, JsonValue] = {"recorder": f"amberfork {__version__}"}
    return {**says, REDACTED: [CREDENTIALS]} if redacted else says


def is_recording(path: Path) -> bool:
    """Whether a file is a tape as it is recorded, and none of the other things that can be read as one."""
    try:
        with path.open("rb") as file:
            return S_ISREG(os.fstat(file.fileno()).st_mode) and _is_tape_line(file.readline())
    except OSError:
        return False


def _is_tape_line(line: bytes) -> bool:
    try:
        value = jsontext.loads(line)
    except JsonError:
        return False
    return isinstance(value, dict) and ("request" in value or "tape_version" in value)
