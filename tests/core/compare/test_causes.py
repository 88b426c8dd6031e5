"""Why a request differs, in words."""

from typing import Any

import pytest
from chat_bodies import calls, chat, result

from amberfork_cli.core.compare.bodies import findings
from amberfork_cli.core.compare.causes import cause, turn_words
from amberfork_cli.core.compare.reading import read
from amberfork_cli.core.compare.report import Origin, plain
from amberfork_cli.core.dialects.model import ToolCall, ToolResult

Json = Any
ANSWER = {"role": "assistant", "content": "Done."}


def arguments(text: str) -> Json:
    """A message that calls f with those."""
    message = calls("f")
    message["tool_calls"][0]["function"]["arguments"] = text
    return message


def tool(name: str, description: str) -> Json:
    """A tool that is offered."""
    return {"type": "function", "function": {"name": name, "description": description, "parameters": {}}}


CASES: dict[str, tuple[Json, Json, Origin, str]] = {
    "another argument": (
        chat(arguments('{"a": 1, "b": 2, "c": 3}')),
        chat(arguments('{"a": 2, "b": 3, "c": 4}')),
        Origin.MODEL_OUTPUT,
        "the model called f with a=2, not 1, and 2 more arguments",
    ),
    "an argument added": (
        chat(arguments("{}")),
        chat(arguments('{"a": "x"}')),
        Origin.MODEL_OUTPUT,
        'the model called f with a="x" added',
    ),
    "an argument left out": (
        chat(arguments('{"a": 1}')),
        chat(arguments("{}")),
        Origin.MODEL_OUTPUT,
        "the model called f without a",
    ),
    "arguments that are no object": (
        chat(arguments("x")),
        chat(arguments("y")),
        Origin.MODEL_OUTPUT,
        "the model called f with other arguments",
    ),
    "arguments spelled otherwise": (
        chat(arguments('{"a": 1}')),
        chat(arguments('{"a":1}')),
        Origin.MODEL_OUTPUT,
        "the arguments of f are spelled differently",
    ),
    "another answer": (
        chat(ANSWER),
        chat({"role": "assistant", "content": "No."}),
        Origin.MODEL_OUTPUT,
        "the model's answer changed",
    ),
    "a call instead of an answer": (
        chat(ANSWER),
        chat(calls("f")),
        Origin.MODEL_OUTPUT,
        "the model called f() instead of answering",
    ),
    "calls in another order": (
        chat(calls("f", "g")),
        chat(calls("g", "f")),
        Origin.MODEL_OUTPUT,
        "the 2 calls of one turn came in another order",
    ),
    "another result": (
        chat(calls("f"), result(0, "x")),
        chat(calls("f"), result(0, "y")),
        Origin.TOOL_RESULT,
        "the result of f() changed",
    ),
    "a turn for another": (
        chat(calls("f"), result(0, "x")),
        chat({"role": "user", "content": "Stop."}),
        Origin.MODEL_OUTPUT,
        "a turn was dropped: f() and its result",
    ),
    "three calls dropped": (
        chat(calls("f", "g", "h"), *(result(at, "x") for at in range(3))),
        chat(),
        Origin.MODEL_OUTPUT,
        "a turn was dropped: f() and g() and 1 more and their results",
    ),
    "an answer inserted": (chat(), chat(ANSWER), Origin.MODEL_OUTPUT, "an answer of the model was inserted"),
    "a message dropped": (
        chat({"role": "user", "content": "Hi."}),
        chat(),
        Origin.USER_PROMPT,
        "a user's message was dropped",
    ),
    "a system prompt added": (
        {"messages": []},
        {"messages": [], "system": "x", "max_tokens": 1},
        Origin.SYSTEM_PROMPT,
        "the system prompt was added, and max_tokens was added",
    ),
    "a description of tools": (
        chat(tools=[{"type": "function", "function": {"name": "f"}}]),
        chat(tools=[{"type": "function", "function": {"name": "f"}}, 1]),
        Origin.TOOLS,
        "what is said about the tools changed",
    ),
    "many settings": (
        chat(a=1, b=1, c=1, d=1),
        chat(a=2, b=2, c=2, d=2),
        Origin.SETTINGS,
        "a changed from 1 to 2, b from 1 to 2, c from 1 to 2, and 1 more setting",
    ),
    "members of a setting": (
        chat(format={"a": 1, "b": 1}),
        chat(format={"a": 2, "b": 2}),
        Origin.SETTINGS,
        "format changed",
    ),
    "a member of a setting": (
        chat(format={"a": "x"}),
        chat(format={"a": "y"}),
        Origin.SETTINGS,
        "format.a changed from x to y",
    ),
    "settings, then a message": (
        chat(calls("f"), a=1),
        chat(calls("g"), a=2),
        Origin.SETTINGS,
        "a changed from 1 to 2, and the model called g instead of f",
    ),
    "a weak one before a strong one": (
        chat(calls("f"), result(0, "x"), temperature=1),
        chat(calls("f"), result(0, "y"), temperature=1.0),
        Origin.TOOL_RESULT,
        "the result of f() changed",
    ),
    "a turn at another place": (
        chat(calls("f"), result(0, "x"), ANSWER, {"role": "user", "content": "More."}, ANSWER),
        chat(ANSWER, {"role": "user", "content": "More."}, ANSWER, calls("f"), result(0, "x")),
        Origin.MODEL_OUTPUT,
        "a turn came at another place: f() and its result",
    ),
    "a message at another place": (
        chat({"role": "user", "content": "Hi."}, calls("f"), result(0, "x")),
        chat(calls("f"), result(0, "x"), {"role": "user", "content": "Hi."}),
        Origin.USER_PROMPT,
        "a user's message came at another place",
    ),
    "a call dropped here and an answer inserted there": (
        chat(calls("f"), {"role": "user", "content": "Hi."}),
        chat({"role": "user", "content": "Hi."}, ANSWER),
        Origin.MODEL_OUTPUT,
        "the model no longer called f()",
    ),
    "results that answer round about": (
        chat(calls("f", "g", "h"), *(result(at, text) for at, text in enumerate("xyz"))),
        chat(calls("f", "g", "h"), *(result(at, text) for at, text in zip((1, 2, 0), "xyz", strict=True))),
        Origin.TOOL_RESULT,
        "a result answers g(), not f()",
    ),
    "calls that say the same, their results swapped": (
        chat(calls("f", "f"), result(0, "x"), result(1, "y")),
        chat(calls("f", "f"), result(1, "x"), result(0, "y")),
        Origin.TOOL_RESULT,
        "the results of f() of messages[1].tool_calls[0] and f() of messages[1].tool_calls[1] are swapped",
    ),
    "a call that is no longer one of a function": (
        chat(calls("f")),
        chat({**calls("f"), "tool_calls": [{**calls("f")["tool_calls"][0], "index": 0}]}),
        Origin.MODEL_OUTPUT,
        "the model's call of f changed in index",
    ),
    "an answer before a call": (
        chat(ANSWER, {"role": "user", "content": "Go on."}, calls("f")),
        chat({**ANSWER, "content": "No."}, {"role": "user", "content": "Go on."}, calls("g")),
        Origin.MODEL_OUTPUT,
        "the model's answer changed",
    ),
    "spaces in the system prompt": (
        {"system": "Be brief.", "messages": []},
        {"system": "Be  brief.", "messages": []},
        Origin.SYSTEM_PROMPT,
        "the system prompt changed (spaces in 9 characters)",
    ),
    "several parts of the system prompt": (
        {"system": [{"type": "text", "text": text} for text in "ab"], "messages": []},
        {"system": [{"type": "text", "text": text} for text in "cd"], "messages": []},
        Origin.SYSTEM_PROMPT,
        "the system prompt changed at 2 places",
    ),
    "values that differ behind where they are cut": (
        chat(arguments(f'{{"a": "{"x" * 40}1"}}')),
        chat(arguments(f'{{"a": "{"x" * 40}2"}}')),
        Origin.MODEL_OUTPUT,
        "the model called f with another a",
    ),
    "settings that differ behind where they are cut": (
        chat(a="x" * 40 + "1", b=1),
        chat(a="x" * 40 + "2", b=2),
        Origin.SETTINGS,
        "a changed, b changed from 1 to 2",
    ),
    "somebody else says it": (
        chat({"role": "user", "content": "Hi."}),
        chat({"role": "assistant", "content": "Hi."}),
        Origin.MODEL_OUTPUT,
        "the role of a message changed from user to assistant",
    ),
    "values that look alike": (
        chat(a="caf\u00e9", b="x-y"),
        chat(a="cafe\u0301", b="x\u2010y"),
        Origin.SETTINGS,
        "a changed from caf\\u00e9 to cafe\\u0301, b from x-y to x\\u2010y",
    ),
    "tools whose names look alike": (
        chat(tools=[tool("look", "x")]),
        chat(tools=[tool("l\u043eok", "x")]),
        Origin.TOOLS,
        "the tools changed: l\\u043eok added, look removed",
    ),
    "many tools": (
        chat(tools=[tool(name, "x") for name in "abcde"]),
        chat(tools=[tool(name, "y") for name in "abcd"] + [tool(name, "y") for name in "uvwxyz"]),
        Origin.TOOLS,
        "the tools changed: a, b, c and 1 more's description; u, v, w and 3 more added, e removed",
    ),
    "bodies that are no objects": ([1], [2], Origin.BODY, "the body changed"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_change_is_told_as_people_would(case: str) -> None:
    """In words that complete a sentence, and with where it comes from."""
    old, new, origin, words = CASES[case]

    found, told = cause(findings(read(old), read(new)))

    assert (found, plain(told)) == (origin, words)


def test_what_stands_on_the_tape_is_a_piece_of_its_own() -> None:
    """So that Markdown and HTML can quote it."""
    old, new = chat(a="<b>"), chat(a="*x*")

    _, told = cause(findings(read(old), read(new)))

    assert [piece.text for piece in told if piece.quoted] == ["a", "<b>", "*x*"]


def test_turns_are_told_by_their_results_where_nothing_else_is_at_hand() -> None:
    """With the calls that they answer, where those are known."""
    call = ToolCall("c", "f", {"a": 1}, (), ())
    known = ToolResult("c", "x", (), (), answers=call)
    unknown = ToolResult("d", "x", (), ())

    told = [turn_words("was dropped", several) for several in ([known], [known, known], [unknown], [])]

    assert [plain(words) for words in told] == [
        "a turn was dropped: f(a=1) and its result",
        "a turn was dropped: f(a=1) and f(a=1) and their results",
        "a turn was dropped: a tool result",
        "a turn was dropped",
    ]
