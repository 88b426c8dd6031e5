"""Canonical bodies: what becomes of IDs under each set of rules, and the laws that hold for every body."""

import random
import re
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from odd_bodies import bodies
from wire_samples import (
    SET_ASIDE,
    TWO_CALLS,
    WIRES,
    Json,
    Mint,
    Result,
    Rounds,
    anthropic,
    constant,
    counted,
    data_paths,
    empty,
    fresh,
    in_order,
    only,
    openai_chat,
    restarting,
    rounds,
    spelled,
    with_a_mention,
    with_change,
    with_members_shuffled,
    with_results,
)

from amberfork_cli.core import jsontext
from amberfork_cli.core.ids.canonical import Canonical, IdUse, canonicalize
from amberfork_cli.core.ids.id_rules import IdClass, IdRules
from amberfork_cli.core.tape import JsonValue

FULL = [IdRules.ALL, IdRules.ITEMS, IdRules.CALLS]
CALL_0, CALL_1, CALL_2 = (f"__amberfork_tool_call_{number}__" for number in range(3))
ITEM_0, ITEM_1 = (f"__amberfork_item_{number}__" for number in range(2))
BLOB_0 = "__amberfork_blob_0__"


def function(one: str, arguments: str = "{}") -> Json:
    """A call as OpenAI's chat completions have it."""
    return {"id": one, "type": "function", "function": {"name": "f", "arguments": arguments}}


def tool_use(one: str, given: Json = None) -> Json:
    """A call as Anthropic has it."""
    return {"type": "tool_use", "id": one, "name": "f", "input": given or {}}


def tool_result(one: str, text: str = "ok") -> Json:
    """The result of a call as Anthropic has it."""
    return {"type": "tool_result", "tool_use_id": one, "content": text}


def said(*blocks: Json) -> Json:
    """A body of one message."""
    return {"messages": [{"role": "assistant", "content": list(blocks)}]}


@pytest.mark.parametrize(
    ("body", "canonical"),
    [
        (
            [
                {"role": "assistant", "tool_calls": [function("a", '{"id": "a"}'), function("b")]},
                {"role": "tool", "tool_call_id": "b", "content": "a"},
                {"role": "tool", "tool_call_id": "a", "content": "b"},
            ],
            [
                {"role": "assistant", "tool_calls": [function(CALL_0, '{"id": "a"}'), function(CALL_1)]},
                {"role": "tool", "tool_call_id": CALL_1, "content": "a"},
                {"role": "tool", "tool_call_id": CALL_0, "content": "b"},
            ],
        ),
        (
            said(tool_use("toolu_1", {"id": "record-1"}), tool_result("toolu_1")),
            said(tool_use(CALL_0, {"id": "record-1"}), tool_result(CALL_0)),
        ),
        (
            [
                {"type": "function_call", "id": "fc_1", "call_id": "call_1"},
                {"type": "function_call_output", "call_id": "call_1", "output": {"call_id": "2"}},
            ],
            [
                {"type": "function_call", "id": "fc_1", "call_id": CALL_0},
                {"type": "function_call_output", "call_id": CALL_0, "output": {"call_id": CALL_1}},
            ],
        ),
        (
            {"z": tool_result("1"), "a": {"type": "server_tool_use", "id": "1"}, "call_id": "2"},
            {"z": tool_result(CALL_0), "a": {"type": "server_tool_use", "id": "1"}, "call_id": CALL_1},
        ),
        (
            {"id": "x", "toolUse": {"toolUseId": "x"}, "tool_calls": [{"id": "x"}], "call_id": None},
            {"id": "x", "toolUse": {"toolUseId": "x"}, "tool_calls": [{"id": "x"}], "call_id": None},
        ),
        (
            {
                "tools": [{"type": "function", "id": ""}],
                "arguments": {"call_id": "call_A1"},
                "text": "call_A1",
            },
            {
                "tools": [{"type": "function", "id": CALL_0}],
                "arguments": {"call_id": CALL_1},
                "text": "call_A1",
            },
        ),
        (
            [{"call_id": "b"}, {"call_id": "a"}, {"call_id": "b"}],
            [{"call_id": CALL_0}, {"call_id": CALL_1}, {"call_id": CALL_0}],
        ),
        ({"call_id": "call_1|fc_1"}, {"call_id": CALL_0}),
        ("call_id", "call_id"),
    ],
)
def test_the_seed_rules(body: JsonValue, canonical: JsonValue) -> None:
    """By value, in document order, in data too, and where one end of a link is known, at that end alone."""
    assert canonicalize(body, rules=IdRules.SEED).value == canonical


