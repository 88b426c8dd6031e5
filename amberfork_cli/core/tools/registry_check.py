"""The tools of a registry beside those that a tape offers: missing, extra, or with another schema."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from amberfork_cli.core.compare.values import Change, changes
from amberfork_cli.core.dialects import dialect_of
from amberfork_cli.core.tape import Exchange, JsonValue
from amberfork_cli.core.tools.parameters import object_schema
from amberfork_cli.errors import RegistryError

_MAPS = ("properties", "$defs", "definitions", "patternProperties")  # members whose own members are schemas


class Offer(StrEnum):
    """How a tool stands in the registry and on the tape."""

    SAME = "same"
    CHANGED = "changed"
    MISSING = "missing"
    EXTRA = "extra"

    @property
    def good(self) -> bool:
        """Whether a call on the tape can be run by what the registry has; one more tool hurts nobody."""
        return self in (Offer.SAME, Offer.EXTRA)


@dataclass(frozen=True, slots=True)
class ToolCheck:
    """One tool; `changes` lead from its schema on the tape to that in the registry."""

    name: str
    offer: Offer
    changes: tuple[Change, ...] = ()


def check_registry(exchanges: Iterable[Exchange], tools: Mapping[str, JsonValue]) -> tuple[ToolCheck, ...]:
    """Every tool of either side, those of the tape first; `tools` are the JSON Schemas of the registry.

    Where requests offer a tool with different schemas, the last one counts. Titles, the order of `required`
    and Gemini's upper-case types are no difference.
    """
    offered = _offered(exchanges)
    extra = [ToolCheck(name, Offer.EXTRA) for name in tools if name not in offered]
    return (*(_checked(name, schema, tools) for name, schema in offered.items()), *extra)


def _offered(exchanges: Iterable[Exchange]) -> dict[str, JsonValue]:
    """The schemas of all tools that requests offer and the provider does not run itself, by name."""
    offered: dict[str, JsonValue] = {}
    for exchange in exchanges:
        body = exchange.request.body.value
        if isinstance(body, bytes):
            continue
        dialect = dialect_of(exchange.request.path, body)
        for tool in dialect.tools(body) if dialect else ():
            if not tool.by_provider:
                offered[tool.name] = tool.schema
    return offered


def _checked(name: str, schema: JsonValue, tools: Mapping[str, JsonValue]) -> ToolCheck:
    if name not in tools:
        return ToolCheck(name, Offer.MISSING)
    found = tuple(changes(_plain(schema, name), _plain(tools[name], name)))
    return ToolCheck(name, Offer.CHANGED if found else Offer.SAME, found)


def _plain(schema: JsonValue, name: str) -> JsonValue:
    """The schema without what says nothing about arguments."""
    try:
        shape: JsonValue = object_schema(schema if isinstance(schema, dict) else {}, tool=name)
    except RegistryError:
        shape = schema
    return _untitled(shape)


def _untitled(schema: Any) -> JsonValue:
    if isinstance(schema, list):
        return [_untitled(item) for item in schema]
    if not isinstance(schema, dict):
        return schema  # type: ignore[no-any-return]
    plain = {key: _member(key, value) for key, value in schema.items()}
    if isinstance(plain.get("title"), str):
        del plain["title"]
    return plain


def _member(key: str, value: Any) -> JsonValue:
    if key in _MAPS and isinstance(value, dict):
        return {name: _untitled(inner) for name, inner in value.items()}
    if key == "required" and isinstance(value, list):
        return sorted(value, key=str)
    return value if key in ("enum", "const", "default", "examples") else _untitled(value)
