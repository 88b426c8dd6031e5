"""Traces are read as the calls to models that their spans tell of."""

import gzip
import io
import json
from typing import Any

import pytest

from amberfork_cli.core.dialects.calls import tool_turns
from amberfork_cli.core.tape import Body, Exchange, Request, Response, Tape
from amberfork_cli.errors import TapeError
from amberfork_cli.tapes import open_tape

Json = Any
CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}
ASKED = [
    {"role": "system", "content": "be brief"},
    {"role": "user", "content": "hello"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "ok"},
]
TOOL = {
    "type": "function",
    "function": {"name": "f", "description": "d", "parameters": {"type": "object"}},
}
ENDED = 1763532000_500000000

OTEL = {
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "m",
    "gen_ai.system_instructions": json.dumps([{"type": "text", "content": "be brief"}]),
    "gen_ai.input.messages": json.dumps(
        [
            {"role": "user", "parts": [{"type": "text", "content": "hello"}]},
            {
                "role": "assistant",
                "parts": [{"type": "tool_call", "id": "c1", "name": "f", "arguments": {"a": 1}}],
            },
            {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "ok"}]},
        ]
    ),
    "gen_ai.output.messages": json.dumps(
        [{"role": "assistant", "parts": [{"type": "text", "content": "done"}], "finish_reason": "stop"}]
    ),
    "gen_ai.tool.definitions": json.dumps(
        [{"type": "function", "name": "f", "description": "d", "parameters": {"type": "object"}}]
    ),
}
OPENLLMETRY = {
    "llm.request.type": "chat",
    "gen_ai.request.model": "m",
    "gen_ai.prompt.0.role": "system",
    "gen_ai.prompt.0.content": "be brief",
    "gen_ai.prompt.1.role": "user",
    "gen_ai.prompt.1.content": "hello",
    "gen_ai.prompt.2.role": "assistant",
    "gen_ai.prompt.2.tool_calls.0.id": "c1",
    "gen_ai.prompt.2.tool_calls.0.name": "f",
    "gen_ai.prompt.2.tool_calls.0.arguments": '{"a":1}',
    "gen_ai.prompt.3.role": "tool",
    "gen_ai.prompt.3.tool_call_id": "c1",
    "gen_ai.prompt.3.content": "ok",
    "gen_ai.completion.0.role": "assistant",
    "gen_ai.completion.0.content": "done",
    "gen_ai.completion.0.finish_reason": "stop",
    "llm.request.functions.0.name": "f",
    "llm.request.functions.0.description": "d",
    "llm.request.functions.0.parameters": '{"type": "object"}',
}
OPENINFERENCE = {
    "openinference.span.kind": "LLM",
    "llm.model_name": "m",
    "llm.input_messages.0.message.role": "system",
    "llm.input_messages.0.message.content": "be brief",
    "llm.input_messages.1.message.role": "user",
    "llm.input_messages.1.message.content": "hello",
    "llm.input_messages.2.message.role": "assistant",
    "llm.input_messages.2.message.tool_calls.0.tool_call.id": "c1",
    "llm.input_messages.2.message.tool_calls.0.tool_call.function.name": "f",
    "llm.input_messages.2.message.tool_calls.0.tool_call.function.arguments": '{"a":1}',
    "llm.input_messages.3.message.role": "tool",
    "llm.input_messages.3.message.tool_call_id": "c1",
    "llm.input_messages.3.message.content": "ok",
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.content": "done",
    "llm.tools.0.tool.json_schema": json.dumps(TOOL),
}
EVENTS = [
    ("gen_ai.system.message", {"content": "be brief"}),
    ("gen_ai.user.message", {"gen_ai.event.content": '{"role": "user", "content": "hello"}'}),
    ("gen_ai.assistant.message", {"tool_calls": json.dumps([CALL])}),
    ("gen_ai.tool.message", {"id": "c1", "content": "ok", "gen_ai.system": "x"}),
    ("exception", {}),
    ("gen_ai.choice", {"index": 0, "finish_reason": "stop", "message": '{"content": "done"}'}),
]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("input_format", [None, "otlp"])
@pytest.mark.parametrize(
    ("attributes", "reason"), [(OTEL, "stop"), (OPENLLMETRY, "stop"), (OPENINFERENCE, None)]
)
def test_every_family_of_attributes_gives_the_same_exchange(
    attributes: Json, reason: str | None, input_format: str | None, indent: int | None
) -> None:
    """In one shape, marked, with the span that it was made of."""
    source = json.dumps(trace(span("s1", attributes)), indent=indent).encode()

    with tape(source, input_format=input_format) as found:
        exchanges = list(found)

    answer = {"index": 0, "message": {"role": "assistant", "content": "done"}, "finish_reason": reason}
    (exchange,) = exchanges
    assert exchange == Exchange(
        0,
        Request(
            "POST",
            "/v1/chat/completions",
            body=Body.json({"model": "m", "messages": ASKED, "tools": [TOOL]}),
        ),
        Response(body=Body.json({"object": "chat.completion", "choices": [answer]})),
        extra={
            "synthetic": True,
            "trace": "t1",
            "span": "s1",
            "recorded_at": "2025-11-19T06:00:00.500000+00:00",
        },
    )