@pytest.mark.parametrize("rules", IdRules)
def test_a_body_without_ids_is_itself(rules: IdRules) -> None:
    """Under the seed's rules and under the full ones; but it is another object."""
    body: JsonValue = {
        "model": "m",
        "messages": [{"role": "user", "content": "hi", "id": "record-1"}],
        "n": 1,
    }

    canonical = canonicalize(body, rules=rules)

    assert canonical == Canonical(body, (), (), ())
    assert canonical.value is not body


@pytest.mark.parametrize("rules", IdRules)
@pytest.mark.parametrize(("wire", "prefix"), [(openai_chat, "call_"), (anthropic, "toolu_")])
def test_fresh_ids_at_both_ends_make_no_difference(
    wire: Callable[[Rounds], Json], prefix: str, rules: IdRules
) -> None:
    """OpenAI's and Anthropic's, as the seed's own tests have it."""
    one, other = (spelled(wire(TWO_CALLS), calls_minted(prefix + salt)) for salt in ("Aa1", "Bb2"))

    assert canonicalize(one, rules=rules).value == canonicalize(other, rules=rules).value


@pytest.mark.parametrize("rules", IdRules)
def test_an_id_in_a_tools_input_is_data(rules: IdRules) -> None:
    """Two records are two records."""
    one, other = (said(tool_use("toolu_1", {"id": record})) for record in ("record-1", "record-2"))

    assert canonicalize(one, rules=rules).value != canonicalize(other, rules=rules).value


