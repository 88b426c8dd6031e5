"""FastMCP and MCP servers: objects that list their tools and call them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from amberfork_cli.core.tools.tool import ToolContext
from amberfork_cli.worker.adapters.adapted import Adapted, Arguments, Wait, first, loaded, read_only_hint


class ToolError(Exception):
    """What a server answers instead of a result."""


def from_mcp_server(server: Any, wait: Wait) -> Sequence[Adapted]:
    """The tools that the server lists; calls go through one session, which begins with the first of them."""
    session = _Session(server)
    listed = wait(first(server, "list_tools", "get_tools")())
    tools = listed.values() if isinstance(listed, dict) else listed  # by name, in older releases
    return [_adapted(tool, session) for tool in tools]


def _adapted(tool: Any, session: _Session) -> Adapted:
    schema = first(tool, "parameters", "input_schema", "inputSchema")
    read_only = read_only_hint(tool.annotations)

    async def execute(arguments: Arguments, _context: ToolContext) -> Any:
        return _result(await session.call(tool.name, dict(arguments)))

    return Adapted(tool.name, tool.description or "", dict(schema), execute, read_only, held=True)


class _Session:
    """A client in the same process: a server's life span and its context exist only inside a session."""

    def __init__(self, server: Any) -> None:
        self._server, self._opening = server, asyncio.Lock()
        self._target: Any = None

    async def call(self, name: str, arguments: dict[str, Any]) -> Any:
        async with self._opening:
            self._target = self._target or await self._open()
        return await self._target(name, arguments)

    async def _open(self) -> Any:
        make = loaded(type(self._server).__module__.partition(".")[0], "Client")
        if make is None:  # older releases of mcp have none
            return self._server.call_tool
        client = make(self._server)
        await client.__aenter__()  # stays open as long as the worker lives
        return getattr(client, "call_tool_mcp", client.call_tool)


def _result(answer: Any) -> Any:
    """What the tool returned, as far as the answer's structure tells; else its text, else its parts."""
    if isinstance(answer, tuple):  # older releases: the parts, and the structure
        parts, structure = answer
    else:
        parts = getattr(answer, "content", answer)
        structure = first(answer, "structured_content", "structuredContent")
    texts = [part.text for part in parts if getattr(part, "type", None) == "text"]
    if first(answer, "is_error", "isError"):
        raise ToolError("\n".join(texts))
    if structure is not None:
        return structure["result"] if structure.keys() == {"result"} else structure
    if len(texts) == len(parts) == 1:
        return texts[0]
    return list(parts)
