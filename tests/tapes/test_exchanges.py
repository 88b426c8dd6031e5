"""An exchange and its JSON say the same, or the JSON says what is wrong with it."""

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amberfork_cli.core.jsontext import dumps, loads, same
from amberfork_cli.core.tape import ABSENT, NOTHING, Body, BodyKind, Exchange, JsonValue, Request, Response
from amberfork_cli.tapes.exchanges import exchange_from, exchange_value
from amberfork_cli.tapes.reading import Reading, ShapeError

REQUEST = {"request": {"method": "GET", "path": "/"}}

HALVES = re.compile("[\ud800-\udbff][\udc00-\udfff]")  # side by side, JSON reads them as one character

texts = st.text(st.characters(codec=None), max_size=8).filter(lambda text: not HALVES.search(text))
json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
bodies = (
    st.just(ABSENT)
    | json_values.map(Body.json)
    | texts.map(Body.text)
    | st.binary(max_size=20).map(Body.bytes)
)
headers = st.lists(st.tuples(st.sampled_from(["Accept", "x-a", ""]), texts), max_size=3).map(tuple)
unknown = st.dictionaries(texts.map(lambda text: f"x-{text}"), json_values, min_size=1, max_size=2)
extras = st.just(NOTHING) | unknown
exchanges = st.builds(
    Exchange,
    number=st.just(0),
    request=st.builds(Request, method=texts, path=texts, headers=headers, body=bodies, extra=extras),
    response=st.none()
    | st.builds(Response, status=st.none() | st.integers(), headers=headers, body=bodies, extra=extras),
    idx=json_values,
    extra=extras,
)


@given(exchange=exchanges)
@settings(deadline=None)
def test_an_exchange_comes_back_from_its_json(exchange: Exchange) -> None:
    """Every member, type for type, those that amberfork does not know included."""
    written = dumps(exchange_value(exchange))

    read = exchange_from(loads(written), 0, None, Reading("here"))

    assert read == exchange
    assert same(exchange_value(read), exchange_value(exchange))


@given(value=json_values)
@settings(deadline=None)
def test_the_order_of_members_is_kept(value: JsonValue) -> None:
    """In bodies, and among the members that amberfork does not know."""
    exchange = Exchange(
        0, Request("POST", "/", body=Body.json([value]), extra={"x": value}), extra={"y": value}
    )

    written = json.dumps(loads(dumps(exchange_value(exchange))))

    in_order = {"request": {"method": "POST", "path": "/", "body": [value], "x": value}, "y": value}
    assert written == json.dumps(in_order)


@pytest.mark.parametrize(
    ("members", "body"),
    [
        ({}, ABSENT),
        ({"body": None}, Body.json(None)),
        ({"body": {}}, Body.json({})),
        ({"body": 0}, Body.json(0)),
        ({"body": False}, Body.json(False)),
        ({"body": ""}, Body.text("")),
        ({"body": "", "body_encoding": None}, Body.text("")),
        ({"body": "{}"}, Body.text("{}")),
        ({"body": "x", "body_encoding": "text"}, Body.text("x")),
        ({"body": "x", "body_encoding": "json"}, Body.json("x")),
        ({"body": "", "body_encoding": "json"}, Body.json("")),
        ({"body": [1], "body_encoding": "json"}, Body.json([1])),
        ({"body": None, "body_encoding": "json"}, Body.json(None)),
        ({"body": "", "body_encoding": "base64"}, Body.bytes(b"")),
        ({"body": "/w==", "body_encoding": "base64"}, Body.bytes(b"\xff")),
        ({"body": "e30=", "body_encoding": "base64"}, Body.bytes(b"{}")),
    ],
)
def test_every_way_to_have_a_body(members: dict[str, JsonValue], body: Body) -> None:
    """Missing, null, empty text and no bytes are four different things, in requests and in responses."""
    exchange = read({"request": {"method": "POST", "path": "/", **members}, "response": members})

    assert exchange.request.body == body
    assert exchange.response == Response(body=body)


def test_no_two_ways_to_have_next_to_nothing_are_equal() -> None:
    """By default nothing is the same as something else."""
    nothings = [
        ABSENT,
        Body.json(None),
        Body.json(""),
        Body.text(""),
        Body.bytes(b""),
        Body.json(0),
        Body.json({}),
    ]

    assert [one.kind for one in nothings] == [
        BodyKind.ABSENT,
        BodyKind.JSON,
        BodyKind.JSON,
        BodyKind.TEXT,
        BodyKind.BYTES,
        BodyKind.JSON,
        BodyKind.JSON,
    ]
    assert all(one == other for one in nothings for other in nothings if one is other)
    assert not any(one == other for one in nothings for other in nothings if one is not other)


@pytest.mark.parametrize(
    ("written", "pairs"),
    [
        (None, ()),
        ([], ()),
        ({}, ()),
        ([["B", "1"], ["a", "2"], ["B", "3"]], (("B", "1"), ("a", "2"), ("B", "3"))),
        ({"B": "1", "a": "2"}, (("B", "1"), ("a", "2"))),
        ({"B": ["1", "3"], "a": [], "c": [""]}, (("B", "1"), ("B", "3"), ("c", ""))),
        ([["B", ["1", "3"]], ["a", "2"]], (("B", "1"), ("B", "3"), ("a", "2"))),
    ],
)
def test_headers_are_pairs_however_they_were_written(
    written: JsonValue, pairs: tuple[tuple[str, str], ...]
) -> None:
    """In their order, with every value of a name that has several."""
    exchange = read(
        {"request": {"method": "GET", "path": "/", "headers": written}, "response": {"headers": written}}
    )

    assert exchange == Exchange(0, Request("GET", "/", pairs), Response(headers=pairs))


