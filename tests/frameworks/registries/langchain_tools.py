"""LangChain's tools, as people write them."""

from typing import Annotated

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, InjectedToolArg, StructuredTool, tool


@tool
def add(a: int, b: int = 2) -> int:
    """Add two numbers."""
    return a + b


@tool
async def search(query: str) -> dict:
    """Look it up."""
    return {"found": query}


@tool
def whoami(question: str, user: Annotated[str, InjectedToolArg]) -> str:
    """Say who asks."""
    return f"{user}: {question}"


@tool
def configured(config: RunnableConfig) -> str:
    """Read the configuration."""
    return config["configurable"]["user"]


@tool(response_format="content_and_artifact")
def picture(name: str):
    """Draw it."""
    return f"a picture of {name}", b"..."


@tool
def fails() -> str:
    """Fail."""
    raise ValueError("no luck")


class Upper(BaseTool):
    """A class of one's own."""

    name: str = "upper"
    description: str = "Say it loudly."

    def _run(self, text: str) -> str:
        return text.upper()


class Later(Upper):
    """One that can be awaited."""

    name: str = "later"

    async def _arun(self, text: str) -> str:
        return f"{text} later"


upper, later = Upper(), Later()
both = StructuredTool.from_function(name="both", description="Either way.", func=lambda n: n, coroutine=None)
