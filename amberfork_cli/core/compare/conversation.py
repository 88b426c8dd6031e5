"""Which exchange continues which, and what each turn added.

An agent's request carries its whole history, so one change shows again in every later request. Seen as turns
of a conversation, each change is where it was made. Several conversations may stand on one tape, interleaved.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from xxhash import xxh3_64, xxh3_64_intdigest

from amberfork_cli.core.ids.fingerprint import Sketch


@dataclass(frozen=True, slots=True)
class Turn:
    """One exchange as a turn of its conversation, small enough to keep for a whole tape.

    `parent` is the exchange that it continues, `None` for the first of a conversation; `conversation` numbers
    them from 0. `added` are the digests of the messages that its parent does not have, `added_links` what
    their IDs mean; both are of the whole history where there is no parent. `rest` covers all that is no
    message, `hints` where cache hints stand, counted from the end; `shared` counts the messages that its
    parent has already. `mentions` says that IDs stand in its texts: what they mean is in none of these.
    """

    number: int
    fingerprint: str
    endpoint: bytes
    parent: int | None
    conversation: int
    added: tuple[bytes, ...]
    added_links: tuple[bytes, ...]
    rest: bytes
    hints: bytes
    shared: int
    renewed: int = 0
    head: bytes = b""
    chained: bool = False
    mentions: bool = False

    @property
    def key(self) -> tuple[tuple[bytes, ...], tuple[bytes, ...]]:
        """What the turn says, whatever was said before it."""
        return self.added, self.added_links


def turns(sketches: Iterable[Sketch]) -> list[Turn]:
    """The turns of a tape, one for each sketch, in their order."""
    finder = _Finder()
    return [finder.turn(number, sketch) for number, sketch in enumerate(sketches)]


@dataclass(frozen=True, slots=True)
class _Parent:
    """What an exchange continues, and what of its history is not as it was there."""

    number: int | None
    shared: int = 0
    renewed: int = 0


_NONE = _Parent(None)


class _Finder:
    """Finds parents among the exchanges seen so far, in time that does not grow with their number."""

    def __init__(self) -> None:
        self._turns: list[Turn] = []
        self._links: list[tuple[int, int]] = []
        self._open: dict[bytes, deque[int]] = {}
        self._ends = _Ends()
        self._continued: set[int] = set()
        self._conversations = 0

    def turn(self, number: int, sketch: Sketch) -> Turn:
        parent = self._parent(sketch)
        if parent.number is None:
            conversation = self._conversations
            self._conversations += 1
        else:
            conversation = self._turns[parent.number].conversation
            self._continued.add(parent.number)
            self._ends.forget(parent.number)
        turn = Turn(
            number,
            sketch.fingerprint,
            sketch.endpoint,
            parent.number,
            conversation,
            sketch.messages[parent.shared :],
            sketch.links[parent.shared :],
            sketch.rest,
            sketch.hints,
            parent.shared,
            parent.renewed,
            sketch.messages[0] if sketch.messages else b"",
            sketch.follows is not None,
            sketch.mentions,
        )
        self._turns.append(turn)
        self._links.append((_digest(sketch.links), _digest(sketch.links[:-1])))
        self._ends.add(number, sketch)
        if sketch.prefixes:
            self._open.setdefault(sketch.prefixes[-1], deque()).append(number)
        return turn

    def _parent(self, sketch: Sketch) -> _Parent:
        """The exchange whose whole history this one begins with.

        The longest history wins; of several equal ones the earliest that nothing continues yet. Where there
        is none, the agent may have rewritten its first message, or more than that. It may also have kept how
        the conversation began and what was said last, and left out what lies between.
        """
        if sketch.follows is not None:
            return _Parent(sketch.follows)
        for length in range(len(sketch.prefixes) - 1, 0, -1):
            found = self._open.get(sketch.prefixes[length - 1])
            if found:
                return self._ends.rewritten(sketch, beyond=max(length, 1)) or self._continuing(
                    self._earliest(found), sketch, length
                )
        another = self._with_another_end(sketch) or self._with_another_head(sketch)
        return another or self._ends.rewritten(sketch) or _NONE

    def _continuing(self, number: int, sketch: Sketch, length: int) -> _Parent:
        return _Parent(number, length, 0 if self._means_the_same(number, sketch, length) else length)

    def _earliest(self, numbers: deque[int]) -> int:
        """The earliest that nothing continues yet, else the latest."""
        while len(numbers) > 1 and numbers[0] in self._continued:
            numbers.popleft()
        return numbers[0]

    def _with_another_end(self, sketch: Sketch) -> _Parent | None:
        """The exchange whose history this one has but for the last message: reminders come and go."""
        found = self._ends.with_another_end(sketch)
        if found is None:
            return None
        number, length = found
        return _Parent(
            number, length, 0 if self._links[number][1] == _digest(sketch.links[:length]) else length
        )

    def _with_another_head(self, sketch: Sketch) -> _Parent | None:
        """The exchange whose history this one has but for the first message: system prompts tell the time."""
        found = self._ends.with_another_head(sketch)
        if found is None:
            return None
        number, length = found
        return _Parent(number, length, 1 if self._means_the_same(number, sketch, length) else length)

    def _means_the_same(self, number: int, sketch: Sketch, length: int) -> bool:
        """Whether the IDs in the first messages of a history mean what they meant in that exchange."""
        return self._links[number][0] == _digest(sketch.links[:length])


class _Ends:
    """The exchanges that nothing continues yet, by what a rewritten history still has of theirs."""

    def __init__(self) -> None:
        self._headless: dict[int, dict[int, None]] = {}
        self._endless: dict[bytes, dict[int, None]] = {}
        self._lasts: dict[tuple[bytes, ...], dict[int, None]] = {}
        self._keys: dict[int, tuple[int, bytes, tuple[bytes, ...]]] = {}

    def add(self, number: int, sketch: Sketch) -> None:
        """Take in an exchange."""
        if not sketch.messages:
            return
        headless, last = _digest(sketch.messages[1:]), sketch.messages[-2:]
        endless = sketch.prefixes[-2] if len(sketch.prefixes) > 1 else _besides(sketch)
        self._keys[number] = headless, endless, last
        self._headless.setdefault(headless, {})[number] = None
        self._endless.setdefault(endless, {})[number] = None
        self._lasts.setdefault(last, {})[number] = None

    def forget(self, number: int) -> None:
        """Leave out an exchange that is continued now."""
        if number in self._keys:
            headless, endless, last = self._keys.pop(number)
            _leave_out(self._headless, headless, number)
            _leave_out(self._endless, endless, number)
            _leave_out(self._lasts, last, number)

    def with_another_end(self, sketch: Sketch) -> tuple[int, int] | None:
        """The latest with the longest history that this one has but for the last message; what it has of it.

        Of a history of one message nothing is left: there the rest of the request must be the same, and an
        answer and a reaction to it be added.
        """
        for length in range(len(sketch.messages) - 2, 0, -1):
            numbers = self._endless.get(sketch.prefixes[length - 1])
            if numbers:
                return next(reversed(numbers)), length
        numbers = self._endless.get(_besides(sketch)) if len(sketch.messages) > 2 else None
        return (next(reversed(numbers)), 0) if numbers else None

    def with_another_head(self, sketch: Sketch) -> tuple[int, int] | None:
        """The earliest with the longest history that this one has but for the first message; its length."""
        found = None
        rest = xxh3_64()
        for length in range(2, len(sketch.messages)):
            rest.update(sketch.messages[length - 1])
            numbers = self._headless.get(rest.intdigest())
            found = (next(iter(numbers)), length) if numbers else found
        return found

    def rewritten(self, sketch: Sketch, *, beyond: int = 1) -> _Parent | None:
        """The exchange whose last two messages this history has, the later the better, `beyond` so many."""
        for end in range(len(sketch.messages) - 1, beyond, -1):
            numbers = self._lasts.get(sketch.messages[end - 2 : end])
            if numbers:
                return _Parent(next(iter(numbers)), end, end)
        return None


def _besides(sketch: Sketch) -> bytes:
    """All of a request that is no message."""
    return sketch.endpoint + sketch.rest


_Key = TypeVar("_Key", bound=Hashable)


def _leave_out(known: dict[_Key, dict[int, None]], key: _Key, number: int) -> None:
    del known[key][number]
    if not known[key]:
        del known[key]


def _digest(pieces: Iterable[bytes]) -> int:
    return xxh3_64_intdigest(b"".join(pieces))
