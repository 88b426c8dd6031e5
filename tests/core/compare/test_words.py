"""How people speak of what stands on a tape."""

from typing import Any

import pytest

from amberfork_cli.core.compare.report import ours, plain, quoted
from amberfork_cli.core.compare.words import (
    call_words,
    content_said,
    cut,
    first_words,
    last_message,
    result_words,
    summary,
    who,
)
from amberfork_cli.core.dialects.model import Message, Role, ToolCall, ToolResult

Json = Any


def call(arguments: Json, name: str = "get_weather") -> ToolCall:
    """A call with those arguments."""
    return ToolCall("c1", name, arguments, (), ())


def result(content: Json, answers: ToolCall | None = None) -> ToolResult:
    """A result that says this."""
    return ToolResult("c1", content, (), (), answers=answers)


CALLS = {
    "an object": ({"city": "Seoul", "days": 2}, 'get_weather(city="Seoul", days=2)'),
    "a JSON text": ('{"city": "Seoul"}', 'get_weather(city="Seoul")'),
    "none": (None, "get_weather()"),
    "an empty text": ("", "get_weather()"),
    "a text that is no JSON": ("Seoul, please", "get_weather(Seoul, please)"),
    "more than fits": ({"city": "Seoul", "text": "x" * 60}, 'get_weather(city="Seoul", …)'),
    "a first one that does not fit": ({"text": "x" * 60}, "get_weather(…)"),
}


@pytest.mark.parametrize("case", CALLS)
def test_a_call_is_its_name_and_what_fits_of_its_arguments(case: str) -> None:
    """In about 48 characters."""
    arguments, words = CALLS[case]

    assert plain(call_words(call(arguments))) == words


def test_what_stands_on_the_tape_is_quoted() -> None:
    """So that no display takes it for its own words."""
    assert call_words(call({"a": 1})) == (quoted("get_weather"), ours("("), quoted("a=1"), ours(")"))


WHO = {
    "a user": (Message((), Role.USER, "Hi"), "user"),
    "calls": (
        Message((), Role.ASSISTANT, calls=(call({}), call({}, "f"), call({}))),
        "assistant calls get_weather, f",
    ),
    "a result": (
        Message((), Role.TOOL, results=(result("x", call({"a": 1})),)),
        "result of get_weather(a=1)",
    ),
    "a result of nothing": (Message((), Role.TOOL, results=(result("x"),)), "tool result"),
    "unknown": (Message((), Role.UNKNOWN), "message"),
    "nobody": (None, ""),
}


@pytest.mark.parametrize("case", WHO)
def test_a_message_is_told_by_who_says_it(case: str) -> None:
    """And by what it calls or answers."""
    message, words = WHO[case]

    assert plain(who(message)) == words


SUMMARIES = {
    "a user": (Message((), Role.USER, "Plan a\n weekend."), "userPlan a weekend."),
    "calls": (
        Message((), Role.ASSISTANT, calls=(call({"a": 1}), call({}))),
        "assistant callsget_weather(a=1), get_weather()",
    ),
    "a result": (Message((), Role.TOOL, results=(result("3 °C"),)), "tool result3 °C"),
    "a part": (
        Message((), Role.TOOL, results=(result([{"type": "text", "text": "3 °C"}]),)),
        "tool result3 °C",
    ),
    "JSON": (Message((), Role.TOOL, results=(result([{"json": {"a": 1}}]),)), 'tool result{"a":1}'),
    "several": (
        Message((), Role.TOOL, results=(result("a"), result("b"), result("c"))),
        "tool resulta and 2 more",
    ),
    "no message": (None, 'message{"odd":1}'),
}


@pytest.mark.parametrize("case", SUMMARIES)
def test_a_whole_message_is_its_kind_and_what_it_says(case: str) -> None:
    """The kind is a piece of its own."""
    message, words = SUMMARIES[case]

    assert plain(summary(message, {"odd": 1})) == words


def test_the_last_message_tells_exchanges_apart() -> None:
    """What was asked, or what was answered."""
    asked, answered = (
        Message((), Role.USER, "Thanks!"),
        Message((), Role.TOOL, results=(result("x", call({})),)),
    )

    assert [plain(last_message(one)) for one in (asked, answered, None)] == [
        '"Thanks!"',
        "result of get_weather()",
        "",
    ]


def test_a_long_text_is_cut_and_the_cut_is_ours() -> None:
    """A sign of a cut never looks like the tape's."""
    assert cut("a b  c d", 5) == (quoted("a b "), ours("…"))
    assert cut("abc", 5) == (quoted("abc"),)
    assert first_words("a\n b\tc") == "a b c"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("x", "x"),
        ([{"text": "x"}], "x"),
        ([{"json": [1]}], [1]),
        ([{"a": 1}], {"a": 1}),
        ([1], [1]),
        ([{"text": "x"}] * 2, [{"text": "x"}] * 2),
    ],
)
def test_a_single_part_says_what_it_holds(content: Json, said: Json) -> None:
    """Whatever shape it has."""
    assert content_said(content) == said


def test_a_result_names_its_call() -> None:
    """Where the call is known."""
    assert plain(result_words(result("x", call({"city": "Seoul"})))) == 'result of get_weather(city="Seoul")'
