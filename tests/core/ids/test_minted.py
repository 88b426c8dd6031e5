"""What responses gave out: which IDs, under which name, and how long a meaning holds."""

import pytest

from amberfork_cli.core.ids.id_rules import IdClass
from amberfork_cli.core.ids.minted import (
    MintedIds,
    conversations_of,
    given_out,
    given_out_by_stream,
    path_ids,
)
from amberfork_cli.core.tape import JsonValue

CALL, ITEM = IdClass.CALL, IdClass.ITEM


def test_a_meaning_is_the_exchange_and_which_of_its_ids() -> None:
    """Counted in each class; an item that is repeated is one, a call that is repeated is several."""
    minted = MintedIds()

    minted.take(
        3, "af1:x", [(ITEM, "r"), (CALL, "a"), (ITEM, "m"), (CALL, "b"), (CALL, "a"), (ITEM, "r")], but=()
    )

    assert dict(minted) == {
        "r": (b"af1:x item 0",),
        "a": (b"af1:x tool_call 0", b"af1:x tool_call 2"),
        "m": (b"af1:x item 1",),
        "b": (b"af1:x tool_call 1",),
    }
    assert (len(minted), minted.minter("b"), minted.minter("c")) == (4, 3, None)


def test_what_the_request_named_is_not_minted_again() -> None:
    """Its response only repeats it, and it counts for nothing."""
    minted = MintedIds()

    minted.take(0, "first", [(ITEM, "r1")], but=())
    minted.take(1, "second", [(ITEM, "r1"), (ITEM, "r2")], but={"r1"})

    assert dict(minted) == {"r1": (b"first item 0",), "r2": (b"second item 0",)}


def test_of_several_exchanges_that_minted_one_id_the_one_gone_on_from_counts() -> None:
    """Else the latest: a host may count its calls anew in every response."""
    minted = MintedIds()
    for number, by in enumerate(["first", "second", "third"]):
        minted.take(number, by, [(CALL, "0")], but=())

    found = []
    for number in (None, 0, 1, 2, 7):
        minted.go_on_from(number)
        found.append(minted["0"])

    third = (b"third tool_call 0",)
    assert found == [third, (b"first tool_call 0",), (b"second tool_call 0",), third, third]


def test_a_conversation_that_went_on_is_another_one() -> None:
    """Its handle stands for the exchange that added to it last."""
    minted = MintedIds()
    minted.take(0, "first", [(ITEM, "conv_1")], but=())

    minted.move_on(1, "second", ["conv_1", "conv_2"])

    assert dict(minted) == {"conv_1": (b"second conversation",), "conv_2": (b"second conversation",)}
    assert minted.minter("conv_1") == 1


@pytest.mark.parametrize(
    ("method", "path", "found"),
    [
        ("POST", "/v1/threads/thread_1/messages", ["thread_1"]),
        ("post", "/v1/threads/thread_1/runs/run_1/cancel?x=threads/y", ["thread_1"]),
        ("DELETE", "/v1/conversations/conv_1", ["conv_1"]),
        ("GET", "/v1/threads/thread_1/messages", []),
        ("head", "/v1/threads/thread_1", []),
        ("POST", "/v1/threads", []),
        ("POST", "/v1/agents/ag_1/completions", []),
    ],
)
def test_a_path_names_the_conversation_that_it_adds_to(method: str, path: str, found: list[str]) -> None:
    """Reading adds nothing; an agent or assistant is no conversation."""
    assert conversations_of(method, path) == found


def test_the_ids_of_a_path_are_its_segments() -> None:
    """Without the query."""
    assert path_ids("/v1/threads/a?b=/c/d") == ["", "v1", "threads", "a"]


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (
            {
                "id": "resp_1",
                "conversation": {"id": "conv_1"},
                "previous_response_id": "resp_0",
                "output": [
                    {"type": "reasoning", "id": "rs_1", "encrypted_content": "s"},
                    {"type": "function_call", "id": "fc_1", "call_id": "call_1"},
                    {"type": "code_interpreter_call", "id": "ci_1", "container_id": "cntr_1"},
                    {"type": "mcp_approval_request", "id": "mcpr_1"},
                ],
            },
            [
                (ITEM, "conv_1"),
                (ITEM, "resp_1"),
                (ITEM, "rs_1"),
                (CALL, "call_1"),
                (ITEM, "fc_1"),
                (ITEM, "cntr_1"),
                (ITEM, "ci_1"),
                (CALL, "mcpr_1"),
                (ITEM, "resp_0"),
            ],
        ),
        (
            {"id": "int_1", "outputs": [{"type": "function_call", "id": "1", "name": "f"}]},
            [(ITEM, "int_1"), (ITEM, "1")],
        ),
        (
            {
                "id": "run_1",
                "required_action": {
                    "submit_tool_outputs": {"tool_calls": [{"id": "call_1", "type": "function"}]}
                },
            },
            [(ITEM, "run_1"), (CALL, "call_1")],
        ),
        ({"container": {"id": "container_1"}, "id": "msg_1"}, [(ITEM, "container_1"), (ITEM, "msg_1")]),
        ({"output": [{"type": "function_call", "id": "1", "call_id": "1"}]}, [(CALL, "1")]),
        ([{"type": "response.created", "response": {"id": "resp_1"}}], [(ITEM, "resp_1")]),
        (
            [
                {"type": "response.output_item.added", "item": {"id": "item_1", "call_id": "call_1"}},
                {"type": "response.function_call_arguments.delta", "call_id": "call_1", "delta": "{"},
                {"type": "response.function_call_arguments.delta", "call_id": "call_1", "delta": "}"},
                {"type": "response.output_item.added", "item": {"id": "item_2", "call_id": "call_2"}},
            ],
            [(CALL, "call_1"), (ITEM, "item_1"), (CALL, "call_2"), (ITEM, "item_2")],
        ),
        (
            [{"toolCall": {"functionCalls": [{"id": "1", "name": "f", "args": {"id": "x"}}, {"id": "2"}]}}],
            [(CALL, "1"), (CALL, "2")],
        ),
        ({"data": [{"id": "x"}]}, []),
        ([], []),
    ],
)
def test_what_a_json_response_gives_out(answer: JsonValue, found: list[tuple[IdClass, str]]) -> None:
    """Calls that it declares, and handles of what it made; a list is one of events, which repeat them."""
    assert list(given_out(answer)) == found


def test_what_a_stream_gives_out() -> None:
    """Each ID once, however many events repeat it; what an argument holds is escaped, and no ID."""
    stream = (
        'data: {"type":"response.created","response":{"id":"resp_1","object":"response"}}\n\n'
        'data: {"type":"response.output_item.added","item":{"id":"fc_1","call_id":"call_1"}}\n\n'
        'data: {"type":"response.output_item.done","item":{"id":"fc_1","call_id" : "call_1",'
        '"arguments":"{\\"id\\":\\"record-1\\"}"}}\n\n'
        'data: {"type":"response.completed","response":{"id":"resp_1","output":[{"id":"fc_1"}]}}\n\n'
    )

    assert list(given_out_by_stream(stream)) == [(ITEM, "resp_1"), (ITEM, "fc_1"), (CALL, "call_1")]
