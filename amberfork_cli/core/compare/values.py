"""What differs between two JSON values: every leaf, exactly, and nothing that is the same.

Lists are aligned, so that one inserted row is one difference. Objects go to deepdiff, whose account is
checked and, where it is not the whole truth, replaced by a plain walk: it knows no difference between
`[true]` and `[1]` or between `0.0` and `-0.0`. Strings that both hold JSON are compared as what they hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from amberfork_cli.core import jsontext
from amberfork_cli.core.compare.alignment import pairs
from amberfork_cli.core.compare.report import MISSING, Kind, Missing, Side
from amberfork_cli.core.paths import Path
from amberfork_cli.core.tape import JsonValue
from amberfork_cli.errors import JsonError

_LEAST_LIKENESS = 0.25  # a call and a text have less in common, a call and another call more
_DEEPEST = 100  # below this many levels a subtree counts as one value


@dataclass(frozen=True, slots=True)
class Change:
    """One value that differs: its path on either side, `None` where that side has none, and both values.

    `inner` goes on inside the JSON that a string holds, `None` where the difference is not inside one.
    """

    kind: Kind
    old_path: Path | None
    new_path: Path | None
    old: Side
    new: Side
    inner: Path | None = None

    @property
    def path(self) -> Path:
        """The path to show: the old one, where there is one."""
        return self.old_path if self.old_path is not None else self.new_path or ()


def changes(old: JsonValue, new: JsonValue) -> list[Change]:
    """Every difference between two values, in their order; none exactly when they are the same."""
    return [] if jsontext.same(old, new) else list(_changes(old, new, (), ()))


def text_of_json(text: str) -> dict[str, JsonValue] | list[JsonValue] | None:
    """The object or array that a string holds, `None` where it holds none."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        value = jsontext.loads(text)
    except JsonError:
        return None
    return value if isinstance(value, (dict, list)) else None


def _changes(old: JsonValue, new: JsonValue, old_path: Path, new_path: Path) -> Iterator[Change]:
    if jsontext.same(old, new):
        return
    shallow = max(len(old_path), len(new_path)) < _DEEPEST
    if shallow and isinstance(old, dict) and isinstance(new, dict):
        yield from _of_objects(old, new, old_path, new_path)
    elif shallow and isinstance(old, list) and isinstance(new, list):
        yield from _of_lists(old, new, old_path, new_path)
    elif isinstance(old, str) and isinstance(new, str):
        yield from _of_texts(old, new, old_path, new_path)
    else:
        yield Change(_kind(old, new, old_path), old_path, new_path, old, new)


_CONTENTS = frozenset({"content", "output", "toolResult"})
"""The members that lead to what a message says, which may be written in two forms."""


def _kind(old: JsonValue, new: JsonValue, path: Path) -> Kind:
    if _is_number(old) and _is_number(new):
        return Kind.SPELLING if old == new else Kind.VALUE
    says = all(isinstance(key, int) or key in _CONTENTS for key in path)
    if says and _lone_text(old) is not None and _lone_text(old) == _lone_text(new):
        return Kind.FORM
    return Kind.VALUE if _type_name(old) == _type_name(new) else Kind.TYPE


def _is_number(value: JsonValue) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _type_name(value: JsonValue) -> str:
    return "number" if _is_number(value) else type(value).__name__


def _lone_text(content: JsonValue) -> str | None:
    """The text that a content says, written plainly or as one text part and nothing else."""
    if isinstance(content, list) and len(content) == 1 and isinstance(content[0], dict):
        part = content[0]
        if set(part) <= {"type", "text"} and part.get("type", "text") in (
            "text",
            "input_text",
            "output_text",
        ):
            content = part.get("text")
    return content if isinstance(content, str) else None


