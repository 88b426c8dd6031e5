"""Which strings of a body are IDs: by key, type, holder and anchor, and never inside the user's data."""

import pytest

from amberfork_cli.core.ids.id_rules import IdClass, IdRules, Role, Site, sites
from amberfork_cli.core.paths import Path
from amberfork_cli.core.tape import JsonValue

CALL, ITEM, BLOB = IdClass.CALL, IdClass.ITEM, IdClass.BLOB
DECLARES, ANSWERS, POINTS, VALUE = Role.DECLARES, Role.ANSWERS, Role.POINTS, Role.VALUE


@pytest.mark.parametrize(
    ("key", "id_class", "role"),
    [
        ("tool_call_id", CALL, ANSWERS),
        ("tool_use_id", CALL, ANSWERS),
        ("toolUseId", CALL, ANSWERS),
        ("toolCallId", CALL, ANSWERS),
        ("call_id", CALL, DECLARES),
        ("approval_request_id", CALL, POINTS),
        ("caller_id", CALL, POINTS),
        ("previous_response_id", ITEM, POINTS),
        ("previous_interaction_id", ITEM, POINTS),
        ("container_id", ITEM, POINTS),
        ("thoughtSignature", BLOB, VALUE),
        ("thought_signature", BLOB, VALUE),
        ("encrypted_content", BLOB, VALUE),
        ("encrypted_index", BLOB, VALUE),
        ("encrypted_stdout", BLOB, VALUE),
        ("redactedContent", BLOB, VALUE),
    ],
)
def test_a_key_makes_an_id_anywhere(key: str, id_class: IdClass, role: Role) -> None:
    """Outside the user's data, however deep."""
    found = sites({"messages": [{"content": [{"anything": {key: "x"}}]}]})

    assert found == [Site(id_class, role, "x", ("messages", 0, "content", 0, "anything", key))]


@pytest.mark.parametrize(
    ("kind", "role"),
    [
        ("tool_use", DECLARES),
        ("server_tool_use", DECLARES),
        ("mcp_tool_use", DECLARES),
        ("function", DECLARES),
        ("custom", DECLARES),
        ("tool_call", DECLARES),
        ("mcp_approval_request", DECLARES),
        ("local_shell_call_output", ANSWERS),
    ],
)
def test_a_type_makes_the_id_beside_it_a_call(kind: str, role: Role) -> None:
    """`id` alone says nothing; the object's type does."""
    found = sites({"messages": [{"content": [{"type": kind, "id": "x"}]}]})

    assert found == [Site(CALL, role, "x", ("messages", 0, "content", 0, "id"))]


@pytest.mark.parametrize(
    ("holder", "id_class", "role"),
    [
        ("tool_calls", CALL, DECLARES),
        ("functionCall", CALL, DECLARES),
        ("function_call", CALL, DECLARES),
        ("functionCalls", CALL, DECLARES),
        ("function_calls", CALL, DECLARES),
        ("toolCall", CALL, DECLARES),
        ("tool_call", CALL, DECLARES),
        ("executableCode", CALL, DECLARES),
        ("executable_code", CALL, DECLARES),
        ("functionResponse", CALL, ANSWERS),
        ("function_response", CALL, ANSWERS),
        ("functionResponses", CALL, ANSWERS),
        ("function_responses", CALL, ANSWERS),
        ("toolResponse", CALL, ANSWERS),
        ("tool_response", CALL, ANSWERS),
        ("codeExecutionResult", CALL, ANSWERS),
        ("code_execution_result", CALL, ANSWERS),
        ("reasoning_details", ITEM, VALUE),
    ],
)
@pytest.mark.parametrize("as_list", [False, True])
def test_a_holder_makes_the_id_in_it(holder: str, id_class: IdClass, role: Role, *, as_list: bool) -> None:
    """Mistral's calls and Gemini's parts have no type; what they hang under says what they are."""
    held: JsonValue = {"id": "x"}

    found = sites({"contents": [{holder: [held] if as_list else held}]})

    index: Path = (0,) if as_list else ()
    assert found == [Site(id_class, role, "x", ("contents", 0, holder, *index, "id"))]


