"""Expand compressed bytes piece by piece, whatever they expand to.

One set of rules for whole tapes and for single bodies: members that follow each other are one text, an end in
the middle of one is an error, and no piece is larger than was asked for, however much the input expands to.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Final, Protocol

from amberfork_cli.errors import CompressionError

MAGIC: Final = {
    b"\x1f\x8b\x08": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"BZh": "bz2",
    b"\xfd7zXZ\x00": "xz",
}


def coding_of(beginning: bytes) -> str | None:
    """The compression that the first bytes of a file announce, if any."""
    return next((coding for magic, coding in MAGIC.items() if beginning.startswith(magic)), None)


def expand(data: bytes, coding: str, *, limit: int) -> bytes:
    """All that `data` expands to; raises CompressionError, also where that is more than `limit` bytes."""
    rest = [data]
    stream = ExpandedStream(lambda: rest.pop() if rest else b"", coding)
    pieces, room = [], limit
    while piece := stream.read(room + 1):
        pieces.append(piece)
        room -= len(piece)
        if room < 0:
            raise CompressionError(f"it expands to more than {limit:,} bytes")
    return b"".join(pieces)


class ExpandedStream:
    """What a compressed stream holds, read forwards.

    `source` gives the next compressed bytes, in pieces of any size, and `b""` at their end.
    """

    def __init__(self, source: Callable[[], bytes], coding: str) -> None:
        if coding not in _DECODERS:
            raise CompressionError(f'no decoder for "{coding}"')
        self._source, self._coding = source, coding
        self._decoder: _Decoder | None = None
        self._members = 0
        self._unused = b""
        self._expanded = memoryview(b"")

    def read(self, size: int) -> bytes:
        """At least one and at most `size` bytes, or `b""` at the end; raises CompressionError."""
        while not self._expanded:
            if self._decoder is None and not self._begin_member():
                return b""
            self._expanded = memoryview(self._expand_some(size))
        piece, self._expanded = self._expanded[:size], self._expanded[size:]
        return bytes(piece)

    def _begin_member(self) -> bool:
        """Get ready for the next member; false where nothing but padding follows."""
        while not self._unused:
            self._unused = self._source()
            if not self._unused:
                return False
            if self._members:
                self._unused = self._unused.lstrip(b"\0")
        if len(self._unused) == 1:
            self._unused += self._source()  # two bytes tell the kinds of deflate apart
        try:
            self._decoder = _DECODERS[self._coding](self._unused)
        except ImportError as error:
            raise CompressionError(f'no decoder for "{self._coding}" is installed') from error
        self._members += 1
        return True

    def _expand_some(self, size: int) -> bytes:
        """The next bytes of this member, which may be none; leaves the member at its end."""
        decoder = self._decoder
        assert decoder is not None  # noqa: S101 - `read` began it
        given, self._unused = self._unused, b""
        ended = False
        if not given and decoder.needs_input:
            given = self._source()
            ended = not given
        try:
            piece = decoder.decompress(given, size)
        except Exception as error:  # each library raises an exception of its own
            raise CompressionError(f"the {self._coding} data is damaged: {error}") from error
        if decoder.eof:
            self._decoder, self._unused = None, decoder.unused_data.lstrip(b"\0")
        elif ended and not piece:
            raise CompressionError(f"the {self._coding} data ends in the middle")
        return piece


class _Decoder(Protocol):
    """The interface of `bz2.BZ2Decompressor`, but that more than `max_length` bytes may come."""

    @property
    def eof(self) -> bool: ...

    @property
    def needs_input(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


class _Zlib:
    """gzip and deflate."""

    def __init__(self, wbits: int) -> None:
        self._inflate = zlib.decompressobj(wbits)

    @property
    def eof(self) -> bool:
        return self._inflate.eof

    @property
    def needs_input(self) -> bool:
        return not self._inflate.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._inflate.unused_data

    def decompress(self, data: bytes, max_length: int, /) -> bytes:
        return self._inflate.decompress(self._inflate.unconsumed_tail + data, max_length)


class _Zstd:
    """zstd, whose output cannot be bounded: it is fed little at a time, since 4 bytes may be 128 KiB."""

    STEP: Final = 2048

    def __init__(self) -> None:
        import zstandard  # 10 ms to import, and few tapes need it

        self._frame = zstandard.ZstdDecompressor().decompressobj()
        self._input = memoryview(b"")

    @property
    def eof(self) -> bool:
        return self._frame.eof

    @property
    def needs_input(self) -> bool:
        return not self._input

    @property
    def unused_data(self) -> bytes:
        return self._frame.unused_data + bytes(self._input)

    def decompress(self, data: bytes, _max_length: int, /) -> bytes:
        given = self._input or memoryview(data)
        self._input = given[self.STEP :]
        return self._frame.decompress(given[: self.STEP])


class _Brotli:
    """brotli, which knows no members: what follows its end is an error of its own."""

    unused_data = b""

    def __init__(self) -> None:
        import brotli  # type: ignore[import-untyped]

        self._stream = brotli.Decompressor()

    @property
    def eof(self) -> bool:
        return bool(self._stream.is_finished())

    @property
    def needs_input(self) -> bool:
        return bool(self._stream.can_accept_more_data())

    def decompress(self, data: bytes, max_length: int, /) -> bytes:
        return bytes(self._stream.process(data, output_buffer_limit=max_length))


def _bz2(_beginning: bytes) -> _Decoder:
    import bz2

    return bz2.BZ2Decompressor()


def _xz(_beginning: bytes) -> _Decoder:
    import lzma

    return lzma.LZMADecompressor(memlimit=256 << 20)  # `xz -9` asks for 65 MiB, a hostile file for 4 GiB


def _deflate(beginning: bytes) -> _Decoder:
    """Deflate with zlib's two bytes in front, as the standard says, or without, as some servers send it."""
    wrapped = beginning[0] & 0x0F == 8 and int.from_bytes(beginning[:2]) % 31 == 0
    return _Zlib(zlib.MAX_WBITS if wrapped else -zlib.MAX_WBITS)


_DECODERS: Final[dict[str, Callable[[bytes], _Decoder]]] = {
    "gzip": lambda _: _Zlib(16 + zlib.MAX_WBITS),
    "zstd": lambda _: _Zstd(),
    "bz2": _bz2,
    "xz": _xz,
    "br": lambda _: _Brotli(),
    "deflate": _deflate,
}
