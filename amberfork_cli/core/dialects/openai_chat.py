"""OpenAI's chat completions, which most hosts speak: Azure, Mistral, Groq, OpenRouter, DeepSeek, vLLM.

Tools of all three generations are read: `tool_calls` of type `function` and `custom`, and the older
`function_call`, which has no ID. Of several choices the first is the answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from amberfork_cli.core.dialects.dialect import Dialect, Shows
from amberfork_cli.core.dialects.model import (
    DONE,
    Assembled,
    Chunk,
    Message,
    Role,
    ToolCall,
    ToolDefinition,
    ToolResult,
)
from amberfork_cli.core.dialects.pieces import JsonObject, accumulate, known, number_of, without
from amberfork_cli.core.dialects.shapes import member, objects, present, string, text_of
from amberfork_cli.core.paths import Path
from amberfork_cli.core.tape import JsonValue

ROLES = {
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
    "tool": Role.TOOL,
    "function": Role.TOOL,
}


def recognises(path: str, body: JsonValue, _: Shows) -> bool:
    """Any request with a list of messages that no more particular shape has claimed."""
    return isinstance(member(body, "messages"), list) or "/chat/completions" in path


def speaks_chat(body: JsonValue, shows: Shows) -> bool:
    """Whether messages or tools are written as only this shape and its closest relatives write them."""
    if shows(_is_of_chat) or bool(member(body, "functions")):
        return True
    return any("function" in tool for _, tool in objects(member(body, "tools")))


def _is_of_chat(message: JsonObject) -> bool:
    return message.get("role") in ("tool", "function", "developer") or bool(message.get("tool_calls"))


def read_message(value: JsonValue, path: Path) -> Message:
    """One element of `messages`, or the `message` of an answer."""
    role = ROLES.get(string(member(value, "role")) or "", Role.UNKNOWN)
    return Message(
        path,
        role,
        text_of(member(value, "content")) or text_of(member(value, "refusal")),
        calls=tuple(_calls(value, path)),
        results=(_result(value, path),) if role is Role.TOOL else (),
    )


def read_tools(body: JsonValue) -> Iterator[ToolDefinition]:
    """What `tools` and the older `functions` offer; a tool without a function is the host's own."""
    for path, tool in objects(member(body, "tools"), ("tools",)):
        key = present(tool, "function", "custom")
        inner = tool if key is None else tool[key]
        yield _definition(inner, path, fallback=string(tool.get("type")), by_provider=key is None)
    for path, function in objects(member(body, "functions"), ("functions",)):
        yield _definition(function, path)


def _definition(
    inner: JsonValue, path: Path, *, fallback: str | None = None, by_provider: bool = False
) -> ToolDefinition:
    return ToolDefinition(
        name=string(member(inner, "name")) or fallback or "",
        path=path,
        description=string(member(inner, "description")) or "",
        schema=member(inner, "parameters"),
        by_provider=by_provider,
    )


def _calls(message: JsonValue, path: Path) -> Iterator[ToolCall]:
    tool_calls = member(message, "tool_calls")
    if isinstance(tool_calls, list):
        for where, call in objects(tool_calls, (*path, "tool_calls")):
            yield _call(call, where)
    old = member(message, "function_call")
    if isinstance(old, dict) and old.get("name"):
        where = (*path, "function_call")
        yield ToolCall(None, string(old["name"]) or "", old.get("arguments"), where, (*where, "arguments"))


def _call(call: dict[str, JsonValue], path: Path) -> ToolCall:
    kind = present(call, "function", "custom")
    inner, inside = (call, path) if kind is None else (call[kind], (*path, kind))
    key = "input" if kind == "custom" else "arguments"
    return ToolCall(
        id=string(call.get("id")),
        name=string(member(inner, "name")) or "",
        arguments=member(inner, key),
        path=path,
        arguments_path=(*inside, key),
    )


def _result(message: JsonValue, path: Path) -> ToolResult:
    return ToolResult(
        id=string(member(message, "tool_call_id")),
        content=member(message, "content"),
        path=path,
        content_path=(*path, "content"),
        name=string(member(message, "name")) or string(member(message, "tool_name")),
    )


def _read_reply(body: JsonValue) -> Message | None:
    choices = member(body, "choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(member(choice, "message"), dict):
        return None
    message = read_message(member(choice, "message"), ("choices", 0, "message"))
    return message.out_of_room() if member(choice, "finish_reason") == "length" else message


_OF_CHUNKS_ONLY = ("choices", "obfuscation")


def assemble(chunks: Sequence[Chunk]) -> Assembled | None:
    """The `chat.completion` that chunks of one spell: deltas joined, calls told apart by their index."""
    if not any(isinstance(member(chunk.value, "choices"), list) for chunk in chunks):
        return None
    body: JsonObject = {}
    choices: dict[int, _Choice] = {}
    for chunk in chunks:
        if isinstance(chunk.value, dict):
            body.update(known(without(chunk.value, _OF_CHUNKS_ONLY)))
        for place, (_, piece) in enumerate(objects(member(chunk.value, "choices"))):
            choices.setdefault(number_of(piece.get("index"), place), _Choice()).add(piece)
    if body.get("object") == "chat.completion.chunk":
        body["object"] = "chat.completion"
    body["choices"] = [choices[index].value(index) for index in sorted(choices)]
    done = any(chunk.value == DONE for chunk in chunks) or (
        bool(choices) and all(choice.finished for choice in choices.values())
    )
    return Assembled(body, complete=done and not body.get("error"))


class _Choice:
    """One choice as its deltas come in."""

    def __init__(self) -> None:
        self._rest: JsonObject = {}
        self._message: JsonObject = {}
        self._calls: list[JsonValue] = []
        self._open: dict[int, JsonObject] = {}

    @property
    def finished(self) -> bool:
        return bool(self._rest.get("finish_reason"))

    def value(self, index: int) -> JsonObject:
        return {"index": index, "message": self._message, "finish_reason": None, **self._rest}

    def add(self, piece: JsonObject) -> None:
        self._rest.update(known(without(piece, ("index", "delta", "logprobs"))))
        if isinstance(piece.get("logprobs"), dict):
            accumulate(self._rest, {"logprobs": piece["logprobs"]})
        delta = piece.get("delta")
        if isinstance(delta, dict):
            accumulate(self._message, without(delta, ("tool_calls",)))
            for _, call in objects(delta.get("tool_calls")):
                self._add_call(call)

    def _add_call(self, piece: JsonObject) -> None:
        index = number_of(piece.get("index"), len(self._calls) - 1)
        call = self._open.get(index)
        if call is None or _begins_another(call, piece):
            call = self._open[index] = {}
            self._calls.append(call)
            self._message["tool_calls"] = self._calls
        accumulate(call, without(piece, ("index",)))


def _begins_another(call: JsonObject, piece: JsonObject) -> bool:
    """Whether a piece under a used index is a new call: some servers number all of them 0."""
    new_id, name = piece.get("id"), member(piece, "function", "name")
    return bool(new_id and call.get("id") and new_id != call["id"] and name)


DIALECT = Dialect(
    name="openai-chat",
    recognises=recognises,
    list_paths=(("messages",),),
    read_message=read_message,
    read_reply=_read_reply,
    read_tools=read_tools,
    assemble=assemble,
)