@pytest.mark.parametrize(
    ("body", "path", "id_class", "role"),
    [
        ({"input": [{"type": "message", "id": "x"}]}, ("input", 0, "id"), ITEM, VALUE),
        ({"input": [{"type": "item_reference", "id": "x"}]}, ("input", 0, "id"), ITEM, POINTS),
        ({"item": {"type": "message", "id": "x"}}, ("item", "id"), ITEM, VALUE),
        ([{"item": {"type": "message", "id": "x"}}], (0, "item", "id"), ITEM, VALUE),
        ({"container": "x"}, ("container",), ITEM, POINTS),
        ({"container": {"id": "x", "skills": []}}, ("container", "id"), ITEM, POINTS),
        ({"conversation": "x"}, ("conversation",), ITEM, POINTS),
        ({"conversation": {"id": "x"}}, ("conversation", "id"), ITEM, POINTS),
        ({"cachedContent": "x"}, ("cachedContent",), ITEM, POINTS),
        ({"tools": [{"container": "cntr_x"}]}, ("tools", 0, "container"), ITEM, POINTS),
        ({"a": {"caller": {"tool_id": "x"}}}, ("a", "caller", "tool_id"), CALL, POINTS),
        ({"a": {"type": "thinking", "signature": "x"}}, ("a", "signature"), BLOB, VALUE),
        ({"a": {"type": "redacted_thinking", "data": "x"}}, ("a", "data"), BLOB, VALUE),
        ({"reasoningText": {"signature": "x"}}, ("reasoningText", "signature"), BLOB, VALUE),
        ({"reasoning_details": [{"signature": "x"}]}, ("reasoning_details", 0, "signature"), BLOB, VALUE),
        ({"reasoning_details": [{"data": "x"}]}, ("reasoning_details", 0, "data"), BLOB, VALUE),
    ],
)
def test_an_anchor_makes_an_id_at_one_place(
    body: JsonValue, path: Path, id_class: IdClass, role: Role
) -> None:
    """What is an ID there is none elsewhere."""
    assert sites(body) == [Site(id_class, role, "x" if path[0] != "tools" else "cntr_x", path)]


@pytest.mark.parametrize(
    "body",
    [
        {"id": "x", "messages": [{"id": "x", "type": "message", "content": [{"id": "x"}]}]},
        {"input": [{"content": [{"id": "x"}, {"type": "item_reference", "id": "x"}]}]},
        {"a": {"item": {"id": "x"}}, "b": {"container": "x", "conversation": "x", "cachedContent": "x"}},
        {"tools": [{"container": "auto"}, {"container": {"type": "auto", "id": "cntr_x"}}, "cntr_x", {}]},
        {"signature": "x", "data": "x", "tool_id": "x", "caller": "x"},
        {"a": {"type": "text", "signature": "x", "data": "x"}},
        {"file_id": "x", "agent_id": "x", "assistant_id": "x", "user": "x", "prompt": {"id": "x"}},
        {"tool_call_id": None, "call_id": 7, "tool_use_id": ["x"], "toolUseId": {"x": "x"}},
        {"type": "tool_use", "id": None},
        {"type": ["tool_use"], "id": "x"},
    ],
)
def test_what_is_left_alone(body: JsonValue) -> None:
    """A bare `id`, the user's own names, an anchor elsewhere, and whatever is no string."""
    assert sites(body) == []


IDS: JsonValue = {
    "call_id": "x",
    "tool_call_id": "x",
    "tool_use_id": "x",
    "encrypted_content": "x",
    "previous_response_id": "x",
    "call": {"type": "function", "id": "x"},
    "tool_calls": [{"id": "x"}],
    "functionCall": {"id": "x"},
    "reasoning_details": [{"id": "x", "data": "x"}],
}


