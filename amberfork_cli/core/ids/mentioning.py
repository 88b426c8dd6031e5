"""Whether the texts of a conversation seem to mention one of its IDs, which hardly any conversation does.

To seem is enough here: who is told so takes the texts apart. The IDs of one provider begin alike, so each
text is searched once for the few ways in which they begin, and what stands there is remembered.
"""

from __future__ import annotations

from collections.abc import Collection, Container
from dataclasses import dataclass, field

from amberfork_cli.core import jsontext
from amberfork_cli.core.ids.parts import Part

_START = 3  # bytes in which IDs begin alike
_BEGINNING = 8  # bytes: no ID that tells is shorter
_MOST_STARTS = 64  # searching for more of them takes longer than taking a text apart


def as_text(value: str) -> bytes:
    """A string as it stands in a JSON text, without its quotes."""
    return jsontext.dumps(value)[1:-1]


@dataclass(slots=True)
class _Alike:
    """The IDs that start alike, by their first bytes, and the first bytes of all that starts so in texts."""

    ids: dict[bytes, tuple[bytes, ...]] = field(default_factory=dict)
    seen: set[bytes] = field(default_factory=set)

    def copy(self) -> _Alike:
        """The same, to be added to another way."""
        return _Alike(self.ids.copy(), self.seen.copy())

    def add(self, id_: bytes) -> bool:
        """Take in one more ID; whether something like it was seen."""
        beginning = id_[:_BEGINNING]
        self.ids[beginning] = (*self.ids.get(beginning, ()), id_)
        return beginning in self.seen

    def stand_in(self, text: bytes, beginnings: set[bytes]) -> bool:
        """Whether one of the IDs stands in a text that has those beginnings."""
        return any(id_ in text for beginning in beginnings & self.ids.keys() for id_ in self.ids[beginning])


class MentionSearch:
    """Looks for the IDs of a conversation in its messages, whichever come first.

    Messages are looked into when it is asked for what they mention: all that are new in one go.
    """

    def __init__(self) -> None:
        self._found = False
        self._parts: list[Part] = []
        self._new: list[Part] = []
        self._ids: set[str] = set()
        self._alike: dict[bytes, _Alike] = {}
        self._words: set[str] | None = None
        self._rest: Part | None = None
        self._in_rest: dict[bytes, set[bytes]] = {}

    def take(self, part: Part) -> None:
        """Take in one more message."""
        self._parts.append(part)
        self._new.append(part)

    def renew(self, part: Part) -> None:
        """Take another first message in place of the one that there is; neither has IDs."""
        self._parts[0] = part
        self._new.append(part)

    def copy(self, telling: Container[str]) -> MentionSearch:
        """A search that has found the same and goes its own way from here, given the IDs that tell so far."""
        self._look_into_new(telling)  # or every copy would do so
        twin = MentionSearch()
        twin._found, twin._ids, twin._parts = self._found, self._ids.copy(), self._parts.copy()
        twin._alike = {start: alike.copy() for start, alike in self._alike.items()}
        twin._words = None if self._words is None else self._words.copy()
        return twin

    def found(self, rest: Part, telling: Container[str], odd: Collection[str]) -> bool:
        """Whether one of the `telling` IDs seems to stand in the messages or in the rest of a body.

        The `odd` are IDs that `Part.words` leaves out: where words are looked up, they seem to be mentioned.
        """
        self._look_into_new(telling)
        if self._found or (odd and self._words is not None) or self._stands_in(rest):
            return True
        brought = [as_text(site.value) for site in rest.sites if site.value in telling]
        return any(id_ in part.blank for id_ in brought for part in (rest, *self._parts))

    def _look_into_new(self, telling: Container[str]) -> None:
        new, self._new = self._new, []
        for part in new:
            for site in part.sites:
                if site.value in telling and site.value not in self._ids:
                    self._take_id(site.value)
        if self._words is not None:
            words = set().union(*(part.words for part in new))
            self._words |= words
            self._found = self._found or not words.isdisjoint(self._ids)
            return
        text = b"\n".join([part.blank for part in new])
        for start, alike in self._alike.items():
            beginnings = _beginnings(text, start)
            alike.seen |= beginnings
            self._found = self._found or alike.stand_in(text, beginnings)

    def _take_id(self, value: str) -> None:
        self._ids.add(value)
        if self._words is not None:
            self._found = self._found or value in self._words
            return
        text = as_text(value)
        if self._alike_to(text[:_START]).add(text):
            self._found = self._found or any(text in part.blank for part in self._parts)

    def _alike_to(self, start: bytes) -> _Alike:
        if start not in self._alike:
            texts = [part.blank for part in self._parts if start in part.blank]
            seen = set().union(*(_beginnings(text, start) for text in texts))
            self._alike[start] = _Alike(seen=seen)
            if len(self._alike) > _MOST_STARTS:
                self._words = set().union(*(part.words for part in self._parts))
        return self._alike[start]

    def _stands_in(self, rest: Part) -> bool:
        """Whether one of the IDs stands in the rest of a body, which is mostly that of the request before."""
        if self._words is not None:
            return not rest.words.isdisjoint(self._ids)
        if rest is not self._rest:
            self._rest, self._in_rest = rest, {}
        for start, alike in self._alike.items():
            if start not in self._in_rest:
                self._in_rest[start] = _beginnings(rest.blank, start)
            if alike.stand_in(rest.blank, self._in_rest[start]):
                return True
        return False


def _beginnings(text: bytes, start: bytes) -> set[bytes]:
    """The first bytes of all in a text that starts so."""
    found: set[bytes] = set()
    at = text.find(start)
    while at >= 0:
        found.add(text[at : at + _BEGINNING])
        at = text.find(start, at + 1)
    return found
