"""Ollama's own chat: OpenAI's messages, arguments as objects, mostly without IDs, streamed by the line."""

from __future__ import annotations

from collections.abc import Sequence

from amberfork_cli.core.dialects import openai_chat
from amberfork_cli.core.dialects.dialect import Dialect, Shows
from amberfork_cli.core.dialects.model import Assembled, Chunk, Message
from amberfork_cli.core.dialects.pieces import JsonObject, accumulate, known, without
from amberfork_cli.core.dialects.shapes import member, objects, present
from amberfork_cli.core.tape import JsonValue


def _recognises(path: str, body: JsonValue, shows: Shows) -> bool:
    if not isinstance(member(body, "messages"), list) or "/chat/completions" in path:
        return False
    return (
        path.startswith("/api/chat")
        or present(body, "keep_alive", "options") is not None
        or shows(_has_object_arguments)
    )


def _has_object_arguments(message: JsonObject) -> bool:
    calls = objects(message.get("tool_calls"))
    return any(isinstance(member(call, "function", "arguments"), dict) for _, call in calls)


def _read_reply(body: JsonValue) -> Message | None:
    message = member(body, "message")
    if not isinstance(message, dict) or present(body, "done") is None:
        return None
    reply = openai_chat.read_message(message, ("message",))
    return reply.out_of_room() if member(body, "done_reason") == "length" else reply


def _assemble(chunks: Sequence[Chunk]) -> Assembled | None:
    """The last line of the stream with the whole message in it."""
    lines = [chunk.value for chunk in chunks if isinstance(chunk.value, dict)]
    if not any(present(line, "done") and isinstance(line.get("message"), dict) for line in lines):
        return None
    message: JsonObject = {}
    body: JsonObject = {}
    for line in lines:
        piece = line.get("message")
        accumulate(message, piece if isinstance(piece, dict) else {})
        body.update(known(without(line, ("message",))))
    return Assembled({**body, "message": message}, complete=body.get("done") is True)


DIALECT = Dialect(
    name="ollama",
    recognises=_recognises,
    list_paths=(("messages",),),
    read_message=openai_chat.read_message,
    read_reply=_read_reply,
    read_tools=openai_chat.read_tools,
    assemble=_assemble,
)
