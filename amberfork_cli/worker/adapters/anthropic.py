"""anthropic: what `@beta_tool` and `@beta_async_tool` make."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from amberfork_cli.core.tools.tool import ToolContext
from amberfork_cli.worker.adapters.adapted import Adapted, Arguments, Wait


def from_anthropic(tool: Any, _wait: Wait) -> Sequence[Adapted]:
    """The one tool."""

    def execute(arguments: Arguments, _context: ToolContext) -> Any:
        return tool.call(dict(arguments))

    return [Adapted(tool.name, tool.description, dict(tool.input_schema), execute)]
