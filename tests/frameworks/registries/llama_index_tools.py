"""llama-index' tools, as people write them."""

from llama_index.core.tools import FunctionTool


def _add(a: int, b: int = 2) -> int:
    """Add two numbers."""
    return a + b


async def _greet(name: str) -> str:
    """Say hello."""
    return f"hello {name}"


def _fail() -> str:
    """Fail."""
    raise ValueError("no luck")


add = FunctionTool.from_defaults(_add, name="add")
greet = FunctionTool.from_defaults(async_fn=_greet, name="greet")
fails = FunctionTool.from_defaults(_fail, name="fails")
