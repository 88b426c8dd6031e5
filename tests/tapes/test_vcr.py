"""Cassettes of the VCR family are read, whichever tool wrote them and however it keeps bodies."""

import base64
import gzip
import io
import json
import tracemalloc
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import brotli
import pytest
import yaml
import zstandard
from hypothesis import example, given, settings
from hypothesis import strategies as st

from amberfork_cli.core.jsontext import same
from amberfork_cli.core.tape import ABSENT, Body, Exchange, JsonValue, Request, Response, Tape, TapeForm
from amberfork_cli.errors import TapeError
from amberfork_cli.tapes import open_tape

URL = "https://api.openai.com/v1/chat/completions"
UPSTREAM: dict[str, JsonValue] = {"upstream": "https://api.openai.com"}
ASKED = Body.json({"model": "m", "messages": []})
ANSWERED = Body.json({"choices": []})
JSON = (("Content-Type", "application/json"),)

VCRPY = b"""\
interactions:
- request:
    body: '{"model":"m",
      "messages":[]}'
    headers:
      Authorization:
      - Bearer sk-secret
      Content-Type:
      - application/json
    method: POST
    uri: https://api.openai.com/v1/chat/completions
  response:
    body:
      string: '{"choices": []}'
    headers:
      Content-Type:
      - application/json
      Set-Cookie:
      - session=secret
      date:
      - Wed, 19 Nov 2025 06:19:43 GMT
    status:
      code: 200
      message: OK
version: 1
"""
VCRPY_BEFORE_1 = b"""\
# recorded with Python 2
- request: !!python/object:vcr.request.Request
    body: !!python/unicode '{"model":"m","messages":[]}'
    headers: !!python/object/apply:__builtin__.frozenset
    - - !!python/tuple [Content-Type, application/json]
      - !!python/tuple [authorization, Bearer secret]
    host: api.openai.com
    method: POST
    path: /v1/chat/completions
    port: 443
    protocol: https
  response:
    body: {string: !!python/unicode "{\\"choices\\": []}"}
    headers: [!!python/unicode "Content-Type: application/json\\r\\n", "set-cookie: a=b\\r\\n"]
    status: {code: 200, message: OK}
"""
VCRPY_OF_HTTPX = b"""\
interactions:
- request:
    body: '{"model":"m","messages":[]}'
    headers:
      Content-Type: [application/json]
    method: POST
    uri: https://api.openai.com/v1/chat/completions
  response:
    content: '{"choices": []}'
    headers:
      Content-Type: [application/json]
    http_version: HTTP/1.1
    status_code: 200
version: 1
"""
PYDANTIC_AI = b"""\
interactions:
- request:
    headers:
      Content-Type: [application/json]
    method: POST
    parsed_body:
      messages: []
      model: m
    uri: https://api.openai.com/v1/chat/completions
  response:
    headers:
      Content-Type: [application/json]
    parsed_body:
      choices: []
    status: {code: 200, message: OK}
version: 1
"""
RUBY = b"""\
---
http_interactions:
- request:
    method: post
    uri: https://api.openai.com/v1/chat/completions
    body:
      encoding: UTF-8
      string: '{"model":"m","messages":[]}'
    headers:
      Content-Type:
      - application/json
  response:
    status:
      code: 200
      message: OK
    headers:
      Content-Type:
      - application/json
    body:
      encoding: ASCII-8BIT
      string: !binary |-
        eyJjaG9pY2VzIjogW119
  recorded_at: Wed, 19 Nov 2025 06:19:43 GMT
recorded_with: VCR 6.3.1
"""
RUBY_SYMBOLS = RUBY.replace(b"method: post", b"method: :post").replace(
    b"- request:\n", b"- !ruby/struct:VCR::HTTPInteraction\n  request: !ruby/struct:VCR::Request\n"
)
RUBY_BASE64 = RUBY.replace(b"string: !binary |-\n        eyJ", b"base64_string: |\n        eyJ")
OF_R = RUBY.replace(b"status:\n      code: 200\n      message: OK", b"status: 200").replace(
    b"Content-Type:\n      - application/json", b"Content-Type: application/json"
)
GO_1 = b"""\
---
version: 1
interactions:
- request:
    body: '{"model":"m","messages":[]}'
    form: {}
    headers:
      Content-Type:
      - application/json
    url: https://api.openai.com/v1/chat/completions
    method: POST
  response:
    body: '{"choices": []}'
    headers:
      Content-Type:
      - application/json
    status: 200 OK
    code: 200
    duration: 1.1s
"""
GO_4 = b"""\
---
version: 2
interactions:
    - id: 0
      request:
        proto: HTTP/1.1
        proto_major: 1
        proto_minor: 1
        content_length: 27
        host: api.openai.com
        body: |
            {"model":"m","messages":[]}
        headers:
            Content-Type:
                - application/json
        url: https://api.openai.com/v1/chat/completions
        method: POST
      response:
        proto: HTTP/2.0
        proto_major: 2
        proto_minor: 0
        content_length: -1
        uncompressed: true
        body: '{"choices": []}'
        headers:
            Content-Type:
                - application/json
        status: 200 OK
        code: 200
        duration: 813ms
"""
PHP = b"""\
-
    request:
        method: POST
        url: 'https://api.openai.com/v1/chat/completions'
        headers: {Host: api.openai.com, Content-Type: application/json}
        body: '{"model":"m","messages":[]}'
    response:
        status: {http_version: '1.1', code: '200', message: OK}
        headers: {Content-Type: application/json}
        body: '{"choices": []}'
    index: 0
"""
PHP_STATUS_LINE = PHP.replace(b"{http_version: '1.1', code: '200', message: OK}", b"'200 OK'")
BETAMAX = json.dumps(
    {
        "http_interactions": [
            {
                "request": {
                    "body": {"encoding": "utf-8", "base64_string": "eyJtb2RlbCI6Im0iLCJtZXNzYWdlcyI6W119"},
                    "headers": {"Content-Type": "application/json"},
                    "method": "POST",
                    "uri": URL,
                },
                "response": {
                    "body": {"string": '{"choices": []}', "encoding": "utf-8"},
                    "headers": {"Content-Type": ["application/json"]},
                    "status_code": 200,
                    "url": URL,
                },
            }
        ],
        "recorded_with": "betamax",
    }
).encode()
VCRPY_JSON = json.dumps(yaml.safe_load(VCRPY), indent=2).encode()
VCRPY_JSON_BEFORE_1 = json.dumps(
    [
        {
            "request": {
                "body": '{"model":"m","messages":[]}',
                "protocol": "https",
                "method": "POST",
                "headers": {"Content-Type": "application/json"},
                "host": "api.openai.com",
                "path": "/v1/chat/completions",
                "port": 443,
            },
            "response": {
                "status": {"message": "OK", "code": 200},
                "headers": ["Content-Type: application/json\r\n"],
                "body": {"string": '{"choices": []}'},
            },
        }
    ]
).encode()

