"""HTTP archives are read, whoever wrote them and however they keep bodies."""

import base64
import contextlib
import gzip
import io
import json
import tracemalloc
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import brotli
import pytest

from amberfork_cli.core.dialects.calls import tool_turns
from amberfork_cli.core.tape import ABSENT, Body, Exchange, JsonValue, Request, Response, Tape, TapeForm
from amberfork_cli.errors import TapeError
from amberfork_cli.tapes import open_tape

Json = Any
URL = "https://api.openai.com/v1/chat/completions"
UPSTREAM: dict[str, JsonValue] = {"upstream": "https://api.openai.com"}
ASKED = Body.json({"model": "m", "messages": []})
ANSWERED = Body.json({"choices": []})
WHEN = "2025-08-14T14:46:02.730Z"
JSON = {"name": "content-type", "value": "application/json"}


def entry(**changed: Json) -> Json:
    """An entry as a browser has it; `request` and `response` are changed in parts."""
    request = {
        "method": "POST",
        "url": URL,
        "headers": [JSON, {"name": "Authorization", "value": "Bearer SECRET"}],
        "cookies": [{"name": "session", "value": "SECRET"}],
        "queryString": [],
        "postData": {"mimeType": "application/json", "text": '{"model":"m","messages":[]}'},
        "bodySize": 27,
    }
    response = {
        "status": 200,
        "statusText": "OK",
        "headers": [JSON, {"name": "Set-Cookie", "value": "SECRET"}],
        "content": {"size": 15, "mimeType": "application/json", "text": '{"choices": []}'},
        "bodySize": 15,
    }
    return {
        "startedDateTime": WHEN,
        "time": 12.5,
        **changed,
        "request": {**request, **changed.get("request", {})},
        "response": {**response, **changed.get("response", {})},
    }


def archive(entries: Iterable[Json]) -> bytes:
    """An archive of those entries."""
    log = {"version": "1.2", "creator": {"name": "x"}, "pages": [{"id": "p"}], "entries": [*entries]}
    return json.dumps({"log": log}).encode()


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("compress", [bytes, gzip.compress])
@pytest.mark.parametrize("input_format", [None, "har"])
@pytest.mark.parametrize("comment_first", [False, True])
def test_an_archive_is_a_tape(
    indent: int | None, compress: Any, input_format: str | None, comment_first: bool
) -> None:
    """Whatever its members' order and on however many lines."""
    value = json.loads(archive([entry(), entry()]))
    value = {"comment": "x", **value} if comment_first else value

    with tape(compress(json.dumps(value, indent=indent).encode()), input_format=input_format) as found:
        exchanges = list(found)

    assert found.form is TapeForm.TAPE
    assert exchanges == [
        Exchange(
            number,
            Request("POST", "/v1/chat/completions", (("content-type", "application/json"),), ASKED, UPSTREAM),
            Response(200, (("content-type", "application/json"),), ANSWERED),
            extra={"recorded_at": WHEN},
        )
        for number in range(2)
    ]


@pytest.mark.parametrize(
    ("content", "body"),
    [
        ({"text": '{"n": 1.0}'}, Body.json({"n": 1.0})),
        ({"text": "data: 1\n\n", "mimeType": "text/event-stream"}, Body.text("data: 1\n\n")),
        ({"text": "17", "mimeType": "application/json"}, Body.json(17)),
        ({"text": "17", "mimeType": "text/plain"}, Body.text("17")),
        ({"text": base64.b64encode(b'{"n": 1}').decode(), "encoding": "base64"}, Body.json({"n": 1})),
        ({"text": base64.b64encode(b"\xff\x00").decode(), "encoding": "base64"}, Body.bytes(b"\xff\x00")),
        ({"text": b'{"n": 1}'.hex(), "_isBinary": True}, Body.json({"n": 1})),
        ({"text": "", "size": 0}, ABSENT),
        ({"size": 0}, ABSENT),
        ({"size": -1}, ABSENT),
        ({}, ABSENT),
    ],
)
def test_the_body_of_a_response_is_what_its_content_holds(content: Json, body: Body) -> None:
    """As text, or encoded."""
    with tape(archive([entry(response={"content": content, "headers": [], "bodySize": -1})])) as found:
        (exchange,) = found

    assert exchange.response is not None
    assert (exchange.response.body, exchange.response.extra) == (body, {})


