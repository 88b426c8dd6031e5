"""Cohere's chat, version 2: OpenAI's messages with a plan before the calls and documents as results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from amberfork_cli.core.dialects import openai_chat
from amberfork_cli.core.dialects.dialect import Dialect, Shows
from amberfork_cli.core.dialects.model import Assembled, Chunk, Message
from amberfork_cli.core.dialects.pieces import JsonObject, accumulate, in_order, number_of, without
from amberfork_cli.core.dialects.shapes import member, objects, present, string
from amberfork_cli.core.paths import Path
from amberfork_cli.core.tape import JsonValue


def _recognises(path: str, body: JsonValue, shows: Shows) -> bool:
    if not isinstance(member(body, "messages"), list):
        return False
    return path.startswith("/v2/chat") or shows(_is_own)


def _is_own(message: JsonObject) -> bool:
    """Whether a message holds what only Cohere writes: a plan for its calls, or documents as a result."""
    if "tool_plan" in message:
        return True
    return message.get("role") == "tool" and any(
        part.get("type") == "document" for _, part in objects(message.get("content"))
    )


def _read_message(value: JsonValue, path: Path) -> Message:
    message = openai_chat.read_message(value, path)
    return message if message.text else replace(message, text=string(member(value, "tool_plan")) or "")


def _read_reply(body: JsonValue) -> Message | None:
    message = member(body, "message")
    if not isinstance(message, dict) or present(body, "finish_reason") is None:
        return None
    reply = _read_message(message, ("message",))
    return reply.out_of_room() if member(body, "finish_reason") == "MAX_TOKENS" else reply


_NUMBERED = ("content", "tool_calls", "citations")


def _assemble(chunks: Sequence[Chunk]) -> Assembled | None:
    """The answer that events from `message-start` to `message-end` spell."""
    types = {string(member(chunk.value, "type")) for chunk in chunks}
    if not types & {"message-start", "content-delta", "tool-call-start", "tool-plan-delta"}:
        return None
    message: JsonObject = {}
    numbered: dict[str, dict[int, JsonObject]] = {key: {} for key in _NUMBERED}
    ending: JsonValue = None
    for chunk in chunks:
        delta = member(chunk.value, "delta", "message")
        if isinstance(delta, dict):
            _add(message, numbered, delta, number_of(member(chunk.value, "index"), 0))
        if member(chunk.value, "type") == "message-end":
            ending = member(chunk.value, "delta")
    message.update({key: in_order(pieces) for key, pieces in numbered.items() if pieces})
    started = next((member(chunk.value, "id") for chunk in chunks if member(chunk.value, "id")), None)
    body: JsonObject = {"id": started, "message": message}
    return Assembled(body | (ending if isinstance(ending, dict) else {}), complete="message-end" in types)


def _add(
    message: JsonObject, numbered: dict[str, dict[int, JsonObject]], delta: JsonObject, index: int
) -> None:
    for key in _NUMBERED:
        piece = delta.get(key)
        if isinstance(piece, dict):
            accumulate(numbered[key].setdefault(index, {}), piece)
    accumulate(message, without(delta, _NUMBERED))


DIALECT = Dialect(
    name="cohere-v2",
    recognises=_recognises,
    list_paths=(("messages",),),
    read_message=_read_message,
    read_reply=_read_reply,
    read_tools=openai_chat.read_tools,
    assemble=_assemble,
)