MOMENT = "2025-11-19T06:19:43+00:00"
LAYOUTS: list[tuple[bytes, str | None]] = [
    (VCRPY, MOMENT),
    (VCRPY.replace(b"\n", b"\r\n"), MOMENT),
    (VCRPY_BEFORE_1, None),
    (VCRPY_OF_HTTPX, None),
    (PYDANTIC_AI, None),
    (RUBY, MOMENT),
    (RUBY_SYMBOLS, MOMENT),
    (RUBY_BASE64, MOMENT),
    (OF_R, MOMENT),
    (GO_1, None),
    (GO_4, None),
    (PHP, None),
    (PHP_STATUS_LINE, None),
    (BETAMAX, None),
    (VCRPY_JSON, MOMENT),
    (VCRPY_JSON_BEFORE_1, None),
]
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ["yes", "null", "~", "2025-11-19", "1_0", "0x1", "1.0", "=", "<<", "- a", "*a", "&a", "a: b", "#", ".nan"]
)


@pytest.mark.parametrize("compress", [bytes, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize("input_format", [None, "vcr"])
@pytest.mark.parametrize(("cassette", "moment"), LAYOUTS)
def test_every_layout_gives_the_same_exchange(
    cassette: bytes, moment: str | None, input_format: str | None, compress: Callable[[bytes], bytes]
) -> None:
    """With its host and when it was recorded, without the headers that are nobody's business."""
    notices: list[str] = []

    with tape(compress(cassette), input_format=input_format, notice=notices.append) as found:
        exchanges = list(found)

    assert (found.form, notices, found.left_out.anything) == (TapeForm.TAPE, [], False)
    assert exchanges == [
        Exchange(
            0,
            Request("POST", "/v1/chat/completions", JSON, ASKED, UPSTREAM),
            Response(200, JSON, ANSWERED),
            extra={"recorded_at": moment} if moment else {},
        )
    ]


def test_an_imported_tape_is_looked_at_again() -> None:
    """From a copy, since a cassette is read once."""
    with tape(cassette(*(interaction(f"{n}") for n in range(5)))) as found:
        once = list(found)

        assert [exchange.number for exchange in once] == [0, 1, 2, 3, 4]
        assert [found.reread(number) for number in (4, 0)] == [once[4], once[0]]


def test_json_below_parsed_body_is_taken_exactly() -> None:
    """Numbers, words and text are told apart; what only looks like a date, or a word of YAML 1.1, is text."""
    body = b"""{whole: 12345678901234567890123, minus: -0.0, decimal: 1.0e-05, 'yes': yes, on: "on",
        text: "12", nothing: null, empty: , tilde: ~, truth: true, date: 2025-11-19, octal: 0o17, padded: 007,
        hex: 0x1F, time: 12:30:45, list: [1, 1.0, '1'], infinite: .inf, under: 1_000, equal: =}"""

    with tape(PYDANTIC_AI.replace(b"\n      choices: []", b" " + body)) as found:
        (exchange,) = found

    assert exchange.response is not None
    assert repr(exchange.response.body.value) == repr(
        {
            "whole": 12345678901234567890123,
            "minus": -0.0,
            "decimal": 1.0e-05,
            "yes": "yes",
            "on": "on",
            "text": "12",
            "nothing": None,
            "empty": None,
            "tilde": None,
            "truth": True,
            "date": "2025-11-19",
            "octal": "0o17",
            "padded": "007",
            "hex": "0x1F",
            "time": "12:30:45",
            "list": [1, 1.0, "1"],
            "infinite": ".inf",
            "under": "1_000",
            "equal": "=",
        }
    )


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
        lambda children: st.lists(children, max_size=4) | st.dictionaries(TEXT, children, max_size=4),
        max_leaves=12,
    )
)
@example(["0E0", "1e5", "1.5e5", 1e20, 1e-7, -2.5e-300])
@settings(max_examples=150, deadline=None)
def test_json_that_python_writes_below_parsed_body_is_read_as_the_same(value: JsonValue) -> None:
    """Type for type, whatever it is."""
    written = {"request": {"method": "GET", "uri": "/", "parsed_body": value}, "response": None}

    with tape(yaml.safe_dump({"interactions": [written], "version": 1}).encode()) as found:
        (exchange,) = found

    assert not isinstance(exchange.request.body.value, bytes)
    assert same(exchange.request.body.value, value)


