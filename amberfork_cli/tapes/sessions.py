"""Exchanges made of an agent's own log, which holds what was said and not what was sent.

A log tells each message once. What a request must have been is put together from all that was said before it,
in the shape in which the agent's provider takes it; system prompts, tools and settings are not in a log. Such
exchanges are marked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from amberfork_cli.core.tape import Body, Exchange, JsonValue, Request, Response

SYNTHETIC: Final = "synthetic"
"""The member of an exchange that is `true` where it was put together from a log."""


@dataclass(slots=True)
class Asked:
    """A request to a model, and the answer as far as it has come."""

    body: dict[str, JsonValue]
    answer: dict[str, JsonValue] | None = None
    extra: dict[str, JsonValue] = field(default_factory=dict)


class Session:
    """The requests of a log in the order in which they were made.

    Histories share the messages that they repeat: a log that is read this way is held in memory, once.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._asked: list[Asked] = []

    def ask(self, body: dict[str, JsonValue], **extra: JsonValue) -> Asked:
        """A further request; its answer may come in pieces."""
        known = {name: value for name, value in extra.items() if value is not None}
        asked = Asked(body, extra={SYNTHETIC: True, **known})
        self._asked.append(asked)
        return asked

    def exchanges(self) -> Iterator[Exchange]:
        """Each request with its answer, numbered from 0."""
        for number, asked in enumerate(self._asked):
            response = None if asked.answer is None else Response(body=Body.json(asked.answer))
            request = Request("POST", self._path, body=Body.json(asked.body))
            yield Exchange(number, request, response, extra=asked.extra)


def text_member(value: JsonValue, name: str) -> str | None:
    """The text that a member of an object is, if it is one."""
    held = value.get(name) if isinstance(value, dict) else None
    return held if isinstance(held, str) else None
