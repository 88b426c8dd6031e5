"""What differs between two values, sorted by what it counts for: volatile, spelled otherwise, or changed.

A display of the differences is somebody else's matter (`values`); here it is decided whether they matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeGuard

from amberfork_cli.core import jsontext
from amberfork_cli.core.compare.report import MISSING, Side
from amberfork_cli.core.paths import Path
from amberfork_cli.core.tape import JsonValue
from amberfork_cli.core.tools.recorded import container_in
from amberfork_cli.core.tools.volatile import Freshness, Moments, Part, volatile_number, volatile_text


@dataclass(frozen=True, slots=True)
class Likeness:
    """Every part that differs, once, in the order of the recorded value.

    `volatile` counts for nothing, `respelled` has one value in two spellings (`1` and `1.0`, JSON text with
    other spaces), `changes` is the rest.
    """

    volatile: tuple[Part, ...] = ()
    respelled: tuple[Part, ...] = ()
    changes: tuple[Part, ...] = ()


def likeness(then: JsonValue, now: JsonValue, moments: Moments) -> Likeness:
    """How two values differ; nothing at all exactly when they are the same, type for type."""
    if jsontext.same(then, now):
        return Likeness()
    walk = _Walk(moments, Freshness.of(then, now))
    walk.value(then, now)
    return Likeness(tuple(walk.volatile), tuple(walk.respelled), tuple(walk.changes))


class _Walk:
    """One walk over two values, and what it has found so far."""

    def __init__(self, moments: Moments, fresh: Freshness) -> None:
        self.volatile: list[Part] = []
        self.respelled: list[Part] = []
        self.changes: list[Part] = []
        self._moments, self._fresh = moments, fresh
        self._pending: list[tuple[Side, Side, Path]] = []

    def value(self, then: JsonValue, now: JsonValue) -> None:
        self._pending.append((then, now, ()))
        while self._pending:
            self._step(*self._pending.pop())

    def _step(self, then: Side, now: Side, path: Path) -> None:
        if isinstance(then, dict) and isinstance(now, dict):
            keys = [*then, *(key for key in now if key not in then)]
            below = [(then.get(key, MISSING), now.get(key, MISSING), (*path, key)) for key in keys]
            self._pending += reversed(below)
        elif isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
            items = [(a, b, (*path, n)) for n, (a, b) in enumerate(zip(then, now, strict=True))]
            self._pending += reversed(items)
        elif isinstance(then, str) and isinstance(now, str):
            self._texts(then, now, path)
        elif _is_number(then) and _is_number(now):
            self._numbers(then, now, path)
        elif type(then) is not type(now) or then != now:
            self.changes.append(Part(path, then, now))

    def _numbers(self, then: float, now: float, path: Path) -> None:
        if jsontext.same(then, now):
            return
        kind = volatile_number(path, then, now, self._moments)
        if then == now:
            self.respelled.append(Part(path, then, now))
        elif kind is not None:
            self.volatile.append(Part(path, then, now, kind))
        else:
            self.changes.append(Part(path, then, now))

    def _texts(self, then: str, now: str, path: Path) -> None:
        if then == now:
            return
        inside = container_in(then), container_in(now)
        if inside[0] is not None and type(inside[0]) is type(inside[1]):
            self._insides(Part(path, then, now), *inside)
            return
        parts = volatile_text(path, then, now, self._moments, self._fresh)
        if parts is None:
            self.changes.append(Part(path, then, now))
        else:
            self.volatile += parts

    def _insides(self, part: Part, then: JsonValue, now: JsonValue) -> None:
        """Two texts of JSON are compared as what they hold; where that is the same, spelling differs."""
        if jsontext.same(then, now):
            self.respelled.append(part)
        else:
            self._pending.append((then, now, part.path))


def _is_number(value: Side) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
