"""What may differ between two runs of one tool without meaning anything: fresh IDs, addresses, times.

All of it is found by its form and, for times, by the moment of the call. A flight that moved from March to
April has changed; a `fetched_at` that is the time of its own call on either side has not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from itertools import zip_longest
from typing import Final

from amberfork_cli.core import jsontext
from amberfork_cli.core.compare.report import Side
from amberfork_cli.core.paths import Path
from amberfork_cli.core.tape import JsonValue

NEAR: Final = timedelta(minutes=5)
"""How far from a call a time stamp may lie and still be its own time: a model takes long over a turn."""


class Volatile(StrEnum):
    """Why a part counts for nothing."""

    UUID = "uuid"
    ADDRESS = "address"
    DURATION = "duration"
    TIME = "time"


@dataclass(frozen=True, slots=True)
class Part:
    """One part that is not the same on both sides; `kind` says why, where it counts for nothing."""

    path: Path
    then: Side
    now: Side
    kind: Volatile | None = None


@dataclass(frozen=True, slots=True)
class Moments:
    """When the recorded and the fresh call were made, `None` where nobody knows; then no time is volatile."""

    then: datetime | None = None
    now: datetime | None = None


@dataclass(slots=True)
class Freshness:
    """Which UUIDs were made up on the spot: each side has its own, and one stands for one."""

    then_ids: frozenset[str]
    now_ids: frozenset[str]
    pairs: dict[str, str] = field(default_factory=dict)
    partners: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, then: JsonValue, now: JsonValue) -> Freshness:
        """The UUIDs of both sides, none paired yet."""
        return cls(_ids_in(then), _ids_in(now))

    def pair(self, then: str, now: str) -> bool:
        """Whether one may stand in the place of the other; then it does from now on."""
        if then in self.now_ids or now in self.then_ids:
            return False
        return self.pairs.setdefault(then, now) == now and self.partners.setdefault(now, then) == then


def volatile_number(path: Path, then: float, now: float, moments: Moments) -> Volatile | None:
    """Why two different numbers count for nothing: a duration by name, or each the time of its own call."""
    if path and _says_duration(path[-1]) and then >= 0 and now >= 0:
        return Volatile.DURATION
    if _is_moment(then, moments.then) and _is_moment(now, moments.now):
        return Volatile.TIME
    return None


def volatile_text(
    path: Path, then: str, now: str, moments: Moments, fresh: Freshness
) -> tuple[Part, ...] | None:
    """The volatile parts that differ between two texts, `None` where something else differs too."""
    if path and _says_duration(path[-1]) and _AMOUNT.fullmatch(then) and _AMOUNT.fullmatch(now):
        return (Part(path, then, now, Volatile.DURATION),)
    found = _fitting(then, now)
    if found is None or not all(_counts_for_nothing(*each, moments, fresh) for each in found):
        return None
    return tuple(Part(path, a, b, kind) for a, b, kind in found)


@dataclass(frozen=True, slots=True)
class _Piece:
    text: str
    kind: Volatile | None = None


_UUID = r"(?<![0-9A-Za-z-])[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}(?![0-9A-Za-z-])"
_ADDRESS = r"(?<= at )0x[0-9A-Fa-f]{4,16}\b"
_STAMP = (
    r"(?<![0-9A-Za-z])[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?"
    r"(?:Z|[+-][0-9]{2}:?[0-9]{2})?(?![0-9A-Za-z])"
)
_ANY = re.compile(f"(?P<uuid>{_UUID})|(?P<address>{_ADDRESS})|(?P<time>{_STAMP})")
_ID = re.compile(_UUID)
_AMOUNT = re.compile(r"\s*[0-9]+(?:\.[0-9]+)?\s*(?:ns|us|µs|μs|ms|s|sec|secs|seconds?|min|minutes?)?\s*")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_UNITS = {
    *("ns", "us", "ms", "s", "sec", "secs", "second", "seconds", "min", "minutes", "in"),
    *("nanos", "micros", "millis", "nanoseconds", "microseconds", "milliseconds"),
}
_DURATIONS = {"duration", "elapsed", "latency", "took", "runtime"}
_OF_TIME = {
    "elapsed",
    "execution",
    "processing",
    "response",
    "query",
    "request",
    "run",
    "exec",
    "wall",
    "cpu",
}
_NOT_MEASURED = {"max", "min", "maximum", "minimum", "limit", "default", "expected", "estimated", "planned"}
_SCALES = (1, 1_000, 1_000_000, 1_000_000_000)  # seconds, and the smaller units that clocks count in


def _ids_in(value: JsonValue) -> frozenset[str]:
    text = value if isinstance(value, str) else jsontext.dumps(value).decode("utf-8")
    return frozenset(found.lower() for found in _ID.findall(text)) if "-" in text else frozenset()


def _fitting(then: str, now: str) -> list[tuple[str, str, Volatile]] | None:
    """What differs between two texts, if all of it is of a form that may be volatile, place by place."""
    found = []
    for a, b in zip_longest(_cut(then), _cut(now)):
        if a is None or b is None or a.kind is not b.kind:
            return None
        if a.text != b.text:
            if a.kind is None:
                return None
            found.append((a.text, b.text, a.kind))
    return found


def _cut(text: str) -> Iterator[_Piece]:
    """The text as what may be volatile and what stands between."""
    end = 0
    for found in _ANY.finditer(text) if "-" in text or " at 0x" in text else ():
        yield _Piece(text[end : found.start()])
        yield _Piece(found.group(), Volatile(found.lastgroup or ""))
        end = found.end()
    yield _Piece(text[end:])


def _counts_for_nothing(a: str, b: str, kind: Volatile, moments: Moments, fresh: Freshness) -> bool:
    if kind is Volatile.UUID:
        return fresh.pair(a.lower(), b.lower())
    return kind is not Volatile.TIME or (_is_near(a, moments.then) and _is_near(b, moments.now))


def _is_near(stamp: str, at: datetime | None) -> bool:
    """Whether a time stamp lies near that moment; one without a zone is read in UTC and in the moment's."""
    if at is None:
        return False
    try:
        time = datetime.fromisoformat(stamp)
    except ValueError:  # the 30th of February
        return False
    zones = (time.tzinfo,) if time.tzinfo else (UTC, at.tzinfo)
    return any(abs(time.replace(tzinfo=zone) - at) <= NEAR for zone in zones)


def _is_moment(number: float, at: datetime | None) -> bool:
    if at is None:
        return False
    seconds = at.timestamp()
    return any(abs(number / scale - seconds) <= NEAR.total_seconds() for scale in _SCALES)


def _says_duration(name: str | int) -> bool:
    """Whether a name says that a run of something was measured: `durationMs`, `took`, `query_time`."""
    words = [word.lower() for word in _WORDS.findall(str(name))]
    while words and words[-1] in _UNITS:
        words.pop()
    if not words or _NOT_MEASURED & set(words):
        return False
    return words[-1] in _DURATIONS or (words[-1] == "time" and len(words) > 1 and words[-2] in _OF_TIME)
