"""The changes of one message, those of one call or result together, named as people name them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TypeAlias, TypeVar

from amberfork_cli.core.compare.batches import Order
from amberfork_cli.core.compare.finding import Finding, origin_of
from amberfork_cli.core.compare.reading import Element, Id
from amberfork_cli.core.compare.report import Difference, Kind, Origin, Spot, Words, ours
from amberfork_cli.core.compare.values import Change, facing
from amberfork_cli.core.compare.words import call_words, result_words, who
from amberfork_cli.core.dialects.model import Message, ToolCall, ToolResult
from amberfork_cli.core.paths import Path, to_text

Moved: TypeAlias = "tuple[str, Order] | None"
"""The list of a message whose parts came in another order, and that order."""

_Calls: TypeAlias = "tuple[ToolCall | None, ToolCall | None]"


class MessageChanges:
    """Two messages that are each other's counterpart, the re-issued one also as it was recorded."""

    def __init__(self, old: Element, new: Element, arranged: Element, moved: Moved) -> None:
        self._old, self._new, self._arranged, self._moved = old, new, arranged, moved

    def findings(self, found: Sequence[Change]) -> Iterator[Finding]:
        """The changes from the old message to the arranged one; those of one call or result together."""
        groups: dict[tuple[Path | None, Path | None, bool], list[Change]] = {}
        for change in found:
            groups.setdefault((*self._places(change), self._is_answer(change)), []).append(change)
        for (old_place, new_place, answer), group in groups.items():
            changes_ = [self._as_it_stands(change) for change in group]
            yield self._finding(old_place, new_place, changes_, answer=answer)

    def _is_answer(self, change: Change) -> bool:
        """Whether a change in a call that carries its own result is one of the result."""
        element, path = (
            (self._arranged, change.new_path) if change.old_path is None else (self._old, change.old_path)
        )
        result = element.result_at(path or ())
        full = (*element.path, *(path or ()))
        return result is not None and full[: len(result.content_path)] == result.content_path

    def _places(self, change: Change) -> tuple[Path | None, Path | None]:
        """The call or result that a change is in on either side; `None` where that side has it not."""
        if change.old_path is not None:
            place = _place(self._old, change.old_path)
            return place, self._counterpart(place, self._forth)
        path = change.new_path or ()
        place = _place(self._arranged, path)
        if len(path) <= len(place):
            return None, place
        return self._counterpart(place, self._back), place

    def _counterpart(self, place: Path, positions: dict[str, dict[int, int]]) -> Path | None:
        """The same place on the other side, where its list has another order or length."""
        if len(place) < 2 or not isinstance(place[1], int) or str(place[0]) not in positions:
            return place
        position = positions[str(place[0])].get(place[1])
        return None if position is None else (place[0], position, *place[2:])

    @cached_property
    def _forth(self) -> dict[str, dict[int, int]]:
        """For each list of the message, which recorded position faces which arranged one."""
        return {
            name: {i: j for i, j in pairs if i is not None and j is not None}
            for name, pairs in _facing_lists(self._old, self._arranged)
        }

    @cached_property
    def _back(self) -> dict[str, dict[int, int]]:
        return {name: {j: i for i, j in pairs.items()} for name, pairs in self._forth.items()}

    def _as_it_stands(self, change: Change) -> Change:
        """The change with its re-issued path where the value stands, not where its counterpart does."""
        if change.new_path is None:
            return change
        return replace(change, new_path=back(change.new_path, self._moved))

    def _finding(
        self, old_place: Path | None, new_place: Path | None, group: Sequence[Change], *, answer: bool
    ) -> Finding:
        old, new = self._old, self._new
        there = None if new_place is None else back(new_place, self._moved)
        paths = [change.old_path for change in group], [change.new_path for change in group]
        calls = _first(old.call_at, old_place, paths[0]), _first(new.call_at, there, paths[1])
        result = _first(new.result_at, there, paths[1]) or _first(old.result_at, old_place, paths[0])
        if result and any(calls):
            calls, result = ((None, None), result) if answer else (calls, None)
        differences = tuple(_shown(change, old, new, calls, result) for change in group)
        spot = Spot(to_text(new.path), _who(old, new, calls, result), differences)
        origin = Origin.TOOL_RESULT if result else origin_of(new.said or old.said)
        return Finding(spot, origin, said(old), said(new), calls, result)


