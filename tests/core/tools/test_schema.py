"""Arguments are checked against what the tool asked for: all faults, with their places, and strictly."""

from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import enum
import functools
import sqlite3
import subprocess
import sys
import uuid
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

import pydantic
import pytest
from typing_extensions import TypedDict

from amberfork_cli.core import jsontext
from amberfork_cli.core.tools.registry import ToolContext
from amberfork_cli.core.tools.schema import (
    LONGEST_MESSAGE,
    CustomSchema,
    JsonSchema,
    ModelSchema,
    SignatureSchema,
    read_schema,
)
from amberfork_cli.core.tools.signature import Signature
from amberfork_cli.core.tools.tool import ArgumentSchema, Checked
from amberfork_cli.errors import RegistryError

if TYPE_CHECKING:
    from nowhere import Missing  # type: ignore[import-not-found]

WEATHER = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "minLength": 2},
        "days": {"type": "array", "items": {"type": "integer", "minimum": 1}},
    },
    "required": ["city"],
    "additionalProperties": False,
}


class Unit(enum.Enum):
    CELSIUS = "celsius"
    KELVIN = "kelvin"


class Address(pydantic.BaseModel):
    street: str
    number: int = 1


@dataclasses.dataclass
class Position:
    x: float
    y: float


class Options(TypedDict, total=False):
    limit: int


class Finder:
    """A tool that is an object."""

    def __call__(self, name: str) -> str:
        return name

    def method(self, name: str, count: int = 1) -> str:
        return name * count


# JSON Schema


def test_every_fault_is_told_with_its_place() -> None:
    """All of them in the order of their places, not only the first."""
    schema = JsonSchema(WEATHER, tool="weather")

    faults = schema.validate({"city": "x", "days": [0, "1", True, 2], "more": 1})

    assert faults == [
        {"path": "", "message": "Additional properties are not allowed ('more' was unexpected)"},
        {"path": "/city", "message": "'x' is too short"},
        {"path": "/days/0", "message": "0 is less than the minimum of 1"},
        {"path": "/days/1", "message": "'1' is not of type 'integer'"},
        {"path": "/days/2", "message": "True is not of type 'integer'"},
    ]


def test_arguments_that_fit_come_through_as_they_are() -> None:
    """A check by JSON Schema changes nothing."""
    arguments = {"city": "Seoul", "days": [1, 2.0]}

    checked = JsonSchema(WEATHER, tool="weather").check(arguments)

    assert checked == Checked(arguments)
    assert checked.arguments is arguments


def test_coercion_reads_what_a_text_spells() -> None:
    """With `coerce`, text that spells the number or truth value that is due is read; nothing else is."""
    schema = JsonSchema(
        {
            "properties": {
                "n": {"type": "integer"},
                "deep": {"items": {"type": ["number", "null"]}},
                "on": {"type": "boolean"},
                "maybe": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
                "text": {"type": "string"},
            }
        },
        tool="f",
    )
    arguments = {"n": "3", "deep": ["1.5", "2"], "on": "true", "maybe": "4", "text": "5"}

    checked = schema.check(arguments, coerce=True)

    assert checked == Checked({"n": 3, "deep": [1.5, 2], "on": True, "maybe": 4, "text": "5"})
    assert arguments == {"n": "3", "deep": ["1.5", "2"], "on": "true", "maybe": "4", "text": "5"}


@pytest.mark.parametrize("text", ["", "3.5", "three", "0003", "3 ", "true", "[3]", "null"])
def test_coercion_does_not_guess(text: str) -> None:
    """What spells no integer stays what it is, and a fault."""
    schema = JsonSchema({"properties": {"n": {"type": "integer"}}}, tool="f")

    checked = schema.check({"n": text}, coerce=True)

    expected = () if text == "3 " else ({"path": "/n", "message": f"{text!r} is not of type 'integer'"},)
    assert checked.faults == expected


def test_without_coercion_text_is_no_number() -> None:
    """Strict is the default: `"3"` is no 3."""
    schema = JsonSchema({"properties": {"n": {"type": "integer"}}}, tool="f")

    assert schema.validate({"n": "3"}) == [{"path": "/n", "message": "'3' is not of type 'integer'"}]


