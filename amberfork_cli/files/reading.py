"""Open what a tape may come from: a file, stdin, a stream; decompressed where its first bytes say so."""

from __future__ import annotations

import errno
import io
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Self, TypeAlias

from amberfork_cli.core.compression import MAGIC, ExpandedStream, coding_of
from amberfork_cli.errors import TapeError
from amberfork_cli.files.naming import printable, reason

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

Readable: TypeAlias = "str | os.PathLike[str] | BinaryIO"
Notice: TypeAlias = Callable[[str], None]

BUFFER: Final = 1 << 20  # lines are read at half the cost of the usual 8 KiB
STDIN: Final = "stdin"
SILENCE = 2.0  # seconds after which a person wonders why nothing happens


class Source:
    """Bytes to read once, from start to end, as text lines or in one piece.

    `size` is their number, where it is known beforehand.
    """

    def __init__(
        self, name: str, stream: io.BufferedReader[Any], *, close: Callable[[], None] | None = None
    ) -> None:
        self.name = name
        self.size: int | None = None
        self.stream = stream
        self._close = close or stream.close
        self._descriptor: int | None = None
        self._base = 0

    @property
    def plain(self) -> bool:
        """Whether `again` can be asked: this is a regular file, read as it lies."""
        return self._descriptor is not None

    def lines(self) -> Iterator[bytes]:
        """What is left, line by line, each with its LF; raises TapeError or CompressionError."""
        with self.trouble():
            yield from self.stream

    def rest(self) -> bytes:
        """What is left, in one piece; raises TapeError or CompressionError."""
        with self.trouble():
            return self.stream.read()

    def goes_on(self) -> bool:
        """Whether more than blanks is certain to follow; raises TapeError or CompressionError."""
        with self.trouble():
            return bool(self.stream.peek(1).strip())

    def again(self, offset: int, length: int) -> bytes:
        """Those bytes once more, wherever the stream stands; fewer where the file has become shorter."""
        assert self._descriptor is not None  # noqa: S101 - `plain` says so
        with self.trouble():
            return os.pread(self._descriptor, length, self._base + offset)

    def remember(self, descriptor: int, base: int) -> None:
        """Let `again` read from this descriptor, whose offset `base` is where the stream begins."""
        self._descriptor, self._base = descriptor, base
        self.size = os.fstat(descriptor).st_size - base

    @contextmanager
    def trouble(self) -> Iterator[None]:
        """Raise what the operating system says against reading as a TapeError."""
        try:
            yield
        except (OSError, ValueError) as error:
            raise _unreadable(error, self.name) from error

    def close(self) -> None:
        """Close what was opened for reading; a caller's own stream stays open."""
        self._descriptor = None
        self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_source(source: Readable, *, notice: Notice | None = None) -> Source:
    """Open a file, a stream of bytes, or stdin for `-`, and decompress it if its first bytes say so.

    `notice` is told when stdin keeps silent. Raises TapeError where there is nothing to read.
    """
    opened = _open(source, notice)
    try:
        with opened.trouble():
            coding = coding_of(_beginning(opened))
    except TapeError:
        opened.close()
        raise
    if coding is None:
        return opened
    expanded = ExpandedStream(lambda: opened.stream.read1(1 << 16), coding)
    return Source(opened.name, _buffered(expanded.read), close=opened.close)


def _open(source: Readable, notice: Notice | None) -> Source:
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        return _open_stdin(notice) if path == Path("-") else _open_file(path)
    name = getattr(source, "name", None)
    return _borrow(source, name if isinstance(name, str) else "stream")


def _open_file(path: Path) -> Source:
    name = printable(path)
    try:
        stream = io.BufferedReader(io.FileIO(path, "rb"), BUFFER)
    except OSError as error:
        raise _unreadable(error, name) from error
    except ValueError as error:  # a null byte
        raise TapeError("this is no file name", source=name) from error
    source = Source(name, stream)
    _remember_regular_file(source, stream)
    return source


def _open_stdin(notice: Notice | None) -> Source:
    if sys.stdin is None:
        raise TapeError("standard input is closed", source=STDIN)
    stream = sys.stdin.buffer
    with suppress(OSError, ValueError, AttributeError):
        os.set_blocking(stream.fileno(), True)  # or a pause of the writer would look like the end
    source = _borrow(stream, STDIN)
    if notice is not None:
        with source.trouble():
            _await_first_bytes(source.stream, notice)
    return source


def _borrow(stream: BinaryIO, name: str) -> Source:
    """Read a stream that somebody else opened and will close."""
    if hasattr(stream, "encoding"):
        raise TapeError("this stream gives text: open it in binary mode", source=name)
    source = Source(name, _buffered(getattr(stream, "read1", stream.read)))
    _remember_regular_file(source, stream)
    return source


def _remember_regular_file(source: Source, stream: BinaryIO) -> None:
    raw = getattr(stream, "raw", stream)
    if type(raw) is io.FileIO and hasattr(os, "pread") and stat.S_ISREG(os.fstat(raw.fileno()).st_mode):
        source.remember(raw.fileno(), stream.tell())


def _await_first_bytes(stream: io.BufferedReader[Any], notice: Notice) -> None:
    from threading import Timer

    timer = Timer(SILENCE, notice, ["reading from standard input; end it with Ctrl-D, or name a file"])
    timer.daemon = True
    timer.start()
    try:
        stream.peek(1)
    finally:
        timer.cancel()


def _beginning(source: Source) -> bytes:
    """The first bytes of a source, enough to know its compression; its stream still gives them."""
    beginning = source.stream.peek(1)
    longest = max(map(len, MAGIC))
    if not 0 < len(beginning) < longest or not any(magic.startswith(beginning) for magic in MAGIC):
        return beginning
    rest = source.stream  # a pipe that has given a few bytes only
    first = [rest.read(longest)]
    source.stream = _buffered(lambda size: first.pop() if first else rest.read1(size))
    return first[0]


def _buffered(read: Callable[[int], bytes | None]) -> io.BufferedReader[Any]:
    return io.BufferedReader(_Pieces(read), BUFFER)


class _Pieces(io.RawIOBase):
    """What a function gives piece by piece, as a stream."""

    def __init__(self, read: Callable[[int], bytes | None]) -> None:
        self._read = read

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        view = memoryview(buffer).cast("B")
        piece = self._read(len(view))
        if piece is None:  # or silence would look like the end
            raise BlockingIOError("nothing to read yet: open the stream in blocking mode")
        view[: len(piece)] = piece
        return len(piece)


def _unreadable(error: Exception, name: str) -> TapeError:
    """What to raise for an operating system's error while reading."""
    known = {errno.ENOENT: "no such file", errno.EISDIR: "this is a folder, not a tape"}
    return TapeError(known.get(getattr(error, "errno", None) or 0, reason(error)), source=name)
