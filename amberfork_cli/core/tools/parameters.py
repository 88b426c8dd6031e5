"""The JSON Schema of a tool's parameters: what providers write differently, and what leads nowhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias
from urllib.parse import unquote

from amberfork_cli.core.paths import resolve
from amberfork_cli.core.tape import JsonValue
from amberfork_cli.core.tools.results import to_json
from amberfork_cli.errors import RegistryError

JsonObject: TypeAlias = dict[str, JsonValue]

_UPPER_TYPES = {"OBJECT", "ARRAY", "STRING", "NUMBER", "INTEGER", "BOOLEAN", "NULL"}
_DATA = {"const", "default", "enum", "example", "examples"}  # their values are data, whatever they look like
_BY_NAME = {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}


def object_schema(schema: Mapping[str, Any], *, tool: str) -> JsonObject:
    """A copy of the schema as plain JSON, of type object, with `properties` and `required`.

    Raises RegistryError for what is no JSON, or describes something else than an object.
    """
    plain, lossy = to_json(schema)
    if lossy:
        raise RegistryError(f"the schema is no JSON: {lossy[0]}", tool=tool)
    low: JsonObject = lowered(plain)
    kinds = low.get("type", "object")
    if kinds != "object" and not (isinstance(kinds, list) and "object" in kinds):
        raise RegistryError(f"the schema must be of type object, not {kinds!r}", tool=tool)
    shape: JsonObject = {"type": "object", "properties": {}, "required": []}
    return {**shape, **low, "type": "object"}


def lowered(schema: Any) -> Any:
    """A JSON Schema in the place of Gemini's: types in lower case, and `nullable` as a type."""
    if isinstance(schema, list):
        return [lowered(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    low = {key: _lowered_member(key, value) for key, value in schema.items()}
    is_geminis = low.get("type") != schema.get("type")
    if is_geminis and low.get("nullable") is True:
        del low["nullable"]
        low["type"] = [low["type"], "null"]
    return low


def dangling(schema: JsonObject) -> Iterator[str]:
    """The references to a place within the schema where nothing stands."""
    for reference in _references(schema):
        steps = unquote(reference).removeprefix("#/").split("/")
        try:
            resolve(schema, tuple(step.replace("~1", "/").replace("~0", "~") for step in steps))
        except LookupError:
            yield reference


def _lowered_member(key: str, value: Any) -> Any:
    if key == "type" and isinstance(value, str) and value in _UPPER_TYPES:
        return value.lower()
    if key in _DATA:
        return value
    if key in _BY_NAME and isinstance(value, dict):
        return {name: lowered(part) for name, part in value.items()}
    return lowered(value)


def _references(schema: Any) -> Iterator[str]:
    """Every `$ref` by place; below an `$id` places count from there, which the check itself finds out."""
    if isinstance(schema, list):
        for item in schema:
            yield from _references(item)
    elif isinstance(schema, dict) and "$id" not in schema:
        for key, value in schema.items():
            if key == "$ref" and isinstance(value, str) and value.startswith("#/"):
                yield value
            elif key not in _DATA:
                yield from _references(value)
