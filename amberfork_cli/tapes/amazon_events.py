"""Amazon's event streams, which Bedrock answers in: binary frames, spelled as the text that others send."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from struct import unpack_from
from typing import Final
from zlib import crc32

_PRELUDE: Final = 12  # bytes: length of the frame, length of its headers, checksum of both
_SIZES: Final = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}
"""How many bytes a header's value has, by its type; 6 and 7 say so themselves."""


@dataclass(frozen=True, slots=True)
class _Frame:
    """One frame: the texts among its headers, and what it carries."""

    headers: dict[str, str]
    payload: bytes

    @property
    def name(self) -> str:
        names = (":event-type", ":exception-type", ":error-code")
        return next((self.headers[name] for name in names if name in self.headers), "message")


def event_stream_text(data: bytes) -> str | None:
    """The frames as an event stream's text: a name and the payload for each.

    `None` for what are no such frames: every frame carries checksums, so nothing is taken for one by chance.
    Frames after the last whole one, which a recorder was killed in, are left out.
    """
    try:
        return "".join(_text(frame) for frame in _frames(data)) or None
    except (ValueError, IndexError):
        return None


def _frames(data: bytes) -> Iterator[_Frame]:
    at = 0
    while at + _PRELUDE <= len(data):
        length, headers_length, checksum = unpack_from(">III", data, at)
        if crc32(data[at : at + 8]) != checksum or length < _PRELUDE + headers_length + 4:
            raise ValueError("no frame")
        frame = data[at : at + length]
        if len(frame) < length:
            return
        if crc32(frame[:-4]) != int.from_bytes(frame[-4:]):
            raise ValueError("a damaged frame")
        end = _PRELUDE + headers_length
        yield _Frame(dict(_headers(frame[_PRELUDE:end])), frame[end:-4])
        at += length


def _headers(data: bytes) -> Iterator[tuple[str, str]]:
    """The headers whose values are text."""
    at = 0
    while at < len(data):
        name = data[at + 1 : at + 1 + data[at]].decode()
        at += 1 + data[at]
        kind, at = data[at], at + 1
        size = _SIZES.get(kind)
        if size is None:
            size, at = int.from_bytes(data[at : at + 2]), at + 2
        if kind == 7:  # text
            yield name, data[at : at + size].decode()
        at += size


def _text(frame: _Frame) -> str:
    lines = frame.payload.decode().split("\n")
    return f"event: {frame.name}\n" + "".join(f"data: {line}\n" for line in lines) + "\n"
