"""openai-agents: `FunctionTool` and what `@function_tool` makes."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from amberfork_cli.core.tool import ToolContext
from amberfork_cli.worker.adapters.adapted import Adapted, Arguments, Wait, loaded, read_only_hint


def from_openai_agents(tool: Any, _wait: Wait) -> Sequence[Adapted]:
    """The one tool. It answers a failure with a sentence for the model; the reason is printed beside it."""

    def execute(arguments: Arguments, context: ToolContext) -> Any:
        text = json.dumps(arguments)
        return tool.on_invoke_tool(_context(tool, text, context), text)

    read_only = False if tool.needs_approval is not False else read_only_hint(tool.mcp_annotations)
    limit = round(tool.timeout_seconds * 1000) if tool.timeout_seconds else None
    return [Adapted(tool.name, tool.description, tool.params_json_schema, execute, read_only, limit)]


def _context(tool: Any, text: str, context: ToolContext) -> Any:
    make, configure = loaded("agents.tool_context", "ToolContext"), loaded("agents.run_config", "RunConfig")
    return make(
        context=context.values,
        tool_name=tool.name,
        tool_call_id=context.call_id,
        tool_arguments=text,
        run_config=configure(tool_error_formatter=_print_error, tracing_disabled=True),
    )


def _print_error(failure: Any) -> None:
    """Show what the tool raised; the sentence that the model gets stays as it is."""
    error = getattr(failure, "error", None)
    if error is not None:
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
