"""A tool call is read as it was written, and never repaired."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amberfork_cli.core import jsontext
from amberfork_cli.core.tools.arguments import (
    ArgumentFault,
    AskedCall,
    parse_arguments,
    read_call,
    with_free_text,
)


@dataclass
class Function:
    """What a provider's library makes of a function call."""

    name: str
    arguments: str


@dataclass
class LibraryCall:
    id: str
    function: Function


@dataclass
class ToolUseBlock:
    id: str
    name: str
    input: dict[str, Any]


@pytest.mark.parametrize(
    ("tool_call", "asked"),
    [
        ({"id": "c1", "function": {"name": "f", "arguments": "{}"}}, AskedCall("c1", "f", "{}")),
        ({"id": "c1", "type": "function", "function": {"name": "f"}}, AskedCall("c1", "f", None)),
        ({"id": "fc_9", "call_id": "c1", "name": "f", "arguments": "{}"}, AskedCall("c1", "f", "{}")),
        ({"id": "t1", "name": "f", "input": {"a": 1}}, AskedCall("t1", "f", {"a": 1})),
        ({"name": "f", "args": {"a": 1}}, AskedCall("", "f", {"a": 1})),
        ({"id": "", "name": "f"}, AskedCall("", "f", None)),
        ({"id": 7, "name": "f"}, AskedCall("7", "f", None)),
        ({"id": "c1", "name": ""}, AskedCall("c1", None, None)),
        ({"id": "c1", "name": 3}, AskedCall("c1", None, None)),
        ({"id": "c1", "function": None}, AskedCall("c1", None, None)),
        (LibraryCall("c1", Function("f", "{}")), AskedCall("c1", "f", "{}")),
        (ToolUseBlock("t1", "f", {"a": 1}), AskedCall("t1", "f", {"a": 1})),
        ({}, AskedCall("", None, None)),
        (None, AskedCall("", None, None)),
        ("text", AskedCall("", None, None)),
    ],
)
def test_a_call_is_read_in_every_form(tool_call: object, asked: AskedCall) -> None:
    """OpenAI's nested form, the flat ones and library objects come to the same; what is missing is empty."""
    assert read_call(tool_call) == asked


@pytest.mark.parametrize("arguments", [None, "", "  \n\t", "null", " null ", "{}", {}])
def test_nothing_is_an_object_without_members(arguments: object) -> None:
    """A tool without parameters is called in all of these ways."""
    assert parse_arguments(arguments) == {}


@pytest.mark.parametrize(
    ("arguments", "parsed"),
    [
        ('{"city": "Seoul"}', {"city": "Seoul"}),
        ({"city": "Seoul"}, {"city": "Seoul"}),
        ('{"n": 123456789012345678901234567890}', {"n": 123456789012345678901234567890}),
        ('{"half": "\\ud83d"}', {"half": "\ud83d"}),
        ('\ufeff{"a": 1}', {"a": 1}),
    ],
)
def test_an_object_is_taken_as_it_is(arguments: object, parsed: object) -> None:
    """Text and object alike, with nothing rounded or replaced."""
    assert parse_arguments(arguments) == parsed


@pytest.mark.parametrize(
    ("arguments", "line", "column"),
    [
        ('{"a": 1}{"b": 2}', 1, 9),
        ('{"a": 1} and so on', 1, 10),
        ('{"a":\n  [1, 2', 2, 8),
        ("{'a': 1}", 1, 2),
        ('{"a": NaN}', 1, 7),
        ('{"a": 1, "a": 2}', 1, 10),
        ('{"a": 1e400}', 1, 7),
        ("city=Seoul", 1, 1),
    ],
)
def test_text_that_is_no_json_is_a_fault_with_its_place(arguments: str, line: int, column: int) -> None:
    """Two objects in a row, cut ends, trailing text and doubled names are told, and never repaired."""
    fault = parse_arguments(arguments)

    assert isinstance(fault, ArgumentFault)
    assert (fault.line, fault.column) == (line, column)
    assert str(fault).startswith("the arguments are not JSON: ")
    assert str(fault).endswith(f"(line {line}, column {column})")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ('"{\\"a\\": 1}"', "a JSON text inside a JSON text, not an object"),
        ("[1]", "a list, not an object"),
        ([1], "a list, not an object"),
        ("3", "a number, not an object"),
        ("3.5", "a number, not an object"),
        ("true", "true or false, not an object"),
        (b"{}", "a bytes, not an object"),
    ],
)
def test_what_is_no_object_is_a_fault(arguments: object, problem: str) -> None:
    """Arguments are an object; what was sent instead is named, and double encoding by that name."""
    fault = parse_arguments(arguments)

    assert fault == ArgumentFault(problem)
    assert str(fault) == f"the arguments are {problem}"


def test_arguments_are_the_tools_own() -> None:
    """A tool that changes what it was given does not change the call."""
    call = {"a": {"b": [1]}}

    parsed = parse_arguments(call)
    assert isinstance(parsed, dict)
    parsed["a"] = None

    assert call == {"a": {"b": [1]}}


def test_arguments_too_deep_to_copy_are_a_fault() -> None:
    """Depth in an object that a caller made is told, not raised."""
    deep: dict[str, Any] = {}
    for _ in range(5_000):
        deep = {"a": deep}

    assert parse_arguments(deep) == ArgumentFault("an object that cannot be copied: RecursionError")


@given(st.text() | st.binary().map(lambda data: data.decode("utf-8", "surrogateescape")))
def test_any_text_is_an_object_or_a_fault(text: str) -> None:
    """Nothing that a model writes makes the reading raise, and nothing but an object comes out."""
    parsed = parse_arguments(text)

    if isinstance(parsed, ArgumentFault):
        assert str(parsed)
    else:
        assert not text.strip() or jsontext.loads(text) in (None, parsed)


@pytest.mark.parametrize(
    ("text", "properties", "arguments"),
    [
        ("print(3**3)", {"code": {"type": "string"}}, {"code": "print(3**3)"}),
        ("print(3**3)", {"code": {}}, {"code": "print(3**3)"}),
        ('{"a": 1}', {"code": {"type": "string"}}, {"code": '{"a": 1}'}),
        ('{"code": "x"}', {"code": {"type": "string"}}, '{"code": "x"}'),
        ("print(3**3)", {"code": {"type": "integer"}}, "print(3**3)"),
        ("print(3**3)", {"code": {"type": "string"}, "more": {}}, "print(3**3)"),
        ("print(3**3)", {}, "print(3**3)"),
    ],
)
def test_free_text_goes_to_the_only_parameter_that_is_a_text(text, properties, arguments) -> None:
    """What names the parameter already is JSON all the same; elsewhere it stays what it is."""
    assert with_free_text(text, {"type": "object", "properties": properties}) == arguments
