"""Flow files of mitmproxy are read as the exchanges that they hold."""

import gzip
import io
import json
from typing import Any

import pytest

from amberfork_cli.core.tape import Body, BodyKind, Exchange, Request, Response, Tape
from amberfork_cli.errors import TapeError
from amberfork_cli.tapes import open_tape

Json = Any
ASKED = {"model": "m", "messages": [{"role": "user", "content": "Grüße"}]}
ANSWER = {"choices": [{"message": {"role": "assistant", "content": "Hi"}}]}
BEGAN = 1763532000.5


def written(value: Json) -> bytes:
    """A value as a tnetstring."""
    if value is None:
        data, kind = b"", b"~"
    elif isinstance(value, bool):
        data, kind = str(value).lower().encode(), b"!"
    elif isinstance(value, bytes):
        data, kind = value, b","
    elif isinstance(value, str):
        data, kind = value.encode(), b";"
    elif isinstance(value, int):
        data, kind = str(value).encode(), b"#"
    elif isinstance(value, float):
        data, kind = repr(value).encode(), b"^"
    elif isinstance(value, list):
        data, kind = b"".join(map(written, value)), b"]"
    else:
        data, kind = b"".join(written(one) for pair in value.items() for one in pair), b"}"
    return b"%d:%s%s" % (len(data), data, kind)


def flow(**changed: Json) -> dict[str, Json]:
    """A flow, with the members that mitmproxy writes."""
    return {
        "websocket": None,
        "response": response(),
        "request": request(),
        "error": None,
        "type": "http",
        "version": 21,
        **changed,
    }


def request(**changed: Json) -> dict[str, Json]:
    """What was asked."""
    headers = [[b"Host", b"api.openai.com"], [b"Authorization", b"Bearer SECRET"], [b"Accept", b"*/*"]]
    return {
        "http_version": b"HTTP/1.1",
        "headers": headers,
        "content": json.dumps(ASKED).encode(),
        "trailers": None,
        "timestamp_start": BEGAN,
        "host": "10.0.0.7",
        "port": 443,
        "method": b"POST",
        "scheme": b"https",
        "authority": b"",
        "path": b"/v1/chat/completions?key=SECRET",
        **changed,
    }


def response(**changed: Json) -> dict[str, Json]:
    """What was answered, compressed as it crossed the wire."""
    return {
        "status_code": 200,
        "reason": b"OK",
        "headers": [[b"content-type", b"application/json"], [b"content-encoding", b"gzip"]],
        "content": gzip.compress(json.dumps(ANSWER).encode()),
        **changed,
    }


@pytest.mark.parametrize("input_format", [None, "mitmproxy"])
@pytest.mark.parametrize("old", [False, True])
def test_flows_are_exchanges(input_format: str | None, old: bool) -> None:
    """Decoded, and without credentials; older versions name members in bytes."""
    one: Json = flow()
    if old:
        one = {name.encode(): value for name, value in flow(type=b"http", websocket=None).items()}

    with tape(written(one) * 2, input_format=input_format) as found:
        exchanges = list(found)

    assert exchanges == [
        Exchange(
            number,
            Request(
                "POST",
                "/v1/chat/completions?key=REDACTED",
                (("Accept", "*/*"),),
                Body.json(ASKED),
                {"upstream": "https://api.openai.com"},
            ),
            Response(
                200, (("content-type", "application/json"), ("content-encoding", "gzip")), Body.json(ANSWER)
            ),
            extra={"recorded_at": "2025-11-19T06:00:00.500000+00:00"},
        )
        for number in range(2)
    ]


@pytest.mark.parametrize(
    ("changed", "upstream"),
    [
        ({"authority": b"h2.example"}, "https://h2.example"),
        ({"headers": [], "host": "plain.example", "port": 8443}, "https://plain.example:8443"),
        ({"headers": [[b"host", b"h.example:8000"]], "scheme": b"http"}, "http://h.example:8000"),
    ],
)
def test_the_upstream_is_the_one_that_the_client_meant(changed: Json, upstream: str) -> None:
    """By HTTP/2's name for it, by a header, or where the connection went to."""
    (exchange,) = _read(flow(request=request(**changed)))

    assert exchange.request.extra["upstream"] == upstream


