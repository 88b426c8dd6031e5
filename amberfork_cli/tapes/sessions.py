"""Exchanges made of an agent's own log, which holds what was said and not what was sent.

A log tells each message once. What a request must have been is put together from all that was said before it,
in the shape in which the agent's provider takes it; system prompts, tools and settings are not in a log. Such
exchanges are marked. They are made when they are looked at, so that a log is held once, however long it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, overload

from amberfork_cli.core.tape import Body, Exchange, JsonValue, Request, Response, Tape, TapeForm
from amberfork_cli.tapes.reading import Reading

SYNTHETIC: Final = "synthetic"
"""The member of an exchange that is `true` where it was put together from a log."""


@dataclass(slots=True)
class Asked:
    """A request to a model: what it says beside its history, the messages that this is the beginning of.

    `messages` may go on to grow at its end. The answer may come in pieces.
    """

    settings: dict[str, JsonValue]
    messages: list[JsonValue]
    count: int
    extra: dict[str, JsonValue]
    answer: dict[str, JsonValue] | None = None


class Session(Sequence[Exchange]):
    """The exchanges of a log in the order in which they began; `history` names the member for messages."""

    def __init__(self, path: str, history: str) -> None:
        self._path, self._history = path, history
        self._asked: list[Asked] = []

    def ask(self, settings: dict[str, JsonValue], messages: list[JsonValue], **extra: JsonValue) -> Asked:
        """A further request, with all messages that there are so far."""
        known = {name: value for name, value in extra.items() if value is not None}
        asked = Asked(settings.copy(), messages, len(messages), {SYNTHETIC: True, **known})
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
        body = {**asked.settings, self._history: asked.messages[: asked.count]}
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