@pytest.mark.parametrize("response", [{}, {"response": None}])
def test_a_response_may_be_missing(response: dict[str, JsonValue]) -> None:
    """The provider had not answered yet, or nobody wrote it down."""
    assert read({"request": {"method": "GET", "path": "/"}, **response}).response is None


@pytest.mark.parametrize(
    ("members", "problem", "path"),
    [
        ({}, 'no "request"', ""),
        ({"request": []}, '"request" must be an object, not a list', "/request"),
        ({"request": "GET /"}, '"request" must be an object, not text', "/request"),
        ({"request": {}}, 'no "method"', "/request"),
        ({"request": {"method": "GET"}}, 'no "path"', "/request"),
        ({"request": {"method": None, "path": "/"}}, '"method" must be text, not null', "/request/method"),
        ({"request": {"method": "GET", "path": 7}}, '"path" must be text, not a number', "/request/path"),
        ({**REQUEST, "response": []}, '"response" must be an object, not a list', "/response"),
    ],
)
def test_what_is_wrong_with_an_exchange_is_named(
    members: dict[str, JsonValue], problem: str, path: str
) -> None:
    """What is missing or of the wrong type, and the JSON Pointer to it."""
    with pytest.raises(ShapeError) as caught:
        read(members)

    assert (caught.value.problem, caught.value.path) == (f"not an exchange: {problem}", path)


PAIRS = '"headers" must be a list of [name, value] pairs'
HEADER_PAIR = "a header must be a [name, value] pair"
VALUE = "the value of a header must be text"
ENCODINGS = '"body_encoding" is not "json", "text" or "base64"'


@pytest.mark.parametrize(
    ("members", "problem", "path"),
    [
        ({"status": "200"}, '"status" must be a whole number, not text', "/status"),
        ({"status": True}, '"status" must be a whole number, not true or false', "/status"),
        ({"status": 200.5}, '"status" must be a whole number, not a number', "/status"),
        ({"headers": "a: b"}, f"{PAIRS}, not text", "/headers"),
        ({"headers": False}, f"{PAIRS}, not true or false", "/headers"),
        ({"headers": ["a"]}, HEADER_PAIR, "/headers/0"),
        ({"headers": ["ab"]}, HEADER_PAIR, "/headers/0"),
        ({"headers": [["a", "b"], ["c"]]}, HEADER_PAIR, "/headers/1"),
        ({"headers": [[1, "b"]]}, HEADER_PAIR, "/headers/0"),
        ({"headers": [["a", 1]]}, f"{VALUE}, not a number", "/headers/0/1"),
        ({"headers": {"a/b~c": None}}, f"{VALUE}, not null", "/headers/a~1b~0c"),
        ({"headers": {"a": ["b", 1]}}, f"{VALUE}, not a list", "/headers/a"),
        ({"body_encoding": "text"}, '"body_encoding" without "body"', ""),
        ({"body": "", "body_encoding": "gzip"}, ENCODINGS, "/body_encoding"),
        ({"body": "", "body_encoding": []}, ENCODINGS, "/body_encoding"),
        (
            {"body": {}, "body_encoding": "text"},
            '"body" must be text, as "body_encoding": "text" says, not an object',
            "/body",
        ),
        (
            {"body": None, "body_encoding": "base64"},
            '"body" must be text, as "body_encoding": "base64" says, not null',
            "/body",
        ),
    ],
)
def test_what_is_wrong_with_a_response_is_named(
    members: dict[str, JsonValue], problem: str, path: str
) -> None:
    """As for a request, whose headers and body are read alike."""
    with pytest.raises(ShapeError) as caught:
        read({**REQUEST, "response": members})

    assert (caught.value.problem, caught.value.path) == (f"not an exchange: {problem}", f"/response{path}")


@pytest.mark.parametrize("text", ["a", "e30", "e3 0=", "e30=\n", "é", "e30=e30=", "\ud800"])
def test_what_is_not_base64_is_named(text: str) -> None:
    """Half-read bytes would compare as other bytes."""
    with pytest.raises(ShapeError, match=r'^not an exchange: "body" is not base64: ') as caught:
        read({"request": {"method": "GET", "path": "/", "body": text, "body_encoding": "base64"}})

    assert caught.value.path == "/request/body"


def test_members_that_are_known_are_not_written_twice() -> None:
    """An exchange that a caller made may claim anything as unknown."""
    exchange = Exchange(0, Request("GET", "/", extra={"path": "/other"}), extra={"request": 1, "x": 2})

    assert exchange_value(exchange) == {"request": {"method": "GET", "path": "/"}, "x": 2}


def read(value: JsonValue) -> Exchange:
    """The exchange that a value describes."""
    return exchange_from(value, 0, None, Reading("here"))
