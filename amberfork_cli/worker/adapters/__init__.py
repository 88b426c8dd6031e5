"""Tool objects that people already have, whatever framework they are of.

A framework is recognised by the names of an object's classes and spoken to through the object's attributes.
Nothing is imported to find out: whoever made the object has its framework loaded already. A new framework is
one module here and its line in `_FRAMEWORKS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from amberfork_cli.worker.adapters.adapted import Adapted, Wait
from amberfork_cli.worker.adapters.anthropic import from_anthropic
from amberfork_cli.worker.adapters.langchain import from_langchain
from amberfork_cli.worker.adapters.llama_index import from_llama_index
from amberfork_cli.worker.adapters.mcp import from_mcp_server
from amberfork_cli.worker.adapters.openai_agents import from_openai_agents
from amberfork_cli.worker.adapters.pydantic_ai import from_pydantic_ai, from_pydantic_ai_toolset
from amberfork_cli.worker.adapters.smolagents import from_smolagents
from amberfork_cli.worker.adapters.strands import from_strands

__all__ = ["Adapted", "Adapter", "Wait", "adapter_for"]

Adapter: TypeAlias = Callable[[Any, Wait], Sequence[Adapted]]

# the package that a class is of and its name; modules inside a package move from release to release
_FRAMEWORKS: Final[Mapping[tuple[str, str], Adapter]] = {
    ("agents", "FunctionTool"): from_openai_agents,
    ("anthropic", "BaseFunctionTool"): from_anthropic,
    ("fastmcp", "FastMCP"): from_mcp_server,
    ("langchain_core", "BaseTool"): from_langchain,
    ("llama_index", "BaseTool"): from_llama_index,
    ("mcp", "FastMCP"): from_mcp_server,
    ("mcp", "MCPServer"): from_mcp_server,
    ("pydantic_ai", "FunctionToolset"): from_pydantic_ai_toolset,
    ("pydantic_ai", "Tool"): from_pydantic_ai,
    ("smolagents", "Tool"): from_smolagents,
    ("strands", "AgentTool"): from_strands,
}


def adapter_for(found: object) -> Adapter | None:
    """What makes tools of the object: it takes the object and `wait`, which gives what a coroutine gives.

    None where the object is of no framework known here.
    """
    kinds = ((kind.__module__.partition(".")[0], kind.__name__) for kind in type(found).__mro__)
    return next((_FRAMEWORKS[kind] for kind in kinds if kind in _FRAMEWORKS), None)