def test_geminis_types_are_lowered() -> None:
    """Upper-case types and `nullable` mean what they mean to Gemini; data that looks like them does not."""
    schema = JsonSchema(
        {
            "type": "OBJECT",
            "properties": {
                "type": {"type": "STRING", "nullable": True, "enum": ["OBJECT", None]},
                "list": {"type": "ARRAY", "items": {"type": "INTEGER"}},
                "default": {"type": "STRING", "default": {"type": "STRING"}},
            },
        },
        tool="f",
    )

    assert schema.parameters == {
        "type": "object",
        "properties": {
            "type": {"type": ["string", "null"], "enum": ["OBJECT", None]},
            "list": {"type": "array", "items": {"type": "integer"}},
            "default": {"type": "string", "default": {"type": "STRING"}},
        },
        "required": [],
    }
    assert schema.validate({"type": None, "list": [1]}) == []


def test_what_else_a_schema_holds_survives() -> None:
    """Definitions, combinations and unknown members are shown to the model as they were given."""
    given = {
        "$defs": {"day": {"type": "string"}},
        "properties": {"day": {"$ref": "#/$defs/day"}, "at~/": {"$ref": "#/properties/day"}},
        "required": ("day",),
        "additionalProperties": False,
        "x-note": [1],
    }

    schema = JsonSchema(given, tool="f")

    assert schema.parameters == {"type": "object", **given, "required": ["day"]}
    assert schema.validate({"day": 1}) == [{"path": "/day", "message": "1 is not of type 'string'"}]


def test_a_schema_is_copied_both_ways() -> None:
    """Neither the one who gave it nor the one who asks for it can change it."""
    given: dict[str, Any] = {"properties": {"a": {"type": "string"}}}
    schema = JsonSchema(given, tool="f")

    given["properties"]["a"]["type"] = "integer"
    schema.parameters["properties"] = {}

    assert schema.parameters["properties"] == {"a": {"type": "string"}}


@pytest.mark.parametrize("given", [None, {}])
def test_no_schema_takes_anything(given: object) -> None:
    """A tool may leave its arguments open."""
    schema = read_schema(given, tool="f")

    assert schema.parameters == {"type": "object", "properties": {}, "required": []}
    assert schema.validate({"a": 1}) == []


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"type": "string"}, "the schema must be of type object, not 'string'"),
        (
            {"properties": {"a": {"type": "strin"}}},
            "the schema is not valid: /properties/a/type: 'strin' is not valid under any of",
        ),
        ({"required": "a"}, "the schema is not valid: /required: 'a' is not of type 'array'"),
        (
            {"properties": {"a": {"pattern": "("}}},
            "the schema is not valid: /properties/a/pattern: '(' is not a 'regex'",
        ),
        (
            {"properties": {"a": {"$ref": "#/$defs/b"}}},
            "the schema is not valid: $ref '#/$defs/b' leads nowhere",
        ),
        ({"default": {3j}}, "the schema is no JSON: /default/0: a complex by its repr"),
        (3, "the schema is no JSON Schema and has no validate(arguments)"),
    ],
)
def test_a_schema_that_is_not_valid_is_refused_at_once(given: Any, problem: str) -> None:
    """The author hears of it at registration, not the model in the middle of a run."""
    with pytest.raises(RegistryError) as caught:
        read_schema(given, tool="f")

    assert str(caught.value).startswith(f"tool 'f': {problem}")


def test_a_reference_to_another_document_is_not_fetched() -> None:
    """Checking arguments never reaches for the network; what cannot be resolved is a fault."""
    schema = JsonSchema({"properties": {"a": {"$ref": "http://127.0.0.1:9/x"}}}, tool="f")

    assert schema.validate({"a": 1}) == [
        {"path": "", "message": "the schema cannot be applied: Unresolvable: http://127.0.0.1:9/x"}
    ]


def test_a_schema_that_goes_round_is_a_fault() -> None:
    """A reference to itself does not end the program."""
    schema = JsonSchema({"$ref": "#"}, tool="f")

    [fault] = schema.validate({})

    assert isinstance(fault, dict)
    assert str(fault["message"]).startswith("the schema cannot be applied: ")


def test_another_draft_is_kept_to() -> None:
    """A schema that names its draft is read by it: draft 7 has lists of items."""
    schema = JsonSchema(
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "properties": {"pair": {"items": [{"type": "string"}, {"type": "integer"}]}},
        },
        tool="f",
    )

    assert schema.validate({"pair": ["a", "b"]}) == [
        {"path": "/pair/1", "message": "'b' is not of type 'integer'"}
    ]


def test_a_message_does_not_repeat_a_long_value() -> None:
    """A megabyte of arguments makes no megabyte of errors."""
    schema = JsonSchema({"properties": {"a": {"type": "integer"}}}, tool="f")

    [fault] = schema.validate({"a": "x" * 1_000_000})

    assert isinstance(fault, dict)
    assert len(str(fault["message"])) == LONGEST_MESSAGE + 3
    assert str(fault["message"]).endswith("x' is not of type 'integer'")