@pytest.mark.parametrize(
    ("body", "canonical"),
    [
        pytest.param(
            {
                "messages": [
                    {"role": "assistant", "content": None, "tool_calls": [function("b"), function("a")]},
                    {"role": "tool", "tool_call_id": "a", "content": [{"call_id": "a"}]},
                    {"role": "tool", "tool_call_id": "b", "content": "done"},
                ]
            },
            {
                "messages": [
                    {
                        "role": "assistant",
                        "content": None,
                        "tool_calls": [function(CALL_0), function(CALL_1)],
                    },
                    {"role": "tool", "tool_call_id": CALL_1, "content": [{"call_id": "a"}]},
                    {"role": "tool", "tool_call_id": CALL_0, "content": "done"},
                ]
            },
            id="openai chat",
        ),
        pytest.param(
            said(
                {"type": "thinking", "thinking": "Hm.", "signature": "EqQB"},
                {"type": "server_tool_use", "id": "srvtoolu_1", "name": "run", "input": {"tool_use_id": "x"}},
                tool_use("toolu_1")
                | {"caller": {"type": "code_execution_20250825", "tool_id": "srvtoolu_1"}},
                tool_result("toolu_1"),
                {
                    "type": "code_execution_tool_result",
                    "tool_use_id": "srvtoolu_1",
                    "content": {"encrypted_stdout": "e"},
                },
            ),
            said(
                {"type": "thinking", "thinking": "Hm.", "signature": BLOB_0},
                {"type": "server_tool_use", "id": CALL_0, "name": "run", "input": {"tool_use_id": "x"}},
                tool_use(CALL_1) | {"caller": {"type": "code_execution_20250825", "tool_id": CALL_0}},
                tool_result(CALL_1),
                {
                    "type": "code_execution_tool_result",
                    "tool_use_id": CALL_0,
                    "content": {"encrypted_stdout": "__amberfork_blob_1__"},
                },
            ),
            id="anthropic",
        ),
        pytest.param(
            {
                "previous_response_id": "resp_1",
                "input": [
                    {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"},
                    {
                        "type": "function_call",
                        "id": "fc_1",
                        "call_id": "call_1",
                        "name": "f",
                        "arguments": "{}",
                    },
                    {"type": "function_call_output", "call_id": "call_1", "output": '{"call_id": "call_1"}'},
                    {"type": "mcp_approval_request", "id": "mcpr_1", "name": "f", "arguments": "{}"},
                    {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True},
                ],
            },
            {
                "previous_response_id": "__amberfork_item_2__",
                "input": [
                    {"type": "reasoning", "id": ITEM_0, "summary": [], "encrypted_content": BLOB_0},
                    {
                        "type": "function_call",
                        "id": ITEM_1,
                        "call_id": CALL_0,
                        "name": "f",
                        "arguments": "{}",
                    },
                    {"type": "function_call_output", "call_id": CALL_0, "output": '{"call_id": "call_1"}'},
                    {"type": "mcp_approval_request", "id": CALL_1, "name": "f", "arguments": "{}"},
                    {"type": "mcp_approval_response", "approval_request_id": CALL_1, "approve": True},
                ],
            },
            id="openai responses",
        ),
        pytest.param(
            {
                "contents": [
                    {
                        "parts": [
                            {
                                "functionCall": {"id": "1", "name": "f", "args": {"id": "1"}},
                                "thoughtSignature": "s",
                            }
                        ]
                    },
                    {"parts": [{"functionResponse": {"id": "1", "name": "f", "response": {"id": "1"}}}]},
                    {"parts": [{"functionCall": {"name": "f", "args": {}}}]},
                ],
                "cachedContent": "cachedContents/1",
            },
            {
                "contents": [
                    {
                        "parts": [
                            {
                                "functionCall": {"id": CALL_0, "name": "f", "args": {"id": "1"}},
                                "thoughtSignature": BLOB_0,
                            }
                        ]
                    },
                    {"parts": [{"functionResponse": {"id": CALL_0, "name": "f", "response": {"id": "1"}}}]},
                    {"parts": [{"functionCall": {"name": "f", "args": {}}}]},
                ],
                "cachedContent": ITEM_0,
            },
            id="gemini",
        ),
        pytest.param(
            said(
                {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "s"}}},
                {"toolUse": {"toolUseId": "tooluse_1", "name": "f", "input": {"toolUseId": "x"}}},
                {"toolResult": {"toolUseId": "tooluse_1", "content": [{"json": {"toolUseId": "x"}}]}},
            ),
            said(
                {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": BLOB_0}}},
                {"toolUse": {"toolUseId": CALL_0, "name": "f", "input": {"toolUseId": "x"}}},
                {"toolResult": {"toolUseId": CALL_0, "content": [{"json": {"toolUseId": "x"}}]}},
            ),
            id="bedrock",
        ),
        pytest.param(
            {
                "messages": [
                    {"role": "assistant", "tool_calls": [{"id": "D681PevKs", "function": {"name": "f"}}]},
                    {"role": "tool", "name": "f", "tool_call_id": "D681PevKs", "content": ""},
                ]
            },
            {
                "messages": [
                    {"role": "assistant", "tool_calls": [{"id": CALL_0, "function": {"name": "f"}}]},
                    {"role": "tool", "name": "f", "tool_call_id": CALL_0, "content": ""},
                ]
            },
            id="mistral",
        ),
        pytest.param(
            {
                "tool_outputs": [
                    {"tool_call_id": "call_2", "output": "a"},
                    {"tool_call_id": "call_1", "output": "b"},
                ]
            },
            {
                "tool_outputs": [
                    {"tool_call_id": CALL_0, "output": "a"},
                    {"tool_call_id": CALL_1, "output": "b"},
                ]
            },
            id="openai assistants",
        ),
        pytest.param(
            {"toolResponse": {"functionResponses": [{"id": "1", "name": "f", "response": {"id": "1"}}]}},
            {"toolResponse": {"functionResponses": [{"id": CALL_0, "name": "f", "response": {"id": "1"}}]}},
            id="gemini live",
        ),
        pytest.param(
            {
                "messages": [
                    {
                        "role": "assistant",
                        "reasoning_details": [
                            {"type": "reasoning.encrypted", "id": "call_1", "data": "s"},
                            {"type": "reasoning.text", "id": "rs_1", "signature": "s"},
                        ],
                        "tool_calls": [function("call_1")],
                    }
                ]
            },
            {
                "messages": [
                    {
                        "role": "assistant",
                        "reasoning_details": [
                            {"type": "reasoning.encrypted", "id": CALL_0, "data": BLOB_0},
                            {"type": "reasoning.text", "id": ITEM_0, "signature": BLOB_0},
                        ],
                        "tool_calls": [function(CALL_0)],
                    }
                ]
            },
            id="reasoning details",
        ),
        pytest.param(
            {
                "messages": [
                    {"tool_calls": [function("call_a|fc_a")]},
                    {"role": "tool", "tool_call_id": "call_a|fc_a"},
                ]
            },
            {
                "messages": [
                    {"tool_calls": [function(f"{CALL_0}|{ITEM_0}")]},
                    {"role": "tool", "tool_call_id": f"{CALL_0}|{ITEM_0}"},
                ]
            },
            id="composite",
        ),
    ],
)
def test_each_wire_shape(body: JsonValue, canonical: JsonValue) -> None:
    """IDs become tokens of their class, both ends of a link the same one, and data stays."""
    assert canonicalize(body).value == canonical


