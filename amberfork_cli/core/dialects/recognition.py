"""The wire shapes of a tape's requests, each message looked at once.

Some shapes show only in what their messages hold, and a request repeats all messages before it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from amberfork_cli.core.dialects import DIALECTS
from amberfork_cli.core.dialects.dialect import Dialect
from amberfork_cli.core.dialects.histories import Histories
from amberfork_cli.core.dialects.pieces import JsonObject
from amberfork_cli.core.dialects.shapes import member
from amberfork_cli.core.tape import JsonValue

_Sign: TypeAlias = Callable[[JsonObject], bool]


class Recogniser:
    """Recognises the requests of one tape, in their order."""

    def __init__(self) -> None:
        self._looks: Histories[_Look] = Histories(_Look)

    def dialect_of(self, path: str, body: JsonValue) -> Dialect | None:
        """The shape of a request, as `dialects.dialect_of` tells it."""
        messages = member(body, "messages")
        values: list[JsonValue] = messages if isinstance(messages, list) else [messages]
        look, _ = self._looks.of(values)
        look.messages = values
        return next((each for each in DIALECTS if each.recognises(path, body, look.shows)), None)


class _Look:
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
