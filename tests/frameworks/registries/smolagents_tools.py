"""smolagents' tools, as people write them."""

from typing import ClassVar

from smolagents import Tool, tool


@tool
def add(a: int, b: int = 2) -> int:
    """Add two numbers.

    Args:
        a: the first
        b: the second
    """
    return a + b


class Upper(Tool):
    """A class of one's own."""

    name = "upper"
    description = "Say it loudly."
    inputs: ClassVar = {
        "text": {"type": "string", "description": "what to say"},
        "thing": {"type": "any", "description": "x", "nullable": True},
    }
    output_type = "string"

    def forward(self, text: str, thing: object = None) -> str:
        """Say it."""
        return text if thing else text.upper()


upper = Upper()
