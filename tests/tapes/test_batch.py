"""Input files of batch APIs are read as a stream of requests."""

import io
import json
from typing import Any

import pytest

from amberfork_cli.core.tape import Body, Exchange, Request, Tape, TapeForm
from amberfork_cli.errors import TapeError
from amberfork_cli.tapes import open_tape, save_tape

BODY = {"model": "m", "messages": [{"role": "user", "content": "a"}], "n": 1.0}
NO_REQUEST = 'not a batch request: no "custom_id" with "body" or "params", no "request" and no "modelInput"'
ALONE = (
    "the result of a batch, not a request: join it with the file that was sent, "
    "as in amberfork convert SENT.jsonl RESULTS.jsonl -o tape.jsonl"
)


def line(number: int, **changed: object) -> bytes:
    """One request."""
    request = {"custom_id": f"r-{number}", "method": "POST", "url": "/v1/chat/completions", "body": BODY}
    return json.dumps({**request, **changed}).encode() + b"\n"


@pytest.mark.parametrize("input_format", [None, "batch"])
@pytest.mark.parametrize("count", [1, 3])
def test_each_line_is_a_request(input_format: str | None, count: int) -> None:
    """With its ID, and with nothing said in return; it can be looked at again and is written as a tape."""
    source = b"".join(line(number) for number in range(count))
    saved = io.BytesIO()

    with tape(source, input_format=input_format) as found:
        exchanges = list(found)
        again = [found.reread(number) for number in range(count)]
        save_tape(found, saved)
    with tape(saved.getvalue()) as native:
        copied = list(native)

    assert found.form is TapeForm.TAPE
    assert exchanges == [
        Exchange(
            number,
            Request("POST", "/v1/chat/completions", body=Body.json(BODY)),
            extra={"custom_id": f"r-{number}"},
        )
        for number in range(count)
    ]
    assert again == exchanges == copied
    assert [exchange.place and exchange.place.line for exchange in exchanges] == list(range(1, count + 1))


def test_other_members_are_kept_and_a_url_may_be_whole() -> None:
    """As other providers that take such files write them."""
    source = line(0, url="https://api.groq.com/openai/v1/chat/completions?key=SECRET", method="post", tag=[1])

    with tape(source) as found:
        (exchange,) = found

    assert exchange.request.method == "POST"
    assert exchange.request.path == "/openai/v1/chat/completions?key=REDACTED"
    assert exchange.request.extra == {"upstream": "https://api.groq.com"}
    assert exchange.extra == {"custom_id": "r-0", "tag": [1]}


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        (b'{"custom_id": "a"}\n', NO_REQUEST),
        (b'{"custom_id": "a", "params": []}\n', NO_REQUEST),
        (b'{"key": "a", "request": {"prompt": "Hi"}}\n', NO_REQUEST),
        (b'{"recordId": "a", "modelInput": "Hi"}\n', NO_REQUEST),
        (b"[]\n", NO_REQUEST),
        (b'{"custom_id": "a", "body": {}}\n', 'not a batch request: no "url"'),
        (line(1, url=7), 'not a batch request: no "url"'),
        (line(1, method=7), 'not a batch request: no "url"'),
        (b'{"custom_id": "a", "result": {"type": "expired"}}\n', ALONE),
        (b'{"key": "a", "response": {}}\n', ALONE),
        (
            b'{"id": "b", "custom_id": "a", "response": {"status_code": 200, "body": {}}, "error": null}\n',
            ALONE,
        ),
    ],
)
def test_a_line_that_is_no_request_is_named(bad: bytes, problem: str) -> None:
    """With its number; lenient reading leaves it out and says so."""
    source = line(0) + bad + line(2)

    given, error = until_trouble(source)
    with tape(source, lenient=True) as found:
        kept = list(found)

    assert (len(given), str(error)) == (1, f"stream:2:1: {problem}")
    assert len(kept) == 2
    assert found.left_out.bad_lines == [(2, problem)]


def test_a_file_of_results_is_refused_with_a_word_about_it() -> None:
    """It holds answers, and nobody knows to what."""
    _, error = until_trouble(b'{"id": "b", "custom_id": "a", "response": {"status_code": 200}}\n' * 2)

    assert str(error) == f"stream:1:1: {ALONE}"


@pytest.mark.parametrize("around", ['{"requests": %s}', "%s", '{\n "requests": %s\n}\n'])
@pytest.mark.parametrize("input_format", [None, "batch-list"])
def test_requests_may_stand_in_one_list(around: str, input_format: str | None) -> None:
    """As in the body that makes a batch at Anthropic, or as its SDK is given them."""
    requests = [{"custom_id": f"r-{number}", "params": BODY} for number in range(2)]
    source = (around % json.dumps(requests)).encode()

    with tape(source, input_format=input_format) as found:
        exchanges = list(found)

    assert found.form is TapeForm.TAPE
    assert exchanges == [
        Exchange(
            number,
            Request("POST", "/v1/messages", body=Body.json(BODY)),
            extra={"custom_id": f"r-{number}"},
        )
        for number in range(2)
    ]


def test_an_item_of_a_list_that_is_no_request_is_named() -> None:
    """With the place; lenient reading leaves it out."""
    source = json.dumps([{"custom_id": "a", "params": BODY}, {"custom_id": "b"}]).encode()

    given, error = until_trouble(source)
    with tape(source, lenient=True) as found:
        kept = list(found)

    assert (len(given), str(error)) == (1, f"stream:1:1: {NO_REQUEST} (at /1)")
    assert kept == given


def test_a_tape_is_never_taken_for_a_batch() -> None:
    """Even where its exchanges have the members of one, or are broken."""
    exchange = {
        "request": {"method": "POST", "path": "/", "body": {}, "contents": []},
        "key": "k",
        "custom_id": "c",
    }
    broken = b'{"request": {"path": "/", "contents": []}}\n'

    with tape(json.dumps(exchange).encode() + b"\n") as found:
        (read,) = found
    given, error = until_trouble(broken)

    assert read.request.path == "/"
    assert read.extra == {"key": "k", "custom_id": "c"}
    assert (given, str(error)) == ([], 'stream:1:1: not an exchange: no "method" (at /request)')


def test_a_torn_last_line_is_where_writing_stopped() -> None:
    """As on a tape."""
    with tape(line(0) + line(1)[:30]) as found:
        assert len(list(found)) == 1
    assert found.left_out.torn_end is not None


def tape(source: bytes, **options: Any) -> Tape:
    """Open bytes as a tape."""
    return open_tape(io.BytesIO(source), **options)


def until_trouble(source: bytes, **options: Any) -> tuple[list[Exchange], TapeError]:
    """What a source gives before it is trouble, and what that is."""
    given: list[Exchange] = []
    with pytest.raises(TapeError) as caught, tape(source, **options) as found:
        given.extend(found)
    return given, caught.value
