"""The user's functions as tools: named, described, checked, and called when a model asks for them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, Self, TypeVar, overload

from amberfork_cli.core.tape import JsonValue
from amberfork_cli.core.tools.invocation import Invocation, Message
from amberfork_cli.core.tools.schema import SignatureSchema, read_schema
from amberfork_cli.core.tools.signature import Signature, keyword_execute
from amberfork_cli.core.tools.tool import (
    DEFAULT_TIMEOUT_MS,
    ArgumentSchema,
    Effect,
    Execute,
    Tool,
    ToolContext,
    idempotency_key,
)
from amberfork_cli.errors import RegistryError

__all__ = [
    "DEFAULT_TIMEOUT_MS",
    "ArgumentSchema",
    "Effect",
    "Tool",
    "ToolContext",
    "ToolRegistry",
    "function_tool",
    "idempotency_key",
]

NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")

_Function = TypeVar("_Function", bound=Callable[..., Any])


class ToolRegistry:
    """Tools by name, in the order of their registration."""

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._tools: dict[str, Tool] = {}
        for tool in tools:
            self.add(tool)

    def register(  # noqa: PLR0917  (the published order)
        self,
        name: str,
        description: str,
        schema: Any,
        execute: Execute,
        timeout_ms: float = DEFAULT_TIMEOUT_MS,
        read_only: bool = True,
        replace: bool = False,
    ) -> Self:
        """Add a tool, and give back the registry.

        `schema` is a JSON Schema, a pydantic model, or anything with `validate(arguments)` that gives a list
        of errors. `execute(arguments, context)` is a function or coroutine function. `timeout_ms` is in
        milliseconds. `read_only=False` marks a side effect, which no command repeats unasked. Raises
        RegistryError for a name that providers refuse, a second tool of one name unless `replace` is set, and
        a schema that is not valid.
        """
        effect = Effect.READ_ONLY if read_only else Effect.SIDE_EFFECT
        _check_name(name)
        return self.add(
            Tool(name, description, read_schema(schema, tool=name), execute, timeout_ms, effect),
            replace=replace,
        )

    def add(self, tool: Tool, *, replace: bool = False) -> Self:
        """Add a tool that is one already, and give back the registry; raises RegistryError as `register`."""
        _check_name(tool.name)
        _check(tool)
        if tool.name in self._tools and not replace:
            raise RegistryError("registered already; replace=True takes its place", tool=tool.name)
        self._tools[tool.name] = tool
        return self

    @overload
    def tool(self, function: _Function, /) -> _Function: ...

    @overload
    def tool(
        self,
        *,
        name: str | None = None,
        description: str | None = None,
        timeout_ms: float = DEFAULT_TIMEOUT_MS,
        read_only: bool = True,
        replace: bool = False,
    ) -> Callable[[_Function], _Function]: ...

    def tool(
        self,
        function: Any = None,
        *,
        name: str | None = None,
        description: str | None = None,
        timeout_ms: float = DEFAULT_TIMEOUT_MS,
        read_only: bool = True,
        replace: bool = False,
    ) -> Any:
        """Register a typed function as it stands, bare or with options, and give the function back.

        The schema comes from its annotations, the description from its docstring. It is called by keywords;
        a parameter annotated `ToolContext` receives the context.
        """

        def add(function: _Function) -> _Function:
            effect = Effect.READ_ONLY if read_only else Effect.SIDE_EFFECT
            made = function_tool(
                function, name=name, description=description, timeout_ms=timeout_ms, effect=effect
            )
            self.add(made, replace=replace)
            return function

        return add if function is None else add(function)

    def get(self, name: str) -> Tool | None:
        """The tool of that name, if there is one."""
        return self._tools.get(name)

    def __iter__(self) -> Iterator[Tool]:
        return iter(tuple(self._tools.values()))

    def __len__(self) -> int:
        return len(self._tools)

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    def __repr__(self) -> str:
        return f"ToolRegistry({', '.join(self._tools)})"

    def to_openai_tools(self) -> list[dict[str, JsonValue]]:
        """The `tools` of an OpenAI chat request, in the order of registration."""
        return [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.schema.parameters,
                },
            }
            for tool in self
        ]

    def to_anthropic_tools(self) -> list[dict[str, JsonValue]]:
        """The `tools` of an Anthropic messages request, in the order of registration."""
        return [
            {"name": tool.name, "description": tool.description, "input_schema": tool.schema.parameters}
            for tool in self
        ]

    def to_gemini_tools(self) -> list[dict[str, JsonValue]]:
        """The `tools` of a Gemini request, in the order of registration.

        The parameters go as `parametersJsonSchema`, since `parameters` takes only a part of JSON Schema.
        """
        declarations: list[JsonValue] = [
            {
                "name": tool.name,
                "description": tool.description,
                "parametersJsonSchema": tool.schema.parameters,
            }
            for tool in self
        ]
        return [{"functionDeclarations": declarations}] if declarations else []

    async def invoke_one(self, tool_call: object, context: object = None, *, coerce: bool = False) -> Message:
        """The message that answers one tool call; never raises for what a tool or a model did.

        `context` is a ToolContext, or the values that one shall hold. `coerce` lets `"3"` pass for 3.
        """
        from amberfork_cli.core.tools import dispatch

        return await dispatch.invoke_one(self, tool_call, context, coerce=coerce)

    async def dispatch_all(
        self, tool_calls: Iterable[object] | None, context: object = None, *, coerce: bool = False
    ) -> list[Message]:
        """The messages that answer the calls of one turn, run at once, in the order of the calls."""
        from amberfork_cli.core.tools import dispatch

        return await dispatch.dispatch_all(self, tool_calls, context, coerce=coerce)

    async def invoke_all(
        self, tool_calls: Iterable[object] | None, context: object = None, *, coerce: bool = False
    ) -> tuple[Invocation, ...]:
        """The same as `dispatch_all`, as facts instead of messages."""
        from amberfork_cli.core.tools import dispatch

        return await dispatch.invoke_all(self, tool_calls, context, coerce=coerce)


def function_tool(
    function: Callable[..., Any],
    *,
    name: str | None = None,
    description: str | None = None,
    timeout_ms: float = DEFAULT_TIMEOUT_MS,
    effect: Effect = Effect.READ_ONLY,
) -> Tool:
    """A typed function as a tool; raises RegistryError where its signature cannot be checked.

    Its name and docstring serve where none are given.
    """
    name = _name_of(function) if name is None else name
    _check_name(name)
    signature = Signature.of(function, tool=name)
    return Tool(
        name=name,
        description=(inspect.getdoc(function) or "") if description is None else description,
        schema=SignatureSchema(signature, tool=name),
        execute=keyword_execute(function, signature),
        timeout_ms=timeout_ms,
        effect=effect,
    )


def _name_of(function: Any) -> str:
    inner = getattr(function, "func", function)  # of a functools.partial
    return getattr(inner, "__name__", type(inner).__name__)


def _check_name(name: object) -> None:
    if not isinstance(name, str) or NAME.fullmatch(name) is None:
        raise RegistryError(f"the name must match {NAME.pattern}", tool=name)


def _check(tool: Tool) -> None:
    if not isinstance(tool.description, str):
        raise RegistryError("the description must be text", tool=tool.name)
    limit: object = tool.timeout_ms
    if isinstance(limit, bool) or not isinstance(limit, (int, float)) or not 0 < limit < float("inf"):
        raise RegistryError(f"timeout_ms must be a number above 0, not {limit!r}", tool=tool.name)
    if not callable(tool.execute):
        raise RegistryError("execute must be a function", tool=tool.name)
    if not _takes_two(tool.execute):
        raise RegistryError("execute must take (arguments, context)", tool=tool.name)


def _takes_two(execute: Callable[..., Any]) -> bool:
    try:
        signature = inspect.signature(execute)
    except (TypeError, ValueError):  # some builtins do not tell
        return True
    try:
        signature.bind(None, None)
    except TypeError:
        return False
    return True