# signatures


def _of(function: Callable[..., Any]) -> SignatureSchema:
    return SignatureSchema(Signature.of(function, tool="f"), tool="f")


def test_a_signature_becomes_a_schema() -> None:
    """Types, defaults, descriptions and constraints are shown; no titles, and no context."""

    def book(
        city: Annotated[str, "Where to"],
        nights: Annotated[int, pydantic.Field(ge=1)],
        unit: Unit = Unit.CELSIUS,
        until: dt.date | None = None,
        context: ToolContext | None = None,
    ) -> None:
        """Book."""

    schema = _of(book)

    assert schema.parameters == {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "Where to"},
            "nights": {"type": "integer", "minimum": 1},
            "unit": {"$ref": "#/$defs/Unit", "default": "celsius"},
            "until": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}], "default": None},
        },
        "required": ["city", "nights"],
        "additionalProperties": False,
        "$defs": {"Unit": {"title": "Unit", "type": "string", "enum": ["celsius", "kelvin"]}},
    }


def test_values_become_what_the_annotations_say() -> None:
    """A tool gets dates, enums, models and sets, not their JSON."""

    def f(  # noqa: PLR0917
        day: dt.date,
        unit: Unit,
        home: Address,
        price: decimal.Decimal,
        key: uuid.UUID,
        at: Position,
        tags: set[str],
        pair: tuple[int, str],
        mode: Literal["a", "b"],
        options: Options,
        ratio: float,
    ) -> None: ...

    checked = _of(f).check(
        {
            "day": "2024-03-01",
            "unit": "kelvin",
            "home": {"street": "x"},
            "price": "1.10",
            "key": "00000000-0000-0000-0000-000000000005",
            "at": {"x": 1, "y": 2.5},
            "tags": ["a", "a"],
            "pair": [1, "b"],
            "mode": "a",
            "options": {"limit": 3},
            "ratio": 2,
        }
    )

    assert checked == Checked(
        {
            "day": dt.date(2024, 3, 1),
            "unit": Unit.KELVIN,
            "home": Address(street="x"),
            "price": decimal.Decimal("1.10"),
            "key": uuid.UUID(int=5),
            "at": Position(1.0, 2.5),
            "tags": {"a"},
            "pair": (1, "b"),
            "mode": "a",
            "options": {"limit": 3},
            "ratio": 2.0,
        }
    )


def test_only_what_was_set_is_passed() -> None:
    """Defaults stay the function's own: whatever they are, they are not made anew."""
    default = object()

    def f(a: int = 1, b: Any = default, c: int | None = None) -> None: ...

    schema = _of(f)

    assert schema.check({}) == Checked({})
    assert schema.check({"c": None}) == Checked({"c": None})
    assert schema.parameters["properties"] == {
        "a": {"type": "integer", "default": 1},
        "b": {},
        "c": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
    }


def test_names_that_pydantic_uses_are_names_like_others() -> None:
    """Parameters may be called as anything, an underscore in front included."""

    def f(model_config: int, json: int, _private: int, schema: int, p0: int) -> None: ...

    arguments = dict.fromkeys(["model_config", "json", "_private", "schema", "p0"], 1)

    assert _of(f).check(arguments) == Checked(arguments)


@pytest.mark.parametrize(
    ("arguments", "faults"),
    [
        ({}, [("/n", "Field required")]),
        ({"n": "3"}, [("/n", "Input should be a valid integer")]),
        ({"n": True}, [("/n", "Input should be a valid integer")]),
        ({"n": 3.0}, [("/n", "Input should be a valid integer")]),
        ({"n": None}, [("/n", "Input should be a valid integer")]),
        (
            {"n": 1, "extra": 1, "p0": 2},
            [("/extra", "Extra inputs are not permitted"), ("/p0", "Extra inputs are not permitted")],
        ),
        ({"n": 1, "on": 1}, [("/on", "Input should be a valid boolean")]),
        ({"n": 1, "on": "true"}, [("/on", "Input should be a valid boolean")]),
        ({"n": 1, "x": "1.5"}, [("/x", "Input should be a valid number")]),
        ({"n": 1, "text": 5}, [("/text", "Input should be a valid string")]),
        (
            {"n": 1, "many": [1, "a/b", {"~": 1}]},
            [
                ("/many/1", "Input should be a valid integer"),
                ("/many/2", "Input should be a valid integer"),
            ],
        ),
        (
            {"n": 1, "either": []},
            [("/either", "Input should be a valid integer"), ("/either", "Input should be a valid string")],
        ),
        ({"n": 1, "home": {}}, [("/home/street", "Field required")]),
        (
            {"n": "x", "x": "y"},
            [("/n", "Input should be a valid integer"), ("/x", "Input should be a valid number")],
        ),
    ],
)
def test_a_signature_is_kept_to_strictly(arguments: dict[str, Any], faults: list[tuple[str, str]]) -> None:
    """No text for a number, no truth value for either, no name that nobody asked for; all faults are told."""

    def f(
        n: int,
        *,
        on: bool = False,
        x: float = 0.0,
        text: str = "",
        many: list[int] | None = None,
        either: int | str = 0,
        home: Address | None = None,
    ) -> None: ...

    found = [fault for fault in _of(f).validate(arguments) if "null" not in str(fault)]

    assert found == [{"path": path, "message": message} for path, message in faults]


