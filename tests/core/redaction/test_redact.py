"""Tapes with something taken out of them."""

from __future__ import annotations

import base64
import json
from dataclasses import replace

import pytest
from agent_tapes import MONDAY, WIRES, chained_responses
from agent_tapes import tape as agent_tape
from hypothesis import given, settings
from hypothesis import strategies as st

from amberfork_cli.core import jsontext
from amberfork_cli.core.adjusting import Adjustments
from amberfork_cli.core.compare.diffing import DiffOptions, diff_tapes
from amberfork_cli.core.ids.id_rules import sites
from amberfork_cli.core.paths import Replacement
from amberfork_cli.core.redaction.redact import TapeRedactor, taken_out
from amberfork_cli.core.redaction.redacting import Rules
from amberfork_cli.core.sse import response_json
from amberfork_cli.core.tape import Body, Exchange, ExchangeList, JsonValue, Request, Response
from amberfork_cli.errors import OptionError

KEY = "sk-ant-api03-aB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0cD3fG6iJ9l"
OTHER = "sk-ant-api03-zzzdE6gH9jK2mN5pQ8sT1vW4xY7zA0cD3fG6iJ9l"
GONE = "REDACTED_ANTHROPIC_KEY"
PATTERNS = ["Seoul", r"\d+", "[a-z]{4,}", "weather|tool", "user|assistant|function", '"city"']
EVERY_WIRE = pytest.mark.parametrize(
    "wire", [*WIRES.values(), chained_responses], ids=lambda wire: wire.__name__
)


@EVERY_WIRE
@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_tape_and_its_redaction_are_the_same_under_the_same_rule(wire, pattern):
    """IDs and what they link are as they were, whatever the pattern hits."""
    tape = agent_tape(MONDAY, wire=wire)
    redacted = _redacted(tape, pattern, paths=False)
    options = DiffOptions(adjustments=Adjustments(replace=[Replacement.parse(pattern, "REDACTED")]))

    assert diff_tapes(tape, redacted, options).same
    assert [_ids(one) for one in tape] == [_ids(one) for one in redacted]


@EVERY_WIRE
def test_a_redacted_tape_matches_a_redacted_re_issue(wire):
    """Fresh IDs, another key, the same placeholders."""
    recorded, reissued = (
        _redacted(agent_tape(replace(MONDAY, system=f"Use {key}."), wire=wire, seed=seed), "Seoul")
        for seed, key in ((1, KEY), (2, OTHER))
    )

    assert diff_tapes(recorded, reissued).same
    assert not diff_tapes(recorded, _redacted(agent_tape(MONDAY, wire=wire, seed=2), "Seoul")).same


@EVERY_WIRE
@pytest.mark.parametrize("pattern", PATTERNS)
def test_redacting_twice_changes_nothing(wire, pattern):
    """What stands for something is not taken for it."""
    once = _redacted(agent_tape(MONDAY, wire=wire), pattern)

    assert [*_redacted(once, pattern)] == [*once]


@pytest.mark.parametrize(
    ("header", "patterns", "said"),
    [
        ({}, [], ("credentials",)),
        ({}, ["Ada"], ("credentials", "patterns")),
        ({"redacted": ["credentials", "patterns"]}, [], ("credentials", "patterns")),
        ({"redacted": "by hand"}, [], ("credentials",)),
    ],
)
def test_the_header_says_what_was_taken_out(header, patterns, said):
    """Once said, it stays said; a pattern is not told, as it may give away what it took out."""
    made = TapeRedactor(Rules.parse(patterns)).header(header)

    assert (taken_out(made), made["redacted"]) == (said, [*said])
    assert taken_out({}) == taken_out({"redacted": True}) == ()


def test_everything_of_an_exchange_is_looked_at():
    """Path, headers, both bodies, members that amberfork does not know, the number of the recorder."""
    body: JsonValue = {"messages": [{"role": "user", "content": KEY}], KEY: 1}
    request = Request(
        "POST",
        f"/x/{KEY}?key=abc",
        (("Authorization", "Basic abc"), ("x", KEY)),
        Body.json(body),
        {"a": [KEY]},
    )
    response = Response(200, (("set-cookie", "a=b"),), Body.json({"text": KEY}), {"b": KEY})

    redactor = TapeRedactor(Rules())
    made = redactor.exchange(Exchange(0, request, response, idx=KEY, extra={"c": KEY}))

    assert made == Exchange(
        0,
        Request(
            "POST",
            f"/x/{GONE}?key=REDACTED_CREDENTIAL",
            (("Authorization", "Basic REDACTED_CREDENTIAL"), ("x", GONE)),
            Body.json({"messages": [{"role": "user", "content": GONE}], GONE: 1}),
            {"a": [GONE]},
        ),
        Response(200, (("set-cookie", "REDACTED_CREDENTIAL"),), Body.json({"text": GONE}), {"b": GONE}),
        idx=GONE,
        extra={"c": GONE},
    )
    assert redactor.counts.taken == {"anthropic-key": 8, "credential": 3, "name": 1}
    assert redactor.header({"tape_version": "1", "note": KEY}) == {
        "tape_version": "1",
        "note": GONE,
        "redacted": ["credentials"],
    }