@pytest.mark.parametrize(
    ("rules", "canonical"),
    [
        (
            IdRules.ALL,
            [
                {"id": ITEM_0, "call_id": CALL_0, "encrypted_content": BLOB_0},
                {"call_id": f"{CALL_1}|{ITEM_0}"},
            ],
        ),
        (
            IdRules.ITEMS,
            [{"id": ITEM_0, "call_id": CALL_0, "encrypted_content": "s"}, {"call_id": f"{CALL_1}|{ITEM_0}"}],
        ),
        (
            IdRules.CALLS,
            [{"id": "fc_a", "call_id": CALL_0, "encrypted_content": "s"}, {"call_id": f"{CALL_1}|fc_a"}],
        ),
        (IdRules.SEED, [{"id": "fc_a", "call_id": CALL_0, "encrypted_content": "s"}, {"call_id": CALL_1}]),
    ],
)
def test_the_rules_say_which_classes_are_set_aside(rules: IdRules, canonical: JsonValue) -> None:
    """All; calls and items; calls alone; and what the seed knew."""
    body: JsonValue = {
        "input": [{"id": "fc_a", "call_id": "a", "encrypted_content": "s"}, {"call_id": "call_a|fc_a"}]
    }

    assert canonicalize(body, rules=rules).value == {"input": canonical}


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ('<tool-content call-id="call_Aa1">', f'<tool-content call-id="{CALL_0}">'),
        ("call_Aa1", CALL_0),
        ("call_Aa1 and fc_Aa1xx, call_Aa1.", f"{CALL_0} and {ITEM_0}, {CALL_0}."),
        ("xcall_Aa1 call_Aa12 call_Aa1_ call-call_Aa1", "xcall_Aa1 call_Aa12 call_Aa1_ call-call_Aa1"),
        ("Call_Aa1 call_aa1", "Call_Aa1 call_aa1"),
        ("looking_1 sealed_Aa1 twice_Aa1", "looking_1 sealed_Aa1 twice_Aa1"),
    ],
)
def test_an_id_that_tells_is_replaced_in_text_where_it_stands_whole(text: str, canonical: str) -> None:
    """Calls and items; no words, no blobs, none that was declared twice."""
    ids: list[JsonValue] = [
        {"type": "function_call", "id": "fc_Aa1xx", "call_id": "call_Aa1", "encrypted_content": "sealed_Aa1"},
        {"call_id": "looking_1"},
        {"call_id": "twice_Aa1"},
        {"call_id": "twice_Aa1"},
    ]

    value = canonicalize({"input": [*ids, {"role": "user", "content": text}]}).value

    assert isinstance(value, dict)
    assert value["input"][-1] == {"role": "user", "content": canonical}  # type: ignore[index]


def test_an_id_is_replaced_in_data_and_under_any_name_but_never_in_a_name() -> None:
    """What is known from the protocol may stand in arguments and results; member names are no text."""
    body = said(
        tool_use("toolu_Aa1", {"of": "toolu_Aa1", "toolu_Aa1": 1}), tool_result("toolu_Aa1", "[toolu_Aa1]")
    )

    canonical = canonicalize(body).value

    assert canonical == said(
        tool_use(CALL_0, {"of": CALL_0, "toolu_Aa1": 1}), tool_result(CALL_0, f"[{CALL_0}]")
    )


