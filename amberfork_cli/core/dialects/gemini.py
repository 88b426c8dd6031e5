"""Gemini's and Vertex's generateContent, in camelCase and in snake_case, with and without IDs.

A lone object is read where the shape has a list, as the servers do. `toolCall` and `executableCode` are run
by the provider.
"""

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
from amberfork_cli.core.dialects.pieces import JsonObject, accumulate, known, number_of, without
from amberfork_cli.core.dialects.shapes import member, objects, present, string, text_of
from amberfork_cli.core.paths import Path
from amberfork_cli.core.tape import JsonValue

_ROLES = {"user": Role.USER, "function": Role.USER, "model": Role.ASSISTANT, "system": Role.SYSTEM}
_CALLS = ("functionCall", "function_call", "toolCall", "tool_call")
_RESULTS = ("functionResponse", "function_response", "toolResponse", "tool_response")
_CODE = ("executableCode", "executable_code")
_CODE_RESULTS = ("codeExecutionResult", "code_execution_result")
_CODE_TOOL = "code_execution"


LIVE = "BidiGenerateContent"
"""The method of the Live API, which is another shape."""


def _recognises(path: str, body: JsonValue, _: Shows) -> bool:
    return present(body, "contents") is not None or ("enerateContent" in path and LIVE not in path)


def read_message(value: JsonValue, path: Path) -> Message:
    """One element of `contents`, or the `content` of an answer. Without a role it is the user's."""
    if isinstance(value, str):
        return Message(path, Role.USER, value)
    role = _ROLES.get(string(member(value, "role")) or "user", Role.UNKNOWN)
    parts = list(objects(member(value, "parts"), (*path, "parts")))
    results = tuple(result for where, part in parts for result in _results(part, where))
    only_results = bool(results) and len(results) == len(parts)
    return Message(
        path,
        Role.TOOL if role is Role.USER and only_results else role,
        text_of(member(value, "parts")),
        calls=tuple(call for where, part in parts for call in _calls(part, where)),
        results=results,
    )


def _calls(part: JsonObject, path: Path) -> Iterator[ToolCall]:
    key = present(part, *_CALLS)
    if key is not None:
        yield read_call(part[key], (*path, key))
    code = present(part, *_CODE)
    if code is not None:
        where = (*path, code)
        source = member(part, code, "code")
        call_id = string(member(part, code, "id"))
        yield ToolCall(call_id, _CODE_TOOL, source, where, (*where, "code"), by_provider=True)


def read_call(call: JsonValue, path: Path) -> ToolCall:
    """A function call; arguments that Vertex streams piece by piece are not put together."""
    return ToolCall(
        id=string(member(call, "id")),
        name=_name(call),
        arguments=member(call, "args"),
        path=path,
        arguments_path=(*path, "args"),
        by_provider=path[-1] in _CALLS[2:],
        complete=present(call, "partialArgs", "willContinue") is None,
    )


def _results(part: JsonObject, path: Path) -> Iterator[ToolResult]:
    key = present(part, *_RESULTS)
    if key is not None:
        yield read_result(part[key], (*path, key))
    code = present(part, *_CODE_RESULTS)
    if code is not None:
        where = (*path, code)
        outcome = member(part, code, "outcome")
        yield ToolResult(
            id=string(member(part, code, "id")),
            content=member(part, code, "output"),
            path=where,
            content_path=(*where, "output"),
            name=_CODE_TOOL,
            status=ResultStatus.OK if outcome in ("OUTCOME_OK", 1) else ResultStatus.FAILED,
        )


def read_result(result: JsonValue, path: Path) -> ToolResult:
    """A function response; by convention one whose only member is `error` tells of a failure."""
    response = member(result, "response")
    failed = isinstance(response, dict) and set(response) == {"error"}
    return ToolResult(
        id=string(member(result, "id")),
        content=response,
        path=path,
        content_path=(*path, "response"),
        name=_name(result) or None,
        status=ResultStatus.FAILED if failed else ResultStatus.UNSAID,
    )