@pytest.mark.parametrize("pieces", [1, 3])
@pytest.mark.parametrize(("coding", "compress"), [("gzip", gzip.compress), ("br", brotli.compress)])
def test_polly_keeps_compressed_bodies_in_pieces(pieces: int, coding: str, compress: Any) -> None:
    """A list of them, each in base64, or in hexadecimal digits in its older versions."""
    packed = compress(b'{"choices": []}')
    size = len(packed) // pieces + 1
    parts = [packed[start : start + size] for start in range(0, len(packed), size)]
    headers = [JSON, {"name": "content-encoding", "value": coding}]
    contents: list[Json] = [
        {"encoding": "base64", "text": json.dumps([base64.b64encode(part).decode() for part in parts])},
        {"_isBinary": True, "text": json.dumps([part.hex() for part in parts])},
    ]

    for content in contents:
        with tape(archive([entry(response={"content": content, "headers": headers})])) as found:
            (exchange,) = found
        assert exchange.response is not None
        assert exchange.response.body == ANSWERED


@pytest.mark.parametrize(
    ("posted", "body"),
    [
        ({"text": '{"n": 1}'}, Body.json({"n": 1})),
        ({"text": "eyJuIjogMX0=", "encoding": "base64"}, Body.json({"n": 1})),
        ({"text": "a=1", "params": [{"name": "b", "value": "2"}]}, Body.text("a=1")),
        (
            {"params": [{"name": "a b", "value": "1&2"}, {"name": "ü", "value": ""}]},
            Body.text("a+b=1%262&%C3%BC="),
        ),
        (
            {"mimeType": "multipart/form-data", "params": [{"name": "file", "fileName": "a.pdf"}]},
            Body.text("file=a.pdf"),
        ),
        ({"params": []}, ABSENT),
        ({}, ABSENT),
    ],
)
def test_the_body_of_a_request_is_what_was_posted(posted: Json, body: Body) -> None:
    """As text, encoded, or as the parameters of a form."""
    with tape(archive([entry(request={"postData": posted, "bodySize": 0})])) as found:
        (exchange,) = found

    assert (exchange.request.body, exchange.request.extra) == (body, UPSTREAM)


def test_bodies_that_an_archive_lacks_are_marked_and_told() -> None:
    """They were there: nobody must take them for empty."""
    notices: list[str] = []
    bare = entry(request={"postData": {"text": ""}}, response={"content": {"size": 15}})
    streamed = entry(response={"content": {"size": 0}, "bodySize": 900})

    with tape(archive([bare, entry(), streamed]), notice=notices.append) as found:
        exchanges = list(found)

    assert [exchange.request.extra.get("body_missing") for exchange in exchanges] == [True, None, None]
    assert [exchange.response and exchange.response.extra for exchange in exchanges] == [
        {"body_missing": True},
        {},
        {"body_missing": True},
    ]
    assert notices == ["stream: 3 bodies are missing: the archive was saved without"]


@pytest.mark.parametrize("status", [0, -1, None])
def test_a_request_that_got_no_answer_has_no_response(status: int | None) -> None:
    """It was blocked, or the browser was closed."""
    with tape(archive([entry(response={"status": status})])) as found:
        (exchange,) = found

    assert exchange.response is None