def test_names_that_come_to_be_one_stay_two():
    """No member is lost; a pattern leaves names alone."""
    redactor = TapeRedactor(Rules.parse(["beta"]))

    made = redactor.exchange(_asked({KEY: 1, OTHER: 2, "beta": "beta"}))

    assert made.request.body.value == {GONE: 1, f"{GONE}_2": 2, "beta": "REDACTED"}
    assert redactor.counts.in_names == 1


def test_ids_in_bodies_texts_and_paths_stay():
    """Even where a pattern names them."""
    response = Response(200, body=Body.json({"id": "thread_abc123DEF456", "object": "thread"}))
    first = Exchange(0, Request("POST", "/v1/threads"), response)
    call = {"id": "call_9Ys2kQ81", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    messages: JsonValue = [
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_9Ys2kQ81", "content": "of call_9Ys2kQ81, not call_other99"},
    ]
    second = Exchange(
        1, Request("POST", "/v1/threads/thread_abc123DEF456/runs", body=Body.json({"messages": messages}))
    )
    redactor = TapeRedactor(Rules.parse([r"call_\w+", r"thread_\w+"]))

    made = [redactor.exchange(one) for one in (first, second)]

    messages[1]["content"] = "of call_9Ys2kQ81, not REDACTED"
    assert made == [
        first,
        replace(second, request=replace(second.request, body=Body.json({"messages": messages}))),
    ]


def test_an_id_that_cannot_be_told_from_a_word_stays_at_its_place():
    """In running text it is a word like any other."""
    items: JsonValue = [
        {"type": "function_call", "call_id": "exec_0", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "exec_0", "output": "exec_0"},
    ]

    made = TapeRedactor(Rules.parse(["exec"])).exchange(_asked({"input": items}))

    items[1]["output"] = "REDACTED_0"
    assert made.request.body.value == {"input": items}


def test_a_pattern_that_would_change_the_linkage_is_refused():
    """A handle is known by how it begins."""
    redactor = TapeRedactor(Rules.parse(["code_interpreter"]))
    tools: JsonValue = [{"type": "function_call_output_x", "call_id": "code"}]
    kept = redactor.exchange(_asked({"input": tools}))
    assert kept.request.body.value == {"input": tools}

    with pytest.raises(OptionError, match="would change which result answers which call, in #0"):
        TapeRedactor(Rules.parse(["_result"])).exchange(
            _asked({"input": [{"type": "my_result", "call_id": "call_9Ys2kQ81"}]})
        )


CHAT = [
    {"choices": [{"index": 0, "delta": {"content": piece}}]}
    for piece in ("Use ", KEY[:9], KEY[9:30], KEY[30:], ".")
]
CHAT.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_credential_that_a_stream_divides_is_taken_out(end):
    """The events stay; what they spell is what a whole answer would be."""
    text = "".join(f"data: {json.dumps(event)}{end}{end}" for event in CHAT) + f"data: [DONE]{end}{end}"

    made = _streamed(text)

    assert response_json(made).body["choices"][0]["message"] == {"content": f"Use {GONE}."}
    assert response_json(made).complete
    assert made.body.value.count("data: ") == text.count("data: ")
    assert KEY[9:30] not in made.body.value


def test_arguments_in_pieces_are_taken_out_choice_by_choice():
    """Pieces of two calls may alternate."""
    pieces = [(0, '{"k": "sk-ant-api03-'), (1, '{"k": "safe'), (0, f'{KEY[13:]}"}}'), (1, '"}')]
    call = {"type": "tool_use", "id": "t", "name": "f"}
    events = [{"type": "content_block_start", "index": at, "content_block": call} for at in (0, 1)]
    events += [
        {
            "type": "content_block_delta",
            "index": at,
            "delta": {"type": "input_json_delta", "partial_json": text},
        }
        for at, text in pieces
    ]
    text = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)

    blocks = response_json(_streamed(text)).body["content"]

    assert [block["input"] for block in blocks] == [{"k": GONE}, {"k": "safe"}]


