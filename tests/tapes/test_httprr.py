"""Traces of Go's httprr are read, exchange by exchange."""

import gzip
import io
from typing import Any

import pytest

from amberfork_cli.core.tape import ABSENT, Body, Exchange, JsonValue, Request, Response, Tape
from amberfork_cli.errors import TapeError
from amberfork_cli.tapes import open_tape
from amberfork_cli.tapes.http1 import WireMessage, wire_message

ASKED = (
    b"POST https://api.openai.com/v1/chat/completions?key=SECRET HTTP/1.1\r\nHost: api.openai.com\r\n"
    b"User-Agent: x\nAuthorization: Bearer SECRET\r\nContent-Type: application/json\r\n\r\n"
    b'{"model":"m","messages":[]}'
)
ANSWERED = (
    b"HTTP/2.0 200 OK\r\nContent-Type: application/json\r\nDate: Wed, 20 Aug 2025 11:58:16 GMT\r\n"
    b'Set-Cookie: SECRET\r\n\r\n{\n  "choices": []\n}\n'
)
UPSTREAM: dict[str, JsonValue] = {"upstream": "https://api.openai.com"}
JSON = (("Content-Type", "application/json"),)
EXCHANGE = Exchange(
    0,
    Request(
        "POST",
        "/v1/chat/completions?key=REDACTED",
        JSON,
        Body.json({"model": "m", "messages": []}),
        UPSTREAM,
    ),
    Response(200, JSON, Body.json({"choices": []})),
    extra={"recorded_at": "2025-08-20T11:58:16+00:00"},
)


def trace(*pairs: tuple[bytes, bytes], first: bytes = b"httprr trace v1\n") -> bytes:
    """A trace of those requests and responses."""
    return first + b"".join(b"%d %d\n%s%s" % (len(one), len(other), one, other) for one, other in pairs)


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
@pytest.mark.parametrize("input_format", [None, "httprr"])
@pytest.mark.parametrize("first", [b"httprr trace v1\n", b"httprr trace v1\r\n"])
def test_a_trace_is_a_tape(compress: Any, input_format: str | None, first: bytes) -> None:
    """Its messages are those that crossed the wire, without credentials."""
    source = compress(trace((ASKED, ANSWERED), (ASKED, ANSWERED), first=first))

    with tape(source, input_format=input_format) as found:
        exchanges = list(found)

    assert exchanges[0] == EXCHANGE
    assert [exchange.number for exchange in exchanges] == [0, 1]


@pytest.mark.parametrize(
    ("asked", "path", "extra"),
    [
        (b"GET https://serpapi.com/search?q=a HTTP/1.1\r\n\r\n", "/search?q=a", "https://serpapi.com"),
        (b"GET /search HTTP/1.1\r\nHost: serpapi.com\r\n\r\n", "/search", "//serpapi.com"),
        (b"GET /search HTTP/1.1\r\n\r\n", "/search", None),
        (b"GET /search HTTP/1.1", "/search", None),
    ],
)
def test_the_host_is_that_of_the_url_or_of_the_header(asked: bytes, path: str, extra: str | None) -> None:
    """Where there is one."""
    with tape(trace((asked, b""))) as found:
        (exchange,) = found

    assert exchange == Exchange(
        0,
        Request("GET", path, extra={**({"upstream": extra} if extra else {}), "to_model": False}),
        None,
    )


