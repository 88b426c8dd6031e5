"""smolagents: `Tool` and what `@tool` makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from amberfork_cli.core.tools.tool import ToolContext
from amberfork_cli.worker.adapters.adapted import Adapted, Arguments, Wait


def from_smolagents(tool: Any, _wait: Wait) -> Sequence[Adapted]:
    """The one tool."""

    def execute(arguments: Arguments, _context: ToolContext) -> Any:
        return tool(**arguments)

    return [Adapted(tool.name, tool.description, _schema(tool.inputs), execute)]


def _schema(inputs: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: _property(said) for name, said in inputs.items()},
        "required": [name for name, said in inputs.items() if not said.get("nullable")],
        "additionalProperties": False,
    }


def _property(said: Mapping[str, Any]) -> dict[str, Any]:
    """The input as JSON Schema has it: `any`, `image` and `audio` are no types there."""
    kept = {key: value for key, value in said.items() if key not in {"type", "nullable"}}
    types = [said["type"]] if isinstance(said["type"], str) else list(said["type"])
    if not {"any", "image", "audio"}.isdisjoint(types):
        return kept
    types += ["null"] if said.get("nullable") and "null" not in types else []
    return {"type": types[0] if len(types) == 1 else types, **kept}
