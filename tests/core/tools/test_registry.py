"""A registry keeps what it promises about names, forms and effects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amberfork_cli.core.tools.registry import (
    Effect,
    Tool,
    ToolContext,
    ToolRegistry,
    function_tool,
    idempotency_key,
)
from amberfork_cli.errors import AmberforkError, RegistryError

SCHEMA = {
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
    "$defs": {"unused": {"type": "null"}},
}


def answer(arguments: Any, context: ToolContext) -> Any:  # noqa: ARG001
    return arguments


def test_registering_gives_the_registry_back() -> None:
    """Registrations can be chained, and keep their order."""
    registry = (
        ToolRegistry()
        .register("b", "Second letter.", SCHEMA, answer)
        .register("a", "First letter.", SCHEMA, answer)
    )

    assert [tool.name for tool in registry] == ["b", "a"]
    assert (len(registry), "a" in registry, "c" in registry, registry.get("c")) == (2, True, False, None)
    assert repr(registry) == "ToolRegistry(b, a)"


def test_a_tool_knows_what_was_said_of_it() -> None:
    """Everything that was registered can be read from the tool; what was not said has its default."""
    registry = ToolRegistry().register("f", "Does.", SCHEMA, answer)

    tool = registry.get("f")

    assert tool is not None
    assert (tool.name, tool.description, tool.execute) == ("f", "Does.", answer)
    assert (tool.timeout_ms, tool.effect, tool.read_only, tool.declared) == (
        10_000,
        Effect.READ_ONLY,
        True,
        True,
    )
    assert tool.schema.validate({}) == [{"path": "", "message": "'city' is a required property"}]


@pytest.mark.parametrize(
    ("effect", "read_only", "declared"),
    [
        (Effect.READ_ONLY, True, True),
        (Effect.SIDE_EFFECT, False, True),
        (Effect.UNDECLARED, False, False),
    ],
)
def test_an_effect_says_whether_a_tool_may_run_unasked(
    effect: Effect, read_only: bool, declared: bool
) -> None:
    """Only what somebody vouched for is read-only; what nobody spoke of is neither."""
    tool = function_tool(lambda: None, name="f", effect=effect)

    assert (tool.read_only, tool.declared) == (read_only, declared)


def test_a_side_effect_is_marked() -> None:
    """`read_only=False` is what keeps a refund from being sent twice."""
    registry = ToolRegistry().register("refund", "", {}, answer, 500, False)
    registry.tool(name="cancel", read_only=False)(lambda: None)

    assert [(tool.effect, tool.timeout_ms) for tool in registry] == [
        (Effect.SIDE_EFFECT, 500),
        (Effect.SIDE_EFFECT, 10_000),
    ]


@pytest.mark.parametrize(
    "name",
    ["", "get weather", "get.weather", "wetter_für", "f\n", "x" * 65, "f;", None, 3, b"f"],
)
def test_a_name_that_providers_refuse_is_refused(name: Any) -> None:
    """The error names the name; a trailing newline does not slip through."""
    with pytest.raises(RegistryError) as caught:
        ToolRegistry().register(name, "", {}, answer)

    assert caught.value.tool == name
    assert str(caught.value).endswith("the name must match [a-zA-Z0-9_-]{1,64}")
    assert name is None or repr(name) in str(caught.value)


@given(st.from_regex(r"[a-zA-Z0-9_-]{1,64}", fullmatch=True))
def test_every_good_name_is_taken(name: str) -> None:
    """Whatever matches is a name, digits and dashes in front included."""
    assert name in ToolRegistry().register(name, "", {"validate": lambda _: []}, answer)


def test_a_second_tool_of_one_name_is_refused() -> None:
    """A tool is never overwritten in silence; where that is meant, it is said, and the order stays."""
    registry = ToolRegistry().register("f", "First.", {}, answer).register("g", "", {}, answer)

    with pytest.raises(RegistryError) as caught:
        registry.register("f", "Second.", {}, answer)
    kept = registry.to_openai_tools()[0]["function"]
    registry.register("f", "Second.", {}, answer, replace=True)

    assert str(caught.value) == "tool 'f': registered already; replace=True takes its place"
    assert isinstance(kept, dict)
    assert kept["description"] == "First."
    assert [(tool.name, tool.description) for tool in registry] == [("f", "Second."), ("g", "")]


def test_its_errors_are_amberforks() -> None:
    """One class catches every trouble."""
    assert issubclass(RegistryError, AmberforkError)


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"description": None}, "the description must be text"),
        ({"timeout_ms": 0}, "timeout_ms must be a number above 0, not 0"),
        ({"timeout_ms": -1}, "timeout_ms must be a number above 0, not -1"),
        ({"timeout_ms": True}, "timeout_ms must be a number above 0, not True"),
        ({"timeout_ms": "5"}, "timeout_ms must be a number above 0, not '5'"),
        ({"timeout_ms": None}, "timeout_ms must be a number above 0, not None"),
        ({"timeout_ms": float("inf")}, "timeout_ms must be a number above 0, not inf"),
        ({"timeout_ms": float("nan")}, "timeout_ms must be a number above 0, not nan"),
        ({"execute": 3}, "execute must be a function"),
        ({"execute": lambda: None}, "execute must take (arguments, context)"),
        ({"execute": lambda city, *, context: (city, context)}, "execute must take (arguments, context)"),
        ({"schema": {"type": "array"}}, "the schema must be of type object, not 'array'"),
    ],
)
def test_what_cannot_work_is_refused_at_once(changed: dict[str, Any], problem: str) -> None:
    """A tool that could only fail when it is called is not registered."""
    parts = {"name": "f", "description": "", "schema": {}, "execute": answer, **changed}

    with pytest.raises(RegistryError) as caught:
        ToolRegistry().register(**parts)

    assert str(caught.value) == f"tool 'f': {problem}"


@pytest.mark.parametrize("execute", [max, print, answer, lambda *both: both, lambda a, b, c=1: (a, b, c)])
def test_whatever_takes_two_is_a_tool(execute: Callable[..., Any]) -> None:
    """Functions that do not tell what they take are believed."""
    assert "f" in ToolRegistry().register("f", "", {}, execute)


def test_a_registry_can_be_made_of_tools() -> None:
    """Tools that are made already are added as they are, by the same rules."""
    tool = function_tool(lambda: None, name="f", effect=Effect.UNDECLARED)

    registry = ToolRegistry([tool])

    assert registry.get("f") is tool
    with pytest.raises(RegistryError, match=r"registered already"):
        registry.add(tool)
    with pytest.raises(RegistryError, match=r"the name must match"):
        registry.add(Tool("f g", "", tool.schema, answer))


def test_a_typed_function_is_registered_bare() -> None:
    """The decorator gives the function back, unchanged; name and docstring are the function's."""
    registry = ToolRegistry()

    @registry.tool
    def get_weather(city: str, days: int = 1) -> str:
        """Say the weather.

        For some days.
        """
        return f"{city} {days}"

    assert get_weather("Seoul") == "Seoul 1"
    assert registry.to_openai_tools() == [
        {
            "type": "function",
            "function": {
                "name": "get_weather",
                "description": "Say the weather.\n\nFor some days.",
                "parameters": {
                    "type": "object",
                    "properties": {
                        "city": {"type": "string"},
                        "days": {"type": "integer", "default": 1},
                    },
                    "required": ["city"],
                    "additionalProperties": False,
                },
            },
        }
    ]


