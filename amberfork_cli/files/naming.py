"""What files, and what goes wrong with them, are called."""

from __future__ import annotations

import os
from pathlib import Path


def printable(path: Path) -> str:
    """A file name that any terminal can show: names need not be UTF-8."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def reason(error: Exception) -> str:
    """The operating system's own words, in lower case."""
    words = getattr(error, "strerror", None) or str(error)
    return words[:1].lower() + words[1:]