@pytest.mark.parametrize("value", ["2023-06-01", "yes", "0x10", "1_0", "12:30", "1e3", "true", "007"])
def test_what_formats_mean_as_text_stays_text(value: str) -> None:
    """A version in a header, a body, a path: no dates, no numbers, no booleans."""
    with tape(
        cassette(
            {
                "request": {
                    "method": "POST",
                    "uri": Plain(f"/{value}"),
                    "body": Plain(value),
                    "headers": {"anthropic-version": [Plain(value)]},
                },
                "response": {"body": Plain(value), "status": {"code": 200}},
            }
        )
    ) as found:
        (exchange,) = found

    assert exchange.request.path == f"/{value}"
    assert exchange.request.headers == (("anthropic-version", value),)
    assert exchange.request.body == Body.text(value)
    assert exchange.response == Response(200, body=Body.text(value))


# Bodies

DECODED = [
    (b'{"n": 1.0, "deep": [null]}', Body.json({"n": 1.0, "deep": [None]})),
    (b'data: {"n": 1}\n\ndata: [DONE]\n\n', Body.text('data: {"n": 1}\n\ndata: [DONE]\n\n')),
    (b'{"n": 1}\n{"n": 2}\n', Body.text('{"n": 1}\n{"n": 2}\n')),
    (b'{"n": 1, "n": 2}', Body.text('{"n": 1, "n": 2}')),
    ("Zürich 🐟".encode(), Body.text("Zürich 🐟")),
    (b"\xff\x00\xfe", Body.bytes(b"\xff\x00\xfe")),
    (b"", ABSENT),
]
CODINGS: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("gzip", gzip.compress),
    ("br", brotli.compress),
    ("zstd", zstandard.compress),
    ("deflate", zlib.compress),
    ("gzip, br", lambda data: brotli.compress(gzip.compress(data))),
]


