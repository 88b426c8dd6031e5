"""Tapes that are written in other formats come back the same, or it is told what does not."""

import io
import json
from dataclasses import replace
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from amberfork_cli.core.ids.fingerprint import fingerprint
from amberfork_cli.core.tape import ABSENT, Body, BodyKind, Exchange, Request, Response
from amberfork_cli.tapes import exchange_line, open_tape
from amberfork_cli.tapes.exporting import EXPORTS, Export, Losses

Json = Any
BY_NAME = {export.name: export for export in EXPORTS}
EVERY_EXPORT = pytest.mark.parametrize("export", EXPORTS, ids=[*BY_NAME])
TO_OTHERS = pytest.mark.parametrize("export", [BY_NAME["vcr"], BY_NAME["har"]], ids=["vcr", "har"])

JSON = (("Content-Type", "application/json"),)
SOUND = [
    Exchange(
        0,
        Request(
            "POST",
            "/v1/messages?beta=true&key=REDACTED",
            JSON,
            Body.json(
                {"messages": [{"role": "user", "content": "Zürich 🐟 \u2028 \r\n 'yes': 007"}], "n": 1.0}
            ),
            {"upstream": "https://api.anthropic.com"},
        ),
        Response(200, JSON, Body.json({"content": [], "big": 10**40, "half": "\ud83d"})),
        extra={"recorded_at": "2025-11-19T06:19:43+00:00"},
    ),
    Exchange(
        1,
        Request("GET", "/v1/models", extra={"upstream": "http://localhost:8000"}),
        Response(404, (), Body.text("no such thing:\n- a\n")),
    ),
    Exchange(
        2,
        Request("POST", "/v1/responses", body=Body.json("text"), extra={"upstream": "https://h"}),
        Response(200, (("content-type", "text/event-stream"),), Body.text("data: {}\r\n\r\ndata: 1\n\n")),
    ),
    Exchange(
        3, Request("POST", "/v1/responses", body=Body.bytes(b"\xff\x00"), extra={"upstream": "https://h"})
    ),
]

texts = st.text(max_size=12) | st.sampled_from(
    ["{", "[1]", '"a"', "17", "null", "a: b\n- c", "\x1f\x8b", "\r\n"]
)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=6),
    lambda children: (
        st.lists(children, max_size=3) | st.dictionaries(st.text(max_size=4), children, max_size=3)
    ),
    max_leaves=6,
)
bodies = st.one_of(
    st.just(ABSENT), values.map(Body.json), texts.map(Body.text), st.binary(max_size=12).map(Body.bytes)
)
headers = st.lists(
    st.tuples(
        st.sampled_from(["content-type", "Accept", "x-other", "content-encoding"]),
        st.sampled_from(["application/json", "gzip", "", "a b", "é"]),
    ),
    max_size=2,
).map(tuple)
extras = st.fixed_dictionaries(
    {},
    optional={
        "upstream": st.sampled_from(["https://api.openai.com", "http://localhost:1"]),
        "odd": st.just(1),
        "body_missing": st.just(True),
    },
)
responses = st.none() | st.builds(Response, st.none() | st.integers(100, 599), headers, bodies)
exchanges = st.lists(
    st.builds(
        Exchange,
        st.just(0),
        st.builds(
            Request,
            st.sampled_from(["POST", "get", "WS", ""]),
            st.sampled_from(["/v1/messages", "/a?key=b#c", "", "v1", "//h/x", "/é ?"]),
            headers,
            bodies,
            extras,
        ),
        responses,
    ),
    min_size=1,
    max_size=3,
)


@EVERY_EXPORT
def test_a_tape_comes_back_the_same(export: Export) -> None:
    """With its fingerprints and its answers; nothing is told to be lost."""
    written, lost = _written(SOUND, export)

    with open_tape(io.BytesIO(written)) as tape:
        again = list(tape)

    assert lost == []
    assert [fingerprint(exchange) for exchange in again] == [fingerprint(exchange) for exchange in SOUND]
    assert [_told(exchange) for exchange in again] == [_told(exchange) for exchange in SOUND]