def facing_ids(old: Element, new: Element) -> tuple[Id, ...]:
    """The IDs of a message, each at the place of the recorded message that its call or result belongs to.

    What has no counterpart comes before the list.
    """
    places = {
        name: {j: -1 - j if i is None else i for i, j in pairs if j is not None}
        for name, pairs in _facing_lists(old, new)
    }
    return tuple(replace(one, path=_placed(one.path, places)) for one in new.ids)


def back(path: Path, moved: Moved) -> Path:
    """The path in the message as it was re-issued, of one in the message as it was arranged."""
    if moved and path[:1] == (moved[0],) and len(path) > 1 and isinstance(path[1], int):
        return (path[0], moved[1][path[1]], *path[2:])
    return path


def said(element: Element) -> tuple[Message, ...]:
    """What a message says, if that is known."""
    return (element.said,) if element.said else ()


def difference_of(change: Change, old_path: Path, new_path: Path) -> Difference:
    """A change as a difference, its paths led back to the bodies."""
    return Difference(
        change.kind,
        change.path if change.inner is None else (*change.path, *change.inner),
        None if change.old_path is None else (*old_path, *change.old_path),
        None if change.new_path is None else (*new_path, *change.new_path),
        change.old,
        change.new,
        inner_path=change.inner,
    )


def _facing_lists(old: Element, new: Element) -> Iterator[tuple[str, list[tuple[int | None, int | None]]]]:
    """The lists that both messages have, and which of their positions face each other."""
    if isinstance(old.value, dict) and isinstance(new.value, dict):
        for name, items in old.value.items():
            others = new.value.get(name)
            if isinstance(items, list) and isinstance(others, list):
                yield name, facing(items, others)


def _placed(path: Path, places: dict[str, dict[int, int]]) -> Path:
    if len(path) > 1 and isinstance(path[1], int):
        return (path[0], places.get(str(path[0]), {}).get(path[1], path[1]), *path[2:])
    return path


def _place(element: Element, path: Path) -> Path:
    """The path from the message to the call or result that a change is in."""
    at = element.call_at(path) or element.result_at(path)
    return at.path[len(element.path) :] if at else ()


_Found = TypeVar("_Found")


def _first(
    look: Callable[[Path], _Found | None], place: Path | None, paths: Iterable[Path | None]
) -> _Found | None:
    """What stands at a place of a message; where that is all of it, what it is or a changed value holds."""
    if place is None:
        return None
    places = (place,) if place else ((), *(path for path in paths if path is not None))
    return next((one for one in map(look, places) if one is not None), None)


def _who(old: Element, new: Element, calls: _Calls, result: ToolResult | None) -> Words:
    call = calls[0] or calls[1]
    if call is not None:
        return (ours("assistant calls "), *call_words(call)[:1])
    return result_words(result) if result else who(new.said or old.said)


def _shown(
    change: Change,
    old: Element,
    new: Element,
    calls: _Calls,
    result: ToolResult | None,
) -> Difference:
    """A change with the path that people read: from the call's arguments, from the result's content."""
    difference = difference_of(change, old.path, new.path)
    element, call = (old, calls[0]) if change.old_path is not None else (new, calls[1])
    call = call or calls[0] or calls[1]
    full = (*element.path, *change.path)
    inner = change.inner or ()
    if change.kind in (Kind.ADDED, Kind.REMOVED) and change.inner is None:
        difference = replace(difference, summary=_whole(element, full))
    if call is not None and not difference.summary:
        return replace(difference, path=(*_in_call(full, call), *inner))
    there = element.result_at(change.path) if result else None
    if there is not None and full[: len(there.content_path)] == there.content_path:
        rest = full[len(there.content_path) :]
        return replace(difference, path=(*(rest[2:] if rest[1:2] == ("text",) else rest), *inner))
    return difference


def _whole(element: Element, path: Path) -> Words:
    """The calls or results in a value that only one side has, in words; none where it holds no whole one."""
    said = element.said
    calls = [call for call in (said.calls if said else ()) if call.path[: len(path)] == path]
    results = [result for result in (said.results if said else ()) if result.path[: len(path)] == path]
    words = [call_words(call) for call in calls] or [result_words(result) for result in results]
    return tuple(
        piece for number, one in enumerate(words) for piece in ((ours(", "),) if number else ()) + one
    )


def _in_call(full: Path, call: ToolCall) -> Path:
    if full[: len(call.arguments_path)] == call.arguments_path:
        return ("arguments", *full[len(call.arguments_path) :])
    rest = full[len(call.path) :]
    return rest[1:] if rest[:1] in (("function",), ("custom",)) else rest
