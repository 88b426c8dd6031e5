"""Gemini's Live messages, as recorders keep them: one sent, and a list of those that came back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from amberfork_cli.core.dialects import gemini
from amberfork_cli.core.dialects.dialect import Dialect, Shows
from amberfork_cli.core.dialects.model import Assembled, Chunk, Message, Role, ToolDefinition
from amberfork_cli.core.dialects.pieces import JsonObject
from amberfork_cli.core.dialects.shapes import member, objects, present, string
from amberfork_cli.core.paths import Path
from amberfork_cli.core.tape import JsonValue

_RESPONSES = ("functionResponses", "function_responses")
_CALLS = ("functionCalls", "function_calls")
_RESULTS_SENT = ("tool_response", "toolResponse")
_SPOKEN = ("realtime_input", "realtimeInput")
_SENT = (*_RESULTS_SENT, "client_content", "clientContent", *_SPOKEN, "setup")


def _recognises(path: str, body: JsonValue, _: Shows) -> bool:
    return present(body, *_SENT) is not None or gemini.LIVE in path


def _read_message(value: JsonValue, path: Path) -> Message:
    key = present(value, *_RESPONSES)
    if key is None and path[0] in _SPOKEN:
        return Message(path, Role.USER, string(member(value, "text")) or "")
    if key is None:
        return gemini.read_message(value, path)
    results = (gemini.read_result(each, where) for where, each in objects(member(value, key), (*path, key)))
    return Message(path, Role.TOOL, results=tuple(results))


def _read_reply(body: JsonValue) -> Message | None:
    """The calls and the words of one turn, out of the body that `_assemble` makes."""
    turn = member(body, "toolCall")
    words = member(body, "serverContent", "modelTurn")
    key = present(turn, *_CALLS)
    if key is None and not isinstance(words, dict):
        return None
    path: Path = ("toolCall", key or _CALLS[0])
    calls = (gemini.read_call(call, where) for where, call in objects(member(turn, key or ""), path))
    return Message((), Role.ASSISTANT, gemini.read_message(words, ()).text, calls=tuple(calls))


def _read_tools(body: JsonValue) -> Iterator[ToolDefinition]:
    for tool in gemini.read_tools(member(body, "setup")):
        yield ToolDefinition(
            tool.name, ("setup", *tool.path), tool.description, tool.schema, by_provider=tool.by_provider
        )


def _assemble(chunks: Sequence[Chunk]) -> Assembled | None:
    """What came back in one turn: its calls together, its words together."""
    calls: list[JsonValue] = []
    parts: list[JsonValue] = []
    live = ended = False
    for chunk in chunks:
        content, key = member(chunk.value, "serverContent"), present(member(chunk.value, "toolCall"), *_CALLS)
        live = live or content is not None or key is not None
        ended = ended or key is not None or member(content, "turnComplete") is True
        calls.extend(call for _, call in objects(member(chunk.value, "toolCall", key or "")))
        parts.extend(part for _, part in objects(member(content, "modelTurn", "parts")))
        parts.extend(_spoken(content))
    if not live:
        return None
    body: JsonObject = {"serverContent": {"modelTurn": {"role": "model", "parts": parts}}}
    return Assembled({**body, "toolCall": {"functionCalls": calls}} if calls else body, complete=ended)


def _spoken(content: JsonValue) -> Iterator[JsonValue]:
    text = member(content, "outputTranscription", "text")
    if isinstance(text, str):
        yield {"text": text}


DIALECT = Dialect(
    name="gemini-live",
    recognises=_recognises,
    list_paths=(
        *((key,) for key in (*_RESULTS_SENT, *_SPOKEN)),
        ("client_content", "turns"),
        ("clientContent", "turns"),
    ),
    read_message=_read_message,
    read_reply=_read_reply,
    read_tools=_read_tools,
    assemble=_assemble,
    prompt_paths=(("setup", "systemInstruction"), ("setup", "system_instruction")),
)