def test_streams_of_json_lines_of_lists_and_in_base64_are_streams_too():
    """Ollama's, those that a recorder decoded, and Bedrock's Invoke."""
    ollama = [{"message": {"role": "assistant", "content": text}, "done": done} for text, done in
              ((KEY[:20], False), (KEY[20:], True))]  # fmt: skip
    bedrock = [{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": KEY}}]

    lines = _streamed("".join(f"{json.dumps(event)}\n" for event in ollama)).body.value
    listed = TapeRedactor(Rules()).exchange(_asked({}, Body.json(CHAT))).response
    wrapped = _streamed("".join(f'data: {{"bytes":"{_base64(event)}"}}\n\n' for event in bedrock)).body.value

    assert [json.loads(line)["message"]["content"] for line in lines.splitlines()] == [GONE, ""]
    assert response_json(listed).body["choices"][0]["message"]["content"] == f"Use {GONE}."
    assert json.loads(base64.b64decode(json.loads(wrapped[6:])["bytes"]))["delta"]["text"] == GONE


def test_text_and_bytes_are_looked_at_as_they_are():
    """A body need not be JSON."""
    made = TapeRedactor(Rules()).exchange(
        Exchange(
            0,
            Request("POST", "/", body=Body.text(f"a={KEY}")),
            Response(200, body=Body.bytes(f"\xff {KEY}".encode("latin-1"))),
        )
    )

    assert made.request.body == Body.text(f"a={GONE}")
    assert made.response.body == Body.bytes(f"\xff {GONE}".encode("latin-1"))


def test_what_was_compressed_is_written_as_what_it_holds():
    """The compressed bytes would hold the credential still."""
    body = Body(Body.json(None).kind, {"text": KEY}, wire=b"\x1f\x8bcompressed")

    made = TapeRedactor(Rules()).exchange(_asked({}, body))

    assert made.response.body == Body.json({"text": GONE})


JSON = st.recursive(
    st.none() | st.integers() | st.sampled_from([KEY, "Ada", "x", "", f"say {KEY}", '{"a": "Ada"}', "user"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["a", "id", "type", "role", KEY, "messages", "content"]), inner, max_size=3
        )
    ),
    max_leaves=10,
)


def test_members_that_are_called_like_credentials_hold_some():
    """What an agent tells a server of tools, and what it gives a tool; a schema of such a name is none."""
    server: JsonValue = {"type": "url", "url": "https://h.example", "authorization_token": "Qx7vT2mN9pLr"}
    tool: JsonValue = {"type": "mcp", "headers": {"Authorization": "Basic bWU6aHVudGVyMjI="}}
    schema: JsonValue = {"type": "object", "properties": {"password": {"type": "string", "title": "Pass1"}}}
    body: JsonValue = {"mcp_servers": [server], "tools": [tool, {"name": "f", "parameters": schema}]}
    called: JsonValue = {"content": [{"type": "tool_use", "id": "t", "input": {"password": "hunter22"}}]}

    made = TapeRedactor(Rules()).exchange(_asked(body, Body.json(called)))

    assert made.request.body.value == {
        "mcp_servers": [{**server, "authorization_token": "REDACTED_CREDENTIAL"}],
        "tools": [
            {"type": "mcp", "headers": {"Authorization": "Basic REDACTED_CREDENTIAL"}},
            {"name": "f", "parameters": schema},
        ],
    }
    assert made.response is not None
    assert made.response.body.value == {
        "content": [{"type": "tool_use", "id": "t", "input": {"password": "REDACTED_CREDENTIAL"}}]
    }


def test_a_file_in_base64_stays_one():
    """Its credentials go, and it can still be decoded."""
    file = base64.b64encode(f"NAME=Ada\nKEY={KEY}\n".encode()).decode()
    body: JsonValue = {"messages": [{"role": "tool", "tool_call_id": "c", "content": file}]}

    made = TapeRedactor(Rules()).exchange(_asked(body, Body.json({})))

    content = made.request.body.value["messages"][0]["content"]
    assert base64.b64decode(content).decode() == f"NAME=Ada\nKEY={GONE}\n"


@settings(max_examples=150, deadline=None)
@given(JSON, JSON, st.booleans())
def test_nothing_that_is_to_go_is_left_outside_ids(asked, said, streamed):
    """In any two bodies; the values that were given stay as they were."""
    answer = Body.text(f"data: {jsontext.dumps(said).decode()}\n\n") if streamed else Body.json(said)
    before = jsontext.dumps([asked, said])

    made = TapeRedactor(Rules.parse(["Ada"])).exchange(_asked(asked, answer))

    text = jsontext.dumps([made.request.body.value, made.response.body.value]).decode()
    answers = said if isinstance(said, list) and not streamed else [said]  # a list is the pieces of a stream
    ids = {site.value for site in sites(asked)}
    ids |= {site.value for value in answers for site in sites(value, response=True)}
    assert "Ada" not in text or any("Ada" in each for each in ids)
    assert KEY not in text or any(KEY in each for each in ids)
    assert jsontext.dumps([asked, said]) == before


def _redacted(tape, pattern: str, *, paths: bool = True) -> ExchangeList:
    redactor = TapeRedactor(Rules.parse([pattern]))
    made = [redactor.exchange(one) for one in tape]
    if not paths:  # the rules of a diff leave paths alone
        made = [
            replace(new, request=replace(new.request, path=old.request.path))
            for old, new in zip(tape, made, strict=True)
        ]
    return ExchangeList(made)


def _ids(exchange: Exchange) -> list[tuple[str, ...]]:
    return [(site.id_class, site.role, site.value) for site in sites(exchange.request.body.value)]


def _asked(body: JsonValue, answer: Body | None = None) -> Exchange:
    response = None if answer is None else Response(200, body=answer)
    return Exchange(0, Request("POST", "/v1/x", body=Body.json(body)), response)


def _streamed(text: str) -> Response:
    redactor = TapeRedactor(Rules())
    made = redactor.exchange(_asked({}, Body.text(text))).response
    assert redactor.unstreamed == 0
    return made


def _base64(event: JsonValue) -> str:
    return base64.b64encode(json.dumps(event).encode()).decode()
