"""Parallel calls and their results that came in another order: one difference, not two changes.

A batch is reordered when each element says the same and answers the same call as before. When only the
answered calls changed places, nothing is reordered: that is a difference of links.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from amberfork_cli.core import jsontext
from amberfork_cli.core.dialects.model import Role as Speaker
from amberfork_cli.core.id_rules import IdClass, Path, Role
from amberfork_cli.core.reading import Element, Id

Order: TypeAlias = tuple[int, ...]
_Sign: TypeAlias = "tuple[bytes, int | None]"


@dataclass(frozen=True, slots=True)
class Reordered:
    """A run of elements that came in another order: where it begins on each side, and where each went.

    `order[k]` is the re-issued position, counted from the run's beginning, of the recorded element `k`.
    """

    old_start: int
    new_start: int
    order: Order


def reordered_messages(old: Sequence[Element], new: Sequence[Element]) -> list[Reordered]:
    """The runs of tool messages whose results are the same, each for the same call, in another order."""
    waiting: dict[tuple[_Sign, ...], list[tuple[int, tuple[_Sign, ...]]]] = defaultdict(list)
    for start, signs in _runs(old):
        waiting[_sorted(signs)].append((start, signs))
    found = []
    for start, signs in _runs(new):
        same = waiting[_sorted(signs)]
        if any(old_signs == signs for _, old_signs in same) or not same:
            continue
        old_start, old_signs = same.pop(0)
        found.append(Reordered(old_start, start, _order(old_signs, signs)))
    return found


def _runs(elements: Sequence[Element]) -> list[tuple[int, tuple[_Sign, ...]]]:
    """Where each run of two or more tool messages begins, and what each of them says and answers."""
    runs: list[tuple[int, tuple[_Sign, ...]]] = []
    start = 0
    for index in range(len(elements) + 1):
        said = elements[index].said if index < len(elements) else None
        if said is not None and said.role is Speaker.TOOL:
            continue
        if index - start > 1:
            runs.append((start, _signs(elements[start:index])))
        start = index + 1
    return runs


def _signs(run: Sequence[Element]) -> tuple[_Sign, ...]:
    return _relative(
        [(jsontext.dumps(element.value, sort_keys=True), _answered(element.ids)) for element in run]
    )


def reordered_parts(old: Element, new: Element) -> tuple[str, Order] | None:
    """The list in a message whose calls or results came in another order, and that order."""
    for name in dict.fromkeys(one.path[0] for one in old.ids if len(one.path) > 1):
        left, right = _list(old, name), _list(new, name)
        if isinstance(name, str) and len(left) == len(right) > 1:
            old_signs, new_signs = _part_signs(old, name, left), _part_signs(new, name, right)
            if old_signs != new_signs and _sorted(old_signs) == _sorted(new_signs):
                return name, _order(old_signs, new_signs)
    return None


def _part_signs(element: Element, name: str, parts: Sequence[object]) -> tuple[_Sign, ...]:
    ids: dict[object, list[Id]] = defaultdict(list)
    for one in element.ids:
        if one.path[0] == name and len(one.path) > 1:
            ids[one.path[1]].append(one)
    return _relative(
        [(jsontext.dumps(part, sort_keys=True), _answered(ids[index])) for index, part in enumerate(parts)]
    )


def _list(element: Element, name: object) -> list[object]:
    value = element.value.get(name) if isinstance(element.value, dict) and isinstance(name, str) else None
    return list(value) if isinstance(value, list) else []


def _answered(ids: Sequence[Id]) -> int | None:
    """The number of the call that a result answers."""
    for one in ids:
        if one.role is Role.ANSWERS and one.token[0] is IdClass.CALL and isinstance(one.token[1], int):
            return one.token[1]
    return None


def _relative(signs: list[_Sign]) -> tuple[_Sign, ...]:
    """The signs with calls numbered within the batch, so that earlier turns do not count."""
    first = min((number for _, number in signs if number is not None), default=0)
    return tuple((text, None if number is None else number - first) for text, number in signs)


def _sorted(signs: Sequence[_Sign]) -> tuple[_Sign, ...]:
    return tuple(sorted(signs, key=lambda sign: (sign[0], -1 if sign[1] is None else sign[1])))


def _order(old: Sequence[_Sign], new: Sequence[_Sign]) -> Order:
    places: dict[_Sign, list[int]] = defaultdict(list)
    for position, sign in enumerate(new):
        places[sign].append(position)
    return tuple(places[sign].pop(0) for sign in old)


def arranged(element: Element, name: str, order: Order) -> Element:
    """The element with the parts of one list in the recorded order, its IDs with them."""
    value = dict(element.value) if isinstance(element.value, dict) else {}
    parts = value.get(name)
    if isinstance(parts, list):
        value[name] = [parts[position] for position in order]
    at = {position: index for index, position in enumerate(order)}
    ids = tuple(replace(one, path=_moved(one.path, name, at)) for one in element.ids)
    return replace(element, value=value, ids=ids)


def _moved(path: Path, name: str, at: dict[int, int]) -> Path:
    if path[:1] == (name,) and len(path) > 1 and isinstance(path[1], int):
        return (name, at[path[1]], *path[2:])
    return path