def test_a_typed_function_is_registered_with_options() -> None:
    """All that `register` takes, and all of it by name."""
    registry = ToolRegistry()

    @registry.tool(name="refund", description="Pay back.", timeout_ms=5_000, read_only=False)
    def pay(order: int) -> int:
        return order

    tool = registry.get("refund")

    assert pay(3) == 3
    assert tool is not None
    assert (tool.description, tool.timeout_ms, tool.effect) == ("Pay back.", 5_000, Effect.SIDE_EFFECT)


def test_a_function_without_a_docstring_has_no_description() -> None:
    """Nothing is made up."""
    assert function_tool(answer).description == ""


def test_a_lambda_needs_a_name() -> None:
    """What has no good name of its own is refused, not renamed."""
    with pytest.raises(RegistryError, match=r"^tool '<lambda>': the name must match"):
        ToolRegistry().tool(lambda: None)


def test_openai_tools_carry_the_whole_schema() -> None:
    """Type, properties and required are always there, and nothing of the user's is lost."""
    registry = ToolRegistry().register("b", "B.", SCHEMA, answer).register("a", "", {}, answer)

    assert registry.to_openai_tools() == [
        {
            "type": "function",
            "function": {"name": "b", "description": "B.", "parameters": {"type": "object", **SCHEMA}},
        },
        {
            "type": "function",
            "function": {
                "name": "a",
                "description": "",
                "parameters": {"type": "object", "properties": {}, "required": []},
            },
        },
    ]


def test_anthropic_tools_carry_the_whole_schema() -> None:
    """The same under Anthropic's names."""
    registry = ToolRegistry().register("b", "B.", SCHEMA, answer)

    assert registry.to_anthropic_tools() == [
        {"name": "b", "description": "B.", "input_schema": {"type": "object", **SCHEMA}}
    ]


def test_gemini_tools_are_one_list_of_declarations() -> None:
    """JSON Schema goes where Gemini takes all of it; a registry without tools declares none."""
    registry = ToolRegistry().register("b", "B.", SCHEMA, answer)

    assert registry.to_gemini_tools() == [
        {
            "functionDeclarations": [
                {"name": "b", "description": "B.", "parametersJsonSchema": {"type": "object", **SCHEMA}}
            ]
        }
    ]
    assert ToolRegistry().to_gemini_tools() == []


def test_iterating_is_safe_while_tools_are_added() -> None:
    """A tool may register another."""
    registry = ToolRegistry().register("a", "", {}, answer)

    for tool in registry:
        registry.register(f"{tool.name}-2", "", {}, answer)

    assert [tool.name for tool in registry] == ["a", "a-2"]


def test_the_context_reads_as_its_values() -> None:
    """What the caller gave can be had by name from the context itself."""
    context = ToolContext(values={"user": "u1"}, call_id="c1")

    assert (context["user"], context.get("user"), context.get("other", 3)) == ("u1", "u1", 3)
    assert ("user" in context, "other" in context) == (True, False)
    assert ToolContext().get("user") is None


def test_an_idempotency_key_is_of_one_call() -> None:
    """The same parts give the same key in every process; any other part gives another."""
    parts = [("tape", 3, 0, "c1"), ("tape", 3, 1, "c1"), ("tape", 4, 0, "c1"), ("other", 3, 0, "c1")]
    alike = [("a", "bc"), ("ab", "c"), ("", "abc"), ("abc",)]

    keys = {idempotency_key(*part) for part in [*parts, *alike, ("\ud83d",)]}

    assert len(keys) == len(parts) + len(alike) + 1
    assert idempotency_key("tape", 3, 0, "c1") == "fb6adaf67bb76c557133c96228181c7f"
