"""The tools that two requests offer, compared by name: added, removed, changed, in another order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TypeAlias

from amberfork_cli.core.compare.report import MISSING, Difference, Kind, Side, Spot, Words, ours, quoted
from amberfork_cli.core.compare.values import Change, changes
from amberfork_cli.core.compare.words import first_words
from amberfork_cli.core.dialects.model import ToolDefinition
from amberfork_cli.core.paths import Path
from amberfork_cli.core.tape import JsonValue

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
            body = body[key] if key < len(body) else None
    return body


def _changed(name: str, old: _Tool, new: _Tool) -> Iterator[Spot]:
    found = changes(old[1], new[1])
    if found:
        differences = tuple(_difference(change, old[0].path, new[0].path) for change in found)
        yield Spot(f"tools.{name}", (ours(f"{_part(differences)} changed"),), differences)


_SCHEMAS = frozenset(
    """
    parameters input_schema inputSchema parametersJsonSchema parameters_json_schema parameter_definitions
    """.split()
)


def _part(differences: tuple[Difference, ...]) -> str:
    """What of a definition differs, in a word."""
    members = {difference.path[0] if difference.path else "" for difference in differences}
    if members <= _SCHEMAS:
        return "schema"
    return "description" if members == {"description"} else "definition"


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
    left, right = _hollow(old, before, keys), _hollow(new, after, keys)
    for key in keys:
        told = [_whole(change, _member(old, key), _member(new, key)) for change in _untold(key, left, right)]
        if told:
            yield Spot(key, (), tuple(_difference(change, (key,), (key,)) for change in told))
    order_old = [name for name in before if name in after]
    order_new = [name for name in after if name in before]
    if order_old != order_new:
        order: list[JsonValue] = [order_new.index(name) for name in order_old]
        places = _common(before.values()), _common(after.values())
        count: list[JsonValue] = [*range(len(order))]
        difference = Difference(Kind.REORDERED, (), *places, count, order)
        yield Spot("tools", (ours("in another order"),), (difference,))


def _untold(key: str, left: dict[str, JsonValue], right: dict[str, JsonValue]) -> Iterator[Change]:
    """The changes of a member but for its tools; one that is not there is as good as an empty one."""
    there = left.get(key, right.get(key))
    nothing: JsonValue = {} if isinstance(there, dict) else [] if isinstance(there, list) else there
    found = changes(left.get(key, nothing), right.get(key, nothing))
    emptied = Counter(_parent(one) for one in found if _is_holder(one.old) and one.new is MISSING)
    filled = Counter(_parent(one) for one in found if _is_holder(one.new) and one.old is MISSING)
    for change in found:
        if _holds_tools(change.old) and change.new is MISSING:
            continue
        if _holds_tools(change.new) and (change.old is MISSING or _is_tool(change.old)):
            continue
        if _is_left(change.new, change.old, emptied, change) or _is_left(
            change.old, change.new, filled, change
        ):
            continue
        if _is_tool(change.old):
            yield replace(change, kind=Kind.ADDED, old_path=None, old=MISSING)
        elif _is_tool(change.new):
            yield replace(change, kind=Kind.REMOVED, new_path=None, new=MISSING)
        else:
            yield change


def _whole(change: Change, left: JsonValue, right: JsonValue) -> Change:
    """The change with the values as they stand in the two members."""
    return replace(
        change,
        old=change.old if change.old_path is None or change.inner else _at(left, change.old_path),
        new=change.new if change.new_path is None or change.inner else _at(right, change.new_path),
    )


def _member(body: JsonValue, key: str) -> JsonValue:
    return body.get(key) if isinstance(body, dict) else None


def _is_left(value: Side, other: Side, holders: Counter[Path], change: Change) -> bool:
    """Whether a value on one side is what holders of tools come to without their tools, which are told of."""
    if other is not MISSING or not _is_empty(value) or holders[_parent(change)] == 0:
        return False
    holders[_parent(change)] -= 1
    return True


def _parent(change: Change) -> Path:
    return change.path[:-1]


def _is_empty(side: Side) -> bool:
    """Whether a value is a container that holds nothing but empty ones."""
    if isinstance(side, (dict, list)):
        return all(map(_is_empty, side.values() if isinstance(side, dict) else side))
    return False


def _common(tools: Iterable[_Tool]) -> Path:
    """Where tools stand: the part that their paths share."""
    paths = [tool.path for tool, _ in tools]
    shared = 0
    while all(len(path) > shared + 1 for path in paths) and len({path[shared] for path in paths}) == 1:
        shared += 1
    return paths[0][:shared]


_TOOL = "\0tool "


def _hollow(body: JsonValue, tools: _Named, keys: list[str]) -> dict[str, JsonValue]:
    """Those members of the body, in which every tool is nothing but a mark and its name."""
    marks = {tool.path: _TOOL + name for name, (tool, _) in tools.items()}
    members = body if isinstance(body, dict) else {}
    return {key: _marked(members[key], (key,), marks) for key in keys if key in members}


def _marked(value: JsonValue, path: Path, marks: Mapping[Path, str]) -> JsonValue:
    if path in marks:
        return marks[path]
    if isinstance(value, dict):
        return {key: _marked(child, (*path, key), marks) for key, child in value.items()}
    if isinstance(value, list):
        return [_marked(child, (*path, index), marks) for index, child in enumerate(value)]
    return value


def _is_tool(side: Side) -> bool:
    return isinstance(side, str) and side.startswith(_TOOL)


def _is_holder(side: Side) -> bool:
    """Whether a value holds nothing but tools, and is none itself."""
    return _holds_tools(side) and not _is_tool(side)


def _holds_tools(side: Side) -> bool:
    """Whether a value is a tool, or holds tools and nothing else."""
    if isinstance(side, (dict, list)):
        return bool(side) and all(map(_holds_tools, side.values() if isinstance(side, dict) else side))
    return _is_tool(side)
