"""OpenAI's Realtime events: one sent, and a list of those that came back."""

from amberfork_cli.core.dialects import dialect_of
from amberfork_cli.core.dialects.model import Chunk, Message, Role, ToolDefinition, ToolResult
from amberfork_cli.core.dialects.openai_realtime import DIALECT
from amberfork_cli.core.tape import JsonValue

CALL: JsonValue = {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{}"}


def test_realtime_events_spell_a_response_as_well() -> None:
    """What was sent is one item; what came back ends in `response.done`."""
    done: JsonValue = {"type": "response.done", "response": {"output": [CALL]}}

    history = DIALECT.history({"item": {"type": "function_call_output", "call_id": "call_1", "output": "1"}})
    answer = DIALECT.assemble([Chunk("", done)])

    assert history == (
        Message(("item",), Role.TOOL, results=(ToolResult("call_1", "1", ("item",), ("item", "output")),)),
    )
    assert answer is not None
    reply = DIALECT.reply(answer.body, complete=answer.complete)
    assert reply is not None
    assert [(each.id, each.name, each.complete) for each in reply.calls] == [("call_1", "f", True)]


def test_a_session_sets_up_prompt_and_tools() -> None:
    """They hold until the next update."""
    session: JsonValue = {"instructions": "Be brief.", "tools": [{"type": "function", "name": "f"}]}

    history, tools = DIALECT.history({"session": session}), DIALECT.tools({"session": session})

    assert history == (Message(("session", "instructions"), Role.SYSTEM, "Be brief."),)
    assert tools == (ToolDefinition("f", ("session", "tools", 0)),)


def test_the_websocket_of_responses_is_no_session() -> None:
    """Its `response.create` holds a whole request."""
    create: JsonValue = {"type": "response.create", "input": [{"role": "user", "content": "Hi."}]}

    dialects = [
        dialect_of("/v1/responses", create),
        dialect_of("/v1/responses", {"type": "response.create", "model": "m"}),
        dialect_of("", create),
        dialect_of("/v1/realtime", {"type": "response.create"}),
        dialect_of("", {"type": "response.create", "response": {"instructions": "Be brief."}}),
    ]

    assert [each and each.name for each in dialects] == ["openai-responses"] * 3 + ["openai-realtime"] * 2


def test_what_was_spoken_is_its_transcript() -> None:
    """Of the user as of the model."""
    said: JsonValue = [{"type": "output_audio", "transcript": "Yes."}]

    reply = DIALECT.reply(
        {"output": [{"type": "message", "role": "assistant", "content": said}]}, complete=True
    )

    assert reply is not None
    assert reply.text == "Yes."