@pytest.mark.parametrize(
    "region",
    """
    tools functions toolConfig tool_config response_format generationConfig generation_config text_format
    output_config output_format input_schema inputSchema parameters properties arguments args metadata labels
    client_metadata requestMetadata
    """.split(),
)
def test_data_regions_are_not_entered(region: str) -> None:
    """A business field may have any name."""
    assert sites({region: IDS, "messages": [{"content": [{region: [IDS]}]}]}) == []


@pytest.mark.parametrize(
    "body",
    [
        {"content": [{"type": "tool_use", "name": "f", "input": IDS}]},
        {"content": [{"type": "tool_use", "name": "f", "input": [[IDS]]}]},
        {"content": [{"toolUse": {"input": IDS}}]},
        {"parts": [{"functionResponse": {"name": "f", "response": IDS}}]},
        {"parts": [{"function_response": {"name": "f", "response": IDS}}]},
        {"functionResponses": [{"name": "f", "response": IDS}]},
        {"function_responses": [{"name": "f", "response": IDS}]},
        {"toolResponse": {"response": IDS}},
        {"tool_response": [{"response": IDS}]},
        {"items": [{"type": "function_call_output", "output": IDS}]},
        {"items": [{"type": "mcp_call", "output": IDS, "result": [IDS]}]},
        {"content": [{"type": "tool_result", "content": [IDS]}]},
        {"content": [{"toolResult": {"content": [{"json": IDS}]}}]},
        {"messages": [{"role": "tool", "content": [IDS]}]},
        {"messages": [{"role": "function", "content": IDS}]},
    ],
)
def test_what_a_tool_was_given_and_gave_back_is_not_entered(body: JsonValue) -> None:
    """Arguments and results are data, by where they stand."""
    assert sites(body) == []


@pytest.mark.parametrize(
    "body",
    [
        {"input": {"call_id": "x"}},
        {"a": {"input": {"call_id": "x"}}},
        {"name": "a body", "input": {"call_id": "x"}},
        {"a": {"output": {"call_id": "x"}, "result": {}}},
        {"a": {"response": {"call_id": "x"}}},
        {"messages": [{"role": "user", "content": {"call_id": "x"}}]},
        {"messages": [{"type": "web_search_tool_result", "content": [{"call_id": "x"}]}]},
    ],
)
def test_members_of_those_names_are_entered_elsewhere(body: JsonValue) -> None:
    """`input` without a tool's name, `output` without a type, `content` of a user."""
    assert [site.value for site in sites(body)] == ["x"]


@pytest.mark.parametrize(
    ("kind", "role"),
    [
        ("function_call", DECLARES),
        ("computer_call", DECLARES),
        (None, DECLARES),
        ("function_call_output", ANSWERS),
        ("mcp_call_result", ANSWERS),
        ("mcp_approval_response", ANSWERS),
    ],
)
def test_what_a_call_id_does_is_said_by_the_type(kind: str | None, role: Role) -> None:
    """The same key declares in a call and refers in an output."""
    body: JsonValue = {"input": [{"type": kind, "call_id": "x"}]}

    assert sites(body) == [Site(CALL, role, "x", ("input", 0, "call_id"))]


