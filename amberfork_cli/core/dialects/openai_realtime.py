"""OpenAI's Realtime events, as recorders keep them: one event sent, and a list of those that came back."""

from __future__ import annotations

from collections.abc import Iterator

from amberfork_cli.core.dialects import openai_responses
from amberfork_cli.core.dialects.dialect import Dialect, Shows
from amberfork_cli.core.dialects.model import ToolDefinition
from amberfork_cli.core.dialects.shapes import member, present, string
from amberfork_cli.core.tape import JsonValue

_SENT = ("conversation.item.", "session.update", "response.create", "response.cancel", "input_audio_buffer.")


def _recognises(path: str, body: JsonValue, _: Shows) -> bool:
    if "/responses" in path or present(body, "input") is not None:
        return False  # the Responses API has a WebSocket of its own, whose `response.create` holds a request
    return (string(member(body, "type")) or "").startswith(_SENT) or "/realtime" in path


def _read_tools(body: JsonValue) -> Iterator[ToolDefinition]:
    tools = member(body, "session", "tools")
    return openai_responses.definitions(tools, ("session", "tools"))


DIALECT = Dialect(
    name="openai-realtime",
    recognises=_recognises,
    list_paths=(("item",),),
    read_message=openai_responses.read_item,
    read_reply=openai_responses.DIALECT.read_reply,
    read_tools=_read_tools,
    assemble=openai_responses.assemble,
    prompt_paths=(("session", "instructions"),),
)
