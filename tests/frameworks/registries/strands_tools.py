"""strands' tools, as people write them."""

from strands import tool


@tool
def add(a: int, b: int = 2) -> int:
    """Add two numbers."""
    return a + b


@tool
async def greet(name: str) -> str:
    """Say hello."""
    return f"hello {name}"