def test_coercion_reads_what_pydantic_reads() -> None:
    """With `coerce`, texts that spell a number are one."""

    def f(n: int, on: bool, day: dt.date) -> None: ...

    checked = _of(f).check({"n": "3", "on": "true", "day": "2024-03-01"}, coerce=True)

    assert checked == Checked({"n": 3, "on": True, "day": dt.date(2024, 3, 1)})


@pytest.mark.parametrize(
    "value",
    ["\ud83d", [[[[]]]], 123456789012345678901234567890, 10**5_000, {"": "\x00"}],
    ids=["half a pair", "nested", "long", "very long", "odd"],
)
def test_values_that_readers_of_json_refuse_come_through(value: object) -> None:
    """Half a surrogate pair, long numbers and the like are arguments as good as others."""

    def f(value: Any) -> None: ...

    assert _of(f).check({"value": value}) == Checked({"value": value})


def test_deep_arguments_come_through() -> None:
    """So is depth that pydantic's reader of JSON refuses."""

    def f(value: list[Any], n: int = 0) -> None: ...

    deep: list[Any] = []
    for _ in range(1_000):
        deep = [deep]

    checked = _of(f).check({"value": deep})
    strict = _of(f).check({"value": deep, "n": "3"})

    assert jsontext.same(checked.arguments["value"], deep)
    assert strict.faults == ({"path": "/n", "message": "Input should be a valid integer"},)


def test_keywords_take_whatever_comes() -> None:
    """`**keywords` leave the names open, and `*values` cannot be set by name."""

    def f(a: int, *values: int, **more: Any) -> None: ...

    schema = _of(f)

    assert schema.check({"a": 1, "b": [2]}) == Checked({"a": 1, "b": [2]})
    assert schema.parameters["additionalProperties"] is True
    assert schema.parameters["properties"] == {"a": {"type": "integer"}}


@pytest.mark.parametrize(
    "function",
    [
        Finder(),
        Finder().method,
        functools.partial(Finder().method, count=2),
        functools.wraps(Finder().method)(lambda **keywords: keywords),
        Address,
    ],
    ids=["object", "method", "partial", "wrapped", "class"],
)
def test_anything_callable_has_a_signature(function: Callable[..., Any]) -> None:
    """Objects, methods, partials, wrappers and classes are read as the functions that they are."""
    schema = _of(function)

    given = {"street": "x"} if function is Address else {"name": "x"}
    assert schema.check(given) == Checked(given)
    assert schema.check({}).faults == ({"path": f"/{next(iter(given))}", "message": "Field required"},)


def test_a_function_without_annotations_takes_any_values() -> None:
    """Names are checked all the same."""
    schema = _of(lambda a, b=1: (a, b))

    assert schema.check({"a": [1]}) == Checked({"a": [1]})
    assert schema.validate({"c": 1}) == [
        {"path": "/a", "message": "Field required"},
        {"path": "/c", "message": "Extra inputs are not permitted"},
    ]


def test_the_context_may_be_annotated_in_any_way() -> None:
    """Alone, optional, or described; and a list of contexts is none."""

    def f(a: ToolContext, b: ToolContext | None, c: Annotated[ToolContext, "x"], d: int) -> None: ...

    signature = Signature.of(f, tool="f")

    assert signature.context_names == ("a", "b", "c")
    assert [parameter.name for parameter in signature.asked] == ["d"]


def test_the_context_needs_no_import_at_run_time() -> None:
    """Under postponed annotations linters have it imported for type checkers only, so the name is known."""
    scope: dict[str, Any] = {}
    exec("def f(a: 'int', context: 'ToolContext | None' = None): ...", scope)  # noqa: S102

    assert Signature.of(scope["f"], tool="f").context_names == ("context",)