REGIONS: dict[str, Callable[[Json], Json]] = {
    **{
        region: lambda data, region=region: {"messages": [], region: data}
        for region in """
            tools functions toolConfig tool_config response_format generationConfig generation_config
            text_format output_config output_format input_schema inputSchema parameters properties arguments
            args metadata labels client_metadata requestMetadata
        """.split()
    },
    "input of a tool use": lambda data: said(tool_use("toolu_1", data)),
    "input of toolUse": lambda data: said({"toolUse": {"toolUseId": "t", "input": data}}),
    "response of a function": lambda data: {"parts": [{"functionResponse": {"id": "1", "response": data}}]},
    "response of functions": lambda data: {"functionResponses": [{"id": "1", "response": data}]},
    "output of an item": lambda data: {"input": [{"type": "function_call_output", "output": data}]},
    "result of an item": lambda data: {"input": [{"type": "mcp_call", "result": data}]},
    "content of tool_result": lambda data: said(
        {"type": "tool_result", "tool_use_id": "t", "content": [data]}
    ),
    "content of toolResult": lambda data: said({"toolResult": {"content": [{"json": data}]}}),
    "content of a tool": lambda data: {"messages": [{"role": "tool", "content": [data]}]},
    "content of a function": lambda data: {"messages": [{"role": "function", "content": data}]},
}


@pytest.mark.parametrize("region", REGIONS)
@pytest.mark.parametrize("rules", FULL)
def test_business_fields_in_data_are_compared(region: str, rules: IdRules) -> None:
    """Whatever the names: every value there counts."""
    decoys: dict[str, Callable[[str], Json]] = {
        **{
            key: lambda value, key=key: {key: value}
            for key in ("call_id", "tool_call_id", "tool_use_id", "toolUseId")
        },
        **{
            key: lambda value, key=key: {key: value}
            for key in ("encrypted_content", "previous_response_id", "id")
        },
        "function": lambda value: {"type": "function", "id": value},
        "tool_use": lambda value: [{"type": "tool_use", "id": value}],
        "tool_calls": lambda value: {"tool_calls": [{"id": value}]},
        "thinking": lambda value: {"type": "thinking", "signature": value},
    }

    for decoy in decoys.values():
        one, other = (canonicalize(REGIONS[region](decoy(value)), rules=rules) for value in ("1", "2"))

        assert one.value != other.value
        assert jsontext.dumps(decoy("1")) in jsontext.dumps(one.value)


def test_the_example_of_the_documentation() -> None:
    """The first two blocks of docs/canonical.md: a body, and what it becomes."""
    document = (Path(__file__).parents[3] / "docs" / "canonical.md").read_text(encoding="utf-8")
    body, canonical, *more = re.findall(r"```json\n(.*?)```", document, re.DOTALL)

    assert more == []
    assert canonicalize(jsontext.loads(body)).value == jsontext.loads(canonical)


def test_the_map_says_what_each_token_stands_for_and_where() -> None:
    """Class, original, and JSON Pointers to its declaration, references and mentions, in document order."""
    body: JsonValue = {
        "previous_response_id": "resp_1",
        "input": [
            {"type": "function_call", "id": "fc_1", "call_id": "call_Aa1", "name": "a/b", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "call_Aa1", "output": "call_Aa1"},
            {"type": "function_call_output", "call_id": "lost", "output": "of call_Aa1 and call_Aa1"},
            {"type": "reasoning", "id": "call_Aa1|x", "encrypted_content": "s"},
        ],
        "instructions": "Mind call_Aa1.",
    }

    canonical = canonicalize(body)

    mentions = ("/input/1/output", "/input/2/output", "/input/2/output", "/instructions")
    assert canonical.ids == (
        IdUse(CALL_0, IdClass.CALL, "call_Aa1", ("/input/0/call_id",), ("/input/1/call_id",), mentions),
        IdUse(CALL_1, IdClass.CALL, "lost", (), ("/input/2/call_id",), orphan=True),
        IdUse(ITEM_0, IdClass.ITEM, "fc_1", (), ("/input/0/id",)),
        IdUse(ITEM_1, IdClass.ITEM, "call_Aa1|x", (), ("/input/3/id",)),
        IdUse("__amberfork_item_2__", IdClass.ITEM, "resp_1", (), ("/previous_response_id",)),
        IdUse(BLOB_0, IdClass.BLOB, "s", (), ("/input/3/encrypted_content",)),
    )


