"""OpenAI's chat completions: what is read of a request, an answer and a stream."""

from typing import Any

from amberfork_cli.core.dialects.model import (
    DONE,
    Assembled,
    Chunk,
    Message,
    Role,
    ToolCall,
    ToolDefinition,
    ToolResult,
)
from amberfork_cli.core.dialects.openai_chat import DIALECT
from amberfork_cli.core.tape import JsonValue


def test_a_history_is_one_message_an_element_with_its_results_linked() -> None:
    """Roles, words, calls and results, each with the path to where it stands."""
    weather = ToolCall(
        "call_1",
        "get_weather",
        '{"city": "Seoul"}',
        ("messages", 2, "tool_calls", 0),
        ("messages", 2, "tool_calls", 0, "function", "arguments"),
    )
    patch = ToolCall(
        "call_2",
        "patch",
        "*** Begin",
        ("messages", 2, "tool_calls", 1),
        ("messages", 2, "tool_calls", 1, "custom", "input"),
    )

    history = DIALECT.history(
        {
            "messages": [
                {"role": "developer", "content": [{"type": "text", "text": "Be brief."}]},
                {"role": "user", "content": [{"type": "text", "text": "Look:"}, {"type": "image_url"}]},
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [
                        call("call_1", "get_weather", '{"city": "Seoul"}'),
                        {"id": "call_2", "type": "custom", "custom": {"name": "patch", "input": "*** Begin"}},
                    ],
                },
                {"role": "tool", "tool_call_id": "call_2", "content": "done"},
                {"role": "tool", "tool_call_id": "call_1", "content": [{"type": "text", "text": "sunny"}]},
            ]
        }
    )

    assert history == (
        Message(("messages", 0), Role.SYSTEM, "Be brief."),
        Message(("messages", 1), Role.USER, "Look:"),
        Message(("messages", 2), Role.ASSISTANT, calls=(weather, patch)),
        Message(("messages", 3), Role.TOOL, "done", results=(result(3, "call_2", "done", patch),)),
        Message(
            ("messages", 4),
            Role.TOOL,
            "sunny",
            results=(result(4, "call_1", [{"type": "text", "text": "sunny"}], weather),),
        ),
    )


def test_the_older_function_call_is_linked_by_its_name() -> None:
    """It has no ID, and its result has the role `function`."""
    history = DIALECT.history(
        {
            "messages": [
                {"role": "assistant", "function_call": {"name": "f", "arguments": "{}"}},
                {"role": "function", "name": "f", "content": "1"},
            ]
        }
    )

    (declared,) = history[0].calls
    assert declared == ToolCall(
        None, "f", "{}", ("messages", 0, "function_call"), ("messages", 0, "function_call", "arguments")
    )
    assert history[1].results[0].answers == declared


def test_an_empty_function_call_is_none() -> None:
    """Some hosts fill every member that the shape has, with nothing in it."""
    body: JsonValue = {
        "messages": [
            {"role": "assistant", "function_call": {"name": "", "arguments": ""}, "tool_calls": None}
        ]
    }

    assert DIALECT.history(body) == (Message(("messages", 0), Role.ASSISTANT),)


