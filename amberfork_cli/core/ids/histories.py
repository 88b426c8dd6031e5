"""The conversations of a tape that were met lately, and which of them a request goes on with.

Most requests add to the messages of one that came before. Some write the first message anew, which tells the
time, or the last ones, since hints of what to cache move on: what stands before or behind is not read again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from operator import is_
from typing import Generic, Self, TypeVar

from amberfork_cli.core import jsontext
from amberfork_cli.core.ids.parts import Part, Parts
from amberfork_cli.core.tape import JsonValue

_MOST = 16  # conversations that may be interleaved
_COMMA = ord(",")


class History(ABC):
    """What is made of the messages of a conversation, one after the other.

    `messages` are the objects it was made from: a reader may give the same ones again, which are the same
    messages without a look at them. `text` is their JSON without the closing bracket, if it is known;
    `weight` about how many bytes all of this takes.
    """

    def __init__(self, name: str) -> None:
        self.name, self.text = name, b""
        self.messages: list[JsonValue] = []
        self.weight = 0

    @abstractmethod
    def take(self, message: JsonValue, part: Part) -> None:
        """Take in one more message."""

    @abstractmethod
    def renew(self, message: JsonValue, part: Part) -> bool:
        """Take another first message in place of the one there is; false where it cannot be done alone."""

    @abstractmethod
    def copy(self) -> Self:
        """What was made of the same messages, to go its own way from here."""

    def stands(self) -> bool:
        """Whether the messages still mean what they meant when they were taken in."""
        return True

    def goes_on(self, messages: list[JsonValue]) -> bool:
        """Whether messages begin with the very objects of this history, and mean the same."""
        return (
            len(self.messages) <= len(messages) and all(map(is_, self.messages, messages)) and self.stands()
        )

    def begins(self, text: bytes) -> bool:
        """Whether messages of that text begin with this history, whole ones only, and mean the same."""
        end = len(self.text)
        if not end or not text.startswith(self.text):
            return False
        return (len(text) == end or text[end] == _COMMA) and self.stands()


_History = TypeVar("_History", bound=History)


@dataclass(slots=True)
class _Known(Generic[_History]):
    """A history, and what of it did not change when its last messages did."""

    whole: _History
    stem: _History | None = None


class Histories(Generic[_History]):
    """Finds the history that messages go on with, and makes it that of all of them.

    `begin` makes one without messages, given the name of the member that holds them. Unless `ordered`,
    messages are the same whatever the order of their members.
    """

    def __init__(
        self, parts: Parts, begin: Callable[[str], _History], *, most_bytes: int, ordered: bool = False
    ) -> None:
        self._parts, self._begin = parts, begin
        self._most_bytes, self._ordered = most_bytes, ordered
        self._known: list[_Known[_History]] = []

    def of(self, name: str, messages: list[JsonValue]) -> _History:
        """The history of these messages, grown from the longest one met lately that they begin with."""
        text = b""
        known = self._by_objects(name, messages)
        if known is None and messages:
            text = jsontext.dumps(messages, sort_keys=not self._ordered)[:-1]
            known = _longest(
                [one for one in self._known if one.whole.name == name and one.whole.begins(text)]
            )
        known = known or _Known(self._begin(name))
        self._grow(known.whole, messages)
        known.whole.text = text
        self._keep(known)
        return known.whole

    def _by_objects(self, name: str, messages: list[JsonValue]) -> _Known[_History] | None:
        alike = [one for one in self._known if one.whole.name == name and one.whole.messages]
        if not messages:
            return None
        first = messages[0]
        begun = [one for one in alike if one.whole.messages[0] is first and one.whole.goes_on(messages)]
        return _longest(begun) or self._renewed(alike, messages) or self._branched(alike, messages)

    def _renewed(self, alike: list[_Known[_History]], messages: list[JsonValue]) -> _Known[_History] | None:
        """The history that has all of these messages but for the first, with that in its place."""
        for known in alike:
            own = known.whole.messages
            if (
                2 < len(own) <= len(messages)
                and own[1] is messages[1]
                and all(map(is_, islice(own, 1, None), islice(messages, 1, None)))
                and known.whole.stands()
                and known.whole.renew(messages[0], self._parts.of(messages[0], (known.whole.name, 0)))
            ):
                known.stem = None
                return known
        return None

    def _branched(self, alike: list[_Known[_History]], messages: list[JsonValue]) -> _Known[_History] | None:
        """The history that has most of its messages in common with these, as far as that goes."""
        counts = [(_common(known.whole.messages, messages), known) for known in alike]
        count, known = max(counts, key=lambda found: found[0], default=(0, None))
        if known is None or 2 * count < len(known.whole.messages):
            return None
        common = messages[:count]
        stem = known.stem
        if stem is None or not stem.goes_on(common):
            stem = self._begin(known.whole.name)
        self._grow(stem, common)
        known.whole, known.stem = stem.copy(), stem
        known.whole.messages, known.whole.weight = common, stem.weight
        return known

    def _grow(self, history: _History, messages: list[JsonValue]) -> None:
        for message in messages[len(history.messages) :]:
            history.take(message, self._parts.of(message, (history.name, 0)))
        history.messages = messages.copy()  # the list itself may go on to grow

    def _keep(self, known: _Known[_History]) -> None:
        """Keep what fits in memory: the latest always, of the others as many as are light."""
        if not self._known or self._known[0] is not known:
            others = [other for other in self._known if other is not known]
            self._known = [known, *others[: _MOST - 1]]
        while len(self._known) > 1 and sum([one.whole.weight for one in self._known]) > self._most_bytes:
            self._known.pop()


def _longest(found: list[_Known[_History]]) -> _Known[_History] | None:
    return max(found, key=lambda known: len(known.whole.messages), default=None)


def _common(one: list[JsonValue], other: list[JsonValue]) -> int:
    """With how many of the same objects two lists begin."""
    if one[0] is not other[0]:
        return 0
    same = list(map(is_, one, other))
    return same.index(False) if False in same else len(same)
