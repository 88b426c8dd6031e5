"""strands: what `@tool` makes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from amberfork_cli.core.tools.tool import ToolContext
from amberfork_cli.worker.adapters.adapted import Adapted, Arguments, Wait


def from_strands(tool: Any, _wait: Wait) -> Sequence[Adapted]:
    """The one tool, called as the function that it decorates."""
    said = tool.tool_spec

    def execute(arguments: Arguments, _context: ToolContext) -> Any:
        return tool(**arguments)

    return [Adapted(tool.tool_name, said["description"], dict(said["inputSchema"]["json"]), execute)]