def test_messages_may_be_events() -> None:
    """As they were before 2025's autumn; or the attributes of one event of a call."""
    plain = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}
    details = {name: value for name, value in OTEL.items() if name not in plain}
    spans = [
        span("s1", plain, events=EVENTS),
        span("s2", plain, events=[("gen_ai.client.inference.operation.details", details)]),
    ]

    with tape(json.dumps(trace(*spans)).encode()) as found:
        first, second = found

    assert isinstance(first.request.body.value, dict)
    assert isinstance(second.request.body.value, dict)
    assert first.request.body.value["messages"] == second.request.body.value["messages"] == ASKED
    assert first.response == second.response


@pytest.mark.parametrize("wrapped", [True, False])
def test_calls_and_results_of_a_run_are_linked(wrapped: bool) -> None:
    """So that the tools of a trace can be run; a file may hold a document a line."""
    answered: Json = {
        **{
            name: value
            for name, value in OPENLLMETRY.items()
            if ".prompt.2" not in name and ".3." not in name
        },
        "gen_ai.completion.0.tool_calls.0.id": "c1",
        "gen_ai.completion.0.tool_calls.0.name": "f",
        "gen_ai.completion.0.tool_calls.0.arguments": '{"a":1}',
    }
    spans = [span("s1", answered, began=1), span("s2", OPENLLMETRY, began=2)]
    documents = [trace(*spans)] if wrapped else [trace(one) for one in spans]

    with tape(b"\n".join(json.dumps(one).encode() for one in documents)) as found:
        (turn,) = tool_turns(found)

    assert [(one.call.name, one.call.arguments, one.result is not None) for one in turn.calls] == [
        ("f", '{"a":1}', True)
    ]


def test_calls_stand_in_the_order_in_which_they_began() -> None:
    """Whatever the order of the spans, which are written when they end."""
    spans = [span(f"s{began}", OTEL, began=began) for began in (3, 1, 2)]

    with tape(json.dumps(trace(*spans)).encode()) as found:
        assert [exchange.extra["span"] for exchange in found] == ["s1", "s2", "s3"]


def test_only_calls_to_models_count_and_each_once() -> None:
    """Not tools, chains, agents or embeddings, nor what one library saw around what another did."""
    notices: list[str] = []
    spans = [
        span("agent", {"gen_ai.operation.name": "invoke_agent"}),
        span("chain", {"openinference.span.kind": "CHAIN", "llm.input_messages.0.message.role": "user"}),
        span("outer", OPENLLMETRY, parent="agent"),
        span("http", {"http.method": "POST"}, parent="outer"),
        span("inner", OTEL, parent="http"),
        span("tool", {"gen_ai.operation.name": "execute_tool"}, parent="agent"),
        span("embedding", {"gen_ai.operation.name": "embeddings"}),
        span("loop", {**OTEL}, parent="loop"),
    ]

    with tape(json.dumps(trace(*spans)).encode(), notice=notices.append) as found:
        assert [exchange.extra["span"] for exchange in found] == ["inner", "loop"]
    assert notices == ["stream: 1 call stands around another call, and left aside"]


def test_calls_without_messages_are_marked_and_told() -> None:
    """Most traces are made without what was said."""
    notices: list[str] = []
    bare = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "server.address": "api.openai.com"}

    with tape(json.dumps(trace(span("s1", bare))).encode(), notice=notices.append) as found:
        (exchange,) = found

    assert exchange.request.body == Body.json({"model": "m"})
    assert exchange.request.extra == {"body_missing": True, "upstream": "//api.openai.com"}
    assert exchange.response is None
    assert notices == ["stream: 1 call has no messages: the trace was made without them"]


