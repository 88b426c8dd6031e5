"""OpenAI's Responses: items as messages, calls by whom they are run, events as one body."""

from typing import Any

import pytest

from amberfork_cli.core.dialects.model import (
    Assembled,
    Chunk,
    Message,
    ResultStatus,
    Role,
    ToolCall,
    ToolDefinition,
    ToolResult,
)
from amberfork_cli.core.dialects.openai_responses import DIALECT
from amberfork_cli.core.tape import JsonValue


def test_every_item_is_a_message() -> None:
    """Instructions stand first; reasoning is the assistant's and has no words to show."""
    called = ToolCall("call_1", "f", '{"x":1}', ("input", 2), ("input", 2, "arguments"))

    history = DIALECT.history(
        {
            "instructions": "Be brief.",
            "input": [
                {"role": "user", "content": [{"type": "input_text", "text": "hi"}]},
                {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}]},
                {
                    "type": "function_call",
                    "id": "fc_1",
                    "call_id": "call_1",
                    "name": "f",
                    "arguments": '{"x":1}',
                },
                {"type": "function_call_output", "call_id": "call_1", "output": "2"},
                {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "2"}]},
                {"type": "item_reference", "id": "msg_1"},
            ],
        }
    )

    answer = ToolResult("call_1", "2", ("input", 3), ("input", 3, "output"), answers=called)
    assert history == (
        Message(("instructions",), Role.SYSTEM, "Be brief."),
        Message(("input", 0), Role.USER, "hi"),
        Message(("input", 1), Role.ASSISTANT),
        Message(("input", 2), Role.ASSISTANT, calls=(called,)),
        Message(("input", 3), Role.TOOL, results=(answer,)),
        Message(("input", 4), Role.ASSISTANT, "2"),
        Message(("input", 5), Role.UNKNOWN),
    )


def test_a_plain_string_is_the_users_message() -> None:
    """The shape allows one in the place of the list."""
    assert DIALECT.history({"input": "hi"}) == (Message(("input",), Role.USER, "hi"),)


@pytest.mark.parametrize(
    ("item", "name", "arguments"),
    [
        ({"type": "custom_tool_call", "name": "f", "input": "print(1)"}, "f", "print(1)"),
        ({"type": "local_shell_call", "action": {"command": ["ls"]}}, "local_shell", {"command": ["ls"]}),
        ({"type": "shell_call", "action": {"commands": ["ls"]}}, "shell", {"commands": ["ls"]}),
        ({"type": "apply_patch_call", "operation": {"diff": "+x"}}, "apply_patch", {"diff": "+x"}),
        ({"type": "computer_call", "action": {"type": "click"}}, "computer", {"type": "click"}),
        ({"type": "tool_search_call", "execution": "client", "arguments": {}}, "tool_search", {}),
    ],
)
def test_the_users_own_calls(item: dict[str, JsonValue], name: str, arguments: JsonValue) -> None:
    """They are answered by an output item with their call ID."""
    kind = str(item["type"])
    output = "tool_search_output" if kind == "tool_search_call" else f"{kind}_output"

    declared, answered = DIALECT.history(
        {
            "input": [
                {"id": "x_1", "call_id": "call_1", **item},
                {"type": output, "call_id": "call_1", "output": 1},
            ]
        }
    )

    (called,) = declared.calls
    assert (called.id, called.name, called.arguments, called.by_provider) == (
        "call_1",
        name,
        arguments,
        False,
    )
    assert answered.role is Role.TOOL
    assert answered.results[0].answers == called


def test_the_older_output_of_a_shell_points_back_by_its_own_id() -> None:
    """It has no `call_id`."""
    called, answered = DIALECT.history(
        {
            "input": [
                {"type": "local_shell_call", "id": "lsh_1", "call_id": "call_1", "action": {}},
                {"type": "local_shell_call_output", "id": "call_1", "output": "ok"},
            ]
        }
    )

    assert answered.results[0].answers == called.calls[0]


@pytest.mark.parametrize(
    ("item", "name", "content_key"),
    [
        ({"type": "mcp_call", "name": "ask", "arguments": "{}", "output": "4"}, "ask", "output"),
        (
            {"type": "code_interpreter_call", "code": "1", "outputs": [{"logs": "1"}]},
            "code_interpreter",
            "outputs",
        ),
        ({"type": "file_search_call", "queries": ["q"], "results": []}, "file_search", "results"),
        ({"type": "image_generation_call", "result": "/9j/"}, "image_generation", "result"),
    ],
)
def test_the_providers_own_calls_hold_their_results(
    item: dict[str, JsonValue], name: str, content_key: str
) -> None:
    """Call and result are one item, linked to each other."""
    (message,) = DIALECT.history({"input": [{"id": "x_1", **item}]})

    (called,) = message.calls
    (result,) = message.results
    assert (called.id, called.name, called.by_provider) == ("x_1", name, True)
    assert (result.content, result.content_path) == (item[content_key], ("input", 0, content_key))
    assert result.answers == called


def test_a_search_leaves_no_result_and_a_failed_server_a_failed_one() -> None:
    """What came back of a web search is not on the tape; an error of an MCP server is."""
    search, failed = DIALECT.history(
        {
            "input": [
                {"type": "web_search_call", "id": "ws_1", "action": {"query": "q"}},
                {"type": "mcp_call", "id": "mcp_1", "name": "ask", "error": "no route", "output": None},
            ]
        }
    )

    assert (search.calls[0].by_provider, search.results) == (True, ())
    assert (failed.results[0].content, failed.results[0].status) == ("no route", ResultStatus.FAILED)