def _name(value: JsonValue) -> str:
    key = present(value, "name", "toolType", "tool_type")
    return string(member(value, key or "")) or ""


def _read_reply(body: JsonValue) -> Message | None:
    candidates = member(body, "candidates")
    first = candidates[0] if isinstance(candidates, list) and candidates else None
    content = member(first, "content")
    if not isinstance(content, dict):
        return None
    return read_message({"role": "model", **content}, ("candidates", 0, "content"))


def read_tools(body: JsonValue) -> Iterator[ToolDefinition]:
    """The functions of every `tools` entry, and the provider's own tools by their keys."""
    for path, tool in objects(member(body, "tools"), ("tools",)):
        for key, value in tool.items():
            if key not in ("functionDeclarations", "function_declarations"):
                yield ToolDefinition(key, (*path, key), by_provider=True)
                continue
            for where, function in objects(value, (*path, key)):
                yield _definition(function, where)


def _definition(function: JsonObject, path: Path) -> ToolDefinition:
    schema = present(function, "parameters", "parametersJsonSchema", "parameters_json_schema")
    return ToolDefinition(
        name=string(function.get("name")) or "",
        path=path,
        description=string(function.get("description")) or "",
        schema=function.get(schema or "parameters"),
    )


def _assemble(chunks: Sequence[Chunk]) -> Assembled | None:
    """The answer that chunks of one spell: texts that follow on each other are one part."""
    answers = [chunk.value for chunk in chunks if isinstance(chunk.value, dict)]
    if not any(present(answer, "candidates", "promptFeedback", "usageMetadata") for answer in answers):
        return None
    body: JsonObject = {}
    candidates: dict[int, _Candidate] = {}
    for answer in answers:
        body.update(known(without(answer, ("candidates",))))
        for place, (_, piece) in enumerate(objects(answer.get("candidates"))):
            candidates.setdefault(number_of(piece.get("index"), place), _Candidate()).add(piece)
    if candidates:
        body = {"candidates": [candidates[index].value() for index in sorted(candidates)], **body}
    ended = all(candidate.finished for candidate in candidates.values())
    return Assembled(body, complete=ended and "error" not in body)


class _Candidate:
    """One candidate as its pieces come in."""

    def __init__(self) -> None:
        self._rest: JsonObject = {}
        self._content: JsonObject = {}
        self._parts: list[JsonValue] = []

    @property
    def finished(self) -> bool:
        return bool(self._rest.get("finishReason"))

    def value(self) -> JsonObject:
        content = {"parts": self._parts, **self._content} if self._parts else self._content
        return {"content": content, **self._rest} if content else self._rest

    def add(self, piece: JsonObject) -> None:
        content = piece.get("content")
        self._rest.update(known(without(piece, ("content",))))
        if isinstance(content, dict):
            self._content.update(without(content, ("parts",)))
            for _, part in objects(content.get("parts")):
                self._add_part(part)

    def _add_part(self, part: JsonObject) -> None:
        last = self._parts[-1] if self._parts else None
        if isinstance(last, dict) and _goes_on(last, part):
            accumulate(last, without(part, ("thought",)))
        else:
            self._parts.append(dict(part))


def _goes_on(last: JsonObject, part: JsonObject) -> bool:
    """Whether a part only adds words to the one before; a sealed text is at its end."""
    if set(last) - {"text", "thought"} or set(part) - {"text", "thought", "thoughtSignature"}:
        return False
    return "text" in last and "text" in part and last.get("thought") == part.get("thought")


DIALECT = Dialect(
    name="gemini",
    recognises=_recognises,
    list_paths=(("contents",),),
    read_message=read_message,
    read_reply=_read_reply,
    read_tools=read_tools,
    assemble=_assemble,
    prompt_paths=(("systemInstruction",), ("system_instruction",)),
)
