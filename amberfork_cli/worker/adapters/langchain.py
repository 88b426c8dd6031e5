"""LangChain: `BaseTool` and what `@tool` makes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from amberfork_cli.core.tools.tool import ToolContext
from amberfork_cli.worker.adapters.adapted import Adapted, Arguments, Wait, named_values


def from_langchain(tool: Any, _wait: Wait) -> Sequence[Adapted]:
    """The one tool. Arguments that the model does not give come from the caller's context, by name."""
    schema = _json_schema(tool.tool_call_schema)
    injected = _json_schema(tool.get_input_schema()).get("properties", {}).keys() - schema.get(
        "properties", {}
    )
    run = tool.ainvoke if _is_async(tool) else tool.invoke

    def execute(arguments: Arguments, context: ToolContext) -> Any:
        values = named_values(context)
        given = {name: values[name] for name in injected if name in values}
        return run({**arguments, **given}, config={"configurable": values})

    return [Adapted(tool.name, tool.description, schema, execute)]


def _json_schema(model: Any) -> dict[str, Any]:
    return dict(model if isinstance(model, dict) else model.model_json_schema())


def _is_async(tool: Any) -> bool:
    """Whether the tool can only, or would rather, be awaited."""
    if getattr(tool, "func", None) is not None:
        return False
    own = next(kind for kind in type(tool).__mro__ if "_arun" in vars(kind))
    return (
        getattr(tool, "coroutine", None) is not None or own.__module__.partition(".")[0] != "langchain_core"
    )
