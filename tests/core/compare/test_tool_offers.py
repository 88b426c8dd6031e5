"""The tools that two requests offer."""

from typing import Any

import pytest

from amberfork_cli.core.compare.report import MISSING, Difference, Kind, Spot, ours, plain
from amberfork_cli.core.compare.tool_offers import tool_members, tool_spots
from amberfork_cli.core.dialects import dialect_of

Json = Any


def chat(*tools: Json) -> Json:
    """A chat request that offers those."""
    return {"model": "m", "messages": [{"role": "user", "content": "Go."}], "tools": list(tools)}


def function(name: str, **more: Json) -> Json:
    """A function in OpenAI's shape."""
    return {"type": "function", "function": {"name": name, "parameters": {"type": "object"}, **more}}


def gemini(*groups: Json) -> Json:
    """A Gemini request that offers those groups."""
    return {"contents": [{"role": "user", "parts": [{"text": "Go."}]}], "tools": list(groups)}


def bedrock(*names: str, **more: Json) -> Json:
    """A Converse request that offers tools of those names."""
    tools = [{"toolSpec": {"name": name, "inputSchema": {"json": {}}}} for name in names]
    return {
        "messages": [{"role": "user", "content": [{"text": "Go."}]}],
        "toolConfig": {"tools": tools, **more},
    }


def spots(old: Json, new: Json) -> list[Spot]:
    """What differs in the tools of two bodies."""
    offered = [dialect.tools(body) if (dialect := dialect_of("", body)) else () for body in (old, new)]
    return list(tool_spots(old, new, *offered))


def told(old: Json, new: Json) -> list[tuple[str, str, object, object]]:
    """Each difference with its place, its kind and its paths."""
    return [
        (spot.label, one.kind.value, one.recorded_path, one.reissued_path)
        for spot in spots(old, new)
        for one in spot.differences
    ]


def test_a_changed_tool_is_told_under_its_name() -> None:
    """With the members that differ."""
    found = spots(chat(function("f", description="a")), chat(function("f", description="b")))

    path = ("tools", 0, "function", "description")
    assert found == [
        Spot(
            "tools.f",
            (ours("description changed"),),
            (Difference(Kind.VALUE, ("description",), path, path, "a", "b"),),
        )
    ]


def test_what_changed_of_a_tool_is_named() -> None:
    """Its schema, its description, or more than one of them."""
    one = function("f", description="a", parameters={"properties": {}})
    others = [
        {"parameters": {"properties": {"x": {}}}},
        {"description": "b"},
        {"description": "b", "parameters": {}},
        {"strict": True},
    ]
    changed = [{**one, "function": {**one["function"], **other}} for other in others]

    found = [spots(chat(one), chat(other)) for other in changed]

    assert [plain(spot.who) for (spot,) in found] == [
        "schema changed",
        "description changed",
        "definition changed",
        "definition changed",
    ]


def test_tools_that_came_and_went_are_told_with_what_they_are() -> None:
    """By the first words of their description and how much they take."""
    old = chat(function("f", parameters={"properties": {"a": {}}}))
    new = chat(function("g", description="Look it up.", parameters={"properties": {"a": {}, "b": {}}}))

    (spot,) = spots(old, new)

    assert [(one.kind, one.path, plain(one.summary)) for one in spot.differences] == [
        (Kind.ADDED, ("g",), "Look it up. 2 parameters"),
        (Kind.REMOVED, ("f",), "1 parameter"),
    ]


def test_an_inserted_tool_moves_no_other() -> None:
    """Tools are compared by their names."""
    assert told(chat(function("f")), chat(function("g"), function("f"))) == [
        ("tools", "added", None, ("tools", 0))
    ]


def test_another_order_is_one_difference() -> None:
    """Of those that both sides offer."""
    (spot,) = spots(chat(*map(function, "abc")), chat(*map(function, "cxab")))[1:]

    assert spot == Spot(
        "tools",
        (ours("in another order"),),
        (Difference(Kind.REORDERED, (), ("tools",), ("tools",), [0, 1, 2], [1, 2, 0]),),
    )


