"""What a body says, whoever's shape it has: messages, tool calls, results and tool definitions.

Paths lead from the body to where a thing stands in it. Values are kept exactly as they were recorded: nothing
is parsed, repaired or copied here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from amberfork_cli.core.paths import Path
from amberfork_cli.core.tape import JsonValue


class Role(StrEnum):
    """Who speaks in a message; a message that holds nothing but tool results is the tools' own."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    UNKNOWN = "unknown"


class ResultStatus(StrEnum):
    """What a recorded result says about how its call ended; most shapes say nothing."""

    UNSAID = "unsaid"
    OK = "ok"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call that a model made.

    `arguments` are as recorded: a JSON text in some shapes, an object in others, `None` where there are none.
    `id` is `None` where the shape or the server gives none; an empty one is an ID. `by_provider` marks calls
    that the provider runs itself. `complete` is false where the answer ended before the call did.
    """

    id: str | None
    name: str
    arguments: JsonValue
    path: Path
    arguments_path: Path
    by_provider: bool = False
    complete: bool = True

    @property
    def is_free_text(self) -> bool:
        """Whether the arguments are text of any kind, as of OpenAI's custom tools, and not JSON."""
        return self.arguments_path[-1:] == ("input",) and isinstance(self.arguments, str)


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What came back for a call; `answers` is that call, `None` where the body does not declare it."""

    id: str | None
    content: JsonValue
    path: Path
    content_path: Path
    name: str | None = None
    status: ResultStatus = ResultStatus.UNSAID
    answers: ToolCall | None = None

    @property
    def failed(self) -> bool:
        """Whether the result says of itself that the call failed."""
        return self.status is ResultStatus.FAILED


@dataclass(frozen=True, slots=True)
class Message:
    """One element of a history, or a system prompt that stands outside it. `text` are its readable words."""

    path: Path
    role: Role
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    results: tuple[ToolResult, ...] = ()

    def cut_short(self) -> Message:
        """The same message, none of its calls complete."""
        return replace(self, calls=tuple(replace(call, complete=False) for call in self.calls))

    def out_of_room(self) -> Message:
        """The same message where the model reached its token limit: what it wrote last is not complete."""
        if not self.calls:
            return self
        return replace(self, calls=(*self.calls[:-1], replace(self.calls[-1], complete=False)))


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool that a request offers. What the provider runs itself often has a name and nothing else."""

    name: str
    path: Path
    description: str = ""
    schema: JsonValue = None
    by_provider: bool = False


DONE = "[DONE]"
"""The value of the event that ends some streams, which is no JSON."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """One event of a recorded stream: its name, and the value that its data spells."""

    event: str
    value: JsonValue


@dataclass(frozen=True, slots=True)
class Assembled:
    """The response body that a stream spells. `complete` is false where the stream stops before its end."""

    body: JsonValue
    complete: bool
