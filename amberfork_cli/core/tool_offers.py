"""The tools that two requests offer, compared by name: added, removed, changed, in another order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from amberfork_cli.core.dialects.model import ToolDefinition
from amberfork_cli.core.id_rules import Path
from amberfork_cli.core.report import MISSING, Difference, Kind, Spot, Words, ours, quoted
from amberfork_cli.core.tape import JsonValue
from amberfork_cli.core.values import Change, changes
from amberfork_cli.core.words import first_words

_Tool: TypeAlias = "tuple[ToolDefinition, JsonValue]"
_Named: TypeAlias = Mapping[str, _Tool]


def tool_spots(
    old: JsonValue,
    new: JsonValue,
    old_tools: tuple[ToolDefinition, ...],
    new_tools: tuple[ToolDefinition, ...],
) -> Iterator[Spot]:
    """What differs among the members that hold tools; the definitions' paths lead from the bodies."""
    before, after = _by_name(old, old_tools), _by_name(new, new_tools)
    for name, tool in before.items():
        if name in after:
            yield from _changed(name, tool, after[name])
    one_sided = tuple(_one_sided(before, after))
    if one_sided:
        yield Spot("tools", (), one_sided)
    yield from _around(old, new, before, after)


def tool_members(tools: tuple[ToolDefinition, ...]) -> set[str | int]:
    """The members of a body that hold tool definitions."""
    return {tool.path[0] for tool in tools if tool.path}


def _by_name(body: JsonValue, tools: tuple[ToolDefinition, ...]) -> _Named:
    """The definitions by name; of several with one name each has its own, numbered."""
    named: dict[str, _Tool] = {}
    for tool in tools:
        name, number = tool.name or "tool", 2
        while name in named:
            name, number = f"{tool.name or 'tool'} ({number})", number + 1
        named[name] = tool, _at(body, tool.path)
    return named


def _at(body: JsonValue, path: Path) -> JsonValue:
    for key in path:
        if isinstance(body, dict) and isinstance(key, str):
            body = body.get(key)
        elif isinstance(body, list) and isinstance(key, int):
            body = body[key]
    return body


def _changed(name: str, old: _Tool, new: _Tool) -> Iterator[Spot]:
    found = changes(old[1], new[1])
    if found:
        differences = tuple(_difference(change, old[0].path, new[0].path) for change in found)
        yield Spot(f"tools.{name}", (ours("schema changed"),), differences)


def _difference(change: Change, old_path: Path, new_path: Path) -> Difference:
    path = change.path[1:] if change.path[:1] in (("function",), ("toolSpec",)) else change.path
    return Difference(
        change.kind,
        path if change.inner is None else (*path, *change.inner),
        None if change.old_path is None else (*old_path, *change.old_path),
        None if change.new_path is None else (*new_path, *change.new_path),
        change.old,
        change.new,
        inner_path=change.inner,
    )


def _one_sided(before: _Named, after: _Named) -> Iterator[Difference]:
    for name, (tool, value) in after.items():
        if name not in before:
            yield Difference(Kind.ADDED, (name,), None, tool.path, MISSING, value, summary=_summary(tool))
    for name, (tool, value) in before.items():
        if name not in after:
            yield Difference(Kind.REMOVED, (name,), tool.path, None, value, MISSING, summary=_summary(tool))


def _summary(tool: ToolDefinition) -> Words:
    properties = tool.schema.get("properties") if isinstance(tool.schema, dict) else None
    count = len(properties) if isinstance(properties, dict) else 0
    counted = ours(f"{count} parameter{'' if count == 1 else 's'}")
    described = first_words(tool.description)
    return (quoted(described), ours(" "), counted) if described else (counted,)


def _around(old: JsonValue, new: JsonValue, before: _Named, after: _Named) -> Iterator[Spot]:
    """What differs in the members that hold the tools, the tools themselves left out, and their order."""
    keys = sorted({str(tool.path[0]) for tool, _ in (*before.values(), *after.values()) if tool.path})
    left, right = _hollow(old, before), _hollow(new, after)
    for key in keys:
        if key in left and key in right:  # else the tools themselves say it all
            around = [change for change in changes(left[key], right[key]) if not _is_tool(change)]
            if around:
                yield Spot(key, (), tuple(_difference(change, (key,), (key,)) for change in around))
    order_old = [name for name in before if name in after]
    order_new = [name for name in after if name in before]
    if order_old != order_new:
        order: list[JsonValue] = [order_new.index(name) for name in order_old]
        yield Spot("tools", (ours("in another order"),), (_reordered(keys, order),))


def _reordered(keys: list[str], order: list[JsonValue]) -> Difference:
    path: Path = (keys[0],)
    return Difference(Kind.REORDERED, (), path, path, list(range(len(order))), order)


_HOLLOW = "\0tool"


def _hollow(body: JsonValue, tools: _Named) -> dict[str, JsonValue]:
    """A copy of the body in which every tool is nothing but a mark."""
    places = {tool.path for tool, _ in tools.values()}
    tops = {place[0] for place in places if place}
    if not isinstance(body, dict):
        return {}
    return {key: _without(child, (key,), places) for key, child in body.items() if key in tops}


def _without(value: JsonValue, path: Path, places: set[Path]) -> JsonValue:
    if path in places:
        return _HOLLOW
    if isinstance(value, dict):
        return {key: _without(child, (*path, key), places) for key, child in value.items()}
    if isinstance(value, list):
        return [
            child
            for index, item in enumerate(value)
            if (child := _without(item, (*path, index), places)) != _HOLLOW
        ]
    return value


def _is_tool(change: Change) -> bool:
    return _HOLLOW in (change.old, change.new)
