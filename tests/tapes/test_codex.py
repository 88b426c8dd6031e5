"""Rollouts of Codex are read as the requests that they must have been."""

import io
import json
from typing import Any

import pytest

from amberfork_cli.core.dialects.calls import tool_turns
from amberfork_cli.core.tape import Body, Exchange, Request, Response, Tape
from amberfork_cli.tapes import open_tape

Json = Any
WHEN = "2025-11-19T06:00:00.000Z"


def line(kind: str, **payload: Json) -> Json:
    """A line as it is written now."""
    return {"timestamp": WHEN, "type": kind, "payload": payload}


def item(kind: str, **members: Json) -> Json:
    """An item that was sent or received."""
    return line("response_item", type=kind, **members)


def said(role: str, text: str) -> Json:
    """A message."""
    part = {"type": "output_text" if role == "assistant" else "input_text", "text": text}
    return item("message", role=role, content=[part])


def call(name: str) -> Json:
    """A call of a tool."""
    return item("function_call", name="shell", arguments='{"command": ["ls"]}', call_id=name)


def result(name: str) -> Json:
    """What a tool gave back."""
    return item("function_call_output", call_id=name, output="ok")


META = line("session_meta", id="s", cwd="/w", cli_version="0.65.0", instructions=None)
CONTEXT = line("turn_context", cwd="/w", model="gpt-5-codex")
RUN = [
    META,
    said("user", "<environment_context/>"),
    said("user", "list"),
    line("event_msg", type="user_message", message="list"),
    CONTEXT,
    item("reasoning", summary=[], encrypted_content="x"),
    call("c1"),
    call("c2"),
    line("event_msg", type="token_count", info=None),
    result("c1"),
    result("c2"),
    item("ghost_snapshot", ghost_commit={}),
    said("assistant", "done"),
]


def payloads(*lines: Json) -> list[Json]:
    """The items that those lines hold."""
    return [one["payload"] for one in lines]


@pytest.mark.parametrize("input_format", [None, "codex"])
def test_a_rollout_is_the_requests_that_it_must_have_been(input_format: str | None) -> None:
    """Each with all items before it, marked, and with the items of the answer."""
    with tape(*RUN, input_format=input_format) as found:
        exchanges = list(found)

    first, second = RUN[1:3], [*RUN[1:3], *RUN[5:8], *RUN[9:11]]
    assert exchanges == [
        Exchange(
            number,
            Request(
                "POST",
                "/v1/responses",
                body=Body.json({"model": "gpt-5-codex", "input": payloads(*given)}),
            ),
            Response(
                body=Body.json(
                    {"object": "response", "model": "gpt-5-codex", "output": payloads(*answer)},
                )
            ),
            extra={"synthetic": True, "recorded_at": WHEN},
        )
        for number, (given, answer) in enumerate([(first, RUN[5:8]), (second, RUN[12:])])
    ]
    (turn,) = tool_turns(exchanges)
    assert [(one.call.id, one.result is not None) for one in turn.calls] == [("c1", True), ("c2", True)]


def test_other_kinds_of_calls_are_calls() -> None:
    """Of custom tools, and those that the provider ran itself."""
    kinds = [
        (item("custom_tool_call", name="apply_patch", input="x", call_id="c1"), False),
        (item("custom_tool_call_output", call_id="c1", output="ok"), True),
        (item("web_search_call", status="completed"), False),
        (said("developer", "x"), True),
        (item("local_shell_call", call_id="c2", action={}), False),
        (item("agent_message", author="/root", recipient="/root/a", content=[]), True),
        (item("tool_search_call", call_id="c3", execution="client", arguments={}), False),
        (item("compaction_trigger"), None),
        (item("tool_search_output", call_id="c3", status="completed", tools=[]), True),
        (said("assistant", "done"), False),
    ]

    asked = _asked(said("user", "go"), *(one for one, _ in kinds))

    assert asked == [1, 3, 5, 7, 9]


def test_which_turn_an_item_is_of_is_left_aside() -> None:
    """It is another one in every run, and says nothing to a model."""
    note = {"internal_chat_message_metadata_passthrough": {"turn_id": "t"}}
    lines = [said("user", "go"), call("c1"), result("c1"), said("assistant", "done")]
    noted = [{**one, "payload": {**one["payload"], **note}} for one in lines]

    with tape(META, *lines) as plain, tape(META, *noted) as found:
        assert list(found) == list(plain)


