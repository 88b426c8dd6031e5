"""Fixtures of nock are read, however they keep a reply."""

import gzip
import io
import json
from typing import Any

import brotli
import pytest

from amberfork_cli.core.tape import ABSENT, Body, Exchange, JsonValue, Request, Response, Tape
from amberfork_cli.errors import TapeError
from amberfork_cli.tapes import open_tape

Json = Any
UPSTREAM: dict[str, JsonValue] = {"upstream": "https://api.openai.com"}
JSON = (("content-type", "application/json"),)


def fixture(**changed: Json) -> Json:
    """What was asked and replied once."""
    return {
        "scope": "https://api.openai.com:443",
        "method": "POST",
        "path": "/v1/chat/completions",
        "body": {"model": "m", "messages": []},
        "status": 200,
        "response": {"choices": []},
        "rawHeaders": {"content-type": "application/json", "set-cookie": ["SECRET"]},
        "responseIsBinary": False,
        **changed,
    }


@pytest.mark.parametrize("indent", [None, 4])
@pytest.mark.parametrize("input_format", [None, "nock"])
@pytest.mark.parametrize(
    "headers",
    [
        {"rawHeaders": {"content-type": "application/json", "set-cookie": ["SECRET"]}},
        {"rawHeaders": ["content-type", "application/json", "set-cookie", "SECRET"]},
        {"rawHeaders": None, "headers": {"content-type": "application/json"}},
    ],
)
def test_a_fixture_is_a_tape(indent: int | None, input_format: str | None, headers: Json) -> None:
    """Of the exchanges that it lists, whichever way its headers are written."""
    one = {name: value for name, value in fixture(**headers).items() if value is not None}
    source = json.dumps([one, one], indent=indent).encode()

    with tape(source, input_format=input_format) as found:
        exchanges = list(found)

    assert exchanges == [
        Exchange(
            number,
            Request("POST", "/v1/chat/completions", (), Body.json({"model": "m", "messages": []}), UPSTREAM),
            Response(200, JSON, Body.json({"choices": []})),
        )
        for number in range(2)
    ]


PACKED = gzip.compress(b'{"n": 1}')


@pytest.mark.parametrize(
    ("changed", "body"),
    [
        ({"response": "data: 1\n\n"}, Body.text("data: 1\n\n")),
        ({"response": ""}, ABSENT),
        ({"response": [1, "a"]}, Body.json([1, "a"])),
        ({"response": 17}, Body.json(17)),
        ({"response": "ff00", "responseIsBinary": True}, Body.bytes(b"\xff\x00")),
        ({"response": "ff00", "responseIsBinary": None}, Body.bytes(b"\xff\x00")),
        ({"response": "ff00"}, Body.text("ff00")),
        ({"response": "123456", "responseIsBinary": None, "rawHeaders": []}, Body.text("123456")),
        (
            {
                "response": [PACKED.hex()[:20], PACKED.hex()[20:]],
                "rawHeaders": ["Content-Encoding", "gzip"],
            },
            Body.json({"n": 1}),
        ),
        (
            {
                "response": [brotli.compress(b'{"n": 1}').hex()],
                "headers": {"content-encoding": "br"},
                "rawHeaders": {"content-encoding": "br"},
            },
            Body.json({"n": 1}),
        ),
        ({"response": [PACKED.hex()], "rawHeaders": [], "responseIsBinary": None}, Body.json({"n": 1})),
    ],
)
def test_a_reply_is_what_it_was(changed: Json, body: Body) -> None:
    """JSON, text, or bytes in hexadecimal digits."""
    one = {name: value for name, value in fixture(**changed).items() if value is not None}

    with tape(json.dumps([one]).encode()) as found:
        (exchange,) = found

    assert exchange.response is not None
    assert exchange.response.body == body


@pytest.mark.parametrize(
    ("changed", "request_"),
    [
        ({"body": ""}, Request("POST", "/v1/chat/completions", extra=UPSTREAM)),
        ({"body": "a=1"}, Request("POST", "/v1/chat/completions", body=Body.text("a=1"), extra=UPSTREAM)),
        (
            {"path": "/v1/models?key=SECRET", "method": "GET", "body": ""},
            Request("GET", "/v1/models?key=REDACTED", extra=UPSTREAM),
        ),
        (
            {"body": "", "reqheaders": {"accept": "*/*", "authorization": ["Bearer SECRET"]}},
            Request("POST", "/v1/chat/completions", (("accept", "*/*"),), extra=UPSTREAM),
        ),
        (
            {"body": "", "scope": "http://localhost:9", "path": "/x"},
            Request("POST", "/x", extra={"upstream": "http://localhost:9", "to_model": False}),
        ),
    ],
)
def test_what_was_asked_is_kept_without_credentials(changed: Json, request_: Request) -> None:
    """With the headers that were recorded on demand."""
    with tape(json.dumps([fixture(**changed)]).encode()) as found:
        (exchange,) = found

    assert exchange.request == request_


@pytest.mark.parametrize("bad", [17, {}, {"scope": "http://h"}, {"scope": 1, "path": "/"}])
def test_a_fixture_that_is_none_is_named(bad: Json) -> None:
    """With its place; lenient reading leaves it out and says so."""
    source = json.dumps([fixture(), bad, fixture()]).replace("[", "[\n", 1).encode()
    problem = 'not a fixture: no "scope" or no "path" (at /1)'

    given, error = until_trouble(source)
    with tape(source, lenient=True) as found:
        kept = list(found)

    assert (len(given), str(error)) == (1, f"stream:2:1: {problem}")
    assert [exchange.number for exchange in kept] == [0, 1]
    assert found.left_out.bad_lines == [(2, problem)]


@pytest.mark.parametrize("source", [b'[{"scope": "http://h"', b"{}", b'[{"scope": "a"}] x', b"17", b""])
def test_what_is_no_fixture_is_trouble_with_a_place(source: bytes) -> None:
    """In one line, which names the format."""
    _, error = until_trouble(source, input_format="nock")

    assert str(error).startswith("stream:1:")
    assert "not a" in error.problem
    assert "\n" not in str(error)


def tape(source: bytes, **options: Any) -> Tape:
    """Open bytes as a tape."""
    return open_tape(io.BytesIO(source), **options)


def until_trouble(source: bytes, **options: Any) -> tuple[list[Exchange], TapeError]:
    """What a source gives before it is trouble, and what that is."""
    given: list[Exchange] = []
    with pytest.raises(TapeError) as caught, tape(source, **options) as found:
        given.extend(found)
    return given, caught.value