def test_what_was_said_through_a_websocket_is_exchanges() -> None:
    """Each message sent, with what came back before the next; what came first stands alone."""
    call = {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{}"}
    done = {"type": "response.done", "response": {"object": "realtime.response", "output": [call]}}
    said = [
        {"type": "receive", "opcode": 1, "data": '{"type": "session.created"}'},
        {"type": "send", "opcode": 1, "data": '{"type": "response.create"}'},
        {
            "type": "receive",
            "opcode": 1,
            "data": json.dumps(done),
        },
        {"type": "receive", "opcode": 2, "data": "/wA="},
        {"type": "send", "opcode": 2, "data": "/wA="},
        {"type": "send", "opcode": 1, "data": "plain"},
    ]
    opened = entry(
        request={"method": "GET", "url": "wss://api.openai.com/v1/realtime?model=m", "postData": {}},
        response={"status": 101},
        _webSocketMessages=said,
    )

    with tape(archive([opened])) as found:
        exchanges = list(found)

    assert [(exchange.number, exchange.request.method) for exchange in exchanges] == [
        (number, "WS") for number in range(4)
    ]
    assert {exchange.request.path for exchange in exchanges} == {"/v1/realtime?model=m"}
    assert [exchange.request.body for exchange in exchanges] == [
        ABSENT,
        Body.json({"type": "response.create"}),
        Body.bytes(b"\xff\x00"),
        Body.text("plain"),
    ]
    assert [exchange.response and exchange.response.body.value for exchange in exchanges] == [
        [{"type": "session.created"}],
        [done, "/wA="],
        None,
        None,
    ]
    assert [[one.call.name for one in turn.calls] for turn in tool_turns(exchanges)] == [["f"]]


def test_credentials_do_not_reach_a_tape_and_hosts_are_told_apart() -> None:
    """Nor does what a browser asks before it asks count as a question to a model."""
    entries = [
        entry(request={"url": f"{URL}?key=SECRET&alt=sse"}),
        entry(request={"url": "https://us.i.posthog.com/batch?api_key=SECRET"}),
        entry(request={"method": "OPTIONS"}),
    ]

    with tape(archive(entries)) as found:
        exchanges = list(found)

    assert "SECRET" not in repr(exchanges)
    assert exchanges[0].request.path == "/v1/chat/completions?key=REDACTED&alt=sse"
    assert [exchange.request.extra.get("to_model") for exchange in exchanges] == [None, False, False]


# Bad archives


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        (17, 'not an entry: no "request" (at /log/entries/1)'),
        ({"request": {}}, 'not an entry: no "method" or no "url" (at /log/entries/1/request)'),
        (
            entry(response={"content": {"text": "%%%x", "encoding": "base64"}}),
            "not an entry: a body that is not encoded as it says (at /log/entries/1/response/content/text)",
        ),
        (
            entry(response={"content": {"text": "[1", "encoding": "base64"}}),
            "not an entry: a body that is not encoded as it says (at /log/entries/1/response/content/text)",
        ),
        (
            entry(request={"postData": {"text": "xy", "_isBinary": True}}),
            "not an entry: a body that is not encoded as it says (at /log/entries/1/request/postData/text)",
        ),
        (
            entry(_webSocketMessages=[1]),
            "not an entry: a message that is no object (at /log/entries/1/_webSocketMessages)",
        ),
    ],
)
def test_an_entry_that_is_none_is_named(bad: Json, problem: str) -> None:
    """With its line; lenient reading leaves it out and says so."""
    source = archive([entry(), bad, entry()]).replace(b'"entries": [', b'"entries": [\n')

    given, error = until_trouble(source)
    with tape(source, lenient=True) as found:
        kept = list(found)

    assert (len(given), str(error)) == (1, f"stream:2:1: {problem}")
    assert [exchange.number for exchange in kept] == [0, 1]
    assert found.left_out.bad_lines == [(2, problem)]


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (b'{"log": {"entries": 17}}', '1:1: not a HAR: no list of "entries"'),
        (b'{"log": {}}', '1:1: not a HAR: no list of "entries"'),
        (b'{"log": {"entries": []', "not a HAR: the text ends where a comma or } should stand"),
        (b'{"log": {"entries": []}} x', "1:26: not a HAR: more text after the end of the value"),
        (b'{"log": {"entries": [NaN]}}', "not a HAR: NaN is no JSON value (at /log/entries/0)"),
        (b'{"log": {"entries": [], "entries": []}}', "not a HAR: duplicate key"),
        (b'{"log": {"entries": [\xff]}}', "not a HAR: byte 0xff is not UTF-8"),
        (b"[]", "1:1: not a HAR: no list of"),
        (b"plain text", "1:1: not a HAR: plain is no JSON value"),
        (b"", "1:1: not a HAR: there is no JSON here: the text is empty"),
    ],
)
def test_what_is_no_archive_is_trouble_with_a_place(source: bytes, problem: str) -> None:
    """One line, which names the format."""
    _, error = until_trouble(source, input_format="har")

    assert problem in str(error)
    assert "\n" not in str(error)


def test_an_archive_that_was_cut_off_is_trouble_wherever_that_was() -> None:
    """And lenient reading takes what stands before."""
    source = archive([entry(), entry()])
    first_ends = source.index(json.dumps(entry()).encode()) + len(json.dumps(entry()))

    for length in range(10, len(source), 7):
        given, error = until_trouble(source[:length])
        with tape(source[:length], lenient=True, input_format="har") as found:
            kept = _given(found)

        assert error.problem.startswith("not a HAR: ")
        assert len(given) == len(kept) == (length >= first_ends) + (length >= len(source) - 3)


def test_an_archive_is_read_one_entry_at_a_time(tmp_path: Path) -> None:
    """Its largest entry decides the memory, also where it is all on one line."""
    path = tmp_path / "big.har"
    text = json.dumps(entry(response={"content": {"text": "x\n" * 25_000}})).encode()
    path.write_bytes(b'{"log": {"entries": [' + b",".join([text] * 200) + b"]}}")

    tracemalloc.start()
    try:
        with open_tape(path, one_pass=True) as found:
            count = sum(1 for _ in found)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert (count, path.stat().st_size > 14_000_000) == (200, True)
    assert peak < 7_000_000


def tape(source: bytes, **options: Any) -> Tape:
    """Open bytes as a tape."""
    return open_tape(io.BytesIO(source), **options)


def until_trouble(source: bytes, **options: Any) -> tuple[list[Exchange], TapeError]:
    """What a source gives before it is trouble, and what that is."""
    given: list[Exchange] = []
    with pytest.raises(TapeError) as caught, tape(source, **options) as found:
        given.extend(found)
    return given, caught.value


def _given(found: Tape) -> list[Exchange]:
    """What lenient reading gives, trouble or not."""
    given: list[Exchange] = []
    with contextlib.suppress(TapeError):
        given.extend(found)
    return given