def _of_texts(old: str, new: str, old_path: Path, new_path: Path) -> Iterator[Change]:
    held_old, held_new = text_of_json(old), text_of_json(new)
    if held_old is None or held_new is None:
        yield Change(Kind.VALUE, old_path, new_path, old, new)
        return
    inside = list(_changes(held_old, held_new, (), ()))
    if not inside or any(change.inner is not None for change in inside):
        kind = Kind.VALUE if inside else Kind.SPELLING
        yield Change(kind, old_path, new_path, old, new)
        return
    for change in inside:
        kind = (
            Kind.TYPE if change.kind is Kind.FORM else change.kind
        )  # there it is data, and nobody's message
        yield replace(change, kind=kind, old_path=old_path, new_path=new_path, inner=change.path)


def _of_lists(old: list[JsonValue], new: list[JsonValue], old_path: Path, new_path: Path) -> Iterator[Change]:
    for i, j in facing(old, new):
        if i is None and j is not None:
            yield Change(Kind.ADDED, None, (*new_path, j), MISSING, new[j])
        elif j is None and i is not None:
            yield Change(Kind.REMOVED, (*old_path, i), None, old[i], MISSING)
        elif i is not None and j is not None:
            yield from _changes(old[i], new[j], (*old_path, i), (*new_path, j))


def facing(old: list[JsonValue], new: list[JsonValue]) -> list[tuple[int | None, int | None]]:
    """The positions of two lists that belong together, in order; `None` where one has no counterpart."""
    keys_old, keys_new = ([jsontext.dumps(item, sort_keys=True) for item in side] for side in (old, new))
    return pairs(keys_old, keys_new, lambda i, j: likeness(old[i], new[j]))


def likeness(old: JsonValue, new: JsonValue) -> float:
    """How much two values have in common at first sight, from hardly anything to 1.

    It is 0 for two objects of which one is no new version of the other.
    """
    if _type_name(old) != _type_name(new):
        return 0.1
    if isinstance(old, dict) and isinstance(new, dict):
        keys = old.keys() | new.keys()
        shared = sum(1 for key in old.keys() & new.keys() if jsontext.same(old[key], new[key]))
        alike = (shared + 0.5 * len(old.keys() & new.keys())) / (1.5 * len(keys)) if keys else 1.0
        return alike if alike >= _LEAST_LIKENESS else 0.0
    return 0.5


def _of_objects(
    old: dict[str, JsonValue], new: dict[str, JsonValue], old_path: Path, new_path: Path
) -> Iterator[Change]:
    """Members by deepdiff, but for the lists, texts and JSON that both sides have at one place."""
    apart = _Apart(old, new)
    found = _by_deepdiff(apart.old, apart.new)
    if not jsontext.same(_applied(apart.old, found), apart.new):
        found = list(_plainly(apart.old, apart.new, ()))
    by_path: dict[Path, Iterable[Change]] = {}
    for change in found:
        one_sided = MISSING in (change.old, change.new)
        kind = change.kind
        if not one_sided:
            kind = _kind(_value(change.old), _value(change.new), (*old_path, *change.path))
        by_path[change.path] = [_placed(replace(change, kind=kind), old_path, new_path)]
    for path, left, right in apart.pairs:
        by_path[path] = _changes(left, right, (*old_path, *path), (*new_path, *path))
    for path in _in_order(by_path, old, new):
        yield from by_path[path]


def _placed(change: Change, old_path: Path, new_path: Path) -> Change:
    """The change with paths that lead from further out."""
    return replace(
        change,
        old_path=None if change.old_path is None else (*old_path, *change.old_path),
        new_path=None if change.new_path is None else (*new_path, *change.new_path),
    )


def _in_order(paths: Iterable[Path], old: JsonValue, new: JsonValue) -> list[Path]:
    """Paths to members in the order of the document: as the old side has them, then what only the new has."""
    known: dict[Path, dict[str | int, int]] = {}

    def ranks(path: Path) -> dict[str | int, int]:
        if path not in known:
            keys = dict.fromkeys([*_members_at(old, path), *_members_at(new, path)])
            known[path] = {key: rank for rank, key in enumerate(keys)}
        return known[path]

    return sorted(paths, key=lambda path: [ranks(path[:at])[key] for at, key in enumerate(path)])


