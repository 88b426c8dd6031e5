"""Tool objects of frameworks, by their look alone; `tests/frameworks` has the real ones."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest

from amberfork_cli.core.tools.tool import ToolContext
from amberfork_cli.worker.adapters import adapter_for
from amberfork_cli.worker.adapters.adapted import read_only_hint

CONTEXT = ToolContext({"user": "ann"}, "call_1")


def of(module: str, kind: str, /, **members) -> object:
    """An object of a class that says it is of that module."""
    return type(kind, (), {"__module__": module, **members})()


def run(found: object, **arguments):
    """What the only tool of the object gives for these arguments."""
    (tool,) = adapter_for(found)(found, asyncio.run)
    return tool, tool.execute(arguments, CONTEXT)


@pytest.mark.parametrize("found", [len, object(), 3, "text", None, of("mine", "Tool"), of("mcp.x", "Tool")])
def test_what_is_of_no_framework_is_no_tool_object(found):
    """A class named Tool of one's own is one's own."""
    assert adapter_for(found) is None


def test_a_subclass_is_recognised_by_the_class_above():
    """People derive their own."""
    base = type("BaseFunctionTool", (), {"__module__": "anthropic.lib.tools._beta_functions"})

    assert adapter_for(type("Mine", (base,), {"__module__": "mine"})()) is not None


def test_arguments_go_the_frameworks_own_way():
    """Each calls its tools differently."""
    anthropic = of(
        "anthropic.lib",
        "BaseFunctionTool",
        name="add",
        description="Add.",
        input_schema={"type": "object"},
        call=lambda _self, given: given,
    )
    strands = of(
        "strands.tools.decorator",
        "AgentTool",
        tool_name="add",
        tool_spec={"description": "Add.", "inputSchema": {"json": {"type": "object"}}},
        __call__=lambda _self, **given: given,
    )
    smolagents = of(
        "smolagents.tools",
        "Tool",
        name="add",
        description="Add.",
        inputs={"a": {"type": "integer", "nullable": True}, "b": {"type": "any", "description": "x"}},
        __call__=lambda _self, **given: given,
    )

    ran = [run(found, a=1) for found in (anthropic, strands, smolagents)]

    assert [(tool.name, tool.description, given) for tool, given in ran] == [("add", "Add.", {"a": 1})] * 3
    assert ran[2][0].schema == {
        "type": "object",
        "properties": {"a": {"type": ["integer", "null"]}, "b": {"description": "x"}},
        "required": ["b"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    ("said", "read_only"),
    [
        (None, None),
        (SimpleNamespace(title="x"), None),
        (SimpleNamespace(readOnlyHint=True, destructiveHint=None), True),
        (SimpleNamespace(read_only_hint=True, destructive_hint=None), True),
        (SimpleNamespace(read_only_hint=False, destructive_hint=None), False),
        (SimpleNamespace(read_only_hint=None, destructive_hint=True), False),
        (SimpleNamespace(read_only_hint=None, destructive_hint=False), False),
    ],
)
def test_hints_say_what_may_run_unasked(said, read_only):
    """Not destructive is not read-only: it may still add things."""
    assert read_only_hint(said) is read_only


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        (SimpleNamespace(content=[], structured_content={"result": 3}, is_error=False), 3),
        (SimpleNamespace(content=[], structuredContent={"a": 1}, isError=False), {"a": 1}),
        (SimpleNamespace(content=[SimpleNamespace(type="text", text="one")]), "one"),
        (([SimpleNamespace(type="text", text="3")], {"result": 3}), 3),
    ],
)
def test_an_answer_of_a_server_is_taken_out_of_its_wrapping(answer, result):
    """Its structure where it has one, else its text; in the forms of all releases."""
    server = of("mcp.server.fastmcp", "FastMCP", list_tools=_listed, call_tool=_answering(answer))

    _, pending = run(server)

    assert asyncio.run(pending) == result


async def _listed(_server):
    return [SimpleNamespace(name="add", description=None, inputSchema={"type": "object"}, annotations=None)]


def _answering(answer):
    async def call_tool(_server, _name, _arguments):
        return answer

    return call_tool
