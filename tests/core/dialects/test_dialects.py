"""Which shape a body has, and that no body can break the reading of it."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amberfork_cli.core.dialects import DIALECTS, dialect_of
from amberfork_cli.core.dialects.model import DONE, Chunk, Message
from amberfork_cli.core.dialects.recognition import Recogniser
from amberfork_cli.core.dialects.shapes import member, objects
from amberfork_cli.core.tape import JsonValue

CHAT_CALL = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}}
BODIES: dict[str, list[Any]] = {
    "openai-chat": [
        {"model": "gpt-4o", "messages": [{"role": "user", "content": "hi"}]},
        {
            "model": "gpt-4o",
            "messages": [
                {"role": "developer", "content": [{"type": "text", "text": "be brief"}]},
                {"role": "assistant", "content": None, "tool_calls": [CHAT_CALL]},
                {"role": "tool", "tool_call_id": "call_1", "content": "sunny"},
            ],
            "tools": [{"type": "function", "function": {"name": "get_weather", "parameters": {}}}],
        },
        {
            "model": "anthropic/claude-sonnet-4",
            "max_tokens": 9,
            "messages": [{"role": "user", "content": ""}],
        },
    ],
    "openai-responses": [
        {"model": "gpt-5", "input": "hi"},
        {
            "instructions": "be brief",
            "input": [
                {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{}"},
                {"type": "function_call_output", "call_id": "call_1", "output": "1"},
                {"type": "mcp_call", "id": "mcp_1", "name": "g", "arguments": "{}", "output": "2"},
            ],
            "tools": [{"type": "function", "name": "f"}, {"type": "namespace", "tools": [{"name": "g"}]}],
        },
    ],
    "anthropic": [
        {"model": "claude-sonnet-5", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]},
        {"system": "be brief", "messages": [{"role": "user", "content": "hi"}]},
        {
            "anthropic_version": "bedrock-2023-05-31",
            "messages": [
                {
                    "role": "assistant",
                    "content": [{"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}],
                },
                {
                    "role": "user",
                    "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "1"}],
                },
            ],
            "tools": [{"name": "f", "input_schema": {"type": "object"}}],
        },
    ],
    "bedrock-converse": [
        {"messages": [{"role": "user", "content": [{"text": "hi"}]}]},
        {
            "schemaVersion": "messages-v1",
            "system": [{"text": "be brief"}],
            "messages": [
                {
                    "role": "assistant",
                    "content": [{"toolUse": {"toolUseId": "t1", "name": "f", "input": {}}}],
                },
                {
                    "role": "user",
                    "content": [{"toolResult": {"toolUseId": "t1", "content": [{"text": "1"}]}}],
                },
            ],
            "toolConfig": {"tools": [{"toolSpec": {"name": "f", "inputSchema": {"json": {}}}}]},
        },
    ],
    "gemini": [
        {"contents": "hi"},
        {
            "systemInstruction": {"parts": {"text": "be brief"}},
            "contents": [
                {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]},
                {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"output": 1}}}]},
                {"role": "model", "parts": [{"executableCode": {"code": "1"}}]},
            ],
            "tools": [{"functionDeclarations": [{"name": "f"}]}, {"googleSearch": {}}],
        },
    ],
    "gemini-live": [
        {"tool_response": {"functionResponses": [{"id": "1", "name": "f", "response": {"output": 1}}]}},
        {"clientContent": {"turns": [{"role": "user", "parts": [{"text": "hi"}]}]}},
        {"setup": {"tools": [{"functionDeclarations": [{"name": "f"}]}]}},
    ],
    "cohere-v2": [
        {
            "messages": [
                {"role": "assistant", "tool_plan": "I look.", "tool_calls": [CHAT_CALL]},
                {
                    "role": "tool",
                    "tool_call_id": "call_1",
                    "content": [{"type": "document", "document": {"data": "sunny"}}],
                },
            ],
        }
    ],
    "ollama": [
        {"model": "qwen3", "messages": [{"role": "user", "content": "hi"}], "options": {}},
        {
            "messages": [
                {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": {"x": 1}}}]},
                {"role": "tool", "tool_name": "f", "content": "1"},
            ]
        },
    ],
    "openai-realtime": [
        {
            "type": "conversation.item.create",
            "item": {"type": "function_call_output", "call_id": "call_1", "output": "1"},
        },
        {"type": "session.update", "session": {"instructions": "be brief", "tools": [{"name": "f"}]}},
    ],
    "openai-assistants": [{"tool_outputs": [{"tool_call_id": "call_1", "output": "1"}]}],
}
REPLIES: list[Any] = [
    {"choices": [{"message": {"role": "assistant", "tool_calls": [CHAT_CALL]}, "finish_reason": "length"}]},
    {"output": [{"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}", "status": "x"}]},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "t"}], "stop_reason": "max_tokens"},
    {"output": {"message": {"content": [{"toolUse": {}}]}}, "stopReason": "max_tokens"},
    {"candidates": [{"content": {"parts": [{"functionCall": {"name": "f"}}]}}]},
    {"message": {"tool_calls": [CHAT_CALL]}, "finish_reason": "MAX_TOKENS"},
    {"message": {"content": "hi"}, "done": True, "done_reason": "length"},
    {"required_action": {"submit_tool_outputs": {"tool_calls": [CHAT_CALL]}}},
    {"toolCall": {"functionCalls": [{"name": "f"}]}},
]
CHUNKS: list[Any] = [
    {
        "choices": [
            {"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f"}}]}}
        ]
    },
    {"type": "message_start", "message": {"role": "assistant"}},
    {"type": "content_block_delta", "index": 0, "delta": {"partial_json": "{", "citation": {}}},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}},
    {"type": "response.created", "response": {"id": "r"}},
    {"type": "response.output_item.added", "output_index": 0, "item": {"type": "function_call"}},
    {"type": "response.function_call_arguments.delta", "output_index": 0, "delta": "{"},
    {"type": "response.output_text.delta", "output_index": 1, "content_index": 0, "delta": "x"},
    {"contentBlockStart": {"contentBlockIndex": 0, "start": {"toolUse": {"name": "f"}}}},
    {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"reasoningContent": {"text": "x"}}}},
    {"candidates": [{"content": {"parts": [{"text": "x"}]}, "finishReason": "STOP"}]},
    {"type": "tool-call-delta", "index": 0, "delta": {"message": {"tool_calls": {"function": {}}}}},
    {"message": {"content": "x"}, "done": False},
    {"serverContent": {"modelTurn": {"parts": [{"text": "x"}]}}},
    DONE,
]
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)


@pytest.mark.parametrize(
    ("name", "body"), [(name, body) for name, bodies in BODIES.items() for body in bodies]
)
def test_a_bare_body_shows_its_shape(name: str, body: JsonValue) -> None:
    """No path is needed where the body has something of its own."""
    dialect = dialect_of("", body)

    assert dialect is not None
    assert dialect.name == name


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/v1/messages?beta=true", "anthropic"),
        ("/v1/chat/completions", "openai-chat"),
        ("/openai/deployments/x/chat/completions?api-version=1", "openai-chat"),
        ("/v2/chat", "cohere-v2"),
        ("/api/chat", "ollama"),
        ("/model/x/invoke", "openai-chat"),
        ("/model/x/converse", "bedrock-converse"),
    ],
)
def test_the_path_decides_where_the_body_could_be_anyones(path: str, name: str) -> None:
    """Plain words from a user look the same in most shapes."""
    dialect = dialect_of(path, {"messages": [{"role": "user", "content": "hi"}]})

    assert dialect is not None
    assert dialect.name == name


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/embeddings", {"input": "text", "model": "text-embedding-3-small"}),
        ("/v1/embeddings", {"input": ["text"], "model": "text-embedding-3-small"}),
        ("/v1/files", {"purpose": "batch"}),
        ("", [1, 2]),
        ("", None),
        ("", "text"),
    ],
)
def test_what_is_no_conversation_has_no_dialect(path: str, body: JsonValue) -> None:
    """Other endpoints and other values are nobody's."""
    assert dialect_of(path, body) is None