def test_what_a_tool_use_id_does_is_said_by_the_holder() -> None:
    """Bedrock has one key for both ends."""
    body: JsonValue = {
        "content": [
            {"toolUse": {"toolUseId": "x", "name": "f"}},
            {"toolResult": {"toolUseId": "x", "content": []}},
        ]
    }

    assert sites(body) == [
        Site(CALL, DECLARES, "x", ("content", 0, "toolUse", "toolUseId")),
        Site(CALL, ANSWERS, "x", ("content", 1, "toolResult", "toolUseId")),
    ]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("call_a|fc_b", [(CALL, "call_a", 1), (ITEM, "fc_b", 2)]),
        ("call_|fc_", [(CALL, "call_", 1), (ITEM, "fc_", 2)]),
        ("__amberfork_tool_call_0__|fc_b", [(CALL, "__amberfork_tool_call_0__", 1), (ITEM, "fc_b", 2)]),
        (
            "__amberfork_tool_call_0__|__amberfork_item_12__",
            [(CALL, "__amberfork_tool_call_0__", 1), (ITEM, "__amberfork_item_12__", 2)],
        ),
        (
            "__amberfork_tool_call_0__|__amberfork_tool_call_1__",
            [(CALL, "__amberfork_tool_call_0__", 1), (ITEM, "__amberfork_tool_call_1__", 2)],
        ),
        ("call_a|call_b", [(CALL, "call_a|call_b", 0)]),
        ("fc_b|call_a", [(CALL, "fc_b|call_a", 0)]),
        ("call_a|fc_b|fc_c", [(CALL, "call_a|fc_b|fc_c", 0)]),
        ("call_a | fc_b", [(CALL, "call_a | fc_b", 0)]),
        ("|", [(CALL, "|", 0)]),
        ("", [(CALL, "", 0)]),
    ],
)
def test_a_composite_is_two_ids_of_one_place(text: str, parts: list[tuple[IdClass, str, int]]) -> None:
    """A call ID and an item ID with a bar between them; nothing else is split."""
    found = sites({"tool_call_id": text})

    assert [(site.id_class, site.value, site.part) for site in found] == parts
    assert {site.path for site in found} == {("tool_call_id",)}


def test_numbering_follows_array_order_and_sorted_members() -> None:
    """So that the order of members never matters."""
    one: JsonValue = {
        "b": [{"call_id": "3"}, {"tool_calls": [{"id": "5"}], "call_id": "4"}],
        "a": {"call_id": "1", "x": {"call_id": "2"}},
    }
    other: JsonValue = {
        "a": {"x": {"call_id": "2"}, "call_id": "1"},
        "b": [{"call_id": "3"}, {"call_id": "4", "tool_calls": [{"id": "5"}]}],
    }

    assert [site.value for site in sites(one)] == ["1", "2", "3", "4", "5"]
    assert sites(one) == sites(other)


def test_a_part_is_read_as_in_its_body() -> None:
    """An anchor, a holder and a data region that begin above the part still hold in it."""
    body: JsonValue = {"input": [{"type": "message", "id": "x", "content": [{"id": "y"}]}]}
    part: JsonValue = {"type": "message", "id": "x", "content": [{"id": "y"}]}

    assert [site.path for site in sites(body)] == [("input", 0, "id")]
    assert [site.path for site in sites(part, at=("input", 0))] == [("id",)]
    assert sites(part, at=("messages", 0)) == []
    assert [site.path for site in sites({"id": "x"}, at=("a", "tool_calls", 3))] == [("id",)]


@pytest.mark.parametrize(
    ("key", "role"),
    [("event_id", VALUE), ("item_id", POINTS), ("previous_item_id", POINTS), ("response_id", POINTS)],
)
def test_an_event_names_itself_and_points_to_what_the_session_keeps(key: str, role: Role) -> None:
    """The body of a Realtime event, which its type tells; nowhere else do these names say anything."""
    event: JsonValue = {"type": "conversation.item.truncate", key: "x", "item": {"content": [{key: "y"}]}}
    other: JsonValue = {"type": "message", key: "x", "input": [{"type": "a.b", key: "y"}]}

    assert sites(event) == [Site(ITEM, role, "x", (key,))]
    assert sites(other) == []


def test_the_events_of_a_response_name_what_the_session_keeps() -> None:
    """The session itself, the conversation, responses and items."""
    events: JsonValue = [
        {"type": "session.created", "event_id": "e1", "session": {"id": "s"}},
        {"type": "response.done", "response": {"id": "r", "conversation_id": "c"}},
        {"type": "response.text.delta", "item_id": "i", "response_id": "r", "delta": "x"},
    ]

    found = [(site.id_class, site.value) for site in sites(events, response=True)]

    assert found == [(ITEM, name) for name in ("e1", "s", "c", "r", "i", "r")]


