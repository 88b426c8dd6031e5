"""The tools of a registry beside those that a tape offers: missing, extra, with another schema or words.

A schema says which calls are right, a description what a model reads before it calls. Both are differences,
and told apart: only the first can break a call.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from amberfork_cli.core.compare.values import Change, changes
from amberfork_cli.core.dialects.model import ToolDefinition
from amberfork_cli.core.dialects.recognition import Recogniser
from amberfork_cli.core.paths import Path
from amberfork_cli.core.tape import Exchange, JsonValue
from amberfork_cli.core.tools.parameters import object_schema
from amberfork_cli.core.tools.run_report import CallReport, RunReport
from amberfork_cli.core.tools.tool import Tool
from amberfork_cli.errors import RegistryError

_MAPS = ("properties", "$defs", "definitions", "patternProperties")  # members whose own members are schemas
_DATA = ("enum", "const", "default")  # members that are values and no schemas
_WORDS = ("description", "examples", "example", "$comment")  # members that only say something


class Offer(StrEnum):
    """How a tool stands in the registry and on the tape."""

    SAME = "same"
    DESCRIBED = "described"
    CHANGED = "changed"
    MISSING = "missing"
    EXTRA = "extra"

    @property
    def good(self) -> bool:
        """Whether a model that is offered the registry reads what it read; one more tool hurts nobody."""
        return self in (Offer.SAME, Offer.EXTRA)


@dataclass(frozen=True, slots=True)
class ToolCheck:
    """One tool.

    `schema` are the changes that lead from its schema on the tape to that in the registry, `words` those in
    what the two say; their paths begin with `description` or `parameters`.
    """

    name: str
    offer: Offer
    schema: tuple[Change, ...] = ()
    words: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class RegistryCheck:
    """A registry beside a tape: the tools of either, those of the tape first.

    `run` is the report of checking the calls of the tape without running any.
    """

    tools: tuple[ToolCheck, ...]
    run: RunReport

    @property
    def unfit(self) -> tuple[CallReport, ...]:
        """The calls on the tape that the registry could not run: no such tool, or arguments that do not fit.

        Those that the recording cut short are not among them, nor those that failed then as well.
        """
        return tuple(call for call in self.run.calls if not call.good and call.planned.recorded.call.complete)

    @property
    def same(self) -> bool:
        """Whether models read the same, and all calls could run."""
        return not self.unfit and all(tool.offer.good for tool in self.tools)


def check_tools(exchanges: Iterable[Exchange], registry: Iterable[Tool]) -> tuple[ToolCheck, ...]:
    """Every tool that requests offer or the registry has, those of the tape first.

    Where requests offer a tool in different ways, the last one counts. Titles, the order of `required`,
    Gemini's upper-case types, and whether arguments that a schema does not name are forbidden, are no
    difference.
    """
    offered, tools = _offered(exchanges), {tool.name: tool for tool in registry}
    extra = [ToolCheck(name, Offer.EXTRA) for name in tools if name not in offered]
    return (*(_checked(definition, tools) for definition in offered.values()), *extra)


def _offered(exchanges: Iterable[Exchange]) -> dict[str, ToolDefinition]:
    """All tools that requests offer and the provider does not run itself, by name."""
    offered: dict[str, ToolDefinition] = {}
    recogniser = Recogniser()
    for exchange in exchanges:
        body = exchange.request.body.value
        if isinstance(body, bytes):
            continue
        dialect = recogniser.recognise(exchange.request.path, body).dialect
        for tool in dialect.tools(body) if dialect else ():
            if not tool.by_provider:
                offered[tool.name] = tool
    return offered


def _checked(offered: ToolDefinition, tools: Mapping[str, Tool]) -> ToolCheck:
    name = offered.name
    if name not in tools:
        return ToolCheck(name, Offer.MISSING)
    then = _readable(name, offered.description, offered.schema)
    now = _readable(name, tools[name].description, tools[name].schema.parameters)
    found = changes(then, now)
    words = tuple(change for change in found if _is_in_words(change.path))
    schema = tuple(change for change in found if not _is_in_words(change.path))
    offer = Offer.CHANGED if schema else Offer.DESCRIBED if words else Offer.SAME
    return ToolCheck(name, offer, schema, words)


def _readable(name: str, description: str, schema: JsonValue) -> JsonValue:
    """What a model is told of a tool, as one object."""
    return {"description": description.strip(), "parameters": _plain(schema, name)}


def _is_in_words(path: Path) -> bool:
    """Whether it leads into a description or the like; a parameter may have such a name."""
    is_name = False
    for step in path:
        if is_name:
            is_name = False
        elif step in _WORDS:
            return True
        elif step in _DATA:
            return False
        else:
            is_name = step in _MAPS
    return False


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
    if isinstance(plain.get("additionalProperties"), bool):
        del plain["additionalProperties"]
    return plain


def _member(key: str, value: Any) -> JsonValue:
    if key in _MAPS and isinstance(value, dict):
        return {name: _untitled(inner) for name, inner in value.items()}
    if key == "required" and isinstance(value, list):
        return sorted(value, key=str)
    return value if key in (*_DATA, "examples", "example") else _untitled(value)
