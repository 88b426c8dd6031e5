"""One provider's wire shape as a table of plain functions, and what can be asked of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from amberfork_cli.core.dialects.histories import Elements
from amberfork_cli.core.dialects.linking import linked
from amberfork_cli.core.dialects.model import Assembled, Chunk, Message, Role, ToolDefinition
from amberfork_cli.core.dialects.pieces import JsonObject
from amberfork_cli.core.dialects.shapes import member_at, text_of
from amberfork_cli.core.paths import Path
from amberfork_cli.core.tape import JsonValue

Shows: TypeAlias = Callable[[Callable[[JsonObject], bool]], bool]
"""Whether any of a body's `messages` that is an object shows something."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one provider writes a request, its answer and its stream.

    `recognises` tells by a request's path and body whether they are of this shape, and by what its messages
    show, which need not be looked at again where a tape repeats them. `list_paths` are the members that may
    hold the history, `prompt_paths` those of system prompts outside it. `continues` names the member by which
    a request goes on from an earlier response that the provider keeps. `assemble` gives the response body
    that a stream spells, or `None` for a stream of another shape. None of these raises, whatever the body
    holds.
    """

    name: str
    recognises: Callable[[str, JsonValue, Shows], bool]
    list_paths: tuple[Path, ...]
    read_message: Callable[[JsonValue, Path], Message]
    read_reply: Callable[[JsonValue], Message | None]
    read_tools: Callable[[JsonValue], Iterator[ToolDefinition]]
    assemble: Callable[[Sequence[Chunk]], Assembled | None]
    prompt_paths: tuple[Path, ...] = ()
    continues: str | None = None

    def history(self, body: JsonValue) -> tuple[Message, ...]:
        """System prompts outside the list, then one message for each element of it; results are linked."""
        listed = (self.read_message(element, path) for path, element in self.elements(body))
        return linked((*self._prompts(body), *listed))

    def reply(self, body: JsonValue, *, complete: bool = True) -> Message | None:
        """What the model said in a response body, `None` where the body is no such answer.

        Of several choices it is the first. Where the stream was cut short (`complete` false), no call is
        taken for complete.
        """
        message = self.read_reply(body)
        if message is None:
            return None
        (message,) = linked([message])
        return message if complete else message.cut_short()

    def tools(self, body: JsonValue) -> tuple[ToolDefinition, ...]:
        """The tools that a request offers, in its order."""
        return tuple(self.read_tools(body))

    def elements(self, body: JsonValue) -> Elements:
        """The elements of the history as they were recorded, each with its path."""
        return Elements(body, self.list_paths)

    def _prompts(self, body: JsonValue) -> Iterator[Message]:
        for path in self.prompt_paths:
            prompt = member_at(body, path)
            if prompt is not None:
                parts = prompt.get("parts", prompt) if isinstance(prompt, dict) else prompt
                yield Message(path, Role.SYSTEM, text_of(parts))
