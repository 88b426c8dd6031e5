"""Cohere's chat, version 2: what differs from OpenAI's."""

from amberfork_cli.core.dialects.cohere_v2 import DIALECT
from amberfork_cli.core.dialects.model import Assembled, Chunk, Message, Role, ToolCall, ToolResult
from amberfork_cli.core.tape import JsonValue

CALL: JsonValue = {"id": "f_1", "type": "function", "function": {"name": "f", "arguments": '{"x":1}'}}


def test_coheres_plan_is_what_the_model_says() -> None:
    """Before its calls it says what it will do; results are documents."""
    called = ToolCall(
        "f_1",
        "f",
        '{"x":1}',
        ("messages", 0, "tool_calls", 0),
        ("messages", 0, "tool_calls", 0, "function", "arguments"),
    )
    content: JsonValue = [{"type": "document", "document": {"data": "1"}}]

    history = DIALECT.history(
        {
            "messages": [
                {"role": "assistant", "tool_plan": "I look.", "tool_calls": [CALL]},
                {"role": "tool", "tool_call_id": "f_1", "content": content},
            ]
        }
    )

    path = ("messages", 1)
    answer = ToolResult("f_1", content, path, (*path, "content"), answers=called)
    assert history == (
        Message(("messages", 0), Role.ASSISTANT, "I look.", calls=(called,)),
        Message(path, Role.TOOL, results=(answer,)),
    )


COHERE: list[JsonValue] = [
    {"type": "message-start", "id": "m1", "delta": {"message": {"role": "assistant", "content": []}}},
    {"type": "tool-plan-delta", "delta": {"message": {"tool_plan": "I "}}},
    {"type": "tool-plan-delta", "delta": {"message": {"tool_plan": "look."}}},
    {
        "type": "tool-call-start",
        "index": 0,
        "delta": {
            "message": {
                "tool_calls": {"id": "f_1", "type": "function", "function": {"name": "f", "arguments": ""}}
            }
        },
    },
    {
        "type": "tool-call-delta",
        "index": 0,
        "delta": {"message": {"tool_calls": {"function": {"arguments": '{"x":'}}}},
    },
    {
        "type": "tool-call-delta",
        "index": 0,
        "delta": {"message": {"tool_calls": {"function": {"arguments": "1}"}}}},
    },
    {"type": "tool-call-end", "index": 0},
]
COHERE_END: JsonValue = {"type": "message-end", "delta": {"finish_reason": "TOOL_CALL", "usage": {}}}


def test_coheres_events_spell_its_answer() -> None:
    """Plan and calls, each from its own deltas."""
    answer = DIALECT.assemble(chunks([*COHERE, COHERE_END]))

    assert answer == Assembled(
        {
            "id": "m1",
            "message": {"role": "assistant", "tool_plan": "I look.", "tool_calls": [CALL]},
            "finish_reason": "TOOL_CALL",
            "usage": {},
        },
        complete=True,
    )


def test_coheres_stream_cut_short_is_not_complete() -> None:
    """It has no `message-end`."""
    answer = DIALECT.assemble(chunks(COHERE))

    assert answer is not None
    assert not answer.complete


def test_coheres_call_at_the_token_limit_is_not_complete() -> None:
    """Its reason for finishing says so."""
    body: JsonValue = {"message": {"role": "assistant", "tool_calls": [CALL]}, "finish_reason": "MAX_TOKENS"}

    reply = DIALECT.reply(body)

    assert reply is not None
    assert [call.complete for call in reply.calls] == [False]


def chunks(values: list[JsonValue]) -> list[Chunk]:
    return [Chunk("message", value) for value in values]
