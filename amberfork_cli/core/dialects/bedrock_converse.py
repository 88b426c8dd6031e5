"""Bedrock's Converse, and Nova's messages through Invoke: each block under a key, not with a type."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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
from amberfork_cli.core.dialects.pieces import JsonObject, accumulate, number_of, parsed, without
from amberfork_cli.core.dialects.shapes import last, member, objects, present, string, text_of
from amberfork_cli.core.paths import Path
from amberfork_cli.core.tape import JsonValue

_ROLES = {"system": Role.SYSTEM, "user": Role.USER, "assistant": Role.ASSISTANT}
_STATUSES = {"success": ResultStatus.OK, "error": ResultStatus.FAILED}


def _recognises(path: str, body: JsonValue, shows: Shows) -> bool:
    if not isinstance(member(body, "messages"), list):
        return False
    if present(body, "toolConfig", "inferenceConfig", "additionalModelRequestFields") is not None:
        return True
    untyped = shows(_has_block) and not shows(_has_typed_block)
    return untyped or path.endswith(("/converse", "/converse-stream"))


def _has_block(message: JsonObject) -> bool:
    return any(True for _ in _blocks_of(message))


def _has_typed_block(message: JsonObject) -> bool:
    return any("type" in block for block in _blocks_of(message))


def _blocks_of(message: JsonObject) -> Iterator[JsonObject]:
    content = message.get("content")
    return (block for _, block in objects(content)) if isinstance(content, list) else iter(())


def _read_message(value: JsonValue, path: Path) -> Message:
    role = _ROLES.get(string(member(value, "role")) or "", Role.UNKNOWN)
    content = member(value, "content")
    blocks = list(objects(content, (*path, "content")))
    results = tuple(_results(blocks))
    only_results = bool(results) and len(results) == len(blocks)
    return Message(
        path,
        Role.TOOL if role is Role.USER and only_results else role,
        text_of(content),
        calls=tuple(_calls(blocks)),
        results=results,
    )


def _calls(blocks: list[tuple[Path, JsonObject]]) -> Iterator[ToolCall]:
    for where, block in blocks:
        use, path = block.get("toolUse"), (*where, "toolUse")
        if isinstance(use, dict):
            yield ToolCall(
                id=string(use.get("toolUseId")),
                name=string(use.get("name")) or "",
                arguments=use.get("input"),
                path=path,
                arguments_path=(*path, "input"),
                by_provider=use.get("type") == "server_tool_use",
            )


def _results(blocks: list[tuple[Path, JsonObject]]) -> Iterator[ToolResult]:
    for where, block in blocks:
        result, path = block.get("toolResult"), (*where, "toolResult")
        if isinstance(result, dict):
            yield ToolResult(
                id=string(result.get("toolUseId")),
                content=result.get("content"),
                path=path,
                content_path=(*path, "content"),
                status=_STATUSES.get(string(result.get("status")) or "", ResultStatus.UNSAID),
            )


def _read_reply(body: JsonValue) -> Message | None:
    message = member(body, "output", "message")
    if not isinstance(message, dict):
        return None
    reply = _read_message(message, ("output", "message"))
    ends_in_call = present(last(message.get("content")), "toolUse") is not None
    return reply.out_of_room() if ends_in_call and member(body, "stopReason") == "max_tokens" else reply


def _read_tools(body: JsonValue) -> Iterator[ToolDefinition]:
    for path, tool in objects(member(body, "toolConfig", "tools"), ("toolConfig", "tools")):
        key = present(tool, "toolSpec", "systemTool")
        if key is not None:
            yield ToolDefinition(
                name=string(member(tool, key, "name")) or "",
                path=path,
                description=string(member(tool, key, "description")) or "",
                schema=member(tool, key, "inputSchema", "json"),
                by_provider=key == "systemTool",
            )


_EVENTS = (
    "messageStart",
    "contentBlockStart",
    "contentBlockDelta",
    "contentBlockStop",
    "messageStop",
    "metadata",
)


def _assemble(chunks: Sequence[Chunk]) -> Assembled | None:
    """The Converse answer that events from `messageStart` to `messageStop` spell, wrapped or named."""
    events = [event for chunk in chunks for event in _event(chunk)]
    if not any(name in _EVENTS[:3] for name, _ in events):
        return None
    message: JsonObject = {"role": "assistant"}
    ending: JsonObject = {}
    blocks: dict[int, _Block] = {}
    for name, event in events:
        if name == "messageStart":
            message.update(event)
        elif name in ("contentBlockStart", "contentBlockDelta"):
            index = number_of(event.get("contentBlockIndex"), max(blocks, default=0))
            blocks.setdefault(index, _Block()).add(event)
        elif name in ("messageStop", "metadata"):
            ending.update(event)
    message["content"] = [blocks[index].value() for index in sorted(blocks)]
    return Assembled({"output": {"message": message}, **ending}, complete="stopReason" in ending)


def _event(chunk: Chunk) -> Iterator[tuple[str, JsonObject]]:
    """The name and the content of an event; `p` only pads it."""
    name = chunk.event if chunk.event in _EVENTS else present(chunk.value, *_EVENTS)
    value = chunk.value if chunk.event in _EVENTS else member(chunk.value, name or "")
    if name is not None and isinstance(value, dict):
        yield name, without(value, ("p",))


class _Block:
    """One block of content as its deltas come in. The arguments of a call come as pieces of JSON text."""

    def __init__(self) -> None:
        self._rest: JsonObject = {}
        self._input = ""

    def add(self, event: JsonObject) -> None:
        start, delta = event.get("start"), event.get("delta")
        if isinstance(start, dict):
            accumulate(self._rest, start)
        if isinstance(delta, dict):
            reasoning, use = delta.get("reasoningContent"), delta.get("toolUse")
            if isinstance(reasoning, dict):
                self._add_reasoning(reasoning)
            if isinstance(use, dict):
                self._input += string(use.get("input")) or ""
            accumulate(self._rest, without(delta, ("reasoningContent", "toolUse")))

    def _add_reasoning(self, piece: JsonObject) -> None:
        inner = without(piece, ("redactedContent",))
        accumulate(self._rest, {"reasoningContent": {"reasoningText": inner}} if inner else {})
        if "redactedContent" in piece:
            accumulate(self._rest, {"reasoningContent": {"redactedContent": piece["redactedContent"]}})

    def value(self) -> JsonObject:
        use = self._rest.get("toolUse")
        if not isinstance(use, dict):
            return self._rest
        return {**self._rest, "toolUse": {**use, "input": parsed(self._input) if self._input else {}}}


DIALECT = Dialect(
    name="bedrock-converse",
    recognises=_recognises,
    list_paths=(("messages",),),
    read_message=_read_message,
    read_reply=_read_reply,
    read_tools=_read_tools,
    assemble=_assemble,
    prompt_paths=(("system",),),
)
