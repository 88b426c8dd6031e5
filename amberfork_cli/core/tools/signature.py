"""What a function takes: the parameters that a call can set by name, and where it wants its context."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import UnionType
from typing import Annotated, Any, Self, Union, get_args, get_origin, get_type_hints

from amberfork_cli.core.tools.tool import Execute, ToolContext
from amberfork_cli.errors import RegistryError

_SPREAD = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter, its annotation resolved; `default` is `inspect.Parameter.empty` where there is none."""

    name: str
    annotation: Any
    default: Any

    @property
    def required(self) -> bool:
        """Whether a call must set it."""
        return self.default is inspect.Parameter.empty

    @property
    def takes_context(self) -> bool:
        """Whether it is for the context of the call, and so nothing that a model sets."""
        return _is_context(self.annotation)


@dataclass(frozen=True, slots=True)
class Signature:
    """What a function takes by name; `takes_more` where it has `**keywords`."""

    parameters: tuple[Parameter, ...]
    takes_more: bool

    @classmethod
    def of(cls, function: Callable[..., Any], *, tool: str) -> Self:
        """The signature; raises RegistryError where it cannot be read, or not be met by names alone."""
        try:
            parts = inspect.signature(function).parameters
            hints = _hints(function)
        except (TypeError, ValueError, NameError, SyntaxError, AttributeError) as error:
            raise RegistryError(f"the signature cannot be read: {error}", tool=tool) from error
        for name, part in parts.items():
            if part.kind is inspect.Parameter.POSITIONAL_ONLY:
                raise RegistryError(f"parameter {name!r} cannot be given by name; wrap it", tool=tool)
        named = [(name, part) for name, part in parts.items() if part.kind not in _SPREAD]
        return cls(
            tuple(Parameter(name, hints.get(name, Any), part.default) for name, part in named),
            any(part.kind is inspect.Parameter.VAR_KEYWORD for part in parts.values()),
        )

    @property
    def asked(self) -> tuple[Parameter, ...]:
        """The parameters that a model sets."""
        return tuple(parameter for parameter in self.parameters if not parameter.takes_context)

    @property
    def context_names(self) -> tuple[str, ...]:
        """The parameters that receive the context."""
        return tuple(parameter.name for parameter in self.parameters if parameter.takes_context)


def keyword_execute(function: Callable[..., Any], signature: Signature) -> Execute:
    """The function as a registry calls it: by keywords, with the context where it asks for one."""

    def keywords(arguments: Mapping[str, Any], context: ToolContext) -> dict[str, Any]:
        return {**arguments, **dict.fromkeys(signature.context_names, context)}

    if is_coroutine_function(function):

        async def execute(arguments: Mapping[str, Any], context: ToolContext) -> Any:
            return await function(**keywords(arguments, context))

        return execute
    return lambda arguments, context: function(**keywords(arguments, context))


def is_coroutine_function(function: object) -> bool:
    """Whether calling it only makes a coroutine, which then runs in the event loop; objects included."""
    call = getattr(type(function), "__call__", None)  # noqa: B004  (the method itself is looked at)
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(call)


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    """The annotations, resolved where the function was written.

    `ToolContext` needs no import at run time: under postponed annotations, linters tell people to drop it.
    """
    inner: Any = function
    while isinstance(inner, partial):
        inner = inner.func
    if inspect.isclass(inner):
        inner = inner.__init__
    elif not inspect.isroutine(inner):
        inner = type(inner).__call__
    inner = inspect.unwrap(inner)
    names = {"ToolContext": ToolContext, **getattr(inner, "__globals__", {})}
    return get_type_hints(inner, globalns=names, include_extras=True)


def _is_context(annotation: Any) -> bool:
    origin = get_origin(annotation)
    if origin is Annotated:
        return _is_context(get_args(annotation)[0])
    kinds = get_args(annotation) if origin in (Union, UnionType) else (annotation,)
    return any(isinstance(kind, type) and issubclass(kind, ToolContext) for kind in kinds)
