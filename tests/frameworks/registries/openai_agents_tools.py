"""openai-agents' tools, as people write them."""

from agents import FunctionTool, RunContextWrapper, function_tool


@function_tool
def add(a: int, b: int) -> int:
    """Add two numbers.

    Args:
        a: the first
        b: the second
    """
    return a + b


@function_tool
async def whoami(context: RunContextWrapper[dict], question: str) -> str:
    """Say who asks."""
    return f"{context.context['user']}: {question}"


@function_tool
def fails() -> str:
    """Fail."""
    raise ValueError("no luck")


@function_tool(failure_error_function=None)
def raises() -> str:
    """Raise."""
    raise ValueError("no luck")


@function_tool(needs_approval=True, timeout=3)
async def pay(amount: int) -> str:
    """Send money."""
    return f"paid {amount}"


async def _by_hand(_context, text: str) -> str:
    return text


by_hand = FunctionTool(
    name="by_hand",
    description="Give back what came.",
    params_json_schema={"type": "object", "properties": {"n": {"type": "integer"}}},
    on_invoke_tool=_by_hand,
    strict_json_schema=False,
)
