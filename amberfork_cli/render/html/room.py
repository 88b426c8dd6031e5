"""How much of long values and bodies a report takes in: a page that a browser opens at once stays one."""

from __future__ import annotations

from dataclasses import dataclass, field

LONGEST_VALUE = 64_000  # characters
LONGEST_BODY = 250_000
_VALUES = 400_000  # characters of markup in a report
_BODIES = 1_000_000


@dataclass(slots=True)
class Room:
    """Characters that are left for one sort of text: what comes first is taken in first."""

    left: int

    def takes(self, *texts: str) -> bool:
        """Whether there is room for these texts; after the first that has none, there is none for any."""
        if sum(map(len, texts)) > self.left:
            self.left = 0
        return self.left > 0

    def fill(self, markup: str) -> None:
        """Use up what was made of them, which may be longer than they were."""
        self.left -= len(markup)


@dataclass(frozen=True, slots=True)
class Rooms:
    """The room of a report: whole values behind folds, and bodies."""

    values: Room = field(default_factory=lambda: Room(_VALUES))
    bodies: Room = field(default_factory=lambda: Room(_BODIES))
