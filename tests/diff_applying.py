"""Apply what a diff tells to the recorded body: it must give the re-issued one.

IDs stand as the names of their classes in what a diff tells, so bodies are compared as read, and what IDs
point to is left aside. Where references answer other calls than before, the results of one batch are compared
whatever their order, since links tell that they crossed.
"""

from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any

from amberfork_cli.core import jsontext
from amberfork_cli.core.compare.reading import Reading, read
from amberfork_cli.core.compare.report import MISSING, Difference, Kind, Side
from amberfork_cli.core.compare.values import text_of_json
from amberfork_cli.core.dialects.dialect import Dialect
from amberfork_cli.core.dialects.model import Role
from amberfork_cli.core.paths import Path

Json = Any
LINKS = (Kind.LINK, Kind.ORPHAN)


@dataclass(frozen=True, slots=True)
class _Step:
    """One change at a path: of what is there, to what shall be there."""

    kind: Kind
    old: Path | None
    new: Path | None
    value: Side


class _Gone:
    """What stands where a value was removed, until all is done that counts positions as recorded."""


_GONE: Any = _Gone()


def gives_the_other(recorded: Json, reissued: Json, differences: Iterable[Difference]) -> bool:
    """Whether the differences, applied to the recorded body, give the re-issued one up to its IDs."""
    told = tuple(differences)
    old, new = read(recorded), read(reissued)
    got = _applied(old, [difference for difference in told if difference.kind not in LINKS])
    crossed = any(difference.kind in LINKS for difference in told)
    return jsontext.same(
        _settled(got, old.dialect, crossed=crossed), _settled(new.whole, new.dialect, crossed=crossed)
    )


def value_at(value: Json, path: Path) -> Json:
    """What stands at a path; raises KeyError, IndexError or TypeError where nothing does."""
    for key in path:
        value = value[key]
    return value


def _applied(old: Reading, differences: Iterable[Difference]) -> Json:
    root = [deepcopy(old.whole)]
    steps = [_step(difference) for difference in differences if difference.inner_path is None]
    inside = [difference for difference in differences if difference.inner_path is not None]
    for path in dict.fromkeys(difference.recorded_path or () for difference in inside):
        holder, key = value_at(root, (0, *path[:-1])), path[-1]
        held = [text_of_json(holder[key])]
        several = [difference for difference in inside if difference.recorded_path == path]
        _apply(held, [_inner_step(difference) for difference in several], None)
        holder[key] = jsontext.dumps(held[0]).decode()
    _apply(root, steps, old.dialect)
    return root[0]


def _step(difference: Difference) -> _Step:
    return _Step(difference.kind, difference.recorded_path, difference.reissued_path, difference.reissued)


def _inner_step(difference: Difference) -> _Step:
    path = difference.inner_path
    old = None if difference.recorded is MISSING else path
    return _Step(difference.kind, old, None if difference.reissued is MISSING else path, difference.reissued)


def _apply(root: list[Json], steps: list[_Step], dialect: Dialect | None) -> None:
    """Values and removals by recorded positions, then orders, then what is added, by re-issued positions."""
    orders = [step for step in steps if step.kind is Kind.REORDERED and step.old is not None]
    for step in steps:
        if step.old is not None and step.kind is not Kind.REORDERED:
            holder = value_at(root, (0, *step.old)[:-1])
            holder[(0, *step.old)[-1]] = _GONE if step.new is None else deepcopy(step.value)
    for step in orders:
        if not _is_of_tools(step):
            _reorder(root, step)
    _sweep(root)
    for step in orders:
        if _is_of_tools(step):
            _reorder_tools(root, step, dialect)
    for step in sorted((step for step in steps if step.old is None), key=lambda step: step.new or ()):
        _insert(root, (0, *(step.new or ())), deepcopy(step.value))


def _reorder(root: list[Json], step: _Step) -> None:
    """Permute a list of parts, or the messages from the one that the path leads to."""
    path, order = step.old or (), list(step.value) if isinstance(step.value, list) else []
    start = path[-1] if path and isinstance(path[-1], int) else 0
    holder = value_at(root, (0, *path[:-1]) if path and isinstance(path[-1], int) else (0, *path))
    run = holder[start : start + len(order)]
    holder[start : start + len(order)] = [run[order.index(k)] for k in range(len(order))]


def _is_of_tools(step: _Step) -> bool:
    return step.old is not None and step.old[:1] in (("tools",), ("toolConfig",), ("functions",))


def _reorder_tools(root: list[Json], step: _Step, dialect: Dialect | None) -> None:
    order = list(step.value) if isinstance(step.value, list) else []
    places = [tool.path for tool in dialect.tools(root[0])] if dialect else []
    tools = [value_at(root, (0, *place)) for place in places]
    for k, place in enumerate(places):
        value_at(root, (0, *place[:-1]))[place[-1]] = tools[order.index(k)]


def _insert(root: list[Json], path: Path, value: Json) -> None:
    holder: Json = root
    for key, below in pairwise(path):
        empty: Json = [] if isinstance(below, int) else {}
        if isinstance(holder, list) and key == len(holder):
            holder.append(empty)
        elif isinstance(holder, dict):
            holder.setdefault(key, empty)
        holder = holder[key]
    if isinstance(holder, list):
        holder.insert(path[-1], value)
    else:
        holder[path[-1]] = value


def _sweep(value: Json) -> None:
    if isinstance(value, dict):
        for key in [key for key, child in value.items() if child is _GONE]:
            del value[key]
    elif isinstance(value, list):
        value[:] = [child for child in value if child is not _GONE]
    for child in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _sweep(child)


def _settled(body: Json, dialect: Dialect | None, *, crossed: bool) -> Json:
    """The body with JSON in strings spelled one way and no empty list of tools, crossed batches sorted."""
    body = _spelled_one_way(body)
    if crossed and dialect is not None:
        for place in dialect.list_paths:
            holder = body.get(place[0]) if isinstance(body, dict) and len(place) == 1 else None
            if isinstance(holder, list):
                holder[:] = _sorted_batches(holder, dialect)
    return body


def _spelled_one_way(value: Json) -> Json:
    if isinstance(value, dict):
        members = {key: _spelled_one_way(child) for key, child in value.items()}
        return {key: child for key, child in members.items() if key not in _TOOLS or child != []}
    if isinstance(value, list):
        return [_spelled_one_way(child) for child in value]
    held = text_of_json(value) if isinstance(value, str) else None
    return value if held is None else jsontext.dumps(_spelled_one_way(held), sort_keys=True).decode()


_TOOLS = frozenset({"tools", "functionDeclarations"})


def _sorted_batches(messages: list[Json], dialect: Dialect) -> Iterator[Json]:
    """The messages, each run of results sorted, and the results in each message."""

    def is_result(message: Json) -> bool:
        return dialect.read_message(message, ()).role is Role.TOOL

    for results, run in groupby(messages, key=is_result):
        batch = list(run)
        yield from sorted(map(_sorted_parts, batch), key=_text) if results else batch


def _sorted_parts(message: Json) -> Json:
    if not isinstance(message, dict):
        return message
    return {
        key: sorted(child, key=_text) if isinstance(child, list) else child for key, child in message.items()
    }


def _text(value: Json) -> bytes:
    return jsontext.dumps(value, sort_keys=True)