def test_pointers_are_escaped_and_names_of_members_may_be_anything() -> None:
    """As RFC 6901 has it."""
    body: JsonValue = {"a/b": {"~": {"": [{"\ud800": {"tool_call_id": "x"}}]}}}

    (use,) = canonicalize(body).ids

    assert use.references == ("/a~1b/~0//0/\ud800/tool_call_id",)


def test_an_orphan_is_reported_until_it_is_declared() -> None:
    """A result before its call is odd, but no orphan."""
    lost, late = (canonicalize(said(tool_result("x"), *more)).ids for more in ([], [tool_use("x")]))

    assert [use.orphan for use in (*lost, *late)] == [True, False]


def test_text_like_a_token_is_told_unless_it_is_an_id_of_the_body() -> None:
    """A reader could take it for one; in a canonical body every token is an ID and mentions are expected."""
    body: JsonValue = {
        "call_id": CALL_0,
        "text": f"see {CALL_0}",
        "more": [f"and {CALL_1}", "__amberfork_item_7__", "__amberfork_else_7__"],
    }

    assert canonicalize(body).lookalikes == ("/more/0", "/more/1")


def test_an_id_that_is_left_alone_may_look_like_a_token_too() -> None:
    """Where it is set aside, it is an ID like any other."""
    body: JsonValue = {"input": [{"id": ITEM_0, "call_id": CALL_0, "encrypted_content": BLOB_0}]}

    found = {rules: canonicalize(body, rules=rules).lookalikes for rules in FULL}

    assert found == {
        IdRules.ALL: (),
        IdRules.ITEMS: ("/input/0/encrypted_content",),
        IdRules.CALLS: ("/input/0/encrypted_content", "/input/0/id"),
    }


def test_a_response_continues_the_numbers_of_its_request() -> None:
    """What it declares anew is new; what it repeats is what the request had."""
    request: JsonValue = {
        "messages": [{"tool_calls": [function("a")]}, {"role": "tool", "tool_call_id": "a"}]
    }
    response: JsonValue = {
        "choices": [{"message": {"tool_calls": [function("b"), function("a")]}}],
        "id": "cmpl_1",
    }

    canonical = canonicalize(response, answering=canonicalize(request))

    assert canonical.value == {
        "choices": [{"message": {"tool_calls": [function(CALL_1), function(CALL_2)]}}],
        "id": ITEM_0,
    }
    assert [use.original for use in canonical.ids] == ["b", "a", "cmpl_1"]


def test_a_request_after_a_response_may_go_on_from_it() -> None:
    """The map of one exchange may be handed on for as long as wanted."""
    first = canonicalize({"input": "hi"})
    answer = canonicalize(
        {"id": "resp_1", "output": [{"type": "function_call", "call_id": "a"}]}, answering=first
    )

    canonical = canonicalize(
        {"previous_response_id": "resp_1", "output": [{"type": "x_output", "call_id": "a"}]}, answering=answer
    )

    assert canonical.value == {
        "previous_response_id": ITEM_0,
        "output": [{"type": "x_output", "call_id": CALL_0}],
    }


@given(
    rounds(),
    st.sampled_from(sorted(WIRES)),
    st.sampled_from(FULL),
    st.sampled_from([fresh("A"), restarting, empty]),
)
@settings(max_examples=80, deadline=None)
def test_what_is_canonical_stays(conversation: Rounds, wire: str, rules: IdRules, mint: Mint) -> None:
    """Canonicalizing again changes nothing."""
    canonical = canonicalize(spelled(WIRES[wire](conversation), mint), rules=rules)

    again = canonicalize(canonical.value, rules=rules)

    assert jsontext.same(again.value, canonical.value)
    assert again.lookalikes == ()