@pytest.mark.parametrize(("content", "body"), DECODED)
@pytest.mark.parametrize("coding", ["", "gzip", "br"])
def test_a_body_that_is_not_compressed_is_what_it_holds(content: bytes, body: Body, coding: str) -> None:
    """As text or bytes; also where a header still says that it was compressed when it crossed the wire."""
    notices: list[str] = []
    headers = {"content-encoding": [coding]} if coding else {}

    with tape(cassette(interaction(content, headers=headers)), notice=notices.append) as found:
        (exchange,) = found

    assert exchange.response is not None
    assert exchange.response.body == body
    assert bool(notices) == (coding != "" and content == b"\xff\x00\xfe")


@pytest.mark.parametrize(("content", "body"), DECODED[:-1])
@pytest.mark.parametrize(("coding", "compress"), CODINGS)
def test_a_compressed_body_is_decoded(
    content: bytes, body: Body, coding: str, compress: Callable[[bytes], bytes]
) -> None:
    """As its headers say, on the tape too."""
    source = cassette(interaction(compress(content), headers={"content-encoding": [coding]}))

    with tape(source) as found:
        (exchange,) = found

    assert exchange.response is not None
    assert exchange.response.headers == (("content-encoding", coding),)
    assert replace(exchange.response.body, wire=None) == body


@pytest.mark.parametrize("compress", [gzip.compress, zstandard.compress])
def test_a_compressed_body_is_decoded_where_its_headers_were_filtered_out(
    compress: Callable[[bytes], bytes],
) -> None:
    """By its first bytes."""
    with tape(cassette(interaction(compress(b'{"n": 1}')))) as found:
        (exchange,) = found

    assert exchange.response == Response(200, body=Body.json({"n": 1}))


def test_compressed_bytes_that_were_written_as_text_are_decoded() -> None:
    """A character for each byte, as some tools do."""
    written = gzip.compress(b'{"n": 1}').decode("latin-1")

    with tape(json.dumps({"interactions": [interaction(written)]}).encode()) as found:
        (exchange,) = found

    assert exchange.response == Response(200, body=Body.json({"n": 1}))


def test_what_no_decoder_takes_is_bytes_and_told() -> None:
    """Nothing is lost, and nothing is guessed at."""
    notices: list[str] = []
    damaged = gzip.compress(bytes(100))[:-9]

    with tape(cassette(interaction(damaged)), notice=notices.append) as found:
        (exchange,) = found

    assert exchange.response == Response(200, body=Body.bytes(damaged))
    assert notices == ["stream: a body is compared as bytes: the gzip data ends in the middle"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (None, ABSENT),
        ("", ABSENT),
        ({}, ABSENT),
        ({"string": None}, ABSENT),
        ({"string": ""}, ABSENT),
        ({"encoding": "UTF-8", "string": "a"}, Body.text("a")),
        ({"base64_string": "/wA="}, Body.bytes(b"\xff\x00")),
        ({"base64_string": "eyJuIjog\nMX0=\n"}, Body.json({"n": 1})),
        ({"string": b"\xff\x00"}, Body.bytes(b"\xff\x00")),
        (["data: 1\n", b"\ndata: 2"], Body.text("data: 1\n\ndata: 2")),
    ],
)
def test_a_body_is_found_in_whatever_holds_it(body: object, expected: Body) -> None:
    """And an empty one is none, as on the wire."""
    source = cassette(
        {
            "request": {"method": "POST", "uri": "/v1/responses", "body": body},
            "response": {"body": body, "status": {"code": 200}},
        }
    )

    with tape(source) as found:
        (exchange,) = found

    assert exchange.response is not None
    assert (exchange.request.body, exchange.response.body) == (expected, expected)


