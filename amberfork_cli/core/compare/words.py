"""How people speak of what stands on a tape: a call, a result, who says a message."""

from __future__ import annotations

from collections.abc import Iterator

from amberfork_cli.core import jsontext
from amberfork_cli.core.compare.report import Piece, Words, ours, quoted
from amberfork_cli.core.compare.values import text_of_json
from amberfork_cli.core.dialects.model import Message, Role, ToolCall, ToolResult
from amberfork_cli.core.tape import JsonValue

_CALL_CELLS = 48
_WORDS_CELLS = 60


def call_words(call: ToolCall) -> Words:
    """`name(key=value, …)`, cut to about 48 characters."""
    held = text_of_json(call.arguments) if isinstance(call.arguments, str) else None
    arguments = call.arguments if held is None else held
    room = _CALL_CELLS - len(call.name) - 2
    return (quoted(call.name), ours("("), *_arguments(arguments, room), ours(")"))


def _arguments(arguments: JsonValue, room: int) -> Iterator[Piece]:
    if isinstance(arguments, str):
        yield from cut(arguments, room)
    members = arguments.items() if isinstance(arguments, dict) else ()
    for number, (key, value) in enumerate(members):
        text = f"{key}={notation(value)}"
        if len(text) + 2 > room:
            yield ours(", …" if number else "…")
            return
        if number:
            yield ours(", ")
        yield quoted(text)
        room -= len(text) + 2


def notation(value: JsonValue) -> str:
    """A value in JSON, on one line."""
    return jsontext.dumps(value).decode()


def who(message: Message | None) -> Words:
    """Who says a message, and what kind of message it is: `assistant calls f`, `result of f(x="a")`."""
    if message is None:
        return ()
    if message.calls:
        names = dict.fromkeys(call.name for call in message.calls)
        return (ours("assistant calls "), quoted(", ".join(names)))
    if message.results:
        return result_words(message.results[0])
    return (ours(_WHO[message.role]),)


_WHO = {
    Role.SYSTEM: "system prompt",
    Role.USER: "user",
    Role.ASSISTANT: "assistant",
    Role.TOOL: "tool result",
    Role.UNKNOWN: "message",
}


def result_words(result: ToolResult) -> Words:
    """`result of f(x="a")`, or what can be said where nobody made the call."""
    if result.answers is None:
        return (ours("tool result"),)
    return (ours("result of "), *call_words(result.answers))


def summary(message: Message | None, value: JsonValue) -> Words:
    """A whole message in a few words: its kind, then what it says."""
    if message is None:
        return (ours("message"), *cut(notation(value), _WORDS_CELLS))
    if message.calls:
        return (ours("assistant calls"), *_joined(call_words(call) for call in message.calls))
    if message.results:
        first, *others = message.results
        more = f" and {len(others)} more" if others else ""
        return (ours("tool result"), *result_said(first), *((ours(more),) if more else ()))
    said = "" if message.role is Role.UNKNOWN else message.text
    return (ours(_WHO[message.role]), *cut(said or notation(value), _WORDS_CELLS * 2))


def result_said(result: ToolResult) -> Words:
    """The beginning of what a result says."""
    return cut(_content_text(result.content), _WORDS_CELLS * 2)


def _joined(items: Iterator[Words]) -> Iterator[Piece]:
    for number, words in enumerate(items):
        if number:
            yield ours(", ")
        yield from words


def last_message(message: Message | None) -> Words:
    """What tells an exchange apart from its neighbours: the end of its history."""
    if message is None:
        return ()
    if message.results:
        return result_words(message.results[-1])
    if not message.text:
        return (ours("no text"),)
    return value_words(" ".join(message.text[: _WORDS_CELLS * 4].split()), _WORDS_CELLS)


def value_words(value: JsonValue, room: int) -> Words:
    """A value in JSON on one line, and our sign where it was cut; a text that was cut keeps its quotes."""
    if isinstance(value, str) and len(notation(value)) > room:
        return (quoted(notation(value[: room - 3])[:-1]), ours('…"'))
    return cut(notation(value), room)


def first_words(text: str) -> str:
    """The beginning of a text, on one line."""
    return _on_one_line(text, _WORDS_CELLS)


def cut(text: str, room: int) -> Words:
    """The beginning of a text of a tape, on one line, and our sign where it was cut."""
    line = _on_one_line(text, room + 1)
    return (quoted(line),) if len(line) <= room else (quoted(line[: room - 1]), ours("…"))


def content_said(content: JsonValue) -> JsonValue:
    """What a result's content comes to: of a single part, what that part says."""
    if isinstance(content, list) and len(content) == 1 and isinstance(content[0], dict):
        return content[0].get("text", content[0].get("json", content[0]))
    return content


def _content_text(content: JsonValue) -> str:
    said = content_said(content)
    return said if isinstance(said, str) else notation(said)


def _on_one_line(text: str, room: int) -> str:
    return " ".join(text[: room * 4].split())[:room]