@pytest.mark.parametrize(
    ("turns", "kept"),
    [
        (1, ["<environment/>", "one", "1", "three"]),
        (2, ["<environment/>", "three"]),
        (9, ["<environment/>", "three"]),
        (0, ["<environment/>", "one", "1", "<note>", "be brief", "two", "2", "three"]),
        (None, ["<environment/>", "one", "1", "<note>", "be brief", "two", "2", "three"]),
    ],
)
def test_turns_that_were_rolled_back_are_forgotten(turns: Json, kept: list[str]) -> None:
    """With what was injected before their prompts; what was asked until then is kept on the tape."""
    lines = [
        said("user", "<environment/>"),
        said("user", "one"),
        said("assistant", "1"),
        said("user", "<note>"),
        said("developer", "be brief"),
        said("user", "two"),
        said("assistant", "2"),
        line("event_msg", type="thread_rolled_back", num_turns=turns),
        said("user", "three"),
        said("assistant", "3"),
    ]

    with tape(META, *lines) as found:
        bodies: list[Json] = [exchange.request.body.value for exchange in found]

    assert [len(body["input"]) for body in bodies[:2]] == [2, 6]
    assert [one["content"][0]["text"] for one in bodies[2]["input"]] == kept


def test_a_fork_has_its_own_instructions() -> None:
    """Though it repeats those of the one that it comes from."""
    own = line("session_meta", id="b", forked_from_id="a", base_instructions={"text": "own"})
    others = line("session_meta", id="a", base_instructions={"text": "others"})

    with tape(own, others, said("user", "go"), said("assistant", "done")) as found:
        (body,) = [exchange.request.body.value for exchange in found]

    assert body == {"instructions": "own", "input": payloads(said("user", "go"))}


@pytest.mark.parametrize(
    ("compacted", "begins"),
    [
        ({"message": "summary"}, "summary"),
        ({"message": "", "replacement_history": [said("user", "kept")["payload"]]}, "kept"),
    ],
)
def test_after_a_compaction_the_history_is_what_took_its_place(compacted: Json, begins: str) -> None:
    """And results before it that nobody answered are a request without a response."""
    lines = [said("user", "one"), call("c1"), result("c1"), line("compacted", **compacted)]

    with tape(META, *lines, said("user", "two"), said("assistant", "2")) as found:
        exchanges = list(found)

    assert [exchange.response is None for exchange in exchanges] == [False, True, False]
    body: Json = exchanges[2].request.body.value
    assert [one["content"][0]["text"] for one in body["input"]] == [begins, "two"]


@pytest.mark.parametrize(
    "meta",
    [
        line("session_meta", id="s", instructions="be brief"),
        line("session_meta", id="s", base_instructions={"text": "be brief"}, instructions=None),
        {"id": "s", "timestamp": WHEN, "instructions": "be brief", "git": {}},
    ],
)
@pytest.mark.parametrize("bare", [False, True])
def test_instructions_are_those_of_every_request(meta: Json, bare: bool) -> None:
    """And items may stand in their lines bare, as they once did."""
    lines = [said("user", "go"), call("c1"), result("c1"), said("assistant", "done")]
    items = payloads(*lines) if bare else lines

    with tape(meta, *([{"record_type": "state"}] if bare else []), *items) as found:
        bodies: list[Json] = [exchange.request.body.value for exchange in found]

    assert [(body["instructions"], len(body["input"])) for body in bodies] == [
        ("be brief", 1),
        ("be brief", 3),
    ]


def test_results_at_the_end_are_kept_in_a_request_that_nobody_answered() -> None:
    """A prompt alone is no request."""
    assert _asked(said("user", "go"), call("c1"), result("c1")) == [1, 3]
    assert _asked(said("user", "go"), call("c1"), said("user", "stop")) == [1]


def test_a_torn_last_line_is_where_the_session_stopped() -> None:
    """As on a tape."""
    source = b"".join(json.dumps(one).encode() + b"\n" for one in RUN)

    with open_tape(io.BytesIO(source[:-9])) as found:
        assert [exchange.response is None for exchange in found] == [False, True]

    assert found.left_out.torn_end is not None
    assert found.left_out.torn_end[0] == len(RUN)


def _asked(*lines: Json) -> list[int]:
    """How many items each request has."""
    with tape(META, *lines) as found:
        bodies: list[Json] = [exchange.request.body.value for exchange in found]
    return [len(body["input"]) for body in bodies]


def tape(*lines: Json, **options: Any) -> Tape:
    """Open lines as a tape."""
    source = b"".join(json.dumps(one).encode() + b"\n" for one in lines)
    return open_tape(io.BytesIO(source), **options)
