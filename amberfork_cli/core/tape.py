"""What a tape is made of: exchanges, each one request to a model provider and its response."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Final, Self, TypeAlias

from amberfork_cli.errors import TapeError

JsonValue: TypeAlias = "dict[str, JsonValue] | list[JsonValue] | str | int | float | bool | None"
Headers: TypeAlias = tuple[tuple[str, str], ...]

NOTHING: Mapping[str, JsonValue] = MappingProxyType({})

WEBSOCKET: Final = "WS"
"""The method of what was said through a WebSocket."""


class TapeForm(StrEnum):
    """What a tape was read from; it decides how the tape is shown and written back.

    The last three hold request bodies and nothing else: their exchanges have method POST and an empty path.
    """

    TAPE = "tape"
    CASSETTE = "cassette"
    BODIES = "bodies"
    BODY = "body"
    TEXT = "text"

    @property
    def endpoints_unknown(self) -> bool:
        """Whether method and path of the requests were not recorded."""
        return self in (TapeForm.BODIES, TapeForm.BODY, TapeForm.TEXT)


class BodyKind(StrEnum):
    """In which form a body was recorded; bodies of two kinds are never equal."""

    ABSENT = "absent"
    JSON = "json"
    TEXT = "text"
    BYTES = "bytes"


@dataclass(frozen=True, slots=True)
class Body:
    """What a request or response carried.

    `value` is a JSON value, a `str` or `bytes`, as `kind` says. `wire` keeps the bytes as they were recorded
    where `value` had to be decompressed from them, so that the tape can be written back unchanged.
    """

    kind: BodyKind
    value: JsonValue | bytes = None
    wire: bytes | None = None

    @classmethod
    def json(cls, value: JsonValue) -> Self:
        """A body that is one JSON value; `None` is JSON's null."""
        return cls(BodyKind.JSON, value)

    @classmethod
    def text(cls, value: str) -> Self:
        """A body of text that is no JSON value, such as an event stream."""
        return cls(BodyKind.TEXT, value)

    @classmethod
    def bytes(cls, value: bytes) -> Self:
        """A body that is neither JSON nor text."""
        return cls(BodyKind.BYTES, value)


ABSENT = Body(BodyKind.ABSENT)


@dataclass(frozen=True, slots=True)
class Request:
    """What the agent sent. `path` keeps its query; `extra` holds members that amberfork does not know."""

    method: str
    path: str
    headers: Headers = ()
    body: Body = ABSENT
    extra: Mapping[str, JsonValue] = field(default_factory=lambda: NOTHING)


@dataclass(frozen=True, slots=True)
class Response:
    """What the provider answered. `status` is `None` where the recorder noted none."""

    status: int | None = None
    headers: Headers = ()
    body: Body = ABSENT
    extra: Mapping[str, JsonValue] = field(default_factory=lambda: NOTHING)


@dataclass(frozen=True, slots=True)
class Place:
    """Where an exchange stands in its tape: line from 1, offset and length in bytes of the readable tape."""

    line: int
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its response, if there was one.

    `number` is the position on the tape, from 0, and the only number that amberfork shows. `idx` is what the
    recorder wrote there; it is information only. `place`, too, is left aside when two are compared.
    """

    number: int
    request: Request
    response: Response | None = None
    idx: JsonValue = None
    place: Place | None = field(default=None, compare=False)
    extra: Mapping[str, JsonValue] = field(default_factory=lambda: NOTHING)


@dataclass(slots=True)
class LeftOut:
    """What reading a tape passed over; filled as the tape is read, and told by every report.

    `bad_lines` are those that `--lenient` skipped; `torn_end` the problem of a last line that stops in the
    middle, where a recorder was killed; the counts are values that were kept although JSON has no room for
    them.
    """

    bad_lines: list[tuple[int, str]] = field(default_factory=list)
    torn_end: tuple[int, str] | None = None
    non_finite: int = 0
    duplicate_keys: int = 0

    @property
    def anything(self) -> bool:
        """Whether the tape was not taken exactly as it stands."""
        return bool(self.bad_lines or self.torn_end or self.non_finite or self.duplicate_keys)


class Tape(ABC):
    """Exchanges in the order of their recording: one pass over all of them, a second look at any.

    Iterating reads the tape as a stream and holds one exchange at a time. `reread` looks again at an exchange
    that the pass has already given, by its number. `header` is what the tape says about itself, `size` the
    length in bytes of what `Place` counts in, where it is known beforehand.
    """

    source: str
    form: TapeForm = TapeForm.TAPE
    header: Mapping[str, JsonValue] = NOTHING
    size: int | None = None
    left_out: LeftOut

    @abstractmethod
    def __iter__(self) -> Iterator[Exchange]:
        """Each exchange, numbered from 0; raises TapeError at the first line that is none."""

    @abstractmethod
    def reread(self, number: int) -> Exchange:
        """The exchange of that number once more; raises IndexError where the pass has not given it yet."""

    @property
    def endpoints_unknown(self) -> bool:
        """Whether method and path of the requests were not recorded."""
        return self.form.endpoints_unknown

    def close(self) -> None:
        """Give back what the tape holds open; a tape of values holds nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class ExchangeList(Tape):
    """A tape of exchanges that are already at hand."""

    def __init__(
        self,
        exchanges: Iterable[Exchange],
        *,
        source: str = "exchanges",
        form: TapeForm = TapeForm.TAPE,
        header: Mapping[str, JsonValue] = NOTHING,
    ) -> None:
        self.source, self.form, self.header, self.left_out = source, form, header, LeftOut()
        self._exchanges: Sequence[Exchange] = tuple(exchanges)

    def __iter__(self) -> Iterator[Exchange]:
        return iter(self._exchanges)

    def reread(self, number: int) -> Exchange:
        """The exchange at that position."""
        return self._exchanges[number]


def at_least_one(tape: Tape) -> Iterator[Exchange]:
    """Each exchange of a tape, as iterating gives them; raises TapeError if there is none.

    A tape without exchanges compares equal to any other such tape, which nobody means to ask.
    """
    exchanges = iter(tape)
    first = next(exchanges, None)
    if first is None:
        raise TapeError("there is no exchange on this tape", source=tape.source)
    yield first
    del first  # or it would be held for as long as the tape is read
    yield from exchanges
