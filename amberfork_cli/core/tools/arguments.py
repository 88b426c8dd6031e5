"""A tool call as a model wrote it: its ID, its name, and arguments that may be no JSON at all.

What does not parse is never repaired: a tool that runs on guessed arguments is worse than one that does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from amberfork_cli.core import jsontext
from amberfork_cli.core.tape import JsonValue
from amberfork_cli.errors import JsonError

NO_NAME: Final = "unknown"

Arguments: TypeAlias = dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class AskedCall:
    """A call as it was asked for; `name` is `None` where it names no tool."""

    call_id: str
    name: str | None
    arguments: object


@dataclass(frozen=True, slots=True)
class ArgumentFault:
    """Arguments that are no JSON object; `line` and `column` count from 1 where the text shows the place."""

    problem: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        where = f" (line {self.line}, column {self.column})" if self.line is not None else ""
        return f"the arguments are {self.problem}{where}"


def read_call(tool_call: object) -> AskedCall:
    """The call that an object of JSON, or of a provider's library, spells.

    Read are OpenAI's form, `{"id", "function": {"name", "arguments"}}`, and the flat one, with `call_id` or
    `id`, `name`, and `arguments`, `input` or `args`. Nothing is raised: what is missing is empty.
    """
    function = _first(tool_call, ("function",)) or tool_call
    call_id = _first(tool_call, ("call_id", "id"))
    name = _first(function, ("name",))
    return AskedCall(
        call_id="" if call_id is None else str(call_id),
        name=name if isinstance(name, str) and name else None,
        arguments=_first(function, ("arguments", "input", "args")),
    )


def with_free_text(text: str, parameters: Mapping[str, JsonValue]) -> JsonValue:
    """The arguments that free text makes for a tool of that schema: its only parameter, if that is a text.

    Else the text as it is, which then has to be JSON; so has one that names the parameter already.
    """
    properties = parameters.get("properties")
    if not isinstance(properties, dict) or len(properties) != 1:
        return text
    ((name, schema),) = properties.items()
    takes_text = isinstance(schema, dict) and schema.get("type", "string") == "string"
    read = parse_arguments(text)
    is_named = not isinstance(read, ArgumentFault) and name in read
    return {name: text} if takes_text and not is_named else text


def parse_arguments(arguments: object) -> Arguments | ArgumentFault:
    """The arguments as an object of the tool's own, or why they are none.

    Nothing, blank text and `null` are an object without members.
    """
    value = arguments
    if isinstance(arguments, str):
        if not arguments.strip():
            return {}
        try:
            value = jsontext.loads(arguments)
        except JsonError as error:
            at = f" at {error.path}" if error.path else ""
            return ArgumentFault(f"not JSON: {error.problem}{at}", error.line, error.column)
    elif isinstance(arguments, Mapping):
        return _own(arguments)
    if value is None:
        return {}
    return value if isinstance(value, dict) else ArgumentFault(_instead(value, isinstance(arguments, str)))


def _first(holder: object, names: Iterable[str]) -> Any:
    """The first member or attribute of these names that is there and not null."""
    for name in names:
        found = holder.get(name) if isinstance(holder, Mapping) else getattr(holder, name, None)
        if found is not None:
            return found
    return None


def _own(arguments: Mapping[Any, Any]) -> Arguments | ArgumentFault:
    """A copy, so that a tool that changes its arguments does not change the call."""
    try:
        return deepcopy(dict(arguments))
    except Exception as error:
        return ArgumentFault(f"an object that cannot be copied: {type(error).__name__}")


def _instead(value: object, spelled: bool) -> str:
    if isinstance(value, str) and spelled:
        return "a JSON text inside a JSON text, not an object"
    kinds = {str: "text", list: "a list", bool: "true or false", int: "a number", float: "a number"}
    return f"{kinds.get(type(value), f'a {type(value).__name__}')}, not an object"
