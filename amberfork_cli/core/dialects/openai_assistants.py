"""OpenAI's Assistants: runs that stop and wait for the outputs of tools."""

from __future__ import annotations

import re
from collections.abc import Sequence

from amberfork_cli.core.dialects import openai_chat
from amberfork_cli.core.dialects.dialect import Dialect, Shows
from amberfork_cli.core.dialects.model import DONE, Assembled, Chunk, Message, Role, ToolResult
from amberfork_cli.core.dialects.shapes import member, present, string
from amberfork_cli.core.paths import Path
from amberfork_cli.core.tape import JsonValue

_RUN = re.compile(r"/threads/(?:[^/?]+/)?(?:runs|messages)\b")
_WAITING = ("required_action", "submit_tool_outputs")


def _recognises(path: str, body: JsonValue, _: Shows) -> bool:
    return present(body, "tool_outputs", "assistant_id") is not None or bool(_RUN.search(path))


def _read_message(value: JsonValue, path: Path) -> Message:
    if present(value, "tool_call_id", "output") is None:
        return openai_chat.read_message(value, path)
    output = member(value, "output")
    result = ToolResult(string(member(value, "tool_call_id")), output, path, (*path, "output"))
    return Message(path, Role.TOOL, results=(result,))


def _read_reply(body: JsonValue) -> Message | None:
    waiting = member(body, *_WAITING)
    if not isinstance(waiting, dict):
        return None
    return openai_chat.read_message({"role": "assistant", **waiting}, _WAITING)


def _assemble(chunks: Sequence[Chunk]) -> Assembled | None:
    """The run as the last event about it shows it."""
    runs = [
        chunk.value
        for chunk in chunks
        if member(chunk.value, "object") == "thread.run" and chunk.event.startswith("thread.run.")
    ]
    if not runs:
        return None
    ended = any(chunk.value == DONE or chunk.event == "done" for chunk in chunks)
    return Assembled(runs[-1], complete=ended)


DIALECT = Dialect(
    name="openai-assistants",
    recognises=_recognises,
    list_paths=(("tool_outputs",), ("additional_messages",)),
    read_message=_read_message,
    read_reply=_read_reply,
    read_tools=openai_chat.read_tools,
    assemble=_assemble,
    prompt_paths=(("instructions",), ("additional_instructions",)),
)