@given(rounds(), st.sampled_from(sorted(WIRES)), st.sampled_from(FULL))
@settings(max_examples=80, deadline=None)
def test_renamed_ids_make_no_difference(conversation: Rounds, wire: str, rules: IdRules) -> None:
    """One to one; where they can be told from words, also where a text mentions them."""
    for one, other, mentioned in ((fresh("Q"), fresh("longer"), True), (counted(100), counted(400), False)):
        body = WIRES[wire](with_a_mention(conversation) if mentioned else conversation)

        first, second = (
            canonicalize(spelled(body, only(SET_ASIDE[rules], mint)), rules=rules) for mint in (one, other)
        )

        assert jsontext.same(first.value, second.value)


@given(rounds(), st.sampled_from(sorted(WIRES)), st.sampled_from(FULL), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_the_order_of_members_makes_no_difference_and_is_kept(
    conversation: Rounds, wire: str, rules: IdRules, order: random.Random
) -> None:
    """The canonical body has it as the body had it."""
    body = spelled(WIRES[wire](conversation), fresh("A"))
    shuffled = with_members_shuffled(body, order)

    one, other = (canonicalize(each, rules=rules).value for each in (body, shuffled))

    assert jsontext.same(one, other)
    assert names(other) == names(shuffled)


@given(
    rounds(),
    st.sampled_from(sorted(WIRES)),
    st.sampled_from(FULL),
    st.sampled_from([restarting, constant, empty]),
)
@settings(max_examples=80, deadline=None)
def test_ids_that_are_used_again_make_no_difference(
    conversation: Rounds, wire: str, rules: IdRules, mint: Mint
) -> None:
    """Counted anew in every round, all the same, or none: what counts is what answers what."""
    body = WIRES[wire](conversation if mint is restarting else in_order(conversation))

    one, other = (
        canonicalize(spelled(body, only({"call"}, each)), rules=rules) for each in (mint, counted(1))
    )

    assert jsontext.same(one.value, other.value)


@given(rounds(), st.sampled_from(sorted(WIRES)), st.sampled_from(FULL), st.data())
@settings(max_examples=100, deadline=None)
def test_any_other_value_makes_a_difference(
    conversation: Rounds, wire: str, rules: IdRules, data: st.DataObject
) -> None:
    """Each single leaf that is no ID."""
    body = WIRES[wire](conversation)
    changed = with_change(body, data.draw(st.sampled_from(list(data_paths(body)))))

    one, other = (canonicalize(spelled(each, fresh("A")), rules=rules).value for each in (body, changed))

    assert not jsontext.same(one, other)


@given(rounds(), st.sampled_from(sorted(WIRES)), st.sampled_from(FULL), st.data())
@settings(max_examples=60, deadline=None)
def test_swapped_and_lost_results_make_a_difference(
    conversation: Rounds, wire: str, rules: IdRules, data: st.DataObject
) -> None:
    """Two results that answer each other's call, and a call without its result."""
    conversation = [*conversation, *TWO_CALLS]
    number = data.draw(st.integers(0, len(conversation) - 1))
    results = conversation[number].results
    first, *rest = results

    changed = [tuple(rest)]
    if rest:
        changed.append((Result(rest[0].place, first.text), Result(first.place, rest[0].text), *rest[1:]))

    before = canonicalize(spelled(WIRES[wire](conversation), fresh("A")), rules=rules)
    for new in changed:
        other = with_results(conversation, number, new)
        assert not jsontext.same(
            canonicalize(spelled(WIRES[wire](other), fresh("B")), rules=rules).value, before.value
        )


@given(rounds(), st.sampled_from(sorted(WIRES)), st.sampled_from(list(IdRules)))
@settings(max_examples=40, deadline=None)
def test_the_body_is_left_as_it_was(conversation: Rounds, wire: str, rules: IdRules) -> None:
    """And shares nothing that can change with its canonical form."""
    body = spelled(WIRES[wire](with_a_mention(conversation)), fresh("A"))
    before = deepcopy(body)

    canonical = canonicalize(body, rules=rules)
    overwrite(canonical.value)

    assert body == before
    assert names(body) == names(before)


@pytest.mark.parametrize("rules", IdRules)
def test_depth_is_no_matter(rules: IdRules) -> None:
    """10,000 levels, with a call and a mention at the bottom."""
    body: JsonValue = {"messages": deep([tool_use("toolu_Aa1"), "toolu_Aa1"])}

    canonical = canonicalize(body, rules=rules)

    mentioned = "toolu_Aa1" if rules is IdRules.SEED else CALL_0
    assert jsontext.same(canonical.value, {"messages": deep([tool_use(CALL_0), mentioned])})


@given(bodies(), st.sampled_from(FULL))
@settings(max_examples=150, deadline=None)
def test_what_is_canonical_stays_whatever_the_body(body: Json, rules: IdRules) -> None:
    """IDs of any text, twice, at both ends or one, in text, and look-alikes of tokens among them."""
    canonical = canonicalize(body, rules=rules).value

    assert jsontext.same(canonicalize(canonical, rules=rules).value, canonical)


@given(bodies(), st.sampled_from(FULL), st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_the_order_of_members_makes_no_difference_whatever_the_body(
    body: Json, rules: IdRules, order: random.Random
) -> None:
    """And neither body is touched."""
    shuffled = with_members_shuffled(body, order)
    before = deepcopy((body, shuffled))

    one, other = (canonicalize(each, rules=rules).value for each in (body, shuffled))

    assert jsontext.same(one, other)
    assert (body, shuffled) == before


def test_many_ids_and_many_mentions_are_no_matter() -> None:
    """8,000 calls that are all mentioned."""
    ids = [f"call_{number:05d}Aa" for number in range(8_000)]
    body = said(*map(tool_use, ids), *(tool_result(one, f"the result of {one}") for one in ids))

    canonical = canonicalize(body)

    assert len(canonical.ids) == len(ids)
    assert canonical.ids[-1].mentions == ("/messages/0/content/15999/content",)


HOSTILE = [
    "",
    "(.*)AAA1",
    "a|b",
    'quo"te12',
    "back\\slash1",
    "\ud800half1234",
    "Ünïcöde12",
    "word",
    "\x00nul12345",
    "x" * 5000 + "1",
]


@pytest.mark.parametrize("one", HOSTILE)
@pytest.mark.parametrize("rules", FULL)
def test_an_id_may_have_any_text(one: str, rules: IdRules) -> None:
    """By position, never by form: two bodies that differ in it alone are equal."""
    body, plain = (said(tool_use(each), tool_result(each)) for each in (one, "toolu_1"))

    assert canonicalize(body, rules=rules).value == canonicalize(plain, rules=rules).value


@pytest.mark.parametrize(
    "body",
    [
        "call_id",
        "",
        7,
        -0.0,
        True,
        None,
        [],
        {},
        [[]],
        2**70,
        {"messages": ["x", 1, None, []]},
        {"input": "x"},
    ],
)
@pytest.mark.parametrize("rules", IdRules)
def test_a_body_may_be_any_json(body: JsonValue, rules: IdRules) -> None:
    """Text, numbers, histories of what is no message."""
    assert jsontext.same(canonicalize(body, rules=rules).value, body)


def test_numbers_are_kept_to_the_letter() -> None:
    """Integers of any size, `1` and `1.0`, both zeros, and what only a lenient reading lets in."""
    body: JsonValue = {"call_id": "x", "n": [2**70, 1, 1.0, True, 0.0, -0.0, jsontext.NonFinite("nan")]}

    canonical = canonicalize(body).value

    assert jsontext.same(canonical, {**body, "call_id": CALL_0})


def calls_minted(text: str) -> Mint:
    """Calls by that text and their place; whatever else has an ID has always the same."""
    return lambda one: f"{text}{one.place}" if one.kind == "call" else "same"


def names(value: Json) -> list[Json]:
    """The names of all members, in their order."""
    if isinstance(value, dict):
        return [(key, names(member)) for key, member in value.items()]
    return [names(item) for item in value] if isinstance(value, list) else []


def overwrite(value: Json) -> None:
    """Spoil whatever can be changed."""
    if isinstance(value, (dict, list)):
        for item in list(value.values() if isinstance(value, dict) else value):
            overwrite(item)
        value.clear()


def deep(value: JsonValue) -> JsonValue:
    """The value 9,990 levels down."""
    for _ in range(4_995):
        value = {"content": [value]}
    return value