@pytest.mark.parametrize("path", ["/v1/responses/resp_1", "/v1/threads/thread_1/runs/run_1"])
def test_a_request_without_a_body_goes_by_its_path(path: str) -> None:
    """What is polled for was asked for elsewhere, and its answer is still to be read."""
    assert dialect_of(path, None) is not None


@given(st.sampled_from([body for bodies in BODIES.values() for body in bodies]), st.data())
@settings(max_examples=150, deadline=None)
def test_no_request_is_too_broken_to_read(body: JsonValue, data: st.DataObject) -> None:
    """With anything in the place of any part, every dialect reads what it can, one message an element."""
    broken = _broken(body, data)

    assert Recogniser().recognise("", broken).dialect == dialect_of("", broken)
    for dialect in DIALECTS:
        dialect.recognises("", broken, lambda sign: any(sign(each) for _, each in messages_of(broken)))
        dialect.tools(broken)
        messages = dialect.history(broken)
        assert len(messages) >= len(list(dialect.elements(broken)))


@given(st.sampled_from(REPLIES), st.data())
@settings(max_examples=100, deadline=None)
def test_no_answer_is_too_broken_to_read(reply: JsonValue, data: st.DataObject) -> None:
    """With anything in the place of any part, every dialect reads a message or nothing."""
    broken = _broken(reply, data)

    for dialect in DIALECTS:
        answer = dialect.reply(broken, complete=data.draw(st.booleans()))
        assert answer is None or isinstance(answer, Message)


@given(st.lists(st.sampled_from(CHUNKS), max_size=6), st.data())
@settings(max_examples=150, deadline=None)
def test_no_stream_is_too_broken_to_put_together(values: list[JsonValue], data: st.DataObject) -> None:
    """Events of all shapes, in any order and with anything in them, never raise, and stay as they were."""
    broken = [_broken(value, data) for value in values]
    before = repr(broken)

    for dialect in DIALECTS:
        dialect.assemble([Chunk("message", value) for value in broken])

    assert repr(broken) == before


@pytest.mark.parametrize("list_key", ["messages", "input", "contents", "tool_outputs"])
def test_depth_breaks_nothing(list_key: str) -> None:
    """Five thousand levels in every place that is read are no recursion."""
    deep: JsonValue = "bottom"
    for _ in range(2_500):
        deep = [{"content": deep, "parts": deep, "tools": deep}]
    body: JsonValue = {list_key: deep, "tools": deep, "system": deep}

    for dialect in DIALECTS:
        dialect.tools(body)
        messages = dialect.history(body)
        assert len(messages) <= 2


def messages_of(body: JsonValue) -> Iterator[tuple[Any, dict[str, JsonValue]]]:
    return objects(member(body, "messages"))


def _broken(value: JsonValue, data: st.DataObject) -> JsonValue:
    """The value with something else in a place that is drawn; possibly the whole of it."""
    keys = (
        list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    )
    key = data.draw(st.sampled_from([None, *keys]))
    if key is None:
        return data.draw(ANYTHING | st.just(value))
    if isinstance(value, dict):
        return {**value, str(key): _broken(value[str(key)], data)}
    assert isinstance(value, list)
    assert isinstance(key, int)
    return [*value[:key], _broken(value[key], data), *value[key + 1 :]]
