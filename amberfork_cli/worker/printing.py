"""What was printed, as much of it as is worth keeping, by whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MOST_PRINTED: Final = 1 << 16
"""Characters that are kept of what one call prints."""


@dataclass(frozen=True, slots=True)
class Print:
    """Text that was printed; `more` counts the characters that were not kept."""

    text: str = ""
    more: int = 0


class Prints:
    """Keeps the beginning of what is printed, up to `limit` characters, and counts the rest."""

    def __init__(self, limit: int) -> None:
        self._kept: list[str] = []
        self._room, self._more = limit, 0

    def add(self, text: str, *, more: int = 0) -> None:
        """Take more text, behind which so many characters were printed that nobody sent."""
        kept = text[: self._room]
        if kept:
            self._kept.append(kept)
        self._room -= len(kept)
        self._more += len(text) - len(kept) + more

    def so_far(self) -> Print:
        """What was added up to now."""
        return Print("".join(self._kept), self._more)
