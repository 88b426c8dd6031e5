"""What was printed, as much of it as is worth keeping, by whom."""

from __future__ import annotations

from dataclasses import dataclass


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

    def add(self, text: str) -> None:
        """Take more text."""
        kept = text[: self._room]
        if kept:
            self._kept.append(kept)
        self._room -= len(kept)
        self._more += len(text) - len(kept)

    def so_far(self) -> Print:
        """What was added up to now."""
        return Print("".join(self._kept), self._more)
