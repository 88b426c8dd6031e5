"""pydantic-ai's tools, as people write them."""

from pydantic import BaseModel
from pydantic_ai import FunctionToolset, RunContext, Tool


class Place(BaseModel):
    """Where."""

    city: str
    country: str = "KR"


def add(a: int, b: int = 2) -> int:
    """Add two numbers."""
    return a + b


async def whoami(context: RunContext[dict], question: str) -> str:
    """Say who asks."""
    return f"{context.deps['user']}: {question}"


def locate(place: Place) -> str:
    """Say where it is."""
    return f"{place.city}, {place.country}"


def fails() -> str:
    """Fail."""
    raise ValueError("no luck")


tool = Tool(add)
toolset = FunctionToolset([whoami, locate, Tool(fails, requires_approval=True)])


@toolset.tool_plain
async def plain(word: str) -> str:
    """Say it again."""
    return word