def test_the_place_before_all_items_is_no_item() -> None:
    """`root` means the same in every run."""
    assert sites({"type": "conversation.item.create", "previous_item_id": "root"}) == []


@pytest.mark.parametrize("holder", ["sessionResumption", "session_resumption"])
def test_a_session_that_goes_on_points_to_its_handle(holder: str) -> None:
    """In Gemini's Live API, whose responses give it out; a handle of the user's is data."""
    setup: JsonValue = {"setup": {holder: {"handle": "x"}, "handle": "y"}}
    update: JsonValue = [
        {f"{holder}Update": {"newHandle": "x"}},
        {"sessionResumptionUpdate": {"newHandle": "y"}},
    ]

    assert sites(setup) == [Site(ITEM, POINTS, "x", ("setup", holder, "handle"))]
    assert sites(update, response=True)[-1] == Site(
        ITEM, VALUE, "y", (1, "sessionResumptionUpdate", "newHandle")
    )


def test_a_response_names_what_it_mints() -> None:
    """Its own ID and those of its output items are handles; in a request they would be data."""
    body: JsonValue = {
        "id": "resp_1",
        "output": [
            {"type": "function_call", "id": "fc_1", "call_id": "call_1"},
            {"type": "message", "id": "msg_1"},
        ],
    }

    assert [(site.id_class, site.role, site.value) for site in sites(body, response=True)] == [
        (ITEM, VALUE, "resp_1"),
        (CALL, DECLARES, "call_1"),
        (ITEM, VALUE, "fc_1"),
        (ITEM, VALUE, "msg_1"),
    ]
    assert [site.value for site in sites(body)] == ["call_1"]


@pytest.mark.parametrize(
    ("body", "paths"),
    [
        ({"a": [{"tool_call_id": "x"}]}, [("a", 0, "tool_call_id")]),
        (
            {"arguments": {"call_id": "x", "tool_use_id": "x"}},
            [("arguments", "call_id"), ("arguments", "tool_use_id")],
        ),
        ({"type": "tool_use", "id": "x"}, [("id",)]),
        ({"id": "x", "type": "function"}, [("id",)]),
        ({"type": "server_tool_use", "id": "x"}, []),
        ({"type": "custom", "id": "x"}, []),
        ({"tool_calls": [{"id": "x"}]}, []),
        ({"toolUseId": "x", "encrypted_content": "x", "previous_response_id": "x"}, []),
        ({"z": {"call_id": "1"}, "a": {"call_id": "2"}}, [("z", "call_id"), ("a", "call_id")]),
        ({"call_id": "call_a|fc_b"}, [("call_id",)]),
        ({"call_id": ["x"], "tool_use_id": None}, []),
        ([[{"call_id": "x"}]], [(0, 0, "call_id")]),
    ],
)
def test_the_seed_rules_to_the_letter(body: JsonValue, paths: list[Path]) -> None:
    """Three keys anywhere and two types, in document order, data or not; by value."""
    found = sites(body, IdRules.SEED)

    assert [site.path for site in found] == paths
    assert {(site.id_class, site.role, site.part) for site in found} <= {(CALL, VALUE, 0)}


@pytest.mark.parametrize("rules", IdRules)
@pytest.mark.parametrize("body", ["call_id", 7, 7.5, True, None, "", [], {}, [["call_id"], 1]])
def test_a_body_may_be_any_json(body: JsonValue, rules: IdRules) -> None:
    """Text, numbers and lists have no members, so no IDs."""
    assert sites(body, rules) == []


@pytest.mark.parametrize("rules", IdRules)
def test_depth_is_no_matter(rules: IdRules) -> None:
    """10,000 levels of lists and objects, and a call below them."""
    body: JsonValue = {"type": "function", "id": "x"}
    for _ in range(5_000):
        body = {"a": [body]}

    (site,) = sites(body, rules)

    assert (site.value, len(site.path), site.path[-3:]) == ("x", 10_001, ("a", 0, "id"))
