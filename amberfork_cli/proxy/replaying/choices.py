"""What a user can choose of a replay: words that are cheap to import, for the help names them."""

from __future__ import annotations

from enum import StrEnum


class OnMiss(StrEnum):
    """What becomes of a request that is not on the tape."""

    FAIL = "fail"
    RELAY = "relay"
    NEAREST = "nearest"


class Pace(StrEnum):
    """How fast a stream comes: at once, or as it came when it was recorded."""

    NONE = "none"
    REAL = "real"


class TapeMode(StrEnum):
    """When a test is recorded: never, when it has no tape, what its tape does not have, every time."""

    NONE = "none"
    ONCE = "once"
    NEW = "new"
    ALL = "all"
