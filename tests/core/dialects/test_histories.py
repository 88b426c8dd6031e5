"""Histories as they grow: known again by their objects, each message looked at once."""

import copy
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amberfork_cli.core.dialects import DIALECTS, dialect_of, ledger
from amberfork_cli.core.dialects.calls import result_places, tool_turns
from amberfork_cli.core.dialects.histories import Elements, Histories
from amberfork_cli.core.dialects.recognition import Recogniser
from amberfork_cli.core.dialects.shapes import elements, member_at
from amberfork_cli.core.jsontext import dumps
from amberfork_cli.core.tape import Body, Exchange, JsonValue, Request, Response

PIECES: list[JsonValue] = [
    {"role": "user", "content": "go"},
    {"role": "user", "content": [{"type": "text", "text": "go"}]},
    {"role": "user", "content": [{"type": "text", "text": "go", "cache_control": {"type": "ephemeral"}}]},
    {"role": "user", "content": [{"text": "untyped"}]},
    {"role": "assistant", "content": "yes"},
    {"role": "assistant", "tool_plan": "first f", "content": None},
    {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{}"}}]},
    {"role": "assistant", "tool_calls": [{"id": "b", "function": {"name": "f", "arguments": '{"x": 1}'}}]},
    {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": {"x": 1.0}}}]},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "1"}]},
    {"role": "tool", "tool_call_id": "a", "content": "1"},
    {"role": "tool", "tool_call_id": "b", "content": "2"},
    {"role": "tool", "content": [{"type": "document", "document": {}}]},
    "a text",
    None,
]


@st.composite
def runs(draw: st.DrawFn) -> list[Exchange]:
    """Conversations that grow, are gone back in and interleave; what is repeated is the same objects."""
    conversations: list[list[JsonValue]] = [[] for _ in range(draw(st.integers(1, 3)))]
    exchanges = []
    for number in range(draw(st.integers(1, 8))):
        at = draw(st.integers(0, len(conversations) - 1))
        kept = draw(st.one_of(st.just(99), st.integers(0, 4)))
        added = draw(st.lists(st.sampled_from(PIECES), min_size=1, max_size=3))
        conversations[at] = [*conversations[at][:kept], *copy.deepcopy(added)]
        path = draw(st.sampled_from(["", "/v1/messages", "/v1/chat/completions"]))
        exchanges.append(exchange(number, path, conversations[at], draw(st.sampled_from([None, *PIECES]))))
    return exchanges


@given(runs())
@settings(max_examples=200, deadline=None)
def test_what_is_known_by_its_objects_is_what_says_the_same(run: list[Exchange]) -> None:
    """The same turns and places whether objects are shared or copied, or what is written is compared."""
    copies = [copied(each) for each in run]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ledger._History, "begins_with", begins_in_writing)
        plain = tool_turns(copies), list(result_places(copies))

    assert (tool_turns(run), list(result_places(run))) == plain
    assert (tool_turns(copies), list(result_places(copies))) == plain


@given(runs())
@settings(max_examples=100, deadline=None)
def test_a_shape_is_told_as_of_a_request_alone(run: list[Exchange]) -> None:
    """A message that was looked at before counts as if it were looked at now."""
    recogniser = Recogniser()

    told = [recogniser.recognise(each.request.path, body(each)).dialect for each in run]

    assert told == [dialect_of(each.request.path, body(each)) for each in run]


@given(
    st.dictionaries(
        st.sampled_from(["toolResponse", "tool_response", "client_content", "messages"]),
        st.one_of(
            st.lists(st.sampled_from(PIECES), max_size=3),
            st.sampled_from(PIECES),
            st.builds(lambda turns: {"turns": turns}, st.lists(st.sampled_from(PIECES), max_size=3)),
        ),
    )
)
def test_elements_are_a_sequence_of_what_stands_in_the_lists(held: dict[str, Any]) -> None:
    """By number from either end, in slices and one after another: the same elements with the same paths."""
    for dialect in DIALECTS:
        found = dialect.elements(held)

        each = [pair for path in dialect.list_paths for pair in elements(member_at(held, path), path)]
        assert list(found) == each
        assert [found[at] for at in range(len(found))] == each
        assert [found[-at] for at in range(1, len(found) + 1)] == each[::-1]
        assert list(found[1:]) == each[1:]
        assert found.values == [value for _, value in each]


@pytest.mark.parametrize(
    ("held", "member"),
    [
        ({"messages": [1]}, "messages"),
        ({"messages": {"role": "user"}}, None),
        ({"messages": [1], "more": [2]}, None),
        ({}, None),
    ],
)
def test_the_member_is_told_that_holds_them_all(held: JsonValue, member: str | None) -> None:
    """Where it is one list, what stands around it can be looked at without it."""
    assert Elements(held, (("messages",), ("more",))).member == member


def test_the_longest_history_is_gone_on_from() -> None:
    """A history that begins with two others goes on from the longer one; an equal message is no same one."""
    one: JsonValue
    two: JsonValue
    three: JsonValue
    equal: JsonValue
    one, two, three, equal = {"n": 1}, {"n": 2}, {"n": 3}, {"n": 1}
    kept: Histories[list[str]] = Histories(list)

    kept.of([one])[0].append("first")
    kept.of([one, two], key="other key")[0].append("second")
    kept.of([equal])[0].append("third")

    assert kept.of([one, two, three]) == (["first"], 1)
    assert kept.of([one, two, three], key="other key") == (["second"], 2)
    assert kept.of([one, two]) == ([], 0)
    assert kept.of([]) == ([], 0)


def begins_in_writing(history: Any, known: list[JsonValue], _: object) -> bool:
    """Whether a history begins with messages that are written as those known, but for cache hints."""
    values = history.elements.values[: len(known)]
    return bool(known) and written(values) == written(known)


def written(value: JsonValue) -> bytes:
    if isinstance(value, dict):
        return dumps(
            [[name, written(held).decode()] for name, held in value.items() if name != "cache_control"]
        )
    return dumps([written(each).decode() for each in value] if isinstance(value, list) else value)


def exchange(number: int, path: str, messages: list[JsonValue], reply: JsonValue) -> Exchange:
    response = None
    if isinstance(reply, dict):
        response = Response(200, (), Body.json({"choices": [{"message": copy.deepcopy(reply)}]}))
    request = Request("POST", path, (), Body.json({"messages": messages.copy()}))
    return Exchange(number, request, response)


def copied(each: Exchange) -> Exchange:
    """The same exchange, none of its messages shared with others."""
    request = replace(each.request, body=Body.json(copy.deepcopy(body(each))))
    return replace(each, request=request)


def body(each: Exchange) -> JsonValue:
    value = each.request.body.value
    assert not isinstance(value, bytes)
    return value
