"""Anthropic's messages: blocks, the provider's own tools, events as one message."""

from typing import Any

import pytest

from amberfork_cli.core.dialects.anthropic import DIALECT
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
from amberfork_cli.core.tape import JsonValue


def test_a_message_may_hold_several_calls_and_several_results() -> None:
    """A message of nothing but results is the tools' own; with words beside them it is the user's."""
    first = tool_call(1, 1, "toolu_1", "f", {"x": 1})
    second = tool_call(1, 2, "toolu_2", "g", {})

    history = DIALECT.history(
        {
            "system": [{"type": "text", "text": "Be brief."}],
            "messages": [
                {"role": "user", "content": "hi"},
                {
                    "role": "assistant",
                    "content": [
                        {"type": "thinking", "thinking": "hm", "signature": "x"},
                        tool_use("toolu_1", "f", {"x": 1}),
                        tool_use("toolu_2", "g", {}),
                    ],
                },
                {"role": "user", "content": [tool_result("toolu_2", "2"), tool_result("toolu_1", "1")]},
                {"role": "user", "content": [tool_result("toolu_1", "1"), {"type": "text", "text": "go on"}]},
            ],
        }
    )

    assert history == (
        Message(("system",), Role.SYSTEM, "Be brief."),
        Message(("messages", 0), Role.USER, "hi"),
        Message(("messages", 1), Role.ASSISTANT, calls=(first, second)),
        Message(
            ("messages", 2),
            Role.TOOL,
            results=(result(2, 0, "toolu_2", "2", second), result(2, 1, "toolu_1", "1", first)),
        ),
        Message(("messages", 3), Role.USER, "go on", results=(result(3, 0, "toolu_1", "1", first),)),
    )


@pytest.mark.parametrize(
    ("call_type", "result_type"),
    [
        ("server_tool_use", "web_search_tool_result"),
        ("server_tool_use", "bash_code_execution_tool_result"),
        ("mcp_tool_use", "mcp_tool_result"),
    ],
)
def test_the_providers_calls_and_results_stand_in_one_message(call_type: str, result_type: str) -> None:
    """They are told apart from the user's, and linked."""
    body: JsonValue = {
        "role": "assistant",
        "content": [
            {"type": call_type, "id": "srv_1", "name": "look", "input": {"q": 1}},
            {"type": result_type, "tool_use_id": "srv_1", "content": []},
            {"type": "text", "text": "Found."},
        ],
    }

    reply = DIALECT.reply(body)

    assert reply is not None
    (called,) = reply.calls
    assert (called.path, called.by_provider, reply.text) == (("content", 0), True, "Found.")
    assert reply.results[0].answers == called


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ({"is_error": True}, ResultStatus.FAILED),
        ({"is_error": False}, ResultStatus.OK),
        ({}, ResultStatus.UNSAID),
        ({"content": {"type": "web_search_tool_result_error"}}, ResultStatus.FAILED),
    ],
)
def test_a_result_says_how_its_call_ended(said: dict[str, JsonValue], status: ResultStatus) -> None:
    """By `is_error`, or by the type of what the provider put in."""
    block: JsonValue = {"type": "tool_result", "tool_use_id": "t", "content": "x", **said}

    (message,) = DIALECT.history({"messages": [{"role": "user", "content": [block]}]})

    assert message.results[0].status is status
    assert message.results[0].failed is (status is ResultStatus.FAILED)


def test_tools_the_client_runs_are_told_from_those_of_the_provider() -> None:
    """Anthropic defines some tools that the client has to run all the same."""
    tools = DIALECT.tools(
        {
            "tools": [
                {"name": "f", "description": "F.", "input_schema": {"type": "object"}},
                {"name": "bash", "type": "bash_20250124"},
                {"name": "web_search", "type": "web_search_20250305"},
                {"type": "mcp_toolset", "mcp_server_name": "wiki"},
            ]
        }
    )

    assert tools == (
        ToolDefinition("f", ("tools", 0), "F.", {"type": "object"}),
        ToolDefinition("bash", ("tools", 1)),
        ToolDefinition("web_search", ("tools", 2), by_provider=True),
        ToolDefinition("wiki", ("tools", 3), by_provider=True),
    )


def test_a_call_at_the_token_limit_is_not_complete() -> None:
    """A call is the last thing of a message, so the limit was reached inside it."""
    content: JsonValue = [tool_use("toolu_1", "f", {}), tool_use("toolu_2", "g", {})]

    reply = DIALECT.reply({"role": "assistant", "content": content, "stop_reason": "max_tokens"})

    assert reply is not None
    assert [each.complete for each in reply.calls] == [True, False]


EVENTS: list[Any] = [
    {
        "type": "message_start",
        "message": {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "content": [],
            "stop_reason": None,
        },
    },
    {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
    {"type": "ping"},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "hm"}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "c2ln"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "Look"}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "ing."}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "citations_delta", "citation": {"n": 1}}},
    {
        "type": "content_block_start",
        "index": 2,
        "content_block": {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}},
    },
    {"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": ""}},
    {
        "type": "content_block_delta",
        "index": 2,
        "delta": {"type": "input_json_delta", "partial_json": '{"x"'},
    },
]
REST: list[Any] = [
    {
        "type": "content_block_delta",
        "index": 2,
        "delta": {"type": "input_json_delta", "partial_json": ": 1}"},
    },
    {"type": "content_block_stop", "index": 2},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 9}},
    {"type": "message_stop"},
]


def test_events_spell_the_message() -> None:
    """Thoughts, their seal, words, citations and arguments, each from its own deltas."""
    answer = DIALECT.assemble(chunks([*EVENTS, *REST]))

    assert answer == Assembled(
        {
            "type": "message",
            "role": "assistant",
            "id": "msg_1",
            "stop_reason": "tool_use",
            "usage": {"output_tokens": 9},
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
                {"type": "text", "text": "Looking.", "citations": [{"n": 1}]},
                {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"x": 1}},
            ],
        },
        complete=True,
    )


def test_a_stream_cut_short_leaves_the_text_of_its_arguments() -> None:
    """Half an object is no value: it is shown as it came, and the call is not complete."""
    answer = DIALECT.assemble(chunks(EVENTS))

    assert answer is not None
    reply = DIALECT.reply(answer.body, complete=answer.complete)
    assert reply is not None
    assert [(each.arguments, each.complete) for each in reply.calls] == [('{"x"', False)]


def test_a_stream_that_ends_in_an_error_is_not_complete() -> None:
    """The provider says why."""
    error: JsonValue = {"type": "error", "error": {"type": "overloaded_error"}}

    answer = DIALECT.assemble(chunks([*EVENTS, error]))

    assert answer is not None
    assert not answer.complete


def tool_use(call_id: str, name: str, arguments: JsonValue) -> dict[str, JsonValue]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def tool_result(call_id: str, content: JsonValue) -> dict[str, JsonValue]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content}


def tool_call(message: int, block: int, call_id: str, name: str, arguments: JsonValue) -> ToolCall:
    path = ("messages", message, "content", block)
    return ToolCall(call_id, name, arguments, path, (*path, "input"))


def result(message: int, block: int, call_id: str, content: JsonValue, answers: ToolCall) -> ToolResult:
    path = ("messages", message, "content", block)
    return ToolResult(call_id, content, path, (*path, "content"), answers=answers)


def chunks(events: list[JsonValue]) -> list[Chunk]:
    return [Chunk("message", event) for event in events]
