"""HTTP messages as version 1.1 sends them: a first line, headers, a body that may come in chunks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from amberfork_cli.core.tape import Headers

_HEAD_ENDS: Final = re.compile(rb"\r?\n\r?\n")
_CHUNK: Final = re.compile(rb"([0-9A-Fa-f]{1,15})[^\r\n]*\r?\n")


@dataclass(frozen=True, slots=True)
class WireMessage:
    """A request or a response: its first line in words, its headers, and its body out of its chunks."""

    first: tuple[str, ...]
    headers: Headers
    body: bytes


def wire_message(data: bytes) -> WireMessage:
    """The message that bytes spell; lines that only end with a line feed are taken too, as people edit them.

    Raises ValueError for chunks that are none.
    """
    ends = _HEAD_ENDS.search(data)
    head, body = (data[: ends.start()], data[ends.end() :]) if ends else (data, b"")
    first, *lines = head.decode("latin-1").replace("\r\n", "\n").split("\n")
    pairs = (line.partition(":") for line in lines)
    headers = tuple((name.strip(), value.strip()) for name, _, value in pairs)
    if any(name.lower() == "transfer-encoding" and "chunked" in value.lower() for name, value in headers):
        body = _unchunked(body)
    return WireMessage(tuple(first.split(" ", 2)), headers, body)


def _unchunked(data: bytes) -> bytes:
    pieces: list[bytes] = []
    at = 0
    while at < len(data):
        size = _CHUNK.match(data, at)
        if size is None:
            raise ValueError("no chunk")
        begins, length = size.end(), int(size[1], 16)
        if not length:
            break
        pieces.append(data[begins : begins + length])
        at = begins + length
        at += 2 if data[at : at + 2] == b"\r\n" else 1
    return b"".join(pieces)