def _unresolved(a: Missing) -> None: ...


def _positional(a: int, /) -> None: ...


def _unusable(a: int, connection: sqlite3.Connection) -> None: ...


@pytest.mark.parametrize(
    ("function", "problem"),
    [
        (_unresolved, "the signature cannot be read: name 'Missing' is not defined"),
        (_positional, "parameter 'a' cannot be given by name; wrap it"),
        (
            _unusable,
            "parameter 'connection' cannot be checked: Unable to generate pydantic-core schema for",
        ),
    ],
)
def test_a_signature_that_cannot_be_checked_is_refused(function: Callable[..., Any], problem: str) -> None:
    """The author hears which parameter it is, and why."""
    with pytest.raises(RegistryError) as caught:
        _of(function)

    assert str(caught.value).startswith(f"tool 'f': {problem}")


def test_a_signature_without_a_json_schema_is_refused() -> None:
    """What a model cannot be told, it cannot call."""

    def f(callback: Callable[[int], int]) -> None: ...

    with pytest.raises(RegistryError, match=r"^tool 'f': no JSON Schema can be made of it: "):
        _of(f)


# the user's own


def test_a_pydantic_model_is_a_schema() -> None:
    """The tool gets the arguments as they came; read, where it is asked to coerce."""
    schema = read_schema(Address, tool="f")

    assert isinstance(schema, ModelSchema)
    assert schema.check({"street": "x"}) == Checked({"street": "x"})
    assert schema.validate({"street": "x", "number": "2"}) == [
        {"path": "/number", "message": "Input should be a valid integer"}
    ]
    assert schema.check({"street": "x", "number": "2"}, coerce=True) == Checked({"street": "x", "number": 2})
    assert schema.parameters == {
        "type": "object",
        "properties": {"street": {"type": "string"}, "number": {"type": "integer", "default": 1}},
        "required": ["street"],
    }


class Checker:
    """A check of the user's own that tells its properties."""

    properties: Mapping[str, Any] = {"a": {"type": "string"}}
    required = ("a",)

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def validate(self, arguments: Mapping[str, Any]) -> Any:  # noqa: ARG002
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.mark.parametrize(
    ("answer", "faults"),
    [
        ([], []),
        (None, []),
        ((), []),
        (True, []),
        (["a is missing"], ["a is missing"]),
        (("one", {"path": "/a", "why": ("x",)}), ["one", {"path": "/a", "why": ["x"]}]),
        (iter(["lazy"]), ["lazy"]),
        ("a is missing", ["a is missing"]),
        (False, ["the arguments do not fit"]),
        (ValueError("a is missing"), ["ValueError: a is missing"]),
        (KeyError(), ["KeyError"]),
        (3, ["TypeError: 'int' object is not iterable"]),
    ],
)
def test_the_users_own_check_is_heard(answer: Any, faults: list[Any]) -> None:
    """A list of errors, in whatever shape; what the check raises is an error too."""
    schema = read_schema(Checker(answer), tool="f")

    assert isinstance(schema, CustomSchema)
    assert schema.validate({}) == faults


def test_the_users_own_check_may_show_its_properties() -> None:
    """They are what the model is told; an object with nothing but `validate` tells nothing."""
    told = read_schema(Checker([]), tool="f")
    silent = read_schema({"validate": lambda arguments: ["no"] if arguments else []}, tool="f")

    assert told.parameters == {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "required": ["a"],
    }
    assert silent.parameters == {"type": "object", "properties": {}, "required": []}
    assert silent.validate({"a": 1}) == ["no"]


@pytest.mark.parametrize(
    "schema",
    [read_schema(WEATHER, tool="f"), read_schema(Address, tool="f"), read_schema(Checker([]), tool="f")],
)
def test_every_schema_keeps_the_promise(schema: ArgumentSchema) -> None:
    """All of them show parameters of type object and give a list."""
    assert {"type", "properties", "required"} <= schema.parameters.keys()
    assert isinstance(schema.validate({"city": "Seoul", "street": "x"}), list)


def test_nothing_heavy_is_loaded_before_it_is_used() -> None:
    """A registry of the user's own checks needs neither jsonschema nor pydantic."""
    code = (
        "import sys\n"
        "from amberfork_cli.core.tools.registry import ToolRegistry\n"
        "ToolRegistry().register('f', '', {'validate': lambda arguments: []}, lambda a, c: 1)\n"
        "print(sorted({'jsonschema', 'pydantic', 'asyncio'} & set(sys.modules)))"
    )

    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert ran.stdout == "[]\n"
