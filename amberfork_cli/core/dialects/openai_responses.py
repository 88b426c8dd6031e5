"""OpenAI's Responses: every call, result and message is an item of its own.

Functions, custom tools, shells, patches and the computer are the user's to run. Searches, code interpreters,
images and MCP servers are the provider's, and carry what came back in the same item. An approval of an MCP
call is neither a call nor a result.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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
from amberfork_cli.core.dialects.pieces import JsonObject, accumulate, in_order, number_of
from amberfork_cli.core.dialects.shapes import member, objects, present, string, text_of
from amberfork_cli.core.paths import Path
from amberfork_cli.core.tape import JsonValue


@dataclass(frozen=True, slots=True)
class _CallKind:
    """How an item type writes a call: the key of its arguments, a fixed name, the key of an inner result."""

    arguments: str
    name: str | None = None
    by_provider: bool = False
    result: str | None = None


_CALLS = {
    "function_call": _CallKind("arguments"),
    "custom_tool_call": _CallKind("input"),
    "local_shell_call": _CallKind("action", "local_shell"),
    "shell_call": _CallKind("action", "shell"),
    "apply_patch_call": _CallKind("operation", "apply_patch"),
    "computer_call": _CallKind("action", "computer"),
    "tool_search_call": _CallKind("arguments", "tool_search"),
    "mcp_call": _CallKind("arguments", by_provider=True, result="output"),
    "web_search_call": _CallKind("action", "web_search", by_provider=True),
    "file_search_call": _CallKind("queries", "file_search", by_provider=True, result="results"),
    "code_interpreter_call": _CallKind("code", "code_interpreter", by_provider=True, result="outputs"),
    "image_generation_call": _CallKind("prompt", "image_generation", by_provider=True, result="result"),
}
_RESULTS = {f"{kind}_output": call for kind, call in _CALLS.items() if not call.by_provider} | {
    "tool_search_output": _CALLS["tool_search_call"]
}
_ROLES = {
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
}
_ROLES_OF_TYPES = {
    "reasoning": Role.ASSISTANT,
    "mcp_list_tools": Role.ASSISTANT,
    "mcp_approval_request": Role.ASSISTANT,
    "mcp_approval_response": Role.USER,
    "configuration_update": Role.SYSTEM,
}
_OTHER_ENDPOINTS = ("/embeddings", "/moderations", "/audio/", "/rerank")
_UNFINISHED = ("incomplete", "in_progress")


def _recognises(path: str, body: JsonValue, _: Shows) -> bool:
    if present(body, "messages", "contents") is not None:
        return False
    has_input = isinstance(member(body, "input"), (list, str))
    elsewhere = any(endpoint in path for endpoint in _OTHER_ENDPOINTS)
    return (has_input and not elsewhere) or "/responses" in path


def read_item(value: JsonValue, path: Path) -> Message:
    """One item of `input` or `output`. A plain string is the user's message."""
    if not isinstance(value, dict):
        return Message(path, Role.USER if isinstance(value, str) else Role.UNKNOWN, text_of(value))
    kind = string(value.get("type")) or ""
    call = _CALLS.get(kind)
    result = _inner_result(value, path, call) if call is not None else _result(value, path, kind)
    return Message(
        path,
        _role(value, kind),
        text_of(value.get("content")) if kind in ("", "message") else "",
        calls=(_call(value, path, call),) if call is not None else (),
        results=(result,) if result is not None else (),
    )


def _role(item: JsonObject, kind: str) -> Role:
    if kind in _CALLS or (kind in _RESULTS and item.get("execution") == "server"):
        return Role.ASSISTANT
    if kind in _RESULTS:
        return Role.TOOL
    return _ROLES.get(string(item.get("role")) or "") or _ROLES_OF_TYPES.get(kind, Role.UNKNOWN)


def _call(item: JsonObject, path: Path, kind: _CallKind) -> ToolCall:
    own_id = item.get("id") if kind.by_provider else item.get("call_id")
    return ToolCall(
        id=string(own_id),
        name=kind.name or string(item.get("name")) or "",
        arguments=item.get(kind.arguments),
        path=path,
        arguments_path=(*path, kind.arguments),
        by_provider=kind.by_provider or item.get("execution") == "server",
        complete=item.get("status") not in _UNFINISHED,
    )


def _inner_result(item: JsonObject, path: Path, kind: _CallKind) -> ToolResult | None:
    """What the provider's own call brought back, in the item that made it."""
    key = kind.result
    error = item.get("error")
    if key is None or (item.get(key) is None and error is None):
        return None
    if error is not None:
        key = "error"
    status = ResultStatus.FAILED if error is not None else ResultStatus.UNSAID
    return ToolResult(string(item.get("id")), item[key], path, (*path, key), status=status)


def _result(item: JsonObject, path: Path, kind: str) -> ToolResult | None:
    if kind not in _RESULTS:
        return None
    key = "tools" if kind == "tool_search_output" else "output"
    own_id = item.get("id") if kind == "local_shell_call_output" else None
    return ToolResult(
        id=string(item.get("call_id", own_id)),
        content=item.get(key),
        path=path,
        content_path=(*path, key),
        name=_RESULTS[kind].name,
        status=ResultStatus.FAILED if item.get("status") == "failed" else ResultStatus.UNSAID,
    )