def test_approvals_are_neither_calls_nor_results() -> None:
    """The server runs what was approved, and that is an item of its own."""
    history = DIALECT.history(
        {
            "input": [
                {"type": "mcp_approval_request", "id": "mcpr_1", "name": "ask", "arguments": "{}"},
                {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True},
            ]
        }
    )

    assert history == (Message(("input", 0), Role.ASSISTANT), Message(("input", 1), Role.USER))


def test_a_tool_search_on_the_server_is_linked_without_ids() -> None:
    """Both have `call_id: null`, and both are the assistant's."""
    called, answered = DIALECT.history(
        {
            "input": [
                {"type": "tool_search_call", "call_id": None, "execution": "server", "arguments": {}},
                {"type": "tool_search_output", "call_id": None, "execution": "server", "tools": []},
            ]
        }
    )

    assert called.calls[0].by_provider
    assert answered.role is Role.ASSISTANT
    assert answered.results[0].answers == called.calls[0]


def test_the_output_is_one_reply() -> None:
    """All its items together; an item that is not finished is not complete."""
    reply = DIALECT.reply(
        {
            "output": [
                {"type": "reasoning", "summary": []},
                {
                    "type": "message",
                    "role": "assistant",
                    "content": [{"type": "output_text", "text": "Look:"}],
                },
                {
                    "type": "function_call",
                    "call_id": "1",
                    "name": "f",
                    "arguments": "{}",
                    "status": "completed",
                },
                {
                    "type": "function_call",
                    "call_id": "2",
                    "name": "g",
                    "arguments": '{"',
                    "status": "incomplete",
                },
            ]
        }
    )

    assert reply is not None
    assert (reply.path, reply.role, reply.text) == (("output",), Role.ASSISTANT, "Look:")
    assert [(each.path, each.complete) for each in reply.calls] == [
        (("output", 2), True),
        (("output", 3), False),
    ]


def test_a_compacted_history_is_no_reply() -> None:
    """Its output is what was said before."""
    assert DIALECT.reply({"object": "response.compaction", "output": []}) is None


def test_tools_go_by_name_server_or_type() -> None:
    """The user's and the provider's; those of a namespace each by itself."""
    tools = DIALECT.tools(
        {
            "tools": [
                {"type": "function", "name": "f", "description": "F.", "parameters": {"type": "object"}},
                {"type": "mcp", "server_label": "wiki"},
                {"type": "web_search"},
                {"type": "apply_patch"},
                {"type": "namespace", "name": "n", "tools": [{"type": "custom", "name": "g"}]},
            ]
        }
    )

    assert tools == (
        ToolDefinition("f", ("tools", 0), "F.", {"type": "object"}),
        ToolDefinition("wiki", ("tools", 1), by_provider=True),
        ToolDefinition("web_search", ("tools", 2), by_provider=True),
        ToolDefinition("apply_patch", ("tools", 3)),
        ToolDefinition("g", ("tools", 4, "tools", 0)),
    )


CALL_ITEM: dict[str, JsonValue] = {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": ""}
TEXT_ITEM: dict[str, JsonValue] = {"type": "message", "role": "assistant", "content": []}
EVENTS: list[Any] = [
    {"type": "response.created", "response": {"id": "resp_1", "status": "in_progress", "output": []}},
    {"type": "response.output_item.added", "output_index": 0, "item": CALL_ITEM},
    {"type": "response.function_call_arguments.delta", "output_index": 0, "delta": '{"x":'},
    {"type": "response.output_item.added", "output_index": 1, "item": TEXT_ITEM},
    {
        "type": "response.content_part.added",
        "output_index": 1,
        "content_index": 0,
        "part": {"type": "output_text", "text": ""},
    },
    {"type": "response.output_text.delta", "output_index": 1, "content_index": 0, "delta": "Look"},
    {"type": "response.function_call_arguments.delta", "output_index": 0, "delta": "1}"},
    {"type": "response.output_text.delta", "output_index": 1, "content_index": 0, "delta": "ing"},
]
PUT_TOGETHER: list[JsonValue] = [
    {**CALL_ITEM, "arguments": '{"x":1}'},
    {**TEXT_ITEM, "content": [{"type": "output_text", "text": "Looking"}]},
]


def test_the_last_event_carries_the_whole_response() -> None:
    """It is taken as it is."""
    whole: JsonValue = {"id": "resp_1", "status": "completed", "output": [{**CALL_ITEM, "arguments": "{}"}]}

    answer = DIALECT.assemble(chunks([*EVENTS, {"type": "response.completed", "response": whole}]))

    assert answer == Assembled(whole, complete=True)


def test_a_last_event_without_output_gets_what_came_before() -> None:
    """Codex's backend sends an empty one."""
    last: JsonValue = {"id": "resp_1", "status": "completed", "output": []}
    done: JsonValue = {"type": "response.output_item.done", "output_index": 0, "item": PUT_TOGETHER[0]}

    answer = DIALECT.assemble(chunks([*EVENTS, done, {"type": "response.completed", "response": last}]))

    assert answer == Assembled({"id": "resp_1", "status": "completed", "output": PUT_TOGETHER}, complete=True)


def test_a_stream_cut_short_is_put_together_from_its_pieces() -> None:
    """Nothing said that the response had ended, so none of its calls is complete."""
    answer = DIALECT.assemble(chunks(EVENTS))

    assert answer == Assembled(
        {"id": "resp_1", "status": "in_progress", "output": PUT_TOGETHER}, complete=False
    )


def chunks(events: list[JsonValue]) -> list[Chunk]:
    return [Chunk("message", event) for event in events]
