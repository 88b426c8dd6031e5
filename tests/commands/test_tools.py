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


def test_a_registry_is_held_against_a_tape(tools, tmp_path):
    """What calls on the tape could not find, or would find changed, is a difference."""
    schema = {"type": "object", "properties": {"order": {"type": "integer"}}, "required": ["order"],
              "additionalProperties": False}  # fmt: skip
    offered = [
        {"name": "refund", "input_schema": schema},
        {"name": "mail", "input_schema": {"type": "object"}},
    ]
    body = {"model": "m", "max_tokens": 1, "messages": [{"role": "user", "content": "x"}], "tools": offered}
    line = {"request": {"method": "POST", "path": "/v1/messages", "body": body}, "response": {"status": 200}}
    (tmp_path / "run.jsonl").write_text(json.dumps(line) + "\n")

    assert tools("--check", "run.jsonl") == (
        ExitCode.DIFFERENT,
        """\
◆ refund  another schema
┃ schema.properties.order.type  "integer" → "string"
◆ mail  missing in the registry
● search  not on the tape

2 tools on the tape: 1 with another schema, 1 missing in the registry; 1 more in the registry.
""",
        "",
    )


def test_one_thing_at_a_time(tools):
    """A check is no JSON for a request."""
    code, out, err = tools("--check", "run.jsonl", "--format", "openai")

    assert (code, out, err) == (ExitCode.TROUBLE, "", "amberfork: --check and --format exclude each other\n")
