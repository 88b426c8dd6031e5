"""A FastMCP server, as people write them."""

from contextlib import asynccontextmanager

from fastmcp import Context, FastMCP


@asynccontextmanager
async def lifespan(_server):
    """What all calls share."""
    yield {"greeting": "hello"}


mcp = FastMCP("demo", lifespan=lifespan)


@mcp.tool(annotations={"readOnlyHint": True})
def add(a: int, b: int = 2) -> int:
    """Add two numbers."""
    return a + b


@mcp.tool
async def greet(name: str, context: Context) -> str:
    """Say hello."""
    await context.report_progress(1, 1)
    return f"{context.lifespan_context['greeting']} {name}"


@mcp.tool
def record(name: str) -> dict:
    """Give an object."""
    return {"name": name}


@mcp.tool(annotations={"destructiveHint": True})
def delete(name: str) -> str:
    """Delete it."""
    return f"deleted {name}"


@mcp.tool
def fails() -> str:
    """Fail."""
    raise ValueError("no luck")
