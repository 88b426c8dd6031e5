"""What the command and the worker process say to each other, and how a message looks on the pipe.

A message is one JSON array after its length in bytes. Arguments and results travel as JSON *text* inside it,
so that neither their depth nor their numbers matter here. The text is plain JSON and never a pickle: what the
worker sends comes from a process that ran the user's code, and the command must not run any of it.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import TypeAlias, get_args

_LENGTH = struct.Struct(">Q")
_LONGEST = 1 << 40  # a length past this is no length: something else wrote on the pipe


class ProtocolError(Exception):
    """Bytes on the pipe that are no message: something else wrote there."""


@dataclass(frozen=True, slots=True)
class Load:
    """To the worker, first of all: which registry to load, and whether the main thread runs the calls."""

    reference: str
    one_at_a_time: bool
    coerce: bool


@dataclass(frozen=True, slots=True)
class Call:
    """To the worker: run one tool.

    `arguments` is the JSON text of what the tape has as its arguments; `context` that of an object: the
    caller's values, the recorded result and whatever else the tool may ask for. With `check_only` the tool
    does not run: a call that could run is answered as skipped.
    """

    number: int
    tool: str
    arguments: str
    context: str
    check_only: bool


@dataclass(frozen=True, slots=True)
class Ping:
    """To the worker: answer at once."""


@dataclass(frozen=True, slots=True)
class Pong:
    """From the worker: it can still answer, so none of its calls holds up the others."""


@dataclass(frozen=True, slots=True)
class Leave:
    """To the worker: no call will follow."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """From the worker: the registry is there. `tools` holds the JSON text of an object each.

    `left_out` holds the functions that cannot be tools: the name and the reason of each.
    """

    tools: list[str]
    left_out: list[list[str]]


@dataclass(frozen=True, slots=True)
class LoadFailed:
    """From the worker: the registry cannot be loaded, and the place in the user's own file that shows it."""

    problem: str
    source: str
    line: int | None
    code: str
    traceback: str


@dataclass(frozen=True, slots=True)
class Started:
    """From the worker: the tool itself begins; `at` is in seconds on the system's monotonic clock."""

    number: int
    at: float


@dataclass(frozen=True, slots=True)
class Printed:
    """From the worker: text that one call printed; `more` counts characters that are only counted."""

    number: int
    text: str
    more: int = 0


@dataclass(frozen=True, slots=True)
class Finished:
    """From the worker: how the call ended, after `took` seconds; `invocation` is the JSON text of it."""

    number: int
    took: float
    invocation: str


Message: TypeAlias = Load | Call | Ping | Leave | Loaded | LoadFailed | Pong | Started | Printed | Finished

_KINDS: dict[str, type[Message]] = {kind.__name__: kind for kind in get_args(Message)}


def encode(message: Message) -> bytes:
    """The message as it stands on the pipe. Text keeps its lone surrogates, as escapes."""
    values = [getattr(message, part.name) for part in fields(message)]
    text = json.dumps([type(message).__name__, *values]).encode("ascii")
    return _LENGTH.pack(len(text)) + text


class Decoder:
    """Bytes in pieces of any size → messages."""

    def __init__(self) -> None:
        self._waiting = bytearray()

    def feed(self, piece: bytes) -> Iterator[Message]:
        """Each message that is complete now; raises ProtocolError at bytes that are none."""
        self._waiting += piece
        while (text := self._next_text()) is not None:
            yield _decode(text)

    def _next_text(self) -> bytes | None:
        if len(self._waiting) < _LENGTH.size:
            return None
        (length,) = _LENGTH.unpack_from(self._waiting)
        if length > _LONGEST:
            raise ProtocolError
        end = _LENGTH.size + length
        if len(self._waiting) < end:
            return None
        text = bytes(memoryview(self._waiting)[_LENGTH.size : end])
        del self._waiting[:end]
        return text


def _decode(text: bytes) -> Message:
    try:
        name, *values = json.loads(text)
        return _KINDS[name](*values)
    except (ValueError, TypeError, KeyError) as error:
        raise ProtocolError from error
