"""Gemini and Vertex: both spellings, with and without IDs, streamed and live."""

import pytest

from amberfork_cli.core.dialects.gemini import DIALECT
from amberfork_cli.core.dialects.model import (
    Assembled,
    Chunk,
    Message,
    ResultStatus,
    Role,
    ToolCall,
    ToolDefinition,
)
from amberfork_cli.core.tape import JsonValue


@pytest.mark.parametrize(
    ("call_key", "result_key", "prompt_key"),
    [
        ("functionCall", "functionResponse", "systemInstruction"),
        ("function_call", "function_response", "system_instruction"),
    ],
)
def test_calls_without_ids_are_answered_by_name_and_order(
    call_key: str, result_key: str, prompt_key: str
) -> None:
    """In both spellings; what has one name is answered in order."""
    paths = [("contents", 1, "parts", index, call_key) for index in range(3)]
    calls = [
        ToolCall(None, name, {"n": number}, path, (*path, "args"))
        for (name, number), path in zip((("f", 1), ("g", 2), ("f", 3)), paths, strict=True)
    ]

    history = DIALECT.history(
        {
            prompt_key: {"parts": [{"text": "Be brief."}]},
            "contents": [
                {"parts": [{"text": "hi"}]},
                {
                    "role": "model",
                    "parts": [{call_key: {"name": c.name, "args": c.arguments}} for c in calls],
                },
                {
                    "role": "user",
                    "parts": [{result_key: {"name": n, "response": {"output": n}}} for n in ("g", "f", "f")],
                },
            ],
        }
    )

    assert history[:3] == (
        Message((prompt_key,), Role.SYSTEM, "Be brief."),
        Message(("contents", 0), Role.USER, "hi"),
        Message(("contents", 1), Role.ASSISTANT, calls=tuple(calls)),
    )
    assert history[3].role is Role.TOOL
    assert [(each.name, each.answers) for each in history[3].results] == [
        ("g", calls[1]),
        ("f", calls[0]),
        ("f", calls[2]),
    ]


def test_results_with_ids_go_by_them() -> None:
    """Whatever their order."""
    called, answered = DIALECT.history(
        {
            "contents": [
                {"role": "model", "parts": [{"functionCall": {"id": i, "name": "f"}} for i in ("a", "b")]},
                {
                    "role": "user",
                    "parts": [
                        {"functionResponse": {"id": i, "name": "f", "response": {}}} for i in ("b", "a")
                    ],
                },
            ]
        }
    )

    assert [each.answers for each in answered.results] == [called.calls[1], called.calls[0]]


def test_lone_objects_stand_for_lists_of_one() -> None:
    """The servers read them so; a plain string is the user's."""
    one = DIALECT.history({"contents": {"role": "user", "parts": {"text": "hi"}}})
    other = DIALECT.history({"contents": "hi"})

    assert one == other == (Message(("contents",), Role.USER, "hi"),)


def test_thoughts_are_no_words_of_the_model() -> None:
    """They are marked as such."""
    parts: JsonValue = [{"text": "hm", "thought": True}, {"text": "Yes."}]

    reply = DIALECT.reply({"candidates": [{"content": {"parts": parts}}]})

    assert reply == Message(("candidates", 0, "content"), Role.ASSISTANT, "Yes.")


@pytest.mark.parametrize(
    ("response", "status"),
    [({"error": "no"}, ResultStatus.FAILED), ({"error": None, "output": 1}, ResultStatus.UNSAID)],
)
def test_a_response_that_is_an_error_failed(response: JsonValue, status: ResultStatus) -> None:
    """By the convention of the API: `error` in the place of `output`."""
    part: JsonValue = {"functionResponse": {"name": "f", "response": response}}

    (message,) = DIALECT.history({"contents": [{"role": "user", "parts": [part]}]})

    assert message.results[0].status is status


