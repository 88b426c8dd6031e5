"""anthropic's tools, as people write them."""

from anthropic import beta_async_tool, beta_tool


@beta_tool
def add(a: int, b: int = 2) -> str:
    """Add two numbers."""
    return str(a + b)


@beta_async_tool
async def greet(name: str) -> str:
    """Say hello."""
    return f"hello {name}"


@beta_tool
def fails() -> str:
    """Fail."""
    raise ValueError("no luck")
