"""docs/exit-codes.md: every cell of its table, by a command line that ends so."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest
from served_agents import agent
from stub_provider import StubProvider, chat, chat_request
from typer.main import get_command

from amberfork_cli.cli import app

DOCUMENT = Path(__file__).parents[2] / "docs" / "exit-codes.md"
KEY = "sk-proj-" + "aB3dE5gH" * 6
CODES = (0, 1, 2)

NO_TAPE = "no-such-tape.jsonl"
CELLS: dict[tuple[str, int], list[str]] = {
    ("canon", 0): ["canon", "bodies.jsonl"],
    ("canon", 1): ["canon", "--check", "bodies.jsonl"],
    ("canon", 2): ["canon", NO_TAPE],
    ("diff", 0): ["diff", "a.jsonl", "a.jsonl"],
    ("diff", 1): ["diff", "a.jsonl", "b.jsonl"],
    ("diff", 2): ["diff", "a.jsonl", NO_TAPE],
    ("run-tools", 0): ["run-tools", "calls.jsonl", "--registry", "same.py"],
    ("run-tools", 1): ["run-tools", "calls.jsonl", "--registry", "other.py"],
    ("run-tools", 2): ["run-tools", "calls.jsonl", "--registry", "none.py"],
    ("tools", 0): ["tools", "--registry", "same.py"],
    ("tools", 1): ["tools", "--registry", "other.py", "--check", "offers.jsonl"],
    ("tools", 2): ["tools", "--registry", "none.py"],
    ("show", 0): ["show", "a.jsonl"],
    ("show", 2): ["show", NO_TAPE],
    ("convert", 0): ["convert", "a.jsonl"],
    ("convert", 2): ["convert", NO_TAPE],
    ("lint", 0): ["lint", "a.jsonl"],
    ("lint", 1): ["lint", "secret.jsonl"],
    ("lint", 2): ["lint", NO_TAPE],
    ("redact", 0): ["redact", "secret.jsonl"],
    ("redact", 2): ["redact", NO_TAPE],
    ("check", 0): ["check", "a.jsonl", "--", *agent("ask('a')")],
    ("check", 1): ["check", "a.jsonl", "--", *agent("ask('b')")],
    ("check", 2): ["check", "a.jsonl", "--", *agent("ask('a'); sys.exit(1)")],
    ("record", 0): ["record", "-o", "new.jsonl", "--", *agent("ask('a')")],
    ("record", 1): ["record", "-o", "new.jsonl", "--", *agent("ask('a'); sys.exit(1)")],
    ("record", 2): ["record", "-o", "a.jsonl", "--", *agent("ask('a')")],
    ("replay", 0): ["replay", "a.jsonl", "--", *agent("ask('a')")],
    ("replay", 1): ["replay", "a.jsonl", "--", *agent("ask('b')")],
    ("replay", 2): ["replay", NO_TAPE, "--", *agent("ask('a')")],
    ("demo", 0): ["demo"],
    ("demo", 2): ["demo", "--no-such-option"],
}
ELSE: dict[str, tuple[int, list[str]]] = {
    "a tape that is canonical": (0, ["canon", "--check", "plain.jsonl"]),
    "a registry that has what is offered": (0, ["tools", "--registry", "same.py", "--check", "offers.jsonl"]),
    "an update": (0, ["check", "a.jsonl", "--update", "--", *agent("ask('b')")]),
    "a tool that answers otherwise": (
        1,
        ["check", "calls.jsonl", "--tools", "other.py", "--", *agent("ask('x')")],
    ),
    "an agent that asks nothing": (2, ["check", "a.jsonl", "--", *agent("pass")]),
    "any code of a recorded agent": (7, ["record", "-o", "new.jsonl", "--", *agent("sys.exit(7)")]),
    "any code of a replayed agent": (7, ["replay", "a.jsonl", "--", *agent("sys.exit(7)")]),
    "a signal": (143, ["replay", "a.jsonl", "--", *agent("os.kill(os.getpid(), 15)")]),
    "an agent that cannot be started": (2, ["record", "-o", "new.jsonl", "--", "no-such-agent"]),
}


@pytest.fixture
def files(write, monkeypatch):
    """Tapes and registries, and a provider."""
    for name, text in (("a", "a"), ("b", "b"), ("plain", "a"), ("secret", KEY)):
        write(f"{name}.jsonl", [line(json.loads(chat_request(text)))])
    asks = {"role": "user", "content": "x"}
    call = {"id": "call_1", "type": "function", "function": {"name": "now", "arguments": "{}"}}
    results = [asks, {"role": "assistant", "tool_calls": [call]}]
    results.append({"role": "tool", "tool_call_id": "call_1", "content": "noon"})
    write("bodies.jsonl", [json.dumps({"model": "m", "messages": results})])
    write(
        "calls.jsonl",
        [line({"model": "m", "messages": [asks]}, [call]), line({"model": "m", "messages": results})],
    )
    schema = {"type": "object", "properties": {}, "additionalProperties": False}
    offered = {"type": "function", "function": {"name": "now", "description": "Now.", "parameters": schema}}
    write("offers.jsonl", [line({"model": "m", "messages": [asks], "tools": [offered]})])
    write("same.py", REGISTRY.format(name="now", answer="noon"))
    write("other.py", REGISTRY.format(name="then", answer="noon"))
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    with StubProvider(lambda _: chat("Hi.")) as stub:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{stub.url}/v1")
        yield


REGISTRY = """
from amberfork_cli import ToolRegistry
registry = ToolRegistry()
@registry.tool(read_only=True)
def {name}() -> str:
    "Now."
    return "{answer}"
"""


def line(body, calls=None):
    """An exchange."""
    message = {"role": "assistant", "content": None if calls else "Hi."} | (
        {"tool_calls": calls} if calls else {}
    )
    request = {"method": "POST", "path": "/v1/chat/completions", "body": body}
    return json.dumps(
        {"request": request, "response": {"status": 200, "body": {"choices": [{"message": message}]}}}
    )


def table() -> dict[str, list[str]]:
    """The cells of each command, as the document has them."""
    rows = re.findall(r"^\| `([\w-]+)` \|(.*)\|$", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE)
    return {command: [cell.strip() for cell in cells.split("|")] for command, cells in rows}


def test_the_document_has_a_row_for_every_command():
    """And a cell for every code that it can end with."""
    told = table()

    assert set(told) == set(get_command(app).commands)
    assert {(command, code) for command in told for code in CODES if told[command][code]} == set(CELLS)


@pytest.mark.parametrize(("command", "code"), CELLS, ids=[f"{command} {code}" for command, code in CELLS])
@pytest.mark.usefixtures("files")
def test_a_command_ends_as_the_document_says(command, code, amberfork):
    """Run in earnest."""
    assert amberfork(*CELLS[command, code]).code == code


@pytest.mark.parametrize("case", ELSE)
@pytest.mark.usefixtures("files")
def test_what_else_the_document_says_is_so(case, amberfork):
    """Cases that share a cell, and the codes of agents."""
    code, arguments = ELSE[case]

    assert amberfork(*arguments).code == code