def test_code_and_searches_are_the_providers() -> None:
    """Each is answered in the same content: code by order, the others by their IDs."""
    parts: JsonValue = [
        {"executableCode": {"language": "PYTHON", "code": "1 + 1"}},
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "2"}},
        {"toolCall": {"id": "s1", "toolType": "GOOGLE_SEARCH_WEB", "args": {"queries": ["q"]}}},
        {"toolResponse": {"id": "s1", "toolType": "GOOGLE_SEARCH_WEB", "response": {}}},
        {"codeExecutionResult": {"outcome": "OUTCOME_FAILED", "output": "no"}},
    ]

    reply = DIALECT.reply({"candidates": [{"content": {"parts": parts}}]})

    assert reply is not None
    code, search = reply.calls
    assert (code.name, code.arguments, code.by_provider) == ("code_execution", "1 + 1", True)
    assert (search.name, search.arguments, search.by_provider) == (
        "GOOGLE_SEARCH_WEB",
        {"queries": ["q"]},
        True,
    )
    assert [(each.answers, each.status) for each in reply.results] == [
        (code, ResultStatus.OK),
        (search, ResultStatus.UNSAID),
        (None, ResultStatus.FAILED),
    ]


def test_arguments_that_vertex_streams_in_parts_are_not_complete() -> None:
    """They are not put together, so the call must not be run."""
    part: JsonValue = {
        "functionCall": {"name": "f", "partialArgs": [{"jsonPath": "$.x"}], "willContinue": True}
    }

    reply = DIALECT.reply({"candidates": [{"content": {"parts": [part]}}]})

    assert reply is not None
    assert [each.complete for each in reply.calls] == [False]


def test_tools_are_functions_and_the_providers_own() -> None:
    """Schemas in each of the three places where clients put them."""
    schema: JsonValue = {"type": "OBJECT"}

    tools = DIALECT.tools(
        {
            "tools": [
                {
                    "functionDeclarations": [
                        {"name": "f", "description": "F.", "parameters": schema},
                        {"name": "g", "parametersJsonSchema": schema},
                    ]
                },
                {"function_declarations": [{"name": "h", "parameters_json_schema": schema}]},
                {"googleSearch": {}},
            ]
        }
    )

    assert tools == (
        ToolDefinition("f", ("tools", 0, "functionDeclarations", 0), "F.", schema),
        ToolDefinition("g", ("tools", 0, "functionDeclarations", 1), "", schema),
        ToolDefinition("h", ("tools", 1, "function_declarations", 0), "", schema),
        ToolDefinition("googleSearch", ("tools", 2, "googleSearch"), by_provider=True),
    )


def test_chunks_spell_one_answer() -> None:
    """Words that follow on each other are one part, thoughts are kept apart, calls come whole."""
    call: JsonValue = {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "s"}

    answer = DIALECT.assemble(
        [
            part_chunk({"text": "h", "thought": True}),
            part_chunk({"text": "m", "thought": True}),
            part_chunk({"text": "Look"}),
            part_chunk({"text": "ing."}, call, finishReason="STOP"),
        ]
    )

    assert answer == Assembled(
        {
            "candidates": [
                {
                    "content": {
                        "parts": [{"text": "hm", "thought": True}, {"text": "Looking."}, call],
                        "role": "model",
                    },
                    "finishReason": "STOP",
                }
            ],
            "modelVersion": "g",
        },
        complete=True,
    )


def test_a_sealed_text_is_at_its_end() -> None:
    """A signature belongs to the words before it; what follows is another part."""
    answer = DIALECT.assemble(
        [
            part_chunk({"text": "a"}),
            part_chunk({"text": "", "thoughtSignature": "s"}),
            part_chunk({"text": "b"}),
        ]
    )

    assert answer is not None
    reply = DIALECT.reply(answer.body, complete=answer.complete)
    assert reply is not None
    assert (reply.text, answer.complete) == ("a\nb", False)


def test_a_blocked_prompt_is_a_whole_answer() -> None:
    """It has no candidate that could finish."""
    feedback: JsonValue = {"promptFeedback": {"blockReason": "SAFETY"}}

    assert DIALECT.assemble([Chunk("message", feedback)]) == Assembled(feedback, complete=True)


def part_chunk(*parts: JsonValue, **rest: JsonValue) -> Chunk:
    content: JsonValue = {"parts": list(parts), "role": "model"}
    return Chunk("message", {"candidates": [{"content": content, **rest}], "modelVersion": "g"})
