"""pydantic-ai: `Tool` and `FunctionToolset`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from amberfork_cli.core.tools.tool import ToolContext
from amberfork_cli.worker.adapters.adapted import Adapted, Arguments, Wait, loaded


def from_pydantic_ai_toolset(toolset: Any, wait: Wait) -> Sequence[Adapted]:
    """The tools of the set, in its order."""
    tools = toolset.tools.values()
    return [replace(adapted, held=True) for tool in tools for adapted in from_pydantic_ai(tool, wait)]


def from_pydantic_ai(tool: Any, _wait: Wait) -> Sequence[Adapted]:
    """The one tool. Its dependencies (`deps`) are the caller's context."""
    schema = tool.function_schema

    def execute(arguments: Arguments, context: ToolContext) -> Any:
        return schema.call(schema.validator.validate_python(dict(arguments)), _run_context(tool, context))

    read_only = False if getattr(tool, "requires_approval", False) else None
    limit = round(tool.timeout * 1000) if getattr(tool, "timeout", None) else None
    return [Adapted(tool.name, tool.description or "", schema.json_schema, execute, read_only, limit)]


def _run_context(tool: Any, context: ToolContext) -> Any:
    make, usage = loaded("pydantic_ai.tools", "RunContext"), loaded("pydantic_ai.usage", "RunUsage")
    return make(
        deps=context.values,
        model=None,
        usage=usage(),
        tool_name=tool.name,
        tool_call_id=context.call_id,
    )