def test_values_are_taken_out_of_the_names_of_their_types() -> None:
    """Also where messages are no text but values, and parts are not only text."""
    messages = [
        {
            "role": "user",
            "parts": [{"type": "text", "content": "a"}, {"type": "blob", "size": 7, "odd": None}],
        },
    ]
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.response.id": "r",
        "gen_ai.input.messages": messages,
        "gen_ai.output.messages": [
            {"role": "assistant", "parts": [{"type": "tool_call", "id": "c", "name": "f"}]}
        ],
    }

    with tape(gzip.compress(json.dumps(trace(span("s1", attributes))).encode())) as found:
        (exchange,) = found

    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": ""}}
    answer = {"role": "assistant", "content": None, "tool_calls": [call]}
    assert exchange.request.body.value == {
        "messages": [
            {
                "role": "user",
                "content": [{"type": "text", "text": "a"}, {"type": "blob", "size": 7, "odd": None}],
            }
        ]
    }
    assert exchange.response == Response(
        body=Body.json(
            {
                "object": "chat.completion",
                "choices": [{"index": 0, "message": answer, "finish_reason": None}],
                "id": "r",
            }
        )
    )


def test_several_contents_of_openinference_are_a_list() -> None:
    """As of a message with an image."""
    attributes = {
        "openinference.span.kind": "LLM",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.contents.0.message_content.type": "text",
        "llm.input_messages.0.message.contents.0.message_content.text": "a",
        "llm.input_messages.0.message.contents.10.message_content.type": "image",
    }

    with tape(json.dumps(trace(span("s1", attributes))).encode()) as found:
        (exchange,) = found

    content = [{"type": "text", "text": "a"}, {"type": "image"}]
    assert exchange.request.body.value == {"messages": [{"role": "user", "content": content}]}


AI_SDK = {
    "operation.name": "ai.generateText.doGenerate",
    "ai.operationId": "ai.generateText.doGenerate",
    "ai.model.id": "m",
    "ai.prompt.messages": json.dumps(
        [
            {"role": "system", "content": "be brief"},
            {"role": "user", "content": [{"type": "text", "text": "hello"}]},
            {
                "role": "assistant",
                "content": [{"type": "tool-call", "toolCallId": "c1", "toolName": "f", "input": {"a": 1}}],
            },
            {
                "role": "tool",
                "content": [
                    {
                        "type": "tool-result",
                        "toolCallId": "c1",
                        "toolName": "f",
                        "output": {"type": "text", "value": "ok"},
                    }
                ],
            },
        ]
    ),
    "ai.prompt.tools": [
        json.dumps({"type": "function", "name": "f", "description": "d", "inputSchema": {"type": "object"}})
    ],
    "ai.response.text": "done",
    "ai.response.toolCalls": json.dumps([{"toolCallId": "c2", "toolName": "f", "input": '{"a":1}'}]),
    "ai.response.finishReason": "tool-calls",
}


def test_the_ai_sdk_is_a_family_of_its_own() -> None:
    """Its inner span is the call; the one around it, and those of tools, are none."""
    outer = {"ai.operationId": "ai.generateText", "ai.prompt": "{}"}
    run = {"ai.operationId": "ai.toolCall", "ai.toolCall.name": "f"}

    (exchange,) = _read(span("s0", outer), span("s1", AI_SDK, parent="s0"), span("s2", run, parent="s0"))

    assert exchange.request.body.value == {"model": "m", "messages": ASKED, "tools": [TOOL]}
    assert exchange.response is not None
    assert exchange.response.body.value == {
        "object": "chat.completion",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "done", "tool_calls": [{**CALL, "id": "c2"}]},
                "finish_reason": "tool-calls",
            }
        ],
    }


LISTED = [
    {"event.name": "gen_ai.system.message", "role": "system", "content": "be brief", "gen_ai.system": "x"},
    {"event.name": "gen_ai.user.message", "role": "user", "content": "hello", "gen_ai.message.index": 1},
    {"event.name": "gen_ai.assistant.message", "role": "assistant", "tool_calls": [CALL]},
    {"event.name": "gen_ai.tool.message", "role": "tool", "id": "c1", "content": "ok"},
    {"event.name": "gen_ai.choice", "index": 0, "message": {"role": "assistant", "content": "done"}},
    {"event.name": 7},
]


def test_events_may_be_listed_in_an_attribute() -> None:
    """As Pydantic AI does, with the tools beside them."""
    offered = {
        "function_tools": [{"name": "f", "description": "d", "parameters_json_schema": {"type": "object"}}]
    }
    attributes = {
        "gen_ai.operation.name": "chat",
        "events": json.dumps(LISTED),
        "model_request_parameters": json.dumps(offered),
        "gen_ai.response.finish_reasons": ["stop"],
    }

    (exchange,) = _read(span("s1", attributes))

    assert exchange.request.body.value == {"messages": ASKED, "tools": [TOOL]}
    assert exchange.response is not None
    answer = {"index": 0, "message": {"role": "assistant", "content": "done"}, "finish_reason": "stop"}
    assert exchange.response.body.value == {"object": "chat.completion", "choices": [answer]}