# Credentials and hosts


def test_credentials_do_not_reach_a_tape() -> None:
    """Neither from headers nor from the URL: what is allowed stays, in its own spelling."""
    names = ["Accept", "X-Api-Key", "Cookie", "OpenAI-Beta", "x-goog-api-key", "Anthropic-Version"]
    source = cassette(
        interaction(
            b"{}",
            path="/v1beta/models/g:generateContent?alt=sse&key=SECRET#SECRET",
            request_headers={name: ["kept" if "-" not in name or "e" in name else "x"] for name in names},
        )
    ).replace(b"https://", b"https://SECRET:SECRET@")

    with tape(source) as found:
        (exchange,) = found

    assert exchange.request.path == "/v1beta/models/g:generateContent?alt=sse&key=REDACTED"
    assert exchange.request.extra == {"upstream": "https://api.openai.com"}
    assert {name for name, _ in exchange.request.headers} == {"Accept", "OpenAI-Beta", "Anthropic-Version"}
    assert "SECRET" not in repr(exchange)


def test_requests_that_are_not_to_a_model_are_kept_and_marked() -> None:
    """For whoever wants them."""
    elsewhere = cassette(interaction("{}"), interaction("{}")).replace(b"api.openai.com", b"httpbin.org", 1)
    source = elsewhere.replace(b"/v1/chat/completions", b"/anything", 1).replace(
        b'"messages":[]', b'"n":1', 1
    )

    with tape(source) as found:
        marks = [exchange.request.extra for exchange in found]

    assert marks == [{"upstream": "https://httpbin.org", "to_model": False}, UPSTREAM]


# Bad cassettes


@pytest.mark.parametrize(
    ("interaction", "problem"),
    [
        ("no mapping", 'not an interaction: no "request" (at /interactions/1)'),
        ({}, 'not an interaction: no "request" (at /interactions/1)'),
        (
            {"request": {"method": "GET", "uri": "/"}},
            'not an interaction: no "response" (at /interactions/1)',
        ),
        (
            {"request": [], "response": None},
            "not an interaction: a request that is no mapping (at /interactions/1/request)",
        ),
        (
            {"request": {"uri": "/"}, "response": None},
            'not an interaction: no "method" (at /interactions/1/request)',
        ),
        (
            {"request": {"method": "GET"}, "response": None},
            'not an interaction: no "uri" and no "url" (at /interactions/1/request)',
        ),
        (
            {"request": {"method": "GET", "uri": "/", "headers": "a"}, "response": None},
            (
                "not an interaction: headers that are no mapping and no list "
                "(at /interactions/1/request/headers)"
            ),
        ),
        (
            {"request": {"method": "GET", "uri": "/"}, "response": "text"},
            "not an interaction: a response that is no mapping (at /interactions/1/response)",
        ),
        (
            {"request": {"method": "GET", "uri": "/"}, "response": {"body": {"file": "a.bin"}}},
            (
                "not an interaction: a body in a form that no known tool writes "
                "(at /interactions/1/response/body)"
            ),
        ),
        (
            {"request": {"method": "GET", "uri": "/"}, "response": {"body": {"base64_string": "a"}}},
            (
                "not an interaction: a body that is not base64 "
                "(at /interactions/1/response/body/base64_string)"
            ),
        ),
    ],
)
def test_an_interaction_that_is_none_is_named(interaction: object, problem: str) -> None:
    """With the line on which it begins; lenient reading leaves it out and says so."""
    source = cassette(INTERACTION, interaction, INTERACTION)

    given, error = until_trouble(source)
    with tape(source, lenient=True) as found:
        kept = list(found)

    line = source.split(b"\n- ", 2)[0].count(b"\n") + source.split(b"\n- ", 2)[1].count(b"\n") + 3
    assert (len(given), str(error)) == (
        1,
        f"stream:{line}:1: {problem}".replace(":1: ", f":{error.column}: "),
    )
    assert [exchange.number for exchange in kept] == [0, 1]
    assert found.left_out.bad_lines == [(line, problem)]


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (b"interactions: 17\nversion: 1\n", 'not a VCR cassette: no list of "interactions"'),
        (b"version: 1\n\ninteractions:\n  a: b\n", 'not a VCR cassette: no list of "interactions"'),
        (b"interactions:\n- request: 'a\n", "3:1: not YAML: found unexpected end of stream"),
        (b"interactions:\n- request: a\n\tresponse: b\n", "3:1: not YAML: found a tab character"),
        (b"interactions:\n- request: *nowhere\n", '2:12: the alias "*nowhere" leads to nothing'),
        (b"interactions: &a\n- request: *a\n", '2:12: the alias "*a" leads to nothing that is complete'),
        (b"interactions:\n- <<: {a: b}\n", "2:3: a merge key, which no recorder writes"),
        (b"interactions:\n- request: a\n  request: b\n", '3:3: a second "request" in one mapping'),
        (b"interactions:\n- ? [a]\n  : b\n", "2:5: a key that is no text"),
        (b"interactions: []\n---\ninteractions: []\n", "2:1: a second YAML document"),
        (b"interactions:\n- request: !!binary '%%'\n", "2:12: binary data that is not base64"),
        (b"interactions:\n- request: " + b"[" * 501, "2:509: more than 500 levels"),
        (b"interactions:\n- request: \xff\n", "invalid leading UTF-8 octet"),
        (b"interactions:\n- request: \x00\n", "control characters are not allowed"),
        (
            b"interactions:\n- request:\n    parsed_body: 1.0e+400\n",
            "3:18: a number beyond the range of a double",
        ),
        (b'{"interactions":[{"request":', "not a VCR cassette: "),
        (b'{"interactions":17}', "not a VCR cassette: "),
    ],
)
def test_what_is_no_cassette_is_trouble_with_a_place(source: bytes, problem: str) -> None:
    """One line, and nothing else ever."""
    _, error = until_trouble(source, input_format="vcr")

    assert str(error).startswith("stream:")
    assert problem in str(error)
    assert "\n" not in str(error)


