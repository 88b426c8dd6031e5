"""llama-index: `BaseTool` and `FunctionTool`."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from amberfork_cli.core.tools.tool import ToolContext
from amberfork_cli.worker.adapters.adapted import Adapted, Arguments, Wait


def from_llama_index(tool: Any, _wait: Wait) -> Sequence[Adapted]:
    """The one tool."""
    about = tool.metadata

    async def execute_async(arguments: Arguments, _context: ToolContext) -> Any:
        return _result(await tool.acall(**arguments))

    def execute(arguments: Arguments, _context: ToolContext) -> Any:
        return _result(tool.call(**arguments))

    run = execute_async if inspect.iscoroutinefunction(getattr(tool, "real_fn", None)) else execute
    return [Adapted(about.get_name(), about.description, about.get_parameters_dict(), run)]


def _result(output: Any) -> Any:
    if output.is_error:
        raise output.exception or RuntimeError(output.content)
    return output.raw_output