@pytest.mark.parametrize("first", ["logs", "spans"])
def test_events_may_be_records_of_a_log(first: str) -> None:
    """In a document of their own, before or behind the span that they are of."""
    call = trace(span("s1", {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}))
    records = [record("s1", one, in_attributes=index % 2 == 0) for index, one in enumerate(LISTED[:5])]
    lines = [logs(*records), call] if first == "logs" else [call, logs(*records)]

    with tape(b"\n".join(json.dumps(line).encode() for line in lines)) as found:
        (exchange,) = found

    assert exchange.request.body.value == {"model": "m", "messages": ASKED}
    assert exchange.extra["recorded_at"] == "2025-11-19T06:00:00.500000+00:00"
    assert exchange.response is not None


def test_a_log_alone_is_read_as_well() -> None:
    """What its records say of one call is an exchange, in the order in which the first came."""
    later = {"event.name": "gen_ai.client.inference.operation.details", **OTEL}
    others = record("s3", {"event.name": "gen_ai.user.message", "content": "earlier"}, at=7)

    with tape(
        json.dumps(logs(record("s1", later), others, record("s4", {"event.name": "http"}))).encode()
    ) as found:
        exchanges = list(found)

    assert [exchange.extra["span"] for exchange in exchanges] == ["s3", "s1"]
    assert [_body(exchange)["messages"] for exchange in exchanges] == [
        [{"role": "user", "content": "earlier"}],
        ASKED,
    ]


@pytest.mark.parametrize(
    ("given", "messages"),
    [
        ('[{"role": "user", "content": "hello"}]', [{"role": "user", "content": "hello"}]),
        (['{"role": "user", "content": "hello"}'], [{"role": "user", "content": "hello"}]),
        ("hello", [{"role": "user", "content": "hello"}]),
        (
            json.dumps([{"role": "assistant", "content": None, "tool_calls": [CALL]}]),
            [{"role": "assistant", "content": None, "tool_calls": [CALL]}],
        ),
    ],
)
def test_messages_need_not_be_in_parts(given: Json, messages: Json) -> None:
    """As many write them, who were there before the convention was; nor need the operation be named."""
    attributes = {
        "gen_ai.request.model": "m",
        "gen_ai.input.messages": given,
        "gen_ai.output.messages": "Hi.",
    }

    (exchange,) = _read(span("s1", attributes))

    assert _body(exchange)["messages"] == messages
    assert exchange.response is not None
    choices: Json = exchange.response.body.value
    assert choices["choices"][0]["message"] == {"role": "assistant", "content": "Hi."}


def test_settings_and_counts_are_kept() -> None:
    """By the names that chat completions have for them."""
    otel = {
        **OTEL,
        "gen_ai.request.temperature": 0.5,
        "gen_ai.request.max_tokens": 9,
        "gen_ai.request.stop_sequences": ["x"],
        "gen_ai.usage.input_tokens": 3,
        "gen_ai.usage.output_tokens": 4,
    }
    parameters = {"temperature": 0.5, "model": "other", "tools": []}
    inference = {
        **OPENINFERENCE,
        "llm.invocation_parameters": json.dumps(parameters),
        "llm.token_count.prompt": 3,
    }

    first, second = _read(span("s1", otel), span("s2", inference))

    assert {name: value for name, value in _body(first).items() if name not in ("messages", "tools")} == {
        "model": "m",
        "temperature": 0.5,
        "max_tokens": 9,
        "stop": ["x"],
    }
    assert (_body(second)["model"], _body(second)["temperature"]) == ("m", 0.5)
    assert first.response is not None
    assert second.response is not None
    answers: list[Json] = [first.response.body.value, second.response.body.value]
    assert [answer["usage"] for answer in answers] == [
        {"prompt_tokens": 3, "completion_tokens": 4},
        {"prompt_tokens": 3},
    ]


def test_a_trace_of_tempo_is_one() -> None:
    """Which calls the list differently."""
    document = {"batches": trace(span("s1", OTEL))["resourceSpans"]}

    with tape(json.dumps(document).encode()) as found:
        assert len(list(found)) == 1


