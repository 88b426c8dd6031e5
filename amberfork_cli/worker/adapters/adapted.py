"""What every framework's tool comes down to."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from amberfork_cli.core.tools.tool import ToolContext

Wait: TypeAlias = Callable[[Awaitable[Any]], Any]
Arguments: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Adapted:
    """One tool of some framework.

    `execute` takes the arguments and the context, and gives the result or something to await. `read_only` is
    what the framework's own hints say of side effects: None where they say nothing. `held` is true for the
    tools of a server or a set, which nobody listed one by one.
    """

    name: str
    description: str
    schema: dict[str, Any]
    execute: Callable[[Arguments, ToolContext], Any]
    read_only: bool | None = None
    timeout_ms: int | None = None
    held: bool = False


def named_values(context: ToolContext) -> dict[str, Any]:
    """The caller's values by name; none where the caller gave something that has no names."""
    return dict(context.values) if isinstance(context.values, Mapping) else {}


def loaded(module: str, name: str) -> Any:
    """A class of a framework that is loaded already; never imports, None where it has no such class."""
    return getattr(sys.modules.get(module), name, None)


def read_only_hint(annotations: Any) -> bool | None:
    """What MCP's annotations say of side effects; either spelling of their names."""
    read_only = first(annotations, "read_only_hint", "readOnlyHint")
    destructive = first(annotations, "destructive_hint", "destructiveHint")
    if read_only is None and destructive is None:
        return None
    return bool(read_only)  # what is not destructive may still add things


def first(of: Any, *names: str) -> Any:
    """The first of these attributes that there is; the others may be its old names, and deprecated."""
    return next((getattr(of, name) for name in names if hasattr(of, name)), None)
