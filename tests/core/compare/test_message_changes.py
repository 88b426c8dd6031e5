"""The changes of one message, put to the calls and results that they are in."""

from typing import Any

import pytest
from chat_bodies import chat, result

from amberfork_cli.core.compare.bodies import findings
from amberfork_cli.core.compare.finding import Finding
from amberfork_cli.core.compare.reading import read

Json = Any


def asked(*calls: tuple[str, Json]) -> Json:
    """A request in which the model makes those calls, in Anthropic's shape."""
    blocks = [
        {"type": "tool_use", "id": f"t{at}", "name": name, "input": given}
        for at, (name, given) in enumerate(calls)
    ]
    said = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": blocks}]
    return {"model": "m", "max_tokens": 1, "messages": said}


def calls_of(found: list[Finding]) -> list[tuple[str | None, str | None]]:
    """The names of the calls of each finding, on both sides."""
    return [tuple(call and call.name for call in finding.calls) for finding in found]  # type: ignore[misc]


@pytest.mark.parametrize(
    ("recorded", "reissued", "names"),
    [
        ([("f", {"a": 1})], [("f", {"a": 1, "b": 2})], [("f", "f")]),
        ([("f", {"a": 1, "b": 2})], [("f", {"a": 1})], [("f", "f")]),
        ([("f", {"a": 1})], [("f", {"a": 1}), ("g", {})], [(None, "g")]),
        ([("f", {"a": 1}), ("g", {})], [("g", {})], [("f", None)]),
        ([("f", {"a": 1})], [("g", {"a": 1, "b": 2})], [("f", "g")]),
    ],
)
def test_a_call_that_both_sides_make_is_on_both(recorded: Json, reissued: Json, names: Json) -> None:
    """An argument that only one side has makes no new call, and a new call makes no new argument."""
    assert calls_of(findings(read(asked(*recorded)), read(asked(*reissued)))) == names


@pytest.mark.parametrize(("recorded", "reissued"), [({"a": 1}, {}), ({}, {"a": 1})])
def test_a_message_that_is_a_call_is_one_on_both_sides(recorded: Json, reissued: Json) -> None:
    """Items of the Responses API hold one each, some with arguments that are no text."""
    old, new = (
        {"input": [{"type": "tool_search_call", "call_id": "c", "arguments": arguments}]}
        for arguments in (recorded, reissued)
    )

    assert calls_of(findings(read(old), read(new))) == [("tool_search", "tool_search")]


def test_a_call_in_front_of_one_that_changed_is_told_apart_from_it() -> None:
    """They are not one change because both are the first of their side."""
    old, new = asked(("f", {"a": 1, "b": 1})), asked(("g", {"x": []}), ("f", {"a": 1, "b": 2}))

    found = findings(read(old), read(new))

    assert sorted(calls_of(found), key=str) == [("f", "f"), (None, "g")]


def test_a_member_of_a_result_that_came_is_told_with_its_result() -> None:
    """And not with one that stands at its position on the other side."""
    call = {"id": "c0", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    said = {"role": "assistant", "content": None, "tool_calls": [call]}

    (finding,) = findings(read(chat(said, result(0, "x"))), read(chat(said, {**result(0, "x"), "name": "f"})))

    assert finding.result is not None
    assert finding.result.name == "f"


def test_a_call_that_carries_its_result_is_told_by_what_changed_of_it() -> None:
    """What the provider ran itself is one item."""

    def ran(arguments: str, output: str) -> Json:
        item = {"type": "mcp_call", "id": "m", "name": "f", "arguments": arguments, "output": output}
        return {"input": [{"role": "user", "content": "Go."}, item]}

    sides = ran('{"a": 1}', "x"), ran('{"a": 2}', "x"), ran('{"a": 1}', "y"), ran('{"a": 2}', "y")

    told = [findings(read(sides[0]), read(other)) for other in sides[1:]]

    assert [[(calls_of([one])[0], one.result is not None) for one in found] for found in told] == [
        [(("f", "f"), False)],
        [((None, None), True)],
        [(("f", "f"), False), ((None, None), True)],
    ]
