"""OpenAI's Assistants: runs that wait for outputs."""

from amberfork_cli.core.dialects.model import DONE, Assembled, Chunk, Message, Role, ToolResult
from amberfork_cli.core.dialects.openai_assistants import DIALECT
from amberfork_cli.core.tape import JsonValue

CALL: JsonValue = {"id": "f_1", "type": "function", "function": {"name": "f", "arguments": '{"x":1}'}}


def test_a_run_waits_for_the_outputs_of_its_calls() -> None:
    """The run shows the calls, the next request their outputs."""
    run: JsonValue = {
        "object": "thread.run",
        "required_action": {"submit_tool_outputs": {"tool_calls": [CALL]}},
    }

    reply = DIALECT.reply(run)
    history = DIALECT.history({"tool_outputs": [{"tool_call_id": "f_1", "output": "1"}]})

    assert reply is not None
    assert [(call.id, call.path) for call in reply.calls] == [
        ("f_1", ("required_action", "submit_tool_outputs", "tool_calls", 0))
    ]
    path = ("tool_outputs", 0)
    assert history == (Message(path, Role.TOOL, results=(ToolResult("f_1", "1", path, (*path, "output")),)),)


def test_the_events_of_a_run_spell_it_as_it_was_last() -> None:
    """Each carries the whole run."""
    waiting: JsonValue = {"object": "thread.run", "status": "requires_action"}
    events = [
        Chunk("thread.run.created", {"object": "thread.run", "status": "queued"}),
        Chunk("thread.run.requires_action", waiting),
        Chunk("done", DONE),
    ]

    assert DIALECT.assemble(events) == Assembled(waiting, complete=True)