def _read_reply(body: JsonValue) -> Message | None:
    """All items of `output` as one message; a compacted history is no answer."""
    output = member(body, "output")
    if not isinstance(output, list) or member(body, "object") == "response.compaction":
        return None
    return merged([read_item(item, ("output", index)) for index, item in enumerate(output)], ("output",))


def merged(items: Sequence[Message], path: Path) -> Message:
    """Several items of one answer as one message of the assistant."""
    words = [item.text for item in items if item.role is Role.ASSISTANT]
    return Message(
        path,
        Role.ASSISTANT,
        "\n".join(filter(None, words)),
        calls=tuple(call for item in items for call in item.calls),
        results=tuple(result for item in items for result in item.results),
    )


_RUN_BY_USER = ("function", "custom", "local_shell", "shell", "apply_patch", "computer")


def read_tools(body: JsonValue) -> Iterator[ToolDefinition]:
    """What `tools` offers; a tool without a name goes by its server or its type, a namespace by its tools."""
    yield from definitions(member(body, "tools"), ("tools",))


def definitions(tools: JsonValue, path: Path) -> Iterator[ToolDefinition]:
    """The tools of a list at that path."""
    for where, tool in objects(tools, path):
        if tool.get("type") != "namespace":
            yield _definition(tool, where)
            continue
        for inner, member_tool in objects(tool.get("tools"), (*where, "tools")):
            yield _definition(member_tool, inner)


def _definition(tool: JsonObject, path: Path) -> ToolDefinition:
    kind = string(tool.get("type")) or ""
    return ToolDefinition(
        name=string(tool.get("name")) or string(tool.get("server_label")) or kind,
        path=path,
        description=string(tool.get("description")) or "",
        schema=tool.get("parameters"),
        by_provider=not kind.startswith(_RUN_BY_USER) and tool.get("execution") != "client",
    )


_ENDS = ("response.completed", "response.done", "response.incomplete", "response.failed")
_TEXT_DELTAS = {
    "response.function_call_arguments.delta": "arguments",
    "response.mcp_call_arguments.delta": "arguments",
    "response.custom_tool_call_input.delta": "input",
    "response.code_interpreter_call_code.delta": "code",
}
_PART_DELTAS = {
    "response.output_text.delta": ("content", "content_index", "text"),
    "response.refusal.delta": ("content", "content_index", "refusal"),
    "response.reasoning_text.delta": ("content", "content_index", "text"),
    "response.reasoning_summary_text.delta": ("summary", "summary_index", "text"),
}


def assemble(chunks: Sequence[Chunk]) -> Assembled | None:
    """The response that events spell: as the last of them carries it, else put together from its items.

    Some hosts send a last event whose `output` is empty; then its items are those that came before.
    """
    events = [chunk.value for chunk in chunks if isinstance(chunk.value, dict)]
    if not any((string(event.get("type")) or "").startswith("response.") for event in events):
        return None
    body: JsonObject = {}
    items: dict[int, _Item] = {}
    ended = False
    for event in events:
        kind, response = event.get("type"), event.get("response")
        if isinstance(response, dict):
            body = response
        ended = ended or kind in _ENDS
        if isinstance(kind, str) and "output_index" in event:
            items.setdefault(number_of(event["output_index"], 0), _Item()).add(kind, event)
    if items and not body.get("output"):
        body = {**body, "output": [items[index].value() for index in sorted(items)]}
    return Assembled(body, complete=ended)


class _Item:
    """One item of the output as its events come in; the event that ends it carries it whole."""

    def __init__(self) -> None:
        self._whole: JsonObject | None = None
        self._so_far: JsonObject = {}
        self._parts: dict[str, dict[int, JsonObject]] = {}

    def add(self, kind: str, event: JsonObject) -> None:
        item, delta = event.get("item"), event.get("delta")
        if kind == "response.output_item.done" and isinstance(item, dict):
            self._whole = item
        elif isinstance(item, dict):
            accumulate(self._so_far, item)
        elif kind in _TEXT_DELTAS:
            accumulate(self._so_far, {_TEXT_DELTAS[kind]: delta})
        elif kind in _PART_DELTAS:
            key, index, text = _PART_DELTAS[kind]
            accumulate(self._part(key, event.get(index)), {text: delta})
        elif kind in ("response.content_part.added", "response.reasoning_summary_part.added"):
            key, index = ("content", "content_index") if "content" in kind else ("summary", "summary_index")
            part = event.get("part")
            accumulate(self._part(key, event.get(index)), part if isinstance(part, dict) else {})

    def _part(self, key: str, index: JsonValue) -> JsonObject:
        return self._parts.setdefault(key, {}).setdefault(number_of(index, 0), {})

    def value(self) -> JsonObject:
        return self._whole or {**self._so_far, **{key: in_order(parts) for key, parts in self._parts.items()}}


DIALECT = Dialect(
    name="openai-responses",
    recognises=_recognises,
    list_paths=(("input",),),
    read_message=read_item,
    read_reply=_read_reply,
    read_tools=read_tools,
    assemble=assemble,
    prompt_paths=(("instructions",),),
    continues="previous_response_id",
)
