"""Exchanges made of an agent's own log, which holds what was said and not what was sent.

A log tells each message once. What a request must have been is put together from all that was said before it,
in the shape in which the agent's provider takes it; system prompts, tools and settings are not in a log. Such
exchanges are marked. They are made when they are looked at, so that a log is held once, however long it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, overload

from amberfork_cli.core.tape import Body, Exchange, JsonValue, Request, Response, Tape, TapeForm
from amberfork_cli.tapes.reading import Reading

SYNTHETIC: Final = "synthetic"
"""The member of an exchange that is `true` where it was put together from a log."""


_DEEPEST: Final = 64  # histories that go on from each other, before one copies what it goes on from


class History:
    """Messages that only ever become more; it may go on from the first `count` of another one."""

    def __init__(self, before: History | None = None, *, count: int = 0) -> None:
        self._before, self._count = before, count
        self._depth: int = before._depth + 1 if before else 0
        self._own: list[JsonValue] = []
        if before is not None and self._depth > _DEEPEST:
            self._own, self._before = before.first(count), None
            self._count = self._depth = 0

    def __len__(self) -> int:
        return self._count + len(self._own)

    def append(self, message: JsonValue) -> None:
        """One more message."""
        self._own.append(message)

    def first(self, count: int) -> list[JsonValue]:
        """The first so many messages, the very objects."""
        pieces: list[list[JsonValue]] = []
        history: History | None = self
        while history is not None:
            pieces.append(history._own[: max(0, count - history._count)])
            count = min(count, history._count)
            history = history._before
        return list(chain.from_iterable(reversed(pieces)))

    def branch(self, count: int) -> History:
        """Another history that goes on from the first so many messages of this one."""
        history = self
        while history._before is not None and count <= history._count:
            history = history._before
        return History(history, count=count)


@dataclass(slots=True)
class Asked:
    """A request to a model: what it says beside its messages, and which those are.

    The history may go on to grow. The answer may come in pieces.
    """

    settings: dict[str, JsonValue]
    history: History
    count: int
    extra: dict[str, JsonValue]
    answer: dict[str, JsonValue] | None = None


class Session(Sequence[Exchange]):
    """The exchanges of a log in the order in which they began; `member` is the one that holds messages."""

    def __init__(self, path: str, member: str) -> None:
        self._path, self._member = path, member
        self._asked: list[Asked] = []

    def ask(self, settings: dict[str, JsonValue], history: History, **extra: JsonValue) -> Asked:
        """A further request, with all messages that there are so far."""
        known = {name: value for name, value in extra.items() if value is not None}
        asked = Asked(settings.copy(), history, len(history), {SYNTHETIC: True, **known})
        self._asked.append(asked)
        return asked

    def __len__(self) -> int:
        return len(self._asked)

    @overload
    def __getitem__(self, at: int, /) -> Exchange: ...
    @overload
    def __getitem__(self, at: slice, /) -> Sequence[Exchange]: ...
    def __getitem__(self, at: int | slice, /) -> Exchange | Sequence[Exchange]:
        if isinstance(at, slice):
            return [self[number] for number in range(*at.indices(len(self)))]
        asked = self._asked[at]
        body = {**asked.settings, self._member: asked.history.first(asked.count)}
        response = None if asked.answer is None else Response(body=Body.json(asked.answer))
        return Exchange(at, Request("POST", self._path, body=Body.json(body)), response, extra=asked.extra)


class SessionTape(Tape):
    """The tape that a log is."""

    def __init__(self, exchanges: Sequence[Exchange], reading: Reading, *, form: TapeForm) -> None:
        self.source, self.left_out, self.form = reading.source, reading.left_out, form
        self._exchanges = exchanges

    def __iter__(self) -> Iterator[Exchange]:
        return iter(self._exchanges)

    def reread(self, number: int) -> Exchange:
        """The exchange at that position."""
        if number < 0:
            raise IndexError(number)
        return self._exchanges[number]


def text_member(value: JsonValue, name: str) -> str | None:
    """The text that a member of an object is, if it is one."""
    held = value.get(name) if isinstance(value, dict) else None
    return held if isinstance(held, str) else None