def test_aliases_are_followed() -> None:
    """YAML writes what is the same object once."""
    source = cassette(INTERACTION, INTERACTION, INTERACTION)
    shared = yaml.safe_dump({"interactions": [INTERACTION] * 3, "version": 1}).encode()

    with tape(source) as plain, tape(shared) as aliased:
        assert b"*id001" in shared
        assert list(aliased) == list(plain)


def test_a_bomb_of_aliases_is_trouble_before_it_goes_off() -> None:
    """Nine lines that would be a billion strings."""
    bomb = b"interactions:\n- request: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n" + b"".join(
        b"  x%d: &a%d [%s]\n" % (n, n, b", ".join([b"*a%d" % (n - 1)] * 9)) for n in range(1, 10)
    )

    _, error = until_trouble(bomb)

    assert error.problem == "aliases that repeat more than 67,108,864 characters"
    assert error.line == 9


@pytest.mark.parametrize(
    "tag",
    [
        "!!python/object/apply:os.system",
        "!!python/object/new:os.system",
        "!!python/object/apply:subprocess.check_output",
        "!ruby/object:Gem::Installer",
    ],
)
def test_a_cassette_executes_nothing(tag: str, tmp_path: Path) -> None:
    """A tag is a word; what stands behind it is data."""
    proof = tmp_path / "proof"
    command = f"\n      X: {tag} ['touch {proof}']\n      Content-Type: {tag} ['text/plain']".encode()
    source = VCRPY_OF_HTTPX.replace(b"\n      Content-Type: [application/json]", command, 1)

    with tape(source) as found:
        (exchange,) = found

    assert exchange.request.headers == (("Content-Type", "text/plain"),)
    assert not proof.exists()


@pytest.mark.parametrize("length", range(len(VCRPY)))
def test_a_cassette_that_was_cut_off_never_passes_for_a_whole_one(length: int) -> None:
    """Many a cut leaves YAML that parses: then the version is missing at the end, which is told."""
    notices: list[str] = []
    try:
        with tape(VCRPY[:length], input_format="vcr", notice=notices.append) as found:
            list(found)
    except TapeError:
        return

    assert notices == ["stream: it has no version, and may have been cut off"] or length > len(VCRPY) - 4