def test_two_tools_of_one_name_are_two() -> None:
    """Each has its own counterpart."""
    old, new = (
        chat(function("f"), function("f", strict=True)),
        chat(function("f"), function("f", strict=False)),
    )

    assert told(old, new) == [("tools.f (2)", "value", *[("tools", 1, "function", "strict")] * 2)]


def test_what_stands_beside_the_tools_is_told_too() -> None:
    """With the place where it stands on either side."""
    assert told(bedrock("f", toolChoice={"auto": {}}), bedrock("f", toolChoice={"any": {}})) == [
        ("toolConfig", "removed", ("toolConfig", "toolChoice", "auto"), None),
        ("toolConfig", "added", None, ("toolConfig", "toolChoice", "any")),
    ]


def test_something_that_is_no_tool_stands_where_it_stands() -> None:
    """Behind the tools of a list."""
    assert told(chat(function("f")), chat(function("f"), 7)) == [("tools", "added", None, ("tools", 1))]


def test_tools_that_went_altogether_leave_the_rest_to_be_told() -> None:
    """A member that is gone is as good as an empty one."""
    old, new = bedrock("f", toolChoice={"auto": {}}), bedrock("f")
    del new["toolConfig"]

    assert told(old, new) == [
        ("tools", "removed", ("toolConfig", "tools", 0), None),
        ("toolConfig", "removed", ("toolConfig", "toolChoice"), None),
    ]


def test_a_member_that_is_no_list_of_tools_any_more_is_told_whole() -> None:
    """With the tools that it held."""
    found = spots(chat(function("f")), chat() | {"tools": "none"})

    assert [(one.kind, one.recorded, one.reissued) for spot in found for one in spot.differences] == [
        (Kind.REMOVED, function("f"), MISSING),
        (Kind.TYPE, [function("f")], "none"),
    ]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            gemini({"functionDeclarations": [{"name": "f"}]}),
            gemini({"googleSearch": {}}, {"functionDeclarations": [{"name": "f"}]}),
            ["added"],
        ),
        (
            gemini({"functionDeclarations": [{"name": "f"}, {"name": "g"}]}),
            gemini({"functionDeclarations": [{"name": "g"}, {"name": "f"}]}),
            ["reordered"],
        ),
        (bedrock("f", "g"), bedrock("f"), ["removed"]),
    ],
)
def test_every_shape_is_compared_by_name(old: Json, new: Json, expected: list[str]) -> None:
    """Groups and holders are found by the dialect."""
    assert [kind for _, kind, _, _ in told(old, new)] == expected


def test_the_same_offer_tells_nothing() -> None:
    """Nor does none at all."""
    assert (spots(chat(function("f")), chat(function("f"))), spots({}, {})) == ([], [])


def test_the_members_that_hold_tools_are_known() -> None:
    """So that nobody compares them a second time."""
    body = bedrock("f")
    dialect = dialect_of("", body)

    assert dialect is not None
    assert tool_members(dialect.tools(body)) == {"toolConfig"}


def test_what_is_left_of_a_holder_without_its_tools_is_not_told_as_new() -> None:
    """The tool is; and what never held one is told as it stands."""
    held, left = gemini({"functionDeclarations": [{"name": "f"}]}), gemini({})

    assert told(held, left) == [("tools", "removed", ("tools", 0, "functionDeclarations", 0), None)]
    assert told(left, held) == [("tools", "added", None, ("tools", 0, "functionDeclarations", 0))]
    assert told(chat(function("f")), chat({})) == [
        ("tools", "added", None, ("tools", 0)),
        ("tools", "removed", ("tools", 0), None),
    ]
    assert told(chat(function("f")), chat({}, function("f"))) == [("tools", "added", None, ("tools", 0))]


def test_the_order_of_tools_is_told_where_they_stand() -> None:
    """Some providers have them further in."""
    assert told(bedrock("f", "g"), bedrock("g", "f")) == [
        ("tools", "reordered", ("toolConfig", "tools"), ("toolConfig", "tools"))
    ]
