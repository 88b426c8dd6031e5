"""Gemini's Live messages: what was sent, and the turn that came back."""

from amberfork_cli.core.dialects import dialect_of
from amberfork_cli.core.dialects.gemini_live import DIALECT
from amberfork_cli.core.dialects.model import Chunk, Message, Role, ToolCall, ToolDefinition, ToolResult
from amberfork_cli.core.tape import JsonValue


def test_live_messages_are_read_by_the_turn() -> None:
    """Calls and words of what came back; results of what was sent."""
    calls: JsonValue = [{"id": "1", "name": "f", "args": {"x": 1}}]
    came_back: list[JsonValue] = [
        {"sessionResumptionUpdate": {"resumable": True}},
        {"serverContent": {"outputTranscription": {"text": "Look"}}},
        {"toolCall": {"functionCalls": calls}},
    ]

    sent = DIALECT.history(
        {"toolResponse": {"functionResponses": [{"id": "1", "name": "f", "response": {}}]}}
    )
    answer = DIALECT.assemble([Chunk("", value) for value in came_back])

    where = ("toolResponse", "functionResponses", 0)
    assert sent == (
        Message(
            ("toolResponse",),
            Role.TOOL,
            results=(ToolResult("1", {}, where, (*where, "response"), name="f"),),
        ),
    )
    assert answer is not None
    path = ("toolCall", "functionCalls", 0)
    assert DIALECT.reply(answer.body, complete=answer.complete) == Message(
        (), Role.ASSISTANT, "Look", calls=(ToolCall("1", "f", {"x": 1}, path, (*path, "args")),)
    )


def test_the_first_message_sets_up_prompt_and_tools() -> None:
    """They hold for all that follow."""
    setup: JsonValue = {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "tools": [{"functionDeclarations": [{"name": "f"}]}],
    }

    history, tools = DIALECT.history({"setup": setup}), DIALECT.tools({"setup": setup})

    assert history == (Message(("setup", "systemInstruction"), Role.SYSTEM, "Be brief."),)
    assert tools == (ToolDefinition("f", ("setup", "tools", 0, "functionDeclarations", 0)),)


def test_the_path_of_the_live_api_tells_it_where_the_body_leaves_it_open() -> None:
    """`BidiGenerateContent` ends like the path of the other API."""
    live = "/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent"
    sent: list[JsonValue] = [{"toolResponse": {}}, {"client_content": {}}, {"anything": 1}]

    dialects = [dialect_of(live, body) for body in sent]

    assert [each and each.name for each in dialects] == ["gemini-live"] * 3


def test_what_is_said_as_it_is_typed_is_the_users() -> None:
    """Audio says nothing that can be read."""
    said: JsonValue = {"realtimeInput": {"text": "Hello?"}}
    heard: JsonValue = {"realtime_input": {"media_chunks": [{"mime_type": "audio/pcm", "data": "AAAA"}]}}

    messages = [*DIALECT.history(said), *DIALECT.history(heard)]

    assert messages == [
        Message(("realtimeInput",), Role.USER, "Hello?"),
        Message(("realtime_input",), Role.USER, ""),
    ]
