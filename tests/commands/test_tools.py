"""`amberfork tools`: a registry to look at, to paste, to hold against a tape."""

from __future__ import annotations

import json
import sys
from textwrap import dedent

import pytest

from amberfork_cli.cli import app
from amberfork_cli.commands.exits import ExitCode, run

TOOLS = """
    from amberfork_cli.core.tools.registry import ToolRegistry

    registry = ToolRegistry()

    @registry.tool
    def search(query: str, limit: int = 5) -> list:
        "Look it up.\\n\\nAnd more."

    @registry.tool(read_only=False, timeout_ms=500)
    def refund(order: str):
        "Send it back."
"""


@pytest.fixture
def tools(tmp_path, monkeypatch, capfd):
    """`tools` on the registry: exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mytools.py").write_text(dedent(TOOLS))

    def tools(*options):
        monkeypatch.setattr(sys, "argv", ["amberfork", "tools", "--registry", "mytools.py", *options])
        with pytest.raises(SystemExit) as ended:
            run(app)
        return ended.value.code, *capfd.readouterr()

    return tools


def test_a_registry_is_a_table(tools):
    """What a tool takes, whether it has side effects, how long it may take, what it does."""
    assert tools() == (
        ExitCode.SAME,
        """\
search(query, limit?)  read-only    10 s   Look it up.
refund(order)          side effect  0.5 s  Send it back.
""",
        "",
    )


@pytest.mark.parametrize(
    ("form", "name"),
    [
        ("openai", lambda tools: tools[0]["function"]["name"]),
        ("anthropic", lambda tools: tools[0]["name"]),
        ("gemini", lambda tools: tools[0]["functionDeclarations"][0]["name"]),
    ],
)
def test_a_registry_can_be_pasted_into_a_request(tools, form, name):
    """In each provider's form."""
    code, out, _ = tools("--format", form)

    assert (code, name(json.loads(out))) == (ExitCode.SAME, "search")


REFUND = {"type": "object", "properties": {"order": {"type": "string"}}, "required": ["order"]}
SEARCH = {
    "type": "object",
    "properties": {"query": {"type": "string"}, "limit": {"type": "integer", "default": 5}},
    "required": ["query"],
}


@pytest.fixture
def tape(tmp_path):
    """A tape in whose only exchange these tools are offered and the model makes these calls."""

    def tape(offered, *calls):
        body = {"model": "m", "messages": [{"role": "user", "content": "x"}], "max_tokens": 1}
        body["tools"] = [
            {"name": name, "description": said, "input_schema": schema} for name, said, schema in offered
        ]
        blocks = [
            {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": arguments}
            for number, (name, arguments) in enumerate(calls)
        ]
        answer = {"role": "assistant", "content": blocks}
        line = {
            "request": {"method": "POST", "path": "/v1/messages", "body": body},
            "response": {"status": 200, "body": answer},
        }
        (tmp_path / "run.jsonl").write_text(json.dumps(line) + "\n")
        return "run.jsonl"

    return tape


def test_a_registry_is_held_against_a_tape(tools, tape):
    """What calls on the tape could not find, or would find changed, is a difference."""
    integer = {"type": "object", "properties": {"order": {"type": "integer"}}, "required": ["order"]}
    offered = [("refund", "Send it back.", integer), ("mail", "Write.", {"type": "object"})]

    recorded = tape(offered, ("refund", {"order": 7}), ("mail", {}), ("refund", {"order": "LF-1"}))

    assert tools("--check", recorded) == (
        ExitCode.DIFFERENT,
        """\
◆ refund  the schema differs
┃ parameters.properties.order.type  "integer" → "string"
◆ mail    missing in the registry
● search  not on the tape

2 tools on the tape: 1 with another schema, 1 missing in the registry; 1 more in the registry.
2 of 3 calls on the tape do not fit (refund, mail): see amberfork run-tools --dry-run.
""",
        "",
    )


def test_other_descriptions_are_a_difference_that_breaks_no_call(tools, tape):
    """It is seen at once that the calls fit."""
    described = {**REFUND, "properties": {"order": {"type": "string", "description": "Its number"}}}
    offered = [("refund", "Send it back.", described), ("search", "Look it up.\n\nAnd more.", SEARCH)]

    recorded = tape(offered, ("refund", {"order": "LF-1"}))

    assert tools("--check", recorded) == (
        ExitCode.DIFFERENT,
        """\
◇ refund  descriptions differ
┃ parameters.properties.order.description  - "Its number"
· search  same

2 tools on the tape: 1 the same, 1 with other descriptions.
The only call on the tape fits.
""",
        "",
    )


def test_a_registry_that_is_what_the_tape_offers_is_the_same(tools, tape):
    """One more tool is no difference."""
    assert tools("--check", tape([("refund", "Send it back.", REFUND)])) == (
        ExitCode.SAME,
        """\
· refund  same
● search  not on the tape

1 tool on the tape: 1 the same; 1 more in the registry.
No call on the tape.
""",
        "",
    )


def test_one_thing_at_a_time(tools):
    """A check is no JSON for a request."""
    code, out, err = tools("--check", "run.jsonl", "--format", "openai")

    assert (code, out, err) == (ExitCode.TROUBLE, "", "amberfork: --check and --format exclude each other\n")
