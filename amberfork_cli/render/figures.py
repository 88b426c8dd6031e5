"""Sizes, counts and names in few cells, for tables of exchanges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

_STEP = 1000
_UNITS = ("", "k", "M", "G")


def short(number: int) -> str:
    """A number in at most four characters and a unit: `812`, `1.2k`, `34k`, `5.6M`."""
    value, unit = float(number), 0
    while value >= _STEP - 0.5 and unit < len(_UNITS) - 1:
        value, unit = value / _STEP, unit + 1
    small = unit and value < 9.95
    return f"{value:.1f}{_UNITS[unit]}" if small else f"{value:.0f}{_UNITS[unit]}"


def counted(number: int, word: str) -> str:
    """`1 result`, `2 results`."""
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"


def repeated(names: Iterable[str], times: str) -> str:
    """Names in the order of their first mention, with how often where that is more than once."""
    counts = Counter(names)
    return ", ".join(name if count == 1 else f"{name} {times}{count}" for name, count in counts.items())
