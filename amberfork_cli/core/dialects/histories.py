"""Histories as they grow: a request carries all that was said before it.

Readers of tapes give the same objects for what a request repeats. So a history is known again by its objects,
without a look at what they say, and each message needs to be read only once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import is_
from typing import Generic, TypeVar, overload

from amberfork_cli.core.dialects.shapes import member_at
from amberfork_cli.core.paths import Path
from amberfork_cli.core.tape import JsonValue

RECENT = 16  # conversations that are read on instead of from the start; agents interleave only a few

_Element = tuple[Path, JsonValue]
_Kept = TypeVar("_Kept")


class Elements(Sequence[_Element]):
    """The elements of a history as they were recorded, each with its path; none is touched unasked.

    `values` are the elements alone. `member` is the one member of the body that holds them all as a list,
    `None` where they stand otherwise.
    """

    __slots__ = ("_lists", "member", "values")

    def __init__(self, body: JsonValue, paths: Sequence[Path]) -> None:
        found = ((path, member_at(body, path)) for path in paths)
        self._lists = [(path, value) for path, value in found if isinstance(value, (list, dict, str))]
        held: list[list[JsonValue]] = [
            value if isinstance(value, list) else [value] for _, value in self._lists
        ]
        self.values = held[0] if len(held) == 1 else list(chain.from_iterable(held))
        self.member = self._only_member()

    def __len__(self) -> int:
        return len(self.values)

    @overload
    def __getitem__(self, at: int, /) -> _Element: ...
    @overload
    def __getitem__(self, at: slice, /) -> Sequence[_Element]: ...
    def __getitem__(self, at: int | slice, /) -> _Element | Sequence[_Element]:
        if isinstance(at, slice):
            return [self[number] for number in range(*at.indices(len(self.values)))]
        value = self.values[at]
        return self._path(at if at >= 0 else at + len(self.values)), value

    def __iter__(self) -> Iterator[_Element]:
        for path, held in self._lists:
            if isinstance(held, list):
                yield from (((*path, index), element) for index, element in enumerate(held))
            else:
                yield path, held

    def _only_member(self) -> str | None:
        if len(self._lists) != 1:
            return None
        path, held = self._lists[0]
        name = path[0] if len(path) == 1 and isinstance(held, list) else None
        return name if isinstance(name, str) else None

    def _path(self, at: int) -> Path:
        for path, held in self._lists:
            if not isinstance(held, list):
                if at == 0:
                    return path
                at -= 1
            elif at < len(held):
                return (*path, at)
            else:
                at -= len(held)
        raise IndexError(at)


NO_ELEMENTS = Elements(None, ())


@dataclass(slots=True, eq=False)
class _Grown(Generic[_Kept]):
    key: Hashable
    values: list[JsonValue]
    kept: _Kept


class Histories(Generic[_Kept]):
    """What is kept of the histories met lately, to go on from where one of them has grown.

    Histories of different keys have nothing in common, whatever they hold.
    """

    def __init__(self, fresh: Callable[[], _Kept]) -> None:
        self._fresh = fresh
        self._recent: deque[_Grown[_Kept]] = deque(maxlen=RECENT)

    def of(self, values: list[JsonValue], *, key: Hashable = None) -> tuple[_Kept, int]:
        """What is kept of the longest history that this one begins with, and how many values that has.

        It is kept for this one from now on. Where there is none, it is fresh.
        """
        known = [each for each in self._recent if each.key == key and begins_with(values, each.values)]
        grown = max(known, key=lambda each: len(each.values), default=None)
        if grown is None:
            grown = _Grown(key, [], self._fresh())
        else:
            self._recent.remove(grown)
        length, grown.values = len(grown.values), values.copy()  # the list itself may go on to grow
        self._recent.append(grown)
        return grown.kept, length


def begins_with(values: Sequence[JsonValue], known: Sequence[JsonValue]) -> bool:
    """Whether there are known values, and those begin with the very same objects."""
    return 0 < len(known) <= len(values) and all(map(is_, known, values))
