"""A registry beside the tools that a tape offers."""

from __future__ import annotations

from amberfork_cli.core.tape import Body, Exchange, Request
from amberfork_cli.core.tools.registry_check import Offer, check_registry


def offering(*tools, number=0) -> Exchange:
    """A chat request that offers these tools."""
    body = {
        "model": "m",
        "messages": [{"role": "user", "content": "x"}],
        "tools": [
            {"type": "function", "function": {"name": name, "parameters": schema}} for name, schema in tools
        ],
    }
    return Exchange(number, Request("POST", "/v1/chat/completions", body=Body.json(body)))


def schema(**properties) -> dict:
    """A schema that wants these properties."""
    return {"type": "object", "properties": properties, "required": list(properties)}


def test_tools_are_told_by_name():
    """Those of the tape first, in its order."""
    tape = [offering(("a", schema()), ("b", schema(x={"type": "string"})), ("c", schema()))]
    registry = {"d": schema(), "b": schema(x={"type": "integer"}), "a": schema()}

    checks = check_registry(tape, registry)

    assert [(check.name, check.offer) for check in checks] == [
        ("a", Offer.SAME),
        ("b", Offer.CHANGED),
        ("c", Offer.MISSING),
        ("d", Offer.EXTRA),
    ]
    assert [(change.path, change.old, change.new) for change in checks[1].changes] == [
        (("properties", "x", "type"), "string", "integer")
    ]


def test_what_says_nothing_about_arguments_is_no_difference():
    """Titles, the order of what is required, upper-case types."""
    recorded = {
        "title": "Args",
        "type": "OBJECT",
        "properties": {"x": {"title": "X", "type": "STRING"}, "title": {"type": "STRING"}},
        "required": ["x", "title"],
    }
    local = {**schema(title={"type": "string"}, x={"type": "string"}), "required": ["title", "x"]}

    (check,) = check_registry([offering(("a", recorded))], {"a": local})

    assert check.offer is Offer.SAME


def test_the_last_offer_of_a_tool_counts():
    """A run may have been recorded across a change."""
    tape = [offering(("a", schema(x={}))), offering(("a", schema(y={})), number=1)]

    (check,) = check_registry(tape, {"a": schema(y={})})

    assert check.offer is Offer.SAME