def test_what_got_no_answer_has_no_response() -> None:
    """The connection was refused."""
    (exchange,) = _read(flow(response=None, error={"msg": "refused", "timestamp": 1.0}))

    assert exchange.response is None


def test_bodies_that_were_streamed_and_not_kept_are_marked_and_told() -> None:
    """Which mitmproxy is told to do by an option."""
    told: list[str] = []

    with tape(written(flow(response=response(content=None))), notice=told.append) as found:
        (exchange,) = found

    assert exchange.response is not None
    assert (exchange.response.body.kind, exchange.response.extra) == (BodyKind.ABSENT, {"body_missing": True})
    assert told == ["stream: 1 exchange lacks a body: it was streamed and not kept"]


def test_messages_of_a_websocket_are_exchanges() -> None:
    """Each that was sent, with what came back before the next; bytes are in base64."""
    messages = [
        [1, True, b'{"type": "a"}', 1.0, False, False],
        [1, False, b'{"type": "b"}', 2.0, False, False],
        [2, False, b"\xff", 2.5, False, False],
        [1, True, b"c", 3.0, False, False],
    ]

    exchanges = _read(flow(websocket={"messages": messages}, request=request(method=b"GET", content=b"")))

    assert [(one.number, one.request.method, one.request.body.value) for one in exchanges] == [
        (0, "WS", {"type": "a"}),
        (1, "WS", "c"),
    ]
    assert exchanges[0].response == Response(101, body=Body.json([{"type": "b"}, "/w=="]))
    assert exchanges[1].response is None


def test_other_flows_are_left_out_and_told() -> None:
    """Of TCP, UDP and DNS."""
    told: list[str] = []

    with tape(written({"type": "tcp", "messages": []}) + written(flow()), notice=told.append) as found:
        assert [exchange.number for exchange in found] == [0]
    assert told == ["stream: 1 flow is not HTTP and left out"]


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (written(flow())[:-9], "not a flow file: it ends in the middle of a flow"),
        (written(flow()) + b"x" * 20, "not a flow file: no flow where one should begin"),
    ],
)
def test_what_is_cut_off_or_broken_is_where_reading_stops(source: bytes, problem: str) -> None:
    """Lenient reading gives what stands before it."""
    whole = written(flow())

    with pytest.raises(TapeError) as caught, tape(whole + source, input_format="mitmproxy") as found:
        list(found)
    with tape(whole + source, lenient=True) as found:
        kept = list(found)

    assert str(caught.value) == f"stream:1: {problem}"
    assert len(kept) == (2 if b"xxx" in source else 1)


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        (flow(request=None), "not an HTTP flow: no request (at /1)"),
        (flow(request=request(path=b"")), "not an HTTP flow: no method or no path (at /1/request)"),
    ],
)
def test_a_flow_that_is_none_is_named(bad: Json, problem: str) -> None:
    """By its number; lenient reading leaves it out."""
    source = written(flow()) + written(bad)

    with pytest.raises(TapeError) as caught, tape(source) as found:
        list(found)
    with tape(source, lenient=True) as found:
        assert len(list(found)) == 1

    assert str(caught.value) == f"stream:1:1: {problem}"


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (b"5:7:ab;}", "not a flow: a value that is cut off"),
        (b"11:4:type;1:b?}", "not a flow: a value of a type that there is not"),
        (b"11:4:type;1:b#}", "not a flow: a value that is not of its type"),
        (b"3:abc;", "not a flow: no mapping"),
    ],
)
def test_odd_values_are_trouble(source: bytes, problem: str) -> None:
    """And never a crash."""
    with pytest.raises(TapeError) as caught, tape(source, input_format="mitmproxy") as found:
        next(iter(found))

    assert str(caught.value).startswith(f"stream:1:1: not a flow file of mitmproxy: {problem}")


def test_what_nests_without_end_is_trouble() -> None:
    """Whatever its depth."""
    value: Json = []
    for _ in range(100):
        value = [value]

    with (
        pytest.raises(TapeError, match="more than 64 levels"),
        tape(written(flow(websocket={"a": value}))) as found,
    ):
        list(found)


def _read(*flows: Json) -> list[Exchange]:
    with tape(b"".join(map(written, flows))) as found:
        return list(found)


def tape(source: bytes, **options: Any) -> Tape:
    """Open bytes as a tape."""
    return open_tape(io.BytesIO(source), **options)