def test_a_line_that_is_no_trace_is_named() -> None:
    """Lenient reading leaves it out. Metrics are no trouble: a collector may write them to the same file."""
    metrics = b'{"resourceMetrics": []}'
    lines = [json.dumps(trace(span("s1", OTEL))).encode(), metrics, b'{"metrics": []}']

    with pytest.raises(TapeError) as caught, tape(b"\n".join(lines)) as found:
        list(found)
    with tape(b"\n".join(lines), lenient=True) as found:
        assert len(list(found)) == 1

    assert str(caught.value) == 'stream:3:1: not a trace: no list "resourceSpans"'


@pytest.mark.parametrize(
    "odd",
    [
        {"resourceSpans": [7, {"scopeSpans": 7}, {"scopeSpans": [{"spans": [7, {"attributes": 7}]}]}]},
        {"resourceSpans": [{"scopeSpans": [{"spans": [{"attributes": [7, {}, {"key": "a", "value": 7}]}]}]}]},
        {
            "resourceSpans": [
                {
                    "scopeSpans": [
                        {
                            "spans": [
                                {
                                    "events": [7, {"attributes": []}],
                                    "attributes": [
                                        {
                                            "key": "gen_ai.operation.name",
                                            "value": {"kvlistValue": {"values": [7]}},
                                        },
                                        {"key": "b", "value": {"arrayValue": {}}},
                                        {"key": "c", "value": {"intValue": "9" * 5000}},
                                    ],
                                }
                            ]
                        }
                    ]
                }
            ]
        },
    ],
)
def test_odd_spans_are_no_calls(odd: Json) -> None:
    """And no trouble."""
    with tape(json.dumps(odd).encode()) as found:
        assert list(found) == []


def test_a_call_with_odd_attributes_is_what_can_be_read() -> None:
    """Nothing that an attribute holds is trouble."""
    odd = {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": '[{"role": "us',
        "gen_ai.output.messages": [7, {"parts": 7}, {"parts": [7]}],
        "gen_ai.tool.definitions": [7],
        "gen_ai.prompt.x.role": "user",
        f"gen_ai.prompt.{'9' * 5000}.role": "user",
    }
    spans = [
        span("s1", odd, events=[("gen_ai.choice", {"message": "x"})], began=None),
        span(
            "s2",
            {"gen_ai.operation.name": "chat"},
            events=[("gen_ai.choice", {"message": "x", "index": "1"})],
        ),
    ]

    with tape(json.dumps(trace(*spans)).encode()) as found:
        first, second = found

    assert first.request.extra == {"body_missing": True}
    assert second.response is not None


def trace(*spans: Json) -> Json:
    """A document of those spans."""
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {"name": "x"}, "spans": [*spans]}]}]}


def span(
    name: str, attributes: Json, *, events: Json = (), parent: str = "", began: int | None = 1
) -> dict[str, Json]:
    """A span, as the collector writes it."""
    return {
        "traceId": "t1",
        "spanId": name,
        "parentSpanId": parent,
        "startTimeUnixNano": None if began is None else str(began),
        "endTimeUnixNano": str(ENDED),
        "attributes": _pairs(attributes),
        "events": [{"name": event, "attributes": _pairs(held)} for event, held in events],
    }


def record(name: str, said: Json, *, in_attributes: bool = True, at: int = ENDED) -> Json:
    """A record of a log that a span's event is, which it says in its attributes or in its body."""
    event = {"event.name": said["event.name"]}
    others = {key: value for key, value in said.items() if key != "event.name"}
    held = {"attributes": _pairs({**event, **others})} if in_attributes else {"body": _wrapped(others)}
    return {
        "traceId": "t1",
        "spanId": name,
        "timeUnixNano": str(at),
        **({} if in_attributes else {"eventName": said["event.name"]}),
        **held,
    }


def logs(*records: Json) -> Json:
    """A document of a log."""
    return {"resourceLogs": [{"scopeLogs": [{"logRecords": list(records)}]}]}


def _read(*spans: Json) -> list[Exchange]:
    with tape(json.dumps(trace(*spans)).encode()) as found:
        return list(found)


def _body(exchange: Exchange) -> Json:
    return exchange.request.body.value


def _pairs(attributes: Json) -> list[Json]:
    return [{"key": key, "value": _wrapped(value)} for key, value in attributes.items()]


def _wrapped(value: Json) -> Json:
    """A value under the name of its type."""
    if isinstance(value, list):
        return {"arrayValue": {"values": [_wrapped(one) for one in value]}}
    if isinstance(value, dict):
        return {"kvlistValue": {"values": _pairs(value)}}
    if value is None:
        return {}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"stringValue": value}


def tape(source: bytes, **options: Any) -> Tape:
    """Open bytes as a tape."""
    return open_tape(io.BytesIO(source), **options)