@pytest.mark.parametrize(
    ("headers", "body", "expected"),
    [
        (b"", b"", ABSENT),
        (b"", b"data: 1\n\ndata: 2\n\n", Body.text("data: 1\n\ndata: 2\n\n")),
        (b"", b"\r\n\r\n\xff\n", Body.bytes(b"\r\n\r\n\xff\n")),
        (b"Content-Encoding: gzip\r\n", gzip.compress(b'{"n": 1}', mtime=0), Body.json({"n": 1})),
        (b"Transfer-Encoding: chunked\r\n", b'4\r\n{"n"\r\n4;x=y\r\n: 1}\r\n0\r\n\r\n', Body.json({"n": 1})),
        (b"Transfer-Encoding: chunked\r\n", b'4\n{"n"\n4\n: 1}\n0\n\n', Body.json({"n": 1})),
    ],
)
def test_a_body_is_what_the_headers_say(headers: bytes, body: bytes, expected: Body) -> None:
    """Compressed, in chunks, or as it is, whatever bytes are in it."""
    answered = b"HTTP/1.1 200 OK\r\n" + headers + b"\r\n" + body

    with tape(trace((ASKED, answered), (ASKED, ANSWERED))) as found:
        first, second = found

    assert first.response is not None
    assert (first.response.status, first.response.body) == (200, expected)
    assert second.response == EXCHANGE.response


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        ((b"nonsense", ANSWERED), "not an exchange: a request without a method and a URL (at /1)"),
        ((ASKED, b"nonsense"), "not an exchange: a response without a status (at /1)"),
        ((ASKED, b"HTTP/1.1 \xb2\xb3\xb2 x\r\n\r\n"), "not an exchange: a response without a status (at /1)"),
        (
            (ASKED, b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"),
            "not an exchange: a damaged chunk (at /1)",
        ),
    ],
)
def test_an_exchange_that_is_none_is_named(bad: tuple[bytes, bytes], problem: str) -> None:
    """With the line of its sizes; lenient reading leaves it out and says so."""
    source = trace((ASKED, ANSWERED), bad, (ASKED, ANSWERED))

    given, error = until_trouble(source)
    with tape(source, lenient=True) as found:
        kept = list(found)

    line = trace((ASKED, ANSWERED)).count(b"\n") + 1
    assert (len(given), str(error)) == (1, f"stream:{line}:1: {problem}")
    assert [exchange.number for exchange in kept] == [0, 1]
    assert found.left_out.bad_lines == [(line, problem)]


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (b"httprr trace v2\n", 'stream:1:1: not an httprr trace: the first line is not "httprr trace v1"'),
        (b"x", 'stream:1:1: not an httprr trace: the first line is not "httprr trace v1"'),
        (b"httprr trace v1\nx\n", "stream:2:1: not an httprr trace: the sizes of a request and a response"),
        (
            b"httprr trace v1\n1 -1\n",
            "stream:2:1: not an httprr trace: the sizes of a request and a response",
        ),
        (b"httprr trace v1\n1", "stream:2:1: not an httprr trace: the sizes of a request and a response"),
        (
            b"httprr trace v1\n" + b"9" * 5000 + b" 1\n",
            "stream:2:1: not an httprr trace: the sizes of a request",
        ),
        (b"httprr trace v1\n999999999999 1\nGET", "stream:2:1: not an httprr trace: it ends in the middle"),
    ],
)
def test_what_is_no_trace_is_trouble_with_a_place(source: bytes, problem: str) -> None:
    """In one line."""
    _, error = until_trouble(source, input_format="httprr")

    assert str(error).startswith(problem)


def test_a_trace_that_was_cut_off_is_trouble_wherever_that_was() -> None:
    """And lenient reading takes what stands before."""
    source = trace((ASKED, ANSWERED), (ASKED, ANSWERED))
    middle = len(trace((ASKED, ANSWERED)))

    for length in range(middle + len("200 100\n"), len(source), 11):
        given, _ = until_trouble(source[:length])
        with tape(source[:length], lenient=True) as found:
            kept = list(found)

        assert given == kept == [EXCHANGE]
        assert found.left_out.torn_end is not None


def test_a_message_without_headers_or_body_is_one() -> None:
    """Nothing is looked for that need not be there."""
    assert wire_message(b"") == WireMessage(("",), (), b"")
    assert wire_message(b"GET / HTTP/1.1") == WireMessage(("GET", "/", "HTTP/1.1"), (), b"")


def tape(source: bytes, **options: Any) -> Tape:
    """Open bytes as a tape."""
    return open_tape(io.BytesIO(source), **options)


def until_trouble(source: bytes, **options: Any) -> tuple[list[Exchange], TapeError]:
    """What a source gives before it is trouble, and what that is."""
    given: list[Exchange] = []
    with pytest.raises(TapeError) as caught, tape(source, **options) as found:
        given.extend(found)
    return given, caught.value
