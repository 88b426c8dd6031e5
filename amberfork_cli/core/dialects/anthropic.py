"""Anthropic's messages, at Anthropic, on Vertex and through Bedrock's Invoke.

`tool_use` is the user's to run, also where the model's own code asked for it; `server_tool_use` and
`mcp_tool_use` are run by the provider, whose results stand in the same answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from amberfork_cli.core.dialects import openai_chat
from amberfork_cli.core.dialects.dialect import Dialect, Shows
from amberfork_cli.core.dialects.model import (
    Assembled,
    Chunk,
    Message,
    ResultStatus,
    Role,
    ToolCall,
    ToolDefinition,
    ToolResult,
)
from amberfork_cli.core.dialects.pieces import (
    JsonObject,
    accumulate,
    known,
    number_of,
    parsed,
    without,
)
from amberfork_cli.core.dialects.shapes import last, member, objects, present, string, text_of
from amberfork_cli.core.paths import Path
from amberfork_cli.core.tape import JsonValue

_BY_PROVIDER = {"tool_use": False, "server_tool_use": True, "mcp_tool_use": True}
_OWN_BLOCKS = {*_BY_PROVIDER, "tool_result", "thinking", "redacted_thinking", "container_upload"}
_RUN_BY_CLIENT = ("custom", "bash_", "text_editor_", "computer_", "memory_")
_ROLES = {"system": Role.SYSTEM, "user": Role.USER, "assistant": Role.ASSISTANT}


def _recognises(path: str, body: JsonValue, shows: Shows) -> bool:
    if not isinstance(member(body, "messages"), list):
        return False
    if present(body, "anthropic_version", "system", "thinking", "mcp_servers") is not None:
        return True
    if shows(_has_own_block) or _offers_own_tools(body):
        return True
    if openai_chat.speaks_chat(body, shows) or "/chat/completions" in path:
        return False
    model = string(member(body, "model")) or ""
    return "/messages" in path or model.startswith("claude")


def _has_own_block(message: JsonObject) -> bool:
    content = message.get("content")
    return isinstance(content, list) and any(_is_own(block) for _, block in objects(content))


def _is_own(block: JsonObject) -> bool:
    return _kind(block) in _OWN_BLOCKS or _is_result(_kind(block))


def _kind(block: JsonValue) -> str:
    return string(member(block, "type")) or ""


def _is_result(kind: str) -> bool:
    return kind == "tool_result" or kind.endswith("_tool_result")


def _offers_own_tools(body: JsonValue) -> bool:
    return any("input_schema" in tool for _, tool in objects(member(body, "tools")))


def _read_message(value: JsonValue, path: Path) -> Message:
    role = _ROLES.get(string(member(value, "role")) or "", Role.UNKNOWN)
    content = member(value, "content")
    blocks = list(objects(content, (*path, "content")))
    results = tuple(_result(block, where) for where, block in blocks if _is_result(_kind(block)))
    only_results = bool(results) and len(results) == len(blocks)
    return Message(
        path,
        Role.TOOL if role is Role.USER and only_results else role,
        text_of(content),
        calls=tuple(_call(block, where) for where, block in blocks if _kind(block) in _BY_PROVIDER),
        results=results,
    )


def _call(block: JsonObject, path: Path) -> ToolCall:
    return ToolCall(
        id=string(block.get("id")),
        name=string(block.get("name")) or "",
        arguments=block.get("input"),
        path=path,
        arguments_path=(*path, "input"),
        by_provider=_BY_PROVIDER[_kind(block)],
    )


def _result(block: JsonObject, path: Path) -> ToolResult:
    return ToolResult(
        id=string(block.get("tool_use_id")),
        content=block.get("content"),
        path=path,
        content_path=(*path, "content"),
        status=_status(block),
    )


def _status(block: JsonObject) -> ResultStatus:
    said = block.get("is_error")
    if isinstance(said, bool):
        return ResultStatus.FAILED if said else ResultStatus.OK
    inner = string(member(block.get("content"), "type")) or ""
    return ResultStatus.FAILED if inner.endswith("_error") else ResultStatus.UNSAID


def _read_reply(body: JsonValue) -> Message | None:
    if member(body, "role") != "assistant" or not isinstance(member(body, "content"), list):
        return None
    reply = _read_message(body, ())
    ends_in_call = _kind(last(member(body, "content"))) in _BY_PROVIDER
    return reply.out_of_room() if ends_in_call and member(body, "stop_reason") == "max_tokens" else reply


def _read_tools(body: JsonValue) -> Iterator[ToolDefinition]:
    for path, tool in objects(member(body, "tools"), ("tools",)):
        kind = _kind(tool) or "custom"
        yield ToolDefinition(
            name=string(tool.get("name")) or string(tool.get("mcp_server_name")) or kind,
            path=path,
            description=string(tool.get("description")) or "",
            schema=tool.get("input_schema"),
            by_provider="input_schema" not in tool and not kind.startswith(_RUN_BY_CLIENT),
        )


def _assemble(chunks: Sequence[Chunk]) -> Assembled | None:
    """The message that events from `message_start` to `message_stop` spell."""
    types = {string(member(chunk.value, "type")) for chunk in chunks}
    if not types & {"message_start", "content_block_start", "content_block_delta"}:
        return None
    body: JsonObject = {"type": "message", "role": "assistant"}
    blocks: dict[int, _Block] = {}
    for chunk in chunks:
        if isinstance(chunk.value, dict):
            _add(body, blocks, chunk.value)
    body["content"] = [blocks[index].value() for index in sorted(blocks)]
    ended = "message_stop" in types or bool(body.get("stop_reason"))
    return Assembled(body, complete=ended and "error" not in types)


def _add(body: JsonObject, blocks: dict[int, _Block], event: JsonObject) -> None:
    kind, message = event.get("type"), event.get("message")
    if kind == "message_start" and isinstance(message, dict):
        accumulate(body, without(message, ("content",)))
    elif kind == "message_delta":
        accumulate(body, known(without(event, ("type", "delta"))))
        delta = event.get("delta")
        body.update(known(delta) if isinstance(delta, dict) else {})
    elif kind in ("content_block_start", "content_block_delta"):
        index = number_of(event.get("index"), max(blocks, default=0))
        blocks.setdefault(index, _Block()).add(event)
    elif kind == "error":
        body["error"] = event.get("error")


class _Block:
    """One block of content as its deltas come in."""

    def __init__(self) -> None:
        self._rest: JsonObject = {}
        self._input = ""

    def add(self, event: JsonObject) -> None:
        start, delta = event.get("content_block"), event.get("delta")
        if isinstance(start, dict):
            accumulate(self._rest, start)
        if isinstance(delta, dict):
            self._input += string(delta.get("partial_json")) or ""
            accumulate(self._rest, without(delta, ("type", "partial_json", "citation")))
            if "citation" in delta:
                accumulate(self._rest, {"citations": [delta["citation"]]})

    def value(self) -> JsonObject:
        return {**self._rest, "input": parsed(self._input)} if self._input else self._rest


DIALECT = Dialect(
    name="anthropic",
    recognises=_recognises,
    list_paths=(("messages",),),
    read_message=_read_message,
    read_reply=_read_reply,
    read_tools=_read_tools,
    assemble=_assemble,
    prompt_paths=(("system",),),
)
