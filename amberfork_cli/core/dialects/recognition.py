"""The wire shapes of a tape's requests, each message looked at once.

Some shapes show only in what their messages hold, and a request repeats all messages before it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from amberfork_cli.core.dialects import DIALECTS
from amberfork_cli.core.dialects.dialect import Dialect
from amberfork_cli.core.dialects.histories import NO_ELEMENTS, Elements, Histories
from amberfork_cli.core.dialects.pieces import JsonObject
from amberfork_cli.core.dialects.shapes import member
from amberfork_cli.core.ids.id_rules import HISTORIES
from amberfork_cli.core.tape import JsonValue

_Sign: TypeAlias = Callable[[JsonObject], bool]


@dataclass(frozen=True, slots=True)
class Recognised:
    """The shape of one request, `None` where nobody knows it, and its history.

    The first `known` elements of the history are all that the last request of this `look` had, the very
    objects. There is no look where the history is not one list that requests are known by.
    """

    dialect: Dialect | None
    history: Elements
    look: Look | None = None
    known: int = 0


class Recogniser:
    """Recognises the requests of one tape, in their order."""

    def __init__(self) -> None:
        self._looks: Histories[Look] = Histories(Look)

    def recognise(self, path: str, body: JsonValue) -> Recognised:
        """The shape of a request, as `dialects.dialect_of` tells it, and what is known of its history."""
        name = next((each for each in HISTORIES if isinstance(member(body, each), list)), "messages")
        held = member(body, name)
        values: list[JsonValue] = held if isinstance(held, list) else [held]
        look, known = self._looks.of(values, key=name)
        look.messages = values if name == "messages" else [member(body, "messages")]
        dialect = next((each for each in DIALECTS if each.recognises(path, body, look.shows)), None)
        history = NO_ELEMENTS if dialect is None else dialect.elements(body)
        return Recognised(dialect, history, *((look, known) if history.values is values else ()))


class Look:
    """What the messages of a history were found to show, and how many were looked at for what."""

    def __init__(self) -> None:
        self.messages: list[JsonValue] = []
        self._seen: dict[_Sign, int] = {}
        self._shown: set[_Sign] = set()

    def shows(self, sign: _Sign) -> bool:
        """Whether any message shows it."""
        if sign not in self._shown:
            self._look_for(sign)
        return sign in self._shown

    def _look_for(self, sign: _Sign) -> None:
        seen, self._seen[sign] = self._seen.get(sign, 0), len(self.messages)
        for at in range(seen, len(self.messages)):
            message = self.messages[at]
            if isinstance(message, dict) and sign(message):
                self._shown.add(sign)
                return
