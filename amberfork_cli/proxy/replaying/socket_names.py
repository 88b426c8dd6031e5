"""The names that an agent gives to what it says: fresh in every run, and repeated by its provider.

A provider that is asked to keep an item as `msg_1` speaks of `msg_1`. So does a tape, of what it was named
then; whoever named it `msg_2` now waits for that.
"""

from __future__ import annotations

from dataclasses import replace

from amberfork_cli.core.content import Absent, json_of
from amberfork_cli.core.ids.id_rules import sites
from amberfork_cli.core.ids.linkage import tells
from amberfork_cli.core.ids.parts import with_texts
from amberfork_cli.core.tape import Body, BodyKind, Exchange


class Names:
    """What the names of one recorded connection are now."""

    def __init__(self) -> None:
        self._now: dict[str, str] = {}

    def learn(self, recorded: Exchange, asked: Exchange) -> None:
        """Two requests are the same but for their IDs: those of one stand for those of the other."""
        bodies = json_of(recorded.request.body), json_of(asked.request.body)
        then, now = (() if isinstance(body, Absent) else sites(body) for body in bodies)
        for old, new in zip(then, now, strict=False):
            if old.path == new.path and old.value != new.value and tells(old.value):
                self._now[old.value] = new.value

    def in_answer(self, recorded: Exchange) -> Exchange:
        """A recorded exchange whose answer says the names of now."""
        response = recorded.response
        if not self._now or response is None or response.body.kind is not BodyKind.JSON:
            return recorded
        value = json_of(response.body)
        if isinstance(value, Absent):
            return recorded
        renamed = with_texts(value, lambda text: self._now.get(text, text))
        return replace(recorded, response=replace(response, body=Body.json(renamed)))
