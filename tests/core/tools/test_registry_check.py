"""A registry beside the tools that a tape offers."""

from __future__ import annotations

import pytest

from amberfork_cli.core.tape import Body, Exchange, Request
from amberfork_cli.core.tools.registry import ToolRegistry
from amberfork_cli.core.tools.registry_check import Offer, check_tools


def offering(*tools, number=0) -> Exchange:
    """A chat request that offers these tools, each a name and a schema and perhaps a description."""
    offered = [
        {"type": "function", "function": {"name": name, "parameters": schema, "description": "".join(said)}}
        for name, schema, *said in tools
    ]
    body = {"model": "m", "messages": [{"role": "user", "content": "x"}], "tools": offered}
    return Exchange(number, Request("POST", "/v1/chat/completions", body=Body.json(body)))


def registry(**schemas) -> ToolRegistry:
    """Tools of these schemas that are described in no word."""
    made = ToolRegistry()
    for name, parameters in schemas.items():
        made.register(name, "", parameters, lambda *_: None)
    return made


def schema(**properties) -> dict:
    """A schema that wants these properties."""
    return {"type": "object", "properties": properties, "required": list(properties)}


def told(changes):
    """Where changes are and what they change."""
    return [(change.path, change.old, change.new) for change in changes]


def test_tools_are_told_by_name():
    """Those of the tape first, in its order."""
    tape = [offering(("a", schema()), ("b", schema(x={"type": "string"})), ("c", schema()))]

    checks = check_tools(tape, registry(d=schema(), b=schema(x={"type": "integer"}), a=schema()))

    assert [(check.name, check.offer) for check in checks] == [
        ("a", Offer.SAME),
        ("b", Offer.CHANGED),
        ("c", Offer.MISSING),
        ("d", Offer.EXTRA),
    ]
    assert told(checks[1].schema) == [(("parameters", "properties", "x", "type"), "string", "integer")]


def test_what_says_nothing_about_arguments_is_no_difference():
    """Titles, the order of what is required, upper-case types, whether more arguments are forbidden."""
    recorded = {
        "title": "Args",
        "type": "OBJECT",
        "properties": {"x": {"title": "X", "type": "STRING"}, "title": {"type": "STRING"}},
        "required": ["x", "title"],
    }
    local = {**schema(title={"type": "string"}, x={"type": "string"}), "required": ["title", "x"]}

    (check,) = check_tools([offering(("a", recorded))], registry(a={**local, "additionalProperties": False}))

    assert check.offer is Offer.SAME


def test_other_words_are_told_from_another_schema():
    """What a model reads before it calls differs, and every call is as right as it was."""
    recorded = schema(city={"type": "string", "description": "In English", "examples": ["Oslo"]})
    tape = [offering(("a", recorded, "The weather."))]

    (check,) = check_tools(tape, registry(a=schema(city={"type": "string"})))

    assert (check.offer, check.schema) == (Offer.DESCRIBED, ())
    assert [change.path for change in check.words] == [
        ("description",),
        ("parameters", "properties", "city", "description"),
        ("parameters", "properties", "city", "examples"),
    ]


@pytest.mark.parametrize(
    ("recorded", "local"),
    [
        (schema(description={"type": "string"}), schema(description={"type": "integer"})),
        (schema(description={"type": "string"}), schema()),
        (schema(x={"enum": [{"description": "a"}]}), schema(x={"enum": [{"description": "b"}]})),
        (schema(x={"default": {"description": "a"}}), schema(x={"default": {"description": "b"}})),
    ],
)
def test_what_is_only_called_a_description_is_none(recorded, local):
    """A parameter of that name, or such a member of a value, is part of what a call must be."""
    (check,) = check_tools([offering(("a", recorded))], registry(a=local))

    assert (check.offer, check.words) == (Offer.CHANGED, ())


def test_the_last_offer_of_a_tool_counts():
    """A run may have been recorded across a change."""
    tape = [offering(("a", schema(x={}))), offering(("a", schema(y={})), number=1)]

    (check,) = check_tools(tape, registry(a=schema(y={})))

    assert check.offer is Offer.SAME
