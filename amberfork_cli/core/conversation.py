"""Which exchange continues which, and what each turn added.

An agent's request carries its whole history, so one change shows again in every later request. Seen as turns
of a conversation, each change is where it was made. Several conversations may stand on one tape, interleaved.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from amberfork_cli.core.fingerprint import Sketch


@dataclass(frozen=True, slots=True)
class Turn:
    """One exchange as a turn of its conversation, small enough to keep for a whole tape.

    `parent` is the exchange that it continues, `None` for the first of a conversation; `conversation` numbers
    them from 0. `added` are the digests of the messages that its parent does not have, `added_links` what
    their IDs mean; both are of the whole history where there is no parent. `rest` covers all that is no
    message, `hints` where cache hints stand, counted from the end; `shared` counts the messages that its
    parent has already.
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

    @property
    def key(self) -> tuple[tuple[bytes, ...], tuple[bytes, ...]]:
        """What the turn says, whatever was said before it."""
        return self.added, self.added_links


def turns(sketches: Iterable[Sketch]) -> list[Turn]:
    """The turns of a tape, one for each sketch, in their order."""
    finder = _Finder()
    return [finder.turn(number, sketch) for number, sketch in enumerate(sketches)]


class _Finder:
    """Finds parents among the exchanges seen so far, in time that does not grow with their number."""

    def __init__(self) -> None:
        self._turns: list[Turn] = []
        self._open: dict[bytes, list[int]] = {}
        self._continued: set[int] = set()
        self._conversations = 0

    def turn(self, number: int, sketch: Sketch) -> Turn:
        parent, shared = self._parent(sketch)
        if parent is None:
            conversation = self._conversations
            self._conversations += 1
        else:
            conversation = self._turns[parent].conversation
            self._continued.add(parent)
        turn = Turn(
            number,
            sketch.fingerprint,
            sketch.endpoint,
            parent,
            conversation,
            sketch.messages[shared:],
            sketch.links[shared:],
            sketch.rest,
            sketch.hints,
            shared,
        )
        self._turns.append(turn)
        if sketch.prefixes:
            self._open.setdefault(sketch.prefixes[-1], []).append(number)
        return turn

    def _parent(self, sketch: Sketch) -> tuple[int | None, int]:
        """The exchange whose whole history this one begins with, and how many messages that is.

        The longest history wins; of several equal ones the earliest that nothing continues yet.
        """
        if sketch.follows is not None:
            return sketch.follows, 0
        for length in range(len(sketch.prefixes) - 1, 0, -1):
            found = self._open.get(sketch.prefixes[length - 1])
            if found:
                return next((number for number in found if number not in self._continued), found[-1]), length
        return None, 0
