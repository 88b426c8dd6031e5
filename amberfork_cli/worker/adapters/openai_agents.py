"""openai-agents: `FunctionTool` and what `@function_tool` makes."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from amberfork_cli.core.tools.tool import ToolContext
from amberfork_cli.worker.adapters.adapted import Adapted, Arguments, Wait, loaded, read_only_hint


def from_openai_agents(tool: Any, _wait: Wait) -> Sequence[Adapted]:
    """The one tool. It answers a failure with a sentence for the model; the reason is printed beside it."""

    def execute(arguments: Arguments, context: ToolContext) -> Any:
        text = json.dumps(arguments)
        return tool.on_invoke_tool(_context(tool, text, context), text)

    approval = getattr(tool, "needs_approval", False)  # this and what follows are not in every release
    read_only = read_only_hint(getattr(tool, "mcp_annotations", None)) if approval is False else False
    seconds = getattr(tool, "timeout_seconds", None)
    limit = round(seconds * 1000) if seconds else None
    return [Adapted(tool.name, tool.description, tool.params_json_schema, execute, read_only, limit)]


def _context(tool: Any, text: str, context: ToolContext) -> Any:
    make, configure = loaded("agents.tool_context", "ToolContext"), loaded("agents.run_config", "RunConfig")
    said = {"context": context.values, "tool_name": tool.name, "tool_call_id": context.call_id}
    try:
        config = configure(tool_error_formatter=_print_error, tracing_disabled=True)
        return make(**said, tool_arguments=text, run_config=config)
    except TypeError:  # older releases show no error, and take less
        return make(**said, tool_arguments=text)


def _print_error(failure: Any) -> None:
    """Show what the tool raised; the sentence that the model gets stays as it is."""
    error = getattr(failure, "error", None)
    if error is not None:
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