@EVERY_EXPORT
@given(given_exchanges=exchanges)
@settings(max_examples=150, deadline=None)
def test_what_is_not_told_to_be_lost_comes_back(export: Export, given_exchanges: list[Exchange]) -> None:
    """Whatever an exchange holds: each comes back, and is the same where nothing is told of it."""
    for exchange in _as_read(given_exchanges):
        written, lost = _written([exchange], export)

        with open_tape(io.BytesIO(written)) as tape:
            (again,) = tape

        asked = any("asked" in sentence for sentence in lost)
        answered = any("answered" in sentence or "status" in sentence for sentence in lost)
        assert (fingerprint(again) != fingerprint(exchange)) == asked
        assert answered or _answer(again) == _answer(exchange)


@TO_OTHERS
@pytest.mark.parametrize(
    ("exchange", "lost"),
    [
        (
            Exchange(0, Request("POST", "/v1/messages", (("X-Request-Id", "1"),)), extra={"odd": 1}),
            [
                "headers that are not taken from other tools' recordings",
                "members that only a tape has",
            ],
        ),
        (
            Exchange(0, Request("POST", "", body=Body.json({}))),
            ["what was asked does not come back the same"],
        ),
        (
            Exchange(0, Request("POST", "/", body=Body.text(""))),
            ["what was asked does not come back the same"],
        ),
        (
            Exchange(0, Request("POST", "/", body=ABSENT), Response(200, body=Body.bytes(b"text"))),
            ["what was answered does not come back the same"],
        ),
    ],
)
def test_what_a_format_has_no_room_for_is_told(export: Export, exchange: Exchange, lost: list[str]) -> None:
    """With how often, and where first."""
    _, told = _written([exchange, exchange], export)

    assert told == [f"lost in 2 exchanges, first in #0: {one}" for one in lost]


def test_an_archive_needs_a_status() -> None:
    """So one is written, and told."""
    _, told = _written([Exchange(0, Request("POST", "/"), Response())], BY_NAME["har"])

    assert told == ["lost in 1 exchange, first in #0: that the status is not known"]


def test_a_cassette_is_what_vcrpy_writes() -> None:
    """Any YAML reader takes it."""
    written, _ = _written(SOUND, BY_NAME["vcr"])

    value = yaml.safe_load(written)

    assert value["version"] == 1
    assert value["interactions"][1] == {
        "request": {"body": None, "headers": {}, "method": "GET", "uri": "http://localhost:8000/v1/models"},
        "response": {
            "body": {"string": "no such thing:\n- a\n"},
            "headers": {},
            "status": {"code": 404, "message": "Not Found"},
        },
    }


def test_an_archive_has_what_the_standard_wants() -> None:
    """Any JSON reader takes it."""
    written, _ = _written(SOUND, BY_NAME["har"])

    log = json.loads(written)["log"]

    assert (log["version"], log["creator"]["name"], len(log["entries"])) == ("1.2", "amberfork", 4)
    assert {"startedDateTime", "time", "request", "response", "cache", "timings"} == set(log["entries"][0])
    assert log["entries"][0]["request"]["url"].startswith("https://api.anthropic.com/v1/messages")


@EVERY_EXPORT
def test_nothing_makes_an_empty_recording(export: Export) -> None:
    """Which reads as an empty tape."""
    written, lost = _written([], export)

    with open_tape(io.BytesIO(written)) as tape:
        assert (list(tape), lost) == ([], [])


def _as_read(given_exchanges: list[Exchange]) -> list[Exchange]:
    """The exchanges as a tape gives them, which decodes what its headers say is encoded."""
    with open_tape(io.BytesIO(b"".join(map(exchange_line, given_exchanges)))) as tape:
        return [replace(exchange, number=0) for exchange in tape]


def _written(given_exchanges: list[Exchange], export: Export) -> tuple[bytes, list[str]]:
    """What is written of exchanges, and what is told to be lost."""
    output, losses = io.BytesIO(), Losses()
    export.write(losses.watching(given_exchanges, export), {}, output)
    return output.getvalue(), list(losses.sentences())


def _told(exchange: Exchange) -> Json:
    """What is not in a fingerprint and comes back all the same."""
    return _answer(exchange), exchange.request.extra.get("upstream"), exchange.extra.get("recorded_at")


def _answer(exchange: Exchange) -> Json:
    response = exchange.response
    if response is None:
        return None
    value = response.body.value
    shown = value if response.body.kind in (BodyKind.BYTES, BodyKind.TEXT) else repr(value)
    return response.status, response.body.kind, shown
