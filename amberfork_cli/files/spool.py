"""A copy of what can be read only once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import IO

from amberfork_cli.errors import TapeError
from amberfork_cli.files.naming import reason


class Spool:
    """A temporary file without a name: nothing of it is left when it is closed, or the program killed.

    `begin` is the offset of the first byte that it is given.
    """

    def __init__(self, name: str, *, begin: int = 0) -> None:
        from tempfile import TemporaryFile  # 9 ms to import, and plain files need none

        self._name, self._begin, self._end = name, begin, begin
        with self._trouble():
            self._file: IO[bytes] = TemporaryFile(buffering=1 << 20)  # noqa: SIM115 - closed by `close`

    def copying(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """The same lines, each kept before it is given; raises TapeError where there is no room."""
        for line in lines:
            self.append(line)
            yield line

    def append(self, line: bytes) -> int:
        """Keep these bytes; gives back the offset at which they stand."""
        offset = self._end
        with self._trouble():
            self._file.write(line)
        self._end += len(line)
        return offset

    def again(self, offset: int, length: int) -> bytes:
        """Those bytes once more."""
        with self._trouble():
            self._file.seek(offset - self._begin)
            found = self._file.read(length)
            self._file.seek(self._end - self._begin)
        return found

    def close(self) -> None:
        """Let go of the copy."""
        with suppress(OSError):  # what a full disk kept it from writing is no longer wanted
            self._file.close()

    @contextmanager
    def _trouble(self) -> Iterator[None]:
        try:
            yield
        except (OSError, ValueError) as error:  # ValueError: it is closed
            raise TapeError(f"cannot keep a copy of it: {reason(error)}", source=self._name) from error
