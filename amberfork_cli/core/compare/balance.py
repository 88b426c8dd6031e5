"""Which messages one side of a conversation had and the other had not, so far.

A message that came or went is known again where the other side adds it later. It then stands elsewhere, and
nobody may say that it is missing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from amberfork_cli.core.compare.conversation import Turn


class Balance:
    """How many more times each message was re-issued than recorded, among the turns that were told of."""

    def __init__(self) -> None:
        self._more: Counter[bytes] = Counter()

    def take_in(self, turn: Turn, recorded: Iterable[Turn]) -> None:
        """Count what a re-issued turn added, and what the recorded ones did that are told of with it."""
        self._more.update(turn.added)
        for one in recorded:
            self._more.subtract(one.added)

    def is_evened(self, turn: Turn, recorded: Iterable[Turn]) -> bool:
        """Whether a side adds a message now that the other had, and it had not."""
        came = any(self._more[message] > 0 for one in recorded for message in one.added)
        return came or any(self._more[message] < 0 for message in turn.added)