def test_lenient_reading_takes_what_stands_before_the_cut() -> None:
    """And tells where the recording stops."""
    whole = cassette(INTERACTION, INTERACTION, INTERACTION)
    source = whole[: whole.rindex(b'{"choices"') + 5]

    given, error = until_trouble(source)
    with tape(source, lenient=True) as found:
        kept = list(found)

    assert (len(given), len(kept)) == (2, 2)
    assert found.left_out.torn_end == (error.line, error.problem)


def test_a_compressed_cassette_that_was_cut_off_is_trouble() -> None:
    """As for any tape."""
    source = gzip.compress(cassette(*[INTERACTION] * 50))[:-20]

    _, error = until_trouble(source)
    with tape(source, lenient=True) as found:
        kept = list(found)

    assert str(error) == "stream: the gzip data ends in the middle"
    assert 0 < len(kept) < 50
    assert found.left_out.torn_end == (1, error.problem)


@pytest.mark.parametrize(("cassette", "moment"), LAYOUTS[:12])
def test_a_python_without_libyaml_reads_the_same(
    cassette: bytes, moment: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More slowly."""
    with tape(cassette) as found:
        expected = list(found)
    monkeypatch.delattr(yaml, "CSafeLoader")

    with tape(cassette) as found:
        assert list(found) == expected
    assert bool(expected[0].extra) == bool(moment)


def test_a_cassette_is_read_one_interaction_at_a_time(tmp_path: Path) -> None:
    """Its largest interaction decides the memory, not its length."""
    path = tmp_path / "cassette.yaml"
    with path.open("wb") as file:
        file.write(b"interactions:\n")
        for number in range(60):
            file.write(cassette(interaction(b"%d" % number * 50_000)).split(b"\n", 1)[1].rpartition(b"v")[0])
        file.write(b"version: 1\n")
    with open_tape(path, one_pass=True) as warm:  # what is imported on the way counts as memory too
        next(iter(warm))

    tracemalloc.start()
    try:
        with open_tape(path, one_pass=True) as found:
            count = sum(1 for _ in found)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert (count, path.stat().st_size > 5_000_000) == (60, True)
    assert peak < 3_500_000


class Plain(str):
    """Text that is written without quotes, whatever it looks like."""

    __slots__ = ()


class _Dumper(yaml.SafeDumper):
    """Writes each object out, however often it occurs."""

    def ignore_aliases(self, _: object) -> bool:
        return True


_Dumper.add_representer(
    Plain, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", str(text), style="")
)


def interaction(
    content: object,
    *,
    path: str = "/v1/chat/completions",
    headers: dict[str, list[str]] | None = None,
    request_headers: dict[str, list[str]] | None = None,
) -> dict[str, object]:
    """An interaction with that response, as vcrpy writes it."""
    return {
        "request": {
            "body": '{"model":"m","messages":[]}',
            "headers": request_headers or {},
            "method": "POST",
            "uri": f"https://api.openai.com{path}",
        },
        "response": {
            "body": {"string": content},
            "headers": headers or {},
            "status": {"code": 200, "message": "OK"},
        },
    }


INTERACTION = interaction('{"choices": []}')


def cassette(*interactions: object) -> bytes:
    """A cassette of vcrpy's; bytes that are UTF-8 are text in it."""
    text: str = yaml.dump({"interactions": [*interactions], "version": 1}, Dumper=_Dumper, width=10_000)
    return text.encode()


def tape(source: bytes, **options: Any) -> Tape:
    """Open bytes as a tape."""
    return open_tape(io.BytesIO(source), **options)


def until_trouble(source: bytes, **options: Any) -> tuple[list[Exchange], TapeError]:
    """What a source gives before it is trouble, and what that is."""
    given: list[Exchange] = []
    with pytest.raises(TapeError) as caught, tape(source, **options) as found:
        given.extend(found)
    return given, caught.value


def test_the_samples_are_what_they_say() -> None:
    """The base64 in them is the body that the others write out."""
    assert json.loads(base64.b64decode("eyJtb2RlbCI6Im0iLCJtZXNzYWdlcyI6W119")) == ASKED.value