def test_a_call_without_a_type_or_an_id_is_read_by_what_it_holds() -> None:
    """Mistral's calls have no type; some servers' have no ID."""
    body: JsonValue = {
        "messages": [
            {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": {"x": 1}}}]}
        ]
    }

    ((only,),) = (message.calls for message in DIALECT.history(body))

    assert (only.id, only.name, only.arguments) == (None, "f", {"x": 1})


def test_tools_of_three_generations_and_the_hosts_own() -> None:
    """Each with its name, words and schema, in the order of the request."""
    schema: JsonValue = {"type": "object"}

    tools = DIALECT.tools(
        {
            "tools": [
                {"type": "function", "function": {"name": "f", "description": "F.", "parameters": schema}},
                {"type": "custom", "custom": {"name": "g"}},
                {"type": "web_search"},
                "no tool",
            ],
            "functions": [{"name": "h", "parameters": schema}],
        }
    )

    assert tools == (
        ToolDefinition("f", ("tools", 0), "F.", schema),
        ToolDefinition("g", ("tools", 1)),
        ToolDefinition("web_search", ("tools", 2), by_provider=True),
        ToolDefinition("h", ("functions", 0), "", schema),
    )


def test_the_first_choice_is_the_reply() -> None:
    """Other choices were not taken."""
    choices: list[JsonValue] = [
        {"message": {"role": "assistant", "content": "yes"}, "finish_reason": "stop"},
        {"message": {"role": "assistant", "content": "no"}, "finish_reason": "stop"},
    ]

    assert DIALECT.reply({"choices": choices}) == Message(("choices", 0, "message"), Role.ASSISTANT, "yes")


def test_the_last_call_before_the_token_limit_is_not_complete() -> None:
    """The model had no room to finish it; those before it are whole."""
    message: JsonValue = {"role": "assistant", "tool_calls": [call("1", "f", "{}"), call("2", "g", '{"x"')]}

    reply = DIALECT.reply({"choices": [{"message": message, "finish_reason": "length"}]})

    assert reply is not None
    assert [each.complete for each in reply.calls] == [True, False]


def test_an_error_is_no_reply() -> None:
    """What a provider refused was not answered."""
    assert DIALECT.reply({"error": {"message": "no"}}) is None


def test_interleaved_pieces_of_several_calls_are_told_apart_by_index() -> None:
    """Names and IDs come once, arguments in pieces; the body is the one without streaming."""
    answer = assembled(
        {"role": "assistant", "content": None},
        {"tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": named("f")}]},
        {"tool_calls": [{"index": 1, "id": "call_2", "type": "function", "function": named("g")}]},
        {"tool_calls": [{"index": 1, "function": {"arguments": '{"y":'}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": '{"x":'}}]},
        {
            "tool_calls": [
                {"index": 0, "function": {"arguments": "1}"}},
                {"index": 1, "function": {"arguments": "2}"}},
            ]
        },
        finish="tool_calls",
    )

    assert answer == Assembled(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "model": "m",
            "choices": [
                {
                    "index": 0,
                    "message": {
                        "role": "assistant",
                        "content": None,
                        "tool_calls": [call("call_1", "f", '{"x":1}'), call("call_2", "g", '{"y":2}')],
                    },
                    "finish_reason": "tool_calls",
                }
            ],
        },
        complete=True,
    )


def test_calls_that_all_have_the_index_0_are_told_apart_by_their_ids() -> None:
    """As Gemini's OpenAI endpoint sends them: each whole, all numbered 0."""
    answer = assembled(
        {"role": "assistant", "tool_calls": [{"index": 0, **call("a", "f", "{}")}]},
        {"role": "assistant", "tool_calls": [{"index": 0, **call("b", "g", "{}")}]},
        finish="tool_calls",
    )

    assert message_of(answer) == {
        "role": "assistant",
        "tool_calls": [call("a", "f", "{}"), call("b", "g", "{}")],
    }


def test_roles_and_names_that_every_piece_repeats_are_written_once() -> None:
    """Ollama and others send them with each piece."""
    answer = assembled(
        {"role": "assistant", "content": "It is ", "reasoning": "h"},
        {"role": "assistant", "content": "sunny", "reasoning": "m"},
        finish="stop",
    )

    assert message_of(answer) == {"role": "assistant", "content": "It is sunny", "reasoning": "hm"}


def test_each_choice_is_put_together_by_itself() -> None:
    """Their pieces come mixed."""
    chunks = [
        Chunk("message", {"choices": [{"index": index, "delta": {"content": text}}]})
        for index, text in ((0, "a"), (1, "x"), (0, "b"), (1, "y"))
    ]

    answer = DIALECT.assemble([*chunks, Chunk("message", DONE)])

    assert answer == Assembled(
        {
            "choices": [
                {"index": 0, "message": {"content": "ab"}, "finish_reason": None},
                {"index": 1, "message": {"content": "xy"}, "finish_reason": None},
            ]
        },
        complete=True,
    )


def test_a_stream_that_stops_early_is_not_complete() -> None:
    """Neither a reason to finish nor `[DONE]`: what is there is kept, and its calls are not complete."""
    pieces = {"tool_calls": [{"index": 0, **call("call_1", "f", '{"x"')}]}

    answer = assembled(pieces, finish=None)

    assert answer is not None
    assert not answer.complete
    reply = DIALECT.reply(answer.body, complete=answer.complete)
    assert reply is not None
    assert [(each.arguments, each.complete) for each in reply.calls] == [('{"x"', False)]


def test_a_stream_that_ends_in_an_error_is_not_complete() -> None:
    """The host gave up in the middle, and said so."""
    chunks = [chunk({"content": "It"}), Chunk("message", {"error": {"message": "overloaded"}})]

    answer = DIALECT.assemble(chunks)

    assert answer is not None
    assert not answer.complete


def call(call_id: str, name: str, arguments: str) -> dict[str, JsonValue]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def named(name: str) -> dict[str, JsonValue]:
    return {"name": name, "arguments": ""}


def result(index: int, call_id: str, content: JsonValue, answers: ToolCall) -> ToolResult:
    path = ("messages", index)
    return ToolResult(call_id, content, path, (*path, "content"), answers=answers)


def chunk(delta: JsonValue, finish: str | None = None) -> Chunk:
    choice: JsonValue = {"index": 0, "delta": delta, "finish_reason": finish}
    return Chunk(
        "message",
        {"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "m", "choices": [choice]},
    )


def assembled(*deltas: JsonValue, finish: str | None) -> Assembled | None:
    return DIALECT.assemble([*map(chunk, deltas), chunk({}, finish)])


def message_of(answer: Assembled | None) -> Any:
    assert answer is not None
    body: Any = answer.body
    return body["choices"][0]["message"]
