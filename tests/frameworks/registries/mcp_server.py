"""A server of the MCP package itself, as people write them."""

from mcp.server.mcpserver import MCPServer
from mcp.types import ToolAnnotations

server = MCPServer("demo")


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def add(a: int, b: int = 2) -> int:
    """Add two numbers."""
    return a + b


@server.tool()
async def greet(name: str) -> str:
    """Say hello."""
    return f"hello {name}"


@server.tool()
def fails() -> str:
    """Fail."""
    raise ValueError("no luck")
