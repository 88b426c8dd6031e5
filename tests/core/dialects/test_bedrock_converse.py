"""Bedrock's Converse: blocks by key, and events that carry their names outside or inside."""

from amberfork_cli.core.dialects.bedrock_converse import DIALECT
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


def test_calls_and_results_are_read_by_their_keys() -> None:
    """Each with the path to what hangs under the key, and how it ended."""
    path = ("messages", 1, "content", 1, "toolUse")
    called = ToolCall("t1", "f", {"x": 1}, path, (*path, "input"))
    answered = ("messages", 2, "content", 0, "toolResult")
    failed: JsonValue = {"toolUseId": "t1", "content": [{"json": {"e": 1}}], "status": "error"}

    history = DIALECT.history(
        {
            "system": [{"text": "Be brief."}, {"cachePoint": {"type": "default"}}],
            "messages": [
                {"role": "user", "content": [{"text": "hi"}, {"image": {}}]},
                {
                    "role": "assistant",
                    "content": [
                        {"reasoningContent": {"reasoningText": {"text": "hm"}}},
                        {"toolUse": {"toolUseId": "t1", "name": "f", "input": {"x": 1}}},
                    ],
                },
                {"role": "user", "content": [{"toolResult": failed}]},
            ],
        }
    )

    assert history == (
        Message(("system",), Role.SYSTEM, "Be brief."),
        Message(("messages", 0), Role.USER, "hi"),
        Message(("messages", 1), Role.ASSISTANT, calls=(called,)),
        Message(
            ("messages", 2),
            Role.TOOL,
            results=(
                ToolResult(
                    "t1",
                    [{"json": {"e": 1}}],
                    answered,
                    (*answered, "content"),
                    status=ResultStatus.FAILED,
                    answers=called,
                ),
            ),
        ),
    )


def test_novas_own_tools_are_the_providers() -> None:
    """Call and result stand in one answer, and the tool is offered under another key."""
    content: JsonValue = [
        {"toolUse": {"toolUseId": "t1", "name": "code", "input": {}, "type": "server_tool_use"}},
        {"toolResult": {"toolUseId": "t1", "content": [{"json": 1}], "status": "success"}},
    ]

    reply = DIALECT.reply({"output": {"message": {"role": "assistant", "content": content}}})

    assert reply is not None
    assert reply.calls[0].by_provider
    assert (reply.results[0].answers, reply.results[0].status) == (reply.calls[0], ResultStatus.OK)


def test_tools_are_those_of_the_configuration() -> None:
    """Cache points among them are no tools."""
    spec: JsonValue = {"name": "f", "description": "F.", "inputSchema": {"json": {"type": "object"}}}

    tools = DIALECT.tools(
        {"toolConfig": {"tools": [{"toolSpec": spec}, {"cachePoint": {}}, {"systemTool": {"name": "code"}}]}}
    )

    assert tools == (
        ToolDefinition("f", ("toolConfig", "tools", 0), "F.", {"type": "object"}),
        ToolDefinition("code", ("toolConfig", "tools", 2), by_provider=True),
    )


def test_a_call_at_the_token_limit_is_not_complete() -> None:
    """Unless words followed it."""
    cut: list[JsonValue] = [{"toolUse": {"toolUseId": "t1", "name": "f", "input": {}}}]
    whole: list[JsonValue] = [*cut, {"text": "and"}]

    replies = [
        DIALECT.reply({"output": {"message": {"content": content}}, "stopReason": "max_tokens"})
        for content in (cut, whole)
    ]

    assert [[call.complete for call in reply.calls] for reply in replies if reply is not None] == [
        [False],
        [True],
    ]


EVENTS: list[tuple[str, JsonValue]] = [
    ("messageStart", {"role": "assistant", "p": "abc"}),
    ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"reasoningContent": {"text": "h"}}, "p": "ab"}),
    ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"reasoningContent": {"text": "m"}}}),
    ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"reasoningContent": {"signature": "s"}}}),
    ("contentBlockStop", {"contentBlockIndex": 0}),
    ("contentBlockDelta", {"contentBlockIndex": 1, "delta": {"text": "Look"}}),
    ("contentBlockDelta", {"contentBlockIndex": 1, "delta": {"text": "ing."}}),
    ("contentBlockStart", {"contentBlockIndex": 2, "start": {"toolUse": {"toolUseId": "t1", "name": "f"}}}),
    ("contentBlockDelta", {"contentBlockIndex": 2, "delta": {"toolUse": {"input": '{"x":'}}}),
    ("contentBlockDelta", {"contentBlockIndex": 2, "delta": {"toolUse": {"input": "1}"}}}),
    ("contentBlockStart", {"contentBlockIndex": 3, "start": {"toolUse": {"toolUseId": "t2", "name": "g"}}}),
]
ENDING: list[tuple[str, JsonValue]] = [
    ("messageStop", {"stopReason": "tool_use", "p": "abcd"}),
    ("metadata", {"usage": {"outputTokens": 9}, "p": "a"}),
]
CONTENT: JsonValue = [
    {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "s"}}},
    {"text": "Looking."},
    {"toolUse": {"toolUseId": "t1", "name": "f", "input": {"x": 1}}},
    {"toolUse": {"toolUseId": "t2", "name": "g", "input": {}}},
]


def test_named_and_wrapped_events_spell_the_same_answer() -> None:
    """Converse names its events; through Invoke each hangs under its name; padding is left out."""
    named = [Chunk(name, value) for name, value in (*EVENTS, *ENDING)]
    wrapped = [Chunk("message", {name: value}) for name, value in (*EVENTS, *ENDING)]

    answers = [DIALECT.assemble(named), DIALECT.assemble(wrapped)]

    whole = Assembled(
        {
            "output": {"message": {"role": "assistant", "content": CONTENT}},
            "stopReason": "tool_use",
            "usage": {"outputTokens": 9},
        },
        complete=True,
    )
    assert answers == [whole, whole]


def test_a_stream_cut_short_is_not_complete() -> None:
    """No event said why it stopped."""
    answer = DIALECT.assemble([Chunk(name, value) for name, value in EVENTS])

    assert answer == Assembled(
        {"output": {"message": {"role": "assistant", "content": CONTENT}}}, complete=False
    )
