"""Parallel calls and their results that came in another order: one difference, not two changes.

A batch is reordered when each element says the same and answers the same call as before. Where elements say
the same but answer other calls, they are faced with their like all the same: that is a difference of links.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from amberfork_cli.core import jsontext
from amberfork_cli.core.compare.reading import Element, Id
from amberfork_cli.core.dialects.model import Role as Speaker
from amberfork_cli.core.ids.id_rules import IdClass, Role
from amberfork_cli.core.paths import Path

Order: TypeAlias = tuple[int, ...]
_FEW = 12
_Sign: TypeAlias = "tuple[bytes, int | None]"


@dataclass(frozen=True, slots=True)
class Reordered:
    """A run of elements that came in another order: where it begins on each side, and where each went.

    `order[k]` is the re-issued position, counted from the run's beginning, of the recorded element `k`. Each
    answers the call it answered, unless the run is `crossed`: then the links tell what changed.
    """

    old_start: int
    new_start: int
    order: Order
    crossed: bool = False


def reordered_messages(old: Sequence[Element], new: Sequence[Element]) -> list[Reordered]:
    """The runs of tool messages whose results are the same, in another order."""
    waiting: dict[tuple[bytes, ...], list[tuple[int, tuple[_Sign, ...]]]] = defaultdict(list)
    for start, signs in _runs(old):
        waiting[tuple(sorted(_texts(signs)))].append((start, signs))
    found = []
    for start, signs in _runs(new):
        same = waiting[tuple(sorted(_texts(signs)))]
        if any(_texts(old_signs) == _texts(signs) for _, old_signs in same) or not same:
            continue
        old_start, old_signs = same.pop(0)
        order, crossed = _order(old_signs, signs)
        found.append(Reordered(old_start, start, order, crossed))
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


def reordered_parts(old: Element, new: Element) -> tuple[str, Order, bool] | None:
    """The list in a message whose calls or results came in another order, that order, and if it crosses."""
    for name in dict.fromkeys(one.path[0] for one in old.ids if len(one.path) > 1):
        left, right = _list(old, name), _list(new, name)
        if isinstance(name, str) and len(left) == len(right) > 1:
            old_signs, new_signs = _part_signs(old, name, left), _part_signs(new, name, right)
            texts = _texts(old_signs), _texts(new_signs)
            if texts[0] != texts[1] and sorted(texts[0]) == sorted(texts[1]):
                return name, *_order(old_signs, new_signs)
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


def _texts(signs: Sequence[_Sign]) -> list[bytes]:
    return [text for text, _ in signs]


def _order(old: Sequence[_Sign], new: Sequence[_Sign]) -> tuple[Order, bool]:
    """Where each element went, and whether any of them answers another call there."""
    crossed = Counter(old) != Counter(new)
    places: dict[object, list[int]] = defaultdict(list)
    for position, sign in enumerate(new):
        places[sign[0] if crossed else sign].append(position)
    return tuple(places[sign[0] if crossed else sign].pop(0) for sign in old), crossed


def arranged(element: Element, name: str, order: Order) -> Element:
    """The element with the parts of one list in the recorded order, its IDs with them."""
    value = dict(element.value) if isinstance(element.value, dict) else {}
    parts = value.get(name)
    if isinstance(parts, list):
        value[name] = [parts[position] for position in order]
    at = {position: index for index, position in enumerate(order)}
    ids = tuple(replace(one, path=_moved(one.path, name, at)) for one in element.ids)
    return replace(element, value=value, ids=ids)


def in_another_order(order: Order) -> str:
    """The order in words: which of the recorded elements, counted from 0, comes first, second and so on.

    Two can only have changed places, and of many nobody wants to know.
    """
    if not 2 < len(order) <= _FEW:
        return "in another order"
    return f"in another order: {', '.join(str(order.index(position)) for position in range(len(order)))}"


def _moved(path: Path, name: str, at: dict[int, int]) -> Path:
    if path[:1] == (name,) and len(path) > 1 and isinstance(path[1], int):
        return (name, at[path[1]], *path[2:])
    return path