def _members_at(value: JsonValue, path: Path) -> dict[str, JsonValue]:
    for key in path:
        value = value.get(key) if isinstance(value, dict) and isinstance(key, str) else None
    return _members(value)


class _Apart:
    """Two objects without the lists and texts that both have at one place; those are in `pairs`."""

    def __init__(self, old: dict[str, JsonValue], new: dict[str, JsonValue]) -> None:
        self.pairs: list[tuple[Path, JsonValue, JsonValue]] = []
        self.old, self.new = self._split(old, new, ())

    def _split(
        self, old: dict[str, JsonValue], new: dict[str, JsonValue], path: Path
    ) -> tuple[dict[str, JsonValue], dict[str, JsonValue]]:
        left, right = dict(old), dict(new)
        for key, one in old.items():
            if key not in new:
                continue
            other, where = new[key], (*path, key)
            if isinstance(one, dict) and isinstance(other, dict) and len(where) < _DEEPEST:
                left[key], right[key] = self._split(one, other, where)
            elif isinstance(one, (dict, list, str)) and type(one) is type(other):
                self.pairs.append((where, one, other))
                del left[key], right[key]
        return left, right


def _by_deepdiff(old: dict[str, JsonValue], new: dict[str, JsonValue]) -> list[Change]:
    """What deepdiff finds between two objects. No list and no text is on both sides at one place."""
    if old == new and not old:
        return []
    from deepdiff import DeepDiff  # 140 ms to import, and a run that is the same never compares

    tree: Any = DeepDiff(
        old,
        new,
        view="tree",
        zip_ordered_iterables=True,
        ignore_private_variables=False,
        threshold_to_diff_deeper=0,
    )
    return [_change(name, level) for name, levels in tree.items() for level in levels if name in _REPORTS]


_REPORTS = frozenset({"values_changed", "type_changes", "dictionary_item_added", "dictionary_item_removed"})


def _change(name: str, level: Any) -> Change:
    path: Path = tuple(level.path(output_format="list"))
    if name == "dictionary_item_added":
        return Change(Kind.ADDED, None, path, MISSING, level.t2)
    if name == "dictionary_item_removed":
        return Change(Kind.REMOVED, path, None, level.t1, MISSING)
    return Change(Kind.VALUE, path, path, level.t1, level.t2)


def _applied(old: JsonValue, found: list[Change]) -> JsonValue:
    """The old value with the changes made to it."""
    root = _members_copied(old)
    for change in found:
        here: JsonValue = root
        for key in change.path[:-1]:
            here = here[key] if isinstance(here, dict) and isinstance(key, str) and key in here else {}
        last = change.path[-1] if change.path else ""
        if isinstance(here, dict) and isinstance(last, str):
            if change.new is MISSING:
                here.pop(last, None)
            else:
                here[last] = _value(change.new)
    return root


def _members_copied(value: JsonValue) -> JsonValue:
    return {key: _members_copied(child) for key, child in value.items()} if isinstance(value, dict) else value


def _plainly(old: dict[str, JsonValue], new: dict[str, JsonValue], path: Path) -> Iterator[Change]:
    """Every member that differs, by looking at each."""
    for key in [*old, *(key for key in new if key not in old)]:
        where = (*path, key)
        if key not in new:
            yield Change(Kind.REMOVED, where, None, old[key], MISSING)
        elif key not in old:
            yield Change(Kind.ADDED, None, where, MISSING, new[key])
        elif isinstance(old[key], dict) and isinstance(new[key], dict) and len(where) < _DEEPEST:
            yield from _plainly(_members(old[key]), _members(new[key]), where)
        elif not jsontext.same(old[key], new[key]):
            yield Change(Kind.VALUE, where, where, old[key], new[key])


def _members(value: JsonValue) -> dict[str, JsonValue]:
    return value if isinstance(value, dict) else {}


def _value(side: Side) -> JsonValue:
    return None if isinstance(side, (Missing, bytes)) else side
